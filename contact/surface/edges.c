/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The edges of the surface: found once, by sorting the sides of all faces. */
#include "surface/list_by_node.h"
#include "surface/topology.h"

static uint64_t key_of_side(ipg_id a, ipg_id b) {
  return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

static void list_sides(const ipg_surface *s, uint64_t *keys, ipg_id *faces) {
  for (int64_t i = 0; i < 3 * s->face_count; ++i) {
    keys[i] = key_of_side(s->faces[i], s->faces[i % 3 == 2 ? i - 2 : i + 1]);
    faces[i] = (ipg_id)(i / 3);
  }
}

static int64_t count_edges(const uint64_t *keys, int64_t side_count) {
  int64_t count = 0;
  for (int64_t i = 0; i < side_count; ++i) count += i == 0 || keys[i] != keys[i - 1];
  return count;
}

/* Sides with the same nodes are one edge. */
static void fill_edges(ipg_topology *t, int64_t side_count, const uint64_t *keys, const ipg_id *side_faces) {
  ipg_id *nodes = t->edge_nodes.at, *faces = t->edge_faces.at;
  for (int64_t first = 0, end; first < side_count; first = end) {
    for (end = first + 1; end < side_count && keys[end] == keys[first];) ++end;
    *nodes++ = (ipg_id)(keys[first] >> 32), *nodes++ = (ipg_id)(keys[first] & UINT32_MAX);
    *faces++ = side_faces[first], *faces++ = end > first + 1 ? side_faces[first + 1] : -1;
  }
}

/* The number of a tetrahedron, after those of all nodes, is that of its first face. */
static ipg_id key_of_element(const ipg_surface *s, ipg_id face) {
  while (face > 0 && s->face_elements[face - 1] == s->face_elements[face]) --face;
  return face < 0 ? -1 : (ipg_id)(s->node_count + face);
}

static void fill_keys(ipg_topology *t, const ipg_surface *s) {
  ipg_id *keys = t->edge_keys.at;
  for (ipg_id e = 0; e < t->edge_count; ++e)
    for (int i = 0; i < 2; ++i) {
      *keys++ = ipg_edge_nodes(t, e)[i];
      *keys++ = key_of_element(s, ipg_edge_faces(t, e)[i]);
    }
}

static ipg_status reserve_edges(ipg_topology *t, int64_t node_count, const ipg_allocator *a, ipg_error *error) {
  const int64_t edges = t->edge_count;
  ipg_status status = ipg_array_reserve(&t->edge_nodes, a, 2 * edges, error);
  if (!status) status = ipg_array_reserve(&t->edge_faces, a, 2 * edges, error);
  if (!status) status = ipg_array_reserve(&t->edge_keys, a, 4 * edges, error);
  if (!status) status = ipg_array_reserve(&t->node_edges, a, 2 * edges, error);
  if (!status) status = ipg_array_reserve(&t->node_edges_first, a, node_count + 1, error);
  return status;
}

static ipg_status refuse_too_many_edges(const ipg_surface *s, ipg_error *error) {
  if (s->node_count + s->face_count < IPG_ID_MAX && 3 * s->face_count < IPG_ID_MAX) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_TOO_MANY, "the surface has more edges than 32-bit ids can name: leave edges out");
}

ipg_status ipg_topology_add_edges(ipg_topology *t, const ipg_surface *s, const ipg_allocator *a, const ipg_tasks *tasks,
                                  ipg_error *error) {
  const int64_t sides = 3 * s->face_count;
  IPG_ARRAY(uint64_t) keys = {0};
  IPG_ARRAY(ipg_id) faces = {0};
  ipg_sorter sorter = {0};
  ipg_status status = refuse_too_many_edges(s, error);
  if (!status) status = ipg_array_reserve(&keys, a, sides, error);
  if (!status) status = ipg_array_reserve(&faces, a, sides, error);
  if (!status) {
    list_sides(s, keys.at, faces.at);
    status = ipg_sort_u64(&sorter, keys.at, faces.at, sides, a, tasks, error);
  }
  if (!status) {
    t->edge_count = (ipg_id)count_edges(keys.at, sides);
    status = reserve_edges(t, s->node_count, a, error);
  }
  if (!status) {
    fill_edges(t, sides, keys.at, faces.at);
    fill_keys(t, s);
    ipg_list_by_node(t->edge_nodes.at, 2, t->edge_count, s->node_count, t->node_edges_first.at, t->node_edges.at);
  }
  ipg_array_destroy(&keys, a), ipg_array_destroy(&faces, a), ipg_sorter_destroy(&sorter, a);
  return status;
}

ipg_id ipg_find_edge(const ipg_topology *t, ipg_id a, ipg_id b) {
  if (a < 0 || b < 0 || a == b || !t->edge_count) return -1;
  const ipg_id_range edges = ipg_edges_of_node(t, a);
  for (const ipg_id *edge = edges.begin; edge < edges.end; ++edge)
    if (ipg_edge_nodes(t, *edge)[0] == b || ipg_edge_nodes(t, *edge)[1] == b) return *edge;
  return -1;
}

bool ipg_edges_are_adjacent(const ipg_topology *t, ipg_id a, ipg_id b) {
  const ipg_id *keys_a = t->edge_keys.at + 4 * (int64_t)a, *keys_b = t->edge_keys.at + 4 * (int64_t)b;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 4; ++k)
      if (keys_a[i] >= 0 && keys_a[i] == keys_b[k]) return true;
  return false;
}
