/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Energies and momentum of a run, and how much they change that should not. */
#include "impact.h"

#include <math.h>
#include <string.h>

PetscErrorCode impact_compute_balance(run *r, energy_balance *b) {
  const double *masses = ipg_solid_get_masses(r->solid);
  const PetscScalar *u, *v;
  ipg_contact_energy_balance contact;
  ipg_contact_enforcement enforcement;
  const ipg_contact_pair *pairs;

  PetscFunctionBegin;
  *b = (energy_balance){0};
  PetscCall(VecGetArrayRead(r->u, &u));
  PetscCall(VecGetArrayRead(r->v, &v));
  for (int64_t i = 0; i < r->mesh.node_count; ++i) {
    double speed2 = 0;
    for (int k = 0; k < 3; ++k) {
      b->momentum[k] += masses[i] * v[3 * i + k];
      speed2 += v[3 * i + k] * v[3 * i + k];
    }
    b->kinetic_energy += 0.5 * masses[i] * speed2;
    b->momentum_sum += masses[i] * sqrt(speed2);
  }
  b->strain_energy = ipg_solid_compute_energy(r->solid, u);
  PetscCall(VecRestoreArrayRead(r->v, &v));
  PetscCall(VecRestoreArrayRead(r->u, &u));
  PetscCall(IpgContactGetEnforcement(r->contact, &enforcement));
  if (r->ts && enforcement == IPG_ENFORCEMENT_PENALTY)
    PetscCall(IpgTSGetKineticCorrection(r->ts, &b->kinetic_correction));
  PetscCall(IpgContactGetEnergyBalance(r->contact, &contact));
  PetscCall(IpgContactGetPairs(r->contact, &b->contact_count, &pairs));
  b->contact_energy = contact.contact_energy, b->contact_work = contact.contact_work;
  b->external_work = contact.external_work, b->spring_net_loss = contact.spring_net_loss;
  b->friction_dissipation = contact.friction_dissipation, b->damping_dissipation = contact.damping_dissipation;
  b->kinematic_dissipation = contact.kinematic_dissipation;
  memcpy(b->wall_impulse, contact.wall_impulse, sizeof b->wall_impulse);
  PetscFunctionReturn(0);
}

/* Constant but for numerical errors. */
static double sum_energies(const energy_balance *b) {
  return b->kinetic_energy + b->kinetic_correction + b->strain_energy + b->contact_energy + b->spring_net_loss +
         b->friction_dissipation + b->damping_dissipation + b->kinematic_dissipation - b->external_work;
}

PetscErrorCode impact_update_contact_extremes(run *r) {
  run_extremes *e = &r->extremes;
  ipg_contact_energy_balance contact;
  const ipg_contact_pair *pairs;
  ipg_contact_enforcement enforcement;
  PetscInt count;

  PetscFunctionBegin;
  PetscCall(IpgContactGetEnergyBalance(r->contact, &contact));
  PetscCall(IpgContactGetPairs(r->contact, &count, &pairs));
  PetscCall(IpgContactGetEnforcement(r->contact, &enforcement));
  for (PetscInt i = 0; i < count; ++i) { /* there are no ties, whose gap is no penetration */
    if (enforcement == IPG_ENFORCEMENT_PENALTY && pairs[i].kind == IPG_CONTACT_NODE_FACE)
      continue; /* the balance has the depths of faces */
    e->penetration = fmax(e->penetration, pairs[i].history.initial_penetration - pairs[i].gap);
  }
  e->contact_energy = fmax(e->contact_energy, contact.contact_energy);
  e->spring_net_loss = fmin(e->spring_net_loss, contact.spring_net_loss);
  e->kinematic_dissipation = fmin(e->kinematic_dissipation, contact.kinematic_dissipation);
  PetscFunctionReturn(0);
}

void impact_update_balance_extremes(run *r, PetscReal t, const energy_balance *b) {
  run_extremes *e = &r->extremes;
  const double error = sum_energies(b) - sum_energies(&r->start_balance);
  e->energy = fmax(e->energy, b->kinetic_energy + b->strain_energy + b->contact_energy);
  e->momentum_sum = fmax(e->momentum_sum, b->momentum_sum);
  if (fabs(error) > fabs(e->energy_error)) e->energy_error = error, e->energy_error_time = (double)t;
}

bool impact_has_energy(const run *r) { return r->extremes.energy > r->extremes.rounding; }

