# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Writes the reference: a page for each public function and class, found in the package itself."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from docstrings import escaped
from snippets import example_of, unused_examples

import gpuarray
from gpuarray import _core

ROOT = Path(__file__).resolve().parents[2]

# The sections of `gpuarray` itself, and the modules or names that belong to each; the names of a
# table of operations are its first word.
SECTIONS = {
    "Arrays, devices and streams": "GPUArray ndarray Device device devices default_device"
    " set_default_device can_access_peer Stream Event synchronize current_stream _runtime.device"
    " _runtime.streams _runtime.graphs",
    "Creation": "_creation empty zeros ones full empty_like",
    "Transfers and exchange": "to_device to_gpu asnumpy set_staging from_dlpack mpi_buffer"
    " from_cuda_array_interface set_cuda_array_interface_sync cuda_array_interface_sync"
    " _runtime.transfer _runtime.sharing",
    "Element-wise functions": "op_table fix pow mod _math.math _math.comparisons _math.rounding"
    " _math.special _ufuncs",
    "Reductions and scans": "reduction_table amin amax cumsum cumprod _math.scans _statistics",
    "Shapes, joining and splitting": "_manipulation _common.arguments",
    "Indexing": "_indexing",
    "Sorting, searching and sets": "_sorting",
    "Products": "matmul get_matmul_precision set_matmul_precision _math.products _math.einsums",
    "Differences, signals and polynomials": "_math _linalg.fits",
    "Dtypes": "_dtypes",
    "Your own kernels": "Kernel LinkError CompileWarning _kernels _fusion",
    "Memory": "memory memory_stats _runtime.memory_kinds _runtime.memory_tools",
    "Errors and diagnosis": "errors CaptureError Launch CompileError CudaError DeviceError"
    " OutOfMemoryError launch_blocking set_launch_blocking launch_lines set_launch_lines"
    " pending_launches _runtime",
}
TITLES = {
    "collectives": "Collective operations",
    "dask": "Clusters of Dask",
    "fft": "Fourier transforms",
    "linalg": "Linear algebra",
    "random": "Random numbers",
    "memory": "Memory resources",
    "driver": "The driver's level",
    "zarr": "Buffers of zarr",
}
# Pages that name everything tell nothing of one name.
NOT_GUIDES = (
    "array-api benchmarks building changelog contributing design index numpy-names operations"
)


class Entry(NamedTuple):
    name: str  # without the package's: "add", "linalg.solve"
    value: Any

    @property
    def page(self) -> str:
        return f"gpuarray.{self.name}"


def public_names(module: ModuleType) -> list[str]:
    names = getattr(module, "__all__", None) or [name for name in dir(module) if name[0] != "_"]
    return sorted(names)


def is_documented(value: Any) -> bool:
    """Functions and classes of the package; NumPy's types and constants have a page together."""
    ours = (getattr(value, "__module__", None) or "gpuarray").startswith("gpuarray")
    return callable(value) and ours


def modules() -> list[ModuleType]:
    names = [module.name for module in pkgutil.iter_modules(gpuarray.__path__)]
    return [importlib.import_module(f"gpuarray.{name}") for name in names if name[0] != "_"]


def entries() -> dict[str, list[Entry]]:
    """The entries of the package and of its public modules, each value once but for aliases."""
    found = {"": [Entry(name, getattr(gpuarray, name)) for name in public_names(gpuarray)]}
    found[""] = [entry for entry in found[""] if is_documented(entry.value)]
    known = {id(entry.value) for entry in found[""]}
    for module in modules():
        short = module.__name__.removeprefix("gpuarray.")
        values = [(name, getattr(module, name)) for name in public_names(module)]
        found[short] = [
            Entry(f"{short}.{name}", value)
            for name, value in values
            if is_documented(value) and id(value) not in known
        ]
    return {short: group for short, group in found.items() if group}


def section_of(entry: Entry) -> str:
    """The section that names the entry, its module or, failing these, its folder."""
    tables = {name: "op_table" for name, *_ in _core.op_table()}
    tables |= {name: "reduction_table" for name, *_ in _core.reduction_table()}
    is_ufunc = isinstance(getattr(np, entry.name, None), np.ufunc)
    module = (getattr(entry.value, "__module__", "") or "").removeprefix("gpuarray.")
    table = tables.get(entry.name, "op_table" if is_ufunc else entry.name)
    for key in (entry.name, table, module, module.split(".")[0]):
        for title, keys in SECTIONS.items():
            if key in keys.split():
                return title
    return list(SECTIONS)[-1]


def summary(value: Any) -> str:
    """The first sentence of the docstring, on one line."""
    text = " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())
    text = re.split(r"(?<=[.;])\s|(?<=\w):\s", text)[0].rstrip(".;")
    return re.sub(r"`+([^`]+)`+", r"``\1``", escaped(text))


def numpy_counterpart(name: str) -> Any:
    """NumPy's function of the name; None where there is none."""
    value: Any = np
    for part in name.split("."):
        value = getattr(value, part, None)
    return value if callable(value) and not isinstance(value, type) else None


