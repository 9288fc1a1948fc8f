# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Fourier transforms against NumPy's: names, lengths, axes, norms, dtypes, `out` and errors."""

import inspect
import itertools

import numpy as np
import pytest
from fft.fourier import KINDS, assert_transform, sample, sample_for

import gpuarray

DTYPES = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")
INTEGERS = ("bool", "int8", "uint8", "int32", "uint64")
NORMS = (None, "backward", "ortho", "forward")
SEVERAL = [f"{kind}{ending}" for kind in KINDS for ending in ("2", "n")]


def function(name):
    return getattr(gpuarray.fft, name)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", KINDS)
def test_norms(device, name, norm):
    x = sample_for(name, (3, 12))
    assert_transform(function(name)(gpuarray.to_device(x), norm=norm), name, x, norm=norm)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 9, 16, 21])
@pytest.mark.parametrize("name", KINDS)
def test_lengths_cut_and_continue(device, name, n):
    x = sample_for(name, (2, 8, 3), "float32")
    for axis in (0, 1, -1):
        got = function(name)(gpuarray.to_device(x), n, axis)
        assert_transform(got, name, x, n, axis)


@pytest.mark.parametrize("name", KINDS)
def test_every_axis(device, name):
    x = sample_for(name, (3, 4, 5, 6))
    for axis in range(-4, 4):
        got = function(name)(gpuarray.to_device(x), axis=axis)
        assert_transform(got, name, x, axis=axis)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", SEVERAL)
def test_several_axes(device, name, norm):
    x = sample_for(name, (4, 3, 6))
    assert_transform(function(name)(gpuarray.to_device(x), norm=norm), name, x, norm=norm)


AXES = {
    "one": (None, (1,)),
    "in order": (None, (0, 1)),
    "turned": (None, (2, 0)),
    "all, turned": (None, (3, 1, 2, 0)),
    "negative": (None, (-1, -4)),
    "lengths": ((5, 7), (0, 2)),
    "lengths alone": ((2, 9), None),
    "kept length": ((6, -1), (1, 3)),
    "to one point": ((1, 4), (0, 1)),
    "arrays": (np.array([5, 4]), np.array([0, 1])),
}


@pytest.mark.parametrize("case", AXES)
@pytest.mark.parametrize("kind", KINDS)
def test_axes_and_lengths(device, kind, case):
    name = f"{kind}n"
    s, axes = AXES[case]
    x = sample_for(name, (3, 4, 5, 2))
    got = function(name)(gpuarray.to_device(x), s, axes)
    if axes is None:
        axes = range(-len(s), 0)  # NumPy warns of lengths alone
    assert_transform(got, name, x, s, axes)


@pytest.mark.parametrize("kind", ["fft", "ifft", "rfft", "irfft"])
def test_an_axis_named_twice_is_transformed_twice(device, kind):
    name = f"{kind}n"
    x = sample_for(name, (3, 4, 6))
    axes = (1, 0, 1, 2)
    assert_transform(function(name)(gpuarray.to_device(x), None, axes), name, x, None, axes)
    s = (5, 2, 3, 4)
    assert_transform(function(name)(gpuarray.to_device(x), s, axes), name, x, s, axes)


def test_more_axes_than_one_plan_has(device):
    x = sample((2, 3, 4, 3, 2))
    assert_transform(gpuarray.fft.fftn(gpuarray.to_device(x)), "fftn", x)
    x = sample((2, 3, 4, 3, 2), "float64")
    spectrum = gpuarray.fft.rfftn(gpuarray.to_device(x))
    assert_transform(spectrum, "rfftn", x)
    back = gpuarray.fft.irfftn(spectrum, x.shape, range(5))
    np.testing.assert_allclose(back.get(), x, atol=1e-14)


@pytest.mark.parametrize("dtype", DTYPES + INTEGERS)
@pytest.mark.parametrize("name", [*KINDS, "fft2", "irfft2", "rfftn"])
def test_dtypes(device, name, dtype):
    if name.startswith(("rfft", "ihfft")) and dtype.startswith("complex"):
        return
    x = sample((4, 6), "float32" if dtype == "bfloat16" else dtype)
    a = gpuarray.to_device(x).astype(dtype)
    assert_transform(function(name)(a), name, a.get())


