# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""show_config(), which tells what this build can do and what this machine offers it."""

import os
import platform
import re
import sys
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._runtime.cache import cache_info
from gpuarray.errors import DeviceError

__all__ = ["get_include", "show_config"]


def get_include() -> str:
    """Return the folder of ``gpuarray.h``, for extensions in C and C++."""
    return os.path.join(os.path.dirname(os.path.dirname(__file__)), "include")


def show_config(mode: str = "stdout") -> dict[str, Any] | None:
    """Print, or with mode="dicts" return, what was built and which devices there are.

    The build: version, compiler, architectures of the device code and the nvcc that made it, or why
    there is none. The machine: the driver, the libraries and headers that are used if they are
    there, with their versions, the folder of the disk cache, each device, for cpu the level of the
    processor and the threads that are used, and why CUDA devices are missing; the system, the
    versions of Python and NumPy, and the variables of the environment that begin with GPUARRAY_.
    Looks for the CUDA driver and loads the libraries. ``python -m gpuarray`` prints it.
    """
    if mode not in ("stdout", "dicts"):
        raise ValueError(f"show_config: mode must be 'stdout' or 'dicts', got {mode!r}")
    config: dict[str, Any] = {
        "build": _core.build_config(),
        "driver": _version(_core._driver_version()),
        "libraries": _libraries(),
        "headers": _headers(),
        "cache": _cache(),
        "devices": _devices(),
        "python": sys.version.split()[0],
        "numpy": np.__version__,
        "system": f"{platform.platform()}, {platform.machine()}",
        "variables": {k: v for k, v in sorted(os.environ.items()) if k.startswith("GPUARRAY_")},
    }
    reason = _core.cuda_absent_reason()
    if reason:
        config["cuda_absent_reason"] = reason
    config["notes"] = _notes(config)
    if mode == "dicts":
        return config
    print("\n".join(_lines(config)))
    return None


def _version(number: int) -> str:
    """Return CUDA's number of a version as text: "13.0" for 13000, "" for 0."""
    return f"{number // 1000}.{number % 1000 // 10}" if number else ""


def _libraries() -> dict[str, dict[str, str]]:
    """Return for each CUDA library its version and path, or the reason why it is absent."""
    libraries = {}
    for name, library in _core._cuda_libraries().items():
        if library["absent_reason"]:
            libraries[name] = {"absent_reason": str(library["absent_reason"])}
            continue
        # The versions of NVRTC and nvJitLink have two parts, as the version of CUDA.
        parts = library["version"] if name not in ("NVRTC", "nvJitLink") else library["version"][:2]
        version = ".".join(map(str, parts)) if any(parts) else ""
        libraries[name] = {"version": version, "path": str(library["path"])}
    return libraries


def _headers() -> dict[str, str]:
    """Return version and folder of the CUDA headers that kernels include; {} without any."""
    for folder in _core._headers():
        try:
            with open(os.path.join(folder, "cuda_runtime_api.h"), errors="replace") as header:
                found = re.search(r"#define +CUDART_VERSION +(\d+)", header.read())
        except OSError:
            continue
        if found:
            return {"version": _version(int(found[1])), "path": folder}
    return {}


def _cache() -> dict[str, Any]:
    try:
        return cache_info()._asdict()
    except ValueError as error:
        # A malformed limit in the environment makes cache_info() raise this.
        return {"absent_reason": str(error)}


def _devices() -> dict[str, dict[str, Any]]:
    return {
        str(device): {"name": device.name, "total_memory": device.total_memory}
        | (_cpu() if device.kind == "cpu" else {"compute_capability": device.compute_capability})
        for device in _core.devices()
    }


def _cpu() -> dict[str, Any]:
    """Return the level of the processor and the number of threads that the cpu device uses."""
    try:
        return dict(zip(("level", "threads"), _core._cpu_config(), strict=True))
    except (ValueError, DeviceError) as error:
        # A variable of the environment, or a processor that is too old, makes this raise.
        return {"absent_reason": str(error)}


def _notes(config: dict[str, Any]) -> list[str]:
    """Return advice on the configuration, one sentence or more for each item."""
    notes = []
    archs = config["build"]["gpu_archs"]
    if archs and all(arch.endswith("-virtual") for arch in archs.split(",")):
        notes.append(
            "The device code is PTX, which the driver compiles for its GPU at the first use of "
            "each kernel family. To build machine code for all GPUs: pip install "
            "-Csetup-args=-Dgpu_archs=all ."
        )
    compiler, headers = config["libraries"]["NVRTC"].get("version"), config["headers"]
    extra = f"cuda{_parts(compiler)[0]}" if compiler else ""
    if compiler and not headers:
        notes.append(
            "There are no CUDA headers for kernels to include: "
            f"pip install 'gpuarray-cuda[{extra}]' brings them."
        )
    elif compiler and _parts(compiler) > _parts(headers["version"]):
        notes.append(
            f"NVRTC {compiler} is newer than the CUDA headers, {headers['version']}: kernels that "
            f"include them may not compile. pip install --upgrade 'gpuarray-cuda[{extra}]' brings "
            "both of one release."
        )
    return notes


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _lines(config: dict[str, Any]) -> list[str]:
    build, driver, headers = config["build"], config["driver"], config["headers"]
    code = build["gpu_archs"] if build["cuda_built"] else "none: " + build["cuda_absent_reason"]
    rows = {
        "NumPy": config["numpy"],
        "system": config["system"],
        "host compiler": build["compiler"],
        "limited API": "yes" if build["limited_api"] else "no",
        "device code": code,
        "nvcc": build["nvcc"],
        "CUDA driver": f"for CUDA {driver}" if driver else "none",
        **{name: _found(library) for name, library in config["libraries"].items()},
        "CUDA headers": _found(headers or {"absent_reason": "none were found"}),
        "kernel cache": _cache_text(config["cache"]),
    }
    for name, device in config["devices"].items():
        rows[name] = f"{device['name']}, {device['total_memory'] / 2**30:.1f} GiB"
        if "threads" in device:
            rows[name] += f", level {device['level']}, threads: {device['threads']}"
        elif "absent_reason" in device:
            rows[name] += f", not usable: {device['absent_reason']}"
    rows["no cuda device"] = config.get("cuda_absent_reason", "")
    rows["variables"] = " ".join(f"{k}={v}" for k, v in config["variables"].items())
    title = f"gpuarray {build['version']} on Python {config['python']}"
    lines = [f"  {name:<15} {text}" for name, text in rows.items() if text]
    return [title, *lines, *config["notes"]]


def _found(library: dict[str, str]) -> str:
    if "absent_reason" in library:
        return "none: " + library["absent_reason"]
    return f"{library['version'] or 'unknown version'}, {library['path']}"


def _cache_text(cache: dict[str, Any]) -> str:
    if "absent_reason" in cache:
        return "none: " + str(cache["absent_reason"])
    if not cache["folder"] or cache["limit"] == 0:
        return "off"
    return (
        f"{cache['folder']}, {cache['entries']} entries, {cache['bytes'] / 2**20:.1f} MiB "
        f"of {cache['limit'] / 2**20:.0f} MiB"
    )
