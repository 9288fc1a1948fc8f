# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""isclose and allclose as one kernel give the bits of the operations that they are composed of."""

from unittest import mock

import numpy as np
import pytest
from _support.fused import check_one_pass as check
from _support.fused import samples
from _support.layouts import ALL, contiguous, strided, transposed
from _support.process import inherited_driver, run_python

import gpuarray
from gpuarray._common import one_pass

FLOATS = ["float16", "float32", "float64", "complex64"]


@pytest.mark.parametrize("equal_nan", [False, True])
@pytest.mark.parametrize("dtype", [*FLOATS, "int8"])
def test_arrays(device, dtype, equal_nan):
    a, b = (contiguous(samples(dtype, (7, 19), seed)) for seed in (0, 1))
    for name in ("isclose", "allclose"):
        # 16-bit floats are compared by one kernel, and what it gives is then reduced.
        taken = (name, dtype) != ("allclose", "float16")
        function = getattr(gpuarray, name)
        for first, second in ((a, b), (a, a), (b, a[0])):
            check(
                lambda f=function, x=first, y=second: f(x, y, 1e-3, 1e-6, equal_nan),
                device,
                taken=taken,
            )


@pytest.mark.parametrize("layout", ALL)
def test_layouts(device, layout):
    a, b = (samples("float32", (6, 21), seed) for seed in (2, 3))
    check(lambda: gpuarray.isclose(layout(a), layout(b)), device)
    check(lambda: gpuarray.isclose(layout(a), contiguous(b), equal_nan=True), device)
    check(lambda: gpuarray.isclose(strided(a), transposed(b)), device)
    check(lambda: gpuarray.isclose(layout(a)[:, :1], contiguous(b)[:1]), device)


def test_dtypes_that_differ(device):
    a, b = samples("float32", (40,)), samples("float64", (40,), 1)
    for other in (b, b.astype("complex128"), np.arange(40), np.arange(40, dtype="uint8")):
        check(lambda o=other: gpuarray.isclose(contiguous(a), contiguous(o)), device)
        check(lambda o=other: gpuarray.isclose(contiguous(o), contiguous(a), atol=0.5), device)


@pytest.mark.parametrize("number", [0, 1, -0.0, 1.0, np.float32(1), np.nan, np.inf, 1 + 0j])
def test_numbers(device, number):
    a = contiguous(samples("float32", (50,)))
    is_nan = number != number
    check(lambda: gpuarray.isclose(a, number), device)
    check(lambda: gpuarray.allclose(a, number, atol=10), device)
    check(lambda: gpuarray.isclose(a, number, equal_nan=True), device, taken=not is_nan)
    check(lambda: gpuarray.isclose(number, a), device)


def test_tolerances_may_be_arrays(device):
    a, b = (contiguous(samples("float64", (5, 9), seed)) for seed in (0, 1))
    atol = abs(b[0])
    check(lambda: gpuarray.isclose(a, b, atol=atol), device)
    check(lambda: gpuarray.isclose(a, b, rtol=np.float32(0.5), atol=2), device)


@pytest.mark.parametrize(
    "operands",
    [(4,), (3, None), (3, 1.0, "x"), (3, 1.0, [1.0]), (3, 1.0, 0.5, np.ones(4))],
    ids=str,
)
def test_errors_are_those_of_the_operations(device, operands):
    """Of shapes that do not broadcast, and of tolerances that are neither numbers nor GPUArrays."""
    size, *tolerances = operands
    a, b = gpuarray.ones(3, device=device), gpuarray.ones(size, device=device)
    errors = []
    for least in (0, 1 << 60):
        for function in (gpuarray.isclose, gpuarray.allclose):
            with (
                mock.patch.object(one_pass, "LEAST_SIZE", least),
                pytest.raises(Exception) as error,
            ):
                function(a, b, *tolerances)
            errors.append((error.type, str(error.value)))
    assert errors[0][0] in (TypeError, ValueError)
    assert set(errors) == {errors[0]}


@pytest.mark.cuda
def test_a_compiler_that_fails_leaves_the_operations(cuda, tmp_path):
    code = f"""
    import numpy as np, gpuarray
    x = gpuarray.ones(1 << 20, "float32", device={cuda!r})
    print(gpuarray.allclose(x, x + 1), bool(gpuarray.isclose(x, x).all()))
    print(gpuarray.interp(x, [0, 1, 2], [0.0, 5.0, 7.0])[7].item())
    """
    environment = inherited_driver() | {"GPUARRAY_CACHE_DIR": str(tmp_path)}
    # The test driver's compiler runs the host's, which is not there.
    found = run_python(code, PATH="/nowhere", PYTHONWARNINGS="ignore", **environment)
    assert found == "False True\n5.0\n"
