/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "enforce/polygon.h"

const ipg_polygon *ipg_polygon_cut(const ipg_polygon *p, const linear *f, int line, ipg_polygon_memory *memory) {
  ipg_polygon *kept = &memory->kept[p == &memory->kept[0]];
  double values[IPG_POLYGON_VERTICES];
  int inside = 0, count = 0;
  for (int i = 0; i < p->count; ++i) {
    values[i] = linear_at(f, p->at[i].u, p->at[i].v);
    inside += values[i] >= 0;
  }
  if (inside == p->count) return p;
  for (int i = 0; inside && i < p->count; ++i) {
    const int next = i + 1 < p->count ? i + 1 : 0;
    const ipg_polygon_vertex *a = &p->at[i], *b = &p->at[next];
    if (values[i] >= 0) kept->at[count++] = *a;
    if ((values[i] >= 0) == (values[next] >= 0)) continue;
    const double t = values[i] / (values[i] - values[next]);
    kept->at[count++] =
        (ipg_polygon_vertex){a->u + t * (b->u - a->u), a->v + t * (b->v - a->v), values[i] >= 0 ? line : a->line};
  }
  kept->count = count < 3 ? 0 : count;
  return kept;
}

double ipg_polygon_area(const ipg_polygon *p) {
  double doubled = 0;
  for (int i = 1; i + 1 < p->count; ++i) {
    const ipg_polygon_vertex *a = &p->at[0], *b = &p->at[i], *c = &p->at[i + 1];
    doubled += (b->u - a->u) * (c->v - a->v) - (c->u - a->u) * (b->v - a->v);
  }
  return doubled / 2;
}

double ipg_onset_energy(double d, double onset) {
  const double r = d - onset / 2;
  return d < onset ? d * d * d / (6 * onset) : r * r / 2 + onset * onset / 24;
}

double ipg_onset_pressure(double d, double onset) { return d < onset ? d * d / (2 * onset) : d - onset / 2; }

/* Integral of the product of three linear functions over a triangle of area 1, from their values at the vertices. */
static inline double mean_of_product(const double a[3], const double b[3], const double c[3]) {
  const double sum_a = a[0] + a[1] + a[2], sum_b = b[0] + b[1] + b[2], sum_c = c[0] + c[1] + c[2];
  double ab = 0, bc = 0, ca = 0, abc = 0;
  for (int i = 0; i < 3; ++i) ab += a[i] * b[i], bc += b[i] * c[i], ca += c[i] * a[i], abc += a[i] * b[i] * c[i];
  return (sum_a * (sum_b * sum_c + bc) + sum_b * ca + sum_c * ab + 2 * abc) / 60;
}

/* Below the onset psi' = d^2 / (2 w), above it d - w/2. */
static inline void integrate_triangle(const ipg_polygon_vertex *const at[3], const linear *depth, double onset,
                                      bool is_below, ipg_polygon_integrals *sums) {
  const double ones[3] = {1, 1, 1};
  double u[3], v[3], d[3], *g = sums->pressure.c;
  for (int i = 0; i < 3; ++i) u[i] = at[i]->u, v[i] = at[i]->v, d[i] = linear_at(depth, u[i], v[i]);
  const double area = 0.5 * ((u[1] - u[0]) * (v[2] - v[0]) - (u[2] - u[0]) * (v[1] - v[0]));
  if (is_below) {
    const double s = area / (2 * onset);
    g[0] += s * mean_of_product(d, d, u), g[1] += s * mean_of_product(d, d, v), g[2] += s * mean_of_product(d, d, ones);
    sums->energy += s / 3 * mean_of_product(d, d, d);
  } else {
    for (int i = 0; i < 3; ++i) d[i] -= onset / 2;
    g[0] += area * mean_of_product(d, u, ones), g[1] += area * mean_of_product(d, v, ones);
    g[2] += area * (d[0] + d[1] + d[2]) / 3;
    sums->energy += area * (mean_of_product(d, d, ones) / 2 + onset * onset / 24);
  }
}

static void integrate_side(const ipg_polygon *p, const linear *depth, double onset, bool is_below,
                           ipg_polygon_integrals *sums) {
  for (int i = 1; i + 1 < p->count; ++i) {
    const ipg_polygon_vertex *const triangle[3] = {&p->at[0], &p->at[i], &p->at[i + 1]};
    integrate_triangle(triangle, depth, onset, is_below, sums);
  }
}

void ipg_polygon_integrate(const ipg_polygon *p, const linear *depth, double onset, ipg_polygon_integrals *sums) {
  int below = 0;
  for (int i = 0; i < p->count; ++i) below += linear_at(depth, p->at[i].u, p->at[i].v) < onset;
  if (below == 0 || below == p->count) {
    integrate_side(p, depth, onset, below > 0, sums);
    return;
  }
  const linear above = {{depth->c[0], depth->c[1], depth->c[2] - onset}}, under = linear_scale(-1, &above);
  ipg_polygon_memory memory;
  integrate_side(ipg_polygon_cut(p, &under, IPG_FREE_EDGE, &memory), depth, onset, true, sums);
  integrate_side(ipg_polygon_cut(p, &above, IPG_FREE_EDGE, &memory), depth, onset, false, sums);
}

/* Gauss' rule with three points: exact for a polynomial of degree 5. */
static inline void integrate_piece(const ipg_polygon_vertex *a, double du, double dv, const linear *depth, double onset,
                                   functional *g) {
  static const double points[3] = {0.1127016653792583, 0.5, 0.8872983346207417}; /* (1 -+ sqrt(3/5)) / 2 */
  static const double weights[3] = {5. / 18, 8. / 18, 5. / 18};
  const double length = sqrt(du * du + dv * dv);
  for (int i = 0; i < 3; ++i) {
    const double u = a->u + points[i] * du, v = a->v + points[i] * dv;
    const double w = length * weights[i] * ipg_onset_energy(larger(0, linear_at(depth, u, v)), onset);
    g->c[0] += w * u, g->c[1] += w * v, g->c[2] += w;
  }
}

functional ipg_border_integral(const ipg_polygon_vertex *a, const ipg_polygon_vertex *b, const linear *depth,
                               double onset) {
  const double from = linear_at(depth, a->u, a->v) - onset, to = linear_at(depth, b->u, b->v) - onset;
  const double du = b->u - a->u, dv = b->v - a->v;
  functional g = {{0, 0, 0}};
  if ((from < 0) == (to < 0)) {
    integrate_piece(a, du, dv, depth, onset, &g);
    return g;
  }
  const double t = from / (from - to);
  const ipg_polygon_vertex at_onset = {a->u + t * du, a->v + t * dv, a->line};
  integrate_piece(a, t * du, t * dv, depth, onset, &g);
  integrate_piece(&at_onset, (1 - t) * du, (1 - t) * dv, depth, onset, &g);
  return g;
}
