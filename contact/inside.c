/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Inside a body or outside, and how deep: each answer costs about the logarithm of the number of faces.
 *
 * A ray along an axis leaves a closed surface once more often than it enters it if it starts inside. Which faces the
 * ray passes is decided edge by edge in the plane across it, each edge always computed from the same end: the faces
 * that share it agree, so none is counted twice and no ray slips through between two. Only on which side of a face the
 * ray starts can rounding leave open; then another axis is tried, and where all three are open and the node is not on
 * the surface, the solid angle of the whole body decides, as it does in the audit.
 *
 * A node of the body itself starts on the surface. Its own faces are left out, and whether the ray first goes into the
 * node's own corner of the body is looked up there: what is left is another part of the body around the node. */
#include "inside.h"

#include "foot.h"
#include "support/box.h"
#include "support/morton.h"

#include <string.h>

enum { LEAF_FACES = 4 };

/* In parts of the body's size: nodes less deep than this, but for rounding, are on the surface. */
static const double on_surface = 1e-10;
/* The way out of a body is within 75 degrees of the face's normal; faces that face each other differ by 105. */
static const double behind_cosine = 0.25;

/* ----------------------------------------------------------------------------------------------------------- trees */

static const double *corner_of(const ipg_face_trees *t, int64_t face, int k) {
  return t->x + 3 * (int64_t)t->contact->surface.faces[3 * face + k];
}

/* A little larger than the face: a ray that rounding lets pass the face must meet its box. */
static ipg_box box_of_face(const ipg_face_trees *t, int64_t face) {
  const double *a = corner_of(t, face, 0), *b = corner_of(t, face, 1), *c = corner_of(t, face, 2);
  ipg_box box;
  for (int k = 0; k < 3; ++k) {
    const double lo = smaller(a[k], smaller(b[k], c[k])), hi = larger(a[k], larger(b[k], c[k]));
    const double slack = 1e-15 * (hi - lo);
    box.lo[k] = lo - slack, box.hi[k] = hi + slack;
  }
  return box;
}

/* Of the faces [first, last) in the order; there is at least one. */
static void grow_branch(ipg_face_trees *t, int64_t first, int64_t last) {
  const ipg_id *order = t->order.data;
  const int64_t at = t->branch_count++;
  ipg_branch *b = (ipg_branch *)t->branches.data + at;
  *b = (ipg_branch){.first = first, .last = last, .box = box_of_face(t, order[first])};
  if (last - first > LEAF_FACES) {
    const int64_t middle = first + (last - first) / 2;
    b->last = first;
    grow_branch(t, first, middle);
    const int64_t second = t->branch_count;
    grow_branch(t, middle, last);
    ipg_box_include(&b->box, &b[1].box);
    ipg_box_include(&b->box, &((const ipg_branch *)t->branches.data)[second].box);
  } else
    for (int64_t i = first + 1; i < last; ++i) {
      const ipg_box box = box_of_face(t, order[i]);
      ipg_box_include(&b->box, &box);
    }
  b->end = t->branch_count;
}

static ipg_box box_of_all(const ipg_face_trees *t) {
  ipg_box box = t->contact->surface.face_count ? box_of_face(t, 0) : (ipg_box){{0}, {0}};
  for (int64_t f = 1; f < t->contact->surface.face_count; ++f) {
    const ipg_box face = box_of_face(t, f);
    ipg_box_include(&box, &face);
  }
  return box;
}

/* Places cut to 2^20 cells along each axis. */
static uint64_t code_of(const ipg_face_trees *t, int64_t face, const ipg_box *all) {
  const ipg_box box = box_of_face(t, face);
  uint32_t cell[3];
  for (int k = 0; k < 3; ++k) {
    const double size = all->hi[k] - all->lo[k], at = 0.5 * (box.lo[k] - all->lo[k]) + 0.5 * (box.hi[k] - all->lo[k]);
    cell[k] = size > 0 ? (uint32_t)(1048575 * (at / size)) : 0;
  }
  return ipg_morton_interleave(cell);
}

/* By body, and along a curve within each: two stable sorts. */
static ipg_status sort_faces(ipg_face_trees *t, ipg_error *error) {
  const ipg_contact *c = t->contact;
  const int64_t count = c->surface.face_count;
  const ipg_box all = box_of_all(t);
  uint64_t *keys = t->keys.data;
  ipg_id *order = t->order.data;
  for (int64_t f = 0; f < count; ++f) keys[f] = code_of(t, f, &all), order[f] = (ipg_id)f;
  const ipg_status status = ipg_sort_u64(&t->sorter, keys, order, count, &c->config.allocator, &c->config.tasks, error);
  if (status) return status;
  for (int64_t i = 0; i < count; ++i) keys[i] = (uint64_t)c->surface.face_bodies[order[i]];
  return ipg_sort_u64(&t->sorter, keys, order, count, &c->config.allocator, &c->config.tasks, error);
}

