# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Runs random programs of mixed operations on a device and in NumPy, and compares each result.

    python -P tools/fuzz_programs.py --operations 100000
    python -P tools/fuzz_programs.py --device cuda --operations 100000 --processes 16
    python -P tools/fuzz_programs.py --first 4711 --operations 1

A program is a few statements on six small arrays: operators, ufuncs with `out=` and `where=`,
views, masks, indices, reductions, sorting, linear algebra, Fourier transforms, random numbers,
exchange and streams. A statement is Python's text, which NumPy and gpuarray both run. Each result
is compared with NumPy's: bits, or within the tolerance of the statement's kind. The program then
runs with operations that wait (`always`, `adversary`), whose arrays must have the bits of the first
run.

Programs follow from the number of the first one. A difference is printed once a kind, as the least
program that shows it; the status is 1 then.
"""

import argparse
import contextlib
import itertools
import multiprocessing
import os
import random
import sys
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

import gpuarray

STATEMENTS = 14
ARRAYS = 6
STREAMS = 3
MODES = ["always", "adversary:{}"]
DTYPES = ["float32", "float64", "int32", "uint8", "bool", "float16", "int64", "complex64", "int16"]
DTYPES += ["complex128", "uint32", "uint64", "int8", "uint16"]
SHAPES = [(5,), (3, 4), (2, 3, 4), (4, 1), (1,), (), (0, 3), (17,), (4, 4), (2, 2, 2)]
SCALARS = ["1", "2", "-3", "0.5", "True", "200", "np.float32(1.5)", "np.int8(3)", "2j", "0"]
MOST_ELEMENTS = 400  # of an array, so that a program stays small

BINARY = ["+", "-", "*", "/", "//", "%", "&", "|", "^", "<", "<=", "==", "!=", ">", ">="]
BINARY_CALLS = [
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "logical_and",
    "logical_or",
    "logical_xor",
    "copysign",
    "fmod",
]
BINARY_NEAR = ["arctan2", "hypot", "logaddexp", "float_power", "power"]
UNARY = [
    "negative",
    "absolute",
    "sqrt",
    "square",
    "floor",
    "ceil",
    "trunc",
    "rint",
    "sign",
    "isnan",
    "isfinite",
    "isinf",
    "conj",
]
UNARY += ["invert", "logical_not", "signbit", "positive", "real", "imag"]
UNARY_NEAR = [
    "exp",
    "log",
    "sin",
    "cos",
    "tanh",
    "arctan",
    "log1p",
    "expm1",
    "cbrt",
    "exp2",
    "log2",
    "arcsinh",
    "sinh",
]
UFUNCS = [
    "add",
    "subtract",
    "multiply",
    "maximum",
    "minimum",
    "true_divide",
    "bitwise_xor",
    "less",
    "logical_or",
]
REDUCTIONS = ["max", "min", "any", "all", "argmax", "argmin", "count_nonzero", "ptp"]
SUMS = ["sum", "prod", "mean", "var", "std", "nansum", "nanmean"]
MOVES = ["{0}[::-1]", "{0}.T", "{0}[..., None]", "{0}.flatten()", "{0}.reshape(-1)", "{0}.copy()"]
MOVES += ["xp.roll({0}, 2)", "xp.flip({0})", "xp.atleast_2d({0})", "xp.squeeze({0})", "{0}[None]"]
MOVES += ["xp.repeat({0}, 2)", "xp.tile({0}, 2)", "{0}.swapaxes(0, -1)", "{0}[1:]", "{0}[..., ::2]"]
MOVES += ["xp.moveaxis({0}, 0, -1)", "xp.expand_dims({0}, 1)", "xp.pad({0}, 1)", "xp.diagonal({0})"]
MOVES += ["xp.broadcast_to({0}, (2, *{0}.shape))", "xp.diff({0})", "xp.triu({0})", "xp.rot90({0})"]
MOVES += ["xp.array_split({0}, 2)[1]", "xp.ascontiguousarray({0})", "{0}.view()", "{0}[...]"]
SORTING = [
    "xp.sort({0})",
    "xp.argsort({0}, kind='stable')",
    "xp.unique({0})",
    "xp.sort({0}, axis=0)",
]
SORTING += ["xp.searchsorted(xp.sort({0}.ravel()), {1})", "xp.isin({0}, {1})", "xp.nonzero({0})[0]"]
SORTING += [
    "xp.flatnonzero({0})",
    "xp.argwhere({0})",
    "xp.union1d({0}, {1})",
    "xp.intersect1d({0}, {1})",
]
SORTING += ["xp.partition({0}, 1)[..., 1]", "xp.lexsort(({0}.ravel(),))", "xp.median({0})"]
SORTING += ["xp.quantile({0}, 0.25)", "xp.clip({0}, 1, 3)", "xp.digitize({0}, [0, 2, 4])"]
LINALG = ["{0} @ {1}", "xp.dot({0}, {1})", "xp.matmul({0}, {0}.T)", "xp.inner({0}, {1})"]
LINALG += ["xp.outer({0}, {1})", "xp.vdot({0}, {1})", "xp.tensordot({0}, {1}, 1)", "xp.trace({0})"]
LINALG += ["xp.einsum('...i,...i->...', {0}, {1})", "xp.linalg.norm({0})", "xp.kron({0}, {1})"]
SOLVERS = ["xp.linalg.det({0})", "xp.linalg.inv({0})", "xp.linalg.solve({0}, {1})"]
SOLVERS += ["xp.linalg.eigvalsh({0} @ {0}.T)", "xp.linalg.svd({0}, compute_uv=False)"]
SOLVERS += [
    "xp.linalg.matrix_power({0}, 2)",
    "xp.linalg.pinv({0})",
    "xp.linalg.lstsq({0}, {1}, rcond=None)[0]",
]
FOURIER = ["fft", "ifft", "rfft", "irfft", "fft2", "ifft2", "fftshift", "rfft2", "hfft"]
RANDOM = ["rng.random({})", "rng.integers(-5, 9, {})", "rng.integers(0, 7, {}, dtype='uint8')"]
RANDOM += ["rng.random({}, dtype='float32')", "rng.standard_normal({})", "rng.uniform(1, 3, {})"]
EXCHANGE = ["dlpack", "interface", "buffer", "pickle", "host", "c_contiguous"]


# What a text may call beside `xp` and `np`.
def numpys_exchange(array, how):
    return array.copy() if how in ("pickle", "host") else array


def gpuarrays_exchange(array, how):
    """Give the array away and take it back, of which some ways share its memory."""
    if how == "dlpack":
        return gpuarray.from_dlpack(array)
    if how == "interface" and array.device.kind != "cpu":
        return gpuarray.asarray(Interface(array))
    if how in ("interface", "buffer") and array.device.kind == "cpu":
        return gpuarray.from_dlpack(np.asarray(memoryview(array)))
    if how == "pickle":
        import pickle

        return pickle.loads(pickle.dumps(array))
    return gpuarray.to_device(array.get(), device=array.device) if how == "host" else array


class Interface:
    """Another library's array over the memory of ours."""

    def __init__(self, array):
        self.array = array

    @property
    def __cuda_array_interface__(self):
        return self.array.__cuda_array_interface__


