/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Shapes, skins and Exodus files, held against what must be true of them: volumes known by formula, topology (Euler,
 * every edge twice), a brute-force skin that shares no code, files read back to the bit, broken files refused with the
 * right sentence and not a word on stderr, every allocation failing once. Real files come from $IMPINGE_DATA/exodus. */
#define _POSIX_C_SOURCE 200809L
#include "impinge/meshio.h"

#include <CUnit/Basic.h>
#include <errno.h>
#include <exodusII.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define PI 3.14159265358979323846

static char folder[400]; /* temporary, removed at the end with all that is in it */

static const char *in_folder(const char *name) {
  static char paths[4][512];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

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
  refuse_skin(three, 3, "elements 12, 11 and 13 share the face of nodes 11, 12, 13");
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

static ipg_status work_read(const ipg_allocator *allocator, ipg_error *error) {
  ipg_mesh mesh;
  const ipg_status status = ipg_exodus_read(in_folder("sweep.exo"), allocator, &mesh, error);
  CU_ASSERT(!status || is_zero(&mesh, sizeof mesh));
  ipg_mesh_free(&mesh);
  return status;
}

static ipg_status work_results(const ipg_allocator *allocator, ipg_error *error) {
  static const char *const names[] = {"a", "b"};
  const ipg_results_layout layout = {1, 1, names, names + 1};
  ipg_mesh mesh = box(1, 1, 1, 0, "b");
  const ipg_allocator own = mesh.allocator;
  mesh.allocator = *allocator;
  ipg_results *results;
  ipg_status status = ipg_results_create(in_folder("sweep_out.exo"), &mesh, &layout, &results, error);
  if (!status) status = ipg_results_append(results, 0, (const double *const[]){mesh.x}, mesh.x, error);
  CU_ASSERT_EQUAL(ipg_results_close(&results, NULL), IPG_OK);
  CU_ASSERT_PTR_NULL(results);
  mesh.allocator = own;
  ipg_mesh_free(&mesh);
  ipg_results_info info;
  if (!status) status = ipg_results_inspect(in_folder("sweep_out.exo"), allocator, &info, error);
  if (!status) ipg_results_info_free(&info);
  return status;
}

static void test_allocation_failures(void) {
  ipg_mesh mesh = box(1, 1, 1, 0, "b");
  mesh.node_gids[0] = 9; /* not ascending: they are sorted to be compared */
  CU_ASSERT_EQUAL(ipg_exodus_write(in_folder("sweep.exo"), &mesh, NULL), IPG_OK);
  ipg_mesh_free(&mesh);
  sweep(work_box, 7 + 18);
  sweep(work_ball, 7 + 3);
  sweep(work_skin, 10);
  sweep(work_append, 7 + 3);
  sweep(work_read, 7 + 18);
  sweep(work_results, 5);
}

/* --------------------------------------------------------------------------------------------------- write and read */

/* A ball and a box, with an empty block and sets, odd ids, shuffled numbers, and names that are no identifiers. */
static ipg_mesh odd_mesh(void) {
  ipg_mesh mesh = ball(2, "Ball \xc3\xa4/1"), more = box(2, 1, 1, 9, "a-name-longer-than-the-32-letters-of-old-Exodus");
  ipg_block block = {.id = 5, .name = "nothing"};
  const ipg_mesh none = {.block_count = 1, .blocks = &block};
  more.blocks[0].id = 2000000000;
  more.node_sets[2].id = 77;
  more.node_sets[1].count = more.side_sets[3].count = 0; /* malloc's free needs no size */
  CU_ASSERT_EQUAL(ipg_mesh_append(&mesh, &none, NULL), IPG_OK);
  CU_ASSERT_EQUAL(ipg_mesh_append(&mesh, &more, NULL), IPG_OK);
  for (int64_t i = 0; i < mesh.node_count; ++i) mesh.node_gids[i] = 5000 - 3 * i;
  for (int64_t e = 0; e < mesh.element_count; ++e) mesh.element_gids[e] = e ^ 1024;
  memset(mesh.title, 't', sizeof mesh.title - 1);
  ipg_mesh_free(&more);
  return mesh;
}

static void check_round_trip(const ipg_mesh *mesh, const char *path) {
  ipg_error error;
  ipg_mesh back;
  expect_ok(ipg_exodus_write(path, mesh, &error), &error);
  expect_ok(ipg_exodus_read(path, NULL, &back, &error), &error);
  CU_ASSERT(same_mesh(mesh, &back));
  ipg_mesh_free(&back);
}

static long read_bytes(const char *path, char *bytes, size_t room) {
  FILE *file = fopen(path, "rb");
  const size_t got = file ? fread(bytes, 1, room, file) : 0;
  if (file) fclose(file);
  return (long)got;
}

static void write_bytes(const char *path, const char *bytes, long count) {
  FILE *file = fopen(path, "wb");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  CU_ASSERT_EQUAL(fwrite(bytes, 1, (size_t)count, file), (size_t)count);
  fclose(file);
}

static char image[2][1 << 20];

static void test_round_trip(void) {
  ipg_mesh mesh = odd_mesh();
  check_round_trip(&mesh, in_folder("odd.exo"));
  check_round_trip(&mesh, in_folder("again.exo"));
  const long size = read_bytes(in_folder("odd.exo"), image[0], sizeof image[0]);
  CU_ASSERT(size > 10000 && !memcmp(image[0], "CDF\002", 4));
  CU_ASSERT_EQUAL(read_bytes(in_folder("again.exo"), image[1], sizeof image[1]), size);
  CU_ASSERT(!memcmp(image[0], image[1], (size_t)size)); /* same input, same bits */
  mesh.node_gids[3] = 5000000000000;
  mesh.element_gids[3] = 6000000000000;
  mesh.blocks[0].id = 7000000000000;
  check_round_trip(&mesh, in_folder("wide.exo"));
  mesh.blocks[0].name[0] = 0; /* nameless things get names */
  ipg_mesh back;
  CU_ASSERT_EQUAL(ipg_exodus_write(in_folder("odd.exo"), &mesh, NULL), IPG_OK);
  CU_ASSERT_EQUAL(ipg_exodus_read(in_folder("odd.exo"), NULL, &back, NULL), IPG_OK);
  CU_ASSERT_STRING_EQUAL(back.blocks[0].name, "block_7000000000000");
  ipg_mesh_free(&back);
  ipg_mesh_free(&mesh);
}

/* -------------------------------------------------------------------------------------------------------- results */

static double field_value(int step, int field, int64_t i) { return step * 1000 + field * 100.5 + (double)i / 7; }

static bool step_reads_back(const char *path, int step, int64_t nodes) {
  double values[64], globals[2];
  bool same = true;
  for (int f = 0; f < 4; ++f) {
    if (ipg_results_read_nodal(path, step, f, nodes, values, NULL)) return false;
    for (int64_t i = 0; i < nodes; ++i) same = same && values[i] == field_value(step, f, i);
  }
  return same && !ipg_results_read_globals(path, step, 2, globals, NULL) && globals[0] == field_value(step, 4, 0) &&
         globals[1] == field_value(step, 4, 1);
}

static void append_step(ipg_results *results, int step, int64_t nodes) {
  double values[4][64], globals[2] = {field_value(step, 4, 0), field_value(step, 4, 1)};
  const double *const nodal[4] = {values[0], values[1], values[2], values[3]};
  ipg_error error;
  for (int f = 0; f < 4; ++f)
    for (int64_t i = 0; i < nodes; ++i) values[f][i] = field_value(step, f, i);
  errno = EFBIG; /* left behind by the host: not our error */
  expect_ok(ipg_results_append(results, step * 0.5, nodal, globals, &error), &error);
  CU_ASSERT_EQUAL(ipg_results_append(results, step * 0.5, nodal, globals, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_results_append(results, NAN, nodal, globals, NULL), IPG_ERROR_ARGUMENT);
}

static void check_results_info(const char *path, int steps) {
  ipg_results_info info;
  ipg_error error;
  expect_ok(ipg_results_inspect(path, NULL, &info, &error), &error);
  CU_ASSERT_EQUAL(info.step_count, steps);
  CU_ASSERT(info.nodal_count == 4 && info.global_count == 2);
  CU_ASSERT_STRING_EQUAL(info.nodal_names[2], "disp_z");
  CU_ASSERT_STRING_EQUAL(info.nodal_names[3], "a name of more than thirty-two letters");
  CU_ASSERT_STRING_EQUAL(info.global_names[1], "work");
  for (int s = 0; s < steps; ++s) CU_ASSERT_EQUAL(info.times[s], s * 0.5);
  ipg_results_info_free(&info);
}

static void test_results(void) {
  static const char *const nodal[] = {"disp_x", "disp_y", "disp_z", "a name of more than thirty-two letters"};
  static const char *const globals[] = {"energy", "work"};
  const ipg_results_layout layout = {4, 2, nodal, globals};
  const char *path = in_folder("results.exo");
  ipg_mesh mesh = box(2, 2, 3, 0, "plate"), back;
  ipg_results *results = NULL;
  ipg_error error;
  double values[64];
  expect_ok(ipg_results_create(path, &mesh, &layout, &results, &error), &error);
  CU_ASSERT_PTR_NOT_NULL_FATAL(results);
  check_results_info(path, 0);
  for (int step = 0; step < 5; ++step) {
    append_step(results, step, mesh.node_count);
    check_results_info(path, step + 1); /* the writer is still open */
    for (int s = 0; s <= step; ++s) CU_ASSERT(step_reads_back(path, s, mesh.node_count));
  }
  expect_ok(ipg_results_close(&results, &error), &error);
  CU_ASSERT(ipg_results_close(&results, &error) == IPG_OK && !results);
  check_results_info(path, 5);
  expect_ok(ipg_exodus_read(path, NULL, &back, &error), &error);
  CU_ASSERT(same_mesh(&mesh, &back));
  CU_ASSERT_EQUAL(ipg_results_read_nodal(path, 5, 0, mesh.node_count, values, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(says(&error, "step 5 (from 0) was asked for; there are 5"));
  CU_ASSERT_EQUAL(ipg_results_read_nodal(path, 0, 4, mesh.node_count, values, NULL), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_results_read_nodal(path, 0, 0, 7, values, NULL), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_results_read_globals(path, 0, 3, values, NULL), IPG_ERROR_ARGUMENT);
  ipg_mesh_free(&back);
  ipg_mesh_free(&mesh);
}

/* -------------------------------------------------------------------------------------------------------- refusals */

/* Reads a file that must be refused, and sees that nobody printed. */
static void refuse(const char *path, ipg_status expected, const char *sentence) {
  ipg_error error = {0};
  ipg_mesh mesh;
  fflush(stderr);
  const int terminal = dup(STDERR_FILENO);
  FILE *caught = tmpfile();
  CU_ASSERT_PTR_NOT_NULL_FATAL(caught);
  dup2(fileno(caught), STDERR_FILENO);
  const ipg_status status = ipg_exodus_read(path, NULL, &mesh, &error);
  fflush(stderr);
  dup2(terminal, STDERR_FILENO);
  close(terminal);
  CU_ASSERT_EQUAL(lseek(fileno(caught), 0, SEEK_END), 0);
  fclose(caught);
  CU_ASSERT_EQUAL(status, expected);
  CU_ASSERT_EQUAL(error.status, expected);
  CU_ASSERT(is_zero(&mesh, sizeof mesh));
  CU_ASSERT(says(&error, sentence));
}

typedef struct raw {
  const char *type;
  int dimensions, nodes_per_element, first_node;
  double z; /* of node 4 */
  int64_t node_number, element_number, side;
} raw;

static const raw proper = {"tEtRa", 3, 4, 1, 1, 21, 31, 4};

/* A file of one element in block 3 and an empty block 4, made by the library itself. */
static const char *write_raw(const raw *r) {
  const char *path = in_folder("raw.exo");
  int here = 8, there = 8;
  double x[8] = {0, 1, 0, 0, 1, 1, 1, 1}, y[8] = {0, 0, 1, 0, 1, 1, 1, 1}, z[8] = {0, 0, 0, r->z, 1, 1, 1, 1};
  int64_t nodes[10] = {r->first_node, 2, 3, 4, 5, 6, 7, 8, 1, 2}, one = 1;
  int64_t node_numbers[8] = {r->node_number, 22, 23, 24, 25, 26, 27, 28};
  char shell[] = "shell", empty[] = "empty", *names[2] = {shell, empty};
  const int id = ex_create(path, EX_CLOBBER | EX_ALL_INT64_API, &here, &there);
  ex_put_init(id, "raw", r->dimensions, 8, 1, 2, 0, 1);
  ex_put_block(id, EX_ELEM_BLOCK, 3, r->type, 1, r->nodes_per_element, 0, 0, 0);
  ex_put_block(id, EX_ELEM_BLOCK, 12345678, "SHELL", 0, 4, 0, 0, 0);
  ex_put_set_param(id, EX_SIDE_SET, 9, 1, 0);
  ex_put_coord(id, x, y, z);
  ex_put_names(id, EX_ELEM_BLOCK, names);
  ex_put_conn(id, EX_ELEM_BLOCK, 3, nodes, NULL, NULL);
  ex_put_set(id, EX_SIDE_SET, 9, &one, &r->side);
  ex_put_id_map(id, EX_NODE_MAP, node_numbers);
  ex_put_id_map(id, EX_ELEM_MAP, &r->element_number);
  CU_ASSERT_EQUAL(ex_close(id), 0);
  return path;
}

#define RAW(...) write_raw(&(raw){__VA_ARGS__})

static void test_content_refusals(void) {
  ipg_mesh mesh;
  ipg_error error;
  expect_ok(ipg_exodus_read(write_raw(&proper), NULL, &mesh, &error), &error);
  CU_ASSERT(mesh.block_count == 2 && mesh.blocks[1].count == 0 && mesh.blocks[1].first == 1);
  CU_ASSERT_STRING_EQUAL(mesh.side_sets[0].name, "sideset_9");
  CU_ASSERT_EQUAL(mesh.side_sets[0].sides[0], 3);
  ipg_mesh_free(&mesh);
  refuse(
      RAW("HEX8", 3, 8, 1, 1, 21, 31, 4), IPG_ERROR_UNSUPPORTED,
      "raw.exo: block 3 'shell' holds HEX8 elements of 8 nodes; only 4-node tetrahedra can be read: remove the block "
      "or convert it");
  refuse(RAW("SHELL4", 3, 4, 1, 1, 21, 31, 4), IPG_ERROR_UNSUPPORTED, "block 3 'shell' holds SHELL4");
  refuse(RAW("TETRA", 3, 10, 1, 1, 21, 31, 4), IPG_ERROR_UNSUPPORTED, "TETRA elements of 10 nodes");
  refuse(RAW("TRI3", 2, 3, 1, 1, 21, 31, 1), IPG_ERROR_UNSUPPORTED, "2 dimensions");
  refuse(RAW("TET", 3, 4, 1, NAN, 21, 31, 4), IPG_ERROR_NUMBER, "node 24 of element 31 in block 'shell' is not at a");
  refuse(RAW("TET", 3, 4, 5, INFINITY, 21, 31, 4), IPG_ERROR_NUMBER, "node 24 of element 31 in block 'shell'");
  refuse(RAW("TET", 3, 4, 1, -1, 21, 31, 4), IPG_ERROR_NUMBER, "element 31 of block 'shell' has the volume -0.16");
  refuse(RAW("TET", 3, 4, 1, 0, 21, 31, 4), IPG_ERROR_NUMBER, "element 31 of block 'shell' has the volume 0");
  refuse(RAW("TET", 3, 4, 0, 1, 21, 31, 4), IPG_ERROR_FORMAT, "element 31 of block 'shell' has node 0 of 8");
  refuse(RAW("TET", 3, 4, 9, 1, 21, 31, 4), IPG_ERROR_FORMAT, "element 31 of block 'shell' has node 9 of 8");
  refuse(RAW("TET", 3, 4, 1, 1, 28, 31, 4), IPG_ERROR_FORMAT, "two nodes have the number 28");
  refuse(RAW("TET", 3, 4, 1, 1, 21, 0, 4), IPG_ERROR_FORMAT, "the id map holds element number 0");
  refuse(RAW("TET", 3, 4, 1, 1, 21, 31, 5), IPG_ERROR_FORMAT, "side set 'sideset_9' holds number 5 of 4");
}

static void test_file_refusals(void) {
  refuse(in_folder("absent.exo"), IPG_ERROR_FILE, "absent.exo': No such file or directory");
  refuse(folder, IPG_ERROR_FILE, "Is a directory");
  refuse(NULL, IPG_ERROR_ARGUMENT, "a path is needed");
  const struct {
    const char *name, *bytes;
    long count;
    const char *sentence;
  } files[] = {{"empty.exo", "", 0, "empty.exo' is empty"},
               {"text.exo", "solid cube\n facet normal", 24, "text.exo' is no Exodus II file"},
               {"short.exo", "CDF", 3, "is no Exodus II file"},
               {"head.exo", "CDF\002\0\0\0\0\0\0\0\0\0\0\0\0", 16, "is damaged or holds no Exodus II data"},
               {"hdf5.exo", "\211HDF\r\n\032\n\0\0\0\0\0\10\10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\377",
                41, "was cut off"}};
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    write_bytes(in_folder(files[i].name), files[i].bytes, files[i].count);
    refuse(in_folder(files[i].name), IPG_ERROR_FORMAT, files[i].sentence);
  }
}

/* Ids in the file are big-endian; the library refuses to write a double one, so it is patched in. */
static void test_double_block_id(void) {
  const long size = read_bytes(write_raw(&proper), image[0], sizeof image[0]);
  const unsigned char from[4] = {0, 0xbc, 0x61, 0x4e}, to[4] = {0, 0, 0, 3};
  int patched = 0;
  for (long i = 0; i + 4 <= size; ++i)
    if (!memcmp(image[0] + i, from, 4)) memcpy(image[0] + i, to, 4), ++patched;
  CU_ASSERT_EQUAL(patched, 1);
  write_bytes(in_folder("double.exo"), image[0], size);
  refuse(in_folder("double.exo"), IPG_ERROR_FORMAT, "two blocks have the id 3");
}

/* Wherever a mesh file is cut: it is refused, or what is lost was padding and it reads the same. */
static void test_truncated_files(void) {
  ipg_mesh mesh = odd_mesh(), back;
  int refused = 0, same = 0, other = 0;
  CU_ASSERT_EQUAL(ipg_exodus_write(in_folder("whole.exo"), &mesh, NULL), IPG_OK);
  const long size = read_bytes(in_folder("whole.exo"), image[0], sizeof image[0]);
  for (long keep = 0; keep<size; keep += keep> size - 200 || keep < 64 ? 1 : 97) {
    write_bytes(in_folder("cut.exo"), image[0], keep);
    if (ipg_exodus_read(in_folder("cut.exo"), NULL, &back, NULL)) ++refused;
    else if (same_mesh(&mesh, &back)) ++same;
    else ++other;
    ipg_mesh_free(&back);
  }
  printf("\n    cut short: %d refused, %d the same, %d wrong", refused, same, other);
  CU_ASSERT(refused > 100 && same <= 4);
  CU_ASSERT_EQUAL(other, 0);
  ipg_mesh_free(&mesh);
}

static void test_write_errors(void) {
  static const char *const names[] = {"disp_x"};
  const ipg_results_layout layout = {1, 0, names, NULL}, nameless = {1, 0, NULL, NULL};
  ipg_mesh mesh = ball(6, "ball"), nothing = {0};
  ipg_results *results;
  ipg_error error;
  CU_ASSERT_EQUAL(ipg_exodus_write(in_folder("no/such/place.exo"), &mesh, &error), IPG_ERROR_FILE);
  CU_ASSERT(says(&error, "no/such/place.exo': No such file or directory"));
  CU_ASSERT_EQUAL(ipg_exodus_write(folder, &mesh, &error), IPG_ERROR_FILE);
  CU_ASSERT_EQUAL(ipg_exodus_write(in_folder("none.exo"), &nothing, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_results_create(in_folder("r.exo"), &mesh, &nameless, &results, &error), IPG_ERROR_ARGUMENT);
  struct rlimit before, tight;
  getrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_IGN); /* a file that cannot grow is a full disk */
  tight = (struct rlimit){110000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);
  CU_ASSERT_EQUAL(ipg_exodus_write(in_folder("full.exo"), &mesh, &error), IPG_ERROR_FILE);
  setrlimit(RLIMIT_FSIZE, &before);
  CU_ASSERT(says(&error, "full.exo'"));
  expect_ok(ipg_results_create(in_folder("full.exo"), &mesh, &layout, &results, &error), &error);
  struct stat now;
  CU_ASSERT_EQUAL(stat(in_folder("full.exo"), &now), 0);
  tight.rlim_cur = (rlim_t)now.st_size + 2000;
  setrlimit(RLIMIT_FSIZE, &tight);
  CU_ASSERT_EQUAL(ipg_results_append(results, 0, (const double *const[]){mesh.x}, NULL, &error), IPG_ERROR_FILE);
  setrlimit(RLIMIT_FSIZE, &before);
  CU_ASSERT(says(&error, "full.exo'"));
  expect_ok(ipg_results_append(results, 0, (const double *const[]){mesh.x}, NULL, &error), &error);
  expect_ok(ipg_results_close(&results, &error), &error);
  double *values = calloc((size_t)mesh.node_count, sizeof *values);
  expect_ok(ipg_results_read_nodal(in_folder("full.exo"), 0, 0, mesh.node_count, values, &error), &error);
  CU_ASSERT(!memcmp(values, mesh.x, (size_t)mesh.node_count * sizeof *values));
  free(values);
  ipg_mesh_free(&mesh);
}

/* ------------------------------------------------------------------------------------------------------- real files */

typedef struct real_file {
  const char *name;
  ipg_status status;
  const char *sentence; /* of the refusal */
  int64_t nodes, elements;
  int blocks, node_sets, side_sets, bodies;
} real_file;

static const real_file real_files[] = {
    {"moose_close_tet_out.e", IPG_OK, NULL, 845, 2616, 2, 12, 12, 2},
    {"moose_tet_non_mesh.e", IPG_OK, NULL, 44, 96, 2, 0, 4, 2},
    {"moose_waveguide_2blk.g", IPG_OK, NULL, 2904, 14044, 2, 0, 6, 1},
    {"petsc_FourBrickTet-large.exo", IPG_OK, NULL, 34, 89, 4, 0, 0, 1},
    {"norma_tube.g", IPG_OK, NULL, 1981, 5657, 1, 0, 4, 1},
    {"norma_tet4_cube.g", IPG_OK, NULL, 27, 49, 1, 6, 6, 1},
    {"moose_mixed_mesh.e", IPG_ERROR_UNSUPPORTED, "holds HEX8 elements", 0, 0, 0, 0, 0, 0},
    {"moose_continuity_tet10_out.e", IPG_ERROR_UNSUPPORTED, "holds TETRA10 elements", 0, 0, 0, 0, 0, 0},
    {"norma_cuboid-tet10-1.g", IPG_ERROR_UNSUPPORTED, "holds TETRA10 elements", 0, 0, 0, 0, 0, 0},
    {"norma_cuboid-tet10-2.g", IPG_ERROR_UNSUPPORTED, "holds TETRA10 elements", 0, 0, 0, 0, 0, 0},
};

/* Side sets of a body's surface lie on its skin; those between blocks do not. */
static int64_t sides_on_skin(const ipg_mesh *mesh, const ipg_skin *skin) {
  int64_t found = 0;
  for (int s = 0; s < mesh->side_set_count; ++s)
    for (int64_t k = 0; k < mesh->side_sets[s].count; ++k)
      for (int64_t f = 0; f < skin->face_count; ++f)
        found += skin->elements[f] == mesh->side_sets[s].elements[k] && skin->sides[f] == mesh->side_sets[s].sides[k];
  return found;
}

static void check_real_file(const char *path, const real_file *file) {
  ipg_error error;
  ipg_mesh mesh;
  if (file->status) {
    refuse(path, file->status, file->sentence);
    return;
  }
  expect_ok(ipg_exodus_read(path, NULL, &mesh, &error), &error);
  CU_ASSERT(mesh.node_count == file->nodes && mesh.element_count == file->elements);
  CU_ASSERT_EQUAL(mesh.block_count, file->blocks);
  CU_ASSERT(mesh.node_set_count == file->node_sets && mesh.side_set_count == file->side_sets);
  ipg_skin skin = skin_of(&mesh);
  CU_ASSERT_EQUAL(skin.body_count, file->bodies);
  CU_ASSERT(count_edges(&skin) > 0);
  CU_ASSERT_DOUBLE_EQUAL(enclosed_volume(&mesh, &skin), mesh_volume(&mesh), 1e-10 * mesh_volume(&mesh));
  if (!strcmp(file->name, "moose_close_tet_out.e")) {
    CU_ASSERT_STRING_EQUAL(mesh.blocks[1].name, "block_2");
    CU_ASSERT_STRING_EQUAL(mesh.node_sets[0].name, "ball_back");
    CU_ASSERT_EQUAL(mesh.node_sets[0].id, 0);
    CU_ASSERT_EQUAL(sides_on_skin(&mesh, &skin), skin.face_count);
  }
  check_round_trip(&mesh, in_folder("real.exo"));
  ipg_skin_free(&skin);
  ipg_mesh_free(&mesh);
}

/* A real result file: -0.001 of penetration at exactly 13 nodes, 0 elsewhere. */
static void check_real_results(const char *path) {
  ipg_results_info info;
  double values[845];
  int deep = 0, clear = 0;
  CU_ASSERT_EQUAL(ipg_results_inspect(path, NULL, &info, NULL), IPG_OK);
  CU_ASSERT_STRING_EQUAL(info.nodal_names[3], "penetration");
  CU_ASSERT_EQUAL(ipg_results_read_nodal(path, info.step_count - 1, 3, 845, values, NULL), IPG_OK);
  for (int i = 0; i < 845; ++i) deep += fabs(values[i] + 0.001) < 1e-9, clear += values[i] == 0;
  CU_ASSERT(deep == 13 && clear == 832);
  ipg_results_info_free(&info);
}

static void test_real_files(void) {
  const char *data = getenv("IMPINGE_DATA");
  char path[512];
  snprintf(path, sizeof path, "%s/exodus/%s", data ? data : "../shared/data", real_files[0].name);
  if (access(path, R_OK)) {
    printf("\n    SKIPPED: real Exodus files: %s is not there, set IMPINGE_DATA", path);
    return;
  }
  check_real_results(path);
  for (size_t i = 0; i < sizeof real_files / sizeof *real_files; ++i) {
    snprintf(path, sizeof path, "%s/exodus/%s", data ? data : "../shared/data", real_files[i].name);
    check_real_file(path, &real_files[i]);
  }
}

/* ----------------------------------------------------------------------------------------------------------- main */

static int make_folder(void) {
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/test_meshio_XXXXXX", base ? base : ".");
  return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void) {
  static const char *const names[] = {"odd.exo",  "again.exo", "wide.exo", "results.exo", "raw.exo",      "empty.exo",
                                      "text.exo", "short.exo", "head.exo", "hdf5.exo",    "double.exo",   "whole.exo",
                                      "cut.exo",  "full.exo",  "real.exo", "sweep.exo",   "sweep_out.exo"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) remove(in_folder(names[i]));
  return rmdir(folder);
}

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
                         {"what is written is read", test_round_trip},
                         {"result files", test_results},
                         {"bad content is refused", test_content_refusals},
                         {"bad files are refused", test_file_refusals},
                         {"double block ids are refused", test_double_block_id},
                         {"truncated files", test_truncated_files},
                         {"write errors", test_write_errors},
                         {"real files", test_real_files},
                         CU_TEST_INFO_NULL};
  CU_SuiteInfo suites[] = {
      {.pName = "meshio", .pInitFunc = make_folder, .pCleanupFunc = remove_folder, .pTests = tests},
      CU_SUITE_INFO_NULL};
  if (CU_initialize_registry() || CU_register_suites(suites)) return CU_get_error();
  CU_basic_set_mode(CU_BRM_VERBOSE);
  CU_basic_run_tests();
  unsigned failures = CU_get_number_of_failures();
  CU_cleanup_registry();
  return failures ? 1 : CU_get_error();
}
