// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "array/array.hpp"
#include "py/binding/gil.hpp"
#include "py/exchange/dlpack.hpp"

// GPUArrays over tensors of other libraries.
namespace gpuarray::py::dlpack {

// Gives a tensor back to its producer: calls its deleter, which may be null, with the GIL held.
// Does nothing once the interpreter has ended.
template <class Managed>
void call_deleter(Managed* managed) {
  if (managed->deleter == nullptr || !Py_IsInitialized()) return;
  GilHold gil;
  managed->deleter(managed);
}

// Owns a tensor: calls its deleter at the end of the scope unless release() was called before.
template <class Managed>
class Owner {
 public:
  explicit Owner(Managed* managed) : managed_(managed) {}
  ~Owner() {
    if (managed_ != nullptr) call_deleter(managed_);
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  Managed* get() const { return managed_; }
  void release() { managed_ = nullptr; }

 private:
  Managed* managed_;
};

struct BorrowedArray {
  Array array;
  bool copied = false;  // whether its memory is a copy that the producer does not share
};

// What the caller of from_dlpack asks for.
struct ImportOptions {
  // The device that page-locked or managed memory is to be used from; null for its own.
  const Device* device = nullptr;
  // Whether to copy always or never; unset copies where that is needed.
  std::optional<bool> copy;
  // Whether an unversioned tensor, which has no flag for it, may be written.
  bool writes_unversioned = false;
};

// Makes an array over the memory of the tensor, or over a copy if its elements are not aligned for
// their dtype. The memory must be ready for the current stream of its device. The array owns the
// tensor: the deleter runs when the last view is gone, and not if this throws. Throws BufferError
// for a version, device, dtype or layout that is not supported, and where options.copy is false and
// a copy is needed.
template <class Managed>
BorrowedArray borrow_tensor(Managed* managed, const char* what, const ImportOptions& options);

extern template BorrowedArray borrow_tensor(ManagedTensor*, const char*, const ImportOptions&);
extern template BorrowedArray borrow_tensor(ManagedTensorVersioned*, const char*,
                                            const ImportOptions&);

// Imports an object by the exchange table of its type (__dlpack_c_exchange_api__), which is faster
// than calling __dlpack__. Work on the current stream runs after what the producer has queued.
// Returns nullopt if the type has no table, or if only __dlpack__ can tell whether this object may
// be exported. Throws what borrow_tensor throws, and PythonError if the producer fails.
std::optional<BorrowedArray> borrow_by_table(PyObject* object, std::optional<bool> copy);

}  // namespace gpuarray::py::dlpack
