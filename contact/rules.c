/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Which law holds between two blocks, and when.
 *
 * A rule names two blocks, or one and any other, or any two. The one that says most about a pair of blocks holds; two
 * that say the same amount and not the same thing are a contradiction, and refused. Without a rule the common law
 * holds. The answer for each pair of blocks is looked up once, at create. */
#include "edges.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ANY = -1, COMMON_LAW = -1 };

ipg_contact_rule ipg_contact_rule_defaults(void) {
  return (ipg_contact_rule){.blocks = {ANY, ANY}, .until = INFINITY, .thickness = -1};
}

ipg_status ipg_contact_check_law(const ipg_contact_law *law, const char *whose, ipg_error *error) {
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

static ipg_status check_tie(const ipg_contact_rule *rule, const char *whose, double start, ipg_error *error) {
  if (!(rule->tie_within >= 0) || !isfinite(rule->tie_within))
    return ipg_fail(error, IPG_ERROR_NUMBER, "%s ties within %g; give a distance of 0 or more", whose,
                    rule->tie_within);
  if (!rule->tied) return IPG_OK;
  if (rule->off) return ipg_fail(error, IPG_ERROR_ARGUMENT, "%s is off and tied: keep one", whose);
  if (rule->blocks[0] == ANY || rule->blocks[1] == ANY || rule->blocks[0] == rule->blocks[1])
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "%s ties blocks %d and %d; name two different ones", whose,
                    (int)rule->blocks[0], (int)rule->blocks[1]);
  if (!(rule->from <= start))
    return ipg_fail(error, IPG_ERROR_NUMBER, "%s ties from time %g on, but contact starts at %g and ties are made then",
                    whose, rule->from, start);
  return IPG_OK;
}

static ipg_status check_rule(const ipg_contact_rule *rule, int64_t number, const ipg_contact *c, ipg_error *error) {
  char whose[48];
  snprintf(whose, sizeof whose, "contact rule %lld", (long long)number);
  for (int i = 0; i < 2; ++i)
    if (rule->blocks[i] < ANY || rule->blocks[i] >= c->block_count)
      return ipg_fail(error, IPG_ERROR_ARGUMENT, "%s names block %d; the surface has blocks 0 to %d", whose,
                      (int)rule->blocks[i], c->block_count - 1);
  if (!(rule->from < rule->until))
    return ipg_fail(error, IPG_ERROR_NUMBER, "%s holds from %g until %g, which is never", whose, rule->from,
                    rule->until);
  if (!(rule->thickness <= IPG_LARGEST))
    return ipg_fail(error, IPG_ERROR_NUMBER, "%s: the thickness is %g; it may be up to %g", whose, rule->thickness,
                    IPG_LARGEST);
  const ipg_status status = check_tie(rule, whose, c->config.start_time, error);
  return status ? status : ipg_contact_check_law(&rule->law, whose, error);
}

/* How many of the two blocks it names, if it is about them; else -1. */
static int fit_of(const ipg_contact_rule *rule, int a, int b) {
  const int32_t *named = rule->blocks;
  const bool straight = (named[0] == ANY || named[0] == a) && (named[1] == ANY || named[1] == b);
  const bool crossed = (named[0] == ANY || named[0] == b) && (named[1] == ANY || named[1] == a);
  return straight || crossed ? (named[0] != ANY) + (named[1] != ANY) : -1;
}

