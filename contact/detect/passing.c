/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A node passes a body where its path leaves it through a face that is turned away from the one by which it came in, in
 * this step or in an earlier one. The paths decide, for the positions at the end of a step do not tell how a node came
 * to be where it is, and a plate may be thinner by then than it was at the start. So has one that leaves the body
 * beside that face from deeper than half of the thickness.
 *
 * A node that is farther behind the face by which it came in than the law of penalty contact reaches has passed too:
 * there is no force on it. Not so while it is inside and within reach of another face.
 *
 * A node of a floor that comes in through the end of a block which slides over the floor, and out at the other end, has
 * passed nothing: it is the underside of the block that it is in contact with. */
#include "detect/passing.h"

#include "model/block_rules.h"
#include "surface/surface_walk.h"

#include <string.h>

typedef struct entry {
  ipg_id face;
  double time; /* 0: before the step */
} entry;

/* ----------------------------------------------------------------------------------------------------------- sideways
 */

static vec position_at(const ipg_step *step, ipg_id node, double time) {
  return vec_add(vec_scale(1 - time, vec_at(step->x0, node)), vec_scale(time, vec_at(step->x1, node)));
}

static vec normal_at(const ipg_step *step, ipg_id face, double time) {
  const ipg_id *corner = ipg_face_corners(&step->model->surface, face);
  return vec_unit(ipg_triangle_area_vector(position_at(step, corner[0], time), position_at(step, corner[1], time),
                                           position_at(step, corner[2], time)));
}

/* Of the node behind the plane of the face. */
static double depth_at(const ipg_step *step, ipg_id node, ipg_id face, double time) {
  const ipg_id corner = ipg_face_corners(&step->model->surface, face)[0];
  return vec_dot(normal_at(step, face, time), vec_sub(position_at(step, corner, time), position_at(step, node, time)));
}

static bool faces_own_surface(const ipg_step *step, ipg_id node, ipg_id face, double time) {
  const ipg_id_range own = ipg_faces_of_node(&step->model->topology, node);
  const vec normal = normal_at(step, face, time);
  for (const ipg_id *at = own.begin; at < own.end; ++at)
    if (vec_dot(normal_at(step, *at, time), normal) < -IPG_FOLLOW_COSINE) return true;
  return false;
}

/* The thickness of the material behind the face and behind those of the node that are turned to it, as the law has it.
 */
static double reach_between(const ipg_step *step, ipg_id node, ipg_id face, double time) {
  const ipg_id_range own = ipg_faces_of_node(&step->model->topology, node);
  const double *thicknesses = step->model->faces.thicknesses.at;
  const vec normal = normal_at(step, face, time);
  double most = 0;
  for (const ipg_id *at = own.begin; at < own.end; ++at)
    if (vec_dot(normal_at(step, *at, time), normal) < -IPG_FOLLOW_COSINE) most = larger(most, thicknesses[*at]);
  return most > 0 ? smaller(most, thicknesses[face]) : thicknesses[face];
}

/* Whether the node is in contact with a face about `near` rather than with the one by which it came in: that one is not
 * turned to the node's own surface, the other one is, lies beside it, and is nearer by as much as a way out sideways
 * is.
 */
static bool is_held_sideways(const ipg_step *step, ipg_id node, ipg_id in, ipg_id near, double time) {
  const ipg_model *m = step->model;
  const double most = depth_at(step, node, in, time) / IPG_WAYS_OUT;
  const vec way_in = normal_at(step, in, time);
  if (faces_own_surface(step, node, in, time)) return false;
  for (int k = 0; k < 3; ++k) {
    const ipg_id_range faces = ipg_faces_of_node(&m->topology, ipg_face_corners(&m->surface, near)[k]);
    for (const ipg_id *face = faces.begin; face < faces.end; ++face)
      if (vec_dot(normal_at(step, *face, time), way_in) >= -IPG_FOLLOW_COSINE &&
          depth_at(step, node, *face, time) <= most && faces_own_surface(step, node, *face, time))
        return true;
  }
  return false;
}

/* ------------------------------------------------------------------------------------------------------- right through
 */

static ipg_node_face_path reversed(ipg_node_face_path path) {
  const ipg_node_face_path p = path;
  for (int end = 0; end < 2; ++end) {
    memcpy(path.node[end], p.node[1 - end], sizeof p.node[end]);
    memcpy(path.face[end], p.face[1 - end], sizeof p.face[end]);
  }
  return path;
}

