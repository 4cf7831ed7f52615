/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* One box, its nodes and elements in the order they were made, then the nodes shuffled, then both: meshes that were
 * renumbered or come from elsewhere. Everybody takes turns in every run, so that a busy moment of the machine meets all
 * alike; the best run counts. Whoever finds a skin must find the same one, whatever order it comes in. */
#include "skin_bench.h"
#include "impinge/meshio.h"
#include "measure.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ORDERS = 3, MOST_CONTENDERS = 3 * ORDERS + 2 };

typedef struct outcome {
  double ms, memory_mb;
  int64_t faces; /* -1: not asked for */
  uint64_t checksum;
} outcome;

typedef struct contender contender;
struct contender {
  const char *order, *method;
  int threads;
  ipg_tasks tasks;
  const ipg_mesh *mesh;
  const char *path; /* of the mesh in a file */
  ipg_status (*run)(const contender *c, outcome *o, ipg_error *error);
  outcome best;
};

typedef struct skin_contest {
  const skin_request *request;
  ipg_mesh meshes[ORDERS];
  char path[512];
  ipg_tasks serial, tasks;
  contender contenders[MOST_CONTENDERS];
  int count;
} skin_contest;

/* ----------------------------------------------------------------------------------------------------------- meshes */

static ipg_status make_box(int64_t size, ipg_mesh *mesh, ipg_error *error) {
  const double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1};
  const int side = (int)fmax(1, round(cbrt((double)size / 6)));
  return ipg_mesh_box(lo, hi, (const int[3]){side, side, side}, "box", NULL, mesh, error);
}

/* New places for 0 .. count - 1, all orders equally likely. */
static ipg_id *shuffled(int64_t count, uint64_t seed) {
  random_source random = random_from(seed);
  ipg_id *place = calloc((size_t)count, sizeof *place);
  for (int64_t i = 0; place && i < count; ++i) {
    const int64_t k = (int64_t)(random_bits(&random) % (uint64_t)(i + 1));
    place[i] = place[k];
    place[k] = (ipg_id)i;
  }
  return place;
}

static ipg_status no_room(ipg_error *error) {
  return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory: take less --size");
}

static ipg_status shuffle_nodes(ipg_mesh *mesh, ipg_error *error) {
  ipg_id *place = shuffled(mesh->node_count, 1);
  if (!place) return no_room(error);
  for (int64_t i = 0; i < 4 * mesh->element_count; ++i) mesh->tets[i] = place[mesh->tets[i]];
  free(place);
  return IPG_OK;
}

static ipg_status shuffle_elements(ipg_mesh *mesh, ipg_error *error) {
  const size_t bytes = 4 * (size_t)mesh->element_count * sizeof(ipg_id);
  ipg_id *place = shuffled(mesh->element_count, 2), *before = malloc(bytes);
  if (place && before) {
    memcpy(before, mesh->tets, bytes);
    for (int64_t e = 0; e < mesh->element_count; ++e)
      memcpy(mesh->tets + 4 * (int64_t)place[e], before + 4 * e, 4 * sizeof *before);
  }
  const bool done = place && before;
  free(place);
  free(before);
  return done ? IPG_OK : no_room(error);
}

/* Coordinates stay where they were: a skin does not look at them. */
static ipg_status make_meshes(skin_contest *c, ipg_error *error) {
  ipg_status status = IPG_OK;
  for (int i = 0; !status && i < ORDERS; ++i) status = make_box(c->request->size, &c->meshes[i], error);
  for (int i = 1; !status && i < ORDERS; ++i) status = shuffle_nodes(&c->meshes[i], error);
  return status ? status : shuffle_elements(&c->meshes[2], error);
}

static ipg_status write_mesh(skin_contest *c, ipg_error *error) {
  const char *folder = getenv("TMPDIR");
  snprintf(c->path, sizeof c->path, "%s/impinge_bench_XXXXXX", folder ? folder : "/tmp");
  const int file = mkstemp(c->path);
  if (file < 0) {
    ipg_fail(error, IPG_ERROR_FILE, "no file can be made as %.300s: set TMPDIR", c->path);
    c->path[0] = 0;
    return IPG_ERROR_FILE;
  }
  close(file);
  return ipg_exodus_write(c->path, &c->meshes[0], error);
}

