# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Programs that give the same in every mode of fusion: random statements, and given reductions."""

import contextlib
from collections.abc import Iterator

import numpy as np

import gpuarray
from gpuarray import _core

DTYPES = [
    "float32",
    "float32",
    "float64",
    "int32",
    "int64",
    "uint8",
    "bool",
    "float16",
    "complex64",
]
SHAPES = [(7,), (1030,), (4, 5), (33, 65), (3, 1, 70)]
MOST = 4000  # elements of an operand, since some broadcast to all pairs of two
BINARY = ["add", "subtract", "multiply", "divide", "maximum", "minimum", "floor_divide", "power"]
BINARY += [
    "less",
    "greater_equal",
    "equal",
    "not_equal",
    "bitwise_and",
    "bitwise_xor",
    "logical_or",
]
UNARY = [
    "negative",
    "absolute",
    "square",
    "sqrt",
    "exp",
    "isnan",
    "sign",
    "floor",
    "invert",
    "tanh",
]
ERRORS = (ValueError, TypeError, IndexError, OverflowError)

MODES_OF_USERS = ("off", "auto", "always")


@contextlib.contextmanager
def fusion(mode: str) -> Iterator[None]:
    """Set a mode for a block.

    In the modes of tests all operations that can wait do so. Each of them runs alone (`replay`), or
    they are compiled before they run (`compiled`), or windows end at random (`adversary:7`, whose
    number seeds the choice).
    """
    with gpuarray.fusion(mode if mode in MODES_OF_USERS else "always"):
        before = _core._test_windows("no" if mode in MODES_OF_USERS else mode)
        try:
            yield
        finally:
            _core._test_windows(before)


def bits(array) -> bytes:
    """Return the elements' bytes; every NaN has the same, since compilers differ in their sign."""
    host = np.array(array.get())
    if host.dtype.kind == "c":
        parts = host.reshape(-1).view(host.real.dtype)
        parts[np.isnan(parts)] = np.nan
    elif host.dtype.kind == "f":
        host[np.isnan(host)] = np.nan
    return host.tobytes()


