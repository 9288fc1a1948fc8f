# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PEP 517 backend: meson-python, with NVIDIA's compiler as a build requirement where it is of use.

GPUARRAY_CUDA=on always compiles device code, and fetches nvcc if there is none; off never compiles
it. Otherwise device code is compiled if nvcc is found, or if a driver that can run its output makes
it worth fetching.
"""

import os
import re
import sysconfig
import tomllib
from pathlib import Path

import mesonpy
from cuda_toolkit import driver_version, find_nvcc
from mesonpy import build_sdist, get_requires_for_build_sdist
from packaging.version import Version
from pyproject_metadata import StandardMetadata

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

# All five must be of one release: a mixed set does not work, and their metadata does not pin it.
NVCC_WHEELS = [
    "nvidia-cuda-nvcc==13.0.*",
    "nvidia-nvvm==13.0.*",
    "nvidia-cuda-crt==13.0.*",
    "nvidia-cuda-runtime==13.0.*",
    "nvidia-cuda-cccl==13.0.*",
]
OLDEST_DRIVER = (13, 0)


def cuda_mode():
    mode = os.environ.get("GPUARRAY_CUDA", "auto")
    if mode not in ("auto", "on", "off"):
        raise ValueError(f"GPUARRAY_CUDA: expected auto, on or off, got {mode!r}")
    return mode


def nvcc_requirements():
    mode = cuda_mode()
    if mode == "off" or find_nvcc():
        return []
    return NVCC_WHEELS if mode == "on" or (driver_version() or (0, 0)) >= OLDEST_DRIVER else []


def with_options(config_settings, *options):
    """Return the settings with our meson options first, so that those of the caller win."""
    options = [
        *options,
        *{"on": ["-Dcuda=enabled"], "off": ["-Dcuda=disabled"]}.get(cuda_mode(), []),
    ]
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        options.append("-Dpython.allow_limited_api=false")
    settings = dict(config_settings or {})
    given = settings.get("setup-args", [])
    settings["setup-args"] = options + ([given] if isinstance(given, str) else list(given))
    return settings


def get_requires_for_build_wheel(config_settings=None):
    return mesonpy.get_requires_for_build_wheel(config_settings) + nvcc_requirements()


def get_requires_for_build_editable(config_settings=None):
    return mesonpy.get_requires_for_build_editable(config_settings) + nvcc_requirements()


def project_metadata():
    """Return the metadata of the wheel: that of pyproject.toml, with the version of meson.build."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    metadata = StandardMetadata.from_pyproject(project, Path.cwd())
    build = Path("meson.build").read_text(encoding="utf-8")
    metadata.version = Version(re.search(r"^ *version: '(.+)'", build, re.MULTILINE)[1])
    return metadata


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Write METADATA without compiling; without this hook pip would build a wheel for it."""
    metadata = project_metadata()
    name = metadata.canonical_name.replace("-", "_")
    folder = Path(metadata_directory, f"{name}-{metadata.version}.dist-info")
    folder.mkdir()
    (folder / "METADATA").write_bytes(bytes(metadata.as_rfc822()))
    return folder.name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    settings = with_options(config_settings, "-Dprecompile=true")
    return mesonpy.build_wheel(wheel_directory, settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return mesonpy.build_editable(
        wheel_directory, with_options(config_settings), metadata_directory
    )
