# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Every dtype, layout and kind of memory to each library that has it, and back: one address."""

import importlib
import itertools
from dataclasses import dataclass, field

import pytest
from _support.compare import Collector, assert_same, host
from _support.dtypes import DTYPES
from _support.pending import needs_late_work, zeros_later
from _support.samples import ordinary

import gpuarray

SHAPES = [(), (0,), (5,), (4, 6), (2, 3, 4)]
NAMES = {dtype.name for dtype in DTYPES}
NUMPYS = NAMES - {"bfloat16"}
MAKERS = {
    "host": gpuarray.empty,
    "device": gpuarray.empty,
    "pinned": gpuarray.empty_pinned,
    "managed": gpuarray.empty_managed,
}
# An array of this shape in memory that `make` makes.
LAYOUTS = {
    "contiguous": lambda make, shape, dtype: make(shape, dtype),
    "strided": lambda make, shape, dtype: make([2 * n for n in shape], dtype)[
        (*(slice(None, None, 2),) * len(shape), ...)
    ],
    "transposed": lambda make, shape, dtype: make(shape[::-1], dtype).T,
    "inner": lambda make, shape, dtype: make([n + 3 for n in shape], dtype)[
        (*(slice(1, 1 + n) for n in shape), ...)
    ],
    "reversed": lambda make, shape, dtype: make(shape, dtype)[
        (*(slice(None, None, -1),) * len(shape), ...)
    ],
}
POSITIVE = tuple(LAYOUTS)[:-1]


@dataclass(frozen=True)
class Way:
    """How a library takes a GPUArray, and what it can take."""

    module: str
    take: str  # of `a` and `lib`
    address: str  # of `theirs`
    dtypes: set[str] = field(default_factory=lambda: NUMPYS)
    layouts: tuple[str, ...] = tuple(LAYOUTS)
    kinds: tuple[str, ...] = ("device",)
    back: str = "asarray"
    back_dtypes: set[str] = field(default_factory=lambda: NAMES)
    shapes: tuple[tuple[int, ...], ...] = tuple(SHAPES)


HOST = {"kinds": ("host", "pinned", "managed"), "back": "from_dlpack", "back_dtypes": NUMPYS}
FILLED = tuple(shape for shape in SHAPES if 0 not in shape)
WAYS = {
    "numpy.asarray": Way("numpy", "lib.asarray(a)", "theirs.ctypes.data", NAMES, **HOST),
    "numpy.from_dlpack": Way("numpy", "lib.from_dlpack(a)", "theirs.ctypes.data", **HOST),
    "cupy.from_dlpack": Way("cupy", "lib.from_dlpack(a)", "theirs.data.ptr"),
    "cupy.asarray": Way("cupy", "lib.asarray(a)", "theirs.data.ptr", kinds=("device", "managed")),
    "torch.from_dlpack": Way("torch", "lib.from_dlpack(a)", "theirs.data_ptr()", NAMES, POSITIVE),
    "torch.as_tensor": Way(
        "torch", "lib.as_tensor(a, device='cuda')", "theirs.data_ptr()", layouts=POSITIVE
    ),
    "jax.dlpack.from_dlpack": Way(
        "jax.dlpack",
        "lib.from_dlpack(a)",
        "theirs.unsafe_buffer_pointer()",
        NAMES - {"int64", "uint64", "float64", "complex128"},  # which need a switch of JAX's
        ("contiguous",),
        shapes=FILLED,
    ),
    "numba.cuda.as_cuda_array": Way(
        "numba.cuda", "lib.as_cuda_array(a)", "theirs.device_ctypes_pointer.value or 0"
    ),
}


def library(way):
    try:
        return importlib.import_module(way.module)
    except ImportError as error:
        pytest.skip(f"{way.module}: {error}")


