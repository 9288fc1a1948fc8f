// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "backend/index_map.hpp"
#include "core/dims.hpp"
#include "core/dtype.hpp"
#include "core/op.hpp"
#include "core/scalar.hpp"

namespace gpuarray {

struct ElementwisePlan;
struct ReducePlan;

inline constexpr int kMostOperands = 3;  // that an operation reads
// Where an operand of a step comes from: an earlier step, memory, or a scalar of the loop's dtype.
struct StepOperand {
  enum class From : uint8_t { step, memory, scalar };
  From from;
  uint8_t index;  // in Steps::steps, memory or scalars
  DType dtype;
};

// What a step reduces rows by.
struct StepReduction {
  Reduction reduction;
  double correction;  // what averages subtract from the number of elements
};

// One of several operations that run together: an element-wise one, or a reduction of rows, which
// lie along the last axis. It is copied as two words.
struct alignas(8) Step {
  // None: the operand is converted. Several operands without one have maps, of which one reads
  // something for each element, and the others have holes there.
  std::optional<Op> op;
  DType loop;
  DType result;  // the dtype that the result is converted to
  uint8_t operand_count = 0;
  StepOperand operands[kMostOperands];
  int8_t target = -1;  // the memory that the result is written to, or -1
  // Whether there is a result for each element, for each row, or for each row by the reduction of
  // this number in Steps::reductions.
  static constexpr int8_t kWhole = -1, kRow = -2;
  int8_t result_of = kWhole;

  bool is_row() const { return result_of != kWhole; }
  bool reduces() const { return result_of >= 0; }
  // Returns the dtype that operand k is converted to.
  DType natural(int k) const {
    if (reduces()) return operands[k].dtype;
    if (!op) return result;
    return k == 0 && info(*op).rule == OpRule::SELECT ? DType::bool_ : loop;
  }
};

// Memory that steps read or write, an element for each of the shape. A map tells which element a
// step reads that only converts it to its own dtype: the memory may have more or fewer elements.
struct StepMemory {
  StepMemory(void* address, DType type, const Strides& steps, int8_t map_number = -1)
      : data(address), dtype(type), map(map_number), strides(steps) {}

  void* data;
  DType dtype;
  int8_t map;       // in Steps::maps, or -1
  Strides strides;  // elements
};

// How long an element takes a step: an addition or comparison, a division or root, or more.
enum class StepKind : uint8_t { simple, division, function };
StepKind kind_of(const Step& step);

// Whether memory has an element for each of the shape, and repeats none.
bool is_whole(const Shape& shape, const Strides& strides);

// What a device is predicted to take for steps, in microseconds (backend/tuning.hpp).
struct StepsCost {
  double alone = 0;         // each by itself
  double together = 0;      // in one pass
  double saved = 0;         // by the pass at least, since predictions err
  int64_t bytes_saved = 0;  // that the pass does not move
};

// Operations over one shape, element-wise or reductions of its rows. What a step writes is read by
// other steps at the same element only, unless no memory overlaps it. Memory with an element for
// each row has a stride of 0 along them. The memory is borrowed.
struct Steps {
  Shape shape;
  int64_t size = 0;
  bool is_plain = true;  // whether all memory is C-contiguous
  // How they run, for tests: each alone, or compiled before they run.
  enum class Way : uint8_t { usual, alone, compiled } way = Way::usual;
  std::vector<Step> steps;
  std::vector<StepMemory> memory;
  std::vector<Scalar> scalars;
  std::vector<IndexMap> maps;
  std::vector<StepReduction> reductions;

  // Returns whether there are steps with a result for each row.
  bool has_rows() const { return std::ranges::any_of(steps, &Step::is_row); }
  // Returns whether parameters of kernels have room for all maps, and for others.
  bool has_room_for_maps(std::span<const IndexMap> others = {}) const;
  // Returns the map by which step i reads operand k, null without one.
  const IndexMap* map_of(size_t i, int k = 0) const;
  // Returns the name of step i: of its operation or index map, or "cast".
  const char* name_of(size_t i) const;
  // Returns whether the operand is the result of a step that is not written to the memory.
  bool is_unwritten(const StepOperand& operand) const;
  // Fills an empty plan with step i alone, which is element-wise. results[k] is where the result of
  // step k lies, C-contiguous, if it is unwritten.
  void fill_plan(ElementwisePlan& plan, size_t i, void* const* results) const;
  // The same with the target and operand k alone.
  void fill_plan(ElementwisePlan& plan, size_t i, int k, void* const* results) const;
  // Returns the plan of step i alone, which reduces rows, without its target. An unwritten result
  // is at an aligned address if `results` is null.
  ReducePlan plan_of(size_t i, void* const* results) const;
  // Returns the elements of the result of a step.
  int64_t size_of(const Step& step) const { return step.is_row() ? size / shape.back() : size; }
  // Return the bytes of memory that step i moves for an element: by itself; in one pass, where
  // memory that an earlier step reads, of the set `read`, is in the cache; and for one operand. A
  // view of an array some rows beside another one is in the cache, too. They add what they read.
  int64_t bytes_alone(size_t i) const;
  int64_t bytes_in_pass(size_t i, uint64_t& read) const;
  int64_t bytes_read(const StepOperand& operand, uint64_t& read) const;
  // The same for all operands that a step has in memory.
  int64_t bytes_read(const Step& step, uint64_t& read) const;
  // Returns for each step the last one that reads its result, or the step itself if none does.
  std::vector<size_t> last_uses() const;
};

}  // namespace gpuarray
