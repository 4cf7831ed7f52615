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

#include "enforce/stiffness.h"
#include "model/block_rules.h"
#include "model/relative_motion.h"
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

void ipg_apply_friction(const ipg_step *step, ipg_contact_pair *pair, vec motion) {
  const ipg_contact_law *law = ipg_law_of_contact(step->model, pair);
  const double rate = step->dt > 0 ? 1 / step->dt : 0;
  const vec normal = vec_at(pair->normal, 0), slide = vec_across(motion, normal);
  const double most = ipg_friction_coefficient(law, rate * vec_length(slide)) * pair->response.normal_force;
  const vec slip_before = vec_at(pair->history.tangential_slip, 0);
  const vec held = pair->kind == IPG_CONTACT_NODE_FACE ? turn_with_face(step, pair->face, slip_before) : slip_before;
  const vec stretched = vec_add(turn_into_plane(held, normal), slide);
  const vec spring = vec_capped(vec_scale(-pair->history.stiffness, stretched), most);
  const vec slip = pair->history.stiffness > 0 ? vec_scale(-1 / pair->history.stiffness, spring) : (vec){0, 0, 0};
  const double damper = rate * ipg_damping_coefficient(step->model, pair);
  const vec force = vec_capped(vec_sub(spring, vec_scale(damper, slide)), most);
  vec_store(pair->history.tangential_slip, slip);
  vec_store(pair->response.friction, force);
  pair->response.friction_dissipation = vec_length(spring) * vec_length(vec_sub(stretched, slip));
  pair->response.damping_dissipation += vec_dot(vec_sub(spring, force), slide);
}
