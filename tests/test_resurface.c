/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Surfaces that change under contacts. What goes on and what ends is told by brute force: from numbers, and from the
 * tetrahedra that are left. */
#include "impinge/narrow.h"
#include "support/failing_allocator.h"
#include "support/open_energy.h"
#include "support/random_scenes.h"
#include "support/suite.h"

static void resurface(ipg_contact *contact, const ipg_surface *surface, const double *x) {
  ipg_error error = {0};
  CU_ASSERT_EQUAL_FATAL(ipg_contact_update_surface(contact, surface, x, &error), IPG_OK);
}

static bool is_same_ledger(const ipg_contact *a, const ipg_contact *b) {
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

/* Springs whose bodies turned inside out have no inside to ask for. */
static void check_audit(ipg_contact *contact, bool is_soft) {
  ipg_contact_audit_report report;
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_audit(contact, &report, &error));
  CU_ASSERT(!report.missed_candidates && !report.wrong_contacts && (is_soft || !report.nodes_inside));
  if (report.message[0] && !is_soft) printf("\n    audit: %s", report.message);
}

/* ------------------------------------------------------------------------------------------------- the same surface */

static void random_step(random_scene *w, ipg_contact *contact, int64_t step) {
  ipg_error error = {0};
  random_scene_predict(w);
  CU_ASSERT_FATAL(!ipg_contact_evaluate(contact, w->s.trial, NULL, w->dt, w->s.force, &error));
  CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
  random_scene_complete(w);
}

/* Two runs of one scene; in the second the surface is given anew, once in `every` steps. */
static int64_t run_beside(long number, int every, rng *r) {
  enum { STEPS = 110 };
  random_scene plain, anew;
  int64_t meanwhile = 0, count;
  random_scene_make(&plain, number, 1), random_scene_make(&anew, number, 1);
  ipg_contact_rule for_a_while = ipg_contact_rule_defaults();
  for_a_while.law = plain.config.law, for_a_while.from = 5.5 * plain.dt, for_a_while.until = 80.5 * plain.dt;
  if (number % 2) plain.config.rules = anew.config.rules = &for_a_while, plain.config.rule_count = 1;
  anew.config.rule_count = plain.config.rule_count;
  ipg_contact *one = scene_contact(&plain.s, &plain.config), *other = scene_contact(&anew.s, &anew.config);
  bool same = true;
  for (int64_t step = 1; same && step <= STEPS; ++step) {
    random_step(&plain, one, step), random_step(&anew, other, step);
    if (rng_int(r, 1, every) == 1) {
      resurface(other, &anew.s.surface.surface, anew.s.x);
      meanwhile += (ipg_contact_pairs(other, &count), count);
    }
    same = is_same_force(&plain.s, &anew.s) && is_same_ledger(one, other) && ipg_contact_last_step(other) == step &&
           ipg_contact_get_counters(other).evaluations == step;
    CU_ASSERT(same);
    if (!same) printf("\n    scene %ld parts in step %lld", number, (long long)step);
  }
  ipg_contact_destroy(&one), ipg_contact_destroy(&other);
  random_scene_free(&plain), random_scene_free(&anew);
  return meanwhile;
}

static void test_nothing_deleted(void) {
  rng r = rng_start(1);
  int64_t meanwhile = 0;
  for (long number = 0; number < (suite_is_quick() ? 12 : 120); ++number)
    meanwhile += run_beside(number, number % 3 ? 50 : 1, &r);
  printf("\n    %lld contacts went on ", (long long)meanwhile);
  CU_ASSERT(meanwhile > (suite_is_quick() ? 100 : 1000));
}

/* --------------------------------------------------------------------------------------------------------- a crater */

/* A ball flies into a box whose elements are deleted some at a time, most of them under contacts. Bodies are rigid and
 * do not turn, so that what is left of the box stays where it was; or joined by springs, so that everything moves. */
typedef struct crater {
  bool is_soft;
  scene s;
  spring_host h;        /* has the velocities of the rigid too */
  ipg_id *body_of_node; /* of mesh nodes */
  ipg_erosion *erosion;
  ipg_contact *contact;
  rng choices;
  bool *dead; /* per element */
  double dt, start;
  double freed; /* work of the forces on nodes that left the surface, in the half step after */
  int64_t step, kept, handed_on, ended;
} crater;

static void crater_make(crater *w, uint64_t number, const ipg_contact_config *asked) {
  const double dt = .008;
  ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 6, 6, 3, "box"), scene_ball(.07, .03, .52, .5, 4, "ball")};
  ipg_error error = {0};
  *w = (crater){.is_soft = number % 2, .choices = rng_start(number), .dt = dt};
  ipg_contact_config config = *asked;
  ipg_contact_rule from_first_step = ipg_contact_rule_defaults();
  config.penalty_scale = rng_between(&w->choices, .1, 1);
  config.law = (ipg_contact_law){.5, rng_between(&w->choices, 0, .5), 2, rng_between(&w->choices, 0, .5)};
  from_first_step.law = config.law, from_first_step.from = .5 * dt;
  if (!config.rule_count) config.rules = &from_first_step, config.rule_count = 1;
  scene_make(&w->s, meshes, 2, 1);
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
  free(w->dead), free(w->body_of_node);
}

