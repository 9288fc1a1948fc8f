// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Stands for libnvJitLink (GPUARRAY_LIBNVJITLINK): the linked code is the first input, as it is.
#include <cstdint>
#include <string>

#include "failing_library.hpp"

namespace {

struct Linker {
  std::string image;
};

Linker& of(void* handle) { return *static_cast<Linker*>(handle); }

int write_text(char* target) {
  *target = 0;
  return 0;
}

int one_byte(size_t* nbytes) {
  *nbytes = 1;
  return 0;
}

}  // namespace

FAILING(nvJitLinkVersion, (unsigned* major, unsigned* minor), *major = 13; *minor = 0; return 0)
FAILING(nvJitLinkCreate, (void** handle, uint32_t, const char* const*), *handle = new Linker;
        return 0)
FAILING(nvJitLinkDestroy, (void** handle), delete static_cast<Linker*>(*handle); *handle = nullptr;
        return 0)
FAILING(nvJitLinkAddData, (void* handle, int, const void* data, size_t nbytes, const char*),
        if (of(handle).image.empty()) of(handle).image.assign(static_cast<const char*>(data),
                                                              nbytes);
        return 0)
FAILING(nvJitLinkComplete, (void*), return 0)
FAILING(nvJitLinkGetLinkedCubinSize, (void* handle, size_t* nbytes),
        *nbytes = of(handle).image.size();
        return 0)
FAILING(nvJitLinkGetLinkedCubin, (void* handle, char* code),
        of(handle).image.copy(code, of(handle).image.size());
        return 0)
FAILING(nvJitLinkGetErrorLogSize, (void*, size_t* nbytes), return one_byte(nbytes))
FAILING(nvJitLinkGetErrorLog, (void*, char* text), return write_text(text))
FAILING(nvJitLinkGetInfoLogSize, (void*, size_t* nbytes), return one_byte(nbytes))
FAILING(nvJitLinkGetInfoLog, (void*, char* text), return write_text(text))
