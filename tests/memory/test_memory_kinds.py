# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Arrays in page-locked and managed memory, which the host shares."""

import gc
import io

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import DTYPES
from _support.pending import SHAPE, zeros_later
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

MAKERS = {
    "pinned": (gpuarray.empty_pinned, gpuarray.zeros_pinned),
    "managed": (gpuarray.empty_managed, gpuarray.zeros_managed),
}
LIKE = {
    "pinned": (gpuarray.empty_like_pinned, gpuarray.zeros_like_pinned),
    "managed": (gpuarray.empty_like_managed, gpuarray.zeros_like_managed),
}


@pytest.fixture(params=MAKERS)
def kind(request):
    return request.param


def expected_kind(device, kind):
    return "host" if device == "cpu" else kind


@pytest.mark.parametrize("dtype", DTYPES)
def test_creation(device, kind, dtype):
    empty, zeros = MAKERS[kind]
    for shape, order in [((3, 4), "C"), ((2, 3, 5), "F"), (7, "C"), ((), "C"), ((0, 3), "C")]:
        x = empty(shape, dtype, order)
        assert str(x.device) == device
        assert x.memory_kind == expected_kind(device, kind)
        made = zeros(shape, dtype, order)
        assert made.flags.f_contiguous == np.empty(shape, order=order).flags.f_contiguous
        assert x.shape == made.shape == np.empty(shape).shape
        assert x._dtype_name == made._dtype_name == dtype
        assert not gpuarray.any(made != 0)


def test_kinds(device):
    plain = gpuarray.ones((2, 3))
    assert plain.memory_kind == expected_kind(device, "device")
    managed = gpuarray.empty((2, 3), "int16", managed=True)
    assert managed.memory_kind == expected_kind(device, "managed")
    assert gpuarray.empty(3, managed=False).memory_kind == plain.memory_kind
    # Results, copies among them, are in memory of the device; views share.
    assert (managed + 1).memory_kind == managed.copy().memory_kind == plain.memory_kind
    assert managed.T[1:].memory_kind == managed.memory_kind


def test_numpy_shares_the_memory(device, kind):
    x = MAKERS[kind][1]((3, 4), "int32")
    host = np.asarray(x)
    assert host.flags.writeable
    assert host.ctypes.data == x.ptr
    host[...] = np.arange(12).reshape(3, 4)
    assert_same(x + 1, np.arange(1, 13, dtype=np.int32).reshape(3, 4))
    x[1] = 7
    gpuarray.synchronize()
    assert (host[1] == 7).all()
    assert_same(np.asarray(x[::2, ::-1]), host[::2, ::-1])


def test_memoryview_writes(device, kind):
    x = MAKERS[kind][1](5, "float32")
    with memoryview(x) as view:
        assert not view.readonly
        view[2] = 1.5
    assert x.tolist() == [0, 0, 1.5, 0, 0]
    assert io.BytesIO(b"\x00\x00\x80\x3f" * 5).readinto(x) == 20
    assert x.tolist() == [1] * 5


def test_read_only_arrays_stay_so(device, kind):
    x = MAKERS[kind][1](5)
    x.flags.writeable = False
    assert memoryview(x).readonly
    assert not np.asarray(x).flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        x.set(np.ones(5))


def test_no_transfer_is_guarded(device, kind):
    x = MAKERS[kind][1](5)
    with gpuarray.transfer_guard("disallow"):
        assert np.asarray(x).sum() == 0
        memoryview(x)


def test_bfloat16_is_shared(device, kind):
    pytest.importorskip("ml_dtypes")
    x = MAKERS[kind][1](4, "bfloat16")
    if device != "cpu":
        np.asarray(x)[1] = 2
        assert x.astype("float32").tolist() == [0, 2, 0, 0]


def test_the_memory_lives_while_it_is_shared(device, kind):
    x = MAKERS[kind][1](1000, "int64")
    host = np.asarray(x)
    x[...] = 3
    del x
    gc.collect()
    others = [MAKERS[kind][1](1000, "int64") for _ in range(20)]
    gpuarray.synchronize()
    assert (host == 3).all()
    assert all((np.asarray(other) == 0).all() for other in others)


def test_transfers(device, kind):
    x = np.arange(600_000.0).reshape(600, 1000)
    shared = MAKERS[kind][0](x.shape)
    shared.set(x)
    assert_same(shared, x)
    assert_same(shared.get(order="F"), np.asfortranarray(x))
    assert shared.tobytes() == x.tobytes()
    shared.set(x[::-1])
    out = np.zeros((1000, 600)).T
    shared.get(out)
    assert_same(out, x[::-1])
    on_device = shared.copy()
    assert_same(on_device, x[::-1])
    on_device[...] = shared[::-1]
    shared[...] = 0
    assert_same(on_device, x)
    shared[...] = on_device
    assert_same(shared, x)
    on_device.get(np.asarray(shared[::-1]))
    assert_same(shared, x[::-1])
    assert_same(shared.to_device("cpu"), x[::-1])


