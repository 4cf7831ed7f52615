/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Three passes: how the two sides of each face pair move against each other; the friction of each node, from the pairs
 * around it; the forces of each pair, from the nodes around it. Each pass writes where no other task does, and sums in
 * the order of pairs, so the bits do not depend on the number of workers. */
#include "enforce/face_friction.h"

#include "enforce/edge_overlap.h"
#include "enforce/friction.h"
#include "enforce/wall_contact.h"
#include "model/block_rules.h"
#include "model/relative_motion.h"
#include "model/sharp_edges.h"
#include "surface/face_geometry.h"

#include <string.h>

enum { GRAIN = 256 };

/* Of one face pair: its sides F and G meet at the centre of the pressure. */
typedef struct ipg_face_slide {
  double weights[2][3];     /* of that point on the corners of either side */
  double force;             /* resultant of the pressure */
  vec normal;               /* common: out of G */
  double sum_length;        /* of the two unit normals whose sum it follows from; of edges 1 */
  double gap;               /* F over G, below 0 */
  vec slide;                /* of F on G, in the step */
  vec tangential;           /* velocity of F against G, across the normal */
  double approach;          /* speed along the normal */
  double inverse_masses[2]; /* of the point on either side */
  const ipg_contact_law *law;
} slide;

typedef struct evaluation {
  ipg_face_friction_workspace *workspace;
  const ipg_step *step;
  const double *v;
  const ipg_friction_list *before;
  const ipg_face_contact *pairs;
  ipg_contact_range walls; /* contacts with walls */
} evaluation;

ipg_status ipg_face_friction_workspace_reserve(ipg_face_friction_workspace *w, const ipg_model *m, ipg_error *error) {
  const ipg_allocator *a = &m->config.allocator;
  const ipg_status status = ipg_array_reserve(&w->starts, a, m->surface.node_count + 1, error);
  return status ? status : ipg_array_reserve(&w->counts, a, m->surface.node_count, error);
}

void ipg_face_friction_workspace_destroy(ipg_face_friction_workspace *w, const ipg_allocator *a) {
  ipg_array_destroy(&w->slides, a);
  ipg_array_destroy(&w->starts, a);
  ipg_array_destroy(&w->parts, a);
  ipg_array_destroy(&w->counts, a);
  ipg_array_destroy(&w->contacts, a);
  ipg_array_destroy(&w->at_walls, a);
  ipg_array_destroy(&w->forces, a);
  ipg_array_destroy(&w->dampers, a);
  ipg_array_destroy(&w->velocities, a);
}

void ipg_friction_list_destroy(ipg_friction_list *list, const ipg_allocator *a) {
  ipg_array_destroy(&list->contacts, a);
  ipg_array_destroy(&list->forces, a);
}

void ipg_friction_list_clear(ipg_friction_list *list) {
  list->count = list->force_count = 0;
  list->energy = list->friction = list->damping = 0;
}

static bool has_dampers(const ipg_model *m) { return m->rules.most_damping > 0; }

/* ------------------------------------------------------------------------------------------------------ the slides */

static void ends_of_edge(const ipg_model *m, const double *x, ipg_id face, vec ends[2]) {
  const ipg_id *nodes = ipg_sharp_edge_nodes(m, face);
  for (int k = 0; k < 2; ++k) ends[k] = vec_at(x, nodes[k]);
}

/* Across both edges, out of the second. */
static vec common_normal_of_edges(const ipg_model *m, const double *x, const ipg_face_contact *pair) {
  const ipg_id *second = ipg_sharp_edge_nodes(m, pair->faces[1]);
  const vec outward = vec_sub(vec_at(x, second[0]), vec_at(x, second[2]));
  vec e[2], f[2];
  ends_of_edge(m, x, pair->faces[0], e), ends_of_edge(m, x, pair->faces[1], f);
  return ipg_normal_of_edges(e, f, outward);
}

static vec common_normal(const ipg_model *m, const double *x, const ipg_face_contact *pair, double *length) {
  const ipg_surface *s = &m->surface;
  *length = 1;
  if (ipg_is_sharp_edge(m, pair->faces[0])) return common_normal_of_edges(m, x, pair);
  const vec sum = vec_sub(ipg_face_normal(s, x, pair->faces[1]), ipg_face_normal(s, x, pair->faces[0]));
  *length = vec_length(sum);
  return vec_unit(sum);
}

