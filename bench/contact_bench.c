/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Two contact objects evaluate the same positions step by step in turns, so that other load on the machine affects
 * both; the best run of each is printed. Runs continue the same motion. The times are valid only if the forces are the
 * same bits and nothing is allocated after the warm-up; both are printed. */
#include "contact_bench.h"
#include "measure.h"
#include "pile_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UP = 40, ENTRANTS = 2 };

static const char *const phase_names[IPG_PHASE_COUNT] = {"swept_boxes", "search", "detect", "enforce"};

typedef struct step_cost {
  double phase_ms[IPG_PHASE_COUNT], total_ms;
  int64_t searches, reuses;
} step_cost;

typedef struct contact_entrant {
  ipg_contact *contact;
  double search_margin;
  memory_meter memory;
  int64_t warm_allocations;
  double *force;
  uint64_t checksum; /* of all forces of all steps */
  step_cost now, best;
} contact_entrant;

typedef struct contact_comparison {
  const contact_request *request;
  ipg_tasks tasks;
  pile_scene bodies;
  contact_entrant entrants[ENTRANTS];
  int64_t step;
} contact_comparison;

/* ----------------------------------------------------------------------------------------------------------- setup */

static ipg_status create_entrant(contact_comparison *c, contact_entrant *one, double search_margin, ipg_error *error) {
  ipg_contact_config config = ipg_contact_defaults();
  config.search_margin = one->search_margin = search_margin;
  config.tasks = c->tasks;
  config.reference_step = 1;
  config.allocator = memory_meter_allocator(&one->memory);
  one->force = malloc(3 * (size_t)c->bodies.surface.node_count * sizeof *one->force);
  if (!one->force) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory: give fewer --faces");
  return ipg_contact_create(&config, &c->bodies.surface, c->bodies.x, &one->contact, error);
}

static ipg_status create_comparison(contact_comparison *c, ipg_error *error) {
  const double margin =
      c->request->search_margin < 0 ? ipg_contact_defaults().search_margin : c->request->search_margin;
  ipg_status status = pile_scene_create(&c->bodies, c->request->faces, error);
  if (!status) status = create_entrant(c, &c->entrants[0], margin, error);
  if (!status) status = create_entrant(c, &c->entrants[1], 0, error);
  return status;
}

static void destroy_comparison(contact_comparison *c) {
  for (int i = 0; i < ENTRANTS; ++i) {
    ipg_contact_destroy(&c->entrants[i].contact);
    free(c->entrants[i].force);
  }
  pile_scene_destroy(&c->bodies);
}

/* ----------------------------------------------------------------------------------------------------------- steps */

static uint64_t add_to_checksum(uint64_t sum, const double *values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    sum = (sum ^ bits) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 29;
  }
  return sum;
}

/* Times and counts of the contact object since its creation. */
static step_cost read_costs(const ipg_contact *contact) {
  const ipg_contact_counters n = ipg_contact_get_counters(contact);
  step_cost cost = {.searches = n.searches, .reuses = n.reuses};
  for (int p = 0; p < IPG_PHASE_COUNT; ++p) cost.phase_ms[p] = 1e3 * n.seconds[p];
  return cost;
}

static void add_difference(step_cost *sum, const step_cost *before, const step_cost *after) {
  for (int p = 0; p < IPG_PHASE_COUNT; ++p) sum->phase_ms[p] += after->phase_ms[p] - before->phase_ms[p];
  sum->searches += after->searches - before->searches;
  sum->reuses += after->reuses - before->reuses;
}

static ipg_status measure_step(contact_comparison *c, contact_entrant *one, ipg_error *error) {
  const step_cost before = read_costs(one->contact);
  const double start = now_ms();
  ipg_status status = ipg_contact_evaluate(one->contact, (double)c->step, c->bodies.x, NULL, one->force, error);
  if (!status) status = ipg_contact_accept(one->contact, c->step, error);
  one->now.total_ms += now_ms() - start;
  if (status) return status;
  const step_cost after = read_costs(one->contact);
  add_difference(&one->now, &before, &after);
  one->checksum = add_to_checksum(one->checksum, one->force, 3 * c->bodies.surface.node_count);
  return IPG_OK;
}

