/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A body is a sphere of radius 1, an icosahedron whose faces are divided by four three times. The bodies are on a cubic
 * lattice with a spacing slightly below two radii. Each drifts at the same speed; at a distance of half an edge from
 * its lattice point it continues in a random direction that leads back. A slow wave deforms it. So contacts are
 * activated and deactivated for any number of steps, no path repeats, and no body penetrates another one deeply. */
#include "bodies.h"

#include <stdlib.h>
#include <string.h>

static const double spacing = 1.95, jitter = 0.02, wave_height = 0.01;
static const double largest_offset = 0.5; /* in mean edges */

/* -------------------------------------------------------------------------------------------------- one body's mesh */

static void normalise(double x[3]) {
  const double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  for (int k = 0; k < 3; ++k) x[k] /= length;
}

/* Finds or adds the node half-way between two others. a + b and b + a are the same bits, so that both faces at an edge
 * get the same node. */
static ipg_id find_midpoint(bodies *all, int *node_count, ipg_id a, ipg_id b) {
  double x[3];
  for (int k = 0; k < 3; ++k) x[k] = all->directions[a][k] + all->directions[b][k];
  normalise(x);
  for (int i = 0; i < *node_count; ++i)
    if (!memcmp(all->directions[i], x, sizeof x)) return i;
  memcpy(all->directions[*node_count], x, sizeof x);
  return (*node_count)++;
}

/* Divides each face into four: one at each corner and one in the middle. */
static void divide_faces(bodies *all, int face_count, int *node_count) {
  for (int i = 0; i < face_count; ++i) {
    const ipg_id a = all->faces[i][0], b = all->faces[i][1], c = all->faces[i][2];
    const ipg_id ab = find_midpoint(all, node_count, a, b), bc = find_midpoint(all, node_count, b, c),
                 ca = find_midpoint(all, node_count, c, a);
    const ipg_id parts[4][3] = {{ab, bc, ca}, {a, ab, ca}, {b, bc, ab}, {c, ca, bc}};
    memcpy(all->faces[i], parts[0], sizeof parts[0]);
    memcpy(all->faces[face_count + 3 * i], parts[1], 3 * sizeof parts[1]);
  }
}

static double measure_mean_edge(const bodies *all) {
  double sum = 0;
  for (int i = 0; i < BODY_FACES; ++i)
    for (int j = 0; j < 3; ++j) {
      const double *a = all->directions[all->faces[i][j]], *b = all->directions[all->faces[i][(j + 1) % 3]];
      sum += sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
    }
  return sum / (3 * BODY_FACES);
}

