/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/meshes.h"

void *meshes_take(int64_t count, size_t item_bytes) {
  void *memory = calloc((size_t)count + 1, item_bytes);
  CU_ASSERT_PTR_NOT_NULL_FATAL(memory);
  return memory;
}

ipg_mesh meshes_box(int nx, int ny, int nz, double x0, const char *name) {
  const double lo[3] = {x0, 0, 0}, hi[3] = {x0 + nx, ny, nz};
  const int n[3] = {nx, ny, nz};
  ipg_mesh mesh;
  CU_ASSERT_EQUAL_FATAL(ipg_mesh_box(lo, hi, n, name, NULL, &mesh, NULL), IPG_OK);
  return mesh;
}

ipg_mesh meshes_ball(int n, const char *name) {
  const double centre[3] = {0.25, -0.5, 8};
  ipg_mesh mesh;
  CU_ASSERT_EQUAL_FATAL(ipg_mesh_ball(centre, 2, n, name, NULL, &mesh, NULL), IPG_OK);
  return mesh;
}

/* ----------------------------------------------------------------------------------------------------- middle nodes */

static const int edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};

static int compare_keys(const void *a, const void *b) {
  const uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
  return (p > q) - (p < q);
}

/* low << 32 | high. */
static uint64_t edge_key(const ipg_id *tet, int edge) {
  const ipg_id a = tet[edges[edge][0]], b = tet[edges[edge][1]];
  return (uint64_t)(a < b ? a : b) << 32 | (uint64_t)(a < b ? b : a);
}

/* The keys of all edges of quadratic blocks, sorted, each once; returns how many. */
static int64_t collect_edges(const ipg_mesh *mesh, uint64_t *keys) {
  int64_t count = 0, kept = 0;
  for (int b = 0; b < mesh->block_count; ++b)
    for (int64_t i = 0; mesh->blocks[b].quadratic && i < mesh->blocks[b].count; ++i)
      for (int k = 0; k < 6; ++k) keys[count++] = edge_key(mesh->tets + 4 * (mesh->blocks[b].first + i), k);
  if (count) qsort(keys, (size_t)count, sizeof *keys, compare_keys);
  for (int64_t i = 0; i < count; ++i)
    if (!i || keys[i] != keys[i - 1]) keys[kept++] = keys[i];
  return kept;
}

/* Appends a node in the middle of each edge. */
static void add_middle_nodes(ipg_mesh *mesh, const uint64_t *keys, int64_t edge_count) {
  const int64_t corners = mesh->node_count;
  mesh->x = realloc(mesh->x, (size_t)(corners + edge_count) * 3 * sizeof(double));
  mesh->node_gids = realloc(mesh->node_gids, (size_t)(corners + edge_count) * sizeof(ipg_gid));
  CU_ASSERT_FATAL(mesh->x && mesh->node_gids);
  for (int64_t i = 0; i < edge_count; ++i) {
    const double *a = mesh->x + 3 * (keys[i] >> 32), *b = mesh->x + 3 * (keys[i] & 0xffffffffu);
    for (int d = 0; d < 3; ++d) mesh->x[3 * (corners + i) + d] = 0.5 * (a[d] + b[d]);
    mesh->node_gids[corners + i] = 1000000 + i;
  }
  mesh->node_count += edge_count;
}

void meshes_add_middles(ipg_mesh *mesh) {
  const int64_t corners = mesh->node_count;
  uint64_t *keys = meshes_take(6 * mesh->element_count, sizeof *keys);
  const int64_t edge_count = collect_edges(mesh, keys);
  add_middle_nodes(mesh, keys, edge_count);
  free(mesh->middles);
  mesh->middles = meshes_take(6 * mesh->element_count, sizeof(ipg_id));
  mesh->quadratic_count = 0;
  for (int b = 0; b < mesh->block_count; ++b) {
    ipg_block *block = &mesh->blocks[b];
    block->first_middle = mesh->quadratic_count;
    block->type[0] = 0;
    for (int64_t i = 0; block->quadratic && i < block->count; ++i, ++mesh->quadratic_count)
      for (int k = 0; k < 6; ++k) {
        const uint64_t key = edge_key(mesh->tets + 4 * (block->first + i), k);
        const uint64_t *found = bsearch(&key, keys, (size_t)edge_count, sizeof key, compare_keys);
        mesh->middles[6 * mesh->quadratic_count + k] = (ipg_id)(corners + (found - keys));
      }
  }
  free(keys);
}

/* ----------------------------------------------------------------------------------------------------- random parts */

static void random_name(rng *r, const char *head, int index, ipg_name name) {
  static const char *const tails[] = {"", "_with_a_tail_longer_than_the_32_letters_of_old_files", " \xc3\xa4/1", ".x"};
  snprintf(name, IPG_NAME_MAX, "%s%d%s", head, index, tails[rng_int(r, 0, 3)]);
}

