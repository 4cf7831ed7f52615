/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A host's steps. Contact is set up before the first one, when vectors, functions and step are as the program wants
 * them, whatever the order of its calls. Each accepted step is evaluated once more where it ended, for the last
 * evaluation of a method need not be there, and then accepted. */
#include "host.h"

#include <string.h>

static const char host_name[] = "IpgHost";

static PetscBool has_run;

PetscBool IpgHostHasRun(void) { return has_run; }

static PetscErrorCode get_host(TS ts, ipg_host **host) {
  PetscContainer container;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)ts, host_name, (PetscObject *)&container));
  PetscCheck(container, PetscObjectComm((PetscObject)ts), PETSC_ERR_PLIB, "the time stepper has lost its contact");
  PetscCall(PetscContainerGetPointer(container, (void **)host));
  PetscFunctionReturn(0);
}

/* The TS is being destroyed. */
static PetscErrorCode destroy_host(IpgContextArgument context) {
  ipg_host *h = IpgContextOf(context);

  PetscFunctionBegin;
  if (h->is_ready) PetscCall(PetscObjectViewFromOptions((PetscObject)h->contact, NULL, "-contact_view"));
  PetscCall(IpgHostUnwrapFunctions(h));
  PetscCall(IpgHostDestroyLayout(h));
  PetscCall(IpgContactDestroy(&h->contact));
  PetscCall(PetscFree(h->masses));
  PetscCall(PetscFree(h->factors));
  ipg_mesh_destroy(&h->mesh);
  PetscCall(PetscFree(h));
  PetscFunctionReturn(0);
}

/* ------------------------------------------------------------------------------------------------------------ set-up
 */

static PetscErrorCode read_mesh(ipg_host *h) {
  const MPI_Comm comm = PetscObjectComm((PetscObject)h->ts);
  const ipg_exodus_options options = {.leave_out_others = true};
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscCheck(
      h->options.has_mesh, comm, PETSC_ERR_USER,
      "-contact needs to know the bodies: give an Exodus II file with their tetrahedra as -contact_mesh FILE.exo");
  IpgCall(comm, error, ipg_exodus_read(h->options.mesh, &options, &h->contact->config.allocator, &h->mesh, &error));
  PetscFunctionReturn(0);
}

/* Where no modulus is known, the stiffness follows from masses and the first step. */
static PetscErrorCode choose_stiffness(ipg_host *h) {
  PetscFunctionBegin;
  if (h->contact->moduli || h->contact->config.reference_step > 0) PetscFunctionReturn(0);
  PetscCall(IpgContactSetReferenceStep(h->contact, h->ts->time_step));
  PetscCall(PetscFPrintf(PetscObjectComm((PetscObject)h->ts), h->contact->log,
                         "contact: its stiffness follows from the masses and the first step, %g: give that of the "
                         "material as -contact_moduli, one bulk modulus for each block\n",
                         (double)h->ts->time_step));
  PetscFunctionReturn(0);
}

/* Contact begins where the program is now. */
static PetscErrorCode start_contact(ipg_host *h) {
  Vec U;

  PetscFunctionBegin;
  PetscCall(IpgHostGetState(h, &U));
  PetscCall(IpgHostGather(h, U, h->kind == HOST_I2FUNCTION ? h->ts->vec_dot : NULL));
  PetscCall(IpgHostRestoreState(h, &U));
  PetscCall(IpgContactStartAtSurface(h->contact, h->ts->ptime));
  PetscCall(IpgContactResolveInitialPenetration(h->contact));
  PetscFunctionReturn(0);
}

/* All options of contact have been read, but for -contact_view. */
static PetscErrorCode refuse_unknown_options(ipg_host *h) {
  PetscOptions options = ((PetscObject)h->ts)->options;
  const char *prefix = ((PetscObject)h->ts)->prefix ? ((PetscObject)h->ts)->prefix : "";
  char begin[128], unknown[128] = "", **names, **values;
  PetscInt count;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(begin, sizeof begin, "%scontact_", prefix));
  PetscCall(PetscOptionsLeftGet(options, &count, &names, &values));
  for (PetscInt i = 0; i < count; ++i)
    if (!strncmp(names[i], begin, strlen(begin)) && strcmp(names[i] + strlen(begin), "view"))
      PetscCall(PetscStrncpy(unknown, names[i], sizeof unknown));
  PetscCall(PetscOptionsLeftRestore(options, &count, &names, &values));
  PetscCheck(!*unknown, PetscObjectComm((PetscObject)h->ts), PETSC_ERR_USER,
             "-%s is no option of contact, or none that this program can use: -help lists them all", unknown);
  PetscFunctionReturn(0);
}

