# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The tool tools/check_kernel_order.py as a module."""

import functools
import importlib.util
import sys
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@functools.cache
def kernel_order():
    """Import the tool and return its module."""
    spec = importlib.util.spec_from_file_location(
        "check_kernel_order", TOOLS / "check_kernel_order.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(TOOLS))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(TOOLS))
    return module
