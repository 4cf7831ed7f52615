/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The closest faces of a body around a node that is in contact with one of them. */
#ifndef IMPINGE_SURFACE_SURFACE_WALK_H
#define IMPINGE_SURFACE_SURFACE_WALK_H

#include "surface/closest_point.h"
#include "surface/topology.h"

typedef struct ipg_surroundings {
  ipg_closest_point followed; /* on the closest of the faces that carry the contact on */
  ipg_closest_point closest;  /* on the closest of all faces around */
} ipg_surroundings;

/* At positions x, starting from the face that the node was in contact with. */
ipg_surroundings ipg_walk_surface(const ipg_surface *surface, const ipg_topology *topology, const double *x,
                                  ipg_id node, ipg_id face);

#endif
