/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Where a contact of a node with a body is at the end of the step, and how deep; or has it ended?
 *
 * It follows the body's surface from face to face, over neighbours that look roughly the way the last one did. So a
 * node that came through the end of a bar is pushed back through the end, although the bar's side may be nearer. It
 * ends when the node is in front of that face, or beside it and outside the body (slid off an edge). Where surfaces
 * have a thickness all this happens as far out: it ends when the node is farther than that from the nearest place of
 * the body. */
#include "around.h"
#include "support/vec.h"

/* How far beside a face, in its sizes, and in parts of the depth, a node still counts as behind it. */
static const double wider = 0.01, most_slant = 0.75;
/* Of a spring that began deep, in a step: a hit is over before it has grown under load. */
static const double growth = 0.00390625;

/* Behind the nearest face or, under a concave edge or corner, well within the angle behind it. A node beside a face
 * whose plane it all but lies in is not inside. */
static bool is_inside(const foot *nearest) {
  return nearest->height > 0 &&
         nearest->height * nearest->height > ipg_follow_cosine * ipg_follow_cosine * nearest->distance2;
}

/* A node that was inside has slid off as soon as it is outside: pulled back to the edge, it would hold the body. One
 * whose path cut a corner, and was never inside at the end of a step, is held while it is much deeper than beside. */
static bool slid_off(const ipg_contact_pair *contact, const foot *followed) {
  return !contact->entered_from_outside ||
         ipg_foot_beside2(followed) > most_slant * most_slant * followed->height * followed->height;
}

/* Has the node gone right through, as through a ball in one step? It is behind the face that it came in by, and
 * straight in front of one that looks the other way. */
static bool is_through(const ipg_contact *c, const ipg_contact_pair *contact, const foot *nearest) {
  if (!contact->entered_from_outside || !(nearest->height < 0)) return false;
  const foot entry = ipg_foot_in_trial(c, contact->owner, contact->face);
  const bool is_straight = ipg_foot_beside2(nearest) < most_slant * most_slant * nearest->height * nearest->height;
  return entry.height > 0 && is_straight && vec_dot(entry.normal, nearest->normal) < -ipg_follow_cosine;
}

/* Just beside the face it pushes straight, as it does everywhere: so flush ends hold each other. False where the node
 * is farther beside, or hardly deeper: then it is beyond the edge. */
static bool straighten(const ipg_contact *c, ipg_id node, foot *f) {
  const double *x = ipg_trial_x(c);
  const ipg_id *corner = c->surface.faces + 3 * (int64_t)f->face;
  const vec a = vec_at(x, corner[0]);
  const vec n = vec_cross(vec_sub(vec_at(x, corner[1]), a), vec_sub(vec_at(x, corner[2]), a));
  const double area2 = vec_dot(n, n);
  if (!(ipg_foot_beside2(f) * ipg_foot_beside2(f) < wider * wider * wider * wider * area2)) return false;
  if (ipg_foot_beside2(f) > most_slant * most_slant * f->height * f->height) return false;
  ipg_foot_on_plane(&c->surface, x, node, f->face, f->weights);
  f->to_surface = vec_scale(f->height, f->normal);
  f->distance2 = f->height * f->height;
  return true;
}

/* The contact stands at this foot. */
void ipg_contact_stand_on(const ipg_contact *c, ipg_contact_pair *contact, const foot *f) {
  contact->face = f->face;
  for (int k = 0; k < 3; ++k) {
    contact->nodes[k + 1] = c->surface.faces[3 * (int64_t)f->face + k];
    contact->weights[k + 1] = -f->weights[k];
  }
}

/* How near the node was before the step that it came in with, where it was nearer than the surfaces are thick, or deep
 * beside the face that it entered by: no work has pressed the spring that far, so there it begins. */
static double rest_of_birth(const ipg_contact *c, const ipg_contact_pair *contact, double distance, double thickness) {
  return smaller(thickness, distance - vec_dot(vec_at(contact->normal, 0), ipg_contact_relative_motion(c, contact)));
}

/* From 0, where springs that ended have given up no more so far than others got by growing, to 1, where that is a
 * hundredth of what all hold. Balanced springs make some themselves. */
static double means_to_grow(const ipg_contact *c) {
  const ipg_contact_energy_balance *l = &c->accepted->ledger;
  if (c->config.stiffness == IPG_STIFFNESS_MATERIAL_BASED) return 1;
  return l->spring_net_loss > 0 ? smaller(1, 100 * l->spring_net_loss / l->contact_energy) : 0;
}

/* What the node has come out by is spring again when it comes back. And little by little the whole way becomes spring,
 * or a block would dig itself in as it slides: what the springs that it leaves behind give up lifts it again, and no
 * more than that. But not what was there from the start: nothing has paid for that. What is moved out whole has no
 * spring. */
static void set_gap(const ipg_contact *c, ipg_contact_pair *contact, double distance, double thickness) {
  const bool has_spring = !ipg_is_kinematic(c);
  if (contact->activated && (has_spring || contact->initial_penetration > 0))
    contact->initial_offset = rest_of_birth(c, contact, distance, thickness);
  if (contact->activated && thickness > 0 && contact->time == 0) /* they were within it before anything moved */
    contact->initial_penetration = larger(contact->initial_penetration, thickness - contact->initial_offset);
  if (!contact->activated && has_spring)
    contact->initial_offset +=
        growth * means_to_grow(c) * larger(0, thickness - contact->initial_penetration - contact->initial_offset);
  contact->initial_offset = larger(contact->initial_offset, distance);
  contact->initial_penetration = smaller(contact->initial_penetration, larger(0, thickness - contact->initial_offset));
  contact->gap = distance - contact->initial_offset;
}

/* Where the node is: its foot, and how far it is from there, below 0 inside the body. False where it is so far out that
 * the contact has ended. */
static bool find_place(const ipg_contact *c, ipg_contact_pair *contact, foot *f, double *distance) {
  ipg_surroundings s = ipg_look_around_node(c, contact->owner, contact->face);
  const bool in_front = !(s.followed.height > 0), inside = is_inside(&s.nearest);
  if (in_front && inside) s.followed = s.nearest; /* went round a concave corner */
  const bool beside = !inside && !straighten(c, contact->owner, &s.followed);
  const bool off = (in_front && !inside) || (beside && slid_off(contact, &s.followed));
  const bool through = off && is_through(c, contact, &s.nearest), out = off && !through;
  if (through) s.followed = ipg_foot_in_trial(c, contact->owner, contact->face);
  contact->entered_from_outside = beside && !out;
  *f = out ? s.nearest : s.followed;
  *distance = out ? sqrt(f->distance2) : -sqrt(f->distance2);
  return out ? *distance < ipg_contact_separation(c, contact->owner, f->face) : *distance < 0;
}

/* Out of the touched body, towards the node. */
static vec direction_of(const foot *f, double distance) {
  return distance == 0 ? f->normal : vec_scale(-1 / distance, f->to_surface);
}

bool ipg_contact_follow(const ipg_contact *c, ipg_contact_pair *contact) {
  foot f;
  double distance;
  if (!find_place(c, contact, &f, &distance) || !ipg_contact_is_on(c, contact->owner, f.face)) return false;
  ipg_contact_stand_on(c, contact, &f);
  vec_store(contact->normal, direction_of(&f, distance));
  set_gap(c, contact, distance, ipg_contact_separation(c, contact->owner, f.face));
  contact->element = c->surface.face_elements[contact->face];
  contact->side = c->surface.face_sides[contact->face];
  contact->sub = c->surface.face_subs ? c->surface.face_subs[contact->face] : 0;
  return true;
}
