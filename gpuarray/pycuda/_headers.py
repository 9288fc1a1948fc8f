# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's own headers, and the types that sources for nvcc know without one."""

from pathlib import Path
from typing import Any

from gpuarray._kernels.building import option_tuple

__all__ = ["HEADERS", "PRE_INCLUDE", "options_for"]

HEADERS = str(Path(__file__).parent / "include")
# nvcc's sources know uint, ushort and ulong without a header.
PRE_INCLUDE = "--pre-include=pycuda-types.h"


def options_for(preamble: Any, options: Any) -> tuple[str, ...]:
    """Return the options of an element-wise or reduction kernel, with HEADERS if it includes."""
    includes = isinstance(preamble, str) and "#include" in preamble
    return (*option_tuple(options), *([f"-I{HEADERS}"] if includes else []))
