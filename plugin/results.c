/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* One result file from many ranks, through rank 0: the Exodus library is serial, and one file is what people want to
 * open. Who owns what is told once, by global numbers; from then on a field is one gather and one permutation. So the
 * file has the same bytes whatever the ranks and however the mesh is cut. */
#include "impl.h"

#include <stdlib.h>
#include <string.h>

/* The items of one kind: nodes or elements. Arrays of rank 0 are NULL elsewhere. */
typedef struct items {
  int owned;
  int64_t total;
  int *counts, *offsets; /* of the ranks */
  int64_t *places;       /* where the k-th gathered value goes */
} items;

struct _n_IpgResultsWriter {
  MPI_Comm comm;
  ipg_results *results; /* rank 0 */
  int fields[IPG_FIELD_KIND_COUNT];
  items items[IPG_FIELD_KIND_COUNT]; /* IPG_FIELD_NODAL and IPG_FIELD_ELEMENT are used */
  double *gathered;
  double **values[IPG_FIELD_KIND_COUNT];
};

/* -------------------------------------------------------------------------------------------------------- who owns
 * what */

typedef struct numbered {
  int64_t gid, place;
} numbered;

static int by_gid(const void *a, const void *b) {
  const int64_t p = ((const numbered *)a)->gid, q = ((const numbered *)b)->gid;
  return (p > q) - (p < q);
}

/* On rank 0: where in the mesh each gathered number stands. The first that is unknown or comes twice goes to *bad. */
static PetscErrorCode find_places(items *it, const ipg_gid *mesh_gids, const int64_t *gathered, int64_t *bad) {
  numbered *sorted;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(it->total, &it->places));
  PetscCall(PetscMalloc1(it->total, &sorted));
  for (int64_t i = 0; i < it->total; ++i) sorted[i] = (numbered){mesh_gids[i], i};
  qsort(sorted, (size_t)it->total, sizeof *sorted, by_gid);
  for (int64_t i = 0; i < it->total && !*bad; ++i) {
    const numbered wanted = {gathered[i], 0};
    numbered *found = bsearch(&wanted, sorted, (size_t)it->total, sizeof wanted, by_gid);
    if (!found || found->place < 0) {
      *bad = gathered[i];
    } else {
      it->places[i] = found->place;
      found->place = -1;
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
  if (!rank) PetscCall(PetscMalloc2(ranks, &it->counts, ranks, &it->offsets));
  PetscCallMPI(MPI_Gather(&it->owned, 1, MPI_INT, it->counts, 1, MPI_INT, 0, comm));
  *sum = 0;
  for (int r = 0; !rank && r < ranks; ++r) {
    it->offsets[r] = (int)*sum;
    *sum += it->counts[r];
  }
  PetscCallMPI(MPI_Bcast(sum, 1, MPI_INT64_T, 0, comm));
  PetscFunctionReturn(0);
}

/* mesh_gids: the numbers of all, on rank 0. */
static PetscErrorCode agree(MPI_Comm comm, const char *what, items *it, const ipg_gid *owned,
                            const ipg_gid *mesh_gids) {
  int64_t sum, bad = 0, *gathered = NULL;
  int rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Bcast(&it->total, 1, MPI_INT64_T, 0, comm));
  PetscCall(gather_counts(comm, it, &sum));
  PetscCheck(sum == it->total, comm, PETSC_ERR_ARG_SIZ, "the ranks own %lld %ss together, the mesh of rank 0 has %lld",
             (long long)sum, what, (long long)it->total);
  if (!rank) PetscCall(PetscMalloc1(it->total, &gathered));
  PetscCallMPI(MPI_Gatherv(owned, it->owned, MPI_INT64_T, gathered, it->counts, it->offsets, MPI_INT64_T, 0, comm));
  if (!rank) PetscCall(find_places(it, mesh_gids, gathered, &bad));
  PetscCall(PetscFree(gathered));
  PetscCallMPI(MPI_Bcast(&bad, 1, MPI_INT64_T, 0, comm));
  PetscCheck(!bad, comm, PETSC_ERR_ARG_WRONG, "%s %lld is owned twice, or is not in the mesh of rank 0", what,
             (long long)bad);
  PetscFunctionReturn(0);
}

/* ------------------------------------------------------------------------------------------------------------- life */

