# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Writes the results of scale.py as tables, in text or Markdown, and as a chart."""

import statistics

from report import number
from scale_rows import (
    ALL_REDUCE,
    BARE,
    BARE_PROGRAMS,
    BY_NAME,
    ROWS,
    SPILL,
    TARGET_BARE,
    TARGET_LARGE_REDUCE,
    TARGET_SMALL_REDUCE,
    TARGET_SPILL,
)

OURS = "gpuarray"
VERDICT = {None: "", True: "yes", False: "no"}


def find(run, row, library, workers, protocol=None):
    """Return the line of the result, None where there is none or it failed.

    A worker alone sends nothing, so that its time serves a protocol that has none of its own.
    """
    found = [
        line
        for line in reversed(run["results"])
        if (line["row"], line["library"], line["workers"]) == (row, library, workers)
        and "runs" in line
    ]
    same = [line for line in found if protocol in (None, line["protocol"])]
    return next(iter(same or (found if workers == 1 else [])), None)


def seconds(run, row, library, workers, protocol=None):
    line = find(run, row, library, workers, protocol)
    return statistics.median(line["runs"]) if line else None


def efficiency(run, row, library, workers, protocol):
    """Return the work a second of `workers` over that of as many single ones; None if unknown."""
    one, many = (find(run, row, library, n, protocol) for n in (1, workers))
    if one is None or many is None:
        return None
    rates = [line["work"] / statistics.median(line["runs"]) for line in (many, one)]
    return rates[0] / (workers * rates[1])


def percent(value):
    return "-" if value is None else f"{100 * value:.0f} %"


def ratio(of, to):
    return of / to if of and to else None


def progress(line):
    place = f"{line['row']}, {line['library']}, {line['workers']} x {line['protocol']}"
    if "runs" not in line:
        return f"{place}: {line['error']}"
    return f"{place}: {statistics.median(line['runs']) * 1e3:.4g} ms, {len(line['runs'])} runs"


def programs_table(run):
    """Return the rows of cells of the programs, the headings first."""
    many = [n for n in sorted(run["workers"]) if n > 1]
    head = ["program", "protocol", "library", *(f"T{n} (ms)" for n in sorted(run["workers"]))]
    head += [*(f"E{n}" for n in many), "target", "met", "T of cupy / ours"]
    cells = [head]
    for row in ROWS:
        for protocol in run["protocols"]:
            for library in run["libraries"]:
                cells += program_cells(run, row, library, protocol, many)
    return cells


def program_cells(run, row, library, protocol, many):
    counts = sorted(run["workers"])
    times = [seconds(run, row.name, library, n, protocol) for n in counts]
    if not any(times[1:] if many else times):
        return []
    shares = [efficiency(run, row.name, library, n, protocol) for n in many]
    target, met = row.targets.get(protocol), None
    if library == OURS and target and many and shares[-1] is not None and applies(run):
        met = shares[-1] >= target
    peers = [name for name in run["libraries"] if name != OURS]
    peer = seconds(run, row.name, peers[0], counts[-1], protocol) if peers else None
    against = ratio(peer, times[-1]) if library == OURS else None
    return [
        [
            row.name,
            protocol,
            library,
            *(number(time and time * 1e3) for time in times),
            *map(percent, shares),
            f">= {percent(target)}" if target and library == OURS else "",
            VERDICT[met],
            f"{against:.2f}" if against else "",
        ]
    ]


def applies(run):
    """Whether the targets mean anything: they are for GPUs and arrays of full size."""
    return run["device"] != "cpu" and run["scale"] >= 1


def others_table(run):
    """Return the rows of cells of what is compared otherwise than by efficiency."""
    cells = [["what", "ours", "reference", "ratio", "target", "met"]]
    for name in BARE_PROGRAMS:
        ours, loop = (seconds(run, row, OURS, 1) for row in (name, f"{BARE}, {name}"))
        what = f"Dask on one GPU, {name} (s; a bare loop)"
        cells.append(comparison(run, what, ours, loop, "<=", TARGET_BARE))
    rates = {}
    for library in run["libraries"]:
        line = find(run, SPILL, library, 1)
        rates[library] = line and line["work"] / statistics.median(line["runs"])
    peer = next((rate for name, rate in rates.items() if name != OURS), None)
    what = "sum of 2.5 x device_memory_limit (GiB/s; CuPy)"
    cells.append(comparison(run, what, rates.get(OURS), peer, ">=", TARGET_SPILL))
    most = max(run["workers"])
    times = {
        (size, kind): seconds(run, f"{ALL_REDUCE}, {size}", kind, most)
        for size in ("1 GiB", "8 B")
        for kind in ("gpuarray", "torch", "nccl4py")
    }
    ways = {("1 GiB", "torch"), ("1 GiB", "nccl4py"), ("8 B", "torch"), ("8 B", "nccl4py")}
    for size, kind in sorted(ways):
        ours, other = times[size, "gpuarray"], times[size, kind]
        rate = [
            size == "1 GiB" and t and bus_bandwidth(t, most, run["scale"]) for t in (ours, other)
        ]
        if size == "1 GiB":
            what = f"all_reduce of 1 GiB (GB/s of the bus; {kind})"
            cells.append(comparison(run, what, *rate, ">=", TARGET_LARGE_REDUCE))
        else:
            what = f"all_reduce of 8 B (s; {kind})"
            cells.append(comparison(run, what, ours, other, "<=", TARGET_SMALL_REDUCE))
    return cells


