/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge replay STEP.ipg`: evaluates one recorded contact step again, for reporting and debugging. It prints what
 * presses on which nodes and blocks, of kinematic enforcement the contact pairs, the sum of the contact forces, a hash
 * of their bits, on request the audit by brute force, and an explanation why a node or a face is or is not in contact
 * with a face. */
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
  int node, element, side; /* the pair to explain; node and other_element 0: none */
  int other_element, other_side;
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
  r->force = calloc(3 * (size_t)r->step.node_count + 1, sizeof *r->force);
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

/* What a projection holds, and at walls. */
static void print_contact_pairs(const replay *r) {
  int64_t count;
  const ipg_contact_pair *pairs = ipg_contact_pairs(r->step.contact, &count);
  printf("%10s %10s %4s %12s  %s\n", "node", "element", "side", "gap", "activated");
  for (int64_t i = 0; i < count; ++i) {
    printf("%10lld ", (long long)pairs[i].node_gid);
    if (pairs[i].kind == IPG_CONTACT_NODE_WALL) printf("%10s %4d ", "wall", (int)pairs[i].touched + 1);
    else printf("%10lld %4d ", (long long)pairs[i].element, pairs[i].side + 1);
    printf("%12.5g  ", pairs[i].gap);
    if (pairs[i].activated) printf("at %.6f of the step\n", pairs[i].time);
    else printf("before the step\n");
  }
}

static double length_of(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static void print_nodes(const replay *r, const ipg_contact_node_result *nodes) {
  static const char *const words[] = {[IPG_STATUS_OPEN] = "open",
                                      [IPG_STATUS_TIED] = "tied",
                                      [IPG_STATUS_STICKING] = "sticking",
                                      [IPG_STATUS_SLIDING] = "sliding"};
  printf("%10s %-9s %12s %12s %12s %12s %12s\n", "node", "status", "gap", "pressure", "normal_force", "tangential",
         "slip");
  for (int64_t i = 0; i < r->step.node_count; ++i) {
    const ipg_contact_node_result *n = &nodes[i];
    if (n->status == IPG_STATUS_OPEN) continue;
    printf("%10lld %-9s %12.5g %12.5g %12.5g %12.5g %12.5g%s\n", (long long)r->step.node_gids[i], words[n->status],
           n->gap, n->pressure, length_of(n->normal_force), length_of(n->tangential_force), n->slip,
           n->at_wall ? "  at a wall" : "");
  }
}

static ipg_status print_blocks(const replay *r, ipg_error *error) {
  const ipg_contact_block_result *blocks;
  int64_t count;
  const ipg_status status = ipg_contact_find_block_results(r->step.contact, &blocks, &count, error);
  if (status) return status;
  for (int64_t i = 0; i < count; ++i) {
    printf("block %d and %s %d: %lld contacts, normal force %.6g, tangential force %.6g, energy %.6g\n",
           blocks[i].blocks[0] + 1, blocks[i].wall < 0 ? "block" : "wall",
           (int)(blocks[i].wall < 0 ? blocks[i].blocks[1] : blocks[i].wall) + 1, (long long)blocks[i].contacts,
           length_of(blocks[i].normal_force), length_of(blocks[i].tangential_force), blocks[i].contact_energy);
  }
  return IPG_OK;
}

static ipg_status print_results(const replay *r, ipg_error *error) {
  ipg_contact_node_result *nodes = malloc((size_t)r->step.node_count * sizeof *nodes + 1);
  ipg_contact_face_result *faces = malloc((size_t)r->step.face_count * sizeof *faces + 1);
  ipg_status status = nodes && faces ? IPG_OK : ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for results");
  if (!status) status = ipg_contact_get_results(r->step.contact, nodes, faces, error);
  if (!status) print_nodes(r, nodes);
  if (!status) status = print_blocks(r, error);
  free(nodes), free(faces);
  return status;
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
  const ipg_contact_face_id at = {r->element, (uint8_t)(r->side - 1), 0},
                            other = {r->other_element, (uint8_t)(r->other_side - 1), 0};
  const ipg_status status = r->node ? ipg_contact_explain(r->step.contact, r->node, at, &e, error)
                                    : ipg_contact_explain_faces(r->step.contact, at, other, &e, error);
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
  if (r->step.enforcement == IPG_ENFORCEMENT_KINEMATIC) print_contact_pairs(r);
  else status = print_results(r, error);
  if (status) return status;
  print_sums(r);
  if (r->audit) status = print_audit(r, error);
  return status || !(r->node || r->other_element) ? status : print_explanation(r, error);
}

/* The last options name a node and a face, or two faces. */
static bool is_question(const args_option options[6]) {
  const bool node = options[1].given, face = options[2].given, side = options[3].given;
  const bool other = options[4].given, other_side = options[5].given;
  if (!face) return !node && !side && !other && !other_side;
  return node != other && (other || !other_side);
}

int app_replay(int argc, char **argv) {
  replay r = {.side = 1, .other_side = 1};
  ipg_error error;
  args_word words[] = {{"STEP", "a file written by -contact_record", &r.path}};
  args_option options[] = {
      {"--audit", ARGS_FLAG, &r.audit, NULL, "check the contact search by brute force", false, false},
      {"--node", ARGS_INT, &r.node, "N", "explain why this node is or is not in contact with the face of --element",
       false, false},
      {"--element", ARGS_INT, &r.element, "E", "element of the face", false, false},
      {"--side", ARGS_INT, &r.side, "S", "side of this element, 1 to 4, default 1", false, false},
      {"--other-element", ARGS_INT, &r.other_element, "E",
       "instead of --node: explain why this element's face and that of --element press on each other, or do not", false,
       false},
      {"--other-side", ARGS_INT, &r.other_side, "S", "side of this element, default 1", false, false},
  };
  args_table table = {command,
                      "Evaluates one recorded contact step again, bit for bit, and prints what presses on which nodes\n"
                      "and blocks; of kinematic enforcement its contact pairs.\n"
                      "Record a step with: impinge run DECK -contact_record N\n"
                      "Exit code: 0 done, 1 failed, 2 wrong command line.",
                      "impinge replay contact_step_120.ipg --audit",
                      words,
                      1,
                      options,
                      sizeof options / sizeof *options};
  const args_outcome outcome = args_parse(&table, argc, argv);
  if (outcome) return outcome == ARGS_HELP ? 0 : (int)outcome;
  if (!is_question(options))
    return (int)args_complain(command, "an explanation is of a node and a face, or of two faces: give --element with "
                                       "either --node or --other-element");
  const ipg_status status = replay_step(&r, &error);
  ipg_contact_destroy(&r.step.contact);
  free(r.force), free(r.bytes);
  return status ? app_fail(command, &error) : 0;
}
