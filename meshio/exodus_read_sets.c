/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Node and side sets of an Exodus file, with their distribution factors.
 *
 * A side set may hold sides of elements that are not kept: those go, with as many factors as their side has nodes. */
#define _POSIX_C_SOURCE 200809L
#include "exodus_read.h"

#include <string.h>
#include <strings.h>

static ipg_status refuse_entry(const ipg_reader *r, const char *kind, const char *name, int64_t entry, int64_t limit) {
  return ipg_fail(r->error, IPG_ERROR_FORMAT, "%s: %s '%.80s' holds number %lld of %lld: mend or remove the set",
                  r->file.path, kind, name, (long long)entry, (long long)limit);
}

/* -------------------------------------------------------------------------------------------------------- node sets */

static ipg_status read_node_set(ipg_reader *r, ipg_node_set *set, const ipg_contents_set *from) {
  ipg_status status = ipg_reader_reserve(r, from->count, sizeof(int64_t));
  if (!status) status = ipg_node_set_allocate(&r->mesh, set, from->count, from->factor_count, r->error);
  if (status || !from->count) return status;
  if (ex_get_set(r->file.id, EX_NODE_SET, from->id, r->scratch.data, NULL) < 0 ||
      (from->factor_count && ex_get_set_dist_fact(r->file.id, EX_NODE_SET, from->id, set->factors) < 0))
    return ipg_reader_damaged(r, "a node set");
  const int64_t *entries = r->scratch.data;
  for (int64_t i = 0; i < from->count; ++i) {
    if (entries[i] < 1 || entries[i] > r->mesh.node_count)
      return refuse_entry(r, "node set", set->name, entries[i], r->mesh.node_count);
    set->nodes[i] = (ipg_id)(entries[i] - 1);
  }
  return IPG_OK;
}

/* -------------------------------------------------------------------------------------------------------- side sets */

/* All of a set as it is in the file; places in the scratch: elements, sides, then how many factors each side has. */
typedef struct raw_sides {
  int64_t count, factor_count;
  int64_t *elements, *sides;
  int *widths;
  double *factors;
} raw_sides;

static ipg_status reserve_raw(ipg_reader *r, const ipg_contents_set *from, raw_sides *raw) {
  const ipg_status status = ipg_reader_reserve(r, 3 * from->count + from->factor_count, sizeof(int64_t));
  if (status) return status;
  *raw = (raw_sides){.count = from->count, .factor_count = from->factor_count, .elements = r->scratch.data};
  raw->sides = raw->elements + from->count;
  raw->factors = (double *)(void *)(raw->sides + from->count);
  raw->widths = (int *)(void *)(raw->factors + from->factor_count);
  return IPG_OK;
}

/* Nodes on a side of the solid elements that files hold; 0 for any other. (The library's own count of them writes past
 * its memory where numbers are 64-bit.) */
static int nodes_on_side(const ipg_contents_block *block, int64_t side) {
  static const struct {
    const char *type;
    int nodes, last_first; /* sides up to this one are of the first width */
    int first, second;
  } known[] = {{"TET", 4, 4, 3, 0},  {"TET", 10, 4, 6, 0}, {"HEX", 8, 6, 4, 0},
               {"HEX", 20, 6, 8, 0}, {"HEX", 27, 6, 9, 0}, {"WED", 6, 3, 4, 3},
               {"WED", 15, 3, 8, 6}, {"PYR", 5, 4, 3, 4},  {"PYR", 13, 4, 6, 8}};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (known[i].nodes == block->nodes_per_element && !strncasecmp(block->type, known[i].type, 3))
      return side <= known[i].last_first ? known[i].first : known[i].second;
  return 0;
}

/* The last block that begins at or before the element, counted from 1. */
static const ipg_contents_block *block_of(const ipg_contents *c, int64_t element) {
  int b = 0;
  for (int64_t first = 0; b + 1 < c->block_count && element > first + c->blocks[b].count; ++b)
    first += c->blocks[b].count;
  return &c->blocks[b];
}