/* What the mesh is without its dead elements; nodes stay. */
static ipg_mesh rest_of_mesh(const ipg_mesh *mesh, const bool *dead) {
  ipg_mesh rest = *mesh;
  rest.element_count = 0;
  rest.tets = malloc(4 * (size_t)mesh->element_count * sizeof(ipg_id) + 1);
  rest.element_gids = malloc((size_t)mesh->element_count * sizeof(ipg_gid) + 1);
  rest.blocks = malloc((size_t)mesh->block_count * sizeof(ipg_block));
  memcpy(rest.blocks, mesh->blocks, (size_t)mesh->block_count * sizeof(ipg_block));
  for (int b = 0; b < mesh->block_count; ++b) {
    rest.blocks[b].first = rest.element_count;
    for (int64_t e = mesh->blocks[b].first; e < mesh->blocks[b].first + mesh->blocks[b].count; ++e) {
      if (dead[e]) continue;
      memcpy(rest.tets + 4 * rest.element_count, mesh->tets + 4 * e, 4 * sizeof(ipg_id));
      rest.element_gids[rest.element_count++] = mesh->element_gids[e];
    }
    rest.blocks[b].count = rest.element_count - rest.blocks[b].first;
  }
  return rest;
}

/* The surface of what is left, with bodies counted anew. */
static ipg_mesh_surface surface_of_rest(const ipg_mesh *mesh, const bool *dead, const double *masses) {
  const ipg_tasks serial = ipg_tasks_serial();
  ipg_mesh rest = rest_of_mesh(mesh, dead);
  ipg_skin skin;
  ipg_mesh_surface surface;
  CU_ASSERT_FATAL(!ipg_skin_build(&rest, NULL, &serial, &skin, NULL));
  CU_ASSERT_FATAL(!ipg_mesh_surface_build(&rest, &skin, masses, NULL, &surface, NULL));
  ipg_skin_destroy(&skin);
  free(rest.tets), free(rest.element_gids), free(rest.blocks);
  return surface;
}

static bool is_same_array(const void *a, const void *b, int64_t count, size_t item_bytes) {
  return !count || !memcmp(a, b, (size_t)count * item_bytes);
}

/* But for the numbers of bodies. */
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

/* ----------------------------------------------------------------------------------- what must have become of contacts
 */

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

/* Is the place inside a tetrahedron of the body that is left? 1: yes, -1: no, 0: too near a side to tell. */
static int is_in_rest(const crater *w, const double *p, ipg_id body) {
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

static double distance_to_rest(const ipg_surface *s, const double *x, ipg_id node, int32_t body) {
  double nearest = INFINITY;
  for (int64_t f = 0; f < s->face_count; ++f) {
    const ipg_id *corner = s->faces + 3 * f;
    double w[3], foot[3] = {0, 0, 0};
    if (s->face_bodies[f] != body) continue;
    ipg_closest_on_triangle(x + 3 * node, x + 3 * corner[0], x + 3 * corner[1], x + 3 * corner[2], w);
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) foot[k] += w[i] * x[3 * corner[i] + k];
    nearest = fmin(nearest, distance(foot, x + 3 * node));
  }
  return nearest;
}

static bool has_same_memory(const ipg_contact_pair *a, const ipg_contact_pair *b) {
  return a->stiffness == b->stiffness && a->stiffness_dt2 == b->stiffness_dt2 && a->node_gid == b->node_gid &&
         !memcmp(a->tangential_slip, b->tangential_slip, sizeof a->tangential_slip);
}

static bool has_same_place(const ipg_contact_pair *a, const ipg_contact_pair *b) {
  return a->element == b->element && a->side == b->side && a->sub == b->sub && a->gap == b->gap &&
         !memcmp(a->normal, b->normal, sizeof a->normal) && !memcmp(a->weights, b->weights, sizeof a->weights) &&
         !memcmp(a->force, b->force, sizeof a->force) && a->normal_force == b->normal_force;
}

static double energy_of(const ipg_contact_pair *pair) {
  return .5 * pair->stiffness * (pair->gap * pair->gap + dot(pair->tangential_slip, pair->tangential_slip));
}

/* Indices of the pair mean what they say. */
static bool is_at_home(const ipg_surface *s, const ipg_contact_pair *pair) {
  return pair->owner == pair->nodes[0] && s->node_gids[pair->owner] == pair->node_gid &&
         pair->face == find_face(s, pair) && pair->touched == s->face_bodies[pair->face] &&
         !memcmp(pair->nodes + 1, s->faces + 3 * (int64_t)pair->face, 3 * sizeof(ipg_id));
}

/* From the node to its foot. */
static double depth_of(const ipg_contact_pair *pair, const double *x) {
  double to[3] = {0, 0, 0};
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) to[k] += pair->weights[i] * x[3 * pair->nodes[i] + k];
  return length_of(to);
}

static bool is_at_border(const ipg_contact_pair *pair) {
  return pair->weights[1] >= 0 || pair->weights[2] >= 0 || pair->weights[3] >= 0;
}

/* Who is inside what is left is handed on, and the way out is no longer than it was. So is who is a little beside an
 * edge of it, as where a contact slides off. */
static void check_deleted_under(crater *w, const ipg_surface *s, const double *x, const ipg_contact_pair *old,
                                const ipg_contact_pair *now) {
  const ipg_id node = find_node(s, old->node_gid);
  const int in_rest = is_in_rest(w, x + 3 * node, old->touched);
  const double depth = distance_to_rest(s, x, node, old->touched);
  w->handed_on += now != NULL, w->ended += !now;
  if (in_rest > 0 && !w->is_soft) CU_ASSERT_PTR_NOT_NULL(now);
  if (!now) return;
  CU_ASSERT(has_same_memory(old, now) && now->gap >= old->gap * (1 + 1e-9));
  CU_ASSERT_DOUBLE_EQUAL(depth_of(now, x), -(now->gap + now->initial_offset), 1e-12);
  if (!w->is_soft && !is_at_border(now)) CU_ASSERT(-(now->gap + now->initial_offset) >= depth - 1e-12 && in_rest >= 0);
  for (int k = 0; k < 3; ++k)
    CU_ASSERT_DOUBLE_EQUAL(now->force[k], -now->stiffness * (now->gap * now->normal[k] + now->tangential_slip[k]),
                           1e-12 * w->start / w->dt);
}

