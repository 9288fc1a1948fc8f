// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/index_map.hpp"
#include "backend/operand_block.hpp"
#include "core/device.hpp"
#include "core/dims.hpp"
#include "core/dtype.hpp"
#include "core/fork.hpp"
#include "core/scalar.hpp"
#include "runtime/buffer/access.hpp"

// The engine of expressions. An expression is a C++ text that is run for each element of broadcast
// arrays of any strides; it is compiled once for each kind of device and each way to walk arrays.
namespace gpuarray {

inline constexpr int kMostParameters = 32;
inline constexpr int kMostMapped = 16;  // operands that have index maps

// What the name of a parameter means in the text of an expression.
enum class Role : uint8_t {
  element,  // a reference to the element of a broadcast array
  scalar,   // a value, the same for all elements
  raw,      // a whole array, which the text indexes: RawArray of kernels/expression/raw_array.hpp
  pointer,  // a pointer T* to the memory of a contiguous array
};

struct ExpressionParameter {
  std::string name;
  DType dtype;   // what the text computes with
  DType memory;  // what an element is in memory, or a scalar among the constants; else `dtype`
  Role role = Role::element;
  bool is_written = false;
};

// A reduction of each row, along the last axis of the loop, whose result the statements after it
// use.
struct RowReduction {
  std::string name;          // of the result
  std::string reducer;       // its C++ type, of kernels/reduce/reduce_ops.cuh
  std::string operation;     // statements that return what is reduced
  double correction;         // what averages subtract from the number of elements
  bool root;                 // whether a variance becomes a standard deviation
  std::vector<int> sources;  // the parameters whose shapes the reduced one is made of: see `whole`
  int axis;                  // as it was given
  // A C++ expression of the RowOrder of kernels/expression/reduced_rows.cuh that is followed to the
  // bit, and the bytes of a value; "" if rows may be reduced in any order.
  std::string order = {};
  int value_bytes = 0;
};

struct ExpressionText {
  std::string name;        // an identifier, which error messages show
  std::string operation;   // statements over the parameters, the index `i` and the size `n`
  std::string preamble;    // declarations that stand before the kernel
  std::string loop_prep;   // what each thread runs before its elements
  std::string after_loop;  // what each thread runs after them
  std::vector<std::pair<std::string, DType>> types;  // type names that these texts may use
  bool is_ordered = true;                 // whether the text uses `i`, which counts in C order
  std::vector<std::string> host_options;  // options of the host's compiler
  bool is_cuda_only = false;              // whether the text names functions that the host lacks
  // Compiles a source whose kernel is named kSymbol, loads it for the life of the process and
  // returns its CUfunction. If null, the source is compiled as this project's own kernels are,
  // which round a * b + c twice (-fmad=false).
  std::function<void*(Device device, const std::string& source)> build;
  // Whether the text is that of several operations, one after the other. Then an array must not
  // overlap a written one, because an operation after the first would read what was written.
  bool is_sequential = false;
  // Groups of parameters, each of which must broadcast to the shape of the loop. ~k stands for
  // parameter k with a single column.
  std::vector<std::vector<int>> whole = {};
  // Groups of parameters, each of which must broadcast to more than one element.
  std::vector<std::vector<int>> exponents = {};
  // If there are any, the loop goes over rows, and the arrays are contiguous along them.
  std::vector<RowReduction> reductions = {};
};

// An expression with the kernels that were compiled for it. Thread-safe. Compiled kernels stay
// loaded for the life of the process.
class Expression {
 public:
  // Throws ValueError for more parameters than `most`.
  Expression(ExpressionText text, std::vector<ExpressionParameter> parameters,
             size_t most = kMostParameters);
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;

  const ExpressionText& text() const { return text_; }
  std::span<const ExpressionParameter> parameters() const { return parameters_; }
  // Returns the indices of the parameters with the role `element`, which are the operands of the
  // kernels: written ones first.
  std::span<const int> operands() const { return operands_; }
  // Returns whether a thread takes several neighbouring elements at once. It does not if the text
  // indexes whole arrays: then neighbouring threads take neighbouring elements, so that the text's
  // own reads are coalesced.
  bool has_vectors() const { return !operands_.empty() && !has_whole_arrays_; }
  bool has_pointers() const { return has_pointers_; }
  // Returns whether the loop goes over rows, which it reduces.
  bool has_reductions() const { return !text_.reductions.empty(); }
  // Returns bit k set for each operand that a reduction needs.
  uint32_t reduced_operands() const;
  // Returns the bytes of the widest value that is reduced in a given order.
  int value_bytes() const;
  const char* label() const { return label_; }  // its name, valid for the life of the process

