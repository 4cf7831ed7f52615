/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Which law holds between two blocks, and when.
 *
 * A rule names two blocks, or one and any other, or any two. The one that says most about a pair of blocks holds; two
 * that say the same amount and not the same thing are a contradiction, and refused. Without a rule the common law
 * holds. The answer for each pair of blocks is looked up once, at create. */
#include "state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ANY = -1, COMMON_LAW = -1 };

ipg_contact_rule ipg_contact_rule_defaults(void) { return (ipg_contact_rule){.blocks = {ANY, ANY}, .until = INFINITY}; }

static ipg_status check_law(const ipg_contact_law *law, const char *whose, ipg_error *error) {
  if (!(law->friction_dynamic >= 0 && law->friction_static >= law->friction_dynamic && law->friction_static <= 10))
    return ipg_fail(error, IPG_ERROR_NUMBER,
                    "%s: friction is %g static and %g dynamic; static must be at least dynamic, both from 0 to 10",
                    whose, law->friction_static, law->friction_dynamic);
  if (!(law->friction_decay >= 0) || !isfinite(law->friction_decay))
    return ipg_fail(error, IPG_ERROR_NUMBER, "%s: the decay of friction is %g; it must be finite and not below 0",
                    whose, law->friction_decay);
  if (!(law->damping >= 0 && law->damping <= 1))
    return ipg_fail(error, IPG_ERROR_NUMBER, "%s: damping is %g of critical; it must be from 0 to 1", whose,
                    law->damping);
  return IPG_OK;
}

static ipg_status check_rule(const ipg_contact_rule *rule, int64_t number, int block_count, ipg_error *error) {
  char whose[48];
  snprintf(whose, sizeof whose, "contact rule %lld", (long long)number);
  for (int i = 0; i < 2; ++i)
    if (rule->blocks[i] < ANY || rule->blocks[i] >= block_count)
      return ipg_fail(error, IPG_ERROR_ARGUMENT, "%s names block %d; the surface has blocks 0 to %d", whose,
                      (int)rule->blocks[i], block_count - 1);
  if (!(rule->from < rule->until))
    return ipg_fail(error, IPG_ERROR_NUMBER, "%s holds from %g until %g, which is never", whose, rule->from,
                    rule->until);
  return check_law(&rule->law, whose, error);
}

/* How many of the two blocks it names, if it is about them; else -1. */
static int fit_of(const ipg_contact_rule *rule, int a, int b) {
  const int32_t *named = rule->blocks;
  const bool straight = (named[0] == ANY || named[0] == a) && (named[1] == ANY || named[1] == b);
  const bool crossed = (named[0] == ANY || named[0] == b) && (named[1] == ANY || named[1] == a);
  return straight || crossed ? (named[0] != ANY) + (named[1] != ANY) : -1;
}

static bool say_the_same(const ipg_contact_rule *r, const ipg_contact_rule *s) {
  return r->off == s->off && r->from == s->from && r->until == s->until &&
         r->law.friction_static == s->law.friction_static && r->law.friction_dynamic == s->law.friction_dynamic &&
         r->law.friction_decay == s->law.friction_decay && r->law.damping == s->law.damping;
}

static ipg_status find_rule(const ipg_contact *c, int a, int b, int32_t *found, ipg_error *error) {
  const ipg_contact_rule *rules = c->buffers[RULES].data;
  int best = -1;
  *found = COMMON_LAW;
  for (int64_t i = 0; i < c->config.rule_count; ++i) {
    const int fit = fit_of(&rules[i], a, b);
    if (fit > best) *found = (int32_t)i;
    else if (fit == best && fit >= 0 && !say_the_same(&rules[i], &rules[*found]))
      return ipg_fail(error, IPG_ERROR_ARGUMENT,
                      "contact rules %d and %lld say different things about blocks %d and %d: keep one", (int)*found,
                      (long long)i, a, b);
    if (fit > best) best = fit;
  }
  return IPG_OK;
}

static ipg_status fill_table(ipg_contact *c, ipg_error *error) {
  int32_t *table = c->buffers[RULE_OF_BLOCKS].data;
  ipg_status status = IPG_OK;
  for (int a = 0; !status && a < c->block_count; ++a)
    for (int b = 0; !status && b < c->block_count; ++b)
      status = find_rule(c, a, b, &table[(int64_t)a * c->block_count + b], error);
  return status;
}

static ipg_status check_all(const ipg_contact *c, ipg_error *error) {
  ipg_status status = check_law(&c->config.law, "the law of contact", error);
  if (!status && c->config.rule_count < 0) status = ipg_fail(error, IPG_ERROR_ARGUMENT, "fewer than no contact rules");
  for (int64_t i = 0; !status && i < c->config.rule_count; ++i)
    status = check_rule(&c->config.rules[i], i, c->block_count, error);
  return status;
}

ipg_status ipg_contact_take_rules(ipg_contact *c, ipg_error *error) {
  const int64_t blocks = c->block_count, rules = c->config.rule_count;
  const ipg_allocator *a = &c->config.allocator;
  ipg_status status = check_all(c, error);
  if (!status) status = ipg_buffer_reserve(&c->buffers[RULES], a, rules, sizeof(ipg_contact_rule), error);
  if (!status) status = ipg_buffer_reserve(&c->buffers[RULE_OF_BLOCKS], a, blocks * blocks, sizeof(int32_t), error);
  if (status) return status;
  if (rules) memcpy(c->buffers[RULES].data, c->config.rules, (size_t)rules * sizeof(ipg_contact_rule));
  c->config.rules = c->buffers[RULES].data;
  c->most_damping = c->config.law.damping;
  for (int64_t i = 0; i < rules; ++i) c->most_damping = larger(c->most_damping, c->config.rules[i].law.damping);
  return fill_table(c, error);
}

static int32_t rule_of(const ipg_contact *c, ipg_id node, ipg_id face) {
  const int32_t *node_blocks = c->buffers[NODE_BLOCKS].data, *table = c->buffers[RULE_OF_BLOCKS].data;
  const int32_t block = c->surface.face_blocks ? c->surface.face_blocks[face] : 0;
  return table[(int64_t)node_blocks[node] * c->block_count + block];
}

static const ipg_contact_rule *rule_between(const ipg_contact *c, ipg_id node, ipg_id face) {
  const int32_t number = c->config.rule_count ? rule_of(c, node, face) : COMMON_LAW;
  return number == COMMON_LAW ? NULL : &c->config.rules[number];
}

bool ipg_contact_is_off(const ipg_contact *c, ipg_id node, ipg_id face) {
  const ipg_contact_rule *rule = rule_between(c, node, face);
  return rule && rule->off;
}

bool ipg_contact_is_on(const ipg_contact *c, ipg_id node, ipg_id face) {
  const ipg_contact_rule *rule = rule_between(c, node, face);
  return !rule || (!rule->off && c->trial->time >= rule->from && c->trial->time < rule->until);
}

const ipg_contact_law *ipg_contact_law_of(const ipg_contact *c, const ipg_contact_pair *pair) {
  const int32_t number = rule_of(c, pair->nodes[0], pair->face);
  return number == COMMON_LAW ? &c->config.law : &c->config.rules[number].law;
}
