# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The communicator of a process: its verbs, with the names and parameters of cupyx.distributed."""

from typing import Any

from gpuarray._collectives import library
from gpuarray._collectives.operands import (
    check_array,
    check_disjoint,
    check_dtype,
    check_rank,
    check_size,
    reduction,
)
from gpuarray._collectives.queueing import Queueing, Step
from gpuarray._core import GPUArray

__all__ = ["Communicator"]

_BYTES = library.DTYPES["uint8"]


class Communicator(Queueing):
    """What `init_process_group` gives: collective operations of all ranks, each on its device.

    Every rank calls the same verbs in the same order. A verb queues its work, after pending work on
    its arrays and before later one, on `stream`, by default the current one of the device, and does
    not wait; `synchronize` does. Arrays are C-contiguous, in the memory of `device`, and of the
    same dtype; `out_array` may be `in_array` itself where their sizes are the same, or a part of it
    that NCCL allows in place. Elements of every dtype can be moved. TypeError for what is no
    GPUArray or of the wrong dtype, DeviceError for another device, ValueError for other layouts,
    sizes, ranks and read-only arrays, RuntimeError for a communicator that has ended, CudaError for
    what NCCL reports, after `abort` unless it refused the call.

    `op` is "sum", "prod", "max", "min" or "avg". Complex dtypes have sum and avg alone, integers no
    avg, int16 and uint16 none; bools are reduced as by `|` (sum, max) and `&` (prod, min). max and
    min leave NaN out.

    With ``with`` it is closed at the end of the block, and aborted after an exception.
    """

    def all_reduce(
        self, in_array: GPUArray, out_array: GPUArray, op: str = "sum", *, stream: Any = None
    ) -> None:
        """Write the sum (or `op`) over the ranks of `in_array` to `out_array` of each rank.

        Both have the same shape.
        """
        sent, received = self._pair("all_reduce", in_array, out_array)
        _check_shape("all_reduce", sent, received)
        count, dtype, number = reduction("all_reduce", sent, op)
        check_disjoint("all_reduce", sent, received)

        def step(nccl: Any, comm: Any, stream: int) -> None:
            nccl.all_reduce(sent.ptr, received.ptr, count, dtype, number, comm, stream)

        self._one("all_reduce", sent, received, stream, step)

    def reduce(
        self,
        in_array: GPUArray,
        out_array: GPUArray | None = None,
        root: int = 0,
        op: str = "sum",
        *,
        stream: Any = None,
    ) -> None:
        """Write the sum (or `op`) over the ranks of `in_array` to `out_array` of rank `root`.

        Both have the same shape; `out_array` of the other ranks is left alone and may be None.
        """
        what, root = "reduce", check_rank("reduce", "root", root, self._size)
        sent = check_array(what, "in_array", in_array, self._device)
        count, dtype, number = reduction(what, sent, op)
        received = sent
        if root == self._rank:
            sent, received = self._pair(what, in_array, out_array)
            _check_shape(what, sent, received)
            check_disjoint(what, sent, received)
        writes = [received] if root == self._rank else []

        def step(nccl: Any, comm: Any, stream: int) -> None:
            target = received.ptr if writes else 0
            nccl.reduce(sent.ptr, target, count, dtype, number, root, comm, stream)

        self._queue(what, [sent], writes, stream, [step] if sent.size else [])

    def broadcast(self, in_out_array: GPUArray, root: int = 0, *, stream: Any = None) -> None:
        """Write `in_out_array` of rank `root` to that of each rank, of the same size and dtype."""
        what, root = "broadcast", check_rank("broadcast", "root", root, self._size)
        is_root = root == self._rank
        array = check_array(what, "in_out_array", in_out_array, self._device, writes=not is_root)

        def step(nccl: Any, comm: Any, stream: int) -> None:
            nccl.broadcast(array.ptr, array.ptr, array.nbytes, _BYTES, root, comm, stream)

        reads, writes = ([array], []) if is_root else ([], [array])
        self._queue(what, reads, writes, stream, [step] if array.size else [])

    def reduce_scatter(
        self,
        in_array: GPUArray,
        out_array: GPUArray,
        count: int | None = None,
        op: str = "sum",
        *,
        stream: Any = None,
    ) -> None:
        """Write the part of this rank of the sum (or `op`) over the ranks to `out_array`.

        `in_array` has `out_array.size` elements for each rank, in their order. `count`, if given,
        is `out_array.size`.
        """
        what = "reduce_scatter"
        sent, received = self._pair(what, in_array, out_array)
        self._check_parts(what, "in_array", sent, received)
        _check_count(what, "out_array", count, received)
        number, dtype, operation = reduction(what, received, op)
        start = self._rank * received.nbytes
        check_disjoint(what, sent, received, start)

        def step(nccl: Any, comm: Any, stream: int) -> None:
            nccl.reduce_scatter(sent.ptr, received.ptr, number, dtype, operation, comm, stream)

        self._one(what, sent, received, stream, step)

    def all_gather(
        self,
        in_array: GPUArray,
        out_array: GPUArray,
        count: int | None = None,
        *,
        stream: Any = None,
    ) -> None:
        """Write `in_array` of all ranks, one after the other, to `out_array` of each rank.

        `out_array` has `in_array.size` elements for each rank. `count`, if given, is
        `in_array.size`.
        """
        what = "all_gather"
        sent, received = self._pair(what, in_array, out_array)
        self._check_parts(what, "out_array", received, sent)
        _check_count(what, "in_array", count, sent)
        check_disjoint(what, received, sent, self._rank * sent.nbytes)

        def step(nccl: Any, comm: Any, stream: int) -> None:
            nccl.all_gather(sent.ptr, received.ptr, sent.nbytes, _BYTES, comm, stream)

        self._one(what, sent, received, stream, step)

    def send(self, array: GPUArray, peer: int, *, stream: Any = None) -> None:
        """Send `array` to rank `peer`, which calls `recv` with as many elements of its dtype."""
        peer = check_rank("send", "peer", peer, self._size)
        sent = check_array("send", "array", array, self._device)
        steps = [_send(sent, 0, sent.nbytes, peer)] if sent.size else []
        self._queue("send", [sent], [], stream, steps)

    def recv(self, out_array: GPUArray, peer: int, *, stream: Any = None) -> None:
        """Receive `out_array` from rank `peer`, which calls `send`."""
        peer = check_rank("recv", "peer", peer, self._size)
        received = check_array("recv", "out_array", out_array, self._device, writes=True)
        steps = [_recv(received, 0, received.nbytes, peer)] if received.size else []
        self._queue("recv", [], [received], stream, steps)

    def send_recv(
        self, in_array: GPUArray, out_array: GPUArray, peer: int, *, stream: Any = None
    ) -> None:
        """Send `in_array` to rank `peer` and receive `out_array` from it, at the same time."""
        what, peer = "send_recv", check_rank("send_recv", "peer", peer, self._size)
        sent, received = self._pair(what, in_array, out_array)
        check_disjoint(what, sent, received, None)
        steps = [_send(sent, 0, sent.nbytes, peer)] if sent.size else []
        steps += [_recv(received, 0, received.nbytes, peer)] if received.size else []
        self._queue(what, [sent], [received], stream, steps)

    def scatter(
        self,
        in_array: GPUArray | None,
        out_array: GPUArray,
        root: int = 0,
        *,
        stream: Any = None,
    ) -> None:
        """Write the part of this rank of `in_array` of rank `root` to `out_array`.

        `in_array` has `out_array.size` elements for each rank, in their order; that of other ranks
        than `root` is left alone and may be None.
        """
        what, root = "scatter", check_rank("scatter", "root", root, self._size)
        received = check_array(what, "out_array", out_array, self._device, writes=True)
        nbytes, reads = received.nbytes, []
        steps: list[Step] = [_recv(received, 0, nbytes, root)]
        if root == self._rank:
            sent, _ = self._pair(what, in_array, out_array)
            self._check_parts(what, "in_array", sent, received)
            check_disjoint(what, sent, received, None)
            reads.append(sent)
            steps += [_send(sent, rank * nbytes, nbytes, rank) for rank in range(self._size)]
        self._queue(what, reads, [received], stream, steps if nbytes else [])

    def gather(
        self,
        in_array: GPUArray,
        out_array: GPUArray | None = None,
        root: int = 0,
        *,
        stream: Any = None,
    ) -> None:
        """Write `in_array` of all ranks, one after the other, to `out_array` of rank `root`.

        `out_array` has `in_array.size` elements for each rank; that of other ranks than `root` is
        left alone and may be None.
        """
        what, root = "gather", check_rank("gather", "root", root, self._size)
        sent = check_array(what, "in_array", in_array, self._device)
        nbytes, writes = sent.nbytes, []
        steps: list[Step] = [_send(sent, 0, nbytes, root)]
        if root == self._rank:
            _, received = self._pair(what, in_array, out_array)
            self._check_parts(what, "out_array", received, sent)
            check_disjoint(what, sent, received, None)
            writes.append(received)
            steps += [_recv(received, rank * nbytes, nbytes, rank) for rank in range(self._size)]
        self._queue(what, [sent], writes, stream, steps if nbytes else [])

    def all_to_all(self, in_array: GPUArray, out_array: GPUArray, *, stream: Any = None) -> None:
        """Write part r of `in_array` of rank s to part s of `out_array` of rank r, for all r and s.

        Both have the same size, a multiple of the number of ranks.
        """
        what = "all_to_all"
        sent, received = self._pair(what, in_array, out_array)
        check_size(what, "out_array", received.size, sent.size, "as in_array")
        if sent.size % self._size:
            raise ValueError(
                f"{what}: in_array: expected a multiple of {self._size} elements, got {sent.size}"
            )
        check_disjoint(what, sent, received, None)
        nbytes = sent.nbytes // self._size
        steps: list[Step] = []
        for rank in range(self._size):
            steps.append(_send(sent, rank * nbytes, nbytes, rank))
            steps.append(_recv(received, rank * nbytes, nbytes, rank))
        self._queue(what, [sent], [received], stream, steps if nbytes else [])

    def _pair(self, what: str, in_array: Any, out_array: Any) -> tuple[GPUArray, GPUArray]:
        received = check_array(what, "out_array", out_array, self._device, writes=True)
        if in_array is out_array:
            return received, received
        sent = check_array(what, "in_array", in_array, self._device)
        check_dtype(what, sent, received)
        return sent, received

    def _check_parts(self, what: str, name: str, whole: GPUArray, part: GPUArray) -> None:
        why = f"{part.size} for each of {self._size} ranks"
        check_size(what, name, whole.size, self._size * part.size, why)

    def _one(self, what: str, sent: GPUArray, received: GPUArray, stream: Any, step: Step) -> None:
        self._queue(what, [sent], [received], stream, [step] if sent.size else [])


def _send(array: GPUArray, start: int, nbytes: int, peer: int) -> Step:
    def step(nccl: Any, comm: Any, stream: int) -> None:
        nccl.send(array.ptr + start, nbytes, _BYTES, peer, comm, stream)

    return step


def _recv(array: GPUArray, start: int, nbytes: int, peer: int) -> Step:
    def step(nccl: Any, comm: Any, stream: int) -> None:
        nccl.recv(array.ptr + start, nbytes, _BYTES, peer, comm, stream)

    return step


def _check_shape(what: str, sent: GPUArray, received: GPUArray) -> None:
    if sent.shape != received.shape:
        raise ValueError(
            f"{what}: out_array: expected shape {sent.shape}, that of in_array,"
            f" got {received.shape}"
        )


def _check_count(what: str, name: str, count: Any, array: GPUArray) -> None:
    if count is not None and count != array.size:
        raise ValueError(f"{what}: count: expected {array.size}, the size of {name}, got {count}")
