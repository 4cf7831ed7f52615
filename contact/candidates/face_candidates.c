/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Two faces are in contact only while they face each other. Most pairs whose boxes overlap are neighbours that look the
 * same way. Pairs that cannot face each other unless one of them turns by more than IPG_FACE_TURN are dropped as the
 * search finds them; the normals of all faces are followed from step to step, and when one has turned by more the next
 * search comes. The few pairs that are left are sorted, and wait while they are apart (candidate_filter.h). */
#include "candidates/face_candidates.h"

#include "support/box.h"
#include "surface/face_geometry.h"

enum { GRAIN = 1024 };

ipg_status ipg_face_candidates_init(ipg_face_candidates *k, const ipg_model *m, ipg_error *error) {
  const ipg_allocator *a = &m->config.allocator;
  ipg_search_config config = ipg_search_defaults();
  if (!ipg_has_face_contact(m)) return IPG_OK;
  config.method = m->config.search_method;
  config.allocator = m->config.allocator;
  config.tasks = m->config.tasks;
  ipg_status status = ipg_array_reserve(&k->turns, a, m->surface.face_count, error);
  if (!status) status = ipg_array_reserve(&k->boxes, a, m->surface.face_count, error);
  if (!status) status = ipg_array_reserve(&k->normals, a, 3 * m->surface.face_count, error);
  if (!status) status = ipg_array_reserve(&k->have_turned, a, m->config.tasks.worker_count, error);
  if (!status) status = ipg_array_reserve(&k->counts, a, m->config.tasks.worker_count, error);
  return status ? status : ipg_search_create(&config, &k->search, error);
}

void ipg_face_candidates_destroy(ipg_face_candidates *k, const ipg_allocator *a) {
  ipg_search_destroy(&k->search);
  ipg_array_destroy(&k->turns, a);
  ipg_array_destroy(&k->boxes, a);
  ipg_array_destroy(&k->normals, a);
  ipg_array_destroy(&k->have_turned, a);
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
} turn_task;

typedef struct normal_task {
  ipg_face_candidates *candidates;
  const ipg_model *model;
  const double *x;
} normal_task;

/* A face that has turned within a step already may turn by anything. */
static bool is_within_turn(const ipg_face_turn *turn, vec normal) {
  return isnan(turn->turn_cosine) || vec_dot(turn->normal, normal) >= turn->turn_cosine;
}

static void find_normals(void *arg, int64_t begin, int64_t end, int worker) {
  const normal_task *t = arg;
  ipg_face_candidates *k = t->candidates;
  bool has_turned = false;
  for (int64_t f = begin; f < end; ++f) {
    const vec normal = ipg_face_normal(&t->model->surface, t->x, (ipg_id)f);
    vec_store(k->normals.at + 3 * f, normal);
    has_turned |= k->is_set && !is_within_turn(&k->turns.at[f], normal);
  }
  k->have_turned.at[worker] |= has_turned;
}

bool ipg_follow_face_normals(ipg_face_candidates *k, const ipg_model *m, const double *x) {
  const int workers = m->config.tasks.worker_count;
  normal_task t = {k, m, x};
  bool has_turned = false;
  for (int w = 0; w < workers; ++w) k->have_turned.at[w] = false;
  ipg_tasks_for(&m->config.tasks, find_normals, &t, 0, m->surface.face_count, GRAIN);
  for (int w = 0; w < workers; ++w) has_turned |= k->have_turned.at[w];
  return !has_turned;
}

static vec middle_of_box(const ipg_box *box) {
  return (vec){0.5 * (box->lo[0] + box->hi[0]), 0.5 * (box->lo[1] + box->hi[1]), 0.5 * (box->lo[2] + box->hi[2])};
}

/* How far a node can be from the middle of its box. */
static double way_within_box(const ipg_box *box) {
  return 0.5 * vec_length((vec){box->hi[0] - box->lo[0], box->hi[1] - box->lo[1], box->hi[2] - box->lo[2]});
}

