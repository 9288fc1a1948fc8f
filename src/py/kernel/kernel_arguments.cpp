// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/kernel/kernel_arguments.hpp"

#include <cstring>
#include <optional>

#include "core/error.hpp"
#include "core/made_first.hpp"
#include "py/binding/call_python.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/numpy.hpp"
#include "py/convert/stream_object.hpp"
#include "py/exchange/interchange.hpp"

namespace gpuarray::py {
namespace {

using Kind = Parameter::Kind;

// Returns the names of the dtypes whose bits are set: "float32 or float64".
std::string dtypes_text(uint32_t dtypes) {
  std::string text;
  for (int index = 0; index < kDTypeCount; ++index)
    if ((dtypes >> index & 1) != 0)
      text += (text.empty() ? "" : " or ") + std::string(name(static_cast<DType>(index)));
  return text;
}

// Returns whether the object is an In, Out or InOut of gpuarray.driver.
bool is_host_argument(PyObject* object) {
  static constinit MadeFirst<Ref> base;
  const Ref& type = base.get([] { return import_attribute("gpuarray.driver", "HostArgument"); });
  return checked_status(PyObject_IsInstance(object, type.get())) == 1;
}

// Returns the bytes of a single value: a structured scalar, or a ctypes value or structure; nullopt
// for objects without a buffer and for arrays.
std::optional<std::string> element_bytes(PyObject* object) {
  if (PyObject_CheckBuffer(object) == 0) return std::nullopt;
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_FULL_RO) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  std::optional<std::string> bytes;
  if (view.ndim == 0)
    bytes.emplace(static_cast<const char*>(view.buf), static_cast<size_t>(view.len));
  PyBuffer_Release(&view);
  return bytes;
}

// Returns the address that an object stands for: an int, the `ptr` of a memory library's object, or
// what int() gives; nullopt for other objects.
std::optional<uint64_t> address_of(PyObject* object) {
  Ref value;
  if (PyIndex_Check(object)) {
    value = checked(PyNumber_Index(object));
  } else if (has_attribute(object, "ptr")) {
    value = checked(PyObject_GetAttrString(object, "ptr"));
  } else if (has_attribute(object, "__int__") && !has_attribute(object, "__float__")) {
    value = checked(PyNumber_Long(object));
  }
  if (!value) return std::nullopt;
  if (PyLong_Check(value.get()) == 0) value = checked(PyNumber_Long(value.get()));
  const unsigned long long address = PyLong_AsUnsignedLongLong(value.get());
  if (address == static_cast<unsigned long long>(-1) && PyErr_Occurred()) throw PythonError();
  return address;
}

// Returns the number that a Python or NumPy scalar is; nullopt for structured scalars and other
// objects.
std::optional<Scalar> as_number(PyObject* object) {
  if (is_numpy_struct(object)) return std::nullopt;
  const std::optional<Operand> operand = as_operand(object);
  return operand ? std::optional(operand->scalar()) : std::nullopt;
}

template <class T>
void put(unsigned char* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

}  // namespace

void KernelArguments::refuse(size_t index, const std::string& what) const {
  throw TypeError(state_.argument_text(index) + ": " + what);
}

void KernelArguments::take(PyObject* const* args, Py_ssize_t count) {
  const size_t expected = state_.parameters.size();
  if (static_cast<size_t>(count) != expected) [[unlikely]]
    throw TypeError(state_.kernel->name() + ": expected " + std::to_string(expected) +
                    (expected == 1 ? " argument" : " arguments") + state_.signature_text() +
                    ", got " + std::to_string(count));
  if (state_.nbytes > kFewBytes) [[unlikely]] {
    more_bytes_.reset(new std::max_align_t[state_.nbytes / sizeof(std::max_align_t) + 1]);
    bytes_ = reinterpret_cast<unsigned char*>(more_bytes_.get());
  }
  if (expected > kFew) [[unlikely]] {
    more_pointers_.resize(expected);
    pointers_ = more_pointers_.data();
    more_uses_.resize(expected);
    uses_ = more_uses_.data();
  }
  for (size_t index = 0; index < expected; ++index) {
    pointers_[index] = bytes_ + state_.parameters[index].offset;
    take_one(args[index], index);
  }
}

void KernelArguments::take_one(PyObject* object, size_t index) {
  if (is_array(object)) return take_array(object, index);
  const Parameter& parameter = state_.parameters[index];
  unsigned char* to = bytes_ + parameter.offset;
  if (PyLong_CheckExact(object)) {
    // The common cases: ints and floats that fit the parameter as they are.
    const bool any_int = parameter.kind != Kind::value || parameter.dtypes == 0;
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow == 0) {
      if (parameter.nbytes == 4 &&
          (any_int ? value >= INT32_MIN && value <= UINT32_MAX
                   : parameter.dtype == DType::int32 && value >= INT32_MIN && value <= INT32_MAX))
        return put(to, static_cast<int32_t>(value));
      if (parameter.nbytes == 8 && (any_int ? value >= 0 : parameter.dtype == DType::int64))
        return put(to, value);
    }
  } else if (PyFloat_CheckExact(object) && parameter.kind == Kind::value && parameter.dtypes != 0 &&
             parameter.dtype == DType::float64) {
    return put(to, PyFloat_AsDouble(object));
  }
  if (std::optional<Scalar> number = as_number(object))
    return store_number(*number, state_, index, to);
  take_other(object, index);
}

