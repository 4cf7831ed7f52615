/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Edges against edges: where two ridges cross, no node need be inside anything.
 *
 * A contact is born when two sharp convex edges touch on their way (exactly asked, narrow.h) and the direction in which
 * they met lies outside of both wedges. From then on the normal is the common perpendicular, which keeps its sense; the
 * depth is how far the edges have passed through each other along it. Where one slides off the other's end the contact
 * goes on with a neighbour, as over a ridge of several edges; else it ends, as it does when they are apart again.
 * Edges within 3 degrees of parallel have no such perpendicular: they are left to their nodes. */
#include "edges.h"
#include "narrow/ccd.h"

#include <string.h>

enum { GRAIN = 1024, GRAIN_OF_CONTACTS = 64 };

static const double least_sine2 = 0.0025;   /* of the angle between two edges, squared */
static const double sharp_sine = 0.1;       /* of the angle by which two faces turn at a sharp edge: 6 degrees */
static const double wedge_slack = 0.02;     /* how far a direction may lean over a face and still count as outside */
static const double still_touching = 1e-12; /* in parts of the edges: rounding does not end a contact */
static const double same_sense = 0.7;       /* cosine between the normals of neighbours that carry a contact on */

/* ------------------------------------------------------------------------------------------------------------- wedges
 */

/* Places at a time of the step. */
static vec place_at(const ipg_contact *c, ipg_id node, double time) {
  const vec from = vec_at(ipg_accepted_x(c), node), to = vec_at(ipg_trial_x(c), node);
  return time < 1 ? vec_add(from, vec_scale(time, vec_sub(to, from))) : to;
}

/* The two faces at an edge: which way each goes from it, across, and which way it looks. Unit vectors. */
typedef struct wedge {
  vec into[2], outward[2];
  bool has_two;
} wedge;

static void look_at_face(const ipg_contact *c, ipg_id edge, double time, int i, wedge *w) {
  const ipg_id *nodes = ipg_edge_nodes(c, edge), *corner = c->surface.faces + 3 * (int64_t)ipg_edge_faces(c, edge)[i];
  vec at[3];
  for (int k = 0; k < 3; ++k) at[k] = place_at(c, corner[k], time);
  int far = 0;
  while (corner[far] == nodes[0] || corner[far] == nodes[1]) ++far;
  const vec from = at[(far + 1) % 3], along = vec_unit(vec_sub(at[(far + 2) % 3], from)), to = vec_sub(at[far], from);
  w->into[i] = vec_unit(vec_sub(to, vec_scale(vec_dot(to, along), along)));
  w->outward[i] = vec_unit(vec_cross(vec_sub(at[1], at[0]), vec_sub(at[2], at[0])));
}

static wedge wedge_at(const ipg_contact *c, ipg_id edge, double time) {
  wedge w = {.has_two = ipg_edge_faces(c, edge)[1] >= 0};
  for (int i = 0; i <= w.has_two; ++i) look_at_face(c, edge, time, i, &w);
  return w;
}

/* A border of the surface is sharp. */
static bool is_sharp(const wedge *w) { return !w->has_two || vec_dot(w->outward[0], w->into[1]) < -sharp_sine; }

static bool lies_outside(const wedge *w, vec direction) {
  for (int i = 0; i <= w->has_two; ++i)
    if (vec_dot(w->into[i], direction) > wedge_slack) return false;
  return true;
}

/* ----------------------------------------------------------------------------------------------------------- crossing
 */

/* Where the lines of two edges come closest, at a place of the trial: in parts of each edge. */
typedef struct crossing {
  ipg_id edges[2];
  double parts[2];
  vec normal; /* from the second to the first, in the sense of the contact */
  double gap, size;
  bool exists; /* within both edges */
} crossing;

static crossing cross_edges(const ipg_contact *c, ipg_id first, ipg_id second, vec sense) {
  const double *x = ipg_trial_x(c);
  const ipg_id *a = ipg_edge_nodes(c, first), *b = ipg_edge_nodes(c, second);
  const vec u = vec_sub(vec_at(x, a[1]), vec_at(x, a[0])), v = vec_sub(vec_at(x, b[1]), vec_at(x, b[0]));
  const vec apart = vec_sub(vec_at(x, b[0]), vec_at(x, a[0])), across = vec_cross(u, v);
  const double across2 = vec_dot(across, across), lengths2 = vec_dot(u, u) * vec_dot(v, v);
  crossing k = {.edges = {first, second}, .size = vec_length(u) + vec_length(v)};
  if (!(across2 > least_sine2 * lengths2)) return k;
  k.parts[0] = vec_dot(vec_cross(apart, v), across) / across2;
  k.parts[1] = vec_dot(vec_cross(apart, u), across) / across2;
  k.normal = vec_scale((vec_dot(across, sense) < 0 ? -1 : 1) / sqrt(across2), across);
  k.gap = -vec_dot(k.normal, apart);
  k.exists = k.parts[0] >= 0 && k.parts[0] <= 1 && k.parts[1] >= 0 && k.parts[1] <= 1;
  return k;
}

