/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* From candidate pairs of faces to forces: a quick test of each pair, the energy and its gradient where it passes, and
 * sums in the order of pairs, so that they are the same for any number of workers. */
#include "enforce/face_contact.h"

#include "enforce/edge_overlap.h"
#include "enforce/onset.h"
#include "enforce/wall_contact.h"
#include "model/block_rules.h"
#include "model/sharp_edges.h"
#include "surface/face_geometry.h"

#include <string.h>

enum { GRAIN = 256 };

void ipg_face_contact_workspace_destroy(ipg_face_contact_workspace *w, const ipg_allocator *a) {
  ipg_array_destroy(&w->near, a);
  ipg_array_destroy(&w->is_near, a);
  ipg_array_destroy(&w->contacts, a);
}

/* ------------------------------------------------------------------------------------------------------- the pairs */

typedef struct evaluation {
  ipg_face_contact_workspace *workspace;
  const ipg_step *step;
  const ipg_pair *candidates;
  const double *normals, *offsets;
} evaluation;

/* From the origin. Corners of bevels are not rounded where they are, but near it. */
static inline vec point_from(const ipg_step *step, vec origin, ipg_id point) {
  const ipg_model *m = step->model;
  if (point < m->surface.node_count) return vec_sub(vec_at(step->x1, point), origin);
  const ipg_bevel_point *p = &m->bevels.points.at[point - m->surface.node_count];
  const vec node = vec_at(step->x1, p->node), way = vec_sub(vec_at(step->x1, p->toward), node);
  return vec_add(vec_sub(node, origin), vec_scale(p->part, way));
}

/* By how much the surface lies above each end of the pair: half of the thickness of both. */
static inline double offset_at(const double *offsets, ipg_id node, double half_thickness) {
  return half_thickness + (offsets ? offsets[node] : 0);
}

static inline ipg_overlap_face face_of(const ipg_step *step, vec origin, const double *offsets, double half_thickness,
                                       ipg_id face) {
  const ipg_face_properties *p = &step->model->faces;
  const ipg_id *corner = ipg_face_corners(&step->model->surface, face);
  const ipg_id *others = p->border_nodes.at + p->border_node_starts.at[face];
  ipg_overlap_face f;
  f.shape = p->shapes.at[face];
  for (int k = 0; k < 3; ++k) {
    f.points[k] = point_from(step, origin, corner[k]);
    f.offsets[k] = offset_at(offsets, ipg_node_of_point(step->model, corner[k]), half_thickness);
  }
  for (int k = 3; k < f.shape.point_count; ++k) f.points[k] = point_from(step, origin, others[k - 3]);
  return f;
}

double ipg_onset_between(const ipg_model *m, ipg_id face, ipg_id other) {
  const int32_t a = ipg_block_of_face(m, face), b = ipg_block_of_face(m, other);
  const double *periods = m->faces.block_periods.at, *sizes = m->faces.block_sizes.at;
  const double speed = vec_length(vec_sub(ipg_velocity_of_block(m, a), ipg_velocity_of_block(m, b)));
  return ipg_onset_of(m, larger(periods[a], periods[b]), smaller(sizes[a], sizes[b]), speed);
}

static bool has_bevel(const ipg_model *m, const ipg_pair *pair) {
  return ipg_is_bevel(m, pair->a) || ipg_is_bevel(m, pair->b);
}

static double area_at_start(const ipg_model *m, ipg_id face) {
  if (ipg_is_bevel(m, face)) return m->bevels.own_areas.at[face - m->surface.face_count];
  return 0.5 * vec_length(ipg_face_area_vector(&m->surface, m->faces.reference.at, face));
}

/* What a bevel stands for; what a face gives one of its nodes. */
static double area_for_bevel(const ipg_model *m, ipg_id face) {
  return ipg_is_bevel(m, face) ? m->bevels.areas.at[face - m->surface.face_count] : area_at_start(m, face) / 3;
}

