# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Assertions about arrays, and decorators that run a test for dtypes, orders and beside NumPy.

Names and parameters are those of numpy.testing and cupy.testing. Assertions take GPUArrays of any
device, which are copied to the host and waited for, beside ndarrays, scalars and lists. gpuarray
imports this module when it is first used as gpuarray.testing.
"""

from gpuarray._testing.assertions import *
from gpuarray._testing.beside_numpy import *
from gpuarray._testing.repeated import *
from gpuarray._testing.sample_arrays import *
