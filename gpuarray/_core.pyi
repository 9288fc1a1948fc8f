# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
#
# What the compiled module offers, for type checkers.
# Made by tools/generate_stubs.py from tools/core_stub_template.pyi; do not edit.

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

__all__ = [  # noqa: RUF022
    "Device",
    "Event",
    "GPUArray",
    "Kernel",
    "Stream",
    "absolute",
    "add",
    "all",
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
    "can_access_peer",
    "cbrt",
    "ceil",
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
    "nanargmax",
    "nanargmin",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
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
    "ufunc",
    "var",
    "where",
    "zeros",
]

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

@final
class Device:
    """A device that arrays live on: Device('cpu'), Device('cuda:0'); None is the default device.

    Equal devices are one object, equal to the name too. `with device:` makes it the default of the
    thread.
    """

    def __new__(cls, name: _DeviceLike = None, /) -> Self: ...
    @property
    def kind(self) -> Literal["cpu", "cuda"]:
        """'cpu' or 'cuda'."""
    @property
    def index(self) -> int:
        """Number among the devices of its kind, from 0."""
    @property
    def id(self) -> int:
        """The same as index."""
    @property
    def name(self) -> str:
        """The device's name as its maker gives it."""
    @property
    def compute_capability(self) -> tuple[int, int] | None:
        """(major, minor); None for cpu."""
    @property
    def multiprocessors(self) -> int:
        """Number of multiprocessors, or of cores."""
    @property
    def total_memory(self) -> int:
        """Bytes of memory the device has."""
    def memory_info(self, /) -> tuple[int, int]:
        """(free, total) bytes of memory, now."""
    def synchronize(self, /) -> None:
        """Blocks until all work queued on the device is done."""
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
    """A queue of work on a device, done in order; lower priority numbers go first.

    non_blocking: does not order itself with the legacy default stream. `with stream:` makes it the
    current stream of its device for this thread, and for this task of asyncio only. The cpu device
    has one that is always idle.
    """

    def __new__(
        cls, device: _DeviceLike = None, *, non_blocking: bool = True, priority: int = 0
    ) -> Self: ...
    @property
    def ptr(self) -> int:
        """The CUstream as an int; 0 for cpu."""
    @property
    def device(self) -> Device:
        """The Device whose work it queues."""
    @property
    def done(self) -> bool:
        """Whether all queued work is done."""
    @property
    def priority(self) -> int:
        """Its priority; lower numbers go first."""
    @property
    def non_blocking(self) -> bool:
        """Whether it does not order itself with the legacy default stream."""
    def synchronize(self, /) -> None:
        """Blocks until all queued work is done."""
    def query(self, /) -> bool:
        """Whether all queued work is done; does not block."""
    def wait(self, other: _StreamLike | Event, /) -> None:
        """Later work on this stream runs after what is queued on `other`, a stream, now, or after
        an Event. Does not block.
        """
    def wait_stream(self, stream: _StreamLike, /) -> None:
        """Later work on this stream runs after what is queued on `stream` now. Does not block."""
    def wait_event(self, event: Event, /) -> None:
        """Later work on this stream runs after what `event` was recorded after. Does not block."""
    def record(self, /, event: Event | None = None) -> Event:
        """Records `event`, or a new one, after the work queued on this stream now, and returns
        it.
        """
    def launch_host_func(self, function: Callable[..., object], /, *args: Any) -> None:
        """Calls function(*args), on another thread, when the work queued now is done; later work on
        this stream waits for it. The function may not use CUDA; what it raises goes to
        sys.unraisablehook. On cpu it is called at once.
        """
    @staticmethod
    def from_external(stream: _CudaStream | int, device: _DeviceLike = None) -> Stream:
        """The stream of another library: a CUstream as an int (1 is the legacy, 2 the per-thread
        default stream) or an object with __cuda_stream__, which is kept alive.
        """
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
    """Where arrays get memory of one device from; made by the functions of gpuarray.memory.

    Equal objects are the same resource.
    """

    @property
    def device(self) -> Device:
        """The Device whose memory it gives."""
    @property
    def upstream(self) -> MemoryResource | None:
        """The MemoryResource that its memory comes from, or None."""
    @property
    def allocator(self) -> Any:
        """The Python object of an ExternalResource, else None."""
    def allocate(self, nbytes: SupportsIndex, stream: _StreamLike = None) -> int:
        """The address of new memory, an int, for work queued on `stream` (the current one) from now
        on.

        The caller gives it back with `deallocate`. OutOfMemoryError where there is none.
        """
    def deallocate(self, ptr: int, nbytes: SupportsIndex, stream: _StreamLike = None) -> None:
        """Gives memory back, after the work queued on `stream` (the current one) now. Does not
        wait.
        """
    def usage(self, /) -> MemoryUsage:
        """What it and its upstream hold, a gpuarray.memory.MemoryUsage."""
    def release_cached(self, /) -> None:
        """Gives memory kept for reuse back to the device, after waiting for its work."""
    def statistics(self, /) -> dict[str, int]:
        """bytes_in_use, peak_bytes and allocations of a StatisticsResource, a dict; TypeError
        for others.
        """
    def live_blocks(self, /) -> list[GuardedBlock]:
        """The blocks of a DebugResource in use, a list of gpuarray.memory.GuardedBlock; TypeError
        for others.
        """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...

@final
class Event:
    """A point in the work of a stream, set by record().

    timing: elapsed_time() can be asked for. blocking: a thread that waits sleeps instead of
    spinning. interprocess: another process can open it; needs timing=False.
    """

    def __new__(
        cls,
        device: _DeviceLike = None,
        *,
        timing: bool = True,
        blocking: bool = False,
        interprocess: bool = False,
    ) -> Self: ...
    @property
    def ptr(self) -> int:
        """The CUevent as an int; 0 for cpu."""
    @property
    def device(self) -> Device:
        """The Device whose streams it can be recorded on."""
    @property
    def done(self) -> bool:
        """Whether the work before it is done; True before record()."""
    @property
    def timing(self) -> bool:
        """Whether it measures time."""
    def record(self, /, stream: _StreamLike = None) -> Self:
        """Stands for the work queued on `stream`, by default the current one, up to now. Returns
        itself. DeviceError for a stream of another device.
        """
    def wait(self, /, stream: _StreamLike = None) -> None:
        """Later work on `stream`, of any device, by default the current one of the event's, runs
        after it. Does not block.
        """
    def synchronize(self, /) -> None:
        """Blocks until the work before it is done."""
    def query(self, /) -> bool:
        """Whether the work before it is done; does not block."""
    def elapsed_time(self, end: Event, /) -> float:
        """Milliseconds from this event to `end`, a float; waits for both. ValueError if one was not
        recorded, or made with timing=False.
        """
    def ipc_handle(self, /) -> bytes:
        """64 bytes by which another process of this machine opens the event, as pickling it does
        too. The event must be kept until then. ValueError unless it was made with
        interprocess=True, DeviceError on cpu.
        """
    @classmethod
    def from_ipc_handle(cls, /, handle: bytes, device: _DeviceLike = None) -> Event:
        """The event of another process whose ipc_handle() this is, on the same device. ValueError
        for a handle of another length, CudaError if the event is gone or of this process.
        """
    def __reduce__(self, /) -> tuple[Any, ...]: ...

@final
class CudaGraph:
    """Begins to capture `stream`, or a new one, until end()."""

    def __new__(cls, device: _DeviceLike, stream: _StreamLike = None) -> Self: ...
    @property
    def device(self) -> Device:
        """The Device that it runs on."""
    @property
    def stream(self) -> Stream:
        """The Stream that is, or was, captured."""
    @property
    def capturing(self) -> bool:
        """Whether it is being captured."""
    @property
    def nodes(self) -> int:
        """How many kernels, copies and graphs it consists of."""
    def end(self, /) -> None:
        """Ends the capture. CaptureError if something that cannot be captured has spoilt it."""
    def abandon(self, /) -> None:
        """Ends the capture and forgets what was captured."""
    def launch(self, /, stream: _StreamLike = None) -> None:
        """Queues it on `stream`, by default the current one. CaptureError before the capture has
        ended, DeviceError for a stream of another device.
        """

