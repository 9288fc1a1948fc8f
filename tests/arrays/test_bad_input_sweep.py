# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Every public function with arguments that make no sense: a mistake of the caller, named."""

import inspect
import re

import numpy as np
import pytest

import gpuarray

MISTAKES = (
    TypeError,
    ValueError,  # AxisError is one
    IndexError,
    OverflowError,
    BufferError,
    gpuarray.CompileError,  # of text that is no CUDA C++
    gpuarray.DeviceError,
    gpuarray.OutOfMemoryError,
    OSError,  # of names of files
)
# What Python says of code that was not written for such an argument.
FROM_INSIDE = re.compile(
    r"has no attribute|is not iterable|has no len|is not subscriptable|not callable"
    r"|not supported between instances|unsupported operand type"
    r"|cannot unpack|values to unpack|could not convert string|unhashable|Value\b"
    r"|_set_up|object is not|expected string or bytes-like"
)
# Of NumPy's own, and of Python's words for a dtype that is none.
NUMPYS = {"dtype", "ndindex", "base_repr", "binary_repr", "mintypecode", "printoptions", "typename"}
NUMPYS |= {"format_float_positional", "format_float_scientific"}
LEFT_OUT = {"record_memory"}  # as set_*(), it changes what other tests see
WITH_TEXTS_OF_NUMPY = {"bartlett", "blackman", "fromiter", "hamming", "hanning", "kaiser"}


def is_swept(name):
    if (
        name.startswith("set_")
        or name in LEFT_OUT | NUMPYS
        or not callable(getattr(gpuarray, name))
    ):
        return False
    value = getattr(gpuarray, name)
    return not (isinstance(value, type) and issubclass(value, (BaseException, np.generic)))


NAMES = [name for name in sorted(gpuarray.__all__) if is_swept(name)]


def bad_arguments():
    return {
        "None": None,
        "str": "ab",
        "bytes": b"ab",
        "ndarray": np.ones(3),
        "list": [1, "a"],
        "empty list": [],
        "dict": {},
        "set": {1},
        "object": object(),
        "type": int,
        "int": 3,
        "bool array": gpuarray.ones(3, bool),
        "complex array": gpuarray.ones(3, complex),
        "0-d array": gpuarray.ones(()),
        "empty array": gpuarray.ones(0),
        "2-d array": gpuarray.ones((2, 3)),
    }


def required(function):
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.default is p.empty and p.kind in positional for p in parameters)


def calls(function):
    """Lists of arguments: none, one bad with good ones, all bad, each bad in its place."""
    count = required(function)
    yield "nothing", []
    for label, bad in bad_arguments().items():
        yield label, [bad]
        if count > 1:
            yield f"{label} everywhere", [bad] * count
        for place in range(count if count > 1 else 0):
            good = [gpuarray.ones(3) for _ in range(count)]
            yield f"{label} in place {place}", [*good[:place], bad, *good[place + 1 :]]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_bad_arguments(device, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where some write files
    function = getattr(gpuarray, name)
    for label, arguments in calls(function):
        try:
            function(*arguments)
            gpuarray.synchronize()  # indices are checked on the device
        except MISTAKES as error:
            lines = str(error).splitlines()
            assert lines, f"{name} of {label}: {type(error).__name__} without a message"
            if name not in WITH_TEXTS_OF_NUMPY and "a dtype" not in lines[0]:
                assert not FROM_INSIDE.search(lines[0]), f"{name} of {label}: {lines[0]}"
        except Exception as error:
            pytest.fail(f"{name} of {label}: {type(error).__name__}: {error}")
