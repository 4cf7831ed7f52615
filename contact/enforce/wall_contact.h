/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Rigid walls in penalty contact. The energy of a body at a wall is
 *
 *     E = sum over nodes of K psi(depth)  +  sum over faces of (R_1 + R_2 + R_3) psi(depth of a point in the face)
 *
 * depth  of a node behind the wall; it is linear between the corners of a face
 * psi    as between two faces (enforce/face_overlap.h)
 * point  its weights at the corners are R_1, R_2, R_3, over their sum
 * K, R   frozen stiffnesses. The faces at a node make up its sides: a side is all that are within 45 degrees of one of
 *        them. If the body lies on a side, the pressure is even if the node has k A / 3 of the faces of that side. K is
 *        half of this for the side that has least, and R is the rest: at each corner of a face half or more of what it
 *        bears
 *
 * So faces that stand upright do not add to the force at edges: their points are in front of the wall as long as the
 * penetration is small against an edge. A corner or an edge that is the first behind the wall has its K at once, and
 * its faces when it is deeper. All depths are linear in the positions. So E is convex, and its stiffness at a node is
 * at most the sum of its row, K + sum of R, which is at most k A / 3 of all faces of the node: at any depth and in any
 * position of the body. */
#ifndef IMPINGE_ENFORCE_WALL_CONTACT_H
#define IMPINGE_ENFORCE_WALL_CONTACT_H

#include "enforce/force_sums.h"
#include "model/step.h"

/* Adds the forces of walls to those of nodes and sets those of the contacts; returns the energy. The sum of all forces
 * of contacts is that on all nodes. A contact has the force of the wall on its node, and that on corners of its faces
 * that are in front of the wall and have no contact. */
double ipg_enforce_walls(const ipg_step *step, ipg_contact_list *contacts, ipg_force_sums *sums);

/* A part of the normal force of a contact with a wall: on its own node, or on a corner of its faces. */
typedef void ipg_wall_force(void *context, const ipg_contact_pair *pair, ipg_id node, double normal_force);
/* The parts of one contact, among all contacts with walls; adds its energy. Changes no contact. */
void ipg_evaluate_wall_contact(const ipg_step *step, const ipg_contact_range *range, const ipg_contact_pair *pair,
                               ipg_wall_force *add, void *context, double *energy);

/* What a face of the contact's node adds to its energy: 0 for all contacts of the face but the first. */
double ipg_energy_of_face_at_wall(const ipg_step *step, const ipg_contact_range *range, const ipg_contact_pair *pair,
                                  ipg_id face);

/* Penetration over which the force of a contact with a wall sets in. */
double ipg_onset_at_wall(const ipg_model *model, const ipg_contact_pair *pair);

#endif
