/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Looks up the rule between two blocks (contact pairs of parts, excluded part pairs, ties) in the table made at create.
 */
#include "model/block_rules.h"

static int32_t block_of_node(const ipg_model *m, ipg_id node) { return m->topology.node_blocks.at[node]; }

int32_t ipg_block_of_face(const ipg_model *m, ipg_id face) {
  return m->surface.face_blocks ? m->surface.face_blocks[face] : 0;
}

/* ------------------------------------------------------------------------------------------------------------ rules */

const ipg_contact_rule *ipg_rule_of_blocks(const ipg_model *m, int a, int b) {
  if (!m->config.rule_count) return NULL;
  const int32_t number = m->rules.of_blocks.at[(int64_t)a * m->topology.block_count + b];
  return number == IPG_NO_RULE ? NULL : &m->config.rules[number];
}

const ipg_contact_rule *ipg_rule_of_node_face(const ipg_model *m, ipg_id node, ipg_id face) {
  return ipg_rule_of_blocks(m, block_of_node(m, node), ipg_block_of_face(m, face));
}

bool ipg_has_tied_rule(const ipg_model *m) {
  bool is_tied = false;
  for (int64_t i = 0; i < m->config.rule_count; ++i) is_tied |= m->config.rules[i].tied;
  return is_tied;
}

static bool is_active(const ipg_contact_rule *rule, double time) { return time >= rule->from && time < rule->until; }

bool ipg_do_rules_change(const ipg_model *m, double from, double to) {
  bool do_change = false;
  for (int64_t i = 0; i < m->config.rule_count; ++i) {
    const ipg_contact_rule *rule = &m->config.rules[i];
    do_change |= !rule->off && !rule->tied && is_active(rule, from) != is_active(rule, to);
  }
  return do_change;
}

bool ipg_is_tied(const ipg_model *m, double time, ipg_id node, ipg_id face) {
  const ipg_contact_rule *rule = ipg_rule_of_node_face(m, node, face);
  return rule && rule->tied && is_active(rule, time);
}

static bool are_blocks_on(const ipg_model *m, double time, int32_t a, int32_t b) {
  const ipg_contact_rule *rule = ipg_rule_of_blocks(m, a, b);
  return !rule || (!rule->off && !rule->tied && is_active(rule, time));
}

bool ipg_is_contact_on(const ipg_model *m, double time, ipg_id node, ipg_id face) {
  return are_blocks_on(m, time, block_of_node(m, node), ipg_block_of_face(m, face));
}

bool ipg_is_face_contact_on(const ipg_model *m, double time, ipg_id a, ipg_id b) {
  return are_blocks_on(m, time, ipg_block_of_face(m, a), ipg_block_of_face(m, b));
}

bool ipg_is_contact_always_off(const ipg_model *m, ipg_id node, ipg_id face) {
  const ipg_contact_rule *rule = ipg_rule_of_node_face(m, node, face);
  return rule && (rule->off || rule->tied);
}

static const ipg_contact_law *law_of_blocks(const ipg_model *m, int32_t a, int32_t b) {
  const ipg_contact_rule *rule = ipg_rule_of_blocks(m, a, b);
  return rule ? &rule->law : &m->config.law;
}

const ipg_contact_law *ipg_law_of_faces(const ipg_model *m, ipg_id a, ipg_id b) {
  return law_of_blocks(m, ipg_block_of_face(m, a), ipg_block_of_face(m, b));
}

const ipg_contact_law *ipg_law_of_contact(const ipg_model *m, const ipg_contact_pair *pair) {
  if (pair->kind == IPG_CONTACT_NODE_WALL) return &m->config.walls[pair->touched].law;
  return law_of_blocks(m, block_of_node(m, pair->owner), ipg_block_of_face(m, pair->face));
}

/* -------------------------------------------------------------------------------------------------------- thickness */

double ipg_thickness_between(const ipg_model *m, int32_t a, int32_t b) {
  const double *of = m->rules.thicknesses.at;
  const ipg_contact_rule *rule = ipg_rule_of_blocks(m, a, b);
  if (rule && rule->thickness >= 0) return rule->thickness;
  return m->config.thickness_count ? of[a] + of[b] : 0;
}

double ipg_thickness_at_wall(const ipg_model *m, ipg_id node) {
  return m->config.thickness_count ? m->rules.thicknesses.at[block_of_node(m, node)] : 0;
}

double ipg_thickness_of_faces(const ipg_model *m, ipg_id f, ipg_id g) {
  if (!m->rules.has_thickness || m->surface.face_bodies[f] == m->surface.face_bodies[g]) return 0;
  return ipg_thickness_between(m, ipg_block_of_face(m, f), ipg_block_of_face(m, g));
}

double ipg_thickness_of_node_and_face(const ipg_model *m, ipg_id node, ipg_id face) {
  if (!m->rules.has_thickness) return 0;
  const bool is_same_body = m->topology.node_bodies.at[node] == m->surface.face_bodies[face];
  return is_same_body ? 0 : ipg_thickness_between(m, block_of_node(m, node), ipg_block_of_face(m, face));
}

double ipg_reach_of_face(const ipg_model *m, ipg_id face) {
  return m->rules.has_thickness ? m->rules.reaches.at[ipg_block_of_face(m, face)] : 0;
}
