# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""zarr's arrays read into and written from GPUArrays, beside the same with NumPy's arrays."""

import os
import warnings

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from _support.pending import SHAPE, zeros_later
from _support.process import run_python

import gpuarray

zarr = pytest.importorskip("zarr", minversion="3.1.2")
pytestmark = pytest.mark.filterwarnings("ignore:Numcodecs codecs are not in")

VARIABLES = {key: value for key, value in os.environ.items() if key.startswith("GPUARRAY_")}
DTYPES = ["bool", *(f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8))]
DTYPES += ["f2", "f4", "f8", "c8", "c16", ">i2", ">u4", ">f4", ">f8", ">c16"]


@pytest.fixture
def enabled(device):
    """Give the device into whose arrays zarr reads during the test."""
    with gpuarray.zarr.enable():
        yield device


def values(dtype, shape=(13, 17)):
    return (np.random.default_rng(0).random(shape) * 100).astype(dtype)


def on_device(x):
    return gpuarray.to_device(x.astype(x.dtype.newbyteorder("=")))


def make(dtype="f4", shape=(13, 17), chunks=(3, 4), store=None, **options):
    store = {} if store is None else store
    return zarr.create_array(store, shape=shape, chunks=chunks, dtype=dtype, **options)


def agree(got, expected, device):
    assert isinstance(got, gpuarray.GPUArray)
    assert (got.device, got.shape) == (device, expected.shape)
    assert got.dtype == expected.dtype.newbyteorder("=")
    np.testing.assert_array_equal(got.get(), expected)


def read_on_host(z):
    with zarr.config.set(buffer="zarr.buffer.cpu.Buffer", ndbuffer="zarr.buffer.cpu.NDBuffer"):
        return z[...]


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(enabled, tmp_path, dtype):
    x = values(dtype)
    z = make(dtype, store=tmp_path / "x")
    z[:] = on_device(x)
    agree(z[:], x, enabled)
    agree(zarr.open_array(tmp_path / "x", mode="r")[2:9:3, -5:], x[2:9:3, -5:], enabled)
    np.testing.assert_array_equal(read_on_host(z), x)


COMPRESSORS = {
    "none": lambda: None,
    "blosc": lambda: zarr.codecs.BloscCodec(cname="zstd"),
    "gzip": lambda: zarr.codecs.GzipCodec(),
    "zstd": lambda: zarr.codecs.ZstdCodec(),
    "checked": lambda: [zarr.codecs.ZstdCodec(), zarr.codecs.Crc32cCodec()],
}


@pytest.mark.parametrize("shards", [None, (6, 8)])
@pytest.mark.parametrize("compressor", COMPRESSORS)
@pytest.mark.parametrize("dtype", ["f4", ">i8"])
def test_codecs(enabled, dtype, compressor, shards):
    x = values(dtype)
    z = make(dtype, compressors=COMPRESSORS[compressor](), shards=shards)
    z[:] = on_device(x)
    agree(z[:], x, enabled)
    z[4:9, 1::3] = on_device(x)[:5, 1::3]
    x[4:9, 1::3] = x[:5, 1::3].copy()
    agree(z[...], x, enabled)
    agree(z[5], x[5], enabled)


@pytest.mark.parametrize("chunks", [(3, 4), (13, 17)])
@pytest.mark.parametrize("filtered", [False, True])
@pytest.mark.parametrize("dtype", ["f4", ">f4", "i8"])
def test_format_2(enabled, dtype, filtered, chunks):
    from numcodecs import Delta

    x = np.arange(13 * 17).reshape(13, 17).astype(dtype)
    for order in "CF":
        filters = [Delta(dtype=dtype)] if filtered else None
        z = make(dtype, chunks=chunks, zarr_format=2, order=order, filters=filters)
        z[:] = on_device(x)
        agree(z[:], x, enabled)


def test_filters(enabled):
    x = np.arange(12).reshape(3, 4)
    z = make("i8", (3, 4), (3, 4), filters=[zarr.codecs.TransposeCodec(order=(1, 0))])
    z[:] = on_device(x)
    agree(z[:], x, enabled)


INDEX = st.one_of(
    st.integers(-9, 8),
    st.builds(slice, st.none() | st.integers(-9, 9), st.none() | st.integers(-9, 9), st.none()),
    st.builds(slice, st.none(), st.none(), st.integers(1, 4)),
    st.just(Ellipsis),
)


