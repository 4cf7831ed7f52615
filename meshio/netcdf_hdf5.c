/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The netCDF header of an HDF5 file: a dataset of the root group is a variable, a dimension, or both.
 *
 * A dataset of class DIMENSION_SCALE is a dimension, and a variable too unless its attribute NAME excludes that. A
 * variable's attribute DIMENSION_LIST refers to its dimensions through a global heap. An unlimited dimension is as long
 * as the longest variable on it. First all objects are read, each once; then references are resolved; then the lengths
 * of dimensions are determined.
 *
 * Exodus files have no groups and no types of their own, but the libraries read files that have them besides. They are
 * checked like the rest, and what is in a group is kept apart from what is not: the group owns it. */
#include "netcdf_hdf5.h"

#include "hdf5_dense_storage.h"
#include "hdf5_global_heap.h"
#include "hdf5_types.h"

#include <string.h>

enum { NO_ITEM = -1 };

typedef struct object {
  int64_t at;   /* in the file */
  int64_t name; /* offset in the reader's names */
  int64_t letters;
  ipg_id group;     /* item of the group that it is in, -1 for the root group */
  ipg_id item;      /* variable or dimension */
  ipg_id dimension; /* -1 for an object that is no dimension */
} object;

/* An axis of a variable; its reference, at the same index, refers to its dimension. */
typedef struct axis {
  ipg_id variable;
  int number;
  bool unlimited;
  bool in_dimension_list; /* false: a reference of another attribute */
} axis;

typedef struct reader {
  ipg_hdf5 h;
  ipg_netcdf_header *header;
  ipg_buffer names, objects, references, axes, keys, order;
  int64_t name_bytes, object_count, reference_count;
  ipg_sorter sorter;
  ipg_id group; /* whose links are being read */
} reader;

/* The dataset that is being read. */
typedef struct dataset {
  reader *r;
  ipg_id item;
  ipg_hdf5_space space;
  ipg_hdf5_type type;
  bool has_space, has_type, has_layout, is_scale, is_only_dimension, is_group, filtered;
  int64_t first_reference, reference_end; /* of DIMENSION_LIST */
  ipg_hdf5_storage attributes, links;
  ipg_hdf5_chunks chunks;
} dataset;

static ipg_netcdf_class get_class(const ipg_hdf5_type *t, bool scalar) {
  if (t->class == IPG_HDF5_FIXED || t->class == IPG_HDF5_FLOATING) return IPG_NETCDF_NUMBERS;
  return t->class == IPG_HDF5_STRING && (scalar || t->bytes == 1) ? IPG_NETCDF_TEXT : IPG_NETCDF_OTHER;
}

/* ------------------------------------------------------------------------------------------------------- attributes */

static ipg_status report_damage(const reader *r, const char *what) { return ipg_hdf5_report_damage(&r->h, what); }

static ipg_status add_reference(reader *r, ipg_hdf5_reference reference, axis from) {
  const int64_t count = r->reference_count;
  const ipg_allocator *a = &r->h.allocator;
  ipg_status status = ipg_buffer_grow(&r->references, a, count, count + 1, sizeof reference, r->h.error);
  if (!status) status = ipg_buffer_grow(&r->axes, a, count, count + 1, sizeof from, r->h.error);
  if (status) return status;
  ((ipg_hdf5_reference *)r->references.data)[count] = reference;
  ((axis *)r->axes.data)[count] = from;
  r->reference_count++;
  return IPG_OK;
}

/* Each value of an attribute of variable length is a count, and the address of an object in a global heap. */
static ipg_status add_references(dataset *d, const ipg_hdf5_type *t, int64_t values, ipg_bytes b, bool in_list) {
  reader *r = d->r;
  for (int64_t i = 0; i < values; ++i) {
    const int64_t count = (int64_t)ipg_bytes_read_number(&b, 4), heap = ipg_bytes_read_address(&b);
    const int64_t index = (int64_t)ipg_bytes_read_number(&b, 4);
    if (b.ended || (count && (heap < 0 || heap > r->h.view->size || index > UINT16_MAX)) || (in_list && count != 1))
      return report_damage(r, "an attribute of it has no target");
    if (!count) continue;
    const ipg_hdf5_reference reference = {(uint64_t)heap << 16 | (uint64_t)index, count * t->base_bytes, 0};
    const ipg_status status = add_reference(r, reference, (axis){d->item, (int)i, false, in_list});
    if (status) return status;
  }
  return IPG_OK;
}

