# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The programs of scale.py: each written once against dask.array, and the chunks they work on."""

import importlib
import math

import dask
import dask.array as da
import numpy as np

STEPS = 16
PASSES = 64  # of a chunk of 4 GiB: about 100 ms, below which Dask's scheduler shows


def random_chunks(shape, chunks, backend, dtype="float32", seed=0):
    """Return random numbers in [0, 1), drawn on the device of the backend, as a lazy array."""
    with dask.config.set({"array.backend": backend}):
        drawn = da.random.default_rng(seed).random(shape, dtype=np.float32, chunks=chunks)
        if np.dtype(dtype).kind == "c":
            other = da.random.default_rng(seed + 1).random(shape, dtype=np.float32, chunks=chunks)
            drawn = (drawn + other * np.complex64(1j)).astype(dtype)
    return drawn


def host(value):
    """Return the value in the host's memory as an ndarray."""
    return np.asarray(value.get() if hasattr(value, "get") else value)


def expect(name, found, expected, tolerance):
    """Raise ValueError unless the values are close to those expected."""
    found, expected = np.float64(found), np.float64(expected)
    if not np.allclose(found, expected, rtol=tolerance, atol=0):
        raise ValueError(f"{name}: got {found}, expected {expected} within {tolerance:g}")


def passes(chunk):
    """Return the sum of ((x*2 + k)**2).sum() over PASSES values of k, of shape (1,)."""
    parts = [((chunk * 2 + k) ** 2).sum() for k in range(PASSES)]
    return sum(parts[1:], start=parts[0]).reshape(1)


def sums(x):
    chunks = ((1,) * x.numblocks[0],)
    return [x.map_blocks(passes, chunks=chunks, dtype=x.dtype, meta=x._meta).sum()]


def check_sums(results, x):
    # The mean of (2 x + k)^2 over x uniform in [0, 1).
    expected = sum(4 / 3 + 2 * k + k * k for k in range(PASSES))
    expect("sums", host(results[0]) / x.size, expected, 1e-2)


def shade(dem):
    """Return the hillshade of elevations, without a border of 3."""
    eighth = np.float32(0.125)
    dx = (sobel(dem[:, 2:]) - sobel(dem[:, :-2])) * eighth
    dy = (sobel(dem[2:].T) - sobel(dem[:-2].T)).T * eighth
    slope = np.arctan(np.sqrt(dx * dx + dy * dy))
    aspect = np.arctan2(dy, -dx)
    del dx, dy  # each is as large as a chunk
    sun, altitude = np.float32(math.radians(315)), np.float32(math.radians(45))
    lit = np.cos(sun - aspect)
    lit = np.cos(altitude) * np.sin(slope) * lit + np.sin(altitude) * np.cos(slope)
    return lit[2:-2, 2:-2]


def sobel(columns):
    """Return the rows' neighbours with the weights 1, 2, 1."""
    return columns[:-2] + 2 * columns[1:-1] + columns[2:]


def hillshade(x):
    return [overlapped(x, shade, 3)]


def overlapped(x, function, depth):
    """Return the function of every chunk with a halo of `depth`, which the function takes off.

    Chunks have whole rows, so that the halo of the columns is the chunk's own.
    """

    def of_chunk(u):
        return function(np.concatenate([u[:, -depth:], u, u[:, :depth]], axis=1))

    return x.map_overlap(
        of_chunk,
        depth={0: depth, 1: 0},
        boundary={0: "periodic", 1: "none"},
        trim=False,
        chunks=x.chunks,
        dtype=x.dtype,
        meta=x._meta,
    )


def check_hillshade(results, x):
    total = host(results[0].sum().compute())
    # The mean over uniform noise is that of cos(slope) alone: all directions are alike.
    if not 0.5 < total / x.size < 0.7:
        raise ValueError(f"hillshade: the mean is {total / x.size}, expected 0.5 to 0.7")


def steps(u):
    """Return the chunk after STEPS steps of diffusion, each of which takes off a border of 1."""
    quarter = np.float32(0.25)
    for _ in range(STEPS):
        u = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) * quarter
    return u