static bool enters(const ipg_step *step, ipg_id node, ipg_id face, double *time) {
  const ipg_node_face_path path = ipg_path_of_node_face(step, node, face);
  ipg_crossing crossing;
  if (!ipg_node_enters_face(&path, &crossing)) return false;
  *time = crossing.earliest;
  return true;
}

/* Where it leaves several times, the last one: the first entry on the way back. */
static bool leaves(const ipg_step *step, ipg_id node, ipg_id face, double *time) {
  const ipg_node_face_path back = reversed(ipg_path_of_node_face(step, node, face));
  ipg_crossing crossing;
  if (!ipg_node_enters_face(&back, &crossing)) return false;
  *time = 1 - crossing.earliest;
  return true;
}

/* The face that holds the node since an earlier step, else the one that it enters first. False: it has not come in, or
 * has passed already. */
static bool find_way_in(const ipg_step *step, const ipg_node_work *work, int32_t body, entry *in) {
  *in = (entry){-1, INFINITY};
  for (int64_t i = 0; i < work->history_count; ++i)
    if (work->history[i].touched == body) {
      *in = (entry){work->history[i].face, 0};
      return !work->history[i].history.passed;
    }
  for (int64_t i = 0; i < work->hit_count; ++i) {
    const ipg_id face = work->hits[i].b;
    double time;
    if (step->model->surface.face_bodies[face] == body &&
        ipg_is_contact_on(step->model, step->time1, work->node, face) && enters(step, work->node, face, &time) &&
        time < in->time)
      *in = (entry){face, time};
  }
  return in->time < INFINITY;
}

/* Out of the far side; or out of the side of the body, from so deep that it has gone round nothing. */
static bool is_way_through(const ipg_step *step, ipg_id node, ipg_id in, ipg_id out, double time) {
  const double cosine = vec_dot(normal_at(step, in, time), normal_at(step, out, time));
  const double depth = depth_at(step, node, in, time);
  return cosine < -IPG_FOLLOW_COSINE ||
         (cosine < IPG_FOLLOW_COSINE && IPG_WAYS_OUT * depth > reach_between(step, node, in, time));
}

/* Whether the node goes through its body and comes out of this face, and when. */
static bool comes_out_behind(const ipg_step *step, const ipg_node_work *work, ipg_id face, double *time) {
  entry in;
  return leaves(step, work->node, face, time) && find_way_in(step, work, step->model->surface.face_bodies[face], &in) &&
         in.time <= *time && is_way_through(step, work->node, in.face, face, *time) &&
         !is_held_sideways(step, work->node, in.face, face, *time);
}

/* ------------------------------------------------------------------------------------------------------------ too deep
 */

static bool is_too_deep(const ipg_step *step, const ipg_contact_pair *contact) {
  const ipg_model *m = step->model;
  const ipg_id node = contact->owner;
  const double depth = -(contact->gap + contact->history.initial_offset + contact->history.initial_penetration);
  if (!(depth > reach_between(step, node, contact->face, 1))) return false;
  const ipg_closest_point q = ipg_walk_surface(&m->surface, &m->topology, step->x1, node, contact->face).closest;
  const double reach = reach_between(step, node, q.face, 1);
  const bool is_in_reach = q.height > 0 && q.distance2 <= reach * reach;
  return !is_in_reach && !is_held_sideways(step, node, contact->face, q.face, 1);
}

/* --------------------------------------------------------------------------------------------------------------- both
 */

static void mark_contacts(ipg_node_work *work, int32_t body) {
  for (int64_t i = 0; i < work->contact_count; ++i)
    if (work->contacts[i].touched == body) work->contacts[i].history.passed = true;
}

/* Of several the first in time. */
static void note_passing(ipg_node_work *work, ipg_id face, double time) {
  if (work->passed_face >= 0 && time >= work->passed_time) return;
  work->passed_face = face, work->passed_time = time;
}

void ipg_find_passing(const ipg_step *step, ipg_node_work *work) {
  double time;
  work->passed_face = -1;
  for (int64_t i = 0; i < work->hit_count; ++i) {
    const ipg_id face = work->hits[i].b;
    if (!comes_out_behind(step, work, face, &time)) continue;
    mark_contacts(work, step->model->surface.face_bodies[face]);
    note_passing(work, face, time);
  }
  for (int64_t i = 0; i < work->contact_count; ++i) {
    ipg_contact_pair *contact = &work->contacts[i];
    if (contact->history.passed || !is_too_deep(step, contact)) continue;
    contact->history.passed = true;
    note_passing(work, contact->face, 1);
  }
}
