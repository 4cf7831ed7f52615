/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/scenes_of_boxes.h"

uint8_t group_excluded[GROUPS * GROUPS];

void draw_groups(rng *r) {
  for (int g = 0; g < GROUPS; ++g)
    for (int h = 0; h <= g; ++h)
      group_excluded[g * GROUPS + h] = group_excluded[h * GROUPS + g] = rng_int(r, 0, 3) == 0;
}

/* --------------------------------------------------------------------------------------------------- kinds of boxes */

static double in_turn(double a, double b, bool second) { return second ? b : a; }

void put_box(ipg_box *box, const double centre[3], const double half[3]) {
  for (int k = 0; k < 3; ++k) box->lo[k] = centre[k] - half[k], box->hi[k] = centre[k] + half[k];
}

/* A box in the unit cube, each edge up to `size`. */
static void random_box(rng *r, ipg_box *box, double size) {
  double centre[3], half[3];
  for (int k = 0; k < 3; ++k) centre[k] = rng_unit(r), half[k] = 0.5 * size * rng_unit(r);
  put_box(box, centre, half);
}

static void scale_box(ipg_box *box, double scale, double shift) {
  for (int k = 0; k < 3; ++k) box->lo[k] = box->lo[k] * scale + shift, box->hi[k] = box->hi[k] * scale + shift;
}

/* Corners drawn from lo/n, ..., hi/n. */
static void lattice_box(rng *r, ipg_box *box, int n, int most_cells) {
  for (int k = 0; k < 3; ++k) {
    const int lo = rng_int(r, 0, n), hi = lo + rng_int(r, 0, most_cells);
    box->lo[k] = (double)lo / n, box->hi[k] = (double)(hi < n ? hi : n) / n;
  }
}

static void flatten(ipg_box *box, int axis, double at) { box->lo[axis] = box->hi[axis] = at; }

static double power_of_ten(rng *r, double lo, double hi) { return pow(10, rng_between(r, lo, hi)); }

