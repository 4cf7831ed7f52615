/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The default tasks: every chunk in order, in the calling thread. */
#include "impinge/base.h"

static void *serial_enqueue(void *context, ipg_task *task, void *arg, int64_t begin, int64_t end, int64_t grain) {
  (void)context;
  for (int64_t chunk = begin; chunk < end; chunk += grain)
    task(arg, chunk, end - chunk < grain ? end : chunk + grain, 0);
  return NULL;
}

static void serial_finish(void *context, void *handle) { (void)context, (void)handle; }

ipg_tasks ipg_tasks_serial(void) { return (ipg_tasks){1, serial_enqueue, serial_finish, NULL}; }

void ipg_tasks_for(const ipg_tasks *tasks, ipg_task *task, void *arg, int64_t begin, int64_t end, int64_t grain) {
  if (begin >= end) return;
  tasks->finish(tasks->context, tasks->enqueue(tasks->context, task, arg, begin, end, grain));
}
