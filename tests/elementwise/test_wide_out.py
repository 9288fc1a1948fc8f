# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""out= of another dtype than the loop's: results are rounded to the loop's dtype first."""

import itertools
import operator

import hypothesis
import numpy as np
import pytest
from _support import layouts
from _support.compare import Collector, assert_same
from _support.dtypes import BFLOAT16, DTYPES, kind, promote
from _support.samples import few, ordinary
from _support.tables import EXACT, IN_PLACE, OPERATIONS, expected_or_error
from hypothesis import strategies as st

import gpuarray

HALVES = [np.dtype(np.float16), BFLOAT16]
LONG = 5000  # elements: 16-bit functions look results up from 4096 on
MODES = ["off", "auto", "always"]


def operands_of(op, dtype, size):
    """Return arrays whose results need rounding in narrow dtypes, and edge cases."""
    arrays = []
    for seed in range(op.arity):
        values = np.concatenate([few(dtype), ordinary(dtype, (size,), seed) * np.array(7, dtype)])
        arrays.append(np.roll(values, seed * 3)[:size].astype(dtype))
    if op.name == "power" and kind(dtype) == "i":
        arrays[1] = np.abs(arrays[1]) % 5
    if op.name == "where":
        arrays[0] = arrays[0].astype(bool)
    return arrays


def wider_than(dtype):
    """Return the other dtypes that results of a dtype are written to."""
    order = "buifc"
    return [
        target
        for target in DTYPES
        if target != dtype
        and order.index(kind(target)) >= order.index(kind(dtype))
        and (kind(target), kind(dtype)) != ("u", "i")
    ]


def assert_same_bytes(got, expected, what=""):
    """Assert the same dtype, shape and bits, but for those of NaNs."""
    assert got.dtype == expected.dtype, what
    got, expected = got.get(), expected.get()
    if got.tobytes() != expected.tobytes():
        assert_same(got, expected, what=what)


def check(op, arrays, turn):
    """Write to a third of the wider dtypes: the other operations' turns have the others."""
    separate = op.gpu(*arrays)
    for target in wider_than(separate.dtype)[turn % 3 :: 3]:
        expected = separate.astype(target)
        out = gpuarray.zeros(separate.shape, target)
        assert_same_bytes(op.gpu(*arrays, out=out), expected, f"{op} into {target}")
        out = gpuarray.zeros((*separate.shape, 2), target)[..., 1]
        assert_same_bytes(op.gpu(*arrays, out=out), expected, f"{op} into every second {target}")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("op", OPERATIONS, ids=str)
def test_wide_outs_hold_the_rounded_result(device, op, mode):
    cases, turns = Collector(), itertools.count(OPERATIONS.index(op) + MODES.index(mode))
    with gpuarray.fusion(mode):
        for dtype in DTYPES:
            hosts = operands_of(op, dtype, 40)
            if expected_or_error(op.numpy, *hosts) is TypeError:
                continue
            arrays = [gpuarray.to_device(host) for host in hosts]
            strided = [layouts.strided(host) for host in hosts]
            cases.check(f"{dtype}", check, op, arrays, next(turns))
            cases.check(f"{dtype} strided", check, op, strided, next(turns))
            if op.arity == 2:
                cases.check(f"{dtype} row", check, op, [arrays[0], arrays[1][3]], next(turns))
                cases.check(f"{dtype} rows", check, op, [arrays[0][5], arrays[1]], next(turns))
    cases.finish()


@pytest.mark.parametrize("op", OPERATIONS, ids=str)
def test_wide_outs_of_long_arrays(device, op):
    cases, turns = Collector(), itertools.count(OPERATIONS.index(op))
    for dtype in [*HALVES, np.dtype(np.int8), np.dtype(np.bool_)]:
        hosts = operands_of(op, dtype, LONG)
        if expected_or_error(op.numpy, *hosts) is TypeError:
            continue
        cases.check(f"{dtype}", check, op, list(map(gpuarray.to_device, hosts)), next(turns))
    cases.finish()


def numpys(op):
    """Return NumPy's ufunc of the row if both give the same bits, else None."""
    function = getattr(np, op.name, None)
    # NumPy's nextafter differs between versions, and its integer reciprocal between machines.
    is_exact = op.name in EXACT and op.name not in ("nextafter", "reciprocal")
    return function if isinstance(function, np.ufunc) and is_exact else None


