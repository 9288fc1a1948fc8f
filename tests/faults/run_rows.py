# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Runs rows of a table, each in a process of its own, with the call that it names failing.

    python run_rows.py driver [function ...]
    python run_rows.py cublas --memory [function ...]

prints a line for each row: the function, and "ok" or what went wrong. With --memory the calls fail
for want of memory, which is another exception.
"""

import ctypes
import gc
import os
import re
import signal
import sys
import warnings
from dataclasses import replace
from pathlib import Path

from faults.driver_rows import ROWS
from faults.library_rows import FAILS, LACKS_MEMORY, TABLES
from faults.rows import Row, World

import gpuarray

SECONDS = 120  # of a row, after which it counts as hanging
FILES = {
    "driver": "GPUARRAY_LIBCUDA",
    "nvrtc": "GPUARRAY_LIBNVRTC",
    "nvjitlink": "GPUARRAY_LIBNVJITLINK",
    "cublas": "GPUARRAY_LIBCUBLAS",
    "cusolver": "GPUARRAY_LIBCUSOLVER",
    "cufft": "GPUARRAY_LIBCUFFT",
    "cub": "GPUARRAY_LIBCUB",
}


class Failure:
    """The next call of a function, which fails."""

    def __init__(self, library: str, name: str, status: int) -> None:
        self._library = ctypes.CDLL(os.environ[FILES[library]])
        self._library.test_driver_fails_in.restype = ctypes.c_int64
        self._name, self._status = name.encode(), status

    def prepare(self) -> None:
        assert self._set(1) == 0, "the test driver has no such function"

    def happened(self) -> bool:
        """Return whether the call has failed, and call it off if not."""
        waits = self._library.test_driver_fails_in(self._name) > 0
        self._set(0)
        return not waits

    def _set(self, n: int) -> int:
        return self._library.test_driver_fail(self._name, ctypes.c_int64(n), self._status)


def used(world: World) -> int:
    """Return the bytes of all arrays there are, without those of the world."""
    gc.collect()
    return gpuarray.memory_stats("cuda:0")["bytes_in_use"] - sum(x.nbytes for x in made(world))


def run(library: str, name: str, row: Row) -> None:
    """Raise unless the row's program fails as it says and works afterwards."""
    world = World("cpu" if row.cold else "cuda:0")
    failure = Failure(library, name, row.status or FAILS.get(library, 400))
    # The second time, what is made once is there.
    for must_happen in (True, False):
        before = None if row.cold and must_happen else used(world)
        failure.prepare()
        said = error_of(row, world)
        happened = failure.happened()
        assert happened or not must_happen, f"the program does not call it; it raised {said!r}"
        if happened:
            check(row, name, said)
        else:
            assert said is None, f"it raised {said!r} though nothing failed"
        said = None
        world.check()
        if row.stays:
            return check(row, name, error_of(row, world))
        row.program(world)
        if before is not None:
            assert used(world) <= before, f"{used(world)} bytes in use, {before} before"
        world.check()


def made(world: World) -> list[gpuarray.GPUArray]:
    return [value for value in vars(world).values() if isinstance(value, gpuarray.GPUArray)]


def error_of(row: Row, world: World) -> BaseException | None:
    try:
        row.program(world)
    except (gpuarray.CudaError, gpuarray.DeviceError, gpuarray.CompileError, MemoryError) as error:
        return error.with_traceback(None)
    return None


def check(row: Row, name: str, said: BaseException | None) -> None:
    if row.raises is None:
        assert said is None, f"it raised {said!r}"
        return
    assert type(said) is row.raises, f"expected {row.raises.__name__}, got {said!r}"
    expected = row.says or name.removesuffix("_64").removesuffix("_v2")
    names = re.escape(expected) + r"(?:_64|_v2|_v2_64)?(?!\w)"
    assert re.search(names, str(said)), f"expected {expected!r} in the message, got {said!s}"


def in_child(library: str, name: str, row: Row) -> str:
    """Return "ok", or what went wrong in a process of the row's own."""
    told = Path(f"{name}.txt")
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os.dup2(os.open(told, os.O_WRONLY | os.O_CREAT), 2)
        os.environ["GPUARRAY_CACHE_DIR"] = f"{name}.cache"
        run(library, name, row)  # an exception ends the child with status 1
        sys.exit(0)  # not os._exit: the interpreter ends as usual
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    words = " | ".join(told.read_text().splitlines()[-1:])
    if status == 0 and not words:
        return "ok"
    return {-signal.SIGALRM: "hangs"}.get(status, f"status {status}") + f": {words}"


def without_memory(library: str, row: Row) -> Row:
    raises = gpuarray.OutOfMemoryError if row.raises is gpuarray.CudaError else row.raises
    return replace(row, status=LACKS_MEMORY[library], raises=raises)


def main() -> None:
    warnings.simplefilter("ignore")
    library, *names = [argument for argument in sys.argv[1:] if argument != "--memory"]
    for name, row in {"driver": ROWS, **TABLES}[library].items():
        if isinstance(row, Row) and (not names or name in names):
            if "--memory" in sys.argv:
                row = without_memory(library, row)
            print(name, in_child(library, name, row), flush=True)


if __name__ == "__main__":
    main()
