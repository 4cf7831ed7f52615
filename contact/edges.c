/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The edges of the surface: found once by sorting the sides of all faces, then boxed and searched as faces are. */
#include "edges.h"
#include "support/box.h"

/* ------------------------------------------------------------------------------------------------------- who they are
 */

static uint64_t side_key(ipg_id a, ipg_id b) {
  return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

static void list_sides(const ipg_surface *s, uint64_t *keys, ipg_id *faces) {
  for (int64_t i = 0; i < 3 * s->face_count; ++i) {
    keys[i] = side_key(s->faces[i], s->faces[i % 3 == 2 ? i - 2 : i + 1]);
    faces[i] = (ipg_id)(i / 3);
  }
}

static int64_t count_edges(const uint64_t *keys, int64_t side_count) {
  int64_t count = 0;
  for (int64_t i = 0; i < side_count; ++i) count += i == 0 || keys[i] != keys[i - 1];
  return count;
}

/* Sides with the same nodes are one edge. */
static void fill_edges(ipg_contact *c, const uint64_t *keys, const ipg_id *side_faces) {
  ipg_id *nodes = c->buffers[EDGE_NODES].data, *faces = c->buffers[EDGE_FACES].data;
  const int64_t side_count = 3 * c->surface.face_count;
  for (int64_t first = 0, end; first < side_count; first = end) {
    for (end = first + 1; end < side_count && keys[end] == keys[first];) ++end;
    *nodes++ = (ipg_id)(keys[first] >> 32), *nodes++ = (ipg_id)(keys[first] & UINT32_MAX);
    *faces++ = side_faces[first], *faces++ = end > first + 1 ? side_faces[first + 1] : -1;
  }
}

/* A tetrahedron's number, behind those of all nodes, is that of its first face. */
static ipg_id element_key(const ipg_surface *s, ipg_id face) {
  while (face > 0 && s->face_elements[face - 1] == s->face_elements[face]) --face;
  return face < 0 ? -1 : (ipg_id)(s->node_count + face);
}

static void fill_keys(ipg_contact *c) {
  ipg_id *keys = c->buffers[EDGE_KEYS].data;
  for (ipg_id e = 0; e < c->edge_count; ++e)
    for (int i = 0; i < 2; ++i) {
      *keys++ = ipg_edge_nodes(c, e)[i];
      *keys++ = element_key(&c->surface, ipg_edge_faces(c, e)[i]);
    }
}

static ipg_status reserve(ipg_contact *c, ipg_error *error) {
  const ipg_allocator *a = &c->config.allocator;
  const int64_t edges = c->edge_count;
  ipg_status status = ipg_buffer_reserve(&c->buffers[EDGE_NODES], a, 2 * edges, sizeof(ipg_id), error);
  if (!status) status = ipg_buffer_reserve(&c->buffers[EDGE_FACES], a, 2 * edges, sizeof(ipg_id), error);
  if (!status) status = ipg_buffer_reserve(&c->buffers[EDGE_KEYS], a, 4 * edges, sizeof(ipg_id), error);
  if (!status) status = ipg_buffer_reserve(&c->buffers[EDGE_BOXES], a, edges, sizeof(ipg_box), error);
  if (!status) status = ipg_buffer_reserve(&c->buffers[NODE_EDGES], a, 2 * edges, sizeof(ipg_id), error);
  if (!status)
    status = ipg_buffer_reserve(&c->buffers[NODE_EDGES_FIRST], a, c->surface.node_count + 1, sizeof(int64_t), error);
  return status;
}

static ipg_status refuse_too_many(const ipg_surface *s, ipg_error *error) {
  if (s->node_count + s->face_count < IPG_ID_MAX && 3 * s->face_count < IPG_ID_MAX) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_TOO_MANY, "the surface has more edges than 32-bit ids can name: leave edges out");
}

