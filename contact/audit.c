/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The last evaluation again, by brute force: every node's capture box against every face's, every node's contacts from
 * all faces that its path comes near, and every node against the inside of every body. Slow on purpose and simple on
 * purpose: it shares the geometry of one pair with the step, but none of the search, nor of what makes searches last.
 */
#include "audit.h"
#include "foot.h"
#include "support/box.h"

#include <stdio.h>
#include <string.h>

static bool capture_boxes_overlap(const ipg_contact *c, ipg_id node, ipg_id face) {
  const ipg_box *nodes = c->buffers[NODE_BOXES].data, *faces = c->buffers[FACE_BOXES].data;
  return ipg_boxes_overlap(&nodes[node], &faces[face]);
}

static void blame(audit *a, const char *what, ipg_id node, ipg_id face) {
  if (a->report->message[0]) return;
  snprintf(a->report->message, sizeof a->report->message, "%s: node %lld, element %lld side %d", what,
           (long long)a->c->surface.node_gids[node], (long long)a->c->surface.face_elements[face],
           a->c->surface.face_sides[face] + 1);
}

/* Do their boxes overlap, and can they meet in them? Without a skin nobody asks. */
static bool should_be_candidate(const ipg_contact *c, ipg_id node, ipg_id face) {
  return !ipg_is_own_face(&c->surface, node, face) && capture_boxes_overlap(c, node, face) &&
         !(c->search_margin > 0 && (float)ipg_span_to_face(c, node, face) > 1);
}

/* Those of a node are sorted by face, so they can be checked off one after another, from `at`; returns where they end.
 */
static int64_t audit_candidates(audit *a, ipg_id node, int64_t at) {
  const ipg_contact *c = a->c;
  for (ipg_id face = 0; face < c->surface.face_count; ++face) {
    const bool expected = should_be_candidate(c, node, face);
    const bool found = at < c->faces.count && c->faces.pairs[at].a == node && c->faces.pairs[at].b == face;
    at += found;
    if (expected == found) continue;
    a->report->missed_candidates++;
    blame(a, expected ? "the search missed a pair" : "the search gave a pair in excess", node, face);
  }
  for (; at < c->faces.count && c->faces.pairs[at].a == node; ++at) {
    a->report->missed_candidates++;
    blame(a, "the search gave a pair twice or out of order", node, c->faces.pairs[at].b);
  }
  return at;
}

ipg_box ipg_box_of_paths(const ipg_contact *c, const ipg_id *nodes, int count) {
  ipg_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  const double *places[2] = {ipg_accepted_x(c), ipg_trial_x(c)};
  for (int i = 0; i < 2 * count; ++i) {
    const double *x = places[i % 2] + 3 * (int64_t)nodes[i / 2];
    ipg_box_include(&box, &(ipg_box){{x[0], x[1], x[2]}, {x[0], x[1], x[2]}});
  }
  return box;
}

static void find_paths(audit *a) {
  const ipg_contact *c = a->c;
  for (ipg_id f = 0; f < c->surface.face_count; ++f) {
    a->paths[f] = ipg_box_of_paths(c, c->surface.faces + 3 * (int64_t)f, 3);
    ipg_contact_widen(&a->paths[f], larger(ipg_contact_reach_of_face(c, f), c->spare));
  }
}

static void visit_all_faces(audit *a, ipg_id node, ipg_visit *visit) {
  const ipg_contact_range old_contacts = ipg_contacts_of(a->c->accepted, IPG_CONTACT_NODE_FACE);
  const ipg_contact_pair *history = old_contacts.pairs;
  const int64_t count = old_contacts.count;
  const ipg_box path = ipg_box_of_paths(a->c, &node, 1);
  *visit = (ipg_visit){.node = node, .candidates = a->faces, .history = history, .contacts = a->contacts};
  for (ipg_id face = 0; face < a->c->surface.face_count; ++face)
    if (!ipg_is_own_face(&a->c->surface, node, face) && ipg_boxes_overlap(&path, &a->paths[face]) &&
        ipg_contact_touch_time(a->c, node, face) < INFINITY)
      a->faces[visit->candidate_count++] = (ipg_pair){node, face};
  int64_t old = 0;
  while (old < count && history[old].nodes[0] < node) ++old;
  visit->history += old;
  for (; old < count && history[old].nodes[0] == node; ++old) ++visit->history_count;
}

static bool is_same(const ipg_contact_pair *a, const ipg_contact_pair *b) {
  return a->face == b->face && a->touched == b->touched && a->gap == b->gap &&
         !memcmp(a->normal, b->normal, sizeof a->normal) && !memcmp(a->weights, b->weights, sizeof a->weights);
}

