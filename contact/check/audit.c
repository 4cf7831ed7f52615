/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The last evaluation checked by brute force: every node's path against every face's, every node's contacts from all
 * faces that its path touches, and every node against the inside of every body. Slow and simple on purpose: it shares
 * the geometry of one pair with the step, but has its own boxes and margins, and nothing of the search, of the
 * candidate filter, or of what lets candidates serve for many steps. */
#include "check/audit.h"

#include "detect/activation.h"
#include "detect/touch_time.h"
#include "model/block_rules.h"
#include "surface/face_geometry.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------------- candidates */

/* Memory for the work of one node. */
typedef struct brute_force {
  IPG_ARRAY(ipg_box) face_boxes; /* of all faces in this step */
  IPG_ARRAY(ipg_pair) hits;      /* all faces that the node's path touches */
  IPG_ARRAY(ipg_contact_pair) contacts;
} brute_force;

static ipg_status reserve_brute_force(brute_force *b, const ipg_contact *c, ipg_error *error) {
  const ipg_allocator *a = &c->model.config.allocator;
  const int64_t faces = c->model.surface.face_count;
  ipg_status status = ipg_array_reserve(&b->face_boxes, a, faces, error);
  if (!status) status = ipg_array_reserve(&b->hits, a, faces, error);
  if (!status) status = ipg_array_reserve(&b->contacts, a, faces + c->accepted->contacts.count, error);
  return status;
}

static void free_brute_force(brute_force *b, const ipg_allocator *a) {
  ipg_array_destroy(&b->face_boxes, a);
  ipg_array_destroy(&b->hits, a);
  ipg_array_destroy(&b->contacts, a);
}

static bool do_paths_touch(const ipg_audit *a, ipg_id node, ipg_id face) {
  const ipg_pair pair = {node, face};
  ipg_id points[4];
  double time;
  ipg_find_touch_times(&a->step, &pair, 1, points, &time);
  return time < INFINITY;
}

/* Of all faces, in order; returns how many. */
static int64_t find_hits(const ipg_audit *a, brute_force *b, ipg_id node) {
  const ipg_model *m = &a->contact->model;
  const ipg_box path = ipg_audit_path_box(&a->step, &node, 1);
  int64_t count = 0;
  for (ipg_id face = 0; face < m->surface.face_count; ++face) {
    if (ipg_is_own_face(&m->surface, node, face)) continue;
    if (!ipg_audit_boxes_near(&path, &b->face_boxes.at[face], m->touch_tolerance)) continue;
    if (do_paths_touch(a, node, face)) b->hits.at[count++] = (ipg_pair){node, face};
  }
  return count;
}

/* Every pair that touches must be among the node's active candidates, which are in order, each once. Returns where the
 * candidates of the node end. */
static int64_t audit_candidates(ipg_audit *a, const brute_force *b, int64_t hit_count, ipg_id node, int64_t at) {
  const ipg_candidates *k = &a->contact->broad_phase.node_face;
  int64_t hit = 0;
  for (ipg_id last = -1; at < k->active_count && k->active[at].a == node; last = k->active[at++].b) {
    const ipg_id face = k->active[at].b;
    const bool is_proper = face > last && !ipg_is_own_face(&a->contact->model.surface, node, face);
    a->report->missed_candidates += !is_proper;
    if (!is_proper) ipg_report_finding(a, "the search gave a pair in excess or out of order", node, face);
    for (; hit < hit_count && b->hits.at[hit].b < face; ++hit) {
      a->report->missed_candidates++;
      ipg_report_finding(a, "the search missed a pair that touches", node, b->hits.at[hit].b);
    }
    hit += hit < hit_count && b->hits.at[hit].b == face;
  }
  for (; hit < hit_count; ++hit) {
    a->report->missed_candidates++;
    ipg_report_finding(a, "the search missed a pair that touches", node, b->hits.at[hit].b);
  }
  return at;
}

/* --------------------------------------------------------------------------------------------------------- contacts */

static ipg_node_work work_of_node(const ipg_audit *a, const brute_force *b, int64_t hit_count, ipg_id node) {
  const ipg_contact_range old = ipg_contacts_of_kind(a->step.history, IPG_CONTACT_NODE_FACE);
  ipg_node_work work = {
      .node = node, .hits = b->hits.at, .hit_count = hit_count, .history = old.pairs, .contacts = b->contacts.at};
  const int64_t first = ipg_first_contact_of(&old, node);
  work.history += first;
  while (first + work.history_count < old.count && old.pairs[first + work.history_count].owner == node)
    ++work.history_count;
  return work;
}

static bool are_contacts_equal(const ipg_contact_pair *a, const ipg_contact_pair *b) {
  return a->face == b->face && a->touched == b->touched && a->gap == b->gap &&
         !memcmp(a->normal, b->normal, sizeof a->normal) && !memcmp(a->weights, b->weights, sizeof a->weights);
}

