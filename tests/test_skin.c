/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Skins, their pinches and their erosion, held against brute force that shares no code with them: every side against
 * every element, bodies by flooding, slots by looking for the lowest free one. The meshes are boxes and balls of which
 * elements are missing, their nodes and elements shuffled and cut into blocks anyhow, linear, quadratic or both; and
 * heaps of elements thrown together, most of which must be refused, for the first fault and with the right number of
 * them. Beside the oracle: skins are closed and hold the volume of their elements. */
#include "impinge/meshio.h"
#include "support/failing_allocator.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_BLOCKS = 12 };

/* ---------------------------------------------------------------------------------------------------------- worlds */

/* A mesh whose arrays are malloc's, so that tests may do with it what they like. */
typedef struct world {
  ipg_mesh mesh;
  ipg_block blocks[MOST_BLOCKS];
} world;

static const int edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};

static void world_free(world *w) {
  free(w->mesh.x), free(w->mesh.tets), free(w->mesh.middles), free(w->mesh.node_gids), free(w->mesh.element_gids);
  *w = (world){0};
}

static void *grown(void *memory, int64_t count, size_t item_bytes) {
  memory = realloc(memory, (size_t)(count + 1) * item_bytes);
  CU_ASSERT_PTR_NOT_NULL_FATAL(memory);
  return memory;
}

static ipg_id *random_order(rng *r, int64_t count) {
  ipg_id *order = grown(NULL, count, sizeof *order);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t k = rng_int(r, 0, (int)i);
    order[i] = order[k], order[k] = (ipg_id)i;
  }
  return order;
}

static ipg_mesh some_shape(rng *r) {
  const int n[3] = {rng_int(r, 1, 3), rng_int(r, 1, 3), rng_int(r, 1, 2)};
  ipg_mesh mesh = {0};
  const ipg_status status = rng_int(r, 0, 2)
                                ? ipg_mesh_box((double[]){1, 2, 3}, (double[]){2, 4, 7}, n, "shape", NULL, &mesh, NULL)
                                : ipg_mesh_ball((double[]){-4, 1, 1}, 2, rng_int(r, 1, 2), "shape", NULL, &mesh, NULL);
  CU_ASSERT_EQUAL_FATAL(status, IPG_OK);
  return mesh;
}

static ipg_id add_node(ipg_mesh *m, const double x[3]) {
  m->x = grown(m->x, 3 * m->node_count + 3, sizeof *m->x);
  memcpy(m->x + 3 * m->node_count, x, 3 * sizeof *x);
  return (ipg_id)m->node_count++;
}

static void add_block(world *w, int64_t first, bool quadratic) {
  ipg_mesh *m = &w->mesh;
  CU_ASSERT_FATAL(m->block_count < MOST_BLOCKS);
  ipg_block *block = &w->blocks[m->block_count++];
  *block = (ipg_block){.id = m->block_count, .first = first, .count = m->element_count - first, .quadratic = quadratic};
  snprintf(block->name, sizeof block->name, "block%d", m->block_count);
  if (!quadratic) return;
  block->first_middle = m->quadratic_count;
  m->quadratic_count += block->count;
}

/* The node in the middle of an edge: one that an element from `first` on has already, or a new one. */
static ipg_id middle_of(ipg_mesh *m, int64_t first, ipg_id a, ipg_id b, int64_t middles_before) {
  for (int64_t i = middles_before; i < 6 * (m->element_count - first) + middles_before; ++i) {
    const ipg_id *tet = m->tets + 4 * (first + (i - middles_before) / 6);
    const int *edge = edges[(i - middles_before) % 6];
    const bool is_it = (tet[edge[0]] == a && tet[edge[1]] == b) || (tet[edge[0]] == b && tet[edge[1]] == a);
    if (is_it && m->middles[i] >= 0) return m->middles[i];
  }
  double x[3];
  for (int k = 0; k < 3; ++k) x[k] = (m->x[3 * (int64_t)a + k] + m->x[3 * (int64_t)b + k]) / 2;
  return add_node(m, x);
}

static void add_middles(ipg_mesh *m, int64_t first) {
  const int64_t before = 6 * m->quadratic_count, count = 6 * (m->element_count - first);
  m->middles = grown(m->middles, before + count, sizeof *m->middles);
  for (int64_t i = 0; i < count; ++i) m->middles[before + i] = -1;
  for (int64_t i = 0; i < count; ++i) {
    const ipg_id *tet = m->tets + 4 * (first + i / 6);
    m->middles[before + i] = middle_of(m, first, tet[edges[i % 6][0]], tet[edges[i % 6][1]], before);
  }
}

/* The orders of four corners that leave an element as it is. */
static const int turns[12][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 0, 3, 2}, {1, 2, 0, 3}, {1, 3, 2, 0},
                                 {2, 0, 1, 3}, {2, 1, 3, 0}, {2, 3, 0, 1}, {3, 0, 2, 1}, {3, 1, 0, 2}, {3, 2, 1, 0}};

/* Some elements of a shape, in any order, as two blocks. */
static void add_shape(world *w, rng *r, bool quadratic) {
  ipg_mesh shape = some_shape(r), *m = &w->mesh;
  const int keep_of_8 = (const int[]){1, 2, 4, 7, 8, 8}[rng_int(r, 0, 5)];
  const int64_t first = m->element_count, nodes = m->node_count;
  ipg_id *order = random_order(r, shape.element_count);
  for (int64_t i = 0; i < shape.node_count; ++i) add_node(m, shape.x + 3 * i);
  m->tets = grown(m->tets, 4 * (m->element_count + shape.element_count), sizeof *m->tets);
  for (int64_t i = 0; i < shape.element_count; ++i) {
    if (rng_int(r, 1, 8) > keep_of_8) continue;
    const int *turned = turns[rng_int(r, 0, 11)];
    for (int c = 0; c < 4; ++c)
      m->tets[4 * m->element_count + c] = (ipg_id)nodes + shape.tets[4 * (int64_t)order[i] + turned[c]];
    m->element_count++;
  }
  if (quadratic) add_middles(m, first);
  const int64_t all = m->element_count;
  m->element_count = first + rng_int(r, 0, (int)(all - first));
  add_block(w, first, quadratic);
  const int64_t second = m->element_count;
  m->element_count = all;
  add_block(w, second, quadratic);
  free(order);
  ipg_mesh_destroy(&shape);
}

static void shuffle_nodes(ipg_mesh *m, rng *r) {
  ipg_id *place = random_order(r, m->node_count);
  double *x = grown(NULL, 3 * m->node_count, sizeof *x);
  for (int64_t i = 0; i < m->node_count; ++i) memcpy(x + 3 * (int64_t)place[i], m->x + 3 * i, 3 * sizeof *x);
  for (int64_t i = 0; i < 4 * m->element_count; ++i) m->tets[i] = place[m->tets[i]];
  for (int64_t i = 0; i < 6 * m->quadratic_count; ++i) m->middles[i] = place[m->middles[i]];
  free(m->x);
  m->x = x;
  free(place);
}

/* Numbers that are not those of the arrays. */
static void number(world *w) {
  ipg_mesh *m = &w->mesh;
  m->blocks = w->blocks;
  m->node_gids = grown(m->node_gids, m->node_count, sizeof *m->node_gids);
  m->element_gids = grown(m->element_gids, m->element_count, sizeof *m->element_gids);
  for (int64_t i = 0; i < m->node_count; ++i) m->node_gids[i] = 3000000 + 2 * i;
  for (int64_t e = 0; e < m->element_count; ++e) m->element_gids[e] = 7000 + 3 * e;
}

typedef enum world_kind { LINEAR, QUADRATIC, BOTH } world_kind;

static void make_world(world *w, rng *r, world_kind kind, int most_shapes) {
  *w = (world){0};
  for (int left = rng_int(r, 1, most_shapes); left; --left)
    add_shape(w, r, kind == BOTH ? rng_int(r, 0, 1) : kind == QUADRATIC);
  if (rng_int(r, 0, 3)) shuffle_nodes(&w->mesh, r);
  number(w);
}

