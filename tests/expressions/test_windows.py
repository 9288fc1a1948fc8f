# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Element-wise operations that wait and run together give what they give one by one."""

import os
import resource
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from _support.compare import assert_same
from _support.measure import Counted
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


def chain(a, b):
    return ((a * b + a) * b - a) / b


def test_a_chain_is_one_window(arrays):
    a, b, x, y = arrays
    with Counted() as counted:
        z = chain(x, y)
        assert_same(z, chain(a, b))
    assert counted.stats == (1, 5, 0, 4)


def test_nothing_waits_where_fusion_is_off(arrays):
    a, b, x, y = arrays
    with Counted() as counted, gpuarray.fusion("off"):
        assert_same(chain(x, y), chain(a, b))
    assert counted.stats == (0, 0, 0, 0)


def test_named_results_are_kept(arrays):
    a, b, x, y = arrays
    t = x * y
    u = t + x
    assert_same(u, a * b + a)
    assert_same(t, a * b)


def test_what_nothing_uses_is_not_computed(arrays):
    a, b, x, y = arrays
    with Counted() as counted:
        chain(x, y)
        z = x - y
        assert_same(z, a - b)
    assert counted.stats == (1, 6, 5, 0)


def test_results_of_other_shapes_and_dtypes(arrays):
    a, b, x, y = arrays
    z = (x + y).astype("float64") * 2 > gpuarray.where(x > y, x, 1)
    row = x[0] * 2
    assert_same(
        z & (x + row > 2), ((a + b).astype("f8") * 2 > np.where(a > b, a, 1)) & (a + a[0] * 2 > 2)
    )


@pytest.mark.parametrize("key", [np.s_[...], np.s_[1:, 1:], np.s_[::2], np.s_[:, 3]])
def test_operations_in_place(arrays, key):
    a, b, x, y = arrays
    for p, q in ((a, b), (x, y)):
        p += q
        p[key] *= 2
        q[key] = p[key] + 1
        p -= q
        q[...] = p
    assert_same(x, a)
    assert_same(y, b)


def test_an_operand_that_is_overwritten(arrays):
    a, b, x, y = arrays
    z, w = x + 1, x[1:] * 2
    x[:-1] = y[1:]
    x *= 3
    assert_same(z, a + 1)
    assert_same(w, a[1:] * 2)
    assert_same(x, np.concatenate([b[1:], a[-1:]]) * 3)


def test_views_of_what_waits(arrays):
    a, b, x, y = arrays
    z = x * y
    assert_same(z.T[2:] + 1, (a * b).T[2:] + 1)
    z = x * y
    assert_same(z.reshape(-1)[5:9], (a * b).reshape(-1)[5:9])
    z = x * y
    z[3] = 0
    assert float(z[3].sum()) == 0
    assert float(z[4, 0]) == a[4, 0] * b[4, 0]


def test_memory_whose_address_is_known_does_not_wait(arrays):
    a, _, x, _ = arrays
    assert x.ptr != 0
    with Counted() as counted:
        assert_same(x + 1, a + 1)
    assert counted.stats == (0, 0, 0, 0)


def test_memory_that_others_write(arrays):
    a = arrays[0]
    x = gpuarray.to_device(a, device="cpu")
    seen = np.asarray(x)
    z = x + 1
    seen[0] = -1
    assert_same(z, a + 1)
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
    assert_same(x, a)


@pytest.mark.parametrize("mode", ["on", "always:1", "replay", "compiled", "adversary:7"])
def test_other_modes_are_refused(mode):
    with pytest.raises(ValueError, match=f"expected auto, off or always, got '{mode}'"):
        gpuarray.fusion(mode)
    with pytest.raises(AssertionError, match="GPUARRAY_FUSION: expected auto, off or always"):
        run_python("import gpuarray", GPUARRAY_FUSION=mode)


def test_what_is_no_mode_is_refused():
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


@pytest.mark.parametrize("value", ["2", "true"])
def test_other_values_of_the_logs_variable_are_refused(value):
    with pytest.raises(AssertionError, match=f"GPUARRAY_FUSION_LOG={value}: expected 0 or 1"):
        run_python("import gpuarray", GPUARRAY_FUSION_LOG=value)


def test_operations_in_place_have_one_result(device):
    x = gpuarray.zeros(1000, "f4")
    with gpuarray.fusion("always"), Counted() as counted:
        for _ in range(60):
            x += 1
        assert x[7].item() == 60
    assert counted.stats == (1, 60, 0, 59)


