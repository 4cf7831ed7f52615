/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Activation: which bodies a node is in contact with at the end of the step.
 *
 * A contact is activated when the node's path enters a face of a body. From then on it belongs to (node, body) and is
 * tracked (tracking.c) until it is deactivated. */
#include "detect/activation.h"

#include "detect/bearing_face.h"
#include "detect/tracking.h"
#include "model/block_rules.h"

ipg_node_face_path ipg_path_of_node_face(const ipg_step *step, ipg_id node, ipg_id face) {
  const double *x[2] = {step->x0, step->x1};
  const ipg_id *corner = ipg_face_corners(&step->model->surface, face);
  ipg_node_face_path path;
  for (int end = 0; end < 2; ++end)
    for (int k = 0; k < 3; ++k) {
      path.node[end][k] = x[end][3 * (int64_t)node + k];
      for (int i = 0; i < 3; ++i) path.face[end][i][k] = x[end][3 * (int64_t)corner[i] + k];
    }
  return path;
}

/* ------------------------------------------------------------------------------------------------------------ entries
 */

static bool enters_face(const ipg_step *step, ipg_id node, ipg_id face, ipg_crossing *crossing) {
  const ipg_node_face_path path = ipg_path_of_node_face(step, node, face);
  return ipg_node_enters_face(&path, crossing);
}

/* Until activation, `gap` compares entries: less deep behind the face. */
static ipg_contact_pair entry_contact(const ipg_step *step, ipg_id node, ipg_id face, ipg_crossing crossing) {
  const ipg_surface *s = &step->model->surface;
  const ipg_closest_point q = ipg_closest_point_at_end(step, node, face);
  return (ipg_contact_pair){.kind = IPG_CONTACT_NODE_FACE,
                            .owner = node,
                            .touched = s->face_bodies[face],
                            .nodes = {node},
                            .weights = {1},
                            .face = face,
                            .node_gid = s->node_gids[node],
                            .activated = true,
                            .history = {.entered_from_outside = true},
                            .time = crossing.earliest,
                            .time_through = crossing.latest,
                            .gap = -q.height};
}

/* The face that the node is surely through first. Not the first touch: a node that comes through the end of a bar along
 * its side is within rounding of the side's faces all the time, but only through the end's. Where a node is surely
 * through two faces at times that rounding cannot tell apart, as on an edge, the one it is less deep behind. */
static bool is_sooner(const ipg_contact_pair *a, const ipg_contact_pair *b) {
  const bool is_together = a->time <= b->time_through && b->time <= a->time_through;
  const double noise = IPG_SAME_DISTANCE * fabs(b->gap);
  if (is_together && a->time_through < 1 && b->time_through < 1) return a->gap > b->gap + noise;
  return a->time_through < b->time_through;
}

/* A node has one contact with a body. A projection holds it in front of every face that it went through, as of the
 * floor and the wall in a corner. */
static bool exclude_each_other(const ipg_step *step, const ipg_contact_pair *a, ipg_id face) {
  return ipg_is_kinematic(step->model) ? a->face == face : a->touched == step->model->surface.face_bodies[face];
}

static bool has_contact(const ipg_step *step, const ipg_node_work *work, int64_t count, ipg_id face) {
  for (int64_t i = 0; i < count; ++i)
    if (exclude_each_other(step, &work->contacts[i], face)) return true;
  return false;
}

/* Time at which the node came out in front of the face that held it behind; 0: it did not. */
static double time_out(const ipg_step *step, const ipg_contact_pair *held) {
  const double before = ipg_closest_point_on_face(&step->model->surface, step->x0, held->owner, held->face).height;
  const double after = ipg_closest_point_at_end(step, held->owner, held->face).height;
  return before > 0 && !(after > 0) ? before / (before - after) : 0;
}

/* A node that is pulled back out of a thin wall also crosses the far side of the wall: no entry, if it happens before
 * the node is out in front of the face that held it. Only for bodies with which the node has no contact left; contacts
 * [0, count) go on. */
static bool is_on_the_way_out(const ipg_step *step, const ipg_node_work *work, int64_t count, ipg_id face,
                              double time) {
  const int32_t body = step->model->surface.face_bodies[face];
  for (int64_t i = 0; i < count; ++i)
    if (work->contacts[i].touched == body) return false;
  for (int64_t i = 0; i < work->history_count; ++i)
    if (work->history[i].touched == body && time <= time_out(step, &work->history[i])) return true;
  return false;
}

