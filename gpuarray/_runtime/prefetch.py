# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""prefetch_to_device: arrays of the host that a thread reads and copies while others are in use."""

import contextvars
import operator
import os
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from gpuarray import _core
from gpuarray._core import Device, Event, GPUArray, Stream, default_device

__all__ = ["prefetch_to_device"]

_END = object()


def prefetch_to_device(
    iterable: Iterable[Any], size: int = 2, *, device: "Device | str | None" = None
) -> Generator[Any, None, None]:
    """Yield the arrays of `iterable` on `device`, of which `size` are read and copied ahead.

    An item is what to_device takes, or a tuple of such, of which a tuple is made; arrays of the
    device are yielded as they are. A thread asks the iterable for them in order, from the first
    ``next()`` on, and copies on a stream of its own, beside work on those before. Later work on any
    stream waits for the copy. A copy waits until the caller's current stream is done with the item
    `size` + 1 places before, so that at most `size` + 2 are on the device unless the caller keeps
    them. `device` is by default the default one of now, and the default one for the iterable.

    What the iterable or the copy raises is raised here in its place. close(), and the end of a
    generator that nobody holds, waits for a read that has begun. TypeError and ValueError for a
    `size` that is not a positive int, TypeError for what is not iterable.
    """
    if isinstance(size, bool) or not hasattr(size, "__index__"):
        raise TypeError(f"prefetch_to_device: size: expected an int, got {type(size).__name__}")
    size = operator.index(size)
    if size < 1:
        raise ValueError(f"prefetch_to_device: size: expected at least 1, got {size}")
    chosen = default_device() if device is None else Device(device)
    try:
        items = iter(iterable)
    except TypeError:
        got = type(iterable).__name__
        raise TypeError(f"prefetch_to_device: expected an iterable, got {got}") from None
    return _prefetched(items, size, chosen)


def _prefetched(items: Iterator[Any], size: int, device: Device) -> Generator[Any, None, None]:
    context = contextvars.copy_context()
    stream = Stream(device)

    def enter() -> int:
        # For all reads of the thread: a generator may leave a block of a stream in another one.
        device.__enter__()
        stream.__enter__()
        return threading.get_ident()

    def read(used: Event | None) -> Any:
        item = next(items, _END)
        if used is not None:
            used.synchronize()
        return item if item is _END else _moved(item, device)

    pool = ThreadPoolExecutor(1, "gpuarray-prefetch")
    process = os.getpid()
    reader = None
    try:
        reader = pool.submit(context.run, enter).result()
        ahead = deque(pool.submit(context.run, read, None) for _ in range(size))
        used = None
        while (item := ahead.popleft().result()) is not _END:
            ahead.append(pool.submit(context.run, read, used))
            yield item
            del item
            if os.getpid() != process:
                raise RuntimeError(
                    "prefetch_to_device: the iterator was made before fork, and its thread reads "
                    "in the parent; make another one in the child"
                )
            used = Event(device, timing=False, blocking=True).record()
    finally:
        # The collector may end the generator on the thread that reads: it cannot wait for itself.
        pool.shutdown(wait=threading.get_ident() != reader, cancel_futures=True)


def _moved(item: Any, device: Device) -> Any:
    if isinstance(item, tuple):
        return tuple(_moved(part, device) for part in item)
    if isinstance(item, GPUArray):
        return item.to_device(device)
    return _core.to_device(item, device=device)