def bus_bandwidth(time, ranks, scale):
    return (1 << 30) * scale / time / 1e9 * 2 * (ranks - 1) / ranks


def comparison(run, what, ours, reference, sign, target):
    value, met = ratio(ours, reference), None
    if value is not None and applies(run):
        met = value <= target if sign == "<=" else value >= target
    texts = [f"{x:.3g}" if x else "-" for x in (ours, reference, value)]
    return [what, *texts, f"{sign} {target}", VERDICT[met]]


def heads(run):
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    lines = [f"{run['date']}: {run['card']}; {versions}; Python {run['python']}"]
    lines += [f"{row.name}: {row.text}" for row in ROWS]
    lines += [progress(line) for line in run["results"] if "error" in line]
    lines += run["failures"]
    few = {line["row"] for line in run["results"] if len(line.get("runs", ())) == 1}
    few = sorted(few & {*BY_NAME})
    if few:
        lines.append(f"measured once in some cluster, the first run: {', '.join(few)}")
    met = [row[column] for t in tables(run) for column in [t[0].index("met")] for row in t[1:]]
    lines.append(f"targets met: {met.count('yes')} of {met.count('yes') + met.count('no')}")
    return lines


def tables(run):
    return [programs_table(run), others_table(run)]


def text(run):
    parts = ["\n".join(heads(run))]
    for cells in tables(run):
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in cells]
        parts.append("\n".join(line.rstrip() for line in lines))
    return "\n\n".join(parts) + "\n"


def markdown(run):
    parts = ["\n".join(f"- {line}" for line in heads(run))]
    for head, *body in tables(run):
        lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
        parts.append("\n".join(lines + ["| " + " | ".join(row) + " |" for row in body]))
    return "\n\n".join(parts) + "\n"


def joined(runs):
    """Return the runs as one: later results of the same row, library and cluster count."""
    first, *others = runs
    for run in others:
        first["results"] += run["results"]
        first["failures"] += run["failures"]
        first["versions"] |= run["versions"]
        first["scale"] = min(first["scale"], run["scale"])
        for name in ("workers", "protocols", "libraries"):
            first[name] = list(dict.fromkeys([*first[name], *run[name]]))
    return first


def chart(run, path):
    """Write a chart of the efficiency by rows; False without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "gpuarray"
    from matplotlib import pyplot

    most = max(run["workers"])
    figure, panel = pyplot.subplots(figsize=(9, 1.5 + 0.45 * len(ROWS)), layout="constrained")
    markers = iter("os^Dv<>P")
    for library in run["libraries"]:
        for protocol in run["protocols"]:
            shares = [efficiency(run, row.name, library, most, protocol) for row in ROWS]
            points = [(100 * s, place) for place, s in enumerate(shares) if s is not None]
            values, places = zip(*points, strict=True) if points else ((), ())
            label = f"{library}, {protocol}"
            panel.scatter(values, places, marker=next(markers, "o"), s=40, label=label)
    for place, row in enumerate(ROWS):
        for target in {*row.targets.values()}:
            panel.plot([100 * target] * 2, [place - 0.35, place + 0.35], "k-", linewidth=1)
    panel.set_yticks(range(len(ROWS)), [row.name for row in ROWS], fontsize=8)
    panel.set_ylim(len(ROWS) - 0.5, -0.5)
    panel.set_xlim(left=0)
    panel.grid(True, axis="x", alpha=0.3)
    panel.set_title(f"Efficiency of {most} workers (%); lines are targets", fontsize=10)
    panel.legend(fontsize=8)
    figure.suptitle(f"{run['card']}, {run['date']}", fontsize=9)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)
    return True
