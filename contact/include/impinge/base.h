/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The basis of all parts of Impinge: version, ids, status, memory, tasks, prefix sum and sort.
 *
 * Nothing here prints, has global state or needs more than C17, libm and (for the pool) POSIX threads.
 * Every object of Impinge is created and destroyed like this:
 *
 *     ipg_x_config config = ipg_x_defaults();
 *     ipg_x *x = NULL;
 *     ipg_error error = {0};
 *     if (ipg_x_create(&config, &x, &error)) ...error.message states what to change...
 *     ipg_x_destroy(&x);      // accepts NULL, and sets the pointer to NULL
 *
 * Threads: two objects may be used from two threads at once, even with the tasks of one pool. Of one object, calls that
 * take it as const may run at the same time; any other call runs alone.
 *
 * Names of constants: the values of an enum ipg_<thing>_kind are IPG_<THING>_..., those of any other enum
 * ipg_..._<thing> are IPG_<THING>_...; a number of values ends in _COUNT; of ipg_status success is IPG_OK and failures
 * are IPG_ERROR_.... */
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

/* ------------------------------------------------------------------------------------------------------- version */

#define IPG_VERSION_MAJOR 0
#define IPG_VERSION_MINOR 1
#define IPG_VERSION_PATCH 0
#define IPG_VERSION "0.1.0"

/* ------------------------------------------------------------------------------------------------ ids and counts */

typedef int32_t ipg_id;  /* an index into this process's arrays; -1 is "none" */
typedef int64_t ipg_gid; /* the permanent number of a node or an element, the same on every rank and in files */

#define IPG_ID_MAX INT32_MAX /* an array may hold fewer items than that */

/* -------------------------------------------------------------------------------------------------------- status */

/* Positive: nothing was changed, correct the input and call again. Negative: the object can only be destroyed. */
typedef enum ipg_status {
  IPG_OK = 0,
  IPG_ERROR_ARGUMENT = 1,    /* a NULL, a count or an option that is invalid */
  IPG_ERROR_NUMBER = 2,      /* not a number, infinite, or out of its range */
  IPG_ERROR_MEMORY = 3,      /* the allocator returned NULL */
  IPG_ERROR_TOO_MANY = 4,    /* more items than 32-bit ids can name */
  IPG_ERROR_FILE = 5,        /* a file cannot be opened, read or written */
  IPG_ERROR_FORMAT = 6,      /* the content of a file is invalid */
  IPG_ERROR_UNSUPPORTED = 7, /* valid, but not supported by this build or version */
  IPG_ERROR_SYSTEM = 8,      /* the operating system refused (threads) */
  IPG_ERROR_BROKEN = -1      /* an internal invariant failed: a bug; destroy the object and report it */
} ipg_status;

/* A status and one sentence for the user. Owned by the caller; every function that can fail takes one, or NULL. The
 * message comes first so that `ipg_error error = {0};` is valid in C and in C++. */
typedef struct ipg_error {
  char message[504];
  ipg_status status;
} ipg_error;

/* Fills `error` (if not NULL) and returns `status`, so that a failure is one line: return ipg_fail(error, ..., "...");
 * The message is one line of text: control characters in it become \n, \t or \xNN. */
IPG_API ipg_status ipg_fail(ipg_error *error, ipg_status status, const char *format, ...) IPG_PRINTF(3, 4);
/* The short name of a status, such as "memory". */
IPG_API const char *ipg_status_name(ipg_status status);

/* -------------------------------------------------------------------------------------------------------- memory */

/* allocate returns NULL when there is no memory; release gets the size that was requested. Called from the thread that
 * calls Impinge, never inside a task. */
typedef struct ipg_allocator {
  void *(*allocate)(void *context, size_t bytes);
  void (*release)(void *context, void *memory, size_t bytes);
  void *context;
} ipg_allocator;

IPG_API ipg_allocator ipg_allocator_malloc(void);

/* Memory that only grows: an object reuses it from step to step, so nothing is allocated below the high-water mark.
 * Zero-initialise; free with ipg_buffer_destroy. */
typedef struct ipg_buffer {
  void *data;
  size_t bytes;
} ipg_buffer;

/* Makes the buffer hold at least count items; the content is lost when it grows. Fails with IPG_ERROR_MEMORY, then the
 * buffer is unchanged. */
IPG_API ipg_status ipg_buffer_reserve(ipg_buffer *buffer, const ipg_allocator *allocator, int64_t count,
                                      size_t item_bytes, ipg_error *error);
/* As reserve, but when it grows, by half more than requested: for sizes that vary a little from step to step. */
IPG_API ipg_status ipg_buffer_reserve_ahead(ipg_buffer *buffer, const ipg_allocator *allocator, int64_t count,
                                            size_t item_bytes, ipg_error *error);
/* As reserve, but the first `keep` items are kept, and the size at least doubles: for arrays that grow by appending. */
IPG_API ipg_status ipg_buffer_grow(ipg_buffer *buffer, const ipg_allocator *allocator, int64_t keep, int64_t count,
                                   size_t item_bytes, ipg_error *error);
IPG_API void ipg_buffer_destroy(ipg_buffer *buffer, const ipg_allocator *allocator);

/* --------------------------------------------------------------------------------------------------------- tasks */

/* Work on [begin, end). The range is divided into chunks of `grain` items whose borders depend only on begin, end and
 * grain; every call gets exactly one chunk, whose number is `(begin - first) / grain`. `worker` is below worker_count
 * and is never used by two calls at once: scratch memory is per worker, results are per chunk. */
typedef void ipg_task(void *arg, int64_t begin, int64_t end, int worker);

/* A host code uses its own threads by filling this in. enqueue may run the work before it returns; finish waits for the
 * work of one enqueue. Both are called from the thread that calls Impinge, never from within a task. */
typedef struct ipg_tasks {
  int worker_count;
  void *(*enqueue)(void *context, ipg_task *task, void *arg, int64_t begin, int64_t end, int64_t grain);
  void (*finish)(void *context, void *handle);
  void *context;
} ipg_tasks;

/* The default: runs everything in the calling thread, in order. */
IPG_API ipg_tasks ipg_tasks_serial(void);
/* enqueue and finish in one call. */
IPG_API void ipg_tasks_for(const ipg_tasks *tasks, ipg_task *task, void *arg, int64_t begin, int64_t end,
                           int64_t grain);
/* Number of chunks in a range. */
static inline int64_t ipg_chunk_count(int64_t items, int64_t grain) { return (items + grain - 1) / grain; }

/* A pool of POSIX threads for host codes that have none. The calling thread is worker 0. The tasks of a pool must not
 * be used after the pool is destroyed. */
typedef struct ipg_pool ipg_pool;
IPG_API ipg_status ipg_pool_create(int worker_count, ipg_pool **pool, ipg_error *error);
IPG_API ipg_tasks ipg_pool_tasks(ipg_pool *pool);
IPG_API void ipg_pool_destroy(ipg_pool **pool);

/* ------------------------------------------------------------------------------------------- prefix sum and sort */

/* values[i] becomes the sum of all values before it; returns the sum of all. */
IPG_API int64_t ipg_prefix_sum(int64_t *values, int64_t count);

/* Scratch memory of a sort; zero-initialise once, reuse, free once. */
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
