# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The headers that users' sources include, compiled by the real NVRTC; needs no CUDA device."""

from pathlib import Path

import pytest
from _support.device_code import ARCHITECTURE, needs_nvrtc, symbols

from gpuarray import CompileError, Module, _core

pytestmark = needs_nvrtc

KERNEL = """
extern "C" __global__ void f(int* x, float* y, double* z) {{
  {};
}}
"""
ROOT = Path(__file__).resolve().parents[2]
TOOLKIT = [Path(folder) for folder in _core._headers()]


def is_installed(*headers):
    return all(any((folder / header).exists() for folder in TOOLKIT) for header in headers)


# CUDA 13.0 and those before it.
THRUST_NEEDS_STREAMS = any(
    "#include <sstream>" in file.read_text()
    for folder in TOOLKIT
    if (file := folder / "thrust/complex.h").exists()
)
needs_cccl = pytest.mark.skipif(not is_installed("cuda/std/tuple"), reason="there is no CCCL")


def source(headers, *statements):
    lines = "".join(f"#include <{header}>\n" for header in headers)
    return lines + KERNEL.format(";\n  ".join(statements))


def compiled(text, **arguments):
    return Module(text, arch=ARCHITECTURE, **arguments).image


def check(text, **arguments):
    assert "f" in symbols(compiled(text, **arguments))


# What the headers that do without CCCL declare, by the names of kernels/standard/: <name.h> and
# <cname> unless NAMES has others.
OWN = {
    "assert": ["assert(x[0] > 0)"],
    "float": ["y[0] = FLT_MAX + FLT_EPSILON", "static_assert(DBL_MAX > 1e308 && DBL_DIG == 15)"],
    "inttypes": ['printf("%" PRId64 " %" PRIu32, int64_t(x[0]), uint32_t(x[1]))'],
    "limits": [
        "static_assert(CHAR_BIT == 8 && INT_MAX == 2147483647 && INT_MIN < 0 && UINT_MAX > 0)",
        "static_assert(LLONG_MAX > 0 && LONG_MIN < 0 && ULLONG_MAX > 0 && SHRT_MIN == -32768)",
    ],
    "math": [
        "y[0] = sqrt(y[1]) + std::sin(y[2]) + fabsf(y[3]) + std::pow(y[4], 2.0f)",
        "z[0] = std::sqrt(x[0]) + floor(x[1]) + std::pow(x[2], x[3]) + std::abs(z[1]) * M_PI",
        "x[0] = std::abs(x[1]) + std::isnan(y[5]) + isinf(z[2]) + std::signbit(y[6])",
        "static_assert(sizeof(std::sqrt(1.0f)) == 4 && sizeof(std::sqrt(1)) == 8)",
        "static_assert(INFINITY > 3e38f && NAN != NAN && HUGE_VAL > 1e308)",
    ],
    "stddef": [
        "std::size_t n = 1; ptrdiff_t d = 1; std::nullptr_t p = nullptr",
        "struct Pair { int a, b; }; x[0] = offsetof(Pair, b) + n + d + (p == NULL)",
    ],
    "stdint": [
        "std::int64_t a = x[0]; uint8_t b = 255; std::uintptr_t c = (uintptr_t)x",
        "static_assert(sizeof(int16_t) == 2 && sizeof(std::uint32_t) == 4 && INT32_MAX > 0)",
        "static_assert(UINT64_MAX > INT64_MAX && INT8_MIN == -128 && SIZE_MAX > 0)",
        "x[1] = int(a + b + c + UINT64_C(1) + INT64_C(1))",
    ],
    "stdio": ['printf("%d", x[0])', 'std::printf("%f", z[0])'],
    "stdlib": ["void* p = std::malloc(8); free(p)", "x[0] = std::abs(x[1]) + abs(x[2])"],
    "string": ["std::memcpy(x, y, 4)", "memset(y, 0, 8)"],
    "time": ["clock_t t = clock(); x[0] = int(std::clock() - t)"],
    "numeric_limits": [
        "x[0] = std::numeric_limits<int>::max() + std::numeric_limits<unsigned char>::min()",
        "y[0] = std::numeric_limits<float>::infinity()",
        "z[0] = std::numeric_limits<double>::epsilon()",
        "static_assert(std::numeric_limits<long long>::min() < 0)",
        "static_assert(std::numeric_limits<unsigned>::max() == 4294967295u)",
        "static_assert(std::numeric_limits<float>::lowest() < -3e38f)",
        "static_assert(std::numeric_limits<int>::is_integer)",
    ],
    "type_traits": [
        "static_assert(std::is_same_v<std::remove_cv_t<const volatile int>, int>)",
        "static_assert(std::is_same<std::remove_reference_t<int&&>, int>::value)",
        "static_assert(std::is_same_v<std::conditional_t<true, int, float>, int>)",
        "static_assert(std::is_same_v<std::enable_if_t<std::true_type::value, int>, int>)",
        "static_assert(std::is_floating_point_v<double> && !std::is_integral_v<float>)",
        "static_assert(std::is_unsigned_v<unsigned char> && std::is_signed<long>::value)",
        "static_assert(std::is_pointer_v<int*> && !std::is_pointer_v<int>)",
        "static_assert(std::is_convertible_v<int, float> && std::is_arithmetic_v<bool>)",
        "static_assert(std::is_array_v<int[3]> && std::is_void_v<void>)",
        "static_assert(std::is_trivially_copyable_v<float4> && std::is_class_v<float4>)",
    ],
    "new": ["new (x) int(3)"],
    "stdbool": ["bool b = true; x[0] = b"],
}
NAMES = {
    "numeric_limits": ["limits"],
    "type_traits": ["type_traits"],
    "new": ["new"],
    "stdbool": ["stdbool.h"],
}
OWN_HEADERS = {header: own for own in OWN for header in NAMES.get(own, [f"{own}.h", f"c{own}"])}


