/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Boxes and balls of tetrahedra, by Kuhn's (Freudenthal's) subdivision of the cube: each of the six orders of the axes
 * is a path of edges from corner 000 to corner 111, and its four corners are a tetrahedron.
 *
 * A box repeats that cell by cell. A ball does it in 20 cones (centre and one face of an icosahedron) in ordered
 * lattice coordinates n >= i >= j >= k >= 0. Both conform because the order of axes, or of the 13 vertices, is the same
 * everywhere. A lattice point of the ball is known by its integer weights on the vertices, so points of neighbouring
 * cones are one node exactly when their keys are equal: coordinates are never compared. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The paths; those of the first three are positive as they stand, the others with two corners swapped. */
static const int paths[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};

/* ------------------------------------------------------------------------------------------------ what both need */

/* Every set's name is the shape's with an ending of at most 8 letters. */
static ipg_status check_name(const char *name, ipg_error *error) {
  if (name && name[0] && strlen(name) + sizeof "_surface" <= IPG_NAME_MAX) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_ARGUMENT, "a shape needs a name of 1 to %d letters",
                  IPG_NAME_MAX - (int)sizeof "_surface");
}

static void join_name(char out[IPG_NAME_MAX], const char *name, const char *ending) {
  const size_t length = strlen(name);
  memcpy(out, name, length);
  memcpy(out + length, ending, strlen(ending) + 1);
}

static ipg_status allocate_shape(ipg_mesh *mesh, const char *name, const ipg_allocator *allocator, ipg_error *error) {
  const ipg_status status = ipg_mesh_allocate(mesh, allocator, error);
  if (status) return status;
  for (int64_t i = 0; i < mesh->node_count; ++i) mesh->node_gids[i] = i + 1;
  for (int64_t e = 0; e < mesh->element_count; ++e) mesh->element_gids[e] = e + 1;
  mesh->blocks[0] = (ipg_block){.id = 1, .first = 0, .count = mesh->element_count};
  join_name(mesh->blocks[0].name, name, "");
  return IPG_OK;
}

/* Hands the mesh over, or nothing. */
static ipg_status deliver(ipg_status status, ipg_mesh *made, ipg_mesh *mesh, const char *name, ipg_error *error) {
  if (!status && ipg_mesh_first_flat(made) < made->element_count)
    status = ipg_fail(error, IPG_ERROR_NUMBER,
                      "'%.80s' is too small, too large or too far from the origin for doubles: scale or move it", name);
  if (status) ipg_mesh_free(made);
  *mesh = *made;
  return status;
}

static void swap_ids(ipg_id *a, ipg_id *b) {
  const ipg_id swap = *a;
  *a = *b, *b = swap;
}

/* ----------------------------------------------------------------------------------------------------------- box */

typedef struct grid {
  int64_t cells[3], nodes[3], stride[3]; /* node number = sum of index * stride */
  const double *lo, *hi;
} grid;

/* a * b * c, or a number past limit when it is larger; each factor fits 32 bits. */
static int64_t bounded_product(const int64_t f[3], int64_t limit) {
  return f[0] * f[1] > limit ? limit + 1 : f[0] * f[1] * f[2];
}

static ipg_status check_box(const double lo[3], const double hi[3], const int n[3], ipg_error *error) {
  for (int d = 0; d < 3; ++d) {
    if (n[d] < 1) return ipg_fail(error, IPG_ERROR_ARGUMENT, "a box needs one cell or more along %c", 'x' + d);
    if (!isfinite(hi[d] - lo[d]) || !(lo[d] < hi[d]))
      return ipg_fail(error, IPG_ERROR_NUMBER, "a box along %c from %g to %g: the first must be lower, both finite",
                      'x' + d, lo[d], hi[d]);
  }
  return IPG_OK;
}

static grid grid_of(const double lo[3], const double hi[3], const int n[3]) {
  grid g = {.cells = {n[0], n[1], n[2]}, .lo = lo, .hi = hi};
  for (int d = 0; d < 3; ++d) {
    g.nodes[d] = g.cells[d] + 1;
    g.stride[d] = d ? g.stride[d - 1] * g.nodes[d - 1] : 1;
  }
  return g;
}

static int64_t grid_index(const grid *g, int64_t node, int axis) { return node / g->stride[axis] % g->nodes[axis]; }

