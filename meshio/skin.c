/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The skin of a mesh: sides that have no partner.
 *
 * Every side of every element is a slot, 4 * element + side. Slots are dealt into a bucket per lowest node, and each
 * bucket is sorted by middle node, highest node and winding. Then the slots of one triangle stand side by side: one is
 * skin, two are inside, more are an error. Two that wind the same way would be elements on the same side of a triangle
 * (a double element, say) and are an error too: taken for inside, the surface there would be lost without a word.
 * Invariant: dealing and sorting are stable, so nothing, not even the elements an error names, depends on the tasks.
 * Buckets are short (some 20 slots) and sorted in cache: that is twice as fast as one long radix sort. */
#include "internal.h"

#include <string.h>

enum { SHORT_BUCKET = 128, BUCKET_GRAIN = 1 << 12 };

typedef struct builder {
  const ipg_mesh *mesh;
  ipg_allocator allocator;
  ipg_tasks tasks;
  ipg_error *error;
  ipg_sorter sorter;
  ipg_buffer keys, slots; /* uint64_t, ipg_id: 4 per element */
  ipg_buffer ends;        /* int64_t: 1 per node, where its bucket ends and the next begins */
  ipg_buffer open;        /* uint8_t: 1 per slot; is it skin? later 1 per node; is it used? */
  ipg_buffer parents;     /* ipg_id: 1 per node, the forest of bodies */
  ipg_buffer bodies;      /* ipg_id: 1 per node, the body of a root */
  ipg_skin skin;
} builder;

/* --------------------------------------------------------------------------------------------------------- check */

static bool tet_is_proper(const ipg_id *tet, int64_t node_count) {
  for (int c = 0; c < 4; ++c) {
    if (tet[c] < 0 || tet[c] >= node_count) return false;
    for (int b = 0; b < c; ++b)
      if (tet[b] == tet[c]) return false;
  }
  return true;
}

static ipg_status check_elements(builder *b) {
  const ipg_mesh *mesh = b->mesh;
  if (mesh->element_count > IPG_ID_MAX / 4 || mesh->node_count > IPG_ID_MAX)
    return ipg_fail(b->error, IPG_ERROR_TOO_MANY, "%lld elements: a skin can be built of at most %lld",
                    (long long)mesh->element_count, (long long)(IPG_ID_MAX / 4));
  for (int64_t e = 0; e < mesh->element_count; ++e)
    if (!tet_is_proper(mesh->tets + 4 * e, mesh->node_count))
      return ipg_fail(
          b->error, IPG_ERROR_FORMAT,
          "element %lld of block '%.80s' has a node twice or one that is not in the mesh: mend or remove it",
          (long long)mesh->element_gids[e], ipg_mesh_block_name(mesh, e));
  return IPG_OK;
}

/* ---------------------------------------------------------------------------------------------------------- sort */

/* The lowest node of a slot, and a key that orders the rest: middle and highest node, and last the winding. */
static ipg_id slot_key(const ipg_mesh *mesh, int64_t slot, uint64_t *key) {
  const ipg_id *tet = mesh->tets + slot / 4 * 4;
  const int *corner = ipg_tet_sides[slot % 4];
  ipg_id n[3] = {tet[corner[0]], tet[corner[1]], tet[corner[2]]};
  uint64_t odd = 0;
  for (int i = 0; i < 3; ++i) { /* bubbles: (0,1), (1,2), (0,1) */
    const int at = i % 2;
    if (n[at] < n[at + 1]) continue;
    const ipg_id swap = n[at];
    n[at] = n[at + 1], n[at + 1] = swap;
    odd ^= 1;
  }
  *key = (uint64_t)n[1] << 32 | (uint64_t)n[2] << 1 | odd;
  return n[0];
}

static ipg_status reserve_slots(builder *b) {
  const int64_t count = 4 * b->mesh->element_count;
  ipg_status status = ipg_buffer_reserve(&b->keys, &b->allocator, count, sizeof(uint64_t), b->error);
  if (!status) status = ipg_buffer_reserve(&b->slots, &b->allocator, count, sizeof(ipg_id), b->error);
  if (!status) status = ipg_buffer_reserve(&b->ends, &b->allocator, b->mesh->node_count, sizeof(int64_t), b->error);
  return status ? status : ipg_buffer_reserve(&b->open, &b->allocator, count, 1, b->error);
}

/* Counts, begins, and by dealing the begins become ends. */
static void deal_slots(builder *b) {
  const int64_t count = 4 * b->mesh->element_count, nodes = b->mesh->node_count;
  uint64_t *keys = b->keys.data, key;
  ipg_id *slots = b->slots.data;
  int64_t *ends = b->ends.data;
  for (int64_t node = 0; node < nodes; ++node) ends[node] = 0;
  for (int64_t slot = 0; slot < count; ++slot) ends[slot_key(b->mesh, slot, &key)]++;
  ipg_scan_exclusive(ends, nodes);
  for (int64_t slot = 0; slot < count; ++slot) {
    const int64_t place = ends[slot_key(b->mesh, slot, &key)]++;
    keys[place] = key;
    slots[place] = (ipg_id)slot;
  }
}