/* The neighbour of edge `which`, at the end it slid off, that the contact goes on with best. */
static crossing slide_on(const ipg_contact *c, const crossing *off, int which, vec sense) {
  const int64_t *first = c->buffers[NODE_EDGES_FIRST].data;
  const ipg_id *edges = c->buffers[NODE_EDGES].data;
  const ipg_id node = ipg_edge_nodes(c, off->edges[which])[off->parts[which] > 1];
  crossing best = {.exists = false};
  double straightest = same_sense;
  for (int64_t i = first[node]; i < first[node + 1]; ++i) {
    if (edges[i] == off->edges[which] || ipg_edges_are_kin(c, edges[i], off->edges[!which])) continue;
    const wedge w = wedge_at(c, edges[i], 1);
    const crossing next = cross_edges(c, which ? off->edges[0] : edges[i], which ? edges[i] : off->edges[1], sense);
    if (!next.exists || !is_sharp(&w) || !(vec_dot(next.normal, sense) > straightest)) continue;
    if (!ipg_contact_edges_are_on(c, next.edges[0], next.edges[1])) continue;
    straightest = vec_dot(next.normal, sense);
    best = next;
  }
  return best;
}

static crossing find_crossing(const ipg_contact *c, const ipg_contact_pair *contact) {
  const vec sense = vec_at(contact->normal, 0);
  const crossing here = cross_edges(c, contact->owner, contact->touched, sense);
  if (here.exists || !(here.size > 0)) return here;
  for (int which = 0; which < 2; ++which) {
    if (here.parts[which] >= 0 && here.parts[which] <= 1) continue;
    const crossing next = slide_on(c, &here, which, sense);
    if (next.exists) return next;
  }
  return here;
}

/* ----------------------------------------------------------------------------------------------------------- contacts
 */

void ipg_edge_name_face(const ipg_contact *c, ipg_contact_pair *contact) {
  contact->face = ipg_edge_faces(c, contact->touched)[0];
  contact->node_gid = c->surface.node_gids[contact->nodes[0]];
  contact->element = c->surface.face_elements[contact->face];
  contact->side = c->surface.face_sides[contact->face];
  contact->sub = c->surface.face_subs ? c->surface.face_subs[contact->face] : 0;
}

/* The contact stands at this crossing; the lower edge is the first side. */
static void stand_at(const ipg_contact *c, ipg_contact_pair *contact, const crossing *k, double thickness) {
  const int lower = k->edges[0] > k->edges[1];
  for (int side = 0; side < 2; ++side) {
    const int from = lower ^ side;
    const double sign = side ? -1 : 1;
    for (int end = 0; end < 2; ++end) contact->nodes[2 * side + end] = ipg_edge_nodes(c, k->edges[from])[end];
    contact->weights[2 * side] = sign * (1 - k->parts[from]);
    contact->weights[2 * side + 1] = sign * k->parts[from];
  }
  contact->owner = k->edges[lower], contact->touched = k->edges[!lower];
  vec_store(contact->normal, lower ? vec_scale(-1, k->normal) : k->normal);
  contact->initial_offset =
      larger(contact->initial_offset, smaller(k->gap, thickness)); /* what has come out is spring again */
  contact->gap = smaller(k->gap - contact->initial_offset, 0);
  ipg_edge_name_face(c, contact);
}

/* A contact that goes on with other edges is another contact: the ledger sees one end and one begin. */
static bool follow(const ipg_contact *c, ipg_contact_pair *contact) {
  if (!ipg_contact_edges_are_on(c, contact->owner, contact->touched)) return false;
  const crossing k = find_crossing(c, contact);
  const double thickness = k.exists ? ipg_contact_separation_of_edges(c, k.edges[0], k.edges[1]) : 0;
  if (!k.exists || k.gap - thickness > still_touching * k.size) return false;
  const ipg_id owner = contact->owner, touched = contact->touched;
  stand_at(c, contact, &k, thickness);
  if (contact->owner != owner || contact->touched != touched) {
    contact->activated = true;
    memset(contact->tangential_slip, 0, sizeof contact->tangential_slip);
  }
  return true;
}

