# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What is wrong with a launch is said before it: nothing is launched, nothing leaks."""

import os
import re

import numpy as np
import pytest
from _support.faults import run_silently
from _support.kernels import kernel, module, untyped
from _support.measure import nothing_leaks

import gpuarray
from gpuarray import _core, driver

pytestmark = pytest.mark.cuda


def refused(call, error, *patterns):
    """The message of a launch that is refused: it is not made, and what it was given is free."""
    gpuarray.synchronize()
    before = gpuarray.pending_launches()
    with pytest.raises(error) as caught:
        call()
    text = str(caught.value)
    for pattern in patterns:
        assert re.search(pattern, text), text
    del caught
    assert gpuarray.pending_launches() == before
    with nothing_leaks("cuda:0"):
        for _ in range(20):
            with pytest.raises(error):
                call()


@pytest.fixture
def x(cuda):
    return gpuarray.ones(64, np.float32)


@pytest.mark.parametrize("count", [0, 3, 5])
@pytest.mark.parametrize("find", [kernel, untyped])
def test_count(x, find, count):
    args = (x, np.float32(1), x, 64, 64)[:count]
    axpy = find("axpy")
    signature = r" \(const float\* x, float a, float\* y, int n\)" if find is kernel else ""
    refused(
        lambda: axpy[1, 64](*args),
        TypeError,
        f"^axpy: expected 4 arguments{signature}, got {count}$",
    )


def test_size(x):
    axpy = untyped("axpy")
    refused(
        lambda: axpy[1, 64](x, np.float64(1), x, 64),
        TypeError,
        r"argument 2 of axpy: expected a value of 4 bytes, got a numpy.float64 of 8",
    )
    refused(
        lambda: axpy[1, 64](x, x, x, 64),
        TypeError,
        "expected a value of 4 bytes, got an array, whose address has 8",
    )
    refused(
        lambda: kernel("put")[1, 1](x.ptr, np.zeros(1, "V16")[0]),
        TypeError,
        r"argument 2 of put \(Particle value\): expected 24 bytes, got void of 16",
    )


def test_type(x):
    axpy = kernel("axpy")
    cases = {
        r"argument 1 of axpy \(const float\* x\): expected an array of float32, got one of fl": (
            (gpuarray.ones(64), 1.0, x, 64)
        ),
        r"argument 2 of axpy \(float a\): expected float32, got an array; a\.item\(\)": (
            x,
            x,
            x,
            64,
        ),
        r"argument 4 of axpy \(int n\): expected int32, got a float": (x, 1.0, x, 64.0),
        r"argument 1 .*: expected an array or an address, got a float": (2.5, 1.0, x, 64),
        r"argument 2 .*: expected a value of 4 bytes, got str": (x, "1", x, 64),
        r"argument 3 .*: expected an array, an address or a value of 8 bytes, got str": (
            x,
            1,
            "",
            1,
        ),
        r"argument 4 .*: expected a value of 4 bytes, got NoneType": (x, 1.0, x, None),
        r"argument 2 .*: expected float32, got a numpy.float64": (x, np.float64(1), x, 64),
        r"argument 2 .*: expected float32, got a complex": (x, 1j, x, 64),
    }
    for message, args in cases.items():
        refused(lambda args=args: axpy[1, 64](*args), TypeError, message)


def test_a_float_for_a_parameter_of_four_bytes(x):
    refused(
        lambda: untyped("axpy")[1, 64](x, 2.5, x, 64),
        TypeError,
        r"argument 2 of axpy: the parameter has 4 bytes, a float of Python has 8; pass "
        r"numpy\.float32\(x\), or give the kernel's signature",
    )


def test_range(x):
    refused(
        lambda: kernel("axpy")[1, 64](x, 1.0, x, 2**31),
        OverflowError,
        r"argument 4 of axpy \(int n\): 2147483648 is out of bounds for int32",
    )
    refused(
        lambda: kernel("axpy")[1, 64](-1, 1.0, x, 1),
        OverflowError,
        "-1 is out of bounds for a pointer",
    )
    refused(lambda: kernel("axpy")[1, 64](x, 1.0, x, 2**64), OverflowError, "more than 64 bits")