/* The face of the first contact that differs, or -1. */
static ipg_id find_difference(const ipg_contact_pair *found, int64_t count, const ipg_contact_pair *expected,
                              int64_t expected_count) {
  const int64_t both = expected_count < count ? expected_count : count;
  int64_t same = 0;
  while (same < both && are_contacts_equal(&found[same], &expected[same])) ++same;
  if (same == expected_count && same == count) return -1;
  return same < expected_count ? expected[same].face : found[same].face;
}

static bool is_among(const ipg_contact_pair *pair, const ipg_contact_pair *pairs, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (ipg_compare_contacts(pair, &pairs[i]) == 0) return true;
  return false;
}

/* A projection keeps contacts that push where all faces find none any more. But it must have every contact that all
 * faces find, and nothing may be deeper than the residual it returned. */
static ipg_id find_unprojected(const ipg_contact *c, const ipg_contact_pair *found, int64_t count,
                               const ipg_contact_pair *expected, int64_t expected_count) {
  const double deepest = c->projection.residual;
  for (int64_t i = 0; i < expected_count; ++i)
    if (!is_among(&expected[i], found, count) || -expected[i].gap > deepest) return expected[i].face;
  for (int64_t i = 0; i < count; ++i)
    if (!(found[i].response.normal_force > 0) && !is_among(&found[i], expected, expected_count)) return found[i].face;
  return -1;
}

/* The contacts of the node in the trial are found[0, count). */
static void audit_contacts(ipg_audit *a, const brute_force *b, int64_t hit_count, ipg_id node,
                           const ipg_contact_pair *found, int64_t count) {
  const bool is_kinematic = ipg_is_kinematic(&a->contact->model);
  const ipg_node_work work = work_of_node(a, b, hit_count, node);
  const int64_t expected = ipg_detect_node_contacts(&a->step, &work);
  for (int64_t i = 0; is_kinematic && i < expected; ++i) ipg_project_contact_on_plane(&a->step, &b->contacts.at[i]);
  const ipg_id face = is_kinematic ? find_unprojected(a->contact, found, count, b->contacts.at, expected)
                                   : find_difference(found, count, b->contacts.at, expected);
  if (face < 0) return;
  a->report->wrong_contacts++;
  ipg_report_finding(a, "a contact differs from what all faces give", node, face);
}

static void audit_nodes(ipg_audit *a, brute_force *b) {
  const ipg_surface *s = &a->contact->model.surface;
  const ipg_contact_range all = ipg_contacts_of_kind(&a->contact->trial->contacts, IPG_CONTACT_NODE_FACE);
  int64_t begin = 0, end, candidate = 0;
  for (ipg_id f = 0; f < s->face_count; ++f)
    b->face_boxes.at[f] = ipg_audit_path_box(&a->step, ipg_face_corners(s, f), 3);
  for (ipg_id node = 0; node < s->node_count; ++node, begin = end) {
    for (end = begin; end < all.count && all.pairs[end].owner == node;) ++end;
    const int64_t hits = find_hits(a, b, node);
    candidate = audit_candidates(a, b, hits, node, candidate);
    if (ipg_is_owned(s, node)) audit_contacts(a, b, hits, node, all.pairs + begin, end - begin);
  }
  const ipg_candidates *k = &a->contact->broad_phase.node_face; /* none is left unless they are out of order */
  a->report->missed_candidates += k->active_count - candidate;
  if (candidate < k->active_count)
    ipg_report_finding(a, "the search gave pairs out of order", k->active[candidate].a, k->active[candidate].b);
}

/* ------------------------------------------------------------------------------------------------------------ audit */

static ipg_status start_audit(ipg_audit *a, const ipg_contact *c, ipg_contact_audit_report *report, ipg_error *error) {
  *report = (ipg_contact_audit_report){0};
  if (c->holds != IPG_TRIAL_OF_FORCES)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "there is nothing to audit: evaluate first");
  *a = (ipg_audit){.contact = c, .model = c->model, .step = ipg_step_of(c), .report = report};
  a->model.config.tasks = ipg_tasks_serial();
  a->step.model = &a->model;
  return IPG_OK;
}

ipg_status ipg_contact_audit_inside(const ipg_contact *c, ipg_contact_audit_report *report, ipg_error *error) {
  ipg_audit a;
  const ipg_status status = start_audit(&a, c, report, error);
  if (!status) ipg_audit_bodies(&a);
  return status;
}

ipg_status ipg_contact_audit(const ipg_contact *c, ipg_contact_audit_report *report, ipg_error *error) {
  ipg_audit a;
  brute_force b = {0};
  ipg_status status = start_audit(&a, c, report, error);
  if (!status) status = reserve_brute_force(&b, c, error);
  if (!status) {
    audit_nodes(&a, &b);
    if (ipg_has_face_contact(&c->model)) ipg_audit_faces(&a);
    if (!status && ipg_has_face_contact(&c->model)) status = ipg_audit_forces(&a, error);
    ipg_audit_bodies(&a);
  }
  free_brute_force(&b, &c->model.config.allocator);
  return status;
}
