/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The contact force is added where the program's own forces are: to the right-hand side, or taken from the residual.
 * The functions are those of the TS's DM, as PETSc calls them, so programs in C, Fortran and Python are alike. */
#include "host.h"
#include <petscdm.h>

/* ------------------------------------------------------------------------------------------------------- the force */

PetscErrorCode IpgHostComputeForce(ipg_host *h, PetscReal t, Vec U, Vec V) {
  const PetscScalar *factors = h->factors;
  double *forces;
  PetscScalar *f;
  PetscInt count;

  PetscFunctionBegin;
  PetscCall(IpgHostGather(h, U, V));
  PetscCall(IpgContactComputeAtSurface(h->contact, t, &forces));
  PetscCall(VecGetLocalSize(h->layout.force, &count));
  PetscCall(VecGetArrayWrite(h->layout.force, &f));
  for (PetscInt i = 0; i < count; ++i) f[i] = factors ? factors[i] * forces[i] : forces[i];
  PetscCall(VecRestoreArrayWrite(h->layout.force, &f));
  PetscFunctionReturn(0);
}

/* To the equations of the velocities, or of a vector of their own. */
static PetscErrorCode add_force(ipg_host *h, PetscReal sign, Vec F) {
  VecScatter scatter = h->layout.velocity ? h->layout.velocity : h->layout.displacement;

  PetscFunctionBegin;
  if (sign < 0) PetscCall(VecScale(h->layout.force, sign));
  PetscCall(VecScatterBegin(scatter, h->layout.force, F, ADD_VALUES, SCATTER_REVERSE));
  PetscCall(VecScatterEnd(scatter, h->layout.force, F, ADD_VALUES, SCATTER_REVERSE));
  PetscFunctionReturn(0);
}

/* Also of the part "momentum", which sees the part "position" only. */
static PetscErrorCode compute_rhs(TS ts, PetscReal t, Vec U, Vec F, void *context) {
  ipg_host *h = context;

  PetscFunctionBegin;
  PetscCall(((TSRHSFunction)h->function.function)(ts, t, U, F, h->function.context));
  PetscCall(IpgHostComputeForce(h, t, U, NULL));
  PetscCall(add_force(h, 1, F));
  PetscFunctionReturn(0);
}

static PetscErrorCode compute_implicit(TS ts, PetscReal t, Vec U, Vec Udot, Vec F, void *context) {
  ipg_host *h = context;

  PetscFunctionBegin;
  PetscCall(((TSIFunction)h->function.function)(ts, t, U, Udot, F, h->function.context));
  PetscCall(IpgHostComputeForce(h, t, U, NULL));
  PetscCall(add_force(h, -1, F));
  PetscFunctionReturn(0);
}

static PetscErrorCode compute_second_order(TS ts, PetscReal t, Vec U, Vec V, Vec A, Vec F, void *context) {
  ipg_host *h = context;

  PetscFunctionBegin;
  PetscCall(((TSI2Function)h->function.function)(ts, t, U, V, A, F, h->function.context));
  PetscCall(IpgHostComputeForce(h, t, U, V));
  PetscCall(add_force(h, -1, F));
  PetscFunctionReturn(0);
}

/* -------------------------------------------------------------------------------------------------- taking the place
 */

