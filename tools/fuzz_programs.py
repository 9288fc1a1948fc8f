# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Runs random programs of mixed operations on a device and in NumPy, and compares each result.

    python -P tools/fuzz_programs.py --operations 100000
    python -P tools/fuzz_programs.py --device cuda --operations 100000 --processes 16
    python -P tools/fuzz_programs.py --first 4711 --operations 1

A program is a few statements on six small arrays: operators, ufuncs with `out=` and `where=`,
views, masks, indices, reductions, sorting, linear algebra, Fourier transforms, random numbers,
exchange and streams. A statement is Python's text, which NumPy and gpuarray both run. Each result
is compared with NumPy's: bits, or within the tolerance of the statement's kind. The program then
runs with operations that wait (`always`, `adversary`), whose arrays must have the bits of the first
run.

Programs follow from the number of the first one. A difference is printed once a kind, as the least
program that shows it; the status is 1 then.
"""

import argparse
import contextlib
import functools
import itertools
import multiprocessing
import os
import sys
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

import gpuarray

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(sys.path[0], os.pardir, "tests"))

from _support.window_programs import fusion
from program_statements import (
    ARRAYS,
    MODES,
    MOST_ELEMENTS,
    STATEMENTS,
    STREAMS,
    Writer,
    first_arrays,
)


# What a text may call beside `xp` and `np`.
def numpys_exchange(array, how):
    return array.copy() if how in ("pickle", "host") else array


def gpuarrays_exchange(array, how):
    """Give the array away and take it back, of which some ways share its memory."""
    if how == "dlpack":
        return gpuarray.from_dlpack(array)
    if how == "interface" and array.device.kind != "cpu":
        return gpuarray.asarray(Interface(array))
    if how in ("interface", "buffer") and array.device.kind == "cpu":
        return gpuarray.from_dlpack(np.asarray(memoryview(array)))
    if how == "pickle":
        import pickle

        return pickle.loads(pickle.dumps(array))
    return gpuarray.to_device(array.get(), device=array.device) if how == "host" else array


class Interface:
    """Another library's array over the memory of ours."""

    def __init__(self, array):
        self.array = array

    @property
    def __cuda_array_interface__(self):
        return self.array.__cuda_array_interface__


@dataclass
class Program:
    number: int
    arrays: list  # of NumPy
    statements: list = field(default_factory=list)


@dataclass
class Difference:
    what: str  # the kind of statement and the dtypes
    program: Program
    text: str  # the difference


def unboxed(value):
    """Return what can be written for the value of an element, else the array itself."""
    if isinstance(value, np.generic):
        return np.array(value)
    return value if value.ndim or value.flags.writeable else value.copy()


class Machine:
    """The names of a program in one library, and what its statements do there."""

    def __init__(self, xp, arrays, seed, device=None):
        self.device = device
        self.found = []
        if device is None:
            rng, exchange = np.random.default_rng(seed), numpys_exchange
            given = [array.copy() for array in arrays]
        else:
            rng = gpuarray.random.default_rng(seed, device=device)
            exchange = gpuarrays_exchange
            given = [gpuarray.to_device(array, device=device) for array in arrays]
        self.names = {"xp": xp, "np": np, "rng": rng, "exchange": exchange, "found": self.found}
        self.names |= {f"a{k}": array for k, array in enumerate(given)}

    def run(self, code, stream=None):
        """Run a statement, and return the error that it raises, or None."""
        try:
            with stream if stream is not None else contextlib.nullcontext():
                exec(code, self.names)
        except Exception as error:
            return error
        self.names |= {f"a{k}": unboxed(self.names[f"a{k}"]) for k in range(ARRAYS)}
        return None

    def array(self, name):
        value = self.names[name]
        return value.get() if isinstance(value, gpuarray.GPUArray) else np.asarray(value)


@functools.lru_cache(20_000)
def compiled(text):
    return compile(text, "<statement>", "exec")


def bits(array):
    """Return the dtype, shape and bytes, with all NaN as one."""
    if array.dtype.kind in "fc":
        array = array.copy()
        parts = (array.real, array.imag) if array.dtype.kind == "c" else (array,)
        for part in parts:
            part[np.isnan(part)] = np.nan
    return array.dtype.str, array.shape, array.tobytes()


