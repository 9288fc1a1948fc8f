# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Every public function with arrays of no elements, in each place of the empty axis."""

import re

import numpy as np
import pytest
from _support import words
from corners.outcomes import CALLS, LEFT_OUT, SHAPES, axes_of, calls, difference, outcome, texts

import gpuarray

COMPILED = calls()


def nothing():
    pass


@pytest.mark.parametrize("text", COMPILED)
def test_functions_of_nothing_are_those_of_numpy(device, text):
    code = COMPILED[text]
    found = {}
    for shape in SHAPES:
        host = np.zeros(shape)
        for axis in axes_of(code, len(shape)):
            expected = outcome(code, np, host, axis, lambda x: x, nothing)
            got = outcome(
                code, gpuarray, host, axis, gpuarray.to_device, gpuarray.device(device).synchronize
            )
            if differs := difference(got, expected):
                found[shape, axis] = differs
    assert not found


def is_function(module, name):
    return name[0] != "_" and callable(getattr(module, name, None))


def test_every_function_of_numpys_name_is_called():
    called = set(re.findall(r"xp\.(\w+(?:\.\w+)?)", CALLS + "\n".join(texts())))
    names = [
        *(name for name in gpuarray.__all__ if callable(getattr(np, name, None))),
        *(f"linalg.{name}" for name in dir(gpuarray.linalg) if is_function(np.linalg, name)),
        *(f"fft.{name}" for name in dir(gpuarray.fft) if is_function(np.fft, name)),
    ]
    classes = [name for name in names if isinstance(getattr(np, name, None), type)]
    missing = set(names) - called - set(classes) - set(words(LEFT_OUT))
    assert not missing
    assert set(words(LEFT_OUT)) - {"row_stack"} <= set(names)  # which NumPy 2.5 has no more
