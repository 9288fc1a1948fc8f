# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Sources that begin with the same slow headers are compiled by NVRTC's precompiled headers."""

import os
import shutil
import textwrap

import pytest
from _support.device_code import COMPILER, needs_nvrtc, needs_toolkit_headers
from _support.process import run_python

pytestmark = [
    needs_nvrtc,
    needs_toolkit_headers,
    pytest.mark.skipif(
        COMPILER["version"] < (12, 8, 0), reason="NVRTC before CUDA 12.8 has no such headers"
    ),
]


@pytest.fixture(autouse=True)
def _disk(tmp_path):
    if shutil.disk_usage(tmp_path).free < 5 << 30:
        pytest.skip("the headers take up to 5 GB of disk")


PROGRAM = """
    import glob, hashlib, os, threading, time, warnings, gpuarray
    warnings.simplefilter("error")
    HEADERS = "#include <curand_kernel.h>\\n"
    folder = os.environ["GPUARRAY_CACHE_DIR"]
    def compile(number, headers=HEADERS, **arguments):
        source = headers + 'extern "C" __global__ void f(float* x) { x[0] *= %d; }' % number
        begin = time.perf_counter()
        image = gpuarray.Module(source, arch=90, **arguments).image
        return time.perf_counter() - begin, hashlib.sha256(image).hexdigest()
    def files():
        return [os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd")
                if os.path.islink(f"/proc/self/fd/{n}")]
    def headers():
        return sum(name.startswith(folder) and ".tmp" in name for name in files())
"""


def run(code, folder, **variables):
    text = run_python(
        textwrap.dedent(PROGRAM) + textwrap.dedent(code),
        GPUARRAY_CACHE_DIR=str(folder),
        GPUARRAY_LIBCUDA="/none",
        seconds=600,
        **variables,
    )
    return eval(text)


SLOW = [
    "#include <cooperative_groups/reduce.h>\n",
    "#include <cub/block/block_reduce.cuh>\n",
    "#include <curand_kernel.h>\n",
    "#include <cuda/std/complex>\n",
]


def test_the_second_compilation_is_fast_and_the_code_is_the_same(tmp_path):
    """Sources with each of the headers are compiled in turn, twice."""
    program = f"""
        made = [compile(k, lines) for k in range(2) for lines in {SLOW!r}]
        left = os.listdir(folder) if os.path.isdir(folder) else []
        print(([t for t, _ in made], [h for _, h in made], headers(), left))
    """
    times, codes, count, left = run(program, tmp_path / "with")
    _, plain, without, _ = run(program, tmp_path / "without", GPUARRAY_CACHE_BYTES="0")
    assert codes == plain
    assert (count, without) == (len(SLOW), 0)
    # Another process may delay some of the compilations.
    ratios = [second / first for first, second in zip(times[:4], times[4:], strict=True)]
    assert sorted(ratios)[1] < 0.6
    assert not [name for name in left if name.endswith(".tmp")]


def test_slow_headers_in_a_header_of_the_users(tmp_path):
    """The first compilation finds out that they are slow, the second makes the header."""
    (tmp_path / "own.h").write_text("#include <cuda/std/complex>\n")
    program = f"""
        found = []
        for k in range(3):
            compile(k, '#include "own.h"\\n', include_dirs={str(tmp_path)!r})
            found.append(headers())
        print(found)
    """
    assert run(program, tmp_path / "cache") == [0, 1, 1]


def test_a_mistake_after_the_headers_leaves_the_header(tmp_path):
    """The place of the mistake is told as without, and the next compilation reads the header."""
    program = """
        try:
            gpuarray.Module(HEADERS + "int f() {\\n  return undeclared;\\n}\\n", arch=90)
        except gpuarray.CompileError as error:
            print(("> 3:   return undeclared;" in str(error), "hdrstop" in str(error), headers()))
    """
    assert run(program, tmp_path / "with") == (True, False, 1)
    assert run(program, tmp_path / "without", GPUARRAY_CACHE_BYTES="0") == (True, False, 0)


def test_a_broken_header_is_not_used(tmp_path):
    """Something writes over the file of the header, which has no name."""
    program = """
        codes = [compile(1)[1]]
        for number in os.listdir("/proc/self/fd"):
            file = f"/proc/self/fd/{number}"
            if ".tmp" in os.path.realpath(file):
                with open(file, "r+b") as header:
                    header.write(b"x" * 1000)
        print(codes + [compile(k)[1] for k in (2, 3)] + [headers()])
    """
    broken = run(program, tmp_path / "with")
    assert broken == run(program, tmp_path / "without", GPUARRAY_CACHE_BYTES="0")
    assert broken[-1] == 0


def test_the_cache_counts_no_headers(tmp_path):
    """Their files have no names, so that they neither take room from entries nor stay behind."""
    program = """
        [compile(k) for k in range(1, 3)]
        info = gpuarray.cache_info()
        print((headers(), info.entries, info.bytes, len(os.listdir(folder))))
    """
    count, entries, used, files = run(program, tmp_path, GPUARRAY_CACHE_BYTES=str(16 << 20))
    assert (count, entries, files) == (1, 2, 2)
    assert used <= 16 << 20


def test_what_the_headers_depend_on(tmp_path):
    """Other options, macros and edited headers give the code that they give without."""
    own = tmp_path / "own.h"
    program = f"""
        own = {str(own)!r}
        def write(value):
            with open(own, "w") as file:
                file.write("__device__ int scale(int x) {{ return x * %d; }}" % value)
        HEADERS += '#include "own.h"\\n'
        def both(number, **arguments):
            source = HEADERS + '#define N %d\\nextern "C" __global__ void f(int* x)' % number
            source += '{{ x[0] = scale(x[0] + N); }}'
            return hashlib.sha256(gpuarray.Module(
                source, arch=90, include_dirs=os.path.dirname(own), **arguments).image).hexdigest()
        found = []
        for value in (2, 3):
            write(value)
            found += [both(k) for k in range(3)]
        found += [both(7, options="--use_fast_math"), both(7, defines={{"M": 1}})]
        print(found)
    """
    found = run(program, tmp_path / "with")
    assert found == run(program, tmp_path / "without", GPUARRAY_CACHE_BYTES="0")
    assert len(set(found[:6])) == 6


def test_a_users_error_does_not_tell_of_the_header(tmp_path):
    """Names and messages of a user may have the words that the compiler has for its headers."""
    program = """
        compile(1)
        for text in ("int PCH = NO_PCH;", "#error the precompiled header\\n",
                     'static_assert(false, "PCH");'):
            try:
                gpuarray.Module(HEADERS + text, arch=90)
            except gpuarray.CompileError:
                pass
            print(headers(), end=",")
    """
    assert run(program, tmp_path) == (1, 1, 1)


def test_threads_and_forks(tmp_path):
    program = """
        compile(1), compile(2)
        found = {}
        threads = [threading.Thread(target=lambda k=k: found.update({k: compile(k)[1]}))
                   for k in range(3, 6)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(write, compile(6)[1].encode())
            os._exit(0)
        os.waitpid(child, 0)
        found[6] = os.read(read, 64).decode()
        print(found)
    """
    found = run(program, tmp_path / "with")
    assert found == run(program, tmp_path / "without", GPUARRAY_CACHE_BYTES="0")


def test_quick_headers_are_not_precompiled(tmp_path):
    program = """
        for k in range(3): compile(k, "#include <cuda_fp16.h>\\n")
        print(headers())
    """
    assert run(program, tmp_path) == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_to(tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o500)
    assert run("print(len([compile(k) for k in range(3)]))", folder) == 3