def near(got, expected, kind, scale):
    """Return whether values agree as the kind of their statement wants."""
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return False
    if got.dtype.kind not in "fc":
        if kind in ("sum", "solver") and scale > 2.0**50:
            return True  # sums of huge floats, converted
        return np.array_equal(got, expected)
    if kind == "bits":
        return np.array_equal(got, expected, equal_nan=True)
    if not (np.isfinite(got).all() and np.isfinite(expected).all()):
        if kind in ("sum", "solver") or got.dtype.kind == "c":
            return True  # which of inf and NaN follows from the order of additions, or of parts
        same = np.array_equal(np.isnan(got), np.isnan(expected))
        finite = np.isfinite(got) & np.isfinite(expected)
        return same and near(got[finite], expected[finite], kind, scale)
    epsilon = float(np.finfo(got.dtype).eps)
    wide = (got.astype(complex), expected.astype(complex))
    error, size = np.abs(wide[0] - wide[1]), np.abs(wide[1])
    if kind == "near" and got.dtype.kind == "c":
        return bool((error <= 1e3 * epsilon * size.max(initial=1)).all())
    if kind == "near":
        tiny = float(np.finfo(got.dtype).smallest_subnormal)
        return bool((error <= 8 * epsilon * size + 8 * tiny).all())
    most = max(float(size.max(initial=0)), 1.0, scale)
    return bool((error <= (64 if kind == "sum" else 1e4) * epsilon * most).all())


def scale_of(machine):
    """Return how large sums over the arrays may be before they cancel."""
    total = 1.0
    for k in range(ARRAYS):
        array = np.asarray(machine.names[f"a{k}"])
        if array.size and array.dtype.kind in "fciu":
            with np.errstate(all="ignore"):
                most = float(np.abs(array.astype(complex)).max())
            total = max(total, most if most == most else np.inf)
    return total * total * MOST_ELEMENTS if total < 1e150 else np.inf


def adopt(reference, name, got):
    """Give NumPy's array the device's elements, so that later statements begin from the same."""
    array = reference.names[name]
    if isinstance(array, np.ndarray) and array.flags.writeable and array.shape == got.shape:
        np.copyto(array, got)
    else:
        reference.names[name] = got.copy()


def describe(got, expected):
    def text(array):
        content = np.array2string(array, threshold=40, separator=", ").replace("\n", "")
        return f"{array.dtype}{list(array.shape)} {content}"

    return f"got      {text(got)}\n  expected {text(expected)}"


class LateError(Exception):
    """A CUDA device told of the error at a wait, after it had written what is within bounds."""


class Run:
    """One program: NumPy beside the device with fusion off, then the device in the other modes."""

    def __init__(self, program, device, modes):
        self.program, self.device = program, device
        self.modes = modes
        self.streams = [None] * STREAMS
        if device != "cpu":
            self.streams = [None, *(gpuarray.Stream(device) for _ in range(STREAMS - 1))]

    def compare(self, writer=None):
        """Run the program, which a writer goes on writing; return a Difference or None."""
        program = self.program
        reference = Machine(np, program.arrays, program.number)
        machine = Machine(gpuarray, program.arrays, program.number, self.device)
        written = program.statements
        with gpuarray.fusion("off"):
            for place in itertools.count():
                if writer is not None and place < STATEMENTS:
                    state = {f"a{k}": reference.names[f"a{k}"] for k in range(ARRAYS)}
                    written.append(writer.statement(state))
                if place == len(written):
                    break
                try:
                    different = self.step(written[place], reference, machine)
                except LateError:
                    del written[place:]
                    return self.compare()
                if different is not None:
                    del written[place + 1 :]
                    return Difference(*different)
        expected = [bits(machine.array(f"a{k}")) for k in range(ARRAYS)], repr(machine.found)
        for mode in self.modes:
            other = Machine(gpuarray, program.arrays, program.number, self.device)
            with fusion(mode.format(program.number)):
                for statement in written:
                    other.run(compiled(statement.text), self.streams[statement.stream])
                    if statement.drops:
                        other.names[statement.text.split(" ", 1)[0]] = self.replacement()
                got = [bits(other.array(f"a{k}")) for k in range(ARRAYS)], repr(other.found)
            if got != expected:
                return Difference(f"fusion {mode}", program, f"in fusion({mode!r})")
        return None

    def step(self, statement, reference, machine):
        """Run one statement in both; return what differs, or None."""
        code = compiled(statement.text)
        scale = scale_of(reference) if statement.kind not in ("bits", "near") else 1.0
        before = [np.asarray(reference.names[f"a{k}"]) for k in range(ARRAYS)]
        count = len(reference.found)
        expected = reference.run(code)
        error = machine.run(code, self.streams[statement.stream])
        if (late := self.late_error()) is not None and expected is not None:
            raise LateError
        error = error or late
        target = statement.text.split(" ", 1)[0] if statement.kind != "none" else None
        statement.drops = target is not None and self.is_odd(reference, target)
        if statement.drops:
            reference.names[target] = np.zeros(3)
            machine.names[target] = self.replacement()
            expected = error = None
        if (expected is None) != (error is None):
            text = f"got      {error!r}\n  expected {expected!r}"
            return self.difference(statement, before, "error", text)
        kind = statement.kind if statement.kind != "none" else "sum"
        for k in range(ARRAYS):
            name = f"a{k}"
            got, wanted = machine.array(name), np.asarray(reference.names[name])
            if bits(got) == bits(wanted):
                continue
            if not near(got, wanted, kind if error is None else "sum", scale):
                what = "value" if got.dtype == wanted.dtype else "dtype"
                text = f"{name}: {describe(got, wanted)}"
                return self.difference(statement, before, what, text)
            adopt(reference, name, got)
        if len(reference.found) > count:
            machine.found[count:] = reference.found[count:] = machine.found[count:]
        return None

    def late_error(self):
        """Wait for the device, and return an error that it tells of then; each wait tells one."""
        try:
            if self.device != "cpu":
                gpuarray.synchronize(self.device)
        except Exception as error:
            return self.late_error() or error

    @staticmethod
    def is_odd(reference, target):
        """Return whether a result is none that later statements can use."""
        value = np.asarray(reference.names[target])
        return value.size > MOST_ELEMENTS or value.dtype.kind not in "biufc" or value.ndim > 5

    def replacement(self):
        return gpuarray.zeros(3, "float64", device=self.device)

    def difference(self, statement, before, what, text):
        dtypes = [
            before[k].dtype.name
            for k in range(ARRAYS)
            if f"a{k}" in statement.text.split(" = ", 1)[-1]
        ]
        shown = statement.text.split(" = ", 1)[-1]
        for k in range(ARRAYS):
            shown = shown.replace(f"a{k}", "a")
        return f"{what}: {shown} of {','.join(dtypes)}", self.program, f"{statement.text}\n  {text}"