static double *random_numbers(rng *r, int64_t count) {
  double *numbers = meshes_take(count, sizeof *numbers);
  for (int64_t i = 0; i < count; ++i) numbers[i] = rng_between(r, -1e3, 1e3);
  return numbers;
}

void meshes_add_attributes(rng *r, ipg_block *block) {
  if (!block->count) return;
  block->attribute_count = rng_int(r, 0, 2);
  if (!block->attribute_count) return;
  block->attribute_names = meshes_take(block->attribute_count, sizeof(ipg_name));
  for (int i = 0; i < block->attribute_count; ++i) random_name(r, "attribute", i, block->attribute_names[i]);
  block->attributes = random_numbers(r, block->attribute_count * block->count);
}

void meshes_add_factors(rng *r, ipg_mesh *mesh) {
  for (int i = 0; i < mesh->node_set_count; ++i)
    if (rng_int(r, 0, 1)) {
      mesh->node_sets[i].factor_count = mesh->node_sets[i].count;
      mesh->node_sets[i].factors = random_numbers(r, mesh->node_sets[i].count);
    }
  for (int i = 0; i < mesh->side_set_count; ++i) {
    ipg_side_set *set = &mesh->side_sets[i];
    if (rng_int(r, 0, 1)) continue;
    for (int64_t k = 0; k < set->count; ++k) set->factor_count += ipg_mesh_middles(mesh, set->elements[k]) ? 6 : 3;
    set->factors = random_numbers(r, set->factor_count);
  }
}

int meshes_label_count(const ipg_mesh *mesh, int kind) {
  return kind == IPG_LABEL_BLOCK      ? mesh->block_count
         : kind == IPG_LABEL_NODE_SET ? mesh->node_set_count
                                      : mesh->side_set_count;
}

void meshes_add_properties(rng *r, ipg_mesh *mesh) {
  const int count = rng_int(r, 0, 3);
  free(mesh->properties);
  mesh->properties = meshes_take(count, sizeof(ipg_property));
  mesh->property_count = count;
  for (int i = 0; i < count; ++i) { /* kinds in ascending order, as a file holds them */
    ipg_property *p = &mesh->properties[i];
    p->kind = (ipg_label_kind)(i ? rng_int(r, (int)mesh->properties[i - 1].kind, 2) : rng_int(r, 0, 2));
    snprintf(p->name, sizeof p->name, "property %d", i);
    p->values = meshes_take(meshes_label_count(mesh, (int)p->kind), sizeof(int64_t));
    for (int k = 0; k < meshes_label_count(mesh, (int)p->kind); ++k) p->values[k] = rng_int(r, -1000, 1000);
  }
}

static void add_records(rng *r, ipg_mesh *mesh) {
  static const char *const words[4] = {"program", "1.0", "11/18/26", "12:00:00"};
  free(mesh->qa);
  free(mesh->info);
  mesh->qa_count = rng_int(r, 0, 2);
  mesh->info_count = rng_int(r, 0, 2);
  mesh->qa = meshes_take(mesh->qa_count, sizeof(ipg_qa_record));
  mesh->info = meshes_take(mesh->info_count, sizeof(ipg_info_line));
  for (int i = 0; i < mesh->qa_count; ++i)
    for (int k = 0; k < 4; ++k) snprintf(mesh->qa[i][k], IPG_TYPE_MAX, "%s", words[k]);
  for (int i = 0; i < mesh->info_count; ++i) memset(mesh->info[i], 'a' + i, 80 - 40 * (size_t)i);
  for (int d = 0; d < 3; ++d)
    if (rng_int(r, 0, 1)) snprintf(mesh->axes[d], sizeof mesh->axes[d], "axis %d", d);
}

static ipg_mesh random_body(rng *r, int index) {
  char name[16];
  snprintf(name, sizeof name, "body%d", index);
  return rng_int(r, 0, 1) ? meshes_ball(rng_int(r, 1, 3), name)
                          : meshes_box(rng_int(r, 1, 3), rng_int(r, 1, 3), rng_int(r, 1, 2), index * 10.0, name);
}

ipg_mesh meshes_random(rng *r) {
  ipg_mesh mesh = random_body(r, 0);
  for (int body = rng_int(r, 0, 2); body > 0; --body) {
    ipg_mesh more = random_body(r, body);
    CU_ASSERT_EQUAL_FATAL(ipg_mesh_append(&mesh, &more, NULL), IPG_OK);
    ipg_mesh_destroy(&more);
  }
  if (!rng_int(r, 0, 3)) {
    ipg_block block = {.id = 555, .name = "nothing"};
    const ipg_mesh none = {.block_count = 1, .blocks = &block};
    CU_ASSERT_EQUAL_FATAL(ipg_mesh_append(&mesh, &none, NULL), IPG_OK);
  }
  for (int b = 0; b < mesh.block_count; ++b) mesh.blocks[b].quadratic = rng_int(r, 0, 1);
  meshes_add_middles(&mesh);
  for (int b = 0; b < mesh.block_count; ++b) {
    mesh.blocks[b].id += 10 * rng_int(r, 1, 1000) * (b + 1);
    if (rng_int(r, 0, 1)) snprintf(mesh.blocks[b].type, IPG_TYPE_MAX, mesh.blocks[b].quadratic ? "tetra10" : "TET4");
    meshes_add_attributes(r, &mesh.blocks[b]);
  }
  meshes_add_factors(r, &mesh);
  meshes_add_properties(r, &mesh);
  add_records(r, &mesh);
  for (int64_t i = 0; i < mesh.node_count; ++i) mesh.node_gids[i] = 3 * (mesh.node_count - i) + 7;
  for (int64_t e = 0; e < mesh.element_count; ++e) mesh.element_gids[e] = (e ^ 1024) + 1;
  memset(mesh.title, 't', (size_t)rng_int(r, 0, 80));
  return mesh;
}

