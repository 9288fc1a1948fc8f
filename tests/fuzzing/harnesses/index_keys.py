# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Keys of arrays, read and written, beside NumPy."""

import numpy as np
from fuzzing.choices import Choices
from fuzzing.outcomes import check_both, check_same, outcome

import gpuarray

NUMBERS = [0, 1, -1, 2**31, -(2**31) - 1, 2**63 - 1, -(2**63), 2**63, -(2**70)]
DTYPES = ["int64", "int8", "uint64", "uint8", "int32"]


def integer(choices):
    return choices.choice(NUMBERS) if choices.byte() > 200 else choices.number(-6, 6)


def bound(choices):
    return None if choices.flag() else integer(choices)


def shape(choices):
    return tuple(choices.several(2, lambda: choices.number(0, 3)))


def index_array(choices):
    extents = shape(choices)
    numbers = [choices.number(-4, 4) for _ in range(np.prod(extents, dtype=int))]
    dtype = choices.choice(DTYPES)
    return np.array(numbers, "int64").astype(dtype).reshape(extents)


def mask(choices):
    extents = shape(choices)
    flags = [choices.flag() for _ in range(np.prod(extents, dtype=int))]
    return np.array(flags, bool).reshape(extents)


def entry(choices):
    """Return one entry of a key."""
    kinds = [
        lambda: integer(choices),
        lambda: slice(bound(choices), bound(choices), bound(choices)),
        lambda: None,
        lambda: ...,
        lambda: choices.flag(),
        lambda: index_array(choices),
        lambda: mask(choices),
        lambda: index_array(choices).tolist(),
        lambda: np.int16(choices.number(-6, 6)),
        lambda: np.bool_(choices.flag()),
        lambda: choices.choice([1.5, "a", b"a", object(), {}, 1j, np.float32(1)]),
        lambda: np.zeros(shape(choices)),
        lambda: choices.choice([[], [[]], range(2), [True, 1], [[1], [1, 2]]]),
    ]
    return choices.choice(kinds)()


def key(choices):
    entries = choices.several(4, lambda: entry(choices))
    return entries[0] if len(entries) == 1 and choices.flag() else tuple(entries)


def on_device(item):
    """Return the entry with its arrays on the device."""
    if isinstance(item, tuple):
        return tuple(map(on_device, item))
    return gpuarray.to_device(item) if isinstance(item, np.ndarray) else item


def assign(array, place, value):
    array[place] = value
    return array


def run(data):
    choices = Choices(data)
    extents = tuple(choices.several(4, lambda: choices.number(0, 4)))
    host = np.arange(np.prod(extents, dtype=int), dtype="int32").reshape(extents)
    place = key(choices)
    device_place = on_device(place) if choices.flag() else place
    array = gpuarray.to_device(host)
    what = (extents, place)
    check_both(outcome(lambda: array[device_place]), outcome(lambda: host[place]), what)
    value = np.arange(100, 103, dtype="int32")[: choices.number(1, 3)]
    found, _ = outcome(lambda: host[place])
    # NumPy refuses an array of one element for an element, which broadcasts as everywhere else.
    is_array = choices.flag() and np.ndim(0 if found is None else found) > 0
    value = value if is_array else int(value[0])
    before = host.copy()
    expected = outcome(assign, host, place, value)
    given = gpuarray.to_device(value) if isinstance(value, np.ndarray) else value
    got = outcome(assign, array, device_place, given)
    check_both(got, expected, (what, value))
    if expected[1] is not None:
        check_same(array, before, what)
