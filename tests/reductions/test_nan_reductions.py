# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Reductions that pass over NaN, each in one pass, against NumPy and the plain ones."""

import warnings

import numpy as np
import pytest
from _support import layouts
from _support.compare import assert_same, host
from _support.dtypes import BFLOAT16
from _support.numpy_names import INEXACT, KINDS, check, compare, place_but_for_nan, values
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's
NAMES = ["nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd"]
PLACES = ["nanargmax", "nanargmin"]
REAL = ["float16", "float32", "float64"]


def numpys(name, a, **options):
    with np.errstate(all="ignore"):
        return getattr(np, name)(a, **options)


@st.composite
def inexact_arrays(draw):
    """Draw an array with NaN, infinities and zeros of both signs, some slices of it all NaN."""
    shape = tuple(draw(st.lists(st.integers(1, 9), min_size=1, max_size=4)))
    seed = draw(st.integers(0, 99))
    made = values(draw(st.sampled_from(INEXACT)), shape, seed, draw(st.sampled_from([0, 0.3, 1])))
    random = np.random.default_rng(seed)
    made[random.random(shape) < draw(st.sampled_from([0, 0.05]))] = np.inf
    made[random.random(shape) < 0.05] = -0.0
    made[: draw(st.integers(0, 2))] = np.nan
    made[..., : draw(st.integers(0, 2))] = np.nan
    return made


def axes(ndim):
    one = st.integers(-ndim, ndim - 1)
    several = st.lists(st.integers(0, ndim - 1), unique=True).map(tuple)
    return st.none() | one | several


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), given_array=inexact_arrays(), layout=st.sampled_from(layouts.ALL))
def test_any_layout_and_axes(device, name, data, given_array, layout):
    axis = data.draw(axes(given_array.ndim))
    keepdims = data.draw(st.booleans())
    if given_array.dtype.kind == "c" and np.isinf(given_array).any():
        given_array = np.where(np.isinf(given_array), 0, given_array).astype(given_array.dtype)
    # NumPy's products and sums of squares leave float16 at another place than ours.
    wide = np.float64 if given_array.dtype == np.float16 else given_array.dtype
    expected = numpys(name, given_array.astype(wide), axis=axis, keepdims=keepdims)
    expected = np.asarray(expected)
    if given_array.dtype == np.float16:
        with np.errstate(over="ignore"):
            expected = expected.astype(np.float16)
    got = getattr(gpuarray, name)(layout(given_array), axis=axis, keepdims=keepdims)
    scale = float(np.nanmax(np.abs(given_array[np.isfinite(given_array)]), initial=1)) ** 2
    compare(got, expected, exact=name in ("nanmax", "nanmin"), scale=scale)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [*REAL, "complex64"])
