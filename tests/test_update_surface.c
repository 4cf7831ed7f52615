/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Updates of the surface under active contacts. Which contacts continue and which are deactivated is decided by brute
 * force: from ids, and from the tetrahedra that are left. */
#include "support/contact_pairs.h"
#include "support/evaluate.h"
#include "support/failing_allocator.h"
#include "support/random_scenes.h"
#include "support/small_surface.h"
#include "support/suite.h"
#include "support/surface_oracle.h"
#include "support/vec3.h"
#include "support/weak_contact.h"

static void update_surface(ipg_contact *contact, const ipg_surface *surface, const double *x) {
  ipg_error error = {0};
  CU_ASSERT_EQUAL_FATAL(ipg_contact_update_surface(contact, surface, x, &error), IPG_OK);
}

/* mesh_start: where the nodes of the mesh were at the start. */
static void update_from_start(ipg_contact *contact, const ipg_mesh_surface *fresh, const double *mesh_start,
                              const double *x) {
  ipg_surface surface = fresh->surface;
  double *start = malloc(3 * (size_t)surface.node_count * sizeof *start + 1);
  ipg_mesh_surface_gather(fresh, mesh_start, start);
  surface.start_positions = start;
  update_surface(contact, &surface, x);
  free(start);
}

static bool is_same_balance(const ipg_contact *a, const ipg_contact *b) {
  const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(a), m = ipg_contact_get_energy_balance(b);
  return !memcmp(&l, &m, sizeof l);
}

static bool is_same_force(const scene *a, const scene *b) {
  return !memcmp(a->force, b->force, 3 * (size_t)a->surface.surface.node_count * sizeof(double));
}

static ipg_contact_pair *copy_pairs(const ipg_contact *contact, int64_t *count) {
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, count);
  ipg_contact_pair *copy = malloc(((size_t)*count + 1) * sizeof *copy);
  if (*count) memcpy(copy, pairs, (size_t)*count * sizeof *copy);
  return copy;
}

/* ------------------------------------------------------------------------------------------------- the same surface */

static void step_random_scene(random_scene *w, ipg_contact *contact, int64_t step) {
  ipg_error error = {0};
  random_scene_predict(w);
  CU_ASSERT_FATAL(!evaluate_after(contact, w->dt, w->s.trial, NULL, w->s.force, &error));
  CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
  random_scene_complete(w);
}

/* Two runs of one scene; in the second the surface is updated with the same surface, once in `every` steps. */
static int64_t run_beside(long number, int every, rng *r) {
  enum { STEPS = 110 };
  random_scene plain, updated;
  int64_t continued = 0, count;
  random_scene_make(&plain, number, 1), random_scene_make(&updated, number, 1);
  ipg_contact_rule temporary = ipg_contact_rule_defaults();
  temporary.law = plain.config.law, temporary.from = 5.5 * plain.dt, temporary.until = 80.5 * plain.dt;
  if (number % 2) plain.config.rules = updated.config.rules = &temporary, plain.config.rule_count = 1;
  updated.config.rule_count = plain.config.rule_count;
  ipg_contact *one = scene_contact(&plain.s, &plain.config), *other = scene_contact(&updated.s, &updated.config);
  bool same = true;
  for (int64_t step = 1; same && step <= STEPS; ++step) {
    step_random_scene(&plain, one, step), step_random_scene(&updated, other, step);
    if (rng_int(r, 1, every) == 1) {
      update_surface(other, &updated.s.surface.surface, updated.s.x);
      continued += (ipg_contact_pairs(other, &count), count);
    }
    same = is_same_force(&plain.s, &updated.s) && is_same_balance(one, other) && ipg_contact_last_step(other) == step &&
           ipg_contact_get_counters(other).evaluations == step;
    CU_ASSERT(same);
    if (!same) printf("\n    scene %ld differs in step %lld", number, (long long)step);
  }
  ipg_contact_destroy(&one), ipg_contact_destroy(&other);
  random_scene_free(&plain), random_scene_free(&updated);
  return continued;
}

static void test_nothing_deleted(void) {
  rng r = rng_start(1);
  int64_t continued = 0;
  for (long number = 0; number < (suite_is_quick() ? 12 : 120); ++number)
    continued += run_beside(number, number % 3 ? 50 : 1, &r);
  printf("\n    %lld contacts continued ", (long long)continued);
  CU_ASSERT(continued > (suite_is_quick() ? 100 : 1000));
}

/* --------------------------------------------------------------------------------------------------------- a crater */

/* A ball flies into a box. Elements of the box are deleted some at a time, most of them under contacts. Bodies are
 * rigid and do not rotate, so that what is left of the box stays where it was; or joined by springs, so that everything
 * moves. */
typedef struct crater {
  bool is_soft;
  scene s;
  spring_host h;        /* has the velocities of rigid bodies too */
  double *start_x;      /* of mesh nodes */
  ipg_id *body_of_node; /* of mesh nodes */
  ipg_erosion *erosion;
  ipg_contact *contact;
  rng choices;
  bool *dead; /* per element */
  double dt, start;
  double removed_work; /* of the forces on nodes that left the surface, in the half step after */
  int64_t step, kept, moved, ended;
} crater;

static const double dt = .008;

static ipg_contact_config crater_config(void) {
  ipg_contact_config config = ipg_contact_defaults();
  config.reference_step = 2 * dt;
  return config;
}

static void crater_make(crater *w, uint64_t number, const ipg_contact_config *given) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 6, 6, 3, "box"), scene_ball(.07, .03, .52, .5, 4, "ball")};
  ipg_error error = {0};
  *w = (crater){.is_soft = number % 2, .choices = rng_start(number), .dt = dt};
  ipg_contact_config config = *given;
  ipg_contact_rule from_first_step = ipg_contact_rule_defaults();
  config.penalty_scale = rng_between(&w->choices, .1, 1);
  config.law = (ipg_contact_law){.5, rng_between(&w->choices, 0, .5), 2, rng_between(&w->choices, 0, .5)};
  from_first_step.law = config.law, from_first_step.from = .5 * dt;
  if (!config.rule_count) config.rules = &from_first_step, config.rule_count = 1;
  scene_make(&w->s, meshes, 2, 1);
  w->start_x = malloc(3 * (size_t)w->s.mesh.node_count * sizeof *w->start_x);
  memcpy(w->start_x, w->s.mesh.x, 3 * (size_t)w->s.mesh.node_count * sizeof *w->start_x);
  w->body_of_node = calloc((size_t)w->s.mesh.node_count, sizeof *w->body_of_node);
  for (int64_t i = 0; i < 4 * w->s.mesh.element_count; ++i)
    w->body_of_node[w->s.mesh.tets[i]] = w->s.skin.body_of_element[i / 4];
  double *velocity = calloc(3 * (size_t)w->s.mesh.node_count, sizeof *velocity);
  for (int64_t i = 0; i < w->s.mesh.node_count; ++i)
    if (w->body_of_node[i] == 1) memcpy(velocity + 3 * i, (double[]){.8, .1, -1.5}, 3 * sizeof *velocity);
  for (int64_t i = 0; i < 3 * w->s.mesh.node_count; ++i) w->start += .5 * velocity[i] * velocity[i];
  spring_host_make(&w->h, &w->s, velocity, .5, dt);
  w->dead = calloc((size_t)w->s.mesh.element_count, sizeof *w->dead);
  CU_ASSERT_FATAL(!ipg_erosion_create(&w->s.mesh, &w->s.skin, NULL, &w->erosion, &error));
  w->contact = scene_contact(&w->s, &config);
}

static void crater_free(crater *w) {
  ipg_contact_destroy(&w->contact);
  ipg_erosion_destroy(&w->erosion);
  spring_host_free(&w->h);
  scene_free(&w->s);
  free(w->dead), free(w->body_of_node), free(w->start_x);
}

