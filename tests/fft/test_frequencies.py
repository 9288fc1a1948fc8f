# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The frequencies of transforms, their order, and lengths that are transformed fast."""

import numpy as np
import pytest
from _support.compare import assert_same

import gpuarray


@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 100, 101])
@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies_are_numpys(device, name, n):
    ours, numpys = getattr(gpuarray.fft, name), getattr(np.fft, name)
    assert_same(ours(n), numpys(n))
    assert_same(ours(n, 0.3), numpys(n, 0.3))
    assert_same(ours(n, d=7), numpys(n, d=7))
    assert_same(ours(n, 0.1, dtype="float32"), numpys(n, 0.1).astype("float32"))
    assert ours(n).device == gpuarray.default_device()


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_errors_of_frequencies(device, name):
    function = getattr(gpuarray.fft, name)
    for n in (0, -3, 2.5):
        with pytest.raises(ValueError, match="n "):
            function(n)
    for d, kind in (("K", "str"), ([1.0], "list"), (None, "NoneType")):
        for n in (4, 2**40):  # n times a text is not made
            with pytest.raises(TypeError, match=f"{name}: d must be a number, got {kind}"):
                function(n, d)
    with pytest.raises(TypeError, match="floating-point"):
        function(4, dtype="int32")
    assert str(function(4, device="cpu").device) == "cpu"


AXES = [None, 0, -1, (0,), (0, 2), (2, 1), (1, 1), [0, 1]]


@pytest.mark.parametrize("axes", AXES, ids=str)
@pytest.mark.parametrize("shape", [(4, 5, 6), (1, 2, 3), (7, 1, 2), (0, 3, 2)], ids=str)
def test_shifts_are_numpys(device, shape, axes):
    x = np.arange(np.prod(shape)).reshape(shape)
    a = gpuarray.to_device(x)
    assert_same(gpuarray.fft.fftshift(a, axes), np.fft.fftshift(x, axes))
    assert_same(gpuarray.fft.ifftshift(a, axes), np.fft.ifftshift(x, axes))
    assert_same(gpuarray.fft.fftshift(a[:, ::-1].T, axes), np.fft.fftshift(x[:, ::-1].T, axes))
    assert_same(a, x)


def test_shifts_undo_each_other(device):
    a = gpuarray.arange(5 * 7).reshape(5, 7)
    assert_same(gpuarray.fft.ifftshift(gpuarray.fft.fftshift(a)), a.get())
    assert_same(gpuarray.fft.fftshift(gpuarray.full((), 3)), np.full((), 3))
    with pytest.raises(np.exceptions.AxisError):
        gpuarray.fft.fftshift(a, 2)
    assert_same(gpuarray.fft.fftshift([1, 2]), np.fft.fftshift([1, 2]))
    with pytest.raises(TypeError, match="fftshift: expected a GPUArray"):
        gpuarray.fft.fftshift(np.ones(2))


def has_small_factors(n):
    for factor in (2, 3, 5, 7):
        while n % factor == 0:
            n //= factor
    return n == 1


def test_fast_lengths():
    for target in range(1, 2000):
        wanted = next(n for n in range(target, 2 * target + 1) if has_small_factors(n))
        assert gpuarray.fft.next_fast_len(target) == wanted
    assert has_small_factors(gpuarray.fft.next_fast_len(10**9 + 7, real=True))
    with pytest.raises(ValueError, match="positive"):
        gpuarray.fft.next_fast_len(0)
    with pytest.raises(TypeError):
        gpuarray.fft.next_fast_len(2.5)
