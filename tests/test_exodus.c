/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Exodus files: what is written is read again to the bit, with everything a file can hold; results of every kind; other
 * elements than tetrahedra are refused or left out; damaged files are refused with the right message and nothing on
 * stderr; a writer that is killed, or for which the disk is full, leaves all completed steps. Real files come from
 * $IMPINGE_DATA/exodus. */
#define _POSIX_C_SOURCE 200809L
#include "support/failing_allocator.h"
#include "support/meshes.h"
#include "support/suite.h"

#include <errno.h>
#include <exodusII.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[400]; /* temporary, removed at the end with all that is in it */

/* Sanitizers make the library's many small allocations slow. */
static long rounds(long part) { return suite_scenes() / part / (suite_is_quick() ? 10 : 1); }

static const char *in_folder(const char *name) {
  static char paths[4][512];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static void expect_ok(ipg_status status, const ipg_error *error) {
  CU_ASSERT_EQUAL(status, IPG_OK);
  if (status && error) printf("\n    unexpected: %s\n", error->message);
}

static bool message_contains(const ipg_error *error, const char *words) {
  const bool found = strstr(error->message, words);
  if (!found) printf("\n    expected \"%s\" in: %s\n", words, error->message);
  return found;
}

static bool is_zero(const void *object, size_t bytes) {
  const unsigned char *byte = object;
  while (bytes && !*byte) ++byte, --bytes;
  return !bytes;
}

/* --------------------------------------------------------------------------------------------------- write and read */

static void check_round_trip(const ipg_mesh *mesh, const char *path) {
  ipg_error error;
  ipg_mesh back;
  expect_ok(ipg_exodus_write(path, mesh, &error), &error);
  expect_ok(ipg_exodus_read(path, NULL, NULL, &back, &error), &error);
  CU_ASSERT(meshes_equal(mesh, &back));
  ipg_mesh_destroy(&back);
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
  for (long s = 0; s < rounds(20); ++s) {
    rng r = rng_start(7000 + (uint64_t)s);
    ipg_mesh mesh = meshes_random(&r);
    check_round_trip(&mesh, in_folder("mesh.exo"));
    ipg_mesh_destroy(&mesh);
  }
}

static void test_same_bytes(void) {
  rng r = rng_start(1);
  ipg_mesh mesh = meshes_random(&r), back;
  check_round_trip(&mesh, in_folder("mesh.exo"));
  check_round_trip(&mesh, in_folder("again.exo"));
  const long size = read_bytes(in_folder("mesh.exo"), image[0], sizeof image[0]);
  CU_ASSERT(size > 3000 && !memcmp(image[0], "CDF\002", 4));
  CU_ASSERT_EQUAL(read_bytes(in_folder("again.exo"), image[1], sizeof image[1]), size);
  CU_ASSERT(!memcmp(image[0], image[1], (size_t)size)); /* same input, same bits */
  mesh.node_gids[3] = 5000000000000;
  mesh.element_gids[3] = 6000000000000;
  mesh.blocks[0].id = 7000000000000;
  check_round_trip(&mesh, in_folder("wide.exo"));
  mesh.blocks[0].name[0] = 0; /* a block without a name gets one on reading */
  CU_ASSERT_EQUAL(ipg_exodus_write(in_folder("mesh.exo"), &mesh, NULL), IPG_OK);
  CU_ASSERT_EQUAL(ipg_exodus_read(in_folder("mesh.exo"), NULL, NULL, &back, NULL), IPG_OK);
  CU_ASSERT_STRING_EQUAL(back.blocks[0].name, "block_7000000000000");
  ipg_mesh_destroy(&back);
  ipg_mesh_destroy(&mesh);
}

/* ----------------------------------------------------------------------------------------------------------- append */

static void test_append_numbers(void) {
  ipg_mesh mesh = meshes_box(1, 1, 1, 0, "a"), more = meshes_box(2, 1, 1, 4, "b"), clash = meshes_box(1, 1, 1, 9, "b");
  ipg_error error;
  more.blocks[0].id = 7;
  more.node_gids[0] = 100;
  expect_ok(ipg_mesh_append(&mesh, &more, &error), &error);
  CU_ASSERT_EQUAL(mesh.node_count, 8 + 12);
  CU_ASSERT_EQUAL(mesh.element_count, 18);
  CU_ASSERT(mesh.blocks[1].first == 6 && mesh.blocks[1].count == 12 && mesh.blocks[1].id == 7);
  CU_ASSERT(mesh.node_gids[8] == 108 && mesh.node_gids[9] == 10 && mesh.element_gids[6] == 7);
  for (int i = 6; i < 12; ++i) { /* ids 1..6 of `more` clash and are renumbered from the lowest free one */
    CU_ASSERT_EQUAL(mesh.node_sets[i].id, i + 1);
    CU_ASSERT_EQUAL(mesh.side_sets[i].id, i + 1);
    CU_ASSERT(mesh.node_sets[i].nodes[0] >= 8 && mesh.side_sets[i].elements[0] >= 6);
  }
  CU_ASSERT_EQUAL(ipg_mesh_append(&mesh, &clash, &error), IPG_ERROR_FORMAT);
  CU_ASSERT(message_contains(&error, "both meshes have a block named 'b'"));
  CU_ASSERT_EQUAL(mesh.element_count, 18);
  ipg_mesh empty = {0};
  expect_ok(ipg_mesh_append(&empty, &mesh, &error), &error);
  CU_ASSERT(meshes_equal(&empty, &mesh));
  ipg_mesh_destroy(&empty);
  ipg_mesh_destroy(&mesh);
  ipg_mesh_destroy(&more);
  ipg_mesh_destroy(&clash);
}

static void test_append_titles(void) {
  static const struct {
    const char *first, *second, *joined;
  } titles[] = {{"one", "two", "one"}, {"", "two", "two"}, {"one", "", "one"}};
  for (int i = 0; i < 3; ++i) {
    ipg_mesh mesh = meshes_box(1, 1, 1, 0, "a"), more = meshes_box(1, 1, 1, 4, "b");
    snprintf(mesh.title, sizeof mesh.title, "%s", titles[i].first);
    snprintf(more.title, sizeof more.title, "%s", titles[i].second);
    CU_ASSERT_EQUAL(ipg_mesh_append(&mesh, &more, NULL), IPG_OK);
    CU_ASSERT_STRING_EQUAL(mesh.title, titles[i].joined);
    ipg_mesh_destroy(&mesh);
    ipg_mesh_destroy(&more);
  }
}

/* Numbers of the second mesh are shifted by the highest of the first. */
static void test_append_high_numbers(void) {
  for (int of_elements = 0; of_elements < 2; ++of_elements) {
    ipg_mesh mesh = meshes_box(1, 1, 1, 0, "a"), more = meshes_box(1, 1, 1, 4, "b");
    ipg_error error = {0};
    *(of_elements ? more.element_gids : more.node_gids) = INT64_MAX - 1;
    CU_ASSERT_EQUAL(ipg_mesh_append(&mesh, &more, &error), IPG_ERROR_TOO_MANY);
    CU_ASSERT(message_contains(&error, "do not fit into 64 bits: renumber the meshes"));
    CU_ASSERT_EQUAL(mesh.element_count, 6);
    ipg_mesh_destroy(&mesh);
    ipg_mesh_destroy(&more);
  }
}

/* Attributes, middle nodes and properties of both meshes are the same in the joined mesh. */
static void test_append(void) {
  for (long s = 0; s < rounds(20); ++s) {
    rng r = rng_start(9000 + (uint64_t)s);
    ipg_mesh a = meshes_random(&r), b = meshes_box(1, 2, 1, 99, "other"), back;
    const ipg_mesh before = a;
    b.blocks[0].quadratic = rng_int(&r, 0, 1);
    meshes_add_middles(&b);
    meshes_add_attributes(&r, &b.blocks[0]);
    meshes_add_factors(&r, &b);
    meshes_add_properties(&r, &b);
    const int64_t nodes = a.node_count, elements = a.element_count;
    CU_ASSERT_EQUAL(ipg_mesh_append(&a, &b, NULL), IPG_OK);
    CU_ASSERT(a.node_count == nodes + b.node_count && a.element_count == elements + b.element_count);
    const ipg_block *last = &a.blocks[before.block_count];
    CU_ASSERT(last->attribute_count == b.blocks[0].attribute_count &&
              meshes_same(last->attributes, b.blocks[0].attributes, last->attribute_count * last->count, 8));
    for (int64_t e = 0; e < b.element_count; ++e) {
      const ipg_id *old = ipg_mesh_middles(&b, e), *now = ipg_mesh_middles(&a, elements + e);
      CU_ASSERT(!old == !now);
      for (int k = 0; now && k < 6; ++k) CU_ASSERT_EQUAL(now[k], old[k] + (ipg_id)nodes);
    }
    for (int i = 0; i < b.property_count; ++i)
      for (int k = 0; k < a.property_count; ++k) {
        const ipg_property *p = &b.properties[i], *q = &a.properties[k];
        if (p->kind != q->kind || strcmp(p->name, q->name)) continue;
        const int at = meshes_label_count(&before, (int)p->kind);
        CU_ASSERT(meshes_same(q->values + at, p->values, meshes_label_count(&b, (int)p->kind), 8));
      }
    expect_ok(ipg_exodus_write(in_folder("mesh.exo"), &a, NULL), NULL);
    CU_ASSERT_EQUAL(ipg_exodus_read(in_folder("mesh.exo"), NULL, NULL, &back, NULL), IPG_OK);
    CU_ASSERT_EQUAL(back.quadratic_count, a.quadratic_count);
    ipg_mesh_destroy(&back);
    ipg_mesh_destroy(&b);
    ipg_mesh_destroy(&a);
  }
}

/* ---------------------------------------------------------------------------------------------------------- results */

/* A random layout with its own names and presence; the values of every step follow a formula. */
typedef struct plan {
  ipg_results_layout layout;
  char names[IPG_FIELD_KIND_COUNT][3][24];
  const char *pointers[IPG_FIELD_KIND_COUNT][3];
  bool present[IPG_FIELD_KIND_COUNT][3 * 40];
  int64_t lengths[IPG_FIELD_KIND_COUNT];
  int groups[IPG_FIELD_KIND_COUNT];
  double *values[IPG_FIELD_KIND_COUNT][3];
} plan;

static int64_t group_length(const ipg_mesh *mesh, int kind, int group) {
  return kind == IPG_FIELD_ELEMENT    ? mesh->blocks[group].count
         : kind == IPG_FIELD_NODE_SET ? mesh->node_sets[group].count
                                      : mesh->side_sets[group].count;
}

static void plan_fields(rng *r, plan *p, const ipg_mesh *mesh, int kind) {
  ipg_results_fields *fields = &p->layout.fields[kind];
  p->groups[kind] = kind > IPG_FIELD_GLOBAL ? meshes_label_count(mesh, kind - IPG_FIELD_ELEMENT) : 0;
  CU_ASSERT_FATAL(p->groups[kind] <= 40);
  fields->count = kind > IPG_FIELD_GLOBAL && !p->groups[kind] ? 0 : rng_int(r, 0, 3);
  fields->names = p->pointers[kind];
  for (int f = 0; f < fields->count; ++f) {
    snprintf(p->names[kind][f], sizeof p->names[kind][f], "field_%d_%d", kind, f);
    p->pointers[kind][f] = p->names[kind][f];
  }
  p->lengths[kind] = kind == IPG_FIELD_NODAL ? mesh->node_count : fields->count;
  if (kind <= IPG_FIELD_GLOBAL) return;
  p->lengths[kind] = 0;
  for (int g = 0; g < p->groups[kind]; ++g) p->lengths[kind] += group_length(mesh, kind, g);
  for (int i = 0; i < 3 * p->groups[kind]; ++i) p->present[kind][i] = rng_int(r, 0, 2) > 0;
  if (rng_int(r, 0, 1)) fields->present = p->present[kind];
}

static plan *plan_make(rng *r, const ipg_mesh *mesh) {
  plan *p = meshes_take(1, sizeof *p);
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; ++kind) {
    plan_fields(r, p, mesh, kind);
    for (int f = 0; f < 3; ++f) p->values[kind][f] = meshes_take(p->lengths[kind], sizeof(double));
  }
  return p;
}

