/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Updates a skin when elements are deleted.
 *
 * Every slot (4 * element + side) has a link: to the slot on its other side, or, complemented, to its first face on the
 * skin; the faces of a quadratic side form a chain. So a deletion reads the sides of the deleted elements and nothing
 * else. A node is on the skin as long as a face uses it; one that loses its last face and gets a new one in the same
 * call keeps its slot.
 * Invariant: a call first counts what will change and reserves memory for it; from then on nothing can fail. Removed
 * and added faces and nodes pass through heaps, so they are processed in ascending order, and the order of the caller's
 * list does not matter. */
#include "arrays.h"
#include "match_faces.h"
#include "min_heap.h"
#include "skin_faces.h"

#include <string.h>

typedef struct id_list {
  ipg_buffer ids; /* ipg_id */
  int64_t count;
} id_list;

struct ipg_erosion {
  const ipg_mesh *mesh;
  ipg_allocator allocator;
  ipg_skin skin; /* points into the buffers below */
  ipg_buffer faces, elements, sides, subs, opposite;
  ipg_buffer siblings; /* ipg_id per face: the next one of its side, or -1 */
  ipg_id *links;       /* 4 per element; those of a deleted element have no meaning */
  uint8_t *deleted;    /* 1 per element */
  ipg_id *uses;        /* 1 per mesh node: faces that have it */
  ipg_id *node_slots;  /* 1 per mesh node: its slot, or -1 */
  ipg_min_heap free_faces, free_nodes;
  ipg_min_heap lost_faces, exposed_sides, lost_nodes, exposed_nodes; /* empty between calls */
  id_list removed_faces, added_faces, removed_nodes, added_nodes;
};

/* ----------------------------------------------------------------------------------------------------------- create */

/* Memory for `count` face slots in all, and for the case that all of them are free. */
static ipg_status reserve_face_slots(ipg_erosion *e, int64_t count, ipg_error *error) {
  const ipg_allocator *a = &e->allocator;
  const int64_t keep = e->skin.face_count;
  ipg_status status = ipg_buffer_grow(&e->faces, a, keep, count, 3 * sizeof(ipg_id), error);
  if (!status) status = ipg_buffer_grow(&e->elements, a, keep, count, sizeof(ipg_id), error);
  if (!status) status = ipg_buffer_grow(&e->sides, a, keep, count, sizeof(ipg_id), error);
  if (!status) status = ipg_buffer_grow(&e->subs, a, keep, count, sizeof(ipg_id), error);
  if (!status) status = ipg_buffer_grow(&e->opposite, a, keep, count, sizeof(ipg_id), error);
  if (!status) status = ipg_buffer_grow(&e->siblings, a, keep, count, sizeof(ipg_id), error);
  if (!status) status = ipg_min_heap_reserve(&e->free_faces, a, count - e->free_faces.count, error);
  e->skin.faces = e->faces.data;
  e->skin.elements = e->elements.data;
  e->skin.sides = e->sides.data;
  e->skin.subs = e->subs.data;
  e->skin.opposite = e->opposite.data;
  return status;
}

/* A skin has no more nodes than its mesh, so the arrays of nodes never grow. */
static ipg_status allocate_arrays(ipg_erosion *e, ipg_error *error) {
  const ipg_allocator *a = &e->allocator;
  const int64_t nodes = e->mesh->node_count, elements = e->mesh->element_count;
  if ((e->skin.nodes = ipg_allocate_array(a, nodes, sizeof(ipg_id), error)) &&
      (e->uses = ipg_allocate_array(a, nodes, sizeof(ipg_id), error)) &&
      (e->node_slots = ipg_allocate_array(a, nodes, sizeof(ipg_id), error)) &&
      (e->skin.body_of_element = ipg_allocate_array(a, elements, sizeof(ipg_id), error)) &&
      (e->links = ipg_allocate_array(a, elements, 4 * sizeof(ipg_id), error)) &&
      (e->deleted = ipg_allocate_array(a, elements, sizeof(uint8_t), error)))
    return ipg_min_heap_reserve(&e->free_nodes, a, nodes, error);
  return IPG_ERROR_MEMORY;
}

