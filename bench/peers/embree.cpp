// SPDX-License-Identifier: BSD-2-Clause
// SPDX-FileCopyrightText: 2026 the Impinge founders
//
// Embree's rtcCollide: two trees of user geometry against each other, or a tree against itself. Float. The cheapest
// quality of tree, for scenes that are built once and asked once. It gives a pair of the self question in both orders.
#include "outbox.h"

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

// One tree, made anew in the same memory.
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

// Callbacks come from threads without a number: each takes an outbox that nobody has.
struct outboxes {
  std::vector<outbox> all;
  std::vector<std::atomic_flag> taken;
  bool self;

  size_t take() {
    size_t i = std::hash<std::thread::id>{}(std::this_thread::get_id()) % all.size();
    while (taken[i].test_and_set(std::memory_order_acquire)) i = (i + 1) % all.size();
    return i;
  }
};

void report(void *context, RTCCollision *collisions, unsigned count) {
  outboxes &boxes = *static_cast<outboxes *>(context);
  const size_t mine = boxes.take();
  for (unsigned i = 0; i < count; ++i)
    if (!boxes.self || collisions[i].primID0 < collisions[i].primID1)
      boxes.all[mine].propose(ipg_id(collisions[i].primID0), ipg_id(collisions[i].primID1));
  boxes.taken[mine].clear(std::memory_order_release);
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

  void build(const scene &asked) {
    items_->fill(asked.items, asked.item_count);
    if (asked.queries) queries_->fill(asked.queries, asked.query_count);
    check();
  }

  void answer(const scene &asked, ipg_sink *sink, void *context) {
    outboxes boxes = {make_outboxes(asked, sink, context, threads_), std::vector<std::atomic_flag>(threads_),
                      !asked.queries};
    rtcCollide((asked.queries ? queries_ : items_)->get(), items_->get(), report, &boxes);
    for (outbox &o : boxes.all) o.flush();
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