static void plan_free(plan *p) {
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; ++kind)
    for (int f = 0; f < 3; ++f) free(p->values[kind][f]);
  free(p);
}

static double value_at(int step, int kind, int field, int64_t i) {
  return step * 1000 + kind * 0.125 + field * 100.5 + (double)i / 7;
}

static ipg_status plan_append(plan *p, ipg_results *results, int step, ipg_error *error) {
  const double *const *all[IPG_FIELD_KIND_COUNT];
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; ++kind) {
    all[kind] = (const double *const *)p->values[kind];
    for (int f = 0; f < 3; ++f)
      for (int64_t i = 0; i < p->lengths[kind]; ++i) p->values[kind][f][i] = value_at(step, kind, f, i);
  }
  errno = EFBIG; /* an old error of the caller */
  return ipg_results_append(results, step * 0.5, all, error);
}

static bool group_is_right(const plan *p, int step, int kind, int field, int64_t first, int64_t count, bool present,
                           const double *values) {
  (void)p;
  for (int64_t i = first; i < first + count; ++i)
    if (present ? values[i] != value_at(step, kind, field, i) : !isnan(values[i])) return false;
  return true;
}

static bool field_is_right(const plan *p, const ipg_mesh *mesh, int step, int kind, int field, const double *values) {
  const bool *present = p->layout.fields[kind].present;
  int64_t first = 0;
  if (kind <= IPG_FIELD_GLOBAL) return group_is_right(p, step, kind, field, 0, p->lengths[kind], true, values);
  for (int g = 0; g < p->groups[kind]; ++g) {
    const int64_t count = group_length(mesh, kind, g);
    if (!group_is_right(p, step, kind, field, first, count, !present || present[field * p->groups[kind] + g], values))
      return false;
    first += count;
  }
  return true;
}

