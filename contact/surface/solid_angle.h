/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Inside or outside of a body by the solid angle of all its faces: slow, and decided where rays leave it open. */
#ifndef IMPINGE_SURFACE_SOLID_ANGLE_H
#define IMPINGE_SURFACE_SOLID_ANGLE_H

#include "impinge/contact.h"

/* True if the node is inside the body at positions x, with its distance from the body's surface. On its own body:
 * inside another part of it. A node within 1e-10 of the body's size from its surface is not inside. */
bool ipg_is_inside_by_solid_angle(const ipg_surface *surface, const double *x, ipg_id node, int32_t body,
                                  double *depth);

#endif
