# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Builds the package with a sanitizer of the compiler and runs tests with it.

    python tools/sanitizers.py address [--driver] [pytest's arguments]
    python tools/sanitizers.py address --cpp
    python tools/sanitizers.py thread --driver tests/streams

`address` is AddressSanitizer and UndefinedBehaviorSanitizer together, `thread` ThreadSanitizer.
The tests run on the cpu device, or with --driver on the test driver (tests/driver), which needs no
GPU and compiles the kernels it is asked for; with --cpp those of C++ run. The first error ends the
process that makes it, and so fails the run. It needs the packages of `pip install '.[dev]'`.
ThreadSanitizer sees the locks of free-threaded Python only if that was built with
--with-thread-sanitizer.
"""

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
SANITIZERS = {"address": "address,undefined", "thread": "thread"}
RUNTIMES = {"address": ["libasan.so", "libubsan.so"], "thread": ["libtsan.so"]}
# What ThreadSanitizer wrongly takes for a race, in libraries that it does not see into.
SUPPRESSIONS = ROOT / "tools" / "thread_sanitizer.supp"
# The C++ runtime is linked into the module, so that the sanitizer finds no __cxa_throw to watch.
# Leak detection is off, because Python never frees some of its own memory. fork() takes more locks
# at once than ThreadSanitizer's search for deadlocks can hold.
VARIABLES = {
    "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "halt_on_error=1:abort_on_error=1:print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:abort_on_error=1:detect_deadlocks=0:die_after_fork=0"
    f":suppressions={SUPPRESSIONS}",
}


def build(kind: str, folder: Path, site: Path) -> None:
    """Build the package with assertions and the sanitizer, for the full C API, without kernels."""
    options = [
        f"b_sanitize={SANITIZERS[kind]}",
        # Without optimization and without debugging symbols it compiles in a third of the time.
        *("b_lundef=false", "b_ndebug=false", "optimization=0", "debug=false", "strip=false"),
        *("cuda=disabled", "python.allow_limited_api=false"),
    ]
    shutil.rmtree(site, ignore_errors=True)
    command = [sys.executable, "-P", "-m", "pip", "install", "-q", "--no-build-isolation"]
    command += ["--no-deps", "--upgrade", "--target", str(site)]
    command += [f"-Cbuild-dir={folder}"]
    command += [f"-Csetup-args=-D{option}" for option in options]
    subprocess.run([*command, "."], cwd=ROOT, check=True)


def runtime(name: str) -> str:
    """Return the path of a library of the compiler's."""
    compiler = os.environ.get("CXX", "c++").split()[-1]
    command = [compiler, f"-print-file-name={name}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=SANITIZERS)
    parser.add_argument("--driver", action="store_true", help="on the test driver")
    parser.add_argument("--cpp", action="store_true", help="the tests of C++")
    parser.add_argument("--built", action="store_true", help="as the last run built it")
    options, arguments = parser.parse_known_args()
    folder = ROOT / "build" / f"{options.kind}-sanitizer"
    site = folder / "site"
    # meson and ninja may be beside Python alone.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    os.environ.update({"PATH": path, **VARIABLES})
    if not options.built:
        build(options.kind, folder, site)
    if not list(site.glob("gpuarray/_core*.so")):
        raise SystemExit(f"{site} holds no gpuarray: run without --built")
    # Processes are ended before pytest shows what they have printed, so the reports go to files.
    reports = folder / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir()
    for name in VARIABLES:
        os.environ[name] += f":log_path={reports / name}"
    status = run(options, arguments, folder, site)
    for report in sorted(reports.iterdir()):
        print(report.read_text(errors="replace"))
    return status


def run(options: argparse.Namespace, arguments: list[str], folder: Path, site: Path) -> int:
    """Run the tests that the options name, and return the status of their process."""
    if options.cpp:
        command = ["meson", "test", "-C", str(folder), "--print-errorlogs"]
        return subprocess.run([*command, *arguments]).returncode
    variables = {
        **os.environ,
        "PYTHONPATH": str(site),
        # Free-threaded Python has one allocator, and refuses to be given another.
        **({} if FREE_THREADED else {"PYTHONMALLOC": "malloc"}),
        "LD_PRELOAD": " ".join(map(runtime, RUNTIMES[options.kind])),
    }
    pytest = [sys.executable, "-P", "-m", "pytest", "-p", "no:cacheprovider"]
    on_driver = [sys.executable, "-P", str(ROOT / "tools" / "test_on_driver.py")]
    command = [*(on_driver if options.driver else pytest), *arguments]
    return subprocess.run(command, cwd=ROOT, env=variables).returncode


if __name__ == "__main__":
    sys.exit(main())
