/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The skin of a mesh: sides that have no partner, as flat triangles.
 *
 * sides.c tells which slots (4 * element + side) are alone. Slots ascend by element and side, so faces are collected by
 * one walk over them; chunks of it are counted first, and then each writes behind the one before.
 * Invariant: nothing depends on the tasks. */
#include "bodies.h"
#include "sides.h"

#include <string.h>

enum { SLOT_GRAIN = 1 << 16 };

typedef struct builder {
  const ipg_mesh *mesh;
  ipg_allocator allocator;
  ipg_tasks tasks;
  ipg_error *error;
  ipg_buffer open;        /* uint8_t: 1 per slot; is it skin? later 1 per node; is it used? */
  ipg_buffer first_faces; /* int64_t: 1 per chunk of slots: how many faces, later the number of its first */
  ipg_skin skin;
} builder;

static ipg_status zero_bytes(builder *b, int64_t count) {
  const ipg_status status = ipg_buffer_reserve(&b->open, &b->allocator, count, 1, b->error);
  if (!status && count) memset(b->open.data, 0, (size_t)count);
  return status;
}

/* The first byte from `at` on that is 1; `end` if there is none. */
static int64_t next_one(const uint8_t *bytes, int64_t at, int64_t end) {
  const uint8_t *found = at < end ? memchr(bytes + at, 1, (size_t)(end - at)) : NULL;
  return found ? found - bytes : end;
}

/* ------------------------------------------------------------------------------------------------------------ faces */

static void put_linear(ipg_skin *skin, int64_t face, const ipg_id *tet, const int *corner) {
  for (int i = 0; i < 3; ++i) skin->faces[3 * face + i] = tet[corner[i]];
}

/* At corner `sub` the triangle is cut off by the middles of the two edges that meet there; the fourth is left over. */
static void put_quadratic(ipg_skin *skin, int64_t face, const ipg_id *tet, const ipg_id *middles, int side, int sub) {
  const int *middle = ipg_tet_side_middles[side];
  for (int i = 0; i < 3; ++i) skin->faces[3 * face + i] = middles[middle[i]];
  if (sub == 3) return;
  skin->faces[3 * face] = tet[ipg_tet_sides[side][sub]];
  skin->faces[3 * face + 1] = middles[middle[sub]];
  skin->faces[3 * face + 2] = middles[middle[(sub + 2) % 3]];
}

void ipg_skin_put_face(ipg_skin *skin, int64_t face, const ipg_mesh *mesh, int64_t slot, int sub) {
  const int side = (int)(slot % 4), *corner = ipg_tet_sides[side];
  const ipg_id *tet = mesh->tets + slot - side;
  const ipg_id *middles = mesh->quadratic_count ? ipg_mesh_middles(mesh, slot / 4) : NULL;
  if (middles) put_quadratic(skin, face, tet, middles, side, sub);
  else put_linear(skin, face, tet, corner);
  skin->elements[face] = (ipg_id)(slot / 4);
  skin->sides[face] = side;
  skin->subs[face] = sub;
  skin->opposite[face] = tet[6 - corner[0] - corner[1] - corner[2]];
}

static void count_faces(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const builder *b = arg;
  int64_t count = 0;
  for (int64_t slot = begin; (slot = next_one(b->open.data, slot, end)) < end; ++slot)
    count += ipg_subs_of(b->mesh, slot / 4);
  ((int64_t *)b->first_faces.data)[begin / SLOT_GRAIN] = count;
}

static void put_faces(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  builder *b = arg;
  int64_t face = ((int64_t *)b->first_faces.data)[begin / SLOT_GRAIN];
  for (int64_t slot = begin; (slot = next_one(b->open.data, slot, end)) < end; ++slot) {
    const int subs = ipg_subs_of(b->mesh, slot / 4);
    for (int sub = 0; sub < subs; ++sub) ipg_skin_put_face(&b->skin, face++, b->mesh, slot, sub);
  }
}

static ipg_status allocate_faces(builder *b, int64_t count) {
  ipg_skin *s = &b->skin;
  if (count > IPG_ID_MAX)
    return ipg_fail(b->error, IPG_ERROR_TOO_MANY, "the skin has %lld triangles: at most %lld are possible",
                    (long long)count, (long long)IPG_ID_MAX);
  s->face_count = count;
  if ((s->faces = ipg_take(&s->allocator, count, 3 * sizeof(ipg_id), b->error)) &&
      (s->elements = ipg_take(&s->allocator, count, sizeof(ipg_id), b->error)) &&
      (s->sides = ipg_take(&s->allocator, count, sizeof(ipg_id), b->error)) &&
      (s->subs = ipg_take(&s->allocator, count, sizeof(ipg_id), b->error)) &&
      (s->opposite = ipg_take(&s->allocator, count, sizeof(ipg_id), b->error)))
    return IPG_OK;
  return IPG_ERROR_MEMORY;
}

