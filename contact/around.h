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

static inline foot ipg_foot_in_trial(const ipg_contact *c, ipg_id node, ipg_id face) {
  return ipg_foot_on_face(&c->surface, ipg_trial_x(c), node, face);
}

/* Seen from a node that touches a face. */
ipg_surroundings ipg_look_around_node(const ipg_contact *contact, ipg_id node, ipg_id face);
/* bearing.c: the face that a node bears which came in at this entry; how much of its depth there is from the start. */
foot ipg_bearing_of(const ipg_contact *contact, foot entry, ipg_id node);
double ipg_overlap_around(const ipg_contact *contact, const ipg_contact_pair *pair);
/* follow.c: the contact stands at this foot. */
void ipg_contact_stand_on(const ipg_contact *contact, ipg_contact_pair *pair, const foot *f);

#endif
