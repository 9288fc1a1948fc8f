// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/host/row_runner.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "backend/host/copy.hpp"
#include "backend/host/threads.hpp"
#include "backend/host/transpose.hpp"
#include "backend/host/walk.hpp"
#include "backend/loops/levels.hpp"
#include "core/layout.hpp"

namespace gpuarray::host {
namespace {

// Returns the loop that converts elements; null if the dtypes are the same.
loops::RowLoop loop_between(DType from, DType to) {
  if (from == to) return nullptr;
  return loops::table().casts[static_cast<int>(from)][static_cast<int>(to)];
}

}  // namespace

struct RowRunner::Blocks {
  alignas(64) char packed[kMaxOperands][kBlock * kMaxItemsize];
  alignas(64) char cast[kMaxOperands][kBlock * kMaxItemsize];
};

RowRunner::RowRunner(const ElementwiseRow& row, const ElementwisePlan& plan)
    : loop_(row.row), plan_(plan), count_(plan.operand_count) {
  const int inner = plan.shape.size() - 1;
  const int64_t row_length = inner < 0 ? 1 : plan.shape[inner];
  is_constant_ = row_length > 1;
  const bool has_steps = row_length != 1;
  // A binary loop takes one repeated operand; the other one is then loaded into a block.
  const bool left_repeats = count_ == 3 && !(has_steps && plan.strides[2][inner] == 0);
  for (int k = 0; k < count_; ++k) {
    Operand& operand = operands_[k];
    const bool is_scalar = plan.data[k] == nullptr;
    operand.data = is_scalar ? reinterpret_cast<char*>(const_cast<unsigned char*>(plan.scalar(k)))
                             : static_cast<char*>(plan.data[k]);
    operand.step = has_steps ? plan.strides[k][inner] : 1;
    operand.itemsize = itemsize(plan.dtypes[k]);
    operand.natural_itemsize = itemsize(row.natural[k]);
    operand.rounding = operand.cast = nullptr;
    if (plan.dtypes[k] != row.natural[k] || row.rounded[k] != row.natural[k]) set_casts(row, k);
    const bool is_one = operand.step == 0;
    if (k > 0) is_constant_ = is_constant_ && is_one;
    operand.is_repeated = is_one && (k == 1 ? left_repeats : k > 1 && count_ >= 3);
    operand.is_direct = operand.cast == nullptr && (operand.step == 1 || operand.is_repeated);
    is_direct_ = is_direct_ && operand.is_direct;
  }
}

void RowRunner::set_casts(const ElementwiseRow& row, int k) {
  DType from = k == 0 ? row.natural[k] : plan_.dtypes[k];
  const DType to = k == 0 ? plan_.dtypes[k] : row.natural[k];
  const DType rounded = row.rounded[k];
  if (rounded != row.natural[k] && rounded != plan_.dtypes[k])
    operands_[k].rounding = loop_between(std::exchange(from, rounded), rounded);
  operands_[k].cast = loop_between(from, to);
}

// Returns the elements in the dtype that the loop takes, in one of the two blocks; they may lie in
// the first one.
char* RowRunner::convert(const Operand& operand, char* from, int64_t count, char* packed,
                         char* cast) const {
  constexpr int64_t kSteps[] = {1, 1};
  char* to = cast;
  if (operand.rounding != nullptr) {
    char* const pair[] = {cast, from};
    operand.rounding(pair, kSteps, count);
    from = cast;
    to = packed;
  }
  char* const pair[] = {to, from};
  operand.cast(pair, kSteps, count);
  return to;
}

// Returns the elements as the loop takes them, in one of the two blocks.
char* RowRunner::load(const Operand& operand, char* from, int64_t count, char* packed,
                      char* cast) const {
  const int64_t made = operand.is_repeated || is_constant_ ? 1 : count;
  if (operand.step != 1 && made > 1) {
    // A repeated element is converted once.
    const int64_t taken = operand.step == 0 && operand.cast != nullptr ? 1 : made;
    copy_elements(packed, 1, from, operand.step, taken, operand.itemsize);
    from = packed;
    if (taken < made) {
      char* const converted = convert(operand, packed, 1, packed, cast);
      char* const filled = converted == cast ? packed : cast;
      copy_elements(filled, 1, converted, 0, made, operand.natural_itemsize);
      return filled;
    }
  }
  return operand.cast == nullptr ? from : convert(operand, from, made, packed, cast);
}

// Writes what the loop has made to its place in memory.
void RowRunner::store(const Operand& target, char* to, char* made, int64_t made_step, int64_t count,
                      char* packed) const {
  const int64_t steps[] = {1, 1}, converted = made_step == 0 ? 1 : count;
  if (target.rounding != nullptr) {
    char* const data[] = {packed, made};
    target.rounding(data, steps, converted);
    std::swap(made, packed);
  }
  if (target.cast != nullptr) {
    char* const data[] = {target.step == 1 && made_step == 1 ? to : packed, made};
    target.cast(data, steps, converted);
    if (data[0] == to) return;
    made = packed;
  }
  copy_elements(to, target.step, made, made_step, count, target.itemsize);
}

void RowRunner::run_block(char* const* data, int64_t done, int64_t count, Blocks& blocks) const {
  char* at[kMaxOperands];
  int64_t steps[kMaxOperands];
  for (int k = 0; k < count_; ++k) {
    const Operand& operand = operands_[k];
    at[k] = data[k] + done * operand.step * operand.itemsize;
    steps[k] = operand.is_repeated ? 0 : 1;
    if (k > 0 && !operand.is_direct)
      at[k] = load(operand, at[k], count, blocks.packed[k], blocks.cast[k]);
  }
  const Operand& target = operands_[0];
  char* const to = at[0];
  if (is_constant_) {
    at[0] = blocks.cast[0];
    loop_(at, steps, 1);
    return store(target, to, at[0], 0, count, blocks.packed[0]);
  }
  if (target.is_direct) return loop_(at, steps, count);
  at[0] = blocks.cast[0];
  loop_(at, steps, count);
  store(target, to, at[0], 1, count, blocks.packed[0]);
}

void RowRunner::run_row(char* const* data, int64_t count, Blocks& blocks) const {
  const int64_t most = is_constant_ ? count : kBlock;
  for (int64_t done = 0; done < count; done += most)
    run_block(data, done, std::min(most, count - done), blocks);
}

void RowRunner::run(int64_t begin, int64_t end) const {
  char* at[kMaxOperands];
  for (int k = 0; k < count_; ++k) at[k] = operands_[k].data;
  run(begin, end, at);
}

void RowRunner::run(int64_t begin, int64_t end, char* const* data) const {
  int64_t steps[kMaxOperands];
  for (int k = 0; k < count_; ++k) steps[k] = operands_[k].is_repeated ? 0 : 1;
  Blocks blocks;
  for_each_row(plan_, data, begin, end, [&](char** from, int64_t count, int64_t) {
    if (loop_ == nullptr)
      copy_elements(from[0], operands_[0].step, from[1], operands_[1].step, count,
                    operands_[0].itemsize);
    else if (is_direct_ && !is_constant_)
      loop_(from, steps, count);
    else
      run_row(from, count, blocks);
  });
}

namespace {

constexpr int64_t kLeastTurned = 1024;  // elements
constexpr int kLine = 64;               // bytes of a line of the cache

// Returns the bytes of memory that an element takes, about.
int64_t element_bytes(const ElementwisePlan& plan) {
  const int inner = plan.shape.size() - 1;
  int64_t bytes = 0;
  for (int k = 0; k < plan.operand_count; ++k)
    if (plan.data[k] != nullptr && (inner < 0 || plan.strides[k][inner] != 0))
      bytes += itemsize(plan.dtypes[k]);
  return std::max<int64_t>(bytes, 1);
}

bool is_turned(const ElementwisePlan& plan, int k) {
  return k > 0 && plan.data[k] != nullptr && turned_axis(plan.shape, plan.strides[k]) >= 0;
}

// Returns the elements of a line of the cache, the most of any transposed operand; 0 without one.
int64_t turned_line(const ElementwisePlan& plan) {
  int line = 0;
  for (int k = 0; k < plan.operand_count && plan.size >= kLeastTurned; ++k)
    if (is_turned(plan, k)) line = std::max(line, kLine / itemsize(plan.dtypes[k]));
  return line;
}

// Runs indices [begin, end) of the first axis.
void run_part(const ElementwiseRow& row, const ElementwisePlan& plan, int64_t begin, int64_t end) {
  ElementwisePlan part = plan;
  part.shape[0] = end - begin;
  part.size = element_count(part.shape);
  std::unique_ptr<char[]> copies[kMaxOperands];
  for (int k = 0; k < part.operand_count; ++k) {
    if (part.data[k] == nullptr) continue;
    const int64_t bytes = itemsize(part.dtypes[k]);
    part.data[k] = static_cast<char*>(part.data[k]) + begin * part.strides[k][0] * bytes;
    if (!is_turned(part, k)) continue;
    copies[k] = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(part.size * bytes));
    ElementwisePlan copy;
    copy.shape = part.shape;
    copy.size = part.size;
    copy.add(part.dtypes[k], copies[k].get()) = contiguous_strides(part.shape);
    copy.add(part.dtypes[k], part.data[k]) = part.strides[k];
    if (!copy_turned(copy)) continue;
    part.data[k] = copies[k].get();
    part.strides[k] = copy.strides[0];
  }
  RowRunner(row, part).run(0, part.size);
}

}  // namespace

void run_rows(const ElementwiseRow& row, const ElementwisePlan& plan) {
  const int64_t bytes = element_bytes(plan);
  if (const int64_t line = turned_line(plan); line > 0) {
    const int64_t row_bytes = plan.size / plan.shape[0] * bytes;
    return parallel_for(plan.shape[0], elements_of_piece(plan.shape[0], row_bytes, line),
                        [&](int64_t begin, int64_t end) { run_part(row, plan, begin, end); });
  }
  const RowRunner runner(row, plan);
  parallel_for(plan.size, elements_of_piece(plan.size, bytes),
               [&](int64_t begin, int64_t end) { runner.run(begin, end); });
}

}  // namespace gpuarray::host
