# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Sysroots of an older glibc, from Debian's packages, and meson's machine files for them.

The compiler is the newer one of the machine that builds. Its own libstdc++.a is linked, and what
that takes from a newer glibc is in older_glibc.c. libgcc_eh.a is the older one, whose unwinder asks
nothing of a newer loader.
"""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

SUITE = "bullseye"
GLIBC = "2.31"  # of which nothing newer than 2.28 is used
PACKAGES = ["libc6", "libc6-dev", "linux-libc-dev", "libgcc-10-dev"]
SHIM = Path(__file__).with_name("older_glibc.c")

MACHINE_FILE = """\
[binaries]
cpp = '{compiler}'
ar = '{tools}ar'
strip = '{tools}strip'

[built-in options]
cpp_args = ['@{cpp_args}']
cpp_link_args = {link_args}

[properties]
nvcc_args = ['-Xcompiler={nvcc_args}']
"""

HOST_MACHINE = """
[host_machine]
system = 'linux'
cpu_family = '{name}'
cpu = '{name}'
endian = 'little'
"""


@dataclass(frozen=True)
class Machine:
    """A processor that wheels are built for."""

    name: str
    debian: str  # what Debian calls it

    @property
    def triplet(self):
        return f"{self.name}-linux-gnu"

    @property
    def is_native(self):
        return os.uname().machine == self.name

    @property
    def tools(self):
        """Return what the names of its binary tools begin with."""
        return "" if self.is_native else f"{self.triplet}-"

    @property
    def compiler(self):
        return f"{self.tools}g++"


MACHINES = {
    machine.name: machine for machine in (Machine("x86_64", "amd64"), Machine("aarch64", "arm64"))
}


def make_sysroot(machine, folder):
    """Make the sysroot in `folder`, which is kept where it is complete."""
    shim = folder / "older_glibc.o"
    if shim.exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    extract_packages(machine, folder)
    make_links_relative(folder)
    (folder / "unwinder").mkdir()
    shutil.copy(folder / f"usr/lib/gcc/{machine.triplet}/10/libgcc_eh.a", folder / "unwinder")
    link_python_headers(folder / "python")
    arguments = [*compile_arguments(machine, folder), "-O2", "-fPIC", "-xc", "-c", SHIM, "-o", shim]
    subprocess.run([machine.compiler, *arguments], check=True)


def extract_packages(machine, folder):
    downloads = folder / "downloads"
    command = ["debootstrap", "--download-only", "--variant=minbase", f"--arch={machine.debian}"]
    command += ["--include=" + ",".join(PACKAGES), SUITE, downloads]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    for package in PACKAGES:
        [archive] = downloads.glob(f"var/cache/apt/archives/{package}_*.deb")
        subprocess.run(["dpkg-deb", "-x", archive, folder], check=True)
    shutil.rmtree(downloads)


def make_links_relative(folder):
    """Make links that lead to the root of the file system lead to `folder`."""
    for path in folder.rglob("*"):
        if path.is_symlink() and path.readlink().is_absolute():
            target = folder / path.readlink().relative_to("/")
            path.unlink()
            path.symlink_to(os.path.relpath(target, path.parent))


def link_python_headers(folder):
    """Link what Debian's Python.h includes by a path below /usr/include.

    The configuration of the machine that builds serves both, which have the same sizes of types.
    """
    for machine in MACHINES.values():
        (folder / machine.triplet).mkdir(parents=True)
        for headers in Path(f"/usr/include/{os.uname().machine}-linux-gnu").glob("python3*"):
            (folder / machine.triplet / headers.name).symlink_to(headers)


def compiler_folders(machine):
    """Return the folders of headers that belong to the compiler and not to glibc."""
    command = [machine.compiler, "-xc++", "-E", "-v", "/dev/null"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    listed = text.split("#include <...> search starts here:\n")[1].split("End of search")[0]
    folders = [os.path.realpath(line.strip()) for line in listed.splitlines()]
    return [folder for folder in folders if "/c++/" in folder or "/gcc" in folder]


def compile_arguments(machine, folder):
    headers = [
        *compiler_folders(machine),
        folder / "usr/include" / machine.triplet,
        folder / "usr/include",
    ]
    arguments = ["-nostdinc", f"--sysroot={folder}"]
    arguments += [f"-isystem{headers_folder}" for headers_folder in headers]
    return [*arguments, f"-idirafter{folder / 'python'}"]


def link_arguments(machine, folder):
    libraries = [folder / "usr/lib" / machine.triplet, folder / "lib" / machine.triplet]
    return [
        f"--sysroot={folder}",
        f"-B{libraries[0]}",
        f"-L{folder / 'unwinder'}",
        *(f"-L{library}" for library in libraries),
        str(folder / "older_glibc.o"),
        "-static-libstdc++",
        "-static-libgcc",
    ]


def write_machine_file(machine, folder):
    """Write the machine file beside the sysroot, and return meson's option that names it."""
    # In a file of their own, because meson drops folders that the compiler has by itself.
    cpp_args = list(map(str, compile_arguments(machine, folder)))
    arguments = folder.with_suffix(".args")
    arguments.write_text("\n".join(cpp_args) + "\n")
    text = MACHINE_FILE.format(
        compiler=machine.compiler,
        tools=machine.tools,
        cpp_args=arguments,
        nvcc_args=",".join(cpp_args),
        link_args=link_arguments(machine, folder),
    )
    path = folder.with_suffix(".ini")
    path.write_text(text if machine.is_native else text + HOST_MACHINE.format(name=machine.name))
    return f"--{'native' if machine.is_native else 'cross'}-file={path}"
