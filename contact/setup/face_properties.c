/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Frozen parameters of penalty contact: thickness of the material behind a face, stiffness, onset.
 *
 * Thickness: rays from a face into its body, to the first face that they leave it through, no farther than an edge is
 * long. So a plate bears all through its thickness, and the back of a plate is never taken for its front. Towards a
 * sharp edge a body becomes thinner and thinner: there the faces about count as they are behind the middle of the face.
 */
#include "setup/face_properties.h"

#include "impinge/search.h"
#include "model/sharp_edges.h"
#include "setup/face_borders.h"
#include "setup/find_bevels.h"
#include "support/box.h"
#include "support/thresholds.h"
#include "surface/face_geometry.h"

#include <string.h>

enum { RAYS = 4, GRAIN = 256 };

static ipg_status reserve_properties(ipg_model *m, ipg_error *error) {
  const ipg_allocator *a = &m->config.allocator;
  const int64_t nodes = m->surface.node_count, faces = ipg_face_count_with_edges(m);
  ipg_face_properties *p = &m->faces;
  ipg_status status = ipg_array_reserve(&p->thicknesses, a, faces, error);
  if (!status) status = ipg_array_reserve(&p->stiffnesses, a, faces, error);
  if (!status) status = ipg_array_reserve(&p->block_periods, a, m->topology.block_count, error);
  if (!status) status = ipg_array_reserve(&p->block_sizes, a, m->topology.block_count, error);
  if (!status) status = ipg_array_reserve(&p->block_stiffnesses, a, m->topology.block_count, error);
  if (!status) status = ipg_array_reserve(&p->block_face_counts, a, m->topology.block_count, error);
  if (!status) status = ipg_array_reserve(&p->sizes, a, faces, error);
  if (!status) status = ipg_array_reserve(&p->node_areas, a, nodes, error);
  if (!status) status = ipg_array_reserve(&p->node_stiffnesses, a, nodes, error);
  if (!status) status = ipg_array_reserve(&p->tie_rates, a, nodes, error);
  if (!status) status = ipg_array_reserve(&p->wall_node_stiffnesses, a, nodes, error);
  if (!status) status = ipg_array_reserve(&p->wall_face_stiffnesses, a, 3 * faces, error);
  if (!status) status = ipg_array_reserve(&p->reference, a, 3 * ipg_node_count_with_bevels(m), error);
  return status;
}

/* -------------------------------------------------------------------------------------------------------- thickness */

typedef struct ray {
  vec corner; /* of its face */
  vec from;   /* from the corner */
  vec along;  /* to its end */
} ray;

/* From the middle of the face and from near its corners. */
static ray ray_into_body(const ipg_model *m, const double *x, ipg_id face, int number) {
  const ipg_id *corner = ipg_face_corners(&m->surface, face);
  double perimeter = 0;
  vec from = {0, 0, 0};
  for (int k = 0; k < 3; ++k) {
    const double weight = !number ? 1. / 3 : k == number - 1 ? 0.8 : 0.1;
    from = vec_add(from, vec_scale(weight, vec_sub(vec_at(x, corner[k]), vec_at(x, corner[0]))));
    perimeter += vec_length(vec_sub(vec_at(x, corner[(k + 1) % 3]), vec_at(x, corner[k])));
  }
  return (ray){vec_at(x, corner[0]), from, vec_scale(-perimeter / 3, ipg_face_normal(&m->surface, x, face))};
}

static bool share_node(const ipg_surface *s, ipg_id face, ipg_id other) {
  const ipg_id *corner = ipg_face_corners(s, other);
  return ipg_is_corner(s, face, corner[0]) || ipg_is_corner(s, face, corner[1]) || ipg_is_corner(s, face, corner[2]);
}

/* How much of the ray is in front of the plane that looks the same way; more than 1: all of it, or the plane looks
 * back. */
static double part_up_to_plane(const ray *r, vec corner, vec area2) {
  const double through = vec_dot(area2, r->along);
  return through > 0 ? vec_dot(area2, vec_sub(vec_sub(corner, r->corner), r->from)) / through : INFINITY;
}