@pytest.mark.parametrize("shape", [(300_001,), (3, 50_000), (4001, 24), (70, 3, 70), (9000, 7)])
def test_many_elements(device, name, dtype, shape):
    """Of which several blocks, chunks, leaves and threads have a share."""
    if name == "nanprod":
        made = np.random.default_rng(0).choice([1, -1], shape).astype(dtype)
    else:
        made = values(dtype, shape)
    made[np.random.default_rng(1).random(shape) < 0.3] = np.nan
    x = gpuarray.to_device(made)
    wide = made.astype("complex128" if made.dtype.kind == "c" else "float64")
    for axis in (None, *range(made.ndim)):
        expected = np.asarray(numpys(name, wide, axis=axis))
        result = made.real.dtype if name in ("nanvar", "nanstd") else made.dtype
        got = getattr(gpuarray, name)(x, axis=axis)
        assert host(got).dtype == result
        tolerance = {2: 1e-3, 4: 1e-6, 8: 1e-12}[result.itemsize // (1 + (result.kind == "c"))]
        largest = np.nanmax(np.abs(expected))
        np.testing.assert_allclose(
            host(got).astype(expected.dtype), expected, rtol=tolerance, atol=tolerance * largest
        )


@pytest.mark.parametrize("name", [*NAMES, *PLACES])
@pytest.mark.parametrize("dtype", INEXACT)
def test_without_nan_the_bits_are_those_of_the_plain_reduction(device, name, dtype):
    for shape, axis in (((5000,), None), ((40, 333), 0), ((40, 333), 1)):
        x = gpuarray.to_device(values(dtype, shape))
        assert_same(
            getattr(gpuarray, name)(x, axis=axis),
            getattr(gpuarray, name.removeprefix("nan"))(x, axis=axis).get(),
        )


@pytest.mark.parametrize("name", [*NAMES, *PLACES])
@pytest.mark.parametrize("dtype", KINDS[:6])
def test_of_integers_and_bools_it_is_the_plain_reduction(device, name, dtype):
    made = values(dtype, (7, 30))
    plain = getattr(gpuarray, name.removeprefix("nan"))
    x = gpuarray.to_device(made)
    assert_same(getattr(gpuarray, name)(x, axis=0), plain(x, axis=0).get())
    check(lambda xp, a: getattr(xp, name)(a, axis=1), made)


def test_of_integers_variances_without_freedom_are_numpys(device):
    x = gpuarray.to_device(np.arange(3))
    assert gpuarray.nanvar(x, ddof=3).item() == np.inf
    assert np.isnan(gpuarray.nanvar(x.astype("float32"), ddof=3).item())


@pytest.mark.parametrize("dtype", INEXACT)
def test_where_all_are_nan(device, dtype):
    x = gpuarray.to_device(np.full((3, 70), np.nan, dtype))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for axis in (None, 0, 1):
            assert (gpuarray.nansum(x, axis=axis) == 0).all()
            assert (gpuarray.nanprod(x, axis=axis) == 1).all()
            for name in NAMES[2:]:
                made = host(getattr(gpuarray, name)(x, axis=axis))
                assert np.isnan(made.real).all()
                if name in ("nanmax", "nanmin"):  # one of the elements, with its parts
                    np.testing.assert_array_equal(made.imag, 0)
                else:
                    assert made.dtype.kind != "c" or np.isnan(made.imag).all()


@pytest.mark.parametrize("dtype", REAL)
def test_zeros_and_infinities(device, dtype):
    rows = [[np.nan, -0.0, np.nan], [np.inf, np.nan, -np.inf], [np.nan, -np.inf, np.nan]]
    rows += [[np.nan, np.inf, 2.0], [np.nan, 0.0, -3.0], [np.nan, np.nan, np.nan]]
    made = np.array(rows, dtype)
    for name in NAMES:
        for padded in (made, np.repeat(made, 60, axis=1), np.repeat(made.T, 60, axis=0).T):
            got = getattr(gpuarray, name)(gpuarray.to_device(padded), axis=1)
            compare(got, numpys(name, padded, axis=1), exact=name in ("nanmax", "nanmin"))
    for name in ("nanmax", "nanmin"):
        zero = getattr(gpuarray, name)(gpuarray.to_device(made[0])).get()
        assert np.signbit(zero) and zero == 0


def test_bfloat16(device):
    made = values("float32", (6, 40), nan=0.4).astype(BFLOAT16)
    wide = made.astype("float64")
    for name in NAMES:
        got = getattr(gpuarray, name)(gpuarray.to_device(made), axis=1)
        assert host(got).dtype == BFLOAT16
        np.testing.assert_allclose(
            host(got).astype("float64"), numpys(name, wide, axis=1), rtol=1e-2
        )


@pytest.mark.parametrize("dtype", REAL[1:])
def test_variances_far_from_zero(device, dtype):
    """The first elements are NaN, so that the shift is another one."""
    made = (1e4 + values("float64", (90, 90), nan=0.3)).astype(dtype)
    made[:5] = made[:, :5] = np.nan
    for axis in (None, 0, 1):
        got = gpuarray.nanvar(gpuarray.to_device(made), axis=axis, ddof=1)
        expected = numpys("nanvar", made.astype("float64"), axis=axis, ddof=1)
        np.testing.assert_allclose(host(got), expected, rtol=1e-6 if dtype == "float32" else 1e-9)


def test_dtypes_that_are_asked_for(device):
    made = np.array([[1.5, np.nan, -2.25], [np.nan, np.nan, 7.5]], "float32")
    for name in ("nansum", "nanprod"):
        for dtype in ("float64", "float16", "int32", "complex64"):
            check(lambda xp, a, n=name, d=dtype: getattr(xp, n)(a, axis=1, dtype=d), made)
    for name in ("nanmean", "nanvar", "nanstd"):
        check(lambda xp, a, n=name: getattr(xp, n)(a, axis=0, dtype="float64"), made)
        check(lambda xp, a, n=name: getattr(xp, n)(a, dtype="int64"), made)
    parts = gpuarray.to_device(np.array([complex(1, np.nan), 2 + 1j]))
    assert gpuarray.nansum(parts, dtype="float64").item() == 2  # the first one is NaN as a whole


@pytest.mark.parametrize("name", NAMES)
def test_arguments(device, name):
    made = values("float32", (4, 6), nan=0.3)
    mask = values("bool", (4, 6))
    function = getattr(gpuarray, name)
    check(lambda xp, a: getattr(xp, name)(a, axis=(1, 0), keepdims=True), made)
    check(lambda xp, a: getattr(xp, name)(a[:, :0], axis=0), made)
    check(lambda xp, a: getattr(xp, name)(a[0, 0], axis=None), made)
    if "initial" in function.__text_signature__:
        for initial in (-2.0, 100.0):
            options = {"axis": 0, "initial": initial}
            check(lambda xp, a, o=options: getattr(xp, name)(a, **o), made)
            check(lambda xp, a, m, o=options: getattr(xp, name)(a, where=m, **o), made, mask)
        check(lambda xp, a: getattr(xp, name)(a, initial=3.0), np.full(3, np.nan))
    check(lambda xp, a, m: getattr(xp, name)(a, axis=0, where=m), made, mask)
    with pytest.raises(TypeError, match=f"{name}: expected a GPUArray"):
        function(made)
    assert_same(function(made.tolist()), function(gpuarray.asarray(made.tolist())).get())
    assert not hasattr(gpuarray.GPUArray, name)


@pytest.mark.parametrize("name", [*NAMES, *PLACES])
def test_no_operation_comes_before_the_reduction(device, name):
    if device == "cpu":
        pytest.skip("operations wait on CUDA devices alone")
    x = gpuarray.to_device(values("float32", (50, 60), nan=0.3))
    with gpuarray.fusion("always"):
        before = gpuarray.fusion_stats().operations
        getattr(gpuarray, name)(x, axis=0)
        assert gpuarray.fusion_stats().operations == before
        # What waits is computed by the reduction itself.
        made = getattr(gpuarray, name)(x * 2, axis=0)
        np.testing.assert_allclose(
            made.get(), numpys(name, x.get() * np.float32(2), axis=0), rtol=1e-5
        )


@pytest.mark.parametrize("name", ["fmax", "fmin"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128", "int16", "bool"])
def test_reductions_of_fmax_and_fmin(device, name, dtype):
    made = values(dtype, (9, 50), nan=0.4)
    for axis in (0, 1, None):
        check(lambda xp, a, k=axis: getattr(np, name).reduce(a, axis=k), made, exact=True)
    check(lambda xp, a: getattr(np, name).reduce(a, axis=1, initial=2), made, exact=True)


def test_sums_end_fused_functions(device):
    made = values("float64", (4, 30), nan=0.3)
    for name in ("nansum", "nanprod"):
        function = gpuarray.fuse(lambda a, n=name: getattr(gpuarray, n)(a * 0.5, axis=1))
        compare(function(gpuarray.to_device(made)), numpys(name, made * 0.5, axis=1))
        assert function.source


@pytest.mark.parametrize("name", ["nanargmax", "nanmax", "nanmean", "nanstd", "nansum"])
def test_fused_functions_take_them(device, name):
    host = np.float32([[1, np.nan, 3], [np.nan, -2, 5]])
    function = getattr(gpuarray, name)
    fused = gpuarray.fuse(lambda a: a - function(a * 2, axis=1, keepdims=True))
    expected = host - getattr(np, name)(host * 2, axis=1, keepdims=True)
    np.testing.assert_allclose(fused(gpuarray.to_device(host)).get(), expected, rtol=1e-6)


def test_complex_nan_keeps_its_parts(device):
    host = np.array([complex(np.nan, 1), complex(2, np.nan)])
    x = gpuarray.to_device(host)
    for one, expected in zip(x, host, strict=True):
        got = gpuarray.nanmax(one).item()
        np.testing.assert_array_equal([got.real, got.imag], [expected.real, expected.imag])


@pytest.mark.parametrize("name", PLACES)
@given(data=st.data(), given_array=inexact_arrays(), layout=st.sampled_from(layouts.ALL))
def test_places_in_any_layout(device, name, data, given_array, layout):
    if data.draw(st.booleans(), label="negative infinities"):
        given_array = -given_array
    axis = data.draw(st.none() | st.integers(-given_array.ndim, given_array.ndim - 1))
    keepdims = data.draw(st.booleans())
    expected = place_but_for_nan(name, given_array, axis, keepdims)
    function, x = getattr(gpuarray, name), layout(given_array)
    assert_same(function(x, axis=axis, keepdims=keepdims), expected)
    out = gpuarray.empty(expected.shape, "int64")
    assert function(x, axis, out, keepdims=keepdims) is out
    assert_same(out, expected)


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("dtype", [*INEXACT, BFLOAT16], ids=str)
@pytest.mark.parametrize("shape", [(2**20 + 3,), (1100, 960), (9000, 7), (70, 3, 70)])
def test_places_among_many_elements(device, name, dtype, shape):
    """Most extremes are there several times, in several blocks, chunks, leaves and threads."""
    random = np.random.default_rng(0)
    made = random.integers(-9, 9, shape).astype("float32")
    made[random.random(shape) < 0.3] = np.nan
    made[..., : shape[-1] // 2] = np.nan
    made[: shape[0] // 3] = np.nan
    if np.dtype(dtype).kind == "c":
        made = made + 1j * random.integers(-2, 2, shape)
        made.imag[random.random(shape) < 0.1] = np.nan
    made[random.random(shape) < 1e-4] = np.inf
    made[random.random(shape) < 1e-4] = -np.inf
    x = gpuarray.to_device(made.astype(dtype))
    for axis in (None, *range(made.ndim)):
        assert_same(getattr(gpuarray, name)(x, axis=axis), place_but_for_nan(name, made, axis))


@pytest.mark.parametrize("dtype", [*INEXACT, BFLOAT16], ids=str)
@pytest.mark.parametrize("repeats", [1, 60, 50_000])
def test_infinities_are_numbers_and_nan_is_none(device, dtype, repeats):
    nan, inf = np.nan, np.inf
    rows = [[nan, -inf, inf, -inf], [nan, -inf, nan, -inf], [nan, nan, inf, nan], [nan] * 4]
    x = gpuarray.to_device(np.repeat(np.array(rows, dtype), repeats, axis=1))
    assert gpuarray.nanargmax(x, axis=1).tolist() == [2 * repeats, repeats, 2 * repeats, -1]
    assert gpuarray.nanargmin(x, axis=1).tolist() == [repeats, repeats, 2 * repeats, -1]
    assert gpuarray.nanargmax(x[3]).item() == gpuarray.nanargmin(x[3]).item() == -1


def test_complex_numbers_with_nan_in_a_part_are_passed_over(device):
    x = gpuarray.to_device([complex(np.nan, 9), 2 + 1j, 2 + 3j, complex(9, np.nan), 2 + 3j, -1j])
    assert gpuarray.nanargmax(x).item() == 2
    assert gpuarray.nanargmin(x).item() == 5
    assert gpuarray.nanargmax(x[:1]).item() == gpuarray.nanargmin(x[3:4]).item() == -1


@pytest.mark.parametrize("name", PLACES)
def test_arguments_of_places(device, name):
    made = values("float32", (4, 6), nan=0.3)
    function, x = getattr(gpuarray, name), gpuarray.to_device(made)
    assert_same(getattr(np, name)(x, axis=1), getattr(np, name)(made, axis=1))
    check(lambda xp, a: getattr(xp, name)(a, keepdims=True), made)
    check(lambda xp, a: getattr(xp, name)(a[:, :0], axis=1), made)
    check(lambda xp, a: getattr(xp, name)(a, axis=2), made)
    assert [function(gpuarray.to_device(one)).item() for one in (2.0, np.nan)] == [0, -1]
    with pytest.raises(TypeError, match=f"{name}: expected a GPUArray"):
        function(made)
    assert_same(function(made.tolist()), getattr(np, name)(made))
    with pytest.raises(TypeError, match=f"{name}: cannot write indices"):
        function(x, out=gpuarray.empty((), "float64"))
    assert not hasattr(gpuarray.GPUArray, name)
