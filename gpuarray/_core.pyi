# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
#
# What the compiled module offers, for type checkers.
# Made by tools/generate_stubs.py from tools/core_stub_template.pyi; do not edit.

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import EllipsisType, TracebackType
from typing import (
    Any,
    ClassVar,
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

from gpuarray._indexing.flat_iterator import FlatIterator
from gpuarray._protocols.ctypes_view import CTypes
from gpuarray._runtime.sharing import SharedHandle
from gpuarray.driver import Parameter
from gpuarray.errors import Launch
from gpuarray.memory import GuardedBlock, MemoryUsage

__all__ = [  # noqa: RUF022
    "Device",
    "Event",
    "GPUArray",
    "Stream",
    "absolute",
    "add",
    "all",
    "angle",
    "any",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "asnumpy",
    "bitwise_and",
    "bitwise_count",
    "bitwise_or",
    "bitwise_xor",
    "cache_info",
    "can_access_peer",
    "cbrt",
    "ceil",
    "clear_cache",
    "clip",
    "conjugate",
    "copysign",
    "cos",
    "cosh",
    "cuda_array_interface_sync",
    "cumprod",
    "cumsum",
    "current_stream",
    "default_device",
    "degrees",
    "devices",
    "divide",
    "empty",
    "empty_like",
    "equal",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "from_cuda_array_interface",
    "from_dlpack",
    "full",
    "gcd",
    "get_matmul_precision",
    "greater",
    "greater_equal",
    "heaviside",
    "hypot",
    "i0",
    "invert",
    "isfinite",
    "isinf",
    "isnan",
    "launch_blocking",
    "launch_lines",
    "lcm",
    "left_shift",
    "less",
    "less_equal",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "matmul",
    "max",
    "maximum",
    "mean",
    "memory_stats",
    "min",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "ones",
    "pending_launches",
    "positive",
    "power",
    "prod",
    "radians",
    "reciprocal",
    "remainder",
    "right_shift",
    "rint",
    "set_cuda_array_interface_sync",
    "set_default_device",
    "set_launch_blocking",
    "set_launch_lines",
    "set_matmul_precision",
    "set_staging",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "spacing",
    "sqrt",
    "square",
    "std",
    "subtract",
    "sum",
    "synchronize",
    "tan",
    "tanh",
    "to_device",
    "trunc",
    "var",
    "where",
    "zeros",
]

_Operand: TypeAlias = GPUArray | complex | np.generic
_DType: TypeAlias = npt.DTypeLike | None
_DeviceLike: TypeAlias = Device | str | None
_Shape: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
_Axes: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | None
_Out: TypeAlias = GPUArray | tuple[GPUArray | None] | None
_IndexItem: TypeAlias = SupportsIndex | slice | EllipsisType | GPUArray | npt.ArrayLike | None
_Index: TypeAlias = _IndexItem | tuple[_IndexItem, ...]
_Assigned: TypeAlias = GPUArray | complex | np.generic
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

@final
class Device:
    def __new__(cls, name: _DeviceLike = None, /) -> Self: ...
    @property
    def kind(self) -> Literal["cpu", "cuda"]: ...
    @property
    def index(self) -> int: ...
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def compute_capability(self) -> tuple[int, int] | None: ...
    @property
    def multiprocessors(self) -> int: ...
    @property
    def total_memory(self) -> int: ...
    def memory_info(self, /) -> tuple[int, int]: ...
    def synchronize(self, /) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Stream:
    def __new__(
        cls, device: _DeviceLike = None, *, non_blocking: bool = True, priority: int = 0
    ) -> Self: ...
    @property
    def ptr(self) -> int: ...
    @property
    def device(self) -> Device: ...
    @property
    def done(self) -> bool: ...
    @property
    def priority(self) -> int: ...
    @property
    def non_blocking(self) -> bool: ...
    def synchronize(self, /) -> None: ...
    def query(self, /) -> bool: ...
    def wait(self, other: _StreamLike | Event, /) -> None: ...
    def wait_stream(self, stream: _StreamLike, /) -> None: ...
    def wait_event(self, event: Event, /) -> None: ...
    def record(self, /, event: Event | None = None) -> Event: ...
    def launch_host_func(self, function: Callable[..., object], /, *args: Any) -> None: ...
    @staticmethod
    def from_external(stream: _CudaStream | int, device: _DeviceLike = None) -> Stream: ...
    def __cuda_stream__(self, /) -> tuple[int, int]: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...

@final
class MemoryResource:
    @property
    def device(self) -> Device: ...
    @property
    def upstream(self) -> MemoryResource | None: ...
    @property
    def allocator(self) -> Any: ...
    def allocate(self, nbytes: SupportsIndex, stream: _StreamLike = None) -> int: ...
    def deallocate(self, ptr: int, nbytes: SupportsIndex, stream: _StreamLike = None) -> None: ...
    def usage(self, /) -> MemoryUsage: ...
    def release_cached(self, /) -> None: ...
    def statistics(self, /) -> dict[str, int]: ...
    def live_blocks(self, /) -> list[GuardedBlock]: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...

@final
class Event:
    def __new__(
        cls,
        device: _DeviceLike = None,
        *,
        timing: bool = True,
        blocking: bool = False,
        interprocess: bool = False,
    ) -> Self: ...
    @property
    def ptr(self) -> int: ...
    @property
    def device(self) -> Device: ...
    @property
    def done(self) -> bool: ...
    @property
    def timing(self) -> bool: ...
    def record(self, /, stream: _StreamLike = None) -> Self: ...
    def wait(self, /, stream: _StreamLike = None) -> None: ...
    def synchronize(self, /) -> None: ...
    def query(self, /) -> bool: ...
    def elapsed_time(self, end: Event, /) -> float: ...
    def ipc_handle(self, /) -> bytes: ...
    @classmethod
    def from_ipc_handle(cls, /, handle: bytes, device: _DeviceLike = None) -> Event: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...

@final
class CudaGraph:
    def __new__(cls, device: _DeviceLike, stream: _StreamLike = None) -> Self: ...
    @property
    def device(self) -> Device: ...
    @property
    def stream(self) -> Stream: ...
    @property
    def capturing(self) -> bool: ...
    @property
    def nodes(self) -> int: ...
    def end(self, /) -> None: ...
    def abandon(self, /) -> None: ...
    def launch(self, /, stream: _StreamLike = None) -> None: ...

@final
class GPUArray:
    __hash__: None  # type: ignore[assignment]
    __dlpack_c_exchange_api__: ClassVar[object]
    def __new__(
        cls,
        shape: _Shape,
        dtype: _DType = "float64",
        order: str | None = "C",
        *,
        device: _DeviceLike = None,
        stream: _StreamLike = None,
    ) -> Self: ...

    # Attributes.
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def itemsize(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def _dtype_name(self) -> str: ...
    @property
    def memory_kind(self) -> Literal["device", "pinned", "managed", "host"]: ...
    @property
    def device(self) -> Device: ...
    @property
    def flags(self) -> _Flags: ...
    @property
    def base(self) -> Any: ...
    @property
    def ptr(self) -> int: ...
    @property
    def gpudata(self) -> int: ...
    @property
    def ctypes(self) -> CTypes: ...
    @property
    def flat(self) -> FlatIterator: ...
    @flat.setter
    def flat(self, value: _Assigned | Sequence[Any]) -> None: ...
    @property
    def T(self) -> GPUArray: ...  # noqa: N802
    @property
    def mT(self) -> GPUArray: ...  # noqa: N802
    @property
    def real(self) -> GPUArray: ...
    @property
    def imag(self) -> GPUArray: ...
    @property
    def __array_priority__(self) -> float: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

    # Transfers.
    @overload
    def get(
        self,
        /,
        stream: _StreamLike | np.ndarray[Any, Any] = None,
        order: str | None = "C",
        out: np.ndarray[Any, Any] | None = None,
        blocking: Literal[True] = True,
    ) -> np.ndarray[Any, Any]: ...
    @overload
    def get(
        self,
        /,
        stream: _StreamLike | np.ndarray[Any, Any] = None,
        order: str | None = "C",
        out: np.ndarray[Any, Any] | None = None,
        *,
        blocking: bool,
    ) -> Any: ...
    @overload
    def set(
        self,
        /,
        source: npt.ArrayLike,
        *,
        stream: _StreamLike = None,
        blocking: Literal[True] = True,
    ) -> None: ...
    @overload
    def set(
        self, /, source: npt.ArrayLike, *, stream: _StreamLike = None, blocking: bool
    ) -> Any: ...
    def prefetch(self, /, device: _DeviceLike, stream: _StreamLike = None) -> None: ...
    def advise(self, /, advice: str, device: _DeviceLike = None) -> None: ...
    def to_device(self, device: _DeviceLike, /, *, stream: _StreamLike = None) -> GPUArray: ...
    def item(
        self, /, *args: SupportsIndex | Sequence[SupportsIndex], stream: _StreamLike = None
    ) -> Any: ...
    def tobytes(self, /, order: str | None = "C", *, stream: _StreamLike = None) -> bytes: ...
    def tolist(self, /, *, stream: _StreamLike = None) -> Any: ...
    def synchronize(self, /) -> Self: ...
    def share(self, /, *, stream: _StreamLike = None) -> SharedHandle: ...

    # Copies and views.
    def copy(self, /, order: str | None = "C", *, stream: _StreamLike = None) -> GPUArray: ...
    def astype(
        self,
        /,
        dtype: npt.DTypeLike,
        order: str | None = "K",
        casting: str = "unsafe",
        *,
        copy: bool = True,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def fill(self, /, value: _Assigned, *, stream: _StreamLike = None) -> None: ...
    def view(self, /, dtype: _DType = None) -> GPUArray: ...
    def reshape(
        self,
        /,
        *shape: SupportsIndex | Sequence[SupportsIndex],
        order: str | None = "C",
        copy: bool | None = None,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def ravel(self, /, order: str | None = "C", *, stream: _StreamLike = None) -> GPUArray: ...
    def flatten(self, /, order: str | None = "C", *, stream: _StreamLike = None) -> GPUArray: ...
    def byteswap(self, inplace: bool = False, *, stream: _StreamLike = None) -> GPUArray: ...
    def setflags(self, write: Any = None, align: Any = None, uic: Any = None) -> None: ...
    def transpose(self, /, *axes: SupportsIndex | Sequence[SupportsIndex] | None) -> GPUArray: ...
    def swapaxes(self, axis1: SupportsIndex, axis2: SupportsIndex, /) -> GPUArray: ...
    def squeeze(self, /, axis: _Axes = None) -> GPUArray: ...
    def __copy__(self, /) -> GPUArray: ...
    def __deepcopy__(self, memo: dict[int, Any], /) -> GPUArray: ...
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> tuple[Any, ...]: ...

    # Elements.
    def __len__(self, /) -> int: ...
    def __iter__(self, /) -> Iterator[GPUArray]: ...
    def __contains__(self, key: object, /) -> bool: ...
    def __getitem__(self, key: _Index, /) -> GPUArray: ...
    def __setitem__(self, key: _Index, value: _Assigned, /) -> None: ...
    def __bool__(self, /) -> bool: ...
    def __int__(self, /) -> int: ...
    def __float__(self, /) -> float: ...
    def __complex__(self, /) -> complex: ...
    def __index__(self, /) -> int: ...
    def __format__(self, format_spec: str, /) -> str: ...
    def _repr_html_(self, /) -> str: ...

    # Operators.
    def __add__(self, value: _Operand, /) -> GPUArray: ...
    def __radd__(self, value: _Operand, /) -> GPUArray: ...
    def __iadd__(self, value: _Operand, /) -> Self: ...
    def __sub__(self, value: _Operand, /) -> GPUArray: ...
    def __rsub__(self, value: _Operand, /) -> GPUArray: ...
    def __isub__(self, value: _Operand, /) -> Self: ...
    def __mul__(self, value: _Operand, /) -> GPUArray: ...
    def __rmul__(self, value: _Operand, /) -> GPUArray: ...
    def __imul__(self, value: _Operand, /) -> Self: ...
    def __truediv__(self, value: _Operand, /) -> GPUArray: ...
    def __rtruediv__(self, value: _Operand, /) -> GPUArray: ...
    def __itruediv__(self, value: _Operand, /) -> Self: ...
    def __floordiv__(self, value: _Operand, /) -> GPUArray: ...
    def __rfloordiv__(self, value: _Operand, /) -> GPUArray: ...
    def __ifloordiv__(self, value: _Operand, /) -> Self: ...
    def __mod__(self, value: _Operand, /) -> GPUArray: ...
    def __rmod__(self, value: _Operand, /) -> GPUArray: ...
    def __imod__(self, value: _Operand, /) -> Self: ...
    def __pow__(self, value: _Operand, mod: None = None, /) -> GPUArray: ...
    def __rpow__(self, value: _Operand, mod: None = None, /) -> GPUArray: ...
    def __ipow__(self, value: _Operand, /) -> Self: ...  # type: ignore[misc]
    def __and__(self, value: _Operand, /) -> GPUArray: ...
    def __rand__(self, value: _Operand, /) -> GPUArray: ...
    def __iand__(self, value: _Operand, /) -> Self: ...
    def __or__(self, value: _Operand, /) -> GPUArray: ...
    def __ror__(self, value: _Operand, /) -> GPUArray: ...
    def __ior__(self, value: _Operand, /) -> Self: ...
    def __xor__(self, value: _Operand, /) -> GPUArray: ...
    def __rxor__(self, value: _Operand, /) -> GPUArray: ...
    def __ixor__(self, value: _Operand, /) -> Self: ...
    def __lshift__(self, value: _Operand, /) -> GPUArray: ...
    def __rlshift__(self, value: _Operand, /) -> GPUArray: ...
    def __ilshift__(self, value: _Operand, /) -> Self: ...
    def __rshift__(self, value: _Operand, /) -> GPUArray: ...
    def __rrshift__(self, value: _Operand, /) -> GPUArray: ...
    def __irshift__(self, value: _Operand, /) -> Self: ...
    def __eq__(self, value: _Operand, /) -> GPUArray: ...  # type: ignore[override]
    def __ne__(self, value: _Operand, /) -> GPUArray: ...  # type: ignore[override]
    def __lt__(self, value: _Operand, /) -> GPUArray: ...
    def __le__(self, value: _Operand, /) -> GPUArray: ...
    def __gt__(self, value: _Operand, /) -> GPUArray: ...
    def __ge__(self, value: _Operand, /) -> GPUArray: ...
    def __neg__(self, /) -> GPUArray: ...
    def __pos__(self, /) -> GPUArray: ...
    def __abs__(self, /) -> GPUArray: ...
    def __invert__(self, /) -> GPUArray: ...
    def __matmul__(self, value: GPUArray, /) -> GPUArray: ...
    def __rmatmul__(self, value: GPUArray, /) -> GPUArray: ...
    def __imatmul__(self, value: GPUArray, /) -> Self: ...
    def __divmod__(self, value: _Operand, /) -> tuple[GPUArray, GPUArray]: ...
    def __rdivmod__(self, value: _Operand, /) -> tuple[GPUArray, GPUArray]: ...

    # Reductions, and functions as methods.
    def sum(
        self,
        /,
        axis: _Axes = None,
        dtype: _DType = None,
        out: GPUArray | None = None,
        keepdims: bool = False,
        initial: Any = ...,
        where: Any = True,
        *,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def prod(
        self,
        /,
        axis: _Axes = None,
        dtype: _DType = None,
        out: GPUArray | None = None,
        keepdims: bool = False,
        initial: Any = ...,
        where: Any = True,
        *,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def max(
        self,
        /,
        axis: _Axes = None,
        out: GPUArray | None = None,
        keepdims: bool = False,
        initial: Any = ...,
        where: Any = True,
        *,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def min(
        self,
        /,
        axis: _Axes = None,
        out: GPUArray | None = None,
        keepdims: bool = False,
        initial: Any = ...,
        where: Any = True,
        *,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def any(
        self,
        /,
        axis: _Axes = None,
        out: GPUArray | None = None,
        keepdims: bool = False,
        *,
        where: Any = True,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def all(
        self,
        /,
        axis: _Axes = None,
        out: GPUArray | None = None,
        keepdims: bool = False,
        *,
        where: Any = True,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def argmax(
        self,
        /,
        axis: SupportsIndex | None = None,
        out: GPUArray | None = None,
        *,
        keepdims: bool = False,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def argmin(
        self,
        /,
        axis: SupportsIndex | None = None,
        out: GPUArray | None = None,
        *,
        keepdims: bool = False,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def mean(
        self,
        /,
        axis: _Axes = None,
        dtype: _DType = None,
        out: GPUArray | None = None,
        keepdims: bool = False,
        *,
        where: Any = True,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def var(
        self,
        /,
        axis: _Axes = None,
        dtype: _DType = None,
        out: GPUArray | None = None,
        ddof: float = 0,
        keepdims: bool = False,
        *,
        correction: float | None = None,
        mean: GPUArray | None = None,
        where: Any = True,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def std(
        self,
        /,
        axis: _Axes = None,
        dtype: _DType = None,
        out: GPUArray | None = None,
        ddof: float = 0,
        keepdims: bool = False,
        *,
        correction: float | None = None,
        mean: GPUArray | None = None,
        where: Any = True,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def cumsum(
        self,
        /,
        axis: SupportsIndex | None = None,
        dtype: _DType = None,
        out: GPUArray | None = None,
        *,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def cumprod(
        self,
        /,
        axis: SupportsIndex | None = None,
        dtype: _DType = None,
        out: GPUArray | None = None,
        *,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def clip(
        self,
        min: _Operand | None = None,
        max: _Operand | None = None,
        out: _Out = None,
        *,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def dot(
        self, b: _Operand, out: GPUArray | None = None, *, stream: _StreamLike = None
    ) -> GPUArray: ...
    def argpartition(
        self,
        kth: SupportsIndex | Sequence[SupportsIndex],
        axis: SupportsIndex | None = -1,
        kind: str = "introselect",
        order: None = None,
        *,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def argsort(
        self,
        axis: SupportsIndex | None = -1,
        kind: str | None = None,
        order: None = None,
        *,
        stable: bool | None = None,
        descending: bool = False,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def choose(
        self, choices: Any, out: _Out = None, mode: str = "raise", *, stream: _StreamLike = None
    ) -> GPUArray: ...
    def compress(
        self,
        condition: Any,
        axis: SupportsIndex | None = None,
        out: _Out = None,
        *,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def diagonal(
        self, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1
    ) -> GPUArray: ...
    def nonzero(self, /, *, stream: _StreamLike = None) -> tuple[GPUArray, ...]: ...
    def partition(
        self,
        kth: SupportsIndex | Sequence[SupportsIndex],
        axis: SupportsIndex = -1,
        kind: str = "introselect",
        order: None = None,
        *,
        stream: _StreamLike = None,
    ) -> None: ...
    def put(self, ind: Any, v: Any, mode: str = "raise", *, stream: _StreamLike = None) -> None: ...
    def repeat(
        self, repeats: Any, axis: SupportsIndex | None = None, *, stream: _StreamLike = None
    ) -> GPUArray: ...
    def round(
        self, decimals: SupportsIndex = 0, out: _Out = None, *, stream: _StreamLike = None
    ) -> GPUArray: ...
    def searchsorted(
        self,
        v: Any,
        side: Literal["left", "right"] = "left",
        sorter: Any = None,
        *,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def sort(
        self,
        axis: SupportsIndex = -1,
        kind: str | None = None,
        order: None = None,
        *,
        stable: bool | None = None,
        descending: bool = False,
        stream: _StreamLike = None,
    ) -> None: ...
    def take(
        self,
        indices: Any,
        axis: SupportsIndex | None = None,
        out: _Out = None,
        mode: str = "raise",
        *,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def trace(
        self,
        offset: SupportsIndex = 0,
        axis1: SupportsIndex = 0,
        axis2: SupportsIndex = 1,
        dtype: _DType = None,
        out: _Out = None,
        *,
        stream: _StreamLike = None,
    ) -> GPUArray: ...
    def conj(self, out: _Out = None, *, stream: _StreamLike = None) -> GPUArray: ...
    def conjugate(self, out: _Out = None, *, stream: _StreamLike = None) -> GPUArray: ...

    # Exchange.
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __array__(self, dtype: _DType = None, copy: bool | None = None) -> np.ndarray[Any, Any]: ...
    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any: ...
    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, /, *inputs: Any, **kwargs: Any
    ) -> Any: ...
    def __array_function__(
        self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any, /
    ) -> Any: ...
    def __dlpack__(
        self,
        /,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self, /) -> tuple[int, int]: ...

# Kernels of users.
_Extents: TypeAlias = SupportsIndex | Sequence[SupportsIndex]

@final
class Kernel:
    def __call__(
        self,
        *args: Any,
        grid: _Extents = ...,
        block: _Extents = ...,
        shared_bytes: SupportsIndex = 0,
        stream: _StreamLike = None,
        cooperative: bool = False,
        cluster: _Extents | None = None,
        strided: bool = False,
        shared: SupportsIndex = 0,
        shared_mem: SupportsIndex = 0,
    ) -> None: ...
    def __getitem__(
        self,
        key: tuple[_Extents, _Extents]
        | tuple[_Extents, _Extents, _StreamLike]
        | tuple[_Extents, _Extents, _StreamLike, SupportsIndex],
        /,
    ) -> _Launcher: ...
    @property
    def name(self) -> str: ...
    @property
    def device(self) -> Device: ...
    @property
    def handle(self) -> int: ...
    @property
    def function_handle(self) -> int: ...
    @property
    def parameters(self) -> tuple[Parameter, ...]: ...
    @property
    def attributes(self) -> dict[str, int]: ...
    @property
    def num_regs(self) -> int: ...
    @property
    def registers(self) -> int: ...
    @property
    def shared_size_bytes(self) -> int: ...
    @property
    def local_size_bytes(self) -> int: ...
    @property
    def const_size_bytes(self) -> int: ...
    @property
    def max_threads_per_block(self) -> int: ...
    @property
    def max_dynamic_shared_size_bytes(self) -> int: ...
    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, value: SupportsIndex) -> None: ...
    @property
    def ptx_version(self) -> int: ...
    @property
    def binary_version(self) -> int: ...
    def configure(
        self,
        grid: _Extents,
        block: _Extents,
        *,
        shared_bytes: SupportsIndex = 0,
        stream: _StreamLike = None,
        cooperative: bool = False,
        cluster: _Extents | None = None,
        strided: bool = False,
    ) -> _Launcher: ...
    def for_size(
        self,
        size: SupportsIndex | tuple[SupportsIndex, ...],
        block: _Extents | None = None,
        *,
        shared_bytes: SupportsIndex = 0,
        stream: _StreamLike = None,
        cooperative: bool = False,
        cluster: _Extents | None = None,
        strided: bool = False,
    ) -> _Launcher: ...
    def suggested_block(self, /, shared_bytes: SupportsIndex = 0) -> int: ...
    def occupancy(self, /, block: _Extents, shared_bytes: SupportsIndex = 0) -> int: ...
    def with_signature(self, signature: _Signature, /) -> Kernel: ...
    def prepare(self, /, arg_types: _Signature) -> Self: ...
    def prepared_call(
        self, grid: _Extents, block: _Extents, /, *args: Any, shared_size: SupportsIndex = 0
    ) -> None: ...
    def prepared_async_call(
        self,
        grid: _Extents,
        block: _Extents,
        stream: _StreamLike,
        /,
        *args: Any,
        shared_size: SupportsIndex = 0,
    ) -> None: ...
    @classmethod
    def from_handle(
        cls,
        /,
        handle: SupportsInt,
        device: _DeviceLike = None,
        signature: _Signature | None = None,
    ) -> Kernel: ...

_Signature: TypeAlias = str | Iterable[_DType]

@final
class _Launcher:
    def __call__(self, *args: Any) -> None: ...
    @property
    def kernel(self) -> Kernel: ...
    @property
    def grid(self) -> tuple[int, int, int]: ...
    @property
    def block(self) -> tuple[int, int, int]: ...
    @property
    def shared_bytes(self) -> int: ...
    @property
    def stream(self) -> _StreamLike: ...

@final
class _Library:
    def __new__(cls, image: bytes | bytearray | memoryview, device: _DeviceLike = None) -> Self: ...
    @property
    def handle(self) -> int: ...
    @property
    def device(self) -> Device: ...
    @property
    def loaded(self) -> bool: ...
    def kernel(
        self, /, name: str, signature: _Signature | None = None, source: str | None = None
    ) -> Kernel: ...
    def global_(self, name: str, /) -> tuple[int, int]: ...
    def kernel_names(self, /) -> list[str]: ...
    def unload(self, /) -> None: ...
    def require_unloadable(self, /) -> None: ...

def _demangle(symbol: str, /) -> str: ...
def _context(device: _DeviceLike, /) -> int: ...
def _device_handle(device: _DeviceLike, /) -> int: ...
def _driver_version() -> int: ...
def _end_host_functions() -> None: ...

_Parameter: TypeAlias = tuple[str, _DType, str, bool, _DType]

@final
class _Program:
    def __new__(
        cls,
        name: str,
        operation: str,
        parameters: Iterable[_Parameter],
        *,
        results: int | tuple[int, ...] | None = None,
        types: Iterable[tuple[str, _DType]] = (),
        preamble: str = "",
        loop_prep: str = "",
        after_loop: str = "",
        ordered: bool = True,
        build: Callable[[str, Device], Kernel] | None = None,
        host_options: Iterable[str] = (),
        cuda_only: bool = False,
        arguments: Iterable[int] | None = None,
        whole: Iterable[Iterable[int]] = (),
        reductions: Iterable[tuple[str, str, str, float, bool, Iterable[int], int]] = (),
    ) -> Self: ...
    def source(
        self,
        /,
        device: str,
        dims: int = 0,
        vectors: bool | None = None,
        wide: bool = False,
        turned: int = 0,
        lanes: int = 256,
        rounds: int = 4,
        held: bool = True,
    ) -> str: ...

@final
class _Fold:
    def __new__(
        cls,
        name: str,
        kind: str,
        map: str,
        combine: str,
        parameters: Iterable[_Parameter],
        type: _DType,
        output: tuple[str, _DType],
        *,
        finish: str = "",
        identity: str = "",
        types: Iterable[tuple[str, _DType]] = (),
        preamble: str = "",
        build: Callable[[str, Device], Kernel] | None = None,
        host_options: Iterable[str] = (),
        cuda_only: bool = False,
        arguments: Iterable[int] | None = None,
        axis: _Axes = None,
        keepdims: bool = False,
    ) -> Self: ...
    def run(
        self,
        /,
        arguments: Iterable[Any],
        axis: _Axes,
        keepdims: bool,
        out: GPUArray | None,
        stream: _StreamLike,
    ) -> GPUArray: ...
    def source(self, device: str, /) -> str: ...

class _Dispatcher:
    def __new__(cls, *args: Any, **kwargs: Any) -> Self: ...
    def __init__(
        self,
        name: str,
        names: Iterable[str],
        outputs: int = 0,
        ranks: bool = False,
        *,
        positional: int | None = None,
        defaults: Iterable[tuple[int, Any]] | None = None,
        variadic: bool = False,
        function: bool = False,
    ) -> None: ...
    def _read_attribute(self, /, owner: int, name: str, constant: bool) -> None: ...
    def __call__(
        self,
        *args: Any,
        out: GPUArray | tuple[GPUArray, ...] | None = None,
        size: int | None = None,
        block_size: int | None = None,
        range: Any = None,
        slice: Any = None,
        stream: _StreamLike = None,
        **named: Any,
    ) -> Any: ...

def _dtype(dtype: npt.DTypeLike, /) -> np.dtype[Any]: ...
def _set_trace(trace: Any, /) -> Any: ...
def _loop_types(op: str, operands: tuple[str, ...], /) -> tuple[str, str]: ...

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
    fill_value: _Assigned,
    dtype: _DType = None,
    order: str | None = "C",
    *,
    device: _DeviceLike = None,
    stream: _StreamLike = None,
    managed: bool = False,
) -> GPUArray: ...
def empty_like(
    a: GPUArray,
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
def _headers() -> tuple[str, ...]: ...
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
def matmul(
    x1: GPUArray,
    x2: GPUArray,
    /,
    out: GPUArray | None = None,
    *,
    alpha: complex | np.generic = 1,
    beta: complex | np.generic = 0,
    axes: list[Any] | None = None,
    dtype: _DType = None,
    casting: str = "same_kind",
    order: str = "K",
    stream: _StreamLike = None,
) -> GPUArray: ...
def get_matmul_precision() -> Literal["highest", "high"]: ...
def set_matmul_precision(precision: str, /) -> None: ...
def _set_thread_matmul_precision(precision: str | None, /) -> str | None: ...
def _arange(
    length: int,
    start: complex | np.generic,
    step: complex | np.generic,
    dtype: _DType,
    device: _DeviceLike,
    stream: _StreamLike = None,
) -> GPUArray: ...
def _has_small_matrices(a: GPUArray, /) -> bool: ...
def _has_small_systems(a: GPUArray, dtype: str) -> bool: ...
def _small_solve(a: GPUArray, b: GPUArray, operation: str | None = None) -> GPUArray: ...
def _small_inv(a: GPUArray, operation: str | None = None) -> GPUArray: ...
def _small_det(a: GPUArray, /) -> GPUArray: ...
def _row_norms(a: GPUArray, /) -> GPUArray: ...
def _small_slogdet(a: GPUArray, /) -> tuple[GPUArray, GPUArray]: ...
def _small_cholesky(a: GPUArray, upper: bool, operation: str | None = None) -> GPUArray: ...
def _small_qr(a: GPUArray, mode: str) -> tuple[Any, GPUArray]: ...
def _small_eigh(
    a: GPUArray, upper: bool, vectors: bool, operation: str | None = None
) -> tuple[GPUArray, Any]: ...
def _small_svd(
    a: GPUArray, full: bool, vectors: bool, operation: str | None = None
) -> tuple[Any, GPUArray, Any]: ...
def _lu(a: GPUArray, operation: str, /) -> tuple[GPUArray, GPUArray]: ...
def _lu_solve(
    factors: GPUArray, pivots: GPUArray, b: GPUArray, transpose: int, operation: str, /
) -> None: ...
def _lu_det(
    factors: GPUArray, pivots: GPUArray, info: GPUArray, logarithms: bool, operation: str, /
) -> Any: ...
def _lu_row_order(pivots: GPUArray, operation: str, /) -> GPUArray: ...
def _triangular_solve(
    a: GPUArray, b: GPUArray, upper: bool, unit: bool, transpose: int, operation: str, /
) -> None: ...
def _cholesky(a: GPUArray, upper: bool, operation: str, /) -> GPUArray: ...
def _qr(a: GPUArray, operation: str, /) -> GPUArray: ...
def _form_q(a: GPUArray, tau: GPUArray, operation: str, /) -> None: ...
def _eigh(
    a: GPUArray, upper: bool, vectors: bool, operation: str, /
) -> tuple[GPUArray, GPUArray]: ...
def _svd(a: GPUArray, columns: int, operation: str, /) -> tuple[Any, GPUArray, Any, GPUArray]: ...
def _eig(a: GPUArray, vectors: bool, operation: str, /) -> tuple[GPUArray, Any, GPUArray]: ...
def _note_failures(
    info: GPUArray, kind: int, results: Sequence[GPUArray], operation: str, /
) -> None: ...
def _sort_rows(
    a: GPUArray,
    axis: int,
    descending: bool,
    kth: Sequence[int] | None = None,
    *,
    stream: _StreamLike = None,
) -> GPUArray: ...
def _argsort_rows(
    a: GPUArray,
    axis: int,
    descending: bool,
    stable: bool = True,
    kth: Sequence[int] | None = None,
    *,
    stream: _StreamLike = None,
) -> GPUArray: ...
def _lexsort(keys: Sequence[GPUArray], axis: int, *, stream: _StreamLike = None) -> GPUArray: ...
def _distinct(
    sorted: GPUArray, equal_nan: bool, order: GPUArray | None, starts: bool
) -> tuple[GPUArray, GPUArray, GPUArray | None, GPUArray | None]: ...
def _search_sorted(
    a: GPUArray,
    v: GPUArray,
    right: bool,
    sorter: GPUArray | None = None,
    *,
    stream: _StreamLike = None,
) -> GPUArray: ...
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
def _can_cast(from_: Any, to: Any, /) -> bool: ...
def _promote(*dtypes: Any) -> str: ...
def _fft(
    kind: int,
    a: GPUArray,
    lengths: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
    out: GPUArray | None = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def _fft_plan_cache_info(device: _DeviceLike, /) -> tuple[int, int, int, int]: ...
def _clear_fft_plan_cache(device: _DeviceLike, /) -> None: ...
def _random_distribution(
    name: str, key: GPUArray, out: GPUArray, parameters: Sequence[float | GPUArray]
) -> None: ...
def _random_draw(
    generator: str,
    state: GPUArray,
    draw: str,
    size: Any,
    out: GPUArray | None = None,
    loc: float | None = None,
    scale: float | None = None,
) -> GPUArray: ...
def _random_integers(
    generator: str, state: GPUArray, dtype: Any, low: int, span: int, size: Any
) -> GPUArray: ...
def _refuse_capture(what: str, device: _DeviceLike) -> None: ...
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
def _empty_kind(
    kind: Literal["pinned", "managed"],
    shape: _Shape,
    dtype: _DType,
    order: str | None,
    device: _DeviceLike,
    zeroed: bool,
    stream: _StreamLike = None,
) -> GPUArray: ...
def _kind_stats(kind: Literal["pinned", "managed"], device: _DeviceLike) -> dict[str, int]: ...
def _release_kind(kind: Literal["pinned", "managed"], device: _DeviceLike) -> None: ...
def _page_lock(array: np.ndarray[Any, Any], device: _DeviceLike, /) -> int: ...
def _page_unlock(address: int, device: _DeviceLike, /) -> None: ...
def _record_memory(on: bool, /) -> bool: ...
def _memory_snapshot(
    device: _DeviceLike, /
) -> list[tuple[int, int, int, str | None, float, str]]: ...
def _start_profile(device: _DeviceLike, /) -> int: ...
def _read_profile(profile: int, /) -> tuple[int, int, int, list[tuple[float, int]]]: ...
def _end_profile(profile: int, /) -> None: ...
def _queue_get(
    a: GPUArray, out: np.ndarray[Any, Any] | None, order: str | None, stream: _StreamLike
) -> tuple[np.ndarray[Any, Any], object]: ...
def _queue_set(
    a: GPUArray, source: npt.ArrayLike, stream: _StreamLike
) -> tuple[np.ndarray[Any, Any], object]: ...
def _work_done(work: object, /) -> bool: ...
def _wait_for_work(work: object, /) -> None: ...

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
def _join(
    out: GPUArray, parts: Sequence[GPUArray], axis: int, stream: _StreamLike = None
) -> GPUArray: ...
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
    values: _Assigned,
    axis: int,
    mode: str,
    distinct: bool = False,
) -> None: ...
def _nonzero(mask: GPUArray, /) -> GPUArray: ...
def _combine_at(operation: str, op: str, a: GPUArray, key: _Index, values: _Assigned) -> None: ...

# Tables.
def _dtype_table() -> tuple[tuple[str, str, int, str, str], ...]: ...
def op_table() -> list[tuple[str, int, str, tuple[str, ...], str, str]]: ...
def reduction_table() -> list[tuple[str, str, str, str]]: ...

# Element-wise operations.
def add(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def subtract(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def multiply(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def divide(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def floor_divide(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def remainder(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def fmod(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def power(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def maximum(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def minimum(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def fmax(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def fmin(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def arctan2(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def hypot(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def copysign(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def nextafter(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def logaddexp(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def logaddexp2(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def heaviside(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def gcd(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def lcm(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def bitwise_and(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def bitwise_or(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def bitwise_xor(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def left_shift(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def right_shift(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def bitwise_count(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def equal(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def not_equal(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def less(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def less_equal(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def greater(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def greater_equal(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def logical_and(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def logical_or(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def logical_xor(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def logical_not(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def negative(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def positive(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def absolute(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def fabs(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def invert(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def sign(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def conjugate(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def angle(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def floor(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def ceil(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def trunc(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def rint(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def square(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def sqrt(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def cbrt(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def reciprocal(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def exp(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def exp2(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def expm1(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def log(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def log2(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def log10(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def log1p(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def i0(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def sin(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def cos(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def tan(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def arcsin(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def arccos(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def arctan(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def sinh(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def cosh(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def tanh(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def arcsinh(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def arccosh(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def arctanh(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def degrees(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def radians(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def isnan(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def isinf(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def isfinite(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def signbit(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def spacing(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def ldexp_floating(
    x1: _Operand,
    x2: _Operand,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
def frexp_mantissa(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
def frexp_exponent(
    x: _Operand, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray: ...
@overload
def where(condition: GPUArray, /, *, stream: _StreamLike = None) -> tuple[GPUArray, ...]: ...
@overload
def where(
    condition: _Operand,
    x: _Operand,
    y: _Operand,
    /,
    out: _Out = None,
    *,
    stream: _StreamLike = None,
) -> GPUArray: ...
def clip(
    a: _Operand,
    /,
    min: _Operand | None = None,
    max: _Operand | None = None,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray: ...

# Reductions and scans.
def sum(
    a: GPUArray,
    axis: _Axes = None,
    dtype: _DType = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    initial: Any = ...,
    where: Any = True,
    *,
    stream: _StreamLike = None,
) -> GPUArray: ...
def prod(
    a: GPUArray,
    axis: _Axes = None,
    dtype: _DType = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    initial: Any = ...,
    where: Any = True,
    *,
    stream: _StreamLike = None,
) -> GPUArray: ...
def max(
    a: GPUArray,
    axis: _Axes = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    initial: Any = ...,
    where: Any = True,
    *,
    stream: _StreamLike = None,
) -> GPUArray: ...
def min(
    a: GPUArray,
    axis: _Axes = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    initial: Any = ...,
    where: Any = True,
    *,
    stream: _StreamLike = None,
) -> GPUArray: ...
def any(
    a: GPUArray,
    axis: _Axes = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    *,
    where: Any = True,
    stream: _StreamLike = None,
) -> GPUArray: ...
def all(
    a: GPUArray,
    axis: _Axes = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    *,
    where: Any = True,
    stream: _StreamLike = None,
) -> GPUArray: ...
def argmax(
    a: GPUArray,
    axis: SupportsIndex | None = None,
    out: GPUArray | None = None,
    *,
    keepdims: bool = False,
    stream: _StreamLike = None,
) -> GPUArray: ...
def argmin(
    a: GPUArray,
    axis: SupportsIndex | None = None,
    out: GPUArray | None = None,
    *,
    keepdims: bool = False,
    stream: _StreamLike = None,
) -> GPUArray: ...
def mean(
    a: GPUArray,
    axis: _Axes = None,
    dtype: _DType = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    *,
    where: Any = True,
    stream: _StreamLike = None,
) -> GPUArray: ...
def var(
    a: GPUArray,
    axis: _Axes = None,
    dtype: _DType = None,
    out: GPUArray | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    correction: float | None = None,
    mean: GPUArray | None = None,
    where: Any = True,
    stream: _StreamLike = None,
) -> GPUArray: ...
def std(
    a: GPUArray,
    axis: _Axes = None,
    dtype: _DType = None,
    out: GPUArray | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    correction: float | None = None,
    mean: GPUArray | None = None,
    where: Any = True,
    stream: _StreamLike = None,
) -> GPUArray: ...
def cumsum(
    a: GPUArray,
    axis: SupportsIndex | None = None,
    dtype: _DType = None,
    out: GPUArray | None = None,
    *,
    stream: _StreamLike = None,
) -> GPUArray: ...
def cumprod(
    a: GPUArray,
    axis: SupportsIndex | None = None,
    dtype: _DType = None,
    out: GPUArray | None = None,
    *,
    stream: _StreamLike = None,
) -> GPUArray: ...
def accumulate(
    op: str,
    a: GPUArray,
    axis: SupportsIndex | None = None,
    dtype: _DType = None,
    out: GPUArray | None = None,
    *,
    stream: _StreamLike = None,
) -> GPUArray: ...
