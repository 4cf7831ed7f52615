/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Reads the triangle meshes of the reference data: little-endian binary PLY, vertices of three doubles, then faces as
 * lists of one byte and three ints. Anything else is refused: this is a reader for tests, not for users. */
#ifndef IMPINGE_TESTS_PLY_H
#define IMPINGE_TESTS_PLY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ply {
  int64_t vertex_count, face_count;
  double *vertices; /* 3 per vertex */
  int32_t *faces;   /* 3 per face */
} ply;

/* False, with an empty mesh, if the file cannot be read. */
bool ply_read(const char *path, ply *mesh);
void ply_free(ply *mesh);

#endif
