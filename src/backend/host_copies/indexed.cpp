// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "backend/host/host.hpp"
#include "backend/host/walk.hpp"
#include "core/layout.hpp"
#include "kernels/indexing/index_axis.hpp"
#include "runtime/stream/noted_errors.hpp"

namespace gpuarray::host {
namespace {

constexpr int64_t kBlock = 512;  // offsets that are found before elements are moved

// The first axes of a plan, its innermost axis, and the runs that follow it. Elements of a run
// share their indices and are contiguous both in the array and in the values.
struct Runs {
  IndexedPlan plan;     // with axes merged
  int inner = -1;       // the innermost axis of `plan` that is walked; -1 if there is none
  int64_t columns = 1;  // its extent
  int64_t bytes;        // of a run
  int64_t itemsize;
  bool is_fixed = true;  // whether the indices are the same ones for all rows of columns
};

// Merges the axes of a plan along which everything goes on with one stride.
void merge(IndexedPlan& plan) {
  std::vector<Strides> strides{plan.array_strides, plan.values_strides};
  for (const IndexedPlan::Axis& axis : plan.axes) strides.push_back(axis.strides);
  merge_axes(plan.shape, strides);
  plan.array_strides = strides[0];
  plan.values_strides = strides[1];
  for (size_t k = 0; k < plan.axes.size(); ++k) plan.axes[k].strides = strides[k + 2];
}

Runs runs_of(const IndexedPlan& given) {
  Runs runs{.plan = given, .bytes = itemsize(given.dtype), .itemsize = itemsize(given.dtype)};
  IndexedPlan& plan = runs.plan;
  merge(plan);
  runs.inner = plan.shape.size() - 1;
  bool is_run = runs.inner >= 0 && plan.array_strides[runs.inner] == 1 &&
                plan.values_strides[runs.inner] == 1;
  for (const IndexedPlan::Axis& axis : plan.axes) is_run = is_run && axis.strides[runs.inner] == 0;
  if (is_run) runs.bytes *= plan.shape[runs.inner--];
  if (runs.inner >= 0) runs.columns = plan.shape[runs.inner];
  for (const IndexedPlan::Axis& each : plan.axes)
    for (int axis = 0; axis < runs.inner; ++axis)
      runs.is_fixed = runs.is_fixed && each.strides[axis] == 0;
  return runs;
}

int64_t stride_along(const Strides& strides, int axis) { return axis < 0 ? 0 : strides[axis]; }

// Walks the rows of columns and keeps the offsets, in elements, of the array, the values and each
// array of indices.
class RowWalk {
 public:
  explicit RowWalk(const Runs& runs)
      : plan_(runs.plan), walk_(runs.plan.shape, runs.inner), index_(runs.plan.axes.size(), 0) {
    for (int axis = 0; axis < runs.inner; ++axis) rows_ *= runs.plan.shape[axis];
  }

  int64_t rows() const { return rows_; }
  int64_t array() const { return array_; }
  int64_t value() const { return value_; }
  int64_t index(size_t k) const { return index_[k]; }

  void next() {
    walk_.next([this](int axis, int64_t steps) {
      for (size_t k = 0; k < index_.size(); ++k) index_[k] += steps * plan_.axes[k].strides[axis];
      array_ += steps * plan_.array_strides[axis];
      value_ += steps * plan_.values_strides[axis];
    });
  }

