/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The sort of base.h for keys whose low bits are luggage: only the bits from first_bit up are compared. */
#ifndef IMPINGE_SUPPORT_SORT_H
#define IMPINGE_SUPPORT_SORT_H

#include "impinge/base.h"

ipg_status ipg_sort_from_bit(ipg_sorter *sorter, uint64_t *keys, ipg_id *payload, int64_t count, int first_bit,
                             const ipg_allocator *allocator, const ipg_tasks *tasks, ipg_error *error);

/* Counts of digits, chunk by chunk (places[chunk * digits + digit]), become the places where each chunk's share of each
 * digit begins: digits first, chunks second, which is what makes a sort stable. */
void ipg_scan_places(int64_t *places, int64_t chunks, int64_t digits);

#endif
