# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Runs millions of small random programs with fusion off and on, and compares all bits and errors.

    python -P tools/fuzz_windows.py [--device cpu] [--seconds 60] [--processes 2] [--first 0]
        [--passes 0]

A program is a few statements on a few small arrays: operators, in place too, scalars, casts, views,
slices, masks, rolls, parts, joins, borders, stencils, where, sums, reductions of rows and reads.
Blocks of programs run with fusion off and then in each mode, adversary among them, whose windows
end at random. With --passes each program, on larger arrays, comes so often in auto mode, with
another statement at times, so that it is learned and left. The first difference ends the run;
--first BLOCK --seconds 0 repeats its block.
tests/expressions/test_window_programs.py has larger programs.
"""

import argparse
import multiprocessing
import operator
import sys
import time
from pathlib import Path

import numpy as np

import gpuarray
from gpuarray import _core

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from _support.window_programs import fusion

PROGRAMS = 2000  # of a block
STATEMENTS = 9
ARRAYS = 5
SHAPES = [(11,), (3, 5), (2, 3, 4)]
LARGE_SHAPES = [(17000,), (130, 131), (26, 26, 26)]  # of 64 KiB and more, which may wait on cpu
LEARNED_PROGRAMS = 50  # of a block
DTYPES = ["float32", "float64", "int32", "uint8", "bool", "float16"]
SCALARS = [1, 2, -3, 0.5, True, 200]
MODES = ["always", "adversary:{}"]
BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.eq]
BINARY += [gpuarray.maximum, gpuarray.minimum, operator.and_, operator.floordiv]
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.ior]
REDUCED = ["sum", "max", "min", "mean", "var", "prod", "argmax", "any"]
BORDERS = ["constant", "edge", "reflect", "symmetric", "wrap"]
UNARY = [operator.neg, abs, gpuarray.sqrt, gpuarray.square, operator.invert, gpuarray.isnan]


# The kinds of statements, of which each gets the arrays, what was read, and four numbers.
def binary(arrays, found, i, j, k, n):
    arrays[k] = BINARY[n % len(BINARY)](arrays[i], arrays[j])


def with_scalar(arrays, found, i, j, k, n):
    arrays[k] = BINARY[n % len(BINARY)](arrays[i], SCALARS[(n + j) % len(SCALARS)])


def nested(arrays, found, i, j, k, n):
    arrays[k] = (arrays[i] * 2 + arrays[j]) * arrays[i] - SCALARS[n % len(SCALARS)]


def in_place(arrays, found, i, j, k, n):
    arrays[i] = IN_PLACE[n % len(IN_PLACE)](arrays[i], arrays[j])


def in_place_scalar(arrays, found, i, j, k, n):
    arrays[i] = IN_PLACE[n % len(IN_PLACE)](arrays[i], SCALARS[j % len(SCALARS)])


def unary(arrays, found, i, j, k, n):
    arrays[k] = UNARY[n % len(UNARY)](arrays[i])


def cast(arrays, found, i, j, k, n):
    arrays[k] = arrays[i].astype(DTYPES[n % len(DTYPES)])


def where(arrays, found, i, j, k, n):
    arrays[k] = gpuarray.where(arrays[i] > 1, arrays[j], arrays[k])


def out(arrays, found, i, j, k, n):
    BINARY[6 + n % 2](arrays[i], arrays[j], out=arrays[k])


def view(arrays, found, i, j, k, n):
    arrays[k] = (arrays[i][::-1], arrays[i][...], arrays[i].view(), arrays[i][1:])[n % 4]


def part(arrays, found, i, j, k, n):
    if n % 2:
        arrays[i][1:] = arrays[j][:-1]
    else:
        arrays[i][1:] += arrays[j][1:]


def mask(arrays, found, i, j, k, n):
    arrays[i][arrays[j] > n % 3] = SCALARS[k]


def read(arrays, found, i, j, k, n):
    found.append(arrays[i].sum().item() if n % 2 else bits(arrays[i]))


def roll(arrays, found, i, j, k, n):
    arrays[k] = gpuarray.roll(arrays[i], n % 7 - 3, (0, -1, (0, -1), None)[n % 4])


def around(arrays, found, i, j, k, n):
    a = arrays[i]
    arrays[k] = gpuarray.roll(a, 1, n % a.ndim) + arrays[j] * gpuarray.roll(a, -1 - n // 7, -1)


def beside(arrays, found, i, j, k, n):
    a = arrays[i]
    parts = ([a[1:], a[:1]], [a[1:], a[-1:]], [a[:1], a[:-1]], [a[::-1], a[:0]])[n % 4]
    arrays[k] = gpuarray.concatenate(parts) * arrays[j]


def joined(arrays, found, i, j, k, n):
    a, b = arrays[i], arrays[j]
    parts = [a[:1], b[1:-1], a[-1:]] if n % 2 else [a[n % 5 :], b[: n % 5]]
    arrays[k] = gpuarray.concatenate(parts) * SCALARS[n % len(SCALARS)]


def stacked(arrays, found, i, j, k, n):
    arrays[k] = (gpuarray.stack([arrays[i], arrays[j]]) + SCALARS[n % len(SCALARS)])[n % 2]


def border(arrays, found, i, j, k, n):
    padded = gpuarray.pad(arrays[i], 1, BORDERS[n % 5])
    arrays[k] = (padded + SCALARS[j % len(SCALARS)])[
        (slice(n % 3, n % 3 - 2 or None),) * padded.ndim
    ]


def rows(arrays, found, i, j, k, n):
    total = getattr(arrays[i], REDUCED[n % len(REDUCED)])(axis=-1, keepdims=n % 2 == 0)
    total = total * SCALARS[j % len(SCALARS)] + 1 if n % 3 else total
    arrays[k] = arrays[j] - (total if n % 2 == 0 else total[..., None])


def stencil(arrays, found, i, j, k, n):
    a = arrays[i]
    wide = gpuarray.pad(a, 1, BORDERS[n % 5]) if n % 2 else gpuarray.concatenate([a[:1], a, a[1:2]])
    near = [slice(b, b - 2 or None) if n % 2 else slice(b, b + len(a)) for b in (0, 1, 2)]
    axes = a.ndim if n % 2 else 1
    arrays[k] = wide[(near[0],) * axes] * arrays[j] - wide[(near[2], near[1])[:axes]]
    if n % 3 == 0:
        found.append(bits(wide))


KINDS = [binary] * 4 + [with_scalar] * 3 + [nested] * 2 + [in_place] * 2
KINDS += [in_place_scalar, unary, cast, where, out, view, part, mask, read, roll, around]
KINDS += [beside, border, joined, stacked, stencil, stencil, rows, rows]


def bits(array):
    """Return the bytes, with all NaN as one."""
    array = array.get()
    if array.dtype.kind == "f":
        array[np.isnan(array)] = np.nan
    return array.dtype.char, array.shape, array.tobytes()


def run_block(block, device, mode):
    """Return the bits and errors of each program of the block."""
    random = np.random.default_rng(block)
    shape = SHAPES[block % len(SHAPES)]
    dtypes = random.choice(DTYPES, ARRAYS)
    hosts = [random.integers(0, 5, shape).astype(dtype) for dtype in dtypes]
    hosts[-1] = hosts[-1][..., :1].copy() if block % 2 else hosts[-1]
    numbers = random.integers(0, [len(KINDS), *[ARRAYS] * 3, 60], (PROGRAMS, STATEMENTS, 5))
    results = []
    with fusion(mode.format(block)):
        for program in numbers.tolist():
            arrays = [gpuarray.to_device(host, device=device) for host in hosts]
            found = []
            for kind, i, j, k, n in program:
                try:
                    KINDS[kind](arrays, found, i, j, k, n)
                except Exception as error:
                    found.append(f"{type(error).__name__}: {error}")
            results.append((found, [bits(array) for array in arrays]))
    return results


def run_learned(block, device, mode, passes):
    """Return the same of a block whose programs come several times, one after the other."""
    random = np.random.default_rng(block)
    shape = LARGE_SHAPES[block % len(LARGE_SHAPES)]
    hosts = [random.integers(0, 5, shape).astype(kind) for kind in ("f4", "f8", "f4", "i4", "f4")]
    hosts[-1] = hosts[-1][..., :1].copy() if block % 2 else hosts[-1]
    most = [len(KINDS), *[ARRAYS] * 3, 60]
    results = []
    with fusion(mode):
        for _ in range(LEARNED_PROGRAMS):
            program = random.integers(0, most, (STATEMENTS, 5))
            for _ in range(passes):
                statements = program.copy()
                if random.random() < 0.3:
                    statements[random.integers(STATEMENTS)] = random.integers(0, most)
                arrays = [gpuarray.to_device(host, device=device) for host in hosts]
                found, kept = [], [] if random.random() < 0.2 else None
                for kind, i, j, k, n in statements.tolist():
                    try:
                        KINDS[kind](arrays, found, i, j, k, n)
                    except Exception as error:
                        found.append(f"{type(error).__name__}: {error}")
                    if kept is not None:
                        kept += arrays
                results.append((found, [bits(array) for array in arrays + (kept or [])]))
                del arrays, kept
                _core._finish_compilations()
    return results


def run_programs(block, device, mode, passes):
    return run_learned(block, device, mode, passes) if passes else run_block(block, device, mode)


def run(first, step, device, seconds, passes):
    """Run every `step`-th block from the first on; return how many, or exit at a difference."""
    end, block = time.monotonic() + seconds, first
    while block == first or time.monotonic() < end:
        expected = run_programs(block, device, "off", passes)
        for mode in ["auto"] if passes else MODES:
            got = run_programs(block, device, mode, passes)
            if repr(got) == repr(expected):  # NaN among what was read is equal, too
                continue
            places = [k for k in range(len(got)) if repr(got[k]) != repr(expected[k])]
            k = places[0]
            sys.exit(f"block {block}, {mode}, programs {places[:9]}:\n{expected[k]}\n{got[k]}")
        block += step
    return (block - first) // step


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="block")
    parser.add_argument("--passes", type=int, default=0, help="of each program, in auto mode")
    options = parser.parse_args()
    with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
        jobs = [
            (options.first + k, options.processes, options.device, options.seconds, options.passes)
            for k in range(options.processes)
        ]
        blocks = sum(pool.starmap(run, jobs))
    programs, modes = (LEARNED_PROGRAMS, ["auto"]) if options.passes else (PROGRAMS, MODES)
    print(f"{blocks * programs} programs, each in {modes}: no difference to fusion off")


if __name__ == "__main__":
    main()
