# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The main namespace of the array API standard, 2025.12: its names, parameters and inspection."""

import inspect

import numpy as np
import pytest
from _support.dtypes import BFLOAT16, DTYPES

import gpuarray as xp

# The standard's functions with their parameters, of one array, of two and others.
ONE = """
abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag
isfinite isinf isnan log log1p log2 log10 logical_not negative positive real reciprocal
round sign signbit sin sinh square sqrt tan tanh trunc matrix_transpose nonzero unique_all
unique_counts unique_inverse unique_values
"""
TWO = """
add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign
divide equal floor_divide greater greater_equal hypot less less_equal logaddexp logical_and
logical_or logical_xor maximum minimum multiply nextafter not_equal pow remainder subtract
matmul
"""
FUNCTIONS = {
    **dict.fromkeys(ONE.split(), "x, /"),
    **dict.fromkeys(TWO.split(), "x1, x2, /"),
    # creation
    "arange": "start, /, stop=None, step=1, *, dtype=None, device=None",
    "asarray": "obj, /, *, dtype=None, device=None, copy=None",
    "empty": "shape, *, dtype=None, device=None",
    "empty_like": "x, /, *, dtype=None, device=None",
    "eye": "n_rows, n_cols=None, /, *, k=0, dtype=None, device=None",
    "from_dlpack": "x, /, *, device=None, copy=None",
    "full": "shape, fill_value, *, dtype=None, device=None",
    "full_like": "x, /, fill_value, *, dtype=None, device=None",
    "linspace": "start, stop, /, num, *, dtype=None, device=None, endpoint=True",
    "meshgrid": '*arrays, indexing="xy"',
    "ones": "shape, *, dtype=None, device=None",
    "ones_like": "x, /, *, dtype=None, device=None",
    "tril": "x, /, *, k=0",
    "triu": "x, /, *, k=0",
    "zeros": "shape, *, dtype=None, device=None",
    "zeros_like": "x, /, *, dtype=None, device=None",
    # data type
    "astype": "x, dtype, /, *, copy=True, device=None",
    "can_cast": "from_, to, /",
    "finfo": "type, /",
    "iinfo": "type, /",
    "isdtype": "dtype, kind",
    "result_type": "*arrays_and_dtypes",
    # element-wise, as are most of the above
    "clip": "x, /, min=None, max=None",
    # indexing
    "take": "x, indices, /, *, axis=None",
    "take_along_axis": "x, indices, /, *, axis=-1",
    # linear algebra
    "tensordot": "x1, x2, /, *, axes=2",
    "vecdot": "x1, x2, /, *, axis=-1",
    # manipulation
    "broadcast_arrays": "*arrays",
    "broadcast_shapes": "*shapes",
    "broadcast_to": "x, /, shape",
    "concat": "arrays, /, *, axis=0",
    "expand_dims": "x, /, axis",
    "flip": "x, /, *, axis=None",
    "moveaxis": "x, source, destination, /",
    "permute_dims": "x, /, axes",
    "repeat": "x, repeats, /, *, axis=None",
    "reshape": "x, /, shape, *, copy=None",
    "roll": "x, /, shift, *, axis=None",
    "squeeze": "x, /, axis",
    "stack": "arrays, /, *, axis=0",
    "tile": "x, repetitions, /",
    "unstack": "x, /, *, axis=0",
    # searching
    "argmax": "x, /, *, axis=None, keepdims=False",
    "argmin": "x, /, *, axis=None, keepdims=False",
    "count_nonzero": "x, /, *, axis=None, keepdims=False",
    "searchsorted": 'x1, x2, /, *, side="left", sorter=None',
    "where": "condition, x1, x2, /",
    # set
    "isin": "x1, x2, /, *, invert=False",
    # sorting
    "argsort": "x, /, *, axis=-1, descending=False, stable=True",
    "sort": "x, /, *, axis=-1, descending=False, stable=True",
    # statistical
    "cumulative_prod": "x, /, *, axis=None, dtype=None, include_initial=False",
    "cumulative_sum": "x, /, *, axis=None, dtype=None, include_initial=False",
    "max": "x, /, *, axis=None, keepdims=False",
    "mean": "x, /, *, axis=None, keepdims=False",
    "min": "x, /, *, axis=None, keepdims=False",
    "prod": "x, /, *, axis=None, dtype=None, keepdims=False",
    "std": "x, /, *, axis=None, correction=0.0, keepdims=False",
    "sum": "x, /, *, axis=None, dtype=None, keepdims=False",
    "var": "x, /, *, axis=None, correction=0.0, keepdims=False",
    # utility
    "all": "x, /, *, axis=None, keepdims=False",
    "any": "x, /, *, axis=None, keepdims=False",
    "diff": "x, /, *, axis=-1, n=1, prepend=None, append=None",
}

