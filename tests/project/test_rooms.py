# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The rooms of each layer, their order and their size, read from includes and imports alone."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# The rooms of each layer in order of knowledge: a file includes or imports files of its own room
# and of those before it. A room is a folder; "." is the files that lie in the layer's own folder,
# and another name that is no folder is one of those files, in a place of its own.
ROOMS = {
    "src/runtime": "driver device stream memory buffer transfer cache code launch libraries",
    "src/backend": ". host cuda devices",
    "src/py": "binding convert device memory operations array exchange kernel expression .",
    "kernels": ". element elementwise reduce scan matmul indexing sort expression aot",
    "gpuarray": "_core errors _common memory _runtime _dtypes _creation _manipulation _indexing"
    " _kernels _ufuncs _math _sorting _statistics _fusion _pickling _protocols driver kernels .",
}
ROOMS = {layer: rooms.split() for layer, rooms in ROOMS.items()}
# Layers of a single room, in which only circles are refused.
FLAT = ["src/core", "src/cub", "src/array"]
# Edges that go upward or close a circle and are to be mended.
EXCEPTIONS = set()

# Of a room: a header and the sources that share its name count as one.
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
            if other.startswith(f"{folder}/") and other != file and (file, other) not in EXCEPTIONS:
                yield file, other


def room_of(file, layer):
    inside = file.removeprefix(f"{layer}/")
    first = inside.split("/")[0] if "/" in inside else Path(inside).stem
    return first if "/" in inside or first in ROOMS[layer] else "."


def upward(root, layer):
    """Each include or import of a room that comes later in the layer's order."""
    order = ROOMS[layer]
    for file, other in edges(root, layer):
        if order.index(room_of(other, layer)) > order.index(room_of(file, layer)):
            yield f"{file} includes {other}, of a later room; the order is {' '.join(order)}"


def component(file):
    """A header and the sources of its name are one."""
    return file.rsplit(".", 1)[0]


def circles(root, folder):
    """Each group of files that include each other in a circle."""
    graph = {component(file): set() for file in files(root, folder)}
    for file, other in edges(root, folder):
        graph[component(file)].add(component(other))
    reached = {name: reach(graph, name) for name in graph}
    groups = {frozenset(b for b in reached[a] if a in reached.get(b, ())) for a in graph if a in reached[a]}
    for group in sorted(map(sorted, groups)):
        yield f"{' and '.join(group)} include each other in a circle"


def reach(graph, start):
    """All that can be reached from `start`, itself only by a circle."""
    found, left = set(), [other for other in graph[start] if other != start]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += graph.get(name, ())
    return found


def crowded(root, folder):
    """Each folder with more names than a room should have."""
    names = {}
    for path in sorted((root / folder).rglob("*")):
        if path.suffix in NATIVE | {".py"}:
            names.setdefault(path.parent.relative_to(root).as_posix(), set()).add(path.stem)
    for room, found in names.items():
        if len(found) > MAX_NAMES:
            yield f"{room} has {len(found)} names, at most {MAX_NAMES}: give some a room"


def check(broken):
    broken = list(broken)
    assert not broken, "\n  " + "\n  ".join(broken)


@pytest.mark.parametrize("layer", ROOMS)
def test_every_room_has_its_place(layer):
    rooms = {room_of(file, layer) for file in files(ROOT, layer)}
    assert rooms - set(ROOMS[layer]) == set(), f"{layer}: rooms that ROOMS does not name"
    assert set(ROOMS[layer]) - rooms - {"_core"} == set(), f"{layer}: ROOMS names what is not there"


@pytest.mark.parametrize("layer", ROOMS)
def test_no_room_includes_a_later_one(layer):
    check(upward(ROOT, layer))


@pytest.mark.parametrize("folder", [*ROOMS, *FLAT])
def test_no_files_include_each_other_in_a_circle(folder):
    check(circles(ROOT, folder))


@pytest.mark.parametrize("folder", ["src", "kernels", "gpuarray", "tests"])
def test_rooms_are_small(folder):
    check(crowded(ROOT, folder))