static bool has_name(const char *name, int64_t letters, const char *wanted) {
  return (size_t)letters == strlen(wanted) && !memcmp(name, wanted, (size_t)letters);
}

static bool starts_with(const ipg_bytes *b, const char *words) {
  return b->left >= (int64_t)strlen(words) && !memcmp(b->at, words, strlen(words));
}

static ipg_status add_attribute(dataset *d, const char *name, int64_t letters, const ipg_hdf5_type *t,
                                const ipg_hdf5_space *s, ipg_bytes values) {
  if (has_name(name, letters, "CLASS") && starts_with(&values, "DIMENSION_SCALE")) d->is_scale = true;
  if (has_name(name, letters, "NAME") && starts_with(&values, "This is a netCDF dimension but not a netCDF variable"))
    d->is_only_dimension = true;
  const bool scalar = !s->rank;
  ipg_netcdf_item item = {.kind = IPG_NETCDF_ATTRIBUTE, .owner = d->item, .class = get_class(t, scalar)};
  item.count = item.class == IPG_NETCDF_TEXT && scalar ? s->values * t->bytes : s->values;
  if (item.class == IPG_NETCDF_NUMBERS && t->bytes <= values.left)
    item.value = ipg_netcdf_decode_value(values.at, t->bytes, t->class == IPG_HDF5_FLOATING, !t->big_endian);
  ipg_status status = ipg_netcdf_add_item(d->r->header, item, name, letters, d->r->h.error);
  if (status || t->class != IPG_HDF5_VARIABLE_LENGTH) return status;
  const bool in_list = d->item != NO_ITEM && has_name(name, letters, "DIMENSION_LIST");
  const bool again = d->first_reference < d->reference_end; /* a second DIMENSION_LIST */
  if (in_list && (again || t->base != IPG_HDF5_REFERENCE || t->base_bytes != 8))
    return report_damage(d->r, "an attribute of it has no target");
  if (in_list) d->first_reference = d->r->reference_count;
  status = add_references(d, t, s->values, values, in_list);
  if (in_list) d->reference_end = d->r->reference_count;
  return status;
}

/* Version 1 pads each part to eight bytes. */
static ipg_bytes split_part(ipg_bytes *b, int64_t bytes, bool pad) {
  const ipg_bytes part = ipg_bytes_split(b, bytes);
  if (pad) ipg_bytes_skip(b, -bytes & 7);
  return part;
}

static ipg_status ignore_message(void *context, int type, ipg_bytes b) {
  (void)context, (void)type, (void)b;
  return IPG_OK;
}

/* A type that is an object of its own: values of it are not numbers for us, but the object must be in the file. */
static ipg_status read_shared_type(dataset *d, ipg_bytes b, ipg_hdf5_type *t) {
  enum { FIRST_VERSION = 1, IN_OBJECT = 2 };
  const int version = (int)ipg_bytes_read_number(&b, 1), place = (int)ipg_bytes_read_number(&b, 1);
  ipg_bytes_skip(&b, version == FIRST_VERSION ? 6 : 0);
  const int64_t at = ipg_bytes_read_address(&b);
  if (b.ended || (version > FIRST_VERSION && place != IN_OBJECT))
    return report_damage(d->r, "a header message of it is not one that netCDF-4 writes");
  *t = (ipg_hdf5_type){.class = IPG_HDF5_UNKNOWN, .base = IPG_HDF5_UNKNOWN};
  return ipg_hdf5_read_messages(&d->r->h, at, ignore_message, NULL);
}

