# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A program as one writes it for CuPy: k-means clusters, of which only the import is changed."""

import numpy as np
import pytest

import gpuarray as cp


@cp.fuse(kernel_name="squared_distance")
def squared_distance(x, y):
    return (x - y) * (x - y)


nearer = cp.ElementwiseKernel(
    "T distance, T limit", "T weight", "weight = distance < limit ? 1 : 0", "nearer"
)
sum_of_squares = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "sum_of_squares")


@cp.memoize(for_each_device=True)
def chunk_length():
    free, _ = cp.cuda.Device().mem_info
    return max(1, min(256, free // 1024))


def load(count, seed):
    """Read points into page-locked memory and copy them on a stream of its own."""
    memory = cp.cuda.alloc_pinned_memory(count * 2 * np.dtype(np.float64).itemsize)
    host = np.frombuffer(memory, np.float64, count * 2).reshape(count, 2)
    rng = np.random.default_rng(seed)
    host[...] = rng.normal(0, 0.1, (count, 2)) + rng.integers(0, 3, (count, 1)) * 4
    points = cp.empty((count, 2))
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        points.set(host)
        copied = stream.record()
    cp.cuda.get_current_stream().wait_event(copied)
    stream.synchronize()
    return points


def assign(points, centers):
    """Return the nearest center of each point."""
    xp = cp.get_array_module(points)
    labels = xp.empty(len(points), dtype=np.int64)
    step = chunk_length()
    for begin in range(0, len(points), step):
        part = points[begin : begin + step]
        distances = squared_distance(part[:, None, :], centers[None, :, :]).sum(axis=2)
        labels[begin : begin + step] = distances.argmin(axis=1)
    return labels


def cluster(points, k, rounds=10):
    centers = points[:: len(points) // k][:k].copy()
    centers += cp.arange(k)[:, None] * 1e-3
    for _ in range(rounds):
        labels = assign(points, centers)
        for i in range(k):
            if bool((labels == i).any()):
                centers[i] = points[labels == i].mean(axis=0)
    return centers, labels


def main():
    pool = cp.cuda.MemoryPool()
    start, end = cp.cuda.Event(), cp.cuda.Event()
    with cp.cuda.Device(0), cp.cuda.using_allocator(pool.malloc):
        start.record()
        points = load(600, 7)
        centers, labels = cluster(points, 3)
        spread = sum_of_squares(points - centers[labels])
        inside = nearer(squared_distance(points, centers[labels]).sum(axis=1), 1.0).sum()
        end.record()
        end.synchronize()
        milliseconds = cp.cuda.get_elapsed_time(start, end)
        used = pool.used_bytes()
    cp.cuda.Stream.null.synchronize()
    results = [cp.asnumpy(each) for each in (points, centers, labels, spread, inside)]
    del points, centers, labels, spread, inside
    pool.free_all_blocks()
    return results, milliseconds, used, pool.total_bytes()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_script(device):
    (points, centers, labels, spread, inside), milliseconds, used, left = main()
    nearest = ((points[:, None] - centers) ** 2).sum(2).argmin(1)
    np.testing.assert_array_equal(labels, nearest)
    np.testing.assert_allclose(spread, ((points - centers[labels]) ** 2).sum())
    assert inside == (((points - centers[labels]) ** 2).sum(1) < 1).sum()
    assert milliseconds >= 0
    assert used >= points.nbytes
    assert left == 0
