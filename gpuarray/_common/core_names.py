# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The public names of _core that the package binds under the same name."""

from gpuarray import _core

__all__ = ["NAMES"]

# These names of _core are taken from other modules, or are not public.
_ELSEWHERE = {
    "CudaGraph",
    "MemoryResource",
    "accumulate",
    "angle",
    "build_config",
    "cache_info",
    "clear_cache",
    "clip",
    "cuda_absent_reason",
    "frexp_exponent",
    "frexp_mantissa",
    "ldexp_floating",
    "op_table",
    "reduction_table",
}

NAMES = [name for name in vars(_core) if not name.startswith("_") and name not in _ELSEWHERE]