static ipg_status read_attribute(dataset *d, ipg_bytes b) {
  enum { SHARED_TYPE = 1, SHARED_SPACE = 2 };
  const int version = (int)ipg_bytes_read_number(&b, 1), flags = (int)ipg_bytes_read_number(&b, 1);
  const int64_t letters = (int64_t)ipg_bytes_read_number(&b, 2) - 1; /* it counts the closing zero */
  const int64_t type_bytes = (int64_t)ipg_bytes_read_number(&b, 2), space_bytes = (int64_t)ipg_bytes_read_number(&b, 2);
  ipg_bytes_skip(&b, version == 3 ? 1 : 0);
  const ipg_bytes name = split_part(&b, letters + 1, version == 1);
  const ipg_bytes type_part = split_part(&b, type_bytes, version == 1);
  const ipg_bytes space_part = split_part(&b, space_bytes, version == 1);
  ipg_hdf5_type t = {.class = IPG_HDF5_UNKNOWN};
  ipg_hdf5_space s = {0};
  if (b.ended || letters < 1 || memchr(name.at, 0, (size_t)letters))
    return report_damage(d->r, "an attribute of it is incomplete");
  const bool shared = version > 1 && flags & SHARED_TYPE;
  const ipg_status status = shared ? read_shared_type(d, type_part, &t) : IPG_OK;
  if (status) return status;
  if ((version > 1 && flags & SHARED_SPACE) || (!shared && !ipg_hdf5_read_type(type_part, &t)) ||
      !ipg_hdf5_read_space(space_part, &s))
    return report_damage(d->r, "an attribute of it is incomplete");
  return add_attribute(d, (const char *)name.at, letters, &t, &s, b);
}

/* --------------------------------------------------------------------------------------------------------- messages */

static ipg_status read_storage(reader *r, ipg_bytes b, int count_bytes, ipg_hdf5_storage *store) {
  enum { COUNTED = 1, BY_ORDER = 2 };
  ipg_bytes_skip(&b, 1);
  const int flags = (int)ipg_bytes_read_number(&b, 1);
  ipg_bytes_skip(&b, flags & COUNTED ? count_bytes : 0);
  store->heap = ipg_bytes_read_address(&b);
  store->by_name = ipg_bytes_read_address(&b);
  store->by_order = flags & BY_ORDER ? ipg_bytes_read_address(&b) : IPG_HDF5_UNDEFINED;
  return b.ended ? report_damage(r, "a header message of it is incomplete") : IPG_OK;
}

static ipg_status read_chunks(dataset *d, ipg_bytes *b) {
  d->chunks.dimensions = (int)ipg_bytes_read_number(b, 1);
  if (d->chunks.dimensions < 2 || d->chunks.dimensions > IPG_HDF5_MAX_RANK + 1)
    return report_damage(d->r, "a variable has no valid layout");
  d->chunks.tree = ipg_bytes_read_address(b);
  for (int i = 0; i < d->chunks.dimensions; ++i) d->chunks.lengths[i] = (int64_t)ipg_bytes_read_number(b, 4);
  return b->ended ? report_damage(d->r, "a variable has no valid layout") : IPG_OK;
}

static ipg_status read_layout(dataset *d, ipg_bytes b) {
  enum { CONTIGUOUS = 1, CHUNKED = 2, WITH_CHECKSUMS = 4 };
  const int version = (int)ipg_bytes_read_number(&b, 1), class = (int)ipg_bytes_read_number(&b, 1);
  if (version < 3 || version > WITH_CHECKSUMS) return report_damage(d->r, "a variable has no valid layout");
  if (class == CHUNKED) return version == 3 ? read_chunks(d, &b) : IPG_OK;
  if (class != CONTIGUOUS) return IPG_OK;
  const int64_t at = ipg_bytes_read_address(&b), bytes = ipg_bytes_read_address(&b), size = d->r->h.view->size;
  const bool unwritten = at == IPG_HDF5_UNDEFINED;
  if (b.ended || bytes < 0 || (!unwritten && (at > size || bytes > size - at)))
    return report_damage(d->r, "a variable lies beyond the end of the file");
  return IPG_OK;
}

static ipg_status add_link(reader *r, const char *name, int64_t letters, int64_t at) {
  const ipg_allocator *a = &r->h.allocator;
  const int64_t end = r->name_bytes + letters;
  ipg_status status = ipg_buffer_grow(&r->names, a, r->name_bytes, end, 1, r->h.error);
  if (!status)
    status = ipg_buffer_grow(&r->objects, a, r->object_count, r->object_count + 1, sizeof(object), r->h.error);
  if (status) return status;
  memcpy((char *)r->names.data + r->name_bytes, name, (size_t)letters);
  ((object *)r->objects.data)[r->object_count++] = (object){at, r->name_bytes, letters, r->group, NO_ITEM, NO_ITEM};
  r->name_bytes = end;
  return IPG_OK;
}