static void check_kept(crater *w, const ipg_contact_pair *old, const ipg_contact_pair *now) {
  CU_ASSERT(now && has_same_place(now, old) && has_same_memory(now, old));
  w->kept++;
}

static void check_ended(crater *w, const ipg_contact_pair *now) {
  CU_ASSERT(!now);
  w->ended++;
}

/* Bodies keep their numbers here, so the order is the same. */
static void check_carried(crater *w, const ipg_mesh_surface *fresh, const double *x, const ipg_contact_pair *old,
                          int64_t old_count, const ipg_contact_energy_balance *before) {
  const ipg_surface *s = &fresh->surface;
  const ipg_contact_energy_balance after = ipg_contact_get_energy_balance(w->contact);
  int64_t count, j = 0;
  const ipg_contact_pair *now = ipg_contact_pairs(w->contact, &count);
  double stored = 0, released = before->spring_net_loss;
  for (int64_t i = 0; i < old_count; ++i) {
    const bool there = j < count && now[j].node_gid == old[i].node_gid && now[j].touched == old[i].touched;
    const ipg_contact_pair *same = there ? &now[j++] : NULL;
    const bool node_left = find_node(s, old[i].node_gid) >= 0, face_left = find_face(s, &old[i]) >= 0;
    if (same) { CU_ASSERT(is_at_home(s, same)); }
    if (node_left && face_left) check_kept(w, &old[i], same);
    else if (node_left) check_deleted_under(w, s, x, &old[i], same);
    else check_ended(w, same);
    if (same) stored += energy_of(same);
    released += energy_of(&old[i]) - (same ? energy_of(same) : 0);
  }
  CU_ASSERT_EQUAL(j, count);
  CU_ASSERT(after.contact_work == before->contact_work && after.friction_dissipation == before->friction_dissipation &&
            after.damping_dissipation == before->damping_dissipation);
  CU_ASSERT(fabs(after.contact_energy - stored) + fabs(after.spring_net_loss - released) <= 1e-13 * w->start);
  CU_ASSERT(after.activations == before->activations && after.activations - after.deactivations == count);
}

/* ------------------------------------------------------------------------------------------------ elements are deleted
 */

static int64_t element_of(const ipg_mesh *mesh, ipg_gid gid) {
  int64_t e = 0;
  while (mesh->element_gids[e] != gid) ++e;
  return e;
}

static void doom(crater *w, int64_t element, ipg_id *list, int64_t *count) {
  if (w->dead[element]) return;
  w->dead[element] = true;
  list[(*count)++] = (ipg_id)element;
}

/* Some of those in contact, and some anywhere in the box. A rigid ball, which is deep in the box, keeps all of its own:
 * what is freed in there has no contact. */
static int64_t choose_elements(crater *w, ipg_id *list) {
  int64_t count = 0, pair_count;
  const ipg_contact_pair *pairs = ipg_contact_pairs(w->contact, &pair_count);
  for (int64_t i = 0; i < pair_count; ++i)
    if (rng_int(&w->choices, 0, 7) == 0 && (w->is_soft || pairs[i].touched == 0))
      doom(w, element_of(&w->s.mesh, pairs[i].element), list, &count);
  for (int i = rng_int(&w->choices, 0, 3); i > 0; --i)
    doom(w, rng_int(&w->choices, 0, (int)w->s.mesh.blocks[0].count - 1), list, &count);
  return count;
}