def relatives(entry: Entry, names: set[str]) -> list[str]:
    """Functions of the package that NumPy's documentation names beside its counterpart."""
    doc = inspect.getdoc(numpy_counterpart(entry.name)) or ""
    section = re.search(r"See Also\n-+\n(.*?)(?:\n\n|\Z)", doc, re.DOTALL)
    if section is None:
        return []
    lines = [line for line in section[1].splitlines() if line[:1].strip()]
    told = [name.strip() for line in lines for name in line.split(" :")[0].split(",")]
    prefix = entry.name.rpartition(".")[0]
    full = [name if name in names else f"{prefix}.{name}" for name in told]
    return [name for name in dict.fromkeys(full) if name in names and name != entry.name]


def guides(entry: Entry, pages: dict[str, str]) -> list[str]:
    """The two pages that name the entry most often."""
    pattern = re.compile(rf"(`|gpuarray\.|\b)(?<=[`.]){re.escape(entry.name)}(?=[`(\[])")
    counts = {page: len(pattern.findall(text)) for page, text in pages.items()}
    best = sorted(counts, key=lambda page: (-counts[page], page))
    return [page for page in best if counts[page]][:2]


def is_guide(page: str) -> bool:
    return page not in NOT_GUIDES.split() and not page.startswith("from-")


def see_also(entry: Entry, names: set[str], numpy_names: set[str], pages: dict[str, str]) -> list:
    lines = []
    if f"numpy.{entry.name}" in numpy_names:
        lines.append(f"- NumPy: :py:obj:`numpy.{entry.name}`")
    lines += [f"- :py:obj:`gpuarray.{name}`" for name in relatives(entry, names)]
    lines += [f"- :doc:`/{page}`" for page in guides(entry, pages)]
    return ["See also", "--------", "", *lines, ""] if lines else []


def page_of(entry: Entry, links: list[str]) -> str:
    title = entry.name
    directive = "autoclass" if isinstance(entry.value, type) else "autofunction"
    lines = [title, "=" * len(title), "", f".. {directive}:: {entry.page}"]
    if isinstance(entry.value, type):
        lines += ["   :members:", "   :undoc-members:"]
    lines.append("")
    if example := example_of(entry.name, entry.value):
        lines += ["Example", "-------", "", ".. code-block:: pycon", ""]
        lines += [f"   {line}".rstrip() for line in example.splitlines()]
        lines.append("")
    return "\n".join([*lines, *links])


def table_page(title: str, group: list[Entry]) -> str:
    lines = [title, "=" * len(title), "", ".. list-table::", "   :widths: 30 70", ""]
    for entry in group:
        lines += [f"   * - :py:obj:`{entry.name} <{entry.page}>`", f"     - {summary(entry.value)}"]
    lines += ["", ".. toctree::", "   :hidden:", ""]
    return "\n".join([*lines, *(f"   {entry.page}" for entry in group), ""])


def constants_page() -> str:
    title = "Constants and NumPy's types"
    lines = [title, "=" * len(title), "", ".. list-table::", "   :widths: 30 70", ""]
    for name in public_names(gpuarray):
        value = getattr(gpuarray, name)
        if is_documented(value) or isinstance(value, ModuleType):
            continue
        is_numpy = callable(value)
        text = f"``numpy.{value.__name__}``" if is_numpy else f"``{value!r}``"
        if type(value).__module__.startswith(("gpuarray", "numpy.lib")):
            text = summary(value) or f"as ``numpy.{name}``"
        lines += [f"   * - ``{name}``", f"     - {text}"]
    return "\n".join([*lines, ""])


def write_reference(source: Path, numpy_names: set[str]) -> int:
    """Write the pages of the reference, and return how many entries there are."""
    folder = source / "reference"
    folder.mkdir()
    found = entries()
    pages = {page.stem: page.read_text() for page in source.glob("*.md")}
    pages = {name: text for name, text in pages.items() if is_guide(name)}
    every = [entry for group in found.values() for entry in group]
    names = {entry.name for entry in every}
    if unused := unused_examples(names):
        raise ValueError(f"examples.txt: no public function is called {', '.join(unused)}")
    for entry in every:
        links = see_also(entry, names, numpy_names, pages)
        (folder / f"{entry.page}.rst").write_text(page_of(entry, links))
    sections: dict[str, list[Entry]] = {title: [] for title in SECTIONS}
    for entry in found.pop(""):
        sections[section_of(entry)].append(entry)
    sections |= {f"{TITLES.get(short, short)}: gpuarray.{short}": found[short] for short in found}
    for title, group in sections.items():
        (folder / f"{slug(title)}.rst").write_text(table_page(title, group))
    (folder / "constants.rst").write_text(constants_page())
    write_index(folder, [slug(title) for title in sections])
    return len(every)


def slug(title: str) -> str:
    """The name of a section's page; functions have other ones."""
    return "-".join([*re.findall(r"\w+", title.lower()), "names"])


def write_index(folder: Path, sections: list[str]) -> None:
    lines = ["Reference", "=========", ""]
    lines += ["Every public name, made from the docstrings of the package.", ""]
    lines += [".. toctree::", "   :maxdepth: 1", ""]
    lines += [f"   {section}" for section in [*sections, "constants"]]
    (folder / "index.rst").write_text("\n".join([*lines, ""]))
