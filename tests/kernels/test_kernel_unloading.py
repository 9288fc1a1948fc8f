# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Modules are unloaded once: not under a launch, a captured graph or a capture."""

import ctypes
import gc
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from _support.kernels import SOURCE

import gpuarray

pytestmark = pytest.mark.cuda

N = 1000


def operands():
    x = np.arange(N, dtype=np.float32)
    return gpuarray.to_device(x), gpuarray.ones(N, np.float32), 2 * x + 1


def test_modules_are_not_unloaded_in_a_capture(cuda):
    own = gpuarray.Module(SOURCE)
    with gpuarray.capture(), pytest.raises(gpuarray.CaptureError):
        own._library.unload()
    assert own._library.loaded


def test_modules_are_not_unloaded_while_a_graph_uses_them(cuda):
    own = gpuarray.Module(SOURCE)
    axpy = own.get_function("axpy")
    x, y, _ = operands()
    with gpuarray.capture() as graph:
        axpy[4, 256](x, 1.0, y, N)
        axpy[4, 256](x, 1.0, y, N)
    with gpuarray.capture() as other:
        axpy[4, 256](x, 1.0, y, N)
    for user in (graph, other):
        with pytest.raises(ValueError, match="a captured graph uses the module"):
            own.unload()
        user.launch()
    np.testing.assert_array_equal(y.get(), 1 + 3 * x.get())
    axpy[4, 256](x, 1.0, y, N)
    del graph, user
    with pytest.raises(ValueError, match="a captured graph uses the module"):
        own.unload()
    del other
    own.unload()
    with pytest.raises(ValueError, match="the module was unloaded"):
        axpy[4, 256](x, 1.0, y, N)
    np.testing.assert_array_equal(y.get(), 1 + 4 * x.get())


def test_unloading(cuda):
    own = gpuarray.Module(SOURCE)
    library, axpy = own._library, own.get_function("axpy")
    x, y, expected = operands()
    axpy[4, 256](x, 2.0, y, N)
    launch = axpy[4, 256]
    own.unload()
    assert not library.loaded
    np.testing.assert_array_equal(y.get(), expected)
    with pytest.raises(ValueError, match="the module was unloaded"):
        axpy[4, 256](x, 2.0, y, N)
    with pytest.raises(ValueError, match="the module was unloaded"):
        launch(x, 2.0, y, N)
    with pytest.raises(ValueError, match="the module was unloaded"):
        _ = axpy.num_regs
    with pytest.raises(ValueError, match="the module was unloaded"):
        library.kernel("axpy")
    library.unload()


def test_launches_while_their_module_is_unloaded(cuda):
    """While it waits for the work queued before, it takes no more."""
    own = gpuarray.Module(SOURCE)
    library, launch = own._library, own.get_function("axpy")[4, 256]
    x, y, expected = operands()
    go_on, stream = threading.Event(), gpuarray.Stream()
    launch(x, 2.0, y, N)
    stream.launch_host_func(go_on.wait, 30)
    with ThreadPoolExecutor(2) as pool:
        unloads = [pool.submit(unload) for unload in (own.unload, library.unload)]
        try:
            deadline = time.monotonic() + 10
            while library.loaded and time.monotonic() < deadline:
                time.sleep(0.01)
            with pytest.raises(ValueError, match="the module was unloaded"):
                launch(x, 2.0, y, N)
            assert not any(unload.done() for unload in unloads)
        finally:
            go_on.set()
        for unload in unloads:
            unload.result(30)
    np.testing.assert_array_equal(y.get(), expected)


def test_many_threads_unload_what_others_launch(cuda):
    for _ in range(20):
        own = gpuarray.Module(SOURCE)
        launch = own.get_function("nothing")[1, 1]
        together = threading.Barrier(4)

        def unload(own=own, together=together):
            together.wait()
            own.unload()

        def work(launch=launch, together=together):
            together.wait()
            with pytest.raises(ValueError, match="the module was unloaded"):
                while True:
                    launch()

        with ThreadPoolExecutor(4) as pool:
            for done in [pool.submit(part) for part in (unload, work, unload, work)]:
                done.result(60)
    gpuarray.synchronize()


def test_kernels_keep_their_module(cuda):
    own = gpuarray.Module(SOURCE)
    launch = own.get_function("axpy")[4, 256]
    del own
    gc.collect()
    x, y, expected = operands()
    launch(x, 2.0, y, N)
    np.testing.assert_array_equal(y.get(), expected)


@pytest.mark.skipif("GPUARRAY_TEST_DRIVER" not in os.environ, reason="counts calls of the driver")
def test_code_dropped_in_a_capture_is_given_back(cuda):
    calls = ctypes.CDLL(os.environ["GPUARRAY_LIBCUDA"]).stub_calls
    calls.argtypes, calls.restype = [ctypes.c_char_p], ctypes.c_uint64

    def unloaded():
        return calls(b"cuLibraryUnload")

    gc.collect()
    gpuarray.Module(SOURCE)
    before = unloaded()
    with gpuarray.capture():
        gpuarray.Module(SOURCE)
        gpuarray.Module(SOURCE)
        assert unloaded() == before
    gpuarray.Module(SOURCE).unload()
    assert unloaded() == before + 3


def test_all_teardown_callbacks_are_called(cuda):
    called = []

    def fail(module):
        called.append("fails")
        raise KeyError("teardown")

    code = gpuarray.CUSource(SOURCE, teardown_callback=lambda module: called.append("code"))
    own = gpuarray.Module(code, teardown_callback=fail)
    with pytest.raises(KeyError, match="teardown"):
        own.unload()
    assert sorted(called) == ["code", "fails"]
    own.unload()
    assert sorted(called) == ["code", "fails"]