/* The scene's arrays for the new surface. Forces that have gone with their nodes have half a step to go. */
static void move_in(crater *w, ipg_mesh_surface fresh, double *x) {
  const ipg_mesh_surface old = w->s.surface;
  const size_t values = 3 * (size_t)fresh.surface.node_count;
  double *force = calloc(values, sizeof *force);
  for (int64_t i = 0; i < old.surface.node_count; ++i) {
    const ipg_id node = find_node(&fresh.surface, old.surface.node_gids[i]);
    const double *f = w->s.force + 3 * i, *v = w->h.velocity + 3 * (int64_t)old.mesh_nodes[i];
    if (node >= 0) memcpy(force + 3 * (int64_t)node, f, 3 * sizeof *f);
    else w->freed += .5 * w->dt * dot(f, v);
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
  ipg_mesh_surface rest = surface_of_rest(&w->s.mesh, w->dead, w->s.masses);
  CU_ASSERT(is_same_surface(&fresh.surface, &rest.surface));
  double *x = malloc(3 * (size_t)fresh.surface.node_count * sizeof *x);
  ipg_mesh_surface_gather(&fresh, w->s.mesh.x, x);
  ipg_contact_pair *old = copy_pairs(w->contact, &old_count);
  const ipg_contact_energy_balance before = ipg_contact_get_energy_balance(w->contact);
  resurface(w->contact, &fresh.surface, x);
  check_carried(w, &fresh, x, old, old_count, &before);
  move_in(w, fresh, x);
  ipg_mesh_surface_destroy(&rest);
  free(old);
}

static void crater_erode(crater *w) {
  ipg_id *list = malloc((size_t)w->s.mesh.element_count * sizeof *list);
  crater_delete(w, list, choose_elements(w, list));
  free(list);
}

/* ----------------------------------------------------------------------------------------------- a step in the crater
 */

static void check_momentum(const scene *s) {
  double sum[3] = {0}, size = 0;
  for (int64_t i = 0; i < 3 * s->surface.surface.node_count; ++i) sum[i % 3] += s->force[i], size += fabs(s->force[i]);
  for (int k = 0; k < 3; ++k) CU_ASSERT(fabs(sum[k]) <= 1e-12 * size);
}

/* The forces of the last step do half of their work in this one, also those of contacts that have ended in between. */
static double work_of_ended(const scene *s, const double *applied, const ipg_contact_pair *pairs, int64_t count) {
  double work = 0;
  for (int64_t i = 0; i < 3 * s->surface.surface.node_count; ++i) work += .5 * applied[i] * (s->trial[i] - s->x[i]);
  for (int64_t i = 0; i < count; ++i) {
    double motion[3];
    motion_of(s, &pairs[i], motion);
    work -= .5 * dot(pairs[i].force, motion);
  }
  return work;
}

static void check_energy(const crater *w, const ipg_contact_energy_balance *before, const double *applied,
                         const ipg_contact_pair *old, int64_t old_count) {
  int64_t count;
  const ipg_contact_pair *now = ipg_contact_pairs(w->contact, &count);
  const ipg_contact_energy_balance after = ipg_contact_get_energy_balance(w->contact);
  const double open = open_in_step(&w->s, old, old_count, now, count), rounding = 1e-12 * w->start;
  const double change = unbooked(&after) - unbooked(before) - work_of_ended(&w->s, applied, old, old_count);
  CU_ASSERT(fabs(change) <= open + rounding);
  if (fabs(change) > open + rounding)
    printf("\n    step %lld: %g stays open, %g may", (long long)w->step, change, open);
}

/* The sum of forces moves all nodes of a body alike. Kinetic energy as spring_host.h has it. */
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

static void crater_step(crater *w) {
  const size_t bytes = 3 * (size_t)w->s.surface.surface.node_count * sizeof(double);
  ipg_error error = {0};
  int64_t old_count;
  ipg_contact_pair *old = copy_pairs(w->contact, &old_count);
  double *applied = malloc(bytes);
  memcpy(applied, w->s.force, bytes);
  const ipg_contact_energy_balance before = ipg_contact_get_energy_balance(w->contact);
  spring_host_predict(&w->h, &w->s, w->dt);
  CU_ASSERT_FATAL(!ipg_contact_evaluate(w->contact, w->s.trial, NULL, w->dt, w->s.force, &error));
  check_momentum(&w->s);
  if (w->step % 24 == 0) check_audit(w->contact, w->is_soft);
  CU_ASSERT_FATAL(!ipg_contact_accept(w->contact, ++w->step, &error));
  check_energy(w, &before, applied, old, old_count);
  if (w->is_soft) spring_host_complete(&w->h, &w->s, w->dt);
  else rigid_complete(w);
  const double has = w->h.kinetic - w->h.work, work = ipg_contact_get_energy_balance(w->contact).contact_work;
  CU_ASSERT(fabs(has - w->start - work - w->freed) <= 1e-10 * w->start);
  free(applied), free(old);
}

static void crater_run(crater *w, uint64_t number, const ipg_contact_config *asked) {
  crater_make(w, number, asked);
  while (w->step < 160) {
    crater_step(w);
    if (w->step % 6 == 0) crater_erode(w);
  }
}

static void test_crater(void) {
  const ipg_contact_config config = ipg_contact_defaults();
  int64_t kept = 0, handed_on = 0, ended = 0;
  for (uint64_t number = 0; number < (suite_is_quick() ? 2 : 12); ++number) {
    crater w;
    crater_run(&w, number, &config);
    kept += w.kept, handed_on += w.handed_on, ended += w.ended;
    crater_free(&w);
  }
  printf("\n    contacts: %lld kept, %lld handed on, %lld ended ", (long long)kept, (long long)handed_on,
         (long long)ended);
  CU_ASSERT(kept > 100 && handed_on > 3 && ended > 20);
}

/* ------------------------------------------------------------------------------------------------------ other ways
 */

static bool is_same_crater(const crater *a, const crater *b) {
  const size_t bytes = 3 * (size_t)a->s.mesh.node_count * sizeof(double);
  return is_same_surface(&a->s.surface.surface, &b->s.surface.surface) && is_same_force(&a->s, &b->s) &&
         !memcmp(a->s.mesh.x, b->s.mesh.x, bytes) && is_same_ledger(a->contact, b->contact);
}

static void test_other_ways(void) {
  static const struct {
    int workers;
    double skin;
    const char *method;
  } ways[] = {{2, .2, "lkdtree_packed"}, {4, .05, "lkdtree_packed"}, {3, 0, "brute_force"}};
  const ipg_contact_config config = ipg_contact_defaults();
  for (uint64_t number = 0; number < 2; ++number) {
    crater plain;
    crater_run(&plain, number, &config);
    for (int i = 0; i < 3; ++i) {
      crater other;
      ipg_pool *pool = NULL;
      ipg_contact_config otherwise = config;
      CU_ASSERT_FATAL(!ipg_pool_create(ways[i].workers, &pool, NULL));
      otherwise.tasks = ipg_pool_tasks(pool), otherwise.search_margin = ways[i].skin,
      otherwise.search_method = ways[i].method;
      crater_run(&other, number, &otherwise);
      CU_ASSERT(is_same_crater(&plain, &other));
      crater_free(&other);
      ipg_pool_destroy(&pool);
    }
    crater_free(&plain);
  }
}

/* ---------------------------------------------------------------------------------------------------------- refusals
 */

/* Two craters alike, in the middle of the hit; the surface after a deletion that has not been told to either. */
typedef struct trial_of_nerves {
  crater tried, left_alone;
  ipg_mesh_surface next;
  double *x;
} trial_of_nerves;

static void nerves_make(trial_of_nerves *t, const ipg_contact_config *config) {
  const ipg_contact_config defaults = ipg_contact_defaults();
  crater_make(&t->tried, 1, config), crater_make(&t->left_alone, 1, &defaults);
  while (t->tried.step < 50) crater_step(&t->tried), crater_step(&t->left_alone);
  CU_ASSERT_FATAL(ipg_contact_get_counters(t->tried.contact).contacts > 5);
  bool *dead = calloc((size_t)t->tried.s.mesh.element_count, sizeof *dead);
  for (int i = 0; i < 200; ++i) dead[3 * i] = true;
  t->next = surface_of_rest(&t->tried.s.mesh, dead, t->tried.s.masses);
  t->x = malloc(3 * (size_t)t->next.surface.node_count * sizeof *t->x);
  ipg_mesh_surface_gather(&t->next, t->tried.s.mesh.x, t->x);
  free(dead);
}

/* What was refused has left no trace. */
static void nerves_end(trial_of_nerves *t) {
  while (t->tried.step < 100) {
    crater_step(&t->tried), crater_step(&t->left_alone);
    CU_ASSERT(is_same_crater(&t->tried, &t->left_alone));
    if (t->tried.step % 10 == 0) crater_erode(&t->tried), crater_erode(&t->left_alone);
  }
  crater_free(&t->tried), crater_free(&t->left_alone);
  ipg_mesh_surface_destroy(&t->next);
  free(t->x);
}

static void test_no_memory(void) {
  failing_allocator allocator = {0};
  ipg_contact_config config = ipg_contact_defaults();
  trial_of_nerves t;
  config.allocator = failing_allocator_of(&allocator);
  nerves_make(&t, &config);
  allocator.allocations = 0;
  resurface(t.tried.contact, &t.tried.s.surface.surface, t.tried.s.x); /* changes nothing */
  const int64_t all = allocator.allocations, blocks = allocator.live_blocks, bytes = allocator.live_bytes;
  for (int64_t n = 1; n <= all; ++n) {
    ipg_error error = {0};
    allocator.allocations = 0, allocator.fail_at = n;
    CU_ASSERT_EQUAL(ipg_contact_update_surface(t.tried.contact, &t.next.surface, t.x, &error), IPG_ERROR_MEMORY);
    CU_ASSERT(strlen(error.message) > 10 && allocator.live_blocks == blocks && allocator.live_bytes == bytes);
  }
  allocator.fail_at = 0;
  CU_ASSERT(all > 20);
  nerves_end(&t);
  CU_ASSERT(!allocator.live_blocks && !allocator.live_bytes && !allocator.wrong_releases);
}

static void check_refused(trial_of_nerves *t, const ipg_surface *surface, const double *x, ipg_status status,
                          const char *says) {
  ipg_error error = {0};
  CU_ASSERT_EQUAL(ipg_contact_update_surface(t->tried.contact, surface, x, &error), status);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, says));
  if (!strstr(error.message, says)) printf("\n    says: %s", error.message);
}