static PetscErrorCode get_split_dm(TS ts, DM *dm) {
  TS momentum = NULL;

  PetscFunctionBegin;
  *dm = NULL;
  if (ts->num_rhs_splits) PetscCall(TSRHSSplitGetSubTS(ts, "momentum", &momentum));
  if (momentum) PetscCall(TSGetDM(momentum, dm));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgHostFindKind(ipg_host *h) {
  TS ts = h->ts;
  DM dm, split;
  TSRHSFunction rhs, of_split = NULL;
  TSIFunction implicit;
  TSI2Function second_order;
  PetscBool is_ours;

  PetscFunctionBegin;
  PetscCall(TSGetDM(ts, &dm));
  PetscCall(get_split_dm(ts, &split));
  PetscCall(DMTSGetRHSFunction(dm, &rhs, NULL));
  PetscCall(DMTSGetIFunction(dm, &implicit, NULL));
  PetscCall(DMTSGetI2Function(dm, &second_order, NULL));
  if (split) PetscCall(DMTSGetRHSFunction(split, &of_split, NULL));
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSIMPINGECD, &is_ours));
  h->is_implicit = ts->usessnes;
  if (is_ours) h->kind = HOST_IMPINGE_CD;
  else if (second_order && ts->vec_dot) h->kind = HOST_I2FUNCTION;
  else if (of_split) h->kind = HOST_SPLIT;
  else if (rhs) h->kind = HOST_RHSFUNCTION;
  else if (implicit) h->kind = HOST_IFUNCTION;
  else
    SETERRQ(PetscObjectComm((PetscObject)ts), PETSC_ERR_USER,
            "-contact finds no function to add its force to: the program sets none of TSSetI2Function, "
            "TSSetRHSFunction, TSSetIFunction and TSRHSSplitSetRHSFunction with a part 'momentum'");
  PetscFunctionReturn(0);
}

typedef void (*any_function)(void);

static any_function function_of(host_kind kind) {
  switch (kind) {
  case HOST_I2FUNCTION: return (any_function)compute_second_order;
  case HOST_IFUNCTION: return (any_function)compute_implicit;
  case HOST_RHSFUNCTION:
  case HOST_SPLIT: return (any_function)compute_rhs;
  case HOST_IMPINGE_CD: break;
  }
  return NULL;
}

static PetscErrorCode get_function(host_kind kind, DM dm, host_function *f) {
  DMTS functions;

  PetscFunctionBegin;
  PetscCall(DMGetDMTS(dm, &functions));
  if (kind == HOST_I2FUNCTION) {
    PetscCall(DMTSGetI2Function(dm, (TSI2Function *)&f->function, &f->context));
    f->container = functions->i2functionctxcontainer;
  } else if (kind == HOST_IFUNCTION) {
    PetscCall(DMTSGetIFunction(dm, (TSIFunction *)&f->function, &f->context));
    f->container = functions->ifunctionctxcontainer;
  } else {
    PetscCall(DMTSGetRHSFunction(dm, (TSRHSFunction *)&f->function, &f->context));
    f->container = functions->rhsfunctionctxcontainer;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode set_function(host_kind kind, DM dm, any_function function, void *context) {
  PetscFunctionBegin;
  if (kind == HOST_I2FUNCTION) PetscCall(DMTSSetI2Function(dm, (TSI2Function)function, context));
  else if (kind == HOST_IFUNCTION) PetscCall(DMTSSetIFunction(dm, (TSIFunction)function, context));
  else PetscCall(DMTSSetRHSFunction(dm, (TSRHSFunction)function, context));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgHostWrapFunctions(ipg_host *h) {
  const any_function ours = function_of(h->kind);
  host_function theirs = {0};
  DM dm;

  PetscFunctionBegin;
  if (h->kind == HOST_SPLIT) PetscCall(get_split_dm(h->ts, &dm));
  else PetscCall(TSGetDM(h->ts, &dm));
  if (dm != h->dm) PetscCall(IpgHostUnwrapFunctions(h));
  PetscCall(get_function(h->kind, dm, &theirs));
  if (theirs.function == ours) PetscFunctionReturn(0);
  PetscCall(PetscObjectReference((PetscObject)theirs.container));
  PetscCall(PetscObjectDestroy((PetscObject *)&h->function.container));
  h->function = theirs;
  if (!h->dm) PetscCall(PetscObjectReference((PetscObject)dm));
  h->dm = dm;
  PetscCall(set_function(h->kind, dm, ours, h));
  PetscFunctionReturn(0);
}

/* The DM may outlive the TS: it gets the program's function back. */
PetscErrorCode IpgHostUnwrapFunctions(ipg_host *h) {
  PetscFunctionBegin;
  if (h->function.function) PetscCall(set_function(h->kind, h->dm, h->function.function, h->function.context));
  PetscCall(PetscObjectDestroy((PetscObject *)&h->function.container));
  PetscCall(DMDestroy(&h->dm));
  h->function.function = NULL;
  PetscFunctionReturn(0);
}