@pytest.mark.parametrize("header", OWN_HEADERS)
def test_headers_of_c_and_cxx(header):
    check(source([header], *OWN[OWN_HEADERS[header]]))


@pytest.mark.parametrize("header", OWN_HEADERS)
def test_they_may_be_included_in_extern_c(header):
    statements = "; ".join(OWN[OWN_HEADERS[header]])
    check(f'extern "C" {{\n#include <{header}>\n{KERNEL.format(statements)}}}\n')


@needs_cccl
def test_those_of_cccl_may_be_included_in_extern_c():
    check(
        f'extern "C" {{\n#include <array>\n{KERNEL.format("std::array<int, 2> a{}; x[0] = a[1]")}}}'
    )


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_they_go_together_in_any_order(standard):
    statements = [f"{{ {'; '.join(rows)}; }}" for rows in OWN.values()]
    for headers in ([*OWN_HEADERS], [*OWN_HEADERS][::-1]):
        text = source(headers, *statements)
        check(text, options=f"-std={standard}")


@pytest.mark.parametrize("own", OWN)
def test_without_the_headers_of_cuda(own):
    """Kernels of the project itself are compiled without folders of headers."""
    name = f"kernels/standard/{own}.cuh"
    head = f'#include "{name}"\n' if (ROOT / name).exists() else ""
    image = _core._compile_cubin(head + KERNEL.format(";\n  ".join(OWN[own])), 9, 0)
    assert "f" in symbols(image)


def test_the_projects_own_kernels_get_none_of_them():
    with pytest.raises(CompileError, match=r'open source file "math\.h"'):
        _core._compile_cubin("#include <math.h>\n", 9, 0)


