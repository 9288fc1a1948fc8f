// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The functions that the expressions of ops.def name, for every type of their rows.
#pragma once

#include "kernels/math_bessel.cuh"
#include "kernels/math_compare.cuh"
#include "kernels/math_complex.cuh"
#include "kernels/math_complex_inverse.cuh"
#include "kernels/math_complex_power.cuh"
#include "kernels/math_float.cuh"
#include "kernels/math_integer.cuh"
