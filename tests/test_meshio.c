/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Shapes and skins, held against what must be true of them: volumes known by formula, topology (Euler, every edge
 * twice), a brute-force skin that shares no code, every allocation failing once. */
#define _POSIX_C_SOURCE 200809L
#include "impinge/meshio.h"

#include <CUnit/Basic.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static void expect_ok(ipg_status status, const ipg_error *error) {
  CU_ASSERT_EQUAL(status, IPG_OK);
  if (status) printf("\n    unexpected: %s\n", error->message);
}

static bool says(const ipg_error *error, const char *words) {
  const bool found = strstr(error->message, words);
  if (!found) printf("\n    expected \"%s\" in: %s\n", words, error->message);
  return found;
}

static ipg_mesh box(int nx, int ny, int nz, double x0, const char *name) {
  const double lo[3] = {x0, 0, 0}, hi[3] = {x0 + nx, ny, nz};
  const int n[3] = {nx, ny, nz};
  ipg_error error;
  ipg_mesh mesh;
  expect_ok(ipg_mesh_box(lo, hi, n, name, NULL, &mesh, &error), &error);
  return mesh;
}

static ipg_mesh ball(int n, const char *name) {
  const double centre[3] = {0.25, -0.5, 8};
  ipg_error error;
  ipg_mesh mesh;
  expect_ok(ipg_mesh_ball(centre, 2, n, name, NULL, &mesh, &error), &error);
  return mesh;
}

static ipg_skin skin_of(const ipg_mesh *mesh) {
  ipg_error error;
  ipg_skin skin;
  expect_ok(ipg_skin_build(mesh, NULL, NULL, &skin, &error), &error);
  return skin;
}

static double mesh_volume(const ipg_mesh *mesh) {
  double sum = 0;
  for (int64_t e = 0; e < mesh->element_count; ++e) sum += ipg_tet_volume(mesh->x, mesh->tets + 4 * e);
  return sum;
}

static bool same_sets(const ipg_mesh *a, const ipg_mesh *b) {
  for (int i = 0; i < a->node_set_count; ++i) {
    const ipg_node_set *p = &a->node_sets[i], *q = &b->node_sets[i];
    if (p->id != q->id || strcmp(p->name, q->name) || p->count != q->count) return false;
    if (memcmp(p->nodes, q->nodes, (size_t)p->count * sizeof(ipg_id))) return false;
  }
  for (int i = 0; i < a->side_set_count; ++i) {
    const ipg_side_set *p = &a->side_sets[i], *q = &b->side_sets[i];
    if (p->id != q->id || strcmp(p->name, q->name) || p->count != q->count) return false;
    if (memcmp(p->elements, q->elements, (size_t)p->count * sizeof(ipg_id))) return false;
    if (memcmp(p->sides, q->sides, (size_t)p->count * sizeof(ipg_id))) return false;
  }
  return true;
}

static bool same_mesh(const ipg_mesh *a, const ipg_mesh *b) {
  if (strcmp(a->title, b->title) || a->node_count != b->node_count || a->element_count != b->element_count ||
      a->block_count != b->block_count || a->node_set_count != b->node_set_count ||
      a->side_set_count != b->side_set_count)
    return false;
  for (int i = 0; i < a->block_count; ++i)
    if (a->blocks[i].id != b->blocks[i].id || strcmp(a->blocks[i].name, b->blocks[i].name) ||
        a->blocks[i].first != b->blocks[i].first || a->blocks[i].count != b->blocks[i].count)
      return false;
  const size_t nodes = (size_t)a->node_count, elements = (size_t)a->element_count;
  return !memcmp(a->x, b->x, nodes * 3 * sizeof(double)) && !memcmp(a->tets, b->tets, elements * 4 * sizeof(ipg_id)) &&
         !memcmp(a->node_gids, b->node_gids, nodes * sizeof(ipg_gid)) &&
         !memcmp(a->element_gids, b->element_gids, elements * sizeof(ipg_gid)) && same_sets(a, b);
}

static bool is_zero(const void *object, size_t bytes) {
  const unsigned char *byte = object;
  while (bytes && !*byte) ++byte, --bytes;
  return !bytes;
}

/* --------------------------------------------------------------------------------------------------------- shapes */

