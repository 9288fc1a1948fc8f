# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""How products call cuBLAS: on the stand-in for it (tests/driver/blas), which notes its calls."""

import ctypes
import os
import threading
from typing import NamedTuple

import numpy as np
import pytest

import gpuarray

LIBRARY = os.environ.get("GPUARRAY_LIBCUBLAS", "")
pytestmark = [
    pytest.mark.cuda,
    pytest.mark.skipif("stub" not in LIBRARY, reason="on the test driver alone"),
]

FLOAT32, FLOAT64, FLOAT16, INT8, COMPLEX64, COMPLEX128, BFLOAT16 = 0, 1, 2, 3, 4, 5, 14
SINGLE, DOUBLE, INTEGER, TF32 = 68, 70, 72, 77


class Matrix(NamedTuple):
    operation: str
    address: int
    leading: int
    batch_stride: int


class Gemm(NamedTuple):
    m: int
    n: int
    k: int
    batches: int
    a: Matrix
    b: Matrix
    c: Matrix
    dtype: int
    compute: int
    workspace: int


@pytest.fixture
def blas(cuda):
    library = ctypes.CDLL(LIBRARY)
    library.stub_blas_take_record.restype = ctypes.c_char_p
    library.stub_blas_take_record()
    return library


def calls(blas):
    found = []
    for line in blas.stub_blas_take_record().decode().splitlines():
        words = line.split()
        matrices = [Matrix(words[i], *map(int, words[i + 1 : i + 4])) for i in (4, 8, 12)]
        found.append(Gemm(*map(int, words[:4]), *matrices, *map(int, words[16:])))
    return found


def only_call(blas):
    (found,) = calls(blas)
    return found


def matrix(shape, dtype="float64", seed=0):
    values = np.random.default_rng([seed, *shape]).integers(-2, 3, shape)
    return gpuarray.to_device(values.astype(dtype))


def check(product, a, b):
    np.testing.assert_array_equal(product.get(), a.get() @ b.get())


def test_rows_are_the_columns_of_the_transposed_product(blas):
    a, b = matrix((7, 300)), matrix((300, 5))
    product = a @ b
    check(product, a, b)
    call = only_call(blas)
    assert (call.m, call.n, call.k, call.batches) == (5, 7, 300, 1)
    assert call.a == ("N", b.ptr, 5, 0)
    assert call.b == ("N", a.ptr, 300, 0)
    assert call.c == ("N", product.ptr, 5, 0)


VIEWS = {
    "rows": lambda x: x[:40, :300],
    "columns": lambda x: x[:300, :40].T,
    "every other row": lambda x: x[:80:2, 1:301],
    "every other column": lambda x: x[1:601:2].T[:40],
}


@pytest.mark.parametrize("view", VIEWS)
def test_operands_are_read_where_they_lie(blas, view):
    whole = matrix((640, 640))
    left = VIEWS[view](whole)
    right = left.T
    for a, b in ((left, whole[: left.shape[1], :9]), (whole[:9, : right.shape[0]], right)):
        blas.stub_blas_take_record()
        product = a @ b
        check(product, a, b)
        call = only_call(blas)
        assert {call.a.address, call.b.address} == {a.ptr, b.ptr}


@pytest.mark.parametrize(
    "view", [lambda x: x[::-1, :300], lambda x: x[:300, ::2].T, lambda x: x[:, ::-1][:, :300]]
)
def test_other_layouts_are_copied_alone(blas, view):
    whole, b = matrix((400, 400)), matrix((300, 9))
    a = view(whole)
    check(a @ b, a, b)
    call = only_call(blas)
    assert b.ptr in (call.a.address, call.b.address)
    assert a.ptr not in (call.a.address, call.b.address)


def test_vectors_are_columns(blas):
    a, x = matrix((7, 300)), matrix((300,), seed=1)
    check(a @ x, a, x)
    call = only_call(blas)
    assert (call.m, call.n, call.k) == (7, 1, 300)
    assert call.a == ("T", a.ptr, 300, 0)
    check(x @ a.T, x, a.T)
    call = only_call(blas)
    assert (call.m, call.n, call.k) == (7, 1, 300)
    check(x @ x, x, x)
    call = only_call(blas)
    assert (call.m, call.n, call.k) == (1, 1, 300)
    assert call.a == ("T", x.ptr, 300, 0)
    strided = matrix((300, 4))[:, 1]
    blas.stub_blas_take_record()
    check(a @ strided, a, strided)
    assert only_call(blas).b == ("T", strided.ptr, 4, 0)


@pytest.mark.parametrize(
    ("shapes", "expected"),
    [
        (((4, 7, 300), (300, 5)), [(5, 28, 1)]),  # the batch is one of rows
        (((4, 1, 300), (300, 5)), [(5, 4, 1)]),
        (((7, 300), (4, 300, 5)), [(5, 7, 4)]),
        (((4, 7, 300), (4, 300, 5)), [(5, 7, 4)]),
        (((2, 4, 7, 300), (2, 4, 300, 5)), [(5, 7, 8)]),
        (((2, 4, 7, 300), (2, 1, 300, 5)), [(5, 28, 2)]),
        (((2, 1, 7, 300), (1, 4, 300, 5)), [(5, 7, 4)] * 2),
    ],
    ids=str,
)
def test_batches(blas, shapes, expected):
    a, b = matrix(shapes[0]), matrix(shapes[1], seed=1)
    check(a @ b, a, b)
    assert [(call.m, call.n, call.batches) for call in calls(blas)] == expected