static ipg_status read_link(reader *r, ipg_bytes b) {
  enum { HAS_TYPE = 8, HAS_ORDER = 4, HAS_CHARSET = 16, WIDTH = 3 };
  ipg_bytes_skip(&b, 1);
  const int flags = (int)ipg_bytes_read_number(&b, 1);
  const bool hard = !(flags & HAS_TYPE) || !ipg_bytes_read_number(&b, 1);
  ipg_bytes_skip(&b, (flags & HAS_ORDER ? 8 : 0) + (flags & HAS_CHARSET ? 1 : 0));
  const int64_t letters = (int64_t)(ipg_bytes_read_number(&b, 1 << (flags & WIDTH)) & INT64_MAX);
  const unsigned char *name = ipg_bytes_skip(&b, letters);
  const int64_t at = hard ? ipg_bytes_read_address(&b) : 0;
  if (b.ended || !letters || letters > IPG_NETCDF_NAME_MAX || memchr(name, 0, (size_t)letters))
    return report_damage(r, "a link in it has no target");
  return hard ? add_link(r, (const char *)name, letters, at) : report_damage(r, "a link in it refers to another file");
}

static ipg_status read_dataset_message(void *context, int type, ipg_bytes b) {
  dataset *d = context;
  switch (type) {
  case IPG_HDF5_DATASPACE:
    d->has_space = ipg_hdf5_read_space(b, &d->space);
    return d->has_space ? IPG_OK : report_damage(d->r, "a variable has no valid shape");
  case IPG_HDF5_DATATYPE:
    d->has_type = ipg_hdf5_read_type(b, &d->type);
    return d->has_type ? IPG_OK : report_damage(d->r, "a variable has no valid type");
  case IPG_HDF5_SHARED_DATATYPE: d->has_type = true; return read_shared_type(d, b, &d->type);
  case IPG_HDF5_LAYOUT: d->has_layout = true; return read_layout(d, b);
  case IPG_HDF5_FILTERS: d->filtered = true; return IPG_OK;
  case IPG_HDF5_ATTRIBUTE: return read_attribute(d, b);
  case IPG_HDF5_ATTRIBUTE_INFO: return read_storage(d->r, b, 2, &d->attributes);
  case IPG_HDF5_LINK_INFO: d->is_group = true; return read_storage(d->r, b, 8, &d->links);
  case IPG_HDF5_LINK: return read_link(d->r, b);
  default: return IPG_OK;
  }
}

static ipg_status read_link_message(void *context, int type, ipg_bytes b) {
  reader *r = context;
  return type == IPG_HDF5_LINK ? read_link(r, b) : IPG_OK;
}

/* ---------------------------------------------------------------------------------------------------------- objects */

/* Reads the header of an object, what it has outside of it, and the links of a group. The attributes of the file are
 * those of the root group. */
static ipg_status read_header(reader *r, ipg_id item, int64_t at, dataset *d) {
  const ipg_hdf5_storage none = {IPG_HDF5_UNDEFINED, IPG_HDF5_UNDEFINED, IPG_HDF5_UNDEFINED};
  *d = (dataset){.r = r, .item = item, .attributes = none, .links = none};
  r->group = item;
  ipg_status status = ipg_hdf5_read_messages(&r->h, at, read_dataset_message, d);
  if (!status) status = ipg_hdf5_read_storage(&r->h, &d->attributes, IPG_HDF5_ATTRIBUTE, read_dataset_message, d);
  return status ? status : ipg_hdf5_read_storage(&r->h, &d->links, IPG_HDF5_LINK, read_link_message, r);
}

static ipg_status read_root(reader *r) {
  dataset d;
  int64_t root;
  const ipg_status status = ipg_hdf5_find_root_group(&r->h, &root);
  return status ? status : read_header(r, NO_ITEM, root, &d);
}

/* A group, or a type that variables may have. Neither is part of an Exodus file. */
static bool is_no_dataset(const dataset *d) { return d->is_group || (d->has_type && !d->has_space && !d->has_layout); }