static void test_bad_surfaces(void) {
  const ipg_contact_config config = ipg_contact_defaults();
  trial_of_nerves t;
  nerves_make(&t, &config);
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
  s = t.next.surface, t.x[10] += 1e-12;
  check_refused(&t, &s, t.x, IPG_ERROR_ARGUMENT, "is not where it was accepted last");
  t.x[10] = NAN;
  check_refused(&t, &s, t.x, IPG_ERROR_NUMBER, "not finite");
  free(gids), free(corners);
  nerves_end(&t);
}

/* -------------------------------------------------------------------------------------------------- nothing is left */

static ipg_contact_rule rules[2];

/* Rules outlive the blocks that they name. */
static ipg_contact_config config_with_rules(void) {
  ipg_contact_config config = ipg_contact_defaults();
  rules[0] = rules[1] = ipg_contact_rule_defaults();
  rules[0].blocks[0] = 0, rules[0].blocks[1] = 1, rules[0].law.friction_static = .3;
  rules[1].blocks[0] = rules[1].blocks[1] = 1, rules[1].off = true;
  config.rules = rules, config.rule_count = 2;
  return config;
}

static void go_on_alone(crater *w) {
  const ipg_contact_energy_balance before = ipg_contact_get_energy_balance(w->contact);
  int64_t count;
  for (int i = 0; i < 3; ++i) crater_step(w);
  (void)ipg_contact_pairs(w->contact, &count);
  const ipg_contact_energy_balance after = ipg_contact_get_energy_balance(w->contact);
  CU_ASSERT(!count && after.activations == before.activations && after.deactivations == after.activations &&
            !after.contact_energy);
  CU_ASSERT(ipg_contact_stable_step(w->contact) == INFINITY);
}

static void delete_all_of(crater *w, int block) {
  const ipg_block *b = &w->s.mesh.blocks[block];
  ipg_id *list = malloc((size_t)b->count * sizeof *list);
  int64_t count = 0;
  for (int64_t e = b->first; e < b->first + b->count; ++e) doom(w, e, list, &count);
  crater_delete(w, list, count);
  free(list);
}

