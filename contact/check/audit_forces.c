/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The part of an audit on the forces of penalty contact: at some nodes minus the difference quotient of the energy is
 * compared with the force that the evaluation gave. The energy is that of all pairs of faces one of which moves with
 * the node, whatever the search found, and of the contacts with walls around it.
 *
 * The energy is C1, and the force may vary within the step h of a quotient: at kinks, where a face begins to press or
 * an outline of an overlap gets another corner, as elsewhere. By how much tell the quotients over the four parts of the
 * way from -h to h. Their range is the tolerance, and it has what rounding does to them too, so neither a bound of the
 * stiffness nor one of rounding is needed. Where edges of two faces lie exactly on each other the outline of their
 * overlap has no derivative, and the force of such pairs is that at no position beside: what sets it apart from the
 * mean of those to either side is tolerated too. */
#include "check/audit.h"
#include "check/force_parts.h"
#include "enforce/wall_contact.h"
#include "model/block_rules.h"
#include "model/sharp_edges.h"
#include "surface/face_geometry.h"

#include <stdio.h>
#include <string.h>

enum { SAMPLE = 16 };

/* h in edges at the node: a larger one would leave less of the force at small penetrations. */
static const double step_in_edges = 1e-7;
/* Of the normal force of a pair. Curvature of the force, and rounding of the evaluation: at most 4e-9 has been seen. */
static const double tolerated = 1e-6;

typedef struct sample {
  ipg_id node;
  vec others; /* its forces that are not of the energy */
} sample;

/* With x as it is. */
typedef struct energy_here {
  double energy, tolerance; /* the latter of the force */
  vec force;                /* on the node at work, as the pairs have it */
} energy_here;

typedef struct force_audit {
  ipg_audit *audit;
  const ipg_model *model;
  ipg_step step; /* x1: x */
  IPG_ARRAY(double) x;
  IPG_ARRAY(ipg_pair) pairs;            /* of faces, that one node can move */
  IPG_ARRAY(ipg_contact_pair) contacts; /* with walls */
  ipg_contact_range walls;              /* the same */
  int64_t pair_count;
  sample samples[SAMPLE];
  int64_t sample_count;
  ipg_id node; /* at work, */
  double h;    /* and its step */
  energy_here here;
} force_audit;

static ipg_status start_forces(force_audit *f, ipg_audit *a, ipg_error *error) {
  const ipg_allocator *allocator = &a->model.config.allocator;
  const int64_t values = 3 * ipg_node_count_with_bevels(&a->model);
  const ipg_contact_range walls = ipg_contacts_of_kind(&a->contact->trial->contacts, IPG_CONTACT_NODE_WALL);
  *f = (force_audit){.audit = a, .model = &a->model, .step = a->step};
  ipg_status status = ipg_array_reserve(&f->x, allocator, values, error);
  if (!status) status = ipg_array_reserve(&f->contacts, allocator, walls.count, error);
  if (status) return status;
  if (values) memcpy(f->x.at, a->step.x1, (size_t)values * sizeof *f->x.at);
  if (walls.count) memcpy(f->contacts.at, walls.pairs, (size_t)walls.count * sizeof *walls.pairs);
  f->step.x1 = f->x.at;
  f->walls = (ipg_contact_range){f->contacts.at, walls.count};
  return IPG_OK;
}

static void free_forces(force_audit *f, const ipg_allocator *a) {
  ipg_array_destroy(&f->x, a);
  ipg_array_destroy(&f->pairs, a);
  ipg_array_destroy(&f->contacts, a);
}

/* ----------------------------------------------------------------------------------------------------------- sample */

static void add_other(void *context, const ipg_force_part *part) {
  force_audit *f = context;
  for (int64_t i = 0; i < f->sample_count; ++i) {
    sample *s = &f->samples[i];
    if (s->node != part->node) continue;
    s->others = vec_add(s->others, part->tangential);
    if (!part->of_energy) s->others = vec_add(s->others, part->normal);
  }
}

static bool has_force(const force_audit *f, int64_t node) {
  const vec force = vec_at(f->audit->contact->trial->force.at, node);
  return force.x != 0 || force.y != 0 || force.z != 0;
}

/* Of those that have a force every (count / SAMPLE)-th. */
static void choose_nodes(force_audit *f) {
  int64_t count = 0, number = 0;
  for (int64_t i = 0; i < f->model->surface.node_count; ++i) count += has_force(f, i);
  for (int64_t i = 0; i < f->model->surface.node_count && f->sample_count < SAMPLE; ++i) {
    if (!has_force(f, i)) continue;
    if (number * SAMPLE >= f->sample_count * count) f->samples[f->sample_count++] = (sample){.node = (ipg_id)i};
    ++number;
  }
  ipg_list_force_parts(f->audit->contact, add_other, f);
}

/* ------------------------------------------------------------------------------------------------------------ pairs */

