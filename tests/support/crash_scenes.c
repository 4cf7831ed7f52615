/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/crash_scenes.h"

#include "support/random_scenes.h"

static const char *const names[CRASH_BODIES] = {"a", "b", "c", "d"};

/* ------------------------------------------------------------------------------------------------------------ bodies
 */

static ipg_mesh plain_box(rng *r, const char *name) {
  const double a = rng_between(r, .1, .25), b = rng_between(r, .15, .25), c = rng_between(r, .15, .25);
  return scene_box(-a, -b, -c, a, b, c, rng_int(r, 1, 2), rng_int(r, 1, 3), rng_int(r, 1, 3), name);
}

static ipg_mesh plain_body(rng *r, const char *name) {
  const double a = rng_between(r, .15, .25), b = rng_between(r, .15, .25), c = rng_between(r, .15, .25);
  ipg_mesh mesh = {0};
  ipg_error error = {0};
  switch (rng_int(r, 0, 3)) {
  case 0: return scene_ball(0, 0, 0, rng_between(r, .2, .35), rng_int(r, 1, 2), name);
  case 1: return plain_box(r, name);
  case 2: return scene_box(-.2 * a, -b, -c, .2 * a, b, c, 1, 3, 3, name);
  default:
    CU_ASSERT_FATAL(!ipg_mesh_wedge((double[]){0, 0, 0}, (double[]){2 * a, 2 * b, 2 * c}, rng_int(r, 1, 2),
                                    rng_int(r, 1, 2), name, NULL, &mesh, &error));
    return mesh;
  }
}

/* A box with a slot from above, which is as narrow as `slot`. */
static ipg_mesh slotted_box(double slot, const char *name) {
  ipg_mesh mesh = scene_box(-1.5, -.2, -.25, 1.5, .2, .25, 3, 2, 2, name);
  int64_t kept = 0;
  for (int64_t e = 0; e < mesh.element_count; ++e) {
    double x = 0, z = 0;
    for (int i = 0; i < 4; ++i)
      x += .25 * mesh.x[3 * mesh.tets[4 * e + i]], z += .25 * mesh.x[3 * mesh.tets[4 * e + i] + 2];
    if (fabs(x) > .5 || z < 0) memmove(mesh.tets + 4 * kept++, mesh.tets + 4 * e, 4 * sizeof *mesh.tets);
  }
  mesh.element_count = mesh.blocks[0].count = kept;
  for (int64_t i = 0; i < mesh.node_count; ++i) {
    double *x = mesh.x + 3 * i;
    *x = (*x < 0 ? -1 : 1) * (.5 * slot + .12 * (fabs(*x) - .5));
  }
  return mesh;
}

static void extent_along_x(const ipg_mesh *mesh, double extent[2]) {
  extent[0] = INFINITY, extent[1] = -INFINITY;
  for (int64_t i = 0; i < mesh->node_count; ++i)
    extent[0] = fmin(extent[0], mesh->x[3 * i]), extent[1] = fmax(extent[1], mesh->x[3 * i]);
}

/* Ties and initial penetrations are those of two flush boxes. */
static ipg_mesh make_body(rng *r, const crash_scene *w, int b) {
  double rotation[3][3];
  if (b == 0 && w->has_self_contact) return slotted_box(rng_between(r, .01, .03), names[b]);
  if (b < 2 && (w->has_ties || w->has_penetration)) return plain_box(r, names[b]);
  ipg_mesh mesh = plain_body(r, names[b]);
  if (!rng_int(r, 0, 2)) return mesh;
  random_rotation(r, rotation);
  transform_mesh(&mesh, rotation, (double[]){0, 0, 0}, 1);
  return mesh;
}

static double gap_before(rng *r, const crash_scene *w, int b) {
  if (b == 1 && w->has_ties) return rng_between(r, 0, .01);
  if (b == 1 && w->has_penetration) return -rng_between(r, .002, .03);
  return rng_between(r, .001, .01);
}

/* One behind the other along x, not quite in line. */
static void make_bodies(rng *r, crash_scene *w) {
  ipg_mesh meshes[CRASH_BODIES];
  double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, end = 0, extent[2];
  for (int b = 0; b < w->count; ++b) {
    meshes[b] = make_body(r, w, b);
    extent_along_x(&meshes[b], extent);
    const double to = b ? end + gap_before(r, w, b) - extent[0] : 0;
    const double centre[3] = {to, rng_between(r, -.08, .08), rng_between(r, -.08, .08)};
    transform_mesh(&meshes[b], unit, centre, 1);
    end = to + extent[1];
    w->ends[b] = meshes[b].node_count + (b ? w->ends[b - 1] : 0);
  }
  scene_make(&w->s, meshes, w->count, 1);
}