def test_transfers_within_one_memory(device, kind):
    x = MAKERS[kind][0](100)
    x.set(np.arange(100.0))
    x[:50].set(np.asarray(x[25:75]))
    assert_same(x, np.concatenate([np.arange(25.0, 75), np.arange(50.0, 100)]))
    x.get(np.asarray(x))
    x[50:].get(np.asarray(x[:50]))
    assert_same(x[:50], np.arange(50.0, 100))


def test_operations(device, kind):
    x = MAKERS[kind][0]((4, 5))
    host = np.asarray(x)
    host[...] = np.linspace(0, 3, 20).reshape(4, 5)
    expected = host.copy()
    assert_same(x.T @ x, gpuarray.to_device(expected.T) @ gpuarray.to_device(expected))
    assert x.sum().item() == gpuarray.to_device(expected).sum().item()
    x += 2
    gpuarray.multiply(x, x, out=x)
    gpuarray.synchronize()
    assert_same(host, (expected + 2) * (expected + 2))
    assert x[2, 3].item() == host[2, 3]


@given(
    shape=st.lists(st.integers(0, 4), max_size=4),
    axes=st.randoms(use_true_random=False),
    order=st.sampled_from("CFAK"),
    step=st.sampled_from([1, 2, -1]),
)
def test_like(device, kind, shape, axes, order, step):
    permutation = list(range(len(shape)))
    axes.shuffle(permutation)
    whole = np.zeros([2 * n for n in shape], np.int16)
    x = whole[(..., *[slice(None, None, step)] * len(shape))]
    x = x.transpose(permutation)
    expected = np.zeros_like(x, order=order)
    for like in (x, gpuarray.to_device(x)):
        source = like if like is x or order != "K" else like.copy("C")
        made = LIKE[kind][1](source, order=order)
        assert made.shape == x.shape
        assert made.dtype == x.dtype
        assert not made.get().any()
    if 0 not in shape and step != -1:
        made = np.asarray(LIKE[kind][0](x, order=order))
        steps = [
            [stride for n, stride in zip(a.shape, a.strides, strict=True) if n > 1]
            for a in (made, expected)
        ]
        assert steps[0] == steps[1]


def test_like_of_a_strided_array_takes_an_int_as_shape(device, kind):
    model = gpuarray.arange(10)[::2]
    assert LIKE[kind][1](model, shape=7).shape == (7,)


def test_like_takes_dtype_shape_and_device(device, kind):
    x = gpuarray.ones((2, 3), "int8")
    made = LIKE[kind][1](x, "float32", shape=(4,), device="cpu")
    assert made.shape == (4,)
    assert made.dtype == np.float32
    assert str(made.device) == "cpu"
    assert str(LIKE[kind][0](x).device) == device
    with pytest.raises(TypeError, match="list"):
        LIKE[kind][0]([1, 2])
    with pytest.raises(ValueError, match="order"):
        LIKE[kind][0](x, order="X")


def test_refused_creation(device, kind):
    for maker in MAKERS[kind]:
        with pytest.raises(ValueError, match="negative"):
            maker(-1)
        with pytest.raises(TypeError, match="datetime64"):
            maker(3, "datetime64[s]")
        with pytest.raises(ValueError, match="too big"):
            maker((2**40, 2**40))
    with pytest.raises(gpuarray.OutOfMemoryError):
        gpuarray.empty_pinned(2**60, "uint8")
    assert gpuarray.zeros_pinned(3).tolist() == [0, 0, 0]


def test_dlpack(device, kind):
    x = MAKERS[kind][1](6, "int32")
    x[...] = 5
    host = np.from_dlpack(x)
    assert host.ctypes.data == x.ptr
    assert (host == 5).all()
    if device == "cpu":
        return
    assert x.__dlpack_device__() == ((3, 0) if kind == "pinned" else (13, 0))
    assert x.__dlpack__(dl_device=(1, 0), copy=False) is not None
    assert x.__dlpack__(dl_device=(2, 0), stream=1) is not None
    again = gpuarray.from_dlpack(x)
    assert again.ptr == x.ptr
    assert again.device == device
    assert again.memory_kind == kind
    del x
    assert again.tolist() == [5] * 6


