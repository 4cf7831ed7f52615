/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Sums over the nodes of a contact, in the order of its nodes. Positions enter as differences first, so that nothing
 * cancels far from the origin. */
#include "model/relative_motion.h"

#include "surface/face_geometry.h"

vec ipg_relative_motion(const ipg_step *step, const ipg_contact_pair *pair) {
  vec sum = vec_scale(-step->dt, ipg_wall_velocity(step->model, pair));
  for (int i = 0; i < 4; ++i) sum = vec_add(sum, vec_scale(pair->weights[i], ipg_node_motion(step, pair->nodes[i])));
  return sum;
}

vec ipg_relative_velocity(const ipg_model *m, const ipg_contact_pair *pair, const double *v) {
  vec sum = vec_scale(-1, ipg_wall_velocity(m, pair));
  for (int i = 0; i < 4; ++i) sum = vec_add(sum, vec_scale(pair->weights[i], vec_at(v, pair->nodes[i])));
  return sum;
}

/* From the touched point to the owning node. */
static vec vector_to_node(const ipg_contact_pair *pair, const double *x) {
  vec sum = {0, 0, 0};
  for (int i = 1; i < 4; ++i)
    sum = vec_add(sum, vec_scale(pair->weights[i], vec_sub(vec_at(x, pair->nodes[i]), vec_at(x, pair->nodes[0]))));
  return sum;
}

vec ipg_separation_vector(const ipg_model *m, const ipg_contact_pair *pair, const double *x, double time) {
  if (pair->kind == IPG_CONTACT_NODE_WALL) return ipg_vector_from_wall(m, pair->touched, time, x, pair->owner);
  return vector_to_node(pair, x);
}

vec ipg_vector_from_wall(const ipg_model *m, ipg_id wall, double time, const double *x, ipg_id node) {
  const ipg_contact_wall *w = &m->config.walls[wall];
  const vec moved = vec_scale(time - m->config.start_time, vec_at(w->velocity, 0));
  return vec_sub(vec_sub(vec_at(x, node), vec_at(w->point, 0)), moved);
}

/* 1/2 for node-face contacts and ties, for a touch may appear twice, once from each side; 1 at walls. */
static double partition_factor(const ipg_contact_pair *pair) {
  return pair->kind == IPG_CONTACT_NODE_FACE || pair->kind == IPG_CONTACT_TIE ? 0.5 : 1;
}

double ipg_effective_mass(const ipg_model *m, const ipg_contact_pair *pair) {
  double inverse = 0;
  for (int i = 0; i < 4; ++i) inverse += pair->weights[i] * pair->weights[i] / m->surface.node_masses[pair->nodes[i]];
  return partition_factor(pair) / inverse;
}

/* ------------------------------------------------------------------------------------------------------------- ties */

vec ipg_tie_elongation(const ipg_surface *s, const ipg_contact_pair *tie, const double *x) {
  return vec_sub(vector_to_node(tie, x), vec_scale(tie->history.initial_offset, ipg_face_normal(s, x, tie->face)));
}

/* A lever of length initial_offset stands on the face, and the force acts on its end. A corner gets minus the force
 * times the derivative of that end with respect to the corner. The three add up to a couple. */
vec ipg_tie_lever_force(const ipg_contact_pair *tie, const double *x, vec force, int node) {
  const vec along = vec_across(force, vec_at(tie->normal, 0));
  vec corner[3];
  for (int k = 0; k < 3; ++k) corner[k] = vec_at(x, tie->nodes[1 + (node + k) % 3]); /* from the next one on */
  const vec area = ipg_triangle_area_vector(corner[0], corner[1], corner[2]);
  return vec_cross(vec_scale(-tie->history.initial_offset / vec_length(area), vec_sub(corner[0], corner[1])), along);
}

double ipg_tie_work(const ipg_step *step, const ipg_contact_pair *tie, const double *x, vec force) {
  double work = vec_dot(force, ipg_relative_motion(step, tie));
  for (int i = 1; i < 4; ++i)
    work += vec_dot(ipg_tie_lever_force(tie, x, force, i), ipg_node_motion(step, tie->nodes[i]));
  return work;
}