static ipg_mesh large_box(rng *r, int n, bool shuffled) {
  ipg_mesh mesh = {0};
  CU_ASSERT_FATAL(!ipg_mesh_box((double[]){0, 0, 0}, (double[]){1, 1, 1}, (int[]){n, n, n}, "box", NULL, &mesh, NULL));
  if (!shuffled) return mesh;
  ipg_id *nodes = random_order(r, mesh.node_count), *elements = random_order(r, mesh.element_count);
  for (int64_t i = 0; i < 4 * mesh.element_count; ++i) mesh.tets[i] = nodes[mesh.tets[i]];
  for (int64_t e = 0; e < mesh.element_count; ++e)
    for (int c = 0; c < 4; ++c) {
      const ipg_id swap = mesh.tets[4 * e + c];
      mesh.tets[4 * e + c] = mesh.tets[4 * (int64_t)elements[e] + c];
      mesh.tets[4 * (int64_t)elements[e] + c] = swap;
    }
  free(nodes);
  free(elements);
  return mesh;
}

static void expect_ok(ipg_status status, const ipg_error *error) {
  CU_ASSERT_EQUAL(status, IPG_OK);
  if (status) printf("\n    unexpected: %s\n", error->message);
}

static ipg_skin skin_of(const ipg_mesh *mesh) {
  ipg_error error = {0};
  ipg_skin skin = {0};
  expect_ok(ipg_skin_build(mesh, NULL, NULL, &skin, &error), &error);
  return skin;
}

/* ---------------------------------------------------------------------------------------------------------- oracle */

static const ipg_id *middles_of(const ipg_mesh *m, int64_t element) {
  for (int b = 0; b < m->block_count; ++b) {
    const ipg_block *block = &m->blocks[b];
    if (block->quadratic && element >= block->first && element < block->first + block->count)
      return m->middles + 6 * (block->first_middle + element - block->first);
  }
  return NULL;
}

static ipg_id middle_between(const ipg_mesh *m, int64_t element, ipg_id a, ipg_id b) {
  const ipg_id *tet = m->tets + 4 * element;
  for (int i = 0; i < 6; ++i)
    if ((tet[edges[i][0]] == a && tet[edges[i][1]] == b) || (tet[edges[i][0]] == b && tet[edges[i][1]] == a))
      return middles_of(m, element)[i];
  return -1;
}

static void corners_of(const ipg_mesh *m, int64_t element, int side, ipg_id corners[3]) {
  for (int i = 0; i < 3; ++i) corners[i] = m->tets[4 * element + ipg_tet_sides[side][i]];
}

static bool has_corners(const ipg_mesh *m, int64_t element, const ipg_id corners[3]) {
  const ipg_id *tet = m->tets + 4 * element;
  for (int i = 0; i < 3; ++i)
    if (tet[0] != corners[i] && tet[1] != corners[i] && tet[2] != corners[i] && tet[3] != corners[i]) return false;
  return true;
}

typedef struct face {
  ipg_id element, side, sub, opposite, nodes[3];
} face;

typedef struct face_list {
  face *faces;
  int64_t count;
} face_list;

static void add_faces(face_list *list, const ipg_mesh *m, int64_t element, int side) {
  ipg_id p[3], q[3];
  const ipg_id *tet = m->tets + 4 * element;
  corners_of(m, element, side, p);
  face f = {
      .element = (ipg_id)element, .side = side, .opposite = tet[0] + tet[1] + tet[2] + tet[3] - p[0] - p[1] - p[2]};
  list->faces = grown(list->faces, list->count + 4, sizeof f);
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

/* Sides that no other living element has. */
static face_list oracle_skin(const ipg_mesh *m, const bool *dead) {
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

/* One byte per node; is it on a face? */
static bool *used_nodes(const ipg_mesh *m, const face_list *list) {
  bool *used = grown(NULL, m->node_count, sizeof *used);
  memset(used, 0, (size_t)m->node_count * sizeof *used);
  for (int64_t i = 0; i < 3 * list->count; ++i) used[list->faces[i / 3].nodes[i % 3]] = true;
  return used;
}

/* Up to rotation. */
static bool same_triangle(const ipg_id a[3], const ipg_id b[3]) {
  for (int turn = 0; turn < 3; ++turn)
    if (a[0] == b[turn] && a[1] == b[(turn + 1) % 3] && a[2] == b[(turn + 2) % 3]) return true;
  return false;
}

static face face_at(const ipg_skin *s, int64_t i) {
  face f = {.element = s->elements[i], .side = s->sides[i], .sub = s->subs[i], .opposite = s->opposite[i]};
  memcpy(f.nodes, s->faces + 3 * i, sizeof f.nodes);
  return f;
}

static bool same_face(const face *a, const face *b) {
  return a->element == b->element && a->side == b->side && a->sub == b->sub && a->opposite == b->opposite &&
         same_triangle(a->nodes, b->nodes);
}

static bool faces_are_right(const ipg_mesh *m, const ipg_skin *skin) {
  face_list expected = oracle_skin(m, NULL);
  bool *used = used_nodes(m, &expected), same = expected.count == skin->face_count;
  for (int64_t i = 0; same && i < expected.count; ++i) {
    const face found = face_at(skin, i);
    same = same_face(&expected.faces[i], &found);
  }
  int64_t nodes = 0;
  for (ipg_id i = 0; same && i < m->node_count; ++i)
    if (used[i]) same = nodes < skin->node_count && skin->nodes[nodes++] == i;
  same = same && nodes == skin->node_count;
  free(expected.faces);
  free(used);
  return same;
}

static bool share_a_corner(const ipg_mesh *m, int64_t a, int64_t b) {
  for (int k = 0; k < 16; ++k)
    if (m->tets[4 * a + k / 4] == m->tets[4 * b + k % 4]) return true;
  return false;
}

static void flood(const ipg_mesh *m, int64_t from, int body, int *bodies) {
  bodies[from] = body;
  for (bool changed = true; changed;) {
    changed = false;
    for (int64_t a = 0; a < m->element_count; ++a)
      for (int64_t b = 0; bodies[a] == body && b < m->element_count; ++b)
        if (bodies[b] < 0 && share_a_corner(m, a, b)) bodies[b] = body, changed = true;
  }
}

static bool bodies_are_right(const ipg_mesh *m, const ipg_skin *skin) {
  int *bodies = grown(NULL, m->element_count, sizeof *bodies), count = 0;
  bool same = skin->element_count == m->element_count;
  for (int64_t e = 0; e < m->element_count; ++e) bodies[e] = -1;
  for (int64_t e = 0; e < m->element_count; ++e)
    if (bodies[e] < 0) flood(m, e, count++, bodies);
  for (int64_t e = 0; same && e < m->element_count; ++e) same = bodies[e] == skin->body_of_element[e];
  free(bodies);
  return same && count == skin->body_count;
}

/* ------------------------------------------------------------------------------------------------------ closed skins
 */

static int compare_words(const void *a, const void *b) {
  const uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
  return (p > q) - (p < q);
}

/* Every edge is run along as often in one direction as in the other. */
static bool is_closed(const ipg_skin *s) {
  const int64_t count = 3 * s->face_count;
  uint64_t *there = grown(NULL, count, sizeof *there), *back = grown(NULL, count, sizeof *back);
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t a = (uint64_t)s->faces[i], b = (uint64_t)s->faces[i - i % 3 + (i + 1) % 3];
    there[i] = a << 32 | b, back[i] = b << 32 | a;
  }
  qsort(there, (size_t)count, sizeof *there, compare_words);
  qsort(back, (size_t)count, sizeof *back, compare_words);
  const bool closed = !memcmp(there, back, (size_t)count * sizeof *there);
  free(there);
  free(back);
  return closed;
}

/* A sixth of the sum of determinants about a point: by Gauss the volume inside, whatever the point. */
static double enclosed_volume(const ipg_mesh *m, const ipg_skin *s, const double about[3]) {
  double sum = 0, p[3][3];
  for (int64_t f = 0; f < s->face_count; ++f) {
    for (int i = 0; i < 9; ++i) p[i / 3][i % 3] = m->x[3 * (int64_t)s->faces[3 * f + i / 3] + i % 3] - about[i % 3];
    sum += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) + p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
           p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
  }
  return sum / 6;
}

