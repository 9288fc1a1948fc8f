// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

namespace gpuarray::ops {

// Why pending operations ran, by the names that the log has for it. docs/fusion.md says what each
// means.
#define GPUARRAY_FOR_END_REASON(X)                                        \
  X(read)      /* a call from Python that may see results */              \
  X(access)    /* an operation that cannot wait opens memory */           \
  X(needed)    /* another operation or thread uses memory of theirs */    \
  X(wait)      /* a call that waits for all threads, or memory ran out */ \
  X(thread)    /* their thread has ended */                               \
  X(shape)     /* an operation of another shape */                        \
  X(stream)    /* an operation on another stream or device */             \
  X(conflict)  /* an operation that uses the same memory otherwise */     \
  X(full)      /* there is no room for another one */                     \
  X(reduction) /* a reduction that cannot compute them */                 \
  X(predicted) /* they ended there the last times */                      \
  X(unplanned) /* an operation that did not follow before */              \
  X(memory)    /* they keep more memory than single operations would */   \
  X(chance)    /* a test */

enum class EndReason : uint8_t {
#define GPUARRAY_END_REASON(name) name,
  GPUARRAY_FOR_END_REASON(GPUARRAY_END_REASON)
#undef GPUARRAY_END_REASON
};

inline const char* name(EndReason reason) {
  constexpr const char* kNames[] = {
#define GPUARRAY_END_REASON(name) #name,
      GPUARRAY_FOR_END_REASON(GPUARRAY_END_REASON)
#undef GPUARRAY_END_REASON
  };
  return kNames[static_cast<int>(reason)];
}

#undef GPUARRAY_FOR_END_REASON

}  // namespace gpuarray::ops
