/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Elements are deleted under face-face contact: what goes on, what is lost, and what is uncovered. */
#include "support/evaluate.h"
#include "support/random.h"
#include "support/scene.h"
#include "support/suite.h"

/* A rigid ball flies into a rigid box, whose elements are deleted under it. */
typedef struct crater {
  scene s;
  ipg_contact *contact;
  ipg_erosion *erosion;
  double *start_x;  /* 3 per mesh node */
  int32_t *body_of; /* of mesh nodes */
  bool *dead;       /* per element */
  rng choices;
  double start_energy, removed_work;
  int64_t step;
} crater;

static const double dt = 4e-3;

static double kinetic_energy(const scene *s) {
  double sum = 0;
  for (int b = 0; b < 2; ++b)
    for (int k = 0; k < 3; ++k) sum += .5 * s->body_mass[b] * s->velocity[b][k] * s->velocity[b][k];
  return sum;
}

static ipg_contact_config crater_config(double friction) {
  ipg_contact_config config = ipg_contact_defaults();
  config.penalty_scale = .1, config.reference_step = 2 * dt, config.onset = .01;
  config.law = (ipg_contact_law){friction, friction, 0, 0};
  return config;
}

/* Takes over the mesh of what comes from above. */
static void crater_make_with(crater *w, uint64_t number, const ipg_mesh *above, const ipg_contact_config *config) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 6, 6, 3, "box"), *above};
  ipg_error error = {0};
  *w = (crater){.choices = rng_start(number)};
  scene_make(&w->s, meshes, 2, 1);
  const size_t bytes = 3 * (size_t)w->s.mesh.node_count * sizeof(double);
  w->start_x = malloc(bytes), memcpy(w->start_x, w->s.mesh.x, bytes);
  w->dead = calloc((size_t)w->s.mesh.element_count, sizeof *w->dead);
  w->body_of = calloc((size_t)w->s.mesh.node_count, sizeof *w->body_of);
  for (int64_t i = 0; i < 4 * w->s.mesh.element_count; ++i)
    w->body_of[w->s.mesh.tets[i]] = w->s.skin.body_of_element[i / 4];
  w->s.velocity[1][0] = .4, w->s.velocity[1][2] = -1;
  w->start_energy = kinetic_energy(&w->s);
  CU_ASSERT_FATAL(!ipg_erosion_create(&w->s.mesh, &w->s.skin, NULL, &w->erosion, &error));
  w->contact = scene_contact(&w->s, config);
}

static void crater_make(crater *w, uint64_t number, double friction) {
  const ipg_mesh ball = scene_ball(.07, .03, .52, .5, 4, "ball");
  const ipg_contact_config config = crater_config(friction);
  crater_make_with(w, number, &ball, &config);
}

static void crater_free(crater *w) {
  ipg_contact_destroy(&w->contact);
  ipg_erosion_destroy(&w->erosion);
  scene_free(&w->s);
  free(w->start_x), free(w->dead), free(w->body_of);
}

static ipg_id find_node(const ipg_surface *s, ipg_gid gid) {
  for (ipg_id i = 0; i < s->node_count; ++i)
    if (s->node_gids[i] == gid) return i;
  return -1;
}

/* The scene's arrays for the new surface. Forces on removed nodes do the work of half a step more. */
static void take_surface(crater *w, ipg_mesh_surface fresh, double *x) {
  scene *s = &w->s;
  const ipg_mesh_surface old = s->surface;
  const int64_t nodes = fresh.surface.node_count;
  double *force = calloc(3 * (size_t)nodes, sizeof *force);
  int32_t *bodies = calloc((size_t)nodes, sizeof *bodies);
  for (int64_t i = 0; i < old.surface.node_count; ++i) {
    const ipg_id node = find_node(&fresh.surface, old.surface.node_gids[i]);
    for (int k = 0; k < 3; ++k)
      if (node >= 0) force[3 * node + k] = s->force[3 * i + k];
      else w->removed_work += .5 * dt * s->force[3 * i + k] * s->velocity[s->body_of_node[i]][k];
  }
  for (int64_t i = 0; i < nodes; ++i) bodies[i] = w->body_of[fresh.mesh_nodes[i]];
  free(s->x), free(s->trial), free(s->force), free(s->body_of_node);
  s->x = x, s->trial = calloc(3 * (size_t)nodes, sizeof(double)), s->force = force, s->body_of_node = bodies;
  ipg_mesh_surface_destroy(&s->surface);
  s->surface = fresh;
}