/* The mesh without its deleted elements; nodes stay. */
static ipg_mesh remaining_mesh(const ipg_mesh *mesh, const bool *dead) {
  ipg_mesh remaining = *mesh;
  remaining.element_count = 0;
  remaining.tets = malloc(4 * (size_t)mesh->element_count * sizeof(ipg_id) + 1);
  remaining.element_gids = malloc((size_t)mesh->element_count * sizeof(ipg_gid) + 1);
  remaining.blocks = malloc((size_t)mesh->block_count * sizeof(ipg_block));
  memcpy(remaining.blocks, mesh->blocks, (size_t)mesh->block_count * sizeof(ipg_block));
  for (int b = 0; b < mesh->block_count; ++b) {
    remaining.blocks[b].first = remaining.element_count;
    for (int64_t e = mesh->blocks[b].first; e < mesh->blocks[b].first + mesh->blocks[b].count; ++e) {
      if (dead[e]) continue;
      memcpy(remaining.tets + 4 * remaining.element_count, mesh->tets + 4 * e, 4 * sizeof(ipg_id));
      remaining.element_gids[remaining.element_count++] = mesh->element_gids[e];
    }
    remaining.blocks[b].count = remaining.element_count - remaining.blocks[b].first;
  }
  return remaining;
}

/* The surface of the remaining mesh, with its own body numbers. */
static ipg_mesh_surface remaining_surface(const ipg_mesh *mesh, const bool *dead, const double *masses) {
  const ipg_tasks serial = ipg_tasks_serial();
  ipg_mesh remaining = remaining_mesh(mesh, dead);
  ipg_skin skin;
  ipg_mesh_surface surface;
  CU_ASSERT_FATAL(!ipg_skin_build(&remaining, NULL, &serial, &skin, NULL));
  CU_ASSERT_FATAL(!ipg_mesh_surface_build(&remaining, &skin, masses, NULL, &surface, NULL));
  ipg_skin_destroy(&skin);
  free(remaining.tets), free(remaining.element_gids), free(remaining.blocks);
  return surface;
}

static bool is_same_array(const void *a, const void *b, int64_t count, size_t item_bytes) {
  return !count || !memcmp(a, b, (size_t)count * item_bytes);
}

/* All but the body numbers. */
static bool is_same_surface(const ipg_surface *a, const ipg_surface *b) {
  const int64_t n = a->node_count, f = a->face_count;
  return n == b->node_count && f == b->face_count && is_same_array(a->node_gids, b->node_gids, n, sizeof(ipg_gid)) &&
         is_same_array(a->node_masses, b->node_masses, n, sizeof(double)) &&
         is_same_array(a->faces, b->faces, f, 3 * sizeof(ipg_id)) &&
         is_same_array(a->face_elements, b->face_elements, f, sizeof(ipg_gid)) &&
         is_same_array(a->face_sides, b->face_sides, f, 1) && is_same_array(a->face_subs, b->face_subs, f, 1) &&
         is_same_array(a->face_blocks, b->face_blocks, f, sizeof(int32_t)) &&
         is_same_array(a->face_opposites, b->face_opposites, f, sizeof(ipg_id));
}

/* ------------------------------------------------------------------------------------- the contacts after an update */

static ipg_id find_node(const ipg_surface *s, ipg_gid gid) {
  for (ipg_id i = 0; i < s->node_count; ++i)
    if (s->node_gids[i] == gid) return i;
  return -1;
}

static ipg_id find_face(const ipg_surface *s, const ipg_contact_pair *pair) {
  for (ipg_id f = 0; f < s->face_count; ++f)
    if (s->face_elements[f] == pair->element && s->face_sides[f] == pair->side && s->face_subs[f] == pair->sub)
      return f;
  return -1;
}

/* 1: the point is inside a remaining tetrahedron of the body, -1: outside of all, 0: within rounding of a side. */
static int is_in_remaining_body(const crater *w, const double *p, ipg_id body) {
  const ipg_mesh *mesh = &w->s.mesh;
  double x[12], nearest = -INFINITY;
  for (int64_t e = 0; e < mesh->element_count; ++e) {
    if (w->dead[e] || w->s.skin.body_of_element[e] != body) continue;
    double least = INFINITY;
    for (int k = 0; k < 4; ++k) memcpy(x + 3 * k, mesh->x + 3 * (int64_t)mesh->tets[4 * e + k], 3 * sizeof *x);
    const double all = ipg_tet_volume(x, (ipg_id[]){0, 1, 2, 3});
    for (int k = 0; k < 4; ++k) {
      double y[12];
      memcpy(y, x, sizeof y), memcpy(y + 3 * k, p, 3 * sizeof *y);
      least = fmin(least, ipg_tet_volume(y, (ipg_id[]){0, 1, 2, 3}) / all);
    }
    nearest = fmax(nearest, least);
  }
  return nearest > 1e-9 ? 1 : nearest < -1e-9 ? -1 : 0;
}

static double distance_to_surface(const ipg_surface *s, const double *x, ipg_id node, int32_t body) {
  double nearest = INFINITY;
  for (ipg_id f = 0; f < s->face_count; ++f) {
    if (s->face_bodies[f] != body) continue;
    nearest = fmin(nearest, closest_point_of(s, x, node, f).distance);
  }
  return nearest;
}

static bool has_same_history(const ipg_contact_pair *a, const ipg_contact_pair *b) {
  return a->node_gid == b->node_gid && a->history.initial_penetration == b->history.initial_penetration &&
         a->history.passed == b->history.passed;
}

static bool has_same_position(const ipg_contact_pair *a, const ipg_contact_pair *b) {
  return a->element == b->element && a->side == b->side && a->sub == b->sub && a->gap == b->gap &&
         a->history.initial_offset == b->history.initial_offset &&
         a->history.entered_from_outside == b->history.entered_from_outside &&
         !memcmp(a->normal, b->normal, sizeof a->normal) && !memcmp(a->weights, b->weights, sizeof a->weights);
}

/* The indices of the pair agree with its ids. */
static bool has_right_indices(const ipg_surface *s, const ipg_contact_pair *pair) {
  return pair->owner == pair->nodes[0] && s->node_gids[pair->owner] == pair->node_gid &&
         pair->face == find_face(s, pair) && pair->touched == s->face_bodies[pair->face] &&
         !memcmp(pair->nodes + 1, s->faces + 3 * (int64_t)pair->face, 3 * sizeof(ipg_id));
}

/* The distance from the node to the closest point. */
static double depth_of(const ipg_contact_pair *pair, const double *x) {
  double to[3] = {0, 0, 0};
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) to[k] += pair->weights[i] * x[3 * pair->nodes[i] + k];
  return vec3_length(to);
}

static bool is_at_border(const ipg_contact_pair *pair) {
  return pair->weights[1] >= 0 || pair->weights[2] >= 0 || pair->weights[3] >= 0;
}

/* The contact of a node inside the remaining body moves to another face, and is no deeper than before. So does that of
 * a node slightly beyond one of its edges, as where a contact slides off. */
static void check_deleted_under(crater *w, const ipg_surface *s, const double *x, const ipg_contact_pair *old,
                                const ipg_contact_pair *now) {
  const ipg_id node = find_node(s, old->node_gid);
  const int inside = is_in_remaining_body(w, x + 3 * node, old->touched);
  const double depth = distance_to_surface(s, x, node, old->touched);
  w->moved += now != NULL, w->ended += !now;
  if (inside > 0 && !w->is_soft) CU_ASSERT_PTR_NOT_NULL(now);
  if (!now) return;
  const double before = old->gap + old->history.initial_offset, distance = now->gap + now->history.initial_offset;
  CU_ASSERT(has_same_history(old, now) && now->gap >= old->gap - 1e-9 * fabs(before));
  CU_ASSERT_DOUBLE_EQUAL(now->history.initial_offset, fmax(old->history.initial_offset, distance),
                         1e-15 * fabs(before)); /* no step */
  CU_ASSERT_DOUBLE_EQUAL(depth_of(now, x), -distance, 1e-12);
  CU_ASSERT(inside >= 0);
  if (!w->is_soft && !is_at_border(now)) CU_ASSERT(-distance >= depth - 1e-12);
}

