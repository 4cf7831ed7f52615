/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Initial penetration: nodes that are inside a body when a run begins. They are reported in one sentence.
 * The word of -contact_initial_penetration decides what follows. */
#include "impl.h"

const char *const IpgInitialPenetrationWords[INITIAL_PENETRATION_WORDS] = {"report", "ignore", "remove", "stop"};

enum { SENTENCE_BYTES = 320 };

/* How many nodes, and the deepest one with its trial position, which is that of IpgContactSetPositions. */
static void describe_penetrations(IpgContact c, const ipg_contact_initial_penetration *penetrations, int64_t count,
                                  char sentence[SENTENCE_BYTES]) {
  const ipg_surface *s = &c->surface.surface;
  const ipg_contact_initial_penetration *deepest = penetrations;
  int64_t nodes = 0;
  for (int64_t i = 0; i < count; ++i) {
    nodes += i == 0 || penetrations[i].node != penetrations[i - 1].node;
    if (penetrations[i].depth > deepest->depth) deepest = &penetrations[i];
  }
  const double *x = c->trial_positions + 3 * (int64_t)deepest->node;
  snprintf(sentence, SENTENCE_BYTES,
           "initial penetration of %lld nodes into another body or another part of their own, the deepest is node %lld "
           "at (%g, %g, %g), %g below side %d of element %lld",
           (long long)nodes, (long long)s->node_gids[deepest->node], x[0], x[1], x[2], deepest->depth,
           s->face_sides[deepest->face] + 1, (long long)s->face_elements[deepest->face]);
}

static PetscErrorCode resolve_penetrations(IpgContact c, int64_t count, const char *sentence) {
  const MPI_Comm comm = PetscObjectComm((PetscObject)c);
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscCheck(c->initial_penetration != INITIAL_PENETRATION_STOP, comm, PETSC_ERR_USER,
             "%s: move the bodies apart, or set contact.initial_penetration to ignore or remove", sentence);
  PetscCheck(c->initial_penetration != INITIAL_PENETRATION_REMOVE, comm, PETSC_ERR_USER,
             "%s: this program cannot remove it, since it does not call IpgContactRemoveInitialPenetration; move the "
             "bodies apart, or set contact.initial_penetration to ignore",
             sentence);
  IpgCall(comm, error, ipg_contact_ignore_initial_penetrations(c->contact, &error));
  c->nodes_inside_at_start = count;
  PetscCall(PetscFPrintf(comm, c->log, "%s%s: contact resists only deeper penetration\n",
                         c->initial_penetration == INITIAL_PENETRATION_REPORT ? "warning: " : "", sentence));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactResolveInitialPenetration(IpgContact c) {
  const ipg_contact_initial_penetration *penetrations;
  char sentence[SENTENCE_BYTES];
  int64_t count;
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  IpgCall(PetscObjectComm((PetscObject)c), error,
          ipg_contact_find_initial_penetrations(c->contact, &penetrations, &count, &error));
  c->nodes_inside_at_start = 0;
  if (count) {
    describe_penetrations(c, penetrations, count, sentence);
    PetscCall(resolve_penetrations(c, count, sentence));
  }
  c->initial_penetration_resolved = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactRemoveInitialPenetration(IpgContact c, double *mesh_x, PetscInt *moved, PetscReal *farthest) {
  ipg_error error = {0};
  int64_t count;
  double distance;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  *moved = 0, *farthest = 0;
  if (c->initial_penetration != INITIAL_PENETRATION_REMOVE) PetscFunctionReturn(0);
  IpgCall(PetscObjectComm((PetscObject)c), error,
          ipg_contact_remove_initial_penetrations(c->contact, c->mesh_positions, &count, &distance, &error));
  for (int64_t i = 0; i < c->surface.surface.node_count; ++i)
    for (int k = 0; k < 3; ++k) mesh_x[3 * (int64_t)c->surface.mesh_nodes[i] + k] = c->mesh_positions[3 * i + k];
  *moved = (PetscInt)count, *farthest = (PetscReal)distance;
  PetscFunctionReturn(0);
}
