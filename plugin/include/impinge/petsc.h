/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Impinge for PETSc: contact as a PETSc object, and a time stepper that knows it.
 *
 *     IpgContactCreate(PETSC_COMM_WORLD, &contact);
 *     IpgContactSetFromOptions(contact);                  // -contact_...
 *     IpgContactSetMesh(contact, &mesh, masses);          // surface of a tetrahedral mesh
 *     IpgContactAttach(contact, ts);                      // ts of type "impinge_cd" does the rest
 *
 * A host with a loop of its own calls IpgContactComputeForce in each step and IpgContactAccept at its end.
 * Vectors hold three values per node, in the order of the mesh's nodes: displacements U from the mesh's places,
 * velocities V, forces F on the right-hand side. One rank for now.
 *
 * The library is also a plug-in: `-dll_append <path>/libimpinge_petsc.so` gives `-ts_type impinge_cd` to any program.
 */
#ifndef IMPINGE_PETSC_H
#define IMPINGE_PETSC_H

#include "impinge/contact.h"
#include "impinge/meshio.h"
#include <petscts.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Central difference for TSSetI2Function hosts, F(t, u, v, a) = M a - f(t, u, v) = 0 with a lumped mass, which is found
 * as F(t, u, v, 1) - F(t, u, v, 0). Options -ts_time_step or -ts_dt; no error control. */
#define TSIMPINGECD "impinge_cd"

typedef struct _p_IpgContact *IpgContact;

/* Registers the class and the stepper; called by every function that needs it. */
IPG_API PetscErrorCode IpgInitializePackage(void);
/* What PETSc calls when the library is loaded by -dll_append. */
IPG_API PetscErrorCode PetscDLLibraryRegister_impinge_petsc(void);

IPG_API PetscErrorCode IpgContactCreate(MPI_Comm comm, IpgContact *contact);
IPG_API PetscErrorCode IpgContactDestroy(IpgContact *contact);
/* -contact_enforcement, -contact_stiffness, -contact_penalty_scale, -contact_friction_static,
 * -contact_friction_dynamic, -contact_friction_decay, -contact_damping, -contact_edges, -contact_walls,
 * -contact_initial_penetration, -contact_search_margin, -contact_search_method, -contact_threads, -contact_audit,
 * -contact_record: see -help. Before SetMesh.
 */
IPG_API PetscErrorCode IpgContactSetFromOptions(IpgContact contact);
/* How far outside of its faces the surface of each block of the mesh lies; before SetMesh. None: 0. */
IPG_API PetscErrorCode IpgContactSetThicknesses(IpgContact contact, PetscInt count, const double thicknesses[]);
/* The host's threads instead of -contact_threads; before SetMesh. */
IPG_API PetscErrorCode IpgContactSetTasks(IpgContact contact, const ipg_tasks *tasks);
/* Bulk moduli of the mesh's blocks, for -contact_stiffness material; before SetMesh. */
IPG_API PetscErrorCode IpgContactSetModuli(IpgContact contact, PetscInt block_count, const PetscReal moduli[]);
/* Where lines about the run go; PETSc's standard output if it is not said. */
IPG_API PetscErrorCode IpgContactSetLog(IpgContact contact, FILE *log);
/* masses: one per node of the mesh. The mesh is not needed afterwards. */
IPG_API PetscErrorCode IpgContactSetMesh(IpgContact contact, const ipg_mesh *mesh, const double *masses);
/* The bodies start at U and touch nothing. impinge_cd calls it at its first step. */
IPG_API PetscErrorCode IpgContactSetPositions(IpgContact contact, Vec U);
/* Nodes that are inside a body at the start: what -contact_initial_penetration says. `report` tells of them, `ignore`
 * too and makes each a contact at rest, `stop` fails. After Place; impinge_cd calls both at its first step, unless the
 * host has. */
IPG_API PetscErrorCode IpgContactResolveInitialPenetration(IpgContact contact);
/* `remove` is the host's: if it is asked for, moves nodes of the mesh apart (3 values per node, those of SetMesh), else
 * does nothing. After nodes were moved the host makes what depends on places anew, and calls SetMesh again. */
IPG_API PetscErrorCode IpgContactRemoveInitialPenetration(IpgContact contact, double *mesh_x, PetscInt *moved,
                                                          PetscReal *farthest);
/* Adds the contact forces at the trial state U, V to F. May be called as often as the host likes. V may be NULL.
 * With -contact_enforcement kinematic only impinge_cd may: U is what it predicts, V were the velocities before the
 * step's forces, and it moves U by dt^2 F / mass. */
IPG_API PetscErrorCode IpgContactComputeForce(IpgContact contact, PetscReal dt, Vec U, Vec V, Vec F);
/* The step is complete: history and ledger move. Twice for the same step does nothing. */
IPG_API PetscErrorCode IpgContactAccept(IpgContact contact, PetscInt step);
/* Back to before the last accept. */
IPG_API PetscErrorCode IpgContactRevert(IpgContact contact);

IPG_API PetscErrorCode IpgContactGetPairs(IpgContact contact, PetscInt *count, const ipg_contact_pair **pairs);
/* Adds the forces of these pairs to an array with three values per node of the mesh. */
IPG_API PetscErrorCode IpgContactAddPairForces(IpgContact contact, PetscInt count, const ipg_contact_pair *pairs,
                                               PetscScalar *forces);
IPG_API PetscErrorCode IpgContactGetEnergyBalance(IpgContact contact, ipg_contact_energy_balance *ledger);
IPG_API PetscErrorCode IpgContactGetCounters(IpgContact contact, ipg_contact_counters *counters);
/* The audit of the state last evaluated, by brute force; see -contact_audit. */
IPG_API PetscErrorCode IpgContactAudit(IpgContact contact, ipg_contact_audit_report *report);
/* How many audits there were. */
IPG_API PetscErrorCode IpgContactGetAuditCount(IpgContact contact, PetscInt *audits);
IPG_API PetscErrorCode IpgContactView(IpgContact contact, PetscViewer viewer);

/* Makes a TS of type impinge_cd call Place, ComputeForce and Accept; another type is refused. */
IPG_API PetscErrorCode IpgContactAttach(IpgContact contact, TS ts);

/* One result file from many ranks. Every rank names the nodes and elements it owns by their global numbers; each must
 * be owned once. Rank 0 has the whole mesh (the others pass NULL) and writes; a file has the same bytes on any number
 * of ranks. All calls are collective. */
typedef struct _n_IpgResultsWriter *IpgResultsWriter;

IPG_API PetscErrorCode IpgResultsWriterCreate(MPI_Comm comm, const char path[], const ipg_mesh *mesh,
                                              const ipg_results_layout *layout, PetscInt nodes,
                                              const ipg_gid node_gids[], PetscInt elements,
                                              const ipg_gid element_gids[], IpgResultsWriter *writer);
/* nodal[field], element[field]: a value for each node and element of this rank, in the order given at create; globals
 * of rank 0 count. On return the step is in the file. */
IPG_API PetscErrorCode IpgResultsWriterAppend(IpgResultsWriter writer, PetscReal time, const double *const nodal[],
                                              const double *const element[], const double globals[]);
IPG_API PetscErrorCode IpgResultsWriterDestroy(IpgResultsWriter *writer);

#ifdef __cplusplus
}
#endif
#endif
