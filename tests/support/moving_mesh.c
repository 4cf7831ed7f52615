/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/moving_mesh.h"

void moving_mesh_free(moving_mesh *mesh) {
  const elements *all[3] = {&mesh->vertices, &mesh->edges, &mesh->faces};
  for (int i = 0; i < 3; ++i) free(all[i]->boxes), free(all[i]->keys);
  ply_free(&mesh->frames[0]), ply_free(&mesh->frames[1]);
  *mesh = (moving_mesh){0};
}

/* ------------------------------------------------------------------------------------------------------------ boxes */

/* Zeroed. */
static elements new_elements(int64_t count) {
  return (elements){calloc((size_t)count, sizeof(ipg_box)), calloc(4 * (size_t)count, sizeof(ipg_id)), count};
}

static void include_point(ipg_box *box, const double x[3]) {
  for (int k = 0; k < 3; ++k) box->lo[k] = fmin(box->lo[k], x[k]), box->hi[k] = fmax(box->hi[k], x[k]);
}

/* The swept box and the keys of one element. */
static void put_element(elements *to, int64_t at, const ply frames[2], const int32_t *vertices, int count) {
  ipg_box *box = &to->boxes[at];
  for (int k = 0; k < 3; ++k) box->lo[k] = INFINITY, box->hi[k] = -INFINITY;
  for (int i = 0; i < 4; ++i) to->keys[4 * at + i] = i < count ? vertices[i] : -1;
  for (int i = 0; i < 2 * count; ++i) include_point(box, frames[i % 2].vertices + 3 * (int64_t)vertices[i / 2]);
}

static int compare_edges(const void *p, const void *q) {
  const uint64_t a = *(const uint64_t *)p, b = *(const uint64_t *)q;
  return (a > b) - (a < b);
}

/* All edges of all faces, once each, as larger << 32 | smaller; returns how many. */
static int64_t collect_edges(const ply *mesh, uint64_t *edges) {
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

static void make_edges(elements *to, const ply frames[2]) {
  uint64_t *edges = calloc(3 * (size_t)frames->face_count, sizeof *edges);
  *to = new_elements(collect_edges(&frames[0], edges));
  for (int64_t i = 0; i < to->count; ++i)
    put_element(to, i, frames, (int32_t[2]){(int32_t)(edges[i] & INT32_MAX), (int32_t)(edges[i] >> 32)}, 2);
  free(edges);
}

void moving_mesh_make(moving_mesh *mesh) {
  const ply *frames = mesh->frames;
  mesh->vertices = new_elements(frames->vertex_count);
  mesh->faces = new_elements(frames->face_count);
  for (int32_t i = 0; i < frames->vertex_count; ++i) put_element(&mesh->vertices, i, frames, &i, 1);
  for (int64_t i = 0; i < frames->face_count; ++i) put_element(&mesh->faces, i, frames, frames->faces + 3 * i, 3);
  make_edges(&mesh->edges, frames);
}

const char *moving_mesh_read(const char *data, const char *name, const int numbers[2], char path[4096],
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

static close_pairs points_of_pairs(const ipg_pair *pairs, int64_t count, const elements *first, int first_points,
                                   const elements *second) {
  close_pairs all = {calloc(4 * (size_t)count + 1, sizeof(ipg_id)), count};
  for (int64_t i = 0; all.points && i < count; ++i)
    for (int k = 0; k < 4; ++k)
      all.points[4 * i + k] =
          k < first_points ? first->keys[4 * pairs[i].a + k] : second->keys[4 * pairs[i].b + k - first_points];
  return all;
}

close_pairs vertex_face_pairs(const moving_mesh *mesh) {
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

close_pairs edge_edge_pairs(const moving_mesh *mesh) {
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