/* --------------------------------------------------------------------------------------------------------- materials
 */

static void choose_materials(rng *r, crash_scene *w) {
  w->slowest = INFINITY;
  for (int b = 0; b < w->count; ++b) {
    elastic_material *m = &w->materials[b];
    *m = (elastic_material){pow(10, rng_between(r, -.7, .7)), rng_between(r, 0, .4), pow(10, rng_between(r, -.5, .5))};
    w->moduli[b] = m->young / (3 * (1 - 2 * m->poisson));
    w->is_rigid[b] = rng_int(r, 0, 3) == 0 && !(b == 0 && w->has_self_contact);
    w->slowest = fmin(w->slowest, sqrt(m->young / m->density));
  }
}

static ipg_contact_law random_law(rng *r, double speed) {
  ipg_contact_law law = {0};
  if (rng_int(r, 0, 4)) law.friction_dynamic = rng_between(r, .02, .6);
  law.friction_static = law.friction_dynamic * rng_between(r, 1, 2);
  if (rng_int(r, 0, 1)) law.friction_decay = rng_between(r, 0, 4) / speed;
  if (rng_int(r, 0, 1)) law.damping = rng_between(r, 0, .5);
  return law;
}

/* Towards the middle; ties and penetrations begin without motion between the two. */
static void choose_velocities(rng *r, crash_scene *w, double speed) {
  for (int b = 0; b < w->count; ++b) {
    const double side = b < .5 * w->count ? 1 : -1;
    w->velocities[b][0] = side * speed * rng_between(r, .2, .5);
    for (int k = 1; k < 3; ++k) w->velocities[b][k] = speed * rng_between(r, -.35, .35);
    if (b == 1 && w->has_ties) memcpy(w->velocities[1], w->velocities[0], sizeof *w->velocities);
  }
}

/* ----------------------------------------------------------------------------------------------------------- contact
 */

/* Below everything, and in front of the left end; a little tilted, at rest or moving. */
static void choose_walls(rng *r, crash_scene *w, double speed) {
  double lowest[3] = {INFINITY, INFINITY, INFINITY};
  for (int64_t i = 0; i < 3 * w->s.mesh.node_count; ++i) lowest[i % 3] = fmin(lowest[i % 3], w->s.mesh.x[i]);
  w->config.walls = w->walls, w->config.wall_count = rng_int(r, 0, CRASH_WALLS);
  for (int64_t i = 0; i < w->config.wall_count; ++i) {
    const int axis = i ? 0 : 2;
    ipg_contact_wall *wall = &w->walls[i];
    *wall = (ipg_contact_wall){.law = random_law(r, speed)};
    wall->point[axis] = lowest[axis] - rng_between(r, .001, .01), wall->point[1] = lowest[1];
    wall->normal[axis] = 1, wall->normal[1] = rng_between(r, -.02, 0);
    for (int k = 0; k < 3 && i == w->number % 2; ++k) wall->velocity[k] = speed * rng_between(r, -.3, .3);
  }
  for (int b = 0; b < w->count && w->config.wall_count; ++b) w->velocities[b][2] -= .2 * speed;
}

/* The two blocks that are tied have no other rule. Times are set when the length of the run is known. */
static void choose_rules(rng *r, crash_scene *w, double speed) {
  int64_t count = 0;
  for (int i = 0; i < CRASH_RULES; ++i) {
    ipg_contact_rule *rule = &w->rules[count];
    *rule = ipg_contact_rule_defaults();
    rule->blocks[0] = i, rule->blocks[1] = i + 1;
    rule->law = random_law(r, speed);
    rule->off = rng_int(r, 0, 15) == 0;
    if (i == 0 && w->has_ties) rule->off = false, rule->tied = true, rule->tie_within = .02;
    const bool is_wanted = rng_int(r, 0, 1);
    count += i + 1 < w->count && (rule->tied || is_wanted);
  }
  w->has_rule_in_time = count > 0 && rng_int(r, 0, 2) == 0;
  w->config.rules = w->rules, w->config.rule_count = count;
}