static bool say_the_same(const ipg_contact_rule *r, const ipg_contact_rule *s) {
  return r->off == s->off && r->tied == s->tied && r->tie_within == s->tie_within && r->from == s->from &&
         r->until == s->until && r->thickness == s->thickness && r->law.friction_static == s->law.friction_static &&
         r->law.friction_dynamic == s->law.friction_dynamic && r->law.friction_decay == s->law.friction_decay &&
         r->law.damping == s->law.damping;
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

/* None where there are no rules. */
static ipg_status fill_table(ipg_contact *c, ipg_error *error) {
  const int64_t blocks = c->config.rule_count ? c->block_count : 0;
  ipg_status status =
      ipg_buffer_reserve(&c->buffers[RULE_OF_BLOCKS], &c->config.allocator, blocks * blocks, sizeof(int32_t), error);
  int32_t *table = c->buffers[RULE_OF_BLOCKS].data;
  for (int a = 0; !status && a < blocks; ++a)
    for (int b = 0; !status && b < blocks; ++b) status = find_rule(c, a, b, &table[a * blocks + b], error);
  return status;
}

/* NULL: the common law holds. */
const ipg_contact_rule *ipg_contact_rule_of_blocks(const ipg_contact *c, int a, int b) {
  if (!c->config.rule_count) return NULL;
  const int32_t number = ((const int32_t *)c->buffers[RULE_OF_BLOCKS].data)[(int64_t)a * c->block_count + b];
  return number == COMMON_LAW ? NULL : &c->config.rules[number];
}

static ipg_status check_all(const ipg_contact *c, ipg_error *error) {
  ipg_status status = ipg_contact_check_law(&c->config.law, "the law of contact", error);
  if (!status && c->config.rule_count < 0) status = ipg_fail(error, IPG_ERROR_ARGUMENT, "fewer than no contact rules");
  if (!status && c->config.rule_count && !c->config.rules)
    status = ipg_fail(error, IPG_ERROR_ARGUMENT, "the array of contact rules is null");
  for (int64_t i = 0; !status && i < c->config.rule_count; ++i) status = check_rule(&c->config.rules[i], i, c, error);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- thickness
 */

static ipg_status check_thicknesses(const ipg_contact *c, ipg_error *error) {
  const int64_t count = c->config.thickness_count;
  if (count && (count < c->block_count || !c->config.thicknesses))
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "%lld thicknesses are given; the surface has %d blocks",
                    (long long)count, c->block_count);
  for (int64_t b = 0; b < count; ++b)
    if (!(c->config.thicknesses[b] >= 0 && c->config.thicknesses[b] <= IPG_LARGEST))
      return ipg_fail(error, IPG_ERROR_NUMBER, "the thickness of block %lld is %g; it must be from 0 to %g",
                      (long long)b, c->config.thicknesses[b], IPG_LARGEST);
  return IPG_OK;
}

static double thickness_between(const ipg_contact *c, int32_t a, int32_t b) {
  const double *of = c->buffers[THICKNESSES].data;
  const ipg_contact_rule *rule = ipg_contact_rule_of_blocks(c, a, b);
  if (rule && rule->thickness >= 0) return rule->thickness;
  return c->config.thickness_count ? of[a] + of[b] : 0;
}

static ipg_status take_thicknesses(ipg_contact *c, ipg_error *error) {
  const ipg_allocator *allocator = &c->config.allocator;
  ipg_status status = check_thicknesses(c, error);
  if (!status)
    status = ipg_buffer_reserve(&c->buffers[THICKNESSES], allocator, c->config.thickness_count, sizeof(double), error);
  if (!status)
    status = ipg_buffer_reserve(&c->buffers[BLOCK_REACHES], allocator, c->block_count, sizeof(double), error);
  if (status) return status;
  double *of = c->buffers[THICKNESSES].data, *reaches = c->buffers[BLOCK_REACHES].data;
  for (int64_t b = 0; b < c->config.thickness_count; ++b) of[b] = c->config.thicknesses[b];
  c->config.thicknesses = of;
  const bool nothing_is_thick = !c->config.thickness_count && !c->config.rule_count;
  for (int32_t a = 0; a < c->block_count; ++a) {
    reaches[a] = 0;
    for (int32_t b = 0; b < c->block_count && !nothing_is_thick; ++b)
      reaches[a] = larger(reaches[a], thickness_between(c, a, b));
    c->has_thickness |= reaches[a] > 0;
  }
  return IPG_OK;
}

ipg_status ipg_contact_take_rules(ipg_contact *c, ipg_error *error) {
  const int64_t rules = c->config.rule_count;
  const ipg_allocator *a = &c->config.allocator;
  ipg_status status = check_all(c, error);
  if (!status) status = ipg_buffer_reserve(&c->buffers[RULES], a, rules, sizeof(ipg_contact_rule), error);
  if (status) return status;
  if (rules) memcpy(c->buffers[RULES].data, c->config.rules, (size_t)rules * sizeof(ipg_contact_rule));
  c->config.rules = c->buffers[RULES].data;
  c->most_damping = c->config.law.damping;
  for (int64_t i = 0; i < rules; ++i) c->most_damping = larger(c->most_damping, c->config.rules[i].law.damping);
  status = fill_table(c, error);
  return status ? status : take_thicknesses(c, error);
}

/* ------------------------------------------------------------------------------------------------------------ answers
 */

static int32_t block_of_node(const ipg_contact *c, ipg_id node) {
  return ((const int32_t *)c->buffers[NODE_BLOCKS].data)[node];
}

static int32_t block_of_face(const ipg_contact *c, ipg_id face) {
  return c->surface.face_blocks ? c->surface.face_blocks[face] : 0;
}

static int32_t block_of_edge(const ipg_contact *c, ipg_id edge) { return block_of_face(c, ipg_edge_faces(c, edge)[0]); }

const ipg_contact_rule *ipg_contact_rule_of(const ipg_contact *c, ipg_id node, ipg_id face) {
  return ipg_contact_rule_of_blocks(c, block_of_node(c, node), block_of_face(c, face));
}

static bool holds_now(const ipg_contact *c, const ipg_contact_rule *rule) {
  return c->trial->time >= rule->from && c->trial->time < rule->until;
}

bool ipg_contact_is_tied(const ipg_contact *c, ipg_id node, ipg_id face) {
  const ipg_contact_rule *rule = ipg_contact_rule_of(c, node, face);
  return rule && rule->tied && holds_now(c, rule);
}

static bool are_on(const ipg_contact *c, int32_t a, int32_t b) {
  const ipg_contact_rule *rule = ipg_contact_rule_of_blocks(c, a, b);
  return !rule || (!rule->off && !rule->tied && holds_now(c, rule));
}

bool ipg_contact_is_on(const ipg_contact *c, ipg_id node, ipg_id face) {
  return are_on(c, block_of_node(c, node), block_of_face(c, face));
}

bool ipg_contact_edges_are_on(const ipg_contact *c, ipg_id a, ipg_id b) {
  return are_on(c, block_of_edge(c, a), block_of_edge(c, b));
}

bool ipg_contact_is_off(const ipg_contact *c, ipg_id node, ipg_id face) {
  const ipg_contact_rule *rule = ipg_contact_rule_of(c, node, face);
  return rule && (rule->off || rule->tied);
}

const ipg_contact_law *ipg_contact_law_of(const ipg_contact *c, const ipg_contact_pair *pair) {
  if (pair->kind == IPG_CONTACT_NODE_WALL) return &c->config.walls[pair->touched].law;
  const int32_t first =
      pair->kind == IPG_CONTACT_EDGE_EDGE ? block_of_edge(c, pair->owner) : block_of_node(c, pair->owner);
  const ipg_contact_rule *rule = ipg_contact_rule_of_blocks(c, first, block_of_face(c, pair->face));
  return rule ? &rule->law : &c->config.law;
}

double ipg_contact_separation(const ipg_contact *c, ipg_id node, ipg_id face) {
  if (!c->has_thickness) return 0;
  const int32_t body = ((const int32_t *)c->buffers[NODE_BODIES].data)[node];
  return body == c->surface.face_bodies[face] ? 0
                                              : thickness_between(c, block_of_node(c, node), block_of_face(c, face));
}

double ipg_contact_separation_of_edges(const ipg_contact *c, ipg_id a, ipg_id b) {
  if (!c->has_thickness) return 0;
  const int32_t *bodies = c->surface.face_bodies;
  const bool same = bodies[ipg_edge_faces(c, a)[0]] == bodies[ipg_edge_faces(c, b)[0]];
  return same ? 0 : thickness_between(c, block_of_edge(c, a), block_of_edge(c, b));
}

double ipg_contact_reach_of_face(const ipg_contact *c, ipg_id face) {
  return c->has_thickness ? ((const double *)c->buffers[BLOCK_REACHES].data)[block_of_face(c, face)] : 0;
}

double ipg_contact_reach_of_edge(const ipg_contact *c, ipg_id edge) {
  return ipg_contact_reach_of_face(c, ipg_edge_faces(c, edge)[0]);
}
