/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Initial penetration: finding it, and what becomes of it.
 *
 * Nodes within a body's box are tested one by one, in parallel, each into a slot of its own, and those that are inside
 * are gathered in the order of (node, body); nodes behind rigid walls follow. Ignoring makes each a contact whose
 * spring is free of force. Removing takes them one after another: node and face are moved apart along the way out as if
 * a spring without memory pushed them, so that the sum of mass times motion is 0, and a node behind a wall is moved
 * onto it; later ones see what earlier ones have moved. */
#include "detect/node_wall.h"
#include "detect/tracking.h"
#include "model/bevels.h"
#include "model/block_rules.h"
#include "setup/contact_object.h"
#include "support/box.h"
#include "surface/point_in_body.h"

#include <stdlib.h>
#include <string.h>

enum { GRAIN = 64, MOST_SWEEPS = 50 };

typedef ipg_contact_initial_penetration penetration;

/* ------------------------------------------------------------------------------------------------------------- find */

/* Memory for one search after another. */
typedef struct penetration_search {
  const ipg_model *model;
  double time;
  ipg_face_trees trees;
  ipg_search *search;
  IPG_ARRAY(ipg_box) boxes;
  IPG_ARRAY(penetration) results; /* one per pair */
  const ipg_pair *pairs;          /* (node, body): nodes within boxes of bodies */
  int64_t pair_count;
} penetration_search;

static ipg_status start_search(penetration_search *p, const ipg_contact *c, ipg_error *error) {
  const ipg_model *m = &c->model;
  ipg_search_config config = ipg_search_defaults();
  config.method = m->config.search_method, config.allocator = m->config.allocator, config.tasks = m->config.tasks;
  *p = (penetration_search){.model = m, .time = c->accepted->time};
  return ipg_search_create(&config, &p->search, error);
}

static void finish_search(penetration_search *p) {
  const ipg_allocator *a = &p->model->config.allocator;
  ipg_search_destroy(&p->search);
  ipg_face_trees_destroy(&p->trees, a);
  ipg_array_destroy(&p->boxes, a);
  ipg_array_destroy(&p->results, a);
}

/* The largest thickness at which it can touch another body. */
static double reach_of_node(const ipg_model *m, ipg_id node) {
  const ipg_id_range faces = ipg_faces_of_node(&m->topology, node);
  return faces.begin < faces.end ? ipg_reach_of_face(m, *faces.begin) : 0;
}

static ipg_status pair_nodes_with_bodies(penetration_search *p, const double *x, ipg_error *error) {
  const ipg_model *m = p->model;
  const int64_t nodes = m->surface.node_count, bodies = m->topology.body_count;
  ipg_status status = ipg_array_reserve(&p->boxes, &m->config.allocator, nodes + bodies, error);
  if (status) return status;
  ipg_box *of_nodes = p->boxes.at, *of_bodies = of_nodes + nodes;
  for (int64_t i = 0; i < nodes; ++i) {
    for (int k = 0; k < 3; ++k) of_nodes[i].lo[k] = of_nodes[i].hi[k] = x[3 * i + k];
    ipg_box_grow(&of_nodes[i], reach_of_node(m, (ipg_id)i));
  }
  for (int32_t b = 0; b < bodies; ++b) of_bodies[b] = ipg_face_trees_box(&p->trees, b);
  status = ipg_search_set_boxes(p->search, of_bodies, bodies, NULL, error);
  if (status) return status;
  return ipg_search_query_array(p->search, of_nodes, nodes, NULL, &p->pairs, &p->pair_count, error);
}

