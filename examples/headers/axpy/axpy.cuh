// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

template <class T>
__device__ T axpy(T a, T x, T y) {
  return a * x + y;
}
