// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "core/device.hpp"
#include "runtime/driver/cufft_library.hpp"
#include "runtime/libraries/fft_plan_key.hpp"

namespace gpuarray {

// Gives a plan that is not made yet the functions, in LTO-IR, which cuFFT calls for each element:
// one that stores results multiplied by the key's scale, and where the key has walks one that loads
// and one that stores along them. Compiles them, which takes a tenth of a second. Throws
// CompileError, CudaError, and DeviceError without a compiler or if cuFFT takes no functions.
void set_functions(CufftHandle plan, const FftPlanKey& key, Device device);

}  // namespace gpuarray
