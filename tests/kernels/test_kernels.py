# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Kernels of users: the ways to launch them, streams, attributes, graphs."""

import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from _support.kernels import SOURCE, kernel, module, untyped
from _support.measure import nothing_leaks

import gpuarray
from gpuarray import driver

pytestmark = pytest.mark.cuda

N = 1000


def operands():
    x = np.arange(N, dtype=np.float32)
    return gpuarray.to_device(x), gpuarray.ones(N, np.float32), 2 * x + 1


LAUNCHES = {
    "subscript": lambda k, *args: k[4, 256](*args),
    "tuples": lambda k, *args: k[(4,), (256, 1)](*args),
    "lists": lambda k, *args: k[[4], [256]](*args),
    "with a stream": lambda k, *args: k[4, 256, gpuarray.Stream()](*args),
    "with shared bytes": lambda k, *args: k[4, 256, None, 64](*args),
    "keywords": lambda k, *args: k(*args, grid=4, block=256),
    "all keywords": lambda k, *args: k(
        *args, grid=(4, 1, 1), block=256, shared_bytes=16, stream=None, cooperative=False
    ),
    "PyCUDA's": lambda k, *args: k(*args, block=(256, 1, 1), grid=(4, 1), shared=0),
    "CuPy's": lambda k, *args: k((4,), (256,), args),
    "CuPy's with shared_mem": lambda k, *args: k((4,), (256,), args, shared_mem=32),
    "size": lambda k, *args: k.for_size(N)(*args),
    "size and block": lambda k, *args: k.for_size(N, 128)(*args),
    "configured": lambda k, *args: k.configure(4, block=256)(*args),
    "cooperative": lambda k, *args: k.configure(4, 256, cooperative=True)(*args),
    "prepared": lambda k, *args: k.prepare("PfPi").prepared_call((4, 1), (256, 1, 1), *args),
    "prepared, with a stream": lambda k, *args: k.prepared_async_call(
        4, 256, gpuarray.Stream(), *args, shared_size=0
    ),
    "tp_call": lambda k, *args: type(k).__call__(k, *args, grid=4, block=256),
}


@pytest.mark.parametrize("launch", LAUNCHES.values(), ids=LAUNCHES)
def test_ways_to_launch(cuda, launch):
    x, y, expected = operands()
    assert launch(kernel("axpy"), x, 2.0, y, N) is None
    np.testing.assert_array_equal(y.get(), expected)


def test_a_configured_launch_is_reusable(cuda):
    x, y, _ = operands()
    launch = kernel("axpy")[4, 256]
    assert (launch.grid, launch.block, launch.shared_bytes) == ((4, 1, 1), (256, 1, 1), 0)
    assert launch.stream is None
    assert launch.kernel.name == "axpy"
    for _ in range(3):
        launch(x, 1.0, y, N)
    np.testing.assert_array_equal(y.get(), 3 * x.get() + 1)


@pytest.mark.parametrize(
    ("grid", "block"),
    [(1, 1), (3, 5), ((2, 3), 4), ((2, 2, 2), (3, 2, 4)), (1, (1, 1, 64)), (np.int64(2), (8, 2))],
)
def test_dimensions(cuda, grid, block):
    blocks, threads = int(np.prod(grid)), int(np.prod(block))
    out = gpuarray.empty(blocks * threads, np.int32)
    kernel("where_am_i")[grid, block](out)
    expected = 1000 * np.arange(blocks)[:, None] + np.arange(threads)
    np.testing.assert_array_equal(out.get(), expected.ravel())


@pytest.mark.parametrize(
    ("size", "block", "grid"), [((5, 9), (4, 4), (2, 3, 1)), (1, 32, (1, 1, 1))]
)
def test_grid_for_a_size(cuda, size, block, grid):
    assert kernel("nothing").for_size(size, block).grid == grid


@pytest.mark.parametrize("block", [1, 256, 1000])
def test_sizes_beyond_any_grid(cuda, block):
    with pytest.raises(ValueError, match=rf"for_size: .* takes {-(-(2**63 - 1) // block)} blocks"):
        kernel("nothing").for_size(2**63 - 1, block)
    with pytest.raises(ValueError, match="65535 blocks along y"):
        kernel("nothing").for_size((1, 2**20), (1, 16))


def test_a_size_of_nothing_launches_nothing(cuda):
    gpuarray.synchronize()
    launch = kernel("fill").for_size(0)
    launch(gpuarray.empty(0), 1.0, 0)
    assert gpuarray.pending_launches(cuda) == []
    with pytest.raises(TypeError, match="expected 3 arguments"):
        launch()