@hypothesis.given(key=st.tuples(INDEX, INDEX), shards=st.booleans(), write=st.booleans())
@hypothesis.settings(max_examples=60)
def test_selections(enabled, key, shards, write):
    hypothesis.assume(key.count(Ellipsis) < 2)
    x = np.arange(81.0).reshape(9, 9)
    z = make("f8", (9, 9), (2, 3), shards=(4, 6) if shards else None)
    z[:] = on_device(x)
    if write and x[key].ndim > 0:
        z[key] = on_device(x[key] + 100)
        x[key] += 100
    expected = x[key]
    if expected.ndim == 0:  # zarr gives a scalar, or an array of no dimensions where there is ...
        assert float(z[key]) == expected
    else:
        agree(z[key], expected, enabled)
    agree(z[:], x, enabled)


def test_index_arrays(enabled):
    x = values("f4")
    z = make()
    a = on_device(x)
    z[:] = a
    rows, columns = [0, 3, 12], [1, 16, 2]
    mask = np.arange(13) % 3 == 1
    agree(z.oindex[rows, columns], x[np.ix_(rows, columns)], enabled)
    agree(z.oindex[mask, 3], x[mask, 3], enabled)
    agree(z.blocks[1, 2], x[3:6, 8:12], enabled)
    # zarr itself passes this one through numpy.array.
    np.testing.assert_array_equal(z.vindex[rows, columns], x[rows, columns])
    z.oindex[rows, columns] = a[:3, :3]
    x[np.ix_(rows, columns)] = x[:3, :3].copy()
    z.vindex[[5, 6], [7, 8]] = a[0, :2]
    x[[5, 6], [7, 8]] = a[0, :2].get()
    z.set_mask_selection(x > 90, -1)
    x[x > 90] = -1
    agree(z[:], x, enabled)


@pytest.mark.parametrize("fill", [0.0, -0.0, 7.0, np.nan, -np.inf])
@pytest.mark.parametrize("shards", [None, (6, 8)])
def test_fill_values_and_missing_chunks(enabled, fill, shards):
    z = make("f8", fill_value=fill, shards=shards)
    expected = np.full((13, 17), fill)
    agree(z[:], expected, enabled)
    z[:] = gpuarray.full((13, 17), fill)
    assert z.nchunks_initialized == 0
    z[:3, :4] = gpuarray.full((3, 4), 0.0)
    expected[:3, :4] = 0.0
    got = z[:]
    agree(got, expected, enabled)
    # The two zeros are not the same fill value.
    np.testing.assert_array_equal(np.signbit(got.get()), np.signbit(expected))


def test_all_equal(device):
    for x in (
        np.zeros(3),
        np.array([0.0, -0.0]),
        np.full(3, np.nan),
        np.arange(3),
        np.ones(2, "c8"),
    ):
        ours = gpuarray.zarr.NDBuffer(gpuarray.to_device(x))
        theirs = zarr.buffer.cpu.NDBuffer(x)
        for other in (None, 0.0, -0.0, np.nan, 1, x.dtype.type(1), np.float64(0)):
            for equal_nan in (True, False):
                expected = theirs.all_equal(other, equal_nan)
                assert ours.all_equal(other, equal_nan) == expected, (x, other, equal_nan)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,)])
def test_small_arrays(enabled, shape):
    x = np.full(shape, 5.0)
    z = make("f8", shape, tuple(max(n, 1) for n in shape))
    z[...] = gpuarray.to_device(x)
    if shape == ():  # zarr makes a scalar of it
        assert z[...] == 5.0
    else:
        agree(z[...], x, enabled)


