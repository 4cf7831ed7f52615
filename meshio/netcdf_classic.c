/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Reads the header of a classic netCDF file as the format specification defines it, and checks every number.
 *
 * The netCDF library trusts counts and lengths: a flipped bit in one can make it allocate gigabytes or run for ever. So
 * each is compared with the bytes that are left, and variables must follow each other without overlap, after the header
 * and within the file. Of the values of an attribute only the first is read. Bytes that only pad are not looked at:
 * SciPy filled them with the letter 0 for years, and the netCDF library does not look at them either.
 * Records are the steps of a result file. A run killed in the middle of a step leaves a last record that is incomplete,
 * or more records than the header counts: both are accepted, a count that exceeds the complete records by more than one
 * is not. */
#include "netcdf_classic.h"

enum { DIMENSION_TAG = 10, VARIABLE_TAG = 11, ATTRIBUTE_TAG = 12, MAX_RANK = 1024, NO_ITEM = -1 };

typedef struct parser {
  ipg_view *view;
  ipg_netcdf_header *header;
  ipg_error *error;
  int64_t at;       /* in the file */
  int count_bytes;  /* of counts and lengths */
  int offset_bytes; /* of the offset of a variable */
  int version;
  int64_t dimension_count, record_count;
  int64_t first_begin, fixed_end;   /* the bytes of variables without records */
  int64_t record_begin, record_end; /* the first record, with the variables read so far */
  int64_t record_last_end;          /* record_end without the padding of the last variable */
  int64_t record_variable_count;
} parser;

typedef struct name {
  char text[IPG_NETCDF_NAME_MAX];
  int64_t letters;
} name;

static int64_t count_bytes_left(const parser *p) { return p->view->size - p->at; }

/* -------------------------------------------------------------------------------------------------------- numbers */

static ipg_status read_number(parser *p, int bytes, int64_t *value) {
  const unsigned char *at = ipg_view_get_bytes(p->view, p->at, bytes);
  if (!at) return ipg_view_report_damage(p->view, p->error, "its header is incomplete");
  uint64_t number = 0;
  for (int i = 0; i < bytes; ++i) number = number << 8 | at[i];
  if (number > INT64_MAX) return ipg_view_report_damage(p->view, p->error, "a count in its header is negative");
  *value = (int64_t)number;
  p->at += bytes;
  return IPG_OK;
}

static ipg_status read_count(parser *p, int64_t *value) { return read_number(p, p->count_bytes, value); }

/* Reads a tag, or zero for an empty list, and a count of entries of at least `least` bytes each. */
static ipg_status read_list_header(parser *p, int tag, int64_t least, const char *what, int64_t *count) {
  int64_t found = 0;
  ipg_status status = read_number(p, 4, &found);
  if (!status) status = read_count(p, count);
  if (status) return status;
  if (found != tag && (found || *count))
    return ipg_view_report_damage(p->view, p->error, "its header has no list of %s where one should be", what);
  if (*count > count_bytes_left(p) / least || *count > IPG_ID_MAX)
    return ipg_view_report_damage(p->view, p->error,
                                  "its header has a count of %lld %s, more than the file has room for",
                                  (long long)*count, what);
  return IPG_OK;
}

/* Everything in the header is padded to four bytes. */
static int64_t round_up_to_4(int64_t bytes) { return bytes > INT64_MAX - 3 ? INT64_MAX : (bytes + 3) / 4 * 4; }

static bool is_proper_letter(char letter) {
  const unsigned char code = (unsigned char)letter;
  return code >= ' ' && code != 127 && code != '/';
}

