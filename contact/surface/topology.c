/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Faces, body and block of each node; finding nodes and faces by their global numbers. */
#include "surface/topology.h"

#include "surface/face_geometry.h"
#include "surface/list_by_node.h"

void ipg_list_by_node(const ipg_id *nodes, int per_item, int64_t item_count, int64_t node_count, int64_t *first,
                      ipg_id *items) {
  const int64_t corners = per_item * item_count;
  for (int64_t i = 0; i <= node_count; ++i) first[i] = 0;
  for (int64_t i = 0; i < corners; ++i) first[nodes[i] + 1]++;
  for (int64_t i = 0; i < node_count; ++i) first[i + 1] += first[i];
  for (int64_t i = 0; i < corners; ++i) items[first[nodes[i]]++] = (ipg_id)(i / per_item);
  for (int64_t i = node_count; i > 0; --i) first[i] = first[i - 1]; /* filling moved each start to its end */
  if (node_count) first[0] = 0;
}

static void fill_bodies_and_blocks(ipg_topology *t, const ipg_surface *s) {
  for (ipg_id i = 0; i < s->node_count; ++i) {
    const ipg_id_range faces = ipg_faces_of_node(t, i);
    const bool is_bare = faces.begin == faces.end;
    t->node_bodies.at[i] = is_bare ? 0 : s->face_bodies[*faces.begin];
    t->node_blocks.at[i] = is_bare || !s->face_blocks ? 0 : s->face_blocks[*faces.begin];
  }
}

/* One more than the largest number; 1 without numbers. */
static int count_numbers(const int32_t *numbers, int64_t count) {
  int32_t last = 0;
  for (int64_t f = 0; numbers && f < count; ++f)
    if (numbers[f] > last) last = numbers[f];
  return last + 1;
}

ipg_status ipg_topology_build(ipg_topology *t, const ipg_surface *s, const ipg_allocator *a, ipg_error *error) {
  ipg_status status = ipg_array_reserve(&t->node_faces_first, a, s->node_count + 1, error);
  if (!status) status = ipg_array_reserve(&t->node_faces, a, 3 * s->face_count, error);
  if (!status) status = ipg_array_reserve(&t->node_bodies, a, s->node_count, error);
  if (!status) status = ipg_array_reserve(&t->node_blocks, a, s->node_count, error);
  if (status) return status;
  t->body_count = count_numbers(s->face_bodies, s->face_count);
  t->block_count = count_numbers(s->face_blocks, s->face_count);
  ipg_list_by_node(s->faces, 3, s->face_count, s->node_count, t->node_faces_first.at, t->node_faces.at);
  fill_bodies_and_blocks(t, s);
  return IPG_OK;
}

void ipg_topology_destroy(ipg_topology *t, const ipg_allocator *a) {
  ipg_array_destroy(&t->node_faces_first, a);
  ipg_array_destroy(&t->node_faces, a);
  ipg_array_destroy(&t->node_bodies, a);
  ipg_array_destroy(&t->node_blocks, a);
}

ipg_id ipg_find_node(const ipg_surface *s, ipg_gid gid) {
  int64_t low = 0, high = s->node_count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (s->node_gids[middle] < gid) low = middle + 1;
    else high = middle;
  }
  return low < s->node_count && s->node_gids[low] == gid ? (ipg_id)low : -1;
}

ipg_id ipg_find_face(const ipg_surface *s, ipg_contact_face_id id) {
  int64_t low = 0, high = s->face_count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (s->face_elements[middle] < id.element) low = middle + 1;
    else high = middle;
  }
  for (; low < s->face_count && s->face_elements[low] == id.element; ++low)
    if (s->face_sides[low] == id.side && (s->face_subs ? s->face_subs[low] : 0) == id.sub) return (ipg_id)low;
  return -1;
}

vec ipg_node_normal(const ipg_topology *t, const ipg_surface *s, const double *x, ipg_id node) {
  const ipg_id_range faces = ipg_faces_of_node(t, node);
  vec sum = {0, 0, 0};
  for (const ipg_id *face = faces.begin; face < faces.end; ++face)
    sum = vec_add(sum, ipg_face_area_vector(s, x, *face));
  return vec_unit(sum);
}
