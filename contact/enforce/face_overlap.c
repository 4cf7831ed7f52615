/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Everything in the common plane is a polygon or a linear function of the position y = (u, v): the edges of both faces,
 * the heights, and all depths whose least is the penetration. The overlap P is cut into the parts where one depth is
 * the least. There psi is a polynomial below and above the onset, and its integrals are exact. The energy changes with
 * a linear function f by
 *
 *   a depth:  integral over its part of psi' df dA
 *   an edge:  integral along its piece of the border of P of psi df / |grad f| ds
 *
 * which is linear in df: three numbers hold it (`functional`). Then follow df for each point by hand, and last the
 * change with n: E is the same in every frame, so dE/dn follows from the moment of the other derivatives. Borders
 * between two parts, and where the penetration is 0, contribute nothing, for there the energy is continuous. */
#include "enforce/face_overlap.h"

#include "enforce/polygon.h"

#include <stddef.h>

/* ----------------------------------------------------------------------------------------------------- the geometry */

/* A face in the frame of the common plane: z is the height. */
typedef struct flat_face {
  const ipg_face_shape *shape;
  vec points[IPG_FACE_POINTS];
  linear shapes[3]; /* 1 at a corner, 0 at the others */
  linear height;    /* of the plane through the corners */
  linear surface;   /* the same with the offsets: above it for G, below it for F */
  linear offset;    /* what they add to every penetration */
  vec normal;       /* of the face, in the frame */
  double area2;     /* twice its area */
  bool is_offset;   /* by something */
  int turn;         /* 1: counter-clockwise seen from above, -1: clockwise */
} flat_face;

/* The way out sideways between a border of F and one of G. */
typedef struct way_out {
  linear length; /* (way to the one + way to the other) / width2 */
  double width2;
} way_out;

/* One of the depths whose least is the penetration; of a way out the numbers of the borders. */
typedef struct depth {
  enum { DISTANCE, THROUGH, WAY_OUT } kind;
  int f, g;
  linear value;
} depth;

enum {
  DEPTHS = 2 + IPG_FACE_BORDERS * IPG_FACE_BORDERS,
  EDGES = 6, /* lines: 3 of F, 3 of G */
};
_Static_assert(3 + 3 + DEPTHS <= IPG_POLYGON_VERTICES, "each cut adds at most one vertex");

typedef struct common_plane {
  vec e1, e2, n;
  double n_length; /* of n_G - n_F */
  flat_face face[2];
  linear edges[EDGES];
  double slopes2[EDGES];               /* of edges */
  double same2;                        /* square of the distance of what is at the same position */
  linear borders[2][IPG_FACE_BORDERS]; /* the lines, above 0 on the face's side */
  linear offset, distance;             /* of both; d, with it */
  way_out ways[IPG_FACE_BORDERS][IPG_FACE_BORDERS];
  depth depths[DEPTHS];
  int depth_count;
  bool has_ways; /* both have borders: else points behind the corners do not matter */
} common_plane;

static vec in_frame(const common_plane *p, vec a) {
  return (vec){vec_dot(p->e1, a), vec_dot(p->e2, a), vec_dot(p->n, a)};
}

static vec out_of_frame(const common_plane *p, vec a) {
  return vec_add(vec_scale(a.x, p->e1), vec_add(vec_scale(a.y, p->e2), vec_scale(a.z, p->n)));
}

static vec area_vector(const vec corners[3]) {
  return vec_cross(vec_sub(corners[1], corners[0]), vec_sub(corners[2], corners[0]));
}

static int edge_start(const flat_face *face, int k) { return face->turn > 0 ? k : (k + 1) % 3; }
static int edge_end(const flat_face *face, int k) { return face->turn > 0 ? (k + 1) % 3 : k; }
static int border_start(const flat_face *face, int k) { return face->shape->borders[k].ends[face->turn < 0]; }
static int border_end(const flat_face *face, int k) { return face->shape->borders[k].ends[face->turn > 0]; }

static inline void flatten_points(common_plane *p, int side, const ipg_overlap_face *face, vec origin, int begin,
                                  int end) {
  for (int k = begin; k < end; ++k) p->face[side].points[k] = in_frame(p, vec_sub(face->points[k], origin));
}

