# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""argsort of the cpu device, which distributes elements by digits of their keys."""

import numpy as np
import pytest
from _support.special_values import DTYPES, sample
from hypothesis import given
from hypothesis import strategies as st

import gpuarray


def argsorted(x, axis, descending):
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    order = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - order, axis)


@given(data=st.data())
def test_argsort_of_any_spread(data):
    """The cpu device distributes keys by digits, again where many share one."""
    dtype = data.draw(st.sampled_from(DTYPES))
    rows, length = data.draw(st.integers(1, 4)), data.draw(st.integers(17, 1500))
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    shape = (rows, length)
    kind = data.draw(st.sampled_from(["even", "few", "heaped", "special", "mixed"]))
    if kind == "special":
        x = sample(dtype, shape, int(random.integers(9999)), few=False)
    else:
        bits = random.integers(0, 2**64, shape, np.uint64, endpoint=False)
        most = int(random.integers(1, 64))
        if kind == "few":
            bits = random.choice(bits[0, :most], shape)
        elif kind == "heaped":
            bits[random.random(shape) < 0.7] >>= np.uint64(most)
        elif kind == "mixed":
            bits[-1] >>= np.uint64(most)
        whole = bits.view(np.int64) >> int(random.integers(0, 60))
        with np.errstate(all="ignore"):
            x = whole.astype(dtype) if np.dtype(dtype).kind in "biu" else (whole / 3).astype(dtype)
            if np.dtype(dtype).kind == "c":
                x = x + 1j * np.flip(x, 1)
    descending = data.draw(st.booleans())
    a = gpuarray.to_device(x, device="cpu")
    found = gpuarray.argsort(a, descending=descending).get()
    np.testing.assert_array_equal(found, argsorted(x, 1, descending))


@pytest.mark.parametrize("length", [4095, 4096, 4097, 8191, 12_000])
def test_argsort_of_words_that_share_digits(length):
    """Most words of a row have one digit, so that it is sorted by the next ones."""
    words = np.random.default_rng(length).integers(0, 2**32, length)
    words[: min(length - 1, 4095)] >>= 14
    words[-1] = 2**62
    for x in (words, words[::-1].copy(), np.sort(words), words.astype("float64")):
        found = gpuarray.argsort(gpuarray.to_device(x, device="cpu")).get()
        np.testing.assert_array_equal(found, np.argsort(x, kind="stable"))


@pytest.mark.parametrize("length", [1 << 16, (1 << 22) + 5])
def test_long_even_rows(length):
    """From 2^16 elements on lower bits of 64-bit keys are left out of words with a position."""
    words = np.random.default_rng(3).integers(0, 2**64, length, np.uint64, endpoint=False)
    words[::7] = words[5]
    words[1::7] ^= np.arange(len(words[1::7]), dtype=np.uint64)
    words[2::7] = words[1 : len(words) - 1 : 7][: len(words[2::7])] ^ np.uint64(1)
    a = gpuarray.to_device(words, device="cpu")
    np.testing.assert_array_equal(gpuarray.argsort(a).get(), np.argsort(words, kind="stable"))