static double side_area(const ipg_mesh *mesh, ipg_id element, ipg_id side) {
  const ipg_id *tet = mesh->tets + 4 * (int64_t)element;
  const double *p[3];
  double u[3], v[3];
  for (int c = 0; c < 3; ++c) p[c] = mesh->x + 3 * tet[ipg_tet_sides[side][c]];
  for (int d = 0; d < 3; ++d) u[d] = p[1][d] - p[0][d], v[d] = p[2][d] - p[0][d];
  const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
}

static double set_area(const ipg_mesh *mesh, const ipg_side_set *set) {
  double sum = 0;
  for (int64_t k = 0; k < set->count; ++k) sum += side_area(mesh, set->elements[k], set->sides[k]);
  return sum;
}

static int count_flat(const ipg_mesh *mesh) {
  int flat = 0;
  for (int64_t e = 0; e < mesh->element_count; ++e) flat += !(ipg_tet_volume(mesh->x, mesh->tets + 4 * e) > 0);
  return flat;
}

static void test_box(void) {
  const double lo[3] = {-1, 2, 0.1}, hi[3] = {0.3, 5, 0.7}, sizes[3] = {1.3, 3, 0.6};
  const int n[3] = {3, 4, 5};
  static const char *const names[6] = {"b_left", "b_right", "b_front", "b_back", "b_bottom", "b_top"};
  ipg_error error;
  ipg_mesh mesh;
  expect_ok(ipg_mesh_box(lo, hi, n, "b", NULL, &mesh, &error), &error);
  CU_ASSERT_EQUAL(mesh.node_count, 4 * 5 * 6);
  CU_ASSERT_EQUAL(mesh.element_count, 6 * 60);
  CU_ASSERT_EQUAL(count_flat(&mesh), 0);
  CU_ASSERT_DOUBLE_EQUAL(mesh_volume(&mesh), 1.3 * 3 * 0.6, 1e-13);
  CU_ASSERT_EQUAL(ipg_mesh_find_block(&mesh, "b"), 0);
  CU_ASSERT_EQUAL(ipg_mesh_find_block(&mesh, "B"), -1);
  for (int plane = 0; plane < 6; ++plane) {
    const int axis = plane / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
    const ipg_node_set *nodes = &mesh.node_sets[plane];
    const ipg_side_set *sides = &mesh.side_sets[plane];
    CU_ASSERT_STRING_EQUAL(nodes->name, names[plane]);
    CU_ASSERT_STRING_EQUAL(sides->name, names[plane]);
    CU_ASSERT_EQUAL(nodes->count, (n[u] + 1) * (n[v] + 1));
    CU_ASSERT_DOUBLE_EQUAL(set_area(&mesh, sides), sizes[u] * sizes[v], 1e-14);
    for (int64_t k = 0; k < nodes->count; ++k)
      CU_ASSERT_EQUAL(mesh.x[3 * nodes->nodes[k] + axis], plane % 2 ? hi[axis] : lo[axis]);
  }
  ipg_mesh_free(&mesh);
  CU_ASSERT(is_zero(&mesh, sizeof mesh));
}

static double dihedral(const double *x, const ipg_id *tet, int a, int b) {
  int rest[2], found = 0;
  for (int c = 0; c < 4; ++c)
    if (c != a && c != b) rest[found++] = c;
  double e[3], w[2][3], ee = 0, dot[3] = {0};
  for (int d = 0; d < 3; ++d) e[d] = x[3 * tet[b] + d] - x[3 * tet[a] + d], ee += e[d] * e[d];
  for (int k = 0; k < 2; ++k) { /* what is left of the two other corners at right angles to the edge */
    double along = 0;
    for (int d = 0; d < 3; ++d) w[k][d] = x[3 * tet[rest[k]] + d] - x[3 * tet[a] + d], along += w[k][d] * e[d];
    for (int d = 0; d < 3; ++d) w[k][d] -= along / ee * e[d];
  }
  for (int d = 0; d < 3; ++d) dot[0] += w[0][d] * w[1][d], dot[1] += w[0][d] * w[0][d], dot[2] += w[1][d] * w[1][d];
  return acos(dot[0] / sqrt(dot[1] * dot[2])) * 180 / PI;
}

static double least_dihedral(const ipg_mesh *mesh) {
  double least = 180;
  for (int64_t e = 0; e < mesh->element_count; ++e)
    for (int a = 0; a < 4; ++a)
      for (int b = a + 1; b < 4; ++b) least = fmin(least, dihedral(mesh->x, mesh->tets + 4 * e, a, b));
  return least;
}

