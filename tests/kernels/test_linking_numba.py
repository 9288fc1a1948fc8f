# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Device functions of Numba in our kernels and ours in Numba's, linked without a device."""

import pytest
from _support.device_code import (
    ARCHITECTURE,
    CALLER,
    MUL,
    NUMBA_MUL,
    item_maker,
    needs_linker,
    needs_nvrtc,
    symbols,
)

from gpuarray import Module, declare_device

pytestmark = [needs_nvrtc, needs_linker]
POINTERS = 'extern "C" __device__ int mul(void*, long long*, void*) { return 0; }\n'


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    return item_maker(tmp_path_factory.mktemp("items"), MUL)


@pytest.fixture
def numba():
    """Skips where Numba is missing, or does not fit this NumPy."""
    try:
        import numba
        from numba import cuda

        cuda.compile(lambda x: x, (numba.int32,), device=True, cc=(9, 0))
    except Exception as error:
        pytest.skip(f"Numba: {error}")
    return numba


def test_functions_of_numba_and_for_numba(numba, made):
    """A function that Numba compiles calls one of ours, and a kernel of ours calls that."""
    cuda, types = numba.cuda, numba.types

    mul = declare_device("mul", "float32(float32, float32)", link=made("ltoir"), abi="c")
    external = mul.numba()
    pointers = made("cu", POINTERS, "pointers")
    assert declare_device("mul", "void(CPointer(int64), voidptr)", link=pointers).numba()
    code, result = cuda.compile(
        lambda a, b: external(a, b) + a,
        (types.float32, types.float32),
        device=True,
        cc=(9, 0),
        abi="c",
        abi_info={"abi_name": "mul_add"},
        output="ltoir",
    )
    mul_add = declare_device(
        "mul_add", result(types.float32, types.float32), link=[code, *mul.link], abi="c"
    )
    found = symbols(Module(CALLER.replace("mul", "mul_add"), link=mul_add, arch=ARCHITECTURE).image)
    assert "f" in found
    assert not {"mul", "mul_add"} & found


def test_functions_of_one_file_are_one_item_for_numba(numba, made):
    cuda, types = numba.cuda, numba.types

    item = made("ptx", NUMBA_MUL + NUMBA_MUL.replace("mul", "square_of"), "two")
    mul, square_of = (
        declare_device(name, "float32(float32, float32)", link=item).numba()
        for name in ("mul", "square_of")
    )
    (code, *items), _ = cuda.compile_all(
        lambda a, b: mul(a, b) + square_of(a, a),
        types.float32(types.float32, types.float32),
        device=True,
        cc=(9, 0),
        abi="c",
        abi_info={"abi_name": "both"},
        output="ltoir",
    )
    assert [linked.data for linked in items] == [item.read_bytes()]
    both = declare_device("both", "float32(float32, float32)", link=[code, *items], abi="c")
    assert {"f", "mul", "square_of"} <= symbols(
        Module(CALLER.replace("mul", "both"), link=both, arch=ARCHITECTURE).image
    )
