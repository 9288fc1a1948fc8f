# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The functions of CUDA's libraries, each with a program that reaches it."""

import os
from collections.abc import Callable

from faults.failing_libraries import typed_names
from faults.rows import Row, Table, World, module, quiet

import gpuarray
from gpuarray import DeviceError, LinkError, linalg

DTYPES = ("float32", "float64", "complex64", "complex128")
N = 80  # rows of a matrix that no kernel of ours factorizes
LARGE = 520  # rows of one that no routine of batches takes
NAMES_A_STATUS = "only names the status of another call"
# Statuses that no library takes for "try another way".
FAILS = {"nvrtc": 11, "nvjitlink": 7, "cublas": 14, "cusolver": 7, "cufft": 5}
# Those of the libraries that tell when the device has not the memory.
LACKS_MEMORY = {"cublas": 3, "cusolver": 2, "cufft": 2, "cub": 2}


def typed(pattern: str, program: Callable[[World, str], object]) -> Table:
    """Return the rows of a function that there is for each type of element."""

    def row(dtype: str) -> Row:
        return Row(lambda w: program(w, dtype))

    return {name: row(dtype) for name, dtype in zip(typed_names(pattern), DTYPES, strict=True)}


def compiled(w: World) -> None:
    module()


def linked(w: World) -> bytes:
    return module(link=[gpuarray.CUSource("__device__ int one() { return 1; }")]).image


def named(w: World) -> gpuarray.Kernel:
    source = "template <class T> __global__ void fill(T* x) { *x = 1; }"
    return gpuarray.Module(source, name_expressions=["fill<float>"]).get_function("fill<float>")


def slow_headers(w: World) -> None:
    """Compile two sources that begin with the same slow header; the second precompiles it."""
    os.environ["GPUARRAY_TEST_COMPILER_SECONDS"] = "1"
    try:
        for _ in range(2):
            module(begin="#include <math.h>\n")
    finally:
        del os.environ["GPUARRAY_TEST_COMPILER_SECONDS"]


def product(w: World) -> gpuarray.GPUArray:
    x = w.matrix("float32", LARGE, LARGE)
    return x @ x


def products(w: World) -> gpuarray.GPUArray:
    x = w.matrix("float32", 3, N, N)
    return x @ x


def eigh(w: World) -> gpuarray.GPUArray:
    return linalg.eigvalsh(w.matrix("float64", LARGE, LARGE))


def eigh_of_batch(w: World) -> gpuarray.GPUArray:
    return linalg.eigvalsh(w.matrix("float64", 2, N, N))


def lu(w: World) -> tuple[gpuarray.GPUArray, gpuarray.GPUArray]:
    return linalg.lu_factor(w.matrix("float64", N, N))


def lus(w: World, dtype: str = "float64") -> tuple[gpuarray.GPUArray, gpuarray.GPUArray]:
    return linalg.lu_factor(w.matrix(dtype, 2, N, N))


def lu_solve(w: World) -> gpuarray.GPUArray:
    return linalg.solve(w.matrix("float64", N, N), w.matrix("float64", N, 1))


def cholesky(w: World) -> gpuarray.GPUArray:
    return linalg.cholesky(w.matrix("float64", N, N))


def qr(w: World, dtype: str = "float64") -> None:
    linalg.qr(w.matrix(dtype, N, N))


def svd(w: World) -> None:
    linalg.svd(w.matrix("float64", N, N))


def eig(w: World) -> gpuarray.GPUArray:
    return linalg.eigvals(w.matrix("float64", N, N))


def triangular(w: World, dtype: str, *batch: int) -> gpuarray.GPUArray:
    return linalg.solve_triangular(w.matrix(dtype, *batch, N, N), w.matrix(dtype, *batch, N, 2))


def transform(w: World) -> gpuarray.GPUArray:
    return gpuarray.fft.fft(w.a)


def transform_anew(w: World) -> None:
    gpuarray.fft.fft(w.a)
    gpuarray.synchronize()
    gpuarray.fft.clear_plan_cache()


NVRTC: Table = {
    "nvrtcVersion": Row(compiled, DeviceError, says="NVRTC", stays=True),
    "nvrtcCreateProgram": Row(compiled, DeviceError),
    "nvrtcCompileProgram": Row(compiled, DeviceError),
    "nvrtcGetCUBINSize": Row(compiled, DeviceError),
    "nvrtcGetCUBIN": Row(compiled, DeviceError),
    "nvrtcGetPTXSize": Row(lambda w: module().ptx, DeviceError),
    "nvrtcGetPTX": Row(lambda w: module().ptx, DeviceError),
    "nvrtcGetProgramLogSize": Row(compiled, DeviceError),
    "nvrtcGetProgramLog": Row(compiled, DeviceError),
    "nvrtcDestroyProgram": quiet(compiled),
    "nvrtcGetErrorString": NAMES_A_STATUS,
    "nvrtcGetNumSupportedArchs": Row(compiled, DeviceError),
    "nvrtcGetSupportedArchs": Row(compiled, DeviceError),
    "nvrtcGetLTOIRSize": Row(linked, DeviceError),
    "nvrtcGetLTOIR": Row(linked, DeviceError),
    "nvrtcAddNameExpression": Row(named, DeviceError),
    "nvrtcGetLoweredName": Row(named, DeviceError),
    "nvrtcSetPCHHeapSize": quiet(slow_headers),
}

