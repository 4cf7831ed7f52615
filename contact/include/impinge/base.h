/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What every room of Impinge stands on: ids, status, memory, tasks, scan and sort.
 *
 * Nothing here prints, keeps global state or needs more than C17, libm and (for the pool) POSIX threads.
 * Life of an object, everywhere in Impinge:
 *
 *     ipg_x_config config = ipg_x_defaults();
 *     ipg_x *x = NULL;
 *     if (ipg_x_create(&config, &x, &error)) ...error.message says what to change...
 *     ipg_x_destroy(&x);      // takes NULL too, and sets the pointer to NULL
 */
#ifndef IMPINGE_BASE_H
#define IMPINGE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define IPG_API __attribute__((visibility("default")))
#define IPG_PRINTF(at, first) __attribute__((format(__printf__, at, first)))
#else
#define IPG_API
#define IPG_PRINTF(at, first)
#endif

/* ------------------------------------------------------------------------------------------------ ids and counts */

typedef int32_t ipg_id;  /* an index into this process's arrays; -1 is "none" */
typedef int64_t ipg_gid; /* a number that names a node or an element for ever, on every rank and in files */

#define IPG_ID_MAX INT32_MAX /* most items one array may hold, less one */

/* -------------------------------------------------------------------------------------------------------- status */

/* Positive: nothing was changed, mend the input and call again. Negative: the object is fit for destroy only. */
typedef enum ipg_status {
  IPG_OK = 0,
  IPG_ERROR_ARGUMENT = 1,    /* a null, a count or an option that cannot be meant */
  IPG_ERROR_NUMBER = 2,      /* not a number, infinite, or out of its range */
  IPG_ERROR_MEMORY = 3,      /* the allocator said no */
  IPG_ERROR_TOO_MANY = 4,    /* more items than 32-bit ids can name */
  IPG_ERROR_FILE = 5,        /* a file cannot be opened, read or written */
  IPG_ERROR_FORMAT = 6,      /* a file's content is not what it should be */
  IPG_ERROR_UNSUPPORTED = 7, /* right, but not something this build or version does */
  IPG_ERROR_SYSTEM = 8,      /* the operating system refused (threads) */
  IPG_ERROR_BROKEN = -1      /* an inner promise failed: a bug; destroy the object and report it */
} ipg_status;

/* One sentence for the user. Caller-owned; every function that can fail takes one, and NULL where nobody listens. */
typedef struct ipg_error {
  ipg_status status;
  char message[504];
} ipg_error;

/* Fills `error` (if any) and returns `status`, so that a failure is one line: return ipg_fail(error, ..., "..."); */
IPG_API ipg_status ipg_fail(ipg_error *error, ipg_status status, const char *format, ...) IPG_PRINTF(3, 4);
/* The short name of a status, such as "memory". */
IPG_API const char *ipg_status_name(ipg_status status);

/* -------------------------------------------------------------------------------------------------------- memory */

/* allocate returns NULL when there is no memory; release gets the size that was asked for. Must be callable from the
 * thread that calls Impinge; Impinge never allocates inside a task. */
typedef struct ipg_allocator {
  void *(*allocate)(void *context, size_t bytes);
  void (*release)(void *context, void *memory, size_t bytes);
  void *context;
} ipg_allocator;

IPG_API ipg_allocator ipg_allocator_malloc(void);

/* Memory that only grows: an object reuses it from step to step, so that nothing is allocated below the high-water
 * mark. Zero-initialise; free with ipg_buffer_destroy. */
typedef struct ipg_buffer {
  void *data;
  size_t bytes;
} ipg_buffer;

/* Room for at least count items; the content is lost when it grows. Fails with IPG_ERROR_MEMORY, then unchanged. */
IPG_API ipg_status ipg_buffer_reserve(ipg_buffer *buffer, const ipg_allocator *allocator, int64_t count,
                                      size_t item_bytes, ipg_error *error);
/* As reserve, but where it grows, by half more than asked: for what is a little more or less in every step. */
IPG_API ipg_status ipg_buffer_reserve_ahead(ipg_buffer *buffer, const ipg_allocator *allocator, int64_t count,
                                            size_t item_bytes, ipg_error *error);
/* As reserve, but the first `keep` items survive, and the size at least doubles: for arrays that grow by appending. */
IPG_API ipg_status ipg_buffer_grow(ipg_buffer *buffer, const ipg_allocator *allocator, int64_t keep, int64_t count,
                                   size_t item_bytes, ipg_error *error);
IPG_API void ipg_buffer_destroy(ipg_buffer *buffer, const ipg_allocator *allocator);

/* --------------------------------------------------------------------------------------------------------- tasks */

/* Work on [begin, end). The range is cut into chunks of `grain` items whose borders depend on nothing but begin, end
 * and grain; every call gets exactly one chunk, so `(begin - first) / grain` names it. `worker` is below
 * worker_count and is never used by two calls at once: scratch is per worker, results are per chunk. */
typedef void ipg_task(void *arg, int64_t begin, int64_t end, int worker);

/* A host brings its own threads by filling this in. enqueue may run the work before it returns; finish waits for one
 * enqueue. Both are called from the thread that calls Impinge, never from within a task. */
typedef struct ipg_tasks {
  int worker_count;
  void *(*enqueue)(void *context, ipg_task *task, void *arg, int64_t begin, int64_t end, int64_t grain);
  void (*finish)(void *context, void *handle);
  void *context;
} ipg_tasks;

/* The default: everything in the calling thread, in order. */
IPG_API ipg_tasks ipg_tasks_serial(void);
/* enqueue and finish in one. */
IPG_API void ipg_tasks_for(const ipg_tasks *tasks, ipg_task *task, void *arg, int64_t begin, int64_t end,
                           int64_t grain);
/* Number of chunks in a range. */
static inline int64_t ipg_chunk_count(int64_t items, int64_t grain) { return (items + grain - 1) / grain; }

/* A pool of POSIX threads for hosts that have none. The calling thread is worker 0 and works too. */
typedef struct ipg_pool ipg_pool;
IPG_API ipg_status ipg_pool_create(int worker_count, ipg_pool **pool, ipg_error *error);
IPG_API ipg_tasks ipg_pool_tasks(ipg_pool *pool);
IPG_API void ipg_pool_destroy(ipg_pool **pool);

/* ------------------------------------------------------------------------------------------------- scan and sort */

/* values[i] becomes the sum of all values before it; returns the sum of all. */
IPG_API int64_t ipg_prefix_sum(int64_t *values, int64_t count);

/* Scratch of a sort; zero-initialise once, reuse, free once. */
typedef struct ipg_sorter {
  ipg_buffer keys, payload, histograms;
} ipg_sorter;

/* Stable ascending radix sort of keys, carrying payload along (payload may be NULL). The order does not depend on
 * tasks. Byte positions on which all keys agree cost one read. */
IPG_API ipg_status ipg_sort_u64(ipg_sorter *sorter, uint64_t *keys, ipg_id *payload, int64_t count,
                                const ipg_allocator *allocator, const ipg_tasks *tasks, ipg_error *error);
IPG_API void ipg_sorter_destroy(ipg_sorter *sorter, const ipg_allocator *allocator);

#ifdef __cplusplus
}
#endif
#endif
