# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Device functions that other code defines, declared so that kernels can call them."""

import importlib
import inspect
import re
from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

from gpuarray import _core
from gpuarray._common.arguments import require_text
from gpuarray._common.dtype_table import CTYPES, FUNDAMENTAL
from gpuarray._kernels.building import device_architecture
from gpuarray._kernels.linkables import LinkableCode, as_linkables, several
from gpuarray._kernels.parameters import dtype_of_type
from gpuarray._kernels.prototypes import require_prototype

__all__ = ["DeviceFunction", "declare_device"]

# A compiler is called as compile_function(function, name, dtypes, result, architecture), and
# returns the dtype of the result and the code.
FunctionCompiler = Callable[..., tuple[str, LinkableCode]]

# Further names of the integer dtypes, which Numba, NumPy and C use.
_ALIASES = {
    "int32": ("intc", "signed", "signed int"),
    "int64": ("intp",),
    "uint32": ("uintc", "unsigned"),
    "uint64": ("uintp",),
}
# Each row is a C++ type, Numba's name for it, and its other names. Where two rows share a name, the
# first row counts.
ROWS = (
    ("void", "void", "none"),
    ("bool", "boolean", "bool_"),
    *((text, dtype, f"{dtype}_t", *_ALIASES.get(dtype, ())) for dtype, text in FUNDAMENTAL.items()),
    *((CTYPES[dtype], dtype) for dtype in ("float32", "float64")),
    ("void*", "voidptr"),
    ("char", "int8"),
    ("long", "int64"),
    ("unsigned long", "uint64"),
    ("size_t", "uint64"),
)
TYPES = {name: row[0] for row in reversed(ROWS) for name in row}
NUMBA_NAMES = {row[0]: row[1] for row in ROWS}
NUMBA_CLASSES = {
    "source": "CUSource",
    "ptx": "PTXSource",
    "cubin": "Cubin",
    "fatbin": "Fatbin",
    "object": "Object",
    "archive": "Archive",
    "ltoir": "LTOIR",
}
# Numba links each item of a kernel once, so functions that share code must share the item too.
NUMBA_ITEMS: WeakValueDictionary[tuple[Any, ...], Any] = WeakValueDictionary()
SIGNATURE = re.compile(r"\s*([^()]*?)\s*\((.*)\)\s*")
# Names that no function of C++ can have.
_KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        """
        alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t
        char32_t char8_t class co_await co_return co_yield compl concept const const_cast consteval
        constexpr constinit continue decltype default delete do double dynamic_cast else enum
        explicit export extern false float for friend goto if inline int long mutable namespace new
        noexcept not not_eq nullptr operator or or_eq private protected public register
        reinterpret_cast requires return short signed sizeof static static_assert static_cast struct
        switch template this thread_local throw true try typedef typeid typename union unsigned
        using virtual void volatile wchar_t while xor xor_eq
        """,
    )
)
POINTER = re.compile(r"(?:types\.)?CPointer\((.*)\)")


# The compiler of Python functions: an empty list, or a list of one.
_function_compilers: list[FunctionCompiler] = []


def set_function_compiler(compiler: FunctionCompiler) -> None:
    """Set the compiler that makes device functions of Python functions.

    Modules of kernels do not import those that trace functions, so the module that traces registers
    its compiler here when it is imported, at the latest with `gpuarray.kernels`.
    """
    _function_compilers[:] = [compiler]


def identifier(name: str) -> str:
    """Return `name` with every character that C++ names cannot have replaced by an underscore."""
    return re.sub(r"\W|^(?=\d)", "_", name)


