/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Edge-edge contact: where two ridges cross, no node need be inside anything.
 *
 * A contact is activated when two sharp convex edges touch on their way (decided exactly, narrow.h) and the direction
 * in which they met lies outside of both wedges. From then on the normal is the common perpendicular, which keeps its
 * sense; the depth is how far the edges have passed through each other along it. Where one slides off the other's end
 * the contact goes on with a neighbour, as over a ridge of several edges; else it is deactivated, as it is when they
 * are apart again. Edges within 3 degrees of parallel have no such perpendicular: their nodes have contact instead. */
#include "detect/edge_contact.h"

#include "enforce/stiffness.h"
#include "model/block_rules.h"
#include "model/relative_motion.h"
#include "surface/face_geometry.h"

#include <string.h>

static const ipg_topology *topology_of(const ipg_step *step) { return &step->model->topology; }

/* ----------------------------------------------------------------------------------------------------------- wedges */

/* Position at a time of the step. */
static vec position_at(const ipg_step *step, ipg_id node, double time) {
  const vec from = vec_at(step->x0, node), to = vec_at(step->x1, node);
  return time < 1 ? vec_add(from, vec_scale(time, vec_sub(to, from))) : to;
}

/* The two faces at an edge, as unit vectors: into the face, across the edge, and its normal. */
typedef struct wedge {
  vec into[2], normal[2];
  bool has_two;
} wedge;

static void set_wedge_face(const ipg_step *step, ipg_id edge, double time, int i, wedge *w) {
  const ipg_id *nodes = ipg_edge_nodes(topology_of(step), edge);
  const ipg_id *corner = ipg_face_corners(&step->model->surface, ipg_edge_faces(topology_of(step), edge)[i]);
  vec at[3];
  for (int k = 0; k < 3; ++k) at[k] = position_at(step, corner[k], time);
  int far = 0;
  while (corner[far] == nodes[0] || corner[far] == nodes[1]) ++far;
  const vec from = at[(far + 1) % 3], along = vec_unit(vec_sub(at[(far + 2) % 3], from)), to = vec_sub(at[far], from);
  w->into[i] = vec_unit(vec_sub(to, vec_scale(vec_dot(to, along), along)));
  w->normal[i] = vec_unit(ipg_triangle_area_vector(at[0], at[1], at[2]));
}

static wedge wedge_at(const ipg_step *step, ipg_id edge, double time) {
  wedge w = {.has_two = ipg_edge_faces(topology_of(step), edge)[1] >= 0};
  for (int i = 0; i <= w.has_two; ++i) set_wedge_face(step, edge, time, i, &w);
  return w;
}

/* A border of the surface is sharp. */
static bool is_sharp(const wedge *w) { return !w->has_two || vec_dot(w->normal[0], w->into[1]) < -IPG_SHARP_SINE; }

static bool is_outside_of(const wedge *w, vec direction) {
  for (int i = 0; i <= w->has_two; ++i)
    if (vec_dot(w->into[i], direction) > IPG_WEDGE_TOLERANCE) return false;
  return true;
}

/* --------------------------------------------------------------------------------------------------------- crossing */

/* Where the lines of two edges are closest at the end of the step, as fractions of each edge. */
typedef struct crossing {
  ipg_id edges[2];
  double fractions[2];
  vec normal; /* from the second to the first, in the sense of the contact */
  double gap, size;
  bool exists; /* within both edges */
} crossing;

static crossing cross_edges(const ipg_step *step, ipg_id first, ipg_id second, vec sense) {
  const double *x = step->x1;
  const ipg_id *a = ipg_edge_nodes(topology_of(step), first), *b = ipg_edge_nodes(topology_of(step), second);
  const vec u = vec_sub(vec_at(x, a[1]), vec_at(x, a[0])), v = vec_sub(vec_at(x, b[1]), vec_at(x, b[0]));
  const vec apart = vec_sub(vec_at(x, b[0]), vec_at(x, a[0])), across = vec_cross(u, v);
  const double across2 = vec_dot(across, across), lengths2 = vec_dot(u, u) * vec_dot(v, v);
  crossing k = {.edges = {first, second}, .size = vec_length(u) + vec_length(v)};
  if (!(across2 > IPG_PARALLEL_SINE2 * lengths2)) return k;
  k.fractions[0] = vec_dot(vec_cross(apart, v), across) / across2;
  k.fractions[1] = vec_dot(vec_cross(apart, u), across) / across2;
  k.normal = vec_scale((vec_dot(across, sense) < 0 ? -1 : 1) / sqrt(across2), across);
  k.gap = -vec_dot(k.normal, apart);
  k.exists = k.fractions[0] >= 0 && k.fractions[0] <= 1 && k.fractions[1] >= 0 && k.fractions[1] <= 1;
  return k;
}

