/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The interface between search.c and the search methods.
 *
 * A method stores a set of items and proposes candidate pairs; the functions here compare boxes, apply exclusions,
 * batch pairs and count. A method may propose too many candidates but never too few, and reports each pair once.
 * Methods run their loops through search->config.tasks and never allocate inside a task. */
#ifndef IMPINGE_SEARCH_METHOD_H
#define IMPINGE_SEARCH_METHOD_H

#include "impinge/search.h"
#include "support/box.h"
#include "support/simd.h"

enum { IPG_BATCH = 1024 };

/* What one pass over all boxes computes. Sums may be infinite for boxes as large as doubles go. */
typedef struct ipg_bounds {
  double lo[3], hi[3]; /* the box of all boxes */
  double largest[3];   /* longest edge along each axis */
  double sum[3];       /* of the edges along each axis */
  bool valid;          /* no box is inverted or has a coordinate that is not a number */
} ipg_bounds;

/* Boxes (points are boxes with lo = hi) with their exclusions; absent exclusions are NULL. */
typedef struct ipg_set {
  const ipg_box *boxes;
  const ipg_id *keys, *groups;
  int64_t count;
  bool points;
  ipg_bounds bounds;
} ipg_set;

/* One worker's outgoing pairs and counters; padded so that workers do not share cache lines. */
typedef struct ipg_pair_buffer {
  ipg_pair *pairs;
  int64_t count;
  int64_t candidates, sent;
  char padding[64];
} ipg_pair_buffer;

/* `self` finds the pairs of search->items, `query` those of search->queries and search->items. Where that is one loop,
 * over all items or all queries in chunks of `grain`, the method gives the task instead: search.c runs the loop. */
typedef struct ipg_search_method {
  const char *name;
  size_t state_bytes; /* zeroed at create; lives in search->state */
  bool copies_boxes;  /* the method copies boxes itself; items.boxes are the caller's, during set and move only */
  /* Optional: preprocesses a new set chunk by chunk while its boxes are in the cache, before it is known whether they
   * are valid. Must not change the set that the search holds. Not called before a move. */
  ipg_status (*start_preprocess)(ipg_search *search, const ipg_set *set, ipg_error *error);
  void (*preprocess_chunk)(ipg_search *search, const ipg_set *set, int64_t begin, int64_t end);
  ipg_status (*set)(ipg_search *search, ipg_error *error);
  ipg_status (*move)(ipg_search *search, ipg_error *error); /* same items, moved; NULL: set is called */
  ipg_status (*self)(ipg_search *search, ipg_error *error);
  ipg_status (*query)(ipg_search *search, ipg_error *error);
  ipg_task *self_task, *query_task; /* in place of self and query; the argument is the search */
  int64_t grain;
  void (*release)(ipg_search *search); /* frees what the state holds; NULL: nothing */
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
  ipg_sorter sorter; /* for methods and for sorted arrays */
  ipg_buffer array_keys, array_pairs;
};

/* Four ids each; a negative id is no key. */
static inline bool ipg_have_common_key(const ipg_id *a, const ipg_id *b) {
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (a[i] >= 0 && a[i] == b[j]) return true;
  return false;
}

/* Counts candidates that a method compares itself. */
static inline void ipg_count_candidates(ipg_search *search, int64_t candidates, int worker) {
  ((ipg_pair_buffer *)search->pair_buffers.data)[worker].candidates += candidates;
}

/* Counts a candidate; true if box a of `first` and item b overlap. */
static inline bool ipg_test_candidate(ipg_search *search, const ipg_set *first, ipg_id a, ipg_id b, int worker) {
  ipg_count_candidates(search, 1, worker);
  return ipg_boxes_overlap(&first->boxes[a], &search->items.boxes[b]);
}

/* Hands a worker's batch to the sink. */
void ipg_flush_pairs(ipg_search *search, int worker);

/* Reports the pair (a of `first`, item b), whose boxes overlap, unless it is excluded. */
void ipg_report_pair(ipg_search *search, const ipg_set *first, ipg_id a, ipg_id b, int worker);

/* The same for a method that finds pairs of one set in any order: in a self search the lower id becomes a. */
static inline void ipg_report_unordered(ipg_search *search, const ipg_set *first, ipg_id a, ipg_id b, int worker) {
  const bool swap = first == &search->items && b < a;
  ipg_report_pair(search, first, swap ? b : a, swap ? a : b, worker);
}

/* Counts a candidate and reports it if its boxes overlap. */
static inline void ipg_compare_boxes(ipg_search *search, const ipg_set *first, ipg_id a, ipg_id b, int worker) {
  if (ipg_test_candidate(search, first, a, b, worker)) ipg_report_unordered(search, first, a, b, worker);
}

/* Frees the buffers of a list that ends in NULL. */
void ipg_destroy_buffers(ipg_search *search, ipg_buffer *const *buffers);

/* Fills in the bounds of a set; fails, naming the first, on boxes that are inverted or not finite. With `preprocess`
 * the method sees the boxes in the same pass. */
ipg_status ipg_compute_bounds(ipg_search *search, const char *what, ipg_set *set, bool preprocess, ipg_error *error);
void ipg_compute_bounds_avx2(const ipg_box *boxes, int64_t count, ipg_bounds *bounds);

#endif
