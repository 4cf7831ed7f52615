/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Tied contact: which nodes are tied to which faces, forces, conservation, changes of the surface, what is refused. */
#include "support/byte_list.h"
#include "support/contact_pairs.h"
#include "support/evaluate.h"
#include "support/failing_allocator.h"
#include "support/scene.h"
#include "support/small_surface.h"
#include "support/spring_host.h"
#include "support/suite.h"
#include "support/surface_oracle.h"
#include "support/vec3.h"

#include <math.h>

static ipg_contact_rule tie_of(int32_t a, int32_t b, double within) {
  ipg_contact_rule rule = ipg_contact_rule_defaults();
  rule.blocks[0] = a, rule.blocks[1] = b, rule.tied = true, rule.tie_within = within;
  return rule;
}

/* The stiffness follows from the step. */
static ipg_contact_config config_with(const ipg_contact_rule *rules, int64_t count, double step) {
  ipg_contact_config config = ipg_contact_defaults();
  config.rules = rules, config.rule_count = count;
  config.penalty_scale = .1, config.reference_step = step;
  return config;
}

/* A cube above a plate with a mesh that does not match; at 0 they touch. */
static void make_cube_on_plate(scene *s, double above) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 5, 5, 2, "plate"),
                       scene_box(-.33, -.31, above, .37, .39, above + .7, 3, 3, 3, "cube")};
  scene_make(s, meshes, 2, 1);
}

static int64_t nodes_of(const scene *s) { return s->surface.surface.node_count; }

static void evaluate_trial(const scene *s, ipg_contact *contact, double dt) {
  ipg_error error = {0};
  CU_ASSERT_FATAL(!evaluate_after(contact, dt, s->trial, NULL, s->force, &error));
}

static void set_trial_to_accepted(scene *s) { memcpy(s->trial, s->x, 3 * (size_t)nodes_of(s) * sizeof(double)); }

/* --------------------------------------------------------------------------------------------- which nodes are tied */

/* The distance of the closest face of the other block, or INFINITY. */
static double nearest_of_other(const scene *s, ipg_id node) {
  const ipg_surface *surface = &s->surface.surface;
  double nearest = INFINITY;
  for (ipg_id f = 0; f < surface->face_count; ++f)
    if (surface->face_blocks[f] != s->body_of_node[node])
      nearest = fmin(nearest, closest_point_of(surface, s->x, node, f).distance);
  return nearest;
}

