// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"
#include "runtime/memory/memory.hpp"

namespace gpuarray::py {

// Returns a new gpuarray.memory.MemoryResource, equal to every other one of the same resource.
Ref new_memory_resource(MemoryResourcePtr resource);
// Returns the resource of an object. Throws TypeError "<what>: expected a MemoryResource, got
// <type>".
const MemoryResourcePtr& to_memory_resource(PyObject* object, const char* what);
// Returns a limit in bytes for Python; None for MemoryUsage::kNoLimit.
Ref limit_object(int64_t limit);

}  // namespace gpuarray::py
