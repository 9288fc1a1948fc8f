// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "array/array.hpp"
#include "py/binding/gil.hpp"
#include "py/exchange/dlpack.hpp"

// Tensors that others lend to us.
namespace gpuarray::py::dlpack {

// Calls the deleter, which may be null, with the GIL.
template <class Managed>
void give_back(Managed* managed) {
  if (managed->deleter == nullptr || !Py_IsInitialized()) return;
  GilHold gil;
  managed->deleter(managed);
}

// Gives the tensor back at the end of the scope unless it is released before.
template <class Managed>
class Owner {
 public:
  explicit Owner(Managed* managed) : managed_(managed) {}
  ~Owner() {
    if (managed_ != nullptr) give_back(managed_);
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  Managed* get() const { return managed_; }
  void release() { managed_ = nullptr; }

 private:
  Managed* managed_;
};

struct Borrowed {
  Array array;
  bool copied = false;  // no memory is shared with the producer
};

// What the importer asks for.
struct Wish {
  // Where memory that host and devices share is to be used from; null is its own place.
  const Device* device = nullptr;
  std::optional<bool> copy;
};

// An array over the tensor, ready for work on the current stream, or over a copy where the elements
// are not aligned. Takes the tensor over unless it throws: BufferError for what cannot be taken.
template <class Managed>
Borrowed borrow_tensor(Managed* managed, const char* what, const Wish& wish);

extern template Borrowed borrow_tensor(ManagedTensor*, const char*, const Wish&);
extern template Borrowed borrow_tensor(ManagedTensorVersioned*, const char*, const Wish&);

// Through the exchange table of the object's type; nullopt where there is none, or where the
// producer has to be asked through __dlpack__ whether it lends this object at all.
std::optional<Borrowed> borrow_by_table(PyObject* object, std::optional<bool> copy);

}  // namespace gpuarray::py::dlpack
