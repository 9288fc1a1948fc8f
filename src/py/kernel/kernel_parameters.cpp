// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/kernel/kernel_parameters.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/call_python.hpp"
#include "py/convert/convert.hpp"

namespace gpuarray::py {
namespace {

using Kind = Parameter::Kind;

// Converts a row of gpuarray._kernels.signature: (text, kind, dtypes, is_const, nbytes).
Parameter parameter_of(PyObject* row) {
  tuple_size(row, "signature", 5);
  const char *text = nullptr, *kind = nullptr;
  PyObject* dtypes = nullptr;
  int is_const = 0;
  Py_ssize_t nbytes = 0;
  if (PyArg_ParseTuple(row, "ssO!pn", &text, &kind, &PyTuple_Type, &dtypes, &is_const, &nbytes) ==
      0)
    throw PythonError();
  Parameter parameter;
  parameter.text = text;
  parameter.kind = *kind == 'p' ? Kind::pointer : *kind == 'v' ? Kind::value : Kind::unknown;
  parameter.is_const = is_const != 0;
  parameter.nbytes = static_cast<size_t>(nbytes);
  for (Py_ssize_t k = 0; k < PyTuple_Size(dtypes); ++k) {
    parameter.dtype = to_dtype(PyTuple_GetItem(dtypes, k));
    parameter.dtypes |= uint32_t{1} << static_cast<int>(parameter.dtype);
  }
  return parameter;
}

std::vector<Parameter> typed_parameters(const Ref& rows) {
  std::vector<Parameter> parameters;
  for (Py_ssize_t k = 0; k < PyTuple_Size(rows.get()); ++k)
    parameters.push_back(parameter_of(PyTuple_GetItem(rows.get(), k)));
  return parameters;
}

// Returns the rows that gpuarray._kernels.signature makes of the signature, or infers from name and
// source; None if nothing is known.
Ref rows_of(const UserKernel& kernel, PyObject* signature, PyObject* source) {
  if (is_given(signature))
    return call_python(PyObject_CallFunctionObjArgs,
                       import_attribute("gpuarray._kernels.signature", "parse_signature").get(),
                       signature, nullptr);
  return call_python(PyObject_CallFunction,
                     import_attribute("gpuarray._kernels.signature", "infer").get(), "sO",
                     kernel.name().c_str(), or_none(source));
}

std::string count_text(size_t count) {
  return std::to_string(count) + (count == 1 ? " parameter" : " parameters");
}

// Returns why the types cannot be those of the compiled kernel; "" if they can.
std::string misfit(const std::vector<Parameter>& typed, const std::vector<ParameterPlace>& places) {
  if (typed.size() != places.size())
    return "the signature has " + count_text(typed.size()) + ", the compiled kernel has " +
           std::to_string(places.size());
  for (size_t k = 0; k < places.size(); ++k)
    if (typed[k].nbytes != 0 && typed[k].nbytes != places[k].nbytes)
      return "parameter " + std::to_string(k + 1) + " of the signature, " + typed[k].text +
             ", has " + std::to_string(typed[k].nbytes) + " bytes, the compiled kernel's has " +
             std::to_string(places[k].nbytes);
  return "";
}

// Sets offsets and sizes to those of the compiled kernel.
void set_places(std::vector<Parameter>& parameters, const std::vector<ParameterPlace>& places) {
  parameters.resize(places.size());
  for (size_t k = 0; k < places.size(); ++k) {
    parameters[k].offset = places[k].offset;
    parameters[k].nbytes = places[k].nbytes;
  }
}

// Derives offsets from the sizes in the signature, for drivers that cannot tell them. Throws
// DeviceError if the signature does not give the sizes.
void place_by_signature(std::vector<Parameter>& parameters, const UserKernel& kernel, bool typed) {
  if (!typed)
    throw DeviceError(kernel.name() +
                      ": a driver before CUDA 12.4 does not tell what parameters a kernel has; "
                      "give its signature");
  size_t offset = 0;
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (parameters[k].nbytes == 0)
      throw DeviceError(kernel.name() + ": a driver before CUDA 12.4 does not tell the size of " +
                        "parameter " + std::to_string(k + 1) + ", " + parameters[k].text);
    parameters[k].offset = offset;
    offset += (parameters[k].nbytes + 15) / 16 * 16;
  }
}

}  // namespace

std::string KernelState::argument_text(size_t index) const {
  std::string text = "argument " + std::to_string(index + 1) + " of " + kernel->name();
  if (index < parameters.size() && !parameters[index].text.empty())
    text += " (" + parameters[index].text + ")";
  return text;
}

std::string KernelState::signature_text() const {
  std::string text;
  for (const Parameter& parameter : parameters) {
    if (parameter.text.empty()) return "";
    text += (text.empty() ? " (" : ", ") + parameter.text;
  }
  return text.empty() ? "" : text + ")";
}

KernelStatePtr make_kernel_state(std::shared_ptr<UserKernel> kernel, PyObject* signature,
                                 PyObject* source) {
  auto state = std::make_shared<KernelState>();
  std::vector<Parameter>& parameters = state->parameters;
  const Ref rows = rows_of(*kernel, signature, source);
  const bool typed = rows.get() != Py_None, given = is_given(signature);
  if (typed) parameters = typed_parameters(rows);
  if (!kernel->parameters()) {
    place_by_signature(parameters, *kernel, typed);
  } else {
    const std::string why = typed ? misfit(parameters, *kernel->parameters()) : "";
    if (given && !why.empty()) throw ValueError(kernel->name() + ": " + why);
    if (!why.empty()) parameters.clear();  // inferred wrongly, perhaps because of a macro
    set_places(parameters, *kernel->parameters());
  }
  for (const Parameter& parameter : parameters)
    state->nbytes = std::max(state->nbytes, parameter.offset + parameter.nbytes);
  state->kernel = std::move(kernel);
  return state;
}

}  // namespace gpuarray::py
