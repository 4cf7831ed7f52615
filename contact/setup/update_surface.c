/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Update of the contact surface after erosion: another surface under the contacts, after elements were deleted.
 *
 * A new object is made from the new surface, with all checks and all memory that an object needs; history is carried
 * over; then the two swap their insides, and the old one is destroyed. Before the swap nothing of the old has changed,
 * from then on nothing can fail. Nodes are identified by gid, faces by (element, side, sub): indices and numbers of
 * bodies mean nothing from one surface to the next. */
#include "candidates/back_to_back.h"
#include "detect/tracking.h"
#include "enforce/contact_force.h"
#include "enforce/energy_balance.h"
#include "enforce/wall_contact.h"
#include "model/relative_motion.h"
#include "model/sharp_edges.h"
#include "setup/build_model.h"
#include "setup/create.h"
#include "setup/face_before.h"
#include "setup/sizes.h"
#include "surface/point_in_body.h"

#include <string.h>

typedef struct transfer {
  const ipg_contact *from;
  ipg_contact *to;
  const ipg_step *step;        /* of `to`, at rest */
  const ipg_face_trees *trees; /* of `to`; built where a contact has lost its face */
} transfer;

/* ------------------------------------------------------------------------------------------------------------ nodes */

/* Forces too: half of them has still to do its work, in the next step. */
static ipg_status transfer_nodes(const transfer *t, ipg_error *error) {
  const ipg_surface *s = &t->to->model.surface;
  const ipg_contact_state *from = t->from->accepted;
  ipg_contact_state *to = t->to->accepted;
  for (int64_t node = 0; node < s->node_count; ++node) {
    const ipg_id before = ipg_find_node(&t->from->model.surface, s->node_gids[node]);
    if (before < 0) continue;
    for (int k = 0; k < 3; ++k) {
      if (to->x.at[3 * node + k] != from->x.at[3 * (int64_t)before + k])
        return ipg_fail(error, IPG_ERROR_ARGUMENT,
                        "node %lld is not where it was accepted last: change the surface between steps, without moving "
                        "its nodes",
                        (long long)s->node_gids[node]);
      to->force.at[3 * node + k] = from->force.at[3 * (int64_t)before + k];
    }
  }
  return IPG_OK;
}

/* --------------------------------------------------------------------------------------------------------- contacts */

/* Puts new indices for the old ones of one kind of contact; false where the contact is deactivated. */
typedef bool transfer_contact(const transfer *t, ipg_contact_pair *pair);

static void transfer_node_indices(const transfer *t, ipg_contact_pair *pair) {
  const ipg_gid *gids = t->from->model.surface.node_gids;
  for (int i = 0; i < 4; ++i) pair->nodes[i] = ipg_find_node(&t->to->model.surface, gids[pair->nodes[i]]);
}

static ipg_id face_of_contact(const transfer *t, const ipg_contact_pair *pair) {
  return ipg_find_face(&t->to->model.surface, (ipg_contact_face_id){pair->element, pair->side, pair->sub});
}

/* The closest face among those around the corners that are left of the old face; -1: there are none. */
static ipg_id closest_remaining_face(const ipg_step *step, const ipg_contact_pair *pair) {
  const ipg_model *m = step->model;
  ipg_closest_point best = {.face = -1, .distance2 = INFINITY};
  for (int k = 1; k < 4; ++k) {
    if (pair->nodes[k] < 0) continue;
    const ipg_id_range faces = ipg_faces_of_node(&m->topology, pair->nodes[k]);
    for (const ipg_id *face = faces.begin; face < faces.end; ++face) {
      if (ipg_is_own_face(&m->surface, pair->owner, *face)) continue;
      const ipg_closest_point q = ipg_closest_point_on_face(&m->surface, step->x0, pair->owner, *face);
      if (ipg_is_closer_or_deeper(&q, &best)) best = q;
    }
  }
  return best.face;
}

/* The face's element was deleted, but the node may still be inside a neighbouring element; without contact it would go
 * through. Its contact moves to the closest remaining face. If the node is outside of what is left, or would be deeper
 * than before, it is in the hole and the contact is deactivated. */