/* Makes the item of an object that was read a variable, a dimension, or a variable with a dimension of its own. */
static ipg_status finish_object(dataset *d, object *o, const char *name) {
  ipg_netcdf_header *header = d->r->header;
  ipg_netcdf_item *item = ipg_netcdf_item_at(header, o->item);
  item->class = is_no_dataset(d) ? IPG_NETCDF_OTHER : get_class(&d->type, false);
  item->count = d->space.rank;
  if (!d->is_scale) return IPG_OK;
  if (d->space.rank != 1) return report_damage(d->r, "a dimension of it has no length");
  o->dimension = o->item;
  const bool empty = d->is_only_dimension && d->space.unlimited[0]; /* its length is that of its variables */
  const ipg_netcdf_item dimension = {
      .kind = IPG_NETCDF_DIMENSION, .owner = o->group, .count = empty ? 0 : d->space.extents[0]};
  if (d->is_only_dimension) {
    item->kind = IPG_NETCDF_DIMENSION;
    item->count = dimension.count;
    return IPG_OK;
  }
  o->dimension = header->count;
  return ipg_netcdf_add_item(header, dimension, name, o->letters, d->r->h.error);
}

static ipg_status check_dataset(dataset *d) {
  reader *r = d->r;
  if (is_no_dataset(d)) return IPG_OK;
  if (!d->has_space) return report_damage(r, "a variable has no valid shape");
  const int64_t axes = d->reference_end - d->first_reference;
  if (axes && axes != d->space.rank) return report_damage(r, "a variable has dimensions that do not fit its shape");
  for (int64_t i = 0; i < axes; ++i) ((axis *)r->axes.data)[d->first_reference + i].unlimited = d->space.unlimited[i];
  d->chunks.filtered = d->filtered;
  d->chunks.steps = d->space.unlimited[0] && !d->is_only_dimension ? d->space.extents[0] : 0;
  return d->chunks.dimensions ? ipg_hdf5_check_chunks(&r->h, &d->chunks) : IPG_OK;
}

static ipg_status add_lengths(reader *r, const ipg_hdf5_space *space) {
  ipg_status status = IPG_OK;
  for (int i = 0; !status && i < space->rank; ++i)
    status = ipg_netcdf_add_length(r->header, space->extents[i], r->h.error);
  return status;
}

/* The objects of a group are added behind the others while it is read. */
static ipg_status read_object(reader *r, int64_t index) {
  object o = ((const object *)r->objects.data)[index];
  dataset d;
  const ipg_netcdf_item item = {.kind = IPG_NETCDF_VARIABLE, .owner = o.group};
  ipg_status status = ipg_netcdf_add_item(r->header, item, (const char *)r->names.data + o.name, o.letters, r->h.error);
  if (status) return status;
  o.item = r->header->count - 1;
  status = read_header(r, o.item, o.at, &d);
  if (!status) status = check_dataset(&d);
  if (!status) status = add_lengths(r, &d.space);
  if (!status) status = finish_object(&d, &o, (const char *)r->names.data + o.name);
  ((object *)r->objects.data)[index] = o;
  return status;
}

static ipg_status read_objects(reader *r) {
  ipg_status status = IPG_OK;
  for (int64_t i = 0; !status && i < r->object_count; ++i) status = read_object(r, i);
  return status;
}

/* ------------------------------------------------------------------------------------------------------- dimensions */

/* Memory for `count` keys and their order; the caller fills the keys. */
static ipg_status reserve_order(reader *r, int64_t count) {
  const ipg_status status = ipg_buffer_reserve(&r->keys, &r->h.allocator, count, sizeof(uint64_t), r->h.error);
  if (status) return status;
  if (count > IPG_ID_MAX) return report_damage(r, "it holds too many references");
  return ipg_buffer_reserve(&r->order, &r->h.allocator, count, sizeof(ipg_id), r->h.error);
}

static ipg_status sort_order(reader *r, int64_t count) {
  ipg_id *order = r->order.data;
  for (ipg_id i = 0; i < count; ++i) order[i] = i;
  const ipg_tasks serial = ipg_tasks_serial();
  return ipg_sort_u64(&r->sorter, r->keys.data, order, count, &r->h.allocator, &serial, r->h.error);
}