static ipg_status read_name(parser *p, name *to) {
  const ipg_status status = read_count(p, &to->letters);
  if (status) return status;
  if (to->letters < 1 || to->letters > IPG_NETCDF_NAME_MAX)
    return ipg_view_report_damage(p->view, p->error, "a name in its header has %lld letters", (long long)to->letters);
  const int64_t bytes = round_up_to_4(to->letters);
  const unsigned char *at = ipg_view_get_bytes(p->view, p->at, bytes);
  if (!at) return ipg_view_report_damage(p->view, p->error, "its header ends within a name");
  bool proper = true;
  for (int64_t i = 0; i < to->letters; ++i) proper = proper && is_proper_letter(to->text[i] = (char)at[i]);
  p->at += bytes;
  return proper ? IPG_OK : ipg_view_report_damage(p->view, p->error, "a name in its header is not text");
}

/* ---------------------------------------------------------------------------------------------------------- types */

typedef struct type {
  ipg_netcdf_class class;
  int64_t bytes;
  bool is_real;
} type;

static ipg_status read_type(parser *p, type *t) {
  static const int sizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
  enum { CHAR = 2, FLOAT = 5, DOUBLE = 6, LAST_CLASSIC = DOUBLE, LAST = 11 };
  int64_t code = 0;
  const ipg_status status = read_number(p, 4, &code);
  if (status) return status;
  if (code < 1 || code > (p->version == 5 ? LAST : LAST_CLASSIC))
    return ipg_view_report_damage(p->view, p->error, "its header has the data type %lld, which does not exist",
                                  (long long)code);
  *t = (type){code == CHAR ? IPG_NETCDF_TEXT : IPG_NETCDF_NUMBERS, sizes[code], code == FLOAT || code == DOUBLE};
  return IPG_OK;
}

/* ---------------------------------------------------------------------------------------------------------- lists */

/* A length of zero stands for the number of records. Some writers have several such dimensions, because they mean that
 * there is nothing; the netCDF library takes each of them for the number of records all the same. */
static ipg_status read_dimension(parser *p) {
  name n;
  int64_t length = 0;
  ipg_status status = read_name(p, &n);
  if (!status) status = read_count(p, &length);
  if (status) return status;
  const ipg_netcdf_item item = {
      .kind = IPG_NETCDF_DIMENSION, .owner = NO_ITEM, .count = length ? length : p->record_count, .unlimited = !length};
  return ipg_netcdf_add_item(p->header, item, n.text, n.letters, p->error);
}

static ipg_status read_dimensions(parser *p) {
  ipg_status status = read_list_header(p, DIMENSION_TAG, 8 + p->count_bytes, "dimensions", &p->dimension_count);
  for (int64_t i = 0; !status && i < p->dimension_count; ++i) status = read_dimension(p);
  return status;
}

static ipg_status read_attribute(parser *p, ipg_id owner) {
  name n;
  type t = {.bytes = 1};
  ipg_netcdf_item item = {.kind = IPG_NETCDF_ATTRIBUTE, .owner = owner};
  ipg_status status = read_name(p, &n);
  if (!status) status = read_type(p, &t);
  if (!status) status = read_count(p, &item.count);
  if (status) return status;
  if (item.count > count_bytes_left(p) / t.bytes || round_up_to_4(item.count * t.bytes) > count_bytes_left(p))
    return ipg_view_report_damage(p->view, p->error,
                                  "attribute '%.*s' has %lld values, more than the file has room for",
                                  (int)(n.letters < 80 ? n.letters : 80), n.text, (long long)item.count);
  const unsigned char *first = item.count ? ipg_view_get_bytes(p->view, p->at, t.bytes) : NULL;
  item.class = t.class;
  if (first) item.value = ipg_netcdf_decode_value(first, t.bytes, t.is_real, false);
  p->at += round_up_to_4(item.count * t.bytes);
  return ipg_netcdf_add_item(p->header, item, n.text, n.letters, p->error);
}

static ipg_status read_attributes(parser *p, ipg_id owner) {
  int64_t count = 0;
  ipg_status status = read_list_header(p, ATTRIBUTE_TAG, 12 + p->count_bytes, "attributes", &count);
  for (int64_t i = 0; !status && i < count; ++i) status = read_attribute(p, owner);
  return status;
}

