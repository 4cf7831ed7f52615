/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Scenes for tests of the search: items, their moved boxes, queries, and what is excluded.
 * Most kinds are hard cases: borders of cells, flat, far away, tiny, huge, clustered, graded. Few are large, so that
 * two loops over all pairs remain cheap, but some are large enough for a tree of several levels. Only the random stream
 * decides: the same seed makes the same scenes on every machine. */
#ifndef IMPINGE_TESTS_SCENES_OF_BOXES_H
#define IMPINGE_TESTS_SCENES_OF_BOXES_H

#include "impinge/search.h"
#include "support/random.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SOME = 96, MOST = 500, GROUPS = 4 };

/* The points are corners of the items. Keys and groups stay with items and queries when they move. */
typedef struct scene {
  const char *kind;
  ipg_box *items, *moved, *queries, *moved_queries, *point_boxes;
  double *points;
  int64_t item_count, query_count, moved_query_count;
  ipg_id *item_keys, *query_keys, *item_groups, *query_groups;
  bool with_keys, with_groups;
} scene;

/* Which groups exclude which, for the whole program; draw_groups makes it random. */
extern uint8_t group_excluded[GROUPS * GROUPS];
void draw_groups(rng *r);

typedef struct scene_kind {
  const char *name;
  void (*fill)(rng *r, ipg_box *box, int i);
  int least, most;
  double query_shift; /* queries lie that far outside */
} scene_kind;

enum { SCENE_KINDS = 44 };
extern const scene_kind scene_kinds[SCENE_KINDS];

typedef enum motion {
  MOTION_NONE,
  MOTION_SMALL,     /* each by a hundredth of its edges */
  MOTION_LARGE,     /* each by up to the whole scene */
  MOTION_ALONG,     /* all together along one axis */
  MOTION_FEW,       /* one in ten jumps, the others stand */
  MOTION_EXCHANGE,  /* items exchange their boxes */
  MOTION_GROW,      /* all boxes become larger, one in fifty by far */
  MOTION_TO_POINT,  /* everything to one point, or, where that would be too many pairs, to few */
  MOTION_ELSEWHERE, /* a scene of another kind */
  MOTIONS
} motion;

scene new_scene(int64_t most);
void free_scene(scene *s);
void fill_scene(rng *r, const scene_kind *kind, scene *s);
/* As many items as queries, a few of them large, with all exclusions; keys are rare enough to leave most pairs. */
void fill_uniform_scene(rng *r, scene *s, int64_t count, double size);
/* Items and queries move alike; one time in three the number of queries changes. */
void move_scene(rng *r, motion how, scene *s);

void put_box(ipg_box *box, const double centre[3], const double half[3]);
/* Box number i of a dense scene. */
void fill_dense(rng *r, ipg_box *box, int i);
void move_boxes(rng *r, motion how, ipg_box *boxes, int64_t count);
/* Few different keys, so that many pairs share one; some are absent. */
void fill_exclusion(rng *r, ipg_id *keys, ipg_id *groups, int64_t count);

ipg_exclusion item_exclusion(const scene *s);
ipg_exclusion query_exclusion(const scene *s);

#endif