static ipg_status match_sides(builder *b) {
  const ipg_status status = zero_bytes(b, 4 * b->mesh->element_count);
  if (status) return status;
  return ipg_sides_match(b->mesh, &b->allocator, &b->tasks, b->open.data, NULL, b->error);
}

static ipg_status collect_faces(builder *b) {
  const int64_t slots = 4 * b->mesh->element_count, chunks = ipg_chunk_count(slots, SLOT_GRAIN);
  ipg_status status = ipg_buffer_reserve(&b->first_faces, &b->allocator, chunks, sizeof(int64_t), b->error);
  if (status) return status;
  ipg_tasks_for(&b->tasks, count_faces, b, 0, slots, SLOT_GRAIN);
  status = allocate_faces(b, ipg_prefix_sum(b->first_faces.data, chunks));
  if (!status) ipg_tasks_for(&b->tasks, put_faces, b, 0, slots, SLOT_GRAIN);
  return status;
}

/* ------------------------------------------------------------------------------------------------- nodes and bodies */

static ipg_status collect_nodes(builder *b) {
  const int64_t count = b->mesh->node_count;
  ipg_skin *s = &b->skin;
  const ipg_status status = zero_bytes(b, count);
  if (status) return status;
  uint8_t *used = b->open.data;
  for (int64_t i = 0; i < 3 * s->face_count; ++i) used[s->faces[i]] = 1;
  for (int64_t i = 0; i < count; ++i) s->node_count += used[i];
  if (!(s->nodes = ipg_take(&s->allocator, s->node_count, sizeof(ipg_id), b->error))) return IPG_ERROR_MEMORY;
  for (int64_t node = 0, at = 0; (node = next_one(used, node, count)) < count; ++node) s->nodes[at++] = (ipg_id)node;
  return IPG_OK;
}

static ipg_status collect_bodies(builder *b) {
  ipg_skin *s = &b->skin;
  s->body_of_element = ipg_take(&s->allocator, b->mesh->element_count, sizeof(ipg_id), b->error);
  if (!s->body_of_element) return IPG_ERROR_MEMORY;
  return ipg_bodies_find(b->mesh, &b->allocator, &b->tasks, s->body_of_element, &s->body_count, b->error);
}

/* ----------------------------------------------------------------------------------------------------------- driver */

ipg_status ipg_skin_build(const ipg_mesh *mesh, const ipg_allocator *allocator, const ipg_tasks *tasks, ipg_skin *skin,
                          ipg_error *error) {
  if (!skin) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_skin_build needs a skin to fill");
  *skin = (ipg_skin){0};
  if (!mesh) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_skin_build needs a mesh");
  builder b = {.mesh = mesh,
               .allocator = ipg_allocator_or_malloc(allocator),
               .tasks = tasks ? *tasks : ipg_tasks_serial(),
               .error = error};
  b.skin.allocator = b.allocator;
  b.skin.element_count = mesh->element_count;
  ipg_status status = match_sides(&b);
  if (!status) status = collect_faces(&b);
  if (!status) status = collect_nodes(&b);
  if (!status) status = collect_bodies(&b);
  ipg_buffer_destroy(&b.open, &b.allocator);
  ipg_buffer_destroy(&b.first_faces, &b.allocator);
  if (status) ipg_skin_destroy(&b.skin);
  *skin = b.skin;
  return status;
}

void ipg_skin_destroy(ipg_skin *skin) {
  if (!skin) return;
  const ipg_allocator a = skin->allocator;
  ipg_give(&a, skin->faces, skin->face_count, 3 * sizeof(ipg_id));
  ipg_give(&a, skin->elements, skin->face_count, sizeof(ipg_id));
  ipg_give(&a, skin->sides, skin->face_count, sizeof(ipg_id));
  ipg_give(&a, skin->subs, skin->face_count, sizeof(ipg_id));
  ipg_give(&a, skin->opposite, skin->face_count, sizeof(ipg_id));
  ipg_give(&a, skin->nodes, skin->node_count, sizeof(ipg_id));
  ipg_give(&a, skin->body_of_element, skin->element_count, sizeof(ipg_id));
  *skin = (ipg_skin){0};
}