static double mesh_volume(const ipg_mesh *m) {
  double sum = 0;
  for (int64_t e = 0; e < m->element_count; ++e) sum += ipg_tet_volume(m->x, m->tets + 4 * e);
  return sum;
}

static bool holds_its_volume(const ipg_mesh *m, const ipg_skin *s) {
  const double volume = mesh_volume(m);
  return fabs(enclosed_volume(m, s, (const double[]){0, 0, 0}) - volume) < 1e-10 &&
         fabs(enclosed_volume(m, s, (const double[]){-5, 3, 11}) - volume) < 1e-10;
}

/* Nodes less edges plus faces; of a manifold skin two per body. */
static int64_t euler_number(const ipg_skin *s) { return s->node_count - 3 * s->face_count / 2 + s->face_count; }

static void test_whole_shapes(void) {
  for (int n = 1; n <= 5; ++n) {
    ipg_mesh ball = {0}, box = {0};
    CU_ASSERT_FATAL(!ipg_mesh_ball((double[]){0, 0, 0}, 1, n, "ball", NULL, &ball, NULL));
    CU_ASSERT_FATAL(!ipg_mesh_box((double[]){2, 0, 0}, (double[]){3, 1, 1}, (int[]){n, 1, 2}, "box", NULL, &box, NULL));
    CU_ASSERT_FATAL(!ipg_mesh_append(&ball, &box, NULL));
    ipg_skin skin = skin_of(&ball);
    CU_ASSERT_EQUAL(skin.face_count, 20 * n * n + 4 * (3 * n + 2));
    CU_ASSERT_EQUAL(skin.body_count, 2);
    CU_ASSERT_EQUAL(euler_number(&skin), 4);
    CU_ASSERT(is_closed(&skin) && holds_its_volume(&ball, &skin));
    ipg_skin_destroy(&skin);
    CU_ASSERT(!skin.faces && !skin.face_count && !skin.element_count);
    ipg_mesh_destroy(&ball);
    ipg_mesh_destroy(&box);
  }
}

static void test_quadratic_ball(void) {
  rng r = rng_start(1);
  world w = {0};
  ipg_mesh ball = {0};
  CU_ASSERT_FATAL(!ipg_mesh_ball((double[]){0, 0, 0}, 1, 2, "ball", NULL, &ball, NULL));
  for (int64_t i = 0; i < ball.node_count; ++i) add_node(&w.mesh, ball.x + 3 * i);
  w.mesh.tets = grown(NULL, 4 * ball.element_count, sizeof(ipg_id));
  memcpy(w.mesh.tets, ball.tets, 4 * (size_t)ball.element_count * sizeof(ipg_id));
  w.mesh.element_count = ball.element_count;
  add_middles(&w.mesh, 0);
  add_block(&w, 0, true);
  shuffle_nodes(&w.mesh, &r);
  number(&w);
  ipg_skin skin = skin_of(&w.mesh);
  CU_ASSERT_EQUAL(skin.face_count, 4 * 80);
  CU_ASSERT_EQUAL(skin.body_count, 1);
  CU_ASSERT_EQUAL(euler_number(&skin), 2);
  CU_ASSERT(is_closed(&skin) && holds_its_volume(&w.mesh, &skin) && faces_are_right(&w.mesh, &skin));
  ipg_skin_destroy(&skin);
  ipg_mesh_destroy(&ball);
  world_free(&w);
}

static void test_empty_mesh(void) {
  const ipg_mesh nothing = {0}, nodes_only = {.node_count = 5};
  ipg_skin skin = skin_of(&nothing);
  CU_ASSERT(!skin.face_count && !skin.node_count && !skin.body_count);
  ipg_skin_destroy(&skin);
  skin = skin_of(&nodes_only);
  CU_ASSERT(!skin.face_count && !skin.node_count && !skin.body_count);
  ipg_skin_destroy(&skin);
  CU_ASSERT_EQUAL(ipg_skin_build(NULL, NULL, NULL, &skin, NULL), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_skin_build(&nothing, NULL, NULL, NULL, NULL), IPG_ERROR_ARGUMENT);
  ipg_skin_destroy(NULL);
}

static void test_against_brute_force(void) {
  rng r = rng_start(2);
  for (long i = 0; i < suite_scenes() / 16; ++i) {
    world w;
    make_world(&w, &r, (world_kind)(i % 3), 3);
    ipg_skin skin = skin_of(&w.mesh);
    const bool fine = faces_are_right(&w.mesh, &skin) && bodies_are_right(&w.mesh, &skin) && is_closed(&skin) &&
                      holds_its_volume(&w.mesh, &skin);
    CU_ASSERT(fine);
    if (!fine) printf("\n    scene %ld is skinned wrongly", i);
    ipg_skin_destroy(&skin);
    world_free(&w);
  }
}

/* --------------------------------------------------------------------------------------------------- larger meshes */

static bool same_ids(const ipg_id *a, const ipg_id *b, int64_t count) {
  return !count || !memcmp(a, b, (size_t)count * sizeof *a);
}

static bool same_skin(const ipg_skin *a, const ipg_skin *b) {
  return a->face_count == b->face_count && a->node_count == b->node_count && a->element_count == b->element_count &&
         a->body_count == b->body_count && same_ids(a->faces, b->faces, 3 * a->face_count) &&
         same_ids(a->elements, b->elements, a->face_count) && same_ids(a->sides, b->sides, a->face_count) &&
         same_ids(a->subs, b->subs, a->face_count) && same_ids(a->opposite, b->opposite, a->face_count) &&
         same_ids(a->nodes, b->nodes, a->node_count) &&
         same_ids(a->body_of_element, b->body_of_element, a->element_count);
}

/* Many chunks of elements, and many bins of nodes: the same arrays for any number of workers. */
static void test_workers(void) {
  static const int workers[] = {1, 2, 4};
  rng r = rng_start(3);
  for (int shuffled = 0; shuffled < 2; ++shuffled) {
    ipg_mesh mesh = large_box(&r, suite_is_quick() ? 20 : 30, shuffled);
    ipg_skin serial = skin_of(&mesh);
    CU_ASSERT_EQUAL(serial.body_count, 1);
    CU_ASSERT_EQUAL(euler_number(&serial), 2);
    CU_ASSERT(is_closed(&serial));
    for (size_t i = 0; i < sizeof workers / sizeof *workers; ++i) {
      ipg_pool *pool = NULL;
      ipg_skin skin = {0};
      CU_ASSERT_FATAL(!ipg_pool_create(workers[i], &pool, NULL));
      const ipg_tasks tasks = ipg_pool_tasks(pool);
      CU_ASSERT_EQUAL(ipg_skin_build(&mesh, NULL, &tasks, &skin, NULL), IPG_OK);
      CU_ASSERT(same_skin(&serial, &skin));
      ipg_skin_destroy(&skin);
      ipg_pool_destroy(&pool);
    }
    ipg_skin_destroy(&serial);
    ipg_mesh_destroy(&mesh);
  }
}

