/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Times of first touch of nodes with faces in a step. */
#ifndef IMPINGE_DETECT_TOUCH_TIME_H
#define IMPINGE_DETECT_TOUCH_TIME_H

#include "impinge/search.h"
#include "model/step.h"

/* Times at which the paths of nodes and faces touch, rounded down; INFINITY: they do not, and the node cannot enter
 * there. points: scratch, 4 per pair. */
void ipg_find_touch_times(const ipg_step *step, const ipg_pair *pairs, int64_t count, ipg_id *points, double *times);

#endif