/* ------------------------------------------------------------------------------------------------------- contenders */

static void sort_three(ipg_id n[3]) {
  for (int i = 0; i < 3; ++i) { /* bubbles: (0,1), (1,2), (0,1) */
    const int at = i % 2;
    const ipg_id low = n[at] < n[at + 1] ? n[at] : n[at + 1], high = n[at] < n[at + 1] ? n[at + 1] : n[at];
    n[at] = low, n[at + 1] = high;
  }
}

/* A sum over faces of this is the same in any order of faces. */
static uint64_t face_checksum(const ipg_id sorted[3], int64_t slot) {
  uint64_t sum = (uint64_t)slot;
  for (int i = 0; i < 3; ++i) sum = (sum ^ (uint64_t)sorted[i]) * 0x9e3779b97f4a7c15u, sum ^= sum >> 29;
  return sum;
}

static void tell_skin(const ipg_skin *skin, outcome *o) {
  o->faces = skin->face_count;
  o->checksum = 0;
  for (int64_t f = 0; f < skin->face_count; ++f) {
    ipg_id n[3] = {skin->faces[3 * f], skin->faces[3 * f + 1], skin->faces[3 * f + 2]};
    sort_three(n);
    o->checksum += face_checksum(n, 4 * (int64_t)skin->elements[f] + skin->sides[f]);
  }
}