# Headers of C++ whose names are CCCL's.
OF_CCCL = {
    "algorithm": "x[0] = std::max(x[1], x[2]) + std::clamp(x[3], 0, 9)",
    "array": "std::array<int, 3> a{1, 2, 3}; x[0] = a[x[1]] + int(a.size())",
    "atomic": "std::atomic<int> a{0}; a.fetch_add(1); x[0] = a.load()",
    "bit": "x[0] = std::popcount(unsigned(x[1])) + std::bit_cast<int>(y[0])",
    "bitset": "std::bitset<8> b(5); x[0] = int(b.count())",
    "chrono": "std::chrono::seconds s(3); x[0] = int(s.count())",
    "concepts": "static_assert(std::integral<int> && std::floating_point<float>)",
    "functional": "x[0] = std::plus<int>()(x[1], x[2])",
    "initializer_list": "for (int i : std::initializer_list<int>{1, 2}) x[0] += i",
    "iterator": "x[0] = int(std::distance(x, x + 3))",
    "memory": "*std::addressof(x[0]) = 1",
    "numeric": "x[0] = std::gcd(x[1], x[2])",
    "optional": "std::optional<int> o = x[1]; x[0] = o.value_or(2)",
    "ratio": "static_assert(std::ratio<2, 4>::den == 2)",
    "span": "std::span<int> s(x, 4); x[0] = s[1] + int(s.size())",
    "tuple": "auto [a, b] = std::make_tuple(x[1], y[1]); x[0] = a; y[0] = b",
    "utility": "std::pair<int, float> p(1, 2.0f); x[0] = p.first; std::swap(x[0], x[1])",
    "variant": "std::variant<int, float> v = x[1]; x[0] = *std::get_if<int>(&v)",
    "complex": "std::complex<float> c(y[0], y[1]); y[0] = std::abs(std::exp(c) * sqrt(c))",
}
OF_CCCL = {header: use for header, use in OF_CCCL.items() if is_installed(f"cuda/std/{header}")}
OTHERS_OF_CCCL = "barrier expected latch mdspan numbers semaphore source_location"


@needs_cccl
@pytest.mark.parametrize("headers", [["array"], ["complex"], [*OF_CCCL], [*OF_CCCL][::-1]], ids=len)
def test_headers_of_cxx_by_cccl(headers):
    check(source(headers, *[f"{{ {OF_CCCL[header]}; }}" for header in headers]))


@needs_cccl
def test_headers_of_cccl_go_with_ours():
    others = [name for name in OTHERS_OF_CCCL.split() if is_installed(f"cuda/std/{name}")]
    check(
        source([*OF_CCCL, *OWN_HEADERS, "cuda/std/cmath", "cuda/std/cstdint", *others], "x[0] = 1")
    )


@needs_cccl
def test_names_of_std_without_their_namespace():
    """Calls stay unambiguous where a source says `using namespace std`."""
    text = source(
        ["cmath", "complex", "cstdint", "cstdlib"],
        "using namespace std",
        "complex<double> c(z[0], 1.0)",
        "z[0] = sqrt(z[1]) + abs(z[2]) + abs(sqrt(c)) + pow(c, 2.0).real()",
        "z[1] = exp(y[0]) + sqrt(x[1]) + std::norm(c)",
        "uint32_t n = abs(x[1]); x[0] = int(n) + max(x[1], x[2])",
    )
    check(text)


# Headers of CUDA, each with those that it is compiled together with.
OF_CUDA = [
    "cuda_runtime.h cuComplex.h math_constants.h mma.h cuda_pipeline.h vector_types.h",
    "cuda_fp16.h cuda_bf16.h cuda_fp8.h",
    "cooperative_groups.h cooperative_groups/reduce.h cooperative_groups/memcpy_async.h",
    "curand_kernel.h",
    "cuda/std/complex cuda/std/array cuda/std/tuple cuda/std/type_traits cuda/std/limits "
    "cuda/std/cstdint cuda/std/atomic cuda/std/cmath cuda/std/span cuda/std/optional",
    "cuda/atomic cuda/barrier cuda/pipeline cuda/ptx",
    "cub/block/block_reduce.cuh cub/block/block_scan.cuh cub/block/block_radix_sort.cuh "
    "cub/block/block_load.cuh cub/block/block_store.cuh cub/block/block_merge_sort.cuh",
    "cub/warp/warp_reduce.cuh cub/warp/warp_scan.cuh cub/warp/warp_merge_sort.cuh",
    "thrust/complex.h thrust/functional.h thrust/tuple.h thrust/pair.h "
    "thrust/iterator/counting_iterator.h thrust/iterator/transform_iterator.h",
]


@pytest.mark.parametrize("names", OF_CUDA)
@pytest.mark.parametrize("also", [(), ("cstdint", "cmath", "type_traits")], ids=["alone", "std"])
def test_headers_of_cuda(names, also):
    headers = names.split()
    if THRUST_NEEDS_STREAMS and "thrust/complex.h" in headers:
        headers.remove("thrust/complex.h")
    if not is_installed(*headers, *(["crt/mma.h"] if "mma.h" in headers else [])):
        pytest.skip("not all of these headers are installed")
    check(source([*also, *headers], "x[0] = 1"))


