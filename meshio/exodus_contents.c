/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What the header of an Exodus file says: sizes, blocks, sets, fields, times. It is the first half of every reading,
 * and all there is for a file whose mesh cannot be read.
 *
 * Numbers are checked only as far as memory depends on them; whether a mesh can be made of them is for the reader. */
#include "exodus_file.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* More than this many (field, block) pairs are a damaged file. */
enum { MOST_PRESENCES = 1 << 26 };

typedef struct describer {
  const ipg_exodus_file *file;
  ipg_contents contents;
  ipg_buffer scratch;
  ipg_error *error;
} describer;

static ipg_status damaged(const describer *d, const char *what) { return ipg_exodus_damaged(d->file, what, d->error); }

static ipg_status reserve(describer *d, int64_t count, size_t item_bytes) {
  return ipg_buffer_reserve(&d->scratch, &d->contents.allocator, count, item_bytes, d->error);
}

/* ---------------------------------------------------------------------------------------------------------- sizes */

static bool is_count(int64_t number) { return number >= 0 && number < INT_MAX; }

static ipg_status read_sizes(describer *d) {
  ex_init_params p = {0};
  ipg_contents *c = &d->contents;
  const int64_t steps = ex_inquire_int(d->file->id, EX_INQ_TIME);
  const int64_t qa = ex_inquire_int(d->file->id, EX_INQ_QA), info = ex_inquire_int(d->file->id, EX_INQ_INFO);
  if (ex_get_init_ext(d->file->id, &p) < 0 || p.num_nodes < 0 || p.num_elem < 0 || !is_count(p.num_elem_blk) ||
      !is_count(p.num_node_sets) || !is_count(p.num_side_sets) || !is_count(p.num_dim) || !is_count(steps) ||
      !is_count(qa) || !is_count(info))
    return damaged(d, "the sizes of the mesh");
  memcpy(c->title, p.title, sizeof c->title - 1);
  c->dimensions = (int)p.num_dim;
  c->node_count = p.num_nodes, c->element_count = p.num_elem;
  c->block_count = (int)p.num_elem_blk;
  c->node_set_count = (int)p.num_node_sets, c->side_set_count = (int)p.num_side_sets;
  c->step_count = steps, c->qa_count = (int)qa, c->info_count = (int)info;
  const ipg_allocator *a = &c->allocator;
  if ((c->blocks = ipg_take(a, c->block_count, sizeof *c->blocks, d->error)) &&
      (c->node_sets = ipg_take(a, c->node_set_count, sizeof *c->node_sets, d->error)) &&
      (c->side_sets = ipg_take(a, c->side_set_count, sizeof *c->side_sets, d->error)) &&
      (c->times = ipg_take(a, c->step_count, sizeof *c->times, d->error)))
    return IPG_OK;
  return IPG_ERROR_MEMORY;
}

/* ------------------------------------------------------------------------------------------------ blocks and sets */

static ipg_contents_set *set_of(const ipg_contents *c, int kind, int index) {
  return (kind == IPG_LABEL_NODE_SET ? c->node_sets : c->side_sets) + index;
}

static int64_t *id_of(const ipg_contents *c, int kind, int index) {
  return kind == IPG_LABEL_BLOCK ? &c->blocks[index].id : &set_of(c, kind, index)->id;
}

static char *name_of(const ipg_contents *c, int kind, int index) {
  return kind == IPG_LABEL_BLOCK ? c->blocks[index].name : set_of(c, kind, index)->name;
}

static int count_of(const ipg_contents *c, int kind) {
  return kind == IPG_LABEL_BLOCK ? c->block_count : kind == IPG_LABEL_NODE_SET ? c->node_set_count : c->side_set_count;
}

/* By its id the library finds a block or set: two with the same would be one. */
static ipg_status refuse_double_ids(describer *d, int kind, const int64_t *ids, int count) {
  static const char *const kinds[IPG_LABEL_KIND_COUNT] = {"blocks", "node sets", "side sets"};
  int64_t id;
  bool twice;
  const ipg_status status = ipg_find_double(ids, count, &d->contents.allocator, &twice, &id, d->error);
  if (status || !twice) return status;
  return ipg_fail(d->error, IPG_ERROR_FORMAT, "%s: two %s have the id %lld: give each its own", d->file->path,
                  kinds[kind], (long long)id);
}