/* A wheel of elements around one edge whose ends have the lowest numbers: all are dealt to the same bin. */
static void test_wheel(void) {
  enum { SPOKES = 40000 };
  world w = {.mesh = {.node_count = SPOKES + 2, .element_count = SPOKES}};
  w.mesh.tets = grown(NULL, 4 * SPOKES, sizeof(ipg_id));
  for (ipg_id i = 0; i < SPOKES; ++i) {
    const ipg_id tet[4] = {0, 1, 2 + i, 2 + (i + 1) % SPOKES};
    memcpy(w.mesh.tets + 4 * (int64_t)i, tet, sizeof tet);
  }
  number(&w);
  ipg_skin skin = skin_of(&w.mesh);
  CU_ASSERT_EQUAL(skin.face_count, 2 * SPOKES);
  CU_ASSERT_EQUAL(skin.body_count, 1);
  CU_ASSERT_EQUAL(euler_number(&skin), 2);
  CU_ASSERT(is_closed(&skin));
  ipg_skin_destroy(&skin);
  world_free(&w);
}

/* -------------------------------------------------------------------------------------------------------- refusals */

static bool says(const ipg_error *error, const char *words) {
  const bool found = strstr(error->message, words);
  if (!found) printf("\n    expected \"%s\" in: %s\n", words, error->message);
  return found;
}

static bool middles_agree(const ipg_mesh *m, int64_t a, int64_t b, const ipg_id p[3]) {
  for (int i = 0; i < 3; ++i)
    if (middle_between(m, a, p[i], p[(i + 1) % 3]) != middle_between(m, b, p[i], p[(i + 1) % 3])) return false;
  return true;
}

static int side_with(const ipg_mesh *m, int64_t element, const ipg_id corners[3]) {
  ipg_id own[3];
  for (int side = 0; side < 4; ++side) {
    corners_of(m, element, side, own);
    int found = 0;
    for (int i = 0; i < 9; ++i) found += own[i / 3] == corners[i % 3];
    if (found == 3) return side;
  }
  return -1;
}

/* What is wrong with two elements that share these corners, as the first words of a refusal; "" if nothing is. */
static void complain_of_two(const ipg_mesh *m, const int64_t o[2], const ipg_id p[3], char *words, size_t room) {
  const long long a = m->element_gids[o[0]], b = m->element_gids[o[1]];
  const bool quadratic[2] = {middles_of(m, o[0]), middles_of(m, o[1])};
  ipg_id q[3];
  corners_of(m, o[1], side_with(m, o[1], p), q);
  words[0] = 0;
  if (quadratic[0] != quadratic[1])
    snprintf(words, room, "elements %lld (%s) and %lld (%s) share a face", a, quadratic[0] ? "quadratic" : "linear", b,
             quadratic[1] ? "quadratic" : "linear");
  else if (quadratic[0] && !middles_agree(m, o[0], o[1], p))
    snprintf(words, room, "elements %lld and %lld share the corners of a face but not its middle nodes", a, b);
  else if (same_triangle(p, q))
    snprintf(words, room, "elements %lld and %lld lie on the same side of a face they share", a, b);
}

/* The faults of a mesh: how many, and the words for the first. */
static int64_t oracle_faults(const ipg_mesh *m, char *words, size_t room) {
  int64_t faults = 0;
  for (int64_t e = 0; e < m->element_count; ++e)
    for (int side = 0; side < 4; ++side) {
      ipg_id p[3];
      int64_t owners[3] = {-1, -1, -1};
      int count = 0;
      char now[200] = "";
      corners_of(m, e, side, p);
      for (int64_t o = 0; o < m->element_count; ++o)
        if (has_corners(m, o, p) && count++ < 3) owners[count - 1] = o;
      if (owners[0] < e) continue;
      if (count == 2) complain_of_two(m, owners, p, now, sizeof now);
      if (count > 2)
        snprintf(now, sizeof now, "elements %lld, %lld and %lld share the face of nodes %lld, %lld, %lld",
                 (long long)m->element_gids[owners[0]], (long long)m->element_gids[owners[1]],
                 (long long)m->element_gids[owners[2]], (long long)m->node_gids[p[0]], (long long)m->node_gids[p[1]],
                 (long long)m->node_gids[p[2]]);
      if (now[0] && !faults++) snprintf(words, room, "%s", now);
    }
  return faults;
}

/* Elements thrown onto a few nodes; quadratic ones agree on most middles. */
static void make_heap(world *w, rng *r, bool quadratic) {
  const int nodes = rng_int(r, 6, 12);
  *w = (world){0};
  for (int i = 0; i < nodes; ++i) add_node(&w->mesh, (const double[]){rng_unit(r), rng_unit(r), rng_unit(r)});
  for (int blocks = rng_int(r, 1, 3); blocks; --blocks) {
    const int64_t first = w->mesh.element_count;
    const int more = rng_int(r, 0, 5);
    w->mesh.tets = grown(w->mesh.tets, 4 * (first + more), sizeof(ipg_id));
    for (int i = 0; i < more; ++i) {
      ipg_id *order = random_order(r, nodes);
      memcpy(w->mesh.tets + 4 * w->mesh.element_count++, order, 4 * sizeof *order);
      free(order);
    }
    const bool has_middles = quadratic && rng_int(r, 0, 3);
    if (has_middles) add_middles(&w->mesh, first);
    add_block(w, first, has_middles);
  }
  number(w);
}

static void test_refusals_against_brute_force(void) {
  rng r = rng_start(4);
  int64_t refused = 0, taken = 0;
  for (long i = 0; i < suite_scenes(); ++i) {
    world w;
    ipg_skin skin = {0};
    ipg_error error = {0};
    char words[200] = "", more[64] = ": ";
    make_heap(&w, &r, i % 2);
    const int64_t faults = oracle_faults(&w.mesh, words, sizeof words);
    if (faults > 1)
      snprintf(more, sizeof more, " (and %d more such place%s): ", (int)faults - 1, faults > 2 ? "s" : "");
    const ipg_status status = ipg_skin_build(&w.mesh, NULL, NULL, &skin, &error);
    CU_ASSERT_EQUAL(status, faults ? IPG_ERROR_FORMAT : IPG_OK);
    CU_ASSERT(!faults || (says(&error, words) && says(&error, more)));
    CU_ASSERT(!faults || (!skin.faces && !skin.body_of_element));
    refused += faults > 0, taken += faults == 0;
    ipg_skin_destroy(&skin);
    world_free(&w);
  }
  CU_ASSERT(refused > 10 && taken > 10);
}

typedef struct triple {
  ipg_id n[3], slot; /* corners, ascending */
} triple;

static int compare_triples(const void *a, const void *b) {
  const triple *p = a, *q = b;
  for (int i = 0; i < 3; ++i)
    if (p->n[i] != q->n[i]) return p->n[i] < q->n[i] ? -1 : 1;
  return (p->slot > q->slot) - (p->slot < q->slot);
}

static triple triple_at(const ipg_mesh *m, int64_t slot) {
  triple t = {.slot = (ipg_id)slot};
  corners_of(m, slot / 4, (int)(slot % 4), t.n);
  for (int i = 0; i < 3; ++i)
    if (t.n[i % 2] > t.n[i % 2 + 1]) {
      const ipg_id swap = t.n[i % 2];
      t.n[i % 2] = t.n[i % 2 + 1], t.n[i % 2 + 1] = swap;
    }
  return t;
}

static bool wind_alike(const ipg_mesh *m, int64_t a, int64_t b) {
  ipg_id p[3], q[3];
  corners_of(m, a / 4, (int)(a % 4), p);
  corners_of(m, b / 4, (int)(b % 4), q);
  return same_triangle(p, q);
}

/* How many triangles three or more elements share, or two on the same side; the lowest slot of them all. */
static int64_t faults_by_sort(const ipg_mesh *m, int64_t *first) {
  const int64_t count = 4 * m->element_count;
  triple *t = grown(NULL, count, sizeof *t);
  int64_t faults = 0;
  for (int64_t slot = 0; slot < count; ++slot) t[slot] = triple_at(m, slot);
  qsort(t, (size_t)count, sizeof *t, compare_triples);
  for (int64_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && !memcmp(t[i].n, t[end].n, sizeof t->n);) ++end;
    if (end - i == 1 || (end - i == 2 && !wind_alike(m, t[i].slot, t[i + 1].slot))) continue;
    if (!faults++ || t[i].slot < *first) *first = t[i].slot;
  }
  free(t);
  return faults;
}