static void place_grid_nodes(const grid *g, ipg_mesh *mesh) {
  for (int64_t node = 0; node < mesh->node_count; ++node)
    for (int d = 0; d < 3; ++d) {
      const int64_t i = grid_index(g, node, d);
      /* the far side is exact, whatever the rounding */
      mesh->x[3 * node + d] =
          i == g->cells[d] ? g->hi[d] : g->lo[d] + (g->hi[d] - g->lo[d]) * ((double)i / (double)g->cells[d]);
    }
}

static void cut_cell(const grid *g, int64_t corner, ipg_id *tets) {
  for (int p = 0; p < 6; ++p, tets += 4) {
    int64_t node = corner;
    tets[0] = (ipg_id)node;
    for (int step = 0; step < 3; ++step) tets[step + 1] = (ipg_id)(node += g->stride[paths[p][step]]);
    if (p >= 3) swap_ids(&tets[1], &tets[2]);
  }
}

static void cut_grid(const grid *g, ipg_mesh *mesh) {
  ipg_id *tets = mesh->tets;
  for (int64_t k = 0; k < g->cells[2]; ++k)
    for (int64_t j = 0; j < g->cells[1]; ++j)
      for (int64_t i = 0; i < g->cells[0]; ++i, tets += 24) cut_cell(g, i + j * g->stride[1] + k * g->stride[2], tets);
}

/* Planes are numbered low x, high x, low y ... */
static bool on_plane(const grid *g, int64_t node, int plane) {
  return grid_index(g, node, plane / 2) == (plane % 2 ? g->cells[plane / 2] : 0);
}

static void collect_plane_nodes(const grid *g, const ipg_mesh *mesh, int plane, ipg_node_set *set) {
  int64_t found = 0;
  for (int64_t node = 0; node < mesh->node_count; ++node)
    if (on_plane(g, node, plane)) set->nodes[found++] = (ipg_id)node;
}

static void collect_plane_sides(const grid *g, const ipg_mesh *mesh, int plane, ipg_side_set *set) {
  int64_t found = 0;
  for (int64_t e = 0; e < mesh->element_count; ++e) {
    const ipg_id *tet = mesh->tets + 4 * e;
    bool on[4];
    for (int c = 0; c < 4; ++c) on[c] = on_plane(g, tet[c], plane);
    for (int s = 0; s < 4; ++s) {
      const int *corner = ipg_tet_sides[s];
      if (!on[corner[0]] || !on[corner[1]] || !on[corner[2]]) continue;
      set->elements[found] = (ipg_id)e;
      set->sides[found++] = s;
    }
  }
}

static ipg_status make_box_sets(const grid *g, ipg_mesh *mesh, const char *name, ipg_error *error) {
  static const char *const endings[6] = {"_left", "_right", "_front", "_back", "_bottom", "_top"};
  for (int plane = 0; plane < 6; ++plane) {
    ipg_node_set *nodes = &mesh->node_sets[plane];
    ipg_side_set *sides = &mesh->side_sets[plane];
    const int u = (plane / 2 + 1) % 3, v = (plane / 2 + 2) % 3;
    nodes->id = sides->id = plane + 1;
    join_name(nodes->name, name, endings[plane]);
    join_name(sides->name, name, endings[plane]);
    ipg_status status = ipg_node_set_allocate(mesh, nodes, g->nodes[u] * g->nodes[v], 0, error);
    if (!status) status = ipg_side_set_allocate(mesh, sides, 2 * g->cells[u] * g->cells[v], 0, error);
    if (status) return status;
    collect_plane_nodes(g, mesh, plane, nodes);
    collect_plane_sides(g, mesh, plane, sides);
  }
  return IPG_OK;
}

ipg_status ipg_mesh_box(const double lo[3], const double hi[3], const int n[3], const char *name,
                        const ipg_allocator *allocator, ipg_mesh *mesh, ipg_error *error) {
  if (!mesh) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_mesh_box needs a mesh to fill");
  *mesh = (ipg_mesh){0};
  if (!lo || !hi || !n) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_mesh_box needs lo, hi and n");
  ipg_status status = check_name(name, error);
  if (!status) status = check_box(lo, hi, n, error);
  if (status) return status;
  const grid g = grid_of(lo, hi, n);
  const int64_t cells = bounded_product(g.cells, IPG_ID_MAX);
  ipg_mesh made = {.node_count = bounded_product(g.nodes, IPG_ID_MAX),
                   .element_count = 6 * cells,
                   .block_count = 1,
                   .node_set_count = 6,
                   .side_set_count = 6};
  snprintf(made.title, sizeof made.title, "box of %d x %d x %d cells", n[0], n[1], n[2]);
  status = allocate_shape(&made, name, allocator, error);
  if (status) return status;
  place_grid_nodes(&g, &made);
  cut_grid(&g, &made);
  status = make_box_sets(&g, &made, name, error);
  return deliver(status, &made, mesh, name, error);
}

