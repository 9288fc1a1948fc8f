# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Linkable items of every kind, made by nvcc, linked by the real nvJitLink without a device."""

import io
import shutil
from pathlib import Path

import hypothesis.strategies as st
import pytest
from _support.device_code import (
    ARCHITECTURE,
    CALLER,
    COMPILER,
    ITEMS,
    KINDS,
    MUL,
    NUMBA_MUL,
    item_maker,
    machine_code,
    needs_linker,
    needs_nvrtc,
    symbols,
)
from _support.process import run_python
from _support.stub_driver import run_compiler
from hypothesis import given

import gpuarray
from gpuarray import LinkableCode, LinkError, Module, _core, declare_device

pytestmark = [
    needs_nvrtc,
    needs_linker,
    pytest.mark.filterwarnings("error::gpuarray.CompileWarning"),
]

DECLARED = f'extern "C" __device__ float mul(float, float);\n{CALLER}'


def module(code=None, **arguments):
    return Module(code, **{"arch": ARCHITECTURE, **arguments})


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    return item_maker(tmp_path_factory.mktemp("items"), MUL)


@pytest.mark.parametrize("kind", ITEMS)
def test_the_content_tells_the_kind(made, kind, tmp_path):
    expected = KINDS.get(kind, kind)
    misnamed = tmp_path / "item.dat"
    misnamed.write_bytes(made(kind).read_bytes())
    assert LinkableCode(made(kind)).kind == expected
    assert LinkableCode(str(misnamed)).kind == expected
    assert LinkableCode(misnamed.read_bytes()).kind == expected


def test_items_are_looked_for_in_the_include_path(made, monkeypatch, tmp_path):
    folder = made("cubin").parent
    with pytest.raises(FileNotFoundError):
        LinkableCode("mul_source.cubin")
    monkeypatch.setenv("GPUARRAY_INCLUDE_PATH", f"{tmp_path}:{folder}")
    assert LinkableCode("mul_source.cubin").path == made("cubin")
    assert LinkableCode(Path("mul_source.cubin")).kind == "cubin"
    assert "f" in symbols(module(DECLARED, link="mul_source.cubin").image)


def test_files_in_memory_and_items_of_numba(made):
    class Item:
        data, name = made("ptx").read_text(), "numba.ptx"
        setup_callback = teardown_callback = None

    for item in (io.StringIO(MUL), io.BytesIO(made("cubin").read_bytes()), Item()):
        assert "f" in symbols(module(DECLARED, link=[item]).image)
    with pytest.raises(TypeError, match="expected a function, got int"):
        LinkableCode(MUL, setup_callback=3)


CLASSES = {
    "cu": gpuarray.CUSource,
    "ptx": gpuarray.PTXSource,
    "cubin": gpuarray.Cubin,
    "fatbin": gpuarray.Fatbin,
    "o": gpuarray.Object,
    "a": gpuarray.Archive,
    "ltoir": gpuarray.LTOIR,
}


@pytest.mark.parametrize("kind", CLASSES)
def test_a_class_takes_its_own_kind(made, kind):
    assert CLASSES[kind](made(kind)).kind == KINDS.get(kind, kind)
    for other, cls in CLASSES.items():
        if other != kind:
            with pytest.raises(ValueError, match=f"{cls.__name__}: expected .*, got "):
                cls(made(kind))


@pytest.mark.parametrize("lto", [None, True, False])
@pytest.mark.parametrize("kind", ITEMS)
def test_a_source_links_with_every_kind(made, kind, lto):
    item = made(kind)
    if lto is False and (kind == "ltoir" or kind.startswith("lto.")):
        with pytest.raises(LinkError, match="LTO-IR does not link without lto"):
            module(DECLARED, link=item, lto=lto)
        return
    for link in (item, item.read_bytes(), [LinkableCode(item)]):
        assert "f" in symbols(module(DECLARED, link=link, lto=lto).image)


