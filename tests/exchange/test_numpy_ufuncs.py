# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""NumPy's ufuncs on GPUArrays: out=, where=, casting= and dtype=, and their methods."""

import warnings

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import BFLOAT16
from hypothesis import assume, given
from hypothesis import strategies as st

import gpuarray

NAMES = ["?", "i1", "i4", "i8", "u1", "u8", "f2", "f4", "f8", "c8", "c16"]
KINDS = [np.dtype(name) for name in NAMES]
kinds = st.sampled_from(KINDS)
masks = st.sampled_from([(3, 4), (4,), (3, 1), (1, 4), ()])


def sample(dtype, shape=(3, 4), seed=0):
    return np.random.default_rng(seed).integers(0, 5, shape).astype(dtype)


def outcome(call):
    """The result, or the class of the error that there is in both libraries."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call()
        except (TypeError, ValueError, OverflowError) as error:
            for kind in (TypeError, ValueError, OverflowError):
                if isinstance(error, kind):
                    return kind


def assert_agree(call, *hosts):
    """`call` gives for GPUArrays what it gives for the ndarrays."""
    arrays = [gpuarray.to_device(host) for host in hosts]
    expected, got = outcome(lambda: call(*hosts)), outcome(lambda: call(*arrays))
    if isinstance(expected, type):
        assert got is expected
        return
    assert isinstance(got, gpuarray.GPUArray), got
    assert_same(got, np.asarray(expected), signed_zero=False)


UFUNCS = ["add", "subtract", "multiply", "maximum", "equal", "less", "logical_and", "bitwise_xor"]


@given(
    name=st.sampled_from(UFUNCS),
    dtypes=st.tuples(kinds, kinds, kinds),
    casting=st.sampled_from(["no", "equiv", "safe", "same_kind", "unsafe"]),
    mask=st.one_of(st.none(), masks),
)
def test_out_where_and_casting(device, name, dtypes, casting, mask):
    # What a negative float becomes as an unsigned integer is the machine's to say.
    assume(np.dtype(dtypes[2]).kind != "u" or {np.dtype(d).kind for d in dtypes[:2]} <= set("bu"))
    ufunc = getattr(np, name)
    hosts = [sample(dtypes[0]), sample(dtypes[1], (4,), 1), sample(dtypes[2], (3, 4), 2)]
    if mask is not None:
        hosts.append(sample(bool, mask, 3))

    def call(a, b, out, where=True):
        with np.errstate(all="ignore"):
            got = ufunc(a, b, out=out, where=where, casting=casting)
        assert got is out
        return got

    assert_agree(call, *hosts)


@given(
    name=st.sampled_from(UFUNCS),
    dtypes=st.tuples(kinds, kinds, kinds),
    casting=st.sampled_from(["safe", "same_kind", "unsafe"]),
    how=st.sampled_from(["dtype", "signature", "sig"]),
)
def test_dtype(device, name, dtypes, casting, how):
    value = (None, None, dtypes[2]) if how != "dtype" else dtypes[2]
    assert_agree(
        lambda a, b: getattr(np, name)(a, b, casting=casting, **{how: value}),
        sample(dtypes[0]),
        sample(dtypes[1], (4,), 1),
    )


def test_scalars_with_dtype_and_casting(device):
    host = sample(np.int32)
    for call in (
        lambda x: np.multiply(x, 2.5, dtype=np.int32, casting="unsafe"),
        lambda x: np.multiply(x, 2.5, dtype=np.int32),
        lambda x: np.add(300, x, dtype=np.int8, casting="unsafe"),
        lambda x: np.add(x, np.float64(2), dtype=np.float32),
        lambda x: np.add(x, np.int64(2), casting="no"),
        lambda x: np.add(x, 2, casting="no"),
        lambda x: np.sqrt(x, dtype=np.float64),
        lambda x: np.add(x, True, dtype=np.float64),
        lambda x: np.add(x, x, signature="dd->d"),
        lambda x: np.add(x, x, signature="ii->d"),
        lambda x: np.sqrt(x, signature="f"),
    ):
        assert_agree(call, host)


@pytest.mark.parametrize("order", "CFAK")
def test_order(device, order):
    for view in (lambda a: a, lambda a: a.T, lambda a: a.swapaxes(0, 1), lambda a: a[::2]):
        got = np.exp(view(gpuarray.ones((4, 3, 4))), order=order)
        assert got.strides == np.exp(view(np.ones((4, 3, 4))), order=order).strides
    with pytest.raises(ValueError, match="order"):
        np.exp(gpuarray.ones(2), order="Z")


def test_where_without_out(device):
    """NumPy leaves the other elements unset."""
    x, mask = gpuarray.ones(4), gpuarray.to_device([True, False, True, False])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.add(x, 1, where=mask).tolist() == [2, 0, 2, 0]
        assert np.add(x, 1, where=gpuarray.ones((2, 1), bool)).shape == (2, 4)
        assert np.isfinite(x, where=mask).dtype == bool


def test_where_that_is_no_mask(device):
    x = gpuarray.ones(3)
    with pytest.raises(TypeError, match="bool"):
        np.add(x, 1, where=gpuarray.ones(3, np.int8), out=x)
    with pytest.raises(TypeError, match="bool"):
        np.add(x, 1, where=np.ones(3, np.int8), out=x)
    with pytest.raises(ValueError, match="out has shape"):
        np.add(x, 1, where=gpuarray.ones((2, 3), bool), out=x)


def test_two_results(device):
    host = np.array([2.5, -3.25, 0.0])
    x = gpuarray.to_device(host)
    mask = gpuarray.to_device([True, True, False])
    for name, args in (("divmod", (2.0,)), ("frexp", ()), ("modf", ())):
        expected = getattr(np, name)(host, *args)
        first, second = (gpuarray.full(3, 7, part.dtype) for part in expected)
        got = getattr(np, name)(x, *args, out=(first, None), where=mask)
        assert got[0] is first
        assert first.tolist() == [*expected[0].tolist()[:2], 7]
        assert got[1].tolist() == [*expected[1].tolist()[:2], 0]
        both = getattr(np, name)(x, *args, out=(first, second))
        assert both[1] is second
        assert_same(second, expected[1])


REDUCTIONS = ["add", "multiply", "maximum", "minimum", "logical_and", "logical_or"]


def fitted(mask, shape):
    """The shape of a mask for an array of this shape."""
    given = shape[len(shape) - len(mask) :] if len(mask) <= len(shape) else shape
    pairs = zip(mask[-len(given) :], given, strict=False)
    short = tuple(1 if extent == 1 else other for extent, other in pairs)
    return mask[: len(mask) - len(short)] + short


@given(
    name=st.sampled_from(REDUCTIONS),
    dtype=kinds,
    axis=st.sampled_from([None, 0, 1, -1, (0, 1), (), 2, (0, 0)]),
    keepdims=st.booleans(),
    initial=st.sampled_from([np._NoValue, None, 0, 1, 3]),
    mask=st.one_of(st.none(), masks, st.just((2, 3, 4))),
    shape=st.sampled_from([(3, 4), (0, 4), (3, 0)]),
)
def test_reduce(device, name, dtype, axis, keepdims, initial, mask, shape):
    ufunc = getattr(np, name)
    if dtype.kind == "b" and initial not in (np._NoValue, None):
        initial = bool(initial)
    hosts = [sample(dtype, shape)]
    if mask is not None:
        hosts.append(sample(bool, fitted(mask, shape), 3))

    def call(a, where=True):
        return ufunc.reduce(a, axis=axis, keepdims=keepdims, initial=initial, where=where)

    assert_agree(call, *hosts)


def test_reduce_with_dtype_and_out(device):
    host = sample(np.int16)
    for name in REDUCTIONS:
        ufunc = getattr(np, name)
        for dtype in (None, np.float32):
            if dtype and name.startswith("logical"):
                continue
            expected = ufunc.reduce(host, dtype=dtype)
            out = gpuarray.empty(4, expected.dtype)
            assert ufunc.reduce(gpuarray.to_device(host), dtype=dtype, out=out) is out
            assert_same(out, expected)
            again = ufunc.reduce(gpuarray.to_device(host), dtype=dtype, out=out, initial=1)
            assert again is out
            assert_same(out, ufunc.reduce(host, dtype=dtype, initial=1))


def test_reduce_of_bfloat16(device):
    x = gpuarray.to_device(np.array([1, 5, 3], BFLOAT16))
    mask = gpuarray.to_device([True, False, True])
    assert np.maximum.reduce(x, where=mask, initial=-1).tolist() == 3
    assert np.add.reduce(x, where=mask, initial=2.5).dtype == BFLOAT16
    assert np.add(x, 1, casting="unsafe").dtype == BFLOAT16
    assert np.add(x, x, dtype="float64").dtype == np.float64
    with pytest.raises(TypeError, match="bfloat16"):
        np.add(x, 1, casting="no")


def test_reduce_of_no_dimensions(device):
    x = gpuarray.to_device(np.float64(3))
    assert np.add.reduce(x).item() == 3
    assert np.maximum.reduce(x, axis=-1).item() == 3


@given(
    name=st.sampled_from(["add", "multiply", "less", "arctan2", "power"]),
    shapes=st.tuples(masks, masks),
)
def test_outer(device, name, shapes):
    hosts = [sample(np.float64, shape, seed) for seed, shape in enumerate(shapes)]
    if name in ("arctan2", "power"):
        hosts = [np.minimum(host, 1) for host in hosts]
    assert_agree(getattr(np, name).outer, *hosts)


def test_outer_with_scalars_and_out(device):
    x = gpuarray.arange(3)
    assert np.add.outer(x, 1).tolist() == [1, 2, 3]
    assert np.add.outer(1, x).tolist() == [1, 2, 3]
    out = gpuarray.empty((3, 3), np.int64)
    assert np.multiply.outer(x, x, out=out) is out
    assert out.tolist() == np.multiply.outer(np.arange(3), np.arange(3)).tolist()


@pytest.mark.parametrize("index", [1, np.s_[1:], np.s_[..., 0], np.s_[::2, ::-1], np.int8(-1)])
def test_at(device, index):
    host = sample(np.int64)
    x = gpuarray.to_device(host)
    assert np.add.at(x, index, 2) is None
    np.add.at(host, index, 2)
    np.negative.at(x, index)
    np.negative.at(host, index)
    assert_same(x, host)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("less.accumulate", lambda x: np.less.accumulate(x)),
        ("bitwise_or.reduce", lambda x: np.bitwise_or.reduce(x)),
        ("isnat", lambda x: np.isnat(x)),
        ("add", lambda x: np.add(x, [1, "2", 3])),
        ("add", lambda x: np.add(x, object())),
        ("add", lambda x: np.add(x, None)),
    ],
)
def test_what_is_not_there_is_named(device, name, call):
    with pytest.raises(TypeError, match=f"^{name.replace('.', '[.]')}:"):
        call(gpuarray.ones(3))


def test_host_array_written_in_place(device):
    host, x = np.zeros(3), gpuarray.ones(3)
    for change in (np.ndarray.__iadd__, lambda a, b: np.exp(b, out=a)):
        with pytest.raises(TypeError, match=r"to_device.*get\(out="):
            change(host, x)
    assert not host.any()


def test_array_priority(device):
    assert gpuarray.ones(1).__array_priority__ > np.ones(1).__array_priority__


CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")


def result_or_error(function, *args, **options):
    try:
        made = function(*args, **options)
    except (TypeError, OverflowError) as error:
        return OverflowError if isinstance(error, OverflowError) else TypeError
    return str(made.dtype), made.tolist()


@pytest.mark.parametrize("name", ["greater", "not_equal", "less_equal", "add", "divide"])
@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int64", "uint64", "float32", "float64"]
)
def test_numbers_by_every_rule_of_casting(device, name, dtype):
    ufunc, host = getattr(np, name), np.ones(2, dtype)
    x = gpuarray.to_device(host)
    for number in (1, -1, 300, 2**70, 1.5, 1j, True, np.int8(3)):
        if dtype == "bool" and number == 2**70:
            continue  # NumPy compares by value with integers alone
        for casting in CASTINGS:
            for of_host, of_device in (
                ((host, number), (x, number)),
                ((number, host), (number, x)),
            ):
                expected = result_or_error(ufunc, *of_host, casting=casting)
                got = result_or_error(ufunc, *of_device, casting=casting)
                assert got == expected, (number, casting)


def copied(copyto, a, number, casting):
    copyto(a, number, casting=casting)
    return a


@pytest.mark.filterwarnings("ignore:Casting complex")
@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "float32", "float64", "complex64", "D"])
def test_copyto_of_numbers_by_every_rule_of_casting(device, dtype):
    for number in (1, -1, 300, 1.5, 1j, True):
        for casting in CASTINGS:
            host = np.zeros(2, dtype)
            x = gpuarray.to_device(host)
            expected = result_or_error(copied, np.copyto, host, number, casting)
            got = result_or_error(copied, gpuarray.copyto, x, number, casting)
            assert got == expected, (number, casting)
