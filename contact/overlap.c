/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Overlaps at the start: which there are, and what becomes of them.
 *
 * Nodes within a body's box are asked one by one, in parallel; each answers in a place of its own, and those that are
 * inside are gathered in the order of (node, body). Ignoring makes each a contact at rest. Removing takes them one
 * after another: node and face part along the way out as if a spring without memory pushed them, so that the sum of
 * mass times motion is nothing; those that follow see what the ones before have moved. */
#include "inside.h"

#include "foot.h"

#include <stdlib.h>
#include <string.h>

enum { GRAIN = 64, MOST_SWEEPS = 50 };

/* ------------------------------------------------------------------------------------------------------------ find */

/* Memory for one question after another. */
typedef struct inquiry {
  ipg_contact *contact;
  ipg_face_trees trees;
  ipg_search *search;
  ipg_buffer boxes, answers;
  const ipg_pair *pairs; /* (node, body): nodes within boxes of bodies */
  int64_t pair_count;
} inquiry;

static ipg_status begin(inquiry *q, ipg_contact *c, ipg_error *error) {
  ipg_search_config config = ipg_search_defaults();
  config.method = c->config.search_method, config.allocator = c->config.allocator, config.tasks = c->config.tasks;
  *q = (inquiry){.contact = c};
  return ipg_search_create(&config, &q->search, error);
}

static void end(inquiry *q) {
  const ipg_allocator *allocator = &q->contact->config.allocator;
  ipg_search_destroy(&q->search);
  ipg_face_trees_destroy(&q->trees);
  ipg_buffer_destroy(&q->boxes, allocator);
  ipg_buffer_destroy(&q->answers, allocator);
}

static ipg_status pair_nodes_with_bodies(inquiry *q, const double *x, ipg_error *error) {
  const int64_t nodes = q->contact->surface.node_count, bodies = q->contact->body_count;
  ipg_status status =
      ipg_buffer_reserve(&q->boxes, &q->contact->config.allocator, nodes + bodies, sizeof(ipg_box), error);
  if (status) return status;
  ipg_box *of_nodes = q->boxes.data, *of_bodies = of_nodes + nodes;
  for (int64_t i = 0; i < nodes; ++i)
    for (int k = 0; k < 3; ++k) of_nodes[i].lo[k] = of_nodes[i].hi[k] = x[3 * i + k];
  for (int32_t b = 0; b < bodies; ++b) of_bodies[b] = ipg_face_trees_box(&q->trees, b);
  status = ipg_search_set_boxes(q->search, of_bodies, bodies, NULL, error);
  if (status) return status;
  return ipg_search_query_array(q->search, of_nodes, nodes, NULL, &q->pairs, &q->pair_count, error);
}

/* Depth 0 says no. */
static void ask(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  inquiry *q = arg;
  ipg_contact_initial_penetration *answers = q->answers.data;
  for (int64_t i = begin; i < end; ++i) {
    const ipg_pair p = q->pairs[i];
    const bool asks = ipg_looks_for_faces(q->contact, p.a);
    if (!asks || !ipg_face_trees_overlap(&q->trees, p.a, p.b, &answers[i])) answers[i].depth = 0;
  }
}

/* The first `count` answers. */
static ipg_status find(inquiry *q, const double *x, int64_t *count, ipg_error *error) {
  *count = 0;
  ipg_status status = ipg_face_trees_build(&q->trees, q->contact, x, error);
  if (!status) status = pair_nodes_with_bodies(q, x, error);
  if (!status)
    status = ipg_buffer_reserve(&q->answers, &q->contact->config.allocator, q->pair_count,
                                sizeof(ipg_contact_initial_penetration), error);
  if (status) return status;
  ipg_tasks_for(&q->contact->config.tasks, ask, q, 0, q->pair_count, GRAIN);
  ipg_contact_initial_penetration *answers = q->answers.data;
  for (int64_t i = 0; i < q->pair_count; ++i)
    if (answers[i].depth > 0) answers[(*count)++] = answers[i];
  return IPG_OK;
}

