/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Central difference as a PETSc time stepper, for host codes that give F(t, u, v, a) = M a - f(t, u, v) with a lumped
 * mass.
 *
 * Velocity form, u and v at whole steps:  v += dt/2 a;  u += dt v;  a = f(t + dt, u, v) / m;  v += dt/2 a.
 * f is evaluated with the half-step velocity. A contact attached to the TS is evaluated between u and a, and accepted
 * when the step is complete. Penalty contact is a part of f. Kinematic contact moves u by some d, adds d / dt to v, and
 * is no part of f.
 * Invariant: `a` belongs to the state in ts->vec_sol. It is computed again where the host code may have changed that
 * state: at the first step and after an event. */
#include "impl.h"
#include <petsc/private/tsimpl.h>

typedef struct {
  Vec a, inverse_mass, zero, residual;
  Vec u_saved, v_saved, a_saved; /* at the start of the step, for rollback */
  Vec contact_force, v_before_forces;
  PetscBool has_acceleration; /* false until the first step */
  PetscReal last_step;        /* its length */
} central_difference;

static PetscErrorCode TSSetUp_ImpingeCD(TS ts) {
  central_difference *cd = ts->data;
  Vec *vectors[] = {&cd->a,       &cd->inverse_mass, &cd->zero,          &cd->residual,       &cd->u_saved,
                    &cd->v_saved, &cd->a_saved,      &cd->contact_force, &cd->v_before_forces};
  TSI2Function function;

  PetscFunctionBegin;
  PetscCall(TSGetI2Function(ts, NULL, &function, NULL));
  PetscCheck(function && ts->vec_dot, PetscObjectComm((PetscObject)ts), PETSC_ERR_ARG_WRONGSTATE,
             "impinge_cd needs a host code that calls TSSetI2Function and TS2SetSolution");
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(vectors); ++i) PetscCall(VecDuplicate(ts->vec_sol, vectors[i]));
  PetscCall(VecZeroEntries(cd->zero));
  cd->has_acceleration = PETSC_FALSE;
  PetscFunctionReturn(0);
}

static PetscErrorCode TSReset_ImpingeCD(TS ts) {
  central_difference *cd = ts->data;
  Vec *vectors[] = {&cd->a,       &cd->inverse_mass, &cd->zero,          &cd->residual,       &cd->u_saved,
                    &cd->v_saved, &cd->a_saved,      &cd->contact_force, &cd->v_before_forces};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(vectors); ++i) PetscCall(VecDestroy(vectors[i]));
  cd->has_acceleration = PETSC_FALSE;
  PetscFunctionReturn(0);
}

static PetscErrorCode TSDestroy_ImpingeCD(TS ts) {
  PetscFunctionBegin;
  PetscCall(TSReset_ImpingeCD(ts));
  PetscCall(PetscFree(ts->data));
  PetscFunctionReturn(0);
}

/* Sets inverse_mass; the mass is m = F(t, u, v, 1) - F(t, u, v, 0). */
static PetscErrorCode compute_inverse_mass(TS ts) {
  central_difference *cd = ts->data;
  PetscReal smallest;
  PetscInt unknown;

  PetscFunctionBegin;
  PetscCall(VecSet(cd->a, 1));
  PetscCall(TSComputeI2Function(ts, ts->ptime, ts->vec_sol, ts->vec_dot, cd->a, cd->inverse_mass));
  PetscCall(TSComputeI2Function(ts, ts->ptime, ts->vec_sol, ts->vec_dot, cd->zero, cd->residual));
  PetscCall(VecAXPY(cd->inverse_mass, -1, cd->residual));
  PetscCall(VecMin(cd->inverse_mass, &unknown, &smallest));
  PetscCheck(smallest > 0, PetscObjectComm((PetscObject)ts), PETSC_ERR_ARG_OUTOFRANGE,
             "impinge_cd needs a positive lumped mass, but the mass of unknown %" PetscInt_FMT " is %g", unknown,
             (double)smallest);
  PetscCall(VecReciprocal(cd->inverse_mass));
  PetscFunctionReturn(0);
}

/* a = (contact force - F(t, u, v, 0)) / m; kinematic contact adds no force. */
static PetscErrorCode compute_acceleration(TS ts, PetscReal t, IpgContact contact) {
  central_difference *cd = ts->data;

  PetscFunctionBegin;
  PetscCall(TSComputeI2Function(ts, t, ts->vec_sol, ts->vec_dot, cd->zero, cd->residual));
  PetscCall(VecScale(cd->residual, -1));
  if (contact && !IpgContactIsKinematic(contact)) {
    PetscCall(VecZeroEntries(cd->contact_force));
    PetscCall(IpgContactComputeForce(contact, t, ts->vec_sol, ts->vec_dot, cd->contact_force));
    PetscCall(VecAXPY(cd->residual, 1, cd->contact_force));
  }
  PetscCall(VecPointwiseMult(cd->a, cd->inverse_mass, cd->residual));
  PetscFunctionReturn(0);
}

