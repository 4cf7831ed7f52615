// SPDX-License-Identifier: BSD-2-Clause
// SPDX-FileCopyrightText: 2026 the Impinge founders
//
// FCL's dynamic tree of boxes, DynamicAABBTreeCollisionManager: registered all at once, then tree against itself or
// against another. Double. A manager belongs to one thread.
#include "outbox.h"

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/narrowphase/collision_object.h>

#include <cstdint>
#include <deque>
#include <memory>

namespace {

using manager = fcl::DynamicAABBTreeCollisionManager<double>;
using object = fcl::CollisionObject<double>;

// A shape that is nothing but its box, so that not a bit of it is lost in a transformation.
struct plain_box : fcl::CollisionGeometry<double> {
  explicit plain_box(const ipg_box &box) {
    aabb_local = fcl::AABB<double>(fcl::Vector3<double>(box.lo), fcl::Vector3<double>(box.hi));
    aabb_center = aabb_local.center();
    aabb_radius = (aabb_local.max_ - aabb_center).norm();
  }
  void computeLocalAABB() override {}
};

// The objects of one set and the tree over them.
struct forest {
  std::deque<object> objects;
  manager tree;

  void fill(const ipg_box *boxes, int64_t count) {
    tree.clear();
    objects.clear();
    std::vector<object *> pointers(count);
    for (int64_t i = 0; i < count; ++i) {
      objects.emplace_back(std::make_shared<plain_box>(boxes[i]));
      pointers[i] = &objects.back();
      pointers[i]->setUserData(reinterpret_cast<void *>(intptr_t(i)));
    }
    tree.registerObjects(pointers);
    tree.setup();
  }
};

ipg_id id_of(const object *o) { return ipg_id(reinterpret_cast<intptr_t>(o->getUserData())); }

bool report(object *a, object *b, void *context) {
  static_cast<outbox *>(context)->propose(id_of(a), id_of(b));
  return false; // go on
}

class fcl_tree {
public:
  explicit fcl_tree(int) {}

  void build(const scene &asked) {
    items_.fill(asked.items, asked.item_count);
    if (asked.queries) queries_.fill(asked.queries, asked.query_count);
  }

  void answer(const scene &asked, ipg_sink *sink, void *context) {
    outbox out(asked, sink, context, 0);
    if (asked.queries) queries_.tree.collide(&items_.tree, &out, report);
    else items_.tree.collide(&out, report);
    out.flush();
  }

private:
  forest items_, queries_;
};

} // namespace

extern "C" const peer peer_fcl = peer_functions<fcl_tree>::table("fcl", false);
