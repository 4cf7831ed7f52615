/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Reads attributes, properties, names of axes, QA and information records. No computation here needs them: they are
 * read so that a file that is read and written again loses nothing. */
#include "arrays.h"
#include "exodus_reader.h"
#include "labels.h"
#include "mesh_arrays.h"

#include <limits.h>
#include <string.h>

/* Makes the table of pointers to texts that the library fills. */
static ipg_status make_pointers(ipg_reader *r, char *text, int count, size_t stride, char ***pointers) {
  const ipg_status status = ipg_reader_reserve_scratch(r, count, sizeof(char *));
  if (status) return status;
  *pointers = r->scratch.data;
  for (int i = 0; i < count; ++i) (*pointers)[i] = text + stride * (size_t)i;
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------------------ attributes */

static ipg_status read_attributes(ipg_reader *r, ipg_block *block, const ipg_contents_block *from) {
  char **names;
  ipg_status status = ipg_block_allocate_attributes(&r->mesh, block, (int)from->attribute_count, r->error);
  if (status || !block->attribute_count) return status;
  status = make_pointers(r, block->attribute_names[0], block->attribute_count, sizeof(ipg_name), &names);
  if (status) return status;
  const bool named = ipg_exodus_set_name_width(&r->file, r->file.traits.attribute_width);
  return (named && ex_get_attr_names(r->file.id, EX_ELEM_BLOCK, block->id, names) < 0) ||
                 (block->count && ex_get_attr(r->file.id, EX_ELEM_BLOCK, block->id, block->attributes) < 0)
             ? ipg_reader_report_damage(r, "the attributes of a block")
             : IPG_OK;
}

static ipg_status read_all_attributes(ipg_reader *r) {
  const int *kept = r->kept_blocks.data;
  ipg_status status = IPG_OK;
  for (int b = 0; !status && b < r->mesh.block_count; ++b)
    status = read_attributes(r, &r->mesh.blocks[b], &r->contents.blocks[kept[b]]);
  return status;
}

/* ------------------------------------------------------------------------------------------------------ properties */

static int get_file_count(const ipg_reader *r, int kind) {
  return kind == IPG_LABEL_BLOCK      ? r->contents.block_count
         : kind == IPG_LABEL_NODE_SET ? r->contents.node_set_count
                                      : r->contents.side_set_count;
}

/* The number in the file includes the property ID, which is not one of ours. */
static int count_properties(const ipg_reader *r, int kind) {
  static const ex_inquiry inquiries[IPG_LABEL_KIND_COUNT] = {EX_INQ_EB_PROP, EX_INQ_NS_PROP, EX_INQ_SS_PROP};
  if (!get_file_count(r, kind) || r->file.traits.properties[kind] != IPG_PART_READABLE) return 0;
  const int64_t count = ex_inquire_int(r->file.id, inquiries[kind]);
  return count < 0 || count >= INT_MAX ? -1 : (int)count;
}

static ipg_status read_values(ipg_reader *r, ipg_property *property) {
  const int count = get_file_count(r, property->kind);
  ipg_status status = ipg_property_allocate(&r->mesh, property, r->error);
  if (!status) status = ipg_reader_reserve_scratch(r, count, sizeof(int64_t));
  if (status) return status;
  const int64_t *values = r->scratch.data;
  const int *kept = r->kept_blocks.data;
  if (ex_get_prop_array(r->file.id, ipg_exodus_label_types[property->kind], property->name, r->scratch.data) < 0)
    return ipg_reader_report_damage(r, "a property of blocks or sets");
  const int kept_count = ipg_mesh_labels(&r->mesh, property->kind).count;
  for (int i = 0; i < kept_count; ++i) property->values[i] = values[property->kind == IPG_LABEL_BLOCK ? kept[i] : i];
  return IPG_OK;
}

/* The names of all kinds, one kind after another. */
static ipg_status read_property_names(ipg_reader *r, const int *counts, ipg_name *names) {
  char **pointers;
  ipg_exodus_set_name_width(&r->file, IPG_NAME_MAX);
  for (int kind = 0; kind < IPG_LABEL_KIND_COUNT; names += counts[kind++]) {
    if (!counts[kind]) continue;
    const ipg_status status = make_pointers(r, names[0], counts[kind], sizeof(ipg_name), &pointers);
    if (status) return status;
    if (ex_get_prop_names(r->file.id, ipg_exodus_label_types[kind], pointers) < 0)
      return ipg_reader_report_damage(r, "the names of properties");
  }
  return IPG_OK;
}

static ipg_status allocate_properties(ipg_reader *r, int count) {
  ipg_property *properties = ipg_allocate_array(&r->allocator, count, sizeof *properties, r->error);
  if (!properties) return IPG_ERROR_MEMORY;
  ipg_release_array(&r->allocator, r->mesh.properties, 0, sizeof *properties);
  r->mesh.properties = properties;
  r->mesh.property_count = count;
  return IPG_OK;
}

static ipg_status read_properties_by_name(ipg_reader *r, const int *counts, int total, const ipg_name *names) {
  int kept_count = 0, added = 0, at = 0;
  for (int i = 0; i < total; ++i) kept_count += strcmp(names[i], "ID") != 0;
  ipg_status status = allocate_properties(r, kept_count);
  for (int kind = 0; !status && kind < IPG_LABEL_KIND_COUNT; ++kind)
    for (int i = 0; !status && i < counts[kind]; ++i, ++at) {
      if (!strcmp(names[at], "ID")) continue;
      ipg_property *property = &r->mesh.properties[added++];
      property->kind = (ipg_label_kind)kind;
      memcpy(property->name, names[at], sizeof(ipg_name));
      status = read_values(r, property);
    }
  return status;
}

static ipg_status read_properties(ipg_reader *r) {
  int counts[IPG_LABEL_KIND_COUNT], total = 0;
  ipg_buffer names = {0};
  for (int kind = 0; kind < IPG_LABEL_KIND_COUNT; ++kind) {
    if ((counts[kind] = count_properties(r, kind)) < 0) return ipg_reader_report_damage(r, "the number of properties");
    total += counts[kind];
  }
  ipg_status status = ipg_buffer_reserve(&names, &r->allocator, total, sizeof(ipg_name), r->error);
  if (!status && total) memset(names.data, 0, (size_t)total * sizeof(ipg_name));
  if (!status) status = read_property_names(r, counts, names.data);
  if (!status) status = read_properties_by_name(r, counts, total, names.data);
  ipg_buffer_destroy(&names, &r->allocator);
  return status;
}

/* --------------------------------------------------------------------------------------------------------- records */

static ipg_status read_axis_names(ipg_reader *r) {
  ipg_name names[3] = {"", "", ""};
  char *pointers[3] = {names[0], names[1], names[2]};
  if (!ipg_exodus_set_name_width(&r->file, r->file.traits.axis_width)) return IPG_OK;
  if (ex_get_coord_names(r->file.id, pointers) < 0) return ipg_reader_report_damage(r, "the names of the axes");
  for (int d = 0; d < 3; ++d)
    if (names[d][0]) memcpy(r->mesh.axes[d], names[d], sizeof(ipg_name));
  return IPG_OK;
}

static ipg_status read_qa_records(ipg_reader *r) {
  char **pointers;
  const ipg_status status = make_pointers(r, r->mesh.qa[0][0], 4 * r->mesh.qa_count, IPG_TYPE_MAX, &pointers);
  if (status || !r->mesh.qa_count) return status;
  return ex_get_qa(r->file.id, (char *(*)[4])(void *)pointers) < 0 ? ipg_reader_report_damage(r, "the QA records")
                                                                   : IPG_OK;
}

static ipg_status read_info_records(ipg_reader *r) {
  char **pointers;
  const ipg_status status = make_pointers(r, r->mesh.info[0], r->mesh.info_count, IPG_LINE_MAX, &pointers);
  if (status || !r->mesh.info_count) return status;
  return ex_get_info(r->file.id, pointers) < 0 ? ipg_reader_report_damage(r, "the information records") : IPG_OK;
}

/* Reports what is in the file but not such that the Exodus library can read it. */
static ipg_status report_odd_parts(ipg_reader *r) {
  static const char *const kinds[IPG_LABEL_KIND_COUNT] = {"blocks", "node sets", "side sets"};
  const ipg_exodus_traits *t = &r->file.traits;
  if (t->title == IPG_PART_ODD) ipg_reader_report_left_out(r, "left out: the title, which is not text");
  else if (t->title_letters > (int64_t)sizeof r->mesh.title) /* the Exodus library counts the closing zero */
    ipg_reader_report_left_out(r, "left out: the end of the title, which has %lld letters; Exodus allows %d",
                               (long long)t->title_letters, (int)sizeof r->mesh.title - 1);
  for (int kind = 0; kind < IPG_LABEL_KIND_COUNT; ++kind) {
    if (t->sets[kind] == IPG_PART_ODD)
      ipg_reader_report_left_out(r, "left out: the %s, which have no ids", kinds[kind]);
    else if (t->properties[kind] == IPG_PART_ODD)
      ipg_reader_report_left_out(r, "left out: the properties of %s, one of which has no name, or too long a one",
                                 kinds[kind]);
  }
  if (t->attributes == IPG_PART_ODD)
    ipg_reader_report_left_out(r, "left out: the attributes, which are not one number for each element and attribute");
  if (t->qa == IPG_PART_ODD || t->info == IPG_PART_ODD)
    ipg_reader_report_left_out(r, "left out: the records of %s, whose texts are shorter than Exodus makes them",
                               t->info != IPG_PART_ODD ? "QA"
                               : t->qa != IPG_PART_ODD ? "information"
                                                       : "QA and information");
  return IPG_OK;
}

ipg_status ipg_reader_read_attributes(ipg_reader *r) {
  static ipg_status (*const phases[])(ipg_reader *) = {read_all_attributes, read_properties,   read_axis_names,
                                                       read_qa_records,     read_info_records, report_odd_parts};
  ipg_status status = IPG_OK;
  for (size_t i = 0; !status && i < sizeof phases / sizeof *phases; ++i) status = phases[i](r);
  return status;
}