static int64_t bucket_begin(const builder *b, int64_t node) { return node ? ((int64_t *)b->ends.data)[node - 1] : 0; }

static void insertion_sort(uint64_t *keys, ipg_id *slots, int64_t count) {
  for (int64_t i = 1; i < count; ++i) {
    const uint64_t key = keys[i];
    const ipg_id slot = slots[i];
    int64_t at = i;
    for (; at && keys[at - 1] > key; --at) keys[at] = keys[at - 1], slots[at] = slots[at - 1];
    keys[at] = key, slots[at] = slot;
  }
}

static void sort_short_buckets(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const builder *b = arg;
  for (int64_t node = begin; node < end; ++node) {
    const int64_t first = bucket_begin(b, node), count = bucket_begin(b, node + 1) - first;
    if (count <= SHORT_BUCKET) insertion_sort((uint64_t *)b->keys.data + first, (ipg_id *)b->slots.data + first, count);
  }
}

static ipg_status sort_slots(builder *b) {
  ipg_status status = reserve_slots(b);
  if (status) return status;
  const int64_t nodes = b->mesh->node_count;
  deal_slots(b);
  ipg_tasks_for(&b->tasks, sort_short_buckets, b, 0, nodes, BUCKET_GRAIN);
  for (int64_t node = 0; !status && node < nodes; ++node) { /* the hub of a wheel, say */
    const int64_t first = bucket_begin(b, node), count = bucket_begin(b, node + 1) - first;
    if (count > SHORT_BUCKET)
      status = ipg_sort_u64(&b->sorter, (uint64_t *)b->keys.data + first, (ipg_id *)b->slots.data + first, count,
                            &b->allocator, &b->tasks, b->error);
  }
  return status;
}

/* --------------------------------------------------------------------------------------------------------- match */

static ipg_status refuse_crowd(const builder *b, const ipg_id *slots) {
  const ipg_gid *nodes = b->mesh->node_gids, *elements = b->mesh->element_gids;
  const ipg_id *tet = b->mesh->tets + slots[0] / 4 * 4;
  const int *corner = ipg_tet_sides[slots[0] % 4];
  return ipg_fail(b->error, IPG_ERROR_FORMAT,
                  "elements %lld, %lld and %lld share the face of nodes %lld, %lld, %lld: two may; remove the others",
                  (long long)elements[slots[0] / 4], (long long)elements[slots[1] / 4],
                  (long long)elements[slots[2] / 4], (long long)nodes[tet[corner[0]]], (long long)nodes[tet[corner[1]]],
                  (long long)nodes[tet[corner[2]]]);
}

static ipg_status refuse_fold(const builder *b, const ipg_id *slots) {
  const ipg_gid *elements = b->mesh->element_gids;
  return ipg_fail(b->error, IPG_ERROR_FORMAT,
                  "elements %lld and %lld lie on the same side of a face they share: one is double or inside out, "
                  "remove or turn it",
                  (long long)elements[slots[0] / 4], (long long)elements[slots[1] / 4]);
}

/* Marks the slots of one bucket that are alone. */
static ipg_status match_bucket(builder *b, int64_t first, int64_t last) {
  const uint64_t *keys = b->keys.data;
  const ipg_id *slots = b->slots.data;
  uint8_t *open = b->open.data;
  for (int64_t begin = first, end; begin < last; begin = end) {
    for (end = begin + 1; end < last && keys[end] >> 1 == keys[begin] >> 1;) ++end;
    if (end - begin > 2) return refuse_crowd(b, slots + begin);
    if (end - begin == 2 && keys[begin] == keys[begin + 1]) return refuse_fold(b, slots + begin);
    for (int64_t i = begin; i < end; ++i) open[slots[i]] = end - begin == 1;
  }
  return IPG_OK;
}

static ipg_status match_slots(builder *b) {
  ipg_status status = IPG_OK;
  for (int64_t node = 0; !status && node < b->mesh->node_count; ++node)
    status = match_bucket(b, bucket_begin(b, node), bucket_begin(b, node + 1));
  return status;
}

/* ------------------------------------------------------------------------------------------------------- collect */

static ipg_status allocate_faces(builder *b) {
  ipg_skin *s = &b->skin;
  if ((s->faces = ipg_take(&s->allocator, s->face_count, 3 * sizeof(ipg_id), b->error)) &&
      (s->elements = ipg_take(&s->allocator, s->face_count, sizeof(ipg_id), b->error)) &&
      (s->sides = ipg_take(&s->allocator, s->face_count, sizeof(ipg_id), b->error)) &&
      (s->subs = ipg_take(&s->allocator, s->face_count, sizeof(ipg_id), b->error)) &&
      (s->opposite = ipg_take(&s->allocator, s->face_count, sizeof(ipg_id), b->error)))
    return IPG_OK;
  return IPG_ERROR_MEMORY;
}

