# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""An extension in PyTorch's style, called with tensors that share the memory of GPUArrays.

    python examples/torch_extension/torch_extension.py

PyTorch compiles it with nvcc at the first run, which takes a minute.
"""

import sys
from pathlib import Path

import gpuarray

if len(gpuarray.devices()) == 1:
    print("torch_extension.py needs a CUDA device, and there is none.")
    raise SystemExit
try:
    import torch
    from torch.utils.cpp_extension import load_inline
except ImportError as error:
    sys.exit(f"torch_extension.py: {error}")
DECLARATION = "torch::Tensor sum_cuda(torch::Tensor a, torch::Tensor b);"
source = Path(__file__).with_name("sum_cuda.cu").read_text()
extension = load_inline("sum_cuda", DECLARATION, source, functions=["sum_cuda"])
a, b = gpuarray.random.default_rng(1).random((2, 1000, 100), dtype="float32")
tensors = [torch.from_dlpack(array) for array in (a, b)]
result = gpuarray.asarray(extension.sum_cuda(*tensors))
shared = [tensor.data_ptr() for tensor in tensors] == [a.ptr, b.ptr]
print(f"memory shared: {shared}, sums equal: {bool((result == a + b).all())}")
