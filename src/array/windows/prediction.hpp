// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/backend.hpp"

namespace gpuarray::ops {

// The groups that a sequence of operations is to run as, and whether their kernels are there. The
// caller guards it.
class Plan {
 public:
  // Notes that add() will be called once more.
  void await_group() { ++awaited_; }
  // Adds a group, given by the flag of its kernel, null if there can be none, and by the
  // microseconds that it saves.
  void add(ReadyFlag is_compiled, double saved);
  // Notes that it will not.
  void forget_group() { --awaited_; }
  // Adds a group that the operations ran as instead of those here.
  void add_other(ReadyFlag is_compiled);
  // Notes that all groups were begun.
  void complete() { is_complete_ = true; }
  // Whether a sequence that waits runs by kernels that are there and saves time.
  bool is_ready() {
    while (!missing_.empty() && *missing_.back()) missing_.pop_back();
    return missing_.empty() && is_complete_ && awaited_ == 0 && !fails_ && saved_ > 0;
  }
  // Whether it may become so, and few of its operations were sketched since: they may run as other
  // groups, as the last pass of a loop does.
  bool takes_look() { return !fails_ && !is_useless() && !is_ready() && looks_ < kMostLooks; }
  void note_look() { ++looks_; }
  // Whether it saves no time.
  bool is_useless() const { return is_complete_ && awaited_ == 0 && saved_ <= 0; }
  // Whether it cannot become so.
  bool fails() const { return fails_; }

 private:
  static constexpr int kMost = 64;        // groups: what has more differs each time
  static constexpr int kMostLooks = 512;  // operations

  std::vector<ReadyFlag> missing_;
  int groups_ = 0;
  int awaited_ = 0;
  int looks_ = 0;
  double saved_ = 0;
  bool is_complete_ = false;
  bool fails_ = false;
};

// Predicts from what came after the same operations before whether another one will join them, as a
// processor predicts branches by their history: a number stands for the operations since the
// history began, and a table has for it what followed. The caller guards it.
class Prediction {
 public:
  enum class Next : uint8_t {
    unknown,  // these operations are new
    another,  // an operation that joins them
    nothing,  // something else
  };
  // How many results of the operations go away after the last one and before what comes next, as it
  // was the last time; kUnknown if it did not end there yet.
  static constexpr uint8_t kUnknown = 255;
  // What is known of the operations since the history began.
  struct Node {
    uint32_t tag = 0;
    uint8_t followed = 0;  // counts up to kMost of late
    uint8_t ended = 0;
    uint8_t deaths = kUnknown;
    bool computes = false;      // whether the last one is a reduction that computed what it reduced
    bool wants_sketch = false;  // whether operations followed that no sketch had
    uint8_t rest = 0;           // how many more times none begins here
    uint8_t misses = 0;         // of plans that begin here and saved no time, of late
    uint8_t skips = 0;          // how many more times nothing waits here therefore
    uint8_t sketches = 0;       // that began here
    std::shared_ptr<Plan> plan;  // of a sketch that had these operations
  };

  // Adds an operation, given by a number, to the history, and returns what comes next. `wiring`
  // tells operations of one number apart by which results they read. A pass of a loop begins where
  // the operation that began the history comes with the wiring of the pass before (Brent, "An
  // improved Monte Carlo factorization algorithm", 1980, looks for cycles so). There the history
  // begins anew with the last two passes, so that all later passes are alike, and other loops
  // differ.
  Next add(uint64_t operation, uint64_t wiring);
  // Ends the history, because something came that joins nothing.
  void end();
  // Has the next operation, which follows, begin a history.
  void restart();
  // Forgets all that is known.
  void forget();
  // Whether operations were added since.
  bool is_open() const { return last_ != nullptr; }
  // Whether the last operation began the history, or a pass of a long loop.
  bool is_at_begin() const { return is_at_begin_; }
  // Whether it began the history anew.
  bool is_anew() const { return is_anew_; }
  // Whether nothing was to come after the last operation.
  bool has_ended() const { return is_open() && last_->followed < last_->ended; }
  // Return what is known after the last operation, null if there is none, and after the first.
  Node* last() { return last_; }
  Node* first() { return first_node_; }
  uint8_t deaths() const { return last_ == nullptr ? kUnknown : last_->deaths; }
  void set_deaths(uint8_t deaths) {
    if (last_ != nullptr) last_->deaths = deaths;
  }

 private:
  static constexpr int kNodes = 4096;
  static constexpr int kPlaces = 8;  // neighbouring ones that a node can have
  static constexpr uint8_t kMost = 3;
  static constexpr uint64_t kLongLoop = 64;  // passes

  static void count(uint8_t& seen, uint8_t& other);
  // Returns the node of the history. A new one takes the place of the one that was met least.
  Node& find();

  Node nodes_[kNodes + kPlaces];
  Node* last_ = nullptr;  // after the last operation; null at the begin
  Node* first_node_ = nullptr;
  uint64_t history_ = 0;
  uint64_t first_ = 0;   // the operation that began it
  uint64_t loop_ = 0;    // the same with its wiring, where a pass begins
  uint64_t length_ = 0;  // passes of a loop
  uint64_t pass_ = 0;    // the operations since then
  uint64_t pass_before_ = 0;
  // How often first_ came since with another wiring, and may until a pass begins with that one.
  uint64_t other_ = 0;
  uint64_t most_other_ = 0;
  bool is_at_begin_ = false;
  bool is_anew_ = false;
};

}  // namespace gpuarray::ops