static void step_crater(crater *w) {
  CU_ASSERT_FATAL(scene_step(&w->s, w->contact, dt, ++w->step));
  for (int64_t n = 0; n < w->s.mesh.node_count; ++n) /* bodies are rigid and do not rotate */
    for (int k = 0; k < 3; ++k) w->s.mesh.x[3 * n + k] = w->start_x[3 * n + k];
  for (int64_t i = 0; i < w->s.surface.surface.node_count; ++i) {
    const int64_t node = w->s.surface.mesh_nodes[i];
    for (int k = 0; k < 3; ++k) w->s.mesh.x[3 * node + k] = w->s.x[3 * i + k];
  }
}

/* Of the nodes within the mesh, which surface nodes of their body have moved. */
static void move_inner_nodes(crater *w) {
  double moved[2][3] = {{0}};
  for (int64_t i = 0; i < w->s.surface.surface.node_count; ++i)
    for (int k = 0; k < 3; ++k)
      moved[w->s.body_of_node[i]][k] = w->s.x[3 * i + k] - w->start_x[3 * (int64_t)w->s.surface.mesh_nodes[i] + k];
  bool *is_surface = calloc((size_t)w->s.mesh.node_count, 1);
  for (int64_t i = 0; i < w->s.surface.surface.node_count; ++i) is_surface[w->s.surface.mesh_nodes[i]] = true;
  for (int64_t n = 0; n < w->s.mesh.node_count; ++n)
    for (int k = 0; k < 3 && !is_surface[n]; ++k)
      w->s.mesh.x[3 * n + k] = w->start_x[3 * n + k] + moved[w->body_of[n]][k];
  free(is_surface);
}

/* Elements of the box whose middle is near the lowest point of the ball, some of them. */
static int64_t choose_elements(crater *w, ipg_id *list) {
  int64_t count = 0;
  double lowest[3] = {0, 0, INFINITY};
  for (int64_t i = 0; i < w->s.surface.surface.node_count; ++i)
    if (w->s.body_of_node[i] == 1 && w->s.x[3 * i + 2] < lowest[2]) memcpy(lowest, w->s.x + 3 * i, sizeof lowest);
  for (int64_t e = 0; e < w->s.mesh.blocks[0].count; ++e) {
    double away = 0;
    for (int k = 0; k < 3; ++k) {
      double middle = 0;
      for (int c = 0; c < 4; ++c) middle += .25 * w->s.mesh.x[3 * (int64_t)w->s.mesh.tets[4 * e + c] + k];
      away = fmax(away, fabs(middle - lowest[k]));
    }
    if (w->dead[e] || away > .3 || rng_int(&w->choices, 0, 2)) continue;
    w->dead[e] = true, list[count++] = (ipg_id)e;
  }
  return count;
}

static void check_audit(const ipg_contact *contact) {
  ipg_contact_audit_report report;
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_audit(contact, &report, &error));
  CU_ASSERT_EQUAL(report.missed_candidates + report.wrong_contacts + report.wrong_forces, 0);
}

/* What the balance holds and has lost. */
static double booked(const ipg_contact *contact) {
  const ipg_contact_energy_balance b = ipg_contact_get_energy_balance(contact);
  return b.contact_energy + b.friction_dissipation + b.damping_dissipation + b.spring_net_loss;
}

typedef struct findings {
  double booked, uncovered_force, resultant;
  int64_t deleted, uncovered;
} findings;

