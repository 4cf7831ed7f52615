/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What contact does between each pair of blocks, and at walls: sums over the last evaluation, and what the accepted
 * state has of dissipation. */
#include "check/force_parts.h"
#include "check/refuse_results.h"
#include "enforce/energy_balance.h"
#include "enforce/wall_contact.h"
#include "model/block_rules.h"

#include <string.h>

typedef ipg_contact_block_result block_result;

typedef struct listing {
  ipg_contact *contact;
  const ipg_contact_state *state;
  int64_t count;
  ipg_status status; /* of memory */
  block_result none; /* taken where there is no memory */
} listing;

static ipg_block_pair pair_of_result(const ipg_model *m, const block_result *r) {
  if (r->wall < 0) return (ipg_block_pair){r->blocks[0], r->blocks[1]};
  return (ipg_block_pair){(int32_t)(r->wall - m->config.wall_count), r->blocks[0]};
}

static block_result result_of_pair(const ipg_model *m, ipg_block_pair pair) {
  if (pair.lower >= 0) return (block_result){.blocks = {pair.lower, pair.upper}, .wall = -1};
  return (block_result){.blocks = {pair.upper, -1}, .wall = (ipg_id)(pair.lower + m->config.wall_count)};
}

static int64_t find_pair(const listing *l, ipg_block_pair pair) {
  const block_result *results = l->contact->block_results.at;
  int64_t low = 0, high = l->count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (ipg_is_block_pair_before(pair_of_result(&l->contact->model, &results[middle]), pair)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* That of the pair; there is one from now on. */
static block_result *result_of(listing *l, ipg_block_pair pair) {
  ipg_contact *c = l->contact;
  const block_result fresh = result_of_pair(&c->model, pair);
  const int64_t at = find_pair(l, pair);
  block_result *result = c->block_results.at + at;
  if (at < l->count && result->wall == fresh.wall && !memcmp(result->blocks, fresh.blocks, sizeof fresh.blocks))
    return result;
  ipg_error error;
  if (!l->status && l->count == ipg_array_capacity(&c->block_results))
    l->status = ipg_array_grow(&c->block_results, &c->model.config.allocator, l->count, 2 * l->count + 8, &error);
  if (l->status) return &l->none;
  result = c->block_results.at + at;
  memmove(result + 1, result, (size_t)(l->count++ - at) * sizeof *result);
  *result = fresh;
  return result;
}

static void add_to(double sum[3], vec more) { vec_store(sum, vec_add(vec_at(sum, 0), more)); }

/* On the first block; in self-contact on both sides. */
static void add_part(void *context, const ipg_force_part *part) {
  listing *l = context;
  block_result *result = result_of(l, ipg_block_pair_of(part->block, part->touched));
  if (part->block != result->blocks[0]) return;
  const vec x = vec_at(l->state->x.at, part->node);
  add_to(result->normal_force, part->normal), add_to(result->tangential_force, part->tangential);
  add_to(result->moment, vec_cross(x, vec_add(part->normal, part->tangential)));
}

static void add_faces(listing *l) {
  const ipg_face_contact_workspace *w = &l->contact->face_contact;
  const ipg_model *m = &l->contact->model;
  for (int64_t i = 0; i < w->count; ++i) {
    const ipg_id *faces = w->contacts.at[i].faces;
    block_result *r = result_of(l, ipg_block_pair_of(ipg_block_of_face(m, faces[0]), ipg_block_of_face(m, faces[1])));
    r->contacts++, r->contact_energy += w->contacts.at[i].overlap.energy;
  }
}

static void add_no_force(void *context, const ipg_contact_pair *pair, ipg_id node, double normal_force) {
  (void)context, (void)pair, (void)node, (void)normal_force;
}

static void add_walls(listing *l) {
  const ipg_model *m = &l->contact->model;
  const ipg_contact_range walls = ipg_contacts_of_kind(&l->state->contacts, IPG_CONTACT_NODE_WALL);
  const ipg_step step = {.model = m, .x1 = l->state->x.at, .time1 = l->state->time};
  for (int64_t i = 0; i < walls.count; ++i) {
    const ipg_contact_pair *pair = &walls.pairs[i];
    const int32_t wall = (int32_t)(pair->touched - m->config.wall_count);
    block_result *r = result_of(l, (ipg_block_pair){wall, m->topology.node_blocks.at[pair->owner]});
    r->contacts++;
    ipg_evaluate_wall_contact(&step, &walls, pair, add_no_force, NULL, &r->contact_energy);
  }
}

static void add_ties(listing *l) {
  const ipg_model *m = &l->contact->model;
  const ipg_contact_range ties = ipg_contacts_of_kind(&l->state->contacts, IPG_CONTACT_TIE);
  for (int64_t i = 0; i < ties.count; ++i) {
    const int32_t block = m->topology.node_blocks.at[ties.pairs[i].owner];
    block_result *r = result_of(l, ipg_block_pair_of(block, ipg_block_of_face(m, ties.pairs[i].face)));
    r->contacts++, r->contact_energy += ipg_energy_of_tie(&ties.pairs[i]);
  }
}

static void add_frictions(listing *l) {
  const ipg_friction_list *list = &l->state->frictions;
  for (int64_t i = 0; i < list->count; ++i) {
    const ipg_node_friction *f = &list->contacts.at[i];
    result_of(l, ipg_blocks_of_friction(&l->contact->model, f))->contact_energy += ipg_energy_of_friction(f);
  }
}

static void add_dissipation(listing *l) {
  const ipg_block_sums *sums = &l->contact->accepted->sums;
  for (int64_t i = 0; i < sums->count; ++i) {
    block_result *r = result_of(l, sums->pairs.at[i].blocks);
    r->friction_dissipation = sums->pairs.at[i].friction, r->damping_dissipation = sums->pairs.at[i].damping;
  }
}

ipg_status ipg_contact_find_block_results(ipg_contact *c, const ipg_contact_block_result **results, int64_t *count,
                                          ipg_error *error) {
  listing l = {.contact = c, .state = ipg_last_state(c)};
  *results = NULL, *count = 0;
  const ipg_status status = ipg_refuse_results(c, error);
  if (status) return status;
  add_dissipation(&l);
  add_faces(&l), add_walls(&l), add_ties(&l), add_frictions(&l);
  ipg_list_force_parts(c, add_part, &l);
  if (l.status) return ipg_fail(error, l.status, "out of memory for results of pairs of blocks");
  *results = c->block_results.at, *count = l.count;
  return IPG_OK;
}