/* Unless the host code has called both already, to report initial penetration before its run. */
static PetscErrorCode set_start_positions(TS ts, IpgContact contact) {
  PetscFunctionBegin;
  if (!contact->initial_penetration_resolved) {
    PetscCall(IpgContactSetPositions(contact, ts->ptime, ts->vec_sol));
    PetscCall(IpgContactResolveInitialPenetration(contact));
  }
  contact->initial_penetration_resolved = PETSC_FALSE;
  PetscFunctionReturn(0);
}

static PetscErrorCode compute_start_acceleration(TS ts, IpgContact contact) {
  central_difference *cd = ts->data;

  PetscFunctionBegin;
  if (!cd->has_acceleration) PetscCall(compute_inverse_mass(ts)); /* once: rounding must not change it later */
  if (!cd->has_acceleration && contact) PetscCall(set_start_positions(ts, contact));
  PetscCall(compute_acceleration(ts, ts->ptime, contact));
  cd->has_acceleration = PETSC_TRUE;
  PetscFunctionReturn(0);
}

static PetscErrorCode save_for_rollback(TS ts) {
  central_difference *cd = ts->data;

  PetscFunctionBegin;
  PetscCall(VecCopy(ts->vec_sol, cd->u_saved));
  PetscCall(VecCopy(ts->vec_dot, cd->v_saved));
  PetscCall(VecCopy(cd->a, cd->a_saved));
  cd->last_step = ts->time_step;
  PetscFunctionReturn(0);
}

/* Kinematic contact: moves the predicted positions, and adds the same motion to the velocities. */
static PetscErrorCode project_prediction(TS ts, IpgContact contact) {
  central_difference *cd = ts->data;
  const PetscReal dt = ts->time_step;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(cd->contact_force));
  PetscCall(IpgContactComputeForce(contact, ts->ptime + dt, ts->vec_sol, cd->v_before_forces, cd->contact_force));
  PetscCall(VecPointwiseMult(cd->contact_force, cd->inverse_mass, cd->contact_force));
  PetscCall(VecAXPY(ts->vec_sol, dt * dt, cd->contact_force));
  PetscCall(VecAXPY(ts->vec_dot, dt, cd->contact_force));
  PetscFunctionReturn(0);
}

static PetscErrorCode advance_step(TS ts, IpgContact contact) {
  central_difference *cd = ts->data;
  const PetscReal dt = ts->time_step;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(cd->v_before_forces, -dt / 2, cd->a, ts->vec_dot));
  PetscCall(VecAXPY(ts->vec_dot, dt / 2, cd->a));
  PetscCall(VecAXPY(ts->vec_sol, dt, ts->vec_dot));
  if (contact && IpgContactIsKinematic(contact)) PetscCall(project_prediction(ts, contact));
  PetscCall(compute_acceleration(ts, ts->ptime + dt, contact));
  PetscCall(VecAXPY(ts->vec_dot, dt / 2, cd->a));
  PetscFunctionReturn(0);
}

static PetscErrorCode restore_saved_state(TS ts) {
  central_difference *cd = ts->data;

  PetscFunctionBegin;
  PetscCall(VecCopy(cd->u_saved, ts->vec_sol));
  PetscCall(VecCopy(cd->v_saved, ts->vec_dot));
  PetscCall(VecCopy(cd->a_saved, cd->a));
  PetscFunctionReturn(0);
}

static PetscErrorCode TSStep_ImpingeCD(TS ts) {
  central_difference *cd = ts->data;
  PetscReal next_time_step = ts->time_step;
  PetscBool accepted = PETSC_TRUE, in_domain = PETSC_TRUE;
  IpgContact contact;

  PetscFunctionBegin;
  PetscCall(IpgTSGetContact(ts, &contact));
  if (!cd->has_acceleration || ts->steprestart) PetscCall(compute_start_acceleration(ts, contact));
  PetscCall(save_for_rollback(ts));
  PetscCall(TSPreStage(ts, ts->ptime + ts->time_step));
  PetscCall(advance_step(ts, contact));
  PetscCall(TSPostStage(ts, ts->ptime + ts->time_step, 0, &ts->vec_sol));
  PetscCall(TSAdaptCheckStage(ts->adapt, ts, ts->ptime + ts->time_step, ts->vec_sol, &in_domain));
  if (in_domain) PetscCall(TSAdaptChoose(ts->adapt, ts, ts->time_step, NULL, &next_time_step, &accepted));
  if (!in_domain || !accepted) {
    PetscCall(restore_saved_state(ts));
    ts->reason = TS_DIVERGED_STEP_REJECTED;
    PetscFunctionReturn(0);
  }
  if (contact) PetscCall(IpgContactAccept(contact, ts->steps + 1));
  ts->ptime += ts->time_step;
  ts->time_step = next_time_step;
  PetscFunctionReturn(0);
}

