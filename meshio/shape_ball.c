/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Balls of tetrahedra: 20 cones, each spanned by the centre and one face of an icosahedron. Planes parallel to the four
 * sides of a cone cut it into tetrahedra and octahedra, and an octahedron is cut into four tetrahedra around its
 * shortest diagonal. The diagonal is inside the octahedron and does not change its faces, so the mesh conforms.
 *
 * A lattice point is identified by its integer weights on the vertices, so points of neighbouring cones are one node
 * exactly when their keys are equal: coordinates are never compared. */
#include "arrays.h"
#include "mesh_lookup.h"
#include "shapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GOLDEN 1.6180339887498949

/* Vertex 0 is the centre. The lengths of the others have no effect: points are projected onto their shell. */
static const double vertices[13][3] = {{0, 0, 0},      {0, -1, -GOLDEN}, {0, -1, GOLDEN}, {0, 1, -GOLDEN},
                                       {0, 1, GOLDEN}, {-1, -GOLDEN, 0}, {-1, GOLDEN, 0}, {1, -GOLDEN, 0},
                                       {1, GOLDEN, 0}, {-GOLDEN, 0, -1}, {-GOLDEN, 0, 1}, {GOLDEN, 0, -1},
                                       {GOLDEN, 0, 1}};

enum { BALL_N_MAX = 256, CONES = 20 };

/* The points of a cone: n >= i >= j >= k >= 0; shell i, weights i - j, j - k and k on the three vertices. */
typedef struct lattice {
  int n;
  int64_t points; /* of one cone */
  int cones[CONES][3];
  uint64_t *keys; /* of every point of every cone; after merging, of every node */
  ipg_id *slots;  /* cone * points + point of each key */
  ipg_id *nodes;  /* of every point of every cone */
  int64_t node_count;
} lattice;

/* ------------------------------------------------------------------------------------------------------- lattice */

static bool are_neighbours(int a, int b) {
  return vertices[a][0] * vertices[b][0] + vertices[a][1] * vertices[b][1] + vertices[a][2] * vertices[b][2] > 0;
}

/* All triples of vertices that are neighbours of each other, in ascending order. */
static void find_cones(lattice *l) {
  int found = 0;
  for (int a = 1; a <= 12; ++a)
    for (int b = a + 1; b <= 12; ++b)
      for (int c = b + 1; c <= 12; ++c) {
        if (!are_neighbours(a, b) || !are_neighbours(b, c) || !are_neighbours(a, c)) continue;
        const int cone[3] = {a, b, c};
        memcpy(l->cones[found++], cone, sizeof cone);
      }
}

static int64_t get_lattice_point(int i, int j, int k) {
  return (int64_t)i * (i + 1) * (i + 2) / 6 + (int64_t)j * (j + 1) / 2 + k;
}

/* The shell i, then (vertex, weight) for each vertex with a weight, in ascending order: equal for equal points. */
static uint64_t make_point_key(const int cone[3], int i, int j, int k) {
  const int weights[3] = {i - j, j - k, k};
  uint64_t key = (uint64_t)i;
  for (int c = 0; c < 3; ++c)
    if (weights[c]) key = key << 16 | (uint64_t)(cone[c] << 12 | weights[c]);
  for (int c = 0; c < 3; ++c)
    if (!weights[c]) key <<= 16;
  return key;
}

static void make_keys(lattice *l) {
  int64_t slot = 0;
  for (int cone = 0; cone < CONES; ++cone)
    for (int i = 0; i <= l->n; ++i)
      for (int j = 0; j <= i; ++j)
        for (int k = 0; k <= j; ++k, ++slot) { /* the order of get_lattice_point */
          l->keys[slot] = make_point_key(l->cones[cone], i, j, k);
          l->slots[slot] = (ipg_id)slot;
        }
}

/* Nodes are numbered by ascending key: shell by shell, the surface last. */
static void merge_points(lattice *l) {
  l->node_count = 0;
  for (int64_t i = 0; i < CONES * l->points; ++i) {
    if (!i || l->keys[i] != l->keys[l->node_count - 1]) l->keys[l->node_count++] = l->keys[i];
    l->nodes[l->slots[i]] = (ipg_id)(l->node_count - 1);
  }
}

