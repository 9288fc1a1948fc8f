# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Writes gpuarray/_core.pyi: core_stub_template.pyi, filled in from the tables of operations.

Public functions, classes and their members have the docstrings of the built module, for editors.
generate_stubs.py [OUTPUT] needs an installed gpuarray; for OUTPUT "-" it prints the stub.
"""

import ast
import sys
import textwrap
from pathlib import Path

from gpuarray import _core
from gpuarray._common import core_names as _core_names
from gpuarray._fusion.traced import METHOD_NAMES

ROOT = Path(__file__).resolve().parents[1]
TEMPLATE = ROOT / "tools" / "core_stub_template.pyi"
STUB = ROOT / "gpuarray" / "_core.pyi"
NOTE = "# Made by tools/generate_stubs.py from tools/core_stub_template.pyi; do not edit."

COMPARISONS = ("lt", "le", "eq", "ne", "gt", "ge")
STREAM = "stream: _StreamLike = None"
ELEMENTWISE = f"out: _Out = None, *, dtype: _DType = None, {STREAM}"
OPTIONS = "where: Any = True, casting: str = 'same_kind', order: str | None = 'K', "
OPTIONS = OPTIONS.replace("'", '"') + "subok: bool = True, signature: Any = None, "
UFUNC = f"out: _Out = None, *, dtype: _DType = None, {OPTIONS}{STREAM}"


def operators():
    for _, arity, slot, *_ in _core.op_table():
        if slot != "none":
            yield from operator(METHOD_NAMES.get(slot, slot), arity)


def operator(name, arity):
    if arity == 1:
        yield f"    def __{name}__(self, /) -> GPUArray: ..."
    elif name in COMPARISONS:
        override = "  # type: ignore[override]" if name in ("eq", "ne") else ""
        yield f"    def __{name}__(self, value: _Operand, /) -> GPUArray: ...{override}"
    else:
        clash = "  # type: ignore[misc]" if name == "pow" else ""
        modulo = ", mod: None = None" if name == "pow" else ""
        yield f"    def __{name}__(self, value: _Operand{modulo}, /) -> GPUArray: ..."
        yield f"    def __r{name}__(self, value: _Operand{modulo}, /) -> GPUArray: ..."
        yield f"    def __i{name}__(self, value: _Operand, /) -> Self: ...{clash}"


def operations():
    for name, arity, *_ in _core.op_table():
        if name == "where":
            yield "@overload"
            nonzero = f"condition: _ArrayLike, /, *, {STREAM}"
            yield from function(name, nonzero, result="tuple[GPUArray, ...]")
            yield "@overload"
            operands = "condition: _ArrayLike, x: _ArrayLike, y: _ArrayLike, /, out: _Out = None"
            yield from function(name, f"{operands}, *, {STREAM}")
        elif name == "clip":
            bounds = "min: _ArrayLike | None = None, max: _ArrayLike | None = None"
            yield from function(name, f"a: _ArrayLike, /, {bounds}, {ELEMENTWISE}")
        else:
            operands = "x: _ArrayLike" if arity == 1 else "x1: _ArrayLike, x2: _ArrayLike"
            is_ufunc = isinstance(getattr(_core, name), _core.ufunc)
            if is_ufunc:
                yield "@_ufunc"
            yield from function(name, f"{operands}, /, {UFUNC if is_ufunc else ELEMENTWISE}")


def reductions():
    for name, result, *_ in _core.reduction_table() + _core._nan_reduction_table():
        yield from function(name, f"a: _ArrayLike, {reduction_arguments(name, result)}")


def reduction_methods():
    for name, result, *_ in _core.reduction_table():
        yield from function(name, f"self, /, {reduction_arguments(name, result)}", "    ")


REDUCTION_TYPES = {
    "axis": "_Axes",
    "dtype": "_DType",
    "out": "GPUArray | None",
    "ddof": "float",
    "keepdims": "bool",
    "initial": "Any",
    "where": "Any",
    "correction": "float | None",
    "mean": "GPUArray | None",
    "stream": "_StreamLike",
}


def reduction_arguments(name, result):
    """Return the parameters after the array, as the signature of the function has them."""
    types = REDUCTION_TYPES | ({"axis": "SupportsIndex | None"} if result == "INDEX" else {})
    _, *parameters = getattr(_core, name).__text_signature__.strip("()").split(", ")[1:]
    pairs = [parameter.partition("=") for parameter in parameters]
    return ", ".join(
        f"{each}: {types[each]} = {default}" if default else each for each, _, default in pairs
    )


SCANS = ("cumsum", "cumprod")
SCAN_ARGUMENTS = "axis: SupportsIndex | None = None, dtype: _DType = None, "
SCAN_ARGUMENTS += f"out: GPUArray | None = None, *, {STREAM}"


def scans():
    for name in SCANS:
        yield from function(name, f"a: _ArrayLike, {SCAN_ARGUMENTS}")
    yield from function("accumulate", f"op: str, a: GPUArray, {SCAN_ARGUMENTS}")


def scan_methods():
    for name in SCANS:
        yield from function(name, f"self, /, {SCAN_ARGUMENTS}", "    ")


def function(name, arguments, indent="", result="GPUArray"):
    """Return the lines of a stub, laid out as the formatter lays them out."""
    line = f"{indent}def {name}({arguments}) -> {result}: ..."
    if len(line) <= 100:
        return [line]
    inner = [f"{indent}    {arguments}"]
    if len(inner[0]) > 100:
        inner = [f"{indent}    {argument}," for argument in arguments.split(", ")]
    return [f"{indent}def {name}(", *inner, f"{indent}) -> {result}: ..."]


def public_names():
    """Yield the list __all__: what `from gpuarray._core import *` gives type checkers."""
    yield "__all__ = [  # noqa: RUF022"
    yield from (f'    "{name}",' for name in sorted(_core_names.NAMES))
    yield "]"


PARTS = {
    "generated": lambda: [NOTE],
    "public_names": public_names,
    "operators": operators,
    "operations": operations,
    "reductions": reductions,
    "reduction_methods": reduction_methods,
    "scans": scans,
    "scan_methods": scan_methods,
}


def filled_in(template):
    for line in template.splitlines():
        mark, _, part = line.strip().partition("@")
        if mark != "# ":
            yield line
        elif part.startswith("include "):
            # The part's own heading is left out.
            included = (ROOT / "tools" / part.removeprefix("include ")).read_text()
            yield from filled_in(included.partition("\n\n")[2])
        else:
            yield from PARTS[part]()


def with_docstrings(text):
    """Return the stub with the module's docstrings, laid out as the formatter lays them out."""
    lines = text.splitlines()
    # From the end, so that the numbers of the lines before stay right.
    for node, doc in reversed(list(documented(ast.parse(text).body, _core))):
        first, last = node.lineno - 1, node.end_lineno
        if isinstance(node, ast.ClassDef):
            lines[node.lineno : node.lineno] = [*docstring(doc, "    "), ""]
        else:
            header = joined([line.replace(": ...", ":") for line in lines[first:last]])
            blank = [] if node.col_offset or not "".join(lines[last : last + 1]) else [""]
            lines[first:last] = [*header, *docstring(doc, " " * (node.col_offset + 4)), *blank]
    return "\n".join(lines) + "\n"