NVJITLINK: Table = {
    "nvJitLinkCreate": Row(linked, LinkError),
    "nvJitLinkDestroy": quiet(linked),
    "nvJitLinkAddData": Row(linked, LinkError),
    "nvJitLinkComplete": Row(linked, LinkError),
    "nvJitLinkGetLinkedCubinSize": Row(linked, LinkError),
    "nvJitLinkGetLinkedCubin": Row(linked, LinkError),
    "nvJitLinkGetErrorLogSize": "only reads the log of another call that failed",
    "nvJitLinkGetErrorLog": "only reads the log of another call that failed",
    "nvJitLinkGetInfoLogSize": quiet(linked),
    "nvJitLinkGetInfoLog": quiet(linked),
}

CUBLAS: Table = {
    "cublasGetProperty": Row(lus, DeviceError, says="cuBLAS", stays=True),
    "cublasGetStatusName": NAMES_A_STATUS,
    "cublasGetStatusString": NAMES_A_STATUS,
    "cublasCreate_v2": Row(product),
    "cublasSetMathMode": Row(product),
    "cublasSetStream_v2": Row(product),
    "cublasSetWorkspace_v2": Row(product),
    "cublasGemmEx_64": Row(product),
    "cublasGemmStridedBatchedEx_64": Row(products),
    **typed("cublas%getrfBatched", lus),
    **typed(
        "cublas%getrsBatched",
        lambda w, dtype: linalg.solve(w.matrix(dtype, 2, N, N), w.matrix(dtype, 2, N, 1)),
    ),
    **typed("cublas%geqrfBatched", lambda w, dtype: linalg.qr(w.matrix(dtype, 2, N, N))),
    **typed("cublas%trsm_v2_64", triangular),
    **typed("cublas%trsmBatched_64", lambda w, dtype: triangular(w, dtype, 2)),
}

CUSOLVER: Table = {
    "cusolverGetProperty": Row(lu, DeviceError, says="cuSOLVER", stays=True),
    "cusolverDnCreate": Row(lu),
    "cusolverDnSetStream": Row(lu),
    "cusolverDnCreateParams": Row(lu),
    "cusolverDnXgetrf_bufferSize": Row(lu),
    "cusolverDnXgetrf": Row(lu),
    "cusolverDnXgetrs": Row(lu_solve),
    "cusolverDnXpotrf_bufferSize": Row(cholesky),
    "cusolverDnXpotrf": Row(cholesky),
    "cusolverDnXgeqrf_bufferSize": Row(qr),
    "cusolverDnXgeqrf": Row(qr),
    "cusolverDnXsyevd_bufferSize": Row(eigh),
    "cusolverDnXsyevd": Row(eigh),
    "cusolverDnXgesvd_bufferSize": Row(svd),
    "cusolverDnXgesvd": Row(svd),
    **typed("cusolverDn%$gqr_bufferSize", qr),
    **typed("cusolverDn%$gqr", qr),
    **typed("cusolverDn%potrfBatched", lambda w, dtype: linalg.cholesky(w.matrix(dtype, 2, N, N))),
    "cusolverDnXsyevBatched_bufferSize": Row(eigh_of_batch),
    "cusolverDnXsyevBatched": Row(eigh_of_batch),
    "cusolverDnXgeev_bufferSize": Row(eig),
    "cusolverDnXgeev": Row(eig),
}

CUFFT: Table = {
    "cufftGetProperty": Row(transform, DeviceError, says="cuFFT", stays=True),
    "cufftCreate": Row(transform),
    "cufftDestroy": quiet(transform_anew),
    "cufftSetAutoAllocation": Row(transform),
    "cufftSetStream": Row(transform),
    "cufftSetWorkArea": Row(transform),
    "cufftXtMakePlanMany": Row(transform),
    "cufftXtExec": Row(transform),
}

CUB: Table = {
    "cubSort": Row(
        lambda w: gpuarray.sort(w.matrix("float32", 1, 200_000)), says="cub::DeviceRadixSort"
    )
}

TABLES = {
    "nvrtc": NVRTC,
    "nvjitlink": NVJITLINK,
    "cublas": CUBLAS,
    "cusolver": CUSOLVER,
    "cufft": CUFFT,
    "cub": CUB,
}
