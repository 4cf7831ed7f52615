/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Two frames of real simulations made by others: every method must find exactly the published number of overlapping
 * boxes, each the box of the whole path of a vertex, edge or face from the one frame to the other. Pairs that share a
 * vertex are left out by exclusion keys, as contact leaves them out.
 *
 * Each method answers in a process of its own and has only so much time, so that a method that does not suit the
 * scene is named and ended, not waited for. The large scene is for the default method alone, unless IMPINGE_SIZE=full.
 * The data lies outside of the project, in the folder that IMPINGE_DATA names; without it the test is skipped. */
#include "impinge/search.h"
#include "support/ply.h"
#include "support/suite.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIPPED = 77 };

typedef struct reference {
  const char *name;
  int frames[2];
  int64_t vertices, edges, faces, vertex_face, edge_edge;
  bool large;
} reference;

static const reference references[] = {
    {"cloth-funnel", {227, 228}, 9450, 27930, 18484, 7319, 33770, false},
    {"rod-twist", {3036, 3037}, 39940, 119796, 79864, 448270, 2041334, true},
};
enum { REFERENCES = sizeof references / sizeof *references };

/* --------------------------------------------------------------------------------------------------- boxes of paths */

/* Boxes of one kind of element, with their vertices as keys. */
typedef struct elements {
  ipg_box *boxes;
  ipg_id *keys;
  int64_t count;
} elements;

typedef struct moving_mesh {
  elements vertices, edges, faces;
} moving_mesh;

static elements new_elements(int64_t count) {
  return (elements){calloc((size_t)count, sizeof(ipg_box)), calloc(4 * (size_t)count, sizeof(ipg_id)), count};
}

static void free_mesh(moving_mesh *mesh) {
  free(mesh->vertices.boxes), free(mesh->edges.boxes), free(mesh->faces.boxes);
  free(mesh->vertices.keys), free(mesh->edges.keys), free(mesh->faces.keys);
}

static void include(ipg_box *box, const double x[3]) {
  for (int k = 0; k < 3; ++k) box->lo[k] = fmin(box->lo[k], x[k]), box->hi[k] = fmax(box->hi[k], x[k]);
}

static void put_element(elements *to, int64_t at, const ply frames[2], const int32_t *vertices, int count) {
  ipg_box *box = &to->boxes[at];
  for (int k = 0; k < 3; ++k) box->lo[k] = INFINITY, box->hi[k] = -INFINITY;
  for (int i = 0; i < 4; ++i) to->keys[4 * at + i] = i < count ? vertices[i] : -1;
  for (int i = 0; i < 2 * count; ++i) include(box, frames[i % 2].vertices + 3 * (int64_t)vertices[i / 2]);
}

static int compare_edges(const void *p, const void *q) {
  const uint64_t a = *(const uint64_t *)p, b = *(const uint64_t *)q;
  return (a > b) - (a < b);
}

/* All edges of all faces, once each, as larger << 32 | smaller; returns how many. */
static int64_t collect_edges(const ply *mesh, uint64_t *edges) {
  const int64_t sides = 3 * mesh->face_count;
  for (int64_t i = 0; i < sides; ++i) {
    const int32_t *face = mesh->faces + i / 3 * 3, a = face[i % 3], b = face[(i + 1) % 3];
    edges[i] = (uint64_t)(a > b ? a : b) << 32 | (uint64_t)(a > b ? b : a);
  }
  qsort(edges, (size_t)sides, sizeof *edges, compare_edges);
  int64_t count = 0;
  for (int64_t i = 0; i < sides; ++i)
    if (!count || edges[i] != edges[count - 1]) edges[count++] = edges[i];
  return count;
}

static void make_edges(elements *to, const ply frames[2]) {
  uint64_t *edges = calloc(3 * (size_t)frames->face_count, sizeof *edges);
  *to = new_elements(collect_edges(&frames[0], edges));
  for (int64_t i = 0; i < to->count; ++i)
    put_element(to, i, frames, (int32_t[2]){(int32_t)(edges[i] & INT32_MAX), (int32_t)(edges[i] >> 32)}, 2);
  free(edges);
}

static void make_mesh(moving_mesh *mesh, const ply frames[2]) {
  mesh->vertices = new_elements(frames->vertex_count);
  mesh->faces = new_elements(frames->face_count);
  for (int32_t i = 0; i < frames->vertex_count; ++i) put_element(&mesh->vertices, i, frames, &i, 1);
  for (int64_t i = 0; i < frames->face_count; ++i) put_element(&mesh->faces, i, frames, frames->faces + 3 * i, 3);
  make_edges(&mesh->edges, frames);
}

/* 0, SKIPPED where the data is absent, or 1 where it is not what it should be. */
static int read_mesh(const char *data, const reference *r, moving_mesh *mesh) {
  ply frames[2] = {{0}, {0}};
  char path[4096];
  int result = 0;
  for (int i = 0; i < 2 && !result; ++i) {
    snprintf(path, sizeof path, "%s/ccd/%s/frames/%d.ply", data, r->name, r->frames[i]);
    if (access(path, R_OK)) result = SKIPPED;
    else if (!ply_read(path, &frames[i])) result = 1;
    if (result) printf("ccd_counts: %s %s\n", path, result == SKIPPED ? "IS ABSENT" : "cannot be understood");
  }
  if (!result) make_mesh(mesh, frames);
  ply_free(&frames[0]), ply_free(&frames[1]);
  return result;
}