@pytest.mark.parametrize("kind", ITEMS)
def test_kernels_of_every_kind_link_with_a_function(made, kind):
    item = made(kind, DECLARED, "caller")
    assert "f" in symbols(module([item, made("cubin")]).image)


@pytest.mark.parametrize("kind", ITEMS)
def test_functions_are_inlined_by_lto(made, kind):
    """Where the input allows it nothing is left to call."""
    image = module(DECLARED, link=made(kind)).image
    inlined = kind == "cu" or kind == "ltoir" or kind.startswith("lto.")
    assert ("mul" in symbols(image)) != inlined


@pytest.mark.parametrize("kind", [kind for kind in ITEMS if kind in ("ptx", "cubin", "fatbin")])
def test_what_the_driver_loads_is_not_linked(made, kind):
    assert module(made(kind)).image == made(kind).read_bytes()


@pytest.mark.parametrize("kind", ["o", "a", "ltoir", "lto.fatbin", "lto.o"])
def test_what_the_driver_does_not_load_is_linked(made, kind):
    assert module(made(kind)).image.startswith(b"\x7fELF")


def test_the_result_is_cached(made, tmp_path):
    code = f"""
import gpuarray
before = gpuarray.cache_info()
gpuarray.Module('''{DECLARED}''', arch="sm_90", link={str(made("cubin"))!r})
after = gpuarray.cache_info()
print(after.hits - before.hits, after.stores - before.stores)
"""
    found = [run_python(code, GPUARRAY_CACHE_DIR=str(tmp_path / "cache")) for _ in range(2)]
    assert found == ["0 2\n", "2 0\n"]
    content = made("cubin").read_bytes()
    try:
        made("cubin").write_bytes(content + b"\0")
        assert run_python(code, GPUARRAY_CACHE_DIR=str(tmp_path / "cache")) == "1 1\n"
    finally:
        made("cubin").write_bytes(content)


def test_the_cache_tells_updates_of_the_linker_apart(made, tmp_path):
    linker = tmp_path / "libnvJitLink.so"
    shutil.copy(_core._cuda_libraries()["nvJitLink"]["path"], linker)
    code = f"""
import gpuarray
gpuarray.Module(path={str(made("o"))!r}, arch="sm_90")
print(gpuarray.cache_info().stores)
"""
    variables = {
        "GPUARRAY_CACHE_DIR": str(tmp_path / "cache"),
        "GPUARRAY_LIBNVJITLINK": str(linker),
    }
    assert [run_python(code, **variables) for _ in range(2)] == ["1\n", "0\n"]
    with linker.open("ab") as file:
        file.write(b"\0")
    assert run_python(code, **variables) == "1\n"


def test_code_that_several_functions_bring_is_linked_once(made):
    functions = [
        declare_device("mul", "float32(float32, float32)", link=made("ltoir"), abi="c")
        for _ in range(2)
    ]
    assert "f" in symbols(module(CALLER, link=[*functions, made("ltoir").read_bytes()]).image)


def test_link_options_of_the_compiler_and_of_the_user(made):
    for options in ("-lineinfo", "-G", "--use_fast_math", "-maxrregcount=32", "--ftz=true"):
        assert "f" in symbols(module(DECLARED, link=made("cubin"), options=options).image)
    assert "f" in symbols(module(DECLARED, link=made("ltoir"), link_options="-O0").image)
    with pytest.raises(ValueError, match=r"unrecognized option: --bogus"):
        module(DECLARED, link=made("ptx"), link_options="--bogus")


def test_contraction_is_left_out_of_the_link_too(made):
    source = DECLARED.replace("mul(x[1], x[2])", "mul(x[1], x[2]) + x[3]")
    contracted, exact = (
        machine_code(module(source, link=made("ltoir"), options=options).image, "f")
        for options in ((), "--fmad=false")
    )
    assert contracted != exact