@dataclass
class Statement:
    text: str
    kind: str = "bits"  # how its result is compared: bits, near, sum, solver, values, none
    stream: int = 0
    drops: bool = False  # its result, which is too large or of another kind than arrays


@dataclass
class Program:
    number: int
    arrays: list  # of NumPy
    statements: list = field(default_factory=list)


@dataclass
class Difference:
    what: str  # the kind of statement and the dtypes
    program: Program
    text: str  # the difference


class Writer:
    """Writes statements that mostly do something, from NumPy's arrays at each place."""

    def __init__(self, number):
        self.random = random.Random(number)
        self.kinds = [*itertools.chain(*([kind] * count for kind, count in self.WEIGHTS))]

    def name(self, wanted=lambda array: True, state=None):
        names = [name for name in self.state if wanted(self.state[name])]
        return self.random.choice(names or [*self.state])

    def of(self, *texts):
        return self.random.choice(texts)

    def like(self, name):
        """Return an array whose shape broadcasts with that of another, mostly."""
        shape = self.state[name].shape
        return self.name(lambda array: array.shape in (shape, (), (1,)))

    def statement(self, state):
        self.state = state
        target = f"a{self.random.randrange(ARRAYS)}"
        text, kind = self.random.choice(self.kinds)(self)
        if kind != "none":
            text = f"{target} = {text}"
        return Statement(text, kind, self.random.randrange(STREAMS))

    def binary(self):
        a = self.name()
        b = self.like(a) if self.random.random() < 0.75 else self.of(*SCALARS)
        a, b = (a, b) if self.random.random() < 0.9 or b in SCALARS else (b, a)
        if self.random.random() < 0.7:
            return f"{a} {self.of(*BINARY)} {b}", "bits"
        if self.random.random() < 0.6:
            return f"xp.{self.of(*BINARY_CALLS)}({a}, {b})", "bits"
        return f"xp.{self.of(*BINARY_NEAR)}({a}, {b})", "near"

    def unary(self):
        if self.random.random() < 0.6:
            return f"xp.{self.of(*UNARY)}({self.name()})", "bits"
        return f"xp.{self.of(*UNARY_NEAR)}({self.name()})", "near"

    def nested(self):
        a = self.name()
        b, scalar = self.like(a), self.of(*SCALARS)
        return self.of(f"({a} * 2 + {b}) * {a} - {scalar}", f"abs({a} - {b}) + {scalar}"), "sum"

    def in_place(self):
        a = self.name()
        b = self.like(a) if self.random.random() < 0.6 else self.of(*SCALARS)
        return f"{a} {self.of('+', '-', '*', '|', '/', '//')}= {b}", "none"

    def ufunc(self):
        a = self.name()
        b = self.like(a)
        shape = np.broadcast_shapes(*self.shapes(a, b))
        mask = self.name(lambda array: array.dtype == bool and array.shape in (shape, ()))
        out = self.name(lambda array: array.shape == shape)
        name = self.of(*UFUNCS)
        if self.state[out].dtype != bool and name in ("less", "logical_or"):
            name = "add"  # NumPy converts what `where` leaves out to bool, and back
        options = self.of(
            f", out={out}",
            f", out={out}, where={mask}",
            f", out={out}, casting='unsafe'" if self.is_float(out) else "",
            f", dtype='{self.of(*DTYPES[:8])}'",
            f", out={out}, where={a} > {b}",
        )
        return f"np.{name}({a}, {b}{options})", "none" if "out" in options else "bits"

    def is_float(self, name):
        return self.state[name].dtype.kind in "fc"

    def shapes(self, *names):
        found = [self.state[name].shape for name in names]
        try:
            np.broadcast_shapes(*found)
        except ValueError:
            return found[:1]
        return found

    def cast(self):
        a, dtype = self.name(), self.of(*DTYPES)
        if self.state[a].dtype.kind in "fc" and np.dtype(dtype).kind in "iu":
            # What lies outside the range has no value that C defines.
            return f"xp.clip(xp.nan_to_num({a}.real), 0, 99).astype('{dtype}')", "bits"
        return f"{a}.astype('{dtype}')", "bits"

    def where(self):
        a = self.name()
        b = self.like(a)
        return f"xp.where({a} > {self.of('1', b)}, {self.of(a, b, '0')}, {b})", "bits"

    def move(self):
        return self.of(*MOVES).format(self.name()), "bits"

    def join(self):
        a = self.name()
        shape = self.state[a].shape
        b = self.name(lambda array: array.shape == shape)
        how = self.of("concatenate", "stack", "vstack", "hstack")
        return f"xp.{how}([{a}, {b}])", "bits"

    def indices(self, length):
        return [self.random.randrange(-length, length) for _ in range(3)] if length else [0, 0]

    def key(self, name):
        array = self.state[name]
        length = array.shape[0] if array.ndim else 0
        mask = self.name(lambda other: other.dtype == bool and other.shape == array.shape)
        keys = ["...", f"{name} > 1", mask, str(self.indices(length)), "1:", "::-2", "..., 0"]
        keys += [f"{name} == {name}", "None", f"xp.array({self.indices(length)})", "0", "-1"]
        keys += [f"[{self.indices(length)}], ::-1", "True", "[]", "..., None, :1"]
        return self.of(*keys)

    def get(self):
        a = self.name()
        return f"{a}[{self.key(a)}]", "bits"

    def set(self):
        a = self.name()
        value = self.of(self.like(a), *SCALARS, f"{a}[{self.key(a)}]")
        if value in self.state and self.is_float(value) and not self.is_float(a):
            value = "2"  # see cast()
        if not self.is_float(a) and value in ("0.5", "np.float32(1.5)"):
            value = "2"
        sign = self.of("", "", "+", "*", "-")
        return f"{a}[{self.key(a)}] {sign}= {value}", "none"

    def take(self):
        a = self.name(lambda array: array.ndim > 0)
        array = self.state[a]
        indices = self.indices(array.shape[-1] if array.ndim else 1)
        return self.of(
            f"xp.take({a}, {indices}, axis=-1)",
            f"xp.take({a}, {indices}, mode='wrap')",
            f"{a}.take({indices}, mode='clip')",
            f"xp.take_along_axis({a}, xp.argsort({a}, axis=-1, kind='stable'), axis=-1)",
            f"xp.compress([True, False, True], {a}, axis=0)",
            f"xp.delete({a}, 0)",
            f"xp.choose({a} > 1, [{a}, {a}])",
            f"xp.bincount(xp.ravel({a}))",
        ), "bits"

    def axes(self, name):
        ndim = self.state[name].ndim
        axis = self.of("", *(f", axis={k}" for k in range(-ndim, ndim)))
        return axis + self.of("", "", ", keepdims=True")

    def reduction(self):
        a = self.name()
        if self.random.random() < 0.4:
            name = self.of(*REDUCTIONS)
            options = self.axes(a) if name != "count_nonzero" else ""
            return f"xp.{name}({a}{options})", "bits"
        name, dtype = self.of(*SUMS), self.of("", "", "", ", dtype='float64'", ", dtype='int64'")
        if "int" in dtype and (self.is_float(a) or name not in ("sum", "prod")):
            dtype = ""
        return f"xp.{name}({a}{self.axes(a)}{dtype})", "sum"

    def scan(self):
        a = self.name()
        ndim = self.state[a].ndim
        axis = self.of("", *(f", axis={k}" for k in range(ndim)))
        return f"xp.{self.of('cumsum', 'cumprod')}({a}{axis})", "sum"

    def sorting(self):
        text = self.of(*SORTING)
        return text.format(self.name(), self.name()), "sum" if "qu" in text else "bits"

    def linalg(self):
        a = self.name(lambda array: array.ndim in (1, 2))
        shape = self.state[a].shape
        b = self.name(lambda array: array.shape[-2:-1] == shape[-1:] or array.shape == shape)
        return self.of(*LINALG).format(a, b), "sum"

    def solver(self):
        a = self.name(lambda array: array.ndim == 2 and array.shape[0] == array.shape[1] > 0)
        b = self.name(lambda array: array.shape[:1] == self.state[a].shape[:1])
        return self.of(*SOLVERS).format(a, b), "solver"

    def fourier(self):
        a = self.name(lambda array: array.ndim and array.dtype != np.float16)
        return f"xp.fft.{self.of(*FOURIER)}({a})", "sum"

    def draw(self):
        shape = self.random.choice(SHAPES)
        return self.of(*RANDOM).format(shape), "near"

    def exchange(self):
        return f"exchange({self.name()}, '{self.of(*EXCHANGE)}')", "bits"

    def create(self):
        shape, dtype = self.random.choice(SHAPES), self.of(*DTYPES)
        return self.of(
            f"xp.zeros({shape}, '{dtype}')",
            f"xp.ones({shape}, '{dtype}')",
            f"xp.arange({self.random.randrange(1, 20)}, dtype='{dtype}')",
            f"xp.full({shape}, 3, '{dtype}')",
            f"xp.eye(4, dtype='{dtype}')",
            f"xp.zeros_like({self.name()})",
            f"xp.linspace(-3, 2, {self.random.randrange(1, 8)})",
            f"xp.array({[self.random.randrange(5) for _ in range(5)]}, '{dtype}')",
        ), "near"

    def read(self):
        a = self.name()
        return f"found.append({a}.{self.of('tolist()', 'sum().item()', 'any().item()')})", "none"

    WEIGHTS: ClassVar = [
        (binary, 8),
        (unary, 4),
        (nested, 2),
        (in_place, 4),
        (ufunc, 4),
        (cast, 3),
        (where, 2),
    ]
    WEIGHTS += [(move, 6), (join, 1), (get, 4), (set, 5), (take, 1), (reduction, 4), (scan, 1)]
    WEIGHTS += [(sorting, 3), (linalg, 2), (solver, 1), (fourier, 1), (draw, 1), (exchange, 3)]
    WEIGHTS += [(create, 2), (read, 2)]


