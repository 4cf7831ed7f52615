/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Tied contact: each node of one block that is near enough to a face of the other is tied to the closest point of its
 * plane.
 *
 * A tie is made once, from the positions at the start. Its point is where the perpendicular from the node meets the
 * plane of the face, so that the offset along the normal is all there is between them, and nothing pulls at the start;
 * near the border of a surface this point may be a little outside the face. From then on weights and offset are frozen:
 * a tie is never searched for, and rigid motion of both blocks does not load it. */
#include "enforce/tie_contact.h"
#include "model/block_rules.h"
#include "model/relative_motion.h"
#include "setup/create.h"
#include "surface/closest_point.h"

#include <string.h>

/* ---------------------------------------------------------------------------------------------------------- distance
 */

static double largest_tie_distance(const ipg_model *m, const double *x) {
  double largest = 0;
  for (ipg_id f = 0; f < m->surface.face_count; ++f)
    largest = larger(largest, IPG_TIE_DISTANCE * ipg_face_size(&m->surface, x, f));
  for (int64_t i = 0; i < m->config.rule_count; ++i)
    if (m->config.rules[i].tied) largest = larger(largest, m->config.rules[i].tie_within);
  return largest;
}

/* A node where blocks are joined anyway. */
static bool is_node_of_block(const ipg_model *m, ipg_id node, int32_t block) {
  const ipg_id_range faces = ipg_faces_of_node(&m->topology, node);
  for (const ipg_id *face = faces.begin; face < faces.end; ++face)
    if (m->surface.face_blocks[*face] == block) return true;
  return false;
}

/* INFINITY: the node is not tied to the face. */
static double distance_if_tied(const ipg_model *m, double time, const double *x, ipg_id node, ipg_id face) {
  const ipg_contact_rule *rule = ipg_rule_of_node_face(m, node, face);
  if (!ipg_is_tied(m, time, node, face) || is_node_of_block(m, node, m->surface.face_blocks[face])) return INFINITY;
  const double within =
      rule->tie_within > 0 ? rule->tie_within : IPG_TIE_DISTANCE * ipg_face_size(&m->surface, x, face);
  const double distance = sqrt(ipg_closest_point_on_face(&m->surface, x, node, face).distance2);
  return distance <= within ? distance : INFINITY;
}

/* Sets the weights of the node's projection; false where the face is so thin that its normal is mostly rounding. */
static bool project_on_face(const ipg_surface *s, const double *x, ipg_contact_gap *gap) {
  const ipg_id *corner = ipg_face_corners(s, gap->face);
  const vec a = vec_at(x, corner[0]);
  const vec b = vec_sub(vec_at(x, corner[1]), a), c = vec_sub(vec_at(x, corner[2]), a), area = vec_cross(b, c);
  const double area2 = vec_dot(area, area), longest2 = larger(vec_dot(b, b), vec_dot(c, c));
  if (!(area2 > IPG_THIN_FACE * longest2 * longest2)) return false;
  ipg_project_on_plane(s, x, gap->node, gap->face, gap->weights);
  return true;
}

/* Of one node's candidates the closest face of each block that it is tied to; returns how many. */
static int64_t closest_of_blocks(const ipg_model *m, double time, const double *x, const ipg_pair *pairs, int64_t count,
                                 ipg_contact_gap *found) {
  const int32_t *blocks = m->surface.face_blocks;
  int64_t found_count = 0;
  for (int64_t i = 0; i < count; ++i) {
    ipg_contact_gap one = {
        .node = pairs[i].a, .face = pairs[i].b, .gap = distance_if_tied(m, time, x, pairs[i].a, pairs[i].b)};
    int64_t at = 0;
    if (one.gap == INFINITY || !project_on_face(&m->surface, x, &one)) continue;
    while (at < found_count && blocks[found[at].face] != blocks[one.face]) ++at;
    if (at < found_count && found[at].gap <= one.gap) continue;
    found[at] = one;
    found_count += at == found_count;
  }
  return found_count;
}

/* The ties of a node are in the order of faces. */
static void sort_by_face(ipg_contact_gap *found, int64_t count) {
  for (int64_t i = 1; i < count; ++i)
    for (int64_t j = i; j > 0 && found[j].face < found[j - 1].face; --j) {
      const ipg_contact_gap swap = found[j];
      found[j] = found[j - 1], found[j - 1] = swap;
    }
}

/* -------------------------------------------------------------------------------------------------------------- ties
 */

