// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/libraries/matmul_precision.hpp"

#include <atomic>
#include <utility>

namespace gpuarray {
namespace {

std::atomic<MatmulPrecision> process_precision = MatmulPrecision::highest;
constinit thread_local MatmulPrecision thread_precision = MatmulPrecision::of_process;

}  // namespace

MatmulPrecision matmul_precision() {
  return thread_precision == MatmulPrecision::of_process ? process_precision.load()
                                                         : thread_precision;
}

void set_matmul_precision(MatmulPrecision precision) { process_precision = precision; }

MatmulPrecision set_thread_matmul_precision(MatmulPrecision precision) {
  return std::exchange(thread_precision, precision);
}

}  // namespace gpuarray
