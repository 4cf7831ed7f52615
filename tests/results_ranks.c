/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Writes the same results on any number of ranks: results_ranks FILE [twice]. Nodes and elements are scattered over the
 * ranks by their numbers. With "twice", the last rank names one of its nodes twice, which must be refused. */
#include "impinge/petsc.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 3 };

static const char *const nodal_names[] = {"disp_x", "disp_y"}, *const element_names[] = {"stress"},
                         *const global_names[] = {"energy"};

static double value_at(ipg_gid gid, int field, int step) { return (double)gid * 0.1 + field * 1000 + step * 1e6; }

/* The numbers that this rank owns, not in the order of the mesh. */
static PetscInt select_owned_gids(const ipg_gid *gids, int64_t count, int rank, int ranks, ipg_gid *mine) {
  PetscInt owned_count = 0;
  for (int64_t i = 0; i < count; ++i)
    if ((gids[i] * 7919) % ranks == rank) mine[owned_count++] = gids[i];
  for (PetscInt i = 0; i < owned_count / 2; ++i) {
    const ipg_gid swap = mine[i];
    mine[i] = mine[owned_count - 1 - i], mine[owned_count - 1 - i] = swap;
  }
  return owned_count;
}

static void fill_values(double *values, const ipg_gid *gids, PetscInt count, int field, int step) {
  for (PetscInt i = 0; i < count; ++i) values[i] = value_at(gids[i], field, step);
}

static PetscErrorCode write_steps(const char *path, const ipg_mesh *mesh, int rank, int ranks, PetscBool twice) {
  const ipg_results_layout layout = {.fields = {[IPG_FIELD_NODAL] = {2, nodal_names, NULL},
                                                [IPG_FIELD_ELEMENT] = {1, element_names, NULL},
                                                [IPG_FIELD_GLOBAL] = {1, global_names, NULL}}};
  ipg_gid *nodes, *elements;
  double *values[3];
  IpgResultsWriter writer;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(mesh->node_count, &nodes, mesh->element_count, &elements));
  for (int f = 0; f < 3; ++f) PetscCall(PetscMalloc1(mesh->node_count + mesh->element_count, &values[f]));
  const PetscInt node_count = select_owned_gids(mesh->node_gids, mesh->node_count, rank, ranks, nodes);
  const PetscInt element_count = select_owned_gids(mesh->element_gids, mesh->element_count, rank, ranks, elements);
  if (twice && rank == ranks - 1) nodes[0] = nodes[1];
  PetscCall(IpgResultsWriterCreate(PETSC_COMM_WORLD, path, rank ? NULL : mesh, &layout, node_count, nodes,
                                   element_count, elements, &writer));
  for (int step = 0; step < STEPS; ++step) {
    const double globals[1] = {step * 0.25};
    fill_values(values[0], nodes, node_count, 0, step);
    fill_values(values[1], nodes, node_count, 1, step);
    fill_values(values[2], elements, element_count, 2, step);
    PetscCall(IpgResultsWriterAppend(writer, step, (const double *const[]){values[0], values[1]},
                                     (const double *const[]){values[2]}, globals));
  }
  PetscCall(IpgResultsWriterDestroy(&writer));
  for (int f = 0; f < 3; ++f) PetscCall(PetscFree(values[f]));
  PetscCall(PetscFree2(nodes, elements));
  PetscFunctionReturn(0);
}

/* On rank 0: the number of values in the file that differ from the formula. */
static int count_wrong_values(const char *path, const ipg_mesh *mesh) {
  ipg_results_reader *reader;
  double *values = calloc((size_t)(mesh->node_count + mesh->element_count), sizeof *values);
  int wrong = 0;
  if (!values || ipg_results_open(path, NULL, &reader, NULL)) return 1;
  for (int step = 0; step < STEPS; ++step)
    for (int f = 0; f < 3; ++f) {
      const bool nodal = f < 2;
      wrong += ipg_results_read(reader, step, nodal ? IPG_FIELD_NODAL : IPG_FIELD_ELEMENT, nodal ? f : 0, values,
                                NULL) != IPG_OK;
      for (int64_t i = 0; i < (nodal ? mesh->node_count : mesh->element_count); ++i)
        wrong += values[i] != value_at(nodal ? mesh->node_gids[i] : mesh->element_gids[i], f, step);
    }
  ipg_results_reader_destroy(&reader);
  free(values);
  return wrong;
}

int main(int argc, char **argv) {
  const double lo[3] = {0, 0, 0}, hi[3] = {3, 2, 1};
  const int n[3] = {6, 4, 2};
  int rank, ranks, wrong = 0;
  ipg_mesh mesh;
  PetscFunctionBeginUser;
  if (argc < 2) return 2;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  if (ipg_mesh_box(lo, hi, n, "box", NULL, &mesh, NULL)) return 1;
  for (int64_t i = 0; i < mesh.node_count; ++i) mesh.node_gids[i] = 1000 - i;
  PetscCall(write_steps(argv[1], &mesh, rank, ranks, argc > 2 && !strcmp(argv[2], "twice")));
  if (!rank) wrong = count_wrong_values(argv[1], &mesh);
  ipg_mesh_destroy(&mesh);
  PetscCall(PetscFinalize());
  return wrong ? 1 : 0;
}
