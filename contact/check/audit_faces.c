/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The part of an audit on penalty contact: every face with every other, without boxes, search or filter. */
#include "candidates/back_to_back.h"
#include "check/audit.h"
#include "model/sharp_edges.h"

#include "surface/face_geometry.h"

#include <stdio.h>
#include <string.h>

static void report_faces(ipg_audit *a, const char *what, const ipg_id faces[2]) {
  const ipg_surface *s = &a->contact->model.surface;
  char *message = a->report->message;
  if (message[0]) return;
  const int length = snprintf(message, sizeof a->report->message, "%s", what);
  if (ipg_is_sharp_edge(&a->model, faces[0])) {
    const ipg_id *e = ipg_sharp_edge_nodes(&a->model, faces[0]), *f = ipg_sharp_edge_nodes(&a->model, faces[1]);
    snprintf(message + length, sizeof a->report->message - (size_t)length,
             ": the sharp edges of nodes %lld and %lld, and of %lld and %lld", (long long)s->node_gids[e[0]],
             (long long)s->node_gids[e[1]], (long long)s->node_gids[f[0]], (long long)s->node_gids[f[1]]);
  } else {
    snprintf(message + length, sizeof a->report->message - (size_t)length,
             ": side %d of element %lld and side %d of element %lld", s->face_sides[faces[0]] + 1,
             (long long)s->face_elements[faces[0]], s->face_sides[faces[1]] + 1, (long long)s->face_elements[faces[1]]);
  }
}

/* Those of its tetrahedron, or those that a bevel or a sharp edge moves with. */
static void find_nodes(const ipg_model *m, ipg_id face, ipg_id nodes[4]) {
  const ipg_id *corners = ipg_face_corners(&m->surface, face), *keys = m->bevels.keys.at;
  for (int k = 0; k < 4; ++k)
    nodes[k] = ipg_is_sharp_edge(m, face) ? ipg_sharp_edge_nodes(m, face)[k]
               : ipg_is_bevel(m, face)    ? keys[4 * (face - m->surface.face_count) + k]
               : k < 3                    ? corners[k]
                                          : m->surface.face_opposites[face];
}

/* They share a node, or a tetrahedron. */
static bool are_adjacent(const ipg_model *m, ipg_id f, ipg_id g) {
  ipg_id of_f[4], of_g[4];
  find_nodes(m, f, of_f), find_nodes(m, g, of_g);
  for (int k = 0; k < 16; ++k)
    if (of_f[k / 4] >= 0 && of_f[k / 4] == of_g[k % 4]) return true;
  return false;
}

bool ipg_audit_is_face_pair(const ipg_audit *a, ipg_id f, ipg_id g) {
  const bool is_edge = ipg_is_sharp_edge(&a->model, f);
  if (is_edge != ipg_is_sharp_edge(&a->model, g) || are_adjacent(&a->model, f, g)) return false;
  return is_edge || !ipg_are_back_to_back(&a->model, f, g);
}

static bool are_same(const ipg_overlap *a, const ipg_overlap *b) {
  const size_t one = sizeof a->forces[0][0];
  return a->energy == b->energy && a->depth == b->depth && a->point_counts[0] == b->point_counts[0] &&
         a->point_counts[1] == b->point_counts[1] &&
         !memcmp(a->forces[0], b->forces[0], (size_t)a->point_counts[0] * one) &&
         !memcmp(a->forces[1], b->forces[1], (size_t)a->point_counts[1] * one);
}

static void audit_pair(ipg_audit *a, const ipg_pair *pair, int64_t *at) {
  const ipg_face_contact_workspace *w = &a->contact->face_contact;
  const ipg_contact_state *from = a->contact->accepted;
  const double *offsets = from->has_offsets ? from->offsets.at : NULL;
  const ipg_face_contact *found = *at < w->count ? &w->contacts.at[*at] : NULL;
  const bool is_found = found && found->faces[0] == pair->a && found->faces[1] == pair->b;
  ipg_face_contact expected;
  const bool is_expected =
      ipg_audit_is_face_pair(a, pair->a, pair->b) && ipg_evaluate_face_pair(&a->step, offsets, pair, &expected);
  *at += is_found;
  if (is_expected && !is_found) {
    a->report->missed_candidates++;
    report_faces(a, "the search missed a pair in penalty contact", expected.faces);
  } else if (is_found && (!is_expected || !are_same(&found->overlap, &expected.overlap))) {
    a->report->wrong_contacts++;
    report_faces(a, "a penalty contact differs from what all faces and edges give", found->faces);
  }
}

static void audit_all_pairs(ipg_audit *a, int64_t begin, int64_t end, int64_t *at) {
  for (int64_t f = begin; f < end; ++f)
    for (int64_t g = f + 1; g < end; ++g) audit_pair(a, &(ipg_pair){(ipg_id)f, (ipg_id)g}, at);
}

void ipg_audit_faces(ipg_audit *a) {
  const int64_t edges = ipg_first_sharp_edge(&a->model);
  int64_t at = 0;
  audit_all_pairs(a, 0, edges, &at);
  audit_all_pairs(a, edges, ipg_face_count_with_edges(&a->model), &at);
  if (at == a->contact->face_contact.count) return;
  a->report->wrong_contacts++;
  report_faces(a, "penalty contacts are out of order", a->contact->face_contact.contacts.at[at].faces);
}