/* Rules begin before much can have gone through, or end under load; ties end. What is in each other from the start has
 * its rule from the start: only then it is ignored. */
static void choose_times(rng *r, crash_scene *w) {
  const double end = w->dt * (double)w->steps;
  for (int64_t i = 0; i < w->config.rule_count && w->has_rule_in_time; ++i) {
    const double at = rng_unit(r) * end;
    const bool is_early = w->has_penetration && w->rules[i].blocks[0] == 0;
    if (rng_int(r, 0, 1) || w->rules[i].tied || is_early) w->rules[i].until = .3 * end + .7 * at;
    else w->rules[i].from = .1 * at;
  }
}

static void choose_contact(rng *r, crash_scene *w, double speed) {
  w->config = ipg_contact_defaults();
  w->config.penalty_scale = pow(10, rng_between(r, -1, 0));
  w->config.search_margin = rng_between(r, 0, .5);
  w->config.law = random_law(r, speed);
  choose_velocities(r, w, speed);
  choose_walls(r, w, speed);
  choose_rules(r, w, speed);
  w->config.reference_velocities = w->velocities[0], w->config.reference_velocity_count = w->count;
}

ipg_contact *crash_scene_contact(crash_scene *w, const ipg_contact_config *settings) {
  ipg_contact_config config = w->config;
  ipg_error error = {0};
  config.contributions = true;
  if (settings)
    config.search_method = settings->search_method, config.search_margin = settings->search_margin,
    config.tasks = settings->tasks;
  ipg_contact *contact = scene_contact(&w->s, &config);
  CU_ASSERT_FATAL(!ipg_contact_ignore_initial_penetrations(contact, &error));
  return contact;
}

/* ------------------------------------------------------------------------------------------------------------- scene
 */

/* Elements of rigid bodies have no forces. The arms of a slotted box close. */
static void start_bodies(crash_scene *w, double speed) {
  const ipg_mesh *mesh = &w->s.mesh;
  for (int64_t e = 0; e < mesh->element_count; ++e)
    if (w->is_rigid[body_of_mesh_node(w->ends, mesh->tets[4 * e])]) w->h.cells[e].volume = 0;
  for (int64_t i = 0; i < mesh->node_count; ++i) {
    const int32_t b = body_of_mesh_node(w->ends, i);
    memcpy(w->h.velocity + 3 * i, w->velocities[b], sizeof *w->velocities);
    if (b || !w->has_self_contact || !(mesh->x[3 * i + 2] > .15)) continue;
    w->h.velocity[3 * i] += (mesh->x[3 * i] < 0 ? .3 : -.3) * speed;
  }
  for (int64_t i = 0; i < 3 * mesh->node_count; ++i)
    w->start += .5 * w->s.masses[i / 3] * w->h.velocity[i] * w->h.velocity[i];
  w->kinetic = w->product = w->start;
}

/* A rule that ties no node is refused: two boxes that cross each other have none on the other one's face. */
static void drop_empty_tie(crash_scene *w) {
  ipg_contact *contact = NULL;
  ipg_error error = {0};
  if (!w->has_ties) return;
  w->has_ties = !ipg_contact_create(&w->config, &w->s.surface.surface, w->s.x, &contact, &error);
  w->rules[0].tied = w->has_ties;
  ipg_contact_destroy(&contact);
}

static void choose_step(crash_scene *w, double part, double speed) {
  enum { FEWEST = 80, MOST = 300 };
  ipg_contact *contact = scene_contact(&w->s, &w->config);
  w->dt = part / hypot(.9 / w->h.dt, 1 / ipg_contact_stable_step(contact));
  w->steps = (int64_t)fmax(FEWEST, fmin(MOST, .25 / speed / w->dt));
  ipg_contact_destroy(&contact);
}

static void choose_kind(rng *r, crash_scene *w) {
  w->count = rng_int(r, 2, CRASH_BODIES);
  w->has_self_contact = rng_int(r, 0, 4) == 0;
  w->has_ties = !w->has_self_contact && rng_int(r, 0, 3) == 0;
  w->has_penetration = !w->has_self_contact && !w->has_ties && rng_int(r, 0, 3) == 0;
  w->has_erosion = rng_int(r, 0, 3) == 0;
}

