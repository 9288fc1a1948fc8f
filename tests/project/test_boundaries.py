# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What docs/design.md says of the code and its text can show: who calls, catches and launches what.

test_layout.py and test_rooms.py have what `#include` lines and imports show.
"""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NATIVE = {".cpp", ".hpp", ".inc", ".cu", ".cuh", ".def"}
BELOW_PY = [f"src/{layer}" for layer in ("core", "cub", "runtime", "backend", "array")]
# A string, or a comment.
TEXTS = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


def sources(*folders):
    """The names of the native sources of the folders, with their texts."""
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*"))]
    return {name(path): path.read_text() for path in paths if path.suffix in NATIVE}


def name(path):
    return path.relative_to(ROOT).as_posix()


def code(text):
    """The text without comments and without what stands in strings; its lines stay."""
    return TEXTS.sub(
        lambda found: '""' if found[0][0] == '"' else "\n" * found[0].count("\n"), text
    )


CODE = {file: code(text) for file, text in sources("src", "kernels").items()}
SRC = {file: text for file, text in CODE.items() if file.startswith("src/")}
KERNELS = {file: text for file, text in CODE.items() if file.startswith("kernels/")}


def matches(pattern, files):
    """(file, line, match), for each place where the pattern matches."""
    for file, text in files.items():
        for found in re.finditer(pattern, text):
            yield file, text.count("\n", 0, found.start()) + 1, found


def files_with(pattern, files=SRC):
    return {file for file, _, _ in matches(pattern, files)}


def check(broken):
    broken = list(broken)
    assert not broken, "\n  " + "\n  ".join(broken)


def block(text, start):
    """The text between the brace at `start` and its counterpart."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return text[start : at + 1]
    raise AssertionError("the braces do not match")


def test_comments_and_strings_are_no_code():
    assert code('f("a // b <<<");  // catch\n/* throw\n*/ g();') == 'f("");  \n\n g();'


# Python.


def test_everything_below_py_has_never_heard_of_python():
    below = {file: text for file, text in CODE.items() if not file.startswith("src/py/")}
    check(
        f"{file}:{line} names {found[0]}"
        for file, line, found in matches(r"\bPy[A-Z]?\w*_\w+|\bPyObject\b", below)
    )


def test_types_are_heap_types_made_from_specs():
    check(
        f"{file}:{line}: {found[0]}"
        for file, line, found in matches(r"\bPyTypeObject \w+ ?[={;]|\bPyType_Ready\b", SRC)
    )


def test_the_limited_api_is_that_of_the_oldest_python():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    module = (ROOT / "src/meson.build").read_text().split("py.extension_module(")[1]
    version = re.search(r"limited_api: '([\d.]+)'", module)[1]
    assert project["project"]["requires-python"] == f">={version}"
    assert project["tool"]["meson-python"]["limited-api"]
    assert f"Limited API {version}" in (ROOT / "docs/design.md").read_text()


def test_the_module_is_put_together_from_the_parts_of_the_rooms():
    parts = {f"py/{path.parent.name}/parts.hpp" for path in ROOT.glob("src/py/*/parts.hpp")}
    included = re.findall(r'#include "(.*)"', (ROOT / "src/py/module.cpp").read_text())
    assert parts == {file for file in included if file.endswith("parts.hpp")}
    made = files_with(r"\bset_up_\w+\(")
    assert "src/py/module.cpp" in made


def test_core_names_what_it_needs_of_the_package_by_strings():
    """Each such string is a module of the package."""
    found = [
        (file, text)
        for file, whole in sources("src").items()
        for text in re.findall(r'"(gpuarray\.(?:_(?!core)\w+\.\w+|errors|driver|memory))"', whole)
    ]
    assert found
    for file, text in found:
        path = ROOT / text.replace(".", "/")
        assert path.with_suffix(".py").is_file() or path.is_dir(), f"{file}: {text}"


def test_the_package_loads_no_library_but_the_compiled_module():
    check(
        f"{name(path)} loads a library by ctypes or cffi"
        for path in (ROOT / "gpuarray").rglob("*.py")
        if re.search(r"\b(CDLL|LoadLibrary|find_library|cffi)\b", path.read_text())
    )


# Errors.


