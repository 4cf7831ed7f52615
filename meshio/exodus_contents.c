/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Reads the contents of an Exodus file: sizes, blocks, sets, fields, times. It is the first part of reading a mesh or
 * results, and the only part for a file whose mesh cannot be read.
 *
 * Gate 3: counts are checked as far as memory depends on them. Whether a mesh can be made of the file is checked in
 * exodus_read.c. */
#include "exodus_contents.h"

#include "arrays.h"
#include "find_duplicate.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* More (field, block) pairs than this are not read. */
enum { MOST_PRESENCES = 1 << 26 };

typedef struct contents_reader {
  const ipg_exodus_file *file;
  ipg_contents contents;
  ipg_buffer scratch;
  ipg_error *error;
} contents_reader;

static ipg_status report_damage(const contents_reader *r, const char *what) {
  return ipg_exodus_report_damage(r->file, what, r->error);
}

static ipg_status reserve_scratch(contents_reader *r, int64_t count, size_t item_bytes) {
  return ipg_buffer_reserve(&r->scratch, &r->contents.allocator, count, item_bytes, r->error);
}

/* ---------------------------------------------------------------------------------------------------------- sizes */

static bool is_count(int64_t number) { return number >= 0 && number < INT_MAX; }

/* The library reads the title together with the sizes, and fails without one. */
static ipg_status read_title(contents_reader *r) {
  ex_init_params p = {0};
  if (r->file->traits.title != IPG_PART_READABLE) return IPG_OK;
  if (ex_get_init_ext(r->file->id, &p) < 0) return report_damage(r, "the title");
  memcpy(r->contents.title, p.title, sizeof r->contents.title - 1);
  return IPG_OK;
}

/* -1 if it is no number for an int. What is absent or cannot be read counts zero. */
static int inquire_count(const contents_reader *r, ex_inquiry what, ipg_exodus_part part) {
  if (part != IPG_PART_READABLE) return 0;
  const int64_t number = ex_inquire_int(r->file->id, what);
  return is_count(number) ? (int)number : -1;
}

static ipg_status read_sizes(contents_reader *r) {
  const ipg_exodus_traits *t = &r->file->traits;
  ipg_contents *c = &r->contents;
  c->dimensions = inquire_count(r, EX_INQ_DIM, IPG_PART_READABLE);
  c->node_count = ex_inquire_int(r->file->id, EX_INQ_NODES);
  c->element_count = ex_inquire_int(r->file->id, EX_INQ_ELEM);
  const int blocks = inquire_count(r, EX_INQ_ELEM_BLK, t->sets[IPG_LABEL_BLOCK]);
  const int node_sets = inquire_count(r, EX_INQ_NODE_SETS, t->sets[IPG_LABEL_NODE_SET]);
  const int side_sets = inquire_count(r, EX_INQ_SIDE_SETS, t->sets[IPG_LABEL_SIDE_SET]);
  const int steps = inquire_count(r, EX_INQ_TIME, t->steps);
  c->qa_count = inquire_count(r, EX_INQ_QA, t->qa), c->info_count = inquire_count(r, EX_INQ_INFO, t->info);
  if (c->node_count < 0 || c->element_count < 0 || c->dimensions < 0 || c->qa_count < 0 || c->info_count < 0 ||
      blocks < 0 || node_sets < 0 || side_sets < 0 || steps < 0)
    return report_damage(r, "the sizes of the mesh");
  c->block_count = blocks, c->node_set_count = node_sets, c->side_set_count = side_sets, c->step_count = steps;
  const ipg_allocator *a = &c->allocator;
  if ((c->blocks = ipg_allocate_array(a, c->block_count, sizeof *c->blocks, r->error)) &&
      (c->node_sets = ipg_allocate_array(a, c->node_set_count, sizeof *c->node_sets, r->error)) &&
      (c->side_sets = ipg_allocate_array(a, c->side_set_count, sizeof *c->side_sets, r->error)) &&
      (c->times = ipg_allocate_array(a, c->step_count, sizeof *c->times, r->error)))
    return IPG_OK;
  return IPG_ERROR_MEMORY;
}