static void grow_trees(ipg_face_trees *t) {
  const uint64_t *bodies = t->keys.data;
  const int64_t count = t->contact->surface.face_count;
  int64_t *roots = t->roots.data, first = 0;
  for (int body = 0; body < t->contact->body_count; ++body) {
    int64_t last = first;
    while (last < count && bodies[last] == (uint64_t)body) ++last;
    roots[body] = t->branch_count;
    if (last > first) grow_branch(t, first, last);
    first = last;
  }
  roots[t->contact->body_count] = t->branch_count;
}

ipg_status ipg_face_trees_build(ipg_face_trees *t, const ipg_contact *c, const double *x, ipg_error *error) {
  const ipg_allocator *a = &c->config.allocator;
  const int64_t faces = c->surface.face_count;
  t->contact = c, t->x = x, t->branch_count = 0;
  ipg_status status = ipg_buffer_reserve(&t->keys, a, faces, sizeof(uint64_t), error);
  if (!status) status = ipg_buffer_reserve(&t->order, a, faces, sizeof(ipg_id), error);
  if (!status) status = ipg_buffer_reserve(&t->roots, a, c->body_count + 1, sizeof(int64_t), error);
  if (!status)
    status = ipg_buffer_reserve(&t->branches, a, faces, sizeof(ipg_branch), error); /* leaves have two faces */
  if (!status) status = sort_faces(t, error);
  if (!status) grow_trees(t);
  return status;
}

void ipg_face_trees_destroy(ipg_face_trees *t) {
  if (!t->contact) return;
  const ipg_allocator *a = &t->contact->config.allocator;
  ipg_buffer_destroy(&t->keys, a);
  ipg_buffer_destroy(&t->order, a);
  ipg_buffer_destroy(&t->roots, a);
  ipg_buffer_destroy(&t->branches, a);
  ipg_sorter_destroy(&t->sorter, a);
}

