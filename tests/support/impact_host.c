/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/impact_host.h"

#include "support/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------------ bodies
 */

ipg_mesh impact_box(const double lo[3], const double hi[3], const int cells[3], const char *name) {
  ipg_mesh mesh = {0};
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_mesh_box(lo, hi, cells, name, NULL, &mesh, &error));
  return mesh;
}

ipg_mesh impact_ball(const double centre[3], double radius, int n, const char *name) {
  ipg_mesh mesh = {0};
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_mesh_ball(centre, radius, n, name, NULL, &mesh, &error));
  return mesh;
}

void impact_move(ipg_mesh *mesh, const double by[3]) {
  for (int64_t i = 0; i < 3 * mesh->node_count; ++i) mesh->x[i] += by[i % 3];
}

void impact_draw_down(ipg_mesh *ball, double s) {
  for (double *x = ball->x; x < ball->x + 3 * ball->node_count; x += 3) {
    const double y[3] = {x[0], x[1], x[2] - s}, y2 = y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
    const double x2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], scale = 1 / (1 - 2 * s * x[2] + x2 * s * s);
    for (int k = 0; k < 3; ++k) x[k] = scale * ((1 - s * s) * y[k] - (k == 2) * y2 * s);
  }
}

void impact_turn(ipg_mesh *mesh, const double axis[3], double angle) {
  const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  const double c = cos(angle), s = sin(angle);
  for (double *x = mesh->x; x < mesh->x + 3 * mesh->node_count; x += 3) {
    const double n[3] = {axis[0] / length, axis[1] / length, axis[2] / length}, old[3] = {x[0], x[1], x[2]};
    const double along = (1 - c) * (n[0] * old[0] + n[1] * old[1] + n[2] * old[2]);
    for (int k = 0; k < 3; ++k) {
      const int p = (k + 1) % 3, q = (k + 2) % 3;
      x[k] = c * old[k] + s * (n[p] * old[q] - n[q] * old[p]) + along * n[k];
    }
  }
}

static double *take(int64_t nodes) {
  double *values = calloc(3 * (size_t)nodes, sizeof *values);
  CU_ASSERT_FATAL(values != NULL);
  return values;
}

static void join_meshes(impact *i, impact_body *bodies) {
  ipg_error error = {0};
  i->mesh = bodies[0].mesh;
  for (int b = 0; b < i->body_count; ++b) {
    if (b > 0) CU_ASSERT_FATAL(!ipg_mesh_append(&i->mesh, &bodies[b].mesh, &error));
    if (b > 0) ipg_mesh_destroy(&bodies[b].mesh);
    bodies[b].mesh = (ipg_mesh){0};
    i->first_node[b + 1] = (ipg_id)i->mesh.node_count;
  }
}

static void create_solid(impact *i, const impact_body *bodies) {
  ipg_material materials[IMPACT_BODIES];
  ipg_error error = {0};
  for (int b = 0; b < i->body_count; ++b) materials[b] = bodies[b].material;
  CU_ASSERT_FATAL(!ipg_solid_create(&i->mesh, materials, NULL, NULL, &i->solid, &error));
  for (int b = 0; b < i->body_count; ++b)
    for (ipg_id n = i->first_node[b]; n < i->first_node[b + 1]; ++n) {
      i->body_mass[b] += ipg_solid_get_masses(i->solid)[n];
      for (int k = 0; k < 3; ++k) {
        i->v[3 * (int64_t)n + k] = bodies[b].velocity[k];
        i->start_momentum[k] += ipg_solid_get_masses(i->solid)[n] * bodies[b].velocity[k];
      }
    }
}

static ipg_contact_config choose_contact(const impact *i) {
  ipg_contact_config config = ipg_contact_defaults();
  if (i->settings.penalty_scale > 0) config.penalty_scale = i->settings.penalty_scale;
  config.onset = i->settings.onset;
  config.law = i->settings.law;
  config.rules = i->settings.rules, config.rule_count = i->settings.rule_count;
  config.walls = i->settings.walls, config.wall_count = i->settings.wall_count;
  return config;
}

static void note_passed_nodes(impact *i) {
  int64_t count;
  const ipg_contact_passed_node *passed = ipg_contact_passed_nodes(i->contact, &count);
  for (int64_t n = 0, k = 0; k < count; ++n)
    if (i->surface.surface.node_gids[n] == passed[k].node) i->has_passed[i->surface.mesh_nodes[n]] = true, ++k;
}