static bool does_point_move(const ipg_model *m, ipg_id point, ipg_id node) {
  const int64_t bevel_point = point - m->surface.node_count;
  if (bevel_point < 0) return point == node;
  return m->bevels.points.at[bevel_point].node == node || m->bevels.points.at[bevel_point].toward == node;
}

/* Also with the nodes of its borders. */
static bool does_face_move(const ipg_model *m, ipg_id face, ipg_id node) {
  const ipg_id *corner = ipg_face_corners(&m->surface, face);
  const int64_t *starts = m->faces.border_node_starts.at;
  bool does_move = false;
  for (int k = 0; k < 3; ++k) does_move |= does_point_move(m, corner[k], node);
  for (int64_t i = starts[face]; i < starts[face + 1]; ++i) does_move |= m->faces.border_nodes.at[i] == node;
  return does_move;
}

/* Faces that look at each other less than where their energy sets in have none, nor those farther apart than one and a
 * half of the thickness behind them, or that of their surfaces. Sharp edges are few: all are evaluated. */
static bool can_press(const force_audit *f, ipg_id a, ipg_id b) {
  const ipg_surface *s = &f->model->surface;
  const double *thicknesses = f->model->faces.thicknesses.at;
  if (ipg_is_sharp_edge(f->model, a)) return true;
  const vec normal = ipg_face_normal(s, f->x.at, a), other = ipg_face_normal(s, f->x.at, b);
  if (-vec_dot(normal, other) < 0.99 * IPG_FACING_COSINE) return false;
  const ipg_box box = ipg_audit_path_box(&f->audit->step, ipg_face_corners(s, a), 3),
                around = ipg_audit_path_box(&f->audit->step, ipg_face_corners(s, b), 3);
  const double reach = 1.5 * smaller(thicknesses[a], thicknesses[b]) + ipg_thickness_of_faces(f->model, a, b);
  return ipg_audit_boxes_near(&box, &around, reach);
}

static ipg_status add_pair(force_audit *f, ipg_id a, ipg_id b, ipg_error *error) {
  if (!ipg_audit_is_face_pair(f->audit, a, b) || !can_press(f, a, b)) return IPG_OK;
  if (f->pair_count == ipg_array_capacity(&f->pairs)) {
    const ipg_status status =
        ipg_array_grow(&f->pairs, &f->model->config.allocator, f->pair_count, 2 * f->pair_count + 64, error);
    if (status) return status;
  }
  f->pairs.at[f->pair_count++] = a < b ? (ipg_pair){a, b} : (ipg_pair){b, a};
  return IPG_OK;
}

static ipg_status find_pairs(force_audit *f, ipg_id node, ipg_error *error) {
  const ipg_id faces = (ipg_id)ipg_face_count_with_edges(f->model);
  ipg_status status = IPG_OK;
  f->pair_count = 0;
  for (ipg_id a = 0; a < faces; ++a) {
    if (!does_face_move(f->model, a, node)) continue;
    for (ipg_id b = 0; !status && b < faces; ++b)
      if (b != a && (b > a || !does_face_move(f->model, b, node))) status = add_pair(f, a, b, error);
  }
  return status;
}

/* ----------------------------------------------------------------------------------------------------------- energy */

static void add_wall_force(void *context, const ipg_contact_pair *pair, ipg_id node, double normal_force) {
  force_audit *f = context;
  f->here.tolerance += tolerated * fabs(normal_force);
  if (node == f->node) f->here.force = vec_add(f->here.force, vec_scale(normal_force, vec_at(pair->normal, 0)));
}

static double part_of_point(const ipg_model *m, ipg_id point, ipg_id node) {
  const int64_t bevel_point = point - m->surface.node_count;
  if (bevel_point < 0) return point == node;
  const ipg_bevel_point *p = &m->bevels.points.at[bevel_point];
  return (p->node == node ? 1 - p->part : 0) + (p->toward == node ? p->part : 0);
}

static void add_face_contact(force_audit *f, const ipg_face_contact *contact) {
  const ipg_model *m = f->model;
  f->here.energy += contact->overlap.energy;
  for (int k = 0; k < 3; ++k) f->here.tolerance += tolerated * contact->overlap.pressures[0][k];
  for (int side = 0; side < 2; ++side) {
    const ipg_id face = contact->faces[side], *corner = ipg_face_corners(&m->surface, face);
    const ipg_id *others = m->faces.border_nodes.at + m->faces.border_node_starts.at[face];
    for (int k = 0; k < contact->overlap.point_counts[side]; ++k) {
      const double part = part_of_point(m, k < 3 ? corner[k] : others[k - 3], f->node);
      f->here.force = vec_add(f->here.force, vec_scale(part, contact->overlap.forces[side][k]));
    }
  }
}

static bool is_near(const force_audit *f, ipg_id owner, ipg_id node) {
  const ipg_id_range faces = ipg_faces_of_node(&f->model->topology, node);
  for (const ipg_id *face = faces.begin; face < faces.end; ++face)
    if (ipg_is_corner(&f->model->surface, *face, owner)) return true;
  return owner == node;
}