static void check_kept(crater *w, const ipg_contact_pair *old, const ipg_contact_pair *now) {
  CU_ASSERT(now && has_same_position(now, old) && has_same_history(now, old));
  w->kept++;
}

static void check_ended(crater *w, const ipg_contact_pair *now) {
  CU_ASSERT(!now);
  w->ended++;
}

/* Bodies keep their numbers here, so the order is the same. */
static void check_all_contacts(crater *w, const ipg_mesh_surface *fresh, const double *x, const ipg_contact_pair *old,
                               int64_t old_count, const ipg_contact_energy_balance *before) {
  const ipg_surface *s = &fresh->surface;
  const ipg_contact_energy_balance after = ipg_contact_get_energy_balance(w->contact);
  int64_t count, j = 0;
  const ipg_contact_pair *now = ipg_contact_pairs(w->contact, &count);
  for (int64_t i = 0; i < old_count; ++i) {
    const bool there = j < count && now[j].node_gid == old[i].node_gid && now[j].touched == old[i].touched;
    const ipg_contact_pair *same = there ? &now[j++] : NULL;
    const bool node_left = find_node(s, old[i].node_gid) >= 0, face_left = find_face(s, &old[i]) >= 0;
    if (same) { CU_ASSERT(has_right_indices(s, same)); }
    if (node_left && face_left) check_kept(w, &old[i], same);
    else if (node_left) check_deleted_under(w, s, x, &old[i], same);
    else check_ended(w, same);
  }
  CU_ASSERT_EQUAL(j, count);
  CU_ASSERT(after.contact_work == before->contact_work && after.friction_dissipation == before->friction_dissipation &&
            after.damping_dissipation == before->damping_dissipation);
  CU_ASSERT_DOUBLE_EQUAL(after.contact_energy + after.spring_net_loss, before->contact_energy + before->spring_net_loss,
                         1e-13 * w->start);
  CU_ASSERT(after.activations == before->activations && after.activations - after.deactivations == count);
}

/* --------------------------------------------------------------------------------------------- elements are deleted */

static int64_t element_of(const ipg_mesh *mesh, ipg_gid gid) {
  int64_t e = 0;
  while (mesh->element_gids[e] != gid) ++e;
  return e;
}

static void mark_deleted(crater *w, int64_t element, ipg_id *list, int64_t *count) {
  if (w->dead[element]) return;
  w->dead[element] = true;
  list[(*count)++] = (ipg_id)element;
}

/* Some of the elements in contact, and some anywhere in the box. No element of a rigid ball, which is deep in the box:
 * nodes that are uncovered there have no contact. */
static int64_t choose_elements(crater *w, ipg_id *list) {
  int64_t count = 0, pair_count;
  const ipg_contact_pair *pairs = ipg_contact_pairs(w->contact, &pair_count);
  for (int64_t i = 0; i < pair_count; ++i)
    if (rng_int(&w->choices, 0, 7) == 0 && (w->is_soft || pairs[i].touched == 0))
      mark_deleted(w, element_of(&w->s.mesh, pairs[i].element), list, &count);
  for (int i = rng_int(&w->choices, 0, 3); i > 0; --i)
    mark_deleted(w, rng_int(&w->choices, 0, (int)w->s.mesh.blocks[0].count - 1), list, &count);
  return count;
}

/* The scene's arrays for the new surface. Forces on removed nodes do the work of half a step more. */
static void take_surface(crater *w, ipg_mesh_surface fresh, double *x) {
  const ipg_mesh_surface old = w->s.surface;
  const size_t values = 3 * (size_t)fresh.surface.node_count;
  double *force = calloc(values, sizeof *force);
  for (int64_t i = 0; i < old.surface.node_count; ++i) {
    const ipg_id node = find_node(&fresh.surface, old.surface.node_gids[i]);
    const double *f = w->s.force + 3 * i, *v = w->h.velocity + 3 * (int64_t)old.mesh_nodes[i];
    if (node >= 0) memcpy(force + 3 * (int64_t)node, f, 3 * sizeof *f);
    else w->removed_work += .5 * w->dt * vec3_dot(f, v);
  }
  free(w->s.x), free(w->s.trial), free(w->s.force);
  w->s.x = x, w->s.trial = calloc(values, sizeof(double)), w->s.force = force;
  ipg_mesh_surface_destroy(&w->s.surface);
  w->s.surface = fresh;
}

static void crater_delete(crater *w, const ipg_id *list, int64_t count) {
  ipg_erosion_change change;
  ipg_mesh_surface fresh;
  int64_t old_count;
  for (int64_t i = 0; i < count; ++i)
    for (int k = 0; k < 6; ++k) w->h.springs[6 * (int64_t)list[i] + k].stiffness = 0;
  CU_ASSERT_FATAL(!ipg_erosion_delete(w->erosion, list, count, &change, NULL));
  CU_ASSERT_FATAL(!ipg_mesh_surface_build(&w->s.mesh, ipg_erosion_skin(w->erosion), w->s.masses, NULL, &fresh, NULL));
  ipg_mesh_surface remaining = remaining_surface(&w->s.mesh, w->dead, w->s.masses);
  CU_ASSERT(is_same_surface(&fresh.surface, &remaining.surface));
  double *x = malloc(3 * (size_t)fresh.surface.node_count * sizeof *x);
  ipg_mesh_surface_gather(&fresh, w->s.mesh.x, x);
  ipg_contact_pair *old = copy_pairs(w->contact, &old_count);
  const ipg_contact_energy_balance before = ipg_contact_get_energy_balance(w->contact);
  update_from_start(w->contact, &fresh, w->start_x, x);
  check_all_contacts(w, &fresh, x, old, old_count, &before);
  take_surface(w, fresh, x);
  ipg_mesh_surface_destroy(&remaining);
  free(old);
}

static void crater_erode(crater *w) {
  ipg_id *list = malloc((size_t)w->s.mesh.element_count * sizeof *list);
  crater_delete(w, list, choose_elements(w, list));
  free(list);
}

/* --------------------------------------------------------------------------------------------- a step in the crater */

/* Of all steps: the sum of the forces over their size. */
static double force_error;

static void check_momentum(const scene *s) {
  double sum[3] = {0}, size = 0;
  for (int64_t i = 0; i < 3 * s->surface.surface.node_count; ++i) sum[i % 3] += s->force[i], size += fabs(s->force[i]);
  for (int k = 0; k < 3; ++k) {
    CU_ASSERT(fabs(sum[k]) <= 1e-12 * size);
    if (size != 0) force_error = suite_worst(force_error, sum[k] / size);
  }
}

/* The sum of forces accelerates all nodes of a body alike. Kinetic energy as in spring_host.h. */
static void rigid_complete(crater *w) {
  const int64_t values = 3 * w->s.mesh.node_count;
  double force[2][3] = {{0}}, mass[2] = {0};
  double *all = calloc((size_t)values, sizeof *all);
  ipg_mesh_surface_add(&w->s.surface, w->s.force, all);
  for (int64_t i = 0; i < values; ++i) force[w->body_of_node[i / 3]][i % 3] += all[i];
  for (int64_t i = 0; i < values / 3; ++i) mass[w->body_of_node[i]] += w->s.masses[i];
  w->h.kinetic = 0;
  for (int64_t i = 0; i < values; ++i) {
    const ipg_id body = w->body_of_node[i / 3];
    const double before = w->h.velocity[i];
    w->h.velocity[i] += w->dt * force[body][i % 3] / mass[body];
    w->h.kinetic += .5 * w->s.masses[i / 3] * before * w->h.velocity[i];
  }
  memcpy(w->s.mesh.x, w->h.trial, (size_t)values * sizeof *all);
  memcpy(w->s.x, w->s.trial, 3 * (size_t)w->s.surface.surface.node_count * sizeof *all);
  free(all);
}

