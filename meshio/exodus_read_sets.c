/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Reads node and side sets with their distribution factors.
 *
 * A side set may hold sides of elements that are not kept: these are left out, each with as many factors as it has
 * nodes. */
#define _POSIX_C_SOURCE 200809L
#include "exodus_reader.h"
#include "mesh_arrays.h"

#include <string.h>
#include <strings.h>

static ipg_status report_entry(const ipg_reader *r, const char *kind, const char *name, int64_t entry, int64_t limit) {
  return ipg_fail(r->error, IPG_ERROR_FORMAT, "%s: %s '%.80s' has the entry %lld of %lld: correct or remove the set",
                  r->file.path, kind, name, (long long)entry, (long long)limit);
}

/* -------------------------------------------------------------------------------------------------------- node sets */

static ipg_status read_node_set(ipg_reader *r, ipg_node_set *set, const ipg_contents_set *from) {
  ipg_status status = ipg_reader_reserve_scratch(r, from->count, sizeof(int64_t));
  if (!status) status = ipg_node_set_allocate(&r->mesh, set, from->count, from->factor_count, r->error);
  if (status || !from->count) return status;
  if (ex_get_set(r->file.id, EX_NODE_SET, from->id, r->scratch.data, NULL) < 0 ||
      (from->factor_count && ex_get_set_dist_fact(r->file.id, EX_NODE_SET, from->id, set->factors) < 0))
    return ipg_reader_report_damage(r, "a node set");
  const int64_t *entries = r->scratch.data;
  for (int64_t i = 0; i < from->count; ++i) {
    if (entries[i] < 1 || entries[i] > r->mesh.node_count)
      return report_entry(r, "node set", set->name, entries[i], r->mesh.node_count);
    set->nodes[i] = (ipg_id)(entries[i] - 1);
  }
  return IPG_OK;
}

/* -------------------------------------------------------------------------------------------------------- side sets */

/* A side set as it is in the file, in the scratch buffer; widths: how many factors each side has. */
typedef struct file_sides {
  int64_t count, factor_count;
  int64_t *elements, *sides;
  int *widths;
  double *factors;
} file_sides;

static ipg_status reserve_sides(ipg_reader *r, const ipg_contents_set *from, file_sides *s) {
  const ipg_status status = ipg_reader_reserve_scratch(r, 3 * from->count + from->factor_count, sizeof(int64_t));
  if (status) return status;
  *s = (file_sides){.count = from->count, .factor_count = from->factor_count, .elements = r->scratch.data};
  s->sides = s->elements + from->count;
  s->factors = (double *)(void *)(s->sides + from->count);
  s->widths = (int *)(void *)(s->factors + from->factor_count);
  return IPG_OK;
}

/* The number of nodes on a side of a solid element; 0 for other elements. (The library's function for this writes
 * beyond its memory where numbers are 64-bit.) */
static int count_side_nodes(const ipg_contents_block *block, int64_t side) {
  static const struct {
    const char *type;
    int nodes;
    int last_first; /* sides up to this one have `first` nodes, the others `second` */
    int first, second;
  } known[] = {{"TET", 4, 4, 3, 0},  {"TET", 8, 4, 4, 0},  {"TET", 10, 4, 6, 0}, {"TET", 11, 4, 6, 0},
               {"TET", 14, 4, 7, 0}, {"TET", 15, 4, 7, 0}, {"HEX", 8, 6, 4, 0},  {"HEX", 20, 6, 8, 0},
               {"HEX", 27, 6, 9, 0}, {"WED", 6, 3, 4, 3},  {"WED", 15, 3, 8, 6}, {"PYR", 5, 4, 3, 4},
               {"PYR", 13, 4, 6, 8}};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (known[i].nodes == block->nodes_per_element && !strncasecmp(block->type, known[i].type, 3))
      return side <= known[i].last_first ? known[i].first : known[i].second;
  return 0;
}

/* The last block that begins at or before the element; elements are counted from 1. */
static const ipg_contents_block *find_block(const ipg_contents *c, int64_t element) {
  int b = 0;
  for (int64_t first = 0; b + 1 < c->block_count && element > first + c->blocks[b].count; ++b)
    first += c->blocks[b].count;
  return &c->blocks[b];
}

/* False if the widths do not add up to the number of factors: then factors cannot be assigned to sides. */
static bool find_widths(const ipg_reader *r, file_sides *s) {
  int64_t sum = 0;
  for (int64_t i = 0; i < s->count; ++i)
    sum += s->widths[i] = count_side_nodes(find_block(&r->contents, s->elements[i]), s->sides[i]);
  return sum == s->factor_count;
}

static ipg_status read_file_sides(ipg_reader *r, const ipg_contents_set *from, const char *name, file_sides *s) {
  const ipg_status status = reserve_sides(r, from, s);
  if (status || !s->count) return status;
  if (ex_get_set(r->file.id, EX_SIDE_SET, from->id, s->elements, s->sides) < 0 ||
      (s->factor_count && ex_get_set_dist_fact(r->file.id, EX_SIDE_SET, from->id, s->factors) < 0))
    return ipg_reader_report_damage(r, "a side set");
  for (int64_t i = 0; i < s->count; ++i)
    if (s->elements[i] < 1 || s->elements[i] > r->contents.element_count)
      return report_entry(r, "side set", name, s->elements[i], r->contents.element_count);
  return IPG_OK;
}

/* Removes the sides of elements that are not kept, and their factors. */
static void drop_sides(ipg_reader *r, const char *name, file_sides *s) {
  const ipg_id *renumbered = r->renumbered.data;
  int64_t sides = 0, factors = 0, read = 0;
  if (!r->leaves_out || !s->count) return;
  if (s->factor_count && !find_widths(r, s)) {
    ipg_reader_report_left_out(
        r, "left out: the %lld distribution factors of side set '%.80s', which are not one for each node of each side",
        (long long)s->factor_count, name);
    s->factor_count = 0;
  }
  for (int64_t i = 0; i < s->count; ++i) {
    const int width = s->factor_count ? s->widths[i] : 0;
    if (renumbered[s->elements[i] - 1] >= 0) {
      s->elements[sides] = s->elements[i], s->sides[sides++] = s->sides[i];
      memmove(s->factors + factors, s->factors + read, (size_t)width * sizeof(double));
      factors += width;
    }
    read += width;
  }
  if (sides < s->count)
    ipg_reader_report_left_out(r, "left out: %lld of the %lld sides of side set '%.80s'", (long long)(s->count - sides),
                               (long long)s->count, name);
  s->count = sides, s->factor_count = factors;
}

static ipg_status read_side_set(ipg_reader *r, ipg_side_set *set, const ipg_contents_set *from) {
  file_sides s;
  ipg_status status = read_file_sides(r, from, set->name, &s);
  if (status) return status;
  drop_sides(r, set->name, &s);
  status = ipg_side_set_allocate(&r->mesh, set, s.count, s.factor_count, r->error);
  if (status) return status;
  for (int64_t i = 0; i < s.count; ++i) {
    if (s.sides[i] < 1 || s.sides[i] > 4) return report_entry(r, "side set", set->name, s.sides[i], 4);
    set->elements[i] = ((ipg_id *)r->renumbered.data)[s.elements[i] - 1];
    set->sides[i] = (ipg_id)(s.sides[i] - 1);
  }
  if (s.factor_count) memcpy(set->factors, s.factors, (size_t)s.factor_count * sizeof(double));
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
