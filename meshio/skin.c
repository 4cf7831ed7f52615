/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The skin (exterior faces) of a mesh: sides that belong to one element only, as flat triangles.
 *
 * match_faces.c finds the slots (4 * element + side) that have no partner. Slots ascend by element and side, so faces
 * are collected in one pass over them: the faces of each chunk are counted first, and then each chunk writes at its own
 * offset.
 * Invariant: the result does not depend on the number of workers. */
#include "arrays.h"
#include "connected_components.h"
#include "match_faces.h"
#include "skin_faces.h"

#include <string.h>

enum { SLOT_GRAIN = 1 << 16 };

typedef struct builder {
  const ipg_mesh *mesh;
  ipg_allocator allocator;
  ipg_tasks tasks;
  ipg_error *error;
  ipg_buffer flags;       /* uint8_t: 1 per slot on the skin; later 1 per node on the skin */
  ipg_buffer first_faces; /* int64_t per chunk of slots: the number of its faces, later the index of the first */
  ipg_skin skin;
} builder;

static ipg_status clear_flags(builder *b, int64_t count) {
  const ipg_status status = ipg_buffer_reserve(&b->flags, &b->allocator, count, 1, b->error);
  if (!status && count) memset(b->flags.data, 0, (size_t)count);
  return status;
}

/* The index of the first flag from `at` on that is set; `end` if there is none. */
static int64_t find_next_flag(const uint8_t *flags, int64_t at, int64_t end) {
  const uint8_t *found = at < end ? memchr(flags + at, 1, (size_t)(end - at)) : NULL;
  return found ? found - flags : end;
}

/* ------------------------------------------------------------------------------------------------------------ faces */

static void count_faces(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const builder *b = arg;
  int64_t count = 0;
  for (int64_t slot = begin; (slot = find_next_flag(b->flags.data, slot, end)) < end; ++slot)
    count += ipg_triangles_per_side(b->mesh, slot / 4);
  ((int64_t *)b->first_faces.data)[begin / SLOT_GRAIN] = count;
}

static void write_faces(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  builder *b = arg;
  int64_t face = ((int64_t *)b->first_faces.data)[begin / SLOT_GRAIN];
  for (int64_t slot = begin; (slot = find_next_flag(b->flags.data, slot, end)) < end; ++slot) {
    const int subs = ipg_triangles_per_side(b->mesh, slot / 4);
    for (int sub = 0; sub < subs; ++sub) ipg_skin_write_face(&b->skin, face++, b->mesh, slot, sub);
  }
}

static ipg_status allocate_faces(builder *b, int64_t count) {
  ipg_skin *s = &b->skin;
  if (count > IPG_ID_MAX)
    return ipg_fail(b->error, IPG_ERROR_TOO_MANY,
                    "the skin has %lld triangles: at most %lld are possible: make the mesh coarser", (long long)count,
                    (long long)IPG_ID_MAX);
  s->face_count = count;
  if ((s->faces = ipg_allocate_array(&s->allocator, count, 3 * sizeof(ipg_id), b->error)) &&
      (s->elements = ipg_allocate_array(&s->allocator, count, sizeof(ipg_id), b->error)) &&
      (s->sides = ipg_allocate_array(&s->allocator, count, sizeof(ipg_id), b->error)) &&
      (s->subs = ipg_allocate_array(&s->allocator, count, sizeof(ipg_id), b->error)) &&
      (s->opposite = ipg_allocate_array(&s->allocator, count, sizeof(ipg_id), b->error)))
    return IPG_OK;
  return IPG_ERROR_MEMORY;
}

static ipg_status find_open_sides(builder *b) {
  ipg_status status = ipg_match_faces_check_counts(b->mesh, b->error);
  if (!status) status = clear_flags(b, 4 * b->mesh->element_count);
  if (status) return status;
  return ipg_match_faces(b->mesh, &b->allocator, &b->tasks, b->flags.data, NULL, b->error);
}

