/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Nodes and elements are compared by stable radix sorts: nodes by z, y, x; elements by the positions of their corners.
 * Equal entries are then adjacent, lowest number first.
 *
 * Bodies are compared by partition refinement: all start with the same label; every class of equal elements gives new
 * labels to the bodies that have an element of that class, one new label per old label. Bodies with the same final
 * label are made of the same elements. The work is linear in the size of the mesh. */
#include "duplicate_nodes.h"

#include <stdlib.h>
#include <string.h>

typedef struct search {
  const ipg_mesh *mesh;
  ipg_allocator allocator;
  ipg_tasks tasks;
  ipg_sorter sorter;
  uint64_t *keys;
  ipg_id *order;           /* nodes, then elements, sorted */
  ipg_id *original_node;   /* of a node: the lowest node with the same coordinates */
  ipg_id *class_of;        /* of an element: the lowest element over the same positions */
  ipg_id *label, *renamed; /* label of a body; new label of an old one, valid for the class in `renamed_in` */
  ipg_id *renamed_in;
  ipg_error *error;
} search;

static void count_duplicate(duplicate_count *kind, ipg_id original, ipg_id duplicate) {
  if (!kind->count++ || duplicate < kind->first[1]) kind->first[0] = original, kind->first[1] = duplicate;
}

static void reset_order(search *s, int64_t count) {
  for (int64_t i = 0; i < count; i++) s->order[i] = (ipg_id)i;
}

static ipg_status sort_order(search *s, int64_t count) {
  return ipg_sort_u64(&s->sorter, s->keys, s->order, count, &s->allocator, &s->tasks, s->error);
}

/* ---------------------------------------------------------------------------------------------------------- nodes */

