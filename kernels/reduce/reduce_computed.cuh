// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the source of a built-in reduction of computed elements includes.
#pragma once

#include "kernels/reduce/computed.cuh"
#include "kernels/reduce/reduce.cuh"
#include "kernels/reduce/reduce_converted.cuh"
#include "kernels/reduce/reduce_ops.cuh"
#include "kernels/reduce/reduce_shuffles.cuh"
