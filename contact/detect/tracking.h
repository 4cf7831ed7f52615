/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Tracking of node-face contacts over the surface of the touched body. */
#ifndef IMPINGE_DETECT_TRACKING_H
#define IMPINGE_DETECT_TRACKING_H

#include "model/step.h"
#include "surface/closest_point.h"

/* Moves a contact to the end of the step: face, weights, normal, gap. False if it is deactivated. */
bool ipg_track_contact(const ipg_step *step, ipg_contact_pair *contact);
/* Puts the contact at this point of a face. */
void ipg_set_contact_point(const ipg_surface *surface, ipg_contact_pair *contact, const ipg_closest_point *point);

static inline ipg_closest_point ipg_closest_point_at_end(const ipg_step *step, ipg_id node, ipg_id face) {
  return ipg_closest_point_on_face(&step->model->surface, step->x1, node, face);
}

#endif
