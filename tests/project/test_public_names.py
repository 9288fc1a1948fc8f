# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Public names and variables: none of the last release is gone, and the page lists all."""

import re
from pathlib import Path

import pytest
from _support.process import run_python

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "deprecation.md").read_text()
DEBUGGING = (ROOT / "docs" / "debugging.md").read_text()
COMPARE = f"""
import sys
sys.path.insert(0, {str(ROOT / "tools")!r})
import public_names
now, released = public_names.public_names(), public_names.released()
if {{}}:
    del now["gpuarray.fft"]
    now["gpuarray"] = now["gpuarray"][1:]
for module, names in released.items():
    if public_names.names_of(module) is not None or module in now:
        for name in sorted(set(names) - set(now.get(module, ()))):
            print(module, name)
"""
VARIABLE = r"GPUARRAY_[A-Z_]+"


def test_no_name_of_the_last_release_is_gone():
    gone = run_python(COMPARE.format(False), GPUARRAY_DEVICE="cpu")
    assert not gone, f"deprecate them first (docs/deprecation.md):\n{gone}"


def test_names_that_are_gone_are_noticed():
    gone = run_python(COMPARE.format(True), GPUARRAY_DEVICE="cpu").splitlines()
    assert gone[0].startswith("gpuarray ") and "gpuarray.fft fftshift" in gone


def read_from_the_environment():
    """The variables that the sources read: names in quotes, and those made of a library's name."""
    sources = [*(ROOT / "src").rglob("*.?pp"), *(ROOT / "gpuarray").rglob("*.py")]
    texts = "".join(path.read_text() for path in sources)
    libraries = ["CUDA", "CUB", "NVRTC", "NVJITLINK", "CUBLAS", "CUFFT", "CUSOLVER"]
    return {*re.findall(rf'"({VARIABLE})"', texts), *(f"GPUARRAY_LIB{name}" for name in libraries)}


def test_the_pages_list_the_variables_that_are_read():
    table = DEBUGGING.partition("## Variables")[2]
    rows = "".join(line for line in table.splitlines() if line.startswith("| `GPUARRAY_"))
    listed = PAGE.partition("## Variables")[2].partition("## Public names")[0]
    assert set(re.findall(VARIABLE, rows)) == read_from_the_environment()
    assert set(re.findall(VARIABLE, listed)) == read_from_the_environment()


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_the_versions_of_python_are_those_of_the_metadata(version):
    metadata = (ROOT / "pyproject.toml").read_text()
    assert f"Programming Language :: Python :: {version}" in metadata
    assert "| Python | 3.11 to 3.14 " in PAGE and 'requires-python = ">=3.11"' in metadata
    assert "| NumPy | 2.0 to " in PAGE and 'dependencies = ["numpy>=2.0"]' in metadata
