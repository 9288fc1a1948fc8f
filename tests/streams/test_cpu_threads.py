# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The threads of the cpu device: how many there are, and what becomes of them in a fork."""

import os

import pytest
from _support.process import run_python

BEGIN = """
    import os, threading, warnings
    warnings.simplefilter("ignore")
    import numpy as np
    import gpuarray
    gpuarray.set_default_device("cpu")

    def compute():
        x = gpuarray.arange(3_000_000, dtype="f8")
        assert float((x * 2 + 1).sum()) == 3_000_000.0**2
        assert (gpuarray.sqrt(x * x).get() == np.arange(3_000_000)).all()

    def threads():
        return len(os.listdir("/proc/self/task"))
"""


def test_a_forked_child_computes_on_threads_of_its_own():
    run_python(
        BEGIN
        + """
    base = threads()
    compute()
    assert threads() == base + 3
    for _ in range(3):
        child = os.fork()
        if child == 0:
            before = threads()
            compute()
            os._exit(0 if threads() == before + 3 else 1)
        assert os.waitpid(child, 0)[1] == 0
    compute()
    """,
        GPUARRAY_NUM_THREADS="4",
    )


def test_forks_while_another_thread_computes_for_the_first_time():
    code = (
        BEGIN
        + """
    import signal
    other = threading.Thread(target=compute)
    other.start()
    children = []
    for _ in range(8):
        child = os.fork()
        if child == 0:
            signal.alarm(30)
            compute()
            os._exit(0)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 8
    other.join()
    """
    )
    for _ in range(6):
        run_python(code, GPUARRAY_NUM_THREADS="3")


def test_a_fork_while_another_thread_computes():
    run_python(
        BEGIN
        + """
    import multiprocessing
    stop = threading.Event()

    def keep_computing():
        while not stop.is_set():
            compute()

    other = threading.Thread(target=keep_computing)
    other.start()
    context = multiprocessing.get_context("fork")
    for _ in range(8):
        process = context.Process(target=compute)
        process.start()
        process.join(60)
        assert process.exitcode == 0
    stop.set()
    other.join()
    """,
        GPUARRAY_NUM_THREADS="3",
    )


def test_callers_share_the_threads():
    run_python(
        BEGIN
        + """
    most, base, others = 0, threads(), [threading.Thread(target=compute) for _ in range(8)]
    [thread.start() for thread in others]
    while any(thread.is_alive() for thread in others):
        most = max(most, threads() - base)
    assert 8 <= most <= 8 + 2, most
    """,
        GPUARRAY_NUM_THREADS="3",
    )


@pytest.mark.parametrize(
    ("variables", "most"),
    [
        ({"GPUARRAY_NUM_THREADS": "5", "OMP_NUM_THREADS": "1"}, 5),
        ({"OMP_NUM_THREADS": "1"}, 1),
        ({"OMP_NUM_THREADS": "1,2"}, 1),
        ({"PYTEST_XDIST_WORKER_COUNT": "100000"}, 1),
    ],
)
def test_variables(variables, most):
    code = BEGIN + "\n    print(gpuarray.show_config('dicts')['devices']['cpu']['threads'])"
    assert int(run_python(code, **variables)) == most


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs Linux")
def test_affinity():
    run_python(
        """
        import os
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        """
        + BEGIN.replace("\n    ", "\n        ")
        + """
        base = threads()
        compute()
        assert threads() == base
        assert gpuarray.show_config("dicts")["devices"]["cpu"]["threads"] == 1
        """
    )