@final
class GPUArray(Generic[_ScalarT]):
    """An n-dimensional array in the memory of a device, uninitialised.

    shape: int or tuple of ints; dtype: anything numpy.dtype takes, or 'bfloat16'; order: 'C' or
    'F'; device: a Device or its name, by default the default device; stream: what the memory is
    ready for, else the current one. Operations follow NumPy's rules and are queued on the device's
    current stream.
    """

    def __hash__(self, /) -> int: ...
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
    def __init_subclass__(cls, **kwargs: Any) -> None: ...
    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...

    # Attributes.
    @property
    def shape(self) -> tuple[int, ...]:
        """Elements along each axis, a tuple of ints."""
    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes between neighbours along each axis, a tuple of ints."""
    @property
    def ndim(self) -> int:
        """Number of axes."""
    @property
    def size(self) -> int:
        """Number of elements."""
    @property
    def mem_size(self) -> int:
        """The same as size, for PyCUDA's users."""
    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
    @property
    def nbytes(self) -> int:
        """Bytes of all elements: size * itemsize."""
    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of the elements."""
    @property
    def _dtype_name(self) -> str: ...
    @property
    def memory_kind(self) -> Literal["device", "pinned", "managed", "host"]:
        """'device', 'pinned', 'managed', or 'host' for the cpu device."""
    @property
    def device(self) -> Device:
        """The Device whose memory the elements are in."""
    @property
    def flags(self) -> _Flags:
        """The layout: c_contiguous, f_contiguous, writeable, owndata ..."""
    @property
    def base(self) -> Any:
        """The object whose memory this array views, or None if it owns it."""
    @property
    def ptr(self) -> int:
        """Address of the first element in the memory of the device, an int."""
    @property
    def gpudata(self) -> DevicePointer:
        """The same as ptr, with PyCUDA's method free()."""
    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    @property
    def ctypes(self) -> CTypes:
        """Address, shape and strides for ctypes, as numpy.ndarray.ctypes."""
    @property
    def data(self) -> Any:
        """The place of the first element, a gpuarray.cuda.MemoryPointer."""
    @property
    def _as_parameter_(self) -> Any: ...
    @property
    def flat(self) -> FlatIterator:
        """The elements in C order, to be read, assigned and iterated over."""
    @flat.setter
    def flat(self, value: _ArrayLike) -> None: ...
    @property
    def T(self) -> GPUArray:  # noqa: N802
        """A view with the axes reversed."""
    @property
    def mT(self) -> GPUArray:  # noqa: N802
        """A view with the last two axes swapped."""
    @property
    def real(self) -> GPUArray:
        """The real part, a view."""
    @property
    def imag(self) -> GPUArray:
        """The imaginary part, a view; read-only zeros for a real array."""
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
        *,
        ary: np.ndarray[Any, Any] | None = None,
        pagelocked: bool = False,
        async_: bool = False,
    ) -> np.ndarray[Any, Any]:
        """The elements as a numpy.ndarray: `out`, which may also be the first argument, must have
        this shape and dtype and be writable, of any layout, or a new one in order 'C', 'F' or 'A'.
        The copy is ordered on `stream` (the current one by default). With blocking=False the result
        is a gpuarray.Transfer, which is done later where `out` is page-locked and contiguous; a new
        one is page-locked. `ary`, `pagelocked` and `async_` are PyCUDA's: `ary` is `out`, with
        either of the others a new array is page-locked, and with `async_` it is returned before it
        is filled. ValueError for another shape or a read-only `out`, TypeError for another dtype.
        """
    @overload
    def get(
        self,
        /,
        stream: _StreamLike | np.ndarray[Any, Any] = None,
        order: str | None = "C",
        out: np.ndarray[Any, Any] | None = None,
        *,
        blocking: bool,
        ary: np.ndarray[Any, Any] | None = None,
        pagelocked: bool = False,
        async_: bool = False,
    ) -> Any:
        """The elements as a numpy.ndarray: `out`, which may also be the first argument, must have
        this shape and dtype and be writable, of any layout, or a new one in order 'C', 'F' or 'A'.
        The copy is ordered on `stream` (the current one by default). With blocking=False the result
        is a gpuarray.Transfer, which is done later where `out` is page-locked and contiguous; a new
        one is page-locked. `ary`, `pagelocked` and `async_` are PyCUDA's: `ary` is `out`, with
        either of the others a new array is page-locked, and with `async_` it is returned before it
        is filled. ValueError for another shape or a read-only `out`, TypeError for another dtype.
        """
    @overload
    def set(
        self,
        /,
        source: npt.ArrayLike,
        *,
        stream: _StreamLike = None,
        blocking: Literal[True] = True,
        async_: bool = False,
    ) -> None:
        """Copies a host array (or sequence) of the same shape into this array, on `stream`. The
        dtype is cast with the rule 'same_kind'; `source` may be changed on return. With
        blocking=False the result is a gpuarray.Transfer, and a `source` that is page-locked,
        contiguous and of this dtype must not change before it is done; `async_` is the same without
        a result, as in PyCUDA. ValueError for another shape or a read-only array, TypeError for a
        dtype that cannot be cast.
        """
    @overload
    def set(
        self,
        /,
        source: npt.ArrayLike,
        *,
        stream: _StreamLike = None,
        blocking: bool,
        async_: bool = False,
    ) -> Any:
        """Copies a host array (or sequence) of the same shape into this array, on `stream`. The
        dtype is cast with the rule 'same_kind'; `source` may be changed on return. With
        blocking=False the result is a gpuarray.Transfer, and a `source` that is page-locked,
        contiguous and of this dtype must not change before it is done; `async_` is the same without
        a result, as in PyCUDA. ValueError for another shape or a read-only array, TypeError for a
        dtype that cannot be cast.
        """
    def prefetch(self, /, device: _DeviceLike, stream: _StreamLike = None) -> None:
        """Moves managed memory to a device, or to the host for 'cpu', before it is used there; done
        on `stream` (the current one by default). Nothing on the cpu device. ValueError for memory
        that is not managed.
        """
    def advise(self, /, advice: str, device: _DeviceLike = None) -> None:
        """Tells the driver how managed memory will be used: 'read_mostly' (copies on every reader),
        'preferred_location' or 'accessed_by' a device (by default the array's; 'cpu' is the host);
        'unset_read_mostly' and so on take it back. Nothing on the cpu device. ValueError for memory
        that is not managed.
        """
    def to_device(self, device: _DeviceLike, /, *, stream: _StreamLike = None) -> GPUArray:
        """The array on `device`: itself if it is there, else a C-contiguous copy made on `stream`,
        a stream of the CUDA device that takes part (of the target, if both are).
        """
    def item(
        self, /, *args: SupportsIndex | Sequence[SupportsIndex], stream: _StreamLike = None
    ) -> Any:
        """One element as a Python scalar: the only one, that at an index in C order, or that at an
        index an axis. Waits for `stream`, by default the current one.
        """
    def tobytes(self, /, order: str | None = "C", *, stream: _StreamLike = None) -> bytes:
        """A copy of the elements as bytes, in order 'C', 'F' or 'A'. Waits for `stream`, by default
        the current one.
        """
    def tofile(
        self, fid: Any, sep: str = "", format: str = "%s", *, stream: _StreamLike = None
    ) -> None:
        """Writes the elements in C order to a file, an open one or its path, as
        numpy.ndarray.tofile does. Waits for `stream`, by default the current one.
        """
    def dump(self, file: Any) -> None:
        """Pickles the array to a file, an open one or its path."""
    def dumps(self) -> bytes:
        """The pickle of the array as bytes."""
    def get_async(
        self, stream: _StreamLike = None, ary: np.ndarray[Any, Any] | None = None
    ) -> np.ndarray[Any, Any]:
        """The elements in `ary` or a new page-locked numpy.ndarray, which is filled when `stream`
        comes to it; as PyCUDA's. get(blocking=False) gives an object to wait for.
        """
    def set_async(self, ary: npt.ArrayLike, stream: _StreamLike = None) -> None:
        """Copies a host array into this one on `stream`; a page-locked one must not change before
        that. As PyCUDA's; set(blocking=False) gives an object to wait for.
        """
    def mul_add(
        self,
        selffac: complex | np.generic,
        other: GPUArray,
        otherfac: complex | np.generic,
        add_timer: None = None,
        stream: _StreamLike = None,
        out: _Out = None,
    ) -> GPUArray:
        """selffac * self + otherfac * other, in a new array or `out`, as PyCUDA's; the factors are
        as Python's numbers to the dtype. ValueError for an `add_timer`.
        """
    def reverse(self, stream: _StreamLike = None) -> GPUArray:
        """A copy of the elements from the last to the first, of one dimension; as PyCUDA's."""
    def tolist(self, /, *, stream: _StreamLike = None) -> Any:
        """The elements as nested lists of Python scalars. Waits for `stream`, by default the
        current one.
        """
    def to_numpy(
        self, dtype: npt.DTypeLike | None = None, copy: bool = False, *, stream: _StreamLike = None
    ) -> np.ndarray[Any, Any]:
        """The elements as a new numpy.ndarray, as get(), converted to `dtype` as astype does. Named
        as in pandas; `copy` is accepted, since the result never shares memory.
        """
    def synchronize(self, /) -> Self:
        """Blocks until all work pending on the array's memory, on any stream, is done, so that what
        knows nothing of streams, such as MPI, may read and write it. Returns the array; nothing to
        wait for on cpu. CudaError for work that failed.
        """
    def share(self, /, *, stream: _StreamLike = None) -> SharedHandle:
        """A small object that another process opens with gpuarray.open_shared(); see there. The
        memory must be such as gpuarray.empty_shared() gives, and be kept until it is closed there.
        Later work there runs after all work pending on the array now. ValueError for other memory,
        DeviceError on cpu.
        """

    # Copies and views.
    def copy(self, /, order: str | None = "C", *, stream: _StreamLike = None) -> GPUArray:
        """A new array with the same elements, made on `stream`, by default the current one. Order
        'C', 'F', 'A' or 'K'.
        """
    def astype(
        self,
        /,
        dtype: npt.DTypeLike,
        order: str | None = "K",
        casting: str = "unsafe",
        *,
        copy: bool = True,
        stream: _StreamLike = None,
    ) -> GPUArray:
        """The elements converted to `dtype`, on `stream` or the current one. Without `copy`, the
        array itself if it has the dtype and the order. TypeError if `casting` forbids the
        conversion.
        """
    def fill(self, /, value: _ArrayLike, *, stream: _StreamLike = None) -> None:
        """Sets every element to a scalar, on `stream` or the current one. OverflowError for a
        Python int that the dtype cannot hold, ValueError for a read-only array.
        """
    def view(self, /, dtype: _DType = None) -> GPUArray:
        """The same memory, as another dtype if one is given. A dtype of another itemsize changes
        the extent of the last axis, which must be contiguous; ValueError where it does not divide
        or the elements would not be aligned.
        """
    def reshape(
        self,
        /,
        *shape: SupportsIndex | Sequence[SupportsIndex],
        order: str | None = "C",
        copy: bool | None = None,
        stream: _StreamLike = None,
    ) -> GPUArray:
        """The same elements in another shape: a view where one exists, else a copy on `stream`, by
        default the current one; with `copy` True always a copy. One extent may be -1. Order 'C',
        'F' or 'A'. ValueError if the sizes differ, or where `copy` is False and one is needed.
        """
    def ravel(self, /, order: str | None = "C", *, stream: _StreamLike = None) -> GPUArray:
        """The elements in one dimension: a view where one exists, else a copy on `stream`, by
        default the current one. Order 'C', 'F', 'A' or 'K'.
        """
    def flatten(self, /, order: str | None = "C", *, stream: _StreamLike = None) -> GPUArray:
        """A copy in one dimension, made on the current stream. Order 'C', 'F', 'A' or 'K'."""
    def byteswap(self, inplace: bool = False, *, stream: _StreamLike = None) -> GPUArray:
        """The elements with their bytes in reverse order, those of both parts of complex ones; in
        this array where `inplace`.
        """
    def setflags(self, write: Any = None, align: Any = None, uic: Any = None) -> None:
        """Sets flags.writeable; ValueError where it cannot be, and for align=False and uic=True."""
    def transpose(self, /, *axes: SupportsIndex | Sequence[SupportsIndex] | None) -> GPUArray:
        """A view with the axes permuted; reversed without arguments. ValueError unless the axes are
        a permutation.
        """
    def swapaxes(self, axis1: SupportsIndex, axis2: SupportsIndex, /) -> GPUArray:
        """A view with two axes exchanged."""
    def squeeze(self, /, axis: _Axes = None) -> GPUArray:
        """A view without axes of extent 1: all of them, or those named. ValueError for an axis of
        another extent.
        """
    def __copy__(self, /) -> GPUArray: ...
    def __dask_tokenize__(self, /) -> tuple[Any, ...]: ...
    def __deepcopy__(self, memo: dict[int, Any], /) -> GPUArray: ...
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> tuple[Any, ...]: ...

    # Elements.
    def __len__(self, /) -> int: ...
    def __iter__(self, /) -> Iterator[GPUArray]: ...
    def __contains__(self, key: object, /) -> bool: ...
    def __getitem__(self, key: _Index, /) -> GPUArray: ...
    def __setitem__(self, key: _Index, value: _ArrayLike, /) -> None: ...
    def __bool__(self, /) -> bool: ...
    def __int__(self, /) -> int: ...
    def __float__(self, /) -> float: ...
    def __complex__(self, /) -> complex: ...
    @overload
    def __round__(self, ndigits: None = None, /) -> int: ...
    @overload
    def __round__(self, ndigits: SupportsIndex, /) -> GPUArray: ...
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
    ) -> GPUArray:
        """Sum of the elements over the given axes.

        `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
        `stream`, by default the device's current one.
        """
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
    ) -> GPUArray:
        """Product of the elements over the given axes.

        `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
        `stream`, by default the device's current one.
        """
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
    ) -> GPUArray:
        """Largest element over the given axes; NaN if one is NaN.

        `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
        `stream`, by default the device's current one.
        """
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
    ) -> GPUArray:
        """Smallest element over the given axes; NaN if one is NaN.

        `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
        `stream`, by default the device's current one.
        """
    def any(
        self,
        /,
        axis: _Axes = None,
        out: GPUArray | None = None,
        keepdims: bool = False,
        *,
        where: Any = True,
        stream: _StreamLike = None,
    ) -> GPUArray:
        """Whether any element over the given axes is nonzero.

        `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
        `stream`, by default the device's current one.
        """
    def all(
        self,
        /,
        axis: _Axes = None,
        out: GPUArray | None = None,
        keepdims: bool = False,
        *,
        where: Any = True,
        stream: _StreamLike = None,
    ) -> GPUArray:
        """Whether all elements over the given axes are nonzero.

        `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
        `stream`, by default the device's current one.
        """
    def argmax(
        self,
        /,
        axis: SupportsIndex | None = None,
        out: GPUArray | None = None,
        *,
        keepdims: bool = False,
        stream: _StreamLike = None,
    ) -> GPUArray:
        """Index of the first largest element along an axis; of the first NaN if there is one.

        `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
        `stream`, by default the device's current one.
        """
    def argmin(
        self,
        /,
        axis: SupportsIndex | None = None,
        out: GPUArray | None = None,
        *,
        keepdims: bool = False,
        stream: _StreamLike = None,
    ) -> GPUArray:
        """Index of the first smallest element along an axis; of the first NaN if there is one.

        `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
        `stream`, by default the device's current one.
        """
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
    ) -> GPUArray:
        """Arithmetic mean of the elements over the given axes; NaN where there is none.

        `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
        `stream`, by default the device's current one. Integers and bool
        give float64, unless `dtype` is given.
        """
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
    ) -> GPUArray:
        """Variance of the elements over the given axes, in one stable pass in float64.

        `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
        `stream`, by default the device's current one. Divides by the
        number of elements less `ddof`, also called `correction`.
        """
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
    ) -> GPUArray:
        """Standard deviation of the elements over the given axes, in one stable pass in float64.

        `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
        `stream`, by default the device's current one. Divides by the
        number of elements less `ddof`, also called `correction`.
        """
    def cumsum(
        self,
        /,
        axis: SupportsIndex | None = None,
        dtype: _DType = None,
        out: GPUArray | None = None,
        *,
        stream: _StreamLike = None,
    ) -> GPUArray:
        """Sums of the elements up to each one along the axis.

        `axis` None takes all elements in C order, to one dimension. Integers below 64 bits, and
        bool, give 64 bits unless `dtype` or `out` asks for another. float32 is accumulated in
        float64, float16 and bfloat16 in float32; the result has the same bits in every run. Returns
        a new array or `out`. Queued on `stream`, by default the device's current one.
        """
    def cumprod(
        self,
        /,
        axis: SupportsIndex | None = None,
        dtype: _DType = None,
        out: GPUArray | None = None,
        *,
        stream: _StreamLike = None,
    ) -> GPUArray:
        """Products of the elements up to each one along the axis.

        `axis` None takes all elements in C order, to one dimension. Integers below 64 bits, and
        bool, give 64 bits unless `dtype` or `out` asks for another. float32 is accumulated in
        float64, float16 and bfloat16 in float32; the result has the same bits in every run. Returns
        a new array or `out`. Queued on `stream`, by default the device's current one.
        """
    def clip(
        self,
        min: _ArrayLike | None = None,
        max: _ArrayLike | None = None,
        out: _Out = None,
        *,
        where: Any = True,
        casting: str = "same_kind",
        order: str | None = "K",
        dtype: _DType = None,
        stream: _StreamLike = None,
    ) -> GPUArray:
        """Elements limited to [min, max]; None leaves that side open. `where`, `casting`, `order`
        and `dtype` are those of NumPy's ufuncs.
        """
    def dot(
        self, b: _Operand, out: GPUArray | None = None, *, stream: _StreamLike = None
    ) -> GPUArray:
        """Dot product with another array, as numpy.dot, on `stream` or the current one."""
    def argpartition(
        self,
        kth: SupportsIndex | Sequence[SupportsIndex],
        axis: SupportsIndex | None = -1,
        kind: str = "introselect",
        order: None = None,
        *,
        descending: bool | None = None,
        stream: _StreamLike = None,
    ) -> GPUArray:
        """Positions that partition the array, as gpuarray.argpartition."""
    def argsort(
        self,
        axis: SupportsIndex | None = -1,
        kind: str | None = None,
        order: None = None,
        *,
        stable: bool | None = None,
        descending: bool = False,
        stream: _StreamLike = None,
    ) -> GPUArray:
        """Positions that sort the array along the axis, as gpuarray.argsort."""
    def choose(
        self, choices: Any, out: _Out = None, mode: str = "raise", *, stream: _StreamLike = None
    ) -> GPUArray:
        """Elements of the choices of these numbers, as gpuarray.choose."""
    def compress(
        self,
        condition: Any,
        axis: SupportsIndex | None = None,
        out: _Out = None,
        *,
        stream: _StreamLike = None,
    ) -> GPUArray:
        """Slices along the axis where the condition is true, as gpuarray.compress."""
    def diagonal(
        self, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1
    ) -> GPUArray:
        """A read-only view of a diagonal, as gpuarray.diagonal."""
    def nonzero(self, /, *, stream: _StreamLike = None) -> tuple[GPUArray, ...]:
        """The indices of nonzero elements, an array for each axis. Waits for their number."""
    def partition(
        self,
        kth: SupportsIndex | Sequence[SupportsIndex],
        axis: SupportsIndex = -1,
        kind: str = "introselect",
        order: None = None,
        *,
        descending: bool | None = None,
        stream: _StreamLike = None,
    ) -> None:
        """Moves smaller elements than the `kth` before it and others after it, in place."""
    def put(self, ind: Any, v: Any, mode: str = "raise", *, stream: _StreamLike = None) -> None:
        """Assigns values to elements of the flattened array, as gpuarray.put."""
    def repeat(
        self, repeats: Any, axis: SupportsIndex | None = None, *, stream: _StreamLike = None
    ) -> GPUArray:
        """A copy with repeated elements, as gpuarray.repeat."""
    def round(
        self, decimals: SupportsIndex = 0, out: _Out = None, *, stream: _StreamLike = None
    ) -> GPUArray:
        """The elements rounded to this many decimals, halves to the even digit."""
    def searchsorted(
        self,
        v: Any,
        side: Literal["left", "right"] = "left",
        sorter: Any = None,
        *,
        stream: _StreamLike = None,
    ) -> GPUArray:
        """Where values belong in this sorted array, as gpuarray.searchsorted."""
    def sort(
        self,
        axis: SupportsIndex = -1,
        kind: str | None = None,
        order: None = None,
        *,
        stable: bool | None = None,
        descending: bool = False,
        stream: _StreamLike = None,
    ) -> None:
        """Sorts the array in place along the axis, as gpuarray.sort does a copy."""
    def take(
        self,
        indices: Any,
        axis: SupportsIndex | None = None,
        out: _Out = None,
        mode: str = "raise",
        *,
        stream: _StreamLike = None,
    ) -> GPUArray:
        """Elements at indices along the axis, as gpuarray.take."""
    def trace(
        self,
        offset: SupportsIndex = 0,
        axis1: SupportsIndex = 0,
        axis2: SupportsIndex = 1,
        dtype: _DType = None,
        out: _Out = None,
        *,
        stream: _StreamLike = None,
    ) -> GPUArray:
        """Sums along a diagonal, as gpuarray.trace."""
    def conj(self, out: _Out = None, *, stream: _StreamLike = None) -> GPUArray:
        """Complex conjugate of each element; the array itself where they are real."""
    def conjugate(self, out: _Out = None, *, stream: _StreamLike = None) -> GPUArray:
        """Complex conjugate of each element; the array itself where they are real."""

    # Exchange.
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...
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
    """A kernel of a module on its device. kernel[grid, block](*args) launches it, and so does
    kernel(*args, grid=1, block=, shared_bytes=0, stream=None, cooperative=False, cluster=None,
    strided=False); kernel[grid, block, stream, shared_bytes] and kernel.for_size(n) are launches
    to keep. A grid or block is an int or a tuple of 1 to 3.

    Asynchronous on the stream, by default the current one, after pending work on the arrays.
    Arguments are GPUArrays and what exports the CUDA array interface or DLPack, NumPy and Python
    numbers, structured NumPy scalars, ctypes values, addresses as ints, and In, Out and InOut of
    gpuarray.driver. They are checked against the compiled kernel first: TypeError for a wrong
    number, size or type, ValueError for a grid or block beyond the device's limits.
    """

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
    def name(self) -> str:
        """Its name in the module, mangled where C++ mangles it."""
    @property
    def device(self) -> Device:
        """The Device that it runs on."""
    @property
    def handle(self) -> int:
        """The CUkernel as an int."""
    @property
    def function_handle(self) -> int:
        """The CUfunction on its device as an int."""
    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """A gpuarray.driver.Parameter for each parameter: its offset and size in bytes as compiled,
        and its declaration, "" where it is not known.
        """
    @property
    def attributes(self) -> dict[str, int]:
        """All that the driver tells of it, a dict of ints."""
    @property
    def num_regs(self) -> int:
        """Registers of a thread."""
    @property
    def registers(self) -> int:
        """Registers of a thread."""
    @property
    def shared_size_bytes(self) -> int:
        """Bytes of static shared memory."""
    @property
    def local_size_bytes(self) -> int:
        """Bytes of local memory of a thread: arrays and spilled registers."""
    @property
    def const_size_bytes(self) -> int:
        """Bytes of constant memory."""
    @property
    def max_threads_per_block(self) -> int:
        """Most threads that a block of it can have."""
    @property
    def max_dynamic_shared_size_bytes(self) -> int:
        """Most bytes of dynamic shared memory that a launch can ask for; a launch that asks for
        more raises it, up to what the device has.
        """
    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, value: SupportsIndex) -> None: ...
    @property
    def ptx_version(self) -> int:
        """The PTX it was compiled from: 80 is 8.0."""
    @property
    def binary_version(self) -> int:
        """The compute capability of its code: 90 is 9.0."""
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
    ) -> _Launcher:
        """A launch to call with the arguments, as often as wanted. cooperative: all blocks run at a
        time, for grid-wide barriers. cluster: blocks of a thread block cluster. strided: arrays of
        any layout are passed by their address. ValueError beyond the device's limits.
        """
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
    ) -> _Launcher:
        """A launch of at least `size` threads, an int or a tuple for 1 to 3 axes, in blocks of
        `block`, by default those that occupy the device best. A size of 0 launches nothing.
        """
    def suggested_block(self, /, shared_bytes: SupportsIndex = 0) -> int:
        """The threads of a block with which the device is occupied best."""
    def occupancy(self, /, block: _Extents, shared_bytes: SupportsIndex = 0) -> int:
        """How many blocks of that many threads a multiprocessor holds at a time."""
    def with_signature(self, signature: _Signature, /) -> Kernel:
        """The same kernel with the types of its parameters, which its arguments are checked against
        and converted to: "const float* x, float a, int n", or a sequence of dtypes with None for
        pointers and what is not known. ValueError unless it fits the compiled kernel.
        """
    def prepare(self, /, arg_types: _Signature) -> Self:
        """Sets the types of the parameters, as with_signature, or codes of the struct module
        ("PPi"). Returns the kernel, as PyCUDA does.
        """
    def _set_recipe(self, recipe: tuple[Any, ...], /) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def prepared_call(
        self, grid: _Extents, block: _Extents, /, *args: Any, shared_size: SupportsIndex = 0
    ) -> None:
        """PyCUDA's spelling of kernel[grid, block](*args)."""
    def prepared_async_call(
        self,
        grid: _Extents,
        block: _Extents,
        stream: _StreamLike,
        /,
        *args: Any,
        shared_size: SupportsIndex = 0,
    ) -> None:
        """PyCUDA's spelling of kernel[grid, block, stream](*args)."""
    @classmethod
    def from_handle(
        cls,
        /,
        handle: SupportsInt,
        device: _DeviceLike = None,
        signature: _Signature | None = None,
    ) -> Kernel:
        """A kernel of another library by its CUkernel, an int or what int() takes, which that
        library keeps. By default of the default CUDA device.
        """

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
def _set_context(context: int, /) -> int: ...
def _context(device: _DeviceLike, /) -> int: ...
def _device_attribute(device: _DeviceLike, number: int) -> int: ...
def _device_handle(device: _DeviceLike, /) -> int: ...
def _driver_version() -> int: ...
def _profile(records: bool, /) -> None: ...
def _end_threads() -> None: ...

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
        exponents: Iterable[Iterable[int]] = (),
        reductions: Iterable[tuple[str, str, str, float, bool, Iterable[int], int]] = (),
    ) -> Self: ...
    def sources(self, /) -> tuple[str, ...]: ...
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
    def sources(self, /) -> tuple[str, ...]: ...
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
        fallback: bool = True,
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
def _powers() -> tuple[tuple[float, str], ...]: ...