static PetscErrorCode TSRollBack_ImpingeCD(TS ts) {
  IpgContact contact;

  PetscFunctionBegin;
  PetscCall(restore_saved_state(ts));
  PetscCall(IpgTSGetContact(ts, &contact));
  if (contact) PetscCall(IpgContactRevert(contact));
  PetscFunctionReturn(0);
}

/* From the end of the step backward with the acceleration there, which gives u at both ends of the step exactly. */
static PetscErrorCode TSInterpolate_ImpingeCD(TS ts, PetscReal t, Vec U) {
  central_difference *cd = ts->data;
  const PetscReal back = t - ts->ptime;

  PetscFunctionBegin;
  PetscCall(VecCopy(ts->vec_sol, U));
  PetscCall(VecAXPY(U, back, ts->vec_dot));
  PetscCall(VecAXPY(U, back * back / 2, cd->a));
  PetscFunctionReturn(0);
}

static PetscErrorCode TSView_ImpingeCD(TS ts, PetscViewer viewer) {
  IpgContact contact;
  PetscBool ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  PetscCall(IpgTSGetContact(ts, &contact));
  if (ascii)
    PetscCall(
        PetscViewerASCIIPrintf(viewer, "  central difference, %s\n", contact ? "with contact" : "no contact attached"));
  PetscFunctionReturn(0);
}

PetscErrorCode TSCreate_ImpingeCD(TS ts) {
  central_difference *cd;

  PetscFunctionBegin;
  PetscCall(PetscNew(&cd));
  ts->data = cd;
  ts->ops->setup = TSSetUp_ImpingeCD;
  ts->ops->step = TSStep_ImpingeCD;
  ts->ops->reset = TSReset_ImpingeCD;
  ts->ops->destroy = TSDestroy_ImpingeCD;
  ts->ops->rollback = TSRollBack_ImpingeCD;
  ts->ops->interpolate = TSInterpolate_ImpingeCD;
  ts->ops->view = TSView_ImpingeCD;
  ts->default_adapt_type = TSADAPTNONE;
  ts->usessnes = PETSC_FALSE;
  PetscFunctionReturn(0);
}

/* Velocity Verlet with step dt keeps, to fourth order, H + dt^2 / 12 v . V'' v - dt^2 / 24 a . m a, not the energy H of
 * positions and velocities. V'' v is -m times the change of the acceleration, taken over the last step. */
PetscErrorCode IpgTSGetKineticCorrection(TS ts, PetscReal *correction) {
  const central_difference *cd = ts->data;
  const PetscScalar *a, *before, *v, *inverse;
  PetscReal sum = 0;
  PetscInt count;
  PetscBool match;

  PetscFunctionBegin;
  *correction = 0;
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSIMPINGECD, &match));
  if (!match || !cd->has_acceleration || ts->steps == 0) PetscFunctionReturn(0);
  const PetscReal dt = cd->last_step;
  PetscCall(VecGetLocalSize(cd->a, &count));
  PetscCall(VecGetArrayRead(cd->a, &a));
  PetscCall(VecGetArrayRead(cd->a_saved, &before));
  PetscCall(VecGetArrayRead(cd->inverse_mass, &inverse));
  PetscCall(VecGetArrayRead(ts->vec_dot, &v));
  for (PetscInt i = 0; i < count; ++i) {
    const PetscReal x = PetscRealPart(a[i]), middle = PetscRealPart(v[i]) - dt / 2 * x;
    sum -= (dt * dt / 24 * x * x + dt / 12 * middle * (x - PetscRealPart(before[i]))) / PetscRealPart(inverse[i]);
  }
  PetscCall(VecRestoreArrayRead(ts->vec_dot, &v));
  PetscCall(VecRestoreArrayRead(cd->inverse_mass, &inverse));
  PetscCall(VecRestoreArrayRead(cd->a_saved, &before));
  PetscCall(VecRestoreArrayRead(cd->a, &a));
  PetscCall(MPIU_Allreduce(&sum, correction, 1, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)ts)));
  PetscFunctionReturn(0);
}
