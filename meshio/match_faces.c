/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Matches sides of elements that have the same three corners.
 *
 * The lowest node of a side is the element's lowest node for three of its sides, and its second lowest for the fourth.
 * So elements are binned by node number, each by its number alone and into two bins only, and the sides of a bin are
 * matched in a hash table that fits into a core's cache; the corners are read from the mesh again, prefetched. This
 * takes an eighth of the memory of a list of sorted triples. Unpredictable branches are avoided: minima and maxima
 * instead of a sort. A bin of unusual size, such as that of a node in the hub of a wheel, is matched after the others,
 * by one worker, so that scratch memory per worker stays small. Invariant: the result depends on the elements and their
 * order alone, not on bins or workers. */
#include "match_faces.h"

#include "mesh_lookup.h"
#include "nonconforming_faces.h"

#include <string.h>

enum {
  CHUNK = 1 << 15, /* elements */
  MOST_CHUNKS = 64,
  BIN = 1 << 10, /* elements in a bin, on average */
  MOST_BINS = 1 << 12,
  BIN_GRAIN = 4,
  LEAST_BIN_LIMIT = 1 << 16,
  AHEAD = 16 /* elements from a prefetch to its use */
};

/* How many elements or faces are wrong, and the lowest slot of the first of them. */
typedef struct faults {
  int64_t count, first;
} faults;

/* A triangle of corners, and the slots that have it as a side. The code of such an owner is its slot times 2, plus 1 if
 * the side winds against the order of its node numbers: 32 bits. The low bits of `owners` hold the sum of the codes,
 * the high bits their number. */
typedef struct triangle {
  uint64_t upper; /* middle and highest corner */
  uint64_t owners;
  uint32_t lowest;
  uint32_t first; /* the lowest code, complemented, so that a new triangle starts from 0 */
} triangle;

static const uint64_t one_owner = (uint64_t)1 << 34; /* four sum to more, but four are too many anyway */

/* A hash table with open addressing. A bucket holds the index of a triangle; 0 means empty, and triangles[0] is
 * scratch. Triangles not in use have no owners. */
typedef struct table {
  uint32_t *buckets;
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
  int64_t bin_limit;                    /* entries: larger bins are matched last, by one worker */
  int64_t largest_bin, largest_usual_bin;
  ipg_buffer
      offsets; /* uint32_t: chunk-major, where the chunk's part of a column begins; after binning, where it ends */
  ipg_buffer binned; /* uint32_t: elements, twice each, column by column */
  ipg_buffer faults; /* faults: of chunks, later of bins */
  ipg_buffer buckets, triangles;
} matching;

/* ------------------------------------------------------------------------------------------------------ one element */

/* Corners in ascending order: each is a node in the high half, and in the low half the side opposite to it. */
typedef struct sorted_corners {
  uint64_t lowest, second, third, highest;
  uint32_t odd; /* 1 if sorting was an odd permutation */
} sorted_corners;

static inline void sort_two(uint64_t *a, uint64_t *b, uint32_t *odd) {
  const uint64_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
  *odd ^= *a > *b;
  *a = low, *b = high;
}

static inline sorted_corners sort_corners(const ipg_id *tet) {
  sorted_corners o = {(uint64_t)(uint32_t)tet[0] << 32 | 1, (uint64_t)(uint32_t)tet[1] << 32 | 2,
                      (uint64_t)(uint32_t)tet[2] << 32 | 0, (uint64_t)(uint32_t)tet[3] << 32 | 3, 0};
  sort_two(&o.lowest, &o.second, &o.odd);
  sort_two(&o.third, &o.highest, &o.odd);
  sort_two(&o.lowest, &o.third, &o.odd);
  sort_two(&o.second, &o.highest, &o.odd);
  sort_two(&o.second, &o.third, &o.odd);
  return o;
}

static inline uint32_t node_of(uint64_t corner) { return (uint32_t)(corner >> 32); }

