# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Hostile input: what tools/fuzz.py found and kept, and a few fixed bytes, through each harness."""

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from _support.process import inherited_driver

import gpuarray

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "fuzzing" / "corpus"
TARGETS = sorted(path.stem for path in (ROOT / "tests/fuzzing/harnesses").glob("*.py"))


def run(target, data):
    with gpuarray.device("cpu"):
        importlib.import_module(f"fuzzing.harnesses.{target}").run(data)


@pytest.mark.parametrize("target", TARGETS)
def test_kept_inputs(target):
    """A process of its own, which a crash would end."""
    if target == "cuda_arrays" and not os.environ.get("CXX") and shutil.which("c++") is None:
        pytest.skip("there is no C++ compiler for the test driver")
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GPUARRAY_")}
    done = subprocess.run(
        [sys.executable, "-P", ROOT / "tools" / "fuzz.py", target, "--replay"],
        env={**kept, **inherited_driver()},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    count = len((CORPUS / f"{target}.txt").read_text().splitlines())
    assert done.stdout == f"{target}: {count} inputs\n" and count > 0


def test_the_corpus_is_small():
    assert {path.stem for path in CORPUS.iterdir()} == set(TARGETS)
    assert sum(path.stat().st_size for path in CORPUS.iterdir()) < 100_000


# Others, at random, are for `tools/fuzz.py --random`. `b"\0M"` is a pickle that ends amid a number.
BYTES = [
    b"",
    b"\0",
    b"\1",
    b"\0M",
    b"\0\x80\4\x95\1",
    b"\xff" * 200,
    bytes(range(200)),
    b"\0k" * 90,
]


# The scanner of includes runs alone only in a process that finds no compiler.
@pytest.mark.parametrize("target", [target for target in TARGETS if target != "includes"])
@pytest.mark.parametrize("data", BYTES, ids=range(len(BYTES)))
@pytest.mark.filterwarnings("ignore")
def test_fixed_bytes(target, data):
    run(target, data)


def test_random_bytes_need_no_atheris():
    command = [sys.executable, "-P", ROOT / "tools" / "fuzz.py", "pickles"]
    command += ["--random", "50", "--seed", "3"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "pickles: 50 random inputs\n"), done.stderr


def wrong(*arguments, **keywords):
    return gpuarray.to_device(np.arange(7), device="cpu")


@pytest.mark.parametrize(
    ("target", "name", "data"),
    [
        ("einsum", "einsum", b"\1\1\2"),
        ("npy", "load", b"\0none"),
        ("pickles", "restore", b"\1\0\0\1\0"),
    ],
)
def test_harnesses_notice_wrong_answers(target, name, data, monkeypatch):
    module = importlib.import_module(f"fuzzing.harnesses.{target}")
    run(target, data)
    monkeypatch.setattr(module._pickling if target == "pickles" else gpuarray, name, wrong)
    with pytest.raises(AssertionError):
        run(target, data)