def first_arrays(number):
    """Return the arrays with which a program begins."""
    chooser = np.random.default_rng(number)
    arrays = []
    for k in range(ARRAYS):
        shape = SHAPES[chooser.integers(len(SHAPES))] if k % 2 else SHAPES[number % len(SHAPES)]
        dtype = DTYPES[chooser.integers(len(DTYPES))]
        values = chooser.integers(0 if dtype.startswith("u") else -4, 5, shape)
        if dtype.startswith(("f", "c")):
            values = values + chooser.integers(0, 4, shape) / 4
        arrays.append(np.array(values, dtype))
    return arrays


class Machine:
    """The names of a program in one library, and what its statements do there."""

    def __init__(self, xp, arrays, seed, device=None):
        self.device = device
        self.found = []
        if device is None:
            rng, exchange = np.random.default_rng(seed), numpys_exchange
            given = [array.copy() for array in arrays]
        else:
            rng = gpuarray.random.default_rng(seed, device=device)
            exchange = gpuarrays_exchange
            given = [gpuarray.to_device(array, device=device) for array in arrays]
        self.names = {"xp": xp, "np": np, "rng": rng, "exchange": exchange, "found": self.found}
        self.names |= {f"a{k}": array for k, array in enumerate(given)}

    def run(self, code, stream=None):
        """Run a statement, and return the error that it raises, or None."""
        try:
            with stream if stream is not None else contextlib.nullcontext():
                exec(code, self.names)
        except Exception as error:
            return error
        return None

    def array(self, name):
        value = self.names[name]
        return value.get() if isinstance(value, gpuarray.GPUArray) else np.asarray(value)


