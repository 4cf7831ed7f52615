/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Nodes that are inside a body when a run begins: told in one sentence, and then what -contact_initial_penetration
 * says. */
#include "impl.h"

const char *const IpgOverlapWords[OVERLAP_WORDS] = {"report", "ignore", "remove", "stop"};

enum { SENTENCE_BYTES = 320 };

/* How many, and the deepest. The node's place is that of the last Place. */
static void describe(IpgContact c, const ipg_contact_initial_penetration *overlaps, int64_t count,
                     char sentence[SENTENCE_BYTES]) {
  const ipg_surface *s = &c->surface.surface;
  const ipg_contact_initial_penetration *deepest = overlaps;
  int64_t nodes = 0;
  for (int64_t i = 0; i < count; ++i) {
    nodes += i == 0 || overlaps[i].node != overlaps[i - 1].node;
    if (overlaps[i].depth > deepest->depth) deepest = &overlaps[i];
  }
  const double *x = c->trial + 3 * (int64_t)deepest->node;
  snprintf(sentence, SENTENCE_BYTES,
           "%lld nodes start inside another body or another part of their own, the deepest is node %lld at "
           "(%g, %g, %g), %g below side %d of element %lld",
           (long long)nodes, (long long)s->node_gids[deepest->node], x[0], x[1], x[2], deepest->depth,
           s->face_sides[deepest->face] + 1, (long long)s->face_elements[deepest->face]);
}

static PetscErrorCode resolve(IpgContact c, int64_t count, const char *sentence) {
  const MPI_Comm comm = PetscObjectComm((PetscObject)c);
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscCheck(c->overlap != OVERLAP_STOP, comm, PETSC_ERR_USER,
             "%s: move the bodies apart, or set contact.initial_penetration to ignore or remove", sentence);
  PetscCheck(c->overlap != OVERLAP_REMOVE, comm, PETSC_ERR_USER,
             "%s: this program does not call IpgContactRemoveInitialPenetration, so nobody moved them", sentence);
  IpgCall(comm, error, ipg_contact_ignore_initial_penetrations(c->contact, &error));
  c->inside_at_start = count;
  PetscCall(PetscFPrintf(comm, c->log, "%s%s: they are pressed only where they get deeper\n",
                         c->overlap == OVERLAP_REPORT ? "warning: " : "", sentence));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactResolveInitialPenetration(IpgContact c) {
  const ipg_contact_initial_penetration *overlaps;
  char sentence[SENTENCE_BYTES];
  int64_t count;
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  IpgCall(PetscObjectComm((PetscObject)c), error,
          ipg_contact_find_initial_penetrations(c->contact, &overlaps, &count, &error));
  c->inside_at_start = 0;
  if (count) {
    describe(c, overlaps, count, sentence);
    PetscCall(resolve(c, count, sentence));
  }
  c->resolved = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactRemoveInitialPenetration(IpgContact c, double *mesh_x, PetscInt *moved, PetscReal *farthest) {
  ipg_error error = {0};
  int64_t count;
  double way;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  *moved = 0, *farthest = 0;
  if (c->overlap != OVERLAP_REMOVE) PetscFunctionReturn(0);
  IpgCall(PetscObjectComm((PetscObject)c), error,
          ipg_contact_remove_initial_penetrations(c->contact, c->places, &count, &way, &error));
  for (int64_t i = 0; i < c->surface.surface.node_count; ++i)
    for (int k = 0; k < 3; ++k) mesh_x[3 * (int64_t)c->surface.mesh_nodes[i] + k] = c->places[3 * i + k];
  *moved = (PetscInt)count, *farthest = (PetscReal)way;
  PetscFunctionReturn(0);
}
