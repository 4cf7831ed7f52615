/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Impinge for PETSc: contact as a PETSc object, and a time stepper that includes contact.
 *
 *     IpgContactCreate(PETSC_COMM_WORLD, &contact);
 *     IpgContactSetFromOptions(contact);                  // -contact_...
 *     IpgContactSetModuli(contact, blocks, moduli);       // or IpgContactSetReferenceStep: penalty contact needs one
 *     IpgContactSetMesh(contact, &mesh, masses);          // surface of a tetrahedral mesh
 *     IpgContactAttach(contact, ts);                      // a ts of type impinge_cd makes all other calls
 *
 * A host code with its own time loop calls IpgContactResolveInitialPenetration once, IpgContactComputeForce in each
 * step and IpgContactAccept at its end. Vectors hold three values per node, in the order of the mesh's nodes:
 * displacements U from the mesh's positions, velocities V, forces F on the right-hand side. Contact runs on one rank.
 *
 * The library is also a plug-in: `-dll_append <path>/libimpinge_petsc.so` adds `-ts_type impinge_cd` to any program,
 * and contact to any that has -contact among its options (docs/plugin.md).
 *
 * Threads: as in PETSc, one thread of a process calls these functions. Contact itself runs on -contact_threads threads,
 * or on those of IpgContactSetTasks.
 */
#ifndef IMPINGE_PETSC_H
#define IMPINGE_PETSC_H

#include "impinge/contact.h"
#include "impinge/meshio.h"
#include <petscts.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Central difference for host codes that call TSSetI2Function with F(t, u, v, a) = M a - f(t, u, v) = 0. The mass is
 * lumped, and found as F(t, u, v, 1) - F(t, u, v, 0). Time step: -ts_time_step or -ts_dt; there is no error control. */
#define TSIMPINGECD "impinge_cd"

typedef struct _p_IpgContact *IpgContact;

/* Registers the class and the time stepper. IpgContactCreate calls it; a program that uses the time stepper alone calls
 * it before TSSetType. */
IPG_API PetscErrorCode IpgInitializePackage(void);
/* PETSc calls it when the library is loaded by -dll_append. */
IPG_API PetscErrorCode PetscDLLibraryRegister_impinge_petsc(void);

IPG_API PetscErrorCode IpgContactCreate(MPI_Comm comm, IpgContact *contact);
IPG_API PetscErrorCode IpgContactDestroy(IpgContact *contact);

/* --------------------------------------------------------------------------------------------------------- settings */

/* The settings are given before IpgContactSetMesh, the log at any time. */

/* -contact_enforcement, -contact_penalty_scale, -contact_reference_step, -contact_moduli, -contact_onset,
 * -contact_penetration_limit, -contact_friction_static, -contact_friction_dynamic, -contact_friction_decay,
 * -contact_damping, -contact_edges, -contact_walls, -contact_initial_penetration, -contact_search_margin,
 * -contact_search_method, -contact_threads, -contact_audit, -contact_monitor, -contact_record: -help prints their
 * meaning. */
IPG_API PetscErrorCode IpgContactSetFromOptions(IpgContact contact);
/* Thickness of each block of the mesh: how far outside of its faces its surface lies. Default: 0. */
IPG_API PetscErrorCode IpgContactSetThicknesses(IpgContact contact, PetscInt count, const double thicknesses[]);
/* The velocity of each block at the start, 3 per block: penalty contact takes its onset from how fast blocks move
 * against each other. Default: not known. */
IPG_API PetscErrorCode IpgContactSetReferenceVelocities(IpgContact contact, PetscInt count, const double velocities[]);
/* Threads of the host code, used instead of -contact_threads. */
IPG_API PetscErrorCode IpgContactSetTasks(IpgContact contact, const ipg_tasks *tasks);
/* Bulk modulus of each block of the mesh: the stiffness of penalty contact. */
IPG_API PetscErrorCode IpgContactSetModuli(IpgContact contact, PetscInt block_count, const PetscReal moduli[]);
/* The first time step of the host code: the stiffness of penalty contact without moduli is the mass of nodes over its
 * square. */
IPG_API PetscErrorCode IpgContactSetReferenceStep(IpgContact contact, PetscReal step);
/* The stream for lines about the run. Default: PETSc's standard output. */
IPG_API PetscErrorCode IpgContactSetLog(IpgContact contact, FILE *log);
/* Takes the surface of the mesh; masses: one per node of the mesh. Both are copied. A second call replaces them. */
IPG_API PetscErrorCode IpgContactSetMesh(IpgContact contact, const ipg_mesh *mesh, const double *masses);

/* ----------------------------------------------------------------------------------------------------------- a run */

/* A new start at time t and displacements U: no contact is active. impinge_cd calls it at its first step, unless the
 * host code has called it and IpgContactResolveInitialPenetration. */
IPG_API PetscErrorCode IpgContactSetPositions(IpgContact contact, PetscReal t, Vec U);
/* Finds nodes that are inside a body or behind a rigid wall at the start, and treats them by the word of
 * -contact_initial_penetration: `report` logs a warning, `ignore` a line, and both make each node a contact that
 * resists only deeper penetration; `stop` fails, and so does `remove` where penetration is left. After
 * IpgContactSetPositions; impinge_cd calls it at its first step. */