/* From the point on G to the point on F, of positions or velocities. Differences from a corner first, so that nothing
 * cancels far from the origin. */
static vec from_side_to_side(const ipg_surface *s, const slide *d, const ipg_face_contact *pair, const double *x) {
  const ipg_id *f = ipg_face_corners(s, pair->faces[0]), *g = ipg_face_corners(s, pair->faces[1]);
  const vec origin = vec_at(x, g[0]);
  vec sum = {0, 0, 0};
  for (int k = 0; k < 3; ++k) {
    sum = vec_add(sum, vec_scale(d->weights[0][k], vec_sub(vec_at(x, f[k]), origin)));
    sum = vec_sub(sum, vec_scale(d->weights[1][k], vec_sub(vec_at(x, g[k]), origin)));
  }
  return sum;
}

/* Of edges these are the nearest points, even beyond an end: the line between the two is along the normal. */
static void set_weights_of_edges(const evaluation *e, const ipg_face_contact *pair, slide *d) {
  vec first[2], second[2];
  double fractions[2];
  ends_of_edge(e->step->model, e->step->x1, pair->faces[0], first);
  ends_of_edge(e->step->model, e->step->x1, pair->faces[1], second);
  ipg_nearest_on_edges(first, second, fractions);
  for (int i = 0; i < 2; ++i)
    d->weights[i][0] = 1 - fractions[i], d->weights[i][1] = fractions[i], d->weights[i][2] = 0;
}

static void weigh_sides(const evaluation *e, const ipg_face_contact *pair, slide *d) {
  const ipg_surface *s = &e->step->model->surface;
  const double(*pressures)[3] = pair->overlap.pressures;
  for (int side = 0; side < 2; ++side) {
    d->force = pressures[side][0] + pressures[side][1] + pressures[side][2];
    for (int k = 0; k < 3; ++k) d->weights[side][k] = pressures[side][k] / d->force;
  }
  if (ipg_is_sharp_edge(e->step->model, pair->faces[0])) set_weights_of_edges(e, pair, d);
  for (int side = 0; side < 2; ++side) {
    const ipg_id *corner = ipg_face_corners(s, pair->faces[side]);
    d->inverse_masses[side] = 0;
    for (int k = 0; k < 3; ++k)
      d->inverse_masses[side] += d->weights[side][k] * d->weights[side][k] / s->node_masses[corner[k]];
  }
}

/* The gap is along the normal at both ends of the step, but for what slid. */
static void measure_slide(const evaluation *e, const ipg_face_contact *pair, slide *d) {
  const ipg_surface *s = &e->step->model->surface;
  double unused;
  weigh_sides(e, pair, d);
  d->normal = common_normal(e->step->model, e->step->x1, pair, &d->sum_length);
  const vec normal0 = common_normal(e->step->model, e->step->x0, pair, &unused);
  const vec before = from_side_to_side(s, d, pair, e->step->x0), now = from_side_to_side(s, d, pair, e->step->x1);
  d->gap = vec_dot(now, d->normal);
  d->slide = vec_across(vec_sub(vec_scale(d->gap, normal0), before), d->normal);
  const vec moved = vec_sub(now, before);
  const double rate = e->step->dt > 0 ? 1 / e->step->dt : 0;
  const vec velocity = e->v ? from_side_to_side(s, d, pair, e->v) : vec_scale(rate, moved);
  d->approach = -vec_dot(velocity, d->normal);
  d->tangential = e->v ? vec_across(velocity, d->normal) : vec_scale(rate, d->slide);
  d->law = ipg_law_of_faces(e->step->model, pair->faces[0], pair->faces[1]);
}

vec ipg_normal_of_friction(const ipg_face_friction_workspace *w, int64_t pair) { return w->slides.at[pair].normal; }

static void measure_slides(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const evaluation *e = arg;
  for (int64_t i = begin; i < end; ++i) measure_slide(e, &e->pairs[i], &e->workspace->slides.at[i]);
}

/* ------------------------------------------------------------------------------------------------------- the parts */