class DeviceFunction:
    """A device function that other code defines, made by `declare_device`.

    `name` is its symbol, `result` and `arguments` are C++ types, `link` are the LinkableCode that
    define it, `abi` is "c" or "numba", and `declaration` is the C++ with which a kernel can call it
    as ``name(arguments)``.
    """

    def __init__(
        self, name: str, result: str, arguments: tuple[str, ...], link: Any, abi: str
    ) -> None:
        self.name = name
        self.result = result
        self.arguments = arguments
        self.link: tuple[LinkableCode, ...] = as_linkables(link)
        self.abi = abi

    def __repr__(self) -> str:
        return f"<gpuarray.DeviceFunction {self.signature}>"

    def __call__(self, *arguments: Any) -> Any:
        """Call it in a function that fuse() traces; its kernel is for CUDA devices only."""
        for argument in arguments:
            if hasattr(argument, "_trace"):
                return argument._trace.call(self, arguments)
        raise TypeError(
            f"{self.name}: a device function is called in kernels, and in fused functions on CUDA "
            "devices"
        )

    @property
    def signature(self) -> str:
        """The declaration in C++, such as "float mul(float, float)"."""
        return f"{self.result} {self.name}({', '.join(self.arguments)})"

    @property
    def declaration(self) -> str:
        """The C++ that declares it, for the beginning of a source: not inside extern "C" {}."""
        if self.abi == "c":
            return f'extern "C" __device__ {self.signature};\n'
        names = [f"a{index}" for index in range(len(self.arguments))]
        parameters = ", ".join(map(" ".join, zip(self.arguments, names, strict=True)))
        result = "void*" if self.result == "void" else f"{self.result}*"
        raw = f"int {self.name}({', '.join((result, *self.arguments))})"
        if self.result == "void":
            body = f"{self.name}({', '.join(('(void*)0', *names))});"
        else:
            given = ", ".join(("&result", *names))
            body = f"{self.result} result; {self.name}({given}); return result;"
        wrapper = f"{self.result} {self.name}({parameters}) {{ {body} }}"
        return (
            f'extern "C" __device__ {raw};\n[[maybe_unused]] static __device__ inline {wrapper}\n'
        )

    def numba(self) -> Any:
        """Return the function for kernels of numba-cuda, with the same code to link.

        ImportError without numba-cuda. Callbacks of the code are called with the module of numba.
        """
        from numba import cuda, types

        def numba_type(text: str) -> Any:
            if text != "void*" and text.endswith("*"):
                return types.CPointer(numba_type(text.removesuffix("*").removeprefix("const ")))
            return getattr(types, NUMBA_NAMES[text])

        def numba_item(code: LinkableCode) -> Any:
            callbacks = code.setup_callback, code.teardown_callback
            key = (code.kind, code.content, *callbacks)
            if (item := NUMBA_ITEMS.get(key)) is None:
                content = code.text if code.kind == "source" else code.content
                item = getattr(cuda, NUMBA_CLASSES[code.kind])(content, code.name, *callbacks)
                NUMBA_ITEMS[key] = item
            return item

        items = list(map(numba_item, self.link))
        signature = numba_type(self.result)(*map(numba_type, self.arguments))
        return cuda.declare_device(self.name, signature, link=items, abi=self.abi)


