# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Fills in the generated tables in pages of docs/; needs an installed gpuarray.

A table stands between `<!-- begin NAME -->` and `<!-- end NAME -->`.
"""

import re
import sys
from pathlib import Path

import numpy as np

import gpuarray
from gpuarray import _core
from gpuarray._common import directions
from gpuarray._common.dtype_table import NAMES, names_of

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy_names
import public_names

DOCS = Path(__file__).resolve().parents[1] / "docs"

SYMBOLS = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "true_divide": "/",
    "floor_divide": "//",
    "remainder": "%",
    "power": "**",
    "and": "&",
    "or": "\\|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "negative": "-x",
    "positive": "+x",
    "absolute": "abs(x)",
    "invert": "~x",
}
RESULTS = {
    "SAME": "operands'",
    "NOBOOL": "operands'",
    "DIVIDE": "floating",
    "BOOL": "bool",
    "REAL": "real part's",
    "INT32": "int32",
    "UINT8": "uint8",
    "SELECT": "of x and y",
    "SUM": "64-bit for integers",
    "MEAN": "float64 for integers",
    "INDEX": "int64",
}
CLASSES = {
    "all": "biufc",
    "numbers": "iufc",
    "real numbers": "iuf",
    "real": "biuf",
    "integers": "iu",
    "bool, integers": "biu",
    "floating": "f",
    "floating, complex": "fc",
    "complex": "c",
    "bool": "b",
}
CLASSES = {text: {*names_of(kinds)} for text, kinds in CLASSES.items()}


def symbol(slot):
    return f"`{SYMBOLS[slot]}`" if slot in SYMBOLS else ""


def class_of(dtypes):
    return next(text for text, names in CLASSES.items() if names == set(dtypes))


def table(header, rows):
    yield "| " + " | ".join(header) + " |"
    yield "|" + "---|" * len(header)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def operations():
    rows = [
        (f"`{name}`", symbol(slot), class_of(dtypes), RESULTS[rule], doc)
        for name, _, slot, dtypes, rule, doc in _core.op_table()
        if hasattr(gpuarray, name)
    ]
    return table(("function", "operator", "loops", "result", ""), rows)


def reductions():
    rows = [
        (f"`{name}`", RESULTS[result], "error" if empty == "ERROR" else "identity", doc)
        for name, result, empty, doc in _core.reduction_table() + _core._nan_reduction_table()
    ]
    return table(("function, and method but for nan*", "result", "of nothing", ""), rows)


def promotion():
    short = [short_name(name) for name in NAMES]
    empty = {name: _core.empty(0, name, device="cpu") for name in NAMES}
    rows = [
        (
            f"**{short_name(a)}**",
            *(short_name(_core.maximum(empty[a], empty[b])._dtype_name) for b in NAMES),
        )
        for a in NAMES
    ]
    return table(("", *short), rows)


def short_name(name):
    for long, letter in (("bfloat", "bf"), ("uint", "u"), ("int", "i"), ("complex", "c")):
        if name.startswith(long):
            return name.replace(long, letter)
    return name.replace("float", "f")


def directions_of(expressions, sentences):
    rows = [
        *((f"`{text}`".replace(" or ", "` or `"), names) for text, names in expressions.items())
    ]
    rows += sentences.items()
    listed = [
        (" ".join(f"`{name}`" for name in names.split()), text.replace("{name}", "NAME"))
        for text, names in rows
    ]
    return table(("not here", "what to write"), listed)


def functions_elsewhere():
    return directions_of(directions.EXPRESSIONS, directions.SENTENCES)


def attributes_elsewhere():
    return directions_of(directions.ARRAY, {})


TABLES = {
    "deprecation.md": {"names": public_names.lines},
    "errors.md": {"functions": functions_elsewhere, "attributes": attributes_elsewhere},
    "operations.md": {"operations": operations, "reductions": reductions},
    "dtypes.md": {"promotion": promotion},
    "numpy-names.md": {"summary": numpy_names.summary, "names": numpy_names.table},
}


def is_of_this_numpy(name):
    """Return False for a page that lists the names of another release of NumPy."""
    told = re.search(r"names of NumPy ([\d.]+) ", (DOCS / name).read_text())
    return told is None or told[1].split(".")[:2] == np.__version__.split(".")[:2]


def generate():
    """Return the pages by path, with their tables filled in."""
    pages = {}
    for name, tables in TABLES.items():
        if not is_of_this_numpy(name):
            continue
        text = (DOCS / name).read_text()
        for title, lines in tables.items():
            begin, end = f"<!-- begin {title} -->\n", f"<!-- end {title} -->\n"
            body = "\n" + "\n".join(lines()) + "\n\n"
            pattern = re.escape(begin) + ".*?" + re.escape(end)
            text, count = re.subn(
                pattern, lambda _, new=begin + body + end: new, text, flags=re.DOTALL
            )
            assert count == 1, f"{name}: expected one table {title}, found {count}"
        pages[DOCS / name] = text
    return pages


if __name__ == "__main__":
    for path, text in generate().items():
        path.write_text(text)
