# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What the package has of _core under the same name: all but names with an underscore at an end."""

from gpuarray import _core

__all__ = ["NAMES"]

# Of other modules, or of none.
_ELSEWHERE = {
    "CudaGraph",
    "Kernel",
    "MemoryResource",
    "accumulate",
    "build_config",
    "cuda_absent_reason",
    "frexp_exponent",
    "frexp_mantissa",
    "ldexp_floating",
    "op_table",
    "reduction_table",
}

NAMES = [name for name in vars(_core) if not name.startswith("_") and name not in _ELSEWHERE]