/* The neighbour of edge `which`, at the end it slid off, that the contact goes on with best. */
static crossing slide_to_neighbour(const ipg_step *step, const crossing *off, int which, vec sense) {
  const ipg_id node = ipg_edge_nodes(topology_of(step), off->edges[which])[off->fractions[which] > 1];
  const ipg_id_range edges = ipg_edges_of_node(topology_of(step), node);
  crossing best = {.exists = false};
  double straightest = IPG_SAME_SENSE_COSINE;
  for (const ipg_id *edge = edges.begin; edge < edges.end; ++edge) {
    if (*edge == off->edges[which] || ipg_edges_are_adjacent(topology_of(step), *edge, off->edges[!which])) continue;
    const wedge w = wedge_at(step, *edge, 1);
    const crossing next = cross_edges(step, which ? off->edges[0] : *edge, which ? *edge : off->edges[1], sense);
    if (!next.exists || !is_sharp(&w) || !(vec_dot(next.normal, sense) > straightest)) continue;
    if (!ipg_is_edge_contact_on(step->model, step->time1, next.edges[0], next.edges[1])) continue;
    straightest = vec_dot(next.normal, sense);
    best = next;
  }
  return best;
}

static crossing find_crossing(const ipg_step *step, const ipg_contact_pair *contact) {
  const vec sense = vec_at(contact->normal, 0);
  const crossing here = cross_edges(step, contact->owner, contact->touched, sense);
  if (here.exists || !(here.size > 0)) return here;
  for (int which = 0; which < 2; ++which) {
    if (here.fractions[which] >= 0 && here.fractions[which] <= 1) continue;
    const crossing next = slide_to_neighbour(step, &here, which, sense);
    if (next.exists) return next;
  }
  return here;
}

/* --------------------------------------------------------------------------------------------------------- contacts */

void ipg_name_edge_contact(const ipg_model *m, ipg_contact_pair *contact) {
  contact->face = ipg_edge_faces(&m->topology, contact->touched)[0];
  contact->node_gid = m->surface.node_gids[contact->nodes[0]];
  ipg_name_contact_face(&m->surface, contact);
}

/* Puts the contact at this crossing; the lower edge is the first side. */
static void set_contact_crossing(const ipg_step *step, ipg_contact_pair *contact, const crossing *k, double thickness) {
  const int lower = k->edges[0] > k->edges[1];
  for (int side = 0; side < 2; ++side) {
    const int from = lower ^ side;
    const double sign = side ? -1 : 1;
    const ipg_id *ends = ipg_edge_nodes(topology_of(step), k->edges[from]);
    for (int end = 0; end < 2; ++end) contact->nodes[2 * side + end] = ends[end];
    contact->weights[2 * side] = sign * (1 - k->fractions[from]);
    contact->weights[2 * side + 1] = sign * k->fractions[from];
  }
  contact->owner = k->edges[lower], contact->touched = k->edges[!lower];
  vec_store(contact->normal, lower ? vec_scale(-1, k->normal) : k->normal);
  /* where the edges have come out, coming back loads the spring again */
  contact->history.initial_offset = larger(contact->history.initial_offset, smaller(k->gap, thickness));
  contact->gap = smaller(k->gap - contact->history.initial_offset, 0);
  ipg_name_edge_contact(step->model, contact);
}

bool ipg_track_edge_contact(const ipg_step *step, ipg_contact_pair *contact) {
  const ipg_model *m = step->model;
  if (!ipg_is_edge_contact_on(m, step->time1, contact->owner, contact->touched)) return false;
  const crossing k = find_crossing(step, contact);
  const double thickness = k.exists ? ipg_touch_distance_of_edges(m, k.edges[0], k.edges[1]) : 0;
  if (!k.exists || k.gap - thickness > IPG_EDGE_ROUNDING * k.size) return false;
  const ipg_id owner = contact->owner, touched = contact->touched;
  set_contact_crossing(step, contact, &k, thickness);
  if (contact->owner != owner || contact->touched != touched) {
    contact->activated = true;
    memset(contact->history.tangential_slip, 0, sizeof contact->history.tangential_slip);
  }
  return true;
}

/* No work has pressed the spring of edges that were closer before the step than they are thick: there it is free of
 * force. */
static void set_initial_offset(const ipg_step *step, ipg_contact_pair *contact, double thickness) {
  const double now = contact->gap + contact->history.initial_offset;
  const double before = now - vec_dot(vec_at(contact->normal, 0), ipg_relative_motion(step, contact));
  contact->history.initial_offset = larger(now, smaller(thickness, before));
  contact->gap = now - contact->history.initial_offset;
}

ipg_contact_reason ipg_activate_edge_contact(const ipg_step *step, const ipg_touch_queries *query, ipg_pair pair,
                                             double time, ipg_contact_pair *contact) {
  const ipg_touch touch = ipg_edge_edge_touch_at(query, 0, time);
  const wedge first = wedge_at(step, pair.a, time), second = wedge_at(step, pair.b, time);
  const vec normal = vec_at(touch.normal, 0);
  if (!is_sharp(&first) || !is_sharp(&second)) return IPG_REASON_NOT_SHARP;
  if (!is_outside_of(&second, normal) || !is_outside_of(&first, vec_scale(-1, normal)))
    return IPG_REASON_WITHIN_A_WEDGE;
  *contact = (ipg_contact_pair){.kind = IPG_CONTACT_EDGE_EDGE,
                                .owner = pair.a,
                                .touched = pair.b,
                                .activated = true,
                                .time = time,
                                .time_through = 1,
                                .history = {.initial_offset = -INFINITY}};
  vec_store(contact->normal, normal);
  if (!ipg_track_edge_contact(step, contact)) return IPG_REASON_LEFT_AGAIN;
  set_initial_offset(step, contact, query->separation);
  ipg_set_initial_stiffness(step, contact);
  return IPG_REASON_IN_CONTACT;
}
