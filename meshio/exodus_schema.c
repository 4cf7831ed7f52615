/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What an Exodus file must look like for the Exodus library to be safe with it, as tables.
 *
 * The library makes room by the length of one dimension and then reads all of a variable, whatever that variable's
 * length is; it reads attributes into a number or a short text; it hands as many indices to netCDF as it thinks the
 * variable has. So every variable it knows must have the lengths of the dimensions it goes by, and what it goes by must
 * be there. `#` in a name stands for a number; names that are not in the tables are nobody's business. */
#include "exodus_schema.h"

#include <stdio.h>
#include <string.h>

#define NUMBERS IPG_NETCDF_NUMBERS
#define TEXT IPG_NETCDF_TEXT

enum { MAX_DIMENSIONS = 3, PATTERN_MAX = 40, NO_OWNER = -1 };

/* "*" is any length. Two rows of one name are two ways to write it. */
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

/* Where there is the dimension there is one of the variables, or room is made for what cannot be read. */
static const struct need {
  const char *dimension, *variable, *other;
} needs[] = {
    {"time_step", "time_whole", NULL},       {"num_nodes", "coordx", "coord"},
    {"num_el_blk", "eb_prop1", NULL},        {"num_node_sets", "ns_prop1", NULL},
    {"num_side_sets", "ss_prop1", NULL},     {"num_el_in_blk#", "connect#", NULL},
    {"num_nod_per_el#", "connect#", NULL},   {"num_att_in_blk#", "attrib#", NULL},
    {"num_nod_ns#", "node_ns#", NULL},       {"num_df_ns#", "dist_fact_ns#", NULL},
    {"num_side_ss#", "elem_ss#", NULL},      {"num_side_ss#", "side_ss#", NULL},
    {"num_df_ss#", "dist_fact_ss#", NULL},   {"num_qa_rec", "qa_records", NULL},
    {"num_info", "info_records", NULL},      {"num_glo_var", "name_glo_var", NULL},
    {"num_nod_var", "name_nod_var", NULL},   {"num_elem_var", "name_elem_var", NULL},
    {"num_nset_var", "name_nset_var", NULL}, {"num_sset_var", "name_sset_var", NULL},
};

/* What the library reads into one number, or into a text of its own with the zero at its end. */
static const struct note {
  const char *variable; /* NULL: of the file */
  const char *attribute;
  ipg_netcdf_class class;
  int64_t least, most;
} notes[] = {
    {NULL, "version", NUMBERS, 1, 1},
    {NULL, "api_version", NUMBERS, 1, 1},
    {NULL, "api version", NUMBERS, 1, 1},
    {NULL, "floating_point_word_size", NUMBERS, 1, 1},
    {NULL, "floating point word size", NUMBERS, 1, 1},
    {NULL, "file_size", NUMBERS, 1, 1},
    {NULL, "maximum_name_length", NUMBERS, 1, 1},
    {NULL, "int64_status", NUMBERS, 1, 1},
    {NULL, "title", TEXT, 0, 81},
    {"connect#", "elem_type", TEXT, 0, 33},
    {"eb_prop#", "name", TEXT, 0, 33},
    {"ns_prop#", "name", TEXT, 0, 33},
    {"ss_prop#", "name", TEXT, 0, 33},
};

/* ----------------------------------------------------------------------------------------------------------- names */

static bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/* Does the name fit the pattern? `number` becomes what the last # stands for; one without leading zeros, as the library
 * prints it. */
static bool fits(const char *pattern, const char *name, int *number) {
  enum { MAX_DIGITS = 9 };
  for (; *pattern && *pattern != '#'; ++pattern, ++name)
    if (*pattern != *name) return false;
  if (!*pattern) return !*name;
  int digits = 0;
  *number = 0;
  if (*name == '0') return false;
  for (; is_digit(*name) && digits < MAX_DIGITS; ++name, ++digits) *number = 10 * *number + (*name - '0');
  return digits && fits(pattern + 1, name, number);
}

/* A pattern with one number at its end. */
static const char *fill(const char *pattern, int number, char name[PATTERN_MAX]) {
  const char *mark = strchr(pattern, '#');
  if (!mark) return pattern;
  snprintf(name, PATTERN_MAX, "%.*s%d", (int)(mark - pattern), pattern, number);
  return name;
}

static const ipg_netcdf_item *find(const ipg_netcdf_header *h, ipg_netcdf_kind kind, const char *pattern, int number) {
  char name[PATTERN_MAX];
  return ipg_netcdf_find(h, kind, NO_OWNER, fill(pattern, number, name));
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
    const ipg_netcdf_item *dimension = find(h, IPG_NETCDF_DIMENSION, shape->dimensions[d], number);
    if (!dimension || dimension->count != lengths[d]) return false;
  }
  return true;
}

static ipg_status check_variable(const ipg_view *view, const ipg_netcdf_header *h, const ipg_netcdf_item *variable,
                                 ipg_error *error) {
  const char *name = ipg_netcdf_name(h, variable);
  bool known = false, right = false;
  for (size_t i = 0; !right && i < sizeof shapes / sizeof *shapes; ++i) {
    int number = 0;
    if (!fits(shapes[i].variable, name, &number)) continue;
    known = true;
    right = has_shape(h, variable, &shapes[i], number);
  }
  if (right || !known) return IPG_OK;
  return ipg_view_damaged(view, error, "variable '%.80s' has another shape than Exodus gives it", name);
}

