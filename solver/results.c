/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The output of a run: result steps, status lines, the summary. */
#include "impact.h"

#include <math.h>
#include <petsctime.h>
#include <string.h>

enum { GLOBAL_FIELDS = 14 };

static const char *const nodal_names[IMPACT_NODAL_FIELDS] = {
    "disp_x", "disp_y", "disp_z", "vel_x", "vel_y", "vel_z", "contact_force_x", "contact_force_y", "contact_force_z"};
static const char *const global_names[GLOBAL_FIELDS] = {"kinetic_energy",
                                                        "strain_energy",
                                                        "contact_energy",
                                                        "spring_net_loss",
                                                        "friction_dissipation",
                                                        "damping_dissipation",
                                                        "kinematic_dissipation",
                                                        "contact_work",
                                                        "energy_error",
                                                        "momentum_x",
                                                        "momentum_y",
                                                        "momentum_z",
                                                        "contacts",
                                                        "time_step"};

bool ipg_impact_has_field(const char *name) {
  ipg_name names[IMPACT_NODAL_FIELDS];
  const ipg_contents contents = {.fields[IPG_FIELD_NODAL] = {.count = IMPACT_NODAL_FIELDS, .names = names}};
  for (int f = 0; f < IMPACT_NODAL_FIELDS; ++f) {
    if (!strcmp(nodal_names[f], name)) return true;
    strcpy(names[f], nodal_names[f]);
  }
  return ipg_results_find_vector(&contents, name, (int[3]){0});
}

PetscErrorCode impact_open_results(run *r) {
  ipg_error error = {0};
  const ipg_results_layout layout = {.fields = {[IPG_FIELD_NODAL] = {IMPACT_NODAL_FIELDS, nodal_names, NULL},
                                                [IPG_FIELD_GLOBAL] = {GLOBAL_FIELDS, global_names, NULL}}};

  PetscFunctionBegin;
  for (int f = 0; f < IMPACT_NODAL_FIELDS; ++f) PetscCall(PetscMalloc1(r->mesh.node_count, &r->nodal_fields[f]));
  if (!r->output) PetscFunctionReturn(0);
  PetscCall(impact_record_provenance(r));
  LibraryCall(error, ipg_results_create_output(r->output, &r->mesh, &layout, &r->results, &error));
  PetscFunctionReturn(0);
}

PetscErrorCode impact_print_header(run *r) {
  char title[IMPACT_PATH_BYTES];
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(impact_read_text_option("-title", title, &given));
  if (given) fprintf(r->log, "%s\n", title);
  PetscCall(PetscOptionsHasName(NULL, NULL, "-output_file", &given));
  if (!given) fprintf(r->log, "no results are written: add output.file to the deck\n");
  for (int b = 0; b < r->mesh.block_count; ++b)
    fprintf(r->log, "block %-16s %lld elements\n", r->mesh.blocks[b].name, (long long)r->mesh.blocks[b].count);
  fprintf(r->log, "%8s %11s %10s %8s %11s %11s %11s %8s %8s %8s %6s\n", "cycle", "time", "step", "element", "kinetic",
          "strain", "contact", "d_energy", "d_moment", "contacts", "left_s");
  PetscFunctionReturn(0);
}

/* The contact force on each node at the end of the step. */
static PetscErrorCode sum_contact_forces(run *r) {
  PetscScalar *f;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(r->contact_force));
  PetscCall(VecGetArray(r->contact_force, &f));
  PetscCall(IpgContactAddForces(r->contact, f));
  PetscCall(VecRestoreArray(r->contact_force, &f));
  PetscFunctionReturn(0);
}

