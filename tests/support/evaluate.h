/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Evaluations by the length of the step instead of the time at its end; replays with defaults. */
#ifndef IMPINGE_TESTS_EVALUATE_H
#define IMPINGE_TESTS_EVALUATE_H

#include "impinge/contact.h"

static inline ipg_status evaluate_after(ipg_contact *contact, double dt, const double *x, const double *v,
                                        double *force, ipg_error *error) {
  return ipg_contact_evaluate(contact, ipg_contact_get_time(contact) + dt, x, v, force, error);
}

static inline ipg_status project_after(ipg_contact *contact, double dt, double *x, const double *v, double *force,
                                       ipg_contact_projection *projection, ipg_error *error) {
  return ipg_contact_project(contact, ipg_contact_get_time(contact) + dt, x, v, force, projection, error);
}

/* tasks: NULL for none. */
static inline ipg_status open_replay(const ipg_tasks *tasks, const void *bytes, int64_t count,
                                     ipg_contact_replay *replay, ipg_error *error) {
  ipg_contact_config config = ipg_contact_defaults();
  if (tasks) config.tasks = *tasks;
  return ipg_contact_replay_open(&config, bytes, count, replay, error);
}

#endif
