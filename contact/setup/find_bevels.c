/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A corner or an edge has an axis, which points out of the body. It is too sharp if all of its faces turn away from the
 * axis by more than IPG_BEVEL_COSINE tells, and the edges of a corner come along it: whatever it touches straight ahead
 * they hardly look at. The bevel lies
 * across the axis, IPG_BEVEL_DEPTH of the way down to the nearest of the nodes around: always inside the body. That of
 * a corner is a triangle, that of an edge a strip of two. */
#include "setup/find_bevels.h"

#include "model/sharp_edges.h"
#include "setup/find_edges.h"
#include "surface/face_geometry.h"

typedef struct bevel {
  ipg_id face; /* one of those at the corner or edge */
  int part;    /* see ipg_bevels */
  ipg_id nodes[4];
  ipg_bevel_point points[3]; /* counter-clockwise, seen from outside */
  double own_area, area, depth;
} bevel;

static ipg_status add_bevel(ipg_model *m, const bevel *new, ipg_error *error) {
  const ipg_allocator *a = &m->config.allocator;
  ipg_bevels *b = &m->bevels;
  const int64_t i = b->face_count;
  ipg_status status = ipg_array_grow(&b->points, a, 3 * i, 3 * (i + 1), error);
  if (!status) status = ipg_array_grow(&b->faces, a, i, i + 1, error);
  if (!status) status = ipg_array_grow(&b->parts, a, i, i + 1, error);
  if (!status) status = ipg_array_grow(&b->keys, a, 4 * i, 4 * (i + 1), error);
  if (!status) status = ipg_array_grow(&b->own_areas, a, i, i + 1, error);
  if (!status) status = ipg_array_grow(&b->areas, a, i, i + 1, error);
  if (!status) status = ipg_array_grow(&b->depths, a, i, i + 1, error);
  if (status) return status;
  for (int k = 0; k < 3; ++k) b->points.at[3 * i + k] = new->points[k];
  for (int k = 0; k < 4; ++k) b->keys.at[4 * i + k] = new->nodes[k];
  b->faces.at[i] = new->face, b->parts.at[i] = (uint8_t) new->part, b->own_areas.at[i] = new->own_area;
  b->areas.at[i] = new->area, b->depths.at[i] = new->depth;
  b->face_count = i + 1;
  return IPG_OK;
}

/* ---------------------------------------------------------------------------------------------------------- corners */

static ipg_id next_corner(const ipg_model *m, ipg_id face, ipg_id node) {
  const ipg_id *corner = ipg_face_corners(&m->surface, face);
  return corner[corner[0] == node ? 1 : corner[1] == node ? 2 : 0];
}

/* From a node around the corner to the corner. */
static vec way_to_corner(const ipg_model *m, const double *x, ipg_id face, ipg_id node) {
  return vec_sub(vec_at(x, node), vec_at(x, next_corner(m, face, node)));
}

/* The mean direction of the edges that come to the node. */
static vec axis_of_corner(const ipg_model *m, const double *x, ipg_id node) {
  const ipg_id_range faces = ipg_faces_of_node(&m->topology, node);
  vec sum = {0, 0, 0};
  for (const ipg_id *face = faces.begin; face < faces.end; ++face)
    sum = vec_add(sum, vec_unit(way_to_corner(m, x, *face, node)));
  return vec_unit(sum);
}

/* The least height of the corner over the nodes around; 0: the corner is not sharp, or on a ridge. Sets what the axis
 * sees of a third of its faces. */
static double height_of_corner(const ipg_model *m, const double *x, ipg_id node, vec axis, double *area) {
  const ipg_id_range faces = ipg_faces_of_node(&m->topology, node);
  double least = INFINITY;
  *area = 0;
  for (const ipg_id *face = faces.begin; face < faces.end; ++face) {
    const vec area2 = ipg_face_area_vector(&m->surface, x, *face);
    const double seen = vec_dot(area2, axis);
    const vec way = way_to_corner(m, x, *face, node);
    const double height = vec_dot(way, axis);
    if (!(seen < IPG_BEVEL_COSINE * vec_length(area2) && height > IPG_BEVEL_COSINE * vec_length(way))) return 0;
    least = smaller(least, height);
    *area += seen / 6;
  }
  return *area > 0 && isfinite(least) ? least : 0;
}

static ipg_bevel_point point_on_edge(const double *x, ipg_id node, ipg_id toward, vec axis, double depth) {
  return (ipg_bevel_point){node, toward, depth / vec_dot(vec_sub(vec_at(x, node), vec_at(x, toward)), axis)};
}

