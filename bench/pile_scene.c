/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* One ball and one box are meshed and skinned; all other bodies are copies of their surfaces, so that millions of faces
 * do not need tens of millions of tetrahedra. Every ball has its own random rotation, so that no two contacts are
 * alike. */
#include "pile_scene.h"
#include "impinge/surface.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

enum { BALL_PARTS = 8, BOX_PARTS = 10, KINDS = 2 };

static const double ball_radius = 0.5, box_half = 0.4;
static const double mean_edge = 0.08;      /* of both, within a tenth */
static const double gap_in_edges = 0.05;   /* between adjacent bodies at their original positions */
static const double circle_in_edges = 0.5; /* radius */

typedef struct pattern {
  ipg_mesh_surface surface;
  double *x;
} pattern;

/* -------------------------------------------------------------------------------------------------------- patterns */

static ipg_status fail_for_memory(ipg_error *error) {
  return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory: give fewer --faces");
}

static ipg_status gather_pattern(const ipg_mesh *mesh, const ipg_skin *skin, pattern *p, ipg_error *error) {
  double *masses = malloc((size_t)mesh->node_count * sizeof *masses);
  if (!masses) return fail_for_memory(error);
  for (int64_t i = 0; i < mesh->node_count; ++i) masses[i] = 1;
  ipg_status status = ipg_mesh_surface_build(mesh, skin, masses, NULL, &p->surface, error);
  free(masses);
  if (status) return status;
  p->x = malloc(3 * (size_t)p->surface.surface.node_count * sizeof *p->x);
  if (!p->x) return fail_for_memory(error);
  ipg_mesh_surface_gather(&p->surface, mesh->x, p->x);
  return IPG_OK;
}

static ipg_status make_mesh(int kind, ipg_mesh *mesh, ipg_error *error) {
  const double centre[3] = {0, 0, 0}, lo[3] = {-box_half, -box_half, -box_half}, hi[3] = {box_half, box_half, box_half};
  if (kind == 0) return ipg_mesh_ball(centre, ball_radius, BALL_PARTS, "ball", NULL, mesh, error);
  return ipg_mesh_box(lo, hi, (const int[3]){BOX_PARTS, BOX_PARTS, BOX_PARTS}, "box", NULL, mesh, error);
}

static ipg_status make_pattern(int kind, pattern *p, ipg_error *error) {
  const ipg_tasks serial = ipg_tasks_serial();
  ipg_mesh mesh = {0};
  ipg_skin skin = {0};
  ipg_status status = make_mesh(kind, &mesh, error);
  if (!status) status = ipg_skin_build(&mesh, NULL, &serial, &skin, error);
  if (!status) status = gather_pattern(&mesh, &skin, p, error);
  ipg_skin_destroy(&skin);
  ipg_mesh_destroy(&mesh);
  return status;
}

static void free_pattern(pattern *p) {
  ipg_mesh_surface_destroy(&p->surface);
  free(p->x);
}

/* ---------------------------------------------------------------------------------------------------------- copies */

/* Allocates all arrays of the surface in one block of memory, the widest items first. */
static ipg_status allocate_scene(pile_scene *p, int64_t nodes, int64_t faces, ipg_error *error) {
  const size_t n = (size_t)nodes, f = (size_t)faces, bodies = (size_t)p->body_count;
  char *at = malloc(n * (7 * sizeof(double) + sizeof(ipg_gid)) + bodies * sizeof *p->circles +
                    f * (sizeof(ipg_gid) + 4 * sizeof(ipg_id) + sizeof(int32_t) + 1));
  if (!at) return fail_for_memory(error);
  p->memory = at;
  p->home = (double *)at, at += 3 * n * sizeof(double);
  p->x = (double *)at, at += 3 * n * sizeof(double);
  p->surface.node_masses = (double *)at, at += n * sizeof(double);
  p->surface.node_gids = (ipg_gid *)at, at += n * sizeof(ipg_gid);
  p->circles = (struct circle *)at, at += bodies * sizeof *p->circles;
  p->surface.face_elements = (ipg_gid *)at, at += f * sizeof(ipg_gid);
  p->surface.faces = (ipg_id *)at, at += 3 * f * sizeof(ipg_id);
  p->surface.face_opposites = (ipg_id *)at, at += f * sizeof(ipg_id);
  p->surface.face_bodies = (int32_t *)at, at += f * sizeof(int32_t);
  p->surface.face_sides = (uint8_t *)at;
  return IPG_OK;
}

/* Two random orthogonal directions and a random phase. */
static void choose_circle(random_source *random, struct circle *c) {
  double other[3];
  random_direction(random, c->across);
  do random_direction(random, other);
  while (fabs(other[0] * c->across[0] + other[1] * c->across[1] + other[2] * c->across[2]) > 0.9);
  double length2 = 0;
  for (int k = 0; k < 3; ++k) {
    const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    c->along[k] = c->across[k1] * other[k2] - c->across[k2] * other[k1];
    length2 += c->along[k] * c->along[k];
  }
  for (int k = 0; k < 3; ++k) c->along[k] /= sqrt(length2);
  c->phase = random_between(random, 0, 6.283185307179586);
}

