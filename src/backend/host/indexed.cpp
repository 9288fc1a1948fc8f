// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "backend/host/host.hpp"
#include "backend/host/walk.hpp"
#include "backend/visit.hpp"
#include "core/layout.hpp"
#include "kernels/indexing/index_axis.hpp"
#include "kernels/indexing/select_params.hpp"
#include "runtime/stream/index_errors.hpp"

namespace gpuarray::host {
namespace {

// Finds the offset of an index along one axis of the array. Throws IndexError.
template <class Index>
class Finder {
 public:
  Finder(const IndexedPlan& plan, const IndexedPlan::Axis& axis)
      : axis_{axis.length, axis.step, plan.mode, axis.number, plan.operation, nullptr},
        index_(static_cast<const Index*>(axis.index)) {}

  int64_t offset(int64_t at) const {
    int64_t offset = 0;
    if (!axis_.find(index_[at], offset))
      throw_index_error(axis_.operation, index_[at], axis_.axis, axis_.length);
    return offset;
  }

 private:
  IndexAxis axis_;
  const Index* index_;
};

// Returns how many of the innermost elements share their indices and are contiguous both in the
// array and in the values.
int64_t run_length(const IndexedPlan& plan) {
  int64_t run = 1;
  for (int axis = plan.shape.size() - 1; axis >= 0; --axis) {
    if (plan.shape[axis] == 1) continue;
    for (const IndexedPlan::Axis& each : plan.axes)
      if (each.strides[axis] != 0) return run;
    if (plan.array_strides[axis] != run || plan.values_strides[axis] != run) return run;
    run *= plan.shape[axis];
  }
  return run;
}

// Walks the first axes of the plan and keeps the offsets, in elements, of the array, the values and
// each array of indices.
class PlanWalk {
 public:
  PlanWalk(const IndexedPlan& plan, int ndim)
      : plan_(plan), walk_(plan.shape, ndim), index_(plan.axes.size(), 0) {}

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
  int64_t array_ = 0;
  int64_t value_ = 0;
};

// Returns how many of the plan's last axes a run of `length` elements covers.
int axes_of_run(const IndexedPlan& plan, int64_t length) {
  int axes = 0;
  for (int axis = plan.shape.size() - 1; length > 1; --axis, ++axes) length /= plan.shape[axis];
  return axes;
}

// Calls move(element, value, count) for each run of elements, in C order of the values.
template <class Index, class Move>
void walk_runs(const IndexedPlan& plan, Move&& move) {
  const int64_t size = element_count(plan.shape);
  if (size == 0) return;
  std::vector<Finder<Index>> axes;
  for (const IndexedPlan::Axis& axis : plan.axes) axes.emplace_back(plan, axis);
  const int64_t run = run_length(plan);
  const int itemsize = gpuarray::itemsize(plan.dtype);
  const int inner = plan.shape.size() - axes_of_run(plan, run) - 1;
  const int64_t columns = inner < 0 ? 1 : plan.shape[inner];
  const auto along = [&](const Strides& strides) { return inner < 0 ? 0 : strides[inner]; };
  const int64_t array_step = along(plan.array_strides), value_step = along(plan.values_strides);
  const int64_t index_step = along(plan.axes[0].strides);
  char* const array = static_cast<char*>(plan.array);
  char* const values = static_cast<char*>(plan.values);
  const Finder<Index> first = axes[0];
  PlanWalk walk(plan, inner);
  for (int64_t done = 0; done < size; done += run * columns, walk.next()) {
    const int64_t element = walk.array(), value = walk.value(), index = walk.index(0);
    for (int64_t i = 0; i < columns; ++i) {
      int64_t offset = element + i * array_step + first.offset(index + i * index_step);
      for (size_t k = 1; k < axes.size(); ++k)
        offset += axes[k].offset(walk.index(k) + i * along(plan.axes[k].strides));
      move(array + offset * itemsize, values + (value + i * value_step) * itemsize, run);
    }
  }
}

template <class Move>
void for_each_run(const IndexedPlan& plan, Move&& move) {
  if (plan.index_dtype == DType::int32)
    walk_runs<int32_t>(plan, move);
  else
    walk_runs<int64_t>(plan, move);
}

// Calls `use` with the itemsize as a constant, so that the compiler turns copies into loads and
// stores.
template <class Use>
void with_itemsize(DType dtype, Use&& use) {
  visit_dtype(dtype, [&]<class T>() { use(std::integral_constant<size_t, sizeof(T)>()); });
}

void move_runs(const IndexedPlan& plan, bool gathers) {
  with_itemsize(plan.dtype, [&](auto size) {
    const auto copy = [=](char* to, const char* from, int64_t count) {
      if (count == 1)
        std::memcpy(to, from, size);
      else
        std::memcpy(to, from, size * static_cast<size_t>(count));
    };
    if (gathers)
      for_each_run(plan, [&](char* element, char* value, int64_t n) { copy(value, element, n); });
    else
      for_each_run(plan, [&](char* element, char* value, int64_t n) { copy(element, value, n); });
  });
}

// Elements of 16 bits that are computed in float at a time.
constexpr int64_t kWidened = 256;

// Returns a bit for each of eight bytes, set if it is not 0; the lowest bit is that of the first.
uint32_t flags_of(const void* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  constexpr uint64_t kLow = 0x7f7f7f7f7f7f7f7f;
  const uint64_t nonzero = (((word & kLow) + kLow) | word) >> 7 & 0x0101010101010101;
  return static_cast<uint32_t>(nonzero * 0x0102040810204080 >> 56);
}

// Calls visit(i) for each element whose bit in `flags` is set.
template <class Visit>
void for_each_true(const uint16_t* flags, int64_t size, Visit&& visit) {
  for (int64_t begin = 0; begin < size; begin += kFlagBits)
    for (uint32_t word = flags[begin / kFlagBits]; word != 0; word &= word - 1)
      visit(begin + std::countr_zero(word));
}

}  // namespace

void gather(const IndexedPlan& plan) { move_runs(plan, true); }

// Checks all indices before anything is written, as NumPy does.
void scatter(const IndexedPlan& plan) {
  for_each_run(plan, [](char*, char*, int64_t) {});
  move_runs(plan, false);
}

void combine(Op op, const IndexedPlan& plan) {
  const auto loop_in = [op](DType dtype) {
    return loops::table().elementwise[static_cast<int>(op)][static_cast<int>(dtype)];
  };
  const loops::RowLoop own = loop_in(plan.dtype), wide = loop_in(DType::float32);
  const loops::RowLoop widen = cast_loop(plan.dtype, DType::float32);
  const loops::RowLoop narrow = cast_loop(DType::float32, plan.dtype);
  const int64_t steps[] = {1, 1, 1};
  for_each_run(plan, [](char*, char*, int64_t) {});
  for_each_run(plan, [&](char* element, char* value, int64_t count) {
    if (own != nullptr) {
      char* const data[] = {element, element, value};
      return own(data, steps, count);
    }
    float elements[kWidened], values[kWidened];
    char* const made = reinterpret_cast<char*>(elements);
    char* const other = reinterpret_cast<char*>(values);
    for (int64_t done = 0; done < count; done += kWidened) {
      const int64_t block = std::min(kWidened, count - done);
      char* const at = element + done * itemsize(plan.dtype);
      char* const loads[][2] = {{made, at}, {other, value + done * itemsize(plan.dtype)}};
      for (const auto& load : loads) widen(load, steps, block);
      char* const data[] = {made, made, other};
      wide(data, steps, block);
      char* const store[] = {at, made};
      narrow(store, steps, block);
    }
  });
}

void count_true(const bool* mask, int64_t size, const MaskFlags& found) {
  int64_t count = 0;
  for (int64_t tile = 0; tile * kSelectTile < size; ++tile) {
    for (int64_t word = tile * kSelectFlags; word < (tile + 1) * kSelectFlags; ++word) {
      char bytes[kFlagBits] = {};
      const int64_t begin = word * kFlagBits, left = size - begin;
      if (left > 0) std::memcpy(bytes, mask + begin, std::min<int64_t>(left, kFlagBits));
      const uint32_t flags = flags_of(bytes) | flags_of(bytes + 8) << 8;
      found.flags[word] = static_cast<uint16_t>(flags);
      count += std::popcount(flags);
    }
    found.sums[tile] = count;
  }
}

void select(const SelectPlan& plan, bool spreads) {
  with_itemsize(plan.dtype, [&](auto size) {
    char* packed = static_cast<char*>(plan.packed);
    char* const array = static_cast<char*>(plan.array);
    for_each_true(plan.found.flags, plan.size, [&](int64_t i) {
      char* const element = array + i * static_cast<int64_t>(size);
      std::memcpy(spreads ? element : packed, spreads ? packed : element, size);
      packed += size;
    });
  });
}

void nonzero(const NonzeroPlan& plan) {
  int64_t* target = plan.indices;
  for_each_true(plan.found.flags, element_count(plan.shape), [&](int64_t rest) {
    for (int axis = plan.shape.size() - 1; axis >= 0; --axis) {
      target[axis * plan.count] = rest % plan.shape[axis];
      rest /= plan.shape[axis];
    }
    ++target;
  });
}

}  // namespace gpuarray::host
