# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Writes the results of run.py as a table, in text or Markdown, and as a chart."""

from pathlib import Path

from rows import DEVICE, HOST, OTHER, ROWS, UNITS, Row

OURS = "gpuarray"


def value(run: dict, row: Row, library: str) -> float | None:
    return run["results"].get(library, {}).get(row.name, {}).get("median")


def floor(run: dict, row: Row) -> float | None:
    """Return the least time that driver and memory allow, in the row's unit; None if unknown."""
    measured = run["floor"] or {}
    if row.group == HOST:
        return measured.get(row.name, measured.get("launch"))
    if not row.moved:
        return None
    way = {"in": "pinned to device", "out": "device to pinned", "": "on device, read and written"}
    bandwidth = measured.get(way[row.bus])
    return bandwidth and row.moved * run["size"] / bandwidth * 1e3


def best_peer(run: dict, row: Row) -> float | None:
    times = [value(run, row, library) for library in run["versions"] if library != OURS]
    return min((time for time in times if time is not None), default=None)


def reference(run: dict, row: Row) -> float | None:
    """Return the time that the row's target is a multiple of; None if there is none."""
    if row.target is None:
        return None
    of = row.target.of
    if of in ("launch", "bytes"):
        return floor(run, row)
    return {"peer": best_peer(run, row), "": 1.0}.get(of, value(run, row, of))


def verdict(run: dict, row: Row) -> tuple[float | None, bool | None]:
    """Return our time over the target's reference and whether the target is met, None if unknown.

    Targets of operations apply to a GPU and full size only.
    """
    ours, other = value(run, row, OURS), reference(run, row)
    if row.target is None or ours is None or not other:
        return None, None
    applies = row.group == OTHER or (run["device"] != "cpu" and not run["quick"])
    return ours / other, ours <= row.target.factor * other if applies else None


def number(time: float | None) -> str:
    if time is None:
        return "-"
    return f"{time:.0f}" if time >= 100 else f"{time:#.3g}"


def cell(run: dict, row: Row, library: str) -> str:
    found = run["results"].get(library, {}).get(row.name)
    return "failed" if found and "error" in found else number(value(run, row, library))


def measured_rows(run: dict, group: str) -> list[Row]:
    names = {name for results in run["results"].values() for name in results}
    return [row for row in ROWS if row.group == group and row.name in names]


def table(run: dict, group: str) -> list[list[str]]:
    """Return the rows of cells, the headings first."""
    libraries = list(run["versions"])
    unit = f" ({UNITS[group]})" if UNITS[group] else ""
    cells = [[group + unit, *libraries, "floor", "best peer / ours", "target", "ratio", "met"]]
    for row in measured_rows(run, group):
        ratio, met = verdict(run, row)
        ours, peer = value(run, row, OURS), best_peer(run, row)
        cells.append(
            [
                row.name,
                *(cell(run, row, library) for library in libraries),
                number(floor(run, row)),
                f"{peer / ours:.2f}" if peer and ours and group != OTHER else "-",
                str(row.target or ""),
                "-" if ratio is None or not row.target.of else f"{ratio:.2f}",
                {None: "", True: "yes", False: "no"}[met],
            ]
        )
    return cells


def tables(run: dict) -> list[list[list[str]]]:
    return [table(run, group) for group in (HOST, DEVICE, OTHER) if measured_rows(run, group)]


def heads(run: dict) -> list[str]:
    """Return the lines above the tables: what was measured, with what, and what is missing."""
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    lines = [
        f"{run['date']}: {run['card']}; {versions}; Python {run['python']}",
        f"{run['size']:,} elements (float32) in the second table; {run['device']}",
    ]
    if run["floor"]:
        times = {k: v for k, v in run["floor"].items() if v < 1e6}
        rates = {k: v for k, v in run["floor"].items() if v >= 1e6}
        lines.append("floor, us: " + ", ".join(f"{k} {number(v)}" for k, v in times.items()))
        lines.append("floor, GB/s: " + ", ".join(f"{k} {v / 1e9:.0f}" for k, v in rates.items()))
    lines += [f"{name} is absent: {reason}" for name, reason in run["absent"].items()]
    for library, results in run["results"].items():
        for name, found in results.items():
            if "error" in found:
                lines.append(f"{library}, {name}: {found['error']}")
    kernels = {
        name: found["kernels"]
        for name, found in run["results"].get("gpuarray", {}).items()
        if found.get("kernels")
    }
    if kernels:
        most = ", ".join(f"{name} {count}" for name, count in kernels.items() if count > 1)
        lines.append(
            f"kernels that gpuarray compiles at first use: {sum(kernels.values())}, in "
            f"{len(kernels)} rows; more than one: {most or 'none'}"
        )
    met = [verdict(run, row)[1] for row in ROWS]
    lines.append(f"targets met: {met.count(True)} of {met.count(True) + met.count(False)}")
    return lines


def text(run: dict) -> str:
    parts = ["\n".join(heads(run))]
    for cells in tables(run):
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        parts.append(
            "\n".join(
                row[0].ljust(widths[0] + 2)
                + "  ".join(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))
                for row in cells
            )
        )
    return "\n\n".join(parts) + "\n"


def markdown(run: dict) -> str:
    parts = ["\n".join(f"- {line}" for line in heads(run))]
    for head, *body in tables(run):
        lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
        # The code span keeps Markdown from interpreting operators.
        lines += [f"| `{row[0]}` | " + " | ".join(row[1:]) + " |" for row in body]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def chart(run: dict, path: Path) -> bool:
    """Write a chart of every library's time over ours, by rows; False without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "gpuarray"
    from matplotlib import pyplot

    groups = {
        group: [row for row in measured_rows(run, group) if value(run, row, OURS)]
        for group in (HOST, DEVICE)
    }
    counts = [max(1, len(rows)) for rows in groups.values()]
    figure, panels = pyplot.subplots(
        2, 1, figsize=(9, 2 + 0.24 * sum(counts)), height_ratios=counts, layout="constrained"
    )
    for panel, (group, rows) in zip(panels, groups.items(), strict=True):
        for library, marker in zip(run["versions"], "|osD^", strict=False):
            points = [
                (value(run, row, library) / value(run, row, OURS), place)
                for place, row in enumerate(rows)
                if value(run, row, library)
            ]
            size = 120 if library == OURS else 28
            times, places = zip(*points, strict=True) if points else ((), ())
            panel.scatter(times, places, marker=marker, s=size, label=library)
        panel.set_yticks(range(len(rows)), [row.name for row in rows], fontsize=8)
        panel.set_ylim(max(1, len(rows)) - 0.5, -0.5)
        panel.set_xscale("log")
        panel.axvline(1, color="black", linewidth=0.8)
        panel.grid(True, which="both", axis="x", alpha=0.3)
        panel.set_title(f"{group}: time over gpuarray's; right of 1 is slower", fontsize=10)
        panel.legend(fontsize=8)
    figure.suptitle(f"{run['card']}, {run['date']}", fontsize=9)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)
    return True
