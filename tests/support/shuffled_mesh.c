/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/shuffled_mesh.h"

static const int edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};

void shuffled_mesh_free(shuffled_mesh *w) {
  free(w->mesh.x), free(w->mesh.tets), free(w->mesh.middles), free(w->mesh.node_gids), free(w->mesh.element_gids);
  *w = (shuffled_mesh){0};
}

void *grow_array(void *memory, int64_t count, size_t item_bytes) {
  memory = realloc(memory, (size_t)(count + 1) * item_bytes);
  CU_ASSERT_PTR_NOT_NULL_FATAL(memory);
  return memory;
}

ipg_id *random_order(rng *r, int64_t count) {
  ipg_id *order = grow_array(NULL, count, sizeof *order);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t k = rng_int(r, 0, (int)i);
    order[i] = order[k], order[k] = (ipg_id)i;
  }
  return order;
}

static ipg_mesh some_shape(rng *r) {
  const int n[3] = {rng_int(r, 1, 3), rng_int(r, 1, 3), rng_int(r, 1, 2)};
  ipg_mesh mesh = {0};
  const ipg_status status = rng_int(r, 0, 2)
                                ? ipg_mesh_box((double[]){1, 2, 3}, (double[]){2, 4, 7}, n, "shape", NULL, &mesh, NULL)
                                : ipg_mesh_ball((double[]){-4, 1, 1}, 2, rng_int(r, 1, 2), "shape", NULL, &mesh, NULL);
  CU_ASSERT_EQUAL_FATAL(status, IPG_OK);
  return mesh;
}

ipg_id add_node(ipg_mesh *m, const double x[3]) {
  m->x = grow_array(m->x, 3 * m->node_count + 3, sizeof *m->x);
  memcpy(m->x + 3 * m->node_count, x, 3 * sizeof *x);
  return (ipg_id)m->node_count++;
}

void add_block(shuffled_mesh *w, int64_t first, bool quadratic) {
  ipg_mesh *m = &w->mesh;
  CU_ASSERT_FATAL(m->block_count < SHUFFLED_MESH_BLOCKS);
  ipg_block *block = &w->blocks[m->block_count++];
  *block = (ipg_block){.id = m->block_count, .first = first, .count = m->element_count - first, .quadratic = quadratic};
  snprintf(block->name, sizeof block->name, "block%d", m->block_count);
  if (!quadratic) return;
  block->first_middle = m->quadratic_count;
  m->quadratic_count += block->count;
}

/* The node in the middle of an edge: that of an element from `first` on which has one, or a new node. */
static ipg_id middle_of(ipg_mesh *m, int64_t first, ipg_id a, ipg_id b, int64_t middles_before) {
  for (int64_t i = middles_before; i < 6 * (m->element_count - first) + middles_before; ++i) {
    const ipg_id *tet = m->tets + 4 * (first + (i - middles_before) / 6);
    const int *edge = edges[(i - middles_before) % 6];
    const bool is_it = (tet[edge[0]] == a && tet[edge[1]] == b) || (tet[edge[0]] == b && tet[edge[1]] == a);
    if (is_it && m->middles[i] >= 0) return m->middles[i];
  }
  double x[3];
  for (int k = 0; k < 3; ++k) x[k] = (m->x[3 * (int64_t)a + k] + m->x[3 * (int64_t)b + k]) / 2;
  return add_node(m, x);
}

void add_middles(ipg_mesh *m, int64_t first) {
  const int64_t before = 6 * m->quadratic_count, count = 6 * (m->element_count - first);
  m->middles = grow_array(m->middles, before + count, sizeof *m->middles);
  for (int64_t i = 0; i < count; ++i) m->middles[before + i] = -1;
  for (int64_t i = 0; i < count; ++i) {
    const ipg_id *tet = m->tets + 4 * (first + i / 6);
    m->middles[before + i] = middle_of(m, first, tet[edges[i % 6][0]], tet[edges[i % 6][1]], before);
  }
}

/* The orders of four corners that keep the orientation of an element. */
static const int orders[12][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 0, 3, 2}, {1, 2, 0, 3}, {1, 3, 2, 0},
                                  {2, 0, 1, 3}, {2, 1, 3, 0}, {2, 3, 0, 1}, {3, 0, 2, 1}, {3, 1, 0, 2}, {3, 2, 1, 0}};

