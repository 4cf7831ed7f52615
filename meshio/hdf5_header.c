/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The netCDF header of an HDF5 file: datasets of the root group are variables, or dimensions, or both.
 *
 * A dataset of class DIMENSION_SCALE is a dimension; unless its attribute NAME denies it, it is a variable too. A
 * variable's attribute DIMENSION_LIST leads through a global heap to its dimensions. An unlimited dimension is as long
 * as the longest variable on it. First all objects are read, each once; then references are followed; then lengths are
 * settled. */
#include "hdf5_blocks.h"

#include <string.h>

enum { UNKNOWN_CLASS = -1, NO_ITEM = -1 };

typedef struct object {
  int64_t at;   /* in the file */
  int64_t name; /* in the reader's names */
  int64_t letters;
  ipg_id item;      /* variable or dimension */
  ipg_id dimension; /* -1 if it is none */
} object;

/* What a dataset's dataspace or an attribute's says. */
typedef struct space {
  int rank;
  int64_t extents[IPG_HDF5_MAX_RANK];
  bool unlimited[IPG_HDF5_MAX_RANK];
  int64_t values; /* INT64_MAX if they are more than that */
} space;

typedef struct datatype {
  int class, base; /* as HDF5 numbers them; base of a variable length */
  bool highest_first;
  int64_t bytes, base_bytes;
} datatype;

/* An axis of a variable, and the reference that leads to its dimension. */
typedef struct axis {
  ipg_id variable;
  int number;
  bool unlimited;
  bool named; /* by DIMENSION_LIST; else a reference of some other attribute */
} axis;

typedef struct reader {
  ipg_hdf5 h;
  ipg_netcdf_header *header;
  ipg_buffer names, objects, references, axes, keys, order;
  int64_t name_bytes, object_count, reference_count;
  ipg_sorter sorter;
  ipg_hdf5_store links;
} reader;

/* The object that is being read. */
typedef struct dataset {
  reader *r;
  ipg_id item;
  space space;
  datatype type;
  bool has_space, has_type, is_scale, is_only_dimension, is_group, filtered;
  int64_t first_reference, reference_end; /* of DIMENSION_LIST */
  ipg_hdf5_store attributes;
  ipg_hdf5_chunks chunks;
} dataset;

/* ------------------------------------------------------------------------------------------------- parts of messages
 */

static bool read_space(ipg_bytes b, space *s) {
  enum { HAS_MAXIMA = 1, NULL_SPACE = 2 };
  const int version = (int)ipg_bytes_number(&b, 1);
  *s = (space){.rank = (int)ipg_bytes_number(&b, 1), .values = 1};
  const bool maxima = ipg_bytes_number(&b, 1) & HAS_MAXIMA;
  const int kind = version == 2 ? (int)ipg_bytes_number(&b, 1) : (ipg_bytes_skip(&b, 5), 0);
  if (version < 1 || version > 2 || s->rank > IPG_HDF5_MAX_RANK) return false;
  if (kind == NULL_SPACE) s->values = 0;
  for (int d = 0; d < s->rank; ++d) {
    const int64_t n = s->extents[d] = ipg_bytes_address(&b);
    if (n < 0) return false;
    s->values = n && s->values > INT64_MAX / n ? INT64_MAX : s->values * n;
  }
  for (int d = 0; d < s->rank && maxima; ++d) s->unlimited[d] = ipg_bytes_number(&b, 8) == UINT64_MAX;
  return !b.ended;
}

enum { FIXED = 0, FLOATING = 1, STRING = 3, REFERENCE = 7, VARIABLE_LENGTH = 9 };

static bool read_type(ipg_bytes b, datatype *t) {
  const int head = (int)ipg_bytes_number(&b, 1);
  *t = (datatype){.class = head & 15, .base = UNKNOWN_CLASS, .highest_first = ipg_bytes_number(&b, 3) & 1};
  t->bytes = (int64_t)ipg_bytes_number(&b, 4);
  if (t->class == VARIABLE_LENGTH) {
    t->base = (int)ipg_bytes_number(&b, 1) & 15;
    ipg_bytes_skip(&b, 3);
    t->base_bytes = (int64_t)ipg_bytes_number(&b, 4);
  }
  return !b.ended;
}

static ipg_netcdf_class class_of(const datatype *t, bool scalar) {
  if (t->class == FIXED || t->class == FLOATING) return IPG_NETCDF_NUMBERS;
  return t->class == STRING && (scalar || t->bytes == 1) ? IPG_NETCDF_TEXT : IPG_NETCDF_STRANGE;
}

/* ------------------------------------------------------------------------------------------------------- attributes */