/* Inside of the body, or nearer to it than the thickness of both. */
static bool test_pair(const penetration_search *p, ipg_pair pair, penetration *result) {
  const ipg_model *m = p->model;
  const double reach = reach_of_node(m, pair.a);
  const bool is_inside = ipg_find_penetration(&p->trees, pair.a, pair.b, result);
  if (!is_inside && !(reach > 0 && ipg_find_face_within(&p->trees, pair.a, pair.b, reach, result))) return false;
  result->depth = ipg_thickness_of_node_and_face(m, pair.a, result->face) + (is_inside ? 1 : -1) * result->depth;
  return result->depth > IPG_REACH_MARGIN * reach && !ipg_is_contact_always_off(m, pair.a, result->face);
}

/* Depth 0 is no penetration. */
static void test_pairs(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const penetration_search *p = arg;
  for (int64_t i = begin; i < end; ++i) {
    const ipg_pair pair = p->pairs[i];
    if (!ipg_is_owned(&p->model->surface, pair.a) || !test_pair(p, pair, &p->results.at[i])) p->results.at[i].depth = 0;
  }
}

/* The first `count` results. */
static ipg_status find_in_bodies(penetration_search *p, const double *x, int64_t *count, ipg_error *error) {
  const ipg_contact_config *config = &p->model->config;
  *count = 0;
  ipg_status status = ipg_face_trees_build(&p->trees, &p->model->surface, &p->model->topology, x, &config->allocator,
                                           &config->tasks, error);
  if (!status) status = pair_nodes_with_bodies(p, x, error);
  if (!status) status = ipg_array_reserve(&p->results, &config->allocator, p->pair_count, error);
  if (status) return status;
  ipg_tasks_for(&config->tasks, test_pairs, p, 0, p->pair_count, GRAIN);
  penetration *results = p->results.at;
  for (int64_t i = 0; i < p->pair_count; ++i)
    if (results[i].depth > 0) results[(*count)++] = results[i];
  return IPG_OK;
}

/* Returns how many there are; `found` may be NULL. */
static int64_t find_behind_walls(const penetration_search *p, const double *x, penetration *found) {
  const ipg_model *m = p->model;
  int64_t count = 0;
  for (ipg_id node = 0; node < m->surface.node_count; ++node)
    for (ipg_id wall = 0; wall < m->config.wall_count && ipg_is_owned(&m->surface, node); ++wall) {
      const double depth = ipg_depth_behind_wall(m, p->time, x, node, wall);
      if (!(depth > 0)) continue;
      if (found) found[count] = (penetration){.node = node, .face = -1, .depth = depth, .wall = wall};
      ++count;
    }
  return count;
}

/* The first `count` results: those in bodies, `in_bodies` of them, then those behind walls. */
static ipg_status find_penetrations(penetration_search *p, const double *x, int64_t *in_bodies, int64_t *count,
                                    ipg_error *error) {
  *count = 0;
  ipg_status status = find_in_bodies(p, x, in_bodies, error);
  if (status) return status;
  const int64_t behind = find_behind_walls(p, x, NULL);
  status = ipg_array_grow(&p->results, &p->model->config.allocator, *in_bodies, *in_bodies + behind, error);
  if (!status && behind) (void)find_behind_walls(p, x, p->results.at + *in_bodies);
  if (!status) *count = *in_bodies + behind;
  return status;
}

ipg_status ipg_contact_find_initial_penetrations(ipg_contact *c, const penetration **penetrations, int64_t *count,
                                                 ipg_error *error) {
  penetration_search p;
  int64_t in_bodies;
  *penetrations = NULL, *count = 0;
  ipg_status status = start_search(&p, c, error);
  if (!status) status = find_penetrations(&p, c->accepted->x.at, &in_bodies, count, error);
  if (!status) status = ipg_array_reserve(&c->initial_penetrations, &c->model.config.allocator, *count, error);
  if (status) *count = 0;
  else if (*count) memcpy(c->initial_penetrations.at, p.results.at, (size_t)*count * sizeof **penetrations);
  if (!status) *penetrations = c->initial_penetrations.at;
  finish_search(&p);
  return status;
}

/* ----------------------------------------------------------------------------------------------------------- ignore */