def documented(body, owner):
    """Yield (node, docstring) of the public definitions in order; a setter has its getter's."""
    for node in body:
        is_class = isinstance(node, ast.ClassDef)
        if not is_class and not isinstance(node, ast.FunctionDef):
            continue
        is_setter = any(isinstance(item, ast.Attribute) for item in node.decorator_list)
        if node.name.startswith("_") or is_setter:
            continue
        # The attributes of ufuncs are found by their instances alone.
        if doc := getattr(getattr(owner, node.name, None), "__doc__", None):
            yield node, doc.strip()
        if is_class:
            yield from documented(node.body, getattr(owner, node.name))


def joined(header):
    """Return the header of a function on one line, where it fits without the dots of the stub."""
    line = header[0] + "".join(line.strip() for line in header[1:])
    return [line] if len(line) <= 100 and ",)" not in line else header


def docstring(doc, indent):
    """Return the lines of a docstring; paragraphs that do not fit with the indent are refilled."""
    width = 100 - len(indent)
    quoted = '"""' + doc
    if "\n" not in doc and len(quoted) + 3 <= width:
        return [f'{indent}{quoted}"""']
    paragraphs = quoted.split("\n\n")
    if "\n" not in doc:
        width -= 3
    filled = [
        textwrap.fill(each, width) if max(map(len, each.splitlines())) > width else each
        for each in paragraphs
    ]
    return textwrap.indent("\n\n".join(filled) + '\n"""', indent).splitlines()


def generate():
    return with_docstrings("\n".join(filled_in(TEMPLATE.read_text())))


def main(output=str(STUB)):
    if output == "-":
        print(generate(), end="")
    else:
        Path(output).write_text(generate())


if __name__ == "__main__":
    main(*sys.argv[1:])
