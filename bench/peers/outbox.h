// SPDX-License-Identifier: BSD-2-Clause
// SPDX-FileCopyrightText: 2026 the Impinge founders
//
// What every peer sends its hits through: the same comparison of closed boxes in double, the same exclusions and the
// same batches as in Impinge's own methods. One outbox per thread; a hit may be proposed in either order for the self
// question, but once only.
#ifndef IMPINGE_BENCH_OUTBOX_H
#define IMPINGE_BENCH_OUTBOX_H

#include "peer.h"

#include <cmath>
#include <exception>
#include <limits>
#include <utility>
#include <vector>

inline bool overlap(const ipg_box &a, const ipg_box &b) {
  for (int k = 0; k < 3; ++k)
    if (a.lo[k] > b.hi[k] || b.lo[k] > a.hi[k]) return false;
  return true;
}

inline bool share_a_key(const ipg_id *a, const ipg_id *b) {
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (a[i] >= 0 && a[i] == b[j]) return true;
  return false;
}

// For libraries that store float: the nearest that is not inside of the box.
inline float round_down(double x) {
  const float f = float(x);
  return f > x ? std::nextafter(f, -std::numeric_limits<float>::infinity()) : f;
}

inline float round_up(double x) {
  const float f = float(x);
  return f < x ? std::nextafter(f, std::numeric_limits<float>::infinity()) : f;
}

class alignas(128) outbox {
public:
  outbox(const scene &asked, ipg_sink *sink, void *context, int worker)
      : asked_(&asked), boxes_(asked.queries ? asked.queries : asked.items),
        keys_(asked.queries ? asked.query_keys : asked.item_keys), sink_(sink), context_(context), worker_(worker) {}

  // a: query and b: item, or two items.
  void propose(ipg_id a, ipg_id b) {
    if (!asked_->queries && a > b) std::swap(a, b);
    if (!overlap(boxes_[a], asked_->items[b])) return;
    if (keys_ && asked_->item_keys && share_a_key(keys_ + 4 * int64_t(a), asked_->item_keys + 4 * int64_t(b))) return;
    pairs_[count_++] = {a, b};
    if (count_ == batch) flush();
  }

  // To be called at the end, by whoever waits for all threads.
  void flush() {
    if (count_) sink_(context_, pairs_, count_, worker_);
    count_ = 0;
  }

private:
  static constexpr int batch = 1024;
  const scene *asked_;
  const ipg_box *boxes_;
  const ipg_id *keys_;
  ipg_sink *sink_;
  void *context_;
  int worker_, count_ = 0;
  ipg_pair pairs_[batch];
};

inline std::vector<outbox> make_outboxes(const scene &asked, ipg_sink *sink, void *context, int threads) {
  std::vector<outbox> all;
  for (int i = 0; i < threads; ++i) all.emplace_back(asked, sink, context, i);
  return all;
}

// The table of a class with build(scene), which stores the scene, and answer(scene, sink, context).
template <class T> struct peer_functions {
  static void *create(int threads) {
    try {
      return new T(threads);
    } catch (const std::exception &) { return nullptr; }
  }
  static bool build(void *state, const scene *asked) {
    try {
      static_cast<T *>(state)->build(*asked);
      return true;
    } catch (const std::exception &) { return false; }
  }
  static bool answer(void *state, const scene *asked, ipg_sink *sink, void *context) {
    try {
      static_cast<T *>(state)->answer(*asked, sink, context);
      return true;
    } catch (const std::exception &) { return false; }
  }
  static void destroy(void *state) { delete static_cast<T *>(state); }
  static constexpr peer table(const char *name, bool threaded) {
    return {name, threaded, create, build, answer, destroy};
  }
};

#endif
