// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"
#include "runtime/memory/memory.hpp"

namespace gpuarray::py {

Ref new_memory_resource(MemoryResourcePtr resource);
// TypeError "<what>: expected a MemoryResource, got <type>" for anything else.
const MemoryResourcePtr& to_memory_resource(PyObject* object, const char* what);
// None for MemoryUsage::kNoLimit.
Ref limit_object(int64_t limit);

}  // namespace gpuarray::py