static void test_ball(void) {
  const double whole = 4. / 3 * PI * 8;
  double missing = whole;
  for (int n = 1; n <= 32; n *= 2) {
    ipg_mesh mesh = ball(n, "ball");
    const double now = whole - mesh_volume(&mesh), angle = least_dihedral(&mesh);
    printf("\n    ball n = %d: volume %.4f of the sphere's, least dihedral angle %.2f degrees", n, 1 - now / whole,
           angle);
    CU_ASSERT_EQUAL(mesh.element_count, 20 * n * n * n);
    CU_ASSERT_EQUAL(mesh.node_count, 10 * n * (n + 1) * (2 * n + 1) / 6 + 2 * n + 1);
    CU_ASSERT_EQUAL(count_flat(&mesh), 0);
    CU_ASSERT(now > 0 && now < missing);
    if (n >= 4) CU_ASSERT(now < missing / 3.2); /* second order */
    CU_ASSERT(angle > 35);
    CU_ASSERT_EQUAL(mesh.node_sets[0].count, 10 * n * n + 2);
    CU_ASSERT_EQUAL(mesh.side_sets[0].count, 20 * n * n);
    CU_ASSERT_STRING_EQUAL(mesh.side_sets[0].name, "ball_surface");
    for (int64_t i = 0; i < mesh.node_count; ++i) {
      const double *x = mesh.x + 3 * i, r = sqrt(pow(x[0] - 0.25, 2) + pow(x[1] + 0.5, 2) + pow(x[2] - 8, 2));
      if (i >= mesh.node_sets[0].nodes[0]) CU_ASSERT_DOUBLE_EQUAL(r, 2, 1e-13);
      if (i < mesh.node_sets[0].nodes[0]) CU_ASSERT(r < 1.999);
    }
    missing = now;
    ipg_mesh_free(&mesh);
  }
}

static void test_shape_arguments(void) {
  const double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1}, nan[3] = {0, NAN, 0}, far[3] = {1e300, 0, 0};
  const int n[3] = {1, 1, 1}, none[3] = {1, 0, 1}, many[3] = {2000, 2000, 2000},
            huge[3] = {INT32_MAX, INT32_MAX, INT32_MAX};
  char name[400];
  memset(name, 'a', sizeof name - 1);
  name[sizeof name - 1] = 0;
  ipg_mesh mesh;
  CU_ASSERT_EQUAL(ipg_mesh_box(hi, lo, n, "b", NULL, &mesh, NULL), IPG_ERROR_NUMBER);
  CU_ASSERT_EQUAL(ipg_mesh_box(lo, nan, n, "b", NULL, &mesh, NULL), IPG_ERROR_NUMBER);
  CU_ASSERT_EQUAL(ipg_mesh_box(lo, hi, none, "b", NULL, &mesh, NULL), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_mesh_box(lo, hi, many, "b", NULL, &mesh, NULL), IPG_ERROR_TOO_MANY);
  CU_ASSERT_EQUAL(ipg_mesh_box(lo, hi, huge, "b", NULL, &mesh, NULL), IPG_ERROR_TOO_MANY);
  CU_ASSERT_EQUAL(ipg_mesh_box(lo, hi, n, name, NULL, &mesh, NULL), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_mesh_box(lo, hi, n, NULL, NULL, &mesh, NULL), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_mesh_ball(lo, 1, 0, "b", NULL, &mesh, NULL), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_mesh_ball(lo, 1, 1000, "b", NULL, &mesh, NULL), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_mesh_ball(lo, -1, 2, "b", NULL, &mesh, NULL), IPG_ERROR_NUMBER);
  CU_ASSERT_EQUAL(ipg_mesh_ball(far, 1, 2, "b", NULL, &mesh, NULL), IPG_ERROR_NUMBER);
  CU_ASSERT(is_zero(&mesh, sizeof mesh));
}

/* ----------------------------------------------------------------------------------------------------------- skin */

typedef struct edge {
  ipg_id low, high;
  int direction;
} edge;

static int compare_edges(const void *a, const void *b) {
  const edge *p = a, *q = b;
  if (p->low != q->low) return p->low < q->low ? -1 : 1;
  return (p->high > q->high) - (p->high < q->high);
}

