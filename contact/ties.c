/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Blocks that are tied: each node of the one that is near enough to a face of the other holds on to its nearest place.
 *
 * A tie is made once, from the places at the start. Its place is where the perpendicular from the node meets the plane
 * of the face, so that the offset `rest` along the normal is all there is between them, and nothing pulls at the start;
 * near the border of a surface this place may be a little outside the face. From then on weights and offset are frozen:
 * a tie is never searched for, and rigid motion of both blocks does not pull at it.
 * What a tie has become longer by, along the normal (`gap`) and across (`stretch`), is known from the places alone. */
#include "foot.h"
#include "state.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 256 };

static const double touching = 1e-6; /* of a face's size: near enough where the rule has no distance */

/* ------------------------------------------------------------------------------------------------ who is near enough
 */

/* The root of the area of the parallelogram, as elsewhere. */
static double size_of_face(const ipg_contact *c, const double *x, ipg_id face) {
  const ipg_id *corner = c->surface.faces + 3 * (int64_t)face;
  const vec a = vec_at(x, corner[0]), b = vec_sub(vec_at(x, corner[1]), a), d = vec_sub(vec_at(x, corner[2]), a);
  return sqrt(vec_length(vec_cross(b, d)));
}

static double largest_reach(const ipg_contact *c, const double *x) {
  double largest = 0;
  for (ipg_id f = 0; f < c->surface.face_count; ++f) largest = larger(largest, touching * size_of_face(c, x, f));
  for (int64_t i = 0; i < c->config.rule_count; ++i)
    if (c->config.rules[i].tied) largest = larger(largest, c->config.rules[i].tie_within);
  return largest;
}

/* A node where blocks are joined anyway. */
static bool belongs_to_block_of(const ipg_contact *c, ipg_id node, ipg_id face) {
  const int64_t *first = c->buffers[NODE_FACES_FIRST].data;
  const ipg_id *faces = c->buffers[NODE_FACES].data;
  const int32_t *blocks = c->surface.face_blocks;
  for (int64_t i = first[node]; i < first[node + 1]; ++i)
    if (blocks[faces[i]] == blocks[face]) return true;
  return false;
}

/* INFINITY: it is not. */
static double distance_if_tied(const ipg_contact *c, const double *x, ipg_id node, ipg_id face) {
  const ipg_contact_rule *rule = ipg_contact_rule_of(c, node, face);
  if (!rule || !rule->tied || belongs_to_block_of(c, node, face)) return INFINITY;
  const double within = rule->tie_within > 0 ? rule->tie_within : touching * size_of_face(c, x, face);
  const double distance = sqrt(ipg_foot_on_face(&c->surface, x, node, face).distance2);
  return distance <= within ? distance : INFINITY;
}

/* The foot of the perpendicular on the face's plane, as weights of the corners; false where there is no plane. */
static bool place_on_plane(const ipg_contact *c, const double *x, ipg_contact_gap *place) {
  const ipg_id *corner = c->surface.faces + 3 * (int64_t)place->face;
  const vec a = vec_at(x, corner[0]);
  const vec b = vec_sub(vec_at(x, corner[1]), a), d = vec_sub(vec_at(x, corner[2]), a), area = vec_cross(b, d);
  const double area2 = vec_dot(area, area), longest2 = larger(vec_dot(b, b), vec_dot(d, d));
  if (!(area2 > 1e-16 * longest2 * longest2)) return false; /* so thin that the normal is mostly rounding */
  ipg_foot_on_plane(&c->surface, x, place->node, place->face, place->weights);
  return true;
}

/* Of one node's candidates the nearest face of each block that it is tied to; returns how many. */
static int64_t nearest_of_blocks(const ipg_contact *c, const double *x, const ipg_pair *pairs, int64_t count,
                                 ipg_contact_gap *found) {
  const int32_t *blocks = c->surface.face_blocks;
  int64_t found_count = 0;
  for (int64_t i = 0; i < count; ++i) {
    ipg_contact_gap one = {
        .node = pairs[i].a, .face = pairs[i].b, .gap = distance_if_tied(c, x, pairs[i].a, pairs[i].b)};
    int64_t at = 0;
    if (one.gap == INFINITY || !place_on_plane(c, x, &one)) continue;
    while (at < found_count && blocks[found[at].face] != blocks[one.face]) ++at;
    if (at < found_count && found[at].gap <= one.gap) continue;
    found[at] = one;
    found_count += at == found_count;
  }
  return found_count;
}

