/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Other libraries that solve the same search problems. A peer is one C++ file that defines this table. Each peer is
 * optional, and no other file refers to it by name. */
#ifndef IMPINGE_BENCH_PEER_H
#define IMPINGE_BENCH_PEER_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* build stores the scene, query reports each pair once; both return false if memory or the library failed. The state is
 * used for all runs and may keep its memory. */
typedef struct peer {
  const char *name;
  bool threaded; /* uses the given number of threads; otherwise one */
  void *(*create)(int threads);
  bool (*build)(void *state, const scene *input);
  bool (*query)(void *state, const scene *input, ipg_sink *sink, void *context);
  void (*destroy)(void *state);
} peer;

/* The peers in this build, NULL-terminated. */
const peer *const *bench_peers(void);

#ifdef __cplusplus
}
#endif
#endif
