/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The basis of all parts: version, status, buffers, tasks, prefix sum and sort.
 * Tasks are tested against their contract: each index once, chunk borders from size and grain alone, no worker in two
 * calls at once. The sort is tested against qsort with the index as the second key, which is the meaning of "stable".
 */
#include "impinge/base.h"
#include "support/failing_allocator.h"
#include "support/simd.h"
#include "support/suite.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------------------------- version */

static void test_version(void) {
  char parts[64];
  snprintf(parts, sizeof parts, "%d.%d.%d", IPG_VERSION_MAJOR, IPG_VERSION_MINOR, IPG_VERSION_PATCH);
  CU_ASSERT_STRING_EQUAL(IPG_VERSION, parts);
  CU_ASSERT_STRING_EQUAL(IPG_VERSION, IMPINGE_PROJECT_VERSION);
}

/* -------------------------------------------------------------------------------------------------------- status */

static void test_status_names(void) {
  static const ipg_status all[] = {
      IPG_OK,         IPG_ERROR_ARGUMENT, IPG_ERROR_NUMBER,      IPG_ERROR_MEMORY, IPG_ERROR_TOO_MANY,
      IPG_ERROR_FILE, IPG_ERROR_FORMAT,   IPG_ERROR_UNSUPPORTED, IPG_ERROR_SYSTEM, IPG_ERROR_BROKEN};
  enum { COUNT = sizeof all / sizeof *all };
  for (int i = 0; i < COUNT; ++i) {
    CU_ASSERT_STRING_NOT_EQUAL(ipg_status_name(all[i]), "unknown");
    for (int j = 0; j < i; ++j) CU_ASSERT_STRING_NOT_EQUAL(ipg_status_name(all[i]), ipg_status_name(all[j]));
  }
  CU_ASSERT_STRING_EQUAL(ipg_status_name(IPG_OK), "ok");
  CU_ASSERT_STRING_EQUAL(ipg_status_name(IPG_ERROR_MEMORY), "memory");
  CU_ASSERT_STRING_EQUAL(ipg_status_name((ipg_status)77), "unknown");
}

static void test_error_message(void) {
  struct {
    ipg_error error;
    char guard[16];
  } box;
  memset(&box, 'g', sizeof box);
  CU_ASSERT_EQUAL(ipg_fail(&box.error, IPG_ERROR_FILE, "block %d of %s", 7, "mesh"), IPG_ERROR_FILE);
  CU_ASSERT_EQUAL(box.error.status, IPG_ERROR_FILE);
  CU_ASSERT_STRING_EQUAL(box.error.message, "block 7 of mesh");
  CU_ASSERT_EQUAL(ipg_fail(NULL, IPG_ERROR_FORMAT, "nothing stores %s", "this"), IPG_ERROR_FORMAT);
  char words[2000];
  memset(words, 'w', sizeof words);
  words[sizeof words - 1] = 0;
  ipg_fail(&box.error, IPG_ERROR_BROKEN, "%s", words);
  CU_ASSERT_EQUAL(strlen(box.error.message), sizeof box.error.message - 1);
  for (size_t i = 0; i < sizeof box.guard; ++i) CU_ASSERT_EQUAL(box.guard[i], 'g');
  ipg_fail(&box.error, IPG_ERROR_FORMAT, "no block '%s'", "a\nb\tc\x1b[31m\x7f\xc3\xa4");
  CU_ASSERT_STRING_EQUAL(box.error.message, "no block 'a\\nb\\tc\\x1b[31m\\x7f\xc3\xa4'");
  memset(words, '\a', sizeof words - 1);
  ipg_fail(&box.error, IPG_ERROR_FORMAT, "%s", words);
  CU_ASSERT_EQUAL(strlen(box.error.message), (sizeof box.error.message - 1) / 4 * 4);
  for (size_t i = 0; i < sizeof box.guard; ++i) CU_ASSERT_EQUAL(box.guard[i], 'g');
  ipg_fail(&box.error, IPG_ERROR_FORMAT, "no block");
  ipg_fail(&box.error, IPG_ERROR_FORMAT, "mesh.exo: %s", box.error.message);
  CU_ASSERT_STRING_EQUAL(box.error.message, "mesh.exo: no block");
}

