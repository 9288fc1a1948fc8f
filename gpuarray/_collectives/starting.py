# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""How the processes of a communicator find each other."""

import contextvars
import operator
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from gpuarray._collectives import library
from gpuarray._collectives.communicator import Communicator
from gpuarray._core import Device, default_device, empty, zeros
from gpuarray.errors import DeviceError

__all__ = ["get_unique_id", "init_process_group", "run_on_workers"]

R = TypeVar("R")
_ID_BYTES = 128
# A small and a large sum take the ways that NCCL chooses by size.
_WARM_UP_SIZES = (1, 1 << 20)
# Up to so many ranks each pair is connected at the start; NCCL keeps buffers for each.
_MAX_PAIRED_RANKS = 16


def get_unique_id() -> bytes:
    """Return 128 bytes that one process makes and sends to all ranks of one communicator.

    The process that makes them must live until `init_process_group` returns on every rank.
    ImportError without NCCL, CudaError where it cannot listen.
    """
    with library.raising("get_unique_id"):
        return bytes(library.bindings().get_unique_id())


def init_process_group(
    size: int | None = None,
    rank: int | None = None,
    *,
    unique_id: bytes | None = None,
    mpi: Any = None,
    device: Device | str | int | None = None,
    timeout: float = 600.0,
) -> Communicator:
    """Return the Communicator of rank `rank` of `size`, when all ranks have called this.

    Each rank is a process of its own with a `device` of its own, by default the default device.
    The ranks find each other by `unique_id`, the same bytes of `get_unique_id` for all, or by
    `mpi`, a communicator of mpi4py, which then also gives `size` and `rank`. It sends some elements
    around and waits for them, so that no later verb waits for a connection.

    TimeoutError where not all have come within `timeout` seconds, which is also the time that
    `Communicator.synchronize` waits. DeviceError for the cpu device, ValueError and TypeError for
    other arguments, ImportError without NCCL, CudaError for what NCCL reports.
    """
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise TypeError(
            f"init_process_group: timeout: expected seconds, got {type(timeout).__name__}"
        )
    if not timeout > 0:
        raise ValueError(
            f"init_process_group: timeout: expected seconds, more than 0, got {timeout!r}"
        )
    place = _cuda_device(device)
    size, rank = _size_and_rank(size, rank, mpi)
    library.bindings()
    identity = _identity(unique_id, mpi, rank)
    return _within(timeout, lambda: _connect(size, rank, identity, place, timeout))


def run_on_workers(
    client: Any, function: Callable[..., R], *args: Any, timeout: float = 600.0
) -> list[R]:
    """Call ``function(communicator, *args)`` on every worker of a Dask `client`, all at a time.

    The workers are the ranks, in the order of their addresses, each with its default device. The
    communicator is closed when `function` returns, and aborted when it raises. Returns the results
    by rank, when all are there. Every worker must be free to run one task of it.
    """
    workers = sorted(client.nthreads())
    if not workers:
        raise ValueError("run_on_workers: expected workers, got a client without any")
    alone = {"pure": False, "allow_other_workers": False}
    unique_id = client.submit(get_unique_id, workers=workers[:1], **alone).result()
    calls = [
        client.submit(
            *(_run_as_rank, function, args, len(workers), rank, unique_id, timeout),
            workers=[worker],
            **alone,
        )
        for rank, worker in enumerate(workers)
    ]
    while not all(call.done() for call in calls):
        time.sleep(0.01)
        gone = set(workers) - set(client.nthreads())
        if gone or any(call.status == "error" for call in calls):
            # The others wait for it, and abort after their timeout at the latest.
            client.cancel([call for call in calls if not call.done()], force=True)
            break
    failed = next((call for call in calls if call.status == "error"), None)
    if failed is not None:
        failed.result()
    if not all(call.status == "finished" for call in calls):
        raise RuntimeError("run_on_workers: a worker has ended before its function returned")
    results: list[R] = client.gather(calls)
    return results


