/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* All elements of a mesh, as flat arrays: element shapes and materials, lumped masses, forces, energy, time step.
 * Invariant: CORNERS lists, for each node, the element corners at that node in ascending order, so the force on a node
 * is always the same sum in the same order. */
#include "element_t4.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 2048, SHAPES = 0, LAWS, BLOCKS, MASSES, CORNER_FORCES, CORNER_FIRST, CORNERS, CHUNKS, BUFFER_COUNT };

/* The result of one chunk of elements. */
typedef struct chunk_result {
  int64_t element; /* the first with a negative volume, or the one with the smallest time step; -1: no such element */
  double time_step;
} chunk_result;

struct ipg_solid {
  const ipg_mesh *mesh;
  ipg_allocator allocator;
  ipg_tasks tasks;
  ipg_buffer buffers[BUFFER_COUNT];
};

static void get_corner_positions(const ipg_solid *s, int64_t element, const double *u, double x[4][3]) {
  const ipg_id *corner = s->mesh->tets + 4 * element;
  for (int a = 0; a < 4; ++a)
    for (int k = 0; k < 3; ++k) {
      const int64_t i = 3 * (int64_t)corner[a] + k;
      x[a][k] = s->mesh->x[i] + (u ? u[i] : 0);
    }
}

/* ----------------------------------------------------------------------------------------------------------- create */

static ipg_status check_material(const ipg_block *block, const ipg_material *m, ipg_error *error) {
  const char *wrong = NULL;
  if (!(m->density > 0) || !isfinite(m->density)) wrong = "density above 0";
  else if (!(m->young > 0) || !isfinite(m->young)) wrong = "Young's modulus above 0";
  else if (!(m->poisson > -1 && m->poisson < 0.5)) wrong = "Poisson's ratio above -1 and below 0.5";
  if (!wrong) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_NUMBER, "block '%s' needs a %s; it has density %g, Young %g, Poisson %g",
                  block->name, wrong, m->density, m->young, m->poisson);
}

static t4_law convert_material(const ipg_material *m) {
  return (t4_law){.lambda = m->young * m->poisson / ((1 + m->poisson) * (1 - 2 * m->poisson)),
                  .mu = m->young / (2 * (1 + m->poisson)),
                  .density = m->density};
}

static ipg_status reserve_buffers(ipg_solid *s, ipg_error *error) {
  const int64_t elements = s->mesh->element_count, nodes = s->mesh->node_count;
  const struct {
    int which;
    int64_t count;
    size_t bytes;
  } arrays[] = {{SHAPES, elements, sizeof(t4_shape)},
                {LAWS, s->mesh->block_count, sizeof(t4_law)},
                {BLOCKS, elements, sizeof(int32_t)},
                {MASSES, nodes, sizeof(double)},
                {CORNER_FORCES, 12 * elements, sizeof(double)},
                {CORNER_FIRST, nodes + 1, sizeof(int64_t)},
                {CORNERS, 4 * elements, sizeof(int64_t)},
                {CHUNKS, ipg_chunk_count(elements > nodes ? elements : nodes, GRAIN), sizeof(chunk_result)}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
    const ipg_status status =
        ipg_buffer_reserve(&s->buffers[arrays[i].which], &s->allocator, arrays[i].count, arrays[i].bytes, error);
    if (status) return status;
  }
  return IPG_OK;
}

static const t4_law *get_law(const ipg_solid *s, int64_t element) {
  const int32_t *blocks = s->buffers[BLOCKS].data;
  return (const t4_law *)s->buffers[LAWS].data + blocks[element];
}

static void fill_element_blocks(ipg_solid *s) {
  int32_t *blocks = s->buffers[BLOCKS].data;
  for (int b = 0; b < s->mesh->block_count; ++b)
    for (int64_t i = 0; i < s->mesh->blocks[b].count; ++i) blocks[s->mesh->blocks[b].first + i] = b;
}

