/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What contact does at each node and face. The caller's arrays are all the memory that is needed: first they hold sums
 * of forces, then these are divided by areas. */
#include "check/force_parts.h"
#include "check/refuse_results.h"
#include "model/bevels.h"
#include "surface/face_geometry.h"

typedef struct listing {
  const ipg_model *model;
  const ipg_contact_state *state;
  ipg_contact_node_result *nodes;
  ipg_contact_face_result *faces;
} listing;

static double area_of_face(const ipg_model *m, ipg_id face) {
  return 0.5 * vec_length(ipg_face_area_vector(&m->surface, m->faces.reference.at, face));
}

static void raise_status(ipg_contact_status *status, ipg_contact_status to) {
  if (*status < to) *status = to;
}

static bool is_open(const ipg_contact_node_result *node) { return node->status == IPG_STATUS_OPEN; }

/* ----------------------------------------------------------------------------------------------------------- forces */

static bool does_face_look_at(const listing *l, ipg_id face, vec normal) {
  return -vec_dot(ipg_face_normal(&l->model->surface, l->state->x.at, face), normal) > IPG_FACING_COSINE;
}

/* What acts on a node is borne by its faces that look at what acts, in parts of their areas. */
static void spread_over_faces(listing *l, const ipg_force_part *part, bool at_wall) {
  const ipg_id_range faces = ipg_faces_of_node(&l->model->topology, part->node);
  double area = 0;
  for (const ipg_id *face = faces.begin; face < faces.end; ++face)
    if (does_face_look_at(l, *face, part->facing)) area += area_of_face(l->model, *face);
  for (const ipg_id *face = faces.begin; face < faces.end; ++face) {
    if (!does_face_look_at(l, *face, part->facing)) continue;
    l->faces[*face].pressure += part->pressure / area;
    l->faces[*face].at_wall |= at_wall;
    raise_status(&l->faces[*face].status, IPG_STATUS_TIED); /* in contact; how follows from its nodes */
  }
}

static void add_part(void *context, const ipg_force_part *part) {
  listing *l = context;
  ipg_contact_node_result *node = &l->nodes[part->node];
  const bool is_wall = part->face < 0 && part->touched < 0, is_tie = part->face < 0 && !is_wall;
  vec_store(node->normal_force, vec_add(vec_at(node->normal_force, 0), part->normal));
  vec_store(node->tangential_force, vec_add(vec_at(node->tangential_force, 0), part->tangential));
  node->pressure += part->pressure;
  if (part->face >= 0 && part->face < l->model->surface.face_count)
    l->faces[part->face].pressure += part->pressure / area_of_face(l->model, part->face);
  if (is_wall && part->pressure > 0) node->at_wall = true, raise_status(&node->status, IPG_STATUS_SLIDING);
  if (is_tie) raise_status(&node->status, IPG_STATUS_TIED);
  if (is_tie || (is_wall && part->pressure != 0)) spread_over_faces(l, part, is_wall);
}

/* --------------------------------------------------------------------------------------------------- gaps and status
 */

static void take_face_contact(listing *l, const ipg_face_contact *contact) {
  const double gap = -contact->overlap.depth;
  for (int side = 0; side < 2; ++side) {
    const ipg_id face = contact->faces[side], *corner = ipg_face_corners(&l->model->surface, face);
    for (int k = 0; k < 3; ++k) {
      if (!(contact->overlap.pressures[side][k] > 0)) continue;
      ipg_contact_node_result *node = &l->nodes[ipg_node_of_point(l->model, corner[k])];
      node->gap = smaller(node->gap, gap);
      raise_status(&node->status, IPG_STATUS_SLIDING);
    }
    if (face >= l->model->surface.face_count) continue; /* a bevel or a sharp edge */
    l->faces[face].gap = smaller(l->faces[face].gap, gap);
    raise_status(&l->faces[face].status, IPG_STATUS_TIED);
  }
}

