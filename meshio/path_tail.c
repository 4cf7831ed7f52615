/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "path_tail.h"

#include <string.h>

enum { LONGEST_TAIL = 160 };

const char *ipg_path_tail(const char *path) {
  const size_t length = strlen(path);
  return length > LONGEST_TAIL ? path + length - LONGEST_TAIL : path;
}
