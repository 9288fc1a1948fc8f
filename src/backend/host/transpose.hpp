// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/backend.hpp"

// Copies between arrays of the cpu device that are contiguous along different axes.
namespace gpuarray::host {

// Returns the axis along which elements of these strides are neighbours in memory if it is not the
// last one and a matrix of both is worth being copied by tiles, else -1.
int turned_axis(const Shape& shape, const Strides& strides);

// Copies if the plan's two operands are of one dtype and the source is contiguous along another
// axis than the target, tile by tile. Returns whether they are.
bool copy_turned(const ElementwisePlan& plan);

}  // namespace gpuarray::host