/* A bevel is as stiff as all that it stands for, but no stiffer than what it touches. */
static double factor_of_bevels(const ipg_model *m, const ipg_pair *pair) {
  if (!has_bevel(m, pair)) return 1;
  return larger(1, smaller(area_for_bevel(m, pair->a), area_for_bevel(m, pair->b)) /
                       smaller(area_at_start(m, pair->a), area_at_start(m, pair->b)));
}

/* The stiffnesses of both sides are in series. */
static ipg_overlap_law law_of(const ipg_model *m, const ipg_pair *pair) {
  const double *k = m->faces.stiffnesses.at, *thicknesses = m->faces.thicknesses.at;
  return (ipg_overlap_law){.stiffness = factor_of_bevels(m, pair) / (1 / k[pair->a] + 1 / k[pair->b]),
                           .onset = ipg_onset_between(m, pair->a, pair->b),
                           .thickness = smaller(thicknesses[pair->a], thicknesses[pair->b])};
}

/* A node of a pair with a bevel; other pairs have all their coordinates as they are. */
static vec origin_of(const ipg_step *step, const ipg_pair *pair) {
  const ipg_model *m = step->model;
  if (!has_bevel(m, pair)) return (vec){0, 0, 0};
  return vec_at(step->x1, ipg_node_of_point(m, ipg_face_corners(&m->surface, pair->a)[0]));
}

/* Two bevels have no contact: they are far narrower than bodies go into each other, and where one leaves the other the
 * force changes faster than any step bears. */
static bool is_pair(const ipg_model *m, const ipg_pair *pair) {
  return !ipg_is_bevel(m, pair->a) || !ipg_is_bevel(m, pair->b);
}

static ipg_overlap_edge edge_of(const ipg_step *step, const double *offsets, double half_thickness, ipg_id face) {
  const ipg_sharp_edge *e = ipg_sharp_edge_at(step->model, face);
  const ipg_id *nodes = ipg_sharp_edge_nodes(step->model, face);
  ipg_overlap_edge edge = {.heights = {e->heights[0], e->heights[1]},
                           .starts = {e->starts[0], e->starts[1]},
                           .widths = {e->widths[0], e->widths[1]}};
  for (int k = 0; k < 4; ++k) edge.points[k] = vec_at(step->x1, nodes[k]);
  for (int k = 0; k < 2; ++k) edge.offsets[k] = offset_at(offsets, nodes[k], half_thickness);
  return edge;
}

static bool evaluate_edges(const ipg_step *step, const double *offsets, const ipg_pair *pair,
                           ipg_face_contact *contact) {
  const ipg_model *m = step->model;
  const double half = 0.5 * ipg_thickness_of_faces(m, pair->a, pair->b);
  const ipg_overlap_edge e = edge_of(step, offsets, half, pair->a), f = edge_of(step, offsets, half, pair->b);
  ipg_overlap_law law = law_of(m, pair);
  law.stiffness *= smaller(ipg_sharp_edge_at(m, pair->a)->area, ipg_sharp_edge_at(m, pair->b)->area);
  contact->faces[0] = pair->a, contact->faces[1] = pair->b;
  return ipg_edge_overlap(&e, &f, &law, &contact->overlap) && ipg_is_face_contact_on(m, step->time1, pair->a, pair->b);
}

bool ipg_evaluate_face_pair(const ipg_step *step, const double *offsets, const ipg_pair *pair,
                            ipg_face_contact *contact) {
  if (ipg_is_sharp_edge(step->model, pair->a)) return evaluate_edges(step, offsets, pair, contact);
  if (!is_pair(step->model, pair) || !ipg_is_face_contact_on(step->model, step->time1, pair->a, pair->b)) return false;
  const vec origin = origin_of(step, pair);
  const double half = 0.5 * ipg_thickness_of_faces(step->model, pair->a, pair->b);
  const ipg_overlap_face f = face_of(step, origin, offsets, half, pair->a),
                         g = face_of(step, origin, offsets, half, pair->b);
  const ipg_overlap_law law = law_of(step->model, pair);
  contact->faces[0] = pair->a, contact->faces[1] = pair->b;
  return ipg_face_overlap(&f, &g, &law, &contact->overlap);
}

