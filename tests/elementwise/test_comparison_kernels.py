# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""isclose and allclose as one kernel give the bits of the operations that they are composed of."""

from unittest import mock

import numpy as np
import pytest
from _support.fused import check_one_pass as check
from _support.fused import samples
from _support.layouts import ALL, contiguous, strided, transposed

import gpuarray
from gpuarray._common import one_pass

FLOATS = ["float16", "float32", "float64", "complex64"]


@pytest.mark.parametrize("equal_nan", [False, True])
@pytest.mark.parametrize("dtype", [*FLOATS, "int8"])
def test_arrays(device, dtype, equal_nan):
    a, b = (contiguous(samples(dtype, (7, 19), seed)) for seed in (0, 1))
    for name in ("isclose", "allclose"):
        # 16-bit floats are compared by one kernel, and what it gives is then reduced.
        taken = (name, dtype) != ("allclose", "float16")
        function = getattr(gpuarray, name)
        for first, second in ((a, b), (a, a), (b, a[0])):
            check(
                lambda f=function, x=first, y=second: f(x, y, 1e-3, 1e-6, equal_nan),
                device,
                taken=taken,
            )


@pytest.mark.parametrize("layout", ALL)
def test_layouts(device, layout):
    a, b = (samples("float32", (6, 21), seed) for seed in (2, 3))
    check(lambda: gpuarray.isclose(layout(a), layout(b)), device)
    check(lambda: gpuarray.isclose(layout(a), contiguous(b), equal_nan=True), device)
    check(lambda: gpuarray.isclose(strided(a), transposed(b)), device)
    check(lambda: gpuarray.isclose(layout(a)[:, :1], contiguous(b)[:1]), device)


def test_dtypes_that_differ(device):
    a, b = samples("float32", (40,)), samples("float64", (40,), 1)
    for other in (b, b.astype("complex128"), np.arange(40), np.arange(40, dtype="uint8")):
        check(lambda o=other: gpuarray.isclose(contiguous(a), contiguous(o)), device)
        check(lambda o=other: gpuarray.isclose(contiguous(o), contiguous(a), atol=0.5), device)


@pytest.mark.parametrize("number", [0, 1, -0.0, 1.0, np.float32(1), np.nan, np.inf, 1 + 0j])
def test_numbers(device, number):
    a = contiguous(samples("float32", (50,)))
    is_nan = number != number
    check(lambda: gpuarray.isclose(a, number), device)
    check(lambda: gpuarray.allclose(a, number, atol=10), device)
    check(lambda: gpuarray.isclose(a, number, equal_nan=True), device, taken=not is_nan)
    check(lambda: gpuarray.isclose(number, a), device)


def test_tolerances_may_be_arrays(device):
    a, b = (contiguous(samples("float64", (5, 9), seed)) for seed in (0, 1))
    atol = abs(b[0])
    check(lambda: gpuarray.isclose(a, b, atol=atol), device)
    check(lambda: gpuarray.isclose(a, b, rtol=np.float32(0.5), atol=2), device)


def test_errors_are_those_of_the_operations(device):
    a, b = gpuarray.ones(3), gpuarray.ones(4)
    for least in (0, 1 << 60):
        with (
            mock.patch.object(one_pass, "LEAST_SIZE", least),
            pytest.raises(ValueError, match=r"subtract: shapes \(3,\) and \(4,\) do not broad"),
        ):
            gpuarray.isclose(a, b)
