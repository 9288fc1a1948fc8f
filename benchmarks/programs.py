# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Measures whole programs of plain operators, unmodified, beside eager and compiled libraries.

    python benchmarks/programs.py [--device cuda:0] [--way NAME]... [--out JSON] [PROGRAM]...
    python benchmarks/programs.py --docs JSON

Each library runs in a process of its own: gpuarray with fusion off and auto and by `fuse`, CuPy,
PyTorch as it is and compiled, and JAX compiled; those that cannot be imported are left out. The
results of a batch are kept. Prints for each program the milliseconds of a call, the median of
batches, and of the first call, and how many kernels gpuarray has compiled. --docs writes what --out
kept to docs/benchmarks.md.
"""

import argparse
import datetime
import itertools
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from libraries import LIBRARIES
from programs_report import kernels, write_docs

SETTLE = 3.0  # seconds
LEAST_BATCH = 0.0001  # seconds, unless it has 32 calls
WAYS = ["off", "auto", "fuse", "cupy", "torch", "torch.compile", "jax.jit"]


def chain(xp: Any, a: Any, b: Any) -> Any:
    return ((a * b + a) * b - a) / b


def single(xp: Any, a: Any, b: Any) -> Any:
    return a + b


def normal(xp: Any, x: Any) -> Any:
    """The normal distribution by the polynomial of Abramowitz and Stegun, 26.2.17."""
    k = 1 / (1 + 0.2316419 * abs(x))
    powers = k * (
        0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
    )
    tail = 0.3989422804 * xp.exp(-0.5 * x * x) * powers
    return xp.where(x < 0, tail, 1 - tail)


def black_scholes(xp: Any, price: Any, strike: Any, years: Any) -> Any:
    rate, volatility = 0.02, 0.3
    spread = volatility * xp.sqrt(years)
    d1 = (xp.log(price / strike) + (rate + 0.5 * volatility**2) * years) / spread
    d2 = d1 - spread
    discounted = strike * xp.exp(-rate * years)
    call = price * normal(xp, d1) - discounted * normal(xp, d2)
    return call, call - price + discounted


def adam(xp: Any, weight: Any, gradient: Any, mean: Any, square: Any) -> Any:
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.999 * square + 0.001 * gradient * gradient
    weight = weight - 0.001 * (mean / 0.19) / (xp.sqrt(square / 0.002) + 1e-8)
    return weight, mean, square


def mandelbrot(xp: Any, real: Any, imaginary: Any) -> Any:
    x, y, count = real, imaginary, real * 0
    for _ in range(20):
        xx, yy = x * x, y * y
        inside = xx + yy < 4
        count = count + inside
        y = xp.where(inside, 2 * x * y + imaginary, y)
        x = xp.where(inside, xx - yy + real, x)
    return count


def lorenz(xp: Any, x: Any, y: Any, z: Any) -> Any:
    def slope(x: Any, y: Any, z: Any) -> Any:
        return 10 * (y - x), x * (28 - z) - y, x * y - (8 / 3) * z

    h = 0.01
    for _ in range(20):
        a = slope(x, y, z)
        b = slope(x + h / 2 * a[0], y + h / 2 * a[1], z + h / 2 * a[2])
        c = slope(x + h / 2 * b[0], y + h / 2 * b[1], z + h / 2 * b[2])
        d = slope(x + h * c[0], y + h * c[1], z + h * c[2])
        x = x + h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0])
        y = y + h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1])
        z = z + h / 6 * (a[2] + 2 * b[2] + 2 * c[2] + d[2])
    return x, y, z


def heat_in_place(xp: Any, u: Any) -> Any:
    for _ in range(10):
        u[1:-1, 1:-1] += 0.1 * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        )
    return u


def heat_joined(xp: Any, u: Any) -> Any:
    join = xp.cat if hasattr(xp, "cat") else xp.concatenate
    for _ in range(10):
        inner = u[1:-1] + 0.2 * (u[2:] + u[:-2] - 2 * u[1:-1])
        u = join([u[:1], inner, u[-1:]])
    return u


def softmax(xp: Any, x: Any) -> Any:
    top = xp.amax(x, -1, keepdims=True)
    e = xp.exp(x - top)
    return e / e.sum(-1, keepdims=True)


def layer_norm(xp: Any, x: Any, weight: Any, bias: Any) -> Any:
    centered = x - x.mean(-1, keepdims=True)
    variance = (centered * centered).mean(-1, keepdims=True)
    return centered / xp.sqrt(variance + 1e-5) * weight + bias


def bodies(xp: Any, x: Any, y: Any, vx: Any, vy: Any) -> Any:
    for _ in range(2):
        dx, dy = x[:, None] - x[None, :], y[:, None] - y[None, :]
        r2 = dx * dx + dy * dy + 0.01
        inverse = 1 / (r2 * xp.sqrt(r2))
        vx = vx - 0.001 * (dx * inverse).sum(1)
        vy = vy - 0.001 * (dy * inverse).sum(1)
        x, y = x + 0.001 * vx, y + 0.001 * vy
    return x, y


def life(xp: Any, cells: Any) -> Any:
    for _ in range(5):
        rows = xp.roll(cells, 1, 0) + cells + xp.roll(cells, -1, 0)
        around = xp.roll(rows, 1, 1) + rows + xp.roll(rows, -1, 1) - cells
        alive = (around == 3) | ((cells == 1) & (around == 2))
        cells = xp.where(alive, cells * 0 + 1, cells * 0)
    return cells


@dataclass(frozen=True)
class Program:
    function: Callable
    shapes: list[tuple[int, ...]]
    dtype: str = "float32"
    writes: bool = False  # in place, which neither compiled JAX nor fuse takes
    reduces: bool = False

    def hosts(self) -> list[np.ndarray]:
        """Return random arrays of its shapes."""
        rng = np.random.default_rng(2026)
        if self.dtype == "uint8":
            return [rng.integers(0, 2, shape, dtype="uint8") for shape in self.shapes]
        return [rng.random(shape, "float32") + np.float32(0.5) for shape in self.shapes]


PROGRAMS = {
    "single, 1000": Program(single, [(1000,)] * 2),
    "single, 2^28": Program(single, [(1 << 28,)] * 2),
    "chain, 1000": Program(chain, [(1000,)] * 2),
    "chain, 2^20": Program(chain, [(1 << 20,)] * 2),
    "chain, 2^28": Program(chain, [(1 << 28,)] * 2),
    "Black-Scholes, 2^26": Program(black_scholes, [(1 << 26,)] * 3),
    "Black-Scholes, 1000": Program(black_scholes, [(1000,)] * 3),
    "Adam, 2^26": Program(adam, [(1 << 26,)] * 4),
    "Adam, 1000": Program(adam, [(1000,)] * 4),
    "Mandelbrot, 4096^2": Program(mandelbrot, [(4096, 4096)] * 2),
    "Lorenz, 2^22": Program(lorenz, [(1 << 22,)] * 3),
    "Lorenz, 1000": Program(lorenz, [(1000,)] * 3),
    "heat in place, 8192^2": Program(heat_in_place, [(8192, 8192)], writes=True),
    "heat, concatenate, 8192^2": Program(heat_joined, [(8192, 8192)]),
    "softmax, 2^26": Program(softmax, [(1 << 14, 4096)], reduces=True),
    "layer norm, 2^26": Program(layer_norm, [(1 << 14, 4096), (4096,), (4096,)], reduces=True),
    "n-body, 4096": Program(bodies, [(4096,)] * 4, reduces=True),
    "life, 8192^2": Program(life, [(8192, 8192)], "uint8"),
}


class Way:
    """A library and how it runs a program."""

    def __init__(self, name: str, device: str):
        self.name = name
        library = name.split(".")[0] if name not in WAYS[:3] else "gpuarray"
        self.library = LIBRARIES[library][0](device)
        if library == "gpuarray":
            self.library.xp.fusion("off" if name == "off" else "auto")

    def function(self, program: Program) -> Callable:
        xp = self.library.xp
        if self.name not in ("fuse", "torch.compile", "jax.jit"):
            return lambda *arrays: program.function(xp, *arrays)
        if self.name != "torch.compile" and program.writes:
            raise TypeError("writes in place")
        scope: dict[str, Any] = {"function": program.function, "xp": xp}
        names = ", ".join(f"a{k}" for k in range(len(program.shapes)))
        exec(f"def called({names}): return function(xp, {names})", scope)
        return self.library.fuse(scope["called"])

    def measure(self, program: Program, seconds: float) -> tuple[float, float]:
        """Return the milliseconds of a call and those of the first."""
        arrays = [self.library.up(host) for host in program.hosts()]
        call = self.function(program)
        start = time.perf_counter()
        result = call(*arrays)
        self.library.synchronize(result)
        first = time.perf_counter() - start

        def batch(calls: int) -> float:
            start = time.perf_counter()
            kept = [call(*arrays) for _ in range(calls)]
            self.library.synchronize(kept[-1])
            return time.perf_counter() - start

        # A batch of large arrays is one call, so that no two calls run together.
        calls = 1
        while batch(calls) < LEAST_BATCH and calls < 32:
            calls *= 2
        # Kernels that are compiled in the background, which nobody waits for, are there afterwards.
        settled = time.perf_counter() + (SETTLE if self.name == "auto" else 0)
        for k in itertools.count():
            fast = batch(calls) < LEAST_BATCH and calls < 32  # the first batches were slower
            calls *= 2 if fast else 1
            if k >= 5 and not fast and time.perf_counter() > settled:
                break
        spent: list[float] = []
        end = time.perf_counter() + seconds
        while len(spent) < 5 or time.perf_counter() < end:
            spent.append(batch(calls) / calls)
        return statistics.median(spent) * 1e3, first * 1e3


def work(way: str, device: str, names: list[str], seconds: float) -> None:
    runner = Way(way, device)
    count = getattr(runner.library, "kernels", int)
    print(json.dumps([runner.name.split(".")[0], runner.library.version]), flush=True)
    for name in names:
        try:
            before = count()
            times = runner.measure(PROGRAMS[name], seconds)
        except Exception as error:
            print(f"{way}: {name}: {type(error).__name__}: {str(error)[:150]}", file=sys.stderr)
            continue
        print(json.dumps([name, *times, count() - before]), flush=True)
        runner.library.free()


def device_name(device: str) -> str:
    if device == "cpu":
        return "cpu"
    command = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return ran.stdout.splitlines()[0].replace(", ", ", driver ")


def measure_all(ways: list[str], names: list[str], options: argparse.Namespace) -> dict:
    """Return what is kept of a run: of the programs by ways the milliseconds of a call and of the
    first, and gpuarray's kernels that were not built ahead; and where they ran."""
    programs: dict[str, dict[str, list[float]]] = {name: {} for name in names}
    versions: dict[str, str] = {}
    for way in ways:
        command = [sys.executable, __file__, "--worker", "--way", way, "--device", options.device]
        command += ["--seconds", str(options.seconds), *names]
        ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        lines = [json.loads(line) for line in ran.stdout.splitlines()]
        if lines:
            library, version = lines[0]
            versions["gpuarray" if library in ("off", "auto", "fuse") else library] = version
        for name, *times in lines[1:]:
            programs[name][way] = times
    today = datetime.date.today().isoformat()
    device = device_name(options.device)
    return {"date": today, "device": device, "versions": versions, "programs": programs}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--way", action="append", choices=WAYS, help="all without it")
    parser.add_argument("--seconds", type=float, default=0.4, help="of each program")
    parser.add_argument("--out", type=Path, metavar="JSON", help="keep the results")
    parser.add_argument("--docs", type=Path, metavar="JSON", help="fill the documents, no more")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("programs", nargs="*", help="by the begin of their names; all without")
    options = parser.parse_args()
    if options.docs:
        return write_docs(json.loads(options.docs.read_text()))
    names = [name for name in PROGRAMS if name.startswith(tuple(options.programs) or "")]
    ways = options.way or WAYS
    if options.worker:
        return work(ways[0], options.device, names, options.seconds)
    run = measure_all(ways, names, options)
    if options.out:
        options.out.write_text(json.dumps(run, indent=1) + "\n")
    print(f"{'ms a call (first call)':26}" + "".join(f"{way:>20}" for way in ways))
    for name, found in run["programs"].items():
        cells = [found.get(way) for way in ways]
        shown = [f"{c[0]:.4g} ({c[1]:.3g}{kernels(c)})" if c else "-" for c in cells]
        print(f"{name:26}" + "".join(f"{cell:>20}" for cell in shown))


if __name__ == "__main__":
    main()
