/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A packed tree, filled in the order it has: items into slots, blocks around slots, blocks around blocks. */
#include "packed.h"
#include "support/vec.h"

#include <string.h>

enum { GRAIN = 8192, AHEAD = 24 }; /* a grain is whole blocks of blocks, so that no two tasks write to one */

typedef struct filling {
  ipg_packed *tree;
  const ipg_set *set;
  const ipg_float_map *map;
  double *spread; /* of each chunk */
  int level;
} filling;

static void clear_block(ipg_block *block) {
  for (int k = 0; k < 3; ++k)
    for (int lane = 0; lane < IPG_LANES; ++lane) block->lo[k][lane] = INFINITY, block->hi[k][lane] = -INFINITY;
}

static float to_float(const ipg_float_map *map, double x, int axis) {
  return (float)(x * map->scale - map->shift[axis]);
}

static void put_item(const filling *f, ipg_block *block, int lane, int64_t slot) {
  ipg_packed *tree = f->tree;
  const ipg_id item = ipg_packed_item(tree, slot);
  const ipg_box box = f->set->boxes[item];
  for (int k = 0; k < 3; ++k) {
    block->lo[k][lane] = to_float(f->map, box.lo[k], k);
    block->hi[k][lane] = to_float(f->map, box.hi[k], k);
  }
  if (tree->boxes) tree->boxes[slot] = box;
  if (tree->keys) memcpy(tree->keys + 4 * slot, f->set->keys + 4 * (int64_t)item, 4 * sizeof(ipg_id));
  if (tree->groups) tree->groups[slot] = f->set->groups[item];
}

/* Writes the box of a block into its lane of the level above; returns the sum of its edges. */
static double enclose(const ipg_block *block, ipg_block *above, int lane) {
  double edges = 0;
  for (int k = 0; k < 3; ++k) {
    float lo = block->lo[k][0], hi = block->hi[k][0];
    for (int i = 1; i < IPG_LANES; ++i) {
      lo = block->lo[k][i] < lo ? block->lo[k][i] : lo;
      hi = block->hi[k][i] > hi ? block->hi[k][i] : hi;
    }
    above->lo[k][lane] = lo, above->hi[k][lane] = hi;
    edges += (double)hi - (double)lo;
  }
  return edges;
}

static void fill_slots(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const filling *f = arg;
  const ipg_packed *tree = f->tree;
  double spread = 0;
  for (int64_t slot = begin; slot < end; slot += IPG_LANES) {
    ipg_block *block = &tree->level[0][slot / IPG_LANES];
    const int lanes = end - slot < IPG_LANES ? (int)(end - slot) : IPG_LANES;
    if (lanes < IPG_LANES) clear_block(block);
    for (int lane = 0; lane < lanes; ++lane) {
      if (slot + lane + AHEAD < end) {
        const char *coming = (const char *)&f->set->boxes[ipg_packed_item(tree, slot + lane + AHEAD)];
        __builtin_prefetch(coming), __builtin_prefetch(coming + sizeof(ipg_box) - 1);
      }
      put_item(f, block, lane, slot + lane);
    }
    spread += enclose(block, &tree->level[1][slot / IPG_LANES / IPG_LANES], (int)(slot / IPG_LANES % IPG_LANES));
  }
  f->spread[begin / GRAIN] = spread;
}

static void enclose_level(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const filling *f = arg;
  for (int64_t block = begin; block < end; ++block)
    enclose(&f->tree->level[f->level][block], &f->tree->level[f->level + 1][block / IPG_LANES],
            (int)(block % IPG_LANES));
}

/* Levels one behind the other in one buffer; the last block of each may have empty lanes. */
static ipg_status lay_out(ipg_packed *tree, int64_t count, const ipg_allocator *allocator, ipg_error *error) {
  int64_t first[IPG_MOST_LEVELS], blocks = 0;
  tree->levels = 0;
  for (int64_t n = count; tree->levels < 2 || n > 1; n = ipg_chunk_count(n, IPG_LANES)) {
    tree->count[tree->levels] = n, first[tree->levels++] = blocks;
    blocks += ipg_chunk_count(n, IPG_LANES);
  }
  const ipg_status status = ipg_buffer_reserve(&tree->block_buffer, allocator, blocks, sizeof(ipg_block), error);
  if (status) return status;
  ipg_block *all = tree->block_buffer.data;
  for (int k = 0; k < tree->levels; ++k) {
    tree->level[k] = all + first[k];
    clear_block(tree->level[k] + ipg_chunk_count(tree->count[k], IPG_LANES) - 1);
  }
  return IPG_OK;
}

static ipg_status reserve(ipg_packed *tree, const ipg_set *set, bool keep_boxes, const ipg_allocator *allocator,
                          ipg_error *error) {
  ipg_status status = lay_out(tree, set->count, allocator, error);
  const int64_t chunks = ipg_chunk_count(set->count, GRAIN), boxes = keep_boxes ? set->count : 0;
  if (!status) status = ipg_buffer_reserve(&tree->spread_buffer, allocator, chunks, sizeof(double), error);
  if (!status) status = ipg_buffer_reserve(&tree->box_buffer, allocator, boxes, sizeof(ipg_box), error);
  if (!status && set->keys)
    status = ipg_buffer_reserve(&tree->key_buffer, allocator, 4 * set->count, sizeof(ipg_id), error);
  if (!status && set->groups)
    status = ipg_buffer_reserve(&tree->group_buffer, allocator, set->count, sizeof(ipg_id), error);
  tree->boxes = keep_boxes ? tree->box_buffer.data : NULL;
  tree->keys = set->keys ? tree->key_buffer.data : NULL;
  tree->groups = set->groups ? tree->group_buffer.data : NULL;
  return status;
}

ipg_status ipg_packed_fill(ipg_packed *tree, ipg_search *search, const ipg_set *set, const ipg_float_map *map,
                           bool keep_boxes, ipg_error *error) {
  const ipg_tasks *tasks = &search->config.tasks;
  const ipg_status status = reserve(tree, set, keep_boxes, &search->config.allocator, error);
  if (status) return status;
  filling f = {.tree = tree, .set = set, .map = map, .spread = tree->spread_buffer.data};
  ipg_tasks_for(tasks, fill_slots, &f, 0, set->count, GRAIN);
  for (f.level = 1; f.level + 1 < tree->levels; ++f.level)
    ipg_tasks_for(tasks, enclose_level, &f, 0, tree->count[f.level + 1], GRAIN / IPG_LANES);
  tree->spread = 0;
  for (int64_t i = 0; i < ipg_chunk_count(set->count, GRAIN); ++i) tree->spread += f.spread[i] / map->scale;
  return IPG_OK;
}

void ipg_packed_free(ipg_packed *tree, const ipg_allocator *allocator) {
  ipg_buffer *buffers[] = {&tree->order_buffer, &tree->block_buffer, &tree->box_buffer,
                           &tree->key_buffer,   &tree->group_buffer, &tree->spread_buffer};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) ipg_buffer_free(buffers[i], allocator);
}
