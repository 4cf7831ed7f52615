/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Boundary meshes and their pinches against brute force: every side against every element, bodies by flood fill. Random
 * elements must mostly be refused, with the first fault and the right number of them. Independent of the oracle:
 * boundary meshes are closed and enclose the volume of their elements. */
#include "impinge/surface.h"
#include "support/failing_allocator.h"
#include "support/meshes.h"
#include "support/skin_oracle.h"
#include "support/suite.h"

#include <math.h>

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
  int *bodies = grow_array(NULL, m->element_count, sizeof *bodies), count = 0;
  bool same = skin->element_count == m->element_count;
  for (int64_t e = 0; e < m->element_count; ++e) bodies[e] = -1;
  for (int64_t e = 0; e < m->element_count; ++e)
    if (bodies[e] < 0) flood(m, e, count++, bodies);
  for (int64_t e = 0; same && e < m->element_count; ++e) same = bodies[e] == skin->body_of_element[e];
  free(bodies);
  return same && count == skin->body_count;
}

/* ------------------------------------------------------------------------------------------- closed boundary meshes */

static int compare_words(const void *a, const void *b) {
  const uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
  return (p > q) - (p < q);
}

/* True if every edge occurs as often in one direction as in the other. */
static bool is_closed(const ipg_skin *s) {
  const int64_t count = 3 * s->face_count;
  uint64_t *there = grow_array(NULL, count, sizeof *there), *back = grow_array(NULL, count, sizeof *back);
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

/* The volume inside by Gauss: a sixth of the sum of determinants about any point. */
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

static bool encloses_volume(const ipg_mesh *m, const ipg_skin *s) {
  const double volume = mesh_volume(m);
  return fabs(enclosed_volume(m, s, (const double[]){0, 0, 0}) - volume) < 1e-10 &&
         fabs(enclosed_volume(m, s, (const double[]){-5, 3, 11}) - volume) < 1e-10;
}

/* Nodes less edges plus faces; two per body of a manifold boundary mesh. */
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
    CU_ASSERT(is_closed(&skin) && encloses_volume(&ball, &skin));
    ipg_skin_destroy(&skin);
    CU_ASSERT(!skin.faces && !skin.face_count && !skin.element_count);
    ipg_mesh_destroy(&ball);
    ipg_mesh_destroy(&box);
  }
}

static void test_quadratic_ball(void) {
  rng r = rng_start(1);
  shuffled_mesh w = {0};
  ipg_mesh ball = {0};
  CU_ASSERT_FATAL(!ipg_mesh_ball((double[]){0, 0, 0}, 1, 2, "ball", NULL, &ball, NULL));
  for (int64_t i = 0; i < ball.node_count; ++i) add_node(&w.mesh, ball.x + 3 * i);
  w.mesh.tets = grow_array(NULL, 4 * ball.element_count, sizeof(ipg_id));
  memcpy(w.mesh.tets, ball.tets, 4 * (size_t)ball.element_count * sizeof(ipg_id));
  w.mesh.element_count = ball.element_count;
  add_middles(&w.mesh, 0);
  add_block(&w, 0, true);
  shuffle_nodes(&w.mesh, &r);
  set_ids(&w);
  ipg_skin skin = skin_of(&w.mesh);
  CU_ASSERT_EQUAL(skin.face_count, 4 * 80);
  CU_ASSERT_EQUAL(skin.body_count, 1);
  CU_ASSERT_EQUAL(euler_number(&skin), 2);
  CU_ASSERT(is_closed(&skin) && encloses_volume(&w.mesh, &skin) && faces_are_right(&w.mesh, &skin));
  ipg_skin_destroy(&skin);
  ipg_mesh_destroy(&ball);
  shuffled_mesh_free(&w);
}

/* ---------------------------------------------------------------------------------------------------- stiffness */

typedef struct cube {
  ipg_mesh mesh;
  ipg_skin skin;
  ipg_mesh_surface surface;
} cube;

