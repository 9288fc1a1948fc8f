# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Copies and kernels that overlap: two streams take turns with the parts of a large array.

    python examples/kernels/overlap.py

The host's arrays are page-locked, so that copies are queued and nothing waits before the end.
"""

import sys

import numpy as np

import gpuarray

SOURCE = """
extern "C" __global__ void iterate(float* x, int steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = x[i];
  for (int step = 0; step < steps; ++step) value = 0.5f * (value + 2.0f / value);
  x[i] = value;
}
"""
PARTS, SIZE, STEPS = 8, 1 << 18, 20


def main() -> int:
    iterate = gpuarray.Module(SOURCE).get_function("iterate")
    source = gpuarray.empty_pinned((PARTS, SIZE), "float32")
    result = gpuarray.empty_pinned((PARTS, SIZE), "float32")
    np.asarray(source)[...] = np.random.default_rng(1).uniform(1, 4, source.shape)
    streams = [gpuarray.Stream(), gpuarray.Stream()]
    for part in range(PARTS):
        with streams[part % 2]:
            x = gpuarray.empty(SIZE, "float32")
            x[...] = source[part]
            iterate.for_size(SIZE)(x, STEPS, SIZE)
            result[part] = x
    gpuarray.synchronize()
    right = np.allclose(np.asarray(result), np.sqrt(2), rtol=1e-6)
    print(f"{PARTS} parts on {len(streams)} streams: {'right' if right else 'WRONG'}")
    return 0 if right else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ImportError, OSError, gpuarray.DeviceError) as error:
        sys.exit(f"overlap.py: {error}")
