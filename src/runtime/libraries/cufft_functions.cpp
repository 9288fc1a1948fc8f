// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/libraries/cufft_functions.hpp"

#include <cstdio>
#include <string>

#include "core/error.hpp"
#include "runtime/code/compile.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/nvjitlink.hpp"

namespace gpuarray {
namespace {

// The functions have the linkage of C++, though cuFFT is told their plain names.
constexpr const char* kLoad = "gpuarray_fft_load";
constexpr const char* kStore = "gpuarray_fft_store";

// Returns the C++ type of the numbers on one side of a plan.
std::string type_of(const FftPlanKey& key, bool is_complex) {
  return std::string(key.is_double ? "double" : "float") + (is_complex ? "2" : "");
}

// Returns the text of an element's place in memory, made from `offset`, its place in a layout in
// which the transforms lie beside each other.
std::string place(const FftPlanKey& key, const FftWalk& walk) {
  if (key.inner_batch == 0) return "offset";
  const bool is_short = key.batch * key.lengths[0] <= int64_t{UINT32_MAX};
  const std::string index = std::string("static_cast<") +
                            (is_short ? "unsigned int" : "unsigned long long") + ">(offset)";
  const std::string batch = std::to_string(key.batch) + "u";
  const std::string inner = std::to_string(key.inner_batch) + "u";
  auto steps = [](int64_t step) { return " * " + std::to_string(step) + "ll"; };
  return index + " / " + batch + steps(walk.point) + " + " + index + " % " + batch + " / " + inner +
         steps(walk.outer) + " + " + index + " % " + batch + " % " + inner + steps(walk.inner);
}

std::string load_text(const FftPlanKey& key) {
  const std::string type = type_of(key, key.type != FftType::real_to_complex);
  return "__device__ " + type + " " + kLoad +
         "(void* data, unsigned long long offset, void*, void*) {\n  return static_cast<const " +
         type + "*>(data)[" + place(key, key.input_walk) + "];\n}\n";
}

std::string store_text(const FftPlanKey& key) {
  const bool is_complex = key.type != FftType::complex_to_real;
  const std::string type = type_of(key, is_complex);
  char scale[64];
  std::snprintf(scale, sizeof scale, "%a", key.scale);
  const std::string times = " * static_cast<" + type_of(key, false) + ">(" + scale + ")";
  const std::string scaled = is_complex
                                 ? "make_" + type + "(value.x" + times + ", value.y" + times + ")"
                                 : "value" + times;
  return std::string("__device__ void ") + kStore + "(void* data, unsigned long long offset, " +
         type + " value, void*, void*) {\n  static_cast<" + type + "*>(data)[" +
         place(key, key.output_walk) + "] = " + scaled + ";\n}\n";
}

void set_function(CufftHandle plan, const char* name, std::string text, int type, Device device) {
  CufftSetJitCallback* const set = cufft_set_jit_callback();
  if (set == nullptr) throw DeviceError("this cuFFT takes no functions in LTO-IR");
  const DeviceProperties& found = properties(device);
  CompileRequest request;
  request.source = std::move(text);
  request.name = "gpuarray_fft.cu";
  request.architecture = "sm_" + std::to_string(10 * found.compute_major + found.compute_minor);
  request.options = {"-std=c++17", "--relocatable-device-code=true"};
  request.form = CodeForm::kLtoIr;
  const std::string code = compile(request).code;
  check_cufft(set(plan, name, code.data(), code.size(), type, nullptr), "cufftXtSetJITCallback");
}

}  // namespace

void set_functions(CufftHandle plan, const FftPlanKey& key, Device device) {
  // Newer versions of cuFFT open the linker by its name, and find the one that is open.
  static_cast<void>(nvjitlink_library.available());
  const int precision = key.is_double ? kCufftOfDouble : 0;
  const bool to_real = key.type == FftType::complex_to_real;
  if (key.inner_batch != 0)
    set_function(plan, kLoad, load_text(key), kCufftLoadComplex + precision, device);
  set_function(plan, kStore, store_text(key),
               (to_real ? kCufftStoreReal : kCufftStoreComplex) + precision, device);
}

}  // namespace gpuarray
