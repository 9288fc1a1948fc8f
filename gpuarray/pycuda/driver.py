# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's driver module: devices, contexts, streams, memory and kernels."""

import gpuarray as _gpuarray
from gpuarray.driver import In as In
from gpuarray.driver import InOut as InOut
from gpuarray.driver import Out as Out
from gpuarray.pycuda._allocations import *
from gpuarray.pycuda._devices import *
from gpuarray.pycuda._functions import *
from gpuarray.pycuda._host_memory import *
from gpuarray.pycuda._streams import *

# What the driver reports is one exception here; wrong arguments are Python's own exceptions.
CompileError = _gpuarray.CompileError
Error = LaunchError = LogicError = RuntimeError = _gpuarray.CudaError
MemoryError = _gpuarray.OutOfMemoryError
