/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Coulomb's friction with a memory: a spring along the surface that yields.
 *
 * While the two sides stick, the spring is stretched by their motion along the surface; when its force would exceed
 * the friction coefficient times the pressing force it slips, and keeps just the stretch that this allows. What is
 * stretched is returned, what slips is lost: both are booked. The stretch belongs to the contact, so it outlives
 * borders of faces and searches; where the surface turns, also about its normal, it turns with it. The coefficient
 * falls from static to dynamic with the speed along the surface. The damper of the contact works along the surface too,
 * within the cone, or what sticks would ring for ever. */
#include "state.h"
#include "support/exp_neg.h"
#include "support/vec.h"

/* Into the plane that the surface has now, without losing length. */
static vec turn_into_plane(vec v, vec normal) {
  const vec flat = vec_across(v, normal);
  const double before = vec_length(v), after = vec_length(flat);
  return after > 0 ? vec_scale(before / after, flat) : (vec){0, 0, 0};
}

typedef struct frame {
  vec along, across, normal;
} frame;

static frame frame_of_face(const ipg_surface *s, const double *x, ipg_id face) {
  const ipg_id *corner = s->faces + 3 * (int64_t)face;
  const vec a = vec_at(x, corner[0]), edge = vec_sub(vec_at(x, corner[1]), a);
  frame f = {.along = vec_unit(edge), .normal = vec_unit(vec_cross(edge, vec_sub(vec_at(x, corner[2]), a)))};
  f.across = vec_cross(f.normal, f.along);
  return f;
}

/* As the touched face turns in this step. */
static vec turn_with_face(const ipg_contact *c, const ipg_contact_pair *pair, vec v) {
  if (pair->kind != IPG_CONTACT_NODE_FACE || vec_dot(v, v) == 0) return v;
  const frame was = frame_of_face(&c->surface, ipg_accepted_x(c), pair->face);
  const frame is = frame_of_face(&c->surface, ipg_trial_x(c), pair->face);
  return vec_add(vec_scale(vec_dot(v, was.along), is.along),
                 vec_add(vec_scale(vec_dot(v, was.across), is.across), vec_scale(vec_dot(v, was.normal), is.normal)));
}

double ipg_friction_coefficient(const ipg_contact_law *law, double speed) {
  return law->friction_dynamic +
         (law->friction_static - law->friction_dynamic) * ipg_exp_neg(law->friction_decay * speed);
}

/* motion: of the node against the face in this step, as far as they touched. */
void ipg_friction_force(const ipg_contact *c, ipg_contact_pair *pair, vec motion) {
  const ipg_contact_law *law = ipg_contact_law_of(c, pair);
  const vec normal = vec_at(pair->normal, 0), slide = vec_across(motion, normal);
  const double most = ipg_friction_coefficient(law, vec_length(slide) / c->dt) * pair->normal_force;
  const vec held = turn_with_face(c, pair, vec_at(pair->tangential_slip, 0));
  const vec stretched = vec_add(turn_into_plane(held, normal), slide);
  const vec spring = vec_capped(vec_scale(-pair->stiffness, stretched), most);
  const vec stretch = pair->stiffness > 0 ? vec_scale(-1 / pair->stiffness, spring) : (vec){0, 0, 0};
  const double damper = ipg_damper(c, pair) / c->dt;
  const vec force = vec_capped(vec_sub(spring, vec_scale(damper, slide)), most);
  vec_store(pair->tangential_slip, stretch);
  vec_store(pair->friction, force);
  pair->friction_dissipation = vec_length(spring) * vec_length(vec_sub(stretched, stretch));
  pair->damping_dissipation += vec_dot(vec_sub(spring, force), slide);
}