ipg_status ipg_contact_find_initial_penetrations(ipg_contact *c, const ipg_contact_initial_penetration **overlaps,
                                                 int64_t *count, ipg_error *error) {
  inquiry q;
  *overlaps = NULL;
  ipg_status status = begin(&q, c, error);
  if (!status) status = find(&q, ipg_accepted_x(c), count, error);
  if (!status)
    status = ipg_buffer_reserve(&c->buffers[OVERLAPS], &c->config.allocator, *count, sizeof **overlaps, error);
  if (status) *count = 0;
  else if (*count) memcpy(c->buffers[OVERLAPS].data, q.answers.data, (size_t)*count * sizeof **overlaps);
  if (!status) *overlaps = c->buffers[OVERLAPS].data;
  end(&q);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- ignore */

/* As deep as it is it rests; how stiff it is, its first step will tell. */
static ipg_contact_pair at_rest(const ipg_contact *c, const ipg_contact_initial_penetration *o) {
  const ipg_surface *s = &c->surface;
  const ipg_id *corner = s->faces + 3 * (int64_t)o->face;
  const foot f = ipg_foot_on_face(s, ipg_accepted_x(c), o->node, o->face);
  ipg_contact_pair pair = {.kind = IPG_CONTACT_NODE_FACE,
                           .owner = o->node,
                           .touched = s->face_bodies[o->face],
                           .nodes = {o->node, corner[0], corner[1], corner[2]},
                           .weights = {1, -o->weights[0], -o->weights[1], -o->weights[2]},
                           .face = o->face,
                           .node_gid = s->node_gids[o->node],
                           .element = s->face_elements[o->face],
                           .side = s->face_sides[o->face],
                           .sub = s->face_subs ? s->face_subs[o->face] : 0,
                           .initial_penetration = o->depth + ipg_contact_separation(c, o->node, o->face),
                           .initial_offset = -o->depth};
  vec_store(pair.normal, vec_scale(1 / o->depth, f.to_surface));
  ipg_contact_pair followed = pair;
  if (ipg_contact_follow(c, &followed))
    pair.initial_offset += followed.gap; /* where that leads deeper, it rests there */
  return pair;
}

static int compare_pairs(const void *a, const void *b) { return ipg_contact_order(a, b); }

static int compare_places(const void *a, const void *b) { return ipg_contact_order_of_places(a, b); }

ipg_status ipg_contact_ignore_initial_penetrations(ipg_contact *c, ipg_error *error) {
  const ipg_contact_initial_penetration *overlaps;
  ipg_contact_state *state = c->accepted;
  const int64_t old = state->contact_count;
  int64_t count = 0, all = old;
  ipg_status status = ipg_contact_find_initial_penetrations(c, &overlaps, &count, error);
  if (!status)
    status = ipg_buffer_grow(&state->contacts, &c->config.allocator, old, old + count, sizeof(ipg_contact_pair), error);
  if (status) return status;
  const size_t bytes = 3 * (size_t)c->surface.node_count * sizeof(double);
  if (bytes) memcpy(c->trial->x.data, state->x.data, bytes); /* at rest */
  c->trial->time = state->time;
  ipg_contact_pair *pairs = state->contacts.data;
  for (int64_t i = 0; i < count; ++i) {
    const ipg_contact_pair pair = at_rest(c, &overlaps[i]);
    if (!old || !bsearch(&pair, pairs, (size_t)old, sizeof pair, compare_pairs)) pairs[all++] = pair;
  }
  if (all > old) qsort(pairs, (size_t)all, sizeof *pairs, compare_places); /* no two are equal */
  state->contact_count = all;
  state->ledger.activations += all - old;
  c->has_trial = c->has_previous = false;
  return IPG_OK;
}

/* ---------------------------------------------------------------------------------------------------------- remove */

/* Node and face apart, unless an earlier one has done it. */
static void part(const ipg_contact *c, double *x, const ipg_contact_initial_penetration *o) {
  const foot f = ipg_foot_on_face(&c->surface, x, o->node, o->face);
  const ipg_id *corner = c->surface.faces + 3 * (int64_t)o->face;
  const ipg_id nodes[4] = {o->node, corner[0], corner[1], corner[2]};
  const double shares[4] = {1, -f.weights[0], -f.weights[1], -f.weights[2]};
  double inverse = 0;
  if (!(f.height > 0)) return;
  for (int i = 0; i < 4; ++i) inverse += shares[i] * shares[i] / c->surface.node_masses[nodes[i]];
  for (int i = 0; i < 4; ++i) {
    const vec way = vec_scale(shares[i] / (c->surface.node_masses[nodes[i]] * inverse), f.to_surface);
    vec_store(x + 3 * (int64_t)nodes[i], vec_add(vec_at(x, nodes[i]), way));
  }
}

static const ipg_contact_initial_penetration *deepest_of(const ipg_contact_initial_penetration *overlaps,
                                                         int64_t count) {
  const ipg_contact_initial_penetration *deepest = overlaps;
  for (int64_t i = 1; i < count; ++i)
    if (overlaps[i].depth > deepest->depth) deepest = &overlaps[i];
  return deepest;
}

static ipg_status give_up(const inquiry *q, int64_t count, ipg_error *error) {
  const ipg_contact_initial_penetration *deepest = deepest_of(q->answers.data, count);
  return ipg_fail(error, IPG_ERROR_UNSUPPORTED,
                  "%lld overlaps cannot be removed by moving nodes: node %lld is %g deep, an edge is %g long; move the "
                  "bodies apart, or refine them",
                  (long long)count, (long long)q->contact->surface.node_gids[deepest->node], deepest->depth,
                  q->contact->mean_edge);
}

/* Is there a body all of whose nodes are inside one other? */
typedef struct enclosure {
  int64_t nodes_outside;
  int32_t around; /* the first body found around one of its nodes; -1: none */
} enclosure;

static ipg_status refuse_enclosed(const ipg_contact *c, const ipg_contact_initial_penetration *overlaps, int64_t count,
                                  ipg_error *error) {
  ipg_buffer buffer = {0};
  const int32_t *bodies = c->buffers[NODE_BODIES].data;
  ipg_status status = ipg_buffer_reserve(&buffer, &c->config.allocator, c->body_count, sizeof(enclosure), error);
  enclosure *all = buffer.data;
  for (int32_t b = 0; !status && b < c->body_count; ++b) all[b] = (enclosure){0, -1};
  for (int64_t i = 0; !status && i < c->surface.node_count; ++i) all[bodies[i]].nodes_outside++;
  for (int64_t i = 0; !status && i < count; ++i) {
    enclosure *e = &all[bodies[overlaps[i].node]];
    const int32_t around = c->surface.face_bodies[overlaps[i].face];
    if (e->around < 0) e->around = around;
    if (e->around == around && --e->nodes_outside == 0)
      status = ipg_fail(error, IPG_ERROR_UNSUPPORTED,
                        "the body of node %lld lies wholly within another, no moving of nodes parts them: move it out",
                        (long long)c->surface.node_gids[overlaps[i].node]);
  }
  ipg_buffer_destroy(&buffer, &c->config.allocator);
  return status;
}

static ipg_status sweep_all(inquiry *q, double *x, ipg_error *error) {
  const double edge = q->contact->mean_edge;
  for (int sweep = 0;; ++sweep) {
    int64_t count;
    ipg_status status = find(q, x, &count, error);
    const ipg_contact_initial_penetration *overlaps = q->answers.data;
    if (!status && !sweep) status = refuse_enclosed(q->contact, overlaps, count, error);
    if (status || !count) return status;
    if (sweep == MOST_SWEEPS || deepest_of(overlaps, count)->depth > edge) return give_up(q, count, error);
    for (int64_t i = 0; i < count; ++i) part(q->contact, x, &overlaps[i]);
  }
}

static void measure(const ipg_contact *c, const double *x, int64_t *moved, double *farthest) {
  *moved = 0, *farthest = 0;
  for (int64_t i = 0; i < c->surface.node_count; ++i) {
    const double way = vec_length(vec_sub(vec_at(x, i), vec_at(ipg_accepted_x(c), i)));
    *moved += way > 0;
    *farthest = larger(*farthest, way);
  }
}

ipg_status ipg_contact_remove_initial_penetrations(ipg_contact *c, double *x, int64_t *moved, double *farthest,
                                                   ipg_error *error) {
  const size_t bytes = 3 * (size_t)c->surface.node_count * sizeof *x;
  inquiry q;
  *moved = 0, *farthest = 0;
  if (bytes) memcpy(x, ipg_accepted_x(c), bytes);
  ipg_status status = begin(&q, c, error);
  if (!status) status = sweep_all(&q, x, error);
  end(&q);
  if (status && bytes) memcpy(x, ipg_accepted_x(c), bytes);
  if (status) return status;
  measure(c, x, moved, farthest);
  return ipg_contact_set_positions(c, x, error);
}