static ipg_contact_pair make_tie(const ipg_model *m, const double *x, const ipg_contact_gap *gap) {
  const ipg_surface *s = &m->surface;
  const ipg_id *corner = ipg_face_corners(s, gap->face);
  ipg_contact_pair tie = {.kind = IPG_CONTACT_TIE,
                          .owner = gap->node,
                          .touched = gap->face,
                          .nodes = {gap->node, corner[0], corner[1], corner[2]},
                          .weights = {1, -gap->weights[0], -gap->weights[1], -gap->weights[2]},
                          .face = gap->face,
                          .node_gid = s->node_gids[gap->node]};
  const vec normal = ipg_face_normal(s, x, gap->face);
  ipg_name_contact_face(s, &tie);
  vec_store(tie.normal, normal);
  tie.history.initial_offset = vec_dot(normal, ipg_separation_vector(m, &tie, x, 0));
  tie.history.stiffness = ipg_stiffness_of_tie(m, &tie);
  return tie;
}

/* A rule that ties nothing, or not yet, is an error, but for one that is over. is_used: for each rule, whether it ties
 * anything. */
static ipg_status check_all_rules_tie(const ipg_model *m, double time, const bool *is_used, ipg_error *error) {
  for (int64_t i = 0; i < m->config.rule_count; ++i) {
    const ipg_contact_rule *rule = &m->config.rules[i];
    const int a = rule->blocks[0], b = rule->blocks[1];
    if (!rule->tied || time >= rule->until) continue;
    if (time < rule->from)
      return ipg_fail(error, IPG_ERROR_ARGUMENT,
                      "contact rule %lld ties from %g on, after the start at %g: ties are made at the start",
                      (long long)i, rule->from, time);
    if (is_used[ipg_rule_of_blocks(m, a, b) - m->config.rules]) continue;
    return ipg_fail(error, IPG_ERROR_ARGUMENT,
                    rule->tie_within > 0
                        ? "contact rule %lld ties blocks %d and %d, but no node of one is within %g of a "
                          "face of the other: raise tie_within"
                        : "contact rule %lld ties blocks %d and %d, but no node of one touches a face "
                          "of the other: give tie_within, now %g",
                    (long long)i, a, b, rule->tie_within);
  }
  return IPG_OK;
}

/* All ties in the order of contacts, from candidates in the order of nodes. */
static int64_t list_ties(const ipg_model *m, double time, const ipg_candidates *candidates, const double *x,
                         ipg_contact_gap *all, bool *is_used) {
  const ipg_pair *pairs = candidates->pairs;
  int64_t count = 0;
  for (int64_t first = 0, end; first < candidates->count; first = end) {
    for (end = first; end < candidates->count && pairs[end].a == pairs[first].a;) ++end;
    if (!ipg_is_owned(&m->surface, pairs[first].a)) continue;
    const int64_t found = closest_of_blocks(m, time, x, pairs + first, end - first, all + count);
    sort_by_face(all + count, found);
    for (int64_t i = count; i < count + found; ++i)
      is_used[ipg_rule_of_node_face(m, all[i].node, all[i].face) - m->config.rules] = true;
    count += found;
  }
  return count;
}

static ipg_status add_ties(ipg_contact *c, bool *is_used, ipg_error *error) {
  const ipg_model *m = &c->model;
  const double *x = c->trial->x.at;
  const ipg_candidates *candidates = &c->broad_phase.node_face;
  ipg_contact_list *contacts = &c->trial->contacts;
  ipg_status status = ipg_array_reserve(&c->gaps, &m->config.allocator, candidates->count, error);
  if (status) return status;
  const int64_t count = list_ties(m, c->trial->time, candidates, x, c->gaps.at, is_used);
  status = check_all_rules_tie(m, c->trial->time, is_used, error);
  if (!status) status = ipg_contact_list_reserve(contacts, count, &m->config.allocator, error);
  if (status) return status;
  for (int64_t i = 0; i < count; ++i) contacts->pairs.at[contacts->count++] = make_tie(m, x, &c->gaps.at[i]);
  return IPG_OK;
}

/* Ties are all of them there from the start: the bound on the step counts them. */
void ipg_set_tie_rates(ipg_contact *c, const ipg_contact_state *state) {
  double *rates = c->model.faces.tie_rates.at;
  for (int64_t i = 0; i < c->model.surface.node_count; ++i) rates[i] = 0;
  ipg_add_tie_rates(&c->model, state->x.at, &state->contacts, rates);
}

ipg_status ipg_make_ties(ipg_contact *c, ipg_error *error) {
  const ipg_model *m = &c->model;
  const double *x = c->trial->x.at;
  IPG_ARRAY(bool) is_used = {0};
  if (!ipg_has_tied_rule(m)) return IPG_OK;
  ipg_status status = ipg_find_pairs_within(&c->broad_phase, m, x, largest_tie_distance(m, x), error);
  if (!status) status = ipg_array_reserve(&is_used, &m->config.allocator, m->config.rule_count, error);
  if (!status) {
    memset(is_used.at, 0, (size_t)m->config.rule_count * sizeof *is_used.at);
    status = add_ties(c, is_used.at, error);
  }
  ipg_array_destroy(&is_used, &m->config.allocator);
  if (!status && ipg_has_face_contact(m)) ipg_set_tie_rates(c, c->trial);
  return status;
}
