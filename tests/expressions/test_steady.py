# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""From the third call on a program runs as the same groups, by the kernels prepared before."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from _support.modules import load
from _support.process import run_python

import gpuarray
from gpuarray import _core

TESTS = Path(__file__).parents[1]
CALLS = 7
GROUP = re.compile(r" of (\(.*?\)).* \(([a-z_ ]*)\)")  # its shape and operations


def rolls(a, b):
    """Rolls pending results, so that one history runs as several groups; the last pass differs."""
    for _ in range(4):
        c = a * b
        a, b = (
            a + 0.1 * (gpuarray.roll(a, 1, 0) - gpuarray.roll(a, -1, 1)) - c,
            b - 0.1 * (gpuarray.roll(b, 1, 0) - gpuarray.roll(b, -1, 1)) + c,
        )
    return a, b


def flux(a, b):
    """The last pass of a loop is the beginning of the others' groups."""
    for _ in range(5):
        f = 0.5 * a * a
        a = a - 0.1 * (f - gpuarray.roll(f, 1, 0)) + 0.01 * (gpuarray.roll(a, -1, 0) - 2 * a)
    return a


def pairs(a, b):
    """The temporaries of the last pass end with the function, those of others in the next pass."""
    x, v = a[:, 0].copy(), b[:, 0].copy()
    for _ in range(3):
        d = x[:, None] - x[None, :]
        r = d * d + 0.01
        v = v - 0.001 * (d / (r * gpuarray.sqrt(r))).sum(1)
        x = x + 0.001 * v
    return x


def column(a, b):
    """A column of a square array looks like a result of its rows."""
    k = gpuarray.exp(-3 * a)
    u = k[:, 0] * 0 + 1
    return gpuarray.sqrt(u[:, None] * k * b)


def masks(a, b):
    """An array is read by a mask, which only waits where nothing is prepared."""
    x = a.copy()
    x[x > 1.25] = 0
    x[x < 0.75] *= 2
    return x


def blur(a, b):
    """The same operations have rows that lie side by side, and others that do not."""
    for _ in range(2):
        p = gpuarray.pad(a, ((1, 1), (0, 0)), mode="reflect")
        p = gpuarray.pad(0.3 * (p[:-2] + p[2:]) + 0.4 * p[1:-1], ((0, 0), (1, 1)), mode="reflect")
        a = 0.3 * (p[:, :-2] + p[:, 2:]) + 0.4 * p[:, 1:-1]
    return a


def cut(a, b):
    """A group that is full is cut before two operations that read an array that is gone by then."""
    c = gpuarray.sort(b)
    for _ in range(100):
        a = a * b + 0.5
    kept = [c * a, c - a]
    del c
    for _ in range(24):
        kept.append(kept[-1] * 0.5 + a)
    return kept


def shares(a, b):
    """A reduction comes first."""
    a, b = a[:200] / a[:200].sum(), b[:200] / b[:200].sum()
    middle = 0.5 * (a + b)
    return (a * gpuarray.log(a / middle)).sum() + (b * gpuarray.log(b / middle)).sum()


def paths(a, b):
    """Each pass reads a column and a row of what the one before made, the first one of a copy."""
    d = a.copy()
    for k in range(3):
        d = gpuarray.minimum(d, d[:, k : k + 1] + d[k : k + 1])
    return d


def inner(a, b):
    """The rows of the result begin where no vector does."""
    u = a.copy()
    u[:, 2:-2] = (u[:, 2:-2] + b[:, 2:-2]) * 0.5
    return u


def counts(a, b):
    """A kernel reads what a fill made, which can wait; the next operation begins so, too."""
    weights = b[0]
    for _ in range(3):
        counted = gpuarray.bincount((a[0] * 8).astype("int64"), minlength=512)
        weights = weights * gpuarray.maximum(counted, 1).astype("float32")
    return weights


PROGRAMS = [rolls, flux, pairs, column, masks, blur, cut, shares, paths, inner, counts]


def call(device, names):
    """Call each program, and print for each call its groups and how many kernels there are."""
    os.dup2(1, 2)  # where groups are logged
    random = np.random.default_rng(0)
    gpuarray.set_default_device(device)
    operands = [gpuarray.to_device(random.random((512, 512), "f4") + 0.5) for _ in range(2)]
    for name in names:
        _core._forget_sequences()
        for _ in range(CALLS):
            result = globals()[name](*operands)
            gpuarray.synchronize(device)
            _core._finish_compilations()
            cache = gpuarray.cache_info()
            os.write(1, f"after a call of {name}: {cache.hits + cache.stores}\n".encode())
        del result


@pytest.mark.parametrize("program", [program.__name__ for program in PROGRAMS])
def test_the_groups_of_the_third_call_are_those_of_later_ones(device, program, tmp_path):
    """No group runs operator by operator, because it is not the one that was prepared."""
    variables = {}
    if device != "cpu":
        if "GPUARRAY_TEST_DRIVER" not in os.environ:
            pytest.skip("on the test driver alone")
        variables = load("tools/log_groups.py").stub(tmp_path)
    variables |= {"GPUARRAY_FUSION_LOG": "1", "GPUARRAY_CACHE_DIR": str(tmp_path / "cache")}
    code = f"""
    import sys
    sys.path.insert(0, {str(TESTS)!r})
    from _support.modules import load
    load("tests/expressions/test_steady.py").call({device!r}, [{program!r}])
    """
    lines = run_python(code, **variables).splitlines()
    groups, kernels = [[]], []
    for line in lines:
        if line.startswith("after a call"):
            kernels.append(int(line.rpartition(" ")[2]))
            groups.append([])
        elif line.startswith("gpuarray: "):
            groups[-1].append(GROUP.search(line).groups())
    assert not [line for line in lines if "one by one" in line and "[]" not in line]
    assert kernels[1:] == kernels[1:2] * (CALLS - 1), json.dumps(kernels)
    assert groups[2:CALLS] == groups[2:3] * (CALLS - 2), json.dumps(groups, indent=1)
