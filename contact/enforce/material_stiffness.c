/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Material-based penalty stiffness.
 *
 * The stiffness per area of both sides in series, times an area: at first that of the node's faces which face the
 * touched surface. Where nodes are not opposite to nodes, springs of such areas press unevenly: a node that has a node
 * of the other side right in front bears all of that one's spring and its own.
 * So areas are balanced. A gap that is the same everywhere shall give the same pressure everywhere, on either side: the
 * sum of what the springs bring to a node, by their weights, shall be the node's area. This is a system of linear
 * equations, and each step makes one step of Richardson's and Lucy's iteration for it: a spring's area times the mean,
 * by its weights, of wanted over present area of its nodes. Areas stay positive; what is nearly balanced is left alone.
 * The energy balance books what springs lose and gain by it as spring_net_loss. Only node-face contacts are made so;
 * they come first in the list. */
#include "enforce/stiffness.h"
#include "model/relative_motion.h"
#include "surface/closest_point.h"

enum { GRAIN = 64 };

/* A third of the area of the node's faces, as seen against `direction`. */
static double area_of_node(const ipg_step *step, ipg_id node, vec direction) {
  const ipg_id_range faces = ipg_faces_of_node(&step->model->topology, node);
  double facing = 0, all = 0;
  for (const ipg_id *face = faces.begin; face < faces.end; ++face) {
    const vec area2 = ipg_face_area_vector(&step->model->surface, step->x1, *face);
    facing += larger(0, vec_dot(area2, direction)), all += vec_length(area2);
  }
  return larger(facing, IPG_LEAST_AREA * all) / 6;
}

/* Of both sides together. The node's is that of its first face, as its block is. */
static double stiffness_per_area(const ipg_model *m, const ipg_contact_pair *pair) {
  const ipg_id_range faces = ipg_faces_of_node(&m->topology, pair->nodes[0]);
  const double there = m->surface.face_stiffnesses[pair->face];
  const double here = faces.begin < faces.end ? m->surface.face_stiffnesses[*faces.begin] : there;
  return m->config.penalty_scale / (1 / here + 1 / there);
}

void ipg_set_material_stiffness(const ipg_step *step, ipg_contact_pair *pair) {
  const ipg_model *m = step->model;
  const vec normal = ipg_closest_point_on_face(&m->surface, step->x1, pair->nodes[0], pair->face).normal;
  pair->history.stiffness = stiffness_per_area(m, pair) * area_of_node(step, pair->nodes[0], vec_scale(-1, normal));
  pair->history.stiffness_dt2 = ipg_effective_mass(m, pair); /* that of a single contact of penalty scale 1 */
}

/* The area that springs bring to each node, and which nodes own a spring. */
static void sum_areas(ipg_stiffness_workspace *w, const ipg_model *m, ipg_contact_range all) {
  double *areas = w->row_sums.at;
  uint8_t *has_spring = w->has_spring.at;
  for (int64_t i = 0; i < all.count; ++i)
    for (int k = 0; k < 4; ++k) areas[all.pairs[i].nodes[k]] = 0, has_spring[all.pairs[i].nodes[k]] = 0;
  for (int64_t i = 0; i < all.count; ++i) {
    const ipg_contact_pair *pair = &all.pairs[i];
    const double area = pair->history.stiffness / stiffness_per_area(m, pair);
    for (int k = 0; k < 4; ++k) areas[pair->nodes[k]] += area * fabs(pair->weights[k]);
    has_spring[pair->nodes[0]] = 1;
  }
}

typedef struct balancing {
  const ipg_stiffness_workspace *workspace;
  const ipg_step *step;
  ipg_contact_pair *pairs;
} balancing;

/* Wanted over present area of the spring's nodes; `own`: the area of the node itself. A node without a spring stands at
 * the border of the contact and need not be borne in full: it may ask for less, never for more. */
static double wanted_by_nodes(const balancing *b, const ipg_contact_pair *pair, double own) {
  const double *areas = b->workspace->row_sums.at;
  const uint8_t *has_spring = b->workspace->has_spring.at;
  double wanted = 0.5 * own / areas[pair->nodes[0]];
  for (int k = 1; k < 4; ++k) {
    if (pair->weights[k] == 0) continue;
    const ipg_id node = pair->nodes[k];
    const double ratio = area_of_node(b->step, node, vec_at(pair->normal, 0)) / areas[node];
    wanted += 0.5 * fabs(pair->weights[k]) * (has_spring[node] ? ratio : smaller(1, ratio));
  }
  return wanted;
}

static void balance_contact(const balancing *b, ipg_contact_pair *pair) {
  const double own = area_of_node(b->step, pair->nodes[0], vec_scale(-1, vec_at(pair->normal, 0)));
  const double wanted = wanted_by_nodes(b, pair, own);
  const double least = IPG_LEAST_SPRING * own * stiffness_per_area(b->step->model, pair);
  if (fabs(wanted - 1) > IPG_BALANCED)
    pair->history.stiffness = larger(least, smaller(wanted, 1 + IPG_BALANCE_GROWTH) * pair->history.stiffness);
}

static void balance_contacts(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const balancing *b = arg;
  for (int64_t i = begin; i < end; ++i) balance_contact(b, &b->pairs[i]);
}

void ipg_balance_material_stiffness(ipg_stiffness_workspace *w, const ipg_step *step, ipg_contact_list *contacts) {
  const ipg_contact_range all = ipg_contacts_of_kind(contacts, IPG_CONTACT_NODE_FACE);
  balancing b = {w, step, contacts->pairs.at};
  sum_areas(w, step->model, all);
  ipg_tasks_for(&step->model->config.tasks, balance_contacts, &b, 0, all.count, GRAIN);
}
