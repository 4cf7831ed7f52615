/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Where the displacements and velocities of the mesh's nodes are in the program's vector. Size and block size cannot
 * tell, so a program of first order says it by -contact_layout. The nodes are in the order of the mesh, or are found by
 * their coordinates (node_map.h). */
#include "host.h"
#include "node_map.h"
#include <petscdm.h>

static bool has_halves(const ipg_host *h) { return h->kind == HOST_RHSFUNCTION || h->kind == HOST_IFUNCTION; }

static PetscErrorCode check_options(ipg_host *h, const host_options *o) {
  const MPI_Comm comm = PetscObjectComm((PetscObject)h->ts);

  PetscFunctionBegin;
  if (has_halves(h)) {
    PetscCheck(
        o->has_layout && o->layout != LAYOUT_NODES, comm, PETSC_ERR_USER,
        "the program's equations are of first order: say where displacements and velocities are in its vector by "
        "-contact_layout halves (displacements of all nodes, then velocities), interleaved (6 values for each "
        "node), or index_sets");
  } else {
    PetscCheck(o->layout == LAYOUT_NODES || o->layout == LAYOUT_INDEX_SETS, comm, PETSC_ERR_USER,
               "-contact_layout %s is for equations of first order; those of this program have a vector for the "
               "displacements alone: leave it out",
               IpgLayoutWords[o->layout]);
  }
  PetscCheck(o->layout != LAYOUT_INDEX_SETS || (o->has_displacement && (o->has_velocity || !has_halves(h))), comm,
             PETSC_ERR_USER, "-contact_layout index_sets needs -contact_displacement_indices FILE%s",
             has_halves(h) ? " and -contact_velocity_indices FILE" : "");
  PetscFunctionReturn(0);
}

/* ---------------------------------------------------------------------------------------------------------- indices */

static PetscErrorCode read_indices(ipg_host *h, const char *path, PetscInt size, PetscInt *count, PetscInt **indices) {
  PetscViewer viewer;
  IS set;
  const PetscInt *values;

  PetscFunctionBegin;
  PetscCall(PetscViewerBinaryOpen(PetscObjectComm((PetscObject)h->ts), path, FILE_MODE_READ, &viewer));
  PetscCall(ISCreate(PetscObjectComm((PetscObject)h->ts), &set));
  PetscCall(ISLoad(set, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(ISGetLocalSize(set, count));
  PetscCall(PetscMalloc1(*count, indices));
  PetscCall(ISGetIndices(set, &values));
  PetscCall(PetscArraycpy(*indices, values, *count));
  PetscCall(ISRestoreIndices(set, &values));
  PetscCall(ISDestroy(&set));
  for (PetscInt i = 0; i < *count; ++i)
    PetscCheck((*indices)[i] >= 0 && (*indices)[i] < size, PetscObjectComm((PetscObject)h->ts),
               PETSC_ERR_ARG_OUTOFRANGE,
               "'%s' has the index %" PetscInt_FMT "; those of the program's vector are 0 to %" PetscInt_FMT, path,
               (*indices)[i], size - 1);
  PetscFunctionReturn(0);
}

/* `stride` values for each node, of which ours begin at `first`. */
static PetscErrorCode count_indices(PetscInt nodes, PetscInt stride, PetscInt first, PetscInt **indices) {
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * nodes, indices));
  for (PetscInt i = 0; i < 3 * nodes; ++i) (*indices)[i] = first + i / 3 * stride + i % 3;
  PetscFunctionReturn(0);
}

/* Where the values of the program's nodes are, in its own order. */
static PetscErrorCode find_indices(ipg_host *h, const host_options *o, PetscInt size, PetscInt *nodes,
                                   PetscInt **displacement, PetscInt **velocity) {
  const MPI_Comm comm = PetscObjectComm((PetscObject)h->ts);
  PetscInt count;

  PetscFunctionBegin;
  *displacement = *velocity = NULL;
  if (o->layout == LAYOUT_INDEX_SETS) {
    PetscCall(read_indices(h, o->displacement, size, nodes, displacement));
    if (has_halves(h)) {
      PetscCall(read_indices(h, o->velocity, size, &count, velocity));
      PetscCheck(count == *nodes, comm, PETSC_ERR_ARG_SIZ,
                 "'%s' has %" PetscInt_FMT " indices and '%s' %" PetscInt_FMT ": give three of either for each node",
                 o->displacement, *nodes, o->velocity, count);
    }
    PetscCheck(*nodes % 3 == 0, comm, PETSC_ERR_ARG_SIZ, "'%s' has %" PetscInt_FMT " indices: give three for each node",
               o->displacement, *nodes);
    *nodes /= 3;
    PetscFunctionReturn(0);
  }
  const PetscInt values = has_halves(h) ? 6 : 3;
  PetscCheck(size % values == 0, comm, PETSC_ERR_ARG_SIZ,
             "the program's vector has %" PetscInt_FMT " values, which is no multiple of %" PetscInt_FMT
             " for each node",
             size, values);
  *nodes = size / values;
  const PetscInt stride = o->layout == LAYOUT_INTERLEAVED ? 6 : 3;
  PetscCall(count_indices(*nodes, stride, 0, displacement));
  if (has_halves(h))
    PetscCall(count_indices(*nodes, stride, o->layout == LAYOUT_INTERLEAVED ? 3 : 3 * *nodes, velocity));
  PetscFunctionReturn(0);
}

