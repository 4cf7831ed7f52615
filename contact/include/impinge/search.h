/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Finds all pairs of overlapping boxes. One interface for every search method, and two searches:
 *
 *   self:  all pairs a < b of overlapping boxes of one set;
 *   query: all pairs (query box, item), where the items are boxes or points.
 *
 * The set of pairs is exactly that of brute force, each pair once, the same for every method and number of threads.
 * Boxes are closed: touching counts. A set is stored by ipg_search_set_*, which copies what it needs; a later set
 * replaces it and reuses its memory. In 2-D, z is 0.
 *
 * Threads: two objects may be used from two threads at once. Of one object, calls that take it as const may run at the
 * same time; any other call runs alone. */
#ifndef IMPINGE_SEARCH_H
#define IMPINGE_SEARCH_H

#include "impinge/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ipg_box {
  double lo[3], hi[3];
} ipg_box;

/* self: a < b; query: a is the query, b the item. */
typedef struct ipg_pair {
  ipg_id a, b;
} ipg_pair;

/* Pairs that are not reported although their boxes overlap. NULL or absent parts exclude nothing.
 *   keys    4 per item: a pair whose items share a key is excluded; -1 is no key.
 *   groups  1 per item: a pair of groups (g, h) is excluded if the matrix of ipg_search_config has a 1 there. */
typedef struct ipg_exclusion {
  const ipg_id *keys;
  const ipg_id *groups;
} ipg_exclusion;

/* Pairs arrive in batches, in any order, from any worker; `pairs` is valid during the call only. */
typedef void ipg_sink(void *context, const ipg_pair *pairs, int64_t count, int worker);

typedef struct ipg_search ipg_search;

/* How the linear kd-tree cuts a box at the planes of cells, at most once per axis. */
typedef enum ipg_split {
  IPG_SPLIT_NONE,   /* one record per box */
  IPG_SPLIT_USEFUL, /* where that shrinks the cells around the box: 1 to 8 records */
  IPG_SPLIT_ALWAYS  /* 8 records, some twice: the order is then repaired from step to step instead of sorted again */
} ipg_split;

/* The variants of the linear kd-tree in the papers: for method "lkdtree" only. */
typedef struct ipg_lkdtree_config {
  int code_width;  /* bits of a stored code with its length: 64 or 32; default 64 */
  int bits;        /* per axis of a code, 1..19, or 1..9 in 32-bit codes; 0, the default: as many as possible */
  ipg_split split; /* default IPG_SPLIT_USEFUL */
  bool octree;     /* codes truncated to multiples of three bits, so that cells are cubes; default false */
  bool raw; /* pairs are reported as the sweep finds them, as in the paper's kd-tree-1: boxes may not overlap, and
               pairs repeat; default false */
} ipg_lkdtree_config;

typedef struct ipg_search_config {
  const char *method; /* a name of ipg_search_methods(); default "lkdtree_packed" */
  ipg_lkdtree_config lkdtree;
  const uint8_t *group_excluded; /* group_count x group_count, symmetric, 1 excludes the pair; NULL: none */
  int group_count;               /* copied at create */
  ipg_allocator allocator;
  ipg_tasks tasks;
} ipg_search_config;

/* The cost of the last set or move, and of the last search. */
typedef struct ipg_search_counters {
  int64_t records;    /* entries of the method's structure for the items */
  int64_t ordered;    /* items (and queries) that were sorted again */
  int64_t reused;     /* items (and queries) whose order was kept from the previous step */
  int64_t candidates; /* pairs of boxes compared; a comparison of 8 at once counts 8 */
  int64_t pairs;      /* pairs passed to the sink */
} ipg_search_counters;

/* NULL-terminated list of method names. */
IPG_API const char *const *ipg_search_methods(void);

IPG_API ipg_search_config ipg_search_defaults(void);
IPG_API ipg_status ipg_search_create(const ipg_search_config *config, ipg_search **search, ipg_error *error);
IPG_API void ipg_search_destroy(ipg_search **search);

/* Fails with IPG_ERROR_NUMBER, naming the item, on a box that is inverted, infinite or not a number; the set stays as
 * it was. If memory runs out the search may be left with an empty set, ready for the next. */
IPG_API ipg_status ipg_search_set_boxes(ipg_search *search, const ipg_box *boxes, int64_t count,
                                        const ipg_exclusion *exclusion, ipg_error *error);
IPG_API ipg_status ipg_search_set_points(ipg_search *search, const double *points, int64_t count,
                                         const ipg_exclusion *exclusion, ipg_error *error);

/* Moves the items of the last set, in the same order and number and with the same exclusions, to new positions: the
 * results are those of a new set, and the less the boxes moved, the cheaper it is. After a move, queries of the same
 * number as last time are treated as the same queries, moved. Fails as a set does; after a set or move for which memory
 * ran out there is nothing to move. */
IPG_API ipg_status ipg_search_move_boxes(ipg_search *search, const ipg_box *boxes, int64_t count, ipg_error *error);

/* Stream the pairs to a sink: memory does not grow with their number. */
IPG_API ipg_status ipg_search_self(ipg_search *search, ipg_sink *sink, void *context, ipg_error *error);
IPG_API ipg_status ipg_search_query(ipg_search *search, const ipg_box *queries, int64_t count,
                                    const ipg_exclusion *exclusion, ipg_sink *sink, void *context, ipg_error *error);

/* Return the pairs as an array, sorted by (a, b), which belongs to the search and is valid until its next call. */
IPG_API ipg_status ipg_search_self_array(ipg_search *search, const ipg_pair **pairs, int64_t *pair_count,
                                         ipg_error *error);
IPG_API ipg_status ipg_search_query_array(ipg_search *search, const ipg_box *queries, int64_t count,
                                          const ipg_exclusion *exclusion, const ipg_pair **pairs, int64_t *pair_count,
                                          ipg_error *error);

IPG_API ipg_search_counters ipg_search_get_counters(const ipg_search *search);

/* A checksum of a set of pairs that does not depend on their order: add the checksums of all batches. */
IPG_API uint64_t ipg_pairs_checksum(const ipg_pair *pairs, int64_t count);

#ifdef __cplusplus
}
#endif
#endif
