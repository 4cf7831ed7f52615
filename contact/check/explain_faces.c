/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Why two faces press on each other, or why not: what the energy of the pair asks for, in its order; the first that
 * is not met is the reason. Reads the last evaluation and changes nothing. */
#include "candidates/back_to_back.h"
#include "check/explain.h"
#include "enforce/face_contact.h"
#include "model/block_rules.h"
#include "surface/face_geometry.h"

typedef ipg_contact_explanation explanation;

typedef struct question {
  const ipg_contact *contact;
  const ipg_model *model;
  ipg_step step;
  ipg_pair faces;
} question;

/* ------------------------------------------------------------------------------------------------ what has no pairs */

static bool are_adjacent(const ipg_model *m, ipg_id f, ipg_id g) {
  if (m->surface.face_opposites[f] >= 0 && m->surface.face_opposites[f] == m->surface.face_opposites[g]) return true;
  for (int k = 0; k < 3; ++k)
    if (ipg_is_own_face(&m->surface, ipg_face_corners(&m->surface, f)[k], g) ||
        ipg_is_own_face(&m->surface, ipg_face_corners(&m->surface, g)[k], f))
      return true;
  return false;
}

static bool explain_surface(const question *q, explanation *e) {
  const ipg_id f = q->faces.a, g = q->faces.b;
  if (are_adjacent(q->model, f, g))
    return ipg_set_explanation(e, IPG_REASON_ADJACENT, "the faces share a node or an element"), true;
  if (ipg_are_back_to_back(q->model, f, g))
    return ipg_set_explanation(e, IPG_REASON_ONE_PLATE, "the faces are the two sides of one plate"), true;
  return false;
}

static bool explain_rule(const question *q, explanation *e) {
  const double time = q->step.time1;
  if (ipg_is_face_contact_on(q->model, time, q->faces.a, q->faces.b)) return false;
  if (ipg_is_tied(q->model, time, ipg_face_corners(&q->model->surface, q->faces.a)[0], q->faces.b))
    ipg_set_explanation(e, IPG_REASON_TIED, "their blocks are tied: ask with a node for the tie");
  else ipg_set_explanation(e, IPG_REASON_OFF, "a rule keeps the faces apart at time %g", time);
  return true;
}

/* ------------------------------------------------------------------------------------------------------ the overlap */

static bool explain_contact(const question *q, explanation *e) {
  const ipg_contact_state *from = q->contact->accepted;
  ipg_face_contact found;
  vec force = {0, 0, 0};
  if (!ipg_evaluate_face_pair(&q->step, from->has_offsets ? from->offsets.at : NULL, &q->faces, &found)) return false;
  for (int k = 0; k < found.overlap.point_counts[0]; ++k) force = vec_add(force, found.overlap.forces[0][k]);
  e->gap = -found.overlap.depth;
  ipg_set_explanation(e, IPG_REASON_IN_CONTACT, "the faces are in contact, %g deep, with a normal force of %g",
                      found.overlap.depth, vec_length(force));
  return true;
}

static bool explain_initial_penetration(const question *q, explanation *e) {
  ipg_face_contact found;
  if (!q->contact->accepted->has_offsets || !ipg_evaluate_face_pair(&q->step, NULL, &q->faces, &found)) return false;
  e->gap = -found.overlap.depth;
  ipg_set_explanation(e, IPG_REASON_INSIDE,
                      "the faces overlap by %g in an initial penetration, which is free of force as it was",
                      found.overlap.depth);
  return true;
}

typedef struct polygon {
  vec points[9]; /* three cuts of a triangle: one corner more each, of a sliver in rounding half as many again */
  int count;
} polygon;

static vec corner_at(const question *q, ipg_id face, int k) {
  return vec_at(q->step.x1, ipg_face_corners(&q->model->surface, face)[k]);
}

static vec normal_at(const question *q, ipg_id face) {
  return vec_unit(ipg_face_area_vector(&q->model->surface, q->step.x1, face));
}

/* What of the polygon lies where `inward` points, from the plane through `at`. */
static polygon cut_polygon(const polygon *p, vec at, vec inward) {
  polygon left = {.count = 0};
  for (int i = 0; i < p->count; ++i) {
    const vec a = p->points[i], b = p->points[i + 1 < p->count ? i + 1 : 0];
    const double ha = vec_dot(inward, vec_sub(a, at)), hb = vec_dot(inward, vec_sub(b, at));
    if (ha >= 0) left.points[left.count++] = a;
    if ((ha > 0 && hb < 0) || (ha < 0 && hb > 0))
      left.points[left.count++] = vec_add(a, vec_scale(ha / (ha - hb), vec_sub(b, a)));
  }
  return left;
}

