# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A reference to the package, for modules that look its public functions up by name."""

from types import ModuleType

__all__ = ["module"]

# gpuarray/__init__.py sets this: it imports all other modules, and none of them imports it.
module: ModuleType