void crash_scene_make(crash_scene *w, uint64_t seed, long number, double part) {
  rng r = rng_start_of_seed(seed, (uint64_t)number);
  ipg_error error = {0};
  *w = (crash_scene){.number = number, .choices = rng_start_of_seed(seed, (uint64_t)number + 1000000007u)};
  choose_kind(&r, w);
  make_bodies(&r, w);
  choose_materials(&r, w);
  const double speed = .1 * w->slowest * pow(10, rng_between(&r, -1.2, 0));
  choose_contact(&r, w, speed);
  elastic_host_make_blocks(&w->h, &w->s, w->materials);
  CU_ASSERT_FATAL(!ipg_mesh_surface_set_stiffness(&w->s.surface, &w->s.mesh, &w->s.skin, w->moduli, &error));
  const ipg_surface *surface = &w->s.surface.surface;
  for (int64_t f = 0; f < surface->face_count; ++f)
    w->stiffnesses[surface->face_blocks[f]] = surface->face_stiffnesses[f];
  drop_empty_tie(w);
  choose_step(w, part, speed);
  choose_times(&r, w);
  const size_t values = 3 * (size_t)w->s.mesh.node_count;
  w->before = calloc(values, sizeof(double)), w->previous = calloc(values, sizeof(double));
  w->own_before = calloc(values, sizeof(double));
  w->is_deleted = calloc((size_t)w->s.mesh.element_count, sizeof *w->is_deleted);
  CU_ASSERT_FATAL(!ipg_erosion_create(&w->s.mesh, &w->s.skin, NULL, &w->erosion, &error));
  start_bodies(w, speed);
}

void crash_scene_free(crash_scene *w) {
  free(w->before), free(w->previous), free(w->own_before), free(w->is_deleted);
  ipg_erosion_destroy(&w->erosion);
  elastic_host_free(&w->h);
  scene_free(&w->s);
}

/* ---------------------------------------------------------------------------------------------------------- elements
 */

/* Deformation gradient at the positions x, and its determinant. */
static double find_gradient(const elastic_cell *cell, const double *x, double f[3][3]) {
  memset(f, 0, 9 * sizeof(double));
  for (int a = 0; a < 4; ++a)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) f[i][j] += x[3 * cell->nodes[a] + i] * cell->gradient[a][j];
  double det = 0;
  for (int j = 0; j < 3; ++j)
    det += f[0][j] * (f[1][(j + 1) % 3] * f[2][(j + 2) % 3] - f[1][(j + 2) % 3] * f[2][(j + 1) % 3]);
  return det;
}

/* Second Piola-Kirchhoff stress; returns the energy per volume. */
static double find_stress(const elastic_cell *cell, double f[3][3], double stress[3][3]) {
  double strain[3][3], trace = 0, square = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      strain[i][j] = .5 * (f[0][i] * f[0][j] + f[1][i] * f[1][j] + f[2][i] * f[2][j] - (i == j));
      square += strain[i][j] * strain[i][j];
    }
  for (int i = 0; i < 3; ++i) trace += strain[i][i];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) stress[i][j] = 2 * cell->mu * strain[i][j] + (i == j ? cell->lambda * trace : 0);
  return .5 * cell->lambda * trace * trace + cell->mu * square;
}

static void add_cell_forces(const elastic_cell *cell, const double *x, double *force) {
  double f[3][3], stress[3][3];
  find_gradient(cell, x, f), find_stress(cell, f, stress);
  for (int a = 0; a < 4; ++a) {
    double across[3] = {0};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) across[i] += stress[i][j] * cell->gradient[a][j];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) force[3 * cell->nodes[a] + i] -= cell->volume * f[i][j] * across[j];
  }
}

static double energy_of_cell(const elastic_cell *cell, const double *x) {
  double f[3][3], stress[3][3];
  find_gradient(cell, x, f);
  return cell->volume * find_stress(cell, f, stress);
}

double crash_scene_strain_energy(const crash_scene *w) {
  double sum = 0;
  for (int64_t e = 0; e < w->h.count; ++e) sum += energy_of_cell(&w->h.cells[e], w->s.mesh.x);
  return sum;
}

bool crash_scene_is_inverted(const crash_scene *w) {
  double f[3][3];
  for (const elastic_cell *cell = w->h.cells; cell < w->h.cells + w->h.count; ++cell)
    if (cell->volume > 0 && !(find_gradient(cell, w->s.mesh.x, f) > 0)) return true;
  return false;
}

/* ------------------------------------------------------------------------------------------------------------ motion
 */

