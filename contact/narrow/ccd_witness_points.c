/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The witness points of a touch: the closest points of the two at its time, and the contact normal.
 *
 * All is computed relative to the first point, so nothing is lost far from the origin. The normal is the direction
 * between the two witness points as long as these are clearly apart, as with a separation. Where they coincide that
 * direction is rounding: then it is the normal of the face, or the cross product of both edges, oriented against the
 * motion; where these have collapsed, it is opposite to the relative motion of the first. */
#include "narrow/ccd.h"
#include "support/vec.h"

#include <string.h>

/* Relative to the size: witness points farther apart have a direction; cross products of edges that are smaller,
 * squared, have none. */
static const double clearly_apart = 1e-6, no_area2 = 1e-20;

/* The four points at a time and their displacements in the whole step, relative to the first, which is at `origin`, and
 * in multiples of `unit`, a power of two, so that products of lengths stay in the range of doubles. */
typedef struct four_points {
  vec position[4], displacement[4], origin;
  double unit, size2;
} four_points;

static vec interpolate_position(vec from, vec to, double time) {
  return time < 1 ? vec_add(from, vec_scale(time, vec_sub(to, from))) : to;
}

/* Subtracts the first point from all; returns the largest coordinate of the differences. */
static double subtract_first(const double *positions, const ipg_id *points, vec relative[4]) {
  double size = 0;
  for (int i = 0; i < 4; ++i) {
    relative[i] = vec_sub(vec_at(positions, points[i]), vec_at(positions, points[0]));
    size = larger(larger(fabs(relative[i].x), fabs(relative[i].y)), larger(fabs(relative[i].z), size));
  }
  return size;
}

/* At least 2^-1000, because its inverse must be a double too. */
static double choose_unit(double size) {
  int exponent;
  (void)frexp(size, &exponent);
  return ldexp(1, exponent > -1000 ? exponent : -1000);
}

static four_points compute_points_at(const ipg_touch_queries *q, int64_t query, double time) {
  const ipg_id *points = q->points + 4 * query;
  vec start[4], end[4];
  const double sizes[2] = {subtract_first(q->start, points, start), subtract_first(q->end, points, end)};
  four_points four = {.origin = interpolate_position(vec_at(q->start, points[0]), vec_at(q->end, points[0]), time),
                      .unit = choose_unit(larger(sizes[0], sizes[1]))};
  for (int i = 1; i < 4; ++i) {
    const vec from = vec_scale(1 / four.unit, start[i]), to = vec_scale(1 / four.unit, end[i]);
    four.position[i] = interpolate_position(from, to, time);
    four.displacement[i] = vec_sub(to, from);
    four.size2 = larger(vec_dot(four.position[i], four.position[i]), four.size2);
  }
  return four;
}

static vec weighted_mean(const vec of[4], const double weights[4], int begin, int end) {
  vec sum = {0, 0, 0};
  for (int i = begin; i < end; ++i) sum = vec_add(sum, vec_scale(weights[i], of[i]));
  return sum;
}

static vec choose_normal(const four_points *four, vec gap, vec across, vec approach) {
  const double size2 = four->size2;
  if (vec_dot(gap, gap) > clearly_apart * clearly_apart * size2) return vec_unit(gap);
  if (!(vec_dot(across, across) > no_area2 * size2 * size2)) return vec_unit(vec_scale(-1, approach));
  const double against = -vec_dot(approach, across), side = against == 0 ? vec_dot(gap, across) : against;
  return vec_unit(side < 0 ? vec_scale(-1, across) : across);
}

static void store_positions(const four_points *four, double x[4][3]) {
  for (int i = 0; i < 4; ++i) vec_store(x[i], four->position[i]);
}

/* The touch of the first `first` points and the others; `across` is the normal of the face, or the cross product of
 * both edges. */
static ipg_touch make_touch(const four_points *four, double time, int first, const double weights[4], vec across) {
  ipg_touch touch = {.time = time};
  const vec one = weighted_mean(four->position, weights, 0, first),
            other = weighted_mean(four->position, weights, first, 4);
  const vec gap = vec_sub(one, other);
  const vec approach = vec_sub(weighted_mean(four->displacement, weights, 0, first),
                               weighted_mean(four->displacement, weights, first, 4));
  memcpy(touch.weights, weights, sizeof touch.weights);
  vec_store(touch.witness[0], vec_add(four->origin, vec_scale(four->unit, one)));
  vec_store(touch.witness[1], vec_add(four->origin, vec_scale(four->unit, other)));
  vec_store(touch.normal, choose_normal(four, gap, across, approach));
  touch.distance = four->unit * vec_length(gap);
  return touch;
}

ipg_touch ipg_node_face_touch_at(const ipg_touch_queries *queries, int64_t i, double time) {
  const four_points four = compute_points_at(queries, i, time);
  const vec ab = vec_sub(four.position[2], four.position[1]), ac = vec_sub(four.position[3], four.position[1]);
  double x[4][3], weights[4] = {1};
  store_positions(&four, x);
  ipg_closest_on_triangle(x[0], x[1], x[2], x[3], weights + 1);
  return make_touch(&four, time, 1, weights, vec_cross(ab, ac));
}

ipg_touch ipg_edge_edge_touch_at(const ipg_touch_queries *queries, int64_t i, double time) {
  const four_points four = compute_points_at(queries, i, time);
  const vec ab = four.position[1], cd = vec_sub(four.position[3], four.position[2]);
  double x[4][3], at[2];
  store_positions(&four, x);
  ipg_closest_on_segments(x[0], x[1], x[2], x[3], at);
  return make_touch(&four, time, 2, (double[4]){1 - at[0], at[0], 1 - at[1], at[1]}, vec_cross(ab, cd));
}

/* -------------------------------------------------------------------------------------------------- one query alone */

static const ipg_id point_ids[4] = {0, 1, 2, 3};

bool ipg_node_touches_face(const ipg_node_face_path *path, double separation, ipg_touch *touch) {
  double positions[2][12];
  for (int end = 0; end < 2; ++end) {
    memcpy(positions[end], path->node[end], sizeof path->node[end]);
    memcpy(positions[end] + 3, path->face[end], sizeof path->face[end]);
  }
  const ipg_touch_queries query = {positions[0], positions[1], point_ids, 1, separation};
  const double time = ipg_find_first_touch(&ipg_ccd_node_face, &query, 0);
  if (time > 1) return false;
  *touch = ipg_node_face_touch_at(&query, 0, time);
  return true;
}

bool ipg_edge_touches_edge(const ipg_edge_edge_path *path, double separation, ipg_touch *touch) {
  double positions[2][12];
  for (int end = 0; end < 2; ++end) {
    memcpy(positions[end], path->first[end], sizeof path->first[end]);
    memcpy(positions[end] + 6, path->second[end], sizeof path->second[end]);
  }
  const ipg_touch_queries query = {positions[0], positions[1], point_ids, 1, separation};
  const double time = ipg_find_first_touch(&ipg_ccd_edge_edge, &query, 0);
  if (time > 1) return false;
  *touch = ipg_edge_edge_touch_at(&query, 0, time);
  return true;
}
