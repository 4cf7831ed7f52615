/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The face that bears a node which has just entered a body, and how much of its penetration was there from the start.
 */
#include "detect/bearing_face.h"

#include "detect/tracking.h"

/* True if one of the node's own faces is turned towards a face with that normal. */
static bool faces_own_surface(const ipg_step *step, ipg_id node, vec normal) {
  const ipg_id_range faces = ipg_faces_of_node(&step->model->topology, node);
  for (const ipg_id *face = faces.begin; face < faces.end; ++face) {
    const vec own = ipg_face_area_vector(&step->model->surface, step->x1, *face);
    if (vec_dot(own, normal) < -IPG_FOLLOW_COSINE * vec_length(own)) return true;
  }
  return false;
}

/* Behind the face, by less than part of its size: no node is borne by a face on the far side. After a projection the
 * nodes that bear a body are on its underside, to either side of it by rounding. */
static bool is_a_little_behind(const ipg_step *step, const ipg_closest_point *q) {
  const double area2 = vec_length(ipg_face_area_vector(&step->model->surface, step->x1, q->face));
  const double least = ipg_is_kinematic(step->model) ? -IPG_STANDS_ON_FACE * sqrt(area2) : 0;
  return q->height > least && q->height * q->height < IPG_BEARING_DEPTH * IPG_BEARING_DEPTH * area2;
}

/* True if some contact of the node with a body other than `but` is as deep as that, along `normal`. After a projection
 * all are on the surface, but for rounding. */
static bool is_borne_elsewhere(const ipg_step *step, ipg_id node, int32_t but, vec normal, double deep) {
  const ipg_model *m = step->model;
  const ipg_contact_range all = ipg_contacts_of_kind(step->history, IPG_CONTACT_NODE_FACE);
  for (int64_t i = ipg_first_contact_of(&all, node); i < all.count && all.pairs[i].owner == node; ++i) {
    const double rounding =
        ipg_is_kinematic(m) ? IPG_STANDS_ON_FACE * ipg_face_size(&m->surface, step->x1, all.pairs[i].face) : 0;
    const double depth = larger(0, -(all.pairs[i].gap + all.pairs[i].history.initial_offset));
    if (all.pairs[i].touched != but && deep < IPG_FLUSH_DEPTH * depth + rounding &&
        vec_dot(vec_at(all.pairs[i].normal, 0), normal) > IPG_FLUSH_COSINE)
      return true;
  }
  return false;
}

/* True if another body bears the node, or the nodes of the face, from the same side, about as deep. Then the two lie
 * flush: what is sunk in one of them slides on over the next, and neither hooks at the other's end. */
static bool is_flush_with_neighbour(const ipg_step *step, ipg_id node, const ipg_closest_point *q) {
  const ipg_model *m = step->model;
  const ipg_id *corner = ipg_face_corners(&m->surface, q->face);
  const int32_t own = m->topology.node_bodies.at[node];
  bool is_flush = is_borne_elsewhere(step, node, m->surface.face_bodies[q->face], q->normal, q->height);
  for (int k = 0; k < 3; ++k)
    is_flush = is_flush || is_borne_elsewhere(step, corner[k], own, vec_scale(-1, q->normal), q->height);
  return is_flush;
}

/* The face that takes the contact of a node that has just entered: the entry face, unless it is not turned towards the
 * node's own surface, as the end of a block that slides over the node's floor. Then a neighbour that is turned towards
 * it and that the node is slightly behind, as the underside of the block: else the node would hook at the end it came
 * in by. A neighbour that is flush with another body which already bears the node always takes precedence. */
ipg_closest_point ipg_find_bearing_face(const ipg_step *step, ipg_closest_point entry, ipg_id node) {
  const ipg_model *m = step->model;
  const ipg_id *corner = ipg_face_corners(&m->surface, entry.face);
  if (!(entry.height > 0)) return entry;
  ipg_closest_point best = entry;
  bool is_best_flush = false;
  const bool faces_entry = faces_own_surface(step, node, entry.normal);
  for (int k = 0; k < 3; ++k) {
    const ipg_id_range faces = ipg_faces_of_node(&m->topology, corner[k]);
    for (const ipg_id *face = faces.begin; face < faces.end; ++face) {
      if (ipg_is_own_face(&m->surface, node, *face)) continue;
      const ipg_closest_point q = ipg_closest_point_at_end(step, node, *face);
      if (!is_a_little_behind(step, &q) || !faces_own_surface(step, node, q.normal)) continue;
      const bool is_flush = is_flush_with_neighbour(step, node, &q);
      if ((faces_entry && !is_flush) || (is_best_flush && !is_flush)) continue;
      if (best.face == entry.face || is_flush != is_best_flush || ipg_is_closer_or_deeper(&q, &best)) best = q;
      is_best_flush = is_flush;
    }
  }
  return best;
}

/* The deepest initial penetration that the node still has with the body. */
static double initial_penetration_of_node(const ipg_step *step, ipg_id node, int32_t body) {
  const ipg_contact_range all = ipg_contacts_of_kind(step->history, IPG_CONTACT_NODE_FACE);
  double deepest = 0;
  for (int64_t i = ipg_first_contact_of(&all, node); i < all.count && all.pairs[i].owner == node; ++i)
    if (all.pairs[i].touched == body) deepest = larger(deepest, all.pairs[i].history.initial_penetration);
  return deepest;
}

/* A node that enters beside an initial penetration penetrates as much from the start: that of the nodes around it, and
 * of those of the face it enters. */
double ipg_initial_penetration_around(const ipg_step *step, const ipg_contact_pair *contact) {
  const ipg_model *m = step->model;
  const ipg_id_range faces = ipg_faces_of_node(&m->topology, contact->owner);
  const int32_t own = m->topology.node_bodies.at[contact->owner];
  double deepest = 0;
  for (const ipg_id *face = faces.begin; face < faces.end; ++face)
    for (int k = 0; k < 3; ++k) {
      const ipg_id neighbour = ipg_face_corners(&m->surface, *face)[k];
      deepest = larger(deepest, initial_penetration_of_node(step, neighbour, contact->touched));
    }
  for (int k = 1; k < 4; ++k) deepest = larger(deepest, initial_penetration_of_node(step, contact->nodes[k], own));
  return deepest;
}