def test_batches_of_any_order(blas):
    a, b = matrix((4, 7, 300)), matrix((4, 300, 5), seed=1)
    for x, y, expected in [
        (a[::-1], b, [(5, 7, 4)]),  # a copy of `a`
        (a[::2], b[1::2], [(5, 7, 2)]),
        (a[:, :1], b[0], [(5, 4, 1)]),
        (a[::-1, :1], b[0], [(5, 4, 1)]),
        (a[:, 0][:, None, ::-1], b[0], [(5, 4, 1)]),
        (a.transpose((1, 0, 2)), b[0], [(5, 4, 7)]),
        (gpuarray.broadcast_to(a[0, 0], (6, 1, 300)), b[0], [(5, 1, 6)]),
        (b.mT[:, :1], a.mT[2], [(7, 1, 4)]),
        (a[0], b[:, :, :1], [(7, 1, 4)]),
        (a[0, :1], b[:, :, :1], [(1, 1, 4)]),
    ]:
        check(x @ y, x, y)
        found = [(call.m, call.n, call.batches) for call in calls(blas)]
        assert found == expected, (x.shape, x.strides, y.shape, y.strides)


@pytest.mark.parametrize(
    ("dtype", "code", "compute"),
    [
        ("float16", FLOAT16, SINGLE),
        ("bfloat16", BFLOAT16, SINGLE),
        ("float32", FLOAT32, SINGLE),
        ("float64", FLOAT64, DOUBLE),
        ("complex64", COMPLEX64, SINGLE),
        ("complex128", COMPLEX128, DOUBLE),
        ("int8", INT8, INTEGER),
    ],
)
def test_dtypes(blas, dtype, code, compute):
    a, b = matrix((8, 300)).astype(dtype), matrix((300, 12)).astype(dtype)
    a @ b
    call = only_call(blas)
    assert (call.dtype, call.compute) == (code, compute)
    with gpuarray.matmul_precision("high"):
        a @ b
    allowed = TF32 if dtype in ("float32", "complex64") else compute
    assert only_call(blas).compute == allowed


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int64", "uint64"])
def test_dtypes_without(blas, dtype):
    a, b = matrix((8, 300)).astype("bool").astype(dtype), matrix((300, 12)).astype(dtype)
    check(a @ b, a, b)
    assert calls(blas) == []


def test_int8_wraps(blas):
    a, b = matrix((8, 300), "int8"), matrix((300, 12), "int8", 1)
    a, b = a * np.int8(60), b * np.int8(60)
    product = a @ b
    expected = a.get().astype("int64") @ b.get().astype("int64")
    np.testing.assert_array_equal(product.get(), expected.astype("int8"))
    assert only_call(blas).dtype == INT8
    out = gpuarray.zeros((12, 8), "int8")
    gpuarray.matmul(a, b, out.T)
    np.testing.assert_array_equal(out.T.get(), expected.astype("int8"))
    assert len(calls(blas)) == 1


def test_int8_that_tensor_cores_cannot_read(blas):
    for a, b in (
        (matrix((8, 301), "int8"), matrix((301, 12), "int8")),
        (matrix((8, 304), "int8")[:, 1:301], matrix((300, 12), "int8")),
        (matrix((8, 300), "int8"), matrix((300, 13), "int8")),
    ):
        check(a @ b, a, b)
    assert calls(blas) == []


def test_out_is_written_where_it_lies(blas):
    a, b = matrix((7, 300)), matrix((300, 5))
    for out in (gpuarray.ones((7, 5)), gpuarray.ones((5, 7)).T, gpuarray.ones((9, 9))[1:8, 2:7]):
        gpuarray.matmul(a, b, out, alpha=2, beta=3)
        np.testing.assert_array_equal(out.get(), 2 * (a.get() @ b.get()) + 3)
        assert only_call(blas).c.address == out.ptr


def test_little_products_are_our_own(blas):
    x = matrix((32, 32), "float32")
    check(x @ x, x, x)
    assert calls(blas) == []


def test_workspace_is_apart_on_streams(blas):
    a, b = matrix((7, 300)), matrix((300, 5))
    streams = [gpuarray.Stream() for _ in range(4)]

    def work(stream):
        with stream:
            for _ in range(20):
                check(a @ b, a, b)

    threads = [threading.Thread(target=work, args=(stream,)) for stream in streams]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls(blas)) == 80


def test_graphs(blas):
    a, b = matrix((7, 300)), matrix((300, 5))

    graph = gpuarray.graph(lambda x: (x @ b) @ (x @ b).T @ x @ b)(a)
    assert len(calls(blas)) == 3  # the 7 x 7 one is our own
    for seed in range(3):
        x = matrix((7, 300), seed=seed).get()
        graph.update(x)
        graph.launch()
        check(a @ b, a, b)  # with a workspace of its own
        np.testing.assert_array_equal(
            graph.result.get(), (x @ b.get()) @ (x @ b.get()).T @ x @ b.get()
        )
    assert len(calls(blas)) == 3


def test_failures(blas):
    a, b = matrix((7, 300)), matrix((300, 5))
    blas.stub_blas_fail(13)
    with pytest.raises(
        gpuarray.CudaError, match=r"matmul\(\(7, 5\), float64\).*CUBLAS_STATUS_EXECUTION_FAILED"
    ) as caught:
        a @ b
    assert caught.value.name == "CUBLAS_STATUS_EXECUTION_FAILED"
    blas.stub_blas_fail(3)
    with pytest.raises(gpuarray.OutOfMemoryError, match="CUBLAS_STATUS_ALLOC_FAILED"):
        a @ b
    blas.stub_blas_fail(15)
    check(a @ b, a, b)  # not supported: our own kernel
    assert calls(blas) == []
    check(a @ b, a, b)
    assert len(calls(blas)) == 1
