# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The test driver of tests/driver, built where it is needed; GPUARRAY_LIBCUDA names it."""

import ctypes
import fcntl
import hashlib
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "tests" / "driver"
KERNELS = ROOT / "kernels"
COMPILER = SOURCES / "stub_compiler.cpp"
BLAS = SOURCES / "blas"
FFT = SOURCES / "fft"
SOLVER = SOURCES / "solver"
# A fortified longjmp aborts when it goes from one fiber to another, so fortifying is off.
SWITCHES = ["-O2", "-U_FORTIFY_SOURCE"]


def run_compiler(*arguments: object) -> None:
    command = [*shlex.split(os.environ.get("CXX", "c++")), "-std=c++20", "-Wall", "-Wextra"]
    subprocess.run([*command, "-fPIC", *map(str, arguments)], check=True)


def workers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count())


def build_stub(folder: Path) -> Path:
    """Compile the driver into `folder`; FileNotFoundError without a C++ compiler."""
    library = folder / "libcuda_stub.so"
    sources = [source for source in SOURCES.glob("*.cpp") if source != COMPILER]
    objects = [folder / f"{source.stem}.o" for source in sources]
    with workers() as pool:
        list(pool.map(lambda s, o: run_compiler(*SWITCHES, "-c", s, "-o", o), sources, objects))
    run_compiler("-shared", *objects, "-o", library)
    return library


def build_compiler(folder: Path) -> Path:
    """Compile the stand-in for NVRTC into `folder`."""
    library, shim = folder / "libnvrtc_stub.so", folder / "kernel_shim.hpp"
    shim.write_text(f'#include "{SOURCES / shim.name}"\n')
    define = f'-DGPUARRAY_TEST_DRIVER_SHIM="{shim}"'
    run_compiler("-O1", "-shared", f"-I{ROOT}", define, COMPILER, "-o", library)
    return library


def build_blas(folder: Path) -> Path:
    """Compile the stand-in for cuBLAS into `folder`, and its kernel into `folder`/kernels."""
    sources = (BLAS / "stub_blas.cpp", SOLVER / "stub_batched.cpp")
    return build_library(folder / "libcublas_stub.so", sources, BLAS / "gemm.cpp", "stub_gemm")


def build_solver(folder: Path) -> Path:
    """Compile the stand-in for cuSOLVER as build_blas does that for cuBLAS."""
    library, sources = folder / "libcusolver_stub.so", (SOLVER / "stub_solver.cpp",)
    return build_library(library, sources, SOLVER / "run_work.cpp", "run_work")


def build_fft(folder: Path) -> Path:
    """Compile the stand-in for cuFFT as build_blas does that for cuBLAS."""
    library, sources = folder / "libcufft_stub.so", (FFT / "stub_fft.cpp",)
    return build_library(library, sources, FFT / "dft.cpp", "stub_dft")


def build_library(library: Path, sources: Sequence[Path], kernel: Path, name: str) -> Path:
    switches = ["-O1", "-shared", "-fno-gnu-unique", f"-I{ROOT}", f"-I{SOURCES}"]
    run_compiler(*switches, *sources, "-o", library)
    shim = ["-w", "-fno-strict-aliasing", "-ffp-contract=off", "-include"]
    image = library.parent / "kernels" / f"{name}.so"
    run_compiler(*switches, *shim, SOURCES / "kernel_shim.hpp", kernel, "-o", image)
    return library


def lapack() -> str:
    """Return the file of NumPy's LAPACK; "" if NumPy was built with another."""
    place = Path(np.__file__).resolve().parents[1] / "numpy.libs"
    return next(map(str, place.glob("libscipy_openblas64_*.so")), "")


def compile_kernels(compiler: ctypes.CDLL, source: Path, image: Path) -> None:
    """Compile the kernels of `source` to an image of the test driver; RuntimeError with the log."""
    headers = [path for path in KERNELS.rglob("*.*") if path.suffix != ".cu"]
    names = [path.relative_to(ROOT).as_posix().encode() for path in headers]
    texts = [path.read_bytes() for path in headers]
    strings = ctypes.c_char_p * len(headers)
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    compiler.nvrtcCreateProgram(
        ctypes.byref(program),
        source.read_bytes(),
        source.name.encode(),
        len(headers),
        strings(*texts),
        strings(*names),
    )
    status = compiler.nvrtcCompileProgram(program, 0, None)
    if status:
        size_of, read = compiler.nvrtcGetProgramLogSize, compiler.nvrtcGetProgramLog
    else:
        size_of, read = compiler.nvrtcGetCUBINSize, compiler.nvrtcGetCUBIN
    size_of(program, ctypes.byref(size))
    content = ctypes.create_string_buffer(size.value)
    read(program, content)
    compiler.nvrtcDestroyProgram(ctypes.byref(program))
    if status:
        raise RuntimeError(content.value.decode(errors="replace"))
    image.write_bytes(content.raw)


def digest() -> str:
    """Return a digest of all that the test driver is built from."""
    found = hashlib.sha256(os.environ.get("CXX", "c++").encode())
    for folder in (SOURCES, KERNELS):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix != ".md":
                name = path.relative_to(folder).as_posix()
                found.update(name.encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]


def build_test_driver(mode: str = "late", folder: Path = ROOT / "build" / "test-driver") -> dict:
    """Return the environment of a process that runs on the test driver in one of its modes.

    It is built under `folder` unless it is there already, which takes a minute the first time.
    """
    place = folder / digest()
    place.mkdir(parents=True, exist_ok=True)
    with open(place / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "done").exists():
            build_all(place)
            (place / "done").touch()
    return {
        "GPUARRAY_LIBCUDA": str(place / "libcuda_stub.so"),
        "GPUARRAY_LIBCUB": str(place / "libcuda_stub.so"),
        "GPUARRAY_LIBNVRTC": str(place / "libnvrtc_stub.so"),
        "GPUARRAY_LIBCUBLAS": str(place / "libcublas_stub.so"),
        "GPUARRAY_LIBCUFFT": str(place / "libcufft_stub.so"),
        "GPUARRAY_LIBCUSOLVER": str(place / "libcusolver_stub.so"),
        "GPUARRAY_TEST_LAPACK": lapack(),
        "GPUARRAY_TEST_DRIVER": mode,
        "GPUARRAY_TEST_DRIVER_KERNELS": str(place / "kernels"),
        "GPUARRAY_CACHE_DIR": str(place / "cache"),
    }


def build_all(place: Path) -> None:
    build_stub(place)
    compiler = ctypes.CDLL(str(build_compiler(place)))
    for name in ("CreateProgram", "CompileProgram", "GetCUBINSize", "GetCUBIN"):
        getattr(compiler, f"nvrtc{name}").restype = ctypes.c_int
    # Precompiled headers were tried with GCC alone.
    if "clang" not in os.environ.get("CXX", ""):
        compiler.precompile_shim()
    (place / "kernels").mkdir(exist_ok=True)
    build_blas(place)
    build_solver(place)
    build_fft(place)
    # The files that take longest start first.
    sources = sorted((KERNELS / "aot").glob("*.cu"), key=lambda path: "integer" not in path.name)
    with workers() as pool:
        jobs = [
            pool.submit(compile_kernels, compiler, path, place / "kernels" / f"{path.stem}.so")
            for path in sources
        ]
        for done, job in enumerate(jobs, 1):
            job.result()
            if sys.stderr.isatty():
                print(f"test driver: {done} of {len(jobs)} kernels", file=sys.stderr)
