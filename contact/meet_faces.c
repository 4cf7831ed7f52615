/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Nodes against faces: which nodes must be looked at, each with its candidates and its old contacts, and their contacts
 * in order. Nodes are independent of each other, and each writes where nobody else does: threads never meet. */
#include "state.h"

enum { GRAIN = 64 };

/* Where candidates and history, both in the order of nodes, go on; sets the visit's node to the next of either. */
static bool plan_visit(const ipg_contact *c, const ipg_contact_range *history, int64_t *candidate, int64_t *old,
                       ipg_visit *visit) {
  if (*candidate == c->faces.awake_count && *old == history->count) return false;
  const ipg_id next = *candidate < c->faces.awake_count ? c->faces.awake[*candidate].a : IPG_ID_MAX;
  const ipg_id next_old = *old < history->count ? history->pairs[*old].owner : IPG_ID_MAX;
  *visit = (ipg_visit){.node = next < next_old ? next : next_old};
  visit->candidates = c->faces.awake + *candidate;
  while (*candidate < c->faces.awake_count && c->faces.awake[*candidate].a == visit->node)
    ++*candidate, ++visit->candidate_count;
  visit->history = history->pairs + *old;
  while (*old < history->count && history->pairs[*old].owner == visit->node) ++*old, ++visit->history_count;
  return true;
}

static int64_t plan_visits(ipg_contact *c) {
  const ipg_contact_range history = ipg_contacts_of(c->accepted, IPG_NODE_FACE);
  ipg_visit *visits = c->buffers[VISITS].data;
  ipg_contact_pair *contacts = c->buffers[TOUCHES].data;
  int64_t count = 0, candidate = 0, old = 0;
  while (plan_visit(c, &history, &candidate, &old, &visits[count])) {
    visits[count].contacts = contacts;
    contacts += visits[count].candidate_count + visits[count].history_count;
    count += ipg_looks_for_faces(c, visits[count].node);
  }
  return count;
}

static void make_visits(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const ipg_contact *c = arg;
  ipg_visit *visits = c->buffers[VISITS].data;
  for (int64_t i = begin; i < end; ++i) visits[i].contact_count = ipg_contact_touch_node(c, &visits[i]);
}

static ipg_status gather_contacts(ipg_contact *c, int64_t visit_count, ipg_error *error) {
  const ipg_visit *visits = c->buffers[VISITS].data;
  int64_t total = 0;
  for (int64_t i = 0; i < visit_count; ++i) total += visits[i].contact_count;
  const ipg_status status = ipg_contact_make_room(c, total, error);
  if (status) return status;
  ipg_contact_pair *contacts = c->trial->contacts.data;
  for (int64_t i = 0; i < visit_count; ++i)
    for (int64_t k = 0; k < visits[i].contact_count; ++k) contacts[c->trial->contact_count++] = visits[i].contacts[k];
  return IPG_OK;
}

ipg_status ipg_contact_meet_faces(ipg_contact *c, ipg_error *error) {
  const int64_t most = c->faces.count + ipg_contacts_of(c->accepted, IPG_NODE_FACE).count;
  const int64_t has = (int64_t)(c->buffers[TOUCHES].bytes / sizeof(ipg_contact_pair));
  const ipg_status status = ipg_buffer_reserve(&c->buffers[TOUCHES], &c->config.allocator,
                                               most > has ? most + most / 2 : most, sizeof(ipg_contact_pair), error);
  if (status) return status;
  ipg_contact_wake(c, &c->faces);
  const int64_t visits = plan_visits(c);
  ipg_tasks_for(&c->config.tasks, make_visits, c, 0, visits, GRAIN);
  return gather_contacts(c, visits, error);
}
