/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Masses of the mesh's nodes. A residual tells them: it grows by the mass where an acceleration grows by one. A program
 * that gives accelerations does not, so its densities are asked for, and the force is divided by the masses. */
#include "host.h"

/* How the residual of a place grows with the rate of change there. Places of displacements have 1 there or the mass. */
static PetscErrorCode probe(ipg_host *h, Vec *rates) {
  TS ts = h->ts;
  Vec one, residual;
  DM dm;

  PetscFunctionBegin;
  PetscCall(TSGetDM(ts, &dm));
  PetscCall(VecDuplicate(ts->vec_sol, rates));
  PetscCall(VecDuplicate(ts->vec_sol, &one));
  PetscCall(VecDuplicate(ts->vec_sol, &residual));
  PetscCall(VecSet(one, 1));
  if (h->kind == HOST_IFUNCTION) {
    PetscCall(TSComputeIFunction(ts, ts->ptime, ts->vec_sol, one, *rates, PETSC_FALSE));
    PetscCall(VecZeroEntries(one));
    PetscCall(TSComputeIFunction(ts, ts->ptime, ts->vec_sol, one, residual, PETSC_FALSE));
  } else {
    PetscCall(TSComputeI2Function(ts, ts->ptime, ts->vec_sol, ts->vec_dot, one, *rates));
    PetscCall(VecZeroEntries(one));
    PetscCall(TSComputeI2Function(ts, ts->ptime, ts->vec_sol, ts->vec_dot, one, residual));
  }
  PetscCall(VecAXPY(*rates, -1, residual));
  PetscCall(VecDestroy(&residual));
  PetscCall(VecDestroy(&one));
  PetscFunctionReturn(0);
}

/* Of the three components at the places of a node. */
static PetscErrorCode take_masses(ipg_host *h, Vec rates, const PetscInt *places) {
  const PetscScalar *rate;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(rates, &rate));
  for (int64_t i = 0; i < h->mesh.node_count; ++i) {
    double sum = 0;
    for (int k = 0; k < 3; ++k) sum += PetscRealPart(rate[places[3 * i + k]]);
    h->masses[i] = sum / 3;
  }
  PetscCall(VecRestoreArrayRead(rates, &rate));
  PetscFunctionReturn(0);
}

/* A mass matrix of elements with middle nodes has sums of rows below 0. Its diagonal is scaled so that the whole mass
 * stays. */
static PetscErrorCode lump_by_diagonal(ipg_host *h, Vec rates) {
  TS ts = h->ts;
  Vec zero, diagonal;
  Mat jacobian;
  PetscScalar whole, sum;
  TSI2Jacobian function;

  PetscFunctionBegin;
  PetscCall(TSGetI2Jacobian(ts, &jacobian, NULL, &function, NULL));
  PetscCheck(jacobian && function, PetscObjectComm((PetscObject)ts), PETSC_ERR_USER,
             "the sums of the rows of the program's mass matrix are not all above 0, and it gives no Jacobian by "
             "TSSetI2Jacobian, from whose diagonal contact could lump it: give -contact_density");
  PetscCall(VecDuplicate(ts->vec_sol, &zero));
  PetscCall(VecZeroEntries(zero));
  PetscCall(TSComputeI2Jacobian(ts, ts->ptime, ts->vec_sol, ts->vec_dot, zero, 0, 1, jacobian, jacobian));
  PetscCall(MatCreateVecs(jacobian, NULL, &diagonal));
  PetscCall(MatGetDiagonal(jacobian, diagonal));
  PetscCall(TSComputeI2Jacobian(ts, ts->ptime, ts->vec_sol, ts->vec_dot, zero, 0, 0, jacobian, jacobian));
  PetscCall(MatGetDiagonal(jacobian, zero));
  PetscCall(VecAXPY(diagonal, -1, zero));
  PetscCall(VecSum(rates, &whole));
  PetscCall(VecSum(diagonal, &sum));
  PetscCall(VecCopy(diagonal, rates));
  PetscCall(VecScale(rates, whole / sum));
  PetscCall(VecDestroy(&diagonal));
  PetscCall(VecDestroy(&zero));
  PetscFunctionReturn(0);
}

/* -------------------------------------------------------------------------------------------------------- densities */

