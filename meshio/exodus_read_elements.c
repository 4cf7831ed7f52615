/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Reads coordinates, numbers of nodes and elements, and connectivity. Gate 4, indices: a node number is checked before
 * it is used as an index; numbers in id maps must not be negative and must be unique, because contact history is stored
 * by them. */
#include "exodus_reader.h"
#include "find_duplicate.h"

static ipg_status read_coordinates(ipg_reader *r) {
  const int64_t count = r->mesh.node_count;
  const ipg_status status = ipg_reader_reserve_scratch(r, count, sizeof(double));
  if (status) return status;
  double *values = r->scratch.data;
  if (r->file.traits.coordinates == IPG_PART_ODD)
    return ipg_fail(
        r->error, IPG_ERROR_FORMAT,
        "%s: its attribute file_size does not fit its coordinates: set it to 1 where they are coordx, coordy "
        "and coordz, to 0 where they are coord",
        r->file.path);
  for (int d = 0; d < 3; ++d) {
    if (ex_get_coord(r->file.id, d == 0 ? values : NULL, d == 1 ? values : NULL, d == 2 ? values : NULL) < 0)
      return ipg_reader_report_damage(r, "the coordinates");
    for (int64_t i = 0; i < count; ++i) r->mesh.x[3 * i + d] = values[i];
  }
  return IPG_OK;
}

/* A map that was declared but not filled holds the same number everywhere; nodes or elements are counted then. */
static void count_unset_gids(const ipg_reader *r, ipg_gid *gids, int64_t count, const char *what) {
  int64_t same = 0;
  while (same < count && gids[same] == gids[0]) ++same;
  if (count < 2 || same < count) return;
  ipg_reader_report_left_out(r, "left out: the id map of %ss, which are all number %lld in it", what,
                             (long long)gids[0]);
  for (int64_t i = 0; i < count; ++i) gids[i] = i + 1;
}

static ipg_status check_gids(const ipg_reader *r, const ipg_gid *gids, int64_t count, const char *what) {
  bool twice;
  int64_t gid;
  for (int64_t i = 0; i < count; ++i)
    if (gids[i] < 0)
      return ipg_fail(r->error, IPG_ERROR_FORMAT, "%s: the id map holds %s number %lld: make it positive", r->file.path,
                      what, (long long)gids[i]);
  const ipg_status status = ipg_find_duplicate(gids, count, &r->allocator, &twice, &gid, r->error);
  if (status || !twice) return status;
  return ipg_fail(r->error, IPG_ERROR_FORMAT, "%s: two %ss have the number %lld in the id map: renumber them",
                  r->file.path, what, (long long)gid);
}

static ipg_status read_element_gids(ipg_reader *r) {
  const int64_t count = r->contents.element_count;
  const ipg_status status = ipg_reader_reserve_scratch(r, count, sizeof(ipg_gid));
  if (status) return status;
  ipg_gid *gids = r->scratch.data;
  const ipg_id *renumbered = r->renumbered.data;
  for (int64_t i = 0; i < count; ++i) gids[i] = i + 1; /* the library does not if there is no number of elements */
  if (ex_get_id_map(r->file.id, EX_ELEM_MAP, gids) < 0) return ipg_reader_report_damage(r, "the element numbers");
  count_unset_gids(r, gids, count, "element");
  for (int64_t i = 0; i < count; ++i)
    if (renumbered[i] >= 0) r->mesh.element_gids[renumbered[i]] = gids[i];
  return check_gids(r, r->mesh.element_gids, r->mesh.element_count, "element");
}

static ipg_status read_id_maps(ipg_reader *r) {
  if (ex_get_id_map(r->file.id, EX_NODE_MAP, r->mesh.node_gids) < 0)
    return ipg_reader_report_damage(r, "the node numbers");
  count_unset_gids(r, r->mesh.node_gids, r->mesh.node_count, "node");
  const ipg_status status = check_gids(r, r->mesh.node_gids, r->mesh.node_count, "node");
  return status ? status : read_element_gids(r);
}

static ipg_status report_node_number(const ipg_reader *r, const ipg_block *block, int64_t element, int64_t node) {
  return ipg_fail(r->error, IPG_ERROR_FORMAT,
                  "%s: element %lld of block '%.80s' has node %lld of %lld: the file is damaged, write it again",
                  r->file.path, (long long)r->mesh.element_gids[element], block->name, (long long)node,
                  (long long)r->mesh.node_count);
}

/* Separates corners and middle nodes. */
static ipg_status read_block_nodes(ipg_reader *r, const ipg_block *block) {
  const int width = block->quadratic ? 10 : 4;
  const ipg_status status = ipg_reader_reserve_scratch(r, width * block->count, sizeof(int64_t));
  if (status || !block->count) return status;
  const int64_t *nodes = r->scratch.data;
  if (ex_get_conn(r->file.id, EX_ELEM_BLOCK, block->id, r->scratch.data, NULL, NULL) < 0)
    return ipg_reader_report_damage(r, "the nodes of the elements");
  for (int64_t i = 0; i < block->count; ++i, nodes += width) {
    ipg_id *corners = r->mesh.tets + 4 * (block->first + i);
    ipg_id *middles = r->mesh.middles + 6 * (block->first_middle + i);
    for (int k = 0; k < width; ++k) {
      if (nodes[k] < 1 || nodes[k] > r->mesh.node_count)
        return report_node_number(r, block, block->first + i, nodes[k]);
      *(k < 4 ? corners + k : middles + k - 4) = (ipg_id)(nodes[k] - 1);
    }
  }
  return IPG_OK;
}

static ipg_status read_connectivity(ipg_reader *r) {
  ipg_status status = IPG_OK;
  for (int b = 0; !status && b < r->mesh.block_count; ++b) status = read_block_nodes(r, &r->mesh.blocks[b]);
  return status;
}

ipg_status ipg_reader_read_elements(ipg_reader *r) {
  ipg_status status = read_coordinates(r);
  if (!status) status = read_id_maps(r);
  return status ? status : read_connectivity(r);
}
