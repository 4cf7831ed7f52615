/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The shapes that the Exodus library assumes, as tables.
 *
 * The library allocates memory by the length of one dimension and then reads a whole variable, whatever the length of
 * that variable is; it reads attributes into one number or a short text; it passes as many indices to netCDF as it
 * assumes the variable has. So every variable that it reads must have the dimensions by which it allocates, and these
 * dimensions and variables must exist. `#` in a name stands for a number; names that are not in the tables are not read
 * by the library and are ignored. What a mesh can do without may be missing, or may be such that the library cannot
 * read it: exodus_traits.c finds out, and it is not asked for. */
#include "exodus_schema.h"

#include <stdio.h>
#include <string.h>

#define NUMBERS IPG_NETCDF_NUMBERS
#define TEXT IPG_NETCDF_TEXT

enum { MAX_DIMENSIONS = 3, PATTERN_MAX = 40, NO_OWNER = -1 };

/* "*" is any length. Two rows with the same name are alternatives. */
static const struct shape {
  const char *variable;
  ipg_netcdf_class class;
  const char *dimensions[MAX_DIMENSIONS];
} shapes[] = {
    {"time_whole", NUMBERS, {"time_step"}},
    {"coordx", NUMBERS, {"num_nodes"}},
    {"coordy", NUMBERS, {"num_nodes"}},
    {"coordz", NUMBERS, {"num_nodes"}},
    {"coord", NUMBERS, {"num_dim", "num_nodes"}},
    {"coor_names", TEXT, {"num_dim", "*"}},
    {"node_num_map", NUMBERS, {"num_nodes"}},
    {"elem_num_map", NUMBERS, {"num_elem"}},
    {"elem_map", NUMBERS, {"num_elem"}},
    {"eb_status", NUMBERS, {"num_el_blk"}},
    {"eb_prop#", NUMBERS, {"num_el_blk"}},
    {"eb_names", TEXT, {"num_el_blk", "*"}},
    {"ns_status", NUMBERS, {"num_node_sets"}},
    {"ns_prop#", NUMBERS, {"num_node_sets"}},
    {"ns_names", TEXT, {"num_node_sets", "*"}},
    {"ss_status", NUMBERS, {"num_side_sets"}},
    {"ss_prop#", NUMBERS, {"num_side_sets"}},
    {"ss_names", TEXT, {"num_side_sets", "*"}},
    {"connect#", NUMBERS, {"num_el_in_blk#", "num_nod_per_el#"}},
    {"connect#", NUMBERS, {"num_nod_per_el#"}}, /* elements with any number of nodes */
    {"attrib#", NUMBERS, {"num_el_in_blk#", "num_att_in_blk#"}},
    {"attrib_name#", TEXT, {"num_att_in_blk#", "*"}},
    {"node_ns#", NUMBERS, {"num_nod_ns#"}},
    {"dist_fact_ns#", NUMBERS, {"num_nod_ns#"}},
    {"elem_ss#", NUMBERS, {"num_side_ss#"}},
    {"side_ss#", NUMBERS, {"num_side_ss#"}},
    {"dist_fact_ss#", NUMBERS, {"num_df_ss#"}},
    {"qa_records", TEXT, {"num_qa_rec", "*", "*"}},
    {"info_records", TEXT, {"num_info", "*"}},
    {"name_glo_var", TEXT, {"num_glo_var", "*"}},
    {"name_nod_var", TEXT, {"num_nod_var", "*"}},
    {"name_elem_var", TEXT, {"num_elem_var", "*"}},
    {"name_nset_var", TEXT, {"num_nset_var", "*"}},
    {"name_sset_var", TEXT, {"num_sset_var", "*"}},
    {"elem_var_tab", NUMBERS, {"num_el_blk", "num_elem_var"}},
    {"nset_var_tab", NUMBERS, {"num_node_sets", "num_nset_var"}},
    {"sset_var_tab", NUMBERS, {"num_side_sets", "num_sset_var"}},
    {"vals_glo_var", NUMBERS, {"time_step", "num_glo_var"}},
    {"vals_nod_var#", NUMBERS, {"time_step", "num_nodes"}},
    {"vals_nod_var", NUMBERS, {"time_step", "num_nod_var", "num_nodes"}},
    {"vals_elem_var#eb#", NUMBERS, {"time_step", "num_el_in_blk#"}},
    {"vals_nset_var#ns#", NUMBERS, {"time_step", "num_nod_ns#"}},
    {"vals_sset_var#ss#", NUMBERS, {"time_step", "num_side_ss#"}},
};