/* At rest after the update: nodes that were uncovered have no force, and the forces sum to 0. */
static void check_at_rest(crater *w, const ipg_mesh_surface *before, findings *f) {
  ipg_error error = {0};
  double sum[3] = {0}, size = 0;
  const ipg_surface *s = &w->s.surface.surface;
  double *force = malloc(3 * (size_t)s->node_count * sizeof *force);
  CU_ASSERT_FATAL(!evaluate_after(w->contact, 0, w->s.x, NULL, force, &error));
  check_audit(w->contact);
  for (int64_t i = 0; i < s->node_count; ++i) {
    const bool is_new = find_node(&before->surface, s->node_gids[i]) < 0;
    f->uncovered += is_new;
    for (int k = 0; k < 3; ++k) {
      sum[k] += force[3 * i + k], size += fabs(force[3 * i + k]);
      if (is_new) f->uncovered_force = suite_worst(f->uncovered_force, force[3 * i + k]);
    }
  }
  for (int k = 0; k < 3; ++k)
    if (size > 0) f->resultant = suite_worst(f->resultant, sum[k] / size);
  free(force);
}

static void erode_crater(crater *w, findings *f) {
  ipg_erosion_change change;
  ipg_mesh_surface fresh;
  ipg_error error = {0};
  ipg_id *list = malloc((size_t)w->s.mesh.element_count * sizeof *list);
  move_inner_nodes(w);
  const int64_t count = choose_elements(w, list);
  f->deleted += count;
  CU_ASSERT_FATAL(!ipg_erosion_delete(w->erosion, list, count, &change, NULL));
  CU_ASSERT_FATAL(!ipg_mesh_surface_build(&w->s.mesh, ipg_erosion_skin(w->erosion), w->s.masses, NULL, &fresh, NULL));
  double *x = malloc(3 * (size_t)fresh.surface.node_count * sizeof *x),
         *start = malloc(3 * (size_t)fresh.surface.node_count * sizeof *x);
  ipg_mesh_surface_gather(&fresh, w->s.mesh.x, x);
  ipg_mesh_surface_gather(&fresh, w->start_x, start);
  const double before = booked(w->contact);
  ipg_surface surface = fresh.surface;
  surface.start_positions = start;
  CU_ASSERT_FATAL(!ipg_contact_update_surface(w->contact, &surface, x, &error));
  f->booked = suite_worst(f->booked, (booked(w->contact) - before) / w->start_energy);
  const ipg_mesh_surface old = w->s.surface;
  ipg_mesh_surface kept = old;
  ipg_gid *gids = malloc((size_t)old.surface.node_count * sizeof *gids);
  memcpy(gids, old.surface.node_gids, (size_t)old.surface.node_count * sizeof *gids);
  kept.surface.node_gids = gids;
  take_surface(w, fresh, x);
  check_at_rest(w, &kept, f);
  free(list), free(start), free(gids);
}

/* Whatever is deleted, the energy of the bodies and what the balance has sum to that of the start. */
static void test_craters(void) {
  const int craters = suite_is_full() ? 40 : suite_is_quick() ? 3 : 16;
  findings f = {0};
  double error = 0;
  for (int number = 0; number < craters; ++number) {
    crater w;
    crater_make(&w, (uint64_t)number, number % 2 ? .3 : 0);
    while (w.step < 150) {
      step_crater(&w);
      if (w.step % 6 == 0 && w.step > 12) erode_crater(&w, &f);
      error = suite_worst(error, (kinetic_energy(&w.s) - w.removed_work + booked(w.contact)) / w.start_energy - 1);
    }
    crater_free(&w);
  }
  CU_ASSERT(f.deleted > 30 * craters && f.uncovered > 10 * craters);
  suite_gate("face-face: craters: energy that an update changes, of the energy at the start", f.booked, 1e-12);
  suite_gate("face-face: craters: force on uncovered nodes", f.uncovered_force, 0);
  suite_gate("face-face: craters: sum of the contact forces, of their size", f.resultant, 1e-12);
  suite_gate("face-face: craters: energy of bodies and contact, with all that was lost", error, .01);
}