static inline void add_offsets(flat_face *flat, const double offsets[3], int sign) {
  flat->is_offset = offsets[0] || offsets[1] || offsets[2];
  flat->offset = (linear){{0, 0, 0}}, flat->surface = flat->height;
  if (!flat->is_offset) return;
  for (int k = 0; k < 3; ++k) flat->offset = linear_combine(1, &flat->offset, offsets[k], &flat->shapes[k]);
  flat->surface = linear_combine(1, &flat->height, sign, &flat->offset);
}

/* sign: 1 for G, whose surface is its upper side; -1 for F. */
static inline void flatten(common_plane *p, const ipg_overlap_face *face, vec origin, int sign) {
  flat_face *flat = &p->face[sign > 0];
  linear *edges = &p->edges[sign > 0 ? 3 : 0];
  double *slopes2 = &p->slopes2[sign > 0 ? 3 : 0];
  flat->shape = &face->shape, flat->turn = sign;
  flatten_points(p, sign > 0, face, origin, 0, 3);
  const vec area = area_vector(flat->points);
  flat->area2 = vec_length(area), flat->normal = vec_scale(1 / flat->area2, area);
  flat->height = (linear){{0, 0, 0}};
  for (int k = 0; k < 3; ++k) {
    const linear opposite = linear_left_of(flat->points[(k + 1) % 3], flat->points[(k + 2) % 3]);
    flat->shapes[k] = linear_scale(1 / area.z, &opposite);
    flat->height = linear_combine(1, &flat->height, flat->points[k].z, &flat->shapes[k]);
    edges[k] = linear_left_of(flat->points[edge_start(flat, k)], flat->points[edge_end(flat, k)]);
    slopes2[k] = linear_slope2(&edges[k]);
  }
  add_offsets(flat, face->offsets, sign);
}

static linear line_of_border(const flat_face *face, int k) {
  const vec origin = face->points[face->shape->borders[k].origin];
  const vec along = vec_sub(face->points[border_end(face, k)], face->points[border_start(face, k)]);
  return linear_left_of(origin, vec_add(origin, along));
}

/* Those of one face matter where there are some of the other. */
static void find_borders(common_plane *p, const ipg_overlap_face *f, const ipg_overlap_face *g, vec origin) {
  p->has_ways = f->shape.border_count && g->shape.border_count;
  for (int side = 0; side < 2 && p->has_ways; ++side) {
    const flat_face *face = &p->face[side];
    flatten_points(p, side, side ? g : f, origin, 3, face->shape->point_count);
    for (int k = 0; k < face->shape->border_count; ++k) p->borders[side][k] = line_of_border(face, k);
  }
}

/* Points whose positions matter. */
static int point_count(const common_plane *p, int side) { return p->has_ways ? p->face[side].shape->point_count : 3; }

/* ------------------------------------------------------------------------------------------------------- the depths */

/* What an offset adds to a depth, besides what it does to d: each depth is that of the positions themselves, and one
 * offset more. So an initial penetration is free of force whatever the way out is. */
static int offset_weight(int kind) {
  return kind == THROUGH ? 1 + (int)IPG_PASSING : kind == WAY_OUT ? IPG_WAYS_OUT : 0;
}

/* Adds a depth unless d is less all over the overlap. */
static void add_depth(common_plane *p, const ipg_polygon *overlap, const depth *new) {
  for (int i = 0; i < overlap->count; ++i) {
    const double u = overlap->at[i].u, v = overlap->at[i].v;
    if (!(linear_at(&new->value, u, v) < linear_at(&p->distance, u, v))) continue;
    p->depths[p->depth_count++] = *new;
    return;
  }
}

/* Through the whole thickness; who has gone farther comes out on the other side. */
static void add_thickness(common_plane *p, const ipg_polygon *overlap, double thickness) {
  const linear end = {{0, 0, (1 + IPG_PASSING) * thickness}};
  const linear through = linear_combine(1, &end, -IPG_PASSING, &p->distance);
  add_depth(p, overlap, &(depth){THROUGH, -1, -1, linear_combine(1, &through, offset_weight(THROUGH), &p->offset)});
}

/* Minus the cosine between two lines: 1 where their outward directions are opposite. */
static double opposition(const linear *f, const linear *g) {
  return -(f->c[0] * g->c[0] + f->c[1] * g->c[1]) / (linear_slope(f) * linear_slope(g));
}

