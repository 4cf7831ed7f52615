/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The options that a program needs which does not know of contact; those of contact itself are in options.c. */
#include "host.h"

const char *const IpgLayoutWords[LAYOUT_WORDS] = {"nodes", "halves", "interleaved", "index_sets"};
static const char *const unknown_words[] = {"displacement", "position"};

static PetscErrorCode read_path(const char *option, const char *meaning, char path[PETSC_MAX_PATH_LEN],
                                PetscBool *given, IpgOptionItems PetscOptionsObject) {
  PetscFunctionBegin;
  PetscCall(PetscOptionsString(option, meaning, "", "", path, PETSC_MAX_PATH_LEN, given));
  PetscFunctionReturn(0);
}

/* With IpgContactSetFromOptions. */
PetscErrorCode IpgHostReadOptions(PetscObject contact, IpgOptionItems PetscOptionsObject, void *context) {
  host_options *o = &((ipg_host *)context)->options;
  PetscBool asked = PETSC_TRUE;
  (void)contact;

  PetscFunctionBegin;
  o->density_count = MOST_DENSITIES;
  PetscCall(PetscOptionsBool("-contact", "Contact between the bodies of -contact_mesh", "", asked, &asked, NULL));
  PetscCall(read_path("-contact_mesh", "Exodus II file with the bodies: the nodes of this program, and tetrahedra",
                      o->mesh, &o->has_mesh, PetscOptionsObject));
  PetscCall(PetscOptionsEList("-contact_layout",
                              "Where the nodes' values are: nodes (3 values each), halves (displacements of all, then "
                              "velocities), interleaved (6 values each), index_sets",
                              "", IpgLayoutWords, LAYOUT_WORDS, IpgLayoutWords[0], &o->layout, &o->has_layout));
  PetscCall(PetscOptionsEList("-contact_unknown", "What the vector holds: displacements or positions", "",
                              unknown_words, 2, unknown_words[0], &o->is_position, NULL));
  PetscCall(read_path("-contact_coordinates",
                      "File of a PETSc vector with the coordinates of this program's nodes, by which those of the mesh "
                      "are found among them",
                      o->coordinates, &o->has_coordinates, PetscOptionsObject));
  PetscCall(read_path("-contact_displacement_indices",
                      "File of a PETSc index set: where the displacements of the nodes are", o->displacement,
                      &o->has_displacement, PetscOptionsObject));
  PetscCall(read_path("-contact_velocity_indices", "File of a PETSc index set: where the velocities of the nodes are",
                      o->velocity, &o->has_velocity, PetscOptionsObject));
  PetscCall(PetscOptionsRealArray("-contact_density",
                                  "Density of each block of the mesh, or of all: needed where the program computes "
                                  "accelerations",
                                  "", o->densities, &o->density_count, &o->has_density));
  o->fixed_count = MOST_FIXED;
  PetscCall(PetscOptionsStringArray("-contact_fixed",
                                    "Node sets of the mesh that the program holds or moves itself, where its equations "
                                    "do not show it: contact does not push them",
                                    "", o->fixed, &o->fixed_count, NULL));
  PetscFunctionReturn(0);
}