/* The nodes of the ball go down and along; friction holds them. */
static void press_ball(crater *w, double along, double down) {
  scene *s = &w->s;
  ipg_error error = {0};
  memcpy(s->trial, s->x, 3 * (size_t)s->surface.surface.node_count * sizeof *s->x);
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    if (s->body_of_node[i] == 1) s->trial[3 * i] += along, s->trial[3 * i + 2] -= down;
  CU_ASSERT_FATAL(!evaluate_after(w->contact, dt, s->trial, NULL, s->force, &error));
  CU_ASSERT_FATAL(!ipg_contact_accept(w->contact, ++w->step, &error));
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    for (int k = 0; k < 3; ++k) {
      s->x[3 * i + k] = s->trial[3 * i + k];
      s->mesh.x[3 * (int64_t)s->surface.mesh_nodes[i] + k] = s->x[3 * i + k];
    }
}

/* Deletes elements under load, and goes on by a step. Returns the work of contact in it that no term explains, over the
 * energy that was lost; friction gives none. */
static double open_after_erosion(crater *w, double along, double down) {
  findings f = {0};
  const ipg_contact_energy_balance loaded = ipg_contact_get_energy_balance(w->contact);
  while (!f.deleted || ipg_contact_get_energy_balance(w->contact).contact_energy > .9 * loaded.contact_energy)
    erode_crater(w, &f);
  const double before = booked(w->contact);
  const ipg_contact_energy_balance eroded = ipg_contact_get_energy_balance(w->contact);
  press_ball(w, along, down);
  const ipg_contact_energy_balance after = ipg_contact_get_energy_balance(w->contact);
  CU_ASSERT(after.friction_dissipation - eroded.friction_dissipation > -1e-4 * loaded.contact_energy);
  return (after.contact_work - eroded.contact_work + booked(w->contact) - before) /
         (loaded.contact_energy - eroded.contact_energy);
}

/* What faces, friction and ties had and have no more still does half of its work, in the next step. */
static void test_half_of_the_work(void) {
  const double step = 2e-4;
  ipg_contact_rule tie = ipg_contact_rule_defaults();
  ipg_contact_config tied = crater_config(0);
  double pressed = 0, torn = 0;
  tie.blocks[0] = 0, tie.blocks[1] = 1, tie.tied = true;
  tied.rules = &tie, tied.rule_count = 1;
  for (uint64_t number = 0; number < 5; ++number) {
    const ipg_mesh above = scene_box(-.5, -.4, 0, .5, .6, .5, 3, 3, 1, "tied");
    crater w;
    crater_make(&w, number, .3);
    press_ball(&w, 0, .025);
    for (int i = 0; i < 100; ++i) press_ball(&w, .1 * step, step);
    pressed = suite_worst(pressed, open_after_erosion(&w, step, step));
    crater_free(&w);
    crater_make_with(&w, number, &above, &tied);
    for (int i = 0; i < 20; ++i) press_ball(&w, .3 * step, -step);
    torn = suite_worst(torn, open_after_erosion(&w, step, -step));
    crater_free(&w);
  }
  suite_gate("face-face: the step after elements are deleted under load: contact work that no term explains", pressed,
             .001);
  suite_gate("face-face: the step after ties broke with their elements: contact work that no term explains", torn,
             1e-9);
}

/* The cells of a square of four about the z axis whose numbers are set in `kept`: 1 and 2 below the x axis, 4 and 8
 * above it. */
static ipg_mesh some_cells(int kept) {
  ipg_mesh cells = scene_box(-1, -1, 0, 1, 1, 1, 2, 2, 1, "cells");
  int64_t count = 0;
  for (int64_t e = 0; e < cells.element_count; ++e) {
    double x = 0, y = 0;
    for (int i = 0; i < 4; ++i) x += cells.x[3 * cells.tets[4 * e + i]], y += cells.x[3 * cells.tets[4 * e + i] + 1];
    if (kept & 1 << ((x > 0) + 2 * (y > 0))) memmove(cells.tets + 4 * count++, cells.tets + 4 * e, 4 * sizeof(ipg_id));
  }
  cells.element_count = cells.blocks[0].count = count;
  return cells;
}