/* Inner elements of a large mesh come twice: the first fault is found among all bins of nodes, in element order. */
static void test_refusals_of_large_mesh(void) {
  rng r = rng_start(10);
  for (int round = 0; round < 6; ++round) {
    ipg_mesh mesh = large_box(&r, 20, round % 2);
    int64_t first = -1;
    char words[64], more[64];
    ipg_skin skin;
    ipg_error error = {0};
    for (int i = 0; i < 5; ++i) {
      const int64_t from = rng_int(&r, 0, (int)mesh.element_count - 1),
                    to = rng_int(&r, 0, (int)mesh.element_count - 1);
      memcpy(mesh.tets + 4 * to, mesh.tets + 4 * from, 4 * sizeof *mesh.tets);
    }
    const int64_t faults = faults_by_sort(&mesh, &first);
    CU_ASSERT_FATAL(faults > 2);
    snprintf(words, sizeof words, "elements %lld", (long long)mesh.element_gids[first / 4]);
    snprintf(more, sizeof more, "(and %lld more such places)", (long long)faults - 1);
    CU_ASSERT_EQUAL(ipg_skin_build(&mesh, NULL, NULL, &skin, &error), IPG_ERROR_FORMAT);
    CU_ASSERT(says(&error, words) && says(&error, more));
    mesh.tets[4 * 40000] = mesh.tets[4 * 40000 + 1], mesh.tets[4 * 7000] = -1, mesh.tets[4 * 9] = INT32_MAX;
    CU_ASSERT_EQUAL(ipg_skin_build(&mesh, NULL, NULL, &skin, &error), IPG_ERROR_FORMAT);
    CU_ASSERT(says(&error, "element 10 of block 'box'") && says(&error, "(and 2 more such elements)"));
    ipg_mesh_destroy(&mesh);
  }
}

static void refuse(world *w, const char *sentence) {
  ipg_skin skin;
  ipg_error error = {0};
  number(w);
  CU_ASSERT_EQUAL(ipg_skin_build(&w->mesh, NULL, NULL, &skin, &error), IPG_ERROR_FORMAT);
  CU_ASSERT(says(&error, sentence));
  CU_ASSERT(!skin.faces && !skin.face_count);
}

/* A world of linear or quadratic elements: 4 or 10 nodes each. */
static world world_of(const ipg_id *nodes, int count, int nodes_per_element, int64_t node_count) {
  world w = {.mesh = {.node_count = node_count, .element_count = count}};
  w.mesh.tets = grown(NULL, 4 * count, sizeof(ipg_id));
  w.mesh.middles = grown(NULL, 6 * count, sizeof(ipg_id));
  for (int i = 0; i < count; ++i) {
    memcpy(w.mesh.tets + 4 * i, nodes + nodes_per_element * i, 4 * sizeof *nodes);
    if (nodes_per_element == 10) memcpy(w.mesh.middles + 6 * i, nodes + 10 * i + 4, 6 * sizeof *nodes);
  }
  add_block(&w, 0, nodes_per_element == 10);
  return w;
}

