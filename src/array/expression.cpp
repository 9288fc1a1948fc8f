// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/expression.hpp"

#include <memory>
#include <string>
#include <vector>

#include "array/operand.hpp"
#include "array/ops.hpp"
#include "backend/backend.hpp"
#include "backend/devices/backend_of.hpp"
#include "core/error.hpp"

namespace gpuarray::ops {
namespace {

bool is_element(const ExpressionParameter& parameter) { return parameter.role == Role::element; }

// One run of an expression: checks the arguments, finds the shape, makes the results and the plan,
// and runs it.
class Call {
 public:
  Call(Expression& expression, const ExpressionCall& call, std::span<Array> made)
      : expression_(expression), call_(call), made_(made) {
    for (size_t k = 0; k < call.arguments.size(); ++k) arrays_[k] = call.arguments[k].array;
  }

  void run() {
    check_arrays();
    find_shape();
    check_sequence();
    make_results();
    separate_inputs();
    ExpressionPlan plan;
    plan.size = size_;
    plan.target_shape = &shape_;
    if (size_ == 0) return;
    add_elements(plan);
    add_constants(plan);
    backend_of(call_.device).expression(expression_, plan, current_stream(call_.device));
  }

 private:
  const char* name() const { return expression_.label(); }
  const ExpressionParameter& parameter(size_t k) const { return expression_.parameters()[k]; }
  size_t count() const { return call_.arguments.size(); }

  // Returns whether the loop has one axis, along which all arrays are contiguous.
  bool is_flat() const { return plain_ && !expression_.has_reductions(); }

  void check_arrays() const {
    for (size_t k = 0; k < count(); ++k) {
      const Array* array = arrays_[k];
      if (array == nullptr) continue;
      if (parameter(k).is_written)
        require_writable(*array, (std::string(name()) + ": " + parameter(k).name).c_str());
      require_layout(*array, parameter(k), name());
    }
  }

  void find_shape() {
    Shape shapes[kMostParameters];
    size_t known = 0;
    for (size_t k = 0; k < count(); ++k) {
      if (!is_element(parameter(k)) || arrays_[k] == nullptr) continue;
      plain_ = plain_ && arrays_[k]->is_c_contiguous() &&
               (known == 0 || arrays_[k]->shape() == shapes[0]);
      shapes[known++] = arrays_[k]->shape();
    }
    if (known > 0 && call_.size)
      throw ValueError(std::string(name()) + ": size is for calls whose arrays are all raw");
    if (known > 0)
      shape_ = plain_ ? shapes[0] : broadcast_shapes(std::span(shapes, known), name());
    else if (call_.size)
      shape_ = {*call_.size};
    else
      shape_ = {size_of_pointers()};
    size_ = element_count(shape_);
    if (expression_.has_reductions()) check_rows();
    for (size_t k = 0; k < count(); ++k)
      if (is_element(parameter(k)) && parameter(k).is_written && arrays_[k] != nullptr &&
          arrays_[k]->shape() != shape_)
        throw ShapeError(std::string(name()) + ": " + parameter(k).name + " has shape " +
                         to_string(arrays_[k]->shape()) + ", expected " + to_string(shape_));
  }

  // Refuses reductions that are not over the rows of the loop, and those of no elements.
  void check_rows() const {
    const std::string what = name();
    if (size_ == 0) throw ValueError(what + ": nothing to reduce");
    for (const RowReduction& reduction : expression_.text().reductions) {
      const Shape shape = shape_of(reduction.sources);
      const int last = shape.size() - 1;
      if (last < 0 || shape.back() != shape_.back() ||
          (reduction.axis != -1 && reduction.axis != last))
        throw ValueError(what + ": a reduction that is not over the rows");
    }
    for (size_t k = 0; k < count(); ++k)
      if (arrays_[k] != nullptr && arrays_[k]->ndim() > 0 && arrays_[k]->shape().back() > 1 &&
          arrays_[k]->strides().back() != 1 && arrays_[k]->strides().back() != 0)
        throw ValueError(what + ": rows that are not contiguous");
  }

  // Returns the shape to which parameters broadcast: see ExpressionText::whole.
  Shape shape_of(const std::vector<int>& parameters) const {
    Shape shapes[kMostParameters];
    size_t known = 0;
    for (int k : parameters) {
      Shape& shape = shapes[known++] = arrays_[std::max(k, ~k)]->shape();
      if (k < 0 && !shape.empty()) shape[shape.size() - 1] = 1;
    }
    return broadcast_shapes(std::span(shapes, known), name());
  }

  // Refuses what would change the result of a text of several operations: an array that shares
  // memory with a written one would be read too early, arrays that broadcast to less than the loop
  // give a smaller result if their operation runs alone, and an exponent of one element other
  // powers.
  void check_sequence() const {
    if (!expression_.text().is_sequential) return;
    for (const std::vector<int>& parameters : is_flat() ? kNothing : expression_.text().whole)
      if (shape_of(parameters) != shape_)
        throw ShapeError(std::string(name()) + ": results of several shapes");
    for (const std::vector<int>& parameters : expression_.text().exponents)
      if (element_count(shape_of(parameters)) == 1)
        throw ShapeError(std::string(name()) + ": an exponent of one element");
    for (size_t k = 0; k < count(); ++k)
      for (size_t j = 0; j < count() && parameter(k).is_written; ++j)
        if (j != k && arrays_[k] != nullptr && arrays_[j] != nullptr &&
            disturbs(*arrays_[k], *arrays_[j], true))
          throw ValueError(std::string(name()) + ": arrays overlap one that is written");
  }

