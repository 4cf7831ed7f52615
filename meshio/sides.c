/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Which sides of elements lie on each other: those with the same three corners.
 *
 * Of an element's four sides three share its lowest node, and one the second lowest. So an element is dealt into two
 * bins of node numbers only, as a bare number, and a bin's sides are matched in a hash table that fits into a core's
 * cache; the corners are fetched from the mesh again, ahead of time. That moves a fifth of the bytes of sorted triples.
 * Loops know no order of nodes: what the branches of a sort would guess wrongly is done with minima and maxima.
 * Invariant: an element of the lower number comes out first wherever an order can be seen, whoever did the work. A bin of
 * unusual size, such as that of the hub of a wheel, waits until the others are done: so scratch per worker stays small.
 */
#include "sides.h"

#include <stdio.h>
#include <string.h>

enum {
  CHUNK = 1 << 15, /* elements */
  MOST_CHUNKS = 64,
  BIN = 1 << 10, /* elements dealt to a bin, on average */
  MOST_BINS = 1 << 12,
  BIN_GRAIN = 4,
  ROOMY_BIN = 1 << 16,
  AHEAD = 12 /* elements whose corners are on their way */
};

/* Places that are wrong, and the lowest slot of the first of them. */
typedef struct faults {
  int64_t count, first;
} faults;

/* A triangle of corners, and who has it as a side: slots doubled, plus 1 if it winds down the node numbers. */
typedef struct triangle {
  uint64_t upper; /* middle and highest corner */
  uint32_t lowest;
  uint32_t owners, first, last;
} triangle;

/* Open addressing; spot 0 means empty, and triangles[0] is nobody's. */
typedef struct table {
  uint32_t *spots;
  triangle *triangles;
  uint32_t count, mask;
  int shift;
} table;

typedef struct matching {
  const ipg_mesh *mesh;
  uint8_t *open;
  ipg_id *partners;
  ipg_allocator allocator;
  ipg_tasks tasks;
  ipg_error *error;
  int shift;
  int64_t grain, chunks, bins, columns; /* two columns per bin: for the lowest nodes, and for the second lowest */
  int64_t roomy_bin, largest_bin, usual_bin;
  ipg_buffer places;  /* uint32_t: chunk-major, where the chunk's share of a column begins, and once dealt, ends */
  ipg_buffer dealt;   /* uint32_t: elements, twice each, column by column */
  ipg_buffer faults;  /* faults: of chunks, later of bins */
  ipg_buffer spots, triangles;
} matching;

/* ------------------------------------------------------------------------------------------------------ one element */

/* Corners in ascending order: each a node, and in the two lowest bits which corner it was. */
typedef struct ordered {
  uint64_t corner[4];
  uint32_t odd; /* was it an odd permutation? */
} ordered;

static inline void put_in_order(uint64_t *a, uint64_t *b, uint32_t *odd) {
  const uint64_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
  *odd ^= *a > *b;
  *a = low, *b = high;
}

static inline ordered order_corners(const ipg_id *tet) {
  ordered o = {.odd = 0};
  for (uint64_t c = 0; c < 4; ++c) o.corner[c] = (uint64_t)(uint32_t)tet[c] << 2 | c;
  put_in_order(&o.corner[0], &o.corner[1], &o.odd);
  put_in_order(&o.corner[2], &o.corner[3], &o.odd);
  put_in_order(&o.corner[0], &o.corner[2], &o.odd);
  put_in_order(&o.corner[1], &o.corner[3], &o.odd);
  put_in_order(&o.corner[1], &o.corner[2], &o.odd);
  return o;
}

static inline uint32_t node_of(const ordered *o, int at) { return (uint32_t)(o->corner[at] >> 2); }

static inline bool corners_are_proper(const ordered *o, int64_t node_count) {
  const uint32_t n[4] = {node_of(o, 0), node_of(o, 1), node_of(o, 2), node_of(o, 3)};
  return (n[0] < n[1]) & (n[1] < n[2]) & (n[2] < n[3]) & ((int64_t)n[3] < node_count); /* negative ones are huge */
}

static bool middles_are_proper(const ipg_mesh *mesh, int64_t element) {
  const ipg_id *tet = mesh->tets + 4 * element, *middles = ipg_mesh_middles(mesh, element);
  for (int i = 0; middles && i < 6; ++i) {
    if (middles[i] < 0 || middles[i] >= mesh->node_count) return false;
    for (int c = 0; c < 4; ++c)
      if (tet[c] == middles[i]) return false;
    for (int k = 0; k < i; ++k)
      if (middles[k] == middles[i]) return false;
  }
  return true;
}

