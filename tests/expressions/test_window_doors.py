# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Every public function and method sees operations that wait as if they had run."""

import inspect
import re

import numpy as np
import pytest
from _support.compare import assert_same
from _support.measure import Counted
from _support.window_programs import fusion

import gpuarray
from gpuarray import GPUArray

# What changes settings of the process, or gives what no program determines.
LEFT_OUT = {"show_config", "memory_profile", "memory_snapshot", "record_memory", "fusion_stats"}
LEFT_OUT |= {"clear_cache", "cache_info", "pending_launches", "memory_info"}


def is_called(name):
    value = getattr(gpuarray, name)
    if name.startswith(("set_", "empty")) or name in LEFT_OUT or not callable(value):
        return False
    return not (isinstance(value, type) and issubclass(value, (BaseException, np.generic)))


FUNCTIONS = [name for name in sorted(gpuarray.__all__) if is_called(name)]
METHODS = [
    name
    for name, value in sorted(vars(GPUArray).items())
    if name not in {"__new__", "__init_subclass__", "__subclasshook__", "__class_getitem__"}
    and (callable(value) or inspect.isgetsetdescriptor(value))
]
OF_THE_MOMENT = {"ptr", "gpudata", "data", "ctypes", "get_async", "__cuda_array_interface__"}


def required(function):
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.default is p.empty and p.kind in positional for p in parameters)


def seen(value, depth=0):
    """Return what can be compared of a result."""
    if isinstance(value, GPUArray):
        return value.shape, str(value.dtype), value.get().tobytes()
    if isinstance(value, np.ndarray | np.generic):
        return value.tobytes()
    if isinstance(value, tuple | list) and depth < 3:
        return [seen(item, depth + 1) for item in value]
    if isinstance(value, int | float | complex | bool | str | bytes | type(None)):
        return repr(value)
    return type(value).__name__


def outcome(call, device, mode):
    """Return what a call gives and changes, with operands that wait and readers that wait."""
    host = np.arange(1, 13, dtype="f8").reshape(3, 4) / 4
    with fusion(mode), gpuarray.device(device):
        read, made = (gpuarray.to_device(host) for _ in range(2))
        reader = read * 3 + 1
        made *= 2
        waits = made + 1
        try:
            result = seen(call(waits, made, read))
        except Exception as error:
            # A message may have an address or a time in it.
            result = type(error).__name__, re.sub(r"\d{6,}", "N", str(error))
        return result, seen([reader, waits, made, read])


def check(call, device):
    expected = outcome(call, device, "off")
    for mode in ("always", "adversary:1"):
        assert outcome(call, device, mode) == expected


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(device, name):
    function = getattr(gpuarray, name)
    count = min(required(function), 3)
    for first in range(3):
        check(lambda *all, k=first: function(*(all[k:] + all[:k])[:count]), device)
    check(lambda waits, made, read: function([waits, made]), device)


@pytest.mark.parametrize("name", METHODS)
def test_methods(device, name):
    if name in OF_THE_MOMENT:
        check(lambda waits, made, read: (getattr(waits, name), None)[1], device)
        return

    def call(array, *others):
        value = getattr(array, name)
        return value(*others[: min(required(value), 2)]) if callable(value) else value

    check(lambda waits, made, read: call(waits, made, read), device)
    check(lambda waits, made, read: call(made, read, waits), device)
    check(lambda waits, made, read: call(read, waits, made), device)


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: np.float32(0.5) * (a + b),
        lambda a, b: np.float64(2) - (a + b),
        lambda a, b: np.int64(2) < (a + b),
        lambda a, b: np.sqrt(a + b),
        lambda a, b: np.add(a + b, 1),
        lambda a, b: np.maximum(a + b, b),
        lambda a, b: np.where(a > 1, a, b),
        lambda a, b: np.real(a + b) - b,
        lambda a, b: (a + b).mT.mT - b,
    ],
)
def test_what_queues_no_work_of_its_own_joins(device, function):
    random = np.random.default_rng(0)
    hosts = [random.random((30, 41), dtype="f4") + 0.5 for _ in range(2)]
    operands = [gpuarray.to_device(host) for host in hosts]
    with fusion("always"), Counted() as counted:
        assert_same(function(*operands) * 2, function(*hosts) * 2)
    assert counted.stats[:2] == (1, 3)
