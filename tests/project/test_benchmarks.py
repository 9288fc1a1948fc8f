# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Every row of the benchmarks runs, on small arrays; targets are judged as they say."""

import importlib
import json
import re
import runpy
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from _support.stub_driver import build_stub

import gpuarray

HAS_COMPILER = pytest.mark.skipif(shutil.which("c++") is None, reason="there is no C++ compiler")

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"


MODULES = (
    *("cpu", "cpu_functions", "cpu_reasons", "cpu_report", "cpu_rows", "functions", "fusion"),
    *("profile_kernels", "programs", "programs_report", "readme_table", "report", "rows", "run"),
)


@pytest.fixture(scope="module")
def modules():
    """The modules of benchmarks/, which import each other by name."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return SimpleNamespace(**{name: importlib.import_module(name) for name in MODULES})
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.fixture(autouse=True)
def _scripts_find_their_modules(monkeypatch):
    """Let the scripts import what lies beside them, whatever the tests were started with."""
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)


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
    done = run_benchmarks(tmp_path, "--libraries", "gpuarray", "--rows", "a ? b")
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
    page = run.PAGE.read_text()
    for record in ("h200.json", "cpu.json"):
        found = json.loads((BENCHMARKS / "results" / record).read_text())
        assert page == run.fill_page(found, page)


def test_the_readme_shows_what_was_recorded(modules):
    table = modules.readme_table
    run, programs = table.recorded("h200.json"), table.recorded("programs.json")
    page = table.PAGE.read_text()
    assert page == table.fill_page(run, programs, page)
    # The table follows the results.
    run["results"]["cupy"]["A + B"]["median"] = 0.125
    changed = table.fill_page(run, programs, page)
    assert "**0.125**" in changed and changed.count("\n") == page.count("\n")


def test_numbers_of_the_readme(modules):
    table = modules.readme_table
    assert [table.number(x) for x in (0.7396, 2, 21.4888, 194.6, 1136.9)] == [
        *("0.740", "2.00", "21.5", "195", "1137")
    ]
    assert table.row("x", [21.49, 21.48, None, 30]) == ["x", "**21.5**", "**21.5**", "-", "30.0"]


def test_the_page_shows_the_recorded_programs(modules):
    report = modules.programs_report
    found = json.loads((BENCHMARKS / "results" / "programs.json").read_text())
    assert set(found["programs"]) == set(modules.programs.PROGRAMS)
    page = report.PAGE.read_text()
    assert page == report.fill_page(found, page)


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


def run_cpu_rows(out, *arguments):
    command = [sys.executable, BENCHMARKS / "run.py", "--device", "cpu", "--out", out]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=300)


def test_every_row_of_the_cpu_device_runs(modules, tmp_path):
    done = run_cpu_rows(tmp_path, "--sizes", "16", "--cores", "one core")
    assert done.returncode == 0, done.stderr
    assert "slower" not in done.stdout
    record = json.loads((tmp_path / "cpu.json").read_text())
    measured = record["results"]["one core"]
    assert {*measured} == {row.name for row in modules.cpu_rows.ROWS}
    assert all(result["16"]["ours"] > 0 < result["16"]["numpy"] for result in measured.values())
    assert modules.cpu_report.dump(record) == (tmp_path / "cpu.json").read_text()


def test_some_rows_of_the_cpu_device_at_each_size(modules, tmp_path):
    done = run_cpu_rows(tmp_path, "--rows", "add(a, b) float*", "int32 -> bool")
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "cpu.json").read_text())["results"]
    names = {"add(a, b) float16", "add(a, b) float32", "add(a, b) float64", "int32 -> bool"}
    assert {*results} == {"one core", "all cores"}
    for found in results.values():
        assert {*found} == names | {"add(a, b) float32, float64"}
        assert {*found["int32 -> bool"]} == {"16", "100000", "10000000"}


def test_every_function_is_compared_with_its_bytes(modules, tmp_path):
    out = tmp_path / "functions.json"
    command = [sys.executable, BENCHMARKS / "functions.py", "--device", "cpu", "--size", "16"]
    done = subprocess.run([*command, "--out", out], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    results = json.loads(out.read_text())
    assert {one["row"] for one in results} == {row.name for row in modules.functions.rows([])}
    assert not [one for one in results if "error" in one]
    assert all(one["ours"] > 0 < one["bytes"] for one in results)


def test_every_program_gives_the_same_with_fusion(modules, tmp_path):
    out = tmp_path / "fusion.json"
    command = [sys.executable, BENCHMARKS / "fusion.py", "--quick", "--out", out]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = {name: modes for name, _, modes in json.loads(out.read_text())}
    assert {*found} == {*modules.fusion.PROGRAMS}
    for modes in found.values():
        assert {*modes} == {"off", "auto", "numpy"}
        assert all(run["first"] > 0 < run["steady"] for runs in modes.values() for run in runs)
    assert len([name for name in found if name in done.stdout]) == len(found)


def fusion_table(modules, **spent):
    table = modules.fusion.Table()
    for k in range(3):
        for mode, times in spent.items():
            measured = {"first": 1.0, "steady": times[k], "digests": ["bits"], "total": 3.0}
            table.add(mode, "2^10", {"chain": measured})
    return table


def test_a_program_that_fusion_slows_down_is_marked(modules):
    key, marks = ("chain", "2^10"), []
    for auto in ((1.02, 1.0, 1.03), (1.0, 1.1, 1.2), (1.3, 1.1, 1.2)):
        table = fusion_table(modules, off=(1.0, 0.9, 1.1), auto=auto, numpy=(2, 2, 2))
        ratios = table.ratios(key)
        marks.append(ratios["steady"][1])
        assert ratios["first"] == (1, " ")
        assert ratios["steady"][0] == pytest.approx(statistics.median(auto))
        assert ratios["NumPy"] == (pytest.approx(statistics.median(auto) / 2), " ")
        assert table.above() == ([] if marks[-1] == " " else [key])
        assert not table.errors()
    assert marks == [" ", "?", "!"]


def test_a_program_whose_results_differ_is_told(modules):
    key = ("chain", "2^10")
    table = fusion_table(modules, off=(1, 1, 1), auto=(1, 1, 1))
    table.add("auto", "2^10", {"chain": {"first": 1.0, "digests": ["others"], "total": 3.0}})
    assert "bits" in table.errors()[key]
    table = fusion_table(modules, off=(1, 1, 1))
    table.add("numpy", "2^10", {"chain": {"first": 1.0, "digests": ["others"], "total": 3.1}})
    assert "sums" in table.errors()[key]
    table.add("auto", "2^10", {"chain": {"error": "ValueError: it"}})
    assert table.errors()[key] == "ValueError: it"


def test_an_unknown_row_of_the_cpu_device_is_refused(tmp_path):
    done = run_cpu_rows(tmp_path, "--rows", "a ? b")
    assert done.returncode == 1
    assert "a ? b" in done.stderr


def test_each_public_name_of_numpy_has_a_row_or_a_reason(modules):
    here = runpy.run_path(str(ROOT / "tools" / "numpy_names.py"))["here"]()
    codes = " ".join(row.code for row in modules.cpu_rows.ROWS)
    in_rows = {*re.findall(r"\bxp\.(\w+)", codes)}
    same = {id(getattr(gpuarray, name)) for name in in_rows}
    excused = " ".join(modules.cpu_functions.WITHOUT_ROWS.values()).split()
    assert len(excused) == len(set(excused))
    assert not {*excused} & in_rows
    assert not {*excused} - {*here}
    without = {name for name in here if id(getattr(gpuarray, name)) not in same}
    assert without - {*excused} == set()


def test_names_of_rows_of_the_cpu_device_tell_them_apart(modules):
    rows = modules.cpu_rows.ROWS
    assert len({row.name for row in rows}) == len(rows)
    assert len({(row.code, *sorted(row.operands.items())) for row in rows}) == len(rows)


def record_of(ratios):
    found = {
        name: {str(size): {"ours": 2.0 * ratio, "numpy": 2.0} for size, ratio in sizes.items()}
        for name, sizes in ratios.items()
    }
    return {
        "date": "2026-11-23",
        "processor": "one",
        "cores": 1,
        **dict.fromkeys(["gpuarray", "numpy", "python"], "1"),
        "sizes": [16, 10**5],
        "results": {"one core": found},
    }


def test_a_row_above_the_bound_is_found(modules, monkeypatch):
    cpu, reasons = modules.cpu, modules.cpu_reasons
    record = record_of({"a": {16: 1.4, 10**5: 1.2}, "b": {16: 1.6, 10**5: 0.9}, "c": {10**5: 1.8}})
    assert cpu.above(record) == {("b", 16): 1.6, ("c", 10**5): 1.8}
    assert modules.cpu_report.slower(record, 10**5) == ["c", "a"]

    monkeypatch.setattr(cpu, "counted", lambda size, names: dict.fromkeys(names, 1.7))
    monkeypatch.setattr(cpu.shutil, "which", lambda name: name)
    assert [line.partition(",")[0] for line in cpu.check(record)] == ["b", "c"]
    counts = {16: {"b": 1.3}, 10**5: {"c": 1.6}}
    monkeypatch.setattr(cpu, "counted", lambda size, names: counts[size])
    assert [line.partition(",")[0] for line in cpu.check(record)] == ["c"]

    reason = reasons.Reason("It is said why.", (10**5,), {1.7: "x; [bc]"})
    monkeypatch.setattr(reasons, "REASONS", (reason,))
    assert cpu.above(record) == {("b", 16): 1.6, ("c", 10**5): 1.8}
    monkeypatch.setattr(reasons, "REASONS", (reasons.Reason("So.", (16, 10**5), {2: "[bc]"}),))
    assert cpu.above(record) == {}
    assert "So. `c` 1.80" in modules.cpu_report.markdown(record | {"sizes": [10**5]})


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="there is no valgrind")
@HAS_COMPILER
@pytest.mark.parametrize("size", [16, 10**5])
def test_instructions_over_those_of_numpy(modules, size):
    names = ["array(a) float32", "add(a, b) float32"]
    found = modules.cpu.counted(size, names)
    assert {*found} == {*names}
    assert all(0.1 < ratio < 10 for ratio in found.values())
    assert found == pytest.approx(modules.cpu.counted(size, names), rel=0.1)


def test_slow_rows_of_the_cpu_device_have_reasons(modules):
    report, reasons = modules.cpu_report, modules.cpu_reasons
    record = json.loads((BENCHMARKS / "results" / "cpu.json").read_text())
    assert record["sizes"] == [16, 10**5, 10**7]
    assert not report.errors(record)
    for size in record["sizes"]:
        assert report.slower(record, size) == []
    names = [row.name for row in modules.cpu_rows.ROWS]
    for reason in reasons.REASONS:
        for rows in reason.rows.values():
            for pattern in rows.split("; "):
                assert any(reasons.is_among(name, pattern) for name in names), pattern
    assert reasons.limit("no row", 10**5, 1.0) == 1.0
    assert reasons.reason_of("no row", 10**5) is None
