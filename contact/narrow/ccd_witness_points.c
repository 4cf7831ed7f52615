/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A touch in full: where the two are closest at its time, and which way they came together.
 *
 * All is seen from the first point, so far from the origin nothing is lost. The normal is the direction between the two
 * places as long as these are clearly apart, as with a separation. Where they meet that is rounding: then it is the
 * normal of the face, or the one across both edges, turned against the motion; where these have collapsed, the way back
 * to where the first came from. */
#include "narrow/ccd.h"
#include "support/vec.h"

#include <string.h>

/* In parts of the size: places farther apart have a direction; crosses of edges smaller, squared, have none. */
static const double clearly_apart = 1e-6, no_area2 = 1e-20;

/* The four points at a time and their ways in the whole step, all less those of the first, which is at `origin`: in
 * parts of `unit`, a power of two, so that products of lengths stay in the range of doubles. */
typedef struct quad {
  vec place[4], way[4], origin;
  double unit, size2;
} quad;

static vec at_time(vec from, vec to, double time) {
  return time < 1 ? vec_add(from, vec_scale(time, vec_sub(to, from))) : to;
}

/* All less the first; the largest coordinate of what is left is returned. */
static double seen_from_first(const double *places, const ipg_id *points, vec seen[4]) {
  double size = 0;
  for (int i = 0; i < 4; ++i) {
    seen[i] = vec_sub(vec_at(places, points[i]), vec_at(places, points[0]));
    size = larger(larger(fabs(seen[i].x), fabs(seen[i].y)), larger(fabs(seen[i].z), size));
  }
  return size;
}

/* At least 2^-1000, for one in parts of it must be a double too. */
static double unit_for(double size) {
  int exponent;
  (void)frexp(size, &exponent);
  return ldexp(1, exponent > -1000 ? exponent : -1000);
}

static quad quad_at(const ipg_touch_queries *q, int64_t query, double time) {
  const ipg_id *points = q->points + 4 * query;
  vec start[4], end[4];
  const double sizes[2] = {seen_from_first(q->start, points, start), seen_from_first(q->end, points, end)};
  quad four = {.origin = at_time(vec_at(q->start, points[0]), vec_at(q->end, points[0]), time),
               .unit = unit_for(larger(sizes[0], sizes[1]))};
  for (int i = 1; i < 4; ++i) {
    const vec from = vec_scale(1 / four.unit, start[i]), to = vec_scale(1 / four.unit, end[i]);
    four.place[i] = at_time(from, to, time);
    four.way[i] = vec_sub(to, from);
    four.size2 = larger(vec_dot(four.place[i], four.place[i]), four.size2);
  }
  return four;
}

static vec mean(const vec of[4], const double weights[4], int begin, int end) {
  vec sum = {0, 0, 0};
  for (int i = begin; i < end; ++i) sum = vec_add(sum, vec_scale(weights[i], of[i]));
  return sum;
}

static vec normal_of(const quad *four, vec gap, vec across, vec approach) {
  const double size2 = four->size2;
  if (vec_dot(gap, gap) > clearly_apart * clearly_apart * size2) return vec_unit(gap);
  if (!(vec_dot(across, across) > no_area2 * size2 * size2)) return vec_unit(vec_scale(-1, approach));
  const double against = -vec_dot(approach, across), side = against == 0 ? vec_dot(gap, across) : against;
  return vec_unit(side < 0 ? vec_scale(-1, across) : across);
}

static void store(double to[3], vec from) { to[0] = from.x, to[1] = from.y, to[2] = from.z; }

static void store_all(const quad *four, double x[4][3]) {
  for (int i = 0; i < 4; ++i) store(x[i], four->place[i]);
}

/* Of the first `first` points and the others; `across` is the normal of the face, or of both edges. */
static ipg_touch touch_of(const quad *four, double time, int first, const double weights[4], vec across) {
  ipg_touch touch = {.time = time};
  const vec one = mean(four->place, weights, 0, first), other = mean(four->place, weights, first, 4);
  const vec gap = vec_sub(one, other);
  const vec approach = vec_sub(mean(four->way, weights, 0, first), mean(four->way, weights, first, 4));
  memcpy(touch.weights, weights, sizeof touch.weights);
  store(touch.place[0], vec_add(four->origin, vec_scale(four->unit, one)));
  store(touch.place[1], vec_add(four->origin, vec_scale(four->unit, other)));
  store(touch.normal, normal_of(four, gap, across, approach));
  touch.distance = four->unit * vec_length(gap);
  return touch;
}

ipg_touch ipg_node_face_touch_at(const ipg_touch_queries *queries, int64_t i, double time) {
  const quad four = quad_at(queries, i, time);
  const vec ab = vec_sub(four.place[2], four.place[1]), ac = vec_sub(four.place[3], four.place[1]);
  double x[4][3], weights[4] = {1};
  store_all(&four, x);
  ipg_closest_on_triangle(x[0], x[1], x[2], x[3], weights + 1);
  return touch_of(&four, time, 1, weights, vec_cross(ab, ac));
}

ipg_touch ipg_edge_edge_touch_at(const ipg_touch_queries *queries, int64_t i, double time) {
  const quad four = quad_at(queries, i, time);
  const vec ab = four.place[1], cd = vec_sub(four.place[3], four.place[2]);
  double x[4][3], at[2];
  store_all(&four, x);
  ipg_closest_on_segments(x[0], x[1], x[2], x[3], at);
  return touch_of(&four, time, 2, (double[4]){1 - at[0], at[0], 1 - at[1], at[1]}, vec_cross(ab, cd));
}

/* -------------------------------------------------------------------------------------------------- one query alone */

static const ipg_id in_order[4] = {0, 1, 2, 3};

bool ipg_node_touches_face(const ipg_node_face_path *path, double separation, ipg_touch *touch) {
  double places[2][12];
  for (int end = 0; end < 2; ++end) {
    memcpy(places[end], path->node[end], sizeof path->node[end]);
    memcpy(places[end] + 3, path->face[end], sizeof path->face[end]);
  }
  const ipg_touch_queries query = {places[0], places[1], in_order, 1, separation};
  const double time = ipg_first_touch(&ipg_node_face_flat, &query, 0);
  if (time > 1) return false;
  *touch = ipg_node_face_touch_at(&query, 0, time);
  return true;
}

bool ipg_edge_touches_edge(const ipg_edge_edge_path *path, double separation, ipg_touch *touch) {
  double places[2][12];
  for (int end = 0; end < 2; ++end) {
    memcpy(places[end], path->first[end], sizeof path->first[end]);
    memcpy(places[end] + 6, path->second[end], sizeof path->second[end]);
  }
  const ipg_touch_queries query = {places[0], places[1], in_order, 1, separation};
  const double time = ipg_first_touch(&ipg_edge_edge_flat, &query, 0);
  if (time > 1) return false;
  *touch = ipg_edge_edge_touch_at(&query, 0, time);
  return true;
}