static ipg_status damaged(const reader *r, const char *what) { return ipg_hdf5_damaged(&r->h, what); }

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

/* Each value of an attribute of variable length is a count, and the place of an object in a global heap. */
static ipg_status add_references(dataset *d, const datatype *t, int64_t values, ipg_bytes b, bool named) {
  reader *r = d->r;
  for (int64_t i = 0; i < values; ++i) {
    const int64_t count = (int64_t)ipg_bytes_number(&b, 4), heap = ipg_bytes_address(&b);
    const int64_t index = (int64_t)ipg_bytes_number(&b, 4);
    if (b.ended || (count && (heap < 0 || heap > r->h.view->size || index > UINT16_MAX)) || (named && count != 1))
      return damaged(r, "an attribute of it leads nowhere");
    if (!count) continue;
    const ipg_hdf5_reference reference = {(uint64_t)heap << 16 | (uint64_t)index, count * t->base_bytes, 0};
    const ipg_status status = add_reference(r, reference, (axis){d->item, (int)i, false, named});
    if (status) return status;
  }
  return IPG_OK;
}

static bool is_called(const char *name, int64_t letters, const char *wanted) {
  return (size_t)letters == strlen(wanted) && !memcmp(name, wanted, (size_t)letters);
}

static bool starts_with(const ipg_bytes *b, const char *words) {
  return b->left >= (int64_t)strlen(words) && !memcmp(b->at, words, strlen(words));
}

static ipg_status use_attribute(dataset *d, const char *name, int64_t letters, const datatype *t, const space *s,
                                ipg_bytes values) {
  if (is_called(name, letters, "CLASS") && starts_with(&values, "DIMENSION_SCALE")) d->is_scale = true;
  if (is_called(name, letters, "NAME") && starts_with(&values, "This is a netCDF dimension but not a netCDF variable"))
    d->is_only_dimension = true;
  const bool scalar = !s->rank;
  ipg_netcdf_item item = {.kind = IPG_NETCDF_ATTRIBUTE, .owner = d->item, .class = class_of(t, scalar)};
  item.count = item.class == IPG_NETCDF_TEXT && scalar ? s->values * t->bytes : s->values;
  if (item.class == IPG_NETCDF_NUMBERS && t->bytes <= values.left)
    item.value = ipg_netcdf_value(values.at, t->bytes, t->class == FLOATING, !t->highest_first);
  ipg_status status = ipg_netcdf_add(d->r->header, item, name, letters, d->r->h.error);
  if (status || t->class != VARIABLE_LENGTH) return status;
  const bool named = d->item != NO_ITEM && is_called(name, letters, "DIMENSION_LIST");
  const bool again = d->first_reference < d->reference_end;
  if (named && (again || t->base != REFERENCE || t->base_bytes != 8))
    return damaged(d->r, "an attribute of it leads nowhere");
  if (named) d->first_reference = d->r->reference_count;
  status = add_references(d, t, s->values, values, named);
  if (named) d->reference_end = d->r->reference_count;
  return status;
}

/* The oldest version pads each part to eight bytes. */
static ipg_bytes take_part(ipg_bytes *b, int64_t bytes, bool pad) {
  const ipg_bytes part = ipg_bytes_part(b, bytes);
  if (pad) ipg_bytes_skip(b, -bytes & 7);
  return part;
}

static ipg_status read_attribute(dataset *d, ipg_bytes b) {
  enum { SHARED_PARTS = 3 };
  const int version = (int)ipg_bytes_number(&b, 1), flags = (int)ipg_bytes_number(&b, 1);
  const int64_t letters = (int64_t)ipg_bytes_number(&b, 2) - 1; /* it counts the closing zero */
  const int64_t type_bytes = (int64_t)ipg_bytes_number(&b, 2), space_bytes = (int64_t)ipg_bytes_number(&b, 2);
  ipg_bytes_skip(&b, version == 3 ? 1 : 0);
  const ipg_bytes name = take_part(&b, letters + 1, version == 1);
  const ipg_bytes type_part = take_part(&b, type_bytes, version == 1);
  const ipg_bytes space_part = take_part(&b, space_bytes, version == 1);
  datatype t = {.class = UNKNOWN_CLASS};
  space s = {0};
  if (b.ended || letters < 1 || memchr(name.at, 0, (size_t)letters))
    return damaged(d->r, "an attribute of it is not all there");
  if ((version > 1 && flags & SHARED_PARTS) || !read_type(type_part, &t) || !read_space(space_part, &s))
    return damaged(d->r, "an attribute of it is not all there");
  return use_attribute(d, (const char *)name.at, letters, &t, &s, b);
}

