// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "array/windows/end_reason.hpp"
#include "array/windows/fusion_mode.hpp"
#include "array/windows/joining.hpp"
#include "array/windows/prediction.hpp"
#include "array/windows/window.hpp"
#include "core/spin_lock.hpp"
#include "core/thread_safety.hpp"
#include "runtime/buffer/access.hpp"
#include "runtime/buffer/deferred.hpp"

// The recorder of a thread: its pending operations, what is known of what comes next, and how they
// run. docs/engine.md has the order of locks and the invariants.
namespace gpuarray::ops {

inline constinit std::atomic<TestedWindows> tested = TestedWindows::no;  // `no` in other modes

class Recorder;

// What the room keeps for the calling thread, in one place: each look-up of a thread's memory is a
// call of the loader's.
struct OfThread {
  Recorder* recorder = nullptr;
  bool is_in_window = false;
  bool has_ended = false;
};
extern constinit thread_local OfThread of_thread;

// Marks that this thread runs pending operations, and defers none.
class InWindow {
 public:
  InWindow() : before_(std::exchange(of_thread.is_in_window, true)) {}
  ~InWindow() { of_thread.is_in_window = before_; }
  static bool here() { return of_thread.is_in_window; }

 private:
  const bool before_;
};

// Returns the names of the operations, with blanks between them.
std::string names_of(const Steps& steps);
// Whether the operand may be read later, in the order of the elements of the shape.
inline bool can_wait(const Array& array, const Shape& shape) {
  const Buffer& buffer = *array.buffer();
  if (!buffer.is_private() || (buffer.kind() != MemoryKind::device && !buffer.device().is_cpu()))
    return false;
  if (array.is_c_contiguous() || array.shape() != shape || array.ndim() < 2) return true;
  return std::abs(array.strides().back()) <= 1;
}
// Whether each group and reduction is written to stderr.
inline constinit bool logs_groups = false;

// Records the operations of one thread, its owner. Any thread may run them. The lock is not held
// while operations run, for which the window is exchanged for an empty one; the owner records
// nothing meanwhile. Recorders live as long as the process: a thread that ends leaves its recorder
// to the next one.
class Recorder : public DeferredWork {
 public:
  Recorder();

  // The following are for the owner.

  // Return the recorder of the calling thread, which it gets at its first operation. They return
  // null where it has none, or, once the thread ends, gets none.
  static Recorder* here() { return of_thread.recorder; }
  static Recorder* made_here() { return here() != nullptr ? here() : make_here(); }
  static Recorder* make_here();
  // Adds an operation to the window, if it can wait. Returns whether it does.
  bool join(const Joining& joining, const StreamPtr& current, Fusion now);
  // Whether the group that makes what the operation, a reduction of rows, reduces has room for it.
  // True if none does.
  bool has_room_for_rows(const Joining& joining, const Stream& stream);
  // Queues a reduction that computes what it reduces by pending operations, which stay as they are.
  // Returns false if it does not: then all that waited has run. Throws what this throws, and what
  // the launch throws.
  bool reduce(const Reducing& reducing);
  // Runs what other threads have pending that the operation reads or writes, and what reads its
  // target. Returns whether it did.
  bool settle_others(const Joining& joining);
  bool settle_others(const Reducing& reducing);
  // Runs what is pending, or ends the history, before a call that could see results.
  void run_or_end_history(EndReason reason);
  // Ends the history before an operation that does not wait, unless its access runs what is
  // pending.
  void end_history_before_access();
  // Forgets what is known of sequences.
  void forget_sequences();

  // The following are for any thread.

  // Runs all that is pending, and waits for what another thread runs of it. Throws what it throws.
  void run_all() override { run_all(EndReason::needed); }
  void run_all(EndReason reason);
  // Whether pending operations read the memory.
  bool reads(const Buffer& buffer);
  // Notes the end of an array: `is_result` if pending operations make it, and `kept` bytes if only
  // the window has the memory from then on.
  void note_end(bool is_result, int64_t kept) noexcept;
  // Notes the end of an array whose memory a sketched operation may have made.
  void note_sketched_end(const Buffer& buffer);
  bool is_work_pending() const { return state_.load() == Deferred::work; }
  FusionStats stats();
  // Seeds what chooses the ends of windows in TestedWindows::adversary.
  void seed(unsigned number);

