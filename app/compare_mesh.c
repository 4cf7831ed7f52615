/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Compares two meshes: first the headers of all blocks and sets, then the arrays of the tetrahedra.
 *
 * Every array gives at most one line: the number of entries that differ, and the first or the worst of them. Arrays of
 * different length are not compared entry by entry, since the difference in length was printed. Blocks and sets have
 * their names in A. */
#include "compare.h"

#include <string.h>

static int min_of_two(int a, int b) { return a < b ? a : b; }

static void compare_counts(compare *c, const char *what, const char *name, int64_t a, int64_t b) {
  if (a != b)
    compare_print_difference(c, "%s%s%s: %lld and %lld", what, *name ? " " : "", name, (long long)a, (long long)b);
}

static void compare_words(compare *c, const char *what, const char *name, const char *a, const char *b) {
  if (strcmp(a, b) != 0) compare_print_difference(c, "%s%s%s: '%s' and '%s'", what, *name ? " " : "", name, a, b);
}

/* -------------------------------------------------------------------------------------------------------- headers */

static void compare_sizes(compare *c) {
  const ipg_contents *a = c->a.contents, *b = c->b.contents;
  compare_counts(c, "nodes", "", a->node_count, b->node_count);
  compare_counts(c, "elements", "", a->element_count, b->element_count);
  compare_counts(c, "blocks", "", a->block_count, b->block_count);
  compare_counts(c, "node sets", "", a->node_set_count, b->node_set_count);
  compare_counts(c, "side sets", "", a->side_set_count, b->side_set_count);
  for (int k = 0; k < 3; k++) compare_words(c, "name of an axis", "", c->a.mesh.axes[k], c->b.mesh.axes[k]);
}

static void compare_block_headers(compare *c) {
  const ipg_contents *a = c->a.contents, *b = c->b.contents;
  for (int i = 0; i < min_of_two(a->block_count, b->block_count); i++) {
    const ipg_contents_block *of_a = &a->blocks[i], *of_b = &b->blocks[i];
    const char *name = of_a->name;
    compare_words(c, "name of block", name, name, of_b->name);
    compare_counts(c, "id of block", name, of_a->id, of_b->id);
    compare_words(c, "element type of block", name, of_a->type, of_b->type);
    compare_counts(c, "elements of block", name, of_a->count, of_b->count);
    compare_counts(c, "nodes per element of block", name, of_a->nodes_per_element, of_b->nodes_per_element);
    compare_counts(c, "attributes of block", name, of_a->attribute_count, of_b->attribute_count);
  }
}

static void compare_set_headers(compare *c, const char *kind, const ipg_contents_set *a, const ipg_contents_set *b,
                                int count) {
  char what[32];
  for (int i = 0; i < count; i++) {
    snprintf(what, sizeof what, "name of %s", kind);
    compare_words(c, what, a[i].name, a[i].name, b[i].name);
    snprintf(what, sizeof what, "id of %s", kind);
    compare_counts(c, what, a[i].name, a[i].id, b[i].id);
    snprintf(what, sizeof what, "entries of %s", kind);
    compare_counts(c, what, a[i].name, a[i].count, b[i].count);
    snprintf(what, sizeof what, "factors of %s", kind);
    compare_counts(c, what, a[i].name, a[i].factor_count, b[i].factor_count);
  }
}

static void compare_headers(compare *c) {
  const ipg_contents *a = c->a.contents, *b = c->b.contents;
  compare_sizes(c);
  compare_block_headers(c);
  compare_set_headers(c, "node set", a->node_sets, b->node_sets, min_of_two(a->node_set_count, b->node_set_count));
  compare_set_headers(c, "side set", a->side_sets, b->side_sets, min_of_two(a->side_set_count, b->side_set_count));
}

/* ----------------------------------------------------------------------------------------------- nodes and elements */

static void compare_numbers(compare *c, const char *what, const ipg_gid *a, const ipg_gid *b, int64_t count) {
  int64_t differ = 0, first = -1;
  for (int64_t i = count - 1; i >= 0; i--)
    if (a[i] != b[i]) differ++, first = i;
  if (differ)
    compare_print_difference(c, "%s: %lld differ, first at position %lld: %lld and %lld", what, (long long)differ,
                             (long long)first + 1, (long long)a[first], (long long)b[first]);
}

