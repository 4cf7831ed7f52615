/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Central difference as a PETSc time stepper, for hosts that give F(t, u, v, a) = M a - f(t, u, v) with lumped mass.
 *
 * Velocity form, u and v at whole steps:  v += dt/2 a;  u += dt v;  a = f(t + dt, u, v) / m;  v += dt/2 a.
 * f sees the half-step velocity. A contact attached to the TS is asked between u and a, and told when the step stands:
 * by springs it is a part of f; a kinematic one moves u and gives v the same motion over dt, and is no part of f.
 * Invariant: `a` belongs to the state in ts->vec_sol; it is computed anew where a step may have changed that state
 * from outside (the first step, and after an event). */
#include "impl.h"
#include <petsc/private/tsimpl.h>

typedef struct {
  Vec a, inverse_mass, zero, residual;
  Vec u_before, v_before, a_before; /* for rollback */
  Vec contact_force, came;          /* the velocity before the step's forces */
  PetscBool accelerated;
} central_difference;

static PetscErrorCode TSSetUp_ImpingeCD(TS ts) {
  central_difference *cd = ts->data;
  Vec *vectors[] = {&cd->a,        &cd->inverse_mass, &cd->zero,          &cd->residual, &cd->u_before,
                    &cd->v_before, &cd->a_before,     &cd->contact_force, &cd->came};
  TSI2Function function;

  PetscFunctionBegin;
  PetscCall(TSGetI2Function(ts, NULL, &function, NULL));
  PetscCheck(function && ts->vec_dot, PetscObjectComm((PetscObject)ts), PETSC_ERR_ARG_WRONGSTATE,
             "impinge_cd needs TSSetI2Function and TS2SetSolution; this program gives another form");
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(vectors); ++i) PetscCall(VecDuplicate(ts->vec_sol, vectors[i]));
  PetscCall(VecZeroEntries(cd->zero));
  cd->accelerated = PETSC_FALSE;
  PetscFunctionReturn(0);
}

static PetscErrorCode TSReset_ImpingeCD(TS ts) {
  central_difference *cd = ts->data;
  Vec *vectors[] = {&cd->a,        &cd->inverse_mass, &cd->zero,          &cd->residual, &cd->u_before,
                    &cd->v_before, &cd->a_before,     &cd->contact_force, &cd->came};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(vectors); ++i) PetscCall(VecDestroy(vectors[i]));
  cd->accelerated = PETSC_FALSE;
  PetscFunctionReturn(0);
}

static PetscErrorCode TSDestroy_ImpingeCD(TS ts) {
  PetscFunctionBegin;
  PetscCall(TSReset_ImpingeCD(ts));
  PetscCall(PetscFree(ts->data));
  PetscFunctionReturn(0);
}

/* m = F(t, u, v, 1) - F(t, u, v, 0), and its inverse. */
static PetscErrorCode find_mass(TS ts) {
  central_difference *cd = ts->data;
  PetscReal least;
  PetscInt where;

  PetscFunctionBegin;
  PetscCall(VecSet(cd->a, 1));
  PetscCall(TSComputeI2Function(ts, ts->ptime, ts->vec_sol, ts->vec_dot, cd->a, cd->inverse_mass));
  PetscCall(TSComputeI2Function(ts, ts->ptime, ts->vec_sol, ts->vec_dot, cd->zero, cd->residual));
  PetscCall(VecAXPY(cd->inverse_mass, -1, cd->residual));
  PetscCall(VecMin(cd->inverse_mass, &where, &least));
  PetscCheck(least > 0, PetscObjectComm((PetscObject)ts), PETSC_ERR_ARG_OUTOFRANGE,
             "impinge_cd needs a positive lumped mass, but the mass of unknown %" PetscInt_FMT " is %g", where,
             (double)least);
  PetscCall(VecReciprocal(cd->inverse_mass));
  PetscFunctionReturn(0);
}

/* a = (contact force - F(t, u, v, 0)) / m; a kinematic contact is no force in it */
static PetscErrorCode accelerate(TS ts, PetscReal t, PetscReal dt, IpgContact contact) {
  central_difference *cd = ts->data;

  PetscFunctionBegin;
  PetscCall(TSComputeI2Function(ts, t, ts->vec_sol, ts->vec_dot, cd->zero, cd->residual));
  PetscCall(VecScale(cd->residual, -1));
  if (contact && !IpgContactIsKinematic(contact)) {
    PetscCall(VecZeroEntries(cd->contact_force));
    PetscCall(IpgContactComputeForce(contact, dt, ts->vec_sol, ts->vec_dot, cd->contact_force));
    PetscCall(VecAXPY(cd->residual, 1, cd->contact_force));
  }
  PetscCall(VecPointwiseMult(cd->a, cd->inverse_mass, cd->residual));
  PetscFunctionReturn(0);
}

