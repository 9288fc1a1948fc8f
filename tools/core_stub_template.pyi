# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
#
# What the compiled module offers, for type checkers.
# @generated

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import EllipsisType, GenericAlias, TracebackType
from typing import (
    Any,
    ClassVar,
    Generic,
    Literal,
    Protocol,
    Self,
    SupportsIndex,
    SupportsInt,
    TypeAlias,
    final,
    overload,
    type_check_only,
)

import numpy as np
import numpy.typing as npt
from typing_extensions import ParamSpec, TypeVar

from gpuarray._indexing.flat_iterator import FlatIterator
from gpuarray._protocols.ctypes_view import CTypes, DevicePointer
from gpuarray._runtime.sharing import SharedHandle
from gpuarray.driver import Parameter
from gpuarray.errors import Launch
from gpuarray.memory import GuardedBlock, MemoryUsage

# @public_names

_ScalarT = TypeVar("_ScalarT", default=Any)
_Parameters = ParamSpec("_Parameters", default=...)
_Result = TypeVar("_Result", default=Any)

_Operand: TypeAlias = GPUArray | complex | np.generic
_ArrayLike: TypeAlias = _Operand | Sequence[Any]
_DType: TypeAlias = npt.DTypeLike | None
_DeviceLike: TypeAlias = Device | str | None
_Shape: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
_Axes: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | None
_Out: TypeAlias = GPUArray | tuple[GPUArray | None] | None
_IndexItem: TypeAlias = SupportsIndex | slice | EllipsisType | GPUArray | npt.ArrayLike | None
_Index: TypeAlias = _IndexItem | tuple[_IndexItem, ...]
_Guard: TypeAlias = Literal["allow", "log", "disallow"]

@type_check_only
class _CudaStream(Protocol):
    def __cuda_stream__(self) -> tuple[int, int]: ...

_StreamLike: TypeAlias = Stream | _CudaStream | int | None

@type_check_only
class _Flags:
    __hash__: None  # type: ignore[assignment]
    @property
    def c_contiguous(self) -> bool: ...
    @property
    def f_contiguous(self) -> bool: ...
    @property
    def forc(self) -> bool: ...
    @property
    def fnc(self) -> bool: ...
    @property
    def contiguous(self) -> bool: ...
    @property
    def fortran(self) -> bool: ...
    @property
    def behaved(self) -> bool: ...
    @property
    def carray(self) -> bool: ...
    @property
    def farray(self) -> bool: ...
    @property
    def writebackifcopy(self) -> bool: ...
    @property
    def owndata(self) -> bool: ...
    @property
    def aligned(self) -> bool: ...
    @property
    def writeable(self) -> bool: ...
    @writeable.setter
    def writeable(self, value: bool) -> None: ...
    def __getitem__(self, key: str, /) -> bool: ...
    def __setitem__(self, key: str, value: bool, /) -> None: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...

# @include core_stub_devices.pyi

# @include core_stub_array.pyi

# Kernels of users.
# @include core_stub_kernels.pyi

# @include core_stub_ufunc.pyi

