/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Two frames of published simulations: every method must find exactly the published number of overlapping boxes, each
 * the box of the whole path of a vertex, edge or face from one frame to the next. Pairs that share a vertex are
 * excluded by keys, as in contact.
 *
 * Each method runs in a process of its own with a time limit, so that a method that does not suit the scene is reported
 * and stopped. The large scene is for the default method alone, unless IMPINGE_SIZE=full.
 * The data is outside of the project, in the folder given by IMPINGE_DATA; without it the test is skipped. */
#include "support/moving_mesh.h"
#include "support/suite.h"

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

/* Returns 0, SKIPPED if the data is absent, or 1 if it is invalid. */
static int read_mesh(const char *data, const reference *r, moving_mesh *mesh) {
  char path[4096];
  const char *wrong = moving_mesh_read(data, r->name, r->frames, path, mesh);
  if (wrong) printf("ccd_counts: %s %s\n", path, wrong);
  return !wrong ? 0 : access(path, R_OK) ? SKIPPED : 1;
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

/* Counts in a process of its own, which an alarm stops. Returns its wait status; c is filled if that is 0. */
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
  const bool received = child > 0 && read(ends[0], c, sizeof *c) == sizeof *c;
  close(ends[0]);
  if (child > 0) waitpid(child, &status, 0);
  return received || status ? status : -1;
}

/* True if the counts are wrong. Exceeding the time limit is an error only for the default method. */
static bool is_wrong(const char *method, const reference *r, const moving_mesh *mesh, bool is_default) {
  const unsigned seconds = is_default || suite_is_full() ? 60 : 3;
  counts c = {0, 0};
  const int status = count_in_time(method, mesh, seconds, &c);
  if (status > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
    printf("  %-16s TOOK MORE THAN %u s and was stopped\n", method, seconds);
    return is_default;
  }
  const bool right = !status && c.vertex_face == r->vertex_face && c.edge_edge == r->edge_edge;
  printf("  %-16s vertex-face %lld, edge-edge %lld: %s\n", method, (long long)c.vertex_face, (long long)c.edge_edge,
         right ? "equal" : "WRONG");
  return !right;
}

static int check_methods(const reference *r, const moving_mesh *mesh) {
  const char *default_method = ipg_search_defaults().method;
  int wrong = 0;
  for (const char *const *method = ipg_search_methods(); *method; ++method) {
    const bool is_default = !strcmp(*method, default_method);
    if (is_default || !r->large || suite_is_full()) wrong += is_wrong(*method, r, mesh, is_default);
  }
  return wrong;
}

/* Returns 0, 1 or SKIPPED. */
static int check_reference(const char *data, const reference *r) {
  moving_mesh mesh = {0};
  const int unread = read_mesh(data, r, &mesh);
  if (unread) return unread;
  printf("%s: %lld vertices, %lld edges, %lld faces; expected vertex-face %lld, edge-edge %lld\n", r->name,
         (long long)mesh.vertices.count, (long long)mesh.edges.count, (long long)mesh.faces.count,
         (long long)r->vertex_face, (long long)r->edge_edge);
  const bool same = mesh.vertices.count == r->vertices && mesh.edges.count == r->edges && mesh.faces.count == r->faces;
  if (!same) printf("  THE MESH IS NOT THE PUBLISHED ONE\n");
  const int wrong = check_methods(r, &mesh);
  moving_mesh_free(&mesh);
  return !same || wrong;
}

int main(void) {
  const char *data = getenv("IMPINGE_DATA");
  bool skipped = false, failed = false;
  for (int i = 0; i < REFERENCES; ++i) {
    const int result = check_reference(data ? data : ".", &references[i]);
    skipped |= result == SKIPPED, failed |= result == 1;
  }
  if (skipped) printf("SKIPPED: reference counts, in part or whole: the data was not found (IMPINGE_DATA)\n");
  return failed ? 1 : skipped ? SKIPPED : 0;
}