static void copy_ids(ipg_id *to, const ipg_id *from, int64_t count) {
  if (count) memcpy(to, from, (size_t)count * sizeof *to);
}

static void copy_skin(ipg_erosion *e, const ipg_skin *skin) {
  copy_ids(e->skin.faces, skin->faces, 3 * skin->face_count);
  copy_ids(e->skin.elements, skin->elements, skin->face_count);
  copy_ids(e->skin.sides, skin->sides, skin->face_count);
  copy_ids(e->skin.subs, skin->subs, skin->face_count);
  copy_ids(e->skin.opposite, skin->opposite, skin->face_count);
  copy_ids(e->skin.nodes, skin->nodes, skin->node_count);
  copy_ids(e->skin.body_of_element, skin->body_of_element, skin->element_count);
  e->skin.face_count = skin->face_count;
  e->skin.node_count = skin->node_count;
  e->skin.body_count = skin->body_count;
}

static void count_node_uses(ipg_erosion *e) {
  for (int64_t node = 0; node < e->mesh->node_count; ++node) e->node_slots[node] = -1;
  for (int64_t i = 0; i < e->skin.node_count; ++i) e->node_slots[e->skin.nodes[i]] = (ipg_id)i;
  for (int64_t i = 0; i < 3 * e->skin.face_count; ++i) e->uses[e->skin.faces[i]]++;
}

/* Links the sides on the skin to their faces, which follow each other in the skin. False unless exactly the sides
 * without a partner (link -1) have faces. */
static bool link_faces(ipg_erosion *e) {
  const ipg_skin *s = &e->skin;
  ipg_id *siblings = e->siblings.data;
  int64_t open = 0, linked = 0;
  for (int64_t slot = 0; slot < 4 * e->mesh->element_count; ++slot) open += e->links[slot] < 0;
  for (int64_t f = 0; f < s->face_count; ++f) {
    const int64_t slot = 4 * (int64_t)s->elements[f] + s->sides[f];
    const bool is_last = f + 1 == s->face_count || s->subs[f + 1] == 0;
    siblings[f] = is_last ? -1 : (ipg_id)(f + 1);
    if (s->subs[f]) continue;
    if (e->links[slot] != -1) return false;
    e->links[slot] = ~(ipg_id)f;
    ++linked;
  }
  return linked == open;
}

static bool is_skin_of_mesh(const ipg_skin *skin, const ipg_mesh *mesh) {
  if (skin->element_count != mesh->element_count || skin->node_count > mesh->node_count) return false;
  for (int64_t f = 0; f < skin->face_count; ++f)
    if (skin->elements[f] < 0 || skin->elements[f] >= mesh->element_count) return false;
  return true;
}

static ipg_status report_wrong_skin(ipg_error *error) {
  return ipg_fail(error, IPG_ERROR_ARGUMENT, "the skin is not that of the mesh: build it from the mesh as it is now");
}

static ipg_status fill_erosion(ipg_erosion *e, const ipg_skin *skin, const ipg_tasks *tasks, ipg_error *error) {
  const ipg_tasks serial = ipg_tasks_serial();
  if (!is_skin_of_mesh(skin, e->mesh)) return report_wrong_skin(error);
  ipg_status status = allocate_arrays(e, error);
  if (!status) status = reserve_face_slots(e, skin->face_count, error);
  if (!status) status = ipg_match_faces(e->mesh, &e->allocator, tasks ? tasks : &serial, NULL, e->links, error);
  if (status) return status;
  copy_skin(e, skin);
  count_node_uses(e);
  return link_faces(e) ? IPG_OK : report_wrong_skin(error);
}

