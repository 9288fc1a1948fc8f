# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The state of a communicator, and the one way by which its verbs queue work."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, NoReturn, Self

from gpuarray import _core
from gpuarray._collectives import library
from gpuarray._core import Device, GPUArray, Stream, zeros
from gpuarray.errors import CudaError

__all__ = ["Queueing", "Step"]

# What is queued once the arrays are open, given NCCL's functions, the communicator and the stream.
Step = Callable[[Any, Any, int], None]
# Statuses of a call that was refused; after all others the communicator is of no use.
_REFUSED = (4, 5)
_POLLS_WITHOUT_SLEEP = 200


class Queueing:
    """A communicator without verbs."""

    def __init__(self, comm: Any, size: int, rank: int, device: Device, timeout: float) -> None:
        self._comm, self._size, self._rank, self._device = comm, size, rank, device
        self._context, self._timeout = _core._context(device), timeout
        self._ended = "closed"
        self._group: list[Step] | None = None
        self._group_thread = 0
        self._reads: list[GPUArray] = []
        self._writes: list[GPUArray] = []
        self._streams: set[Stream] = set()
        self._token = zeros(1, "float32", device=device)

    @property
    def size(self) -> int:
        """The number of ranks."""
        return self._size

    @property
    def rank(self) -> int:
        """The number of this process among them."""
        return self._rank

    @property
    def device(self) -> Device:
        """The Device whose arrays it moves."""
        return self._device

    def __repr__(self) -> str:
        state = "" if self._comm is not None else f", {self._ended}"
        return f"<Communicator: rank {self._rank} of {self._size} on {self._device}{state}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Communicator belongs to its process and is not pickled")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close it; after an exception abort it, since the other ranks may never come."""
        if kind is None:
            self.close()
        else:
            self.abort()

    def abort(self) -> None:
        """End it at once, and the work that waits for other ranks, whose results are undefined.

        Any thread may call it while another waits in `synchronize`; not while one queues. Nothing
        to do where it has ended.
        """
        comm, self._comm = self._comm, None
        if comm is not None:
            self._ended = "aborted"
            with library.current_device(self._device), library.raising("abort"):
                library.bindings().comm_abort(comm)

    def close(self) -> None:
        """Wait for its work as `synchronize` does, and end it. Nothing to do where it has ended."""
        if self._comm is None:
            return
        self.synchronize()
        comm, self._comm = self._comm, None
        with library.current_device(self._device), library.raising("close"):
            library.bindings().comm_destroy(comm)

    def synchronize(self, *, timeout: float | None = None) -> None:
        """Block until all work queued through it is done, for at most `timeout` seconds.

        `timeout` is by default that of `init_process_group`. Where a rank has died or does not come
        it is the way to wait: TimeoutError after that time, CudaError for what NCCL reports, either
        of them after `abort`.
        """
        self._require_open("synchronize")
        seconds = self._timeout if timeout is None else timeout
        pending = [stream.record() for stream in self._streams]
        end, polls = time.monotonic() + seconds, 0
        while pending := [event for event in pending if not event.query()]:
            self._raise_async_error("synchronize")
            if time.monotonic() > end:
                self.abort()
                raise TimeoutError(
                    f"synchronize: rank {self._rank} has waited {seconds} s for other ranks;"
                    " the communicator is aborted"
                )
            polls += 1
            time.sleep(0 if polls < _POLLS_WITHOUT_SLEEP else 0.0005)
        self._raise_async_error("synchronize")
        self._streams.clear()

    def barrier(self) -> None:
        """Block until all ranks have come here and their earlier work through it is done.

        For as long as `synchronize`, with its errors.
        """
        self._require_open("barrier")
        token, dtype, op = self._token, library.DTYPES["float32"], library.OPS["sum"]

        def step(nccl: Any, comm: Any, stream: int) -> None:
            nccl.all_reduce(token.ptr, token.ptr, 1, dtype, op, comm, stream)

        self._queue("barrier", [token], [token], None, [step])
        self.synchronize()

    @contextlib.contextmanager
    def group(self, *, stream: Any = None) -> Iterator[None]:
        """Queue the verbs called in the block together, at its end, on `stream`.

        For a rank that sends and receives at the same time, or to many. The arrays are opened at
        the end of the block; after an exception in it nothing is queued. The verbs in it take no
        `stream` of their own. RuntimeError for a group within a group, and for a verb that another
        thread calls meanwhile.
        """
        self._require_open("group")
        self._group, self._group_thread = [], threading.get_ident()
        try:
            yield
            steps, reads, writes = self._group, self._reads, self._writes
        finally:
            self._group, self._reads, self._writes = None, [], []
        self._queue("group", reads, writes, stream, steps)

    def _require_open(self, what: str) -> None:
        if self._comm is None:
            raise RuntimeError(f"{what}: the communicator is {self._ended}")
        if self._group is not None:
            raise RuntimeError(f"{what}: expected a call after the end of the group, got one in it")

    def _raise_async_error(self, what: str) -> None:
        nccl, comm = library.bindings(), self._comm
        if comm is None:  # another thread has ended it meanwhile
            raise RuntimeError(f"{what}: the communicator is {self._ended}")
        try:
            status = int(nccl.comm_get_async_error(comm))
        except nccl.NCCLError as error:
            raise library.error_of(what, error.status) from error
        if status not in library.NO_ERROR:
            failure = library.error_of(what, status, comm)
            self.abort()
            raise failure

    def _queue(
        self,
        what: str,
        reads: list[GPUArray],
        writes: list[GPUArray],
        stream: Any,
        steps: list[Step],
    ) -> None:
        """Open the arrays and queue the steps, or keep them for the end of the group."""
        if self._group is not None:
            if self._group_thread != threading.get_ident():
                raise RuntimeError(f"{what}: another thread is in a group of the communicator")
            if stream is not None:
                raise ValueError(f"{what}: expected no stream in a group, which has one for all")
            self._group += steps
            self._reads += reads
            self._writes += writes
            return
        self._require_open(what)
        self._raise_async_error(what)
        if not steps:
            return
        # Without context managers, which take longer than the call.
        nccl = library.bindings()
        previous = _core._set_context(self._context)
        try:
            current, opened = _core._open_access(reads, writes, stream)
            try:
                self._streams.add(current)
                self._launch(what, nccl, steps, current.ptr)
            finally:
                _core._close_access(opened)
        except CudaError:
            self.abort()
            raise
        except nccl.NCCLError as error:
            failure = library.error_of(what, error.status, self._comm)
            if error.status not in _REFUSED:
                self.abort()
            raise failure from error
        finally:
            _core._set_context(previous)

    def _launch(self, what: str, nccl: Any, steps: list[Step], stream: int) -> None:
        comm = self._comm
        if comm is None:
            raise RuntimeError(f"{what}: the communicator is {self._ended}")
        if len(steps) == 1:
            steps[0](nccl, comm, stream)
            return
        nccl.group_start()
        try:
            for step in steps:
                step(nccl, comm, stream)
        except nccl.NCCLError:
            # The group has to end; what it says of the same failure adds nothing.
            with contextlib.suppress(nccl.NCCLError):
                nccl.group_end()
            raise
        nccl.group_end()
