# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Compares gpuarray with other libraries and with the driver's floor: table, JSON and chart.

Each library runs in a process of its own; those that are not installed are left out. --quick only
shows that every row runs. Without a GPU, or --libraries, it compares every function with NumPy on
the cpu device (cpu.py); --quick then leaves out the largest arrays and fails on slow rows.
"""

import argparse
import datetime
import importlib.metadata
import importlib.util
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import cpu
import cpu_report
import report
from cpu_rows import SIZES
from import_time import seconds_to_import
from libraries import LIBRARIES
from rows import BEYOND_NUMPY, IMPORT, INSTALLED, OTHER_ROWS, ROWS

import gpuarray

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
PAGE = ROOT / "docs" / "benchmarks.md"
CHART = ROOT / "docs" / "images" / "benchmarks.svg"
CPU_CHART = CHART.with_name("benchmarks-cpu.svg")
WORKER_SECONDS = 600
BEGIN, END = "<!-- results -->\n", "<!-- end of results -->\n"
CPU_BEGIN, CPU_END = "<!-- results of the cpu device -->\n", "<!-- end of the cpu device -->\n"


def measure_floor(nbytes: int) -> dict[str, float] | str:
    """Return what floor.cpp prints, or the reason why it could not be compiled or run."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "floor"
        source = FOLDER / "floor.cpp"
        compiler = next(filter(None, map(shutil.which, ("c++", "g++", "nvcc"))), None)
        if compiler is None:
            return "no C++ compiler was found"
        command = [compiler, "-std=c++20", "-O2", source, "-o", program, "-ldl"]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode != 0:
            return made.stderr.strip()
        done = subprocess.run([program, str(nbytes)], capture_output=True, text=True)
        return json.loads(done.stdout) if done.returncode == 0 else done.stderr.strip()


def run_worker(library: str, options: argparse.Namespace) -> tuple[str, dict, str]:
    """Return the library's version, its results by row, and how its process failed, or ""."""
    command = [sys.executable, FOLDER / "worker.py", library, "--device", options.device]
    command += ["--size", str(options.size), "--rows", *options.rows]
    command += ["--quick"] * options.quick
    environment = os.environ | {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    with tempfile.TemporaryFile("w+") as output:
        try:
            status = subprocess.run(
                command, stdout=output, env=environment, timeout=WORKER_SECONDS
            ).returncode
            failure = f"its process ended with {status}" if status else ""
        except subprocess.TimeoutExpired:
            failure = f"its process did not end in {WORKER_SECONDS} s"
        output.seek(0)
        lines = [json.loads(line) for line in output if line.startswith("{")]
    version = lines[0]["version"] if lines else ""
    return version, {line["row"]: line["result"] for line in lines[1:]}, failure


def import_seconds(library: str, quick: bool) -> float:
    module = "jax.numpy" if library == "jax" else library
    # This first import warms the file cache and is not counted.
    seconds_to_import(module)
    return statistics.median(seconds_to_import(module) for _ in range(1 if quick else 5))


def installed_megabytes(library: str) -> float | None:
    """Return the size of the library's own distributions, without what they depend on."""
    found = []
    for name in LIBRARIES[library][1]:
        try:
            found += importlib.metadata.distribution(name).files or []
        except importlib.metadata.PackageNotFoundError:
            continue
    sizes = [path.stat().st_size for path in (Path(f.locate()) for f in found) if path.exists()]
    return sum(sizes) / 1e6 if sizes else None


def other_costs(library: str, options: argparse.Namespace, numpy_seconds: float) -> dict:
    seconds = import_seconds(library, options.quick)
    values = {
        IMPORT.name: seconds,
        BEYOND_NUMPY.name: seconds - numpy_seconds,
        INSTALLED.name: installed_megabytes(library),
    }
    return {name: {"median": value} for name, value in values.items() if value is not None}


def card(device: str) -> str:
    if device == "cpu":
        return f"no GPU: {platform.machine()}, {os.cpu_count()} cores"
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    if shutil.which("nvidia-smi") is None:
        return "a GPU; there is no nvidia-smi"
    lines = subprocess.run(query, capture_output=True, text=True).stdout.splitlines()
    index = int(device.partition(":")[2] or 0)
    return lines[index].replace(", ", ", driver ") if index < len(lines) else "a GPU"


def measure(options: argparse.Namespace) -> dict:
    run = {
        "date": datetime.date.today().isoformat(),
        "card": card(options.device),
        "python": platform.python_version(),
        "device": options.device,
        "size": options.size,
        "quick": options.quick,
        "versions": {},
        "absent": {},
        "floor": None,
        "results": {},
    }
    floor = "no CUDA device" if options.device == "cpu" else measure_floor(4 * options.size)
    if isinstance(floor, str):
        run["absent"]["the driver's floor"] = floor
    else:
        run["floor"] = floor
    with_other_costs = not options.rows or {row.name for row in OTHER_ROWS} & {*options.rows}
    numpy_seconds = import_seconds("numpy", options.quick) if with_other_costs else 0.0
    for library in options.libraries:
        if importlib.util.find_spec(library) is None:
            run["absent"][library] = "not installed"
            continue
        if library == "cupy" and options.device == "cpu":
            run["absent"][library] = "needs a CUDA device"
            continue
        version, results, failure = run_worker(library, options)
        if failure:
            run["absent"][library if not results else f"the rest of {library}"] = failure
        if not version:
            continue
        run["versions"][library] = version
        run["results"][library] = results
        if with_other_costs:
            run["results"][library] |= other_costs(library, options, numpy_seconds)
        save(run, options.out)
    return run


def save(run: dict, folder: Path) -> None:
    """Write what is measured so far, lest a library that hangs take the others with it."""
    summarise(run)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "benchmarks.json").write_text(json.dumps(run, indent=1) + "\n")


