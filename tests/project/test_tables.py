# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A row of kernels/ops.def or reductions.def is all that an operation needs: docs/design.md.

A toy row is preprocessed with the sources that are made of the tables; nothing is compiled.
"""

import os
import re
import shlex
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CXX = shlex.split(os.environ.get("CXX", "c++"))
OPERATION = 'GPUARRAY_BINARY(toy, toy, FLOAT, SAME, a + 2 * b, "Toy of two arrays.")\n'
REDUCTION = 'GPUARRAY_REDUCTION(toy, ALL, SAME, ERROR, "Toy of all elements.")\n'

# What follows from the rows, and where.
OF_OPERATION = {
    "enum": ("src/core/op.hpp", r"enum class Op [^}]*\btoy\b"),
    "dtypes": ("src/core/op.cpp", r'\{"toy", 2, [^}]*bit\(DType::float64\)'),
    "functor": ("kernels/element/functors.cuh", r"struct toy_functor .*a \+ 2 \* b"),
    "host loop": (
        "src/backend/loops/elementwise_float.cpp",
        r"binary_loop<Op::toy, toy_functor<served_t<Op::toy, double>>",
    ),
    "kernel": ("kernels/aot/elementwise_float.cu", r'extern "C" \w+ void gpuarray_toy_float64\('),
    "slot": ("src/py/array/array_number.cpp", r"\{Py_nb_toy, binary_slot<Op::toy>\(\)\}"),
    "function": (
        "src/py/operations/functions.cpp",
        r'method<binary<Op::toy>, Entry::joins>.*"Toy of two arrays',
    ),
    "table": ("src/py/operations/tables.cpp", r'\{Op::toy, "toy", "SAME"\}'),
}
OF_REDUCTION = {
    "enum": ("src/core/op.hpp", r"enum class Reduction [^}]*\btoy\b"),
    "host loop": (
        "src/backend/loops/reduce_float.cpp",
        r"reduce_loops<toy_reducer<served_t<Reduction::toy, double>>>",
    ),
    "kernel": ("kernels/aot/reduce_float.cu", r"gpuarray_reduce_toy_float64\("),
    "function": ("src/py/operations/reductions.cpp", r"method<function<Reduction::toy>, "),
    "method": ("src/py/operations/reductions.cpp", r"method<array_method<Reduction::toy>, "),
    "table": ("src/py/operations/tables.cpp", r'\{"toy", "SAME", "ERROR", "Toy of all elements'),
}


@pytest.fixture(scope="module")
def with_toys(tmp_path_factory):
    """A folder with both tables, each with one row more."""
    folder = tmp_path_factory.mktemp("toys")
    (folder / "kernels").mkdir()
    for name, macro, row in (
        ("ops.def", "GPUARRAY_BINARY", OPERATION),
        ("reductions.def", "GPUARRAY_REDUCTION", REDUCTION),
    ):
        text = (ROOT / "kernels" / name).read_text()
        first = re.search(rf"^{macro}\(\w", text, re.MULTILINE).start()
        (folder / "kernels" / name).write_text(text[:first] + row + text[first:])
    return folder


@pytest.mark.skipif(shutil.which(CXX[0]) is None, reason="needs a C++ compiler")
@pytest.mark.parametrize(
    ("file", "pattern"),
    [*OF_OPERATION.values(), *OF_REDUCTION.values()],
    ids=[
        *(f"operation: {what}" for what in OF_OPERATION),
        *(f"reduction: {what}" for what in OF_REDUCTION),
    ],
)
def test_all_follows_from_one_row(with_toys, file, pattern):
    folders = [with_toys, ROOT, ROOT / "src", sysconfig.get_path("include")]
    flags = ["-E", "-P", "-w", "-std=c++20", "-D__global__=global", "-x", "c++"]
    done = subprocess.run(
        [*CXX, *flags, *(f"-I{folder}" for folder in folders), ROOT / file],
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.search(pattern, " ".join(done.stdout.split()))


def rows(file, macro):
    text = re.sub(r"//[^\n]*", "", (ROOT / file).read_text())
    return re.findall(rf"^{macro}\((\w+),(.*?)\)$", text, re.DOTALL | re.MULTILINE)


def operations():
    return rows("kernels/ops.def", r"GPUARRAY_(?:UNARY|BINARY|TERNARY)")


def test_a_row_gives_slot_class_rule_expression_and_one_line():
    """The macro says the arity."""
    text = (ROOT / "kernels/ops.def").read_text()
    described = text[text.index("// rule") : text.index("// expression")]
    rules = set(re.findall(r"\b([A-Z][A-Z0-9]{3,})\b", described))
    classes = (ROOT / "kernels/dtype_classes.def").read_text()
    classes = set(re.findall(r"GPUARRAY_FOR_(\w+)", classes))
    found = operations()
    assert len({name for name, _ in found}) == len(found) > 80
    for name, row in found:
        parts = re.fullmatch(r' (\w+), (\w+), (\w+), (.+),\s+"([^"\n]+\.)"', row, re.DOTALL)
        assert parts, f"{name}: {row}"
        assert parts[2] in classes and parts[3] in rules, f"{name}: {row}"


@pytest.mark.parametrize("file", ["gpuarray/_core.pyi", "docs/operations.md"])
def test_each_row_is_in_the_stub_and_on_the_page(file):
    found = [*operations(), *rows("kernels/reductions.def", "GPUARRAY_REDUCTION")]
    parts = (ROOT / "gpuarray/_common/core_names.py").read_text()  # which the package does not have
    names = [name for name, _ in found if f'"{name}"' not in parts]
    text = (ROOT / file).read_text()
    pattern = r"^def {}\(" if file.endswith(".pyi") else r"^\| `{}` \|"
    assert not [name for name in names if not re.search(pattern.format(name), text, re.MULTILINE)]
