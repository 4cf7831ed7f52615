/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A host's steps. Contact is set up before the first one, when vectors, functions and step are as the program wants
 * them, whatever the order of its calls. During a step our function replaces the program's. Each accepted
 * step is evaluated once more where it ended, for the last evaluation of a method need not be there, and then accepted.
 */
#include "host.h"

#include <string.h>

static const char host_name[] = "IpgHost";

static PetscBool has_run;

PetscBool IpgHostHasRun(void) { return has_run; }

static PetscErrorCode get_host(TS ts, ipg_host **host) {
  PetscContainer container;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)ts, host_name, (PetscObject *)&container));
  PetscCheck(container, PetscObjectComm((PetscObject)ts), PETSC_ERR_SUP,
             "contact cannot be copied: this time stepper is a clone (TSClone) of one with contact");
  PetscCall(PetscContainerGetPointer(container, (void **)host));
  PetscFunctionReturn(0);
}

/* What set_up has made so far. */
static PetscErrorCode clear(ipg_host *h) {
  PetscFunctionBegin;
  PetscCall(IpgHostDestroyLayout(h));
  PetscCall(IpgContactDestroy(&h->contact));
  PetscCall(PetscFree(h->masses));
  PetscCall(PetscFree(h->mesh_factors));
  PetscCall(PetscFree(h->factors));
  for (PetscInt i = 0; i < h->options.fixed_count; ++i) PetscCall(PetscFree(h->options.fixed[i]));
  h->options = (host_options){0};
  ipg_mesh_destroy(&h->mesh);
  PetscFunctionReturn(0);
}

/* The TS is being destroyed. */
static PetscErrorCode destroy_host(IpgContextArgument context) {
  ipg_host *h = IpgContextOf(context);

  PetscFunctionBegin;
  if (h->is_ready) PetscCall(PetscObjectViewFromOptions((PetscObject)h->contact, NULL, "-contact_view"));
  PetscCall(clear(h));
  PetscCall(PetscFree(h));
  PetscFunctionReturn(0);
}

/* ------------------------------------------------------------------------------------------------------------ set-up
 */

/* With the options as they are now; what an attempt before has left is gone. */
static PetscErrorCode create_contact(ipg_host *h) {
  PetscFunctionBegin;
  PetscCall(clear(h));
  PetscCall(IpgContactCreate(PetscObjectComm((PetscObject)h->ts), &h->contact));
  PetscCall(PetscObjectSetOptions((PetscObject)h->contact, ((PetscObject)h->ts)->options));
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)h->contact, ((PetscObject)h->ts)->prefix));
  PetscCall(PetscObjectAddOptionsHandler((PetscObject)h->contact, IpgHostReadOptions, NULL, h));
  PetscCall(IpgContactSetFromOptions(h->contact));
  PetscFunctionReturn(0);
}

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

static PetscErrorCode gather_state(ipg_host *h) {
  Vec U;

  PetscFunctionBegin;
  PetscCall(IpgHostGetState(h, &U));
  PetscCall(IpgHostGather(h, U, h->kind == HOST_I2FUNCTION ? h->ts->vec_dot : NULL));
  PetscCall(IpgHostRestoreState(h, &U));
  PetscFunctionReturn(0);
}

/* Contact begins where the program is now. */
static PetscErrorCode start_contact(ipg_host *h) {
  PetscFunctionBegin;
  PetscCall(gather_state(h));
  PetscCall(IpgContactStartAtSurface(h->contact, h->ts->ptime));
  IpgContactKeepAccepted(h->contact);
  PetscCall(IpgContactResolveInitialPenetration(h->contact));
  h->time_shift = 0;
  PetscFunctionReturn(0);
}

/* impinge_cd takes the vectors as they are. */
static PetscErrorCode check_order(ipg_host *h) {
  PetscInt size;
  bool is_same = !h->layout.is_position;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(h->ts->vec_sol, &size));
  for (PetscInt i = 0; i < 3 * h->mesh.node_count; ++i) is_same &= h->displacement_indices[i] == i;
  PetscCheck(is_same && size == 3 * h->mesh.node_count, PetscObjectComm((PetscObject)h->ts), PETSC_ERR_SUP,
             "-ts_type impinge_cd takes displacements of the mesh's nodes in the order of the mesh: number both alike, "
             "or choose another type");
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare_surface(ipg_host *h) {
  PetscFunctionBegin;
  PetscCall(IpgHostFindIndices(h));
  PetscCall(IpgHostFindMasses(h));
  PetscCall(choose_stiffness(h));
  PetscCall(IpgContactSetMesh(h->contact, &h->mesh, h->masses));
  if (h->kind == HOST_IMPINGE_CD) {
    PetscCall(check_order(h));
    PetscCall(IpgContactAttach(h->contact, h->ts));
  } else {
    PetscCall(IpgHostCreateLayout(h));
    PetscCall(IpgHostWarn(h));
    PetscCall(start_contact(h));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode set_up(ipg_host *h) {
  PetscMPIInt ranks;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)h->ts), &ranks));
  PetscCheck(ranks == 1, PetscObjectComm((PetscObject)h->ts), PETSC_ERR_SUP,
             "contact runs on one rank: start without mpiexec or with -n 1");
  PetscCall(create_contact(h));
  PetscCall(read_mesh(h));
  PetscCall(IpgHostFindKind(h));
  PetscCall(prepare_surface(h));
  PetscCall(IpgHostRefuseUnknownOptions(h));
  h->is_ready = PETSC_TRUE;
  PetscFunctionReturn(0);
}

