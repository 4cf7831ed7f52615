/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* One result file from many ranks, written by rank 0: the Exodus library is serial, and users want to open one file.
 * Each rank names the nodes and elements it owns once, by global numbers. After that a field is one gather and one
 * permutation, so the file has the same bytes for any number of ranks and any partition of the mesh. */
#include "impl.h"

#include <stdlib.h>
#include <string.h>

/* The items of one kind: nodes or elements. The arrays are NULL on all ranks but 0. */
typedef struct items {
  int owned_count;
  int64_t total_count;
  int *rank_counts, *rank_offsets;
  int64_t *mesh_indices; /* of the gathered values, which come rank by rank */
} items;

struct _n_IpgResultsWriter {
  MPI_Comm comm;
  ipg_results *results; /* on rank 0 */
  int fields[IPG_FIELD_KIND_COUNT];
  items items[IPG_FIELD_KIND_COUNT]; /* IPG_FIELD_NODAL and IPG_FIELD_ELEMENT are used */
  double *gathered;
  double **values[IPG_FIELD_KIND_COUNT];
};

/* -------------------------------------------------------------------------------------------------------- ownership */

typedef struct gid_index {
  int64_t gid, index;
} gid_index;

static int compare_gids(const void *a, const void *b) {
  const int64_t p = ((const gid_index *)a)->gid, q = ((const gid_index *)b)->gid;
  return (p > q) - (p < q);
}

/* On rank 0: the index in the mesh of each gathered number. *bad is the first number that is unknown or given twice. */
static PetscErrorCode find_mesh_indices(items *it, const ipg_gid *mesh_gids, const int64_t *gathered, int64_t *bad) {
  gid_index *sorted;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(it->total_count, &it->mesh_indices));
  PetscCall(PetscMalloc1(it->total_count, &sorted));
  for (int64_t i = 0; i < it->total_count; ++i) sorted[i] = (gid_index){mesh_gids[i], i};
  qsort(sorted, (size_t)it->total_count, sizeof *sorted, compare_gids);
  for (int64_t i = 0; i < it->total_count && !*bad; ++i) {
    const gid_index wanted = {gathered[i], 0};
    gid_index *found = bsearch(&wanted, sorted, (size_t)it->total_count, sizeof wanted, compare_gids);
    if (!found || found->index < 0) {
      *bad = gathered[i];
    } else {
      it->mesh_indices[i] = found->index;
      found->index = -1;
    }
  }
  PetscCall(PetscFree(sorted));
  PetscFunctionReturn(0);
}

static PetscErrorCode gather_counts(MPI_Comm comm, items *it, int64_t *sum) {
  int rank, ranks;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  if (!rank) PetscCall(PetscMalloc2(ranks, &it->rank_counts, ranks, &it->rank_offsets));
  PetscCallMPI(MPI_Gather(&it->owned_count, 1, MPI_INT, it->rank_counts, 1, MPI_INT, 0, comm));
  *sum = 0;
  for (int r = 0; !rank && r < ranks; ++r) {
    it->rank_offsets[r] = (int)*sum;
    *sum += it->rank_counts[r];
  }
  PetscCallMPI(MPI_Bcast(sum, 1, MPI_INT64_T, 0, comm));
  PetscFunctionReturn(0);
}

/* mesh_gids: of the whole mesh, on rank 0. */
static PetscErrorCode gather_ownership(MPI_Comm comm, const char *what, items *it, const ipg_gid *owned,
                                       const ipg_gid *mesh_gids) {
  int64_t owned_sum, bad = 0, *gathered = NULL;
  int rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Bcast(&it->total_count, 1, MPI_INT64_T, 0, comm));
  PetscCall(gather_counts(comm, it, &owned_sum));
  PetscCheck(owned_sum == it->total_count, comm, PETSC_ERR_ARG_SIZ,
             "the ranks own %lld %ss together, the mesh of rank 0 has %lld", (long long)owned_sum, what,
             (long long)it->total_count);
  if (!rank) PetscCall(PetscMalloc1(it->total_count, &gathered));
  PetscCallMPI(MPI_Gatherv(owned, it->owned_count, MPI_INT64_T, gathered, it->rank_counts, it->rank_offsets,
                           MPI_INT64_T, 0, comm));
  if (!rank) PetscCall(find_mesh_indices(it, mesh_gids, gathered, &bad));
  PetscCall(PetscFree(gathered));
  PetscCallMPI(MPI_Bcast(&bad, 1, MPI_INT64_T, 0, comm));
  PetscCheck(!bad, comm, PETSC_ERR_ARG_WRONG, "%s %lld is owned twice, or is not in the mesh of rank 0", what,
             (long long)bad);
  PetscFunctionReturn(0);
}

/* ---------------------------------------------------------------------------------------- creation and destruction */

/* An error of rank 0 becomes the same error on all ranks. */
static PetscErrorCode share_error(MPI_Comm comm, ipg_error *error) {
  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(error, sizeof *error, MPI_BYTE, 0, comm));
  PetscCheck(!error->status, comm, PETSC_ERR_FILE_WRITE, "%s", error->message);
  PetscFunctionReturn(0);
}