@final
class ufunc(Generic[_Parameters, _Result]):  # noqa: N801
    """A function of elements, as gpuarray.add, with the attributes nin, nout, nargs, ntypes,
    types, identity and signature and the methods reduce, accumulate, reduceat, outer and at
    of NumPy's ufunc of the same name.
    """

    def __call__(self, *args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result: ...
    def __getattribute__(self, name: str, /) -> Any: ...
    def __reduce__(self) -> str: ...
    @property
    def __name__(self) -> str: ...
    @property
    def __qualname__(self) -> str: ...
    @property
    def __text_signature__(self) -> str: ...
    @property
    def __wrapped__(self) -> Callable[_Parameters, _Result]: ...
    @property
    def identity(self) -> Any: ...
    @property
    def nargs(self) -> int: ...
    @property
    def nin(self) -> int: ...
    @property
    def nout(self) -> int: ...
    @property
    def ntypes(self) -> int: ...
    @property
    def signature(self) -> str | None: ...
    @property
    def types(self) -> list[str]: ...
    def accumulate(
        self,
        array: _ArrayLike,
        /,
        axis: SupportsIndex = 0,
        dtype: _DType = None,
        out: _Out = None,
    ) -> GPUArray: ...
    def at(self, a: GPUArray, indices: Any, b: _Operand = ..., /) -> None: ...
    def outer(self, a: _ArrayLike, b: _ArrayLike, /, **kwargs: Any) -> GPUArray: ...
    def reduce(
        self,
        array: _ArrayLike,
        /,
        axis: _Axes = 0,
        dtype: _DType = None,
        out: _Out = None,
        keepdims: bool = False,
        initial: Any = ...,
        where: GPUArray | bool = True,
    ) -> GPUArray: ...
    def reduceat(
        self,
        array: _ArrayLike,
        /,
        indices: Any,
        axis: SupportsIndex = 0,
        dtype: _DType = None,
        out: _Out = None,
    ) -> GPUArray: ...

@type_check_only
def _ufunc(function: Callable[_Parameters, _Result], /) -> ufunc[_Parameters, _Result]: ...
@_ufunc
def matmul(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: GPUArray | None = None,
    *,
    alpha: complex | np.generic = 1,
    beta: complex | np.generic = 0,
    axes: list[Any] | None = None,
    dtype: _DType = None,
    casting: str = "same_kind",
    order: str = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """alpha * (x1 @ x2) + beta * out: the product of 1-d, 2-d or batched operands.

    Operands are GPUArrays of one device, of shapes (..., m, k) and (..., k, n) whose leading axes
    broadcast; one of shape (k,) is a row or a column, and its axis of extent 1 is left out. The
    result is a new array or `out`, of any layout, which may overlap the operands. `axes`, `dtype`,
    `casting` and `order` are NumPy's, and go with neither factor. beta needs `out`; with beta 0 it
    is not read. float16 and bfloat16 are summed in float32, float32 as set_matmul_precision says.
    Queued on `stream`, by default the device's current one. ValueError for shapes that do not fit,
    TypeError for factors of a higher kind than the result.
    """

# Creation and transfers.
def empty(
    shape: _Shape,
    dtype: _DType = ...,
    order: str | None = "C",
    *,
    device: _DeviceLike = None,
    stream: _StreamLike = None,
    managed: bool = False,
) -> GPUArray:
    """A new array whose elements are not set.

    shape: int or ints; dtype: anything numpy.dtype takes, or 'bfloat16'; order: 'C' or 'F';
    device: a Device or its name, else the default device; stream: what the memory is ready for,
    else the current one; managed: whether it is in managed memory, as empty_managed. ValueError
    for a shape that is negative or too large, OutOfMemoryError where the device has not enough
    memory.
    """

def zeros(
    shape: _Shape,
    dtype: _DType = ...,
    order: str | None = "C",
    *,
    device: _DeviceLike = None,
    stream: _StreamLike = None,
    managed: bool = False,
) -> GPUArray:
    """A new array of zeros, filled on `stream`. Arguments as for empty."""

def ones(
    shape: _Shape,
    dtype: _DType = ...,
    order: str | None = "C",
    *,
    device: _DeviceLike = None,
    stream: _StreamLike = None,
    managed: bool = False,
) -> GPUArray:
    """A new array of ones, filled on `stream`. Arguments as for empty."""

def full(
    shape: _Shape,
    fill_value: _ArrayLike,
    dtype: _DType = None,
    order: str | None = "C",
    *,
    device: _DeviceLike = None,
    stream: _StreamLike = None,
    managed: bool = False,
) -> GPUArray:
    """A new array filled with a scalar, or with a GPUArray or a list that broadcasts, on `stream`.
    The dtype is the value's by default. Other arguments as for empty.
    """

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
) -> GPUArray:
    """A new array with the shape, dtype, layout and device of `a` where none is given; its elements
    are not set. Order 'C', 'F', 'A' or 'K'; `managed` as for empty; `subok` is NumPy's and changes
    nothing.
    """

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
def _kernel_image(source: str, architecture: str) -> bytes: ...
def _saved_digest(source: str, /) -> str: ...
def _keep_saved_image(digest: str, architecture: str, image: bytes) -> None: ...
def _known_architectures() -> list[int]: ...
def get_matmul_precision() -> Literal["highest", "high"]:
    """'highest' or 'high': this thread's precision of products (matmul_precision), else the
    process's.
    """

def set_matmul_precision(precision: str, /) -> None:
    """Sets in what products of float32 and complex64 are computed, by all threads of the process.

    'highest', as at the start: in float32. 'high': TF32 is allowed, whose factors have 10 bits of
    mantissa, and which is several times as fast on CUDA devices. A captured graph keeps what was
    set when it was captured.
    """

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
def _vdot(what: str, a: GPUArray, b: GPUArray, /) -> GPUArray: ...
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
def _sort_with_order(
    a: GPUArray, stable: bool, *, stream: _StreamLike = None
) -> tuple[GPUArray, GPUArray]: ...
def _select_rows(
    a: GPUArray, axis: int, count: int, descending: bool, *, stream: _StreamLike = None
) -> tuple[GPUArray, GPUArray] | None: ...
def _lexsort(keys: Sequence[GPUArray], axis: int, *, stream: _StreamLike = None) -> GPUArray: ...
def _distinct(
    sorted: GPUArray, equal_nan: bool, order: GPUArray | None, starts: bool
) -> tuple[GPUArray, GPUArray, GPUArray | None, GPUArray | None]: ...
def _distinct_values(a: GPUArray, equal_nan: bool, few: bool = False) -> GPUArray | None: ...
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
) -> GPUArray:
    """A new array with the elements of `obj`: an ndarray of any layout, a buffer, a scalar, nested
    sequences, a GPUArray, or an array of another library.

    The result is C-contiguous (a Fortran-ordered ndarray stays so), converted to `dtype`, on
    `device` (else where the data lie, for host data the default device), with `managed` in managed
    memory. The copy is ordered on `stream`; `obj` may be changed on return. TypeError for a dtype
    that is not supported.
    """