/* The face of the first contact that differs, or -1. */
static ipg_id find_difference(const ipg_contact_pair *found, int64_t count, const ipg_contact_pair *expected,
                              int64_t expected_count) {
  const int64_t both = expected_count < count ? expected_count : count;
  int64_t same = 0;
  while (same < both && is_same(&found[same], &expected[same])) ++same;
  if (same == expected_count && same == count) return -1;
  return same < expected_count ? expected[same].face : found[same].face;
}

static bool is_among(const ipg_contact_pair *pair, const ipg_contact_pair *pairs, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (ipg_contact_order(pair, &pairs[i]) == 0) return true;
  return false;
}

/* A correction keeps contacts that push where all faces find none any more. But what all faces find it must know, and
 * nothing may be deeper than it said. */
static ipg_id find_uncorrected(const ipg_contact *c, const ipg_contact_pair *found, int64_t count,
                               const ipg_contact_pair *expected, int64_t expected_count) {
  for (int64_t i = 0; i < expected_count; ++i)
    if (!is_among(&expected[i], found, count) || -expected[i].gap > c->residual + c->close_enough)
      return expected[i].face;
  for (int64_t i = 0; i < count; ++i)
    if (!(found[i].normal_force > 0) && !is_among(&found[i], expected, expected_count)) return found[i].face;
  return -1;
}

/* Contacts of the node in the trial are [begin, end). */
static void audit_contacts(audit *a, ipg_id node, int64_t begin, int64_t end) {
  const ipg_contact_pair *found = (const ipg_contact_pair *)a->c->trial->contacts.data + begin;
  ipg_visit visit;
  visit_all_faces(a, node, &visit);
  const int64_t expected = ipg_contact_touch_node(a->c, &visit);
  for (int64_t i = 0; ipg_is_kinematic(a->c) && i < expected; ++i) ipg_kinematic_settle(a->c, &a->contacts[i]);
  const ipg_id face = ipg_is_kinematic(a->c) ? find_uncorrected(a->c, found, end - begin, a->contacts, expected)
                                             : find_difference(found, end - begin, a->contacts, expected);
  if (face < 0) return;
  a->report->wrong_contacts++;
  blame(a, "a contact differs from what all faces give", node, face);
}

/* The solid angle of a face as seen from p (van Oosterom and Strackee 1983), positive from inside. */
static double solid_angle(vec p, vec a, vec b, vec c) {
  a = vec_sub(a, p), b = vec_sub(b, p), c = vec_sub(c, p);
  const double la = vec_length(a), lb = vec_length(b), lc = vec_length(c);
  const double above = vec_dot(a, vec_cross(b, c));
  const double below = la * lb * lc + vec_dot(a, b) * lc + vec_dot(b, c) * la + vec_dot(c, a) * lb;
  return 2 * atan2(above, below);
}

/* All solid angles together, over 4 pi: 1 inside, 0 outside. A node on its own body sees, without its own faces, the
 * angle inside its corner, from 0 to 1; and 1 more where another part of the body has come over it. */
static bool is_surrounded(const ipg_contact *c, const double *x, ipg_id node, int32_t body) {
  double angle = 0;
  bool own = false;
  for (int64_t f = 0; f < c->surface.face_count; ++f) {
    const ipg_id *corner = c->surface.faces + 3 * f;
    if (c->surface.face_bodies[f] != body) continue;
    if (corner[0] == node || corner[1] == node || corner[2] == node) own = true;
    else angle += solid_angle(vec_at(x, node), vec_at(x, corner[0]), vec_at(x, corner[1]), vec_at(x, corner[2]));
  }
  return angle > 4 * 3.14159265358979323846 * (own ? 1.001 : 0.99);
}

static double distance_to_body(const ipg_contact *c, const double *x, ipg_id node, int32_t body) {
  double nearest2 = INFINITY;
  for (ipg_id f = 0; f < c->surface.face_count; ++f) {
    const ipg_id *corner = c->surface.faces + 3 * (int64_t)f;
    if (c->surface.face_bodies[f] != body || corner[0] == node || corner[1] == node || corner[2] == node) continue;
    nearest2 = smaller(nearest2, ipg_foot_on_face(&c->surface, x, node, f).distance2);
  }
  return sqrt(nearest2);
}

static ipg_box box_of_body(const ipg_contact *c, const double *x, int32_t body) {
  ipg_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int64_t i = 0; i < 3 * c->surface.face_count; ++i) {
    const double *at = x + 3 * (int64_t)c->surface.faces[i];
    if (c->surface.face_bodies[i / 3] == body)
      ipg_box_include(&box, &(ipg_box){{at[0], at[1], at[2]}, {at[0], at[1], at[2]}});
  }
  return box;
}

/* On the surface, but for rounding, solid angles may come out as from inside. */
bool ipg_contact_is_inside(const ipg_contact *c, const double *x, ipg_id node, int32_t body, double *depth) {
  if (!is_surrounded(c, x, node, body)) return false;
  *depth = distance_to_body(c, x, node, body);
  const ipg_box box = box_of_body(c, x, body);
  return *depth > 1e-10 * ipg_box_extent(&box);
}