 private:
  const IndexedPlan& plan_;
  Odometer walk_;
  std::vector<int64_t> index_;
  int64_t rows_ = 1;
  int64_t array_ = 0;
  int64_t value_ = 0;
};

// Throws IndexError for the first element, in C order, that has an index out of bounds; there must
// be one.
template <class Index>
[[noreturn]] void throw_first(const Runs& runs) {
  const IndexedPlan& plan = runs.plan;
  RowWalk walk(runs);
  for (int64_t row = 0; row < walk.rows(); ++row, walk.next())
    for (int64_t column = 0; column < runs.columns; ++column)
      for (size_t k = 0; k < plan.axes.size(); ++k) {
        const IndexedPlan::Axis& axis = plan.axes[k];
        const int64_t at = walk.index(k) + column * stride_along(axis.strides, runs.inner);
        const int64_t index = static_cast<const Index*>(axis.index)[at];
        if (index < -axis.length || index >= axis.length)
          throw_index_error(plan.operation, index, axis.number, axis.length);
      }
  std::abort();
}

// Writes the position along an axis of `length` elements of each of `count` indices, of which
// negative ones count from the end if `from_end`. Returns whether all are in bounds. There is no
// comparison, so that compilers make vectors of 64-bit integers on every processor: `wrong` is
// negative once a position or its distance to the last one was.
template <bool from_end, class Index>
bool find_positions(int64_t length, const Index* index, int64_t stride, int64_t count,
                    int64_t* positions) {
  int64_t wrong = 0;
  for (int64_t i = 0; i < count; ++i) {
    int64_t position = index[i * stride];
    if constexpr (from_end) position += position >> 63 & length;
    wrong |= position | (length - 1 - position);
    positions[i] = position;
  }
  return wrong >= 0;
}

// Does the same for any mode. Returns whether the mode has a position for each index, which only
// those out of bounds need to be asked for.
template <IndexMode mode, class Index>
bool resolve(int64_t length, const Index* index, int64_t stride, int64_t count,
             int64_t* positions) {
  constexpr bool from_end = mode != IndexMode::clip;
  const bool found = stride == 1
                         ? find_positions<from_end>(length, index, 1, count, positions)
                         : find_positions<from_end>(length, index, stride, count, positions);
  if (found || mode == IndexMode::raise) return found;
  const IndexAxis axis{length, 1, mode, 0, nullptr, nullptr};
  for (int64_t i = 0; i < count; ++i) axis.find(index[i * stride], positions[i]);
  return true;
}

// Finds the offsets of `count` columns, the first of which has `first`, of the row that the walk is
// at. Throws IndexError.
template <IndexMode mode, class Index>
void find_offsets(const Runs& runs, const RowWalk& walk, int64_t first, int64_t count,
                  int64_t* offsets) {
  bool found = true;
  int64_t positions[kBlock];
  for (size_t k = 0; k < runs.plan.axes.size(); ++k) {
    const IndexedPlan::Axis& axis = runs.plan.axes[k];
    const int64_t stride = stride_along(axis.strides, runs.inner);
    const auto* index = static_cast<const Index*>(axis.index) + walk.index(k) + first * stride;
    found &= resolve<mode>(axis.length, index, stride, count, k == 0 ? offsets : positions);
    if (k == 0 && axis.step != 1)
      for (int64_t i = 0; i < count; ++i) offsets[i] *= axis.step;
    else if (k > 0)
      for (int64_t i = 0; i < count; ++i) offsets[i] += positions[i] * axis.step;
  }
  if (!found) throw_first<Index>(runs);
}

// Calls move(array, values, array_step, value_step, offsets, count) for blocks of columns, with
// steps and offsets in elements.
template <IndexMode mode, class Index, class Move>
void walk_blocks(const Runs& runs, Move&& move) {
  const IndexedPlan& plan = runs.plan;
  const int64_t array_step = stride_along(plan.array_strides, runs.inner);
  const int64_t value_step = stride_along(plan.values_strides, runs.inner);
  const bool keeps = runs.is_fixed && runs.columns <= kBlock;
  alignas(64) int64_t offsets[kBlock];
  RowWalk walk(runs);
  for (int64_t row = 0; row < walk.rows(); ++row, walk.next())
    for (int64_t first = 0; first < runs.columns; first += kBlock) {
      const int64_t count = std::min(kBlock, runs.columns - first);
      if (row == 0 || !keeps) find_offsets<mode, Index>(runs, walk, first, count, offsets);
      move(static_cast<char*>(plan.array) + (walk.array() + first * array_step) * runs.itemsize,
           static_cast<char*>(plan.values) + (walk.value() + first * value_step) * runs.itemsize,
           array_step, value_step, offsets, count);
    }
}

template <class Move>
void for_each_block(const Runs& runs, Move&& move) {
  const auto with_mode = [&]<class Index>() {
    switch (runs.plan.mode) {
      case IndexMode::wrap:
        return walk_blocks<IndexMode::wrap, Index>(runs, move);
      case IndexMode::clip:
        return walk_blocks<IndexMode::clip, Index>(runs, move);
      default:
        return walk_blocks<IndexMode::raise, Index>(runs, move);
    }
  };
  if (element_count(runs.plan.shape) == 0) return;
  if (runs.plan.index_dtype == DType::int32)
    with_mode.template operator()<int32_t>();
  else
    with_mode.template operator()<int64_t>();
}

// Throws IndexError if an index is out of bounds.
void check(Runs runs) {
  if (runs.plan.mode != IndexMode::raise) return;
  // Rows that repeat the indices of others need not be looked at.
  for (int axis = 0; axis < runs.inner; ++axis) {
    bool repeats = true;
    for (const IndexedPlan::Axis& each : runs.plan.axes) repeats &= each.strides[axis] == 0;
    if (repeats) runs.plan.shape[axis] = std::min<int64_t>(runs.plan.shape[axis], 1);
  }
  for_each_block(runs, [](auto&&...) {});
}

// A run of which only the size matters.
template <size_t kSize>
struct Bytes {
  char bytes[kSize];
};

// Copies single elements between places of one array, at the offsets, and the values.
template <bool gathers, size_t kSize>
void move_elements(Bytes<kSize>* array, Bytes<kSize>* values, int64_t array_step,
                   int64_t value_step, const int64_t* offsets, int64_t count) {
  const auto move = [](Bytes<kSize>& element, Bytes<kSize>& value) {
    if constexpr (gathers)
      value = element;
    else
      element = value;
  };
  if (array_step == 0 && value_step == 1)
    for (int64_t i = 0; i < count; ++i) move(array[offsets[i]], values[i]);
  else
    for (int64_t i = 0; i < count; ++i)
      move(array[offsets[i] + i * array_step], values[i * value_step]);
}

template <bool gathers, size_t kSize>
void move_all(const Runs& runs) {
  for_each_block(runs, [](char* array, char* values, int64_t array_step, int64_t value_step,
                          const int64_t* offsets, int64_t count) {
    move_elements<gathers>(reinterpret_cast<Bytes<kSize>*>(array),
                           reinterpret_cast<Bytes<kSize>*>(values), array_step, value_step, offsets,
                           count);
  });
}

// Copies `bytes` bytes; compilers make loads and stores of those that are common.
void copy_run(char* to, const char* from, int64_t bytes) {
  switch (bytes) {
    case 8:
      std::memcpy(to, from, 8);
      break;
    case 12:
      std::memcpy(to, from, 12);
      break;
    case 16:
      std::memcpy(to, from, 16);
      break;
    case 32:
      std::memcpy(to, from, 32);
      break;
    default:
      std::memcpy(to, from, static_cast<size_t>(bytes));
  }
}

template <bool gathers>
void move_runs(const Runs& runs) {
  if (runs.bytes == runs.itemsize) {
    switch (runs.itemsize) {
      case 1:
        return move_all<gathers, 1>(runs);
      case 2:
        return move_all<gathers, 2>(runs);
      case 4:
        return move_all<gathers, 4>(runs);
      case 8:
        return move_all<gathers, 8>(runs);
      case 16:
        return move_all<gathers, 16>(runs);
    }
  }
  const int64_t itemsize = runs.itemsize, bytes = runs.bytes;
  for_each_block(runs, [=](char* array, char* values, int64_t array_step, int64_t value_step,
                           const int64_t* offsets, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      char* const element = array + (offsets[i] + i * array_step) * itemsize;
      char* const value = values + i * value_step * itemsize;
      copy_run(gathers ? value : element, gathers ? element : value, bytes);
    }
  });
}

// Replaces elements by `element op value`. Those of 16 bits are computed in float32 where the
// operation has no loop of theirs.
class InPlaceLoop {
 public:
  InPlaceLoop(Op op, DType dtype)
      : own_(loop_of(op, dtype)),
        wide_(loop_of(op, DType::float32)),
        widen_(cast_loop(dtype, DType::float32)),
        narrow_(cast_loop(DType::float32, dtype)),
        itemsize_(gpuarray::itemsize(dtype)) {}

