/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Times of first touch of nodes with faces in a step. */
#ifndef IMPINGE_DETECT_TOUCH_TIME_H
#define IMPINGE_DETECT_TOUCH_TIME_H

#include "impinge/search.h"
#include "model/step.h"

/* Time at which the paths of a node and a face come as close as touching, rounded down; INFINITY: they do not, and the
 * node cannot enter there. */
double ipg_touch_time(const ipg_step *step, ipg_id node, ipg_id face);
/* Of all pairs (node, face), in parallel. points: scratch, 4 per pair. */
void ipg_find_touch_times(const ipg_step *step, const ipg_pair *pairs, int64_t count, ipg_id *points, double *times);

#endif
