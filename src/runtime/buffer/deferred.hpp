// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cstdint>

// Work on buffers that a thread has recorded and that runs later (array/windows/recorder.hpp).
// docs/engine.md says what runs it.
namespace gpuarray {

class Buffer;

// What a thread defers. The later values include the earlier ones.
enum class Deferred : uint8_t {
  nothing,
  history,  // it is watched what comes after the last operations
  sketch,   // and which of their results are still in use then
  work,
  by_thread,  // of several threads, each of which has a value of its own
};

// The value of the only thread that defers anything, or `by_thread`. It is read without a lock.
// Where it is `nothing`, there is no need to call run_deferred().
inline constinit std::atomic<Deferred> deferred = Deferred::nothing;

// Whether there may be work.
inline bool is_work_deferred() {
  return deferred.load(std::memory_order_relaxed) >= Deferred::work;
}

// Whether the end of an array is to be told.
inline bool are_ends_watched() {
  return deferred.load(std::memory_order_relaxed) >= Deferred::sketch;
}

// The work that one thread has recorded. It lives as long as the process.
class DeferredWork {
 public:
  // Runs all of it, and waits for what another thread runs of it. Throws what it throws.
  // Thread-safe.
  virtual void run_all() = 0;

 protected:
  ~DeferredWork() = default;
};

struct DeferredHooks {
  void (*end_own)();
  void (*run_own)();
  void (*run_all)();
  void (*run_readers)(const Buffer& buffer);
};
// Sets what the following call; without it they do nothing.
void set_deferred_hooks(const DeferredHooks& hooks);
// Runs the work of this thread, or ends its history if there is none. Throws what the work throws.
void run_deferred();
// The same for a call that joins it in some cases but not in this one. Where nothing is pending, an
// access would not end the history.
inline void run_deferred_first() {
  if (deferred.load(std::memory_order_relaxed) != Deferred::nothing) [[unlikely]]
    run_deferred();
}
// Run the work of this thread, of all threads, or that which reads the buffer. They throw what the
// work throws. Thread-safe.
void run_deferred_work();
void run_all_deferred();
void run_deferred_readers(const Buffer& buffer);

}  // namespace gpuarray