@pytest.mark.parametrize("find", [kernel, untyped])
def test_host_arrays(x, find):
    refused(
        lambda: find("axpy")[1, 64](np.ones(64, np.float32), np.float32(1), x, 64),
        TypeError,
        r"argument 1 of axpy.*: expected an array on a device, got a NumPy array; "
        r"gpuarray\.to_device\(x\) .*gpuarray\.driver\.In\(x\)",
    )


def test_arrays_of_the_cpu(x):
    refused(
        lambda: kernel("axpy")[1, 64](gpuarray.ones(64, np.float32, device="cpu"), 1.0, x, 64),
        gpuarray.DeviceError,
        r"argument 1 of axpy .*: expected an array on cuda:0, got one on cpu",
    )


def test_arrays_of_another_device(two_cuda_devices):
    x = gpuarray.ones(64, np.float32, device=two_cuda_devices[1])
    refused(
        lambda: kernel("axpy")[1, 64](x, 1.0, x, 64),
        gpuarray.DeviceError,
        "expected an array on cuda:0, got one on cuda:1",
    )


def test_contiguity(x):
    refused(
        lambda: kernel("axpy")[1, 32](x[::2], 1.0, x, 32),
        ValueError,
        r"argument 1 of axpy .*: expected a C-contiguous array, got shape \(32,\) with strides "
        r"\(2,\) in elements; gpuarray\.ascontiguousarray\(a\) makes one",
    )


def test_read_only_arrays(x):
    x.flags.writeable = False
    refused(
        lambda: kernel("axpy")[1, 64](x, 1.0, x, 64),
        ValueError,
        r"argument 3 of axpy \(float\* y\): the array is read-only, and the kernel's pointer is",
    )
    untyped("axpy")[1, 64](x, np.float32(1), gpuarray.ones(64, np.float32), 64)


def test_nothing_is_copied_in_where_another_argument_is_wrong(x):
    host = np.ones(64, np.float32)
    refused(lambda: kernel("axpy")[1, 64](driver.In(host), 1.0, driver.InOut(host), "n"), TypeError)
    refused(
        lambda: kernel("axpy")[1, 64](driver.In(np.ones(64)), 1.0, x, 64),
        TypeError,
        "expected an array of float32, got one of float64",
    )


LIMITS = {
    "grid along x": (
        (2**31, 1),
        r"grid \(2147483648, 1, 1\): cuda:0 takes at most 2147483647 .*x$",
    ),
    "grid along y": (((1, 65536), 1), r"grid \(1, 65536, 1\): .* at most 65535 blocks along y$"),
    "grid along z": (((1, 1, 65536), 1), "at most 65535 blocks along z$"),
    "block along x": (
        (1, 1025),
        r"block \(1025, 1, 1\): cuda:0 takes at most 1024 threads along x$",
    ),
    "block along z": ((1, (1, 1, 65)), "at most 64 threads along z$"),
    "threads": (
        (1, (32, 33)),
        r"block \(32, 33, 1\) has 1056 threads: cuda:0 takes at most 1024 a",
    ),
    "shared bytes": (
        (1, 1, None, 1 << 20),
        r"expected at most \d+ bytes of dynamic shared memory.*1048576",
    ),
    "negative shared bytes": ((1, 1, None, -1), "shared_bytes: expected 0 to"),
    "no grid": ((0, 1), "grid: expected at least 1 along each axis, got 0"),
    "no block": ((1, (4, 0)), "block: expected at least 1 along each axis, got 0"),
    "negative grid": (((1, -2), 1), "grid: expected at least 1 along each axis, got -2"),
    "four axes": (((1, 1, 1, 1), 1), "grid: expected 1 to 3 extents, got 4"),
    "no axes": (((), 1), "grid: expected 1 to 3 extents, got 0"),
}