/* Of a block that lies beside the cells, pressed against that of them that it faces in direction `axis`. */
static double energy_beside_cells(int kept, bool is_right, int axis) {
  const double side = is_right ? 1 : -1; /* the block is on the right below or on the left above */
  double lo[3] = {0, 0, .1}, hi[3] = {0, 0, .9};
  for (int k = 0; k < 2; ++k) {
    const double sign = k ? -side : side, near = k == axis ? .001 : .05, far = k == axis ? 1 : .55;
    lo[k] = sign > 0 ? near : -far, hi[k] = sign > 0 ? far : -near;
  }
  ipg_mesh meshes[] = {some_cells(kept), scene_box(lo[0], lo[1], lo[2], hi[0], hi[1], hi[2], 1, 1, 1, "block")};
  ipg_contact_config config = ipg_contact_defaults();
  ipg_error error = {0};
  scene s;
  config.onset = 1e-4;
  scene_make(&s, meshes, 2, 1);
  CU_ASSERT_FATAL(!ipg_mesh_surface_set_stiffness(&s.surface, &s.mesh, &s.skin, (double[]){1, 1}, &error));
  ipg_contact *contact = scene_contact(&s, &config);
  memcpy(s.trial, s.x, 3 * (size_t)s.surface.surface.node_count * sizeof *s.x);
  for (int64_t i = 0; i < s.surface.surface.node_count; ++i)
    if (s.body_of_node[i] == s.surface.surface.face_bodies[s.surface.surface.face_count - 1])
      s.trial[3 * i + axis] -= (axis ? -side : side) * .002;
  CU_ASSERT_FATAL(!evaluate_after(contact, 1, s.trial, NULL, s.force, &error));
  CU_ASSERT_FATAL(!ipg_contact_accept(contact, 1, &error));
  const double energy = ipg_contact_get_energy_balance(contact).contact_energy;
  ipg_contact_destroy(&contact);
  scene_free(&s);
  return energy;
}

/* Where four faces share an edge, each has its border there by the material behind it: two cells that touch at an edge
 * hold a block beside one of them as that cell alone does. */
static void test_pinched_edge(void) {
  enum { BELOW_LEFT = 1, ABOVE_RIGHT = 8 };
  double worst = 0;
  for (int i = 0; i < 4; ++i) {
    const bool is_right = i % 2;
    const int axis = i / 2, beside = is_right == (axis == 0) ? BELOW_LEFT : ABOVE_RIGHT;
    const double alone = energy_beside_cells(beside, is_right, axis),
                 both = energy_beside_cells(BELOW_LEFT | ABOVE_RIGHT, is_right, axis);
    CU_ASSERT(alone > 0);
    worst = suite_worst(worst, both / alone - 1);
  }
  suite_gate("face-face: a block beside one of two cells that touch at an edge: energy against that of the cell alone",
             worst, 1e-9);
}

/* An update before the first step books nothing: the first step books all that overlaps. */
static void test_update_before_the_first_step(void) {
  crater w;
  ipg_error error = {0};
  crater_make(&w, 1, 0);
  for (int64_t i = 0; i < w.s.surface.surface.node_count; ++i)
    if (w.s.body_of_node[i] == 1) w.s.x[3 * i + 2] -= .05;
  CU_ASSERT_FATAL(!ipg_contact_set_positions(w.contact, 0, w.s.x, &error));
  CU_ASSERT_FATAL(!ipg_contact_update_surface(w.contact, &w.s.surface.surface, w.s.x, &error));
  press_ball(&w, 0, 1e-6);
  const ipg_contact_energy_balance b = ipg_contact_get_energy_balance(w.contact);
  CU_ASSERT(b.contact_energy > 0);
  CU_ASSERT_DOUBLE_EQUAL((booked(w.contact) + b.contact_work) / b.contact_energy, 0, 1e-6);
  crater_free(&w);
}