/* ------------------------------------------------------------------------------------------------------- buffers */

static void test_malloc_allocator(void) {
  const ipg_allocator allocator = ipg_allocator_malloc();
  char *memory = allocator.allocate(allocator.context, 100);
  CU_ASSERT_PTR_NOT_NULL_FATAL(memory);
  memset(memory, 1, 100);
  allocator.release(allocator.context, memory, 100);
}

static void test_buffer_high_water_mark(void) {
  failing_allocator watch = {0};
  const ipg_allocator allocator = failing_allocator_of(&watch);
  ipg_buffer buffer = {0};
  CU_ASSERT_EQUAL(ipg_buffer_reserve(&buffer, &allocator, 0, 8, NULL), IPG_OK);
  CU_ASSERT_EQUAL(watch.allocations, 0);
  CU_ASSERT_EQUAL(ipg_buffer_reserve(&buffer, &allocator, 100, 8, NULL), IPG_OK);
  CU_ASSERT_EQUAL(buffer.bytes, 800);
  const void *data = buffer.data;
  for (int64_t count = 100; count >= 0; --count)
    CU_ASSERT_EQUAL(ipg_buffer_reserve(&buffer, &allocator, count, 8, NULL), IPG_OK);
  CU_ASSERT_EQUAL(ipg_buffer_grow(&buffer, &allocator, 50, 100, 8, NULL), IPG_OK);
  CU_ASSERT_EQUAL(watch.allocations, 1);
  CU_ASSERT_PTR_EQUAL(buffer.data, data);
  CU_ASSERT_EQUAL(ipg_buffer_reserve(&buffer, &allocator, 101, 8, NULL), IPG_OK);
  CU_ASSERT_EQUAL(watch.allocations, 2);
  CU_ASSERT_EQUAL(watch.live_blocks, 1);
  ipg_buffer_destroy(&buffer, &allocator);
  ipg_buffer_destroy(&buffer, &allocator);
  CU_ASSERT_PTR_NULL(buffer.data);
  CU_ASSERT_EQUAL(watch.live_bytes, 0);
  CU_ASSERT_EQUAL(watch.wrong_releases, 0);
}

/* Sizes that vary a little from step to step: half more than is asked for, when it grows. */
static void test_buffer_reserves_ahead(void) {
  failing_allocator watch = {0};
  const ipg_allocator allocator = failing_allocator_of(&watch);
  ipg_buffer buffer = {0};
  for (int64_t count = 100; count <= 150; count += 10)
    CU_ASSERT_EQUAL(ipg_buffer_reserve_ahead(&buffer, &allocator, count, 8, NULL), IPG_OK);
  CU_ASSERT(watch.allocations == 1 && buffer.bytes == 150 * 8);
  ipg_buffer_destroy(&buffer, &allocator);
}

/* Appending one by one: the content stays, and doubling keeps the number of allocations logarithmic. */
static void test_buffer_grows_by_appending(void) {
  enum { COUNT = 100000 };
  failing_allocator watch = {0};
  const ipg_allocator allocator = failing_allocator_of(&watch);
  ipg_buffer buffer = {0};
  int64_t wrong = 0;
  for (int64_t i = 0; i < COUNT; ++i) {
    wrong += ipg_buffer_grow(&buffer, &allocator, i, i + 1, sizeof(int64_t), NULL) != IPG_OK;
    ((int64_t *)buffer.data)[i] = i * i;
  }
  for (int64_t i = 0; i < COUNT; ++i) wrong += ((const int64_t *)buffer.data)[i] != i * i;
  CU_ASSERT_EQUAL(wrong, 0);
  CU_ASSERT(watch.allocations <= 18);
  ipg_buffer_destroy(&buffer, &allocator);
  CU_ASSERT_EQUAL(watch.live_bytes, 0);
  CU_ASSERT_EQUAL(watch.wrong_releases, 0);
}