/* Where the dimension exists and is not zero, one of the variables must exist: else the library allocates memory for a
 * variable that it cannot read. */
static const struct required_variable {
  const char *dimension, *variable, *other;
} required_variables[] = {
    {"time_step", "time_whole", NULL},    {"num_nodes", "coordx", "coord"},      {"num_el_blk", "eb_prop1", NULL},
    {"num_el_in_blk#", "connect#", NULL}, {"num_nod_per_el#", "connect#", NULL}, {"num_nod_ns#", "node_ns#", NULL},
    {"num_side_ss#", "elem_ss#", NULL},   {"num_side_ss#", "side_ss#", NULL},    {"num_df_ss#", "dist_fact_ss#", NULL},
};

/* Attributes that the library reads into one number, or into a text of fixed size that includes the closing zero. */
static const struct attribute_rule {
  const char *variable; /* NULL: an attribute of the file */
  const char *attribute;
  ipg_netcdf_class class;
  int64_t least, most;
} attribute_rules[] = {
    {NULL, "version", NUMBERS, 1, 1},
    {NULL, "floating_point_word_size", NUMBERS, 1, 1},
    {NULL, "floating point word size", NUMBERS, 1, 1},
    {NULL, "file_size", NUMBERS, 1, 1},
    {NULL, "maximum_name_length", NUMBERS, 1, 1},
    {NULL, "int64_status", NUMBERS, 1, 1},
    {"connect#", "elem_type", TEXT, 0, 33},
};

/* ----------------------------------------------------------------------------------------------------------- names */

static bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/* True if the name matches the pattern. *number: what the last # stands for, without leading zeros, as the library
 * prints it. */
static bool matches_pattern(const char *pattern, const char *name, int *number) {
  enum { MAX_DIGITS = 9 };
  for (; *pattern && *pattern != '#'; ++pattern, ++name)
    if (*pattern != *name) return false;
  if (!*pattern) return !*name;
  int digits = 0;
  *number = 0;
  if (*name == '0') return false;
  for (; is_digit(*name) && digits < MAX_DIGITS; ++name, ++digits) *number = 10 * *number + (*name - '0');
  return digits && matches_pattern(pattern + 1, name, number);
}

/* Replaces the # of a pattern by a number. */
static const char *insert_number(const char *pattern, int number, char name[PATTERN_MAX]) {
  const char *mark = strchr(pattern, '#');
  if (!mark) return pattern;
  snprintf(name, PATTERN_MAX, "%.*s%d", (int)(mark - pattern), pattern, number);
  return name;
}

static const ipg_netcdf_item *find_item(const ipg_netcdf_header *h, ipg_netcdf_kind kind, const char *pattern,
                                        int number) {
  char name[PATTERN_MAX];
  return ipg_netcdf_find_item(h, kind, NO_OWNER, insert_number(pattern, number, name));
}

/* ---------------------------------------------------------------------------------------------------------- shapes */

static bool has_shape(const ipg_netcdf_header *h, const ipg_netcdf_item *variable, const struct shape *shape,
                      int number) {
  const int64_t *lengths = ipg_netcdf_lengths(h, variable);
  int rank = 0;
  while (rank < MAX_DIMENSIONS && shape->dimensions[rank]) ++rank;
  if (variable->class != shape->class || variable->count != rank) return false;
  for (int d = 0; d < rank; ++d) {
    if (shape->dimensions[d][0] == '*') continue;
    const ipg_netcdf_item *dimension = find_item(h, IPG_NETCDF_DIMENSION, shape->dimensions[d], number);
    if (!dimension || dimension->count != lengths[d]) return false;
  }
  return true;
}

