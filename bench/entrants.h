/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The entrants of `impinge-bench search`: a search method that moves its boxes or is built again at every step, a peer
 * library, and a radix sort as reference. */
#ifndef IMPINGE_BENCH_ENTRANTS_H
#define IMPINGE_BENCH_ENTRANTS_H

#include "measure.h"
#include "peers/peer.h"

/* `name` is printed in the table. With `moves`, boxes are set at step 0 and moved at every other step. */
ipg_status create_method_entrant(const char *method, bool moves, const char *name, const ipg_tasks *tasks, entrant *out,
                                 ipg_error *error);
ipg_status create_peer_entrant(const peer *peer, int threads, entrant *out, ipg_error *error);
/* Sorts as many random 64-bit keys as the scene has boxes. */
ipg_status create_sort_entrant(const ipg_tasks *tasks, entrant *out, ipg_error *error);

/* Finds out whether the method reuses data from one step of the workload in the next. */
ipg_status find_method_reuse(const char *method, workload *w, const ipg_tasks *tasks, bool *reuses, ipg_error *error);
/* Finds out whether the method compares all pairs of boxes. */
ipg_status find_method_quadratic(const char *method, bool *quadratic, ipg_error *error);

#endif
