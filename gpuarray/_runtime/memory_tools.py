# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Snapshots and profiles of memory: which lines hold it, and how much was in use when."""

from typing import Any, NamedTuple

from gpuarray import _core

__all__ = ["MemoryBlock", "MemoryProfile", "memory_profile", "memory_snapshot", "record_memory"]


class MemoryBlock(NamedTuple):
    """A block of memory in use: what memory_snapshot lists."""

    address: int
    size: int
    stream: int
    """The CUstream that it was allocated on; 0 for cpu."""
    site: str | None
    """The line of Python that allocated it, "file.py:12"; None if it was not recorded."""
    age: float | None
    """Seconds since; None if it was not recorded."""
    kind: str
    """'device', 'pinned', 'managed' or 'host'."""


def record_memory(on: bool = True) -> bool:
    """Record line and time of each allocation for memory_snapshot from now on, or stop recording.

    Returns whether it was on. Recording costs some microseconds an allocation; what was recorded is
    forgotten when it ends. GPUARRAY_RECORD_MEMORY=1 turns it on at import.
    """
    return _core._record_memory(on)


def memory_snapshot(device: Any = None) -> list[MemoryBlock]:
    """Return the blocks that arrays use on the device, the oldest first.

    `site` and `age` are those that record_memory() has recorded, and None for blocks that were
    allocated before, which are in order on each stream but not between streams. Views share the
    block of their base; blocks kept for reuse are not in use, and memory that was borrowed from
    others is not listed.
    """
    return [MemoryBlock(*row) for row in _core._memory_snapshot(_core.Device(device))]


class MemoryProfile:
    """Meter of a device's memory for a block of code; see memory_profile."""

    def __init__(self, device: Any = None) -> None:
        self.device = _core.Device(device)
        self._running: int | None = None
        self._report: tuple[int, int, int, list[tuple[float, int]]] = (0, 0, 0, [])

    def __enter__(self) -> "MemoryProfile":
        if self._running is not None:
            raise RuntimeError("memory_profile: it is running already")
        self._running = _core._start_profile(self.device)
        return self

    def __exit__(self, *error: Any) -> None:
        self._report = self._read()
        if self._running is not None:
            _core._end_profile(self._running)
        self._running = None

    def __del__(self) -> None:
        running = getattr(self, "_running", None)
        if running is not None:
            _core._end_profile(running)

    def _read(self) -> tuple[int, int, int, list[tuple[float, int]]]:
        return self._report if self._running is None else _core._read_profile(self._running)

    @property
    def peak_bytes(self) -> int:
        """Most bytes in use at a time, those in use at the start among them."""
        return self._read()[0]

    @property
    def allocated_bytes(self) -> int:
        """Bytes allocated in all, freed or not."""
        return self._read()[1]

    @property
    def allocations(self) -> int:
        """Blocks allocated."""
        return self._read()[2]

    @property
    def timeline(self) -> list[tuple[float, int]]:
        """Seconds since the start and bytes in use, at the start and after each change.

        Of more than 65536 points, the higher of each two neighbours is kept.
        """
        return self._read()[3]

    def plot(self, ax: Any = None) -> Any:
        """Draw the timeline with matplotlib, on `ax` or new axes; returns the axes."""
        if ax is None:
            try:
                import matplotlib.pyplot as plt
            except ImportError as error:
                raise ImportError(
                    "MemoryProfile.plot needs matplotlib: pip install matplotlib"
                ) from error
            ax = plt.subplots()[1]
        timeline = self.timeline
        ax.step(
            [time for time, _ in timeline], [used / 2**20 for _, used in timeline], where="post"
        )
        ax.set(xlabel="seconds", ylabel="MiB in use", title=f"Memory of {self.device}")
        return ax

    def _repr_html_(self) -> str:
        # The import is here because it brings in the html package.
        from gpuarray._runtime.memory_chart import html_chart

        peak, allocated, count, timeline = self._read()
        return html_chart(str(self.device), peak, allocated, count, timeline)

    def __repr__(self) -> str:
        peak, allocated, count, _ = self._read()
        return (
            f"<gpuarray.MemoryProfile {self.device}: peak {peak} bytes, "
            f"{count} allocations of {allocated} bytes>"
        )


def memory_profile(device: Any = None) -> MemoryProfile:
    """Return a meter of the memory that arrays of a device use, for a with block.

    ::

        with gpuarray.memory_profile() as p:
            ...
        p.peak_bytes, p.allocated_bytes, p.allocations, p.timeline

    All threads count. The device's own and its managed memory are metered, page-locked memory is
    not. In a notebook the profile shows its timeline; ``p.plot()`` draws it with matplotlib.
    """
    return MemoryProfile(device)
