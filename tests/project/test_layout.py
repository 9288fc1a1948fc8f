# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The shape of the source tree, read from `#include` lines and file sizes alone."""

import re
import statistics
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Each knows itself and those before it.
LAYERS = ["core", "cub", "runtime", "backend", "array", "py"]
NATIVE = {".cpp", ".hpp", ".inc", ".cu", ".cuh", ".def"}
FOLDERS = ["src", "kernels", "gpuarray", "tests", "tools", "examples", "benchmarks"]

COMMENT = dict.fromkeys(NATIVE, "//") | {".py": "#", ".pyi": "#"}
LICENCE = (
    "{} SPDX-License-Identifier: Apache-2.0",
    "{} SPDX-FileCopyrightText: The gpuarray developers",
)
CUDA_HEADER = re.compile(r"cu(da|blas|solver|fft|rand|sparse)\w*\.h|nv\w+\.h|(cuda|cub|thrust)/.*")
MAX_LINES = 400
MAX_MEDIAN = 120
GENERATED = {"gpuarray/_core.pyi"}


def sources(*folders, suffixes):
    found = [path for folder in folders for path in sorted((ROOT / folder).rglob("*"))]
    return [path for path in found if path.suffix in suffixes and path.is_file()]


def name(path):
    return path.relative_to(ROOT).as_posix()


def layer(path):
    """The folder of src/ or kernels/ that the file lies in."""
    parts = path.relative_to(ROOT).parts
    return parts[1] if parts[0] == "src" else parts[0]


def includes(paths):
    """(file, layer of the file, what it includes), for each #include."""
    for path in paths:
        for include in re.findall(
            r'^\s*#\s*include\s*[<"]([^>"]+)', path.read_text(), re.MULTILINE
        ):
            yield name(path), layer(path), include


def line_count(path):
    return len(path.read_text().splitlines())


def check(broken):
    broken = list(broken)
    assert not broken, "\n  " + "\n  ".join(broken)


SRC = sources("src", suffixes=NATIVE)
KERNELS = sources("kernels", suffixes=NATIVE)
ALL = sources(*FOLDERS, suffixes=COMMENT)


def test_tree_is_found():
    assert {layer(path) for path in SRC} == set(LAYERS)
    assert KERNELS


def test_no_layer_includes_one_above_it():
    check(
        f"{file} ({own}) includes {include}, of a layer above it"
        for file, own, include in includes(SRC)
        if "/" in include and (other := include.split("/")[0]) in LAYERS
        if LAYERS.index(other) > LAYERS.index(own)
    )


def test_kernels_know_no_layer():
    check(
        f"{file} includes {include}: kernels stand alone"
        for file, _, include in includes(KERNELS)
        if include.split("/")[0] in [*LAYERS, "Python.h", "numpy"] and include != "array"
    )


def test_kernel_code_is_for_backend_and_array():
    check(
        f"{file} includes {include}: only the tables (.def) there"
        for file, own, include in includes(SRC)
        if include.startswith("kernels/") and own not in ("backend", "array")
        if not include.endswith(".def")
    )


def test_python_is_included_in_one_header():
    check(
        f"{file} includes {include}: include py/binding/python.hpp instead"
        for file, _, include in includes(SRC)
        if include == "Python.h" and file != "src/py/binding/python.hpp"
    )


def test_numpy_is_included_in_one_source():
    check(
        f"{file} includes {include}: only src/py/convert/numpy.cpp may"
        for file, _, include in includes(SRC)
        if include.startswith("numpy/") and file != "src/py/convert/numpy.cpp"
    )


def test_host_code_builds_without_the_cuda_toolkit():
    check(
        f"{file} includes {include}: runtime/driver/driver_types.hpp has what is in use"
        for file, own, include in includes(SRC)
        if CUDA_HEADER.fullmatch(include) and own != "cub" and include != "cub/sort.hpp"
    )


def test_cub_knows_nothing_else():
    """It offers one C function, which one header of the runtime declares to all others."""
    check(
        f"{file} includes {include}"
        for file, own, include in includes(SRC)
        if own == "cub" and "/" in include and not include.startswith("cub/")
    )
    users = {file for file, own, include in includes(SRC) if include == "cub/sort.hpp"}
    assert users == {"src/cub/radix_sort.cu", "src/runtime/libraries/cub.hpp"}
    assert (ROOT / "src/cub/sort.hpp").read_text().count('extern "C"') == 1


@pytest.mark.parametrize("page", ["docs/design.md", "CONTRIBUTING.md"])
def test_pages_name_the_layers_in_order(page):
    chains = re.findall(r"`(\w+(?: -> \w+)+)`", (ROOT / page).read_text())
    assert chains == [" -> ".join(reversed(LAYERS))]


def test_the_design_describes_each_layer():
    text = (ROOT / "docs/design.md").read_text()
    rows = re.findall(r"^\| `src/(\w+)/` \|.*\|.*\|$", text, re.MULTILINE)
    assert rows == LAYERS


def test_files_begin_with_the_licence():
    check(
        f"{name(path)} does not begin with the two SPDX lines"
        for path in ALL
        if path.read_text().splitlines()[:2]
        != [line.format(COMMENT[path.suffix]) for line in LICENCE]
    )


def test_the_design_says_how_short_files_are():
    text = (ROOT / "docs/design.md").read_text()
    assert f"most are under {MAX_MEDIAN} lines, none over {MAX_LINES}" in text


def test_files_are_short():
    check(
        f"{name(path)} has {line_count(path)} lines, at most {MAX_LINES}"
        for path in ALL
        if name(path) not in GENERATED and line_count(path) > MAX_LINES
    )


def test_the_median_file_is_short():
    median = statistics.median(map(line_count, SRC + KERNELS))
    assert median <= MAX_MEDIAN, f"the median source has {median} lines, at most {MAX_MEDIAN}"