/* Free of force at its depth; its first step sets its stiffness. */
static ipg_contact_pair wall_contact_at_rest(const ipg_model *m, const penetration *p) {
  ipg_contact_pair pair = ipg_wall_contact(m, p->node, p->wall);
  pair.history.initial_penetration = p->depth, pair.history.initial_offset = -p->depth;
  return pair;
}

/* Below 0: the node is outside, within the thickness of both. */
static double depth_inside(const ipg_model *m, const penetration *p) {
  return p->depth - ipg_thickness_of_node_and_face(m, p->node, p->face);
}

static ipg_contact_pair contact_at_rest(const ipg_step *step, const penetration *p) {
  const ipg_model *m = step->model;
  const ipg_surface *s = &m->surface;
  const ipg_id *corner = ipg_face_corners(s, p->face);
  const ipg_closest_point q = ipg_closest_point_on_face(s, step->x0, p->node, p->face);
  const double depth = depth_inside(m, p);
  ipg_contact_pair pair = {.kind = IPG_CONTACT_NODE_FACE,
                           .owner = p->node,
                           .touched = s->face_bodies[p->face],
                           .nodes = {p->node, corner[0], corner[1], corner[2]},
                           .weights = {1, -p->weights[0], -p->weights[1], -p->weights[2]},
                           .face = p->face,
                           .node_gid = s->node_gids[p->node],
                           .history = {.initial_penetration = depth, .initial_offset = -depth}};
  ipg_name_contact_face(s, &pair);
  vec_store(pair.normal, vec_scale(1 / depth, q.to_surface));
  ipg_contact_pair tracked = pair;
  if (ipg_track_contact(step, &tracked)) pair.history.initial_offset += tracked.gap; /* where tracking leads deeper */
  return pair;
}

static int compare_contacts(const void *a, const void *b) { return ipg_compare_contacts(a, b); }

static int compare_contacts_and_faces(const void *a, const void *b) { return ipg_compare_contacts_and_faces(a, b); }

/* Penetrations that have no contact yet are added behind those, then sorted in. */
static void add_contacts(ipg_contact_list *list, const ipg_step *step, const penetration *penetrations, int64_t count) {
  ipg_contact_pair *pairs = list->pairs.at;
  const int64_t old = list->count;
  for (int64_t i = 0; i < count; ++i) {
    const penetration *p = &penetrations[i];
    if (p->wall < 0 && !(depth_inside(step->model, p) > 0)) continue;
    const ipg_contact_pair pair = p->wall < 0 ? contact_at_rest(step, p) : wall_contact_at_rest(step->model, p);
    if (!old || !bsearch(&pair, pairs, (size_t)old, sizeof pair, compare_contacts)) pairs[list->count++] = pair;
  }
  if (list->count > old)
    qsort(pairs, (size_t)list->count, sizeof *pairs, compare_contacts_and_faces); /* no two are equal */
}

/* Of faces as they are. */
static ipg_status find_faces_at_rest(ipg_contact *c, const ipg_step *step, ipg_error *error) {
  ipg_status status = ipg_update_swept_boxes(&c->broad_phase, step, c->accepted->x.at, c->trial->x.at, error);
  if (!status) status = ipg_update_candidates(&c->broad_phase, &c->model, error);
  if (!status) status = ipg_find_face_contacts(&c->face_contact, step, &c->broad_phase, NULL, error);
  return status;
}

/* The contacts that were found get offsets. */
static void offset_faces(ipg_contact *c) {
  ipg_contact_state *state = c->accepted;
  ipg_set_offsets(&c->face_contact, &c->model, state->offsets.at);
  state->has_offsets = c->face_contact.count > 0;
  state->balance.smallest_gap = smaller(state->balance.smallest_gap, -ipg_largest_depth(&c->face_contact));
}