static void add_ways_out(common_plane *p, const ipg_polygon *overlap) {
  for (int f = 0; p->has_ways && f < p->face[0].shape->border_count; ++f)
    for (int g = 0; g < p->face[1].shape->border_count; ++g) {
      const linear *of = &p->borders[0][f], *og = &p->borders[1][g];
      const double width2 = 2 * opposition(of, og) - 1;
      if (!(width2 > 0)) continue;
      const linear way = linear_combine(1 / (width2 * linear_slope(of)), of, 1 / (width2 * linear_slope(og)), og);
      p->ways[f][g] = (way_out){way, width2};
      const linear out = linear_combine(IPG_WAYS_OUT, &way, -1, &p->distance);
      add_depth(p, overlap, &(depth){WAY_OUT, f, g, linear_combine(1, &out, offset_weight(WAY_OUT), &p->offset)});
    }
}

/* ------------------------------------------------------------------------------------------------------ the overlap */

/* The part of both faces where G is above F; NULL where it is nothing, or as narrow as the rounding of edges on each
 * other. */
static const ipg_polygon *cut_overlap(common_plane *p, ipg_polygon *of_f, ipg_polygon_memory *memory) {
  const ipg_polygon *overlap = of_f;
  of_f->count = 3;
  for (int i = 0; i < 3; ++i) { /* the corners of F, counter-clockwise: 0, 2, 1 */
    const vec corner = p->face[0].points[(3 - i) % 3];
    of_f->at[i] = (ipg_polygon_vertex){corner.x, corner.y, 2 - i};
  }
  for (int line = 3; line < EDGES && overlap->count; ++line)
    overlap = ipg_polygon_cut(overlap, &p->edges[line], line, memory);
  p->distance = linear_combine(1, &p->face[1].surface, -1, &p->face[0].surface);
  p->offset = linear_combine(1, &p->face[0].offset, 1, &p->face[1].offset);
  if (overlap->count) overlap = ipg_polygon_cut(overlap, &p->distance, IPG_FREE_EDGE, memory);
  const double area2 = larger(p->face[0].area2, p->face[1].area2);
  p->same2 = IPG_SAME_EDGE * IPG_SAME_EDGE * area2;
  return overlap->count && ipg_polygon_area(overlap) >= IPG_SAME_EDGE * area2 ? overlap : NULL;
}

static void find_depths(common_plane *p, const ipg_polygon *overlap, double thickness) {
  p->depths[0] = (depth){DISTANCE, -1, -1, p->distance};
  p->depth_count = 1;
  add_thickness(p, overlap, thickness);
  add_ways_out(p, overlap);
}

/* Where depth `of` is the least; a polygon of no vertices: nowhere. Of equal ones the first is. A cut along a border of
 * the part, but for rounding, would take that border's name away. */
static const ipg_polygon *cut_to_least(const common_plane *p, int of, const ipg_polygon *part,
                                       ipg_polygon_memory *memory) {
  static const ipg_polygon nowhere = {.count = 0};
  const linear *value = &p->depths[of].value;
  for (int other = 0; other < p->depth_count && part->count; ++other) {
    if (other == of) continue;
    const linear more = linear_combine(1, &p->depths[other].value, -1, value);
    double least = INFINITY, most = -INFINITY, largest = 0;
    for (int i = 0; i < part->count; ++i) {
      const double u = part->at[i].u, v = part->at[i].v, at = linear_at(&more, u, v);
      least = smaller(least, at), most = larger(most, at), largest = larger(largest, fabs(linear_at(value, u, v)));
    }
    const double rounding = IPG_SAME_EDGE * largest;
    const bool is_more = most > rounding || (least >= -rounding && other > of);
    if (!is_more) return &nowhere;
    if (least < -rounding) part = ipg_polygon_cut(part, &more, IPG_FREE_EDGE, memory);
  }
  return part->count && of ? ipg_polygon_cut(part, value, IPG_FREE_EDGE, memory) : part;
}

/* ---------------------------------------------------------------------------------------------------- the integrals */

typedef struct integrals {
  double energy, depth;
  double through;            /* of psi' where the way through is the least */
  functional edges[EDGES];   /* over |grad| of the edge's line */
  functional depths[DEPTHS]; /* set for each depth that there is */
} integrals;