@pytest.mark.parametrize("name", KINDS)
def test_results_are_written_to_out(device, name):
    x = sample_for(name, (4, 6), "float32")
    a = gpuarray.to_device(x)
    fresh = function(name)(a)
    out = gpuarray.zeros_like(fresh)
    assert function(name)(a, out=out) is out
    np.testing.assert_array_equal(out.get(), fresh.get())
    spaced = gpuarray.zeros((4, 2 * fresh.shape[1]), fresh.dtype)[:, ::2]
    function(name)(a, out=spaced)
    np.testing.assert_allclose(spaced.get(), fresh.get(), atol=1e-5)
    wide = gpuarray.zeros(fresh.shape, "complex128")
    function(name)(a, out=wide)
    np.testing.assert_allclose(wide.get(), fresh.get(), rtol=1e-6)
    np.testing.assert_array_equal(a.get(), x)


@pytest.mark.parametrize("name", ["fft", "ifft", "fft2", "fftn"])
def test_a_transform_in_place(device, name):
    x = sample((4, 6))
    a = gpuarray.to_device(x)
    assert function(name)(a, out=a) is a
    assert_transform(a, name, x)
    a = gpuarray.to_device(np.concatenate([x, x]))
    function(name)(a[:4], out=a[2:6])
    assert_transform(a[2:6], name, x)


def test_the_source_stays_as_it_is(device):
    for name in (*KINDS, *SEVERAL):
        x = sample_for(name, (4, 6))
        a = gpuarray.to_device(x)
        function(name)(a)
        np.testing.assert_array_equal(a.get(), x)


@pytest.mark.parametrize("shape", [(0, 4), (3, 0, 2), (0,)])
def test_arrays_without_elements(device, shape):
    x = sample(shape)
    a = gpuarray.to_device(x)
    got = gpuarray.fft.fft(a, 4, 0) if shape == (0,) else gpuarray.fft.fft(a)
    wanted = np.fft.fft(x, 4, 0) if shape == (0,) else np.fft.fft(x)
    assert got.shape == wanted.shape
    np.testing.assert_array_equal(got.get(), wanted)


def test_no_axes_leave_the_elements(device):
    a = gpuarray.arange(3.0)
    got = gpuarray.fft.fftn(a, axes=())
    np.testing.assert_array_equal(got.get(), [0, 1, 2])
    with pytest.raises(IndexError):
        gpuarray.fft.rfftn(a, axes=())


def raises(error, function, *args, match=None, **kwargs):
    with pytest.raises(error, match=match):
        function(*args, **kwargs)


@pytest.mark.parametrize("name", KINDS)
def test_errors(device, name):
    x = sample_for(name, (4, 6))
    a, call = gpuarray.to_device(x), function(name)
    several = function(f"{name}n")
    points = r"Invalid number of FFT data points \(0\) specified"
    raises(ValueError, call, a, 0, match=points)
    raises(ValueError, call, a, -1, match=r"points \(-1\)")
    raises(ValueError, several, a, (4, 0), (0, 1), match=points)
    raises(IndexError, call, a, axis=2)
    raises(np.exceptions.AxisError, call, a, 4, -3)
    raises(IndexError, several, a, axes=(0, 2))
    raises(ValueError, several, a, (4, 4), (0,), match="Shape and axes have different lengths")
    raises(ValueError, call, a, norm="backwards", match="Invalid norm value backwards")
    raises(ValueError, call, a, norm=3, match="Invalid norm value 3")
    raises(ValueError, call, a, out=gpuarray.zeros((4, 99), "complex128"), match="shape")
    raises(TypeError, call, x)
    raises(TypeError, call, a, out=np.empty(1))
    raises(TypeError, call, a, 2.5)
    raises(TypeError, call, a, "4")
    raises(TypeError, call, a, out=gpuarray.zeros(call(a).shape, "int64"), match="same_kind")


@pytest.mark.parametrize("name", KINDS)
def test_one_axis_and_its_length_are_integers(device, name):
    a = gpuarray.ones((4, 4))
    function = getattr(gpuarray.fft, name)
    for given, text in (
        ({"n": 2.5}, f"^{name}: expected an integer as n, got float$"),
        ({"n": (2, 3), "axis": (0, 1)}, "integer as axis, got tuple"),
        ({"n": (2,)}, "integer as n, got tuple"),
        ({"axis": 0.5}, "integer as axis, got float"),
        ({"axis": None}, "integer as axis, got NoneType"),
    ):
        raises(TypeError, function, a, match=text, **given)
    assert function(a, np.int64(4), np.int8(0)).shape[1] == 4


