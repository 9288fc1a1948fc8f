# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""dask.array with chunks that are GPUArrays: operations, the backend, tokens, registration."""

import contextlib
import pickle

import numpy as np
import pytest
from _support.compare import host
from _support.process import run_python

import gpuarray

from .dask_operations import CHUNKS, OPERATIONS, evaluate, host_arrays

dask = pytest.importorskip("dask", reason="dask is not installed")
da = pytest.importorskip("dask.array")

# What dask makes of index arrays of its own, in the host's memory.
ON_THE_HOST = {
    "xp.argwhere(b)",
    "xp.flatnonzero(b)",
    "xp.nonzero(v)[0]",
    "xp.tril_indices_from(s)[0]",
    "xp.where(v > 0)[0]",
}
# dask counts in two dimensions by NumPy's function alone, into the host's memory.
ON_THE_HOST |= {"xp.histogram2d(v, w8, bins=4, range=((-3, 3), (-3, 3)))[0]"}
# dask solves by SciPy, for all types but CuPy's.
ON_THE_HOST |= {"xp.linalg.lstsq(t, t[:, 0])[0]"}
# Its result is on the device, but dask joins the chunks' percentiles by counts on the host.
READ_BY_THE_HOST = {"xp.percentile(v, [25, 50])"}
# dask chooses SciPy's functions for all types but CuPy's, and divides chunks by the host's widths.
REFUSED = {
    "xp.histogram(v, bins=5, range=(-3, 3), density=True)[0]": TypeError,
    "xp.linalg.cholesky(s)": (TypeError, ImportError),
    "xp.linalg.inv(s)": (TypeError, ImportError),
    "xp.linalg.solve(s, v[:12])": (TypeError, ImportError),
}
HOST = host_arrays()


@pytest.fixture(autouse=True)
def _one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(scope="module")
def chunked(request):
    """Return the arrays as dask's, of GPUArrays, by device."""
    made = {}

    def of(device):
        if device not in made:
            made[device] = {
                name: da.from_array(gpuarray.to_device(a, device=device), chunks=CHUNKS[name])
                for name, a in HOST.items()
            }
        return made[device]

    return of


def guarded(expression, device):
    """Refuse copies to the host that nobody asked for, where none is to be expected."""
    if device == "cpu" or expression in ON_THE_HOST | READ_BY_THE_HOST:
        return contextlib.nullcontext()
    return gpuarray.transfer_guard("disallow")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", OPERATIONS)
def test_operations(device, expression, chunked):
    """As NumPy's, to rounding, in the dtype that dask gives; none leaves the device unnoticed."""
    arrays = chunked(device)
    if "lstsq" in expression:
        pytest.importorskip("scipy", reason="scipy is not installed")
    if expression in REFUSED:
        with pytest.raises(REFUSED[expression]):
            dask.compute(evaluate(expression, da, arrays))
        return
    with guarded(expression, device):
        (got,) = dask.compute(evaluate(expression, da, arrays))
    assert isinstance(got, np.ndarray if expression in ON_THE_HOST else gpuarray.GPUArray)
    in_numpy = {name: da.from_array(a, chunks=CHUNKS[name]) for name, a in HOST.items()}
    (expected,) = dask.compute(evaluate(expression, da, in_numpy))
    got = host(got)
    assert got.dtype == np.asarray(expected).dtype
    tolerance = 1e-5 if got.dtype == np.float32 else 1e-9
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


CREATION = {
    "ones": lambda: da.ones((5, 6), chunks=3),
    "zeros": lambda: da.zeros((5, 6), dtype="float32", chunks=3),
    "full": lambda: da.full((5, 6), 2.5, chunks=3),
    "arange": lambda: da.arange(3, 17, 2, chunks=4),
}


@pytest.mark.parametrize("name", CREATION)
def test_backend(device, name):
    with dask.config.set({"array.backend": "gpuarray"}):
        made = CREATION[name]()
    got = made.compute()
    assert isinstance(made._meta, gpuarray.GPUArray)
    assert str(got.device) == device
    expected = CREATION[name]().compute()
    assert got.dtype == expected.dtype
    assert got.tolist() == expected.tolist()