/* The part of the ray up to where it leaves its body through the face; 1: nowhere. */
static double part_up_to(const ipg_model *m, const double *x, const ray *r, ipg_id face) {
  const ipg_id *corner = ipg_face_corners(&m->surface, face);
  const vec a = vec_at(x, corner[0]), ab = vec_sub(vec_at(x, corner[1]), a), ac = vec_sub(vec_at(x, corner[2]), a);
  const vec area2 = vec_cross(ab, ac);
  const double part = part_up_to_plane(r, a, area2);
  if (!(part > 0 && part < 1)) return 1;
  const vec at = vec_sub(vec_add(r->from, vec_scale(part, r->along)), vec_sub(a, r->corner)); /* from a */
  const double area4 = vec_dot(area2, area2);
  const double b = vec_dot(vec_cross(at, ac), area2), c = vec_dot(vec_cross(ab, at), area2);
  return b >= 0 && c >= 0 && b + c <= area4 ? part : 1;
}

/* The part of the ray that is in the tetrahedron of its face, less rounding. A face that it meets there is of another
 * layer of the body, which touches this one or starts inside it: in a slit, or a flange that lies on itself. Where the
 * fourth node is inside the body it is not known, but tetrahedra are not flatter than this. */
static double part_in_element(const ipg_model *m, const double *x, const ray *r, ipg_id face) {
  const ipg_id *corner = ipg_face_corners(&m->surface, face), apex = m->surface.face_opposites[face];
  double part = INFINITY;
  if (apex < 0) return IPG_FLATTEST_ELEMENT;
  for (int k = 0; k < 3; ++k) {
    const vec a = vec_at(x, corner[(k + 1) % 3]), b = vec_at(x, corner[k]);
    part = smaller(part, part_up_to_plane(r, a, ipg_triangle_area_vector(a, b, vec_at(x, apex))));
  }
  return (1 - IPG_SAME_POSITION) * part;
}

static void box_faces_and_rays(const ipg_model *m, const double *x, ipg_box *boxes, ipg_box *rays) {
  for (ipg_id f = 0; f < m->surface.face_count; ++f) {
    const ipg_id *corner = ipg_face_corners(&m->surface, f);
    boxes[f] = ipg_empty_box(), rays[f] = ipg_empty_box();
    for (int k = 0; k < 3; ++k) ipg_box_include_point(&boxes[f], x + 3 * (int64_t)corner[k]);
    for (int number = 0; number < RAYS; ++number) {
      const ray r = ray_into_body(m, x, f, number);
      double ends[2][3];
      const vec from = vec_add(r.corner, r.from);
      vec_store(ends[0], from), vec_store(ends[1], vec_add(from, r.along));
      ipg_box_include_point(&rays[f], ends[0]), ipg_box_include_point(&rays[f], ends[1]);
    }
  }
}

/* pairs: (face whose rays, face that they may hit). */
static void measure_thickness(ipg_model *m, const double *x, const ipg_pair *pairs, int64_t count) {
  double *thicknesses = m->faces.thicknesses.at;
  for (ipg_id f = 0; f < m->surface.face_count; ++f)
    thicknesses[f] = m->faces.sizes.at[f] = vec_length(ray_into_body(m, x, f, 0).along);
  for (int64_t i = 0; i < count; ++i) {
    const ipg_id face = pairs[i].a, other = pairs[i].b;
    if (m->surface.face_bodies[face] != m->surface.face_bodies[other] || face == other) continue;
    const int rays = share_node(&m->surface, face, other) ? 1 : RAYS;
    for (int number = 0; number < rays; ++number) {
      const ray r = ray_into_body(m, x, face, number);
      const double part = part_up_to(m, x, &r, other);
      if (part > part_in_element(m, x, &r, face))
        thicknesses[face] = smaller(thicknesses[face], part * vec_length(r.along));
    }
  }
  for (ipg_id f = 0; f < m->surface.face_count; ++f) thicknesses[f] *= IPG_REACH_OF_THICKNESS;
}