static ipg_id node_of_corner(const ipg_surface *s, const ipg_face_contact *pair, int corner) {
  return ipg_face_corners(s, pair->faces[corner / 3])[corner % 3];
}

static ipg_id node_of_part(const ipg_model *m, const ipg_face_contact *pair, int corner) {
  return ipg_node_of_point(m, node_of_corner(&m->surface, pair, corner));
}

/* The parts of each node, in the order of pairs. */
static void list_parts(const evaluation *e, int64_t count) {
  const ipg_model *m = e->step->model;
  int64_t *starts = e->workspace->starts.at;
  for (int64_t i = 0; i <= m->surface.node_count; ++i) starts[i] = 0;
  for (int64_t i = 0; i < count; ++i)
    for (int k = 0; k < 6; ++k) ++starts[node_of_part(m, &e->pairs[i], k)];
  ipg_prefix_sum(starts, m->surface.node_count + 1);
  for (int64_t i = 0; i < count; ++i)
    for (int k = 0; k < 6; ++k) {
      const ipg_id touched = e->pairs[i].faces[k < 3];
      const ipg_friction_part part = {i, k, ipg_block_of_face(m, touched)};
      e->workspace->parts.at[starts[node_of_part(m, &e->pairs[i], k)]++] = part;
    }
  for (int64_t i = m->surface.node_count; i > 0; --i) starts[i] = starts[i - 1]; /* each was moved to its end */
  starts[0] = 0;
}

/* Parts with one block stand together, still in the order of pairs. */
static void sort_by_block(ipg_friction_part *parts, int64_t count) {
  for (int64_t i = 1; i < count; ++i) {
    const ipg_friction_part part = parts[i];
    int64_t to = i;
    for (; to > 0 && parts[to - 1].block > part.block; --to) parts[to] = parts[to - 1];
    parts[to] = part;
  }
}

/* ----------------------------------------------------------------------------------------- the friction of a node */

/* What a node has to do with the faces of a block, in all. Directions are those of the node's side. */
typedef struct node_contact {
  double force, coefficient;     /* normal force, coefficient of friction */
  vec slide, tangential, normal; /* the touched block's normal, its length at most 1 */
  double approach, damping, onset, mass;
} node_contact;

static double pressure_of_part(const evaluation *e, const ipg_friction_part *part) {
  return 0.5 * e->pairs[part->pair].overlap.pressures[part->corner / 3][part->corner % 3];
}

static node_contact sum_parts(const evaluation *e, ipg_id node, const ipg_friction_part *parts, int64_t count) {
  node_contact c = {0};
  double inverse_mass = 0;
  for (int64_t i = 0; i < count; ++i) {
    const slide *d = &e->workspace->slides.at[parts[i].pair];
    const ipg_face_contact *pair = &e->pairs[parts[i].pair];
    const double force = pressure_of_part(e, &parts[i]), side = parts[i].corner < 3 ? force : -force;
    c.force += force;
    c.coefficient += ipg_friction_coefficient(d->law, vec_length(d->tangential)) * force;
    c.slide = vec_add(c.slide, vec_scale(side, d->slide));
    c.tangential = vec_add(c.tangential, vec_scale(side, d->tangential));
    c.normal = vec_add(c.normal, vec_scale(side, d->normal));
    c.approach += force * d->approach, c.damping += force * d->law->damping;
    c.onset += force * ipg_onset_between(e->step->model, pair->faces[0], pair->faces[1]);
    inverse_mass += force * d->inverse_masses[parts[i].corner < 3];
  }
  const double per_force = c.force > 0 ? 1 / c.force : 0;
  c.slide = vec_scale(per_force, c.slide), c.tangential = vec_scale(per_force, c.tangential);
  c.normal = vec_scale(per_force, c.normal);
  c.coefficient *= per_force, c.approach *= per_force, c.damping *= per_force, c.onset *= per_force;
  c.mass = 0.5 / (1 / e->step->model->surface.node_masses[node] + per_force * inverse_mass);
  return c;
}

/* Half of the node's area: the other half belongs to the nodes on the other side. */
static double tangential_stiffness(const ipg_model *m, ipg_id node, int32_t block) {
  const ipg_face_properties *p = &m->faces;
  return 0.5 * p->node_areas.at[node] / (1 / p->node_stiffnesses.at[node] + 1 / p->block_stiffnesses.at[block]);
}

