# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A stand-in for the module nccl.bindings.nccl: its ranks are threads on the test driver.

As NCCL does, it queues its work on the stream that it is given and waits for nothing: the bytes are
copied to the host, a host function exchanges them with the other ranks, and they are copied back.
"""

import collections
import ctypes
import functools
import os
import threading

import ml_dtypes
import numpy as np
from _support.cuda_driver import CudaDriver

DTYPES = [
    *(np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64),
    *(np.float16, np.float32, np.float64, ml_dtypes.bfloat16),
]
FUNCTIONS = [np.add, np.multiply, np.maximum, np.minimum, np.add]
AVG = 4
WAIT = 20  # seconds, after which a test has gone wrong


@functools.cache
def driver():
    """Return one driver for all tests: host functions may be called after the end of a test."""
    return CudaDriver(os.environ["GPUARRAY_LIBCUDA"])


class NCCLError(Exception):
    def __init__(self, status):
        super().__init__(f"status {status}")
        self.status = status


class Ring:
    """What the ranks of one communicator share."""

    def __init__(self, size):
        self.size = size
        self.arrival = threading.Barrier(size)
        self.changed = threading.Condition()
        self.given = collections.defaultdict(dict)  # by the number of a collective, then by rank
        self.sent = collections.defaultdict(collections.deque)  # by (from, to)
        self.aborted = False

    def wait_for(self, condition):
        """Return whether the condition came true before an abort; within `changed`."""
        assert self.changed.wait_for(lambda: self.aborted or condition(), WAIT), "ranks hang"
        return not self.aborted


class Comm:
    def __init__(self, ring, rank):
        self.ring, self.rank = ring, rank
        self.calls = 0
        self.error = 0
        self.ended = None


class StandIn:
    NCCLError = NCCLError

    def __init__(self):
        self.driver = driver()
        self.rings = {}
        self.lock = threading.Lock()
        self.groups = threading.local()
        self.failing = {}  # statuses by the name of a function, given once
        self.calls = collections.Counter()

    def get_version(self):
        return 23203

    def get_unique_id(self):
        return os.urandom(128)

    def get_error_string(self, status):
        return f"text of {status}"

    def get_last_error(self, comm):
        return ""

    def comm_init_rank_scalable(self, size, rank, ids, unique_id, config):
        assert (ids, config) == (1, 0) and isinstance(unique_id, bytearray)
        self.fail("comm_init_rank_scalable")
        with self.lock:
            ring = self.rings.setdefault(bytes(unique_id), Ring(size))
        ring.arrival.wait(WAIT)
        return Comm(ring, rank)

    def comm_get_async_error(self, comm):
        return comm.error

    def comm_abort(self, comm):
        comm.ended = "aborted"
        with comm.ring.changed:
            comm.ring.aborted = True
            comm.ring.changed.notify_all()

    def comm_destroy(self, comm):
        comm.ended = "destroyed"

    def group_start(self):
        self.groups.calls = []

    def group_end(self):
        calls, self.groups.calls = self.groups.calls, None
        for comm, stream in {(call[0], call[1]) for call in calls}:
            of_both = [call[2:] for call in calls if call[:2] == (comm, stream)]
            self.queue(comm, stream, of_both)

    def all_reduce(self, sent, received, count, dtype, op, comm, stream):
        self.reducing(comm, stream, sent, received, count, count, dtype, op, lambda all_of: all_of)

    def reduce(self, sent, received, count, dtype, op, root, comm, stream):
        assert (received != 0) == (comm.rank == root)
        self.reducing(comm, stream, sent, received, count, count, dtype, op, lambda all_of: all_of)

    def reduce_scatter(self, sent, received, count, dtype, op, comm, stream):
        def own(all_of):
            return all_of[comm.rank * count :][:count]

        whole = count * comm.ring.size
        self.reducing(comm, stream, sent, received, whole, count, dtype, op, own)

    def reducing(self, comm, stream, sent, received, count, results, dtype, op, part):
        def finish(given):
            arrays = [np.frombuffer(given[rank], DTYPES[dtype]) for rank in sorted(given)]
            total = FUNCTIONS[op].reduce(np.stack(arrays), axis=0, dtype=DTYPES[dtype])
            if op == AVG:
                total = (total / len(arrays)).astype(DTYPES[dtype])
            return part(total).tobytes()

        size = np.dtype(DTYPES[dtype]).itemsize
        self.collective(comm, stream, sent, count * size, received, results * size, finish)

    def broadcast(self, sent, received, count, dtype, root, comm, stream):
        def finish(given):
            return given[root]

        nbytes = count * np.dtype(DTYPES[dtype]).itemsize
        self.collective(comm, stream, sent, nbytes, received, nbytes, finish)

    def all_gather(self, sent, received, count, dtype, comm, stream):
        def finish(given):
            return b"".join(given[rank] for rank in sorted(given))

        nbytes = count * np.dtype(DTYPES[dtype]).itemsize
        whole = nbytes * comm.ring.size
        self.collective(comm, stream, sent, nbytes, received, whole, finish)

    def collective(self, comm, stream, sent, sent_bytes, received, received_bytes, finish):
        number, comm.calls = comm.calls, comm.calls + 1
        ring = comm.ring

        def give(data):
            ring.given[number][comm.rank] = data

        def take():
            if ring.wait_for(lambda: len(ring.given[number]) == ring.size):
                return finish(ring.given[number])

        self.add(comm, stream, (sent, sent_bytes, give), (received, received_bytes, take))

    def send(self, address, count, dtype, peer, comm, stream):
        assert dtype == DTYPES.index(np.uint8)
        queue = comm.ring.sent[comm.rank, peer]
        self.add(comm, stream, (address, count, queue.append), None)

    def recv(self, address, count, dtype, peer, comm, stream):
        assert dtype == DTYPES.index(np.uint8)
        ring, queue = comm.ring, comm.ring.sent[peer, comm.rank]

        def take():
            if ring.wait_for(lambda: queue):
                return queue.popleft()

        self.add(comm, stream, None, (address, count, take))

    def add(self, comm, stream, sends, takes):
        assert comm.ended is None, "used after its end"
        if getattr(self.groups, "calls", None) is None:
            self.queue(comm, stream, [(sends, takes)])
        else:
            self.groups.calls.append((comm, stream, sends, takes))

    def queue(self, comm, stream, calls):
        """Queue copies to the host, the exchange there, and copies back."""
        self.fail("queue")
        driver, ring = self.driver, comm.ring
        sends = [(call[0], driver.pinned(call[0][1])) for call in calls if call[0]]
        takes = [(call[1], driver.pinned(call[1][1])) for call in calls if call[1] and call[1][0]]
        for (address, nbytes, _), memory in sends:
            driver.check("cuMemcpyDtoHAsync", memory, address, nbytes, stream)

        def exchange():
            with ring.changed:
                for (_, _, give), memory in sends:
                    give(bytes(memory))
                ring.changed.notify_all()
                for (_, nbytes, take), memory in takes:
                    data = take()
                    if data is not None:
                        assert len(data) == nbytes
                        ctypes.memmove(memory, data, nbytes)

        driver.call(stream, exchange)
        for (address, nbytes, _), memory in takes:
            driver.check("cuMemcpyHtoDAsync", address, memory, nbytes, stream)

    def fail(self, name):
        self.calls[name] += 1
        status = self.failing.pop(name, 0)
        if status:
            raise NCCLError(status)
