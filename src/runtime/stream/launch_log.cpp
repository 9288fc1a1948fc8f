// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/stream/launch_log.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <set>

#include "core/error.hpp"
#include "core/fork.hpp"
#include "core/thread_safety.hpp"
#include "runtime/device/cuda_device.hpp"
#include "runtime/driver/call_site.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/driver_error.hpp"
#include "runtime/stream/recording.hpp"

namespace gpuarray {
namespace {

constexpr uint64_t kEntries = 128;
constexpr uintptr_t kAllStreams = UINTPTR_MAX;
// Marks the entry of a user's kernel: dims[0..2] are the grid, dims[3] the block, 16 bits an axis.
constexpr DType kNoDType = static_cast<DType>(UINT8_MAX);
constexpr int kBlockBits = 16;

// The content of an entry: a launch, or (if `operation` is null) a wait that has finished for all
// launches of the stream up to number dims[0].
struct Values {
  const char* operation;
  uintptr_t stream;
  int64_t dims[Launch::kShownDims];
  int16_t device;
  uint8_t ndim;
  DType dtype;
};

// One entry of the ring, a cache line. It is written without a lock: `number` is 0 while the other
// members change, so that a reader can tell.
struct alignas(64) Entry {
  std::atomic<uint64_t> number = 0;
  std::atomic<const char*> operation;
  std::atomic<uintptr_t> stream;
  std::atomic<int64_t> dims[Launch::kShownDims];
  std::atomic<int16_t> device;
  std::atomic<uint8_t> ndim;
  std::atomic<DType> dtype;
};
static_assert(sizeof(Entry) == 64);

Entry entries[kEntries];
std::atomic<uint64_t> last_number = 0;

struct NotedCallSite {
  uint64_t number = 0;  // of the launch
  CallSite site;
};
HeldAtFork call_sites_mutex;  // Python is never called under it
NotedCallSite call_sites[kEntries] GUARDED_BY(call_sites_mutex);

constexpr auto kRelaxed = std::memory_order_relaxed;

// Takes the next number and begins its entry; the caller writes the other members and stores
// `number` last.
Entry& begin_entry(uint64_t& number) {
  number = last_number.fetch_add(1, kRelaxed) + 1;
  Entry& entry = entries[number % kEntries];
  entry.number.store(0, kRelaxed);
  std::atomic_thread_fence(std::memory_order_release);
  return entry;
}

void note_wait(Device device, uintptr_t stream, uint64_t up_to) {
  uint64_t number = 0;
  Entry& entry = begin_entry(number);
  entry.operation.store(nullptr, kRelaxed);
  entry.stream.store(stream, kRelaxed);
  entry.dims[0].store(static_cast<int64_t>(up_to), kRelaxed);
  entry.device.store(static_cast<int16_t>(device.index), kRelaxed);
  entry.number.store(number, std::memory_order_release);
}

// Returns the entry's content; nullopt if it was overwritten, or is being written.
std::optional<Values> read_entry(uint64_t number) {
  const Entry& entry = entries[number % kEntries];
  if (entry.number.load(std::memory_order_acquire) != number) return std::nullopt;
  Values values{
      entry.operation.load(kRelaxed), entry.stream.load(kRelaxed), {},
      entry.device.load(kRelaxed),    entry.ndim.load(kRelaxed),   entry.dtype.load(kRelaxed)};
  for (int axis = 0; axis < Launch::kShownDims; ++axis)
    values.dims[axis] = entry.dims[axis].load(kRelaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  if (entry.number.load(kRelaxed) != number) return std::nullopt;
  return values;
}

Launch launch_of(const Values& values, uint64_t number) {
  Launch launch;
  launch.operation = values.operation;
  launch.ndim = values.ndim;
  if (values.dtype == kNoDType)
    for (int axis = 0; axis < 3; ++axis)
      launch.block[axis] = values.dims[3] >> (kBlockBits * axis) & ((1 << kBlockBits) - 1);
  for (int axis = 0; axis < std::min<int>(launch.ndim, Launch::kShownDims); ++axis)
    launch.shape.push_back(values.dims[axis]);
  if (!launch.is_user_kernel()) launch.dtype = values.dtype;
  launch.device = Device::cuda(values.device);
  launch.stream = values.stream;
  const LockGuard lock(call_sites_mutex);
  const NotedCallSite& noted = call_sites[number % kEntries];
  if (noted.number != number) return launch;
  launch.file = noted.site.file;
  launch.line = noted.site.line;
  return launch;
}

// The waits that pending_launches() has met on its way from the newest entry to the oldest.
class Waits {
 public:
  void add(const Values& wait) { waits_.push_back(wait); }
  bool cover(const Values& launch, uint64_t number) const {
    return std::any_of(waits_.begin(), waits_.end(), [&](const Values& wait) {
      return wait.device == launch.device && number <= static_cast<uint64_t>(wait.dims[0]) &&
             (wait.stream == launch.stream || wait.stream == kAllStreams);
    });
  }

 private:
  std::vector<Values> waits_;
};

uint64_t note(const char* operation, DType dtype, int ndim, const int64_t* dims, int shown,
              const Stream& stream) {
  uint64_t number = 0;
  Entry& entry = begin_entry(number);
  entry.operation.store(operation, kRelaxed);
  entry.stream.store(stream.handle(), kRelaxed);
  for (int axis = 0; axis < shown; ++axis) entry.dims[axis].store(dims[axis], kRelaxed);
  entry.device.store(static_cast<int16_t>(stream.device().index), kRelaxed);
  entry.ndim.store(static_cast<uint8_t>(ndim), kRelaxed);
  entry.dtype.store(dtype, kRelaxed);
  entry.number.store(number, std::memory_order_release);
  return number;
}

}  // namespace

namespace {

HeldAtFork& names_mutex = *new HeldAtFork;
auto& names GUARDED_BY(names_mutex) = *new std::set<std::string>;  // never destroyed

}  // namespace

const char* kept_for_process(const std::string& name) {
  const LockGuard lock(names_mutex);
  return names.insert(name).first->c_str();
}

uint64_t note_launch(const LaunchLabel& label, const Stream& stream) {
  const int ndim = label.shape.size();
  return note(label.operation, label.dtype, ndim, label.shape.begin(),
              std::min(ndim, Launch::kShownDims), stream);
}

uint64_t note_launch(const char* kernel, const LaunchShape& shape, const Stream& stream) {
  int64_t dims[Launch::kShownDims] = {shape.grid[0], shape.grid[1], shape.grid[2], 0};
  for (int axis = 0; axis < 3; ++axis) dims[3] |= int64_t{shape.block[axis]} << (kBlockBits * axis);
  return note(kernel, kNoDType, 3, dims, Launch::kShownDims, stream);
}

void forget_launch(uint64_t number) {
  entries[number % kEntries].number.compare_exchange_strong(number, 0);
}

void note_call_site(uint64_t number) {
  const CallSite site = call_site();
  const LockGuard lock(call_sites_mutex);
  call_sites[number % kEntries] = {number, site};
}

uint64_t last_launch() { return last_number.load(); }

void note_done(const Stream& stream, uint64_t up_to) {
  note_done(stream.device(), stream.handle(), up_to);
}

void note_done(Device device, uintptr_t stream, uint64_t up_to) {
  note_wait(device, stream, up_to);
}

void wait_for_work(const Stream& stream) {
  const uint64_t up_to = last_launch();
  GPUARRAY_CHECK(cuStreamSynchronize(stream_handle(stream.handle())));
  note_done(stream, up_to);
}

void wait_for_work(Device device) {
  if (is_capturing(device))
    throw CaptureError("synchronize: a graph is being captured on " + to_string(device) +
                       ", so that the device cannot be waited for");
  const uint64_t up_to = last_launch();
  GPUARRAY_CHECK(cuCtxSynchronize());
  note_wait(device, kAllStreams, up_to);
}

std::vector<Launch> pending_launches(Device device, size_t most) {
  std::vector<Launch> pending;
  Waits waits;
  const uint64_t last = last_number.load();
  const uint64_t first = last < kEntries ? 1 : last - kEntries + 1;
  for (uint64_t number = last; number >= first && pending.size() < most; --number) {
    const std::optional<Values> values = read_entry(number);
    if (!values) continue;
    if (values->operation == nullptr)
      waits.add(*values);
    else if ((device.is_cpu() || values->device == device.index) && !waits.cover(*values, number))
      pending.push_back(launch_of(*values, number));
  }
  return pending;
}

namespace {

Suspects find_suspects() noexcept {
  constexpr size_t kMost = 10;
  Suspects found{Device::cpu(), {}};
  CUcontext context = nullptr;
  if (driver_state().table.cuCtxGetCurrent(&context) == CUDA_SUCCESS)
    found.device = device_of_context(context);
  found.launches = pending_launches(found.device, kMost);
  return found;
}

[[maybe_unused]] const bool suspects_are_told = (set_suspect_finder(find_suspects), true);

}  // namespace
}  // namespace gpuarray
