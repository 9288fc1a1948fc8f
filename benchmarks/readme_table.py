# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Writes the README's table of features and speed, from what benchmarks/results keeps.

python benchmarks/readme_table.py
"""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "README.md"
BEGIN, END = "<!-- comparison -->\n", "<!-- end of comparison -->\n"
LIBRARIES = {"gpuarray": "gpuarray", "cupy": "CuPy", "torch": "PyTorch", "jax": "JAX"}

# What each library has, in the order of LIBRARIES.
FEATURES = [
    ("NumPy's names and rules", "yes", "yes", "names of its own", "yes, but arrays do not change"),
    ("plain operators run as one kernel", "by themselves", "-", "-", "-"),
    ("functions compiled as a whole", "`fuse`", "`fuse`", "`torch.compile`", "`jax.jit`"),
    ("NumPy's random numbers for a seed", "yes", "-", "-", "-"),
    ("kernels of CUDA C++", "yes", "yes", "in an extension", "in an extension"),
    ("the same program without a GPU", "yes", "-", "yes", "yes"),
    ("derivatives", "-", "-", "yes", "yes"),
    ("accelerators beside NVIDIA's", "-", "AMD", "AMD, Intel, Apple", "AMD, TPU"),
]
# Rows of run.py, which measures on 2^28 float32 unless the label says another number.
RUN = {
    "installed, MB": "installed package (MB)",
    "import, s": "import, over bare Python (s)",
    "`a + b` of 16 elements, us": "a + b",
    "`A + B`": "A + B",
    "`A.T + B`, 16384 x 16384": "A2.T + B2",
    "`A.sum()`": "A.sum()",
    "`cumsum(A)`": "cumsum(A)",
    "`A[A > 0.75]`": "A[A > 0.75], half of it",
    "`A[K] = B`, 2^26 random indices": "C[K] = G, n/4 random indices",
    "`sort(A)`, 2^26": "sort of n/4",
    "`A @ B`, 8192 x 8192": "float32 matmul, side / 2",
    "host to device, 1 GiB": "host -> device, pageable",
}
# Rows of programs.py, and how each library runs it there.
PLAIN = {"gpuarray": "auto", "cupy": "cupy", "torch": "torch"}
WHOLE = {"gpuarray": "fuse", "torch": "torch.compile", "jax": "jax.jit"}
PROGRAMS = [
    ("Black-Scholes, plain operators, 2^26", "Black-Scholes, 2^26", PLAIN),
    ("the same as one function", "Black-Scholes, 2^26", WHOLE),
    ("softmax, plain operators, 2^26", "softmax, 2^26", PLAIN),
    ("the same as one function", "softmax, 2^26", WHOLE),
]


def row(label: str, times: list[float | None]) -> list[str]:
    """Return the cells of a row; the least time, as far as digits are shown, is bold."""
    shown = ["-" if time is None else number(time) for time in times]
    least = min(float(text) for text in shown if text != "-")
    return [label, *(f"**{text}**" if text == number(least) else text for text in shown)]


def number(value: float) -> str:
    """Return three digits, or all before the point."""
    return f"{value:.0f}" if value >= 1000 else f"{value:#.3g}".rstrip(".")


def table(run: dict, programs: dict) -> str:
    rows = [["", *LIBRARIES.values()], ["---"] * (len(LIBRARIES) + 1), *map(list, FEATURES)]
    for label, name in RUN.items():
        found = [run["results"][library].get(name) for library in LIBRARIES]
        unit = "" if label.endswith((", MB", ", s", ", us")) else ", ms"
        rows.append(row(label + unit, [(time or {}).get("median") for time in found]))
    for label, name, ways in PROGRAMS:
        found = [programs["programs"][name].get(ways.get(library)) for library in LIBRARIES]
        rows.append(row(f"{label}, ms", [times[0] if times else None for times in found]))
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def fill_page(run: dict, programs: dict, page: str) -> str:
    """Return the page with the table in the part that is generated."""
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    versions = ", ".join(
        f"{LIBRARIES[name]} {version}" for name, version in run["versions"].items()
    )
    date = run["date"] if run["date"] == programs["date"] else f"{run['date']}, {programs['date']}"
    note = f"\n{run['card']}, float32; {versions}; {date}. The least is bold.\n"
    return f"{before}{BEGIN}{table(run, programs)}{note}{END}{after}"


def recorded(name: str) -> dict:
    return json.loads((ROOT / "benchmarks" / "results" / name).read_text())


if __name__ == "__main__":
    PAGE.write_text(fill_page(recorded("h200.json"), recorded("programs.json"), PAGE.read_text()))