WITHIN_THE_BACKEND = {
    "ones_like": lambda x: da.ones_like(x) * 3,
    "zeros_like": lambda x: da.zeros_like(x, dtype="int32"),
    "empty_like": lambda x: da.empty_like(x) * 0 + 1,
    "full_like": lambda x: da.full_like(x, 2.5),
    "numpy.ones_like": lambda x: np.ones_like(x),
    "tril": lambda x: da.tril(x),
    "triu": lambda x: da.triu(x, 1),
    "overlap": lambda x: x.map_overlap(lambda b: b[1:-1], depth={0: 1}, boundary=0.0, trim=False),
    "name": lambda x: da.ones(x.shape, name="a", chunks=4) + x,
    "sums": lambda x: da.mean(x, axis=0) + da.arange(6, chunks=3),
    "range": lambda x: da.arange(0.1, 3.7, 0.6, chunks=2) * x,
}


@pytest.mark.parametrize("name", WITHIN_THE_BACKEND)
def test_functions_within_the_backend(device, name):
    function = WITHIN_THE_BACKEND[name]
    host_x = np.arange(36.0).reshape(6, 6)
    expected = function(da.from_array(host_x, chunks=4)).compute()
    with dask.config.set({"array.backend": "gpuarray"}):
        got = function(da.from_array(gpuarray.to_device(host_x), chunks=4)).compute()
    assert isinstance(got, gpuarray.GPUArray)
    assert str(got.device) == device
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(host(got), expected)


@pytest.mark.cuda
def test_chunks_are_made_where_they_are_computed(cuda):
    """The client may have another device, or none."""
    with dask.config.set({"array.backend": "gpuarray"}), gpuarray.Device("cpu"):
        x = da.ones((4, 6), chunks=3) + da.full((4, 6), 2.0, chunks=3) * da.arange(6, chunks=3)
        x = x + da.random.default_rng(1).random((4, 6), chunks=3) + da.ones_like(x)
    got = x.compute()
    assert str(got.device) == cuda


def test_random_numbers_of_the_backend(device):
    """Each chunk is drawn from a spawned seed by gpuarray's generator, the same every time."""
    with dask.config.set({"array.backend": "gpuarray"}):
        for make in (da.random.default_rng, da.random.RandomState):
            x, again = (make(3).normal(size=(8, 6), chunks=4) for _ in range(2))
            got = x.compute()
            assert isinstance(got, gpuarray.GPUArray)
            assert str(got.device) == device
            assert got.tolist() == again.compute().tolist()
            assert len(np.unique(host(got))) == 48
        ints = da.random.default_rng(1).integers(0, 9, 100, chunks=30).compute()
        assert set(ints.tolist()) <= set(range(9))
    seeds = np.random.SeedSequence(5).spawn(2)
    expected = [gpuarray.random.default_rng(seed).random(4).tolist() for seed in seeds]
    given = gpuarray.random.default_rng(5)
    assert da.random.default_rng(given).random(8, chunks=4).compute().tolist() == [
        *expected[0],
        *expected[1],
    ]


def test_to_backend(device):
    x = da.from_array(np.arange(6.0), chunks=4)
    moved = x.to_backend("gpuarray")
    swapped = da.from_array(np.arange(6.0, dtype=">f8"), chunks=4).to_backend("gpuarray")
    assert swapped.compute().tolist() == [0, 1, 2, 3, 4, 5]
    assert isinstance(moved.compute(), gpuarray.GPUArray)
    assert str(moved.compute().device) == device
    assert moved.to_backend("gpuarray") is moved
    back = (moved * 2).to_backend("numpy").compute()
    assert type(back) is np.ndarray
    assert back.tolist() == [0, 2, 4, 6, 8, 10]


def test_operators_with_an_array(device):
    """A dask array and a GPUArray, in either order, and NumPy's functions of both."""
    a = gpuarray.arange(6.0)
    x = da.from_array(a + 1, chunks=4)
    for got in (x - a, np.subtract(x, a), -(a - x)):
        assert isinstance(got, da.Array)
        assert got.compute().tolist() == [1.0] * 6


