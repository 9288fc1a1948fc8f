# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What a profiler of NVIDIA's records, where it was told to wait for the program."""

import gpuarray
from gpuarray.driver import profile

__all__ = ["start", "stop"]


def start() -> None:
    """Begin to record. Does nothing where the current device is the cpu device. CudaError."""
    if gpuarray.default_device().kind == "cuda":
        profile(True)


def stop() -> None:
    """End recording. Does nothing where the current device is the cpu device. CudaError."""
    if gpuarray.default_device().kind == "cuda":
        profile(False)