@pytest.mark.parametrize("op", list(filter(numpys, OPERATIONS)), ids=str)
def test_wide_outs_are_numpys(device, op):
    """NumPy converts to the loop's dtype before, and from it after."""
    cases = Collector()
    for dtype in DTYPES:
        hosts = operands_of(op, dtype, 40)
        if dtype == BFLOAT16 or expected_or_error(op.numpy, *hosts) is TypeError:
            continue
        if not op.is_exact(*(host.dtype for host in hosts)):
            continue
        arrays = [gpuarray.to_device(host) for host in hosts]
        for target in wider_than(op.gpu(*arrays).dtype):
            if target != BFLOAT16:
                cases.check(f"{dtype} into {target}", check_numpy, op, hosts, target)
    cases.finish()


def check_numpy(op, hosts, target):
    expected = np.zeros(40, target)
    with np.errstate(all="ignore"):
        numpys(op)(*hosts, out=expected)
    out = gpuarray.zeros(40, target)
    assert_same(op.gpu(*map(gpuarray.to_device, hosts), out=out), expected)


@pytest.mark.parametrize("narrow", HALVES, ids=str)
def test_operands_are_rounded_to_the_dtype_of_the_call(device, narrow):
    """With dtype= the operands are converted to the loop's dtype, as are scalars."""
    cases = Collector()
    wide = np.array([1.0001, 2049.5, 70000.0, 1e-8, -3.3, np.nan, np.inf], np.float32)
    for source in (np.float32, np.float64, np.int32, np.int64):
        with np.errstate(invalid="ignore"):
            host = np.nan_to_num(wide, posinf=9, neginf=9).astype(source)
        x = gpuarray.to_device(host)
        y = x.astype(narrow)
        for name in ("add", "multiply", "divide", "sqrt", "arctan"):
            function = getattr(gpuarray, name)
            arity = 1 if name in ("sqrt", "arctan") else 2
            expected = function(*[y] * arity)
            for target in (narrow, np.float32, np.float64):
                out = gpuarray.zeros(x.shape, target)
                cases.check(
                    f"{name} {source.__name__} {target}",
                    lambda f, a, t, out, expected, arity: assert_same_bytes(
                        f(*[a] * arity, out=out, dtype=narrow), expected.astype(t)
                    ),
                    function,
                    x,
                    target,
                    out,
                    expected,
                    arity,
                )
    cases.finish()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("narrow", [*HALVES, np.dtype(np.int8), np.dtype(np.bool_)], ids=str)
def test_operators_in_place_with_a_narrow_operand(device, narrow, mode):
    cases = Collector()
    host = np.array([1.1, 2.3, 300.7, 60000, -5.5, 0, 0.01, 3]).astype(narrow)
    for name, operate in IN_PLACE.items():
        for wide in DTYPES:
            if promote(narrow, wide) != wide or wide == narrow:
                continue
            with gpuarray.fusion(mode):
                cases.check(f"{name} {wide}", check_in_place, operate, host, wide)
    cases.finish()


def check_in_place(operate, host, wide):
    start = np.full(host.shape, 3).astype(wide)
    values = np.abs(host) if kind(host.dtype) == "i" else host
    x = gpuarray.to_device(values)
    try:
        with np.errstate(all="ignore"):
            operate(start.copy(), (values * values).astype(wide))
    except (TypeError, ValueError):
        return
    expected = gpuarray.to_device(start)
    product = (x * x).get()
    expected = operate(expected, gpuarray.to_device(product))
    got = gpuarray.to_device(start)
    got = operate(got, x * x)
    assert_same_bytes(got, expected)


@pytest.mark.parametrize("mode", MODES)
def test_a_chain_of_operations_that_wait_for_a_wide_target(device, mode):
    x = np.array([1.1, 2.3, 300.7, 0.01], np.float16)
    with gpuarray.fusion(mode):
        a = gpuarray.to_device(x)
        total = gpuarray.zeros(4, np.float32)
        for _ in range(20):
            total += a * a
            gpuarray.multiply(a * a, a, out=total[:])
            total += gpuarray.exp(a)
        got = total.get()
    with np.errstate(over="ignore"):
        expected = x * x * x + gpuarray.exp(a).get().astype(np.float32)
    assert_same(got, expected)


