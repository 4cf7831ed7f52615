/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Compares the results of two files: times, names of the fields, and then field by field all steps that both have.
 *
 * Values are compared as they are in the files, including those of blocks that were left out of the mesh, wherever both
 * files have the field. One buffer per file, allocated once, holds any field. */
#include "compare.h"

#include <stdlib.h>
#include <string.h>

static const char *const kinds[IPG_FIELD_KIND_COUNT] = {"nodal", "global", "element", "node set", "side set"};

/* A field of each file at one step. */
typedef struct value_buffers {
  double *a, *b;
} value_buffers;

static bool is_ignored(const compare *c, const char *name) {
  size_t length = strlen(name);
  for (const char *word = c->ignored; word; word = strchr(word, ','), word = word ? word + 1 : NULL)
    if (strncmp(word, name, length) == 0 && (word[length] == ',' || word[length] == '\0')) return true;
  return false;
}

static int find_field(const ipg_contents_fields *fields, const char *name) {
  for (int f = 0; f < fields->count; f++)
    if (strcmp(fields->names[f], name) == 0) return f;
  return -1;
}

static int64_t count_common_steps(const compare *c) {
  int64_t a = c->a.contents->step_count, b = c->b.contents->step_count;
  return a < b ? a : b;
}

/* -------------------------------------------------------------------------------------------------- what there is */

static void compare_times(compare *c) {
  char pair[COMPARE_PAIR_BYTES];
  compare_worst worst = {0};
  const ipg_contents *a = c->a.contents, *b = c->b.contents;
  if (a->step_count != b->step_count)
    compare_print_difference(c, "steps: %lld and %lld", (long long)a->step_count, (long long)b->step_count);
  compare_values(c, &worst, a->times, b->times, count_common_steps(c), 1, 0);
  if (!worst.count) return;
  compare_format_pair(worst.a, worst.b, pair);
  compare_print_difference(c, "times: %lld differ, most by %.3g, of step %lld: %s", (long long)worst.count, worst.size,
                           (long long)worst.index, pair);
}

/* Prints the fields of one side that the other side does not have. */
static void print_missing_fields(compare *c, int kind, const compare_side *side, const compare_side *other) {
  const ipg_contents_fields *fields = &side->contents->fields[kind];
  for (int f = 0; f < fields->count; f++)
    if (find_field(&other->contents->fields[kind], fields->names[f]) < 0 && !is_ignored(c, fields->names[f]))
      compare_print_difference(c, "%s %s: only in %s", kinds[kind], fields->names[f], side->path);
}

/* ------------------------------------------------------------------------------------------------------ one field */

/* A field of both files. Its groups are the blocks or sets of the file, or a single group of all values. */
typedef struct pair_of_fields {
  ipg_field_kind kind;
  int of_a, of_b;
} pair_of_fields;

static int count_groups(const ipg_contents *contents, ipg_field_kind kind) {
  return kind == IPG_FIELD_NODAL || kind == IPG_FIELD_GLOBAL ? 1 : contents->fields[kind].groups;
}

static int64_t get_group_length(const ipg_contents *contents, ipg_field_kind kind, int group) {
  switch (kind) {
  case IPG_FIELD_NODAL: return contents->node_count;
  case IPG_FIELD_GLOBAL: return 1;
  case IPG_FIELD_ELEMENT: return contents->blocks[group].count;
  case IPG_FIELD_NODE_SET: return contents->node_sets[group].count;
  default: return contents->side_sets[group].count;
  }
}

static bool have_same_groups(const compare *c, ipg_field_kind kind) {
  const ipg_contents *a = c->a.contents, *b = c->b.contents;
  if (count_groups(a, kind) != count_groups(b, kind)) return false;
  for (int g = 0; g < count_groups(a, kind); g++)
    if (get_group_length(a, kind, g) != get_group_length(b, kind, g)) return false;
  return true;
}

static const char *get_group_name(const ipg_contents *contents, ipg_field_kind kind, int group) {
  switch (kind) {
  case IPG_FIELD_ELEMENT: return contents->blocks[group].name;
  case IPG_FIELD_NODE_SET: return contents->node_sets[group].name;
  default: return contents->side_sets[group].name;
  }
}

static bool is_present(const ipg_contents_fields *fields, int field, int group) {
  return !fields->groups || fields->present[(int64_t)field * fields->groups + group];
}

static void compare_presence(compare *c, const pair_of_fields *p) {
  const ipg_contents_fields *a = &c->a.contents->fields[p->kind], *b = &c->b.contents->fields[p->kind];
  for (int g = 0; g < a->groups; g++)
    if (is_present(a, p->of_a, g) != is_present(b, p->of_b, g))
      compare_print_difference(c, "%s %s: on %s only in %s", kinds[p->kind], a->names[p->of_a],
                               get_group_name(c->a.contents, p->kind, g),
                               is_present(a, p->of_a, g) ? c->a.path : c->b.path);
}

static void compare_groups(const compare *c, const pair_of_fields *p, const value_buffers *values, int64_t step,
                           compare_worst *worst) {
  const ipg_contents_fields *a = &c->a.contents->fields[p->kind], *b = &c->b.contents->fields[p->kind];
  int64_t first = 0;
  for (int g = 0; g < count_groups(c->a.contents, p->kind); g++) {
    int64_t length = get_group_length(c->a.contents, p->kind, g);
    if (is_present(a, p->of_a, g) && is_present(b, p->of_b, g))
      compare_values(c, worst, values->a + first, values->b + first, length, first, step);
    first += length;
  }
}