static void take_wall_gaps(listing *l) {
  const ipg_contact_range walls = ipg_contacts_of_kind(&l->state->contacts, IPG_CONTACT_NODE_WALL);
  for (int64_t i = 0; i < walls.count; ++i) {
    ipg_contact_node_result *node = &l->nodes[walls.pairs[i].owner];
    const ipg_id_range faces = ipg_faces_of_node(&l->model->topology, walls.pairs[i].owner);
    if (node->at_wall) node->gap = smaller(node->gap, walls.pairs[i].gap);
    for (const ipg_id *face = faces.begin; node->at_wall && face < faces.end; ++face)
      if (l->faces[*face].at_wall) l->faces[*face].gap = smaller(l->faces[*face].gap, walls.pairs[i].gap);
  }
}

/* Where nothing presses: of several ties the one that is open widest, either way. */
static void take_tie_gaps(listing *l) {
  const ipg_contact_range ties = ipg_contacts_of_kind(&l->state->contacts, IPG_CONTACT_TIE);
  for (int64_t i = 0; i < ties.count; ++i) {
    const ipg_contact_pair *tie = &ties.pairs[i];
    for (int n = 0; n < 4; ++n) {
      ipg_contact_node_result *node = &l->nodes[tie->nodes[n]];
      if (node->status == IPG_STATUS_TIED && fabs(tie->gap) > fabs(node->gap)) node->gap = tie->gap;
    }
  }
}

/* The list has the contacts of a node one after the other. */
static void take_frictions(listing *l) {
  const ipg_friction_list *list = &l->state->frictions;
  for (int64_t i = 0, end; i < list->count; i = end) {
    ipg_contact_node_result *node = &l->nodes[list->contacts.at[i].node];
    bool slides = false;
    for (end = i; end < list->count && list->contacts.at[end].node == list->contacts.at[i].node; ++end) {
      slides |= list->contacts.at[end].slides != 0;
      node->slip = larger(node->slip, list->contacts.at[end].way);
    }
    if (!slides) node->status = IPG_STATUS_STICKING;
  }
}

/* ------------------------------------------------------------------------------------------------------------ areas */

/* Faces that are in contact get the last status of their nodes, and of ties the widest gap. */
static void finish_face(listing *l, ipg_id face) {
  ipg_contact_face_result *f = &l->faces[face];
  const ipg_id *corner = ipg_face_corners(&l->model->surface, face);
  if (f->status == IPG_STATUS_OPEN) return;
  for (int k = 0; k < 3; ++k) raise_status(&f->status, l->nodes[corner[k]].status);
  for (int k = 0; k < 3 && f->status == IPG_STATUS_TIED; ++k)
    if (fabs(l->nodes[corner[k]].gap) > fabs(f->gap)) f->gap = l->nodes[corner[k]].gap;
  for (int k = 0; k < 3; ++k)
    if (!is_open(&l->nodes[corner[k]])) l->nodes[corner[k]].area += area_of_face(l->model, face) / 3;
}

static void finish_node(listing *l, ipg_id node) {
  ipg_contact_node_result *n = &l->nodes[node];
  const ipg_id_range faces = ipg_faces_of_node(&l->model->topology, node);
  const bool has_faces = n->area > 0 || is_open(n);
  for (const ipg_id *face = faces.begin; !has_faces && face < faces.end; ++face)
    n->area += area_of_face(l->model, *face) / 3;
  n->pressure = n->area > 0 ? n->pressure / n->area : 0;
}

ipg_status ipg_contact_get_results(const ipg_contact *c, ipg_contact_node_result *nodes, ipg_contact_face_result *faces,
                                   ipg_error *error) {
  listing l = {&c->model, ipg_last_state(c), nodes, faces};
  const ipg_status status = ipg_refuse_results(c, error);
  if (status) return status;
  for (int64_t i = 0; i < c->model.surface.node_count; ++i) nodes[i] = (ipg_contact_node_result){0};
  for (int64_t i = 0; i < c->model.surface.face_count; ++i) faces[i] = (ipg_contact_face_result){0};
  ipg_list_force_parts(c, add_part, &l);
  for (int64_t i = 0; i < c->face_contact.count; ++i) take_face_contact(&l, &c->face_contact.contacts.at[i]);
  take_wall_gaps(&l);
  take_tie_gaps(&l);
  take_frictions(&l);
  for (ipg_id face = 0; face < c->model.surface.face_count; ++face) finish_face(&l, face);
  for (ipg_id node = 0; node < c->model.surface.node_count; ++node) finish_node(&l, node);
  return IPG_OK;
}
