/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Which sides of elements lie on each other: those with the same three corners.
 *
 * Of an element's four sides three share its lowest node, and one the second lowest. So an element is dealt into two
 * bins of node numbers only, as a bare number, and a bin's sides are matched in a hash table that fits into a core's
 * cache; the corners are fetched from the mesh again, ahead of time. That takes an eighth of the memory of a list of
 * sorted triples. Branches that nobody could foretell are done without: minima and maxima instead of a sort.
 * A bin of unusual size, such as that of the hub of a wheel, waits until the others are done: so scratch per worker
 * stays small.
 * Invariant: what comes out depends on elements and their order alone, not on bins or on who did the work. */
#include "sides.h"
#include "sides_refuse.h"

#include <string.h>

enum {
  CHUNK = 1 << 15, /* elements */
  MOST_CHUNKS = 64,
  BIN = 1 << 10, /* elements dealt to a bin, on average */
  MOST_BINS = 1 << 12,
  BIN_GRAIN = 4,
  ROOMY_BIN = 1 << 16,
  AHEAD = 16 /* elements whose corners are on their way */
};

/* Places that are wrong, and the lowest slot of the first of them. */
typedef struct faults {
  int64_t count, first;
} faults;

/* A triangle of corners, and who has it as a side. An owner is a slot, doubled, plus 1 if it winds down the numbers of
 * its nodes: a word of 32 bits. In `owners` they are added up, and above that they are counted. */
typedef struct triangle {
  uint64_t upper; /* middle and highest corner */
  uint64_t owners;
  uint32_t lowest;
  uint32_t first; /* the lowest owner, complemented, so that new triangles may begin with 0 */
} triangle;

static const uint64_t one_owner = (uint64_t)1 << 34; /* four sum to more, but four are too many anyway */

/* Open addressing; spot 0 means empty, and triangles[0] is nobody's. Those that are not in use have no owners. */
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
  ipg_buffer places; /* uint32_t: chunk-major, where the chunk's share of a column begins, and once dealt, ends */
  ipg_buffer dealt;  /* uint32_t: elements, twice each, column by column */
  ipg_buffer faults; /* faults: of chunks, later of bins */
  ipg_buffer spots, triangles;
} matching;

/* ------------------------------------------------------------------------------------------------------ one element */

/* Corners in ascending order: each a node, and in the low half the side that lacks it. */
typedef struct ordered {
  uint64_t lowest, second, third, highest;
  uint32_t odd; /* was it an odd permutation? */
} ordered;

static inline void put_in_order(uint64_t *a, uint64_t *b, uint32_t *odd) {
  const uint64_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
  *odd ^= *a > *b;
  *a = low, *b = high;
}

static inline ordered order_corners(const ipg_id *tet) {
  ordered o = {(uint64_t)(uint32_t)tet[0] << 32 | 1, (uint64_t)(uint32_t)tet[1] << 32 | 2,
               (uint64_t)(uint32_t)tet[2] << 32 | 0, (uint64_t)(uint32_t)tet[3] << 32 | 3, 0};
  put_in_order(&o.lowest, &o.second, &o.odd);
  put_in_order(&o.third, &o.highest, &o.odd);
  put_in_order(&o.lowest, &o.third, &o.odd);
  put_in_order(&o.second, &o.highest, &o.odd);
  put_in_order(&o.second, &o.third, &o.odd);
  return o;
}

static inline uint32_t node_of(uint64_t corner) { return (uint32_t)(corner >> 32); }

static inline bool corners_are_proper(const ordered *o, int64_t node_count) {
  const uint32_t n[4] = {node_of(o->lowest), node_of(o->second), node_of(o->third), node_of(o->highest)};
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
    counts[2 * (node_of(o.lowest) >> m->shift)]++;
    counts[2 * (node_of(o.second) >> m->shift) + 1]++;
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
    dealt[places[2 * (node_of(o.lowest) >> m->shift)]++] = (uint32_t)e;
    dealt[places[2 * (node_of(o.second) >> m->shift) + 1]++] = (uint32_t)e;
  }
}

