# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The keywords of NumPy's ufuncs in calls of the functions of the same names here."""

import warnings

import numpy as np
import pytest
from _support.compare import host
from _support.numpy_names import compare
from _support.process import run_python

import gpuarray

UFUNCS = [
    name
    for name in sorted(np.__all__)
    if isinstance(getattr(np, name), np.ufunc) and name in dir(gpuarray)
]
SIGNED = np.array([[1.5, -2.25, 1.0], [3.0, 4.25, -1.0]])
MASK = np.array([True, False, True])


def operands_of(ufunc, kind):
    """Return ndarrays that the ufunc has a loop for."""
    if ufunc.signature:
        inputs = ufunc.signature.split("->")[0].strip("()").split("),(")
        return [np.ones((3, 3) if "," in core else 3, kind) for core in inputs]
    return [abs(SIGNED).astype(kind) / (2 if kind == "f8" else 1) for _ in range(ufunc.nin)]


def takes(ufunc, arrays):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return ufunc(*arrays)
        except TypeError:
            return None


def cases(name):
    ufunc = getattr(np, name)
    for kind in ("f8", "i8", "?"):
        arrays = [a.astype(kind) for a in operands_of(ufunc, kind)]
        made = takes(ufunc, arrays)
        if made is not None:
            yield ufunc, arrays, made if isinstance(made, tuple) else (made,)


def test_there_are_ufuncs():
    assert len(UFUNCS) > 80
    assert all(list(cases(name)) for name in UFUNCS)


@pytest.mark.parametrize("name", UFUNCS)
def test_where_leaves_the_other_elements(device, name):
    for ufunc, arrays, made in cases(name):
        if ufunc.signature:
            continue
        outs = tuple(np.full(one.shape, 1, one.dtype) for one in made)
        ours = tuple(gpuarray.to_device(out) for out in outs)
        given = [gpuarray.to_device(a) for a in arrays]
        with np.errstate(all="ignore"):
            ufunc(*arrays, out=outs, where=MASK)
        for mask in (gpuarray.to_device(MASK), MASK, MASK.tolist()):
            out = ours if len(ours) > 1 else ours[0]
            got = getattr(gpuarray, name)(*given, out=out, where=mask)
            assert got is out or all(a is b for a, b in zip(got, ours, strict=True))
            compare(list(ours), list(outs))


@pytest.mark.parametrize("name", UFUNCS)
def test_order_casting_subok_and_dtype(device, name):
    for ufunc, arrays, made in cases(name):
        options = [{"order": "F"}, {"order": "C"}, {"casting": "same_kind"}, {"subok": False}]
        options += [{"dtype": made[0].dtype, "casting": "unsafe"}] * (len(made) == 1)
        for option in options:
            with np.errstate(all="ignore"):
                expected = ufunc(*arrays, **option)
            got = getattr(gpuarray, name)(*map(gpuarray.to_device, arrays), **option)
            compare(got, expected)
            if "order" in option and not isinstance(got, tuple):
                assert got.strides == expected.strides


def test_casting_is_checked(device):
    a, b = gpuarray.ones(3, "int64"), gpuarray.ones(3, "float64")
    with pytest.raises(TypeError):
        gpuarray.add(a, b, casting="no")
    with pytest.raises(TypeError):
        gpuarray.add(b, b, out=a, casting="safe")
    assert gpuarray.add(b, 1.75, out=a, casting="unsafe").tolist() == [2, 2, 2]
    with pytest.raises(ValueError, match="casting"):
        gpuarray.add(a, b, casting="maybe")


def test_signatures(device):
    a = gpuarray.ones(3, "float32")
    for option in ({"signature": "dd->d"}, {"sig": "dd->d"}, {"signature": (None, None, "f8")}):
        assert gpuarray.add(a, a, **option).dtype == "float64"


def test_where_without_out_is_zero_elsewhere(device):
    a = gpuarray.ones(3)
    assert gpuarray.add(a, 1, where=[True, False, True]).tolist() == [2, 0, 2]
    assert gpuarray.add([1, 2, 3], 1, where=[True, False, True]).tolist() == [2, 0, 4]
    assert gpuarray.add(a, 1, a, where=False) is a
    assert a.tolist() == [1, 1, 1]


@pytest.mark.parametrize("bounds", [(0, 1), (None, 1), (0, None), (None, None)])
def test_clip(device, bounds):
    out, host_out = gpuarray.zeros((2, 3)), np.zeros((2, 3))
    expected = np.clip(SIGNED, *bounds, out=host_out, where=MASK)
    got = gpuarray.clip(gpuarray.to_device(SIGNED), *bounds, out=out, where=MASK)
    assert got is out
    np.testing.assert_array_equal(host(got), expected)
    as_method = gpuarray.to_device(SIGNED).clip(*bounds, where=MASK, out=gpuarray.zeros((2, 3)))
    np.testing.assert_array_equal(host(as_method), expected)
    cast = gpuarray.to_device(SIGNED).clip(*bounds, dtype="float32")
    assert cast.dtype == "float32" and cast.tolist() == np.clip(SIGNED, *bounds).tolist()


