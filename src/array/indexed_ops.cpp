// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/indexed_ops.hpp"
#include "backend/devices/backend_of.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "array/operand.hpp"
#include "array/ops.hpp"
#include "array/select.hpp"
#include "backend/host/scalar.hpp"
#include "core/error.hpp"
#include "runtime/buffer/deferred.hpp"

namespace gpuarray::ops {
namespace {

// Returns a C-contiguous copy of the indices as int64, or as int32 if `narrow` and they fit.
Array as_indices(const Array& indices, bool narrow) {
  const DType dtype = indices.dtype();
  const bool fits = dtype == DType::int32 || itemsize(dtype) < 4;
  const Array made = astype(indices, narrow && fits ? DType::int32 : DType::int64, 'C');
  return made;
}

Array usable_indices(const Array& indices, bool narrow, const Array* written) {
  const bool ready =
      (indices.dtype() == DType::int64 || (narrow && indices.dtype() == DType::int32)) &&
      indices.is_c_contiguous();
  const bool shared = written != nullptr && shares_memory(*written, indices);
  return ready && !shared ? indices : as_indices(indices, narrow);
}

// A plan whose memory is not opened yet, with the arrays that it will use.
struct Indexing {
  IndexedPlan plan;
  Array array;
  KeptVector<Array> indices;
};

// Begins a plan over `shape`; the array's strides and the indexed axes follow.
Indexing make_indexing(const Array& array, const Taking& how, const Shape& shape) {
  Indexing made;
  made.plan.operation = how.operation;
  made.plan.mode = how.mode;
  made.plan.dtype = array.dtype();
  made.plan.index_dtype = DType::int64;
  made.plan.shape = shape;
  made.array = array;
  return made;
}

// Adds an indexed axis. spread(indices) returns the strides of the indices over the plan's shape;
// `written` is the array that the operation writes, or null.
template <class Spread>
void add_axis(Indexing& made, const Array& from, bool narrow, const Array* written, int axis,
              int number, Spread&& spread) {
  const Array indices = usable_indices(from, narrow, written);
  made.plan.index_dtype = indices.dtype();
  made.plan.axes.push_back(
      {nullptr, spread(indices), made.array.shape()[axis], made.array.strides()[axis], number});
  made.indices.push_back(indices);
}

Indexing from_view(const IndexedView& view, const Taking& how, bool gathers, const Array* written) {
  Indexing made = make_indexing(view.view, how, view.shape);
  const bool narrow = gathers && view.axes.size() == 1;
  for (const IndexedView::Axis& axis : view.axes)
    add_axis(
        made, axis.indices, narrow, written, axis.axis, axis.number, [&](const Array& indices) {
          Strides strides(view.shape.size(), 0);
          const Strides own = broadcast_strides(indices.shape(), indices.strides(), view.broadcast);
          for (int k = 0; k < own.size(); ++k) strides[view.position + k] = own[k];
          return strides;
        });
  for (int axis = 0; axis < view.view.ndim(); ++axis) {
    bool indexed = false;
    for (const IndexedView::Axis& each : view.axes) indexed = indexed || each.axis == axis;
    if (!indexed) made.plan.array_strides.push_back(view.view.strides()[axis]);
  }
  for (int k = 0; k < view.broadcast.size(); ++k) made.plan.array_strides.insert(view.position, 0);
  made.plan.may_repeat = view.may_repeat;
  return made;
}

template <class Run>
void open_and_run(Indexing& made, const Array& values, bool writes_array, Run&& run) {
  if (element_count(made.plan.shape) == 0) return;
  IndexedPlan& plan = made.plan;
  Access access(current_stream(made.array.device()));
  plan.array = writes_array ? access.write(made.array) : const_cast<void*>(access.read(made.array));
  plan.values = writes_array ? const_cast<void*>(access.read(values)) : access.write(values);
  for (size_t k = 0; k < made.indices.size(); ++k)
    plan.axes[k].index = access.read(made.indices[k]);
  run(backend_of(made.array.device()), plan, access.stream());
}

void gather_into(Indexing& made, const Array& out) {
  made.plan.values_strides = out.strides();
  open_and_run(made, out, false,
               [](Backend& backend, const IndexedPlan& plan, const StreamPtr& stream) {
                 backend.gather(plan, stream);
               });
}

// Values for all positions of a shape, either a single one with strides of 0 or a C-contiguous
// array. They do not share memory with the target.
struct Values {
  Array array;
  Strides strides;
  bool uniform;
};

Values values_for(const Array& target, const Shape& shape, const Operand& value) {
  const Array* given = value.array();
  if (given == nullptr || given->size() == 1) {
    const Array one = empty({}, target.dtype(), target.device());
    if (given == nullptr) {
      assign(one, value);
    } else {
      const Array element = given->view({}, {});
      assign(one, element);
    }
    return {one, Strides(shape.size(), 0), true};
  }
  const bool ready = given->dtype() == target.dtype() && given->shape() == shape &&
                     given->is_c_contiguous() && !shares_memory(target, *given);
  if (ready) return {*given, given->strides(), false};
  const Array made = empty(shape, target.dtype(), target.device());
  assign(made, *given);
  return {made, made.strides(), false};
}

void require_value_fits(const Shape& shape, const Operand& value) {
  if (value.array() == nullptr) return;
  Shape given = value.array()->shape();
  while (given.size() > shape.size() && given[0] == 1) given.erase(0);
  bool fits = given.size() <= shape.size();
  for (int k = 0; fits && k < given.size(); ++k)
    fits = given[k] == 1 || given[k] == shape[shape.size() - given.size() + k];
  if (!fits)
    throw ShapeError("shape mismatch: value array of shape " + to_string(value.array()->shape()) +
                     " could not be broadcast to indexing result of shape " + to_string(shape));
}

void scatter(Indexing& made, const Operand& value) {
  require_value_fits(made.plan.shape, value);
  if (element_count(made.plan.shape) == 0) {
    if (value.array() == nullptr) cast_scalar(value.scalar(), made.array.dtype());
    return;
  }
  const Values values = values_for(made.array, made.plan.shape, value);
  made.plan.values_strides = values.strides;
  made.plan.may_repeat = made.plan.may_repeat && !values.uniform;
  open_and_run(made, values.array, true,
               [](Backend& backend, const IndexedPlan& plan, const StreamPtr& stream) {
                 backend.scatter(plan, stream);
               });
}

// Returns the view with an axis of extent 1 or 0 for the bools without dimensions, for a key in
// which they are the only entries that are not basic.
Array flagged_view(const IndexedView& view) {
  Strides strides = view.view.strides();
  for (int k = 0; k < view.broadcast.size(); ++k) strides.insert(view.position, 0);
  return view.view.view(view.shape, strides);
}

// Returns the mask, if the key is one, broadcast to the array's shape.
std::optional<Array> broadcast_mask(const Array& array, std::span<const KeyEntry> key) {
  const Array* mask = only_mask(key);
  if (mask == nullptr) return std::nullopt;
  require_mask_fits(array, *mask);
  Shape shape = mask->shape();
  Strides strides = mask->strides();
  while (shape.size() < array.ndim()) {
    shape.push_back(1);
    strides.push_back(0);
  }
  return mask->view(shape, strides);
}

bool is_one(const Operand& value) { return value.array() == nullptr || value.array()->ndim() == 0; }

// Begins indexing along one axis by indices that broadcast with the array's other axes.
Indexing along(const Array& array, const Array& indices, int axis, const Taking& how,
               bool gathers) {
  Shape shape = array.shape();
  shape[axis] = 1;
  Shape shapes[] = {shape, indices.shape()};
  Indexing made = make_indexing(array, how, broadcast_shapes(shapes, how.operation));
  Strides strides = array.strides();
  strides[axis] = 0;
  made.plan.array_strides = broadcast_strides(shape, strides, made.plan.shape);
  add_axis(made, indices, gathers, gathers ? nullptr : &array, axis, axis,
           [&](const Array& usable) {
             return broadcast_strides(usable.shape(), usable.strides(), made.plan.shape);
           });
  return made;
}

// Checks indices that select nothing because the result is empty, as NumPy does: gathers by them
// from axes whose elements are all the same one.
void check_indices(const IndexedView& view, const char* operation) {
  if (element_count(view.shape) > 0 || element_count(view.broadcast) == 0) return;
  const Array one = empty({}, DType::bool_, view.view.device());
  assign(one, Scalar::of(false));
  for (const IndexedView::Axis& axis : view.axes) {
    IndexedView checked;
    checked.view = one.view(Shape{view.view.shape()[axis.axis]}, Strides{0});
    checked.axes.push_back({axis.indices, 0, axis.number});
    checked.broadcast = checked.shape = axis.indices.shape();
    Indexing made = from_view(checked, {operation}, true, nullptr);
    gather_into(made, empty(checked.shape, DType::bool_, view.view.device()));
  }
}

// Returns the view of an array by indices along one axis, whose place their axes take.
IndexedView along_axis(const Array& array, const Array& indices, int axis, int number) {
  IndexedView view;
  view.view = array;
  view.axes.push_back({indices, axis, number});
  view.broadcast = indices.shape();
  view.position = axis;
  view.shape = array.shape();
  view.shape.erase(axis);
  for (int k = 0; k < indices.ndim(); ++k) view.shape.insert(axis + k, indices.shape()[k]);
  return view;
}

Array gathered(const IndexedView& view) {
  const Array out = empty(view.shape, view.view.dtype(), view.view.device());
  Indexing made = from_view(view, {"indexing"}, true, nullptr);
  gather_into(made, out);
  return out;
}

// Of so many elements a gather of rows and one within them take less time than one of elements.
constexpr int64_t kLeastByAxes = int64_t{1} << 18;

// Returns the elements by one gather after the other where two neighbouring axes are indexed as by
// numpy.ix_, (n, 1) and (m,), unless this would copy much that is not chosen; else nullopt.
std::optional<Array> gathered_by_axes(const IndexedView& view) {
  if (view.view.device().is_cpu() || view.axes.size() != 2 ||
      element_count(view.shape) < kLeastByAxes)
    return std::nullopt;
  const auto& [rows, axis, number] = view.axes[0];
  const auto& [columns, next, next_number] = view.axes[1];
  const bool crossed = rows.ndim() == 2 && rows.shape()[1] == 1 &&
                       (columns.ndim() == 1 || (columns.ndim() == 2 && columns.shape()[0] == 1));
  if (!crossed || axis != view.position || next != axis + 1 ||
      view.view.shape()[next] > 2 * columns.size())
    return std::nullopt;
  const Array outer = rows.view(Shape{rows.size()}, Strides{rows.strides()[0]});
  const Array inner = columns.view(Shape{columns.size()}, Strides{columns.strides().back()});
  const Array kept = gathered(along_axis(view.view, outer, axis, number));
  return gathered(along_axis(kept, inner, next, next_number));
}

}  // namespace

Array get_indexed(const Array& array, std::span<const KeyEntry> key) {
  run_deferred_first();
  const Array* mask = only_mask(key);
  if (mask != nullptr && mask->ndim() >= array.ndim()) {
    require_mask_fits(array, *mask);
    return select(array, *mask);
  }
  const IndexedView view = resolve_key(array, key);
  if (view.axes.empty()) return copy(flagged_view(view));
  check_indices(view, "indexing");
  const std::optional<Array> crossed = gathered_by_axes(view);
  return crossed ? *crossed : gathered(view);
}

void set_indexed(const Array& array, std::span<const KeyEntry> key, const Operand& value) {
  require_writable(array, "assignment");
  common_device(std::span(&value, 1), &array, "assignment");
  if (const std::optional<Array> mask = broadcast_mask(array, key);
      mask && (is_one(value) || only_mask(key)->ndim() == array.ndim()))
    return set_selected(array, *mask, value);
  run_deferred_first();
  const IndexedView view = resolve_key(array, key);
  if (view.axes.empty()) {
    require_value_fits(view.shape, value);
    return assign(flagged_view(view), value);
  }
  check_indices(view, "assignment");
  Indexing made = from_view(view, {"assignment"}, false, &array);
  scatter(made, value);
}

void combine_indexed(Op op, const Array& array, std::span<const KeyEntry> key, const Operand& value,
                     const char* operation) {
  require_writable(array, operation);
  common_device(std::span(&value, 1), &array, operation);
  const IndexedView view = resolve_key(array, key);
  require_value_fits(view.shape, value);
  check_indices(view, operation);
  if (element_count(view.shape) == 0) return;
  if (view.axes.empty()) {
    const Array target = flagged_view(view);
    const Array operand = values_for(array, view.shape, value).array;
    const std::array<Operand, 2> operands{Operand(target), Operand(operand)};
    elementwise(op, operands, &target);
    return;
  }
  Indexing made = from_view(view, {operation}, false, &array);
  const Values values = values_for(array, view.shape, value);
  made.plan.values_strides = values.strides;
  open_and_run(made, values.array, true,
               [&](Backend& backend, const IndexedPlan& plan, const StreamPtr& stream) {
                 backend.combine(op, plan, stream);
               });
}

Array take(const Array& source, const Array& indices, int axis, const Taking& how,
           const Array* out) {
  if (source.ndim() - 1 + indices.ndim() > kMaxDims)
    throw ValueError(std::string(how.operation) + ": the result would have more than " +
                     std::to_string(kMaxDims) + " dimensions");
  const IndexedView view = along_axis(source, indices, axis, axis);
  if (source.shape()[axis] == 0 && element_count(view.shape) > 0)
    throw IndexError("cannot do a non-empty take from an empty axes.");
  const Shape& shape = source.shape();
  const int64_t* last = shape.begin() + axis;
  // NumPy checks no index if an axis before the indexed one is empty.
  const bool has_rows = std::find(shape.begin(), last, 0) == last;
  if (how.mode == IndexMode::raise && has_rows) check_indices(view, how.operation);
  const bool direct = out != nullptr && out->shape() == view.shape &&
                      out->dtype() == source.dtype() && out->device() == source.device() &&
                      !shares_memory(*out, source) && !shares_memory(*out, indices);
  const Array target = direct ? *out : empty(view.shape, source.dtype(), source.device());
  Indexing made = from_view(view, how, how.mode != IndexMode::wrap, nullptr);
  gather_into(made, target);
  if (out != nullptr && !direct) assign(*out, target);
  return out != nullptr ? *out : target;
}

Array take_along(const Array& source, const Array& indices, int axis, const Taking& how) {
  Indexing made = along(source, indices, axis, how, true);
  const Array out = empty(made.plan.shape, source.dtype(), source.device());
  gather_into(made, out);
  return out;
}

void put_along(const Array& target, const Array& indices, const Operand& values, int axis,
               const Taking& how) {
  require_writable(target, how.operation);
  common_device(std::span(&values, 1), &target, how.operation);
  Indexing made = along(target, indices, axis, how, false);
  made.plan.may_repeat = made.plan.may_repeat && !how.distinct;
  scatter(made, values);
}

}  // namespace gpuarray::ops