/* ------------------------------------------------------------------------------------------------------------- steps
 */

/* A program that has set its time, but is where the last step has left it, goes on; one that is elsewhere begins anew.
 */
static PetscErrorCode follow_time(ipg_host *h) {
  const PetscReal accepted = ipg_contact_get_time(h->contact->contact);

  PetscFunctionBegin;
  if (h->ts->ptime + h->time_shift == accepted) PetscFunctionReturn(0);
  PetscCall(gather_state(h));
  if (IpgContactIsAtAccepted(h->contact)) h->time_shift = accepted - h->ts->ptime;
  else PetscCall(start_contact(h));
  PetscFunctionReturn(0);
}

/* With a number of our own: a program may set that of its steps. */
static PetscErrorCode accept_step(ipg_host *h) {
  Vec U;

  PetscFunctionBegin;
  PetscCheck(h->calls, PetscObjectComm((PetscObject)h->ts), PETSC_ERR_SUP,
             "-ts_type %s does not call the function that would carry the force of contact: choose another type",
             ((PetscObject)h->ts)->type_name);
  PetscCall(IpgHostGetState(h, &U));
  PetscCall(IpgHostComputeForce(h, h->ts->ptime, U, h->kind == HOST_I2FUNCTION ? h->ts->vec_dot : NULL));
  PetscCall(IpgHostRestoreState(h, &U));
  PetscCheck(IpgContactHasFiniteSurface(h->contact), PetscObjectComm((PetscObject)h->ts), PETSC_ERR_FP,
             "at time %g the program has accepted displacements or velocities that are not finite: shorten its step",
             (double)h->ts->ptime);
  PetscCall(IpgContactAccept(h->contact, ++h->accepted));
  IpgContactKeepAccepted(h->contact);
  PetscFunctionReturn(0);
}

static PetscErrorCode take_step(ipg_host *h) {
  PetscFunctionBegin;
  PetscCall(follow_time(h));
  PetscCall(IpgHostWarnOfStep(h));
  h->calls = 0;
  PetscCall(IpgHostReplaceFunction(h));
  const PetscErrorCode failed = (*h->step)(h->ts);
  PetscCall(IpgHostRestoreFunction(h));
  PetscCall(failed);
  if (h->ts->reason >= 0) PetscCall(accept_step(h));
  PetscFunctionReturn(0);
}

static PetscErrorCode host_step(TS ts) {
  ipg_host *h;

  PetscFunctionBegin;
  PetscCall(get_host(ts, &h));
  if (!h->is_ready) PetscCall(set_up(h));
  if (h->kind == HOST_IMPINGE_CD) PetscCall((*h->step)(ts));
  else PetscCall(take_step(h));
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

static PetscErrorCode refuse_sensitivity(TS ts) {
  PetscFunctionBegin;
  SETERRQ(PetscObjectComm((PetscObject)ts), PETSC_ERR_SUP,
          "contact has no derivatives: adjoint and forward sensitivities cannot be computed with it");
}

static void hook(ipg_host *h) {
  TSOps ops = h->ts->ops;
  if (ops->step != host_step) h->step = ops->step, ops->step = host_step;
  if (ops->solve) ops->solve = refuse_solve;
  if (ops->adjointstep) ops->adjointstep = refuse_sensitivity;
  if (ops->forwardstep) ops->forwardstep = refuse_sensitivity;
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
  if (PetscOptionsObject->printhelp && !h->is_ready) PetscCall(create_contact(h));
  PetscFunctionReturn(0);
}

static PetscErrorCode compose_host(TS ts, ipg_host **host) {
  PetscContainer container;

  PetscFunctionBegin;
  PetscCall(PetscNew(host));
  (*host)->ts = ts;
  PetscCall(PetscContainerCreate(PetscObjectComm((PetscObject)ts), &container));
  PetscCall(PetscContainerSetPointer(container, *host));
  PetscCall(IpgContainerSetDestroy(container, destroy_host));
  PetscCall(PetscObjectCompose((PetscObject)ts, host_name, (PetscObject)container));
  PetscCall(PetscObjectDereference((PetscObject)container));
  PetscCall(PetscObjectAddOptionsHandler((PetscObject)ts, handle_options, NULL, *host));
  PetscFunctionReturn(0);
}

/* Once for each TS: a type that is set later is hooked by the same host, and contact is set up for it anew. */
PetscErrorCode IpgHostCreate(TS ts) {
  PetscContainer container;
  ipg_host *h;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)ts, host_name, (PetscObject *)&container));
  if (container) PetscCall(PetscContainerGetPointer(container, (void **)&h));
  else PetscCall(compose_host(ts, &h));
  h->is_ready = PETSC_FALSE;
  h->step = h->rollback = NULL;
  h->setup = ts->ops->setup, ts->ops->setup = host_setup;
  hook(h);
  PetscFunctionReturn(0);
}