@pytest.mark.parametrize("narrow", HALVES, ids=str)
def test_fused_functions_write_rounded_results(device, narrow):
    def program(total, a, b):
        total += gpuarray.exp(a * b)
        return total - a * b

    values = np.array([1.1, 2.3, 300.7, 0.01, 5.5, 9.9]).astype(narrow)
    a, b = gpuarray.to_device(values), gpuarray.to_device(values[::-1].copy())
    for wide in (np.float32, np.float64):
        results = []
        for function in (program, gpuarray.fuse(program)):
            total = gpuarray.ones(6, wide)
            results.append((function(total, a, b), total))
        for got, expected in zip(*results, strict=True):
            assert_same_bytes(got, expected)


@hypothesis.given(
    narrow=st.sampled_from(HALVES),
    wide=st.sampled_from([np.float32, np.float64, np.complex64]),
    name=st.sampled_from(["add", "subtract", "multiply", "divide", "remainder", "hypot", "power"]),
    bits=st.lists(st.integers(0, 2**16 - 1), min_size=2, max_size=50),
    mode=st.sampled_from(MODES),
    step=st.sampled_from([1, 2, -1]),
)
def test_any_halves_into_wide_outs(device, narrow, wide, name, bits, mode, step):
    a = gpuarray.to_device(np.array(bits, np.uint16).view(narrow))[::step]
    with gpuarray.fusion(mode):
        function = getattr(gpuarray, name)
        expected = function(a, a[::-1]).astype(wide)
        out = gpuarray.empty(a.shape, wide)
        assert_same_bytes(function(a, a[::-1], out=out), expected)


@pytest.mark.parametrize("narrow", [np.float16, np.float32, np.int8, np.bool_])
def test_scans_and_reductions_into_wide_outs(device, narrow):
    host = np.array([[1.1, 2.3, 300.7], [60000, 7.7, 0.01]]).astype(np.float16).astype(narrow)
    host[1, 0] = min(60000, np.finfo(narrow).max) if np.dtype(narrow).kind == "f" else 1
    x = gpuarray.to_device(host)
    for wide in (np.float32, np.float64, np.complex128):
        if np.dtype(wide) == narrow:
            continue
        for name in ("max", "min", "any"):
            out = gpuarray.zeros(3, wide)
            expected = getattr(x, name)(axis=0).astype(wide)
            assert_same_bytes(getattr(x, name)(axis=0, out=out), expected, name)
        # With out= NumPy's sums and accumulations compute in its dtype.
        for name in ("sum", "prod", "mean"):
            expected = getattr(np, name)(host, axis=0, out=np.zeros(3, wide))
            got = getattr(x, name)(axis=0, out=gpuarray.zeros(3, wide))
            if name == "mean" and narrow == np.float16:  # NumPy's are computed in float32
                np.testing.assert_allclose(got.get(), expected, rtol=1e-6)
            else:
                assert_same(got, expected, what=name)
        assert_same(
            gpuarray.nansum(x, axis=1, out=gpuarray.zeros(2, wide)),
            np.nansum(host, axis=1, out=np.zeros(2, wide)),
        )
        expected = np.add.accumulate(host, axis=1, out=np.zeros((2, 3), wide))
        assert_same(gpuarray.add.accumulate(x, axis=1, out=gpuarray.zeros((2, 3), wide)), expected)


def test_a_wide_target_of_where_and_casts(device):
    x = gpuarray.to_device(np.array([1.1, 70000.0, -2.3], np.float32))
    out = gpuarray.zeros(3, np.float64)
    condition = gpuarray.to_device(np.array([True, False, True]))
    gpuarray.where(condition, x.astype(np.float16), np.float16(2.5), out=out)
    assert_same(out, np.array([np.float16(1.1), 2.5, np.float16(-2.3)], np.float64))
    for narrow in (np.float16, BFLOAT16, np.int8):
        y = (gpuarray.to_device(np.array([1.1, 100.7, -2.3])).astype(narrow) + 0).astype(np.float64)
        assert_same(y, np.array([1.1, 100.7, -2.3]).astype(narrow).astype(np.float64))


def test_comparisons_write_their_truth_into_numbers(device):
    x = gpuarray.to_device(np.array([1.1, np.nan, 3.3], np.float16))
    for compare in (operator.lt, operator.eq):
        out = gpuarray.zeros(3, np.float32)
        getattr(gpuarray, {"lt": "less", "eq": "equal"}[compare.__name__])(x, x, out=out)
        assert_same(out, compare(x.get(), x.get()).astype(np.float32))