/* What of face b lies over face a, along n. */
static polygon find_overlap(const question *q, vec n) {
  polygon p = {.count = 3};
  for (int k = 0; k < 3; ++k) p.points[k] = corner_at(q, q->faces.b, k);
  for (int k = 0; k < 3 && p.count; ++k) {
    const vec at = corner_at(q, q->faces.a, k), along = vec_sub(corner_at(q, q->faces.a, k < 2 ? k + 1 : 0), at);
    p = cut_polygon(&p, at, vec_cross(along, n)); /* seen along n, the face is clockwise */
  }
  return p;
}

/* Of b behind a along n; below 0 where it is in front everywhere. */
static double deepest_of(const question *q, vec n, const polygon *p) {
  const vec normal = normal_at(q, q->faces.a), at = corner_at(q, q->faces.a, 0);
  double depth = -INFINITY;
  for (int i = 0; i < p->count; ++i)
    depth = larger(depth, vec_dot(normal, vec_sub(p->points[i], at)) / vec_dot(normal, n));
  return depth + ipg_thickness_of_faces(q->model, q->faces.a, q->faces.b);
}

static void explain_positions(const question *q, explanation *e) {
  const vec a = normal_at(q, q->faces.a), b = normal_at(q, q->faces.b), n = vec_unit(vec_sub(b, a));
  const double cosine = -vec_dot(a, b);
  if (!(cosine > IPG_FACING_COSINE)) {
    ipg_set_explanation(e, IPG_REASON_NOT_FACING,
                        "the faces do not look at each other: the angle between one normal and the other turned round "
                        "is %.1f degrees, contact begins at %.1f",
                        57.29577951308232 * acos(larger(-1, smaller(1, cosine))),
                        57.29577951308232 * acos(IPG_FACING_COSINE));
    return;
  }
  const polygon overlap = find_overlap(q, n);
  if (!overlap.count) {
    ipg_set_explanation(e, IPG_REASON_BESIDE, "the faces lie beside each other, seen along their common normal");
    return;
  }
  const double depth = deepest_of(q, n, &overlap);
  e->gap = -depth;
  if (depth <= 0) ipg_set_explanation(e, IPG_REASON_IN_FRONT, "the faces lie in front of each other, %g apart", -depth);
  else
    ipg_set_explanation(e, IPG_REASON_BEYOND,
                        "the faces are behind each other by %g: their way out is at a border or on the other side of "
                        "the body, so they do not press",
                        depth);
}

/* ------------------------------------------------------------------------------------------------------------ entry */

static ipg_status check_question(const ipg_contact *c, const ipg_contact_face_id at[2], const ipg_id faces[2],
                                 ipg_error *error) {
  if (!ipg_has_face_contact(&c->model))
    return ipg_fail(error, IPG_ERROR_UNSUPPORTED,
                    "kinematic enforcement has contact of nodes with faces: ask with a node");
  if (c->holds != IPG_TRIAL_OF_FORCES)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "there is nothing to explain: evaluate first");
  for (int k = 0; k < 2; ++k)
    if (faces[k] < 0)
      return ipg_fail(error, IPG_ERROR_ARGUMENT, "side %d of element %lld is not on the surface", at[k].side + 1,
                      (long long)at[k].element);
  return IPG_OK;
}

ipg_status ipg_contact_explain_faces(const ipg_contact *c, ipg_contact_face_id first, ipg_contact_face_id second,
                                     explanation *e, ipg_error *error) {
  const ipg_contact_face_id at[2] = {first, second};
  const ipg_id faces[2] = {ipg_find_face(&c->model.surface, first), ipg_find_face(&c->model.surface, second)};
  *e = (explanation){.time = NAN, .gap = NAN};
  const ipg_status status = check_question(c, at, faces, error);
  if (status) return status;
  const bool is_swapped = faces[0] > faces[1];
  const question q = {c, &c->model, ipg_step_of(c), {faces[is_swapped], faces[!is_swapped]}};
  if (explain_surface(&q, e) || explain_rule(&q, e) || explain_contact(&q, e) || explain_initial_penetration(&q, e))
    return IPG_OK;
  explain_positions(&q, e);
  return IPG_OK;
}
