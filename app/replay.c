/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge replay STEP.ipg`: evaluates one recorded contact step again, for reporting and debugging. It prints the
 * contact pairs, the sum of the contact forces, a hash of their bits, on request the audit by brute force, and an
 * explanation why a node is or is not in contact with a face. */
#include "app.h"
#include "args.h"
#include "impinge/contact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "impinge replay";

typedef struct replay {
  const char *path;
  bool audit;
  int node, element, side; /* the pair to explain; node 0: none */
  char *bytes;
  double *force;
  ipg_contact_replay step;
} replay;

static ipg_status project_positions(replay *r, ipg_error *error) {
  const size_t bytes = 3 * (size_t)r->step.node_count * sizeof *r->force;
  ipg_contact_projection done;
  double *x = malloc(bytes + 1);
  if (!x) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for positions");
  memcpy(x, r->step.x, bytes);
  const ipg_status status = ipg_contact_project(r->step.contact, r->step.time, x, r->step.v, r->force, &done, error);
  free(x);
  if (!status) printf("kinematic: %d iterations, remaining penetration %g\n", done.iterations, done.residual);
  return status;
}

static ipg_status evaluate_step(replay *r, ipg_error *error) {
  r->force = malloc(3 * (size_t)r->step.node_count * sizeof *r->force + 1);
  if (!r->force) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for forces");
  if (r->step.enforcement == IPG_ENFORCEMENT_KINEMATIC) return project_positions(r, error);
  return ipg_contact_evaluate(r->step.contact, r->step.time, r->step.x, r->step.v, r->force, error);
}

/* ----------------------------------------------------------------------------------------------------------- print */

/* The same for the same bits of all forces. */
static uint64_t hash_forces(const replay *r) {
  uint64_t hash = 0;
  for (int64_t i = 0; i < 3 * r->step.node_count; ++i) {
    uint64_t bits;
    memcpy(&bits, &r->force[i], sizeof bits);
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

static void print_contact_pairs(const replay *r) {
  int64_t count;
  const ipg_contact_pair *pairs = ipg_contact_pairs(r->step.contact, &count);
  printf("%10s %10s %4s %12s %12s %12s %12s  %s\n", "node", "element", "side", "gap", "normal_force", "friction",
         "stiffness", "activated");
  for (int64_t i = 0; i < count; ++i) {
    const double *f = pairs[i].response.friction;
    printf("%10lld ", (long long)pairs[i].node_gid);
    if (pairs[i].kind == IPG_CONTACT_NODE_WALL) printf("%10s %4d ", "wall", (int)pairs[i].touched + 1);
    else printf("%10lld %4d ", (long long)pairs[i].element, pairs[i].side + 1);
    printf("%12.5g %12.5g %12.5g %12.5g  ", pairs[i].gap, pairs[i].response.normal_force,
           sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]), pairs[i].history.stiffness);
    if (pairs[i].activated) printf("at %.6f of the step\n", pairs[i].time);
    else printf("before the step\n");
  }
}

static void print_sums(const replay *r) {
  const ipg_contact_counters n = ipg_contact_get_counters(r->step.contact);
  double sum[3] = {0}, size = 0;
  for (int64_t i = 0; i < r->step.node_count; ++i)
    for (int k = 0; k < 3; ++k) sum[k] += r->force[3 * i + k], size += fabs(r->force[3 * i + k]);
  printf("nodes %lld, candidate pairs %lld, contacts %lld, of faces with faces %lld, time step %g\n",
         (long long)r->step.node_count, (long long)n.candidates, (long long)n.contacts, (long long)n.face_contacts,
         r->step.time - ipg_contact_get_time(r->step.contact));
  printf("sum of forces       %.3e %.3e %.3e, of magnitudes %.6e\n", sum[0], sum[1], sum[2], size);
  printf("critical time step  %g\n", ipg_contact_stable_step(r->step.contact));
  printf("fingerprint         %016llx\n", (unsigned long long)hash_forces(r));
}

static ipg_status print_audit(const replay *r, ipg_error *error) {
  ipg_contact_audit_report report;
  const ipg_status status = ipg_contact_audit(r->step.contact, &report, error);
  if (status) return status;
  printf("audit               missed %lld, wrong %lld, inside %lld, wrong forces %lld%s%s\n",
         (long long)report.missed_candidates, (long long)report.wrong_contacts, (long long)report.nodes_inside,
         (long long)report.wrong_forces, report.message[0] ? ": " : "", report.message);
  return IPG_OK;
}

static ipg_status print_explanation(const replay *r, ipg_error *error) {
  ipg_contact_explanation e;
  const ipg_contact_face_id at = {r->element, r->side - 1, 0};
  const ipg_status status = ipg_contact_explain(r->step.contact, r->node, at, &e, error);
  if (!status) printf("%s\n", e.sentence);
  return status;
}

/* ---------------------------------------------------------------------------------------------------- the command */

static ipg_status open_recording(replay *r, ipg_error *error) {
  int64_t count = 0;
  ipg_error why = {0};
  ipg_status status = ipg_file_read(r->path, INT64_MAX, &r->bytes, &count, error);
  if (status) return status;
  const ipg_contact_config config = ipg_contact_defaults();
  status = ipg_contact_replay_open(&config, r->bytes, count, &r->step, &why);
  return status ? ipg_fail(error, status, "%s: %.300s", args_tail(r->path), why.message) : IPG_OK;
}

static ipg_status replay_step(replay *r, ipg_error *error) {
  ipg_status status = open_recording(r, error);
  if (!status) status = evaluate_step(r, error);
  if (status) return status;
  print_contact_pairs(r);
  print_sums(r);
  if (r->audit) status = print_audit(r, error);
  return status || !r->node ? status : print_explanation(r, error);
}

int app_replay(int argc, char **argv) {
  replay r = {.side = 1};
  ipg_error error;
  args_word words[] = {{"STEP", "a file written by -contact_record", &r.path}};
  args_option options[] = {
      {"--audit", ARGS_FLAG, &r.audit, NULL, "check the contact search by brute force", false, false},
      {"--node", ARGS_INT, &r.node, "N", "explain why this node is or is not in contact with the face of --element",
       false, false},
      {"--element", ARGS_INT, &r.element, "E", "element of the face, required with --node", false, false},
      {"--side", ARGS_INT, &r.side, "S", "side of this element, 1 to 4, default 1", false, false},
  };
  args_table table = {command,
                      "Evaluates one recorded contact step again, bit for bit, and prints its contact pairs.\n"
                      "Record a step with: impinge run DECK -contact_record N\n"
                      "Exit code: 0 done, 1 failed, 2 wrong command line.",
                      "impinge replay contact_step_120.ipg --audit",
                      words,
                      1,
                      options,
                      sizeof options / sizeof *options};
  const args_outcome outcome = args_parse(&table, argc, argv);
  if (outcome) return outcome == ARGS_HELP ? 0 : (int)outcome;
  if (options[1].given != options[2].given || (options[3].given && !options[1].given))
    return (int)args_complain(command, "--node, --element and --side name a node and a face: give --node and "
                                       "--element together");
  const ipg_status status = replay_step(&r, &error);
  ipg_contact_destroy(&r.step.contact);
  free(r.force), free(r.bytes);
  return status ? app_fail(command, &error) : 0;
}
