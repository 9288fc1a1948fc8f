# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Measurements of memory and of reference counts before and after a block."""

import gc
import sys
from contextlib import contextmanager

import gpuarray


def memory(device) -> tuple[int, int]:
    """Return the bytes and blocks in use on a device, once no work is pending."""
    gpuarray.synchronize(device)
    stats = gpuarray.memory_stats(device)
    return stats["bytes_in_use"], stats["allocations"]


@contextmanager
def nothing_leaks(device, *objects):
    """Assert that the block leaves device memory and the objects' reference counts as before."""
    gc.collect()
    before = memory(device)
    references = [sys.getrefcount(item) for item in objects]
    yield
    gc.collect()
    assert memory(device) == before, f"(bytes, blocks) {memory(device)}, before {before}"
    after = [sys.getrefcount(item) for item in objects]
    assert after == references, f"reference counts {after}, before {references}"


class Counted:
    """What is counted while the block runs: the first four of FusionStats."""

    def __enter__(self):
        self.before = gpuarray.fusion_stats()
        return self

    def __exit__(self, *_):
        after = gpuarray.fusion_stats()
        self.stats = tuple(a - b for a, b in zip(after, self.before, strict=True))[:4]