double impact_compute_energy_error(const run *r, const energy_balance *b) {
  return impact_has_energy(r) ? (sum_energies(b) - sum_energies(&r->start_balance)) / r->extremes.energy : 0;
}

double impact_compute_momentum_error(const run *r, const energy_balance *b) {
  double change = 0;
  for (int k = 0; k < 3; ++k)
    change = fmax(change, fabs(b->momentum[k] - r->start_balance.momentum[k] - b->wall_impulse[k]));
  return r->extremes.momentum_sum > 0 ? change / r->extremes.momentum_sum : 0;
}

/* ---------------------------------------------------------------------------------------------------------- summary */

static uint64_t hash_values(uint64_t hash, const double *values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

/* Over the edges of all elements: an edge counts once for each element that has it. */
static double compute_mean_edge(const ipg_mesh *mesh) {
  double sum = 0;
  for (int64_t e = 0; e < mesh->element_count; ++e)
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < a; ++b) {
        const double *p = mesh->x + 3 * (int64_t)mesh->tets[4 * e + a],
                     *q = mesh->x + 3 * (int64_t)mesh->tets[4 * e + b];
        sum += sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
      }
  return sum / (6 * (double)mesh->element_count);
}

static void fill_extremes(const run *r, ipg_impact_summary *s) {
  const run_extremes *e = &r->extremes;
  s->largest_energy = impact_has_energy(r) ? e->energy : 0;
  s->largest_energy_error = impact_has_energy(r) ? e->energy_error / e->energy : 0;
  s->largest_energy_error_time = e->energy_error_time;
  s->largest_contact_energy = e->contact_energy;
  s->smallest_spring_net_loss = e->spring_net_loss;
  s->smallest_kinematic_dissipation = e->kinematic_dissipation;
}

static void fill_balance(const run *r, const energy_balance *b, ipg_impact_summary *s) {
  s->energy_error = impact_compute_energy_error(r, b), s->momentum_error = impact_compute_momentum_error(r, b);
  s->kinetic_energy_before = r->start_balance.kinetic_energy, s->kinetic_energy = b->kinetic_energy;
  s->strain_energy = b->strain_energy, s->contact_energy = b->contact_energy;
  s->kinetic_correction = b->kinetic_correction;
  s->spring_net_loss = b->spring_net_loss, s->friction_dissipation = b->friction_dissipation;
  s->damping_dissipation = b->damping_dissipation, s->kinematic_dissipation = b->kinematic_dissipation;
  s->external_work = b->external_work;
  memcpy(s->wall_impulse, b->wall_impulse, sizeof s->wall_impulse);
  memcpy(s->momentum_before, r->start_balance.momentum, sizeof s->momentum_before);
  memcpy(s->momentum_after, b->momentum, sizeof s->momentum_after);
}

static PetscErrorCode fill_fingerprint(const run *r, ipg_impact_summary *s) {
  const PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(r->u, &values));
  s->fingerprint = hash_values(1, values, 3 * r->mesh.node_count);
  PetscCall(VecRestoreArrayRead(r->u, &values));
  PetscCall(VecGetArrayRead(r->v, &values));
  s->fingerprint = hash_values(s->fingerprint, values, 3 * r->mesh.node_count);
  PetscCall(VecRestoreArrayRead(r->v, &values));
  PetscFunctionReturn(0);
}

PetscErrorCode impact_fill_summary(run *r) {
  energy_balance b;
  PetscInt steps, audits;
  PetscReal t;
  ipg_contact_energy_balance contact;
  ipg_contact_counters counters;
  ipg_impact_summary *s = r->summary;

  PetscFunctionBegin;
  PetscCall(impact_compute_balance(r, &b));
  PetscCall(TSGetStepNumber(r->ts, &steps));
  PetscCall(TSGetTime(r->ts, &t));
  PetscCall(IpgContactGetEnergyBalance(r->contact, &contact));
  PetscCall(IpgContactGetCounters(r->contact, &counters));
  PetscCall(IpgContactGetAuditCount(r->contact, &audits));
  *s = (ipg_impact_summary){.steps = steps, .time = t, .activations = contact.activations, .audits = audits};
  s->deepest_penetration = fmax(r->extremes.penetration, -contact.smallest_gap),
  s->residual_penetration = counters.residual, s->passed_nodes = counters.passed;
  s->mean_edge = compute_mean_edge(&r->mesh);
  fill_balance(r, &b, s);
  fill_extremes(r, s);
  PetscCall(fill_fingerprint(r, s));
  PetscFunctionReturn(0);
}