def declare_device(
    name: str | Callable[..., Any], signature: Any, link: Any = (), abi: str = "numba"
) -> DeviceFunction:
    """Declare a device function that `link` defines, for use in kernels.

    A Python function of numbers in the place of the name is compiled to a device function of the
    same name, as `vectorize` compiles it.

    `signature` is text as "float32(float32, CPointer(float32), int64)" or in C++,
    "float(float, float*, long long)", or a signature of Numba. `link` is one or several paths,
    contents or LinkableCode. With abi="c" the function is
    ``extern "C" __device__ float name(float, ...)``; with abi="numba", as in numba-cuda, it is
    ``extern "C" __device__ int name(float* result, float, ...)`` and returns 0.

    Touches no device. ValueError for a name or signature that is none, TypeError for a type that
    cannot be passed, and for a function that CUDA C++ or PTX of `link` defines in another way: it
    names both prototypes. The code of a cubin, an object and LTO-IR does not tell its parameters.
    """
    if callable(name):
        function, name, abi = name, identifier(getattr(name, "__name__", "function")), "c"
    else:
        function = None
    require_text("declare_device", name=name, abi=abi)
    if not name.isidentifier() or not name.isascii():
        raise ValueError(f"declare_device: expected the name of a C function, got {name!r}")
    if name in _KEYWORDS:
        raise ValueError(f"declare_device: {name!r} is a keyword of C++; rename the function")
    if abi not in ("c", "numba"):
        raise ValueError(f"declare_device: abi: expected 'c' or 'numba', got {abi!r}")
    if isinstance(signature, str):
        result, arguments = _parts(signature)
    elif hasattr(signature, "return_type") and hasattr(signature, "args"):
        result, arguments = str(signature.return_type), [str(part) for part in signature.args]
    else:
        raise TypeError(
            "declare_device: signature: expected a str or a signature of Numba, "
            f"got {type(signature).__name__}"
        )
    types = tuple(map(_cpp_type, arguments))
    if "void" in types:
        raise ValueError(f"declare_device: an argument cannot be void: {signature}")
    returned = _cpp_type(result)
    if function is not None:
        dtypes = [dtype_of_type(one) for one in (*types, returned)]
        if not _function_compilers:
            importlib.import_module("gpuarray.kernels")
        *_, code = _function_compilers[0](
            function, name, dtypes[:-1], dtypes[-1], oldest_architecture()
        )
        link = (code, *several(link))
    made = DeviceFunction(name, returned, types, link, abi)
    if function is None:
        require_prototype(name, returned, types, abi, made.link)
    return made


def declared(items: Any, name: str = "link") -> tuple[Any, ...]:
    """Return the items of `link=` or `functions=`; annotations declare Python functions."""
    return tuple(
        _by_annotations(item) if callable(item) and not hasattr(item, "link") else item
        for item in several(items, name)
    )


def _by_annotations(function: Callable[..., Any]) -> DeviceFunction:
    signature = inspect.signature(function)
    given = [parameter.annotation for parameter in signature.parameters.values()]
    name = getattr(function, "__name__", repr(function))
    if inspect.Signature.empty in (*given, signature.return_annotation):
        raise TypeError(
            f"{name}: expected dtypes as annotations of all arguments and the result, as "
            "def f(x: 'float32') -> 'float32'; or use gpuarray.declare_device(f, signature)"
        )
    result, *dtypes = (_core._dtype(one).name for one in (signature.return_annotation, *given))
    return declare_device(function, f"{result}({', '.join(dtypes)})")


def oldest_architecture() -> str:
    """Return the architecture of the default device, or the oldest one on a cpu default device.

    Code for an architecture links into kernels for every newer one.
    """
    device = _core.default_device()
    return device_architecture(device) if device.kind == "cuda" else "sm_75"


def _parts(signature: str) -> tuple[str, list[str]]:
    match = SIGNATURE.fullmatch(signature)
    if not match or not match[1]:
        raise ValueError(
            f"declare_device: expected a signature as 'float32(float32, int64)', got {signature!r}"
        )
    arguments = match[2].strip()
    return match[1], arguments.split(",") if arguments not in ("", "void") else []


def _cpp_type(text: str) -> str:
    text = " ".join(text.split())
    if pointer := POINTER.fullmatch(text):
        return f"{_cpp_type(pointer[1])}*"
    if text.endswith("*"):
        target = text[:-1].rstrip()
        const = "const " if target.startswith("const ") else ""
        return f"{const}{_cpp_type(target.removeprefix('const '))}*"
    if found := TYPES.get(text.removeprefix("types.")):
        return found
    names = ", ".join(row[1] for row in ROWS[:12])
    raise TypeError(
        f"declare_device: expected {names}, their names in C++ or a pointer to one, got {text!r}"
    )
