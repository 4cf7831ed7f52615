// SPDX-License-Identifier: BSD-2-Clause
// SPDX-FileCopyrightText: 2026 the Impinge founders
//
// Embree's rtcCollide: two trees of user geometry against each other, or a tree against itself. Float. The lowest build
// quality, for scenes that are built once and queried once. A self search reports a pair in both orders.
#include "pair_filter.h"

#include <embree3/rtcore.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>

namespace {

void bounds_of(const RTCBoundsFunctionArguments *arguments) {
  const ipg_box &box = static_cast<const ipg_box *>(arguments->geometryUserPtr)[arguments->primID];
  RTCBounds &out = *arguments->bounds_o;
  out.lower_x = round_down(box.lo[0]), out.lower_y = round_down(box.lo[1]), out.lower_z = round_down(box.lo[2]);
  out.upper_x = round_up(box.hi[0]), out.upper_y = round_up(box.hi[1]), out.upper_z = round_up(box.hi[2]);
}

// One tree, rebuilt in the same memory.
class tree {
public:
  explicit tree(RTCDevice device)
      : scene_(rtcNewScene(device)), geometry_(rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER)) {
    rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_LOW);
    rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_DYNAMIC);
    rtcSetGeometryBuildQuality(geometry_, RTC_BUILD_QUALITY_LOW);
    rtcSetGeometryBoundsFunction(geometry_, bounds_of, nullptr);
    rtcAttachGeometry(scene_, geometry_);
  }
  tree(const tree &) = delete;
  ~tree() {
    rtcReleaseGeometry(geometry_);
    rtcReleaseScene(scene_);
  }

  void fill(ipg_box *boxes, int64_t count) {
    rtcSetGeometryUserPrimitiveCount(geometry_, unsigned(count));
    rtcSetGeometryUserData(geometry_, boxes);
    rtcCommitGeometry(geometry_);
    rtcCommitScene(scene_);
  }
  RTCScene get() const { return scene_; }

private:
  RTCScene scene_;
  RTCGeometry geometry_;
};

// Callbacks come from threads without a number: each acquires a filter that is not in use.
struct filter_pool {
  std::vector<pair_filter> all;
  std::vector<std::atomic_flag> in_use;
  bool self;

  size_t acquire() {
    size_t i = std::hash<std::thread::id>{}(std::this_thread::get_id()) % all.size();
    while (in_use[i].test_and_set(std::memory_order_acquire)) i = (i + 1) % all.size();
    return i;
  }
};

void report(void *context, RTCCollision *collisions, unsigned count) {
  filter_pool &filters = *static_cast<filter_pool *>(context);
  const size_t mine = filters.acquire();
  for (unsigned i = 0; i < count; ++i)
    if (!filters.self || collisions[i].primID0 < collisions[i].primID1)
      filters.all[mine].add(ipg_id(collisions[i].primID0), ipg_id(collisions[i].primID1));
  filters.in_use[mine].clear(std::memory_order_release);
}

class embree {
public:
  explicit embree(int threads) : threads_(threads) {
    const std::string config = "threads=" + std::to_string(threads);
    device_ = rtcNewDevice(config.c_str());
    if (!device_) throw std::runtime_error("no device");
    items_ = std::make_unique<tree>(device_);
    queries_ = std::make_unique<tree>(device_);
  }
  ~embree() {
    items_.reset();
    queries_.reset();
    rtcReleaseDevice(device_);
  }

  void build(const scene &input) {
    items_->fill(input.items, input.item_count);
    if (input.queries) queries_->fill(input.queries, input.query_count);
    check();
  }

  void query(const scene &input, ipg_sink *sink, void *context) {
    filter_pool filters = {make_pair_filters(input, sink, context, threads_), std::vector<std::atomic_flag>(threads_),
                           !input.queries};
    rtcCollide((input.queries ? queries_ : items_)->get(), items_->get(), report, &filters);
    for (pair_filter &f : filters.all) f.flush();
    check();
  }

private:
  void check() const {
    if (rtcGetDeviceError(device_) != RTC_ERROR_NONE) throw std::runtime_error("embree failed");
  }

  int threads_;
  RTCDevice device_;
  std::unique_ptr<tree> items_, queries_;
};

} // namespace

extern "C" const peer peer_embree = peer_functions<embree>::table("embree", true);