  // The list of recorders, which gives them to threads and takes them back (recorders.cpp). It
  // holds the locks of all at fork.
  friend class Recorders;

 private:
  // Operations on this part of a window's elements run beside it while it waits after a reduction.
  static constexpr int64_t kBesideShare = 4;
  // The reductions that compute pending operations by themselves until another one joins. More of
  // them would read more than they save.
  static constexpr int kMostReductions = 4;

  // Takes a window to run, with the lock held. May return null.
  using TakeWindow = std::function<std::unique_ptr<Window>()>;
  // Whether the window to be taken has to wait for the long use that the memory is in.
  using MustWait = std::function<bool(const Buffer& used)>;
  // Says how many operations of a window run. It is asked once the window is taken, because others
  // may join until then and results may die.
  using CountOfRun = std::function<size_t(const Window&)>;

  // How a window runs.
  struct Run {
    StreamPtr stream;
    Steps::Way way;
    std::optional<EndReason> reason;  // none: it is not counted
    uint64_t runs;                    // of the window, before this one
    const TakeWindow& take;
    const MustWait& must_wait;
    std::exception_ptr failure = nullptr;
    std::vector<BufferPtr> released = {};
  };

  // Say what calls from Python have to end (runtime/buffer/deferred.hpp).
  void set_state(Deferred value) {
    if (state_.load(std::memory_order_relaxed) != value ||
        deferred.load(std::memory_order_relaxed) != value)
      change_state(value);
  }
  void change_state(Deferred value);
  void update_state() REQUIRES(lock_);

  // Recording (recorder.cpp).
  bool settle_others(const Array& array, bool writes);
  bool may_join_beside(const Joining& joining, const StreamPtr& current, Fusion now);
  bool record(const Joining& joining, const StreamPtr& current, Fusion now) REQUIRES(lock_);
  bool is_room(const Joining& joining, const Stream& stream) REQUIRES(lock_);
  // Whether, since the operation was looked at, other threads have recorded operations on its
  // memory, have taken values of the target, or have lent the memory.
  bool is_taken(const Joining& joining) const REQUIRES(lock_);
  // Adds it to the window and marks its memory. Returns false, with nothing done, if it is taken.
  bool add_unless_taken(const Joining& joining) REQUIRES(lock_);
  // Runs what the operation cannot join. Afterwards it can join what is left. Returns whether other
  // threads may have run meanwhile.
  bool make_room(const Joining& joining, const StreamPtr& stream) REQUIRES(lock_);
  // Whether nothing waits or runs.
  bool is_idle() const REQUIRES(lock_) { return window_->empty() && runner_ == 0; }
  bool is_beside(const Joining& joining) REQUIRES(lock_);
  // Runs an operation while the window waits. Returns false, with nothing done, if it cannot.
  bool run_beside(const Joining& joining, const StreamPtr& stream) REQUIRES(lock_);
  // Whether the window keeps more memory than a fixed amount beyond the most that single operations
  // would have had in use since it began. `nbytes` are those of a new result or of memory that is
  // kept now.
  bool keeps_much(int64_t nbytes) REQUIRES(lock_);

  // What comes next (history.cpp).