static ipg_status read_ids(describer *d, int kind) {
  const int count = count_of(&d->contents, kind);
  const ipg_status status = reserve(d, count, sizeof(int64_t));
  if (status || !count) return status;
  const int64_t *ids = d->scratch.data;
  if (ex_get_ids(d->file->id, ipg_exodus_label_types[kind], d->scratch.data) < 0)
    return damaged(d, "the ids of blocks and sets");
  for (int i = 0; i < count; ++i) *id_of(&d->contents, kind, i) = ids[i];
  return refuse_double_ids(d, kind, ids, count);
}

static ipg_status read_names(describer *d, int kind) {
  static const char *const nameless[IPG_LABEL_KIND_COUNT] = {"block", "nodeset", "sideset"};
  const ipg_contents *c = &d->contents;
  const int count = count_of(c, kind);
  const ipg_status status = reserve(d, count, sizeof(char *));
  if (status || !count) return status;
  char **names = d->scratch.data;
  for (int i = 0; i < count; ++i) names[i] = name_of(c, kind, i);
  if (ex_get_names(d->file->id, ipg_exodus_label_types[kind], names) < 0)
    return damaged(d, "the names of blocks and sets");
  for (int i = 0; i < count; ++i)
    if (!names[i][0]) snprintf(names[i], IPG_NAME_MAX, "%s_%lld", nameless[kind], (long long)*id_of(c, kind, i));
  return IPG_OK;
}

/* TET, TETRA, Tetrahedron ..., with or without the number of nodes behind it. */
static bool is_tetrahedron(const char *type, int64_t nodes) {
  size_t k = 0;
  for (; k < 3; ++k)
    if (toupper((unsigned char)type[k]) != "TET"[k]) return false;
  while (isalpha((unsigned char)type[k])) ++k;
  const char *const digits = nodes == 4 ? "4" : nodes == 10 ? "10" : NULL;
  return digits && (!type[k] || !strcmp(type + k, digits));
}

static ipg_status read_blocks(describer *d) {
  int64_t elements = 0;
  for (int i = 0; i < d->contents.block_count; ++i) {
    ipg_contents_block *block = &d->contents.blocks[i];
    ex_block b = {.id = block->id, .type = EX_ELEM_BLOCK};
    if (ex_get_block_param(d->file->id, &b) < 0 || b.num_entry < 0 ||
        b.num_entry > d->contents.element_count - elements || !is_count(b.num_nodes_per_entry) ||
        !is_count(b.num_attribute))
      return damaged(d, "the element blocks");
    elements += block->count = b.num_entry;
    block->nodes_per_element = b.num_nodes_per_entry;
    block->attribute_count = b.num_attribute;
    snprintf(block->type, sizeof block->type, "%s", b.topology);
    block->tetrahedra = !block->count || is_tetrahedron(block->type, block->nodes_per_element);
  }
  return elements == d->contents.element_count ? IPG_OK
                                               : damaged(d, "the element blocks: they do not hold all elements");
}

static ipg_status read_sets(describer *d, int kind) {
  for (int i = 0; i < count_of(&d->contents, kind); ++i) {
    ipg_contents_set *set = set_of(&d->contents, kind, i);
    if (ex_get_set_param(d->file->id, ipg_exodus_label_types[kind], set->id, &set->count, &set->factor_count) < 0 ||
        set->count < 0 || set->factor_count < 0)
      return damaged(d, "the size of a set");
    if (set->count > IPG_ID_MAX || set->factor_count > IPG_ID_MAX)
      return ipg_fail(d->error, IPG_ERROR_TOO_MANY, "%s: set %lld is too large", d->file->path, (long long)set->id);
  }
  return IPG_OK;
}

static ipg_status read_labels(describer *d) {
  ipg_status status = IPG_OK;
  for (int kind = 0; !status && kind < IPG_LABEL_KIND_COUNT; ++kind) {
    status = read_ids(d, kind);
    if (!status) status = read_names(d, kind);
    if (!status) status = kind == IPG_LABEL_BLOCK ? read_blocks(d) : read_sets(d, kind);
  }
  return status;
}

/* --------------------------------------------------------------------------------------------------------- fields */

static int64_t sum_of_counts(const ipg_contents_set *sets, int count) {
  int64_t sum = 0;
  for (int i = 0; i < count; ++i) sum += sets[i].count;
  return sum;
}

