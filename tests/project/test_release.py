# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What of tools/release takes seconds: what it refuses, sums, and the bill of materials."""

import importlib
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = ["bill", "builder", "sysroot", "try_wheels", "wheel_checks"]
VERSIONS = {"gcc": "12.2.0", "glibc": "2.31", "cuda": "13.0.88", "cccl": "3.0.1"}


@pytest.fixture(scope="module")
def release():
    """The modules of tools/release by their names."""
    sys.path.insert(0, str(ROOT / "tools/release"))
    yield {name: importlib.import_module(name) for name in MODULES}
    sys.path.remove(str(ROOT / "tools/release"))
    for name in MODULES:
        del sys.modules[name]


def library(folder, calls="", *, soname="libc.so.6", version="GLIBC_2.28"):
    """Make a library that calls a function; `soname` has it in `version`, or nothing where ""."""
    (folder / "uses.c").write_text(
        f"void {calls}(void); void f(void) {{ {calls}(); }}" if calls else "void f(void) {}"
    )
    result, options = folder / "uses.so", []
    if version:
        options = [folder / soname]
        (folder / "has.c").write_text(f"void {calls}(void) {{}}")
        (folder / "has.map").write_text(f"{version} {{ {calls}; }};")
        compile_library(
            "has.c",
            "-Wl,--version-script=has.map",
            f"-Wl,-soname={soname}",
            "-o",
            soname,
            cwd=folder,
        )
    compile_library("uses.c", *options, "-o", result, cwd=folder)
    return result


def compile_library(*arguments, cwd):
    subprocess.run(["cc", "-shared", "-fPIC", "-nostdlib", *arguments], check=True, cwd=cwd)


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        ({"calls": "old"}, None),
        ({"calls": "old", "version": "GLIBC_2.2.5"}, None),
        ({"calls": "newer", "version": "GLIBC_2.29"}, "it needs newer of GLIBC_2.29"),
        ({"calls": "own", "version": "GLIBC_PRIVATE"}, "it needs own of GLIBC_PRIVATE"),
        ({"calls": "other", "soname": "libother.so.1"}, "it needs libother.so.1"),
        ({"calls": "_ZTHN1x", "soname": "libstdc++.so.6"}, "it needs libstdc++.so.6"),
        ({"calls": "lost", "version": ""}, "nothing defines lost"),
        ({"calls": "PyList_New", "version": ""}, None),
    ],
)
def test_a_library_that_an_older_distribution_cannot_load_is_refused(
    release, tmp_path, made, problem
):
    made = library(tmp_path, **made)
    problems = list(release["wheel_checks"].check_library(made, os.uname().machine))
    assert problems == ([problem] if problem else [])


def test_a_library_for_another_machine_is_refused(release, tmp_path):
    other = next(name for name in release["sysroot"].MACHINES if name != os.uname().machine)
    problems = release["wheel_checks"].check_library(library(tmp_path, "old"), other)
    assert list(problems) == [f"it is not for {other}"]


@pytest.mark.parametrize(
    ("tags", "accepted"),
    [
        ("cp311-abi3-manylinux_2_28_x86_64", True),
        ("cp314-cp314t-manylinux_2_28_x86_64", True),
        ("cp311-abi3-manylinux_2_28_aarch64", True),
        ("cp311-abi3-linux_x86_64", False),
        ("cp312-abi3-manylinux_2_28_x86_64", False),
        ("cp311-cp311-manylinux_2_28_x86_64", False),
        ("cp311-abi3-manylinux_2_34_x86_64", False),
    ],
)
def test_tags_of_a_wheel(release, tags, accepted):
    problems = list(release["wheel_checks"].check_name(Path(f"gpuarray_cuda-0.1.0-{tags}.whl")))
    assert problems == ([] if accepted else [f"its tags are {tags}"])