static void set_original_positions(pile_scene *p, const pattern *one, const struct circle *c, const double centre[3],
                                   bool rotated) {
  double rotation[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int k = 0; k < 3 && rotated; ++k) {
    const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    rotation[0][k] = c->across[k], rotation[1][k] = c->along[k];
    rotation[2][k] = c->across[k1] * c->along[k2] - c->across[k2] * c->along[k1];
  }
  for (int64_t i = 0; i < one->surface.surface.node_count; ++i)
    for (int k = 0; k < 3; ++k)
      p->home[3 * (c->first_node + i) + k] = centre[k] + rotation[k][0] * one->x[3 * i] +
                                             rotation[k][1] * one->x[3 * i + 1] + rotation[k][2] * one->x[3 * i + 2];
}

/* Appends the nodes and faces of a body; their numbers are larger than those of all bodies before. */
static void copy_topology(pile_scene *p, const ipg_surface *one, int32_t body, ipg_gid gids) {
  ipg_surface *all = &p->surface;
  const ipg_id shift = (ipg_id)all->node_count;
  for (int64_t i = 0; i < one->node_count; ++i) {
    ((double *)all->node_masses)[all->node_count] = 1;
    ((ipg_gid *)all->node_gids)[all->node_count++] = gids + one->node_gids[i];
  }
  for (int64_t f = 0; f < one->face_count; ++f, ++all->face_count) {
    ((ipg_gid *)all->face_elements)[all->face_count] = gids + one->face_elements[f];
    ((int32_t *)all->face_bodies)[all->face_count] = body;
    ((uint8_t *)all->face_sides)[all->face_count] = one->face_sides[f];
    ((ipg_id *)all->face_opposites)[all->face_count] = one->face_opposites[f] < 0 ? -1 : shift + one->face_opposites[f];
    for (int k = 0; k < 3; ++k) ((ipg_id *)all->faces)[3 * all->face_count + k] = shift + one->faces[3 * f + k];
  }
}

/* Balls and boxes alternate like the colours of a chessboard. */
static int choose_kind(int64_t body, int64_t side) {
  return (int)((body % side + body / side % side + body / side / side) % KINDS);
}

static void fill_scene(pile_scene *p, const pattern patterns[KINDS], int64_t side) {
  random_source random = random_from(0);
  const double distance = ball_radius + box_half + gap_in_edges * mean_edge;
  for (int64_t body = 0; body < p->body_count; ++body) {
    const int kind = choose_kind(body, side);
    struct circle *c = &p->circles[body];
    const double centre[3] = {distance * (double)(body % side), distance * (double)(body / side % side),
                              distance * (double)(body / side / side)};
    choose_circle(&random, c);
    c->first_node = p->surface.node_count;
    copy_topology(p, &patterns[kind].surface.surface, (int32_t)body, (body << 32) + 1);
    c->end_node = p->surface.node_count;
    set_original_positions(p, &patterns[kind], c, centre, kind == 0);
  }
  memcpy(p->x, p->home, 3 * (size_t)p->surface.node_count * sizeof *p->x);
}

static ipg_status copy_patterns(pile_scene *p, const pattern patterns[KINDS], int64_t face_count, ipg_error *error) {
  const ipg_surface *ball = &patterns[0].surface.surface, *box = &patterns[1].surface.surface;
  const double mean = 0.5 * (double)(ball->face_count + box->face_count);
  const int64_t wanted = (int64_t)round((double)face_count / mean);
  p->body_count = wanted < 2 ? 2 : wanted;
  p->edge = mean_edge;
  const int64_t side = (int64_t)ceil(cbrt((double)p->body_count));
  int64_t nodes = 0, faces = 0;
  for (int64_t body = 0; body < p->body_count; ++body) {
    const ipg_surface *one = &patterns[choose_kind(body, side)].surface.surface;
    nodes += one->node_count, faces += one->face_count;
  }
  const ipg_status status = allocate_scene(p, nodes, faces, error);
  if (!status) fill_scene(p, patterns, side);
  return status;
}

ipg_status pile_scene_create(pile_scene *p, int64_t face_count, ipg_error *error) {
  pattern patterns[KINDS] = {0};
  *p = (pile_scene){0};
  ipg_status status = IPG_OK;
  for (int kind = 0; !status && kind < KINDS; ++kind) status = make_pattern(kind, &patterns[kind], error);
  if (!status) status = copy_patterns(p, patterns, face_count, error);
  for (int kind = 0; kind < KINDS; ++kind) free_pattern(&patterns[kind]);
  return status;
}

void pile_scene_move(pile_scene *p, int64_t step, double motion) {
  const double radius = circle_in_edges * p->edge;
  for (int64_t body = 0; body < p->body_count; ++body) {
    const struct circle *c = &p->circles[body];
    const double angle = c->phase + (double)step * motion / circle_in_edges;
    double offset[3];
    for (int k = 0; k < 3; ++k) offset[k] = radius * (cos(angle) * c->across[k] + sin(angle) * c->along[k]);
    for (int64_t i = c->first_node; i < c->end_node; ++i)
      for (int k = 0; k < 3; ++k) p->x[3 * i + k] = p->home[3 * i + k] + offset[k];
  }
}

void pile_scene_destroy(pile_scene *p) {
  free(p->memory);
  *p = (pile_scene){0};
}