static double work_of_contact(const ipg_step *step, const ipg_face_contact *contact) {
  const ipg_model *m = step->model;
  double work = 0;
  for (int side = 0; side < 2; ++side) {
    const ipg_id face = contact->faces[side], *corner = ipg_face_corners(&m->surface, face);
    const ipg_id *others = m->faces.border_nodes.at + m->faces.border_node_starts.at[face];
    for (int k = 0; k < contact->overlap.point_counts[side]; ++k)
      work += vec_dot(contact->overlap.forces[side][k], ipg_node_motion(step, k < 3 ? corner[k] : others[k - 3]));
  }
  return work;
}

double ipg_energy_at_start(const ipg_step *step, double time, const ipg_broad_phase *candidates,
                           const double *offsets) {
  const int64_t faces = candidates->face_face.count, all = faces + candidates->sharp_edges.count;
  ipg_step start = *step;
  ipg_face_contact contact;
  double energy = 0;
  start.x1 = step->x0, start.time1 = time;
  for (int64_t i = 0; i < all; ++i) {
    const ipg_pair *pair = i < faces ? &candidates->face_face.pairs[i] : &candidates->sharp_edges.pairs.at[i - faces];
    if (ipg_evaluate_face_pair(&start, offsets, pair, &contact))
      energy += contact.overlap.energy - 0.5 * work_of_contact(step, &contact);
  }
  return energy;
}

static inline ipg_overlap_sketch sketch_of(const evaluation *e, ipg_id face) {
  const ipg_id *corner = ipg_face_corners(&e->step->model->surface, face);
  const double *x = e->step->x1;
  return (ipg_overlap_sketch){{vec_at(x, corner[0]), vec_at(x, corner[1]), vec_at(x, corner[2])},
                              vec_at(e->normals, face)};
}

static void test_candidates(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const evaluation *e = arg;
  for (int64_t i = begin; i < end; ++i) {
    const ipg_pair pair = e->candidates[i];
    const ipg_overlap_sketch f = sketch_of(e, pair.a), g = sketch_of(e, pair.b);
    /* offsets of initial penetration are 0 or below */
    e->workspace->is_near.at[i] = ipg_may_overlap(&f, &g, 0.5 * ipg_thickness_of_faces(e->step->model, pair.a, pair.b));
  }
}

static void evaluate_pairs(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const evaluation *e = arg;
  ipg_face_contact *contacts = e->workspace->contacts.at;
  for (int64_t i = begin; i < end; ++i)
    if (!ipg_evaluate_face_pair(e->step, e->offsets, &e->workspace->near.at[i], &contacts[i]))
      contacts[i].faces[0] = -1;
}

/* Drops what is marked, in order. */
static int64_t keep_near(ipg_face_contact_workspace *w, const ipg_pair *candidates, int64_t count) {
  int64_t kept = 0;
  for (int64_t i = 0; i < count; ++i)
    if (w->is_near.at[i]) w->near.at[kept++] = candidates[i];
  return kept;
}

static int64_t keep_contacts(ipg_face_contact *contacts, int64_t count) {
  int64_t kept = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (contacts[i].faces[0] < 0) continue;
    if (kept < i) contacts[kept] = contacts[i];
    ++kept;
  }
  return kept;
}

/* Pairs of faces that the quick test leaves, then all of edges. */
static ipg_status find_near(evaluation *e, const ipg_broad_phase *b, int64_t *count, ipg_error *error) {
  const ipg_contact_config *config = &e->step->model->config;
  ipg_face_contact_workspace *w = e->workspace;
  const int64_t faces = b->face_face.active_count, edges = b->sharp_edges.count;
  e->candidates = b->face_face.active;
  ipg_status status = ipg_array_reserve_ahead(&w->is_near, &config->allocator, faces, error);
  if (!status) status = ipg_array_reserve_ahead(&w->near, &config->allocator, faces + edges, error);
  if (status) return status;
  ipg_tasks_for(&config->tasks, test_candidates, e, 0, faces, GRAIN);
  *count = keep_near(w, e->candidates, faces);
  if (edges) memcpy(w->near.at + *count, b->sharp_edges.pairs.at, (size_t)edges * sizeof *w->near.at);
  *count += edges;
  return IPG_OK;
}

