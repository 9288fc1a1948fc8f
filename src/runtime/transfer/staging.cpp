// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/transfer/staging.hpp"

#include <algorithm>
#include <exception>
#include <string>

#include "core/divide.hpp"
#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/fork.hpp"
#include "core/thread_safety.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/transfer/staging_pool.hpp"
#include "runtime/transfer/worker.hpp"

namespace gpuarray {
namespace {

constexpr int kMaxThreads = 256;
constexpr int64_t kMaxChunkBytes = int64_t{1} << 30;
constexpr int64_t kChunkStep = 64;  // every itemsize divides it
// Measured on an H200 with 16 cores, 2026-11: copying 1 GiB in / out into memory in use / out into
// new memory takes, in ms, with one thread 93 99 166, two 46 50 112, four 24 26 51, eight 21 20 32,
// twelve 20 20 27. Chunks of 2 and 8 MiB are no better. On an H100 with 16 slower cores, out into
// new memory, whose pages have to be cleared: eight 54, sixteen 38.
constexpr int kDefaultThreads = 16;
constexpr int64_t kDefaultChunkBytes = int64_t{4} << 20;
constexpr int64_t kLeastChunkBytes = int64_t{256} << 10;
constexpr int64_t kStagedFromBytes = int64_t{1} << 20;

StagingSettings checked_settings(StagingSettings settings, const char* threads,
                                 const char* chunk_bytes) {
  auto check = [](const char* what, int64_t value, int64_t most) {
    if (value >= 1 && value <= most) return;
    throw ValueError(std::string(what) + " must be from 1 to " + std::to_string(most) + ", got " +
                     std::to_string(value));
  };
  check(threads, settings.threads, kMaxThreads);
  check(chunk_bytes, settings.chunk_bytes, kMaxChunkBytes);
  settings.chunk_bytes = round_up(settings.chunk_bytes, kChunkStep);
  return settings;
}

StagingSettings initial_settings() {
  constexpr const char* kThreads = "GPUARRAY_STAGING_THREADS";
  constexpr const char* kBytes = "GPUARRAY_STAGING_BYTES";
  const int64_t threads =
      integer_variable(kThreads, std::min(kDefaultThreads, usable_processors()));
  const int64_t chunk_bytes = integer_variable(kBytes, kDefaultChunkBytes);
  const int bounded = static_cast<int>(std::clamp<int64_t>(threads, 0, kMaxThreads + 1));
  return checked_settings({bounded, chunk_bytes}, kThreads, kBytes);
}

HeldAtFork settings_mutex;

StagingSettings& settings_in_force() REQUIRES(settings_mutex) {
  static StagingSettings settings = initial_settings();
  return settings;
}

// Returns the chunk for a copy, which is small enough for each thread to copy several chunks.
int64_t chunk_for(int64_t nbytes, const StagingSettings& settings) {
  const int64_t share = nbytes / (int64_t{4} * settings.threads) / kChunkStep * kChunkStep;
  return std::min(std::max(share, kLeastChunkBytes), settings.chunk_bytes);
}

// Holds the lanes of one copy and returns them at the end of the scope.
class Loan {
 public:
  Loan(int64_t nbytes, const StagingSettings& settings, int64_t chunk_bytes)
      : lanes_(staging_pool().take(settings, wanted(nbytes, settings.threads, chunk_bytes))) {}
  ~Loan() { staging_pool().give_back(std::move(lanes_)); }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;

  const StagingLanes& lanes() const { return lanes_; }

 private:
  static int wanted(int64_t nbytes, int threads, int64_t chunk_bytes) {
    return static_cast<int>(std::min<int64_t>(threads, divide_up(nbytes, chunk_bytes)));
  }

  StagingLanes lanes_;
};

using CopyFunction = void (StagingLane::*)(StagedCopy&, Device);

// Runs `function` on all lanes, on the first one in this thread. Returns the first exception of any
// lane, or null.
std::exception_ptr run(const StagingLanes& lanes, CopyFunction function, StagedCopy& copy,
                       Device device) {
  std::vector<std::exception_ptr> errors(lanes.size());
  auto task = [&](size_t k) noexcept {
    try {
      DeviceGuard on(device);
      (*lanes[k].*function)(copy, device);
    } catch (...) {  // the first of them is returned
      errors[k] = std::current_exception();
    }
  };
  std::vector<Worker*> started;
  started.reserve(lanes.size());
  for (size_t k = 1; k < lanes.size(); ++k) {
    Worker* worker = lanes[k]->worker();
    if (worker == nullptr) break;  // the lanes that do run copy everything
    worker->start([&task, k] { task(k); });
    started.push_back(worker);
  }
  task(0);
  for (Worker* worker : started) worker->wait();
  auto failed = std::find_if(errors.begin(), errors.end(), [](auto& error) { return error; });
  return failed == errors.end() ? nullptr : *failed;
}

}  // namespace

StagingSettings staging_settings() {
  const LockGuard lock(settings_mutex);
  return settings_in_force();
}

void set_staging_settings(StagingSettings settings) {
  settings = checked_settings(settings, "threads", "chunk_bytes");
  const LockGuard lock(settings_mutex);
  settings_in_force() = settings;
}

bool worth_staging(int64_t nbytes) {
  return nbytes > std::min(kStagedFromBytes, staging_settings().chunk_bytes);
}

bool stage_in(void* target, const HostBytes& source, const Stream& stream) {
  const StagingSettings settings = staging_settings();
  const Device device = stream.device();
  DeviceGuard on(device);
  const int64_t chunk_bytes = chunk_for(source.nbytes(), settings);
  Loan loan(source.nbytes(), settings, chunk_bytes);
  if (loan.lanes().empty()) return false;
  StagedCopy copy(target, source, chunk_bytes);
  // This is done in the calling thread, because the handle of a per-thread stream refers to it.
  for (const auto& lane : loan.lanes()) lane->stream(device).wait_for(stream);
  std::exception_ptr error = run(loan.lanes(), &StagingLane::copy_in, copy, device);
  for (const auto& lane : loan.lanes()) stream.wait_for(lane->stream(device));
  if (error != nullptr) std::rethrow_exception(error);
  return true;
}

bool stage_out(const HostBytes& target, const void* source, const Stream& stream) {
  const StagingSettings settings = staging_settings();
  DeviceGuard on(stream.device());
  // Waiting first keeps the lanes free for other copies while earlier work of the stream runs.
  stream.finish();
  const int64_t chunk_bytes = chunk_for(target.nbytes(), settings);
  Loan loan(target.nbytes(), settings, chunk_bytes);
  if (loan.lanes().empty()) return false;
  StagedCopy copy(source, target, chunk_bytes);
  std::exception_ptr error = run(loan.lanes(), &StagingLane::copy_out, copy, stream.device());
  if (error != nullptr) std::rethrow_exception(error);
  return true;
}

}  // namespace gpuarray