/* The file has steps 0 .. steps - 1, each with the values that were written. */
static void plan_check(const plan *p, const ipg_mesh *mesh, const char *path, int steps) {
  ipg_results_reader *reader;
  ipg_error error;
  expect_ok(ipg_results_open(path, NULL, &reader, &error), &error);
  if (!reader) return;
  const ipg_contents *c = ipg_results_contents(reader);
  CU_ASSERT_EQUAL(c->step_count, steps);
  for (int step = 0; step < steps; ++step) {
    CU_ASSERT_EQUAL(c->times[step], step * 0.5);
    for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; ++kind) {
      CU_ASSERT_FATAL(c->fields[kind].count == p->layout.fields[kind].count &&
                      c->fields[kind].length == p->lengths[kind]);
      double *values = meshes_take(p->lengths[kind], sizeof *values);
      for (int f = 0; f < (kind == IPG_FIELD_GLOBAL ? c->fields[kind].count > 0 : c->fields[kind].count); ++f) {
        CU_ASSERT_STRING_EQUAL(c->fields[kind].names[f], p->names[kind][f]);
        expect_ok(ipg_results_read(reader, step, (ipg_field_kind)kind, f, values, &error), &error);
        CU_ASSERT(field_is_right(p, mesh, step, kind, f, values));
      }
      free(values);
    }
  }
  ipg_results_reader_destroy(&reader);
  CU_ASSERT_PTR_NULL(reader);
}