/* Some elements of a shape, in random order, as two blocks. */
static void add_shape(shuffled_mesh *w, rng *r, bool quadratic) {
  ipg_mesh shape = some_shape(r), *m = &w->mesh;
  const int keep_of_8 = (const int[]){1, 2, 4, 7, 8, 8}[rng_int(r, 0, 5)];
  const int64_t first = m->element_count, nodes = m->node_count;
  ipg_id *order = random_order(r, shape.element_count);
  for (int64_t i = 0; i < shape.node_count; ++i) add_node(m, shape.x + 3 * i);
  m->tets = grow_array(m->tets, 4 * (m->element_count + shape.element_count), sizeof *m->tets);
  for (int64_t i = 0; i < shape.element_count; ++i) {
    if (rng_int(r, 1, 8) > keep_of_8) continue;
    const int *corners = orders[rng_int(r, 0, 11)];
    for (int c = 0; c < 4; ++c)
      m->tets[4 * m->element_count + c] = (ipg_id)nodes + shape.tets[4 * (int64_t)order[i] + corners[c]];
    m->element_count++;
  }
  if (quadratic) add_middles(m, first);
  const int64_t all = m->element_count;
  m->element_count = first + rng_int(r, 0, (int)(all - first));
  add_block(w, first, quadratic);
  const int64_t second = m->element_count;
  m->element_count = all;
  add_block(w, second, quadratic);
  free(order);
  ipg_mesh_destroy(&shape);
}

void shuffle_nodes(ipg_mesh *m, rng *r) {
  ipg_id *new_index = random_order(r, m->node_count);
  double *x = grow_array(NULL, 3 * m->node_count, sizeof *x);
  for (int64_t i = 0; i < m->node_count; ++i) memcpy(x + 3 * (int64_t)new_index[i], m->x + 3 * i, 3 * sizeof *x);
  for (int64_t i = 0; i < 4 * m->element_count; ++i) m->tets[i] = new_index[m->tets[i]];
  for (int64_t i = 0; i < 6 * m->quadratic_count; ++i) m->middles[i] = new_index[m->middles[i]];
  free(m->x);
  m->x = x;
  free(new_index);
}

void set_ids(shuffled_mesh *w) {
  ipg_mesh *m = &w->mesh;
  m->blocks = w->blocks;
  m->node_gids = grow_array(m->node_gids, m->node_count, sizeof *m->node_gids);
  m->element_gids = grow_array(m->element_gids, m->element_count, sizeof *m->element_gids);
  for (int64_t i = 0; i < m->node_count; ++i) m->node_gids[i] = 3000000 + 2 * i;
  for (int64_t e = 0; e < m->element_count; ++e) m->element_gids[e] = 7000 + 3 * e;
}

void shuffled_mesh_make(shuffled_mesh *w, rng *r, element_kind kind, int most_shapes) {
  *w = (shuffled_mesh){0};
  for (int left = rng_int(r, 1, most_shapes); left; --left)
    add_shape(w, r, kind == BOTH ? rng_int(r, 0, 1) : kind == QUADRATIC);
  if (rng_int(r, 0, 3)) shuffle_nodes(&w->mesh, r);
  set_ids(w);
}

ipg_mesh large_box(rng *r, int n, bool shuffled) {
  ipg_mesh mesh = {0};
  CU_ASSERT_FATAL(!ipg_mesh_box((double[]){0, 0, 0}, (double[]){1, 1, 1}, (int[]){n, n, n}, "box", NULL, &mesh, NULL));
  if (!shuffled) return mesh;
  ipg_id *nodes = random_order(r, mesh.node_count), *elements = random_order(r, mesh.element_count);
  for (int64_t i = 0; i < 4 * mesh.element_count; ++i) mesh.tets[i] = nodes[mesh.tets[i]];
  for (int64_t e = 0; e < mesh.element_count; ++e)
    for (int c = 0; c < 4; ++c) {
      const ipg_id swap = mesh.tets[4 * e + c];
      mesh.tets[4 * e + c] = mesh.tets[4 * (int64_t)elements[e] + c];
      mesh.tets[4 * (int64_t)elements[e] + c] = swap;
    }
  free(nodes);
  free(elements);
  return mesh;
}
