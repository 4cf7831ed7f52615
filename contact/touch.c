/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Which bodies does a node touch at the end of the step?
 *
 * A contact is born when the node's path enters a face of a body; where surfaces have a thickness, when the node comes
 * as near as that. From then on it belongs to (node, body) and is followed (follow.c) until it ends. */
#include "around.h"
#include "support/vec.h"

/* In parts of the step: two faces that are as near as they are thick at the edge they share, but for rounding. */
static const double same_time = 1e-9;

ipg_node_face_path ipg_contact_path_of(const ipg_contact *c, ipg_id node, ipg_id face) {
  const double *x[2] = {ipg_accepted_x(c), ipg_trial_x(c)};
  ipg_node_face_path path;
  for (int end = 0; end < 2; ++end)
    for (int k = 0; k < 3; ++k) {
      path.node[end][k] = x[end][3 * (int64_t)node + k];
      for (int i = 0; i < 3; ++i)
        path.face[end][i][k] = x[end][3 * (int64_t)c->surface.faces[3 * (int64_t)face + i] + k];
    }
  return path;
}

/* Was the node out of the body before the step, as far as this face tells? */
static bool stood_outside(const ipg_contact *c, ipg_id node, ipg_id face) {
  const foot f = ipg_foot_on_face(&c->surface, ipg_accepted_x(c), node, face);
  return !(f.height > 0) || ipg_foot_beside2(&f) > f.height * f.height;
}

/* Through the face; or, where surfaces are thick, as near as that to it. */
static bool enters(const ipg_contact *c, ipg_id node, ipg_id face, ipg_crossing *passage) {
  const double thickness = ipg_contact_separation(c, node, face);
  if (thickness > 0) {
    passage->earliest = ipg_contact_touch_time(c, node, face);
    passage->latest = smaller(1, passage->earliest + same_time);
    return passage->earliest < INFINITY && stood_outside(c, node, face);
  }
  const ipg_node_face_path path = ipg_contact_path_of(c, node, face);
  return ipg_node_enters_face(&path, passage);
}

/* `gap` compares births: less deep behind the face, or nearer to one that is thick. */
static ipg_contact_pair newborn(const ipg_contact *c, ipg_id node, ipg_id face, ipg_crossing passage) {
  const foot f = ipg_foot_in_trial(c, node, face);
  const bool is_thick = ipg_contact_separation(c, node, face) > 0;
  return (ipg_contact_pair){.kind = IPG_CONTACT_NODE_FACE,
                            .owner = node,
                            .touched = c->surface.face_bodies[face],
                            .nodes = {node},
                            .weights = {1},
                            .face = face,
                            .node_gid = c->surface.node_gids[node],
                            .activated = true,
                            .entered_from_outside = true,
                            .time = passage.earliest,
                            .time_through = passage.latest,
                            .gap = is_thick ? -sqrt(f.distance2) : -f.height};
}

/* The face that the node is surely through first. Not the first touch: a node that comes through the end of a bar along
 * its side is within rounding of the side's faces all the time, but only through the end's. Where a node is surely
 * through two faces at times that rounding cannot tell apart, as on an edge, the one it is less deep behind. */
static bool is_sooner(const ipg_contact_pair *birth, const ipg_contact_pair *known) {
  const bool together = birth->time <= known->time_through && known->time <= birth->time_through;
  const double noise = 1e-10 * fabs(known->gap);
  if (together && birth->time_through < 1 && known->time_through < 1) return birth->gap > known->gap + noise;
  return birth->time_through < known->time_through;
}

/* May a node have only one of the two? A correction holds a node in front of every face that it went through, as of the
 * floor and the wall in a corner; a spring pulls it out of the body once. */
static bool exclude_each_other(const ipg_contact *c, const ipg_contact_pair *a, ipg_id face) {
  return ipg_is_kinematic(c) ? a->face == face : a->touched == c->surface.face_bodies[face];
}

static bool is_known(const ipg_contact *c, const ipg_visit *visit, int64_t count, ipg_id face) {
  for (int64_t i = 0; i < count; ++i)
    if (exclude_each_other(c, &visit->contacts[i], face)) return true;
  return false;
}

/* When the node came out in front of the face that held it behind, in parts of the step; 0: it did not. */
static double time_out(const ipg_contact *c, const ipg_contact_pair *held) {
  const double before = ipg_foot_on_face(&c->surface, ipg_accepted_x(c), held->owner, held->face).height;
  const double after = ipg_foot_in_trial(c, held->owner, held->face).height;
  return before > 0 && !(after > 0) ? before / (before - after) : 0;
}

/* One that was held behind a thin wall and is pulled back through it comes in at the back and out at the front: what it
 * passes on the way out is no entry. Of bodies whose contact has ended; [0, count) are those that have not. */
