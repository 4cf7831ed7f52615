/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "exodus_traits.h"

#include <stdio.h>
#include <string.h>

enum {
  NO_OWNER = -1,
  NAME_BYTES = 40,
  PROPERTY_NAME_LETTERS = 33 /* the same; the library reads the name of a property into so many bytes */
};

static const char *const field_names[IPG_FIELD_KIND_COUNT] = {"nod", "glo", "elem", "nset", "sset"};

static const ipg_netcdf_item *find(const ipg_netcdf_header *h, ipg_netcdf_kind kind, const char *name) {
  return ipg_netcdf_find_item(h, kind, NO_OWNER, name);
}

static int64_t get_length(const ipg_netcdf_header *h, const char *dimension) {
  const ipg_netcdf_item *item = find(h, IPG_NETCDF_DIMENSION, dimension);
  return item ? item->count : 0;
}

/* The length of the last axis of a variable; 0 if there is no such variable. */
static int64_t get_width(const ipg_netcdf_header *h, const char *variable) {
  const ipg_netcdf_item *item = find(h, IPG_NETCDF_VARIABLE, variable);
  return item && item->count ? ipg_netcdf_lengths(h, item)[item->count - 1] : 0;
}

/* The attribute file_size tells the library which of the two kinds of coordinates to read. */
static ipg_exodus_part find_coordinates(const ipg_netcdf_header *h) {
  const ipg_netcdf_item *size = find(h, IPG_NETCDF_ATTRIBUTE, "file_size");
  const bool by_axis = size && size->value != 0;
  return find(h, IPG_NETCDF_VARIABLE, by_axis ? "coordx" : "coord") ? IPG_PART_READABLE : IPG_PART_ODD;
}

/* Records have a width that the library assumes. */
static ipg_exodus_part find_records(const ipg_netcdf_header *h, const char *dimension, const char *variable,
                                    int64_t width) {
  if (!get_length(h, dimension) || !find(h, IPG_NETCDF_VARIABLE, variable)) return IPG_PART_ABSENT;
  return get_width(h, variable) < width ? IPG_PART_ODD : IPG_PART_READABLE;
}

static bool is_proper_text(const ipg_netcdf_item *attribute, int64_t most) {
  return attribute && attribute->class == IPG_NETCDF_TEXT && attribute->count > 0 && attribute->count <= most;
}

/* The first property is the id of a block or set, with or without a name. The library finds all others by comparing
 * names, and reads none of them if one has no name. */
static ipg_exodus_part find_properties(const ipg_netcdf_header *h, const char *prefix) {
  bool all_named = true;
  for (int n = 1;; ++n) {
    char variable[NAME_BYTES];
    snprintf(variable, sizeof variable, "%s_prop%d", prefix, n);
    const ipg_netcdf_item *item = find(h, IPG_NETCDF_VARIABLE, variable);
    if (!item && all_named) return n > 1 ? IPG_PART_READABLE : IPG_PART_ABSENT;
    if (!item) return n > 2 ? IPG_PART_ODD : IPG_PART_ABSENT;
    const ipg_id owner = (ipg_id)(item - ipg_netcdf_item_at(h, 0));
    if (!is_proper_text(ipg_netcdf_find_item(h, IPG_NETCDF_ATTRIBUTE, owner, "name"), PROPERTY_NAME_LETTERS))
      all_named = false;
  }
}

static void find_labels(const ipg_netcdf_header *h, ipg_exodus_traits *t) {
  static const struct {
    const char *dimension, *prefix;
  } labels[IPG_LABEL_KIND_COUNT] = {{"num_el_blk", "eb"}, {"num_node_sets", "ns"}, {"num_side_sets", "ss"}};
  for (int kind = 0; kind < IPG_LABEL_KIND_COUNT; ++kind) {
    char ids[NAME_BYTES], names[NAME_BYTES];
    snprintf(ids, sizeof ids, "%s_prop1", labels[kind].prefix);
    snprintf(names, sizeof names, "%s_names", labels[kind].prefix);
    if (get_length(h, labels[kind].dimension))
      t->sets[kind] = find(h, IPG_NETCDF_VARIABLE, ids) ? IPG_PART_READABLE : IPG_PART_ODD;
    t->properties[kind] = find_properties(h, labels[kind].prefix);
    t->label_widths[kind] = get_width(h, names);
  }
}

