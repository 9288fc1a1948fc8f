# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Imports wheels on each Python, and runs the tests with one in another distribution's root."""

import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from builder import python_tag, run

IMPORT = """
import sys, numpy, gpuarray
gpuarray.set_default_device("cpu")
x = gpuarray.to_device(numpy.arange(3.0))
assert ((x + 1) * x).get().tolist() == [0.0, 2.0, 6.0]
print("Python", sys.version.split()[0], "numpy", numpy.__version__, gpuarray.__file__)
"""
ABOUT = "import os, platform; print(os.uname().machine, *platform.python_version_tuple()[:2])"
# Where the distribution's root gets the wheel with what its tests need, and the tests.
SITE, TREE = "opt/gpuarray-site", "opt/gpuarray-tree"


def runs_on(wheel, tag):
    """Whether an interpreter whose own ABI is `tag` takes the wheel."""
    python, abi, _ = wheel.stem.split("-")[-3:]
    if abi != "abi3":
        return abi == tag
    return not tag.endswith("t") and int(tag[3:]) >= int(python[3:])


def import_on(interpreter, wheels):
    """Import the wheel that fits the interpreter, in an environment that has NumPy alone."""
    [wheel] = [wheel for wheel in wheels if runs_on(wheel, python_tag(interpreter))]
    with tempfile.TemporaryDirectory() as folder:
        run(interpreter, "-m", "venv", folder)
        python = Path(folder, "bin/python")
        run(python, "-m", "pip", "install", "-q", wheel)
        return run(python, "-P", "-c", IMPORT, capture=True).strip()


def run_suite(root, python, wheels, source, arguments):
    """Run pytest with the wheel that fits `python`, a path within `root`; return its exit status.

    A root of another machine needs qemu-user-static, registered with the kernel. Packages are
    installed from outside, so that the root needs neither pip nor network.
    """
    machine, *version = in_root(root, python, "-c", ABOUT, capture_output=True).stdout.split()
    fitting = [
        w for w in wheels if w.stem.endswith(machine) and runs_on(w, "cp" + "".join(version))
    ]
    [wheel] = fitting
    command = [sys.executable, "-m", "pip", "install", "-q", "--upgrade", "--only-binary=:all:"]
    command += [f"--python-version={'.'.join(version)}", "--target", root / SITE]
    command += [f"--platform=manylinux_2_{minor}_{machine}" for minor in range(28, 16, -1)]
    run(*command, f"--platform=manylinux2014_{machine}", wheel, *test_requirements(source))
    shutil.rmtree(root / TREE, ignore_errors=True)
    shutil.copytree(source, root / TREE, ignore=shutil.ignore_patterns("gpuarray", "docs"))
    # pytest's own module: `-m pytest` would put the tree first on the path.
    main = f"import sys; sys.path[:0] = ['/{SITE}']; import pytest; sys.exit(pytest.main())"
    environment = ["env", "-C", f"/{TREE}", f"PYTHONPATH=/{SITE}", "HOME=/tmp", "PYTHONSAFEPATH=1"]
    return in_root(root, *environment, python, "-c", main, *arguments).returncode


def in_root(root, *command, **options):
    return subprocess.run(["chroot", root, *command], text=True, **options)


def test_requirements(source):
    """Return what the tests need of the extra `test`, less what is for CUDA and other libraries."""
    project = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = ("hypothesis", "ml_dtypes", "pytest", "pytest-xdist")
    return [one for one in project["optional-dependencies"]["test"] if one in wanted]
