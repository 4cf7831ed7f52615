// SPDX-License-Identifier: BSD-2-Clause
// SPDX-FileCopyrightText: 2026 the Impinge founders
//
// Boost.Geometry's R-tree, packed from the whole range at once, and queried box by box. Double. The tree is built by
// one thread; queries of several threads are independent of each other.
#include "pair_filter.h"

#include <boost/function_output_iterator.hpp>
#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>

#include <atomic>
#include <thread>

namespace {

namespace bg = boost::geometry;
using point = bg::model::point<double, 3, bg::cs::cartesian>;
using box = bg::model::box<point>;
using value = std::pair<box, ipg_id>;
using rtree = bg::index::rtree<value, bg::index::linear<16>>;

box to_box(const ipg_box &b) { return {{b.lo[0], b.lo[1], b.lo[2]}, {b.hi[0], b.hi[1], b.hi[2]}}; }

class boost_rtree {
public:
  explicit boost_rtree(int threads) : threads_(threads) {}

  void build(const scene &input) {
    values_.resize(input.item_count);
    for (int64_t i = 0; i < input.item_count; ++i) values_[i] = {to_box(input.items[i]), ipg_id(i)};
    tree_ = rtree(values_);
  }

  void query(const scene &input, ipg_sink *sink, void *context) {
    auto filters = make_pair_filters(input, sink, context, threads_);
    std::vector<std::thread> others;
    next_ = 0;
    for (int i = 1; i < threads_; ++i) others.emplace_back([&, i] { query_chunks(input, filters[i]); });
    query_chunks(input, filters[0]);
    for (std::thread &thread : others) thread.join();
    for (pair_filter &f : filters) f.flush();
  }

private:
  void query_chunks(const scene &input, pair_filter &out) {
    const int64_t chunk = 256, count = input.queries ? input.query_count : input.item_count;
    for (int64_t begin; (begin = next_.fetch_add(chunk)) < count;)
      for (int64_t i = begin; i < count && i < begin + chunk; ++i) query_one(input, ipg_id(i), out);
  }

  void query_one(const scene &input, ipg_id a, pair_filter &out) const {
    const bool self = !input.queries;
    const auto report = [&out, a, self](const value &found) {
      if (!self || a < found.second) out.add(a, found.second);
    };
    tree_.query(bg::index::intersects(to_box((self ? input.items : input.queries)[a])),
                boost::make_function_output_iterator(report));
  }

  int threads_;
  std::atomic<int64_t> next_{0};
  std::vector<value> values_;
  rtree tree_;
};

} // namespace

extern "C" const peer peer_boost = peer_functions<boost_rtree>::table("boost_rtree", true);
