// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <span>

#include "py/binding/ref.hpp"

namespace gpuarray::py {

// Rows of tables that the module and its types are put together from. They live for the process
// and have no closing row of nulls.
using MethodRows = std::span<const PyMethodDef>;
using GetSetRows = std::span<const PyGetSetDef>;
using SlotRows = std::span<const PyType_Slot>;

}  // namespace gpuarray::py