ipg_status ipg_contact_ignore_initial_penetrations(ipg_contact *c, ipg_error *error) {
  const penetration *penetrations;
  ipg_contact_state *state = c->accepted;
  ipg_contact_list *list = &state->contacts;
  const int64_t old = list->count;
  int64_t count = 0;
  if (ipg_has_face_contact(&c->model) && !state->is_start) /* nobody would book the energy that they hold by now */
    return ipg_fail(error, IPG_ERROR_ARGUMENT,
                    "initial penetrations are those at a start, and step %lld is accepted: ignore them before, or call "
                    "ipg_contact_set_positions",
                    (long long)state->step);
  ipg_status status = ipg_contact_find_initial_penetrations(c, &penetrations, &count, error);
  if (!status) status = ipg_array_grow(&list->pairs, &c->model.config.allocator, old, old + count, error);
  if (status) return status;
  const size_t bytes = 3 * (size_t)c->model.surface.node_count * sizeof(double);
  if (bytes) memcpy(c->trial->x.at, state->x.at, bytes); /* at rest */
  ipg_set_bevel_points(&c->model, c->trial->x.at);
  c->trial->time = state->time;
  c->holds = IPG_TRIAL_OF_NOTHING, c->has_evaluation = false;
  const ipg_step step = ipg_step_of(c);
  if (ipg_has_face_contact(&c->model)) status = find_faces_at_rest(c, &step, error);
  if (status) return status;
  add_contacts(list, &step, penetrations, count);
  state->balance.activations += list->count - old;
  c->has_previous = false;
  if (ipg_has_face_contact(&c->model)) offset_faces(c);
  return IPG_OK;
}

/* ----------------------------------------------------------------------------------------------------------- remove */

static void move_onto_wall(const penetration_search *search, double *x, const penetration *p) {
  const double depth = ipg_depth_behind_wall(search->model, search->time, x, p->node, p->wall);
  const vec normal = vec_at(search->model->config.walls[p->wall].normal, 0);
  vec_store(x + 3 * (int64_t)p->node, vec_add(vec_at(x, p->node), vec_scale(depth, normal)));
}

/* Moves node and face apart, by the thickness of both, unless an earlier one has done it. */
static void move_apart(const ipg_model *m, double *x, const penetration *p) {
  const ipg_surface *s = &m->surface;
  const double thickness = ipg_thickness_of_node_and_face(m, p->node, p->face);
  const ipg_closest_point q = ipg_closest_point_on_face(s, x, p->node, p->face);
  const double distance = sqrt(q.distance2), gap = q.height > 0 ? -distance : distance;
  const vec outward = distance > 0 ? vec_scale(-1 / gap, q.to_surface) : q.normal;
  const ipg_id *corner = ipg_face_corners(s, p->face);
  const ipg_id nodes[4] = {p->node, corner[0], corner[1], corner[2]};
  const double weights[4] = {1, -q.weights[0], -q.weights[1], -q.weights[2]};
  double inverse = 0;
  if (!(gap < thickness)) return;
  for (int i = 0; i < 4; ++i) inverse += weights[i] * weights[i] / s->node_masses[nodes[i]];
  for (int i = 0; i < 4; ++i) {
    const vec way = vec_scale(weights[i] * (thickness - gap) / (s->node_masses[nodes[i]] * inverse), outward);
    vec_store(x + 3 * (int64_t)nodes[i], vec_add(vec_at(x, nodes[i]), way));
  }
}

static const penetration *find_deepest(const penetration *penetrations, int64_t count) {
  const penetration *deepest = penetrations;
  for (int64_t i = 1; i < count; ++i)
    if (penetrations[i].depth > deepest->depth) deepest = &penetrations[i];
  return deepest;
}

static ipg_status refuse_to_remove(const penetration_search *p, int64_t count, ipg_error *error) {
  const penetration *deepest = find_deepest(p->results.at, count);
  return ipg_fail(error, IPG_ERROR_UNSUPPORTED,
                  "%lld initial penetrations cannot be removed by moving nodes: node %lld is %g deep, an edge is %g "
                  "long; move bodies and walls apart, or refine the bodies",
                  (long long)count, (long long)p->model->surface.node_gids[deepest->node], deepest->depth,
                  p->model->mean_edge);
}

