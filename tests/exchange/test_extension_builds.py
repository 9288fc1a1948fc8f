# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What the package has for builds of extensions: gpuarray.pc, gpuarrayConfig.cmake, options."""

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import gpuarray

PACKAGE = Path(gpuarray.__file__).parent
SOURCE = Path(__file__).resolve().parents[1] / "c_api" / "probe.cpp"
needs_python_h = pytest.mark.skipif(
    not Path(sysconfig.get_path("include"), "Python.h").exists(), reason="there is no Python.h"
)
needs_share = pytest.mark.skipif(
    not (PACKAGE / "share/pkgconfig/gpuarray.pc").exists(), reason="an editable build has no share/"
)


def package(*options, status=0):
    done = subprocess.run(
        [sys.executable, "-P", "-m", "gpuarray", *options], capture_output=True, text=True
    )
    assert done.returncode == status, done.stderr
    return done.stderr if status else done.stdout.strip()


def tool(name):
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"there is no {name}")
    return found


def load(library):
    spec = importlib.util.spec_from_file_location("probe", library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.check(gpuarray.ones(3, device="cpu")) is True


def test_options():
    includes = shlex.split(package("--includes"))
    assert includes == [f"-I{sysconfig.get_path('include')}", f"-I{gpuarray.get_include()}"]
    assert "--includes" in package("--help")
    assert package("--version").strip() == gpuarray.__version__


@pytest.mark.parametrize("option", ["--include_dirs", "report", "-x"])
def test_unknown_options_are_errors(option):
    text = package(option, status=2)
    assert "usage: python -m gpuarray [-h] [--includes] [--cmakedir] [--pkgconfigdir]" in text
    assert option in text


@needs_share
def test_folders():
    assert Path(package("--pkgconfigdir"), "gpuarray.pc").is_file()
    assert Path(package("--cmakedir"), "gpuarrayConfig.cmake").is_file()
    assert Path(package("--cmakedir"), "gpuarrayConfigVersion.cmake").is_file()


@needs_share
@needs_python_h
def test_pkg_config(tmp_path):
    """The package may have been moved since it was installed."""
    moved = tmp_path / "moved to" / "gpuarray"
    shutil.copytree(PACKAGE / "share", moved / "share")
    shutil.copytree(PACKAGE / "include", moved / "include")
    environment = os.environ | {"PKG_CONFIG_PATH": str(moved / "share" / "pkgconfig")}

    def ask(*options):
        done = subprocess.run(
            [tool("pkg-config"), *options, "gpuarray"],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    assert ask("--modversion") == gpuarray.__version__
    (folder,) = shlex.split(ask("--cflags"))
    assert (Path(folder.removeprefix("-I")).resolve() / "gpuarray.h").is_file()
    library = tmp_path / "probe.so"
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    flags = ["-shared", "-fPIC", f"-I{sysconfig.get_path('include')}", folder]
    subprocess.run([*compiler, *flags, SOURCE, "-o", library], check=True)
    load(library)


PROJECT = """
cmake_minimum_required(VERSION 3.18)
project(probe CXX)
find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
find_package(gpuarray {version} CONFIG REQUIRED)
Python_add_library(probe MODULE "{source}")
set_target_properties(probe PROPERTIES PREFIX "" SUFFIX ".so" CXX_STANDARD 17)
target_link_libraries(probe PRIVATE gpuarray::gpuarray)
"""


def configure(tmp_path, version):
    (tmp_path / "CMakeLists.txt").write_text(PROJECT.format(version=version, source=SOURCE))
    return subprocess.run(
        [
            tool("cmake"),
            "-S",
            tmp_path,
            "-B",
            tmp_path / "build",
            f"-Dgpuarray_DIR={package('--cmakedir')}",
            f"-DPython_EXECUTABLE={sys.executable}",
        ],
        capture_output=True,
        text=True,
    )


@needs_share
@needs_python_h
def test_cmake(tmp_path):
    done = configure(tmp_path, gpuarray.__version__)
    assert done.returncode == 0, done.stderr
    subprocess.run([tool("cmake"), "--build", tmp_path / "build"], check=True, capture_output=True)
    load(tmp_path / "build" / "probe.so")
    done = configure(tmp_path, "99.0")
    assert done.returncode != 0 and f"version: {gpuarray.__version__}" in done.stderr
