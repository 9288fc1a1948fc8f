# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Storms of operations after which objects and device memory are back to where they were."""

import contextlib
import gc
import operator
import sys

import numpy as np
import pytest
from _support.measure import memory, nothing_leaks
from _support.tables import OPERATIONS

import gpuarray

TIMES = 100


def storm(function):
    for _ in range(TIMES):
        function()


def quiet(function):
    """Runs it and drops the exception."""

    def run():
        with contextlib.suppress(Exception):
            function()

    return run


def test_every_function(device):
    x, y = gpuarray.ones((3, 4)), gpuarray.ones(4, np.int16)
    with nothing_leaks(device, x, y):
        for op in OPERATIONS:
            storm(quiet(lambda op=op: op.gpu(*[x] * op.arity)))
            storm(quiet(lambda op=op: op.gpu(*[x, y, y][: op.arity])))


def test_operators(device):
    x, y = gpuarray.ones((3, 4)), gpuarray.ones(4)
    with nothing_leaks(device, x, y):
        for op in (operator.add, operator.truediv, operator.pow, operator.lt, operator.iadd):
            storm(lambda op=op: op(x, y))
            storm(lambda op=op: op(x, 2))
            storm(lambda op=op: op(x, np.float32(2)))
        storm(lambda: divmod(x, y))
        storm(lambda: x @ y)
        storm(lambda: 2 / x)


ERRORS = [
    lambda x: x + gpuarray.ones(7),
    lambda x: x + np.ones(3),
    lambda x: x + "text",
    lambda x: x + 10**400,
    lambda x: operator.iadd(x, 1j),
    lambda x: x @ x,
    lambda x: x[5],
    lambda x: x[0, 0, 0, 0],
    lambda x: x.__setitem__(0, gpuarray.ones(9)),
    lambda x: x.reshape(7),
    lambda x: x[:, :3].view(np.complex128),
    lambda x: x.get(np.zeros(2)),
    lambda x: x.set(np.zeros(2)),
    lambda x: x.sum(axis=9),
    lambda x: x.astype("datetime64[s]"),
    lambda x: gpuarray.to_device(np.array([object()])),
    lambda x: gpuarray.add(x, x, out=gpuarray.empty(3)),
    lambda x: gpuarray.concatenate([x, gpuarray.ones(2)]),
    lambda x: gpuarray.from_dlpack(5),
    lambda x: gpuarray.zeros((2**40, 2**40)),
    lambda x: bool(x),
    lambda x: int(x),
    lambda x: x.item(77),
    lambda x: x.nothing,
]

EXPECTED = (TypeError, ValueError, IndexError, OverflowError, AttributeError, MemoryError)


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors(device, number):
    x = gpuarray.ones((3, 4))
    with pytest.raises(EXPECTED):
        ERRORS[number](x)
    with nothing_leaks(device, x):
        storm(quiet(lambda: ERRORS[number](x)))


USES = [
    lambda x: x[1:, ::2],
    lambda x: x.T.reshape(-1),
    lambda x: x.ravel().view(np.int32),
    lambda x: list(x),
    lambda x: x.get(),
    lambda x: x.tolist(),
    lambda x: x.tobytes(),
    lambda x: x.sum(axis=0).argmax(),
    lambda x: x.copy("F").astype(np.complex64),
    lambda x: np.asarray(x),
    lambda x: memoryview(x).tobytes(),
    lambda x: np.add(x, x),
    lambda x: np.add.reduce(x),
    lambda x: np.concatenate([x, x]),
    lambda x: gpuarray.from_dlpack(x),
    lambda x: x.__dlpack__(),
    lambda x: x.__dlpack__(max_version=(1, 0)),
    lambda x: gpuarray.to_device(x),
    lambda x: gpuarray.to_device([[1, 2], [3, 4]]),
    lambda x: gpuarray.arange(10).mean(),
    lambda x: gpuarray.where(x > 0, x, 0),
    lambda x: (x.shape, x.strides, x.dtype, x.device, x.flags, x.base, x.T, x.real, x.imag),
    lambda x: repr(x),
    lambda x: x._repr_html_(),
    lambda x: (x.item(3), 1.0 in x, len(x)),
    lambda x: gpuarray.Stream(),
]


@pytest.mark.parametrize("number", range(len(USES)))
def test_uses(device, number):
    x = gpuarray.ones((3, 4))
    USES[number](x)
    with nothing_leaks(device, x):
        storm(lambda: USES[number](x))


def blocks_after(function):
    gc.collect()
    before = sys.getallocatedblocks()
    function()
    gc.collect()
    return sys.getallocatedblocks() - before


@pytest.mark.parametrize("number", range(len(USES)))
def test_python_objects_do_not_pile_up(device, number):
    x = gpuarray.ones((3, 4))
    storm(lambda: USES[number](x))
    grown = min(blocks_after(lambda: storm(lambda: USES[number](x))) for _ in range(3))
    assert grown < TIMES // 2, f"{grown} blocks more after {TIMES} calls"


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors_leave_no_python_objects(device, number):
    x = gpuarray.ones((3, 4))
    call = quiet(lambda: ERRORS[number](x))
    storm(call)
    grown = min(blocks_after(lambda: storm(call)) for _ in range(3))
    assert grown < TIMES // 2, f"{grown} blocks more after {TIMES} calls"


# Later interpreters give out True without counting it, and count when it is dropped.
@pytest.mark.skipif(sys.version_info >= (3, 12), reason="constants are immortal since Python 3.12")
def test_constants_of_the_interpreter_are_not_consumed(device):
    x = gpuarray.ones(3)
    constants = [None, True, NotImplemented, ...]
    before = [sys.getrefcount(constant) for constant in constants]

    def use():
        x.__add__(object())
        x[...], x[None]
        x.fill(1), x.set([1, 2, 3])
        bool(x[0]), x.base, x.flags.writeable
        gpuarray.synchronize()

    storm(use)
    after = [sys.getrefcount(constant) for constant in constants]
    for a, b in zip(before, after, strict=True):
        assert abs(a - b) < TIMES // 2


def test_memory_returns_when_arrays_go(device):
    gc.collect()
    before = memory(device)
    arrays = [gpuarray.zeros(1000) for _ in range(10)]
    views = [array[::2] for array in arrays]
    del arrays
    assert memory(device)[1] == before[1] + 10
    del views
    assert memory(device) == before


def test_cycles_through_attributes_are_collected(device):
    gc.collect()
    before = memory(device)
    holder = {}
    holder["self"], holder["x"] = holder, gpuarray.zeros(100)
    del holder
    gc.collect()
    assert memory(device) == before
