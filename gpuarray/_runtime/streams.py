# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Streams of other libraries and of the driver, and the decorator that adds `stream=`."""

import atexit
import contextlib
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from types import MappingProxyType
from typing import Any, TypeVar

from gpuarray import _core
from gpuarray._common.operands import device_of, with_arrays
from gpuarray._core import Device, GPUArray, Stream

__all__ = ["ExternalStream", "access", "legacy_default_stream", "per_thread_default_stream"]

_LEGACY, _PER_THREAD = 1, 2
atexit.register(_core._end_threads)

R = TypeVar("R")


def ExternalStream(ptr: Any, device: Device | str | None = None) -> Stream:  # noqa: N802
    """Return the Stream of another library's: a CUstream as an int, or what has __cuda_stream__.

    The stream must outlive its use; an object with __cuda_stream__ is kept alive. `device` is the
    one that it belongs to, by default the current one.
    """
    return Stream.from_external(ptr, device)


def legacy_default_stream(device: Device | str | None = None) -> Stream:
    """Return CUDA's default stream, with which all blocking streams of the process order."""
    return Stream.from_external(_LEGACY, device)


def per_thread_default_stream(device: Device | str | None = None) -> Stream:
    """Return CUDA's default stream of a thread: of each thread that uses the Stream its own."""
    return Stream.from_external(_PER_THREAD, device)


@contextlib.contextmanager
def access(
    reads: Iterable[GPUArray] = (), writes: Iterable[GPUArray] = (), stream: Any = None
) -> Iterator[Stream]:
    """Open arrays for work that other code queues; ``with`` gives the Stream to queue it on.

    For addresses (``a.ptr``) that go to ctypes or to another library: what is queued on the Stream
    within the block runs after pending writes of `reads` and all pending uses of `writes`, and
    later operations on the arrays run after it. `stream` is by default the current one of the
    arrays' device. Other threads wait for the end of the block with their operations: queue, and
    wait for nothing in it. ValueError for no arrays and for a read-only one among `writes`,
    DeviceError for arrays of several devices, RuntimeError, after the end of the block, where it is
    left on another thread than it was entered on.
    """
    current, opened = _core._open_access(reads, writes, stream)
    try:
        yield current
    finally:
        _core._close_access(opened)


def takes_stream(function: Callable[..., R]) -> Callable[..., R]:
    """Add the keyword `stream`, which becomes the current stream of the device for the call.

    Lists may stand for arrays, as takes_lists() lets them.
    """

    @functools.wraps(function)
    def wrapper(*args: Any, stream: Any = None, **kwargs: Any) -> R:
        try:
            if stream is None:
                return function(*args, **kwargs)
            if not isinstance(stream, Stream):
                stream = Stream.from_external(stream, device_of(args, kwargs))
            with stream:
                return function(*args, **kwargs)
        except TypeError:
            converted = with_arrays(function, args, kwargs)
            if converted is None:
                raise
        return wrapper(*converted[0], stream=stream, **converted[1])

    wrapper.__signature__ = _signature_of(function)  # type: ignore[attr-defined]
    return wrapper


class _StreamSignature(inspect.Signature):
    """A signature whose parameters are computed when it is asked for, not at every import."""

    _function: Callable[..., Any] | None = None

    @property
    def parameters(self) -> MappingProxyType[str, inspect.Parameter]:
        # Those of replace() have no function.
        return _parameters_of(self._function) if self._function else super().parameters

    def __reduce__(self) -> Any:
        state = {"_return_annotation": self.return_annotation}
        return inspect.Signature, (list(self.parameters.values()),), state


@functools.cache
def _parameters_of(function: Callable[..., Any]) -> MappingProxyType[str, inspect.Parameter]:
    rest = {**inspect.signature(function).parameters}
    kind = inspect.Parameter.VAR_KEYWORD
    last = {name: rest.pop(name) for name in [*rest] if rest[name].kind is kind}
    keyword = inspect.Parameter("stream", inspect.Parameter.KEYWORD_ONLY, default=None)
    return MappingProxyType({**rest, "stream": keyword, **last})


def _signature_of(function: Callable[..., Any]) -> inspect.Signature:
    made = _StreamSignature(return_annotation=function.__annotations__.get("return"))
    made._function = function
    return made
