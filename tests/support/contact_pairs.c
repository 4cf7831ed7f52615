/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/contact_pairs.h"

int contact_order(const ipg_contact_pair *a, const ipg_contact_pair *b) {
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  if (a->owner != b->owner) return a->owner < b->owner ? -1 : 1;
  return a->touched < b->touched ? -1 : a->touched > b->touched;
}