static void compute_shapes(ipg_solid *s) {
  t4_shape *shapes = s->buffers[SHAPES].data;
  double x[4][3];
  for (int64_t e = 0; e < s->mesh->element_count; ++e) {
    get_corner_positions(s, e, NULL, x);
    shapes[e] = t4_compute_shape(x);
  }
}

static void lump_masses(ipg_solid *s) {
  const t4_shape *shapes = s->buffers[SHAPES].data;
  double *masses = s->buffers[MASSES].data;
  memset(masses, 0, (size_t)s->mesh->node_count * sizeof *masses);
  for (int64_t e = 0; e < s->mesh->element_count; ++e)
    for (int a = 0; a < 4; ++a) masses[s->mesh->tets[4 * e + a]] += 0.25 * get_law(s, e)->density * shapes[e].volume;
}

static void list_corners_of_nodes(ipg_solid *s) {
  const int64_t nodes = s->mesh->node_count, corners = 4 * s->mesh->element_count;
  int64_t *first = s->buffers[CORNER_FIRST].data, *list = s->buffers[CORNERS].data;
  memset(first, 0, (size_t)(nodes + 1) * sizeof *first);
  for (int64_t i = 0; i < corners; ++i) first[s->mesh->tets[i]]++;
  ipg_prefix_sum(first, nodes + 1);
  for (int64_t i = 0; i < corners; ++i) list[first[s->mesh->tets[i]]++] = i;
  for (int64_t n = nodes; n > 0; --n) first[n] = first[n - 1]; /* filling has moved each start to the next one */
  first[0] = 0;
}

static ipg_status refuse_quadratic_blocks(const ipg_mesh *mesh, ipg_error *error) {
  for (int b = 0; b < mesh->block_count; ++b)
    if (mesh->blocks[b].quadratic)
      return ipg_fail(
          error, IPG_ERROR_UNSUPPORTED,
          "block '%.80s' has tetrahedra of 10 nodes; the solver takes 4 nodes only: mesh it with linear tetrahedra",
          mesh->blocks[b].name);
  return IPG_OK;
}

static ipg_status refuse_massless_nodes(const ipg_solid *s, ipg_error *error) {
  const double *masses = s->buffers[MASSES].data;
  for (int64_t i = 0; i < s->mesh->node_count; ++i)
    if (!(masses[i] > 0))
      return ipg_fail(error, IPG_ERROR_FORMAT, "node %lld belongs to no element: remove it from the mesh",
                      (long long)s->mesh->node_gids[i]);
  return IPG_OK;
}

static ipg_status fill_solid(ipg_solid *s, const ipg_material *materials, ipg_error *error) {
  const ipg_status status = reserve_buffers(s, error);
  if (status) return status;
  t4_law *laws = s->buffers[LAWS].data;
  for (int b = 0; b < s->mesh->block_count; ++b) laws[b] = convert_material(&materials[b]);
  fill_element_blocks(s);
  compute_shapes(s);
  lump_masses(s);
  list_corners_of_nodes(s);
  return refuse_massless_nodes(s, error);
}

ipg_status ipg_solid_create(const ipg_mesh *mesh, const ipg_material *materials, const ipg_allocator *allocator,
                            const ipg_tasks *tasks, ipg_solid **out, ipg_error *error) {
  const ipg_allocator memory = allocator ? *allocator : ipg_allocator_malloc();
  *out = NULL;
  ipg_status status = refuse_quadratic_blocks(mesh, error);
  for (int b = 0; !status && b < mesh->block_count; ++b)
    status = check_material(&mesh->blocks[b], &materials[b], error);
  if (status) return status;
  ipg_solid *s = memory.allocate(memory.context, sizeof *s);
  if (!s) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for a solid");
  *s = (ipg_solid){.mesh = mesh, .allocator = memory, .tasks = tasks ? *tasks : ipg_tasks_serial()};
  status = fill_solid(s, materials, error);
  if (status) ipg_solid_destroy(&s);
  *out = s;
  return status;
}

void ipg_solid_destroy(ipg_solid **solid) {
  ipg_solid *s = *solid;
  if (!s) return;
  const ipg_allocator allocator = s->allocator;
  for (int i = 0; i < BUFFER_COUNT; ++i) ipg_buffer_destroy(&s->buffers[i], &allocator);
  allocator.release(allocator.context, s, sizeof *s);
  *solid = NULL;
}

