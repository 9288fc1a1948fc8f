// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The functions of namespace math that the expressions of ops.def call, for every type of their
// rows.
#pragma once

#include "kernels/element/math_bessel.cuh"
#include "kernels/element/math_compare.cuh"
#include "kernels/element/math_complex.cuh"
#include "kernels/element/math_complex_inverse.cuh"
#include "kernels/element/math_complex_power.cuh"
#include "kernels/element/math_float.cuh"
#include "kernels/element/math_integer.cuh"
#include "kernels/element/math_scale.cuh"
