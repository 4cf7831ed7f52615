/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* How stiff the spring of a contact is by what stands behind it: material and size.
 *
 * The stiffness per area of both sides, one behind the other like two springs, times an area: at first that of the
 * node's faces which look at the touched surface. Where nodes do not stand on nodes, springs of such areas press
 * unevenly: who has a node of the other side right in front bears all of that one's spring and its own.
 * So areas are balanced. A gap that is everywhere the same shall press the same everywhere, on either side: what the
 * springs bring to a node, each by its share there, shall be the node's area. This is a system of linear equations, and
 * each step makes one step of Richardson's and Lucy's iteration for it: a spring's area times the mean, by its shares,
 * of what its nodes should have to what they have. Areas stay positive; what is as good as balanced is left in peace.
 * The ledger books what springs give up and gain by it as released. Contacts of nodes and faces alone are made so; they
 * come first. */
#include "foot.h"
#include "state.h"

enum { GRAIN = 64 };
static const double balanced = 0.0005;  /* in parts: so near to what is wanted, a spring stays as it is */
static const double growth = 0.0078125; /* of a spring in a step: a hit is over before it has grown under load */
/* Of the area of its node a spring keeps this much, from which to grow when its neighbours go. */
static const double least_spring = 0.015625;
/* Of all area of its faces a node has at least this: one that comes with an edge first has a spring too. */
static const double least_area = 0.125;

/* A third of the node's faces, as seen against `direction`. */
static double area_of(const ipg_contact *c, ipg_id node, vec direction) {
  const int64_t *first = c->buffers[NODE_FACES_FIRST].data;
  const ipg_id *faces = c->buffers[NODE_FACES].data;
  double facing = 0, all = 0;
  for (int64_t i = first[node]; i < first[node + 1]; ++i) {
    const ipg_id *corner = c->surface.faces + 3 * (int64_t)faces[i];
    const vec a = vec_at(ipg_trial_x(c), corner[0]);
    const vec area2 =
        vec_cross(vec_sub(vec_at(ipg_trial_x(c), corner[1]), a), vec_sub(vec_at(ipg_trial_x(c), corner[2]), a));
    facing += larger(0, vec_dot(area2, direction)), all += vec_length(area2);
  }
  return larger(facing, least_area * all) / 6;
}

/* Of both sides together. The node's is that of its first face, as its block is. */
static double stiffness_per_area(const ipg_contact *c, const ipg_contact_pair *pair) {
  const int64_t *first = c->buffers[NODE_FACES_FIRST].data;
  const ipg_id *faces = c->buffers[NODE_FACES].data, node = pair->nodes[0];
  const double there = c->surface.face_stiffnesses[pair->face];
  const double here = first[node] < first[node + 1] ? c->surface.face_stiffnesses[faces[first[node]]] : there;
  return c->config.penalty_scale / (1 / here + 1 / there);
}

void ipg_material_begin(const ipg_contact *c, ipg_contact_pair *pair) {
  const vec normal = ipg_foot_on_face(&c->surface, ipg_trial_x(c), pair->nodes[0], pair->face).normal;
  pair->stiffness = stiffness_per_area(c, pair) * area_of(c, pair->nodes[0], vec_scale(-1, normal));
  pair->stiffness_dt2 = ipg_penalty_mass(c, pair); /* what a single contact of the largest scale has */
}

/* What springs bring to each node, and which nodes have springs of their own; what stands at others is old. */
static void sum_areas(const ipg_contact *c) {
  double *areas = c->buffers[NODE_ROWS].data;
  uint8_t *strikes = c->buffers[NODE_STRIKES].data;
  const ipg_contact_range all = ipg_contacts_of(c->trial, IPG_CONTACT_NODE_FACE);
  for (int64_t i = 0; i < all.count; ++i)
    for (int k = 0; k < 4; ++k) areas[all.pairs[i].nodes[k]] = 0, strikes[all.pairs[i].nodes[k]] = 0;
  for (int64_t i = 0; i < all.count; ++i) {
    const ipg_contact_pair *pair = &all.pairs[i];
    const double area = pair->stiffness / stiffness_per_area(c, pair);
    for (int k = 0; k < 4; ++k) areas[pair->nodes[k]] += area * fabs(pair->weights[k]);
    strikes[pair->nodes[0]] = 1;
  }
}

/* What the spring's nodes should have, in parts of what they have; `own`: the area of the node itself. A node that
 * touches nothing stands at the border of what touches, and need not be borne in full: it may ask for less, never for
 * more. */
static double wanted_by_nodes(const ipg_contact *c, const ipg_contact_pair *pair, double own) {
  const double *areas = c->buffers[NODE_ROWS].data;
  const uint8_t *strikes = c->buffers[NODE_STRIKES].data;
  double wanted = 0.5 * own / areas[pair->nodes[0]];
  for (int k = 1; k < 4; ++k) {
    if (pair->weights[k] == 0) continue;
    const ipg_id node = pair->nodes[k];
    const double ratio = area_of(c, node, vec_at(pair->normal, 0)) / areas[node];
    wanted += 0.5 * fabs(pair->weights[k]) * (strikes[node] ? ratio : smaller(1, ratio));
  }
  return wanted;
}

static void balance(const ipg_contact *c, ipg_contact_pair *pair) {
  const double own = area_of(c, pair->nodes[0], vec_scale(-1, vec_at(pair->normal, 0)));
  const double wanted = wanted_by_nodes(c, pair, own), least = least_spring * own * stiffness_per_area(c, pair);
  if (fabs(wanted - 1) > balanced) pair->stiffness = larger(least, smaller(wanted, 1 + growth) * pair->stiffness);
}

static void balance_some(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const ipg_contact *c = arg;
  ipg_contact_pair *pairs = c->trial->contacts.data;
  for (int64_t i = begin; i < end; ++i) balance(c, &pairs[i]);
}

void ipg_material_balance(ipg_contact *c) {
  sum_areas(c);
  ipg_tasks_for(&c->config.tasks, balance_some, c, 0, ipg_contacts_of(c->trial, IPG_CONTACT_NODE_FACE).count, GRAIN);
}
