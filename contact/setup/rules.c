/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The rules between blocks (contact pairs of parts, excluded part pairs, ties): checked, copied, and looked up once
 * for each pair of blocks.
 *
 * A rule names two blocks, or one and any other, or any two. Of the rules that match a pair of blocks the one that
 * names most blocks holds; two that name as many and differ are a contradiction, and refused. Without a rule the common
 * law holds. */
#include "model/block_rules.h"
#include "setup/build_model.h"
#include "setup/check_input.h"
#include "setup/sizes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static ipg_status check_tie(const ipg_contact_rule *rule, const char *whose, double start, ipg_error *error) {
  if (!(rule->tie_within >= 0) || !isfinite(rule->tie_within))
    return ipg_fail(error, IPG_ERROR_NUMBER, "%s ties within %g; give a distance of 0 or more", whose,
                    rule->tie_within);
  if (!rule->tied) return IPG_OK;
  if (rule->off) return ipg_fail(error, IPG_ERROR_ARGUMENT, "%s is off and tied: keep one", whose);
  if (rule->blocks[0] == IPG_ANY_BLOCK || rule->blocks[1] == IPG_ANY_BLOCK || rule->blocks[0] == rule->blocks[1])
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "%s ties blocks %d and %d; name two different ones", whose,
                    (int)rule->blocks[0], (int)rule->blocks[1]);
  if (!(rule->from <= start))
    return ipg_fail(error, IPG_ERROR_NUMBER, "%s ties from time %g on, but contact starts at %g and ties are made then",
                    whose, rule->from, start);
  return IPG_OK;
}

static ipg_status check_rule(const ipg_contact_rule *rule, int64_t number, const ipg_model *m, ipg_error *error) {
  char whose[48];
  snprintf(whose, sizeof whose, "contact rule %lld", (long long)number);
  for (int i = 0; i < 2; ++i)
    if (rule->blocks[i] < IPG_ANY_BLOCK || rule->blocks[i] >= m->topology.block_count)
      return ipg_fail(error, IPG_ERROR_ARGUMENT, "%s names block %d; the surface has blocks 0 to %d", whose,
                      (int)rule->blocks[i], m->topology.block_count - 1);
  if (!(rule->from < rule->until))
    return ipg_fail(error, IPG_ERROR_NUMBER, "%s holds from %g until %g, which is never", whose, rule->from,
                    rule->until);
  if (!(rule->thickness <= IPG_LARGEST))
    return ipg_fail(error, IPG_ERROR_NUMBER, "%s: the thickness is %g; it may be up to %g", whose, rule->thickness,
                    IPG_LARGEST);
  const ipg_status status = check_tie(rule, whose, m->config.start_time, error);
  return status ? status : ipg_check_law(&rule->law, whose, error);
}

/* How many of the two blocks it names, if it is about them; else -1. */
static int count_named_blocks(const ipg_contact_rule *rule, int a, int b) {
  const int32_t *named = rule->blocks;
  const bool straight = (named[0] == IPG_ANY_BLOCK || named[0] == a) && (named[1] == IPG_ANY_BLOCK || named[1] == b);
  const bool crossed = (named[0] == IPG_ANY_BLOCK || named[0] == b) && (named[1] == IPG_ANY_BLOCK || named[1] == a);
  return straight || crossed ? (named[0] != IPG_ANY_BLOCK) + (named[1] != IPG_ANY_BLOCK) : -1;
}

static bool are_rules_equal(const ipg_contact_rule *r, const ipg_contact_rule *s) {
  return r->off == s->off && r->tied == s->tied && r->tie_within == s->tie_within && r->from == s->from &&
         r->until == s->until && r->thickness == s->thickness && r->law.friction_static == s->law.friction_static &&
         r->law.friction_dynamic == s->law.friction_dynamic && r->law.friction_decay == s->law.friction_decay &&
         r->law.damping == s->law.damping;
}

static ipg_status find_rule(const ipg_model *m, int a, int b, int32_t *found, ipg_error *error) {
  const ipg_contact_rule *rules = m->rules.rules.at;
  int best = -1;
  *found = IPG_NO_RULE;
  for (int64_t i = 0; i < m->config.rule_count; ++i) {
    const int fit = count_named_blocks(&rules[i], a, b);
    if (fit > best) *found = (int32_t)i;
    else if (fit == best && fit >= 0 && !are_rules_equal(&rules[i], &rules[*found]))
      return ipg_fail(error, IPG_ERROR_ARGUMENT,
                      "contact rules %d and %lld say different things about blocks %d and %d: keep one", (int)*found,
                      (long long)i, a, b);
    if (fit > best) best = fit;
  }
  return IPG_OK;
}