@pytest.mark.parametrize(("key", "message"), LIMITS.values(), ids=LIMITS)
def test_limits(cuda, key, message):
    refused(lambda: kernel("nothing")[key], ValueError, message)
    words = dict(zip(("grid", "block", "stream", "shared_bytes"), key, strict=False))
    refused(lambda: kernel("nothing")(**words), ValueError, message)


def test_the_limit_of_a_cooperative_launch(cuda):
    refused(
        lambda: kernel("nothing").configure(1 << 20, 1024, cooperative=True),
        ValueError,
        r"has 1048576 blocks, a cooperative launch may have those that cuda:0 runs at a time, \d+",
    )


def test_clusters(cuda):
    nothing = kernel("nothing")
    if "GPUARRAY_TEST_DRIVER" in os.environ:
        refused(
            lambda: nothing(grid=4, block=1, cluster=2), gpuarray.DeviceError, "has no clusters"
        )
        return
    nothing(grid=4, block=32, cluster=2)
    nothing(grid=(16, 2), block=32, cluster=(8, 2))
    gpuarray.synchronize()
    refused(
        lambda: nothing(grid=5, block=1, cluster=2), ValueError, r"cluster \(2, 1, 1\) does not"
    )
    refused(lambda: nothing(grid=32, block=1, cluster=32), ValueError, "32 blocks, the limit is 16")


CALLS = {
    "no block": (lambda k: k(grid=1), "expected grid= and block=, got no block"),
    "no shape": (lambda k: k(), r"got no block; kernel\.for_size\(n\) chooses them"),
    "keyword": (lambda k: k(grid=1, block=1, blok=2), "unexpected keyword argument 'blok'"),
    "keyword of a launch": (lambda k: k[1, 1](n=2), "by position only"),
    "index": (lambda k: k[1], r"expected kernel\[grid, block\]"),
    "long index": (lambda k: k[1, 1, None, 0, 0], r"expected kernel\[grid, block\]"),
    "type of grid": (lambda k: k["1", 1], "grid: expected an int or a tuple of 1 to 3, got str"),
    "float grid": (lambda k: k[1.0, 1], "grid: expected an int or a tuple of 1 to 3, got float"),
    "stream": (lambda k: k[1, 1, "s"](), "stream: expected a Stream"),
    "three positions": (lambda k: k.configure(1, 1, 1), "takes 2 positional"),
    "grid and size": (lambda k: k.for_size(1, grid=1), "the grid follows from the size"),
    "no size": (lambda k: k.for_size(), "takes a size"),
    "prepared": (
        lambda k: k.prepared_call(1),
        "prepared_call: expected grid, block and the kernel",
    ),
    "prepared word": (lambda k: k.prepared_call(1, 1, stream=0), "no keyword but shared_size"),
}


@pytest.mark.parametrize(("call", "message"), CALLS.values(), ids=CALLS)
def test_calls(cuda, call, message):
    refused(lambda: call(kernel("nothing")), TypeError, message)


def test_sizes(cuda):
    nothing = kernel("nothing")
    refused(lambda: nothing.for_size(-1), ValueError, "for_size: expected at least 0, got -1")
    refused(lambda: nothing.for_size((2, 2)), ValueError, "sizes along 2 axes need a block")
    refused(lambda: nothing.for_size(2**40, 1), ValueError, r"takes 1099511627776 blocks of 1 th")


def test_streams_of_another_device(cuda):
    refused(
        lambda: kernel("nothing")[1, 1, gpuarray.Stream("cpu")](),
        gpuarray.DeviceError,
        "expected a stream of cuda:0, got one of cpu",
    )


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        ("float* x", "the signature has 1 parameter, the compiled kernel has 4"),
        ("float* x, double a, float* y, int n", "2 of the signature, double a, has 8 bytes, .* 4"),
    ],
)
def test_signatures_that_do_not_fit(cuda, signature, message):
    refused(lambda: kernel("axpy").with_signature(signature), ValueError, message)
    refused(lambda: kernel("axpy").prepare(signature), ValueError, message)
    refused(lambda: module().get_function("axpy", signature), ValueError, message)


