/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Two frames of a published simulation as a mesh with vertices that move from the one to the other, and the candidate
 * pairs that a search gives for it: vertex and face, and two edges, with overlapping swept boxes. Pairs that share a
 * vertex are left out by exclusion keys, as contact leaves them out. An edge is (smaller, larger) vertex; edges are
 * sorted by larger, then smaller. */
#ifndef IMPINGE_TESTS_MOVING_MESH_H
#define IMPINGE_TESTS_MOVING_MESH_H

#include "impinge/search.h"
#include "support/ply.h"

#include <math.h>
#include <unistd.h>

/* Swept boxes of one kind of element, with their vertices, four or fewer and then -1, as keys. */
typedef struct elements {
  ipg_box *boxes;
  ipg_id *keys;
  int64_t count;
} elements;

typedef struct moving_mesh {
  ply frames[2];
  elements vertices, edges, faces;
} moving_mesh;

/* Four points a pair: of vertex and face, or of both edges. */
typedef struct close_pairs {
  ipg_id *points;
  int64_t count;
} close_pairs;

/* Frames <data>/ccd/<name>/frames/<number>.ply. Returns NULL, or what is wrong with the file of which
 * the name is left in `path`. */
const char *moving_mesh_read(const char *data, const char *name, const int numbers[2], char path[4096],
                             moving_mesh *mesh);
/* Elements and boxes of a mesh that has its frames. */
void moving_mesh_make(moving_mesh *mesh);
void moving_mesh_free(moving_mesh *mesh);

/* Sorted by vertex, then face. `points` is NULL if the search fails. */
close_pairs vertex_face_pairs(const moving_mesh *mesh);
close_pairs edge_edge_pairs(const moving_mesh *mesh);

#endif