static void create_contact(impact *i, const impact_body *bodies) {
  const ipg_tasks serial = ipg_tasks_serial();
  double moduli[IMPACT_BODIES], velocities[IMPACT_BODIES][3];
  ipg_contact_config config = choose_contact(i);
  ipg_error error = {0};
  for (int b = 0; b < i->body_count; ++b) {
    moduli[b] = bodies[b].material.young / (3 * (1 - 2 * bodies[b].material.poisson));
    memcpy(velocities[b], bodies[b].velocity, sizeof velocities[b]);
  }
  config.reference_velocities = velocities[0], config.reference_velocity_count = i->body_count;
  CU_ASSERT_FATAL(!ipg_skin_build(&i->mesh, NULL, &serial, &i->skin, &error));
  CU_ASSERT_FATAL(
      !ipg_mesh_surface_build(&i->mesh, &i->skin, ipg_solid_get_masses(i->solid), NULL, &i->surface, &error));
  CU_ASSERT_FATAL(!ipg_mesh_surface_set_stiffness(&i->surface, &i->mesh, &i->skin, moduli, &error));
  i->x = take(i->surface.surface.node_count), i->surface_force = take(i->surface.surface.node_count);
  ipg_mesh_surface_gather(&i->surface, i->mesh.x, i->x);
  CU_ASSERT_FATAL(!ipg_contact_create(&config, &i->surface.surface, i->x, &i->contact, &error));
}

/* Squares of frequencies add; penalty springs are made as soft as the step needs. */
static void shorten_step(impact *i) {
  const double contact = ipg_contact_stable_step(i->contact);
  ipg_gid governing;
  const double elements = ipg_solid_compute_critical_time_step(i->solid, i->u, &governing);
  const double step = i->settings.safety / hypot(1 / elements, 1 / contact);
  if (!(i->dt <= step)) i->dt = step;
}

/* Whether this value of the 3 of each node does not change. */
static bool is_held(const impact *i, int64_t n) {
  return i->settings.held[n % 3] || n < 3 * (int64_t)i->first_node[i->settings.fixed_bodies];
}

void impact_make(impact *i, impact_body *bodies, int count, const impact_settings *settings) {
  *i = (impact){.settings = settings ? *settings : (impact_settings){0}, .body_count = count, .dt = INFINITY};
  if (!(i->settings.safety > 0)) i->settings.safety = 0.9;
  join_meshes(i, bodies);
  i->u = take(i->mesh.node_count), i->v = take(i->mesh.node_count), i->a = take(i->mesh.node_count);
  i->force = take(i->mesh.node_count), i->a_before = take(i->mesh.node_count);
  i->has_passed = calloc((size_t)i->mesh.node_count, sizeof *i->has_passed);
  CU_ASSERT_FATAL(i->has_passed != NULL);
  create_solid(i, bodies);
  create_contact(i, bodies);
  shorten_step(i);
  for (int64_t n = 0; n < 3 * i->mesh.node_count; ++n) i->a[n] = is_held(i, n) ? 0 : i->settings.gravity[n % 3];
}

void impact_free(impact *i) {
  CU_ASSERT(i->settings.can_pass || !ipg_contact_get_counters(i->contact).passed);
  ipg_contact_destroy(&i->contact);
  ipg_mesh_surface_destroy(&i->surface);
  ipg_skin_destroy(&i->skin);
  ipg_solid_destroy(&i->solid);
  ipg_mesh_destroy(&i->mesh);
  free(i->u), free(i->v), free(i->a), free(i->a_before), free(i->force), free(i->x), free(i->surface_force),
      free(i->has_passed);
  *i = (impact){0};
}

/* ------------------------------------------------------------------------------------------------------------- steps
 */

/* The last evaluation by brute force. */
static void audit(impact *i) {
  ipg_contact_audit_report report;
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_audit(i->contact, &report, &error));
  ++i->audits;
  i->wrong += report.missed_candidates + report.wrong_contacts + report.wrong_forces;
  i->inside += report.nodes_inside;
  if (*report.message) printf("\n    step %lld: %s", (long long)i->step, report.message);
}

/* Contact forces at the displacements, accepted. */
static ipg_status compute_contact(impact *i, ipg_error *error) {
  const int64_t values = 3 * i->mesh.node_count;
  for (int64_t n = 0; n < values; ++n) i->force[n] = i->mesh.x[n] + i->u[n];
  ipg_mesh_surface_gather(&i->surface, i->force, i->x);
  ipg_status status = evaluate_after(i->contact, i->dt, i->x, NULL, i->surface_force, error);
  if (!status && i->settings.audit_every && i->step % i->settings.audit_every == 0) audit(i);
  if (!status) status = ipg_contact_accept(i->contact, i->step, error);
  if (!status) note_passed_nodes(i);
  memset(i->force, 0, (size_t)values * sizeof *i->force);
  if (!status) ipg_mesh_surface_add(&i->surface, i->surface_force, i->force);
  return status;
}

static void compute_accelerations(impact *i) {
  const double *masses = ipg_solid_get_masses(i->solid);
  for (int64_t n = 0; n < 3 * i->mesh.node_count; ++n) {
    i->a[n] = (i->a[n] + i->force[n]) / masses[n / 3] + i->settings.gravity[n % 3] - i->settings.damping * i->v[n];
    if (is_held(i, n)) i->a[n] = 0;
  }
}