  // Ends the history if a call from Python came since.
  void watch_history() REQUIRES(lock_);
  Prediction::Next predict(const Joining& joining) REQUIRES(lock_);
  Prediction::Next predict(const Reducing& reducing) REQUIRES(lock_);
  Prediction::Next add_operation(uint64_t operation, uint64_t wiring) REQUIRES(lock_);
  // Counts an operation, which is added to the history next.
  void begin_operation() REQUIRES(lock_);
  // Whether an operation of the history wrote the memory.
  bool is_of_history(const Array& array) const REQUIRES(lock_);
  // Returns how many operations ago one of the history wrote the memory; 0 if none did.
  uint64_t distance_to(const Array& array) const REQUIRES(lock_);
  bool reads_last_otherwise(const Joining& joining) const REQUIRES(lock_);
  bool is_on_rows(const Joining& joining) const REQUIRES(lock_);
  // Returns the shape of a window or sketch that begins with the operation.
  Shape shape_of(const Joining& joining) const REQUIRES(lock_);
  bool can_follow_history(const Joining& joining, const Stream& stream) REQUIRES(lock_);
  bool is_beside_history(const Joining& joining) const REQUIRES(lock_);
  bool is_followed(const Joining& joining, const StreamPtr& stream,
                   std::optional<Prediction::Next>& next) REQUIRES(lock_);
  // Whether the last operation of the history belongs to a plan whose kernels are there.
  bool follows_plan() REQUIRES(lock_);
  // Whether the last operation of the history, before which nothing waits, is to wait. If it is
  // not, it may begin a sketch: of a sequence that came before, or that goes on after another
  // sketch.
  bool begins_to_wait(Prediction::Next next, bool goes_on = false) REQUIRES(lock_);
  // Ends the history of the prediction, and with it the sketch.
  void end_history() REQUIRES(lock_);
  // Begins a sketch with the last operation of the history, unless there is a plan for it, whose
  // kernels are there, or many sketches began so. Returns whether it did.
  bool begin_sketch() REQUIRES(lock_);
  // Runs the window before an operation that its plan does not have. Returns the plan of the sketch
  // that it began for both, null if there is none: the operation did not come before, or what runs
  // has ended it.
  std::shared_ptr<Plan> end_plan(Prediction::Next next) REQUIRES(lock_);
  // Runs the window at once, or after so many deaths of results, if it ended there the last times.
  void await_end(Prediction::Next next) REQUIRES(lock_);
  // Adds an operation that runs at once to the sketch, if there is one.
  void add_to_sketch(const Joining& joining, const StreamPtr& stream) REQUIRES(lock_);
  // Adds a reduction that runs at once. Without a sketch, the node tells whether the reduction
  // computed its source, since operations on its result then run beside the waiting ones.
  void add_to_sketch(const Reducing& reducing, Window::Part& part) REQUIRES(lock_);
  // Notes that the last operation of the history is in the sketch, and so in its plan.
  void note_sketched() REQUIRES(lock_);
  // Has the kernels of the first operations of the sketch, or of all, compiled in the background.
  void prepare_sketch(const CountOfRun& count = &Window::size) REQUIRES(lock_);
  // Ends the sketch, whose plan is complete then.
  void end_sketch() REQUIRES(lock_);

  // Reductions (reducing.cpp).
  // Returns how a reduction of the array is to compute pending operations; nullopt if it is too
  // small for it or none does.
  std::optional<Steps::Way> way_to_reduce(const Array& source);
  // Has the kernel compiled that reduces the part. Returns its flag, null if there can be none.
  static ReadyFlag prepare_reduction(const Reducing& reducing, const Window::Part& part);
  bool reduce_locked(const Reducing& reducing, const StreamPtr& stream, Window::Part& part)
      REQUIRES(lock_);
  // Queues the reduction of a part of the window, unless the window runs before.
  bool queue_reduction(const Reducing& reducing, Window::Part& part, uint64_t runs,
                       const StreamPtr& stream);
  // Notes that a reduction of a part was queued, while the window had run so often.
  void note_reduction(const Reducing& reducing, const Window::Part& part, uint64_t runs)
      REQUIRES(lock_);

  // Running (run.cpp). They release the lock while they run or wait.

