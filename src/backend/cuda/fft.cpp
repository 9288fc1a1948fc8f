// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <optional>

#include "backend/cuda/operations.hpp"
#include "backend/fft.hpp"

namespace gpuarray {

FftOutcome cuda_fft(const FftPlan& plan, const StreamPtr& stream) {
  const LaunchLabel label{"fft", plan.dtype, *plan.target_shape};
  std::optional<FftCalls> calls;
  if (plan.total == 0) calls = fft_calls(plan);
  if ((!calls || plan.scale != 1) && cuda_fft_lines(plan, stream, label)) return FftOutcome::scaled;
  if (!calls) return FftOutcome::refused;
  queue_ffts(calls->key, calls->batches, plan.uses, plan.forward, stream, label);
  return plan.scale == 1 ? FftOutcome::scaled : FftOutcome::queued;
}

}  // namespace gpuarray