void crash_scene_predict(crash_scene *w) {
  for (int64_t i = 0; i < 3 * w->s.mesh.node_count; ++i) w->h.trial[i] = w->s.mesh.x[i] + w->dt * w->h.velocity[i];
  ipg_mesh_surface_gather(&w->s.surface, w->h.trial, w->s.trial);
}

static void set_own_forces(crash_scene *w) {
  double *swap = w->own_before;
  w->own_before = w->h.force, w->h.force = swap;
  memset(w->h.force, 0, 3 * (size_t)w->s.mesh.node_count * sizeof *w->h.force);
  for (int64_t e = 0; e < w->h.count; ++e) add_cell_forces(&w->h.cells[e], w->h.trial, w->h.force);
}

/* All nodes of a rigid body have the acceleration of its centre of mass. */
static void make_rigid(const crash_scene *w, double *force) {
  for (int b = 0; b < w->count; ++b) {
    double sum[3] = {0}, mass = 0;
    const int64_t begin = b ? w->ends[b - 1] : 0;
    if (!w->is_rigid[b]) continue;
    for (int64_t i = begin; i < w->ends[b]; ++i) {
      mass += w->s.masses[i];
      for (int k = 0; k < 3; ++k) sum[k] += force[3 * i + k];
    }
    for (int64_t i = begin; i < w->ends[b]; ++i)
      for (int k = 0; k < 3; ++k) force[3 * i + k] = sum[k] / mass * w->s.masses[i];
  }
}

/* In the step that ends now. Contact has its times from sums of steps. */
static bool do_rules_change(const crash_scene *w) {
  const double end = w->dt * ((double)w->step + 1), begin = end - w->dt, rounding = 1e-9 * w->dt;
  bool do_change = false;
  for (int64_t i = 0; i < w->config.rule_count; ++i) {
    const double times[2] = {w->rules[i].from, w->rules[i].until};
    for (int k = 0; k < 2; ++k) do_change |= times[k] > begin - rounding && times[k] <= end + rounding;
  }
  return do_change;
}

/* The last term is the rate of the accelerations; where a rule begins or ends or an element is gone they
 * jump, and have none. */
static void add_kinetic(crash_scene *w, double mass, double before, double after, double previous) {
  const double v = .5 * (before + after), a = (after - before) / w->dt, rise = w->jumps ? 0 : a - previous;
  w->product += .5 * mass * before * after;
  w->kinetic += mass * (.5 * v * v - w->dt * w->dt / 24 * a * a - w->dt / 12 * before * rise);
}

void crash_scene_complete(crash_scene *w) {
  const int64_t values = 3 * w->s.mesh.node_count;
  double *force = malloc((size_t)values * sizeof *force);
  set_own_forces(w);
  memcpy(force, w->h.force, (size_t)values * sizeof *force);
  ipg_mesh_surface_add(&w->s.surface, w->s.force, force);
  make_rigid(w, force);
  w->kinetic = w->product = 0, w->jumps = w->was_eroded || do_rules_change(w);
  w->was_eroded = false;
  for (int64_t i = 0; i < values; ++i) {
    const double mass = w->s.masses[i / 3], before = w->h.velocity[i];
    w->h.velocity[i] += w->dt * force[i] / mass;
    add_kinetic(w, mass, before, w->h.velocity[i], w->step ? w->previous[i] : 0);
    w->previous[i] = (w->h.velocity[i] - before) / w->dt;
    w->work += .5 * (w->own_before[i] + w->h.force[i]) * (w->h.trial[i] - w->s.mesh.x[i]);
  }
  memcpy(w->s.mesh.x, w->h.trial, (size_t)values * sizeof *force);
  memcpy(w->s.x, w->s.trial, 3 * (size_t)w->s.surface.surface.node_count * sizeof *force);
  ++w->step;
  free(force);
}

/* ----------------------------------------------------------------------------------------------------------- erosion
 */

static ipg_id find_node(const ipg_surface *s, ipg_gid gid) {
  for (ipg_id i = 0; i < s->node_count; ++i)
    if (s->node_gids[i] == gid) return i;
  return -1;
}

