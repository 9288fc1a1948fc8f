# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What this build of gpuarray can do, and what this machine offers it."""

import os
import sys
from typing import Any

from gpuarray import _core

__all__ = ["get_include", "show_config"]


def get_include() -> str:
    """Return the folder of ``gpuarray.h``, for extensions in C and C++."""
    return os.path.join(os.path.dirname(__file__), "include")


def show_config(mode: str = "stdout") -> dict[str, Any] | None:
    """Print, or with mode="dicts" return, what was built and which devices there are.

    The build: version, compiler, architectures of the device code and the nvcc that made it, or why
    there is none. The machine: each device, and why CUDA devices are missing. Looks for the CUDA
    driver.
    """
    if mode not in ("stdout", "dicts"):
        raise ValueError(f"show_config: mode must be 'stdout' or 'dicts', got {mode!r}")
    config: dict[str, Any] = {"build": _core.build_config(), "devices": _devices()}
    reason = _core.cuda_absent_reason()
    if reason:
        config["cuda_absent_reason"] = reason
    if mode == "dicts":
        return config
    _print(config)
    return None


def _devices() -> dict[str, dict[str, Any]]:
    return {
        str(device): {"name": device.name, "total_memory": device.total_memory}
        | ({} if device.kind == "cpu" else {"compute_capability": device.compute_capability})
        for device in _core.devices()
    }


def _print(config: dict[str, Any]) -> None:
    build = config["build"]
    code = build["gpu_archs"] if build["cuda_built"] else "none: " + build["cuda_absent_reason"]
    lines = [
        f"gpuarray {build['version']} on Python {sys.version.split()[0]}",
        f"  host compiler   {build['compiler']}",
        f"  limited API     {'yes' if build['limited_api'] else 'no'}",
        f"  device code     {code}",
    ]
    if build["nvcc"]:
        lines.append(f"  nvcc            {build['nvcc']}")
    for name, device in config["devices"].items():
        lines.append(f"  {name:<15} {device['name']}, {device['total_memory'] / 2**30:.1f} GiB")
    if "cuda_absent_reason" in config:
        lines.append(f"  no cuda device  {config['cuda_absent_reason']}")
    print("\n".join(lines))