/* No work has pressed the spring of edges that were nearer before the step than they are thick: there it begins. */
static void press(const ipg_contact *c, ipg_contact_pair *contact, double thickness) {
  const double now = contact->gap + contact->initial_offset;
  const double before = now - vec_dot(vec_at(contact->normal, 0), ipg_contact_relative_motion(c, contact));
  contact->initial_offset = larger(now, smaller(thickness, before));
  contact->gap = now - contact->initial_offset;
}

ipg_contact_reason ipg_edge_contact_begins(const ipg_contact *c, const ipg_touch_queries *question, ipg_pair pair,
                                           double time, ipg_contact_pair *contact) {
  const ipg_touch touch = ipg_edge_edge_touch_at(question, 0, time);
  const wedge first = wedge_at(c, pair.a, time), second = wedge_at(c, pair.b, time);
  const vec normal = vec_at(touch.normal, 0);
  if (!is_sharp(&first) || !is_sharp(&second)) return IPG_REASON_NOT_SHARP;
  if (!lies_outside(&second, normal) || !lies_outside(&first, vec_scale(-1, normal))) return IPG_REASON_WITHIN_A_WEDGE;
  *contact = (ipg_contact_pair){.kind = IPG_CONTACT_EDGE_EDGE,
                                .owner = pair.a,
                                .touched = pair.b,
                                .activated = true,
                                .time = time,
                                .time_through = 1,
                                .initial_offset = -INFINITY};
  vec_store(contact->normal, normal);
  if (!follow(c, contact)) return IPG_REASON_LEFT_AGAIN;
  press(c, contact, question->separation);
  ipg_penalty_begin(c, contact);
  return IPG_REASON_IN_CONTACT;
}

/* --------------------------------------------------------------------------------------------------------------- look
 */

typedef struct looking {
  const ipg_contact *c;
  const ipg_pair *pairs;
  ipg_edge_look *look;
  ipg_contact_range history;
} looking;

static ipg_touch_queries questions(const looking *l, int64_t begin, int64_t count) {
  const ipg_id *points = (const ipg_id *)l->look->points.data + 4 * begin;
  const ipg_pair first = l->pairs[begin];
  return (ipg_touch_queries){ipg_accepted_x(l->c), ipg_trial_x(l->c), points, count,
                             ipg_contact_separation_of_edges(l->c, first.a, first.b)};
}

/* Times of first touches, INFINITY for none; questions with the same separation in one batch. */
static void find_touches(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const looking *l = arg;
  ipg_id *points = l->look->points.data;
  for (int64_t i = begin; i < end; ++i) {
    memcpy(points + 4 * i, ipg_edge_nodes(l->c, l->pairs[i].a), 2 * sizeof *points);
    memcpy(points + 4 * i + 2, ipg_edge_nodes(l->c, l->pairs[i].b), 2 * sizeof *points);
  }
  for (int64_t first = begin, next; first < end; first = next) {
    ipg_touch_queries batch = questions(l, first, 1);
    for (next = first + 1; next < end; ++next)
      if (questions(l, next, 1).separation != batch.separation) break;
    batch.count = next - first;
    ipg_find_first_touches(&ipg_ccd_edge_edge, l->c->simd, &batch, (double *)l->look->times.data + first);
  }
}

/* Which pairs touch, and may: few. */
static int64_t list_hits(const looking *l, int64_t count) {
  const double *times = l->look->times.data;
  int64_t *hits = l->look->hits.data, hit_count = 0;
  for (int64_t i = 0; i < count; ++i)
    if (times[i] < INFINITY && ipg_contact_edges_are_on(l->c, l->pairs[i].a, l->pairs[i].b)) hits[hit_count++] = i;
  return hit_count;
}

static bool go_on(const ipg_contact *c, const ipg_contact_pair *old, ipg_contact_pair *contact) {
  *contact = *old;
  contact->activated = false;
  contact->time = contact->time_through = 0;
  return follow(c, contact);
}