/* Finds a body all of whose nodes are inside one other. */
typedef struct enclosure {
  int64_t nodes_outside;
  int32_t around; /* the first body found around one of its nodes; -1: none */
} enclosure;

static ipg_status refuse_enclosed(const ipg_model *m, const penetration *penetrations, int64_t count,
                                  ipg_error *error) {
  IPG_ARRAY(enclosure) all = {0};
  const int32_t *bodies = m->topology.node_bodies.at;
  ipg_status status = ipg_array_reserve(&all, &m->config.allocator, m->topology.body_count, error);
  for (int32_t b = 0; !status && b < m->topology.body_count; ++b) all.at[b] = (enclosure){0, -1};
  for (int64_t i = 0; !status && i < m->surface.node_count; ++i) all.at[bodies[i]].nodes_outside++;
  for (int64_t i = 0; !status && i < count; ++i) {
    enclosure *e = &all.at[bodies[penetrations[i].node]];
    const int32_t around = m->surface.face_bodies[penetrations[i].face];
    if (!(depth_inside(m, &penetrations[i]) > 0)) continue;
    if (e->around < 0) e->around = around;
    if (e->around == around && --e->nodes_outside == 0)
      status = ipg_fail(error, IPG_ERROR_UNSUPPORTED,
                        "the body of node %lld lies wholly within another, no moving of nodes parts them: move it out",
                        (long long)m->surface.node_gids[penetrations[i].node]);
  }
  ipg_array_destroy(&all, &m->config.allocator);
  return status;
}

static ipg_status remove_in_sweeps(penetration_search *p, double *x, ipg_error *error) {
  for (int sweep = 0;; ++sweep) {
    int64_t in_bodies, count;
    ipg_status status = find_penetrations(p, x, &in_bodies, &count, error);
    const penetration *found = p->results.at;
    if (!status && !sweep) status = refuse_enclosed(p->model, found, in_bodies, error);
    if (status || !count) return status;
    if (sweep == MOST_SWEEPS || find_deepest(found, count)->depth > p->model->mean_edge)
      return refuse_to_remove(p, count, error);
    for (int64_t i = 0; i < in_bodies; ++i) move_apart(p->model, x, &found[i]);
    for (int64_t i = in_bodies; i < count; ++i) move_onto_wall(p, x, &found[i]);
  }
}

static void measure_motion(const ipg_contact *c, const double *x, int64_t *moved, double *farthest) {
  *moved = 0, *farthest = 0;
  for (int64_t i = 0; i < c->model.surface.node_count; ++i) {
    const double way = vec_length(vec_sub(vec_at(x, i), vec_at(c->accepted->x.at, i)));
    *moved += way > 0;
    *farthest = larger(*farthest, way);
  }
}

ipg_status ipg_contact_remove_initial_penetrations(ipg_contact *c, double *x, int64_t *moved, double *farthest,
                                                   ipg_error *error) {
  const size_t bytes = 3 * (size_t)c->model.surface.node_count * sizeof *x;
  penetration_search p;
  *moved = 0, *farthest = 0;
  if (bytes) memcpy(x, c->accepted->x.at, bytes);
  ipg_status status = start_search(&p, c, error);
  if (!status) status = remove_in_sweeps(&p, x, error);
  finish_search(&p);
  int64_t moved_count = 0;
  double farthest_way = 0;
  if (!status) {
    measure_motion(c, x, &moved_count, &farthest_way);
    status = ipg_contact_set_positions(c, c->accepted->time, x, error);
  }
  if (status && bytes) memcpy(x, c->accepted->x.at, bytes);
  if (!status) *moved = moved_count, *farthest = farthest_way;
  return status;
}
