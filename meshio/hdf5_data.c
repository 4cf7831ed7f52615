/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What an HDF5 file keeps without checksums: trees of chunks, and global heaps.
 *
 * A tree's chunks come in ascending order of their places, each within the file; so no node can be met twice, and no
 * chunk is larger than what is there. An object of a global heap ends before the next starts; the addresses in them
 * are for the caller to compare with those of real objects. */
#include "hdf5_blocks.h"

#include <string.h>

/* --------------------------------------------------------------------------------------------------------- chunks */

enum { MAX_LEVEL = 16 };

typedef struct chunk_walk {
  ipg_hdf5 *h;
  const ipg_hdf5_chunks *chunks;
  int64_t chunk_bytes;
  bool started;
  int64_t last[IPG_HDF5_MAX_RANK + 1]; /* the place of the chunk before */
} chunk_walk;

static ipg_status damaged_tree(const chunk_walk *w) {
  return ipg_hdf5_damaged(w->h, "the index of a variable's steps is wrong");
}

/* The place behind the last one, on the grid of the chunks. */
static bool move_on(chunk_walk *w, const int64_t *place) {
  const int n = w->chunks->dimensions;
  int ahead = 0; /* 1: behind the last, as it should be */
  for (int d = 0; d < n; ++d) {
    if (place[d] < 0 || place[d] > INT64_MAX / 2 || place[d] % w->chunks->lengths[d]) return false;
    if (!ahead && place[d] != w->last[d]) ahead = place[d] > w->last[d] ? 1 : -1;
  }
  const bool proper = ahead == 1 || (!w->started && !ahead);
  w->started = true;
  memcpy(w->last, place, (size_t)n * sizeof *place);
  return proper;
}

static ipg_status check_node(chunk_walk *w, int64_t at, int level);

static ipg_status check_entry(chunk_walk *w, ipg_bytes *b, int level) {
  int64_t place[IPG_HDF5_MAX_RANK + 1];
  const int64_t bytes = (int64_t)ipg_bytes_number(b, 4);
  ipg_bytes_skip(b, 4);
  for (int d = 0; d < w->chunks->dimensions; ++d) place[d] = ipg_bytes_address(b);
  const int64_t child = ipg_bytes_address(b);
  if (b->ended) return damaged_tree(w);
  if (level) return check_node(w, child, level - 1);
  const bool inside = child >= 0 && child <= w->h->view->size && bytes <= w->h->view->size - child;
  if (!inside || !move_on(w, place) || (!w->chunks->filtered && bytes != w->chunk_bytes)) return damaged_tree(w);
  return IPG_OK;
}

static ipg_status check_entries(chunk_walk *w, int64_t at, int64_t count, int level) {
  const int64_t key_bytes = 8 + 8 * w->chunks->dimensions;
  ipg_buffer buffer = {0};
  ipg_bytes b;
  ipg_status status = ipg_hdf5_load(w->h, at, 24 + count * (key_bytes + 8) + key_bytes, "TREE", &buffer, &b);
  ipg_bytes_skip(&b, status ? 0 : 20);
  for (int64_t i = 0; !status && i < count; ++i) status = check_entry(w, &b, level);
  ipg_buffer_destroy(&buffer, &w->h->allocator);
  return status;
}

/* level -1: any, for the root alone. */
static ipg_status check_node(chunk_walk *w, int64_t at, int level) {
  const unsigned char *head = ipg_view_at(w->h->view, at, 24);
  if (!head) return damaged_tree(w);
  ipg_bytes b = {head + 4, 20, false};
  const int type = (int)ipg_bytes_number(&b, 1), found = (int)ipg_bytes_number(&b, 1);
  const int64_t count = (int64_t)ipg_bytes_number(&b, 2);
  if (type != 1 || found > MAX_LEVEL || (level >= 0 && found != level)) return damaged_tree(w);
  return check_entries(w, at, count, found);
}

