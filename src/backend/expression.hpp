// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/device.hpp"
#include "core/dims.hpp"
#include "core/dtype.hpp"
#include "core/scalar.hpp"
#include "runtime/buffer/access.hpp"

// The engine of expressions: a text of C++ compiled once for each kind of device and way to walk
// its arrays, and run over broadcast operands of any strides.
namespace gpuarray {

inline constexpr int kMostParameters = 32;

// How a parameter of an expression stands in its text.
enum class Role : uint8_t {
  element,  // the element of a broadcast array: a reference
  scalar,   // a value
  raw,      // a whole array, RawArray of kernels/expression/raw_array.hpp
  pointer,  // the memory of a contiguous array: T*
};

struct ExpressionParameter {
  std::string name;
  DType dtype;   // in the text
  DType memory;  // of an array's elements; those of the role `element` are converted on the way
  Role role = Role::element;
  bool is_written = false;
};

struct ExpressionText {
  std::string name;       // an identifier, for reports
  std::string operation;  // statements over the parameters, `i` and `n`
  std::string preamble;   // before the kernel
  std::string loop_prep;  // once a thread, before and after its elements
  std::string after_loop;
  std::vector<std::pair<std::string, DType>> types;  // names of dtypes in all these texts
  bool is_ordered = true;                            // `i` counts in C order
  std::vector<std::string> host_options;             // for the host's compiler
  bool is_cuda_only = false;                         // names what the host has not
  // Compiles a source of a kernel kSymbol for a device, loads it for good and gives its
  // CUfunction; null: compiled as this project's own kernels, a * b + c rounded twice.
  std::function<void*(Device device, const std::string& source)> build;
  // Arrays that overlap a written one are refused: the texts they stand in came before or after.
  bool is_sequential = false;
  // Parameters whose shapes must broadcast to the loop's.
  std::vector<std::vector<int>> whole = {};
};

// Thread-safe, and kept for the process where it is compiled.
class Expression {
 public:
  // Throws ValueError for what no kernel can be made of.
  Expression(ExpressionText text, std::vector<ExpressionParameter> parameters);
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;

  const ExpressionText& text() const { return text_; }
  std::span<const ExpressionParameter> parameters() const { return parameters_; }
  // The parameters of the role `element`: the operands of its kernels, what is written first.
  std::span<const int> operands() const { return operands_; }
  // Whether threads take vectors. With whole arrays neighbouring threads take neighbouring
  // elements, so that these are read together too.
  bool has_vectors() const { return !operands_.empty() && !has_whole_arrays_; }
  bool has_pointers() const { return has_pointers_; }
  const char* label() const { return label_; }  // its name, for the life of the process

  // What was kept under `key`, else what `make()` returns. Does not hold a lock meanwhile.
  template <class Make>
  void* compiled(std::string_view key, Make&& make) {
    if (void* found = find(key)) return found;
    void* made = make();
    keep(key, made);
    return made;
  }

 private:
  void* find(std::string_view key);
  void keep(std::string_view key, void* made);

  ExpressionText text_;
  std::vector<ExpressionParameter> parameters_;
  std::vector<int> operands_;
  bool has_whole_arrays_ = false;
  bool has_pointers_ = false;
  const char* label_;
  std::mutex mutex_;
  std::vector<std::pair<std::string, void*>> compiled_;
};

// Where a raw array or a scalar lies, as kernels read it: fields at their natural alignment.
class Constants {
 public:
  static constexpr size_t kMostBytes = 2048;

  void add(const void* bytes, size_t size);
  void add(int64_t value) { add(&value, sizeof value); }
  unsigned char* data() { return bytes_; }
  const unsigned char* data() const { return bytes_; }
  size_t size() const { return size_; }

 private:
  alignas(16) unsigned char bytes_[kMostBytes];
  size_t size_ = 0;
};

// A launch.
struct ExpressionPlan {
  Shape shape;  // collapsed
  int64_t size = 0;
  int operand_count = 0;  // as Expression::operands()
  DType dtypes[kMostParameters];
  void* data[kMostParameters];
  Strides strides[kMostParameters];     // elements
  uint32_t fresh = 0;                   // bit k: operand k holds nothing yet
  Constants constants;                  // see source::kernel in expression_source.cpp
  std::string raw;                      // of each raw array: its axes, and whether it is contiguous
  const Shape* target_shape = nullptr;  // for reports, outlives the plan

  void use(Buffer& buffer, bool writes) { uses_[use_count_++] = {&buffer, writes}; }
  // The memory of all arrays, once a kernel is there.
  void open(BufferAccess& access) const {
    for (int k = 0; k < use_count_; ++k)
      uses_[k].writes ? access.write(*uses_[k].buffer) : access.read(*uses_[k].buffer);
  }

 private:
  int use_count_ = 0;
  BufferUse uses_[kMostParameters];
};

}  // namespace gpuarray
