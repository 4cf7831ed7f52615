/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The list of peers in this build. The build defines IMPINGE_BENCH_PEERS as EACH(name), once per peer. */
#include "peers/peer.h"

#define EACH(name) extern const peer peer_##name;
IMPINGE_BENCH_PEERS
#undef EACH

#define EACH(name) &peer_##name,
const peer *const *bench_peers(void) {
  static const peer *const peers[] = {IMPINGE_BENCH_PEERS NULL};
  return peers;
}
