/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Invariant of a valid tree: its chunks ascend by their positions, each within the file. So no chunk can occur twice,
 * and no chunk is larger than the file. */
#include "hdf5_chunks.h"

#include <string.h>

enum { MAX_LEVEL = 16 };

typedef struct chunk_checker {
  ipg_hdf5 *h;
  const ipg_hdf5_chunks *chunks;
  int64_t chunk_bytes;
  bool started;
  int64_t last[IPG_HDF5_MAX_RANK + 1]; /* the position of the previous chunk */
} chunk_checker;

static ipg_status report_wrong_tree(const chunk_checker *c) {
  return ipg_hdf5_report_damage(c->h, "the index of a variable's steps is wrong");
}

/* True if the position is after the last one, and on the grid of the chunks; it becomes the last one. */
static bool advance_position(chunk_checker *c, const int64_t *position) {
  const int n = c->chunks->dimensions;
  int order = 0; /* 1: after the last position, -1: before it */
  for (int d = 0; d < n; ++d) {
    if (position[d] < 0 || position[d] > INT64_MAX / 2 || position[d] % c->chunks->lengths[d]) return false;
    if (!order && position[d] != c->last[d]) order = position[d] > c->last[d] ? 1 : -1;
  }
  const bool valid = order == 1 || (!c->started && !order);
  c->started = true;
  memcpy(c->last, position, (size_t)n * sizeof *position);
  return valid;
}

static ipg_status check_node(chunk_checker *c, int64_t at, int level);

static ipg_status check_entry(chunk_checker *c, ipg_bytes *b, int level) {
  int64_t position[IPG_HDF5_MAX_RANK + 1];
  const int64_t bytes = (int64_t)ipg_bytes_read_number(b, 4);
  ipg_bytes_skip(b, 4);
  for (int d = 0; d < c->chunks->dimensions; ++d) position[d] = ipg_bytes_read_address(b);
  const int64_t child = ipg_bytes_read_address(b);
  if (b->ended) return report_wrong_tree(c);
  if (level) return check_node(c, child, level - 1);
  const bool inside = child >= 0 && child <= c->h->view->size && bytes <= c->h->view->size - child;
  if (!inside || !advance_position(c, position) || (!c->chunks->filtered && bytes != c->chunk_bytes))
    return report_wrong_tree(c);
  return IPG_OK;
}

static ipg_status check_entries(chunk_checker *c, int64_t at, int64_t count, int level) {
  const int64_t key_bytes = 8 + 8 * c->chunks->dimensions;
  ipg_buffer buffer = {0};
  ipg_bytes b;
  ipg_status status = ipg_hdf5_load_block(c->h, at, 24 + count * (key_bytes + 8) + key_bytes, "TREE", &buffer, &b);
  ipg_bytes_skip(&b, status ? 0 : 20);
  for (int64_t i = 0; !status && i < count; ++i) status = check_entry(c, &b, level);
  ipg_buffer_destroy(&buffer, &c->h->allocator);
  return status;
}

/* level: the expected one, or -1 for the root, which may have any. */
static ipg_status check_node(chunk_checker *c, int64_t at, int level) {
  const unsigned char *head = ipg_view_get_bytes(c->h->view, at, 24);
  if (!head) return report_wrong_tree(c);
  ipg_bytes b = {head + 4, 20, false};
  const int type = (int)ipg_bytes_read_number(&b, 1), found = (int)ipg_bytes_read_number(&b, 1);
  const int64_t count = (int64_t)ipg_bytes_read_number(&b, 2);
  if (type != 1 || found > MAX_LEVEL || (level >= 0 && found != level)) return report_wrong_tree(c);
  return check_entries(c, at, count, found);
}

ipg_status ipg_hdf5_check_chunks(ipg_hdf5 *h, const ipg_hdf5_chunks *chunks) {
  chunk_checker c = {.h = h, .chunks = chunks, .chunk_bytes = 1};
  for (int d = 0; d < chunks->dimensions; ++d) {
    if (chunks->lengths[d] < 1 || chunks->lengths[d] > UINT32_MAX / c.chunk_bytes) return report_wrong_tree(&c);
    c.chunk_bytes *= chunks->lengths[d];
  }
  const ipg_status status = chunks->tree == IPG_HDF5_UNDEFINED ? IPG_OK : check_node(&c, chunks->tree, -1);
  if (status || chunks->steps <= (c.started ? c.last[0] + chunks->lengths[0] : 0)) return status;
  return ipg_hdf5_report_damage(h, "steps of a variable are missing");
}