@overload
def asnumpy(
    a: Any,
    stream: _StreamLike = None,
    order: str | None = "C",
    out: np.ndarray[Any, Any] | None = None,
    *,
    blocking: Literal[True] = True,
) -> np.ndarray[Any, Any]:
    """The elements of a GPUArray as a numpy.ndarray, as a.get(); anything else through
    numpy.asarray.
    """

@overload
def asnumpy(
    a: Any,
    stream: _StreamLike = None,
    order: str | None = "C",
    out: np.ndarray[Any, Any] | None = None,
    *,
    blocking: bool = ...,
) -> Any:
    """The elements of a GPUArray as a numpy.ndarray, as a.get(); anything else through
    numpy.asarray.
    """

def from_dlpack(
    x: Any,
    /,
    *,
    device: _DeviceLike = None,
    copy: bool | None = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """A GPUArray over the memory of another library's array, or over a copy on `device`. Work on
    `stream`, or the current one, runs after the producer's pending work; the memory is given back
    when the last view is gone. Page-locked and managed memory stay what they are, and are used
    from `device` without a copy. Elements that are not aligned are copied. An array over memory
    that its producer does not call writable is read-only; with `copy` True it is a writable copy.
    BufferError for a dtype, device or layout that cannot be taken, or if `copy` is False and one
    is needed.
    """

def from_cuda_array_interface(
    obj: Any, /, *, sync: bool | None = None, stream: _StreamLike = None
) -> GPUArray:
    """A GPUArray over the memory of an object with __cuda_array_interface__, which it keeps alive.
    Work on `stream`, or the current one, runs after the stream that the interface names, before
    version 3 after the legacy default stream, unless `sync` is False; None is what
    set_cuda_array_interface_sync says. Never waits on the host. ValueError for an interface that
    is malformed or masked, TypeError for a dtype that is not supported.
    """

def set_cuda_array_interface_sync(on: bool, /) -> bool:
    """Whether arrays taken through the CUDA array interface wait for the producer's stream, in all
    threads; returns the setting before. Initially what GPUARRAY_CUDA_ARRAY_INTERFACE_SYNC says, 0
    or 1, else True. Without, the caller orders the streams.
    """

def cuda_array_interface_sync() -> bool:
    """Whether arrays taken through the CUDA array interface wait for the producer's stream."""

def _set_transfer_guard(mode: _Guard, /) -> _Guard: ...
def _set_fusion(mode: str, /) -> str: ...
def _fusion_stats() -> tuple[int, int, int, int, int]: ...
def _test_windows(name: str, /) -> str: ...
def _forget_sequences() -> None: ...
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
    name: str, key: int | GPUArray, out: GPUArray, parameters: Sequence[float | GPUArray]
) -> None: ...
def _random_order(key: int | GPUArray, shape: int | tuple[int, ...], axis: int) -> GPUArray: ...
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
def _as_class(a: GPUArray, type: type[GPUArray], /) -> GPUArray: ...
def _make_class(name: str, attributes: dict[str, Any], /) -> type[GPUArray]: ...
def _as_strided(
    a: GPUArray, shape: _Shape, strides: Sequence[int], offset: int, writeable: bool, /
) -> GPUArray: ...

