/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Two faces are in contact only while they face each other. Most pairs whose boxes overlap are neighbours that look the
 * same way. Pairs that cannot face each other unless one of them turns by more than IPG_FACE_TURN are dropped as the
 * search finds them; the normals of all faces are followed from step to step, and when one has turned by more the next
 * search comes. The few pairs that are left are sorted, and wait while they are apart (candidate_filter.h). */
#include "candidates/face_candidates.h"

#include "candidates/back_to_back.h"
#include "model/bevels.h"
#include "model/block_rules.h"
#include "support/box.h"
#include "surface/face_geometry.h"

/* Normals are sorted into cells: 9 on each side of a cube about them, so that those along an axis are amid a cell. The
 * last group is of faces that can turn by anything. */
enum { GRAIN = 1024, CELLS = 54, LOOKS = CELLS + 1 };

/* ------------------------------------------------------------------------------------------------ cells of normals */

/* The sides of the cube are those where x, y, z is 1, then -1; along the other axes cells begin at these positions. */
static const double cell_borders[4] = {-1, -1. / 3, 1. / 3, 1};

static int third_of(double part) { return part < cell_borders[1] ? 0 : part > cell_borders[2] ? 2 : 1; }

static ipg_id look_of_normal(vec normal) {
  const double n[3] = {normal.x, normal.y, normal.z}, x = fabs(n[0]), y = fabs(n[1]), z = fabs(n[2]);
  const int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
  const double most = fabs(n[axis]);
  if (!(most > 0)) return CELLS;
  const int side = axis + (n[axis] < 0 ? 3 : 0);
  return 9 * side + 3 * third_of(n[(axis + 1) % 3] / most) + third_of(n[(axis + 2) % 3] / most);
}

static void corner_of_cell(int cell, int number, double corner[3]) {
  const int side = cell / 9, axis = side % 3;
  corner[axis] = side < 3 ? 1 : -1;
  corner[(axis + 1) % 3] = cell_borders[cell / 3 % 3 + number / 2];
  corner[(axis + 2) % 3] = cell_borders[cell % 3 + number % 2];
}

/* Directions in the cells are sums of those to the corners, with weights above 0. */
static bool are_within_right_angle(int cell, int other) {
  double a[3], b[3];
  for (int i = 0; i < 16; ++i) {
    corner_of_cell(cell, i / 4, a), corner_of_cell(other, i % 4, b);
    if (a[0] * b[0] + a[1] * b[1] + a[2] * b[2] < 0) return false;
  }
  return true;
}

/* Faces whose normals are within a right angle do not face each other before the next search: the turns of both and the
 * angle of facing sum to less. */
static void exclude_looks(uint8_t excluded[LOOKS * LOOKS]) {
  for (int i = 0; i < LOOKS * LOOKS; ++i) {
    const int cell = i / LOOKS, other = i % LOOKS;
    excluded[i] = cell < CELLS && other < CELLS && are_within_right_angle(cell, other);
  }
}

static ipg_status create_search(ipg_face_candidates *k, const ipg_model *m, ipg_error *error) {
  uint8_t excluded[LOOKS * LOOKS];
  ipg_search_config config = ipg_search_defaults();
  exclude_looks(excluded);
  config.group_count = LOOKS, config.group_excluded = excluded;
  config.method = m->config.search_method;
  config.allocator = m->config.allocator;
  config.tasks = m->config.tasks;
  return ipg_search_create(&config, &k->search, error);
}

ipg_status ipg_face_candidates_init(ipg_face_candidates *k, const ipg_model *m, ipg_error *error) {
  const ipg_allocator *a = &m->config.allocator;
  const int64_t faces = ipg_face_count_with_bevels(m);
  if (!ipg_has_face_contact(m)) return IPG_OK;
  ipg_status status = ipg_array_reserve(&k->turns, a, faces, error);
  if (!status) status = ipg_array_reserve(&k->looks, a, faces, error);
  if (!status) status = ipg_array_reserve(&k->boxes, a, faces, error);
  if (!status) status = ipg_array_reserve(&k->normals, a, 3 * faces, error);
  if (!status) status = ipg_array_reserve(&k->cosines, a, m->config.tasks.worker_count, error);
  if (!status) status = ipg_array_reserve(&k->counts, a, m->config.tasks.worker_count, error);
  return status ? status : create_search(k, m, error);
}

