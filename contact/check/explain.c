/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Contact diagnostics: why a node is in contact with a face, or why not: the checks of the step in the order of the
 * step; the first that decides is the reason. Reads the last evaluation and changes nothing. */
#include "check/explain.h"

#include "detect/activation.h"
#include "model/block_rules.h"
#include "surface/face_geometry.h"
#include "surface/solid_angle.h"

#include <stdarg.h>
#include <stdio.h>

typedef ipg_contact_explanation explanation;

void ipg_set_explanation(explanation *e, ipg_contact_reason reason, const char *format, ...) {
  va_list args;
  e->reason = reason;
  va_start(args, format);
  vsnprintf(e->sentence, sizeof e->sentence, format, args);
  va_end(args);
}

/* --------------------------------------------------------------------------------------------------------- reasons */

static bool explain_topology(const ipg_contact *c, ipg_id node, ipg_id face, explanation *e) {
  const long long gid = (long long)c->model.surface.node_gids[node];
  if (ipg_is_corner(&c->model.surface, face, node))
    return ipg_set_explanation(e, IPG_REASON_OWN_FACE, "node %lld is a corner of the face", gid), true;
  if (c->model.surface.face_opposites[face] == node)
    return ipg_set_explanation(e, IPG_REASON_OWN_ELEMENT, "node %lld belongs to the element behind the face", gid),
           true;
  return false;
}

/* The node's tie to the face, or to another face of its block. */
static const ipg_contact_pair *find_tie(const ipg_contact *c, ipg_id node, ipg_id face) {
  const ipg_contact_range all = ipg_contacts_of_kind(&c->trial->contacts, IPG_CONTACT_TIE);
  const int32_t *blocks = c->model.surface.face_blocks;
  for (int64_t i = ipg_first_contact_of(&all, node); i < all.count && all.pairs[i].owner == node; ++i)
    if (blocks[all.pairs[i].face] == blocks[face]) return &all.pairs[i];
  return NULL;
}

static bool explain_tie(const ipg_contact *c, ipg_id node, ipg_id face, explanation *e) {
  if (!ipg_is_tied(&c->model, c->trial->time, node, face)) return false;
  const ipg_contact_pair *tie = find_tie(c, node, face);
  const long long gid = (long long)c->model.surface.node_gids[node];
  if (!tie)
    return ipg_set_explanation(e, IPG_REASON_TIED, "blocks are tied; node %lld was too far from this one at the start",
                               gid),
           true;
  e->gap = tie->gap;
  if (tie->face == face)
    ipg_set_explanation(e, IPG_REASON_TIED, "node %lld is tied to the face, %g longer than at the start", gid,
                        tie->gap);
  else
    ipg_set_explanation(e, IPG_REASON_TIED,
                        "node %lld is tied to this block at side %d of element %lld, which was nearer", gid,
                        tie->side + 1, (long long)tie->element);
  return true;
}

/* With the body of the face; at that face, where a projection holds the node at several. */
static const ipg_contact_pair *find_contact(const ipg_contact *c, ipg_id node, ipg_id face) {
  const ipg_contact_range all = ipg_contacts_of_kind(&c->trial->contacts, IPG_CONTACT_NODE_FACE);
  const ipg_contact_pair *found = NULL;
  for (int64_t i = ipg_first_contact_of(&all, node); i < all.count && all.pairs[i].owner == node; ++i) {
    if (all.pairs[i].face == face) return &all.pairs[i];
    if (all.pairs[i].touched == c->model.surface.face_bodies[face]) found = &all.pairs[i];
  }
  return found;
}

static bool explain_contact(const ipg_contact *c, ipg_id node, ipg_id face, explanation *e) {
  const ipg_contact_pair *pair = find_contact(c, node, face);
  if (!pair) return false;
  const long long gid = (long long)c->model.surface.node_gids[node];
  const double gap = pair->gap + pair->history.initial_offset; /* where it is, not how hard it presses */
  e->time = pair->time, e->gap = gap;
  if (pair->face == face && pair->history.initial_penetration > 0)
    ipg_set_explanation(e, IPG_REASON_IN_CONTACT,
                        "node %lld is in contact with the face, %g deep beyond an initial penetration of %g", gid,
                        -pair->gap, pair->history.initial_penetration);
  else if (pair->face == face)
    ipg_set_explanation(e, IPG_REASON_IN_CONTACT, "node %lld is in contact with the face, %g deep%s", gid, -gap,
                        pair->activated ? ", since this step" : "");
  else
    ipg_set_explanation(e, IPG_REASON_OTHER_FACE,
                        "node %lld touches this body, %g deep, at side %d of element %lld, which is nearer", gid, -gap,
                        pair->side + 1, (long long)pair->element);
  return true;
}

