# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Ndarrays over memory of the cpu device that a debugger, a profiler or a traceback keeps."""

import gc
from pathlib import Path

import numpy as np
import pytest
from _support.process import run_python
from _support.strategies import arrays
from exchange.numpy_frames import is_owned, keeping
from hypothesis import given

import gpuarray
from gpuarray import _core

TESTS = Path(__file__).parents[1]


# In a process of its own, because dangling memory may end it.
@pytest.mark.parametrize("size", [64, 4096])
def test_of_all_functions_that_numpy_serves(size):
    run_python(
        f"""
        import sys
        sys.path.insert(0, {str(TESTS)!r})
        from exchange.numpy_frames import check
        check({size})
        """,
        GPUARRAY_DEVICE="cpu",
        OPENBLAS_NUM_THREADS="1",
    )


def call_numpy(function, *arguments):
    return _core._call_numpy(function, arguments, {}, True, True, True)


@given(host=arrays(dtype=np.float32))
def test_a_kept_ndarray_keeps_the_memory(host):
    kept = []
    a = gpuarray.to_device(host, device="cpu").T
    result = call_numpy(lambda x: kept.append(x) or x + 1, a)
    assert isinstance(result, gpuarray.GPUArray)
    assert kept[0].base is not None
    assert kept[0].flags.writeable
    del a
    gc.collect()
    others = [gpuarray.full(host.shape, 666.0, "float32", device="cpu") for _ in range(3)]
    np.testing.assert_array_equal(kept[0], host.T)
    kept[0][...] = -1
    assert all((x.get() == 666).all() for x in others)
    np.testing.assert_array_equal(result.get(), host.T + np.float32(1))


def test_what_is_pending_and_a_kept_ndarray():
    with gpuarray.device("cpu"):
        kept = []
        a = gpuarray.arange(6.0) * 2
        before = a + 1  # may wait, and reads `a` then
        call_numpy(lambda x: kept.append(x) or x.copy(), a)
        after = a + 1
        kept[0][...] = 100
        assert before.tolist() == [1, 3, 5, 7, 9, 11]
        assert after.tolist() == [1, 3, 5, 7, 9, 11]
        assert a.tolist() == [100] * 6
        a += 1
        assert kept[0].tolist() == [101] * 6


def test_read_only_arrays_stay_read_only():
    kept = []
    a = gpuarray.arange(4.0, device="cpu")
    a.flags.writeable = False
    call_numpy(lambda x: kept.append(x) or x.copy(), a)
    assert not kept[0].flags.writeable
    with pytest.raises(ValueError, match="WRITEABLE"):
        kept[0].flags.writeable = True


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x,
        lambda x: x[1:],
        lambda x: x[1:][::-1].T,
        lambda x: x.view(np.int8)[4:],
        lambda x: np.asarray(memoryview(x)),
        lambda x: (x.copy(), x[:2]),
        lambda x: np.ravel(x),
        lambda x: np.broadcast_to(x, (3, *x.shape)),
    ],
)
def test_a_result_that_is_a_view_is_no_result(view):
    a = gpuarray.arange(50_000.0, device="cpu")
    assert call_numpy(view, a) is NotImplemented


def test_the_traceback_of_an_interrupt():
    def interrupted(x):
        y = x[::2]
        raise KeyboardInterrupt(y.shape)

    a = gpuarray.arange(100_000.0, device="cpu")
    try:
        call_numpy(interrupted, a)
    except KeyboardInterrupt as error:
        frames = [error.__traceback__]
        while frames[-1].tb_next:
            frames.append(frames[-1].tb_next)
        kept = [frames[-1].tb_frame.f_locals[name] for name in "xy"]
    del a
    gc.collect()
    others = [gpuarray.full(100_000, 666.0, device="cpu") for _ in range(3)]
    assert all(is_owned(array) for array in kept)
    assert kept[0][-1] == 99_999
    assert kept[1][-1] == 99_998
    kept[1][...] = -1
    assert all((x == 666).all() for x in others)


def test_products_by_numpy_keep_their_temporaries():
    m = gpuarray.ones((64, 64), "float16", device="cpu")
    kept = keeping(lambda: m @ m)
    seen = [array for array in kept if array.dtype == np.float32]
    assert len(seen) >= 3
    assert all(is_owned(array) for array in seen)
    gpuarray.full((64, 64), 666.0, "float32", device="cpu")
    assert {array[0, 0] for array in seen} == {1, 64}