void ipg_face_candidates_destroy(ipg_face_candidates *k, const ipg_allocator *a) {
  ipg_search_destroy(&k->search);
  ipg_array_destroy(&k->turns, a);
  ipg_array_destroy(&k->looks, a);
  ipg_array_destroy(&k->boxes, a);
  ipg_array_destroy(&k->normals, a);
  ipg_array_destroy(&k->cosines, a);
  ipg_array_destroy(&k->found, a);
  ipg_array_destroy(&k->counts, a);
  ipg_array_destroy(&k->order, a);
  ipg_sorter_destroy(&k->sorter, a);
}

/* ------------------------------------------------------------------------------------------------------------ turns */

typedef struct turn_task {
  const ipg_model *model;
  const ipg_box *boxes, *face_boxes; /* of nodes, of faces */
  const double *normals;
  ipg_face_turn *turns;
  ipg_box *columns;
  ipg_id *looks;
  double *cosines; /* of each worker */
} turn_task;

typedef struct normal_task {
  ipg_face_candidates *candidates;
  const ipg_model *model;
  const double *x;
} normal_task;

/* The cosine of the turn of a face to a normal. A face that has turned within a step already may turn by anything. */
static double cosine_of_turn(const ipg_face_turn *turn, vec normal) {
  return isnan(turn->turn_cosine) ? 1 : vec_dot(turn->normal, normal);
}

static void find_normals(void *arg, int64_t begin, int64_t end, int worker) {
  const normal_task *t = arg;
  ipg_face_candidates *k = t->candidates;
  double least = 1;
  for (int64_t f = begin; f < end; ++f) {
    const vec normal = ipg_face_normal(&t->model->surface, t->x, (ipg_id)f);
    vec_store(k->normals.at + 3 * f, normal);
    if (k->is_set) least = smaller(least, cosine_of_turn(&k->turns.at[f], normal));
  }
  k->cosines.at[worker] = smaller(k->cosines.at[worker], least);
}

/* The sine of the largest turn, no less than exact, as a fraction of what the search allows for. */
static double largest_turn(const ipg_face_candidates *k, int workers) {
  const double rounding = 1e-7;
  double least = 1;
  for (int w = 0; w < workers; ++w) least = smaller(least, k->cosines.at[w]);
  return least > 0 ? (sqrt(larger(0, 1 - least * least)) + rounding) / IPG_FACE_TURN : INFINITY;
}

void ipg_follow_face_normals(ipg_face_candidates *k, const ipg_model *m, const double *x) {
  normal_task t = {k, m, x};
  for (int w = 0; w < m->config.tasks.worker_count; ++w) k->cosines.at[w] = 1;
  ipg_tasks_for(&m->config.tasks, find_normals, &t, 0, ipg_face_count_with_bevels(m), GRAIN);
  k->turned = largest_turn(k, m->config.tasks.worker_count);
}

static vec middle_of_box(const ipg_box *box) {
  return (vec){0.5 * (box->lo[0] + box->hi[0]), 0.5 * (box->lo[1] + box->hi[1]), 0.5 * (box->lo[2] + box->hi[2])};
}

static vec half_widths_of_box(const ipg_box *box) {
  return (vec){0.5 * (box->hi[0] - box->lo[0]), 0.5 * (box->hi[1] - box->lo[1]), 0.5 * (box->hi[2] - box->lo[2])};
}

static vec larger_of_each(vec a, vec b) { return (vec){larger(a.x, b.x), larger(a.y, b.y), larger(a.z, b.z)}; }

static void find_turn_angles(ipg_face_turn *turn, vec normal_now) {
  const double half_cosine = sqrt(0.5 * (1 + IPG_FACING_COSINE)), half_sine = sqrt(0.5 * (1 - IPG_FACING_COSINE));
  const double sine = IPG_FACE_TURN, cosine = sqrt(1 - sine * sine);
  const bool is_known = vec_dot(turn->normal, normal_now) >= cosine;
  turn->turn_sine = is_known ? sine : NAN, turn->turn_cosine = is_known ? cosine : NAN;
  turn->cosine = turn->turn_cosine * half_cosine - turn->turn_sine * half_sine;
  turn->sine = turn->turn_sine * half_cosine + turn->turn_cosine * half_sine;
}

