# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The benchmarks of several GPUs run on small arrays, and judge their targets as they say."""

import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"

pytest.importorskip("distributed", reason="distributed is not installed")


@pytest.fixture(scope="module")
def modules():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        names = ("scale_report", "scale_rows", "scale_programs")
        return SimpleNamespace(**{name: importlib.import_module(name) for name in names})
    finally:
        sys.path.remove(str(BENCHMARKS))


def test_rows_run_on_the_cpu_device(tmp_path):
    command = [sys.executable, BENCHMARKS / "scale.py", "--device", "cpu", "--scale", "1e-5"]
    command += ["--workers", "1", "2", "--protocol", "tcp", "--library", "gpuarray", "numpy"]
    command += ["--rows", "hillshade", "percentile", "bare loop", "--seconds", "0.01"]
    done = subprocess.run(
        [*command, "--out", tmp_path], capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stdout + done.stderr
    run = json.loads((tmp_path / "scale.json").read_text())
    assert not run["failures"]
    got = {(line["row"], line["library"], line["workers"]) for line in run["results"]}
    for library in ("gpuarray", "numpy"):
        expected = {(row, library, n) for row in ("hillshade", "percentile") for n in (1, 2)}
        assert expected | {("bare loop, sums", library, 1)} <= got
    text = (tmp_path / "scale.txt").read_text()
    assert ["hillshade", "tcp", "gpuarray"] in [line.split()[:3] for line in text.splitlines()]


def results(rows, *lines):
    """Return a run of full size with these (row, library, workers, protocol, seconds)."""
    made = []
    for row, library, workers, protocol, seconds in lines:
        work = rows.BY_NAME[row].work(workers, 1) if row in rows.BY_NAME else 1
        place = {"row": row, "library": library, "workers": workers, "protocol": protocol}
        made.append(place | {"runs": [seconds], "work": work})
    run = {"workers": [1, 4], "protocols": ["tcp", "ucx"], "libraries": ["gpuarray", "cupy"]}
    run |= {"results": made, "failures": [], "device": "cuda", "scale": 1.0, "versions": {}}
    return run | {"date": "2026-01-01", "card": "a card", "python": "3.12"}


def test_efficiency_is_work_a_second_a_worker(modules):
    rows, report = modules.scale_rows, modules.scale_report
    run = results(
        rows,
        ("stencil", "gpuarray", 1, "tcp", 1.0),
        ("stencil", "gpuarray", 4, "tcp", 1.25),
        ("stencil", "gpuarray", 4, "ucx", 1.0),
        ("stencil", "cupy", 4, "ucx", 2.0),
        ("matmul", "gpuarray", 1, "tcp", 1.0),
        ("matmul", "gpuarray", 4, "ucx", 1.0),
    )
    assert report.efficiency(run, "stencil", "gpuarray", 4, "tcp") == pytest.approx(0.8)
    assert report.efficiency(run, "stencil", "gpuarray", 4, "ucx") == pytest.approx(1.0)
    # Ten blocks a side in place of six: not quite four times the work.
    share = (10 / 6) ** 3 / 4
    assert report.efficiency(run, "matmul", "gpuarray", 4, "ucx") == pytest.approx(share)
    cells = {tuple(row[:3]): row for row in report.programs_table(run)[1:]}
    assert cells["stencil", "tcp", "gpuarray"][-2] == "no"
    assert cells["stencil", "ucx", "gpuarray"][-2:] == ["yes", "2.00"]
    assert cells["matmul", "ucx", "gpuarray"][-2] == "yes"
    assert run["results"][0]["work"] * 4 == run["results"][1]["work"]


def test_other_targets(modules):
    run = results(
        modules.scale_rows,
        ("stencil", "gpuarray", 1, "tcp", 1.04),
        ("bare loop, stencil", "gpuarray", 1, "tcp", 1.0),
        ("spill", "gpuarray", 1, "tcp", 1.0),
        ("spill", "cupy", 1, "tcp", 1.5),
        ("all_reduce, 8 B", "gpuarray", 4, "nccl", 1.05e-5),
        ("all_reduce, 8 B", "nccl4py", 4, "nccl", 1e-5),
    )
    verdicts = {row[0]: row[-1] for row in modules.scale_report.others_table(run)[1:]}
    assert verdicts["Dask on one GPU, stencil (s; a bare loop)"] == "yes"
    assert verdicts["Dask on one GPU, sums (s; a bare loop)"] == ""
    assert verdicts["sum of 2.5 x device_memory_limit (GiB/s; CuPy)"] == "no"
    assert verdicts["all_reduce of 8 B (s; nccl4py)"] == "yes"
    run["device"] = "cpu"
    assert not any(row[-1] for row in modules.scale_report.others_table(run)[1:])
    assert "targets met: 0 of 0" in modules.scale_report.text(run)


def test_wrong_results_are_refused(modules):
    programs = modules.scale_programs
    with pytest.raises(ValueError, match="sum: got"):
        programs.check_total([0.0], SimpleNamespace(size=10))
