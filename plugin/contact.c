/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The contact class: PETSc's options and vectors on one side, contact.h on the other.
 * It owns no physics: ComputeForce is gather, ipg_contact_evaluate or _correct, scatter. */
#include "impl.h"

#include <string.h>

PetscErrorCode IpgContactCreate(MPI_Comm comm, IpgContact *out) {
  IpgContact c;

  PetscFunctionBegin;
  PetscValidPointer(out, 2);
  *out = NULL;
  PetscCall(IpgInitializePackage());
  PetscCall(PetscHeaderCreate(c, IPG_CONTACT_CLASSID, "IpgContact", "Contact of tetrahedral bodies", "Contact", comm,
                              IpgContactDestroy, IpgContactView));
  c->config = ipg_contact_defaults();
  c->threads = 1;
  c->log = PETSC_STDOUT;
  PetscCall(PetscStrncpy(c->search_method, c->config.search_method, sizeof c->search_method));
  *out = c;
  PetscFunctionReturn(0);
}

static PetscErrorCode forget_mesh(IpgContact c) {
  PetscFunctionBegin;
  ipg_contact_destroy(&c->contact);
  ipg_mesh_surface_destroy(&c->surface);
  PetscCall(PetscFree4(c->places, c->trial, c->came, c->force));
  c->resolved = PETSC_FALSE;
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
  PetscCall(forget_mesh(*contact));
  PetscCall(PetscFree((*contact)->moduli));
  ipg_pool_destroy(&(*contact)->pool);
  PetscCall(PetscFree((*contact)->thicknesses));
  PetscCall(PetscHeaderDestroy(contact));
  PetscFunctionReturn(0);
}

/* --------------------------------------------------------------------------------------------------------- settings */

static PetscErrorCode read_real(const char *option, const char *meaning, double *value, PetscBool *given,
                                PetscOptionItems *PetscOptionsObject) {
  PetscReal real = (PetscReal)*value;

  PetscFunctionBegin;
  PetscCall(PetscOptionsReal(option, meaning, "", real, &real, given));
  *value = (double)real;
  PetscFunctionReturn(0);
}

/* Friction that is not said to fall with speed does not. */
static PetscErrorCode read_law(ipg_contact_law *law, PetscOptionItems *PetscOptionsObject) {
  PetscBool is_static, is_dynamic;

  PetscFunctionBegin;
  PetscCall(read_real("-contact_friction_static", "Coefficient at rest", &law->friction_static, &is_static,
                      PetscOptionsObject));
  PetscCall(read_real("-contact_friction_dynamic", "Coefficient at high speed; that at rest if it is not given",
                      &law->friction_dynamic, &is_dynamic, PetscOptionsObject));
  if (is_static && !is_dynamic) law->friction_dynamic = law->friction_static;
  PetscCheck(!(law->friction_dynamic > law->friction_static), PETSC_COMM_SELF, PETSC_ERR_USER,
             "-contact_friction_dynamic is %g, above -contact_friction_static: give a static coefficient that is at "
             "least as large",
             law->friction_dynamic);
  PetscCall(read_real("-contact_friction_decay", "The one becomes the other as exp(-decay * speed)",
                      &law->friction_decay, NULL, PetscOptionsObject));
  PetscCall(read_real("-contact_damping", "Of the springs, in parts of critical damping", &law->damping, NULL,
                      PetscOptionsObject));
  PetscFunctionReturn(0);
}

static const char *const enforcements[] = {
    [IPG_ENFORCEMENT_PENALTY] = "penalty", [IPG_ENFORCEMENT_KINEMATIC] = "kinematic"};

static PetscErrorCode read_enforcement(IpgContact c, PetscOptionItems *PetscOptionsObject) {
  PetscInt chosen = (PetscInt)c->config.enforcement;

  PetscFunctionBegin;
  PetscCall(PetscOptionsEList("-contact_enforcement", "Springs, or predicted places are moved (impinge_cd only)", "",
                              enforcements, PETSC_STATIC_ARRAY_LENGTH(enforcements), enforcements[chosen], &chosen,
                              NULL));
  c->config.enforcement = (ipg_contact_enforcement)chosen;
  PetscFunctionReturn(0);
}