static void compare_coordinates(compare *c) {
  char pair[COMPARE_PAIR_BYTES];
  compare_worst worst = {0};
  const ipg_mesh *a = &c->a.mesh;
  compare_values(c, &worst, a->x, c->b.mesh.x, 3 * a->node_count, 0, 0);
  if (!worst.count) return;
  compare_format_pair(worst.a, worst.b, pair);
  compare_print_difference(c, "coordinates: %lld differ, most by %.3g, at node %lld, %c: %s", (long long)worst.count,
                           worst.size, (long long)a->node_gids[worst.index / 3], "xyz"[worst.index % 3], pair);
}

static bool same_nodes(const ipg_mesh *a, const ipg_mesh *b, int64_t element) {
  const ipg_id *of_a = ipg_mesh_middles(a, element), *of_b = ipg_mesh_middles(b, element);
  if (memcmp(a->tets + 4 * element, b->tets + 4 * element, 4 * sizeof *a->tets) != 0 || !of_a != !of_b) return false;
  return !of_a || memcmp(of_a, of_b, 6 * sizeof *of_a) == 0;
}

static void compare_connectivity(compare *c) {
  const ipg_mesh *a = &c->a.mesh, *b = &c->b.mesh;
  int64_t differ = 0, first = -1;
  for (int64_t e = a->element_count - 1; e >= 0; e--)
    if (!same_nodes(a, b, e)) differ++, first = e;
  if (differ)
    compare_print_difference(c, "nodes of elements: those of %lld differ, first element %lld", (long long)differ,
                             (long long)a->element_gids[first]);
}

static void compare_nodes_and_elements(compare *c) {
  const ipg_mesh *a = &c->a.mesh, *b = &c->b.mesh;
  if (a->node_count == b->node_count) {
    compare_numbers(c, "numbers of nodes", a->node_gids, b->node_gids, a->node_count);
    compare_coordinates(c);
  }
  if (a->element_count == b->element_count) {
    compare_numbers(c, "numbers of elements", a->element_gids, b->element_gids, a->element_count);
    compare_connectivity(c);
  }
}

/* ------------------------------------------------------------------------------------------------- blocks and sets */

static void compare_attribute(compare *c, const ipg_block *a, const ipg_block *b, int attribute) {
  char pair[COMPARE_PAIR_BYTES];
  compare_worst worst = {0};
  int count = a->attribute_count;
  for (int64_t i = 0; i < a->count; i++)
    compare_values(c, &worst, a->attributes + i * count + attribute, b->attributes + i * count + attribute, 1, i, 0);
  if (!worst.count) return;
  compare_format_pair(worst.a, worst.b, pair);
  compare_print_difference(c, "attribute %d of block %s: %lld differ, most by %.3g, at element %lld: %s", attribute + 1,
                           a->name, (long long)worst.count, worst.size,
                           (long long)c->a.mesh.element_gids[a->first + worst.index], pair);
}

static void compare_blocks(compare *c) {
  if (c->a.mesh.block_count != c->b.mesh.block_count) return;
  for (int i = 0; i < c->a.mesh.block_count; i++) {
    const ipg_block *a = &c->a.mesh.blocks[i], *b = &c->b.mesh.blocks[i];
    if (a->attribute_count != b->attribute_count || a->count != b->count) continue;
    for (int k = 0; k < a->attribute_count; k++) {
      compare_words(c, "name of an attribute of block", a->name, a->attribute_names[k], b->attribute_names[k]);
      compare_attribute(c, a, b, k);
    }
  }
}

static void compare_entries(compare *c, const char *what, const char *name, const ipg_id *a, const ipg_id *b,
                            int64_t count) {
  int64_t differ = 0, first = -1;
  for (int64_t i = count - 1; i >= 0; i--)
    if (a[i] != b[i]) differ++, first = i;
  if (differ)
    compare_print_difference(c, "%s %s: %lld differ, first at position %lld", what, name, (long long)differ,
                             (long long)first + 1);
}

