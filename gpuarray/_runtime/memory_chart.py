# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""An HTML page that shows the timeline of a memory profile as one SVG chart."""

import html

WIDTH, HEIGHT = 640, 160  # pixels of the curve, without the labels around it
LEFT, TOP, BOTTOM = 70, 10, 24
MOST_POINTS = 2000


def bytes_text(number: float) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if number < 1024:
            return f"{number:.0f} {unit}" if unit == "bytes" else f"{number:.1f} {unit}"
        number /= 1024
    return f"{number:.1f} TiB"


def thinned(timeline: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """Return few enough points to draw: the highest of each group of neighbours, and the last."""
    group = -(-len(timeline) // MOST_POINTS)
    if group <= 1:
        return timeline
    groups = [timeline[i : i + group] for i in range(0, len(timeline), group)]
    return [max(points, key=lambda point: point[1]) for points in groups] + timeline[-1:]


def curve(timeline: list[tuple[float, int]], peak: int) -> str:
    """Return the step curve of the timeline as an SVG path."""
    span = max(timeline[-1][0], 1e-9)
    parts: list[str] = []
    for time, used in timeline:
        x = LEFT + WIDTH * time / span
        y = TOP + HEIGHT * (1 - used / max(peak, 1))
        parts.append(f"M{x:.1f} {y:.1f}" if not parts else f"H{x:.1f}V{y:.1f}")
    return "".join(parts) + f"H{LEFT + WIDTH}"


def label(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{html.escape(text)}</text>'


def html_chart(
    device: str, peak: int, allocated: int, count: int, timeline: list[tuple[float, int]]
) -> str:
    title = (
        f"Memory of {device}: peak {bytes_text(peak)}, "
        f"{count} allocations of {bytes_text(allocated)}"
    )
    caption = f"<p>{html.escape(title)}</p>"
    if not timeline:
        return caption
    foot = TOP + HEIGHT
    parts = [
        f'<svg viewBox="0 0 {LEFT + WIDTH + 10} {foot + BOTTOM}" width="{LEFT + WIDTH + 10}" '
        'font-family="sans-serif" font-size="11" fill="currentColor">',
        f'<path d="M{LEFT} {TOP}V{foot}H{LEFT + WIDTH}" fill="none" stroke="currentColor"/>',
        f'<path d="{curve(thinned(timeline), peak)}" fill="none" stroke="#2a78b8" '
        'stroke-width="1.5"/>',
        label(LEFT - 6, TOP + 9, bytes_text(peak), "end"),
        label(LEFT - 6, foot, "0", "end"),
        label(LEFT, foot + 16, "0 s", "start"),
        label(LEFT + WIDTH, foot + 16, f"{timeline[-1][0]:.3g} s", "end"),
        "</svg>",
    ]
    return caption + "".join(parts)
