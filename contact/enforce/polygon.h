/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Convex polygons in a plane with coordinates u and v, cut by lines, and the integrals over them that the energy of
 * contact and its gradient need. */
#ifndef IMPINGE_ENFORCE_POLYGON_H
#define IMPINGE_ENFORCE_POLYGON_H

#include <stdbool.h>

#include "support/vec.h"

/* A linear function: c[0] u + c[1] v + c[2]. */
typedef struct linear {
  double c[3];
} linear;

/* The integral of any linear function against some weight, held as the integrals of u, v and 1. */
typedef struct functional {
  double c[3];
} functional;

static inline double linear_at(const linear *f, double u, double v) { return f->c[0] * u + f->c[1] * v + f->c[2]; }

static inline double linear_slope2(const linear *f) { return f->c[0] * f->c[0] + f->c[1] * f->c[1]; }
static inline double linear_slope(const linear *f) { return sqrt(linear_slope2(f)); }

static inline linear linear_scale(double s, const linear *f) {
  return (linear){{s * f->c[0], s * f->c[1], s * f->c[2]}};
}

static inline linear linear_combine(double s, const linear *f, double t, const linear *g) {
  return (linear){{s * f->c[0] + t * g->c[0], s * f->c[1] + t * g->c[1], s * f->c[2] + t * g->c[2]}};
}

/* Positive on the left of the line from a to b; its gradient is as long as ab. */
static inline linear linear_left_of(vec a, vec b) {
  const double u = b.x - a.x, v = b.y - a.y;
  return (linear){{-v, u, v * a.x - u * a.y}};
}

static inline double functional_apply(const functional *g, const linear *f) {
  return g->c[0] * f->c[0] + g->c[1] * f->c[1] + g->c[2] * f->c[2];
}

static inline void functional_add(functional *g, double s, const functional *other) {
  for (int i = 0; i < 3; ++i) g->c[i] += s * other->c[i];
}

enum {
  IPG_POLYGON_VERTICES = 96, /* more than any that is cut here has: a triangle, cut by 3 edges and by all depths */
  IPG_FREE_EDGE = -1,        /* the border of a polygon there lies on no line that has a name */
};

typedef struct ipg_polygon_vertex {
  double u, v;
  int line; /* the name of the line that the border to the next vertex lies on */
} ipg_polygon_vertex;

/* Counter-clockwise. */
typedef struct ipg_polygon {
  int count;
  ipg_polygon_vertex at[IPG_POLYGON_VERTICES];
} ipg_polygon;

/* Memory for cuts, one after the other. */
typedef struct ipg_polygon_memory {
  ipg_polygon kept[2];
} ipg_polygon_memory;

/* What lies where f >= 0, in the memory, or p itself if that is all of it. The border along f = 0 gets the name `line`.
 * The memory may hold p; of other polygons only what was made before p is lost. */
const ipg_polygon *ipg_polygon_cut(const ipg_polygon *p, const linear *f, int line, ipg_polygon_memory *memory);

double ipg_polygon_area(const ipg_polygon *p);

/* psi of a penetration of 0 or more: d^3 / (6 w) up to w, then (d - w/2)^2 / 2 + w^2 / 24. */
double ipg_onset_energy(double depth, double onset);
/* psi' */
double ipg_onset_pressure(double depth, double onset);

typedef struct ipg_polygon_integrals {
  double energy;       /* of psi */
  functional pressure; /* of psi' */
} ipg_polygon_integrals;

/* Adds the integrals over a polygon on which the depth is 0 or more. Exact: psi is a polynomial on either side of the
 * onset. */
void ipg_polygon_integrate(const ipg_polygon *p, const linear *depth, double onset, ipg_polygon_integrals *sums);

/* The integral of psi along the piece of border from a to b. */
functional ipg_border_integral(const ipg_polygon_vertex *a, const ipg_polygon_vertex *b, const linear *depth,
                               double onset);

#endif
