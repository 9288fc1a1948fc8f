// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <optional>

#include "backend/cuda/operations.hpp"
#include "backend/fft.hpp"

namespace gpuarray {

FftOutcome cuda_fft(const FftPlan& plan, const StreamPtr& stream) {
  const LaunchLabel label{"fft", plan.dtype, *plan.target_shape};
  if (const std::optional<FftCalls> calls = fft_calls(plan))
    return queue_ffts(calls->key, calls->batches, plan.uses, plan.forward, plan.scale, stream,
                      label)
               ? FftOutcome::scaled
               : FftOutcome::queued;
  const std::optional<FftCalls> call = walked_fft_call(plan);
  return call && queue_walked_fft(call->key, call->batches[0], plan.uses, plan.forward, stream,
                                  label)
             ? FftOutcome::scaled
             : FftOutcome::refused;
}

}  // namespace gpuarray
