# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The Mandelbrot set as a picture: python examples/kernels/mandelbrot.py [mandelbrot.png]"""

import sys

import gpuarray

try:
    import matplotlib.image
except ImportError as error:
    sys.exit(f"mandelbrot.py: {error}")

steps = gpuarray.ElementwiseKernel(
    "complex64 c, int32 most",
    "int32 steps",
    "complex<float> z = c; steps = 0;"
    "while (steps < most && z.re * z.re + z.im * z.im < 4) {"
    "  z = math::add(math::multiply(z, z), c); ++steps; }",
)
x, y = gpuarray.linspace(-2.2, 0.8, 1200), gpuarray.linspace(-1.2, 1.2, 960).reshape(-1, 1)
try:
    picture = steps((x + y * 1j).astype("complex64"), 200).get()
    matplotlib.image.imsave([*sys.argv, "mandelbrot.png"][1], picture, cmap="magma")
except (OSError, ValueError, gpuarray.DeviceError) as error:
    sys.exit(f"mandelbrot.py: {error}")