def test_mistakes(device):
    a = gpuarray.ones(3)
    for call in (
        lambda: gpuarray.add(a, a, nonsense=1),
        lambda: gpuarray.add(a, where=True),
        lambda: gpuarray.add(a, a, a, a, where=True),
        lambda: gpuarray.add(a, a, a, out=a, where=True),
        lambda: gpuarray.add(a, a, where=True, nonsense=1),
        lambda: gpuarray.add(a, np.ones(3), where=True),
        lambda: gpuarray.add(a, None, where=True),
        lambda: gpuarray.add(a, "a", casting="safe"),
        lambda: gpuarray.add(a, a, where=gpuarray.ones(3)),
        lambda: gpuarray.add(a, a, out=np.ones(3), where=True),
        lambda: gpuarray.add(a, a, out=[1, 2, 3], where=True),
        lambda: gpuarray.matmul(a, a, alpha=2, casting="safe"),
        lambda: gpuarray.divmod(a, a, nonsense=1),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError, match="order"):
        gpuarray.add(a, a, order="Z")
    frozen = gpuarray.ones(3)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        gpuarray.add(a, a, out=frozen, where=True)


def test_streams(device):
    a = gpuarray.ones(3)
    stream = None if device == "cpu" else gpuarray.Stream()
    assert gpuarray.add(a, 1, where=[True, False, True], stream=stream).tolist() == [2, 0, 2]


def test_calls_by_a_dict(device):
    """PyObject_Call does not go by the vectorcall of every Python."""
    a, options = gpuarray.ones(3), {"where": [True, False, True]}
    assert gpuarray.add(*(a, 1), **options).tolist() == [2, 0, 2]
    assert gpuarray.add.__call__(a, 1, **options).tolist() == [2, 0, 2]


# dtype= names what these compute in, here, and what they return, as in NumPy.
COMPUTED = {
    *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "signbit"),
    *("isnan", "isinf", "isfinite", "absolute", "abs", "bitwise_count"),
}
KINDS = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]


def outcome(function, *arrays, **options):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*arrays, **options)
        except TypeError:
            return TypeError


@pytest.mark.parametrize("name", [n for n in UFUNCS if not getattr(np, n).signature])
def test_dtype_names_a_loop(device, name):
    """A dtype without a loop is a TypeError, as in NumPy; no other loop takes its place."""
    ufunc, ours = getattr(np, name), getattr(gpuarray, name)
    loops = {loop[0] for loop in ufunc.types if name in COMPUTED}
    for kind in KINDS:
        arrays = [np.array([1, 2, 1]).astype(kind)] * ufunc.nin
        given = [gpuarray.to_device(a) for a in arrays]
        for dtype in map(np.dtype, KINDS):
            expected = outcome(ufunc, *arrays, dtype=dtype)
            got = outcome(ours, *given, dtype=dtype)
            if expected is TypeError and dtype.char in loops and got is not TypeError:
                expected = outcome(ufunc, *[a.astype(dtype) for a in arrays])
            assert (got is TypeError) == (expected is TypeError), (kind, dtype)
            if got is not TypeError:
                compare(got, expected)


@pytest.mark.parametrize("bounds", [(-1, 3), (None, 300), (-5, 2**70), (0, 255), (2.5, None)])
@pytest.mark.parametrize("options", [{"casting": "no"}, {"dtype": "u1"}, {"order": "C"}])
def test_clip_by_integers_that_the_dtype_does_not_hold(device, bounds, options):
    host = np.array([0, 2, 9], "uint8")
    expected = outcome(np.clip, host, *bounds, **options)
    got = outcome(gpuarray.clip, gpuarray.to_device(host), *bounds, **options)
    if expected is TypeError:
        assert got is TypeError
    else:
        compare(got, expected)


@pytest.mark.parametrize("options", [{"order": "C"}, {"dtype": "bfloat16"}])
def test_clip_of_bfloat16_by_integers(options):
    """Also where no package has given NumPy such a dtype."""
    code = "print(gpuarray.clip(gpuarray.full(2, 9, 'bfloat16'), 0, 3, **OPTIONS).tolist())"
    code = code.replace("OPTIONS", repr(options))
    assert run_python("import gpuarray\n" + code, GPUARRAY_DEVICE="cpu") == "[3.0, 3.0]\n"


@pytest.mark.parametrize("name", ["divide", "exp", "sqrt", "arctan2", "floor_divide", "isnan"])
def test_the_error_names_the_next_loop(device, name):
    a = gpuarray.ones(3, "bool" if name == "floor_divide" else "int32")
    with pytest.raises(TypeError, match=f"{name}: no loop computes in .*; convert the result"):
        getattr(gpuarray, name)(*[a] * getattr(np, name).nin, dtype=a.dtype)