static bool move_to_remaining_face(const transfer *t, ipg_contact_pair *pair) {
  const double before = pair->gap + pair->history.initial_offset, rounding = IPG_DEPTH_ROUNDING * fabs(before);
  ipg_contact_initial_penetration inside;
  pair->face = closest_remaining_face(t->step, pair);
  pair->activated = false; /* its offset is known */
  if (pair->face < 0 || !ipg_track_contact(t->step, pair)) return false;
  if (pair->gap + pair->history.initial_offset < before - rounding) return false;
  return ipg_find_penetration(t->trees, pair->owner, t->to->model.surface.face_bodies[pair->face], &inside);
}

/* Puts the new indices; whether the face is still there. */
static bool has_its_face(const transfer *t, ipg_contact_pair *pair) {
  transfer_node_indices(t, pair);
  pair->owner = pair->nodes[0];
  pair->face = face_of_contact(t, pair);
  return pair->face >= 0 &&
         !memcmp(pair->nodes + 1, ipg_face_corners(&t->to->model.surface, pair->face), 3 * sizeof(ipg_id));
}

static bool transfer_node_face(const transfer *t, ipg_contact_pair *pair) {
  const bool is_same_face = has_its_face(t, pair);
  if (pair->owner < 0 || (!is_same_face && !move_to_remaining_face(t, pair))) return false;
  pair->touched = t->to->model.surface.face_bodies[pair->face];
  return true;
}

static bool transfer_node_wall(const transfer *t, ipg_contact_pair *pair) {
  transfer_node_indices(t, pair);
  pair->owner = pair->nodes[0];
  return pair->owner >= 0;
}

/* No other face is taken instead: a tie breaks with either side. */
static bool transfer_tie(const transfer *t, ipg_contact_pair *pair) {
  transfer_node_indices(t, pair);
  pair->owner = pair->nodes[0];
  pair->touched = pair->face = face_of_contact(t, pair);
  if (pair->owner < 0 || pair->face < 0) return false;
  for (int i = 1; i < 4; ++i)
    if (!ipg_is_corner(&t->to->model.surface, pair->face, pair->nodes[i])) return false;
  return true;
}

static transfer_contact *const transfer_of_kind[IPG_CONTACT_KIND_COUNT] = {[IPG_CONTACT_NODE_FACE] = transfer_node_face,
                                                                           [IPG_CONTACT_NODE_WALL] = transfer_node_wall,
                                                                           [IPG_CONTACT_TIE] = transfer_tie};

/* In the order of keys, which new numbers of bodies may have changed; false if the contact is there already, where two
 * bodies have become one. The list has room. */
static bool insert_contact(const ipg_model *m, ipg_contact_list *list, const ipg_contact_pair *pair) {
  ipg_contact_pair *pairs = list->pairs.at;
  int64_t at = list->count;
  while (at > 0 && ipg_compare_in_list(ipg_is_kinematic(m), pair, &pairs[at - 1]) < 0) --at;
  if (at > 0 && ipg_compare_in_list(ipg_is_kinematic(m), pair, &pairs[at - 1]) == 0) return false;
  memmove(pairs + at + 1, pairs + at, (size_t)(list->count - at) * sizeof *pairs);
  pairs[at] = *pair;
  list->count++;
  return true;
}

static ipg_status start_released(ipg_contact *c, ipg_error *error) {
  const int64_t values = 3 * c->model.surface.node_count;
  ipg_force_field *released = &c->accepted->released;
  const ipg_status status = ipg_array_reserve(&released->forces, &c->model.config.allocator, values, error);
  for (int64_t i = 0; !status && i < values; ++i) released->forces.at[i] = 0;
  return status;
}

/* Its force has still to do half of its work. */
static void release_tie(const transfer *t, const ipg_contact_pair *was) {
  const ipg_contact *from = t->from;
  for (int i = 0; i < 4; ++i) {
    const ipg_id node = ipg_find_node(&t->to->model.surface, from->model.surface.node_gids[was->nodes[i]]);
    if (node < 0) continue;
    double *at = t->to->accepted->released.forces.at + 3 * (int64_t)node;
    vec_store(at, vec_add(vec_at(at, 0), ipg_force_on_node(was, from->accepted->x.at, i)));
  }
}

static bool has_moved_contacts(const transfer *t) {
  const ipg_contact_range pairs = ipg_contacts_of_kind(&t->from->accepted->contacts, IPG_CONTACT_NODE_FACE);
  for (int64_t i = 0; i < pairs.count; ++i) {
    ipg_contact_pair pair = pairs.pairs[i];
    if (!has_its_face(t, &pair) && pair.owner >= 0) return true;
  }
  return false;
}