def test_unknown_names(cuda):
    library = module()._library
    refused(
        lambda: library.kernel("axpyy"),
        LookupError,
        "the module has no kernel 'axpyy'; did you mean 'axpy'",
    )
    refused(lambda: library.kernel("zzz"), LookupError, "it has 'axpy', 'big', 'fill'")
    refused(lambda: library.global_("zzz"), LookupError, "the module has no variable 'zzz'")


def test_images_that_are_none(cuda):
    for image in (b"\x7fELF" + b"\0" * 200, b"nonsense of no kind"):
        refused(
            lambda image=image: _core._Library(image),
            (gpuarray.DeviceError, gpuarray.CompileError),
            r"cuda:0 \(.*compute capability",
        )
    refused(lambda: _core._Library(b""), ValueError, "the image is empty")
    refused(lambda: _core._Library(1), TypeError, "expected an image as bytes, got int")
    refused(lambda: _core._Library(b"x", "cpu"), gpuarray.DeviceError, "CUDA device, got cpu")


def test_handles_that_are_none(cuda):
    refused(lambda: driver.Kernel.from_handle(0), ValueError, "expected a CUkernel, got 0")
    refused(lambda: driver.Kernel.from_handle("x"), ValueError, "invalid literal")


@pytest.mark.skipif("GPUARRAY_TEST_DRIVER" not in os.environ, reason="of the test driver")
def test_drivers_that_do_not_tell_the_parameters():
    out = run_silently(
        """
        import numpy as np, gpuarray
        source = 'extern "C" __global__ void add(double* x, float y, int n) { x[n] += y; }'
        module = gpuarray.Module(source)
        x = gpuarray.zeros(3)
        module.get_function("add")[1, 1](x, 2.5, 1)
        module.get_function("add", "double*, float, int")[1, 1](x, 2.5, 1)
        print(x.tolist())
        library = module._library
        for call in (
            lambda: library.kernel("add"),
            lambda: library.kernel("add", "double*, Point, int"),
            library.kernel_names,
            lambda: library.kernel("adds"),
        ):
            try:
                call()
            except (gpuarray.DeviceError, LookupError) as error:
                print(error)
        """,
        "cuda:0",
        PYTHONWARNINGS="ignore",
        GPUARRAY_TEST_DRIVER_LACKS="cuFuncGetParamInfo,cuLibraryEnumerateKernels,cuKernelGetName,",
    )
    assert out.splitlines() == [
        "[0.0, 5.0, 0.0]",
        "add: a driver before CUDA 12.4 does not tell what parameters a kernel has; give its "
        "signature",
        "add: a driver before CUDA 12.4 does not tell the size of parameter 2, Point",
        "the names of a module's kernels need a driver for CUDA 12.4; this one is 13.0",
        "the module has no kernel 'adds'",
    ]


def test_a_kernel_that_writes_out_of_bounds_is_named():
    out = run_silently(
        """
        import numpy as np, gpuarray
        source = 'extern "C" __global__ void wild(float* x) { x[threadIdx.x + (1ull << 40)] = 1; }'
        wild = gpuarray.Module(source).get_function("wild")
        gpuarray.set_launch_lines(True)
        x = gpuarray.ones(4, np.float32)
        wild[1, 4](x)
        try:
            x.get()
        except gpuarray.CudaError as error:
            print(error)
            print(error.launches[0].operation, error.launches[0].block)
        """,
        "cuda:0",
        PYTHONWARNINGS="ignore",
    )
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in out
    assert "wild<<<(1, 1, 1), (4, 1, 1)>>>" in out
    assert "wild (4, 1, 1)" in out