/* A wall has no nodes for the other half; K is half of the stiffness of a side. */
static double tangential_stiffness_at_wall(const ipg_model *m, ipg_id node) {
  return 2 * m->faces.wall_node_stiffnesses.at[node];
}

double ipg_friction_stiffness(const ipg_model *m, ipg_id node, int32_t block) {
  return block < 0 ? tangential_stiffness_at_wall(m, node) : tangential_stiffness(m, node, block);
}

/* Of the tangential spring and the mass of both sides. */
static double damping_coefficient(const ipg_node_friction *f, const node_contact *c) {
  return 2 * c->damping * sqrt(f->stiffness * c->mass);
}

/* The square root of the slope of the pressure over that beyond the onset: d/w, and the pressure is k d^2 / (2 w). */
static double onset_of_damping(const ipg_node_friction *f, const node_contact *c) {
  return smaller(1, sqrt(sqrt(2 * c->force / (f->stiffness * c->onset))));
}

/* NULL: there was none. */
static const ipg_node_friction *find_before(const ipg_friction_list *list, ipg_id node, int32_t block) {
  int64_t low = 0, high = list->count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (ipg_comes_before(&list->contacts.at[middle], &(ipg_node_friction){.node = node, .block = block}))
      low = middle + 1;
    else high = middle;
  }
  const ipg_node_friction *f = &list->contacts.at[low];
  return low < list->count && f->node == node && f->block == block ? f : NULL;
}

/* The tangential spring yields where friction is not enough; the damper stays within the cone, and never pulls. */
static void apply_friction(const evaluation *e, const node_contact *c, ipg_node_friction *f) {
  const double damping = damping_coefficient(f, c);
  const ipg_node_friction *old = find_before(e->before, f->node, f->block);
  const vec slip0 = old ? ipg_turn_with_node(e->step, f->node, old->slip, c->normal) : (vec){0, 0, 0};
  const vec stretched = vec_add(slip0, c->slide);
  f->normal_damper = larger(damping * onset_of_damping(f, c) * c->approach, -c->force);
  const double most = c->coefficient * (c->force + f->normal_damper);
  const vec needed = vec_scale(-f->stiffness, stretched), spring = vec_capped(needed, most);
  f->slip = vec_scale(-1 / f->stiffness, spring);
  f->slides = !(vec_length(needed) < most);
  f->way = (old ? old->way : 0) + (f->slides ? vec_length(vec_sub(stretched, f->slip)) : 0);
  f->force = vec_capped(vec_sub(spring, vec_scale(damping, c->tangential)), most);
  f->damper = vec_sub(f->force, spring);
}

static void set_force_of_part(const evaluation *e, const ipg_friction_part *part, vec force, vec damper) {
  ipg_face_friction_workspace *w = e->workspace;
  const int64_t at = 6 * part->pair + part->corner;
  w->forces.at[at] = force;
  if (has_dampers(e->step->model)) w->dampers.at[at] = damper;
}

/* Each part gets its share of the friction, across its own normal, and of the damper along it. */
static void share_force(const evaluation *e, const ipg_friction_part *parts, int64_t count, const node_contact *c,
                        const ipg_node_friction *f) {
  for (int64_t i = 0; i < count; ++i) {
    const slide *d = &e->workspace->slides.at[parts[i].pair];
    const double share = pressure_of_part(e, &parts[i]) / c->force, side = parts[i].corner < 3 ? share : -share;
    const vec along = vec_scale(share * f->normal_damper, d->normal);
    set_force_of_part(e, &parts[i], vec_add(vec_scale(side, vec_across(f->force, d->normal)), along),
                      vec_add(vec_scale(side, vec_across(f->damper, d->normal)), along));
  }
}