/* Where a column of dealt elements ends and the next begins; column -1 ends where the first begins. */
static int64_t column_end(const matching *m, int64_t column) {
  const uint32_t *places = m->places.data;
  return column < 0 ? 0 : places[(m->chunks - 1) * m->columns + column];
}

static int64_t bin_size(const matching *m, int64_t bin) {
  return column_end(m, 2 * bin + 1) - column_end(m, 2 * bin - 1);
}

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
  ipg_status status = ipg_buffer_reserve(&m->places, &m->allocator, m->chunks * m->columns, sizeof(uint32_t), m->error);
  if (!status)
    status =
        ipg_buffer_reserve(&m->dealt, &m->allocator, 2 * m->mesh->element_count + AHEAD, sizeof(uint32_t), m->error);
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
  return (table){spots, triangles, 0, (uint32_t)(((uint64_t)1 << bits) - 1), 64 - bits};
}

/* Whether a triangle is new is anybody's guess, so it is no branch: `fresh` has all bits set or none, and triangles[0]
 * is made like the one looked for, so that an empty spot ends the search as well. */
static inline void put_triangle(table *t, uint32_t lowest, uint64_t upper, uint32_t owner) {
  uint32_t at = (uint32_t)((upper + lowest * low_factor) * spread_factor >> t->shift);
  t->triangles[0].upper = upper;
  t->triangles[0].lowest = lowest;
  const triangle *there = &t->triangles[t->spots[at]];
  while ((there->upper ^ upper) | (there->lowest ^ lowest)) {
    at = (at + 1) & t->mask;
    there = &t->triangles[t->spots[at]];
  }
  const uint32_t found = t->spots[at], fresh = 0 - (uint32_t)(found == 0);
  t->count -= fresh;
  t->spots[at] = found | (t->count & fresh);
  triangle *own = &t->triangles[t->spots[at]];
  own->upper = upper;
  own->lowest = lowest;
  own->owners += one_owner + owner;
  own->first = own->first > ~owner ? own->first : ~owner;
}

/* A side in order, and the corner that it lacks. */
static inline void put_side(table *t, uint64_t low, uint64_t middle, uint64_t high, uint64_t lacks, uint32_t odd,
                            uint32_t element) {
  const uint32_t slot = 4 * element + (uint32_t)lacks;
  put_triangle(t, node_of(low), middle >> 32 << 32 | node_of(high), slot << 1 | odd);
}

/* A side winds like the permutation of its element, the other way round from one lacking corner to the next. */
static void put_lower_sides(table *into, const ipg_id *tets, const uint32_t *dealt, int64_t count) {
  table t = *into;
  for (int64_t i = 0; i < count; ++i) {
    __builtin_prefetch(tets + 4 * (int64_t)dealt[i + AHEAD]);
    const ordered o = order_corners(tets + 4 * (int64_t)dealt[i]);
    put_side(&t, o.lowest, o.second, o.third, o.highest, o.odd ^ 1, dealt[i]);
    put_side(&t, o.lowest, o.second, o.highest, o.third, o.odd, dealt[i]);
    put_side(&t, o.lowest, o.third, o.highest, o.second, o.odd ^ 1, dealt[i]);
  }
  *into = t;
}

static void put_upper_sides(table *into, const ipg_id *tets, const uint32_t *dealt, int64_t count) {
  table t = *into;
  for (int64_t i = 0; i < count; ++i) {
    __builtin_prefetch(tets + 4 * (int64_t)dealt[i + AHEAD]);
    const ordered o = order_corners(tets + 4 * (int64_t)dealt[i]);
    put_side(&t, o.second, o.third, o.highest, o.lowest, o.odd, dealt[i]);
  }
  *into = t;
}

/* ---------------------------------------------------------------------------------------------------------- judging */

/* Two owners, and of their words one is odd: they wind the other way round. */
static inline bool is_proper_pair(const triangle *t) {
  return (t->owners & ((0 - one_owner) | 1)) == (2 * one_owner | 1);
}