_codes = {}


def compiled(text):
    if len(_codes) > 20000:
        _codes.clear()
    if text not in _codes:
        _codes[text] = compile(text, "<statement>", "exec")
    return _codes[text]


def bits(array):
    """Return the dtype, shape and bytes, with all NaN as one."""
    if array.dtype.kind in "fc":
        array = array.copy()
        parts = (array.real, array.imag) if array.dtype.kind == "c" else (array,)
        for part in parts:
            part[np.isnan(part)] = np.nan
    return array.dtype.str, array.shape, array.tobytes()


def near(got, expected, kind, scale):
    """Return whether values agree as the kind of their statement wants."""
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return False
    if got.dtype.kind not in "fc":
        if kind in ("sum", "solver") and scale > 2.0**50:
            return True  # sums of huge floats, converted
        return np.array_equal(got, expected)
    if kind == "bits":
        return np.array_equal(got, expected, equal_nan=True)
    if not (np.isfinite(got).all() and np.isfinite(expected).all()):
        if kind in ("sum", "solver"):
            return True  # which of inf and NaN follows from the order of additions
        if got.dtype.kind == "c":
            return True  # parts of a complex inf or NaN
        same = np.array_equal(np.isnan(got), np.isnan(expected))
        finite = np.isfinite(got) & np.isfinite(expected)
        return same and near(got[finite], expected[finite], kind, scale)
    epsilon = float(np.finfo(got.dtype).eps)
    wide = (got.astype(complex), expected.astype(complex))
    error = np.abs(wide[0] - wide[1])
    size = np.abs(wide[1])
    if kind == "near" and got.dtype.kind == "c":
        return bool((error <= 1e3 * epsilon * size.max(initial=1)).all())
    if kind == "near":
        tiny = float(np.finfo(got.dtype).smallest_subnormal)
        return bool((error <= 8 * epsilon * size + 8 * tiny).all())
    most = max(float(size.max(initial=0)), 1.0, scale)
    return bool((error <= (64 if kind == "sum" else 1e4) * epsilon * most).all())