static void find_friction(const evaluation *e, ipg_id node) {
  ipg_face_friction_workspace *w = e->workspace;
  int64_t begin = w->starts.at[node];
  const int64_t end = w->starts.at[node + 1];
  ipg_node_friction *found = w->contacts.at + begin;
  sort_by_block(w->parts.at + begin, end - begin);
  w->counts.at[node] = 0;
  for (int64_t next; begin < end; begin = next) {
    const ipg_friction_part *parts = w->parts.at + begin;
    for (next = begin; next < end && w->parts.at[next].block == parts->block;) ++next;
    const node_contact c = sum_parts(e, node, parts, next - begin);
    for (int64_t i = 0; i < next - begin; ++i) set_force_of_part(e, &parts[i], (vec){0, 0, 0}, (vec){0, 0, 0});
    if (!(c.force > 0)) continue;
    ipg_node_friction f = {.node = node, .block = parts->block, .normal_force = c.force};
    f.stiffness = ipg_friction_stiffness(e->step->model, node, parts->block);
    apply_friction(e, &c, &f);
    share_force(e, parts, next - begin, &c, &f);
    found[w->counts.at[node]++] = f;
  }
}

static void find_frictions(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  for (int64_t node = begin; node < end; ++node) find_friction(arg, (ipg_id)node);
}

/* ------------------------------------------------------------------------------------------------- rigid walls */

static node_contact contact_at_wall(const evaluation *e, const ipg_contact_pair *pair) {
  const ipg_step *step = e->step;
  const ipg_contact_law *law = &step->model->config.walls[pair->touched].law;
  const vec normal = vec_at(pair->normal, 0), motion = ipg_relative_motion(step, pair);
  const double rate = step->dt > 0 ? 1 / step->dt : 0;
  const vec velocity = e->v ? ipg_relative_velocity(step->model, pair, e->v) : vec_scale(rate, motion);
  const vec tangential = vec_across(velocity, normal);
  return (node_contact){.force = pair->response.normal_force,
                        .coefficient = ipg_friction_coefficient(law, vec_length(tangential)),
                        .slide = vec_across(motion, normal),
                        .tangential = tangential,
                        .normal = normal,
                        .approach = -vec_dot(velocity, normal),
                        .damping = law->damping,
                        .onset = ipg_onset_at_wall(step->model, pair),
                        .mass = step->model->surface.node_masses[pair->owner]};
}

static void find_frictions_at_walls(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const evaluation *e = arg;
  const ipg_model *m = e->step->model;
  for (int64_t i = begin; i < end; ++i) {
    const ipg_contact_pair *pair = &e->walls.pairs[i];
    ipg_node_friction f = {.node = pair->owner,
                           .block = (int32_t)(pair->touched - m->config.wall_count),
                           .normal_force = pair->response.normal_force};
    const node_contact c = contact_at_wall(e, pair);
    f.stiffness = ipg_friction_stiffness(m, f.node, f.block);
    if (c.force > 0) apply_friction(e, &c, &f);
    e->workspace->at_walls.at[i] = f;
  }
}

static vec force_at_wall(const ipg_node_friction *f, const ipg_contact_pair *pair, vec across) {
  return vec_add(across, vec_scale(f->normal_damper, vec_at(pair->normal, 0)));
}

static void add_forces_at_wall(const ipg_node_friction *f, ipg_contact_pair *pair, ipg_force_sums *sums) {
  const vec more = force_at_wall(f, pair, f->force);
  pair->response.normal_force += f->normal_damper;
  vec_store(pair->response.friction, f->force);
  vec_store(pair->history.tangential_slip, f->slip);
  vec_store(pair->response.force, vec_add(vec_at(pair->response.force, 0), more));
  ipg_name_contact(sums, pair);
  ipg_add_at_node(sums, f->node, more);
}

/* ------------------------------------------------------------------------------------------- the forces of a pair */

/* On the corners of a face: of a force on its normal, times length. */
static void add_turning(const ipg_surface *s, const double *x, ipg_id face, vec by_normal, vec forces[3]) {
  const ipg_id *corner = ipg_face_corners(s, face);
  const vec area = ipg_face_area_vector(s, x, face);
  const double area2 = vec_length(area);
  const vec across = vec_scale(1 / area2, vec_across(by_normal, vec_scale(1 / area2, area)));
  const vec b = vec_sub(vec_at(x, corner[1]), vec_at(x, corner[0]));
  const vec c = vec_sub(vec_at(x, corner[2]), vec_at(x, corner[0]));
  const vec for_b = vec_cross(c, across), for_c = vec_cross(across, b);
  forces[0] = vec_sub(forces[0], vec_add(for_b, for_c));
  forces[1] = vec_add(forces[1], for_b), forces[2] = vec_add(forces[2], for_c);
}

