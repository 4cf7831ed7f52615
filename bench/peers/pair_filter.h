// SPDX-License-Identifier: BSD-2-Clause
// SPDX-FileCopyrightText: 2026 the Impinge founders
//
// Filters the hits of every peer: the same comparison of closed boxes in double, the same exclusions and the same
// batches as in the methods of Impinge. One filter per thread. In a self search a hit may be added in either order, but
// only once.
#ifndef IMPINGE_BENCH_PAIR_FILTER_H
#define IMPINGE_BENCH_PAIR_FILTER_H

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

// For libraries that store float: the nearest float that does not shrink the box.
inline float round_down(double x) {
  const float f = float(x);
  return f > x ? std::nextafter(f, -std::numeric_limits<float>::infinity()) : f;
}

inline float round_up(double x) {
  const float f = float(x);
  return f < x ? std::nextafter(f, std::numeric_limits<float>::infinity()) : f;
}

class alignas(128) pair_filter {
public:
  pair_filter(const scene &input, ipg_sink *sink, void *context, int worker)
      : input_(&input), boxes_(input.queries ? input.queries : input.items),
        keys_(input.queries ? input.query_keys : input.item_keys), sink_(sink), context_(context), worker_(worker) {}

  // a is a query and b an item, or both are items.
  void add(ipg_id a, ipg_id b) {
    if (!input_->queries && a > b) std::swap(a, b);
    if (!overlap(boxes_[a], input_->items[b])) return;
    if (keys_ && input_->item_keys && share_a_key(keys_ + 4 * int64_t(a), input_->item_keys + 4 * int64_t(b))) return;
    pairs_[count_++] = {a, b};
    if (count_ == batch) flush();
  }

  // To be called at the end by the thread that waits for all others.
  void flush() {
    if (count_) sink_(context_, pairs_, count_, worker_);
    count_ = 0;
  }

private:
  static constexpr int batch = 1024;
  const scene *input_;
  const ipg_box *boxes_;
  const ipg_id *keys_;
  ipg_sink *sink_;
  void *context_;
  int worker_, count_ = 0;
  ipg_pair pairs_[batch];
};

inline std::vector<pair_filter> make_pair_filters(const scene &input, ipg_sink *sink, void *context, int threads) {
  std::vector<pair_filter> all;
  for (int i = 0; i < threads; ++i) all.emplace_back(input, sink, context, i);
  return all;
}

// Makes the peer table of a class with build(scene), which stores the scene, and query(scene, sink, context).
template <class T> struct peer_functions {
  static void *create(int threads) {
    try {
      return new T(threads);
    } catch (const std::exception &) { return nullptr; }
  }
  static bool build(void *state, const scene *input) {
    try {
      static_cast<T *>(state)->build(*input);
      return true;
    } catch (const std::exception &) { return false; }
  }
  static bool query(void *state, const scene *input, ipg_sink *sink, void *context) {
    try {
      static_cast<T *>(state)->query(*input, sink, context);
      return true;
    } catch (const std::exception &) { return false; }
  }
  static void destroy(void *state) { delete static_cast<T *>(state); }
  static constexpr peer table(const char *name, bool threaded) {
    return {name, threaded, create, build, query, destroy};
  }
};

#endif