  void operator()(char* elements, char* values, int64_t count) const {
    if (own_ != nullptr) return compute(own_, elements, values, count);
    for (int64_t done = 0; done < count; done += kBlock)
      compute_wide(elements + done * itemsize_, values + done * itemsize_,
                   std::min(kBlock, count - done));
  }

 private:
  static constexpr int64_t kBlock = 256;
  static constexpr int64_t kSteps[] = {1, 1, 1};

  static loops::RowLoop loop_of(Op op, DType dtype) {
    return loops::table().elementwise[static_cast<int>(op)][static_cast<int>(dtype)];
  }
  static void compute(loops::RowLoop loop, char* elements, char* values, int64_t count) {
    char* const data[] = {elements, elements, values};
    loop(data, kSteps, count);
  }
  void compute_wide(char* elements, char* values, int64_t count) const {
    float wide_elements[kBlock], wide_values[kBlock];
    char* const target = reinterpret_cast<char*>(wide_elements);
    char* const source = reinterpret_cast<char*>(wide_values);
    char* const first[] = {target, elements};
    char* const second[] = {source, values};
    char* const back[] = {elements, target};
    widen_(first, kSteps, count);
    widen_(second, kSteps, count);
    compute(wide_, target, source, count);
    narrow_(back, kSteps, count);
  }

  const loops::RowLoop own_, wide_, widen_, narrow_;
  const int itemsize_;
};

}  // namespace

void gather(const IndexedPlan& plan) { move_runs<true>(runs_of(plan)); }

// Checks all indices before anything is written, as NumPy does.
void scatter(const IndexedPlan& plan) {
  const Runs runs = runs_of(plan);
  check(runs);
  move_runs<false>(runs);
}

void combine(Op op, const IndexedPlan& plan) {
  const Runs runs = runs_of(plan);
  check(runs);
  const InPlaceLoop loop(op, plan.dtype);
  const int64_t itemsize = runs.itemsize, length = runs.bytes / itemsize;
  for_each_block(runs, [&](char* array, char* values, int64_t array_step, int64_t value_step,
                           const int64_t* offsets, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      loop(array + (offsets[i] + i * array_step) * itemsize, values + i * value_step * itemsize,
           length);
  });
}

}  // namespace gpuarray::host