  // Returns the kernel that is kept under `key`, or null.
  void* find(std::string_view key);
  // The sources of the kernels for CUDA devices that were compiled for calls.
  void note_source(const std::string& source);
  std::vector<std::string> sources();
  // Returns the flag of the kernel of `key`, which becomes true when its image or the kernel is
  // kept, and whether this is the first call, so that one of several callers compiles it.
  std::pair<std::shared_ptr<std::atomic<bool>>, bool> claim(std::string_view key);
  // Keeps the image of a kernel that was compiled in the background; take_image() returns it once,
  // else "".
  void keep_image(std::string_view key, std::string image);
  std::string take_image(std::string_view key);
  // Returns the kernel that is kept under `key`, or keeps what `make()` returns. No lock is held
  // while `make` runs, so two threads may both make it.
  template <class Make>
  void* compiled(std::string_view key, Make&& make) {
    if (void* found = find(key)) return found;
    void* made = make();
    keep(key, made);
    return made;
  }

 private:
  struct Kernel {
    std::string key;
    void* handle = nullptr;                                 // null until it is loaded
    std::string image = {};                                 // "" if there is none to load
    std::shared_ptr<std::atomic<bool>> is_ready = nullptr;  // null until it is claimed
  };

  void keep(std::string_view key, void* made);
  // Returns the entry of the key.
  Kernel& kernel(std::string_view key) REQUIRES(mutex_);

  ExpressionText text_;
  std::vector<ExpressionParameter> parameters_;
  std::vector<int> operands_;
  bool has_whole_arrays_ = false;
  bool has_pointers_ = false;
  const char* label_;
  HeldAtFork mutex_;
  std::vector<Kernel> kernels_ GUARDED_BY(mutex_);
  std::vector<std::string> sources_ GUARDED_BY(mutex_);
};

// How a kernel finds an element of an array that it is passed among its constants: a RawArray, or
// along the rows that a reduction takes.
struct ArrayLayout {
  static constexpr char kRow = -1;     // the elements of a row lie side by side
  static constexpr char kSingle = -2;  // there is one element for a row
  // The same, where rows lie along two axes.
  static constexpr char kSplitRow = -3;
  static constexpr char kSplitSingle = -4;

  char ndim;     // of a RawArray, or one of those
  bool is_even;  // whether a RawArray is contiguous, or the packs of a row are aligned
};

// The bytes of the struct in which a kernel receives scalars and whole arrays: each field is added
// at its natural alignment.
class Constants {
 public:
  static constexpr size_t kMostBytes = 2048;

  // Throws ValueError if the struct becomes larger than kMostBytes.
  void add(const void* bytes, size_t size);
  void add(int64_t value) { add(&value, sizeof value); }
  unsigned char* data() { return bytes_; }
  const unsigned char* data() const { return bytes_; }
  size_t size() const { return size_; }

 private:
  alignas(16) unsigned char bytes_[kMostBytes];
  size_t size_ = 0;
};

// What a kernel is passed besides the operands that it walks over.
struct ArgumentBlock {
  Constants constants;  // in the layout that source::cuda and source::host declare
  std::string layouts;  // two bytes for each array in the constants: see ArrayLayout

  void add_layout(const ArrayLayout& layout) { layouts += {layout.ndim, layout.is_even}; }
  // Notes that the kernel reads or writes the buffer, which must outlive the block.
  void use(Buffer& buffer, bool writes) { uses_[use_count_++] = {&buffer, writes}; }
  // Opens the noted memory on the stream of `access`. Called when the kernel is compiled, so that
  // no memory waits for a compiler.
  void open(BufferAccess& access) const {
    for (int k = 0; k < use_count_; ++k)
      uses_[k].writes ? access.write(*uses_[k].buffer) : access.read(*uses_[k].buffer);
  }

 private:
  int use_count_ = 0;
  BufferUse uses_[kMostParameters + 1];  // of the parameters, and of the result of a fold
};

// Collapses all axes but the last, beside which there is at least one then.
void collapse_to_rows(Shape& shape, std::span<Strides> strides);

// One run of an expression on a device. The operands are those of Expression::operands(), in that
// order.
struct ExpressionPlan : OperandBlock<kMostParameters + kMostMapped + 1>, ArgumentBlock {
  uint32_t fresh = 0;  // bit k: operand k is new and its elements are not set yet
  // The operands that have index maps, in order, and these, which are borrowed. IndexMap::axes of
  // them stand after the strides of all, before their fence. Then there are two axes at least.
  std::vector<int> mapped;
  std::vector<const IndexMap*> maps;
};

}  // namespace gpuarray
