# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""isclose, allclose, array_equal, array_equiv and tests of elements, against NumPy."""

import numpy as np
import pytest
from _support.numpy_names import KINDS, REAL, cases, check
from _support.samples import special
from hypothesis import given
from hypothesis import strategies as st

import gpuarray


@given(cases(nan=0.2), st.sampled_from(KINDS), st.booleans())
def test_arrays_that_are_close(device, case, other, equal_nan):
    host, _ = case
    with np.errstate(all="ignore"):
        moved = (host * (1 + 1e-6)).astype(other) if host.dtype != bool else host
    for name in ("isclose", "allclose", "array_equal"):
        check(lambda xp, a, b, name=name: getattr(xp, name)(a, b, equal_nan=equal_nan), host, moved)
        check(lambda xp, a, name=name: getattr(xp, name)(a, a, equal_nan=equal_nan), host)


@pytest.mark.parametrize("dtype", REAL)
def test_special_values(device, dtype):
    host = special(dtype)
    for equal_nan in (False, True):
        check(
            lambda xp, a, b, nan=equal_nan: xp.isclose(a, b, rtol=1e-3, equal_nan=nan),
            host[:, None],
            host,
        )


@pytest.mark.parametrize("scalar", [1, 1.0, True, np.float32(1), np.nan, np.inf, 1 + 0j])
def test_scalars(device, scalar):
    host = np.array([1, 1 + 1e-9, 2, np.nan, np.inf])
    check(lambda xp, a: xp.isclose(a, scalar, equal_nan=True), host)
    check(lambda xp, a: xp.isclose(scalar, a), host)
    check(lambda xp, a: xp.isclose(a, 1.5, rtol=0, atol=a), host)
    check(lambda xp, a: xp.array_equiv(a, scalar), host)
    assert gpuarray.isclose(scalar, scalar, equal_nan=True).item()


@pytest.mark.parametrize("shapes", [((3,), (3,)), ((3,), (2, 3)), ((3,), (4,)), ((0,), (1,))])
def test_shapes(device, shapes):
    a, b = (np.ones(shape, np.int32) for shape in shapes)
    check(lambda xp, x, y: xp.array_equal(x, y), a, b)
    check(lambda xp, x, y: xp.array_equiv(x, y), a, b)
    check(lambda xp, x, y: xp.array_equiv(x, y + 1), a, b)


def test_least_integers_are_close_to_themselves_alone(device):
    host = np.array([-128, 127, 0], np.int8)
    check(lambda xp, a, b: xp.isclose(a, b), host, host[::-1].copy())


def test_host_arrays_are_refused(device):
    x = gpuarray.ones(3)
    for name in ("isclose", "allclose", "array_equal", "array_equiv"):
        with pytest.raises(TypeError, match="to_device"):
            getattr(gpuarray, name)(x, np.ones(3))
    with pytest.raises(TypeError, match="array_equal: expected a GPUArray, got str"):
        gpuarray.array_equal(x, "1")
    assert gpuarray.array_equal(x, [1, 1, 1])


@pytest.mark.parametrize("dtype", KINDS)
def test_tests_of_elements(device, dtype):
    host = special(dtype)
    for name in ("isposinf", "isneginf", "isreal", "iscomplex"):
        check(lambda xp, a, name=name: getattr(xp, name)(a), host, exact=True)


@given(st.sampled_from(REAL))
def test_infinities_into_out(device, dtype):
    x, out = gpuarray.to_device(special(dtype)), gpuarray.empty(special(dtype).shape, bool)
    assert gpuarray.isposinf(x, out) is out
    np.testing.assert_array_equal(out.get(), np.isposinf(special(dtype)))
