# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What a row of the tables of failing calls is, and the arrays that its program works on."""

import itertools
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import gpuarray

SHAPE = (40, 40)
SOURCE = """
__device__ float factor;
extern "C" __global__ void scale(float* x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] *= 2;
}
"""
_numbers = itertools.count()


class World:
    """Arrays in use while a call fails, and what programs make of them."""

    def __init__(self, device: str = "cuda:0") -> None:
        host = np.random.default_rng(7).uniform(1, 2, SHAPE).astype(np.float32)
        self.host = host + 40 * np.eye(*SHAPE, dtype=np.float32)
        self.a = gpuarray.to_device(self.host, device=device)
        self.b = self.a + 1
        assert (self.b.get() == self.host + 1).all()

    def check(self) -> None:
        """Raise AssertionError unless the arrays have the values that they were given."""
        assert (self.a.get() == self.host).all(), "an array has lost its values"
        assert (self.b.get() == self.host + 1).all(), "a result has lost its values"

    @cached_property
    def stream(self) -> gpuarray.Stream:
        return gpuarray.Stream()

    @cached_property
    def recorded(self) -> gpuarray.Event:
        event = gpuarray.Event()
        event.record()
        return event

    @cached_property
    def kernel(self) -> gpuarray.Kernel:
        return module().get_function("scale")

    @cached_property
    def shared(self) -> gpuarray.GPUArray:
        return gpuarray.empty_shared(SHAPE, np.float32)

    @cached_property
    def lent(self) -> gpuarray.SharedHandle:
        """The handle of an array of another process, which ends with this one."""
        import_here = "import pickle, sys, gpuarray; x = gpuarray.empty_shared(7); "
        give = "sys.stdout.buffer.write(pickle.dumps(x.share())); sys.stdout.flush(); "
        command = [sys.executable, "-P", "-c", import_here + give + "sys.stdin.read()"]
        self.other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return pickle.load(self.other.stdout)

    @cached_property
    def managed(self) -> gpuarray.GPUArray:
        return gpuarray.zeros_managed(SHAPE, np.float32)

    @cached_property
    def graph(self) -> gpuarray.Graph:
        with gpuarray.capture() as graph:
            self.doubled = self.b * 2
        return graph

    def matrix(self, dtype: str, *shape: int) -> gpuarray.GPUArray:
        """Return well-conditioned matrices, diagonally dominant where they are square."""
        made = np.full(shape, 0.01, dtype)
        made[..., np.arange(min(shape[-2:])), np.arange(min(shape[-2:]))] = 2
        return gpuarray.to_device(made)


class Foreign:
    """An array of another library."""

    def __init__(self, array: gpuarray.GPUArray) -> None:
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


def module(begin: str = "", **arguments: Any) -> gpuarray.Module:
    """Compile a module; no source is the same, so that none is found compiled."""
    return gpuarray.Module(f"{begin}// {next(_numbers)}\n{SOURCE}", **arguments)


def capture(world: World) -> gpuarray.Graph:
    with gpuarray.capture() as graph:
        world.b * 2
    return graph


def in_thread(function: Callable[[], object]) -> None:
    """Call the function on a new thread, and raise what it raises."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            function()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]


@dataclass(frozen=True)
class Row:
    """A program whose first call of a function fails, and what is said of it.

    The program raises `raises`, and its message has `says`, by default the function's name; None
    where it goes another way. Then the program runs again, as if nothing had been, unless the
    failure `stays` for the process.
    """

    program: Callable[[World], object]
    raises: type[BaseException] | None = gpuarray.CudaError
    says: str = ""
    status: int = 0  # the status that the call fails with; 0 for the library's usual one
    cold: bool = False  # whether the process has used no device before
    stays: bool = False


# The table of a library: a row for each function, or why its failure cannot be told.
Table = dict[str, Row | str]


def quiet(program: Callable[[World], object]) -> Row:
    return Row(program, raises=None)


def first_use(program: Callable[[World], object], **how: Any) -> Row:
    return Row(program, cold=True, **how)
