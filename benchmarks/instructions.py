# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Counts the instructions of one call on 16 elements by callgrind, without a GPU or a clock.

On the cpu device the operation itself counts too. On cuda:0 the calls run on the stub driver of
tests/driver, whose launches return at once. --check compares with instructions.json, made by
--update, and fails on a rise of more than 10 %; Python and compiler must be those of the record.
"""

import argparse
import functools
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = Path(__file__).with_suffix(".json")
LIMIT = 1.1
RETRIES = 5
# The two numbers of calls measured, whose difference leaves out what happens only once.
CALLS = 50, 250
TITLES = {"cpu": "cpu device", "stub": "cuda:0, stub driver"}
LOOP = "pass"  # Its instructions are those of the loop around a call.

ROWS = {
    LOOP: LOOP,
    "a + b": "a + b",
    "a * 2.0": "a * 2.0",
    "m + b[:1]": "m + b[:1]",
    "a += b": "a += b",
    "add(a, b, out=c)": "gpuarray.add(a, b, out=c)",
    "a + d (float64)": "a + d",
    "exp(a)": "gpuarray.exp(a)",
    "a.sum()": "a.sum()",
    "m.sum(axis=0)": "m.sum(axis=0)",
    "a[2:9]": "a[2:9]",
    "a[i]": "a[i]",
    "m[2]": "m[2]",
    "m[2] = m[1]": "m[2] = m[1]",
    "a[2] = a[1]": "a[2] = a[1]",
    "a.reshape(4, 4)": "a.reshape(4, 4)",
    "m.T": "m.T",
    "a.astype('float64')": "a.astype('float64')",
    "empty(16)": "gpuarray.empty(16)",
    "host -> device, 64 B": "gpuarray.to_device(x)",
    "device -> host, 64 B": "a.get()",
}
# The others are measured with fusion off, these with it: operations that wait for each other, and
# one that nothing joins, each with the call that sees the result.
FUSED_ROWS = {
    "((a*b + a)*b - a)/b, then a wait": "r = ((a*b + a)*b - a)/b; r.synchronize()",
    "a + b, then a wait": "r = a + b; r.synchronize()",
}
# These rows are measured on a CUDA device only.
KERNEL_ROWS = {
    "kernel[grid, block](a, b, c, n)": "kernel[4, 256](a, b, c, 16)",
    "kernel(a, b, c, n, grid=, block=)": "kernel(a, b, c, 16, grid=4, block=256)",
    "launch(a, b, c, n)": "launch(a, b, c, 16)",
}


def rows_of(device: str) -> dict[str, str]:
    return ROWS if device == "cpu" else ROWS | FUSED_ROWS | KERNEL_ROWS


MARKER = r"""
#include <valgrind/callgrind.h>
void measure_begin(void) { CALLGRIND_START_INSTRUMENTATION; CALLGRIND_ZERO_STATS; }
void measure_end(const char *name) {
  CALLGRIND_DUMP_STATS_AT(name);
  CALLGRIND_STOP_INSTRUMENTATION;
}
"""


class Marker:
    """Counts of callgrind begin and end where the calls of these methods stand."""

    def __init__(self, path: str):
        import ctypes

        self.library = ctypes.CDLL(path)

    def count(self, name: str, run, settle=None) -> None:
        """Write a dump for each number of calls, named by it and `name`; `run` takes the number.

        `settle` waits for what calls before those have compiled.
        """
        run(100)
        for _ in range(3 if settle else 0):
            settle()
            run(100)
        for calls in CALLS:
            self.library.measure_begin()
            run(calls)
            self.library.measure_end(f"{calls} {name}".encode())


def measure(marker: str, device: str) -> None:
    """Run each row under callgrind with each number of calls, and write a dump for each."""
    import gc

    import numpy as np

    import gpuarray

    gpuarray.set_default_device(device)
    x = np.linspace(1, 2, 16, dtype=np.float32)
    names = {"gpuarray": gpuarray, "x": x}
    for name in "abc":
        names[name] = gpuarray.to_device(x)
    names |= {"d": gpuarray.to_device(x.astype("float64")), "m": names["a"].reshape(4, 4)}
    names["i"] = gpuarray.to_device(np.arange(16)[::-1].copy())
    # The stub driver takes any image, and its kernels take any four parameters.
    if device != "cpu":
        signature = "const float* a, const float* b, float* c, long n"
        kernel = gpuarray._core._Library(b"image", device).kernel("kernel", signature)
        names |= {"kernel": kernel, "launch": kernel[4, 256]}
    counter = Marker(marker)
    gc.disable()
    # Between used blocks and free ones no call gives a whole pool of memory back to Python, and
    # malloc has blocks of the size of each array, not larger ones that it would take and not keep.
    # Values lie in an array of their own, because uses of an array with values take longer.
    made = ("a.T", "m.T", "a + b", "a + d", "other[1]", "a.sum()")
    others = names | {"other": gpuarray.to_device(x)}
    neighbours = [eval(text, others) for text in made for _ in range(200)]
    del neighbours[::2]
    for row, statement in rows_of(device).items():
        gpuarray.fusion("auto" if row in FUSED_ROWS else "off")
        scope: dict = {}
        exec(f"def run(calls, {', '.join(names)}):\n for _ in range(calls): {statement}", scope)
        settle = gpuarray._core._finish_compilations if row in FUSED_ROWS else None
        counter.count(row, functools.partial(scope["run"], **names), settle)


def callgrind(script: list, folder: Path, variables: dict[str, str]) -> dict[str, float]:
    """Return the instructions that one call takes of each name that the script counts.

    The script takes the path of a Marker's library as its option --marker.
    """
    marker = folder / "marker.so"
    (folder / "marker.c").write_text(MARKER)
    compiler = [*shlex.split(os.environ.get("CC", "cc")), "-O2", "-shared", "-fPIC"]
    subprocess.run([*compiler, "-o", marker, folder / "marker.c"], check=True)
    profile = folder / "callgrind.out"
    for old in folder.glob(f"{profile.name}.*"):
        old.unlink()
    command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--compress-strings=no"]
    command += [f"--callgrind-out-file={profile}", sys.executable]
    done = subprocess.run(
        [*command, *script, "--marker", marker],
        env=os.environ | variables | {"PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        sys.exit(f"valgrind failed on {script}:\n{done.stdout}{done.stderr}")
    counted: dict[str, list[int]] = {}
    for part in sorted(folder.glob(f"{profile.name}.*"), key=lambda path: int(path.suffix[1:])):
        text = part.read_text()
        name = re.search(r"^desc: Trigger: Client Request: \d+ (.*)$", text, re.MULTILINE)
        total = re.search(r"^totals: (\d+)$", text, re.MULTILINE)
        if name and total:
            counted.setdefault(name[1], []).append(int(total[1]))
    return {row: (many - few) / (CALLS[1] - CALLS[0]) for row, (few, many) in counted.items()}


def instructions(device: str, folder: Path, variables: dict[str, str]) -> dict[str, int]:
    """Return the instructions that one call of each row takes, without the loop around it."""
    each = {
        row: round(n)
        for row, n in callgrind([__file__, "--measure", device], folder, variables).items()
    }
    loop = each.pop(LOOP)
    return {row: count - loop for row, count in each.items()}


def environment() -> dict[str, str]:
    """Return the versions and settings, apart from gpuarray, that the counts depend on."""
    import gpuarray

    build = gpuarray.show_config(mode="dicts")["build"]
    return {
        "python": ".".join(platform.python_version_tuple()[:2]),
        "compiler": build["compiler"].split(".")[0],
        "machine": platform.machine(),
        "device code": str(build["cuda_built"]),
        "limited API": str(build["limited_api"]),
    }


def stub_absent_reason(variables: dict[str, str]) -> str:
    program = (
        "import gpuarray; print(gpuarray.show_config(mode='dicts').get('cuda_absent_reason', ''))"
    )
    command = [sys.executable, "-P", "-c", program]
    done = subprocess.run(
        command, env=os.environ | variables, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def measure_all(devices: list[str], padding: int = 0) -> dict[str, dict[str, int]]:
    """Return the counts of each device that is there, and print why others are not measured.

    Where blocks of malloc come to lie depends on the size of the environment, which `padding` adds
    to, and with it how many instructions malloc takes.
    """
    padded = {"PADDING": "x" * padding}
    sys.path.insert(0, str(ROOT / "tests"))
    from _support.stub_driver import build_compiler, build_stub

    found = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "cpu" in devices:
            found["cpu"] = instructions("cpu", folder, padded)
        if "stub" in devices:
            variables = {
                "GPUARRAY_LIBCUDA": str(build_stub(folder)),
                "GPUARRAY_LIBNVRTC": str(build_compiler(folder)),
                "GPUARRAY_CACHE_DIR": str(folder / "cache"),
            }
            if reason := stub_absent_reason(variables):
                print(f"not measured with the stub driver: {reason}")
            else:
                found["stub"] = instructions("cuda:0", folder, variables | padded)
    return found


def risen_rows(found: dict, recorded: dict) -> dict[tuple[str, str], str]:
    """Return the devices and rows whose counts rose above the limit, with a line of text each."""
    risen = {}
    for device, rows in found.items():
        for row, count in rows.items():
            before = recorded.get(device, {}).get(row)
            if before is not None and count > LIMIT * before:
                risen[device, row] = f"{row} ({TITLES[device]}): {before} -> {count}"
    return risen


def measure_again(found: dict, recorded: dict) -> None:
    """Measure devices with risen rows again, and keep the least counts."""
    for retry in range(RETRIES):
        devices = sorted({device for device, _ in risen_rows(found, recorded)})
        if not devices:
            return
        for device, rows in measure_all(devices, 400 * (retry + 1)).items():
            found[device] = {row: min(count, found[device][row]) for row, count in rows.items()}


def report(found: dict, recorded: dict) -> None:
    """Print the counts beside those that are recorded."""
    for device, rows in found.items():
        title = f"Instructions a call, {TITLES[device]}"
        print(f"\n{title:<44}{'now':>8}{'recorded':>10}{'change':>9}")
        for row, count in rows.items():
            before = recorded.get(device, {}).get(row)
            if before is None:
                print(f"{row:<44}{count:>8}{'-':>10}")
                continue
            print(f"{row:<44}{count:>8}{before:>10}{count / before - 1:>+9.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--devices", nargs="+", choices=["cpu", "stub"], default=["cpu", "stub"])
    parser.add_argument("--check", action="store_true", help="fail on a rise above 10 %%")
    parser.add_argument("--update", action="store_true", help="rewrite instructions.json")
    parser.add_argument("--measure", metavar="DEVICE", help=argparse.SUPPRESS)
    parser.add_argument("--marker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.marker, options.measure)
        return
    if shutil.which("valgrind") is None:
        sys.exit("valgrind was not found")
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    recorded, here = record.get("instructions", {}), environment()
    is_checked = options.check and here == record.get("environment")
    found = measure_all(options.devices)
    if is_checked:
        measure_again(found, recorded)
    report(found, recorded)
    if options.update:
        merged = record.get("instructions", {}) | found
        RECORD.write_text(
            json.dumps({"environment": here, "instructions": merged}, indent=2) + "\n"
        )
    elif here != record.get("environment"):
        print(f"\nreported, not checked: recorded with {record.get('environment')}, here {here}")
    elif is_checked and (risen := risen_rows(found, recorded)):
        rows = "\n".join(risen.values())
        sys.exit(f"\nmore instructions than recorded, by more than 10 %:\n{rows}")


if __name__ == "__main__":
    main()