def _run_as_rank(
    function: Callable[..., R],
    args: tuple[Any, ...],
    size: int,
    rank: int,
    unique_id: bytes,
    timeout: float,
) -> R:
    with init_process_group(size, rank, unique_id=unique_id, timeout=timeout) as communicator:
        return function(communicator, *args)


def _cuda_device(device: Any) -> Device:
    place = default_device() if device is None else empty(0, "int8", device=device).device
    if place.kind != "cuda":
        raise DeviceError(f"init_process_group: NCCL needs a CUDA device, got {place}")
    return place


def _size_and_rank(size: Any, rank: Any, mpi: Any) -> tuple[int, int]:
    if mpi is not None:
        size = mpi.Get_size() if size is None else size
        rank = mpi.Get_rank() if rank is None else rank
    if size is None or rank is None:
        raise TypeError("init_process_group: expected size and rank, or mpi, got neither")
    size, rank = operator.index(size), operator.index(rank)
    if size < 1:
        raise ValueError(f"init_process_group: expected a size of at least 1, got {size}")
    if not 0 <= rank < size:
        raise ValueError(f"init_process_group: expected a rank of 0 to {size - 1}, got {rank}")
    if mpi is not None and (size, rank) != (mpi.Get_size(), mpi.Get_rank()):
        raise ValueError(
            f"init_process_group: expected rank {mpi.Get_rank()} of {mpi.Get_size()}, as of mpi,"
            f" got rank {rank} of {size}"
        )
    return size, rank


def _identity(unique_id: Any, mpi: Any, rank: int) -> bytearray:
    if (unique_id is None) == (mpi is None):
        given = "neither" if mpi is None else "both"
        raise ValueError(f"init_process_group: expected unique_id or mpi, got {given}")
    if mpi is not None:
        unique_id = mpi.bcast(get_unique_id() if rank == 0 else None, 0)
    if not isinstance(unique_id, (bytes, bytearray)):
        raise TypeError(
            f"init_process_group: unique_id: expected bytes, got {type(unique_id).__name__}"
        )
    if len(unique_id) != _ID_BYTES:
        raise ValueError(
            f"init_process_group: unique_id: expected {_ID_BYTES} bytes, got {len(unique_id)}"
        )
    return bytearray(unique_id)


def _connect(
    size: int, rank: int, unique_id: bytearray, device: Device, timeout: float
) -> Communicator:
    with library.current_device(device), library.raising("init_process_group"):
        comm = library.bindings().comm_init_rank_scalable(size, rank, 1, unique_id, 0)
    made = Communicator(comm, size, rank, device, timeout)
    try:
        _warm_up(made)
    except BaseException:
        made.abort()
        raise
    return made


def _warm_up(made: Communicator) -> None:
    for count in _WARM_UP_SIZES:
        sums = zeros(count, "float32", device=made.device)
        made.all_reduce(sums, sums)
    if made.size <= _MAX_PAIRED_RANKS:
        sent = zeros(made.size, "uint8", device=made.device)
        made.all_to_all(sent, zeros(made.size, "uint8", device=made.device))
    made.synchronize()


def _within(timeout: float, connect: Callable[[], Communicator]) -> Communicator:
    """Call `connect` on a thread of its own, since no call of NCCL can be stopped."""
    made: list[Communicator] = []
    errors: list[BaseException] = []
    lock, late = threading.Lock(), False

    def run() -> None:
        try:
            communicator = connect()
        except BaseException as error:
            errors.append(error)
            return
        with lock:
            made.append(communicator)
        if late:
            communicator.abort()

    # The context has the caller's current stream.
    target = contextvars.copy_context().run
    thread = threading.Thread(target=target, args=(run,), name="gpuarray.collectives", daemon=True)
    thread.start()
    thread.join(timeout)
    with lock:
        late = not made and thread.is_alive()
    if errors:
        raise errors[0]
    if late:
        raise TimeoutError(f"init_process_group: not all ranks have come within {timeout} s")
    return made[0]
