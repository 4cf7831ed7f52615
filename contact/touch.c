/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Which bodies does a node touch at the end of the step, where, and how deep?
 *
 * A contact is born when the node's path enters a face of a body. From then on it belongs to (node, body) and
 * follows the body's surface from face to face, over neighbours that look roughly the way the last one did. So a node
 * that came through the end of a bar is pushed back through the end, although the bar's side may be nearer.
 * It ends when the node is in front of that face, or beside it and outside the body (slid off an edge). Where surfaces
 * have a thickness all this happens as far out: a contact is born when the node comes as near as that, and ends when it
 * is farther from the nearest place of the body. */
#include "around.h"
#include "support/vec.h"

/* How far beside a face, in its sizes, and in parts of the depth, a node still counts as behind it. */
static const double wider = 0.01, most_slant = 0.75;
/* How deep behind a face a node may be that it bears from the start, in sizes of the face. */
static const double a_little = 0.5;
/* In parts of the step: two faces that are as near as they are thick at the edge they share, but for rounding. */
static const double same_time = 1e-9;
/* More than what borders of faces are wider by (narrow.h), in the same unit. */
static const double stands_on_face = 1e-7;
/* Of a spring that began deep, in a step: a hit is over before it has grown under load. */
static const double growth = 0.00390625;

static foot foot_of(const ipg_contact *c, ipg_id node, ipg_id face) {
  return ipg_foot_on_face(&c->surface, ipg_trial_x(c), node, face);
}

/* Behind the nearest face or, under a concave edge or corner, well within the angle behind it. A node beside a face
 * whose plane it all but lies in is not inside. */
static bool is_inside(const foot *nearest) {
  return nearest->height > 0 &&
         nearest->height * nearest->height > ipg_follow_cosine * ipg_follow_cosine * nearest->distance2;
}

static double beside2(const foot *f) { return f->distance2 - f->height * f->height; }

/* A node that was inside has slid off as soon as it is outside: pulled back to the edge, it would hold the body. One
 * whose path cut a corner, and was never inside at the end of a step, is held while it is much deeper than beside. */
static bool slid_off(const ipg_contact_pair *contact, const foot *followed) {
  return !contact->outside || beside2(followed) > most_slant * most_slant * followed->height * followed->height;
}

/* Has the node gone right through, as through a ball in one step? It is behind the face that it came in by, and
 * straight in front of one that looks the other way. */
static bool is_through(const ipg_contact *c, const ipg_contact_pair *contact, const foot *nearest) {
  if (!contact->outside || !(nearest->height < 0)) return false;
  const foot entry = foot_of(c, contact->owner, contact->face);
  const bool is_straight = beside2(nearest) < most_slant * most_slant * nearest->height * nearest->height;
  return entry.height > 0 && is_straight && vec_dot(entry.normal, nearest->normal) < -ipg_follow_cosine;
}

/* Just beside the face it pushes straight, as it does everywhere: so flush ends hold each other. False where the node
 * is farther beside, or hardly deeper: then it is beyond the edge. */
static bool straighten(const ipg_contact *c, ipg_id node, foot *f) {
  const double *x = ipg_trial_x(c);
  const ipg_id *corner = c->surface.faces + 3 * (int64_t)f->face;
  const vec a = vec_at(x, corner[0]);
  const vec n = vec_cross(vec_sub(vec_at(x, corner[1]), a), vec_sub(vec_at(x, corner[2]), a));
  const double area2 = vec_dot(n, n);
  if (!(beside2(f) * beside2(f) < wider * wider * wider * wider * area2)) return false;
  if (beside2(f) > most_slant * most_slant * f->height * f->height) return false;
  ipg_foot_on_plane(&c->surface, x, node, f->face, f->weights);
  f->to_surface = vec_scale(f->height, f->normal);
  f->distance2 = f->height * f->height;
  return true;
}

