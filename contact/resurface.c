/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Another surface under the contacts, after elements were deleted.
 *
 * A fresh object is made from the new surface, with all checks and all memory that an object needs; history is carried
 * over; then the two swap their insides, and what was old is destroyed. Before the swap nothing of the old has changed,
 * from then on nothing can fail. Nodes are known again by gid, faces by (element, side, sub): indices and numbers of
 * bodies mean nothing from one surface to the next. */
#include "edges.h"
#include "foot.h"

#include <string.h>

typedef struct passage {
  const ipg_contact *from;
  ipg_contact *to;
} passage;

/* ----------------------------------------------------------------------------------------------------------- nodes */

/* Their forces too: half of them has still to do its work, in the next step. */
static ipg_status carry_nodes(const passage *p, ipg_error *error) {
  const ipg_surface *s = &p->to->surface;
  double *force = p->to->accepted->force.data;
  for (int64_t node = 0; node < s->node_count; ++node) {
    const ipg_id before = ipg_find_node(&p->from->surface, s->node_gids[node]);
    if (before < 0) continue;
    for (int k = 0; k < 3; ++k) {
      if (ipg_accepted_x(p->to)[3 * node + k] != ipg_accepted_x(p->from)[3 * (int64_t)before + k])
        return ipg_fail(error, IPG_ERROR_ARGUMENT,
                        "node %lld is not where it was accepted last: change the surface between steps, without moving "
                        "its nodes",
                        (long long)s->node_gids[node]);
      force[3 * node + k] = ((const double *)p->from->accepted->force.data)[3 * (int64_t)before + k];
    }
  }
  return IPG_OK;
}

/* -------------------------------------------------------------------------------------------------------- contacts */

/* One kind's way to the new surface: puts new indices for the old ones; false where the contact has ended. */
typedef bool carry(const passage *p, ipg_contact_pair *pair);

static ipg_id node_now(const passage *p, ipg_id node) {
  return ipg_find_node(&p->to->surface, p->from->surface.node_gids[node]);
}

/* The face to the node among those around the corners that are left of its old face; -1: there are none. */
static ipg_id nearest_face(const ipg_contact *c, const ipg_contact_pair *pair) {
  const int64_t *first = c->buffers[NODE_FACES_FIRST].data;
  const ipg_id *faces = c->buffers[NODE_FACES].data;
  foot best = {.face = -1, .distance2 = INFINITY};
  for (int k = 1; k < 4; ++k)
    for (int64_t i = 0; pair->nodes[k] >= 0 && i < first[pair->nodes[k] + 1] - first[pair->nodes[k]]; ++i) {
      const ipg_id face = faces[first[pair->nodes[k]] + i];
      if (ipg_is_own_face(&c->surface, pair->owner, face)) continue;
      const foot f = ipg_foot_on_face(&c->surface, ipg_accepted_x(c), pair->owner, face);
      if (ipg_foot_is_better(&f, &best)) best = f;
    }
  return best.face;
}

/* The face was deleted, but below its borders the node was inside a neighbour of the element behind it. Left alone it
 * would be a node inside a body without contact, and go through. The way out is never longer than it was: it only ends
 * sooner; where it would be longer, the node is in the hole. From now on the new spring holds the node, and nothing
 * else: what damped on the old face has no part in the next step. */
static bool hand_on(const ipg_contact *c, ipg_contact_pair *pair) {
  const double before = pair->gap + pair->initial_offset, rounding = 1e-10 * fabs(before);
  pair->face = nearest_face(c, pair);
  pair->activated = false; /* its rest is known */
  if (pair->face < 0 || !ipg_contact_follow(c, pair)) return false;
  if (pair->gap + pair->initial_offset < before - rounding) return false;
  pair->normal_force = -pair->stiffness * pair->gap;
  for (int k = 0; k < 3; ++k) {
    pair->friction[k] = -pair->stiffness * pair->tangential_slip[k];
    pair->force[k] = pair->normal_force * pair->normal[k] + pair->friction[k];
  }
  return true;
}

static bool carry_node_face(const passage *p, ipg_contact_pair *pair) {
  const ipg_surface *s = &p->to->surface;
  const ipg_contact_face_id place = {pair->element, pair->side, pair->sub};
  for (int i = 0; i < 4; ++i) pair->nodes[i] = node_now(p, pair->nodes[i]);
  pair->owner = pair->nodes[0];
  pair->face = ipg_find_face(s, place);
  if (pair->owner < 0) return false;
  const bool same_face =
      pair->face >= 0 && !memcmp(pair->nodes + 1, s->faces + 3 * (int64_t)pair->face, 3 * sizeof(ipg_id));
  if (!same_face && !hand_on(p->to, pair)) return false;
  pair->touched = s->face_bodies[pair->face];
  return true;
}

