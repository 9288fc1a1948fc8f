// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/host/row_runner.hpp"

#include <algorithm>

#include "backend/host/copy.hpp"
#include "backend/host/threads.hpp"
#include "backend/host/walk.hpp"
#include "backend/loops/levels.hpp"

namespace gpuarray::host {

struct RowRunner::Blocks {
  alignas(64) char packed[kMaxOperands][kBlock * kMaxItemsize];
  alignas(64) char cast[kMaxOperands][kBlock * kMaxItemsize];
};

bool RowRunner::takes_repeated(int k) const {
  // A binary loop takes one repeated operand; the other one is then loaded into a block.
  if (count_ < 3 || k == 0 || operands_[k].step != 0) return false;
  return k >= 2 || (count_ == 3 && operands_[2].step != 0);
}

RowRunner::RowRunner(loops::RowLoop loop, const ElementwisePlan& plan, const DType* natural)
    : loop_(loop), plan_(plan), count_(plan.operand_count) {
  const int inner = plan.shape.size() - 1;
  row_ = inner < 0 ? 1 : plan.shape[inner];
  is_constant_ = row_ > 1;
  for (int k = 0; k < count_; ++k) {
    Operand& operand = operands_[k];
    const bool is_scalar = plan.data[k] == nullptr;
    operand.data = is_scalar ? reinterpret_cast<char*>(const_cast<unsigned char*>(plan.scalar(k)))
                             : static_cast<char*>(plan.data[k]);
    operand.step = inner < 0 || row_ == 1 ? 1 : plan.strides[k][inner];
    operand.itemsize = itemsize(plan.dtypes[k]);
    operand.natural_itemsize = itemsize(natural[k]);
    const DType from = k == 0 ? natural[k] : plan.dtypes[k];
    const DType to = k == 0 ? plan.dtypes[k] : natural[k];
    operand.cast =
        from == to ? nullptr : loops::table().casts[static_cast<int>(from)][static_cast<int>(to)];
    if (k > 0) is_constant_ = is_constant_ && operand.step == 0;
  }
  for (int k = 0; k < count_; ++k) {
    Operand& operand = operands_[k];
    operand.is_repeated = takes_repeated(k);
    operand.is_direct = operand.cast == nullptr && (operand.step == 1 || operand.is_repeated);
    is_direct_ = is_direct_ && operand.is_direct;
  }
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
      char* const pair[] = {cast, packed};
      const int64_t steps[] = {1, 1};
      operand.cast(pair, steps, 1);
      copy_elements(packed, 1, cast, 0, made, operand.natural_itemsize);
      return packed;
    }
  }
  if (operand.cast == nullptr) return from;
  char* const pair[] = {cast, from};
  const int64_t steps[] = {1, 1};
  operand.cast(pair, steps, made);
  return cast;
}

// Writes what the loop has made to its place in memory.
void RowRunner::store(const Operand& target, char* to, char* made, int64_t made_step, int64_t count,
                      char* packed) const {
  if (target.cast != nullptr) {
    char* const data[] = {target.step == 1 && made_step == 1 ? to : packed, made};
    const int64_t steps[] = {1, 1};
    target.cast(data, steps, made_step == 0 ? 1 : count);
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
  char* data[kMaxOperands];
  int64_t steps[kMaxOperands];
  for (int k = 0; k < count_; ++k) {
    data[k] = operands_[k].data;
    steps[k] = operands_[k].is_repeated ? 0 : 1;
  }
  const auto move = [&](int axis, int64_t indices) {
    for (int k = 0; k < count_; ++k)
      data[k] += indices * plan_.strides[k][axis] * operands_[k].itemsize;
  };
  Odometer walk(plan_.shape, plan_.shape.size() - 1);
  int64_t column = 0;
  if (begin > 0) {
    walk.seek(begin / row_, move);
    column = begin % row_;
  }
  Blocks blocks;
  for (int64_t at = begin; at < end;) {
    const int64_t count = std::min(row_ - column, end - at);
    char* from[kMaxOperands];
    for (int k = 0; k < count_; ++k)
      from[k] = data[k] + column * operands_[k].step * operands_[k].itemsize;
    if (loop_ == nullptr)
      copy_elements(from[0], operands_[0].step, from[1], operands_[1].step, count,
                    operands_[0].itemsize);
    else if (is_direct_ && !is_constant_)
      loop_(from, steps, count);
    else
      run_row(from, count, blocks);
    at += count;
    column = 0;
    if (at < end) walk.next(move);
  }
}

void RowRunner::run_all() const {
  int64_t bytes = 0;  // of memory that an element takes, about
  for (int k = 0; k < count_; ++k) bytes += operands_[k].step == 0 ? 0 : operands_[k].itemsize;
  parallel_for(plan_.size, elements_of_piece(plan_.size, std::max<int64_t>(bytes, 1)),
               [this](int64_t begin, int64_t end) { run(begin, end); });
}

}  // namespace gpuarray::host