/* ---------------------------------------------------------------------------------------------------------- ball */

#define GOLDEN 1.6180339887498949

/* Vertex 0 is the centre. The length of the others is of no matter: points are pushed out to their shell. */
static const double vertices[13][3] = {{0, 0, 0},      {0, -1, -GOLDEN}, {0, -1, GOLDEN}, {0, 1, -GOLDEN},
                                       {0, 1, GOLDEN}, {-1, -GOLDEN, 0}, {-1, GOLDEN, 0}, {1, -GOLDEN, 0},
                                       {1, GOLDEN, 0}, {-GOLDEN, 0, -1}, {-GOLDEN, 0, 1}, {GOLDEN, 0, -1},
                                       {GOLDEN, 0, 1}};

enum { BALL_N_MAX = 256, CONES = 20 };

typedef struct lattice {
  int n;
  int64_t points; /* of one cone */
  int cones[CONES][3];
  uint64_t *keys; /* of every point of every cone; in the end, of every node */
  ipg_id *slots;  /* cone * points + point of each key */
  ipg_id *nodes;  /* of every point of every cone */
  int64_t node_count;
} lattice;

static bool are_neighbours(int a, int b) {
  return vertices[a][0] * vertices[b][0] + vertices[a][1] * vertices[b][1] + vertices[a][2] * vertices[b][2] > 0;
}

/* Every three vertices that are neighbours of each other, in ascending order. */
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

static int64_t lattice_point(int i, int j, int k) {
  return (int64_t)i * (i + 1) * (i + 2) / 6 + (int64_t)j * (j + 1) / 2 + k;
}

