# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Tests that need an interpreter of their own."""

import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path


def inherited_driver() -> dict[str, str]:
    """The variables that name the test driver, where the tests run on it."""
    if "GPUARRAY_TEST_DRIVER" not in os.environ:
        return {}
    names = ("GPUARRAY_LIB", "GPUARRAY_TEST_DRIVER", "GPUARRAY_CACHE_DIR")
    return {name: value for name, value in os.environ.items() if name.startswith(names)}


def run_python(code: str, *, file: bool = False, **environment: str) -> str:
    """Standard output of `code` in a new interpreter; a failure there fails here.

    As a file, `code` can be imported by the processes that it spawns.
    """
    variables = {k: v for k, v in os.environ.items() if not k.startswith("GPUARRAY_")}
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "script.py")
        script.write_text(textwrap.dedent(code))
        done = subprocess.run(
            [sys.executable, *([script] if file else ["-c", textwrap.dedent(code)])],
            env={**variables, **environment},
            cwd=folder,  # not the checkout, whose package is not built
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert done.returncode == 0, done.stderr
    return done.stdout