/* ------------------------------------------------------------------------------------------------------- comparison */

bool meshes_same(const void *a, const void *b, int64_t count, size_t item_bytes) {
  return !count || !memcmp(a, b, (size_t)count * item_bytes);
}

static bool is_same_block(const ipg_block *a, const ipg_block *b) {
  const char *const type = a->type[0] ? a->type : a->quadratic ? "TETRA10" : "TETRA";
  if (a->id != b->id || strcmp(a->name, b->name) || a->first != b->first || a->count != b->count ||
      (a->count && (a->quadratic != b->quadratic || strcmp(type, b->type))) || a->attribute_count != b->attribute_count)
    return false;
  for (int i = 0; i < a->attribute_count; ++i)
    if (strcmp(a->attribute_names[i], b->attribute_names[i])) return false;
  return meshes_same(a->attributes, b->attributes, a->attribute_count * a->count, sizeof(double));
}

static bool is_same_node_set(const ipg_node_set *a, const ipg_node_set *b) {
  return a->id == b->id && !strcmp(a->name, b->name) && a->count == b->count && a->factor_count == b->factor_count &&
         meshes_same(a->nodes, b->nodes, a->count, sizeof(ipg_id)) &&
         meshes_same(a->factors, b->factors, a->factor_count, sizeof(double));
}

static bool is_same_side_set(const ipg_side_set *a, const ipg_side_set *b) {
  return a->id == b->id && !strcmp(a->name, b->name) && a->count == b->count && a->factor_count == b->factor_count &&
         meshes_same(a->elements, b->elements, a->count, sizeof(ipg_id)) &&
         meshes_same(a->sides, b->sides, a->count, sizeof(ipg_id)) &&
         meshes_same(a->factors, b->factors, a->factor_count, sizeof(double));
}

static bool is_same_extras(const ipg_mesh *a, const ipg_mesh *b) {
  for (int d = 0; d < 3; ++d)
    if (strcmp(a->axes[d], b->axes[d])) return false;
  if (a->property_count != b->property_count || a->qa_count != b->qa_count || a->info_count != b->info_count)
    return false;
  for (int i = 0; i < a->property_count; ++i) {
    const ipg_property *p = &a->properties[i], *q = &b->properties[i];
    if (p->kind != q->kind || strcmp(p->name, q->name) ||
        !meshes_same(p->values, q->values, meshes_label_count(a, (int)p->kind), sizeof(int64_t)))
      return false;
  }
  for (int i = 0; i < 4 * a->qa_count; ++i)
    if (strcmp(a->qa[i / 4][i % 4], b->qa[i / 4][i % 4])) return false;
  for (int i = 0; i < a->info_count; ++i)
    if (strcmp(a->info[i], b->info[i])) return false;
  return true;
}

bool meshes_equal(const ipg_mesh *a, const ipg_mesh *b) {
  if (strcmp(a->title, b->title) || a->node_count != b->node_count || a->element_count != b->element_count ||
      a->quadratic_count != b->quadratic_count || a->block_count != b->block_count ||
      a->node_set_count != b->node_set_count || a->side_set_count != b->side_set_count)
    return false;
  for (int i = 0; i < a->block_count; ++i)
    if (!is_same_block(&a->blocks[i], &b->blocks[i])) return false;
  for (int i = 0; i < a->node_set_count; ++i)
    if (!is_same_node_set(&a->node_sets[i], &b->node_sets[i])) return false;
  for (int i = 0; i < a->side_set_count; ++i)
    if (!is_same_side_set(&a->side_sets[i], &b->side_sets[i])) return false;
  return meshes_same(a->x, b->x, a->node_count, 3 * sizeof(double)) &&
         meshes_same(a->tets, b->tets, a->element_count, 4 * sizeof(ipg_id)) &&
         meshes_same(a->middles, b->middles, a->quadratic_count, 6 * sizeof(ipg_id)) &&
         meshes_same(a->node_gids, b->node_gids, a->node_count, sizeof(ipg_gid)) &&
         meshes_same(a->element_gids, b->element_gids, a->element_count, sizeof(ipg_gid)) && is_same_extras(a, b);
}