static energy_here energy_at(force_audit *f) {
  const ipg_contact_state *from = f->audit->contact->accepted;
  const double *offsets = from->has_offsets ? from->offsets.at : NULL;
  ipg_face_contact contact;
  f->here = (energy_here){0};
  for (int64_t i = 0; i < f->pair_count; ++i)
    if (ipg_evaluate_face_pair(&f->step, offsets, &f->pairs.at[i], &contact)) add_face_contact(f, &contact);
  for (int64_t i = 0; i < f->walls.count; ++i)
    if (is_near(f, f->walls.pairs[i].owner, f->node))
      ipg_evaluate_wall_contact(&f->step, &f->walls, &f->walls.pairs[i], add_wall_force, f, &f->here.energy);
  return f->here;
}

/* The node's coordinate, and with it its gaps to walls. */
static void move_node(force_audit *f, ipg_id node, int k, double to) {
  const ipg_contact_range were = ipg_contacts_of_kind(&f->audit->contact->trial->contacts, IPG_CONTACT_NODE_WALL);
  const double way = to - f->audit->step.x1[3 * (int64_t)node + k];
  f->x.at[3 * (int64_t)node + k] = to;
  for (int64_t i = ipg_first_contact_of(&were, node); i < were.count && were.pairs[i].owner == node; ++i)
    f->contacts.at[i].gap = were.pairs[i].gap + way * were.pairs[i].normal[k];
}

/* ---------------------------------------------------------------------------------------------------------- compare */

static void report_force(ipg_audit *a, ipg_id node, int k, double force, double expected) {
  if (a->report->message[0]) return;
  snprintf(a->report->message, sizeof a->report->message,
           "the force on node %lld along %c is %.9g, that of the energy %.9g",
           (long long)a->model.surface.node_gids[node], "xyz"[k], force, expected);
}

static void set_node(force_audit *f, ipg_id node) {
  const ipg_id_range faces = ipg_faces_of_node(&f->model->topology, node);
  double size = INFINITY;
  for (const ipg_id *face = faces.begin; face < faces.end; ++face)
    size = smaller(size, ipg_face_size(&f->model->surface, f->audit->step.x1, *face));
  f->node = node, f->h = step_in_edges * size;
}

static double component(vec v, int k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; }

/* Mean forces of the energy while the node moves from -h to -h/2, to 0, to h/2, to h. Returns by how much the force of
 * the pairs here is another than the mean of those at h/2 to either side. */
static double find_quotients(force_audit *f, int k, const energy_here *here, double quotients[4]) {
  const double at = f->audit->step.x1[3 * (int64_t)f->node + k];
  const double x[5] = {at - f->h, at - 0.5 * f->h, at, at + 0.5 * f->h, at + f->h};
  energy_here e[5];
  for (int i = 0; i < 5; ++i) {
    move_node(f, f->node, k, x[i]);
    e[i] = i == 2 ? *here : energy_at(f);
  }
  move_node(f, f->node, k, at);
  for (int i = 0; i < 4; ++i) quotients[i] = -(e[i + 1].energy - e[i].energy) / (x[i + 1] - x[i]);
  return fabs(component(here->force, k) - 0.5 * (component(e[1].force, k) + component(e[3].force, k)));
}

static bool is_force_right(force_audit *f, const sample *s, int k, const energy_here *here) {
  const double all = f->audit->contact->trial->force.at[3 * (int64_t)s->node + k];
  const double force = all - component(s->others, k);
  double q[4];
  const double alone = find_quotients(f, k, here, q);
  const double most = larger(larger(q[0], q[1]), larger(q[2], q[3]));
  const double least = smaller(smaller(q[0], q[1]), smaller(q[2], q[3]));
  const double tolerance = most - least + alone + here->tolerance + tolerated * fabs(all);
  const double expected = 0.5 * (q[1] + q[2]);
  const bool is_right = fabs(force - expected) <= tolerance;
  if (!is_right) report_force(f->audit, s->node, k, force, expected);
  return is_right;
}

static ipg_status audit_node(force_audit *f, const sample *s, ipg_error *error) {
  set_node(f, s->node);
  const ipg_status status = find_pairs(f, s->node, error);
  if (status) return status;
  const energy_here here = energy_at(f);
  bool is_right = true;
  for (int k = 0; is_right && k < 3; ++k) is_right = is_force_right(f, s, k, &here);
  f->audit->report->wrong_forces += !is_right;
  return IPG_OK;
}

ipg_status ipg_audit_forces(ipg_audit *a, ipg_error *error) {
  force_audit f;
  ipg_status status = start_forces(&f, a, error);
  if (!status) choose_nodes(&f);
  for (int64_t i = 0; !status && i < f.sample_count; ++i) status = audit_node(&f, &f.samples[i], error);
  free_forces(&f, &a->model.config.allocator);
  return status;
}
