/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Finds the surface around a node by two walks over neighbouring faces, downhill in distance: one over faces whose
 * normals are within 75 degrees of the first face's, one over any. */
#include "surface/surface_walk.h"

/* Closest points already computed for one node. Faces that are reached again, from other corners or on the second walk,
 * are not computed again. Beyond this number they are. */
enum { MOST_KNOWN = 48 };
typedef struct walk {
  const ipg_surface *surface;
  const ipg_topology *topology;
  const double *x;
  ipg_id node, faces[MOST_KNOWN];
  int count;
  ipg_closest_point known[MOST_KNOWN];
} walk;

static ipg_closest_point closest_point(walk *w, ipg_id face) {
  for (int i = 0; i < w->count; ++i)
    if (w->faces[i] == face) return w->known[i];
  const ipg_closest_point q = ipg_closest_point_on_face(w->surface, w->x, w->node, face);
  if (w->count == MOST_KNOWN) return q;
  w->faces[w->count] = face;
  return w->known[w->count++] = q;
}

/* True if the face's box is so much farther than `best` that its closest point, whatever rounding does, is no better.
 */
static bool is_beyond(const walk *w, ipg_id face, const ipg_closest_point *best) {
  const double *x = w->x, *p = x + 3 * (int64_t)w->node;
  const ipg_id *corner = ipg_face_corners(w->surface, face);
  double away2 = 0, size2 = 0;
  for (int k = 0; k < 3; ++k) {
    const double a = x[3 * (int64_t)corner[0] + k], b = x[3 * (int64_t)corner[1] + k],
                 c = x[3 * (int64_t)corner[2] + k];
    const double lo = smaller(a, smaller(b, c)), hi = larger(a, larger(b, c));
    const double away = larger(0, larger(lo - p[k], p[k] - hi));
    away2 += away * away, size2 += (hi - lo) * (hi - lo);
  }
  return away2 > 2 * best->distance2 + IPG_BOX_ROUNDING2 * size2;
}

/* The best point on a path over the surface, over faces whose normals are near `along` (0: any). */
typedef struct path {
  ipg_closest_point best;
  vec along;
} path;

static bool improves_path(const path *p, const ipg_closest_point *q) {
  if (vec_dot(p->along, p->along) == 0) return ipg_is_closer_or_straighter(q, &p->best);
  return vec_dot(q->normal, p->along) > IPG_FOLLOW_COSINE && ipg_is_closer_or_deeper(q, &p->best);
}

/* Improves each path by the faces around the corners of `at`. The first path is never closer than the others. */
static void examine_neighbours(walk *w, ipg_id at, path *paths, int path_count) {
  const ipg_id *corner = ipg_face_corners(w->surface, at);
  for (int k = 0; k < 3; ++k) {
    const ipg_id_range faces = ipg_faces_of_node(w->topology, corner[k]);
    for (const ipg_id *face = faces.begin; face < faces.end; ++face) {
      if (is_beyond(w, *face, &paths->best) || ipg_is_own_face(w->surface, w->node, *face)) continue;
      const ipg_closest_point q = closest_point(w, *face);
      for (path *p = paths; p < paths + path_count; ++p)
        if (improves_path(p, &q)) p->best = q;
    }
  }
}

/* From face to face as long as the surface comes closer: a contact slides over borders of faces, never through the body
 * to another part of its surface. Where a step is so long that this takes too many faces, the next step continues.
 * `from`: the face whose neighbours the path has already seen. */
static void follow_path(walk *w, ipg_id from, path *p) {
  enum { MOST_FACES = 256 };
  for (int i = 1; i < MOST_FACES && p->best.face != from; ++i) {
    from = p->best.face;
    examine_neighbours(w, from, p, 1);
  }
}

ipg_surroundings ipg_walk_surface(const ipg_surface *surface, const ipg_topology *topology, const double *x,
                                  ipg_id node, ipg_id face) {
  walk w;
  w.surface = surface, w.topology = topology, w.x = x, w.node = node, w.count = 0; /* known points need no zeros */
  const ipg_closest_point start = closest_point(&w, face);
  path paths[] = {{start, start.normal}, {start, {0, 0, 0}}};
  examine_neighbours(&w, start.face, paths, 2);
  for (int i = 0; i < 2; ++i) follow_path(&w, start.face, &paths[i]);
  return (ipg_surroundings){paths[0].best, paths[1].best};
}
