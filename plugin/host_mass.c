/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Masses of the mesh's nodes, and by what the contact force is multiplied in the function that carries it. The residual
 * tells: each of its rows grows by its rate where the acceleration of its node does. Rates are masses where the rows
 * are forces, and all alike where they are accelerations; a row without a rate has no equation of motion, as where a
 * node is held, and bears no force. Accelerations do not tell masses: those follow from densities. */
#include "host.h"

#include <string.h>

static const double no_rate = 1e-12; /* of the largest */

/* ------------------------------------------------------------------------------------------------------------- rates
 */

static bool has_second_order(const ipg_host *h) { return h->kind == HOST_I2FUNCTION || h->kind == HOST_IMPINGE_CD; }

/* Where velocities are, or their rates. */
static const PetscInt *rate_indices(const ipg_host *h) {
  return h->velocity_indices ? h->velocity_indices : h->displacement_indices;
}

/* Of the rates alone: with both an implicit and an explicit part, of the implicit one. */
static PetscErrorCode compute_residual(ipg_host *h, Vec rate, Vec residual) {
  TS ts = h->ts;

  PetscFunctionBegin;
  if (has_second_order(h)) PetscCall(TSComputeI2Function(ts, ts->ptime, ts->vec_sol, ts->vec_dot, rate, residual));
  else PetscCall(TSComputeIFunction(ts, ts->ptime, ts->vec_sol, rate, residual, PETSC_TRUE));
  PetscFunctionReturn(0);
}

static PetscErrorCode set_rates(ipg_host *h, PetscScalar value, Vec rate) {
  PetscScalar *r;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(rate));
  PetscCall(VecGetArray(rate, &r));
  for (PetscInt i = 0; i < 3 * h->mesh.node_count; ++i) r[rate_indices(h)[i]] = value;
  PetscCall(VecRestoreArray(rate, &r));
  PetscFunctionReturn(0);
}

/* Twice where the residual is large, so that rounding of its other terms does not show. */
static PetscErrorCode probe(ipg_host *h, Vec *rates) {
  Vec rate, rest;
  PetscReal of_rates, of_rest;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(h->ts->vec_sol, rates));
  PetscCall(VecDuplicate(h->ts->vec_sol, &rate));
  PetscCall(VecDuplicate(h->ts->vec_sol, &rest));
  PetscCall(set_rates(h, 0, rate));
  PetscCall(compute_residual(h, rate, rest));
  PetscCall(VecNorm(rest, NORM_INFINITY, &of_rest));
  for (PetscReal size = 1; size > 0;) {
    PetscCall(set_rates(h, size, rate));
    PetscCall(compute_residual(h, rate, *rates));
    PetscCall(VecAXPY(*rates, -1, rest));
    PetscCall(VecScale(*rates, 1 / size));
    PetscCall(VecNorm(*rates, NORM_INFINITY, &of_rates));
    size = size == 1 && of_rates > 0 && of_rest > of_rates ? of_rest / of_rates : 0;
  }
  PetscCall(VecDestroy(&rest));
  PetscCall(VecDestroy(&rate));
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
             "TSSetI2Jacobian, from whose diagonal contact could lump it");
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

/* What all rates of the mesh's nodes have in common. */
typedef struct rate_range {
  double least, most; /* of those that are not 0 */
} rate_range;

static rate_range take_rates(ipg_host *h, const PetscScalar *rates, double *of_nodes) {
  rate_range range = {INFINITY, 0};
  for (PetscInt i = 0; i < 3 * h->mesh.node_count; ++i) {
    of_nodes[i] = rates ? PetscRealPart(rates[rate_indices(h)[i]]) : 1;
    range.most = PetscMax(range.most, fabs(of_nodes[i]));
  }
  for (PetscInt i = 0; i < 3 * h->mesh.node_count; ++i) {
    if (fabs(of_nodes[i]) <= no_rate * range.most) of_nodes[i] = 0;
    else range.least = PetscMin(range.least, of_nodes[i]);
  }
  return range;
}

static PetscErrorCode find_rates(ipg_host *h, double *of_nodes, rate_range *range) {
  const MPI_Comm comm = PetscObjectComm((PetscObject)h->ts);
  const PetscScalar *values;
  Vec rates;

  PetscFunctionBegin;
  if (h->kind == HOST_SPLIT) {
    *range = take_rates(h, NULL, of_nodes);
    PetscFunctionReturn(0);
  }
  PetscCall(probe(h, &rates));
  for (int lumped = 0; lumped < 2; ++lumped) {
    PetscCall(VecGetArrayRead(rates, &values));
    *range = take_rates(h, values, of_nodes);
    PetscCall(VecRestoreArrayRead(rates, &values));
    if (range->least > 0 || lumped || !has_second_order(h)) break;
    PetscCall(lump_by_diagonal(h, rates));
  }
  PetscCall(VecDestroy(&rates));
  PetscCheck(range->most > 0, comm, PETSC_ERR_USER,
             "the program's residual has no masses where the velocities of the mesh's nodes should be: does "
             "-contact_layout say where they are?");
  PetscCheck(range->least > 0, comm, PETSC_ERR_USER,
             "the program's residual has the mass %g at a node of the mesh: it must be above 0", range->least);
  PetscFunctionReturn(0);
}

/* -------------------------------------------------------------------------------------------------------- densities */