static ipg_status transfer_list(const transfer *t, ipg_error *error) {
  const ipg_contact_state *from = t->from->accepted;
  const ipg_model *m = &t->to->model;
  ipg_contact_state *to = t->to->accepted;
  const ipg_status status = ipg_array_reserve(&to->contacts.pairs, &m->config.allocator, from->contacts.count, error);
  if (status) return status;
  to->balance = from->balance;
  to->balance.contact_energy = 0;
  for (int64_t i = 0; i < from->contacts.count; ++i) {
    const ipg_contact_pair *was = &from->contacts.pairs.at[i];
    ipg_contact_pair now = *was;
    const bool goes_on = transfer_of_kind[now.kind](t, &now) && insert_contact(m, &to->contacts, &now);
    ipg_book_transfer(was, goes_on ? &now : NULL, &to->balance);
    if (!goes_on && was->kind == IPG_CONTACT_TIE && ipg_has_face_contact(m)) release_tie(t, was);
  }
  return IPG_OK;
}

static ipg_status transfer_contacts(const transfer *t, ipg_error *error) {
  const ipg_model *m = &t->to->model;
  const ipg_allocator *a = &m->config.allocator;
  ipg_face_trees trees = {0};
  ipg_status status = IPG_OK;
  if (has_moved_contacts(t))
    status = ipg_face_trees_build(&trees, &m->surface, &m->topology, t->step->x0, a, &m->config.tasks, error);
  const transfer with_trees = {t->from, t->to, t->step, &trees};
  if (!status) status = transfer_list(&with_trees, error);
  ipg_face_trees_destroy(&trees, a);
  return status;
}

/* -------------------------------------------------------------------------------------------------- penalty contact */

/* Where all nodes of the new surface were at the start. */
static ipg_status find_start_positions(const ipg_contact *from, const ipg_surface *surface, double *start,
                                       ipg_error *error) {
  for (int64_t node = 0; node < surface->node_count; ++node) {
    const ipg_id before = ipg_find_node(&from->model.surface, surface->node_gids[node]);
    if (before < 0 && !surface->start_positions)
      return ipg_fail(error, IPG_ERROR_ARGUMENT,
                      "node %lld comes to the surface: penalty contact has to know where it was at the start, give "
                      "the surface its start_positions",
                      (long long)surface->node_gids[node]);
    const double *x = before < 0 ? surface->start_positions + 3 * node : from->model.faces.reference.at + 3 * before;
    vec_store(start + 3 * node, vec_at(x, 0));
  }
  return IPG_OK;
}

/* Three values of each node that is on both surfaces; 0 at nodes that are new. */
static void transfer_values(const transfer *t, const double *from, double *to) {
  const ipg_surface *s = &t->to->model.surface;
  for (int64_t node = 0; node < s->node_count; ++node) {
    const ipg_id before = ipg_find_node(&t->from->model.surface, s->node_gids[node]);
    vec_store(to + 3 * node, before < 0 ? (vec){0, 0, 0} : vec_at(from, before));
  }
}

static ipg_id node_after_update(const transfer *t, ipg_id node) {
  return ipg_find_node(&t->to->model.surface, t->from->model.surface.node_gids[node]);
}

/* A spring that has become stiffer keeps its force. */
static void set_friction_stiffness(ipg_node_friction *f, double stiffness) {
  if (stiffness > f->stiffness) f->slip = vec_scale(f->stiffness / stiffness, f->slip);
  f->stiffness = stiffness;
}

/* Friction belongs to nodes, dissipation to blocks, whose numbers stay. The order of nodes is that of their gids on
 * both surfaces. */
static ipg_status transfer_frictions(const transfer *t, ipg_error *error) {
  const ipg_friction_list *from = &t->from->accepted->frictions;
  const ipg_model *m = &t->to->model;
  const ipg_allocator *a = &m->config.allocator;
  ipg_friction_list *to = &t->to->accepted->frictions;
  ipg_status status = ipg_array_reserve(&to->contacts, a, from->count, error);
  if (!status) status = ipg_array_reserve(&to->forces, a, from->force_count, error);
  for (int64_t i = 0; !status && i < from->count; ++i) {
    ipg_node_friction f = from->contacts.at[i];
    f.node = node_after_update(t, f.node);
    if (f.node < 0) continue;
    set_friction_stiffness(&f, ipg_friction_stiffness(m, f.node, f.block)); /* booked with all that is gone */
    to->contacts.at[to->count++] = f;
  }
  for (int64_t i = 0; !status && i < from->force_count; ++i) {
    ipg_friction_force f = from->forces.at[i];
    f.node = node_after_update(t, (ipg_id)f.node);
    if (f.node >= 0) to->forces.at[to->force_count++] = f;
  }
  return status;
}

