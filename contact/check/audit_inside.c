/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The part of an audit that checks the outcome: nodes inside a body, by a test that no other code uses (the
 * inside/outside test of the library is surface/point_in_body.c).
 *
 * A ray in a skew direction leaves a closed surface once more often than it enters it if it starts inside. On which
 * side of an edge it passes is the sign of a triple product, which is exactly the negative one for the face on the
 * other side of the edge: no ray slips through. Where a product is within rounding of 0 another direction is taken. A
 * ray from a node of the body itself starts at the node's own faces, which are left out: it must start in front of all
 * of them, or behind all of them, so that it is known whether it starts inside the corner at the node. */
#include "check/audit.h"

#include "impinge/narrow.h"
#include "model/block_rules.h"
#include "surface/face_geometry.h"

enum { DIRECTIONS = 5 };

static const double directions[DIRECTIONS][3] = {{0.4812, 0.7321, 0.4823},
                                                 {-0.6614, 0.3907, 0.6402},
                                                 {0.2719, -0.8836, 0.3813},
                                                 {-0.3517, -0.5118, 0.7838},
                                                 {0.8731, 0.0917, -0.4788}};

typedef enum verdict { OUTSIDE, INSIDE, OPEN } verdict;

static double triple_product(vec a, vec b, vec c) { return vec_dot(a, vec_cross(b, c)); }

/* 1 where the ray leaves the body through the triangle, -1 where it enters it, as seen from its start. */
static int crossing_of_triangle(vec d, vec a, vec b, vec c, bool *is_open) {
  const double ab = triple_product(d, a, b), bc = triple_product(d, b, c), ca = triple_product(d, c, a);
  if (!((ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0))) return 0;
  const double la = vec_length(a), lb = vec_length(b), lc = vec_length(c), rounding = 1e-14;
  const vec normal = ipg_triangle_area_vector(a, b, c);
  const double height = vec_dot(a, normal), slope = vec_dot(d, normal);
  if (fabs(ab) <= rounding * la * lb || fabs(bc) <= rounding * lb * lc || fabs(ca) <= rounding * lc * la ||
      fabs(height) <= rounding * la * lb * lc)
    *is_open = true;
  return height * slope > 0 ? (slope > 0 ? 1 : -1) : 0;
}

/* Crossings outward less crossings inward, the node's own faces left out. */
static int count_crossings(const ipg_surface *s, const double *x, ipg_id node, int32_t body, vec d, bool *is_open) {
  const vec p = vec_at(x, node);
  int count = 0;
  for (ipg_id f = 0; f < s->face_count; ++f) {
    const ipg_id *corner = ipg_face_corners(s, f);
    if (s->face_bodies[f] != body || ipg_is_corner(s, f, node)) continue;
    count += crossing_of_triangle(d, vec_sub(vec_at(x, corner[0]), p), vec_sub(vec_at(x, corner[1]), p),
                                  vec_sub(vec_at(x, corner[2]), p), is_open);
  }
  return count;
}

/* -1 if the direction is in front of all faces of the body at the node (or it has none there), 1 if it is behind all, 0
 * otherwise. */
static int side_of_corner(const ipg_model *m, const double *x, ipg_id node, int32_t body, vec d) {
  const ipg_id_range faces = ipg_faces_of_node(&m->topology, node);
  bool is_in_front = true, is_behind = false, has_faces = false;
  for (const ipg_id *face = faces.begin; face < faces.end; ++face) {
    if (m->surface.face_bodies[*face] != body) continue;
    const double slope = vec_dot(d, ipg_face_normal(&m->surface, x, *face));
    is_behind = (is_behind || !has_faces) && slope < -1e-6;
    is_in_front = is_in_front && slope > 1e-6;
    has_faces = true;
  }
  return is_in_front ? -1 : is_behind ? 1 : 0;
}

static verdict verdict_along(const ipg_model *m, const double *x, ipg_id node, int32_t body, vec d) {
  bool is_open = false;
  const int side = side_of_corner(m, x, node, body, d);
  if (!side) return OPEN;
  const int count = count_crossings(&m->surface, x, node, body, d, &is_open);
  return is_open ? OPEN : count > (side > 0) ? INSIDE : OUTSIDE;
}

/* The angle between two vectors. */
static double angle_between(vec a, vec b) { return atan2(vec_length(vec_cross(a, b)), vec_dot(a, b)); }

/* Spherical excess of a triangle as seen from the origin (L'Huilier), positive if its outward side is turned away. */
static double spherical_excess(vec a, vec b, vec c) {
  const double x = angle_between(b, c), y = angle_between(c, a), z = angle_between(a, b), s = 0.5 * (x + y + z);
  const double product = tan(0.5 * s) * tan(0.5 * (s - x)) * tan(0.5 * (s - y)) * tan(0.5 * (s - z));
  return copysign(4 * atan(sqrt(larger(0, product))), triple_product(a, b, c));
}

/* Where rays leave it open: all spherical excesses together are the full sphere, 4 pi, inside and 0 outside; at a node
 * of the body the angle of its own corner, up to 4 pi, comes first. */