static bool carry_edge_edge(const passage *p, ipg_contact_pair *pair) {
  for (int i = 0; i < 4; ++i) pair->nodes[i] = node_now(p, pair->nodes[i]);
  pair->owner = ipg_find_edge(p->to, pair->nodes[0], pair->nodes[1]);
  pair->touched = ipg_find_edge(p->to, pair->nodes[2], pair->nodes[3]);
  if (pair->owner < 0 || pair->touched < 0) return false;
  ipg_edge_name_face(p->to, pair);
  return true;
}

static bool carry_node_plane(const passage *p, ipg_contact_pair *pair) {
  pair->owner = node_now(p, pair->owner);
  for (int i = 0; i < 4; ++i) pair->nodes[i] = pair->owner;
  return pair->owner >= 0;
}

static bool is_corner(const ipg_surface *s, ipg_id face, ipg_id node) {
  const ipg_id *corner = s->faces + 3 * (int64_t)face;
  return corner[0] == node || corner[1] == node || corner[2] == node;
}

/* Another face does not hold in its stead: a tie breaks with either side. */
static bool carry_tie(const passage *p, ipg_contact_pair *pair) {
  const ipg_contact_face_id place = {pair->element, pair->side, pair->sub};
  for (int i = 0; i < 4; ++i) pair->nodes[i] = node_now(p, pair->nodes[i]);
  pair->owner = pair->nodes[0];
  pair->touched = pair->face = ipg_find_face(&p->to->surface, place);
  if (pair->owner < 0 || pair->face < 0) return false;
  for (int i = 1; i < 4; ++i)
    if (!is_corner(&p->to->surface, pair->face, pair->nodes[i])) return false;
  return true;
}

static carry *const carry_of_kind[IPG_CONTACT_KIND_COUNT] = {[IPG_CONTACT_NODE_FACE] = carry_node_face,
                                                             [IPG_CONTACT_EDGE_EDGE] = carry_edge_edge,
                                                             [IPG_CONTACT_NODE_WALL] = carry_node_plane,
                                                             [IPG_CONTACT_TIE] = carry_tie};

/* In the order of keys, which bodies with other numbers may have changed; false if the contact is there already, where
 * two bodies have become one. */
static bool insert(const ipg_contact *c, const ipg_contact_pair *pair) {
  ipg_contact_state *state = c->accepted;
  ipg_contact_pair *pairs = state->contacts.data;
  int64_t at = state->contact_count;
  while (at > 0 && ipg_contact_order_within(c, pair, &pairs[at - 1]) < 0) --at;
  if (at > 0 && ipg_contact_order_within(c, pair, &pairs[at - 1]) == 0) return false;
  memmove(pairs + at + 1, pairs + at, (size_t)(state->contact_count - at) * sizeof *pairs);
  pairs[at] = *pair;
  state->contact_count++;
  return true;
}

static ipg_status carry_contacts(const passage *p, ipg_error *error) {
  const ipg_contact_state *from = p->from->accepted;
  const ipg_contact_pair *pairs = from->contacts.data;
  ipg_contact_state *to = p->to->accepted;
  const ipg_status status =
      ipg_buffer_reserve(&to->contacts, &p->to->config.allocator, from->contact_count, sizeof(ipg_contact_pair), error);
  if (status) return status;
  to->ledger = from->ledger;
  to->ledger.contact_energy = 0;
  for (int64_t i = 0; i < from->contact_count; ++i) {
    ipg_contact_pair now = pairs[i];
    const bool goes_on = carry_of_kind[now.kind](p, &now) && insert(p->to, &now);
    ipg_ledger_resurface(&to->ledger, &pairs[i], goes_on ? &now : NULL);
  }
  return IPG_OK;
}

/* ---------------------------------------------------------------------------------------------------------- object */

/* The skin around boxes keeps its width: that of the edges at the start, not of what is left and how it has bent. */
static void carry_numbers(const passage *p) {
  p->to->mean_edge = p->from->mean_edge, p->to->longest_edge = p->from->longest_edge;
  ipg_contact_set_widths(p->to);
  p->to->counters = p->from->counters;
  p->to->accepted->step = p->from->accepted->step;
  for (int i = 0; i < 3; ++i) p->to->states[i].time = p->from->accepted->time;
}

static void swap_insides(ipg_contact *a, ipg_contact *b) {
  const ipg_contact swap = *a;
  *a = *b, *b = swap;
  ipg_contact_start_ring(a);
  ipg_contact_start_ring(b);
}

ipg_status ipg_contact_update_surface(ipg_contact *c, const ipg_surface *surface, const double *x, ipg_error *error) {
  ipg_contact *fresh = NULL;
  ipg_status status = ipg_contact_make(&c->config, surface, x, c->block_count, &fresh, error);
  if (status) return status;
  const passage p = {c, fresh};
  carry_numbers(&p); /* first: rules ask for the time */
  status = carry_nodes(&p, error);
  if (!status) status = carry_contacts(&p, error);
  if (!status) swap_insides(c, fresh);
  ipg_contact_destroy(&fresh);
  return status;
}
