// SPDX-License-Identifier: BSD-2-Clause
// SPDX-FileCopyrightText: 2026 the Impinge founders
//
// FCL's dynamic tree of boxes, DynamicAABBTreeCollisionManager: registered all at once, then tree against itself or
// against another. Double. A manager belongs to one thread.
#include "pair_filter.h"

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/narrowphase/collision_object.h>

#include <cstdint>
#include <deque>
#include <memory>

namespace {

using manager = fcl::DynamicAABBTreeCollisionManager<double>;
using object = fcl::CollisionObject<double>;

// A shape that consists of its box only, so that no transformation rounds it.
struct plain_box : fcl::CollisionGeometry<double> {
  explicit plain_box(const ipg_box &box) {
    aabb_local = fcl::AABB<double>(fcl::Vector3<double>(box.lo), fcl::Vector3<double>(box.hi));
    aabb_center = aabb_local.center();
    aabb_radius = (aabb_local.max_ - aabb_center).norm();
  }
  void computeLocalAABB() override {}
};

// The objects of one set and the tree over them.
struct object_tree {
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

ipg_id get_id(const object *o) { return ipg_id(reinterpret_cast<intptr_t>(o->getUserData())); }

bool report(object *a, object *b, void *context) {
  static_cast<pair_filter *>(context)->add(get_id(a), get_id(b));
  return false; // continue
}

class fcl_tree {
public:
  explicit fcl_tree(int) {}

  void build(const scene &input) {
    items_.fill(input.items, input.item_count);
    if (input.queries) queries_.fill(input.queries, input.query_count);
  }

  void query(const scene &input, ipg_sink *sink, void *context) {
    pair_filter out(input, sink, context, 0);
    if (input.queries) queries_.tree.collide(&items_.tree, &out, report);
    else items_.tree.collide(&out, report);
    out.flush();
  }

private:
  object_tree items_, queries_;
};

} // namespace

extern "C" const peer peer_fcl = peer_functions<fcl_tree>::table("fcl", false);