static bool explain_initial_penetration(const ipg_contact *c, ipg_id node, ipg_id face, explanation *e) {
  double depth;
  if (!ipg_is_inside_by_solid_angle(&c->model.surface, c->accepted->x.at, node, c->model.surface.face_bodies[face],
                                    &depth))
    return false;
  e->gap = -depth;
  ipg_set_explanation(
      e, IPG_REASON_INSIDE,
      "node %lld was inside this body, %g deep, before the step: only a way in from outside makes a pair%s",
      (long long)c->model.surface.node_gids[node], depth,
      ipg_has_face_contact(&c->model) ? "; ask with two faces what presses" : "; it gets no force until it has left");
  return true;
}

/* How far the boxes of the two paths lie apart, along the axis where that is most. */
static double distance_of_paths(const ipg_node_face_path *path) {
  double most = -INFINITY;
  for (int k = 0; k < 3; ++k) {
    double lo = INFINITY, hi = -INFINITY;
    for (int end = 0; end < 2; ++end)
      for (int i = 0; i < 3; ++i) {
        lo = smaller(lo, path->face[end][i][k]);
        hi = larger(hi, path->face[end][i][k]);
      }
    most = larger(most, smaller(path->node[0][k], path->node[1][k]) - hi);
    most = larger(most, lo - larger(path->node[0][k], path->node[1][k]));
  }
  return most;
}

static bool explain_distance(ipg_id node, const ipg_contact *c, const ipg_node_face_path *path, explanation *e) {
  e->gap = distance_of_paths(path);
  if (!(e->gap > 0)) return false;
  ipg_set_explanation(e, IPG_REASON_PATHS_APART, "the paths of node %lld and of the face stay %g apart",
                      (long long)c->model.surface.node_gids[node], e->gap);
  return true;
}

/* In front of the face's plane: positive. */
static double height_at(const ipg_node_face_path *path, int end) {
  const vec a = vec_at(path->face[end][0], 0), b = vec_at(path->face[end][1], 0), c = vec_at(path->face[end][2], 0);
  return vec_dot(vec_sub(vec_at(path->node[end], 0), a), vec_unit(ipg_triangle_area_vector(a, b, c)));
}

static void explain_crossing(const ipg_contact *c, ipg_id node, const ipg_node_face_path *path, explanation *e) {
  const long long gid = (long long)c->model.surface.node_gids[node];
  const double before = height_at(path, 0), after = height_at(path, 1);
  ipg_crossing crossing;
  e->gap = after;
  if (ipg_node_enters_face(path, &crossing)) {
    e->time = crossing.earliest;
    ipg_set_explanation(e, IPG_REASON_LEFT_AGAIN,
                        "node %lld went in through the face at %g of the step, and is outside the body at its end", gid,
                        e->time);
  } else if (before < 0 && after < 0)
    ipg_set_explanation(
        e, IPG_REASON_BEHIND,
        "node %lld was behind the face's plane by %g before the step: only a way in from the front counts", gid,
        -before);
  else if (after >= 0)
    ipg_set_explanation(e, IPG_REASON_IN_FRONT, "node %lld ends the step in front of the face, at height %g", gid,
                        after);
  else ipg_set_explanation(e, IPG_REASON_BESIDE, "node %lld goes through the face's plane beside the face", gid);
}

static ipg_status check_question(const ipg_contact *c, ipg_id node, ipg_gid gid, ipg_id face, ipg_contact_face_id at,
                                 ipg_error *error) {
  if (c->holds != IPG_TRIAL_OF_FORCES)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "there is nothing to explain: evaluate first");
  if (node < 0) return ipg_fail(error, IPG_ERROR_ARGUMENT, "node %lld is not on the surface", (long long)gid);
  if (face < 0)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "side %d of element %lld is not on the surface", at.side + 1,
                    (long long)at.element);
  return IPG_OK;
}

ipg_status ipg_contact_explain(const ipg_contact *c, ipg_gid gid, ipg_contact_face_id at, explanation *e,
                               ipg_error *error) {
  const ipg_id node = ipg_find_node(&c->model.surface, gid), face = ipg_find_face(&c->model.surface, at);
  *e = (explanation){.time = NAN, .gap = NAN};
  const ipg_status status = check_question(c, node, gid, face, at, error);
  if (status || explain_topology(c, node, face, e) || explain_tie(c, node, face, e)) return status;
  if (!ipg_is_contact_on(&c->model, c->trial->time, node, face))
    return ipg_set_explanation(e, IPG_REASON_OFF, "a rule keeps node %lld and the face apart at time %g",
                               (long long)gid, c->trial->time),
           IPG_OK;
  if (explain_contact(c, node, face, e) || explain_initial_penetration(c, node, face, e)) return IPG_OK;
  const ipg_step step = ipg_step_of(c);
  const ipg_node_face_path path = ipg_path_of_node_face(&step, node, face);
  if (!explain_distance(node, c, &path, e)) explain_crossing(c, node, &path, e);
  return IPG_OK;
}
