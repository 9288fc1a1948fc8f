// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The kernel of the stand-ins for cuSOLVER and cuBLAS's solvers: it calls what it is given, on a
// thread of the host, because the stacks of the test driver's fibers are small.
// Headers of the C++ library have an attribute of this name, which the shim defines.
#undef __noinline__
#include <thread>

#include "work.hpp"

namespace {

void run_work(Work* work) { std::thread(*work).join(); }

}  // namespace

GPUARRAY_HOST_KERNEL(run_work)
