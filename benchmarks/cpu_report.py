# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Writes the results of cpu.py: text with the slowest rows first, Markdown, JSON and a chart."""

import json
import statistics
from pathlib import Path

from cpu_reasons import BOUNDS, SPREAD, limit, reason_of
from cpu_rows import ROWS

HEADINGS = {16: "16", 10**5: "10^5", 10**7: "10^7"}
GROUPS = list(dict.fromkeys(row.group for row in ROWS))


def ratio(result: dict) -> float:
    return result["ours"] / result["numpy"]


def dump(record: dict) -> str:
    """Return the record as JSON with a line for each row."""
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in record.items()][:-1]
    tables = []
    for cores, results in record["results"].items():
        rows = (f"   {json.dumps(name)}: {json.dumps(sizes)}" for name, sizes in results.items())
        tables.append(f"  {json.dumps(cores)}: {{\n" + ",\n".join(rows) + "\n  }")
    lines.append(' "results": {\n' + ",\n".join(tables) + "\n }")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def measured(record: dict, size: int) -> dict[str, dict[str, dict]]:
    """Return the results for this size by row and cores, without those that failed."""
    found: dict[str, dict[str, dict]] = {}
    for cores, results in record["results"].items():
        for name, sizes in results.items():
            result = sizes.get(str(size))
            if result and "error" not in result:
                found.setdefault(name, {})[cores] = result
    return found


def errors(record: dict) -> list[str]:
    return [
        f"{name}, {int(size):,} elements, {cores}: {result['error']}"
        for cores, results in record["results"].items()
        for name, sizes in results.items()
        for size, result in sizes.items()
        if "error" in result
    ]


def worst(by_cores: dict[str, dict]) -> float:
    return max(map(ratio, by_cores.values()))


def slower(record: dict, size: int) -> list[str]:
    """Return the rows above the bound of this size that have no reason, the slowest first."""
    found, bound = measured(record, size), SPREAD * BOUNDS[size]
    names = [name for name in found if worst(found[name]) > limit(name, size, bound)]
    return sorted(names, key=lambda name: -worst(found[name]))


def head(record: dict) -> str:
    return (
        f"{record['date']}: {record['processor']}, {record['cores']} cores; "
        f"gpuarray {record['gpuarray']}, NumPy {record['numpy']}, Python {record['python']}"
    )


def time_of(microseconds: float) -> str:
    return f"{microseconds:.0f}" if microseconds >= 100 else f"{microseconds:.3g}"


def text(record: dict, worst_rows: int | None = None) -> str:
    """Return tables of the rows by size, the slowest first; `worst_rows` limits each table."""
    parts = [head(record)]
    cores = list(record["results"])
    for size in record["sizes"]:
        found = measured(record, size)
        names = sorted(found, key=lambda name: -worst(found[name]))
        above = sum(worst(found[name]) > BOUNDS[size] for name in names)
        lines = [f"{size:,} elements: {above} of {len(names)} rows above {BOUNDS[size]}"]
        lines.append("".join(f"{one:>10}" for one in cores) + f"{'us':>10}{'NumPy':>10}  row")
        for name in names[:worst_rows]:
            ratios = [
                f"{ratio(found[name][one]):10.2f}" if one in found[name] else f"{'-':>10}"
                for one in cores
            ]
            first = next(iter(found[name].values()))
            times = f"{time_of(first['ours']):>10}{time_of(first['numpy']):>10}"
            fewer = f"  ({first['elements']:,})" if "elements" in first else ""
            lines.append("".join(ratios) + times + f"  {name}{fewer}")
        if names[worst_rows or len(names) :]:
            lines.append(f"and {len(names) - worst_rows} more, in cpu.txt")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def cell(by_cores: dict[str, dict] | None, cores: str) -> str:
    if not by_cores or cores not in by_cores:
        return "-"
    return f"{ratio(by_cores[cores]):.2f}"


def summary(record: dict) -> list[str]:
    """Return the lines of a table of groups: rows, medians and the rows above the bounds."""
    cores = list(record["results"])
    lines = [
        "| functions | rows | "
        + " | ".join(f"{HEADINGS[size]}, {one}" for size in record["sizes"] for one in cores)
        + " |"
    ]
    lines.append("|---|---" + "|---" * (len(record["sizes"]) * len(cores)) + "|")
    for group in [*GROUPS, "all"]:
        names = {row.name for row in ROWS if group in ("all", row.group)}
        cells = []
        for size in record["sizes"]:
            found = measured(record, size)
            for one in cores:
                ratios = [ratio(r[one]) for name, r in found.items() if name in names and one in r]
                slow = sum(value > BOUNDS[size] for value in ratios)
                cells.append(
                    f"{statistics.median(ratios):.2f}, {slow} of {len(ratios)}" if ratios else "-"
                )
        lines.append(f"| {group} | {len(names)} | " + " | ".join(cells) + " |")
    return lines


