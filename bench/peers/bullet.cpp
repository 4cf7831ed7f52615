// SPDX-License-Identifier: BSD-2-Clause
// SPDX-FileCopyrightText: 2026 the Impinge founders
//
// Bullet's dynamic tree of boxes, btDbvt: filled box by box, then tree against tree or against itself. Float. A tree
// belongs to one thread. Rebuilding the tree from the top or from the bottom costs more than its better shape saves.
#include "pair_filter.h"

#include <BulletCollision/BroadphaseCollision/btDbvt.h>

namespace {

struct report : btDbvt::ICollide {
  pair_filter *out;
  explicit report(pair_filter *to) : out(to) {}
  using btDbvt::ICollide::Process;
  void Process(const btDbvtNode *a, const btDbvtNode *b) { out->add(a->dataAsInt, b->dataAsInt); }
};

class bullet {
public:
  explicit bullet(int) {}

  void build(const scene &input) {
    fill(items_, input.items, input.item_count);
    fill(queries_, input.queries, input.query_count);
  }

  void query(const scene &input, ipg_sink *sink, void *context) {
    pair_filter out(input, sink, context, 0);
    report policy(&out);
    items_.collideTT(input.queries ? queries_.m_root : items_.m_root, items_.m_root, policy);
    out.flush();
  }

private:
  static void fill(btDbvt &tree, const ipg_box *boxes, int64_t count) {
    tree.clear();
    for (int64_t i = 0; i < count; ++i) {
      const double *lo = boxes[i].lo, *hi = boxes[i].hi;
      const btVector3 low(round_down(lo[0]), round_down(lo[1]), round_down(lo[2]));
      const btVector3 high(round_up(hi[0]), round_up(hi[1]), round_up(hi[2]));
      tree.insert(btDbvtVolume::FromMM(low, high), nullptr)->dataAsInt = int(i);
    }
  }

  btDbvt items_, queries_;
};

} // namespace

extern "C" const peer peer_bullet = peer_functions<bullet>::table("bullet", false);
