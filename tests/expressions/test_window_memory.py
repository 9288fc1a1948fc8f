# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The memory of operations that wait: what is kept, how much, and who takes it next."""

import contextlib
import gc

import numpy as np
import pytest
from _support.compare import assert_same
from _support.measure import Counted, nothing_leaks
from _support.window_programs import fusion

import gpuarray
from gpuarray import _core, memory


def test_little_memory_is_kept_for_what_waits(device):
    total = gpuarray.zeros(16 << 20, "u1")
    with gpuarray.fusion("always"), Counted() as counted:
        for _ in range(12):
            total = total + gpuarray.empty(16 << 20, "u1")
    assert counted.stats[0] >= 2  # windows, each of which keeps about 64 MiB at its end


def test_as_much_memory_is_kept_as_single_operations_need(device):
    parts = [gpuarray.ones(4 << 20, "f4") for _ in range(12)]  # of 16 MiB
    total = gpuarray.zeros(4 << 20, "f4")
    gpuarray.synchronize()
    with gpuarray.fusion("always"), Counted() as counted:
        while parts:
            total = total + parts.pop()
        assert total[5].item() == 12
    assert counted.stats[0] == 1


def test_a_loop_on_large_arrays_takes_no_more_memory(device):
    def loop():
        x, y = gpuarray.full(48 << 20, 5, "u1"), gpuarray.full(48 << 20, 3, "u1")
        gpuarray.synchronize()
        with gpuarray.memory_profile(device) as profile:
            for _ in range(20):  # operations that are few enough for one window
                both = x & y
                x = x + both
                y = y ^ both
            del both
            gpuarray.synchronize()
        return profile.peak_bytes, x[:9].get().tolist(), y[:9].get().tolist()

    with gpuarray.fusion("off"):
        peak, *expected = loop()
    with gpuarray.fusion("always"), Counted() as counted:
        most, *got = loop()
    assert got == expected
    assert counted.stats == (2, 62, 0, 58)  # of these one to fill, and one for the whole loop
    assert most <= peak + (64 << 20)


def test_memory_of_dead_arrays_goes_to_results(device):
    x, y = gpuarray.full(1 << 20, 5, "f4"), gpuarray.full(1 << 20, 3, "f4")
    before = x * 1
    with gpuarray.fusion("always"):
        x = x + before[::-1]  # as 'before' is read in another order, nothing is written to it
        y = y * before
        del before
        x, y = y - x, x + y
        part = y[1:] * x[:-1]
        x = y * 2
        y = x - y
        z = y / x
        del y
        again = [x * k + z for k in range(40)]  # cut where these are alive
    assert part[9].item() == 125
    assert [z[k].item() for k in (0, -1)] == [0.5, 0.5]
    assert [again[k][7].item() for k in (0, 1, 39)] == [0.5, 50.5, 39 * 50 + 0.5]


def test_memory_of_temporaries_goes_to_the_next_results(device):
    a, b = (np.random.default_rng(k).random((300, 41), "f4") for k in range(2))
    x, y = gpuarray.to_device(a), gpuarray.to_device(b)
    with gpuarray.fusion("always"):
        t = x + 1
        t += y
        u = t * 2
        del t  # made twice, before the window runs
        v = y - x  # where it was
        masks = [(x > k).astype("u1") + (y < k) for k in range(3)]  # of another size
        v -= u
        with gpuarray.Stream():
            w = v * 3 + 1
        del v
        z = x * 5 - w
    assert_same(u, (a + 1 + b) * 2)
    assert_same(w, (b - a - (a + 1 + b) * 2) * 3 + 1)
    assert_same(z, a * 5 - ((b - a - (a + 1 + b) * 2) * 3 + 1))
    for k, mask in enumerate(masks):
        assert_same(mask, (a > k).astype("u1") + (b < k))