static ipg_status find_thicknesses(ipg_model *m, const double *x, ipg_error *error) {
  const ipg_allocator *a = &m->config.allocator;
  const int64_t faces = m->surface.face_count;
  IPG_ARRAY(ipg_box) boxes = {0};
  ipg_search *search = NULL;
  const ipg_pair *pairs = NULL;
  int64_t count = 0;
  ipg_search_config config = ipg_search_defaults();
  config.method = m->config.search_method, config.allocator = *a, config.tasks = m->config.tasks;
  ipg_status status = ipg_array_reserve(&boxes, a, 2 * faces, error);
  if (!status) box_faces_and_rays(m, x, boxes.at, boxes.at + faces);
  if (!status) status = ipg_search_create(&config, &search, error);
  if (!status) status = ipg_search_set_boxes(search, boxes.at, faces, NULL, error);
  if (!status) status = ipg_search_query_array(search, boxes.at + faces, faces, NULL, &pairs, &count, error);
  if (!status) measure_thickness(m, x, pairs, count);
  ipg_search_destroy(&search);
  ipg_array_destroy(&boxes, a);
  return status;
}

/* -------------------------------------------------------------------------------------------------------- stiffness */

static void find_areas(ipg_model *m, const double *x) {
  double *areas = m->faces.node_areas.at;
  for (int64_t i = 0; i < m->surface.node_count; ++i) areas[i] = 0;
  for (ipg_id f = 0; f < m->surface.face_count; ++f)
    for (int k = 0; k < 3; ++k)
      areas[ipg_face_corners(&m->surface, f)[k]] += vec_length(ipg_face_area_vector(&m->surface, x, f)) / 6;
}

static double mass_per_area(const ipg_model *m, ipg_id face) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const ipg_id node = ipg_face_corners(&m->surface, face)[k];
    sum += m->surface.node_masses[node] / m->faces.node_areas.at[node] / 3;
  }
  return sum;
}

/* Per area: what the host code knows of the material, or the mass of the face's corners over the square of the
 * reference step. */
static double stiffness_of_face(const ipg_model *m, ipg_id face) {
  const double step = m->config.reference_step;
  return m->surface.face_stiffnesses ? m->surface.face_stiffnesses[face] : mass_per_area(m, face) / (step * step);
}

/* A node has the stiffest of its faces. */
static ipg_status find_stiffnesses(ipg_model *m, ipg_error *error) {
  double *of_nodes = m->faces.node_stiffnesses.at, *of_faces = m->faces.stiffnesses.at;
  if (!m->surface.face_stiffnesses && m->surface.face_count && !ipg_is_within_numbers(m->config.reference_step))
    return ipg_fail(error, IPG_ERROR_ARGUMENT,
                    "the stiffness of contact is not known: give the surface its face_stiffnesses, or the settings a "
                    "reference_step, such as the first time step");
  for (int64_t i = 0; i < m->surface.node_count; ++i) of_nodes[i] = 0;
  for (ipg_id f = 0; f < m->surface.face_count; ++f) {
    of_faces[f] = m->config.penalty_scale * stiffness_of_face(m, f);
    m->faces.stiffest = larger(m->faces.stiffest, of_faces[f]);
    for (int k = 0; k < 3; ++k) {
      double *of_node = &of_nodes[ipg_face_corners(&m->surface, f)[k]];
      *of_node = larger(*of_node, of_faces[f]);
    }
  }
  return IPG_OK;
}

/* ---------------------------------------------------------------------------------------------------------- bevels */

/* Strips of an edge count twice, by their halves, at either end. */
static void count_strips(const ipg_model *m, int32_t *counts) {
  for (int64_t i = 0; i < m->surface.node_count; ++i) counts[i] = 0;
  for (int64_t i = 0; i < m->bevels.face_count; ++i)
    for (int k = 0; k < 2 && m->bevels.parts.at[i] != IPG_BEVEL_OF_CORNER; ++k) ++counts[m->bevels.keys.at[4 * i + k]];
}

/* Whether the bevel ends at the side from corner k to the next one: neither on the diagonal of a strip nor where the
 * strip of the next edge goes on. */
static bool ends_at_side(const ipg_bevel_point p[3], int k, const int32_t *strips) {
  const ipg_bevel_point *a = &p[k], *b = &p[(k + 1) % 3];
  return a->toward == b->toward || (a->node == b->node && strips[a->node] <= 2);
}