static ipg_face_turn turn_of_face(const turn_task *t, ipg_id face) {
  const ipg_id *corner = ipg_face_corners(&t->model->surface, face);
  ipg_face_turn turn = {.extent = ipg_box_extent(&t->face_boxes[face]),
                        .reach = IPG_REACH * t->model->faces.thicknesses.at[face],
                        .outward = (1 + IPG_REACH_MARGIN) * ipg_reach_of_face(t->model, face)};
  vec *x = turn.corners;
  for (int k = 0; k < 3; ++k) {
    x[k] = middle_of_box(&t->boxes[corner[k]]);
    turn.half_widths = larger_of_each(turn.half_widths, half_widths_of_box(&t->boxes[corner[k]]));
  }
  turn.way = vec_length(turn.half_widths);
  turn.normal = vec_unit(ipg_triangle_area_vector(x[0], x[1], x[2]));
  turn.middle = vec_scale(1. / 3, vec_add(x[0], vec_add(x[1], x[2])));
  for (int k = 0; k < 3; ++k) turn.radius = larger(turn.radius, vec_length(vec_sub(x[k], turn.middle)));
  find_turn_angles(&turn, vec_at(t->normals, face));
  return turn;
}

/* The most that a step of length 1 into the body goes along an axis. along: what a step against the normal does. */
static double most_along(double along, const ipg_face_turn *turn) {
  if (isnan(turn->cosine) || along >= turn->cosine) return 1;
  return larger(0, along * turn->cosine + sqrt(larger(0, 1 - along * along)) * turn->sine);
}

/* Between two faces in contact goes a column that leans no more than faces turn and face each other. Its middle lies
 * within half of the largest distance of either face, on the inner side. */
static ipg_box box_of_columns(const turn_task *t, ipg_id face, const ipg_face_turn *turn) {
  const double half = (1 + IPG_REACH_MARGIN) * 0.5 * turn->reach;
  ipg_box box = t->face_boxes[face];
  double normal[3];
  vec_store(normal, turn->normal);
  for (int k = 0; k < 3; ++k) {
    box.lo[k] -= half * most_along(normal[k], turn);
    box.hi[k] += half * most_along(-normal[k], turn);
  }
  return box;
}

static void find_turns(void *arg, int64_t begin, int64_t end, int worker) {
  const turn_task *t = arg;
  double least = 1;
  for (int64_t f = begin; f < end; ++f) {
    t->turns[f] = turn_of_face(t, (ipg_id)f);
    t->columns[f] = box_of_columns(t, (ipg_id)f, &t->turns[f]);
    t->looks[f] = isnan(t->turns[f].turn_cosine) ? CELLS : look_of_normal(t->turns[f].normal);
    least = smaller(least, cosine_of_turn(&t->turns[f], vec_at(t->normals, f)));
  }
  t->cosines[worker] = smaller(t->cosines[worker], least);
}

/* False only where the angle between one normal and the other's opposite is beyond both turns and that of facing. Both
 * angles sum to less than half of a circle. */
static bool can_face_each_other(const ipg_face_turn *f, const ipg_face_turn *g) {
  const double rounding = 1e-9, least = f->cosine * g->cosine - f->sine * g->sine;
  return !(-vec_dot(f->normal, g->normal) < least - rounding);
}

/* A quick form of safe_drift_in_front: true only where the first face stays in front of the second. Either face turns
 * by at most 50 degrees, so the common normal by less than a right angle; the corners lie within the sine of half of
 * the angle between the faces times a radius of the middle along it. */
static bool stay_apart(const ipg_face_turn *f, const ipg_face_turn *g) {
  const double cosine = -vec_dot(f->normal, g->normal), least_cosine = 0.0646; /* of 50 + 36.3 degrees */
  if (!(cosine > IPG_FACING_COSINE && f->cosine > least_cosine && g->cosine > least_cosine)) return false;
  const double apart = vec_dot(vec_sub(f->middle, g->middle), vec_sub(g->normal, f->normal));
  const double slope = sqrt(0.5 * larger(0, 1 - cosine)), length = sqrt(2 * (1 + cosine));
  const double thickness = smaller(f->outward, g->outward);
  return apart > 1.001 * length * (slope * (f->radius + g->radius) + f->way + g->way + thickness);
}

/* ------------------------------------------------------------------------------------------------------- safe drift */

/* Two faces as they are at the search, from a corner of the first, and how far their common normal can turn. */
typedef struct face_pair {
  vec a[3], b[3], normal, half_widths; /* the corners; of both boxes of corners */
  double margin, reach, thickness, clearance;
  bool can_turn_over; /* one of them may turn by anything */
  double turning;     /* reach times the sine of the largest turn of the common normal, at most */
} face_pair;

