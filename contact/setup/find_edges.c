/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "setup/find_edges.h"

#include "surface/face_geometry.h"

#include <string.h>

/* The only other face at the edge; -1: there is none, or more than one. */
static ipg_id face_across(const ipg_model *m, ipg_id a, ipg_id b, ipg_id *beyond) {
  const ipg_id_range faces = ipg_faces_of_node(&m->topology, a);
  ipg_id found = -1;
  for (const ipg_id *face = faces.begin; face < faces.end; ++face) {
    const ipg_id *corner = ipg_face_corners(&m->surface, *face);
    for (int k = 0; k < 3; ++k) {
      if (corner[k] != b || corner[(k + 1) % 3] != a) continue;
      if (found >= 0) return -1;
      found = *face, *beyond = corner[(k + 2) % 3];
    }
  }
  return found;
}

bool ipg_find_convex_edge(const ipg_model *m, const double *x, ipg_id face, int side, ipg_convex_edge *e) {
  const ipg_id *corner = ipg_face_corners(&m->surface, face);
  const ipg_id a = corner[side], b = corner[(side + 1) % 3];
  if (a > b) return false;
  *e = (ipg_convex_edge){.face = face, .side = side, .nodes = {a, b, corner[(side + 2) % 3], -1}};
  e->other = face_across(m, a, b, &e->nodes[3]);
  if (e->other < 0) return false;
  const vec area = ipg_face_area_vector(&m->surface, x, face), other = ipg_face_area_vector(&m->surface, x, e->other);
  const vec sum = vec_add(vec_unit(area), vec_unit(other));
  e->axis = vec_unit(sum), e->cosine = 0.5 * vec_length(sum);
  for (int k = 0; k < 2; ++k) e->heights[k] = vec_dot(e->axis, vec_sub(vec_at(x, a), vec_at(x, e->nodes[2 + k])));
  e->seen = vec_dot(e->axis, vec_add(area, other)) / 6;
  return e->heights[0] > 0 && e->heights[1] > 0;
}

int ipg_side_from(const ipg_model *m, ipg_id face, ipg_id node) {
  const ipg_id *corner = ipg_face_corners(&m->surface, face);
  return corner[0] == node ? 0 : corner[1] == node ? 1 : 2;
}

/* Its turn, as a whole, is that of a border. */
static bool is_sharp(const ipg_convex_edge *e) { return 2 * e->cosine * e->cosine - 1 < IPG_BORDER_COSINE; }

/* ------------------------------------------------------------------------------------------------------ the ends */

static vec way_along(const double *x, ipg_id from, ipg_id to) { return vec_sub(vec_at(x, to), vec_at(x, from)); }

/* The length of the sharp edge that goes straight on from `node`, where the edge from `before` ends; 0: there is none.
 */
static double length_beyond(const ipg_model *m, const double *x, ipg_id before, ipg_id node) {
  const vec along = vec_unit(way_along(x, before, node));
  const ipg_id_range faces = ipg_faces_of_node(&m->topology, node);
  double straightest = IPG_BORDER_COSINE, length = 0;
  for (int64_t i = 0; i < 3 * (faces.end - faces.begin); ++i) {
    const ipg_id face = faces.begin[i / 3], *corner = ipg_face_corners(&m->surface, face);
    const int side = (int)(i % 3);
    const ipg_id from = corner[side], to = corner[(side + 1) % 3], next = from == node ? to : from;
    ipg_convex_edge e;
    if ((from != node && to != node) || next == before) continue;
    const vec way = way_along(x, node, next);
    const double cosine = vec_dot(along, vec_unit(way));
    if (!(cosine > straightest) || !ipg_find_convex_edge(m, x, face, side, &e) || !is_sharp(&e)) continue;
    straightest = cosine, length = vec_length(way);
  }
  return length;
}

/* Where the edge goes on, both rise about their node, so that they sum to 1. Else all of the rise is on the edge,
 * behind its first eighth: nearer to a corner coarse bodies that are apart can look as if their edges had crossed. */
