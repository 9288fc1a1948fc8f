// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/devices/fold.hpp"

#include "backend/cuda/expression.hpp"
#include "backend/cuda/reduce.hpp"
#include "backend/cuda/scan.hpp"
#include "backend/host/host.hpp"
#include "runtime/device/device.hpp"

namespace gpuarray {
namespace {

void* compiled(Fold& fold, DType result, const std::string& arrays, Device device,
               bool is_flat = false) {
  const std::string key =
      to_string(device) + (is_flat ? '-' : ' ') + static_cast<char>(result) + arrays;
  return fold.expression().compiled(key, [&] {
    const std::string text = source::fold(fold, result, arrays, !device.is_cpu(), is_flat);
    return device.is_cpu() ? compile_for_host(fold.expression().text(), text)
                           : compile_for_cuda(fold.expression().text(), device, text);
  });
}

void open(BufferAccess& access, const FoldOperands& operands) {
  for (const BufferUse& use : operands.uses)
    use.writes ? access.write(*use.buffer) : access.read(*use.buffer);
}

template <class Params>
void run_on_host(void* function, const Params& params, const FoldOperands& operands) {
  reinterpret_cast<void (*)(const Params&, const void*)>(function)(params,
                                                                   operands.constants.data());
}

}  // namespace

void run_fold(Fold& fold, DType result, const FoldOperands& operands, const ReducePlan& plan,
              const StreamPtr& stream) {
  const Device device = stream->device();
  const bool is_flat = !device.is_cpu() && plan.kept.size() <= 1 && plan.reduced.size() == 1;
  void* function = compiled(fold, result, operands.arrays, device, is_flat);
  const FoldText& text = fold.text();
  const int size = itemsize(compute_dtype(text.type));
  BufferAccess access(stream);
  open(access, operands);
  if (device.is_cpu()) return run_on_host(function, plan_reduction(plan, size, 1).params, operands);
  Constants constants = operands.constants;
  launch_reduction({function}, plan_reduction(plan, size, properties(device).multiprocessors),
                   text.identity.empty() ? 2 * size : size, constants.data(), stream,
                   {fold.expression().label(), plan.source_dtype, *plan.source_shape});
}

void run_fold(Fold& fold, DType result, const FoldOperands& operands, const ScanPlan& plan,
              const StreamPtr& stream) {
  const Device device = stream->device();
  void* function = compiled(fold, result, operands.arrays, device);
  const int size = itemsize(compute_dtype(fold.text().type));
  ScanLaunch made = plan_scan(plan, size, itemsize(result));
  BufferAccess access(stream);
  open(access, operands);
  if (device.is_cpu()) return run_on_host(function, made.params, operands);
  Constants constants = operands.constants;
  launch_scan({function}, made, size, constants.data(), stream,
              {fold.expression().label(), plan.source_dtype, *plan.source_shape});
}

}  // namespace gpuarray