def test_a_kernel_of_cub():
    if not is_installed("cub/block/block_reduce.cuh"):
        pytest.skip("there is no CUB")
    text = source(
        ["cub/block/block_reduce.cuh"],
        "using Reduce = cub::BlockReduce<int, 128>; __shared__ Reduce::TempStorage kept",
        "x[0] = Reduce(kept).Sum(x[threadIdx.x])",
    )
    check(text)


OURS = "#define MINE 1\n"
USES_OWN = "static_assert(MINE == 1);\n"


@pytest.mark.parametrize("name", ["math.h", "type_traits", "stdint.h", "array"])
def test_files_of_the_user_come_first(tmp_path, name):
    (tmp_path / name).write_text(OURS)
    for text in (f"#include <{name}>\n", f'#include "{name}"\n'):
        compiled(text + USES_OWN, include_dirs=tmp_path)
        compiled(text + USES_OWN, options=["-I", str(tmp_path)])


def test_files_beside_a_header_of_the_user_come_first(tmp_path):
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "limits.h").write_text(OURS)
    (tmp_path / "library" / "all.h").write_text('#include "limits.h"\n')
    compiled('#include "library/all.h"\n' + USES_OWN, include_dirs=tmp_path)
    (tmp_path / "code.cu").write_text('#include "library/all.h"\n' + USES_OWN)
    compiled(tmp_path / "code.cu")


def test_a_file_that_appears_is_taken(tmp_path):
    name = "#ifdef MINE\n#define f mine\n#endif\n"
    text = source(["math.h"], "y[0] = sqrt(y[1])").replace("extern", name + "extern")
    assert "f" in symbols(compiled(text, include_dirs=tmp_path))
    (tmp_path / "math.h").write_text(OURS)
    assert "mine" in symbols(compiled(text, include_dirs=tmp_path))


def test_complex_numbers_of_thrust():
    if not is_installed("thrust/complex.h") or THRUST_NEEDS_STREAMS:
        pytest.skip("Thrust's complex numbers are not for NVRTC alone")
    statement = "thrust::complex<float> c(y[0], y[1]); y[0] = thrust::abs(thrust::exp(c) * c)"
    check(source(["thrust/complex.h"], statement))


def test_the_drivers_header_gives_its_types():
    if not is_installed("cuda.h"):
        pytest.skip("there is no cuda.h")
    check(source(["cuda.h"], "x[0] = int(sizeof(CUtensorMap))"), options="-default-device")


@pytest.mark.parametrize(
    ("header", "direction"),
    [
        ("vector", r"device code has no <vector>, which is for the host: GPUArrays .* <array>"),
        ("iostream", r"device code has no <iostream>, .*printf of <cstdio>"),
        ("thread", r"device code has no <thread>, .*<cuda/barrier>"),
        ("stdexcept", r"device code has no <stdexcept>, .*assert\(\)"),
        ("unistd.h", r"device code has no <unistd.h>, .*code of the host"),
        ("cub/no_such.cuh", r"<cub/no_such.cuh> is not .* pip install 'gpuarray-cuda\[cuda13\]'"),
        ("no_such.h", r"<no_such.h> is in no folder .* include_dirs= or GPUARRAY_INCLUDE_PATH"),
    ],
)
def test_a_missing_header_says_what_to_do(header, direction):
    with pytest.raises(CompileError, match=direction):
        compiled(f"#include <{header}>\n")
    with pytest.raises(CompileError, match=direction):
        compiled(f'#include "{header}"\n')


@needs_cccl
@pytest.mark.parametrize("header", ["device_vector.h", "sort.h"])
def test_what_thrust_has_for_the_host_says_so(header):
    with pytest.raises(CompileError, match="this part of Thrust is for the host"):
        compiled(f"#include <thrust/{header}>\n")


def test_other_errors_give_no_direction():
    with pytest.raises(CompileError) as caught:
        compiled("int a = ;\n")
    assert "include" not in str(caught.value)
