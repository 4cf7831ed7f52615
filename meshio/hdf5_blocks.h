/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The blocks that an HDF5 file is made of, as far as netCDF-4 uses them: enough to see that the file is whole before
 * the library believes it.
 *
 * Nearly every block ends in a checksum, which is verified; what has none (global heaps, trees of chunks) is held
 * against its bounds. A budget of bytes ends the walk through blocks that contain each other. Only new-style groups
 * with 64-bit addresses are known: netCDF writes no others. */
#ifndef IMPINGE_MESHIO_HDF5_BLOCKS_H
#define IMPINGE_MESHIO_HDF5_BLOCKS_H

#include "netcdf_header.h"

enum { IPG_HDF5_NOWHERE = -1, IPG_HDF5_MAX_RANK = 32 };

typedef struct ipg_hdf5 {
  ipg_view *view;
  ipg_allocator allocator;
  ipg_error *error;
  int64_t budget; /* bytes that may still be looked at */
} ipg_hdf5;

/* Bytes that are taken one after another. When there are too few, what is taken is 0 and `ended` stays set. */
typedef struct ipg_bytes {
  const unsigned char *at;
  int64_t left;
  bool ended;
} ipg_bytes;

uint64_t ipg_bytes_number(ipg_bytes *bytes, int width);
/* IPG_HDF5_NOWHERE for the undefined address; INT64_MAX for what no file reaches. */
int64_t ipg_bytes_address(ipg_bytes *bytes);
const unsigned char *ipg_bytes_skip(ipg_bytes *bytes, int64_t count);
/* The next `count` bytes as bytes of their own. */
ipg_bytes ipg_bytes_part(ipg_bytes *bytes, int64_t count);

ipg_status ipg_hdf5_damaged(const ipg_hdf5 *h, const char *what);
/* A block that starts with a signature; `body` is what follows it. */
ipg_status ipg_hdf5_load(ipg_hdf5 *h, int64_t at, int64_t bytes, const char *signature, ipg_buffer *buffer,
                         ipg_bytes *body);
/* The same of a block that ends in its checksum, without that. */
ipg_status ipg_hdf5_load_checked(ipg_hdf5 *h, int64_t at, int64_t bytes, const char *signature, ipg_buffer *buffer,
                                 ipg_bytes *body);
uint32_t ipg_hdf5_checksum(const unsigned char *bytes, int64_t count);

/* Where the header of the root group is. */
ipg_status ipg_hdf5_find_root(ipg_hdf5 *h, int64_t *root);

enum {
  IPG_HDF5_DATASPACE = 1,
  IPG_HDF5_LINK_INFO = 2,
  IPG_HDF5_DATATYPE = 3,
  IPG_HDF5_LINK = 6,
  IPG_HDF5_LAYOUT = 8,
  IPG_HDF5_FILTERS = 11,
  IPG_HDF5_ATTRIBUTE = 12,
  IPG_HDF5_ATTRIBUTE_INFO = 21
};

typedef ipg_status ipg_hdf5_visit(void *context, int type, ipg_bytes message);

/* Every message of an object's header. Ones that objects share are for types that Exodus does not make. */
ipg_status ipg_hdf5_each_message(ipg_hdf5 *h, int64_t object, ipg_hdf5_visit *visit, void *context);

/* Links or attributes that are too many for the header: a heap, and trees that point into it. */
typedef struct ipg_hdf5_store {
  int64_t heap, by_name, by_order;
} ipg_hdf5_store;

/* Every message of the store is visited as one of `type`; those too large for the heap's blocks are left out. */
ipg_status ipg_hdf5_each_stored(ipg_hdf5 *h, const ipg_hdf5_store *store, int type, ipg_hdf5_visit *visit,
                                void *context);

/* A dataset in chunks, by the older of the two ways to index them; the newer ones have checksums. */
typedef struct ipg_hdf5_chunks {
  int64_t tree;
  bool filtered;
  int64_t steps;  /* along the first axis, if that is unlimited: as far must the chunks reach */
  int dimensions; /* one more than the rank: the last is the size of a value; 0: not in chunks */
  int64_t lengths[IPG_HDF5_MAX_RANK + 1];
} ipg_hdf5_chunks;

ipg_status ipg_hdf5_check_chunks(ipg_hdf5 *h, const ipg_hdf5_chunks *chunks);

/* An object of a global heap that an attribute points to, and how large it must be: the library copies all of it into
 * as much room as the attribute says. */
typedef struct ipg_hdf5_reference {
  uint64_t object; /* the place of the heap times 65536, and the object's number */
  int64_t bytes;
  int64_t target; /* to be filled: the address that starts the object */
} ipg_hdf5_reference;

/* The references come in the ascending order of their objects. */
ipg_status ipg_hdf5_follow(ipg_hdf5 *h, ipg_hdf5_reference *references, int64_t count);

#endif