ipg_status ipg_erosion_create(const ipg_mesh *mesh, const ipg_skin *skin, const ipg_tasks *tasks, ipg_erosion **erosion,
                              ipg_error *error) {
  if (!erosion) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_erosion_create needs a pointer for the object");
  *erosion = NULL;
  if (!mesh || !skin) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_erosion_create needs a mesh and its skin");
  const ipg_allocator allocator = ipg_choose_allocator(&skin->allocator);
  ipg_erosion *e = ipg_allocate_array(&allocator, 1, sizeof *e, error);
  if (!e) return IPG_ERROR_MEMORY;
  *e = (ipg_erosion){.mesh = mesh, .allocator = allocator, .skin = {.element_count = mesh->element_count}};
  const ipg_status status = fill_erosion(e, skin, tasks, error);
  *erosion = e;
  if (status) ipg_erosion_destroy(erosion);
  return status;
}

void ipg_erosion_destroy(ipg_erosion **erosion) {
  ipg_erosion *e = erosion ? *erosion : NULL;
  if (!e) return;
  const ipg_allocator a = e->allocator;
  const int64_t nodes = e->mesh->node_count, elements = e->mesh->element_count;
  ipg_buffer *const buffers[] = {&e->faces,
                                 &e->elements,
                                 &e->sides,
                                 &e->subs,
                                 &e->opposite,
                                 &e->siblings,
                                 &e->free_faces.ids,
                                 &e->free_nodes.ids,
                                 &e->lost_faces.ids,
                                 &e->exposed_sides.ids,
                                 &e->lost_nodes.ids,
                                 &e->exposed_nodes.ids,
                                 &e->removed_faces.ids,
                                 &e->added_faces.ids,
                                 &e->removed_nodes.ids,
                                 &e->added_nodes.ids};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) ipg_buffer_destroy(buffers[i], &a);
  ipg_release_array(&a, e->skin.nodes, nodes, sizeof(ipg_id));
  ipg_release_array(&a, e->uses, nodes, sizeof(ipg_id));
  ipg_release_array(&a, e->node_slots, nodes, sizeof(ipg_id));
  ipg_release_array(&a, e->skin.body_of_element, elements, sizeof(ipg_id));
  ipg_release_array(&a, e->links, elements, 4 * sizeof(ipg_id));
  ipg_release_array(&a, e->deleted, elements, sizeof(uint8_t));
  ipg_release_array(&a, e, 1, sizeof *e);
  *erosion = NULL;
}

const ipg_skin *ipg_erosion_skin(const ipg_erosion *erosion) { return &erosion->skin; }

/* ---------------------------------------------------------------------------------------- delete: checks and memory */

static ipg_status check_element(const ipg_erosion *e, ipg_id element, ipg_error *error) {
  if (element < 0 || element >= e->mesh->element_count)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "element %d cannot be deleted: the mesh has elements 0 to %lld", element,
                    (long long)e->mesh->element_count - 1);
  if (e->deleted[element])
    return ipg_fail(error, IPG_ERROR_ARGUMENT,
                    "element %lld is deleted already, or comes twice: name every element once",
                    (long long)e->mesh->element_gids[element]);
  return IPG_OK;
}

static void unmark_deleted(ipg_erosion *e, const ipg_id *elements, int64_t count) {
  for (int64_t i = 0; i < count; ++i) e->deleted[elements[i]] = 0;
}

static ipg_status mark_deleted(ipg_erosion *e, const ipg_id *elements, int64_t count, ipg_error *error) {
  for (int64_t i = 0; i < count; ++i) {
    const ipg_status status = check_element(e, elements[i], error);
    if (status) {
      unmark_deleted(e, elements, i);
      return status;
    }
    e->deleted[elements[i]] = 1;
  }
  return IPG_OK;
}

typedef struct change_counts {
  int64_t removed_faces, exposed_sides, added_faces;
} change_counts;