/* Of side 1, with 2 x 2 x 2 cells. */
static void make_cube(cube *c, bool is_quadratic) {
  const double low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
  const int cells[3] = {2, 2, 2};
  ipg_error error = {0};
  *c = (cube){0};
  CU_ASSERT_FATAL(!ipg_mesh_box(low, high, cells, "cube", NULL, &c->mesh, &error));
  c->mesh.blocks[0].quadratic = is_quadratic;
  if (is_quadratic) meshes_add_middles(&c->mesh);
  double *masses = calloc((size_t)c->mesh.node_count, sizeof *masses);
  for (int64_t i = 0; i < c->mesh.node_count; ++i) masses[i] = 1;
  c->skin = skin_of(&c->mesh);
  CU_ASSERT_FATAL(!ipg_mesh_surface_build(&c->mesh, &c->skin, masses, NULL, &c->surface, &error));
  free(masses);
}

static void free_cube(cube *c) {
  ipg_mesh_surface_destroy(&c->surface);
  ipg_skin_destroy(&c->skin);
  ipg_mesh_destroy(&c->mesh);
}

/* Bulk modulus times the area over the volume behind it: of one element at each side, half of one at a quadratic side,
 * which four faces share. */
static void test_stiffness(void) {
  for (int is_quadratic = 0; is_quadratic < 2; ++is_quadratic) {
    cube c;
    double volume = 0;
    ipg_error error = {0};
    make_cube(&c, is_quadratic);
    for (int64_t f = 0; f < c.skin.face_count; ++f) {
      const ipg_id *tet = c.mesh.tets + 4 * (int64_t)c.skin.elements[f];
      volume += ipg_tet_volume(c.mesh.x, tet) / (is_quadratic ? 8 : 1);
    }
    CU_ASSERT_EQUAL(c.skin.face_count, is_quadratic ? 192 : 48);
    CU_ASSERT_FATAL(!ipg_mesh_surface_set_stiffness(&c.surface, &c.mesh, &c.skin, (double[]){7}, &error));
    for (int64_t f = 0; f < c.surface.surface.face_count; ++f)
      CU_ASSERT_DOUBLE_EQUAL(c.surface.surface.face_stiffnesses[f], 7 * 6 / volume, 1e-12 * 7 * 6 / volume);
    free_cube(&c);
  }
}

static void test_wrong_moduli(void) {
  const double wrong[] = {0, -1, (double)NAN, (double)INFINITY};
  cube c;
  make_cube(&c, false);
  for (int i = 0; i < 4; ++i) {
    ipg_error error = {0};
    CU_ASSERT_EQUAL(ipg_mesh_surface_set_stiffness(&c.surface, &c.mesh, &c.skin, &wrong[i], &error), IPG_ERROR_NUMBER);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "block 'cube' has the bulk modulus "));
    CU_ASSERT_PTR_NULL(c.surface.surface.face_stiffnesses);
  }
  free_cube(&c);
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
    shuffled_mesh w;
    shuffled_mesh_make(&w, &r, (element_kind)(i % 3), 3);
    ipg_skin skin = skin_of(&w.mesh);
    const bool fine = faces_are_right(&w.mesh, &skin) && bodies_are_right(&w.mesh, &skin) && is_closed(&skin) &&
                      encloses_volume(&w.mesh, &skin);
    CU_ASSERT(fine);
    if (!fine) printf("\n    scene %ld is skinned wrongly", i);
    ipg_skin_destroy(&skin);
    shuffled_mesh_free(&w);
  }
}

/* ---------------------------------------------------------------------------------------------------- larger meshes */

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

