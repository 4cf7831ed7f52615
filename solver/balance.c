/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Energies and momentum: what a run must keep, and what is wrong with it. */
#include "impact.h"

#include <math.h>
#include <string.h>

PetscErrorCode impact_take_balance(run *r, balance *b) {
  const double *masses = ipg_solid_masses(r->solid);
  const PetscScalar *u, *v;
  ipg_contact_energy_balance ledger;
  const ipg_contact_pair *pairs;

  PetscFunctionBegin;
  *b = (balance){0};
  PetscCall(VecGetArrayRead(r->u, &u));
  PetscCall(VecGetArrayRead(r->v, &v));
  for (int64_t i = 0; i < r->mesh.node_count; ++i) {
    double speed2 = 0;
    for (int k = 0; k < 3; ++k) {
      b->momentum[k] += masses[i] * v[3 * i + k];
      speed2 += v[3 * i + k] * v[3 * i + k];
    }
    b->kinetic += 0.5 * masses[i] * speed2;
    b->momentum_scale += masses[i] * sqrt(speed2);
  }
  b->strain = ipg_solid_energy(r->solid, u);
  PetscCall(VecRestoreArrayRead(r->v, &v));
  PetscCall(VecRestoreArrayRead(r->u, &u));
  PetscCall(IpgContactGetEnergyBalance(r->contact, &ledger));
  PetscCall(IpgContactGetPairs(r->contact, &b->contacts, &pairs));
  b->contact = ledger.contact_energy, b->spring_net_loss = ledger.spring_net_loss, b->work = ledger.contact_work;
  b->external_work = ledger.external_work;
  memcpy(b->wall_impulse, ledger.wall_impulse, sizeof b->wall_impulse);
  b->friction = ledger.friction_dissipation, b->damping = ledger.damping_dissipation,
  b->kinematic = ledger.kinematic_dissipation;
  PetscFunctionReturn(0);
}

static double total_energy(const balance *b) {
  return b->kinetic + b->strain + b->contact + b->spring_net_loss + b->friction + b->damping + b->kinematic -
         b->external_work;
}

PetscErrorCode impact_watch_contact(run *r) {
  extremes *most = &r->most;
  ipg_contact_energy_balance ledger;

  PetscFunctionBegin;
  PetscCall(IpgContactGetEnergyBalance(r->contact, &ledger));
  most->contact = fmax(most->contact, ledger.contact_energy);
  most->spring_net_loss = fmin(most->spring_net_loss, ledger.spring_net_loss);
  most->kinematic = fmin(most->kinematic, ledger.kinematic_dissipation);
  PetscFunctionReturn(0);
}

void impact_watch_balance(run *r, PetscReal t, const balance *b) {
  extremes *most = &r->most;
  const double error = total_energy(b) - total_energy(&r->first);
  most->energy = fmax(most->energy, b->kinetic + b->strain + b->contact);
  most->momentum = fmax(most->momentum, b->momentum_scale);
  if (fabs(error) > fabs(most->error)) most->error = error, most->error_time = (double)t;
}

bool impact_has_energy(const run *r) { return r->most.energy > r->most.rounding; }

double impact_energy_error(const run *r, const balance *b) {
  return impact_has_energy(r) ? (total_energy(b) - total_energy(&r->first)) / r->most.energy : 0;
}

double impact_momentum_error(const run *r, const balance *b) {
  double change = 0;
  for (int k = 0; k < 3; ++k) change = fmax(change, fabs(b->momentum[k] - r->first.momentum[k] - b->wall_impulse[k]));
  return r->most.momentum > 0 ? change / r->most.momentum : 0;
}

static uint64_t fingerprint(uint64_t hash, const double *values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

/* Of all edges of all elements, one after another. */
static double mean_edge(const ipg_mesh *mesh) {
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

/* What only the whole run knows. */
static void summarise_extremes(const run *r, ipg_impact_summary *s) {
  const extremes *most = &r->most;
  s->largest_energy = impact_has_energy(r) ? most->energy : 0;
  s->worst_energy_error = impact_has_energy(r) ? most->error / most->energy : 0;
  s->worst_time = most->error_time;
  s->largest_contact = most->contact;
  s->least_released = most->spring_net_loss, s->least_kinematic = most->kinematic;
  s->mean_edge = mean_edge(&r->mesh);
}

PetscErrorCode impact_summarise(run *r) {
  balance b;
  PetscInt steps, audits;
  PetscReal t;
  ipg_contact_energy_balance ledger;
  ipg_contact_counters counters;
  const PetscScalar *values;
  ipg_impact_summary *s = r->summary;

  PetscFunctionBegin;
  PetscCall(impact_take_balance(r, &b));
  PetscCall(TSGetStepNumber(r->ts, &steps));
  PetscCall(TSGetTime(r->ts, &t));
  PetscCall(IpgContactGetEnergyBalance(r->contact, &ledger));
  PetscCall(IpgContactGetCounters(r->contact, &counters));
  PetscCall(IpgContactGetAuditCount(r->contact, &audits));
  *s = (ipg_impact_summary){.steps = steps, .time = t, .activations = ledger.activations, .audits = audits};
  s->energy_error = impact_energy_error(r, &b), s->momentum_error = impact_momentum_error(r, &b);
  s->kinetic_before = r->first.kinetic, s->kinetic_after = b.kinetic;
  s->strain_after = b.strain, s->contact_after = b.contact, s->spring_net_loss = b.spring_net_loss;
  s->friction = b.friction, s->damping = b.damping, s->kinematic = b.kinematic;
  s->residual = counters.residual, s->deepest = fmax(0, -ledger.smallest_gap), s->external_work = ledger.external_work;
  summarise_extremes(r, s);
  memcpy(s->wall_impulse, ledger.wall_impulse, sizeof s->wall_impulse);
  memcpy(s->momentum_before, r->first.momentum, sizeof s->momentum_before);
  memcpy(s->momentum_after, b.momentum, sizeof s->momentum_after);
  PetscCall(VecGetArrayRead(r->u, &values));
  s->fingerprint = fingerprint(1, values, 3 * r->mesh.node_count);
  PetscCall(VecRestoreArrayRead(r->u, &values));
  PetscCall(VecGetArrayRead(r->v, &values));
  s->fingerprint = fingerprint(s->fingerprint, values, 3 * r->mesh.node_count);
  PetscCall(VecRestoreArrayRead(r->v, &values));
  PetscFunctionReturn(0);
}
