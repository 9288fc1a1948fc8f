# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Every row of the benchmarks runs, on small arrays; targets are judged as they say."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BENCHMARKS = ROOT / "benchmarks"


@pytest.fixture(scope="module")
def modules():
    """benchmarks/rows.py, report.py and run.py, which import each other by name."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import report
        import rows
        import run
    finally:
        sys.path.remove(str(BENCHMARKS))
    return rows, report, run


def run_benchmarks(out, *arguments):
    command = [sys.executable, BENCHMARKS / "run.py", "--quick", "--device", "cpu", "--out", out]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=300)


def test_every_row_runs_on_the_cpu_device(modules, tmp_path):
    rows, _, _ = modules
    done = run_benchmarks(tmp_path, "--libraries", "gpuarray", "numpy", "cupy")
    assert done.returncode == 0, done.stderr
    run = json.loads((tmp_path / "benchmarks.json").read_text())
    for library in ("gpuarray", "numpy"):
        expected = {row.name for row in rows.ROWS if row.of(library) is not None}
        assert set(run["results"][library]) == expected
        failed = {name: r for name, r in run["results"][library].items() if "error" in r}
        assert not failed
    assert [row["name"] for row in run["rows"]] == [row.name for row in rows.ROWS]
    assert run["absent"]["the driver's floor"] == "no CUDA device"
    assert run["absent"]["cupy"] in ("not installed", "needs a CUDA device")
    assert "cupy is absent" in done.stdout


def test_some_rows_alone(tmp_path):
    done = run_benchmarks(tmp_path, "--rows", "a + b", "A.sum()", "--libraries", "gpuarray")
    assert done.returncode == 0, done.stderr
    run = json.loads((tmp_path / "benchmarks.json").read_text())
    assert list(run["results"]["gpuarray"]) == ["a + b", "A.sum()"]


def test_an_unknown_row_is_refused(tmp_path):
    done = run_benchmarks(tmp_path, "--rows", "a ? b")
    assert done.returncode == 2
    assert "a ? b" in done.stderr


def test_targets(modules):
    rows, report, _ = modules
    times = {"gpuarray": {"a + b": 4.0, "A + B": 0.8, "A2 + row": 0.6, "a[2:9]": 0.2}}
    times |= {"cupy": {"A + B": 1.2}, "torch": {"A + B": 0.75, "a + b": 6.0}}
    run = {
        "device": "cuda:0",
        "quick": False,
        "size": 1 << 28,
        "versions": dict.fromkeys(times, "1"),
        "floor": {"launch": 3.6, "on device, read and written": 4e12},
        "results": {
            library: {name: {"median": time} for name, time in found.items()}
            for library, found in times.items()
        },
    }
    by_name = {row.name: row for row in rows.ROWS}
    assert report.verdict(run, by_name["a + b"]) == (pytest.approx(4 / 3.6), True)
    assert report.verdict(run, by_name["A + B"]) == (pytest.approx(0.8 / 0.75), False)
    assert report.verdict(run, by_name["A2 + row"]) == (pytest.approx(0.6 / 0.536871), True)
    assert report.verdict(run, by_name["a[2:9]"]) == (0.2, True)
    assert report.verdict(run, by_name["exp(A)"]) == (None, None)
    assert report.verdict(run | {"quick": True}, by_name["A + B"])[1] is None


def test_names_of_rows_are_unique(modules):
    rows, _, _ = modules
    names = [row.name for row in rows.ROWS]
    assert len(names) == len(set(names))


def test_the_page_shows_the_recorded_results(modules):
    _, _, run = modules
    record = BENCHMARKS / "results" / "h200.json"
    page = run.PAGE.read_text()
    if record.exists():
        assert page == run.fill_page(json.loads(record.read_text()))
    else:
        assert "Not yet measured" in page
