/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Libraries of others that answer the same questions. A peer is one C++ file that fills in this table; it may be built
 * or not, nothing else knows it by name. */
#ifndef IMPINGE_BENCH_PEER_H
#define IMPINGE_BENCH_PEER_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* build stores the scene, answer reports each pair once: both return false when memory or the library gave out. The
 * state lives from run to run and may keep its memory. */
typedef struct peer {
  const char *name;
  bool threaded; /* uses the threads it is given; otherwise one, whatever it is given */
  void *(*create)(int threads);
  bool (*build)(void *state, const scene *asked);
  bool (*answer)(void *state, const scene *asked, ipg_sink *sink, void *context);
  void (*destroy)(void *state);
} peer;

/* Those in this build, NULL-terminated. */
const peer *const *bench_peers(void);

#ifdef __cplusplus
}
#endif
#endif