static bool is_surrounded(const ipg_surface *s, const double *x, ipg_id node, int32_t body) {
  const double pi = 3.14159265358979323846;
  const vec p = vec_at(x, node);
  double sum = 0;
  bool is_own = false;
  for (ipg_id f = 0; f < s->face_count; ++f) {
    const ipg_id *corner = ipg_face_corners(s, f);
    if (s->face_bodies[f] != body) continue;
    if (ipg_is_corner(s, f, node)) is_own = true;
    else
      sum += spherical_excess(vec_sub(vec_at(x, corner[0]), p), vec_sub(vec_at(x, corner[1]), p),
                              vec_sub(vec_at(x, corner[2]), p));
  }
  return sum > 4 * pi * (is_own ? 1.01 : 0.99);
}

/* Outward from the node first, then in both senses of each direction. */
static bool is_inside(const ipg_model *m, const double *x, ipg_id node, int32_t body) {
  const vec outward = ipg_node_normal(&m->topology, &m->surface, x, node), skew = vec_at(directions[0], 0);
  verdict v = verdict_along(m, x, node, body, vec_add(outward, vec_scale(0.01, skew)));
  for (int i = 0; v == OPEN && i < 2 * DIRECTIONS; ++i)
    v = verdict_along(m, x, node, body, vec_scale(i % 2 ? -1 : 1, vec_at(directions[i / 2], 0)));
  return v == OPEN ? is_surrounded(&m->surface, x, node, body) : v == INSIDE;
}

/* Also which face is the closest. */
static double distance_to_body(const ipg_surface *s, const double *x, ipg_id node, int32_t body, ipg_id *face) {
  double closest = INFINITY;
  for (ipg_id f = 0; f < s->face_count; ++f) {
    const ipg_id *corner = ipg_face_corners(s, f);
    double weights[3];
    vec way = {0, 0, 0};
    if (s->face_bodies[f] != body || ipg_is_corner(s, f, node)) continue;
    ipg_closest_on_triangle(x + 3 * (int64_t)node, x + 3 * (int64_t)corner[0], x + 3 * (int64_t)corner[1],
                            x + 3 * (int64_t)corner[2], weights);
    for (int k = 0; k < 3; ++k)
      way = vec_add(way, vec_scale(weights[k], vec_sub(vec_at(x, corner[k]), vec_at(x, node))));
    if (vec_length(way) < closest) closest = vec_length(way), *face = f;
  }
  return closest;
}

/* ----------------------------------------------------------------------------------------------------------- bodies */

static ipg_box box_of_body(const ipg_surface *s, const double *x, int32_t body) {
  ipg_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int64_t i = 0; i < 3 * s->face_count; ++i)
    for (int k = 0; s->face_bodies[i / 3] == body && k < 3; ++k) {
      box.lo[k] = fmin(box.lo[k], x[3 * (int64_t)s->faces[i] + k]);
      box.hi[k] = fmax(box.hi[k], x[3 * (int64_t)s->faces[i] + k]);
    }
  return box;
}

static bool is_in_box(const ipg_box *box, const double *x) {
  for (int k = 0; k < 3; ++k)
    if (!(x[k] >= box->lo[k] && x[k] <= box->hi[k])) return false;
  return true;
}

static double extent_of(const ipg_box *box) {
  return box->hi[0] - box->lo[0] + (box->hi[1] - box->lo[1]) + (box->hi[2] - box->lo[2]);
}

/* True if the node has a contact, or a tie, with the body in the trial. */
static bool has_contact(const ipg_contact *c, ipg_id node, int32_t body) {
  const ipg_contact_kind kinds[2] = {IPG_CONTACT_NODE_FACE, IPG_CONTACT_TIE};
  for (int k = 0; k < 2; ++k) {
    const ipg_contact_range all = ipg_contacts_of_kind(&c->trial->contacts, kinds[k]);
    for (int64_t i = ipg_first_contact_of(&all, node); i < all.count && all.pairs[i].owner == node; ++i)
      if (c->model.surface.face_bodies[all.pairs[i].face] == body) return true;
  }
  return false;
}

/* A node of another rank is checked there. A node near tied faces may be inside their block without a tie of its own.
 */
static bool is_excused(const ipg_audit *a, ipg_id node, ipg_id face) {
  const ipg_model *m = &a->contact->model;
  return !ipg_is_owned(&m->surface, node) || ipg_is_tied(m, a->step.time1, node, face);
}

static void audit_body(ipg_audit *a, int32_t body) {
  const ipg_model *m = &a->contact->model;
  const double *x = a->step.x1;
  const ipg_box box = box_of_body(&m->surface, x, body);
  for (ipg_id node = 0; node < m->surface.node_count; ++node) {
    ipg_id face = -1;
    if (!is_in_box(&box, x + 3 * (int64_t)node) || has_contact(a->contact, node, body)) continue;
    if (!is_inside(m, x, node, body)) continue;
    const double depth = distance_to_body(&m->surface, x, node, body, &face);
    if (!(depth > 1e-10 * extent_of(&box)) || is_excused(a, node, face)) continue; /* on the surface, or excused */
    a->report->nodes_inside++;
    ipg_report_finding(a, "a node is inside a body without contact, nearest to a face", node, face);
  }
}

void ipg_audit_bodies(ipg_audit *a) {
  for (int32_t body = 0; body < a->contact->model.topology.body_count; ++body) audit_body(a, body);
}