/* A node's ties stand in the order of faces. */
static void sort_by_face(ipg_contact_gap *found, int64_t count) {
  for (int64_t i = 1; i < count; ++i)
    for (int64_t j = i; j > 0 && found[j].face < found[j - 1].face; --j) {
      const ipg_contact_gap swap = found[j];
      found[j] = found[j - 1], found[j - 1] = swap;
    }
}

/* ----------------------------------------------------------------------------------------------------------- the ties
 */

static vec normal_of_face(const ipg_contact *c, const double *x, ipg_id face) {
  const ipg_id *corner = c->surface.faces + 3 * (int64_t)face;
  const vec a = vec_at(x, corner[0]);
  return vec_unit(vec_cross(vec_sub(vec_at(x, corner[1]), a), vec_sub(vec_at(x, corner[2]), a)));
}

/* From the tied place to the node. Differences first: far from the origin nothing cancels. */
static vec way_to_node(const ipg_contact_pair *tie, const double *x) {
  vec sum = {0, 0, 0};
  for (int i = 1; i < 4; ++i)
    sum = vec_add(sum, vec_scale(tie->weights[i], vec_sub(vec_at(x, tie->nodes[i]), vec_at(x, tie->nodes[0]))));
  return sum;
}

vec ipg_tie_elongation(const ipg_contact *c, const ipg_contact_pair *tie, const double *x) {
  return vec_sub(way_to_node(tie, x), vec_scale(tie->initial_offset, normal_of_face(c, x, tie->face)));
}

/* A lever of length `rest` stands on the face, and the force acts on its end: minus the force times how the end goes
 * with the corner. Those on the three corners are a couple. */
vec ipg_tie_turning(const ipg_contact_pair *tie, const double *x, vec force, int node) {
  const vec along = vec_across(force, vec_at(tie->normal, 0));
  vec corner[3];
  for (int k = 0; k < 3; ++k) corner[k] = vec_at(x, tie->nodes[1 + (node + k) % 3]); /* from the next one on */
  const vec area = vec_cross(vec_sub(corner[1], corner[0]), vec_sub(corner[2], corner[0]));
  return vec_cross(vec_scale(-tie->initial_offset / vec_length(area), vec_sub(corner[0], corner[1])), along);
}

double ipg_tie_work(const ipg_contact *c, const ipg_contact_pair *tie, const double *x, vec force) {
  double work = vec_dot(force, ipg_contact_relative_motion(c, tie));
  for (int i = 1; i < 4; ++i) {
    const vec motion = vec_sub(vec_at(ipg_trial_x(c), tie->nodes[i]), vec_at(ipg_accepted_x(c), tie->nodes[i]));
    work += vec_dot(ipg_tie_turning(tie, x, force, i), motion);
  }
  return work;
}

/* Its spring has no stiffness yet: that takes a step. */
static ipg_contact_pair new_tie(const ipg_contact *c, const double *x, const ipg_contact_gap *place) {
  const ipg_id *corner = c->surface.faces + 3 * (int64_t)place->face;
  ipg_contact_pair tie = {.kind = IPG_CONTACT_TIE,
                          .owner = place->node,
                          .touched = place->face,
                          .nodes = {place->node, corner[0], corner[1], corner[2]},
                          .weights = {1, -place->weights[0], -place->weights[1], -place->weights[2]},
                          .face = place->face,
                          .node_gid = c->surface.node_gids[place->node],
                          .element = c->surface.face_elements[place->face],
                          .side = c->surface.face_sides[place->face],
                          .sub = c->surface.face_subs ? c->surface.face_subs[place->face] : 0};
  const vec normal = normal_of_face(c, x, place->face);
  vec_store(tie.normal, normal);
  tie.initial_offset = vec_dot(normal, way_to_node(&tie, x));
  return tie;
}