def test_tokens(device):
    tokenize = dask.base.tokenize
    a = gpuarray.arange(12.0).reshape(3, 4)
    with gpuarray.transfer_guard("disallow"):  # a copy that was asked for
        token = tokenize(a)
        assert token == tokenize(a.copy())
        others = [a + 1, a.T.copy(), a.astype("float32"), a.reshape(4, 3), a[:2], a.view("int64")]
        assert len({token, *map(tokenize, others)}) == 7
        wide = gpuarray.broadcast_to(a[:1], (1000, 1, 4))
        assert tokenize(wide) != tokenize(wide[:3])


def test_counts_take_no_memory(device):
    from dask.array.dispatch import numel_lookup

    x = gpuarray.empty((30, 40))
    counts = numel_lookup(x, axis=1)
    assert counts.tolist() == [40.0] * 30
    assert counts.strides == (0,)
    assert numel_lookup(x, axis=(0, 1), keepdims=True).tolist() == [[1200.0]]


@pytest.mark.parametrize("first", ["gpuarray", "dask.array"])
def test_registration(first):
    second = {"gpuarray": "dask.array", "dask.array": "gpuarray"}[first]
    code = f"""
    import sys
    import {first}, {second}
    from dask.array.chunk_types import is_valid_chunk_type
    print(is_valid_chunk_type(gpuarray.GPUArray))
    print([f for f in sys.meta_path if getattr(f, "name", None) == "dask.array"])
    """
    assert run_python(code) == "True\n[]\n"


def test_importing_gpuarray_imports_no_dask():
    code = "import sys, gpuarray; print('dask' in sys.modules)"
    assert run_python(code) == "False\n"


def test_registration_amid_the_import_of_dask(tmp_path):
    """gpuarray is imported by what dask.array itself imports, before it is whole."""
    code = """
    import sys, warnings
    warnings.simplefilter("error")
    class Amid:
        def find_spec(self, name, path, target=None):
            if name == "dask.array.reductions":
                sys.meta_path.remove(self)
                import gpuarray
    sys.meta_path.insert(0, Amid())
    import dask.array as da
    x = da.from_array(sys.modules["gpuarray"].arange(6.0, device="cpu"), chunks=2)
    print(x.mean(axis=0).compute())
    """
    assert run_python(code) == "2.5\n"


def test_registration_from_two_threads():
    code = """
    import importlib, threading, warnings
    warnings.simplefilter("error")
    start = threading.Barrier(2)
    def load(name):
        start.wait()
        importlib.import_module(name)
    threads = [threading.Thread(target=load, args=[n]) for n in ("gpuarray", "dask.array")]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    import gpuarray
    from dask.array.chunk_types import is_valid_chunk_type
    print(is_valid_chunk_type(gpuarray.GPUArray))
    """
    for _ in range(5):
        assert run_python(code) == "True\n"


@pytest.mark.parametrize("k", [3, -3, 1])
def test_argtopk(device, k):
    h = np.random.default_rng(0).permutation(40).astype("float32")
    for shape, axis in (((40,), 0), ((5, 8), 1), ((5, 8), 0)):
        values = h.reshape(shape)
        chunks = tuple(max(1, n // 2) for n in shape)
        on_host = da.argtopk(da.from_array(values, chunks=chunks), k, axis=axis)
        here = da.from_array(gpuarray.to_device(values), chunks=chunks)
        got = da.argtopk(here, k, axis=axis).compute(scheduler="sync")
        assert isinstance(got, gpuarray.GPUArray)
        np.testing.assert_array_equal(got.get(), on_host.compute(scheduler="sync"))


def test_wrapped_functions_are_pickled_by_dasks_names(device):
    for name in ("chunk.argtopk_preprocess", "reductions._custom_nanquantile"):
        module, _, function = name.partition(".")
        wrapped = getattr(getattr(da, module), function)
        assert pickle.loads(pickle.dumps(wrapped)) is wrapped


def test_store_on_the_host_and_on_the_device(device):
    h = np.arange(24.0).reshape(4, 6)
    x = da.from_array(gpuarray.to_device(h), chunks=(3, 4))
    on_host, there = np.zeros((4, 6)), gpuarray.zeros((4, 6))
    da.store([x, x], [on_host, there], scheduler="sync")
    np.testing.assert_array_equal(on_host, h)
    np.testing.assert_array_equal(there.get(), h)