static bool is_on_the_way_out(const ipg_contact *c, const ipg_visit *visit, int64_t count, ipg_id face, double time) {
  const int32_t body = c->surface.face_bodies[face];
  for (int64_t i = 0; i < count; ++i)
    if (visit->contacts[i].touched == body) return false;
  for (int64_t i = 0; i < visit->history_count; ++i)
    if (visit->history[i].touched == body && time <= time_out(c, &visit->history[i])) return true;
  return false;
}

/* Adds to the node's old contacts, [0, count), a birth for each face that it enters. */
static int64_t add_births(const ipg_contact *c, const ipg_visit *visit, int64_t count) {
  int64_t all = count;
  for (int64_t i = 0; i < visit->candidate_count; ++i) {
    const ipg_id node = visit->node, face = visit->candidates[i].b;
    ipg_crossing passage;
    if (is_known(c, visit, count, face) || !ipg_contact_is_on(c, node, face) || !enters(c, node, face, &passage))
      continue;
    if (is_on_the_way_out(c, visit, count, face, passage.latest)) continue;
    visit->contacts[all++] = newborn(c, node, face, passage);
  }
  return all;
}

/* False where the node is out again at the end of the step. */
static bool begin(const ipg_contact *c, ipg_contact_pair *contact) {
  const foot bearing = ipg_bearing_of(c, ipg_foot_in_trial(c, contact->nodes[0], contact->face), contact->nodes[0]);
  ipg_contact_stand_on(c, contact, &bearing);
  contact->initial_penetration = ipg_overlap_around(c, contact);
  ipg_penalty_begin(c, contact);
  return ipg_contact_follow(c, contact);
}

static int64_t copy_history(const ipg_visit *visit) {
  for (int64_t i = 0; i < visit->history_count; ++i) {
    visit->contacts[i] = visit->history[i];
    visit->contacts[i].activated = false;
    visit->contacts[i].time = 0;
    visit->contacts[i].time_through = 0;
  }
  return visit->history_count;
}

/* By body, then by face: of the same kind and node. */
static void sort_contacts(ipg_contact_pair *contacts, int64_t count) {
  for (int64_t i = 1; i < count; ++i)
    for (int64_t j = i; j > 0 && ipg_contact_order_of_places(&contacts[j], &contacts[j - 1]) < 0; --j) {
      const ipg_contact_pair swap = contacts[j];
      contacts[j] = contacts[j - 1], contacts[j - 1] = swap;
    }
}

/* Several may have come to the same face; the oldest stays. Returns how many there are then. */
static int64_t drop_twins(ipg_contact_pair *contacts, int64_t count) {
  int64_t kept = 0;
  for (int64_t i = 0; i < count; ++i)
    if (!kept || contacts[i].face != contacts[kept - 1].face) contacts[kept++] = contacts[i];
  return kept;
}

/* Moves contacts [0, count) on, and drops those that have ended; returns how many are left. */
static int64_t keep_alive(const ipg_contact *c, ipg_contact_pair *contacts, int64_t count) {
  int64_t alive = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (!ipg_contact_follow(c, &contacts[i])) continue;
    const bool has_no_spring_yet = !ipg_is_kinematic(c) && contacts[i].stiffness_dt2 == 0; /* from the start */
    if (has_no_spring_yet) ipg_penalty_begin(c, &contacts[i]);
    if (alive != i) contacts[alive] = contacts[i];
    ++alive;
  }
  return alive;
}

/* Of those that exclude the first one: the soonest. */
static int64_t soonest(const ipg_contact *c, const ipg_contact_pair *births, int64_t count) {
  int64_t best = 0;
  for (int64_t i = 1; i < count; ++i)
    if (exclude_each_other(c, &births[0], births[i].face) && is_sooner(&births[i], &births[best])) best = i;
  return best;
}

/* Begins births [alive, count): of those that exclude each other the soonest, but one that the node has left again
 * makes room for the next. Returns how many live, older ones included. */
static int64_t begin_births(const ipg_contact *c, ipg_contact_pair *contacts, int64_t alive, int64_t count) {
  while (alive < count) {
    const int64_t best = alive + soonest(c, contacts + alive, count - alive);
    ipg_contact_pair birth = contacts[best];
    const ipg_id entry = birth.face;
    contacts[best] = contacts[alive];
    if (!begin(c, &birth)) {
      contacts[alive] = contacts[--count];
      continue;
    }
    contacts[alive++] = birth;
    int64_t left = alive;
    for (int64_t i = alive; i < count; ++i)
      if (!exclude_each_other(c, &contacts[i], entry)) contacts[left++] = contacts[i];
    count = left;
  }
  return alive;
}

/* Old contacts first: where one has ended, the node may enter the same body anew, through another face. */
int64_t ipg_contact_touch_node(const ipg_contact *c, const ipg_visit *visit) {
  ipg_contact_pair *contacts = visit->contacts;
  const int64_t old = keep_alive(c, contacts, copy_history(visit));
  const int64_t alive = begin_births(c, contacts, old, add_births(c, visit, old));
  sort_contacts(contacts, alive);
  return drop_twins(contacts, alive);
}
