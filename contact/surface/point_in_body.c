/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Inside/outside test of a node in a body (point in polyhedron), and how deep it is. Each answer costs about the
 * logarithm of the number of faces.
 *
 * A ray along an axis leaves a closed surface once more often than it enters it if it starts inside. Which faces the
 * ray crosses is decided edge by edge in the plane across it, each edge always computed from the same end: the faces
 * that share it agree, so none is counted twice and no ray slips through between two. Rounding can leave open only on
 * which side of a face the ray starts. Then another axis is tried, and where all three are open and the node is not on
 * the surface, the solid angle of the whole body decides.
 *
 * A node of the body itself starts on the surface. Its own faces are left out, and the corner of the body at the node
 * decides whether the ray first goes into it: what is left is another part of the body around the node. */
#include "surface/point_in_body.h"

#include "support/box.h"
#include "support/morton.h"
#include "surface/solid_angle.h"

#include <string.h>

enum { LEAF_FACES = 4 };

/* ----------------------------------------------------------------------------------------------------------- trees */

static const double *corner_of(const ipg_face_trees *t, int64_t face, int k) {
  return t->x + 3 * (int64_t)t->surface->faces[3 * face + k];
}

/* A little larger than the face: a ray that rounding lets pass the face must meet its box. */
static ipg_box box_of_face(const ipg_face_trees *t, int64_t face) {
  const double *a = corner_of(t, face, 0), *b = corner_of(t, face, 1), *c = corner_of(t, face, 2);
  ipg_box box;
  for (int k = 0; k < 3; ++k) {
    const double lo = smaller(a[k], smaller(b[k], c[k])), hi = larger(a[k], larger(b[k], c[k]));
    const double slack = IPG_RAY_BOX_ROUNDING * (hi - lo);
    box.lo[k] = lo - slack, box.hi[k] = hi + slack;
  }
  return box;
}

/* Of the faces [first, last) in the order; there is at least one. */
static void build_nodes(ipg_face_trees *t, int64_t first, int64_t last) {
  const ipg_id *order = t->order.at;
  const int64_t at = t->node_count++;
  ipg_face_tree_node *b = t->nodes.at + at;
  *b = (ipg_face_tree_node){.first = first, .last = last, .box = box_of_face(t, order[first])};
  if (last - first > LEAF_FACES) {
    const int64_t middle = first + (last - first) / 2;
    b->last = first;
    build_nodes(t, first, middle);
    const int64_t second = t->node_count;
    build_nodes(t, middle, last);
    ipg_box_include(&b->box, &b[1].box);
    ipg_box_include(&b->box, &t->nodes.at[second].box);
  } else
    for (int64_t i = first + 1; i < last; ++i) {
      const ipg_box box = box_of_face(t, order[i]);
      ipg_box_include(&b->box, &box);
    }
  b->end = t->node_count;
}

static ipg_box box_of_all(const ipg_face_trees *t) {
  ipg_box box = t->surface->face_count ? box_of_face(t, 0) : (ipg_box){{0}, {0}};
  for (int64_t f = 1; f < t->surface->face_count; ++f) {
    const ipg_box face = box_of_face(t, f);
    ipg_box_include(&box, &face);
  }
  return box;
}

/* Positions of faces, rounded to 2^20 cells along each axis. */
static uint64_t code_of(const ipg_face_trees *t, int64_t face, const ipg_box *all) {
  const ipg_box box = box_of_face(t, face);
  uint32_t cell[3];
  for (int k = 0; k < 3; ++k) {
    const double size = all->hi[k] - all->lo[k], at = 0.5 * (box.lo[k] - all->lo[k]) + 0.5 * (box.hi[k] - all->lo[k]);
    cell[k] = size > 0 ? (uint32_t)(1048575 * (at / size)) : 0;
  }
  return ipg_morton_interleave(cell);
}

