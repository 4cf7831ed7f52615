/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Two contact objects see the same places, one step after another in turns, so that a busy moment of the machine meets
 * both; the best run of each counts. Runs follow each other in the same motion. Forces must be the same bits, and once
 * warm nothing may be allocated: else the times mean nothing. */
#include "contact_bench.h"
#include "measure.h"
#include "pile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UP = 40, CONTESTANTS = 2 };

static const char *const phase_names[IPG_PHASE_COUNT] = {"capture", "search", "narrow", "enforce"};

typedef struct step_cost {
  double phase_ms[IPG_PHASE_COUNT], total_ms;
  int64_t searches, reuses;
} step_cost;

typedef struct contact_contestant {
  ipg_contact *contact;
  double skin;
  meter memory;
  int64_t warm_allocations;
  double *force;
  uint64_t checksum; /* of all forces of all steps */
  step_cost now, best;
} contact_contestant;

typedef struct contact_contest {
  const contact_request *request;
  ipg_tasks tasks;
  pile bodies;
  contact_contestant contestants[CONTESTANTS];
  int64_t step;
} contact_contest;

/* ----------------------------------------------------------------------------------------------------------- setup */

static ipg_status enter(contact_contest *c, contact_contestant *one, double skin, ipg_error *error) {
  ipg_contact_config config = ipg_contact_defaults();
  config.search_margin = one->skin = skin;
  config.tasks = c->tasks;
  config.allocator = meter_allocator(&one->memory);
  one->force = malloc(3 * (size_t)c->bodies.surface.node_count * sizeof *one->force);
  if (!one->force) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory: take fewer --faces");
  return ipg_contact_create(&config, &c->bodies.surface, c->bodies.x, &one->contact, error);
}

static ipg_status gather(contact_contest *c, ipg_error *error) {
  const double skin = c->request->skin < 0 ? ipg_contact_defaults().search_margin : c->request->skin;
  ipg_status status = pile_create(&c->bodies, c->request->faces, error);
  if (!status) status = enter(c, &c->contestants[0], skin, error);
  if (!status) status = enter(c, &c->contestants[1], 0, error);
  return status;
}

static void leave(contact_contest *c) {
  for (int i = 0; i < CONTESTANTS; ++i) {
    ipg_contact_destroy(&c->contestants[i].contact);
    free(c->contestants[i].force);
  }
  pile_destroy(&c->bodies);
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

/* What the object has counted since it was created. */
static step_cost account_of(const ipg_contact *contact) {
  const ipg_contact_counters n = ipg_contact_get_counters(contact);
  step_cost account = {.searches = n.searches, .reuses = n.reuses};
  for (int p = 0; p < IPG_PHASE_COUNT; ++p) account.phase_ms[p] = 1e3 * n.seconds[p];
  return account;
}

static void add_difference(step_cost *sum, const step_cost *before, const step_cost *after) {
  for (int p = 0; p < IPG_PHASE_COUNT; ++p) sum->phase_ms[p] += after->phase_ms[p] - before->phase_ms[p];
  sum->searches += after->searches - before->searches;
  sum->reuses += after->reuses - before->reuses;
}

static ipg_status take_step(contact_contest *c, contact_contestant *one, ipg_error *error) {
  const step_cost before = account_of(one->contact);
  const double start = now_ms();
  ipg_status status = ipg_contact_evaluate(one->contact, c->bodies.x, NULL, 1, one->force, error);
  if (!status) status = ipg_contact_accept(one->contact, c->step, error);
  one->now.total_ms += now_ms() - start;
  if (status) return status;
  const step_cost after = account_of(one->contact);
  add_difference(&one->now, &before, &after);
  one->checksum = add_to_checksum(one->checksum, one->force, 3 * c->bodies.surface.node_count);
  return IPG_OK;
}

static ipg_status take_steps(contact_contest *c, int count, ipg_error *error) {
  ipg_status status = IPG_OK;
  for (int i = 0; i < CONTESTANTS; ++i) c->contestants[i].now = (step_cost){0};
  for (int step = 0; !status && step < count; ++step, ++c->step) {
    pile_step(&c->bodies, c->step, c->request->motion);
    for (int i = 0; !status && i < CONTESTANTS; ++i) status = take_step(c, &c->contestants[i], error);
  }
  return status;
}

static ipg_status compete(contact_contest *c, ipg_error *error) {
  ipg_status status = take_steps(c, WARM_UP, error);
  for (int i = 0; i < CONTESTANTS; ++i) c->contestants[i].warm_allocations = c->contestants[i].memory.allocations;
  for (int run = 0; !status && run < c->request->runs; ++run) {
    status = take_steps(c, c->request->steps, error);
    for (int i = 0; i < CONTESTANTS; ++i) {
      contact_contestant *one = &c->contestants[i];
      if (run == 0 || one->now.total_ms < one->best.total_ms) one->best = one->now;
    }
  }
  return status;
}

/* ------------------------------------------------------------------------------------------------------- judgement */

static void print_head(void) {
  fputs("faces\tnodes\tthreads\tskin", stdout);
  for (int p = 0; p < IPG_PHASE_COUNT; ++p) printf("\t%s_ns", phase_names[p]);
  puts("\taccept_ns\ttotal_ns\tsearches\treuses\tcandidates\tcontacts\tallocations\tmemory_mb\tchecksum");
}

/* Times per face and step. */
static void print_contestant(const contact_contest *c, const contact_contestant *one) {
  const ipg_surface *surface = &c->bodies.surface;
  const ipg_contact_counters n = ipg_contact_get_counters(one->contact);
  const double scale = 1e6 / ((double)surface->face_count * c->request->steps);
  double rest = one->best.total_ms;
  printf("%lld\t%lld\t%d\t%g", (long long)surface->face_count, (long long)surface->node_count, c->request->threads,
         one->skin);
  for (int p = 0; p < IPG_PHASE_COUNT; rest -= one->best.phase_ms[p++]) printf("\t%.2f", scale * one->best.phase_ms[p]);
  printf("\t%.2f\t%.2f\t%lld\t%lld\t%lld\t%lld\t%lld\t%.1f\t%016llx\n", scale * rest, scale * one->best.total_ms,
         (long long)one->best.searches, (long long)one->best.reuses, (long long)n.candidates, (long long)n.contacts,
         (long long)(one->memory.allocations - one->warm_allocations), 1e-6 * (double)one->memory.most,
         (unsigned long long)one->checksum);
}

static int judge(const contact_contest *c) {
  const contact_contestant *reusing = &c->contestants[0], *searching = &c->contestants[1];
  print_head();
  for (int i = 0; i < CONTESTANTS; ++i) print_contestant(c, &c->contestants[i]);
  printf("ratio\t%.2f\n", searching->best.total_ms / reusing->best.total_ms);
  if (reusing->checksum == searching->checksum) return 0;
  fputs("impinge-bench: forces with and without reuse differ\n", stderr);
  return 1;
}

int contact_bench(const contact_request *request) {
  ipg_error error = {0};
  ipg_pool *pool = NULL;
  contact_contest c = {.request = request};
  ipg_status status = ipg_pool_create(request->threads, &pool, &error);
  if (!status) {
    c.tasks = ipg_pool_tasks(pool);
    status = gather(&c, &error);
  }
  if (!status) status = compete(&c, &error);
  if (status) fprintf(stderr, "impinge-bench: %s\n", error.message);
  const int code = status ? 1 : judge(&c);
  leave(&c);
  ipg_pool_destroy(&pool);
  return code;
}
