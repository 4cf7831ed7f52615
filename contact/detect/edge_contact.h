/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A single edge-edge contact: activation and tracking. */
#ifndef IMPINGE_DETECT_EDGE_CONTACT_H
#define IMPINGE_DETECT_EDGE_CONTACT_H

#include "impinge/narrow.h"
#include "impinge/search.h"
#include "model/step.h"

/* What comes of two edges that touch at a time: a contact, or the reason why not. `query` holds this pair alone. */
ipg_contact_reason ipg_activate_edge_contact(const ipg_step *step, const ipg_touch_queries *query, ipg_pair pair,
                                             double time, ipg_contact_pair *contact);
/* Moves a contact to the end of the step; false if it is deactivated. One that goes on with other edges is another
 * contact: the energy balance sees one deactivated and one activated. */
bool ipg_track_edge_contact(const ipg_step *step, ipg_contact_pair *contact);
/* An edge contact is reported at the first face of the touched edge. */
void ipg_name_edge_contact(const ipg_model *model, ipg_contact_pair *contact);

#endif
