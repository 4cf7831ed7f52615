/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Builds the surface that contact.h takes. Nodes and faces are sorted by gid, not by this process's numbering, so that
 * sums over them are the same however the mesh is partitioned. */
#include "impinge/surface.h"

#include "arrays.h"
#include "mesh_lookup.h"

#include <math.h>
#include <string.h>

/* Scratch of one build: nodes and faces of the skin in the order of their gids. */
typedef struct orders {
  ipg_sorter sorter;
  ipg_buffer keys, nodes, faces, rank_of_node;
  int64_t node_count, face_count;
} orders;

/* Ascends with the gid, negative numbers first. */
static uint64_t make_gid_key(ipg_gid gid) { return (uint64_t)gid ^ (uint64_t)1 << 63; }

/* Sorts the slots of `items` that are in use by gid; in an eroded skin some are empty. *count: how many are in use. */
static ipg_status sort_by_gid(orders *o, ipg_buffer *order, const ipg_gid *gids, const ipg_id *items, int64_t slots,
                              int64_t *count, const ipg_allocator *allocator, ipg_error *error) {
  const ipg_tasks serial = ipg_tasks_serial();
  ipg_status status = ipg_buffer_reserve(&o->keys, allocator, slots, sizeof(uint64_t), error);
  if (!status) status = ipg_buffer_reserve(order, allocator, slots, sizeof(ipg_id), error);
  if (status) return status;
  uint64_t *keys = o->keys.data;
  ipg_id *sorted = order->data;
  *count = 0;
  for (int64_t i = 0; i < slots; ++i) {
    if (items[i] < 0) continue;
    keys[*count] = make_gid_key(gids[items[i]]);
    sorted[(*count)++] = (ipg_id)i;
  }
  return ipg_sort_u64(&o->sorter, keys, sorted, *count, allocator, &serial, error);
}

/* Sorts the faces of each element, which are neighbours by now, by side and sub. In an eroded skin they come in the
 * order in which slots became free. */
static void sort_within_elements(orders *o, const ipg_skin *skin) {
  ipg_id *order = o->faces.data;
  for (int64_t i = 1; i < o->face_count; ++i)
    for (int64_t j = i; j > 0 && skin->elements[order[j]] == skin->elements[order[j - 1]]; --j) {
      const ipg_id here = order[j], before = order[j - 1];
      if (4 * skin->sides[before] + skin->subs[before] < 4 * skin->sides[here] + skin->subs[here]) break;
      order[j] = before, order[j - 1] = here;
    }
}

static ipg_status check_unique_gids(const orders *o, int64_t count, const char *what, ipg_error *error) {
  const uint64_t *keys = o->keys.data;
  for (int64_t i = 1; i < count; ++i)
    if (keys[i] == keys[i - 1])
      return ipg_fail(error, IPG_ERROR_FORMAT, "two %s have the number %lld: renumber them", what,
                      (long long)(ipg_gid)(keys[i] ^ (uint64_t)1 << 63));
  return IPG_OK;
}

static ipg_status sort_nodes_and_faces(orders *o, const ipg_mesh *mesh, const ipg_skin *skin,
                                       const ipg_allocator *allocator, ipg_error *error) {
  ipg_status status =
      sort_by_gid(o, &o->faces, mesh->element_gids, skin->elements, skin->face_count, &o->face_count, allocator, error);
  if (status) return status;
  sort_within_elements(o, skin);
  status = sort_by_gid(o, &o->nodes, mesh->node_gids, skin->nodes, skin->node_count, &o->node_count, allocator, error);
  if (!status) status = check_unique_gids(o, o->node_count, "nodes", error);
  if (!status) status = ipg_buffer_reserve(&o->rank_of_node, allocator, mesh->node_count, sizeof(ipg_id), error);
  return status;
}

static void free_orders(orders *o, const ipg_allocator *allocator) {
  ipg_sorter_destroy(&o->sorter, allocator);
  ipg_buffer_destroy(&o->keys, allocator);
  ipg_buffer_destroy(&o->nodes, allocator);
  ipg_buffer_destroy(&o->faces, allocator);
  ipg_buffer_destroy(&o->rank_of_node, allocator);
}

/* All arrays in one piece of memory, 8-byte ones first. */
typedef struct arrays {
  ipg_gid *node_gids;
  double *node_masses;
  ipg_gid *face_elements;
  ipg_id *mesh_nodes, *faces;
  int32_t *face_bodies, *face_blocks;
  ipg_id *face_opposites;
  uint8_t *face_sides, *face_subs;
} arrays;

