/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A surface of a few faces, made by hand. */
#ifndef IMPINGE_TESTS_SMALL_SURFACE_H
#define IMPINGE_TESTS_SMALL_SURFACE_H

#include "impinge/contact.h"

enum { SMALL_SURFACE_NODES = 12, SMALL_SURFACE_FACES = 12 };

typedef struct small_surface {
  int node_count, face_count;
  ipg_gid gids[SMALL_SURFACE_NODES], elements[SMALL_SURFACE_FACES];
  double masses[SMALL_SURFACE_NODES];
  ipg_id faces[3 * SMALL_SURFACE_FACES], opposites[SMALL_SURFACE_FACES];
  uint8_t sides[SMALL_SURFACE_FACES], subs[SMALL_SURFACE_FACES];
  int32_t bodies[SMALL_SURFACE_FACES], blocks[SMALL_SURFACE_FACES];
} small_surface;

/* Nodes have gids from 1 on and mass 1. Each face is side 0 of an element of its own, from 11 on, without a fourth
 * surface node, of body 0 and block 0. */
small_surface small_surface_of(int node_count, int face_count, const ipg_id *faces);
/* As contact takes it: points into s. */
ipg_surface small_surface_view(const small_surface *s);

#endif