def round_trip(way, lib, make, layout, values):
    array = LAYOUTS[layout](make, values.shape, values.dtype)
    array[...] = gpuarray.asarray(values)
    theirs = eval(way.take, {"lib": lib, "a": array})
    if array.size:
        assert eval(way.address, {"theirs": theirs}) == array.ptr
    if values.dtype.name not in way.back_dtypes:
        return
    back = getattr(gpuarray, way.back)(theirs)
    assert_same(back, values)
    if array.size:
        assert back.ptr == array.ptr
    if array.size and 1 not in array.shape:
        assert back.strides == array.strides


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param(name, kind, marks=[] if kind == "host" else [pytest.mark.cuda])
        for name, way in WAYS.items()
        for kind in way.kinds
    ],
)
def test_round_trips(name, kind):
    way = WAYS[name]
    lib = library(way)
    collector = Collector()
    with gpuarray.device("cpu" if kind == "host" else "cuda:0"):
        for dtype, layout, shape in itertools.product(DTYPES, way.layouts, way.shapes):
            if dtype.name in way.dtypes:
                label = f"{dtype} {layout} {shape}"
                values = ordinary(dtype, shape, 0)
                collector.check(label, round_trip, way, lib, MAKERS[kind], layout, values)
        collector.finish()


@pytest.mark.cuda
@needs_late_work
@pytest.mark.parametrize("taken", ["from_dlpack", "from_cuda_array_interface"])
def test_delayed_work_of_cupy(cuda, taken):
    """Late work of ours, theirs on a stream of its own, and ours again on a third."""
    cupy = pytest.importorskip("cupy")
    with gpuarray.Stream():
        late = zeros_later()
    with cupy.cuda.Stream(non_blocking=True):
        theirs = cupy.asarray(late) + 5
        with gpuarray.Stream():
            ours = getattr(gpuarray, taken)(theirs)
            total = (ours + 1).max()
    assert host(total) == 6


@pytest.mark.cuda
@needs_late_work
def test_delayed_work_of_torch(cuda):
    """By DLPack; its CUDA array interface is of version 2, which names no stream."""
    torch = pytest.importorskip("torch")
    with gpuarray.Stream():
        late = zeros_later()
    with torch.cuda.stream(torch.cuda.Stream()):
        theirs = torch.from_dlpack(late) + 5
        with gpuarray.Stream():
            total = (gpuarray.from_dlpack(theirs) + 1).max()
    assert host(total) == 6


@pytest.mark.cuda
def test_cuda_core_sees_the_memory(cuda):
    pytest.importorskip("cuda.core")
    try:
        from cuda.core.utils import StridedMemoryView
    except ImportError:
        from cuda.core.experimental.utils import StridedMemoryView
    a = gpuarray.arange(12, dtype="float32").reshape(3, 4)[:, 1:]
    for take in (
        StridedMemoryView.from_dlpack,
        StridedMemoryView.from_cuda_array_interface,
    ):
        view = take(a, stream_ptr=gpuarray.current_stream().ptr)
        assert view.ptr == a.ptr
        assert tuple(view.shape) == a.shape
        assert tuple(view.strides) == (4, 1)
        assert view.dtype == a.dtype


@pytest.mark.cuda
def test_buffers_of_cuda_core(cuda):
    core = pytest.importorskip("cuda.core")
    core = core if hasattr(core, "Device") else importlib.import_module("cuda.core.experimental")
    device = core.Device(0)
    device.set_current()
    stream = device.create_stream(gpuarray.current_stream())
    buffer = device.allocate(64, stream=stream)
    ours = gpuarray.from_dlpack(buffer)
    assert ours.ptr == int(buffer.handle)
    assert ours.nbytes == 64
    ours[...] = 7
    assert ours.tolist() == [7] * 64
    del ours
    buffer.close()


@pytest.mark.cuda
def test_rmm_buffers(cuda):
    rmm = pytest.importorskip("rmm")
    buffer = rmm.DeviceBuffer.to_device(bytes(range(16)))
    ours = gpuarray.asarray(buffer)
    assert ours.ptr == buffer.ptr
    assert ours.tolist() == list(range(16))
    ours += 1
    gpuarray.synchronize()
    assert buffer.copy_to_host().tolist() == list(range(1, 17))