/* What rank 0 found out, as an error of all. */
static PetscErrorCode share_error(MPI_Comm comm, ipg_error *error) {
  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(error, sizeof *error, MPI_BYTE, 0, comm));
  PetscCheck(!error->status, comm, PETSC_ERR_FILE_WRITE, "%s", error->message);
  PetscFunctionReturn(0);
}

/* Globals are not gathered: those of rank 0 are written. */
static PetscErrorCode take_values(IpgResultsWriter w, int kind) {
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(w->fields[kind], &w->values[kind]));
  for (int f = 0; f < w->fields[kind]; ++f) PetscCall(PetscMalloc1(w->items[kind].total, &w->values[kind][f]));
  PetscFunctionReturn(0);
}

static PetscErrorCode open_file(IpgResultsWriter w, const char *path, const ipg_mesh *mesh,
                                const ipg_results_layout *layout) {
  ipg_error error = {0};
  int rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(w->comm, &rank));
  if (!rank) {
    const int64_t nodes = w->items[IPG_FIELD_NODAL].total, elements = w->items[IPG_FIELD_ELEMENT].total;
    PetscCall(PetscMalloc1((size_t)(nodes > elements ? nodes : elements), &w->gathered));
    PetscCall(take_values(w, IPG_FIELD_NODAL));
    PetscCall(take_values(w, IPG_FIELD_ELEMENT));
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
  PetscValidPointer(writer, 9);
  *writer = NULL;
  PetscCheck(layout && !layout->fields[IPG_FIELD_NODE_SET].count && !layout->fields[IPG_FIELD_SIDE_SET].count, comm,
             PETSC_ERR_SUP, "results of several ranks hold fields of nodes and elements and globals, not of sets");
  PetscCall(PetscNew(&w));
  w->comm = comm;
  w->items[IPG_FIELD_NODAL] = (items){.owned = (int)nodes, .total = mesh ? mesh->node_count : 0};
  w->items[IPG_FIELD_ELEMENT] = (items){.owned = (int)elements, .total = mesh ? mesh->element_count : 0};
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; ++kind) w->fields[kind] = layout->fields[kind].count;
  *writer = w; /* what follows may fail; the caller can destroy it all the same */
  PetscCall(agree(comm, "node", &w->items[IPG_FIELD_NODAL], node_gids, mesh ? mesh->node_gids : NULL));
  PetscCall(agree(comm, "element", &w->items[IPG_FIELD_ELEMENT], element_gids, mesh ? mesh->element_gids : NULL));
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
    PetscCall(PetscFree(w->items[kind].places));
    PetscCall(PetscFree2(w->items[kind].counts, w->items[kind].offsets));
  }
  PetscCall(PetscFree(w->gathered));
  const MPI_Comm comm = w->comm;
  PetscCall(PetscFree(w));
  PetscCall(share_error(comm, &error));
  PetscFunctionReturn(0);
}

/* ----------------------------------------------------------------------------------------------------------- append */

static PetscErrorCode gather(IpgResultsWriter w, int kind, const double *const owned[]) {
  const items *it = &w->items[kind];

  PetscFunctionBegin;
  for (int f = 0; f < w->fields[kind]; ++f) {
    PetscCallMPI(
        MPI_Gatherv(owned[f], it->owned, MPI_DOUBLE, w->gathered, it->counts, it->offsets, MPI_DOUBLE, 0, w->comm));
    for (int64_t i = 0; w->values[kind] && i < it->total; ++i) w->values[kind][f][it->places[i]] = w->gathered[i];
  }
  PetscFunctionReturn(0);
}

PetscErrorCode IpgResultsWriterAppend(IpgResultsWriter w, PetscReal time, const double *const nodal[],
                                      const double *const element[], const double globals[]) {
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscCall(gather(w, IPG_FIELD_NODAL, nodal));
  PetscCall(gather(w, IPG_FIELD_ELEMENT, element));
  if (w->results) {
    const double *const *values[IPG_FIELD_KIND_COUNT];
    for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; ++kind) values[kind] = (const double *const *)w->values[kind];
    values[IPG_FIELD_GLOBAL] = &globals;
    (void)ipg_results_append(w->results, (double)time, values, &error);
  }
  PetscCall(share_error(w->comm, &error));
  PetscFunctionReturn(0);
}
