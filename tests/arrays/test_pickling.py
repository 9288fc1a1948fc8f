# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""pickle with and without out-of-band buffers, copy and deepcopy."""

import copy
import os
import pickle

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import DTYPES
from _support.process import run_python
from _support.samples import ordinary
from _support.strategies import arrays, views
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)


def out_of_band(x):
    """The array again, and what was out of band."""
    buffers = []
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=buffers), buffers, data


@given(data=st.data(), protocol=st.sampled_from(PROTOCOLS))
def test_views(device, data, protocol):
    host = data.draw(arrays())
    a, x = data.draw(views((host, gpuarray.to_device(host))))
    assert_same(pickle.loads(pickle.dumps(x, protocol)), np.asarray(a))
    assert_same(out_of_band(x)[0], np.asarray(a))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_order_device_and_flags(device, dtype, protocol):
    host = ordinary(dtype, (3, 4))
    for x in (gpuarray.to_device(host), gpuarray.to_device(host).T):
        for writeable in (True, False):
            x.flags.writeable = writeable
            for again in (pickle.loads(pickle.dumps(x, protocol)), out_of_band(x)[0]):
                assert_same(again, x.get())
                assert again.device == x.device
                assert again.strides == x.strides
                assert again.flags.writeable == writeable


@pytest.mark.parametrize("kind", ["pinned", "managed"])
def test_kind_of_memory(device, kind):
    x = getattr(gpuarray, f"zeros_{kind}")((2, 3), np.float32)
    x[...] = 5
    for again in (pickle.loads(pickle.dumps(x)), out_of_band(x)[0], copy.deepcopy(x)):
        assert again.memory_kind == x.memory_kind
        assert_same(again, x.get())


@pytest.mark.parametrize("kind", ["device", "pinned"])
def test_elements_are_out_of_band(device, kind):
    x = gpuarray.ones(10_000) if kind == "device" else gpuarray.zeros_pinned(10_000)
    again, buffers, data = out_of_band(x)
    assert len(data) < 400
    assert [buffer.raw().nbytes for buffer in buffers] == [80_000]
    if x.memory_kind != "device":
        seen = np.frombuffer(buffers[0], np.uint8)
        assert seen.ctypes.data == x.ptr, "the memory itself"
    assert_same(again, x.get())


def test_cpu_arrays_share_buffers_of_their_own_flags():
    x = gpuarray.arange(100, device="cpu")
    data = pickle.dumps(x, 5, buffer_callback=(buffers := []).append)
    memory = bytearray(buffers[0].raw())
    again = pickle.loads(data, buffers=[memory])
    again[0] = 7
    assert np.frombuffer(memory, np.int64)[0] == 7, "as NumPy's do"
    frozen = pickle.loads(data, buffers=[bytes(memory)])
    frozen[0] = 8
    assert np.frombuffer(memory, np.int64)[0] == 7, "copied, as the array is writable"
    shifted = memoryview(bytearray(1) + memory)[1:]
    assert pickle.loads(data, buffers=[shifted]).tolist()[:2] == [7, 1], "copied, as unaligned"


def test_read_only_arrays_of_a_numpy_that_lends_none(monkeypatch):
    """As before NumPy 2.1."""
    x = gpuarray.arange(100, device="cpu")
    x.flags.writeable = False
    data = pickle.dumps(x)

    def refuse(host):
        raise BufferError("Cannot export readonly array")

    monkeypatch.setattr(gpuarray._pickling._core, "from_dlpack", refuse)
    again = pickle.loads(data)
    assert_same(again, x.get())
    assert not again.flags.writeable


def test_device_that_is_not_there(device):
    function, arguments = gpuarray.arange(3).__reduce_ex__(5)
    elsewhere = tuple("cuda:77" if value == device else value for value in arguments)
    with pytest.warns(RuntimeWarning, match="cuda:77.*made on"):
        again = function(*elsewhere)
    assert again.device == device
    assert again.tolist() == [0, 1, 2]


def test_deepcopy_honours_the_memo(device):
    x = gpuarray.to_device(np.arange(6).reshape(2, 3)).T
    memo = {}
    again = copy.deepcopy([x, {"same": x}], memo)
    assert again[0] is again[1]["same"] is memo[id(x)]
    assert again[0] is not x
    assert again[0].strides == x.strides
    assert copy.deepcopy(x, {id(x): "noted"}) == "noted"
    x.flags.writeable = False
    assert copy.deepcopy(x).flags.writeable, "as NumPy's copies"


def test_multiprocessing(device):
    """Spawned processes, which have the same devices."""
    code = f"""
    import multiprocessing
    import gpuarray

    def double(x):
        return x * 2, str(x.device)

    if __name__ == "__main__":
        gpuarray.set_default_device({device!r})
        x = gpuarray.arange(4)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            (twice, where), = pool.map(double, [x])
        assert twice.tolist() == [0, 2, 4, 6], twice
        assert where == str(twice.device) == {device!r}
        print("done")
    """
    driver = {k: v for k, v in os.environ.items() if k.startswith("GPUARRAY_")}
    assert run_python(code, file=True, **driver).split() == ["done"]
