# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Clusters of Dask whose workers have GPUArrays: a plugin for the workers, and waiting for all."""

import os
import typing as _typing
from typing import Any

try:
    from distributed import Client, Worker, WorkerPlugin
    from tornado.ioloop import PeriodicCallback
except ImportError as _error:
    raise ImportError(
        "gpuarray.dask needs dask and distributed: pip install 'gpuarray-cuda[dask]'"
    ) from _error

import gpuarray
from gpuarray._common.attributes import unknown_attribute as _unknown_attribute

__all__ = ["WorkerSetup", "synchronize"]

_WATCH_MS = 1000
_LOST = 70  # the exit status of a worker whose context is lost: EX_SOFTWARE


_ALLOCATORS = {"rmm": "rmm_allocator", "cupy": "cupy_allocator", "torch": "torch_allocator"}


class WorkerSetup(WorkerPlugin):
    """Makes ready each worker of a cluster, those that start later too.

    ``client.register_plugin(gpuarray.dask.WorkerSetup(allocator="rmm"))``

    Parameters
    ----------
    allocator : None, "rmm", "cupy" or "torch", optional
        Where new arrays of the worker's default device come from: RMM's current resource, or the
        default pool of the library; None is gpuarray's own pool. With RMM's memory, arrays are sent
        over UCX without a copy.
    restart : bool, optional
        End a worker whose CUDA context is found to be lost, when a task fails or within a second,
        so that its nanny starts another and Dask computes again what was there; True by default.
        Otherwise every later task fails there, as it does in a worker without a nanny.
    zarr : bool, optional
        Let zarr make GPUArrays of what it reads: gpuarray.zarr.enable(). False by default.

    Raises ValueError for another allocator. On a worker without a CUDA device `allocator` and
    `restart` mean nothing.
    """

    name = "gpuarray"
    idempotent = False  # registering again changes the options

    def __init__(
        self, allocator: str | None = None, *, restart: bool = True, zarr: bool = False
    ) -> None:
        if allocator not in (None, *_ALLOCATORS):
            raise ValueError(
                f"WorkerSetup: allocator: expected None or one of {[*_ALLOCATORS]}, "
                f"got {allocator!r}"
            )
        self.allocator = allocator
        self.restart = restart
        self.zarr = zarr

    def setup(self, worker: Worker) -> None:
        """Set the allocator and zarr's buffers, in the worker, and watch its context."""
        device = gpuarray.default_device()
        if self.allocator is not None and device.kind != "cpu":
            make = getattr(gpuarray.memory, _ALLOCATORS[self.allocator])
            gpuarray.memory.set_allocator(make(device=device))
        if self.zarr:
            gpuarray.zarr.enable()
        # Without a nanny the worker may be the user's own process, and none would follow it.
        self._watches = self.restart and worker.nanny is not None
        if self._watches:
            # A kernel may fail after its task has ended.
            watch = PeriodicCallback(_end_if_lost, _WATCH_MS)
            worker.periodic_callbacks["gpuarray"] = watch
            watch.start()

    def teardown(self, worker: Worker) -> None:
        """Watch the worker's context no longer, as before other options apply."""
        watch = worker.periodic_callbacks.pop("gpuarray", None)
        if watch is not None:
            watch.stop()

    def transition(self, key: Any, start: str, finish: str, **kwargs: Any) -> None:
        """End the worker if a task failed and the device's context is lost."""
        if finish == "error" and self._watches:
            _end_if_lost()


def _end_if_lost() -> None:
    if _context_is_lost():
        # Nothing of CUDA can end in order now, and what is queued must not be sent.
        os._exit(_LOST)


def _context_is_lost() -> bool:
    try:
        gpuarray.current_stream().query()  # asks the driver, and waits for nothing
    except gpuarray.CudaError:
        return True
    return False


def synchronize(client: Client) -> Any:
    """Wait for all work on the devices of all workers of a `distributed.Client`.

    A task ends when its kernels are queued, so that only after this a time is that of the work.
    Errors of that work are raised here. Of an asynchronous client, an awaitable.
    """
    return client.run(_synchronize)


def _synchronize() -> None:
    gpuarray.synchronize()


if not _typing.TYPE_CHECKING:

    def __getattr__(name):
        raise _unknown_attribute(__name__, name)