/* ----------------------------------------------------------------------------------------------------- whose nodes */

static PetscErrorCode read_coordinates(ipg_host *h, const char *path, PetscInt nodes, double **coordinates) {
  PetscViewer viewer;
  Vec vector;
  const PetscScalar *values;
  PetscInt count;

  PetscFunctionBegin;
  PetscCall(PetscViewerBinaryOpen(PetscObjectComm((PetscObject)h->ts), path, FILE_MODE_READ, &viewer));
  PetscCall(VecCreate(PetscObjectComm((PetscObject)h->ts), &vector));
  PetscCall(VecLoad(vector, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(VecGetLocalSize(vector, &count));
  PetscCheck(count == 3 * nodes, PetscObjectComm((PetscObject)h->ts), PETSC_ERR_ARG_SIZ,
             "'%s' has %" PetscInt_FMT " coordinates; the program's vector has %" PetscInt_FMT " nodes", path, count,
             nodes);
  PetscCall(PetscMalloc1(count, coordinates));
  PetscCall(VecGetArrayRead(vector, &values));
  for (PetscInt i = 0; i < count; ++i) (*coordinates)[i] = PetscRealPart(values[i]);
  PetscCall(VecRestoreArrayRead(vector, &values));
  PetscCall(VecDestroy(&vector));
  PetscFunctionReturn(0);
}

/* Positions that the program's own vector holds at the start. */
static PetscErrorCode take_positions(Vec vector, PetscInt nodes, const PetscInt *indices, double **coordinates) {
  const PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * nodes, coordinates));
  PetscCall(VecGetArrayRead(vector, &values));
  for (PetscInt i = 0; i < 3 * nodes; ++i) (*coordinates)[i] = PetscRealPart(values[indices[i]]);
  PetscCall(VecRestoreArrayRead(vector, &values));
  PetscFunctionReturn(0);
}

/* Coordinates of the DM, where it has as many nodes as the vector; else NULL. */
static PetscErrorCode take_dm_coordinates(ipg_host *h, PetscInt nodes, double **coordinates) {
  DM dm;
  Vec vector = NULL;
  PetscInt dimension, size;

  PetscFunctionBegin;
  *coordinates = NULL;
  PetscCall(TSGetDM(h->ts, &dm));
  PetscCall(DMGetCoordinateDim(dm, &dimension));
  if (dimension == 3) PetscCall(DMGetCoordinates(dm, &vector));
  if (!vector) PetscFunctionReturn(0);
  PetscCall(VecGetLocalSize(vector, &size));
  if (size != 3 * nodes) PetscFunctionReturn(0);
  const PetscScalar *values;
  PetscCall(PetscMalloc1(size, coordinates));
  PetscCall(VecGetArrayRead(vector, &values));
  for (PetscInt i = 0; i < size; ++i) (*coordinates)[i] = PetscRealPart(values[i]);
  PetscCall(VecRestoreArrayRead(vector, &values));
  PetscFunctionReturn(0);
}

