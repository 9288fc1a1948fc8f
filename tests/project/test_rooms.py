# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The rooms of each layer, their order and their size, read from includes and imports alone."""

import ast
import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# The rooms of each layer in order of knowledge: a file includes or imports files of its own room
# and of those before it. A room is a folder, or a file that lies beside the folders; "*" is all
# other files there. docs/design.md says what each holds.
ROOMS = {
    "src/runtime": "driver device stream memory buffer transfer cache code launch libraries",
    "src/backend": "* loops host host_copies cuda indexing sorting linalg random devices",
    "src/array": "array.hpp array.cpp windows * linalg random fourier",
    "src/py": "binding convert device memory operations array exchange kernel expression *",
    "kernels": "* standard element errors elementwise reduce scan matmul linalg fft indexing sort"
    " random expression aot",
    "gpuarray": "_core.pyi errors.py _common memory.py _runtime _dtypes _creation _manipulation"
    " _indexing _kernels _ufuncs _math _sorting _statistics _random _fourier _fusion _linalg"
    " _pickling.py _protocols _testing driver.py kernels.py fft.py lib linalg.py profiler.py"
    " random.py testing.py _collectives collectives.py * cuda pycuda",
}
ROOMS = {layer: rooms.split() for layer, rooms in ROOMS.items()}
# Layers of a single room, and folders whose rooms have no order.
FLAT = ["src/core", "src/cub"]
UNORDERED = ["tests"]

# Files of one room that know each other: sources that include each other's headers. Others are
# refused, and one that is untied leaves this table.
CIRCLES = {
    "src/runtime/buffer": "access buffer capture graph_memory lent_buffers live_blocks",
    "src/runtime/device": "cuda_device device host_info",
    "src/runtime/driver": "device_code driver driver_error",
    "src/runtime/memory": "caching debug host_pool memory resources segments",
    "src/runtime/stream": "launch_log main_stream recording stream",
    "src/runtime/transfer": "staging staging_pool",
}
CIRCLES = {tuple(f"{room}/{name}" for name in names.split()) for room, names in CIRCLES.items()}

# Names of files in a room, of which a header and the sources that share its name have one.
MAX_NAMES = 25
NATIVE = {".cpp", ".hpp", ".inc", ".cu", ".cuh", ".def"}


def files(root, folder):
    suffixes = {".py"} if folder == "gpuarray" else NATIVE
    found = sorted(path for path in (root / folder).rglob("*") if path.suffix in suffixes)
    return [path.relative_to(root).as_posix() for path in found]


def included(root, file):
    """The files of the tree that the file includes."""
    text = (root / file).read_text()
    names = re.findall(r'^\s*#\s*include\s*"([^"]+)"', text, re.MULTILINE)
    return [name if name.startswith("kernels/") else f"src/{name}" for name in names]


def module_of(root, name):
    """The file of a module of the package, None for what is none."""
    path = name.replace(".", "/")
    candidates = [f"{path}.py", f"{path}.pyi", f"{path}/__init__.py"]
    return next((file for file in candidates if (root / file).is_file()), None)


def is_for_type_checkers(node):
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def statements(tree):
    """All nodes of the tree but what only type checkers run."""
    yield tree
    children = tree.orelse if is_for_type_checkers(tree) else ast.iter_child_nodes(tree)
    for child in children:
        yield from statements(child)


