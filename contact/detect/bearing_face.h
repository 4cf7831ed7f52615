/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The face that bears a node which has just entered a body. */
#ifndef IMPINGE_DETECT_BEARING_FACE_H
#define IMPINGE_DETECT_BEARING_FACE_H

#include "model/step.h"
#include "surface/closest_point.h"

/* `entry`: the closest point on the face that the node entered by. */
ipg_closest_point ipg_find_bearing_face(const ipg_step *step, ipg_closest_point entry, ipg_id node);
/* The part of a new contact's penetration that was there from the start, by its neighbours. */
double ipg_initial_penetration_around(const ipg_step *step, const ipg_contact_pair *contact);

#endif
