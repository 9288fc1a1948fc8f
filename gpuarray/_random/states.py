# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The states of bit generators, as NumPy's dicts and as the words that kernels read."""

from typing import Any

import numpy as np

__all__ = ["STATE_WORDS", "pack", "unpack"]

STATE_WORDS = 16  # kRandomStateBytes of kernels/random/random_params.hpp
_MASK = (1 << 64) - 1


def pack(state: dict[str, Any]) -> np.ndarray[Any, Any]:
    """Return the words of a state as NumPy gives it; ValueError for another bit generator's."""
    words = np.zeros(STATE_WORDS, np.uint64)
    inner = state["state"]
    if state["bit_generator"] == "Philox":
        words[:4] = inner["counter"]
        words[4:6] = inner["key"]
        words[6] = state["buffer_pos"]
    else:
        numbers = int(inner["state"]), int(inner["inc"])
        words[:4] = [half for n in numbers for half in (n & _MASK, n >> 64 & _MASK)]
    words[7] = int(state["has_uint32"]) << 32 | int(state["uinteger"])
    return words


def unpack(kind: str, words: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return the words as NumPy's dict of the bit generator `kind`."""
    half = int(words[7])
    rest = {"has_uint32": half >> 32, "uinteger": half & 0xFFFFFFFF}
    if kind == "Philox":
        inner = {"counter": words[:4].copy(), "key": words[4:6].copy()}
        return {
            "bit_generator": kind,
            "state": inner,
            "buffer": _buffer(inner),
            "buffer_pos": int(words[6]),
            **rest,
        }
    numbers = [int(words[k]) | int(words[k + 1]) << 64 for k in (0, 2)]
    return {"bit_generator": kind, "state": {"state": numbers[0], "inc": numbers[1]}, **rest}


def _buffer(inner: dict[str, Any]) -> np.ndarray[Any, Any]:
    """Return the four words that Philox makes of its counter, which NumPy keeps beside it."""
    counter = sum(int(word) << 64 * k for k, word in enumerate(inner["counter"]))
    before = (counter - 1) % (1 << 256)
    generator = np.random.Philox(key=inner["key"], counter=before)
    return generator.random_raw(4)
