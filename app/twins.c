/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Twins by stable radix sorts: nodes by z, y, x; elements by the places of their corners. What is equal then stands
 * together, lowest first.
 *
 * Bodies are told apart by refinement: all begin with one label, and every class of equal elements gives the bodies
 * that have such an element a new label, the same for the same old one. Bodies that keep one label to the end are made
 * of the same elements. The work grows with the mesh alone, whatever is in it. */
#include "twins.h"

#include <stdlib.h>
#include <string.h>

typedef struct search {
  const ipg_mesh *mesh;
  ipg_allocator allocator;
  ipg_tasks tasks;
  ipg_sorter sorter;
  uint64_t *keys;
  ipg_id *order;           /* nodes, then elements, sorted */
  ipg_id *place;           /* of a node: the lowest node that stands where it stands */
  ipg_id *class_of;        /* of an element: the lowest element over the same places */
  ipg_id *label, *renamed; /* of a body; of a label in the class that `renamed_in` tells */
  ipg_id *renamed_in;
  ipg_error *error;
} search;

static void count_twin(twins_kind *kind, ipg_id lowest, ipg_id twin) {
  if (!kind->count++ || twin < kind->first[1]) kind->first[0] = lowest, kind->first[1] = twin;
}

static void start_order(search *s, int64_t count) {
  for (int64_t i = 0; i < count; i++) s->order[i] = (ipg_id)i;
}

static ipg_status sort(search *s, int64_t count) {
  return ipg_sort_u64(&s->sorter, s->keys, s->order, count, &s->allocator, &s->tasks, s->error);
}

/* ---------------------------------------------------------------------------------------------------------- nodes */

/* The same for 0 and -0. */
static uint64_t bits_of(double x) {
  uint64_t bits;
  x += 0.0;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static bool stand_together(const ipg_mesh *mesh, ipg_id a, ipg_id b) {
  const double *p = mesh->x + 3 * (int64_t)a, *q = mesh->x + 3 * (int64_t)b;
  return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

static ipg_status find_places(search *s, twins_kind *nodes) {
  const ipg_mesh *mesh = s->mesh;
  ipg_status status = IPG_OK;
  start_order(s, mesh->node_count);
  for (int k = 2; !status && k >= 0; k--) {
    for (int64_t i = 0; i < mesh->node_count; i++) s->keys[i] = bits_of(mesh->x[3 * (int64_t)s->order[i] + k]);
    status = sort(s, mesh->node_count);
  }
  for (int64_t i = 0; !status && i < mesh->node_count; i++) {
    ipg_id node = s->order[i], before = i ? s->order[i - 1] : node;
    bool twin = i && stand_together(mesh, before, node);
    s->place[node] = twin ? s->place[before] : node;
    if (twin) count_twin(nodes, s->place[node], node);
  }
  return status;
}

/* ------------------------------------------------------------------------------------------------------- elements */

static void swap_if_larger(ipg_id *a, ipg_id *b) {
  ipg_id low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
  *a = low, *b = high;
}

/* The places of the corners in ascending order, as two keys. */
static void corner_keys(const search *s, ipg_id element, uint64_t keys[2]) {
  ipg_id p[4];
  for (int k = 0; k < 4; k++) p[k] = s->place[s->mesh->tets[4 * (int64_t)element + k]];
  swap_if_larger(&p[0], &p[1]), swap_if_larger(&p[2], &p[3]);
  swap_if_larger(&p[0], &p[2]), swap_if_larger(&p[1], &p[3]);
  swap_if_larger(&p[1], &p[2]);
  keys[0] = (uint64_t)p[0] << 32 | (uint32_t)p[1];
  keys[1] = (uint64_t)p[2] << 32 | (uint32_t)p[3];
}

static bool are_equal(const search *s, ipg_id a, ipg_id b) {
  uint64_t of_a[2], of_b[2];
  corner_keys(s, a, of_a);
  corner_keys(s, b, of_b);
  return of_a[0] == of_b[0] && of_a[1] == of_b[1];
}

static ipg_status find_classes(search *s, twins_kind *elements) {
  int64_t count = s->mesh->element_count;
  ipg_status status = IPG_OK;
  start_order(s, count);
  for (int k = 1; !status && k >= 0; k--) {
    for (int64_t i = 0; i < count; i++) {
      uint64_t keys[2];
      corner_keys(s, s->order[i], keys);
      s->keys[i] = keys[k];
    }
    status = sort(s, count);
  }
  for (int64_t i = 0; !status && i < count; i++) {
    ipg_id element = s->order[i], before = i ? s->order[i - 1] : element;
    bool twin = i && are_equal(s, before, element);
    s->class_of[element] = twin ? s->class_of[before] : element;
    if (twin) count_twin(elements, s->class_of[element], element);
  }
  return status;
}

/* --------------------------------------------------------------------------------------------------------- bodies */

/* Elements in the sorted order, so that each class is passed once. */
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

static void find_bodies(search *s, const ipg_skin *skin, twins_kind *bodies) {
  ipg_id *lowest = s->renamed;
  refine_labels(s, skin);
  for (int64_t i = 0; i <= s->mesh->element_count; i++) lowest[i] = -1;
  for (ipg_id body = 0; body < skin->body_count; body++) {
    ipg_id *first = &lowest[s->label[body]];
    if (*first < 0) *first = body;
    else count_twin(bodies, *first, body);
  }
}

/* --------------------------------------------------------------------------------------------------------- driver */

static ipg_status allocate(search *s, const ipg_skin *skin) {
  size_t nodes = (size_t)s->mesh->node_count, elements = (size_t)s->mesh->element_count;
  size_t most = (nodes > elements ? nodes : elements) + 1, bodies = skin ? (size_t)skin->body_count + 1 : 1;
  s->keys = malloc(most * sizeof *s->keys);
  s->order = malloc(most * sizeof *s->order);
  s->place = malloc((nodes + 1) * sizeof *s->place);
  s->class_of = malloc((elements + 1) * sizeof *s->class_of);
  s->label = calloc(bodies, sizeof *s->label);
  s->renamed = malloc((elements + 1) * sizeof *s->renamed);
  s->renamed_in = malloc((elements + 1) * sizeof *s->renamed_in);
  if (s->keys && s->order && s->place && s->class_of && s->label && s->renamed && s->renamed_in) return IPG_OK;
  return ipg_fail(s->error, IPG_ERROR_MEMORY, "no memory to look for what stands in one place");
}

static void release(search *s) {
  ipg_sorter_destroy(&s->sorter, &s->allocator);
  free(s->keys);
  free(s->order);
  free(s->place);
  free(s->class_of);
  free(s->label);
  free(s->renamed);
  free(s->renamed_in);
}

ipg_status twins_find(const ipg_mesh *mesh, const ipg_skin *skin, twins *found, ipg_error *error) {
  search s = {.mesh = mesh, .allocator = ipg_allocator_malloc(), .tasks = ipg_tasks_serial(), .error = error};
  *found = (twins){0};
  ipg_status status = allocate(&s, skin);
  if (!status) status = find_places(&s, &found->nodes);
  if (!status) status = find_classes(&s, &found->elements);
  if (!status && found->elements.count && skin) find_bodies(&s, skin, &found->bodies);
  release(&s);
  return status;
}
