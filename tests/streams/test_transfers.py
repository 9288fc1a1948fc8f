# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""to_device, get, set, asnumpy, tobytes: elements in and out."""

import array
import ctypes

import numpy as np
import pytest
from _support import layouts
from _support.compare import assert_same
from _support.dtypes import BFLOAT16, DTYPES
from _support.samples import ordinary, special
from _support.strategies import arrays, views
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import gpuarray


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_there_and_back(device, dtype):
    host = special(dtype)
    x = gpuarray.to_device(host)
    assert x.device == device
    got = x.get()
    assert isinstance(got, np.ndarray)
    assert_same(got, host)
    assert got.tobytes() == host.tobytes(), "every bit, of NaN too"


@given(data=st.data())
def test_any_host_layout(device, data):
    host = data.draw(arrays())
    a, _ = data.draw(views((host, host)))
    x = gpuarray.to_device(np.asarray(a))
    assert_same(x, np.asarray(a))
    assert x.flags.forc


@given(data=st.data(), order=st.sampled_from("CFA"))
def test_get_any_device_layout(device, data, order):
    host = data.draw(arrays())
    a, x = data.draw(views((host, gpuarray.to_device(host))))
    got = x.get(order=order)
    assert_same(got, np.asarray(a))
    expected = np.asarray(a).copy(order)
    assert got.flags.c_contiguous == expected.flags.c_contiguous
    assert got.flags.f_contiguous == expected.flags.f_contiguous
    assert got.flags.owndata
    assert got.flags.writeable


@pytest.mark.parametrize(
    "host",
    [
        np.float32(2.5),
        np.array(7, np.int16),
        np.zeros((0, 3)),
        np.arange(6.0)[::-1],
        np.asfortranarray(np.arange(6).reshape(2, 3)),
        np.arange(24).reshape(2, 3, 4).transpose(1, 2, 0),
        np.broadcast_to(np.arange(3), (4, 3)),
        np.zeros((), dtype=[("x", "f4"), ("y", "i4")])["x"],
        np.zeros(4, dtype=[("x", "i1"), ("y", "<f8")])["y"],
        np.frombuffer(b"\0" * 17, np.uint8)[1:].view(np.float32),
        np.ma.masked_array([1.0, 2.0]).data,
        np.arange(4).view(np.matrix),
    ],
    ids=lambda host: f"{type(host).__name__}{host.shape}{host.dtype}",
)
def test_kinds_of_host_arrays(device, host):
    assert_same(gpuarray.to_device(host), np.array(host))


def test_fortran_order_is_kept(device):
    x = gpuarray.to_device(np.asfortranarray(np.ones((3, 4))))
    assert x.flags.f_contiguous
    assert not x.flags.c_contiguous