ipg_box ipg_face_trees_box(const ipg_face_trees *t, int32_t body) {
  const int64_t *roots = t->roots.data;
  if (roots[body] == roots[body + 1]) return (ipg_box){{0}, {0}};
  return ((const ipg_branch *)t->branches.data)[roots[body]].box;
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

static bool meets(const ray *r, const ipg_box *box) {
  const double *p = r->p, *lo = box->lo, *hi = box->hi;
  const bool across = p[r->u] >= lo[r->u] && p[r->u] <= hi[r->u] && p[r->v] >= lo[r->v] && p[r->v] <= hi[r->v];
  return across && (r->sign > 0 ? hi[r->axis] >= p[r->axis] : lo[r->axis] <= p[r->axis]);
}

/* Does the edge from a to b cross the line from p along u, seen against the axis? 1 upward, -1 downward, 0 not. */
static int crossing(const ray *r, const double *a, const double *b) {
  const double pu = r->p[r->u], pv = r->p[r->v];
  const bool upward = a[r->v] <= pv;
  if (upward == (b[r->v] <= pv)) return 0;
  const double *low = upward ? a : b, *high = upward ? b : a;
  if (!((pv - low[r->v]) * (high[r->u] - low[r->u]) > (pu - low[r->u]) * (high[r->v] - low[r->v]))) return 0;
  return upward ? 1 : -1;
}

/* 1 where the ray leaves the body through the face, -1 where it enters. */
static int passage(const ray *r, const double *a, const double *b, const double *c, bool *open) {
  const int around = crossing(r, a, b) + crossing(r, b, c) + crossing(r, c, a);
  if (!around) return 0;
  const vec ab = vec_sub(vec_at(b, 0), vec_at(a, 0)), ac = vec_sub(vec_at(c, 0), vec_at(a, 0));
  const vec pa = vec_sub(vec_at(a, 0), vec_at(r->p, 0));
  const double height = vec_dot(pa, vec_cross(ab, ac));
  if (fabs(height) <= 1e-14 * vec_length(pa) * vec_length(ab) * vec_length(ac)) *open = true;
  return height * around * r->sign > 0 ? around * r->sign : 0;
}

static bool has_corner(const ipg_surface *s, int64_t face, ipg_id node) {
  return s->faces[3 * face] == node || s->faces[3 * face + 1] == node || s->faces[3 * face + 2] == node;
}

/* How often the ray leaves the body, less how often it enters it, the node's own faces left out. */
static int count_passages(const ipg_face_trees *t, const ray *r, int32_t body, bool *open) {
  const ipg_branch *branches = t->branches.data;
  const int64_t *roots = t->roots.data;
  const ipg_id *order = t->order.data;
  int count = 0;
  for (int64_t at = roots[body]; at < roots[body + 1];) {
    const ipg_branch *b = &branches[at];
    const bool met = meets(r, &b->box);
    for (int64_t i = b->first; met && i < b->last; ++i)
      if (!has_corner(&t->contact->surface, order[i], r->node))
        count += passage(r, corner_of(t, order[i], 0), corner_of(t, order[i], 1), corner_of(t, order[i], 2), open);
    at = met ? at + 1 : b->end;
  }
  return count;
}

static side side_along(const ipg_face_trees *t, const ray *r, int32_t body) {
  bool open = false;
  const int count = count_passages(t, r, body, &open);
  return open ? OPEN : count > 0 ? INSIDE : OUTSIDE;
}

/* --------------------------------------------------------------------------------------------- the node's own corner
 */

/* The faces around the node, and how long its edges are. */
typedef struct fan {
  const ipg_id *faces;
  int64_t count;
  double shortest, longest;
} fan;

static fan fan_of(const ipg_face_trees *t, ipg_id node) {
  const int64_t *first = t->contact->buffers[NODE_FACES_FIRST].data;
  fan around = {.count = first[node + 1] - first[node], .shortest = INFINITY};
  around.faces = (const ipg_id *)t->contact->buffers[NODE_FACES].data + first[node];
  for (int64_t i = 0; i < around.count; ++i)
    for (int k = 0; k < 3; ++k) {
      const double length = vec_length(vec_sub(vec_at(corner_of(t, around.faces[i], k), 0), vec_at(t->x, node)));
      if (length > 0) around.shortest = smaller(around.shortest, length);
      around.longest = larger(around.longest, length);
    }
  return around;
}

static bool is_of_body(const ipg_face_trees *t, const fan *around, int32_t body) {
  for (int64_t i = 0; i < around->count; ++i)
    if (t->contact->surface.face_bodies[around->faces[i]] == body) return true;
  return false;
}

/* Of a place a little along the ray, at -`to`: how high the face is above it, and how far its nearest place. All as
 * seen from the node, so that nothing cancels. */
static double height_over(const ipg_face_trees *t, const ray *r, ipg_id face, const double place[3],
                          double *distance2) {
  double at[3][3], w[3];
  vec to = {0, 0, 0};
  for (int k = 0; k < 3; ++k) vec_store(at[k], vec_sub(vec_at(corner_of(t, face, k), 0), vec_at(r->p, 0)));
  ipg_closest_on_triangle(place, at[0], at[1], at[2], w);
  for (int k = 0; k < 3; ++k) to = vec_add(to, vec_scale(w[k], vec_sub(vec_at(at[k], 0), vec_at(place, 0))));
  const vec a = vec_at(at[0], 0);
  *distance2 = vec_dot(to, to);
  return vec_dot(to, vec_unit(vec_cross(vec_sub(vec_at(at[1], 0), a), vec_sub(vec_at(at[2], 0), a))));
}

/* Does the ray begin inside the corner that the fan bounds? The nearest faces know, if they agree. */
static side side_of_corner(const ipg_face_trees *t, const ray *r, const fan *around) {
  double place[3] = {0, 0, 0}, nearest2 = INFINITY, highest = -INFINITY, lowest = INFINITY;
  const double step = 1e-3 * around->shortest, clear = 1e-6 * step;
  place[r->axis] = r->sign * step;
  for (int64_t i = 0; i < around->count; ++i) {
    double distance2;
    const double height = height_over(t, r, around->faces[i], place, &distance2);
    if (distance2 > nearest2 * (1 + 1e-10)) continue;
    if (distance2 * (1 + 1e-10) < nearest2) highest = -INFINITY, lowest = INFINITY;
    nearest2 = smaller(nearest2, distance2);
    highest = larger(highest, height), lowest = smaller(lowest, height);
  }
  return lowest > clear ? INSIDE : highest < -clear ? OUTSIDE : OPEN;
}

/* For a node of the body: is it inside another part of it? */
static side side_along_own(const ipg_face_trees *t, const ray *r, int32_t body, const fan *around) {
  bool open = false;
  const int count = count_passages(t, r, body, &open);
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

/* The nearest face of a body that counts. Of faces at one distance, as at an edge, the one that the node is most
 * behind: so the answer does not depend on the order in which faces are met, once the distance is known. */
typedef struct quest {
  const ipg_face_trees *trees;
  ipg_id node;
  bool (*counts)(const struct quest *, const foot *);
  vec outward; /* of the node */
  double nearest2;
  bool is_known; /* the distance: now for the face */
  foot best;
} quest;

static bool any_face(const quest *q, const foot *f) {
  return !has_corner(&q->trees->contact->surface, f->face, q->node);
}

static bool not_of_own_element(const quest *q, const foot *f) {
  return !ipg_is_own_face(&q->trees->contact->surface, q->node, f->face);
}

/* A way out that leads back where the node came from. Other faces may be nearer, at the rim of a face that lies in a
 * body, or on the node's own sheet, but to part there is to slide along. */
static bool faces_node(const quest *q, const foot *f) {
  return not_of_own_element(q, f) && vec_dot(f->normal, q->outward) < -behind_cosine && f->height > 0 &&
         f->height * f->height > behind_cosine * behind_cosine * f->distance2;
}

static void ask_face(quest *q, ipg_id face) {
  const foot f = ipg_foot_on_face(&q->trees->contact->surface, q->trees->x, q->node, face);
  if (!q->counts(q, &f)) return;
  if (!q->is_known) q->nearest2 = smaller(q->nearest2, f.distance2);
  else if (f.distance2 <= q->nearest2 * (1 + 1e-10)) {
    const bool first = q->best.face<0, higher = f.height> q->best.height;
    if (first || higher || (f.height == q->best.height && face < q->best.face)) q->best = f;
  }
}

static double away2(const ipg_box *box, const double *p) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const double away = larger(0, larger(box->lo[k] - p[k], p[k] - box->hi[k]));
    sum += away * away;
  }
  return sum;
}