/* A side and its partner have the same number of triangles. */
static change_counts count_changes(const ipg_erosion *e, const ipg_id *elements, int64_t count) {
  change_counts x = {0, 0, 0};
  for (int64_t i = 0; i < count; ++i) {
    const int subs = ipg_triangles_per_side(e->mesh, elements[i]);
    for (int side = 0; side < 4; ++side) {
      const ipg_id link = e->links[4 * (int64_t)elements[i] + side];
      if (link < 0) x.removed_faces += subs;
      else if (!e->deleted[link / 4]) x.exposed_sides++, x.added_faces += subs;
    }
  }
  return x;
}

static ipg_status reserve_list(ipg_erosion *e, id_list *list, int64_t count, ipg_error *error) {
  return ipg_buffer_reserve(&list->ids, &e->allocator, count, sizeof(ipg_id), error);
}

static ipg_status reserve_faces(ipg_erosion *e, const change_counts *x, ipg_error *error) {
  const int64_t fresh = x->added_faces - x->removed_faces - e->free_faces.count;
  const int64_t faces = e->skin.face_count + (fresh > 0 ? fresh : 0);
  if (faces > IPG_ID_MAX)
    return ipg_fail(error, IPG_ERROR_TOO_MANY,
                    "the skin would have %lld triangles: at most %lld are possible: make the mesh coarser",
                    (long long)faces, (long long)IPG_ID_MAX);
  ipg_status status = reserve_face_slots(e, faces, error);
  if (!status) status = ipg_min_heap_reserve(&e->lost_faces, &e->allocator, x->removed_faces, error);
  if (!status) status = ipg_min_heap_reserve(&e->exposed_sides, &e->allocator, x->exposed_sides, error);
  if (!status) status = reserve_list(e, &e->removed_faces, x->removed_faces, error);
  return status ? status : reserve_list(e, &e->added_faces, x->added_faces, error);
}

static ipg_status reserve_nodes(ipg_erosion *e, const change_counts *x, ipg_error *error) {
  ipg_status status = ipg_min_heap_reserve(&e->lost_nodes, &e->allocator, 3 * x->removed_faces, error);
  if (!status) status = ipg_min_heap_reserve(&e->exposed_nodes, &e->allocator, 3 * x->added_faces, error);
  if (!status) status = reserve_list(e, &e->removed_nodes, 3 * x->removed_faces, error);
  return status ? status : reserve_list(e, &e->added_nodes, 3 * x->added_faces, error);
}

/* ----------------------------------------------------------------------------------------------- delete: the update */

static void append_id(id_list *list, ipg_id id) { ((ipg_id *)list->ids.data)[list->count++] = id; }

static void collect_sides(ipg_erosion *e, const ipg_id *elements, int64_t count) {
  const ipg_id *siblings = e->siblings.data;
  for (int64_t i = 0; i < 4 * count; ++i) {
    const ipg_id link = e->links[4 * (int64_t)elements[i / 4] + i % 4];
    if (link >= 0 && !e->deleted[link / 4]) ipg_min_heap_push(&e->exposed_sides, link);
    if (link >= 0) continue;
    for (ipg_id face = ~link; face >= 0; face = siblings[face]) ipg_min_heap_push(&e->lost_faces, face);
  }
}

static void remove_faces(ipg_erosion *e) {
  while (e->lost_faces.count) {
    const ipg_id face = ipg_min_heap_pop(&e->lost_faces), *nodes = e->skin.faces + 3 * (int64_t)face;
    for (int i = 0; i < 3; ++i)
      if (--e->uses[nodes[i]] == 0) ipg_min_heap_push(&e->lost_nodes, e->node_slots[nodes[i]]);
    e->skin.elements[face] = -1;
    ipg_min_heap_push(&e->free_faces, face);
    append_id(&e->removed_faces, face);
  }
}