ipg_status ipg_contact_find_edges(ipg_contact *c, ipg_error *error) {
  const ipg_allocator *a = &c->config.allocator;
  const int64_t sides = 3 * c->surface.face_count;
  ipg_buffer keys = {0}, faces = {0};
  ipg_sorter sorter = {0};
  ipg_status status = refuse_too_many(&c->surface, error);
  if (!status) status = ipg_buffer_reserve(&keys, a, sides, sizeof(uint64_t), error);
  if (!status) status = ipg_buffer_reserve(&faces, a, sides, sizeof(ipg_id), error);
  if (!status) {
    list_sides(&c->surface, keys.data, faces.data);
    status = ipg_sort_u64(&sorter, keys.data, faces.data, sides, a, &c->config.tasks, error);
  }
  if (!status) {
    c->edge_count = (ipg_id)count_edges(keys.data, sides);
    status = reserve(c, error);
  }
  if (!status) {
    fill_edges(c, keys.data, faces.data);
    fill_keys(c);
    ipg_list_by_node(c->buffers[EDGE_NODES].data, 2, c->edge_count, c->surface.node_count,
                     c->buffers[NODE_EDGES_FIRST].data, c->buffers[NODE_EDGES].data);
  }
  ipg_buffer_destroy(&keys, a), ipg_buffer_destroy(&faces, a), ipg_sorter_destroy(&sorter, a);
  return status;
}

ipg_id ipg_find_edge(const ipg_contact *c, ipg_id a, ipg_id b) {
  if (a < 0 || b < 0 || !c->edge_count) return -1;
  const int64_t *first = c->buffers[NODE_EDGES_FIRST].data;
  const ipg_id *edges = c->buffers[NODE_EDGES].data;
  for (int64_t i = first[a]; i < first[a + 1]; ++i)
    if (ipg_edge_nodes(c, edges[i])[0] == b || ipg_edge_nodes(c, edges[i])[1] == b) return edges[i];
  return -1;
}

bool ipg_edges_are_kin(const ipg_contact *c, ipg_id a, ipg_id b) {
  const ipg_id *keys_a = (const ipg_id *)c->buffers[EDGE_KEYS].data + 4 * (int64_t)a;
  const ipg_id *keys_b = (const ipg_id *)c->buffers[EDGE_KEYS].data + 4 * (int64_t)b;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 4; ++k)
      if (keys_a[i] >= 0 && keys_a[i] == keys_b[k]) return true;
  return false;
}

/* --------------------------------------------------------------------------------------------------------- the search
 */

static void capture(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  ipg_contact *c = arg;
  const ipg_box *node_boxes = c->buffers[NODE_BOXES].data;
  ipg_box *boxes = c->buffers[EDGE_BOXES].data;
  for (int64_t e = begin; e < end; ++e) {
    const ipg_id *nodes = ipg_edge_nodes(c, (ipg_id)e);
    boxes[e] = node_boxes[nodes[0]];
    ipg_box_include(&boxes[e], &node_boxes[nodes[1]]);
    ipg_contact_widen(&boxes[e], 0.5 * ipg_contact_reach_of_edge(c, (ipg_id)e)); /* the other edge brings as much */
  }
}

ipg_status ipg_contact_search_edges(ipg_contact *c, ipg_error *error) {
  const ipg_exclusion keys = {.keys = c->buffers[EDGE_KEYS].data};
  const ipg_box *boxes = c->buffers[EDGE_BOXES].data;
  ipg_tasks_for(&c->config.tasks, capture, c, 0, c->edge_count, IPG_CAPTURE_GRAIN);
  ipg_status status = c->edges_are_set ? ipg_search_move_boxes(c->edge_search, boxes, c->edge_count, error)
                                       : ipg_search_set_boxes(c->edge_search, boxes, c->edge_count, &keys, error);
  c->edges_are_set = !status;
  if (status) return status;
  return ipg_search_self_array(c->edge_search, &c->edges.pairs, &c->edges.count, error);
}