/* One for each block, in the order of the mesh, or one for all. */
static PetscErrorCode check_densities(ipg_host *h) {
  const MPI_Comm comm = PetscObjectComm((PetscObject)h->ts);
  const PetscInt blocks = h->mesh.block_count, count = h->options.density_count;

  PetscFunctionBegin;
  PetscCheck(blocks <= MOST_DENSITIES, comm, PETSC_ERR_SUP, "the mesh has more than %d blocks", MOST_DENSITIES);
  PetscCheck(count == 1 || count == blocks, comm, PETSC_ERR_ARG_SIZ,
             "-contact_density has %" PetscInt_FMT " numbers; give one, or one for each of the %" PetscInt_FMT
             " blocks of the mesh",
             count, blocks);
  for (PetscInt b = 0; b < count; ++b)
    PetscCheck(h->options.densities[b] > 0, comm, PETSC_ERR_ARG_OUTOFRANGE,
               "-contact_density has %g: it must be above 0", (double)h->options.densities[b]);
  PetscFunctionReturn(0);
}

static void lump_densities(ipg_host *h) {
  const host_options *o = &h->options;
  for (int64_t i = 0; i < h->mesh.node_count; ++i) h->masses[i] = 0;
  for (int b = 0; b < h->mesh.block_count; ++b) {
    const ipg_block *block = &h->mesh.blocks[b];
    for (int64_t e = block->first; e < block->first + block->count; ++e) {
      const ipg_id *nodes = h->mesh.tets + 4 * e;
      const double quarter = 0.25 * o->densities[o->density_count == 1 ? 0 : b] * ipg_tet_volume(h->mesh.x, nodes);
      for (int k = 0; k < 4; ++k) h->masses[nodes[k]] += quarter;
    }
  }
}

/* -------------------------------------------------------------------------------------------------------- the masses
 */

static PetscErrorCode check_masses(ipg_host *h) {
  PetscFunctionBegin;
  for (int64_t i = 0; i < h->mesh.node_count; ++i)
    PetscCheck(h->masses[i] > 0, PetscObjectComm((PetscObject)h->ts), PETSC_ERR_USER,
               "node %lld of the mesh has the mass %g: it must be above 0; does -contact_layout say where its velocity "
               "is?",
               (long long)h->mesh.node_gids[i], h->masses[i]);
  PetscFunctionReturn(0);
}

static bool has_negative(const ipg_host *h) {
  for (int64_t i = 0; i < h->mesh.node_count; ++i)
    if (!(h->masses[i] > 0)) return true;
  return false;
}

/* Equations that are solved for the accelerations have 1 where others have the mass. */
static bool are_all_one(const ipg_host *h) {
  for (int64_t i = 0; i < h->mesh.node_count; ++i)
    if (!(fabs(h->masses[i] - 1) <= 1e-9)) return false;
  return true;
}

static PetscErrorCode find_from_residual(ipg_host *h) {
  const PetscInt *places = h->kind == HOST_IFUNCTION ? h->velocity_places : h->displacement_places;
  Vec rates;

  PetscFunctionBegin;
  PetscCall(probe(h, &rates));
  PetscCall(take_masses(h, rates, places));
  if (h->kind != HOST_IFUNCTION && has_negative(h)) {
    PetscCall(lump_by_diagonal(h, rates));
    PetscCall(take_masses(h, rates, places));
  }
  PetscCall(VecDestroy(&rates));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgHostFindMasses(ipg_host *h) {
  const bool given = h->options.has_density;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(h->mesh.node_count, &h->masses));
  if (given) PetscCall(check_densities(h));
  const bool has_residual = h->kind == HOST_I2FUNCTION || h->kind == HOST_IFUNCTION || h->kind == HOST_IMPINGE_CD;
  if (has_residual) PetscCall(find_from_residual(h));
  h->gives_acceleration = (PetscBool)(!has_residual || (h->kind == HOST_IFUNCTION && are_all_one(h)));
  PetscCheck(!h->gives_acceleration || given, PetscObjectComm((PetscObject)h->ts), PETSC_ERR_USER,
             "the program gives accelerations, so contact does not know its masses: give the density of each block of "
             "the mesh as -contact_density");
  if (given) lump_densities(h);
  PetscCall(check_masses(h));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgHostFindFactors(ipg_host *h) {
  const ipg_mesh_surface *s = &h->contact->surface;

  PetscFunctionBegin;
  if (!h->gives_acceleration) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(3 * s->surface.node_count, &h->factors));
  for (int64_t i = 0; i < 3 * s->surface.node_count; ++i) h->factors[i] = 1 / h->masses[s->mesh_nodes[i / 3]];
  PetscFunctionReturn(0);
}
