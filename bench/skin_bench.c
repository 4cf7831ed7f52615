/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* One box in three orders: as it was made, with shuffled nodes, with shuffled nodes and elements, like a renumbered
 * mesh. The entrants take turns in every run, so that other load on the machine affects all alike; the best run is
 * printed. All entrants must find the same skin of a mesh, in any order of faces. */
#include "skin_bench.h"
#include "impinge/meshio.h"
#include "measure.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ORDERS = 3, MOST_ENTRANTS = 3 * ORDERS + 2 };

typedef struct skin_result {
  double ms, memory_mb;
  int64_t faces; /* -1: no skin was built */
  uint64_t checksum;
} skin_result;

typedef struct skin_entrant skin_entrant;
struct skin_entrant {
  const char *order, *method;
  int threads;
  ipg_tasks tasks;
  const ipg_mesh *mesh;
  const char *path; /* of the mesh in a file */
  ipg_status (*run)(const skin_entrant *c, skin_result *r, ipg_error *error);
  skin_result best;
};

typedef struct skin_comparison {
  const skin_request *request;
  ipg_mesh meshes[ORDERS];
  char path[512];
  ipg_tasks serial, tasks;
  skin_entrant entrants[MOST_ENTRANTS];
  int count;
} skin_comparison;

/* ----------------------------------------------------------------------------------------------------------- meshes */

static ipg_status make_box(int64_t size, ipg_mesh *mesh, ipg_error *error) {
  const double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1};
  const int side = (int)fmax(1, round(cbrt((double)size / 6)));
  return ipg_mesh_box(lo, hi, (const int[3]){side, side, side}, "box", NULL, mesh, error);
}

/* A random permutation of 0 .. count - 1; NULL without memory. */
static ipg_id *make_permutation(int64_t count, uint64_t seed) {
  random_source random = random_from(seed);
  ipg_id *position = calloc((size_t)count, sizeof *position);
  for (int64_t i = 0; position && i < count; ++i) {
    const int64_t k = (int64_t)(random_bits(&random) % (uint64_t)(i + 1));
    position[i] = position[k];
    position[k] = (ipg_id)i;
  }
  return position;
}

static ipg_status fail_for_memory(ipg_error *error) {
  return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory: give a smaller --size");
}

static ipg_status shuffle_nodes(ipg_mesh *mesh, ipg_error *error) {
  ipg_id *position = make_permutation(mesh->node_count, 1);
  if (!position) return fail_for_memory(error);
  for (int64_t i = 0; i < 4 * mesh->element_count; ++i) mesh->tets[i] = position[mesh->tets[i]];
  free(position);
  return IPG_OK;
}

static ipg_status shuffle_elements(ipg_mesh *mesh, ipg_error *error) {
  const size_t bytes = 4 * (size_t)mesh->element_count * sizeof(ipg_id);
  ipg_id *position = make_permutation(mesh->element_count, 2), *before = malloc(bytes);
  if (position && before) {
    memcpy(before, mesh->tets, bytes);
    for (int64_t e = 0; e < mesh->element_count; ++e)
      memcpy(mesh->tets + 4 * (int64_t)position[e], before + 4 * e, 4 * sizeof *before);
  }
  const bool done = position && before;
  free(position);
  free(before);
  return done ? IPG_OK : fail_for_memory(error);
}

/* Coordinates are not shuffled: a skin does not depend on them. */
static ipg_status make_meshes(skin_comparison *c, ipg_error *error) {
  ipg_status status = IPG_OK;
  for (int i = 0; !status && i < ORDERS; ++i) status = make_box(c->request->size, &c->meshes[i], error);
  for (int i = 1; !status && i < ORDERS; ++i) status = shuffle_nodes(&c->meshes[i], error);
  return status ? status : shuffle_elements(&c->meshes[2], error);
}

static ipg_status write_mesh(skin_comparison *c, ipg_error *error) {
  const char *folder = getenv("TMPDIR");
  snprintf(c->path, sizeof c->path, "%s/impinge_bench_XXXXXX", folder ? folder : "/tmp");
  const int file = mkstemp(c->path);
  if (file < 0) {
    ipg_fail(error, IPG_ERROR_FILE, "cannot create the file %.300s: set TMPDIR to a writable folder", c->path);
    c->path[0] = 0;
    return IPG_ERROR_FILE;
  }
  close(file);
  return ipg_exodus_write(c->path, &c->meshes[0], error);
}

/* ------------------------------------------------------------------------------------------------------- entrants */