static void check_ties_by_all_pairs(const scene *s, double within) {
  const ipg_contact_rule rule = tie_of(0, 1, within);
  const ipg_contact_config config = config_with(&rule, 1, .1);
  ipg_contact *contact = scene_contact(s, &config);
  int64_t count, at = 0;
  const ipg_contact_pair *ties = ipg_contact_pairs(contact, &count);
  for (ipg_id node = 0; node < nodes_of(s); ++node) {
    const double nearest = nearest_of_other(s, node);
    if (nearest > (within > 0 ? within : 1e-7)) continue;
    CU_ASSERT_FATAL(at < count && ties[at].kind == IPG_CONTACT_TIE && ties[at].owner == node);
    const closest_point p = closest_point_of(&s->surface.surface, s->x, node, ties[at].face);
    CU_ASSERT(ties[at].touched == ties[at].face && p.distance <= nearest * (1 + 1e-12) + 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(ties[at].history.initial_offset, p.height, 1e-14);
    ++at;
  }
  CU_ASSERT_EQUAL(at, count);
  CU_ASSERT_EQUAL(ipg_contact_get_energy_balance(contact).activations, count);
  ipg_contact_destroy(&contact);
}

static void test_tied_nodes(void) {
  rng random = rng_start(31);
  const double heights[] = {0, .03, -.02, .1}, distances[] = {0, .031, .05, .4};
  for (int i = 0; i < 4; ++i) {
    scene s;
    make_cube_on_plate(&s, heights[i]);
    for (int64_t k = 0; k < 3 * nodes_of(&s) && i > 1; ++k) s.x[k] += .02 * rng_unit(&random);
    check_ties_by_all_pairs(&s, distances[i]);
    scene_free(&s);
  }
}

/* Two blocks of one body share the nodes between them: only nodes that are near and not shared are tied. */
static void test_blocks_of_one_body(void) {
  ipg_mesh meshes[] = {scene_box(0, 0, 0, 1, 1, 1, 2, 2, 4, "lower")};
  scene s;
  scene_make(&s, meshes, 1, 1);
  ipg_surface surface = s.surface.surface;
  int32_t *blocks = calloc((size_t)surface.face_count, sizeof *blocks);
  for (int64_t f = 0; f < surface.face_count; ++f) {
    double z = 0;
    for (int k = 0; k < 3; ++k) z += s.x[3 * surface.faces[3 * f + k] + 2] / 3;
    blocks[f] = z > .5;
  }
  surface.face_blocks = blocks;
  const ipg_contact_rule rule = tie_of(0, 1, .26);
  const ipg_contact_config config = config_with(&rule, 1, .1);
  ipg_contact *contact = NULL;
  ipg_error error = {0};
  int64_t count;
  CU_ASSERT_FATAL(!ipg_contact_create(&config, &surface, s.x, &contact, &error));
  const ipg_contact_pair *ties = ipg_contact_pairs(contact, &count);
  CU_ASSERT(count > 0);
  for (int64_t i = 0; i < count; ++i) CU_ASSERT(fabs(s.x[3 * ties[i].owner + 2] - .5) > .2);
  ipg_contact_destroy(&contact);
  free(blocks);
  scene_free(&s);
}

/* A plate between two others: its nodes are tied to both. */
static void test_plate_between_two(void) {
  ipg_mesh meshes[] = {scene_box(0, 0, 0, 1, 1, .1, 2, 2, 1, "below"), scene_box(0, 0, .1, 1, 1, .2, 3, 3, 1, "middle"),
                       scene_box(0, 0, .2, 1, 1, .3, 2, 2, 1, "above")};
  const ipg_contact_rule rules[] = {tie_of(1, 0, .15), tie_of(2, 1, .15)};
  const ipg_contact_config config = config_with(rules, 2, .1);
  scene s;
  scene_make(&s, meshes, 3, 1);
  ipg_contact *contact = scene_contact(&s, &config);
  int64_t count, middle = 0;
  const ipg_contact_pair *ties = ipg_contact_pairs(contact, &count);
  for (int64_t i = 0; i < count; ++i) {
    middle += s.body_of_node[ties[i].owner] == 1;
    CU_ASSERT(i == 0 || contact_order(&ties[i - 1], &ties[i]) < 0);
  }
  CU_ASSERT_EQUAL(middle, 2 * 32);
  CU_ASSERT_EQUAL(count, 2 * 32 + 2 * 18);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* Without a distance in the rule, nodes within a millionth of the face's size are tied. */
static void test_touching(void) {
  for (int i = 0; i < 3; ++i) {
    const ipg_contact_rule rule = tie_of(0, 1, 0);
    const ipg_contact_config config = config_with(&rule, 1, .1);
    scene s;
    ipg_contact *contact = NULL;
    ipg_error error = {0};
    make_cube_on_plate(&s, (double[]){2e-7, -2e-7, 1e-6}[i]); /* faces are .23 and .4 large */
    const ipg_status status = ipg_contact_create(&config, &s.surface.surface, s.x, &contact, &error);
    CU_ASSERT_EQUAL(status, i < 2 ? IPG_OK : IPG_ERROR_ARGUMENT);
    if (!status) CU_ASSERT_EQUAL(ipg_contact_get_energy_balance(contact).activations, 20);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

/* Two blocks with alternating faces: the nodes of a cube are tied to both, in the order of faces. */
static void test_alternating_blocks(void) {
  const ipg_contact_rule rules[] = {tie_of(0, 1, .3), tie_of(2, 1, .3)};
  const ipg_contact_config config = config_with(rules, 2, .1);
  scene s;
  make_cube_on_plate(&s, .03);
  ipg_surface surface = s.surface.surface;
  int32_t *blocks = calloc((size_t)surface.face_count, sizeof *blocks);
  for (int64_t f = 0; f < surface.face_count; ++f) blocks[f] = surface.face_bodies[f] ? 1 : f % 3 ? 0 : 2;
  surface.face_blocks = blocks;
  ipg_contact *contact = NULL;
  ipg_error error = {0};
  int64_t count, expected = 0, found = 0, tied_twice = 0;
  CU_ASSERT_FATAL(!ipg_contact_create(&config, &surface, s.x, &contact, &error));
  const ipg_contact_pair *ties = ipg_contact_pairs(contact, &count);
  for (ipg_id node = 0; node < nodes_of(&s); ++node) {
    double nearest[3] = {INFINITY, INFINITY, INFINITY};
    if (!s.body_of_node[node]) continue;
    for (ipg_id f = 0; f < surface.face_count; ++f)
      nearest[blocks[f]] = fmin(nearest[blocks[f]], closest_point_of(&surface, s.x, node, f).distance);
    expected += (nearest[0] <= .3) + (nearest[2] <= .3), tied_twice += nearest[0] <= .3 && nearest[2] <= .3;
    for (int64_t i = 0; i < count; ++i) {
      if (ties[i].owner != node) continue;
      const double distance = closest_point_of(&surface, s.x, node, ties[i].face).distance;
      CU_ASSERT(distance <= nearest[blocks[ties[i].face]] * (1 + 1e-12) + 1e-15);
      ++found;
    }
  }
  for (int64_t i = 1; i < count; ++i) CU_ASSERT(contact_order(&ties[i - 1], &ties[i]) < 0);
  CU_ASSERT(found == expected && tied_twice > 10);
  ipg_contact_destroy(&contact);
  free(blocks);
  scene_free(&s);
}

/* ----------------------------------------------------------------------------------------------------------- forces */

/* The cube of a published example takes its plate with it: 25.4 mm at 5080 mm/s, the plate ten times as wide. */
static void test_published_cube_and_plate(void) {
  const double side = 25.4, rho = 7.7505e-9, speed = 5080;
  ipg_mesh meshes[] = {scene_box(-127, -127, -side, 127, 127, 0, 10, 10, 2, "plate"),
                       scene_box(-12.7, -12.7, 0, 12.7, 12.7, side, 3, 3, 3, "cube")};
  ipg_contact_rule rule = tie_of(0, 1, 0);
  rule.law.damping = .5;
  ipg_contact_config config = config_with(&rule, 1, 1e-6);
  scene s;
  scene_make(&s, meshes, 2, 2e-6);
  s.body_mass[0] = rho * 254 * 254 * side, s.body_mass[1] = rho * side * side * side;
  s.velocity[1][2] = speed;
  ipg_contact *contact = scene_contact(&s, &config);
  double momentum_error = 0, velocity_error = 0;
  for (int64_t step = 1; step <= 4000; ++step) {
    CU_ASSERT_FATAL(scene_step(&s, contact, 1e-6, step));
    const double momentum = s.body_mass[0] * s.velocity[0][2] + s.body_mass[1] * s.velocity[1][2];
    momentum_error = suite_worst(momentum_error, momentum / (rho * side * side * side * speed) - 1);
    CU_ASSERT_DOUBLE_EQUAL(momentum, .6452, 5e-5);
  }
  for (int b = 0; b < 2; ++b) velocity_error = suite_worst(velocity_error, s.velocity[b][2] / 50.297 - 1);
  suite_gate("face-face: cube tied to a plate (OpenRadioss RD-V:0100): mean velocity", velocity_error, 1e-3);
  suite_gate("face-face: cube tied to a plate (OpenRadioss RD-V:0100): momentum", momentum_error, 1e-10);
  const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
  const double lost = .5 * .6452 * speed * (1 - 50.297 / speed);
  CU_ASSERT_DOUBLE_EQUAL(l.damping_dissipation, lost, .01 * lost);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* Of one step at a velocity: 2 zeta sqrt(k m) of each tie, m half of the inverse of the squared weights over the
 * masses. */
static void test_damper_of_each_tie(void) {
  const double velocity = 2, dt = .01, zeta = .3;
  ipg_contact_rule rule = tie_of(0, 1, 1e-6);
  rule.law.damping = zeta;
  const ipg_contact_config config = config_with(&rule, 1, dt);
  scene s;
  int64_t count;
  double worst = 0;
  make_cube_on_plate(&s, 0);
  ipg_contact *contact = scene_contact(&s, &config);
  set_trial_to_accepted(&s);
  for (int64_t i = 0; i < nodes_of(&s); ++i) s.trial[3 * i + 2] += s.body_of_node[i] == 1 ? velocity * dt : 0;
  evaluate_trial(&s, contact, dt);
  const ipg_contact_pair *ties = ipg_contact_pairs(contact, &count);
  CU_ASSERT(count >= 16);
  for (int64_t i = 0; i < count; ++i) {
    const double away = s.body_of_node[ties[i].owner] == 1 ? velocity : -velocity;
    double inverse = 0;
    for (int k = 0; k < 4; ++k)
      inverse += ties[i].weights[k] * ties[i].weights[k] / s.surface.surface.node_masses[ties[i].nodes[k]];
    const double stiffness = ties[i].history.stiffness, damping = 2 * zeta * sqrt(stiffness * .5 / inverse);
    worst = suite_worst(worst, ties[i].response.force[2] / (-away * (damping + stiffness * dt)) - 1);
  }
  CU_ASSERT(worst <= 1e-9);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* k A / 2 with the stiffnesses k of both sides in series and the area A of the node, a third of its faces. All masses
 * are 1: a face has the mean of 1 / A of its corners, a node that of the stiffest of its faces. */
static double stiffness_per_area(const ipg_surface *s, const double *areas, ipg_id face, double scale) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) sum += 1 / areas[s->faces[3 * (int64_t)face + k]] / 3;
  return scale * sum;
}

static double stiffness_of_tie(const scene *s, const double *areas, const ipg_contact_pair *tie, double scale) {
  const ipg_surface *surface = &s->surface.surface;
  double of_node = 0;
  for (ipg_id f = 0; f < surface->face_count; ++f)
    for (int k = 0; k < 3; ++k)
      if (surface->faces[3 * (int64_t)f + k] == tie->owner)
        of_node = fmax(of_node, stiffness_per_area(surface, areas, f, scale));
  return .5 * areas[tie->owner] / (1 / of_node + 1 / stiffness_per_area(surface, areas, tie->face, scale));
}

static double *find_areas(const scene *s) {
  const ipg_surface *surface = &s->surface.surface;
  double *areas = calloc((size_t)surface->node_count, sizeof *areas), normal[3];
  for (int64_t f = 0; f < surface->face_count; ++f) {
    const ipg_id *corner = surface->faces + 3 * f;
    vec3_normal(s->x + 3 * corner[0], s->x + 3 * corner[1], s->x + 3 * corner[2], normal);
    for (int k = 0; k < 3; ++k) areas[corner[k]] += vec3_length(normal) / 6;
  }
  return areas;
}

/* Pulled apart, pressed together, sheared: the force of every tie is its stiffness times the motion, against it. */
static void test_force_of_motion(void) {
  const double moves[][3] = {{0, 0, .3}, {0, 0, -.2}, {.4, 0, 0}, {0, -.1, .05}};
  for (int m = 0; m < 4; ++m)
    for (int apart = 0; apart < 2; ++apart) {
      const ipg_contact_rule rule = tie_of(1, 0, .05);
      const ipg_contact_config config = config_with(&rule, 1, .1);
      scene s;
      make_cube_on_plate(&s, .03 * apart);
      ipg_contact *contact = scene_contact(&s, &config);
      int64_t count;
      double sum[3] = {0}, *areas = find_areas(&s);
      set_trial_to_accepted(&s);
      for (int64_t i = 0; i < nodes_of(&s); ++i)
        for (int k = 0; k < 3 && s.body_of_node[i] == 1; ++k) s.trial[3 * i + k] += moves[m][k];
      evaluate_trial(&s, contact, .1);
      const ipg_contact_pair *ties = ipg_contact_pairs(contact, &count);
      CU_ASSERT(count >= 16 + 4);
      for (int64_t i = 0; i < count; ++i) {
        const double sign = s.body_of_node[ties[i].owner] ? 1 : -1;
        const double stiffness = stiffness_of_tie(&s, areas, &ties[i], config.penalty_scale / (.1 * .1));
        CU_ASSERT_DOUBLE_EQUAL(ties[i].history.initial_offset, .03 * apart, 1e-15);
        CU_ASSERT_DOUBLE_EQUAL(ties[i].history.stiffness, stiffness, 1e-12 * stiffness);
        CU_ASSERT_DOUBLE_EQUAL(ties[i].gap, moves[m][2], 1e-14);
        CU_ASSERT_DOUBLE_EQUAL(ties[i].response.normal_force, -ties[i].history.stiffness * ties[i].gap, 1e-12);
        for (int k = 0; k < 3; ++k) {
          CU_ASSERT_DOUBLE_EQUAL(ties[i].response.force[k], -ties[i].history.stiffness * sign * moves[m][k], 1e-12);
          sum[k] -= ties[i].history.stiffness * moves[m][k];
        }
      }
      for (int64_t i = 0; i < nodes_of(&s); ++i)
        for (int k = 0; k < 3 && s.body_of_node[i] == 1; ++k) sum[k] -= s.force[3 * i + k];
      for (int k = 0; k < 3; ++k) CU_ASSERT(fabs(sum[k]) < 1e-11);
      free(areas);
      ipg_contact_destroy(&contact);
      scene_free(&s);
    }
}

static void rotate(const double *x, double angle, double *y) {
  y[0] = cos(angle) * x[0] - sin(angle) * x[2], y[1] = x[1] + angle, y[2] = sin(angle) * x[0] + cos(angle) * x[2];
}

/* Both blocks rotate together by some ten degrees a step, at an offset, with damping: no forces. */
static void test_rigid_motion(void) {
  ipg_contact_rule rule = tie_of(0, 1, .2);
  rule.law.damping = .7;
  const ipg_contact_config config = config_with(&rule, 1, .02);
  scene s;
  make_cube_on_plate(&s, .1);
  ipg_contact *contact = scene_contact(&s, &config);
  ipg_error error = {0};
  double *v = calloc(3 * (size_t)nodes_of(&s), sizeof *v);
  for (int64_t step = 1; step <= 20; ++step) {
    int64_t count;
    for (int64_t i = 0; i < nodes_of(&s); ++i) rotate(s.x + 3 * i, .2 * (double)step, s.trial + 3 * i);
    for (int64_t i = 0; i < nodes_of(&s); ++i) v[3 * i + 1] = 1, v[3 * i] = s.trial[3 * i + 2];
    CU_ASSERT_FATAL(!evaluate_after(contact, .1, s.trial, v, s.force, &error));
    const ipg_contact_pair *ties = ipg_contact_pairs(contact, &count);
    CU_ASSERT(count >= 20);
    for (int64_t i = 0; i < count; ++i)
      for (int k = 0; k < 3; ++k) CU_ASSERT(fabs(ties[i].response.force[k]) <= 1e-10 * ties[i].history.stiffness);
    CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
  }
  free(v);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* ---------------------------------------------------------------------------------------------------- conservation */

/* The forces of contacts on their nodes add up to those of the evaluation, to the bit, before it is accepted and after;
 * and after a step back to those of the step before. */
static bool add_up_to(const scene *s, const ipg_contact *contact, const double *force) {
  const size_t values = 3 * (size_t)nodes_of(s);
  int64_t count;
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  double *sums = calloc(values, sizeof *sums), part[3];
  for (int64_t i = 0; i < count; ++i)
    for (int n = 0; n < 4; ++n) {
      ipg_contact_force_on(contact, &pairs[i], n, part);
      for (int k = 0; k < 3; ++k) sums[3 * (int64_t)pairs[i].nodes[n] + k] += part[k];
    }
  const bool same = count > 0 && !memcmp(sums, force, values * sizeof *sums);
  free(sums);
  return same;
}

static void test_forces_on_nodes(void) {
  const ipg_contact_rule rule = tie_of(0, 1, .05);
  const ipg_contact_config config = config_with(&rule, 1, .02);
  ipg_error error = {0};
  rng r = rng_start(41);
  scene s;
  make_cube_on_plate(&s, .04);
  const size_t bytes = 3 * (size_t)nodes_of(&s) * sizeof(double);
  double *before = malloc(bytes);
  ipg_contact *contact = scene_contact(&s, &config);
  for (int64_t step = 1; step <= 3; ++step) {
    memcpy(before, s.force, bytes);
    for (int64_t i = 0; i < 3 * nodes_of(&s); ++i) s.trial[i] = s.x[i] + rng_between(&r, -.02, .02);
    evaluate_trial(&s, contact, .1);
    CU_ASSERT(add_up_to(&s, contact, s.force));
    CU_ASSERT(!ipg_contact_accept(contact, step, &error));
    CU_ASSERT(add_up_to(&s, contact, s.force));
  }
  CU_ASSERT(!ipg_contact_revert(contact, &error));
  CU_ASSERT(add_up_to(&s, contact, before));
  ipg_contact_destroy(&contact);
  free(before);
  scene_free(&s);
}

/* Random positions: forces sum to zero, and so do their moments, with an offset too, but for the angular-momentum
 * defect of dampers. */
static void test_momentum(void) {
  rng random = rng_start(37);
  double force_error = 0, moment_error = 0, defect = 0;
  for (int kind = 0; kind < 4; ++kind) {
    const bool apart = kind % 2, damped = kind / 2;
    double largest = 0;
    ipg_contact_rule rule = tie_of(0, 1, .05);
    rule.law.damping = damped ? .2 : 0;
    const ipg_contact_config config = config_with(&rule, 1, .02);
    scene s;
    make_cube_on_plate(&s, .04 * apart);
    ipg_contact *contact = scene_contact(&s, &config);
    ipg_error error = {0};
    double booked[3] = {0};
    for (int64_t step = 1; step <= 20; ++step) {
      double sum[3] = {0}, moment[3] = {0}, size = 0;
      for (int64_t i = 0; i < 3 * nodes_of(&s); ++i) s.trial[i] = s.x[i] + .1 * rng_unit(&random);
      evaluate_trial(&s, contact, .1);
      CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
      for (int64_t i = 0; i < nodes_of(&s); ++i)
        for (int k = 0; k < 3; ++k) {
          const double *f = s.force + 3 * i, *x = s.trial + 3 * i;
          sum[k] += f[k], size += fabs(f[k]);
          moment[k] += x[(k + 1) % 3] * f[(k + 2) % 3] - x[(k + 2) % 3] * f[(k + 1) % 3];
        }
      const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
      CU_ASSERT(size > 0);
      for (int k = 0; k < 3; ++k) {
        const double booked_moment = (l.angular_momentum_defect[k] - booked[k]) / .1;
        force_error = suite_worst(force_error, sum[k] / size);
        moment_error = suite_worst(moment_error, (moment[k] - booked_moment) / size);
        if (!damped) defect = suite_worst(defect, l.angular_momentum_defect[k] / size);
        largest = fmax(largest, fabs(l.angular_momentum_defect[k]));
        booked[k] = l.angular_momentum_defect[k];
      }
    }
    CU_ASSERT_EQUAL(largest > 1e-6, damped);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
  suite_gate("face-face: ties: sum of the forces, of their size", force_error, 1e-12);
  suite_gate("face-face: ties: moment of the forces against the angular-momentum defect of dampers", moment_error,
             1e-12);
  suite_gate("face-face: ties without damping: angular-momentum defect", defect, 1e-12);
}

/* Deforming and rotating bodies: the energy balance closes to rounding in every step, with an offset and without, with
 * damping, over longer steps that lower the stiffness, and when the rule's time is over. */
static void test_energy_balance_closes(void) {
  for (int i = 0; i < 4; ++i) {
    ipg_contact_rule rule = tie_of(0, 1, .05);
    rule.law.damping = i % 2 ? .3 : 0, rule.until = .7;
    const ipg_contact_config config = config_with(&rule, 1, .02);
    const double dt = 5e-3;
    scene s;
    spring_host h;
    make_cube_on_plate(&s, i < 2 ? 0 : .04);
    double *v = calloc(3 * (size_t)s.mesh.node_count, sizeof *v), start = 0;
    for (int64_t n = 0; n < s.mesh.node_count; ++n) {
      const double *x = s.mesh.x + 3 * n;
      v[3 * n] = x[2], v[3 * n + 1] = .5 * x[2] * (x[2] > .02), v[3 * n + 2] = -x[0] + .7 * (x[2] > .02);
      for (int k = 0; k < 3; ++k) start += .5 * s.masses[n] * v[3 * n + k] * v[3 * n + k];
    }
    spring_host_make(&h, &s, v, .3, 2 * dt);
    ipg_contact *contact = scene_contact(&s, &config);
    ipg_error error = {0};
    double time = 0, largest = 0, softest = INFINITY;
    int64_t last = 1;
    for (int64_t step = 1; step <= 150; ++step) {
      const double now = step > 60 && step <= 90 ? 1.5 * dt : dt; /* lowers the stiffness, which does not grow again */
      spring_host_predict(&h, &s, now);
      evaluate_trial(&s, contact, now);
      CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
      spring_host_complete(&h, &s, now);
      time += now;
      const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
      CU_ASSERT(fabs(l.contact_work + l.contact_energy + l.damping_dissipation + l.spring_net_loss) <=
                1e-12 * (start + fabs(l.spring_net_loss)));
      CU_ASSERT(l.friction_dissipation == 0 && l.external_work == 0 && l.smallest_gap == 0);
      const ipg_contact_pair *ties = ipg_contact_pairs(contact, &last);
      if (last) CU_ASSERT(ties->history.stiffness <= softest && ties->history.stiffness > 0);
      if (last) softest = ties->history.stiffness;
      largest = fmax(largest, l.contact_energy);
      CU_ASSERT((last == 0) == (time >= .7));
      if (i == 0 && step < 60) CU_ASSERT(fabs(l.spring_net_loss) <= 1e-12 * start);
    }
    const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
    CU_ASSERT(last == 0 && largest > 1e-3 * start && l.deactivations == l.activations && l.spring_net_loss != 0);
    CU_ASSERT((l.damping_dissipation > 1e-3 * start) == (i % 2));
    ipg_contact_destroy(&contact);
    spring_host_free(&h);
    scene_free(&s);
  }
}

/* Two bars tied end to end across an offset, and a small velocity: for thousands of steps ties make no energy. Without
 * the moment of the offset on the face, the energy would grow a millionfold. */
static void test_offset_in_long_run(void) {
  ipg_contact_rule rule = tie_of(0, 1, .101);
  const ipg_contact_config config = config_with(&rule, 1, .02);
  const double dt = 1e-2;
  ipg_mesh meshes[] = {scene_box(-1, -.2, -.2, 0, .2, .2, 5, 2, 2, "left"),
                       scene_box(.1, -.2, -.2, 1.1, .2, .2, 5, 2, 2, "right")};
  scene s;
  spring_host h;
  scene_make(&s, meshes, 2, 1);
  double *v = calloc(3 * (size_t)s.mesh.node_count, sizeof *v), start = 0;
  for (int64_t n = 0; n < s.mesh.node_count; ++n) {
    const double *x = s.mesh.x + 3 * n;
    if (x[0] > .05) v[3 * n + 1] = 1e-3 * x[0], v[3 * n + 2] = .7e-3 * x[1];
    start += .5 * (v[3 * n + 1] * v[3 * n + 1] + v[3 * n + 2] * v[3 * n + 2]);
  }
  spring_host_make(&h, &s, v, .4, dt);
  ipg_contact *contact = scene_contact(&s, &config);
  ipg_error error = {0};
  double most = 0;
  for (int64_t step = 1; step <= 3000; ++step) {
    spring_host_predict(&h, &s, dt);
    evaluate_trial(&s, contact, dt);
    CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
    spring_host_complete(&h, &s, dt);
    most = fmax(most, h.kinetic - h.work + ipg_contact_get_energy_balance(contact).contact_energy);
  }
  suite_gate("face-face: two bars tied across an offset of half an element, 3000 steps: energy gained",
             most / start - 1, .01);
  CU_ASSERT(fabs(ipg_contact_get_energy_balance(contact).spring_net_loss) < 1e-6 * start);
  ipg_contact_destroy(&contact);
  spring_host_free(&h);
  scene_free(&s);
}

/* The time of the rule is over in a step in which the sides change places: the work of the last force in that step is
 * booked as spring net loss, also below 0. */
static void test_end_of_time(void) {
  ipg_contact_rule rule = tie_of(0, 1, 0);
  rule.until = .15;
  const ipg_contact_config config = config_with(&rule, 1, .1);
  scene s;
  make_cube_on_plate(&s, 0);
  s.body_mass[0] = s.body_mass[1] = 1e12;
  ipg_contact *contact = scene_contact(&s, &config);
  s.velocity[1][2] = 1;
  CU_ASSERT_FATAL(scene_step(&s, contact, .1, 1));
  CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, 20);
  const double stored = ipg_contact_get_energy_balance(contact).contact_energy;
  s.velocity[1][2] = -2;
  CU_ASSERT_FATAL(scene_step(&s, contact, .1, 2));
  const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
  CU_ASSERT(stored > 0 && l.contact_energy == 0 && l.deactivations == 20 &&
            ipg_contact_get_counters(contact).contacts == 0);
  CU_ASSERT_DOUBLE_EQUAL(l.contact_work, stored, 1e-12 * stored);
  CU_ASSERT_DOUBLE_EQUAL(l.spring_net_loss, -stored, 1e-12 * stored);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* --------------------------------------------------------------------------------------------------- other contact */

/* Tied blocks have no other contact with each other, but with a third body: a cube is tied by its edge nodes only, its
 * middle is moved through the plate; a ball touches both. */
static void test_no_other_contact(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 5, 5, 2, "plate"),
                       scene_box(-.33, -.31, .2, .37, .39, .9, 3, 3, 3, "cube"),
                       scene_ball(-.7, -.7, .32, .3, 3, "ball")};
  const ipg_contact_rule rule = tie_of(0, 1, .21);
  const ipg_contact_config config = config_with(&rule, 1, .02);
  scene s;
  scene_make(&s, meshes, 3, 1);
  ipg_contact *contact = scene_contact(&s, &config);
  ipg_contact_audit_report report;
  ipg_error error = {0};
  int64_t count, through = 0, balls = 0, ties = 0;
  set_trial_to_accepted(&s);
  for (int64_t i = 0; i < nodes_of(&s); ++i) {
    if (s.body_of_node[i] == 2) s.trial[3 * i + 2] -= .05;
    if (s.body_of_node[i] == 1) s.trial[3 * i + 2] -= .3;
    through += s.body_of_node[i] == 1 && s.trial[3 * i + 2] < 0;
  }
  evaluate_trial(&s, contact, .1);
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  for (int64_t i = 0; i < count; ++i) {
    const int32_t a = s.body_of_node[pairs[i].nodes[0]], b = s.body_of_node[pairs[i].nodes[1]];
    ties += pairs[i].kind == IPG_CONTACT_TIE && a + b == 1;
    balls += pairs[i].kind == IPG_CONTACT_NODE_FACE && a + b == 2;
  }
  CU_ASSERT(through == 16 && balls > 0 && ties > 0 && balls + ties == count);
  CU_ASSERT_FATAL(!ipg_contact_audit(contact, &report, &error));
  CU_ASSERT(!report.missed_candidates && !report.wrong_contacts && !report.wrong_forces &&
            !report.nodes_inside); /* they are tied */
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* A node as far from the face as the tie distance is tied; and on several ranks only the nodes that one owns. */
static void test_at_the_tie_distance(void) {
  const ipg_contact_rule rule = tie_of(0, 1, .25);
  const ipg_contact_config config = config_with(&rule, 1, .1);
  for (int part = 0; part < 2; ++part) {
    scene s;
    int64_t count, expected = 0;
    make_cube_on_plate(&s, .25);
    uint8_t *owned = malloc((size_t)nodes_of(&s));
    for (int64_t i = 0; i < nodes_of(&s); ++i) {
      owned[i] = !part || i % 2;
      const bool is_lowest = s.body_of_node[i] == 1 && s.x[3 * i + 2] == .25, is_below = s.body_of_node[i] == 0;
      expected += owned[i] && (is_lowest || (is_below && nearest_of_other(&s, (ipg_id)i) <= .25));
    }
    s.surface.surface.node_owned = owned;
    ipg_contact *contact = scene_contact(&s, &config);
    const ipg_contact_pair *ties = ipg_contact_pairs(contact, &count);
    CU_ASSERT(count == expected && count >= 8);
    for (int64_t i = 0; i < count; ++i) CU_ASSERT(owned[ties[i].owner]);
    ipg_contact_destroy(&contact);
    s.surface.surface.node_owned = NULL;
    scene_free(&s);
    free(owned);
  }
}

/* Nodes of a tied block that are too far in the other one to be tied are not the audit's business. */
static void test_deep_in_a_tied_block(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 5, 5, 5, "plate"),
                       scene_box(-.33, -.31, -.5, .37, .39, .01, 3, 3, 3, "cube")};
  const ipg_contact_rule rule = tie_of(0, 1, .02);
  const ipg_contact_config config = config_with(&rule, 1, .1);
  scene s;
  ipg_contact_audit_report report;
  ipg_error error = {0};
  int64_t count;
  scene_make(&s, meshes, 2, 1);
  ipg_contact *contact = scene_contact(&s, &config);
  set_trial_to_accepted(&s);
  evaluate_trial(&s, contact, .1);
  ipg_contact_pairs(contact, &count);
  CU_ASSERT_FATAL(!ipg_contact_audit(contact, &report, &error));
  CU_ASSERT(count > 0 && !report.nodes_inside && !report.message[0]);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* The key of a tie names the part of the side, too. */
static void test_key_of_a_part(void) {
  const double x[21] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, .2, .7, .1, .3, .8, .5, .1, .9, .5};
  small_surface s = small_surface_of(7, 3, (ipg_id[]){0, 1, 2, 0, 2, 3, 4, 5, 6});
  s.elements[1] = s.elements[0], s.sides[0] = s.sides[1] = 2, s.subs[1] = 1, s.bodies[2] = s.blocks[2] = 1;
  const ipg_surface surface = small_surface_view(&s);
  const ipg_contact_rule rule = tie_of(0, 1, .2);
  const ipg_contact_config config = config_with(&rule, 1, .1);
  ipg_contact *contact = NULL;
  ipg_error error = {0};
  int64_t count;
  CU_ASSERT_FATAL(!ipg_contact_create(&config, &surface, x, &contact, &error));
  const ipg_contact_pair *ties = ipg_contact_pairs(contact, &count);
  CU_ASSERT_EQUAL_FATAL(count, 1);
  const ipg_contact_key key = ipg_contact_key_of(contact, &ties[0]);
  CU_ASSERT(key.kind == IPG_CONTACT_TIE && key.owner[0] == 5 && key.touched[0] == 11 && key.touched[1] == 4 * 2 + 1);
  ipg_contact_destroy(&contact);
}

/* A face that is so thin that it has no normal is none to be tied to. */
static void test_no_tie_to_a_thin_face(void) {
  const double x[18] = {0, 0, 0, 1, 0, 0, .5, 0, 0, .4, 0, 1e-8, 0, 0, 1, 1, 0, 1};
  small_surface s = small_surface_of(6, 2, (ipg_id[]){0, 1, 2, 3, 4, 5});
  s.bodies[1] = s.blocks[1] = 1;
  const ipg_surface surface = small_surface_view(&s);
  const ipg_contact_rule rule = tie_of(0, 1, .01);
  const ipg_contact_config config = config_with(&rule, 1, .1);
  ipg_contact *contact = NULL;
  ipg_error error = {0};
  CU_ASSERT_EQUAL(ipg_contact_create(&config, &surface, x, &contact, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(contact == NULL && strstr(error.message, "no node of one is within") != NULL);
}

/* New positions make new ties; where nothing can be tied the old state is kept. */
static void test_set_positions(void) {
  const ipg_contact_rule rule = tie_of(0, 1, .05);
  const ipg_contact_config config = config_with(&rule, 1, .1);
  scene s;
  make_cube_on_plate(&s, .03);
  ipg_contact *contact = scene_contact(&s, &config);
  ipg_error error = {0};
  int64_t count, before;
  set_trial_to_accepted(&s);
  evaluate_trial(&s, contact, .1);
  CU_ASSERT_FATAL(!ipg_contact_accept(contact, 1, &error));
  before = ipg_contact_get_counters(contact).contacts;
  for (int64_t i = 0; i < nodes_of(&s); ++i) s.trial[3 * i + 2] += s.body_of_node[i] == 1;
  CU_ASSERT_EQUAL(ipg_contact_set_positions(contact, ipg_contact_get_time(contact), s.trial, &error),
                  IPG_ERROR_ARGUMENT);
  ipg_contact_pairs(contact, &count);
  CU_ASSERT_EQUAL(count, before);
  for (int64_t i = 0; i < nodes_of(&s); ++i) s.trial[3 * i + 2] -= (s.body_of_node[i] == 1) * .99;
  evaluate_trial(&s, contact, .1);
  const ipg_contact_pair *ties = ipg_contact_pairs(contact, &count);
  for (int64_t i = 0; i < count; ++i) CU_ASSERT_DOUBLE_EQUAL(ties[i].gap, .01, 1e-14);
  CU_ASSERT_FATAL(!ipg_contact_set_positions(contact, ipg_contact_get_time(contact), s.trial, &error));
  CU_ASSERT_EQUAL(ipg_contact_accept(contact, 2, &error), IPG_ERROR_ARGUMENT); /* the trial is gone */
  evaluate_trial(&s, contact, .1);
  ties = ipg_contact_pairs(contact, &count);
  CU_ASSERT_EQUAL(count, before);
  for (int64_t i = 0; i < count; ++i)
    CU_ASSERT(fabs(ties[i].gap) < 1e-14 && fabs(ties[i].history.initial_offset - .04) < 1e-14);
  CU_ASSERT_EQUAL(ipg_contact_last_step(contact), 1);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* At a new start there are the ties of that time; those that are still to come cannot be made. */
static void test_set_positions_at_times(void) {
  ipg_contact_rule rule = tie_of(0, 1, .05);
  rule.from = -1, rule.until = 3;
  const ipg_contact_config config = config_with(&rule, 1, .1);
  scene s;
  make_cube_on_plate(&s, .03);
  ipg_contact *contact = scene_contact(&s, &config);
  ipg_error error = {0};
  int64_t count, later;
  ipg_contact_pairs(contact, &count);
  CU_ASSERT(count > 0);
  CU_ASSERT_EQUAL(ipg_contact_set_positions(contact, -2, s.x, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "ties from -1 on, after the start at -2"));
  CU_ASSERT_FATAL(!ipg_contact_set_positions(contact, 2, s.x, &error));
  ipg_contact_pairs(contact, &later);
  CU_ASSERT_EQUAL(later, count);
  CU_ASSERT_FATAL(!ipg_contact_set_positions(contact, 3, s.x, &error));
  ipg_contact_pairs(contact, &later);
  CU_ASSERT_EQUAL(later, 0);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static ipg_contact_explanation explain_pair(const scene *s, const ipg_contact *contact, ipg_id node, ipg_id face) {
  const ipg_surface *surface = &s->surface.surface;
  ipg_contact_explanation e;
  ipg_error error = {0};
  const ipg_contact_face_id at = {surface->face_elements[face], surface->face_sides[face], 0};
  CU_ASSERT_FATAL(!ipg_contact_explain(contact, surface->node_gids[node], at, &e, &error));
  CU_ASSERT(strlen(e.sentence) > 10 && strlen(e.sentence) + 1 < sizeof e.sentence);
  return e;
}

static void test_explanations(void) {
  ipg_contact_rule rule = tie_of(0, 1, 0);
  rule.until = 1;
  const ipg_contact_config config = config_with(&rule, 1, .1);
  scene s;
  make_cube_on_plate(&s, 0);
  ipg_contact *contact = scene_contact(&s, &config);
  set_trial_to_accepted(&s);
  for (int64_t i = 0; i < nodes_of(&s); ++i) s.trial[3 * i + 2] += (s.body_of_node[i] == 1) * .25;
  evaluate_trial(&s, contact, .5);
  int64_t count;
  const ipg_contact_pair tie = ipg_contact_pairs(contact, &count)[0];
  ipg_id other = 0, far = 0;
  while (other == tie.face || s.surface.surface.face_blocks[other] != s.surface.surface.face_blocks[tie.face]) ++other;
  while (s.body_of_node[far] != s.body_of_node[tie.owner] || fabs(s.x[3 * far + 2]) < .1) ++far;
  const ipg_contact_explanation e = explain_pair(&s, contact, tie.owner, tie.face);
  CU_ASSERT(e.reason == IPG_REASON_TIED && fabs(e.gap - .25) < 1e-14);
  CU_ASSERT_PTR_NOT_NULL(strstr(e.sentence, "is tied to the face, 0.25 longer"));
  CU_ASSERT_PTR_NOT_NULL(strstr(explain_pair(&s, contact, tie.owner, other).sentence, "tied to this block at side"));
  CU_ASSERT_PTR_NOT_NULL(strstr(explain_pair(&s, contact, far, other).sentence, "too far"));
  CU_ASSERT_EQUAL(explain_pair(&s, contact, far, other).reason, IPG_REASON_TIED);
  evaluate_trial(&s, contact, 1);
  CU_ASSERT_EQUAL(explain_pair(&s, contact, tie.owner, tie.face).reason, IPG_REASON_OFF);
  CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, 0);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* A changed surface: one more node, before all others, one face less, and one face that has the new node. */
typedef struct changed {
  ipg_surface surface;
  double *x;
  ipg_id gone, altered; /* faces, as they were numbered */
} changed;

static void *copy_of(const void *from, int64_t count, size_t bytes, int64_t skip, int64_t before) {
  char *to = calloc((size_t)(count + before), bytes);
  const int64_t first = skip < 0 ? count : skip;
  memcpy(to + (size_t)before * bytes, from, (size_t)first * bytes);
  if (skip >= 0)
    memcpy(to + (size_t)(before + skip) * bytes, (const char *)from + (size_t)(skip + 1) * bytes,
           (size_t)(count - skip - 1) * bytes);
  return to;
}

static changed change_surface(const scene *s, ipg_id gone, ipg_id altered) {
  const ipg_surface *was = &s->surface.surface;
  const int64_t nodes = was->node_count, faces = was->face_count;
  changed now = {.gone = gone, .altered = altered, .x = copy_of(s->x, nodes, 24, -1, 1)};
  ipg_gid *gids = copy_of(was->node_gids, nodes, sizeof *gids, -1, 1);
  double *masses = copy_of(was->node_masses, nodes, sizeof *masses, -1, 1);
  ipg_id *corners = copy_of(was->faces, faces, 3 * sizeof *corners, gone, 0);
  ipg_id *opposites = copy_of(was->face_opposites, faces, sizeof *opposites, gone, 0);
  gids[0] = gids[1] - 1, masses[0] = 1, now.x[2] = 9;
  /* of these only the new node's is taken: it has not moved */
  for (int64_t i = 0; i < 3 * (faces - 1); ++i) corners[i]++;
  for (int64_t i = 0; i < faces - 1; ++i) opposites[i] += opposites[i] >= 0;
  corners[3 * (altered - (altered > gone))] = 0;
  now.surface = (ipg_surface){.node_count = nodes + 1,
                              .face_count = faces - 1,
                              .node_gids = gids,
                              .node_masses = masses,
                              .start_positions = now.x,
                              .faces = corners,
                              .face_opposites = opposites,
                              .face_elements = copy_of(was->face_elements, faces, sizeof(ipg_gid), gone, 0),
                              .face_sides = copy_of(was->face_sides, faces, 1, gone, 0),
                              .face_bodies = copy_of(was->face_bodies, faces, sizeof(int32_t), gone, 0),
                              .face_blocks = copy_of(was->face_blocks, faces, sizeof(int32_t), gone, 0)};
  return now;
}

static void free_changed(changed *now) {
  const void *arrays[] = {now->x,
                          now->surface.node_gids,
                          now->surface.node_masses,
                          now->surface.faces,
                          now->surface.face_opposites,
                          now->surface.face_elements,
                          now->surface.face_sides,
                          now->surface.face_bodies,
                          now->surface.face_blocks};
  for (int i = 0; i < 9; ++i) free((void *)(uintptr_t)arrays[i]);
}

static bool is_broken(const ipg_contact_pair *pair, const changed *now) {
  return pair->kind == IPG_CONTACT_TIE && (pair->face == now->gone || pair->face == now->altered);
}

static double energy_of(const ipg_contact_pair *tie) {
  double length2 = 0;
  for (int k = 0; k < 3; ++k) length2 += pow(tie->gap * tie->normal[k] + tie->history.tangential_slip[k], 2);
  return .5 * tie->history.stiffness * length2;
}

static void check_keys(const ipg_contact *contact, const ipg_contact_pair *pairs, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const ipg_contact_key key = ipg_contact_key_of(contact, &pairs[i]);
    CU_ASSERT(key.kind == pairs[i].kind && key.owner[0] == pairs[i].node_gid && key.owner[1] == 0);
    CU_ASSERT_EQUAL(key.touched[0], pairs[i].kind == IPG_CONTACT_TIE ? pairs[i].element : pairs[i].touched);
    CU_ASSERT_EQUAL(key.touched[1], pairs[i].kind == IPG_CONTACT_TIE ? 4 * pairs[i].side : 0);
  }
}

static void check_kept_contact(const ipg_contact_pair *was, const ipg_contact_pair *is, const changed *now) {
  CU_ASSERT(is->kind == was->kind && is->owner == was->owner + 1 && is->node_gid == was->node_gid);
  for (int k = 0; k < 4; ++k) CU_ASSERT(is->nodes[k] == was->nodes[k] + 1 && is->weights[k] == was->weights[k]);
  CU_ASSERT(is->element == was->element && is->side == was->side);
  CU_ASSERT(is->gap == was->gap && is->history.stiffness == was->history.stiffness);
  if (was->kind == IPG_CONTACT_TIE)
    CU_ASSERT(is->face == was->face - (was->face > now->gone) && is->touched == is->face);
  if (was->kind == IPG_CONTACT_NODE_WALL) CU_ASSERT(is->face == -1 && is->touched == was->touched);
}

/* Ties of removed faces are broken and their spring energy is booked as lost; all others, and contacts with walls, are
 * kept. */
static void test_erosion(void) {
  const ipg_contact_wall wall = {.point = {0, 0, -.51}, .normal = {0, 0, 1}, .velocity = {0, 0, 1}};
  const ipg_contact_rule rule = tie_of(0, 1, 0);
  ipg_contact_config config = config_with(&rule, 1, 2e-3);
  config.walls = &wall, config.wall_count = 1;
  config.onset = 1e-3; /* else it follows from the mean face */
  scene s;
  make_cube_on_plate(&s, 0);
  ipg_contact *contact = scene_contact(&s, &config);
  ipg_error error = {0};
  s.velocity[1][2] = .3;
  for (int64_t step = 1; step <= 20; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, 2e-3, step));
  int64_t count, left_count, broken = 0, wall_contacts = 0;
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  ipg_contact_pair *old = malloc((size_t)count * sizeof *old);
  memcpy(old, pairs, (size_t)count * sizeof *old);
  check_keys(contact, pairs, count);
  changed now = change_surface(&s, old[count - 1].face, old[36].face);
  double lost = 0;
  for (int64_t i = 0; i < count; ++i) {
    wall_contacts += old[i].kind == IPG_CONTACT_NODE_WALL, broken += is_broken(&old[i], &now);
    if (is_broken(&old[i], &now)) lost += energy_of(&old[i]);
  }
  CU_ASSERT(now.gone != now.altered && broken > 1 && broken < count - wall_contacts && wall_contacts == 36);
  const ipg_contact_energy_balance before = ipg_contact_get_energy_balance(contact);
  CU_ASSERT_FATAL(!ipg_contact_update_surface(contact, &now.surface, now.x, &error));
  const ipg_contact_energy_balance after = ipg_contact_get_energy_balance(contact);
  CU_ASSERT_DOUBLE_EQUAL(after.spring_net_loss - before.spring_net_loss, lost, 1e-12 * before.contact_energy);
  CU_ASSERT_DOUBLE_EQUAL(before.contact_energy - after.contact_energy, lost, 1e-12 * before.contact_energy);
  CU_ASSERT_EQUAL(after.deactivations - before.deactivations, broken);
  pairs = ipg_contact_pairs(contact, &left_count);
  CU_ASSERT_EQUAL_FATAL(left_count, count - broken);
  for (int64_t i = 0, j = 0; i < count; ++i)
    if (!is_broken(&old[i], &now)) check_kept_contact(&old[i], &pairs[j++], &now);
  double *force = malloc(3 * (size_t)now.surface.node_count * sizeof *force);
  CU_ASSERT_FATAL(!evaluate_after(contact, 2e-3, now.x, NULL, force, &error));
  CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, left_count);
  free(force), free(old);
  free_changed(&now);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* ---------------------------------------------------------------------------------------------------- the same bits */

enum { MOST_VALUES = 6000 };

typedef struct outcome {
  double x[MOST_VALUES], force[MOST_VALUES];
  ipg_contact_energy_balance balance;
} outcome;

static void run_tied_cube(outcome *o, int workers, double search_margin, double scale, bool evaluate_twice) {
  ipg_contact_rule rule = tie_of(0, 1, .05 * scale);
  rule.law.damping = .1;
  ipg_contact_config config = config_with(&rule, 1, .02);
  ipg_pool *pool = NULL;
  ipg_error error = {0};
  scene s;
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 8, 8, 2, "plate"),
                       scene_box(-.53, -.51, .03, .57, .59, .7, 16, 16, 2, "cube"),
                       scene_ball(-.1, 0, 1, .29, 2, "ball")};
  scene_make(&s, meshes, 3, 1);
  CU_ASSERT_FATAL(3 * nodes_of(&s) < MOST_VALUES);
  for (int64_t i = 0; i < 3 * nodes_of(&s); ++i) s.x[i] *= scale;
  s.velocity[1][0] = scale, s.velocity[1][2] = .5 * scale, s.velocity[2][2] = -scale;
  config.search_margin = search_margin;
  if (workers) CU_ASSERT_FATAL(!ipg_pool_create(workers, &pool, NULL));
  if (workers) config.tasks = ipg_pool_tasks(pool);
  ipg_contact *contact = scene_contact(&s, &config);
  for (int64_t step = 1; step <= 60; ++step) {
    if (evaluate_twice) CU_ASSERT_FATAL(!evaluate_after(contact, 3e-3, s.x, NULL, s.force, &error));
    CU_ASSERT_FATAL(scene_step(&s, contact, 4e-3, step));
    if (!evaluate_twice || step % 7) continue;
    CU_ASSERT_FATAL(!ipg_contact_revert(contact, &error));
    CU_ASSERT_FATAL(!evaluate_after(contact, 4e-3, s.trial, NULL, s.force, &error));
    CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
  }
  memset(o, 0, sizeof *o);
  memcpy(o->x, s.x, 3 * (size_t)nodes_of(&s) * sizeof(double));
  memcpy(o->force, s.force, 3 * (size_t)nodes_of(&s) * sizeof(double));
  o->balance = ipg_contact_get_energy_balance(contact);
  ipg_contact_destroy(&contact);
  ipg_pool_destroy(&pool);
  scene_free(&s);
}

static void test_same_bits(void) {
  static outcome reference, other;
  const int workers[] = {1, 2, 4};
  run_tied_cube(&reference, 0, .2, 1, false);
  CU_ASSERT(reference.balance.activations > 256 && reference.balance.damping_dissipation > 0 &&
            reference.balance.smallest_gap < 0);
  for (int i = 0; i < 3; ++i) {
    run_tied_cube(&other, workers[i], .1 * i, 1, i == 1);
    CU_ASSERT(!memcmp(&reference, &other, sizeof other));
  }
}

static void test_scaling_by_powers_of_two(void) {
  static outcome reference, other;
  const double scales[] = {1024, 1. / 1024};
  run_tied_cube(&reference, 0, .2, 1, false);
  for (int i = 0; i < 2; ++i) {
    run_tied_cube(&other, 0, .2, scales[i], false);
    for (int k = 0; k < MOST_VALUES; ++k) other.x[k] /= scales[i], other.force[k] /= scales[i];
    CU_ASSERT(!memcmp(reference.x, other.x, sizeof other.x));
    CU_ASSERT(!memcmp(reference.force, other.force, sizeof other.force));
    CU_ASSERT_EQUAL(reference.balance.angular_momentum_defect[1],
                    other.balance.angular_momentum_defect[1] / (scales[i] * scales[i]));
  }
}

/* ----------------------------------------------------------------------------------------------------------- errors */

static void expect_refusal(const scene *s, const ipg_contact_rule *rules, int64_t count, ipg_status status,
                           const char *words) {
  const ipg_contact_config config = config_with(rules, count, .1);
  scene_expect_refusal(s, &config, status, words);
}

static void test_refusals(void) {
  scene s;
  make_cube_on_plate(&s, .1);
  ipg_contact_rule rules[2] = {tie_of(0, 1, 0), tie_of(1, 0, .2)};
  expect_refusal(&s, rules, 1, IPG_ERROR_ARGUMENT,
                 "contact rule 0 ties blocks 0 and 1, but no node of one touches a face of the other");
  rules[0].tie_within = .05;
  expect_refusal(&s, rules, 1, IPG_ERROR_ARGUMENT, "no node of one is within 0.05 of a face of the other");
  expect_refusal(&s, rules, 2, IPG_ERROR_ARGUMENT, "say different things");
  rules[0] = ipg_contact_rule_defaults(), rules[0].blocks[0] = 0, rules[0].blocks[1] = 1, rules[0].tie_within = .2;
  expect_refusal(&s, rules, 2, IPG_ERROR_ARGUMENT, "say different things");
  rules[0] = rules[1];
  ipg_contact_config config = config_with(rules, 2, .1); /* the same rule twice is no contradiction */
  ipg_contact *contact = scene_contact(&s, &config);
  ipg_contact_destroy(&contact);
  rules[0].off = true;
  expect_refusal(&s, rules, 1, IPG_ERROR_ARGUMENT, "contact rule 0 is off and tied");
  rules[0] = tie_of(-1, 1, 1);
  expect_refusal(&s, rules, 1, IPG_ERROR_ARGUMENT, "name two different ones");
  rules[0] = tie_of(1, 1, 1);
  expect_refusal(&s, rules, 1, IPG_ERROR_ARGUMENT, "ties blocks 1 and 1; name two different ones");
  rules[0] = tie_of(0, 1, -1);
  expect_refusal(&s, rules, 1, IPG_ERROR_NUMBER, "ties within -1");
  rules[0] = tie_of(0, 1, NAN);
  expect_refusal(&s, rules, 1, IPG_ERROR_NUMBER, "ties within");
  rules[0] = tie_of(0, 1, INFINITY);
  expect_refusal(&s, rules, 1, IPG_ERROR_NUMBER, "ties within");
  rules[0] = tie_of(0, 1, .2), rules[0].from = .5;
  expect_refusal(&s, rules, 1, IPG_ERROR_NUMBER, "ties from time 0.5 on, but contact starts at 0");
  scene_free(&s);
}

static void test_failing_allocations(void) {
  const ipg_contact_rule rule = tie_of(0, 1, .05);
  scene s;
  make_cube_on_plate(&s, .03);
  set_trial_to_accepted(&s);
  for (int64_t i = 0; i < nodes_of(&s); ++i) s.trial[3 * i + 2] += (s.body_of_node[i] == 1) * .01;
  scene_check_failing_allocations(&s, config_with(&rule, 1, .1), .1);
  scene_free(&s);
}

static double step_of_rates(const double *rates, int64_t count) {
  double most = 0;
  for (int64_t i = 0; i < count; ++i) most = fmax(most, rates[i]);
  return 2 / sqrt(most);
}

/* The bounds on the step of a contact object are these. */
static void expect_bounds(const ipg_contact *contact, const double *expected, int64_t count) {
  double *rates = calloc((size_t)count, sizeof *rates);
  ipg_contact_node_rates(contact, rates);
  CU_ASSERT(!memcmp(rates, expected, (size_t)count * sizeof *rates));
  CU_ASSERT_DOUBLE_EQUAL(ipg_contact_stable_step(contact) / step_of_rates(expected, count), 1, 1e-12);
  free(rates);
}

/* Tied nodes have more than their faces give them. The step that contact bears is that of the largest rate, also at
 * once after an update of the surface, and in a replay. */
static void test_ties_in_the_rates(void) {
  const ipg_contact_rule rule = tie_of(0, 1, .1);
  double *rates[2];
  ipg_error error = {0};
  scene s;
  ipg_mesh meshes[] = {scene_box(0, 0, 0, 1, 1, 1, 2, 2, 2, "lower"),
                       scene_box(.1, .1, 1, .9, .9, 2, 2, 2, 2, "upper")};
  scene_make(&s, meshes, 2, 1);
  const int64_t nodes = nodes_of(&s);
  for (int i = 0; i < 2; ++i) {
    const ipg_contact_config config = config_with(&rule, i, .02);
    ipg_contact *contact = scene_contact(&s, &config);
    ipg_contact_replay replay;
    byte_list b = {0};
    rates[i] = calloc((size_t)nodes, sizeof(double));
    ipg_contact_node_rates(contact, rates[i]);
    expect_bounds(contact, rates[i], nodes);
    CU_ASSERT_FATAL(!ipg_contact_update_surface(contact, &s.surface.surface, s.x, &error));
    expect_bounds(contact, rates[i], nodes);
    CU_ASSERT_FATAL(!ipg_contact_record(contact, .02, s.x, NULL, append_bytes, &b, &error));
    CU_ASSERT_FATAL(!open_replay(NULL, b.data, (int64_t)b.count, &replay, &error));
    expect_bounds(replay.contact, rates[i], nodes);
    ipg_contact_destroy(&replay.contact);
    ipg_contact_destroy(&contact);
    free(b.data);
  }
  CU_ASSERT(step_of_rates(rates[1], nodes) < .99 * step_of_rates(rates[0], nodes));
  for (int64_t n = 0; n < nodes; ++n) {
    const bool is_tied = s.body_of_node[n] == 1 && s.x[3 * n + 2] < 1.01;
    CU_ASSERT(is_tied ? rates[1][n] > 1.05 * rates[0][n] : rates[1][n] >= rates[0][n]);
  }
  free(rates[0]), free(rates[1]);
  scene_free(&s);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"tied nodes against all pairs", test_tied_nodes},
      {"the damper of each tie", test_damper_of_each_tie},
      {"blocks of one body", test_blocks_of_one_body},
      {"a block between two others", test_plate_between_two},
      {"touching", test_touching},
      {"alternating blocks", test_alternating_blocks},
      {"a published cube and plate", test_published_cube_and_plate},
      {"the force of a motion", test_force_of_motion},
      {"no force in rigid motion", test_rigid_motion},
      {"momentum, and the angular-momentum defect of dampers", test_momentum},
      {"the forces of contacts on their nodes", test_forces_on_nodes},
      {"the energy balance closes to rounding", test_energy_balance_closes},
      {"an offset in a long run", test_offset_in_long_run},
      {"the time is over", test_end_of_time},
      {"ties in the bound on the step", test_ties_in_the_rates},
      {"no other contact between the two", test_no_other_contact},
      {"at the tie distance", test_at_the_tie_distance},
      {"deep in a tied block", test_deep_in_a_tied_block},
      {"no tie to a thin face", test_no_tie_to_a_thin_face},
      {"the key of a part", test_key_of_a_part},
      {"new positions make new ties", test_set_positions},
      {"new positions at other times", test_set_positions_at_times},
      {"explanations", test_explanations},
      {"erosion", test_erosion},
      {"the same bits", test_same_bits},
      {"scaling by powers of two", test_scaling_by_powers_of_two},
      {"what is refused", test_refusals},
      {"allocations that fail", test_failing_allocations},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "ties", tests);
}
