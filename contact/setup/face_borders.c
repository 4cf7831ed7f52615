/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* An edge is sharp where the surface turns by more than IPG_BORDER_COSINE tells, and a border if it turns away from
 * outside. The faces round a node fall into smooth sectors between sharp edges. A face has the borders of its sector at
 * each of its corners: so it knows all that it touches, be it with a corner only. */
#include "setup/face_borders.h"

#include "model/sharp_edges.h"
#include "surface/face_geometry.h"

#include <string.h>

/* See ipg_face_border. */
typedef struct border {
  ipg_id owner; /* the face that has it as an edge, or one of its two ends */
  ipg_id origin, ends[2];
} border;

static int corner_number(const ipg_id *corners, ipg_id node) {
  return corners[0] == node ? 0 : corners[1] == node ? 1 : 2;
}

/* How far the surface turns from one face about its edge through the material to the other one: rises with the angle,
 * from 0 to 4. */
static double turn_through_material(const ipg_model *m, const double *x, ipg_id face, ipg_id other, ipg_id from,
                                    ipg_id to) {
  const vec along = vec_unit(vec_sub(vec_at(x, to), vec_at(x, from)));
  const vec normal = ipg_face_normal(&m->surface, x, face), inward = vec_cross(normal, along);
  const vec there = vec_cross(along, ipg_face_normal(&m->surface, x, other)); /* the edge runs the other way */
  const double cosine = vec_dot(inward, there);
  return vec_dot(normal, there) <= 0 ? 1 - cosine : 3 + cosine;
}

/* The face that has the edge from `to` to `from`; -1: there is none. Where deleted elements leave four faces at an
 * edge, that with the same material behind it: the other two belong to what only touches there. */
static ipg_id face_across(const ipg_model *m, const double *x, ipg_id face, ipg_id from, ipg_id to) {
  const ipg_id_range faces = ipg_faces_of_node(&m->topology, from);
  ipg_id found = -1;
  for (const ipg_id *other = faces.begin; other < faces.end; ++other) {
    const ipg_id *corner = ipg_face_corners(&m->surface, *other);
    const int k = corner_number(corner, to);
    if (corner[k] != to || corner[(k + 1) % 3] != from) continue;
    if (found < 0 ||
        turn_through_material(m, x, face, *other, from, to) < turn_through_material(m, x, face, found, from, to))
      found = *other;
  }
  return found;
}

static bool is_sharp(const ipg_model *m, const double *x, ipg_id face, ipg_id other) {
  return vec_dot(ipg_face_normal(&m->surface, x, face), ipg_face_normal(&m->surface, x, other)) < IPG_BORDER_COSINE;
}

static bool turns_away(const ipg_model *m, const double *x, ipg_id face, ipg_id end, ipg_id beyond) {
  return vec_dot(ipg_face_normal(&m->surface, x, face), vec_sub(vec_at(x, beyond), vec_at(x, end))) < 0;
}

/* Round `node` from face to face, across the edges that start there or those that end there, up to a sharp edge. False:
 * there is none, or it is no border; where more than two faces share an edge the way may not come back to its start. */
static bool find_border(const ipg_model *m, const double *x, ipg_id face, ipg_id node, bool ends_there, border *found) {
  const ipg_id_range faces = ipg_faces_of_node(&m->topology, node);
  ipg_id at = face;
  for (int64_t i = 0; i < faces.end - faces.begin; ++i) {
    const ipg_id *corner = ipg_face_corners(&m->surface, at);
    const int k = (corner_number(corner, node) + (ends_there ? 2 : 0)) % 3;
    const ipg_id from = corner[k], to = corner[(k + 1) % 3], other = face_across(m, x, at, from, to);
    if (other < 0) return false;
    const ipg_id *across = ipg_face_corners(&m->surface, other);
    const ipg_id beyond = across[(corner_number(across, from) + 1) % 3]; /* it goes from `to` to `from`, then there */
    *found = (border){at, from, {from, to}};
    if (is_sharp(m, x, at, other)) return turns_away(m, x, at, from, beyond);
    at = other;
    if (at == face) return false;
  }
  return false;
}