/* From the node of another one: near to it, so that nothing is rounded away far from the origin. */
static vec position_from(const double *x, const ipg_bevel_point *other, const ipg_bevel_point *p) {
  const vec node = vec_at(x, p->node), way = vec_sub(vec_at(x, p->toward), node);
  return vec_add(vec_sub(node, vec_at(x, other->node)), vec_scale(p->part, way));
}

/* What the axis sees of the triangle: all of it, for it lies across. */
static double area_along(const double *x, vec axis, const ipg_bevel_point p[3]) {
  return 0.5 * vec_dot(axis, ipg_triangle_area_vector(position_from(x, p, p), position_from(x, p, p + 1),
                                                      position_from(x, p, p + 2)));
}

static void turn_outward(const double *x, vec axis, ipg_bevel_point p[3]) {
  const ipg_bevel_point second = p[1];
  if (area_along(x, axis, p) < 0) p[1] = p[2], p[2] = second;
}

/* The largest triangle between three of the edges; its area, 0: there is none. */
static double choose_triangle(const ipg_model *m, const double *x, ipg_id node, vec axis, double depth, bevel *new) {
  const ipg_id_range faces = ipg_faces_of_node(&m->topology, node);
  double most = 0;
  for (const ipg_id *i = faces.begin; i < faces.end; ++i)
    for (const ipg_id *j = i + 1; j < faces.end; ++j)
      for (const ipg_id *k = j + 1; k < faces.end; ++k) {
        const ipg_id around[3] = {next_corner(m, *i, node), next_corner(m, *j, node), next_corner(m, *k, node)};
        ipg_bevel_point p[3];
        for (int n = 0; n < 3; ++n) p[n] = point_on_edge(x, node, around[n], axis, depth);
        const double area = fabs(area_along(x, axis, p));
        if (!(area > most)) continue;
        most = area;
        new->nodes[0] = node;
        for (int n = 0; n < 3; ++n) new->points[n] = p[n], new->nodes[n + 1] = around[n];
      }
  return most;
}

static ipg_status add_bevel_of_corner(ipg_model *m, const double *x, ipg_id node, ipg_error *error) {
  const ipg_id_range faces = ipg_faces_of_node(&m->topology, node);
  bevel new = {0};
  if (faces.end - faces.begin < 3) return IPG_OK;
  const vec axis = axis_of_corner(m, x, node);
  const double height = height_of_corner(m, x, node, axis, &new.area);
  if (!(height > 0)) return IPG_OK;
  if (!(choose_triangle(m, x, node, axis, IPG_BEVEL_DEPTH * height, &new) > 0)) return IPG_OK;
  new.face = *faces.begin, new.depth = height, new.part = IPG_BEVEL_OF_CORNER;
  turn_outward(x, axis, new.points);
  new.own_area = area_along(x, axis, new.points);
  return add_bevel(m, &new, error);
}

/* ------------------------------------------------------------------------------------------------------------ edges */

static ipg_status add_bevel_of_edge(ipg_model *m, const double *x, const ipg_convex_edge *e, ipg_error *error) {
  const ipg_id *nodes = e->nodes;
  const double height = smaller(e->heights[0], e->heights[1]), depth = IPG_BEVEL_DEPTH * height;
  const ipg_bevel_point corners[4] = {
      point_on_edge(x, nodes[0], nodes[2], e->axis, depth), point_on_edge(x, nodes[1], nodes[2], e->axis, depth),
      point_on_edge(x, nodes[1], nodes[3], e->axis, depth), point_on_edge(x, nodes[0], nodes[3], e->axis, depth)};
  ipg_status status = IPG_OK;
  for (int half = 0; half < 2 && !status; ++half) {
    bevel new = {.face = e->face,
                 .part = 2 * e->side + half,
                 .nodes = {nodes[0], nodes[1], nodes[2], nodes[3]},
                 .points = {corners[0], corners[1 + half], corners[2 + half]},
                 .area = e->seen,
                 .depth = height};
    turn_outward(x, e->axis, new.points);
    new.own_area = area_along(x, e->axis, new.points);
    if (new.own_area > 0) status = add_bevel(m, &new, error);
  }
  return status;
}

/* At the node, where it is the first of the ends. */
static ipg_status add_bevels_of_edges(ipg_model *m, const double *x, ipg_id node, ipg_error *error) {
  const ipg_id_range faces = ipg_faces_of_node(&m->topology, node);
  ipg_status status = IPG_OK;
  ipg_convex_edge e;
  for (const ipg_id *face = faces.begin; face < faces.end && !status; ++face)
    if (ipg_find_convex_edge(m, x, *face, ipg_side_from(m, *face, node), &e) && e.cosine < IPG_BEVEL_COSINE)
      status = add_bevel_of_edge(m, x, &e, error);
  return status;
}