# Devices and streams.
def devices() -> tuple[Device, ...]:
    """The devices there are, a tuple: those of CUDA, then cpu."""

def can_access_peer(device: _DeviceLike, peer: _DeviceLike) -> bool:
    """Whether `device` reaches the memory of `peer` without the host between them: then
    `a.to_device(device)` of an array on `peer` copies directly, else through the host. True for a
    device and itself; False for cpu and a CUDA device. DeviceError for a device that does not
    exist.
    """

def default_device() -> Device:
    """The Device that new arrays of this thread are made on."""

def set_staging(
    *, threads: SupportsIndex | None = None, chunk_bytes: SupportsIndex | None = None
) -> dict[str, int]:
    """Changes how large copies between the host and CUDA devices are staged, from the next copy of
    any thread on: `threads` that share a copy, 1 to 256, and `chunk_bytes` of page-locked memory,
    of which each has two, 1 to 2**30 and rounded up to a multiple of 64. None keeps a setting.
    Returns the settings before as a dict. ValueError for a number out of range.
    """

def set_default_device(device: _DeviceLike, /) -> None:
    """Makes new arrays on `device` from now on."""

def synchronize(device: _DeviceLike = None) -> None:
    """Blocks until all work queued on the device is done."""

def current_stream(device: _DeviceLike = None) -> Stream:
    """The Stream that this thread's operations on the device go to."""

