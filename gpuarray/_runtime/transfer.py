# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Asynchronous copies between host and device, and the guard against implicit copies."""

import contextlib
from collections import deque
from collections.abc import Generator, Iterator
from typing import Any, Literal

from gpuarray import _core
from gpuarray._core import GPUArray

__all__ = ["Transfer", "transfer_guard"]

# Each pair is queued work, and the objects that it reads and writes, kept alive until it is done.
_in_flight: deque[tuple[object, object]] = deque()


def _forget_finished() -> None:
    while _in_flight:
        try:
            first = _in_flight.popleft()
        except IndexError:  # another thread has taken it
            return
        is_done = False
        try:
            is_done = _core._work_done(first[0])
        finally:
            if not is_done:  # nor where asking failed: the copy may still use the memory
                _in_flight.appendleft(first)
        if not is_done:
            return


def _keep_until_done(work: object, kept: object) -> None:
    if not _core._work_done(work):
        _in_flight.append((work, kept))
    _forget_finished()


class Transfer:
    """A copy in the queue of a stream: what ``get`` and ``set`` return with blocking=False.

    It keeps the memory of both sides until it is done, also when nobody keeps the Transfer.
    ``await transfer`` waits in a thread and gives the result.
    """

    __slots__ = ("_result", "_work")

    def __init__(self, result: Any, work: object) -> None:
        self._result = result
        self._work = work

    @property
    def done(self) -> bool:
        """Whether the copy is done; does not block."""
        return _core._work_done(self._work)

    def wait(self) -> Any:
        """Block until the copy is done; returns the result. CudaError for work that failed."""
        _core._wait_for_work(self._work)
        _forget_finished()
        return self._result

    @property
    def result(self) -> Any:
        """The ndarray that ``get`` filled, or the array that ``set`` wrote; waits for it."""
        return self.wait()

    def __await__(self) -> Generator[Any, None, Any]:
        if not self.done:
            # asyncio is slow to import.
            import asyncio

            waiting = asyncio.get_running_loop().run_in_executor(None, self.wait)
            yield from waiting.__await__()
        return self.wait()

    def __repr__(self) -> str:
        return f"<gpuarray.Transfer {'done' if self.done else 'pending'}>"


def get_later(a: GPUArray, out: Any, order: Any, stream: Any) -> Transfer:
    """Return ``a.get(out, order=order, stream=stream, blocking=False)``."""
    filled, work = _core._queue_get(a, out, order, stream)
    _keep_until_done(work, (a, filled))
    return Transfer(filled, work)


def set_later(a: GPUArray, source: Any, stream: Any) -> Transfer:
    """Return ``a.set(source, stream=stream, blocking=False)``."""
    read, work = _core._queue_set(a, source, stream)
    _keep_until_done(work, (a, read))
    return Transfer(a, work)


def get_page_locked(a: GPUArray, out: Any, order: Any, stream: Any, async_: Any) -> Any:
    """Return ``a.get(out, order=order, stream=stream, pagelocked=True, async_=async_)``."""
    filled, work = _core._queue_get(a, out, order, stream)
    _keep_until_done(work, (a, filled))
    if not async_:
        _core._wait_for_work(work)
    return filled


@contextlib.contextmanager
def transfer_guard(mode: Literal["allow", "log", "disallow"]) -> Iterator[None]:
    """Govern implicit copies from CUDA devices to the host in this thread.

    Implicit are those that no transfer function was called for: ``numpy.asarray(a)``,
    ``memoryview(a)``, ``file.write(a)`` and the like. "allow" lets them pass, "log" reports each
    with its shape and dtype to the logger "gpuarray", "disallow" raises ``BufferError``. Arrays of
    the cpu device are shared without a copy and never concerned; nor are ``a.get()`` and
    ``gpuarray.asnumpy``. Outside the block the environment variable GPUARRAY_TRANSFER_GUARD
    governs, read once.
    """
    before = _core._set_transfer_guard(mode)
    try:
        yield
    finally:
        _core._set_transfer_guard(before)


def log_transfer(message: str) -> None:
    """Log one implicit copy from a device as a warning."""
    # logging is slow to import and seldom needed.
    import logging

    logging.getLogger("gpuarray").warning(message)