/* What is lost with an element: its energy, less the half of the work of its forces that they do in the next step. */
static double loss_of_cell(const crash_scene *w, const elastic_cell *cell) {
  double *force = calloc(3 * (size_t)w->s.mesh.node_count, sizeof *force), work = 0;
  add_cell_forces(cell, w->s.mesh.x, force);
  for (int k = 0; k < 12; ++k) {
    const int64_t at = 3 * (int64_t)cell->nodes[k / 3] + k % 3;
    work += w->dt * force[at] * w->h.velocity[at];
  }
  free(force);
  return energy_of_cell(cell, w->s.mesh.x) - .5 * work;
}

/* Elements behind faces that have forces on all corners, some of them. */
static int64_t choose_elements(crash_scene *w, ipg_id *list) {
  const ipg_surface *s = &w->s.surface.surface;
  int64_t count = 0;
  for (int64_t f = 0; f < s->face_count && count < 3; ++f) {
    const ipg_id e = (ipg_id)(s->face_elements[f] - 1);
    bool is_pressed = true;
    for (int k = 0; k < 3; ++k) {
      const double *force = w->s.force + 3 * (int64_t)s->faces[3 * f + k];
      is_pressed = is_pressed && (force[0] != 0 || force[1] != 0 || force[2] != 0);
    }
    if (w->is_deleted[e] || rng_int(&w->choices, 0, is_pressed ? 2 : 30)) continue;
    w->is_deleted[e] = true, list[count++] = e;
    w->eroded += loss_of_cell(w, &w->h.cells[e]);
    w->h.cells[e].volume = 0;
  }
  return count;
}

/* The scene's arrays for the new surface. Contact has booked the energy of forces on nodes that are gone; the half of
 * their work that is still to come is known here alone. */
static void take_surface(crash_scene *w, const ipg_mesh_surface *fresh, double *x) {
  scene *s = &w->s;
  const size_t values = 3 * (size_t)fresh->surface.node_count;
  double *force = calloc(values, sizeof *force), removed = 0;
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i) {
    const ipg_id node = find_node(&fresh->surface, s->surface.surface.node_gids[i]);
    for (int k = 0; k < 3; ++k)
      if (node >= 0) force[3 * node + k] = s->force[3 * i + k];
      else removed += .5 * w->dt * s->force[3 * i + k] * w->h.velocity[3 * (int64_t)s->surface.mesh_nodes[i] + k];
  }
  w->work += removed, w->eroded -= removed;
  free(s->x), free(s->trial), free(s->force);
  s->x = x, s->trial = calloc(values, sizeof(double)), s->force = force;
  ipg_mesh_surface_destroy(&s->surface);
  s->surface = *fresh;
}

/* Every face of a block has the stiffness that it had at the start. */
static double *stiffnesses_of_blocks(const crash_scene *w, const ipg_surface *surface) {
  double *stiffnesses = malloc((size_t)surface->face_count * sizeof *stiffnesses);
  for (int64_t f = 0; f < surface->face_count; ++f) stiffnesses[f] = w->stiffnesses[surface->face_blocks[f]];
  return stiffnesses;
}

static void update_surface(crash_scene *w, ipg_contact *contact) {
  ipg_mesh_surface fresh;
  ipg_error error = {0};
  const ipg_skin *skin = ipg_erosion_skin(w->erosion);
  CU_ASSERT_FATAL(!ipg_mesh_surface_build(&w->s.mesh, skin, w->s.masses, NULL, &fresh, NULL));
  const size_t bytes = 3 * (size_t)fresh.surface.node_count * sizeof(double);
  double *x = malloc(bytes), *start = malloc(bytes);
  ipg_mesh_surface_gather(&fresh, w->s.mesh.x, x);
  ipg_mesh_surface_gather(&fresh, w->h.x0, start);
  double *stiffnesses = stiffnesses_of_blocks(w, &fresh.surface);
  ipg_surface surface = fresh.surface;
  surface.start_positions = start, surface.face_stiffnesses = stiffnesses;
  CU_ASSERT_FATAL(!ipg_contact_update_surface(contact, &surface, x, &error));
  take_surface(w, &fresh, x);
  free(start), free(stiffnesses);
}

int64_t crash_scene_erode(crash_scene *w, ipg_contact *contact) {
  enum { MOST = 3 };
  ipg_erosion_change change;
  ipg_id list[MOST];
  if (!w->has_erosion || w->step % 16) return 0;
  const int64_t count = choose_elements(w, list);
  if (!count) return 0;
  w->was_eroded = true;
  CU_ASSERT_FATAL(!ipg_erosion_delete(w->erosion, list, count, &change, NULL));
  update_surface(w, contact);
  return count;
}