/* Nodes of the box that came to its surface, and are in the ball. */
static int64_t count_uncovered_inside(const crater *w) {
  const ipg_surface *s = &w->s.surface.surface;
  int64_t count = 0;
  for (int64_t i = 0; i < s->node_count; ++i) {
    const double *start = w->start_x + 3 * (int64_t)w->s.surface.mesh_nodes[i];
    const bool was_within = fabs(start[0]) < .99 && fabs(start[1]) < .99 && start[2] > -.99 && start[2] < -.01;
    count += was_within && is_in_remaining_body(w, w->s.x + 3 * i, 1) >= 0;
  }
  return count;
}

/* Returns how many nodes are inside a body without contact. */
static int64_t audit_crater(const crater *w) {
  ipg_contact_audit_report report;
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_audit(w->contact, &report, &error));
  CU_ASSERT(!report.missed_candidates && !report.wrong_contacts && !report.wrong_forces);
  return report.nodes_inside;
}

static void crater_step(crater *w) {
  ipg_error error = {0};
  spring_host_predict(&w->h, &w->s, w->dt);
  CU_ASSERT_FATAL(!evaluate_after(w->contact, w->dt, w->s.trial, NULL, w->s.force, &error));
  check_momentum(&w->s);
  const int64_t inside = w->step % 24 == 0 ? audit_crater(w) : 0;
  CU_ASSERT_FATAL(!ipg_contact_accept(w->contact, ++w->step, &error));
  if (w->is_soft) spring_host_complete(&w->h, &w->s, w->dt);
  else rigid_complete(w);
  /* What is uncovered inside of another body is in no pair. Bodies of springs may be inverted and have no inside. */
  CU_ASSERT(!inside || w->is_soft || inside <= count_uncovered_inside(w));
  const double energy = w->h.kinetic - w->h.work, work = ipg_contact_get_energy_balance(w->contact).contact_work;
  CU_ASSERT(fabs(energy - w->start - work - w->removed_work) <= 1e-10 * w->start);
}

static void crater_run(crater *w, uint64_t number, const ipg_contact_config *given) {
  crater_make(w, number, given);
  while (w->step < 160) {
    crater_step(w);
    if (w->step % 6 == 0) crater_erode(w);
  }
}

static void test_crater(void) {
  const ipg_contact_config config = crater_config();
  int64_t kept = 0, moved = 0, ended = 0;
  for (uint64_t number = 0; number < (suite_is_quick() ? 2 : 12); ++number) {
    crater w;
    crater_run(&w, number, &config);
    kept += w.kept, moved += w.moved, ended += w.ended;
    crater_free(&w);
  }
  printf("\n    contacts: %lld kept, %lld moved to another face, %lld deactivated ", (long long)kept, (long long)moved,
         (long long)ended);
  CU_ASSERT(kept > 100 && moved > 3 && ended > 20);
  suite_gate("craters: sum of the contact forces, of their size", force_error, 1e-12);
}

/* --------------------------------------------------------------------------------------------------- other settings */

static bool is_same_crater(const crater *a, const crater *b) {
  const size_t bytes = 3 * (size_t)a->s.mesh.node_count * sizeof(double);
  return is_same_surface(&a->s.surface.surface, &b->s.surface.surface) && is_same_force(&a->s, &b->s) &&
         !memcmp(a->s.mesh.x, b->s.mesh.x, bytes) && is_same_balance(a->contact, b->contact);
}

static void test_other_settings(void) {
  static const struct {
    int workers;
    double search_margin;
    const char *method;
  } settings[] = {{2, .2, "lkdtree_packed"}, {4, .05, "lkdtree_packed"}, {3, 0, "brute_force"}};
  const ipg_contact_config config = crater_config();
  for (uint64_t number = 0; number < 2; ++number) {
    crater plain;
    crater_run(&plain, number, &config);
    for (int i = 0; i < 3; ++i) {
      crater other;
      ipg_pool *pool = NULL;
      ipg_contact_config other_config = config;
      CU_ASSERT_FATAL(!ipg_pool_create(settings[i].workers, &pool, NULL));
      other_config.tasks = ipg_pool_tasks(pool), other_config.search_margin = settings[i].search_margin,
      other_config.search_method = settings[i].method;
      crater_run(&other, number, &other_config);
      CU_ASSERT(is_same_crater(&plain, &other));
      crater_free(&other);
      ipg_pool_destroy(&pool);
    }
    crater_free(&plain);
  }
}

/* --------------------------------------------------------------------------------------------------------- refusals */

/* Two equal craters in the middle of the hit, and the surface after a deletion, which neither has got yet. */
typedef struct refusal_test {
  crater tried, untouched;
  ipg_mesh_surface next;
  double *x, *start;
} refusal_test;

static void refusal_test_make(refusal_test *t, const ipg_contact_config *config) {
  const ipg_contact_config defaults = crater_config();
  crater_make(&t->tried, 1, config), crater_make(&t->untouched, 1, &defaults);
  while (t->tried.step < 50) crater_step(&t->tried), crater_step(&t->untouched);
  CU_ASSERT_FATAL(ipg_contact_get_counters(t->tried.contact).contacts > 5);
  bool *dead = calloc((size_t)t->tried.s.mesh.element_count, sizeof *dead);
  for (int i = 0; i < 200; ++i) dead[3 * i] = true;
  t->next = remaining_surface(&t->tried.s.mesh, dead, t->tried.s.masses);
  t->x = malloc(3 * (size_t)t->next.surface.node_count * sizeof *t->x);
  t->start = malloc(3 * (size_t)t->next.surface.node_count * sizeof *t->start);
  ipg_mesh_surface_gather(&t->next, t->tried.s.mesh.x, t->x);
  ipg_mesh_surface_gather(&t->next, t->tried.start_x, t->start);
  t->next.surface.start_positions = t->start;
  free(dead);
}

/* A refused update has changed nothing: both craters continue with the same bits. */
static void refusal_test_end(refusal_test *t) {
  while (t->tried.step < 100) {
    crater_step(&t->tried), crater_step(&t->untouched);
    CU_ASSERT(is_same_crater(&t->tried, &t->untouched));
    if (t->tried.step % 10 == 0) crater_erode(&t->tried), crater_erode(&t->untouched);
  }
  crater_free(&t->tried), crater_free(&t->untouched);
  ipg_mesh_surface_destroy(&t->next);
  free(t->x), free(t->start);
}

static void test_failing_allocations(void) {
  failing_allocator allocator = {0};
  ipg_contact_config config = crater_config();
  refusal_test t;
  config.allocator = failing_allocator_of(&allocator);
  refusal_test_make(&t, &config);
  allocator.allocations = 0;
  update_surface(t.tried.contact, &t.tried.s.surface.surface, t.tried.s.x); /* changes nothing */
  const int64_t all = allocator.allocations, blocks = allocator.live_blocks, bytes = allocator.live_bytes;
  for (int64_t n = 1; n <= all; ++n) {
    ipg_error error = {0};
    allocator.allocations = 0, allocator.fail_at = n;
    CU_ASSERT_EQUAL(ipg_contact_update_surface(t.tried.contact, &t.next.surface, t.x, &error), IPG_ERROR_MEMORY);
    CU_ASSERT(strlen(error.message) > 10 && allocator.live_blocks == blocks && allocator.live_bytes == bytes);
  }
  allocator.fail_at = 0;
  CU_ASSERT(all > 20);
  refusal_test_end(&t);
  CU_ASSERT(!allocator.live_blocks && !allocator.live_bytes && !allocator.wrong_releases);
}

static void check_refused(refusal_test *t, const ipg_surface *surface, const double *x, ipg_status status,
                          const char *words) {
  ipg_error error = {0};
  CU_ASSERT_EQUAL(ipg_contact_update_surface(t->tried.contact, surface, x, &error), status);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, words));
  if (!strstr(error.message, words)) printf("\n    message: %s", error.message);
}

