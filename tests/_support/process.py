# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Helpers for tests that need an interpreter of their own, or threads that start together."""

import os
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
THREADS = 8


def inherited_driver() -> dict[str, str]:
    """Return the variables that name the test driver if the tests run on it, else none."""
    if "GPUARRAY_TEST_DRIVER" not in os.environ:
        return {}
    names = ("GPUARRAY_LIB", "GPUARRAY_TEST_", "GPUARRAY_CACHE_DIR")
    return {name: value for name, value in os.environ.items() if name.startswith(names)}


def run_python(code: str, *, file: bool = False, seconds: float = 120, **environment: str) -> str:
    """Run `code` in a new interpreter, which must succeed in `seconds`, and return what it prints.

    With `file` the code is in a file, which the processes that it spawns can import.
    """
    variables = {k: v for k, v in os.environ.items() if not k.startswith("GPUARRAY_")}
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "script.py")
        script.write_text(textwrap.dedent(code))
        done = subprocess.run(
            [sys.executable, *([script] if file else ["-c", textwrap.dedent(code)])],
            env={**variables, **environment},
            cwd=folder,  # The checkout holds a package that is not built.
            capture_output=True,
            text=True,
            timeout=seconds,
        )
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_together(function):
    """function(number) in every thread, started at one moment; raises what they raise.

    The default device is that of the caller.
    """
    import gpuarray

    barrier = threading.Barrier(THREADS)
    device = gpuarray.default_device()

    def start(number):
        barrier.wait()
        with gpuarray.device(device):
            return function(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(start, range(THREADS)))