/* Laws that need velocities, where the program gives none. */
static PetscErrorCode check_velocities(ipg_host *h) {
  const MPI_Comm comm = PetscObjectComm((PetscObject)h->ts);
  const ipg_contact_law *law = &h->contact->config.law;

  PetscFunctionBegin;
  if (h->kind != HOST_SPLIT) PetscFunctionReturn(0);
  PetscCheck(!(law->friction_static > 0 || law->damping > 0), comm, PETSC_ERR_SUP,
             "this program computes forces from positions alone, so contact knows no velocities: leave out "
             "-contact_friction_static, -contact_friction_dynamic and -contact_damping, or choose another -ts_type");
  PetscCall(PetscFPrintf(comm, h->contact->log,
                         "contact: forces follow from positions alone, without friction and damping\n"));
  PetscFunctionReturn(0);
}

/* Forward Euler makes energy out of every spring. */
static PetscErrorCode warn_of_type(ipg_host *h) {
  PetscBool euler, rk, first_order = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)h->ts, TSEULER, &euler));
  PetscCall(PetscObjectTypeCompare((PetscObject)h->ts, TSRK, &rk));
  if (rk) {
    TSRKType type;
    PetscCall(TSRKGetType(h->ts, &type));
    PetscCall(PetscStrcmp(type, TSRK1FE, &first_order));
  }
  if (euler || first_order)
    PetscCall(
        PetscFPrintf(PetscObjectComm((PetscObject)h->ts), h->contact->log,
                     "warning: forward Euler makes energy in contact as in every undamped spring: choose -ts_type "
                     "rk -ts_rk_type 4, or another type\n"));
  PetscFunctionReturn(0);
}

/* For central difference; other explicit types bear steps about as long. */
static PetscErrorCode warn_of_step(ipg_host *h) {
  const double stable = ipg_contact_stable_step(h->contact->contact);

  PetscFunctionBegin;
  if (h->warned_of_step || h->is_implicit || !((double)h->ts->time_step > stable)) PetscFunctionReturn(0);
  h->warned_of_step = PETSC_TRUE;
  PetscCall(PetscFPrintf(PetscObjectComm((PetscObject)h->ts), h->contact->log,
                         "warning: the step %g is longer than contact bears, %g: shorten it, or lower "
                         "-contact_penalty_scale\n",
                         (double)h->ts->time_step, stable));
  PetscFunctionReturn(0);
}

static PetscErrorCode set_up(ipg_host *h) {
  PetscFunctionBegin;
  PetscCall(IpgContactSetFromOptions(h->contact));
  PetscCall(read_mesh(h));
  PetscCall(IpgHostFindKind(h));
  PetscCall(IpgHostFindPlaces(h));
  PetscCall(IpgHostFindMasses(h));
  PetscCall(choose_stiffness(h));
  PetscCall(IpgContactSetMesh(h->contact, &h->mesh, h->masses));
  if (h->kind == HOST_IMPINGE_CD) {
    PetscCall(IpgContactAttach(h->contact, h->ts));
  } else {
    PetscCall(IpgHostCreateLayout(h));
    PetscCall(IpgHostFindFactors(h));
    PetscCall(check_velocities(h));
    PetscCall(warn_of_type(h));
    PetscCall(IpgHostWrapFunctions(h));
    PetscCall(start_contact(h));
  }
  PetscCall(refuse_unknown_options(h));
  h->is_ready = PETSC_TRUE;
  PetscFunctionReturn(0);
}

/* ------------------------------------------------------------------------------------------------------------- steps
 */

static PetscErrorCode accept_step(ipg_host *h) {
  TS ts = h->ts;
  Vec U;

  PetscFunctionBegin;
  PetscCall(IpgHostGetState(h, &U));
  PetscCall(IpgHostComputeForce(h, ts->ptime, U, h->kind == HOST_I2FUNCTION ? ts->vec_dot : NULL));
  PetscCall(IpgHostRestoreState(h, &U));
  PetscCall(IpgContactAccept(h->contact, ts->steps + 1));
  PetscFunctionReturn(0);
}