/* The surface turns away at the sides of a bevel. */
static ipg_face_shape shape_of_bevel(const ipg_bevel_point points[3], const int32_t *strips) {
  ipg_face_shape shape = {.point_count = 3};
  for (uint8_t k = 0; k < 3; ++k)
    if (ends_at_side(points, k, strips))
      shape.borders[shape.border_count++] = (ipg_face_border){k, {k, (uint8_t)((k + 1) % 3)}};
  return shape;
}

/* They are as stiff as the face they are named for. What they stand for is part of their nodes' areas. */
static ipg_status set_properties_of_bevels(ipg_model *m, ipg_error *error) {
  ipg_face_properties *p = &m->faces;
  const ipg_allocator *a = &m->config.allocator;
  IPG_ARRAY(int32_t) strips = {0};
  if (!m->bevels.face_count) return IPG_OK;
  const ipg_status status = ipg_array_reserve(&strips, a, m->surface.node_count, error);
  if (status) return status;
  count_strips(m, strips.at);
  for (int64_t i = 0; i < m->bevels.face_count; ++i) {
    const int64_t face = m->surface.face_count + i, like = m->bevels.faces.at[i];
    p->stiffnesses.at[face] = p->stiffnesses.at[like], p->sizes.at[face] = p->sizes.at[like];
    p->thicknesses.at[face] = IPG_REACH_OF_THICKNESS * smaller(m->bevels.depths.at[i], p->sizes.at[like]);
    p->shapes.at[face] = shape_of_bevel(m->bevels.points.at + 3 * i, strips.at);
    p->border_node_starts.at[face + 1] = p->border_node_starts.at[face];
    for (int k = 0; k < 3; ++k) p->node_areas.at[m->bevels.points.at[3 * i + k].node] += m->bevels.areas.at[i] / 3;
  }
  ipg_array_destroy(&strips, a);
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------------------ sharp edges */

static ipg_status set_properties_of_edges(ipg_model *m, ipg_error *error) {
  ipg_face_properties *p = &m->faces;
  const int64_t first = ipg_first_sharp_edge(m), old = p->border_node_starts.at[first];
  const ipg_status status =
      ipg_array_grow(&p->border_nodes, &m->config.allocator, old, old + 2 * m->sharp_edges.count, error);
  for (int64_t i = 0; i < m->sharp_edges.count && !status; ++i) {
    const ipg_sharp_edge *e = &m->sharp_edges.edges.at[i];
    const int64_t face = first + i;
    p->stiffnesses.at[face] = p->stiffnesses.at[e->face], p->sizes.at[face] = p->sizes.at[e->face];
    p->thicknesses.at[face] = IPG_REACH_OF_THICKNESS * e->depth;
    p->shapes.at[face] = (ipg_face_shape){.point_count = 5};
    p->border_node_starts.at[face + 1] = p->border_node_starts.at[face] + 2;
    for (int k = 0; k < 2; ++k) p->border_nodes.at[old + 2 * i + k] = m->sharp_edges.nodes.at[4 * i + 2 + k];
  }
  return status;
}

/* ----------------------------------------------------------------------------------------------- stiffness at walls */

/* The stiffness that a face gives each of its corners if it lies on a wall. */
static double stiffness_at_corners(const ipg_model *m, const double *x, ipg_id face) {
  return m->faces.stiffnesses.at[face] * vec_length(ipg_face_area_vector(&m->surface, x, face)) / 6;
}

/* Of the side of a node that a face belongs to; 0: the face has no normal. */
static double stiffness_of_side(const ipg_model *m, const double *x, ipg_id node, ipg_id face) {
  const ipg_id_range faces = ipg_faces_of_node(&m->topology, node);
  const vec normal = ipg_face_normal(&m->surface, x, face);
  double sum = 0;
  for (const ipg_id *other = faces.begin; other < faces.end; ++other)
    if (vec_dot(normal, ipg_face_normal(&m->surface, x, *other)) > IPG_BORDER_COSINE)
      sum += stiffness_at_corners(m, x, *other);
  return sum;
}

/* K and R of enforce/wall_contact.h. First the sides of each corner of each face, and the least of each node. */
static void find_wall_stiffnesses(ipg_model *m, const double *x) {
  double *of_nodes = m->faces.wall_node_stiffnesses.at, *of_faces = m->faces.wall_face_stiffnesses.at;
  for (int64_t i = 0; i < m->surface.node_count; ++i) of_nodes[i] = INFINITY;
  for (int64_t i = 0; i < 3 * m->surface.face_count; ++i) {
    double *of_node = &of_nodes[m->surface.faces[i]];
    of_faces[i] = stiffness_of_side(m, x, m->surface.faces[i], (ipg_id)(i / 3));
    if (of_faces[i] > 0) *of_node = smaller(*of_node, of_faces[i]);
  }
  for (int64_t i = 0; i < m->surface.node_count; ++i) of_nodes[i] = isfinite(of_nodes[i]) ? of_nodes[i] / 2 : 0;
  for (int64_t i = 0; i < 3 * m->surface.face_count; ++i) {
    const double part_of_node = of_faces[i] > 0 ? of_nodes[m->surface.faces[i]] / of_faces[i] : 1;
    of_faces[i] = (1 - part_of_node) * stiffness_at_corners(m, x, (ipg_id)(i / 3));
  }
}

/* Means over the faces of each block: the pressure sets in alike all over a surface, whatever its mesh. */
static void find_means_of_blocks(ipg_model *m) {
  ipg_face_properties *p = &m->faces;
  double *periods = p->block_periods.at, *sizes = p->block_sizes.at, *softest = p->block_stiffnesses.at;
  int64_t *counts = p->block_face_counts.at;
  for (int32_t b = 0; b < m->topology.block_count; ++b) periods[b] = sizes[b] = 0, softest[b] = INFINITY, counts[b] = 0;
  for (ipg_id f = 0; f < m->surface.face_count; ++f) {
    const int32_t b = m->surface.face_blocks ? m->surface.face_blocks[f] : 0;
    periods[b] += sqrt(mass_per_area(m, f) / p->stiffnesses.at[f]), sizes[b] += p->sizes.at[f];
    softest[b] = smaller(softest[b], p->stiffnesses.at[f]);
    ++counts[b];
  }
  for (int32_t b = 0; b < m->topology.block_count; ++b)
    if (counts[b]) periods[b] /= (double)counts[b], sizes[b] /= (double)counts[b];
}

static ipg_status take_reference_velocities(ipg_model *m, ipg_error *error) {
  const int64_t count = m->config.reference_velocity_count;
  if (count && (count < m->topology.block_count || !m->config.reference_velocities))
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "%lld reference velocities are given; the surface has %d blocks",
                    (long long)count, m->topology.block_count);
  for (int64_t i = 0; i < count; ++i)
    if (!ipg_is_position(m->config.reference_velocities + 3 * i))
      return ipg_fail(error, IPG_ERROR_NUMBER, "the reference velocity of block %lld is not finite, or beyond %g",
                      (long long)i, IPG_LARGEST);
  const ipg_status status = ipg_array_reserve(&m->faces.velocities, &m->config.allocator, 3 * count, error);
  if (!status && count)
    memcpy(m->faces.velocities.at, m->config.reference_velocities, 3 * (size_t)count * sizeof(double));
  m->config.reference_velocities = m->faces.velocities.at;
  return status;
}

ipg_status ipg_build_face_properties(ipg_model *m, const double *x, ipg_error *error) {
  if (!ipg_has_face_contact(m)) return IPG_OK;
  ipg_status status = ipg_find_bevels_and_edges(m, x, error);
  if (!status) status = reserve_properties(m, error);
  if (status) return status;
  for (int64_t i = 0; i < m->surface.node_count; ++i) m->faces.tie_rates.at[i] = 0;
  if (m->surface.node_count) memcpy(m->faces.reference.at, x, 3 * (size_t)m->surface.node_count * sizeof *x);
  ipg_set_bevel_points(m, m->faces.reference.at);
  find_areas(m, x);
  status = ipg_find_face_borders(m, x, error);
  if (!status) status = find_thicknesses(m, x, error);
  if (!status) status = find_stiffnesses(m, error);
  if (!status && m->config.wall_count) find_wall_stiffnesses(m, x);
  if (!status) find_means_of_blocks(m);
  if (!status) status = set_properties_of_bevels(m, error);
  if (!status) status = set_properties_of_edges(m, error);
  if (!status) status = take_reference_velocities(m, error);
  return status;
}