ipg_status ipg_find_face_contacts(ipg_face_contact_workspace *w, const ipg_step *step,
                                  const ipg_broad_phase *candidates, const double *offsets, ipg_error *error) {
  const ipg_contact_config *config = &step->model->config;
  evaluation e = {.workspace = w, .step = step, .normals = candidates->face_candidates.normals.at, .offsets = offsets};
  int64_t near = 0;
  w->count = 0;
  ipg_status status = find_near(&e, candidates, &near, error);
  if (!status) status = ipg_array_reserve_ahead(&w->contacts, &config->allocator, near, error);
  if (status) return status;
  ipg_tasks_for(&config->tasks, evaluate_pairs, &e, 0, near, GRAIN);
  w->count = keep_contacts(w->contacts.at, near);
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------------------- the forces */

static void add_contact(const ipg_face_contact *contact, ipg_force_sums *sums) {
  const ipg_model *m = sums->model;
  ipg_name_face_contact(sums, contact);
  for (int side = 0; side < 2; ++side) {
    const ipg_id face = contact->faces[side], *corner = ipg_face_corners(&m->surface, face);
    const ipg_id *others = m->faces.border_nodes.at + m->faces.border_node_starts.at[face];
    const vec *forces = contact->overlap.forces[side];
    for (int k = 0; k < 3; ++k) ipg_add_at_point(sums, corner[k], forces[k]);
    for (int k = 3; k < contact->overlap.point_counts[side]; ++k) ipg_add_at_point(sums, others[k - 3], forces[k]);
  }
}

double ipg_largest_depth(const ipg_face_contact_workspace *w) {
  double depth = 0;
  for (int64_t i = 0; i < w->count; ++i) depth = larger(depth, w->contacts.at[i].overlap.depth);
  return depth;
}

ipg_face_contact_sums ipg_enforce_faces(const ipg_face_contact_workspace *w, const ipg_step *step,
                                        ipg_contact_list *contacts, ipg_force_sums *sums) {
  ipg_face_contact_sums all = {0};
  for (int64_t i = 0; i < w->count; ++i) {
    sums->part = ipg_is_sharp_edge(step->model, w->contacts.at[i].faces[0]);
    add_contact(&w->contacts.at[i], sums);
    all.energy += w->contacts.at[i].overlap.energy;
  }
  all.depth = ipg_largest_depth(w);
  for (int64_t i = 0; i < contacts->count; ++i) {
    const ipg_contact_pair *pair = &contacts->pairs.at[i];
    if (pair->kind == IPG_CONTACT_NODE_WALL) all.depth = larger(all.depth, -pair->gap);
  }
  sums->part = 2;
  all.energy += ipg_enforce_walls(step, contacts, sums);
  return all;
}

/* --------------------------------------------------------------------------------------------------------- deepest */

static double mean_edge_of(const ipg_model *m, const ipg_face_contact *contact) {
  return smaller(m->faces.sizes.at[contact->faces[0]], m->faces.sizes.at[contact->faces[1]]);
}

static ipg_gid most_pressed_node(const ipg_model *m, const ipg_face_contact *contact) {
  ipg_id node = -1;
  double most = -1;
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < 3; ++k) {
      if (!(contact->overlap.pressures[side][k] > most)) continue;
      most = contact->overlap.pressures[side][k];
      node = ipg_face_corners(&m->surface, contact->faces[side])[k];
    }
  return node < 0 ? -1 : m->surface.node_gids[node];
}

ipg_contact_depth ipg_deepest_of_faces(const ipg_face_contact_workspace *w, const ipg_model *m) {
  const ipg_face_contact *deepest = NULL;
  for (int64_t i = 0; i < w->count; ++i) {
    const ipg_face_contact *contact = &w->contacts.at[i];
    if (!deepest ||
        contact->overlap.depth * mean_edge_of(m, deepest) > deepest->overlap.depth * mean_edge_of(m, contact))
      deepest = contact;
  }
  if (!deepest) return (ipg_contact_depth){.node = -1};
  return (ipg_contact_depth){.depth = deepest->overlap.depth,
                             .edge = mean_edge_of(m, deepest),
                             .node = most_pressed_node(m, deepest),
                             .faces = {ipg_contact_face_id_of(&m->surface, deepest->faces[0]),
                                       ipg_contact_face_id_of(&m->surface, deepest->faces[1])}};
}