@pytest.mark.parametrize("mode", ["always", "replay"])
def test_operations_that_run_one_by_one_need_little_memory(device, mode):
    x = gpuarray.ones(1 << 18, "f4")  # 1 MiB
    with fusion(mode), gpuarray.memory_profile(device) as profile:
        y = x
        for _ in range(40):
            y = y * 0.5 + x
        gpuarray.synchronize()
    assert profile.peak_bytes - profile.timeline[0][1] <= 4 << 20
    assert y[7].item() == pytest.approx(2)


@pytest.mark.parametrize("mode", ["always", "replay"])
def test_what_lies_between_operations_takes_little_memory(device, mode):
    unit = 24 << 20
    x = gpuarray.ones(unit // 4, "f4")
    with fusion(mode), gpuarray.memory_profile(device) as profile:
        parts = [x * k for k in range(6)]
        total = sum(parts)
        del parts
        results = [total + k for k in range(6)]
        gpuarray.synchronize()
    assert profile.peak_bytes - profile.timeline[0][1] <= 8 * unit + (68 << 20)
    assert [result[k].item() for k, result in enumerate(results)] == [15, 16, 17, 18, 19, 20]


def test_memory_that_is_kept_after_a_cut_is_counted(device):
    def part():
        return gpuarray.empty(40 << 20, "u1")[:1000]

    y = gpuarray.zeros(1000, "u1")
    with gpuarray.fusion("always"), Counted() as counted:
        for _ in range(40):
            y = y + 1
        last = y + part() + part()
        kept = [y + k for k in range(28)]  # too many: the window is cut before them
        assert kept.pop() is not None
        del kept[:]
        last = last + part()  # which makes it 120 MiB, and runs
        last = y + 1
    assert counted.stats[0] == 3
    assert last[7].item() == 41


def test_memory_that_is_read_twice_is_counted(device):
    kept = []
    with gpuarray.fusion("always"), Counted() as counted:
        for _ in range(3):
            x = gpuarray.empty(40 << 20, "u1")
            kept.append(x[1:1001] - x[:1000])
            del x  # the third one makes it 120 MiB, which is too much; the second one does not
        kept.append(kept[0] + 1)
    assert counted.stats[:2] == (2, 4)


@contextlib.contextmanager
def room(device, nbytes):
    """Leave so many bytes for new arrays, and nothing that is cached."""
    gc.collect()
    gpuarray.synchronize(device)
    memory.release_cached(device)
    resource = memory.get_allocator(device)
    while not repr(resource).startswith("<gpuarray.memory.LimitResource"):
        resource = resource.upstream
    before = memory.memory_limit(device)
    gpuarray.set_memory_limit(resource.usage().used + nbytes, device)
    try:
        yield
    finally:
        gpuarray.set_memory_limit(before, device)


def test_only_stored_results_have_memory(device):
    unit = 1 << 20
    x = gpuarray.ones(unit // 4, "f4")
    with fusion("compiled"):  # on CUDA devices operations that run one by one take more
        gpuarray.synchronize()
        in_use = gpuarray.memory_stats(device)["bytes_in_use"]
        with gpuarray.memory_profile(device) as profile:
            y = gpuarray.sqrt((x * 3 + x) * x) - x.astype("f4") / (x + 1)
            z = gpuarray.roll(x, 5) * y
            del y
            gpuarray.synchronize()
    assert profile.peak_bytes == in_use + unit
    assert profile.allocations == 1
    assert z[3].item() == 1.5
    assert gpuarray.memory_stats(device)["bytes_in_use"] == in_use + unit


def test_a_result_has_the_memory_of_what_died(device):
    x = gpuarray.ones(1 << 18, "f4")
    with fusion("compiled"), gpuarray.memory_profile(device) as profile:
        for _ in range(20):
            x = x * 0.5 + 1
        gpuarray.synchronize()
    assert profile.allocations == 0
    assert x[9].item() == pytest.approx(2)


def test_what_is_read_later_is_not_overwritten(device):
    a = np.arange(1000, dtype="f4")
    x = gpuarray.to_device(a)
    with gpuarray.fusion("always"):
        y = x * 2
        z = x + y  # reads x after y was computed
        w = x[::-1] - z  # in another order
        del x
    assert_same(y, a * 2)
    assert_same(z, a * 3)
    assert_same(w, a[::-1] - a * 3)


def test_operations_that_lack_memory_run_in_parts(device):
    """Together they would need memory for all results beside all that they read."""
    unit = 8 << 20
    parts = [gpuarray.full(unit, k, "u1") for k in range(6)]
    with gpuarray.fusion("always"), room(device, unit + unit // 2):
        results = []
        while parts:  # of another dtype, so that no result has the memory of what it reads
            results.append(parts.pop() == 2)
        assert [result[-1].item() for result in results] == [False] * 3 + [True] + [False] * 2


def test_memory_that_is_missing_when_operations_run(device):
    unit = 16 << 20  # a segment of its own
    x = gpuarray.ones(unit, "u1")
    with gpuarray.fusion("always"):
        with nothing_leaks(device), room(device, 2 * unit + unit // 2):
            results = [x + k for k in range(4)]
            with pytest.raises(gpuarray.OutOfMemoryError):
                gpuarray.synchronize(device)
            gpuarray.synchronize(device)  # it was told once
            alive = [int(result[5].item()) for result in results[:2]]
            for result in results[2:]:  # undefined, and without memory
                with pytest.raises(gpuarray.OutOfMemoryError):
                    result[5].item()
            del result, results[0]
            results[1][:] = 7  # which has room now
            assert results[1][-1].item() == 7
            del results
        assert alive == [1, 2]
        assert (x + 1)[3].item() == 2


def test_views_and_copies_of_results_without_memory(device):
    a, b = np.arange(24, dtype="f4").reshape(4, 6), np.ones((4, 6), "f4")
    x, y = gpuarray.to_device(a), gpuarray.to_device(b)
    with gpuarray.fusion("always"):
        p, q = x + y, x * 2
        gpuarray.multiply(p, q, out=p)  # neither has memory, and they do not overlap
        r = p + 1
        r[1:] = r[:-1]
        s = (q * 2).view("i4")
        t = p.sum(out=(q + 1)[0, 0, ...])
    product = (a + b) * (a * 2)
    rows = product + 1
    rows[1:] = rows[:-1].copy()
    assert_same(p, product)
    assert_same(r, rows)
    assert_same(s, (a * 4).view("i4"))
    assert t.item() == product.sum()


@pytest.mark.cuda
def test_operations_in_an_allocator_leave_a_sketch_alone(cuda):
    """The allocator computes arrays of another shape while the program leaves what was learned."""
    nbytes, rest = 4 << 19, gpuarray.ones(1024, "float32", device=cuda)
    kept = [gpuarray.empty(nbytes, "uint8", device=cuda) for _ in range(40)]
    free, computes, seen = [block.ptr for block in kept], [False], []

    class Allocator:
        def allocate(self, nbytes, stream=0):
            return free.pop()

        def deallocate(self, address, nbytes, stream=0):
            free.append(address)
            if computes[0]:
                computes[0] = False
                seen.append(rest * 2 + rest)
                gpuarray.synchronize(cuda)  # so that a sketch of it begins
                seen.append(rest * 2 + rest)

    def program(goes_on, runs_code):
        with gpuarray.using_allocator(gpuarray.memory.ExternalResource(Allocator(), cuda)):
            x = gpuarray.to_device(ones, device=cuda)
        gpuarray.synchronize(cuda)
        y = x * 2
        for _ in range(6):
            y = y * 0.5 + x
        del x
        computes[0] = runs_code
        z = (y - 1) * 3 if goes_on else y
        gpuarray.synchronize(cuda)
        computes[0] = False
        return z

    ones = np.ones((8, 8, 8, 8, 8, 16), "float32")
    for _ in range(5):
        _core._forget_sequences()
        with gpuarray.fusion("auto"):
            for goes_on, runs_code in [(False, False)] * 5 + [(True, False), (True, True)]:
                result = program(goes_on, runs_code)
                _core._finish_compilations()
        assert_same(result, 3 * ones)
    assert [x.tolist() for x in seen] == [[3.0] * 1024] * len(seen)