/* A host may have done so before, to hear of overlaps before it begins. */
static PetscErrorCode place(TS ts, IpgContact contact) {
  PetscFunctionBegin;
  if (!contact->resolved) {
    PetscCall(IpgContactSetPositions(contact, ts->vec_sol));
    PetscCall(IpgContactResolveInitialPenetration(contact));
  }
  contact->resolved = PETSC_FALSE;
  PetscFunctionReturn(0);
}

static PetscErrorCode start(TS ts, IpgContact contact) {
  central_difference *cd = ts->data;

  PetscFunctionBegin;
  if (!cd->accelerated) PetscCall(find_mass(ts)); /* once: it must not change in mid-run by rounding */
  if (!cd->accelerated && contact) PetscCall(place(ts, contact));
  PetscCall(accelerate(ts, ts->ptime, ts->time_step, contact));
  cd->accelerated = PETSC_TRUE;
  PetscFunctionReturn(0);
}

static PetscErrorCode keep_for_rollback(TS ts) {
  central_difference *cd = ts->data;

  PetscFunctionBegin;
  PetscCall(VecCopy(ts->vec_sol, cd->u_before));
  PetscCall(VecCopy(ts->vec_dot, cd->v_before));
  PetscCall(VecCopy(cd->a, cd->a_before));
  PetscFunctionReturn(0);
}

/* Moves what is predicted, and gives the velocity the same motion. */
static PetscErrorCode correct(TS ts, IpgContact contact) {
  central_difference *cd = ts->data;
  const PetscReal dt = ts->time_step;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(cd->contact_force));
  PetscCall(IpgContactComputeForce(contact, dt, ts->vec_sol, cd->came, cd->contact_force));
  PetscCall(VecPointwiseMult(cd->contact_force, cd->inverse_mass, cd->contact_force));
  PetscCall(VecAXPY(ts->vec_sol, dt * dt, cd->contact_force));
  PetscCall(VecAXPY(ts->vec_dot, dt, cd->contact_force));
  PetscFunctionReturn(0);
}

static PetscErrorCode move(TS ts, IpgContact contact) {
  central_difference *cd = ts->data;
  const PetscReal dt = ts->time_step;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(cd->came, -dt / 2, cd->a, ts->vec_dot));
  PetscCall(VecAXPY(ts->vec_dot, dt / 2, cd->a));
  PetscCall(VecAXPY(ts->vec_sol, dt, ts->vec_dot));
  if (contact && IpgContactIsKinematic(contact)) PetscCall(correct(ts, contact));
  PetscCall(accelerate(ts, ts->ptime + dt, dt, contact));
  PetscCall(VecAXPY(ts->vec_dot, dt / 2, cd->a));
  PetscFunctionReturn(0);
}

static PetscErrorCode put_back(TS ts) {
  central_difference *cd = ts->data;

  PetscFunctionBegin;
  PetscCall(VecCopy(cd->u_before, ts->vec_sol));
  PetscCall(VecCopy(cd->v_before, ts->vec_dot));
  PetscCall(VecCopy(cd->a_before, cd->a));
  PetscFunctionReturn(0);
}

static PetscErrorCode TSStep_ImpingeCD(TS ts) {
  central_difference *cd = ts->data;
  PetscReal next_step = ts->time_step;
  PetscBool accepted = PETSC_TRUE, inside = PETSC_TRUE;
  IpgContact contact;

  PetscFunctionBegin;
  PetscCall(IpgContactOfTS(ts, &contact));
  if (!cd->accelerated || ts->steprestart) PetscCall(start(ts, contact));
  PetscCall(keep_for_rollback(ts));
  PetscCall(TSPreStage(ts, ts->ptime + ts->time_step));
  PetscCall(move(ts, contact));
  PetscCall(TSPostStage(ts, ts->ptime + ts->time_step, 0, &ts->vec_sol));
  PetscCall(TSAdaptCheckStage(ts->adapt, ts, ts->ptime + ts->time_step, ts->vec_sol, &inside));
  if (inside) PetscCall(TSAdaptChoose(ts->adapt, ts, ts->time_step, NULL, &next_step, &accepted));
  if (!inside || !accepted) {
    PetscCall(put_back(ts));
    ts->reason = TS_DIVERGED_STEP_REJECTED;
    PetscFunctionReturn(0);
  }
  if (contact) PetscCall(IpgContactAccept(contact, ts->steps + 1));
  ts->ptime += ts->time_step;
  ts->time_step = next_step;
  PetscFunctionReturn(0);
}

static PetscErrorCode TSRollBack_ImpingeCD(TS ts) {
  IpgContact contact;

  PetscFunctionBegin;
  PetscCall(put_back(ts));
  PetscCall(IpgContactOfTS(ts, &contact));
  if (contact) PetscCall(IpgContactRevert(contact));
  PetscFunctionReturn(0);
}

/* Backward from the end of the step with the acceleration there: gives u of both ends exactly. */
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
  PetscCall(IpgContactOfTS(ts, &contact));
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
