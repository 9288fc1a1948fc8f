# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Work that keeps a stream busy, for tests of what happens before it is done."""

import os

import pytest

import gpuarray

# The test driver delays its work whatever the size, so that small arrays do there.
SIZE = 64 if os.environ.get("GPUARRAY_LIBCUDA") else 4096
SHAPE = (SIZE, SIZE)
needs_late_work = pytest.mark.skipif(
    os.environ.get("GPUARRAY_TEST_DRIVER", "late") != "late", reason="work may be done at once"
)


def zeros_later():
    """Return float32 zeros of SHAPE that take long to compute, queued on the current stream."""
    made = gpuarray.zeros(SHAPE, "float32")
    for _ in range(10):
        made = made @ made
    return made
