/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/random_scenes.h"
#include "support/weak_contact.h"

/* ----------------------------------------------------------------------------------------------------------- bodies */

ipg_mesh random_body(rng *r, const char *name, int finest) {
  ipg_mesh mesh = {0};
  ipg_error error = {0};
  const double a = rng_between(r, .1, .25), b = rng_between(r, .1, .25), c = rng_between(r, .1, .25);
  switch (rng_int(r, 0, 3)) {
  case 0: return scene_ball(0, 0, 0, rng_between(r, .2, .45), rng_int(r, 1, finest), name);
  case 1: return scene_box(-a, -b, -c, a, b, c, rng_int(r, 1, 2), rng_int(r, 1, 2), rng_int(r, 1, finest), name);
  case 2: return scene_box(-.3, -.3, -a / 20, .3, .3, a / 20, 3, 3, 1, name);
  default:
    CU_ASSERT_FATAL(!ipg_mesh_wedge((double[]){0, 0, 0}, (double[]){2 * a, 2 * b, 2 * c}, rng_int(r, 1, finest),
                                    rng_int(r, 1, 2), name, NULL, &mesh, &error));
    return mesh;
  }
}

void random_rotation(rng *r, double rotation[3][3]) {
  double q[4], length = 0;
  for (int i = 0; i < 4; ++i) q[i] = rng_between(r, -1, 1), length += q[i] * q[i];
  for (int i = 0; i < 4; ++i) q[i] /= sqrt(length);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int k = 3 - i - j, sign = (j - i + 3) % 3 == 1 ? -1 : 1;
      rotation[i][j] = i == j ? 1 - 2 * (q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - q[i + 1] * q[i + 1])
                              : 2 * (q[i + 1] * q[j + 1] + sign * q[0] * q[k + 1]);
    }
}

void transform_mesh(ipg_mesh *mesh, double rotation[3][3], const double centre[3], double unit) {
  for (int64_t i = 0; i < mesh->node_count; ++i) {
    double *x = mesh->x + 3 * i, y[3];
    for (int k = 0; k < 3; ++k)
      y[k] = rotation[k][0] * x[0] + rotation[k][1] * x[1] + rotation[k][2] * x[2] + centre[k];
    for (int k = 0; k < 3; ++k) x[k] = unit * y[k];
  }
}

/* ------------------------------------------------------------------------------------------------------------ hosts */

int32_t body_of_mesh_node(const int64_t *ends, int64_t mesh_node) {
  int32_t body = 0;
  while (mesh_node >= ends[body]) ++body;
  return body;
}

/* Each body gets a density of its own: the masses of its nodes replace those of the scene. */
static void random_masses(rng *r, random_scene *w, int count, const int64_t *ends) {
  double mass[SCENE_BODIES];
  ipg_error error = {0};
  scene *s = &w->s;
  for (int b = 0; b < count; ++b) mass[b] = pow(10, rng_between(r, -1.5, 1.5)), s->body_mass[b] = 0;
  for (int64_t i = 0; i < s->mesh.node_count; ++i) s->masses[i] = mass[body_of_mesh_node(ends, i)];
  ipg_mesh_surface_destroy(&s->surface);
  CU_ASSERT_FATAL(!ipg_mesh_surface_build(&s->mesh, &s->skin, s->masses, NULL, &s->surface, &error));
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    s->body_mass[s->body_of_node[i]] += s->surface.surface.node_masses[i];
}

static double kinetic_energy_of_bodies(const scene *s) {
  double sum = 0;
  for (int b = 0; b < SCENE_BODIES; ++b)
    for (int k = 0; k < 3; ++k) sum += .5 * s->body_mass[b] * s->velocity[b][k] * s->velocity[b][k];
  return sum;
}

/* All nodes start with the velocities of their bodies. */
static void join_by_springs(rng *r, random_scene *w, const int64_t *ends) {
  double *velocity = calloc(3 * (size_t)w->s.mesh.node_count, sizeof *velocity);
  w->start = 0;
  for (int64_t i = 0; i < w->s.mesh.node_count; ++i)
    for (int k = 0; k < 3; ++k) {
      const double v = velocity[3 * i + k] = w->s.velocity[body_of_mesh_node(ends, i)][k];
      w->start += .5 * w->s.masses[i] * v * v;
    }
  spring_host_make(&w->springs, &w->s, velocity, rng_between(r, .1, .8), w->dt);
}

/* ----------------------------------------------------------------------------------------------------------- scenes */

static void random_law(rng *r, random_scene *w, double speed) {
  w->config = weak_contact();
  w->config.penalty_scale = pow(10, rng_between(r, -2, 0));
  ipg_contact_law *law = &w->config.law;
  if (rng_int(r, 0, 2)) law->friction_dynamic = rng_between(r, 0, .6);
  law->friction_static = law->friction_dynamic * rng_between(r, 1, 2);
  if (rng_int(r, 0, 1)) law->friction_decay = rng_between(r, 0, 4) / speed;
  if (rng_int(r, 0, 2)) law->damping = rng_between(r, 0, .6);
}

