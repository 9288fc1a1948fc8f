# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Element-wise operations that wait and run together give what they give one by one."""

import threading
import time

import numpy as np
import pytest
from _support.process import run_python

import gpuarray
from gpuarray import _core

SHAPE = (300, 41)


@pytest.fixture
def arrays(device):
    random = np.random.default_rng(0)
    hosts = [random.random(SHAPE, dtype="f4") + 0.5 for _ in range(2)]
    with gpuarray.fusion("always"):
        yield [*hosts, *(gpuarray.to_device(host) for host in hosts)]


class Counted:
    """What is counted while the block runs: the first four of FusionStats."""

    def __enter__(self):
        self.before = gpuarray.fusion_stats()
        return self

    def __exit__(self, *_):
        after = gpuarray.fusion_stats()
        self.stats = tuple(a - b for a, b in zip(after, self.before, strict=True))[:4]


def chain(a, b):
    return ((a * b + a) * b - a) / b


def same(got, expected):
    got = got.get()
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


def test_a_chain_is_one_window(arrays):
    a, b, x, y = arrays
    with Counted() as counted:
        z = chain(x, y)
        same(z, chain(a, b))
    assert counted.stats == (1, 5, 0, 4)


def test_nothing_waits_where_fusion_is_off(arrays):
    a, b, x, y = arrays
    with Counted() as counted, gpuarray.fusion("off"):
        same(chain(x, y), chain(a, b))
    assert counted.stats == (0, 0, 0, 0)


def test_named_results_are_kept(arrays):
    a, b, x, y = arrays
    t = x * y
    u = t + x
    same(u, a * b + a)
    same(t, a * b)


def test_what_nothing_uses_is_not_computed(arrays):
    a, b, x, y = arrays
    with Counted() as counted:
        chain(x, y)
        z = x - y
        same(z, a - b)
    assert counted.stats == (1, 6, 5, 0)


def test_results_of_other_shapes_and_dtypes(arrays):
    a, b, x, y = arrays
    z = (x + y).astype("float64") * 2 > gpuarray.where(x > y, x, 1)
    row = x[0] * 2
    same(z & (x + row > 2), ((a + b).astype("f8") * 2 > np.where(a > b, a, 1)) & (a + a[0] * 2 > 2))


@pytest.mark.parametrize("key", [np.s_[...], np.s_[1:, 1:], np.s_[::2], np.s_[:, 3]])
def test_operations_in_place(arrays, key):
    a, b, x, y = arrays
    for p, q in ((a, b), (x, y)):
        p += q
        p[key] *= 2
        q[key] = p[key] + 1
        p -= q
        q[...] = p
    same(x, a)
    same(y, b)


def test_an_operand_that_is_overwritten(arrays):
    a, b, x, y = arrays
    z, w = x + 1, x[1:] * 2
    x[:-1] = y[1:]
    x *= 3
    same(z, a + 1)
    same(w, a[1:] * 2)
    same(x, np.concatenate([b[1:], a[-1:]]) * 3)


def test_views_of_what_waits(arrays):
    a, b, x, y = arrays
    z = x * y
    same(z.T[2:] + 1, (a * b).T[2:] + 1)
    z = x * y
    same(z.reshape(-1)[5:9], (a * b).reshape(-1)[5:9])
    z = x * y
    z[3] = 0
    assert float(z[3].sum()) == 0
    assert float(z[4, 0]) == a[4, 0] * b[4, 0]


def test_memory_whose_address_is_known_does_not_wait(arrays):
    a, _, x, _ = arrays
    assert x.ptr != 0
    with Counted() as counted:
        same(x + 1, a + 1)
    assert counted.stats == (0, 0, 0, 0)


def test_memory_that_others_write(arrays):
    a = arrays[0]
    x = gpuarray.to_device(a, device="cpu")
    seen = np.asarray(x)
    z = x + 1
    seen[0] = -1
    same(z, a + 1)
    del seen
    z = np.from_dlpack(x)
    w = x * 2
    z[:] = 0
    assert w.get()[1].tolist() == (a[1] * 2).tolist()


def test_errors_come_where_they_are_made(arrays):
    _, _, x, y = arrays
    z = x + y
    with pytest.raises(ValueError, match="do not broadcast"):
        z + y[:2]
    view = z.view()
    view.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        view += 1
    with pytest.raises(TypeError):
        z << 1


def test_threads(arrays):
    a, b, x, y = arrays
    failed = []

    def work(k):
        for i in range(200):
            t = x * k + y
            if not (t.get() == a * np.float32(k) + b).all():
                failed.append((k, i))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_a_long_program(arrays):
    a, _, x, _ = arrays
    for _ in range(1000):
        x = x * 1 + 1
        a = a * 1 + 1
    same(x, a)