def memory_stats(device: _DeviceLike = None) -> dict[str, int]:
    """Memory of arrays on the device: bytes_in_use, peak_bytes and allocations, a dict."""

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
def _can_share(array: GPUArray, /) -> bool: ...
def _device_uuid(device: _DeviceLike, /) -> bytes: ...
def _ipc_resource(device: _DeviceLike, /) -> MemoryResource: ...

# How it was built.
def _cpu_config() -> tuple[str, int]: ...
def build_config() -> dict[str, Any]:
    """How the compiled part was built, a dict."""

def cuda_absent_reason() -> str:
    """Why there is no CUDA device, an empty str if there is one."""

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
def set_launch_blocking(on: object, /) -> None:
    """Whether every launch is waited for, in all threads, so that one that fails raises where it
    stands. Initially what GPUARRAY_LAUNCH_BLOCKING says, 0 or 1.
    """

def launch_blocking() -> bool:
    """Whether every launch is waited for."""

def set_launch_lines(on: object, /) -> None:
    """Whether every launch notes the Python line it comes from, for CudaError.launches. Initially
    what GPUARRAY_LAUNCH_LINES says, 0 or 1. Launches that block always do.
    """

def launch_lines() -> bool:
    """Whether every launch notes its Python line."""

def pending_launches(device: _DeviceLike = None) -> list[Launch]:
    """The launches not known to be done on the device, or on all, a list of Launch, newest first:
    those after the last wait for their stream or for an event there, of the last 128. Does not
    wait.
    """