static ipg_face_turn turn_of_face(const turn_task *t, ipg_id face) {
  const ipg_id *corner = ipg_face_corners(&t->model->surface, face);
  const double half_cosine = sqrt(0.5 * (1 + IPG_FACING_COSINE)), half_sine = sqrt(0.5 * (1 - IPG_FACING_COSINE));
  vec x[3];
  double way = 0, radius = 0;
  for (int k = 0; k < 3; ++k) {
    x[k] = middle_of_box(&t->boxes[corner[k]]);
    way = larger(way, way_within_box(&t->boxes[corner[k]]));
  }
  const vec normal = vec_unit(ipg_triangle_area_vector(x[0], x[1], x[2]));
  const vec middle = vec_scale(1. / 3, vec_add(x[0], vec_add(x[1], x[2])));
  for (int k = 0; k < 3; ++k) radius = larger(radius, vec_length(vec_sub(x[k], middle)));
  const double sine = IPG_FACE_TURN, cosine = sqrt(1 - sine * sine);
  const bool is_known = vec_dot(normal, vec_at(t->normals, face)) >= cosine;
  const double turn_sine = is_known ? sine : NAN, turn_cosine = is_known ? cosine : NAN;
  return (ipg_face_turn){.normal = normal,
                         .middle = middle,
                         .radius = radius,
                         .way = way,
                         .turn_cosine = turn_cosine,
                         .turn_sine = turn_sine,
                         .cosine = turn_cosine * half_cosine - turn_sine * half_sine,
                         .sine = turn_sine * half_cosine + turn_cosine * half_sine};
}

/* The most that a step of length 1 into the body goes along an axis. along: what a step against the normal does. */
static double most_along(double along, const ipg_face_turn *turn) {
  if (isnan(turn->cosine) || along >= turn->cosine) return 1;
  return larger(0, along * turn->cosine + sqrt(larger(0, 1 - along * along)) * turn->sine);
}

/* Between two faces in contact goes a column that leans no more than faces turn and face each other. Its middle lies
 * within half of the largest distance of either face, on the inner side. */
static ipg_box box_of_columns(const turn_task *t, ipg_id face, const ipg_face_turn *turn) {
  const double half = (1 + IPG_REACH_MARGIN) * 0.5 * IPG_REACH * t->model->faces.thicknesses.at[face];
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
  (void)worker;
  const turn_task *t = arg;
  for (int64_t f = begin; f < end; ++f) {
    t->turns[f] = turn_of_face(t, (ipg_id)f);
    t->columns[f] = box_of_columns(t, (ipg_id)f, &t->turns[f]);
  }
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
  return apart > 1.001 * length * (slope * (f->radius + g->radius) + f->way + g->way);
}

/* ----------------------------------------------------------------------------------------------------- back to back */

static vec middle_of_face(const double *x, const ipg_id corner[3]) {
  return vec_scale(1. / 3, vec_add(vec_at(x, corner[0]), vec_add(vec_at(x, corner[1]), vec_at(x, corner[2]))));
}

bool ipg_are_back_to_back(const ipg_model *m, ipg_id first, ipg_id second) {
  const double *x = m->faces.reference.at, *thicknesses = m->faces.thicknesses.at, *sizes = m->faces.sizes.at;
  const ipg_surface *s = &m->surface;
  if (s->face_bodies[first] != s->face_bodies[second]) return false;
  const vec between =
      vec_sub(middle_of_face(x, ipg_face_corners(s, second)), middle_of_face(x, ipg_face_corners(s, first)));
  const double near = 2 * (larger(thicknesses[first], thicknesses[second]) + sizes[first] + sizes[second]);
  const vec a = ipg_face_normal(s, x, first), b = ipg_face_normal(s, x, second);
  return vec_dot(between, between) < near * near && vec_dot(between, a) < 0 && vec_dot(between, b) > 0 &&
         vec_dot(a, b) < IPG_APART_COSINE;
}

/* ------------------------------------------------------------------------------------------------------- safe drift */

/* Two faces, their common normal, and how far that can turn. */
typedef struct face_pair {
  const ipg_id *first, *second; /* corners */
  vec x[3], normal;
  double half_cosine, half_sine; /* of half of the angle between the normal of one and the opposite of the other */
  double turn_cosine, turn_sine; /* of the larger turn; NAN: not known */
  double reach, clearance;
} face_pair;