static bool is_border(const flat_face *face, int k) {
  for (int i = 0; i < face->shape->border_count; ++i)
    if (face->shape->borders[i].ends[0] == k && face->shape->borders[i].ends[1] == (k + 1) % 3) return true;
  return false;
}

static bool lies_on(const common_plane *p, int line, const ipg_polygon_vertex *a) {
  const double at = linear_at(&p->edges[line], a->u, a->v);
  return at * at <= p->same2 * p->slopes2[line];
}

/* The edge of the other face that the border from a to b lies on too; -1: none. */
static int other_edge(const common_plane *p, const ipg_polygon_vertex *a, const ipg_polygon_vertex *b) {
  const int first = a->line < 3 ? 3 : 0;
  for (int line = first; line < first + 3; ++line)
    if (lies_on(p, line, a) && lies_on(p, line, b)) return line;
  return -1;
}

/* An edge of F and one of G on each other: the overlap ends at both. If the surface ends at one of them, that one moves
 * the border of all faces about; else both do, half and half, so that it does not matter which face is asked first. */
static void add_border(const common_plane *p, const ipg_polygon_vertex *a, const ipg_polygon_vertex *b,
                       const functional *along, integrals *sums) {
  const int line = a->line, other = other_edge(p, a, b);
  double part = 1;
  if (other >= 0) {
    const int border = is_border(&p->face[line / 3], line % 3),
              other_border = is_border(&p->face[other / 3], other % 3);
    part = 0.5 * (1 + border - other_border);
    functional_add(&sums->edges[other], (1 - part) / linear_slope(&p->edges[other]), along);
  }
  functional_add(&sums->edges[line], part / linear_slope(&p->edges[line]), along);
}

/* How deep the bodies are in each other, also where they come out on another side. */
static double reported_depth(const common_plane *p, int of, const ipg_polygon_vertex *at) {
  const depth *d = &p->depths[of];
  const linear *value = d->kind == THROUGH   ? &p->distance
                        : d->kind == WAY_OUT ? &p->ways[d->f][d->g].length
                                             : &d->value;
  return linear_at(value, at->u, at->v);
}

static void integrate_depth(const common_plane *p, const ipg_polygon *overlap, int of, double onset, integrals *sums) {
  const linear *value = &p->depths[of].value;
  ipg_polygon_memory memory;
  ipg_polygon_integrals of_part = {0};
  const ipg_polygon *part = cut_to_least(p, of, overlap, &memory);
  sums->depths[of] = (functional){{0, 0, 0}};
  if (!part->count) return;
  ipg_polygon_integrate(part, value, onset, &of_part);
  sums->energy += of_part.energy, sums->depths[of] = of_part.pressure;
  if (p->depths[of].kind == THROUGH) sums->through = of_part.pressure.c[2];
  for (int i = 0; i < part->count; ++i) {
    const ipg_polygon_vertex *a = &part->at[i], *b = &part->at[i + 1 < part->count ? i + 1 : 0];
    sums->depth = larger(sums->depth, reported_depth(p, of, a));
    if (a->line == IPG_FREE_EDGE) continue;
    const functional along = ipg_border_integral(a, b, value, onset);
    add_border(p, a, b, &along, sums);
  }
}

/* ----------------------------------------------------------------------------------------------------- the gradient */

/* dE/dx with n as it is, in the frame. */
typedef struct gradient {
  vec points[IPG_FACE_POINTS];
} gradient;

static void add_to(vec *sum, double s, vec a) { *sum = vec_add(*sum, vec_scale(s, a)); }

/* What is interpolated between the corners moves with them: df = -sum of shapes[i] slope . dy_i. */
static inline void change_of_shapes(const flat_face *face, const linear *interpolated, const functional *g, double sign,
                                    gradient *to) {
  for (int i = 0; i < 3; ++i) {
    const double w = -sign * functional_apply(g, &face->shapes[i]);
    add_to(&to->points[i], w, (vec){interpolated->c[0], interpolated->c[1], 0});
  }
}

/* A plane through the corners: its heights change too, df = sum of shapes[i] (dz_i - slope . dy_i). */
static inline void change_of_plane(const flat_face *face, const linear *plane, const functional *g, double sign,
                                   gradient *to) {
  for (int i = 0; i < 3; ++i) {
    const double w = sign * functional_apply(g, &face->shapes[i]);
    add_to(&to->points[i], w, (vec){-plane->c[0], -plane->c[1], 1});
  }
}

