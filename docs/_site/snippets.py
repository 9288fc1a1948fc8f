# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The examples of the reference, run on the cpu device while the site is built."""

import ast
import contextlib
import inspect
import io
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import gpuarray
from gpuarray import _core

TABLE = Path(__file__).parent / "examples.txt"
FLOATS = ("gpuarray.to_device([0.25, 0.5, 1.0])", "gpuarray.to_device([2.0, 0.5, 4.0])")
INTEGERS = ("gpuarray.to_device([12, 7, 1])", "gpuarray.to_device([2, 3, 1])")


def read_table() -> tuple[dict[str, str], dict[str, str]]:
    """The lines of the table: the values of its variables, and the statements of each name."""
    lines = [line for line in TABLE.read_text().splitlines() if line and line[0] != "#"]
    variables = [line[1:].split(" = ", 1) for line in lines if line[0] == "$"]
    examples = [line.split(": ", 1) for line in lines if line[0] != "$"]
    return dict(variables), dict(examples)


VARIABLES, EXAMPLES = read_table()
DTYPES = {name: dtypes for name, _, _, dtypes, *_ in _core.op_table()}


def statements(code: str) -> list[str]:
    """Split at the semicolons; what follows a `with` line stands in it."""
    parts = re.split(r"; (?=[^'\"]*(?:['\"][^'\"]*['\"][^'\"]*)*$)", code)
    return [re.sub(r"^(with .+?\)(?: as \w+)?): (?=\S)", r"\1:\n    ", part) for part in parts]


def element_wise(name: str) -> str | None:
    """A call of an operation of the table on numbers of a dtype that it takes."""
    ufunc = getattr(np, name, None)
    operation = ufunc.__name__ if isinstance(ufunc, np.ufunc) else name
    if operation not in DTYPES:
        return None
    operands = FLOATS if "float64" in DTYPES[operation] else INTEGERS
    parameters = inspect.signature(getattr(gpuarray, name)).parameters.values()
    count = sum(parameter.kind is parameter.POSITIONAL_ONLY for parameter in parameters)
    return f"gpuarray.{name}({', '.join(operands[:count])})"


def run(lines: list[str]) -> str:
    """The session of an interpreter: each statement, and what it prints."""
    names: dict[str, Any] = {}
    text = []
    for line in lines:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), warnings.catch_warnings():
            warnings.simplefilter("error")
            for node in ast.parse(line).body:
                exec(compile(ast.Interactive([node]), "<example>", "single"), names)
        first, *rest = line.split("\n")
        text += [f">>> {first}", *(f"... {more}" for more in rest), out.getvalue().rstrip()]
    return "\n".join(part for part in text if part)


def example_of(name: str, value: Any) -> str | None:
    """The session that shows the function; None for one without an example here."""
    if ">>> " in (value.__doc__ or ""):
        return None  # which the docstring has
    code = EXAMPLES.get(name) or element_wise(name)
    if code is None:
        return None
    used = [word for word in VARIABLES if re.search(rf"(?<![\w.\"]){word}(?![\w\"=])", code)]
    setup = ["import numpy as np"] if re.search(r"\bnp\.", code) else []
    setup += ["import gpuarray", *(f"{word} = {VARIABLES[word]}" for word in used)]
    try:
        with gpuarray.device("cpu"):
            return run([*setup, *statements(code)])
    except Exception as error:
        raise RuntimeError(f"{TABLE.name}: the example of {name} fails: {error!r}") from error


def unused_examples(names: set[str]) -> list[str]:
    return sorted(set(EXAMPLES) - names)
