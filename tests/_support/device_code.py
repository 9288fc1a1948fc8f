# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Device code for tests: compiling it, and reading what compiled files hold."""

import os
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from gpuarray import _core

ARCHITECTURE = "sm_90"
MUL = 'extern "C" __device__ float mul(float a, float b) { return a * b; }\n'
CALLER = 'extern "C" __global__ void f(float* x) { x[0] = mul(x[1], x[2]); }'
NUMBA_MUL = """
extern "C" __device__ int mul(float* result, float a, float b) { *result = a * b; return 0; }
"""
COMPILER = _core._cuda_libraries()["NVRTC"]
LINKER = _core._cuda_libraries()["nvJitLink"]
needs_nvrtc = pytest.mark.skipif(
    COMPILER["absent_reason"] != "" or "stub" in COMPILER["path"],
    reason=COMPILER["absent_reason"] or "it is a stand-in for NVRTC",
)
needs_linker = pytest.mark.skipif(LINKER["absent_reason"] != "", reason=LINKER["absent_reason"])

INCLUDES = [Path(COMPILER["path"]).parent.parent / "include", Path("/usr/local/cuda/include")]
needs_toolkit_headers = pytest.mark.skipif(
    not any((folder / "nv" / "target").exists() for folder in INCLUDES),
    reason="there are not all headers of the CUDA toolkit",
)

# The options with which nvcc makes each kind of linkable item.
NVCC = {
    "ptx": ["-ptx", "-rdc=true", "-arch=sm_90"],
    "cubin": ["-cubin", "-rdc=true", "-arch=sm_90"],
    "fatbin": ["-fatbin", "-rdc=true", "-arch=sm_90"],
    "o": ["-dc", "-arch=sm_90"],
    "ltoir": ["-ltoir", "-dlto", "-rdc=true", "-arch=sm_90"],
    "lto.fatbin": ["-fatbin", "-rdc=true", "-gencode", "arch=compute_90,code=lto_90"],
    "lto.o": ["-dc", "-gencode", "arch=compute_90,code=lto_90"],
}
ITEMS = ["cu", *NVCC, "a"]
KINDS = {"cu": "source", "o": "object", "lto.o": "object", "a": "archive", "lto.fatbin": "fatbin"}


def nvcc():
    for folder in (os.environ.get("CUDA_HOME"), "/usr/local/cuda"):
        if folder and (path := Path(folder, "bin", "nvcc")).exists():
            return str(path)
    return shutil.which("nvcc")


def compile_item(source, kind, folder):
    """Compile a linkable item of this kind by nvcc; skips the test if there is no nvcc."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{source.stem}.{kind}"
    if kind == "cu":
        return shutil.copy(source, target)
    if nvcc() is None:
        pytest.skip("there is no nvcc")
    if kind == "a":
        compiled = compile_item(source, "o", folder)
        subprocess.run(["ar", "rc", target, compiled], check=True, capture_output=True)
        return target
    command = [nvcc(), *NVCC[kind], source, "-o", target]
    subprocess.run(command, check=True, capture_output=True)
    return target


def text_at(cubin, offset):
    return cubin[offset : cubin.index(b"\0", offset)].decode()


def read_sections(cubin):
    """Return the section headers of an ELF file, and the offset of the sections' names."""
    assert cubin[:5] == b"\x7fELF\x02"
    (first,) = struct.unpack_from("<Q", cubin, 40)
    size, count, names = struct.unpack_from("<3H", cubin, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", cubin, first + i * size) for i in range(count)]
    return sections, sections[names][4]


def machine_code(cubin, kernel):
    """Return the machine code of a kernel."""
    sections, names = read_sections(cubin)
    for name, _, _, _, offset, nbytes, *_ in sections:
        if text_at(cubin, names + name) == f".text.{kernel}":
            return cubin[offset : offset + nbytes]
    raise LookupError(kernel)


def symbols(cubin):
    """Return the names that a cubin defines, from its ELF symbol table."""
    sections, _ = read_sections(cubin)
    found = set()
    for _, kind, _, _, offset, nbytes, link, _, _, entry in sections:
        # The type 2 is SHT_SYMTAB, a table of symbols.
        if kind != 2:
            continue
        names = sections[link][4]
        for at in range(offset, offset + nbytes, entry):
            name, _, _, section = struct.unpack_from("<IBBH", cubin, at)
            text = text_at(cubin, names + name)
            if section != 0 and text and not text.startswith("."):
                found.add(text)
    return found


def item_maker(folder, default):
    """Return a function that makes linkable items of a source by kind; each item is made once."""
    found = {}

    def make(kind, text=default, name="mul"):
        if (kind, name) not in found:
            source = folder / f"{name}_source.cu"
            source.write_text(text)
            found[kind, name] = compile_item(source, kind, folder / name)
        return found[kind, name]

    return make
