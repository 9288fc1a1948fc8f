# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The rows of the cpu device's benchmark: expressions that gpuarray and NumPy both compute.

Operations, casts, layouts, reductions and scans are generated from the tables of the library;
cpu_functions.py lists the other functions. In expressions `xp` is the library and OPERANDS names
the arrays. Every operand holds random numbers, never zeros alone, that the function is defined for.
"""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from cpu_functions import FUNCTIONS, MODERATE, TINY
from cpu_operands import OPERANDS, SIZES

from gpuarray import _core

# NumPy computes in these; bfloat16 is left out, since NumPy has none.
DTYPES = (
    *("bool", "uint8", "int32", "int64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)

EXAMPLES = "the examples"
ELEMENTWISE = "element by element"
NUMBERS_GROUP = "one operand a number"
OPERATORS = "operators"
LAYOUTS = "layouts"
CASTS = "casts"
REDUCTIONS = "reductions"
SCANS = "scans"


@dataclass(frozen=True)
class Row:
    name: str
    group: str
    code: str  # an expression or a statement
    operands: dict[str, str]  # the expressions of cpu_operands.py that make them, by name
    sizes: tuple[int, ...] = SIZES


def row(group, code, dtype="float32", sizes=SIZES, name=None, **made) -> Row:
    """Return a row whose operands have this dtype, but for those that `made` says otherwise."""
    used = compile(code, code, "exec").co_names
    texts = {key: made.get(key, OPERANDS.get(key)) for key in used}
    operands = {key: re.sub(r"\bT\b", repr(dtype), text) for key, text in texts.items() if text}
    generic = any(text and re.search(r"\bT\b", text) for text in texts.values())
    title = name or code.replace("xp.", "")
    return Row(f"{title} {dtype}" if generic else title, group, code, operands, sizes)


# The six expressions that say what the cpu device is for, and the program of the documentation.
def examples() -> list[Row]:
    codes = ["a + a", "B * 2 + 1", "B[1:-1, 1:-1] + 1", "a.astype('float64')", "xp.exp(a)"]
    rows = [row(EXAMPLES, code) for code in [*codes, "xp.sin(a)", "a.sum()", "a.max()"]]
    rows.append(row(EXAMPLES, "a // 7", "int64"))
    rows.append(row(EXAMPLES, "((a*b + a)*b - a)/b"))
    return [*rows, row(EXAMPLES, "hillshade(xp, z)", name="examples/hillshade.py, a tile")]


# The intervals of the random operands of operations; those of others have both signs and no zero.
SIGNS = ("-1, 1", "-1, 1")
SHIFTED = ("1, 100", "0, 7")
DOMAINS = {
    **dict.fromkeys(["arcsin", "arccos", "arctanh"], ("-1, 1",)),
    **dict.fromkeys(["log", "log2", "log10", "sqrt"], ("0.1, 100",)),
    **dict.fromkeys(["left_shift", "right_shift"], SHIFTED),
    **dict.fromkeys(["logical_and", "logical_or", "logical_xor", "logical_not"], SIGNS),
    **dict.fromkeys(["gcd", "lcm"], ("1, 100", "1, 100")),
    "arccosh": ("1, 10",),
    "log1p": ("-0.9, 10",),
    "power": ("0.1, 4", "-3, 3"),
}
WHOLE_POWERS = ("0, 4", "0, 3")  # Whole numbers have no negative powers.
# The dtypes that operations take beside those of their loops.
CONVERTED = {
    **dict.fromkeys(["logical_and", "logical_or", "logical_xor"], ("int32", "float64")),
    "logical_not": ("int32", "float64"),
    **dict.fromkeys(["isnan", "isfinite", "sqrt", "exp", "sin", "log"], ("int32",)),
    **dict.fromkeys(["divide", "arctan2"], ("int32", "int64")),
}
ALIASES = {"ldexp_floating": "xp.ldexp(a, i)", "frexp_mantissa": "xp.frexp(a)"}
SKIPPED = {"frexp_exponent"}  # It is a part of frexp.
MIXED = (("float32", "float64"), ("int32", "float64"), ("uint8", "float32"), ("int32", "int64"))


def operand(dtype: str, interval: str = "") -> str:
    return f"u({dtype!r}, {interval})" if interval else f"u({dtype!r})"


# One number in place of an operand: a scalar of NumPy's, and an array of no dimensions.
NUMBERS = {"s": "u(T, count=1)[0]", "z": "u(T, count=1).reshape(())"}
USUAL = ("uint8", "int32", "int64", "float16", "float32", "float64", "complex128")
FORMS = {
    2: ("a, {}b", "{}a, b"),
    3: ("a, {}b, {}d", "a, {}b, d", "a, b, {}d"),
}
POWERS = ("2.0", "0.5", "-1", "3", "1.7")  # which loops may know


def numbers() -> list[Row]:
    """Return rows of operations of which an operand is one number for all elements."""
    rows = []
    for name, arity, _, loops, _, _ in _core.op_table():
        if name in ALIASES:
            continue
        for dtype in (dtype for dtype in USUAL if dtype in loops):
            kinds = "sz" if dtype in ("int32", "float32") else "s"
            domain = dict(zip("abd", domain_of(name, dtype), strict=False))
            for form in FORMS.get(arity, ()):
                for kind in kinds:
                    code = f"xp.{name}({form.format(*[f'{kind}_'] * 2)})"
                    if name == "where":
                        code = code.replace("(a, ", "(m, ").replace("b", "a").replace("d", "b")
                    made = {}
                    for key in "abd":
                        interval = f", {domain[key]}" if key in domain else ""
                        made[key] = f"u(T{interval})"
                        made[f"{kind}_{key}"] = NUMBERS[kind].replace("T", f"T{interval}")
                    rows.append(row(NUMBERS_GROUP, code, dtype, MODERATE, **made))
    for dtype in ("float16", "float32", "float64", "complex128", "int32", "int64"):
        floating = dtype.startswith(("float", "complex"))
        for exponent in POWERS if floating else ("2", "3", "7"):
            made = {"a": "u(T, 0.1, 4)" if floating else "u(T, 0, 4)"}
            rows.append(row(NUMBERS_GROUP, f"a ** {exponent}", dtype, MODERATE, **made))
            rows.append(row(NUMBERS_GROUP, f"xp.power(a, {exponent})", dtype, MODERATE, **made))
    return rows


def domain_of(name: str, dtype: str) -> tuple[str, ...]:
    """Return the intervals of the operands of an operation."""
    if name == "power" and dtype in ("uint8", "int32", "int64"):
        return WHOLE_POWERS
    return DOMAINS.get(name, ())


def elementwise() -> list[Row]:
    rows = []
    for name, arity, _, loops, _, _ in _core.op_table():
        if name in SKIPPED:
            continue
        code = ALIASES.get(name, f"xp.{name}({', '.join('abd'[:arity])})")
        if name == "where":
            code = "xp.where(m, a, b)"
        for dtype in DTYPES:
            if dtype not in loops and dtype not in CONVERTED.get(name, ()):
                continue
            domain = domain_of(name, dtype)
            made = {key: operand(dtype, text) for key, text in zip("ab", domain, strict=False)}
            made = {key: text.replace(repr(dtype), "T") for key, text in made.items()}
            rows.append(row(ELEMENTWISE, code, dtype, **made))
    for one, other in MIXED:
        for name in ("add", "multiply", "less"):
            made = {"a": operand(one), "b": operand(other)}
            title = f"{name}(a, b) {one}, {other}"
            rows.append(row(ELEMENTWISE, f"xp.{name}(a, b)", name=title, **made))
    return rows


SYMBOLS = {
    "add": "+", "subtract": "-", "multiply": "*", "true_divide": "/", "floor_divide": "//",
    "remainder": "%", "power": "**", "and": "&", "or": "|", "xor": "^", "lshift": "<<",
    "rshift": ">>", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip
PREFIXES = {"negative": "-a", "positive": "+a", "absolute": "abs(a)", "invert": "~a"}
COMPARISONS = {"eq", "ne", "lt", "le", "gt", "ge"}


def operators() -> list[Row]:
    """Return rows of what Python calls; the functions measure the loops on the largest arrays."""
    rows = []
    for _, _, slot, loops, _, _ in _core.op_table():
        dtypes = ["float32"] if "float32" in loops else []
        dtypes += ["int32"] * ("int32" in loops)
        for dtype in dtypes:
            if slot in PREFIXES:
                rows.append(row(OPERATORS, PREFIXES[slot], dtype, MODERATE))
            if slot not in SYMBOLS:
                continue
            symbol = SYMBOLS[slot]
            # Operands are positive, for powers and shifts. What operations in place leave in them
            # is finite however often they are repeated.
            positive = "u(T, 1, 3)"
            codes = [f"a {symbol} b", f"a {symbol} 2", f"2 {symbol} a"]
            rows += [
                row(OPERATORS, code, dtype, MODERATE, a=positive, b=positive) for code in codes
            ]
            if slot not in COMPARISONS:
                made = {"c": positive, "b": "one(T)" if dtype == "float32" else positive}
                rows.append(row(OPERATORS, f"c {symbol}= b", dtype, MODERATE, **made))
    rows.append(row(OPERATORS, "divmod(a, b)", "int32"))
    rows += [
        row(OPERATORS, code, sizes=MODERATE) for code in ("np.add(a, b)", "np.exp(a)", "np.sum(a)")
    ]
    return rows


LAYOUT_CODES = (
    *("{}(a[::2], b[::2])", "{}(a[::-1], b)", "{}(A[1:-1, 1:-1], B[1:-1, 1:-1])"),
    *("{}(A.T, B.T)", "{}(Q.T, P)", "{}(A, r)", "{}(A, v)", "{}(r, v)"),
    *("{}(A[:, ::2], B[:, ::2])", "{}(a, 2)", "{}(2, a)"),
)
SINGLE = ("a[::2]", "a[::-1]", "A[1:-1, 1:-1]", "A[:, ::2]", "A.T", "T3.transpose(2, 0, 1)")


def layouts() -> list[Row]:
    rows = []
    for dtype in ("uint8", "float32", "float64"):
        for name in ("add", "multiply", "less"):
            rows += [row(LAYOUTS, code.format(f"xp.{name}"), dtype) for code in LAYOUT_CODES]
        rows.append(row(LAYOUTS, "xp.add(a, b, out=c)", dtype))
        rows.append(row(LAYOUTS, "xp.multiply(a, b, out=c)", dtype))
        rows.append(row(LAYOUTS, "xp.less(a, b, out=h)", dtype, h="u('bool')"))
        rows.append(row(LAYOUTS, "np.add(a, b, out=c, where=m)", dtype))
        rows += [row(LAYOUTS, f"xp.copy({code}, order='C')", dtype) for code in SINGLE]
        rows += [row(LAYOUTS, f"{code}.astype('int32')", dtype) for code in SINGLE]
        rows.append(row(LAYOUTS, "c[::2] = a[::2]", dtype))
        rows.append(row(LAYOUTS, "C[1:-1, 1:-1] = A[1:-1, 1:-1]", dtype))
        rows.append(row(LAYOUTS, "C[...] = A.T", dtype, C="u(T).reshape(cols, rows)"))
        rows.append(row(LAYOUTS, "c[:] = 3", dtype))
        rows.append(row(LAYOUTS, "c[:] = a", dtype))
    squares = {"a": "u(T, 1, 9)", "A": "u(T, 1, 9).reshape(rows, cols)"}
    for dtype in ("float32", "float64"):
        for code in ("a[::2]", "A.T", "A[1:-1, 1:-1]"):
            rows.append(row(LAYOUTS, f"xp.exp({code})", dtype))
            rows.append(row(LAYOUTS, f"xp.sqrt({code})", dtype, **squares))
            rows.append(row(LAYOUTS, f"-{code}", dtype))
    return rows


def casts() -> list[Row]:
    pairs = [
        (one, other)
        for one in DTYPES
        for other in DTYPES
        # NumPy warns where imaginary parts are lost.
        if not (one.startswith("complex") and other != "bool" and not other.startswith("complex"))
    ]
    return [
        row(CASTS, f"a.astype({other!r})", name=f"{one} -> {other}", a=f"u({one!r}, 0, 100)")
        for one, other in pairs
    ]


# Products of these are finite, and `any` and `all` read every element.
MAKERS = {"prod": "one", "any": "none", "all": "one"}


def reductions() -> list[Row]:
    rows = []
    for name, *_ in _core.reduction_table():
        for dtype in DTYPES:
            maker = MAKERS.get(name, "u")
            made = {"a": f"{maker}(T)", "A": f"{maker}(T).reshape(rows, cols)"}
            codes = [f"xp.{name}(a)", f"xp.{name}(A, axis=0)", f"xp.{name}(A, axis=1)"]
            rows += [row(REDUCTIONS, code, dtype, **made) for code in codes]
    for code in ("xp.sum(T3, axis=1)", "xp.sum(T3, axis=(0, 2))", "xp.sum(A.T, axis=0)"):
        rows += [row(REDUCTIONS, code, dtype) for dtype in ("float32", "float64")]
    for code in (
        "xp.sum(a[::2])",
        "xp.max(a[::2])",
        "xp.sum(A[1:-1, 1:-1])",
        "xp.max(A.T, axis=0)",
    ):
        rows.append(row(REDUCTIONS, code))
    rows += [row(REDUCTIONS, f"a.{name}()", sizes=TINY) for name, *_ in _core.reduction_table()]
    rows.append(row(REDUCTIONS, "np.add.reduce(A)"))
    rows.append(row(REDUCTIONS, "np.maximum.reduce(A, axis=1)"))
    rows.append(row(REDUCTIONS, "xp.any(m)", name="any(a), half true"))
    return rows


def scans() -> list[Row]:
    made = {"a": "one(T)", "A": "one(T).reshape(rows, cols)"}
    rows = []
    for name in ("cumsum", "cumprod"):
        for dtype in (
            "bool",
            "uint8",
            "int32",
            "int64",
            "float16",
            "float32",
            "float64",
            "complex128",
        ):
            codes = [f"xp.{name}(a)", f"xp.{name}(A, axis=0)", f"xp.{name}(A, axis=1)"]
            rows += [row(SCANS, code, dtype, **made) for code in codes]
    for name in ("cumulative_sum", "cumulative_prod", "nancumsum", "nancumprod"):
        rows += [
            row(SCANS, f"xp.{name}(a)", dtype, **made) for dtype in ("int32", "float32", "float64")
        ]
    rows.append(row(SCANS, "xp.cumulative_sum(a, include_initial=True)", **made))
    rows.append(row(SCANS, "np.maximum.accumulate(a)"))
    rows.append(row(SCANS, "np.add.reduceat(a, z)", z="np.arange(0, n, 4)"))
    return rows


def functions() -> list[Row]:
    return [
        row(group, code, dtype, sizes)
        for group, codes in FUNCTIONS.items()
        for code, dtypes, sizes in codes
        for dtype in dtypes
    ]


def all_rows() -> list[Row]:
    makers = (
        examples,
        elementwise,
        operators,
        layouts,
        casts,
        reductions,
        scans,
        functions,
        numbers,
    )
    rows: dict[str, Row] = {}
    for make in makers:
        for made in make():
            rows.setdefault(made.name, made)
    return list(rows.values())


ROWS = all_rows()


def chosen(row: Row, patterns: list[str], exact: bool = False) -> bool:
    """Return whether a pattern is in the name or matches it; every row is chosen by none."""
    if exact:
        return row.name in patterns
    return not patterns or any(p in row.name or fnmatchcase(row.name, p) for p in patterns)