/* The contact stands at this foot. */
static void stand_on(const ipg_contact *c, ipg_contact_pair *contact, const foot *f) {
  contact->face = f->face;
  for (int k = 0; k < 3; ++k) {
    contact->nodes[k + 1] = c->surface.faces[3 * (int64_t)f->face + k];
    contact->shares[k + 1] = -f->weights[k];
  }
}

/* How near the node was before the step that it came in with, where it was nearer than the surfaces are thick, or deep
 * beside the face that it entered by: no work has pressed the spring that far, so there it begins. */
static double rest_of_birth(const ipg_contact *c, const ipg_contact_pair *contact, double distance, double thickness) {
  return smaller(thickness, distance - vec_dot(vec_at(contact->normal, 0), ipg_contact_motion(c, contact)));
}

/* From 0, where springs that ended have given up no more so far than others got by growing, to 1, where that is a
 * hundredth of what all hold. Balanced springs make some themselves. */
static double means_to_grow(const ipg_contact *c) {
  const ipg_contact_ledger *l = &c->accepted->ledger;
  if (c->config.stiffness == IPG_STIFFNESS_OF_MATERIAL) return 1;
  return l->released > 0 ? smaller(1, 100 * l->released / l->stored) : 0;
}

/* What the node has come out by is spring again when it comes back. And little by little the whole way becomes spring,
 * or a block would dig itself in as it slides: what the springs that it leaves behind give up lifts it again, and no
 * more than that. But not what was there from the start: nothing has paid for that. What is moved out whole has no
 * spring. */
static void set_gap(const ipg_contact *c, ipg_contact_pair *contact, double distance, double thickness) {
  const bool has_spring = !ipg_is_kinematic(c);
  if (contact->born && (has_spring || contact->overlap > 0))
    contact->rest = rest_of_birth(c, contact, distance, thickness);
  if (contact->born && thickness > 0 && contact->time == 0) /* they were within it before anything moved */
    contact->overlap = larger(contact->overlap, thickness - contact->rest);
  if (!contact->born && has_spring)
    contact->rest += growth * means_to_grow(c) * larger(0, thickness - contact->overlap - contact->rest);
  contact->rest = larger(contact->rest, distance);
  contact->overlap = smaller(contact->overlap, larger(0, thickness - contact->rest));
  contact->gap = distance - contact->rest;
}

/* Where the node is: its foot, and how far it is from there, below 0 inside the body. False where it is so far out that
 * the contact has ended. */
static bool find_place(const ipg_contact *c, ipg_contact_pair *contact, foot *f, double *distance) {
  ipg_surroundings s = ipg_look_around_node(c, contact->owner, contact->face);
  const bool in_front = !(s.followed.height > 0), inside = is_inside(&s.nearest);
  if (in_front && inside) s.followed = s.nearest; /* went round a concave corner */
  const bool beside = !inside && !straighten(c, contact->owner, &s.followed);
  const bool off = (in_front && !inside) || (beside && slid_off(contact, &s.followed));
  const bool through = off && is_through(c, contact, &s.nearest), out = off && !through;
  if (through) s.followed = foot_of(c, contact->owner, contact->face);
  contact->outside = beside && !out;
  *f = out ? s.nearest : s.followed;
  *distance = out ? sqrt(f->distance2) : -sqrt(f->distance2);
  return out ? *distance < ipg_contact_separation(c, contact->owner, f->face) : *distance < 0;
}

/* Out of the touched body, towards the node. */
static vec direction_of(const foot *f, double distance) {
  return distance == 0 ? f->normal : vec_scale(-1 / distance, f->to_surface);
}

bool ipg_contact_follow(const ipg_contact *c, ipg_contact_pair *contact) {
  foot f;
  double distance;
  if (!find_place(c, contact, &f, &distance) || !ipg_contact_is_on(c, contact->owner, f.face)) return false;
  stand_on(c, contact, &f);
  vec_store(contact->normal, direction_of(&f, distance));
  set_gap(c, contact, distance, ipg_contact_separation(c, contact->owner, f.face));
  contact->element = c->surface.face_elements[contact->face];
  contact->side = c->surface.face_sides[contact->face];
  contact->sub = c->surface.face_subs ? c->surface.face_subs[contact->face] : 0;
  return true;
}