def test_exceptions_below_py_are_those_of_error_hpp():
    known = set(re.findall(r"^struct (\w+)", (ROOT / "src/core/error.hpp").read_text(), re.M))
    below = {file: text for file, text in SRC.items() if file.startswith(tuple(BELOW_PY))}
    check(
        f"{file}:{line} throws {found[1]}"
        for file, line, found in matches(r"\bthrow ([A-Z]\w+|std::\w+)\b", below)
        if found[1] not in known
    )


def test_one_function_turns_exceptions_into_python_errors():
    """Slot calls it, and so do the functions that DLPack and gpuarray.h give to other libraries."""
    assert files_with(r"\bset_python_error\(") == {
        "src/py/binding/errors.cpp",
        "src/py/binding/slot.hpp",
        "src/py/exchange/c_api.cpp",
        "src/py/exchange/dlpack_table.cpp",
    }


@pytest.mark.parametrize("file", sorted(files_with(r"\bcatch \(")))
def test_what_catches_elsewhere_says_why(file):
    """A handler that does not throw has a comment, or its function has one right above."""
    if file in ("src/py/binding/errors.cpp", "src/py/binding/slot.hpp"):
        return
    text = (ROOT / file).read_text()
    for found in re.finditer(r"\} catch \([^)]*\) \{", text):
        body = block(text, found.end() - 1)
        if re.search(r"\b(throw|set_python_error)\b", code(body)):
            continue
        before = text[: found.start()].splitlines()[-6:]
        assert any("//" in part for part in [*before, body]), (
            f"{file}:{text.count(chr(10), 0, found.start()) + 1} says not why it catches"
        )


def test_destructors_do_not_throw():
    check(
        f"{file}:{line}: the body of {found[0].strip()} throws"
        for file, line, found in matches(r"~\w+\(\)[^;{}]*\{", SRC)
        if re.search(r"\bthrow\b|\bGPUARRAY_CHECK\b", block(found.string, found.end() - 1))
    )
    assert not files_with(r"noexcept\(false\)")


# Memory and devices.


def test_operations_open_their_operands_through_access():
    """A plan goes to a backend on the stream of an Access; the operands of an expression or a
    Fourier transform are opened by the backend, those of a window before it is taken, by a
    BufferAccess, since operations lie above the room of windows."""
    arrays = {file: text for file, text in SRC.items() if file.startswith("src/array/")}
    opens = files_with(r"\bBufferAccess\b", arrays)
    assert {file for file in opens if not file.startswith("src/array/windows/")} == {
        "src/array/operand.cpp",
        "src/array/operand.hpp",
    }
    check(
        f"{file}:{line} hands a plan to a backend without an Access: {' '.join(found[0].split())}"
        for file, line, found in matches(r"\bbackend_of\([^;]*", arrays)
        if not re.search(r"access|\)\.(expression|fft|prepare\w*|cost_of|may_\w+)\(", found[0])
    )


def test_views_open_no_memory_and_call_no_driver():
    files = {f"src/array/{name}.cpp" for name in ("axes", "indexing", "reinterpret")}
    assert files <= SRC.keys()
    assert not files & files_with(r"\b(Access|backend_of|GPUARRAY_C\w+|copy\(|\w*lock\w*)\b")


def test_arrays_and_python_know_backends_by_backend_hpp():
    """src/py also hands NumPy's sort and product to the cpu device, by hooks of host.hpp."""
    files = sources("src/array", "src/py")
    check(
        f"{file}:{line} includes {found[1]}"
        for file, line, found in matches(r'#include "(backend/(?:cuda|host)/.*)"', files)
        if found[1] != "backend/host/scalar.hpp"
        if (file.split("/")[1], found[1]) != ("py", "backend/host/host.hpp")
    )
    own = {file: text for file, text in SRC.items() if file.startswith("src/py/operations/")}
    for hook in ("set_sort_library", "set_matmul_library"):
        assert files_with(rf"\bhost::{hook}\(", own), f"py sets no {hook}"


def test_the_driver_is_a_table_filled_by_dlopen():
    """_core is linked to dl and threads alone, and few files open libraries."""
    assert files_with(r"\bdlopen\(") == {
        "src/runtime/code/host_compiler.cpp",
        "src/runtime/driver/cuda_library.cpp",
        "src/runtime/driver/driver.cpp",
        "src/runtime/libraries/cub.cpp",
    }
    text = (ROOT / "src/meson.build").read_text()
    assert re.findall(r"dependency\('(\w+)'", text) == ["dl", "threads"]
    assert not re.search(r"cudart|find_library|-lcuda", text)


