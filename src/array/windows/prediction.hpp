// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

namespace gpuarray::ops {

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

  // Adds an operation, given by a number, to the history, and returns what comes next. The
  // operation that begins a history begins it anew when it comes again, so that a loop is known
  // from its second pass on.
  Next add(uint64_t operation);
  // Ends the history, because something came that joins nothing.
  void end();
  // Whether operations were added since.
  bool is_open() const { return last_ != nullptr; }
  // How many results of the operations go away after the last one and before what comes next, as it
  // was the last time; kUnknown if it did not end there yet.
  static constexpr uint8_t kUnknown = 255;
  uint8_t deaths() const { return last_ == nullptr ? kUnknown : last_->deaths; }
  void set_deaths(uint8_t deaths) {
    if (last_ != nullptr) last_->deaths = deaths;
  }

 private:
  static constexpr int kStates = 4096;
  static constexpr int kPlaces = 8;  // neighbouring ones that a state can have
  struct State {
    uint32_t tag = 0;
    uint8_t followed = 0;  // counts up to kMost of late
    uint8_t ended = 0;
    uint8_t deaths = kUnknown;
  };
  static constexpr uint8_t kMost = 3;

  static void count(uint8_t& seen, uint8_t& other);
  // Returns the state of the history. A new one takes the place of the one that was met least.
  State& find();

  State states_[kStates + kPlaces];
  State* last_ = nullptr;  // after the last operation; null at the begin
  uint64_t history_ = 0;
  uint64_t first_ = 0;
};

}  // namespace gpuarray::ops