static size_t count_bytes(int64_t nodes, int64_t faces) {
  const size_t per_node = sizeof(ipg_gid) + sizeof(double) + sizeof(ipg_id);
  const size_t per_face =
      sizeof(ipg_gid) + 3 * sizeof(ipg_id) + 2 * sizeof(int32_t) + sizeof(ipg_id) + 2 * sizeof(uint8_t);
  return (size_t)nodes * per_node + (size_t)faces * per_face + 1; /* never 0 */
}

static void *take_piece(char **at, int64_t count, size_t item_bytes) {
  char *piece = *at;
  *at += (size_t)count * item_bytes;
  return piece;
}

static arrays divide_memory(void *memory, int64_t nodes, int64_t faces) {
  char *at = memory;
  arrays a;
  a.node_gids = take_piece(&at, nodes, sizeof(ipg_gid));
  a.node_masses = take_piece(&at, nodes, sizeof(double));
  a.face_elements = take_piece(&at, faces, sizeof(ipg_gid));
  a.mesh_nodes = take_piece(&at, nodes, sizeof(ipg_id));
  a.faces = take_piece(&at, 3 * faces, sizeof(ipg_id));
  a.face_bodies = take_piece(&at, faces, sizeof(int32_t));
  a.face_blocks = take_piece(&at, faces, sizeof(int32_t));
  a.face_opposites = take_piece(&at, faces, sizeof(ipg_id));
  a.face_sides = take_piece(&at, faces, sizeof(uint8_t));
  a.face_subs = take_piece(&at, faces, sizeof(uint8_t));
  return a;
}

static void fill_nodes(arrays *a, orders *o, const ipg_mesh *mesh, const ipg_skin *skin, const double *masses) {
  ipg_id *rank_of_node = o->rank_of_node.data;
  const ipg_id *order = o->nodes.data;
  for (int64_t i = 0; i < mesh->node_count; ++i) rank_of_node[i] = -1;
  for (int64_t i = 0; i < o->node_count; ++i) {
    const ipg_id node = skin->nodes[order[i]];
    a->mesh_nodes[i] = node;
    a->node_gids[i] = mesh->node_gids[node];
    a->node_masses[i] = masses[node];
    rank_of_node[node] = (ipg_id)i;
  }
}

static void fill_faces(arrays *a, const orders *o, const ipg_mesh *mesh, const ipg_skin *skin) {
  const ipg_id *rank_of_node = o->rank_of_node.data, *order = o->faces.data;
  for (int64_t i = 0; i < o->face_count; ++i) {
    const int64_t f = order[i];
    for (int k = 0; k < 3; ++k) a->faces[3 * i + k] = rank_of_node[skin->faces[3 * f + k]];
    a->face_elements[i] = mesh->element_gids[skin->elements[f]];
    a->face_sides[i] = (uint8_t)skin->sides[f];
    a->face_subs[i] = (uint8_t)skin->subs[f];
    a->face_bodies[i] = skin->body_of_element[skin->elements[f]];
    a->face_blocks[i] = ipg_mesh_block_of_element(mesh, skin->elements[f]);
    a->face_opposites[i] = rank_of_node[skin->opposite[f]];
  }
}

static ipg_status build_surface(ipg_mesh_surface *s, orders *o, const ipg_mesh *mesh, const ipg_skin *skin,
                                const double *masses, ipg_error *error) {
  const ipg_status status = sort_nodes_and_faces(o, mesh, skin, &s->allocator, error);
  if (status) return status;
  s->memory_bytes = count_bytes(o->node_count, o->face_count);
  s->memory = s->allocator.allocate(s->allocator.context, s->memory_bytes);
  if (!s->memory) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for a surface");
  arrays a = divide_memory(s->memory, o->node_count, o->face_count);
  fill_nodes(&a, o, mesh, skin, masses);
  fill_faces(&a, o, mesh, skin);
  s->mesh_nodes = a.mesh_nodes;
  s->surface = (ipg_surface){.node_count = o->node_count,
                             .face_count = o->face_count,
                             .node_gids = a.node_gids,
                             .node_masses = a.node_masses,
                             .faces = a.faces,
                             .face_elements = a.face_elements,
                             .face_sides = a.face_sides,
                             .face_subs = a.face_subs,
                             .face_bodies = a.face_bodies,
                             .face_blocks = a.face_blocks,
                             .face_opposites = a.face_opposites};
  return IPG_OK;
}