/* 0 and -0 get the same key. */
static uint64_t make_sort_key(double x) {
  uint64_t bits;
  x += 0.0;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static bool are_at_same_position(const ipg_mesh *mesh, ipg_id a, ipg_id b) {
  const double *p = mesh->x + 3 * (int64_t)a, *q = mesh->x + 3 * (int64_t)b;
  return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

static ipg_status find_duplicate_nodes(search *s, duplicate_count *nodes) {
  const ipg_mesh *mesh = s->mesh;
  ipg_status status = IPG_OK;
  reset_order(s, mesh->node_count);
  for (int k = 2; !status && k >= 0; k--) {
    for (int64_t i = 0; i < mesh->node_count; i++) s->keys[i] = make_sort_key(mesh->x[3 * (int64_t)s->order[i] + k]);
    status = sort_order(s, mesh->node_count);
  }
  for (int64_t i = 0; !status && i < mesh->node_count; i++) {
    ipg_id node = s->order[i], before = i ? s->order[i - 1] : node;
    bool duplicate = i && are_at_same_position(mesh, before, node);
    s->original_node[node] = duplicate ? s->original_node[before] : node;
    if (duplicate) count_duplicate(nodes, s->original_node[node], node);
  }
  return status;
}

/* ------------------------------------------------------------------------------------------------------- elements */

static void swap_if_larger(ipg_id *a, ipg_id *b) {
  ipg_id low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
  *a = low, *b = high;
}

/* The original nodes of the corners in ascending order, packed into two keys. */
static void make_corner_keys(const search *s, ipg_id element, uint64_t keys[2]) {
  ipg_id p[4];
  for (int k = 0; k < 4; k++) p[k] = s->original_node[s->mesh->tets[4 * (int64_t)element + k]];
  swap_if_larger(&p[0], &p[1]), swap_if_larger(&p[2], &p[3]);
  swap_if_larger(&p[0], &p[2]), swap_if_larger(&p[1], &p[3]);
  swap_if_larger(&p[1], &p[2]);
  keys[0] = (uint64_t)p[0] << 32 | (uint32_t)p[1];
  keys[1] = (uint64_t)p[2] << 32 | (uint32_t)p[3];
}

static bool are_equal(const search *s, ipg_id a, ipg_id b) {
  uint64_t of_a[2], of_b[2];
  make_corner_keys(s, a, of_a);
  make_corner_keys(s, b, of_b);
  return of_a[0] == of_b[0] && of_a[1] == of_b[1];
}

static ipg_status find_duplicate_elements(search *s, duplicate_count *elements) {
  int64_t count = s->mesh->element_count;
  ipg_status status = IPG_OK;
  reset_order(s, count);
  for (int k = 1; !status && k >= 0; k--) {
    for (int64_t i = 0; i < count; i++) {
      uint64_t keys[2];
      make_corner_keys(s, s->order[i], keys);
      s->keys[i] = keys[k];
    }
    status = sort_order(s, count);
  }
  for (int64_t i = 0; !status && i < count; i++) {
    ipg_id element = s->order[i], before = i ? s->order[i - 1] : element;
    bool duplicate = i && are_equal(s, before, element);
    s->class_of[element] = duplicate ? s->class_of[before] : element;
    if (duplicate) count_duplicate(elements, s->class_of[element], element);
  }
  return status;
}

/* --------------------------------------------------------------------------------------------------------- bodies */

/* Goes through the elements in sorted order, so that each class is one contiguous range. */
static void refine_labels(search *s, const ipg_skin *skin) {
  ipg_id next = 1;
  for (int64_t i = 0; i <= s->mesh->element_count; i++) s->renamed_in[i] = -1;
  for (int64_t i = 0; i < s->mesh->element_count; i++) {
    ipg_id element = s->order[i], class = s->class_of[element];
    ipg_id *label = &s->label[skin->body_of_element[element]];
    if (s->renamed_in[*label] != class) s->renamed_in[*label] = class, s->renamed[*label] = next++;
    *label = s->renamed[*label];
  }
}

static void find_duplicate_bodies(search *s, const ipg_skin *skin, duplicate_count *bodies) {
  ipg_id *body_of_label = s->renamed;
  refine_labels(s, skin);
  for (int64_t i = 0; i <= s->mesh->element_count; i++) body_of_label[i] = -1;
  for (ipg_id body = 0; body < skin->body_count; body++) {
    ipg_id *original = &body_of_label[s->label[body]];
    if (*original < 0) *original = body;
    else count_duplicate(bodies, *original, body);
  }
}

/* --------------------------------------------------------------------------------------------------------- driver */

static ipg_status allocate_search(search *s, const ipg_skin *skin) {
  size_t nodes = (size_t)s->mesh->node_count, elements = (size_t)s->mesh->element_count;
  size_t most = (nodes > elements ? nodes : elements) + 1, bodies = skin ? (size_t)skin->body_count + 1 : 1;
  s->keys = malloc(most * sizeof *s->keys);
  s->order = malloc(most * sizeof *s->order);
  s->original_node = malloc((nodes + 1) * sizeof *s->original_node);
  s->class_of = malloc((elements + 1) * sizeof *s->class_of);
  s->label = calloc(bodies, sizeof *s->label);
  s->renamed = malloc((elements + 1) * sizeof *s->renamed);
  s->renamed_in = malloc((elements + 1) * sizeof *s->renamed_in);
  if (s->keys && s->order && s->original_node && s->class_of && s->label && s->renamed && s->renamed_in) return IPG_OK;
  return ipg_fail(s->error, IPG_ERROR_MEMORY, "out of memory while looking for duplicate nodes and elements");
}

static void free_search(search *s) {
  ipg_sorter_destroy(&s->sorter, &s->allocator);
  free(s->keys);
  free(s->order);
  free(s->original_node);
  free(s->class_of);
  free(s->label);
  free(s->renamed);
  free(s->renamed_in);
}

ipg_status find_duplicates(const ipg_mesh *mesh, const ipg_skin *skin, duplicates *found, ipg_error *error) {
  search s = {.mesh = mesh, .allocator = ipg_allocator_malloc(), .tasks = ipg_tasks_serial(), .error = error};
  *found = (duplicates){0};
  ipg_status status = allocate_search(&s, skin);
  if (!status) status = find_duplicate_nodes(&s, &found->nodes);
  if (!status) status = find_duplicate_elements(&s, &found->elements);
  if (!status && found->elements.count && skin) find_duplicate_bodies(&s, skin, &found->bodies);
  free_search(&s);
  return status;
}