ipg_status ipg_hdf5_check_chunks(ipg_hdf5 *h, const ipg_hdf5_chunks *chunks) {
  chunk_walk w = {.h = h, .chunks = chunks, .chunk_bytes = 1};
  for (int d = 0; d < chunks->dimensions; ++d) {
    if (chunks->lengths[d] < 1 || chunks->lengths[d] > UINT32_MAX / w.chunk_bytes) return damaged_tree(&w);
    w.chunk_bytes *= chunks->lengths[d];
  }
  const ipg_status status = chunks->tree == IPG_HDF5_NOWHERE ? IPG_OK : check_node(&w, chunks->tree, -1);
  if (status || chunks->steps <= (w.started ? w.last[0] + chunks->lengths[0] : 0)) return status;
  return ipg_hdf5_damaged(h, "the steps of a variable are not all there");
}

/* --------------------------------------------------------------------------------------------------- global heaps */

enum { OBJECT_HEAD = 16 };

static ipg_status damaged_heap(const ipg_hdf5 *h) { return ipg_hdf5_damaged(h, "a global heap of it is wrong"); }

static int64_t heap_of(const ipg_hdf5_reference *reference) { return (int64_t)(reference->object >> 16); }

/* The references to one heap, and those that still wait for their object. */
typedef struct followers {
  ipg_hdf5_reference *first;
  int64_t count, waiting;
} followers;

/* All that refer to an object; false if one of them expects another size, or met the object before. */
static bool meet(followers *f, int64_t index, ipg_bytes object) {
  int64_t low = 0, high = f->count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if ((int64_t)(f->first[middle].object & 0xffff) < index) low = middle + 1;
    else high = middle;
  }
  const int64_t bytes = object.left, target = bytes >= 8 ? ipg_bytes_address(&object) : 0;
  for (; low < f->count && (int64_t)(f->first[low].object & 0xffff) == index; ++low) {
    if (f->first[low].bytes != bytes || f->first[low].target != IPG_HDF5_NOWHERE || target < 0) return false;
    f->first[low].target = target;
    f->waiting--;
  }
  return true;
}

/* Object 0 is the room that is left: the library would go round for ever if it did not end the heap. */
static ipg_status meet_objects(const ipg_hdf5 *h, followers *f, ipg_bytes b) {
  while (b.left >= OBJECT_HEAD) {
    const int64_t all = b.left, index = (int64_t)ipg_bytes_number(&b, 2);
    ipg_bytes_skip(&b, 6);
    const int64_t bytes = ipg_bytes_address(&b);
    if (!index && bytes == all) break;
    if (!index || bytes < 0 || bytes > b.left) return damaged_heap(h);
    const ipg_bytes object = ipg_bytes_part(&b, bytes);
    const int64_t padding = -bytes & 7;
    ipg_bytes_skip(&b, padding < b.left ? padding : b.left);
    if (!meet(f, index, object)) return damaged_heap(h);
  }
  return f->waiting ? damaged_heap(h) : IPG_OK;
}

static ipg_status follow_heap(ipg_hdf5 *h, followers *f) {
  const int64_t at = heap_of(f->first);
  const unsigned char *head = ipg_view_at(h->view, at, OBJECT_HEAD);
  if (!head) return damaged_heap(h);
  ipg_bytes b = {head + 4, OBJECT_HEAD - 4, false};
  const uint64_t version = ipg_bytes_number(&b, 4); /* and three bytes of zeros */
  const int64_t bytes = ipg_bytes_address(&b);
  if (version != 1 || bytes < OBJECT_HEAD) return damaged_heap(h);
  ipg_buffer buffer = {0};
  ipg_status status = ipg_hdf5_load(h, at, bytes, "GCOL", &buffer, &b);
  ipg_bytes_skip(&b, status ? 0 : OBJECT_HEAD - 4);
  if (!status) status = meet_objects(h, f, b);
  ipg_buffer_destroy(&buffer, &h->allocator);
  return status;
}

ipg_status ipg_hdf5_follow(ipg_hdf5 *h, ipg_hdf5_reference *references, int64_t count) {
  ipg_status status = IPG_OK;
  for (int64_t first = 0, end; !status && first < count; first = end) {
    for (end = first; end < count && heap_of(&references[end]) == heap_of(&references[first]); ++end)
      references[end].target = IPG_HDF5_NOWHERE;
    followers f = {references + first, end - first, end - first};
    status = follow_heap(h, &f);
  }
  return status;
}
