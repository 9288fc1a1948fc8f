// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "array/windows/joining.hpp"
#include "array/windows/prediction.hpp"
#include "backend/steps.hpp"
#include "runtime/buffer/access.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray::ops {

// What ran together.
struct FusionStats {
  int64_t windows = 0;     // that ran
  int64_t operations = 0;  // that were in them
  int64_t unneeded = 0;    // of those, that were not computed, because nothing used their results
  int64_t temporary = 0;   // of those, whose results were not stored
  int64_t reductions = 0;  // that computed what they reduce by operations that wait
};

// Operations of one shape on one stream that were asked for and have not run yet: element-wise
// ones, reductions of its rows, and element-wise ones on what these gave, of an element for a row.
// Memory that they read is kept here; that of results is not, so that a result that nothing else
// uses is neither stored nor, unless others read it, computed.
//
// A sketch is a window of operations that have run, which tells as which groups they would have run
// had they waited. It keeps no memory and marks none.
class Window {
 public:
  static constexpr size_t kMostOperations = 255;  // StepOperand::index numbers them

  // Whether an operation can be added: there is room for it, and it can come after those here.
  enum class Room : uint8_t { yes, is_full, conflicts };

  enum class Kind : uint8_t { waits, sketch };

  // Of the work that its buffers name, which outlives it. Has room for all that it can hold, so
  // that nothing is half added.
  explicit Window(DeferredWork& work, Kind kind = Kind::waits);
  bool empty() const { return made_.empty(); }
  size_t size() const { return made_.size(); }
  // Makes an empty window one of a shape and a stream, which it keeps or only compares with.
  void open(const Shape& shape, const StreamPtr& stream);
  void open(const Shape& shape, const Stream& stream);
  // Lets go of the stream of a window to which nothing was added.
  void close() { stream_.reset(); }
  Device device() const { return stream_->device(); }
  const StreamPtr& stream() const { return stream_; }
  bool is_on(const Stream& stream) const { return stream_.get() == &stream; }
  // Returns whether the operation could be in the window, or in the last one if it is empty.
  bool is_of(const Joining& joining, const Stream& stream) const {
    return last_stream_ == &stream &&
           (steps_.shape == joining.whole().shape() || (has_rows() && is_on_rows(joining)));
  }
  // Returns whether the array has one element for each row of the window.
  bool is_of_rows(const Array& array) const;
  // Memory that is kept, and the bytes of it that are read.
  struct Held {
    BufferPtr buffer;  // owns nothing in a sketch
    int64_t offset;    // of the first element
    int64_t begin;
    int64_t end;
    bool is_plain;                     // C-contiguous, without broadcasting
    std::weak_ptr<Buffer> owner = {};  // of a sketch
    int last_read = -1;                // the last operation that reads it
  };
  // The operations that one result needs, and the memory that they read.
  struct Part {
    Steps steps;
    std::vector<Held> read;
  };
  // Tells the memory of a step where its elements lie. An access has the buffer open, which got its
  // memory then; a value may have moved before.
  static void place(const Buffer& buffer, int64_t offset, StepMemory& memory) {
    memory.data = static_cast<char*>(buffer.address()) + offset;
  }
  // Copies what computes the array to an empty part. Returns false if the array is no C-contiguous
  // result of the window, or if to compute it once more than the window does would take long.
  bool part_for(const Array& array, Part& part) const;
  // Notes that a reduction has computed the array.
  void note_computed(const Array& array);
  Room room_for(const Joining& joining);
  void add(const Joining& joining);
  // Returns after how many of the operations, at least half of them, the fewest results have to be
  // stored for what follows. A loop that fills the window is so cut where it repeats.
  // What follows reductions of rows has no kernel without them.
  size_t best_cut() const {
    return has_rows() ? made_.size() : best_cut(made_.size() - made_.size() / 2, made_.size());
  }
  // The same among `least` to `most` operations; all of them if none of these is possible.
  size_t best_cut(size_t least, size_t most) const;
  // Moves the operations from `first` on to an empty window, which is to run after this one and
  // finds the results of those before in memory.
  void move_rest(size_t first, Window& rest);
  // Makes an empty sketch one of the operations of a window that waits.
  void copy(const Window& waiting);
  // Returns how often this window holds the memory, which its operations read.
  int64_t holds(const Buffer* buffer) const;
  // Returns how much memory nothing else keeps.
  int64_t kept_bytes() const;
  // Returns how much memory would be allocated for results if the operations ran now.
  int64_t missing_bytes();
  // Returns the last operation that makes the memory, -1 if none does.
  int maker(const Buffer& buffer) const {
    return is_sketch() || buffer.is_deferred() ? find_maker(buffer) : -1;
  }
  // Notes again which memory the operations write, after another window that wrote it ran.
  void mark_results(std::vector<BufferPtr>& released) const;
  // Returns whether running it has to wait for the long use that the memory is in.
  bool must_wait_for(const Buffer& used) const;
  // Sets the plan by which the operations wait; null if there is none. A window of the rest has the
  // same.
  void set_plan(const std::shared_ptr<Plan>& plan) {
    if (plan_ != plan) plan_ = plan;
  }
  const std::shared_ptr<Plan>& plan() const { return plan_; }
  // Finds the results that are to be stored, because something may still use them. They are added
  // to the empty `stored`, the last ones first.
  void find_stored(std::vector<BufferPtr>& stored);
  // Finds them and gives them their memory, while this thread has excluded all other accesses. If
  // memory has run out, leaves only as few operations as possible, and moves the others to `rest`.
  // Throws as Buffer::allocate() does.
  void allocate(std::vector<BufferPtr>& stored, std::unique_ptr<Window>& rest);
  // Leaves the steps that they need, as steps() returns them.
  void leave_needed(FusionStats& stats);
  // Runs the operations, whose memory it opens. If it throws, the results are undefined. Returns
  // whether they ran in one pass.
  bool run(FusionStats& stats, Steps::Way way, BufferAccess& access,
           std::span<const BufferPtr> stored);
  // Makes the window empty. Memory whose release may call Python is added to `released`.
  void clear(std::vector<BufferPtr>& released);
  const Steps& steps() const { return steps_; }