def reasons(record: dict) -> list[str]:
    """Return the lines that say which rows are above the bounds, and why."""
    lines = []
    for size in record["sizes"]:
        found = measured(record, size)
        told: dict[str, list[str]] = {}
        for name in found:
            is_slow = worst(found[name]) > SPREAD * BOUNDS[size]
            if is_slow and (reason := reason_of(name, size)):
                told.setdefault(reason.text, []).append(f"`{name}` {worst(found[name]):.2f}")
        for reason_text, names in told.items():
            lines.append(f"- {size:,} elements: {reason_text} {', '.join(names)}.")
        names = [f"`{name}` {worst(found[name]):.2f}" for name in slower(record, size)]
        if names:
            lines.append(f"- {size:,} elements, not yet within {BOUNDS[size]}: {', '.join(names)}.")
    return lines


def full_table(record: dict, group: str) -> list[str]:
    """Return the lines of a folded table of the rows of a group."""
    cores = list(record["results"])
    found = {size: measured(record, size) for size in record["sizes"]}
    titles = [f"{HEADINGS[size]}, {one}" for size in record["sizes"] for one in cores]
    lines = [f"<details><summary>{group}</summary>", "", "| row | " + " | ".join(titles) + " |"]
    lines.append("|---" * (1 + len(titles)) + "|")
    for row in ROWS:
        if row.group != group or not any(row.name in rows for rows in found.values()):
            continue
        cells = [cell(found[size].get(row.name), one) for size in found for one in cores]
        fewer = any("elements" in r for r in found[record["sizes"][-1]].get(row.name, {}).values())
        name = row.name.replace("|", "\\|")
        lines.append(f"| `{name}`{' *' if fewer else ''} | " + " | ".join(cells) + " |")
    return [*lines, "", "</details>"]


def markdown(record: dict) -> str:
    parts = ["- " + head(record), "\n".join(summary(record))]
    if lines := reasons(record):
        parts.append("\n".join(lines))
    parts += ["\n".join(full_table(record, group)) for group in GROUPS]
    return "\n\n".join(parts) + "\n"


def draw_groups(panel, record: dict, size: int) -> None:
    """Draw the median, 5 to 95 % and the range of each group's ratios, a colour for the cores."""
    found = measured(record, size)
    for offset, cores in enumerate(record["results"]):
        for place, group in enumerate(GROUPS):
            names = [
                row.name for row in ROWS if row.group == group and cores in found.get(row.name, {})
            ]
            ratios = [ratio(found[name][cores]) for name in names]
            if not ratios:
                continue
            low, *_, high = statistics.quantiles([*ratios, *ratios], n=20, method="inclusive")
            height, colour = place + 0.3 * offset - 0.15, f"C{offset}"
            panel.plot([min(ratios), max(ratios)], [height] * 2, color=colour, linewidth=0.8)
            panel.plot([low, high], [height] * 2, color=colour, linewidth=4, alpha=0.5)
            label = cores if place == 0 else None
            middle = statistics.median(ratios)
            panel.plot([middle], [height], "o", color=colour, markersize=4, label=label)


def chart(record: dict, path: Path) -> bool:
    """Write a chart of the ratios by group and size; False without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "gpuarray"
    from matplotlib import pyplot

    sizes = record["sizes"]
    figure, panels = pyplot.subplots(
        1,
        len(sizes),
        figsize=(3.2 * len(sizes) + 1, 5),
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for panel, size in zip(panels[0], sizes, strict=True):
        draw_groups(panel, record, size)
        panel.axvline(BOUNDS[size], color="black", linewidth=0.8)
        panel.set_xscale("log")
        panel.grid(True, which="both", axis="x", alpha=0.3)
        panel.set_title(f"{HEADINGS[size]} elements", fontsize=10)
        panel.set_yticks(range(len(GROUPS)), GROUPS, fontsize=8)
    panels[0][0].invert_yaxis()
    panels[0][0].legend(fontsize=8)
    figure.suptitle(
        "gpuarray's time over NumPy's: median, 5 to 95 % and all rows; the line is the aim\n"
        f"{record['processor']}, {record['date']}",
        fontsize=9,
    )
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)
    return True