def test_an_empty_axis_has_no_transform(device):
    raises(ValueError, gpuarray.fft.fft, gpuarray.zeros((3, 0)), match="data points")
    raises(ValueError, gpuarray.fft.irfft, gpuarray.zeros((3, 1)), match="data points")
    raises(IndexError, gpuarray.fft.fft, gpuarray.zeros(()))


@pytest.mark.parametrize("name", ["rfft", "ihfft", "rfft2", "rfftn"])
def test_complex_numbers_are_not_real(device, name):
    raises(TypeError, function(name), gpuarray.zeros((2, 2), "complex64"), match="real")


def test_an_out_of_real_numbers_takes_no_complex_ones(device):
    raises(TypeError, gpuarray.fft.fft, gpuarray.ones(4), out=gpuarray.ones(4), match="same_kind")
    out = gpuarray.ones(4, "complex128")
    out.flags.writeable = False
    raises(ValueError, gpuarray.fft.fft, gpuarray.ones(4), out=out, match="read-only")


def test_infinity_and_nan_go_where_numpy_has_them(device):
    x = np.array([[1, np.inf, 2, 3], [4, 5, np.nan, 6], [1, 2, 3, 4]])
    got = gpuarray.fft.ifft(gpuarray.to_device(x)).get()
    assert np.isfinite(got[2]).all()
    assert not np.isfinite(got[:2]).any()


def parameters(f):
    return [
        (p.name, p.default, p.kind)
        for p in inspect.signature(f).parameters.values()
        if p.name != "stream"
    ]


@pytest.mark.parametrize("name", [*KINDS, *SEVERAL])
def test_signatures_are_numpys(name):
    reference = name.removeprefix("i").replace("hfft2", "fft2").replace("hfftn", "fftn")
    numpys = parameters(getattr(np.fft, name, None) or getattr(np.fft, reference))
    assert parameters(function(name)) == numpys


def test_every_name_of_numpys_is_there():
    names = {name for name in np.fft.__all__ if callable(getattr(np.fft, name))}
    assert names <= set(dir(gpuarray.fft))
    assert "fft" in dir(gpuarray)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 3), (0, 0)])
def test_an_axis_of_nothing_is_continued_by_zeros(device, name, shape):
    """NumPy's irfft and hfft give memory that they have not written."""
    for axis, length in itertools.product(range(len(shape)), (1, 4, 5)):
        if shape[axis] > 0:
            continue
        a = gpuarray.zeros(shape, "complex64" if name in ("irfft", "hfft") else "float32")
        made = getattr(gpuarray.fft, name)(a, length, axis)
        extent = length // 2 + 1 if name in ("rfft", "ihfft") else length
        assert made.shape == (*shape[:axis], extent, *shape[axis + 1 :])
        assert not made.get().any()
    with pytest.raises(ValueError, match=r"Invalid number of FFT data points"):
        getattr(gpuarray.fft, name)(gpuarray.zeros((2, 0)))


def test_several_axes_of_nothing_are_continued_by_zeros(device):
    for name in ("fftn", "irfftn", "rfftn", "hfftn"):
        made = getattr(gpuarray.fft, name)(gpuarray.zeros((2, 0, 0)), (4, 6), (1, 2))
        assert made.shape == (2, 4, 4 if name == "rfftn" else 6)
        assert not made.get().any()


@pytest.mark.parametrize("name", ["irfft", "hfft"])
def test_real_results_of_float16(device, name):
    x = sample((3, 9), "float16")
    a, function = gpuarray.to_device(x), getattr(gpuarray.fft, name)
    wide = function(gpuarray.to_device(x.astype("float32")))
    made = function(a)
    assert made.dtype == "float16"
    np.testing.assert_array_equal(made.get(), wide.get().astype("float16"))
    out = gpuarray.empty(wide.shape, "float32")
    np.testing.assert_array_equal(function(a, out=out).get(), wide.get())
    assert gpuarray.fft.irfftn(a, axes=(1,)).dtype == "float16"
    assert gpuarray.fft.irfft2(a).dtype == np.fft.irfft2(x).dtype