/* Sorts references, and their axes, by heap and object. */
static ipg_status sort_references(reader *r) {
  const int64_t n = r->reference_count;
  ipg_buffer references = {0}, axes = {0};
  const ipg_allocator *a = &r->h.allocator;
  ipg_status status = reserve_order(r, n);
  for (int64_t i = 0; !status && i < n; ++i)
    ((uint64_t *)r->keys.data)[i] = ((const ipg_hdf5_reference *)r->references.data)[i].object;
  if (!status) status = sort_order(r, n);
  if (!status) status = ipg_buffer_reserve(&references, a, n, sizeof(ipg_hdf5_reference), r->h.error);
  if (!status) status = ipg_buffer_reserve(&axes, a, n, sizeof(axis), r->h.error);
  for (int64_t i = 0; !status && i < n; ++i) {
    const ipg_id from = ((const ipg_id *)r->order.data)[i];
    ((ipg_hdf5_reference *)references.data)[i] = ((const ipg_hdf5_reference *)r->references.data)[from];
    ((axis *)axes.data)[i] = ((const axis *)r->axes.data)[from];
  }
  ipg_buffer_destroy(status ? &references : &r->references, a);
  ipg_buffer_destroy(status ? &axes : &r->axes, a);
  if (status) return status;
  r->references = references;
  r->axes = axes;
  return IPG_OK;
}

static ipg_status sort_objects(reader *r) {
  ipg_status status = reserve_order(r, r->object_count);
  for (int64_t i = 0; !status && i < r->object_count; ++i)
    ((uint64_t *)r->keys.data)[i] = (uint64_t)((const object *)r->objects.data)[i].at;
  return status ? status : sort_order(r, r->object_count);
}

/* The dimension whose object header has this address; NULL if there is none. */
static ipg_netcdf_item *find_dimension(const reader *r, int64_t at) {
  const uint64_t *keys = r->keys.data;
  int64_t low = 0, high = r->object_count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (keys[middle] < (uint64_t)at) low = middle + 1;
    else high = middle;
  }
  if (low == r->object_count || keys[low] != (uint64_t)at) return NULL;
  const ipg_id dimension = ((const object *)r->objects.data)[((const ipg_id *)r->order.data)[low]].dimension;
  return dimension < 0 ? NULL : ipg_netcdf_item_at(r->header, dimension);
}

/* The length of a variable along an axis; the caller may change it. */
static int64_t *get_axis_length(const reader *r, const axis *a) {
  return (int64_t *)r->header->lengths.data + ipg_netcdf_item_at(r->header, a->variable)->lengths + a->number;
}

/* An unlimited dimension grows to the longest of its variables; any other must have their length. */
static ipg_status match_axis(const reader *r, int64_t i) {
  const axis *a = (const axis *)r->axes.data + i;
  if (!a->in_dimension_list) return IPG_OK;
  ipg_netcdf_item *dimension = find_dimension(r, ((const ipg_hdf5_reference *)r->references.data)[i].target);
  if (!dimension) return report_damage(r, "a variable has a dimension that is not in the file");
  const int64_t length = *get_axis_length(r, a);
  if (a->unlimited && length > dimension->count) dimension->count = length;
  return a->unlimited || length == dimension->count
             ? IPG_OK
             : report_damage(r, "a variable has another length than its dimension");
}

static ipg_status determine_lengths(reader *r) {
  ipg_status status = IPG_OK;
  for (int64_t i = 0; !status && i < r->reference_count; ++i) status = match_axis(r, i);
  for (int64_t i = 0; !status && i < r->reference_count; ++i) {
    const axis *a = (const axis *)r->axes.data + i;
    if (a->in_dimension_list)
      *get_axis_length(r, a) = find_dimension(r, ((const ipg_hdf5_reference *)r->references.data)[i].target)->count;
  }
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- driver */

static void free_reader(reader *r) {
  ipg_buffer *const buffers[] = {&r->names, &r->objects, &r->references, &r->axes, &r->keys, &r->order};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) ipg_buffer_destroy(buffers[i], &r->h.allocator);
  ipg_sorter_destroy(&r->sorter, &r->h.allocator);
}

/* The budget is enough for a valid file: a block is loaded once or twice, and names once more from the blocks of a
 * heap. */
ipg_status ipg_netcdf_read_hdf5(ipg_view *view, ipg_netcdf_header *header, ipg_error *error) {
  const int64_t budget = view->size > INT64_MAX / 4 ? INT64_MAX : 4 * view->size;
  reader r = {.h = {view, header->allocator, error, budget}, .header = header};
  ipg_status status = read_root(&r);
  if (!status) status = read_objects(&r);
  if (!status) status = sort_references(&r);
  if (!status) status = ipg_hdf5_resolve_references(&r.h, r.references.data, r.reference_count);
  if (!status) status = sort_objects(&r);
  if (!status) status = determine_lengths(&r);
  free_reader(&r);
  return status ? status : ipg_netcdf_sort_items(header, view, error);
}
