// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/backend.hpp"

namespace gpuarray::host {

// Backend::reduce and Backend::scan on the cpu device, on several threads where they are large.
void reduce(Reduction reduction, DType loop, const ReducePlan& plan);
void scan(Scan scan, DType loop, const ScanPlan& plan);

}  // namespace gpuarray::host
