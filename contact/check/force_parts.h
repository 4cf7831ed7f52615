/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The forces of an evaluation of penalty contact once more, part by part, with what the sums on nodes do not tell: the
 * two sides, and what is normal and what tangential. */
#ifndef IMPINGE_CHECK_FORCE_PARTS_H
#define IMPINGE_CHECK_FORCE_PARTS_H

#include "setup/contact_object.h"

typedef struct ipg_force_part {
  ipg_id node;
  int32_t block, touched; /* of the side that it acts on, and of the other one; of walls as in ipg_node_friction */
  ipg_id face;            /* that presses or is pressed, maybe a bevel; -1: of walls and ties, which act on nodes */
  vec normal, tangential;
  double pressure; /* along the normal, above 0 where it presses: sums to the resultant of the contact */
  vec facing;      /* without a face: the normal out of what is touched */
  bool of_energy;  /* of the energy of faces and at walls; else of friction, dampers and ties */
} ipg_force_part;

typedef void ipg_take_force_part(void *context, const ipg_force_part *part);

/* In a fixed order. The sum of normal and tangential parts on a node is its contact force. */
void ipg_list_force_parts(const ipg_contact *contact, ipg_take_force_part *take, void *context);

#endif
