/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Vectors of three doubles. Each operation is written once, in one order, so results are the same bits everywhere. */
#ifndef IMPINGE_SUPPORT_VEC_H
#define IMPINGE_SUPPORT_VEC_H

#include <math.h>
#include <stdint.h>

/* Faster than fmax and fmin, which also handle NaN. */
static inline double larger(double a, double b) { return a > b ? a : b; }
static inline double smaller(double a, double b) { return a < b ? a : b; }

typedef struct vec {
  double x, y, z;
} vec;

static inline vec vec_at(const double *x, int64_t i) { return (vec){x[3 * i], x[3 * i + 1], x[3 * i + 2]}; }
static inline vec vec_add(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec vec_sub(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec vec_scale(double s, vec a) { return (vec){s * a.x, s * a.y, s * a.z}; }
static inline void vec_store(double to[3], vec v) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }
static inline double vec_dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double vec_length(vec a) { return sqrt(vec_dot(a, a)); }
static inline vec vec_cross(vec a, vec b) {
  return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline vec vec_unit(vec a) {
  const double length = vec_length(a);
  return length > 0 ? vec_scale(1 / length, a) : a;
}
/* The part of v perpendicular to a unit vector. */
static inline vec vec_across(vec v, vec normal) { return vec_sub(v, vec_scale(vec_dot(v, normal), normal)); }
static inline vec vec_capped(vec v, double most) {
  const double length = vec_length(v);
  return length > most ? vec_scale(most / length, v) : v;
}

#endif
