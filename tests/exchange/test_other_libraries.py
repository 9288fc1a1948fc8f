# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Arrays to and from CuPy, PyTorch and JAX on the device, without copies."""

import numpy as np
import pytest
from _support.compare import assert_same

import gpuarray


@pytest.mark.cuda
@pytest.mark.parametrize("dtype", ["float32", "int64", "complex64", "bool", "float16"])
def test_cupy(cuda, dtype):
    cupy = pytest.importorskip("cupy")
    theirs = cupy.arange(12).reshape(3, 4).astype(dtype)
    ours = gpuarray.from_dlpack(theirs.T)
    assert ours.flags.writeable
    assert ours.ptr == theirs.data.ptr
    assert_same(ours, cupy.asnumpy(theirs).T)
    back = cupy.from_dlpack(ours)
    assert back.data.ptr == ours.ptr
    assert cupy.asarray(ours).data.ptr == ours.ptr
    assert gpuarray.asarray(theirs).ptr == theirs.data.ptr


@pytest.mark.cuda
def test_cupy_is_ordered(cuda):
    cupy = pytest.importorskip("cupy")
    with cupy.cuda.Stream(non_blocking=True):
        theirs = cupy.zeros(10**7, np.float32)
        for _ in range(20):
            theirs += 1
        ours = gpuarray.asarray(theirs)
    total = ours.sum(dtype=np.float64).item()
    assert total == 20 * 10**7


@pytest.mark.cuda
@pytest.mark.parametrize("dtype", ["float32", "int64", "bfloat16", "float16", "bool"])
def test_torch(cuda, dtype):
    torch = pytest.importorskip("torch")
    theirs = torch.arange(12, device="cuda:0").reshape(3, 4).to(getattr(torch, dtype))
    ours = gpuarray.from_dlpack(theirs.T)
    assert ours.ptr == theirs.data_ptr()
    assert ours.astype(np.float64).tolist() == theirs.T.to(torch.float64).tolist()
    back = torch.from_dlpack(ours)
    assert back.data_ptr() == ours.ptr
    assert back.dtype == theirs.dtype
    ours[0, 0] = 1
    torch.cuda.synchronize()
    assert theirs[0, 0].item() == 1


def test_torch_on_the_cpu():
    torch = pytest.importorskip("torch")
    theirs = torch.arange(6).reshape(2, 3)
    ours = gpuarray.from_dlpack(theirs)
    assert ours.device == "cpu"
    assert ours.ptr == theirs.data_ptr()
    assert torch.from_dlpack(ours).data_ptr() == ours.ptr


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)])
def test_torch_through_its_table(device):
    torch = pytest.importorskip("torch")
    if not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"):
        pytest.skip("this PyTorch has no exchange table")
    theirs = torch.arange(6.0, device=device).reshape(2, 3)
    ours = gpuarray.asarray(theirs.T)
    assert ours.ptr == theirs.data_ptr()
    assert ours.tolist() == theirs.T.tolist()
    with pytest.raises(BufferError, match="gradient"):
        gpuarray.from_dlpack(theirs.requires_grad_())
    conjugated = torch.tensor([1 + 2j], device=device).conj()
    with pytest.raises(BufferError, match="conj"):
        gpuarray.from_dlpack(conjugated)
    assert gpuarray.from_dlpack(conjugated.resolve_conj()).tolist() == [1 - 2j]


@pytest.mark.cuda
def test_torch_streams_through_its_table(cuda):
    torch = pytest.importorskip("torch")
    with torch.cuda.stream(torch.cuda.Stream()):
        theirs = torch.zeros(10**7, device="cuda")
        for _ in range(20):
            theirs += 1
        with gpuarray.Stream():
            total = gpuarray.from_dlpack(theirs).sum(dtype=np.float64)
    assert total.item() == 20 * 10**7


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda:0", marks=pytest.mark.cuda)])
def test_tvm_ffi_takes_and_returns_arrays(device):
    """It calls our exchange table for each argument and result."""
    tvm_ffi = pytest.importorskip("tvm_ffi")
    ours = gpuarray.to_device(np.arange(6.0).reshape(2, 3), device=device)
    same = tvm_ffi.convert(lambda x: x)
    back = same(ours.T)
    assert isinstance(back, gpuarray.GPUArray)
    assert back.ptr == ours.ptr
    assert_same(back, ours.get().T)


@pytest.mark.cuda
def test_jax(cuda):
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX has no GPU")
    theirs = jax.numpy.arange(12.0).reshape(3, 4)
    ours = gpuarray.from_dlpack(theirs)
    assert ours.tolist() == theirs.tolist()
    assert not ours.flags.writeable
    back = jax.dlpack.from_dlpack(ours * 2)
    assert back.tolist() == (theirs * 2).tolist()


def test_arrays_of_jax_stay_as_they_are():
    jax = pytest.importorskip("jax")
    theirs = jax.device_put(np.arange(3.0), jax.devices("cpu")[0])
    for ours in (gpuarray.from_dlpack(theirs), gpuarray.asarray(theirs)):
        with pytest.raises(ValueError):
            ours += 1
    for ours in (gpuarray.from_dlpack(theirs, copy=True), gpuarray.array(theirs)):
        ours += 1
        assert ours.tolist() == [1, 2, 3]
    assert theirs.tolist() == [0, 1, 2]


@pytest.mark.cuda
def test_operators_with_another_library_are_its_own(cuda):
    """Ours does not know CuPy's arrays; CuPy takes ours without a copy to the host."""
    cupy = pytest.importorskip("cupy")
    with gpuarray.transfer_guard("disallow"):
        got = gpuarray.ones(3) + cupy.full(3, 2.0)
    assert isinstance(got, cupy.ndarray)
    assert got.tolist() == [3, 3, 3]