static PetscErrorCode fill_nodal_fields(run *r) {
  const Vec vectors[3] = {r->u, r->v, r->contact_force};

  PetscFunctionBegin;
  PetscCall(sum_contact_forces(r));
  for (int f = 0; f < 3; ++f) {
    const PetscScalar *values;
    PetscCall(VecGetArrayRead(vectors[f], &values));
    for (int64_t i = 0; i < r->mesh.node_count; ++i)
      for (int k = 0; k < 3; ++k) r->nodal_fields[3 * f + k][i] = values[3 * i + k];
    PetscCall(VecRestoreArrayRead(vectors[f], &values));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode write_results(run *r, PetscReal t, PetscReal dt, const energy_balance *b) {
  ipg_error error = {0};

  PetscFunctionBegin;
  if (!r->results) PetscFunctionReturn(0);
  const double globals[GLOBAL_FIELDS] = {b->kinetic_energy,
                                         b->strain_energy,
                                         b->contact_energy,
                                         b->spring_net_loss,
                                         b->friction_dissipation,
                                         b->damping_dissipation,
                                         b->kinematic_dissipation,
                                         b->contact_work,
                                         impact_compute_energy_error(r, b),
                                         b->momentum[0],
                                         b->momentum[1],
                                         b->momentum[2],
                                         (double)b->contact_count,
                                         (double)dt};
  const double *const all_globals[1] = {globals};
  const double *const *const values[IPG_FIELD_KIND_COUNT] = {
      [IPG_FIELD_NODAL] = (const double *const *)r->nodal_fields, [IPG_FIELD_GLOBAL] = all_globals};
  PetscCall(fill_nodal_fields(r));
  LibraryCall(error, ipg_results_append(r->results, (double)t, values, &error));
  PetscFunctionReturn(0);
}

static bool is_finite_state(const run *r) {
  bool finite = true;
  for (int f = 0; f < IMPACT_NODAL_FIELDS; ++f)
    for (int64_t i = 0; i < r->mesh.node_count; ++i) finite &= isfinite(r->nodal_fields[f][i]) != 0;
  return finite;
}

/* An inverted element has no strain energy: it is written as NaN, and so is what follows from it. */
PetscErrorCode impact_write_failed_state(run *r, PetscReal t, char file[IMPACT_PATH_BYTES]) {
  PetscBool given;
  PetscReal dt;
  energy_balance b;

  PetscFunctionBegin;
  file[0] = 0;
  if (!r->results || !r->outputs_done) PetscFunctionReturn(0);
  PetscCall(fill_nodal_fields(r));
  if (!is_finite_state(r)) PetscFunctionReturn(0);
  PetscCall(TSGetTimeStep(r->ts, &dt));
  PetscCall(impact_compute_balance(r, &b));
  PetscCall(write_results(r, t, dt, &b));
  PetscCall(impact_read_text_option("-output_file", file, &given));
  PetscFunctionReturn(0);
}

static void print_status(run *r, PetscInt step, PetscReal t, PetscReal dt, const energy_balance *b) {
  char error[16] = "-"; /* if all energy is rounding */
  PetscLogDouble now = 0;
  (void)PetscTime(&now);
  const double seconds_left = t > 0 ? (now - r->start_clock) * (r->end_time - t) / t : 0;
  if (impact_has_energy(r)) snprintf(error, sizeof error, "%.1e", impact_compute_energy_error(r, b));
  fprintf(r->log, "%8lld %11.4e %10.3e %8lld %11.4e %11.4e %11.4e %8s %8.1e %8lld %6.0f\n", (long long)step, (double)t,
          (double)dt, (long long)r->governing_element, b->kinetic_energy, b->strain_energy, b->contact_energy, error,
          impact_compute_momentum_error(r, b), (long long)b->contact_count, seconds_left);
  fflush(r->log);
}

PetscErrorCode impact_monitor_step(TS ts, PetscInt step, PetscReal t, Vec U, void *context) {
  run *r = context;
  energy_balance b;
  PetscReal dt;

  PetscFunctionBegin;
  (void)U;
  PetscCall(impact_update_contact_extremes(r));
  const bool last = t >= r->end_time * (1 - 1e-9);
  if (t < r->outputs_done * r->end_time / r->output_count && !last) PetscFunctionReturn(0);
  if (last && r->outputs_done > r->output_count) PetscFunctionReturn(0); /* written already */
  PetscCall(TSGetTimeStep(ts, &dt));
  PetscCall(impact_compute_balance(r, &b));
  if (!r->outputs_done) r->start_balance = b, r->extremes.rounding = impact_estimate_energy_rounding(r);
  impact_update_balance_extremes(r, t, &b);
  PetscCall(write_results(r, t, dt, &b));
  print_status(r, step, t, dt, &b);
  while (r->outputs_done <= r->output_count && t >= r->outputs_done * r->end_time / r->output_count) r->outputs_done++;
  if (last) r->outputs_done = r->output_count + 1;
  PetscFunctionReturn(0);
}

/* Momentum of the elements of a block, divided by their mass. */
static void compute_mean_velocity(const run *r, const ipg_block *block, const PetscScalar *v, double mean[3]) {
  double volume = 0;
  memset(mean, 0, 3 * sizeof *mean);
  for (int64_t e = block->first; e < block->first + block->count; ++e) {
    const ipg_id *corner = r->mesh.tets + 4 * e;
    const double quarter = 0.25 * ipg_tet_volume(r->mesh.x, corner);
    volume += 4 * quarter;
    for (int a = 0; a < 4; ++a)
      for (int k = 0; k < 3; ++k) mean[k] += quarter * v[3 * (int64_t)corner[a] + k];
  }
  for (int k = 0; k < 3; ++k) mean[k] /= volume;
}

static PetscErrorCode print_block_velocities(const run *r) {
  const PetscScalar *v;
  double mean[3];

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(r->v, &v));
  for (int b = 0; b < r->mesh.block_count; ++b) {
    if (!r->mesh.blocks[b].count) continue;
    compute_mean_velocity(r, &r->mesh.blocks[b], v, mean);
    fprintf(r->log, "mean velocity    %.6e %.6e %.6e  of block %s\n", mean[0], mean[1], mean[2],
            r->mesh.blocks[b].name);
  }
  PetscCall(VecRestoreArrayRead(r->v, &v));
  PetscFunctionReturn(0);
}

static PetscErrorCode print_momentum(const run *r) {
  const ipg_impact_summary *s = r->summary;
  PetscBool has_walls;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-contact_walls", &has_walls));
  fprintf(r->log, "momentum before  %.12e %.12e %.12e\n", s->momentum_before[0], s->momentum_before[1],
          s->momentum_before[2]);
  fprintf(r->log, "momentum after   %.12e %.12e %.12e\n", s->momentum_after[0], s->momentum_after[1],
          s->momentum_after[2]);
  if (has_walls)
    fprintf(r->log, "wall impulse     %.12e %.12e %.12e, external work %.6e\n", s->wall_impulse[0], s->wall_impulse[1],
            s->wall_impulse[2], s->external_work);
  fprintf(r->log, "momentum error   %.1e of the sum of m |v|\n", s->momentum_error);
  PetscFunctionReturn(0);
}

static void print_energy(const run *r) {
  const ipg_impact_summary *s = r->summary;
  fprintf(r->log, "energy           %.6e before; after: kinetic %.6e, strain %.6e, contact %.6e\n",
          s->kinetic_energy_before, s->kinetic_energy, s->strain_energy, s->contact_energy);
  fprintf(r->log, "energy lost      friction %.6e, damping %.6e, kinematic contact %.6e\n", s->friction_dissipation,
          s->damping_dissipation, s->kinematic_dissipation);
  fprintf(r->log, "spring net loss  %.6e (+ lost, - made by contact)\n", s->spring_net_loss);
  if (!impact_has_energy(r)) {
    fprintf(r->log, "energy error     - (all energy is rounding)\n");
    return;
  }
  fprintf(r->log, "energy error     %.1e of the largest energy, at most %.1e at time %g\n", s->energy_error,
          s->largest_energy_error, s->largest_energy_error_time);
  fprintf(r->log, "contact energy   %.6e at most, %.1f %% of the largest energy\n", s->largest_contact_energy,
          100 * s->largest_contact_energy / s->largest_energy);
}

static void print_contact(const run *r) {
  const ipg_impact_summary *s = r->summary;
  fprintf(r->log, "deepest penetration %.6e, %.2g of the mesh's mean edge\n", s->deepest_penetration,
          s->deepest_penetration / s->mean_edge);
  if (!s->activations && !(s->deepest_penetration > 0))
    fprintf(r->log, "no contact in the whole run: if there should be, check positions, velocities and time.end\n");
  if (s->passed_nodes) fprintf(r->log, "nodes that went right through a body: %lld\n", (long long)s->passed_nodes);
  if (s->residual_penetration > 0) fprintf(r->log, "penetration left %.1e at the deepest\n", s->residual_penetration);
  fprintf(r->log, "steps            %lld, audits %lld, contacts activated %lld\n", (long long)s->steps,
          (long long)s->audits, (long long)s->activations);
}

static void warn_of_energy_gain(const run *r, const char *source, double gain, const char *remedy) {
  const double fraction = gain / r->summary->largest_energy;
  if (fraction > 0.01)
    fprintf(r->log, "warning: %s made an energy of %.3g, %.1f %% of the largest energy: %s\n", source, gain,
            100 * fraction, remedy);
}

static void print_energy_warnings(const run *r) {
  const ipg_impact_summary *s = r->summary;
  if (!impact_has_energy(r)) return;
  if (fabs(s->largest_energy_error) > 0.01)
    fprintf(
        r->log,
        "warning: the energy error is above 1 %%, %.1f %% at time %g: do not trust this run; refine the mesh, lower "
        "time.safety or contact.penalty_scale, or remove initial penetration\n",
        100 * s->largest_energy_error, s->largest_energy_error_time);
  warn_of_energy_gain(r, "contact", -s->smallest_spring_net_loss,
                      "remove initial penetration (contact.initial_penetration: remove), lower contact.penalty_scale "
                      "or refine the mesh");
  warn_of_energy_gain(r, "kinematic contact", -s->smallest_kinematic_dissipation,
                      "refine the mesh or lower time.safety");
}

static PetscErrorCode warn_of_missing_recording(const run *r) {
  PetscInt step = 0;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-contact_record", &step, NULL));
  if (step > r->summary->steps)
    fprintf(r->log, "warning: -contact_record %lld wrote nothing: the run has %lld steps\n", (long long)step,
            (long long)r->summary->steps);
  PetscFunctionReturn(0);
}

PetscErrorCode impact_print_summary(run *r) {
  PetscFunctionBegin;
  PetscCall(print_block_velocities(r));
  PetscCall(print_momentum(r));
  print_energy(r);
  print_contact(r);
  print_energy_warnings(r);
  PetscCall(warn_of_missing_recording(r));
  fprintf(r->log, "fingerprint      %016llx\n", (unsigned long long)r->summary->fingerprint);
  PetscFunctionReturn(0);
}
