// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/indexed_ops.hpp"
#include "array/indexing.hpp"
#include "array/operand.hpp"
#include "array/ops.hpp"
#include "backend/devices/backend_of.hpp"

namespace gpuarray::ops {
namespace {

using Run = void (Backend::*)(const SortPlan& plan, const StreamPtr& stream);

struct Order {
  bool descending = false;
  bool stable = true;
  const Dims* kth = nullptr;
};

// Runs a sort over contiguous rows along `axis`, and returns its result in the source's layout.
Array sorted(const Array& source, int axis, const Order& order, DType dtype, Run run) {
  if (source.size() == 0) return empty_like(source, source.shape(), dtype, 'K');
  const Array rows = swap_axes(source, axis, -1);
  const Array input = rows.is_c_contiguous() ? rows : copy(rows);
  const Array target = empty(input.shape(), dtype, source.device());
  SortPlan plan{.dtype = source.dtype(),
                .count = source.size(),
                .length = source.shape()[axis],
                .descending = order.descending,
                .stable = order.stable,
                .kth = order.kth,
                .shape = &source.shape()};
  {
    Access access(current_stream(source.device()));
    plan.source = access.read(input);
    plan.target = access.write(target);
    plan.source_buffer = input.buffer().get();
    plan.target_buffer = target.buffer().get();
    (backend_of(source.device()).*run)(plan, access.stream());
  }
  if (axis == source.ndim() - 1) return target;
  const Array result = empty_like(source, source.shape(), dtype, 'K');
  const Array turned = swap_axes(target, axis, -1);
  assign(result, turned);
  return result;
}

}  // namespace

Array sort(const Array& source, int axis, bool descending, const Dims* kth) {
  return sorted(source, axis, {descending, true, kth}, source.dtype(), &Backend::sort);
}

Array argsort(const Array& source, int axis, bool descending, bool stable, const Dims* kth) {
  return sorted(source, axis, {descending, stable, kth}, DType::int64, &Backend::argsort);
}

BestElements sort_with_order(const Array& source, bool stable) {
  const Array input = source.is_c_contiguous() ? source : copy(source);
  if (source.device().is_cpu() || source.size() == 0) {
    const Array positions = argsort(input, 0, false, stable);
    return {take_along(input, positions, 0, Taking{"sort"}), positions};
  }
  BestElements sorted{empty(input.shape(), source.dtype(), source.device()),
                      empty(input.shape(), DType::int64, source.device())};
  SortPlan plan{.dtype = source.dtype(),
                .count = source.size(),
                .length = source.size(),
                .stable = stable,
                .shape = &source.shape()};
  Access access(current_stream(source.device()));
  plan.source = access.read(input);
  plan.target = access.write(sorted.positions);
  plan.values = access.write(sorted.values);
  backend_of(source.device()).argsort(plan, access.stream());
  return sorted;
}

std::optional<BestElements> select_rows(const Array& source, int axis, int64_t count,
                                        bool descending) {
  const int64_t length = source.shape()[axis];
  if (count == 0 || count == length || source.size() == 0 ||
      !backend_of(source.device()).may_select_rows(source.dtype(), length, count))
    return std::nullopt;
  const int last = source.ndim() - 1;
  const Array rows = swap_axes(source, axis, last);
  const Array input = rows.is_c_contiguous() ? rows : copy(rows);
  Shape kept = input.shape();
  kept[last] = count;
  BestElements best{empty(kept, source.dtype(), source.device()),
                    empty(kept, DType::int64, source.device())};
  RankPlan plan{.dtype = source.dtype(),
                .count = source.size(),
                .length = length,
                .rank = count - 1,
                .descending = descending,
                .kept = count,
                .shape = &source.shape()};
  {
    Access access(current_stream(source.device()));
    plan.source = access.read(input);
    plan.values = access.write(best.values);
    plan.positions = static_cast<int64_t*>(access.write(best.positions));
    backend_of(source.device()).select_rows(plan, access.stream());
  }
  if (count > 1) {
    const Taking how{"top_k"};
    const Array order = argsort(best.values, last, descending);
    best = {take_along(best.values, order, last, how),
            take_along(best.positions, order, last, how)};
  }
  if (axis == last) return best;
  return BestElements{copy(swap_axes(best.values, axis, last)),
                      copy(swap_axes(best.positions, axis, last))};
}

// Sorts by one key after the other, each time beginning with the order of the keys before.
Array lexsort(std::span<const Array> keys, int axis) {
  const std::vector<Operand> operands(keys.begin(), keys.end());
  common_device(operands, nullptr, "lexsort");
  const Taking how{"lexsort"};
  const int last = keys[0].ndim() - 1;
  Array order = argsort(swap_axes(keys[0], axis, last), last, false);
  for (const Array& key : keys.subspan(1)) {
    const Array rows = take_along(swap_axes(key, axis, last), order, last, how);
    order = take_along(order, argsort(rows, last, false), last, how);
  }
  return axis == last ? order : copy(swap_axes(order, axis, last));
}

}  // namespace gpuarray::ops