# Creation and transfers.
def empty(
    shape: _Shape,
    dtype: _DType = ...,
    order: str | None = "C",
    *,
    device: _DeviceLike = None,
    stream: _StreamLike = None,
    managed: bool = False,
) -> GPUArray: ...
def zeros(
    shape: _Shape,
    dtype: _DType = ...,
    order: str | None = "C",
    *,
    device: _DeviceLike = None,
    stream: _StreamLike = None,
    managed: bool = False,
) -> GPUArray: ...
def ones(
    shape: _Shape,
    dtype: _DType = ...,
    order: str | None = "C",
    *,
    device: _DeviceLike = None,
    stream: _StreamLike = None,
    managed: bool = False,
) -> GPUArray: ...
def full(
    shape: _Shape,
    fill_value: _ArrayLike,
    dtype: _DType = None,
    order: str | None = "C",
    *,
    device: _DeviceLike = None,
    stream: _StreamLike = None,
    managed: bool = False,
) -> GPUArray: ...
def empty_like(
    a: _ArrayLike,
    dtype: _DType = None,
    order: str | None = "K",
    subok: bool = True,
    shape: _Shape | None = None,
    *,
    device: _DeviceLike = None,
    stream: _StreamLike = None,
    managed: bool = False,
) -> GPUArray: ...
def _compile_cubin(source: str, major: int, minor: int) -> bytes: ...
def _cuda_libraries() -> dict[str, dict[str, Any]]: ...
def _finish_compilations() -> None: ...
def _headers() -> tuple[str, ...]: ...
def _warn_user(text: str, category: type[Warning]) -> None: ...
def _compile_source(
    source: str,
    architecture: str,
    name: str,
    options: tuple[str, ...],
    include_dirs: tuple[str, ...],
    name_expressions: tuple[str, ...],
    output: str,
) -> tuple[bytes, str, tuple[str, ...]]: ...
def _link_images(
    inputs: tuple[tuple[bytes, str], ...],
    architecture: str,
    lto: bool | None,
    options: tuple[str, ...],
) -> tuple[bytes, str]: ...
def _image_kind(content: bytes, name: str) -> str: ...
def _loadable(content: bytes, /) -> bool: ...
def _cubin_architecture(content: bytes, /) -> int: ...
def _known_architectures() -> list[int]: ...
def get_matmul_precision() -> Literal["highest", "high"]: ...
def set_matmul_precision(precision: str, /) -> None: ...
def _set_thread_matmul_precision(precision: str | None, /) -> str | None: ...
def _arange(
    length: int,
    start: complex | np.generic,
    step: complex | np.generic,
    dtype: _DType,
    device: _DeviceLike,
    last: complex | np.generic | None = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
# @include core_stub_linalg.pyi
# @include core_stub_sorting.pyi
def _histogram(
    a: GPUArray,
    bins: int,
    edges: GPUArray | None = None,
    weights: GPUArray | None = None,
    even: bool = False,
    *,
    stream: _StreamLike = None,
) -> GPUArray: ...
def to_device(
    obj: Any,
    *,
    dtype: _DType = None,
    device: _DeviceLike = None,
    stream: _StreamLike = None,
    managed: bool = False,
) -> GPUArray: ...
@overload
def asnumpy(
    a: Any,
    stream: _StreamLike = None,
    order: str | None = "C",
    out: np.ndarray[Any, Any] | None = None,
    *,
    blocking: Literal[True] = True,
) -> np.ndarray[Any, Any]: ...
@overload
def asnumpy(
    a: Any,
    stream: _StreamLike = None,
    order: str | None = "C",
    out: np.ndarray[Any, Any] | None = None,
    *,
    blocking: bool = ...,
) -> Any: ...
def from_dlpack(
    x: Any,
    /,
    *,
    device: _DeviceLike = None,
    copy: bool | None = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def from_cuda_array_interface(
    obj: Any, /, *, sync: bool | None = None, stream: _StreamLike = None
) -> GPUArray: ...
def set_cuda_array_interface_sync(on: bool, /) -> bool: ...
def cuda_array_interface_sync() -> bool: ...
def _set_transfer_guard(mode: _Guard, /) -> _Guard: ...
def _set_fusion(mode: str, /) -> str: ...
def _fusion_stats() -> tuple[int, int, int, int, int]: ...
def _test_windows(name: str, /) -> str: ...
def _forget_sequences() -> None: ...
def _can_cast(from_: Any, to: Any, /) -> bool: ...
def _promote(*dtypes: Any) -> str: ...
# @include core_stub_fft.pyi
# @include core_stub_random.pyi
def _arrow_array(
    elements: np.ndarray[Any, Any], length: int, format: str, /
) -> tuple[Any, Any]: ...
def _arrow_format(schema: Any, /) -> str: ...
def _call_numpy(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    sequences: bool,
    strings: bool,
    bools: bool,
    /,
) -> Any: ...
def _share_foreign(obj: Any, never_copy: bool, /) -> GPUArray | None: ...
def _guard_transfer(a: GPUArray, what: str, /) -> None: ...
def _as_strided(
    a: GPUArray, shape: _Shape, strides: Sequence[int], offset: int, writeable: bool, /
) -> GPUArray: ...

# Devices and streams.
def devices() -> tuple[Device, ...]: ...
def can_access_peer(device: _DeviceLike, peer: _DeviceLike) -> bool: ...
def default_device() -> Device: ...
def set_staging(
    *, threads: SupportsIndex | None = None, chunk_bytes: SupportsIndex | None = None
) -> dict[str, int]: ...
def set_default_device(device: _DeviceLike, /) -> None: ...
def synchronize(device: _DeviceLike = None) -> None: ...
def current_stream(device: _DeviceLike = None) -> Stream: ...
def memory_stats(device: _DeviceLike = None) -> dict[str, int]: ...

# Kinds of memory, and who holds it.
# @include core_stub_memory.pyi

# Shared between processes.
def _share(array: GPUArray, stream: _StreamLike, /) -> tuple[bytes, bytes, int, int]: ...
def _open_shared(
    device: _DeviceLike,
    memory: bytes,
    event: bytes,
    nbytes: int,
    own: bool,
    dtype: _DType,
    shape: _Shape,
    strides: Sequence[int],
    offset: int,
    writable: bool,
    stream: _StreamLike,
    base: object,
) -> GPUArray: ...
def _can_share(array: GPUArray, /) -> bool: ...
def _device_uuid(device: _DeviceLike, /) -> bytes: ...
def _ipc_resource(device: _DeviceLike, /) -> MemoryResource: ...

# How it was built.
def _cpu_config() -> tuple[str, int]: ...
def build_config() -> dict[str, Any]: ...
def cuda_absent_reason() -> str: ...

# Memory.
def _driver_resource(device: _DeviceLike, /) -> MemoryResource: ...
def _pool_resource(upstream: MemoryResource, /) -> MemoryResource: ...
def _statistics_resource(upstream: MemoryResource, /) -> MemoryResource: ...
def _debug_resource(upstream: MemoryResource, /) -> MemoryResource: ...
def _limit_resource(upstream: MemoryResource, limit: int) -> MemoryResource: ...
def _external_resource(allocator: Any, device: _DeviceLike = None) -> MemoryResource: ...
def _choose_resource(
    resource: MemoryResource | None, device: _DeviceLike, thread: bool
) -> MemoryResource | None: ...
def _current_resource(device: _DeviceLike, /) -> MemoryResource: ...
def _set_memory_limit(limit: int | None, device: _DeviceLike) -> None: ...
def _memory_limit(device: _DeviceLike, /) -> int | None: ...
def _parse_bytes(text: str, total: int, what: str) -> int: ...
def _memory_info(device: _DeviceLike, /) -> tuple[int, int, int, int, int | None, int]: ...
def _release_cached(device: _DeviceLike, /) -> None: ...

# The disk cache of compiled kernels.
def set_launch_blocking(on: object, /) -> None: ...
def launch_blocking() -> bool: ...
def set_launch_lines(on: object, /) -> None: ...
def launch_lines() -> bool: ...
def pending_launches(device: _DeviceLike = None) -> list[Launch]: ...
def cache_info() -> tuple[str, int, int, int, int, int]: ...
def clear_cache() -> tuple[int, int]: ...
def _concatenate(
    parts: Sequence[GPUArray], axis: int | None, out: GPUArray | None = None, dtype: Any = None
) -> GPUArray: ...
def _roll(a: GPUArray, shifts: Sequence[int], stream: _StreamLike = None) -> GPUArray: ...
def _triangle(a: GPUArray, offset: int, upper: bool, stream: _StreamLike = None) -> Any: ...
def _value(operation: str, value: Any, device: _DeviceLike, dtype: Any = None) -> Any: ...
def _cache_load(key: str, /) -> bytes | None: ...
def _cache_store(key: str, content: bytes, /) -> None: ...
def _open_access(
    reads: Iterable[GPUArray], writes: Iterable[GPUArray], stream: _StreamLike
) -> tuple[Stream, object]: ...
def _close_access(opened: object, /) -> None: ...

# Indexing with arrays.
_Indices: TypeAlias = GPUArray | npt.ArrayLike

def _take(
    operation: str,
    a: GPUArray,
    indices: _Indices,
    axis: int,
    mode: str,
    out: GPUArray | None = None,
) -> GPUArray: ...
def _take_along(operation: str, a: GPUArray, indices: _Indices, axis: int) -> GPUArray: ...
def _put_along(
    operation: str,
    a: GPUArray,
    indices: _Indices,
    values: _ArrayLike,
    axis: int,
    mode: str,
    distinct: bool = False,
) -> None: ...
def _nonzero(mask: GPUArray, /) -> GPUArray: ...
def _combine_at(operation: str, op: str, a: GPUArray, key: _Index, values: _ArrayLike) -> None: ...

# Tables.
def _dtype_table() -> tuple[tuple[str, str, int, str, str], ...]: ...
def op_table() -> list[tuple[str, int, str, tuple[str, ...], str, str]]: ...
def reduction_table() -> list[tuple[str, str, str, str]]: ...
def _nan_reduction_table() -> list[tuple[str, str, str, str]]: ...

# Element-wise operations.
# @operations

# Reductions and scans.
# @reductions
# @scans