/* ------------------------------------------------------------------------------------------------ blocks and sets */

static ipg_contents_set *get_set(const ipg_contents *c, int kind, int index) {
  return (kind == IPG_LABEL_NODE_SET ? c->node_sets : c->side_sets) + index;
}

static int64_t *get_id(const ipg_contents *c, int kind, int index) {
  return kind == IPG_LABEL_BLOCK ? &c->blocks[index].id : &get_set(c, kind, index)->id;
}

static char *get_name(const ipg_contents *c, int kind, int index) {
  return kind == IPG_LABEL_BLOCK ? c->blocks[index].name : get_set(c, kind, index)->name;
}

static int get_count(const ipg_contents *c, int kind) {
  return kind == IPG_LABEL_BLOCK ? c->block_count : kind == IPG_LABEL_NODE_SET ? c->node_set_count : c->side_set_count;
}

/* The library finds blocks and sets by id, so it cannot read two with the same one. */
static ipg_status check_unique_ids(contents_reader *r, int kind, const int64_t *ids, int count) {
  static const char *const kinds[IPG_LABEL_KIND_COUNT] = {"blocks", "node sets", "side sets"};
  int64_t id;
  bool twice;
  const ipg_status status = ipg_find_duplicate(ids, count, &r->contents.allocator, &twice, &id, r->error);
  if (status || !twice) return status;
  return ipg_fail(r->error, IPG_ERROR_FORMAT, "%s: two %s have the id %lld: give each its own", r->file->path,
                  kinds[kind], (long long)id);
}

static ipg_status read_ids(contents_reader *r, int kind) {
  const int count = get_count(&r->contents, kind);
  const ipg_status status = reserve_scratch(r, count, sizeof(int64_t));
  if (status || !count) return status;
  const int64_t *ids = r->scratch.data;
  if (ex_get_ids(r->file->id, ipg_exodus_label_types[kind], r->scratch.data) < 0)
    return report_damage(r, "the ids of blocks and sets");
  for (int i = 0; i < count; ++i) *get_id(&r->contents, kind, i) = ids[i];
  return check_unique_ids(r, kind, ids, count);
}

static ipg_status read_names(contents_reader *r, int kind) {
  static const char *const default_names[IPG_LABEL_KIND_COUNT] = {"block", "nodeset", "sideset"};
  const ipg_contents *c = &r->contents;
  const int count = get_count(c, kind);
  const ipg_status status = reserve_scratch(r, count, sizeof(char *));
  if (status || !count) return status;
  char **names = r->scratch.data;
  for (int i = 0; i < count; ++i) names[i] = get_name(c, kind, i);
  if (ipg_exodus_set_name_width(r->file, r->file->traits.label_widths[kind]) &&
      ex_get_names(r->file->id, ipg_exodus_label_types[kind], names) < 0)
    return report_damage(r, "the names of blocks and sets");
  for (int i = 0; i < count; ++i)
    if (!names[i][0]) snprintf(names[i], IPG_NAME_MAX, "%s_%lld", default_names[kind], (long long)*get_id(c, kind, i));
  return IPG_OK;
}

/* TET, TETRA, Tetrahedron ..., with or without the number of nodes after it. */
static bool is_tetrahedron(const char *type, int64_t nodes) {
  size_t k = 0;
  for (; k < 3; ++k)
    if (toupper((unsigned char)type[k]) != "TET"[k]) return false;
  while (isalpha((unsigned char)type[k])) ++k;
  const char *const digits = nodes == 4 ? "4" : nodes == 10 ? "10" : NULL;
  return digits && (!type[k] || !strcmp(type + k, digits));
}

