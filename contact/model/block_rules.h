/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Which rule, law and thickness hold between a node and a face, or two faces. setup/rules.c checks the rules and fills
 * the table that these functions read. */
#ifndef IMPINGE_MODEL_BLOCK_RULES_H
#define IMPINGE_MODEL_BLOCK_RULES_H

#include "model/model.h"

/* NULL: the common law holds. */
const ipg_contact_rule *ipg_rule_of_blocks(const ipg_model *model, int a, int b);
const ipg_contact_rule *ipg_rule_of_node_face(const ipg_model *model, ipg_id node, ipg_id face);

bool ipg_has_tied_rule(const ipg_model *model);
/* Whether a rule ties the blocks at that time; whether contact is on at that time; whether it is off at all times. */
bool ipg_is_tied(const ipg_model *model, double time, ipg_id node, ipg_id face);
bool ipg_is_contact_on(const ipg_model *model, double time, ipg_id node, ipg_id face);
bool ipg_is_face_contact_on(const ipg_model *model, double time, ipg_id a, ipg_id b);

bool ipg_is_contact_always_off(const ipg_model *model, ipg_id node, ipg_id face);

/* Whether contact begins or ends, between any two blocks, from one time to the other. */
bool ipg_do_rules_change(const ipg_model *model, double from, double to);

/* Whether any law has friction or damping. */
static inline bool ipg_has_friction(const ipg_model *m) {
  return m->rules.most_friction > 0 || m->rules.most_damping > 0;
}

int32_t ipg_block_of_face(const ipg_model *model, ipg_id face);
const ipg_contact_law *ipg_law_of_faces(const ipg_model *model, ipg_id a, ipg_id b);
const ipg_contact_law *ipg_law_of_contact(const ipg_model *model, const ipg_contact_pair *pair);

/* By how much the surfaces of both lie outside of their faces, 0 within a body; of one at a wall. */
double ipg_thickness_of_faces(const ipg_model *model, ipg_id f, ipg_id g);
double ipg_thickness_of_node_and_face(const ipg_model *model, ipg_id node, ipg_id face);
double ipg_thickness_at_wall(const ipg_model *model, ipg_id node);
double ipg_thickness_between(const ipg_model *model, int32_t block, int32_t other_block);
/* The largest thickness at which a face touches another body. */
double ipg_reach_of_face(const ipg_model *model, ipg_id face);

#endif