/* ---------------------------------------------------------------------------------------------------------- methods */

typedef struct counts {
  int64_t vertex_face, edge_edge;
} counts;

static void count_pairs(void *context, const ipg_pair *pairs, int64_t count, int worker) {
  (void)pairs, (void)worker;
  *(int64_t *)context += count;
}

static bool count_with(const char *method, const moving_mesh *mesh, counts *c) {
  ipg_search_config config = ipg_search_defaults();
  ipg_search *search = NULL;
  const ipg_exclusion vertices = {.keys = mesh->vertices.keys}, edges = {.keys = mesh->edges.keys},
                      faces = {.keys = mesh->faces.keys};
  config.method = method;
  *c = (counts){0, 0};
  const bool done = !ipg_search_create(&config, &search, NULL) &&
                    !ipg_search_set_boxes(search, mesh->faces.boxes, mesh->faces.count, &faces, NULL) &&
                    !ipg_search_query(search, mesh->vertices.boxes, mesh->vertices.count, &vertices, count_pairs,
                                      &c->vertex_face, NULL) &&
                    !ipg_search_set_boxes(search, mesh->edges.boxes, mesh->edges.count, &edges, NULL) &&
                    !ipg_search_self(search, count_pairs, &c->edge_edge, NULL);
  ipg_search_destroy(&search);
  return done;
}

/* In a process of its own, which an alarm ends. Returns its wait status; c is filled if that is 0. */
static int count_in_time(const char *method, const moving_mesh *mesh, unsigned seconds, counts *c) {
  int ends[2], status = -1;
  fflush(stdout);
  if (pipe(ends)) return -1;
  const pid_t child = fork();
  if (child == 0) {
    alarm(seconds);
    const bool done = count_with(method, mesh, c) && write(ends[1], c, sizeof *c) == sizeof *c;
    _exit(done ? 0 : 1);
  }
  close(ends[1]);
  const bool heard = child > 0 && read(ends[0], c, sizeof *c) == sizeof *c;
  close(ends[0]);
  if (child > 0) waitpid(child, &status, 0);
  return heard || status ? status : -1;
}

/* Returns whether the method was wrong: being late is no fault, except for the default, which all rely on. */
static bool is_wrong(const char *method, const reference *r, const moving_mesh *mesh, bool is_default) {
  const unsigned seconds = is_default || suite_is_full() ? 60 : 3;
  counts c = {0, 0};
  const int status = count_in_time(method, mesh, seconds, &c);
  if (status > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
    printf("  %-16s TOOK MORE THAN %u s and was ended\n", method, seconds);
    return is_default;
  }
  const bool right = !status && c.vertex_face == r->vertex_face && c.edge_edge == r->edge_edge;
  printf("  %-16s vertex-face %lld, edge-edge %lld: %s\n", method, (long long)c.vertex_face, (long long)c.edge_edge,
         right ? "equal" : "WRONG");
  return !right;
}

static int check_methods(const reference *r, const moving_mesh *mesh) {
  const char *usual = ipg_search_defaults().method;
  int wrong = 0;
  for (const char *const *method = ipg_search_methods(); *method; ++method) {
    const bool is_default = !strcmp(*method, usual);
    if (is_default || !r->large || suite_is_full()) wrong += is_wrong(*method, r, mesh, is_default);
  }
  return wrong;
}

/* 0, 1 or SKIPPED. */
static int check_reference(const char *data, const reference *r) {
  moving_mesh mesh = {0};
  const int unread = read_mesh(data, r, &mesh);
  if (unread) return unread;
  printf("%s: %lld vertices, %lld edges, %lld faces; expected vertex-face %lld, edge-edge %lld\n", r->name,
         (long long)mesh.vertices.count, (long long)mesh.edges.count, (long long)mesh.faces.count,
         (long long)r->vertex_face, (long long)r->edge_edge);
  const bool same = mesh.vertices.count == r->vertices && mesh.edges.count == r->edges && mesh.faces.count == r->faces;
  if (!same) printf("  THE MESH IS ANOTHER ONE\n");
  const int wrong = check_methods(r, &mesh);
  free_mesh(&mesh);
  return !same || wrong;
}

int main(void) {
  const char *data = getenv("IMPINGE_DATA");
  bool skipped = false, failed = false;
  for (int i = 0; i < REFERENCES; ++i) {
    const int result = check_reference(data ? data : ".", &references[i]);
    skipped |= result == SKIPPED, failed |= result == 1;
  }
  if (skipped) printf("ccd_counts: SKIPPED, in part or whole: the reference data is not there (IMPINGE_DATA)\n");
  return failed ? 1 : skipped ? SKIPPED : 0;
}
