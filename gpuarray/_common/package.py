# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The package itself, for what finds public functions by the names that NumPy gives them."""

from types import ModuleType

__all__ = ["module"]

# Set by gpuarray/__init__.py, which knows all others and is known by none.
module: ModuleType