/* A surface updated with itself, also many times: the same bits as without. */
static void test_nothing_deleted(void) {
  crater plain, updated;
  ipg_error error = {0};
  crater_make(&plain, 1, .3), crater_make(&updated, 1, .3);
  for (int i = 0; i < 100; ++i) {
    step_crater(&plain), step_crater(&updated);
    if (i % 3 == 0)
      CU_ASSERT_FATAL(!ipg_contact_update_surface(updated.contact, &updated.s.surface.surface, updated.s.x, &error));
    const ipg_contact_energy_balance a = ipg_contact_get_energy_balance(plain.contact),
                                     b = ipg_contact_get_energy_balance(updated.contact);
    CU_ASSERT(!memcmp(plain.s.velocity, updated.s.velocity, sizeof plain.s.velocity));
    CU_ASSERT(!memcmp(&a, &b, sizeof a));
  }
  CU_ASSERT(ipg_contact_get_energy_balance(plain.contact).friction_dissipation > 0);
  crater_free(&plain), crater_free(&updated);
}

/* A node that comes to the surface needs its start position; what is refused changes nothing. */
static void test_unknown_start(void) {
  crater w;
  ipg_erosion_change change;
  ipg_mesh_surface fresh;
  ipg_error error = {0};
  crater_make(&w, 2, 0);
  for (int i = 0; i < 20; ++i) step_crater(&w);
  ipg_id *list = malloc((size_t)w.s.mesh.element_count * sizeof *list);
  move_inner_nodes(&w);
  const int64_t count = choose_elements(&w, list);
  CU_ASSERT_FATAL(!ipg_erosion_delete(w.erosion, list, count, &change, NULL));
  CU_ASSERT_FATAL(!ipg_mesh_surface_build(&w.s.mesh, ipg_erosion_skin(w.erosion), w.s.masses, NULL, &fresh, NULL));
  double *x = malloc(3 * (size_t)fresh.surface.node_count * sizeof *x);
  ipg_mesh_surface_gather(&fresh, w.s.mesh.x, x);
  CU_ASSERT_EQUAL(ipg_contact_update_surface(w.contact, &fresh.surface, x, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "comes to the surface"));
  ipg_surface wrong = w.s.surface.surface;
  wrong.start_positions = x, x[0] = NAN;
  CU_ASSERT_EQUAL(ipg_contact_update_surface(w.contact, &wrong, w.s.x, &error), IPG_OK); /* all nodes are known */
  step_crater(&w);
  ipg_mesh_surface_destroy(&fresh);
  free(list), free(x);
  crater_free(&w);
}

/* ------------------------------------------------------------------------------------------------ what is uncovered
 */

/* Pressed down to `down`, into a wall or not, in one step. */
static void shift_box(scene *s, ipg_contact *contact, double down) {
  ipg_error error = {0};
  for (int64_t i = 0; i < 3 * s->surface.surface.node_count; ++i) s->trial[i] = s->x[i] - (i % 3 == 2 ? down : 0);
  CU_ASSERT_FATAL(!evaluate_after(contact, dt, s->trial, NULL, s->force, &error));
  CU_ASSERT_FATAL(!ipg_contact_accept(contact, ipg_contact_last_step(contact) + 1, &error));
  memcpy(s->x, s->trial, 3 * (size_t)s->surface.surface.node_count * sizeof *s->x);
}

/* A box is behind a wall by 0.6 of an element, and an element of its bottom is deleted: a face that is uncovered lies
 * behind the wall too, and its corner that was within the box gets no force from there. */
