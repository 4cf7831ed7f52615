/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Takes two frames of a moving mesh and all vertex-face and edge-edge pairs whose paths have overlapping boxes, and
 * measures the time to find which of them touch, and when: the mean per pair, with and without wide registers, one
 * thread. Both must find the same touches at the same times. */
#include "ccd_bench.h"
#include "bodies.h"
#include "impinge/narrow.h"
#include "measure.h"
#include "support/moving_mesh.h"

#include <string.h>

static const struct {
  const char *name;
  int frames[2];
} published[] = {{"cloth-funnel", {227, 228}}, {"rod-twist", {3036, 3037}}};
enum { PUBLISHED = sizeof published / sizeof *published };

static const char *const kind_names[2] = {"vertex-face", "edge-edge"}, *const simd_names[2] = {"scalar", "avx2"};
static const double speed = 0.2; /* of the bodies, in mean edges per step */

/* ----------------------------------------------------------------------------------------------------------- scenes */

/* The mesh of all bodies before and after a step. */
static void fill_frames(const bodies *all, moving_mesh *mesh) {
  const size_t numbers = 3 * BODY_NODES * (size_t)all->count;
  const double *positions[2] = {all->before, all->now};
  for (int i = 0; i < 2; ++i) {
    ply *frame = &mesh->frames[i];
    *frame = (ply){BODY_NODES * all->count, BODY_FACES * all->count, malloc(numbers * sizeof(double)),
                   malloc(3 * BODY_FACES * (size_t)all->count * sizeof(int32_t))};
    memcpy(frame->vertices, positions[i], numbers * sizeof(double));
    for (int64_t f = 0; f < frame->face_count; ++f)
      for (int k = 0; k < 3; ++k)
        frame->faces[3 * f + k] = (int32_t)(f / BODY_FACES * BODY_NODES) + all->faces[f % BODY_FACES][k];
  }
}

static ipg_status generate_mesh(const ccd_request *request, moving_mesh *mesh, ipg_error *error) {
  bodies all;
  const ipg_status status = bodies_create(&all, request->size, speed, error);
  if (status) return status;
  bodies_start(&all, request->seed);
  fill_frames(&all, mesh);
  bodies_destroy(&all);
  moving_mesh_make(mesh);
  return IPG_OK;
}

static double measure_mean_edge(const moving_mesh *mesh) {
  double sum = 0;
  for (int64_t i = 0; i < mesh->edges.count; ++i) {
    const double *a = mesh->frames[0].vertices + 3 * (int64_t)mesh->edges.keys[4 * i],
                 *b = mesh->frames[0].vertices + 3 * (int64_t)mesh->edges.keys[4 * i + 1];
    sum += sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
  }
  return sum / (double)mesh->edges.count;
}

/* ----------------------------------------------------------------------------------------------------- measurements */

typedef struct result {
  int64_t touches;
  double sum_of_times, best_ms;
} result;

static ipg_status find_touches(const ipg_touch_queries *queries, int kind, double *times, result *r, ipg_error *error) {
  const double start = now_ms();
  const ipg_status status = (kind ? ipg_find_edge_edge_touches : ipg_find_node_face_touches)(queries, times, error);
  const double ms = now_ms() - start;
  if (ms < r->best_ms) r->best_ms = ms;
  r->touches = 0, r->sum_of_times = 0;
  for (int64_t i = 0; i < queries->count && !status; ++i)
    if (times[i] <= 1) r->touches++, r->sum_of_times += times[i];
  return status;
}

static void print_result(const char *name, int kind, int simd, int64_t pairs, const result *r) {
  printf("%s\t%s\t%s\t%lld\t%lld\t%.17g\t%.4f\n", name, kind_names[kind], simd_names[simd], (long long)pairs,
         (long long)r->touches, r->sum_of_times, 1e3 * r->best_ms / (double)pairs);
}

/* Wide registers are left out on processors without them. */
static ipg_status measure_pairs(const ccd_request *request, const char *name, int kind,
                                const ipg_touch_queries *queries, ipg_error *error) {
  double *times = malloc(((size_t)queries->count + 1) * sizeof *times);
  result results[2] = {{.best_ms = INFINITY}, {.best_ms = INFINITY}};
  ipg_status status = times ? IPG_OK : ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for the times of touches");
  for (int simd = 0; simd < 2 && !status; ++simd) {
    setenv("IMPINGE_SIMD", simd_names[simd], 1);
    for (int run = 0; run < request->runs && !status; ++run)
      status = find_touches(queries, kind, times, &results[simd], error);
    if (simd == 1 && status == IPG_ERROR_ARGUMENT) {
      status = IPG_OK;
      break;
    }
    if (!status) print_result(name, kind, simd, queries->count, &results[simd]);
    if (simd == 1 && (results[0].touches != results[1].touches || results[0].sum_of_times != results[1].sum_of_times))
      status = ipg_fail(error, IPG_ERROR_BROKEN, "%s: AVX2 and scalar code find different touches", name);
  }
  free(times);
  return status;
}

static ipg_status measure_mesh(const ccd_request *request, const char *name, const moving_mesh *mesh,
                               ipg_error *error) {
  ipg_status status = IPG_OK;
  const double separation = request->separation * measure_mean_edge(mesh);
  for (int kind = 0; kind < 2 && !status; ++kind) {
    close_pairs pairs = kind ? edge_edge_pairs(mesh) : vertex_face_pairs(mesh);
    const ipg_touch_queries queries = {mesh->frames[0].vertices, mesh->frames[1].vertices, pairs.points, pairs.count,
                                       separation};
    if (!pairs.points) status = ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for the pairs of %s", name);
    else status = measure_pairs(request, name, kind, &queries, error);
    free(pairs.points);
  }
  return status;
}

static ipg_status measure_published(const ccd_request *request, ipg_error *error) {
  ipg_status status = IPG_OK;
  for (int i = 0; i < PUBLISHED && !status; ++i) {
    char path[4096];
    moving_mesh mesh;
    const char *wrong = moving_mesh_read(request->data, published[i].name, published[i].frames, path, &mesh);
    if (wrong)
      return ipg_fail(error, IPG_ERROR_FILE, "%.400s %s; --data names the folder that holds ccd/", path, wrong);
    status = measure_mesh(request, published[i].name, &mesh, error);
    moving_mesh_free(&mesh);
  }
  return status;
}

static ipg_status measure_generated(const ccd_request *request, ipg_error *error) {
  moving_mesh mesh = {0};
  ipg_status status = generate_mesh(request, &mesh, error);
  if (!status) status = measure_mesh(request, "contact", &mesh, error);
  moving_mesh_free(&mesh);
  return status;
}

int ccd_bench(const ccd_request *request) {
  ipg_error error = {0};
  puts("scene\tkind\tsimd\tpairs\ttouches\tsum_of_times\tus_per_pair");
  const ipg_status status = (request->data ? measure_published : measure_generated)(request, &error);
  if (status) fprintf(stderr, "impinge-bench: %s\n", error.message);
  return status ? 1 : 0;
}