def test_scalars_of_operations_that_fail_are_forgotten(device):
    x = gpuarray.arange(1000, dtype="int16")
    with gpuarray.fusion("always"):
        mask = x > 5
        gpuarray.synchronize()
        for k in range(300):
            with pytest.raises(OverflowError):
                gpuarray.where(mask, np.int16(k), 70000)
        assert (x + np.int16(7777))[3].item() == 7780


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
    assert_same(z, (a + 1) * 3)
    np.testing.assert_array_equal(got[0], a * 2)


WAITERS = {
    # One of the two gives its memory up for the copy, when the other one opens its own.
    "two that run the window": ([], ["run", "run"]),
    # The first gets memory of its own while the window of another waits for the copy.
    "one with open memory": (["hold_own"], ["run"] * 5),
}


@pytest.mark.cuda
@pytest.mark.parametrize("before, after", WAITERS.values(), ids=WAITERS)
def test_threads_that_run_windows_while_another_copies(cuda, before, after):
    run_python(
        f"""
        import faulthandler, threading, time
        import gpuarray
        from gpuarray import _core

        faulthandler.dump_traceback_later(60, exit=True)
        x, other, own = gpuarray.zeros(1 << 20), gpuarray.ones(4), gpuarray.ones(4)
        gpuarray.fusion("always")
        x += 1
        assert x.sum().item() == 1 << 20  # kernels are compiled now
        end_copy, copying, opened, released = (threading.Event() for _ in range(4))

        def copy():
            with gpuarray.Stream() as stream:
                stream.launch_host_func(end_copy.wait)
                copying.set()
                assert x.get().max() == 1

        def hold():
            copying.wait()
            time.sleep(0.2)  # the copy has opened its array
            held = _core._open_access([other], [], None)
            opened.set()
            released.wait()
            del held  # closed without a call, which would run what waits

        def hold_own():
            with gpuarray.access(writes=[own]):
                assert (own + 1).sum().item() == 8

        def run():
            assert x[3].item() == 2

        threads = []
        def start(*targets):
            started = [threading.Thread(target=target) for target in targets]
            threads.extend(started)
            [thread.start() for thread in started]

        start(copy, hold)
        opened.wait()
        start({", ".join(before)})
        time.sleep(0.2)
        x += 1  # waits in the window
        start({", ".join(after)})
        time.sleep(0.2)  # they wait for memory
        released.set()
        time.sleep(0.2)  # one has taken it, and waits for the copy
        end_copy.set()
        [thread.join() for thread in threads]
        """,
        **{k: v for k, v in os.environ.items() if k.startswith("GPUARRAY_")},
    )


@pytest.mark.cuda
def test_threads_that_wait_for_a_copy_sleep(cuda):
    """They do not wake each other, whatever else ends meanwhile."""
    x, y = gpuarray.zeros(1 << 20), gpuarray.zeros(1 << 16)
    copying = threading.Semaphore(0)

    def copy(array, seconds):
        with gpuarray.Stream() as stream:
            stream.launch_host_func(time.sleep, seconds)
            copying.release()
            array.get()

    def run():
        assert x[3].item() == 1

    with gpuarray.fusion("always"), ThreadPoolExecutor(4) as threads:
        done = [threads.submit(copy, x, 1.5), threads.submit(copy, y, 0.5)]
        for _ in done:
            copying.acquire()
        time.sleep(0.2)
        x += 1  # waits in the window
        before = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
        done += [threads.submit(run) for _ in range(2)]
        for each in done:
            each.result()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw - before < 10_000


def test_what_is_read_in_another_order_next_does_not_wait(device):
    """The last sum of each step, whose neighbours the next one reads, runs at once."""
    field = gpuarray.to_device(np.arange(300 * 400, dtype="f4").reshape(300, 400), device=device)
    with gpuarray.fusion("auto"):
        for _ in range(6):
            steps(field)
            gpuarray.synchronize(device)
            _core._finish_compilations()
        before = gpuarray.fusion_stats()
        steps(field)
        after = gpuarray.fusion_stats()
        assert (after.windows - before.windows, after.operations - before.operations) == (10, 40)


def steps(field):
    for _ in range(10):
        field[1:-1, 1:-1] += (field[2:, 1:-1] + field[:-2, 1:-1] - 2 * field[1:-1, 1:-1]) * 0.25
