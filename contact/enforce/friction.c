/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Coulomb friction with elastic slip: a tangential spring that yields.
 *
 * While the two sides stick, the spring is stretched by their tangential motion; when its force would exceed the
 * friction coefficient times the normal force it slips, and keeps just the elastic slip that this allows. Elastic slip
 * is returned, the rest is lost: both are booked. The elastic slip belongs to the contact, so it outlives borders of
 * faces and searches; it turns with the surface, also about the normal. The coefficient falls from static to dynamic
 * with the tangential speed. The damper of the contact acts tangentially too, within the cone, or sticking contacts
 * would ring for ever. */
#include "enforce/friction.h"

#include "support/exp_neg.h"
#include "surface/face_geometry.h"

/* Into the plane with that normal, without losing length. */
static vec turn_into_plane(vec v, vec normal) {
  const vec flat = vec_across(v, normal);
  const double before = vec_length(v), after = vec_length(flat);
  return after > 0 ? vec_scale(before / after, flat) : (vec){0, 0, 0};
}

typedef struct frame {
  vec along, across, normal;
} frame;

static frame frame_of_face(const ipg_surface *s, const double *x, ipg_id face) {
  const ipg_id *corner = ipg_face_corners(s, face);
  const vec edge = vec_sub(vec_at(x, corner[1]), vec_at(x, corner[0]));
  frame f = {.along = vec_unit(edge), .normal = ipg_face_normal(s, x, face)};
  f.across = vec_cross(f.normal, f.along);
  return f;
}

/* As the face turns in this step. */
static vec turn_with_face(const ipg_step *step, ipg_id face, vec v) {
  if (vec_dot(v, v) == 0) return v;
  const frame was = frame_of_face(&step->model->surface, step->x0, face);
  const frame is = frame_of_face(&step->model->surface, step->x1, face);
  return vec_add(vec_scale(vec_dot(v, was.along), is.along),
                 vec_add(vec_scale(vec_dot(v, was.across), is.across), vec_scale(vec_dot(v, was.normal), is.normal)));
}

vec ipg_turn_with_node(const ipg_step *step, ipg_id node, vec v, vec normal) {
  const ipg_id face = *ipg_faces_of_node(&step->model->topology, node).begin;
  return turn_into_plane(turn_with_face(step, face, v), vec_unit(normal));
}

double ipg_friction_coefficient(const ipg_contact_law *law, double speed) {
  return law->friction_dynamic +
         (law->friction_static - law->friction_dynamic) * ipg_exp_neg(law->friction_decay * speed);
}