def test_constants_and_variables_survive_the_link(made):
    source = '__constant__ float weights[4]; extern "C" __device__ int counter;\n' + DECLARED
    source += "__device__ int counter = 3; __global__ void g() {}"
    image = module(source, link=made("ltoir")).image
    assert {"weights", "counter", "f", "_Z1gv"} <= symbols(image)


def test_an_undefined_function_is_named():
    with pytest.raises(LinkError, match=r"(?s)'mul'.*code\.cu \(LTO-IR\), other\.cu \(LTO-IR\)"):
        module(DECLARED, link=LinkableCode("__device__ int other;", "other.cu"))
    with pytest.raises(LinkError, match=r"(?s)'mul'.*code\.cu \(cubin for sm_90\)"):
        module(DECLARED, link="__device__ int x;", lto=False)


def test_a_function_defined_twice_is_named(made):
    with pytest.raises(LinkError, match=r"(?s)'mul'.*multiply defined"):
        module(DECLARED, link=[MUL, made("ltoir")])


def test_another_architecture_is_named(made, tmp_path):
    with pytest.raises(LinkError, match=r"mul_source\.cubin \(cubin for sm_90\).* for sm_80"):
        module(DECLARED, link=made("cubin"), arch=80, lto=False)


def test_ptx_that_is_none_gives_the_log():
    text = ".version 8.0\n.target sm_90\n.address_size 64\nnonsense\n"
    with pytest.raises(LinkError, match=r"(?s)wrong\.ptx \(PTX\).*line 4.*nonsense"):
        module(DECLARED, link=LinkableCode(text, "wrong.ptx"))


def test_a_file_that_is_cut_short_is_refused(made):
    for kind in ("cubin", "o"):
        content = made(kind).read_bytes()
        for length in (20, 100, len(content) // 2, len(content) - 1):
            with pytest.raises(ValueError, match="cut short"):
                module(DECLARED, link=content[:length])


def test_lto_without_anything_to_optimize_is_refused(made):
    with pytest.raises(LinkError, match="cubin for sm_90"):
        module([made("cubin"), made("ptx", DECLARED, "caller")], lto=True)


def test_a_missing_linker_names_the_wheel(made):
    text = run_python(
        "import gpuarray\n"
        "gpuarray.Module('__device__ int x;', arch=90)\n"
        "try: gpuarray.Module('__device__ int x;', arch=90, link='__device__ int y;\\n')\n"
        "except gpuarray.DeviceError as error: print(error)",
        GPUARRAY_LIBNVJITLINK="/nonexistent",
    )
    assert "/nonexistent was not found; pip install 'gpuarray-cuda[cuda13]'" in text


@pytest.mark.parametrize(("abi", "text"), [("c", MUL), ("numba", NUMBA_MUL)])
def test_a_declared_function_can_be_called(made, abi, text):
    function = declare_device(
        "mul", "float32(float32, float32)", link=made("ltoir", text, abi), abi=abi
    )
    assert "f" in symbols(module(CALLER, link=function).image)
    assert "f" in symbols(module(CALLER, link=[function], extern_c=True).image)


@pytest.mark.parametrize("abi", ["c", "numba"])
@pytest.mark.parametrize(
    ("signature", "cpp"),
    [
        ("float32(float32, float32)", "float f(float, float)"),
        ("float64()", "double f()"),
        ("void(CPointer(int64), uint8)", "void f(long long*, unsigned char)"),
        ("int(const float*, unsigned int, void*)", "int f(const float*, unsigned int, void*)"),
        ("boolean(types.CPointer(types.float32), voidptr)", "bool f(float*, void*)"),
        ("long long (int64_t, size_t)", "long long f(long long, size_t)"),
        ("float32 ( void )", "float f()"),
    ],
)
def test_signatures(signature, cpp, abi):
    function = declare_device("f", signature, abi=abi)
    assert function.signature == cpp
    assert (function.name, function.abi, function.link) == ("f", abi, ())
    call = f"({cpp.replace(' f(', ' (*g)(')}) {{ (void)g; }}"
    module(f"{function.declaration}__device__ void use{call}\n__device__ void h() {{ use(f); }}")


class NumbaType:
    def __init__(self, name):
        self.name = name

    def __str__(self):
        return self.name


class NumbaSignature:
    return_type = NumbaType("none")
    args = (NumbaType("float32*"), NumbaType("int64"))


def test_signatures_of_numba():
    assert declare_device("f", NumbaSignature()).signature == "void f(float*, long long)"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("f", "float32"), ValueError, "expected a signature as"),
        (("f", "(int32)"), ValueError, "expected a signature as"),
        (("f", "float128(int32)"), TypeError, "got 'float128'"),
        (("f", "int32(void, int32)"), ValueError, "cannot be void"),
        (("f", 3), TypeError, "got int"),
        (("f()", "int32()"), ValueError, r"got 'f\(\)'"),
        (("f", "int32()", (), "rust"), ValueError, "got 'rust'"),
        (("f", "int32()", "missing.cubin"), FileNotFoundError, "missing.cubin"),
        (("f", "int32()", "folder/missing"), FileNotFoundError, "folder/missing"),
        (("f", "int32()", ["missing.so.1"]), FileNotFoundError, r"missing\.so\.1"),
        (("for", "int32()"), ValueError, "'for' is a keyword of C\\+\\+; rename the function"),
        (("new", "int32()"), ValueError, "keyword"),
    ],
)
def test_refused_declarations(arguments, error, message):
    with pytest.raises(error, match=message):
        declare_device(*arguments)


