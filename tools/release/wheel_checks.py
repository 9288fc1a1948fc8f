# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What a wheel must be before it is released: each check yields what is wrong."""

import json
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

MOST_BYTES = 25 * 1024 * 1024
NEWEST_GLIBC = (2, 28)
# Of glibc, and so on every machine with one.
LIBRARIES = re.compile(r"(libc|libm|libdl|libpthread|librt|ld-linux-[\w-]+)\.so\.\d")
TAGS = re.compile(r"(cp311-abi3|(cp3\d+)-\2t)-manylinux_2_28_(x86_64|aarch64)")
ELF_NAMES = {"x86_64": "Advanced Micro Devices X86-64", "aarch64": "AArch64"}
MODULES = re.compile(r"gpuarray/(_core\.[\w.-]*so|_cub\.so)")
METADATA = {"METADATA", "WHEEL", "RECORD", "entry_points.txt"}
LICENCES = {"licenses/LICENSE", "licenses/THIRD-PARTY.txt"}


def check_wheel(wheel, source):
    """Yield what is wrong with a wheel that was built from the tree `source`."""
    yield from check_name(wheel)
    yield from check_size(wheel)
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        yield from check_contents(archive.namelist(), source)
        for name in filter(MODULES.fullmatch, archive.namelist()):
            for problem in check_library(Path(archive.extract(name, folder)), machine_of(wheel)):
                yield f"{name}: {problem}"


def machine_of(wheel):
    return re.search(r"_(x86_64|aarch64)\.whl$", wheel.name)[1]


def check_name(wheel):
    tags = wheel.stem.split("-", 2)[2]
    if not TAGS.fullmatch(tags):
        yield f"its tags are {tags}"


def check_size(wheel):
    size = wheel.stat().st_size
    if size > MOST_BYTES:
        yield f"it has {size} bytes, {MOST_BYTES} at most are allowed"


def check_contents(names, source):
    """Yield files that are missing or too many: the package's sources, modules and metadata."""
    wanted = {
        path.relative_to(source).as_posix()
        for path in (source / "gpuarray").rglob("*")
        if path.is_file() and path.name != "meson.build" and "__pycache__" not in path.parts
    }
    [info] = {name.split("/")[0] for name in names if ".dist-info/" in name}
    wanted |= {f"{info}/{name}" for name in METADATA | LICENCES}
    modules = {name for name in names if MODULES.fullmatch(name)}
    yield from (f"{name} is missing" for name in sorted(wanted - set(names)))
    yield from (f"{name} does not belong in it" for name in sorted(set(names) - wanted - modules))
    if len(modules) != 2:
        yield f"its modules are {sorted(modules)}, not _core and _cub"


def check_library(library, machine):
    """Yield what would keep a library from loading on an older distribution."""
    if f"Machine: {ELF_NAMES[machine]}" not in " ".join(readelf(library, "--file-header").split()):
        yield f"it is not for {machine}"
    for name in re.findall(r"\(NEEDED\).*\[(.+)\]", readelf(library, "--dynamic")):
        if not LIBRARIES.fullmatch(name):
            yield f"it needs {name}"
    needs = readelf(library, "--version-info").partition("Version needs section")[2]
    for version in sorted(set(re.findall(r"Name: (GLIBC_\S+)", needs))):
        numbers = tuple(map(int, re.findall(r"\d+", version)))
        if not numbers or numbers > NEWEST_GLIBC:
            yield f"it needs {', '.join(symbols_of(library, version))} of {version}"
    # Python itself is the only one to have symbols without a version.
    for symbol in undefined_symbols(library):
        if "@" not in symbol and not re.match("_?Py", symbol):
            yield f"nothing defines {symbol}"


def undefined_symbols(library):
    found = re.findall(r"\bGLOBAL +\w+ +UND +(\S+)", readelf(library, "--dyn-syms"))
    return sorted(set(found))


def symbols_of(library, version):
    symbols = undefined_symbols(library)
    return [symbol.split("@")[0] for symbol in symbols if symbol.endswith(f"@{version}")]


def readelf(library, *options):
    command = ["readelf", "-W", *options, library]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def check_with_auditwheel(wheel):
    """Yield what auditwheel says of the wheel beyond check_library()."""
    command = [sys.executable, "-m", "auditwheel", "show", "--json", wheel]
    report = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    found = re.fullmatch(r"manylinux_(\d+)_(\d+)_\w+", report["overall_tag"])
    if not found or tuple(map(int, found.groups())) > NEWEST_GLIBC:
        yield f"auditwheel: it is {report['overall_tag']}"
    if report["external_libs"]:
        yield f"auditwheel: it needs {', '.join(report['external_libs'])}"


def check_with_twine(files):
    """Yield twine's complaints of the metadata of wheels and sdists."""
    command = [sys.executable, "-m", "twine", "--no-color", "check", "--strict", *files]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        yield f"twine: {done.stdout.strip()}"