/* A rule that ties nothing is a mistake that the user wants to hear of. `ties`: for each rule, does it? */
static ipg_status check_all_tie(const ipg_contact *c, const bool *ties, ipg_error *error) {
  for (int64_t i = 0; i < c->config.rule_count; ++i) {
    const ipg_contact_rule *rule = &c->config.rules[i];
    const int a = rule->blocks[0], b = rule->blocks[1];
    if (!rule->tied || ties[ipg_contact_rule_of_blocks(c, a, b) - c->config.rules]) continue;
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
static int64_t list_ties(const ipg_contact *c, const double *x, ipg_contact_gap *all, bool *ties) {
  int64_t count = 0;
  for (int64_t first = 0, end; first < c->faces.count; first = end) {
    for (end = first; end < c->faces.count && c->faces.pairs[end].a == c->faces.pairs[first].a;) ++end;
    if (!ipg_looks_for_faces(c, c->faces.pairs[first].a)) continue;
    const int64_t found = nearest_of_blocks(c, x, c->faces.pairs + first, end - first, all + count);
    sort_by_face(all + count, found);
    for (int64_t i = count; i < count + found; ++i)
      ties[ipg_contact_rule_of(c, all[i].node, all[i].face) - c->config.rules] = true;
    count += found;
  }
  return count;
}

static bool has_tied_rule(const ipg_contact *c) {
  bool tied = false;
  for (int64_t i = 0; i < c->config.rule_count; ++i) tied |= c->config.rules[i].tied;
  return tied;
}

ipg_status ipg_contact_tie(ipg_contact *c, ipg_error *error) {
  const int64_t rules = c->config.rule_count;
  const double *x = ipg_trial_x(c);
  if (!has_tied_rule(c)) return IPG_OK;
  ipg_status status = ipg_contact_search_near(c, x, largest_reach(c, x), error);
  if (!status) status = ipg_buffer_reserve(&c->buffers[RULES_THAT_TIE], &c->config.allocator, rules, 1, error);
  if (!status)
    status =
        ipg_buffer_reserve(&c->buffers[GAPS], &c->config.allocator, c->faces.count, sizeof(ipg_contact_gap), error);
  if (status) return status;
  const ipg_contact_gap *all = c->buffers[GAPS].data;
  bool *ties = c->buffers[RULES_THAT_TIE].data;
  memset(ties, 0, (size_t)rules);
  const int64_t count = list_ties(c, x, c->buffers[GAPS].data, ties);
  if ((status = check_all_tie(c, ties, error)) || (status = ipg_contact_make_room(c, count, error))) return status;
  ipg_contact_pair *contacts = c->trial->contacts.data;
  for (int64_t i = 0; i < count; ++i) contacts[c->trial->contact_count++] = new_tie(c, x, &all[i]);
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------------------------ a step
 */

static void carry(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const ipg_contact *c = arg;
  ipg_contact_pair *ties = (ipg_contact_pair *)c->trial->contacts.data + c->trial->contact_count;
  for (int64_t i = begin; i < end; ++i) {
    const vec normal = normal_of_face(c, ipg_trial_x(c), ties[i].face);
    const vec longer = ipg_tie_elongation(c, &ties[i], ipg_trial_x(c));
    ties[i].gap = vec_dot(normal, longer);
    vec_store(ties[i].normal, normal);
    vec_store(ties[i].tangential_slip, vec_across(longer, normal));
    if (!(ties[i].stiffness > 0)) ipg_penalty_begin(c, &ties[i]);
  }
}

ipg_status ipg_contact_carry_ties(ipg_contact *c, ipg_error *error) {
  const ipg_contact_range old = ipg_contacts_of(c->accepted, IPG_CONTACT_TIE);
  int64_t count = 0;
  const ipg_status status = ipg_contact_make_room(c, old.count, error);
  if (status || !old.count) return status;
  ipg_contact_pair *ties = (ipg_contact_pair *)c->trial->contacts.data + c->trial->contact_count;
  for (int64_t i = 0; i < old.count; ++i)
    if (ipg_contact_is_tied(c, old.pairs[i].owner, old.pairs[i].face)) ties[count++] = old.pairs[i];
  ipg_tasks_for(&c->config.tasks, carry, c, 0, count, GRAIN);
  c->trial->contact_count += count;
  return IPG_OK;
}