static void test_buffer_without_memory(void) {
  failing_allocator watch = {.fail_at = 2};
  const ipg_allocator allocator = failing_allocator_of(&watch);
  ipg_buffer buffer = {0};
  ipg_error error = {0};
  CU_ASSERT_EQUAL(ipg_buffer_reserve(&buffer, &allocator, 4, 1, &error), IPG_OK);
  memcpy(buffer.data, "abc", 4);
  const ipg_buffer before = buffer;
  CU_ASSERT_EQUAL(ipg_buffer_grow(&buffer, &allocator, 4, 5, 1, &error), IPG_ERROR_MEMORY);
  CU_ASSERT_EQUAL(error.status, IPG_ERROR_MEMORY);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "memory"));
  CU_ASSERT_EQUAL(ipg_buffer_reserve(&buffer, &allocator, INT64_MAX, 8, &error), IPG_ERROR_MEMORY);
  CU_ASSERT_EQUAL(ipg_buffer_reserve(&buffer, &allocator, -1, 8, &error), IPG_ERROR_MEMORY);
  CU_ASSERT(buffer.data == before.data && buffer.bytes == before.bytes);
  CU_ASSERT_STRING_EQUAL(buffer.data, "abc");
  CU_ASSERT_EQUAL(ipg_buffer_grow(&buffer, &allocator, 4, 5, 1, &error), IPG_OK);
  CU_ASSERT_STRING_EQUAL(buffer.data, "abc");
  ipg_buffer_destroy(&buffer, &allocator);
  CU_ASSERT_EQUAL(watch.live_bytes, 0);
}

/* --------------------------------------------------------------------------------------------------------- tasks */

enum { MOST_WORKERS = 4, MOST_ITEMS = 3000 };

/* The calls of one range. */
typedef struct call_record {
  int64_t first, last, grain;
  int worker_count;
  _Atomic int calls[MOST_ITEMS]; /* per item */
  _Atomic int *busy;             /* per worker */
  _Atomic int64_t chunks, wrong;
} call_record;

/* Some arithmetic, so that chunks overlap in time. */
static void spend_time(int64_t turns) {
  volatile double x = 1;
  for (int64_t i = 0; i < turns; ++i) x = x * 0.5 + 1;
}

static void record_call(void *arg, int64_t begin, int64_t end, int worker) {
  call_record *l = arg;
  const bool known = worker >= 0 && worker < l->worker_count;
  if (!known || atomic_exchange(&l->busy[worker], 1)) l->wrong++;
  if ((begin - l->first) % l->grain || begin < l->first || begin >= end) l->wrong++;
  if (end != (l->last - begin < l->grain ? l->last : begin + l->grain)) l->wrong++;
  for (int64_t i = begin; i < end; ++i) l->calls[i - l->first]++;
  spend_time(200);
  l->chunks++;
  if (known) atomic_store(&l->busy[worker], 0);
}

static void init_record(call_record *l, int64_t first, int64_t last, int64_t grain, const ipg_tasks *tasks,
                        _Atomic int *busy) {
  memset(l, 0, sizeof *l);
  l->first = first, l->last = last, l->grain = grain;
  l->worker_count = tasks->worker_count, l->busy = busy;
}

static void check_record(const call_record *l) {
  const int64_t items = l->last > l->first ? l->last - l->first : 0;
  int64_t wrong = l->wrong;
  for (int64_t i = 0; i < MOST_ITEMS; ++i) wrong += l->calls[i] != (i < items);
  CU_ASSERT_EQUAL(wrong, 0);
  CU_ASSERT_EQUAL(l->chunks, ipg_chunk_count(items, l->grain));
}

static void check_ranges(const ipg_tasks *tasks) {
  static const int64_t ranges[][3] = {
      {0, 0, 1},       {0, 1, 1},      {0, 1, 100},  {5, 5, 3},   {7, 3, 2},   {0, 7, 3},    {0, 9, 3},
      {100, 1333, 10}, {-500, 499, 7}, {0, 2000, 1}, {0, 64, 64}, {0, 65, 64}, {0, 3000, 1}, {0, 10, INT64_MAX / 2}};
  static call_record l;
  _Atomic int busy[MOST_WORKERS] = {0};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; ++i) {
    init_record(&l, ranges[i][0], ranges[i][1], ranges[i][2], tasks, busy);
    ipg_tasks_for(tasks, record_call, &l, l.first, l.last, l.grain);
    check_record(&l);
  }
}

