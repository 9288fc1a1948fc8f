# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The stub of the CUDA driver in tests/driver, which GPUARRAY_LIBCUDA names."""

import os
import shlex
import subprocess
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "driver" / "stub_driver.cpp"


def build_stub(folder: Path) -> Path:
    """The stub compiled into `folder`. FileNotFoundError without a C++ compiler."""
    library = folder / "libcuda_stub.so"
    command = [*shlex.split(os.environ.get("CXX", "c++")), "-std=c++20", "-O2", "-Wall", "-Wextra"]
    subprocess.run([*command, "-shared", "-fPIC", "-o", library, SOURCE], check=True)
    return library
