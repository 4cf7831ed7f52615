// SPDX-License-Identifier: BSD-2-Clause
// SPDX-FileCopyrightText: 2026 the Impinge founders
//
// CGAL, "Intersecting Sequences of dD Iso-oriented Boxes": streamed segment trees after Zomorodian and Edelsbrunner
// 2000. Doubles, closed boxes. Pointers to boxes are sorted, as the manual advises. The tree is built within the query,
// so that the build takes hardly any time. One peer is the sequential form, one the parallel form.
#include "pair_filter.h"

#include <CGAL/box_intersection_d.h>
#include <tbb/task_arena.h>

namespace {

const std::ptrdiff_t cutoff =
    1000; // below this number of boxes no tree is built: the best of 10 to 5000 at 100,000 boxes

// A model of CGAL's BoxIntersectionBox_d.
struct handle {
  using NT = double;
  using ID = std::size_t;
  const ipg_box *box;
  static int dimension() { return 3; }
  ID id() const { return reinterpret_cast<ID>(box); }
  NT min_coord(int k) const { return box->lo[k]; }
  NT max_coord(int k) const { return box->hi[k]; }
};

template <class Concurrency> class cgal {
public:
  explicit cgal(int threads) : threads_(threads), arena_(threads) {}

  void build(const scene &input) {
    fill(items_, input.items, input.item_count);
    fill(queries_, input.queries, input.query_count);
  }

  void query(const scene &input, ipg_sink *sink, void *context) {
    auto filters = make_pair_filters(input, sink, context, threads_);
    arena_.execute([&] { query_one(input, filters); });
    for (pair_filter &f : filters) f.flush();
  }

private:
  static void fill(std::vector<handle> &handles, const ipg_box *boxes, int64_t count) {
    handles.resize(count);
    for (int64_t i = 0; i < count; ++i) handles[i].box = boxes + i;
  }

  void query_one(const scene &input, std::vector<pair_filter> &filters) {
    const ipg_box *first = input.queries ? input.queries : input.items, *items = input.items;
    const auto report = [&filters, first, items](const handle &a, const handle &b) {
      pair_filter &out = filters[tbb::this_task_arena::current_thread_index()];
      out.add(ipg_id(a.box - first), ipg_id(b.box - items));
    };
    if (input.queries)
      CGAL::box_intersection_d<Concurrency>(queries_.begin(), queries_.end(), items_.begin(), items_.end(), report,
                                            cutoff);
    else CGAL::box_self_intersection_d<Concurrency>(items_.begin(), items_.end(), report, cutoff);
  }

  int threads_;
  tbb::task_arena arena_;
  std::vector<handle> items_, queries_;
};

} // namespace

extern "C" const peer peer_cgal = peer_functions<cgal<CGAL::Sequential_tag>>::table("cgal", false);
extern "C" const peer peer_cgal_parallel = peer_functions<cgal<CGAL::Parallel_tag>>::table("cgal_parallel", true);