/* For nodes and elements; global variables are not gathered, those of rank 0 are written. */
static PetscErrorCode allocate_values(IpgResultsWriter w, int kind) {
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(w->fields[kind], &w->values[kind]));
  for (int f = 0; f < w->fields[kind]; ++f) PetscCall(PetscMalloc1(w->items[kind].total_count, &w->values[kind][f]));
  PetscFunctionReturn(0);
}

static PetscErrorCode open_file(IpgResultsWriter w, const char *path, const ipg_mesh *mesh,
                                const ipg_results_layout *layout) {
  ipg_error error = {0};
  int rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(w->comm, &rank));
  if (!rank) {
    const int64_t nodes = w->items[IPG_FIELD_NODAL].total_count, elements = w->items[IPG_FIELD_ELEMENT].total_count;
    PetscCall(PetscMalloc1((size_t)(nodes > elements ? nodes : elements), &w->gathered));
    PetscCall(allocate_values(w, IPG_FIELD_NODAL));
    PetscCall(allocate_values(w, IPG_FIELD_ELEMENT));
    (void)ipg_results_create(path, mesh, layout, &w->results, &error);
  }
  PetscCall(share_error(w->comm, &error));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgResultsWriterCreate(MPI_Comm comm, const char path[], const ipg_mesh *mesh,
                                      const ipg_results_layout *layout, PetscInt nodes, const ipg_gid node_gids[],
                                      PetscInt elements, const ipg_gid element_gids[], IpgResultsWriter *writer) {
  IpgResultsWriter w;

  PetscFunctionBegin;
  PetscAssertPointer(writer, 9);
  *writer = NULL;
  PetscCheck(layout && !layout->fields[IPG_FIELD_NODE_SET].count && !layout->fields[IPG_FIELD_SIDE_SET].count, comm,
             PETSC_ERR_SUP,
             "a result file of several ranks has nodal, element and global variables only: leave out those of sets");
  PetscCall(PetscNew(&w));
  w->comm = comm;
  w->items[IPG_FIELD_NODAL] = (items){.owned_count = (int)nodes, .total_count = mesh ? mesh->node_count : 0};
  w->items[IPG_FIELD_ELEMENT] = (items){.owned_count = (int)elements, .total_count = mesh ? mesh->element_count : 0};
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; ++kind) w->fields[kind] = layout->fields[kind].count;
  *writer = w; /* already, so that the caller can destroy it if what follows fails */
  PetscCall(gather_ownership(comm, "node", &w->items[IPG_FIELD_NODAL], node_gids, mesh ? mesh->node_gids : NULL));
  PetscCall(
      gather_ownership(comm, "element", &w->items[IPG_FIELD_ELEMENT], element_gids, mesh ? mesh->element_gids : NULL));
  PetscCall(open_file(w, path, mesh, layout));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgResultsWriterDestroy(IpgResultsWriter *writer) {
  IpgResultsWriter w = *writer;
  ipg_error error = {0};

  PetscFunctionBegin;
  if (!w) PetscFunctionReturn(0);
  *writer = NULL;
  (void)ipg_results_destroy(&w->results, &error);
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; ++kind) {
    for (int f = 0; w->values[kind] && f < w->fields[kind]; ++f) PetscCall(PetscFree(w->values[kind][f]));
    PetscCall(PetscFree(w->values[kind]));
    PetscCall(PetscFree(w->items[kind].mesh_indices));
    PetscCall(PetscFree2(w->items[kind].rank_counts, w->items[kind].rank_offsets));
  }
  PetscCall(PetscFree(w->gathered));
  const MPI_Comm comm = w->comm;
  PetscCall(PetscFree(w));
  PetscCall(share_error(comm, &error));
  PetscFunctionReturn(0);
}

/* ----------------------------------------------------------------------------------------------------------- append */

static PetscErrorCode gather_fields(IpgResultsWriter w, int kind, const double *const owned[]) {
  const items *it = &w->items[kind];

  PetscFunctionBegin;
  for (int f = 0; f < w->fields[kind]; ++f) {
    PetscCallMPI(MPI_Gatherv(owned[f], it->owned_count, MPI_DOUBLE, w->gathered, it->rank_counts, it->rank_offsets,
                             MPI_DOUBLE, 0, w->comm));
    for (int64_t i = 0; w->values[kind] && i < it->total_count; ++i)
      w->values[kind][f][it->mesh_indices[i]] = w->gathered[i];
  }
  PetscFunctionReturn(0);
}

PetscErrorCode IpgResultsWriterAppend(IpgResultsWriter w, PetscReal time, const double *const nodal[],
                                      const double *const element[], const double globals[]) {
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscCall(gather_fields(w, IPG_FIELD_NODAL, nodal));
  PetscCall(gather_fields(w, IPG_FIELD_ELEMENT, element));
  if (w->results) {
    const double *const *values[IPG_FIELD_KIND_COUNT];
    for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; ++kind) values[kind] = (const double *const *)w->values[kind];
    values[IPG_FIELD_GLOBAL] = &globals;
    (void)ipg_results_append(w->results, (double)time, values, &error);
  }
  PetscCall(share_error(w->comm, &error));
  PetscFunctionReturn(0);
}
