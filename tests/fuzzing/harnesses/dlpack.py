# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""DLPack: tensors with any numbers in their fields, objects that are no producers, and exports."""

import ctypes
import math

import numpy as np
from _support.dlpack import CPU, Producer, capsule
from fuzzing.choices import Choices
from fuzzing.outcomes import check_same, outcome

import gpuarray

BLOCK = 4096
DTYPES = ["uint8", "int32", "float64", "complex128", "bool", "float16"]
NUMBERS = [0, 1, -1, 2**31, 2**32, 2**62, 2**63 - 1, -(2**63)]
NDIMS = [-1, 33, 64, 65, 2**31 - 1, -(2**31)]
DEVICES = [
    (1, 0),
    (1, 0),
    (1, 0),
    (1, 3),
    (2, 0),
    (3, 0),
    (13, 0),
    (-1, 0),
    (2, -5),
    (99, 2**31 - 1),
]
ODD = [None, 1, "cpu", (1,), (1, 0, 0), (1.0, 0), (2**40, 0), [1, 0], ("a", None), object()]

_memory = (ctypes.c_ubyte * BLOCK)(*[i % 2 for i in range(BLOCK)])
_base = ctypes.addressof(_memory)


def extent(choices, small):
    return choices.choice(NUMBERS) if choices.byte() > 220 else choices.number(*small)


class Tensor(Producer):
    """A producer of a tensor of the block's memory, whose fields are of any value."""

    def __init__(self, choices):
        shape = choices.several(4, lambda: extent(choices, (0, 5)))
        strides = [extent(choices, (-6, 6)) for _ in shape] if choices.flag() else None
        address = _base + BLOCK // 2 + choices.choice([0, 0, 0, 1, 4, 8])
        super().__init__(
            choices.choice([address, address, address, 0]),
            shape,
            choices.choice(DTYPES),
            strides,
            device=choices.choice(DEVICES),
            byte_offset=choices.choice([0, 0, 16, 1, 2**64 - 16, 2**63]),
            flags=choices.choice([0, 1, 2, 3, 2**64 - 1]),
            version=(choices.choice([1, 1, 1, 0, 2, 2**32 - 1]), choices.byte()),
            versioned=choices.flag(),
            deleter=choices.flag(),
            lanes=choices.choice([1, 1, 1, 0, 4, 2**16 - 1]),
        )
        self.name = choices.choice(["", "", "", "used_dltensor", "dltensor2", "x"])
        self.answer = choices.choice([None] * 8 + ODD)
        self.spoilt = choices.byte() > 220
        if self.spoilt:
            # As many dimensions as there may be have a shape and strides to be read.
            self._long = (ctypes.c_int64 * 64)(*shape)
            pointer = ctypes.cast(self._long, ctypes.POINTER(ctypes.c_int64))
            self.tensor.shape = pointer
            if strides is not None:
                self.tensor.strides = pointer
            self.tensor.ndim = choices.choice(NDIMS)
        if choices.byte() > 240:
            self.tensor.code, self.tensor.bits = choices.byte(), choices.byte()
            self.spoilt = True
        self.shape, self.strides = tuple(shape), strides

    def __dlpack_device__(self):
        return self.device if self.answer is None else self.answer

    def __dlpack__(self, **keywords):
        made = super().__dlpack__(**keywords)
        return made if not self.name else capsule(ctypes.addressof(self.managed), self.name)


def expected_view(tensor):
    """Return the elements of the tensor, None where it leaves the block or its fields lie."""
    fields = tensor.tensor
    if fields.device_type != CPU:
        return None
    if tensor.spoilt or not fields.data or any(side < 0 for side in tensor.shape):
        return None
    dtype = next(d for d in map(np.dtype, DTYPES) if dlpack_type(d) == (fields.code, fields.bits))
    strides = tensor.strides
    if strides is None:
        strides = [math.prod(tensor.shape[k + 1 :]) for k in range(len(tensor.shape))]
    begin = (fields.data + fields.byte_offset) % 2**64 - _base
    low = high = begin
    if not 0 < math.prod(tensor.shape) <= BLOCK:
        return None
    steps = [s * (n - 1) * dtype.itemsize for s, n in zip(strides, tensor.shape, strict=True)]
    low += sum(step for step in steps if step < 0)
    high += sum(step for step in steps if step > 0) + dtype.itemsize
    if not 0 <= low <= high <= BLOCK:
        return None
    byte_strides = [s * dtype.itemsize for s in strides]
    # NumPy takes no stride of any size for an axis of one element.
    return outcome(np.ndarray, tensor.shape, dtype, _memory, begin, byte_strides)[0]


def dlpack_type(dtype):
    return {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}[dtype.kind], 8 * dtype.itemsize


def check_import(choices):
    tensor = Tensor(choices)
    expected = expected_view(tensor)
    # Memory beyond the block can only be lent, not copied: the lie is the producer's.
    copy = choices.choice([None, True, False]) if expected is not None else False
    got, error = outcome(gpuarray.from_dlpack, tensor, copy=copy)
    if error is None and expected is not None:
        check_same(got, expected, (tensor.shape, tensor.strides))
    del got


def check_others(choices):
    class Odd:
        def __dlpack_device__(self):
            return choices.choice(ODD + DEVICES)

        def __dlpack__(self, **keywords):
            if choices.flag():
                raise choices.choice([TypeError, ValueError, BufferError])("no")
            return choices.choice([*ODD, capsule(_base, "x"), np.zeros(2)])

    outcome(gpuarray.from_dlpack, Odd())


def check_export(choices):
    made = gpuarray.arange(12, dtype=choices.choice(["float32", "int8"]), device="cpu")
    numbers = [*NUMBERS, *ODD, *DEVICES]
    names = ["stream", "max_version", "dl_device", "copy"]
    keywords = {choices.choice(names): choices.choice(numbers) for _ in range(2)}
    held, error = outcome(made.__dlpack__, **keywords)
    if error is None:
        assert "dltensor" in repr(held)


def run(data):
    choices = Choices(data)
    choices.choice([check_import, check_import, check_others, check_export])(choices)