/* By body, and along a Morton curve within each: two stable sorts. */
static ipg_status sort_faces(ipg_face_trees *t, const ipg_allocator *a, const ipg_tasks *tasks, ipg_error *error) {
  const int64_t count = t->surface->face_count;
  const ipg_box all = box_of_all(t);
  uint64_t *keys = t->keys.at;
  ipg_id *order = t->order.at;
  for (int64_t f = 0; f < count; ++f) keys[f] = code_of(t, f, &all), order[f] = (ipg_id)f;
  const ipg_status status = ipg_sort_u64(&t->sorter, keys, order, count, a, tasks, error);
  if (status) return status;
  for (int64_t i = 0; i < count; ++i) keys[i] = (uint64_t)t->surface->face_bodies[order[i]];
  return ipg_sort_u64(&t->sorter, keys, order, count, a, tasks, error);
}

static void build_all_trees(ipg_face_trees *t) {
  const uint64_t *bodies = t->keys.at;
  const int64_t count = t->surface->face_count;
  int64_t *roots = t->roots.at, first = 0;
  for (int body = 0; body < t->topology->body_count; ++body) {
    int64_t last = first;
    while (last < count && bodies[last] == (uint64_t)body) ++last;
    roots[body] = t->node_count;
    if (last > first) build_nodes(t, first, last);
    first = last;
  }
  roots[t->topology->body_count] = t->node_count;
}

ipg_status ipg_face_trees_build(ipg_face_trees *t, const ipg_surface *surface, const ipg_topology *topology,
                                const double *x, const ipg_allocator *a, const ipg_tasks *tasks, ipg_error *error) {
  const int64_t faces = surface->face_count;
  t->surface = surface, t->topology = topology, t->x = x, t->node_count = 0;
  ipg_status status = ipg_array_reserve(&t->keys, a, faces, error);
  if (!status) status = ipg_array_reserve(&t->order, a, faces, error);
  if (!status) status = ipg_array_reserve(&t->roots, a, topology->body_count + 1, error);
  if (!status) status = ipg_array_reserve(&t->nodes, a, faces, error); /* leaves have two faces */
  if (!status) status = sort_faces(t, a, tasks, error);
  if (!status) build_all_trees(t);
  return status;
}

void ipg_face_trees_destroy(ipg_face_trees *t, const ipg_allocator *a) {
  ipg_array_destroy(&t->keys, a);
  ipg_array_destroy(&t->order, a);
  ipg_array_destroy(&t->roots, a);
  ipg_array_destroy(&t->nodes, a);
  ipg_sorter_destroy(&t->sorter, a);
}

ipg_box ipg_face_trees_box(const ipg_face_trees *t, int32_t body) {
  const int64_t *roots = t->roots.at;
  if (roots[body] == roots[body + 1]) return (ipg_box){{0}, {0}};
  return t->nodes.at[roots[body]].box;
}

/* ------------------------------------------------------------------------------------------------------------ rays */

typedef enum side { OUTSIDE, INSIDE, OPEN } side;

/* From p along an axis, forth or back; u and v are the other axes. */
typedef struct ray {
  ipg_id node;
  const double *p;
  int axis, u, v, sign;
} ray;

static ray ray_from(const ipg_face_trees *t, ipg_id node, int axis, int sign) {
  return (ray){node, t->x + 3 * (int64_t)node, axis, (axis + 1) % 3, (axis + 2) % 3, sign};
}

static bool ray_meets_box(const ray *r, const ipg_box *box) {
  const double *p = r->p, *lo = box->lo, *hi = box->hi;
  const bool across = p[r->u] >= lo[r->u] && p[r->u] <= hi[r->u] && p[r->v] >= lo[r->v] && p[r->v] <= hi[r->v];
  return across && (r->sign > 0 ? hi[r->axis] >= p[r->axis] : lo[r->axis] <= p[r->axis]);
}

/* Crossing of the edge from a to b with the line from p along u, seen against the axis: 1 upward, -1 downward, 0 none.
 */
static int crossing_of_edge(const ray *r, const double *a, const double *b) {
  const double pu = r->p[r->u], pv = r->p[r->v];
  const bool upward = a[r->v] <= pv;
  if (upward == (b[r->v] <= pv)) return 0;
  const double *low = upward ? a : b, *high = upward ? b : a;
  if (!((pv - low[r->v]) * (high[r->u] - low[r->u]) > (pu - low[r->u]) * (high[r->v] - low[r->v]))) return 0;
  return upward ? 1 : -1;
}