 private:
  // The most memory that operations read, results that are alive, and scalars.
  static constexpr size_t kMostInputs = 16;
  static constexpr size_t kMostResults = 28;
  static constexpr size_t kMostScalars = 32;
  static constexpr size_t kMostRowReductions = 16;  // whose text repeats what each needs
  // The most time that steps take to compile, in simple steps: so a kernel takes about a second.
  static constexpr size_t kMostCompileTime = 256;
  // The most operations of a part, and the most whole arrays that it reads. Of four arrays it would
  // read more than is saved by not storing the result and not reading it.
  static constexpr size_t kMostOfPart = 32;
  static constexpr int kMostReadByPart = 3;

  // The result of an operation.
  struct Made {
    Made(const Array& target, int earlier);

    std::weak_ptr<Buffer> owner;
    const Buffer* buffer;            // the same, for comparing
    int earlier;                     // the operation that made the memory before this one, or -1
    int64_t offset;                  // in bytes, of the first element
    int64_t missing;                 // bytes of memory that the buffer has to get first
    const MemoryResource* resource;  // that they come from
    StepMemory target;               // at its offset, which tells how it is aligned, until place()
    bool is_plain;                   // C-contiguous
    bool is_computed = false;        // by a reduction
    bool is_stored = false;          // after find_stored()
  };

  void allocate(std::span<const BufferPtr> stored);
  bool is_full(size_t operands);
  // Note that operation i, which was added, makes its memory first and is sketched, and what it
  // reads.
  void note_result(size_t i);
  void note_reads(size_t i);
  // Leaves no result in results_ whose arrays are gone.
  void forget_dead_results();
  // Returns the number of memory, not among those taken, that only this window keeps and that the
  // result of operation i can have, because no later one reads it. Returns how many there are if
  // none is such.
  size_t find_dead(size_t i, uint32_t taken) const;
  // Returns the memory of a result that something beside this window has, else null.
  BufferPtr owner_of(const Made& made) const;
  bool is_alive(const Made& made) const {
    return !made.owner.expired() && (is_sketch() || owner_of(made) != nullptr);
  }
  bool is_sketch() const { return kind_ == Kind::sketch; }
  int find_maker(const Buffer& buffer) const;
  bool has_rows() const { return !steps_.reductions.empty(); }
  // Whether the operation is on what a step gave for each row.
  bool is_on_rows(const Joining& joining) const;
  // Whether the operation, which reduces rows or comes where some are reduced, can run in one pass
  // with those here.
  Room room_in_rows(const Joining& joining) const;
  bool may_hold_rows(const Joining& joining) const;
  // Returns the strides, over the window's shape, of an array in an operation over a shape: this
  // one, or one with an element for each row.
  Strides strides_of(const Array& array, const Shape& over) const;
  // Whether the memory that is held is still that one, whose address another may have got.
  bool is_held(const Held& held) const { return !is_sketch() || !held.owner.expired(); }
  // Whether other memory, an array's or another sketch's, is of the buffer that is held.
  bool is_held(const Held& held, const Held& other) const;
  // Adds to the set of operations all that those among the first `count` need, which it counts.
  size_t find_needed(size_t count, bool (&is_needed)[kMostOperations]) const;
  // Whether an operation that follows can read or write the array: either nothing here writes its
  // memory, or it is the very result of the last that does.
  bool can_follow(const Array& array, const Shape& over) const {
    return (!is_sketch() && !array.buffer()->is_deferred()) || is_last_made(array, over);
  }
  // The same where something writes it, or may in a sketch.
  bool is_last_made(const Array& array, const Shape& over) const;
  // The same for an operation that reads the array by a map: nothing here writes its memory.
  bool can_move(const Array& array) const;
  // The same for a target, which must not be memory that is read before in another order.
  bool can_write(const Array& target) const {
    return can_follow(target, target.shape()) &&
           ((!is_sketch() && !target.buffer()->is_read_later()) || !is_read_otherwise(target));
  }
  // Whether memory of the target is read in another order.
  bool is_read_otherwise(const Array& target) const;
  uint8_t scalar(const Scalar& value);
  uint8_t hold(const Array& array, const Shape& over);
  uint8_t hold(const Array& array, const IndexMap& map);
  uint8_t hold(const StepMemory& memory, const Held& held);
  // Holds memory number k of another window.
  uint8_t hold(const Window& other, size_t k);
  int8_t map(const IndexMap& value);

  DeferredWork& work_;
  const Kind kind_;
  std::shared_ptr<Plan> plan_;
  StreamPtr stream_;  // null while the window is empty and not opened
  const Stream* last_stream_ = nullptr;
  Steps steps_;
  std::vector<Made> made_;   // by the steps
  std::vector<Held> read_;   // the memory of the steps, in its order
  size_t compile_time_ = 0;  // the time that the steps take to compile
  // The operations that were the first to make their memory, but for some whose results are gone.
  std::vector<uint8_t> results_;
};

}  // namespace gpuarray::ops
