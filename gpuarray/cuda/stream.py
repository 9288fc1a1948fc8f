# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""CuPy's streams and events over those of gpuarray."""

from collections.abc import Callable
from contextvars import Context, ContextVar
from typing import Any, ClassVar

import gpuarray
from gpuarray.cuda.device import device_of

__all__ = [
    "BaseStream",
    "Event",
    "ExternalStream",
    "Stream",
    "get_current_stream",
    "get_elapsed_time",
]

# The streams that this task has made current: (stream, whether by a with block), innermost last.
_Frames = tuple[tuple[gpuarray.Stream, bool], ...]
_entered: ContextVar[_Frames] = ContextVar("gpuarray_cuda_streams", default=())


def _push(stream: gpuarray.Stream, by_block: bool) -> None:
    stream.__enter__()
    _entered.set((*_entered.get(), (stream, by_block)))


def _pop() -> tuple[gpuarray.Stream, bool]:
    *rest, (stream, by_block) = _entered.get()
    stream.__exit__(None, None, None)
    _entered.set(tuple(rest))
    return stream, by_block


def _main_stream(device: gpuarray.Device) -> gpuarray.Stream:
    """Return the stream that is current where none was chosen."""
    return Context().run(gpuarray.current_stream, device)


class _EventType(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, gpuarray.Event)


class Event(metaclass=_EventType):
    """A gpuarray.Event of the current device, with CuPy's arguments.

    block: a thread that waits sleeps; disable_timing: get_elapsed_time() does not take it;
    interprocess: another process can open it, which needs disable_timing.
    """

    def __new__(
        cls, block: bool = False, disable_timing: bool = False, interprocess: bool = False
    ) -> Any:
        return gpuarray.Event(timing=not disable_timing, blocking=block, interprocess=interprocess)


class BaseStream:
    """What Stream and ExternalStream have in common; `stream` is the gpuarray.Stream.

    Functions of gpuarray take it as `stream`. Streams are equal if their device and handle are.
    """

    _stream: gpuarray.Stream
    _capture: gpuarray.capture | None = None
    _graph: gpuarray.Graph[None] | None = None

    @property
    def stream(self) -> gpuarray.Stream:
        """The gpuarray.Stream."""
        return self._stream

    @property
    def ptr(self) -> int:
        """The CUstream as an int; 0 for the cpu device."""
        return self.stream.ptr

    @property
    def device_id(self) -> int:
        """The number of the stream's device."""
        return self.stream.device.id

    @property
    def priority(self) -> int:
        """The priority; lower numbers go first."""
        return self.stream.priority

    @property
    def done(self) -> bool:
        """Whether all queued work is done."""
        return self.stream.done

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.ptr

    def __enter__(self) -> "BaseStream":
        _push(self.stream, True)
        return self

    def __exit__(self, *error: object) -> None:
        while _entered.get() and not _pop()[1]:
            pass

    def use(self) -> "BaseStream":
        """Make it the current stream of this thread, to the end of the ``with Stream`` around.

        In a ``with`` block of a gpuarray.Stream it is a RuntimeError: write ``with`` for this one.
        """
        frames = _entered.get()
        last = frames[-1][0] if frames else _main_stream(self.stream.device)
        if gpuarray.current_stream(last.device) != last:
            raise RuntimeError(
                "Stream.use: a gpuarray.Stream is current by its with block, which this would end; "
                "write with stream: for this one, too"
            )
        others = []
        while _entered.get() and not _entered.get()[-1][1]:
            others.append(_pop()[0])
        stream = self.stream
        for other in reversed(others):
            if other.device != stream.device:
                _push(other, False)
        _push(stream, False)
        return self

    def synchronize(self) -> None:
        """Wait until all queued work is done."""
        self.stream.synchronize()

    def record(self, event: Any = None) -> Any:
        """Record the event, or a new one, after the work queued now, and return it."""
        return self.stream.record(event)

    def wait_event(self, event: Any) -> None:
        """Let later work run after what the event was recorded after. Does not block."""
        self.stream.wait_event(event)

    def launch_host_func(self, callback: Callable[[Any], object], arg: Any) -> None:
        """Call callback(arg) on another thread once the work queued now is done.

        Later work of the stream waits for it. The function may not use CUDA.
        """
        self.stream.launch_host_func(callback, arg)

    def add_callback(self, callback: Callable[[Any, int, Any], object], arg: Any) -> None:
        """Call callback(stream, 0, arg) as launch_host_func does; 0 is CUDA's success."""
        self.stream.launch_host_func(callback, self, 0, arg)

    def begin_capture(self, mode: int | None = None) -> None:
        """Capture what is queued on the stream in a graph, until end_capture; makes it current.

        Both are called within the same ``with`` block. `mode` changes nothing: what waits for the
        device raises CaptureError. DeviceError for cpu, RuntimeError during a capture.
        """
        if self._capture is not None:
            raise RuntimeError("begin_capture: the stream is being captured already")
        capture = gpuarray.capture(self.stream)
        self._graph = capture.__enter__()
        self._capture = capture

    def end_capture(self) -> gpuarray.Graph[None]:
        """End the capture and return the gpuarray.Graph, which has `launch`.

        RuntimeError without begin_capture, CaptureError where something cannot be captured.
        """
        capture, graph = self._capture, self._graph
        if capture is None or graph is None:
            raise RuntimeError("end_capture: begin_capture was not called")
        self._capture = self._graph = None
        capture.__exit__(None, None, None)
        return graph

    def is_capturing(self) -> bool:
        """Return whether begin_capture was called, and not yet end_capture."""
        return self._capture is not None

    def __eq__(self, other: object) -> bool:
        if isinstance(other, BaseStream):
            return self.stream == other.stream
        return isinstance(other, gpuarray.Stream) and self.stream == other

    def __hash__(self) -> int:
        return hash(self.stream)

    def __repr__(self) -> str:
        return f"<gpuarray.cuda.{type(self).__name__} {self.ptr} of {self.stream.device}>"


