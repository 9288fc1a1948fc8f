# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The user's own kernels: all classes and functions to compile and launch them.

gpuarray has these names too, and imports the module of each at its first use.
"""

from gpuarray import driver as driver
from gpuarray._core import Kernel as Kernel
from gpuarray._fusion.fusion import *
from gpuarray._fusion.saved import *
from gpuarray._fusion.vectorization import *
from gpuarray._kernels.compat_kernels import *
from gpuarray._kernels.device_functions import *
from gpuarray._kernels.elementwise_kernel import *
from gpuarray._kernels.linkables import *
from gpuarray._kernels.module import *
from gpuarray._kernels.reduction_kernel import *
from gpuarray._kernels.scan_kernel import *
from gpuarray.errors import CompileWarning as CompileWarning
from gpuarray.errors import FusionError as FusionError
from gpuarray.errors import LinkError as LinkError
