/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The input of one search: what every method and every peer is given, and nothing else. */
#ifndef IMPINGE_BENCH_SCENE_H
#define IMPINGE_BENCH_SCENE_H

#include "impinge/search.h"

typedef struct scene {
  ipg_box *items, *queries;       /* queries NULL: a self search */
  ipg_id *item_keys, *query_keys; /* 4 per box as in ipg_exclusion, or NULL */
  int64_t item_count, query_count;
} scene;

#endif
