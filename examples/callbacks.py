# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Linked code that sets itself up on the device, and tells at the end how often it was called.

python examples/callbacks.py
"""

import gpuarray

if len(gpuarray.devices()) == 1:
    print("callbacks.py needs a CUDA device, and there is none.")
    raise SystemExit
SQUARES = """
__constant__ float squares[16];
__device__ unsigned int calls;
extern "C" __device__ float square(int i) { return atomicAdd(&calls, 1u), squares[i]; }
"""
KERNEL = 'extern "C" __global__ void f(float* x) { x[threadIdx.x] = square(threadIdx.x); }'
happened: list[object] = []


def set_up(module: gpuarray.Module) -> None:
    happened.append("setup")
    module.get_global("squares", "float32").set([i * i for i in range(16)])


def tear_down(module: gpuarray.Module) -> None:
    happened.extend(["teardown", module.get_global("calls", "uint32", ()).item()])


code = gpuarray.CUSource(SQUARES, "squares.cu", set_up, tear_down)
square = gpuarray.declare_device("square", "float32(int32)", link=code, abi="c")
module, x = gpuarray.Module(KERNEL, link=square), gpuarray.zeros(16, "float32")
for _ in range(3):
    module.get_function("f")[1, 16](x)
right = x.tolist() == [i * i for i in range(16)]
module.unload()
print(happened, "right" if right else "WRONG")
