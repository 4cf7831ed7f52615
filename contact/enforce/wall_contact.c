/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* One contact after the other in the order of the list, so that sums are the same for any number of workers. A face
 * with several corners behind a wall is evaluated with the contact of the first of them. */
#include "enforce/wall_contact.h"

#include "enforce/onset.h"
#include "enforce/polygon.h"
#include "model/block_rules.h"
#include "model/relative_motion.h"
#include "surface/face_geometry.h"

/* One contact with a wall, among all of them. */
typedef struct wall_contact {
  const ipg_step *step;
  const ipg_contact_range *range;
  const ipg_contact_pair *pair;
  ipg_wall_force *add;
  void *context;
} wall_contact;

/* A face at a wall. */
typedef struct wall_face {
  const ipg_id *corners;
  const ipg_contact_pair *pairs[3]; /* of the corners; NULL: in front of the wall, or behind it since the start */
  double depths[3];                 /* below 0: in front */
  /* Not those behind it since the start: their depth is 0 until they have come out, or, where that was ignored, are
   * deeper than by then. A force on them would work on a way that no energy knows. */
  bool bears[3];
} wall_face;

/* A wall does not give way: the body has half of the approach that two bodies share. */
double ipg_onset_at_wall(const ipg_model *m, const ipg_contact_pair *pair) {
  const int32_t b = m->topology.node_blocks.at[pair->owner];
  const vec approach = vec_sub(ipg_velocity_of_block(m, b), vec_at(m->config.walls[pair->touched].velocity, 0));
  const double speed = fabs(vec_dot(approach, vec_at(pair->normal, 0)));
  return ipg_onset_of(m, m->faces.block_periods.at[b], m->faces.block_sizes.at[b], speed / 2);
}

static const ipg_contact_pair *find_contact(const ipg_contact_range *range, ipg_id node, ipg_id wall) {
  for (int64_t i = ipg_first_contact_of(range, node); i < range->count && range->pairs[i].owner == node; ++i)
    if (range->pairs[i].touched == wall) return &range->pairs[i];
  return NULL;
}

static wall_face face_at_wall(const wall_contact *w, ipg_id face) {
  const ipg_step *step = w->step;
  wall_face f = {.corners = ipg_face_corners(&step->model->surface, face)};
  for (int k = 0; k < 3; ++k) {
    const vec from_wall = ipg_vector_from_wall(step->model, w->pair->touched, step->time1, step->x1, f.corners[k]);
    const double height =
        vec_dot(from_wall, vec_at(w->pair->normal, 0)) - ipg_thickness_at_wall(step->model, f.corners[k]);
    f.pairs[k] = find_contact(w->range, f.corners[k], w->pair->touched);
    f.depths[k] = f.pairs[k] ? -f.pairs[k]->gap : -larger(0, height);
    f.bears[k] = f.pairs[k] ? f.pairs[k]->gap < 0 : height >= 0;
  }
  return f;
}

static bool is_first_of_face(const wall_face *f, const ipg_contact_pair *pair) {
  return pair == (f->pairs[0] ? f->pairs[0] : f->pairs[1] ? f->pairs[1] : f->pairs[2]);
}

/* Returns the energy. The force on a corner in front of the wall belongs to the contact. */
static double evaluate_face(const wall_contact *w, ipg_id face, double onset) {
  const double *r = w->step->model->faces.wall_face_stiffnesses.at + 3 * (int64_t)face, sum = r[0] + r[1] + r[2];
  if (!(sum > 0)) return 0;
  const wall_face f = face_at_wall(w, face);
  const double depth = (r[0] * f.depths[0] + r[1] * f.depths[1] + r[2] * f.depths[2]) / sum;
  if (!is_first_of_face(&f, w->pair) || !(depth > 0)) return 0;
  for (int k = 0; k < 3; ++k)
    if (f.bears[k])
      w->add(w->context, f.pairs[k] ? f.pairs[k] : w->pair, f.corners[k], r[k] * ipg_onset_pressure(depth, onset));
  return sum * ipg_onset_energy(depth, onset);
}

static void add_nothing(void *context, const ipg_contact_pair *pair, ipg_id node, double normal_force) {
  (void)context, (void)pair, (void)node, (void)normal_force;
}

double ipg_energy_of_face_at_wall(const ipg_step *step, const ipg_contact_range *range, const ipg_contact_pair *pair,
                                  ipg_id face) {
  const wall_contact w = {step, range, pair, add_nothing, NULL};
  return evaluate_face(&w, face, ipg_onset_at_wall(step->model, pair));
}

static double evaluate_node(const wall_contact *w, double onset) {
  const double depth = larger(0, -w->pair->gap);
  const double stiffness = w->step->model->faces.wall_node_stiffnesses.at[w->pair->owner];
  w->add(w->context, w->pair, w->pair->owner, stiffness * ipg_onset_pressure(depth, onset));
  return stiffness * ipg_onset_energy(depth, onset);
}

void ipg_evaluate_wall_contact(const ipg_step *step, const ipg_contact_range *range, const ipg_contact_pair *pair,
                               ipg_wall_force *add, void *context, double *energy) {
  const wall_contact w = {step, range, pair, add, context};
  const ipg_id_range faces = ipg_faces_of_node(&step->model->topology, pair->owner);
  const double onset = ipg_onset_at_wall(step->model, pair);
  *energy += evaluate_node(&w, onset);
  for (const ipg_id *face = faces.begin; face < faces.end; ++face) *energy += evaluate_face(&w, *face, onset);
}

typedef struct enforcement {
  ipg_contact_pair *pairs; /* those at walls */
  const ipg_contact_pair *first;
  ipg_force_sums *sums;
} enforcement;

static void add_normal_force(void *context, const ipg_contact_pair *contact, ipg_id node, double normal_force) {
  const enforcement *e = context;
  ipg_contact_pair *pair = &e->pairs[contact - e->first];
  const vec force = vec_scale(normal_force, vec_at(pair->normal, 0));
  pair->response.normal_force += normal_force;
  vec_store(pair->response.force, vec_add(vec_at(pair->response.force, 0), force));
  ipg_add_at_node(e->sums, node, force);
}

double ipg_enforce_walls(const ipg_step *step, ipg_contact_list *contacts, ipg_force_sums *sums) {
  const ipg_contact_range range = ipg_contacts_of_kind(contacts, IPG_CONTACT_NODE_WALL);
  if (!range.count) return 0;
  enforcement e = {contacts->pairs.at + (range.pairs - contacts->pairs.at), range.pairs, sums};
  double energy = 0;
  for (int64_t i = 0; i < range.count; ++i) {
    e.pairs[i].response.normal_force = 0;
    vec_store(e.pairs[i].response.force, (vec){0, 0, 0});
    e.pairs[i].history.stiffness = step->model->faces.wall_node_stiffnesses.at[e.pairs[i].owner];
  }
  for (int64_t i = 0; i < range.count; ++i) {
    ipg_name_contact(sums, &range.pairs[i]);
    ipg_evaluate_wall_contact(step, &range, &range.pairs[i], add_normal_force, &e, &energy);
  }
  return energy;
}