/* The onset and the stiffness of a block are those of its surface at the start. */
static void keep_means_of_blocks(const transfer *t) {
  const ipg_face_properties *from = &t->from->model.faces;
  ipg_face_properties *to = &t->to->model.faces;
  for (int32_t b = 0; b < t->from->model.topology.block_count; ++b) {
    if (!from->block_face_counts.at[b]) continue;
    to->block_periods.at[b] = from->block_periods.at[b], to->block_sizes.at[b] = from->block_sizes.at[b];
    to->block_stiffnesses.at[b] = from->block_stiffnesses.at[b];
    to->block_face_counts.at[b] = from->block_face_counts.at[b];
  }
}

/* Of a face that is uncovered. */
static bool is_behind_a_wall(const transfer *t, ipg_id face) {
  const ipg_contact_range walls = ipg_contacts_of_kind(&t->to->accepted->contacts, IPG_CONTACT_NODE_WALL);
  double energy = 0;
  for (int k = 0; k < 3; ++k) {
    const ipg_id node = ipg_face_corners(&t->to->model.surface, face)[k];
    for (int64_t i = ipg_first_contact_of(&walls, node); i < walls.count && walls.pairs[i].owner == node; ++i)
      energy += ipg_energy_of_face_at_wall(t->step, &walls, &walls.pairs[i], face);
  }
  return energy > 0;
}

/* K and R of enforce/wall_contact.h: what is left presses as before or less, and what is uncovered behind a wall not at
 * all. */
static void keep_wall_stiffnesses(const transfer *t) {
  const ipg_model *from = &t->from->model, *to = &t->to->model;
  double *of_nodes = to->faces.wall_node_stiffnesses.at, *of_faces = to->faces.wall_face_stiffnesses.at;
  for (ipg_id node = 0; node < to->surface.node_count; ++node) {
    const ipg_id before = ipg_find_node(&from->surface, to->surface.node_gids[node]);
    if (before >= 0) of_nodes[node] = smaller(of_nodes[node], from->faces.wall_node_stiffnesses.at[before]);
  }
  for (ipg_id face = 0; face < to->surface.face_count; ++face) {
    const ipg_id before = ipg_face_before(&t->from->model, &t->to->model, face);
    const bool is_free = before < 0 && is_behind_a_wall(t, face);
    for (int k = 0; k < 3; ++k)
      if (before >= 0) of_faces[3 * face + k] = from->faces.wall_face_stiffnesses.at[3 * before + k];
      else if (is_free) of_faces[3 * face + k] = 0;
  }
}

/* Offsets belong to nodes too. */
static ipg_status transfer_face_state(const transfer *t, ipg_error *error) {
  const ipg_contact_state *from = t->from->accepted;
  const ipg_model *m = &t->to->model;
  ipg_contact_state *to = t->to->accepted;
  keep_means_of_blocks(t);
  if (m->config.wall_count) keep_wall_stiffnesses(t);
  ipg_status status = transfer_frictions(t, error);
  if (!status) status = ipg_copy_block_sums(&from->sums, &to->sums, &m->config.allocator, error);
  if (status) return status;
  for (int64_t node = 0; node < m->surface.node_count; ++node) {
    const ipg_id before = ipg_find_node(&t->from->model.surface, m->surface.node_gids[node]);
    to->offsets.at[node] = before >= 0 && from->has_offsets ? from->offsets.at[before] : 0;
  }
  ipg_set_tie_rates(t->to, to);
  return IPG_OK;
}

/* At the accepted positions; 0: the two do not press. */
static double energy_of_pair(const ipg_contact *c, const ipg_pair *faces) {
  const ipg_contact_state *at = c->accepted;
  ipg_step step = ipg_step_of(c);
  ipg_face_contact found;
  step.x1 = step.x0, step.time1 = step.time0;
  return ipg_evaluate_face_pair(&step, at->has_offsets ? at->offsets.at : NULL, faces, &found) ? found.overlap.energy
                                                                                               : 0;
}