static void add_turning_of_edges(const evaluation *e, const ipg_face_contact *pair, vec normal, vec by_normal,
                                 vec forces[6]) {
  vec first[2], second[2], turning[2][2] = {0};
  ends_of_edge(e->step->model, e->step->x1, pair->faces[0], first);
  ends_of_edge(e->step->model, e->step->x1, pair->faces[1], second);
  ipg_add_turning_of_edges(first, second, by_normal, normal, turning);
  for (int i = 0; i < 4; ++i) forces[3 * (i / 2) + i % 2] = vec_add(forces[3 * (i / 2) + i % 2], turning[i / 2][i % 2]);
}

/* The force works on what F moves against G, less the gap times the turn of the normal: friction at a depth is no
 * couple. */
static void find_forces_of_pair(const evaluation *e, int64_t i, vec forces[6]) {
  const slide *d = &e->workspace->slides.at[i];
  const ipg_face_contact *pair = &e->pairs[i];
  vec force = {0, 0, 0};
  for (int k = 0; k < 6; ++k) force = vec_add(force, forces[k]);
  const vec by_normal = vec_scale(d->gap / d->sum_length, vec_across(force, d->normal));
  for (int k = 0; k < 6; ++k) forces[k] = vec_scale((k < 3 ? 1 : -1) * d->weights[k / 3][k % 3], force);
  if (ipg_is_sharp_edge(e->step->model, pair->faces[0])) {
    add_turning_of_edges(e, pair, d->normal, by_normal, forces);
    return;
  }
  const ipg_surface *s = &e->step->model->surface;
  add_turning(s, e->step->x1, pair->faces[0], by_normal, forces);
  add_turning(s, e->step->x1, pair->faces[1], vec_scale(-1, by_normal), forces + 3);
}

static void find_forces_of_pairs(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const evaluation *e = arg;
  for (int64_t i = begin; i < end; ++i) {
    find_forces_of_pair(e, i, &e->workspace->forces.at[6 * i]);
    if (has_dampers(e->step->model)) find_forces_of_pair(e, i, &e->workspace->dampers.at[6 * i]);
  }
}

/* ------------------------------------------------------------------------------------------------------------ sums */

double ipg_energy_of_friction(const ipg_node_friction *f) { return 0.5 * f->stiffness * vec_dot(f->slip, f->slip); }

double ipg_friction_energy(const ipg_friction_list *list) {
  double sum = 0;
  for (int64_t i = 0; i < list->count; ++i) sum += ipg_energy_of_friction(&list->contacts.at[i]);
  return sum;
}

static void keep_force(const ipg_model *m, ipg_friction_list *list, ipg_friction_force force, ipg_id point) {
  const int64_t bevel_point = point - m->surface.node_count;
  const ipg_bevel_point *p = bevel_point < 0 ? NULL : &m->bevels.points.at[bevel_point];
  force.node = p ? p->node : point;
  ipg_friction_force far = force;
  if (p) {
    far.node = p->toward, far.force = vec_scale(p->part, force.force), far.damper = vec_scale(p->part, force.damper);
    force.force = vec_sub(force.force, far.force), force.damper = vec_sub(force.damper, far.damper);
    list->forces.at[list->force_count++] = far;
  }
  list->forces.at[list->force_count++] = force;
}

/* For the half of their work that they do in the next step. */
static void keep_forces(const evaluation *e, int64_t pairs, ipg_friction_list *list) {
  const ipg_model *m = e->step->model;
  const ipg_face_friction_workspace *w = e->workspace;
  const vec none = {0, 0, 0};
  list->force_count = 0;
  for (int64_t i = 0; i < 6 * pairs; ++i) {
    const ipg_face_contact *pair = &e->pairs[i / 6];
    const ipg_block_pair blocks =
        ipg_block_pair_of(ipg_block_of_face(m, pair->faces[0]), ipg_block_of_face(m, pair->faces[1]));
    const vec damper = has_dampers(m) ? w->dampers.at[i] : none;
    keep_force(m, list, (ipg_friction_force){.blocks = blocks, .force = w->forces.at[i], .damper = damper},
               node_of_corner(&m->surface, pair, (int)(i % 6)));
  }
  for (int64_t i = 0; i < e->walls.count; ++i) {
    const ipg_node_friction *f = &w->at_walls.at[i];
    const ipg_contact_pair *pair = &e->walls.pairs[i];
    if (!(f->normal_force > 0)) continue;
    list->forces.at[list->force_count++] = (ipg_friction_force){.blocks = ipg_blocks_of_friction(m, f),
                                                                .node = f->node,
                                                                .force = force_at_wall(f, pair, f->force),
                                                                .damper = force_at_wall(f, pair, f->damper)};
  }
}