static void test_improper_elements(void) {
  const ipg_id twice[] = {0, 1, 2, 3, 1, 4, 4, 5, 1, 4, 5, 5}, outside[] = {0, 1, 2, 7}, negative[] = {0, -1, 2, 3};
  ipg_id middles[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  world w = world_of(twice, 3, 4, 6);
  refuse(&w,
         "element 7003 of block 'block1' has a node twice or one that is not in the mesh (and 1 more such element): "
         "mend or remove it");
  world_free(&w);
  w = world_of(outside, 1, 4, 7);
  refuse(&w, "element 7000 of block 'block1' has a node twice or one that is not in the mesh: mend");
  world_free(&w);
  w = world_of(negative, 1, 4, 7);
  refuse(&w, "element 7000 of block");
  world_free(&w);
  for (int bad = 0; bad < 4; ++bad) {
    middles[7] = (const ipg_id[]){10, -1, 2, 9}[bad]; /* outside twice, a corner, another middle */
    w = world_of(middles, 1, 10, 10);
    refuse(&w, "element 7000 of block");
    world_free(&w);
  }
}

/* Two elements on one face, with the same three middles there. */
static const ipg_id two_quadratic[20] = {0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 1, 2, 3, 4, 6, 10, 9, 11, 13, 12};

static void test_middle_nodes(void) {
  ipg_id bad[20];
  world w = world_of(two_quadratic, 2, 10, 14);
  number(&w);
  ipg_skin skin = skin_of(&w.mesh);
  CU_ASSERT_EQUAL(skin.face_count, 4 * 6);
  CU_ASSERT_EQUAL(skin.node_count, 14);
  CU_ASSERT_EQUAL(euler_number(&skin), 2);
  CU_ASSERT(is_closed(&skin) && faces_are_right(&w.mesh, &skin));
  ipg_skin_destroy(&skin);
  world_free(&w);
  memcpy(bad, two_quadratic, sizeof bad);
  bad[16] = 12, bad[19] = 9; /* the middle of 1-3 in the second element */
  w = world_of(bad, 2, 10, 14);
  refuse(&w, "elements 7000 and 7003 share the corners of a face but not its middle nodes: give both the same");
  world_free(&w);
}

/* The last of some elements of a world becomes linear, in a block of its own. */
static void make_last_linear(world *w) {
  w->blocks[0].count--;
  w->mesh.quadratic_count--;
  add_block(w, w->mesh.element_count - 1, false);
}

/* A middle node that is a corner of somebody else is a node like any other: no body hangs together by it. */
static void test_linear_beside_quadratic(void) {
  ipg_id apart[20];
  world w = world_of(two_quadratic, 2, 10, 14);
  make_last_linear(&w);
  refuse(&w, "elements 7000 (quadratic) and 7003 (linear) share a face: make both linear or both quadratic");
  world_free(&w);
  memcpy(apart, two_quadratic, sizeof apart);
  apart[10] = 5, apart[11] = 11, apart[12] = 12, apart[13] = 13;
  w = world_of(apart, 2, 10, 14);
  make_last_linear(&w);
  number(&w);
  ipg_skin skin = skin_of(&w.mesh);
  CU_ASSERT_EQUAL(skin.face_count, 16 + 4);
  CU_ASSERT_EQUAL(skin.node_count, 10 + 3);
  CU_ASSERT_EQUAL(skin.body_count, 2);
  CU_ASSERT(is_closed(&skin) && faces_are_right(&w.mesh, &skin));
  ipg_skin_destroy(&skin);
  world_free(&w);
}

/* --------------------------------------------------------------------------------------------------------- pinches */

static bool face_has_edge(const ipg_skin *s, int64_t f, ipg_id a, ipg_id b) {
  const ipg_id *n = s->faces + 3 * f;
  return (n[0] == a || n[1] == a || n[2] == a) && (n[0] == b || n[1] == b || n[2] == b);
}

/* Every pair of nodes that stand in a face, lower one first, in order; those in more than two faces. */
static bool pinches_are_right(const ipg_skin *s, const ipg_skin_pinches *pinches) {
  int64_t at = 0;
  for (int64_t i = 0; i < s->node_count; ++i)
    for (int64_t k = i + 1; k < s->node_count; ++k) {
      int faces = 0;
      for (int64_t f = 0; f < s->face_count; ++f) faces += face_has_edge(s, f, s->nodes[i], s->nodes[k]);
      if (faces <= 2) continue;
      if (at == pinches->count) return false;
      if (pinches->edges[2 * at] != s->nodes[i] || pinches->edges[2 * at + 1] != s->nodes[k]) return false;
      ++at;
    }
  return at == pinches->count;
}

static void test_pinches(void) {
  rng r = rng_start(5);
  int64_t seen = 0;
  for (long i = 0; i < suite_scenes() / 20; ++i) {
    world w;
    ipg_skin_pinches pinches = {0};
    make_world(&w, &r, (world_kind)(i % 3), 1);
    ipg_skin skin = skin_of(&w.mesh);
    CU_ASSERT_EQUAL(ipg_skin_find_pinches(&skin, NULL, &pinches, NULL), IPG_OK);
    CU_ASSERT(pinches_are_right(&skin, &pinches));
    seen += pinches.count;
    ipg_skin_pinches_destroy(&pinches);
    CU_ASSERT(!pinches.edges && !pinches.count);
    ipg_skin_destroy(&skin);
    world_free(&w);
  }
  CU_ASSERT(seen > 0);
}

static void test_two_elements_on_an_edge(void) {
  const ipg_id two[] = {5, 1, 2, 3, 1, 5, 0, 4};
  world w = world_of(two, 2, 4, 6);
  ipg_skin_pinches pinches = {0};
  number(&w);
  ipg_skin skin = skin_of(&w.mesh);
  CU_ASSERT_EQUAL(ipg_skin_find_pinches(&skin, NULL, &pinches, NULL), IPG_OK);
  CU_ASSERT_EQUAL_FATAL(pinches.count, 1);
  CU_ASSERT(pinches.edges[0] == 1 && pinches.edges[1] == 5);
  CU_ASSERT_EQUAL(skin.body_count, 1);
  ipg_skin_pinches_destroy(&pinches);
  CU_ASSERT_EQUAL(ipg_skin_find_pinches(NULL, NULL, &pinches, NULL), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_skin_find_pinches(&skin, NULL, NULL, NULL), IPG_ERROR_ARGUMENT);
  ipg_skin_destroy(&skin);
  world_free(&w);
}

/* --------------------------------------------------------------------------------------------------------- erosion */

/* What a test knows of an eroding skin: slots as they must be, by the plainest means. */
typedef struct shadow {
  const ipg_mesh *mesh;
  bool *dead;
  face *faces; /* by slot; element -1: empty */
  ipg_id *nodes;
  int64_t face_count, node_count;
  ipg_id *removed_faces, *added_faces, *removed_nodes, *added_nodes;
  int64_t removed_face_count, added_face_count, removed_node_count, added_node_count;
} shadow;

static shadow shadow_of(const ipg_mesh *mesh, const ipg_skin *skin) {
  const int64_t most_faces = 16 * mesh->element_count, most_nodes = mesh->node_count;
  shadow s = {.mesh = mesh, .face_count = skin->face_count, .node_count = skin->node_count};
  s.dead = grown(NULL, mesh->element_count, sizeof *s.dead);
  memset(s.dead, 0, (size_t)mesh->element_count * sizeof *s.dead);
  s.faces = grown(NULL, most_faces, sizeof *s.faces);
  s.nodes = grown(NULL, most_nodes, sizeof *s.nodes);
  s.removed_faces = grown(NULL, most_faces, sizeof(ipg_id));
  s.added_faces = grown(NULL, most_faces, sizeof(ipg_id));
  s.removed_nodes = grown(NULL, most_nodes, sizeof(ipg_id));
  s.added_nodes = grown(NULL, most_nodes, sizeof(ipg_id));
  for (int64_t i = 0; i < skin->face_count; ++i) s.faces[i] = face_at(skin, i);
  for (int64_t i = 0; i < skin->node_count; ++i) s.nodes[i] = skin->nodes[i];
  return s;
}

static void shadow_free(shadow *s) {
  free(s->dead), free(s->faces), free(s->nodes);
  free(s->removed_faces), free(s->added_faces), free(s->removed_nodes), free(s->added_nodes);
}

static bool is_listed(const face_list *list, const face *f) {
  for (int64_t i = 0; i < list->count; ++i)
    if (same_face(&list->faces[i], f)) return true;
  return false;
}

static void shadow_faces(shadow *s, const face_list *now) {
  s->removed_face_count = s->added_face_count = 0;
  for (int64_t i = 0; i < s->face_count; ++i)
    if (s->faces[i].element >= 0 && !is_listed(now, &s->faces[i])) {
      s->faces[i].element = -1;
      s->removed_faces[s->removed_face_count++] = (ipg_id)i;
    }
  const face_list before = {s->faces, s->face_count};
  int64_t slot = 0;
  for (int64_t i = 0; i < now->count; ++i) {
    if (is_listed(&before, &now->faces[i])) continue;
    while (slot < s->face_count && s->faces[slot].element >= 0) ++slot;
    if (slot == s->face_count) s->face_count++;
    s->faces[slot] = now->faces[i];
    s->added_faces[s->added_face_count++] = (ipg_id)slot;
  }
}

static void shadow_nodes(shadow *s, const bool *used) {
  s->removed_node_count = s->added_node_count = 0;
  for (int64_t i = 0; i < s->node_count; ++i)
    if (s->nodes[i] >= 0 && !used[s->nodes[i]]) {
      s->nodes[i] = -1;
      s->removed_nodes[s->removed_node_count++] = (ipg_id)i;
    }
  for (ipg_id node = 0; node < s->mesh->node_count; ++node) {
    int64_t slot = 0;
    bool there = false;
    for (int64_t i = 0; i < s->node_count; ++i) there = there || s->nodes[i] == node;
    if (!used[node] || there) continue;
    while (slot < s->node_count && s->nodes[slot] >= 0) ++slot;
    if (slot == s->node_count) s->node_count++;
    s->nodes[slot] = node;
    s->added_nodes[s->added_node_count++] = (ipg_id)slot;
  }
}

static void shadow_delete(shadow *s, const ipg_id *elements, int64_t count) {
  for (int64_t i = 0; i < count; ++i) s->dead[elements[i]] = true;
  face_list now = oracle_skin(s->mesh, s->dead);
  bool *used = used_nodes(s->mesh, &now);
  shadow_faces(s, &now);
  shadow_nodes(s, used);
  free(now.faces);
  free(used);
}

static bool skin_is_shadow(const ipg_skin *skin, const shadow *s) {
  if (skin->face_count != s->face_count || skin->node_count != s->node_count) return false;
  for (int64_t i = 0; i < s->face_count; ++i) {
    const face f = face_at(skin, i);
    if (f.element != s->faces[i].element || (f.element >= 0 && !same_face(&f, &s->faces[i]))) return false;
  }
  return same_ids(skin->nodes, s->nodes, s->node_count);
}

static bool change_is_shadow(const ipg_erosion_change *c, const shadow *s) {
  return c->removed_face_count == s->removed_face_count && c->added_face_count == s->added_face_count &&
         c->removed_node_count == s->removed_node_count && c->added_node_count == s->added_node_count &&
         same_ids(c->removed_faces, s->removed_faces, s->removed_face_count) &&
         same_ids(c->added_faces, s->added_faces, s->added_face_count) &&
         same_ids(c->removed_nodes, s->removed_nodes, s->removed_node_count) &&
         same_ids(c->added_nodes, s->added_nodes, s->added_node_count);
}

/* Erodes a whole mesh in some rounds; returns whether every round was as it must be. */
static bool erode(const ipg_mesh *mesh, rng *r) {
  ipg_skin skin = skin_of(mesh);
  ipg_error error = {0};
  ipg_erosion *erosion = NULL;
  expect_ok(ipg_erosion_create(mesh, &skin, NULL, &erosion, &error), &error);
  if (!erosion) return false;
  shadow s = shadow_of(mesh, &skin);
  ipg_id *order = random_order(r, mesh->element_count);
  bool fine = skin_is_shadow(ipg_erosion_skin(erosion), &s);
  for (int64_t done = 0; fine && done < mesh->element_count;) {
    ipg_erosion_change change;
    int64_t count = rng_int(r, 0, 3) ? rng_int(r, 0, 4) : rng_int(r, 1, (int)mesh->element_count / 2 + 1);
    if (count > mesh->element_count - done) count = mesh->element_count - done;
    shadow_delete(&s, order + done, count);
    expect_ok(ipg_erosion_delete(erosion, order + done, count, &change, &error), &error);
    fine = change_is_shadow(&change, &s) && skin_is_shadow(ipg_erosion_skin(erosion), &s);
    done += count;
  }
  const ipg_skin *last = ipg_erosion_skin(erosion);
  fine = fine && last->body_count == skin.body_count &&
         same_ids(last->body_of_element, skin.body_of_element, mesh->element_count);
  for (int64_t i = 0; fine && i < last->face_count; ++i) fine = last->elements[i] == -1;
  for (int64_t i = 0; fine && i < last->node_count; ++i) fine = last->nodes[i] == -1;
  ipg_erosion_destroy(&erosion);
  CU_ASSERT_PTR_NULL(erosion);
  shadow_free(&s);
  free(order);
  ipg_skin_destroy(&skin);
  return fine;
}

static void test_erosion(void) {
  rng r = rng_start(6);
  for (long i = 0; i < suite_scenes() / 40; ++i) {
    world w;
    make_world(&w, &r, (world_kind)(i % 3), 2);
    const bool fine = erode(&w.mesh, &r);
    CU_ASSERT(fine);
    if (!fine) printf("\n    scene %ld erodes wrongly", i);
    world_free(&w);
  }
}

/* The pinches of a skin are those of the skin of the elements that are left. */
static void compare_pinches(const ipg_skin *eroded, const ipg_mesh *mesh, const ipg_id *left, int64_t count) {
  ipg_mesh rest = *mesh;
  ipg_skin_pinches of_eroded, of_rest;
  rest.element_count = count;
  rest.tets = grown(NULL, 4 * count, sizeof(ipg_id));
  for (int64_t i = 0; i < count; ++i) memcpy(rest.tets + 4 * i, mesh->tets + 4 * (int64_t)left[i], 4 * sizeof(ipg_id));
  ipg_skin skin = skin_of(&rest);
  CU_ASSERT_EQUAL(ipg_skin_find_pinches(eroded, NULL, &of_eroded, NULL), IPG_OK);
  CU_ASSERT_EQUAL(ipg_skin_find_pinches(&skin, NULL, &of_rest, NULL), IPG_OK);
  CU_ASSERT(of_rest.count > 0 && of_eroded.count == of_rest.count);
  CU_ASSERT(of_eroded.count == of_rest.count && same_ids(of_eroded.edges, of_rest.edges, 2 * of_rest.count));
  ipg_skin_pinches_destroy(&of_eroded);
  ipg_skin_pinches_destroy(&of_rest);
  ipg_skin_destroy(&skin);
  free(rest.tets);
}

/* Two orders of the same list. */
static void test_erosion_order(void) {
  rng r = rng_start(7);
  ipg_mesh mesh = large_box(&r, 4, true);
  ipg_skin skin = skin_of(&mesh);
  ipg_erosion *one = NULL, *two = NULL;
  ipg_erosion_change a, b;
  CU_ASSERT_FATAL(!ipg_erosion_create(&mesh, &skin, NULL, &one, NULL));
  CU_ASSERT_FATAL(!ipg_erosion_create(&mesh, &skin, NULL, &two, NULL));
  ipg_id *order = random_order(&r, mesh.element_count), back[100];
  for (int i = 0; i < 100; ++i) back[i] = order[99 - i];
  CU_ASSERT_EQUAL(ipg_erosion_delete(one, order, 100, &a, NULL), IPG_OK);
  CU_ASSERT_EQUAL(ipg_erosion_delete(two, back, 100, &b, NULL), IPG_OK);
  CU_ASSERT(same_skin(ipg_erosion_skin(one), ipg_erosion_skin(two)));
  CU_ASSERT(a.added_face_count == b.added_face_count && same_ids(a.added_faces, b.added_faces, a.added_face_count));
  CU_ASSERT(a.removed_face_count > 0 && a.added_face_count > 0 && a.added_node_count > 0);
  compare_pinches(ipg_erosion_skin(one), &mesh, order + 100, mesh.element_count - 100);
  CU_ASSERT_EQUAL(ipg_erosion_delete(one, order + 100, 100, &a, NULL), IPG_OK);
  CU_ASSERT_EQUAL(ipg_erosion_delete(one, order + 200, 100, &a, NULL), IPG_OK);
  CU_ASSERT(a.removed_face_count > a.added_face_count); /* slots are empty */
  compare_pinches(ipg_erosion_skin(one), &mesh, order + 300, mesh.element_count - 300);
  ipg_erosion_destroy(&one);
  ipg_erosion_destroy(&two);
  free(order);
  ipg_skin_destroy(&skin);
  ipg_mesh_destroy(&mesh);
}

static void test_erosion_refusals(void) {
  rng r = rng_start(8);
  ipg_mesh mesh = large_box(&r, 2, false);
  ipg_skin skin = skin_of(&mesh), other;
  ipg_erosion *erosion = NULL;
  ipg_erosion_change change;
  ipg_error error = {0};
  const ipg_id twice[] = {3, 4, 3}, outside[] = {5, 48}, negative[] = {-1}, fine[] = {3, 5}, again[] = {6, 5};
  CU_ASSERT_FATAL(!ipg_erosion_create(&mesh, &skin, NULL, &erosion, NULL));
  shadow s = shadow_of(&mesh, &skin);
  CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, twice, 3, &change, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(says(&error, "element 4 is deleted already, or comes twice: name every element once"));
  CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, outside, 2, &change, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(says(&error, "element 48 cannot be deleted: the mesh has elements 0 to 47"));
  CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, negative, 1, &change, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, NULL, 1, &change, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, fine, -1, &change, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(skin_is_shadow(ipg_erosion_skin(erosion), &s));
  CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, NULL, 0, &change, &error), IPG_OK);
  CU_ASSERT(!change.removed_face_count && !change.added_node_count);
  shadow_delete(&s, fine, 2);
  CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, fine, 2, &change, &error), IPG_OK);
  CU_ASSERT(change_is_shadow(&change, &s));
  CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, again, 2, &change, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(skin_is_shadow(ipg_erosion_skin(erosion), &s));
  ipg_erosion_destroy(&erosion);
  ipg_erosion_destroy(&erosion);
  ipg_erosion_destroy(NULL);
  mesh.element_count -= 6;
  CU_ASSERT_EQUAL(ipg_erosion_create(&mesh, &skin, NULL, &erosion, &error), IPG_ERROR_ARGUMENT);
  mesh.element_count += 6;
  ipg_mesh shuffled = large_box(&r, 2, true); /* as many elements, other sides */
  other = skin_of(&shuffled);
  CU_ASSERT_EQUAL(ipg_erosion_create(&mesh, &other, NULL, &erosion, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(says(&error, "the skin is not that of the mesh: build it"));
  CU_ASSERT_PTR_NULL(erosion);
  ipg_skin short_skin = skin;
  short_skin.face_count--;
  CU_ASSERT_EQUAL(ipg_erosion_create(&mesh, &short_skin, NULL, &erosion, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_erosion_create(NULL, &skin, NULL, &erosion, NULL), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_erosion_create(&mesh, NULL, NULL, &erosion, NULL), IPG_ERROR_ARGUMENT);
  ipg_skin_destroy(&other);
  ipg_mesh_destroy(&shuffled);
  shadow_free(&s);
  ipg_skin_destroy(&skin);
  ipg_mesh_destroy(&mesh);
}

/* A bar eaten from one end, layer by layer: a deletion like the one before asks for no memory. */
static void test_erosion_memory(void) {
  enum { LAYERS = 60, PER_LAYER = 24 };
  failing_allocator watch = {0};
  ipg_mesh mesh = {0};
  CU_ASSERT_FATAL(
      !ipg_mesh_box((double[]){0, 0, 0}, (double[]){2, 2, 60}, (int[]){2, 2, LAYERS}, "bar", NULL, &mesh, NULL));
  ipg_skin skin = skin_of(&mesh);
  ipg_skin watched = skin;
  watched.allocator = failing_allocator_of(&watch);
  ipg_erosion *erosion = NULL;
  ipg_erosion_change change;
  CU_ASSERT_FATAL(!ipg_erosion_create(&mesh, &watched, NULL, &erosion, NULL));
  int64_t warm = 0;
  for (int layer = 0; layer < LAYERS; ++layer) {
    ipg_id elements[PER_LAYER];
    int found = 0;
    for (int64_t e = 0; e < mesh.element_count; ++e) {
      double z = 0;
      for (int c = 0; c < 4; ++c) z += mesh.x[3 * (int64_t)mesh.tets[4 * e + c] + 2] / 4;
      if (z > layer && z < layer + 1) elements[found++] = (ipg_id)e;
    }
    CU_ASSERT_EQUAL_FATAL(found, PER_LAYER);
    CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, elements, PER_LAYER, &change, NULL), IPG_OK);
    if (layer == 0) warm = watch.allocations;
    if (layer == LAYERS - 1) break;
    CU_ASSERT(change.removed_face_count == 24 && change.added_face_count == 8);
    CU_ASSERT_EQUAL(watch.allocations, warm);
  }
  CU_ASSERT_EQUAL(ipg_erosion_skin(erosion)->face_count, skin.face_count);
  ipg_erosion_destroy(&erosion);
  CU_ASSERT(!watch.live_blocks && !watch.live_bytes && !watch.wrong_releases);
  ipg_skin_destroy(&skin);
  ipg_mesh_destroy(&mesh);
}