def test_a_wheel_that_is_too_large_is_refused(release, tmp_path, monkeypatch):
    wheel = tmp_path / "x.whl"
    wheel.write_bytes(bytes(11))
    assert not list(release["wheel_checks"].check_size(wheel))
    monkeypatch.setattr(release["wheel_checks"], "MOST_BYTES", 10)
    assert list(release["wheel_checks"].check_size(wheel))


@pytest.fixture
def contents():
    """The names of a wheel's files that are all there."""
    folders = [path for path in (ROOT / "gpuarray").rglob("*") if "__pycache__" not in path.parts]
    names = {path.relative_to(ROOT).as_posix() for path in folders if path.is_file()}
    names -= {"gpuarray/meson.build"}
    info = "gpuarray_cuda-0.1.0.dist-info"
    metadata = ["METADATA", "WHEEL", "RECORD", "entry_points.txt"]
    metadata += ["licenses/LICENSE", "licenses/THIRD-PARTY.txt"]
    names |= {f"{info}/{name}" for name in metadata}
    return names | {"gpuarray/_core.abi3.so", "gpuarray/_cub.so"}


def test_contents_of_a_wheel(release, contents):
    def problems(names):
        return list(release["wheel_checks"].check_contents(sorted(names), ROOT))

    assert problems(contents) == []
    info = "gpuarray_cuda-0.1.0.dist-info"
    licence = f"{info}/licenses/THIRD-PARTY.txt"
    assert problems(contents - {licence}) == [f"{licence} is missing"]
    assert problems(contents - {"gpuarray/py.typed"}) == ["gpuarray/py.typed is missing"]
    assert problems(contents | {"gpuarray/x.cu"}) == ["gpuarray/x.cu does not belong in it"]
    assert problems(contents | {"tests/x.py"}) == ["tests/x.py does not belong in it"]
    assert len(problems(contents - {"gpuarray/_cub.so"})) == 1


def test_a_whole_wheel_is_checked(release, contents, tmp_path):
    machine = os.uname().machine
    wheel = tmp_path / f"gpuarray_cuda-0.1.0-cp311-abi3-manylinux_2_28_{machine}.whl"
    module = library(tmp_path, "newer", version="GLIBC_2.29")
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in contents:
            archive.writestr(name, module.read_bytes() if name.endswith(".so") else "")
    assert sorted(release["wheel_checks"].check_wheel(wheel, ROOT)) == [
        "gpuarray/_core.abi3.so: it needs newer of GLIBC_2.29",
        "gpuarray/_cub.so: it needs newer of GLIBC_2.29",
    ]


@pytest.fixture
def dist(release, tmp_path):
    names = ["cp311-abi3-manylinux_2_28_x86_64.whl", "cp311-abi3-manylinux_2_28_aarch64.whl"]
    for name in [*(f"gpuarray_cuda-0.1.0-{name}" for name in names), "gpuarray_cuda-0.1.0.tar.gz"]:
        (tmp_path / name).write_text(name)
    release["bill"].write_bill(tmp_path, VERSIONS)
    return tmp_path


def test_sums_are_those_that_sha256sum_checks(dist):
    done = subprocess.run(
        ["sha256sum", "-c", "SHA256SUMS"], cwd=dist, capture_output=True, text=True
    )
    assert done.returncode == 0
    assert sorted(line.split(":")[0] for line in done.stdout.splitlines()) == sorted(
        path.name for path in dist.iterdir() if path.name != "SHA256SUMS"
    )
    next(dist.glob("*.whl")).write_text("another")
    assert subprocess.run(["sha256sum", "-c", "--status", "SHA256SUMS"], cwd=dist).returncode == 1


