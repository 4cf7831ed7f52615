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
#include "support/simd.h"

enum { IPG_BATCH = 1024 };

/* What one look at all boxes tells. Sums may be infinite for boxes as large as doubles go. */
typedef struct ipg_bounds {
  double lo[3], hi[3]; /* the box of all boxes */
  double largest[3];   /* longest edge along each axis */
  double sum[3];       /* of the edges along each axis */
  bool proper;         /* no box is inverted or has a coordinate that is no number */
} ipg_bounds;

/* Boxes (points are boxes with lo = hi) with their exclusions; absent exclusions are NULL. */
typedef struct ipg_set {
  const ipg_box *boxes;
  const ipg_id *keys, *groups;
  int64_t count;
  bool points;
  ipg_bounds bounds;
} ipg_set;

/* One worker's outgoing pairs and counts; padded so that workers do not share cache lines. */
typedef struct ipg_pair_buffer {
  ipg_pair *pairs;
  int64_t count;
  int64_t candidates, sent;
  char padding[64];
} ipg_pair_buffer;

typedef struct ipg_search_method {
  const char *name;
  size_t state_bytes; /* zeroed at create; lives in search->state */
  bool copies_boxes;  /* the method copies boxes itself; items.boxes are the caller's, during set and move only */
  /* Optional: a glance at a set that comes in, piece by piece, while its boxes are in the cache and before it is known
   * whether they are proper. The set the search holds must not suffer. Not before a move. */
  ipg_status (*prepare)(ipg_search *search, const ipg_set *set, ipg_error *error);
  void (*glance)(ipg_search *search, const ipg_set *set, int64_t begin, int64_t end);
  ipg_status (*set)(ipg_search *search, ipg_error *error);
  ipg_status (*move)(ipg_search *search, ipg_error *error); /* same items, moved; NULL: set does */
  ipg_status (*self)(ipg_search *search, ipg_error *error);
  ipg_status (*query)(ipg_search *search, ipg_error *error); /* search->queries against search->items */
  void (*release)(ipg_search *search);
} ipg_search_method;

extern const ipg_search_method ipg_search_brute_force, ipg_search_sorted, ipg_search_orthotree, ipg_search_kdtree,
    ipg_search_cells, ipg_search_cells_sparse, ipg_search_hash, ipg_search_mlhash, ipg_search_hhash, ipg_search_sap,
    ipg_search_lkdtree, ipg_search_lkdtree_packed;

struct ipg_search {
  ipg_search_config config;
  const ipg_search_method *method;
  void *state;
  ipg_simd simd;
  ipg_set items, queries;
  bool movable; /* the last set or move succeeded */
  ipg_buffer item_boxes, item_keys, item_groups, matrix, pair_buffers, batches, chunk_bounds;
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

/* Four ids each; a negative one is no key. */
static inline bool ipg_have_common_key(const ipg_id *a, const ipg_id *b) {
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (a[i] >= 0 && a[i] == b[j]) return true;
  return false;
}

/* Books a proposal; true if the boxes overlap. */
static inline bool ipg_test_candidate(ipg_search *search, const ipg_set *first, ipg_id a, ipg_id b, int worker) {
  ((ipg_pair_buffer *)search->pair_buffers.data)[worker].candidates++;
  return ipg_boxes_overlap(&first->boxes[a], &search->items.boxes[b]);
}

/* Books candidates that a method compares by itself. */
static inline void ipg_count_candidates(ipg_search *search, int64_t candidates, int worker) {
  ((ipg_pair_buffer *)search->pair_buffers.data)[worker].candidates += candidates;
}

/* Hands a worker's batch to the sink. */
void ipg_flush_pairs(ipg_search *search, int worker);

/* Sends a pair that is not excluded. */
static inline void ipg_append_pair(ipg_search *search, ipg_id a, ipg_id b, int worker) {
  ipg_pair_buffer *outbox = (ipg_pair_buffer *)search->pair_buffers.data + worker;
  outbox->pairs[outbox->count++] = (ipg_pair){a, b};
  if (outbox->count == IPG_BATCH) ipg_flush_pairs(search, worker);
}

/* Sends a pair whose boxes overlap, unless it is excluded. */
void ipg_report_pair(ipg_search *search, const ipg_set *first, ipg_id a, ipg_id b, int worker);

/* Fills in the bounds of a set; fails, naming the first, on boxes that are inverted or not finite. */
ipg_status ipg_compute_bounds(ipg_search *search, const char *what, ipg_set *set, bool glance, ipg_error *error);
void ipg_compute_bounds_avx2(const ipg_box *boxes, int64_t count, ipg_bounds *bounds);

#endif
