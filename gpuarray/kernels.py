# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The user's own kernels: what gpuarray has of them, in one place.

gpuarray has these names too, and imports this module at the first use of one.
"""

from gpuarray import driver as driver
from gpuarray._compat_kernels import *
from gpuarray._core import Kernel as Kernel
from gpuarray.device_functions import *
from gpuarray.elementwise_kernel import *
from gpuarray.errors import CompileWarning as CompileWarning
from gpuarray.errors import FusionError as FusionError
from gpuarray.errors import LinkError as LinkError
from gpuarray.fusion import *
from gpuarray.linkables import *
from gpuarray.module import *
from gpuarray.reduction_kernel import *
from gpuarray.scan_kernel import *
from gpuarray.vectorization import *
