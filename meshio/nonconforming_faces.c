/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Before a refusal time does not matter: the elements that share the face are searched among all elements, so that the
 * matching needs no memory for them.
 * Invariant: messages name elements in ascending order. */
#include "nonconforming_faces.h"

#include "mesh_lookup.h"

#include <stdio.h>

typedef struct side_nodes {
  const ipg_id *tet, *middles;
  const int *corner, *middle;
} side_nodes;

static side_nodes get_side_nodes(const ipg_mesh *mesh, int64_t slot) {
  return (side_nodes){mesh->tets + slot / 4 * 4, ipg_mesh_middles(mesh, slot / 4), ipg_tet_sides[slot % 4],
                      ipg_tet_side_middles[slot % 4]};
}

/* The middle node between two corners of a side. */
static ipg_id find_middle_between(const side_nodes *s, ipg_id a, ipg_id b) {
  for (int i = 0; i < 3; ++i) {
    const ipg_id from = s->tet[s->corner[i]], to = s->tet[s->corner[(i + 1) % 3]];
    if ((from == a && to == b) || (from == b && to == a)) return s->middles[s->middle[i]];
  }
  return -1;
}

bool ipg_middles_conform(const ipg_mesh *mesh, int64_t slot, int64_t other) {
  if (!mesh->quadratic_count) return true;
  const side_nodes a = get_side_nodes(mesh, slot), b = get_side_nodes(mesh, other);
  if (!a.middles != !b.middles) return false;
  for (int i = 0; a.middles && i < 3; ++i)
    if (a.middles[a.middle[i]] != find_middle_between(&b, a.tet[a.corner[i]], a.tet[a.corner[(i + 1) % 3]]))
      return false;
  return true;
}

/* --------------------------------------------------------------------------------------------------------- messages */

typedef struct more_text {
  char text[64];
} more_text;

static more_text describe_more(int64_t more, const char *what) {
  more_text words = {""};
  if (more)
    snprintf(words.text, sizeof words.text, " (and %lld more such %s%s)", (long long)more, what, more > 1 ? "s" : "");
  return words;
}

ipg_status ipg_report_bad_element(const ipg_mesh *mesh, int64_t element, int64_t count, ipg_error *error) {
  return ipg_fail(error, IPG_ERROR_FORMAT,
                  "element %lld of block '%.80s' has a node twice or one that is not in the mesh%s: mend or remove it",
                  (long long)mesh->element_gids[element], ipg_mesh_block_name(mesh, element),
                  describe_more(count - 1, "element").text);
}

/* The slot of an element that has the corners of another slot; -1 if there is none. */
static int64_t find_slot_with_corners(const ipg_mesh *mesh, int64_t element, int64_t other) {
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
    const int64_t owner = find_slot_with_corners(mesh, e, slot);
    if (owner >= 0) owners[count++] = owner;
  }
  return count;
}

static long long owner_gid(const ipg_mesh *mesh, int64_t slot) { return mesh->element_gids[slot / 4]; }

static long long corner_gid(const ipg_mesh *mesh, int64_t slot, int i) {
  return mesh->node_gids[mesh->tets[slot / 4 * 4 + ipg_tet_sides[slot % 4][i]]];
}

static ipg_status report_third_element(const ipg_mesh *mesh, const int64_t o[3], const char *more, ipg_error *error) {
  return ipg_fail(error, IPG_ERROR_FORMAT,
                  "elements %lld, %lld and %lld share the face of nodes %lld, %lld, %lld%s: a face belongs to "
                  "at most two elements, remove the others",
                  owner_gid(mesh, o[0]), owner_gid(mesh, o[1]), owner_gid(mesh, o[2]), corner_gid(mesh, o[0], 0),
                  corner_gid(mesh, o[0], 1), corner_gid(mesh, o[0], 2), more);
}

/* Two elements that do not fit together: if their nodes agree, both lie on the same side of the face. */
static ipg_status report_pair(const ipg_mesh *mesh, const int64_t o[2], const char *more, ipg_error *error) {
  const long long a = owner_gid(mesh, o[0]), b = owner_gid(mesh, o[1]);
  const bool first = ipg_mesh_middles(mesh, o[0] / 4), second = ipg_mesh_middles(mesh, o[1] / 4);
  if (first != second)
    return ipg_fail(error, IPG_ERROR_FORMAT,
                    "elements %lld (%s) and %lld (%s) share a face%s: make both linear or both quadratic", a,
                    first ? "quadratic" : "linear", b, second ? "quadratic" : "linear", more);
  if (!ipg_middles_conform(mesh, o[0], o[1]))
    return ipg_fail(error, IPG_ERROR_FORMAT,
                    "elements %lld and %lld share the corners of a face but not its middle nodes%s: give both the same "
                    "middle nodes",
                    a, b, more);
  return ipg_fail(error, IPG_ERROR_FORMAT,
                  "elements %lld and %lld lie on the same side of a face they share%s: one is a duplicate or inverted, "
                  "remove it or swap two of its nodes",
                  a, b, more);
}

ipg_status ipg_report_nonconforming_face(const ipg_mesh *mesh, int64_t slot, int64_t count, ipg_error *error) {
  const more_text more = describe_more(count - 1, "place");
  int64_t owners[3] = {slot, slot, slot};
  if (find_owners(mesh, slot, owners) == 3) return report_third_element(mesh, owners, more.text, error);
  return report_pair(mesh, owners, more.text, error);
}
