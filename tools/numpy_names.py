# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Lists which names of NumPy's main namespace gpuarray has, and why it lacks the others."""

import numpy as np

import gpuarray

# The names that gpuarray lacks, by reason.
REASONS = {
    "Records of text, and files as memory of the host": "fromregex memmap",
    "No warnings of arithmetic are given, so that there is nothing to set": (
        "getbufsize geterrcall setbufsize seterrcall"
    ),
    "Dtypes that no device computes with: dates, text, records, objects, extended precision": (
        "busday_count busday_offset busdaycalendar bytes_ char character clongdouble complex256 "
        "datetime64 datetime_as_string datetime_data flexible float128 is_busday isnat longdouble "
        "object_ rec recarray record str_ strings timedelta64 void"
    ),
    "Elements one by one in Python, and functions called with them": (
        "broadcast flatiter frompyfunc ndenumerate nditer nested_iters"
    ),
    "Other classes of arrays": "asmatrix bmat ma matrix",
    "Polynomials as objects, whose coefficients the host has": "poly1d polynomial",
    "Of NumPy itself": (
        "ScalarType core ctypeslib dtypes emath exceptions f2py info little_endian sctypeDict "
        "show_runtime test typecodes typing"
    ),
}


# The modules of NumPy's that gpuarray has.
MODULES = ("fft", "linalg", "random")


def public_names():
    return sorted(name for name in np.__all__ if not name.startswith("_"))


def here():
    return [name for name in public_names() if name in dir(gpuarray)]


def missing():
    """Return the names that gpuarray lacks with the reason for each, "" where none is given."""
    reasons = {name: reason for reason, names in REASONS.items() for name in names.split()}
    known = set(here())
    return {name: reasons.get(name, "") for name in public_names() if name not in known}


def table():
    """Yield the lines of the table of docs/numpy-names.md."""
    absent = missing()
    yield "| name | here, or why not |"
    yield "|---|---|"
    for name in public_names():
        yield f"| `{name}` | {absent.get(name, 'here')} |"


def summary():
    """Yield the lines of the summary, which lists by reason what gpuarray lacks."""
    absent = missing()
    release = ".".join(np.__version__.split(".")[:2])
    yield f"{len(here())} of the {len(public_names())} names of NumPy {release} are here."
    for module in MODULES:
        functions = [name for name in getattr(np, module).__all__ if name != "test"]
        known = [name for name in functions if hasattr(getattr(gpuarray, module), name)]
        of_all = f"{len(known)} of the {len(functions)} names of `numpy.{module}`"
        yield f"`gpuarray.{module}` has {of_all}."
    yield ""
    yield "| why not | names |"
    yield "|---|---|"
    for reason, names in REASONS.items():
        listed = [f"`{name}`" for name in names.split() if name in absent]
        yield f"| {reason} | {' '.join(listed)} |"