/* --------------------------------------------------------------------------------------------------- in the surface */

/* Makes room behind an array of the surface; absent arrays stay absent. */
#define EXTEND(name, per_item, count, all)                                                                             \
  do {                                                                                                                 \
    if (!s->name) break;                                                                                               \
    const ipg_status grown = ipg_array_grow(&to->name, a, (per_item) * (count), (per_item) * (all), error);            \
    if (grown) return grown;                                                                                           \
    s->name = to->name.at;                                                                                             \
  } while (0)

static ipg_status extend_surface(ipg_model *m, ipg_error *error) {
  const ipg_allocator *a = &m->config.allocator;
  ipg_surface *s = &m->surface;
  ipg_surface_storage *to = &m->surface_storage;
  const int64_t nodes = s->node_count, all_nodes = ipg_node_count_with_bevels(m);
  const int64_t faces = s->face_count, all_faces = ipg_face_count_with_edges(m);
  if (all_faces > INT32_MAX / 3 || all_nodes > INT32_MAX)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "the surface has %lld sharp corners and edges, too many",
                    (long long)(all_faces - faces));
  EXTEND(node_gids, 1, nodes, all_nodes);
  EXTEND(node_masses, 1, nodes, all_nodes);
  EXTEND(faces, 3, faces, all_faces);
  EXTEND(face_elements, 1, faces, all_faces);
  EXTEND(face_sides, 1, faces, all_faces);
  EXTEND(face_subs, 1, faces, all_faces);
  EXTEND(face_bodies, 1, faces, all_faces);
  EXTEND(face_blocks, 1, faces, all_faces);
  EXTEND(face_stiffnesses, 1, faces, all_faces);
  return IPG_OK;
}

/* What stands behind the faces is named like one of them. */
static void name_like(ipg_model *m, int64_t face, ipg_id like) {
  ipg_surface_storage *s = &m->surface_storage;
  s->face_elements.at[face] = s->face_elements.at[like], s->face_sides.at[face] = s->face_sides.at[like];
  s->face_bodies.at[face] = s->face_bodies.at[like];
  if (m->surface.face_subs) s->face_subs.at[face] = s->face_subs.at[like];
  if (m->surface.face_blocks) s->face_blocks.at[face] = s->face_blocks.at[like];
  if (m->surface.face_stiffnesses) s->face_stiffnesses.at[face] = s->face_stiffnesses.at[like];
}

/* Corners of bevels are named like their nodes. */
static void add_bevels_to_surface(ipg_model *m) {
  ipg_surface_storage *s = &m->surface_storage;
  const int64_t nodes = m->surface.node_count, faces = m->surface.face_count;
  for (int64_t i = 0; i < 3 * m->bevels.face_count; ++i) {
    const ipg_id at = m->bevels.points.at[i].node;
    s->faces.at[3 * faces + i] = (ipg_id)(nodes + i);
    s->node_gids.at[nodes + i] = s->node_gids.at[at], s->node_masses.at[nodes + i] = s->node_masses.at[at];
  }
  for (int64_t i = 0; i < m->bevels.face_count; ++i) name_like(m, faces + i, m->bevels.faces.at[i]);
}

static void add_edges_to_surface(ipg_model *m) {
  const int64_t first = ipg_first_sharp_edge(m);
  for (int64_t i = 0; i < m->sharp_edges.count; ++i) {
    const ipg_id *ends = m->sharp_edges.nodes.at + 4 * i;
    for (int k = 0; k < 3; ++k) m->surface_storage.faces.at[3 * (first + i) + k] = ends[k > 0];
    name_like(m, first + i, m->sharp_edges.edges.at[i].face);
  }
}

ipg_status ipg_find_bevels_and_edges(ipg_model *m, const double *x, ipg_error *error) {
  ipg_status status = IPG_OK;
  m->bevels.face_count = 0;
  for (int64_t node = 0; node < m->surface.node_count && !status; ++node)
    status = add_bevel_of_corner(m, x, (ipg_id)node, error);
  m->bevels.corner_count = m->bevels.face_count;
  for (int64_t node = 0; node < m->surface.node_count && !status; ++node)
    status = add_bevels_of_edges(m, x, (ipg_id)node, error);
  if (!status) status = ipg_find_sharp_edges(m, x, error);
  if (!status) status = extend_surface(m, error);
  if (status) return status;
  add_bevels_to_surface(m);
  add_edges_to_surface(m);
  return IPG_OK;
}