static void test_nothing_left(void) {
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
    go_on_alone(&w);
    delete_all_of(&w, 0);
    CU_ASSERT(!w.s.surface.surface.face_count && !w.s.surface.surface.node_count);
    go_on_alone(&w);
    crater_free(&w);
  }
}

/* ------------------------------------------------------------------------------------- rigid scenes, other surfaces
 */

/* Places of new nodes are those of the mesh, moved as far as the body's others. */
static void scene_resurface(scene *s, ipg_contact *contact, ipg_mesh_surface fresh, const double shift[3]) {
  const size_t values = 3 * (size_t)fresh.surface.node_count;
  double *x = malloc(values * sizeof *x);
  for (int64_t i = 0; i < fresh.surface.node_count; ++i) {
    const ipg_id before = find_node(&s->surface.surface, fresh.surface.node_gids[i]);
    for (int k = 0; k < 3; ++k)
      x[3 * i + k] = before >= 0 ? s->x[3 * before + k] : s->mesh.x[3 * (int64_t)fresh.mesh_nodes[i] + k] + shift[k];
  }
  resurface(contact, &fresh.surface, x);
  ipg_mesh_surface_destroy(&s->surface);
  free(s->x);
  s->surface = fresh, s->x = x;
  s->trial = realloc(s->trial, values * sizeof *x), s->force = realloc(s->force, values * sizeof *x);
}

/* As many as the surface says. */
static void take_bodies(scene *s) {
  const ipg_surface *surface = &s->surface.surface;
  s->body_of_node = realloc(s->body_of_node, (size_t)surface->node_count * sizeof *s->body_of_node);
  memset(s->body_mass, 0, sizeof s->body_mass);
  for (int64_t i = 0; i < 3 * surface->face_count; ++i)
    s->body_of_node[surface->faces[i]] = surface->face_bodies[i / 3];
  for (int64_t i = 0; i < surface->node_count; ++i) s->body_mass[s->body_of_node[i]] += surface->node_masses[i];
}

static double middle_of_element(const ipg_mesh *mesh, int64_t e, int axis) {
  double sum = 0;
  for (int k = 0; k < 4; ++k) sum += mesh->x[3 * mesh->tets[4 * e + k] + axis] / 4;
  return sum;
}

/* --------------------------------------------------------------------------------------------------- nodes set free
 */

/* Of the freed nodes, those inside the plate and those in contact with it. */
static void count_freed(const scene *s, const ipg_contact *contact, const ipg_gid *freed, int64_t freed_count,
                        int64_t *inside, int64_t *touching) {
  int64_t count;
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  *inside = *touching = 0;
  for (int64_t i = 0; i < freed_count; ++i) {
    *inside += s->x[3 * find_node(&s->surface.surface, freed[i]) + 2] < 0;
    for (int64_t j = 0; j < count; ++j) *touching += pairs[j].node_gid == freed[i];
  }
}

/* A box has gone deep into a plate when it loses its lowest layer. The nodes above that are inside the plate too: no
 * force until they have left, and all force when they come again. */
static void test_freed_inside(void) {
  ipg_mesh meshes[] = {scene_box(-.2, -.2, .01, .2, .2, .41, 4, 4, 8, "box"),
                       scene_box(-1, -1, -.5, 1, 1, 0, 7, 7, 2, "plate")};
  ipg_contact_config config = ipg_contact_defaults();
  config.penalty_scale = .01;
  scene s;
  ipg_gid freed[25];
  int64_t freed_count = 0, inside, touching, step = 0;
  scene_make(&s, meshes, 2, 1);
  ipg_contact *contact = scene_contact(&s, &config);
  s.body_mass[1] = INFINITY;
  s.velocity[0][2] = -1;
  while (s.x[2] > -.08) CU_ASSERT_FATAL(scene_step(&s, contact, .004, ++step));
  bool *dead = calloc((size_t)s.mesh.element_count, sizeof *dead);
  for (int64_t e = 0; e < s.mesh.blocks[0].count; ++e) dead[e] = middle_of_element(&s.mesh, e, 2) < .06;
  ipg_mesh_surface rest = surface_of_rest(&s.mesh, dead, s.masses);
  for (int64_t i = 0; i < rest.surface.node_count; ++i)
    if (find_node(&s.surface.surface, rest.surface.node_gids[i]) < 0) freed[freed_count++] = rest.surface.node_gids[i];
  scene_resurface(&s, contact, rest, (double[]){0, 0, s.x[2] - s.mesh.x[2]});
  take_bodies(&s);
  s.body_mass[1] = INFINITY;
  CU_ASSERT_EQUAL(freed_count, 9);
  for (inside = 9; inside; ++step) {
    count_freed(&s, contact, freed, freed_count, &inside, &touching);
    CU_ASSERT(!touching && step < 200);
    s.velocity[0][2] = 1;
    CU_ASSERT_FATAL(scene_step(&s, contact, .004, step + 1));
  }
  s.velocity[0][2] = -1;
  for (; inside < 9; ++step) {
    CU_ASSERT_FATAL(scene_step(&s, contact, .004, step + 1));
    count_freed(&s, contact, freed, freed_count, &inside, &touching);
    CU_ASSERT(touching == inside && step < 400);
  }
  ipg_contact_destroy(&contact);
  scene_free(&s);
  free(dead);
}