static void make_mesh(bodies *all) {
  static const double g = 1.6180339887498949; /* golden ratio */
  const double corners[12][3] = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                                 {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  static const ipg_id sides[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                      {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                      {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                      {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  memcpy(all->directions, corners, sizeof corners);
  memcpy(all->faces, sides, sizeof sides);
  int node_count = 12;
  for (int i = 0; i < node_count; ++i) normalise(all->directions[i]);
  for (int face_count = 20; face_count < BODY_FACES; face_count *= 4) divide_faces(all, face_count, &node_count);
  all->edge = measure_mean_edge(all);
}

/* ------------------------------------------------------------------------------------------------------ all of them */

/* Three orthogonal directions, from two random ones. */
static void choose_rotation(random_source *random, double rotation[3][3]) {
  double *x = rotation[0], *y = rotation[1], *z = rotation[2];
  double along;
  random_direction(random, x);
  do {
    random_direction(random, y);
    along = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
  } while (fabs(along) > 0.9);
  for (int k = 0; k < 3; ++k) y[k] -= along * x[k];
  normalise(y);
  for (int k = 0; k < 3; ++k) z[k] = x[(k + 1) % 3] * y[(k + 2) % 3] - x[(k + 2) % 3] * y[(k + 1) % 3];
}

static void place_body(bodies *all, body *b, const int64_t cell[3]) {
  *b = (body){.phase = random_between(&all->random, 0, 6)};
  for (int k = 0; k < 3; ++k) b->home[k] = spacing * (double)cell[k] + random_between(&all->random, -jitter, jitter);
  choose_rotation(&all->random, b->rotation);
  random_direction(&all->random, b->wave);
  random_direction(&all->random, b->velocity);
  for (int k = 0; k < 3; ++k) b->velocity[k] *= all->speed * all->edge;
}

static void choose_way_back(bodies *all, body *b) {
  do {
    random_direction(&all->random, b->velocity);
  } while (b->velocity[0] * b->offset[0] + b->velocity[1] * b->offset[1] + b->velocity[2] * b->offset[2] > 0);
  for (int k = 0; k < 3; ++k) b->velocity[k] *= all->speed * all->edge;
}

static void drift_body(bodies *all, body *b) {
  const double *o = b->offset;
  if (sqrt(o[0] * o[0] + o[1] * o[1] + o[2] * o[2]) > largest_offset * all->edge) choose_way_back(all, b);
  for (int k = 0; k < 3; ++k) b->offset[k] += b->velocity[k];
}

static void set_positions(const bodies *all, const body *b, double *nodes) {
  for (int i = 0; i < BODY_NODES; ++i) {
    const double *d = all->directions[i];
    double x[3];
    for (int k = 0; k < 3; ++k) x[k] = b->rotation[k][0] * d[0] + b->rotation[k][1] * d[1] + b->rotation[k][2] * d[2];
    const double along = 3 * (b->wave[0] * x[0] + b->wave[1] * x[1] + b->wave[2] * x[2]);
    const double radius = 1 + wave_height * sin(along + b->phase + all->speed * all->step);
    for (int k = 0; k < 3; ++k) nodes[3 * i + k] = b->home[k] + b->offset[k] + radius * x[k];
  }
}

static void set_all_positions(bodies *all) {
  for (int64_t i = 0; i < all->count; ++i) set_positions(all, &all->each[i], all->now + 3 * BODY_NODES * i);
}

void bodies_start(bodies *all, uint64_t seed) {
  all->random = random_from(seed);
  all->step = 0;
  int64_t side = 1;
  while (side * side * side < all->count) ++side;
  for (int64_t i = 0; i < all->count; ++i)
    place_body(all, &all->each[i], (int64_t[3]){i % side, i / side % side, i / side / side});
  set_all_positions(all);
  bodies_step(all);
}

void bodies_step(bodies *all) {
  double *before = all->before;
  all->before = all->now, all->now = before;
  all->step++;
  for (int64_t i = 0; i < all->count; ++i) drift_body(all, &all->each[i]);
  set_all_positions(all);
}

ipg_status bodies_create(bodies *all, int64_t face_count, double speed, ipg_error *error) {
  const int64_t wanted = (face_count + BODY_FACES / 2) / BODY_FACES;
  *all = (bodies){.count = wanted > 2 ? wanted : 2, .speed = speed};
  const size_t node_bytes = 3 * BODY_NODES * (size_t)all->count * sizeof(double);
  all->each = malloc((size_t)all->count * sizeof *all->each);
  all->before = malloc(node_bytes);
  all->now = malloc(node_bytes);
  make_mesh(all);
  if (all->each && all->before && all->now) return IPG_OK;
  bodies_destroy(all);
  return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for bodies of %lld faces", (long long)face_count);
}

void bodies_destroy(bodies *all) {
  free(all->each);
  free(all->before);
  free(all->now);
  all->each = NULL, all->before = all->now = NULL;
}

/* ------------------------------------------------------------------------------------------------------------ boxes */

void bodies_fill_keys(const bodies *all, scene *out) {
  for (int64_t i = 0; i < out->query_count; ++i)
    for (int k = 0; k < 4; ++k) out->query_keys[4 * i + k] = k ? -1 : (ipg_id)i;
  for (int64_t i = 0; i < out->item_count; ++i)
    for (int k = 0; k < 4; ++k)
      out->item_keys[4 * i + k] = k < 3 ? (ipg_id)(i / BODY_FACES * BODY_NODES) + all->faces[i % BODY_FACES][k] : -1;
}

static ipg_box make_path_box(const bodies *all, int64_t node) {
  ipg_box box;
  for (int k = 0; k < 3; ++k) {
    box.lo[k] = fmin(all->before[3 * node + k], all->now[3 * node + k]);
    box.hi[k] = fmax(all->before[3 * node + k], all->now[3 * node + k]);
  }
  return box;
}

void bodies_fill_boxes(const bodies *all, scene *out) {
  for (int64_t i = 0; i < out->query_count; ++i) out->queries[i] = make_path_box(all, i);
  for (int64_t i = 0; i < out->item_count; ++i) {
    const ipg_id *nodes = out->item_keys + 4 * i;
    ipg_box box = out->queries[nodes[0]];
    for (int j = 1; j < 3; ++j)
      for (int k = 0; k < 3; ++k) {
        box.lo[k] = fmin(box.lo[k], out->queries[nodes[j]].lo[k]);
        box.hi[k] = fmax(box.hi[k], out->queries[nodes[j]].hi[k]);
      }
    out->items[i] = box;
  }
}