static face_pair pair_of_faces(const ipg_face_turn *turns, const ipg_model *m, const ipg_swept_boxes *b, ipg_id first,
                               ipg_id second) {
  const ipg_face_turn *f = &turns[first], *g = &turns[second];
  const double cosine = larger(-1, smaller(1, -vec_dot(f->normal, g->normal)));
  const ipg_face_turn *turn = isnan(f->turn_cosine) || f->turn_cosine < g->turn_cosine ? f : g;
  face_pair p = {.first = ipg_face_corners(&m->surface, first),
                 .second = ipg_face_corners(&m->surface, second),
                 .normal = vec_unit(vec_sub(g->normal, f->normal)),
                 .half_cosine = sqrt(0.5 * (1 + cosine)),
                 .half_sine = sqrt(0.5 * (1 - cosine)),
                 .turn_cosine = turn->turn_cosine,
                 .turn_sine = turn->turn_sine,
                 .reach = IPG_REACH * smaller(m->faces.thicknesses.at[first], m->faces.thicknesses.at[second])};
  for (int k = 0; k < 3; ++k) p.x[k] = middle_of_box(&b->nodes.at[p.first[k]]);
  p.clearance =
      IPG_LEAST_CLEARANCE * (ipg_box_extent(&b->faces.at[first]) + ipg_box_extent(&b->faces.at[second]) + 2 * p.reach);
  return p;
}

/* While all of the first face is in front of all of the second there is no contact. The common normal stays between
 * those of the faces. Where it has turned by an angle, a penetration, at most the reach, is at least reach times the
 * cosine along the old one. */
static double safe_drift_in_front(const face_pair *p, const ipg_model *m, const ipg_swept_boxes *b) {
  const double against = p->half_sine * p->turn_sine - p->half_cosine * p->turn_cosine; /* -cos of both angles */
  const double needed = p->clearance + p->reach * (isnan(against) ? 1 : larger(0, against));
  return ipg_safe_drift_along(m, b->nodes.at, p->normal, (ipg_id_range){p->first, p->first + 3},
                              (ipg_id_range){p->second, p->second + 3}, needed);
}

/* Nor while the second is beside an edge of the first, across the common normal, by more than reach times the sine of
 * what that can turn: the sum of the normals changes by at most twice the chord of a turn, and is 2 cos(half) long. */
static double safe_drift_beside(const face_pair *p, int edge, const ipg_model *m, const ipg_swept_boxes *b) {
  const double change = sqrt(2 - 2 * p->turn_cosine) / p->half_cosine, sine = change < 1 ? change : 1;
  const vec out = vec_unit(vec_cross(p->normal, vec_sub(p->x[(edge + 1) % 3], p->x[edge])));
  return ipg_safe_drift_along(m, b->nodes.at, out, (ipg_id_range){p->second, p->second + 3},
                              (ipg_id_range){p->first, p->first + 3}, p->clearance + p->reach * sine);
}

static double safe_drift_of_faces(const void *context, const ipg_model *m, const ipg_swept_boxes *b, ipg_id first,
                                  ipg_id second) {
  const face_pair p = pair_of_faces(context, m, b, first, second);
  double safe = safe_drift_in_front(&p, m, b);
  for (int edge = 0; edge < 3 && safe <= 1; ++edge) safe = larger(safe, safe_drift_beside(&p, edge, m, b));
  return safe;
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
  const ipg_exclusion exclusion = {.keys = keys};
  const int64_t faces = m->surface.face_count;
  turn_task turns = {m, boxes->nodes.at, boxes->faces.at, k->normals.at, k->turns.at, k->boxes.at};
  ipg_tasks_for(&m->config.tasks, find_turns, &turns, 0, faces, GRAIN);
  ipg_status status = k->is_set ? ipg_search_move_boxes(k->search, k->boxes.at, faces, error)
                                : ipg_search_set_boxes(k->search, k->boxes.at, faces, &exclusion, error);
  k->is_set = !status;
  if (!status) status = stream_pairs(k, m, error);
  if (!status) status = sort_pairs(k, m, out, error);
  if (!status) status = ipg_filter_candidates(out, m, boxes, safe_drift_of_faces, k->turns.at, error);
  return status;
}