/* Many ranges at once, more than any pool has slots; empty ones among them; finished in either order. */
static void check_many_at_once(const ipg_tasks *tasks, bool backwards) {
  enum { RANGES = 50 };
  static call_record records[RANGES];
  _Atomic int busy[MOST_WORKERS] = {0};
  void *handles[RANGES];
  for (int i = 0; i < RANGES; ++i) {
    init_record(&records[i], i, i + 11 * (i % 5), 1 + i % 7, tasks, busy);
    handles[i] =
        tasks->enqueue(tasks->context, record_call, &records[i], records[i].first, records[i].last, records[i].grain);
  }
  for (int i = 0; i < RANGES; ++i) tasks->finish(tasks->context, handles[backwards ? RANGES - 1 - i : i]);
  for (int i = 0; i < RANGES; ++i) check_record(&records[i]);
}

static void check_tasks(const ipg_tasks *tasks) {
  check_ranges(tasks);
  for (int i = 0; i < 20; ++i) check_many_at_once(tasks, i % 2);
}

static void test_serial_tasks(void) {
  const ipg_tasks tasks = ipg_tasks_serial();
  CU_ASSERT_EQUAL(tasks.worker_count, 1);
  check_tasks(&tasks);
}

static void test_pool_tasks(void) {
  static const int counts[] = {1, 2, 4};
  for (int i = 0; i < 3; ++i) {
    ipg_pool *pool = NULL;
    ipg_error error;
    CU_ASSERT_EQUAL_FATAL(ipg_pool_create(counts[i], &pool, &error), IPG_OK);
    const ipg_tasks tasks = ipg_pool_tasks(pool);
    CU_ASSERT_EQUAL(tasks.worker_count, counts[i]);
    check_tasks(&tasks);
    ipg_pool_destroy(&pool);
    CU_ASSERT_PTR_NULL(pool);
  }
}

/* A pool that never gets work, and one that is destroyed right after its last chunk. */
static void test_pool_lifetimes(void) {
  ipg_pool *pool = NULL;
  ipg_pool_destroy(&pool);
  for (int i = 0; i < 50; ++i) {
    CU_ASSERT_EQUAL_FATAL(ipg_pool_create(3, &pool, NULL), IPG_OK);
    if (i % 2) {
      const ipg_tasks tasks = ipg_pool_tasks(pool);
      check_many_at_once(&tasks, false);
    }
    ipg_pool_destroy(&pool);
  }
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static void check_refused_threads(void) {} /* sanitizers need address space themselves */
#else
/* A child process with hardly any address space: the system refuses threads, and the pool reports that. */
static int try_too_many_threads(void) {
  const struct rlimit limit = {256u << 20, 256u << 20};
  if (setrlimit(RLIMIT_AS, &limit)) return 2;
  ipg_pool *pool = NULL;
  ipg_error error = {0};
  const ipg_status status = ipg_pool_create(4096, &pool, &error);
  return status == IPG_ERROR_SYSTEM && error.status == status && strstr(error.message, "4096") && !pool ? 0 : 1;
}

static void check_refused_threads(void) {
  const pid_t child = fork();
  if (child == 0) _exit(try_too_many_threads());
  int result = -1;
  CU_ASSERT_EQUAL(waitpid(child, &result, 0), child);
  CU_ASSERT(WIFEXITED(result) && WEXITSTATUS(result) == 0);
}
#endif

static void test_pool_errors(void) {
  static const int counts[] = {0, -1, 4097, INT32_MIN, INT32_MAX};
  for (int i = 0; i < 5; ++i) {
    ipg_pool *pool = NULL;
    ipg_error error = {0};
    char number[16];
    snprintf(number, sizeof number, "%d", counts[i]);
    CU_ASSERT_EQUAL(ipg_pool_create(counts[i], &pool, &error), IPG_ERROR_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, number));
    CU_ASSERT_PTR_NULL(pool);
  }
  check_refused_threads();
}

/* --------------------------------------------------------------------------------------------------- prefix sum */

