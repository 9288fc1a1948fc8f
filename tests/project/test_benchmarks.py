# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Every row of the benchmarks runs, on small arrays; targets are judged as they say."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from _support.stub_driver import build_stub

HAS_COMPILER = pytest.mark.skipif(shutil.which("c++") is None, reason="there is no C++ compiler")

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"


@pytest.fixture(scope="module")
def modules():
    """The modules of benchmarks/, which import each other by name."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import profile_kernels
        import report
        import rows
        import run
    finally:
        sys.path.remove(str(BENCHMARKS))
    return SimpleNamespace(rows=rows, report=report, run=run, profile_kernels=profile_kernels)


def run_benchmarks(out, *arguments):
    command = [sys.executable, BENCHMARKS / "run.py", "--quick", "--device", "cpu", "--out", out]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=300)


def test_every_row_runs_on_the_cpu_device(modules, tmp_path):
    rows = modules.rows
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


@pytest.mark.parametrize("names", [["a + b", "A.sum()"], ["A + B"], ["installed package (MB)"]])
def test_some_rows_alone(tmp_path, names):
    done = run_benchmarks(tmp_path, "--libraries", "gpuarray", "--rows", *names)
    assert done.returncode == 0, done.stderr
    run = json.loads((tmp_path / "benchmarks.json").read_text())
    assert set(names) <= {*run["results"]["gpuarray"]}
    assert all(name in done.stdout for name in names)


def test_an_unknown_row_is_refused(tmp_path):
    done = run_benchmarks(tmp_path, "--rows", "a ? b")
    assert done.returncode == 2
    assert "a ? b" in done.stderr


def test_targets(modules):
    rows, report = modules.rows, modules.report
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
    rows = modules.rows
    names = [row.name for row in rows.ROWS]
    assert len(names) == len(set(names))


def test_the_page_shows_the_recorded_results(modules):
    run = modules.run
    record = BENCHMARKS / "results" / "h200.json"
    page = run.PAGE.read_text()
    if record.exists():
        assert page == run.fill_page(json.loads(record.read_text()))
    else:
        assert "Not yet measured" in page


NCU = """#!/bin/sh
cat <<'TEXT'
==PROF== Connected to process 1
"ID","Kernel Name","{read}","{written}","{peak}","{time}"
"","","byte","byte","%","ns"
"0","first(Params)","2,000,000","1000000","80","3000"
"1","second(Params)","100000","0","20","1,000"
TEXT
"""


def fake_ncu(folder, text):
    ncu = folder / "ncu"
    ncu.write_text(text)
    ncu.chmod(0o755)
    return str(ncu)


def test_kernels_that_ncu_saw(modules, tmp_path):
    tool = modules.profile_kernels
    heads = {"read": tool.READ, "written": tool.WRITTEN, "peak": tool.PEAK, "time": tool.TIME}
    found = tool.of_kernels(tool.profile(fake_ncu(tmp_path, NCU.format(**heads)), "A + B", 16))
    assert found["kernels"] == ["first", "second"]
    assert found["ms"] == 0.004
    assert found["bytes"] == 3_100_000
    assert found["GB/s"] == 775
    assert found["% of peak"] == 65


def test_ncu_without_permission(modules, tmp_path):
    ncu = fake_ncu(tmp_path, "#!/bin/sh\necho ==ERROR== ERR_NVGPUCTRPERM\nexit 1\n")
    assert "counters" in modules.profile_kernels.profile(ncu, "A + B", 16)


@HAS_COMPILER
def test_the_floor_of_a_driver(modules, tmp_path, monkeypatch):
    """Of the stub, which shows that floor.cpp compiles and calls what there is."""
    monkeypatch.setenv("GPUARRAY_LIBCUDA", str(build_stub(tmp_path)))
    floor = modules.run.measure_floor(1 << 16)
    assert not isinstance(floor, str), floor
    assert {"launch", "programmatic launch", "replay of a graph of 20", "device to pinned"} <= {
        *floor
    }
    assert all(value > 0 for value in floor.values())


@HAS_COMPILER
def test_no_driver_is_said(modules, monkeypatch):
    monkeypatch.setenv("GPUARRAY_LIBCUDA", "/nowhere/libcuda.so")
    assert "no driver" in modules.run.measure_floor(1 << 16)
