/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/skin_oracle.h"

static const int edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};

void expect_ok(ipg_status status, const ipg_error *error) {
  CU_ASSERT_EQUAL(status, IPG_OK);
  if (status) printf("\n    unexpected: %s\n", error->message);
}

ipg_skin skin_of(const ipg_mesh *mesh) {
  ipg_error error = {0};
  ipg_skin skin = {0};
  expect_ok(ipg_skin_build(mesh, NULL, NULL, &skin, &error), &error);
  return skin;
}

const ipg_id *middles_of(const ipg_mesh *m, int64_t element) {
  for (int b = 0; b < m->block_count; ++b) {
    const ipg_block *block = &m->blocks[b];
    if (block->quadratic && element >= block->first && element < block->first + block->count)
      return m->middles + 6 * (block->first_middle + element - block->first);
  }
  return NULL;
}

ipg_id middle_between(const ipg_mesh *m, int64_t element, ipg_id a, ipg_id b) {
  const ipg_id *tet = m->tets + 4 * element;
  for (int i = 0; i < 6; ++i)
    if ((tet[edges[i][0]] == a && tet[edges[i][1]] == b) || (tet[edges[i][0]] == b && tet[edges[i][1]] == a))
      return middles_of(m, element)[i];
  return -1;
}

void corners_of(const ipg_mesh *m, int64_t element, int side, ipg_id corners[3]) {
  for (int i = 0; i < 3; ++i) corners[i] = m->tets[4 * element + ipg_tet_sides[side][i]];
}

bool has_corners(const ipg_mesh *m, int64_t element, const ipg_id corners[3]) {
  const ipg_id *tet = m->tets + 4 * element;
  for (int i = 0; i < 3; ++i)
    if (tet[0] != corners[i] && tet[1] != corners[i] && tet[2] != corners[i] && tet[3] != corners[i]) return false;
  return true;
}

static void add_faces(face_list *list, const ipg_mesh *m, int64_t element, int side) {
  ipg_id p[3], q[3];
  const ipg_id *tet = m->tets + 4 * element;
  corners_of(m, element, side, p);
  face f = {
      .element = (ipg_id)element, .side = side, .opposite = tet[0] + tet[1] + tet[2] + tet[3] - p[0] - p[1] - p[2]};
  list->faces = grow_array(list->faces, list->count + 4, sizeof f);
  if (!middles_of(m, element)) {
    memcpy(f.nodes, p, sizeof p);
    list->faces[list->count++] = f;
    return;
  }
  for (int i = 0; i < 3; ++i) q[i] = middle_between(m, element, p[i], p[(i + 1) % 3]);
  for (f.sub = 0; f.sub < 4; ++f.sub) {
    const ipg_id at_corner[3] = {p[f.sub % 3], q[f.sub % 3], q[(f.sub + 2) % 3]};
    memcpy(f.nodes, f.sub == 3 ? q : at_corner, sizeof q);
    list->faces[list->count++] = f;
  }
}

face_list oracle_skin(const ipg_mesh *m, const bool *dead) {
  face_list list = {0};
  for (int64_t e = 0; e < m->element_count; ++e)
    for (int side = 0; side < 4; ++side) {
      ipg_id corners[3];
      int owners = 0;
      if (dead && dead[e]) continue;
      corners_of(m, e, side, corners);
      for (int64_t o = 0; o < m->element_count; ++o) owners += !(dead && dead[o]) && has_corners(m, o, corners);
      if (owners == 1) add_faces(&list, m, e, side);
    }
  return list;
}

bool *used_nodes(const ipg_mesh *m, const face_list *list) {
  bool *used = grow_array(NULL, m->node_count, sizeof *used);
  memset(used, 0, (size_t)m->node_count * sizeof *used);
  for (int64_t i = 0; i < 3 * list->count; ++i) used[list->faces[i / 3].nodes[i % 3]] = true;
  return used;
}

bool same_triangle(const ipg_id a[3], const ipg_id b[3]) {
  for (int turn = 0; turn < 3; ++turn)
    if (a[0] == b[turn] && a[1] == b[(turn + 1) % 3] && a[2] == b[(turn + 2) % 3]) return true;
  return false;
}

face face_at(const ipg_skin *s, int64_t i) {
  face f = {.element = s->elements[i], .side = s->sides[i], .sub = s->subs[i], .opposite = s->opposite[i]};
  memcpy(f.nodes, s->faces + 3 * i, sizeof f.nodes);
  return f;
}

bool same_face(const face *a, const face *b) {
  return a->element == b->element && a->side == b->side && a->sub == b->sub && a->opposite == b->opposite &&
         same_triangle(a->nodes, b->nodes);
}

bool same_ids(const ipg_id *a, const ipg_id *b, int64_t count) {
  return !count || !memcmp(a, b, (size_t)count * sizeof *a);
}

bool same_skin(const ipg_skin *a, const ipg_skin *b) {
  return a->face_count == b->face_count && a->node_count == b->node_count && a->element_count == b->element_count &&
         a->body_count == b->body_count && same_ids(a->faces, b->faces, 3 * a->face_count) &&
         same_ids(a->elements, b->elements, a->face_count) && same_ids(a->sides, b->sides, a->face_count) &&
         same_ids(a->subs, b->subs, a->face_count) && same_ids(a->opposite, b->opposite, a->face_count) &&
         same_ids(a->nodes, b->nodes, a->node_count) &&
         same_ids(a->body_of_element, b->body_of_element, a->element_count);
}

bool error_contains(const ipg_error *error, const char *words) {
  const bool found = strstr(error->message, words);
  if (!found) printf("\n    expected \"%s\" in: %s\n", words, error->message);
  return found;
}