static void lose(const ipg_model *m, ipg_block_pair blocks, double friction, double damping, ipg_friction_list *list,
                 ipg_block_sums *sums) {
  list->friction += friction, list->damping += damping;
  ipg_add_block_dissipation(sums, &m->config.allocator, blocks, friction, damping);
}

/* Half of the work of the forces on what moves against a wall, or against other nodes: that of dampers is lost, and
 * that of springs but for what these store. */
static void lose_half_work(const ipg_step *step, const ipg_friction_list *forces, ipg_friction_list *list,
                           ipg_block_sums *sums) {
  const ipg_model *m = step->model;
  for (int64_t i = 0; i < forces->force_count; ++i) {
    const ipg_friction_force *f = &forces->forces.at[i];
    vec motion = ipg_node_motion(step, (ipg_id)f->node);
    if (f->blocks.lower < 0) {
      const vec velocity = vec_at(m->config.walls[f->blocks.lower + m->config.wall_count].velocity, 0);
      motion = vec_sub(motion, vec_scale(step->dt, velocity));
    }
    const double of_damper = 0.5 * vec_dot(f->damper, motion), all = 0.5 * vec_dot(f->force, motion);
    lose(m, f->blocks, of_damper - all, 0 - of_damper, list, sums);
  }
}

static void book_losses(const ipg_step *step, const ipg_friction_list *before, ipg_friction_list *after,
                        ipg_block_sums *sums) {
  const ipg_model *m = step->model;
  after->friction = after->damping = 0;
  after->energy = ipg_friction_energy(after);
  lose_half_work(step, before, after, sums);
  lose_half_work(step, after, after, sums);
  for (int64_t i = 0; i < before->count; ++i) {
    const ipg_node_friction *f = &before->contacts.at[i];
    lose(m, ipg_blocks_of_friction(m, f), ipg_energy_of_friction(f), 0, after, sums);
  }
  for (int64_t i = 0; i < after->count; ++i) {
    const ipg_node_friction *f = &after->contacts.at[i];
    lose(m, ipg_blocks_of_friction(m, f), -ipg_energy_of_friction(f), 0, after, sums);
  }
}

/* Walls stand before blocks. */
static ipg_status gather_frictions(const evaluation *e, ipg_friction_list *list, ipg_error *error) {
  const ipg_face_friction_workspace *w = e->workspace;
  const ipg_model *m = e->step->model;
  int64_t count = e->walls.count, wall = 0;
  for (int64_t node = 0; node < m->surface.node_count; ++node) count += w->counts.at[node];
  list->count = 0;
  const ipg_status status = ipg_array_reserve_ahead(&list->contacts, &m->config.allocator, count, error);
  for (int64_t node = 0; !status && node < m->surface.node_count; ++node) {
    for (; wall < e->walls.count && w->at_walls.at[wall].node == node; ++wall)
      if (w->at_walls.at[wall].normal_force > 0) list->contacts.at[list->count++] = w->at_walls.at[wall];
    for (int32_t k = 0; k < w->counts.at[node]; ++k)
      list->contacts.at[list->count++] = w->contacts.at[w->starts.at[node] + k];
  }
  return status;
}

static ipg_status reserve_parts(ipg_face_friction_workspace *w, const ipg_allocator *a, int64_t pairs, int64_t walls,
                                ipg_error *error) {
  ipg_status status = ipg_array_reserve_ahead(&w->at_walls, a, walls, error);
  if (!status) status = ipg_array_reserve_ahead(&w->slides, a, pairs, error);
  if (!status) status = ipg_array_reserve_ahead(&w->parts, a, 6 * pairs, error);
  if (!status) status = ipg_array_reserve_ahead(&w->contacts, a, 6 * pairs, error);
  if (!status) status = ipg_array_reserve_ahead(&w->forces, a, 6 * pairs, error);
  return status;
}