static void find_fields(const ipg_netcdf_header *h, ipg_exodus_traits *t) {
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; ++kind) {
    char dimension[NAME_BYTES], names[NAME_BYTES];
    snprintf(dimension, sizeof dimension, "num_%s_var", field_names[kind]);
    snprintf(names, sizeof names, "name_%s_var", field_names[kind]);
    t->field_widths[kind] = get_width(h, names);
    if (get_length(h, dimension) && find(h, IPG_NETCDF_VARIABLE, names)) t->fields[kind] = IPG_PART_READABLE;
  }
}

/* The number at the end of a name that starts with the prefix; NULL if the name is another. */
static const char *find_suffix(const char *name, const char *prefix) {
  const size_t letters = strlen(prefix);
  return strncmp(name, prefix, letters) ? NULL : name + letters;
}

/* The narrowest of all names of attributes. A block may count attributes and not have them. */
static void find_attributes(const ipg_netcdf_header *h, ipg_exodus_traits *t) {
  t->attributes = IPG_PART_READABLE;
  for (ipg_id i = 0; i < h->count; ++i) {
    const ipg_netcdf_item *item = ipg_netcdf_item_at(h, i);
    const char *name = ipg_netcdf_name(h, item), *block = find_suffix(name, "num_att_in_blk");
    char values[NAME_BYTES];
    if (item->owner != NO_OWNER) continue;
    if (item->kind == IPG_NETCDF_DIMENSION && block && item->count) {
      snprintf(values, sizeof values, "attrib%s", block);
      if (!find(h, IPG_NETCDF_VARIABLE, values)) t->attributes = IPG_PART_ODD;
    }
    const int64_t width = find_suffix(name, "attrib_name") ? get_width(h, name) : 0;
    if (width && (!t->attribute_width || width < t->attribute_width)) t->attribute_width = width;
  }
}

ipg_exodus_part *ipg_exodus_find_optional(ipg_exodus_traits *traits, const char *variable) {
  char prefix[NAME_BYTES];
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; ++kind) {
    snprintf(prefix, sizeof prefix, "vals_%s_var", field_names[kind]);
    if (find_suffix(variable, prefix)) return &traits->fields[kind];
  }
  return find_suffix(variable, "attrib") ? &traits->attributes : NULL;
}

void ipg_exodus_find_traits(const ipg_netcdf_header *h, ipg_exodus_traits *t) {
  const ipg_netcdf_item *title = find(h, IPG_NETCDF_ATTRIBUTE, "title");
  *t = (ipg_exodus_traits){.title = !title || !title->count           ? IPG_PART_ABSENT
                                    : title->class == IPG_NETCDF_TEXT ? IPG_PART_READABLE
                                                                      : IPG_PART_ODD,
                           .title_letters = title ? title->count : 0};
  t->coordinates = find_coordinates(h);
  t->elements = get_length(h, "num_elem") ? IPG_PART_READABLE : IPG_PART_ABSENT;
  t->steps = find(h, IPG_NETCDF_DIMENSION, "time_step") ? IPG_PART_READABLE : IPG_PART_ABSENT;
  t->qa = find_records(h, "num_qa_rec", "qa_records", IPG_TYPE_MAX);
  t->info = find_records(h, "num_info", "info_records", IPG_LINE_MAX);
  t->axis_width = get_width(h, "coor_names");
  find_attributes(h, t);
  find_labels(h, t);
  find_fields(h, t);
}