/* A line through point o along the way from a to b: l = (b - a) x (y - o). */
static inline void change_of_line(const flat_face *face, const functional *g, int o, int a, int b, gradient *to) {
  const vec origin = face->points[o], along = vec_sub(face->points[b], face->points[a]);
  const vec turned = {g->c[1] - origin.y * g->c[2], origin.x * g->c[2] - g->c[0], 0};
  add_to(&to->points[a], -1, turned), add_to(&to->points[b], 1, turned);
  add_to(&to->points[o], g->c[2], (vec){along.y, -along.x, 0});
}

/* The way to a border, l / |e|, and its direction; s = (l_f / |e_f| + l_g / |e_g|) / width2. */
static void change_of_way_out(const common_plane *p, int f, int g, const functional *at, gradient to[2]) {
  const way_out *way = &p->ways[f][g];
  const int number[2] = {f, g};
  const double turning = -2 * functional_apply(at, &way->length) / way->width2; /* dE/d(opposition) */
  for (int side = 0; side < 2; ++side) {
    const flat_face *face = &p->face[side];
    const linear *l = &p->borders[side][number[side]], *other = &p->borders[1 - side][number[1 - side]];
    const double length = linear_slope(l), other_length = linear_slope(other), s = 1 / (way->width2 * length);
    const functional scaled = {{s * at->c[0], s * at->c[1], s * at->c[2]}};
    const double shortening = -functional_apply(&scaled, l) / length; /* dE/d|e| */
    /* unit directions of the edges: the gradients of their lines, turned back */
    const double du = l->c[1] / length, dv = -l->c[0] / length;
    const double ou = other->c[1] / other_length, ov = -other->c[0] / other_length;
    const double along = du * ou + dv * ov; /* minus the opposition */
    const vec e = {shortening * du - turning * (ou - along * du) / length,
                   shortening * dv - turning * (ov - along * dv) / length, 0};
    const int a = border_start(face, number[side]), b = border_end(face, number[side]);
    change_of_line(face, &scaled, face->shape->borders[number[side]].origin, a, b, &to[side]);
    add_to(&to[side].points[a], -1, e), add_to(&to[side].points[b], 1, e);
  }
}

/* Of the integral over P, with n as it is. */
static void gradient_of_integral(const common_plane *p, const integrals *sums, gradient to[2]) {
  functional by_distance = sums->depths[0], by_offset = {{0, 0, 0}};
  for (int i = 1; i < p->depth_count; ++i) {
    const depth *d = &p->depths[i];
    functional by_way = {{0, 0, 0}};
    functional_add(&by_offset, offset_weight(d->kind), &sums->depths[i]);
    functional_add(&by_distance, d->kind == THROUGH ? -IPG_PASSING : -1, &sums->depths[i]);
    functional_add(&by_way, IPG_WAYS_OUT, &sums->depths[i]);
    if (d->kind == WAY_OUT) change_of_way_out(p, d->f, d->g, &by_way, to);
  }
  for (int side = 0; side < 2; ++side)
    if (p->face[side].is_offset) change_of_shapes(&p->face[side], &p->face[side].offset, &by_offset, 1, &to[side]);
  change_of_plane(&p->face[0], &p->face[0].surface, &by_distance, -1, &to[0]);
  change_of_plane(&p->face[1], &p->face[1].surface, &by_distance, 1, &to[1]);
  for (int line = 0; line < EDGES; ++line) {
    const flat_face *face = &p->face[line / 3];
    const int start = edge_start(face, line % 3), end = edge_end(face, line % 3);
    if (!(sums->edges[line].c[2] > 0)) continue; /* no energy along it */
    change_of_line(face, &sums->edges[line], start, start, end, &to[line / 3]);
  }
}

/* dE/dn, across n, from the moment of dE/dx: E is the same in every frame. */
static vec gradient_of_normal(const common_plane *p, const gradient to[2]) {
  const vec n = {0, 0, 1};
  vec moment = {0, 0, 0};
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < point_count(p, side); ++k)
      moment = vec_add(moment, vec_cross(p->face[side].points[k], to[side].points[k]));
  return vec_cross(n, moment);
}