def test_read_only_sources_and_later_changes(device):
    host = np.arange(1000.0)
    frozen = host.copy()
    frozen.flags.writeable = False
    x, y = gpuarray.to_device(host), gpuarray.to_device(frozen)
    host[...] = -1
    assert x.tolist() == frozen.tolist(), "the source may be changed on return"
    y[0] = 5
    assert y[0].item() == 5, "the copy is writable"
    assert frozen[0] == 0


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (5, np.array(5)),
        (2.5, np.array(2.5)),
        (True, np.array(True)),
        (1j, np.array(1j)),
        ([], np.array([])),
        ([1, 2.5], np.array([1, 2.5])),
        ([[1, 2], (3, 4)], np.array([[1, 2], [3, 4]])),
        (range(4), np.arange(4)),
        (array.array("h", [1, 2]), np.array([1, 2], np.int16)),
        (array.array("d"), np.array([], np.float64)),
        (memoryview(b"abc"), np.array([97, 98, 99], np.uint8)),
        (bytearray(b"ab"), np.array([97, 98], np.uint8)),
        (memoryview(bytes(8)).cast("i", [2, 1]), np.zeros((2, 1), np.int32)),
        ((ctypes.c_float * 3)(1, 2, 3), np.array([1, 2, 3], np.float32)),
        (2**63, np.array(2**63, np.uint64)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_sources(device, source, expected):
    assert_same(gpuarray.to_device(source), expected)


@pytest.mark.parametrize("dtype", ["float32", "int8", "complex128", "bfloat16", "bool"])
def test_dtype_converts(device, dtype):
    host = np.array([[1, 2], [0, 4]])
    expected = host.astype(BFLOAT16 if dtype == "bfloat16" else dtype)
    for source in (host, host.T.copy().T, host.tolist(), gpuarray.to_device(host)):
        assert_same(gpuarray.to_device(source, dtype=dtype), expected)


UNSUPPORTED = [
    (np.array([object()]), "object"),
    (np.array(["a", "bc"]), "<U2|str"),
    (np.array([b"ab"]), "S2|bytes"),
    (np.array(["2026-01-01"], "datetime64[D]"), "datetime64"),
    (np.array([1], "timedelta64[s]"), "timedelta64"),
    (np.zeros(2, [("x", "f4")]), r"\[\('x', '<f4'\)\]|'x'|void"),
    (np.zeros(2, "V3"), "V3|void"),
    (np.zeros(2, ">f4"), ">f4"),
    (np.zeros(2, ">i8"), ">i8"),
    (np.zeros(2, np.longdouble), "longdouble|float128"),
    (np.zeros(2, np.clongdouble), "clongdouble|complex256"),
    ([None, 1], "NoneType"),
    (["a"], "U1|str"),
]


@pytest.mark.parametrize(("source", "name"), UNSUPPORTED, ids=range(len(UNSUPPORTED)))
def test_unsupported_dtypes_are_named(device, source, name):
    with pytest.raises(TypeError, match=name):
        gpuarray.to_device(source)
    if isinstance(source, np.ndarray):
        with pytest.raises(TypeError, match=name):
            gpuarray.zeros(2, dtype=source.dtype)
        with pytest.raises(TypeError, match=name):
            gpuarray.zeros(2).astype(source.dtype)


def test_ragged_sequences(device):
    with pytest.raises(ValueError, match="inhomogeneous"):
        gpuarray.to_device([[1, 2], [3]])


def test_to_device_of_device_arrays_copies(device):
    x = gpuarray.to_device(np.arange(6).reshape(2, 3))
    y = gpuarray.to_device(x[:, ::-1])
    assert_same(y, x.get()[:, ::-1])
    y[...] = 0
    assert x.sum().item() == 15


def test_aliases(device):
    assert gpuarray.to_gpu(np.ones(2)).tolist() == [1, 1]
    x = gpuarray.ones((2, 3))
    assert_same(gpuarray.asnumpy(x), np.ones((2, 3)))
    assert gpuarray.asnumpy([1, 2]).tolist() == [1, 2]
    assert gpuarray.asnumpy(x, order="F").flags.f_contiguous


@pytest.mark.parametrize("layout", layouts.ALL, ids=lambda layout: layout.__name__)
@pytest.mark.parametrize("order", ["C", "F"])
def test_get_into_out(device, layout, order):
    host = ordinary(np.float32, (5, 7))
    x = layout(host)
    out = np.zeros((5, 7), np.float32, order)
    assert x.get(out) is out
    assert_same(out, host)
    out[...] = 0
    assert gpuarray.asnumpy(x, out=out) is out
    assert_same(out, host)


@pytest.mark.parametrize(
    ("out", "error", "message"),
    [
        (np.zeros((3, 2)), ValueError, r"\(3, 2\).*\(2, 3\)"),
        (np.zeros(6), ValueError, r"\(6,\).*\(2, 3\)"),
        (np.zeros((2, 3), np.float32), TypeError, "float32.*float64"),
        (np.zeros((2, 3), ">f8"), TypeError, ">f8"),
        (as_strided(np.zeros(3), (2, 3), (0, 8)), ValueError, "share memory"),
        (np.broadcast_to(np.zeros(3), (2, 3)), ValueError, "read-only"),
        ([[0] * 3] * 2, TypeError, "ndarray.*list"),
    ],
    ids=["shape", "ndim", "dtype", "byte order", "shared", "read-only", "list"],
)
def test_refused_outs(device, out, error, message):
    before = np.array(out)
    with pytest.raises(error, match=message):
        gpuarray.ones((2, 3)).get(out)
    assert np.array_equal(before, out)


@given(data=st.data())
def test_get_into_any_layout(device, data):
    base = data.draw(arrays())
    out, _ = data.draw(views((base.copy(), base)))
    out = np.asarray(out)
    if not out.flags.writeable:
        return
    host = ordinary(out.dtype, out.shape, seed=9)
    assert gpuarray.to_device(host).get(out) is out
    assert_same(out, host)


def test_memory_between_the_elements_of_out_is_kept(device):
    base = np.zeros((4, 6), np.int16)
    gpuarray.ones((2, 3), np.int16).get(base[1:3, ::2])
    assert base.sum() == 6
    assert base[1:3, ::2].all()


def test_unaligned_out(device):
    base = np.zeros(40, np.uint8)
    gpuarray.to_device(np.arange(4.0)).get(base[3:35].view(np.float64))
    assert_same(np.frombuffer(base[3:35].tobytes(), np.float64), np.arange(4.0))


def test_get_without_blocking(device):
    x = gpuarray.ones(100000)
    out = np.zeros(100000)
    got = x.get(out, blocking=False)
    gpuarray.synchronize()
    assert got.wait() is out
    assert_same(out, np.ones(100000))


def test_set(device):
    x = gpuarray.zeros((2, 3), np.float32)
    for layout in layouts.ALL:
        y = layout(np.zeros((2, 3), np.float32))
        y.set(np.arange(6, dtype=np.float32).reshape(3, 2).T)
        assert_same(y, np.arange(6, dtype=np.float32).reshape(3, 2).T, what=layout.__name__)
    x.set([[1, 2, 3], [4, 5, 6]])
    assert x.tolist() == [[1, 2, 3], [4, 5, 6]]
    x[0].set(np.array([7, 8, 9], np.int16))
    assert x.tolist() == [[7, 8, 9], [4, 5, 6]]
    x.set(np.zeros((2, 3), np.float64))
    assert not x.get().any()


def test_refused_sets(device):
    x = gpuarray.zeros((2, 3), np.int32)
    with pytest.raises(ValueError, match=r"\(3,\).*\(2, 3\)"):
        x.set(np.ones(3, np.int32))
    with pytest.raises(TypeError, match=r"float64.*int32.*same_kind"):
        x.set(np.ones((2, 3)))
    with pytest.raises(TypeError, match="object"):
        x.set(np.full((2, 3), None))
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x.set(np.ones((2, 3), np.int32))
    assert not x.get().any()


def test_set_takes_the_values_of_the_moment(device):
    x = gpuarray.zeros(100000)
    host = np.ones(100000)
    x.set(host)
    host[...] = 2
    assert_same(x, np.ones(100000))


@pytest.mark.parametrize("order", "CFA")
@pytest.mark.parametrize("layout", layouts.ALL, ids=lambda layout: layout.__name__)
def test_tobytes(device, layout, order):
    host = ordinary(np.int16, (3, 5))
    x = layout(host)
    expected = host.T.copy().T if x.flags.f_contiguous else host
    assert x.tobytes(order) == expected.tobytes(order)


def test_method_to_device(device):
    x = gpuarray.to_device(np.arange(6).reshape(2, 3))
    assert x.to_device(device) is x
    moved = x.T.to_device("cpu")
    assert moved.device == "cpu"
    assert_same(moved, x.get().T)


@pytest.mark.cuda
def test_between_devices(cuda):
    host = ordinary(np.float64, (50, 60))
    x = gpuarray.to_device(host)
    there = x[::2, ::-1].to_device("cpu")
    assert there.device == "cpu"
    back = there.to_device(cuda)
    assert back.device == cuda
    assert_same(back, host[::2, ::-1])
    assert gpuarray.to_device(x, device="cpu").device == "cpu"
    assert gpuarray.to_device(there, dtype=np.float32).device == "cpu"


def test_large_transfers(device):
    """Several staging blocks, and a tail."""
    host = np.random.default_rng(0).integers(0, 256, 40_000_003).astype(np.uint8)
    x = gpuarray.to_device(host)
    assert np.array_equal(x.get(), host)
    assert np.array_equal(x[::3].get(), host[::3])
