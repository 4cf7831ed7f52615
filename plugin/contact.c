/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The contact class: PETSc's vectors on one side, contact.h on the other.
 * It contains no physics: IpgContactComputeForce gathers positions of surface nodes, calls ipg_contact_evaluate or
 * ipg_contact_project, and adds the forces to a vector. */
#include "impl.h"

PetscClassId IPG_CONTACT_CLASSID;
const char *const IpgEnforcementWords[ENFORCEMENT_WORDS] = {
    [IPG_ENFORCEMENT_PENALTY] = "penalty", [IPG_ENFORCEMENT_KINEMATIC] = "kinematic"};

static PetscLogEvent compute_force_event;

/* At PetscFinalize: a later PetscInitialize registers again. */
static PetscErrorCode clear_class_id(void) {
  PetscFunctionBegin;
  IPG_CONTACT_CLASSID = 0;
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactRegisterClass(void) {
  PetscFunctionBegin;
  PetscCall(PetscClassIdRegister("Impinge contact", &IPG_CONTACT_CLASSID));
  PetscCall(PetscLogEventRegister("IpgContactForce", IPG_CONTACT_CLASSID, &compute_force_event));
  PetscCall(PetscRegisterFinalize(clear_class_id));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy_surface(IpgContact c) {
  PetscFunctionBegin;
  ipg_contact_destroy(&c->contact);
  ipg_mesh_surface_destroy(&c->surface);
  PetscCall(PetscFree5(c->mesh_positions, c->trial_positions, c->velocities, c->forces, c->accepted_positions));
  c->initial_penetration_resolved = PETSC_FALSE;
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactDestroy(IpgContact *contact) {
  PetscFunctionBegin;
  if (!*contact) PetscFunctionReturn(0);
  PetscValidHeaderSpecific(*contact, IPG_CONTACT_CLASSID, 1);
  if (--((PetscObject)*contact)->refct > 0) {
    *contact = NULL;
    PetscFunctionReturn(0);
  }
  PetscCall(destroy_surface(*contact));
  ipg_output_destroy(&(*contact)->recording);
  PetscCall(PetscFree((*contact)->moduli));
  PetscCall(PetscFree((*contact)->block_names));
  ipg_pool_destroy(&(*contact)->pool);
  PetscCall(PetscFree((*contact)->thicknesses));
  PetscCall(PetscFree((*contact)->reference_velocities));
  PetscCall(PetscHeaderDestroy(contact));
  PetscFunctionReturn(0);
}

/* --------------------------------------------------------------------------------------------------------- settings */

PetscErrorCode IpgContactSetThicknesses(IpgContact c, PetscInt count, const double thicknesses[]) {
  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  PetscCheck(!c->contact, PetscObjectComm((PetscObject)c), PETSC_ERR_ORDER,
             "contact has a mesh already: call IpgContactSetThicknesses before IpgContactSetMesh");
  PetscCall(PetscFree(c->thicknesses));
  PetscCall(PetscMalloc1(count, &c->thicknesses));
  PetscCall(PetscArraycpy(c->thicknesses, thicknesses, count));
  c->config.thicknesses = c->thicknesses;
  c->config.thickness_count = count;
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactSetReferenceVelocities(IpgContact c, PetscInt count, const double velocities[]) {
  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  PetscCheck(!c->contact, PetscObjectComm((PetscObject)c), PETSC_ERR_ORDER,
             "contact has a mesh already: call IpgContactSetReferenceVelocities before IpgContactSetMesh");
  PetscCall(PetscFree(c->reference_velocities));
  PetscCall(PetscMalloc1(3 * count, &c->reference_velocities));
  PetscCall(PetscArraycpy(c->reference_velocities, velocities, 3 * count));
  c->config.reference_velocities = c->reference_velocities;
  c->config.reference_velocity_count = count;
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactSetReferenceStep(IpgContact c, PetscReal step) {
  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  PetscCheck(!c->contact, PetscObjectComm((PetscObject)c), PETSC_ERR_ORDER,
             "contact has a mesh already: call IpgContactSetReferenceStep before IpgContactSetMesh");
  PetscCheck(step > 0, PetscObjectComm((PetscObject)c), PETSC_ERR_ARG_OUTOFRANGE,
             "the reference step is %g; it must be above 0", (double)step);
  c->config.reference_step = (double)step;
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactSetLog(IpgContact c, FILE *log) {
  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  c->log = log;
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactSetTasks(IpgContact c, const ipg_tasks *tasks) {
  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  PetscCheck(!c->contact, PetscObjectComm((PetscObject)c), PETSC_ERR_ORDER,
             "contact has a mesh already: call IpgContactSetTasks before IpgContactSetMesh");
  c->config.tasks = *tasks;
  c->host_tasks = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactSetModuli(IpgContact c, PetscInt block_count, const PetscReal moduli[]) {
  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  PetscCheck(!c->contact, PetscObjectComm((PetscObject)c), PETSC_ERR_ORDER,
             "contact has a mesh already: call IpgContactSetModuli before IpgContactSetMesh");
  PetscCall(PetscFree(c->moduli));
  PetscCall(PetscMalloc1(block_count, &c->moduli));
  for (PetscInt b = 0; b < block_count; ++b) c->moduli[b] = (double)moduli[b];
  c->moduli_count = block_count;
  PetscFunctionReturn(0);
}

static PetscErrorCode start_threads(IpgContact c) {
  ipg_error error = {0};

  PetscFunctionBegin;
  if (c->host_tasks || c->threads == 1 || c->pool) PetscFunctionReturn(0);
  IpgCall(PetscObjectComm((PetscObject)c), error, ipg_pool_create((int)c->threads, &c->pool, &error));
  c->config.tasks = ipg_pool_tasks(c->pool);
  PetscFunctionReturn(0);
}

/* Where moduli are not known, penalty contact is content with a reference step. */
static bool uses_moduli(IpgContact c) {
  return c->config.enforcement == IPG_ENFORCEMENT_PENALTY && (c->moduli || !(c->config.reference_step > 0));
}

static PetscErrorCode check_moduli(IpgContact c, const ipg_mesh *mesh) {
  PetscFunctionBegin;
  if (!uses_moduli(c)) PetscFunctionReturn(0);
  PetscCheck(
      c->moduli, PetscObjectComm((PetscObject)c), PETSC_ERR_ORDER,
      "the stiffness of contact is not known: call IpgContactSetModuli with the bulk moduli of the mesh's blocks, or "
      "IpgContactSetReferenceStep with the first time step (-contact_reference_step)");
  PetscCheck(c->moduli_count == mesh->block_count, PetscObjectComm((PetscObject)c), PETSC_ERR_ARG_SIZ,
             "IpgContactSetModuli gave moduli of %" PetscInt_FMT " blocks; the mesh has %d", c->moduli_count,
             mesh->block_count);
  PetscFunctionReturn(0);
}

static PetscErrorCode build_surface(IpgContact c, const ipg_mesh *mesh, const double *masses) {
  const MPI_Comm comm = PetscObjectComm((PetscObject)c);
  ipg_error error = {0};
  ipg_skin skin = {0};

  PetscFunctionBegin;
  IpgCall(comm, error, ipg_skin_build(mesh, &c->config.allocator, &c->config.tasks, &skin, &error));
  ipg_status status = ipg_mesh_surface_build(mesh, &skin, masses, &c->config.allocator, &c->surface, &error);
  if (!status && uses_moduli(c)) status = ipg_mesh_surface_set_stiffness(&c->surface, mesh, &skin, c->moduli, &error);
  ipg_skin_destroy(&skin);
  IpgCall(comm, error, status);
  PetscFunctionReturn(0);
}

static PetscErrorCode keep_block_names(IpgContact c, const ipg_mesh *mesh) {
  PetscFunctionBegin;
  PetscCall(PetscFree(c->block_names));
  PetscCall(PetscMalloc1(mesh->block_count, &c->block_names));
  for (int b = 0; b < mesh->block_count; ++b) {
    const ipg_block *block = &mesh->blocks[b];
    if (block->name[0]) PetscCall(PetscStrncpy(c->block_names[b], block->name, sizeof c->block_names[b]));
    else PetscCall(PetscSNPrintf(c->block_names[b], sizeof c->block_names[b], "block %lld", (long long)block->id));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactSetMesh(IpgContact c, const ipg_mesh *mesh, const double *masses) {
  const MPI_Comm comm = PetscObjectComm((PetscObject)c);
  ipg_error error = {0};
  PetscMPIInt ranks;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCheck(ranks == 1, comm, PETSC_ERR_SUP, "contact runs on one rank: start without mpiexec or with -n 1");
  PetscCall(destroy_surface(c));
  PetscCall(check_moduli(c, mesh));
  PetscCall(start_threads(c));
  PetscCall(build_surface(c, mesh, masses));
  PetscCheck(mesh->node_count <= PETSC_MAX_INT / 3, comm, PETSC_ERR_SUP,
             "%lld nodes are too many for PETSc's 32-bit integers: use a PETSc configured with 64-bit indices",
             (long long)mesh->node_count);
  c->mesh_node_count = (PetscInt)mesh->node_count;
  PetscCall(keep_block_names(c, mesh));
  const size_t values = 3 * (size_t)c->surface.surface.node_count;
  PetscCall(PetscMalloc5(values, &c->mesh_positions, values, &c->trial_positions, values, &c->velocities, values,
                         &c->forces, values, &c->accepted_positions));
  ipg_mesh_surface_gather(&c->surface, mesh->x, c->mesh_positions);
  c->config.search_method = c->search_method;
  IpgCall(comm, error, ipg_contact_create(&c->config, &c->surface.surface, c->mesh_positions, &c->contact, &error));
  PetscFunctionReturn(0);
}

/* ----------------------------------------------------------------------------------------------------------- a step */

static PetscErrorCode require_mesh(IpgContact c) {
  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  PetscCheck(c->contact, PetscObjectComm((PetscObject)c), PETSC_ERR_ORDER,
             "contact has no mesh: call IpgContactSetMesh");
  PetscFunctionReturn(0);
}

static PetscErrorCode check_layout(IpgContact c, Vec U) {
  PetscInt size;

  PetscFunctionBegin;
  PetscCall(require_mesh(c));
  PetscCall(VecGetLocalSize(U, &size));
  PetscCheck(size == 3 * c->mesh_node_count, PetscObjectComm((PetscObject)c), PETSC_ERR_ARG_SIZ,
             "the vector holds %" PetscInt_FMT " values; the mesh has %" PetscInt_FMT
             " nodes with 3 displacements each",
             size, c->mesh_node_count);
  PetscFunctionReturn(0);
}

static PetscErrorCode gather_trial_positions(IpgContact c, Vec U) {
  const PetscScalar *u;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(U, &u));
  ipg_mesh_surface_gather(&c->surface, u, c->trial_positions);
  PetscCall(VecRestoreArrayRead(U, &u));
  for (int64_t i = 0; i < 3 * c->surface.surface.node_count; ++i) c->trial_positions[i] += c->mesh_positions[i];
  PetscFunctionReturn(0);
}

void IpgContactTakeSurface(IpgContact c, const PetscScalar *u, const PetscScalar *velocities, PetscBool is_position) {
  for (int64_t i = 0; i < 3 * c->surface.surface.node_count; ++i) {
    c->trial_positions[i] = PetscRealPart(u[i]) + (is_position ? 0 : c->mesh_positions[i]);
    if (velocities) c->velocities[i] = PetscRealPart(velocities[i]);
  }
  c->has_velocities = velocities ? PETSC_TRUE : PETSC_FALSE;
}

bool IpgContactHasFiniteSurface(IpgContact c) {
  for (int64_t i = 0; i < 3 * c->surface.surface.node_count; ++i)
    if (!(fabs(c->trial_positions[i]) < 1e60) || (c->has_velocities && !(fabs(c->velocities[i]) < 1e60))) return false;
  return true;
}

bool IpgContactIsAtAccepted(IpgContact c) {
  for (int64_t i = 0; i < 3 * c->surface.surface.node_count; ++i)
    if (c->trial_positions[i] != c->accepted_positions[i]) return false;
  return true;
}

void IpgContactKeepAccepted(IpgContact c) {
  for (int64_t i = 0; i < 3 * c->surface.surface.node_count; ++i) c->accepted_positions[i] = c->trial_positions[i];
}

PetscErrorCode IpgContactStartAtSurface(IpgContact c, PetscReal t) {
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscCall(IpgContactClaimRecording(c));
  IpgCall(PetscObjectComm((PetscObject)c), error,
          ipg_contact_set_positions(c->contact, (double)t, c->trial_positions, &error));
  c->initial_penetration_resolved = PETSC_FALSE;
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactSetPositions(IpgContact c, PetscReal t, Vec U) {
  PetscFunctionBegin;
  PetscCall(check_layout(c, U));
  PetscCall(gather_trial_positions(c, U));
  PetscCall(IpgContactStartAtSurface(c, t));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactComputeAtSurface(IpgContact c, PetscReal t, double **forces) {
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscCheck(!IpgContactIsKinematic(c), PetscObjectComm((PetscObject)c), PETSC_ERR_SUP,
             "-contact_enforcement kinematic moves the positions that a time stepper predicts, which only -ts_type "
             "impinge_cd lets it: choose that, or -contact_enforcement penalty");
  PetscCall(PetscLogEventBegin(compute_force_event, c, 0, 0, 0));
  PetscCall(IpgContactRecordStep(c, t));
  IpgCall(PetscObjectComm((PetscObject)c), error,
          ipg_contact_evaluate(c->contact, (double)t, c->trial_positions, c->has_velocities ? c->velocities : NULL,
                               c->forces, &error));
  PetscCall(PetscLogEventEnd(compute_force_event, c, 0, 0, 0));
  *forces = c->forces;
  PetscFunctionReturn(0);
}

/* Kinematic projection of the predicted positions; V: velocities before the forces of the step. */
static PetscErrorCode project_positions(IpgContact c, PetscReal t, Vec V) {
  ipg_error error = {0};
  ipg_contact_projection projection;
  const PetscScalar *v;

  PetscFunctionBegin;
  PetscCheck(
      c->attached, PetscObjectComm((PetscObject)c), PETSC_ERR_SUP,
      "-contact_enforcement kinematic moves the positions that a time stepper predicts: attach the contact to one of "
      "type impinge_cd, or choose -contact_enforcement penalty");
  if (V) {
    PetscCall(check_layout(c, V));
    PetscCall(VecGetArrayRead(V, &v));
    ipg_mesh_surface_gather(&c->surface, v, c->velocities);
    PetscCall(VecRestoreArrayRead(V, &v));
  }
  IpgCall(PetscObjectComm((PetscObject)c), error,
          ipg_contact_project(c->contact, (double)t, c->trial_positions, V ? c->velocities : NULL, c->forces,
                              &projection, &error));
  PetscFunctionReturn(0);
}

/* Without velocities: dampers see the mean velocity of the step. */
static PetscErrorCode evaluate_forces(IpgContact c, PetscReal t) {
  ipg_error error = {0};

  PetscFunctionBegin;
  IpgCall(PetscObjectComm((PetscObject)c), error,
          ipg_contact_evaluate(c->contact, (double)t, c->trial_positions, NULL, c->forces, &error));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactComputeForce(IpgContact c, PetscReal t, Vec U, Vec V, Vec F) {
  PetscScalar *f;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  PetscCall(check_layout(c, U));
  PetscCall(check_layout(c, F));
  PetscCall(PetscLogEventBegin(compute_force_event, c, U, F, 0));
  PetscCall(gather_trial_positions(c, U));
  PetscCall(IpgContactRecordStep(c, t));
  if (IpgContactIsKinematic(c)) PetscCall(project_positions(c, t, V));
  else PetscCall(evaluate_forces(c, t));
  PetscCall(VecGetArray(F, &f));
  ipg_mesh_surface_add(&c->surface, c->forces, f);
  PetscCall(VecRestoreArray(F, &f));
  PetscCall(PetscLogEventEnd(compute_force_event, c, U, F, 0));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactAudit(IpgContact c, ipg_contact_audit_report *report) {
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscCall(require_mesh(c));
  IpgCall(PetscObjectComm((PetscObject)c), error, ipg_contact_audit(c->contact, report, &error));
  c->audit_count++;
  PetscFunctionReturn(0);
}

static PetscErrorCode audit_step(IpgContact c, PetscInt step) {
  ipg_contact_audit_report report;

  PetscFunctionBegin;
  PetscCall(IpgContactAudit(c, &report));
  const PetscBool clean = (PetscBool)(!report.missed_candidates && !report.wrong_contacts && !report.wrong_forces &&
                                      report.nodes_inside <= c->nodes_inside_at_start);
  PetscCheck(clean, PetscObjectComm((PetscObject)c), PETSC_ERR_PLIB,
             "the contact audit of step %" PetscInt_FMT
             " found: %s; record the step with -contact_record %" PetscInt_FMT
             ", examine it with impinge replay --audit, and report it",
             step, report.message, step);
  PetscFunctionReturn(0);
}

/* Once, where half of an edge is first exceeded; the limit each time. */
static PetscErrorCode watch_penetration(IpgContact c) {
  const ipg_contact_depth d = ipg_contact_find_deepest(c->contact);
  const MPI_Comm comm = PetscObjectComm((PetscObject)c);
  char text[400];

  PetscFunctionBegin;
  snprintf(
      text, sizeof text,
      "at time %g contact is %g deep at node %lld, %.2g of an edge, between side %d of element %lld and side %d of "
      "element %lld",
      d.time, d.depth, (long long)d.node, d.depth / d.edge, d.faces[0].side + 1, (long long)d.faces[0].element,
      d.faces[1].side + 1, (long long)d.faces[1].element);
  PetscCheck(!(c->penetration_limit > 0 && d.depth > c->penetration_limit * d.edge), comm, PETSC_ERR_USER,
             "%s, beyond contact.penetration_limit: refine the mesh there, or raise the limit", text);
  if (c->warned_of_depth || !(d.depth > 0.5 * d.edge)) PetscFunctionReturn(0);
  c->warned_of_depth = PETSC_TRUE;
  PetscCall(
      PetscFPrintf(comm, c->log, "warning: %s: refine the mesh there, or stop with contact.penetration_limit\n", text));
  PetscFunctionReturn(0);
}

static PetscErrorCode warn_of_passed_node(IpgContact c, const ipg_contact_passed_node *p) {
  PetscFunctionBegin;
  PetscCall(PetscFPrintf(PetscObjectComm((PetscObject)c), c->log,
                         "warning: at time %g node %lld went right through a body at (%g, %g, %g), by side %d of "
                         "element %lld: shorten the step (time.safety), or make the body thicker or stiffer\n",
                         p->time, (long long)p->node, p->position[0], p->position[1], p->position[2], p->face.side + 1,
                         (long long)p->face.element));
  PetscFunctionReturn(0);
}

/* The first ones by a line each; the summary of a run has the number of all. */
static PetscErrorCode watch_passing(IpgContact c) {
  enum { MOST_LINES = 5 };
  int64_t count;
  const ipg_contact_passed_node *passed = ipg_contact_passed_nodes(c->contact, &count);

  PetscFunctionBegin;
  for (int64_t i = 0; i < count && c->warnings_of_passing <= MOST_LINES; ++i) {
    if (c->warnings_of_passing++ < MOST_LINES) PetscCall(warn_of_passed_node(c, &passed[i]));
    else
      PetscCall(PetscFPrintf(PetscObjectComm((PetscObject)c), c->log,
                             "warning: more nodes go right through a body; from here on they are only counted\n"));
  }
  PetscFunctionReturn(0);
}

/* Of the step that was accepted last. */
static PetscErrorCode monitor_step(IpgContact c, PetscInt step) {
  const ipg_contact_counters n = ipg_contact_get_counters(c->contact);
  const ipg_contact_energy_balance b = ipg_contact_get_energy_balance(c->contact);

  PetscFunctionBegin;
  PetscCall(PetscFPrintf(PetscObjectComm((PetscObject)c), c->log,
                         "contact: step %" PetscInt_FMT
                         " time %g: %lld nodes and %lld pairs of faces in contact, work %g, stored energy %g\n",
                         step, ipg_contact_get_time(c->contact), (long long)n.contacts, (long long)n.face_contacts,
                         b.contact_work, b.contact_energy));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactAccept(IpgContact c, PetscInt step) {
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscCall(require_mesh(c));
  if (step == ipg_contact_last_step(c->contact)) PetscFunctionReturn(0);
  if (c->audit_interval && step % c->audit_interval == 0) PetscCall(audit_step(c, step));
  if (c->config.enforcement == IPG_ENFORCEMENT_PENALTY) PetscCall(watch_penetration(c));
  IpgCall(PetscObjectComm((PetscObject)c), error, ipg_contact_accept(c->contact, step, &error));
  PetscCall(watch_passing(c));
  if (c->monitor_interval && step % c->monitor_interval == 0) PetscCall(monitor_step(c, step));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactRevert(IpgContact c) {
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscCall(require_mesh(c));
  IpgCall(PetscObjectComm((PetscObject)c), error, ipg_contact_revert(c->contact, &error));
  PetscFunctionReturn(0);
}

/* ---------------------------------------------------------------------------------------------------------- queries */

PetscErrorCode IpgContactGetPairs(IpgContact c, PetscInt *count, const ipg_contact_pair **pairs) {
  int64_t found = 0;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  *pairs = c->contact ? ipg_contact_pairs(c->contact, &found) : NULL;
  *count = (PetscInt)found;
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactAddPairForces(IpgContact c, PetscInt count, const ipg_contact_pair *pairs,
                                       PetscScalar *forces) {
  PetscFunctionBegin;
  for (PetscInt i = 0; i < count; ++i)
    for (int n = 0; n < 4; ++n)
      for (int k = 0; k < 3; ++k)
        forces[3 * c->surface.mesh_nodes[pairs[i].nodes[n]] + k] += pairs[i].weights[n] * pairs[i].response.force[k];
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactAddForces(IpgContact c, PetscScalar forces[]) {
  PetscFunctionBegin;
  PetscCall(require_mesh(c));
  ipg_mesh_surface_add(&c->surface, ipg_contact_forces(c->contact), forces);
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactAddNodeRates(IpgContact c, double rates[]) {
  double *of_surface;

  PetscFunctionBegin;
  PetscCall(require_mesh(c));
  PetscCall(PetscMalloc1(c->surface.surface.node_count, &of_surface));
  ipg_contact_node_rates(c->contact, of_surface);
  for (int64_t i = 0; i < c->surface.surface.node_count; ++i) rates[c->surface.mesh_nodes[i]] += of_surface[i];
  PetscCall(PetscFree(of_surface));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactGetEnforcement(IpgContact c, ipg_contact_enforcement *enforcement) {
  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  *enforcement = c->config.enforcement;
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactGetEnergyBalance(IpgContact c, ipg_contact_energy_balance *balance) {
  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  *balance = c->contact ? ipg_contact_get_energy_balance(c->contact) : (ipg_contact_energy_balance){0};
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactGetCounters(IpgContact c, ipg_contact_counters *counters) {
  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  *counters = c->contact ? ipg_contact_get_counters(c->contact) : (ipg_contact_counters){0};
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactGetAuditCount(IpgContact c, PetscInt *audits) {
  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  *audits = c->audit_count;
  PetscFunctionReturn(0);
}

/* ------------------------------------------------------------------------------------------------------- attachment */

bool IpgContactIsKinematic(IpgContact c) { return c->config.enforcement == IPG_ENFORCEMENT_KINEMATIC; }

/* The name under which a TS holds its contact. */
static const char attached_name[] = "IpgContact";

PetscErrorCode IpgContactAttach(IpgContact c, TS ts) {
  PetscBool match;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  PetscValidHeaderSpecific(ts, TS_CLASSID, 2);
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSIMPINGECD, &match));
  PetscCheck(match, PetscObjectComm((PetscObject)ts), PETSC_ERR_SUP,
             "contact attaches to time steppers of type impinge_cd only: set the type first");
  PetscCall(PetscObjectCompose((PetscObject)ts, attached_name, (PetscObject)c));
  c->attached = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode IpgTSGetContact(TS ts, IpgContact *contact) {
  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)ts, attached_name, (PetscObject *)contact));
  PetscFunctionReturn(0);
}
