/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The contact force is added where the program's own forces are: to the right-hand side, or taken from the residual.
 * The functions are those of the TS's DM, as PETSc calls them, so programs in C, Fortran and Python are alike. */
#include "host.h"
#include <petscdm.h>

/* ------------------------------------------------------------------------------------------------------- the force */

/* A trial state may be nothing at all: the time stepper hears of it by what is added, and tries a shorter step. */
static PetscErrorCode compute_at_surface(ipg_host *h, PetscReal t, double **forces) {
  const PetscReal accepted = ipg_contact_get_time(h->contact->contact);

  PetscFunctionBegin;
  *forces = NULL;
  if (!IpgContactHasFiniteSurface(h->contact)) PetscFunctionReturn(0);
  /* some methods look back; what has a history is that of the last accepted step anyhow */
  PetscCall(IpgContactComputeAtSurface(h->contact, PetscMax(t + h->time_shift, accepted), forces));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgHostComputeForce(ipg_host *h, PetscReal t, Vec U, Vec V) {
  double *forces;
  PetscScalar *f;
  PetscInt count;

  PetscFunctionBegin;
  PetscCall(IpgHostGather(h, U, V));
  PetscCall(compute_at_surface(h, t, &forces));
  PetscCall(VecGetLocalSize(h->layout.force, &count));
  PetscCall(VecGetArrayWrite(h->layout.force, &f));
  for (PetscInt i = 0; i < count; ++i) f[i] = forces ? h->factors[i] * forces[i] : (PetscScalar)NAN;
  PetscCall(VecRestoreArrayWrite(h->layout.force, &f));
  PetscFunctionReturn(0);
}

/* To the equations of the velocities, or of a vector of their own. */
static PetscErrorCode add_force(ipg_host *h, PetscReal sign, PetscReal t, Vec U, Vec V, Vec F) {
  VecScatter scatter = h->layout.velocity ? h->layout.velocity : h->layout.displacement;

  PetscFunctionBegin;
  h->calls++;
  PetscCall(IpgHostComputeForce(h, t, U, V));
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
  PetscCall(add_force(h, 1, t, U, NULL, F));
  PetscFunctionReturn(0);
}

static PetscErrorCode compute_implicit(TS ts, PetscReal t, Vec U, Vec Udot, Vec F, void *context) {
  ipg_host *h = context;

  PetscFunctionBegin;
  PetscCall(((TSIFunction)h->function.function)(ts, t, U, Udot, F, h->function.context));
  PetscCall(add_force(h, -1, t, U, NULL, F));
  PetscFunctionReturn(0);
}

static PetscErrorCode compute_second_order(TS ts, PetscReal t, Vec U, Vec V, Vec A, Vec F, void *context) {
  ipg_host *h = context;

  PetscFunctionBegin;
  PetscCall(((TSI2Function)h->function.function)(ts, t, U, V, A, F, h->function.context));
  PetscCall(add_force(h, -1, t, U, V, F));
  PetscFunctionReturn(0);
}

/* ---------------------------------------------------------------------------------------------- the program's function
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
  PetscBool is_ours, is_symplectic;

  PetscFunctionBegin;
  PetscCall(TSGetDM(ts, &dm));
  PetscCall(get_split_dm(ts, &split));
  PetscCall(DMTSGetRHSFunction(dm, &rhs, NULL));
  PetscCall(DMTSGetIFunction(dm, &implicit, NULL));
  PetscCall(DMTSGetI2Function(dm, &second_order, NULL));
  if (split) PetscCall(DMTSGetRHSFunction(split, &of_split, NULL));
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSIMPINGECD, &is_ours));
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSBASICSYMPLECTIC, &is_symplectic));
  h->is_implicit = ts->usessnes;
  if (is_ours) h->kind = HOST_IMPINGE_CD;
  else if (second_order && ts->vec_dot) h->kind = HOST_I2FUNCTION;
  else if (of_split && is_symplectic) h->kind = HOST_SPLIT;
  else if (rhs) h->kind = HOST_RHSFUNCTION;
  else if (implicit) h->kind = HOST_IFUNCTION;
  else
    SETERRQ(PetscObjectComm((PetscObject)ts), PETSC_ERR_USER,
            "-contact finds no function to add its force to: the program sets none of TSSetI2Function, "
            "TSSetRHSFunction and TSSetIFunction, nor, for basicsymplectic, TSRHSSplitSetRHSFunction with a part "
            "'momentum'");
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
    f->function = (any_function)functions->ops->i2function;
    f->container = functions->i2functionctxcontainer;
  } else if (kind == HOST_IFUNCTION) {
    f->function = (any_function)functions->ops->ifunction;
    f->container = functions->ifunctionctxcontainer;
  } else {
    f->function = (any_function)functions->ops->rhsfunction;
    f->container = functions->rhsfunctionctxcontainer;
  }
  f->context = NULL;
  if (f->container) PetscCall(PetscContainerGetPointer(f->container, &f->context));
  PetscFunctionReturn(0);
}

/* As the DM keeps them: DMTSSetRHSFunction and its like take no container, and keep an old context where none is given.
 */
static PetscErrorCode set_function(host_kind kind, DM dm, const host_function *f) {
  const char *name;
  DMTS functions;

  PetscFunctionBegin;
  PetscCall(DMGetDMTSWrite(dm, &functions));
  if (kind == HOST_I2FUNCTION) {
    functions->ops->i2function = (TSI2Function)f->function;
    functions->i2functionctxcontainer = f->container;
    name = "i2function ctx";
  } else if (kind == HOST_IFUNCTION) {
    functions->ops->ifunction = (TSIFunction)f->function;
    functions->ifunctionctxcontainer = f->container;
    name = "ifunction ctx";
  } else {
    functions->ops->rhsfunction = (TSRHSFunction)f->function;
    functions->rhsfunctionctxcontainer = f->container;
    name = "rhs function ctx";
  }
  PetscCall(PetscObjectCompose((PetscObject)functions, name, (PetscObject)f->container));
  PetscFunctionReturn(0);
}

static PetscErrorCode get_dm(ipg_host *h, DM *dm) {
  PetscFunctionBegin;
  if (h->kind == HOST_SPLIT) PetscCall(get_split_dm(h->ts, dm));
  else PetscCall(TSGetDM(h->ts, dm));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgHostReplaceFunction(ipg_host *h) {
  host_function theirs = {0}, ours = {.function = function_of(h->kind), .context = h};
  DM dm;

  PetscFunctionBegin;
  PetscCall(get_dm(h, &dm));
  PetscCall(get_function(h->kind, dm, &theirs));
  PetscCheck(theirs.function != ours.function, PetscObjectComm((PetscObject)h->ts), PETSC_ERR_SUP,
             "contact's function is there already: two time steppers step at once with one DM");
  PetscCall(PetscContainerCreate(PetscObjectComm((PetscObject)h->ts), &ours.container));
  PetscCall(PetscContainerSetPointer(ours.container, h));
  PetscCall(PetscObjectReference((PetscObject)theirs.container));
  PetscCall(PetscObjectReference((PetscObject)dm));
  h->function = theirs, h->dm = dm;
  PetscCall(set_function(h->kind, dm, &ours));
  PetscCall(PetscContainerDestroy(&ours.container));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgHostRestoreFunction(ipg_host *h) {
  PetscFunctionBegin;
  PetscCall(set_function(h->kind, h->dm, &h->function));
  PetscCall(PetscObjectDestroy((PetscObject *)&h->function.container));
  PetscCall(DMDestroy(&h->dm));
  PetscFunctionReturn(0);
}
