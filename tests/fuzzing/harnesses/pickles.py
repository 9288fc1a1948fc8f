# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Pickles of arrays: changed bytes, and the arguments that they hold."""

import io
import pickle
import struct

import numpy as np
from fuzzing.choices import Choices
from fuzzing.outcomes import REFUSALS, check_same, outcome

import gpuarray
from gpuarray import _pickling

DTYPES = ["float32", "int8", "bool", "complex128", "bfloat16", "V7", "object", "", "<i4", "f4,i2"]
NUMBERS = [0, 1, 2, 3, 4, 8, -1, 2**31, 2**62, 2**64, 1.5, None]
ORDERS = ["C", "F", "A", "K", "", None, 3]
DEVICES = ["cpu", "cuda:0", "", "cpu:1", "cuda:99999999999"]
KINDS = ["host", "device", "pinned", "managed", None, 3]


class Unpickler(pickle._Unpickler):
    """Finds what pickles of arrays name, and nothing that could do harm.

    It is Python's own, because the compiled one makes a memo of as many GiB as the bytes say.
    """

    def find_class(self, module, name):
        if (module, name) == ("gpuarray._pickling", "restore"):
            return _pickling.restore
        raise pickle.UnpicklingError(f"{module}.{name}")


def load(data):
    """Return what a pickle holds, None for what is none."""
    try:
        return Unpickler(io.BytesIO(data)).load()
    except (*REFUSALS, pickle.UnpicklingError, AttributeError, struct.error):
        return None


def check_restored(choices):
    count = choices.number(0, 24)
    content = bytes(choices.byte() for _ in range(count))
    dtype = choices.choice(DTYPES)
    shape = tuple(choices.several(3, lambda: choices.choice(NUMBERS)))
    order, device, kind = map(choices.choice, (ORDERS, DEVICES, KINDS))
    arguments = (content, dtype, shape, order, device, kind, choices.flag())
    got, error = outcome(_pickling.restore, *arguments)
    if error is not None or dtype == "bfloat16":
        return
    expected = np.frombuffer(content, np.uint8).view(dtype).reshape(shape, order=order)
    check_same(got, expected, arguments)


def run(data):
    choices = Choices(data)
    if choices.flag():
        return check_restored(choices)
    found = load(choices.rest())
    if isinstance(found, gpuarray.GPUArray):
        assert gpuarray.asnumpy(found).nbytes == found.nbytes
