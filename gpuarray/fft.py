# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Discrete Fourier transforms, as numpy.fft.

gpuarray imports this module when it is first used as gpuarray.fft.
"""

from gpuarray._fourier.frequencies import *
from gpuarray._fourier.plans import *
from gpuarray._fourier.transforms import *
