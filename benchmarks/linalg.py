# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Times linear algebra beside CuPy and PyTorch in one run: milliseconds, and ratios to each.

    python benchmarks/linalg.py [--rows TEXT] [--peers cupy torch] [--seconds 20]

A row is the median of calls on inputs that are the same for all; "bytes" is the time of reading the
inputs and writing the results once, at the speed of a large copy. The GPU is waited for around each
call. A library that takes longer than --seconds for a row, raises, or lacks it, has a dash.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

COPY_BYTES = 1 << 30
ROWS: list["Row"] = []


class Row(NamedTuple):
    """A call, by the name of the function in each library, and its inputs on the host."""

    name: str
    call: Callable[[Any, list[Any]], Any]
    inputs: Callable[[], list[np.ndarray]]
    # What is read and written, as a multiple of the bytes of the inputs.
    moved: float | None = None
    only_host: bool = False  # the time until the call returns


def random(*shape: int, dtype: Any = "float32") -> np.ndarray:
    generator = np.random.default_rng(0)
    if np.dtype(dtype) == np.float32:
        return generator.standard_normal(shape, np.float32)
    return generator.standard_normal(shape).astype(dtype)


def regular(count: int, n: int, dtype: Any = "float32") -> np.ndarray:
    """Return definite matrices, so that every factorization exists."""
    made = random(count, n, n, dtype=dtype)
    made += made.swapaxes(1, 2).copy()
    made += np.eye(n, dtype=dtype) * (4 * n + 16)
    return made


def function(name: str, *arguments: Any, **options: Any) -> Callable[[Any, list[Any]], Any]:
    return lambda linalg, inputs: getattr(linalg, name)(*inputs, *arguments, **options)


def add(name: str, call: Any, inputs: Any, moved: float | None = None, **more: Any) -> None:
    ROWS.append(Row(name, call, inputs, moved, **more))


def add_batch(count: int, n: int) -> None:
    shape = f"({count},{n},{n}) f32"
    square = lambda: [regular(count, n)]  # noqa: E731
    right = lambda: [regular(count, n), random(count, n, 1)]  # noqa: E731
    add(f"inv {shape}", function("inv"), square, 2)
    add(f"solve {shape}", function("solve"), right, 1 + 1 / (n + 1))
    add(f"det {shape}", function("det"), square, 1 + 1 / n**2)
    add(f"cholesky {shape}", function("cholesky"), square, 2)
    add(f"eigh {shape}", function("eigh"), square, 2 + 1 / n)
    add(f"qr {shape}", function("qr"), square, 3)
    add(f"svd {shape}", function("svd"), square, 3 + 1 / n)


def add_rows() -> None:
    add("norm 2^28 f32", function("norm"), lambda: [random(1 << 28)], 1)
    add("norm axis=1 16384^2", axis_norm(1), lambda: [random(1 << 14, 1 << 14)], 1)
    add("norm axis=-1 (2^24,3)", axis_norm(-1), lambda: [random(1 << 24, 3)], 4 / 3)
    add("host time of solve 64", function("solve"), lambda: small_system(), only_host=True)
    for count, n in (
        *((1 << 20, 2), (1 << 20, 3), (1 << 18, 4), (1 << 16, 8)),
        *((1 << 14, 16), (1 << 13, 32), (1 << 11, 64)),
    ):
        add_batch(count, n)
    add("eigh (500,100,100)", function("eigh"), lambda: [regular(500, 100)])
    add("svd (2^17,3,3)", function("svd"), lambda: [random(1 << 17, 3, 3)])
    add("svd (1000,60,3) reduced", reduced, lambda: [random(1000, 60, 3)])
    add("qr (8192,16,16)", function("qr"), lambda: [random(8192, 16, 16)])
    add("eig (512,3,3) f64", function("eig"), lambda: [random(512, 3, 3, dtype="float64")])
    add("lstsq (2^20,32)", function("lstsq"), lambda: [random(1 << 20, 32), random(1 << 20, 1)])
    for name in ("solve", "inv", "cholesky", "eigh", "svd", "qr", "eig"):
        add(f"{name} 2048", function(name), lambda name=name: large(2048, name == "solve"))
    for name in ("solve", "inv", "cholesky"):
        add(f"{name} 8192", function(name), lambda name=name: large(8192, name == "solve"))