static double size2_of(const ipg_box *box) {
  const vec size = vec_sub(vec_at(box->hi, 0), vec_at(box->lo, 0));
  return vec_dot(size, size);
}

/* The nearer half first. Boxes that are farther than the nearest face are left out, with room for rounding. */
static void ask_branch(quest *q, int64_t at) {
  const ipg_branch *b = (const ipg_branch *)q->trees->branches.data + at;
  const double *p = q->trees->x + 3 * (int64_t)q->node;
  if (away2(&b->box, p) > (1 + 1e-9) * q->nearest2 + 1e-20 * size2_of(&b->box)) return;
  for (int64_t i = b->first; i < b->last; ++i) ask_face(q, ((const ipg_id *)q->trees->order.data)[i]);
  if (b->first < b->last) return;
  const int64_t second = b[1].end;
  const bool swap = away2(&((const ipg_branch *)q->trees->branches.data)[second].box, p) < away2(&b[1].box, p);
  ask_branch(q, swap ? second : at + 1);
  ask_branch(q, swap ? at + 1 : second);
}

/* No farther than `reach`. */
static bool find_nearest(quest *q, int32_t body, bool (*counts)(const quest *, const foot *), double reach) {
  const int64_t *roots = q->trees->roots.data;
  q->counts = counts, q->nearest2 = reach * reach, q->best.face = -1;
  for (int pass = 0; pass < 2 && roots[body] < roots[body + 1]; ++pass) {
    q->is_known = pass == 1;
    ask_branch(q, roots[body]);
  }
  return q->best.face >= 0;
}

/* Back where the node came from, if that is no farther than its edges are long, or the body is its own. */
static bool find_way_out(quest *q, int32_t body, double reach) {
  return find_nearest(q, body, faces_node, reach) || find_nearest(q, body, not_of_own_element, INFINITY);
}

/* -------------------------------------------------------------------------------------------------------- together */

bool ipg_face_trees_overlap(const ipg_face_trees *t, ipg_id node, int32_t body,
                            ipg_contact_initial_penetration *overlap) {
  const fan around = fan_of(t, node);
  const bool own = is_of_body(t, &around, body);
  const ipg_box box = ipg_face_trees_box(t, body);
  quest q = {.trees = t, .node = node, .outward = ipg_contact_normal_of_node(t->contact, t->x, node)};
  double depth;
  const side s = own ? side_of_own(t, node, body, &around, q.outward) : side_of_other(t, node, body);
  if (s == OUTSIDE || find_nearest(&q, body, any_face, on_surface * sqrt(size2_of(&box)))) return false;
  if (s == OPEN && !ipg_contact_is_inside(t->contact, t->x, node, body, &depth)) return false;
  if (!find_way_out(&q, body, own ? INFINITY : around.longest)) return false;
  if (ipg_contact_is_off(t->contact, node, q.best.face)) return false;
  *overlap = (ipg_contact_initial_penetration){node, q.best.face, sqrt(q.best.distance2), {0}};
  memcpy(overlap->weights, q.best.weights, sizeof overlap->weights);
  return true;
}