def summarise(run: dict) -> None:
    """Add each row's floor, target and verdict to the results, for readers of the JSON."""
    run["rows"] = []
    for row in ROWS:
        ratio, met = report.verdict(run, row)
        run["rows"].append(
            {
                "name": row.name,
                "group": row.group,
                "floor": report.floor(run, row),
                "target": str(row.target or ""),
                "ratio": ratio,
                "met": met,
            }
        )


def fill_page(run: dict, page: str) -> str:
    """Return the page with these results in the part that is generated from them."""
    begin, end, report_of, name = BEGIN, END, report, CHART.name
    picture = "Every library's time over gpuarray's"
    if is_of_cpu(run):
        begin, end, report_of, name = CPU_BEGIN, CPU_END, cpu_report, CPU_CHART.name
        picture = "gpuarray's time over NumPy's, by groups of functions"
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}![{picture}](images/{name})\n\n{report_of.markdown(run)}{end}{after}"


def is_of_cpu(run: dict) -> bool:
    return "processor" in run


def write_docs(path: Path) -> None:
    run = json.loads(path.read_text())
    PAGE.write_text(fill_page(run, PAGE.read_text()))
    drawn = cpu_report.chart(run, CPU_CHART) if is_of_cpu(run) else report.chart(run, CHART)
    if not drawn:
        sys.exit("matplotlib is needed for the chart")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "benchmarks")
    parser.add_argument("--libraries", nargs="+", choices=LIBRARIES)
    parser.add_argument(
        "--rows",
        nargs="+",
        default=[],
        metavar="ROW",
        help="names of rows; parts of them on the cpu",
    )
    parser.add_argument("--device", help="cuda:0 if there is one, else cpu")
    parser.add_argument("--size", type=int, help="elements of a large array, a power of 4")
    parser.add_argument("--sizes", nargs="+", type=int, choices=SIZES, help="of the cpu's rows")
    parser.add_argument("--cores", nargs="+", choices=cpu.SETTINGS, help="of the cpu's rows")
    parser.add_argument("--quick", action="store_true", help="few repetitions on small arrays")
    parser.add_argument(
        "--docs", type=Path, metavar="JSON", help="fill docs/benchmarks.md, no more"
    )
    options = parser.parse_args()
    if options.docs:
        return options
    if options.device is None:
        options.device = str(gpuarray.devices()[0])
    on_cpu = options.device == "cpu"
    if on_cpu and options.libraries is None:
        return options
    if unknown := {*options.rows} - {row.name for row in ROWS}:
        parser.error(f"unknown rows {sorted(unknown)}; known: {[row.name for row in ROWS]}")
    if options.size is None:
        options.size = 1 << (12 if options.quick else 20 if on_cpu else 28)
    if options.size.bit_count() != 1 or options.size.bit_length() % 2 == 0:
        parser.error(f"--size {options.size} is not a power of 4")
    if options.libraries is None:
        options.libraries = [*LIBRARIES][:-1]
    return options


def main() -> None:
    options = parse()
    if options.docs:
        write_docs(options.docs)
        return
    if options.device == "cpu" and options.libraries is None:
        cpu.main(options)
        return
    run = measure(options)
    save(run, options.out)
    (options.out / "benchmarks.txt").write_text(report.text(run))
    if not report.chart(run, options.out / "benchmarks.svg"):
        print("no chart: matplotlib is not installed")
    print(report.text(run))
    ours = run["results"].get("gpuarray", {})
    incomplete = any(name.endswith("gpuarray") for name in run["absent"])
    if incomplete or any("error" in found for found in ours.values()):
        sys.exit("rows of gpuarray failed")


if __name__ == "__main__":
    main()