def test_one_block_as_is(cuda):
    out = gpuarray.zeros(4, np.int32)
    kernel("where_am_i")(out, block=(2, 2))
    assert out.tolist() == [0, 1, 2, 3]


def test_no_parameters(cuda):
    kernel("nothing")[1, 1]()
    gpuarray.synchronize()


@pytest.mark.parametrize("n", [16, 12_000, 40_000])
def test_dynamic_shared_memory(cuda, n):
    x = gpuarray.to_device(np.arange(n, dtype=np.float32))
    kernel("reverse")[1, 256, None, 4 * n](x, n)
    np.testing.assert_array_equal(x.get(), np.arange(n)[::-1])


def test_a_size_with_much_shared_memory(cuda):
    own = gpuarray.Module(SOURCE).get_function("reverse")
    assert own.for_size(100, shared_bytes=100_000).block[0] >= 32
    with pytest.raises(ValueError, match="of dynamic shared memory"):
        own.for_size(100, shared_bytes=1 << 30)
    with pytest.raises(ValueError, match="of dynamic shared memory"):
        own.suggested_block(-1)


def test_setting_dynamic_shared_memory(cuda):
    reverse = kernel("reverse")
    reverse.max_dynamic_shared_size_bytes = 100_000
    assert reverse.max_dynamic_shared_size_bytes == 100_000
    with pytest.raises(ValueError, match=r"reverse: expected at most \d+ bytes of dynamic shared"):
        reverse.max_dynamic_shared_size_bytes = 1 << 30


def test_attributes(cuda):
    axpy = kernel("axpy")
    assert axpy.name == "axpy"
    assert axpy.device == cuda
    assert 1 <= axpy.max_threads_per_block <= 1024
    assert axpy.num_regs == axpy.registers > 0
    assert axpy.shared_size_bytes == axpy.local_size_bytes == 0
    assert axpy.binary_version >= 70
    assert axpy.ptx_version >= 50
    assert axpy.const_size_bytes >= 0
    attributes = axpy.attributes
    assert attributes["num_regs"] == axpy.num_regs
    assert len(attributes) == 8
    assert repr(axpy) == (
        f"<gpuarray.Kernel axpy (const float* x, float a, float* y, int n) on {cuda}>"
    )


def test_parameters(cuda):
    assert kernel("axpy").parameters == (
        driver.Parameter(0, 8, "const float* x"),
        driver.Parameter(8, 4, "float a"),
        driver.Parameter(16, 8, "float* y"),
        driver.Parameter(24, 4, "int n"),
    )
    assert [p.declaration for p in untyped("axpy").parameters] == [""] * 4
    assert kernel("put").parameters[1].nbytes == 24


def test_parameters_of_a_kernel_that_is_prepared_meanwhile(cuda, monkeypatch):
    axpy = kernel("axpy").with_signature("const float* the_first, float a, float* y, int count")
    expected = axpy.parameters
    make = driver.Parameter

    def prepare_and_make(*args):
        for _ in range(4):
            axpy.prepare("PfPi")
        return make(*args)

    monkeypatch.setattr(driver, "Parameter", prepare_and_make)
    assert axpy.parameters == expected


def test_occupancy(cuda):
    axpy = kernel("axpy")
    assert axpy.occupancy(64) >= axpy.occupancy(1024) >= 1
    assert axpy.occupancy((16, 16)) == axpy.occupancy(256)
    assert axpy.occupancy(64, 40_000) < axpy.occupancy(64)
    assert 32 <= axpy.suggested_block() <= axpy.max_threads_per_block
    assert axpy.for_size(10).block == (axpy.suggested_block(), 1, 1)
    with pytest.raises(ValueError, match="expected a block of 1 to"):
        axpy.occupancy(4096)


def test_launches_are_ordered_with_other_work(cuda):
    """On any stream, as the kernel's arrays are opened for it."""
    first, second = gpuarray.Stream(), gpuarray.Stream()
    with first:
        x = gpuarray.to_device(np.arange(N, dtype=np.float32)) * 3
    y = gpuarray.ones(N, np.float32)
    kernel("axpy")[4, 256, second](x, 1.0, y, N)
    with first:
        z = y + 1
    y += 100
    np.testing.assert_array_equal(z.get(), 3.0 * np.arange(N) + 2)
    np.testing.assert_array_equal(y.get(), 3.0 * np.arange(N) + 101)