void KernelArguments::take_array(PyObject* object, size_t index) {
  const Parameter& parameter = state_.parameters[index];
  const Array& array = as_array(object);
  if (parameter.kind == Kind::value || parameter.nbytes != sizeof(void*)) [[unlikely]]
    refuse(index, parameter.kind == Kind::value && parameter.dtypes != 0
                      ? std::string("expected ") + name(parameter.dtype) +
                            ", got an array; a.item() is its element"
                      : "expected a value of " + std::to_string(parameter.nbytes) +
                            " bytes, got an array, whose address has 8");
  if (array.device() != state_.kernel->device()) [[unlikely]]
    throw DeviceError(state_.argument_text(index) + ": expected an array on " +
                      to_string(state_.kernel->device()) + ", got one on " +
                      to_string(array.device()) + "; a.to_device('" +
                      to_string(state_.kernel->device()) + "') copies it");
  if (!parameter.takes(array.dtype())) [[unlikely]]
    refuse(index, "expected an array of " + dtypes_text(parameter.dtypes) + ", got one of " +
                      name(array.dtype()));
  if (!array.is_c_contiguous() && !strided_) [[unlikely]]
    throw ValueError(state_.argument_text(index) + ": expected a C-contiguous array, got shape " +
                     to_string(array.shape()) + " with strides " + to_string(array.strides()) +
                     " in elements; gpuarray.ascontiguousarray(a) makes one, and strided=True lets "
                     "the kernel have any");
  const bool writes = parameter.kind == Kind::pointer ? !parameter.is_const : array.writable();
  if (writes && !array.writable()) [[unlikely]]
    throw ReadOnlyError(
        state_.argument_text(index) +
        ": the array is read-only, and the kernel's pointer is not const; write const in the "
        "kernel's signature, or pass a.copy()");
  put(bytes_ + parameter.offset, array.settle());
  uses_[use_count_++] = {array.buffer().get(), writes};
}

void KernelArguments::take_bytes(const std::string& bytes, PyObject* object, size_t index) {
  const Parameter& parameter = state_.parameters[index];
  if (bytes.size() != parameter.nbytes)
    refuse(index, "expected " + std::to_string(parameter.nbytes) + " bytes, got " +
                      type_name(object) + " of " + std::to_string(bytes.size()));
  std::memcpy(bytes_ + parameter.offset, bytes.data(), bytes.size());
}

void KernelArguments::take_other(PyObject* object, size_t index) {
  const Parameter& parameter = state_.parameters[index];
  const bool may_point = parameter.kind != Kind::value && parameter.nbytes == sizeof(void*);
  if (object == Py_None && may_point) return put(bytes_ + parameter.offset, uint64_t{0});
  if (is_ndarray(object) && !is_numpy_0d(object))
    refuse(index,
           "expected an array on a device, got a NumPy array; gpuarray.to_device(x) copies it "
           "there, gpuarray.driver.In(x), Out(x) and InOut(x) do so for the launch");
  if (std::optional<std::string> bytes = element_bytes(object))
    return take_bytes(*bytes, object, index);
  if (may_point && is_host_argument(object)) {
    host_copies_.push_back({index, Ref::borrow(object), Ref()});
    return;
  }
  if (may_point && is_foreign_array(object)) {
    kept_.push_back(import_foreign(object));
    return take_array(kept_.back().get(), index);
  }
  if (!may_point && PyIndex_Check(object))
    return store_number(*as_number(checked(PyNumber_Index(object)).get()), state_, index,
                        bytes_ + parameter.offset);
  if (may_point)
    if (std::optional<uint64_t> address = address_of(object))
      return put(bytes_ + parameter.offset, *address);
  refuse(index,
         (may_point ? "expected an array, an address or a value of 8 bytes, got "
                    : "expected a value of " + std::to_string(parameter.nbytes) + " bytes, got ") +
             type_name(object));
}

void KernelArguments::copy_in(const StreamPtr& stream) {
  const Ref on = new_stream(stream);
  for (HostCopy& copy : host_copies_) {
    Ref device = from_device(stream->device());
    copy.array = call_python(PyObject_CallMethod, copy.argument.get(), "_copy_in", "OO",
                             device.get(), on.get());
    require_array(copy.array.get(), "HostArgument");
    take_array(copy.array.get(), copy.index);
  }
}

void KernelArguments::copy_out(const StreamPtr& stream) {
  const Ref on = new_stream(stream);
  for (const HostCopy& copy : host_copies_)
    call_python(PyObject_CallMethod, copy.argument.get(), "_copy_out", "OO", copy.array.get(),
                on.get());
}

void KernelArguments::launch(const LaunchConfig& config, const StreamPtr& stream) {
  if (!host_copies_.empty()) [[unlikely]]
    copy_in(stream);
  {
    BufferAccess access(stream);
    for (size_t k = 0; k < use_count_; ++k) {
      if (uses_[k].writes)
        access.write(*uses_[k].buffer);
      else
        access.read(*uses_[k].buffer);
    }
    state_.kernel->launch(config, pointers_, *stream);
  }
  if (!host_copies_.empty()) [[unlikely]]
    copy_out(stream);
}

}  // namespace gpuarray::py