static void sort_three(ipg_id n[3]) {
  for (int i = 0; i < 3; ++i) { /* bubbles: (0,1), (1,2), (0,1) */
    const int at = i % 2;
    const ipg_id low = n[at] < n[at + 1] ? n[at] : n[at + 1], high = n[at] < n[at + 1] ? n[at + 1] : n[at];
    n[at] = low, n[at + 1] = high;
  }
}

/* The sum of this over all faces does not depend on their order. */
static uint64_t face_checksum(const ipg_id sorted[3], int64_t slot) {
  uint64_t sum = (uint64_t)slot;
  for (int i = 0; i < 3; ++i) sum = (sum ^ (uint64_t)sorted[i]) * 0x9e3779b97f4a7c15u, sum ^= sum >> 29;
  return sum;
}

static void summarise_skin(const ipg_skin *skin, skin_result *r) {
  r->faces = skin->face_count;
  r->checksum = 0;
  for (int64_t f = 0; f < skin->face_count; ++f) {
    ipg_id n[3] = {skin->faces[3 * f], skin->faces[3 * f + 1], skin->faces[3 * f + 2]};
    sort_three(n);
    r->checksum += face_checksum(n, 4 * (int64_t)skin->elements[f] + skin->sides[f]);
  }
}

static ipg_status run_skin(const skin_entrant *c, skin_result *r, ipg_error *error) {
  memory_meter meter = {0};
  ipg_skin skin;
  const ipg_allocator allocator = memory_meter_allocator(&meter);
  const double start = now_ms();
  const ipg_status status = ipg_skin_build(c->mesh, &allocator, &c->tasks, &skin, error);
  r->ms = now_ms() - start;
  if (status) return status;
  summarise_skin(&skin, r);
  r->memory_mb = (double)meter.peak / 1e6;
  ipg_skin_destroy(&skin);
  return IPG_OK;
}

typedef struct triple {
  ipg_id n[3], slot;
} triple;

static int compare_triples(const void *a, const void *b) {
  const triple *p = a, *q = b;
  for (int i = 0; i < 3; ++i)
    if (p->n[i] != q->n[i]) return p->n[i] < q->n[i] ? -1 : 1;
  return 0;
}

static void list_triples(const ipg_mesh *mesh, triple *triples) {
  for (int64_t slot = 0; slot < 4 * mesh->element_count; ++slot) {
    const ipg_id *tet = mesh->tets + slot / 4 * 4;
    const int *corner = ipg_tet_sides[slot % 4];
    triples[slot] = (triple){{tet[corner[0]], tet[corner[1]], tet[corner[2]]}, (ipg_id)slot};
    sort_three(triples[slot].n);
  }
}

/* Moves the triples that occur once to the front and returns their number. */
static int64_t keep_unique_triples(triple *triples, int64_t count) {
  int64_t kept = 0;
  for (int64_t i = 0; i < count; ++i) {
    const bool like_last = i && !compare_triples(&triples[i - 1], &triples[i]);
    const bool like_next = i + 1 < count && !compare_triples(&triples[i], &triples[i + 1]);
    if (!like_last && !like_next) triples[kept++] = triples[i];
  }
  return kept;
}

static ipg_status run_qsort(const skin_entrant *c, skin_result *r, ipg_error *error) {
  const size_t count = 4 * (size_t)c->mesh->element_count;
  const double start = now_ms();
  triple *triples = malloc(count * sizeof *triples);
  if (!triples) return fail_for_memory(error);
  list_triples(c->mesh, triples);
  qsort(triples, count, sizeof *triples, compare_triples);
  r->faces = keep_unique_triples(triples, (int64_t)count);
  r->ms = now_ms() - start;
  r->checksum = 0;
  for (int64_t i = 0; i < r->faces; ++i) r->checksum += face_checksum(triples[i].n, triples[i].slot);
  r->memory_mb = (double)(count * sizeof *triples) / 1e6;
  free(triples);
  return IPG_OK;
}

static ipg_status read_mesh(const skin_entrant *c, ipg_mesh *mesh, ipg_skin *skin, skin_result *r, ipg_error *error) {
  memory_meter meter = {0};
  const ipg_allocator allocator = memory_meter_allocator(&meter);
  const double start = now_ms();
  ipg_status status = ipg_exodus_read(c->path, NULL, &allocator, mesh, error);
  if (!status && skin) status = ipg_skin_build(mesh, &allocator, &c->tasks, skin, error);
  r->ms = now_ms() - start;
  r->faces = -1;
  if (!status && skin) {
    summarise_skin(skin, r);
    ipg_skin_destroy(skin);
  }
  ipg_mesh_destroy(mesh);
  r->memory_mb = (double)meter.peak / 1e6;
  return status;
}