/* --------------------------------------------------------------------------------------------------------- messages */

static ipg_status read_store(reader *r, ipg_bytes b, int count_bytes, ipg_hdf5_store *store) {
  enum { COUNTED = 1, BY_ORDER = 2 };
  ipg_bytes_skip(&b, 1);
  const int flags = (int)ipg_bytes_number(&b, 1);
  ipg_bytes_skip(&b, flags & COUNTED ? count_bytes : 0);
  store->heap = ipg_bytes_address(&b);
  store->by_name = ipg_bytes_address(&b);
  store->by_order = flags & BY_ORDER ? ipg_bytes_address(&b) : IPG_HDF5_NOWHERE;
  return b.ended ? damaged(r, "a message of it is not all there") : IPG_OK;
}

static ipg_status read_chunks(dataset *d, ipg_bytes *b) {
  d->chunks.dimensions = (int)ipg_bytes_number(b, 1);
  if (d->chunks.dimensions < 2 || d->chunks.dimensions > IPG_HDF5_MAX_RANK + 1)
    return damaged(d->r, "a variable has no proper layout");
  d->chunks.tree = ipg_bytes_address(b);
  for (int i = 0; i < d->chunks.dimensions; ++i) d->chunks.lengths[i] = (int64_t)ipg_bytes_number(b, 4);
  return b->ended ? damaged(d->r, "a variable has no proper layout") : IPG_OK;
}

static ipg_status read_layout(dataset *d, ipg_bytes b) {
  enum { CONTIGUOUS = 1, CHUNKED = 2, WITH_CHECKSUMS = 4 };
  const int version = (int)ipg_bytes_number(&b, 1), class = (int)ipg_bytes_number(&b, 1);
  if (version < 3 || version > WITH_CHECKSUMS) return damaged(d->r, "a variable has no proper layout");
  if (class == CHUNKED) return version == 3 ? read_chunks(d, &b) : IPG_OK;
  if (class != CONTIGUOUS) return IPG_OK;
  const int64_t at = ipg_bytes_address(&b), bytes = ipg_bytes_address(&b), size = d->r->h.view->size;
  const bool unwritten = at == IPG_HDF5_NOWHERE;
  if (b.ended || bytes < 0 || (!unwritten && (at > size || bytes > size - at)))
    return damaged(d->r, "a variable lies beyond the end of the file");
  return IPG_OK;
}

static ipg_status visit_dataset(void *context, int type, ipg_bytes b) {
  dataset *d = context;
  switch (type) {
  case IPG_HDF5_DATASPACE:
    d->has_space = read_space(b, &d->space);
    return d->has_space ? IPG_OK : damaged(d->r, "a variable has no proper shape");
  case IPG_HDF5_DATATYPE:
    d->has_type = read_type(b, &d->type);
    return d->has_type ? IPG_OK : damaged(d->r, "a variable has no proper type");
  case IPG_HDF5_LAYOUT: return read_layout(d, b);
  case IPG_HDF5_FILTERS: d->filtered = true; return IPG_OK;
  case IPG_HDF5_ATTRIBUTE: return read_attribute(d, b);
  case IPG_HDF5_ATTRIBUTE_INFO: return read_store(d->r, b, 2, &d->attributes);
  case IPG_HDF5_LINK_INFO: d->is_group = true; return IPG_OK;
  default: return IPG_OK;
  }
}

static ipg_status add_link(reader *r, const char *name, int64_t letters, int64_t at) {
  const ipg_allocator *a = &r->h.allocator;
  const int64_t end = r->name_bytes + letters;
  ipg_status status = ipg_buffer_grow(&r->names, a, r->name_bytes, end, 1, r->h.error);
  if (!status)
    status = ipg_buffer_grow(&r->objects, a, r->object_count, r->object_count + 1, sizeof(object), r->h.error);
  if (status) return status;
  memcpy((char *)r->names.data + r->name_bytes, name, (size_t)letters);
  ((object *)r->objects.data)[r->object_count++] = (object){at, r->name_bytes, letters, NO_ITEM, NO_ITEM};
  r->name_bytes = end;
  return IPG_OK;
}

