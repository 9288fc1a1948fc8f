# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Every verb on the arrays of every rank beside NumPy, for the stand-in and for NCCL."""

import numpy as np
from _support.dtypes import NAMES

import gpuarray

COMPLEX = {"complex64", "complex128"}
NOT_REDUCED = {"int16", "uint16"}
OPS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}


def values(name, size, seed):
    """Return small numbers, so that all sums and products are exact in every dtype."""
    numbers = np.random.default_rng(seed).integers(0, 3, size)
    if name in COMPLEX:
        return (numbers + 1j * numbers[::-1]).astype(name)
    return numbers.astype(gpuarray.empty(0, name, device="cpu").dtype)


def ops_of(name):
    if name in NOT_REDUCED:
        return []
    if name in COMPLEX:
        return ["sum", "avg"]
    return [*OPS, "avg"] if "float" in name else list(OPS)


def reduced(op, arrays):
    stack = np.stack(arrays)
    if op == "avg":
        # NCCL multiplies by 1/n first, so that thirds are not exact.
        return np.add.reduce(stack.astype("complex128"), axis=0) / len(arrays)
    return OPS[op].reduce(stack, axis=0, dtype=stack.dtype)


def same(got, expected, op=""):
    got = got.get()
    if op == "avg":
        found = got.astype("complex128")
        np.testing.assert_allclose(found, expected, rtol=2e-2, atol=1e-2)
    else:
        assert got.dtype == expected.dtype
        assert got.tobytes() == np.ascontiguousarray(expected).tobytes()


class Beside:
    """The arrays of all ranks, which each of them knows, and the checks of one rank."""

    def __init__(self, communicator, name, n=12):
        self.c, self.name, self.n = communicator, name, n
        self.size, self.rank, self.device = (
            communicator.size,
            communicator.rank,
            communicator.device,
        )
        self.parts = [values(name, n, seed) for seed in range(self.size)]
        self.wholes = [values(name, n * self.size, 100 + seed) for seed in range(self.size)]

    def on(self, array):
        return gpuarray.to_device(array, device=self.device)

    def empty(self, n):
        return gpuarray.zeros(n, self.name, device=self.device)

    def reductions(self):
        c, mine, n, rank = self.c, self.parts[self.rank], self.n, self.rank
        root = self.size - 1
        for op in ops_of(self.name):
            out = self.empty(n)
            c.all_reduce(self.on(mine), out, op)
            same(out, reduced(op, self.parts), op)
            in_place = self.on(mine)
            c.all_reduce(in_place, in_place, op)
            same(in_place, reduced(op, self.parts), op)
            out = self.empty(n) if rank == root else None
            c.reduce(self.on(mine), out, root, op)
            if rank == root:
                same(out, reduced(op, self.parts), op)
            out = self.empty(n)
            c.reduce_scatter(self.on(self.wholes[rank]), out, n, op)
            same(out, reduced(op, self.wholes)[rank * n : rank * n + n], op)

    def copies(self):
        c, n, rank, size = self.c, self.n, self.rank, self.size
        mine, root = self.parts[rank], size - 1
        array = self.on(mine)
        c.broadcast(array, root)
        same(array, self.parts[root])
        out = self.empty(n * size)
        c.all_gather(self.on(mine), out, n)
        same(out, np.concatenate(self.parts))
        out = self.empty(n)
        c.scatter(self.on(self.wholes[rank]) if rank == root else None, out, root)
        same(out, self.wholes[root][rank * n : rank * n + n])
        out = self.empty(n * size) if rank == root else None
        c.gather(self.on(mine), out, root)
        if rank == root:
            same(out, np.concatenate(self.parts))
        out = self.empty(n * size)
        c.all_to_all(self.on(self.wholes[rank]), out)
        same(out, np.concatenate([w[rank * n : rank * n + n] for w in self.wholes]))

    def pairs(self):
        c, n, rank, size = self.c, self.n, self.rank, self.size
        out = self.empty(n)
        with c.group():
            c.send(self.on(self.parts[rank]), (rank + 1) % size)
            c.recv(out, (rank - 1) % size)
        same(out, self.parts[(rank - 1) % size])
        peer = rank ^ 1 if rank ^ 1 < size else rank
        out = self.empty(n)
        c.send_recv(self.on(self.parts[rank]), out, peer)
        same(out, self.parts[peer])
        if size > 1 and rank < 2:
            out = self.empty(n)
            if rank == 0:
                c.send(self.on(self.parts[0]), 1)
            else:
                c.recv(out, 0)
                same(out, self.parts[0])
        # The test driver does no work of a stream that nobody waits for.
        c.synchronize()

    def delayed_writers(self):
        """What other streams write late is what is sent, and what is received is read after it."""
        streams = [gpuarray.Stream(self.device) for _ in range(2)]
        ones = gpuarray.ones(self.n, self.name, device=self.device)
        sent, out = self.empty(self.n * self.size), self.empty(self.n * self.size)
        with streams[0]:
            for part in range(self.size):
                sent[part * self.n : (part + 1) * self.n] = self.on(self.parts[part])
        self.c.all_to_all(sent, out, stream=streams[1])
        with streams[0]:
            sent[:] = 0
            copy = out + out if self.name != "bool" else out | out
        self.c.synchronize()
        expected = np.concatenate([self.parts[self.rank]] * self.size)
        same(copy, expected + expected if self.name != "bool" else expected)
        same(ones, np.ones(self.n, expected.dtype))


def check_all(communicator, names=NAMES):
    for name in names:
        beside = Beside(communicator, name)
        beside.reductions()
        beside.copies()
        beside.pairs()
        beside.delayed_writers()
    communicator.barrier()