/* Adds to the node's old contacts, [0, count), an entry for each face that it enters. */
static int64_t add_entries(const ipg_step *step, const ipg_node_work *work, int64_t count) {
  int64_t all = count;
  for (int64_t i = 0; i < work->hit_count; ++i) {
    const ipg_id node = work->node, face = work->hits[i].b;
    ipg_crossing crossing;
    if (has_contact(step, work, count, face) || !ipg_is_contact_on(step->model, step->time1, node, face) ||
        !enters_face(step, node, face, &crossing))
      continue;
    if (is_on_the_way_out(step, work, count, face, crossing.latest)) continue;
    work->contacts[all++] = entry_contact(step, node, face, crossing);
  }
  return all;
}

/* --------------------------------------------------------------------------------------------------------- activation
 */

/* False where the node is out again at the end of the step. */
static bool activate_contact(const ipg_step *step, ipg_contact_pair *contact) {
  const ipg_id node = contact->nodes[0];
  const ipg_closest_point bearing =
      ipg_find_bearing_face(step, ipg_closest_point_at_end(step, node, contact->face), node);
  ipg_set_contact_point(&step->model->surface, contact, &bearing);
  contact->history.initial_penetration = ipg_initial_penetration_around(step, contact);
  return ipg_track_contact(step, contact);
}

/* Index of the soonest among the first entry and those that exclude it. */
static int64_t find_soonest(const ipg_step *step, const ipg_contact_pair *entries, int64_t count) {
  int64_t best = 0;
  for (int64_t i = 1; i < count; ++i)
    if (exclude_each_other(step, &entries[0], entries[i].face) && is_sooner(&entries[i], &entries[best])) best = i;
  return best;
}

/* Activates entries [active, count): of those that exclude each other the soonest, but one that the node has left again
 * makes room for the next. Returns the number of active contacts, older ones included. */
static int64_t activate_entries(const ipg_step *step, ipg_contact_pair *contacts, int64_t active, int64_t count) {
  while (active < count) {
    const int64_t best = active + find_soonest(step, contacts + active, count - active);
    ipg_contact_pair entry = contacts[best];
    const ipg_id entered = entry.face;
    contacts[best] = contacts[active];
    if (!activate_contact(step, &entry)) {
      contacts[active] = contacts[--count];
      continue;
    }
    contacts[active++] = entry;
    int64_t left = active;
    for (int64_t i = active; i < count; ++i)
      if (!exclude_each_other(step, &contacts[i], entered)) contacts[left++] = contacts[i];
    count = left;
  }
  return active;
}

/* -------------------------------------------------------------------------------------------------------- old contacts
 */

static int64_t copy_history(const ipg_node_work *work) {
  for (int64_t i = 0; i < work->history_count; ++i) {
    work->contacts[i] = work->history[i];
    work->contacts[i].activated = false;
    work->contacts[i].time = 0;
    work->contacts[i].time_through = 0;
  }
  return work->history_count;
}

/* Tracks contacts [0, count) and drops those that are over; returns how many are left. */
static int64_t track_contacts(const ipg_step *step, ipg_contact_pair *contacts, int64_t count) {
  int64_t active = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (!ipg_track_contact(step, &contacts[i])) continue;
    if (active != i) contacts[active] = contacts[i];
    ++active;
  }
  return active;
}

/* By body, then by face: all are of the same kind and node. */
static void sort_contacts(ipg_contact_pair *contacts, int64_t count) {
  for (int64_t i = 1; i < count; ++i)
    for (int64_t j = i; j > 0 && ipg_compare_contacts_and_faces(&contacts[j], &contacts[j - 1]) < 0; --j) {
      const ipg_contact_pair swap = contacts[j];
      contacts[j] = contacts[j - 1], contacts[j - 1] = swap;
    }
}

/* Several contacts may have come to the same face; the oldest stays. Returns how many there are then. */
static int64_t drop_duplicates(ipg_contact_pair *contacts, int64_t count) {
  int64_t kept = 0;
  for (int64_t i = 0; i < count; ++i)
    if (!kept || contacts[i].face != contacts[kept - 1].face) contacts[kept++] = contacts[i];
  return kept;
}

/* Old contacts first: where one is over, the node may enter the same body anew, through another face. */
int64_t ipg_detect_node_contacts(const ipg_step *step, const ipg_node_work *work) {
  ipg_contact_pair *contacts = work->contacts;
  const int64_t old = track_contacts(step, contacts, copy_history(work));
  const int64_t active = activate_entries(step, contacts, old, add_entries(step, work, old));
  sort_contacts(contacts, active);
  return drop_duplicates(contacts, active);
}
