# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's Stream and Event over those of gpuarray."""

from enum import IntFlag
from typing import Any

import gpuarray

__all__ = ["Event", "Stream", "event_flags"]


class event_flags(IntFlag):  # noqa: N801
    """How an Event is made."""

    DEFAULT = 0
    BLOCKING_SYNC = 1
    DISABLE_TIMING = 2
    INTERPROCESS = 4


class Stream:
    """A new stream of the current device; work on it is in order.

    It waits for CUDA's legacy default stream, and that for it, unless `flags` is 1. Where gpuarray
    takes a stream it takes this one too; `stream` is the gpuarray.Stream.
    """

    def __init__(self, flags: int = 0) -> None:
        self.stream = gpuarray.Stream(non_blocking=bool(flags & 1))

    @property
    def handle(self) -> int:
        """The CUstream as an int."""
        return self.stream.ptr

    def synchronize(self) -> None:
        """Wait until all work of the stream is done."""
        self.stream.synchronize()

    def is_done(self) -> bool:
        """Return whether all work of the stream is done."""
        return self.stream.done

    def wait_for_event(self, event: "Event") -> None:
        """Let later work of the stream wait for the event, on the device."""
        self.stream.wait_event(event.event)

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.handle


def stream_of(stream: Any) -> Any:
    """Return the gpuarray.Stream of a Stream; anything else as it is."""
    return stream.stream if isinstance(stream, Stream) else stream


class Event:
    """A point in a stream, which can be waited for, and whose time can be compared.

    `flags` are of event_flags. `event` is the gpuarray.Event.
    """

    def __init__(self, flags: int = 0) -> None:
        self.event = gpuarray.Event(
            timing=not flags & event_flags.DISABLE_TIMING,
            blocking=bool(flags & event_flags.BLOCKING_SYNC),
            interprocess=bool(flags & event_flags.INTERPROCESS),
        )

    def record(self, stream: Any = None) -> "Event":
        """Put the event at the end of a stream's work, by default the current stream's."""
        self.event.record(stream_of(stream))
        return self

    def synchronize(self) -> "Event":
        """Wait until the work before the event is done."""
        self.event.synchronize()
        return self

    def query(self) -> bool:
        """Return whether the work before the event is done."""
        return self.event.query()

    def time_since(self, event: "Event") -> float:
        """Return the milliseconds from another event to this one; both must be done."""
        return event.event.elapsed_time(self.event)

    def time_till(self, event: "Event") -> float:
        """Return the milliseconds from this event to another one; both must be done."""
        return self.event.elapsed_time(event.event)