/* Number of edges; -1 when one is not in exactly two faces that run along it in opposite directions. */
static int64_t count_edges(const ipg_skin *skin) {
  const int64_t count = 3 * skin->face_count;
  edge *edges = malloc((size_t)(count + 1) * sizeof *edges);
  bool fine = count % 2 == 0;
  for (int64_t i = 0; i < count; ++i) {
    const ipg_id a = skin->faces[i], b = skin->faces[i - i % 3 + (i + 1) % 3];
    edges[i] = a < b ? (edge){a, b, 1} : (edge){b, a, -1};
  }
  qsort(edges, (size_t)count, sizeof *edges, compare_edges);
  for (int64_t i = 0; fine && i < count; i += 2)
    fine = !compare_edges(&edges[i], &edges[i + 1]) && edges[i].direction + edges[i + 1].direction == 0 &&
           (i + 2 == count || compare_edges(&edges[i], &edges[i + 2]));
  free(edges);
  return fine ? count / 2 : -1;
}

/* A sixth of the sum of det(a, b, c): by Gauss the volume inside. */
static double enclosed_volume(const ipg_mesh *mesh, const ipg_skin *skin) {
  double sum = 0;
  for (int64_t f = 0; f < skin->face_count; ++f) {
    const double *a = mesh->x + 3 * skin->faces[3 * f], *b = mesh->x + 3 * skin->faces[3 * f + 1],
                 *c = mesh->x + 3 * skin->faces[3 * f + 2];
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6;
}

static void check_closed(const ipg_mesh *mesh, int bodies) {
  ipg_skin skin = skin_of(mesh);
  const int64_t edges = count_edges(&skin);
  CU_ASSERT_EQUAL(skin.body_count, bodies);
  CU_ASSERT(edges > 0);
  CU_ASSERT_EQUAL(skin.node_count - edges + skin.face_count, 2 * bodies);
  CU_ASSERT_DOUBLE_EQUAL(enclosed_volume(mesh, &skin), mesh_volume(mesh), 1e-12 * mesh_volume(mesh));
  ipg_skin_free(&skin);
  CU_ASSERT(is_zero(&skin, sizeof skin));
}

static void test_skin_topology(void) {
  ipg_mesh both = box(3, 2, 4, 0, "box");
  check_closed(&both, 1);
  for (int n = 1; n <= 6; ++n) {
    ipg_mesh round = ball(n, "ball");
    check_closed(&round, 1);
    if (n == 4) CU_ASSERT_EQUAL(ipg_mesh_append(&both, &round, NULL), IPG_OK);
    ipg_mesh_free(&round);
  }
  check_closed(&both, 2);
  ipg_mesh_free(&both);
}

static bool has_nodes(const ipg_id *tet, const ipg_id *face) {
  int found = 0;
  for (int c = 0; c < 4; ++c)
    for (int k = 0; k < 3; ++k) found += tet[c] == face[k];
  return found == 3;
}

/* Every side against every element, bodies by flooding until nothing changes: slow and plain. */
static void check_against_brute_force(const ipg_mesh *mesh) {
  ipg_skin skin = skin_of(mesh);
  int64_t faces = 0;
  bool same = true;
  for (int64_t e = 0; e < mesh->element_count; ++e)
    for (int s = 0; s < 4; ++s) {
      ipg_id face[3];
      int owners = 0;
      for (int c = 0; c < 3; ++c) face[c] = mesh->tets[4 * e + ipg_tet_sides[s][c]];
      for (int64_t o = 0; o < mesh->element_count; ++o) owners += has_nodes(mesh->tets + 4 * o, face);
      if (owners != 1) continue;
      same = same && faces < skin.face_count && skin.elements[faces] == e && skin.sides[faces] == s &&
             !memcmp(skin.faces + 3 * faces, face, sizeof face) &&
             skin.opposite[faces] == mesh->tets[4 * e] + mesh->tets[4 * e + 1] + mesh->tets[4 * e + 2] +
                                         mesh->tets[4 * e + 3] - face[0] - face[1] - face[2];
      ++faces;
    }
  CU_ASSERT(same);
  CU_ASSERT_EQUAL(faces, skin.face_count);
  int64_t nodes = 0;
  for (ipg_id i = 0; i < mesh->node_count; ++i) {
    bool used = false;
    for (int64_t k = 0; k < 3 * skin.face_count; ++k) used = used || skin.faces[k] == i;
    if (used) CU_ASSERT_EQUAL(skin.nodes[nodes++], i);
  }
  CU_ASSERT_EQUAL(nodes, skin.node_count);
  int *body = malloc((size_t)(mesh->element_count + 1) * sizeof *body), bodies = 0;
  for (int64_t e = 0; e < mesh->element_count; ++e) body[e] = -1;
  for (int64_t e = 0; e < mesh->element_count; ++e) {
    if (body[e] >= 0) continue;
    body[e] = bodies;
    for (bool changed = true; changed;) {
      changed = false;
      for (int64_t a = 0; a < mesh->element_count; ++a)
        for (int64_t b = 0; body[a] == bodies && b < mesh->element_count; ++b)
          for (int k = 0; body[b] < 0 && k < 16; ++k)
            if (mesh->tets[4 * a + k / 4] == mesh->tets[4 * b + k % 4]) body[b] = bodies, changed = true;
    }
    ++bodies;
  }
  CU_ASSERT_EQUAL(bodies, skin.body_count);
  for (int64_t e = 0; e < mesh->element_count; ++e) CU_ASSERT_EQUAL(body[e], skin.body_of_element[e]);
  free(body);
  ipg_skin_free(&skin);
}

static uint32_t next_random(uint32_t *state) { return *state = *state * 1664525u + 1013904223u, *state >> 8; }

/* Takes elements away and shuffles node numbers, so that faces hang together by edges and corners only. */
static void make_ragged(ipg_mesh *mesh, uint32_t seed, uint32_t keep_of_8) {
  ipg_id *to = malloc((size_t)mesh->node_count * sizeof *to);
  for (ipg_id i = 0; i < mesh->node_count; ++i) {
    const ipg_id k = (ipg_id)(next_random(&seed) % (uint32_t)(i + 1));
    to[i] = to[k], to[k] = i;
  }
  int64_t kept = 0;
  for (int64_t e = 0; e < mesh->element_count; ++e) {
    if (next_random(&seed) % 8 >= keep_of_8) continue;
    for (int c = 0; c < 4; ++c) mesh->tets[4 * kept + c] = to[mesh->tets[4 * e + c]];
    ++kept;
  }
  mesh->element_count = kept; /* the mesh is freed by its old count below */
  free(to);
}

static void test_skin_against_brute_force(void) {
  for (uint32_t seed = 1; seed <= 24; ++seed) {
    ipg_mesh mesh = box(2, 3, 2, 0, "a"), more = box(1, 2, 2, 5, "b");
    CU_ASSERT_EQUAL(ipg_mesh_append(&mesh, &more, NULL), IPG_OK);
    const int64_t whole = mesh.element_count;
    if (seed > 1) make_ragged(&mesh, seed, seed % 8);
    check_against_brute_force(&mesh);
    mesh.element_count = whole;
    ipg_mesh_free(&mesh);
    ipg_mesh_free(&more);
  }
}

/* A wheel of tetrahedra around one edge, whose ends have the lowest numbers: one group of 2 * spokes slots. */
static void test_skin_of_wheel(void) {
  enum { SPOKES = 150 };
  ipg_id tets[4 * SPOKES];
  ipg_gid gids[SPOKES + 2];
  ipg_mesh mesh = {
      .node_count = SPOKES + 2, .element_count = SPOKES, .tets = tets, .node_gids = gids, .element_gids = gids};
  for (int i = 0; i < SPOKES; ++i) {
    const ipg_id tet[4] = {0, 1, 2 + i, 2 + (i + 1) % SPOKES};
    memcpy(tets + 4 * i, tet, sizeof tet);
  }
  ipg_skin skin = skin_of(&mesh);
  CU_ASSERT_EQUAL(skin.face_count, 2 * SPOKES);
  CU_ASSERT_EQUAL(skin.node_count - count_edges(&skin) + skin.face_count, 2);
  ipg_skin_free(&skin);
}

static void test_skin_tasks(void) {
  ipg_mesh mesh = ball(12, "ball");
  ipg_pool *pool = NULL;
  ipg_skin one = skin_of(&mesh), three;
  CU_ASSERT_EQUAL(ipg_pool_create(3, &pool, NULL), IPG_OK);
  const ipg_tasks tasks = ipg_pool_tasks(pool);
  CU_ASSERT_EQUAL(ipg_skin_build(&mesh, NULL, &tasks, &three, NULL), IPG_OK);
  CU_ASSERT_EQUAL(one.face_count, three.face_count);
  CU_ASSERT(!memcmp(one.faces, three.faces, (size_t)one.face_count * 3 * sizeof(ipg_id)));
  CU_ASSERT(!memcmp(one.sides, three.sides, (size_t)one.face_count * sizeof(ipg_id)));
  ipg_pool_destroy(&pool);
  ipg_skin_free(&one);
  ipg_skin_free(&three);
  ipg_mesh_free(&mesh);
}

static void refuse_skin(ipg_id *tets, int64_t count, const char *sentence) {
  ipg_gid gids[9] = {11, 12, 13, 14, 15, 16, 17, 18, 19};
  ipg_block block = {.id = 1, .name = "odd", .count = count};
  const ipg_mesh mesh = {.node_count = 7,
                         .element_count = count,
                         .tets = tets,
                         .node_gids = gids,
                         .element_gids = gids,
                         .block_count = 1,
                         .blocks = &block};
  ipg_skin skin;
  ipg_error error = {0};
  CU_ASSERT_EQUAL(ipg_skin_build(&mesh, NULL, NULL, &skin, &error), IPG_ERROR_FORMAT);
  CU_ASSERT(says(&error, sentence));
  CU_ASSERT(is_zero(&skin, sizeof skin));
}

static void test_skin_refusals(void) {
  ipg_id three[] = {0, 1, 2, 3, 0, 2, 1, 4, 0, 1, 2, 5}, twice[] = {0, 1, 2, 3, 1, 2, 0, 3};
  ipg_id flat[] = {0, 1, 2, 3, 1, 4, 4, 5}, outside[] = {0, 1, 2, 7};
  refuse_skin(three, 3, "elements 11, 12 and 13 share the face of nodes 11, 13, 12");
  refuse_skin(twice, 2, "elements 11 and 12 lie on the same side");
  refuse_skin(flat, 2, "element 12 of block 'odd' has a node twice");
  refuse_skin(outside, 1, "element 11 of block 'odd'");
}

/* --------------------------------------------------------------------------------------------------------- append */

static void test_append(void) {
  ipg_mesh mesh = box(1, 1, 1, 0, "a"), more = box(2, 1, 1, 4, "b"), clash = box(1, 1, 1, 9, "b");
  ipg_error error;
  more.blocks[0].id = 7;
  more.node_gids[0] = 100;
  const double volume = mesh_volume(&mesh) + mesh_volume(&more);
  expect_ok(ipg_mesh_append(&mesh, &more, &error), &error);
  CU_ASSERT_EQUAL(mesh.node_count, 8 + 12);
  CU_ASSERT_EQUAL(mesh.element_count, 18);
  CU_ASSERT_DOUBLE_EQUAL(mesh_volume(&mesh), volume, 1e-14);
  CU_ASSERT(mesh.blocks[1].first == 6 && mesh.blocks[1].count == 12 && mesh.blocks[1].id == 7);
  CU_ASSERT(mesh.node_gids[8] == 108 && mesh.node_gids[9] == 10 && mesh.element_gids[6] == 7);
  for (int i = 6; i < 12; ++i) { /* ids 1..6 of `more` clash and are renumbered from the lowest free one */
    CU_ASSERT_EQUAL(mesh.node_sets[i].id, i + 1);
    CU_ASSERT_EQUAL(mesh.side_sets[i].id, i + 1);
    CU_ASSERT(mesh.node_sets[i].nodes[0] >= 8 && mesh.side_sets[i].elements[0] >= 6);
  }
  CU_ASSERT_EQUAL(ipg_mesh_append(&mesh, &clash, &error), IPG_ERROR_FORMAT);
  CU_ASSERT(says(&error, "both meshes have a block named 'b'"));
  CU_ASSERT_EQUAL(mesh.element_count, 18);
  ipg_mesh empty = {0};
  expect_ok(ipg_mesh_append(&empty, &mesh, &error), &error);
  CU_ASSERT(same_mesh(&empty, &mesh));
  ipg_mesh_free(&empty);
  ipg_mesh_free(&mesh);
  ipg_mesh_free(&more);
  ipg_mesh_free(&clash);
}

/* ----------------------------------------------------------------------------------------------------- allocation */

typedef struct meter {
  int64_t calls, fail_at, bytes; /* bytes: taken and not given back */
} meter;

static void *meter_allocate(void *context, size_t bytes) {
  meter *m = context;
  if (++m->calls == m->fail_at) return NULL;
  m->bytes += (int64_t)bytes;
  return malloc(bytes);
}

static void meter_release(void *context, void *memory, size_t bytes) {
  ((meter *)context)->bytes -= (int64_t)bytes;
  free(memory);
}

typedef ipg_status work(const ipg_allocator *allocator, ipg_error *error);

/* Fails the 1st, 2nd ... allocation until the work gets by without that many. */
static void sweep(work *run, int64_t at_least) {
  meter m = {0};
  const ipg_allocator allocator = {meter_allocate, meter_release, &m};
  for (bool failed = true; failed && m.fail_at < 1000;) {
    ipg_error error = {0};
    m = (meter){.fail_at = m.fail_at + 1};
    const ipg_status status = run(&allocator, &error);
    failed = m.calls >= m.fail_at;
    CU_ASSERT_EQUAL(status, failed ? IPG_ERROR_MEMORY : IPG_OK);
    CU_ASSERT(!failed || says(&error, "out of memory"));
    CU_ASSERT_EQUAL(m.bytes, 0);
  }
  CU_ASSERT(m.fail_at > at_least);
}

static ipg_status work_box(const ipg_allocator *allocator, ipg_error *error) {
  const double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1};
  const int n[3] = {1, 2, 1};
  ipg_mesh mesh;
  const ipg_status status = ipg_mesh_box(lo, hi, n, "b", allocator, &mesh, error);
  CU_ASSERT(!status || is_zero(&mesh, sizeof mesh));
  ipg_mesh_free(&mesh);
  return status;
}

