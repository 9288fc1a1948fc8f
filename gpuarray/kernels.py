# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The user's own kernels: what gpuarray has of them, in one place."""

from gpuarray import (
    _compat_kernels,
    device_functions,
    driver,
    elementwise_kernel,
    linkables,
    module,
    reduction_kernel,
    scan_kernel,
)
from gpuarray._compat_kernels import *
from gpuarray._core import Kernel
from gpuarray.device_functions import *
from gpuarray.elementwise_kernel import *
from gpuarray.errors import CompileWarning, LinkError
from gpuarray.linkables import *
from gpuarray.module import *
from gpuarray.reduction_kernel import *
from gpuarray.scan_kernel import *

__all__ = ["CompileWarning", "Kernel", "LinkError", "driver"]
__all__ += _compat_kernels.__all__
__all__ += device_functions.__all__
__all__ += elementwise_kernel.__all__
__all__ += linkables.__all__
__all__ += module.__all__
__all__ += reduction_kernel.__all__
__all__ += scan_kernel.__all__
