/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Why a side is refused. On the way to a refusal time does not matter: the owners of the side are looked for among all
 * elements, so that those who match sides need not remember them.
 * Invariant: elements are named in their order. */
#include "sides_refuse.h"

#include <stdio.h>

typedef struct side_nodes {
  const ipg_id *tet, *middles;
  const int *corner, *middle;
} side_nodes;

static side_nodes nodes_of(const ipg_mesh *mesh, int64_t slot) {
  return (side_nodes){mesh->tets + slot / 4 * 4, ipg_mesh_middles(mesh, slot / 4), ipg_tet_sides[slot % 4],
                      ipg_tet_side_middles[slot % 4]};
}

/* The middle node between two corners of a side. */
static ipg_id middle_between(const side_nodes *s, ipg_id a, ipg_id b) {
  for (int i = 0; i < 3; ++i) {
    const ipg_id from = s->tet[s->corner[i]], to = s->tet[s->corner[(i + 1) % 3]];
    if ((from == a && to == b) || (from == b && to == a)) return s->middles[s->middle[i]];
  }
  return -1;
}

bool ipg_sides_agree(const ipg_mesh *mesh, int64_t slot, int64_t other) {
  if (!mesh->quadratic_count) return true;
  const side_nodes a = nodes_of(mesh, slot), b = nodes_of(mesh, other);
  if (!a.middles != !b.middles) return false;
  for (int i = 0; a.middles && i < 3; ++i)
    if (a.middles[a.middle[i]] != middle_between(&b, a.tet[a.corner[i]], a.tet[a.corner[(i + 1) % 3]])) return false;
  return true;
}

/* --------------------------------------------------------------------------------------------------------- refusals */

typedef struct more_words {
  char text[64];
} more_words;

static more_words and_more(int64_t more, const char *what) {
  more_words words = {""};
  if (more)
    snprintf(words.text, sizeof words.text, " (and %lld more such %s%s)", (long long)more, what, more > 1 ? "s" : "");
  return words;
}

ipg_status ipg_sides_refuse_element(const ipg_mesh *mesh, int64_t element, int64_t count, ipg_error *error) {
  return ipg_fail(error, IPG_ERROR_FORMAT,
                  "element %lld of block '%.80s' has a node twice or one that is not in the mesh%s: mend or remove it",
                  (long long)mesh->element_gids[element], ipg_mesh_block_name(mesh, element),
                  and_more(count - 1, "element").text);
}

/* The slot of an element that has the corners of another slot; -1 if there is none. */
static int64_t slot_with_corners(const ipg_mesh *mesh, int64_t element, int64_t other) {
  const ipg_id *tet = mesh->tets + 4 * element, *with = mesh->tets + other / 4 * 4;
  const int *corner = ipg_tet_sides[other % 4];
  for (int side = 0; side < 4; ++side) {
    int found = 0;
    for (int i = 0; i < 9; ++i) found += tet[ipg_tet_sides[side][i % 3]] == with[corner[i / 3]];
    if (found == 3) return 4 * element + side;
  }
  return -1;
}

/* The lowest three slots that have the corners of `slot`, itself the lowest; returns how many there are. */
static int find_owners(const ipg_mesh *mesh, int64_t slot, int64_t owners[3]) {
  int count = 0;
  for (int64_t e = slot / 4; count < 3 && e < mesh->element_count; ++e) {
    const int64_t owner = slot_with_corners(mesh, e, slot);
    if (owner >= 0) owners[count++] = owner;
  }
  return count;
}

static long long owner_gid(const ipg_mesh *mesh, int64_t slot) { return mesh->element_gids[slot / 4]; }

static long long corner_gid(const ipg_mesh *mesh, int64_t slot, int i) {
  return mesh->node_gids[mesh->tets[slot / 4 * 4 + ipg_tet_sides[slot % 4][i]]];
}

static ipg_status refuse_crowd(const ipg_mesh *mesh, const int64_t o[3], const char *more, ipg_error *error) {
  return ipg_fail(error, IPG_ERROR_FORMAT,
                  "elements %lld, %lld and %lld share the face of nodes %lld, %lld, %lld%s: two may; remove the others",
                  owner_gid(mesh, o[0]), owner_gid(mesh, o[1]), owner_gid(mesh, o[2]), corner_gid(mesh, o[0], 0),
                  corner_gid(mesh, o[0], 1), corner_gid(mesh, o[0], 2), more);
}

/* Two that do not fit together: if it is not their nodes, they lie on the same side. */
static ipg_status refuse_pair(const ipg_mesh *mesh, const int64_t o[2], const char *more, ipg_error *error) {
  const long long a = owner_gid(mesh, o[0]), b = owner_gid(mesh, o[1]);
  const bool first = ipg_mesh_middles(mesh, o[0] / 4), second = ipg_mesh_middles(mesh, o[1] / 4);
  if (first != second)
    return ipg_fail(error, IPG_ERROR_FORMAT,
                    "elements %lld (%s) and %lld (%s) share a face%s: make both linear or both quadratic", a,
                    first ? "quadratic" : "linear", b, second ? "quadratic" : "linear", more);
  if (!ipg_sides_agree(mesh, o[0], o[1]))
    return ipg_fail(error, IPG_ERROR_FORMAT,
                    "elements %lld and %lld share the corners of a face but not its middle nodes%s: give both the same",
                    a, b, more);
  return ipg_fail(error, IPG_ERROR_FORMAT,
                  "elements %lld and %lld lie on the same side of a face they share%s: one is double or inside out, "
                  "remove or turn it",
                  a, b, more);
}

ipg_status ipg_sides_refuse(const ipg_mesh *mesh, int64_t slot, int64_t count, ipg_error *error) {
  const more_words more = and_more(count - 1, "place");
  int64_t owners[3] = {slot, slot, slot};
  if (find_owners(mesh, slot, owners) == 3) return refuse_crowd(mesh, owners, more.text, error);
  return refuse_pair(mesh, owners, more.text, error);
}