/* ----------------------------------------------------------------------------------------------------- allocations */

typedef ipg_status work(const ipg_mesh *mesh, const ipg_skin *skin, const ipg_allocator *allocator, ipg_error *error);

/* Fails the 1st, 2nd ... allocation until the work gets by without that many. */
static void sweep(work *run, const ipg_mesh *mesh, int64_t at_least) {
  ipg_skin skin = skin_of(mesh);
  failing_allocator watch = {0};
  for (bool refused = true; refused && watch.fail_at < 1000;) {
    ipg_error error = {0};
    watch = (failing_allocator){.fail_at = watch.fail_at + 1};
    const ipg_allocator allocator = failing_allocator_of(&watch);
    const ipg_status status = run(mesh, &skin, &allocator, &error);
    refused = watch.refusals > 0;
    CU_ASSERT_EQUAL(status, refused ? IPG_ERROR_MEMORY : IPG_OK);
    CU_ASSERT(!refused || says(&error, "out of memory"));
    CU_ASSERT(!watch.live_blocks && !watch.live_bytes && !watch.wrong_releases);
  }
  CU_ASSERT(watch.fail_at > at_least);
  ipg_skin_destroy(&skin);
}

static ipg_status build_skin(const ipg_mesh *mesh, const ipg_skin *skin, const ipg_allocator *allocator,
                             ipg_error *error) {
  ipg_skin own;
  const ipg_status status = ipg_skin_build(mesh, allocator, NULL, &own, error);
  CU_ASSERT(status ? !own.faces && !own.nodes && !own.body_of_element : same_skin(&own, skin));
  ipg_skin_destroy(&own);
  return status;
}