/* Thick surfaces: a node over the edge between a face that goes and one that stays is as near to what stays. */
static void test_thick_neighbour(void) {
  const double thicknesses[] = {.1, .1};
  ipg_contact_config config = ipg_contact_defaults();
  config.thicknesses = thicknesses, config.thickness_count = 2;
  ipg_mesh meshes[] = {scene_box(-1, -.5, -1, 1, .5, 0, 2, 1, 1, "plate"),
                       scene_box(0, -.1, .25, .2, .1, .45, 1, 1, 1, "pin")};
  scene s;
  scene_make(&s, meshes, 2, 1);
  s.body_mass[0] = s.body_mass[1] = 1e30; /* driven */
  s.velocity[1][2] = -.1;
  ipg_contact *contact = scene_contact(&s, &config);
  CU_ASSERT_FATAL(scene_step(&s, contact, 1, 1));
  CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, 4);
  bool *dead = calloc((size_t)s.mesh.element_count, sizeof *dead);
  for (int64_t e = 0; e < s.mesh.blocks[0].count; ++e) dead[e] = middle_of_element(&s.mesh, e, 0) < 0;
  scene_resurface(&s, contact, surface_of_rest(&s.mesh, dead, s.masses), (double[]){0, 0, 0});
  take_bodies(&s);
  s.body_mass[0] = s.body_mass[1] = 1e30;
  s.velocity[1][2] = -.04;
  for (int64_t step = 2; step <= 4; ++step) {
    CU_ASSERT_FATAL(scene_step(&s, contact, 1, step));
    int64_t count;
    const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
    CU_ASSERT_EQUAL(count, 4);
    for (int64_t i = 0; i < count; ++i)
      CU_ASSERT(pairs[i].normal_force > 0 && pairs[i].gap < -.03 - .03 * (double)step);
  }
  ipg_contact_destroy(&contact);
  scene_free(&s);
  free(dead);
}

/* -------------------------------------------------------------------------------------------------- bodies that break
 */

/* A bar that has fallen onto a plate loses its middle. With `renumbered` its parts are bodies 0 and 1 and the plate is
 * 2; else contact knows both as body 0, and the plate as 1. */
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
    while (j < count && (now[j].node_gid != old[i].node_gid || !has_same_place(&now[j], &old[i]))) ++j;
    const bool left = find_node(s, old[i].node_gid) >= 0 && find_face(s, &old[i]) >= 0;
    CU_ASSERT_EQUAL(j < count, left);
    if (j == count) continue;
    CU_ASSERT(has_same_memory(&now[j], &old[i]) && is_at_home(s, &now[j]));
    CU_ASSERT_EQUAL(old[i].touched == 1, now[j].touched == (renumbered ? 2 : 1));
    touched[now[j].touched]++;
    kept++;
  }
  CU_ASSERT(kept == count && kept < old_count && touched[0] > 2 && touched[1] > 2);
  for (int64_t j = 1; j < count; ++j) CU_ASSERT(comes_before(&now[j - 1], &now[j]));
}

static void bar_make(broken_bar *b, bool renumbered) {
  ipg_mesh meshes[] = {scene_box(-1, -.2, .005, 1, .2, .4, 9, 2, 2, "bar"),
                       scene_box(-1.5, -.5, -.3, 1.5, .5, 0, 12, 3, 1, "plate")};
  ipg_contact_config config = ipg_contact_defaults();
  config.law = (ipg_contact_law){.3, .3, 0, .1};
  scene_make(&b->s, meshes, 2, 1);
  b->step = 0, b->contact = scene_contact(&b->s, &config);
  b->s.velocity[0][0] = .1, b->s.velocity[0][2] = -.3;
  for (int i = 0; i < 5; ++i) bar_step(b);
  bool *dead = calloc((size_t)b->s.mesh.element_count, sizeof *dead);
  for (int64_t e = 0; e < b->s.mesh.blocks[0].count; ++e) dead[e] = fabs(middle_of_element(&b->s.mesh, e, 0)) < 1. / 9;
  ipg_mesh_surface rest = surface_of_rest(&b->s.mesh, dead, b->s.masses);
  int32_t *bodies = malloc((size_t)rest.surface.face_count * sizeof *bodies);
  memcpy(bodies, rest.surface.face_bodies, (size_t)rest.surface.face_count * sizeof *bodies);
  const int32_t *renumbered_bodies = rest.surface.face_bodies;
  for (int64_t f = 0; !renumbered && f < rest.surface.face_count; ++f) bodies[f] = bodies[f] == 2;
  rest.surface.face_bodies = bodies;
  int64_t old_count;
  ipg_contact_pair *old = copy_pairs(b->contact, &old_count);
  scene_resurface(&b->s, b->contact, rest,
                  (double[]){b->s.x[0] - b->s.mesh.x[0], b->s.x[1] - b->s.mesh.x[1], b->s.x[2] - b->s.mesh.x[2]});
  check_broken(b, old, old_count, renumbered);
  b->s.surface.surface.face_bodies = renumbered_bodies;
  take_bodies(&b->s);
  free(dead), free(bodies), free(old);
}

/* The parts fly at each other along the plate. */
static void clash(broken_bar *b) {
  const double velocity[3][3] = {{.6, 0, 0}, {-.6, 0, 0}, {0, 0, 0}};
  memcpy(b->s.velocity, velocity, sizeof velocity);
}

