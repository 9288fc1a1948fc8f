# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""NumPy's Fourier transforms in this project's dtypes, for comparison, and samples for them."""

import numpy as np

KINDS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SWAPPED = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def sample(shape, dtype="complex128", seed=0):
    rng = np.random.default_rng([seed, *shape])
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    if np.dtype(dtype).kind in "iu":
        values = values * 10 % 50
    return values.astype(dtype) if np.dtype(dtype).kind != "b" else values > 0


def sample_for(name, shape, dtype="float64", seed=0):
    """Return elements that the function takes: real ones for rfft and ihfft."""
    is_real = name.startswith(("rfft", "ihfft"))
    return sample(shape, dtype if is_real else np.result_type(dtype, 1j), seed)


def expected(name, x, *args, **kwargs):
    """Return NumPy's result in double precision; hfft and ihfft of several axes are SciPy's."""
    x = np.asarray(x)
    x = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
    if name in ("hfft2", "hfftn", "ihfft2", "ihfftn"):
        kwargs["norm"] = SWAPPED[kwargs.get("norm")]
        if name.startswith("h"):
            return getattr(np.fft, f"ir{name[1:]}")(x.conj(), *args, **kwargs)
        return getattr(np.fft, f"r{name[2:]}")(x, *args, **kwargs).conj()
    return getattr(np.fft, name)(x, *args, **kwargs)


def assert_transform(got, name, x, *args, **kwargs):
    """Assert the dtype, the shape and the elements, within what rounding does to the norm."""
    wanted = expected(name, x, *args, **kwargs)
    single = np.dtype(x.dtype).name in ("float16", "bfloat16", "float32", "complex64")
    real = wanted.dtype.kind == "f"
    names = ("float32", "float64") if real else ("complex64", "complex128")
    is_half = np.dtype(x.dtype).name == "float16" and name in ("irfft", "hfft")
    assert got.dtype.name == ("float16" if is_half else names[0 if single else 1])
    assert got.shape == wanted.shape
    error = np.linalg.norm((got.get() - wanted).ravel())
    points = max(2, wanted.size, x.size)
    unit = 5e-4 if is_half else 1e-6 if single else 2e-15
    bound = unit * np.log2(points) * np.linalg.norm(wanted.ravel())
    assert error <= bound, f"{name}: error {error}, expected at most {bound}"
