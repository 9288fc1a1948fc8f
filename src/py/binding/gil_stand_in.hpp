// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <utility>

#include "core/spin_lock.hpp"
#include "py/binding/ref.hpp"

namespace gpuarray::py {

// A lock for what the GIL guards where there is one: a spin lock on free-threaded Python, elsewhere
// nothing. Its holder must not run Python code, and so must not drop references.
#ifdef Py_GIL_DISABLED
using GilStandIn = SpinLock;
inline constexpr bool kFreeThreaded = true;
#else
inline constexpr bool kFreeThreaded = false;
struct GilStandIn {
  void lock() {}
  void unlock() {}
};
#endif

// Makes a new object of this thread immortal on free-threaded Python, where all threads that use it
// would else write its count. It has to live for the process anyway.
inline void make_immortal([[maybe_unused]] PyObject* object) {
#ifdef Py_GIL_DISABLED
  Py_SET_REFCNT(object, Py_ssize_t{UINT32_MAX} + 1);
#endif
}

// Returns a dict that no other thread changes while borrowed items of it are in use.
inline Ref unshared_dict(Ref dict) {
  return kFreeThreaded ? checked(PyDict_Copy(dict.get())) : std::move(dict);
}

}  // namespace gpuarray::py
