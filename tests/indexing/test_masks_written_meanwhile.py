# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Masks that change while a selection is under way: it goes by the mask as it was counted.

An allocator writes the mask amid the operation, as another thread could.
"""

import threading

import numpy as np
import pytest

import gpuarray
from gpuarray import memory

SIZE = 5000
SELECTIONS = {
    "a[mask]": lambda xp, a, m: a[m],
    "a[mask2]": lambda xp, a, m: a.reshape(50, 100)[m.reshape(50, 100)],
    "a[mask[::2]]": lambda xp, a, m: a[::2][m[::2]],
    "a[::-1][mask]": lambda xp, a, m: a[::-1][m],
    "a[rows]": lambda xp, a, m: a.reshape(SIZE // 5, 5)[m[: SIZE // 5]],
    "a[:, columns]": lambda xp, a, m: a.reshape(5, SIZE // 5)[:, m[: SIZE // 5]],
    "nonzero": lambda xp, a, m: xp.nonzero(m.reshape(50, 100))[1],
    "flatnonzero": lambda xp, a, m: xp.flatnonzero(m),
    "argwhere": lambda xp, a, m: xp.argwhere(m.reshape(50, 100)),
    "where": lambda xp, a, m: xp.where(m)[0],
    "compress": lambda xp, a, m: xp.compress(m, a),
    "extract": lambda xp, a, m: xp.extract(m, a),
    "delete": lambda xp, a, m: xp.delete(a, m),
}


class Writing:
    """Fills the mask at its n-th allocation."""

    def __init__(self, device, mask, value, n):
        self.upstream = memory.DriverResource(device)
        self.mask, self.value, self.left = mask, value, n

    def allocate(self, nbytes, stream):
        self.left -= 1
        if self.left == 0:
            self.mask.fill(self.value)
        return self.upstream.allocate(nbytes, stream)

    def deallocate(self, ptr, nbytes, stream):
        self.upstream.deallocate(ptr, nbytes, stream)


def host_operands(value):
    mask = np.random.default_rng(3).random(SIZE) < (0.9 if value is False else 0.1)
    return np.arange(1.0, SIZE + 1), mask


def during(device, mask, value, n, operation):
    """Return operation()'s result, and whether the mask was written amid it."""
    allocator = Writing(device, mask, value, n)
    with memory.using_allocator(memory.ExternalResource(allocator, device)):
        result = operation()
    return result, allocator.left <= 0


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("name", SELECTIONS)
def test_a_selection_is_that_of_one_mask(device, name, value):
    host, mask = host_operands(value)
    select = SELECTIONS[name]
    allowed = [select(np, host, m) for m in (mask, np.full(SIZE, value))]
    for n in range(1, 20):
        a, m = gpuarray.to_device(host), gpuarray.to_device(mask)
        result, written = during(device, m, value, n, lambda: select(gpuarray, a, m))  # noqa: B023
        assert any(np.array_equal(result.get(), each) for each in allowed), n
        if not written:
            return
    raise AssertionError("it allocates without an end")


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "float64", "complex128"])
def test_an_assignment_goes_by_one_mask(device, dtype, value):
    host, mask = host_operands(value)
    values = -np.arange(1.0, 1 + np.count_nonzero(mask)).astype(dtype)
    expected = host.astype(dtype)
    expected[mask] = values
    for n in range(1, 20):
        a, m = gpuarray.to_device(host.astype(dtype)), gpuarray.to_device(mask)

        def assign():
            a[m] = gpuarray.to_device(values)  # noqa: B023

        try:
            _, written = during(device, m, value, n, assign)
        except ValueError:  # the mask was written before it was counted
            continue
        assert np.array_equal(a.get(), expected), n
        if not written:
            return
    raise AssertionError("it allocates without an end")


def test_another_thread_writes_the_mask(device):
    size = 40_000 if device == "cpu" else 5000
    m, a = gpuarray.zeros(size, "bool"), gpuarray.arange(float(size))
    stop, pause = threading.Event(), 0 if device == "cpu" else 0.001  # what is queued piles up

    def write():
        value = True
        while not stop.wait(pause):
            m.fill(value)
            value = not value

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for _ in range(20):
            values = a[m].get()
            assert (np.diff(values) > 0).all() and (values == values.astype(int)).all()
            assert (np.diff(gpuarray.flatnonzero(m).get()) > 0).all()
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("rest", [0, 1, 15, 17])
def test_a_mask_that_the_array_itself_is(device, rest):
    """What is assigned may change the mask, which has been read by then."""
    mask = np.random.default_rng(rest).random(2048 * 3 + rest) < 0.5
    values = np.random.default_rng(9).random(np.count_nonzero(mask)) < 0.5
    m = gpuarray.to_device(mask)
    m[m] = gpuarray.to_device(values)
    expected = mask.copy()
    expected[mask] = values
    assert np.array_equal(m.get(), expected)
