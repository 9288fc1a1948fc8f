# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's scan kernels, which are gpuarray's."""

from gpuarray import ExclusiveScanKernel as ExclusiveScanKernel
from gpuarray import InclusiveScanKernel as InclusiveScanKernel

__all__ = ["ExclusiveScanKernel", "InclusiveScanKernel"]