def test_the_bill_of_materials_names_files_and_what_is_linked(release, dist):
    bill = json.loads((dist / "gpuarray-cuda.cdx.json").read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["component"]["version"] == "0.1.0"
    found = {component["name"]: component for component in bill["components"]}
    for path in [*dist.glob("*.whl"), *dist.glob("*.tar.gz")]:
        [digest] = found[path.name]["hashes"]
        assert digest == {"alg": "SHA-256", "content": release["bill"].sha256(path)}
    assert found["libstdc++"]["version"] == VERSIONS["gcc"]
    references = {component["bom-ref"] for component in bill["components"]}
    for row in bill["dependencies"]:
        assert set(row["dependsOn"]) <= references
    assert len(bill["dependencies"]) == 3


def test_the_bill_is_the_same_for_the_same_files(release, dist):
    before = (dist / "gpuarray-cuda.cdx.json").read_bytes()
    release["bill"].write_bill(dist, VERSIONS)
    assert (dist / "gpuarray-cuda.cdx.json").read_bytes() == before


def test_what_is_linked_in_has_its_licence_in_the_wheel(release):
    notice = " ".join((ROOT / "THIRD-PARTY.txt").read_text().split())
    for component in release["bill"].linked_components(VERSIONS):
        assert component["name"] in notice
        [licence] = component["licenses"]
        for part in licence.get("expression", "").split(" AND "):
            assert part in notice


@pytest.mark.parametrize(
    ("tag", "wheels"),
    [
        ("cp311", ["abi3"]),
        ("cp314", ["abi3"]),
        ("cp310", []),
        ("cp314t", ["cp314t"]),
        ("cp315t", []),
    ],
)
def test_which_interpreters_a_wheel_is_for(release, tag, wheels):
    names = {"abi3": "cp311-abi3", "cp314t": "cp314-cp314t"}
    fitting = [
        kind
        for kind, tags in names.items()
        if release["try_wheels"].runs_on(Path(f"x-1-{tags}-manylinux_2_28_x86_64.whl"), tag)
    ]
    assert fitting == wheels


def test_links_of_a_sysroot_stay_in_it(release, tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "usr/lib").mkdir(parents=True)
    (tmp_path / "lib/libdl.so.2").write_text("its own")
    (tmp_path / "usr/lib/libdl.so").symlink_to("/lib/libdl.so.2")
    (tmp_path / "usr/lib/libdl.so.2").symlink_to("libdl.so")
    release["sysroot"].make_links_relative(tmp_path)
    assert (tmp_path / "usr/lib/libdl.so").readlink() == Path("../../lib/libdl.so.2")
    assert (tmp_path / "usr/lib/libdl.so.2").read_text() == "its own"


def test_headers_of_the_compiler_are_not_those_of_its_glibc(release, tmp_path):
    machine = release["sysroot"].Machine(os.uname().machine, "any")
    arguments = [str(one) for one in release["sysroot"].compile_arguments(machine, tmp_path)]
    (tmp_path / "x.cpp").write_text("#include <cstddef>\n#include <stdlib.h>\n")
    command = [machine.compiler, *arguments, "-c", "x.cpp"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0
    assert "features.h" in done.stderr or "stdlib.h" in done.stderr


def test_settings_of_another_machine(release, tmp_path):
    machine = release["sysroot"].Machine("aarch64", "arm64")
    folder = tmp_path / "settings"
    variables = release["builder"].cross_settings(sys.executable, machine, folder)
    code = "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"
    suffix = release["builder"].run(sys.executable, "-c", code, capture=True, **variables)
    assert suffix.strip().endswith("-aarch64-linux-gnu.so")


def test_files_that_are_the_same_keep_their_times(release, tmp_path):
    source = tmp_path / "source"
    for text in ("first", "second"):
        folder = tmp_path / text / "x-1"
        folder.mkdir(parents=True)
        (folder / "same").write_text("same")
        (folder / "changed").write_text(text)
        (folder / text).write_text("")
        archive = tmp_path / f"{text}.tar.gz"
        with tarfile.open(archive, "w:gz") as files:
            files.add(folder, "x-1")
        os.utime(folder / "same", (0, 0))
        release["builder"].unpack(archive, source)
        if text == "first":
            os.utime(source / "same", (1000, 1000))
            os.utime(source / "changed", (1000, 1000))
    assert (source / "same").stat().st_mtime == 1000
    assert (source / "changed").stat().st_mtime != 1000
    assert sorted(path.name for path in source.iterdir()) == ["changed", "same", "second"]