ipg_node_face_path ipg_contact_path_of(const ipg_contact *c, ipg_id node, ipg_id face) {
  const double *x[2] = {ipg_accepted_x(c), ipg_trial_x(c)};
  ipg_node_face_path path;
  for (int end = 0; end < 2; ++end)
    for (int k = 0; k < 3; ++k) {
      path.node[end][k] = x[end][3 * (int64_t)node + k];
      for (int i = 0; i < 3; ++i)
        path.face[end][i][k] = x[end][3 * (int64_t)c->surface.faces[3 * (int64_t)face + i] + k];
    }
  return path;
}

/* Was the node out of the body before the step, as far as this face tells? */
static bool stood_outside(const ipg_contact *c, ipg_id node, ipg_id face) {
  const foot f = ipg_foot_on_face(&c->surface, ipg_accepted_x(c), node, face);
  return !(f.height > 0) || beside2(&f) > f.height * f.height;
}

/* Through the face; or, where surfaces are thick, as near as that to it. */
static bool enters(const ipg_contact *c, ipg_id node, ipg_id face, ipg_passage *passage) {
  const double thickness = ipg_contact_separation(c, node, face);
  if (thickness > 0) {
    passage->earliest = ipg_contact_touch_time(c, node, face);
    passage->latest = smaller(1, passage->earliest + same_time);
    return passage->earliest < INFINITY && stood_outside(c, node, face);
  }
  const ipg_node_face_path path = ipg_contact_path_of(c, node, face);
  return ipg_node_enters_face(&path, passage);
}

/* `gap` compares births: less deep behind the face, or nearer to one that is thick. */
static ipg_contact_pair newborn(const ipg_contact *c, ipg_id node, ipg_id face, ipg_passage passage) {
  const foot f = foot_of(c, node, face);
  const bool is_thick = ipg_contact_separation(c, node, face) > 0;
  return (ipg_contact_pair){.kind = IPG_NODE_FACE,
                            .owner = node,
                            .touched = c->surface.face_bodies[face],
                            .nodes = {node},
                            .shares = {1},
                            .face = face,
                            .node_gid = c->surface.node_gids[node],
                            .born = true,
                            .outside = true,
                            .time = passage.earliest,
                            .time_through = passage.latest,
                            .gap = is_thick ? -sqrt(f.distance2) : -f.height};
}

/* The face that the node is surely through first. Not the first touch: a node that comes through the end of a bar along
 * its side is within rounding of the side's faces all the time, but only through the end's. Where a node is surely
 * through two faces at times that rounding cannot tell apart, as on an edge, the one it is less deep behind. */
static bool is_sooner(const ipg_contact_pair *birth, const ipg_contact_pair *known) {
  const bool together = birth->time <= known->time_through && known->time <= birth->time_through;
  const double noise = 1e-10 * fabs(known->gap);
  if (together && birth->time_through < 1 && known->time_through < 1) return birth->gap > known->gap + noise;
  return birth->time_through < known->time_through;
}

/* May a node have only one of the two? A correction holds a node in front of every face that it went through, as of the
 * floor and the wall in a corner; a spring pulls it out of the body once. */
static bool exclude_each_other(const ipg_contact *c, const ipg_contact_pair *a, ipg_id face) {
  return ipg_is_kinematic(c) ? a->face == face : a->touched == c->surface.face_bodies[face];
}

static bool is_known(const ipg_contact *c, const ipg_visit *visit, int64_t count, ipg_id face) {
  for (int64_t i = 0; i < count; ++i)
    if (exclude_each_other(c, &visit->contacts[i], face)) return true;
  return false;
}