static ipg_status read_link(reader *r, ipg_bytes b) {
  enum { HAS_TYPE = 8, HAS_ORDER = 4, HAS_CHARSET = 16, WIDTH = 3 };
  ipg_bytes_skip(&b, 1);
  const int flags = (int)ipg_bytes_number(&b, 1);
  const bool hard = !(flags & HAS_TYPE) || !ipg_bytes_number(&b, 1);
  ipg_bytes_skip(&b, (flags & HAS_ORDER ? 8 : 0) + (flags & HAS_CHARSET ? 1 : 0));
  const int64_t letters = (int64_t)(ipg_bytes_number(&b, 1 << (flags & WIDTH)) & INT64_MAX);
  const unsigned char *name = ipg_bytes_skip(&b, letters);
  const int64_t at = hard ? ipg_bytes_address(&b) : 0;
  if (b.ended || !letters || letters > IPG_NETCDF_NAME_MAX || memchr(name, 0, (size_t)letters))
    return damaged(r, "a name in it leads nowhere");
  return hard ? add_link(r, (const char *)name, letters, at) : damaged(r, "a name in it leads to another file");
}

static ipg_status visit_link(void *context, int type, ipg_bytes b) {
  reader *r = context;
  return type == IPG_HDF5_LINK ? read_link(r, b) : IPG_OK;
}

/* The file's own attributes stand in the root group, beside its links. */
static ipg_status visit_root(void *context, int type, ipg_bytes b) {
  dataset *d = context;
  if (type == IPG_HDF5_LINK) return read_link(d->r, b);
  if (type == IPG_HDF5_LINK_INFO) return read_store(d->r, b, 8, &d->r->links);
  return type == IPG_HDF5_ATTRIBUTE || type == IPG_HDF5_ATTRIBUTE_INFO ? visit_dataset(d, type, b) : IPG_OK;
}

/* ---------------------------------------------------------------------------------------------------------- objects */

static dataset start_dataset(reader *r, ipg_id item) {
  const ipg_hdf5_store none = {IPG_HDF5_NOWHERE, IPG_HDF5_NOWHERE, IPG_HDF5_NOWHERE};
  return (dataset){.r = r, .item = item, .attributes = none};
}

static ipg_status read_root(reader *r) {
  dataset d = start_dataset(r, NO_ITEM);
  int64_t root;
  r->links = d.attributes;
  ipg_status status = ipg_hdf5_find_root(&r->h, &root);
  if (!status) status = ipg_hdf5_each_message(&r->h, root, visit_root, &d);
  if (!status) status = ipg_hdf5_each_stored(&r->h, &d.attributes, IPG_HDF5_ATTRIBUTE, visit_dataset, &d);
  return status ? status : ipg_hdf5_each_stored(&r->h, &r->links, IPG_HDF5_LINK, visit_link, r);
}

/* The item becomes what the object turned out to be: a variable, a dimension, or a variable with a dimension beside. */
static ipg_status settle_object(dataset *d, object *o, const char *name) {
  ipg_netcdf_header *header = d->r->header;
  if (d->is_group)
    return ipg_fail(d->r->h.error, IPG_ERROR_UNSUPPORTED, "%s: it holds a group '%.80s': write the file without groups",
                    d->r->h.view->path, ipg_netcdf_name(header, ipg_netcdf_item_at(header, o->item)));
  ipg_netcdf_item *item = ipg_netcdf_item_at(header, o->item);
  item->class = class_of(&d->type, false);
  item->count = d->space.rank;
  if (!d->is_scale) return IPG_OK;
  if (d->space.rank != 1) return damaged(d->r, "a dimension of it has no length");
  o->dimension = o->item;
  const bool empty = d->is_only_dimension && d->space.unlimited[0]; /* its variables will tell */
  const ipg_netcdf_item dimension = {
      .kind = IPG_NETCDF_DIMENSION, .owner = NO_ITEM, .count = empty ? 0 : d->space.extents[0]};
  if (d->is_only_dimension) {
    item->kind = IPG_NETCDF_DIMENSION;
    item->count = dimension.count;
    return IPG_OK;
  }
  o->dimension = header->count;
  return ipg_netcdf_add(header, dimension, name, o->letters, d->r->h.error);
}

static ipg_status check_dataset(dataset *d) {
  reader *r = d->r;
  if (d->is_group) return IPG_OK;
  if (!d->has_space) return damaged(r, "a variable has no proper shape");
  const int64_t axes = d->reference_end - d->first_reference;
  if (axes && axes != d->space.rank) return damaged(r, "a variable has other dimensions than its shape says");
  for (int64_t i = 0; i < axes; ++i) ((axis *)r->axes.data)[d->first_reference + i].unlimited = d->space.unlimited[i];
  d->chunks.filtered = d->filtered;
  d->chunks.steps = d->space.unlimited[0] && !d->is_only_dimension ? d->space.extents[0] : 0;
  return d->chunks.dimensions ? ipg_hdf5_check_chunks(&r->h, &d->chunks) : IPG_OK;
}

