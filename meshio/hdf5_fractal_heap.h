/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* HDF5's fractal heap: it holds links or attributes that are too many for an object header. */
#ifndef IMPINGE_MESHIO_HDF5_FRACTAL_HEAP_H
#define IMPINGE_MESHIO_HDF5_FRACTAL_HEAP_H

#include "hdf5_blocks.h"

typedef struct ipg_fractal_heap {
  ipg_hdf5 *h;
  int64_t at;
  int id_bytes, start_bytes, length_bytes; /* of an object's id, and of the numbers in it */
  bool checked;                            /* direct blocks have a checksum */
  int64_t width, first_bytes, largest_bytes, root;
  int root_rows;     /* 0: the root is a direct block */
  ipg_buffer blocks; /* the direct blocks in the order of the heap's addresses */
  int64_t block_count;
} ipg_fractal_heap;

/* Reads the header and lists all direct blocks. Set h and at, zero the rest; free with ipg_buffer_destroy(&blocks). */
ipg_status ipg_fractal_heap_read(ipg_fractal_heap *heap);

/* Loads an object by its id, with the cursor at the start of the id. *found is false for an object that is not in a
 * direct block: one too large for the blocks, or stored in the id itself. */
ipg_status ipg_fractal_heap_load_object(const ipg_fractal_heap *heap, ipg_bytes id, ipg_buffer *buffer,
                                        ipg_bytes *object, bool *found);

/* Bytes that a number up to this takes in a file. */
int ipg_hdf5_count_bytes(uint64_t number);

#endif
