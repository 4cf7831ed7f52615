/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* HDF5's global heaps, which hold the values of attributes of variable length. They have no checksums. */
#ifndef IMPINGE_MESHIO_HDF5_GLOBAL_HEAP_H
#define IMPINGE_MESHIO_HDF5_GLOBAL_HEAP_H

#include "hdf5_blocks.h"

/* An attribute's reference to an object of a global heap. The size must match, because the HDF5 library copies the
 * whole object into memory of the size that the attribute gives. */
typedef struct ipg_hdf5_reference {
  uint64_t object; /* the address of the heap times 65536, plus the index of the object */
  int64_t bytes;
  int64_t target; /* result: the address stored at the start of the object */
} ipg_hdf5_reference;

/* Reads the target of every reference. References must be sorted by object. */
ipg_status ipg_hdf5_resolve_references(ipg_hdf5 *h, ipg_hdf5_reference *references, int64_t count);

#endif