  // Returns the size of a loop over pointers, which is that of the first array, as in PyCUDA.
  int64_t size_of_pointers() const {
    for (size_t k = 0; k < count(); ++k)
      if (parameter(k).role == Role::pointer) return arrays_[k]->size();
    throw ValueError(std::string(name()) +
                     ": the size of the loop is undecided: no array but raw ones, and no size");
  }

  // Allocates the results, laid out as with NumPy's order='K'.
  void make_results() {
    size_t next = 0;
    std::optional<Strides> order;
    for (size_t k = 0; k < count(); ++k) {
      if (arrays_[k] != nullptr || parameter(k).role == Role::scalar) continue;
      Array& made = made_[next++];
      made = empty(shape_, parameter(k).memory, call_.device);
      fresh_[k] = true;
      if (!is_element(parameter(k))) assign(made, Scalar::weak_int(0));
      if (plain_ || !is_element(parameter(k))) continue;
      if (!order) order = common_order();
      made = made.view(shape_, *order);
    }
    next = 0;
    for (size_t k = 0; k < count(); ++k)
      if (fresh_[k]) arrays_[k] = &made_[next++];
  }

  Strides common_order() const {
    Strides strides[kMostParameters];
    size_t known = 0;
    for (size_t k = 0; k < count(); ++k)
      if (is_element(parameter(k)) && arrays_[k] != nullptr && !fresh_[k])
        strides[known++] = broadcast_strides(arrays_[k]->shape(), arrays_[k]->strides(), shape_);
    return common_order_strides(shape_, std::span(strides, known));
  }

  // Returns whether elements of this input could be overwritten before they are read.
  bool is_disturbed(size_t input) const {
    const bool whole = parameter(input).role == Role::raw;
    for (size_t k = 0; k < count(); ++k)
      if (parameter(k).is_written && is_element(parameter(k)) && !fresh_[k] &&
          disturbs(*arrays_[k], *arrays_[input], whole))
        return true;
    return false;
  }

  void separate_inputs() {
    for (size_t k = 0; k < count(); ++k) {
      const Role role = parameter(k).role;
      if (role == Role::scalar || role == Role::pointer || parameter(k).is_written ||
          !is_disturbed(k))
        continue;
      copies_.push_back(std::make_unique<Array>(copy(*arrays_[k], 'K')));
      arrays_[k] = copies_.back().get();
    }
  }

  void add_elements(ExpressionPlan& plan) const {
    for (int index : expression_.operands()) {
      const auto k = static_cast<size_t>(index);
      const Array& array = *arrays_[k];
      if (fresh_[k]) plan.fresh |= 1u << plan.operand_count;
      plan.use(*array.buffer(), parameter(k).is_written);
      Strides& strides = plan.add(array.dtype(), array.settle());
      if (is_flat())
        strides.push_back(1);
      else
        strides = broadcast_strides(array.shape(), array.strides(), shape_);
    }
    const std::span strides = plan.all_strides();
    if (is_flat()) {
      plan.shape.push_back(size_);
      return;
    }
    plan.shape = shape_;
    if (expression_.has_reductions()) return collapse_to_rows(plan.shape, strides);
    if (expression_.text().is_ordered)
      merge_axes(plan.shape, strides);
    else
      collapse(plan.shape, strides);
  }

  void add_constants(ExpressionPlan& plan) const {
    plan.constants.add(size_);
    if (expression_.has_pointers()) {
      plan.constants.add(call_.start);
      plan.constants.add(call_.step);
    }
    for (size_t k = 0; k < count(); ++k)
      if (!is_element(parameter(k)))
        add_constant(plan, parameter(k), {arrays_[k], call_.arguments[k].scalar});
  }

  static inline const std::vector<std::vector<int>> kNothing;

  Expression& expression_;
  const ExpressionCall& call_;
  std::span<Array> made_;
  const Array* arrays_[kMostParameters];
  bool fresh_[kMostParameters] = {};
  bool plain_ = true;  // whether all arrays are contiguous and of one shape
  Shape shape_;
  int64_t size_ = 0;
  std::vector<std::unique_ptr<Array>> copies_;
};

}  // namespace

void require_layout(const Array& array, const ExpressionParameter& parameter, const char* what) {
  if (parameter.role == Role::pointer && !array.is_c_contiguous() && !array.is_f_contiguous())
    throw ValueError(std::string(what) + ": " + parameter.name + ": expected a contiguous array");
}

bool disturbs(const Array& written, const Array& input, bool whole) {
  return overlaps(written, input) || (whole && distance(written, input) == 0);
}

void add_array(ArgumentBlock& block, const Array& array, const Shape& shape, const Strides& strides,
               bool writes) {
  block.use(*array.buffer(), writes);
  block.constants.add(reinterpret_cast<int64_t>(array.settle()));
  block.constants.add(array.size());
  for (const Dims* field : {&shape, &strides}) {
    for (int64_t value : *field) block.constants.add(value);
    if (field->empty()) block.constants.add(int64_t{0});
  }
  block.add_layout({static_cast<char>(shape.size()), is_c_contiguous(shape, strides)});
}

void add_constant(ArgumentBlock& block, const ExpressionParameter& parameter,
                  const Argument& argument) {
  if (parameter.role == Role::scalar)
    return block.constants.add(argument.scalar.bytes,
                               static_cast<size_t>(itemsize(parameter.memory)));
  const Array& array = *argument.array;
  if (parameter.role == Role::raw)
    return add_array(block, array, array.shape(), array.strides(), parameter.is_written);
  block.use(*array.buffer(), parameter.is_written);
  block.constants.add(reinterpret_cast<int64_t>(array.settle()));
}

void run_expression(Expression& expression, const ExpressionCall& call, std::span<Array> made) {
  Call(expression, call, made).run();
}

}  // namespace gpuarray::ops
