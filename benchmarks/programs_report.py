# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Writes the results of programs.py as a table, to docs/benchmarks.md."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
BEGIN, END = "<!-- programs -->\n", "<!-- end of programs -->\n"
TITLES = {
    "off": "fusion off",
    "auto": "plain operators",
    "fuse": "`fuse`",
    "cupy": "CuPy",
    "torch": "PyTorch",
    "torch.compile": "torch.compile",
    "jax.jit": "jax.jit",
}


def kernels(times: list[float]) -> str:
    """Return ", " and the number of the kernels that were compiled at first use, if there are."""
    return f", {times[2]}" if times[2:] and times[2] else ""


def cell(times: list[float] | None) -> str:
    """Return the milliseconds of a call, and the seconds of the first one with its kernels."""
    return f"{times[0]:.3g} ({times[1] / 1e3:.2g} s{kernels(times)})" if times else "-"


def table(run: dict) -> str:
    lines = [["ms a call (the first)", *TITLES.values()]]
    lines.append(["---"] * len(lines[0]))
    for name, found in run["programs"].items():
        times = {way: found.get(way) for way in TITLES}
        best = min((t[0] for t in times.values() if t), default=0)
        cells = [cell(times[way]) for way in TITLES]
        marked = [
            f"**{text}**" if times[way] and times[way][0] == best else text
            for way, text in zip(TITLES, cells, strict=True)
        ]
        lines.append([name, *marked])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def fill_page(run: dict, page: str) -> str:
    """Return the page with the results in the part that is generated from them."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    text = f"{run['date']}: {run['device']}; {versions}\n\n{table(run)}"
    return f"{before}{BEGIN}{text}{END}{after}"


def write_docs(run: dict) -> None:
    PAGE.write_text(fill_page(run, PAGE.read_text()))
