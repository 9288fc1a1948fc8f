# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Copies and kernels that overlap: two streams take turns with the parts of a large array.

    python examples/kernels/overlap.py

The host's arrays are page-locked, so that copies are queued and nothing waits before the end.
"""

import numpy as np

import gpuarray

if len(gpuarray.devices()) == 1:
    print("overlap.py needs a CUDA device, and there is none.")
    raise SystemExit
root = gpuarray.ElementwiseKernel(
    "float32 x", "float32 y", "y = 1; for (int k = 0; k < 20; ++k) y = 0.5f * (y + x / y);", "root"
)
source = gpuarray.empty_pinned((8, 1 << 18), "float32")
result = gpuarray.empty_like_pinned(source)
np.asarray(source)[...] = np.random.default_rng(1).uniform(1, 4, source.shape)
streams = gpuarray.Stream(), gpuarray.Stream()
for part in range(8):
    with streams[part % 2]:
        x = gpuarray.empty(source.shape[1], "float32")
        x[...] = source[part]  # to the device, then the kernel, then back: in the stream's order
        result[part] = root(x)
gpuarray.synchronize()
right = np.allclose(np.asarray(result), np.sqrt(np.asarray(source)), rtol=1e-6)
print(f"8 parts on {len(streams)} streams: {'right' if right else 'WRONG'}")
