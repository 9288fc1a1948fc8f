# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Times of calls, by the host's clock and by events on devices, and ranges for profilers."""

import contextlib
import functools
import importlib
import math
import operator
import time
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Any, NoReturn

import numpy as np

from gpuarray import _core
from gpuarray._core import Device, Event, current_stream

__all__ = ["BenchmarkResult", "benchmark", "time_range"]


class BenchmarkResult:
    """What `benchmark` measured, in seconds.

    ``name`` is that of the function, ``devices`` are the CUDA devices whose time was taken,
    ``cpu_times`` has the shape (repeats,) and ``gpu_times`` (devices, repeats); both are float64.
    """

    def __init__(
        self,
        name: str,
        cpu_times: np.ndarray[Any, Any],
        gpu_times: np.ndarray[Any, Any],
        devices: tuple[Device, ...],
    ) -> None:
        self.name = name
        self.cpu_times = cpu_times
        self.gpu_times = gpu_times
        self.devices = devices

    def to_str(self, show_gpu: bool = False) -> str:
        """Return one line: mean, standard deviation, least and most of the times in microseconds.

        The times of the host, and with `show_gpu` those of each device.
        """
        rows = [("CPU", self.cpu_times)]
        if show_gpu:
            labels = [f"GPU-{device.index}" for device in self.devices]
            rows += zip(labels, self.gpu_times, strict=True)
        return f"{self.name:<20}:" + "".join(f"    {name}: {_summary(t)}" for name, t in rows)

    def __str__(self) -> str:
        return self.to_str(show_gpu=True)

    def __repr__(self) -> str:
        return f"<gpuarray.profiler.BenchmarkResult {self}>"


def _summary(seconds: np.ndarray[Any, Any]) -> str:
    us = seconds * 1e6
    text = f"{us.mean():9.3f} us"
    if us.size > 1:
        text += f"  +/- {us.std():.3f} (min: {us.min():.3f} / max: {us.max():.3f}) us"
    return text


def benchmark(
    func: Callable[..., Any],
    args: tuple[Any, ...] = (),
    kwargs: Mapping[str, Any] = {},
    n_repeat: int = 10000,
    *,
    name: str | None = None,
    n_warmup: int = 10,
    max_duration: float = math.inf,
    devices: Iterable[Device | str | int] | None = None,
) -> BenchmarkResult:
    """Call ``func(*args, **kwargs)`` again and again, and return how long each call took.

    The first `n_warmup` calls are not counted, then at most `n_repeat` are, one at least, until
    they have taken `max_duration` seconds together. A call ends when Python has it back and all
    element-wise operations that waited in it have been queued, whether their results are used or
    not; the device's work is waited for between calls, outside the time of the host. The time of a
    device is between two events on its current stream, before and after the call.

    `devices` are those whose time is taken, as Devices, names or numbers of CUDA devices, by
    default the default device; the cpu device has the host's time alone. `name` stands in the
    report, by default that of the function. TypeError for arguments of wrong types, ValueError for
    counts and durations that are none, DeviceError for a device that does not exist.
    """
    _require_call(func, args, kwargs, name)
    repeats, warmups = _count("n_repeat", n_repeat, 1), _count("n_warmup", n_warmup, 0)
    if isinstance(max_duration, bool) or not isinstance(max_duration, int | float | np.number):
        _refuse("max_duration", "a number of seconds", max_duration)
    if not max_duration >= 0:
        raise ValueError(f"benchmark: max_duration must be 0 or more, got {max_duration}")
    clock = _Clock(functools.partial(func, *args, **kwargs), _devices_of(devices))
    for _ in range(warmups):
        clock.measure()
    cpu: list[float] = []
    gpu: list[list[float]] = []
    total = 0.0
    while len(cpu) < repeats and (not cpu or total < max_duration):
        began = time.perf_counter()
        host, device = clock.measure()
        cpu.append(host)
        gpu.append(device)
        total += time.perf_counter() - began
    if name is None:
        name = str(getattr(func, "__name__", type(func).__name__))
    gpu_times = np.array(gpu, "float64").reshape(len(cpu), len(clock.cuda)).T
    return BenchmarkResult(name, np.array(cpu, "float64"), gpu_times, clock.cuda)