static void test_results(void) {
  for (long s = 0; s < rounds(40); ++s) {
    rng r = rng_start(8000 + (uint64_t)s);
    ipg_mesh mesh = meshes_random(&r), back;
    plan *p = plan_make(&r, &mesh);
    const char *path = in_folder("results.exo");
    ipg_results *results = NULL;
    ipg_error error;
    expect_ok(ipg_results_create(path, &mesh, &p->layout, &results, &error), &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(results);
    plan_check(p, &mesh, path, 0);
    for (int step = 0; step < 3; ++step) {
      expect_ok(plan_append(p, results, step, &error), &error);
      CU_ASSERT_EQUAL(plan_append(p, results, step, &error), IPG_ERROR_ARGUMENT);
      CU_ASSERT(message_contains(&error, "time must grow"));
      plan_check(p, &mesh, path, step + 1); /* the writer is still open */
    }
    expect_ok(ipg_results_destroy(&results, &error), &error);
    CU_ASSERT(ipg_results_destroy(&results, &error) == IPG_OK && !results);
    plan_check(p, &mesh, path, 3);
    expect_ok(ipg_exodus_read(path, NULL, NULL, &back, &error), &error);
    CU_ASSERT(meshes_equal(&mesh, &back));
    ipg_mesh_destroy(&back);
    plan_free(p);
    ipg_mesh_destroy(&mesh);
  }
}

static const char *const disp[] = {"DISPLX", "DISPLY", "DISPLZ"};
static const ipg_results_layout disp_layout = {.fields = {[IPG_FIELD_NODAL] = {3, disp, NULL}}};

static void test_result_requests(void) {
  const char *path = in_folder("results.exo");
  ipg_mesh mesh = meshes_box(1, 1, 1, 0, "b"), back;
  ipg_results *results = NULL;
  ipg_results_reader *reader;
  ipg_error error;
  double values[8];
  expect_ok(ipg_results_create(path, &mesh, &disp_layout, &results, &error), &error);
  for (int i = 0; i < 8; ++i) values[i] = i;
  const double *const nodal[3] = {values, values, values};
  const double *const *const step[IPG_FIELD_KIND_COUNT] = {[IPG_FIELD_NODAL] = nodal};
  const double *const *const none[IPG_FIELD_KIND_COUNT] = {NULL};
  CU_ASSERT_EQUAL(ipg_results_append(results, 0, none, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_results_append(results, NAN, step, &error), IPG_ERROR_ARGUMENT);
  expect_ok(ipg_results_append(results, 0, step, &error), &error);
  expect_ok(ipg_results_destroy(&results, &error), &error);
  expect_ok(ipg_results_open(path, NULL, &reader, &error), &error);
  CU_ASSERT_EQUAL(ipg_results_read(reader, 1, IPG_FIELD_NODAL, 0, values, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(message_contains(&error, "step 1 was requested, but it has 1 steps, counted from 0"));
  CU_ASSERT_EQUAL(ipg_results_read(reader, 0, IPG_FIELD_NODAL, 3, values, NULL), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_results_read(reader, 0, IPG_FIELD_ELEMENT, 0, values, NULL), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_results_read(reader, 0, IPG_FIELD_GLOBAL, 0, values, NULL), IPG_ERROR_ARGUMENT);
  expect_ok(ipg_exodus_read(path, NULL, NULL, &back, &error), &error);
  expect_ok(ipg_mesh_displace(&back, reader, 0, 2, &error), &error);
  for (int i = 0; i < 24; ++i) CU_ASSERT_EQUAL(back.x[i], mesh.x[i] + 2 * (i / 3));
  back.node_count = 7;
  CU_ASSERT_EQUAL(ipg_mesh_displace(&back, reader, 0, 2, &error), IPG_ERROR_ARGUMENT);
  back.node_count = 8;
  ipg_results_reader_destroy(&reader);
  ipg_mesh_destroy(&back);
  ipg_mesh_destroy(&mesh);
}

/* ----------------------------------------------------------------------------------------------------------- killed */

/* Appends steps until it is killed; writes the number of complete steps to the pipe. */
static void write_until_killed(const char *path, const ipg_mesh *mesh, plan *p, int out) {
  ipg_results *results = NULL;
  char count = 0;
  if (ipg_results_create(path, mesh, &p->layout, &results, NULL)) _exit(1);
  for (int step = 0; step < 100; ++step) {
    if (write(out, &count, 1) != 1 || plan_append(p, results, step, NULL)) _exit(1);
    ++count;
  }
  for (;;) pause();
}

/* The file has at least the steps that were announced, and all its steps are right. */
static void check_killed(const plan *p, const ipg_mesh *mesh, const char *path, int announced) {
  ipg_contents c;
  ipg_error error;
  expect_ok(ipg_exodus_describe(path, NULL, &c, &error), &error);
  CU_ASSERT(c.step_count >= announced && c.step_count <= announced + 1);
  const int steps = (int)c.step_count;
  ipg_contents_destroy(&c);
  plan_check(p, mesh, path, steps);
}

static void kill_once(rng *r, const ipg_mesh *mesh, plan *p) {
  int ends[2], announced = 0;
  const char *path = in_folder("killed.exo");
  char count;
  CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
  const pid_t writer = fork();
  if (!writer) write_until_killed(path, mesh, p, ends[1]);
  close(ends[1]);
  const int wait_for = rng_int(r, 0, 20);
  while (announced <= wait_for && read(ends[0], &count, 1) == 1) announced = count + 1;
  nanosleep(&(struct timespec){.tv_nsec = rng_int(r, 0, 300000)}, NULL);
  kill(writer, SIGKILL);
  waitpid(writer, NULL, 0);
  while (read(ends[0], &count, 1) == 1) announced = count + 1;
  close(ends[0]);
  CU_ASSERT(announced > 0);
  check_killed(p, mesh, path, announced - 1);
}

static void test_killed_writers(void) {
  const long kills = suite_is_quick() ? 5 : suite_is_full() ? 500 : 50;
  rng r = rng_start(31);
  ipg_mesh mesh = meshes_ball(6, "ball"); /* larger than the library's buffers */
  plan *p = plan_make(&r, &mesh);
  for (long k = 0; k < kills; ++k) kill_once(&r, &mesh, p);
  plan_free(p);
  ipg_mesh_destroy(&mesh);
}

/* --------------------------------------------------------------------------------------------------------- refusals */

/* Reads a file that must be refused, and checks that nothing was printed on stderr. */
static void expect_refusal(const char *path, ipg_status expected, const char *sentence) {
  ipg_error error = {0};
  ipg_mesh mesh;
  fflush(stderr);
  const int terminal = dup(STDERR_FILENO);
  FILE *caught = tmpfile();
  CU_ASSERT_PTR_NOT_NULL_FATAL(caught);
  dup2(fileno(caught), STDERR_FILENO);
  const ipg_status status = ipg_exodus_read(path, NULL, NULL, &mesh, &error);
  fflush(stderr);
  dup2(terminal, STDERR_FILENO);
  close(terminal);
  CU_ASSERT_EQUAL(lseek(fileno(caught), 0, SEEK_END), 0);
  fclose(caught);
  CU_ASSERT_EQUAL(status, expected);
  CU_ASSERT_EQUAL(error.status, expected);
  CU_ASSERT(is_zero(&mesh, sizeof mesh));
  CU_ASSERT(message_contains(&error, sentence));
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
  expect_ok(ipg_exodus_read(write_raw(&proper), NULL, NULL, &mesh, &error), &error);
  CU_ASSERT(mesh.block_count == 2 && mesh.blocks[1].count == 0 && mesh.blocks[1].first == 1);
  CU_ASSERT_STRING_EQUAL(mesh.side_sets[0].name, "sideset_9");
  CU_ASSERT_EQUAL(mesh.side_sets[0].sides[0], 3);
  ipg_mesh_destroy(&mesh);
  expect_refusal(
      RAW("HEX8", 3, 8, 1, 1, 21, 31, 4), IPG_ERROR_UNSUPPORTED,
      "raw.exo: block 3 'shell' holds HEX8 elements of 8 nodes; only tetrahedra of 4 or 10 nodes can be read: remove "
      "the block, convert it, or set leave_out_others (impinge join: --leave-out-others)");
  expect_refusal(RAW("SHELL4", 3, 4, 1, 1, 21, 31, 4), IPG_ERROR_UNSUPPORTED, "block 3 'shell' holds SHELL4");
  expect_refusal(RAW("TETRA4", 3, 10, 1, 1, 21, 31, 4), IPG_ERROR_UNSUPPORTED, "TETRA4 elements of 10 nodes");
  expect_refusal(RAW("TETRA", 3, 8, 1, 1, 21, 31, 4), IPG_ERROR_UNSUPPORTED, "TETRA elements of 8 nodes");
  expect_refusal(RAW("TRI3", 2, 3, 1, 1, 21, 31, 1), IPG_ERROR_UNSUPPORTED, "2 dimensions");
  expect_refusal(RAW("TET", 3, 4, 1, NAN, 21, 31, 4), IPG_ERROR_NUMBER,
                 "node 24 of element 31 in block 'shell' has no finite position");
  expect_refusal(RAW("TET", 3, 4, 5, INFINITY, 21, 31, 4), IPG_ERROR_NUMBER, "node 24 of element 31 in block 'shell'");
  expect_refusal(RAW("TET", 3, 4, 1, -1, 21, 31, 4), IPG_ERROR_NUMBER,
                 "element 31 of block 'shell' has the volume -0.16");
  expect_refusal(RAW("TET", 3, 4, 1, 0, 21, 31, 4), IPG_ERROR_NUMBER, "element 31 of block 'shell' has the volume 0");
  expect_refusal(RAW("TET", 3, 4, 0, 1, 21, 31, 4), IPG_ERROR_FORMAT, "element 31 of block 'shell' has node 0 of 8");
  expect_refusal(RAW("TET", 3, 4, 9, 1, 21, 31, 4), IPG_ERROR_FORMAT, "element 31 of block 'shell' has node 9 of 8");
  expect_refusal(RAW("TET", 3, 4, 1, 1, 28, 31, 4), IPG_ERROR_FORMAT, "two nodes have the number 28");
  expect_refusal(RAW("TET", 3, 4, 1, 1, 21, -1, 4), IPG_ERROR_FORMAT, "the id map holds element number -1");
  expect_refusal(RAW("TET", 3, 4, 1, 1, 21, 31, 5), IPG_ERROR_FORMAT, "side set 'sideset_9' has the entry 5 of 4");
}

static void test_file_refusals(void) {
  expect_refusal(in_folder("absent.exo"), IPG_ERROR_FILE, "absent.exo': No such file or directory");
  expect_refusal(folder, IPG_ERROR_FILE, "is a folder: give the name of a file");
  expect_refusal(NULL, IPG_ERROR_ARGUMENT, "a path is needed");
  const struct {
    const char *name, *bytes;
    long count;
    const char *sentence;
  } files[] = {
      {"empty.exo", "", 0, "empty.exo' is empty"},
      {"text.exo", "solid cube\n facet normal", 24, "text.exo' is no Exodus II file"},
      {"short.exo", "CDF", 3, "is no Exodus II file"},
      {"head.exo", "CDF\002\0\0\0\0\0\0\0\0\0\0\0\0", 16, "head.exo: its header is incomplete: the file is damaged"},
      {"hdf5.exo", "\211HDF\r\n\032\n\0\0\0\0\0\10\10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\377", 41,
       "was cut off"}};
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    write_bytes(in_folder(files[i].name), files[i].bytes, files[i].count);
    expect_refusal(in_folder(files[i].name), IPG_ERROR_FORMAT, files[i].sentence);
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
  expect_refusal(in_folder("double.exo"), IPG_ERROR_FORMAT, "two blocks have the id 3");
}

/* A mesh file cut at any byte is refused, or only padding is lost and it reads the same. */
static void test_truncated_files(void) {
  rng random = rng_start(5);
  ipg_mesh mesh = meshes_random(&random), back;
  int refused = 0, same = 0, other = 0;
  CU_ASSERT_EQUAL(ipg_exodus_write(in_folder("whole.exo"), &mesh, NULL), IPG_OK);
  const long size = read_bytes(in_folder("whole.exo"), image[0], sizeof image[0]);
  const long coarse = suite_is_quick() ? 997 : 97; /* every byte at the ends, and samples in between */
  for (long keep = 0, next; keep < size; keep = next) {
    next = keep + (keep < 64 || keep >= size - 200 ? 1 : coarse);
    write_bytes(in_folder("cut.exo"), image[0], keep);
    if (ipg_exodus_read(in_folder("cut.exo"), NULL, NULL, &back, NULL)) ++refused;
    else if (meshes_equal(&mesh, &back)) ++same;
    else ++other;
    ipg_mesh_destroy(&back);
  }
  printf("\n    cut short: %d refused, %d the same, %d wrong", refused, same, other);
  CU_ASSERT(refused > 100 && same <= 4);
  CU_ASSERT_EQUAL(other, 0);
  ipg_mesh_destroy(&mesh);
}

/* A deck names blocks; nobody asks for sets by their names. */
static void test_double_names(void) {
  ipg_mesh mesh = meshes_box(1, 1, 1, 0, "b"), more = meshes_box(1, 1, 1, 5, "c");
  snprintf(mesh.side_sets[4].name, sizeof(ipg_name), "%s", mesh.side_sets[1].name);
  snprintf(mesh.node_sets[3].name, sizeof(ipg_name), "%s", mesh.node_sets[0].name);
  check_round_trip(&mesh, in_folder("names.exo"));
  CU_ASSERT_EQUAL_FATAL(ipg_mesh_append(&mesh, &more, NULL), IPG_OK);
  snprintf(mesh.blocks[1].name, sizeof(ipg_name), "%s", mesh.blocks[0].name);
  CU_ASSERT_EQUAL(ipg_exodus_write(in_folder("names.exo"), &mesh, NULL), IPG_OK);
  expect_refusal(in_folder("names.exo"), IPG_ERROR_FORMAT, "two blocks are named 'b': rename one");
  ipg_mesh_destroy(&more);
  ipg_mesh_destroy(&mesh);
}

static void limit_files(rlim_t bytes) {
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
  signal(SIGXFSZ, SIG_IGN); /* a file that cannot grow is a full disk */
  setrlimit(RLIMIT_FSIZE, &limit);
}

static void test_write_errors(void) {
  const ipg_results_layout nameless = {.fields = {[IPG_FIELD_NODAL] = {1, NULL, NULL}}};
  const ipg_results_layout of_sets = {.fields = {[IPG_FIELD_SIDE_SET] = {3, disp, NULL}}};
  ipg_mesh mesh = meshes_ball(6, "ball"), nothing = {0};
  ipg_results *results;
  ipg_error error;
  CU_ASSERT_EQUAL(ipg_exodus_write(in_folder("no/such/place.exo"), &mesh, &error), IPG_ERROR_FILE);
  CU_ASSERT(message_contains(&error, "no/such/place.exo': No such file or directory"));
  CU_ASSERT_EQUAL(ipg_exodus_write(folder, &mesh, &error), IPG_ERROR_FILE);
  CU_ASSERT_EQUAL(ipg_exodus_write(in_folder("none.exo"), &nothing, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_results_create(in_folder("r.exo"), &mesh, &nameless, &results, &error), IPG_ERROR_ARGUMENT);
  static char long_name[IPG_NAME_MAX + 1];
  memset(long_name, 'n', IPG_NAME_MAX);
  const char *const long_names[1] = {long_name};
  const ipg_results_layout too_long = {.fields = {[IPG_FIELD_NODAL] = {1, long_names, NULL}}};
  CU_ASSERT_EQUAL(ipg_results_create(in_folder("r.exo"), &mesh, &too_long, &results, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(message_contains(&error, "the name of a result field needs 1 to 256 letters"));
  mesh.properties[0] = (ipg_property){.kind = IPG_LABEL_BLOCK, .name = "a property of more than thirty-two letters"};
  mesh.property_count = 1;
  CU_ASSERT_EQUAL(ipg_exodus_write(in_folder("r.exo"), &mesh, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(message_contains(&error, "has more than 32 letters"));
  mesh.property_count = 0;
  mesh.side_set_count = 0;
  CU_ASSERT_EQUAL(ipg_results_create(in_folder("r.exo"), &mesh, &of_sets, &results, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(message_contains(&error, "belongs to sets, and the mesh has none"));
  mesh.side_set_count = 1;
  ipg_mesh_destroy(&mesh);
}

/* A component is the name, a line or nothing, and the letter of the axis, in any case. */
static void test_vectors(void) {
  ipg_name names[] = {"disp_xy", "displ_x", "DISP_X", "dispz", "disp_y", "disp", "velx", "vel_y"};
  ipg_contents contents = {.fields = {[IPG_FIELD_NODAL] = {.count = 8, .names = names}}};
  int fields[3];
  CU_ASSERT(ipg_results_find_vector(&contents, "disp", fields));
  CU_ASSERT(fields[0] == 2 && fields[1] == 4 && fields[2] == 3);
  CU_ASSERT(!ipg_results_find_vector(&contents, "vel", fields));
}

/* A disk that becomes full within a step is an error; when there is space again the same step is appended, and the file
 * is right. */
static void test_full_disk(void) {
  rng r = rng_start(77);
  ipg_mesh mesh = meshes_ball(6, "ball");
  plan *p = plan_make(&r, &mesh);
  while (p->layout.fields[IPG_FIELD_NODAL].count < 2)
    plan_free(p), p = plan_make(&r, &mesh); /* steps of 20 kB and more */
  ipg_results *results;
  ipg_error error;
  limit_files(110000);
  CU_ASSERT_EQUAL(ipg_exodus_write(in_folder("full.exo"), &mesh, &error), IPG_ERROR_FILE);
  limit_files(RLIM_INFINITY);
  CU_ASSERT(message_contains(&error, "full.exo'"));
  expect_ok(ipg_results_create(in_folder("full.exo"), &mesh, &p->layout, &results, &error), &error);
  for (int step = 0; step < 4; ++step) {
    struct stat now;
    CU_ASSERT_EQUAL(stat(in_folder("full.exo"), &now), 0);
    limit_files((rlim_t)now.st_size + (rlim_t)rng_int(&r, 1, 10000));
    CU_ASSERT_EQUAL(plan_append(p, results, step, &error), IPG_ERROR_FILE);
    limit_files(RLIM_INFINITY);
    CU_ASSERT(message_contains(&error, "full.exo'"));
    plan_check(p, &mesh, in_folder("full.exo"), step);
    expect_ok(plan_append(p, results, step, &error), &error);
  }
  expect_ok(ipg_results_destroy(&results, &error), &error);
  plan_check(p, &mesh, in_folder("full.exo"), 4);
  plan_free(p);
  ipg_mesh_destroy(&mesh);
}

/* ------------------------------------------------------------------------------------------------------ leaving out */

static void count_line(void *context, const char *line) {
  CU_ASSERT_PTR_NOT_NULL(strstr(line, "left out: "));
  ++*(int *)context;
}

/* A tetrahedron between two hexahedra: of each set and field, only the entries of the tetrahedron are kept. */
static const char *write_mixed(void) {
  const char *path = in_folder("mixed.exo");
  int here = 8, there = 8, ids[3] = {1, 2, 3};
  double x[21], y[21], z[21], factors[11] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  for (int i = 0; i < 21; ++i) x[i] = i % 2, y[i] = i / 2 % 2, z[i] = i / 4;
  int first[8] = {1, 2, 4, 3, 5, 6, 8, 7}, last[8] = {13, 14, 16, 15, 17, 18, 20, 19}, tet[4] = {9, 10, 11, 13};
  int set_nodes[4] = {2, 9, 13, 20}, elements[3] = {1, 2, 3}, sides[3] = {6, 4, 1};
  char nodal[] = "temperature", *names[1] = {nodal};
  const int id = ex_create(path, EX_CLOBBER, &here, &there);
  ex_put_init(id, "mixed", 3, 21, 3, 3, 1, 1);
  for (int b = 0; b < 3; ++b)
    ex_put_block(id, EX_ELEM_BLOCK, ids[b], b == 1 ? "tet4" : "HEX8", 1, b == 1 ? 4 : 8, 0, 0, 0);
  ex_put_set_param(id, EX_NODE_SET, 1, 4, 4);
  ex_put_set_param(id, EX_SIDE_SET, 1, 3, 11);
  ex_put_variable_param(id, EX_NODAL, 1);
  ex_put_variable_names(id, EX_NODAL, 1, names);
  ex_put_coord(id, x, y, z);
  ex_put_conn(id, EX_ELEM_BLOCK, 1, first, NULL, NULL);
  ex_put_conn(id, EX_ELEM_BLOCK, 2, tet, NULL, NULL);
  ex_put_conn(id, EX_ELEM_BLOCK, 3, last, NULL, NULL);
  ex_put_set(id, EX_NODE_SET, 1, set_nodes, NULL);
  ex_put_set_dist_fact(id, EX_NODE_SET, 1, factors);
  ex_put_set(id, EX_SIDE_SET, 1, elements, sides);
  ex_put_set_dist_fact(id, EX_SIDE_SET, 1, factors);
  ex_put_time(id, 1, x);
  for (int i = 0; i < 21; ++i) y[i] = 100 + i;
  ex_put_var(id, 1, EX_NODAL, 1, 1, 21, y);
  CU_ASSERT_EQUAL(ex_close(id), 0);
  return path;
}

static void test_leaving_out(void) {
  const char *path = write_mixed();
  int lines = 0;
  const ipg_exodus_options options = {.leave_out_others = true, .report = count_line, .context = &lines};
  ipg_results_reader *reader;
  ipg_error error;
  ipg_mesh mesh;
  double all[21], mine[4];
  expect_refusal(path, IPG_ERROR_UNSUPPORTED, "block 1 'block_1' holds HEX8 elements");
  expect_ok(ipg_exodus_read(path, &options, NULL, &mesh, &error), &error);
  CU_ASSERT_EQUAL(lines, 5); /* two blocks, sides, nodes, nodes of a set */
  CU_ASSERT(mesh.node_count == 4 && mesh.element_count == 1 && mesh.block_count == 1 && mesh.blocks[0].id == 2);
  CU_ASSERT(mesh.element_gids[0] == 2 && mesh.node_gids[3] == 13 && mesh.file_node_count == 21);
  CU_ASSERT(mesh.side_sets[0].count == 1 && mesh.side_sets[0].elements[0] == 0 && mesh.side_sets[0].sides[0] == 3);
  CU_ASSERT(mesh.side_sets[0].factor_count == 3 && mesh.side_sets[0].factors[0] == 5);
  CU_ASSERT(mesh.node_sets[0].count == 2 && mesh.node_sets[0].nodes[1] == 3 && mesh.node_sets[0].factors[1] == 3);
  expect_ok(ipg_results_open(path, NULL, &reader, &error), &error);
  expect_ok(ipg_results_read(reader, 0, IPG_FIELD_NODAL, 0, all, &error), &error);
  ipg_mesh_pick_nodal(&mesh, all, mine);
  CU_ASSERT(mine[0] == 108 && mine[3] == 112);
  ipg_mesh_pick_element(&mesh, (const double[]){1, 2, 3}, mine);
  CU_ASSERT_EQUAL(mine[0], 2);
  ipg_results_reader_destroy(&reader);
  check_round_trip(&mesh, in_folder("mesh.exo"));
  ipg_mesh_destroy(&mesh);
}

/* ------------------------------------------------------------------------------------------------------- allocation */

typedef ipg_status work(const ipg_allocator *allocator, ipg_error *error);

/* Fails the 1st, 2nd ... allocation, until the work needs fewer allocations than that. */
static void fail_each_allocation(work *run, int64_t at_least) {
  bool failed = true;
  int64_t n = 0;
  while (failed && n < 1000) {
    failing_allocator meter = {.fail_at = ++n};
    const ipg_allocator allocator = failing_allocator_of(&meter);
    ipg_error error = {0};
    const ipg_status status = run(&allocator, &error);
    failed = meter.refusals > 0;
    CU_ASSERT_EQUAL(status, failed ? IPG_ERROR_MEMORY : IPG_OK);
    CU_ASSERT(!failed || message_contains(&error, "out of memory"));
    CU_ASSERT(meter.live_blocks == 0 && meter.wrong_releases == 0);
  }
  CU_ASSERT(n > at_least);
}

static ipg_status work_read(const ipg_allocator *allocator, ipg_error *error) {
  ipg_mesh mesh;
  const ipg_status status = ipg_exodus_read(in_folder("sweep.exo"), NULL, allocator, &mesh, error);
  CU_ASSERT(!status || is_zero(&mesh, sizeof mesh));
  ipg_mesh_destroy(&mesh);
  return status;
}

static ipg_status work_leave_out(const ipg_allocator *allocator, ipg_error *error) {
  const ipg_exodus_options options = {.leave_out_others = true};
  ipg_mesh mesh;
  const ipg_status status = ipg_exodus_read(in_folder("mixed.exo"), &options, allocator, &mesh, error);
  ipg_mesh_destroy(&mesh);
  return status;
}

static ipg_status work_append(const ipg_allocator *allocator, ipg_error *error) {
  rng r = rng_start(6);
  ipg_mesh mesh = {.allocator = *allocator}, more = meshes_random(&r);
  const ipg_status status = ipg_mesh_append(&mesh, &more, error);
  ipg_mesh_destroy(&mesh);
  ipg_mesh_destroy(&more);
  return status;
}

static ipg_status work_results(const ipg_allocator *allocator, ipg_error *error) {
  ipg_mesh mesh = meshes_box(1, 1, 1, 0, "b");
  const ipg_allocator own = mesh.allocator;
  double values[24] = {0};
  const double *const nodal[3] = {values, values, values};
  const double *const *const step[IPG_FIELD_KIND_COUNT] = {[IPG_FIELD_NODAL] = nodal};
  ipg_results *results;
  ipg_results_reader *reader = NULL;
  mesh.allocator = *allocator;
  ipg_status status = ipg_results_create(in_folder("sweep_out.exo"), &mesh, &disp_layout, &results, error);
  if (!status) status = ipg_results_append(results, 0, step, error);
  CU_ASSERT_EQUAL(ipg_results_destroy(&results, NULL), IPG_OK);
  CU_ASSERT_PTR_NULL(results);
  mesh.allocator = own;
  if (!status) status = ipg_results_open(in_folder("sweep_out.exo"), allocator, &reader, error);
  if (!status) status = ipg_mesh_displace(&mesh, reader, 0, 1, error);
  ipg_results_reader_destroy(&reader);
  ipg_mesh_destroy(&mesh);
  return status;
}

static void test_allocation_failures(void) {
  rng r = rng_start(6);
  ipg_mesh mesh = meshes_random(&r);
  CU_ASSERT_EQUAL(ipg_exodus_write(in_folder("sweep.exo"), &mesh, NULL), IPG_OK);
  ipg_mesh_destroy(&mesh);
  write_mixed();
  fail_each_allocation(work_read, 40);
  fail_each_allocation(work_leave_out, 30);
  fail_each_allocation(work_append, 20);
  fail_each_allocation(work_results, 15);
}

/* ------------------------------------------------------------------------------------------------------- real files */

typedef struct real_file {
  const char *name;
  const char *refusal; /* message without leave_out_others; NULL: the file can be read */
  int64_t nodes, elements;
  int blocks, node_sets, side_sets, bodies;
} real_file;

static const real_file real_files[] = {
    {"moose_close_tet_out.e", NULL, 845, 2616, 2, 12, 12, 2},
    {"moose_tet_non_mesh.e", NULL, 44, 96, 2, 0, 4, 2},
    {"moose_waveguide_2blk.g", NULL, 2904, 14044, 2, 0, 6, 1},
    {"petsc_FourBrickTet-large.exo", NULL, 34, 89, 4, 0, 0, 1},
    {"norma_tube.g", NULL, 1981, 5657, 1, 0, 4, 1},
    {"norma_tet4_cube.g", NULL, 27, 49, 1, 6, 6, 1},
    {"norma_cuboid-tet10-1.g", NULL, -1, -1, 1, -1, -1, 1},
    {"norma_cuboid-tet10-2.g", NULL, -1, -1, 1, -1, -1, 1},
    {"moose_mixed_mesh.e", "holds HEX8 elements", -1, -1, -1, -1, -1, -1},
    {"moose_continuity_tet10_out.e", "holds TRI6 elements", -1, -1, 2, -1, -1, -1},
    {"meshio_noset.e", NULL, 3734, 14132, 2, 0, 0, 2},
    {"meshio_sets.e", NULL, 3734, 14132, 2, 1, 0, 2},
    {"padded_with_zeros.e", NULL, 319, 1168, 2, 0, 4, 2},
};

/* Writes the mesh and every step of one file to another, and compares them. */
static void copy_results(const char *from, const ipg_mesh *mesh, const char *to) {
  ipg_results_reader *reader, *copy;
  ipg_results *results;
  ipg_error error;
  expect_ok(ipg_results_open(from, NULL, &reader, &error), &error);
  const ipg_contents *c = ipg_results_contents(reader);
  const char *names[IPG_FIELD_KIND_COUNT][64];
  double *values[IPG_FIELD_KIND_COUNT][64] = {{NULL}}, *again;
  const double *const *step[IPG_FIELD_KIND_COUNT];
  ipg_results_layout layout = {0};
  int64_t longest = 0;
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; ++kind) {
    const ipg_contents_fields *fields = &c->fields[kind];
    CU_ASSERT_FATAL(fields->count <= 64);
    layout.fields[kind] = (ipg_results_fields){fields->count, names[kind], fields->present};
    for (int f = 0; f < fields->count; ++f) {
      names[kind][f] = fields->names[f];
      values[kind][f] = meshes_take(fields->length, sizeof(double));
    }
    step[kind] = (const double *const *)values[kind];
    longest = fields->length > longest ? fields->length : longest;
  }
  again = meshes_take(longest, sizeof *again);
  expect_ok(ipg_results_create(to, mesh, &layout, &results, &error), &error);
  for (int64_t s = 0; s < c->step_count; ++s) {
    for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; ++kind)
      for (int f = 0; f < (kind == IPG_FIELD_GLOBAL ? c->fields[kind].count > 0 : c->fields[kind].count); ++f)
        expect_ok(ipg_results_read(reader, s, (ipg_field_kind)kind, f, values[kind][f], &error), &error);
    expect_ok(ipg_results_append(results, c->times[s], step, &error), &error);
    expect_ok(ipg_results_open(to, NULL, &copy, &error), &error);
    for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; ++kind)
      for (int f = 0; f < (kind == IPG_FIELD_GLOBAL ? c->fields[kind].count > 0 : c->fields[kind].count); ++f) {
        expect_ok(ipg_results_read(copy, s, (ipg_field_kind)kind, f, again, &error), &error);
        CU_ASSERT(meshes_same(again, values[kind][f], c->fields[kind].length, sizeof(double)));
      }
    ipg_results_reader_destroy(&copy);
  }
  expect_ok(ipg_results_destroy(&results, &error), &error);
  free(again);
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; ++kind)
    for (int f = 0; f < c->fields[kind].count; ++f) free(values[kind][f]);
  ipg_results_reader_destroy(&reader);
}

static bool agrees(int64_t expected, int64_t found) { return expected < 0 || expected == found; }

static void check_real_file(const char *path, const real_file *file) {
  const ipg_exodus_options options = {.leave_out_others = file->refusal};
  ipg_error error;
  ipg_mesh mesh;
  ipg_skin skin;
  if (file->refusal) expect_refusal(path, IPG_ERROR_UNSUPPORTED, file->refusal);
  expect_ok(ipg_exodus_read(path, &options, NULL, &mesh, &error), &error);
  CU_ASSERT(agrees(file->nodes, mesh.node_count) && agrees(file->elements, mesh.element_count));
  CU_ASSERT(agrees(file->blocks, mesh.block_count));
  CU_ASSERT(agrees(file->node_sets, mesh.node_set_count) && agrees(file->side_sets, mesh.side_set_count));
  expect_ok(ipg_skin_build(&mesh, NULL, NULL, &skin, &error), &error);
  CU_ASSERT(agrees(file->bodies, skin.body_count));
  printf("\n    %-30s %6lld nodes %6lld elements %5lld faces %d bodies", file->name, (long long)mesh.node_count,
         (long long)mesh.element_count, (long long)skin.face_count, skin.body_count);
  check_round_trip(&mesh, in_folder("real.exo"));
  if (!file->refusal) copy_results(path, &mesh, in_folder("real_results.exo"));
  ipg_skin_destroy(&skin);
  ipg_mesh_destroy(&mesh);
}

/* A real result file: -0.001 of penetration at exactly 13 nodes, 0 elsewhere. */
static void check_penetration(const char *path) {
  ipg_results_reader *reader;
  double values[845];
  int deep = 0, clear = 0;
  CU_ASSERT_EQUAL_FATAL(ipg_results_open(path, NULL, &reader, NULL), IPG_OK);
  const ipg_contents *c = ipg_results_contents(reader);
  CU_ASSERT_STRING_EQUAL(c->fields[IPG_FIELD_NODAL].names[3], "penetration");
  CU_ASSERT_EQUAL(ipg_results_read(reader, c->step_count - 1, IPG_FIELD_NODAL, 3, values, NULL), IPG_OK);
  for (int i = 0; i < 845; ++i) deep += fabs(values[i] + 0.001) < 1e-9, clear += values[i] == 0;
  CU_ASSERT(deep == 13 && clear == 832);
  ipg_results_reader_destroy(&reader);
}

static void test_real_files(void) {
  const char *data = getenv("IMPINGE_DATA");
  char path[512];
  snprintf(path, sizeof path, "%s/exodus/%s", data ? data : "../shared/data", real_files[0].name);
  if (access(path, R_OK)) {
    printf("\n    SKIPPED: real Exodus files: %s was not found (IMPINGE_DATA)", path);
    return;
  }
  check_penetration(path);
  for (size_t i = 0; i < sizeof real_files / sizeof *real_files; ++i) {
    snprintf(path, sizeof path, "%s/exodus/%s", data ? data : "../shared/data", real_files[i].name);
    check_real_file(path, &real_files[i]);
  }
}

/* ------------------------------------------------------------------------------------------------------------- main */

static void make_folder(void) {
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/test_exodus_XXXXXX", base ? base : ".");
  if (!mkdtemp(folder)) exit(1);
}

static void remove_folder(void) {
  static const char *const names[] = {"mesh.exo",  "again.exo",  "wide.exo",         "results.exo", "raw.exo",
                                      "text.exo",  "short.exo",  "head.exo",         "hdf5.exo",    "double.exo",
                                      "cut.exo",   "full.exo",   "real.exo",         "sweep.exo",   "sweep_out.exo",
                                      "empty.exo", "killed.exo", "real_results.exo", "names.exo",   "mixed.exo",
                                      "r.exo",     "whole.exo"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) remove(in_folder(names[i]));
  rmdir(folder);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {{"write and read", test_round_trip},
                         {"same mesh, same bytes", test_same_bytes},
                         {"append: numbers and names", test_append_numbers},
                         {"append: titles", test_append_titles},
                         {"append: numbers that do not fit", test_append_high_numbers},
                         {"append: everything else", test_append},
                         {"results of every kind", test_results},
                         {"requests for results", test_result_requests},
                         {"killed writers leave complete steps", test_killed_writers},
                         {"bad content is refused", test_content_refusals},
                         {"bad files are refused", test_file_refusals},
                         {"duplicate block ids are refused", test_double_block_id},
                         {"duplicate names are refused", test_double_names},
                         {"truncated files", test_truncated_files},
                         {"write errors", test_write_errors},
                         {"vectors", test_vectors},
                         {"a full disk", test_full_disk},
                         {"other elements are left out", test_leaving_out},
                         {"every allocation fails once", test_allocation_failures},
                         {"real files", test_real_files},
                         CU_TEST_INFO_NULL};
  make_folder();
  const int code = suite_main(argc, argv, "exodus", tests);
  remove_folder();
  return code;
}
