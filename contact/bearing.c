/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Which face bears a node that has just come in, and what of its depth has been there from the start? */
#include "around.h"
#include "support/vec.h"

/* How deep behind a face a node may be that it bears from the start, in sizes of the face. */
static const double a_little = 0.5;
/* More than what borders of faces are wider by (narrow.h), in the same unit. */
static const double stands_on_face = 1e-7;

/* Does some face of the node's own look at one with that normal? */
static bool faces_own_surface(const ipg_contact *c, ipg_id node, vec normal) {
  const int64_t *first = c->buffers[NODE_FACES_FIRST].data;
  const ipg_id *faces = c->buffers[NODE_FACES].data;
  for (int64_t i = first[node]; i < first[node + 1]; ++i) {
    const ipg_id *corner = c->surface.faces + 3 * (int64_t)faces[i];
    const vec a = vec_at(ipg_trial_x(c), corner[0]), b = vec_at(ipg_trial_x(c), corner[1]);
    const vec own = vec_cross(vec_sub(b, a), vec_sub(vec_at(ipg_trial_x(c), corner[2]), a));
    if (vec_dot(own, normal) < -ipg_follow_cosine * vec_length(own)) return true;
  }
  return false;
}

/* Behind the face, by less than part of its size: no node is borne by a face on the far side. After a correction the
 * nodes that bear a body stand on its underside, to either side of it by rounding. */
static bool is_a_little_behind(const ipg_contact *c, const foot *f) {
  const double *x = ipg_trial_x(c);
  const ipg_id *corner = c->surface.faces + 3 * (int64_t)f->face;
  const vec a = vec_at(x, corner[0]);
  const double area2 = vec_length(vec_cross(vec_sub(vec_at(x, corner[1]), a), vec_sub(vec_at(x, corner[2]), a)));
  const double least = ipg_is_kinematic(c) ? -stands_on_face * sqrt(area2) : 0;
  return f->height > least && f->height * f->height < a_little * a_little * area2;
}

/* Is some contact of the node with another body than `but` as deep as that, along `normal`? After a correction all are
 * on the surface, but for rounding. */
static bool is_borne(const ipg_contact *c, ipg_id node, int32_t but, vec normal, double deep) {
  const double same_side = 0.95, as_deep = 2, rounding = ipg_is_kinematic(c) ? stands_on_face * c->mean_edge : 0;
  const ipg_contact_range all = ipg_contacts_of(c->accepted, IPG_CONTACT_NODE_FACE);
  for (int64_t i = ipg_first_contact_of(&all, node); i < all.count && all.pairs[i].owner == node; ++i) {
    const double depth = larger(0, -(all.pairs[i].gap + all.pairs[i].initial_offset));
    if (all.pairs[i].touched != but && deep < as_deep * depth + rounding &&
        vec_dot(vec_at(all.pairs[i].normal, 0), normal) > same_side)
      return true;
  }
  return false;
}

/* Does another body bear the node, or those of the face, from the same side, about as deep? Then the two lie flush:
 * what is sunk in one of them slides on over the next, and neither runs into the other's end. */
static bool goes_on_flush(const ipg_contact *c, ipg_id node, const foot *f) {
  const ipg_id *corner = c->surface.faces + 3 * (int64_t)f->face;
  const int32_t own = ((const int32_t *)c->buffers[NODE_BODIES].data)[node];
  bool flush = is_borne(c, node, c->surface.face_bodies[f->face], f->normal, f->height);
  for (int k = 0; k < 3; ++k) flush = flush || is_borne(c, corner[k], own, vec_scale(-1, f->normal), f->height);
  return flush;
}

/* The face that bears a node which came in through one beside its own surface: a neighbour that the node is also
 * behind, and that faces it. So a node of a floor that a sliding block rolls over bears the block's underside, and does
 * not hold on to the end that it came in by. The entry itself where it faces the node, or no neighbour does; but a
 * neighbour that goes on flush with what bears the node already goes before it. */
foot ipg_bearing_of(const ipg_contact *c, foot entry, ipg_id node) {
  const int64_t *first = c->buffers[NODE_FACES_FIRST].data;
  const ipg_id *faces = c->buffers[NODE_FACES].data, *corner = c->surface.faces + 3 * (int64_t)entry.face;
  if (!(entry.height > 0)) return entry;
  foot best = entry;
  bool is_flush = false;
  const bool faces_entry = faces_own_surface(c, node, entry.normal);
  for (int k = 0; k < 3; ++k)
    for (int64_t i = first[corner[k]]; i < first[corner[k] + 1]; ++i) {
      if (ipg_is_own_face(&c->surface, node, faces[i])) continue;
      const foot f = ipg_foot_in_trial(c, node, faces[i]);
      if (!is_a_little_behind(c, &f) || !faces_own_surface(c, node, f.normal)) continue;
      const bool flush = goes_on_flush(c, node, &f);
      if ((faces_entry && !flush) || (is_flush && !flush)) continue;
      if (best.face == entry.face || flush != is_flush || ipg_foot_is_better(&f, &best)) best = f;
      is_flush = flush;
    }
  return best;
}

/* The deepest overlap from the start that the node has with the body, and still has. */
static double overlap_of(const ipg_contact *c, ipg_id node, int32_t body) {
  const ipg_contact_range all = ipg_contacts_of(c->accepted, IPG_CONTACT_NODE_FACE);
  double overlap = 0;
  for (int64_t i = ipg_first_contact_of(&all, node); i < all.count && all.pairs[i].owner == node; ++i)
    if (all.pairs[i].touched == body) overlap = larger(overlap, all.pairs[i].initial_penetration);
  return overlap;
}

/* What comes in beside an overlap from the start overlaps as much: the nodes around the one that comes tell, and those
 * of the face it comes to. */
double ipg_overlap_around(const ipg_contact *c, const ipg_contact_pair *contact) {
  const int64_t *first = c->buffers[NODE_FACES_FIRST].data;
  const ipg_id *faces = c->buffers[NODE_FACES].data, node = contact->owner;
  const int32_t own = ((const int32_t *)c->buffers[NODE_BODIES].data)[node];
  double overlap = 0;
  for (int64_t i = first[node]; i < first[node + 1]; ++i)
    for (int k = 0; k < 3; ++k)
      overlap = larger(overlap, overlap_of(c, c->surface.faces[3 * (int64_t)faces[i] + k], contact->touched));
  for (int k = 1; k < 4; ++k) overlap = larger(overlap, overlap_of(c, contact->nodes[k], own));
  return overlap;
}