static ipg_status work_ball(const ipg_allocator *allocator, ipg_error *error) {
  const double centre[3] = {0, 0, 0};
  ipg_mesh mesh;
  const ipg_status status = ipg_mesh_ball(centre, 1, 2, "b", allocator, &mesh, error);
  CU_ASSERT(!status || is_zero(&mesh, sizeof mesh));
  ipg_mesh_free(&mesh);
  return status;
}

static ipg_status work_skin(const ipg_allocator *allocator, ipg_error *error) {
  ipg_mesh mesh = ball(2, "b");
  ipg_skin skin;
  const ipg_status status = ipg_skin_build(&mesh, allocator, NULL, &skin, error);
  CU_ASSERT(!status || is_zero(&skin, sizeof skin));
  ipg_skin_free(&skin);
  ipg_mesh_free(&mesh);
  return status;
}

static ipg_status work_append(const ipg_allocator *allocator, ipg_error *error) {
  ipg_mesh mesh = {.allocator = *allocator}, more = ball(1, "b");
  const ipg_status status = ipg_mesh_append(&mesh, &more, error);
  ipg_mesh_free(&mesh);
  ipg_mesh_free(&more);
  return status;
}

static void test_allocation_failures(void) {
  sweep(work_box, 7 + 18);
  sweep(work_ball, 7 + 3);
  sweep(work_skin, 10);
  sweep(work_append, 7 + 3);
}

/* ----------------------------------------------------------------------------------------------------------- main */

int main(void) {
  CU_TestInfo tests[] = {{"box", test_box},
                         {"ball", test_ball},
                         {"shapes refuse bad arguments", test_shape_arguments},
                         {"skins are closed", test_skin_topology},
                         {"skin against brute force", test_skin_against_brute_force},
                         {"skin of a wheel", test_skin_of_wheel},
                         {"skin is the same with threads", test_skin_tasks},
                         {"skin refuses crowds and folds", test_skin_refusals},
                         {"append", test_append},
                         {"every allocation fails once", test_allocation_failures},
                         CU_TEST_INFO_NULL};
  CU_SuiteInfo suites[] = {{.pName = "meshio", .pTests = tests}, CU_SUITE_INFO_NULL};
  if (CU_initialize_registry() || CU_register_suites(suites)) return CU_get_error();
  CU_basic_set_mode(CU_BRM_VERBOSE);
  CU_basic_run_tests();
  unsigned failures = CU_get_number_of_failures();
  CU_cleanup_registry();
  return failures ? 1 : CU_get_error();
}