MAGIC = [b"\x7fELF\2\1\1", b"\x50\xed\x55\xba", b"\xed\x43\x4e\x7f", b"!<arch>\n", b".version 8.0"]


@given(st.sampled_from([b"", *MAGIC]), st.binary(max_size=200))
def test_any_content_is_of_a_kind_or_refused(magic, rest):
    content = magic + rest
    try:
        kind = LinkableCode(content).kind
    except ValueError:
        return
    assert _core._loadable(content) <= (kind in ("ptx", "cubin", "fatbin"))
    if kind == "source":
        assert b"\0" not in content.rstrip(b"\0")
    else:
        assert content.lstrip()[:1] in b"\x7f\x50\xed!./"


@given(st.data())
def test_damaged_elf_headers_do_no_harm(made, data):
    content = bytearray(made("cubin").read_bytes())
    at = data.draw(st.integers(40, 63))
    content[at] = data.draw(st.integers(0, 255))
    try:
        assert LinkableCode(bytes(content)).kind in ("cubin", "object")
    except ValueError as error:
        assert "cut short" in str(error)


@pytest.mark.skipif(COMPILER["version"] < (13, 0, 0), reason="older libraries have no such option")
@pytest.mark.parametrize("link", ["()", "gpuarray.CUSource(MUL)"], ids=["compiled", "linked"])
def test_neither_the_compiler_nor_the_linker_loads_the_driver(link, tmp_path):
    """Both would look for the driver's cache, which is not needed beside the package's own."""
    loaded = tmp_path / "loaded"
    source = tmp_path / "driver.cpp"
    source.write_text(
        "#include <stdio.h>\n__attribute__((constructor)) static void load(void) "
        f'{{ fclose(fopen("{loaded}", "w")); }}\n'
    )
    run_compiler("-shared", source, "-o", tmp_path / "libcuda.so.1")
    run_python(
        f"""
        import gpuarray
        MUL = 'extern "C" __device__ float mul(float a, float b) {{ return a * b; }}'
        KERNEL = 'extern "C" __global__ void f(float* x) {{ x[0] = 2; }}'
        gpuarray.Module(KERNEL, link={link}, arch=90)
        """,
        GPUARRAY_CACHE_BYTES="0",
        GPUARRAY_LIBCUDA="/none",
        LD_LIBRARY_PATH=str(tmp_path),
    )
    assert not loaded.exists()