/* Twice as many forces where corners of bevels share theirs between two nodes. */
static ipg_status reserve_forces(ipg_face_friction_workspace *w, const ipg_model *m, int64_t pairs, int64_t walls,
                                 ipg_friction_list *after, ipg_error *error) {
  const ipg_allocator *a = &m->config.allocator;
  const int64_t most = (m->bevels.face_count ? 12 : 6) * pairs + walls;
  ipg_status status = ipg_array_reserve_ahead(&after->forces, a, most, error);
  if (!status && has_dampers(m)) status = ipg_array_reserve_ahead(&w->dampers, a, 6 * pairs, error);
  return status;
}

/* With those of the corners of bevels. */
static ipg_status take_velocities(ipg_face_friction_workspace *w, const ipg_model *m, const double *v,
                                  ipg_error *error) {
  const ipg_status status =
      ipg_array_reserve(&w->velocities, &m->config.allocator, 3 * ipg_node_count_with_bevels(m), error);
  if (status) return status;
  if (m->surface.node_count) memcpy(w->velocities.at, v, 3 * (size_t)m->surface.node_count * sizeof *v);
  ipg_set_bevel_points(m, w->velocities.at);
  return IPG_OK;
}

ipg_status ipg_find_friction(ipg_face_friction_workspace *w, const ipg_step *step, const double *v,
                             const ipg_friction_list *before, const ipg_face_contact_workspace *faces,
                             const ipg_contact_list *contacts, ipg_friction_list *after, ipg_block_sums *sums,
                             ipg_error *error) {
  const ipg_model *m = step->model;
  const int64_t count = faces->count;
  evaluation e = {w, step, v, before, faces->contacts.at, ipg_contacts_of_kind(contacts, IPG_CONTACT_NODE_WALL)};
  ipg_status status = reserve_parts(w, &m->config.allocator, count, e.walls.count, error);
  if (!status) status = reserve_forces(w, m, count, e.walls.count, after, error);
  const bool has_bevel_velocities = v && m->bevels.face_count;
  if (!status && has_bevel_velocities) status = take_velocities(w, m, v, error);
  if (status) return status;
  if (has_bevel_velocities) e.v = w->velocities.at;
  ipg_tasks_for(&m->config.tasks, measure_slides, &e, 0, count, GRAIN);
  list_parts(&e, count);
  ipg_tasks_for(&m->config.tasks, find_frictions, &e, 0, m->surface.node_count, GRAIN);
  ipg_tasks_for(&m->config.tasks, find_frictions_at_walls, &e, 0, e.walls.count, GRAIN);
  ipg_tasks_for(&m->config.tasks, find_forces_of_pairs, &e, 0, count, GRAIN);
  status = gather_frictions(&e, after, error);
  if (status) return status;
  keep_forces(&e, count, after);
  book_losses(step, before, after, sums);
  return IPG_OK;
}

void ipg_add_friction_forces(const ipg_face_friction_workspace *w, const ipg_face_contact_workspace *faces,
                             ipg_contact_list *contacts, ipg_force_sums *sums) {
  const ipg_surface *s = &sums->model->surface;
  const ipg_contact_range walls = ipg_contacts_of_kind(contacts, IPG_CONTACT_NODE_WALL);
  for (int64_t i = 0; i < faces->count; ++i) {
    const ipg_face_contact *contact = &faces->contacts.at[i];
    sums->part = 4 + ipg_is_sharp_edge(sums->model, contact->faces[0]);
    ipg_name_face_contact(sums, contact);
    for (int k = 0; k < 6; ++k) ipg_add_at_point(sums, node_of_corner(s, contact, k), w->forces.at[6 * i + k]);
  }
  sums->part = 6;
  for (int64_t i = 0; i < walls.count; ++i)
    add_forces_at_wall(&w->at_walls.at[i], &contacts->pairs.at[walls.pairs - contacts->pairs.at + i], sums);
}