/* The normal of a face, of which dE is `by_normal`. */
static inline void change_of_normal(const flat_face *face, vec by_normal, gradient *to) {
  const vec across = vec_scale(1 / face->area2, vec_across(by_normal, face->normal));
  const vec b = vec_sub(face->points[1], face->points[0]), c = vec_sub(face->points[2], face->points[0]);
  const vec for_b = vec_cross(c, across), for_c = vec_cross(across, b);
  to->points[0] = vec_sub(to->points[0], vec_add(for_b, for_c));
  to->points[1] = vec_add(to->points[1], for_b);
  to->points[2] = vec_add(to->points[2], for_c);
}

/* ------------------------------------------------------------------------------------------------------- the energy */

/* c: 0 below cosine 0.3, 1 above 0.7, and its derivative. */
static double facing(double cosine, double *slope) {
  const double t = (cosine - IPG_FACING_COSINE) / 0.4;
  *slope = t > 0 && t < 1 ? 6 * t * (1 - t) / 0.4 : 0;
  return t <= 0 ? 0 : t >= 1 ? 1 : t * t * (3 - 2 * t);
}

/* The origin is near the overlap, so that what lies there has small coordinates: a corner of the smaller face. */
static bool find_frame(const ipg_overlap_face *f, const ipg_overlap_face *g, common_plane *p, vec *origin,
                       double *cosine) {
  const vec area_f = area_vector(f->points), area_g = area_vector(g->points);
  const double length_f = vec_length(area_f), length_g = vec_length(area_g);
  *cosine = -vec_dot(area_f, area_g) / (length_f * length_g);
  if (!(*cosine > IPG_FACING_COSINE)) return false;
  const vec sum = vec_sub(vec_scale(1 / length_g, area_g), vec_scale(1 / length_f, area_f));
  p->n_length = vec_length(sum), p->n = vec_scale(1 / p->n_length, sum);
  p->e1 = vec_unit(vec_across(vec_sub(f->points[1], f->points[0]), p->n)), p->e2 = vec_cross(p->n, p->e1);
  *origin = vec_dot(area_f, area_f) < vec_dot(area_g, area_g) ? f->points[0] : g->points[0];
  return true;
}

static void store_result(const common_plane *p, const integrals *sums, double scale, const gradient to[2],
                         ipg_overlap *overlap) {
  functional pressure = {{0, 0, 0}};
  for (int i = 0; i < p->depth_count; ++i) functional_add(&pressure, scale, &sums->depths[i]);
  overlap->energy = scale * sums->energy, overlap->depth = sums->depth;
  for (int side = 0; side < 2; ++side) {
    const int count = overlap->point_counts[side] = p->face[side].shape->point_count;
    for (int k = 0; k < point_count(p, side); ++k)
      overlap->forces[side][k] = out_of_frame(p, vec_scale(-1, to[side].points[k]));
    for (int k = point_count(p, side); k < count; ++k) overlap->forces[side][k] = (vec){0, 0, 0};
    for (int k = 0; k < 3; ++k) overlap->pressures[side][k] = functional_apply(&pressure, &p->face[side].shapes[k]);
  }
}

/* c and its slope are those of the cosine, on which the thickness depends too. */
static void find_gradient(const common_plane *p, const integrals *sums, const ipg_overlap_law *law, double c,
                          double slope, gradient to[2]) {
  gradient_of_integral(p, sums, to);
  const double by_thickness = (1 + IPG_PASSING) * sums->through;
  const double scale = law->stiffness * c;
  const double by_cosine = law->stiffness * slope * (sums->energy + c * by_thickness * law->thickness);
  const vec by_n = vec_scale(1 / p->n_length, gradient_of_normal(p, to));
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < point_count(p, side); ++k) to[side].points[k] = vec_scale(scale, to[side].points[k]);
  change_of_normal(&p->face[0], vec_sub(vec_scale(-scale, by_n), vec_scale(by_cosine, p->face[1].normal)), &to[0]);
  change_of_normal(&p->face[1], vec_sub(vec_scale(scale, by_n), vec_scale(by_cosine, p->face[0].normal)), &to[1]);
}

/* ------------------------------------------------------------------------------------------------------- the balance
 */

