/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The header of a netCDF file in any of its formats: dimensions, variables and attributes by name. Of values it has
 * only the first number of an attribute.
 *
 * All of them are items of one array, found through one directory of hashed names. The reader of a format
 * (netcdf_classic.c, netcdf_hdf5.c) adds items in the order of the file and calls ipg_netcdf_sort_items; only then can
 * they be found. Memory is bounded by the size of the file, because an item is added only after its bytes were read. */
#ifndef IMPINGE_MESHIO_NETCDF_HEADER_H
#define IMPINGE_MESHIO_NETCDF_HEADER_H

#include "file_view.h"

enum { IPG_NETCDF_NAME_MAX = 256 }; /* letters; the limit of the netCDF library */

typedef enum ipg_netcdf_kind { IPG_NETCDF_DIMENSION, IPG_NETCDF_VARIABLE, IPG_NETCDF_ATTRIBUTE } ipg_netcdf_kind;
typedef enum ipg_netcdf_class { IPG_NETCDF_NUMBERS, IPG_NETCDF_TEXT, IPG_NETCDF_OTHER } ipg_netcdf_class;

typedef struct ipg_netcdf_item {
  ipg_netcdf_kind kind;
  ipg_netcdf_class class; /* of the values of a variable or an attribute */
  ipg_id owner;           /* of an attribute: its variable; of anything: its group; -1 for the file */
  int64_t name;           /* offset in `names` */
  int64_t count;          /* the length of a dimension, the rank of a variable, the values of an attribute */
  bool unlimited;         /* a dimension of a classic file that is as long as there are records */
  int64_t lengths;        /* of a variable: offset in `lengths` */
  double value;           /* of an attribute of numbers: the first */
} ipg_netcdf_item;

typedef struct ipg_netcdf_header {
  ipg_id count;
  int64_t length_count, name_bytes;
  ipg_buffer items, lengths, names;
  ipg_buffer keys, order; /* the directory: hashes, ascending, and the items they belong to */
  ipg_sorter sorter;
  ipg_allocator allocator;
} ipg_netcdf_header;

/* Decodes an integer of one to eight bytes, or a real number of four or eight; NAN for any other size. */
double ipg_netcdf_decode_value(const unsigned char *bytes, int64_t count, bool is_real, bool little_endian);

/* Appends an item. The name need not end in zero. */
ipg_status ipg_netcdf_add_item(ipg_netcdf_header *header, ipg_netcdf_item item, const char *name, int64_t letters,
                               ipg_error *error);
/* Appends a length to the last item, a variable. */
ipg_status ipg_netcdf_add_length(ipg_netcdf_header *header, int64_t length, ipg_error *error);
/* Builds the directory; fails if two items of a kind have the same name. */
ipg_status ipg_netcdf_sort_items(ipg_netcdf_header *header, const ipg_view *view, ipg_error *error);
void ipg_netcdf_destroy(ipg_netcdf_header *header);

ipg_netcdf_item *ipg_netcdf_item_at(const ipg_netcdf_header *header, ipg_id index);
const char *ipg_netcdf_name(const ipg_netcdf_header *header, const ipg_netcdf_item *item);
const int64_t *ipg_netcdf_lengths(const ipg_netcdf_header *header, const ipg_netcdf_item *variable);
/* NULL if there is none. owner: -1 for dimensions, variables and attributes of the file. */
const ipg_netcdf_item *ipg_netcdf_find_item(const ipg_netcdf_header *header, ipg_netcdf_kind kind, ipg_id owner,
                                            const char *name);

#endif