/* A wheel of elements around one edge between the lowest node numbers: all of them are in the same bin. */
static void test_wheel(void) {
  enum { SPOKES = 40000 };
  shuffled_mesh w = {.mesh = {.node_count = SPOKES + 2, .element_count = SPOKES}};
  w.mesh.tets = grow_array(NULL, 4 * SPOKES, sizeof(ipg_id));
  for (ipg_id i = 0; i < SPOKES; ++i) {
    const ipg_id tet[4] = {0, 1, 2 + i, 2 + (i + 1) % SPOKES};
    memcpy(w.mesh.tets + 4 * (int64_t)i, tet, sizeof tet);
  }
  set_ids(&w);
  ipg_skin skin = skin_of(&w.mesh);
  CU_ASSERT_EQUAL(skin.face_count, 2 * SPOKES);
  CU_ASSERT_EQUAL(skin.body_count, 1);
  CU_ASSERT_EQUAL(euler_number(&skin), 2);
  CU_ASSERT(is_closed(&skin));
  ipg_skin_destroy(&skin);
  shuffled_mesh_free(&w);
}

/* --------------------------------------------------------------------------------------------------------- refusals */

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

/* The fault of two elements that share these corners, as the first words of the message; "" if there is none. */
static void describe_fault_of_two(const ipg_mesh *m, const int64_t o[2], const ipg_id p[3], char *words, size_t room) {
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

/* The number of faults of a mesh, and the words for the first. */
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
      if (count == 2) describe_fault_of_two(m, owners, p, now, sizeof now);
      if (count > 2)
        snprintf(now, sizeof now, "elements %lld, %lld and %lld share the face of nodes %lld, %lld, %lld",
                 (long long)m->element_gids[owners[0]], (long long)m->element_gids[owners[1]],
                 (long long)m->element_gids[owners[2]], (long long)m->node_gids[p[0]], (long long)m->node_gids[p[1]],
                 (long long)m->node_gids[p[2]]);
      if (now[0] && !faults++) snprintf(words, room, "%s", now);
    }
  return faults;
}

/* Random elements on a few nodes; quadratic ones share most middle nodes. */
static void make_random_elements(shuffled_mesh *w, rng *r, bool quadratic) {
  const int nodes = rng_int(r, 6, 12);
  *w = (shuffled_mesh){0};
  for (int i = 0; i < nodes; ++i) add_node(&w->mesh, (const double[]){rng_unit(r), rng_unit(r), rng_unit(r)});
  for (int blocks = rng_int(r, 1, 3); blocks; --blocks) {
    const int64_t first = w->mesh.element_count;
    const int more = rng_int(r, 0, 5);
    w->mesh.tets = grow_array(w->mesh.tets, 4 * (first + more), sizeof(ipg_id));
    for (int i = 0; i < more; ++i) {
      ipg_id *order = random_order(r, nodes);
      memcpy(w->mesh.tets + 4 * w->mesh.element_count++, order, 4 * sizeof *order);
      free(order);
    }
    const bool has_middles = quadratic && rng_int(r, 0, 3);
    if (has_middles) add_middles(&w->mesh, first);
    add_block(w, first, has_middles);
  }
  set_ids(w);
}