/* Allocates, makes the keys, sorts and merges them: the nodes of the ball. */
static ipg_status build_lattice(lattice *l, int n, ipg_buffer memory[3], const ipg_allocator *a, ipg_error *error) {
  ipg_sorter sorter = {0};
  const ipg_tasks serial = ipg_tasks_serial();
  l->n = n;
  l->points = get_lattice_point(n + 1, 0, 0);
  const int64_t count = CONES * l->points;
  ipg_status status = ipg_buffer_reserve(&memory[0], a, count, sizeof *l->keys, error);
  if (!status) status = ipg_buffer_reserve(&memory[1], a, count, sizeof *l->slots, error);
  if (!status) status = ipg_buffer_reserve(&memory[2], a, count, sizeof *l->nodes, error);
  if (status) return status;
  l->keys = memory[0].data, l->slots = memory[1].data, l->nodes = memory[2].data;
  find_cones(l);
  make_keys(l);
  status = ipg_sort_u64(&sorter, l->keys, l->slots, count, a, &serial, error);
  ipg_sorter_destroy(&sorter, a);
  if (!status) merge_points(l);
  return status;
}

/* ------------------------------------------------------------------------------------------------------- positions */

typedef struct ball {
  const lattice *lattice;
  const double *centre;
  double radius;
} ball;

/* Without this the nodes would be too dense at the vertices, because the middle of a face lies closer to the centre
 * than its corners. The factor of an eighth on the cube makes the worst dihedral angle best. */
static double spread_weight(double weight) { return weight - weight * weight * weight / 8; }

/* The direction of the lattice point, scaled to the radius of its shell. */
static void set_node_position(const ball *b, uint64_t key, double *x) {
  const double shell = (double)(key >> 48);
  double p[3] = {0, 0, 0};
  for (int shift = 32; shift >= 0 && shell > 0; shift -= 16) {
    const int vertex = (int)(key >> (shift + 12) & 15);
    const double weight = spread_weight((double)(key >> shift & 4095) / shell);
    for (int d = 0; d < 3; ++d) p[d] += weight * vertices[vertex][d];
  }
  const double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  const double scale = length > 0 ? b->radius * (shell / b->lattice->n) / length : 0;
  for (int d = 0; d < 3; ++d) x[d] = b->centre[d] + scale * p[d];
}

/* -------------------------------------------------------------------------------------------------------------- cut */

/* A part of a cone that is being cut. A corner of it is given as a bit mask of steps from the lattice point `base`: bit
 * 0 is no step, bit s one step towards vertex s - 1 of the cone. */
typedef struct cutter {
  const lattice *lattice;
  ipg_mesh *mesh;
  int64_t element; /* index of the next one */
  int cone, base[3];
} cutter;

static ipg_id get_corner_node(const cutter *c, unsigned corner) {
  static const int steps[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}};
  int at[3] = {c->base[0], c->base[1], c->base[2]};
  for (int s = 0; s < 4; ++s)
    for (int d = 0; d < 3; ++d) at[d] += (int)(corner >> s & 1) * steps[s][d];
  return c->lattice->nodes[c->cone * c->lattice->points + get_lattice_point(at[0], at[1], at[2])];
}

static void add_tet(cutter *c, ipg_id p, ipg_id q, ipg_id r, ipg_id s) {
  ipg_id *tet = c->mesh->tets + 4 * c->element++;
  tet[0] = p, tet[1] = q, tet[2] = r, tet[3] = s;
  if (ipg_tet_volume(c->mesh->x, tet) < 0) ipg_swap_ids(&tet[2], &tet[3]);
}

static double squared_distance(const double *x, ipg_id a, ipg_id b) {
  double sum = 0;
  for (int d = 0; d < 3; ++d) sum += (x[3 * a + d] - x[3 * b + d]) * (x[3 * a + d] - x[3 * b + d]);
  return sum;
}

/* Diagonals that are equally long by symmetry must not be told apart by rounding: the first of them is taken. */
static int find_shortest_diagonal(const double *x, ipg_id diagonals[3][2]) {
  const double slack = 1 - 1e-9;
  int best = 0;
  for (int k = 1; k < 3; ++k)
    if (squared_distance(x, diagonals[k][0], diagonals[k][1]) <
        slack * squared_distance(x, diagonals[best][0], diagonals[best][1]))
      best = k;
  return best;
}

