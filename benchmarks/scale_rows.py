# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The rows of scale.py: programs, sizes that grow with the number of workers, and targets."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import scale_programs as programs

Layout = tuple[tuple[int, ...], tuple[int, ...]]  # the shape, and the shape of a chunk

MATMUL, SPILL, ALL_REDUCE, BARE = "matmul", "spill", "all_reduce", "bare loop"
KINDS = ("gpuarray", "torch", "nccl4py")


@dataclass(frozen=True)
class Row:
    """A program, and its arrays for N workers at the given fraction of their full size.

    `targets` are the least efficiencies at four workers, by protocol; `work` is counted in
    elements, or what the power of the first side says. With `is_placed` tasks run where the chunks
    of their indices are, not where Dask chooses.
    """

    name: str
    text: str
    program: Callable[[Any], list[Any]]
    check: Callable[[list[Any], Any], None]
    layout: Callable[[int, float], Layout]
    targets: dict[str, float] = field(default_factory=dict)
    dtype: str = "float32"
    cubic: bool = False
    is_placed: bool = False

    def work(self, workers: int, scale: float) -> float:
        shape, _ = self.layout(workers, scale)
        if self.cubic:
            return float(shape[0]) ** 3
        total = 1.0
        for side in shape:
            total *= side
        return total


def whole(value: float, multiple: int = 1) -> int:
    return max(multiple, round(value / multiple) * multiple)


def line(elements: int) -> Callable[[int, float], Layout]:
    """Four chunks of so many elements for each worker."""

    def layout(workers: int, scale: float) -> Layout:
        chunk = whole(elements * scale, 64)
        return (4 * workers * chunk,), (chunk,)

    return layout


def squares(workers: int, scale: float) -> Layout:
    side = whole(32768 * scale**0.5, 64)
    return (2 * workers * side, side), (side, side)


def tall(workers: int, scale: float) -> Layout:
    rows, columns = whole((1 << 22) * scale, 512), 256 if scale > 1e-3 else 16
    return (4 * workers * rows, columns), (rows, columns)


def cube(workers: int, scale: float) -> Layout:
    block = whole(8192 * scale ** (1 / 3), 16)
    side = block * round(6 * workers ** (1 / 3))
    return (side, side), (block, block)


def square(workers: int, scale: float) -> Layout:
    block = whole(16384 * scale**0.5, 16)
    side = block * round(3 * workers**0.5)
    return (side, side), (block, block)


def rows_of(workers: int, scale: float) -> Layout:
    side = whole(32768 * scale**0.5, 64)
    return (workers * side, side), (side // 4, side)


BOTH = ("tcp", "ucx")
ROWS = [
    Row(
        "sums",
        "64 x ((x*2 + k)**2).sum() of each chunk, 16 GiB in 4 GiB chunks",
        programs.sums,
        programs.check_sums,
        line(1 << 30),
        dict.fromkeys(BOTH, 0.97),
    ),
    Row(
        "hillshade",
        "hillshade, map_overlap of depth 3, 2 x 32768^2",
        programs.hillshade,
        programs.check_hillshade,
        squares,
        {"tcp": 0.85, "ucx": 0.95},
        is_placed=True,
    ),
    Row(
        "stencil",
        "stencil, 16 steps a halo, 2 x 32768^2",
        programs.stencil,
        programs.check_stencil,
        squares,
        dict.fromkeys(BOTH, 0.95),
        is_placed=True,
    ),
    Row(
        "tsqr",
        "singular values and right vectors by tsqr, 16M x 256",
        programs.tsqr,
        programs.check_tsqr,
        tall,
        dict.fromkeys(BOTH, 0.95),
    ),
    Row(
        "percentile",
        "percentile and histogram, 2^31",
        programs.percentile_and_histogram,
        programs.check_percentile,
        line(1 << 29),
        dict.fromkeys(BOTH, 0.95),
    ),
    Row(
        "transpose",
        "(x + x.T).sum(), 9 GiB",
        programs.transpose_sum,
        programs.check_transpose,
        square,
        {"ucx": 0.60},
    ),
    Row(
        "fft",
        "FFT pencil: fft, rechunk, fft, 8 GiB of complex64",
        programs.pencil,
        programs.check_pencil,
        rows_of,
        {"ucx": 0.50},
        "complex64",
    ),
    Row(
        MATMUL,
        "x @ x, n = 49152 N^(1/3), blocks of 8192",
        programs.matmul,
        programs.check_matmul,
        cube,
        {"ucx": 0.90},
        cubic=True,
        is_placed=True,
    ),
]
BY_NAME = {row.name: row for row in ROWS}
# What is measured otherwise than by efficiency.
OTHERS = [SPILL, ALL_REDUCE, BARE]
NAMES = [*BY_NAME, *OTHERS]
BARE_PROGRAMS = ("sums", "stencil")
TARGET_BARE, TARGET_SPILL = 1.05, 2.0
TARGET_LARGE_REDUCE, TARGET_SMALL_REDUCE = 0.98, 1.1
