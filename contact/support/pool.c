/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A pool of POSIX threads behind ipg_tasks.
 *
 * A job is a range of chunks and a counter from which workers take the next one, so the load is balanced while the
 * borders of the chunks are the same for any number of workers. Jobs are stored in a few slots; when all are in use,
 * enqueue does the work at once. The caller works while it waits. Several threads may enqueue at once: each is worker 0
 * of its own jobs only.
 * Invariant, under the lock: a job is open while chunks remain to be taken, and finished when all taken ones are done.
 */
#include "impinge/base.h"

#include <pthread.h>
#include <stdlib.h>

enum { SLOTS = 16 };

typedef struct job {
  ipg_task *task;
  void *arg;
  int64_t next, end, grain; /* chunks not taken yet are [next, end) */
  int64_t running;          /* chunks taken and not done */
  bool used;
} job;

struct ipg_pool {
  int worker_count, started;
  pthread_t *threads;
  struct worker {
    ipg_pool *pool;
    int worker;
  } * workers;
  pthread_mutex_t lock;
  pthread_cond_t work, done;
  job jobs[SLOTS];
  bool closing;
};

/* Takes one chunk of the job, runs it without the lock, and counts it. The lock is held at entry and at return. */
static void run_chunk(ipg_pool *pool, job *j, int worker) {
  const int64_t begin = j->next, end = j->end - begin < j->grain ? j->end : begin + j->grain;
  j->next = end;
  j->running++;
  pthread_mutex_unlock(&pool->lock);
  j->task(j->arg, begin, end, worker);
  pthread_mutex_lock(&pool->lock);
  if (--j->running == 0 && j->next == j->end) pthread_cond_broadcast(&pool->done);
}

static job *find_open_job(ipg_pool *pool) {
  for (int i = 0; i < SLOTS; ++i)
    if (pool->jobs[i].used && pool->jobs[i].next < pool->jobs[i].end) return &pool->jobs[i];
  return NULL;
}

static void *run_worker(void *arg) {
  const struct worker *self = arg;
  ipg_pool *pool = self->pool;
  pthread_mutex_lock(&pool->lock);
  while (!pool->closing) {
    job *j = find_open_job(pool);
    if (j) run_chunk(pool, j, self->worker);
    else pthread_cond_wait(&pool->work, &pool->lock);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

static job *find_free_slot(ipg_pool *pool) {
  for (int i = 0; i < SLOTS; ++i)
    if (!pool->jobs[i].used) return &pool->jobs[i];
  return NULL;
}

static void *pool_enqueue(void *context, ipg_task *task, void *arg, int64_t begin, int64_t end, int64_t grain) {
  ipg_pool *pool = context;
  pthread_mutex_lock(&pool->lock);
  job *j = begin < end ? find_free_slot(pool) : NULL;
  if (j) {
    *j = (job){task, arg, begin, end, grain, 0, true};
    pthread_cond_broadcast(&pool->work);
  }
  pthread_mutex_unlock(&pool->lock);
  if (!j) { /* the caller is worker 0 of its own jobs */
    const ipg_tasks serial = ipg_tasks_serial();
    ipg_tasks_for(&serial, task, arg, begin, end, grain);
  }
  return j;
}

static void pool_finish(void *context, void *handle) {
  ipg_pool *pool = context;
  job *j = handle;
  if (!j) return;
  pthread_mutex_lock(&pool->lock);
  while (j->next < j->end) run_chunk(pool, j, 0);
  while (j->running) pthread_cond_wait(&pool->done, &pool->lock);
  j->used = false;
  pthread_mutex_unlock(&pool->lock);
}

ipg_tasks ipg_pool_tasks(ipg_pool *pool) { return (ipg_tasks){pool->worker_count, pool_enqueue, pool_finish, pool}; }

static ipg_status start_threads(ipg_pool *pool, ipg_error *error) {
  for (int i = 1; i < pool->worker_count; ++i) {
    pool->workers[i] = (struct worker){pool, i};
    if (pthread_create(&pool->threads[i], NULL, run_worker, &pool->workers[i]))
      return ipg_fail(error, IPG_ERROR_SYSTEM, "the system could not start thread %d of %d; use fewer threads", i + 1,
                      pool->worker_count);
    pool->started = i;
  }
  return IPG_OK;
}

ipg_status ipg_pool_create(int worker_count, ipg_pool **out, ipg_error *error) {
  *out = NULL;
  if (worker_count < 1 || worker_count > 4096)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "the number of threads is %d; it must be 1 to 4096", worker_count);
  ipg_pool *pool = calloc(1, sizeof *pool);
  if (pool) pool->threads = calloc((size_t)worker_count, sizeof *pool->threads);
  if (pool) pool->workers = calloc((size_t)worker_count, sizeof *pool->workers);
  if (!pool || !pool->threads || !pool->workers) {
    if (pool) free(pool->threads), free(pool->workers);
    free(pool);
    return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for %d threads", worker_count);
  }
  pool->worker_count = worker_count;
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->work, NULL);
  pthread_cond_init(&pool->done, NULL);
  const ipg_status status = start_threads(pool, error);
  if (status) ipg_pool_destroy(&pool);
  *out = pool;
  return status;
}

void ipg_pool_destroy(ipg_pool **pool_pointer) {
  ipg_pool *pool = *pool_pointer;
  if (!pool) return;
  pthread_mutex_lock(&pool->lock);
  pool->closing = true;
  pthread_cond_broadcast(&pool->work);
  pthread_mutex_unlock(&pool->lock);
  for (int i = 1; i <= pool->started; ++i) pthread_join(pool->threads[i], NULL);
  pthread_cond_destroy(&pool->done);
  pthread_cond_destroy(&pool->work);
  pthread_mutex_destroy(&pool->lock);
  free(pool->workers);
  free(pool->threads);
  free(pool);
  *pool_pointer = NULL;
}
