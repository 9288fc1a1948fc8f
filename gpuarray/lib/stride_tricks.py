# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Views with other strides, under the names of numpy.lib.stride_tricks."""

from gpuarray._manipulation.broadcasting import broadcast_arrays as broadcast_arrays
from gpuarray._manipulation.broadcasting import broadcast_shapes as broadcast_shapes
from gpuarray._manipulation.broadcasting import broadcast_to as broadcast_to
from gpuarray._manipulation.strides import as_strided as as_strided
from gpuarray._math.signal import sliding_window_view as sliding_window_view

__all__ = [
    "as_strided",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "sliding_window_view",
]