/* The face lies on the inner side of a border that it only touches. */
static bool is_behind(const ipg_model *m, const double *x, ipg_id face, const border *b) {
  const ipg_id *corner = ipg_face_corners(&m->surface, face);
  const vec origin = vec_at(x, b->origin), along = vec_sub(vec_at(x, b->ends[1]), vec_at(x, b->ends[0]));
  const vec inward = vec_cross(ipg_face_normal(&m->surface, x, b->owner), along);
  for (int k = 0; k < 3; ++k) {
    const vec to = vec_sub(vec_at(x, corner[k]), origin);
    if (vec_dot(inward, to) < -IPG_DEPTH_ROUNDING * vec_length(to) * vec_length(inward)) return false;
  }
  return true;
}

static uint8_t number_of_point(ipg_face_shape *shape, ipg_id *points, ipg_id node) {
  uint8_t i = 0;
  while (i < shape->point_count && points[i] != node) ++i;
  if (i == shape->point_count) points[shape->point_count++] = node;
  return i;
}

static void add_border(ipg_face_shape *shape, ipg_id *points, const border *b) {
  const ipg_face_border new = {
      number_of_point(shape, points, b->origin),
      {number_of_point(shape, points, b->ends[0]), number_of_point(shape, points, b->ends[1])}};
  for (int i = 0; i < shape->border_count; ++i)
    if (!memcmp(&shape->borders[i], &new, sizeof new)) return;
  shape->borders[shape->border_count++] = new;
}

/* One border comes to the node and the other one leaves it, in about the same direction. */
static bool is_straight(const double *x, const border *to, const border *from) {
  const vec a = vec_sub(vec_at(x, to->ends[1]), vec_at(x, to->ends[0]));
  const vec b = vec_sub(vec_at(x, from->ends[1]), vec_at(x, from->ends[0]));
  return vec_dot(a, b) > IPG_BORDER_COSINE * vec_length(a) * vec_length(b);
}

/* Those of the sector about a corner: where the border goes straight on there it is one line, for two would be the same
 * but for rounding. An edge of the face is the better one. */
static int borders_at_corner(const ipg_model *m, const double *x, ipg_id face, ipg_id corner, border found[2]) {
  int count = 0;
  for (int ends_there = 1; ends_there >= 0; --ends_there)
    count += find_border(m, x, face, corner, ends_there, &found[count]);
  if (count < 2 || !is_straight(x, &found[0], &found[1])) return count;
  if (found[1].owner == face) found[0] = found[1];
  else if (found[0].owner != face) found[0] = (border){found[0].owner, corner, {found[0].ends[0], found[1].ends[1]}};
  return 1;
}

static ipg_face_shape shape_of_face(const ipg_model *m, const double *x, ipg_id face, ipg_id points[IPG_FACE_POINTS]) {
  const ipg_id *corner = ipg_face_corners(&m->surface, face);
  ipg_face_shape shape = {.point_count = 3};
  border found[2];
  for (int k = 0; k < 3; ++k) points[k] = corner[k];
  for (int k = 0; k < 3; ++k) {
    const int count = borders_at_corner(m, x, face, corner[k], found);
    for (int i = 0; i < count; ++i)
      if (found[i].owner == face || is_behind(m, x, face, &found[i])) add_border(&shape, points, &found[i]);
  }
  return shape;
}

/* First how many, then which. */
ipg_status ipg_find_face_borders(ipg_model *m, const double *x, ipg_error *error) {
  const ipg_allocator *a = &m->config.allocator;
  const ipg_id faces = (ipg_id)m->surface.face_count;
  ipg_face_properties *p = &m->faces;
  ipg_id points[IPG_FACE_POINTS];
  const int64_t all = ipg_face_count_with_edges(m);
  ipg_status status = ipg_array_reserve(&p->shapes, a, all, error);
  if (!status) status = ipg_array_reserve(&p->border_node_starts, a, all + 1, error);
  if (status) return status;
  p->border_node_starts.at[0] = 0;
  for (ipg_id f = 0; f < faces; ++f) {
    p->shapes.at[f] = shape_of_face(m, x, f, points);
    p->border_node_starts.at[f + 1] = p->border_node_starts.at[f] + p->shapes.at[f].point_count - 3;
  }
  status = ipg_array_reserve(&p->border_nodes, a, p->border_node_starts.at[faces], error);
  for (ipg_id f = 0; f < faces && !status; ++f) {
    const ipg_face_shape shape = shape_of_face(m, x, f, points);
    for (int k = 3; k < shape.point_count; ++k) p->border_nodes.at[p->border_node_starts.at[f] + k - 3] = points[k];
  }
  return status;
}