static void test_refusals_against_brute_force(void) {
  rng r = rng_start(4);
  int64_t refused = 0, accepted = 0;
  for (long i = 0; i < suite_scenes(); ++i) {
    shuffled_mesh w;
    ipg_skin skin = {0};
    ipg_error error = {0};
    char words[200] = "", more[64] = ": ";
    make_random_elements(&w, &r, i % 2);
    const int64_t faults = oracle_faults(&w.mesh, words, sizeof words);
    if (faults > 1)
      snprintf(more, sizeof more, " (and %d more such place%s): ", (int)faults - 1, faults > 2 ? "s" : "");
    const ipg_status status = ipg_skin_build(&w.mesh, NULL, NULL, &skin, &error);
    CU_ASSERT_EQUAL(status, faults ? IPG_ERROR_FORMAT : IPG_OK);
    CU_ASSERT(!faults || (error_contains(&error, words) && error_contains(&error, more)));
    CU_ASSERT(!faults || (!skin.faces && !skin.body_of_element));
    refused += faults > 0, accepted += faults == 0;
    ipg_skin_destroy(&skin);
    shuffled_mesh_free(&w);
  }
  CU_ASSERT(refused > 10 && accepted > 10);
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

static bool same_orientation(const ipg_mesh *m, int64_t a, int64_t b) {
  ipg_id p[3], q[3];
  corners_of(m, a / 4, (int)(a % 4), p);
  corners_of(m, b / 4, (int)(b % 4), q);
  return same_triangle(p, q);
}

/* How many triangles are shared by three or more elements, or by two on the same side; the lowest slot of them. */
static int64_t faults_by_sort(const ipg_mesh *m, int64_t *first) {
  const int64_t count = 4 * m->element_count;
  triple *t = grow_array(NULL, count, sizeof *t);
  int64_t faults = 0;
  for (int64_t slot = 0; slot < count; ++slot) t[slot] = triple_at(m, slot);
  qsort(t, (size_t)count, sizeof *t, compare_triples);
  for (int64_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && !memcmp(t[i].n, t[end].n, sizeof t->n);) ++end;
    if (end - i == 1 || (end - i == 2 && !same_orientation(m, t[i].slot, t[i + 1].slot))) continue;
    if (!faults++ || t[i].slot < *first) *first = t[i].slot;
  }
  free(t);
  return faults;
}

/* Some elements of a large mesh are listed twice: the first fault in element order is found among all bins of nodes. */
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
    CU_ASSERT(error_contains(&error, words) && error_contains(&error, more));
    mesh.tets[4 * 40000] = mesh.tets[4 * 40000 + 1], mesh.tets[4 * 7000] = -1, mesh.tets[4 * 9] = INT32_MAX;
    CU_ASSERT_EQUAL(ipg_skin_build(&mesh, NULL, NULL, &skin, &error), IPG_ERROR_FORMAT);
    CU_ASSERT(error_contains(&error, "element 10 of block 'box'") &&
              error_contains(&error, "(and 2 more such elements)"));
    ipg_mesh_destroy(&mesh);
  }
}

static void expect_refusal(shuffled_mesh *w, const char *sentence) {
  ipg_skin skin;
  ipg_error error = {0};
  set_ids(w);
  CU_ASSERT_EQUAL(ipg_skin_build(&w->mesh, NULL, NULL, &skin, &error), IPG_ERROR_FORMAT);
  CU_ASSERT(error_contains(&error, sentence));
  CU_ASSERT(!skin.faces && !skin.face_count);
}

/* A mesh of linear or quadratic elements: 4 or 10 nodes each. */
static shuffled_mesh mesh_of(const ipg_id *nodes, int count, int nodes_per_element, int64_t node_count) {
  shuffled_mesh w = {.mesh = {.node_count = node_count, .element_count = count}};
  w.mesh.tets = grow_array(NULL, 4 * count, sizeof(ipg_id));
  w.mesh.middles = grow_array(NULL, 6 * count, sizeof(ipg_id));
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
  shuffled_mesh w = mesh_of(twice, 3, 4, 6);
  expect_refusal(
      &w, "element 7003 of block 'block1' has a node twice or one that is not in the mesh (and 1 more such element): "
          "mend or remove it");
  shuffled_mesh_free(&w);
  w = mesh_of(outside, 1, 4, 7);
  expect_refusal(&w, "element 7000 of block 'block1' has a node twice or one that is not in the mesh: mend");
  shuffled_mesh_free(&w);
  w = mesh_of(negative, 1, 4, 7);
  expect_refusal(&w, "element 7000 of block");
  shuffled_mesh_free(&w);
  for (int bad = 0; bad < 4; ++bad) {
    middles[7] = (const ipg_id[]){10, -1, 2, 9}[bad]; /* outside twice, a corner, another middle */
    w = mesh_of(middles, 1, 10, 10);
    expect_refusal(&w, "element 7000 of block");
    shuffled_mesh_free(&w);
  }
}

