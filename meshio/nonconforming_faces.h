/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Faces along which a mesh does not conform: the test for middle nodes, and the messages that name the elements. */
#ifndef IMPINGE_MESHIO_NONCONFORMING_FACES_H
#define IMPINGE_MESHIO_NONCONFORMING_FACES_H

#include "impinge/meshio.h"

/* True if two slots with the same corners have the same middle nodes, or both have none. */
bool ipg_middles_conform(const ipg_mesh *mesh, int64_t slot, int64_t other);
/* Fails with a message about `element`, the first of `count` elements whose nodes are wrong. */
ipg_status ipg_report_bad_element(const ipg_mesh *mesh, int64_t element, int64_t count, ipg_error *error);
/* Fails with a message about the elements that share the side `slot`: it is the lowest slot of the first of `count`
 * faces whose elements do not fit together. */
ipg_status ipg_report_nonconforming_face(const ipg_mesh *mesh, int64_t slot, int64_t count, ipg_error *error);

#endif
