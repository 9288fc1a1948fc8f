// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/libraries/cufft.hpp"

#include <algorithm>
#include <iterator>
#include <list>
#include <memory>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/fork.hpp"
#include "core/thread_safety.hpp"
#include "runtime/buffer/capture.hpp"
#include "runtime/device/cuda_device.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/driver_error.hpp"
#include "runtime/libraries/cufft_plan.hpp"
#include "runtime/stream/queue_noted.hpp"

namespace gpuarray {
namespace {

constexpr size_t kKeptPlans = 64;  // of a device

// The plans of a device that no thread is using, the last used first.
class PlanCache {
 public:
  explicit PlanCache(Device device) : device_(device) {}

  // Takes the plan out of the cache, or makes it, which takes long.
  CufftPlanPtr take(const FftPlanKey& key);
  // Puts a plan back; the last recently used one beyond the limit is destroyed.
  void put(CufftPlanPtr plan);
  FftCacheInfo info();
  void clear();

 private:
  CufftPlanPtr find(const FftPlanKey& key);
  CufftPlanPtr make(const FftPlanKey& key);

  const Device device_;
  HeldAtFork mutex_;
  std::list<CufftPlanPtr> plans_ GUARDED_BY(mutex_);
  int64_t hits_ GUARDED_BY(mutex_) = 0, misses_ GUARDED_BY(mutex_) = 0;
};

CufftPlanPtr PlanCache::find(const FftPlanKey& key) {
  const LockGuard lock(mutex_);
  const auto found =
      std::ranges::find_if(plans_, [&](const CufftPlanPtr& plan) { return plan->key() == key; });
  if (found == plans_.end()) return nullptr;
  ++hits_;
  CufftPlanPtr plan = std::move(*found);
  plans_.erase(found);
  return plan;
}

CufftPlanPtr PlanCache::make(const FftPlanKey& key) {
  CufftPlanPtr plan;
  blocking([&] { plan = std::make_shared<CufftPlan>(key, device_); });
  const LockGuard lock(mutex_);
  ++misses_;
  return plan;
}

CufftPlanPtr PlanCache::take(const FftPlanKey& key) {
  CufftPlanPtr found = find(key);
  return found != nullptr ? found : make(key);
}

void PlanCache::put(CufftPlanPtr plan) {
  std::list<CufftPlanPtr> dropped;  // destroyed after the lock was released
  const LockGuard lock(mutex_);
  plans_.push_front(std::move(plan));
  if (plans_.size() > kKeptPlans) dropped.splice(dropped.begin(), plans_, std::prev(plans_.end()));
}

FftCacheInfo PlanCache::info() {
  const LockGuard lock(mutex_);
  return {hits_, misses_, static_cast<int64_t>(plans_.size()), int64_t{kKeptPlans}};
}

void PlanCache::clear() {
  std::list<CufftPlanPtr> dropped;
  const LockGuard lock(mutex_);
  dropped.swap(plans_);
  hits_ = misses_ = 0;
}

PlanCache& cache_of(Device device) {
  static PerDevice<std::unique_ptr<PlanCache>> all;
  return *all.get(device.index,
                  [](int index) { return std::make_unique<PlanCache>(Device::cuda(index)); });
}

// A plan that this thread uses, which goes back to its cache.
class PlanInUse {
 public:
  PlanInUse(PlanCache& cache, CufftPlanPtr plan) : cache_(cache), plan_(std::move(plan)) {}
  ~PlanInUse() {
    quietly([&] { cache_.put(std::move(plan_)); });
  }
  PlanInUse(const PlanInUse&) = delete;
  PlanInUse& operator=(const PlanInUse&) = delete;

  const CufftPlanPtr& get() const { return plan_; }

 private:
  PlanCache& cache_;
  CufftPlanPtr plan_;
};

// Queues one batch. A failure may come from a lost context, which the driver then reports.
void execute(CufftPlan& plan, const FftBatch& batch, bool forward, const StreamPtr& stream,
             const LaunchLabel& label) {
  const CufftStatus status = queue_noted(
      *stream, [&] { return note_launch(label, *stream); },
      [&] {
        return cufft().cufftXtExec(plan.handle(), const_cast<void*>(batch.input), batch.output,
                                   forward ? kCufftForward : kCufftInverse);
      });
  if (status == kCufftSuccess) [[likely]]
    return;
  if (!stream->is_capturing()) stream->done();
  check_cufft(status, "cufftXtExec");
}

// Queues the batches with a plan that is not in use.
void execute_all(const CufftPlanPtr& plan, std::span<const FftBatch> batches,
                 std::span<const BufferUse> uses, bool forward, const StreamPtr& stream,
                 const LaunchLabel& label) {
  const BufferPtr work = Buffer::allocate(plan->work_bytes(), stream);
  BufferAccess access(stream);
  access.open(uses);
  check_cufft(cufft().cufftSetStream(plan->handle(), stream_handle(stream->handle())),
              "cufftSetStream");
  if (plan->work_bytes() > 0)
    check_cufft(cufft().cufftSetWorkArea(plan->handle(), work->data()), "cufftSetWorkArea");
  for (const FftBatch& batch : batches) execute(*plan, batch, forward, stream, label);
  if (stream->is_capturing()) capture_of(*stream)->keep(plan);
}

}  // namespace

void queue_ffts(const FftPlanKey& key, std::span<const FftBatch> batches,
                std::span<const BufferUse> uses, bool forward, const StreamPtr& stream,
                const LaunchLabel& label) {
  const DeviceGuard on(stream->device());
  PlanCache& cache = cache_of(stream->device());
  const PlanInUse plan(cache, cache.take(key));
  execute_all(plan.get(), batches, uses, forward, stream, label);
}

FftCacheInfo fft_cache_info(Device device) { return cache_of(device).info(); }

void clear_fft_cache(Device device) { cache_of(device).clear(); }

}  // namespace gpuarray