static void test_uncovered_behind_a_wall(void) {
  static const ipg_contact_wall wall = {.point = {0, 0, 0}, .normal = {0, 0, 1}};
  ipg_contact_config config = crater_config(0);
  ipg_error error = {0};
  int uncovered = 0;
  config.walls = &wall, config.wall_count = 1;
  for (ipg_id element = 0; element < 6 * 3 * 3 * 3; element += suite_is_quick() ? 7 : suite_is_full() ? 1 : 2) {
    ipg_mesh box = scene_box(-1, -1, 0, 1, 1, 2, 3, 3, 3, "box");
    ipg_erosion *erosion;
    ipg_erosion_change change;
    ipg_mesh_surface fresh;
    scene s;
    scene_make(&s, &box, 1, 1);
    CU_ASSERT_FATAL(!ipg_erosion_create(&s.mesh, &s.skin, NULL, &erosion, &error));
    ipg_contact *contact = scene_contact(&s, &config);
    shift_box(&s, contact, .4);
    const double before = ipg_contact_get_energy_balance(contact).contact_energy;
    CU_ASSERT_FATAL(!ipg_erosion_delete(erosion, &element, 1, &change, NULL));
    CU_ASSERT_FATAL(!ipg_mesh_surface_build(&s.mesh, ipg_erosion_skin(erosion), s.masses, NULL, &fresh, NULL));
    const int64_t nodes = fresh.surface.node_count;
    double *x = malloc(3 * (size_t)nodes * sizeof *x), *start = malloc(3 * (size_t)nodes * sizeof *x);
    double *force = malloc(3 * (size_t)nodes * sizeof *x);
    ipg_mesh_surface_gather(&fresh, s.mesh.x, start);
    for (int64_t i = 0; i < 3 * nodes; ++i) x[i] = start[i] - (i % 3 == 2 ? .4 : 0);
    fresh.surface.start_positions = start;
    CU_ASSERT_FATAL(!ipg_contact_update_surface(contact, &fresh.surface, x, &error));
    CU_ASSERT(ipg_contact_get_energy_balance(contact).contact_energy <= before);
    CU_ASSERT_FATAL(!evaluate_after(contact, dt, x, NULL, force, &error));
    for (ipg_id i = 0; i < nodes; ++i)
      if (find_node(&s.surface.surface, fresh.surface.node_gids[i]) < 0) {
        CU_ASSERT_EQUAL(force[3 * i + 2], 0);
        uncovered += x[3 * i + 2] > 0 && x[3 * i + 2] < .3;
      }
    ipg_contact_destroy(&contact);
    ipg_erosion_destroy(&erosion);
    ipg_mesh_surface_destroy(&fresh);
    free(x), free(start), free(force);
    scene_free(&s);
  }
  CU_ASSERT(uncovered > 0);
}

/* The two sides of a plate press where they are those of two bodies; not if they become that under way. */
static void test_sides_of_a_plate_become_bodies(void) {
  ipg_mesh meshes[] = {scene_box(-.56, -.56, 0, .56, .56, .2, 8, 8, 2, "plate")};
  const ipg_contact_config config = crater_config(0);
  ipg_error error = {0};
  scene s;
  scene_make(&s, meshes, 1, 1);
  ipg_contact *contact = scene_contact(&s, &config);
  shift_box(&s, contact, 0);
  ipg_surface sides = s.surface.surface;
  int32_t *bodies = calloc((size_t)sides.face_count, sizeof *bodies);
  for (int64_t f = 0; f < sides.face_count; ++f) {
    const ipg_id *corner = sides.faces + 3 * f;
    bodies[f] = s.x[3 * corner[0] + 2] == 0 && s.x[3 * corner[1] + 2] == 0 && s.x[3 * corner[2] + 2] == 0;
  }
  sides.face_bodies = bodies;
  CU_ASSERT_FATAL(!ipg_contact_update_surface(contact, &sides, s.x, &error));
  CU_ASSERT_EQUAL(ipg_contact_get_energy_balance(contact).contact_energy, 0);
  CU_ASSERT_FATAL(!evaluate_after(contact, dt, s.x, NULL, s.force, &error));
  CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).face_contacts, 0);
  ipg_contact_destroy(&contact);
  CU_ASSERT_FATAL(!ipg_contact_create(&config, &sides, s.x, &contact, &error));
  CU_ASSERT_FATAL(!evaluate_after(contact, dt, s.x, NULL, s.force, &error));
  CU_ASSERT(ipg_contact_get_counters(contact).face_contacts > 0);
  ipg_contact_destroy(&contact);
  free(bodies);
  scene_free(&s);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"craters", test_craters},
      {"half of the work", test_half_of_the_work},
      {"four faces at an edge", test_pinched_edge},
      {"an update before the first step", test_update_before_the_first_step},
      {"nothing deleted", test_nothing_deleted},
      {"an unknown start", test_unknown_start},
      {"uncovered behind a wall", test_uncovered_behind_a_wall},
      {"the sides of a plate become bodies", test_sides_of_a_plate_become_bodies},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "face_erosion", tests);
}
