# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Measures Fourier transforms beside CuPy's and PyTorch's, in one run on one GPU.

    python benchmarks/fft.py [part of a row's name ...]

Each library runs by itself, row by row, on the same elements; a number is the median of batches of
calls, each batch with one wait. The last column divides ours by the best of the others.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

CALLS, BATCHES, WARM = 10, 15, 4

Call = Callable[[], Any]


class Row(NamedTuple):
    name: str
    shape: tuple[int, ...]
    dtype: str
    call: Callable[[Any, Any], Any]  # (the library's fft module, the array)


def shifted(fft: Any, x: Any) -> Any:
    return fft.fftshift(fft.fft2(fft.ifftshift(x)))


CUBE = 384, 384, 384
IMAGES = 64, 1024, 1024
LINE = (1 << 26,)
ROWS = [
    Row("fft 1024", (1024,), "complex64", lambda fft, x: fft.fft(x)),
    Row("ifft 1024", (1024,), "complex64", lambda fft, x: fft.ifft(x)),
    Row("fft 2^26", LINE, "complex64", lambda fft, x: fft.fft(x)),
    Row("ifft 2^26", LINE, "complex64", lambda fft, x: fft.ifft(x)),
    Row("fft (2^20,64) last", (1 << 20, 64), "complex64", lambda fft, x: fft.fft(x)),
    Row("fft (2^20,64) first", (1 << 20, 64), "complex64", lambda fft, x: fft.fft(x, None, 0)),
    Row("fft2 (64,1024,1024)", IMAGES, "complex64", lambda fft, x: fft.fft2(x)),
    Row("ifft2 (64,1024,1024)", IMAGES, "complex64", lambda fft, x: fft.ifft2(x)),
    Row("shift fft2 shift (64,1024,1024)", IMAGES, "complex64", shifted),
    Row("fftshift (64,1024,1024)", IMAGES, "complex64", lambda fft, x: fft.fftshift(x)),
    Row("copy (64,1024,1024)", IMAGES, "complex64", lambda fft, x: x + 0),
    Row("fft 384^3 axis 0", CUBE, "complex64", lambda fft, x: fft.fft(x, None, 0)),
    Row("fft 384^3 axis 1", CUBE, "complex64", lambda fft, x: fft.fft(x, None, 1)),
    Row("fft 384^3 axis 2", CUBE, "complex64", lambda fft, x: fft.fft(x, None, 2)),
    Row("fftn 384^3", CUBE, "complex64", lambda fft, x: fft.fftn(x)),
    Row("fftn 384^3 axes (0,2)", CUBE, "complex64", lambda fft, x: fft.fftn(x, None, (0, 2))),
    Row("fftn 64^4", (64,) * 4, "complex64", lambda fft, x: fft.fftn(x)),
    Row("rfft 2^27", (1 << 27,), "float32", lambda fft, x: fft.rfft(x)),
    Row("irfft 2^27", ((1 << 26) + 1,), "complex64", lambda fft, x: fft.irfft(x)),
    Row("fft of float32 2^26", LINE, "float32", lambda fft, x: fft.fft(x)),
    Row("fft padded (2^16,600 of 1024)", (1 << 16, 600), "complex64", lambda f, x: f.fft(x, 1024)),
    Row("fft (16384,1009) prime", (16384, 1009), "complex64", lambda fft, x: fft.fft(x)),
]

# Rows whose ratio to another row of ours has a target.
RATIOS = [
    ("ifft 2^26", "fft 2^26", 1.05),
    ("ifft2 (64,1024,1024)", "fft2 (64,1024,1024)", 1.05),
    ("fft 384^3 axis 0", "fft 384^3 axis 2", 1.3),
    ("fft 384^3 axis 1", "fft 384^3 axis 2", 1.3),
    ("fft (2^20,64) first", "fft (2^20,64) last", 1.3),
    ("fftshift (64,1024,1024)", "copy (64,1024,1024)", 1.1),
]


class Library(NamedTuple):
    fft: Any
    copy_in: Callable[[Any], Any]
    copy_out: Callable[[Any], Any]
    wait: Call
    drop: Call  # gives cached memory back


def gpuarrays() -> Library:
    import gpuarray

    device = "cuda:0"
    gpuarray.fusion("off")  # else a copy that no one reads is not made
    return Library(
        gpuarray.fft,
        lambda x: gpuarray.to_device(x, device=device),
        lambda a: a.get(),
        lambda: gpuarray.synchronize(device),
        lambda: None,
    )


def cupys() -> Library:
    import cupy

    pool = cupy.get_default_memory_pool()
    wait = cupy.cuda.Device().synchronize
    return Library(cupy.fft, cupy.asarray, cupy.asnumpy, wait, pool.free_all_blocks)


def torchs() -> Library:
    import torch

    return Library(
        torch.fft,
        lambda x: torch.from_numpy(x).cuda(),
        lambda a: a.cpu().numpy(),
        torch.cuda.synchronize,
        torch.cuda.empty_cache,
    )


LIBRARIES = {"gpuarray": gpuarrays, "CuPy": cupys, "torch": torchs}


def sample(row: Row) -> Any:
    values = np.random.default_rng(0).standard_normal(row.shape, np.float32)
    return values.astype(row.dtype)


def measure(call: Call, wait: Call) -> float:
    """Return the median milliseconds of a call."""
    times = []
    for batch in range(-WARM, BATCHES):
        wait()
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        wait()
        if batch >= 0:
            times.append((time.perf_counter() - start) / CALLS * 1e3)
    return statistics.median(times)


def run_row(library: Library, row: Row, reference: list[Any]) -> float:
    """Return the milliseconds of a row, after a check against the first library's result."""
    x = library.copy_in(sample(row))
    result = library.copy_out(row.call(library.fft, x)).ravel()[:: 1 + x.shape[0] // 7]
    if not reference:
        reference.append(result)
    bound = 1e-4 * np.abs(reference[0]).max()
    if not np.abs(result - reference[0]).max() <= bound:
        raise ValueError("the result is another one")
    return measure(lambda: row.call(library.fft, x), library.wait)


def first_call(library: Library) -> float:
    """Return the milliseconds of the process's first transform of this library."""
    x = library.copy_in(np.ones(1000, np.complex64))
    library.wait()
    start = time.perf_counter()
    library.fft.fft(x)
    library.wait()
    return (time.perf_counter() - start) * 1e3


def host_time(library: Library) -> float:
    """Return the microseconds that a call of fft of 1024 elements takes before it returns."""
    x = library.copy_in(np.ones(1024, np.complex64))
    for _ in range(100):
        library.fft.fft(x)
    library.wait()
    times = []
    for _ in range(50):
        start = time.perf_counter()
        for _ in range(20):
            library.fft.fft(x)
        times.append((time.perf_counter() - start) / 20 * 1e6)
        library.wait()
    return statistics.median(times)


def opened() -> dict[str, Library]:
    found = {}
    for name, open_library in LIBRARIES.items():
        try:
            found[name] = open_library()
        except Exception as error:
            print(f"left out: {name}: {type(error).__name__}: {str(error).splitlines()[:1]}")
    return found


def line(name: str, times: dict[str, float], libraries: dict[str, Library]) -> str:
    cells = [f"{times[key]:>10.4f}" if key in times else f"{'-':>10}" for key in libraries]
    others = [spent for key, spent in times.items() if key != "gpuarray"]
    ratio = f"{times['gpuarray'] / min(others):>10.2f}" if others and "gpuarray" in times else ""
    return f"{name:<36}{''.join(cells)}{ratio}"


def kept_memory() -> int:
    """Return the bytes that a hundred shapes leave in use."""
    import gpuarray

    gpuarray.fft.clear_plan_cache("cuda:0")
    before = gpuarray.memory_info("cuda:0")
    for n in range(1000, 1100):
        gpuarray.fft.fft(gpuarray.ones((64, n), "complex64", device="cuda:0"))
    gpuarray.synchronize("cuda:0")
    return int(gpuarray.memory_info("cuda:0").used - before.used)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", help="parts of names of rows")
    wanted = parser.parse_args().rows
    import gpuarray

    if not any(str(device) == "cuda:0" for device in gpuarray.devices()):
        print("fft: there is no CUDA device")
        return 0
    libraries = opened()
    print(f"{'ms':<36}{''.join(f'{name:>10}' for name in libraries)}{'x best':>10}")
    if not wanted:
        first = {name: first_call(library) for name, library in libraries.items()}
        print(line("first call", first, libraries))
        host = {name: host_time(library) / 1e3 for name, library in libraries.items()}
        print(line("fft 1024, until it returns", host, libraries))
    ours = {}
    for row in ROWS:
        if wanted and not any(part in row.name for part in wanted):
            continue
        times: dict[str, float] = {}
        reference: list[Any] = []
        for name, library in libraries.items():
            try:
                times[name] = run_row(library, row, reference)
            except Exception as error:
                print(f"left out: {row.name}, {name}: {type(error).__name__}: {error}")
            library.drop()
        ours[row.name] = times.get("gpuarray", float("nan"))
        print(line(row.name, times, libraries), flush=True)
    for name, of, target in RATIOS:
        if name in ours and of in ours:
            print(f"{name} / {of}: {ours[name] / ours[of]:.2f}, target {target}")
    if not wanted:
        print(f"bytes in use after 100 shapes: {kept_memory()}, target 0")
    return 0


if __name__ == "__main__":
    sys.exit(main())
