/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Who can be measured: a search method, moving its boxes along or taking them anew, a
 * peer, and a radix sort as the yardstick. */
#ifndef IMPINGE_BENCH_CONTESTANTS_H
#define IMPINGE_BENCH_CONTESTANTS_H

#include "measure.h"
#include "peers/peer.h"

/* `name` is what the table says. With `moves`, boxes are set at step 0 and moved at every other. */
ipg_status contest_method(const char *method, bool moves, const char *name, const ipg_tasks *tasks, contestant *out,
                          ipg_error *error);
ipg_status contest_peer(const peer *peer, int threads, contestant *out, ipg_error *error);
/* Sorts as many random 64-bit keys as the scene has boxes. */
ipg_status contest_radix_sort(const ipg_tasks *tasks, contestant *out, ipg_error *error);

/* Does the method keep anything from one step of the workload to the next? */
ipg_status method_keeps_places(const char *method, workload *w, const ipg_tasks *tasks, bool *keeps, ipg_error *error);
/* Does the method compare everything with everything? */
ipg_status method_is_quadratic(const char *method, bool *quadratic, ipg_error *error);

#endif