/* The program's node of each node of the mesh. */
static PetscErrorCode find_nodes(ipg_host *h, const host_options *o, Vec vector, PetscInt nodes,
                                 const PetscInt *indices, PetscInt *host_nodes) {
  const MPI_Comm comm = PetscObjectComm((PetscObject)h->ts);
  double *coordinates = NULL;
  ipg_error error = {0};

  PetscFunctionBegin;
  if (o->has_coordinates) PetscCall(read_coordinates(h, o->coordinates, nodes, &coordinates));
  else if (o->is_position) PetscCall(take_positions(vector, nodes, indices, &coordinates));
  else PetscCall(take_dm_coordinates(h, nodes, &coordinates));
  if (!coordinates) {
    PetscCheck(nodes == h->mesh.node_count, comm, PETSC_ERR_ARG_SIZ,
               "the program's vector has %" PetscInt_FMT " nodes and the mesh %lld: give the mesh that the program "
               "computes, or the coordinates of its nodes as -contact_coordinates FILE",
               nodes, (long long)h->mesh.node_count);
    for (PetscInt i = 0; i < nodes; ++i) host_nodes[i] = i;
    PetscFunctionReturn(0);
  }
  const ipg_status status = ipg_map_nodes(&h->mesh, nodes, coordinates, host_nodes, &error);
  PetscCall(PetscFree(coordinates));
  IpgCall(comm, error, status);
  PetscFunctionReturn(0);
}

static PetscErrorCode reorder(PetscInt count, const PetscInt *host_nodes, PetscInt **indices) {
  PetscInt *of_host = *indices;

  PetscFunctionBegin;
  if (!of_host) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(3 * count, indices));
  for (PetscInt i = 0; i < 3 * count; ++i) (*indices)[i] = of_host[3 * host_nodes[i / 3] + i % 3];
  PetscCall(PetscFree(of_host));
  PetscFunctionReturn(0);
}

static PetscErrorCode find_part(ipg_host *h, IS *part) {
  PetscFunctionBegin;
  PetscCall(TSRHSSplitGetIS(h->ts, "position", part));
  PetscCheck(*part, PetscObjectComm((PetscObject)h->ts), PETSC_ERR_USER,
             "the program has a right-hand side 'momentum' but no part 'position': contact does not know where bodies "
             "are");
  PetscFunctionReturn(0);
}

PetscErrorCode IpgHostGetState(ipg_host *h, Vec *U) {
  IS part;

  PetscFunctionBegin;
  *U = h->ts->vec_sol;
  if (h->kind != HOST_SPLIT) PetscFunctionReturn(0);
  PetscCall(find_part(h, &part));
  PetscCall(VecGetSubVector(h->ts->vec_sol, part, U));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgHostRestoreState(ipg_host *h, Vec *U) {
  IS part;

  PetscFunctionBegin;
  if (h->kind != HOST_SPLIT) PetscFunctionReturn(0);
  PetscCall(find_part(h, &part));
  PetscCall(VecRestoreSubVector(h->ts->vec_sol, part, U));
  PetscFunctionReturn(0);
}

/* Displacements change by the velocities. */
static PetscErrorCode check_layout(ipg_host *h) {
  TS ts = h->ts;
  Vec rate;
  const PetscScalar *g, *y;
  double worst = 0, largest = 0;
  DM dm;
  TSIFunction implicit;

  PetscFunctionBegin;
  PetscCall(TSGetDM(ts, &dm));
  PetscCall(DMTSGetIFunction(dm, &implicit, NULL));
  if (h->kind != HOST_RHSFUNCTION || implicit) PetscFunctionReturn(0);
  PetscCall(VecDuplicate(ts->vec_sol, &rate));
  PetscCall(TSComputeRHSFunction(ts, ts->ptime, ts->vec_sol, rate));
  PetscCall(VecGetArrayRead(rate, &g));
  PetscCall(VecGetArrayRead(ts->vec_sol, &y));
  for (PetscInt i = 0; i < 3 * h->mesh.node_count; ++i) {
    const double v = PetscRealPart(y[h->velocity_indices[i]]), change = PetscRealPart(g[h->displacement_indices[i]]);
    largest = PetscMax(largest, PetscMax(fabs(v), fabs(change)));
    if (change != 0) worst = PetscMax(worst, fabs(change - v)); /* 0: held */
  }
  PetscCall(VecRestoreArrayRead(ts->vec_sol, &y));
  PetscCall(VecRestoreArrayRead(rate, &g));
  PetscCall(VecDestroy(&rate));
  PetscCheck(worst <= 1e-6 * largest, PetscObjectComm((PetscObject)ts), PETSC_ERR_USER,
             "-contact_layout %s does not fit: where it has displacements the program's vector does not change by what "
             "it has as velocities",
             IpgLayoutWords[h->options.layout]);
  PetscFunctionReturn(0);
}

PetscErrorCode IpgHostFindIndices(ipg_host *h) {
  const host_options *o = &h->options;
  PetscInt nodes, size, *host_nodes;
  Vec vector;

  PetscFunctionBegin;
  PetscCall(check_options(h, o));
  PetscCall(IpgHostGetState(h, &vector));
  PetscCall(VecGetLocalSize(vector, &size));
  h->layout.is_position = (PetscBool)o->is_position;
  PetscCall(find_indices(h, o, size, &nodes, &h->displacement_indices, &h->velocity_indices));
  PetscCall(PetscMalloc1(h->mesh.node_count, &host_nodes));
  PetscCall(find_nodes(h, o, vector, nodes, h->displacement_indices, host_nodes));
  PetscCall(reorder((PetscInt)h->mesh.node_count, host_nodes, &h->displacement_indices));
  PetscCall(reorder((PetscInt)h->mesh.node_count, host_nodes, &h->velocity_indices));
  PetscCall(PetscFree(host_nodes));
  PetscCall(IpgHostRestoreState(h, &vector));
  PetscCall(check_layout(h));
  PetscFunctionReturn(0);
}

/* ---------------------------------------------------------------------------------------------------------- scatters
 */

static PetscErrorCode create_scatter(ipg_host *h, Vec from, const PetscInt *indices, Vec to, VecScatter *scatter) {
  const ipg_mesh_surface *s = &h->contact->surface;
  const PetscInt count = (PetscInt)(3 * s->surface.node_count);
  PetscInt *of_surface;
  IS set;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(count, &of_surface));
  for (PetscInt i = 0; i < count; ++i) of_surface[i] = indices[3 * (int64_t)s->mesh_nodes[i / 3] + i % 3];
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, count, of_surface, PETSC_OWN_POINTER, &set));
  PetscCall(VecScatterCreate(from, set, to, NULL, scatter));
  PetscCall(ISDestroy(&set));
  PetscFunctionReturn(0);
}

