# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The Mandelbrot set as a picture: python examples/kernels/mandelbrot.py [mandelbrot.png]"""

import sys

import matplotlib.pyplot as plt

import gpuarray

steps = gpuarray.ElementwiseKernel(
    "complex64 c, int32 most",
    "int32 steps",
    "complex<float> z = c; steps = 0;"
    "while (steps < most && z.re * z.re + z.im * z.im < 4) {"
    "  z = math::add(math::multiply(z, z), c); ++steps; }",
)
x, y = gpuarray.linspace(-2.2, 0.8, 1200), gpuarray.linspace(-1.2, 1.2, 960).reshape(-1, 1)
picture = steps((x + y * 1j).astype("complex64"), 200)
plt.imsave(sys.argv[1] if len(sys.argv) > 1 else "mandelbrot.png", picture.get(), cmap="magma")