static ipg_status find_pinches(const ipg_mesh *mesh, const ipg_skin *skin, const ipg_allocator *allocator,
                               ipg_error *error) {
  (void)mesh;
  ipg_skin_pinches pinches;
  const ipg_status status = ipg_skin_find_pinches(skin, allocator, &pinches, error);
  CU_ASSERT(!status || !pinches.edges);
  ipg_skin_pinches_destroy(&pinches);
  return status;
}

static ipg_status create_erosion(const ipg_mesh *mesh, const ipg_skin *skin, const ipg_allocator *allocator,
                                 ipg_error *error) {
  ipg_skin own = *skin;
  ipg_erosion *erosion;
  own.allocator = *allocator;
  const ipg_status status = ipg_erosion_create(mesh, &own, NULL, &erosion, error);
  CU_ASSERT(!status == !!erosion);
  ipg_erosion_destroy(&erosion);
  return status;
}

/* A deletion that failed has changed nothing, and succeeds when it is asked for again. */
static ipg_status delete_elements(const ipg_mesh *mesh, const ipg_skin *skin, const ipg_allocator *allocator,
                                  ipg_error *error) {
  static const ipg_id first[] = {3, 8, 20, 1}, second[] = {7, 30, 31, 32, 33, 11, 12, 13, 14};
  const failing_allocator given = *(const failing_allocator *)allocator->context;
  failing_allocator *watch = allocator->context;
  ipg_skin own = *skin;
  ipg_erosion *erosion;
  ipg_erosion_change change;
  own.allocator = *allocator;
  watch->fail_at = 0;
  CU_ASSERT_FATAL(!ipg_erosion_create(mesh, &own, NULL, &erosion, NULL));
  shadow s = shadow_of(mesh, skin);
  watch->fail_at = watch->allocations + given.fail_at;
  ipg_status status = ipg_erosion_delete(erosion, first, 4, &change, error);
  if (status) {
    CU_ASSERT(skin_is_shadow(ipg_erosion_skin(erosion), &s) && !change.removed_face_count);
    CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, first, 4, &change, NULL), IPG_OK);
  }
  shadow_delete(&s, first, 4);
  CU_ASSERT(change_is_shadow(&change, &s) && skin_is_shadow(ipg_erosion_skin(erosion), &s));
  const ipg_status later = ipg_erosion_delete(erosion, second, 9, &change, status ? NULL : error);
  if (later) {
    CU_ASSERT(skin_is_shadow(ipg_erosion_skin(erosion), &s) && !status);
    CU_ASSERT_EQUAL(ipg_erosion_delete(erosion, second, 9, &change, NULL), IPG_OK);
  }
  shadow_delete(&s, second, 9);
  CU_ASSERT(change_is_shadow(&change, &s) && skin_is_shadow(ipg_erosion_skin(erosion), &s));
  shadow_free(&s);
  ipg_erosion_destroy(&erosion);
  watch->fail_at = given.fail_at;
  return status ? status : later;
}

static void test_allocation_failures(void) {
  rng r = rng_start(9);
  ipg_mesh mesh = large_box(&r, 2, true);
  sweep(build_skin, &mesh, 14);
  sweep(find_pinches, &mesh, 4);
  sweep(create_erosion, &mesh, 17);
  sweep(delete_elements, &mesh, 12);
  ipg_mesh_destroy(&mesh);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {{"whole shapes are closed", test_whole_shapes},
                         {"a quadratic ball", test_quadratic_ball},
                         {"no elements, no skin", test_empty_mesh},
                         {"skins against brute force", test_against_brute_force},
                         {"the same skin for any number of workers", test_workers},
                         {"a wheel", test_wheel},
                         {"refusals against brute force", test_refusals_against_brute_force},
                         {"refusals of a large mesh", test_refusals_of_large_mesh},
                         {"improper elements", test_improper_elements},
                         {"middle nodes must agree", test_middle_nodes},
                         {"linear elements beside quadratic ones", test_linear_beside_quadratic},
                         {"pinches against brute force", test_pinches},
                         {"two elements on an edge", test_two_elements_on_an_edge},
                         {"erosion against skins made anew", test_erosion},
                         {"erosion does not see the order of a list", test_erosion_order},
                         {"erosion refuses", test_erosion_refusals},
                         {"erosion asks for no memory once warm", test_erosion_memory},
                         {"every allocation fails once", test_allocation_failures},
                         CU_TEST_INFO_NULL};
  return suite_main(argc, argv, "skin", tests);
}
