# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Calls of everything in gpuarray._core with arguments that fit and arguments that do not."""

import os
import random
import sys

import numpy as np

import gpuarray
from gpuarray import _core

LEFT_OUT = {
    "_end_threads",  # ends the process's threads for good
}
# A real driver, if there is one, takes a number for the address of its own stream or context.
REAL_DRIVER = "GPUARRAY_LIBCUDA" not in os.environ
if REAL_DRIVER:
    LEFT_OUT |= {"_set_context"}


def targets():
    """Return the functions, types, methods and attributes of _core, by name."""
    found = {}
    for name in sorted(set(dir(_core)) - LEFT_OUT):
        value = getattr(_core, name)
        if not callable(value):
            continue
        found[name] = value
        for key, member in sorted(vars(value).items()) if isinstance(value, type) else ():
            if callable(member):
                found[f"{name}.{key}"] = member
            elif hasattr(member, "__get__"):
                found[f"{name}.{key}.get"] = member.__get__
                found[f"{name}.{key}.set"] = getattr(member, "__set__", member.__get__)
    return found


def values():
    """Return arguments of many kinds, several of those that most functions take."""
    a, device = gpuarray.ones(3), gpuarray.default_device()
    arrays = [a, a, a, a[:0], a[0], gpuarray.ones((2, 3)), gpuarray.arange(3), a > 0, a + 1j]
    parts = [device, gpuarray.current_stream(), gpuarray.Event(), _core.GPUArray, _core]
    numbers = [None, None, 0, 1, 2, -1, 2**70, -(2**70), 1.5, float("nan"), 3j, True]
    if not REAL_DRIVER:
        numbers.append(2**40)
    texts = ["", "x", "C", "sum", "add", "float64", "int8", str(device), "out", b"abc"]
    items = [(), (1,), (3,), (2**40, 2**40), (a,), (a, a), (None, None), ("x", "y"), (("x", 1),)]
    others = [[], [1, 2], [a], {}, {"x": 1}, {1: a}, slice(None), object(), int, len, range(3)]
    numpys = [np.ones(3), np.float64(2), np.int8(1), np.dtype("f4"), np.array("x", object)]
    return [*arrays, *parts, *numbers, *texts, *items, *others, *numpys]


def argument_tuples(name, count):
    """Return tuples of arguments, the same in every run: none, one, several."""
    rng, pool = random.Random(name), values()
    of_type = getattr(_core, name.split(".")[0])
    selves = [x for x in pool if "." in name and isinstance(x, of_type)]
    made = [()]
    for number in range(count - 1):
        arguments = rng.choices(pool, k=1 + (0 if number < count // 4 else rng.randrange(8)))
        if selves and rng.random() < 0.8:
            arguments[0] = rng.choice(selves)
        made.append(tuple(arguments))
    return made


def run(first, count):
    """Make the calls from number `first` on; print the number and name of each beforehand."""
    number = 0
    # Calls may take 1 for a file to write to, and close it.
    output = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    def report(text):
        os.write(output, f"{text}\n".encode())

    def unraisable(raised):
        if isinstance(raised.exc_value, SystemError):
            report(f"!{raised.exc_value!r}")

    sys.unraisablehook = unraisable
    for name, target in targets().items():
        if number + count <= first:
            number += count
            continue
        for arguments in argument_tuples(name, count):
            number += 1
            if number <= first:
                continue
            report(f"{number} {name} {[type(x).__name__ for x in arguments]}")
            try:
                target(*arguments)
            except SystemError as error:
                report(f"!{error!r}")
            except Exception:  # what they raise is up to them
                pass