/* The shell i, then (vertex, weight) for each vertex that has any, in ascending order: equal for equal points. */
static uint64_t point_key(const int cone[3], int i, int j, int k) {
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
        for (int k = 0; k <= j; ++k, ++slot) { /* in the order of lattice_point */
          l->keys[slot] = point_key(l->cones[cone], i, j, k);
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

/* Memory, keys, sort, merge: the nodes of the ball. */
static ipg_status make_lattice(lattice *l, int n, ipg_buffer memory[3], const ipg_allocator *a, ipg_error *error) {
  ipg_sorter sorter = {0};
  const ipg_tasks serial = ipg_tasks_serial();
  l->n = n;
  l->points = lattice_point(n + 1, 0, 0);
  const int64_t count = CONES * l->points;
  ipg_status status = ipg_buffer_reserve(&memory[0], a, count, sizeof *l->keys, error);
  if (!status) status = ipg_buffer_reserve(&memory[1], a, count, sizeof *l->slots, error);
  if (!status) status = ipg_buffer_reserve(&memory[2], a, count, sizeof *l->nodes, error);
  if (status) return status;
  l->keys = memory[0].data, l->slots = memory[1].data, l->nodes = memory[2].data;
  find_cones(l);
  make_keys(l);
  status = ipg_sort_u64(&sorter, l->keys, l->slots, count, a, &serial, error);
  ipg_sorter_free(&sorter, a);
  if (!status) merge_points(l);
  return status;
}

/* Straight to the lattice point's direction, then out to its shell. */
static void place_ball_node(const lattice *l, uint64_t key, const double centre[3], double radius, double *x) {
  double p[3] = {0, 0, 0};
  for (int shift = 32; shift >= 0; shift -= 16) {
    const int vertex = (int)(key >> (shift + 12) & 15);
    const double weight = (double)(key >> shift & 4095);
    for (int d = 0; d < 3; ++d) p[d] += weight * vertices[vertex][d];
  }
  const double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  const double scale = length > 0 ? radius * ((double)(key >> 48) / l->n) / length : 0;
  for (int d = 0; d < 3; ++d) x[d] = centre[d] + scale * p[d];
}

/* The tetrahedron along one path from (i, j, k), unless the path leaves the cone. */
static bool cut_along_path(const lattice *l, int cone, const int from[3], const int path[3], ipg_id tet[4]) {
  int at[3] = {from[0], from[1], from[2]};
  for (int corner = 0; corner < 4; ++corner) {
    if (corner) at[path[corner - 1]]++;
    if (at[0] < at[1] || at[1] < at[2]) return false;
    tet[corner] = l->nodes[cone * l->points + lattice_point(at[0], at[1], at[2])];
  }
  return true;
}

static void cut_cone(const lattice *l, int cone, ipg_mesh *mesh, int64_t *element) {
  for (int i = 0; i < l->n; ++i)
    for (int j = 0; j <= i; ++j)
      for (int k = 0; k <= j; ++k)
        for (int p = 0; p < 6; ++p) {
          const int from[3] = {i, j, k};
          ipg_id tet[4];
          if (!cut_along_path(l, cone, from, paths[p], tet)) continue;
          if (ipg_tet_volume(mesh->x, tet) < 0) swap_ids(&tet[2], &tet[3]);
          memcpy(mesh->tets + 4 * (*element)++, tet, sizeof tet);
        }
}

static ipg_status make_ball_sets(int n, ipg_mesh *mesh, const char *name, ipg_error *error) {
  ipg_node_set *nodes = mesh->node_sets;
  ipg_side_set *sides = mesh->side_sets;
  nodes->id = sides->id = 1;
  join_name(nodes->name, name, "_surface");
  join_name(sides->name, name, "_surface");
  ipg_status status = ipg_node_set_allocate(mesh, nodes, 10 * (int64_t)n * n + 2, 0, error);
  if (!status) status = ipg_side_set_allocate(mesh, sides, CONES * (int64_t)n * n, 0, error);
  if (status) return status;
  const ipg_id first = (ipg_id)(mesh->node_count - nodes->count);
  for (int64_t k = 0; k < nodes->count; ++k) nodes->nodes[k] = first + (ipg_id)k;
  int64_t found = 0;
  for (int64_t e = 0; e < mesh->element_count; ++e)
    for (int s = 0; s < 4; ++s) {
      const ipg_id *tet = mesh->tets + 4 * e;
      const int *corner = ipg_tet_sides[s];
      if (tet[corner[0]] < first || tet[corner[1]] < first || tet[corner[2]] < first) continue;
      sides->elements[found] = (ipg_id)e;
      sides->sides[found++] = s;
    }
  return IPG_OK;
}

static ipg_status fill_ball(const lattice *l, const double centre[3], double radius, const char *name,
                            const ipg_allocator *allocator, ipg_mesh *made, ipg_error *error) {
  *made = (ipg_mesh){.node_count = l->node_count,
                     .element_count = CONES * (int64_t)l->n * l->n * l->n,
                     .block_count = 1,
                     .node_set_count = 1,
                     .side_set_count = 1};
  snprintf(made->title, sizeof made->title, "ball of %d shells", l->n);
  const ipg_status status = allocate_shape(made, name, allocator, error);
  if (status) return status;
  int64_t element = 0;
  for (int64_t i = 0; i < made->node_count; ++i) place_ball_node(l, l->keys[i], centre, radius, made->x + 3 * i);
  for (int cone = 0; cone < CONES; ++cone) cut_cone(l, cone, made, &element);
  return make_ball_sets(l->n, made, name, error);
}

static ipg_status check_ball(const double centre[3], double radius, int n, ipg_error *error) {
  if (!centre) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_mesh_ball needs a centre");
  if (n < 1 || n > BALL_N_MAX)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "a ball of %d shells: give 1 to %d", n, BALL_N_MAX);
  if (!(radius > 0) || !isfinite(radius) || !isfinite(centre[0]) || !isfinite(centre[1]) || !isfinite(centre[2]))
    return ipg_fail(error, IPG_ERROR_NUMBER, "a ball needs a finite centre and a positive finite radius, not %g",
                    radius);
  return IPG_OK;
}

ipg_status ipg_mesh_ball(const double centre[3], double radius, int n, const char *name, const ipg_allocator *allocator,
                         ipg_mesh *mesh, ipg_error *error) {
  if (!mesh) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_mesh_ball needs a mesh to fill");
  *mesh = (ipg_mesh){0};
  ipg_status status = check_name(name, error);
  if (!status) status = check_ball(centre, radius, n, error);
  if (status) return status;
  const ipg_allocator a = ipg_allocator_or_malloc(allocator);
  ipg_buffer memory[3] = {{0}};
  lattice l;
  ipg_mesh made = {0};
  status = make_lattice(&l, n, memory, &a, error);
  if (!status) status = fill_ball(&l, centre, radius, name, &a, &made, error);
  for (int i = 0; i < 3; ++i) ipg_buffer_free(&memory[i], &a);
  return deliver(status, &made, mesh, name, error);
}