const double *ipg_solid_get_masses(const ipg_solid *s) { return s->buffers[MASSES].data; }

/* ----------------------------------------------------------------------------------------------------------- forces */

typedef struct element_loop {
  ipg_solid *solid;
  const double *u;
  double *forces;
} element_loop;

static void compute_chunk_forces(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const element_loop *l = arg;
  const t4_shape *shapes = l->solid->buffers[SHAPES].data;
  double *corner_forces = l->solid->buffers[CORNER_FORCES].data;
  chunk_result *result = (chunk_result *)l->solid->buffers[CHUNKS].data + begin / GRAIN;
  double x[4][3], f[4][3];
  result->element = -1;
  for (int64_t e = begin; e < end; ++e) {
    get_corner_positions(l->solid, e, l->u, x);
    if (!t4_compute_forces(&shapes[e], get_law(l->solid, e), x, f) && result->element < 0) result->element = e;
    memcpy(corner_forces + 12 * e, f, sizeof f);
  }
}

static void sum_forces_at_nodes(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const element_loop *l = arg;
  const int64_t *first = l->solid->buffers[CORNER_FIRST].data, *list = l->solid->buffers[CORNERS].data;
  const double *corner_forces = l->solid->buffers[CORNER_FORCES].data;
  for (int64_t n = begin; n < end; ++n) {
    double sum[3] = {0};
    for (int64_t i = first[n]; i < first[n + 1]; ++i)
      for (int k = 0; k < 3; ++k) sum[k] += corner_forces[3 * list[i] + k];
    for (int k = 0; k < 3; ++k) l->forces[3 * n + k] = sum[k];
  }
}

static ipg_status refuse_inverted_element(const ipg_solid *s, int64_t element, const double *u, ipg_error *error) {
  const int32_t *blocks = s->buffers[BLOCKS].data;
  double x[4][3], middle[3] = {0};
  get_corner_positions(s, element, u, x);
  for (int a = 0; a < 4; ++a)
    for (int k = 0; k < 3; ++k) middle[k] += 0.25 * x[a][k];
  return ipg_fail(
      error, IPG_ERROR_NUMBER,
      "element %lld of block '%.80s' has turned inside out (negative volume) at (%g, %g, %g): refine the mesh "
      "there, or lower the velocities or the time step",
      (long long)s->mesh->element_gids[element], s->mesh->blocks[blocks[element]].name, middle[0], middle[1],
      middle[2]);
}

ipg_status ipg_solid_compute_forces(ipg_solid *s, const double *u, double *forces, ipg_error *error) {
  const int64_t elements = s->mesh->element_count;
  const chunk_result *results = s->buffers[CHUNKS].data;
  element_loop l = {s, u, forces};
  ipg_tasks_for(&s->tasks, compute_chunk_forces, &l, 0, elements, GRAIN);
  for (int64_t i = 0; i < ipg_chunk_count(elements, GRAIN); ++i)
    if (results[i].element >= 0) return refuse_inverted_element(s, results[i].element, u, error);
  ipg_tasks_for(&s->tasks, sum_forces_at_nodes, &l, 0, s->mesh->node_count, GRAIN);
  return IPG_OK;
}

double ipg_solid_compute_energy(const ipg_solid *s, const double *u) {
  const t4_shape *shapes = s->buffers[SHAPES].data;
  double x[4][3], energy = 0;
  for (int64_t e = 0; e < s->mesh->element_count; ++e) {
    get_corner_positions(s, e, u, x);
    energy += t4_compute_energy(&shapes[e], get_law(s, e), x);
  }
  return energy;
}

