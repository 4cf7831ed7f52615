/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What stands exactly where something else stands: nodes, elements over the same four places, whole bodies.
 *
 * Each is a twin of the lowest of its kind in that place; the first pair is the one whose second is lowest. Where two
 * bodies touch, nodes may well be twins; twin elements and bodies are there by mistake. */
#ifndef IMPINGE_APP_TWINS_H
#define IMPINGE_APP_TWINS_H

#include "impinge/meshio.h"

typedef struct twins_kind {
  int64_t count; /* those with a lower one in their place */
  ipg_id first[2];
} twins_kind;

typedef struct twins {
  twins_kind nodes, elements, bodies;
} twins;

/* Bodies are left out without a skin. */
ipg_status twins_find(const ipg_mesh *mesh, const ipg_skin *skin, twins *found, ipg_error *error);

#endif
