/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Two frames of real simulations made by others, as a mesh whose vertices move from the one to the other, and what a
 * search leaves of it: pairs of vertex and face and of two edges whose boxes, each that of the whole path, overlap.
 * Pairs that share a vertex are left out by exclusion keys, as contact leaves them out. An edge is (smaller, larger)
 * vertex; edges are sorted by larger, then smaller. */
#ifndef IMPINGE_TESTS_MOVING_MESH_H
#define IMPINGE_TESTS_MOVING_MESH_H

#include "impinge/search.h"
#include "ply.h"

#include <math.h>
#include <unistd.h>

/* Boxes of one kind of element, with their vertices, four or fewer and then -1, as keys. */
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

static inline void moving_mesh_free(moving_mesh *mesh) {
  const elements *all[3] = {&mesh->vertices, &mesh->edges, &mesh->faces};
  for (int i = 0; i < 3; ++i) free(all[i]->boxes), free(all[i]->keys);
  ply_free(&mesh->frames[0]), ply_free(&mesh->frames[1]);
  *mesh = (moving_mesh){0};
}

/* ------------------------------------------------------------------------------------------------------------ boxes */

static inline elements new_elements(int64_t count) {
  return (elements){calloc((size_t)count, sizeof(ipg_box)), calloc(4 * (size_t)count, sizeof(ipg_id)), count};
}

static inline void include_point(ipg_box *box, const double x[3]) {
  for (int k = 0; k < 3; ++k) box->lo[k] = fmin(box->lo[k], x[k]), box->hi[k] = fmax(box->hi[k], x[k]);
}

static inline void put_element(elements *to, int64_t at, const ply frames[2], const int32_t *vertices, int count) {
  ipg_box *box = &to->boxes[at];
  for (int k = 0; k < 3; ++k) box->lo[k] = INFINITY, box->hi[k] = -INFINITY;
  for (int i = 0; i < 4; ++i) to->keys[4 * at + i] = i < count ? vertices[i] : -1;
  for (int i = 0; i < 2 * count; ++i) include_point(box, frames[i % 2].vertices + 3 * (int64_t)vertices[i / 2]);
}

static inline int compare_edges(const void *p, const void *q) {
  const uint64_t a = *(const uint64_t *)p, b = *(const uint64_t *)q;
  return (a > b) - (a < b);
}

/* All edges of all faces, once each, as larger << 32 | smaller; returns how many. */
static inline int64_t collect_edges(const ply *mesh, uint64_t *edges) {
  const int64_t sides = 3 * mesh->face_count;
  for (int64_t i = 0; i < sides; ++i) {
    const int32_t *face = mesh->faces + i / 3 * 3, a = face[i % 3], b = face[(i + 1) % 3];
    edges[i] = (uint64_t)(a > b ? a : b) << 32 | (uint64_t)(a > b ? b : a);
  }
  qsort(edges, (size_t)sides, sizeof *edges, compare_edges);
  int64_t count = 0;
  for (int64_t i = 0; i < sides; ++i)
    if (!count || edges[i] != edges[count - 1]) edges[count++] = edges[i];
  return count;
}

static inline void make_edges(elements *to, const ply frames[2]) {
  uint64_t *edges = calloc(3 * (size_t)frames->face_count, sizeof *edges);
  *to = new_elements(collect_edges(&frames[0], edges));
  for (int64_t i = 0; i < to->count; ++i)
    put_element(to, i, frames, (int32_t[2]){(int32_t)(edges[i] & INT32_MAX), (int32_t)(edges[i] >> 32)}, 2);
  free(edges);
}

static inline void moving_mesh_make(moving_mesh *mesh) {
  const ply *frames = mesh->frames;
  mesh->vertices = new_elements(frames->vertex_count);
  mesh->faces = new_elements(frames->face_count);
  for (int32_t i = 0; i < frames->vertex_count; ++i) put_element(&mesh->vertices, i, frames, &i, 1);
  for (int64_t i = 0; i < frames->face_count; ++i) put_element(&mesh->faces, i, frames, frames->faces + 3 * i, 3);
  make_edges(&mesh->edges, frames);
}

/* Frames <data>/ccd/<name>/frames/<number>.ply. NULL, or what is wrong with the file whose name is left in `path`. */
static inline const char *moving_mesh_read(const char *data, const char *name, const int numbers[2], char path[4096],
                                           moving_mesh *mesh) {
  *mesh = (moving_mesh){0};
  for (int i = 0; i < 2; ++i) {
    snprintf(path, 4096, "%s/ccd/%s/frames/%d.ply", data, name, numbers[i]);
    const char *wrong = access(path, R_OK) ? "is absent" : ply_read(path, &mesh->frames[i]) ? NULL : "is no mesh";
    if (wrong) moving_mesh_free(mesh);
    if (wrong) return wrong;
  }
  moving_mesh_make(mesh);
  return NULL;
}

/* ------------------------------------------------------------------------------------------------------------ pairs */

static inline close_pairs points_of_pairs(const ipg_pair *pairs, int64_t count, const elements *first, int first_points,
                                          const elements *second) {
  close_pairs all = {calloc(4 * (size_t)count + 1, sizeof(ipg_id)), count};
  for (int64_t i = 0; all.points && i < count; ++i)
    for (int k = 0; k < 4; ++k)
      all.points[4 * i + k] =
          k < first_points ? first->keys[4 * pairs[i].a + k] : second->keys[4 * pairs[i].b + k - first_points];
  return all;
}

/* Sorted by vertex, then face. `points` is NULL if something fails. */
static inline close_pairs vertex_face_pairs(const moving_mesh *mesh) {
  const ipg_search_config config = ipg_search_defaults();
  const ipg_exclusion of_vertices = {.keys = mesh->vertices.keys}, of_faces = {.keys = mesh->faces.keys};
  const ipg_pair *pairs;
  int64_t count;
  ipg_search *search = NULL;
  close_pairs found = {0};
  if (!ipg_search_create(&config, &search, NULL) &&
      !ipg_search_set_boxes(search, mesh->faces.boxes, mesh->faces.count, &of_faces, NULL) &&
      !ipg_search_query_array(search, mesh->vertices.boxes, mesh->vertices.count, &of_vertices, &pairs, &count, NULL))
    found = points_of_pairs(pairs, count, &mesh->vertices, 1, &mesh->faces);
  ipg_search_destroy(&search);
  return found;
}

static inline close_pairs edge_edge_pairs(const moving_mesh *mesh) {
  const ipg_search_config config = ipg_search_defaults();
  const ipg_exclusion of_edges = {.keys = mesh->edges.keys};
  const ipg_pair *pairs;
  int64_t count;
  ipg_search *search = NULL;
  close_pairs found = {0};
  if (!ipg_search_create(&config, &search, NULL) &&
      !ipg_search_set_boxes(search, mesh->edges.boxes, mesh->edges.count, &of_edges, NULL) &&
      !ipg_search_self_array(search, &pairs, &count, NULL))
    found = points_of_pairs(pairs, count, &mesh->edges, 2, &mesh->edges);
  ipg_search_destroy(&search);
  return found;
}

#endif