/* One for each block, in the order of the mesh, or one for all. */
static PetscErrorCode check_densities(ipg_host *h) {
  const MPI_Comm comm = PetscObjectComm((PetscObject)h->ts);
  const PetscInt blocks = h->mesh.block_count, count = h->options.density_count;

  PetscFunctionBegin;
  PetscCheck(count == 1 || count == blocks, comm, PETSC_ERR_ARG_SIZ,
             "-contact_density has %" PetscInt_FMT " numbers; give one, or one for each of the %" PetscInt_FMT
             " blocks of the mesh",
             count, blocks);
  for (PetscInt b = 0; b < count; ++b)
    PetscCheck(h->options.densities[b] > 0, comm, PETSC_ERR_ARG_OUTOFRANGE,
               "-contact_density has %g: it must be above 0", (double)h->options.densities[b]);
  PetscFunctionReturn(0);
}

/* Of densities; without any, volumes. */
static void lump(const ipg_host *h, double *masses) {
  const host_options *o = &h->options;
  for (int64_t i = 0; i < h->mesh.node_count; ++i) masses[i] = 0;
  for (int b = 0; b < h->mesh.block_count; ++b) {
    const ipg_block *block = &h->mesh.blocks[b];
    const double density = o->has_density ? o->densities[o->density_count == 1 ? 0 : b] : 1;
    for (int64_t e = block->first; e < block->first + block->count; ++e) {
      const ipg_id *nodes = h->mesh.tets + 4 * e;
      const double quarter = 0.25 * density * ipg_tet_volume(h->mesh.x, nodes);
      for (int k = 0; k < 4; ++k) masses[nodes[k]] += quarter;
    }
  }
}

/* ----------------------------------------------------------------------------------------- masses and their factors */

/* Forces: masses as the program has them. A node that is held has a mass too, by the density of the others. */
static void take_masses(ipg_host *h, const double *rates, const double *lumped) {
  double of_program = 0, of_mesh = 0;
  for (int64_t i = 0; i < 3 * h->mesh.node_count; ++i)
    if (rates[i] > 0) of_program += rates[i], of_mesh += lumped[i / 3];
  for (int64_t i = 0; i < h->mesh.node_count; ++i) {
    double sum = 0;
    int count = 0;
    for (int k = 0; k < 3; ++k) sum += rates[3 * i + k], count += rates[3 * i + k] > 0;
    h->masses[i] = count ? sum / count : lumped[i] * of_program / of_mesh;
    for (int k = 0; k < 3; ++k) h->mesh_factors[3 * i + k] = rates[3 * i + k] > 0;
  }
}

/* Where densities are given besides, they must say the same. */
static PetscErrorCode compare_masses(ipg_host *h, const double *lumped) {
  double of_program = 0, of_densities = 0;

  PetscFunctionBegin;
  for (int64_t i = 0; i < h->mesh.node_count; ++i) of_program += h->masses[i], of_densities += lumped[i];
  PetscCheck(fabs(of_program / of_densities - 1) < 0.01, PetscObjectComm((PetscObject)h->ts), PETSC_ERR_USER,
             "the program's residual has the mass %g, and -contact_density gives %g: leave it out, or correct it",
             of_program, of_densities);
  PetscFunctionReturn(0);
}

/* Accelerations, or any multiple of them. */
static void take_densities(ipg_host *h, const double *rates, const double *lumped) {
  for (int64_t i = 0; i < 3 * h->mesh.node_count; ++i) {
    h->masses[i / 3] = lumped[i / 3];
    h->mesh_factors[i] = rates[i] / lumped[i / 3];
  }
}

/* The program holds or moves them itself. */
static PetscErrorCode fix_nodes(ipg_host *h) {
  PetscFunctionBegin;
  for (PetscInt s = 0; s < h->options.fixed_count; ++s) {
    const ipg_node_set *set = NULL;
    for (int i = 0; i < h->mesh.node_set_count && !set; ++i)
      if (!strcmp(h->mesh.node_sets[i].name, h->options.fixed[s])) set = &h->mesh.node_sets[i];
    PetscCheck(set, PetscObjectComm((PetscObject)h->ts), PETSC_ERR_USER,
               "-contact_fixed names '%s', but the mesh has no node set of this name", h->options.fixed[s]);
    for (int64_t i = 0; i < set->count; ++i)
      for (int k = 0; k < 3; ++k) h->mesh_factors[3 * (int64_t)set->nodes[i] + k] = 0;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode IpgHostFindMasses(ipg_host *h) {
  const size_t nodes = (size_t)h->mesh.node_count;
  double *rates, *lumped;
  rate_range range = {0, 0};

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(nodes, &h->masses));
  PetscCall(PetscMalloc1(3 * nodes, &h->mesh_factors));
  PetscCall(PetscMalloc2(3 * nodes, &rates, nodes, &lumped));
  if (h->options.has_density) PetscCall(check_densities(h));
  lump(h, lumped);
  PetscCall(find_rates(h, rates, &range));
  if (range.most - range.least <= 1e-9 * range.most) {
    PetscCheck(h->options.has_density, PetscObjectComm((PetscObject)h->ts), PETSC_ERR_USER,
               "the program gives accelerations, so contact does not know its masses: give the density of each block "
               "of the mesh as -contact_density");
    take_densities(h, rates, lumped);
  } else {
    take_masses(h, rates, lumped);
    if (h->options.has_density) PetscCall(compare_masses(h, lumped));
  }
  PetscCall(fix_nodes(h));
  PetscCall(PetscFree2(rates, lumped));
  PetscFunctionReturn(0);
}
