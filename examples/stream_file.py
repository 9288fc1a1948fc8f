# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A file larger than the device's memory, read and copied while the device works on what it has.

    python examples/stream_file.py [table.npy] [--device cuda:0] [--rows 65536]

Writes the columns of a table, each with mean 0 and deviation 1, into a second file. Without a
table it makes one of 256 MiB.
"""

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import gpuarray

Host = np.ndarray[Any, Any]


def parts(table: Host, rows: int) -> Iterator[Host]:
    return (table[start : start + rows] for start in range(0, len(table), rows))


def moments(table: Host, rows: int) -> tuple[gpuarray.GPUArray, gpuarray.GPUArray]:
    """Return the mean and the deviation of each column, in float64."""
    total = gpuarray.zeros(table.shape[1])
    squares = gpuarray.zeros(table.shape[1])
    for part in gpuarray.prefetch_to_device(parts(table, rows)):
        wide = part.astype("float64")
        total += wide.sum(axis=0)
        squares += (wide * wide).sum(axis=0)
    mean = total / len(table)
    return mean, gpuarray.sqrt(squares / len(table) - mean * mean)


def standardize(source: Path, target: Path, rows: int) -> None:
    table = np.load(source, mmap_mode="r")
    mean, deviation = (a.astype(table.dtype) for a in moments(table, rows))
    written = np.lib.format.open_memmap(target, "w+", table.dtype, table.shape)
    start = 0
    for part in gpuarray.prefetch_to_device(parts(table, rows)):
        stop = start + len(part)
        ((part - mean) / deviation).get(out=written[start:stop])
        start = stop
    written.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", nargs="?", type=Path)
    parser.add_argument("--device", default=None)
    parser.add_argument("--rows", type=int, default=65536, help="of a part")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, gpuarray.device(options.device):
        source = options.table
        if source is None:
            source = Path(folder, "table.npy")
            np.save(source, np.random.default_rng(0).normal(5, 3, (1 << 20, 64)).astype("f4"))
        target = Path(folder, "standardized.npy")
        standardize(source, target, options.rows)
        result = np.load(target, mmap_mode="r")
        means = np.abs(result.mean(axis=0, dtype="f8")).max()
        deviations = np.abs(result.std(axis=0, dtype="f8") - 1).max()
        right = means < 1e-3 and deviations < 1e-3
        print(f"{gpuarray.default_device()}: {result.shape}, {'right' if right else 'WRONG'}")


if __name__ == "__main__":
    main()