static void test_bad_surfaces(void) {
  const ipg_contact_config config = crater_config();
  refusal_test t;
  refusal_test_make(&t, &config);
  ipg_surface s = t.next.surface;
  const int64_t nodes = s.node_count, faces = s.face_count;
  ipg_gid *gids = malloc((size_t)nodes * sizeof *gids);
  ipg_id *corners = malloc(3 * (size_t)faces * sizeof *corners);
  memcpy(gids, s.node_gids, (size_t)nodes * sizeof *gids);
  memcpy(corners, s.faces, 3 * (size_t)faces * sizeof *corners);
  gids[7] = gids[6], s.node_gids = gids;
  check_refused(&t, &s, t.x, IPG_ERROR_ARGUMENT, "ascending order");
  s = t.next.surface, corners[5] = (ipg_id)nodes, s.faces = corners;
  check_refused(&t, &s, t.x, IPG_ERROR_ARGUMENT, "names surface node");
  s = t.next.surface, s.face_elements = NULL;
  check_refused(&t, &s, t.x, IPG_ERROR_ARGUMENT, "an array of the surface is null");
  s = t.next.surface, s.start_positions = NULL;
  check_refused(&t, &s, t.x, IPG_ERROR_ARGUMENT, "comes to the surface: penalty contact has to know where it was");
  s = t.next.surface, t.x[10] += 1e-12;
  check_refused(&t, &s, t.x, IPG_ERROR_ARGUMENT, "is not where it was accepted last");
  t.x[10] = NAN;
  check_refused(&t, &s, t.x, IPG_ERROR_NUMBER, "not finite");
  free(gids), free(corners);
  refusal_test_end(&t);
}

/* --------------------------------------------------------------------------------------------- whole bodies deleted */

static ipg_contact_rule rules[2];

/* Rules may name blocks without any remaining element. */
static ipg_contact_config config_with_rules(void) {
  ipg_contact_config config = crater_config();
  rules[0] = rules[1] = ipg_contact_rule_defaults();
  rules[0].blocks[0] = 0, rules[0].blocks[1] = 1, rules[0].law.friction_static = .3;
  rules[1].blocks[0] = rules[1].blocks[1] = 1, rules[1].off = true;
  config.rules = rules, config.rule_count = 2;
  return config;
}

static void step_without_contact(crater *w) {
  const ipg_contact_energy_balance before = ipg_contact_get_energy_balance(w->contact);
  int64_t count;
  for (int i = 0; i < 3; ++i) crater_step(w);
  (void)ipg_contact_pairs(w->contact, &count);
  const ipg_contact_energy_balance after = ipg_contact_get_energy_balance(w->contact);
  CU_ASSERT(!count && after.activations == before.activations && after.deactivations == after.activations &&
            !after.contact_energy);
}

static void delete_all_of(crater *w, int block) {
  const ipg_block *b = &w->s.mesh.blocks[block];
  ipg_id *list = malloc((size_t)b->count * sizeof *list);
  int64_t count = 0;
  for (int64_t e = b->first; e < b->first + b->count; ++e) mark_deleted(w, e, list, &count);
  crater_delete(w, list, count);
  free(list);
}

static void test_bodies_deleted(void) {
  const ipg_contact_config config = config_with_rules();
  for (uint64_t number = 0; number < 2; ++number) {
    crater w;
    ipg_error error = {0};
    crater_make(&w, number, &config);
    while (w.step < 50 && ipg_contact_get_counters(w.contact).contacts < 6) crater_step(&w);
    const int64_t step = w.step;
    CU_ASSERT(step < 50);
    delete_all_of(&w, 1);
    CU_ASSERT_EQUAL(ipg_contact_revert(w.contact, &error), IPG_ERROR_ARGUMENT);
    CU_ASSERT_EQUAL(ipg_contact_last_step(w.contact), step);
    CU_ASSERT(w.s.surface.surface.face_count > 0);
    step_without_contact(&w);
    delete_all_of(&w, 0);
    CU_ASSERT(!w.s.surface.surface.face_count && !w.s.surface.surface.node_count);
    step_without_contact(&w);
    CU_ASSERT(ipg_contact_stable_step(w.contact) == INFINITY);
    crater_free(&w);
  }
}

/* ------------------------------------------------------------------------------------- rigid scenes, other surfaces */

/* Positions of new nodes are those of the mesh, shifted like the other nodes of the body. */
static void scene_update_surface(scene *s, ipg_contact *contact, ipg_mesh_surface fresh, const double shift[3]) {
  const size_t values = 3 * (size_t)fresh.surface.node_count;
  double *x = malloc(values * sizeof *x);
  for (int64_t i = 0; i < fresh.surface.node_count; ++i) {
    const ipg_id before = find_node(&s->surface.surface, fresh.surface.node_gids[i]);
    for (int k = 0; k < 3; ++k)
      x[3 * i + k] = before >= 0 ? s->x[3 * before + k] : s->mesh.x[3 * (int64_t)fresh.mesh_nodes[i] + k] + shift[k];
  }
  update_from_start(contact, &fresh, s->mesh.x, x);
  ipg_mesh_surface_destroy(&s->surface);
  free(s->x);
  s->surface = fresh, s->x = x;
  s->trial = realloc(s->trial, values * sizeof *x), s->force = realloc(s->force, values * sizeof *x);
}

/* The bodies of the surface and their masses. */
static void set_bodies(scene *s) {
  const ipg_surface *surface = &s->surface.surface;
  s->body_of_node = realloc(s->body_of_node, (size_t)surface->node_count * sizeof *s->body_of_node);
  memset(s->body_mass, 0, sizeof s->body_mass);
  for (int64_t i = 0; i < 3 * surface->face_count; ++i)
    s->body_of_node[surface->faces[i]] = surface->face_bodies[i / 3];
  for (int64_t i = 0; i < surface->node_count; ++i) s->body_mass[s->body_of_node[i]] += surface->node_masses[i];
}

/* Upwards. */
static double force_on_body(const scene *s, int32_t body) {
  double sum = 0;
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    if (s->body_of_node[i] == body) sum += s->force[3 * i + 2];
  return sum;
}

static double middle_of_element(const ipg_mesh *mesh, int64_t e, int axis) {
  double sum = 0;
  for (int k = 0; k < 4; ++k) sum += mesh->x[3 * mesh->tets[4 * e + k] + axis] / 4;
  return sum;
}

/* -------------------------------------------------------------------------------------------------- uncovered nodes */

/* Of the uncovered nodes, those inside the plate and those in contact with it. */
static void count_uncovered(const scene *s, const ipg_contact *contact, const ipg_gid *uncovered,
                            int64_t uncovered_count, int64_t *inside, int64_t *touching) {
  int64_t count;
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  *inside = *touching = 0;
  for (int64_t i = 0; i < uncovered_count; ++i) {
    *inside += s->x[3 * find_node(&s->surface.surface, uncovered[i]) + 2] < 0;
    for (int64_t j = 0; j < count; ++j) *touching += pairs[j].node_gid == uncovered[i];
  }
}

/* A box deep in a plate loses its lowest layer. The nodes above that are inside the plate too: they are in no pair
 * until they have left, and in one when they enter again. */