def axis_norm(axis: int) -> Callable[[Any, list[Any]], Any]:
    def call(linalg: Any, inputs: list[Any]) -> Any:
        if linalg.__name__.startswith("torch"):
            return linalg.vector_norm(*inputs, dim=axis)
        return linalg.norm(*inputs, axis=axis)

    return call


def reduced(linalg: Any, inputs: list[Any]) -> Any:
    return linalg.svd(*inputs, full_matrices=False)


def small_system() -> list[np.ndarray]:
    return [regular(1, 64)[0], random(64, 1)]


def large(n: int, right: bool) -> list[np.ndarray]:
    return [regular(1, n)[0], *([random(n, n)] if right else [])]


class Library(NamedTuple):
    """What a row needs of a library."""

    linalg: Any
    to_device: Callable[[np.ndarray], Any]
    wait: Callable[[], Any]
    free: Callable[[], Any]


def gpuarray_library() -> Library:
    import gpuarray

    device = gpuarray.device("cuda:0")
    return Library(
        gpuarray.linalg,
        lambda x: gpuarray.to_device(x, device=device),
        lambda: gpuarray.synchronize(device),
        lambda: None,
    )


def cupy_library() -> Library:
    import cupy

    free = cupy.get_default_memory_pool().free_all_blocks
    return Library(cupy.linalg, cupy.asarray, cupy.cuda.Device().synchronize, free)


def torch_library() -> Library:
    import torch

    return Library(
        torch.linalg,
        lambda x: torch.from_numpy(x).cuda(),
        torch.cuda.synchronize,
        torch.cuda.empty_cache,
    )


LIBRARIES = {"gpuarray": gpuarray_library, "cupy": cupy_library, "torch": torch_library}


def measured(library: Library, row: Row, inputs: list[Any], seconds: float) -> float | None:
    """Return milliseconds of a call; None if it takes too long or cannot be done."""
    times: list[float] = []
    begin = time.perf_counter()
    try:
        while len(times) < 3 or (len(times) < 30 and time.perf_counter() - begin < 1):
            library.wait()
            start = time.perf_counter()
            kept = row.call(library.linalg, inputs)
            if row.only_host:
                times.append(time.perf_counter() - start)
            library.wait()
            if not row.only_host:
                times.append(time.perf_counter() - start)
            del kept
            if time.perf_counter() - begin > seconds:
                break
    except Exception as error:
        print(f"  {type(error).__name__}: {str(error)[:120]}")
        return None
    # The first call compiles and loads.
    return 1e3 * statistics.median(times[1:] or times)


def copy_speed(library: Library) -> float:
    """Return the bytes that a large copy moves in a millisecond."""
    a = library.to_device(np.zeros(COPY_BYTES, np.uint8))
    times = []
    for _ in range(5):
        library.wait()
        start = time.perf_counter()
        a.copy()
        library.wait()
        times.append(time.perf_counter() - start)
    return 2 * COPY_BYTES / (1e3 * min(times))


def text(value: float | None, width: int = 10) -> str:
    return f"{'-' if value is None else f'{value:.4g}':>{width}}"


def lines(rows: list[Row], names: list[str], seconds: float) -> Iterator[str]:
    libraries = {name: LIBRARIES[name]() for name in names}
    speed = copy_speed(libraries["gpuarray"])
    peers = names[1:]
    yield (
        f"{'row':28}{'gpuarray':>10}"
        + "".join(f"{p:>10}{f'/ {p}':>10}" for p in peers)
        + (f"{'/ bytes':>10}")
    )
    for row in rows:
        host = row.inputs()
        times = {}
        for name, library in libraries.items():
            inputs = [library.to_device(x) for x in host]
            times[name] = measured(library, row, inputs, seconds)
            del inputs
            library.free()
        own = times["gpuarray"]
        floor = row.moved and sum(x.nbytes for x in host) * row.moved / speed
        line = f"{row.name:28}{text(own)}"
        for peer in peers:
            other = times[peer]
            line += text(other) + text(own / other if own and other else None)
        yield line + text(own / floor if own and floor else None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="", help="only rows whose names contain this text")
    parser.add_argument("--peers", nargs="*", default=["cupy", "torch"])
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    add_rows()
    rows = [row for row in ROWS if options.rows in row.name]
    for line in lines(rows, ["gpuarray", *options.peers], options.seconds):
        print(line, flush=True)


if __name__ == "__main__":
    main()
