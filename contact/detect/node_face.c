/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Node-face contact. Active candidates whose paths do not come as close as touching are dropped, which is decided
 * exactly and in batches. Each node that has hits left, or old contacts, is then worked on. Nodes are independent of
 * each other, and each writes where no other does: any number of threads gives the same bits. */
#include "detect/node_face.h"

#include "detect/passing.h"
#include "detect/touch_time.h"
#include "surface/face_geometry.h"

#include <string.h>

enum { GRAIN = 64 };

ipg_status ipg_node_face_workspace_reserve(ipg_node_face_workspace *w, const ipg_model *m, ipg_error *error) {
  return ipg_array_reserve(&w->work, &m->config.allocator, m->surface.node_count, error);
}

void ipg_node_face_workspace_destroy(ipg_node_face_workspace *w, const ipg_allocator *a) {
  ipg_array_destroy(&w->points, a);
  ipg_array_destroy(&w->times, a);
  ipg_array_destroy(&w->hits, a);
  ipg_array_destroy(&w->work, a);
  ipg_array_destroy(&w->contacts, a);
  ipg_array_destroy(&w->passed, a);
}

/* ------------------------------------------------------------------------------------------------------------- hits */

static int64_t keep_hits(ipg_node_face_workspace *w, const ipg_candidates *candidates) {
  ipg_pair *hits = w->hits.at;
  int64_t count = 0;
  for (int64_t i = 0; i < candidates->active_count; ++i) {
    hits[count] = candidates->active[i];
    count += w->times.at[i] < INFINITY;
  }
  return count;
}

static ipg_status find_hits(ipg_node_face_workspace *w, const ipg_step *step, const ipg_candidates *candidates,
                            int64_t *count, ipg_error *error) {
  const int64_t active = candidates->active_count;
  const ipg_allocator *a = &step->model->config.allocator;
  ipg_status status = ipg_array_reserve_ahead(&w->points, a, 4 * active, error);
  if (!status) status = ipg_array_reserve_ahead(&w->times, a, active, error);
  if (!status) status = ipg_array_reserve_ahead(&w->hits, a, active + 1, error);
  if (status) return status;
  ipg_find_touch_times(step, candidates->active, active, w->points.at, w->times.at);
  *count = keep_hits(w, candidates);
  return IPG_OK;
}

/* --------------------------------------------------------------------------------------------------- per-node work */

typedef struct hit_list {
  const ipg_pair *pairs;
  int64_t count;
} hit_list;

/* Hits and history are both in the order of nodes; the work is that of the next node of either. False at the end. */
static bool next_node_work(const hit_list *hits, const ipg_contact_range *history, int64_t *hit, int64_t *old,
                           ipg_node_work *work) {
  if (*hit == hits->count && *old == history->count) return false;
  const ipg_id next = *hit < hits->count ? hits->pairs[*hit].a : IPG_ID_MAX;
  const ipg_id next_old = *old < history->count ? history->pairs[*old].owner : IPG_ID_MAX;
  *work = (ipg_node_work){.node = next < next_old ? next : next_old, .passed_face = -1};
  work->hits = hits->pairs + *hit;
  while (*hit < hits->count && hits->pairs[*hit].a == work->node) ++*hit, ++work->hit_count;
  work->history = history->pairs + *old;
  while (*old < history->count && history->pairs[*old].owner == work->node) ++*old, ++work->history_count;
  return true;
}

/* Returns for how many nodes there is work. */
static int64_t list_node_work(ipg_node_face_workspace *w, const ipg_step *step, int64_t hit_count) {
  const hit_list hits = {w->hits.at, hit_count};
  const ipg_contact_range history = ipg_contacts_of_kind(step->history, IPG_CONTACT_NODE_FACE);
  ipg_node_work *work = w->work.at;
  ipg_contact_pair *contacts = w->contacts.at;
  int64_t count = 0, hit = 0, old = 0;
  while (next_node_work(&hits, &history, &hit, &old, &work[count])) {
    work[count].contacts = contacts;
    contacts += work[count].hit_count + work[count].history_count;
    count += ipg_is_owned(&step->model->surface, work[count].node);
  }
  return count;
}

typedef struct node_task {
  ipg_node_work *work;
  const ipg_step *step;
} node_task;

static void work_on_nodes(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const node_task *t = arg;
  for (int64_t i = begin; i < end; ++i) {
    t->work[i].contact_count = ipg_detect_node_contacts(t->step, &t->work[i]);
    if (ipg_has_face_contact(t->step->model)) ipg_find_passing(t->step, &t->work[i]);
  }
}

static ipg_status gather_contacts(const ipg_node_work *work, int64_t work_count, const ipg_allocator *allocator,
                                  ipg_contact_list *list, ipg_error *error) {
  int64_t total = 0;
  for (int64_t i = 0; i < work_count; ++i) total += work[i].contact_count;
  const ipg_status status = ipg_contact_list_reserve(list, total, allocator, error);
  if (status) return status;
  ipg_contact_pair *contacts = list->pairs.at;
  for (int64_t i = 0; i < work_count; contacts += work[i++].contact_count)
    if (work[i].contact_count) memcpy(contacts, work[i].contacts, (size_t)work[i].contact_count * sizeof *contacts);
  list->count += total;
  return IPG_OK;
}

static ipg_contact_passed_node passed_node_of(const ipg_step *step, const ipg_node_work *work) {
  const ipg_surface *s = &step->model->surface;
  const double t = work->passed_time;
  ipg_contact_passed_node passed = {.node = s->node_gids[work->node],
                                    .face = ipg_contact_face_id_of(s, work->passed_face),
                                    .time = step->time0 + t * (step->time1 - step->time0)};
  vec_store(passed.position,
            vec_add(vec_scale(1 - t, vec_at(step->x0, work->node)), vec_scale(t, vec_at(step->x1, work->node))));
  return passed;
}

static ipg_status gather_passed_nodes(ipg_node_face_workspace *w, const ipg_step *step, int64_t work_count,
                                      ipg_error *error) {
  int64_t total = 0;
  w->passed_count = 0;
  for (int64_t i = 0; i < work_count; ++i) total += w->work.at[i].passed_face >= 0;
  const ipg_status status = ipg_array_reserve_ahead(&w->passed, &step->model->config.allocator, total, error);
  for (int64_t i = 0; i < work_count && !status; ++i)
    if (w->work.at[i].passed_face >= 0) w->passed.at[w->passed_count++] = passed_node_of(step, &w->work.at[i]);
  return status;
}

ipg_status ipg_detect_node_face(ipg_node_face_workspace *w, const ipg_step *step, const ipg_candidates *candidates,
                                ipg_contact_list *contacts, ipg_error *error) {
  const ipg_contact_config *config = &step->model->config;
  int64_t hits = 0;
  ipg_status status = find_hits(w, step, candidates, &hits, error);
  const int64_t most = hits + ipg_contacts_of_kind(step->history, IPG_CONTACT_NODE_FACE).count;
  if (!status) status = ipg_array_reserve_ahead(&w->contacts, &config->allocator, most, error);
  if (status) return status;
  const int64_t count = list_node_work(w, step, hits);
  node_task t = {w->work.at, step};
  ipg_tasks_for(&config->tasks, work_on_nodes, &t, 0, count, GRAIN);
  status = gather_passed_nodes(w, step, count, error);
  return status ? status : gather_contacts(w->work.at, count, &config->allocator, contacts, error);
}
