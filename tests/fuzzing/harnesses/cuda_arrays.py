# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The CUDA array interface: dictionaries with anything in them, over memory of the device."""

import numpy as np
from fuzzing.choices import Choices
from fuzzing.outcomes import check_same, outcome

import gpuarray

BLOCK = 1024
TYPES = ["<f4", "|u1", "<i8", "<c16", "|b1", "<f2", ">f4", "f4", "|V2", "", "<f3", "O", None, 3]
NUMBERS = [0, 1, -1, 2**31, 2**62, 2**63 - 1, 2**63, -(2**63), 1.5, None, "a"]
KEYS = ["shape", "typestr", "data", "version", "strides", "stream", "mask", "descr"]
ODD = [None, 0, -1, 1, 2, 2**64, "a", (), [1], (1, 2, 3), {}, object(), (None, None), b"x", 1.5]

_block = None


def block():
    """Return memory of the device whose bytes are known."""
    global _block
    if _block is None and any(device.kind == "cuda" for device in gpuarray.devices()):
        _block = gpuarray.to_device(np.arange(BLOCK) % 2 == 1, device="cuda:0").view("uint8")
    return _block


def number(choices, small):
    return choices.choice(NUMBERS) if choices.byte() > 220 else choices.number(*small)


class Foreign:
    def __init__(self, choices, memory):
        shape = tuple(choices.several(3, lambda: number(choices, (0, 5))))
        strides = tuple(choices.choice([4, 8, -4, 1, 0, 16, 40]) for _ in shape)
        address = memory.ptr + choices.choice([BLOCK // 2, BLOCK // 2 + 1, BLOCK - 4])
        self.fields = {
            "shape": shape,
            "typestr": choices.choice(TYPES),
            "data": (
                choices.choice([address, address, 0, 5, 2**64 - 1, 2**70, -1]),
                choices.flag(),
            ),
            "version": choices.choice([3, 3, 3, 2, 0, 4, -1, 2**70]),
            "strides": strides if choices.flag() else None,
            "stream": choices.choice([None, None, 1, 2]),
        }
        for _ in range(choices.number(0, 2)):
            name = choices.choice(KEYS)
            # A number that is no stream would be used as one: no library can tell.
            self.fields[name] = choices.choice(ODD if name != "stream" else [None, 0, -1, "a"])
        if choices.byte() > 230:
            del self.fields[choices.choice([*self.fields])]
        self.__cuda_array_interface__ = self.fields if choices.byte() < 250 else choices.choice(ODD)


def expected_view(fields, memory):
    """Return the elements that the fields describe, None where they leave the memory."""
    dtype, shape = np.dtype(fields["typestr"]), fields["shape"]
    if not isinstance(shape, tuple):
        return None
    steps = fields.get("strides")
    if steps is not None and not isinstance(steps, tuple):
        return None
    strides = np.empty(shape, dtype).strides if steps is None else steps
    begin = fields["data"][0] - memory.ptr
    steps = [s * (n - 1) for s, n in zip(strides, shape, strict=True)]
    low = begin + sum(step for step in steps if step < 0)
    high = begin + sum(step for step in steps if step > 0) + dtype.itemsize
    if 0 in shape or not 0 <= low <= high <= BLOCK:
        return None
    return np.ndarray(shape, dtype, memory.get(), begin, strides)


def run(data):
    choices, memory = Choices(data), block()
    if memory is None:
        return
    foreign = Foreign(choices, memory)
    got, error = outcome(gpuarray.from_cuda_array_interface, foreign)
    if error is not None or got.size == 0 or got.nbytes > BLOCK:
        return
    expected = expected_view(foreign.fields, memory)
    if expected is not None and got.flags.c_contiguous:
        check_same(got, expected, foreign.fields)
