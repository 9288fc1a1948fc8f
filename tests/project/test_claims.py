# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""docs/design.md and CONTRIBUTING.md agree with the tree: paths, names, numbers, lists and tables.

test_layout.py, test_rooms.py and test_boundaries.py check what the pages say of layers, rooms and
the code; test_tables.py, of an operator's row; test_places.py, of adding a family, a dtype and a
library.
"""

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DESIGN = (ROOT / "docs/design.md").read_text()
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
PAGES = {"docs/design.md": DESIGN, "CONTRIBUTING.md": CONTRIBUTING}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CI = (ROOT / ".ci/run").read_text()

# Folders of the tree; what else lies there is made by tools.
FOLDERS = ["benchmarks", "docs", "examples", "gpuarray", "kernels", "src", "tests", "tools"]
SUFFIXES = "c(pp|u|uh)|def|h|hpp|inc|json|map|md|options|py|pyi|sh|toml|build"
FILES = [
    path.relative_to(ROOT).as_posix()
    for folder in (*(ROOT / folder for folder in FOLDERS), ROOT)
    for path in (folder.glob("*") if folder == ROOT else folder.rglob("*"))
    if path.is_file() and "__pycache__" not in path.parts
]
# What the pages name and the code does not hold: a word for any library, and a user's attribute.
EXAMPLES = {"GPUARRAY_LIBX", "scale"}
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def code_texts():
    """The texts of all sources but these tests, which name what they look for."""
    found = [file for file in FILES if re.search(rf"\.({SUFFIXES})$", file)]
    kept = [file for file in found if not file.startswith("tests/project/")]
    return [(ROOT / file).read_text() for file in kept if not file.endswith(".md")]


WORDS = {word for text in code_texts() for word in re.findall(r"\w+", text)}


def quoted(page):
    """What the page has between backticks, but for its blocks of commands."""
    return list(dict.fromkeys(re.findall(r"`([^`\n]+)`", FENCE.sub("", PAGES[page]))))


def is_path(text):
    return re.fullmatch(r"[\w.*<>-]*/[\w./*<>-]*|[\w*]+\.(cpp|hpp|cuh?|def|pyi?|md|toml)", text)


def exists(text):
    """Whether the path, or the end of one, is in the tree; <room> and x stand for any name."""
    text = re.sub(r"(?<=/)x(?=[._])", "<x>", text.rstrip("/"))
    pattern = re.escape(text).replace(r"\*", "[^/]*")
    pattern = re.sub(r"<\w+>", r"\\w+", pattern)
    return any(re.search(rf"(^|/){pattern}(/|$)", file) for file in FILES)


@pytest.mark.parametrize("page", PAGES)
def test_every_path_that_a_page_names_exists(page):
    outside = {"numpy/*", ".venv/bin", "/usr/local/cuda"}
    templates = {"x.cuh", "x.cpp", "x_library.cpp"}
    paths = [text for text in quoted(page) if is_path(text)]
    assert paths
    missing = [text for text in paths if text not in outside | templates and not exists(text)]
    assert not missing


@pytest.mark.parametrize("page", PAGES)
def test_every_name_that_a_page_uses_is_in_the_code(page):
    names = {
        word
        for text in quoted(page)
        if not is_path(text)
        for word in re.findall(r"[A-Za-z_]\w+", text)
    }
    assert names
    assert not sorted(names - WORDS - EXAMPLES)


def test_names_stand_in_the_files_that_the_design_gives_them():
    """As in `KernelFamily` in `src/backend/cuda/kernel_table.hpp`."""
    pairs = re.findall(r"`([\w:<>+ ]+)`(?: \(| in | of )`([\w/]+\.\w+)`", DESIGN + CONTRIBUTING)
    assert len(pairs) > 10
    for name, file in pairs:
        (path, *others) = [found for found in FILES if f"/{found}".endswith(f"/{file}")]
        assert not others, f"{file} is not one file"
        word = re.findall(r"[A-Za-z_]\w+", name)[0]
        assert re.search(rf"\b{word}\b", (ROOT / path).read_text()), f"{path}: {word}"


# What a page says, and the text of the code that makes it true.
NUMBERS = [
    ("Fifteen dtypes", "kernels/dtypes.def", r"(\nGPUARRAY_DTYPE\([^\n]+){15}\n\n"),
    ("up to 64 dimensions", "src/core/dims.hpp", r"kMaxDims = 64;"),
    ("a ring of 128 cache lines", "src/runtime/stream/launch_log.cpp", r"kEntries = 128;"),
    ("a ring of 128 cache lines", "src/runtime/stream/launch_log.cpp", r"struct alignas\(64\)"),
    ("up to six dimensions", "kernels/elementwise/walk_params.hpp", r"kFewDims = 6;"),
    ("32 x 32 tiles", "kernels/tuning.hpp", r"kTile = 32;"),
    ("at least 2^20 elements", "src/backend/cuda/elementwise.cpp", r"From = int64_t\{1\} << 20;"),
    ("blocks up to 1 MiB", "src/runtime/memory/caching.cpp", r"kLargest = int64_t\{1\} << 20;"),
    ("64 MiB a device", "src/runtime/memory/caching.cpp", r"kMostCached = int64_t\{64\} << 20;"),
    ("has at most 25 names", "tests/project/test_rooms.py", r"MAX_NAMES = 25\n"),
    ("operations and dtypes of `kernels/hot.def`", "kernels/aot/flat.cu", r'"kernels/hot\.def"'),
    ("operations and dtypes of `kernels/hot.def`", "kernels/aot/rows.cu", r'"kernels/hot\.def"'),
    ("copies for every itemsize", "kernels/hot.def", r"(\nGPUARRAY_HOT_COPY\([^\n]+){5}\n\n"),
    ("cpu device's sorts are NumPy's", "src/py/operations/sorts.cpp", r"set_sort_library\("),
    ("that says `gpuarray.to_device(x)`", "src/py/convert/array_object.cpp", r"to_device\(x\)"),
    ("compute capability 9.0 and newer", "kernels/element/grid.cuh", r"__CUDA_ARCH__ >= 900"),
    ("fetches nvcc from PyPI", "tools/build_backend.py", r'NVCC_WHEELS if mode == "on"'),
    ("GPUARRAY_CUDA=on", "tools/build_backend.py", r'\("auto", "on", "off"\)'),
    ("by one atomic operation", "src/runtime/buffer/submission_lock.hpp", r"is_held\.exchange\("),
    ("sanitizers.py address", "tools/sanitizers.py", r'"address": "address,undefined", "thread"'),
]


@pytest.mark.parametrize(("claim", "file", "pattern"), NUMBERS)
def test_what_a_page_says_is_what_the_code_has(claim, file, pattern):
    text = " ".join((DESIGN + CONTRIBUTING).split())
    assert claim in text, "the page says something else: change this table with it"
    assert re.search(pattern, (ROOT / file).read_text())


def section(heading, page):
    return page.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def test_the_paths_of_launches_are_those_of_the_design():
    text = (ROOT / "src/backend/path.hpp").read_text()
    paths = re.search(r"enum class Path : uint8_t \{ (.*) \};", text)[1].split(", ")
    design = re.findall(r"^\| (\w+) \|", section("Kernels", DESIGN), re.M)
    assert sorted(design[1:]) == sorted(paths)


def test_the_tree_of_the_design_is_the_tree():
    tree = section("Tree", DESIGN).split("```")[1]
    named = re.findall(r"^(\w+)/ ", tree, re.MULTILINE)
    assert set(named) == set(FOLDERS)
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode == 0 and tracked.stdout:  # else it is no checkout
        folders = {file.split("/")[0] for file in tracked.stdout.splitlines() if "/" in file}
        assert {folder for folder in folders if folder[0] != "."} == set(FOLDERS)


def test_modules_and_rooms_that_are_not_public_begin_with_an_underscore():
    rows = re.findall(r"^\| `gpuarray/(\w+)(?:\.pyi?|/)` \| (\w+)", DESIGN, re.MULTILINE)
    public = {name for name, what in rows if what == "public"}
    assert public == {name for name, _ in rows if not name.startswith("_")}
    files = {"errors", "memory", "driver", "fft", "kernels", "linalg", "random", "testing"}
    files.add("collectives")
    assert files | {"cuda", "lib", "profiler", "pycuda"} == public


def test_what_is_planned_is_not_in_the_code():
    planned = re.findall(r"\*Planned:\*([^.]+)\.", DESIGN)
    names = {word for text in planned for word in re.findall(r"cu[A-Z]\w+", text)}
    sources = [file for file in FILES if file.startswith(("src/", "kernels/"))]
    text = "\n".join((ROOT / file).read_text() for file in sources)
    assert not [name for name in names if f'"lib{name.lower()}"' in text]


# CONTRIBUTING.


def build_list(file, opening):
    text = (ROOT / file).read_text().split(opening)[1]
    return re.findall(r"^ *'([^']+)',", text.split("\n)")[0].split("\n]")[0], re.MULTILINE)


def below(folder, pattern):
    return {path.relative_to(ROOT / folder).as_posix() for path in (ROOT / folder).rglob(pattern)}


@pytest.mark.parametrize(
    ("file", "opening", "pattern"),
    [
        ("src/meson.build", "library_sources = files(", "*.cpp"),
        ("src/backend/loops/meson.build", "loop_sources = files(", "*.cpp"),
        ("src/meson.build", "module_sources = files(", "py/**/*.cpp"),
        ("kernels/meson.build", "headers = files(", "*.*h"),
        ("gpuarray/meson.build", "py.install_sources(", "*.py"),
    ],
)
def test_sources_are_listed_by_path_and_sorted(file, opening, pattern):
    listed = build_list(file, opening)
    assert listed == sorted(listed), "sort them"
    assert len(listed) == len(set(listed))
    folder = file.split("/")[0]
    every = {
        (build.parent / name).relative_to(ROOT / folder).as_posix()
        for build in (ROOT / folder).rglob("meson.build")
        for name in re.findall(r"^ *'([^']+)',", build.read_text(), re.MULTILINE)
    }
    assert not below(folder, pattern) - every, f"no meson.build of {folder} lists them"


def commands():
    """The lines of the page's blocks of commands."""
    for block in re.findall(r"^```sh\n(.*?)^```", CONTRIBUTING, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            yield line.split("#")[0].split() + re.findall(r"(--\w+)", line.partition("#")[2])


def test_commands_of_contributing_exist_and_take_their_options():
    scripts = 0
    for words in commands():
        for script in [word for word in words if re.match(r"(tools|benchmarks|\.ci)/", word)]:
            scripts += 1
            path = ROOT / script
            text = (path / "__main__.py" if path.is_dir() else path).read_text()
            options = [word for word in words if word.startswith("--")]
            assert not [option for option in options if f'"{option}"' not in text], script
    assert scripts > 10


def test_the_build_options_are_those_of_meson():
    rows = re.findall(r"^\| `([\w.]+)` \|", section("Build", CONTRIBUTING), re.MULTILINE)
    of_meson = {"python.allow_limited_api", "strip", "werror"}
    options = re.findall(r"^option\('(\w+)'", (ROOT / "meson.options").read_text(), re.M)
    assert set(rows) == set(options) | of_meson and len(rows) == len(set(rows))
    page = section("Options", (ROOT / "docs/building.md").read_text())
    assert set(re.findall(r"^\| `([\w.]+)` \|", page, re.MULTILINE)) == set(rows)


def test_the_tools_of_an_editable_build_are_those_of_the_build():
    command = re.search(r"pip install (meson-python .*)", CONTRIBUTING)[1]
    named = {re.match(r"'?([\w-]+)", word)[1] for word in command.split()}
    required = {re.match(r"[\w-]+", word)[0] for word in PROJECT["build-system"]["requires"]}
    assert named == required | {"ninja"}
    assert "'numpy>=2.0'" in command and "numpy>=2.0" in PROJECT["build-system"]["requires"]


def test_the_linters_are_those_of_ci_and_of_the_hooks():
    extras = PROJECT["project"]["optional-dependencies"]
    assert "pre-commit" in extras["dev"]
    tools = [re.match(r"[\w-]+", requirement)[0] for requirement in extras["lint"]]
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    lint = section("Lint", CONTRIBUTING)
    for text in (lint, hooks, CI):
        assert not [tool for tool in tools if tool not in text]
    page = set(re.findall(r"'\*\.(\w+)'", lint))
    ours = set(re.findall(r"'\*\.(\w+)'", CI[CI.index("format_check") :].split("\n}")[0]))
    hooked = set(re.search(r"files: \\\.\(([\w|]+)\)\$", hooks)[1].split("|"))
    assert page == ours == hooked


def test_ci_runs_what_the_pages_say():
    """Every kernel with warnings as errors, the order of kernels, all tests."""
    for text in (
        "-Dgpu_archs=75,90-virtual",
        "CXXFLAGS=-Werror",
        "-Werror=all-warnings",
        "tools/check_kernel_order.py",
    ):
        assert text in CI
    for tool in ("tools/test_on_driver.py", "tools/sanitizers.py", "benchmarks/run.py", "--check"):
        assert tool in CI and tool in CONTRIBUTING
    assert CI.rstrip().splitlines()[-1].startswith(".venv/bin/pytest -n auto")


def test_the_table_of_errors_has_every_exception():
    """Warnings and the record of a launch are not raised as errors."""
    module = ast.parse((ROOT / "gpuarray/errors.py").read_text())
    classes = {node.name for node in module.body if isinstance(node, ast.ClassDef)}
    page = (ROOT / "docs/errors.md").read_text()
    rows = set(re.findall(r"^\| `(?:[\w.]+\.)?(\w+)` \|", page, re.MULTILINE))
    assert {name for name in classes if name.endswith("Error")} | {"ImportError"} <= rows