def smaller(difference, device, modes):
    """Return the difference of a program without the statements that it does not need."""
    for _ in range(3):
        count = len(difference.program.statements)
        for place in reversed(range(count)):
            program = difference.program
            kept = program.statements[:place] + program.statements[place + 1 :]
            shorter = Program(program.number, program.arrays, kept)
            found = Run(shorter, device, modes).compare()
            if found is not None and found.what.split(":")[0] == difference.what.split(":")[0]:
                difference = found
        if len(difference.program.statements) == count:
            break
    return difference


def listing(difference):
    """Return the program of a difference as a text that can be run."""
    program = difference.program
    lines = [f"# program {program.number}: {difference.what}"]
    used = " ".join(statement.text for statement in program.statements)
    for k, array in enumerate(program.arrays):
        if f"a{k}" in used:
            lines.append(f"a{k} = xp.array({array.tolist()}, '{array.dtype}')  # {array.shape}")
    for statement in program.statements:
        stream = f"  # on stream {statement.stream}" if statement.stream else ""
        lines.append(statement.text + stream)
    return "\n".join(lines) + f"\n  {difference.text}"


def run_share(share):
    """Run every `step`-th program; return how many operations ran, and the kinds of differences."""
    options, first = share
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    modes = [] if options.no_fusion else MODES
    operations, kinds, texts = 0, Counter(), {}
    number, wanted = first, options.operations / options.processes
    end = time.monotonic() + options.seconds
    while operations < wanted and time.monotonic() < end:
        program = Program(number, first_arrays(number))
        difference = Run(program, options.device, modes).compare(Writer(number))
        operations += len(program.statements)
        if difference is not None:
            if difference.what not in kinds and len(texts) < options.most:
                texts[difference.what] = listing(smaller(difference, options.device, modes))
            kinds[difference.what] += 1
        number += options.processes
    return operations, kinds, texts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--operations", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=1e9, help="the most that it runs")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    parser.add_argument("--most", type=int, default=40, help="programs that each process prints")
    parser.add_argument("--no-fusion", action="store_true", help="without operations that wait")
    options = parser.parse_args()
    begin = time.monotonic()
    shares = [(options, options.first + k) for k in range(options.processes)]
    if options.processes == 1:
        results = [run_share(shares[0])]
    else:
        with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
            results = pool.map(run_share, shares, chunksize=1)
    texts = {what: text for *_, found in results for what, text in found.items()}
    kinds = sum((kinds for _, kinds, _ in results), Counter())
    for what, text in texts.items():
        print(f"{text}\n  ({kinds[what]} times)\n")
    count = sum(operations for operations, _, _ in results)
    print(
        f"{count} operations in {time.monotonic() - begin:.0f} s on {options.device}: "
        f"{sum(kinds.values())} differences of {len(kinds)} kinds"
    )
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