/* 1 where the ray leaves the body through the face, -1 where it enters. */
static int crossing_of_face(const ray *r, const double *a, const double *b, const double *c, bool *open) {
  const int around = crossing_of_edge(r, a, b) + crossing_of_edge(r, b, c) + crossing_of_edge(r, c, a);
  if (!around) return 0;
  const vec ab = vec_sub(vec_at(b, 0), vec_at(a, 0)), ac = vec_sub(vec_at(c, 0), vec_at(a, 0));
  const vec pa = vec_sub(vec_at(a, 0), vec_at(r->p, 0));
  const double height = vec_dot(pa, vec_cross(ab, ac));
  if (fabs(height) <= IPG_RAY_ROUNDING * vec_length(pa) * vec_length(ab) * vec_length(ac)) *open = true;
  return height * around * r->sign > 0 ? around * r->sign : 0;
}

/* How often the ray leaves the body, less how often it enters it, the node's own faces left out. */
static int count_crossings(const ipg_face_trees *t, const ray *r, int32_t body, bool *open) {
  const ipg_face_tree_node *nodes = t->nodes.at;
  const int64_t *roots = t->roots.at;
  const ipg_id *order = t->order.at;
  int count = 0;
  for (int64_t at = roots[body]; at < roots[body + 1];) {
    const ipg_face_tree_node *b = &nodes[at];
    const bool hit = ray_meets_box(r, &b->box);
    for (int64_t i = b->first; hit && i < b->last; ++i)
      if (!ipg_is_corner(t->surface, order[i], r->node))
        count +=
            crossing_of_face(r, corner_of(t, order[i], 0), corner_of(t, order[i], 1), corner_of(t, order[i], 2), open);
    at = hit ? at + 1 : b->end;
  }
  return count;
}

static side side_along(const ipg_face_trees *t, const ray *r, int32_t body) {
  bool open = false;
  const int count = count_crossings(t, r, body, &open);
  return open ? OPEN : count > 0 ? INSIDE : OUTSIDE;
}

/* --------------------------------------------------------------------------------------------- the node's own corner
 */

/* The faces around the node, and how long its edges are. */
typedef struct fan {
  ipg_id_range faces;
  double shortest, longest;
} fan;

static fan fan_of(const ipg_face_trees *t, ipg_id node) {
  fan around = {.faces = ipg_faces_of_node(t->topology, node), .shortest = INFINITY};
  for (const ipg_id *face = around.faces.begin; face < around.faces.end; ++face)
    for (int k = 0; k < 3; ++k) {
      const double length = vec_length(vec_sub(vec_at(corner_of(t, *face, k), 0), vec_at(t->x, node)));
      if (length > 0) around.shortest = smaller(around.shortest, length);
      around.longest = larger(around.longest, length);
    }
  return around;
}

static bool is_of_body(const ipg_face_trees *t, const fan *around, int32_t body) {
  for (const ipg_id *face = around->faces.begin; face < around->faces.end; ++face)
    if (t->surface->face_bodies[*face] == body) return true;
  return false;
}

/* Height of a face over a point a little along the ray, and squared distance of the closest point of the face. The
 * point is relative to the node, so that nothing cancels. */
static double height_over(const ipg_face_trees *t, const ray *r, ipg_id face, const double point[3],
                          double *distance2) {
  double at[3][3], w[3];
  vec to = {0, 0, 0};
  for (int k = 0; k < 3; ++k) vec_store(at[k], vec_sub(vec_at(corner_of(t, face, k), 0), vec_at(r->p, 0)));
  ipg_closest_on_triangle(point, at[0], at[1], at[2], w);
  for (int k = 0; k < 3; ++k) to = vec_add(to, vec_scale(w[k], vec_sub(vec_at(at[k], 0), vec_at(point, 0))));
  *distance2 = vec_dot(to, to);
  return vec_dot(to, vec_unit(ipg_triangle_area_vector(vec_at(at[0], 0), vec_at(at[1], 0), vec_at(at[2], 0))));
}

/* Inside if the ray begins inside the corner of the body that the fan bounds: decided by the closest faces, if they
 * agree. */
