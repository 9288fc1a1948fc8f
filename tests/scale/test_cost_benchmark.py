# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""benchmarks/cost.py predicts as the package does, measures, and finds numbers that fit."""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from _support.process import inherited_driver, run_python

import gpuarray

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def cost():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return importlib.import_module("cost")
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.fixture(autouse=True)
def _scripts_find_their_modules(monkeypatch):
    """Let the scripts import what lies beside them, whatever the tests were started with."""
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)


# What is not in float32, or not on the cpu device, has other terms.
GROUPS = [
    ("simple", 2, 1 << 10, False, "whole"),
    ("simple", 12, 1 << 18, True, "whole"),
    ("division", 4, 1 << 16, False, "number"),
    ("function", 4, 1 << 20, False, "whole"),
    ("mixed", 8, 1 << 17, True, "row"),
    ("mixed", 4, 1 << 14, False, "column"),
    ("simple", 4, 1 << 15, False, "view 16"),
    ("mixed", 6, 1 << 20, True, "view 256"),
]


@pytest.mark.parametrize("device", ["cpu", "cuda:0"])
def test_the_costs_of_the_benchmark_are_those_of_the_package(cost, device):
    """It fits the numbers of a model, which it has in Python, too."""
    if device != "cpu" and len(gpuarray.devices()) < 2:
        pytest.skip("no CUDA device")
    code = f"""
        import os, sys
        os.dup2(1, 2)  # the log is what the script prints
        sys.path.insert(0, {str(BENCHMARKS)!r})
        import cost, gpuarray
        with gpuarray.fusion("always"):
            for arguments in {GROUPS!r}:
                group = cost.Group(*arguments)
                with gpuarray.fusion("off"):
                    arrays = group.arrays(gpuarray, {device!r})
                for _ in range(3):
                    kept = group.run(gpuarray, *arrays)
                    gpuarray.synchronize({device!r})
                    gpuarray._core._finish_compilations()
    """
    printed = run_python(code, **inherited_driver(), GPUARRAY_FUSION_LOG="1")
    found = re.findall(r"one pass; ([\d.]+) us alone, ([\d.]+) us together", printed)
    numbers, predict = cost.built_numbers(cost.kind_of(device)), cost.PREDICT[cost.kind_of(device)]
    expected = [predict(cost.Group(*group), numbers) for group in GROUPS]
    assert len(found) >= len(GROUPS), printed
    logged = [tuple(map(float, times)) for times in found]
    for times in expected:
        assert any(times == pytest.approx(each, abs=0.06, rel=1e-6) for each in logged), times


def test_numbers_that_fit_are_found(cost):
    """From measurements that some numbers predict, other numbers lead to like predictions."""
    numbers = cost.built_numbers("cpu")
    groups = cost.groups("cpu")[::12]
    rows = [cost.Measured(group, *cost.predict_cpu(group, numbers)) for group in groups]
    assert cost.error_of(rows, numbers, cost.predict_cpu) == pytest.approx(0, abs=1e-12)
    off = {name: value * 1.5 for name, value in numbers.items()}
    before = cost.error_of(rows, off, cost.predict_cpu)
    assert cost.error_of(rows, cost.fit(rows, off, cost.predict_cpu), cost.predict_cpu) < before / 4


def test_the_costs_are_measured(tmp_path):
    kept = tmp_path / "kept.json"
    command = [sys.executable, BENCHMARKS / "cost.py", "--quick", "--limit", "2"]
    done = subprocess.run([*command, "--out", kept], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "kHostLaunch = " in done.stdout
    assert all(row["alone"] > 0 and row["together"] > 0 for row in json.loads(kept.read_text()))
