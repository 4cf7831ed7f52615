/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Vectors of three doubles, as tests need them. */
#ifndef IMPINGE_TESTS_VEC3_H
#define IMPINGE_TESTS_VEC3_H

double vec3_dot(const double a[3], const double b[3]);
double vec3_length(const double a[3]);
double vec3_distance(const double a[3], const double b[3]);
/* r = a - b. */
void vec3_sub(const double a[3], const double b[3], double r[3]);
/* r = a + s b; r may be a or b. */
void vec3_add_scaled(const double a[3], double s, const double b[3], double r[3]);
/* r = a x b; r is neither of them. */
void vec3_cross(const double a[3], const double b[3], double r[3]);
/* (b - a) x (c - a): the normal of a triangle, twice as long as its area. */
void vec3_normal(const double a[3], const double b[3], const double c[3], double normal[3]);

#endif