  // Runs the first operations of the window, or all. Throws what they throw.
  void run_window(EndReason reason, const CountOfRun& count = &Window::size) REQUIRES(lock_);
  // Opens memory on the stream, and then takes a window, runs it and keeps it, empty, as the spare
  // one. Throws what the operations throw.
  void run_taken(Run& run) REQUIRES(lock_);
  void run_unlocked(Run& run);
  void run_opened(Run& run, std::unique_ptr<Window> window, std::optional<BufferAccess>& access);
  // Opens memory for this thread alone, once no thread runs a window and the window to be taken
  // need not wait for other threads' copies. Takes the lock. Keeps what it throws as the failure.
  // So a window that was taken waits for no memory, but for what a user's allocator waits for: who
  // has some open finds none of CUDA that another thread has taken and cannot run.
  void open_alone(Run& run, std::optional<BufferAccess>& access) ACQUIRE(lock_);
  // Counts what a window had. Writes it, what it cost and saved, and what ended the window, to
  // stderr if that is wanted.
  void count(const Window& window, const FusionStats& found, bool is_one_pass, EndReason reason)
      REQUIRES(lock_);
  // Waits for the window that another thread runs now.
  void wait_for_runner() REQUIRES(lock_);

  // For the list (recorders.cpp).

  // Sets the number after which those of its operations come, which no other recorder has.
  void number_from(uint64_t number) REQUIRES(lock_) { operations_ = began_after_ = number; }
  // Ends the history, because the thread ends. Returns whether anything is left to run. The stream
  // is to be released without the lock.
  bool leave(StreamPtr& released) REQUIRES(lock_);
  // Has the next call of this thread from Python throw it.
  void keep_failure(std::exception_ptr failure);
  // Forgets the threads that a child of fork does not have, under all locks. A window that the
  // forking thread runs, in a user's allocator, goes on in the child.
  void forget_threads() REQUIRES(lock_);

  // These are under the lock of the list; `next_` does not change.
  Recorder* next_ = nullptr;
  bool is_owned_ = true;  // whether it belongs to a thread
  bool has_left_ = false;

  SpinLock lock_;
  std::atomic<Deferred> state_ = Deferred::nothing;
  std::atomic<uint32_t> ended_ = 0;        // windows that have run, for threads that wait for one
  uint64_t runner_ GUARDED_BY(lock_) = 0;  // the number of the thread that runs a window; 0: none
  std::unique_ptr<Window> window_ GUARDED_BY(lock_);
  std::unique_ptr<Window> spare_ GUARDED_BY(lock_);
  uint64_t runs_ GUARDED_BY(lock_) = 0;  // of the window
  // Reductions that computed pending operations, since one joined.
  int reductions_ GUARDED_BY(lock_) = 0;
  Prediction prediction_ GUARDED_BY(lock_);
  bool follows_ GUARDED_BY(lock_) = false;       // whether the history's operations wait, by a plan
  bool reduces_rows_ GUARDED_BY(lock_) = false;  // whether one of them reduces rows
  uint64_t operations_ GUARDED_BY(lock_) = 0;    // the number of the last one added to a history
  uint64_t began_after_ GUARDED_BY(lock_) = 0;   // the number before the history's first one
  // The number of the last element-wise operation of a history, and what it wrote of a buffer.
  uint64_t last_written_at_ GUARDED_BY(lock_) = ~uint64_t{0};
  int64_t last_offset_ GUARDED_BY(lock_) = 0;
  int64_t last_size_ GUARDED_BY(lock_) = 0;
  // The operations of the history that ran at once but are to wait later, and the plan that they
  // make; null where there is none.
  std::unique_ptr<Window> sketch_ GUARDED_BY(lock_);
  std::shared_ptr<Plan> sketched_ GUARDED_BY(lock_);
  int sketched_groups_ GUARDED_BY(lock_) = 0;
  int deaths_ GUARDED_BY(lock_) = 0;              // of results since the last operation
  int64_t kept_bytes_ GUARDED_BY(lock_) = 0;      // that only the window keeps
  int64_t most_bytes_ GUARDED_BY(lock_) = 0;      // in use beside them, since the window began
  int awaited_deaths_ GUARDED_BY(lock_) = 0;      // that the window runs after; 0: it does not
  std::exception_ptr failure_ GUARDED_BY(lock_);  // for the next call from Python
  FusionStats stats_ GUARDED_BY(lock_);
  std::minstd_rand random_ GUARDED_BY(lock_);
};

}  // namespace gpuarray::ops