@pytest.mark.parametrize("x", [np.array(["a", "bcd"]), np.array(["2026-01-01"], "M8[D]")])
def test_dtypes_of_the_host(enabled, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about formats that are not in the specification
        z = make(x.dtype, x.shape, x.shape)
        z[:] = x
        assert isinstance(z[:], np.ndarray)
        np.testing.assert_array_equal(z[:], x)


def test_host_arrays_are_written_too(enabled):
    x = values("f4")
    z = make()
    z[:] = x
    z[3:5] = 1
    z[5:7] = np.ones((2, 17))
    x[3:7] = 1
    agree(z[:], x, enabled)


def test_what_is_written_is_a_copy(enabled):
    z = make("f8", (4,), (4,), compressors=None)
    a = gpuarray.arange(4.0)
    z[:] = a
    a[:] = 0
    b = z[:]
    b[:] = 9
    agree(z[:], np.arange(4.0), enabled)


def test_results_are_ordered_with_streams(enabled):
    """What is written is waited for, and what is read is there on whatever stream it is used."""
    stream = gpuarray.Stream()
    with stream:
        late = zeros_later()
    z = make(late.dtype, SHAPE, SHAPE, fill_value=1)
    z[...] = late
    with stream:
        got = z[...]
    agree(got + 1, np.ones(SHAPE, late.dtype), enabled)


def test_the_guard_of_transfers(enabled):
    code = f"""
    import gpuarray, gpuarray.zarr, numpy as np, zarr
    with gpuarray.zarr.enable({enabled!r}):
        z = zarr.create_array({{}}, shape=(5, 6), chunks=(2, 3), shards=(4, 6), dtype="f4")
        z[:] = gpuarray.ones((5, 6), device={enabled!r})
        z[1:, ::2] = gpuarray.zeros((4, 3), device={enabled!r})
        print(int(z[:].sum()), int(z.oindex[[0, 4], :].sum()))
    """
    variables = {**VARIABLES, "GPUARRAY_TRANSFER_GUARD": "disallow"}
    assert run_python(code, **variables) == "18 9\n"


def test_enable(device):
    z = make("i4", (3,), (3,))
    z[:] = np.arange(3)
    assert isinstance(z[:], np.ndarray)
    with gpuarray.zarr.enable(device):
        agree(z[:], np.arange(3, dtype="i4"), device)
        with gpuarray.zarr.enable("cpu"):
            agree(z[:], np.arange(3, dtype="i4"), "cpu")
        agree(z[:], np.arange(3, dtype="i4"), device)
    assert isinstance(z[:], np.ndarray)
    got = z.get_basic_selection(slice(1, 3), prototype=gpuarray.zarr.buffer_prototype)
    assert isinstance(got, gpuarray.GPUArray)
    with pytest.raises(gpuarray.DeviceError):
        gpuarray.zarr.enable("cuda:77")


def test_import_without_zarr():
    code = """
    import sys
    sys.modules["zarr"] = None
    import gpuarray
    assert "zarr" not in dir(gpuarray)
    try:
        gpuarray.zarr
    except ImportError as error:
        print(error)
    """
    assert "needs zarr 3.1.2 or later" in run_python(code)


def test_zarr_is_not_imported():
    code = "import sys, gpuarray; print('zarr' in sys.modules)"
    assert run_python(code) == "False\n"


def test_dask(enabled):
    da = pytest.importorskip("dask.array")
    x = values("f4", (6, 8))
    store = zarr.storage.MemoryStore()
    blocks = da.from_array(gpuarray.to_device(x), chunks=(3, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        z = da.to_zarr(blocks, store, return_stored=False) or zarr.open_array(store)
    agree(z[:], x, enabled)
    lazy = da.from_array(z, chunks=z.chunks, meta=gpuarray.empty((0, 0), "f4"))
    assert isinstance(lazy._meta, gpuarray.GPUArray)
    agree((lazy + 1).blocks[1, 1].compute(scheduler="sync"), x[3:, 4:] + 1, enabled)
    total = (lazy * 2).sum().compute(scheduler="sync")
    np.testing.assert_allclose(gpuarray.asnumpy(total), x.sum() * 2, rtol=1e-5)


def test_dask_without_enable(device):
    da = pytest.importorskip("dask.array")
    x = values("f4", (6, 8))
    store = zarr.storage.MemoryStore()
    blocks = da.from_array(gpuarray.to_device(x), chunks=(3, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        blocks.to_zarr(store)
    np.testing.assert_array_equal(zarr.open_array(store)[:], x)
    back = da.from_zarr(store).map_blocks(gpuarray.to_device, meta=gpuarray.empty((0, 0), "f4"))
    total = (back * 2).sum().compute(scheduler="sync")
    np.testing.assert_allclose(gpuarray.asnumpy(total), x.sum() * 2, rtol=1e-5)