/* A file without a number of elements has those of its blocks. */
static ipg_status read_blocks(contents_reader *r) {
  const bool counted = r->file->traits.elements == IPG_PART_READABLE;
  const int64_t most = counted ? r->contents.element_count : INT64_MAX;
  int64_t elements = 0;
  for (int i = 0; i < r->contents.block_count; ++i) {
    ipg_contents_block *block = &r->contents.blocks[i];
    ex_block b = {.id = block->id, .type = EX_ELEM_BLOCK};
    if (ex_get_block_param(r->file->id, &b) < 0 || b.num_entry < 0 || b.num_entry > most - elements ||
        !is_count(b.num_nodes_per_entry) || !is_count(b.num_attribute))
      return report_damage(r, "the element blocks");
    elements += block->count = b.num_entry;
    block->nodes_per_element = b.num_nodes_per_entry;
    block->attribute_count = r->file->traits.attributes == IPG_PART_READABLE ? b.num_attribute : 0;
    snprintf(block->type, sizeof block->type, "%s", b.topology);
    block->tetrahedra = !block->count || is_tetrahedron(block->type, block->nodes_per_element);
  }
  if (!counted) r->contents.element_count = elements;
  return elements == r->contents.element_count ? IPG_OK
                                               : report_damage(r, "the element blocks: they do not hold all elements");
}

static ipg_status read_sets(contents_reader *r, int kind) {
  for (int i = 0; i < get_count(&r->contents, kind); ++i) {
    ipg_contents_set *set = get_set(&r->contents, kind, i);
    if (ex_get_set_param(r->file->id, ipg_exodus_label_types[kind], set->id, &set->count, &set->factor_count) < 0 ||
        set->count < 0 || set->factor_count < 0)
      return report_damage(r, "the size of a set");
    if (set->count > IPG_ID_MAX || set->factor_count > IPG_ID_MAX)
      return ipg_fail(r->error, IPG_ERROR_TOO_MANY, "%s: set %lld has more than %lld entries: split it", r->file->path,
                      (long long)set->id, (long long)IPG_ID_MAX);
  }
  return IPG_OK;
}

static ipg_status read_labels(contents_reader *r) {
  ipg_status status = IPG_OK;
  for (int kind = 0; !status && kind < IPG_LABEL_KIND_COUNT; ++kind) {
    status = read_ids(r, kind);
    if (!status) status = read_names(r, kind);
    if (!status) status = kind == IPG_LABEL_BLOCK ? read_blocks(r) : read_sets(r, kind);
  }
  return status;
}

/* --------------------------------------------------------------------------------------------------------- fields */

static int64_t sum_counts(const ipg_contents_set *sets, int count) {
  int64_t sum = 0;
  for (int i = 0; i < count; ++i) sum += sets[i].count;
  return sum;
}

static void set_field_lengths(ipg_contents *c) {
  c->fields[IPG_FIELD_NODAL].length = c->node_count;
  c->fields[IPG_FIELD_GLOBAL].length = c->fields[IPG_FIELD_GLOBAL].count;
  c->fields[IPG_FIELD_ELEMENT].length = c->element_count, c->fields[IPG_FIELD_ELEMENT].groups = c->block_count;
  c->fields[IPG_FIELD_NODE_SET].length = sum_counts(c->node_sets, c->node_set_count);
  c->fields[IPG_FIELD_NODE_SET].groups = c->node_set_count;
  c->fields[IPG_FIELD_SIDE_SET].length = sum_counts(c->side_sets, c->side_set_count);
  c->fields[IPG_FIELD_SIDE_SET].groups = c->side_set_count;
}

static ipg_status read_field_names(contents_reader *r, int kind) {
  ipg_contents_fields *fields = &r->contents.fields[kind];
  int count = 0;
  if (r->file->traits.fields[kind] == IPG_PART_ABSENT) return IPG_OK;
  if (ex_get_variable_param(r->file->id, ipg_exodus_field_types[kind], &count) < 0 || !is_count(count))
    return report_damage(r, "the number of fields");
  fields->names = ipg_allocate_array(&r->contents.allocator, count, sizeof(ipg_name), r->error);
  if (!fields->names) return IPG_ERROR_MEMORY;
  fields->count = count;
  const bool named = ipg_exodus_set_name_width(r->file, r->file->traits.field_widths[kind]);
  for (int f = 0; named && f < count; ++f)
    if (ex_get_variable_name(r->file->id, ipg_exodus_field_types[kind], f + 1, fields->names[f]) < 0)
      return report_damage(r, "the names of the fields");
  return IPG_OK;
}

