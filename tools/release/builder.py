# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Builds the sdist, and from it the wheels of each machine and interpreter."""

import filecmp
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

from sysroot import make_sysroot, write_machine_file

ROOT = Path(__file__).resolve().parents[2]
PLATFORM = "manylinux_2_28_{}"

# Prints what the build of a wheel requires, nvcc's wheels included where there is no nvcc.
REQUIREMENTS = """
import json, sys
sys.path.insert(0, "tools")
import build_backend
print(json.dumps(build_backend.get_requires_for_build_wheel()))
"""
# Prints the settings of an interpreter for a machine in place of those for its own.
SYSCONFIG = """
import pprint, sys, sysconfig
here, there = sysconfig.get_config_var("MULTIARCH"), sys.argv[1]
settings = dict(sysconfig.get_config_vars())
for name in ("EXT_SUFFIX", "MULTIARCH", "SOABI"):
    settings[name] = settings[name].replace(here, there)
print("build_time_vars =", pprint.pformat(settings))
"""


@dataclass
class Builder:
    """Builds wheels of one source in a folder of its own, in which a second run compiles little."""

    folder: Path
    dist: Path
    archs: str
    say: object  # called with a line of progress
    kernels: Path | None = None  # the folder of those that the first wheel compiled

    @property
    def source(self):
        return self.folder / "source"

    def sdist(self):
        """Build the sdist from the commit of the checkout, and unpack it: the source of wheels."""
        self.say("sdist")
        python = self.environment(sys.executable)
        with tempfile.TemporaryDirectory(dir=self.folder) as made:
            run(python, "-m", "build", "--no-isolation", "--sdist", "--outdir", made, ROOT)
            [archive] = Path(made).iterdir()
            unpack(archive, self.source)
            return Path(shutil.move(archive, self.dist / archive.name))

    def wheel(self, machine, interpreter):
        """Build the wheel of an interpreter for a machine."""
        tag = python_tag(interpreter)
        self.say(f"wheel for {machine.name}, {tag}")
        name = f"{machine.name}-{tag}"
        sysroot = self.folder / f"sysroot-{machine.name}"
        make_sysroot(machine, sysroot)
        python = self.environment(interpreter)
        options = [
            write_machine_file(machine, sysroot),
            "-Dcuda=enabled",
            f"-Dgpu_archs={self.archs}",
        ]
        options += self.device_code(machine)
        environment = {"_PYTHON_HOST_PLATFORM": PLATFORM.format(machine.name)}
        if not machine.is_native:
            environment |= cross_settings(interpreter, machine, self.folder / f"settings-{name}")
        command = [python, "-m", "build", "--no-isolation", "--wheel", self.source]
        command += [f"-Csetup-args={option}" for option in options]
        command += [f"-Cbuild-dir={self.folder / name}"]
        with tempfile.TemporaryDirectory(dir=self.folder) as made:
            run(*command, "--outdir", made, **environment)
            [wheel] = Path(made).iterdir()
            self.kernels = self.kernels or self.folder / name / "kernels"
            return Path(shutil.move(wheel, self.dist / wheel.name))

    def device_code(self, machine):
        """Return the options that take what the first of these wheels compiled.

        Kernels are the same on every machine and for every interpreter.
        """
        options = [] if self.kernels is None else [f"-Dfatbins={self.kernels}"]
        if not machine.is_native:
            options.append(f"-Dcudart={self.static_runtime(machine)}")
        return options

    def static_runtime(self, machine):
        """Return the static CUDA runtime for a machine, from NVIDIA's wheel."""
        folder = self.folder / f"cudart-{machine.name}"
        if not folder.exists():
            python = self.environment(sys.executable)
            toolkit = [python, ROOT / "tools/cuda_toolkit.py"]
            nvcc = run(*toolkit, "nvcc", capture=True).strip()
            release = ".".join(run(*toolkit, "version", nvcc, capture=True).split(".")[:2])
            command = [python, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
            command += [f"--platform=manylinux2014_{machine.name}", "-d", folder]
            run(*command, f"nvidia-cuda-runtime=={release}.*")
            [wheel] = folder.iterdir()
            with zipfile.ZipFile(wheel) as archive:
                [name] = [name for name in archive.namelist() if name.endswith("cudart_static.a")]
                archive.extract(name, folder)
        return next(folder.rglob("libcudart_static.a"))

    def environment(self, interpreter):
        """Return the Python of an environment that has what a build requires."""
        folder = self.folder / f"venv-{python_tag(interpreter)}"
        python = folder / "bin/python"
        if not (folder / "complete").exists():
            run(interpreter, "-m", "venv", "--clear", folder)
            project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
            required = project["build-system"]["requires"]
            run(python, "-m", "pip", "install", "-q", "build", "ninja", *required)
            needed = json.loads(run(python, "-c", REQUIREMENTS, capture=True, GPUARRAY_CUDA="on"))
            run(python, "-m", "pip", "install", "-q", "build", *needed)
            (folder / "complete").touch()
        return python


def run(*command, capture=False, **environment):
    """Run a command in the checkout; return what it printed, or "" where that goes on."""
    tools = Path(shutil.which(command[0])).parent  # ninja lies beside the Python of an environment
    done = subprocess.run(
        list(map(str, command)),
        check=True,
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE if capture else None,
        env={**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", **environment},
    )
    return done.stdout or ""


def python_tag(interpreter):
    """Return the tag of an interpreter's own ABI, such as cp311 or cp314t."""
    code = (
        "import sys, sysconfig; print('cp%d%d' % sys.version_info[:2] + "
        "('t' if sysconfig.get_config_var('Py_GIL_DISABLED') else ''))"
    )
    return run(interpreter, "-c", code, capture=True).strip()


def cross_settings(interpreter, machine, folder):
    """Write the interpreter's settings for a machine; return the variables that apply them."""
    folder.mkdir(exist_ok=True)
    (folder / "_release_settings.py").write_text(
        run(interpreter, "-c", SYSCONFIG, machine.triplet, capture=True)
    )
    return {"PYTHONPATH": str(folder), "_PYTHON_SYSCONFIGDATA_NAME": "_release_settings"}


def unpack(archive, folder):
    """Unpack an sdist into `folder`, where files that are the same keep their times."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as place, tarfile.open(archive) as files:
        files.extractall(place, filter="data")
        [new] = Path(place).iterdir()
        for path in new.rglob("*"):
            old = folder / path.relative_to(new)
            if path.is_file() and old.is_file() and filecmp.cmp(path, old, shallow=False):
                shutil.copystat(old, path)
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)
