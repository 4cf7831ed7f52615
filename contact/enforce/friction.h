/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Coulomb friction. */
#ifndef IMPINGE_ENFORCE_FRICTION_H
#define IMPINGE_ENFORCE_FRICTION_H

#include "model/step.h"

/* Between static and dynamic, at a tangential speed. */
double ipg_friction_coefficient(const ipg_contact_law *law, double speed);
/* A vector at a node as it is at the end of the step, if it turns with the node's surface, laid into the plane with
 * that normal (of any length) without losing length. */
vec ipg_turn_with_node(const ipg_step *step, ipg_id node, vec v, vec normal);

#endif