static side side_of_corner(const ipg_face_trees *t, const ray *r, const fan *around) {
  double point[3] = {0, 0, 0}, nearest2 = INFINITY, highest = -INFINITY, lowest = INFINITY;
  const double step = IPG_CORNER_STEP * around->shortest, clear = IPG_CORNER_CLEARANCE * step;
  point[r->axis] = r->sign * step;
  for (const ipg_id *face = around->faces.begin; face < around->faces.end; ++face) {
    double distance2;
    const double height = height_over(t, r, *face, point, &distance2);
    if (distance2 > nearest2 * (1 + IPG_SAME_DISTANCE)) continue;
    if (distance2 * (1 + IPG_SAME_DISTANCE) < nearest2) highest = -INFINITY, lowest = INFINITY;
    nearest2 = smaller(nearest2, distance2);
    highest = larger(highest, height), lowest = smaller(lowest, height);
  }
  return lowest > clear ? INSIDE : highest < -clear ? OUTSIDE : OPEN;
}

/* Inside if a node of the body is inside another part of it. */
static side side_along_own(const ipg_face_trees *t, const ray *r, int32_t body, const fan *around) {
  bool open = false;
  const int count = count_crossings(t, r, body, &open);
  if (open) return OPEN;
  if (count <= 0) return OUTSIDE;
  const side corner = side_of_corner(t, r, around);
  return corner == OPEN ? OPEN : count > (corner == INSIDE) ? INSIDE : OUTSIDE;
}

/* Outward first, along the axis that leads out most: there mostly nothing is passed. */
static side side_of_own(const ipg_face_trees *t, ipg_id node, int32_t body, const fan *around, vec outward) {
  const double along[3] = {outward.x, outward.y, outward.z};
  int axes[3] = {0, 1, 2};
  for (int i = 0; i < 2; ++i)
    for (int j = i + 1; j < 3; ++j)
      if (fabs(along[axes[j]]) > fabs(along[axes[i]])) {
        const int swap = axes[i];
        axes[i] = axes[j], axes[j] = swap;
      }
  for (int i = 0; i < 6; ++i) {
    const int axis = axes[i % 3], out = along[axis] < 0 ? -1 : 1;
    const ray r = ray_from(t, node, axis, i < 3 ? out : -out);
    const side s = side_along_own(t, &r, body, around);
    if (s != OPEN) return s;
  }
  return OPEN;
}

static side side_of_other(const ipg_face_trees *t, ipg_id node, int32_t body) {
  side s = OPEN;
  for (int axis = 0; s == OPEN && axis < 3; ++axis) {
    const ray r = ray_from(t, node, axis, 1);
    s = side_along(t, &r, body);
  }
  return s;
}

/* ----------------------------------------------------------------------------------------------------------- depth */

/* The closest face of a body among those that a test admits. Of faces at one distance, as at an edge, the one that the
 * node is deepest behind. Two passes, first the distance, then the face: the answer does not depend on the order in
 * which faces are visited. */
typedef struct nearest_face {
  const ipg_face_trees *trees;
  ipg_id node;
  bool (*is_admitted)(const struct nearest_face *, const ipg_closest_point *);
  vec outward; /* normal of the node */
  double nearest2;
  bool is_known; /* the distance: this pass finds the face */
  ipg_closest_point best;
} nearest_face;

static bool admit_any_face(const nearest_face *n, const ipg_closest_point *q) {
  return !ipg_is_corner(n->trees->surface, q->face, n->node);
}

static bool admit_other_elements(const nearest_face *n, const ipg_closest_point *q) {
  return !ipg_is_own_face(n->trees->surface, n->node, q->face);
}

/* Faces through which the node can have come in. Others may be closer, at the rim of a face that lies in a body, or on
 * the node's own sheet, but moving there would be sliding along. */
static bool admit_facing(const nearest_face *n, const ipg_closest_point *q) {
  return admit_other_elements(n, q) && vec_dot(q->normal, n->outward) < -IPG_FOLLOW_COSINE && q->height > 0 &&
         q->height * q->height > IPG_FOLLOW_COSINE * IPG_FOLLOW_COSINE * q->distance2;
}

static void examine_face(nearest_face *n, ipg_id face) {
  const ipg_closest_point q = ipg_closest_point_on_face(n->trees->surface, n->trees->x, n->node, face);
  if (!n->is_admitted(n, &q)) return;
  if (!n->is_known) {
    n->nearest2 = smaller(n->nearest2, q.distance2);
  } else if (q.distance2 <= n->nearest2 * (1 + IPG_SAME_DISTANCE)) {
    const bool is_first = n->best.face<0, is_deeper = q.height> n->best.height;
    if (is_first || is_deeper || (q.height == n->best.height && face < n->best.face)) n->best = q;
  }
}