/* ------------------------------------------------------------------------------------------------------- variables */

typedef struct variable {
  ipg_id item;
  bool has_records;
  int64_t values; /* of the variable, or of one record of it; INT64_MAX if they are more than that */
  int64_t bytes;  /* of these values */
  int64_t begin;
} variable;

static ipg_status report_variable(const parser *p, const variable *v, const char *what) {
  return ipg_view_report_damage(p->view, p->error, "variable '%.80s' %s",
                                ipg_netcdf_name(p->header, ipg_netcdf_item_at(p->header, v->item)), what);
}

static int64_t multiply_saturated(int64_t a, int64_t b) { return b && a > INT64_MAX / b ? INT64_MAX : a * b; }

static ipg_status read_shape_entry(parser *p, variable *v, bool first) {
  int64_t dimension = 0;
  const ipg_status status = read_count(p, &dimension);
  if (status) return status;
  if (dimension >= p->dimension_count) return report_variable(p, v, "has a dimension that is not in the header");
  const ipg_netcdf_item *item = ipg_netcdf_item_at(p->header, (ipg_id)dimension);
  const int64_t length = item->count;
  if (item->unlimited && !first) return report_variable(p, v, "has the unlimited dimension, but not as its first");
  if (item->unlimited) v->has_records = true;
  else v->values = multiply_saturated(v->values, length);
  return ipg_netcdf_add_length(p->header, length, p->error);
}

/* Reads the name and the dimensions of a variable. */
static ipg_status read_shape(parser *p, variable *v) {
  name n;
  ipg_netcdf_item item = {.kind = IPG_NETCDF_VARIABLE, .owner = NO_ITEM};
  ipg_status status = read_name(p, &n);
  if (!status) status = read_count(p, &item.count);
  if (!status) status = ipg_netcdf_add_item(p->header, item, n.text, n.letters, p->error);
  if (status) return status;
  *v = (variable){.item = p->header->count - 1, .values = 1};
  if (item.count > MAX_RANK) return report_variable(p, v, "has more dimensions than a variable can have");
  for (int64_t i = 0; !status && i < item.count; ++i) status = read_shape_entry(p, v, i == 0);
  return status;
}

/* Checks the size that the header stores in addition. It has 32 bits in the older formats and is undefined where that
 * is not enough; some writers leave it zero for variables without records yet, or do not round it up. */
static bool is_size_right(const parser *p, const variable *v, int64_t claimed) {
  const int64_t bytes = round_up_to_4(v->bytes);
  if (p->version != 5 && bytes > UINT32_MAX - 3) return true;
  return claimed == bytes || (v->has_records && (!claimed || claimed == v->bytes));
}

static ipg_status read_position(parser *p, variable *v) {
  type t = {0};
  int64_t claimed = 0;
  ipg_status status = read_type(p, &t);
  if (!status) status = read_count(p, &claimed);
  if (!status) status = read_number(p, p->offset_bytes, &v->begin);
  if (status) return status;
  ipg_netcdf_item_at(p->header, v->item)->class = t.class;
  v->bytes = multiply_saturated(v->values, t.bytes);
  return is_size_right(p, v, claimed) ? IPG_OK : report_variable(p, v, "has a size that does not fit its dimensions");
}

static ipg_status check_fixed_position(parser *p, const variable *v) {
  if (v->begin < p->fixed_end) return report_variable(p, v, "overlaps another");
  if (v->begin > p->view->size || v->bytes > p->view->size - v->begin)
    return report_variable(p, v, "lies beyond the end of the file");
  if (!p->fixed_end) p->first_begin = v->begin;
  p->fixed_end = v->begin + v->bytes;
  return IPG_OK;
}