static ipg_status run_read(const skin_entrant *c, skin_result *r, ipg_error *error) {
  ipg_mesh mesh = {0};
  return read_mesh(c, &mesh, NULL, r, error);
}

static ipg_status run_read_and_skin(const skin_entrant *c, skin_result *r, ipg_error *error) {
  ipg_mesh mesh = {0};
  ipg_skin skin = {0};
  return read_mesh(c, &mesh, &skin, r, error);
}

static void add_entrant(skin_comparison *c, int order, const char *method, bool threaded,
                        ipg_status (*run)(const skin_entrant *c, skin_result *r, ipg_error *error)) {
  static const char *const orders[ORDERS] = {"natural", "nodes_shuffled", "all_shuffled"};
  c->entrants[c->count++] = (skin_entrant){.order = orders[order],
                                           .method = method,
                                           .threads = threaded ? c->request->threads : 1,
                                           .tasks = threaded ? c->tasks : c->serial,
                                           .mesh = &c->meshes[order],
                                           .path = c->path,
                                           .run = run,
                                           .best = {.ms = INFINITY}};
}

static void add_entrants(skin_comparison *c) {
  for (int order = 0; order < ORDERS; ++order) {
    add_entrant(c, order, "skin", false, run_skin);
    if (c->request->threads > 1) add_entrant(c, order, "skin", true, run_skin);
    add_entrant(c, order, "qsort", false, run_qsort);
  }
  add_entrant(c, 0, "read", false, run_read);
  add_entrant(c, 0, "read_and_skin", true, run_read_and_skin);
}

/* ---------------------------------------------------------------------------------------------------------- results */

static ipg_status run_comparison(skin_comparison *c, ipg_error *error) {
  ipg_status status = IPG_OK;
  for (int run = 0; run < c->request->runs; ++run)
    for (int i = 0; !status && i < c->count; ++i) {
      skin_result now;
      status = c->entrants[i].run(&c->entrants[i], &now, error);
      if (!status && now.ms < c->entrants[i].best.ms) c->entrants[i].best = now;
    }
  return status;
}

static void print_entrant(const skin_entrant *c) {
  printf("%s\t%lld\t%s\t%d\t%.2f\t", c->order, (long long)c->mesh->element_count, c->method, c->threads, c->best.ms);
  if (c->best.faces < 0) printf("-\t-");
  else printf("%lld\t%016llx", (long long)c->best.faces, (unsigned long long)c->best.checksum);
  printf("\t%.1f\n", c->best.memory_mb);
}

/* Returns the exit code: 1 if two entrants found different skins of the same mesh. */
static int print_results(const skin_comparison *c) {
  int failed = 0;
  puts("order\telements\tmethod\tthreads\tms\tfaces\tchecksum\tmemory_mb");
  for (int i = 0; i < c->count; ++i) print_entrant(&c->entrants[i]);
  for (int i = 0; i < c->count; ++i)
    for (int k = 0; k < i; ++k) {
      const skin_entrant *a = &c->entrants[k], *b = &c->entrants[i];
      if (a->mesh != b->mesh || a->best.faces < 0 || b->best.faces < 0) continue;
      if (a->best.faces == b->best.faces && a->best.checksum == b->best.checksum) continue;
      failed = 1;
      fprintf(stderr, "impinge-bench: %s finds a different skin than %s, %s order\n", b->method, a->method, a->order);
    }
  return failed;
}

int skin_bench(const skin_request *request) {
  ipg_error error = {0};
  ipg_pool *pool = NULL;
  skin_comparison c = {.request = request, .serial = ipg_tasks_serial()};
  ipg_status status = ipg_pool_create(request->threads, &pool, &error);
  if (!status) c.tasks = ipg_pool_tasks(pool);
  if (!status) status = make_meshes(&c, &error);
  if (!status) status = write_mesh(&c, &error);
  if (!status) {
    add_entrants(&c);
    status = run_comparison(&c, &error);
  }
  if (status) fprintf(stderr, "impinge-bench: %s\n", error.message);
  const int code = status ? 1 : print_results(&c);
  if (c.path[0]) unlink(c.path);
  for (int i = 0; i < ORDERS; ++i) ipg_mesh_destroy(&c.meshes[i]);
  ipg_pool_destroy(&pool);
  return code;
}