/* When the node came out in front of the face that held it behind, in parts of the step; 0: it did not. */
static double time_out(const ipg_contact *c, const ipg_contact_pair *held) {
  const double before = ipg_foot_on_face(&c->surface, ipg_accepted_x(c), held->owner, held->face).height;
  const double after = foot_of(c, held->owner, held->face).height;
  return before > 0 && !(after > 0) ? before / (before - after) : 0;
}

/* One that was held behind a thin wall and is pulled back through it comes in at the back and out at the front: what it
 * passes on the way out is no entry. Of bodies whose contact has ended; [0, count) are those that have not. */
static bool is_on_the_way_out(const ipg_contact *c, const ipg_visit *visit, int64_t count, ipg_id face, double time) {
  const int32_t body = c->surface.face_bodies[face];
  for (int64_t i = 0; i < count; ++i)
    if (visit->contacts[i].touched == body) return false;
  for (int64_t i = 0; i < visit->history_count; ++i)
    if (visit->history[i].touched == body && time <= time_out(c, &visit->history[i])) return true;
  return false;
}

/* Adds to the node's old contacts, [0, count), a birth for each face that it enters. */
static int64_t add_births(const ipg_contact *c, const ipg_visit *visit, int64_t count) {
  int64_t all = count;
  for (int64_t i = 0; i < visit->candidate_count; ++i) {
    const ipg_id node = visit->node, face = visit->candidates[i].b;
    ipg_passage passage;
    if (is_known(c, visit, count, face) || !ipg_contact_is_on(c, node, face) || !enters(c, node, face, &passage))
      continue;
    if (is_on_the_way_out(c, visit, count, face, passage.latest)) continue;
    visit->contacts[all++] = newborn(c, node, face, passage);
  }
  return all;
}

/* Does some face of the node's own look at one with that normal? */
static bool faces_own_surface(const ipg_contact *c, ipg_id node, vec normal) {
  const int64_t *first = c->buffers[NODE_FACES_FIRST].data;
  const ipg_id *faces = c->buffers[NODE_FACES].data;
  for (int64_t i = first[node]; i < first[node + 1]; ++i) {
    const ipg_id *corner = c->surface.faces + 3 * (int64_t)faces[i];
    const vec a = vec_at(ipg_trial_x(c), corner[0]), b = vec_at(ipg_trial_x(c), corner[1]);
    const vec own = vec_cross(vec_sub(b, a), vec_sub(vec_at(ipg_trial_x(c), corner[2]), a));
    if (vec_dot(own, normal) < -ipg_follow_cosine * vec_length(own)) return true;
  }
  return false;
}

/* Behind the face, by less than part of its size: no node is borne by a face on the far side. After a correction the
 * nodes that bear a body stand on its underside, to either side of it by rounding. */
static bool is_a_little_behind(const ipg_contact *c, const foot *f) {
  const double *x = ipg_trial_x(c);
  const ipg_id *corner = c->surface.faces + 3 * (int64_t)f->face;
  const vec a = vec_at(x, corner[0]);
  const double area2 = vec_length(vec_cross(vec_sub(vec_at(x, corner[1]), a), vec_sub(vec_at(x, corner[2]), a)));
  const double least = ipg_is_kinematic(c) ? -stands_on_face * sqrt(area2) : 0;
  return f->height > least && f->height * f->height < a_little * a_little * area2;
}

/* Is some contact of the node with another body than `but` as deep as that, along `normal`? After a correction all are
 * on the surface, but for rounding. */
static bool is_borne(const ipg_contact *c, ipg_id node, int32_t but, vec normal, double deep) {
  const double same_side = 0.95, as_deep = 2, rounding = ipg_is_kinematic(c) ? stands_on_face * c->mean_edge : 0;
  const ipg_contact_range all = ipg_contacts_of(c->accepted, IPG_NODE_FACE);
  for (int64_t i = ipg_first_contact_of(&all, node); i < all.count && all.pairs[i].owner == node; ++i) {
    const double depth = larger(0, -(all.pairs[i].gap + all.pairs[i].rest));
    if (all.pairs[i].touched != but && deep < as_deep * depth + rounding &&
        vec_dot(vec_at(all.pairs[i].normal, 0), normal) > same_side)
      return true;
  }
  return false;
}