/* There are no gaps between records, so the parts of a record must follow each other exactly. */
static ipg_status check_record_position(parser *p, const variable *v) {
  if (!p->record_variable_count++) p->record_begin = p->record_end = v->begin;
  if (v->begin != p->record_end) return report_variable(p, v, "overlaps another");
  if (v->bytes > INT64_MAX / 4 - p->record_end) return report_variable(p, v, "is larger than any file");
  p->record_last_end = p->record_end + v->bytes;
  p->record_end += round_up_to_4(v->bytes);
  return IPG_OK;
}

static ipg_status read_variable(parser *p) {
  variable v;
  ipg_status status = read_shape(p, &v);
  if (!status) status = read_attributes(p, v.item);
  if (!status) status = read_position(p, &v);
  if (status) return status;
  return v.has_records ? check_record_position(p, &v) : check_fixed_position(p, &v);
}

static ipg_status read_variables(parser *p) {
  int64_t count = 0;
  ipg_status status = read_list_header(p, VARIABLE_TAG, 16 + 4 * p->count_bytes, "variables", &count);
  for (int64_t i = 0; !status && i < count; ++i) status = read_variable(p);
  return status;
}

/* --------------------------------------------------------------------------------------------------------- records */

/* The records of which no byte is missing. The records of a single variable are not padded. */
static int64_t count_complete_records(const parser *p) {
  const int64_t stride = (p->record_variable_count == 1 ? p->record_last_end : p->record_end) - p->record_begin;
  const int64_t beyond_first = p->view->size - p->record_last_end;
  return beyond_first < 0 ? 0 : beyond_first / stride + 1;
}

static ipg_status check_records(const parser *p) {
  const int64_t complete = p->record_variable_count ? count_complete_records(p) : -1;
  if (p->record_count <= complete + 1) return IPG_OK;
  return ipg_view_report_damage(p->view, p->error, "its header counts %lld steps, but there are only %lld",
                                (long long)p->record_count, (long long)(complete < 0 ? 0 : complete));
}

static ipg_status check_order_of_parts(const parser *p) {
  const int64_t first = p->fixed_end ? p->first_begin : p->record_begin;
  if ((p->fixed_end || p->record_variable_count) && first < p->at)
    return ipg_view_report_damage(p->view, p->error, "its variables start within its header");
  if (p->record_variable_count && p->record_begin < p->fixed_end)
    return ipg_view_report_damage(p->view, p->error, "its steps overlap the mesh");
  return IPG_OK;
}

/* ---------------------------------------------------------------------------------------------------------- driver */

static ipg_status read_version(parser *p) {
  const unsigned char *magic = ipg_view_get_bytes(p->view, 0, 4);
  if (!magic) return ipg_view_report_damage(p->view, p->error, "its header is incomplete");
  p->version = magic[3];
  p->count_bytes = p->version == 5 ? 8 : 4;
  p->offset_bytes = p->version == 1 ? 4 : 8;
  p->at = 4;
  return IPG_OK;
}

/* A writer that could not update the count leaves all bits set; the netCDF library does not count records either. */
static ipg_status read_record_count(parser *p) {
  const unsigned char *at = ipg_view_get_bytes(p->view, p->at, p->count_bytes);
  bool streaming = at != NULL;
  for (int i = 0; streaming && i < p->count_bytes; ++i) streaming = at[i] == 255;
  if (streaming) return ipg_view_report_damage(p->view, p->error, "its header does not have the number of steps");
  return read_count(p, &p->record_count);
}

ipg_status ipg_netcdf_read_classic(ipg_view *view, ipg_netcdf_header *header, ipg_error *error) {
  parser p = {.view = view, .header = header, .error = error};
  ipg_status status = read_version(&p);
  if (!status) status = read_record_count(&p);
  if (!status) status = read_dimensions(&p);
  if (!status) status = read_attributes(&p, NO_ITEM);
  if (!status) status = read_variables(&p);
  if (!status) status = check_order_of_parts(&p);
  if (!status) status = check_records(&p);
  return status ? status : ipg_netcdf_sort_items(header, view, error);
}