typedef struct balance {
  vec force, moment;
  double size; /* of the forces */
} balance;

static balance balance_of(const common_plane *p, const gradient to[2]) {
  balance b = {{0, 0, 0}, {0, 0, 0}, 0};
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < point_count(p, side); ++k) {
      const vec force = to[side].points[k];
      b.force = vec_add(b.force, force), b.moment = vec_add(b.moment, vec_cross(p->face[side].points[k], force));
      b.size += fabs(force.x) + fabs(force.y) + fabs(force.z);
    }
  return b;
}

/* The angular velocity of a rigid body of six points, each of mass 1, with this moment of momentum. */
static vec angular_velocity(const vec points[6], vec moment) {
  vec rows[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (int i = 0; i < 6; ++i) {
    const vec r = points[i];
    const double r2 = vec_dot(r, r);
    rows[0] = vec_add(rows[0], (vec){r2 - r.x * r.x, -r.x * r.y, -r.x * r.z});
    rows[1] = vec_add(rows[1], (vec){-r.y * r.x, r2 - r.y * r.y, -r.y * r.z});
    rows[2] = vec_add(rows[2], (vec){-r.z * r.x, -r.z * r.y, r2 - r.z * r.z});
  }
  const vec across = vec_cross(rows[1], rows[2]); /* the matrix is symmetric: Cramer's rule by its rows */
  const double det = vec_dot(rows[0], across);
  return vec_scale(1 / det, (vec){vec_dot(moment, across), vec_dot(moment, vec_cross(rows[2], rows[0])),
                                  vec_dot(moment, vec_cross(rows[0], rows[1]))});
}

/* Where faces graze, the depth is so small that the rounding of positions shows in it, and the terms above, each right
 * to that, cancel no better. No rigid motion of both faces changes the energy, so what is left of a resultant and of a
 * moment is rounding: it is taken away as from a rigid body. Lengths are in sizes of the faces. */
static void remove_rounding(const common_plane *p, gradient to[2]) {
  balance b = balance_of(p, to);
  const double most = IPG_GRAZING * b.size, size = sqrt(larger(p->face[0].area2, p->face[1].area2));
  vec points[6], centre = {0, 0, 0};
  if (vec_length(b.force) <= most && vec_length(b.moment) <= most * size) return;
  for (int i = 0; i < 6; ++i) add_to(&to[i / 3].points[i % 3], -1. / 6, b.force);
  b = balance_of(p, to);
  for (int i = 0; i < 6; ++i) add_to(&centre, 1. / 6, p->face[i / 3].points[i % 3]);
  for (int i = 0; i < 6; ++i) points[i] = vec_scale(1 / size, vec_sub(p->face[i / 3].points[i % 3], centre));
  const vec turn = angular_velocity(points, vec_scale(1 / size, b.moment));
  for (int i = 0; i < 6; ++i) add_to(&to[i / 3].points[i % 3], -1, vec_cross(turn, points[i]));
}

bool ipg_face_overlap(const ipg_overlap_face *f, const ipg_overlap_face *g, const ipg_overlap_law *law,
                      ipg_overlap *overlap) {
  common_plane p;
  ipg_polygon of_f;
  ipg_polygon_memory memory;
  integrals sums;
  gradient to[2] = {0};
  vec origin;
  double cosine, slope;
  if (!find_frame(f, g, &p, &origin, &cosine)) return false;
  flatten(&p, f, origin, -1);
  flatten(&p, g, origin, 1);
  const ipg_polygon *area = cut_overlap(&p, &of_f, &memory);
  if (!area) return false;
  const double c = facing(cosine, &slope);
  find_borders(&p, f, g, origin);
  find_depths(&p, area, c * law->thickness);
  sums.energy = sums.depth = sums.through = 0;
  for (int i = 0; i < EDGES; ++i) sums.edges[i] = (functional){{0, 0, 0}};
  for (int i = 0; i < p.depth_count; ++i) integrate_depth(&p, area, i, law->onset, &sums);
  if (!(sums.energy > 0) || sums.depth < IPG_NO_DEPTH * sqrt(larger(p.face[0].area2, p.face[1].area2))) return false;
  find_gradient(&p, &sums, law, c, slope, to);
  remove_rounding(&p, to);
  store_result(&p, &sums, law->stiffness * c, to, overlap);
  return true;
}
