# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Streaming a file through the device: one thing after the other, and with prefetch_to_device.

    python benchmarks/stream_file.py [--device cuda:0] [--gib 4] [--folder .] [--zarr]

Prints the seconds of reading and copying alone, of the work alone, of a plain loop and of a loop
with prefetch_to_device. The floor of the last is the larger of the first two.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import gpuarray

ROWS = 1 << 14  # of a part; 4096 columns of float32 make it 256 MiB
COLUMNS = 4096


def write_npy(path: Path, parts: int) -> Any:
    made = np.lib.format.open_memmap(path, "w+", "f4", (parts * ROWS, COLUMNS))
    part = np.random.default_rng(0).random((ROWS, COLUMNS), "f4")
    for start in range(0, len(made), ROWS):
        made[start : start + ROWS] = part
    made.flush()
    return np.load(path, mmap_mode="r")


def write_zarr(path: Path, source: Any) -> Any:
    import zarr

    made = zarr.create_array(path, shape=source.shape, chunks=(1024, COLUMNS), dtype="f4")
    for start in range(0, len(source), ROWS):
        made[start : start + ROWS] = source[start : start + ROWS]
    return made


def work(part: gpuarray.GPUArray, times: int) -> gpuarray.GPUArray:
    """Return a sum that takes `times` passes over the part, each waited for by the next."""
    for _ in range(times):
        part = part * 0.5 + gpuarray.roll(part, 1, axis=0) * 0.5
    return part.sum()


def seconds(function: Callable[[], Any]) -> float:
    gpuarray.synchronize()
    start = time.perf_counter()
    function()
    gpuarray.synchronize()
    return time.perf_counter() - start


def measure(source: Any, times: int) -> dict[str, float]:
    count = source.shape[0] // ROWS

    def parts() -> Iterator[Any]:
        return (source[part * ROWS : (part + 1) * ROWS] for part in range(count))

    def copied() -> Iterator[gpuarray.GPUArray]:
        return (gpuarray.to_device(part) for part in parts())

    def loop(arrays: Iterable[Any], times: int) -> None:
        # A total that the host looks at ends each round, as in most programs.
        for array in arrays:
            work(array, times).item()

    one = next(copied())
    loop([one], times)  # compiles and allocates
    loop(copied(), 0)  # brings the file to the system's cache
    return {
        "read and copy": seconds(lambda: [a.synchronize() for a in copied()]),
        "work": seconds(lambda: loop([one] * count, times)),
        "plain loop": seconds(lambda: loop(copied(), times)),
        "prefetch_to_device": seconds(lambda: loop(gpuarray.prefetch_to_device(parts()), times)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default=None)
    parser.add_argument("--gib", type=float, default=4)
    parser.add_argument("--folder", default=None, help="where the file is; the temporary folder")
    parser.add_argument("--times", type=int, default=20, help="passes over a part")
    parser.add_argument("--zarr", action="store_true", help="a zarr array instead of .npy")
    options = parser.parse_args()
    parts = max(1, round(options.gib * 4))
    temporary = tempfile.TemporaryDirectory(dir=options.folder)
    with temporary as folder, gpuarray.device(options.device):
        source = write_npy(Path(folder, "source.npy"), parts)
        if options.zarr:
            source = write_zarr(Path(folder, "source.zarr"), source)
        found = measure(source, options.times)
        print(f"{gpuarray.default_device()}, {parts / 4} GiB in {parts} parts")
    for name, time_taken in found.items():
        print(f"  {name:20} {time_taken:8.3f} s  {parts / 4 / time_taken:7.2f} GiB/s")
    floor = max(found["read and copy"], found["work"])
    print(f"  prefetch_to_device takes {found['prefetch_to_device'] / floor:.2f} of its floor")


if __name__ == "__main__":
    main()