/* Does another body bear the node, or those of the face, from the same side, about as deep? Then the two lie flush:
 * what is sunk in one of them slides on over the next, and neither runs into the other's end. */
static bool goes_on_flush(const ipg_contact *c, ipg_id node, const foot *f) {
  const ipg_id *corner = c->surface.faces + 3 * (int64_t)f->face;
  const int32_t own = ((const int32_t *)c->buffers[NODE_BODIES].data)[node];
  bool flush = is_borne(c, node, c->surface.face_bodies[f->face], f->normal, f->height);
  for (int k = 0; k < 3; ++k) flush = flush || is_borne(c, corner[k], own, vec_scale(-1, f->normal), f->height);
  return flush;
}

/* The face that bears a node which came in through one beside its own surface: a neighbour that the node is also
 * behind, and that faces it. So a node of a floor that a sliding block rolls over bears the block's underside, and does
 * not hold on to the end that it came in by. The entry itself where it faces the node, or no neighbour does; but a
 * neighbour that goes on flush with what bears the node already goes before it. */
static foot bearing_of(const ipg_contact *c, foot entry, ipg_id node) {
  const int64_t *first = c->buffers[NODE_FACES_FIRST].data;
  const ipg_id *faces = c->buffers[NODE_FACES].data, *corner = c->surface.faces + 3 * (int64_t)entry.face;
  if (!(entry.height > 0)) return entry;
  foot best = entry;
  bool is_flush = false;
  const bool faces_entry = faces_own_surface(c, node, entry.normal);
  for (int k = 0; k < 3; ++k)
    for (int64_t i = first[corner[k]]; i < first[corner[k] + 1]; ++i) {
      if (ipg_is_own_face(&c->surface, node, faces[i])) continue;
      const foot f = foot_of(c, node, faces[i]);
      if (!is_a_little_behind(c, &f) || !faces_own_surface(c, node, f.normal)) continue;
      const bool flush = goes_on_flush(c, node, &f);
      if ((faces_entry && !flush) || (is_flush && !flush)) continue;
      if (best.face == entry.face || flush != is_flush || ipg_foot_is_better(&f, &best)) best = f;
      is_flush = flush;
    }
  return best;
}

/* The deepest overlap from the start that the node has with the body, and still has. */
static double overlap_of(const ipg_contact *c, ipg_id node, int32_t body) {
  const ipg_contact_range all = ipg_contacts_of(c->accepted, IPG_NODE_FACE);
  double overlap = 0;
  for (int64_t i = ipg_first_contact_of(&all, node); i < all.count && all.pairs[i].owner == node; ++i)
    if (all.pairs[i].touched == body) overlap = larger(overlap, all.pairs[i].overlap);
  return overlap;
}

/* What comes in beside an overlap from the start overlaps as much: the nodes around the one that comes tell, and those
 * of the face it comes to. */
static double overlap_around(const ipg_contact *c, const ipg_contact_pair *contact) {
  const int64_t *first = c->buffers[NODE_FACES_FIRST].data;
  const ipg_id *faces = c->buffers[NODE_FACES].data, node = contact->owner;
  const int32_t own = ((const int32_t *)c->buffers[NODE_BODIES].data)[node];
  double overlap = 0;
  for (int64_t i = first[node]; i < first[node + 1]; ++i)
    for (int k = 0; k < 3; ++k)
      overlap = larger(overlap, overlap_of(c, c->surface.faces[3 * (int64_t)faces[i] + k], contact->touched));
  for (int k = 1; k < 4; ++k) overlap = larger(overlap, overlap_of(c, contact->nodes[k], own));
  return overlap;
}