static void test_break(void) {
  broken_bar one, other;
  bar_make(&one, true), bar_make(&other, false);
  clash(&one), clash(&other);
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

/* Two bodies that overlap from the start come down on a plate; some of its nodes touch both. */
static ipg_contact *make_overlap(scene *s) {
  ipg_mesh meshes[] = {scene_box(-.5, -.2, .005, .1, .2, .4, 2, 2, 2, "left"),
                       scene_box(-.1, -.2, .005, .5, .2, .4, 2, 2, 2, "right"),
                       scene_box(-1, -.5, -.3, 1, .5, 0, 10, 5, 1, "plate")};
  scene_make(s, meshes, 3, 1);
  ipg_contact *contact = scene_contact(s, NULL);
  s->velocity[0][2] = s->velocity[1][2] = -.3;
  for (int step = 1; step <= 5; ++step) CU_ASSERT_FATAL(scene_step(s, contact, .01, step));
  return contact;
}

static int32_t *give_numbers(ipg_surface *surface, const int32_t numbers[3]) {
  int32_t *bodies = malloc((size_t)surface->face_count * sizeof *bodies);
  for (int64_t f = 0; f < surface->face_count; ++f) bodies[f] = numbers[surface->face_bodies[f]];
  surface->face_bodies = bodies;
  return bodies;
}

/* Bodies change their numbers: those that a node touches come in the other order. */
static void test_other_numbers(void) {
  scene s;
  ipg_contact *contact = make_overlap(&s);
  ipg_surface surface = s.surface.surface;
  int32_t *bodies = give_numbers(&surface, (int32_t[]){2, 1, 0});
  int64_t old_count, count, turned = 0;
  ipg_contact_pair *old = copy_pairs(contact, &old_count);
  resurface(contact, &surface, s.x);
  const ipg_contact_pair *now = ipg_contact_pairs(contact, &count);
  CU_ASSERT_EQUAL_FATAL(count, old_count);
  for (int64_t i = 0; i < count; ++i) {
    const bool first = i + 1 < count && old[i].owner == old[i + 1].owner;
    const bool second = i && old[i].owner == old[i - 1].owner;
    const ipg_contact_pair *same = &now[first ? i + 1 : second ? i - 1 : i];
    CU_ASSERT(has_same_place(same, &old[i]) && has_same_memory(same, &old[i]) && is_at_home(&surface, same));
    turned += first;
  }
  CU_ASSERT(turned > 0);
  ipg_contact_destroy(&contact);
  scene_free(&s);
  free(old), free(bodies);
}

/* Two bodies become one: a node that touched both keeps the first contact, and the second has ended. */
static void test_merge(void) {
  scene s;
  ipg_contact *contact = make_overlap(&s);
  ipg_surface surface = s.surface.surface;
  int32_t *bodies = give_numbers(&surface, (int32_t[]){0, 0, 1});
  int64_t old_count, count, j = 0, twice = 0;
  ipg_contact_pair *old = copy_pairs(contact, &old_count);
  const ipg_contact_energy_balance before = ipg_contact_get_energy_balance(contact);
  double released = before.spring_net_loss;
  resurface(contact, &surface, s.x);
  const ipg_contact_pair *now = ipg_contact_pairs(contact, &count);
  for (int64_t i = 0; i < old_count; ++i) {
    const bool second = i && old[i].owner == old[i - 1].owner;
    twice += second, released += second ? energy_of(&old[i]) : 0;
    if (!second) CU_ASSERT_FATAL(j < count && has_same_place(&now[j], &old[i]) && is_at_home(&surface, &now[j]));
    j += !second;
  }
  const ipg_contact_energy_balance after = ipg_contact_get_energy_balance(contact);
  CU_ASSERT(twice > 0 && j == count && after.deactivations == before.deactivations + twice);
  CU_ASSERT_DOUBLE_EQUAL(after.spring_net_loss, released, 1e-12 * before.contact_energy);
  CU_ASSERT_FATAL(scene_step(&s, contact, .01, 6));
  ipg_contact_destroy(&contact);
  scene_free(&s);
  free(old), free(bodies);
}

/* The same faces, told from another corner: the contact is found again by its place. */
static void test_turned_faces(void) {
  scene s;
  ipg_contact *contact = make_overlap(&s);
  ipg_surface surface = s.surface.surface;
  int64_t old_count, count;
  ipg_contact_pair *old = copy_pairs(contact, &old_count);
  ipg_id *faces = malloc(3 * (size_t)surface.face_count * sizeof *faces);
  for (int64_t i = 0; i < 3 * surface.face_count; ++i) faces[i] = surface.faces[i % 3 == 2 ? i - 2 : i + 1];
  surface.faces = faces;
  resurface(contact, &surface, s.x);
  const ipg_contact_pair *now = ipg_contact_pairs(contact, &count);
  CU_ASSERT_EQUAL_FATAL(count, old_count);
  for (int64_t i = 0; i < count; ++i) {
    CU_ASSERT(is_at_home(&surface, &now[i]) && has_same_memory(&now[i], &old[i]));
    CU_ASSERT_DOUBLE_EQUAL(now[i].gap, old[i].gap, 1e-14);
  }
  ipg_contact_destroy(&contact);
  scene_free(&s);
  free(old), free(faces);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"nothing deleted", test_nothing_deleted},
      {"a crater", test_crater},
      {"other workers, skins, methods", test_other_ways},
      {"no memory", test_no_memory},
      {"bad surfaces", test_bad_surfaces},
      {"nothing left", test_nothing_left},
      {"nodes freed inside", test_freed_inside},
      {"a thick neighbour", test_thick_neighbour},
      {"a body breaks", test_break},
      {"other numbers", test_other_numbers},
      {"bodies merge", test_merge},
      {"turned faces", test_turned_faces},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "resurface", tests);
}
