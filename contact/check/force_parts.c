/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "check/force_parts.h"

#include "enforce/contact_force.h"
#include "enforce/wall_contact.h"
#include "model/bevels.h"
#include "model/block_rules.h"
#include "surface/face_geometry.h"

typedef struct listing {
  const ipg_contact *contact;
  const ipg_model *model;
  const ipg_contact_state *state;
  ipg_take_force_part *take;
  void *context;
} listing;

/* At a corner of a bevel: on the two nodes that it moves with. The pressure counts at the first. */
static void add_at_point(const listing *l, ipg_force_part part, ipg_id point) {
  const int64_t bevel_point = point - l->model->surface.node_count;
  part.node = ipg_node_of_point(l->model, point);
  if (bevel_point < 0) {
    l->take(l->context, &part);
    return;
  }
  const ipg_bevel_point *p = &l->model->bevels.points.at[bevel_point];
  ipg_force_part far = part;
  far.node = p->toward, far.pressure = 0;
  far.normal = vec_scale(p->part, part.normal), far.tangential = vec_scale(p->part, part.tangential);
  part.normal = vec_sub(part.normal, far.normal), part.tangential = vec_sub(part.tangential, far.tangential);
  l->take(l->context, &part), l->take(l->context, &far);
}

static ipg_force_part part_of_side(const listing *l, const ipg_face_contact *contact, int side) {
  const ipg_id face = contact->faces[side], other = contact->faces[1 - side];
  return (ipg_force_part){
      .face = face, .block = ipg_block_of_face(l->model, face), .touched = ipg_block_of_face(l->model, other)};
}

/* Minus the gradient of an energy: all of it is normal, also what borders of the overlap add. */
static void list_pressure(const listing *l, const ipg_face_contact *contact) {
  for (int side = 0; side < 2; ++side) {
    const ipg_id face = contact->faces[side], *corner = ipg_face_corners(&l->model->surface, face);
    const ipg_id *others = l->model->faces.border_nodes.at + l->model->faces.border_node_starts.at[face];
    ipg_force_part part = part_of_side(l, contact, side);
    part.of_energy = true;
    for (int k = 0; k < contact->overlap.point_counts[side]; ++k) {
      part.normal = contact->overlap.forces[side][k];
      part.pressure = k < 3 ? contact->overlap.pressures[side][k] : 0;
      add_at_point(l, part, k < 3 ? corner[k] : others[k - 3]);
    }
  }
}

static void list_friction(const listing *l, const ipg_face_contact *contact, int64_t i) {
  const ipg_face_friction_workspace *w = &l->contact->face_friction;
  const vec normal = ipg_normal_of_friction(w, i);
  for (int k = 0; k < 6; ++k) {
    const vec force = w->forces.at[6 * i + k];
    const double along = vec_dot(force, normal);
    ipg_force_part part = part_of_side(l, contact, k / 3);
    part.normal = vec_scale(along, normal), part.tangential = vec_sub(force, part.normal);
    part.pressure = k < 3 ? along : -along;
    add_at_point(l, part, ipg_face_corners(&l->model->surface, part.face)[k % 3]);
  }
}

static void list_wall_force(void *context, const ipg_contact_pair *pair, ipg_id node, double normal_force) {
  const listing *l = context;
  const vec normal = vec_at(pair->normal, 0);
  const ipg_force_part part = {.node = node,
                               .block = l->model->topology.node_blocks.at[node],
                               .touched = (int32_t)(pair->touched - l->model->config.wall_count),
                               .face = -1,
                               .normal = vec_scale(normal_force, normal),
                               .pressure = normal_force,
                               .facing = normal,
                               .of_energy = true};
  l->take(l->context, &part);
}

static void list_walls(const listing *l) {
  const ipg_contact_range walls = ipg_contacts_of_kind(&l->state->contacts, IPG_CONTACT_NODE_WALL);
  const ipg_step step = {.model = l->model, .x1 = l->state->x.at, .time1 = l->state->time};
  double unused = 0;
  for (int64_t i = 0; i < walls.count; ++i)
    ipg_evaluate_wall_contact(&step, &walls, &walls.pairs[i], list_wall_force, (void *)l, &unused);
}

static void list_friction_at_walls(const listing *l) {
  for (int64_t i = 0; i < l->state->frictions.count; ++i) {
    const ipg_node_friction *f = &l->state->frictions.contacts.at[i];
    if (f->block >= 0) continue;
    const vec normal = vec_at(l->model->config.walls[f->block + l->model->config.wall_count].normal, 0);
    const ipg_force_part part = {.node = f->node,
                                 .block = l->model->topology.node_blocks.at[f->node],
                                 .touched = f->block,
                                 .face = -1,
                                 .normal = vec_scale(f->normal_damper, normal),
                                 .tangential = f->force,
                                 .pressure = f->normal_damper,
                                 .facing = normal};
    l->take(l->context, &part);
  }
}

static void list_tie(const listing *l, const ipg_contact_pair *tie) {
  const vec normal = vec_at(tie->normal, 0);
  const int32_t blocks[2] = {l->model->topology.node_blocks.at[tie->owner], ipg_block_of_face(l->model, tie->face)};
  for (int n = 0; n < 4; ++n) {
    const vec force = ipg_force_on_node(tie, l->state->x.at, n);
    const double along = vec_dot(force, normal);
    const ipg_force_part part = {.node = tie->nodes[n],
                                 .block = blocks[n > 0],
                                 .touched = blocks[n == 0],
                                 .face = -1,
                                 .normal = vec_scale(along, normal),
                                 .tangential = vec_sub(force, vec_scale(along, normal)),
                                 .pressure = n ? -along : along,
                                 .facing = vec_scale(n ? -1 : 1, normal)};
    l->take(l->context, &part);
  }
}

void ipg_list_force_parts(const ipg_contact *c, ipg_take_force_part *take, void *context) {
  const listing l = {c, &c->model, ipg_last_state(c), take, context};
  const ipg_contact_range ties = ipg_contacts_of_kind(&l.state->contacts, IPG_CONTACT_TIE);
  const ipg_face_contact *contacts = c->face_contact.contacts.at;
  for (int64_t i = 0; i < c->face_contact.count; ++i) list_pressure(&l, &contacts[i]);
  list_walls(&l);
  for (int64_t i = 0; i < ties.count; ++i) list_tie(&l, &ties.pairs[i]);
  if (!ipg_has_friction(l.model)) return;
  for (int64_t i = 0; i < c->face_contact.count; ++i) list_friction(&l, &contacts[i], i);
  list_friction_at_walls(&l);
}
