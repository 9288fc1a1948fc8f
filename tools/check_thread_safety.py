# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Checks the locks of src by clang's -Wthread-safety: core/thread_safety.hpp has the words.

    python tools/check_thread_safety.py [FILE]...

Fails where a field is used without its lock, or a function is called without a lock that it needs.
Without clang++ it checks nothing; files that an old clang++ cannot compile are named and left out.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
FLAGS = ["-std=c++20", "-fsyntax-only", "-Wno-everything", "-Wthread-safety"]
FOLDERS = [ROOT / "src", ROOT, Path(np.get_include()), Path(sysconfig.get_path("include"))]
# What a file uses that has shared fields.
LOCKS = re.compile("GUARDED_BY|LockGuard|UniqueLock|HeldAtFork")


def is_checked(file: Path) -> bool:
    """Whether the file, or the header of its name, uses locks that clang knows, or the file is of
    src/runtime, whose fields other files of it use."""
    if "runtime" in file.parts:
        return True
    texts = [one.read_text() for one in (file, file.with_suffix(".hpp")) if one.exists()]
    return any(map(LOCKS.search, texts))


def check(compiler: str, file: Path) -> tuple[str, bool]:
    """Return what the check says of the file, "" if all is right, and whether it was compiled."""
    folders = [f"-I{folder}" for folder in FOLDERS]
    done = subprocess.run([compiler, *FLAGS, *folders, file], capture_output=True, text=True)
    return done.stderr if "[-Wthread-safety" in done.stderr else "", done.returncode == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="src/runtime and all that use locks")
    files = parser.parse_args().files or sorted(filter(is_checked, (ROOT / "src").rglob("*.cpp")))
    compiler = shutil.which(os.environ.get("CLANGXX", "clang++"))
    if compiler is None:
        print("not checked: clang++ was not found")
        return
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = list(pool.map(lambda file: check(compiler, file), files))
    left_out = [file for file, (_, compiled) in zip(files, found, strict=True) if not compiled]
    for file in left_out:
        print(f"not checked, as {compiler} cannot compile it: {file}")
    if said := "".join(text for text, _ in found):
        sys.exit(said)
    if len(left_out) == len(files):
        sys.exit("no file was checked")
    print(f"{len(files) - len(left_out)} files use their shared fields under the locks")


if __name__ == "__main__":
    main()
