// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <vector>

#include "backend/backend.hpp"
#include "backend/index_map.hpp"
#include "backend/loops/loops.hpp"

namespace gpuarray::host {

// A loop and the dtypes of its operands.
struct ElementwiseRow {
  // Chooses the loop that computes `op` in the dtype `loop`. Elements of 16 bits are looked up
  // where there are many, else computed in float32.
  ElementwiseRow(Op op, DType loop, int64_t size);
  // Takes operands of `dtypes` as they are. Without a loop the elements are copied.
  ElementwiseRow(loops::RowLoop loop, const DType* dtypes);

  loops::RowLoop row;
  DType natural[kMaxOperands];  // that the loop takes
  DType rounded[kMaxOperands];  // that the operation is defined in; each element has such a value
};

// Returns the loop that computes `op` in the dtype `loop`, or without an op converts to it.
ElementwiseRow row_of(std::optional<Op> op, DType loop, const ElementwisePlan& plan);

// Runs the rows of an element-wise plan by a loop that takes contiguous operands of its own dtypes:
// what has other steps or dtypes goes through blocks that stay in the first cache. Thread-safe.
class RowRunner {
 public:
  RowRunner(const ElementwiseRow& row, const ElementwisePlan& plan);

  // Runs elements [begin, end) of the plan, counted in C order.
  void run(int64_t begin, int64_t end) const;
  // Runs them with the operands' memory at `data`, as if all elements from 0 on were there.
  void run(int64_t begin, int64_t end, char* const* data) const;
  char* data(int k) const { return operands_[k].data; }

 private:
  static constexpr int64_t kBlock = 512;  // elements

  struct Operand {
    char* data;
    int64_t step;          // along the innermost axis, elements
    int itemsize;          // bytes in memory
    int natural_itemsize;  // bytes that the loop takes
    // Rounds what `cast` converts then; null where that has a value of the rounded dtype anyway.
    loops::RowLoop rounding;
    loops::RowLoop cast;  // null where the dtypes are the same
    bool is_direct;       // whether the loop takes it as it lies in memory
    bool is_repeated;     // whether the loop takes one element for all
  };
  // Memory of one thread for a block of each operand.
  struct Blocks;

  // Sets the loops that convert the elements of operand k.
  void set_casts(const ElementwiseRow& row, int k);
  void run_row(char* const* data, int64_t count, Blocks& blocks) const;
  void run_block(char* const* data, int64_t done, int64_t count, Blocks& blocks) const;
  char* convert(const Operand& operand, char* from, int64_t count, char* packed, char* cast) const;
  char* load(const Operand& operand, char* from, int64_t count, char* packed, char* cast) const;
  void store(const Operand& target, char* to, char* made, int64_t made_step, int64_t count,
             char* packed) const;

  const loops::RowLoop loop_;
  const ElementwisePlan& plan_;
  const int count_;           // operands
  bool is_direct_ = true;     // whether all operands are
  bool is_constant_ = false;  // whether all elements of a row are the same
  Operand operands_[kMaxOperands];
};

// Runs a whole plan, as RowRunner does, on several threads where it is large. Transposed operands
// are copied before, a piece at a time.
void run_rows(const ElementwiseRow& row, const ElementwisePlan& plan);

// A copy of operand 1 to operand 0 as a map says: the elements of a row come from a stretch for
// each of its pieces. Holes are filled if the map says so. Thread-safe.
class MappedCopy {
 public:
  MappedCopy(const ElementwisePlan& plan, const IndexMap& map);

  // Runs elements [begin, end), counted in C order, as if all from 0 on were at `data`.
  void run(int64_t begin, int64_t end, char* const* data) const;

 private:
  static constexpr int kAxes = 2, kFence = 3;  // among the strides of the plan

  ElementwisePlan plan_;  // the axes of the map stand among its strides
  std::vector<AxisPieces> pieces_;
  std::optional<Scalar> fill_;
};

// Copies all of it, on several threads where it is large.
void copy_mapped(const ElementwisePlan& plan, const IndexMap& map);

// Runs steps a block of elements at a time, so that what they leave for each other stays in the
// first caches.
void run_steps(const Steps& steps);
// Returns what they cost.
StepsCost cost_of(const Steps& steps);

}  // namespace gpuarray::host
