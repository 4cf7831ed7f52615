/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What surface is around a node that touches a face? Walks from there over neighbours, downhill in distance, on two
 * trails: over faces that look roughly the way the first one does, and over any. */
#include "around.h"
#include "support/vec.h"

/* Feet of one node in one look around, so that faces that are met again, from other corners or on the second walk, are
 * not worked out again. Where there are more than fit, the rest is worked out each time. */
enum { MOST_FEET = 48 };
typedef struct feet {
  ipg_id node, faces[MOST_FEET];
  int count;
  foot known[MOST_FEET];
} feet;

static foot foot_among(const ipg_contact *c, feet *all, ipg_id face) {
  for (int i = 0; i < all->count; ++i)
    if (all->faces[i] == face) return all->known[i];
  const foot f = ipg_foot_on_face(&c->surface, ipg_trial_x(c), all->node, face);
  if (all->count == MOST_FEET) return f;
  all->faces[all->count] = face;
  return all->known[all->count++] = f;
}

/* Is the face's box so much farther away than `best` that its foot, whatever rounding does to it, is no better? */
static bool is_beyond(const ipg_contact *c, ipg_id node, ipg_id face, const foot *best) {
  const double *x = ipg_trial_x(c), *p = x + 3 * (int64_t)node;
  const ipg_id *corner = c->surface.faces + 3 * (int64_t)face;
  double away2 = 0, size2 = 0;
  for (int k = 0; k < 3; ++k) {
    const double a = x[3 * (int64_t)corner[0] + k], b = x[3 * (int64_t)corner[1] + k],
                 d = x[3 * (int64_t)corner[2] + k];
    const double lo = smaller(a, smaller(b, d)), hi = larger(a, larger(b, d));
    const double away = larger(0, larger(lo - p[k], p[k] - hi));
    away2 += away * away, size2 += (hi - lo) * (hi - lo);
  }
  return away2 > 2 * best->distance2 + 1e-20 * size2;
}

/* The best foot on a way over the surface, over faces that look `along` (0: any). */
typedef struct trail {
  foot best;
  vec along;
} trail;

static bool improves(const trail *t, const foot *f) {
  if (vec_dot(t->along, t->along) == 0) return ipg_foot_is_truer(f, &t->best);
  return vec_dot(f->normal, t->along) > ipg_follow_cosine && ipg_foot_is_better(f, &t->best);
}

/* The best of the faces around `at`, that one included, for each trail. The first is never nearer than the others. */
static void look_around(const ipg_contact *c, feet *all, ipg_id at, trail *trails, int trail_count) {
  const int64_t *first = c->buffers[NODE_FACES_FIRST].data;
  const ipg_id *faces = c->buffers[NODE_FACES].data, *corner = c->surface.faces + 3 * (int64_t)at;
  for (int k = 0; k < 3; ++k)
    for (int64_t i = first[corner[k]]; i < first[corner[k] + 1]; ++i) {
      if (is_beyond(c, all->node, faces[i], &trails->best) || ipg_is_own_face(&c->surface, all->node, faces[i]))
        continue;
      const foot f = foot_among(c, all, faces[i]);
      for (trail *t = trails; t < trails + trail_count; ++t)
        if (improves(t, &f)) t->best = f;
    }
}

/* Downhill from face to face, as long as the surface comes nearer: a contact slides over borders, never through the
 * body to another part of its surface. Where a step is so long that this takes too many faces, the rest is for the
 * next step. `from`: whose surroundings the trail knows. */
static void walk(const ipg_contact *c, feet *all, ipg_id from, trail *t) {
  enum { MOST_FACES = 256 };
  for (int i = 1; i < MOST_FACES && t->best.face != from; ++i) {
    from = t->best.face;
    look_around(c, all, from, t, 1);
  }
}

ipg_surroundings ipg_look_around_node(const ipg_contact *c, ipg_id node, ipg_id face) {
  feet all;
  all.node = node, all.count = 0;               /* what is known needs no zeros */
  const foot start = foot_among(c, &all, face); /* as it looks now */
  trail trails[] = {{start, start.normal}, {start, {0, 0, 0}}};
  look_around(c, &all, start.face, trails, 2);
  for (int i = 0; i < 2; ++i) walk(c, &all, start.face, &trails[i]);
  return (ipg_surroundings){trails[0].best, trails[1].best};
}
