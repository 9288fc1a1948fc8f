// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "array/windows/fusion_mode.hpp"
#include "array/windows/prediction.hpp"
#include "array/windows/window.hpp"
#include "core/spin_lock.hpp"
#include "runtime/buffer/deferred.hpp"

// The window of the process: what waits, what is known of what comes next, and how it runs.
namespace gpuarray::ops {

// Memory of results that are gone, which nothing reads, for those that follow. So a temporary of a
// chain has that of the one before.
class UnusedMemory {
 public:
  bool empty() const { return count_ == 0; }
  bool is_full() const { return count_ == kMost; }
  void add(BufferPtr buffer) { buffers_[count_++] = std::move(buffer); }
  // Moves all of it.
  void release_to(std::vector<BufferPtr>& released) {
    while (count_ > 0) released.push_back(std::move(buffers_[--count_]));
  }
  // Returns memory of the size from the resource, null if there is none.
  BufferPtr take(int64_t nbytes, const MemoryResource* resource);

 private:
  static constexpr int kMost = 8;
  int count_ = 0;
  BufferPtr buffers_[kMost];
};

// The window of the process. The lock is not held while operations run, for which the window is
// exchanged for an empty one.
struct State {
  SpinLock lock;
  std::condition_variable_any ended;
  std::unique_ptr<Window> window = std::make_unique<Window>();
  std::unique_ptr<Window> spare = std::make_unique<Window>();
  int running = 0;  // 1 while a window runs, or a thread whose turn it is waits for the GIL,
  int turns = 0;    // which is 1 meanwhile
  bool gives_turns = true;  // until the interpreter ends
  int waiting = 0;          // threads that wait for what runs
  uint64_t runs = 0;        // of the window
  int reductions = 0;       // that computed what waits, since it was joined
  Prediction prediction;
  bool follows = false;               // whether the operations of the history wait, by a plan
  uint64_t operations = 0;            // that were added to histories
  uint64_t began_after = 0;           // how many of them, when the history began
  const void* last_buffer = nullptr;  // what the last operation in its history wrote,
  const void* last_target = nullptr;  // and where; they are only compared
  // The operations of the history that ran at once but are to wait later, and the plan that they
  // make; null where there is none.
  std::unique_ptr<Window> sketch = std::make_unique<Window>(Window::Kind::sketch);
  std::shared_ptr<Plan> sketched;
  int sketched_groups = 0;
  int deaths = 0;          // of results since the last operation
  UnusedMemory unused;     // empty while nothing waits
  int64_t kept_bytes = 0;  // that only the window keeps
  int64_t most_bytes = 0;  // that were in use without those, at a time since the window began
  int awaited_deaths = 0;  // that the window runs after; 0 if it waits for something else
  std::exception_ptr failure;
  FusionStats stats;
  std::minstd_rand random;
  TestedWindows wanted_by_tests = TestedWindows::no;
  bool logs = false;
};

using StateLock = std::unique_lock<SpinLock>;

inline constinit State* state = nullptr;
inline constinit std::atomic<Fusion> mode = Fusion::off;
inline constinit std::atomic<TestedWindows> tested = TestedWindows::no;  // `no` in other modes

// Marks that this thread runs operations of the window, and waits for no other.
class InWindow {
 public:
  InWindow();
  ~InWindow();
  static bool here();

 private:
  const bool before_;
};
// Returns whether this thread runs a window, which State::running counts.
bool runs_window_here();

// Whether the operand may be read later, in the order of the elements of the shape.
bool can_wait(const Array& array, const Shape& shape);
// Returns the names of the operations, with blanks between them.
std::string names_of(const Steps& steps);

// Says what calls from Python have to end (runtime/buffer/deferred.hpp), which is often the same as
// before. Another thread that could see the work has been told of it in some way, and so of this.
inline void set_deferred(Deferred value) {
  if (deferred.load(std::memory_order_relaxed) != value)
    deferred.store(value, std::memory_order_release);
}
void update_deferred();
// Ends the history of the prediction if a call from Python came since.
void watch_history();
// Counts an operation, which is added to the history next.
inline void begin_operation() {
  if (!state->prediction.is_open()) state->began_after = state->operations;
  ++state->operations;
}
// Adds it, and returns what comes next.
inline Prediction::Next add_operation(uint64_t operation, uint64_t wiring) {
  const Prediction::Next next = state->prediction.add(operation, wiring);
  if (state->prediction.is_anew()) state->began_after = state->operations - 1;
  return next;
}
// Returns how many operations ago one of the history wrote the memory; 0 if none did.
inline uint64_t distance_to(const Array& array) {
  const uint64_t written_at = array.buffer()->written_at();
  return written_at > state->began_after ? state->operations - written_at : 0;
}
// Whether the last operation of the history belongs to a plan whose kernels are there.
bool follows_plan();
// Whether the last operation of the history, before which nothing waits, is to wait. If it is not,
// it may begin a sketch.
bool begins_to_wait(Prediction::Next next);

// The following take the lock of the state, which they give up while they run or wait.

// Takes a window to run, with the lock held. May return null.
using TakeWindow = std::function<std::unique_ptr<Window>()>;
// Whether the window to be taken has to wait for the long use that the memory is in.
using MustWait = std::function<bool(const Buffer& used)>;
// Opens memory on the stream, and then takes a window, runs it and keeps it, empty, as the spare
// one. It is counted if there is a reason. Throws what the operations throw.
void run_taken(StateLock& lock, StreamPtr stream, Steps::Way way, const char* reason,
               const TakeWindow& take, const MustWait& must_wait);
// Says how many operations of a window run. It is asked once the window is taken, because others
// may join until then and results may die.
using CountOfRun = std::function<size_t(const Window&)>;
// Runs the first operations of the window, or all. Throws what they throw.
void run_window(StateLock& lock, const char* reason, const CountOfRun& count = &Window::size);
// Whether the window keeps more memory than a fixed amount beyond the most that single operations
// would have had in use since it began. `nbytes` are those of a new result or of memory that is
// kept now.
bool keeps_much(int64_t nbytes);
// Sets how much memory only the window keeps, from which results may take theirs.
void set_kept_bytes(int64_t nbytes);
// Lets new results look for memory here if there is any.
void update_memory_hook();
// Waits for the window that another thread runs, and for this one's turn while turns are given.
// None runs when it returns.
void wait_for_others(StateLock& lock);
// Ends the sketch, whose plan is complete then.
void end_sketch(StateLock& lock);
// Ends the history of the prediction, and with it the sketch.
void end_history(StateLock& lock);
// Has the kernels of the first operations of the sketch, or of all, compiled in the background.
void prepare_sketch(StateLock& lock, const CountOfRun& count = &Window::size);
// Notes that the last operation of the history is in the sketch, and so in its plan.
void note_sketched();
// Runs the window before an operation that its plan does not have.
void end_plan(StateLock& lock);
// Runs the window at once, or after so many deaths of results, if it ended there the last times.
void await_end(Prediction::Next next, StateLock& lock);

// Runs all that waits, before something that could see that it has not run.
void run_all();

}  // namespace gpuarray::ops