def test_pinned_in_place(device):
    x = np.arange(100_000.0)
    y = np.zeros((2, 50_000))[:, ::-1]
    with gpuarray.pinned(x) as locked:
        assert locked is x
        a = gpuarray.to_device(x)
        with gpuarray.pinned(x, y) as both:
            assert both == (x, y)
            (a.reshape(2, -1) * 2).get(y)
        a.set(x[::-1])
        a.get(x)
    assert_same(x, np.arange(100_000.0)[::-1])
    assert_same(y, np.arange(100_000.0).reshape(2, -1) * 2)
    with gpuarray.pinned(np.empty((0, 3))):
        pass
    with pytest.raises(TypeError, match="list"), gpuarray.pinned([1, 2]):
        pass
    with pytest.raises(TypeError, match="at least one"), gpuarray.pinned():
        pass


def test_prefetch_and_advise(device):
    x = gpuarray.zeros_managed((1000, 100))
    x.advise("preferred_location", device)
    x.advise("accessed_by", "cpu")
    x.prefetch("cpu")
    np.asarray(x)[...] = 2
    x[1:, ::2].prefetch(device, stream=gpuarray.Stream())
    x.advise("read_mostly")
    assert x.sum().item() == 200_000
    for advice in ("preferred_location", "accessed_by", "read_mostly"):
        x.advise("unset_" + advice)
    gpuarray.zeros_managed(0).prefetch("cpu")
    for advice in ("", "unset_", "somewhere"):
        with pytest.raises(ValueError, match="read_mostly"):
            x.advise(advice)
    with pytest.raises(gpuarray.DeviceError):
        x.prefetch("cuda:99")


@pytest.mark.cuda
def test_other_memory_is_not_moved(cuda):
    for x in (gpuarray.zeros(3), gpuarray.zeros_pinned(3)):
        with pytest.raises(ValueError, match="managed"):
            x.prefetch("cpu")
        with pytest.raises(ValueError, match="managed"):
            x.advise("read_mostly")


@pytest.mark.cuda
def test_statistics_count_pinned_memory_apart(cuda):
    gc.collect()
    gpuarray.synchronize()
    gpuarray.release_pinned_memory()
    before = gpuarray.pinned_memory_stats()
    used = gpuarray.memory_stats()
    assert before["cached_bytes"] == 0
    x = gpuarray.empty_pinned(1 << 20, "uint8")
    now = gpuarray.pinned_memory_stats()
    assert now["bytes_in_use"] == before["bytes_in_use"] + (1 << 20)
    assert now["allocations"] == before["allocations"] + 1
    assert gpuarray.memory_stats() == used
    address = x.ptr
    del x
    assert gpuarray.pinned_memory_stats()["cached_bytes"] == 1 << 20
    gpuarray.synchronize()
    x = gpuarray.empty_pinned((1 << 20) - 5, "uint8")
    assert x.ptr == address
    del x
    gpuarray.release_pinned_memory()
    assert gpuarray.pinned_memory_stats()["cached_bytes"] == 0
    assert gpuarray.pinned_memory_stats()["bytes_in_use"] == before["bytes_in_use"]


@pytest.mark.cuda
def test_a_freed_block_waits_for_its_work(cuda):
    """Else the host would write into what a kernel still reads."""
    stream = gpuarray.Stream()
    source = gpuarray.zeros_pinned(SHAPE, "float32")
    target = gpuarray.empty(SHAPE, "float32")
    gpuarray.synchronize()
    with stream:
        later = zeros_later()
        target[...] = source
    del source
    np.asarray(gpuarray.empty_pinned(SHAPE, "float32"))[...] = 9
    stream.synchronize()
    assert not target.get().any()
    del later


@pytest.mark.cuda
def test_the_host_waits_for_every_stream(cuda, kind):
    shared = MAKERS[kind][1](SHAPE, "float32")
    gpuarray.synchronize()
    with gpuarray.Stream():
        shared[...] = zeros_later() + 3
    assert (np.asarray(shared) == 3).all()
    with gpuarray.Stream():
        shared[...] = zeros_later() + 4
    assert memoryview(shared)[5, 5] == 4
    with gpuarray.Stream():
        shared[...] = zeros_later() + 5
    assert (np.from_dlpack(shared) == 5).all()
    with gpuarray.Stream():
        shared[...] = zeros_later() + 6
    assert (shared.get() == 6).all()
    with gpuarray.Stream():
        copied = zeros_later() + shared
        shared.set(np.full(SHAPE, 7, "float32"))
    assert (copied.get() == 6).all()
    assert (np.asarray(shared) == 7).all()


@pytest.mark.cuda
@pytest.mark.slow
def test_more_managed_memory_than_the_device_has(cuda):
    _, total = gpuarray.Device("cuda:0").memory_info()
    x = gpuarray.empty_managed(total + (1 << 30), "uint8")
    x[-1000:] = 3
    assert x[-1000:].sum().item() == 3000
    del x
    gpuarray.release_managed_memory()