def imported(root, file):
    """The files of the package that the module imports, at its top and within functions."""
    found = []
    for node in statements(ast.parse((root / file).read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: line {node.lineno} imports by a relative name"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if module_of(root, name) else node.module for name in inner]
        else:
            continue
        found += [module_of(root, name) for name in names if name.split(".")[0] == "gpuarray"]
    return found


def edges(root, folder):
    """(file, what it includes or imports), within the folder."""
    of_file = imported if folder == "gpuarray" else included
    for file in files(root, folder):
        for other in dict.fromkeys(of_file(root, file)):
            if other.startswith(f"{folder}/") and other != file:
                yield file, other


def room_of(file, layer):
    """The room in ROOMS that the file lies in, or the folder if ROOMS does not name it."""
    first, *inner = file.removeprefix(f"{layer}/").split("/")
    return first if inner or first in ROOMS[layer] else "*"


def upward(root, layer):
    """What each file includes of a room that comes later in the layer's order."""
    order = ROOMS[layer]
    place = {room: index for index, room in enumerate(order)}
    for file, other in edges(root, layer):
        if place[room_of(other, layer)] > place[room_of(file, layer)]:
            yield f"{file} includes {other}, of a later room; the order is {' '.join(order)}"


def component(file):
    """The file without its suffix: a header and the sources of its name are one."""
    return file.rsplit(".", 1)[0]


def reach(graph, start):
    """All that can be reached from `start`, which is itself among it only by a circle."""
    found, left = set(), list(graph[start])
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += graph.get(name, ())
    return found


def circles(root, folder):
    """The names of files that include each other in a circle, for each such circle."""
    graph = {component(file): set() for file in files(root, folder)}
    for file, other in edges(root, folder):
        if component(other) != component(file):
            graph[component(file)].add(component(other))
    reached = {name: reach(graph, name) for name in graph}
    circular = [name for name in graph if name in reached[name]]
    groups = {tuple(b for b in circular if b in reached[a] and a in reached[b]) for a in circular}
    return sorted(groups)


def circle_texts(root, folder):
    for names in circles(root, folder):
        if names not in CIRCLES:
            yield f"{', '.join(names)} include each other in a circle"


def crowded(root, folder):
    """Each room of the folder with too many names."""
    names = {}
    for path in sorted((root / folder).rglob("*")):
        if path.suffix in NATIVE | {".py"}:
            names.setdefault(path.parent.relative_to(root).as_posix(), set()).add(path.stem)
    for room, found in names.items():
        if len(found) > MAX_NAMES:
            yield f"{room}/ has {len(found)} names, at most {MAX_NAMES}: give some a room"


def check(broken):
    broken = list(broken)
    assert not broken, "\n  " + "\n  ".join(broken)


@pytest.mark.parametrize("layer", ROOMS)
def test_every_room_has_its_place(layer):
    inside = [path for path in (ROOT / layer).iterdir() if path.name != "__pycache__"]
    folders = {path.name for path in inside if any(path.glob("*.*"))} - {"include"}
    listed = {room for room in ROOMS[layer] if "." not in room and room != "*"}
    assert folders == listed, f"{layer}: the folders, and those that ROOMS names"
    assert all((ROOT / layer / room).is_file() for room in ROOMS[layer] if "." in room)


@pytest.mark.parametrize("layer", ROOMS)
def test_no_room_includes_a_later_one(layer):
    check(upward(ROOT, layer))


@pytest.mark.parametrize("folder", [*ROOMS, *FLAT])
def test_no_files_include_each_other_in_a_circle(folder):
    check(circle_texts(ROOT, folder))


@pytest.mark.parametrize("folder", ["src", "kernels", "gpuarray", "tests"])
def test_rooms_are_small(folder):
    check(crowded(ROOT, folder))


def test_circles_that_were_untied_are_no_longer_named():
    found = [names for folder in [*ROOMS, *FLAT] for names in circles(ROOT, folder)]
    assert set(CIRCLES) <= set(found), "a circle that CIRCLES names was untied"


def planted(tmp_path, file, line):
    """A copy of the file's layer with the line at the end of that file."""
    layer = file.split("/")[0]
    shutil.copytree(ROOT / layer, tmp_path / layer, ignore=shutil.ignore_patterns("__pycache__"))
    with open(tmp_path / file, "a") as copy:
        copy.write(line + "\n")
    return tmp_path


@pytest.mark.parametrize(
    ("layer", "file", "line", "other"),
    [
        (
            "src/py",
            "src/py/convert/convert.hpp",
            '#include "py/exchange/dlpack.hpp"',
            "src/py/exchange/dlpack.hpp",
        ),
        (
            "kernels",
            "kernels/element/grid.cuh",
            '#include "kernels/sort/sort_key.cuh"',
            "kernels/sort/sort_key.cuh",
        ),
        (
            "gpuarray",
            "gpuarray/_common/arguments.py",
            "def planted():\n    from gpuarray._protocols import format",
            "gpuarray/_protocols/format.py",
        ),
        (
            "gpuarray",
            "gpuarray/_creation/ranges.py",
            "def planted():\n    import gpuarray",
            "gpuarray/__init__.py",
        ),
    ],
)
def test_a_planted_upward_include_is_found(tmp_path, layer, file, line, other):
    (found,) = upward(planted(tmp_path, file, line), layer)
    assert found.startswith(f"{file} includes {other}, ")
    assert " ".join(ROOMS[layer]) in found


def test_a_planted_circle_is_found(tmp_path):
    root = planted(tmp_path, "src/core/dims.hpp", '#include "core/layout.hpp"')
    found = [names for names in circles(root, "src/core") if "src/core/dims" in names]
    assert found and "src/core/layout" in found[0]


def test_what_type_checkers_import_is_no_import(tmp_path):
    line = "if TYPE_CHECKING:\n    from gpuarray._protocols import format"
    root = planted(tmp_path, "gpuarray/_common/arguments.py", line)
    assert list(upward(root, "gpuarray")) == []


def test_a_room_of_too_many_files_is_found(tmp_path):
    for index in range(MAX_NAMES + 1):
        (tmp_path / f"name{index}.py").touch()
    (found,) = crowded(tmp_path, ".")
    assert f"{MAX_NAMES + 1} names" in found


def test_the_design_names_the_rooms_in_order():
    """The table of docs/design.md, row by row: `src/py/array/`, and `src/py/*` for other files."""
    text = (ROOT / "docs/design.md").read_text()
    rows = [row.rstrip("/") for row in re.findall(r"^\| `([\w/.*]+)` \| \S", text, re.MULTILINE)]
    for layer, rooms in ROOMS.items():
        listed = [row for row in rows if row.startswith(f"{layer}/")]
        assert listed == [f"{layer}/{room}" for room in rooms]
    for folder in UNORDERED:
        inside = {path.name for path in (ROOT / folder).iterdir() if path.is_dir()}
        listed = {row for row in rows if row.startswith(f"{folder}/")}
        assert listed == {f"{folder}/{name}" for name in inside - {"__pycache__"}}