class Program:
    """Runs one program; what it draws depends on the seed alone."""

    def __init__(self, seed: int, device: str):
        self.rng = np.random.default_rng(seed)
        self.device = device
        shape = self.choose(SHAPES)
        self.shapes = [shape, shape, shape[-1:], (1,) * len(shape)]
        self.arrays = [self.fresh(self.choose(self.shapes[:2])) for _ in range(3)]
        self.found: list[object] = []
        self.streams = [gpuarray.Stream(device) for _ in range(2)]

    def choose(self, values):
        return values[int(self.rng.integers(len(values)))]

    def fresh(self, shape):
        values = self.rng.integers(-3, 4, shape)
        return gpuarray.to_device(values.astype(self.choose(DTYPES)), device=self.device)

    def operand(self):
        if self.rng.random() < 0.25:
            return self.choose([2, -1, 0.5, 3.0, True, np.float32(1.5), np.int64(2)])
        if self.rng.random() < 0.1:
            return self.fresh(self.choose(self.shapes))
        return self.choose(self.arrays)

    def keep(self, array):
        if array.size > MOST:
            return
        self.arrays.append(array)
        if len(self.arrays) > 8:
            del self.arrays[int(self.rng.integers(len(self.arrays)))]

    def compute(self):
        self.keep(getattr(gpuarray, self.choose(BINARY))(self.choose(self.arrays), self.operand()))

    def compute_one(self):
        self.keep(getattr(gpuarray, self.choose(UNARY))(self.choose(self.arrays)))

    def select(self):
        a = self.choose(self.arrays)
        self.keep(gpuarray.where(a > 0, a, self.operand()))

    def clip(self):
        self.keep(self.choose(self.arrays).clip(-1, 2))

    def convert(self):
        self.keep(self.choose(self.arrays).astype(self.choose(DTYPES)))

    def change(self):
        name = self.choose(["__iadd__", "__isub__", "__imul__", "__itruediv__", "__ixor__"])
        getattr(self.choose(self.arrays), name)(self.operand())

    def write_out(self):
        a = self.choose(self.arrays)
        getattr(gpuarray, self.choose(BINARY[:6]))(a, self.operand(), out=self.choose(self.arrays))

    def assign(self):
        self.choose(self.arrays)[...] = self.operand()

    def assign_part(self):
        a = self.choose(self.arrays)
        a[self.key()] = self.choose(self.arrays)[self.key()]

    def assign_where(self):
        a = self.choose(self.arrays)
        a[a > 1] = 0

    def key(self):
        return self.choose(
            [..., np.s_[1:], np.s_[:-1], np.s_[::2], np.s_[..., 1:], np.s_[..., ::-1]]
        )

    def view(self):
        a = self.choose(self.arrays)
        self.keep(self.choose([a[self.key()], a.T, a.reshape(-1), a[None], a.view()]))

    def reduce(self):
        name = self.choose(["sum", "max", "mean", "var", "any", "argmin", "prod", "all"])
        a, axis = self.choose(self.arrays), self.choose([-1, -1, None, 0])
        self.keep(getattr(a, name)(axis, keepdims=self.choose([True, True, False])))

    def normalize(self):
        a = self.choose(self.arrays) * self.choose(self.arrays)
        a = a - a.mean(-1, keepdims=True)
        self.keep(a / ((a * a).sum(-1, keepdims=True) + 1))

    def shift(self):
        a = self.choose(self.arrays)
        by, axis = int(self.rng.integers(-5, 6)), self.choose([None, 0, -1, (0, -1)])
        self.keep(gpuarray.roll(a, by, axis))

    def read_pieces(self):
        a = self.choose(
            [a for a in self.arrays if a.ndim and a.size] or [gpuarray.zeros(3, device=self.device)]
        )
        if self.rng.random() < 0.3:
            return self.keep(gpuarray.tile(a, 1 + int(self.rng.integers(3))))
        if self.rng.random() < 0.4:
            wide = gpuarray.pad(a, 1, self.choose(["constant", "edge", "symmetric", "wrap"]))
            if self.rng.random() < 0.5:
                return self.keep(wide)
            return self.keep(wide[(np.s_[:-2],) * a.ndim] - wide[(np.s_[2:],) * a.ndim])
        b = self.choose([a, *(b for b in self.arrays if b.shape == a.shape)])
        if self.rng.random() < 0.2:
            return self.keep(gpuarray.stack([a, b], int(self.rng.integers(a.ndim))))
        before = (slice(None),) * int(self.rng.integers(a.ndim))
        keys = self.choose([(np.s_[1:], np.s_[:1]), (np.s_[:1], np.s_[:-1]), (np.s_[::-1],) * 2])
        parts = [(a, b)[k % 2][(*before, key)] for k, key in enumerate(keys)]
        self.keep(gpuarray.concatenate(parts, len(before)))

    def forget(self):
        if len(self.arrays) > 1:
            del self.arrays[int(self.rng.integers(len(self.arrays)))]

    def look(self):
        a = self.choose(self.arrays)
        way = int(self.rng.integers(6))
        if way == 0:
            self.found.append(bits(a))
        elif way == 1:
            self.found.append(bits(a.sum()))
        elif way == 2:
            self.keep(a.copy())
        elif way == 3:
            self.found.append(bool((a != 0).any()))
        elif way == 4:
            gpuarray.synchronize(self.device)
        else:
            self.keep(gpuarray.from_dlpack(a))

    def on_a_stream(self):
        with self.choose(self.streams):
            self.compute()
            self.change()

    def call(self, step):
        """Run a statement; others may do so on several threads."""
        step()

    def run(self, statements: int) -> list[object]:
        """Return what the program saw, its errors, and its arrays at the end."""
        steps = [self.compute] * 8 + [self.compute_one] * 3 + [self.change] * 3 + [self.forget] * 3
        steps += [
            self.select,
            self.clip,
            self.convert,
            self.write_out,
            self.assign,
            self.assign_part,
        ]
        steps += [self.assign_where, self.view, self.view, self.look, self.on_a_stream]
        steps += [self.reduce, self.reduce, self.normalize, self.shift, self.read_pieces]
        for _ in range(statements):
            step = self.choose(steps)
            try:
                self.call(step)
            except ERRORS as error:
                self.found.append((step.__name__, type(error).__name__, str(error)))
        for array in self.arrays:
            self.found.append((array.shape, str(array.dtype), bits(array)))
        return self.found


def run(seed: int, device: str, mode: str, statements: int = 40) -> list[object]:
    """Return what the program of the seed gives in a mode of fusion."""
    with fusion(mode), np.errstate(all="ignore"):
        return Program(seed, device).run(statements)


# Views of an array of one dimension or more.
VIEWS = [
    lambda a: a,
    lambda a: a.T,
    lambda a: a[..., ::-1],
    lambda a: a[1:],
    lambda a: a[..., ::2],
    lambda a: a[..., :1],
]


def ran(program, *arrays, mode="always"):
    """Return what the program returns, and how many windows and operations it took."""
    with fusion(mode):
        before = gpuarray.fusion_stats()
        results = program(*arrays)
        after = gpuarray.fusion_stats()
    return results, after.windows - before.windows, after.operations - before.operations


def values(shape, dtype="float32", seed=0):
    random = np.random.default_rng(seed)
    made = random.integers(-3, 4, shape).astype(dtype)
    if made.dtype.kind == "f":
        made += random.random(shape).astype(dtype)
    return made


def found(program, hosts, device, mode):
    """Return the bits of the arrays of a program, and how many reductions computed what waited."""
    arrays = [gpuarray.to_device(host, device=device) for host in hosts]
    with fusion(mode):
        before = gpuarray.fusion_stats()
        results = program(*arrays)
        after = gpuarray.fusion_stats()
        results = results if isinstance(results, tuple) else (results,)
        kept = [(a.shape, str(a.dtype), bits(a)) for a in (*results, *arrays)]
    return kept, after.reductions - before.reductions


def check(program, *hosts, device, reductions=1):
    """Run the program with fusion off and compiled, which computes that many by the way."""
    expected, _ = found(program, hosts, device, "off")
    got, count = found(program, hosts, device, "compiled")
    assert got == expected
    if gpuarray.Device(device).kind != "cpu":
        assert count == reductions