static inline bool corners_are_proper(const sorted_corners *o, int64_t node_count) {
  const uint32_t n[4] = {node_of(o->lowest), node_of(o->second), node_of(o->third), node_of(o->highest)};
  return (n[0] < n[1]) & (n[1] < n[2]) & (n[2] < n[3]) &
         ((int64_t)n[3] < node_count); /* negative numbers are huge as uint32_t */
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

/* ---------------------------------------------------------------------------------------------------------- binning */

static void record_fault(faults *f, int64_t slot) {
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

/* Wrong elements are not counted: when there are any, the matching ends before binning. */
static void count_bin_entries(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const matching *m = arg;
  const ipg_mesh *mesh = m->mesh;
  uint32_t *counts = (uint32_t *)m->offsets.data + begin / m->grain * m->columns;
  faults wrong = {0, 0};
  memset(counts, 0, (size_t)m->columns * sizeof *counts);
  for (int64_t e = begin; e < end; ++e) {
    const sorted_corners o = sort_corners(mesh->tets + 4 * e);
    if (!corners_are_proper(&o, mesh->node_count) || (mesh->quadratic_count && !middles_are_proper(mesh, e))) {
      record_fault(&wrong, 4 * e);
      continue;
    }
    counts[2 * (node_of(o.lowest) >> m->shift)]++;
    counts[2 * (node_of(o.second) >> m->shift) + 1]++;
  }
  ((faults *)m->faults.data)[begin / m->grain] = wrong;
}

/* Column by column, and within it chunk by chunk, so that elements ascend in every column. */
static void sum_offsets(matching *m) {
  uint32_t *offsets = m->offsets.data, sum = 0;
  for (int64_t column = 0; column < m->columns; ++column)
    for (int64_t chunk = 0; chunk < m->chunks; ++chunk) {
      const uint32_t count = offsets[chunk * m->columns + column];
      offsets[chunk * m->columns + column] = sum;
      sum += count;
    }
}

static void bin_elements(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const matching *m = arg;
  uint32_t *offsets = (uint32_t *)m->offsets.data + begin / m->grain * m->columns, *binned = m->binned.data;
  for (int64_t e = begin; e < end; ++e) {
    const sorted_corners o = sort_corners(m->mesh->tets + 4 * e);
    binned[offsets[2 * (node_of(o.lowest) >> m->shift)]++] = (uint32_t)e;
    binned[offsets[2 * (node_of(o.second) >> m->shift) + 1]++] = (uint32_t)e;
  }
}

/* The end of a column of binned elements, where the next one begins; column -1 ends where the first begins. */
static int64_t column_end(const matching *m, int64_t column) {
  const uint32_t *offsets = m->offsets.data;
  return column < 0 ? 0 : offsets[(m->chunks - 1) * m->columns + column];
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
  m->bin_limit = 8 * (2 * elements / m->bins);
  if (m->bin_limit < LEAST_BIN_LIMIT) m->bin_limit = LEAST_BIN_LIMIT;
  m->grain = elements / MOST_CHUNKS + 1 > CHUNK ? elements / MOST_CHUNKS + 1 : CHUNK;
  m->chunks = ipg_chunk_count(elements, m->grain);
}

static ipg_status reserve_bins(matching *m) {
  const int64_t parts = m->chunks > m->bins ? m->chunks : m->bins;
  ipg_status status =
      ipg_buffer_reserve(&m->offsets, &m->allocator, m->chunks * m->columns, sizeof(uint32_t), m->error);
  if (!status)
    status =
        ipg_buffer_reserve(&m->binned, &m->allocator, 2 * m->mesh->element_count + AHEAD, sizeof(uint32_t), m->error);
  return status ? status : ipg_buffer_reserve(&m->faults, &m->allocator, parts, sizeof(faults), m->error);
}

/* -------------------------------------------------------------------------------------------------------- one table */

static const uint64_t low_factor = 0x9e3779b97f4a7c15u, spread_factor = 0xd6e8feb86659fd93u; /* odd, bits mixed */

/* The table size, as a power of two, for a bin of `size` entries: an entry has three sides or one, and more than half
 * of the triangles occur twice. */
static int bucket_bits(int64_t size) {
  int bits = 4;
  while ((int64_t)1 << bits < 4 * size) ++bits;
  return bits;
}

static table clear_table(uint32_t *buckets, triangle *triangles, int64_t size) {
  const int bits = bucket_bits(size);
  memset(buckets, 0, sizeof *buckets << bits);
  return (table){buckets, triangles, 0, (uint32_t)(((uint64_t)1 << bits) - 1), 64 - bits};
}

/* Whether a triangle is new cannot be predicted, so it is no branch: `fresh` has all bits set or none, and triangles[0]
 * is made equal to the key, so that an empty bucket ends the search as well. */
static inline void insert_triangle(table *t, uint32_t lowest, uint64_t upper, uint32_t owner) {
  uint32_t at = (uint32_t)((upper + lowest * low_factor) * spread_factor >> t->shift);
  t->triangles[0].upper = upper;
  t->triangles[0].lowest = lowest;
  const triangle *there = &t->triangles[t->buckets[at]];
  while ((there->upper ^ upper) | (there->lowest ^ lowest)) {
    at = (at + 1) & t->mask;
    there = &t->triangles[t->buckets[at]];
  }
  const uint32_t found = t->buckets[at], fresh = 0 - (uint32_t)(found == 0);
  t->count -= fresh;
  t->buckets[at] = found | (t->count & fresh);
  triangle *own = &t->triangles[t->buckets[at]];
  own->upper = upper;
  own->lowest = lowest;
  own->owners += one_owner + owner;
  own->first = own->first > ~owner ? own->first : ~owner;
}

/* A side by its sorted corners; `opposite` is the corner not on it. */
static inline void insert_side(table *t, uint64_t low, uint64_t middle, uint64_t high, uint64_t opposite, uint32_t odd,
                               uint32_t element) {
  const uint32_t slot = 4 * element + (uint32_t)opposite;
  insert_triangle(t, node_of(low), middle >> 32 << 32 | node_of(high), slot << 1 | odd);
}

/* The winding of a side follows the permutation of its element, and changes from one opposite corner to the next. */
static void insert_lower_sides(table *into, const ipg_id *tets, const uint32_t *binned, int64_t count) {
  table t = *into;
  for (int64_t i = 0; i < count; ++i) {
    __builtin_prefetch(tets + 4 * (int64_t)binned[i + AHEAD]);
    const sorted_corners o = sort_corners(tets + 4 * (int64_t)binned[i]);
    insert_side(&t, o.lowest, o.second, o.third, o.highest, o.odd ^ 1, binned[i]);
    insert_side(&t, o.lowest, o.second, o.highest, o.third, o.odd, binned[i]);
    insert_side(&t, o.lowest, o.third, o.highest, o.second, o.odd ^ 1, binned[i]);
  }
  *into = t;
}

static void insert_upper_sides(table *into, const ipg_id *tets, const uint32_t *binned, int64_t count) {
  table t = *into;
  for (int64_t i = 0; i < count; ++i) {
    __builtin_prefetch(tets + 4 * (int64_t)binned[i + AHEAD]);
    const sorted_corners o = sort_corners(tets + 4 * (int64_t)binned[i]);
    insert_side(&t, o.second, o.third, o.highest, o.lowest, o.odd, binned[i]);
  }
  *into = t;
}

/* ---------------------------------------------------------------------------------------------------------- checks */

/* True for two owners of which one has an odd code: they wind in opposite directions. */
static inline bool is_proper_pair(const triangle *t) {
  return (t->owners & ((0 - one_owner) | 1)) == (2 * one_owner | 1);
}

static void check_triangle(const matching *m, const triangle *own, faults *wrong) {
  const uint32_t first_owner = ~own->first, last_owner = (uint32_t)own->owners - first_owner; /* of one or two */
  const int64_t first = first_owner >> 1, last = last_owner >> 1;
  if (own->owners / one_owner == 1) {
    if (m->open) m->open[first] = 1;
    if (m->partners) m->partners[first] = -1;
  } else if (is_proper_pair(own) && ipg_middles_conform(m->mesh, first, last)) {
    if (m->partners) m->partners[first] = (ipg_id)last, m->partners[last] = (ipg_id)first;
  } else {
    record_fault(wrong, first);
  }
}

/* Checks all triangles, and empties the table for the next bin. */
static void check_triangles(const matching *m, const table *t, faults *wrong) {
  const bool pairs_matter = m->partners || m->mesh->quadratic_count;
  for (uint32_t i = 1; i <= t->count; ++i) {
    triangle *own = &t->triangles[i];
    if (pairs_matter || !is_proper_pair(own)) check_triangle(m, own, wrong);
    own->owners = own->first = 0;
  }
}

static void match_bin(const matching *m, int64_t bin, uint32_t *buckets, triangle *triangles) {
  table t = clear_table(buckets, triangles, bin_size(m, bin));
  faults wrong = {0, 0};
  const uint32_t *binned = m->binned.data;
  const int64_t begin = column_end(m, 2 * bin - 1), middle = column_end(m, 2 * bin), end = column_end(m, 2 * bin + 1);
  insert_lower_sides(&t, m->mesh->tets, binned + begin, middle - begin);
  insert_upper_sides(&t, m->mesh->tets, binned + middle, end - middle);
  check_triangles(m, &t, &wrong);
  ((faults *)m->faults.data)[bin] = wrong;
}

static int64_t bucket_room(int64_t bin_size) { return (int64_t)1 << bucket_bits(bin_size); }
static int64_t triangle_room(int64_t bin_size) { return 3 * bin_size + 1; }

static void match_usual_bins(void *arg, int64_t begin, int64_t end, int worker) {
  const matching *m = arg;
  uint32_t *buckets = (uint32_t *)m->buckets.data + worker * bucket_room(m->largest_usual_bin);
  triangle *triangles = (triangle *)m->triangles.data + worker * triangle_room(m->largest_usual_bin);
  for (int64_t bin = begin; bin < end; ++bin)
    if (bin_size(m, bin) <= m->largest_usual_bin) match_bin(m, bin, buckets, triangles);
}

static void measure_bins(matching *m) {
  for (int64_t bin = 0; bin < m->bins; ++bin) {
    const int64_t size = bin_size(m, bin);
    if (size > m->largest_bin) m->largest_bin = size;
    if (size > m->largest_usual_bin && size <= m->bin_limit) m->largest_usual_bin = size;
  }
}

static int64_t max_int64(int64_t a, int64_t b) { return a > b ? a : b; }

static ipg_status reserve_tables(matching *m) {
  const int64_t workers = m->tasks.worker_count;
  const int64_t buckets = max_int64(workers * bucket_room(m->largest_usual_bin), bucket_room(m->largest_bin));
  const int64_t triangles = max_int64(workers * triangle_room(m->largest_usual_bin), triangle_room(m->largest_bin));
  ipg_status status = ipg_buffer_reserve(&m->buckets, &m->allocator, buckets, sizeof(uint32_t), m->error);
  if (!status) status = ipg_buffer_reserve(&m->triangles, &m->allocator, triangles, sizeof(triangle), m->error);
  if (!status) memset(m->triangles.data, 0, (size_t)triangles * sizeof(triangle));
  return status;
}

/* ----------------------------------------------------------------------------------------------------------- driver */

ipg_status ipg_match_faces_check_counts(const ipg_mesh *mesh, ipg_error *error) {
  if (mesh->element_count <= IPG_ID_MAX / 4 && mesh->node_count <= IPG_ID_MAX) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_TOO_MANY,
                  "%lld elements and %lld nodes: a skin can be built of at most %lld and %lld: make the mesh coarser",
                  (long long)mesh->element_count, (long long)mesh->node_count, (long long)(IPG_ID_MAX / 4),
                  (long long)IPG_ID_MAX);
}

static ipg_status fill_bins(matching *m) {
  choose_bins(m);
  const ipg_status status = reserve_bins(m);
  if (status) return status;
  ipg_tasks_for(&m->tasks, count_bin_entries, m, 0, m->mesh->element_count, m->grain);
  const faults wrong = sum_faults(m, m->chunks);
  if (wrong.count) return ipg_report_bad_element(m->mesh, wrong.first / 4, wrong.count, m->error);
  sum_offsets(m);
  memset((uint32_t *)m->binned.data + 2 * m->mesh->element_count, 0, AHEAD * sizeof(uint32_t));
  ipg_tasks_for(&m->tasks, bin_elements, m, 0, m->mesh->element_count, m->grain);
  return IPG_OK;
}

static ipg_status match_bins(matching *m) {
  measure_bins(m);
  const ipg_status status = reserve_tables(m);
  if (status) return status;
  ipg_tasks_for(&m->tasks, match_usual_bins, m, 0, m->bins, BIN_GRAIN);
  for (int64_t bin = 0; bin < m->bins; ++bin)
    if (bin_size(m, bin) > m->largest_usual_bin) match_bin(m, bin, m->buckets.data, m->triangles.data);
  const faults wrong = sum_faults(m, m->bins);
  return wrong.count ? ipg_report_nonconforming_face(m->mesh, wrong.first, wrong.count, m->error) : IPG_OK;
}

ipg_status ipg_match_faces(const ipg_mesh *mesh, const ipg_allocator *allocator, const ipg_tasks *tasks, uint8_t *open,
                           ipg_id *partners, ipg_error *error) {
  matching m = {
      .mesh = mesh, .open = open, .partners = partners, .allocator = *allocator, .tasks = *tasks, .error = error};
  ipg_status status = ipg_match_faces_check_counts(mesh, error);
  if (!status && mesh->element_count) status = fill_bins(&m);
  if (!status && mesh->element_count) status = match_bins(&m);
  ipg_buffer *const buffers[] = {&m.offsets, &m.binned, &m.faults, &m.buckets, &m.triangles};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) ipg_buffer_destroy(buffers[i], allocator);
  return status;
}
