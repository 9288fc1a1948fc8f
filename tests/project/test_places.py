# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What CONTRIBUTING.md says of the places that a new thing touches: toys are added in them alone.

Each toy is written into a copy of the tree, in the places that the page lists and in no other, and
what it needs there is compiled.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CXX = shlex.split(os.environ.get("CXX", "c++"))
FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-O0"]
SHIM = ROOT / "tests/driver/kernel_shim.hpp"

needs_compiler = pytest.mark.skipif(shutil.which(CXX[0]) is None, reason="needs a C++ compiler")


def places(heading):
    """The files that a section of CONTRIBUTING.md lists."""
    page = (ROOT / "CONTRIBUTING.md").read_text()
    section = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \|", section, re.M)


class Toy:
    """A copy of the tree that notes which files are written."""

    def __init__(self, folder):
        self.root = folder
        self.touched = set()
        for name in ("kernels", "src"):
            shutil.copytree(ROOT / name, folder / name)
        (folder / "gpuarray").mkdir()
        shutil.copytree(ROOT / "gpuarray/include", folder / "gpuarray/include")
        shutil.copy(ROOT / "pyproject.toml", folder)

    def write(self, name, text):
        self.touched.add(name)
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def insert(self, name, after, text):
        """Insert a text behind the first place that matches."""
        content = (self.root / name).read_text()
        found = re.search(after, content)
        assert found, f"{name}: {after} is not in it"
        self.write(name, content[: found.end()] + text + content[found.end() :])

    def compile(self, *arguments):
        """Run the compiler on the copy."""
        folders = [f"-I{self.root}", f"-I{self.root / 'src'}"]
        done = subprocess.run(
            [*CXX, *FLAGS, *folders, *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=self.root,
        )
        assert done.returncode == 0, done.stderr


@pytest.fixture
def toy(tmp_path):
    return Toy(tmp_path)


KERNEL = """#pragma once
#include "kernels/element/grid.cuh"

namespace gpuarray {

struct ToyParams {
  void* target;
  int64_t size;
};

template <class T>
__device__ void toy_kernel(const ToyParams& params) {
  for (int64_t i = 0; i < params.size; ++i) static_cast<T*>(params.target)[i] = T(1);
}

}  // namespace gpuarray
"""
FAMILY = """#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/kernel_source.hpp"

namespace gpuarray {
namespace {

struct ToyKernel {
  static constexpr size_t kCount = kDTypeCount;
  DType dtype;

  int index() const { return static_cast<int>(dtype); }
  BuiltKernel built() const { return {"toy", std::string("toy_") + source::identifier(dtype)}; }
  std::string text() const {
    return source::kernel(source::include("elementwise/toy.cuh"), source::by_value("ToyParams"),
                          "toy_kernel<" + source::cpp_type(dtype) + ">(params)");
  }
};

constinit KernelFamily<ToyKernel> kernels;

}  // namespace

void cuda_toy(DType dtype, void* target, int64_t size, const Stream& stream) {
  struct {
    void* target;
    int64_t size;
  } params{target, size};
  void* arguments[] = {&params};
  launch(kernels.find({dtype}, stream.device()), linear_launch(size, stream), arguments, stream,
         {"toy", dtype, Shape{size}});
}

}  // namespace gpuarray
"""
BUILT = "kernels/aot/toy.cu"
BUILT_AHEAD = """#include "kernels/elementwise/toy.cuh"

extern "C" __global__ void gpuarray_toy_float32(
    const __grid_constant__ gpuarray::ToyParams params) {
  gpuarray::toy_kernel<float>(params);
}
"""


def embedded_headers(toy):
    """The headers that kernels/meson.build lists."""
    text = (toy.root / "kernels/meson.build").read_text()
    return re.findall(r"'([^']+)'", text.split("headers = files(")[1].split("\n)")[0])


@needs_compiler
def test_a_kernel_family_is_added_in_six_places(toy):
    toy.write("kernels/elementwise/toy.cuh", KERNEL)
    toy.write(BUILT, BUILT_AHEAD)
    toy.insert("kernels/meson.build", r"modules = \[\n", "  'toy',\n")
    toy.insert("kernels/meson.build", r"headers = files\(\n", "  'elementwise/toy.cuh',\n")
    toy.write("src/backend/cuda/toy.cpp", FAMILY)
    declaration = "void cuda_toy(DType dtype, void* target, int64_t size, const Stream& stream);\n"
    toy.insert("src/backend/cuda/operations.hpp", r"struct Steps;\n", declaration)
    toy.insert("src/meson.build", r"library_sources = files\(\n", "  'backend/cuda/toy.cpp',\n")

    documented = {
        place.replace("<room>", "elementwise").replace("/x.", "/toy.")
        for place in places("Add a kernel family")
    }
    assert toy.touched == documented
    assert len(toy.touched) <= 6
    toy.compile("-c", "src/backend/cuda/toy.cpp", "-o", "toy.o")
    toy.compile("-w", "-fsyntax-only", "-D__global__=", "-include", SHIM, "-x", "c++", BUILT)
    # What the build lists is what is embedded, by the name that texts include.
    headers = [toy.root / "kernels" / name for name in embedded_headers(toy)]
    embed = next((ROOT / "tools").rglob("embed.py"))
    subprocess.run([sys.executable, embed, toy.root / "embedded.cpp", *headers], check=True)
    assert '"kernels/elementwise/toy.cuh"' in (toy.root / "embedded.cpp").read_text()


LIBRARY_HEADER = """#pragma once
#include "runtime/driver/cuda_library.hpp"

namespace gpuarray {

#define GPUARRAY_TOY_FUNCTIONS(FUNCTION) \\
  FUNCTION(int, toyVersion)              \\
  FUNCTION(int, toyAdd, int, int)

GPUARRAY_LIBRARY_TABLE(Toy, GPUARRAY_TOY_FUNCTIONS)
extern LoadedLibrary<Toy>& toy_library;

}  // namespace gpuarray
"""
LIBRARY_SOURCE = """#include "runtime/driver/toy_library.hpp"

namespace gpuarray {
namespace {

std::string ask_version(const Toy& table, const FunctionFinder&, LibraryVersion& version) {
  version.major = table.toyVersion();
  return "";
}

}  // namespace

LoadedLibrary<Toy>& toy_library = *new LoadedLibrary<Toy>({.title = "Toy",
                                                           .role = "library of toys",
                                                           .stem = "libtoy",
                                                           .major_of_13 = 7,
                                                           .major_of_12 = 6,
                                                           .folder_of_12 = "toy"},
                                                          ask_version);

}  // namespace gpuarray
"""
ASK = """#include <cstdio>
#include "core/error.hpp"
#include "runtime/driver/toy_library.hpp"

int main() {
  using namespace gpuarray;
  for (CudaLibrary* library : cuda_libraries())
    std::printf("%s %s %d\\n", library->names().title, library->variable().c_str(),
                library->version().major);
  try {
    std::printf("%d\\n", toy_library.functions().toyAdd(2, 3));
  } catch (const DeviceError& error) {
    std::printf("%s\\n", error.what());
  }
}
"""
# All that the loader needs of the tree.
LOADER = [
    "core/environment.cpp",
    "core/fork.cpp",
    "runtime/driver/blocking.cpp",
    "runtime/driver/cuda_library.cpp",
]


@needs_compiler
def test_a_library_is_added_in_four_places(toy):
    toy.write("src/runtime/driver/toy_library.hpp", LIBRARY_HEADER)
    toy.write("src/runtime/driver/toy_library.cpp", LIBRARY_SOURCE)
    toy.insert(
        "src/meson.build", r"library_sources = files\(\n", "  'runtime/driver/toy_library.cpp',\n"
    )
    toy.insert("pyproject.toml", r"\[project.optional-dependencies\]\n", 'toy = ["nvidia-toy"]\n')

    listed = places("Add a library of NVIDIA's")
    documented = {place.replace("x_library", "toy_library") for place in listed}
    assert toy.touched == documented
    assert len(toy.touched) <= 5
    (toy.root / "ask.cpp").write_text(ASK)
    sources = [f"src/{name}" for name in (*LOADER, "runtime/driver/toy_library.cpp")]
    toy.compile("ask.cpp", *sources, "-ldl", "-pthread", "-o", "ask")
    # Found by its own number of CUDA 13, not by CUDA's.
    wheels = toy.root / "lib64"
    wheels.mkdir()
    functions = toy.root / "functions.cpp"
    functions.write_text(
        'extern "C" int toyVersion() { return 7; }\n'
        'extern "C" int toyAdd(int a, int b) { return a + b; }\n'
    )
    toy.compile("-shared", "-fPIC", functions, "-o", wheels / "libtoy.so.7")
    assert ask(toy, CUDA_HOME=str(toy.root)) == ["Toy GPUARRAY_LIBTOY 7", "5"]
    absent = ask(toy)
    assert absent[0] == "Toy GPUARRAY_LIBTOY 0"
    assert "no library of toys: Toy (libtoy.so.7 or libtoy.so.6) was not found" in absent[1]
    assert "pip install 'gpuarray-cuda[cuda13]'" in absent[1]
    # A library that lacks one of its own is not called absent.
    needed = toy.root / "libneeded.so"
    toy.compile("-shared", "-fPIC", functions, "-Wl,-soname,libneeded.so", "-o", needed)
    toy.compile("-shared", "-Wl,--no-as-needed", needed, "-o", wheels / "libtoy.so.7")
    needed.unlink()
    broken = ask(toy, CUDA_HOME=str(toy.root))
    assert "Toy could not be loaded: libneeded.so: cannot open shared object file" in broken[1]


def ask(toy, **variables):
    done = subprocess.run(
        [toy.root / "ask"],
        env={"PATH": "", **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


TOY_TYPE = """
struct toyfloat16 {
  uint16_t bits;

  toyfloat16() = default;
  template <Number From>
  GPUARRAY_HD toyfloat16(From value);
  GPUARRAY_HD operator float() const;
};
"""
CONVERSIONS = """
GPUARRAY_HD float to_float(toyfloat16 value) {
  return from_bits<float>(uint32_t(value.bits) << 16);
}
GPUARRAY_HD toyfloat16::operator float() const { return to_float(*this); }
"""
CONSTRUCTOR = """template <Number From>
GPUARRAY_HD toyfloat16::toyfloat16(From value) : toyfloat16(cast<toyfloat16>(value)) {}
"""
# Sources that name dtypes, or make loops of all: with a row of which nothing else knows, one of
# them does not compile.
OF_DTYPES = [
    *("core/dtype.cpp", "core/op.cpp", "core/promote.cpp", "py/exchange/dlpack_types.cpp"),
    *(
        "backend/kernel_source.cpp",
        "backend/loops/cast.cpp",
        "backend/cuda/elementwise_kernels.cpp",
    ),
]


@needs_compiler
def test_a_dtype_is_added_in_eight_places(toy):
    row = "GPUARRAY_DTYPE(toyfloat16, toyfloat16, 'f', \"toyfloat16\")\n"
    toy.insert("kernels/dtypes.def", r"GPUARRAY_DTYPE\(complex128.*\n", row)
    toy.insert(
        "kernels/dtype_classes.def",
        r"#define GPUARRAY_FOR_HALF\(X, \.\.\.\) \\\n",
        "  X(toyfloat16, toyfloat16, __VA_ARGS__) \\\n",
    )
    element = "kernels/element/element.cuh"
    toy.insert(element, r"struct bfloat16;\n", "struct toyfloat16;\n")
    toy.insert(element, r"is_half_v = ", "is_same_v<T, toyfloat16> || ")
    toy.insert(element, r"struct bfloat16 \{[^}]*\};\n", TOY_TYPE)
    bits = "\nGPUARRAY_HD uint16_t to_bits(toyfloat16 value) { return value.bits; }\n"
    toy.insert(element, r"to_bits\(bfloat16 value\) .*\n", bits)
    toy.insert(element, r"fraction_bits = ", "is_same_v<T, toyfloat16> ? 7 : ")
    toy.insert("kernels/element/half.cuh", r"bfloat16::operator float.*\n", CONVERSIONS)
    toy.insert("kernels/element/cast.cuh", r"bfloat16::bfloat16\(From.*\n", CONSTRUCTOR)
    promotes = " || dtype == DType::toyfloat16"
    toy.insert("src/core/promote.cpp", r"dtype == DType::bfloat16", promotes)
    codes = "if (dtype == DType::toyfloat16) return kBfloat;\n  "
    toy.insert("src/py/exchange/dlpack_types.cpp", r"TypeCode type_code.*\n  ", codes)
    toy.insert("gpuarray/include/gpuarray.h", r"GPUARRAY_COMPLEX128", ",\n  GPUARRAY_TOYFLOAT16")

    assert toy.touched == set(places("Add a dtype"))
    assert len(toy.touched) <= 8
    include = subprocess.run(
        [sys.executable, "-c", "import sysconfig; print(sysconfig.get_path('include'))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    sources = [f"src/{name}" for name in OF_DTYPES]
    toy.compile("-fsyntax-only", "-ffp-contract=off", f"-isystem{include}", *sources)