/* Refused before anything is allocated: the arrays of such a mesh are not here. */
static void test_too_many_elements(void) {
  const ipg_mesh meshes[] = {{.node_count = 9, .element_count = IPG_ID_MAX / 4 + 1},
                             {.node_count = (int64_t)IPG_ID_MAX + 1, .element_count = 9}};
  for (int i = 0; i < 2; ++i) {
    failing_allocator watch = {0};
    const ipg_allocator allocator = failing_allocator_of(&watch);
    ipg_error error = {0};
    ipg_skin skin;
    CU_ASSERT_EQUAL(ipg_skin_build(&meshes[i], &allocator, NULL, &skin, &error), IPG_ERROR_TOO_MANY);
    CU_ASSERT(error_contains(&error, "make the mesh coarser"));
    CU_ASSERT(!watch.allocations);
  }
}

/* Contact history is kept by the numbers of nodes. */
static void test_double_numbers_on_surface(void) {
  const ipg_id nodes[] = {0, 1, 2, 3};
  const double masses[4] = {1, 1, 1, 1};
  shuffled_mesh w = mesh_of(nodes, 1, 4, 4);
  set_ids(&w);
  ipg_skin skin = skin_of(&w.mesh);
  ipg_mesh_surface surface;
  ipg_error error = {0};
  CU_ASSERT_EQUAL(ipg_mesh_surface_build(&w.mesh, &skin, masses, NULL, &surface, &error), IPG_OK);
  ipg_mesh_surface_destroy(&surface);
  w.mesh.node_gids[3] = w.mesh.node_gids[1];
  CU_ASSERT_EQUAL(ipg_mesh_surface_build(&w.mesh, &skin, masses, NULL, &surface, &error), IPG_ERROR_FORMAT);
  CU_ASSERT(error_contains(&error, "two nodes have the number"));
  ipg_skin_destroy(&skin);
  shuffled_mesh_free(&w);
}

/* Two elements with a common side and its three middle nodes. */
static const ipg_id two_quadratic[20] = {0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 1, 2, 3, 4, 6, 10, 9, 11, 13, 12};

static void test_middle_nodes(void) {
  ipg_id bad[20];
  shuffled_mesh w = mesh_of(two_quadratic, 2, 10, 14);
  set_ids(&w);
  ipg_skin skin = skin_of(&w.mesh);
  CU_ASSERT_EQUAL(skin.face_count, 4 * 6);
  CU_ASSERT_EQUAL(skin.node_count, 14);
  CU_ASSERT_EQUAL(euler_number(&skin), 2);
  CU_ASSERT(is_closed(&skin) && faces_are_right(&w.mesh, &skin));
  ipg_skin_destroy(&skin);
  shuffled_mesh_free(&w);
  memcpy(bad, two_quadratic, sizeof bad);
  bad[16] = 12, bad[19] = 9; /* the middle of 1-3 in the second element */
  w = mesh_of(bad, 2, 10, 14);
  expect_refusal(&w, "elements 7000 and 7003 share the corners of a face but not its middle nodes: give both the same");
  shuffled_mesh_free(&w);
}

/* The last element becomes linear, in a block of its own. */
static void make_last_linear(shuffled_mesh *w) {
  w->blocks[0].count--;
  w->mesh.quadratic_count--;
  add_block(w, w->mesh.element_count - 1, false);
}

