# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Signatures of kernels, the sources and mangled names that show them, and lists of parameters."""

from fuzzing.choices import Choices
from fuzzing.outcomes import outcome

from gpuarray._kernels.parameters import parse_parameters
from gpuarray._kernels.signature import Row, infer, parse_signature

WORDS = [
    *("const ", "float", "double", "unsigned ", "char", "int", "* ", "&", ", ", "void", "x", " y"),
    *("__restrict__ ", "std::", "size_t", "complex<", ">", "<", "[", "]", "(", ")", "{", "}", "::"),
    *(
        "__global__ ",
        "f",
        " f(",
        "__launch_bounds__(2) ",
        "/*",
        "*/",
        '"',
        "\\",
        "//",
        "\n",
        "raw ",
    ),
    *("template ", "T ", "= 3", "P", "i", "_Z1f", "Pf", "IfE", "N", "S_", "0", "é", "\0", " "),
]


def text(choices):
    if choices.byte() < 128:
        return "".join(choices.several(60, lambda: choices.choice(WORDS)))
    return choices.rest().decode("utf-8", "replace")


def check(rows):
    for row in rows or ():
        assert isinstance(row, Row) and row.kind in "pvu", row


def run(data):
    choices = Choices(data)
    kind = choices.byte() % 4
    given = text(choices)
    if kind == 0:
        check(outcome(parse_signature, given)[0])
    elif kind == 1:
        check(outcome(infer, choices.choice(["f", "x", "g"]), given)[0])
    elif kind == 2:
        check(outcome(infer, "_Z" + given)[0])
    else:
        outcome(parse_parameters, given)
        check(outcome(parse_signature, given.split(","))[0])