static void fill_equal(rng *r, ipg_box *box, int i) {
  (void)r, (void)i;
  *box = (ipg_box){{0.25, -1, 3}, {0.75, 2, 3}};
}
static void fill_sparse(rng *r, ipg_box *box, int i) { (void)i, random_box(r, box, 0.05); }
static void fill_medium(rng *r, ipg_box *box, int i) { (void)i, random_box(r, box, 0.3); }
void fill_dense(rng *r, ipg_box *box, int i) { (void)i, random_box(r, box, 1); }
/* The first box spans the cube, so that k/2^m are the borders of cells. */
static void fill_borders(rng *r, ipg_box *box, int i) {
  lattice_box(r, box, 1 << rng_int(r, 0, 6), 2);
  if (i == 0) *box = (ipg_box){{0, 0, 0}, {1, 1, 1}};
}
static void fill_touching(rng *r, ipg_box *box, int i) {
  (void)i;
  for (int k = 0; k < 3; ++k) box->lo[k] = rng_int(r, -2, 2), box->hi[k] = box->lo[k] + 1;
}
/* Faces that coincide or miss each other by the last bit. */
static void fill_last_bit(rng *r, ipg_box *box, int i) {
  fill_touching(r, box, i);
  for (int k = 0; k < 3; ++k) {
    box->lo[k] = nextafter(box->lo[k], rng_int(r, 0, 1) ? -9 : box->lo[k]);
    box->hi[k] = nextafter(box->hi[k], rng_int(r, 0, 1) ? 9 : box->hi[k]);
    if (rng_int(r, 0, 2) == 0) box->hi[k] = nextafter(box->hi[k], box->lo[k]);
  }
}
static void fill_flat_x(rng *r, ipg_box *box, int i) { fill_medium(r, box, i), flatten(box, 0, 0.3); }
static void fill_flat_y(rng *r, ipg_box *box, int i) { fill_medium(r, box, i), flatten(box, 1, -7); }
static void fill_flat_z(rng *r, ipg_box *box, int i) { fill_medium(r, box, i), flatten(box, 2, 0); }
static void fill_line(rng *r, ipg_box *box, int i) { fill_flat_x(r, box, i), flatten(box, 2, 1e9); }
static void fill_sheets(rng *r, ipg_box *box, int i) {
  (void)i;
  lattice_box(r, box, 8, 4);
  const int axis = rng_int(r, 0, 2);
  flatten(box, axis, box->lo[axis]);
}
static void fill_points(rng *r, ipg_box *box, int i) {
  lattice_box(r, box, i % 2 ? 4 : 1 << 20, 0);
  for (int k = 0; k < 3; ++k) flatten(box, k, box->lo[k]);
}
static void fill_sizes_3(rng *r, ipg_box *box, int i) { (void)i, random_box(r, box, power_of_ten(r, -3, 0)); }
static void fill_sizes_6(rng *r, ipg_box *box, int i) { (void)i, random_box(r, box, power_of_ten(r, -6, 0)); }
static void fill_giant(rng *r, ipg_box *box, int i) {
  random_box(r, box, 0.1);
  if (i == 3) *box = (ipg_box){{-100, -100, -100}, {100, 100, 100}};
}
static void fill_micro(rng *r, ipg_box *box, int i) { fill_medium(r, box, i), scale_box(box, 1e-6, 0); }
static void fill_mega(rng *r, ipg_box *box, int i) { fill_medium(r, box, i), scale_box(box, 1e6, 0); }
static void fill_1e_300(rng *r, ipg_box *box, int i) { fill_medium(r, box, i), scale_box(box, 1e-300, 0); }
static void fill_denormal(rng *r, ipg_box *box, int i) {
  (void)i, lattice_box(r, box, 8, 3), scale_box(box, 4e-323, 0);
}
static void fill_1e300(rng *r, ipg_box *box, int i) { fill_medium(r, box, i), scale_box(box, 1e300, 0); }
static void fill_all_doubles(rng *r, ipg_box *box, int i) {
  lattice_box(r, box, 4, 2);
  for (int k = 0; k < 3; ++k) {
    box->lo[k] = (2 * box->lo[k] - 1) * DBL_MAX, box->hi[k] = (2 * box->hi[k] - 1) * DBL_MAX;
    if (i % 3 == 0) box->lo[k] = in_turn(0, 1e-310, i % 2), box->hi[k] = in_turn(2e-310, 1, i % 2);
  }
}
static void fill_far(rng *r, ipg_box *box, int i) { fill_medium(r, box, i), scale_box(box, 1e-5, 1e9); }
static void fill_far_corner(rng *r, ipg_box *box, int i) {
  fill_medium(r, box, i), scale_box(box, 1e-5, i % 2 ? 1e9 : -1e9);
}
static void fill_needles(rng *r, ipg_box *box, int i) {
  double centre[3], half[3];
  for (int k = 0; k < 3; ++k) centre[k] = rng_unit(r), half[k] = k == i % 3 ? rng_between(r, 0, 100) : 1e-4;
  put_box(box, centre, half);
}
static void fill_plates(rng *r, ipg_box *box, int i) {
  fill_dense(r, box, i);
  for (int k = 0; k < 3; ++k) {
    const double scale = in_turn(1e-9, in_turn(1, 1e9, k == 2), k > 0);
    box->lo[k] *= scale, box->hi[k] *= scale;
  }
}
static void fill_signed_zero(rng *r, ipg_box *box, int i) {
  (void)i;
  for (int k = 0; k < 3; ++k) {
    box->lo[k] = in_turn(0.0, in_turn(-0.0, -1, rng_int(r, 0, 1)), rng_int(r, 0, 1));
    box->hi[k] = in_turn(0.0, in_turn(-0.0, 1, rng_int(r, 0, 1)), rng_int(r, 0, 1));
  }
}

/* ------------------------------------------------------------------------------------- many, so that trees are deep */

