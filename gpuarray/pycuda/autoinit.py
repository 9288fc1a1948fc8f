# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's initialization at import: `device` and `context` are those of the default device."""

from gpuarray.pycuda.tools import make_default_context

__all__ = ["context", "device"]

context = make_default_context()
device = context.get_device()