static void test_uncovered_inside(void) {
  ipg_mesh meshes[] = {scene_box(-.2, -.2, .01, .2, .2, .41, 4, 4, 8, "box"),
                       scene_box(-1, -1, -.5, 1, 1, 0, 7, 7, 2, "plate")};
  const ipg_contact_config config = weak_contact();
  scene s;
  ipg_gid uncovered[25];
  int64_t uncovered_count = 0, inside, touching, step = 0;
  scene_make(&s, meshes, 2, 1);
  ipg_contact *contact = scene_contact(&s, &config);
  s.body_mass[1] = INFINITY;
  s.velocity[0][2] = -1;
  while (s.x[2] > -.08) CU_ASSERT_FATAL(scene_step(&s, contact, .004, ++step));
  bool *dead = calloc((size_t)s.mesh.element_count, sizeof *dead);
  for (int64_t e = 0; e < s.mesh.blocks[0].count; ++e) dead[e] = middle_of_element(&s.mesh, e, 2) < .06;
  ipg_mesh_surface remaining = remaining_surface(&s.mesh, dead, s.masses);
  for (int64_t i = 0; i < remaining.surface.node_count; ++i)
    if (find_node(&s.surface.surface, remaining.surface.node_gids[i]) < 0)
      uncovered[uncovered_count++] = remaining.surface.node_gids[i];
  scene_update_surface(&s, contact, remaining, (double[]){0, 0, s.x[2] - s.mesh.x[2]});
  set_bodies(&s);
  s.body_mass[1] = INFINITY;
  CU_ASSERT_EQUAL(uncovered_count, 9);
  for (inside = 9; inside; ++step) {
    count_uncovered(&s, contact, uncovered, uncovered_count, &inside, &touching);
    CU_ASSERT(!touching && step < 200);
    s.velocity[0][2] = 1;
    CU_ASSERT_FATAL(scene_step(&s, contact, .004, step + 1));
  }
  s.velocity[0][2] = -1;
  for (; inside < 9; ++step) {
    CU_ASSERT_FATAL(scene_step(&s, contact, .004, step + 1));
    count_uncovered(&s, contact, uncovered, uncovered_count, &inside, &touching);
    CU_ASSERT(touching == inside && step < 400);
  }
  ipg_contact_destroy(&contact);
  scene_free(&s);
  free(dead);
}

/* Thick surfaces press from outside of the faces, and go on where the faces beside are gone. */
static void test_thick_neighbour(void) {
  const double thicknesses[] = {.1, .1};
  ipg_contact_config config = ipg_contact_defaults();
  ipg_error error = {0};
  config.thicknesses = thicknesses, config.thickness_count = 2;
  ipg_mesh meshes[] = {scene_box(-1, -.5, -1, 1, .5, 0, 2, 1, 1, "plate"),
                       scene_box(.1, -.1, .25, .3, .1, .45, 1, 1, 1, "pin")};
  scene s;
  scene_make(&s, meshes, 2, 1);
  double *stiffnesses = malloc((size_t)s.surface.surface.face_count * sizeof *stiffnesses);
  for (int64_t f = 0; f < s.surface.surface.face_count; ++f) stiffnesses[f] = 1;
  s.surface.surface.face_stiffnesses = stiffnesses;
  s.body_mass[0] = s.body_mass[1] = 1e30; /* moves as prescribed */
  s.velocity[1][2] = -.1;
  ipg_contact *contact = scene_contact(&s, &config);
  CU_ASSERT_FATAL(scene_step(&s, contact, 1, 1));
  const double before = force_on_body(&s, 1);
  bool *dead = calloc((size_t)s.mesh.element_count, sizeof *dead);
  for (int64_t e = 0; e < s.mesh.blocks[0].count; ++e) dead[e] = middle_of_element(&s.mesh, e, 0) < 0;
  ipg_mesh_surface remaining = remaining_surface(&s.mesh, dead, s.masses);
  CU_ASSERT_FATAL(remaining.surface.face_count < s.surface.surface.face_count);
  remaining.surface.face_stiffnesses = stiffnesses;
  scene_update_surface(&s, contact, remaining, (double[]){0, 0, 0});
  set_bodies(&s);
  CU_ASSERT_FATAL(!evaluate_after(contact, 1, s.x, NULL, s.force, &error));
  CU_ASSERT(before > 0);
  CU_ASSERT_DOUBLE_EQUAL(force_on_body(&s, 1), before, 1e-12 * before);
  ipg_contact_destroy(&contact);
  scene_free(&s);
  free(dead), free(stiffnesses);
}

/* ------------------------------------------------------------------------------------------------ bodies that break */

/* A bar that has fallen onto a plate loses its middle. With `renumbered` its parts are bodies 0 and 1 and the plate is
 * body 2; else both parts are body 0, and the plate is body 1. */
typedef struct broken_bar {
  scene s;
  ipg_contact *contact;
  int64_t step;
} broken_bar;

static void bar_step(broken_bar *b) { CU_ASSERT_FATAL(scene_step(&b->s, b->contact, .01, ++b->step)); }

static void check_broken(const broken_bar *b, const ipg_contact_pair *old, int64_t old_count, bool renumbered) {
  const ipg_surface *s = &b->s.surface.surface;
  int64_t count, kept = 0, touched[3] = {0};
  const ipg_contact_pair *now = ipg_contact_pairs(b->contact, &count);
  for (int64_t i = 0; i < old_count; ++i) {
    int64_t j = 0;
    while (j < count && (now[j].node_gid != old[i].node_gid || !has_same_position(&now[j], &old[i]))) ++j;
    const bool left = find_node(s, old[i].node_gid) >= 0 && find_face(s, &old[i]) >= 0;
    CU_ASSERT_EQUAL(j < count, left);
    if (j == count) continue;
    CU_ASSERT(has_same_history(&now[j], &old[i]) && has_right_indices(s, &now[j]));
    CU_ASSERT_EQUAL(old[i].touched == 1, now[j].touched == (renumbered ? 2 : 1));
    touched[now[j].touched]++;
    kept++;
  }
  CU_ASSERT(kept == count && kept < old_count && touched[0] > 2 && touched[1] > 2);
  for (int64_t j = 1; j < count; ++j) CU_ASSERT(contact_order(&now[j - 1], &now[j]) < 0);
}

static void bar_make(broken_bar *b, bool renumbered) {
  ipg_mesh meshes[] = {scene_box(-1, -.2, .005, 1, .2, .4, 9, 2, 2, "bar"),
                       scene_box(-1.5, -.5, -.3, 1.5, .5, 0, 12, 3, 1, "plate")};
  ipg_contact_config config = ipg_contact_defaults();
  config.reference_step = .02, config.law = (ipg_contact_law){.3, .3, 0, .1};
  scene_make(&b->s, meshes, 2, 1);
  b->step = 0, b->contact = scene_contact(&b->s, &config);
  b->s.velocity[0][0] = .1, b->s.velocity[0][2] = -.3;
  for (int i = 0; i < 5; ++i) bar_step(b);
  bool *dead = calloc((size_t)b->s.mesh.element_count, sizeof *dead);
  for (int64_t e = 0; e < b->s.mesh.blocks[0].count; ++e) dead[e] = fabs(middle_of_element(&b->s.mesh, e, 0)) < 1. / 9;
  ipg_mesh_surface remaining = remaining_surface(&b->s.mesh, dead, b->s.masses);
  int32_t *bodies = malloc((size_t)remaining.surface.face_count * sizeof *bodies);
  memcpy(bodies, remaining.surface.face_bodies, (size_t)remaining.surface.face_count * sizeof *bodies);
  const int32_t *renumbered_bodies = remaining.surface.face_bodies;
  for (int64_t f = 0; !renumbered && f < remaining.surface.face_count; ++f) bodies[f] = bodies[f] == 2;
  remaining.surface.face_bodies = bodies;
  int64_t old_count;
  ipg_contact_pair *old = copy_pairs(b->contact, &old_count);
  scene_update_surface(&b->s, b->contact, remaining,
                       (double[]){b->s.x[0] - b->s.mesh.x[0], b->s.x[1] - b->s.mesh.x[1], b->s.x[2] - b->s.mesh.x[2]});
  check_broken(b, old, old_count, renumbered);
  b->s.surface.surface.face_bodies = renumbered_bodies;
  set_bodies(&b->s);
  free(dead), free(bodies), free(old);
}

/* The parts move towards each other along the plate. */
static void set_opposite_velocities(broken_bar *b) {
  const double velocity[3][3] = {{.6, 0, 0}, {-.6, 0, 0}, {0, 0, 0}};
  memcpy(b->s.velocity, velocity, sizeof velocity);
}