static void fill_many(rng *r, ipg_box *box, int i) { (void)i, random_box(r, box, 0.08); }
/* A million apart, each as large as one. */
static void fill_two_clusters(rng *r, ipg_box *box, int i) {
  random_box(r, box, 0.12), scale_box(box, 1, i % 2 ? 1e6 : -1e6);
}
static void fill_outlier(rng *r, ipg_box *box, int i) {
  random_box(r, box, 0.1);
  if (i == 7) scale_box(box, 1, 1e12);
}
static void fill_plane_and_giant(rng *r, ipg_box *box, int i) {
  random_box(r, box, 0.1), flatten(box, 1, 0.5);
  if (i == 11) *box = (ipg_box){{-1e3, 0.5, -1e3}, {1e3, 2e3, 1e3}};
}
/* Links as long as 100 times their width, each touching the next; a hundred links a chain, along x, y and z. */
static void fill_chains(rng *r, ipg_box *box, int i) {
  const int along = i / 100 % 3, chain = i / 100;
  for (int k = 0; k < 3; ++k) box->lo[k] = 10 * chain + 0.01 * rng_int(r, 0, 1), box->hi[k] = box->lo[k] + 0.01;
  box->lo[along] = i % 100, box->hi[along] = i % 100 + 1;
}
/* The nearer to the corner, the smaller: 1 to 1000. */
static void fill_graded(rng *r, ipg_box *box, int i) {
  (void)i;
  const double size = power_of_ten(r, -3, 0);
  random_box(r, box, 0.6), scale_box(box, size, 0);
}
/* A wall of cubes: each touches 26 others. */
static void fill_bricks(rng *r, ipg_box *box, int i) {
  (void)r;
  const int at[3] = {i % 8, i / 8 % 8, i / 64};
  for (int k = 0; k < 3; ++k) box->lo[k] = 0.1 * at[k], box->hi[k] = 0.1 * (at[k] + 1);
}
static void fill_nested(rng *r, ipg_box *box, int i) {
  (void)r;
  const double half = pow(0.8, i);
  put_box(box, (double[3]){0.3, 0.3, 0.3}, (double[3]){half, half, half});
}
/* One in twenty is as large as everything together. */
static void fill_giants(rng *r, ipg_box *box, int i) { random_box(r, box, i % 20 ? 0.03 : 2); }
/* Half of them at one point, the others around it. */
static void fill_heap(rng *r, ipg_box *box, int i) {
  random_box(r, box, 0.05);
  if (i % 2) *box = (ipg_box){{0.5, 0.5, 0.5}, {0.5 + 1e-9 * (i % 7), 0.5, 0.5}};
}

const scene_kind scene_kinds[] = {
    {"empty", fill_dense, 0, 0, 0},
    {"one", fill_dense, 1, 1, 0},
    {"two", fill_dense, 2, 2, 0},
    {"all equal", fill_equal, 2, 40, 0},
    {"sparse", fill_sparse, 20, SOME, 0},
    {"medium", fill_medium, 5, SOME, 0},
    {"dense", fill_dense, 2, 50, 0},
    {"cell borders", fill_borders, 10, SOME, 0},
    {"touching", fill_touching, 10, SOME, 0},
    {"touching or not by the last bit", fill_last_bit, 10, SOME, 0},
    {"flat in x", fill_flat_x, 5, SOME, 0},
    {"flat in y", fill_flat_y, 5, SOME, 0},
    {"flat in z", fill_flat_z, 5, SOME, 0},
    {"collinear", fill_line, 5, 60, 0},
    {"flat boxes", fill_sheets, 10, SOME, 0},
    {"points", fill_points, 10, SOME, 0},
    {"sizes 1 to 1000", fill_sizes_3, 10, SOME, 0},
    {"sizes 1 to a million", fill_sizes_6, 10, SOME, 0},
    {"one giant", fill_giant, 5, SOME, 0},
    {"scale 1e-6", fill_micro, 5, SOME, 0},
    {"scale 1e6", fill_mega, 5, SOME, 0},
    {"scale 1e-300", fill_1e_300, 5, SOME, 0},
    {"denormal", fill_denormal, 5, SOME, 0},
    {"scale 1e300", fill_1e300, 5, SOME, 0},
    {"all doubles", fill_all_doubles, 5, SOME, 0},
    {"far from the origin", fill_far, 5, SOME, 0},
    {"small, far from each other", fill_far_corner, 5, SOME, 0},
    {"needles", fill_needles, 5, SOME, 0},
    {"scales differ by axis", fill_plates, 5, SOME, 0},
    {"negative zero", fill_signed_zero, 5, 60, 0},
    {"many", fill_many, 300, MOST, 0},
    {"two clusters far apart", fill_two_clusters, 300, MOST, 0},
    {"one far outlier", fill_outlier, 300, MOST, 0},
    {"a plane and one giant", fill_plane_and_giant, 300, MOST, 0},
    {"thin chains", fill_chains, 300, MOST, 0},
    {"graded towards a corner", fill_graded, 300, MOST, 0},
    {"bricks", fill_bricks, 300, MOST, 0},
    {"many sizes 1 to 1000", fill_sizes_3, 300, 400, 0},
    {"nested", fill_nested, 10, 60, 0},
    {"giants", fill_giants, 100, 200, 0},
    {"heap", fill_heap, 50, SOME, 0},
    {"queries outside", fill_medium, 5, SOME, 50},
    {"queries outside, below", fill_medium, 5, SOME, -1e200},
    {"queries half outside", fill_borders, 5, SOME, 0.5},
};
_Static_assert(sizeof scene_kinds / sizeof *scene_kinds == SCENE_KINDS, "SCENE_KINDS in scenes_of_boxes.h");

