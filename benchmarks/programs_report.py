# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Writes the results of programs.py as tables, to the README and to docs/benchmarks.md."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "README.md", ROOT / "docs" / "benchmarks.md"
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
# What the README shows.
FIRST = [
    "chain, 2^28",
    "Black-Scholes, 2^26",
    "Black-Scholes, 1000",
    "Adam, 2^26",
    "softmax, 2^26",
    "layer norm, 2^26",
]


def cell(times: list[float] | None) -> str:
    """Return the milliseconds of a call, and the seconds of the first one."""
    return f"{times[0]:.3g} ({times[1] / 1e3:.2g} s)" if times else "-"


def table(run: dict, names: list[str], ways: list[str]) -> str:
    found = run["programs"]
    lines = [["ms a call (the first)", *(TITLES[way] for way in ways)]]
    lines.append(["---"] * len(lines[0]))
    for name in names:
        times = {way: found[name].get(way) for way in ways}
        best = min((t[0] for t in times.values() if t), default=0)
        cells = [cell(times[way]) for way in ways]
        marked = [
            f"**{text}**" if times[way] and times[way][0] == best else text
            for way, text in zip(ways, cells, strict=True)
        ]
        lines.append([name, *marked])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def fill_page(run: dict, page: str, is_first: bool) -> str:
    """Return the page with the results in the part that is generated from them."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    names = FIRST if is_first else [*run["programs"]]
    ways = [way for way in TITLES if not (is_first and way == "off")]
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    text = f"{run['date']}: {run['device']}; {versions}\n\n{table(run, names, ways)}"
    return f"{before}{BEGIN}{text}{END}{after}"


def write_docs(run: dict) -> None:
    for page in PAGES:
        page.write_text(fill_page(run, page.read_text(), page.name == "README.md"))
