# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The statements of tools/fuzz_programs.py, written at random from the arrays at each place."""

import itertools
import random
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

# fmt: off
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
    "maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or", "logical_xor", "copysign",
    "fmod",
]
BINARY_NEAR = ["arctan2", "hypot", "logaddexp", "float_power", "power"]
UNARY = [
    "negative", "floor", "ceil", "trunc", "rint", "sign", "isnan",
    "isfinite", "isinf", "conj",
]
UNARY += ["invert", "logical_not", "signbit", "positive", "real", "imag"]
UNARY_NEAR = [
    "exp", "log", "sin", "cos", "tanh", "arctan", "log1p", "expm1", "cbrt", "exp2", "log2",
    "arcsinh", "sinh", "absolute", "sqrt", "square",
]
UFUNCS = [
    "add", "subtract", "multiply", "maximum", "minimum", "true_divide", "bitwise_xor", "less",
    "logical_or",
]
REDUCTIONS = ["max", "min", "any", "all", "argmax", "argmin", "count_nonzero", "ptp"]
SUMS = ["sum", "prod", "mean", "var", "std", "nansum", "nanmean"]
MOVES = ["{0}[::-1]", "{0}.T", "{0}[..., None]", "{0}.flatten()", "{0}.reshape(-1)", "{0}.copy()"]
MOVES += ["xp.roll({0}, 2)", "xp.flip({0})", "xp.atleast_2d({0})", "xp.squeeze({0})", "{0}[None]"]
MOVES += ["xp.repeat({0}, 2)", "xp.tile({0}, 2)", "{0}.swapaxes(0, -1)", "{0}[1:]", "{0}[..., ::2]"]
MOVES += ["xp.moveaxis({0}, 0, -1)", "xp.expand_dims({0}, 1)", "xp.pad({0}, 1)", "xp.diagonal({0})"]
MOVES += ["xp.broadcast_to({0}, (2, *{0}.shape))", "xp.diff({0})", "xp.triu({0})", "xp.rot90({0})"]
MOVES += ["xp.roll({0}, -1, -1)", "xp.pad({0}, 1)[1:] - xp.pad({0}, 1, constant_values=1)[:-1]"]
MOVES += ["xp.array_split({0}, 2)[1]", "xp.ascontiguousarray({0})", "{0}.view()", "{0}[...]"]
SORTING = [
    "xp.sort({0})", "xp.argsort({0}, kind='stable')", "xp.unique({0})", "xp.sort({0}, axis=0)",
]
SORTING += ["xp.searchsorted(xp.sort({0}.ravel()), {1})", "xp.isin({0}, {1})", "xp.nonzero({0})[0]"]
SORTING += [
    "xp.flatnonzero({0})", "xp.argwhere({0})", "xp.union1d({0}, {1})", "xp.intersect1d({0}, {1})",
]
SORTING += ["xp.partition({0}, 1)[..., 1]", "xp.lexsort(({0}.ravel(),))", "xp.median({0})"]
SORTING += ["xp.quantile({0}, 0.25)", "xp.clip({0}, 1, 3)", "xp.digitize({0}, [0, 2, 4])"]
LINALG = ["{0} @ {1}", "xp.dot({0}, {1})", "xp.matmul({0}, {0}.T)", "xp.inner({0}, {1})"]
LINALG += ["xp.outer({0}, {1})", "xp.vdot({0}, {1})", "xp.tensordot({0}, {1}, 1)", "xp.trace({0})"]
LINALG += ["xp.einsum('...i,...i->...', {0}, {1})", "xp.linalg.norm({0})", "xp.kron({0}, {1})"]
SOLVERS = ["xp.linalg.det({0})", "xp.linalg.inv({0})", "xp.linalg.solve({0}, {1})"]
SOLVERS += ["xp.linalg.eigvalsh({0} @ {0}.T)", "xp.linalg.svd({0}, compute_uv=False)"]
SOLVERS += [
    "xp.linalg.matrix_power({0}, 2)", "xp.linalg.pinv({0})",
    "xp.linalg.lstsq({0}, {1}, rcond=None)[0]",
]
FOURIER = ["fft", "ifft", "rfft", "irfft", "fft2", "ifft2", "fftshift", "rfft2", "hfft"]
RANDOM = ["rng.random({})", "rng.integers(-5, 9, {})", "rng.integers(0, 7, {}, dtype='uint8')"]
RANDOM += ["rng.random({}, dtype='float32')", "rng.standard_normal({})", "rng.uniform(1, 3, {})"]
EXCHANGE = ["dlpack", "interface", "buffer", "pickle", "host", "c_contiguous"]
# fmt: on


@dataclass
class Statement:
    text: str
    kind: str = "bits"  # how its result is compared: bits, near, sum, solver, values, none
    stream: int = 0
    drops: bool = False  # its result, which is too large or of another kind than arrays


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
        third = self.of("", "", f", {a}")
        return f"xp.{how}([{a}, {b}{third}])", "bits"

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
        # The host's singular values of what is not finite may never end.
        is_tame = all(np.abs(self.state[x]).max(initial=0) < 1e30 for x in (a, b))
        return (self.of(*SOLVERS) if is_tame else SOLVERS[0]).format(a, b), "solver"

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
