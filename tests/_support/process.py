# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Helpers for tests that need an interpreter of their own."""

import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path


def inherited_driver() -> dict[str, str]:
    """Return the variables that name the test driver if the tests run on it, else none."""
    if "GPUARRAY_TEST_DRIVER" not in os.environ:
        return {}
    names = ("GPUARRAY_LIB", "GPUARRAY_TEST_DRIVER", "GPUARRAY_CACHE_DIR")
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
