// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/fourier/fft.hpp"

#include <cmath>
#include <iterator>
#include <optional>

#include "array/operand.hpp"
#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/slot.hpp"
#include "py/binding/values.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/compute.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/operations/parts.hpp"

namespace gpuarray::py {
namespace {

// A kind of transform; Python gives its place in kKinds, and that behind all for several axes.
struct Kind {
  const char* name;
  FftType type;
  bool forward;     // the sign of the exponent
  bool conjugates;  // see FftRequest
  bool scales;      // whether norm="backward" divides by the number of points
};
constexpr Kind kKinds[] = {
    {"fft", FftType::complex_to_complex, true, false, false},
    {"ifft", FftType::complex_to_complex, false, false, true},
    {"rfft", FftType::real_to_complex, true, false, false},
    {"irfft", FftType::complex_to_real, false, false, true},
    {"hfft", FftType::complex_to_real, false, true, false},
    {"ihfft", FftType::real_to_complex, true, true, true},
};

constexpr int64_t kKindCount = std::size(kKinds);

int64_t to_kind(PyObject* object) {
  const int64_t index = to_int64(object);
  if (index < 0 || index >= 2 * kKindCount)
    throw ValueError("_fft: there is no kind " + std::to_string(index));
  return index;
}

// Whether the argument is a number, and no sequence. Arrays have __index__ too.
bool is_number(PyObject* object) { return PyIndex_Check(object) && !PySequence_Check(object); }

// Throws TypeError unless the arguments of a transform along one axis are integers.
void require_one_axis(PyObject* axis, PyObject* length, const char* what) {
  const auto require = [&](PyObject* object, const char* argument) {
    if (!is_number(object))
      throw TypeError(std::string(what) + ": expected an integer as " + argument + ", got " +
                      type_name(object));
  };
  if (axis != nullptr) require(axis, "axis");
  if (is_given(length)) require(length, "n");
}

// Converts an int or a sequence of them; nullopt for None and null.
std::optional<std::vector<int64_t>> to_numbers(PyObject* object) {
  if (!is_given(object)) return std::nullopt;
  std::vector<int64_t> numbers;
  if (is_number(object)) {
    numbers.push_back(to_int64(object));
    return numbers;
  }
  const Ref items = checked(PySequence_Tuple(object));
  for (Py_ssize_t k = 0; k < PyTuple_Size(items.get()); ++k)
    numbers.push_back(to_int64(PyTuple_GetItem(items.get(), k)));
  return numbers;
}

// Sets the axes, by default the last ones for which lengths are given, or all.
void set_axes(ops::FftRequest& request, PyObject* axes, PyObject* lengths, const Shape& shape) {
  const auto given = to_numbers(axes);
  const auto points = to_numbers(lengths);
  const int ndim = shape.size();
  if (given) {
    for (int64_t axis : *given) request.axes.push_back(normalize_axis(axis, ndim));
  } else {
    const int64_t count = points ? std::ssize(*points) : ndim;
    for (int64_t axis = -count; axis < 0; ++axis)
      request.axes.push_back(normalize_axis(axis, ndim));
  }
  if (points && points->size() != request.axes.size())
    throw ValueError("Shape and axes have different lengths.");
  const bool is_to_real = request.type == FftType::complex_to_real;
  for (size_t k = 0; k < request.axes.size(); ++k) {
    const int64_t extent = shape[request.axes[k]];
    const bool is_last = k + 1 == request.axes.size();
    const int64_t whole = is_to_real && is_last && !points ? 2 * (extent - 1) : extent;
    // -1 stands for the extent in numpy.fft's functions of several axes only.
    const bool is_default = !points || ((*points)[k] == -1 && !is_number(lengths));
    const int64_t length = is_default ? whole : (*points)[k];
    if (length < 1)
      throw ValueError("Invalid number of FFT data points (" + std::to_string(length) +
                       ") specified.");
    request.lengths.push_back(length);
  }
}

// Returns what the argument `norm` multiplies the result by.
double to_scale(PyObject* norm, const Kind& kind, const Shape& lengths) {
  const std::string text = is_given(norm) && PyUnicode_Check(norm) ? to_text(norm, "norm")
                           : is_given(norm)                        ? ""
                                                                   : "backward";
  double points = 1;
  for (int64_t length : lengths) points *= static_cast<double>(length);
  if (text == "ortho") return 1 / std::sqrt(points);
  if (text == "backward") return kind.scales ? 1 / points : 1;
  if (text == "forward") return kind.scales ? 1 : 1 / points;
  const Ref shown = checked(PyObject_Str(norm));
  throw ValueError("Invalid norm value " + to_text(shown.get(), "norm") +
                   "; should be \"backward\", \"ortho\" or \"forward\".");
}

Ref tuple_of(const std::vector<int>& axes) {
  Dims dims;
  for (int axis : axes) dims.push_back(axis);
  return from_dims(dims);
}

// Calls NumPy, on the memory of an array of the cpu device.
Ref transform_on_host(const Kind& kind, PyObject* a, const ops::FftRequest& request, PyObject* norm,
                      PyObject* out) {
  const Array& source = as_array(a);
  DType dtype = ops::fft_dtype(source.dtype());
  if (request.type == FftType::complex_to_real) dtype = real_dtype(dtype);
  if (request.type == FftType::real_to_complex && is_complex(source.dtype()))
    throw TypeError(std::string(request.what) + ": expected real numbers, got " +
                    name(source.dtype()));
  const Array* target = optional_array(out, "out");
  if (target != nullptr)
    ops::require_out(*target, ops::fft_shape(source.shape(), request), dtype, request.what);
  const Ref function = import_attribute("gpuarray._fourier.host", "transform");
  const Ref lengths = from_dims(request.lengths), axes = tuple_of(request.axes);
  Ref made = call_python(PyObject_CallFunction, function.get(), "sOOOO", kind.name, a,
                         lengths.get(), axes.get(), or_none(norm));
  if (target == nullptr) return made;
  const Array& result = require_array(made.get(), request.what);
  compute(result, [&] { ops::assign(*target, result); });
  return Ref::borrow(out);
}

Ref rounded_to_half(const Array& result) {
  return new_array(compute(result, [&] { return ops::astype(result, DType::float16); }));
}

constexpr Signature<7> kFft{
    "_fft", {"kind", "a", "lengths", "axes", "norm", "out", "stream"}, 2, 7};

Ref fft(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const auto [number, a, lengths, axes, norm, out, stream] = parse(kFft, args, nargs, kwnames);
  const int64_t index = to_kind(number);
  const Kind& kind = kKinds[index % kKindCount];
  const Array& source = require_array(a, kind.name);
  const Array* target = optional_array(out, "out");
  ops::FftRequest request;
  request.what = kind.name;
  request.type = kind.type;
  request.forward = kind.forward;
  request.conjugates = kind.conjugates;
  if (index < kKindCount) require_one_axis(axes, lengths, kind.name);
  set_axes(request, axes, lengths, source.shape());
  request.scale = to_scale(norm, kind, request.lengths);
  if (request.axes.empty() && kind.type != FftType::complex_to_complex)
    throw IndexError(std::string(kind.name) + ": expected an axis at least");
  const StreamScope scope(stream, source.device());
  // NumPy rounds a real result of float16 to float16, unless a complex pass comes before.
  const bool narrows = target == nullptr && source.dtype() == DType::float16 &&
                       kind.type == FftType::complex_to_real && request.axes.size() == 1;
  if (source.device().is_cpu()) {
    Ref made = transform_on_host(kind, a, request, norm, out);
    return narrows ? rounded_to_half(as_array(made.get())) : std::move(made);
  }
  Array result = ops::fft(source, request, target);
  if (target != nullptr) return Ref::borrow(out);
  return narrows ? rounded_to_half(result) : new_array(std::move(result));
}

Device cuda_device_of(PyObject* object) {
  return is_given(object) ? to_device(object) : default_device();
}

Ref cache_info(PyObject*, PyObject* object) {
  const Device device = cuda_device_of(object);
  const FftCacheInfo info = device.is_cpu() ? FftCacheInfo{} : fft_cache_info(device);
  return from_dims({info.hits, info.misses, info.plans, info.limit});
}

Ref clear_cache(PyObject*, PyObject* object) {
  const Device device = cuda_device_of(object);
  if (!device.is_cpu()) clear_fft_cache(device);
  return none();
}

}  // namespace

MethodRows fft_function_rows() {
  static const PyMethodDef rows[] = {
      {"_fft", method<fft>, METH_FASTCALL | METH_KEYWORDS,
       R"(_fft($module, kind, a, lengths=None, axes=None, norm=None, out=None, stream=None)
--

Return numpy.fft's fft, ifft, rfft, irfft, hfft or ihfft.

These are kinds 0 to 5, with ints as `lengths` and `axes`; 6 to 11 are those over several axes, with
sequences of them.)"},
      {"_fft_plan_cache_info", method<cache_info>, METH_O,
       R"(_fft_plan_cache_info($module, device, /)
--

Return (hits, misses, the number of plans that the device keeps, their limit).)"},
      {"_clear_fft_plan_cache", method<clear_cache>, METH_O,
       R"(_clear_fft_plan_cache($module, device, /)
--

Destroy the plans that the device keeps, and forget the counts.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
