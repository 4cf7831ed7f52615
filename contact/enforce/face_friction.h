/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Coulomb friction and damping of penalty contact.
 *
 * A node and a touched block make one friction contact, whichever faces are involved. The node bears the part P_i of
 * the pressure of face pair i (half of it: the other half is for the nodes of the other side), and then
 *
 *     N = sum P_i                        the normal force of the node
 *     u = sum P_i / N u_i                its slide; u_i: how far the two faces of pair i slid on each other in the step
 *     s = elastic slip before, turned with the node's surface, plus u
 *     t = -s / |s| min(k |s|, mu N)      its friction; k: half of the node's area times the stiffness of contact, at a
 *                                        wall the whole, so that contact is as stiff along a surface as across it
 *
 * and pair i gets t P_i / N. The forces of a pair are those that work on u_i, which no rigid motion of both faces
 * changes: friction has neither a resultant nor a moment, and its work is that of t on u. Elastic slip -t/k is all that
 * the law remembers, by node and block: it outlives faces, searches and restarts.
 *
 * What slips is lost: the work of a step on the springs less what they store more. The step has two ends, and a force
 * works on the way that its own pairs see, with their pressures and normals: the pairs of the start have the first half
 * of the work, those of the end the second. So the balance closes to rounding, however the pressure moves over the
 * faces, and where a contact begins or ends in the step. For that the forces on nodes at the start are kept. The same
 * holds for dampers, which store nothing.
 *
 * A rigid wall is one more block, without nodes of its own: N is the force of the node's contact with it, u the way of
 * the node along it. */
#ifndef IMPINGE_ENFORCE_FACE_FRICTION_H
#define IMPINGE_ENFORCE_FACE_FRICTION_H

#include "enforce/block_sums.h"
#include "enforce/face_contact.h"

/* Of a node with the faces of a block, or with a rigid wall. */
typedef struct ipg_node_friction {
  ipg_id node;
  int32_t block; /* below 0: the number of the wall less that of all walls */
  double stiffness, normal_force;
  vec slip, force;      /* elastic slip, and friction on the node's side, of the damper too */
  double normal_damper; /* force of the damper along the normal, away from the block, */
  vec damper;           /* and across it */
  double way;           /* slid so far, without what is elastic, since the contact began */
  int64_t slides;       /* 1: friction is at its limit, at the end of the step; else 0 */
} ipg_node_friction;

static inline bool ipg_comes_before(const ipg_node_friction *a, const ipg_node_friction *b) {
  return a->node < b->node || (a->node == b->node && a->block < b->block);
}

/* What friction brings to a node, and what of it is that of dampers. */
typedef struct ipg_friction_force {
  ipg_block_pair blocks;
  int64_t node; /* as wide as that, for recordings have these as they are */
  vec force, damper;
} ipg_friction_force;

/* In that order. */
typedef struct ipg_friction_list {
  IPG_ARRAY(ipg_node_friction) contacts;
  int64_t count;
  IPG_ARRAY(ipg_friction_force) forces; /* in the order of face pairs, then at walls */
  int64_t force_count;
  double energy;            /* in tangential springs */
  double friction, damping; /* energy lost in the step: by slip and with contacts that are over, and in dampers */
} ipg_friction_list;

void ipg_friction_list_destroy(ipg_friction_list *list, const ipg_allocator *allocator);
/* No contact and no force. */
void ipg_friction_list_clear(ipg_friction_list *list);

struct ipg_face_slide;

/* The part of a face pair that one of its corners bears. */
typedef struct ipg_friction_part {
  int64_t pair;
  int32_t corner, block; /* 0 to 2 of F, 3 to 5 of G; the block that the corner touches */
} ipg_friction_part;

typedef struct ipg_face_friction_workspace {
  IPG_ARRAY(struct ipg_face_slide) slides; /* of each face pair */
  IPG_ARRAY(int64_t) starts;               /* of each node, and the end: its parts */
  IPG_ARRAY(ipg_friction_part) parts;
  IPG_ARRAY(int32_t) counts;             /* of each node: its friction contacts, */
  IPG_ARRAY(ipg_node_friction) contacts; /* from its start on */
  IPG_ARRAY(ipg_node_friction) at_walls; /* of each contact with a wall */
  IPG_ARRAY(double) velocities;          /* of nodes and of corners of bevels, where there are some */
  /* Six for each face pair: first the force on F that belongs to each corner, then the forces on the corners. Those of
   * dampers alone, where there are some. */
  IPG_ARRAY(vec) forces;
  IPG_ARRAY(vec) dampers;
} ipg_face_friction_workspace;

ipg_status ipg_face_friction_workspace_reserve(ipg_face_friction_workspace *workspace, const ipg_model *model,
                                               ipg_error *error);
void ipg_face_friction_workspace_destroy(ipg_face_friction_workspace *workspace, const ipg_allocator *allocator);

/* Friction and damping of the face contacts that were found, and of contacts with walls, whose normal forces are known;
 * lists the friction contacts there are now, and adds what is lost to the sums of blocks. v: velocities, or NULL for
 * the mean of the step. */
ipg_status ipg_find_friction(ipg_face_friction_workspace *workspace, const ipg_step *step, const double *v,
                             const ipg_friction_list *before, const ipg_face_contact_workspace *faces,
                             const ipg_contact_list *contacts, ipg_friction_list *after, ipg_block_sums *sums,
                             ipg_error *error);
/* Of the last call: the normal of a face pair, out of its second face, along which dampers act. */
vec ipg_normal_of_friction(const ipg_face_friction_workspace *workspace, int64_t pair);
/* Whose energies belong to the friction contact: the node has the block of its first face. */
static inline ipg_block_pair ipg_blocks_of_friction(const ipg_model *m, const ipg_node_friction *f) {
  return ipg_block_pair_of(f->block, m->topology.node_blocks.at[f->node]);
}
double ipg_energy_of_friction(const ipg_node_friction *friction);
/* Of the tangential spring of a node at a block or, below 0, at a wall. */
double ipg_friction_stiffness(const ipg_model *model, ipg_id node, int32_t block);
/* In the tangential springs. */
double ipg_friction_energy(const ipg_friction_list *list);
/* Adds their forces to those of the nodes, and of the contacts with walls. */
void ipg_add_friction_forces(const ipg_face_friction_workspace *workspace, const ipg_face_contact_workspace *faces,
                             ipg_contact_list *contacts, ipg_force_sums *sums);

#endif
