# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions that NumPy has in numpy.lib."""

from gpuarray.lib import stride_tricks as stride_tricks

__all__ = ["stride_tricks"]