static void judge_triangle(const matching *m, const triangle *own, faults *wrong) {
  const uint32_t first_owner = ~own->first, last_owner = (uint32_t)own->owners - first_owner; /* of one or two */
  const int64_t first = first_owner >> 1, last = last_owner >> 1;
  if (own->owners / one_owner == 1) {
    if (m->open) m->open[first] = 1;
    if (m->partners) m->partners[first] = -1;
  } else if (is_proper_pair(own) && ipg_sides_agree(m->mesh, first, last)) {
    if (m->partners) m->partners[first] = (ipg_id)last, m->partners[last] = (ipg_id)first;
  } else {
    note(wrong, first);
  }
}

/* And leaves a table behind that can be filled again. */
static void judge_triangles(const matching *m, const table *t, faults *wrong) {
  const bool pairs_matter = m->partners || m->mesh->quadratic_count;
  for (uint32_t i = 1; i <= t->count; ++i) {
    triangle *own = &t->triangles[i];
    if (pairs_matter || !is_proper_pair(own)) judge_triangle(m, own, wrong);
    own->owners = own->first = 0;
  }
}

static void match_bin(const matching *m, int64_t bin, uint32_t *spots, triangle *triangles) {
  table t = clear_table(spots, triangles, bin_size(m, bin));
  faults wrong = {0, 0};
  const uint32_t *dealt = m->dealt.data;
  const int64_t begin = column_end(m, 2 * bin - 1), middle = column_end(m, 2 * bin), end = column_end(m, 2 * bin + 1);
  put_lower_sides(&t, m->mesh->tets, dealt + begin, middle - begin);
  put_upper_sides(&t, m->mesh->tets, dealt + middle, end - middle);
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
  ipg_status status = ipg_buffer_reserve(&m->spots, &m->allocator, spots, sizeof(uint32_t), m->error);
  if (!status) status = ipg_buffer_reserve(&m->triangles, &m->allocator, triangles, sizeof(triangle), m->error);
  if (!status) memset(m->triangles.data, 0, (size_t)triangles * sizeof(triangle));
  return status;
}

/* ----------------------------------------------------------------------------------------------------------- driver */

static ipg_status check_counts(const matching *m) {
  if (m->mesh->element_count <= IPG_ID_MAX / 4 && m->mesh->node_count <= IPG_ID_MAX) return IPG_OK;
  return ipg_fail(m->error, IPG_ERROR_TOO_MANY,
                  "%lld elements and %lld nodes: a skin can be built of at most %lld and %lld",
                  (long long)m->mesh->element_count, (long long)m->mesh->node_count, (long long)(IPG_ID_MAX / 4),
                  (long long)IPG_ID_MAX);
}

static ipg_status deal(matching *m) {
  choose_bins(m);
  const ipg_status status = reserve_dealing(m);
  if (status) return status;
  ipg_tasks_for(&m->tasks, count_elements, m, 0, m->mesh->element_count, m->grain);
  const faults wrong = sum_faults(m, m->chunks);
  if (wrong.count) return ipg_sides_refuse_element(m->mesh, wrong.first / 4, wrong.count, m->error);
  place_elements(m);
  memset((uint32_t *)m->dealt.data + 2 * m->mesh->element_count, 0, AHEAD * sizeof(uint32_t));
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
  return wrong.count ? ipg_sides_refuse(m->mesh, wrong.first, wrong.count, m->error) : IPG_OK;
}

ipg_status ipg_sides_match(const ipg_mesh *mesh, const ipg_allocator *allocator, const ipg_tasks *tasks, uint8_t *open,
                           ipg_id *partners, ipg_error *error) {
  matching m = {
      .mesh = mesh, .open = open, .partners = partners, .allocator = *allocator, .tasks = *tasks, .error = error};
  ipg_status status = check_counts(&m);
  if (!status && mesh->element_count) status = deal(&m);
  if (!status && mesh->element_count) status = match(&m);
  ipg_buffer *const buffers[] = {&m.places, &m.dealt, &m.faults, &m.spots, &m.triangles};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) ipg_buffer_destroy(buffers[i], allocator);
  return status;
}