bool impact_step(impact *i) {
  ipg_error error = {0};
  if (i->has_failed) return false;
  if (i->step % 16 == 15) shorten_step(i);
  ++i->step, i->time += i->dt;
  memcpy(i->a_before, i->a, 3 * (size_t)i->mesh.node_count * sizeof *i->a);
  for (int64_t n = 0; n < 3 * i->mesh.node_count; ++n) {
    i->v[n] += i->dt / 2 * i->a[n];
    i->u[n] += i->dt * i->v[n];
  }
  ipg_status status = compute_contact(i, &error);
  if (!status) status = ipg_solid_compute_forces(i->solid, i->u, i->a, &error);
  if (status) {
    i->has_failed = true;
    memcpy(i->message, error.message, sizeof i->message - 1);
    if (!i->settings.can_fail) printf("\n    step %lld: %s", (long long)i->step, i->message);
    CU_ASSERT(i->settings.can_fail);
    return false;
  }
  compute_accelerations(i);
  for (int64_t n = 0; n < 3 * i->mesh.node_count; ++n) i->v[n] += i->dt / 2 * i->a[n];
  return true;
}

bool impact_run(impact *i, double until) {
  while (i->time < until && impact_step(i)) continue;
  return !i->has_failed;
}

/* ----------------------------------------------------------------------------------------------------------- results
 */

static double work_of_gravity(const impact *i) {
  const double *masses = ipg_solid_get_masses(i->solid);
  double work = 0;
  for (int64_t n = 0; n < 3 * i->mesh.node_count; ++n) work += masses[n / 3] * i->settings.gravity[n % 3] * i->u[n];
  return work;
}

/* Velocity Verlet keeps H + dt^2 / 12 v . V'' v - dt^2 / 24 a . m a; V'' v is -m times the change of a. */
static double kinetic_of_invariant(const impact *i) {
  const double *masses = ipg_solid_get_masses(i->solid), dt = i->step ? i->dt : 0;
  double sum = 0;
  for (int64_t n = 0; n < 3 * i->mesh.node_count; ++n) {
    const double v = i->v[n], a = i->a[n], middle = v - dt / 2 * a;
    sum += masses[n / 3] * (v * v / 2 - dt * dt / 24 * a * a - dt / 12 * middle * (a - i->a_before[n]));
  }
  return sum;
}

impact_energy impact_get_energy(const impact *i) {
  const double *masses = ipg_solid_get_masses(i->solid), half = i->step ? i->dt / 2 : 0;
  const ipg_contact_energy_balance b = ipg_contact_get_energy_balance(i->contact);
  impact_energy e = {.strain = ipg_solid_compute_energy(i->solid, i->u),
                     .contact = b.contact_energy,
                     .friction = b.friction_dissipation,
                     .work = b.external_work + work_of_gravity(i)};
  for (int64_t n = 0; n < 3 * i->mesh.node_count; ++n)
    e.kinetic += masses[n / 3] / 2 * (i->v[n] * i->v[n] - half * half * i->a[n] * i->a[n]);
  e.total =
      e.kinetic + e.strain + e.contact + b.spring_net_loss + b.friction_dissipation + b.damping_dissipation - e.work;
  e.invariant = e.total - e.kinetic + kinetic_of_invariant(i);
  return e;
}

static double impulse_of_gravity(const impact *i, int k) {
  double mass = 0;
  for (int b = 0; b < i->body_count; ++b) mass += i->body_mass[b];
  return mass * i->settings.gravity[k] * i->time;
}

double impact_get_momentum_error(impact *i) {
  const double *masses = ipg_solid_get_masses(i->solid), *v = i->v;
  const ipg_contact_energy_balance b = ipg_contact_get_energy_balance(i->contact);
  double sum = 0, error = 0, momentum[3] = {0};
  for (int64_t n = 0; n < i->mesh.node_count; ++n) {
    for (int k = 0; k < 3; ++k) momentum[k] += masses[n] * v[3 * n + k];
    sum += masses[n] * sqrt(v[3 * n] * v[3 * n] + v[3 * n + 1] * v[3 * n + 1] + v[3 * n + 2] * v[3 * n + 2]);
  }
  i->largest_momentum = fmax(i->largest_momentum, sum);
  for (int k = 0; k < 3; ++k)
    error = suite_worst(error, momentum[k] - i->start_momentum[k] - b.wall_impulse[k] - impulse_of_gravity(i, k));
  return error / i->largest_momentum;
}

void impact_get_velocity(const impact *i, int body, double velocity[3]) {
  const double *masses = ipg_solid_get_masses(i->solid);
  for (int k = 0; k < 3; ++k) {
    velocity[k] = 0;
    for (int64_t n = i->first_node[body]; n < i->first_node[body + 1]; ++n)
      velocity[k] += masses[n] * i->v[3 * n + k] / i->body_mass[body];
  }
}

void impact_get_force(const impact *i, int body, double force[3]) {
  for (int k = 0; k < 3; ++k) {
    force[k] = 0;
    for (int64_t n = i->first_node[body]; n < i->first_node[body + 1]; ++n) force[k] += i->force[3 * n + k];
  }
}

double impact_get_depth(const impact *i) { return -ipg_contact_get_energy_balance(i->contact).smallest_gap; }
