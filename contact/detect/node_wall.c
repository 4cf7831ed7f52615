/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Rigid walls (rigidwall, stonewall), which may move: every node against every wall.
 *
 * A wall has one side, so nothing is searched or tracked: a contact is activated when a node that was in front is
 * behind at the end of the step, however far, and deactivated when it is in front again. A node that starts behind has
 * no contact until it has come out, unless its initial penetration was made one. Chunks of nodes are counted first and
 * then filled, each at its offset: the order is (node, wall) for any number of workers. */
#include "detect/node_wall.h"

#include "model/block_rules.h"
#include "model/relative_motion.h"
#include "support/directed_rounding.h"

#include <string.h>

enum { GRAIN = 1024 };

ipg_status ipg_node_wall_workspace_reserve(ipg_node_wall_workspace *w, const ipg_model *m, ipg_error *error) {
  return ipg_array_reserve(&w->counts, &m->config.allocator, ipg_chunk_count(m->surface.node_count, GRAIN), error);
}

void ipg_node_wall_workspace_destroy(ipg_node_wall_workspace *w, const ipg_allocator *a) {
  ipg_array_destroy(&w->counts, a);
}

/* Of the surface, which lies outside of the node by its thickness. */
static double height_over_wall(const ipg_model *m, vec from_wall, ipg_id node, ipg_id wall) {
  return vec_dot(from_wall, vec_at(m->config.walls[wall].normal, 0)) - ipg_thickness_at_wall(m, node);
}

double ipg_depth_behind_wall(const ipg_model *m, double time, const double *x, ipg_id node, ipg_id wall) {
  const vec from_wall = ipg_vector_from_wall(m, wall, time, x, node);
  const double height = height_over_wall(m, from_wall, node, wall);
  return height < -IPG_WALL_ROUNDING * vec_length(from_wall) ? -height : 0;
}

ipg_contact_pair ipg_wall_contact(const ipg_model *m, ipg_id node, ipg_id wall) {
  ipg_contact_pair pair = {.kind = IPG_CONTACT_NODE_WALL,
                           .owner = node,
                           .touched = wall,
                           .nodes = {node, node, node, node},
                           .weights = {1},
                           .face = -1,
                           .node_gid = m->surface.node_gids[node],
                           .element = -1};
  memcpy(pair.normal, m->config.walls[wall].normal, sizeof pair.normal);
  return pair;
}

static ipg_contact_pair activate_contact(const ipg_step *step, ipg_id node, ipg_id wall, double time) {
  ipg_contact_pair pair = ipg_wall_contact(step->model, node, wall);
  pair.activated = true, pair.time = larger(0, ipg_below(time)), pair.time_through = smaller(1, ipg_above(time));
  return pair;
}

static ipg_contact_pair continue_contact(const ipg_contact_pair *old) {
  ipg_contact_pair pair = *old;
  pair.activated = false, pair.time = 0, pair.time_through = 0;
  return pair;
}

/* What has come out of an initial penetration is out for good: moving in again loads the spring. */
static void set_gap(ipg_contact_pair *pair, double height) {
  if (pair->history.initial_penetration > 0) {
    pair->history.initial_offset = larger(pair->history.initial_offset, height);
    pair->history.initial_penetration = -pair->history.initial_offset;
  }
  pair->gap = height - pair->history.initial_offset;
}

/* True if the node is in contact with the wall at the end of the step. `old`: their contact at its start, or NULL. */
static bool detect_pair(const ipg_step *step, ipg_id node, ipg_id wall, const ipg_contact_pair *old,
                        ipg_contact_pair *pair) {
  const ipg_model *m = step->model;
  const double after = height_over_wall(m, ipg_vector_from_wall(m, wall, step->time1, step->x1, node), node, wall);
  if (!(after < 0)) return false;
  if (old) {
    *pair = continue_contact(old);
  } else {
    if (ipg_depth_behind_wall(m, step->time0, step->x0, node, wall) > 0) return false;
    const double before = height_over_wall(m, ipg_vector_from_wall(m, wall, step->time0, step->x0, node), node, wall);
    *pair = activate_contact(step, node, wall, before > 0 ? before / (before - after) : 0);
  }
  set_gap(pair, after);
  return true;
}

typedef struct detection {
  const ipg_step *step;
  ipg_contact_range history;
  int64_t *counts;
  ipg_contact_pair *contacts; /* NULL: only count */
} detection;

static void detect_nodes(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const detection *d = arg;
  const ipg_model *m = d->step->model;
  const ipg_contact_pair *old = d->history.pairs;
  int64_t count = 0, at = ipg_first_contact_of(&d->history, begin);
  ipg_contact_pair pair;
  for (ipg_id node = (ipg_id)begin; node < end; ++node)
    for (ipg_id wall = 0; wall < m->config.wall_count; ++wall) {
      const bool is_old = at < d->history.count && old[at].owner == node && old[at].touched == wall;
      const ipg_contact_pair *history = is_old ? &old[at++] : NULL;
      if (!ipg_is_owned(&m->surface, node) || !detect_pair(d->step, node, wall, history, &pair)) continue;
      if (d->contacts) d->contacts[d->counts[begin / GRAIN] + count] = pair;
      ++count;
    }
  if (!d->contacts) d->counts[begin / GRAIN] = count;
}

ipg_status ipg_detect_node_wall(ipg_node_wall_workspace *w, const ipg_step *step, ipg_contact_list *contacts,
                                ipg_error *error) {
  const ipg_contact_config *config = &step->model->config;
  const int64_t nodes = step->model->surface.node_count;
  detection d = {step, ipg_contacts_of_kind(step->history, IPG_CONTACT_NODE_WALL), w->counts.at, NULL};
  if (!config->wall_count) return IPG_OK;
  ipg_tasks_for(&config->tasks, detect_nodes, &d, 0, nodes, GRAIN);
  const int64_t total = ipg_prefix_sum(d.counts, ipg_chunk_count(nodes, GRAIN));
  const ipg_status status = ipg_contact_list_reserve(contacts, total, &config->allocator, error);
  if (status || !total) return status;
  d.contacts = contacts->pairs.at + contacts->count;
  ipg_tasks_for(&config->tasks, detect_nodes, &d, 0, nodes, GRAIN);
  contacts->count += total;
  return IPG_OK;
}