/* --------------------------------------------------------------------------------------------------------- offsets */

void ipg_add_offsets(const ipg_face_contact *contact, const ipg_model *m, double *offsets) {
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < 3; ++k) {
      double *offset = &offsets[ipg_node_of_point(m, ipg_face_corners(&m->surface, contact->faces[side])[k])];
      *offset = smaller(*offset, -0.5 * contact->overlap.depth);
    }
}

void ipg_set_offsets(const ipg_face_contact_workspace *w, const ipg_model *m, double *offsets) {
  for (int64_t i = 0; i < m->surface.node_count; ++i) offsets[i] = 0;
  for (int64_t i = 0; i < w->count; ++i) ipg_add_offsets(&w->contacts.at[i], m, offsets);
}

/* By how much both sides of a contact are farther apart than it is deep, wherever they meet. Below 0: it may press. */
static double slack_of(const ipg_face_contact *contact, const ipg_model *m, const double *offsets) {
  double slack = -contact->overlap.depth;
  for (int side = 0; side < 2; ++side) {
    const ipg_id *corner = ipg_face_corners(&m->surface, contact->faces[side]);
    double most = -INFINITY;
    for (int k = 0; k < 3; ++k) most = larger(most, offsets[ipg_node_of_point(m, corner[k])]);
    slack -= most;
  }
  return slack;
}

/* A contact that gives up its slack has no more energy than before: none. So each node gives up half of the least of
 * its contacts, and all where it has none. */
bool ipg_fade_offsets(const ipg_face_contact_workspace *w, const ipg_step *step, const double *before, double *after) {
  const ipg_model *m = step->model;
  bool is_left = false;
  for (int64_t i = 0; i < m->surface.node_count; ++i) after[i] = INFINITY;
  for (int64_t i = 0; i < w->count; ++i) {
    const double given_up = larger(0, 0.5 * slack_of(&w->contacts.at[i], m, before));
    for (int k = 0; k < 6; ++k) {
      const ipg_id *corner = ipg_face_corners(&m->surface, w->contacts.at[i].faces[k / 3]);
      double *at = &after[ipg_node_of_point(m, corner[k % 3])];
      *at = smaller(*at, given_up);
    }
  }
  for (int64_t i = 0; i < m->surface.node_count; ++i) {
    after[i] = smaller(0, before[i] + after[i]);
    is_left |= after[i] < 0;
  }
  return is_left;
}

/* ------------------------------------------------------------------------------------------------------ stable step */

/* By which damping shortens the stable step of an undamped spring, of the largest ratio. */
static double factor_of_damping(const ipg_model *m) {
  const double ratio = m->rules.most_damping;
  return sqrt(1 + ratio * ratio) - ratio;
}

/* Twice the stiffness over the mass, for contact sets in and ends: a step that is just stable then makes some per cent
 * of energy in 20,000 steps. Against the stiffest face of all; at a wall it is k A at most, which is not more. */
double ipg_rate_at_node(const ipg_model *m, ipg_id node) {
  const double k = m->faces.node_stiffnesses.at[node], at_faces = 2 / (1 / k + 1 / m->faces.stiffest);
  const double damping = factor_of_damping(m);
  const double rate = IPG_RATES * at_faces * m->faces.node_areas.at[node] / m->surface.node_masses[node];
  return (rate + m->faces.tie_rates.at[node]) / (damping * damping);
}

double ipg_stable_step_of_faces(const ipg_model *m) {
  double most = 0;
  for (int64_t i = 0; i < m->surface.node_count; ++i) most = larger(most, ipg_rate_at_node(m, (ipg_id)i));
  return 2 / sqrt(most);
}