static ipg_status collect_faces(builder *b) {
  const int64_t slots = 4 * b->mesh->element_count, chunks = ipg_chunk_count(slots, SLOT_GRAIN);
  ipg_status status = ipg_buffer_reserve(&b->first_faces, &b->allocator, chunks, sizeof(int64_t), b->error);
  if (status) return status;
  ipg_tasks_for(&b->tasks, count_faces, b, 0, slots, SLOT_GRAIN);
  status = allocate_faces(b, ipg_prefix_sum(b->first_faces.data, chunks));
  if (!status) ipg_tasks_for(&b->tasks, write_faces, b, 0, slots, SLOT_GRAIN);
  return status;
}

/* ------------------------------------------------------------------------------------------------- nodes and bodies */

static ipg_status collect_nodes(builder *b) {
  const int64_t count = b->mesh->node_count;
  ipg_skin *s = &b->skin;
  const ipg_status status = clear_flags(b, count);
  if (status) return status;
  uint8_t *used = b->flags.data;
  for (int64_t i = 0; i < 3 * s->face_count; ++i) used[s->faces[i]] = 1;
  for (int64_t i = 0; i < count; ++i) s->node_count += used[i];
  if (!(s->nodes = ipg_allocate_array(&s->allocator, s->node_count, sizeof(ipg_id), b->error))) return IPG_ERROR_MEMORY;
  for (int64_t node = 0, at = 0; (node = find_next_flag(used, node, count)) < count; ++node)
    s->nodes[at++] = (ipg_id)node;
  return IPG_OK;
}

static ipg_status find_bodies(builder *b) {
  ipg_skin *s = &b->skin;
  s->body_of_element = ipg_allocate_array(&s->allocator, b->mesh->element_count, sizeof(ipg_id), b->error);
  if (!s->body_of_element) return IPG_ERROR_MEMORY;
  return ipg_find_connected_components(b->mesh, &b->allocator, &b->tasks, s->body_of_element, &s->body_count, b->error);
}

/* ----------------------------------------------------------------------------------------------------------- driver */

ipg_status ipg_skin_build(const ipg_mesh *mesh, const ipg_allocator *allocator, const ipg_tasks *tasks, ipg_skin *skin,
                          ipg_error *error) {
  if (!skin) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_skin_build needs a skin to fill");
  *skin = (ipg_skin){0};
  if (!mesh) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_skin_build needs a mesh");
  builder b = {.mesh = mesh,
               .allocator = ipg_choose_allocator(allocator),
               .tasks = tasks ? *tasks : ipg_tasks_serial(),
               .error = error};
  b.skin.allocator = b.allocator;
  b.skin.element_count = mesh->element_count;
  ipg_status status = find_open_sides(&b);
  if (!status) status = collect_faces(&b);
  if (!status) status = collect_nodes(&b);
  if (!status) status = find_bodies(&b);
  ipg_buffer_destroy(&b.flags, &b.allocator);
  ipg_buffer_destroy(&b.first_faces, &b.allocator);
  if (status) ipg_skin_destroy(&b.skin);
  *skin = b.skin;
  return status;
}

void ipg_skin_destroy(ipg_skin *skin) {
  if (!skin) return;
  const ipg_allocator a = skin->allocator;
  ipg_release_array(&a, skin->faces, skin->face_count, 3 * sizeof(ipg_id));
  ipg_release_array(&a, skin->elements, skin->face_count, sizeof(ipg_id));
  ipg_release_array(&a, skin->sides, skin->face_count, sizeof(ipg_id));
  ipg_release_array(&a, skin->subs, skin->face_count, sizeof(ipg_id));
  ipg_release_array(&a, skin->opposite, skin->face_count, sizeof(ipg_id));
  ipg_release_array(&a, skin->nodes, skin->node_count, sizeof(ipg_id));
  ipg_release_array(&a, skin->body_of_element, skin->element_count, sizeof(ipg_id));
  *skin = (ipg_skin){0};
}