static ipg_status measure_steps(contact_comparison *c, int count, ipg_error *error) {
  ipg_status status = IPG_OK;
  for (int i = 0; i < ENTRANTS; ++i) c->entrants[i].now = (step_cost){0};
  for (int step = 0; !status && step < count; ++step, ++c->step) {
    pile_scene_move(&c->bodies, c->step, c->request->motion);
    for (int i = 0; !status && i < ENTRANTS; ++i) status = measure_step(c, &c->entrants[i], error);
  }
  return status;
}

static ipg_status run_comparison(contact_comparison *c, ipg_error *error) {
  ipg_status status = measure_steps(c, WARM_UP, error);
  for (int i = 0; i < ENTRANTS; ++i) c->entrants[i].warm_allocations = c->entrants[i].memory.allocations;
  for (int run = 0; !status && run < c->request->runs; ++run) {
    status = measure_steps(c, c->request->steps, error);
    for (int i = 0; i < ENTRANTS; ++i) {
      contact_entrant *one = &c->entrants[i];
      if (run == 0 || one->now.total_ms < one->best.total_ms) one->best = one->now;
    }
  }
  return status;
}

/* --------------------------------------------------------------------------------------------------------- results */

static void print_columns(void) {
  fputs("faces\tnodes\tthreads\tsearch_margin", stdout);
  for (int p = 0; p < IPG_PHASE_COUNT; ++p) printf("\t%s_ns", phase_names[p]);
  puts("\taccept_ns\ttotal_ns\tsearches\treuses\tcandidates\tcontacts\tallocations\tmemory_mb\tchecksum");
}

/* Times per face and step. */
static void print_entrant(const contact_comparison *c, const contact_entrant *one) {
  const ipg_surface *surface = &c->bodies.surface;
  const ipg_contact_counters n = ipg_contact_get_counters(one->contact);
  const double scale = 1e6 / ((double)surface->face_count * c->request->steps);
  double accept_ms = one->best.total_ms;
  printf("%lld\t%lld\t%d\t%g", (long long)surface->face_count, (long long)surface->node_count, c->request->threads,
         one->search_margin);
  for (int p = 0; p < IPG_PHASE_COUNT; accept_ms -= one->best.phase_ms[p++])
    printf("\t%.2f", scale * one->best.phase_ms[p]);
  printf("\t%.2f\t%.2f\t%lld\t%lld\t%lld\t%lld\t%lld\t%.1f\t%016llx\n", scale * accept_ms, scale * one->best.total_ms,
         (long long)one->best.searches, (long long)one->best.reuses, (long long)n.candidates, (long long)n.contacts,
         (long long)(one->memory.allocations - one->warm_allocations), 1e-6 * (double)one->memory.peak,
         (unsigned long long)one->checksum);
}

/* Returns the exit code. */
static int print_results(const contact_comparison *c) {
  const contact_entrant *reusing = &c->entrants[0], *searching = &c->entrants[1];
  print_columns();
  for (int i = 0; i < ENTRANTS; ++i) print_entrant(c, &c->entrants[i]);
  printf("ratio\t%.2f\n", searching->best.total_ms / reusing->best.total_ms);
  if (reusing->checksum == searching->checksum) return 0;
  fputs("impinge-bench: forces with and without reuse differ\n", stderr);
  return 1;
}

int contact_bench(const contact_request *request) {
  ipg_error error = {0};
  ipg_pool *pool = NULL;
  contact_comparison c = {.request = request};
  ipg_status status = ipg_pool_create(request->threads, &pool, &error);
  if (!status) {
    c.tasks = ipg_pool_tasks(pool);
    status = create_comparison(&c, &error);
  }
  if (!status) status = run_comparison(&c, &error);
  if (status) fprintf(stderr, "impinge-bench: %s\n", error.message);
  const int code = status ? 1 : print_results(&c);
  destroy_comparison(&c);
  ipg_pool_destroy(&pool);
  return code;
}