static void put_face(builder *b, int64_t face, int64_t slot) {
  const int side = (int)(slot % 4);
  const ipg_id *tet = b->mesh->tets + slot - side;
  const int *corner = ipg_tet_sides[side];
  for (int c = 0; c < 3; ++c) b->skin.faces[3 * face + c] = tet[corner[c]];
  b->skin.elements[face] = (ipg_id)(slot / 4);
  b->skin.sides[face] = side;
  b->skin.opposite[face] = tet[6 - corner[0] - corner[1] - corner[2]];
}

/* Slots ascend by element and side, and so do the faces. */
static ipg_status collect_faces(builder *b) {
  const uint8_t *open = b->open.data;
  const int64_t count = 4 * b->mesh->element_count;
  for (int64_t slot = 0; slot < count; ++slot) b->skin.face_count += open[slot];
  const ipg_status status = allocate_faces(b);
  for (int64_t slot = 0, face = 0; !status && slot < count; ++slot)
    if (open[slot]) put_face(b, face++, slot);
  return status;
}

static ipg_status collect_nodes(builder *b) {
  const int64_t count = b->mesh->node_count;
  ipg_skin *s = &b->skin;
  ipg_status status = ipg_buffer_reserve(&b->open, &b->allocator, count, 1, b->error);
  if (status) return status;
  uint8_t *used = b->open.data;
  if (count) memset(used, 0, (size_t)count);
  for (int64_t i = 0; i < 3 * s->face_count; ++i) used[s->faces[i]] = 1;
  for (int64_t i = 0; i < count; ++i) s->node_count += used[i];
  if (!(s->nodes = ipg_take(&s->allocator, s->node_count, sizeof(ipg_id), b->error))) return IPG_ERROR_MEMORY;
  for (int64_t i = 0, at = 0; i < count; ++i)
    if (used[i]) s->nodes[at++] = (ipg_id)i;
  return IPG_OK;
}

/* -------------------------------------------------------------------------------------------------------- bodies */

/* The root of a node's tree; every second step shortens the path for those who come later. */
static ipg_id find_root(ipg_id *parents, ipg_id node) {
  while (parents[node] != node) node = parents[node] = parents[parents[node]];
  return node;
}

static void join_nodes(ipg_id *parents, ipg_id a, ipg_id b) {
  a = find_root(parents, a), b = find_root(parents, b);
  if (a < b) parents[b] = a;
  else parents[a] = b;
}

static ipg_status find_bodies(builder *b) {
  const ipg_mesh *mesh = b->mesh;
  ipg_skin *s = &b->skin;
  ipg_status status = ipg_buffer_reserve(&b->parents, &b->allocator, mesh->node_count, sizeof(ipg_id), b->error);
  if (!status) status = ipg_buffer_reserve(&b->bodies, &b->allocator, mesh->node_count, sizeof(ipg_id), b->error);
  if (status) return status;
  s->body_of_element = ipg_take(&s->allocator, mesh->element_count, sizeof(ipg_id), b->error);
  if (!s->body_of_element) return IPG_ERROR_MEMORY;
  ipg_id *parents = b->parents.data, *bodies = b->bodies.data;
  for (int64_t i = 0; i < mesh->node_count; ++i) parents[i] = (ipg_id)i, bodies[i] = -1;
  for (int64_t e = 0; e < mesh->element_count; ++e)
    for (int c = 1; c < 4; ++c) join_nodes(parents, mesh->tets[4 * e], mesh->tets[4 * e + c]);
  for (int64_t e = 0; e < mesh->element_count; ++e) {
    const ipg_id root = find_root(parents, mesh->tets[4 * e]);
    if (bodies[root] < 0) bodies[root] = s->body_count++;
    s->body_of_element[e] = bodies[root];
  }
  return IPG_OK;
}

/* -------------------------------------------------------------------------------------------------------- driver */

static void free_scratch(builder *b) {
  ipg_sorter_free(&b->sorter, &b->allocator);
  ipg_buffer_free(&b->keys, &b->allocator);
  ipg_buffer_free(&b->slots, &b->allocator);
  ipg_buffer_free(&b->ends, &b->allocator);
  ipg_buffer_free(&b->open, &b->allocator);
  ipg_buffer_free(&b->parents, &b->allocator);
  ipg_buffer_free(&b->bodies, &b->allocator);
}

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
  ipg_status status = check_elements(&b);
  if (!status) status = sort_slots(&b);
  if (!status) status = match_slots(&b);
  if (!status) status = collect_faces(&b);
  if (!status) status = collect_nodes(&b);
  if (!status) status = find_bodies(&b);
  free_scratch(&b);
  b.skin.element_count = mesh->element_count;
  if (status) ipg_skin_free(&b.skin);
  *skin = b.skin;
  return status;
}

void ipg_skin_free(ipg_skin *skin) {
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
