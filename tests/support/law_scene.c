/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/law_scene.h"

#include "support/evaluate.h"
#include "support/random_scenes.h"
#include "support/vec3.h"

const double law_step = 1e-3;

/* ----------------------------------------------------------------------------------------------------------- scenes */

void law_scene_make(law_scene *w, ipg_mesh *meshes, int count, double node_mass, const double *moduli,
                    const ipg_contact_config *config) {
  ipg_error error = {0};
  *w = (law_scene){.config = *config};
  w->config.reference_step = law_step;
  scene_make(&w->s, meshes, count, node_mass);
  scene *s = &w->s;
  if (moduli) CU_ASSERT_FATAL(!ipg_mesh_surface_set_stiffness(&s->surface, &s->mesh, &s->skin, moduli, &error));
  memcpy(s->trial, s->x, 3 * (size_t)s->surface.surface.node_count * sizeof *s->x);
  w->contact = scene_contact(s, &w->config);
}

void law_scene_free(law_scene *w) {
  ipg_contact_destroy(&w->contact);
  scene_free(&w->s);
}

void law_shift(law_scene *w, int body, const double shift[3]) {
  scene *s = &w->s;
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    for (int k = 0; k < 3 && s->body_of_node[i] == body; ++k) s->trial[3 * i + k] = s->x[3 * i + k] + shift[k];
}

void law_tilt(law_scene *w, int body, double angle, const double pivot[3], const double shift[3]) {
  scene *s = &w->s;
  const double c = cos(angle), sine = sin(angle);
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i) {
    if (s->body_of_node[i] != body) continue;
    const double *x = s->x + 3 * i, along = x[0] - pivot[0], up = x[2] - pivot[2];
    s->trial[3 * i] = pivot[0] + c * along + sine * up + shift[0];
    s->trial[3 * i + 1] = x[1] + shift[1];
    s->trial[3 * i + 2] = pivot[2] - sine * along + c * up + shift[2];
  }
}

/* ------------------------------------------------------------------------------------------------------- evaluation */

void law_evaluate(law_scene *w, double dt) {
  ipg_error error = {0};
  CU_ASSERT_FATAL(!evaluate_after(w->contact, dt, w->s.trial, NULL, w->s.force, &error));
}

static void accept(law_scene *w) {
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_accept(w->contact, ++w->step, &error));
  w->energy = ipg_contact_get_energy_balance(w->contact).contact_energy;
}

void law_go(law_scene *w) {
  law_evaluate(w, law_step);
  accept(w);
}

double law_energy_at(law_scene *w) {
  const double before = w->energy;
  law_go(w);
  const double energy = w->energy;
  w->energy = before;
  return energy;
}

double law_largest_force(const law_scene *w) {
  double largest = 0;
  for (int64_t i = 0; i < 3 * w->s.surface.surface.node_count; ++i) largest = suite_worst(largest, w->s.force[i]);
  return largest;
}

void law_resultant(const law_scene *w, int body, double force[3]) {
  for (int k = 0; k < 3; ++k) force[k] = 0;
  for (int64_t i = 0; i < w->s.surface.surface.node_count; ++i)
    for (int k = 0; k < 3 && w->s.body_of_node[i] == body; ++k) force[k] += w->s.force[3 * i + k];
}

void law_worsen_momentum(const law_scene *w, double *resultant, double *moment) {
  double sum[3] = {0}, turning[3] = {0}, size = 0, arm = 0;
  for (int64_t i = 0; i < w->s.surface.surface.node_count; ++i) {
    const double *f = w->s.force + 3 * i, *x = w->s.trial + 3 * i;
    double about[3];
    vec3_cross(x, f, about);
    vec3_add_scaled(sum, 1, f, sum), vec3_add_scaled(turning, 1, about, turning);
    size += vec3_length(f), arm += vec3_length(x) * vec3_length(f);
  }
  *resultant = suite_worst(*resultant, vec3_length(sum) / size);
  *moment = suite_worst(*moment, vec3_length(turning) / arm);
}

double law_difference_quotient(law_scene *w, int64_t component, double h, double kink) {
  const double x = w->s.trial[component], here = w->energy;
  double e[4];
  for (int k = 0; k < 4; ++k) w->s.trial[component] = x + (k < 2 ? k - 2 : k - 1) * h, e[k] = law_energy_at(w);
  w->s.trial[component] = x;
  const double before = (3 * here - 4 * e[1] + e[0]) / (2 * h), behind = (-3 * here + 4 * e[2] - e[3]) / (2 * h);
  return fabs(before - behind) > kink ? NAN : (8 * (e[2] - e[1]) - (e[3] - e[0])) / (12 * h);
}