def test_core_and_array_do_not_know_the_driver():
    known = r"\b(?:cu[A-Z]\w+(?=\()|CU[a-z]\w+|CUDA_\w+|cuda_runtime\w*)"
    files = {
        file: text for file, text in SRC.items() if file.startswith(("src/core/", "src/array/"))
    }
    check(f"{file}:{line} names {found[0]}" for file, line, found in matches(known, files))


# Kernels and launches.


def test_kernels_are_launched_through_the_driver_in_one_place():
    assert files_with(r"\bcuLaunchKernel\w*\(", SRC) == {"src/runtime/launch/queue_launch.hpp"}
    assert not files_with(r"\w<<<", CODE), "a launch through the CUDA runtime"


def test_launches_are_noted_before_they_are_queued():
    text = SRC["src/runtime/stream/queue_noted.hpp"]
    body = block(text, text.index("{", text.index(" queue_noted(")))
    assert body.index("note()") < body.index("= queue()")
    text = SRC["src/runtime/launch/queue_launch.hpp"]
    launches = block(text, text.index("{", text.index(" queue_launch(")))
    assert "return queue_noted(" in launches
    for file in ("buffer/graph.cpp", "libraries/cub.cpp", "libraries/cublas.cpp"):
        assert " queue_noted(" in SRC[f"src/runtime/{file}"]


def test_kernels_are_found_by_their_names():
    check(
        f'{file}:{line} is not extern "C"'
        for file, line, _ in matches(r'(?<!extern "" )__global__', KERNELS)
    )


def test_a_module_is_one_fat_binary():
    text = (ROOT / "kernels/meson.build").read_text()
    modules = re.findall(r"'(\w+)'", text.split("modules = [")[1].split("]")[0])
    assert modules == sorted(path.stem for path in ROOT.glob("kernels/aot/*"))


def test_families_are_described_by_the_files_that_launch_them():
    files = files_with(r"\bKernelFamily<") - {"src/backend/cuda/kernel_table.hpp"}
    assert files
    rooms = re.compile("src/backend/(cuda|indexing|linalg|random|sorting)/")
    check(f"{file} is not in src/backend/cuda" for file in files if not rooms.match(file))
    launching = files_with(r"\blaunch\w*\(")
    check(f"{file} launches nothing" for file in files - launching if "_kernels.cpp" not in file)


def test_the_walks_of_operators_and_expressions_are_the_same():
    walks = {f"kernels/elementwise/{walk}.cuh" for walk in ("flat", "rows", "tile")}
    named = re.search(
        r"walks\[\] = {(.*)}", (ROOT / "src/backend/expression_source.cpp").read_text()
    )
    assert walks <= {f"kernels/elementwise/{name}.cuh" for name in re.findall(r"\w+", named[1])}
    check(
        f"{file} has a walk of its own"
        for file, text in KERNELS.items()
        if file not in walks and re.search(r"\bvoid (flat|rows|tile)_kernel\(", text)
    )


def test_launch_numbers_stand_in_tuning_hpp():
    numbers = r"\bconstexpr int k\w*(?:Block|BlocksPerMultiprocessor)\b|__launch_bounds__\( ?\d"
    files = KERNELS | {f: text for f, text in SRC.items() if f.startswith("src/backend/")}
    check(
        f"{file}:{line}: {found[0]}"
        for file, line, found in matches(numbers, files)
        if file != "kernels/tuning.hpp"
    )


def test_functors_and_element_types_are_headers_of_our_own():
    """Both compilers read them: they include none of CUDA's, and few of C++'s."""
    # What users' sources include may be a part of CCCL.
    ours = [file for file in KERNELS if not file.startswith("kernels/standard/")]
    files = {file: (ROOT / file).read_text() for file in ours}
    check(
        f"{file}:{line} includes <{found[1]}>"
        for file, line, found in matches(r"#\s*include <(.*)>", files)
        if found[1] not in ("cmath", "math.h", "stdint.h", "utility")
    )


@pytest.mark.parametrize(
    ("file", "option"),
    [
        ("meson.build", "'-ffp-contract=off'"),
        ("kernels/meson.build", "'-fmad=false'"),
        ("src/runtime/code/compile.cpp", '"--fmad=false"'),
        ("src/runtime/code/host_compiler.cpp", '"-ffp-contract=off"'),
    ],
)
def test_both_compilers_compile_without_contraction(file, option):
    assert option in (ROOT / file).read_text()
