/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The sort of base.h for keys whose low bits are carried along: only the bits from first_bit up are compared. Also the
 * repair of an order that is almost right, and the prefix sum that sorts by counting share. */
#ifndef IMPINGE_SUPPORT_SORT_H
#define IMPINGE_SUPPORT_SORT_H

#include "impinge/base.h"

ipg_status ipg_sort_from_bit(ipg_sorter *sorter, uint64_t *keys, ipg_id *payload, int64_t count, int first_bit,
                             const ipg_allocator *allocator, const ipg_tasks *tasks, ipg_error *error);

/* Insertion sort for keys that are almost in order, carrying payload along (payload may be NULL). After more than
 * shifts_per_key * count shifts it gives up and returns false, with the same keys in some order: a repair in vain costs
 * less than the sort that follows. */
bool ipg_repair_order(uint64_t *keys, ipg_id *payload, int64_t count, int64_t shifts_per_key);

/* Counts of digits, chunk by chunk (offsets[chunk * digits + digit]), become the offsets at which each chunk writes its
 * keys of each digit: digits first, chunks second, which makes a sort stable. */
void ipg_sum_digit_counts(int64_t *offsets, int64_t chunks, int64_t digits);

#endif