/* The sum of the normals changes by at most twice the chord of a turn, and is `length` long. */
static inline void find_pair(const ipg_face_turn *f, const ipg_face_turn *g, double margin, face_pair *p) {
  const vec sum = vec_sub(g->normal, f->normal);
  const double length = vec_length(sum), change = 2 * IPG_FACE_ANGLE / length;
  for (int k = 0; k < 3; ++k) {
    p->a[k] = vec_sub(f->corners[k], f->corners[0]);
    p->b[k] = vec_sub(g->corners[k], f->corners[0]);
  }
  p->normal = length > 0 ? vec_scale(1 / length, sum) : sum;
  p->margin = margin, p->half_widths = vec_add(f->half_widths, g->half_widths);
  p->reach = smaller(f->reach, g->reach), p->thickness = smaller(f->outward, g->outward);
  p->clearance = IPG_LEAST_CLEARANCE * (f->extent + g->extent + 2 * p->reach + p->thickness);
  p->can_turn_over = isnan(f->turn_cosine) || isnan(g->turn_cosine);
  p->turning = larger(p->reach, p->thickness) * (!p->can_turn_over && change < 1 ? change : 1);
}

/* While the faces are apart along d, which has a length, by `needed` and, when all drift and turn as far as they can,
 * `turning`. apart: in the middle of all boxes. Drift and turn take up the way in proportion, or a turn less. */
static inline double safe_drift_apart(const face_pair *p, vec d, double length, double apart, double needed,
                                      double turning) {
  const vec to = {fabs(d.x), fabs(d.y), fabs(d.z)};
  const double both_margins = 2 * p->margin * (to.x + to.y + to.z), taken = both_margins + length * turning;
  const double room = apart - vec_dot(to, p->half_widths) - length * (p->clearance + needed) + both_margins;
  return taken > 0 ? room / taken : room > 0 ? 2 : 0;
}

/* Until they face each other: the cosine between one normal and the other's opposite changes by no more than the angle,
 * of both turns. */
static double safe_drift_averted(const face_pair *p, double cosine) {
  return p->can_turn_over ? 0 : (IPG_FACING_COSINE - cosine) / (2 * IPG_FACE_ANGLE);
}

static double least_along(vec d, const vec at[3]) {
  return smaller(vec_dot(d, at[0]), smaller(vec_dot(d, at[1]), vec_dot(d, at[2])));
}

/* While all of the first face is in front of all of the second, by the thickness, there is no contact. The common
 * normal stays between those of the faces. Those of candidates are less than a right angle apart, so a penetration, at
 * most the reach, is one along the old common normal too: only where a face may turn by anything can it be one
 * backwards. */
static double safe_drift_in_front(const face_pair *p) {
  const double apart = least_along(p->normal, p->a) + least_along(vec_scale(-1, p->normal), p->b);
  return safe_drift_apart(p, p->normal, 1, apart, p->thickness + (p->can_turn_over ? p->reach : 0), 0);
}

/* Nor while the corners b lie beyond an edge of a, seen along n, along which a is clockwise, by more than reach times
 * the sine of what the common normal can turn. `safe` is known already. Most edges are not between the two. */
static inline double safe_drift_beside(const face_pair *p, const vec a[3], const vec b[3], vec n, double safe) {
  for (int k = 0; k < 3 && safe <= 1; ++k) {
    const vec out = vec_cross(n, vec_sub(a[k < 2 ? k + 1 : 0], a[k]));
    const double from = vec_dot(out, a[k]), b0 = vec_dot(out, b[0]) - from, b1 = vec_dot(out, b[1]) - from;
    if (!(b0 > 0 && b1 > 0)) continue;
    const double apart = smaller(smaller(b0, b1), vec_dot(out, b[2]) - from);
    if (!(apart > 0)) continue;
    /* what may turn by anything has turned already */
    const double turned = p->can_turn_over ? p->turning : 0;
    safe = larger(safe, safe_drift_apart(p, out, vec_length(out), apart, turned, p->turning - turned));
  }
  return safe;
}

static double safe_drift_of_faces(const void *context, const ipg_model *m, const ipg_swept_boxes *b, ipg_id first,
                                  ipg_id second) {
  (void)b;
  const ipg_face_turn *turns = context, *f = &turns[first], *g = &turns[second];
  face_pair p;
  find_pair(f, g, m->margin, &p);
  double safe = larger(safe_drift_averted(&p, -vec_dot(f->normal, g->normal)), safe_drift_in_front(&p));
  safe = safe_drift_beside(&p, p.a, p.b, p.normal, safe);
  return safe_drift_beside(&p, p.b, p.a, vec_scale(-1, p.normal), safe);
}