static ipg_status check_dimension(const ipg_view *view, const ipg_netcdf_header *h, const ipg_netcdf_item *dimension,
                                  ipg_error *error) {
  const char *name = ipg_netcdf_name(h, dimension);
  for (size_t i = 0; i < sizeof needs / sizeof *needs; ++i) {
    const struct need *need = &needs[i];
    int number = 0;
    if (!fits(need->dimension, name, &number) || find(h, IPG_NETCDF_VARIABLE, need->variable, number)) continue;
    if (need->other && find(h, IPG_NETCDF_VARIABLE, need->other, number)) continue;
    return ipg_view_damaged(view, error, "it has a dimension '%.80s' but no variable for it", name);
  }
  return IPG_OK;
}

static bool is_about(const ipg_netcdf_header *h, const ipg_netcdf_item *attribute, const struct note *note) {
  int number;
  if (strcmp(ipg_netcdf_name(h, attribute), note->attribute)) return false;
  if (attribute->owner == NO_OWNER || !note->variable) return attribute->owner == NO_OWNER && !note->variable;
  return fits(note->variable, ipg_netcdf_name(h, ipg_netcdf_item_at(h, attribute->owner)), &number);
}

static ipg_status check_note(const ipg_view *view, const ipg_netcdf_item *attribute, const struct note *note,
                             ipg_error *error) {
  const int64_t count = attribute->count;
  if (attribute->class == note->class && count >= note->least && count <= note->most) return IPG_OK;
  if (attribute->class == TEXT && note->class == TEXT)
    return ipg_fail(error, IPG_ERROR_FORMAT,
                    "%s: a text '%s' in it has %lld letters; Exodus has room for %lld: shorten it", view->path,
                    note->attribute, (long long)count, (long long)note->most);
  return ipg_view_damaged(view, error, "attribute '%s' has %lld values, which is not what Exodus reads",
                          note->attribute, (long long)count);
}

static ipg_status check_attribute(const ipg_view *view, const ipg_netcdf_header *h, const ipg_netcdf_item *attribute,
                                  ipg_error *error) {
  ipg_status status = IPG_OK;
  for (size_t i = 0; !status && i < sizeof notes / sizeof *notes; ++i)
    if (is_about(h, attribute, &notes[i])) status = check_note(view, attribute, &notes[i], error);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- counts */

static int64_t length_of(const ipg_netcdf_header *h, const char *pattern, int number) {
  const ipg_netcdf_item *dimension = find(h, IPG_NETCDF_DIMENSION, pattern, number);
  return dimension ? dimension->count : 0;
}

/* The library has an int for the number of a block, and room is made for all elements before blocks are looked at. */
static ipg_status check_counts(const ipg_view *view, const ipg_netcdf_header *h, ipg_error *error) {
  enum { MOST_DIMENSIONS = 3 };
  const int64_t elements = length_of(h, "num_elem", 0), blocks = length_of(h, "num_el_blk", 0);
  int64_t rest = elements;
  for (int64_t b = 1; rest >= 0 && b <= blocks && b < IPG_ID_MAX; ++b) rest -= length_of(h, "num_el_in_blk#", (int)b);
  if (rest) return ipg_view_damaged(view, error, "its blocks do not hold its %lld elements", (long long)elements);
  const int64_t dimensions = length_of(h, "num_dim", 0);
  if (dimensions < 1 || dimensions > MOST_DIMENSIONS)
    return ipg_view_damaged(view, error, "its space has %lld dimensions", (long long)dimensions);
  return IPG_OK;
}

static const ipg_netcdf_item *file_note(const ipg_netcdf_header *h, const char *name, const char *older_name) {
  const ipg_netcdf_item *item = ipg_netcdf_find(h, IPG_NETCDF_ATTRIBUTE, NO_OWNER, name);
  return item || !older_name ? item : ipg_netcdf_find(h, IPG_NETCDF_ATTRIBUTE, NO_OWNER, older_name);
}

static const ipg_netcdf_item *word_size(const ipg_netcdf_header *h) {
  return file_note(h, "floating_point_word_size", "floating point word size");
}

/* What the library wants to know before it takes a file for its own. When it is not content it forgets to close it. */
static ipg_status check_title_page(const ipg_view *view, const ipg_netcdf_header *h, ipg_error *error) {
  const ipg_netcdf_item *version = file_note(h, "version", NULL), *word = word_size(h);
  if (!(version->value >= 2 && version->value < 100))
    return ipg_view_damaged(view, error, "it is said to be Exodus %g, which there is not", version->value);
  if (word->value == 4 || word->value == 8) return IPG_OK;
  return ipg_view_damaged(view, error, "its real numbers are said to have %g bytes", word->value);
}

ipg_status ipg_exodus_check_schema(const ipg_view *view, const ipg_netcdf_header *h, ipg_error *error) {
  ipg_status status = IPG_OK;
  if (!file_note(h, "version", NULL) || !file_note(h, "api_version", "api version") || !word_size(h))
    return ipg_fail(error, IPG_ERROR_FORMAT, "%s: it holds no Exodus II data: give a file that does", view->path);
  for (ipg_id i = 0; !status && i < h->count; ++i) {
    const ipg_netcdf_item *item = ipg_netcdf_item_at(h, i);
    switch (item->kind) {
    case IPG_NETCDF_DIMENSION: status = check_dimension(view, h, item, error); break;
    case IPG_NETCDF_VARIABLE: status = check_variable(view, h, item, error); break;
    case IPG_NETCDF_ATTRIBUTE: status = check_attribute(view, h, item, error); break;
    }
  }
  if (!status) status = check_title_page(view, h, error);
  return status ? status : check_counts(view, h, error);
}