def scale_of(machine):
    """Return how large sums over the arrays may be before they cancel."""
    total = 1.0
    for k in range(ARRAYS):
        array = np.asarray(machine.names[f"a{k}"])
        if array.size and array.dtype.kind in "fciu":
            with np.errstate(all="ignore"):
                most = float(np.abs(array.astype(complex)).max())
            total = max(total, most if most == most else np.inf)
    return total * total * MOST_ELEMENTS if total < 1e150 else np.inf


def adopt(reference, name, got):
    """Give NumPy's array the device's elements, so that later statements begin from the same."""
    array = reference.names[name]
    if isinstance(array, np.ndarray) and array.flags.writeable and array.shape == got.shape:
        np.copyto(array, got)
    else:
        reference.names[name] = got.copy()


def describe(got, expected):
    def text(array):
        content = np.array2string(array, threshold=40, separator=", ").replace("\n", "")
        return f"{array.dtype}{list(array.shape)} {content}"

    return f"got      {text(got)}\n  expected {text(expected)}"


class Run:
    """One program: NumPy beside the device with fusion off, then the device in the other modes."""

    def __init__(self, program, device, modes):
        self.program, self.device = program, device
        self.modes = modes
        self.streams = [None] * STREAMS
        if device != "cpu":
            self.streams = [None, *(gpuarray.Stream(device) for _ in range(STREAMS - 1))]

    def compare(self, writer=None):
        """Run the program, which a writer goes on writing; return a Difference or None."""
        program = self.program
        reference = Machine(np, program.arrays, program.number)
        machine = Machine(gpuarray, program.arrays, program.number, self.device)
        written = program.statements
        with gpuarray.fusion("off"):
            for place in itertools.count():
                if writer is not None and place < STATEMENTS:
                    state = {f"a{k}": reference.names[f"a{k}"] for k in range(ARRAYS)}
                    written.append(writer.statement(state))
                if place == len(written):
                    break
                different = self.step(written[place], reference, machine)
                if different is not None:
                    del written[place + 1 :]
                    return Difference(*different)
        expected = [bits(machine.array(f"a{k}")) for k in range(ARRAYS)], repr(machine.found)
        for mode in self.modes:
            other = Machine(gpuarray, program.arrays, program.number, self.device)
            with gpuarray.fusion(mode.format(program.number)):
                for statement in written:
                    other.run(compiled(statement.text), self.streams[statement.stream])
                    if statement.drops:
                        other.names[statement.text.split(" ", 1)[0]] = self.replacement()
                got = [bits(other.array(f"a{k}")) for k in range(ARRAYS)], repr(other.found)
            if got != expected:
                return Difference(f"fusion {mode}", program, f"in fusion({mode!r})")
        return None

    def step(self, statement, reference, machine):
        """Run one statement in both; return what differs, or None."""
        code = compiled(statement.text)
        scale = scale_of(reference) if statement.kind not in ("bits", "near") else 1.0
        before = [np.asarray(reference.names[f"a{k}"]) for k in range(ARRAYS)]
        count = len(reference.found)
        expected = reference.run(code)
        error = machine.run(code, self.streams[statement.stream])
        target = statement.text.split(" ", 1)[0] if statement.kind != "none" else None
        for k in range(ARRAYS):
            if isinstance(reference.names[f"a{k}"], np.generic):
                reference.names[f"a{k}"] = np.array(reference.names[f"a{k}"])
        statement.drops = target is not None and self.is_odd(reference, target)
        if statement.drops:
            reference.names[target] = np.zeros(3)
            machine.names[target] = self.replacement()
            expected = error = None
        if (expected is None) != (error is None):
            text = f"got      {error!r}\n  expected {expected!r}"
            return self.difference(statement, before, "error", text)
        kind = statement.kind if statement.kind != "none" else "sum"
        for k in range(ARRAYS):
            name = f"a{k}"
            got, wanted = machine.array(name), np.asarray(reference.names[name])
            if bits(got) == bits(wanted):
                continue
            if not near(got, wanted, kind if error is None else "sum", scale):
                what = "value" if got.dtype == wanted.dtype else "dtype"
                text = f"{name}: {describe(got, wanted)}"
                return self.difference(statement, before, what, text)
            adopt(reference, name, got)
        if len(reference.found) > count:
            machine.found[count:] = reference.found[count:] = machine.found[count:]
        return None

    @staticmethod
    def is_odd(reference, target):
        """Return whether a result is none that later statements can use."""
        value = np.asarray(reference.names[target])
        return value.size > MOST_ELEMENTS or value.dtype.kind not in "biufc" or value.ndim > 5

    def replacement(self):
        return gpuarray.zeros(3, "float64", device=self.device)

    def difference(self, statement, before, what, text):
        dtypes = [
            before[k].dtype.name
            for k in range(ARRAYS)
            if f"a{k}" in statement.text.split(" = ", 1)[-1]
        ]
        shown = statement.text.split(" = ", 1)[-1]
        for k in range(ARRAYS):
            shown = shown.replace(f"a{k}", "a")
        return f"{what}: {shown} of {','.join(dtypes)}", self.program, f"{statement.text}\n  {text}"