static PetscErrorCode read_stiffness(ipg_contact_stiffness *stiffness, PetscOptionItems *PetscOptionsObject) {
  static const char *const words[] = {"mass", "material"};
  char word[64];

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(word, words[*stiffness], sizeof word));
  PetscCall(PetscOptionsString("-contact_stiffness",
                               "Penalty stiffness: mass-based (masses and step) or material-based (material and size)",
                               "", word, word, sizeof word, NULL));
  PetscCheck(strcmp(word, "step"), PETSC_COMM_SELF, PETSC_ERR_USER, "-contact_stiffness: 'step' is called 'mass' now");
  PetscCheck(!strcmp(word, words[0]) || !strcmp(word, words[1]), PETSC_COMM_SELF, PETSC_ERR_USER,
             "-contact_stiffness is '%s'; it must be mass or material", word);
  *stiffness = strcmp(word, words[0]) ? IPG_STIFFNESS_MATERIAL_BASED : IPG_STIFFNESS_MASS_BASED;
  PetscFunctionReturn(0);
}

/* At rest, with the law between blocks. */
static PetscErrorCode read_walls(IpgContact c, PetscOptionItems *PetscOptionsObject) {
  enum { MOST = 6 * IPG_MOST_OPTION_WALLS };
  PetscReal numbers[MOST + 1]; /* one more would be one too many */
  PetscInt count = MOST + 1;

  PetscFunctionBegin;
  PetscCall(PetscOptionsRealArray("-contact_walls", "Rigid walls: x,y,z of a point and of the normal, each", "",
                                  numbers, &count, NULL));
  PetscCheck(count % 6 == 0 && count <= MOST, PetscObjectComm((PetscObject)c), PETSC_ERR_ARG_SIZ,
             "-contact_walls has %" PetscInt_FMT " numbers; give six for each of at most %d planes", count,
             IPG_MOST_OPTION_WALLS);
  for (PetscInt i = 0; i < count / 6; ++i) {
    c->walls[i] = (ipg_contact_wall){.law = c->config.law};
    for (int k = 0; k < 3; ++k)
      c->walls[i].point[k] = numbers[6 * i + k], c->walls[i].normal[k] = numbers[6 * i + 3 + k];
  }
  c->config.walls = c->walls, c->config.wall_count = count / 6;
  PetscFunctionReturn(0);
}