/* Towards the middle of the scene, not exactly through it. */
static void random_velocity(rng *r, const double centre[3], const double middle[3], double speed, double *v) {
  double to[3], length = 0;
  for (int k = 0; k < 3; ++k) to[k] = middle[k] + rng_between(r, -.3, .3) - centre[k], length += to[k] * to[k];
  const double size = speed * rng_between(r, .2, 1) / sqrt(length);
  for (int k = 0; k < 3; ++k) v[k] = size * to[k];
}

static void random_bodies(rng *r, random_scene *w, int count, double speed, int64_t *ends) {
  static const int cells[3][3] = {{2, 1, 1}, {2, 2, 2}, {4, 2, 2}};
  const int *n = cells[w->kind];
  const bool rotated = rng_int(r, 0, 3) > 0;
  ipg_mesh meshes[SCENE_BODIES];
  double velocity[SCENE_BODIES][3];
  for (int b = 0; b < count; ++b) {
    double rotation[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, centre[3];
    const int cell[3] = {b % n[0], b / n[0] % n[1], b / n[0] / n[1]};
    meshes[b] = random_body(r, (char[]){(char)('a' + b), 0}, w->kind == ALL_BODIES ? 3 : 2);
    for (int k = 0; k < 3; ++k) centre[k] = cell[k] + rng_between(r, -.04, .04);
    if (rotated) random_rotation(r, rotation);
    transform_mesh(&meshes[b], rotation, centre, w->unit);
    random_velocity(r, centre, (double[]){.5 * (n[0] - 1), .5 * (n[1] - 1), .5 * (n[2] - 1)}, speed, velocity[b]);
    ends[b] = meshes[b].node_count + (b ? ends[b - 1] : 0);
  }
  scene_make(&w->s, meshes, count, 1);
  memcpy(w->s.velocity, velocity, sizeof(double[3]) * (size_t)count);
}

void random_scene_make(random_scene *w, long number, double unit) {
  rng r = rng_start((uint64_t)number);
  *w = (random_scene){.number = number, .unit = unit};
  w->kind = number % 64 == 63 ? ALL_BODIES : number % 4 == 3 ? MANY_BODIES : TWO_BODIES;
  w->is_fast = rng_int(&r, 0, 3) == 0;
  w->is_soft = rng_int(&r, 0, 1);
  w->dt = pow(10, rng_between(&r, -6, 0));
  w->steps = w->is_fast ? 12 : w->kind == ALL_BODIES ? 30 : 60;
  const double a_step = w->is_fast ? rng_between(&r, .2, 2) : rng_between(&r, .01, .04);
  const int count = w->kind == TWO_BODIES ? 2 : w->kind == MANY_BODIES ? rng_int(&r, 3, 8) : SCENE_BODIES;
  int64_t ends[SCENE_BODIES];
  random_law(&r, w, unit * a_step / w->dt);
  w->config.thicknesses = w->thicknesses, w->config.thickness_count = number % 5 == 1 ? count : 0;
  for (int b = 0; b < count; ++b) w->thicknesses[b] = b % 2 ? .004 * unit : .002 * unit; /* they start farther apart */
  random_bodies(&r, w, count, unit * a_step / w->dt, ends);
  random_masses(&r, w, count, ends);
  w->start = kinetic_energy_of_bodies(&w->s);
  if (w->is_soft) join_by_springs(&r, w, ends);
  w->kinetic = w->start;
}

void random_scene_refine(random_scene *w, int times) {
  w->dt /= times, w->steps *= times;
  w->config.penalty_scale /= times * times;
}

void random_scene_free(random_scene *w) {
  spring_host_free(&w->springs);
  scene_free(&w->s);
}

double random_scene_energy(const random_scene *w) { return w->kinetic - w->springs.work; }

bool random_scene_is_inverted(const random_scene *w) {
  for (int64_t e = 0; w->is_soft && e < w->s.mesh.element_count; ++e) {
    const ipg_id *tet = w->s.mesh.tets + 4 * e;
    double a[3][3];
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) a[i][k] = w->springs.trial[3 * tet[i + 1] + k] - w->springs.trial[3 * tet[0] + k];
    double volume = 0;
    for (int k = 0; k < 3; ++k)
      volume += a[0][k] * (a[1][(k + 1) % 3] * a[2][(k + 2) % 3] - a[1][(k + 2) % 3] * a[2][(k + 1) % 3]);
    if (!(volume > 0)) return true;
  }
  return false;
}

void random_scene_predict(random_scene *w) {
  if (w->is_soft) spring_host_predict(&w->springs, &w->s, w->dt);
  else scene_predict(&w->s, w->dt);
}

void random_scene_complete(random_scene *w) {
  double before[SCENE_BODIES][3];
  memcpy(before, w->s.velocity, sizeof before);
  if (w->is_soft) {
    spring_host_complete(&w->springs, &w->s, w->dt);
    w->kinetic = w->springs.kinetic;
    return;
  }
  scene_complete(&w->s, w->dt);
  w->kinetic = 0;
  for (int b = 0; b < SCENE_BODIES; ++b)
    for (int k = 0; k < 3; ++k) w->kinetic += .5 * w->s.body_mass[b] * before[b][k] * w->s.velocity[b][k];
}