static ipg_status read_object(reader *r, object *o) {
  const char *name = (const char *)r->names.data + o->name;
  const ipg_netcdf_item item = {.kind = IPG_NETCDF_VARIABLE, .owner = NO_ITEM};
  ipg_status status = ipg_netcdf_add(r->header, item, name, o->letters, r->h.error);
  if (status) return status;
  o->item = r->header->count - 1;
  dataset d = start_dataset(r, o->item);
  status = ipg_hdf5_each_message(&r->h, o->at, visit_dataset, &d);
  if (!status) status = ipg_hdf5_each_stored(&r->h, &d.attributes, IPG_HDF5_ATTRIBUTE, visit_dataset, &d);
  if (!status) status = check_dataset(&d);
  for (int i = 0; !status && i < d.space.rank; ++i)
    status = ipg_netcdf_add_length(r->header, d.space.extents[i], r->h.error);
  return status ? status : settle_object(&d, o, name);
}

static ipg_status read_objects(reader *r) {
  ipg_status status = IPG_OK;
  for (int64_t i = 0; !status && i < r->object_count; ++i) status = read_object(r, (object *)r->objects.data + i);
  return status;
}

/* ------------------------------------------------------------------------------------------------------- dimensions */

/* Keys and an order for `count` things; the caller fills the keys. */
static ipg_status reserve_order(reader *r, int64_t count) {
  const ipg_status status = ipg_buffer_reserve(&r->keys, &r->h.allocator, count, sizeof(uint64_t), r->h.error);
  if (status) return status;
  if (count > IPG_ID_MAX) return damaged(r, "it holds too many references");
  return ipg_buffer_reserve(&r->order, &r->h.allocator, count, sizeof(ipg_id), r->h.error);
}

static ipg_status sort_order(reader *r, int64_t count) {
  ipg_id *order = r->order.data;
  for (ipg_id i = 0; i < count; ++i) order[i] = i;
  const ipg_tasks serial = ipg_tasks_serial();
  return ipg_sort_u64(&r->sorter, r->keys.data, order, count, &r->h.allocator, &serial, r->h.error);
}

/* References and their axes in the order of the heaps. */
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

/* The dimension whose header is there; NULL if there is none. */
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

/* The length of a variable along an axis, to be changed. */
static int64_t *length_along(const reader *r, const axis *a) {
  return (int64_t *)r->header->lengths.data + ipg_netcdf_item_at(r->header, a->variable)->lengths + a->number;
}

/* An unlimited dimension grows to the longest of its variables; any other has their length. */
static ipg_status join_axis(const reader *r, int64_t i) {
  const axis *a = (const axis *)r->axes.data + i;
  if (!a->named) return IPG_OK;
  ipg_netcdf_item *dimension = find_dimension(r, ((const ipg_hdf5_reference *)r->references.data)[i].target);
  if (!dimension) return damaged(r, "a variable has a dimension that is not in the file");
  const int64_t length = *length_along(r, a);
  if (a->unlimited && length > dimension->count) dimension->count = length;
  return a->unlimited || length == dimension->count ? IPG_OK
                                                    : damaged(r, "a variable has another length than its dimension");
}

static ipg_status settle_dimensions(reader *r) {
  ipg_status status = IPG_OK;
  for (int64_t i = 0; !status && i < r->reference_count; ++i) status = join_axis(r, i);
  for (int64_t i = 0; !status && i < r->reference_count; ++i) {
    const axis *a = (const axis *)r->axes.data + i;
    if (a->named)
      *length_along(r, a) = find_dimension(r, ((const ipg_hdf5_reference *)r->references.data)[i].target)->count;
  }
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- driver */

static void free_reader(reader *r) {
  ipg_buffer *const buffers[] = {&r->names, &r->objects, &r->references, &r->axes, &r->keys, &r->order};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) ipg_buffer_destroy(buffers[i], &r->h.allocator);
  ipg_sorter_destroy(&r->sorter, &r->h.allocator);
}

/* A block is looked at once or twice, and names are read again from the blocks of a heap. */
ipg_status ipg_netcdf_read_hdf5(ipg_view *view, ipg_netcdf_header *header, ipg_error *error) {
  const int64_t budget = view->size > INT64_MAX / 4 ? INT64_MAX : 4 * view->size;
  reader r = {.h = {view, header->allocator, error, budget}, .header = header};
  ipg_status status = read_root(&r);
  if (!status) status = read_objects(&r);
  if (!status) status = sort_references(&r);
  if (!status) status = ipg_hdf5_follow(&r.h, r.references.data, r.reference_count);
  if (!status) status = sort_objects(&r);
  if (!status) status = settle_dimensions(&r);
  free_reader(&r);
  return status ? status : ipg_netcdf_finish(header, view, error);
}