/* ---------------------------------------------------------------------------------------------------------- dealing */

static void note(faults *f, int64_t slot) {
  if (!f->count++ || slot < f->first) f->first = slot;
}

static faults sum_faults(const matching *m, int64_t parts) {
  const faults *part = m->faults.data;
  faults sum = {0, INT64_MAX};
  for (int64_t i = 0; i < parts; ++i) {
    if (part[i].count && part[i].first < sum.first) sum.first = part[i].first;
    sum.count += part[i].count;
  }
  return sum;
}

/* Of improper elements none is counted: then nothing will be dealt. */
static void count_elements(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const matching *m = arg;
  const ipg_mesh *mesh = m->mesh;
  uint32_t *counts = (uint32_t *)m->places.data + begin / m->grain * m->columns;
  faults wrong = {0, 0};
  memset(counts, 0, (size_t)m->columns * sizeof *counts);
  for (int64_t e = begin; e < end; ++e) {
    const ordered o = order_corners(mesh->tets + 4 * e);
    if (!corners_are_proper(&o, mesh->node_count) || (mesh->quadratic_count && !middles_are_proper(mesh, e))) {
      note(&wrong, 4 * e);
      continue;
    }
    counts[2 * (node_of(&o, 0) >> m->shift)]++;
    counts[2 * (node_of(&o, 1) >> m->shift) + 1]++;
  }
  ((faults *)m->faults.data)[begin / m->grain] = wrong;
}

/* Column by column, and within it chunk by chunk: so elements ascend in every column. */
static void place_elements(matching *m) {
  uint32_t *places = m->places.data, sum = 0;
  for (int64_t column = 0; column < m->columns; ++column)
    for (int64_t chunk = 0; chunk < m->chunks; ++chunk) {
      const uint32_t count = places[chunk * m->columns + column];
      places[chunk * m->columns + column] = sum;
      sum += count;
    }
}

static void deal_elements(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const matching *m = arg;
  uint32_t *places = (uint32_t *)m->places.data + begin / m->grain * m->columns, *dealt = m->dealt.data;
  for (int64_t e = begin; e < end; ++e) {
    const ordered o = order_corners(m->mesh->tets + 4 * e);
    dealt[places[2 * (node_of(&o, 0) >> m->shift)]++] = (uint32_t)e;
    dealt[places[2 * (node_of(&o, 1) >> m->shift) + 1]++] = (uint32_t)e;
  }
}

/* Where a column of dealt elements ends and the next begins; column -1 ends where the first begins. */
static int64_t column_end(const matching *m, int64_t column) {
  const uint32_t *places = m->places.data;
  return column < 0 ? 0 : places[(m->chunks - 1) * m->columns + column];
}

static int64_t bin_size(const matching *m, int64_t bin) { return column_end(m, 2 * bin + 1) - column_end(m, 2 * bin - 1); }

static void choose_bins(matching *m) {
  const int64_t elements = m->mesh->element_count, nodes = m->mesh->node_count;
  int64_t wanted = 2 * elements / BIN + 1;
  if (wanted > MOST_BINS) wanted = MOST_BINS;
  while (nodes >> m->shift >= wanted) m->shift++;
  m->bins = (nodes >> m->shift) + 1;
  m->columns = 2 * m->bins;
  m->roomy_bin = 8 * (2 * elements / m->bins);
  if (m->roomy_bin < ROOMY_BIN) m->roomy_bin = ROOMY_BIN;
  m->grain = elements / MOST_CHUNKS + 1 > CHUNK ? elements / MOST_CHUNKS + 1 : CHUNK;
  m->chunks = ipg_chunk_count(elements, m->grain);
}

static ipg_status reserve_dealing(matching *m) {
  const int64_t parts = m->chunks > m->bins ? m->chunks : m->bins;
  ipg_status status =
      ipg_buffer_reserve(&m->places, &m->allocator, m->chunks * m->columns, sizeof(uint32_t), m->error);
  if (!status)
    status = ipg_buffer_reserve(&m->dealt, &m->allocator, 2 * m->mesh->element_count, sizeof(uint32_t), m->error);
  return status ? status : ipg_buffer_reserve(&m->faults, &m->allocator, parts, sizeof(faults), m->error);
}

/* -------------------------------------------------------------------------------------------------------- one table */

static const uint64_t low_factor = 0x9e3779b97f4a7c15u, spread_factor = 0xd6e8feb86659fd93u; /* odd, bits mixed */