/* False where the node is out again at the end of the step. */
static bool begin(const ipg_contact *c, ipg_contact_pair *contact) {
  const foot bearing = bearing_of(c, foot_of(c, contact->nodes[0], contact->face), contact->nodes[0]);
  stand_on(c, contact, &bearing);
  contact->overlap = overlap_around(c, contact);
  ipg_penalty_begin(c, contact);
  return ipg_contact_follow(c, contact);
}

static int64_t copy_history(const ipg_visit *visit) {
  for (int64_t i = 0; i < visit->history_count; ++i) {
    visit->contacts[i] = visit->history[i];
    visit->contacts[i].born = false;
    visit->contacts[i].time = 0;
    visit->contacts[i].time_through = 0;
  }
  return visit->history_count;
}

/* By body, then by face: of the same kind and node. */
static void sort_contacts(ipg_contact_pair *contacts, int64_t count) {
  for (int64_t i = 1; i < count; ++i)
    for (int64_t j = i; j > 0 && ipg_contact_order_of_places(&contacts[j], &contacts[j - 1]) < 0; --j) {
      const ipg_contact_pair swap = contacts[j];
      contacts[j] = contacts[j - 1], contacts[j - 1] = swap;
    }
}

/* Several may have come to the same face; the oldest stays. Returns how many there are then. */
static int64_t drop_twins(ipg_contact_pair *contacts, int64_t count) {
  int64_t kept = 0;
  for (int64_t i = 0; i < count; ++i)
    if (!kept || contacts[i].face != contacts[kept - 1].face) contacts[kept++] = contacts[i];
  return kept;
}

/* Moves contacts [0, count) on, and drops those that have ended; returns how many are left. */
static int64_t keep_alive(const ipg_contact *c, ipg_contact_pair *contacts, int64_t count) {
  int64_t alive = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (!ipg_contact_follow(c, &contacts[i])) continue;
    const bool has_no_spring_yet = !ipg_is_kinematic(c) && contacts[i].stiffness_dt2 == 0; /* from the start */
    if (has_no_spring_yet) ipg_penalty_begin(c, &contacts[i]);
    if (alive != i) contacts[alive] = contacts[i];
    ++alive;
  }
  return alive;
}

/* Of those that exclude the first one: the soonest. */
static int64_t soonest(const ipg_contact *c, const ipg_contact_pair *births, int64_t count) {
  int64_t best = 0;
  for (int64_t i = 1; i < count; ++i)
    if (exclude_each_other(c, &births[0], births[i].face) && is_sooner(&births[i], &births[best])) best = i;
  return best;
}

/* Begins births [alive, count): of those that exclude each other the soonest, but one that the node has left again
 * makes room for the next. Returns how many live, older ones included. */
static int64_t begin_births(const ipg_contact *c, ipg_contact_pair *contacts, int64_t alive, int64_t count) {
  while (alive < count) {
    const int64_t best = alive + soonest(c, contacts + alive, count - alive);
    ipg_contact_pair birth = contacts[best];
    const ipg_id entry = birth.face;
    contacts[best] = contacts[alive];
    if (!begin(c, &birth)) {
      contacts[alive] = contacts[--count];
      continue;
    }
    contacts[alive++] = birth;
    int64_t left = alive;
    for (int64_t i = alive; i < count; ++i)
      if (!exclude_each_other(c, &contacts[i], entry)) contacts[left++] = contacts[i];
    count = left;
  }
  return alive;
}

/* Old contacts first: where one has ended, the node may enter the same body anew, through another face. */
int64_t ipg_contact_touch_node(const ipg_contact *c, const ipg_visit *visit) {
  ipg_contact_pair *contacts = visit->contacts;
  const int64_t old = keep_alive(c, contacts, copy_history(visit));
  const int64_t alive = begin_births(c, contacts, old, add_births(c, visit, old));
  sort_contacts(contacts, alive);
  return drop_twins(contacts, alive);
}