static void cut_octahedron(cutter *c) {
  static const unsigned opposite[3][2] = {{3, 12}, {5, 10}, {9, 6}};
  ipg_id ends[3][2];
  for (int k = 0; k < 3; ++k)
    for (int end = 0; end < 2; ++end) ends[k][end] = get_corner_node(c, opposite[k][end]);
  const int best = find_shortest_diagonal(c->mesh->x, ends);
  const ipg_id *axis = ends[best], *u = ends[(best + 1) % 3], *v = ends[(best + 2) % 3];
  const ipg_id around[5] = {u[0], v[0], u[1], v[1], u[0]};
  for (int k = 0; k < 4; ++k) add_tet(c, axis[0], axis[1], around[k], around[k + 1]);
}

/* The parts of the cone at one lattice point: a tetrahedron, an octahedron, and an inverted tetrahedron. Near the
 * surface the second and third do not fit. */
static void cut_lattice_point(cutter *c) {
  const int room = c->lattice->n - c->base[0];
  add_tet(c, get_corner_node(c, 1), get_corner_node(c, 2), get_corner_node(c, 4), get_corner_node(c, 8));
  if (room >= 2) cut_octahedron(c);
  if (room >= 3)
    add_tet(c, get_corner_node(c, 14), get_corner_node(c, 13), get_corner_node(c, 11), get_corner_node(c, 7));
}

static void cut_cone(cutter *c) {
  for (int i = 0; i < c->lattice->n; ++i)
    for (int j = 0; j <= i; ++j)
      for (int k = 0; k <= j; ++k) {
        c->base[0] = i, c->base[1] = j, c->base[2] = k;
        cut_lattice_point(c);
      }
}

/* ---------------------------------------------------------------------------------------------------------- ball */

static void fill_ball(const void *plan, ipg_mesh *mesh) {
  const ball *b = plan;
  cutter c = {.lattice = b->lattice, .mesh = mesh};
  for (int64_t i = 0; i < mesh->node_count; ++i) set_node_position(b, b->lattice->keys[i], mesh->x + 3 * i);
  for (; c.cone < CONES; ++c.cone) cut_cone(&c);
}

static const char *const endings[] = {"_surface"};

static unsigned find_node_surfaces(const void *plan, int64_t node) {
  const lattice *l = ((const ball *)plan)->lattice;
  return (int64_t)(l->keys[node] >> 48) == l->n;
}

static ipg_status build_ball(const ball *b, const char *name, const ipg_allocator *a, ipg_mesh *mesh,
                             ipg_error *error) {
  const int64_t n = b->lattice->n;
  ipg_shape shape = {.name = name,
                     .node_count = b->lattice->node_count,
                     .element_count = CONES * n * n * n,
                     .surface_count = 1,
                     .endings = endings,
                     .plan = b,
                     .fill = fill_ball,
                     .find_surfaces = find_node_surfaces};
  snprintf(shape.title, sizeof shape.title, "ball of %d shells", b->lattice->n);
  return ipg_shape_build(&shape, a, mesh, error);
}

static ipg_status check_arguments(const double centre[3], double radius, int n, ipg_error *error) {
  ipg_status status = ipg_shape_check_centre("ball", centre, error);
  if (!status) status = ipg_shape_check_length("ball", "radius", radius, error);
  if (!status && (n < 1 || n > BALL_N_MAX))
    status = ipg_fail(error, IPG_ERROR_ARGUMENT, "a ball of %d shells: give 1 to %d", n, BALL_N_MAX);
  return status;
}

ipg_status ipg_mesh_ball(const double centre[3], double radius, int n, const char *name, const ipg_allocator *allocator,
                         ipg_mesh *mesh, ipg_error *error) {
  ipg_status status = ipg_shape_start("ball", name, mesh, error);
  if (!status) status = check_arguments(centre, radius, n, error);
  if (status) return status;
  const ipg_allocator a = ipg_choose_allocator(allocator);
  ipg_buffer memory[3] = {{0}};
  lattice l;
  status = build_lattice(&l, n, memory, &a, error);
  if (!status) status = build_ball(&(ball){&l, centre, radius}, name, &a, mesh, error);
  for (int i = 0; i < 3; ++i) ipg_buffer_destroy(&memory[i], &a);
  return status;
}