def test_other_modes_are_refused():
    with pytest.raises(ValueError, match="expected auto, off or always, got 'on'"):
        gpuarray.fusion("on")
    with pytest.raises(TypeError):
        gpuarray.fusion(None)


def test_the_variable():
    run_python(
        """
        import gpuarray
        x = gpuarray.ones(1000, device="cpu")
        y = (x + 1) * 2
        assert gpuarray.fusion_stats().windows == 1
        """,
        GPUARRAY_FUSION="always",
    )


def test_little_memory_is_kept_for_what_waits(device):
    total = gpuarray.zeros(16 << 20, "u1")
    with gpuarray.fusion("always"), Counted() as counted:
        for _ in range(12):
            total = total + gpuarray.empty(16 << 20, "u1")
    assert counted.stats[0] >= 2  # windows, each of which keeps about 64 MiB at its end


def test_as_much_memory_is_kept_as_single_operations_need(arrays):
    parts = [gpuarray.ones(4 << 20, "f4") for _ in range(12)]  # of 16 MiB
    total = gpuarray.zeros(4 << 20, "f4")
    gpuarray.synchronize()
    with Counted() as counted:
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


def test_memory_of_temporaries_goes_to_the_next_results(arrays):
    a, b, x, y = arrays
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
    same(u, (a + 1 + b) * 2)
    same(w, (b - a - (a + 1 + b) * 2) * 3 + 1)
    same(z, a * 5 - ((b - a - (a + 1 + b) * 2) * 3 + 1))
    for k, mask in enumerate(masks):
        same(mask, (a > k).astype("u1") + (b < k))


@pytest.mark.parametrize("mode", ["always", "replay"])
def test_operations_that_run_one_by_one_need_little_memory(device, mode):
    x = gpuarray.ones(1 << 18, "f4")  # 1 MiB
    with gpuarray.fusion(mode), gpuarray.memory_profile(device) as profile:
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
    with gpuarray.fusion(mode), gpuarray.memory_profile(device) as profile:
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


def test_an_error_leaves_nothing_behind(device):
    a = gpuarray.arange(1, 8, dtype="uint8")
    row = a.reshape(1, 7)
    with gpuarray.fusion("always"):
        with pytest.raises(OverflowError):
            gpuarray.add(row, 300)
        b = a + 1
        with pytest.raises(OverflowError):
            gpuarray.add(a, 300)
        assert b.get().tolist() == [2, 3, 4, 5, 6, 7, 8]


def test_a_thread_with_open_memory_and_one_that_runs_a_window(arrays):
    x, y, got = gpuarray.ones(1000), gpuarray.zeros(1000), []
    opened, waits = threading.Event(), threading.Event()

    def holder():
        with gpuarray.access([x], [y]):
            opened.set()
            waits.wait()
            time.sleep(0.1)

    def runner():
        opened.wait()
        z = x * 2 + 1
        waits.set()
        got.append(z.get()[7])

    threads = [threading.Thread(target=work, daemon=True) for work in (holder, runner)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert got == [3]
    assert not any(thread.is_alive() for thread in threads)


def test_operations_that_join_while_the_window_waits_for_memory(arrays):
    a, _, x, _ = arrays
    held, got = gpuarray.zeros(3), []
    opened, released = threading.Event(), threading.Event()

    def holder():
        opened_memory = _core._open_access([held], [], None)
        opened.set()
        released.wait(30)
        del opened_memory  # closed without a call, which would run what waits

    threads = [threading.Thread(target=holder, daemon=True)]
    threads.append(threading.Thread(target=lambda: got.append((x * 2).get()), daemon=True))
    threads[0].start()
    opened.wait(30)
    t = x + 1
    threads[1].start()
    time.sleep(0.1)
    z = t * 3  # while the other thread waits to run what it found
    del t
    released.set()
    for thread in threads:
        thread.join(30)
    same(z, (a + 1) * 3)
    np.testing.assert_array_equal(got[0], a * 2)


def test_memory_that_is_read_twice_is_counted(device):
    kept = []
    with gpuarray.fusion("always"), Counted() as counted:
        for _ in range(3):
            x = gpuarray.empty(40 << 20, "u1")
            kept.append(x[1:1001] - x[:1000])
            del x  # the third one makes it 120 MiB, which is too much; the second one does not
        kept.append(kept[0] + 1)
    assert counted.stats[:2] == (2, 4)