/* Where the sum is not that of the factors, nobody knows which factor belongs to which side. */
static bool find_widths(const ipg_reader *r, raw_sides *raw) {
  int64_t sum = 0;
  for (int64_t i = 0; i < raw->count; ++i)
    sum += raw->widths[i] = nodes_on_side(block_of(&r->contents, raw->elements[i]), raw->sides[i]);
  return sum == raw->factor_count;
}

static ipg_status read_raw(ipg_reader *r, const ipg_contents_set *from, const char *name, raw_sides *raw) {
  const ipg_status status = reserve_raw(r, from, raw);
  if (status || !raw->count) return status;
  if (ex_get_set(r->file.id, EX_SIDE_SET, from->id, raw->elements, raw->sides) < 0 ||
      (raw->factor_count && ex_get_set_dist_fact(r->file.id, EX_SIDE_SET, from->id, raw->factors) < 0))
    return ipg_reader_damaged(r, "a side set");
  for (int64_t i = 0; i < raw->count; ++i)
    if (raw->elements[i] < 1 || raw->elements[i] > r->contents.element_count)
      return refuse_entry(r, "side set", name, raw->elements[i], r->contents.element_count);
  return IPG_OK;
}

/* Drops the sides of elements that are not kept, and their factors. */
static void keep_sides(ipg_reader *r, const char *name, raw_sides *raw) {
  const ipg_id *place = r->renumbered.data;
  int64_t sides = 0, factors = 0, read = 0;
  if (!r->leaves_out || !raw->count) return;
  if (raw->factor_count && !find_widths(r, raw)) {
    ipg_reader_say(r, "left out: the %lld distribution factors of side set '%.80s', which are not one for each node",
                   (long long)raw->factor_count, name);
    raw->factor_count = 0;
  }
  for (int64_t i = 0; i < raw->count; ++i) {
    const int width = raw->factor_count ? raw->widths[i] : 0;
    if (place[raw->elements[i] - 1] >= 0) {
      raw->elements[sides] = raw->elements[i], raw->sides[sides++] = raw->sides[i];
      memmove(raw->factors + factors, raw->factors + read, (size_t)width * sizeof(double));
      factors += width;
    }
    read += width;
  }
  if (sides < raw->count)
    ipg_reader_say(r, "left out: %lld of the %lld sides of side set '%.80s'", (long long)(raw->count - sides),
                   (long long)raw->count, name);
  raw->count = sides, raw->factor_count = factors;
}

static ipg_status read_side_set(ipg_reader *r, ipg_side_set *set, const ipg_contents_set *from) {
  raw_sides raw;
  ipg_status status = read_raw(r, from, set->name, &raw);
  if (status) return status;
  keep_sides(r, set->name, &raw);
  status = ipg_side_set_allocate(&r->mesh, set, raw.count, raw.factor_count, r->error);
  if (status) return status;
  for (int64_t i = 0; i < raw.count; ++i) {
    if (raw.sides[i] < 1 || raw.sides[i] > 4) return refuse_entry(r, "side set", set->name, raw.sides[i], 4);
    set->elements[i] = ((ipg_id *)r->renumbered.data)[raw.elements[i] - 1];
    set->sides[i] = (ipg_id)(raw.sides[i] - 1);
  }
  if (raw.factor_count) memcpy(set->factors, raw.factors, (size_t)raw.factor_count * sizeof(double));
  return IPG_OK;
}

ipg_status ipg_reader_read_sets(ipg_reader *r) {
  ipg_status status = IPG_OK;
  for (int i = 0; !status && i < r->mesh.node_set_count; ++i)
    status = read_node_set(r, &r->mesh.node_sets[i], &r->contents.node_sets[i]);
  for (int i = 0; !status && i < r->mesh.side_set_count; ++i)
    status = read_side_set(r, &r->mesh.side_sets[i], &r->contents.side_sets[i]);
  return status;
}