def test_the_current_stream(cuda):
    x, y, expected = operands()
    stream = gpuarray.Stream()
    with stream:
        kernel("axpy").for_size(N)(x, 2.0, y, N)
        assert gpuarray.pending_launches(cuda)[0].stream == stream.ptr
    np.testing.assert_array_equal(y.get(), expected)


def test_foreign_streams(cuda):
    x, y, expected = operands()

    class Foreign:
        def __cuda_stream__(self):
            return 0, stream.ptr

    stream = gpuarray.Stream()
    kernel("axpy")(x, 1.0, y, N, grid=4, block=256, stream=Foreign())
    kernel("axpy")(x, 1.0, y, N, grid=4, block=256, stream=stream.ptr)
    np.testing.assert_array_equal(y.get(), expected)


def test_what_is_read_only_may_be_read_at_a_time(cuda):
    """An array for a const pointer is opened as a read: nothing waits for it but writes."""
    x, y, expected = operands()
    x.flags.writeable = False
    kernel("axpy")[4, 256](x, 2.0, y, N)
    np.testing.assert_array_equal(y.get(), expected)


def test_launches_in_a_graph(cuda):
    own = gpuarray.Module(SOURCE)
    x, y, _ = operands()
    with gpuarray.capture() as graph:
        own.get_function("axpy")[4, 256](x, 1.0, y, N)
        y *= 2
    del own
    gc.collect()
    for _ in range(2):
        graph.launch()
    np.testing.assert_array_equal(y.get(), ((1 + x.get()) * 2 + x.get()) * 2)


def test_launches_from_threads(cuda):
    """Each on a stream of its own, all of one kernel and its configured launch."""
    fill = kernel("fill").with_signature("double* x, double value, int n")
    launch = fill[4, 64]

    def work(value):
        with gpuarray.Stream():
            x = gpuarray.empty(N)
            for _ in range(50):
                launch(x, 0, N)
                fill.for_size(N)(x, value, N)
            return x.get()

    with ThreadPoolExecutor(4) as pool:
        for value, found in enumerate(pool.map(work, range(8))):
            np.testing.assert_array_equal(found, np.full(N, value))


def test_launches_are_noted(cuda):
    gpuarray.synchronize()
    x, y, _ = operands()
    gpuarray.set_launch_lines(True)
    try:
        kernel("axpy")[(4, 1), 256](x, 2.0, y, N)
    finally:
        gpuarray.set_launch_lines(False)
    launch = gpuarray.pending_launches(cuda)[0]
    assert launch.operation == "axpy"
    assert launch.shape == (4, 1, 1)
    assert launch.block == (256, 1, 1)
    assert launch.dtype is None
    assert "test_kernels.py" in launch.place


def test_blocking_launches(cuda):
    x, y, expected = operands()
    gpuarray.set_launch_blocking(True)
    try:
        kernel("axpy")[4, 256](x, 2.0, y, N)
        assert gpuarray.pending_launches(cuda) == []
    finally:
        gpuarray.set_launch_blocking(False)
    np.testing.assert_array_equal(y.get(), expected)


def test_handles(cuda):
    axpy = kernel("axpy")
    assert module().handle == module()._library.handle > 0
    assert axpy.handle > 0
    assert axpy.function_handle > 0
    assert driver.context() == driver.context(cuda) > 0
    assert driver.device_handle(cuda) == 0

    class Foreign:
        def __int__(self):
            return axpy.handle

    x, y, expected = operands()
    again = driver.Kernel.from_handle(Foreign(), cuda, "const float*, float, float*, int")
    assert again.name == "axpy"
    again[4, 256](x, 2.0, y, N)
    np.testing.assert_array_equal(y.get(), expected)


def test_handles_of_the_cpu():
    with pytest.raises(gpuarray.DeviceError, match="expected a CUDA device, got cpu"):
        driver.context("cpu")
    with pytest.raises(gpuarray.DeviceError, match="expected a CUDA device, got cpu"):
        driver.device_handle("cpu")


def test_nothing_leaks(cuda):
    x, y, _ = operands()
    axpy, host = kernel("axpy"), np.ones(N, np.float32)
    launch = axpy[4, 256]

    def storm():
        for _ in range(50):
            launch(x, 2.0, y, N)
            axpy(x, np.float32(2), y, np.int64(N), grid=4, block=256, stream=gpuarray.Stream())
            launch(driver.In(host), 2.0, driver.InOut(host), N)
            with pytest.raises(TypeError):
                launch(x, 2.0, y)
            with pytest.raises(TypeError):
                launch(x, 2.0, "y", N)

    storm()
    with nothing_leaks(cuda, x, y, host, axpy, launch):
        storm()