/* 0: the two did not press, or were not there. The sides of a plate may do so where it has been cut in two. */
static double energy_before(const transfer *t, const ipg_face_contact *contact) {
  const ipg_model *from = &t->from->model;
  const ipg_pair faces = {ipg_face_before(from, &t->to->model, contact->faces[0]),
                          ipg_face_before(from, &t->to->model, contact->faces[1])};
  if (faces.a < 0 || faces.b < 0) return 0;
  if (!ipg_is_sharp_edge(from, faces.a) && ipg_are_back_to_back(from, faces.a, faces.b)) return 0;
  return energy_of_pair(t->from, &faces);
}

/* So does a new face inside another body; and an old one where a border is gone: what was on its way out there must now
 * go back. */
static bool presses_harder(const transfer *t, const ipg_face_contact *contact) {
  const double now = energy_of_pair(t->to, &(ipg_pair){contact->faces[0], contact->faces[1]});
  return now > 0 && now > (1 + IPG_DEPTH_ROUNDING) * energy_before(t, contact);
}

static bool has_offsets(const ipg_contact *c) {
  bool has = false;
  for (int64_t node = 0; node < c->model.surface.node_count; ++node) has |= c->accepted->offsets.at[node] < 0;
  return has;
}

/* An update makes no contact press harder: what would is free of force as it is. First it is found, with the offsets of
 * before: a penetration of 0 marks the others. */
static void offset_new_penetrations(const transfer *t) {
  ipg_face_contact_workspace *w = &t->to->face_contact;
  ipg_contact_state *to = t->to->accepted;
  to->has_offsets = has_offsets(t->to);
  for (int64_t i = 0; i < w->count; ++i)
    if (!presses_harder(t, &w->contacts.at[i])) w->contacts.at[i].overlap.depth = 0;
  for (int64_t i = 0; i < w->count; ++i) ipg_add_offsets(&w->contacts.at[i], &t->to->model, to->offsets.at);
  to->has_offsets = has_offsets(t->to);
}

static ipg_status find_face_contacts(const transfer *t, const double *offsets, ipg_error *error) {
  return ipg_find_face_contacts(&t->to->face_contact, t->step, &t->to->broad_phase, offsets, error);
}

/* Of the friction of walls. */
static double power_of_friction(const ipg_model *m, const ipg_friction_list *list) {
  double power = 0;
  for (int64_t i = 0; i < list->force_count; ++i) {
    const ipg_friction_force *f = &list->forces.at[i];
    if (f->blocks.lower < 0)
      power += vec_dot(f->force, vec_at(m->config.walls[f->blocks.lower + m->config.wall_count].velocity, 0));
  }
  return power;
}

/* Of the forces of walls. */
static double power_at_walls(const ipg_model *m, const ipg_contact_list *list) {
  const ipg_contact_range walls = ipg_contacts_of_kind(list, IPG_CONTACT_NODE_WALL);
  double power = 0;
  for (int64_t i = 0; i < walls.count; ++i)
    power += vec_dot(vec_at(walls.pairs[i].response.force, 0), ipg_wall_velocity(m, &walls.pairs[i]));
  return power;
}

/* The faces of the new surface at the positions that were accepted. Contacts keep the forces that they had: half of the
 * work of these belongs to the next step. */
static ipg_status enforce_new_faces(const transfer *t, ipg_contact_list *copy, double *forces, ipg_error *error) {
  ipg_contact_state *to = t->to->accepted;
  const ipg_contact_list *list = &to->contacts;
  ipg_force_sums sums = {.model = &t->to->model, .forces = forces};
  const ipg_status status = ipg_array_reserve(&copy->pairs, &t->to->model.config.allocator, list->count, error);
  if (status) return status;
  if (list->count) memcpy(copy->pairs.at, list->pairs.at, (size_t)list->count * sizeof *list->pairs.at);
  copy->count = list->count;
  ipg_start_sums(&sums);
  to->faces = ipg_enforce_faces(&t->to->face_contact, t->step, copy, &sums);
  return IPG_OK;
}