static void compare_factors(compare *c, const char *what, const char *name, const double *a, const double *b,
                            int64_t count) {
  char pair[COMPARE_PAIR_BYTES];
  compare_worst worst = {0};
  compare_values(c, &worst, a, b, count, 1, 0);
  if (!worst.count) return;
  compare_format_pair(worst.a, worst.b, pair);
  compare_print_difference(c, "%s %s: %lld differ, most by %.3g, at position %lld: %s", what, name,
                           (long long)worst.count, worst.size, (long long)worst.index, pair);
}

static void compare_node_sets(compare *c) {
  for (int i = 0; i < min_of_two(c->a.mesh.node_set_count, c->b.mesh.node_set_count); i++) {
    const ipg_node_set *a = &c->a.mesh.node_sets[i], *b = &c->b.mesh.node_sets[i];
    if (a->count == b->count) compare_entries(c, "nodes of node set", a->name, a->nodes, b->nodes, a->count);
    if (a->factor_count == b->factor_count)
      compare_factors(c, "factors of node set", a->name, a->factors, b->factors, a->factor_count);
  }
}

static void compare_side_sets(compare *c) {
  for (int i = 0; i < min_of_two(c->a.mesh.side_set_count, c->b.mesh.side_set_count); i++) {
    const ipg_side_set *a = &c->a.mesh.side_sets[i], *b = &c->b.mesh.side_sets[i];
    if (a->count == b->count) {
      compare_entries(c, "elements of side set", a->name, a->elements, b->elements, a->count);
      compare_entries(c, "sides of side set", a->name, a->sides, b->sides, a->count);
    }
    if (a->factor_count == b->factor_count)
      compare_factors(c, "factors of side set", a->name, a->factors, b->factors, a->factor_count);
  }
}

/* ----------------------------------------------------------------------------------------------------- properties */

static const char *const kinds[IPG_LABEL_KIND_COUNT] = {"blocks", "node sets", "side sets"};

static int count_owners(const ipg_mesh *mesh, ipg_label_kind kind) {
  const int counts[IPG_LABEL_KIND_COUNT] = {mesh->block_count, mesh->node_set_count, mesh->side_set_count};
  return counts[kind];
}

static const ipg_property *find_property(const ipg_mesh *mesh, const ipg_property *like) {
  for (int i = 0; i < mesh->property_count; i++)
    if (mesh->properties[i].kind == like->kind && strcmp(mesh->properties[i].name, like->name) == 0)
      return &mesh->properties[i];
  return NULL;
}

static void compare_property(compare *c, const ipg_property *a, const ipg_property *b) {
  int count = count_owners(&c->a.mesh, a->kind);
  if (count != count_owners(&c->b.mesh, a->kind)) return;
  for (int i = 0; i < count; i++)
    if (a->values[i] != b->values[i]) {
      compare_print_difference(c, "property %s of %s, position %d: %lld and %lld", a->name, kinds[a->kind], i + 1,
                               (long long)a->values[i], (long long)b->values[i]);
      return;
    }
}

/* Compares every property of A with the one of the same name in B; a property of only one file is a difference. */
static void compare_properties(compare *c) {
  for (int i = 0; i < c->a.mesh.property_count; i++) {
    const ipg_property *a = &c->a.mesh.properties[i], *b = find_property(&c->b.mesh, a);
    if (b) compare_property(c, a, b);
    else compare_print_difference(c, "property %s of %s: only in %s", a->name, kinds[a->kind], c->a.path);
  }
  for (int i = 0; i < c->b.mesh.property_count; i++) {
    const ipg_property *b = &c->b.mesh.properties[i];
    if (!find_property(&c->a.mesh, b))
      compare_print_difference(c, "property %s of %s: only in %s", b->name, kinds[b->kind], c->b.path);
  }
}

void compare_meshes(compare *c) {
  compare_headers(c);
  compare_nodes_and_elements(c);
  compare_blocks(c);
  compare_node_sets(c);
  compare_side_sets(c);
  compare_properties(c);
}
