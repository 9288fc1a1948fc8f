# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Every function with a `dtype` gives the same result for each spelling of a dtype, and NumPy's."""

import inspect
import io

import numpy as np
import pytest
from _support.compare import host
from _support.numpy_names import compare

import gpuarray

SPELLINGS = {
    "int64": [int, "int64", "i8", "<i8", np.int64, np.dtype("int64"), gpuarray.int64, "l", "int"],
    "bool": [bool, "bool", "?", "b1", "|b1", np.bool_, np.dtype(bool), gpuarray.bool],
    "float64": [float, "float64", "f8", "<f8", np.float64, np.dtype("f8"), gpuarray.float64, "d"],
    "float32": ["float32", "f4", "<f4", np.float32, np.dtype("f4"), gpuarray.float32, "single"],
    "complex128": [
        *(complex, "complex128", "c16", "<c16", np.complex128, np.dtype("c16")),
        *(gpuarray.complex128, "D"),
    ],
    "uint8": ["uint8", "u1", "|u1", np.uint8, np.dtype("u1"), gpuarray.uint8, "B", "ubyte"],
}
for name, spellings in SPELLINGS.items():
    spellings.append(np.dtype(name).newbyteorder("="))

BUFFER = np.ones(4, "complex128")
TEXT = "1 0 1\n0 1 1\n"
# Each function with a parameter `dtype`, called with arrays of the library `xp`.
CALLS = {
    "arange": lambda xp, d: xp.arange(0, 2, dtype=d),
    "array": lambda xp, d: xp.array([1, 0, 1], dtype=d),
    "asanyarray": lambda xp, d: xp.asanyarray([1, 0, 1], dtype=d),
    "asarray": lambda xp, d: xp.asarray([1, 0, 1], dtype=d),
    "asarray_chkfinite": lambda xp, d: xp.asarray_chkfinite([1, 0, 1], dtype=d),
    "ascontiguousarray": lambda xp, d: xp.ascontiguousarray([1, 0], dtype=d),
    "asfortranarray": lambda xp, d: xp.asfortranarray([[1, 0]], dtype=d),
    "astype": lambda xp, d: xp.astype(xp.asarray([1.0, 0.0, 2.5]), d),
    "concatenate": lambda xp, d: xp.concatenate([ones(xp), ones(xp)], dtype=d, casting="unsafe"),
    "concat": lambda xp, d: xp.concat([ones(xp), ones(xp)], dtype=d, casting="unsafe"),
    "corrcoef": lambda xp, d: xp.corrcoef(
        xp.asarray([1.0, 2, 4]), xp.asarray([1.0, 3, 2]), dtype=d
    ),
    "cov": lambda xp, d: xp.cov(xp.asarray([1.0, 2, 4]), dtype=d),
    "cumprod": lambda xp, d: xp.cumprod(ones(xp), dtype=d),
    "cumsum": lambda xp, d: xp.cumsum(ones(xp), dtype=d),
    "cumulative_prod": lambda xp, d: xp.cumulative_prod(ones(xp), dtype=d, include_initial=True),
    "cumulative_sum": lambda xp, d: xp.cumulative_sum(ones(xp), dtype=d, include_initial=True),
    "einsum": lambda xp, d: xp.einsum("i,i->", ones(xp), ones(xp), dtype=d, casting="unsafe"),
    "empty": lambda xp, d: 0 * xp.empty(2, d).astype(d),
    "empty_like": lambda xp, d: xp.empty_like(ones(xp), d)[:0],
    "eye": lambda xp, d: xp.eye(2, dtype=d),
    "frombuffer": lambda xp, d: xp.frombuffer(np.ones(2, d).tobytes(), d),
    "fromfile": lambda xp, d: xp.fromfile(file_of(np.ones(2, d).tobytes()), d),
    "fromfunction": lambda xp, d: xp.fromfunction(lambda i, j: i, (2, 2), dtype=d),
    "fromiter": lambda xp, d: xp.fromiter(iter([1, 0]), d),
    "fromstring": lambda xp, d: xp.fromstring("1 0", d, sep=" "),
    "full": lambda xp, d: xp.full(2, 1, d),
    "full_like": lambda xp, d: xp.full_like(ones(xp), 2, d),
    "genfromtxt": lambda xp, d: xp.genfromtxt(io.StringIO(TEXT), d),
    "geomspace": lambda xp, d: xp.geomspace(1, 8, 4, dtype=d),
    "hstack": lambda xp, d: xp.hstack([ones(xp), ones(xp)], dtype=d, casting="unsafe"),
    "identity": lambda xp, d: xp.identity(2, d),
    "indices": lambda xp, d: xp.indices((2, 2), d),
    "linspace": lambda xp, d: xp.linspace(-3, 2, 4, dtype=d),
    "loadtxt": lambda xp, d: xp.loadtxt(io.StringIO(TEXT), d),
    "logspace": lambda xp, d: xp.logspace(0, 2, 4, dtype=d),
    "mean": lambda xp, d: xp.mean(ones(xp), dtype=d),
    "nancumprod": lambda xp, d: xp.nancumprod(ones(xp), dtype=d),
    "nancumsum": lambda xp, d: xp.nancumsum(ones(xp), dtype=d),
    "nanmean": lambda xp, d: xp.nanmean(ones(xp), dtype=d),
    "nanprod": lambda xp, d: xp.nanprod(ones(xp), dtype=d),
    "nanstd": lambda xp, d: xp.nanstd(ones(xp), dtype=d),
    "nansum": lambda xp, d: xp.nansum(ones(xp), dtype=d),
    "nanvar": lambda xp, d: xp.nanvar(ones(xp), dtype=d),
    "ones": lambda xp, d: xp.ones(2, d),
    "ones_like": lambda xp, d: xp.ones_like(ones(xp), d),
    "prod": lambda xp, d: xp.prod(ones(xp), dtype=d),
    "require": lambda xp, d: xp.require([1, 0], d),
    "stack": lambda xp, d: xp.stack([ones(xp), ones(xp)], dtype=d, casting="unsafe"),
    "std": lambda xp, d: xp.std(ones(xp), dtype=d),
    "sum": lambda xp, d: xp.sum(ones(xp), dtype=d),
    "trace": lambda xp, d: xp.trace(xp.ones((2, 2)), dtype=d),
    "tri": lambda xp, d: xp.tri(2, dtype=d),
    "var": lambda xp, d: xp.var(ones(xp), dtype=d),
    "vstack": lambda xp, d: xp.vstack([ones(xp), ones(xp)], dtype=d, casting="unsafe"),
    "zeros": lambda xp, d: xp.zeros(2, d),
    "zeros_like": lambda xp, d: xp.zeros_like(ones(xp), d),
    # methods
    "GPUArray.astype": lambda xp, d: xp.asarray([1.0, 0.0, 2.5]).astype(d),
    "GPUArray.clip": lambda xp, d: ones(xp).clip(0, 1, dtype=d, casting="unsafe"),
    "GPUArray.cumprod": lambda xp, d: ones(xp).cumprod(dtype=d),
    "GPUArray.cumsum": lambda xp, d: ones(xp).cumsum(dtype=d),
    "GPUArray.mean": lambda xp, d: ones(xp).mean(dtype=d),
    "GPUArray.prod": lambda xp, d: ones(xp).prod(dtype=d),
    "GPUArray.std": lambda xp, d: ones(xp).std(dtype=d),
    "GPUArray.sum": lambda xp, d: ones(xp).sum(dtype=d),
    "GPUArray.trace": lambda xp, d: xp.ones((2, 2)).trace(dtype=d),
    "GPUArray.var": lambda xp, d: ones(xp).var(dtype=d),
    "GPUArray.view": lambda xp, d: xp.zeros(16, "uint8").view(d),
    "GPUArray.__array__": lambda xp, d: np.asarray(ones(xp), dtype=d),
    # modules
    "linalg.trace": lambda xp, d: xp.linalg.trace(xp.ones((2, 2)), dtype=d),
    # kept by NumPy as ufuncs
    "clip": lambda xp, d: xp.clip(ones(xp), 0, 1, dtype=d, casting="unsafe"),
    "matmul": lambda xp, d: xp.matmul(ones(xp), ones(xp), dtype=d, casting="unsafe"),
    "matvec": lambda xp, d: xp.matvec(xp.ones((2, 3)), ones(xp), dtype=d, casting="unsafe"),
    "vecdot": lambda xp, d: xp.vecdot(ones(xp), ones(xp), dtype=d, casting="unsafe"),
    "vecmat": lambda xp, d: xp.vecmat(ones(xp), xp.ones((3, 2)), dtype=d, casting="unsafe"),
    "add": lambda xp, d: xp.add(ones(xp), 1, dtype=d, casting="unsafe"),
    "divide": lambda xp, d: xp.divide(ones(xp), 1, dtype=d, casting="unsafe"),
    "float_power": lambda xp, d: xp.float_power(ones(xp), 1, dtype=d, casting="unsafe"),
    "add.reduce": lambda xp, d: xp.add.reduce(ones(xp), dtype=d),
    "add.accumulate": lambda xp, d: xp.add.accumulate(ones(xp), dtype=d),
    "add.reduceat": lambda xp, d: xp.add.reduceat(ones(xp), [0, 1], dtype=d),
    "add.outer": lambda xp, d: xp.add.outer(ones(xp), ones(xp), dtype=d, casting="unsafe"),
    "isdtype": lambda xp, d: xp.isdtype(np.dtype(d), "integral"),
}
# The same for functions that NumPy lacks or has with other arguments.
OWN = {
    "to_device": lambda d: gpuarray.to_device([1, 0], dtype=d),
    "to_gpu": lambda d: gpuarray.to_gpu([1, 0], dtype=d),
    "fft.fftfreq": lambda d: gpuarray.fft.fftfreq(4, dtype=d),
    "fft.rfftfreq": lambda d: gpuarray.fft.rfftfreq(4, dtype=d),
    "random.Generator.random": lambda d: generator().random(3, d),
    "random.Generator.standard_normal": lambda d: generator().standard_normal(3, d),
    "random.Generator.standard_exponential": lambda d: generator().standard_exponential(3, d),
    "random.Generator.standard_gamma": lambda d: generator().standard_gamma(2.0, 3, d),
    "random.Generator.integers": lambda d: generator().integers(0, 2, 5, d),
    "GPUArray.to_numpy": lambda d: gpuarray.ones(3).to_numpy(d),
    "vectorize": lambda d: gpuarray.vectorize(lambda x: x + 1, otypes=[d])(gpuarray.ones(3)),
    "matrix": lambda d: gpuarray.ones((2, 2), d).sum(0, dtype=d),
    "i0": lambda d: gpuarray.i0(gpuarray.ones(3), dtype=d),
    "row_stack": lambda d: gpuarray.row_stack([[1.0], [2.0]], dtype=d, casting="unsafe"),
    "ndarray": lambda d: gpuarray.ndarray((3,), d).dtype,
    "dtype": lambda d: gpuarray.dtype(d),
    "from_pointer": lambda d: gpuarray.from_pointer(BUFFER.ctypes.data, (2,), d, device="cpu"),
    "InclusiveScanKernel": lambda d: gpuarray.InclusiveScanKernel(d, "a+b")(gpuarray.ones(3, d)),
    "ExclusiveScanKernel": lambda d: gpuarray.ExclusiveScanKernel(d, "a+b", 0)(gpuarray.ones(3, d)),
    "random.poisson": lambda d: gpuarray.random.RandomState(1).poisson(3.0, 4, dtype=d),
    "random.randint": lambda d: gpuarray.random.RandomState(1).randint(0, 2, 4, dtype=d),
    "random.rand": lambda d: gpuarray.random.RandomState(1).rand(4, dtype=d),
    "can_cast": lambda d: gpuarray.can_cast(d, "complex128"),
    "promote_types": lambda d: gpuarray.promote_types(d, "int8"),
    "result_type": lambda d: gpuarray.result_type(d, gpuarray.ones(1, "int8")),
    "issubdtype": lambda d: gpuarray.issubdtype(d, np.integer),
    "empty_shared": lambda d: gpuarray.zeros(3, d),
    "zeros_pinned": lambda d: gpuarray.zeros_pinned(3, d),
    "zeros_managed": lambda d: gpuarray.zeros_managed(3, d),
    "empty_like, managed": lambda d: gpuarray.zeros_like(gpuarray.ones(3), d),
    "ElementwiseKernel": lambda d: gpuarray.ElementwiseKernel("T x", "T y", "y = x", "copy")(
        gpuarray.ones(3, d)
    ),
}