def cache_info() -> tuple[str, int, int, int, int, int]:
    """The fields of gpuarray._runtime.cache.CacheInfo, a tuple."""

def clear_cache() -> tuple[int, int]:
    """The fields of gpuarray._runtime.cache.ClearedCache, a tuple."""

def _concatenate(
    parts: Sequence[GPUArray], axis: int | None, out: GPUArray | None = None, dtype: Any = None
) -> GPUArray: ...
def _read_pieces(
    operation: str,
    a: GPUArray,
    axes: Sequence[Sequence[tuple[int, int, int] | tuple[int]]],
    order: str = "C",
    fill: Any = None,
) -> GPUArray: ...
def _rejoin(parts: Sequence[Any], axis: int | None, is_new: bool = False) -> GPUArray | None: ...
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
def op_table() -> list[tuple[str, int, str, tuple[str, ...], str, str]]:
    """The element-wise operations: (name, arity, slot, dtypes, rule, doc) each."""

def reduction_table() -> list[tuple[str, str, str, str]]:
    """The reductions: (name, result, empty, doc) each."""

def _nan_reduction_table() -> list[tuple[str, str, str, str]]: ...

# Element-wise operations.
@_ufunc
def add(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Sum of two arrays, element by element.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def subtract(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Difference of two arrays, element by element.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def multiply(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Product of two arrays, element by element.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def divide(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """True quotient of two arrays; integers give float64.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def floor_divide(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Largest integer not above the quotient; integer division by zero gives 0.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def remainder(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Remainder with the sign of the divisor; integer remainder by zero gives 0.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def fmod(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Remainder with the sign of the dividend, as C's fmod.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def power(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """First array raised to the powers of the second.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def maximum(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Larger of two elements; NaN if either is NaN.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def minimum(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Smaller of two elements; NaN if either is NaN.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def fmax(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Larger of two elements; a NaN is passed over.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def fmin(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Smaller of two elements; a NaN is passed over.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def arctan2(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Angle in radians of the point (x2, x1), in [-pi, pi].

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def hypot(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Length of the hypotenuse, without undue overflow.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def copysign(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Magnitude of the first with the sign of the second.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def nextafter(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Next representable value after the first towards the second.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def logaddexp(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """log(exp(x1) + exp(x2)) without undue overflow.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def logaddexp2(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """log2(2**x1 + 2**x2) without undue overflow.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def heaviside(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Heaviside step function; the second gives the value at 0.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def gcd(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Greatest common divisor.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def lcm(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Least common multiple.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def bitwise_and(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Bitwise AND; logical AND of bools.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def bitwise_or(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Bitwise OR; logical OR of bools.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def bitwise_xor(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Bitwise XOR; logical XOR of bools.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def left_shift(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Bits shifted to the left; 0 when shifted by the width or more.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def right_shift(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Bits shifted to the right; the sign fills when shifted by the width or more.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def bitwise_count(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Number of ones in the bits of the absolute value.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def equal(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Whether two elements are equal.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def not_equal(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Whether two elements differ.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def less(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Whether the first is less; complex numbers in lexicographic order.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def less_equal(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Whether the first is less or equal; complex numbers in lexicographic order.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def greater(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Whether the first is greater; complex numbers in lexicographic order.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def greater_equal(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Whether the first is greater or equal; complex numbers in lexicographic order.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def logical_and(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Whether both elements are nonzero.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def logical_or(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Whether either element is nonzero.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def logical_xor(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Whether exactly one element is nonzero.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def logical_not(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Whether the element is zero.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def negative(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Negated elements.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def positive(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """A copy of the elements.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def absolute(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Absolute value; of a complex number its magnitude.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def fabs(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Absolute value as a real floating number.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def invert(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Bitwise NOT; logical NOT of bools.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def sign(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """-1, 0 or 1; of a complex number x / abs(x); NaN of NaN.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def conjugate(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Complex conjugate.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

def angle(
    x: _ArrayLike, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray:
    """Angle of the complex element in radians, in [-pi, pi].

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def floor(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Largest integer not above the element.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def ceil(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Smallest integer not below the element.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def trunc(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Nearest integer towards zero.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def rint(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Nearest integer; halves go to the even one.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def square(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Square.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def sqrt(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Square root; NaN of negative reals.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def cbrt(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Cube root.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def reciprocal(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """1 / x; integer reciprocal of 0 gives 0.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def exp(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """e**x.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def exp2(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """2**x.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def expm1(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """e**x - 1, accurate near 0.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def log(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Natural logarithm.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def log2(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Logarithm to base 2.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def log10(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Logarithm to base 10.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def log1p(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """log(1 + x), accurate near 0.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

def i0(
    x: _ArrayLike, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray:
    """Modified Bessel function of the first kind, order 0 (Abramowitz and Stegun, 9.6.16); integers
    give float64.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def sin(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Sine of radians.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def cos(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Cosine of radians.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def tan(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Tangent of radians.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def arcsin(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Inverse sine in radians.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def arccos(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Inverse cosine in radians.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def arctan(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Inverse tangent in radians.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def sinh(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Hyperbolic sine.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def cosh(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Hyperbolic cosine.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def tanh(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Hyperbolic tangent.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def arcsinh(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Inverse hyperbolic sine.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def arccosh(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Inverse hyperbolic cosine.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def arctanh(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Inverse hyperbolic tangent.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def degrees(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Radians as degrees.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def radians(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Degrees as radians.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def isnan(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Whether the element is NaN.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def isinf(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Whether the element is infinite.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def isfinite(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Whether the element is neither infinite nor NaN.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def signbit(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Whether the sign bit is set.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@_ufunc
def spacing(
    x: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str | None = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Distance to the next representable value away from zero.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

def ldexp_floating(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """x1 * 2**x2, where the second is a whole number.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

def frexp_mantissa(
    x: _ArrayLike, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray:
    """Mantissa of x = mantissa * 2**exponent, in (-1, -0.5] or [0.5, 1).

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

def frexp_exponent(
    x: _ArrayLike, /, out: _Out = None, *, dtype: _DType = None, stream: _StreamLike = None
) -> GPUArray:
    """Exponent of x = mantissa * 2**exponent.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@overload
def where(condition: _ArrayLike, /, *, stream: _StreamLike = None) -> tuple[GPUArray, ...]:
    """Elements of the second where the first is true, else of the third.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

@overload
def where(
    condition: _ArrayLike,
    x: _ArrayLike,
    y: _ArrayLike,
    /,
    out: _Out = None,
    *,
    stream: _StreamLike = None,
) -> GPUArray:
    """Elements of the second where the first is true, else of the third.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

def clip(
    a: _ArrayLike,
    /,
    min: _ArrayLike | None = None,
    max: _ArrayLike | None = None,
    out: _Out = None,
    *,
    dtype: _DType = None,
    stream: _StreamLike = None,
) -> GPUArray:
    """Elements limited to the interval [lower, upper]; NaN stays NaN.

    Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any
    supported dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by
    default the device's current one.
    """

# Reductions and scans.
def sum(
    a: _ArrayLike,
    axis: _Axes = None,
    dtype: _DType = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    initial: Any = ...,
    where: Any = True,
    *,
    stream: _StreamLike = None,
) -> GPUArray:
    """Sum of the elements over the given axes.

    `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
    `stream`, by default the device's current one.
    """

def prod(
    a: _ArrayLike,
    axis: _Axes = None,
    dtype: _DType = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    initial: Any = ...,
    where: Any = True,
    *,
    stream: _StreamLike = None,
) -> GPUArray:
    """Product of the elements over the given axes.

    `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
    `stream`, by default the device's current one.
    """

def max(
    a: _ArrayLike,
    axis: _Axes = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    initial: Any = ...,
    where: Any = True,
    *,
    stream: _StreamLike = None,
) -> GPUArray:
    """Largest element over the given axes; NaN if one is NaN.

    `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
    `stream`, by default the device's current one.
    """

def min(
    a: _ArrayLike,
    axis: _Axes = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    initial: Any = ...,
    where: Any = True,
    *,
    stream: _StreamLike = None,
) -> GPUArray:
    """Smallest element over the given axes; NaN if one is NaN.

    `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
    `stream`, by default the device's current one.
    """

def any(
    a: _ArrayLike,
    axis: _Axes = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    *,
    where: Any = True,
    stream: _StreamLike = None,
) -> GPUArray:
    """Whether any element over the given axes is nonzero.

    `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
    `stream`, by default the device's current one.
    """

def all(
    a: _ArrayLike,
    axis: _Axes = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    *,
    where: Any = True,
    stream: _StreamLike = None,
) -> GPUArray:
    """Whether all elements over the given axes are nonzero.

    `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
    `stream`, by default the device's current one.
    """

def argmax(
    a: _ArrayLike,
    axis: SupportsIndex | None = None,
    out: GPUArray | None = None,
    *,
    keepdims: bool = False,
    stream: _StreamLike = None,
) -> GPUArray:
    """Index of the first largest element along an axis; of the first NaN if there is one.

    `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
    `stream`, by default the device's current one.
    """

def argmin(
    a: _ArrayLike,
    axis: SupportsIndex | None = None,
    out: GPUArray | None = None,
    *,
    keepdims: bool = False,
    stream: _StreamLike = None,
) -> GPUArray:
    """Index of the first smallest element along an axis; of the first NaN if there is one.

    `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
    `stream`, by default the device's current one.
    """

def mean(
    a: _ArrayLike,
    axis: _Axes = None,
    dtype: _DType = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    *,
    where: Any = True,
    stream: _StreamLike = None,
) -> GPUArray:
    """Arithmetic mean of the elements over the given axes; NaN where there is none.

    `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
    `stream`, by default the device's current one. Integers and bool
    give float64, unless `dtype` is given.
    """

def var(
    a: _ArrayLike,
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
) -> GPUArray:
    """Variance of the elements over the given axes, in one stable pass in float64.

    `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
    `stream`, by default the device's current one. Divides by the
    number of elements less `ddof`, also called `correction`.
    """

def std(
    a: _ArrayLike,
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
) -> GPUArray:
    """Standard deviation of the elements over the given axes, in one stable pass in float64.

    `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
    `stream`, by default the device's current one. Divides by the
    number of elements less `ddof`, also called `correction`.
    """

def nansum(
    a: _ArrayLike,
    axis: _Axes = None,
    dtype: _DType = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    initial: Any = ...,
    where: Any = True,
    *,
    stream: _StreamLike = None,
) -> GPUArray:
    """Sum of the elements over the given axes but for NaN.

    `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
    `stream`, by default the device's current one.
    """

def nanprod(
    a: _ArrayLike,
    axis: _Axes = None,
    dtype: _DType = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    initial: Any = ...,
    where: Any = True,
    *,
    stream: _StreamLike = None,
) -> GPUArray:
    """Product of the elements over the given axes but for NaN.

    `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
    `stream`, by default the device's current one.
    """

def nanmax(
    a: _ArrayLike,
    axis: _Axes = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    initial: Any = ...,
    where: Any = True,
    *,
    stream: _StreamLike = None,
) -> GPUArray:
    """Largest element over the given axes but for NaN; NaN where all are.

    `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
    `stream`, by default the device's current one.
    """

def nanmin(
    a: _ArrayLike,
    axis: _Axes = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    initial: Any = ...,
    where: Any = True,
    *,
    stream: _StreamLike = None,
) -> GPUArray:
    """Smallest element over the given axes but for NaN; NaN where all are.

    `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
    `stream`, by default the device's current one.
    """

def nanargmax(
    a: _ArrayLike,
    axis: SupportsIndex | None = None,
    out: GPUArray | None = None,
    *,
    keepdims: bool = False,
    stream: _StreamLike = None,
) -> GPUArray:
    """Index of the first largest element along an axis but for NaN; -1 where all are.

    `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
    `stream`, by default the device's current one.
    """

def nanargmin(
    a: _ArrayLike,
    axis: SupportsIndex | None = None,
    out: GPUArray | None = None,
    *,
    keepdims: bool = False,
    stream: _StreamLike = None,
) -> GPUArray:
    """Index of the first smallest element along an axis but for NaN; -1 where all are.

    `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
    `stream`, by default the device's current one.
    """

def nanmean(
    a: _ArrayLike,
    axis: _Axes = None,
    dtype: _DType = None,
    out: GPUArray | None = None,
    keepdims: bool = False,
    *,
    where: Any = True,
    stream: _StreamLike = None,
) -> GPUArray:
    """Arithmetic mean of the elements over the given axes but for NaN; NaN where all are.

    `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
    `stream`, by default the device's current one. Integers and bool
    give float64, unless `dtype` is given.
    """

def nanvar(
    a: _ArrayLike,
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
) -> GPUArray:
    """Variance of the elements over the given axes but for NaN; NaN where no more than `ddof` are
    left.

    `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
    `stream`, by default the device's current one. Divides by the
    number of elements less `ddof`, also called `correction`.
    """

def nanstd(
    a: _ArrayLike,
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
) -> GPUArray:
    """Standard deviation of the elements over the given axes but for NaN: the root of nanvar().

    `axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
    `stream`, by default the device's current one. Divides by the
    number of elements less `ddof`, also called `correction`.
    """

def cumsum(
    a: _ArrayLike,
    axis: SupportsIndex | None = None,
    dtype: _DType = None,
    out: GPUArray | None = None,
    *,
    stream: _StreamLike = None,
) -> GPUArray:
    """Sums of the elements up to each one along the axis.

    `axis` None takes all elements in C order, to one dimension. Integers below 64 bits, and bool,
    give 64 bits unless `dtype` or `out` asks for another. float32 is accumulated in float64,
    float16 and bfloat16 in float32; the result has the same bits in every run. Returns a new array
    or `out`. Queued on `stream`, by default the device's current one.
    """

def cumprod(
    a: _ArrayLike,
    axis: SupportsIndex | None = None,
    dtype: _DType = None,
    out: GPUArray | None = None,
    *,
    stream: _StreamLike = None,
) -> GPUArray:
    """Products of the elements up to each one along the axis.

    `axis` None takes all elements in C order, to one dimension. Integers below 64 bits, and bool,
    give 64 bits unless `dtype` or `out` asks for another. float32 is accumulated in float64,
    float16 and bfloat16 in float32; the result has the same bits in every run. Returns a new array
    or `out`. Queued on `stream`, by default the device's current one.
    """

def accumulate(
    op: str,
    a: GPUArray,
    axis: SupportsIndex | None = None,
    dtype: _DType = None,
    out: GPUArray | None = None,
    *,
    stream: _StreamLike = None,
) -> GPUArray:
    """The results of the operation `op`, a name of scans.def, up to each element along the axis;
    TypeError for another.
    """