/* ---------------------------------------------------------------------------------------------------------- motions */

/* A shift beyond the range of doubles is not made. */
static void shift_axis(ipg_box *box, int axis, double by) {
  const double lo = box->lo[axis] + by, hi = box->hi[axis] + by;
  if (isfinite(lo) && isfinite(hi)) box->lo[axis] = lo, box->hi[axis] = hi;
}

static double spread_of(const ipg_box *boxes, int64_t count, int axis) {
  double lo = boxes[0].lo[axis], hi = boxes[0].hi[axis];
  for (int64_t i = 0; i < count; ++i) lo = fmin(lo, boxes[i].lo[axis]), hi = fmax(hi, boxes[i].hi[axis]);
  return isfinite(hi - lo) ? hi - lo : 1;
}

static void move_each(rng *r, ipg_box *boxes, int64_t count, int one_in) {
  for (int k = 0; k < 3; ++k) {
    const double spread = spread_of(boxes, count, k);
    for (int64_t i = 0; i < count; ++i)
      if (i % one_in == 0) shift_axis(&boxes[i], k, spread * rng_between(r, -1, 1));
  }
}

static void grow_box(ipg_box *box, double factor) {
  for (int k = 0; k < 3; ++k) {
    const double more = factor * (box->hi[k] - box->lo[k]), lo = box->lo[k] - more, hi = box->hi[k] + more;
    if (isfinite(lo) && isfinite(hi)) box->lo[k] = lo, box->hi[k] = hi;
  }
}

static void exchange(rng *r, ipg_box *boxes, int64_t count) {
  for (int64_t i = count - 1; i > 0; --i) {
    const int64_t j = rng_int(r, 0, (int)i);
    const ipg_box box = boxes[i];
    boxes[i] = boxes[j], boxes[j] = box;
  }
}

static void move_little(rng *r, ipg_box *box) {
  for (int k = 0; k < 3; ++k) {
    const double edge = box->hi[k] - box->lo[k];
    shift_axis(box, k, 0.01 * (isfinite(edge) ? edge : 1) * rng_between(r, -1, 1));
  }
}

void move_boxes(rng *r, motion how, ipg_box *boxes, int64_t count) {
  if (!count) return;
  const int axis = rng_int(r, 0, 2), other = rng_int(r, 3, SCENE_KINDS - 1);
  const double spread = spread_of(boxes, count, axis), by = spread * rng_between(r, -2, 2);
  if (how == MOTION_LARGE || how == MOTION_FEW) move_each(r, boxes, count, how == MOTION_FEW ? 10 : 1);
  if (how == MOTION_EXCHANGE) exchange(r, boxes, count);
  for (int i = 0; i < count; ++i) {
    if (how == MOTION_SMALL) move_little(r, &boxes[i]);
    if (how == MOTION_ALONG) shift_axis(&boxes[i], axis, by);
    if (how == MOTION_GROW) grow_box(&boxes[i], i % 50 ? 0.1 : 5);
    if (how == MOTION_TO_POINT) boxes[i] = (ipg_box){{i / 64 - 3, 0, 7}, {i / 64 - 3, 0, 7}};
    if (how == MOTION_ELSEWHERE) scene_kinds[other].fill(r, &boxes[i], i);
  }
}

/* ----------------------------------------------------------------------------------------------------------- scenes */

scene new_scene(int64_t most) {
  const size_t n = (size_t)most;
  return (scene){.items = calloc(n, sizeof(ipg_box)),
                 .moved = calloc(n, sizeof(ipg_box)),
                 .queries = calloc(n, sizeof(ipg_box)),
                 .moved_queries = calloc(n, sizeof(ipg_box)),
                 .point_boxes = calloc(n, sizeof(ipg_box)),
                 .points = calloc(3 * n, sizeof(double)),
                 .item_keys = calloc(4 * n, sizeof(ipg_id)),
                 .query_keys = calloc(4 * n, sizeof(ipg_id)),
                 .item_groups = calloc(n, sizeof(ipg_id)),
                 .query_groups = calloc(n, sizeof(ipg_id))};
}

