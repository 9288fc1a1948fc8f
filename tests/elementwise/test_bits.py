# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""packbits and unpackbits, against NumPy."""

import numpy as np
import pytest
from _support.numpy_names import cases, check
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

ORDERS = st.sampled_from(["big", "little"])


@given(cases(kinds=["bool", "int8", "int64", "uint8"], sides=20), ORDERS)
def test_packbits(device, case, order):
    host, axis = case
    check(lambda xp, a: xp.packbits(a, axis=axis, bitorder=order), host)
    check(lambda xp, a: xp.packbits(a, bitorder=order), host)


@given(cases(kinds=["uint8"]), ORDERS, st.sampled_from([None, 0, 3, 8, -1, 20]))
def test_unpackbits(device, case, order, count):
    host, axis = case
    if host.size and not (count and count < -8 * min(host.shape)):
        check(lambda xp, a: xp.unpackbits(a, axis=axis, count=count, bitorder=order), host)
        check(lambda xp, a: xp.unpackbits(a, bitorder=order, count=count), host)


@pytest.mark.parametrize("first", range(9))
def test_packbits_from_any_address(device, first):
    host = np.random.default_rng(first).integers(0, 2, 40, dtype="uint8")[: 16 + first]
    packed = gpuarray.packbits(gpuarray.to_device(host)[first:])
    np.testing.assert_array_equal(packed.get(), np.packbits(host[first:]))


@pytest.mark.cuda
def test_operations_on_packed_arrays_still_wait(cuda):
    x = gpuarray.to_device(np.arange(64, dtype="uint8"), device=cuda)
    gpuarray.packbits(x)
    with gpuarray.fusion("always"):
        before = gpuarray.fusion_stats().operations
        y = x + x
        assert gpuarray.fusion_stats().operations == before + 1
    np.testing.assert_array_equal(y.get(), 2 * np.arange(64))


@given(cases(kinds=["bool"], sides=20), ORDERS)
def test_round_trip(device, case, order):
    host, axis = case
    x = gpuarray.to_device(host)
    packed = gpuarray.packbits(x, axis, order)
    back = gpuarray.unpackbits(packed, axis, host.shape[axis], order)
    np.testing.assert_array_equal(back.get(), host)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda x: gpuarray.packbits(x), TypeError, "integers or bools, got float64"),
        (lambda x: gpuarray.unpackbits(x > 0), TypeError, "uint8, got bool"),
        (lambda x: gpuarray.packbits(x > 0, bitorder="middle"), ValueError, "bitorder"),
        (lambda x: gpuarray.packbits(x > 0, axis=1), np.exceptions.AxisError, "axis 1"),
        (
            lambda x: gpuarray.unpackbits(x.astype("u1"), count=-25),
            ValueError,
            "beyond the 24 bits",
        ),
    ],
)
def test_refuses(device, call, kind, message):
    with pytest.raises(kind, match=message):
        call(gpuarray.ones(3))