/* A program that went back by itself, or on from elsewhere, begins anew there. */
static PetscErrorCode host_step(TS ts) {
  ipg_host *h;

  PetscFunctionBegin;
  PetscCall(get_host(ts, &h));
  if (!h->is_ready) PetscCall(set_up(h));
  if (h->kind != HOST_IMPINGE_CD) {
    PetscCall(IpgHostWrapFunctions(h));
    if (ts->ptime != ipg_contact_get_time(h->contact->contact)) PetscCall(start_contact(h));
  }
  if (h->kind != HOST_IMPINGE_CD) PetscCall(warn_of_step(h));
  PetscCall((*h->step)(ts));
  if (h->kind != HOST_IMPINGE_CD && ts->reason >= 0) PetscCall(accept_step(h));
  has_run = PETSC_TRUE;
  PetscFunctionReturn(0);
}

static PetscErrorCode host_rollback(TS ts) {
  ipg_host *h;

  PetscFunctionBegin;
  PetscCall(get_host(ts, &h));
  if (h->rollback) PetscCall((*h->rollback)(ts));
  if (h->is_ready && h->kind != HOST_IMPINGE_CD) PetscCall(IpgContactRevert(h->contact));
  PetscFunctionReturn(0);
}

/* Of a type that takes all steps itself. */
static PetscErrorCode refuse_solve(TS ts) {
  PetscFunctionBegin;
  SETERRQ(PetscObjectComm((PetscObject)ts), PETSC_ERR_SUP,
          "contact does not run with -ts_type %s, which does not say when a step is accepted: choose another type",
          ((PetscObject)ts)->type_name);
}

static void hook(ipg_host *h) {
  TSOps ops = h->ts->ops;
  if (ops->step != host_step) h->step = ops->step, ops->step = host_step;
  if (ops->solve) ops->solve = refuse_solve;
  if ((ops->rollback || IPG_EVERY_TYPE_ROLLS_BACK) && ops->rollback != host_rollback)
    h->rollback = ops->rollback, ops->rollback = host_rollback;
}

/* A type may choose another step when it is set up. */
static PetscErrorCode host_setup(TS ts) {
  ipg_host *h;

  PetscFunctionBegin;
  PetscCall(get_host(ts, &h));
  if (h->setup) PetscCall((*h->setup)(ts));
  hook(h);
  PetscFunctionReturn(0);
}

/* -help shows contact's options among those of the TS. */
static PetscErrorCode handle_options(PetscObject object, IpgOptionItems PetscOptionsObject, void *context) {
  ipg_host *h = context;
  (void)object;

  PetscFunctionBegin;
  if (!PetscOptionsObject->printhelp || h->is_ready) PetscFunctionReturn(0);
  PetscCall(IpgContactSetFromOptions(h->contact));
  PetscFunctionReturn(0);
}

static PetscErrorCode create_contact(ipg_host *h) {
  PetscFunctionBegin;
  PetscCall(IpgContactCreate(PetscObjectComm((PetscObject)h->ts), &h->contact));
  PetscCall(PetscObjectSetOptions((PetscObject)h->contact, ((PetscObject)h->ts)->options));
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)h->contact, ((PetscObject)h->ts)->prefix));
  PetscCall(PetscObjectAddOptionsHandler((PetscObject)h->contact, IpgHostReadOptions, NULL, h));
  PetscFunctionReturn(0);
}

/* Once for each TS: a type that is set later is hooked by the same host. */
PetscErrorCode IpgHostCreate(TS ts) {
  PetscContainer container;
  ipg_host *h;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)ts, host_name, (PetscObject *)&container));
  if (container) {
    PetscCall(PetscContainerGetPointer(container, (void **)&h));
  } else {
    PetscCall(PetscNew(&h));
    h->ts = ts;
    PetscCall(create_contact(h));
    PetscCall(PetscContainerCreate(PetscObjectComm((PetscObject)ts), &container));
    PetscCall(PetscContainerSetPointer(container, h));
    PetscCall(IpgContainerSetDestroy(container, destroy_host));
    PetscCall(PetscObjectCompose((PetscObject)ts, host_name, (PetscObject)container));
    PetscCall(PetscObjectDereference((PetscObject)container));
    PetscCall(PetscObjectAddOptionsHandler((PetscObject)ts, handle_options, NULL, h));
  }
  h->step = h->rollback = NULL;
  h->setup = ts->ops->setup, ts->ops->setup = host_setup;
  hook(h);
  PetscFunctionReturn(0);
}
