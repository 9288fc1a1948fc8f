# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Every public function that launches or copies takes `stream`."""

import inspect

import numpy as np
import pytest

import gpuarray
from gpuarray import GPUArray, memory

# What returns views, or neither reads nor writes elements.
VIEWS = {
    "array_split",
    "as_strided",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "diagonal",
    "dsplit",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "from_pointer",
    "hsplit",
    "matrix_transpose",
    "moveaxis",
    "permute_dims",
    "real",
    "rot90",
    "split",
    "squeeze",
    "swapaxes",
    "transpose",
    "unstack",
    "vsplit",
}
QUERIES = {
    "advise",  # of the driver about memory, not of a stream
    "cache_info",
    "can_access_peer",
    "base_repr",
    "binary_repr",
    "can_cast",
    "clear_cache",
    "current_stream",
    "declare_device",
    "fusion_stats",
    *("fuse", "load_fused"),  # the function that they return does
    "vectorize",
    "clear_memo",
    "cuda_array_interface_sync",
    "default_device",
    "device",
    "devices",
    "einsum_path",
    "finfo",
    "format_float_positional",
    "format_float_scientific",
    "get_array_module",
    "get_default_memory_pool",
    "get_default_pinned_memory_pool",
    "get_include",
    "get_matmul_precision",
    "get_printoptions",
    "iinfo",
    "isdtype",
    "launch_blocking",
    "launch_lines",
    "managed_memory_stats",
    "memoize",
    "memory_info",
    "memory_profile",
    "memory_snapshot",
    "memory_stats",
    "mintypecode",
    "pending_launches",
    "pinned_memory_stats",
    "result_type",
    "show_config",
    "typename",
}
SETTINGS = {
    "record_memory",
    "set_cuda_array_interface_sync",
    "printoptions",
    "set_default_device",
    "set_launch_blocking",
    "matmul_precision",
    "set_launch_lines",
    "set_matmul_precision",
    "set_memory_limit",
    "set_printoptions",
    "set_staging",
    "transfer_guard",
    "using_allocator",
}
WAITS = {"mpi_buffer", "pinned", "release_managed_memory", "release_pinned_memory", "synchronize"}
MAKES_STREAMS = {"ExternalStream", "legacy_default_stream", "per_thread_default_stream"}
MAKES_STREAMS |= {"prefetch_to_device"}  # for its copies
# Its arguments are those of the function that is captured.
CAPTURES = {"graph"}
RESOURCES = {"IpcResource"}
EXEMPT = VIEWS | QUERIES | SETTINGS | WAITS | MAKES_STREAMS | CAPTURES | RESOURCES
# Of shapes, dtypes and addresses.
INSPECTIONS = {
    "rollaxis",
    "common_type",
    *("geterr", "seterr"),
    "iscomplexobj",
    "isfortran",
    "isrealobj",
    "isscalar",
    "issubdtype",
    "iterable",
    "may_share_memory",
    "min_scalar_type",
    "ndim",
    "promote_types",
    "shape",
    "shares_memory",
    "size",
    "sliding_window_view",
}
EXEMPT |= INSPECTIONS

FUNCTIONS = sorted(
    name
    for name in set(gpuarray.__all__)
    if callable(getattr(gpuarray, name)) and not isinstance(getattr(gpuarray, name), type)
)
METHODS = sorted(
    name
    for name in dir(GPUArray)
    if not name.startswith("_") and callable(getattr(GPUArray, name, None))
)


def takes_stream(function):
    return "stream" in inspect.signature(function).parameters


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_take_a_stream(name):
    assert takes_stream(getattr(gpuarray, name)) != (name in EXEMPT)


@pytest.mark.parametrize("name", METHODS)
def test_methods_take_a_stream(name):
    assert takes_stream(getattr(GPUArray, name)) != (
        name in EXEMPT | {"diagonal", "dump", "dumps", "setflags", "view"}
    )


@pytest.mark.parametrize(
    "function",
    [
        GPUArray,
        GPUArray.__dlpack__,
        gpuarray.Event.record,
        gpuarray.Event.wait,
        gpuarray.Graph.launch,
        gpuarray.Graph.update,
        gpuarray.capture,
        memory.MemoryResource.allocate,
        memory.MemoryResource.deallocate,
    ],
)
def test_types_whose_methods_queue_work_take_a_stream(function):
    assert takes_stream(function)


CALLS = {
    "GPUArray": lambda x, s: GPUArray((3, 4), x.dtype, device=x.device, stream=s).fill(0) or x,
    "item": lambda x, s: x.item(7, stream=s),
    "tobytes": lambda x, s: x.T.tobytes(stream=s),
    "tolist": lambda x, s: x.tolist(stream=s),
    "bfloat16 tolist": lambda x, s: x.astype("bfloat16").tolist(stream=s),
    "reshape": lambda x, s: x.T.reshape(2, 6, stream=s),
    "ravel": lambda x, s: x.ravel("F", stream=s),
    "reshape function": lambda x, s: gpuarray.reshape(x, 12, stream=s),
    "ravel function": lambda x, s: gpuarray.ravel(x.T, stream=s),
    "conj": lambda x, s: x.conj(stream=s),
    "dot": lambda x, s: x.dot(x.T, stream=s),
    "imag": lambda x, s: gpuarray.imag(x, stream=s),
    "from_dlpack": lambda x, s: gpuarray.from_dlpack(x, copy=True, stream=s),
    "from_dlpack to cpu": lambda x, s: gpuarray.from_dlpack(x, device="cpu", stream=s),
    **{
        name: lambda x, s, name=name: getattr(gpuarray, name)((3, 4), "i2", stream=s)
        for name in ("zeros_pinned", "zeros_managed")
    },
    **{
        name: lambda x, s, name=name: getattr(gpuarray, name)(x, stream=s)
        for name in ("zeros_like_pinned", "zeros_like_managed")
    },
    **{
        name: lambda x, s, name=name: getattr(gpuarray, name)(3, stream=s).shape
        for name in ("empty_pinned", "empty_managed")
    },
    **{
        name: lambda x, s, name=name: getattr(gpuarray, name)(x.T, stream=s).shape
        for name in ("empty_like_pinned", "empty_like_managed")
    },
}


def to_host(value):
    return value.get() if isinstance(value, GPUArray) else value


@pytest.mark.parametrize("name", CALLS)
def test_results_are_those_without_a_stream(device, name):
    x = gpuarray.arange(12, dtype="float32").reshape(3, 4)
    expected = to_host(CALLS[name](x, None))
    before = gpuarray.current_stream()
    np.testing.assert_array_equal(to_host(CALLS[name](x, gpuarray.Stream())), expected)
    assert gpuarray.current_stream() == before
    with pytest.raises(TypeError, match=r"stream: expected a Stream, an int"):
        CALLS[name](x, "fast")


@pytest.mark.cuda
@pytest.mark.parametrize("read", ["item", "tolist", "tobytes"])
def test_reads_wait_for_the_stream_and_the_writer(cuda, read):
    writer, reader = gpuarray.Stream(), gpuarray.Stream()
    x = gpuarray.zeros((), np.int32)
    with writer:
        for _ in range(100):
            x += 1
    found = getattr(x, read)(stream=reader)
    assert found == (np.int32(100).tobytes() if read == "tobytes" else 100)


def test_graphs_are_updated_on_a_stream(device):
    x = gpuarray.arange(5)
    graph = gpuarray.graph(lambda a: a * 2)(x)
    stream = gpuarray.Stream()
    graph.update(np.full(5, 3), stream=stream)
    graph.launch(stream)
    assert graph.result.get(stream=stream).tolist() == [6] * 5