/* Old contacts first, then those that hits begin; what comes to nothing is marked as no contact. */
static void make_contacts(void *arg, int64_t from, int64_t end, int worker) {
  (void)worker;
  const looking *l = arg;
  const int64_t *hits = l->look->hits.data;
  const double *times = l->look->times.data;
  ipg_contact_pair *contacts = l->look->made.data;
  for (int64_t i = from; i < end; ++i) {
    const int64_t hit = i < l->history.count ? -1 : hits[i - l->history.count];
    bool lives;
    if (hit < 0) {
      lives = go_on(l->c, &l->history.pairs[i], &contacts[i]);
    } else {
      const ipg_touch_queries question = questions(l, hit, 1);
      lives =
          ipg_edge_contact_begins(l->c, &question, l->pairs[hit], times[hit], &contacts[i]) == IPG_REASON_IN_CONTACT;
    }
    if (!lives) contacts[i].kind = IPG_CONTACT_KIND_COUNT;
  }
}

/* Into their order, by a sort that keeps the older first. A contact that slid onto edges which touch already is the
 * same as theirs: the first stays. */
static ipg_status gather(const ipg_contact *c, ipg_edge_look *look, int64_t made, ipg_error *error) {
  const ipg_contact_pair *contacts = look->made.data;
  uint64_t *keys = look->keys.data;
  ipg_id *order = look->order.data;
  int64_t count = 0;
  for (int64_t i = 0; i < made; ++i) {
    if (contacts[i].kind == IPG_CONTACT_KIND_COUNT) continue;
    keys[count] = (uint64_t)contacts[i].owner << 32 | (uint64_t)contacts[i].touched;
    order[count++] = (ipg_id)i;
  }
  const ipg_status status =
      ipg_sort_u64(&look->sorter, keys, order, count, &c->config.allocator, &c->config.tasks, error);
  if (status) return status;
  ipg_contact_pair *sorted = look->contacts.data;
  look->count = 0;
  for (int64_t i = 0; i < count; ++i)
    if (i == 0 || keys[i] != keys[i - 1]) sorted[look->count++] = contacts[order[i]];
  return IPG_OK;
}

ipg_status ipg_contact_look_at_edges(const ipg_contact *c, const ipg_pair *pairs, int64_t count, ipg_edge_look *look,
                                     ipg_error *error) {
  looking l = {.c = c, .pairs = pairs, .look = look, .history = ipg_contacts_of(c->accepted, IPG_CONTACT_EDGE_EDGE)};
  const ipg_allocator *a = &c->config.allocator;
  ipg_status status = ipg_buffer_reserve_ahead(&look->points, a, 4 * count, sizeof(ipg_id), error);
  if (!status) status = ipg_buffer_reserve_ahead(&look->times, a, count, sizeof(double), error);
  if (!status) status = ipg_buffer_reserve_ahead(&look->hits, a, count, sizeof(int64_t), error);
  if (status) return status;
  ipg_tasks_for(&c->config.tasks, find_touches, &l, 0, count, GRAIN);
  const int64_t most = l.history.count + list_hits(&l, count);
  status = ipg_buffer_reserve_ahead(&look->made, a, most, sizeof(ipg_contact_pair), error);
  if (!status) status = ipg_buffer_reserve_ahead(&look->contacts, a, most, sizeof(ipg_contact_pair), error);
  if (!status) status = ipg_buffer_reserve_ahead(&look->keys, a, most, sizeof(uint64_t), error);
  if (!status) status = ipg_buffer_reserve_ahead(&look->order, a, most, sizeof(ipg_id), error);
  if (status) return status;
  ipg_tasks_for(&c->config.tasks, make_contacts, &l, 0, most, GRAIN_OF_CONTACTS);
  return gather(c, look, most, error);
}

void ipg_edge_look_destroy(ipg_edge_look *look, const ipg_allocator *allocator) {
  ipg_buffer *buffers[] = {&look->points, &look->times, &look->hits,    &look->made,
                           &look->keys,   &look->order, &look->contacts};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) ipg_buffer_destroy(buffers[i], allocator);
  ipg_sorter_destroy(&look->sorter, allocator);
}

ipg_status ipg_contact_meet_edges(ipg_contact *c, ipg_error *error) {
  ipg_edge_look *look = &c->edge_look;
  ipg_contact_wake(c, &c->edges);
  ipg_status status = ipg_contact_look_at_edges(c, c->edges.awake, c->edges.awake_count, look, error);
  if (!status) status = ipg_contact_make_room(c, look->count, error);
  if (status) return status;
  ipg_contact_pair *contacts = (ipg_contact_pair *)c->trial->contacts.data + c->trial->contact_count;
  if (look->count) memcpy(contacts, look->contacts.data, (size_t)look->count * sizeof *contacts);
  c->trial->contact_count += look->count;
  return IPG_OK;
}