def ones(xp):
    return xp.ones(3, "float32")


def generator():
    return gpuarray.random.default_rng(1)


def file_of(data):
    file = open("data", "w+b")  # noqa: SIM115, NumPy wants a file with a descriptor
    file.write(data)
    file.seek(0)
    return file


def outcome(call):
    try:
        with np.errstate(all="ignore"):
            return call()
    except (TypeError, ValueError, OverflowError, gpuarray.DeviceError) as error:
        return TypeError if isinstance(error, TypeError) else type(error)


def as_host(value):
    is_several = isinstance(value, tuple | list)
    return [np.asarray(host(one)) for one in (value if is_several else [value])]


def assert_equal(got, expected, what):
    if isinstance(expected, type) or isinstance(got, type):
        assert got is expected, what
        return
    got, expected = as_host(got), as_host(expected)
    for one, other in zip(got, expected, strict=True):
        assert one.dtype == other.dtype, what
        np.testing.assert_array_equal(one, other, err_msg=str(what))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*CALLS, *OWN])
def test_spellings_of_a_dtype_are_one(device, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call = OWN.get(name) or (lambda d: CALLS[name](gpuarray, d))
    for dtype, spellings in SPELLINGS.items():
        expected = outcome(lambda d=dtype: call(d))
        for spelling in spellings:
            assert_equal(outcome(lambda s=spelling: call(s)), expected, (name, spelling))


def differs(name, dtype):
    """Whether docs/semantics.md has a difference: variances are real, casts to uint8 saturate."""
    is_variance = name.split(".")[-1] in ("std", "var", "nanstd", "nanvar")
    return (is_variance and "float" not in dtype) or (name == "linspace" and dtype == "uint8")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_a_dtype_means_what_it_does_in_numpy(device, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for dtype, spellings in SPELLINGS.items():
        if differs(name, dtype):
            continue
        expected = outcome(lambda d=dtype: CALLS[name](np, d))
        for spelling in (dtype, spellings[0], spellings[2]):
            got = outcome(lambda s=spelling: CALLS[name](gpuarray, s))
            if isinstance(got, type) or isinstance(expected, type):
                assert (got, dtype) == (expected, dtype)
            elif isinstance(got, np.ndarray):
                np.testing.assert_array_equal(got, expected)
            else:
                compare(got, expected)


@pytest.mark.parametrize("size", [4, 50, 1 << 20])
def test_linspace_of_integers_rounds_down(device, size):
    expected = np.linspace(-3, 2, size, dtype=int)
    for dtype in SPELLINGS["int64"]:
        np.testing.assert_array_equal(gpuarray.linspace(-3, 2, size, dtype=dtype).get(), expected)


def test_spellings_of_bfloat16(device):
    for dtype in ("bfloat16", gpuarray.bfloat16, np.dtype(gpuarray.bfloat16)):
        for call in (
            lambda d: gpuarray.arange(0, 1, 0.25, d),
            lambda d: gpuarray.linspace(0, 1, 5, dtype=d),
            lambda d: gpuarray.fromiter([1, 2], d),
            lambda d: gpuarray.fft.fftfreq(4, dtype=d),
            lambda d: gpuarray.nanmean(gpuarray.ones(3), dtype=d, where=gpuarray.ones(3, bool)),
            lambda d: gpuarray.add(gpuarray.ones(3), 1, dtype=d, order="C"),
            lambda d: gpuarray.add.reduce(gpuarray.ones(3), dtype=d),
            lambda d: generator().random(3, d),
        ):
            got, expected = call(dtype), call("bfloat16")
            assert got._dtype_name == expected._dtype_name == "bfloat16"
            assert got.tolist() == expected.tolist()


def takes_dtype(function):
    try:
        return "dtype" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


NOT_SPELT = {
    *("empty_managed", "empty_pinned", "empty_shared", "ones_managed", "ones_pinned"),
    *("full_managed", "full_pinned", "isdtype", "empty_like_managed", "like_pinned"),
    *("zeros_like_managed", "Launch", "SharedHandle", "GPUArray"),
    *("empty_like_pinned", "zeros_like_pinned", "ones_like_pinned", "full_like_pinned"),
}


def test_every_function_with_a_dtype_is_here():
    """Ufuncs have one way to take it, which `add`, `divide` and others show."""
    here = {*CALLS, *OWN, *NOT_SPELT}
    functions = {
        name
        for name in gpuarray.__all__
        if name in dir(gpuarray)
        and name not in here
        and takes_dtype(getattr(gpuarray, name))
        and not isinstance(getattr(gpuarray, name), gpuarray.ufunc)
    }
    methods = {
        f"GPUArray.{name}"
        for name in dir(gpuarray.GPUArray)
        if takes_dtype(getattr(gpuarray.GPUArray, name, None)) and f"GPUArray.{name}" not in here
    }
    assert not functions | methods
