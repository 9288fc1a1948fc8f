# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The functions that gpuarray calls of the driver and of CUDA's libraries, and how each is failed.

The lists are read from the sources, so that they are those of the loaders.
"""

import re
from pathlib import Path
from typing import NamedTuple

from _support.stub_driver import ROOT, SOURCES, run_compiler

LOADERS = ROOT / "src" / "runtime" / "driver"
HEADERS = {
    "nvrtc": "nvrtc.hpp",
    "nvjitlink": "nvjitlink.hpp",
    "cublas": "cublas_library.hpp",
    "cusolver": "cusolver_library.hpp",
    "cufft": "cufft_library.hpp",
}


class Function(NamedTuple):
    result: str
    name: str
    types: list[str]

    def forward(self) -> str:
        """Return the definition of a function that calls the one of another library."""
        names = [f"a{place}" for place in range(len(self.types))]
        parameters = ", ".join(
            f"{kind} {name}" for kind, name in zip(self.types, names, strict=True)
        )
        function = f"{self.result}({', '.join(self.types)})"
        call = f'forwarded<{function}>("{self.name}")({", ".join(names)})'
        if self.result == "const char*":
            return f'extern "C" {self.result} {self.name}({parameters}) {{ return {call}; }}\n'
        return f"FAILING({self.name}, ({parameters}), return {call})\n"


def driver_functions(newer_alone: bool = False) -> list[str]:
    """Return the driver's functions that the loader looks up; those that old drivers may lack."""
    kinds = "NEWER" if newer_alone else "DRIVER|NEWER"
    text = (LOADERS / "driver_functions.def").read_text()
    return re.findall(rf"^GPUARRAY_(?:{kinds})_FUNCTION\((?:\d+, )?(cu\w+)", text, re.M)


def library_functions(library: str) -> list[Function]:
    """Return the functions of a loader's lists, those of each type of element by their names."""
    text = (LOADERS / HEADERS[library]).read_text().replace("\\\n", " ")
    found = []
    for body in re.findall(r"^#define GPUARRAY_\w+\(FUNCTION\)(.*)$", text, re.M):
        for row in re.findall(r"FUNCTION\(([^)]*)\)", body):
            result, name, *types = re.split(r",\s+", row)
            is_typed = types[0].startswith('"')
            names = typed_names(types.pop(0).strip('"')) if is_typed else [name]
            found += [Function(result, each, types) for each in names]
    return found


def typed_names(pattern: str) -> list[str]:
    """Return the names of a function for float32, float64, complex64 and complex128."""
    letters = zip("SDCZ", ("or", "or", "un", "un"), strict=True)
    return [pattern.replace("%", letter).replace("$", kind) for letter, kind in letters]


def build_failing(library: str, forwarded: str, folder: Path) -> Path:
    """Compile a library whose functions can be made to fail, and else are those of `forwarded`."""
    source, made = folder / f"{library}.cpp", folder / f"lib{library}_failing.so"
    defined = [f'#include "runtime/driver/{HEADERS[library]}"\n#include "failing_library.hpp"\n']
    defined += ["using namespace gpuarray;\n"]
    defined += [function.forward() for function in library_functions(library)]
    source.write_text("".join(defined))
    return _build(made, source, f'-DGPUARRAY_FORWARDED="{forwarded}"')


def build_linker(folder: Path) -> Path:
    """Compile the stand-in for nvJitLink, whose functions can be made to fail."""
    return _build(folder / "libnvjitlink_failing.so", SOURCES / "linker" / "stub_linker.cpp")


def _build(made: Path, source: Path, *defines: str) -> Path:
    includes = [f"-I{folder}" for folder in (ROOT, ROOT / "src", SOURCES)]
    # Else all of them would share one copy of each template's static variables.
    run_compiler(
        "-O1",
        "-shared",
        "-fno-gnu-unique",
        *includes,
        *defines,
        source,
        SOURCES / "calls.cpp",
        "-o",
        made,
    )
    return made