static void test_prefix_sum(void) {
  int64_t values[] = {3, 0, -1, INT64_C(5000000000), 7};
  const int64_t sums[] = {0, 3, 3, 2, INT64_C(5000000002)};
  CU_ASSERT_EQUAL(ipg_prefix_sum(values, 5), INT64_C(5000000009));
  CU_ASSERT(!memcmp(values, sums, sizeof sums));
  CU_ASSERT_EQUAL(ipg_prefix_sum(values, 0), 0);
  CU_ASSERT_EQUAL(ipg_prefix_sum(NULL, 0), 0);
}

/* --------------------------------------------------------------------------------------------------------- sort */

typedef struct entry {
  uint64_t key;
  ipg_id index;
} entry;

static int by_key_then_index(const void *a_, const void *b_) {
  const entry *a = a_, *b = b_;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return (a->index > b->index) - (a->index < b->index);
}

static uint64_t make_key(rng *r, const char *kind, int64_t i, int64_t count) {
  switch (kind[0]) {
  case 'e': return 0xfedcba9876543210u;                              /* equal */
  case 's': return (uint64_t)i * 0x100000001u;                       /* sorted */
  case 'r': return (uint64_t)(count - i) << 20;                      /* reversed */
  case 'f': return (uint64_t)rng_int(r, 0, 3) * 0x4000000000000001u; /* few */
  case 'b': return (rng_next(r) & 0xff00) | 0x8000000000000000u;     /* one byte */
  default: return rng_next(r);                                       /* anything */
  }
}

enum { MOST_KEYS = 200000 };
static uint64_t keys[MOST_KEYS], sorted_keys[MOST_KEYS];
static ipg_id payload[MOST_KEYS];
static entry entries[MOST_KEYS];

/* The same keys, sorted by every kind of tasks, with and without payload. */
static void check_sort(ipg_sorter *sorter, const ipg_allocator *allocator, const ipg_tasks *tasks, int64_t count,
                       bool with_payload) {
  for (int64_t i = 0; i < count; ++i) sorted_keys[i] = keys[i], payload[i] = (ipg_id)i;
  CU_ASSERT_EQUAL(ipg_sort_u64(sorter, sorted_keys, with_payload ? payload : NULL, count, allocator, tasks, NULL),
                  IPG_OK);
  int64_t wrong = 0;
  for (int64_t i = 0; i < count; ++i) {
    wrong += sorted_keys[i] != entries[i].key;
    wrong += payload[i] != (with_payload ? entries[i].index : (ipg_id)i);
  }
  CU_ASSERT_EQUAL(wrong, 0);
}

static void test_sort_against_qsort(void) {
  static const char *const kinds[] = {"anything", "equal", "sorted", "reversed", "few", "byte"};
  static const int64_t counts[] = {0, 1, 2, 255, 256, 40000, MOST_KEYS};
  rng r = rng_start(1);
  failing_allocator watch = {0};
  const ipg_allocator allocator = failing_allocator_of(&watch);
  ipg_pool *pools[2] = {0};
  CU_ASSERT_EQUAL_FATAL(ipg_pool_create(2, &pools[0], NULL), IPG_OK);
  CU_ASSERT_EQUAL_FATAL(ipg_pool_create(4, &pools[1], NULL), IPG_OK);
  const ipg_tasks tasks[] = {ipg_tasks_serial(), ipg_pool_tasks(pools[0]), ipg_pool_tasks(pools[1])};
  ipg_sorter sorter = {0};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
      for (int64_t i = 0; i < counts[c]; ++i)
        entries[i] = (entry){keys[i] = make_key(&r, kinds[k], i, counts[c]), (ipg_id)i};
      qsort(entries, (size_t)counts[c], sizeof *entries, by_key_then_index);
      for (int t = 0; t < 6; ++t) check_sort(&sorter, &allocator, &tasks[t / 2], counts[c], t % 2);
    }
  ipg_sorter_destroy(&sorter, &allocator);
  for (int i = 0; i < 2; ++i) ipg_pool_destroy(&pools[i]);
  CU_ASSERT_EQUAL(watch.live_bytes, 0);
  CU_ASSERT_EQUAL(watch.wrong_releases, 0);
}

