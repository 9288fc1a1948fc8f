// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// gpuarray_scan_rows_<name>_<from>_<to> for the scans of hot.def.
#include "kernels/scan/scan_ops.cuh"
#include "kernels/scan/scan_rows.cuh"

#define GPUARRAY_HOT_SCAN(name, from, From, to, To)                                           \
  extern "C" __global__ void __launch_bounds__(                                               \
      gpuarray::kScanBlock, gpuarray::scan_rows_resident<gpuarray::name##_scanner<From, To>>) \
      gpuarray_scan_rows_##name##_##from##_##to(                                              \
          const __grid_constant__ gpuarray::ScanParams params) {                              \
    gpuarray::scan_rows_kernel<gpuarray::name##_scanner<From, To>>(params);                   \
  }
#include "kernels/hot.def"