/* Room for the triangles of `size` elements as they are dealt: three or one each, and a good half of them twice. */
static int spot_bits(int64_t size) {
  int bits = 4;
  while ((int64_t)1 << bits < 4 * size) ++bits;
  return bits;
}

static table clear_table(uint32_t *spots, triangle *triangles, int64_t size) {
  const int bits = spot_bits(size);
  memset(spots, 0, sizeof *spots << bits);
  triangles[0] = (triangle){0};
  return (table){spots, triangles, 0, (uint32_t)(((uint64_t)1 << bits) - 1), 64 - bits};
}

/* Whether a triangle is new is anybody's guess, so it is no branch. */
static inline void put_triangle(table *t, uint32_t lowest, uint64_t upper, uint32_t owner) {
  uint32_t at = (uint32_t)((upper + lowest * low_factor) * spread_factor >> t->shift), found;
  for (;; at = (at + 1) & t->mask) {
    found = t->spots[at];
    const triangle *there = &t->triangles[found];
    if ((found == 0) | ((there->upper == upper) & (there->lowest == lowest))) break;
  }
  const bool fresh = found == 0;
  t->count += fresh;
  found = fresh ? t->count : found;
  t->spots[at] = found;
  triangle *own = &t->triangles[found];
  const uint32_t first = fresh ? owner : own->first, last = fresh ? owner : own->last;
  *own = (triangle){upper, lowest, fresh ? 1 : own->owners + 1, first < owner ? first : owner,
                    last > owner ? last : owner};
}

/* The side without the corner that is `at` in order: it has the winding of the permutation, turned at every place. */
static inline void put_side(table *t, const ordered *o, int at, uint32_t element) {
  static const uint8_t side_without[4] = {1, 2, 0, 3};
  const uint32_t slot = 4 * element + side_without[o->corner[at] & 3], odd = (o->odd ^ (uint32_t)at) & 1;
  const uint64_t middle = node_of(o, at < 2 ? 2 : 1), highest = node_of(o, at < 3 ? 3 : 2);
  put_triangle(t, node_of(o, at < 1 ? 1 : 0), middle << 32 | highest, slot << 1 | odd);
}

static void put_column(table *t, const matching *m, int64_t column) {
  const int64_t begin = column_end(m, column - 1), end = column_end(m, column);
  const uint32_t *dealt = m->dealt.data;
  for (int64_t i = begin; i < end; ++i) {
    __builtin_prefetch(m->mesh->tets + 4 * (int64_t)dealt[i + AHEAD < end ? i + AHEAD : i]);
    const ordered o = order_corners(m->mesh->tets + 4 * (int64_t)dealt[i]);
    if (column % 2) {
      put_side(t, &o, 0, dealt[i]);
    } else {
      for (int at = 1; at < 4; ++at) put_side(t, &o, at, dealt[i]);
    }
  }
}

/* ---------------------------------------------------------------------------------------------------------- judging */

/* The middle node between two corners of a side. */
static ipg_id middle_between(const ipg_mesh *mesh, int64_t slot, ipg_id a, ipg_id b) {
  const ipg_id *tet = mesh->tets + slot / 4 * 4, *middles = ipg_mesh_middles(mesh, slot / 4);
  for (int i = 0; i < 3; ++i) {
    const ipg_id from = tet[ipg_tet_sides[slot % 4][i]], to = tet[ipg_tet_sides[slot % 4][(i + 1) % 3]];
    if ((from == a && to == b) || (from == b && to == a)) return middles[ipg_tet_side_middles[slot % 4][i]];
  }
  return -1;
}

/* Two slots with the same corners: have they the same nodes in between, or both none? */
static bool middles_agree(const ipg_mesh *mesh, int64_t a, int64_t b) {
  if (!mesh->quadratic_count) return true;
  const ipg_id *tet = mesh->tets + a / 4 * 4, *middles = ipg_mesh_middles(mesh, a / 4);
  if (!middles != !ipg_mesh_middles(mesh, b / 4)) return false;
  for (int i = 0; middles && i < 3; ++i) {
    const ipg_id from = tet[ipg_tet_sides[a % 4][i]], to = tet[ipg_tet_sides[a % 4][(i + 1) % 3]];
    if (middles[ipg_tet_side_middles[a % 4][i]] != middle_between(mesh, b, from, to)) return false;
  }
  return true;
}