ipg_status ipg_mesh_surface_build(const ipg_mesh *mesh, const ipg_skin *skin, const double *masses,
                                  const ipg_allocator *allocator, ipg_mesh_surface *surface, ipg_error *error) {
  *surface = (ipg_mesh_surface){.allocator = allocator ? *allocator : ipg_allocator_malloc()};
  orders o = {0};
  const ipg_status status = build_surface(surface, &o, mesh, skin, masses, error);
  free_orders(&o, &surface->allocator);
  if (status) ipg_mesh_surface_destroy(surface);
  return status;
}

/* ------------------------------------------------------------------------------------------------------- stiffness */

static double compute_area(const double *x, const ipg_id face[3]) {
  const double *a = x + 3 * (int64_t)face[0], *b = x + 3 * (int64_t)face[1], *c = x + 3 * (int64_t)face[2];
  double sum2 = 0;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double cross = (b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j]);
    sum2 += cross * cross;
  }
  return 0.5 * sqrt(sum2);
}

/* The area of a block's skin, and the volume of the elements directly behind it. One of the four flat triangles of a
 * quadratic side counts an eighth of its element. */
typedef struct layer {
  double area, volume;
} layer;

static void sum_layers(const ipg_mesh *mesh, const ipg_skin *skin, layer *layers) {
  for (int64_t f = 0; f < skin->face_count; ++f) {
    const ipg_id element = skin->elements[f];
    if (element < 0) continue; /* an empty slot of an eroded skin */
    const double volume = ipg_tet_volume(mesh->x, mesh->tets + 4 * (int64_t)element);
    layer *l = &layers[ipg_mesh_block_of_element(mesh, element)];
    l->area += compute_area(mesh->x, skin->faces + 3 * f);
    l->volume += ipg_mesh_middles(mesh, element) ? volume / 8 : volume;
  }
}

static ipg_status check_moduli(const ipg_mesh *mesh, const double *moduli, ipg_error *error) {
  for (int b = 0; b < mesh->block_count; ++b)
    if (!(moduli[b] > 0) || !isfinite(moduli[b]))
      return ipg_fail(error, IPG_ERROR_NUMBER, "block '%s' has the bulk modulus %g; it must be finite and above 0",
                      mesh->blocks[b].name, moduli[b]);
  return IPG_OK;
}

ipg_status ipg_mesh_surface_set_stiffness(ipg_mesh_surface *s, const ipg_mesh *mesh, const ipg_skin *skin,
                                          const double *moduli, ipg_error *error) {
  const int64_t faces = s->surface.face_count, blocks = mesh->block_count;
  const ipg_status status = check_moduli(mesh, moduli, error);
  if (status) return status;
  double *stiffnesses = ipg_allocate_array(&s->allocator, faces, sizeof *stiffnesses, error);
  layer *layers = stiffnesses ? ipg_allocate_array(&s->allocator, blocks, sizeof *layers, error) : NULL;
  if (!layers) {
    ipg_release_array(&s->allocator, stiffnesses, faces, sizeof *stiffnesses);
    return IPG_ERROR_MEMORY;
  }
  sum_layers(mesh, skin, layers);
  for (int64_t f = 0; f < faces; ++f) {
    const int32_t block = s->surface.face_blocks[f];
    stiffnesses[f] = moduli[block] * (layers[block].area / layers[block].volume);
  }
  ipg_release_array(&s->allocator, layers, blocks, sizeof *layers);
  ipg_release_array(&s->allocator, s->face_stiffnesses, faces, sizeof *stiffnesses);
  s->surface.face_stiffnesses = s->face_stiffnesses = stiffnesses;
  return IPG_OK;
}

void ipg_mesh_surface_destroy(ipg_mesh_surface *s) {
  ipg_release_array(&s->allocator, s->face_stiffnesses, s->surface.face_count, sizeof *s->face_stiffnesses);
  if (s->memory) s->allocator.release(s->allocator.context, s->memory, s->memory_bytes);
  *s = (ipg_mesh_surface){0};
}

void ipg_mesh_surface_gather(const ipg_mesh_surface *s, const double *mesh_values, double *values) {
  for (int64_t i = 0; i < s->surface.node_count; ++i)
    for (int k = 0; k < 3; ++k) values[3 * i + k] = mesh_values[3 * (int64_t)s->mesh_nodes[i] + k];
}

void ipg_mesh_surface_add(const ipg_mesh_surface *s, const double *values, double *mesh_values) {
  for (int64_t i = 0; i < s->surface.node_count; ++i)
    for (int k = 0; k < 3; ++k) mesh_values[3 * (int64_t)s->mesh_nodes[i] + k] += values[3 * i + k];
}