/* What the faces had and have no more, beside the ties that broke. */
static void release_forces(const transfer *t, const ipg_contact_list *enforced) {
  const ipg_model *m = &t->to->model;
  const ipg_contact_state *from = t->from->accepted;
  ipg_contact_state *to = t->to->accepted;
  double *released = to->released.forces.at, *was = t->to->trial->force.at; /* no trial yet: memory that is free */
  transfer_values(t, from->face_force.at, was);
  for (int64_t i = 0; i < 3 * m->surface.node_count; ++i) released[i] += was[i] - to->face_force.at[i];
  if (from->released.is_there) transfer_values(t, from->released.forces.at, was);
  for (int64_t i = 0; from->released.is_there && i < 3 * m->surface.node_count; ++i) released[i] += was[i];
  to->released.is_there = true;
  to->released.wall_power =
      power_at_walls(m, &to->contacts) - power_of_friction(m, &to->frictions) - power_at_walls(m, enforced);
}

/* Nobody moves: the energy of faces that are gone is lost, and what friction springs held at nodes that are. Before the
 * first step nothing is booked yet. */
static ipg_status book_deleted_faces(const transfer *t, ipg_error *error) {
  ipg_contact_state *to = t->to->accepted;
  ipg_broad_phase *b = &t->to->broad_phase;
  ipg_status status = ipg_update_swept_boxes(b, t->step, to->x.at, t->to->trial->x.at, error);
  if (!status) status = ipg_update_candidates(b, &t->to->model, error);
  if (!status) status = find_face_contacts(t, NULL, error);
  if (status) return status;
  offset_new_penetrations(t);
  status = find_face_contacts(t, to->has_offsets ? to->offsets.at : NULL, error);
  if (status || to->is_start) return status;
  status = enforce_new_faces(t, &t->to->trial->contacts, to->face_force.at, error);
  if (status) return status;
  release_forces(t, &t->to->trial->contacts);
  const ipg_contact_state *from = t->from->accepted;
  const double left = to->faces.energy + ipg_friction_energy(&to->frictions);
  to->balance.spring_net_loss += from->faces.energy + ipg_friction_energy(&from->frictions) - left;
  to->balance.contact_energy += left;
  return IPG_OK;
}

/* ----------------------------------------------------------------------------------------------------------- object */

/* The search margin keeps its width: that of the edges at the start, not of what is left and how it has bent. */
static void transfer_numbers(const ipg_contact *from, ipg_contact *to) {
  to->model.mean_edge = from->model.mean_edge, to->model.longest_edge = from->model.longest_edge;
  ipg_set_lengths(&to->model);
  to->counters = from->counters;
  to->broad_phase.searches = from->broad_phase.searches, to->broad_phase.reuses = from->broad_phase.reuses;
  to->accepted->step = from->accepted->step;
  to->accepted->is_start = from->accepted->is_start;
  to->accepted->passed = from->accepted->passed;
  for (int i = 0; i < 3; ++i) to->states[i].time = from->accepted->time;
}

static void swap_insides(ipg_contact *a, ipg_contact *b) {
  const ipg_contact swap = *a;
  *a = *b, *b = swap;
  ipg_start_ring(a);
  ipg_start_ring(b);
}

ipg_status ipg_contact_update_surface(ipg_contact *c, const ipg_surface *surface, const double *x, ipg_error *error) {
  ipg_contact *updated = NULL;
  const bool has_faces = ipg_has_face_contact(&c->model);
  ipg_surface with_start = ipg_take_surface(&c->model.config, surface);
  IPG_ARRAY(double) start = {0};
  ipg_status status = IPG_OK;
  if (has_faces) status = ipg_array_reserve(&start, &c->model.config.allocator, 3 * with_start.node_count, error);
  if (!status && has_faces) status = find_start_positions(c, &with_start, start.at, error);
  with_start.start_positions = start.at;
  if (!status)
    status = ipg_create_without_ties(&c->model.config, &with_start, x, c->model.topology.block_count, &updated, error);
  ipg_array_destroy(&start, &c->model.config.allocator);
  if (status) return status;
  transfer_numbers(c, updated); /* first: rules depend on the time */
  const ipg_step step = ipg_step_of(updated);
  const transfer t = {c, updated, &step, NULL};
  status = transfer_nodes(&t, error);
  if (!status && has_faces) status = start_released(updated, error);
  if (!status) status = transfer_contacts(&t, error);
  if (!status && has_faces) status = transfer_face_state(&t, error);
  if (!status && has_faces) status = book_deleted_faces(&t, error);
  if (!status) {
    updated->accepted->stable_step = ipg_find_stable_step(updated);
    swap_insides(c, updated);
  }
  ipg_contact_destroy(&updated);
  return status;
}