IPG_API PetscErrorCode IpgContactResolveInitialPenetration(IpgContact contact);
/* With -contact_initial_penetration remove: moves nodes of the mesh apart, and onto the walls. mesh_x: the positions
 * given to IpgContactSetMesh, 3 per node; moved: number of nodes moved; farthest: the largest distance. If nodes were
 * moved, the host code computes again what depends on the positions, such as masses, and calls IpgContactSetMesh again.
 * With any other setting: moves nothing. */
IPG_API PetscErrorCode IpgContactRemoveInitialPenetration(IpgContact contact, double *mesh_x, PetscInt *moved,
                                                          PetscReal *farthest);
/* Adds the contact forces at time t and the trial state U, V to F, and changes nothing that a later call could see. V
 * may be NULL. With -contact_enforcement kinematic only impinge_cd may call it: U are the displacements that it
 * predicts, V the velocities before the forces of the step, and it then moves U by dt^2 F / mass, dt from the accepted
 * state to t. */
IPG_API PetscErrorCode IpgContactComputeForce(IpgContact contact, PetscReal t, Vec U, Vec V, Vec F);
/* The step is complete: commits history and energies. A second call with the same step does nothing. */
IPG_API PetscErrorCode IpgContactAccept(IpgContact contact, PetscInt step);
/* Returns to the state before the last accept; once. */
IPG_API PetscErrorCode IpgContactRevert(IpgContact contact);
/* Attaches the contact to a TS of type impinge_cd, which then calls IpgContactSetPositions, _ResolveInitialPenetration,
 * _ComputeForce, _Accept and _Revert. A TS of another type is refused. */
IPG_API PetscErrorCode IpgContactAttach(IpgContact contact, TS ts);

/* --------------------------------------------------------------------------------------------------------- queries */

/* The contacts of the last evaluation; valid until the next call that is not a query. */
IPG_API PetscErrorCode IpgContactGetPairs(IpgContact contact, PetscInt *count, const ipg_contact_pair **pairs);
/* Adds the forces of these pairs to an array with three values per node of the mesh. Penalty contact: pairs of nodes
 * and faces have none, see IpgContactAddForces. */
IPG_API PetscErrorCode IpgContactAddPairForces(IpgContact contact, PetscInt count, const ipg_contact_pair *pairs,
                                               PetscScalar *forces);
/* Of a time stepper impinge_cd: what to add to the kinetic energy of its velocities for the energy that its scheme
 * keeps, which differs by dt^2 times the squares of frequencies. 0 before the first step, and of any other time
 * stepper. */
IPG_API PetscErrorCode IpgTSGetKineticCorrection(TS ts, PetscReal *correction);
/* Adds the contact forces of the last evaluation to an array with 3 numbers for each node of the mesh. */
IPG_API PetscErrorCode IpgContactAddForces(IpgContact contact, PetscScalar forces[]);
/* Adds ipg_contact_node_rates to an array with one number for each node of the mesh. */
IPG_API PetscErrorCode IpgContactAddNodeRates(IpgContact contact, double rates[]);
/* The value of -contact_enforcement. */
IPG_API PetscErrorCode IpgContactGetEnforcement(IpgContact contact, ipg_contact_enforcement *enforcement);
IPG_API PetscErrorCode IpgContactGetEnergyBalance(IpgContact contact, ipg_contact_energy_balance *balance);
IPG_API PetscErrorCode IpgContactGetCounters(IpgContact contact, ipg_contact_counters *counters);
/* Checks the last evaluation by brute force, as -contact_audit does. */
IPG_API PetscErrorCode IpgContactAudit(IpgContact contact, ipg_contact_audit_report *report);
/* The number of audits so far. */
IPG_API PetscErrorCode IpgContactGetAuditCount(IpgContact contact, PetscInt *audits);
IPG_API PetscErrorCode IpgContactView(IpgContact contact, PetscViewer viewer);

/* --------------------------------------------------------------------------------------------------- results writer
 *
 * One result file from many ranks. Each rank names the nodes and elements it owns by their global numbers; each node
 * and element is owned by one rank. Rank 0 has the whole mesh (the others pass NULL) and writes. The file has the same
 * bytes for any number of ranks. All calls are collective. */
typedef struct _n_IpgResultsWriter *IpgResultsWriter;

IPG_API PetscErrorCode IpgResultsWriterCreate(MPI_Comm comm, const char path[], const ipg_mesh *mesh,
                                              const ipg_results_layout *layout, PetscInt nodes,
                                              const ipg_gid node_gids[], PetscInt elements,
                                              const ipg_gid element_gids[], IpgResultsWriter *writer);
/* nodal[field], element[field]: a value for each node and element of this rank, in the order given at create; globals:
 * those of rank 0 are written. On return the step is in the file. */
IPG_API PetscErrorCode IpgResultsWriterAppend(IpgResultsWriter writer, PetscReal time, const double *const nodal[],
                                              const double *const element[], const double globals[]);
IPG_API PetscErrorCode IpgResultsWriterDestroy(IpgResultsWriter *writer);

#ifdef __cplusplus
}
#endif
#endif