/* ----------------------------------------------------------------------------------------------------------- search */

typedef struct collection {
  ipg_face_candidates *candidates;
  const ipg_model *model;
} collection;

static void collect_pairs(void *context, const ipg_pair *pairs, int64_t count, int worker) {
  const collection *c = context;
  ipg_face_candidates *k = c->candidates;
  const ipg_face_turn *turns = k->turns.at;
  ipg_pair *found = k->found.at + worker * k->room;
  int64_t kept = k->counts.at[worker];
  for (int64_t i = 0; i < count; ++i) {
    if (!can_face_each_other(&turns[pairs[i].a], &turns[pairs[i].b])) continue;
    if (stay_apart(&turns[pairs[i].a], &turns[pairs[i].b])) continue;
    if (ipg_are_back_to_back(c->model, pairs[i].a, pairs[i].b)) continue;
    if (kept < k->room) found[kept] = pairs[i];
    ++kept;
  }
  k->counts.at[worker] = kept;
}

/* The most that a worker has found. */
static int64_t largest_count(const ipg_face_candidates *k, int workers) {
  int64_t most = 0;
  for (int w = 0; w < workers; ++w)
    if (k->counts.at[w] > most) most = k->counts.at[w];
  return most;
}

/* Again with more room if there was too little: seldom, for room only grows. */
static ipg_status stream_pairs(ipg_face_candidates *k, const ipg_model *m, ipg_error *error) {
  const int workers = m->config.tasks.worker_count;
  collection c = {k, m};
  for (;;) {
    for (int w = 0; w < workers; ++w) k->counts.at[w] = 0;
    ipg_status status = ipg_search_self(k->search, collect_pairs, &c, error);
    const int64_t most = largest_count(k, workers);
    if (status || most <= k->room) return status;
    const int64_t room = most + most / 2;
    status = ipg_array_reserve(&k->found, &m->config.allocator, workers * room, error);
    if (status) return status;
    k->room = room;
  }
}

static ipg_status sort_pairs(ipg_face_candidates *k, const ipg_model *m, ipg_candidates *out, ipg_error *error) {
  const ipg_allocator *a = &m->config.allocator;
  int64_t count = 0;
  for (int w = 0; w < m->config.tasks.worker_count; ++w) count += k->counts.at[w];
  ipg_status status = ipg_array_reserve_ahead(&k->order, a, count, error);
  if (!status) status = ipg_array_reserve_ahead(&out->kept, a, count, error);
  if (status) return status;
  uint64_t *key = k->order.at;
  for (int w = 0; w < m->config.tasks.worker_count; ++w)
    for (int64_t i = 0; i < k->counts.at[w]; ++i) {
      const ipg_pair pair = k->found.at[w * k->room + i];
      *key++ = (uint64_t)pair.a << 32 | (uint64_t)pair.b;
    }
  status = ipg_sort_u64(&k->sorter, k->order.at, NULL, count, a, &m->config.tasks, error);
  for (int64_t i = 0; !status && i < count; ++i)
    out->kept.at[i] = (ipg_pair){(ipg_id)(k->order.at[i] >> 32), (ipg_id)(k->order.at[i] & UINT32_MAX)};
  out->pairs = out->kept.at, out->count = count;
  return status;
}

ipg_status ipg_find_face_candidates(ipg_face_candidates *k, const ipg_model *m, const ipg_swept_boxes *boxes,
                                    const ipg_id *keys, ipg_candidates *out, ipg_error *error) {
  const ipg_exclusion exclusion = {.keys = keys, .groups = k->looks.at};
  const int64_t faces = ipg_face_count_with_bevels(m);
  turn_task turns = {m,           boxes->nodes.at, boxes->faces.at, k->normals.at,
                     k->turns.at, k->boxes.at,     k->looks.at,     k->cosines.at};
  for (int w = 0; w < m->config.tasks.worker_count; ++w) k->cosines.at[w] = 1;
  ipg_tasks_for(&m->config.tasks, find_turns, &turns, 0, faces, GRAIN);
  k->turned = largest_turn(k, m->config.tasks.worker_count);
  ipg_status status = ipg_search_set_boxes(k->search, k->boxes.at, faces, &exclusion, error);
  k->is_set = !status;
  if (!status) status = stream_pairs(k, m, error);
  if (!status) status = sort_pairs(k, m, out, error);
  if (!status) status = ipg_filter_candidates(out, m, boxes, safe_drift_of_faces, k->turns.at, error);
  return status;
}