/* Values of fields and attributes of another shape are odd: the mesh can be read, these cannot. */
static ipg_status check_variable(const ipg_view *view, const ipg_netcdf_header *h, const ipg_netcdf_item *variable,
                                 ipg_exodus_traits *traits, ipg_error *error) {
  const char *name = ipg_netcdf_name(h, variable);
  bool known = false, right = false;
  for (size_t i = 0; !right && i < sizeof shapes / sizeof *shapes; ++i) {
    int number = 0;
    if (!matches_pattern(shapes[i].variable, name, &number)) continue;
    known = true;
    right = has_shape(h, variable, &shapes[i], number);
  }
  if (right || !known) return IPG_OK;
  ipg_exodus_part *part = ipg_exodus_find_optional(traits, name);
  if (part) {
    *part = IPG_PART_ODD;
    return IPG_OK;
  }
  return ipg_view_report_damage(view, error, "variable '%.80s' does not have the shape that Exodus gives it", name);
}

static ipg_status check_dimension(const ipg_view *view, const ipg_netcdf_header *h, const ipg_netcdf_item *dimension,
                                  ipg_error *error) {
  const char *name = ipg_netcdf_name(h, dimension);
  if (!dimension->count) return IPG_OK;
  for (size_t i = 0; i < sizeof required_variables / sizeof *required_variables; ++i) {
    const struct required_variable *required = &required_variables[i];
    int number = 0;
    if (!matches_pattern(required->dimension, name, &number) ||
        find_item(h, IPG_NETCDF_VARIABLE, required->variable, number))
      continue;
    if (required->other && find_item(h, IPG_NETCDF_VARIABLE, required->other, number)) continue;
    return ipg_view_report_damage(view, error, "it has a dimension '%.80s' but no variable for it", name);
  }
  return IPG_OK;
}

static bool rule_applies(const ipg_netcdf_header *h, const ipg_netcdf_item *attribute,
                         const struct attribute_rule *rule) {
  int number;
  if (strcmp(ipg_netcdf_name(h, attribute), rule->attribute)) return false;
  if (attribute->owner == NO_OWNER || !rule->variable) return attribute->owner == NO_OWNER && !rule->variable;
  const ipg_netcdf_item *owner = ipg_netcdf_item_at(h, attribute->owner);
  return owner->owner == NO_OWNER && matches_pattern(rule->variable, ipg_netcdf_name(h, owner), &number);
}

static ipg_status check_attribute_rule(const ipg_view *view, const ipg_netcdf_item *attribute,
                                       const struct attribute_rule *rule, ipg_error *error) {
  const int64_t count = attribute->count;
  if (attribute->class == rule->class && count >= rule->least && count <= rule->most) return IPG_OK;
  if (attribute->class != rule->class)
    return ipg_fail(error, IPG_ERROR_FORMAT, "%s: its attribute '%s' is not %s: write it as %s", view->path,
                    rule->attribute, rule->class == TEXT ? "text" : "a number",
                    rule->class == TEXT ? "an array of letters" : "a float or an int");
  if (attribute->class == TEXT && rule->class == TEXT)
    return ipg_fail(error, IPG_ERROR_FORMAT, "%s: its text '%s' has %lld letters; Exodus allows %lld: shorten it",
                    view->path, rule->attribute, (long long)count, (long long)rule->most);
  return ipg_view_report_damage(view, error, "attribute '%s' has %lld values, which is not what Exodus reads",
                                rule->attribute, (long long)count);
}

