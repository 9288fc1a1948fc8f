# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Graphs: work that is captured once and launched as a whole many times."""

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Generic, ParamSpec, TypeVar

from gpuarray._core import CudaGraph, Device, GPUArray, Stream, default_device
from gpuarray.errors import CaptureError

__all__ = ["CaptureError", "Graph", "capture", "graph"]

P = ParamSpec("P")
R = TypeVar("R")


class _HostReplay:
    """Repeats a call on the cpu device, and copies its results into those of the first call."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self.call = call
        self.result = call()

    def launch(self, stream: Any = None) -> None:
        for target, source in zip(_arrays(self.result), _arrays(self.call()), strict=True):
            if source is not target:
                target[...] = source


class Graph(Generic[R]):
    """Work that was captured, made by `capture` and `graph`.

    It owns the memory that was allocated for it, and keeps alive the arrays that it uses. Arrays
    made in the capture have contents after a launch; each launch writes them anew.
    """

    def __init__(
        self,
        captured: CudaGraph | _HostReplay,
        device: Device,
        inputs: tuple[GPUArray, ...] = (),
        result: Any = None,
    ) -> None:
        self._captured = captured
        self.device = device
        self.inputs = inputs
        self.result: R = result

    def __repr__(self) -> str:
        if isinstance(self._captured, _HostReplay):
            return f"<gpuarray.Graph on {self.device}>"
        if self._captured.capturing:
            return f"<gpuarray.Graph on {self.device}, being captured>"
        return f"<gpuarray.Graph of {self._captured.nodes} nodes on {self.device}>"

    def launch(self, stream: Any = None) -> None:
        """Queue the work on `stream`, by default the current one.

        It runs after pending uses of the arrays concerned, on any stream, and after the launch
        before. CaptureError before the capture has ended, or after it failed; DeviceError for a
        stream of another device.
        """
        self._captured.launch(stream)

    def update(self, *inputs: Any, stream: Any = None) -> None:
        """Copy new contents into the arrays that the function was captured with, in place.

        `inputs` are arrays, of any device or of the host, for `self.inputs`: as many, of the same
        shapes, of dtypes that cast to theirs by the rule 'same_kind'; None leaves one as it is. The
        copies are made on `stream`, by default the current one. ValueError for another number or
        shape.
        """
        if stream is not None:
            given = isinstance(stream, Stream)
            with stream if given else Stream.from_external(stream, self.device):
                return self.update(*inputs)
        if len(inputs) != len(self.inputs):
            raise ValueError(f"update: expected {len(self.inputs)} arrays, got {len(inputs)}")
        pairs = [
            (old, new) for old, new in zip(self.inputs, inputs, strict=True) if new is not None
        ]
        for old, new in pairs:
            if getattr(new, "shape", old.shape) != old.shape:
                raise ValueError(f"update: expected shape {old.shape}, got {new.shape}")
        for old, new in pairs:
            if new is old:
                continue
            if not isinstance(new, GPUArray):
                old.set(new)
            elif new.device != old.device:
                old[...] = new.to_device(old.device)
            else:
                old[...] = new


class capture:  # noqa: N801
    """Capture the work of the block in a Graph, instead of running it: `with capture() as graph:`.

    A new stream of `device`, by default the default device, is current inside; or `stream`, which
    may not be a default stream. Streams that wait for it become part of the capture. What waits for
    the device raises CaptureError. DeviceError for cpu, which records no work.
    """

    def __init__(self, stream: Stream | None = None, *, device: Device | str | None = None) -> None:
        self._stream = stream
        self._device = device

    def __enter__(self) -> Graph[None]:
        device = self._device
        if device is None:
            device = default_device() if self._stream is None else self._stream.device
        self._captured = CudaGraph(device, self._stream)
        self._current = self._captured.stream
        self._current.__enter__()
        return Graph(self._captured, self._captured.device)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        captured = self._captured
        try:
            self._current.__exit__(kind, error, traceback)
        finally:
            del self._captured, self._current
            if kind is None:
                captured.end()
            else:
                captured.abandon()


def graph(function: Callable[P, R]) -> Callable[P, Graph[R]]:
    """Return a function that captures a call of `function` in a Graph.

    `graph(function)(*args)` calls it once, which does nothing on the device; the Graph's `result`
    is what it returned, whose arrays are written at each launch. `inputs` are the arrays among the
    positional arguments, which the graph reads where they are: `update` copies into them. The
    device is that of the first array among the arguments, else the default device.

    On cpu, which records no work, `function` runs at once and again at each launch, which copies
    what it returns into the arrays of `result`.
    """

    def captured(*args: P.args, **kwargs: P.kwargs) -> Graph[R]:
        arrays = list(_arrays((args, kwargs)))
        device = arrays[0].device if arrays else default_device()
        inputs = tuple(arg for arg in args if isinstance(arg, GPUArray))
        if str(device) == "cpu":
            replay = _HostReplay(lambda: function(*args, **kwargs))
            return Graph(replay, device, inputs, replay.result)
        with capture(device=device) as made:
            result = function(*args, **kwargs)
        return Graph(made._captured, device, inputs, result)

    return captured


def _arrays(value: Any) -> Iterator[GPUArray]:
    """Yield the arrays in nested tuples, lists and dicts, in order."""
    if isinstance(value, GPUArray):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _arrays(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _arrays(item)