METHODS = """
__abs__ __add__ __and__ __array_namespace__ __bool__ __complex__ __dlpack__ __dlpack_device__ __eq__
__float__ __floordiv__ __ge__ __getitem__ __gt__ __index__ __int__ __invert__ __le__ __lshift__
__lt__ __matmul__ __mod__ __mul__ __ne__ __neg__ __or__ __pos__ __pow__ __rshift__ __setitem__
__sub__ __truediv__ __xor__ to_device
"""
ARITHMETIC = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift"
ATTRIBUTES = ["dtype", "device", "mT", "ndim", "shape", "size", "T"]


def parameters(text):
    scope = {}
    exec(f"def function({text}): ...", scope)
    return list(inspect.signature(scope["function"]).parameters.values())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_take_the_standards_arguments(name):
    offered = inspect.signature(getattr(xp, name)).parameters
    places = list(offered.values())
    for place, wanted in enumerate(parameters(FUNCTIONS[name])):
        if wanted.kind is wanted.VAR_POSITIONAL:
            assert places[place].kind is wanted.kind
            continue
        if wanted.kind is not wanted.KEYWORD_ONLY:
            taken = places[place]
            assert taken.kind in (wanted.POSITIONAL_ONLY, wanted.POSITIONAL_OR_KEYWORD)
        if wanted.kind is not wanted.POSITIONAL_ONLY:
            taken = offered[wanted.name]
            assert taken.kind in (wanted.kind, wanted.POSITIONAL_OR_KEYWORD)


def test_array_object_has_the_standards_names(device):
    x = xp.ones((2, 2))
    reversed_and_in_place = [
        f"__{prefix}{name}__" for prefix in "ri" for name in ARITHMETIC.split()
    ]
    for name in [*METHODS.split(), *ATTRIBUTES, *reversed_and_in_place]:
        assert hasattr(x, name), name


def test_array_names_its_namespace(device):
    x = xp.ones(3)
    assert x.__array_namespace__() is xp
    for version in ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
        assert x.__array_namespace__(api_version=version) is xp
    assert xp.__array_api_version__ == "2025.12"
    with pytest.raises(ValueError, match=r"expected one of .*2025.12, got '2020.01'"):
        x.__array_namespace__(api_version="2020.01")


def test_constants():
    assert (xp.e, xp.pi, xp.inf) == (np.e, np.pi, np.inf)
    assert xp.nan != xp.nan
    assert xp.newaxis is None


def test_devices(device):
    x = xp.ones(3)
    assert x.device == device
    assert x.to_device(x.device).device == device
    assert x.to_device("cpu", stream=None).device == "cpu"
    info = xp.__array_namespace_info__()
    assert info.default_device() == device
    assert device in info.devices()
    assert info.devices() == [*xp.devices()]  # the standard has a list
    for made in (
        xp.arange(3, device=device),
        xp.asarray([1, 2], device=device),
        xp.empty(2, device=device),
        xp.eye(2, device=device),
        xp.full(2, 7, device=device),
        xp.linspace(0, 1, 3, device=device),
        xp.ones_like(x, device=device),
        xp.tri(2, device=device),
        xp.from_dlpack(x, device=device),
        xp.astype(x, xp.int8, device=device),
    ):
        assert made.device == device


def test_capabilities():
    capabilities = xp.__array_namespace_info__().capabilities()
    assert capabilities == {
        "boolean indexing": True,
        "data-dependent shapes": True,
        "max dimensions": 64,
    }


def test_dtypes_of_the_namespace():
    info = xp.__array_namespace_info__()
    names = {dtype.name for dtype in DTYPES} - {"bfloat16", "float16"}
    assert set(info.dtypes()) == names
    assert all(dtype == getattr(xp, name) for name, dtype in info.dtypes().items())
    assert set(info.dtypes(kind="unsigned integer")) == {"uint8", "uint16", "uint32", "uint64"}
    assert set(info.dtypes(kind=("bool", "real floating"))) == {"bool", "float32", "float64"}
    assert info.default_dtypes() == {
        "real floating": xp.float64,
        "complex floating": xp.complex128,
        "integral": xp.int64,
        "indexing": xp.int64,
    }
    with pytest.raises(ValueError, match="expected kinds"):
        info.dtypes(kind="float")


KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "fV",  # ml_dtypes' bfloat16 is of kind V
    "complex floating": "c",
    "numeric": "iufcV",
}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_isdtype(dtype):
    for kind, letters in KINDS.items():
        assert xp.isdtype(dtype, kind) == (dtype.kind in letters)
    assert xp.isdtype(dtype, dtype.type)
    assert xp.isdtype(dtype, ("bool", "numeric"))
    assert xp.isdtype(dtype, (xp.float32, "complex floating")) == (
        dtype == np.float32 or dtype.kind == "c"
    )


def test_isdtype_errors():
    with pytest.raises(ValueError, match="'float'"):
        xp.isdtype(xp.float32, "float")
    with pytest.raises(TypeError):
        xp.isdtype("no dtype", "bool")


def test_limits(device):
    for name in ("float16", "float32", "float64", "complex64", "complex128"):
        got, expected = xp.finfo(xp.ones(1, name)), np.finfo(name)
        for attribute in ("bits", "eps", "max", "min", "smallest_normal", "tiny", "resolution"):
            assert getattr(got, attribute) == getattr(expected, attribute)
        assert type(got.eps) is float
        assert got.dtype == expected.dtype
    assert xp.finfo("bfloat16").max == float(np.finfo(np.float32).max) * (1 - 2**-8) / (1 - 2**-24)
    for name in ("int8", "uint64"):
        got, expected = xp.iinfo(xp.ones(1, name)), np.iinfo(name)
        assert (got.bits, got.min, got.max) == (expected.bits, expected.min, expected.max)
    with pytest.raises(ValueError):
        xp.finfo(xp.int32)
    with pytest.raises(ValueError):
        xp.iinfo(xp.float32)


def test_result_type_and_can_cast(device):
    x, half = xp.ones(2, "int16"), xp.ones(2, BFLOAT16)
    assert xp.result_type(x, 3) == np.int16
    assert xp.result_type(x, 1.5, np.float32) == np.result_type(np.int16, np.float32)
    assert xp.result_type(x, 2j) == np.complex128
    assert xp.result_type("f4", xp.int8) == np.float32
    assert xp.result_type(half, 1.5) == BFLOAT16
    assert xp.result_type(half, np.float32) == np.float32
    assert xp.result_type(half, 1j) == np.complex64
    assert np.result_type(x, np.float32) == np.float32
    with pytest.raises(ValueError):
        xp.result_type()
    assert xp.can_cast(x, xp.int32)
    assert not xp.can_cast(xp.float64, xp.float32)
    assert xp.can_cast(xp.float64, xp.float32, "same_kind")
    assert xp.can_cast(half, "float32")
    assert not xp.can_cast("float32", BFLOAT16)


def test_astype(device):
    x = xp.arange(3)
    assert xp.astype(x, "int64", copy=False) is x
    assert xp.astype(x, "int64").ptr != x.ptr
    assert xp.astype(x, "float32").dtype == np.float32
    assert np.astype(x, "float32").dtype == np.float32
    assert xp.astype(x, "bool", device="cpu").tolist() == [False, True, True]


def test_both_spellings_of_arguments(device):
    x = xp.arange(6.0).reshape(2, 3)
    assert xp.sum(x, axis=1, keepdims=True).shape == np.sum(x, axis=1, keepdims=True).shape
    assert xp.var(x, ddof=1).item() == xp.var(x, correction=1).item() == np.var(x.get(), ddof=1)
    assert xp.clip(x, a_min=1, a_max=2).tolist() == xp.clip(x, min=1, max=2).tolist()
    assert xp.asarray(x, copy=False) is x
    assert xp.reshape(x, (3, 2), copy=True).ptr != x.ptr
    assert xp.reshape(x, (3, 2), copy=False).ptr == x.ptr
    with pytest.raises(ValueError, match="copy=False"):
        xp.reshape(x.T, (6,), copy=False)


def test_a_program_for_any_namespace(device):
    """Softmax and a standard deviation, as a library that knows no gpuarray writes them."""

    def program(x):
        namespace = x.__array_namespace__()
        shifted = x - namespace.max(x, axis=-1, keepdims=True)
        weights = namespace.exp(shifted)
        weights /= namespace.sum(weights, axis=-1, keepdims=True)
        return weights, namespace.std(x, axis=0, correction=1)

    host = np.random.default_rng(0).normal(size=(4, 5))
    for got, expected in zip(program(xp.asarray(host)), program(host), strict=True):
        assert got.device == device
        np.testing.assert_allclose(got.get(), expected)
