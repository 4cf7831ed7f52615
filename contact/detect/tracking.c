/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Tracking: where a node-face contact is at the end of the step, how deep it is, and whether it is still active.
 *
 * The contact follows the body's surface from face to face, over neighbours whose normals are near the last one's. So a
 * node that came through the end of a bar is pushed back through the end, although the bar's side may be closer. It is
 * deactivated when the node is in front of that face, or beside it and outside the body (slid off an edge). Where
 * surfaces have a thickness all this happens that far out: it is deactivated when the node is farther from the body's
 * closest point. */
#include "detect/tracking.h"

#include "model/block_rules.h"
#include "model/relative_motion.h"
#include "surface/surface_walk.h"

/* Behind the closest face or, under a concave edge or corner, well within the angle behind it. A node beside a face
 * whose plane it all but lies in is not inside. */
static bool is_inside(const ipg_closest_point *closest) {
  return closest->height > 0 &&
         closest->height * closest->height > IPG_FOLLOW_COSINE * IPG_FOLLOW_COSINE * closest->distance2;
}

static bool is_more_beside_than_deep(const ipg_closest_point *q) {
  return ipg_distance_beside2(q) > IPG_BESIDE_DEPTH * IPG_BESIDE_DEPTH * q->height * q->height;
}

/* A node that was inside has slid off as soon as it is outside: pulled back to the edge, it would hold the body. One
 * whose path cut a corner, and was never inside at the end of a step, is held while it is much deeper than beside. */
static bool has_slid_off(const ipg_contact_pair *contact, const ipg_closest_point *followed) {
  return !contact->history.entered_from_outside || is_more_beside_than_deep(followed);
}

/* True if the node has gone right through, as through a ball in one step: it is behind the face that it came in by, and
 * straight in front of one with the opposite normal. */
static bool is_through(const ipg_step *step, const ipg_contact_pair *contact, const ipg_closest_point *closest) {
  if (!contact->history.entered_from_outside || !(closest->height < 0)) return false;
  const ipg_closest_point entry = ipg_closest_point_at_end(step, contact->owner, contact->face);
  const bool is_straight =
      ipg_distance_beside2(closest) < IPG_BESIDE_DEPTH * IPG_BESIDE_DEPTH * closest->height * closest->height;
  return entry.height > 0 && is_straight && vec_dot(entry.normal, closest->normal) < -IPG_FOLLOW_COSINE;
}

/* Just beside the face the force is along its normal, as it is everywhere: so flush ends hold each other. False where
 * the node is farther beside, or hardly deeper: then it is beyond the edge. */
static bool straighten(const ipg_step *step, ipg_id node, ipg_closest_point *q) {
  const ipg_surface *s = &step->model->surface;
  const vec n = ipg_face_area_vector(s, step->x1, q->face);
  const double area2 = vec_dot(n, n), beside2 = ipg_distance_beside2(q), wide = IPG_BESIDE_SIZE;
  if (!(beside2 * beside2 < wide * wide * wide * wide * area2)) return false;
  if (is_more_beside_than_deep(q)) return false;
  ipg_project_on_plane(s, step->x1, node, q->face, q->weights);
  q->to_surface = vec_scale(q->height, q->normal);
  q->distance2 = q->height * q->height;
  return true;
}

void ipg_set_contact_point(const ipg_surface *s, ipg_contact_pair *contact, const ipg_closest_point *q) {
  contact->face = q->face;
  for (int k = 0; k < 3; ++k) {
    contact->nodes[k + 1] = ipg_face_corners(s, q->face)[k];
    contact->weights[k + 1] = -q->weights[k];
  }
}

/* ----------------------------------------------------------------------------------------------------- gap and offset
 */

/* Sets gap and initial offset. Where a contact begins in the middle of an initial penetration, the depth that was there
 * before the step belongs to it. What has come out is out for good. */
static void set_gap(const ipg_step *step, ipg_contact_pair *contact, double distance) {
  ipg_contact_history *h = &contact->history;
  if (contact->activated && h->initial_penetration > 0) {
    const double before = distance - vec_dot(vec_at(contact->normal, 0), ipg_relative_motion(step, contact));
    h->initial_offset = smaller(0, before);
  }
  h->initial_offset = larger(h->initial_offset, distance);
  h->initial_penetration = smaller(h->initial_penetration, larger(0, -h->initial_offset));
  contact->gap = distance - h->initial_offset;
}

/* ---------------------------------------------------------------------------------------------------------- tracking
 */

/* The contact's point, and its signed distance, negative inside the body. False where the node is so far out that the
 * contact is over. */
static bool find_contact_point(const ipg_step *step, ipg_contact_pair *contact, ipg_closest_point *q,
                               double *distance) {
  const ipg_model *m = step->model;
  ipg_surroundings s = ipg_walk_surface(&m->surface, &m->topology, step->x1, contact->owner, contact->face);
  const bool in_front = !(s.followed.height > 0), inside = is_inside(&s.closest);
  if (in_front && inside) s.followed = s.closest; /* went round a concave corner */
  const bool beside = !inside && !straighten(step, contact->owner, &s.followed);
  const bool off = (in_front && !inside) || (beside && has_slid_off(contact, &s.followed));
  const bool through = off && is_through(step, contact, &s.closest), out = off && !through;
  if (through) s.followed = ipg_closest_point_at_end(step, contact->owner, contact->face);
  contact->history.entered_from_outside = beside && !out;
  *q = out ? s.closest : s.followed;
  *distance = out ? sqrt(q->distance2) : -sqrt(q->distance2);
  return *distance < 0;
}

/* Out of the touched body, towards the node. */
static vec contact_normal(const ipg_closest_point *q, double distance) {
  return distance == 0 ? q->normal : vec_scale(-1 / distance, q->to_surface);
}

bool ipg_track_contact(const ipg_step *step, ipg_contact_pair *contact) {
  const ipg_model *m = step->model;
  ipg_closest_point q;
  double distance;
  if (!find_contact_point(step, contact, &q, &distance)) return false;
  if (!ipg_is_contact_on(m, step->time1, contact->owner, q.face)) return false;
  ipg_set_contact_point(&m->surface, contact, &q);
  vec_store(contact->normal, contact_normal(&q, distance));
  set_gap(step, contact, distance);
  ipg_name_contact_face(&m->surface, contact);
  return true;
}