/* Global fields are read all at once; the requested one is copied to the front. */
static ipg_status read_field(const compare_side *side, ipg_field_kind kind, int field, int64_t step, double *values,
                             ipg_error *error) {
  if (kind != IPG_FIELD_GLOBAL) return ipg_results_read(side->results, step, kind, field, values, error);
  ipg_status status = ipg_results_read(side->results, step, kind, 0, values, error);
  if (!status) values[0] = values[field];
  return status;
}

static ipg_status compare_steps(const compare *c, const pair_of_fields *p, const value_buffers *values,
                                compare_worst *worst, ipg_error *error) {
  ipg_status status = IPG_OK;
  for (int64_t step = 0; !status && step < count_common_steps(c); step++) {
    status = read_field(&c->a, p->kind, p->of_a, step, values->a, error);
    if (!status) status = read_field(&c->b, p->kind, p->of_b, step, values->b, error);
    if (!status) compare_groups(c, p, values, step, worst);
  }
  return status;
}

/* --------------------------------------------------------------------------------------------- location of a value */

enum { LOCATION_BYTES = IPG_NAME_MAX + 64 };

/* By the number in A; nodes and elements that were left out of the mesh have only a position in the file. */
static void format_item(const char *what, const ipg_id *local_at, const ipg_gid *gids, int64_t at,
                        char location[LOCATION_BYTES]) {
  int64_t local = local_at ? local_at[at] : at;
  if (local >= 0) snprintf(location, LOCATION_BYTES, " at %s %lld", what, (long long)gids[local]);
  else snprintf(location, LOCATION_BYTES, " at position %lld of the %ss", (long long)at + 1, what);
}

/* The sets of a mesh with left-out elements may be shorter than those of the file: then an entry is named by its
 * position in the file. */
static void format_entry(const compare_side *a, ipg_field_kind kind, int group, int64_t at,
                         char location[LOCATION_BYTES]) {
  const ipg_mesh *mesh = &a->mesh;
  const char *name = get_group_name(a->contents, kind, group);
  if (a->node_at || a->element_at)
    snprintf(location, LOCATION_BYTES, " at position %lld of %s", (long long)at + 1, name);
  else if (kind == IPG_FIELD_NODE_SET)
    snprintf(location, LOCATION_BYTES, " at node %lld of %s",
             (long long)mesh->node_gids[mesh->node_sets[group].nodes[at]], name);
  else
    snprintf(location, LOCATION_BYTES, " at element %lld, side %d of %s",
             (long long)mesh->element_gids[mesh->side_sets[group].elements[at]],
             (int)mesh->side_sets[group].sides[at] + 1, name);
}

static void format_location(const compare_side *a, ipg_field_kind kind, int64_t at, char location[LOCATION_BYTES]) {
  int group = 0;
  if (kind == IPG_FIELD_NODAL) format_item("node", a->node_at, a->mesh.node_gids, at, location);
  else if (kind == IPG_FIELD_ELEMENT) format_item("element", a->element_at, a->mesh.element_gids, at, location);
  else if (kind == IPG_FIELD_GLOBAL) location[0] = '\0';
  else {
    for (; at >= get_group_length(a->contents, kind, group); group++) at -= get_group_length(a->contents, kind, group);
    format_entry(a, kind, group, at, location);
  }
}

static void print_worst(compare *c, const pair_of_fields *p, const compare_worst *worst) {
  char pair[COMPARE_PAIR_BYTES], location[LOCATION_BYTES];
  if (!worst->count) return;
  compare_format_pair(worst->a, worst->b, pair);
  format_location(&c->a, p->kind, worst->index, location);
  compare_print_difference(c, "%s %s: %lld values differ, most by %.3g, in step %lld%s: %s", kinds[p->kind],
                           c->a.contents->fields[p->kind].names[p->of_a], (long long)worst->count, worst->size,
                           (long long)worst->step + 1, location, pair);
}

/* --------------------------------------------------------------------------------------------------------- driver */

static ipg_status compare_field(compare *c, const pair_of_fields *p, const value_buffers *values, ipg_error *error) {
  compare_worst worst = {0};
  if (!have_same_groups(c, p->kind)) return IPG_OK;
  compare_presence(c, p);
  c->field_count++;
  ipg_status status = compare_steps(c, p, values, &worst, error);
  if (!status) print_worst(c, p, &worst);
  return status;
}

static ipg_status compare_kind(compare *c, ipg_field_kind kind, const value_buffers *values, ipg_error *error) {
  const ipg_contents_fields *a = &c->a.contents->fields[kind], *b = &c->b.contents->fields[kind];
  ipg_status status = IPG_OK;
  print_missing_fields(c, kind, &c->a, &c->b);
  print_missing_fields(c, kind, &c->b, &c->a);
  for (int f = 0; !status && f < a->count; f++) {
    pair_of_fields p = {kind, f, find_field(b, a->names[f])};
    if (p.of_b >= 0 && !is_ignored(c, a->names[f])) status = compare_field(c, &p, values, error);
  }
  return status;
}

static double *allocate_buffer(const ipg_contents *contents) {
  int64_t longest = 1;
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; kind++) {
    const ipg_contents_fields *fields = &contents->fields[kind];
    if (fields->count && fields->length > longest) longest = fields->length;
  }
  return malloc((size_t)longest * sizeof(double));
}

ipg_status compare_results(compare *c, ipg_error *error) {
  value_buffers values = {allocate_buffer(c->a.contents), allocate_buffer(c->b.contents)};
  ipg_status status = values.a && values.b ? IPG_OK : ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for a field");
  if (!status) compare_times(c);
  for (int kind = 0; !status && kind < IPG_FIELD_KIND_COUNT; kind++)
    status = compare_kind(c, (ipg_field_kind)kind, &values, error);
  free(values.a);
  free(values.b);
  return status;
}
