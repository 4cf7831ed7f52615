/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What a netCDF file says of itself, whatever its format: its dimensions, variables and attributes by name; of values
 * only the first number of an attribute.
 *
 * All of them are items of one array, found through one directory of hashed names. The format's reader adds items in
 * the order of the file and calls `finish`; only then can they be found. Memory is bounded by what the file holds, for
 * an item is added only after its bytes were seen. */
#ifndef IMPINGE_MESHIO_NETCDF_HEADER_H
#define IMPINGE_MESHIO_NETCDF_HEADER_H

#include "file_view.h"

enum { IPG_NETCDF_NAME_MAX = 256 }; /* letters; the library's own limit */

typedef enum ipg_netcdf_kind { IPG_NETCDF_DIMENSION, IPG_NETCDF_VARIABLE, IPG_NETCDF_ATTRIBUTE } ipg_netcdf_kind;
typedef enum ipg_netcdf_class { IPG_NETCDF_NUMBERS, IPG_NETCDF_TEXT, IPG_NETCDF_STRANGE } ipg_netcdf_class;

typedef struct ipg_netcdf_item {
  ipg_netcdf_kind kind;
  ipg_netcdf_class class; /* of the values of a variable or an attribute */
  ipg_id owner;           /* of an attribute: its variable, -1 for the file */
  int64_t name;           /* where it starts in `names` */
  int64_t count;          /* the length of a dimension, the rank of a variable, the values of an attribute */
  int64_t lengths;        /* of a variable: where its lengths start in `lengths` */
  double value;           /* of an attribute of numbers: the first */
} ipg_netcdf_item;

typedef struct ipg_netcdf_header {
  ipg_id count;
  int64_t length_count, name_bytes;
  ipg_buffer items, lengths, names;
  ipg_buffer keys, order; /* the directory: hashes, ascending, and whose they are */
  ipg_sorter sorter;
  ipg_allocator allocator;
} ipg_netcdf_header;

/* A number of up to eight bytes, the first being the lowest or the highest; NAN if it is none of those. */
double ipg_netcdf_value(const unsigned char *bytes, int64_t count, bool is_real, bool lowest_first);

/* The new item is the last one. The name need not end in zero. */
ipg_status ipg_netcdf_add(ipg_netcdf_header *header, ipg_netcdf_item item, const char *name, int64_t letters,
                          ipg_error *error);
/* One more length of the last item, a variable. */
ipg_status ipg_netcdf_add_length(ipg_netcdf_header *header, int64_t length, ipg_error *error);
/* Refuses two of a kind with one name. */
ipg_status ipg_netcdf_finish(ipg_netcdf_header *header, const ipg_view *view, ipg_error *error);
void ipg_netcdf_destroy(ipg_netcdf_header *header);

ipg_netcdf_item *ipg_netcdf_item_at(const ipg_netcdf_header *header, ipg_id index);
const char *ipg_netcdf_name(const ipg_netcdf_header *header, const ipg_netcdf_item *item);
const int64_t *ipg_netcdf_lengths(const ipg_netcdf_header *header, const ipg_netcdf_item *variable);
/* NULL if there is none. owner is -1 for what is no attribute. */
const ipg_netcdf_item *ipg_netcdf_find(const ipg_netcdf_header *header, ipg_netcdf_kind kind, ipg_id owner,
                                       const char *name);

/* The header of a classic file: CDF-1, CDF-2 (64-bit offsets), CDF-5. */
ipg_status ipg_netcdf_read_classic(ipg_view *view, ipg_netcdf_header *header, ipg_error *error);
/* The header of a netCDF-4 file, which is an HDF5 file: without groups, as Exodus writes it. */
ipg_status ipg_netcdf_read_hdf5(ipg_view *view, ipg_netcdf_header *header, ipg_error *error);

#endif