static ipg_status run_skin(const contender *c, outcome *o, ipg_error *error) {
  meter m = {0};
  ipg_skin skin;
  const ipg_allocator allocator = meter_allocator(&m);
  const double start = now_ms();
  const ipg_status status = ipg_skin_build(c->mesh, &allocator, &c->tasks, &skin, error);
  o->ms = now_ms() - start;
  if (status) return status;
  tell_skin(&skin, o);
  o->memory_mb = (double)m.most / 1e6;
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

/* What stands alone is moved to the front. */
static int64_t keep_single(triple *triples, int64_t count) {
  int64_t kept = 0;
  for (int64_t i = 0; i < count; ++i) {
    const bool like_last = i && !compare_triples(&triples[i - 1], &triples[i]);
    const bool like_next = i + 1 < count && !compare_triples(&triples[i], &triples[i + 1]);
    if (!like_last && !like_next) triples[kept++] = triples[i];
  }
  return kept;
}

static ipg_status run_qsort(const contender *c, outcome *o, ipg_error *error) {
  const size_t count = 4 * (size_t)c->mesh->element_count;
  const double start = now_ms();
  triple *triples = malloc(count * sizeof *triples);
  if (!triples) return no_room(error);
  list_triples(c->mesh, triples);
  qsort(triples, count, sizeof *triples, compare_triples);
  o->faces = keep_single(triples, (int64_t)count);
  o->ms = now_ms() - start;
  o->checksum = 0;
  for (int64_t i = 0; i < o->faces; ++i) o->checksum += face_checksum(triples[i].n, triples[i].slot);
  o->memory_mb = (double)(count * sizeof *triples) / 1e6;
  free(triples);
  return IPG_OK;
}

static ipg_status read_mesh(const contender *c, ipg_mesh *mesh, ipg_skin *skin, outcome *o, ipg_error *error) {
  meter m = {0};
  const ipg_allocator allocator = meter_allocator(&m);
  const double start = now_ms();
  ipg_status status = ipg_exodus_read(c->path, NULL, &allocator, mesh, error);
  if (!status && skin) status = ipg_skin_build(mesh, &allocator, &c->tasks, skin, error);
  o->ms = now_ms() - start;
  o->faces = -1;
  if (!status && skin) {
    tell_skin(skin, o);
    ipg_skin_destroy(skin);
  }
  ipg_mesh_destroy(mesh);
  o->memory_mb = (double)m.most / 1e6;
  return status;
}

static ipg_status run_read(const contender *c, outcome *o, ipg_error *error) {
  ipg_mesh mesh = {0};
  return read_mesh(c, &mesh, NULL, o, error);
}

static ipg_status run_read_and_skin(const contender *c, outcome *o, ipg_error *error) {
  ipg_mesh mesh = {0};
  ipg_skin skin = {0};
  return read_mesh(c, &mesh, &skin, o, error);
}

static void add(skin_contest *c, int order, const char *method, bool threaded,
                ipg_status (*run)(const contender *c, outcome *o, ipg_error *error)) {
  static const char *const orders[ORDERS] = {"natural", "nodes_shuffled", "all_shuffled"};
  c->contenders[c->count++] = (contender){.order = orders[order],
                                          .method = method,
                                          .threads = threaded ? c->request->threads : 1,
                                          .tasks = threaded ? c->tasks : c->serial,
                                          .mesh = &c->meshes[order],
                                          .path = c->path,
                                          .run = run,
                                          .best = {.ms = INFINITY}};
}

static void gather(skin_contest *c) {
  for (int order = 0; order < ORDERS; ++order) {
    add(c, order, "skin", false, run_skin);
    if (c->request->threads > 1) add(c, order, "skin", true, run_skin);
    add(c, order, "qsort", false, run_qsort);
  }
  add(c, 0, "read", false, run_read);
  add(c, 0, "read_and_skin", true, run_read_and_skin);
}

/* -------------------------------------------------------------------------------------------------------- judgement */

static ipg_status compete(skin_contest *c, ipg_error *error) {
  ipg_status status = IPG_OK;
  for (int run = 0; run < c->request->runs; ++run)
    for (int i = 0; !status && i < c->count; ++i) {
      outcome now;
      status = c->contenders[i].run(&c->contenders[i], &now, error);
      if (!status && now.ms < c->contenders[i].best.ms) c->contenders[i].best = now;
    }
  return status;
}

static void print_outcome(const contender *c) {
  printf("%s\t%lld\t%s\t%d\t%.2f\t", c->order, (long long)c->mesh->element_count, c->method, c->threads, c->best.ms);
  if (c->best.faces < 0) printf("-\t-");
  else printf("%lld\t%016llx", (long long)c->best.faces, (unsigned long long)c->best.checksum);
  printf("\t%.1f\n", c->best.memory_mb);
}

/* Whoever worked on the same mesh has found the same skin. */
static int judge(const skin_contest *c) {
  int failed = 0;
  puts("order\telements\tmethod\tthreads\tms\tfaces\tchecksum\tmemory_mb");
  for (int i = 0; i < c->count; ++i) print_outcome(&c->contenders[i]);
  for (int i = 0; i < c->count; ++i)
    for (int k = 0; k < i; ++k) {
      const contender *a = &c->contenders[k], *b = &c->contenders[i];
      if (a->mesh != b->mesh || a->best.faces < 0 || b->best.faces < 0) continue;
      if (a->best.faces == b->best.faces && a->best.checksum == b->best.checksum) continue;
      failed = 1;
      fprintf(stderr, "impinge-bench: %s finds another skin than %s, %s order\n", b->method, a->method, a->order);
    }
  return failed;
}

int skin_bench(const skin_request *request) {
  ipg_error error = {0};
  ipg_pool *pool = NULL;
  skin_contest c = {.request = request, .serial = ipg_tasks_serial()};
  ipg_status status = ipg_pool_create(request->threads, &pool, &error);
  if (!status) c.tasks = ipg_pool_tasks(pool);
  if (!status) status = make_meshes(&c, &error);
  if (!status) status = write_mesh(&c, &error);
  if (!status) {
    gather(&c);
    status = compete(&c, &error);
  }
  if (status) fprintf(stderr, "impinge-bench: %s\n", error.message);
  const int code = status ? 1 : judge(&c);
  if (c.path[0]) unlink(c.path);
  for (int i = 0; i < ORDERS; ++i) ipg_mesh_destroy(&c.meshes[i]);
  ipg_pool_destroy(&pool);
  return code;
}