static void test_break(void) {
  broken_bar one, other;
  bar_make(&one, true), bar_make(&other, false);
  set_opposite_velocities(&one), set_opposite_velocities(&other);
  double closest = INFINITY;
  int64_t between = 0;
  while (one.step < 60) {
    int64_t count;
    bar_step(&one), bar_step(&other);
    CU_ASSERT(is_same_force(&one.s, &other.s));
    check_momentum(&one.s);
    const ipg_contact_pair *pairs = ipg_contact_pairs(one.contact, &count);
    for (int64_t i = 0; i < count; ++i) between += one.s.body_of_node[pairs[i].owner] + pairs[i].touched == 1;
    closest = fmin(closest, one.s.velocity[0][0] - one.s.velocity[1][0]);
  }
  CU_ASSERT(between > 10 && closest < -.5);
  ipg_contact_destroy(&one.contact), ipg_contact_destroy(&other.contact);
  scene_free(&one.s), scene_free(&other.s);
}

/* Two bodies with an initial penetration move down onto a plate; some of its nodes are in contact with both. */
static ipg_contact *make_overlapping_bodies(scene *s) {
  ipg_mesh meshes[] = {scene_box(-.5, -.2, .005, .1, .2, .4, 2, 2, 2, "left"),
                       scene_box(-.1, -.2, .005, .5, .2, .4, 2, 2, 2, "right"),
                       scene_box(-1, -.5, -.3, 1, .5, 0, 10, 5, 1, "plate")};
  scene_make(s, meshes, 3, 1);
  ipg_contact *contact = scene_contact(s, NULL);
  s->velocity[0][2] = s->velocity[1][2] = -.3;
  for (int step = 1; step <= 5; ++step) CU_ASSERT_FATAL(scene_step(s, contact, .01, step));
  return contact;
}

static int32_t *renumber_bodies(ipg_surface *surface, const int32_t numbers[3]) {
  int32_t *bodies = malloc((size_t)surface->face_count * sizeof *bodies);
  for (int64_t f = 0; f < surface->face_count; ++f) bodies[f] = numbers[surface->face_bodies[f]];
  surface->face_bodies = bodies;
  return bodies;
}

/* Bodies are renumbered: the contacts of a node come in the other order. */
static void test_other_numbers(void) {
  scene s;
  ipg_contact *contact = make_overlapping_bodies(&s);
  ipg_surface surface = s.surface.surface;
  int32_t *bodies = renumber_bodies(&surface, (int32_t[]){2, 1, 0});
  int64_t old_count, count, turned = 0;
  ipg_contact_pair *old = copy_pairs(contact, &old_count);
  update_surface(contact, &surface, s.x);
  const ipg_contact_pair *now = ipg_contact_pairs(contact, &count);
  CU_ASSERT_EQUAL_FATAL(count, old_count);
  for (int64_t i = 0; i < count; ++i) {
    const bool first = i + 1 < count && old[i].owner == old[i + 1].owner;
    const bool second = i && old[i].owner == old[i - 1].owner;
    const ipg_contact_pair *same = &now[first ? i + 1 : second ? i - 1 : i];
    CU_ASSERT(has_same_position(same, &old[i]) && has_same_history(same, &old[i]) && has_right_indices(&surface, same));
    turned += first;
  }
  CU_ASSERT(turned > 0);
  ipg_contact_destroy(&contact);
  scene_free(&s);
  free(old), free(bodies);
}

/* Two bodies become one: a node in contact with both keeps the first contact, and the second is deactivated. */
static void test_merge(void) {
  scene s;
  ipg_contact *contact = make_overlapping_bodies(&s);
  ipg_surface surface = s.surface.surface;
  int32_t *bodies = renumber_bodies(&surface, (int32_t[]){0, 0, 1});
  int64_t old_count, count, j = 0, twice = 0;
  ipg_contact_pair *old = copy_pairs(contact, &old_count);
  const ipg_contact_energy_balance before = ipg_contact_get_energy_balance(contact);
  update_surface(contact, &surface, s.x);
  const ipg_contact_pair *now = ipg_contact_pairs(contact, &count);
  for (int64_t i = 0; i < old_count; ++i) {
    const bool second = i && old[i].owner == old[i - 1].owner;
    twice += second;
    if (!second)
      CU_ASSERT_FATAL(j < count && has_same_position(&now[j], &old[i]) && has_right_indices(&surface, &now[j]));
    j += !second;
  }
  const ipg_contact_energy_balance after = ipg_contact_get_energy_balance(contact);
  CU_ASSERT(twice > 0 && j == count && after.deactivations == before.deactivations + twice);
  CU_ASSERT_DOUBLE_EQUAL(after.contact_energy + after.spring_net_loss, before.contact_energy + before.spring_net_loss,
                         1e-12 * before.contact_energy);
  CU_ASSERT_FATAL(scene_step(&s, contact, .01, 6));
  ipg_contact_destroy(&contact);
  scene_free(&s);
  free(old), free(bodies);
}

/* The same faces, listed from another corner: the weights of the contacts are those of the new order. */
static void test_rotated_corners(void) {
  scene s;
  ipg_contact *contact = make_overlapping_bodies(&s);
  ipg_surface surface = s.surface.surface;
  int64_t old_count, count;
  ipg_contact_pair *old = copy_pairs(contact, &old_count);
  ipg_id *faces = malloc(3 * (size_t)surface.face_count * sizeof *faces);
  for (int64_t i = 0; i < 3 * surface.face_count; ++i) faces[i] = surface.faces[i % 3 == 2 ? i - 2 : i + 1];
  surface.faces = faces;
  update_surface(contact, &surface, s.x);
  const ipg_contact_pair *now = ipg_contact_pairs(contact, &count);
  CU_ASSERT_EQUAL_FATAL(count, old_count);
  for (int64_t i = 0; i < count; ++i) {
    CU_ASSERT(has_right_indices(&surface, &now[i]) && has_same_history(&now[i], &old[i]));
    CU_ASSERT_DOUBLE_EQUAL(now[i].gap, old[i].gap, 1e-14);
  }
  ipg_contact_destroy(&contact);
  scene_free(&s);
  free(old), free(faces);
}

/* ------------------------------------------------------------------------------------------------ hand-made surfaces
 */

/* A body with a fold: a floor of two triangles and a flap of two over it, folded along the line of nodes 1 and 2; nodes
 * 3 and 4 are those of the floor, 5 and 6 those of the flap. Node 5 is over the middle of the floor's diagonal. Below
 * the floor the body goes on to node 7, over the flap to node 8. */
static const ipg_id crease_faces[] = {0, 2, 3, 2, 0, 6, 3, 2, 6, 0, 3, 1, 0, 1, 4, 1, 5, 4,
                                      1, 3, 6, 5, 1, 7, 4, 5, 7, 0, 4, 7, 0, 7, 6, 1, 6, 7};
enum { CREASE_FACES = 12, CREASE_DELETED = 3 };

static void put_crease(double x[24], double height) {
  const double at[24] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, .5, .5, height, .6, .9, .3, 3, -2, -1, -2, .5, 1};
  memcpy(x, at, sizeof at);
}

/* The tetrahedron of nodes 1, 3, 4 and 7 is gone; what is left has the face of 4, 1 and 7 instead, without node 3. */
static small_surface crease_after_deletion(void) {
  enum { LEFT = CREASE_FACES - CREASE_DELETED };
  ipg_id faces[3 * CREASE_FACES];
  memcpy(faces, crease_faces + 3 * CREASE_DELETED, 3 * LEFT * sizeof *faces);
  faces[3 * LEFT] = 3, faces[3 * LEFT + 1] = 0, faces[3 * LEFT + 2] = 6;
  small_surface s = small_surface_of(8, LEFT + 1, faces);
  for (int f = 0; f < s.face_count; ++f) s.elements[f] = f < LEFT ? 11 + CREASE_DELETED + f : 30;
  for (int i = 3; i < 8; ++i) s.gids[i - 1] = s.gids[i];
  s.node_count = 7;
  for (int k = 0; k < 3 * s.face_count; ++k) s.faces[k] -= s.faces[k] > 2;
  return s;
}