static void judge_triangles(const matching *m, const table *t, faults *wrong) {
  for (uint32_t i = 1; i <= t->count; ++i) {
    const triangle *own = &t->triangles[i];
    const int64_t first = own->first >> 1, last = own->last >> 1;
    if (own->owners == 1) {
      if (m->open) m->open[first] = 1;
      if (m->partners) m->partners[first] = -1;
    } else if (own->owners == 2 && (own->first ^ own->last) & 1 && middles_agree(m->mesh, first, last)) {
      if (m->partners) m->partners[first] = (ipg_id)last, m->partners[last] = (ipg_id)first;
    } else {
      note(wrong, first);
    }
  }
}

static void match_bin(const matching *m, int64_t bin, uint32_t *spots, triangle *triangles) {
  table t = clear_table(spots, triangles, bin_size(m, bin));
  faults wrong = {0, 0};
  put_column(&t, m, 2 * bin);
  put_column(&t, m, 2 * bin + 1);
  judge_triangles(m, &t, &wrong);
  ((faults *)m->faults.data)[bin] = wrong;
}

static int64_t spot_room(int64_t bin_size) { return (int64_t)1 << spot_bits(bin_size); }
static int64_t triangle_room(int64_t bin_size) { return 3 * bin_size + 1; }

static void match_usual_bins(void *arg, int64_t begin, int64_t end, int worker) {
  const matching *m = arg;
  uint32_t *spots = (uint32_t *)m->spots.data + worker * spot_room(m->usual_bin);
  triangle *triangles = (triangle *)m->triangles.data + worker * triangle_room(m->usual_bin);
  for (int64_t bin = begin; bin < end; ++bin)
    if (bin_size(m, bin) <= m->usual_bin) match_bin(m, bin, spots, triangles);
}