static ipg_id add_face(ipg_erosion *e, int64_t slot, int sub) {
  const ipg_id face = e->free_faces.count ? ipg_min_heap_pop(&e->free_faces) : (ipg_id)e->skin.face_count++;
  const ipg_id *nodes = e->skin.faces + 3 * (int64_t)face;
  ipg_skin_write_face(&e->skin, face, e->mesh, slot, sub);
  for (int i = 0; i < 3; ++i)
    if (e->uses[nodes[i]]++ == 0 && e->node_slots[nodes[i]] < 0) ipg_min_heap_push(&e->exposed_nodes, nodes[i]);
  append_id(&e->added_faces, face);
  return face;
}

static void add_sides(ipg_erosion *e) {
  ipg_id *siblings = e->siblings.data;
  while (e->exposed_sides.count) {
    const int64_t slot = ipg_min_heap_pop(&e->exposed_sides);
    ipg_id *link = &e->links[slot]; /* where the index of the next face is stored */
    const int subs = ipg_triangles_per_side(e->mesh, slot / 4);
    for (int sub = 0; sub < subs; ++sub) {
      const ipg_id face = add_face(e, slot, sub);
      *link = sub ? face : ~face;
      link = &siblings[face];
    }
    *link = -1;
  }
}

static void remove_nodes(ipg_erosion *e) {
  while (e->lost_nodes.count) {
    const ipg_id slot = ipg_min_heap_pop(&e->lost_nodes), node = e->skin.nodes[slot];
    if (e->uses[node]) continue;
    e->skin.nodes[slot] = e->node_slots[node] = -1;
    ipg_min_heap_push(&e->free_nodes, slot);
    append_id(&e->removed_nodes, slot);
  }
}

static void add_nodes(ipg_erosion *e) {
  while (e->exposed_nodes.count) {
    const ipg_id node = ipg_min_heap_pop(&e->exposed_nodes);
    const ipg_id slot = e->free_nodes.count ? ipg_min_heap_pop(&e->free_nodes) : (ipg_id)e->skin.node_count++;
    e->skin.nodes[slot] = node;
    e->node_slots[node] = slot;
    append_id(&e->added_nodes, slot);
  }
}

static void update_skin(ipg_erosion *e, const ipg_id *elements, int64_t count) {
  e->removed_faces.count = e->added_faces.count = e->removed_nodes.count = e->added_nodes.count = 0;
  collect_sides(e, elements, count);
  remove_faces(e);
  add_sides(e);
  remove_nodes(e);
  add_nodes(e);
}

ipg_status ipg_erosion_delete(ipg_erosion *erosion, const ipg_id *elements, int64_t count, ipg_erosion_change *change,
                              ipg_error *error) {
  ipg_erosion *e = erosion;
  if (!e || !change || count < 0 || (count && !elements))
    return ipg_fail(error, IPG_ERROR_ARGUMENT,
                    "ipg_erosion_delete needs an object, elements and a struct for the change");
  *change = (ipg_erosion_change){0};
  ipg_status status = mark_deleted(e, elements, count, error);
  if (status) return status;
  const change_counts x = count_changes(e, elements, count);
  status = reserve_faces(e, &x, error);
  if (!status) status = reserve_nodes(e, &x, error);
  if (status) {
    unmark_deleted(e, elements, count);
    return status;
  }
  update_skin(e, elements, count);
  *change = (ipg_erosion_change){.removed_face_count = e->removed_faces.count,
                                 .added_face_count = e->added_faces.count,
                                 .removed_node_count = e->removed_nodes.count,
                                 .added_node_count = e->added_nodes.count,
                                 .removed_faces = e->removed_faces.ids.data,
                                 .added_faces = e->added_faces.ids.data,
                                 .removed_nodes = e->removed_nodes.ids.data,
                                 .added_nodes = e->added_nodes.ids.data};
  return IPG_OK;
}