/* A sorter reuses its scratch memory; a failed sort leaves keys and payload as they were. */
static void test_sort_memory(void) {
  enum { COUNT = 1000 };
  const ipg_tasks tasks = ipg_tasks_serial();
  rng r = rng_start(2);
  for (int64_t i = 0; i < COUNT; ++i) entries[i] = (entry){keys[i] = rng_next(&r), (ipg_id)i};
  qsort(entries, COUNT, sizeof *entries, by_key_then_index);
  for (int64_t n = 1;; ++n) {
    failing_allocator watch = {.fail_at = n};
    const ipg_allocator allocator = failing_allocator_of(&watch);
    ipg_sorter sorter = {0};
    ipg_error error = {0};
    for (int64_t i = 0; i < COUNT; ++i) sorted_keys[i] = keys[i], payload[i] = (ipg_id)i;
    const ipg_status status = ipg_sort_u64(&sorter, sorted_keys, payload, COUNT, &allocator, &tasks, &error);
    CU_ASSERT_EQUAL(status, watch.refusals ? IPG_ERROR_MEMORY : IPG_OK);
    if (status) {
      CU_ASSERT_EQUAL(error.status, IPG_ERROR_MEMORY);
      CU_ASSERT(!memcmp(sorted_keys, keys, COUNT * sizeof *keys) && payload[COUNT - 1] == COUNT - 1);
    }
    check_sort(&sorter, &allocator, &tasks, COUNT, true);
    const int64_t allocations = watch.allocations;
    check_sort(&sorter, &allocator, &tasks, COUNT, true);
    check_sort(&sorter, &allocator, &tasks, COUNT / 2 * 2, false);
    CU_ASSERT_EQUAL(watch.allocations, allocations);
    ipg_sorter_destroy(&sorter, &allocator);
    CU_ASSERT_EQUAL(watch.live_bytes, 0);
    if (!watch.refusals) break;
  }
}

/* No result shows which loops ran: the suites that compare their bits rely on this. */
static void test_simd(void) {
  ipg_simd simd = IPG_SIMD_AVX2;
  ipg_error error = {0};
  setenv("IMPINGE_SIMD", "scalar", 1);
  CU_ASSERT(!ipg_simd_choose(&simd, NULL) && simd == IPG_SIMD_SCALAR);
  setenv("IMPINGE_SIMD", "avx2", 1);
  const bool has_avx2 = !ipg_simd_choose(&simd, &error);
  CU_ASSERT(has_avx2 ? simd == IPG_SIMD_AVX2 : strstr(error.message, "IMPINGE_SIMD is avx2, which") != NULL);
  setenv("IMPINGE_SIMD", "", 1);
  CU_ASSERT(!ipg_simd_choose(&simd, NULL) && (simd == IPG_SIMD_AVX2) == has_avx2);
  unsetenv("IMPINGE_SIMD");
  simd = IPG_SIMD_SCALAR;
  CU_ASSERT(!ipg_simd_choose(&simd, NULL) && (simd == IPG_SIMD_AVX2) == has_avx2);
  if (!has_avx2) printf("\n    SKIPPED: AVX2: this build or processor does not have it");
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {{"version", test_version},
                         {"status names", test_status_names},
                         {"error messages never overflow", test_error_message},
                         {"malloc as allocator", test_malloc_allocator},
                         {"buffers: high-water mark", test_buffer_high_water_mark},
                         {"buffers: ahead", test_buffer_reserves_ahead},
                         {"buffers: appending keeps the content", test_buffer_grows_by_appending},
                         {"buffers: no memory", test_buffer_without_memory},
                         {"tasks: serial", test_serial_tasks},
                         {"tasks: pools of 1, 2 and 4", test_pool_tasks},
                         {"pools: created and destroyed", test_pool_lifetimes},
                         {"pool errors", test_pool_errors},
                         {"prefix sum", test_prefix_sum},
                         {"sort against qsort", test_sort_against_qsort},
                         {"sort: memory", test_sort_memory},
                         {"vector instructions", test_simd},
                         CU_TEST_INFO_NULL};
  return suite_main(argc, argv, "base", tests);
}