def smaller(difference, device, modes):
    """Return the difference of a program without the statements that it does not need."""
    for _ in range(3):
        count = len(difference.program.statements)
        for place in reversed(range(count)):
            program = difference.program
            kept = program.statements[:place] + program.statements[place + 1 :]
            shorter = Program(program.number, program.arrays, kept)
            found = Run(shorter, device, modes).compare()
            if found is not None and found.what.split(":")[0] == difference.what.split(":")[0]:
                difference = found
        if len(difference.program.statements) == count:
            break
    return difference


def listing(difference):
    """Return the program of a difference as a text that can be run."""
    program = difference.program
    lines = [f"# program {program.number}: {difference.what}"]
    used = " ".join(statement.text for statement in program.statements)
    for k, array in enumerate(program.arrays):
        if f"a{k}" in used:
            lines.append(f"a{k} = xp.array({array.tolist()}, '{array.dtype}')  # {array.shape}")
    for statement in program.statements:
        stream = f"  # on stream {statement.stream}" if statement.stream else ""
        lines.append(statement.text + stream)
    return "\n".join(lines) + f"\n  {difference.text}"


def run_share(share):
    """Run every `step`-th program; return how many operations ran, and the kinds of differences."""
    options, first = share
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    modes = [] if options.no_fusion else MODES
    operations, kinds, texts = 0, Counter(), {}
    number, wanted = first, options.operations / options.processes
    end = time.monotonic() + options.seconds
    while operations < wanted and time.monotonic() < end:
        program = Program(number, first_arrays(number))
        difference = Run(program, options.device, modes).compare(Writer(number))
        operations += len(program.statements)
        if difference is not None:
            if difference.what not in kinds and len(texts) < options.most:
                texts[difference.what] = listing(smaller(difference, options.device, modes))
            kinds[difference.what] += 1
        number += options.processes
    return operations, kinds, texts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--operations", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=1e9, help="the most that it runs")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    parser.add_argument("--most", type=int, default=40, help="programs that each process prints")
    parser.add_argument("--no-fusion", action="store_true", help="without operations that wait")
    options = parser.parse_args()
    begin = time.monotonic()
    shares = [(options, options.first + k) for k in range(options.processes)]
    if options.processes == 1:
        results = [run_share(shares[0])]
    else:
        with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
            results = pool.map(run_share, shares, chunksize=1)
    texts = {}
    for _, _, found in results:
        texts |= found
    kinds = sum((kinds for _, kinds, _ in results), Counter())
    for what, text in texts.items():
        print(f"{text}\n  ({kinds[what]} times)\n")
    count = sum(operations for operations, _, _ in results)
    print(
        f"{count} operations in {time.monotonic() - begin:.0f} s on {options.device}: "
        f"{sum(kinds.values())} differences of {len(kinds)} kinds"
    )
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