class _Clock:
    """Measures a call by the host's clock and by events on CUDA devices."""

    def __init__(self, call: Callable[[], Any], devices: tuple[Device, ...]) -> None:
        self.call = call
        self.devices = devices
        self.cuda = tuple(device for device in devices if device.kind == "cuda")
        self.events = [(Event(device), Event(device)) for device in self.cuda]

    def measure(self) -> tuple[float, list[float]]:
        """Return the seconds on the host, and on each CUDA device."""
        for device in self.devices:
            device.synchronize()
        streams = [current_stream(device) for device in self.cuda]
        for (start, _), stream in zip(self.events, streams, strict=True):
            start.record(stream)
        began = time.perf_counter()
        # Operations that wait are left out if nothing has their result, so it is kept until then.
        result = self.call()
        _run_waiting()
        ended = time.perf_counter()
        for (_, end), stream in zip(self.events, streams, strict=True):
            end.record(stream)
        for device in self.devices:
            device.synchronize()
        del result
        return ended - began, [start.elapsed_time(end) / 1e3 for start, end in self.events]


def _run_waiting() -> None:
    """Queue the element-wise operations that wait for others; does not wait for the device."""
    _core._fusion_stats()


def _require_call(func: Any, args: Any, kwargs: Any, name: Any) -> None:
    if not callable(func):
        _refuse("func", "a callable", func)
    if not isinstance(args, tuple):
        _refuse("args", "a tuple", args)
    if not isinstance(kwargs, Mapping):
        _refuse("kwargs", "a dict", kwargs)
    if name is not None and not isinstance(name, str):
        _refuse("name", "a str or None", name)


def _refuse(name: str, expected: str, got: Any) -> NoReturn:
    raise TypeError(f"benchmark: {name} must be {expected}, got {type(got).__name__}")


def _count(name: str, value: Any, least: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        _refuse(name, "an int", value)
    if number < least:
        raise ValueError(f"benchmark: {name} must be {least} or more, got {number}")
    return number


def _devices_of(devices: Any) -> tuple[Device, ...]:
    if devices is None:
        return (_core.default_device(),)
    if isinstance(devices, str) or not isinstance(devices, Iterable):
        _refuse("devices", "several devices or None", devices)
    return tuple(
        Device(f"cuda:{device}" if isinstance(device, int | np.integer) else device)
        for device in devices
    )


_COLORS = {
    "black": 0xFF000000,
    "blue": 0xFF0000FF,
    "cyan": 0xFF00FFFF,
    "gray": 0xFF808080,
    "green": 0xFF008000,
    "magenta": 0xFFFF00FF,
    "orange": 0xFFFFA500,
    "purple": 0xFF800080,
    "red": 0xFFFF0000,
    "white": 0xFFFFFFFF,
    "yellow": 0xFFFFFF00,
}


class time_range(contextlib.ContextDecorator):  # noqa: N801, used as a function
    """A range with a name in the timeline of a profiler: ``with time_range("step", "green"):``.

    ``@time_range("step")`` makes each call of a function a range. `color` is a name, as "green", or
    an int 0xAARRGGBB. Element-wise operations that wait are queued before the range begins and
    before it ends, so that it has those of its own; the device is not waited for. Ranges are those
    of NVTX, by the package ``nvtx``; where it is not installed, nothing happens. TypeError for
    another message, ValueError for another color.
    """

    def __init__(self, message: str, color: str | int | None = None) -> None:
        if not isinstance(message, str):
            raise TypeError(f"time_range: message must be a str, got {type(message).__name__}")
        known = isinstance(color, int) and 0 <= color < 1 << 32
        if not known and color is not None and color not in _COLORS:
            names = ", ".join(_COLORS)
            raise ValueError(f"time_range: color must be 0xAARRGGBB or one of {names}; got {color}")
        self._message = message
        self._color = color if isinstance(color, int) else _COLORS[color or "blue"]

    def __enter__(self) -> None:
        """Begin the range on this thread."""
        if nvtx := _nvtx():
            _run_waiting()
            nvtx.push_range(self._message, self._color)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        """End it."""
        if nvtx := _nvtx():
            _run_waiting()
            nvtx.pop_range()


@functools.cache
def _nvtx() -> Any:
    """Return the module nvtx, or None."""
    try:
        return importlib.import_module("nvtx")
    except ImportError:
        return None
