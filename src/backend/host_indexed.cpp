// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <cstring>

#include "backend/host.hpp"
#include "backend/visit.hpp"
#include "core/layout.hpp"
#include "kernels/index_axis.hpp"
#include "kernels/select_params.hpp"
#include "runtime/index_errors.hpp"

namespace gpuarray::host {
namespace {

int64_t read_index(const void* index, DType dtype, int64_t at) {
  return dtype == DType::int32 ? static_cast<const int32_t*>(index)[at]
                               : static_cast<const int64_t*>(index)[at];
}

// The offset of an index along the array. Throws IndexError.
int64_t offset_of(const IndexedPlan& plan, const IndexedPlan::Axis& axis, int64_t at) {
  const int64_t index = read_index(axis.index, plan.index_dtype, at);
  const IndexAxis found{axis.length, axis.step, plan.mode, axis.number, plan.operation, nullptr};
  int64_t offset = 0;
  if (!found.find(index, offset))
    throw_index_error(plan.operation, index, axis.number, axis.length);
  return offset;
}

// How many of the innermost elements share their indices and lie side by side on both sides.
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

// move(element, value, count) for runs of elements, in C order of the values.
template <class Move>
void for_each_run(const IndexedPlan& plan, Move&& move) {
  const int64_t size = element_count(plan.shape);
  const int64_t run = run_length(plan);
  const int itemsize = gpuarray::itemsize(plan.dtype);
  Shape shape = plan.shape;
  for (int64_t left = run; left > 1;) {
    left /= shape.back();
    shape.erase(shape.size() - 1);
  }
  const int ndim = shape.size();
  Dims at(ndim, 0);
  std::vector<int64_t> index_at(plan.axes.size(), 0);
  int64_t array_at = 0, value_at = 0;
  const auto step = [&](int axis, int64_t steps) {
    for (size_t k = 0; k < plan.axes.size(); ++k) index_at[k] += steps * plan.axes[k].strides[axis];
    array_at += steps * plan.array_strides[axis];
    value_at += steps * plan.values_strides[axis];
  };
  for (int64_t done = 0; done < size; done += run) {
    int64_t offset = array_at;
    for (size_t k = 0; k < plan.axes.size(); ++k)
      offset += offset_of(plan, plan.axes[k], index_at[k]);
    move(static_cast<char*>(plan.array) + offset * itemsize,
         static_cast<char*>(plan.values) + value_at * itemsize, run);
    for (int axis = ndim - 1; axis >= 0; --axis) {
      step(axis, 1);
      if (++at[axis] < shape[axis]) break;
      step(axis, -shape[axis]);
      at[axis] = 0;
    }
  }
}

// Copies of constant size, which the compiler makes loads and stores.
template <class Use>
void with_itemsize(DType dtype, Use&& use) {
  visit_dtype(dtype, [&]<class T>() { use(std::integral_constant<size_t, sizeof(T)>()); });
}

void move_runs(const IndexedPlan& plan, bool gathers) {
  with_itemsize(plan.dtype, [&](auto size) {
    for_each_run(plan, [&](char* element, char* value, int64_t count) {
      char* const to = gathers ? value : element;
      const char* const from = gathers ? element : value;
      if (count == 1)
        std::memcpy(to, from, size);
      else
        std::memcpy(to, from, size * static_cast<size_t>(count));
    });
  });
}

template <class Visit>
void for_each_true(const bool* mask, int64_t size, Visit&& visit) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(mask);
  for (int64_t i = 0; i < size; ++i)
    if (bytes[i] != 0) visit(i);
}

}  // namespace

void gather(const IndexedPlan& plan) { move_runs(plan, true); }

// All indices are looked at before anything is written, as NumPy does.
void scatter(const IndexedPlan& plan) {
  for_each_run(plan, [](char*, char*, int64_t) {});
  move_runs(plan, false);
}

void combine(RowLoop loop, const IndexedPlan& plan) {
  for_each_run(plan, [](char*, char*, int64_t) {});
  for_each_run(plan, [&](char* element, char* value, int64_t count) {
    char* const data[] = {element, element, value};
    const int64_t steps[] = {1, 1, 1};
    loop(data, steps, count);
  });
}

void count_true(const bool* mask, int64_t size, int64_t* sums) {
  int64_t count = 0;
  for (int64_t tile = 0; tile * kSelectTile < size; ++tile) {
    const int64_t begin = tile * kSelectTile;
    for_each_true(mask + begin, std::min<int64_t>(kSelectTile, size - begin),
                  [&](int64_t) { ++count; });
    sums[tile] = count;
  }
}

void select(const SelectPlan& plan, bool spreads) {
  with_itemsize(plan.dtype, [&](auto size) {
    char* packed = static_cast<char*>(plan.packed);
    char* const array = static_cast<char*>(plan.array);
    for_each_true(plan.mask, plan.size, [&](int64_t i) {
      char* const element = array + i * static_cast<int64_t>(size);
      std::memcpy(spreads ? element : packed, spreads ? packed : element, size);
      packed += size;
    });
  });
}

void nonzero(const NonzeroPlan& plan) {
  int64_t* target = plan.indices;
  for_each_true(plan.mask, element_count(plan.shape), [&](int64_t rest) {
    for (int axis = plan.shape.size() - 1; axis >= 0; --axis) {
      target[axis * plan.count] = rest % plan.shape[axis];
      rest /= plan.shape[axis];
    }
    ++target;
  });
}

}  // namespace gpuarray::host