/* Options of earlier versions are refused with their new names. */
static PetscErrorCode refuse_renamed_options(IpgContact c) {
  static const char *const names[][2] = {{"-contact_skin", "-contact_search_margin"},
                                         {"-contact_overlap", "-contact_initial_penetration"},
                                         {"-contact_planes", "-contact_walls"}};
  PetscBool given;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(names); ++i) {
    PetscCall(PetscOptionsHasName(((PetscObject)c)->options, ((PetscObject)c)->prefix, names[i][0], &given));
    PetscCheck(!given, PetscObjectComm((PetscObject)c), PETSC_ERR_USER, "%s is called %s now", names[i][0],
               names[i][1]);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactSetFromOptions(IpgContact c) {
  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  PetscCall(refuse_renamed_options(c));
  PetscCheck(!c->contact, PetscObjectComm((PetscObject)c), PETSC_ERR_ORDER, "read options before the mesh is given");
  PetscObjectOptionsBegin((PetscObject)c);
  PetscCall(read_enforcement(c, PetscOptionsObject));
  PetscCall(read_stiffness(&c->config.stiffness, PetscOptionsObject));
  PetscCall(read_real("-contact_penalty_scale", "Stiffness in units of effective mass / dt^2, or of the material's",
                      &c->config.penalty_scale, NULL, PetscOptionsObject));
  PetscCall(read_law(&c->config.law, PetscOptionsObject));
  PetscCall(PetscOptionsBool("-contact_edges", "Edges touch edges too, where both are convex and sharp", "", c->edges,
                             &c->edges, NULL));
  PetscCall(read_walls(c, PetscOptionsObject));
  PetscCall(read_real("-contact_search_margin",
                      "How far nodes may leave their path before the next search, in mean edges",
                      &c->config.search_margin, NULL, PetscOptionsObject));
  PetscCall(PetscOptionsEList("-contact_initial_penetration", "What to do about nodes inside a body at the start", "",
                              IpgOverlapWords, OVERLAP_WORDS, IpgOverlapWords[c->overlap], &c->overlap, NULL));
  PetscCall(PetscOptionsString("-contact_search_method", "A method of search.h; all give the same pairs", "",
                               c->search_method, c->search_method, sizeof c->search_method, NULL));
  if (!c->host_tasks)
    PetscCall(PetscOptionsInt("-contact_threads", "Threads of contact", "", c->threads, &c->threads, NULL));
  PetscCall(PetscOptionsInt("-contact_audit", "Check every n-th step by brute force; 0: never", "", c->audit_every,
                            &c->audit_every, NULL));
  PetscCall(PetscOptionsInt("-contact_record", "Write step n to contact_step_n.ipg, for impinge replay; 0: none", "",
                            c->record_step, &c->record_step, NULL));
  PetscOptionsEnd();
  PetscCheck(c->threads >= 1, PetscObjectComm((PetscObject)c), PETSC_ERR_ARG_OUTOFRANGE,
             "-contact_threads is %" PetscInt_FMT "; it must be 1 or more", c->threads);
  PetscCheck(c->audit_every >= 0, PetscObjectComm((PetscObject)c), PETSC_ERR_ARG_OUTOFRANGE,
             "-contact_audit is %" PetscInt_FMT "; it must be 0 (never) or more", c->audit_every);
  PetscCheck(c->record_step >= 0, PetscObjectComm((PetscObject)c), PETSC_ERR_ARG_OUTOFRANGE,
             "-contact_record is %" PetscInt_FMT "; it must be 0 (none) or a step", c->record_step);
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactSetThicknesses(IpgContact c, PetscInt count, const double thicknesses[]) {
  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  PetscCheck(!c->contact, PetscObjectComm((PetscObject)c), PETSC_ERR_ORDER, "give thicknesses before the mesh");
  PetscCall(PetscFree(c->thicknesses));
  PetscCall(PetscMalloc1(count, &c->thicknesses));
  PetscCall(PetscArraycpy(c->thicknesses, thicknesses, count));
  c->config.thicknesses = c->thicknesses;
  c->config.thickness_count = count;
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
  PetscCheck(!c->contact, PetscObjectComm((PetscObject)c), PETSC_ERR_ORDER, "give tasks before the mesh");
  c->config.tasks = *tasks;
  c->host_tasks = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactSetModuli(IpgContact c, PetscInt block_count, const PetscReal moduli[]) {
  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  PetscCheck(!c->contact, PetscObjectComm((PetscObject)c), PETSC_ERR_ORDER, "give moduli before the mesh");
  PetscCall(PetscFree(c->moduli));
  PetscCall(PetscMalloc1(block_count, &c->moduli));
  for (PetscInt b = 0; b < block_count; ++b) c->moduli[b] = (double)moduli[b];
  c->block_count = block_count;
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

static PetscErrorCode check_moduli(IpgContact c, const ipg_mesh *mesh) {
  PetscFunctionBegin;
  if (c->config.stiffness != IPG_STIFFNESS_MATERIAL_BASED) PetscFunctionReturn(0);
  PetscCheck(c->moduli, PetscObjectComm((PetscObject)c), PETSC_ERR_ORDER,
             "-contact_stiffness material needs the moduli of the mesh's blocks: call IpgContactSetModuli");
  PetscCheck(c->block_count == mesh->block_count, PetscObjectComm((PetscObject)c), PETSC_ERR_ARG_SIZ,
             "contact was given moduli of %" PetscInt_FMT " blocks; the mesh has %d", c->block_count,
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
  if (!status && c->config.stiffness == IPG_STIFFNESS_MATERIAL_BASED)
    status = ipg_mesh_surface_set_stiffness(&c->surface, mesh, &skin, c->moduli, &error);
  ipg_skin_destroy(&skin);
  IpgCall(comm, error, status);
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
  PetscCall(forget_mesh(c));
  PetscCall(check_moduli(c, mesh));
  PetscCall(start_threads(c));
  PetscCall(build_surface(c, mesh, masses));
  PetscCheck(mesh->node_count <= PETSC_MAX_INT / 3, comm, PETSC_ERR_SUP,
             "%lld nodes are too many for PETSc's integers: take its 64-bit build", (long long)mesh->node_count);
  c->mesh_nodes = (PetscInt)mesh->node_count;
  const size_t values = 3 * (size_t)c->surface.surface.node_count;
  PetscCall(PetscMalloc4(values, &c->places, values, &c->trial, values, &c->came, values, &c->force));
  ipg_mesh_surface_gather(&c->surface, mesh->x, c->places);
  c->config.search_method = c->search_method;
  c->config.edges = c->edges;
  IpgCall(comm, error, ipg_contact_create(&c->config, &c->surface.surface, c->places, &c->contact, &error));
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
  PetscCheck(size == 3 * c->mesh_nodes, PetscObjectComm((PetscObject)c), PETSC_ERR_ARG_SIZ,
             "the vector holds %" PetscInt_FMT " values; the mesh has %" PetscInt_FMT
             " nodes with 3 displacements each",
             size, c->mesh_nodes);
  PetscFunctionReturn(0);
}

static PetscErrorCode gather_trial(IpgContact c, Vec U) {
  const PetscScalar *u;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(U, &u));
  ipg_mesh_surface_gather(&c->surface, u, c->trial);
  PetscCall(VecRestoreArrayRead(U, &u));
  for (int64_t i = 0; i < 3 * c->surface.surface.node_count; ++i) c->trial[i] += c->places[i];
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactSetPositions(IpgContact c, Vec U) {
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscCall(check_layout(c, U));
  PetscCall(gather_trial(c, U));
  IpgCall(PetscObjectComm((PetscObject)c), error, ipg_contact_set_positions(c->contact, c->trial, &error));
  c->resolved = PETSC_FALSE;
  PetscFunctionReturn(0);
}

/* What pushes the predicted places apart; V are the velocities before the step's forces. */
static PetscErrorCode correct(IpgContact c, PetscReal dt, Vec V) {
  ipg_error error = {0};
  ipg_contact_projection correction;
  const PetscScalar *v;

  PetscFunctionBegin;
  PetscCheck(c->attached, PetscObjectComm((PetscObject)c), PETSC_ERR_SUP,
             "-contact_enforcement kinematic moves what a time stepper predicts: attach the contact to one of type "
             "impinge_cd, or choose -contact_enforcement penalty");
  if (V) {
    PetscCall(check_layout(c, V));
    PetscCall(VecGetArrayRead(V, &v));
    ipg_mesh_surface_gather(&c->surface, v, c->came);
    PetscCall(VecRestoreArrayRead(V, &v));
  }
  IpgCall(PetscObjectComm((PetscObject)c), error,
          ipg_contact_project(c->contact, c->trial, V ? c->came : NULL, (double)dt, c->force, &correction, &error));
  PetscFunctionReturn(0);
}

/* Dampers take the mean velocity of the step. */
static PetscErrorCode evaluate(IpgContact c, PetscReal dt) {
  ipg_error error = {0};

  PetscFunctionBegin;
  IpgCall(PetscObjectComm((PetscObject)c), error,
          ipg_contact_evaluate(c->contact, c->trial, NULL, (double)dt, c->force, &error));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactComputeForce(IpgContact c, PetscReal dt, Vec U, Vec V, Vec F) {
  PetscScalar *f;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  PetscCall(check_layout(c, U));
  PetscCall(check_layout(c, F));
  PetscCall(PetscLogEventBegin(IPG_ComputeForce, c, U, F, 0));
  PetscCall(gather_trial(c, U));
  PetscCall(IpgContactRecordStep(c, dt));
  if (IpgContactIsKinematic(c)) PetscCall(correct(c, dt, V));
  else PetscCall(evaluate(c, dt));
  PetscCall(VecGetArray(F, &f));
  ipg_mesh_surface_add(&c->surface, c->force, f);
  PetscCall(VecRestoreArray(F, &f));
  PetscCall(PetscLogEventEnd(IPG_ComputeForce, c, U, F, 0));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactAudit(IpgContact c, ipg_contact_audit_report *report) {
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscCall(require_mesh(c));
  IpgCall(PetscObjectComm((PetscObject)c), error, ipg_contact_audit(c->contact, report, &error));
  c->audits++;
  PetscFunctionReturn(0);
}

static PetscErrorCode audit_step(IpgContact c, PetscInt step) {
  ipg_contact_audit_report report;

  PetscFunctionBegin;
  PetscCall(IpgContactAudit(c, &report));
  const PetscBool clean =
      (PetscBool)(!report.missed_candidates && !report.wrong_contacts && report.nodes_inside <= c->inside_at_start);
  PetscCheck(clean, PetscObjectComm((PetscObject)c), PETSC_ERR_PLIB,
             "the contact audit of step %" PetscInt_FMT
             " found: %s; record the step with -contact_record %" PetscInt_FMT
             ", look at it with impinge replay --audit, and report it",
             step, report.message, step);
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactAccept(IpgContact c, PetscInt step) {
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscCall(require_mesh(c));
  if (step == ipg_contact_last_step(c->contact)) PetscFunctionReturn(0);
  if (c->audit_every && step % c->audit_every == 0) PetscCall(audit_step(c, step));
  IpgCall(PetscObjectComm((PetscObject)c), error, ipg_contact_accept(c->contact, step, &error));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactRevert(IpgContact c) {
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscCall(require_mesh(c));
  IpgCall(PetscObjectComm((PetscObject)c), error, ipg_contact_revert(c->contact, &error));
  PetscFunctionReturn(0);
}

/* -------------------------------------------------------------------------------------------------------- questions */

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
        forces[3 * c->surface.mesh_nodes[pairs[i].nodes[n]] + k] += pairs[i].weights[n] * pairs[i].force[k];
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactGetEnergyBalance(IpgContact c, ipg_contact_energy_balance *ledger) {
  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  *ledger = c->contact ? ipg_contact_get_energy_balance(c->contact) : (ipg_contact_energy_balance){0};
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
  *audits = c->audits;
  PetscFunctionReturn(0);
}

static PetscErrorCode view_state(IpgContact c, PetscViewer viewer) {
  const ipg_contact_counters n = ipg_contact_get_counters(c->contact);
  const ipg_contact_energy_balance ledger = ipg_contact_get_energy_balance(c->contact);

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  surface: %lld nodes, %lld faces\n",
                                   (long long)c->surface.surface.node_count, (long long)c->surface.surface.face_count));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  evaluations %lld, searches %lld, audits %lld\n", (long long)n.evaluations,
                                   (long long)n.searches, (long long)c->audits));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  last: %lld candidates, %lld contacts\n", (long long)n.candidates,
                                   (long long)n.contacts));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "  births %lld, ends %lld, work %g, stored %g, released %g, deepest gap %g\n",
                                   (long long)ledger.activations, (long long)ledger.deactivations, ledger.contact_work,
                                   ledger.contact_energy, ledger.spring_net_loss, ledger.smallest_gap));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactView(IpgContact c, PetscViewer viewer) {
  PetscBool ascii;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  if (!viewer) PetscCall(PetscViewerASCIIGetStdout(PetscObjectComm((PetscObject)c), &viewer));
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(0);
  PetscCall(PetscObjectPrintClassNamePrefixType((PetscObject)c, viewer));
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "  %s, search %s, penalty scale %g of %s, %d threads, audit every %" PetscInt_FMT "\n",
      enforcements[c->config.enforcement], c->search_method, c->config.penalty_scale,
      c->config.stiffness == IPG_STIFFNESS_MATERIAL_BASED ? "the material" : "the masses", c->config.tasks.worker_count,
      c->audit_every));
  if (c->contact) PetscCall(view_state(c, viewer));
  PetscFunctionReturn(0);
}

/* ------------------------------------------------------------------------------------------------------------- a TS */

bool IpgContactIsKinematic(IpgContact c) { return c->config.enforcement == IPG_ENFORCEMENT_KINEMATIC; }

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

PetscErrorCode IpgContactOfTS(TS ts, IpgContact *contact) {
  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)ts, attached_name, (PetscObject *)contact));
  PetscFunctionReturn(0);
}