static void measure_bins(matching *m) {
  for (int64_t bin = 0; bin < m->bins; ++bin) {
    const int64_t size = bin_size(m, bin);
    if (size > m->largest_bin) m->largest_bin = size;
    if (size > m->usual_bin && size <= m->roomy_bin) m->usual_bin = size;
  }
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static ipg_status reserve_tables(matching *m) {
  const int64_t workers = m->tasks.worker_count;
  const int64_t spots = larger(workers * spot_room(m->usual_bin), spot_room(m->largest_bin));
  const int64_t triangles = larger(workers * triangle_room(m->usual_bin), triangle_room(m->largest_bin));
  const ipg_status status = ipg_buffer_reserve(&m->spots, &m->allocator, spots, sizeof(uint32_t), m->error);
  return status ? status : ipg_buffer_reserve(&m->triangles, &m->allocator, triangles, sizeof(triangle), m->error);
}

/* --------------------------------------------------------------------------------------------------------- refusals */

typedef struct more_words {
  char text[64];
} more_words;

static more_words and_more(int64_t more, const char *what) {
  more_words words = {""};
  if (more)
    snprintf(words.text, sizeof words.text, " (and %lld more such %s%s)", (long long)more, what, more > 1 ? "s" : "");
  return words;
}

static ipg_status refuse_element(const matching *m, const faults *wrong) {
  const int64_t element = wrong->first / 4;
  return ipg_fail(m->error, IPG_ERROR_FORMAT,
                  "element %lld of block '%.80s' has a node twice or one that is not in the mesh%s: mend or remove it",
                  (long long)m->mesh->element_gids[element], ipg_mesh_block_name(m->mesh, element),
                  and_more(wrong->count - 1, "element").text);
}

/* The slot of an element that has the corners of another slot; -1 if there is none. */
static int64_t slot_with_corners(const ipg_mesh *mesh, int64_t element, int64_t other) {
  const ipg_id *tet = mesh->tets + 4 * element, *with = mesh->tets + other / 4 * 4;
  const int *corner = ipg_tet_sides[other % 4];
  for (int side = 0; side < 4; ++side) {
    int found = 0;
    for (int i = 0; i < 9; ++i) found += tet[ipg_tet_sides[side][i % 3]] == with[corner[i / 3]];
    if (found == 3) return 4 * element + side;
  }
  return -1;
}

/* Only on the way to a refusal: all elements are looked at. */
static int find_owners(const ipg_mesh *mesh, int64_t slot, int64_t owners[3]) {
  int count = 0;
  for (int64_t e = slot / 4; count < 3 && e < mesh->element_count; ++e)
    if ((owners[count] = slot_with_corners(mesh, e, slot)) >= 0) ++count;
  return count;
}

static ipg_status refuse_crowd(const matching *m, const long long gids[3], int64_t slot, const char *more) {
  const ipg_id *tet = m->mesh->tets + slot / 4 * 4;
  const int *corner = ipg_tet_sides[slot % 4];
  const ipg_gid *nodes = m->mesh->node_gids;
  return ipg_fail(m->error, IPG_ERROR_FORMAT,
                  "elements %lld, %lld and %lld share the face of nodes %lld, %lld, %lld%s: two may; remove the others",
                  gids[0], gids[1], gids[2], (long long)nodes[tet[corner[0]]], (long long)nodes[tet[corner[1]]],
                  (long long)nodes[tet[corner[2]]], more);
}

/* Two owners; whether they lie on the same side has not been looked at. */
static ipg_status refuse_pair(const matching *m, const long long gids[2], const int64_t slots[2], const char *more) {
  const ipg_id *first = ipg_mesh_middles(m->mesh, slots[0] / 4), *second = ipg_mesh_middles(m->mesh, slots[1] / 4);
  if (!first != !second)
    return ipg_fail(m->error, IPG_ERROR_FORMAT,
                    "elements %lld (%s) and %lld (%s) share a face%s: make both linear or both quadratic", gids[0],
                    first ? "quadratic" : "linear", gids[1], second ? "quadratic" : "linear", more);
  if (!middles_agree(m->mesh, slots[0], slots[1]))
    return ipg_fail(m->error, IPG_ERROR_FORMAT,
                    "elements %lld and %lld share the corners of a face but not its middle nodes%s: give both the same",
                    gids[0], gids[1], more);
  return ipg_fail(m->error, IPG_ERROR_FORMAT,
                  "elements %lld and %lld lie on the same side of a face they share%s: one is double or inside out, "
                  "remove or turn it",
                  gids[0], gids[1], more);
}

static ipg_status refuse_side(const matching *m, const faults *wrong) {
  int64_t owners[3] = {0, 0, 0};
  const more_words more = and_more(wrong->count - 1, "place");
  const int count = find_owners(m->mesh, wrong->first, owners);
  long long gids[3];
  for (int i = 0; i < 3; ++i) gids[i] = m->mesh->element_gids[owners[i] < 0 ? 0 : owners[i] / 4];
  if (count == 3) return refuse_crowd(m, gids, wrong->first, more.text);
  return refuse_pair(m, gids, owners, more.text);
}

/* ----------------------------------------------------------------------------------------------------------- driver */

static ipg_status check_counts(const matching *m) {
  if (m->mesh->element_count <= IPG_ID_MAX / 4 && m->mesh->node_count <= IPG_ID_MAX) return IPG_OK;
  return ipg_fail(m->error, IPG_ERROR_TOO_MANY, "%lld elements and %lld nodes: a skin can be built of at most %lld and %lld",
                  (long long)m->mesh->element_count, (long long)m->mesh->node_count, (long long)(IPG_ID_MAX / 4),
                  (long long)IPG_ID_MAX);
}

static ipg_status deal(matching *m) {
  choose_bins(m);
  const ipg_status status = reserve_dealing(m);
  if (status) return status;
  ipg_tasks_for(&m->tasks, count_elements, m, 0, m->mesh->element_count, m->grain);
  const faults wrong = sum_faults(m, m->chunks);
  if (wrong.count) return refuse_element(m, &wrong);
  place_elements(m);
  ipg_tasks_for(&m->tasks, deal_elements, m, 0, m->mesh->element_count, m->grain);
  return IPG_OK;
}

static ipg_status match(matching *m) {
  measure_bins(m);
  const ipg_status status = reserve_tables(m);
  if (status) return status;
  ipg_tasks_for(&m->tasks, match_usual_bins, m, 0, m->bins, BIN_GRAIN);
  for (int64_t bin = 0; bin < m->bins; ++bin)
    if (bin_size(m, bin) > m->usual_bin) match_bin(m, bin, m->spots.data, m->triangles.data);
  const faults wrong = sum_faults(m, m->bins);
  return wrong.count ? refuse_side(m, &wrong) : IPG_OK;
}

ipg_status ipg_sides_match(const ipg_mesh *mesh, const ipg_allocator *allocator, const ipg_tasks *tasks, uint8_t *open,
                           ipg_id *partners, ipg_error *error) {
  matching m = {.mesh = mesh,
                .open = open,
                .partners = partners,
                .allocator = *allocator,
                .tasks = *tasks,
                .error = error};
  ipg_status status = check_counts(&m);
  if (!status && mesh->element_count) status = deal(&m);
  if (!status && mesh->element_count) status = match(&m);
  ipg_buffer *const buffers[] = {&m.places, &m.dealt, &m.faults, &m.spots, &m.triangles};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) ipg_buffer_free(buffers[i], allocator);
  return status;
}
