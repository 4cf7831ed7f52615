/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Nodes that go right through a body, where no force of positions can hold them. */
#ifndef IMPINGE_DETECT_PASSING_H
#define IMPINGE_DETECT_PASSING_H

#include "detect/activation.h"

/* Marks the contacts of the node with bodies that it has passed, and sets work->passed_face and passed_time if it
 * passed one in this step that it had not passed before. Penalty contact only; the contacts of the node are known. */
void ipg_find_passing(const ipg_step *step, ipg_node_work *work);

#endif