static double distance_to_box2(const ipg_box *box, const double *p) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const double away = larger(0, larger(box->lo[k] - p[k], p[k] - box->hi[k]));
    sum += away * away;
  }
  return sum;
}

static double diagonal2(const ipg_box *box) {
  const vec size = vec_sub(vec_at(box->hi, 0), vec_at(box->lo, 0));
  return vec_dot(size, size);
}

/* The closer half first. Boxes that are farther than the closest face are left out, with room for rounding. */
static void descend(nearest_face *n, int64_t at) {
  const ipg_face_tree_node *b = n->trees->nodes.at + at;
  const double *p = n->trees->x + 3 * (int64_t)n->node;
  const double limit = (1 + IPG_TREE_ROUNDING) * n->nearest2 + IPG_BOX_ROUNDING2 * diagonal2(&b->box);
  if (distance_to_box2(&b->box, p) > limit) return;
  for (int64_t i = b->first; i < b->last; ++i) examine_face(n, n->trees->order.at[i]);
  if (b->first < b->last) return;
  const int64_t second = b[1].end;
  const bool swap = distance_to_box2(&n->trees->nodes.at[second].box, p) < distance_to_box2(&b[1].box, p);
  descend(n, swap ? second : at + 1);
  descend(n, swap ? at + 1 : second);
}

/* No farther than `reach`. */
static bool find_nearest_face(nearest_face *n, int32_t body,
                              bool (*is_admitted)(const nearest_face *, const ipg_closest_point *), double reach) {
  const int64_t *roots = n->trees->roots.at;
  n->is_admitted = is_admitted, n->nearest2 = reach * reach, n->best.face = -1;
  for (int pass = 0; pass < 2 && roots[body] < roots[body + 1]; ++pass) {
    n->is_known = pass == 1;
    descend(n, roots[body]);
  }
  return n->best.face >= 0;
}

/* Back where the node came from, if that is no farther than its edges are long, or the body is its own. */
static bool find_way_out(nearest_face *n, int32_t body, double reach) {
  return find_nearest_face(n, body, admit_facing, reach) || find_nearest_face(n, body, admit_other_elements, INFINITY);
}

bool ipg_find_penetration(const ipg_face_trees *t, ipg_id node, int32_t body,
                          ipg_contact_initial_penetration *penetration) {
  const fan around = fan_of(t, node);
  const bool is_own = is_of_body(t, &around, body);
  const ipg_box box = ipg_face_trees_box(t, body);
  nearest_face n = {.trees = t, .node = node, .outward = ipg_node_normal(t->topology, t->surface, t->x, node)};
  double depth;
  const side s = is_own ? side_of_own(t, node, body, &around, n.outward) : side_of_other(t, node, body);
  if (s == OUTSIDE || find_nearest_face(&n, body, admit_any_face, IPG_ON_SURFACE * sqrt(diagonal2(&box)))) return false;
  if (s == OPEN && !ipg_is_inside_by_solid_angle(t->surface, t->x, node, body, &depth)) return false;
  if (!find_way_out(&n, body, is_own ? INFINITY : around.longest)) return false;
  *penetration = (ipg_contact_initial_penetration){node, n.best.face, sqrt(n.best.distance2), {0}, -1};
  memcpy(penetration->weights, n.best.weights, sizeof penetration->weights);
  return true;
}

bool ipg_find_face_within(const ipg_face_trees *t, ipg_id node, int32_t body, double reach,
                          ipg_contact_initial_penetration *nearest) {
  const fan around = fan_of(t, node);
  nearest_face n = {.trees = t, .node = node, .outward = ipg_node_normal(t->topology, t->surface, t->x, node)};
  if (is_of_body(t, &around, body) || !find_nearest_face(&n, body, admit_any_face, reach)) return false;
  *nearest = (ipg_contact_initial_penetration){node, n.best.face, sqrt(n.best.distance2), {0}, -1};
  memcpy(nearest->weights, n.best.weights, sizeof nearest->weights);
  return true;
}