def stencil(x):
    return [overlapped(x, steps, STEPS)]


def check_stencil(results, x):
    expect("stencil", *(host(v) for v in dask.compute(results[0].sum(), x.sum())), 1e-3)


def tsqr(x):
    _, s, vh = da.linalg.svd(x)
    return [s, vh]


def check_tsqr(results, x):
    s = host(results[0].compute()).astype(np.float64)
    expect("tsqr", (s * s).sum(), host((x * x).sum().compute()), 1e-2)


def percentile_and_histogram(x):
    counts, _ = da.histogram(x, bins=1000, range=(0.0, 1.0))
    return [da.percentile(x, [25, 50, 75]), counts]


def check_percentile(results, x):
    quartiles, counts = (host(value.compute()) for value in results)
    # Dask joins the chunks' quartiles, which scatter in small chunks.
    tolerance = max(1e-2, 10 / x.chunks[0][0] ** 0.5)
    expect("percentile", quartiles, [0.25, 0.5, 0.75], tolerance)
    expect("histogram", counts.sum(), x.size, 1e-6)


def matmul(x):
    return [x @ x]


def check_matmul(results, x):
    # Every element is a sum of n products, whose mean is 1/4.
    expect("matmul", host(results[0].sum().compute()) / x.shape[0] ** 3, 0.25, 1e-2)


def transpose_sum(x):
    return [(x + x.T).sum()]


def check_transpose(results, x):
    expect("x + x.T", host(results[0]) / x.size, 1.0, 1e-2)


def pencil(x):
    half = da.fft.fft(x, axis=1)
    columns = (x.shape[0], -(-x.shape[1] // x.numblocks[0]))
    return [da.fft.fft(half.rechunk(columns, method="tasks"), axis=0)]


def squares(x):
    return (x.real**2 + x.imag**2).sum()


def check_pencil(results, x):
    after, before = (host(v) for v in dask.compute(squares(results[0]), squares(x)))
    expect("fft", after / x.size, before, 1e-2)


def total(x):
    return [x.sum()]


def check_total(results, x):
    expect("sum", host(results[0]) / x.size, 0.5, 1e-2)


def bare(program, backend, shape, rows):
    """Return the seconds of `sums` or `stencil` by a plain loop over chunks, and of a repeat."""
    import time

    xp = importlib.import_module(backend)
    rng = xp.random.default_rng(0)
    chunks = [rng.random((rows, *shape[1:]), dtype=np.float32) for _ in range(shape[0] // rows)]
    taken = []
    for _ in range(4):
        synchronise(backend)
        start = time.perf_counter()
        results = bare_sums(chunks) if program == "sums" else bare_stencil(chunks, xp)
        synchronise(backend)
        taken.append(time.perf_counter() - start)
        del results
    return taken[1:]


def bare_sums(chunks):
    parts = [passes(chunk) for chunk in chunks]
    return sum(parts[1:], start=parts[0])


def bare_stencil(chunks, xp):
    results = []
    for i, chunk in enumerate(chunks):
        after = chunks[(i + 1) % len(chunks)]
        u = xp.concatenate([chunks[i - 1][-STEPS:], chunk, after[:STEPS]])
        results.append(steps(xp.concatenate([u[:, -STEPS:], u, u[:, :STEPS]], axis=1)))
    return results


def synchronise(backend):
    """Wait for the work of this process's device."""
    if backend == "cupy":
        import cupy

        cupy.cuda.Device().synchronize()
    elif backend == "gpuarray":
        import gpuarray

        gpuarray.synchronize()


def release(backend):
    """Free the memory that the library keeps, for the other library and for the next row."""
    import gc

    gc.collect()
    synchronise(backend)
    if backend == "cupy":
        import cupy

        cupy.get_default_memory_pool().free_all_blocks()
        cupy.fft.config.get_plan_cache().clear()
    elif backend == "gpuarray":
        import gpuarray

        gpuarray.memory.release_cached()