static bool touches(const ipg_contact *c, int64_t begin, int64_t end, int32_t body) {
  const ipg_contact_pair *contacts = c->trial->contacts.data;
  for (int64_t i = begin; i < end; ++i)
    if (contacts[i].touched == body) return true;
  return false;
}

static bool is_tied(const ipg_contact *c, ipg_id node, int32_t body) {
  const ipg_contact_range all = ipg_contacts_of(c->trial, IPG_CONTACT_TIE);
  for (int64_t i = ipg_first_contact_of(&all, node); i < all.count && all.pairs[i].owner == node; ++i)
    if (c->surface.face_bodies[all.pairs[i].face] == body) return true;
  return false;
}

static ipg_id first_face_of_body(const ipg_contact *c, int32_t body) {
  ipg_id face = 0;
  while (c->surface.face_bodies[face] != body) ++face;
  return face;
}

static bool is_in_box(const ipg_box *box, const double *x) {
  return x[0] >= box->lo[0] && x[0] <= box->hi[0] && x[1] >= box->lo[1] && x[1] <= box->hi[1] && x[2] >= box->lo[2] &&
         x[2] <= box->hi[2];
}

/* Where the contacts of `node` end in the trial's array, given where they begin. */
static int64_t end_of_contacts(const ipg_contact *c, ipg_id node, int64_t begin) {
  const ipg_contact_range all = ipg_contacts_of(c->trial, IPG_CONTACT_NODE_FACE);
  while (begin < all.count && all.pairs[begin].owner == node) ++begin;
  return begin;
}

static void audit_inside_body(audit *a, int32_t body) {
  const ipg_contact *c = a->c;
  const ipg_box box = box_of_body(c, ipg_trial_x(c), body);
  int64_t begin = 0, end;
  double depth;
  for (ipg_id node = 0; node < c->surface.node_count; ++node, begin = end) {
    end = end_of_contacts(c, node, begin);
    if (!is_in_box(&box, ipg_trial_x(c) + 3 * (int64_t)node) || touches(c, begin, end, body) ||
        is_tied(c, node, body) || !ipg_contact_is_inside(c, ipg_trial_x(c), node, body, &depth))
      continue;
    a->report->nodes_inside++;
    blame(a, "a node is inside a body without contact", node, first_face_of_body(c, body));
  }
}

static void audit_inside(audit *a) {
  for (int32_t body = 0; body < a->c->body_count; ++body) audit_inside_body(a, body);
}

static void audit_search_and_contacts(audit *a) {
  const ipg_contact *c = a->c;
  int64_t begin = 0, end, candidate = 0;
  for (ipg_id node = 0; node < c->surface.node_count; ++node, begin = end) {
    end = end_of_contacts(c, node, begin);
    candidate = audit_candidates(a, node, candidate);
    if (ipg_looks_for_faces(c, node)) audit_contacts(a, node, begin, end);
  }
}

static ipg_status refuse_without_trial(const ipg_contact *c, ipg_error *error) {
  if (c->has_trial) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_ARGUMENT, "there is nothing to audit: evaluate first");
}

ipg_status ipg_contact_audit_inside(const ipg_contact *c, ipg_contact_audit_report *report, ipg_error *error) {
  *report = (ipg_contact_audit_report){0};
  const ipg_status status = refuse_without_trial(c, error);
  if (!status) audit_inside(&(audit){.c = c, .report = report});
  return status;
}

ipg_status ipg_contact_audit(const ipg_contact *c, ipg_contact_audit_report *report, ipg_error *error) {
  *report = (ipg_contact_audit_report){0};
  ipg_buffer paths = {0}, faces = {0}, contacts = {0};
  const ipg_allocator *allocator = &c->config.allocator;
  const int64_t most = c->surface.face_count + c->accepted->contact_count;
  ipg_status status = refuse_without_trial(c, error);
  if (!status) status = ipg_buffer_reserve(&paths, allocator, c->surface.face_count, sizeof(ipg_box), error);
  if (!status) status = ipg_buffer_reserve(&faces, allocator, c->surface.face_count, sizeof(ipg_pair), error);
  if (!status) status = ipg_buffer_reserve(&contacts, allocator, most, sizeof(ipg_contact_pair), error);
  if (!status) {
    audit a = {c, report, paths.data, faces.data, contacts.data};
    find_paths(&a);
    audit_search_and_contacts(&a);
    if (c->edge_count) status = ipg_audit_edges(&a, error);
    audit_inside(&a);
  }
  ipg_buffer_destroy(&paths, allocator);
  ipg_buffer_destroy(&faces, allocator);
  ipg_buffer_destroy(&contacts, allocator);
  return status;
}