static ipg_status check_attribute(const ipg_view *view, const ipg_netcdf_header *h, const ipg_netcdf_item *attribute,
                                  ipg_error *error) {
  ipg_status status = IPG_OK;
  for (size_t i = 0; !status && i < sizeof attribute_rules / sizeof *attribute_rules; ++i)
    if (rule_applies(h, attribute, &attribute_rules[i]))
      status = check_attribute_rule(view, attribute, &attribute_rules[i], error);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- counts */

static int64_t get_length(const ipg_netcdf_header *h, const char *pattern, int number) {
  const ipg_netcdf_item *dimension = find_item(h, IPG_NETCDF_DIMENSION, pattern, number);
  return dimension ? dimension->count : 0;
}

/* The library allocates memory for all elements before it reads the blocks, and has an int for the index of a block.
 * Without a number of elements it allocates nothing, and they are those of the blocks. */
static ipg_status check_counts(const ipg_view *view, const ipg_netcdf_header *h, ipg_error *error) {
  enum { MOST_DIMENSIONS = 3 };
  const int64_t elements = get_length(h, "num_elem", 0), blocks = get_length(h, "num_el_blk", 0);
  int64_t left = elements;
  for (int64_t b = 1; left >= 0 && b <= blocks && b < IPG_ID_MAX; ++b) left -= get_length(h, "num_el_in_blk#", (int)b);
  if (left && elements)
    return ipg_view_report_damage(view, error, "its blocks do not add up to its %lld elements", (long long)elements);
  const int64_t dimensions = get_length(h, "num_dim", 0);
  if (dimensions < 1 || dimensions > MOST_DIMENSIONS)
    return ipg_view_report_damage(view, error, "its space has %lld dimensions", (long long)dimensions);
  return IPG_OK;
}

static const ipg_netcdf_item *find_file_attribute(const ipg_netcdf_header *h, const char *name) {
  return ipg_netcdf_find_item(h, IPG_NETCDF_ATTRIBUTE, NO_OWNER, name);
}

static const ipg_netcdf_item *find_word_size(const ipg_netcdf_header *h) {
  const ipg_netcdf_item *item = find_file_attribute(h, "floating_point_word_size");
  return item ? item : find_file_attribute(h, "floating point word size");
}

/* Checks what the library checks when it opens a file: when it refuses a file there, it leaves the file open. */
static ipg_status check_version(const ipg_view *view, const ipg_netcdf_header *h, ipg_error *error) {
  const ipg_netcdf_item *version = find_file_attribute(h, "version"), *word = find_word_size(h);
  if (!(version->value >= 2 && version->value < 100))
    return ipg_view_report_damage(view, error, "its Exodus version is %g, which does not exist", version->value);
  if (word->value == 4 || word->value == 8) return IPG_OK;
  return ipg_view_report_damage(view, error, "its real numbers have %g bytes, not 4 or 8", word->value);
}

static ipg_status check_item(const ipg_view *view, const ipg_netcdf_header *h, const ipg_netcdf_item *item,
                             ipg_exodus_traits *traits, ipg_error *error) {
  if (item->kind == IPG_NETCDF_ATTRIBUTE) return check_attribute(view, h, item, error);
  if (item->owner != NO_OWNER) return IPG_OK; /* in a group */
  return item->kind == IPG_NETCDF_DIMENSION ? check_dimension(view, h, item, error)
                                            : check_variable(view, h, item, traits, error);
}

ipg_status ipg_exodus_check_schema(const ipg_view *view, const ipg_netcdf_header *h, ipg_exodus_traits *traits,
                                   ipg_error *error) {
  ipg_status status = IPG_OK;
  ipg_exodus_find_traits(h, traits);
  if (!find_file_attribute(h, "version") || !find_word_size(h))
    return ipg_fail(error, IPG_ERROR_FORMAT, "%s: it holds no Exodus II data: give an Exodus II file", view->path);
  for (ipg_id i = 0; !status && i < h->count; ++i)
    status = check_item(view, h, ipg_netcdf_item_at(h, i), traits, error);
  if (!status) status = check_version(view, h, error);
  return status ? status : check_counts(view, h, error);
}
