# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Import of arrays through the CUDA array interface."""

from gpuarray._core import (
    cuda_array_interface_sync,
    from_cuda_array_interface,
    set_cuda_array_interface_sync,
)

__all__ = [
    "cuda_array_interface_sync",
    "from_cuda_array_interface",
    "set_cuda_array_interface_sync",
]
