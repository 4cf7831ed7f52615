/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The surface around a node, at the trial places. */
#ifndef IMPINGE_CONTACT_AROUND_H
#define IMPINGE_CONTACT_AROUND_H

#include "foot.h"
#include "state.h"

/* Faces within 75 degrees of the contact's last normal carry it on; a way out within 75 degrees of a face's normal
 * counts as behind the face. */
static const double ipg_follow_cosine = 0.25;

typedef struct ipg_surroundings {
  foot followed; /* the nearest of the faces that carry the contact on */
  foot nearest;  /* the nearest of all faces around */
} ipg_surroundings;

/* Seen from a node that touches a face. */
ipg_surroundings ipg_look_around_node(const ipg_contact *contact, ipg_id node, ipg_id face);

#endif