/* Looks up the rule of each pair of blocks; without rules there is no table. */
static ipg_status fill_rule_table(ipg_model *m, ipg_error *error) {
  const int64_t blocks = m->config.rule_count ? m->topology.block_count : 0;
  ipg_status status = ipg_array_reserve(&m->rules.of_blocks, &m->config.allocator, blocks * blocks, error);
  int32_t *table = m->rules.of_blocks.at;
  for (int a = 0; !status && a < blocks; ++a)
    for (int b = 0; !status && b < blocks; ++b) status = find_rule(m, a, b, &table[a * blocks + b], error);
  return status;
}

static ipg_status take_rules(ipg_model *m, ipg_error *error) {
  const int64_t count = m->config.rule_count;
  if (count < 0) return ipg_fail(error, IPG_ERROR_ARGUMENT, "the number of contact rules is negative");
  if (count && !m->config.rules) return ipg_fail(error, IPG_ERROR_ARGUMENT, "the array of contact rules is null");
  const ipg_status status = ipg_array_reserve(&m->rules.rules, &m->config.allocator, count, error);
  if (status) return status;
  for (int64_t i = 0; i < count; ++i) m->rules.rules.at[i] = ipg_take_rule(&m->config, i);
  m->config.rules = m->rules.rules.at, m->config.sizes.rule = sizeof(ipg_contact_rule);
  return IPG_OK;
}

static ipg_status check_all_rules(const ipg_model *m, ipg_error *error) {
  ipg_status status = ipg_check_law(&m->config.law, "the law of contact", error);
  for (int64_t i = 0; !status && i < m->config.rule_count; ++i) status = check_rule(&m->config.rules[i], i, m, error);
  return status;
}

/* -------------------------------------------------------------------------------------------------------- thickness */

static ipg_status check_thicknesses(const ipg_model *m, ipg_error *error) {
  const int64_t count = m->config.thickness_count;
  if (count && (count < m->topology.block_count || !m->config.thicknesses))
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "%lld thicknesses are given; the surface has %d blocks",
                    (long long)count, m->topology.block_count);
  for (int64_t b = 0; b < count; ++b)
    if (!(m->config.thicknesses[b] >= 0 && m->config.thicknesses[b] <= IPG_LARGEST))
      return ipg_fail(error, IPG_ERROR_NUMBER, "the thickness of block %lld is %g; it must be from 0 to %g",
                      (long long)b, m->config.thicknesses[b], IPG_LARGEST);
  return IPG_OK;
}

static ipg_status build_thicknesses(ipg_model *m, ipg_error *error) {
  const ipg_allocator *allocator = &m->config.allocator;
  const int64_t count = m->config.thickness_count;
  ipg_block_rules *rules = &m->rules;
  ipg_status status = check_thicknesses(m, error);
  if (!status) status = ipg_array_reserve(&rules->thicknesses, allocator, count, error);
  if (!status) status = ipg_array_reserve(&rules->reaches, allocator, m->topology.block_count, error);
  if (status) return status;
  for (int64_t b = 0; b < count; ++b) rules->thicknesses.at[b] = m->config.thicknesses[b];
  m->config.thicknesses = rules->thicknesses.at;
  const bool nothing_is_thick = !count && !m->config.rule_count;
  for (int32_t a = 0; a < m->topology.block_count; ++a) {
    double reach = 0;
    for (int32_t b = 0; b < m->topology.block_count && !nothing_is_thick; ++b)
      reach = larger(reach, ipg_thickness_between(m, a, b));
    rules->reaches.at[a] = reach;
    rules->has_thickness |= reach > 0;
  }
  return IPG_OK;
}

ipg_status ipg_build_rules(ipg_model *m, ipg_error *error) {
  const int64_t count = m->config.rule_count;
  ipg_block_rules *rules = &m->rules;
  ipg_status status = take_rules(m, error);
  if (!status) status = check_all_rules(m, error);
  if (status) return status;
  rules->most_damping = m->config.law.damping;
  rules->most_friction = m->config.law.friction_static;
  for (int64_t i = 0; i < count; ++i) {
    rules->most_damping = larger(rules->most_damping, m->config.rules[i].law.damping);
    rules->most_friction = larger(rules->most_friction, m->config.rules[i].law.friction_static);
  }
  status = fill_rule_table(m, error);
  return status ? status : build_thicknesses(m, error);
}
