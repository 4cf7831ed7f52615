/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What a search method is given and must give: the inside of search.h.
 *
 * A method stores a set (`set`) and answers the two questions by proposing candidates; the frame here compares
 * boxes, applies exclusions, batches pairs and counts. A method may propose too many pairs, never too few, and
 * reports each pair once. Methods run their loops through search->config.tasks and never allocate inside a task. */
#ifndef IMPINGE_SEARCH_METHOD_H
#define IMPINGE_SEARCH_METHOD_H

#include "impinge/search.h"

enum { IPG_BATCH = 1024 };

/* Boxes (points are boxes with lo = hi) with their exclusions; absent exclusions are NULL. */
typedef struct ipg_set {
  const ipg_box *boxes;
  const ipg_id *keys, *groups;
  int64_t count;
  bool points;
} ipg_set;

/* One worker's outgoing pairs and counts; padded so that workers do not share cache lines. */
typedef struct ipg_outbox {
  ipg_pair *pairs;
  int64_t count;
  int64_t candidates, sent;
  char padding[64];
} ipg_outbox;

typedef struct ipg_search_method {
  const char *name;
  size_t state_bytes; /* zeroed at create; lives in search->state */
  ipg_status (*set)(ipg_search *search, ipg_error *error);
  ipg_status (*self)(ipg_search *search, ipg_error *error);
  ipg_status (*query)(ipg_search *search, ipg_error *error); /* search->queries against search->items */
  void (*release)(ipg_search *search);
} ipg_search_method;

extern const ipg_search_method ipg_search_scan, ipg_search_lkdtree;

struct ipg_search {
  ipg_search_config config;
  const ipg_search_method *method;
  void *state;
  ipg_set items, queries;
  ipg_buffer item_boxes, item_keys, item_groups, matrix, outboxes, batches;
  ipg_sink *sink;
  void *sink_context;
  ipg_search_counters counters;
  ipg_sorter sorter; /* for methods and for canonical arrays */
  ipg_buffer array_keys, array_pairs;
};

static inline bool ipg_boxes_overlap(const ipg_box *a, const ipg_box *b) {
  return a->lo[0] <= b->hi[0] && b->lo[0] <= a->hi[0] && a->lo[1] <= b->hi[1] && b->lo[1] <= a->hi[1] &&
         a->lo[2] <= b->hi[2] && b->lo[2] <= a->hi[2];
}

/* Books a proposal; true if the boxes overlap. */
static inline bool ipg_propose(ipg_search *search, const ipg_set *first, ipg_id a, ipg_id b, int worker) {
  ((ipg_outbox *)search->outboxes.data)[worker].candidates++;
  return ipg_boxes_overlap(&first->boxes[a], &search->items.boxes[b]);
}

/* Sends a pair whose boxes overlap, unless it is excluded. */
void ipg_send(ipg_search *search, const ipg_set *first, ipg_id a, ipg_id b, int worker);

#endif