void law_check_gradient(law_scene *w, rng *r, law_quotients *q) {
  const double gate = 1e-6, scale = law_largest_force(w);
  const int64_t count = 3 * w->s.surface.surface.node_count;
  double *force = malloc((size_t)count * sizeof *force);
  memcpy(force, w->s.force, (size_t)count * sizeof *force);
  law_worsen_momentum(w, &q->resultant, &q->moment);
  for (int n = 0; n < 12; ++n, ++q->count) {
    const int64_t i = rng_int(r, 0, (int)count - 1);
    const double quotient = law_difference_quotient(w, i, 2e-6, gate * scale);
    q->kinks += isnan(quotient);
    if (!isnan(quotient)) q->worst = suite_worst(q->worst, (quotient + force[i]) / scale);
  }
  free(force);
}

double law_shortest_edge(const law_scene *w) {
  const ipg_surface *surface = &w->s.surface.surface;
  double shortest = INFINITY;
  for (int64_t i = 0; i < 3 * surface->face_count; ++i) {
    const ipg_id a = surface->faces[i], b = surface->faces[i % 3 < 2 ? i + 1 : i - 2];
    shortest = fmin(shortest, vec3_distance(w->s.x + 3 * a, w->s.x + 3 * b));
  }
  return shortest;
}

/* ----------------------------------------------------------------------------------------------------- random pairs */

void law_random_pair(rng *r, ipg_mesh meshes[2], const char *const names[2]) {
  for (int b = 0; b < 2; ++b) {
    double rotation[3][3];
    const double centre[3] = {b + rng_between(r, -.02, .02), rng_between(r, -.02, .02), rng_between(r, -.02, .02)};
    meshes[b] = random_body(r, names[b], 2);
    random_rotation(r, rotation);
    transform_mesh(&meshes[b], rotation, centre, 1);
  }
}

/* How far body 1 lies in front of body 0 along a normal; below 0: they reach past each other. */
static double gap_along(const law_scene *w, const double normal[3]) {
  double highest = -INFINITY, lowest = INFINITY;
  for (int64_t i = 0; i < w->s.surface.surface.node_count; ++i) {
    const double height = vec3_dot(normal, w->s.x + 3 * i);
    if (w->s.body_of_node[i] == 0) highest = fmax(highest, height);
    else lowest = fmin(lowest, height);
  }
  return lowest - highest;
}

typedef struct approach {
  const law_scene *w;
  const double *way;
  double touching; /* the part of the way after which no plane that was tried lies between the bodies */
} approach;

static void try_planes_across(approach *a, const double normal[3]) {
  for (int sign = -1; sign <= 1; sign += 2) {
    const double n[3] = {sign * normal[0], sign * normal[1], sign * normal[2]};
    const double length = vec3_length(n), closing = -vec3_dot(n, a->way);
    if (!(length > 0)) return;
    const double gap = gap_along(a->w, n);
    if (closing > 1e-9 * length) a->touching = fmax(a->touching, gap / closing);
    else if (gap > 0) a->touching = INFINITY;
  }
}

/* Every edge once: from the end with the lower number. */
static bool edge_of_body(const law_scene *w, int64_t number, int body, double edge[3]) {
  const ipg_id *faces = w->s.surface.surface.faces;
  const ipg_id from = faces[number], to = faces[number % 3 < 2 ? number + 1 : number - 2];
  vec3_sub(w->s.x + 3 * to, w->s.x + 3 * from, edge);
  return from < to && w->s.body_of_node[from] == body;
}

/* Convex bodies are apart while a plane lies between them; then one that is along a face of either or an edge of each
 * does. */
static double part_to_touch(const law_scene *w, const double way[3]) {
  const ipg_surface *surface = &w->s.surface.surface;
  approach a = {w, way, -INFINITY};
  double normal[3], edges[2][3];
  for (int64_t f = 0; f < surface->face_count; ++f) {
    const ipg_id *corner = surface->faces + 3 * f;
    vec3_normal(w->s.x + 3 * corner[0], w->s.x + 3 * corner[1], w->s.x + 3 * corner[2], normal);
    try_planes_across(&a, normal);
  }
  for (int64_t i = 0; i < 3 * surface->face_count; ++i) {
    if (!edge_of_body(w, i, 0, edges[0])) continue;
    for (int64_t j = 0; j < 3 * surface->face_count; ++j) {
      if (!edge_of_body(w, j, 1, edges[1])) continue;
      vec3_cross(edges[0], edges[1], normal);
      try_planes_across(&a, normal);
    }
  }
  return a.touching;
}

bool law_random_press(const law_scene *w, rng *r, double depth, double shift[3]) {
  const double way[3] = {-1, rng_between(r, -.1, .1), rng_between(r, -.1, .1)};
  const double part = part_to_touch(w, way) + depth * law_shortest_edge(w);
  for (int k = 0; k < 3; ++k) shift[k] = part * way[k];
  return part < 1;
}
