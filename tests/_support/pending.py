# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Work that keeps a stream busy."""

import os

import pytest

import gpuarray

# A driver for tests does its work late, not long.
SIZE = 64 if os.environ.get("GPUARRAY_LIBCUDA") else 4096
SHAPE = (SIZE, SIZE)
needs_late_work = pytest.mark.skipif(
    os.environ.get("GPUARRAY_TEST_DRIVER", "late") != "late", reason="work may be done at once"
)


def zeros_later():
    """An array of SHAPE of float32 zeros, which takes long to come, on the current stream."""
    made = gpuarray.zeros(SHAPE, "float32")
    for _ in range(10):
        made = made @ made
    return made