/* A middle node that is a corner of another element does not connect the two: they are different bodies. */
static void test_linear_beside_quadratic(void) {
  ipg_id apart[20];
  shuffled_mesh w = mesh_of(two_quadratic, 2, 10, 14);
  make_last_linear(&w);
  expect_refusal(&w, "elements 7000 (quadratic) and 7003 (linear) share a face: make both linear or both quadratic");
  shuffled_mesh_free(&w);
  memcpy(apart, two_quadratic, sizeof apart);
  apart[10] = 5, apart[11] = 11, apart[12] = 12, apart[13] = 13;
  w = mesh_of(apart, 2, 10, 14);
  make_last_linear(&w);
  set_ids(&w);
  ipg_skin skin = skin_of(&w.mesh);
  CU_ASSERT_EQUAL(skin.face_count, 16 + 4);
  CU_ASSERT_EQUAL(skin.node_count, 10 + 3);
  CU_ASSERT_EQUAL(skin.body_count, 2);
  CU_ASSERT(is_closed(&skin) && faces_are_right(&w.mesh, &skin));
  ipg_skin_destroy(&skin);
  shuffled_mesh_free(&w);
}

/* --------------------------------------------------------------------------------------------------------- pinches */

static bool face_has_edge(const ipg_skin *s, int64_t f, ipg_id a, ipg_id b) {
  const ipg_id *n = s->faces + 3 * f;
  return (n[0] == a || n[1] == a || n[2] == a) && (n[0] == b || n[1] == b || n[2] == b);
}

/* The pinches are the edges of more than two faces, lower node first, in order. */
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
    shuffled_mesh w;
    ipg_skin_pinches pinches = {0};
    shuffled_mesh_make(&w, &r, (element_kind)(i % 3), 1);
    ipg_skin skin = skin_of(&w.mesh);
    CU_ASSERT_EQUAL(ipg_skin_find_pinches(&skin, NULL, &pinches, NULL), IPG_OK);
    CU_ASSERT(pinches_are_right(&skin, &pinches));
    seen += pinches.count;
    ipg_skin_pinches_destroy(&pinches);
    CU_ASSERT(!pinches.edges && !pinches.count);
    ipg_skin_destroy(&skin);
    shuffled_mesh_free(&w);
  }
  CU_ASSERT(seen > 0);
}

static void test_two_elements_on_an_edge(void) {
  const ipg_id two[] = {5, 1, 2, 3, 1, 5, 0, 4};
  shuffled_mesh w = mesh_of(two, 2, 4, 6);
  ipg_skin_pinches pinches = {0};
  set_ids(&w);
  ipg_skin skin = skin_of(&w.mesh);
  CU_ASSERT_EQUAL(ipg_skin_find_pinches(&skin, NULL, &pinches, NULL), IPG_OK);
  CU_ASSERT_EQUAL_FATAL(pinches.count, 1);
  CU_ASSERT(pinches.edges[0] == 1 && pinches.edges[1] == 5);
  CU_ASSERT_EQUAL(skin.body_count, 1);
  ipg_skin_pinches_destroy(&pinches);
  CU_ASSERT_EQUAL(ipg_skin_find_pinches(NULL, NULL, &pinches, NULL), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_skin_find_pinches(&skin, NULL, NULL, NULL), IPG_ERROR_ARGUMENT);
  ipg_skin_destroy(&skin);
  shuffled_mesh_free(&w);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {{"whole shapes are closed", test_whole_shapes},
                         {"a quadratic ball", test_quadratic_ball},
                         {"stiffness", test_stiffness},
                         {"wrong moduli", test_wrong_moduli},
                         {"a mesh without elements", test_empty_mesh},
                         {"random meshes against brute force", test_against_brute_force},
                         {"the same arrays for any number of workers", test_workers},
                         {"a wheel", test_wheel},
                         {"refusals against brute force", test_refusals_against_brute_force},
                         {"refusals of a large mesh", test_refusals_of_large_mesh},
                         {"improper elements", test_improper_elements},
                         {"too many elements", test_too_many_elements},
                         {"two nodes with one number", test_double_numbers_on_surface},
                         {"middle nodes must agree", test_middle_nodes},
                         {"linear elements beside quadratic ones", test_linear_beside_quadratic},
                         {"pinches against brute force", test_pinches},
                         {"two elements on an edge", test_two_elements_on_an_edge},
                         CU_TEST_INFO_NULL};
  return suite_main(argc, argv, "skin", tests);
}
