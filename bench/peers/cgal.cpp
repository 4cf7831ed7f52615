// SPDX-License-Identifier: BSD-2-Clause
// SPDX-FileCopyrightText: 2026 the Impinge founders
//
// CGAL, "Intersecting Sequences of dD Iso-oriented Boxes": streamed segment trees after Zomorodian and Edelsbrunner
// 2000. Doubles, closed boxes. What is sorted are pointers to boxes, as the manual advises. The tree is made and used
// up within the question, so that there is hardly any build. One thread takes the sequential form, more the parallel
// one.
#include "outbox.h"

#include <CGAL/box_intersection_d.h>
#include <tbb/task_arena.h>

namespace {

const std::ptrdiff_t cutoff = 1000; // below so many boxes no tree is made: the best of 10 to 5000, for 100,000 boxes

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

  void build(const scene &asked) {
    fill(items_, asked.items, asked.item_count);
    fill(queries_, asked.queries, asked.query_count);
  }

  void answer(const scene &asked, ipg_sink *sink, void *context) {
    auto outboxes = make_outboxes(asked, sink, context, threads_);
    arena_.execute([&] { ask(asked, outboxes); });
    for (outbox &o : outboxes) o.flush();
  }

private:
  static void fill(std::vector<handle> &handles, const ipg_box *boxes, int64_t count) {
    handles.resize(count);
    for (int64_t i = 0; i < count; ++i) handles[i].box = boxes + i;
  }

  void ask(const scene &asked, std::vector<outbox> &outboxes) {
    const ipg_box *first = asked.queries ? asked.queries : asked.items, *items = asked.items;
    const auto report = [&outboxes, first, items](const handle &a, const handle &b) {
      outbox &out = outboxes[tbb::this_task_arena::current_thread_index()];
      out.propose(ipg_id(a.box - first), ipg_id(b.box - items));
    };
    if (asked.queries)
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