static void find_chunk_time_step(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const element_loop *l = arg;
  const t4_shape *shapes = l->solid->buffers[SHAPES].data;
  chunk_result *result = (chunk_result *)l->solid->buffers[CHUNKS].data + begin / GRAIN;
  double x[4][3];
  *result = (chunk_result){-1, INFINITY};
  for (int64_t e = begin; e < end; ++e) {
    get_corner_positions(l->solid, e, l->u, x);
    const double time_step = t4_compute_critical_time_step(&shapes[e], get_law(l->solid, e), x);
    if (time_step < result->time_step) *result = (chunk_result){e, time_step};
  }
}

double ipg_solid_compute_critical_time_step(ipg_solid *s, const double *u, ipg_gid *element) {
  const int64_t elements = s->mesh->element_count;
  const chunk_result *results = s->buffers[CHUNKS].data;
  element_loop l = {s, u, NULL};
  chunk_result smallest = {-1, INFINITY};
  ipg_tasks_for(&s->tasks, find_chunk_time_step, &l, 0, elements, GRAIN);
  for (int64_t i = 0; i < ipg_chunk_count(elements, GRAIN); ++i)
    if (results[i].time_step < smallest.time_step) smallest = results[i];
  *element = smallest.element < 0 ? -1 : s->mesh->element_gids[smallest.element];
  return smallest.time_step;
}

/* ---------------------------------------------------------------------------------------------- assembled time step */

/* By the bound of an element, its stiffness is at most rate times its lumped mass. So the mean of the rates at a node,
 * weighted by mass, bounds the whole stiffness there, and what others add to the node is added to it. */
static void store_chunk_rates(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const element_loop *l = arg;
  const t4_shape *shapes = l->solid->buffers[SHAPES].data;
  double *rates = l->solid->buffers[CORNER_FORCES].data; /* 3 per corner: the rate times the mass of the corner */
  double x[4][3];
  for (int64_t e = begin; e < end; ++e) {
    const t4_law *law = get_law(l->solid, e);
    get_corner_positions(l->solid, e, l->u, x);
    const double step = t4_compute_critical_time_step(&shapes[e], law, x);
    for (int a = 0; a < 4; ++a) rates[12 * e + 3 * a] = 4 / (step * step) * 0.25 * law->density * shapes[e].volume;
  }
}

typedef struct rate_loop {
  ipg_solid *solid;
  const double *others;
} rate_loop;

static void find_chunk_rate(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const rate_loop *l = arg;
  const int64_t *first = l->solid->buffers[CORNER_FIRST].data, *list = l->solid->buffers[CORNERS].data;
  const double *rates = l->solid->buffers[CORNER_FORCES].data, *masses = l->solid->buffers[MASSES].data;
  chunk_result *result = (chunk_result *)l->solid->buffers[CHUNKS].data + begin / GRAIN;
  *result = (chunk_result){-1, INFINITY};
  for (int64_t n = begin; n < end; ++n) {
    double sum = 0, most = 0;
    int64_t stiffest = -1;
    for (int64_t i = first[n]; i < first[n + 1]; ++i) {
      const double rate = rates[3 * list[i]];
      sum += rate;
      if (rate > most) most = rate, stiffest = list[i] / 4;
    }
    const double time_step = 2 / sqrt(sum / masses[n] + l->others[n]);
    if (time_step < result->time_step) *result = (chunk_result){stiffest, time_step};
  }
}

double ipg_solid_compute_assembled_time_step(ipg_solid *s, const double *u, const double *rates, ipg_gid *element) {
  const int64_t nodes = s->mesh->node_count;
  const chunk_result *results = s->buffers[CHUNKS].data;
  element_loop elements = {s, u, NULL};
  rate_loop l = {s, rates};
  chunk_result smallest = {-1, INFINITY};
  ipg_tasks_for(&s->tasks, store_chunk_rates, &elements, 0, s->mesh->element_count, GRAIN);
  ipg_tasks_for(&s->tasks, find_chunk_rate, &l, 0, nodes, GRAIN);
  for (int64_t i = 0; i < ipg_chunk_count(nodes, GRAIN); ++i)
    if (results[i].time_step < smallest.time_step) smallest = results[i];
  *element = smallest.element < 0 ? -1 : s->mesh->element_gids[smallest.element];
  return smallest.time_step;
}