/* A node is tracked, and handed on, over faces next to which are its own: these are no faces to be in contact with. */
static void test_own_faces_nearby(void) {
  const ipg_contact_config config = weak_contact();
  const double heights[] = {-.02, -.02, -.02, -.021}, lean = 5 / sqrt(27); /* of the new face */
  const small_surface whole = small_surface_of(8, CREASE_FACES, crease_faces), rest = crease_after_deletion();
  const ipg_surface before = small_surface_view(&whole), after = small_surface_view(&rest);
  ipg_contact *contact = NULL;
  ipg_error error = {0};
  double x[24], force[24];
  int64_t count;
  put_crease(x, .05);
  CU_ASSERT_FATAL(!ipg_contact_create(&config, &before, x, &contact, &error));
  for (int step = 0; step < 4; ++step) {
    put_crease(x, heights[step]);
    if (step >= 2) memmove(x + 6, x + 9, 15 * sizeof *x);
    if (step == 2) update_surface(contact, &after, x);
    else {
      CU_ASSERT_FATAL(!evaluate_after(contact, 1, x, NULL, force, &error));
      CU_ASSERT_FATAL(!ipg_contact_accept(contact, step + 1, &error));
    }
    const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
    CU_ASSERT_EQUAL(count, 1);
    if (count != 1) break;
    CU_ASSERT(pairs[0].node_gid == 5 && pairs[0].element == (step < 2 ? 11 : 30));
    CU_ASSERT_DOUBLE_EQUAL(pairs[0].gap, (step < 2 ? 1 : lean) * heights[step], 1e-12);
  }
  ipg_contact_destroy(&contact);
}

/* Two edges that cross press on each other no more where either is gone: their energy is lost. */
static void test_edge_of_contact_is_gone(void) {
  for (int gone = 0; gone < 2; ++gone) {
    ipg_mesh meshes[] = {scene_ridge((double[]){0, 0, 0}, 0, 1, "lower"),
                         scene_ridge((double[]){0, 0, sqrt(2.) + .01}, 1.2, 1, "upper")};
    const ipg_contact_config config = weak_contact();
    scene s;
    ipg_error error = {0};
    scene_make(&s, meshes, 2, 1);
    s.velocity[1][2] = -1;
    ipg_contact *contact = scene_contact(&s, &config);
    CU_ASSERT_FATAL(scene_step(&s, contact, .02, 1));
    const double energy = ipg_contact_get_energy_balance(contact).contact_energy;
    CU_ASSERT(energy > 0 && force_on_body(&s, 1) > 0);
    bool *dead = calloc((size_t)s.mesh.element_count, sizeof *dead);
    for (int64_t e = 0; e < s.mesh.blocks[gone].count; ++e) dead[s.mesh.blocks[gone].first + e] = true;
    ipg_mesh_surface remaining = remaining_surface(&s.mesh, dead, s.masses);
    scene_update_surface(&s, contact, remaining, (double[]){0, 0, 0});
    const ipg_contact_energy_balance after = ipg_contact_get_energy_balance(contact);
    CU_ASSERT(after.contact_energy == 0 && after.spring_net_loss == energy);
    CU_ASSERT_FATAL(!evaluate_after(contact, .02, s.x, NULL, s.force, &error));
    for (int64_t i = 0; i < 3 * s.surface.surface.node_count; ++i) CU_ASSERT(s.force[i] == 0);
    ipg_contact_destroy(&contact);
    scene_free(&s);
    free(dead);
  }
}

/* The search margin keeps its width when a finely meshed body goes: half of the nodes of the coarse one then move up
 * and half of them down by more than that. */
static void test_margin_stays(void) {
  ipg_mesh meshes[] = {scene_box(0, 0, 0, 1, 1, 1, 1, 1, 1, "coarse"), scene_box(3, 0, 0, 4, 1, 1, 8, 8, 8, "fine")};
  const ipg_contact_config config = weak_contact();
  scene s;
  ipg_error error = {0};
  scene_make(&s, meshes, 2, 1);
  ipg_contact *contact = scene_contact(&s, &config);
  CU_ASSERT_FATAL(scene_step(&s, contact, 1, 1));
  bool *dead = calloc((size_t)s.mesh.element_count, sizeof *dead);
  for (int64_t e = 0; e < s.mesh.blocks[1].count; ++e) dead[s.mesh.blocks[1].first + e] = true;
  ipg_mesh_surface remaining = remaining_surface(&s.mesh, dead, s.masses);
  scene_update_surface(&s, contact, remaining, (double[]){0, 0, 0});
  CU_ASSERT_FATAL(!evaluate_after(contact, 1, s.x, NULL, s.force, &error));
  const int64_t searches = ipg_contact_get_counters(contact).searches;
  for (int64_t n = 0; n < 3 * s.surface.surface.node_count; ++n)
    s.trial[n] = s.x[n] + (n % 3 == 2 ? (n / 3 % 2 ? .1 : -.1) : 0);
  CU_ASSERT_FATAL(!evaluate_after(contact, 1, s.trial, NULL, s.force, &error));
  CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).searches, searches + 1);
  ipg_contact_destroy(&contact);
  scene_free(&s);
  free(dead);
}

/* Two faces on a wall that moves, and only one after an update: nothing changes while nodes and wall move together, so
 * the force that is gone has no work but that of the wall. */
static void test_face_deleted_at_moving_wall(void) {
  const double velocity[3] = {.1, .2, .3};
  const ipg_contact_wall wall = {.point = {0, 0, 0}, .normal = {0, 0, 1}, .velocity = {.1, .2, .3}};
  const small_surface both = small_surface_of(4, 2, (ipg_id[]){0, 2, 1, 1, 2, 3});
  const small_surface one = small_surface_of(3, 1, (ipg_id[]){0, 2, 1});
  const ipg_surface before = small_surface_view(&both), after = small_surface_view(&one);
  ipg_contact_config config = ipg_contact_defaults();
  ipg_contact *contact = NULL;
  ipg_error error = {0};
  double x[12] = {0, 0, .1, 1, 0, .1, 0, 1, .1, 1, 1, .1}, force[12], loss[2];
  config.walls = &wall, config.wall_count = 1, config.reference_step = 1;
  CU_ASSERT_FATAL(!ipg_contact_create(&config, &before, x, &contact, &error));
  for (int step = 0; step < 2; ++step) {
    for (int i = 0; i < 12; ++i) x[i] += velocity[i % 3] - (!step && i % 3 == 2 ? .11 : 0);
    CU_ASSERT_FATAL(!evaluate_after(contact, 1, x, NULL, force, &error));
    CU_ASSERT_FATAL(!ipg_contact_accept(contact, step + 1, &error));
    CU_ASSERT(force[2] > 0 && force[5] > 0);
    if (!step) update_surface(contact, &after, x);
    loss[step] = ipg_contact_get_energy_balance(contact).spring_net_loss;
  }
  CU_ASSERT(loss[0] > 0);
  CU_ASSERT_DOUBLE_EQUAL(loss[1], loss[0], 1e-13 * loss[0]);
  ipg_contact_destroy(&contact);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"nothing deleted", test_nothing_deleted},
      {"a crater", test_crater},
      {"other workers, search margins, methods", test_other_settings},
      {"allocations that fail", test_failing_allocations},
      {"bad surfaces", test_bad_surfaces},
      {"whole bodies deleted", test_bodies_deleted},
      {"nodes uncovered inside", test_uncovered_inside},
      {"a thick neighbour", test_thick_neighbour},
      {"a body breaks", test_break},
      {"renumbered bodies", test_other_numbers},
      {"bodies merge", test_merge},
      {"own faces nearby", test_own_faces_nearby},
      {"an edge that crosses another is gone", test_edge_of_contact_is_gone},
      {"the search margin stays", test_margin_stays},
      {"a face deleted at a moving wall", test_face_deleted_at_moving_wall},
      {"faces listed from another corner", test_rotated_corners},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "update_surface", tests);
}
