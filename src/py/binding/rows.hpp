// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <span>

#include "py/binding/ref.hpp"

namespace gpuarray::py {

// Rows of the tables of the module and its types. They live for the process and lack the closing
// row of nulls.
using MethodRows = std::span<const PyMethodDef>;
using GetSetRows = std::span<const PyGetSetDef>;
using SlotRows = std::span<const PyType_Slot>;

}  // namespace gpuarray::py