static void set_ends(const ipg_model *m, const double *x, const ipg_convex_edge *e, ipg_sharp_edge *edge) {
  const double length = vec_length(way_along(x, e->nodes[0], e->nodes[1]));
  for (int end = 0; end < 2; ++end) {
    const double beyond = length_beyond(m, x, e->nodes[!end], e->nodes[end]);
    edge->widths[end] = beyond > 0 ? 0.5 * smaller(length, beyond) : 0.1875 * length;
    edge->starts[end] = beyond > 0 ? 0 : 0.3125 * length;
  }
}

static void set_heights(const double *x, const ipg_convex_edge *e, ipg_sharp_edge *edge) {
  const vec along = way_along(x, e->nodes[0], e->nodes[1]);
  for (int k = 0; k < 2; ++k)
    edge->heights[k] = vec_length(vec_cross(along, way_along(x, e->nodes[0], e->nodes[2 + k]))) / vec_length(along);
}

/* Of the body behind it, at most its length: deeper the nearest points would run along the edges fast. */
static double depth_of_edge(const double *x, const ipg_convex_edge *e) {
  const double length = vec_length(way_along(x, e->nodes[0], e->nodes[1]));
  return smaller(length, smaller(e->heights[0], e->heights[1]));
}

/* Behind the others that begin at the same node and end before. */
static int64_t place_of_edge(const ipg_sharp_edges *s, const ipg_convex_edge *e) {
  int64_t i = s->count;
  while (i > 0 && s->nodes.at[4 * (i - 1)] == e->nodes[0] && s->nodes.at[4 * (i - 1) + 1] > e->nodes[1]) --i;
  return i;
}

static ipg_status add_edge(ipg_model *m, const double *x, const ipg_convex_edge *e, ipg_error *error) {
  const ipg_allocator *a = &m->config.allocator;
  ipg_sharp_edges *s = &m->sharp_edges;
  const int64_t count = s->count, room = 2 * count + 64, i = place_of_edge(s, e);
  ipg_status status = IPG_OK;
  if (count == ipg_array_capacity(&s->edges)) status = ipg_array_grow(&s->edges, a, count, room, error);
  if (!status && 4 * count == ipg_array_capacity(&s->nodes))
    status = ipg_array_grow(&s->nodes, a, 4 * count, 4 * room, error);
  if (status) return status;
  memmove(s->edges.at + i + 1, s->edges.at + i, (size_t)(count - i) * sizeof *s->edges.at);
  memmove(s->nodes.at + 4 * (i + 1), s->nodes.at + 4 * i, 4 * (size_t)(count - i) * sizeof *s->nodes.at);
  s->edges.at[i] = (ipg_sharp_edge){.face = e->face, .area = e->seen, .depth = depth_of_edge(x, e)};
  set_heights(x, e, &s->edges.at[i]);
  set_ends(m, x, e, &s->edges.at[i]);
  for (int k = 0; k < 4; ++k) s->nodes.at[4 * i + k] = e->nodes[k];
  s->count = count + 1;
  return IPG_OK;
}

static ipg_status find_edges_of_node(ipg_model *m, const double *x, ipg_id node, ipg_error *error) {
  const ipg_id_range faces = ipg_faces_of_node(&m->topology, node);
  ipg_status status = IPG_OK;
  for (const ipg_id *face = faces.begin; face < faces.end && !status; ++face) {
    ipg_convex_edge e;
    if (ipg_find_convex_edge(m, x, *face, ipg_side_from(m, *face, node), &e) && is_sharp(&e))
      status = add_edge(m, x, &e, error);
  }
  return status;
}

/* In the order of their ends, the lower first. */
ipg_status ipg_find_sharp_edges(ipg_model *m, const double *x, ipg_error *error) {
  ipg_status status = IPG_OK;
  m->sharp_edges.count = 0;
  for (int64_t node = 0; node < m->surface.node_count && m->config.edges && !status; ++node)
    status = find_edges_of_node(m, x, (ipg_id)node, error);
  return status;
}