class Stream(BaseStream):
    """A new stream of the current device, with CuPy's arguments.

    null: instead the stream that is current where none was chosen, of what device is current
    whenever it is used; ptds: CUDA's default stream of each thread; non_blocking: not ordered with
    the legacy default stream; priority: lower numbers go first. `Stream.null` and `Stream.ptds`
    are these two streams. On the cpu device there is one stream, which is always idle.
    """

    null: ClassVar["Stream"]
    ptds: ClassVar["Stream"]

    def __init__(
        self,
        null: bool = False,
        non_blocking: bool = False,
        ptds: bool = False,
        priority: int | None = None,
    ) -> None:
        if null and ptds:
            raise ValueError("Stream: expected at most one of null and ptds")
        self._is_null, self._is_ptds = bool(null), bool(ptds)
        if not (null or ptds):
            self._stream = gpuarray.Stream(non_blocking=non_blocking, priority=priority or 0)

    @property
    def stream(self) -> gpuarray.Stream:
        """The gpuarray.Stream; of the current device for null and ptds."""
        if self._is_null:
            return _main_stream(gpuarray.default_device())
        return gpuarray.per_thread_default_stream() if self._is_ptds else self._stream

    @classmethod
    def _of(cls, stream: gpuarray.Stream) -> "Stream":
        made = cls.__new__(cls)
        made._is_null = made._is_ptds = False
        made._stream = stream
        return made

    @classmethod
    def from_external(cls, stream: Any) -> "Stream":
        """Return the stream of another library's object with __cuda_stream__, kept alive."""
        return cls._of(gpuarray.Stream.from_external(stream))


Stream.null = Stream(null=True)
Stream.ptds = Stream(ptds=True)


class ExternalStream(BaseStream):
    """The stream of another library by its CUstream, an int; it must outlive its use.

    `device_id` is the number of its device, by default the current one's.
    """

    def __init__(self, ptr: int, device_id: int = -1) -> None:
        self._stream = gpuarray.ExternalStream(ptr, device_of(None if device_id < 0 else device_id))


def get_current_stream(device_id: int = -1) -> Stream:
    """Return the current stream of a device, by default the current device."""
    return Stream._of(gpuarray.current_stream(device_of(None if device_id < 0 else device_id)))


def get_elapsed_time(start_event: Any, end_event: Any) -> float:
    """Return the milliseconds between two events of the same device, both of which are done."""
    return float(start_event.elapsed_time(end_event))
