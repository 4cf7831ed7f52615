/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Numbers that ascend, as in nearly every file, take one pass; others are sorted in a copy. */
#include "find_duplicate.h"

#include <string.h>

static bool is_ascending(const int64_t *numbers, int64_t count) {
  for (int64_t i = 1; i < count; ++i)
    if (numbers[i - 1] >= numbers[i]) return false;
  return true;
}

ipg_status ipg_find_duplicate(const int64_t *numbers, int64_t count, const ipg_allocator *allocator, bool *found,
                              int64_t *number, ipg_error *error) {
  *found = false;
  if (is_ascending(numbers, count)) return IPG_OK;
  ipg_buffer copy = {0};
  ipg_sorter sorter = {0};
  const ipg_tasks serial = ipg_tasks_serial();
  ipg_status status = ipg_buffer_reserve(&copy, allocator, count, sizeof(uint64_t), error);
  uint64_t *sorted = copy.data;
  if (!status) memcpy(sorted, numbers, (size_t)count * sizeof *numbers);
  if (!status) status = ipg_sort_u64(&sorter, sorted, NULL, count, allocator, &serial, error);
  for (int64_t i = 1; !status && !*found && i < count; ++i)
    if (sorted[i - 1] == sorted[i]) *found = true, *number = (int64_t)sorted[i];
  ipg_sorter_destroy(&sorter, allocator);
  ipg_buffer_destroy(&copy, allocator);
  return status;
}