/* Transposes the truth table: the library stores it block by block, ipg_contents_fields field by field. */
static ipg_status read_presence(contents_reader *r, int kind) {
  ipg_contents_fields *fields = &r->contents.fields[kind];
  const int64_t count = (int64_t)fields->count * fields->groups;
  if (count > MOST_PRESENCES)
    return ipg_fail(r->error, IPG_ERROR_TOO_MANY,
                    "%s: %d fields on %d blocks or sets: at most %d such pairs can be read: write fewer fields",
                    r->file->path, fields->count, fields->groups, (int)MOST_PRESENCES);
  fields->present = ipg_allocate_array(&r->contents.allocator, count, sizeof(bool), r->error);
  if (!fields->present) return IPG_ERROR_MEMORY;
  const ipg_status status = reserve_scratch(r, count, sizeof(int));
  if (status || !count) return status;
  const int *table = r->scratch.data;
  if (ex_get_truth_table(r->file->id, ipg_exodus_field_types[kind], fields->groups, fields->count, r->scratch.data) < 0)
    return report_damage(r, "the table of fields");
  for (int f = 0; f < fields->count; ++f)
    for (int g = 0; g < fields->groups; ++g) fields->present[f * fields->groups + g] = table[g * fields->count + f];
  return IPG_OK;
}

static ipg_status read_fields(contents_reader *r) {
  ipg_status status = IPG_OK;
  for (int kind = 0; !status && kind < IPG_FIELD_KIND_COUNT; ++kind) status = read_field_names(r, kind);
  set_field_lengths(&r->contents);
  for (int kind = 0; !status && kind < IPG_FIELD_KIND_COUNT; ++kind) status = read_presence(r, kind);
  return status;
}

static ipg_status read_times(contents_reader *r) {
  if (!r->contents.step_count || ex_get_all_times(r->file->id, r->contents.times) >= 0) return IPG_OK;
  return report_damage(r, "the times of the steps");
}

/* --------------------------------------------------------------------------------------------------------- driver */

ipg_status ipg_exodus_read_contents(const ipg_exodus_file *file, const ipg_allocator *allocator, ipg_contents *contents,
                                    ipg_error *error) {
  contents_reader r = {.file = file, .error = error, .contents = {.allocator = ipg_choose_allocator(allocator)}};
  ipg_status status = read_title(&r);
  if (!status) status = read_sizes(&r);
  if (!status) status = read_labels(&r);
  if (!status) status = read_fields(&r);
  if (!status) status = read_times(&r);
  ipg_buffer_destroy(&r.scratch, &r.contents.allocator);
  if (status) ipg_contents_destroy(&r.contents);
  *contents = r.contents;
  return status;
}

ipg_status ipg_exodus_describe(const char *path, const ipg_allocator *allocator, ipg_contents *contents,
                               ipg_error *error) {
  if (!contents) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_exodus_describe needs a struct for the contents");
  *contents = (ipg_contents){0};
  ipg_exodus_file file;
  ipg_status status = ipg_exodus_open(path, allocator, &file, error);
  if (status) return status;
  status = ipg_exodus_read_contents(&file, allocator, contents, error);
  ex_close(file.id);
  return status;
}

void ipg_contents_destroy(ipg_contents *contents) {
  if (!contents) return;
  const ipg_allocator a = contents->allocator;
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; ++kind) {
    const ipg_contents_fields *fields = &contents->fields[kind];
    ipg_release_array(&a, fields->names, fields->count, sizeof(ipg_name));
    ipg_release_array(&a, fields->present, (int64_t)fields->count * fields->groups, sizeof(bool));
  }
  ipg_release_array(&a, contents->blocks, contents->block_count, sizeof *contents->blocks);
  ipg_release_array(&a, contents->node_sets, contents->node_set_count, sizeof *contents->node_sets);
  ipg_release_array(&a, contents->side_sets, contents->side_set_count, sizeof *contents->side_sets);
  ipg_release_array(&a, contents->times, contents->step_count, sizeof *contents->times);
  *contents = (ipg_contents){0};
}