void free_scene(scene *s) {
  free(s->items), free(s->moved), free(s->queries), free(s->moved_queries), free(s->point_boxes), free(s->points);
  free(s->item_keys), free(s->query_keys), free(s->item_groups), free(s->query_groups);
}

void fill_exclusion(rng *r, ipg_id *keys, ipg_id *groups, int64_t count) {
  for (int64_t i = 0; i < 4 * count; ++i) keys[i] = rng_int(r, 0, 2) ? rng_int(r, 0, 60) : -1 - rng_int(r, 0, 1);
  for (int64_t i = 0; i < count; ++i) groups[i] = rng_int(r, 0, GROUPS - 1);
}

static void put_point(scene *s, int64_t i, const double corner[3]) {
  memcpy(s->points + 3 * i, corner, 3 * sizeof(double));
  memcpy(s->point_boxes[i].lo, corner, 3 * sizeof(double));
  memcpy(s->point_boxes[i].hi, corner, 3 * sizeof(double));
}

void move_scene(rng *r, motion how, scene *s) {
  memcpy(s->moved, s->items, (size_t)s->item_count * sizeof(ipg_box));
  memcpy(s->moved_queries, s->queries, (size_t)s->query_count * sizeof(ipg_box));
  move_boxes(r, how, s->moved, s->item_count);
  move_boxes(r, how, s->moved_queries, s->query_count);
  s->moved_query_count = rng_int(r, 0, 2) ? s->query_count : s->query_count / 2;
}

/* One time in ten the queries are of another kind: they may be many times larger than the items, or far away. */
static void fill_queries(rng *r, const scene_kind *kind, scene *s) {
  if (rng_int(r, 0, 9) == 0) kind = &scene_kinds[rng_int(r, 3, SCENE_KINDS - 1)];
  for (int i = 0; i < s->query_count; ++i) {
    if (kind->most) kind->fill(r, &s->queries[i], rng_int(r, 0, 1) ? i : i + 1);
    else fill_dense(r, &s->queries[i], i);
    scale_box(&s->queries[i], 1, kind->query_shift);
  }
}

/* Exclusions and moved boxes, after items and queries are set. */
static void finish_scene(rng *r, scene *s, motion how) {
  for (int64_t i = 0; i < s->item_count; ++i) put_point(s, i, i % 2 ? s->items[i].lo : s->items[i].hi);
  fill_exclusion(r, s->item_keys, s->item_groups, s->item_count);
  fill_exclusion(r, s->query_keys, s->query_groups, s->query_count);
  move_scene(r, how, s);
}

void fill_scene(rng *r, const scene_kind *kind, scene *s) {
  s->kind = kind->name;
  const bool small = kind->most > SOME && rng_int(r, 0, 3); /* the large ones take most of the time */
  const int least = small ? SOME / 2 : kind->least, most = small ? SOME : kind->most;
  s->item_count = rng_int(r, least, most);
  s->query_count = rng_int(r, 0, 15) ? rng_int(r, 1, most > 20 ? most : 20) : 0;
  for (int i = 0; i < s->item_count; ++i) kind->fill(r, &s->items[i], i);
  fill_queries(r, kind, s);
  s->with_keys = rng_int(r, 0, 2) == 0;
  s->with_groups = rng_int(r, 0, 2) == 0;
  finish_scene(r, s, (motion)rng_int(r, 0, MOTIONS - 1));
}

void fill_uniform_scene(rng *r, scene *s, int64_t count, double size) {
  s->kind = "uniform";
  s->item_count = s->query_count = count;
  s->with_keys = s->with_groups = true;
  for (int64_t i = 0; i < count; ++i) {
    random_box(r, &s->items[i], rng_int(r, 0, 100) ? size : 10 * size);
    random_box(r, &s->queries[i], size);
  }
  finish_scene(r, s, MOTION_SMALL);
  for (int64_t i = 0; i < 4 * count; ++i)
    s->item_keys[i] *= 1 + rng_int(r, 0, 99), s->query_keys[i] *= 1 + rng_int(r, 0, 99);
}

ipg_exclusion item_exclusion(const scene *s) {
  return (ipg_exclusion){s->with_keys ? s->item_keys : NULL, s->with_groups ? s->item_groups : NULL};
}

ipg_exclusion query_exclusion(const scene *s) {
  return (ipg_exclusion){s->with_keys ? s->query_keys : NULL, s->with_groups ? s->query_groups : NULL};
}
