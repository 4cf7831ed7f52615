/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Initial penetration: nodes that are inside a body or behind a rigid wall when a run begins. They are reported in one
 * sentence.
 * The word of -contact_initial_penetration decides what follows. */
#include "impl.h"

const char *const IpgInitialPenetrationWords[INITIAL_PENETRATION_WORDS] = {"report", "ignore", "remove", "stop"};

/* The longest sentence with its remedy fits into a message. */
enum { SENTENCE_BYTES = 400 };

typedef struct penetrated_nodes {
  int64_t nodes;
  const ipg_contact_initial_penetration *deepest;
} penetrated_nodes;

static penetrated_nodes count_nodes(const ipg_contact_initial_penetration *penetrations, int64_t count) {
  penetrated_nodes found = {0, penetrations};
  for (int64_t i = 0; i < count; ++i) {
    found.nodes += i == 0 || penetrations[i].node != penetrations[i - 1].node;
    if (penetrations[i].depth > found.deepest->depth) found.deepest = &penetrations[i];
  }
  return found;
}

/* The deepest node with its trial position, which is that of IpgContactSetPositions. */
static int describe_deepest(IpgContact c, const penetrated_nodes *found, const char *where, char *text, size_t bytes) {
  const ipg_id node = found->deepest->node;
  const double *x = c->trial_positions + 3 * (int64_t)node;
  return snprintf(text, bytes, "%lld nodes %s, the deepest is node %lld at (%g, %g, %g), %g ", (long long)found->nodes,
                  where, (long long)c->surface.surface.node_gids[node], x[0], x[1], x[2], found->deepest->depth);
}

static int describe_in_bodies(IpgContact c, const ipg_contact_initial_penetration *penetrations, int64_t count,
                              char *text, size_t bytes) {
  const ipg_surface *s = &c->surface.surface;
  const penetrated_nodes found = count_nodes(penetrations, count);
  const ipg_id face = found.deepest->face;
  const int used = describe_deepest(c, &found, "into another body or another part of their own", text, bytes);
  return used + snprintf(text + used, bytes - (size_t)used, "below side %d of element %lld", s->face_sides[face] + 1,
                         (long long)s->face_elements[face]);
}

/* A wall that has all nodes behind it is likely to look the wrong way. */
static void describe_behind_walls(IpgContact c, const ipg_contact_initial_penetration *penetrations, int64_t count,
                                  char *text, size_t bytes) {
  const penetrated_nodes found = count_nodes(penetrations, count);
  const bool all = found.nodes == c->surface.surface.node_count;
  const int used = describe_deepest(c, &found, "behind rigid walls", text, bytes);
  snprintf(text + used, bytes - (size_t)used, "behind wall %lld%s", (long long)found.deepest->wall + 1,
           all ? " (these are all nodes: does its normal point to the bodies?)" : "");
}

/* `in_bodies` penetrations into bodies, and behind them `count - in_bodies` at walls. */
static void describe_penetrations(IpgContact c, const ipg_contact_initial_penetration *penetrations, int64_t in_bodies,
                                  int64_t count, char sentence[SENTENCE_BYTES]) {
  int used = snprintf(sentence, SENTENCE_BYTES, "initial penetration of ");
  if (in_bodies) used += describe_in_bodies(c, penetrations, in_bodies, sentence + used, SENTENCE_BYTES - (size_t)used);
  if (in_bodies && in_bodies < count) used += snprintf(sentence + used, SENTENCE_BYTES - (size_t)used, ", and of ");
  if (in_bodies < count)
    describe_behind_walls(c, penetrations + in_bodies, count - in_bodies, sentence + used,
                          SENTENCE_BYTES - (size_t)used);
}

static PetscErrorCode resolve_penetrations(IpgContact c, const char *sentence) {
  const MPI_Comm comm = PetscObjectComm((PetscObject)c);
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscCheck(c->initial_penetration != INITIAL_PENETRATION_STOP, comm, PETSC_ERR_USER,
             "%s: move them apart, or set contact.initial_penetration to ignore or remove", sentence);
  PetscCheck(c->initial_penetration != INITIAL_PENETRATION_REMOVE, comm, PETSC_ERR_USER,
             "%s: this program cannot remove it, since it does not call IpgContactRemoveInitialPenetration; move them "
             "apart, or set contact.initial_penetration to ignore",
             sentence);
  IpgCall(comm, error, ipg_contact_ignore_initial_penetrations(c->contact, &error));
  PetscCall(PetscFPrintf(comm, c->log, "%s%s: contact resists only deeper penetration\n",
                         c->initial_penetration == INITIAL_PENETRATION_REPORT ? "warning: " : "", sentence));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactResolveInitialPenetration(IpgContact c) {
  const ipg_contact_initial_penetration *penetrations;
  char sentence[SENTENCE_BYTES];
  int64_t count, in_bodies = 0;
  ipg_error error = {0};

  PetscFunctionBegin;
  PetscValidHeaderSpecific(c, IPG_CONTACT_CLASSID, 1);
  IpgCall(PetscObjectComm((PetscObject)c), error,
          ipg_contact_find_initial_penetrations(c->contact, &penetrations, &count, &error));
  while (in_bodies < count && penetrations[in_bodies].wall < 0) ++in_bodies;
  if (c->config.enforcement == IPG_ENFORCEMENT_PENALTY && !count) /* faces may overlap where no node is inside */
    IpgCall(PetscObjectComm((PetscObject)c), error, ipg_contact_ignore_initial_penetrations(c->contact, &error));
  if (count) {
    describe_penetrations(c, penetrations, in_bodies, count, sentence);
    PetscCall(resolve_penetrations(c, sentence));
  }
  c->nodes_inside_at_start = in_bodies;
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
