// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/libraries/cufft_plan.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "runtime/device/cuda_device.hpp"
#include "runtime/driver/driver.hpp"

namespace gpuarray {
namespace {

// Lets this thread call the driver in any way while a stream is captured: planning allocates
// memory and loads code.
class RelaxedCapture {
 public:
  RelaxedCapture() { exchange(); }
  ~RelaxedCapture() {
    quietly([this] { exchange(); });
  }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  void exchange() { GPUARRAY_CHECK(cuThreadExchangeStreamCaptureMode(&mode_)); }

  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

int number_type(bool is_complex, bool is_double) {
  if (is_complex) return is_double ? kCufftComplex128 : kCufftComplex64;
  return is_double ? kCufftFloat64 : kCufftFloat32;
}

struct PlanLayout {
  long long embed[kMaxFftAxes];
  long long stride, distance;

  explicit PlanLayout(const FftLayout& layout) : stride(layout.stride), distance(layout.distance) {
    std::copy_n(layout.embed, kMaxFftAxes, embed);
  }
};

}  // namespace

CufftPlan::CufftPlan(const FftPlanKey& key, Device device) : key_(key), device_(device) {
  const RelaxedCapture relaxed;
  check_cufft(cufft().cufftCreate(&handle_), "cufftCreate");
  try {
    make();
  } catch (...) {  // the destructor will not run
    cufft().cufftDestroy(handle_);
    throw;
  }
}

void CufftPlan::make() {
  check_cufft(cufft().cufftSetAutoAllocation(handle_, 0), "cufftSetAutoAllocation");
  long long lengths[kMaxFftAxes];
  std::copy_n(key_.lengths, kMaxFftAxes, lengths);
  PlanLayout input(key_.input), output(key_.output);
  const bool reads_complex = key_.type != FftType::real_to_complex;
  const bool writes_complex = key_.type != FftType::complex_to_real;
  size_t bytes = 0;
  check_cufft(cufft().cufftXtMakePlanMany(
                  handle_, key_.rank, lengths, key_.is_simple ? nullptr : input.embed, input.stride,
                  input.distance, number_type(reads_complex, key_.is_double),
                  key_.is_simple ? nullptr : output.embed, output.stride, output.distance,
                  number_type(writes_complex, key_.is_double), key_.batch, &bytes,
                  number_type(true, key_.is_double)),
              "cufftXtMakePlanMany");
  work_bytes_ = static_cast<int64_t>(bytes);
}

// Destroying a plan frees memory that work may still use, for which the driver waits.
CufftPlan::~CufftPlan() {
  quietly([&] {
    const DeviceGuard on(device_);
    const RelaxedCapture relaxed;
    blocking([&] { cufft().cufftDestroy(handle_); });
  });
}

}  // namespace gpuarray