static PetscErrorCode take_factors(ipg_host *h) {
  const ipg_mesh_surface *s = &h->contact->surface;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * s->surface.node_count, &h->factors));
  for (int64_t i = 0; i < 3 * s->surface.node_count; ++i)
    h->factors[i] = h->mesh_factors[3 * (int64_t)s->mesh_nodes[i / 3] + i % 3];
  PetscFunctionReturn(0);
}

PetscErrorCode IpgHostCreateLayout(ipg_host *h) {
  host_layout *l = &h->layout;
  Vec vector;

  PetscFunctionBegin;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, (PetscInt)(3 * h->contact->surface.surface.node_count), &l->u));
  PetscCall(VecDuplicate(l->u, &l->v));
  PetscCall(VecDuplicate(l->u, &l->force));
  PetscCall(IpgHostGetState(h, &vector));
  PetscCall(create_scatter(h, vector, h->displacement_indices, l->u, &l->displacement));
  if (h->velocity_indices) PetscCall(create_scatter(h, vector, h->velocity_indices, l->v, &l->velocity));
  PetscCall(IpgHostRestoreState(h, &vector));
  PetscCall(take_factors(h));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgHostDestroyLayout(ipg_host *h) {
  host_layout *l = &h->layout;

  PetscFunctionBegin;
  PetscCall(VecScatterDestroy(&l->displacement));
  PetscCall(VecScatterDestroy(&l->velocity));
  PetscCall(VecDestroy(&l->u));
  PetscCall(VecDestroy(&l->v));
  PetscCall(VecDestroy(&l->force));
  PetscCall(PetscFree(h->displacement_indices));
  PetscCall(PetscFree(h->velocity_indices));
  PetscFunctionReturn(0);
}

static PetscErrorCode scatter(VecScatter s, Vec from, Vec to) {
  PetscFunctionBegin;
  PetscCall(VecScatterBegin(s, from, to, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(s, from, to, INSERT_VALUES, SCATTER_FORWARD));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgHostGather(ipg_host *h, Vec U, Vec V) {
  host_layout *l = &h->layout;
  const PetscScalar *u, *v = NULL;

  PetscFunctionBegin;
  PetscCall(scatter(l->displacement, U, l->u));
  if (V) PetscCall(scatter(l->displacement, V, l->v));
  if (l->velocity) PetscCall(scatter(l->velocity, U, l->v));
  PetscCall(VecGetArrayRead(l->u, &u));
  PetscCall(VecGetArrayRead(l->v, &v));
  IpgContactTakeSurface(h->contact, u, V || l->velocity ? v : NULL, l->is_position);
  PetscCall(VecRestoreArrayRead(l->v, &v));
  PetscCall(VecRestoreArrayRead(l->u, &u));
  PetscFunctionReturn(0);
}