static void size_fields(ipg_contents *c) {
  c->fields[IPG_FIELD_NODAL].length = c->node_count;
  c->fields[IPG_FIELD_GLOBAL].length = c->fields[IPG_FIELD_GLOBAL].count;
  c->fields[IPG_FIELD_ELEMENT].length = c->element_count, c->fields[IPG_FIELD_ELEMENT].groups = c->block_count;
  c->fields[IPG_FIELD_NODE_SET].length = sum_of_counts(c->node_sets, c->node_set_count);
  c->fields[IPG_FIELD_NODE_SET].groups = c->node_set_count;
  c->fields[IPG_FIELD_SIDE_SET].length = sum_of_counts(c->side_sets, c->side_set_count);
  c->fields[IPG_FIELD_SIDE_SET].groups = c->side_set_count;
}

static ipg_status read_field_names(describer *d, int kind) {
  ipg_contents_fields *fields = &d->contents.fields[kind];
  int count = 0;
  if (ex_get_variable_param(d->file->id, ipg_exodus_field_types[kind], &count) < 0 || !is_count(count))
    return damaged(d, "the number of fields");
  fields->names = ipg_take(&d->contents.allocator, count, sizeof(ipg_name), d->error);
  if (!fields->names) return IPG_ERROR_MEMORY;
  fields->count = count;
  for (int f = 0; f < count; ++f)
    if (ex_get_variable_name(d->file->id, ipg_exodus_field_types[kind], f + 1, fields->names[f]) < 0)
      return damaged(d, "the names of the fields");
  return IPG_OK;
}

/* The library's table runs over the fields of a block first; so does ours over the blocks of a field. */
static ipg_status read_presence(describer *d, int kind) {
  ipg_contents_fields *fields = &d->contents.fields[kind];
  const int64_t count = (int64_t)fields->count * fields->groups;
  if (count > MOST_PRESENCES) return damaged(d, "the table of fields");
  fields->present = ipg_take(&d->contents.allocator, count, sizeof(bool), d->error);
  if (!fields->present) return IPG_ERROR_MEMORY;
  const ipg_status status = reserve(d, count, sizeof(int));
  if (status || !count) return status;
  const int *table = d->scratch.data;
  if (ex_get_truth_table(d->file->id, ipg_exodus_field_types[kind], fields->groups, fields->count, d->scratch.data) < 0)
    return damaged(d, "the table of fields");
  for (int f = 0; f < fields->count; ++f)
    for (int g = 0; g < fields->groups; ++g) fields->present[f * fields->groups + g] = table[g * fields->count + f];
  return IPG_OK;
}

static ipg_status read_fields(describer *d) {
  ipg_status status = IPG_OK;
  for (int kind = 0; !status && kind < IPG_FIELD_KIND_COUNT; ++kind) status = read_field_names(d, kind);
  size_fields(&d->contents);
  for (int kind = 0; !status && kind < IPG_FIELD_KIND_COUNT; ++kind) status = read_presence(d, kind);
  return status;
}

static ipg_status read_times(describer *d) {
  if (!d->contents.step_count || ex_get_all_times(d->file->id, d->contents.times) >= 0) return IPG_OK;
  return damaged(d, "the times of the steps");
}

/* --------------------------------------------------------------------------------------------------------- driver */

ipg_status ipg_exodus_read_contents(const ipg_exodus_file *file, const ipg_allocator *allocator, ipg_contents *contents,
                                    ipg_error *error) {
  describer d = {.file = file, .error = error, .contents = {.allocator = ipg_allocator_or_malloc(allocator)}};
  ipg_status status = read_sizes(&d);
  if (!status) status = read_labels(&d);
  if (!status) status = read_fields(&d);
  if (!status) status = read_times(&d);
  ipg_buffer_destroy(&d.scratch, &d.contents.allocator);
  if (status) ipg_contents_destroy(&d.contents);
  *contents = d.contents;
  return status;
}

ipg_status ipg_exodus_describe(const char *path, const ipg_allocator *allocator, ipg_contents *contents,
                               ipg_error *error) {
  if (!contents) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_exodus_describe needs contents to fill");
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
    ipg_give(&a, fields->names, fields->count, sizeof(ipg_name));
    ipg_give(&a, fields->present, (int64_t)fields->count * fields->groups, sizeof(bool));
  }
  ipg_give(&a, contents->blocks, contents->block_count, sizeof *contents->blocks);
  ipg_give(&a, contents->node_sets, contents->node_set_count, sizeof *contents->node_sets);
  ipg_give(&a, contents->side_sets, contents->side_set_count, sizeof *contents->side_sets);
  ipg_give(&a, contents->times, contents->step_count, sizeof *contents->times);
  *contents = (ipg_contents){0};
}
