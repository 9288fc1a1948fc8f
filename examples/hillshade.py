# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Shaded relief of an elevation model: slices, operators and elementwise functions of arrays.

    python hillshade.py [INPUT] -o OUT.png

INPUT is a .npy or .npz with elevations in metres, the northern row first; without one, the terrain
around the Jacksboro fault in Tennessee, which comes with matplotlib. The model is refined with
cubic splines, lit from several sides and tinted by height, a tile at a time. The functions take
the array module `xp`: the same lines run in gpuarray and, as a check, in NumPy.
"""

import argparse
import math
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias
from zipfile import BadZipFile

import numpy as np

import gpuarray

try:
    from matplotlib import cbook
    from matplotlib.image import imsave
except ImportError as error:
    sys.exit(f"hillshade.py: {error}")

Array: TypeAlias = Any  # a GPUArray where xp is gpuarray, an ndarray where it is NumPy
Tile: TypeAlias = tuple[slice, ...]  # rows and columns
Range: TypeAlias = tuple[float, float]  # lowest and highest, metres

METRES_PER_DEGREE = 111_320.0
TILE = 1024  # pixels
MARGIN = (2, 3)  # cells before and after a tile that splines and differences reach into
CHECKED_PIXELS = 6_000_000

SUN_ALTITUDE = math.radians(35)
MAIN_AZIMUTH = math.radians(315)  # clockwise from north
SUN_AZIMUTHS = [math.radians(degrees) for degrees in (225, 270, 315, 360)]  # Mark, 1992
EXAGGERATION = 1.8  # of heights, for the eye
SHADOW, SUNLIGHT = (0.18, 0.22, 0.40), (1.44, 1.38, 1.22)  # RGB that the tints are multiplied by
TINTS = [  # fraction of the height range, RGB
    (0.00, (0.42, 0.60, 0.55)),
    (0.10, (0.60, 0.73, 0.56)),
    (0.28, (0.86, 0.85, 0.64)),
    (0.48, (0.90, 0.77, 0.56)),
    (0.70, (0.80, 0.60, 0.47)),
    (1.00, (0.97, 0.95, 0.93)),
]


@dataclass
class Terrain:
    heights: np.ndarray  # metres, float32; rows from north to south
    dx: float  # metres between columns
    dy: float  # metres between rows


def read_terrain(path: Path | None, cell: float) -> Terrain:
    if path is None:
        return read_sample()
    try:
        data = np.load(path)
        arrays = [data] if isinstance(data, np.ndarray) else list(data.values())
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        sys.exit(f"{path}: {error}")
    for heights in arrays:
        if heights.ndim == 2 and heights.size and heights.dtype.kind in "iuf":
            if not np.isfinite(heights).all():
                sys.exit(f"{path}: every elevation must be a finite number")
            return Terrain(heights.astype(np.float32), cell, cell)
    sys.exit(f"{path}: there is no two-dimensional array of real numbers")


def read_sample() -> Terrain:
    model: Any = cbook.get_sample_data("jacksboro_fault_dem.npz")
    latitude = math.radians((model["ymin"] + model["ymax"]) / 2)
    return Terrain(
        model["elevation"].astype(np.float32),
        dx=float(model["dx"]) * METRES_PER_DEGREE * math.cos(latitude),
        dy=float(model["dy"]) * METRES_PER_DEGREE,
    )


def refine_rows(xp: ModuleType, z: Array, factor: int) -> Array:
    """`factor` rows for each one, on uniform cubic B-splines; 3 rows are used up."""
    fine = xp.empty((factor * (z.shape[0] - 3), z.shape[1]), z.dtype)
    for phase in range(factor):
        t = phase / factor
        before = (1 - t) ** 3 / 6
        here = (3 * t**3 - 6 * t**2 + 4) / 6
        after = (3 * (1 - t) ** 3 - 6 * (1 - t) ** 2 + 4) / 6
        beyond = t**3 / 6
        fine[phase::factor] = before * z[:-3] + here * z[1:-2] + after * z[2:-1] + beyond * z[3:]
    return fine


def slope_and_aspect(xp: ModuleType, z: Array, dx: float, dy: float) -> tuple[Array, Array]:
    """Steepness, and the azimuth that a slope faces (clockwise from north), both in radians."""
    eastward = (z[1:-1, 2:] - z[1:-1, :-2]) / (2 * dx)
    northward = (z[:-2, 1:-1] - z[2:, 1:-1]) / (2 * dy)
    slope = xp.arctan(xp.sqrt(eastward * eastward + northward * northward))
    return slope, xp.arctan2(-eastward, -northward)


def hillshade(xp: ModuleType, slope: Array, aspect: Array) -> Array:
    """Brightness, 0 to 1: half of it from the main sun, half from all, each grazing its slopes."""
    upward = math.sin(SUN_ALTITUDE) * xp.cos(slope)
    sideward = math.cos(SUN_ALTITUDE) * xp.sin(slope)
    light = xp.maximum(upward + sideward * xp.cos(aspect - MAIN_AZIMUTH), 0) / 2
    for azimuth in SUN_AZIMUTHS:
        turned = aspect - azimuth
        brightness = xp.maximum(upward + sideward * xp.cos(turned), 0)
        light += brightness * xp.sin(turned) ** 2 / len(SUN_AZIMUTHS)
    return light


def tint(xp: ModuleType, fraction: Array) -> Array:
    """RGB of heights given as fractions of their range, linear between the stops of TINTS."""
    colour = xp.asarray(TINTS[0][1], dtype="float32")
    for (low, below), (high, above) in pairwise(TINTS):
        share = xp.clip((fraction - low) / (high - low), 0, 1)
        colour = colour + share[..., None] * xp.asarray(np.subtract(above, below), dtype="float32")
    return colour


def render(xp: ModuleType, z: Array, terrain: Terrain, factor: int, span: Range) -> Array:
    """8-bit RGB of one tile, from its heights and those MARGIN cells around it."""
    low, high = span
    fine = refine_rows(xp, refine_rows(xp, z, factor).T, factor).T
    fine = fine[factor - 1 : fine.shape[0] - factor + 1, factor - 1 : fine.shape[1] - factor + 1]
    scale = EXAGGERATION * factor
    slope, aspect = slope_and_aspect(xp, fine, terrain.dx / scale, terrain.dy / scale)
    light = hillshade(xp, slope, aspect)[..., None]
    colour = tint(xp, (fine[1:-1, 1:-1] - low) / (high - low))
    shadow = xp.asarray(SHADOW, dtype="float32")
    sunlight = xp.asarray(SUNLIGHT, dtype="float32")
    lit = colour * (shadow * (1 - light) + sunlight * light)
    return (xp.clip(lit, 0, 1) * 255 + 0.5).astype("uint8")


def tiles(shape: tuple[int, ...], factor: int) -> list[Tile]:
    """Slices of the model's rows and columns, each about TILE pixels of the picture."""
    step = max(TILE // factor, 1)
    rows, columns = ([slice(i, min(i + step, n)) for i in range(0, n, step)] for n in shape)
    return [(row, column) for row in rows for column in columns]


def with_margin(index: Tile) -> Tile:
    return tuple(slice(part.start, part.stop + sum(MARGIN)) for part in index)


def in_picture(index: Tile, factor: int) -> Tile:
    return tuple(slice(part.start * factor, part.stop * factor) for part in index)


def progress(items: Sequence[Tile]) -> Iterator[Tile]:
    """The items; tells a terminal once a second how many are done."""
    last = time.perf_counter()
    for done, item in enumerate(items):
        if sys.stderr.isatty() and time.perf_counter() - last > 1:
            gpuarray.synchronize()
            last = time.perf_counter()
            print(f"  {done} of {len(items)} tiles", file=sys.stderr, flush=True)
        yield item


def draw(z: Array, terrain: Terrain, factor: int, span: Range) -> Array:
    """The whole picture on the default device, where the heights `z` with their MARGIN are."""
    rows, columns = terrain.heights.shape
    picture = gpuarray.empty((rows * factor, columns * factor, 3), "uint8")
    for index in progress(tiles(terrain.heights.shape, factor)):
        tile = render(gpuarray, z[with_margin(index)], terrain, factor, span)
        picture[in_picture(index, factor)] = tile
    return picture


def largest_difference(
    picture: np.ndarray, host_z: np.ndarray, terrain: Terrain, factor: int, span: Range
) -> tuple[int, int, float]:
    """Compare tiles with NumPy's: the largest difference in levels of 255, the pixels, seconds."""
    start = time.perf_counter()
    worst = pixels = 0
    chosen = tiles(terrain.heights.shape, factor)
    for index in chosen[:: math.ceil(len(chosen) * TILE**2 / CHECKED_PIXELS)]:
        expected = render(np, host_z[with_margin(index)], terrain, factor, span)
        found = picture[in_picture(index, factor)]
        worst = max(worst, int(np.abs(found.astype(int) - expected).max()))
        pixels += expected.shape[0] * expected.shape[1]
    return worst, pixels, time.perf_counter() - start


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Print the seconds until all work on the device is done."""
    start = time.perf_counter()
    yield
    gpuarray.synchronize()
    print(f"{what:<22}{time.perf_counter() - start:9.4f} s")


def make_picture(terrain: Terrain, factor: int) -> tuple[np.ndarray, int]:
    print(f"{'device':<22}{gpuarray.default_device()}, {gpuarray.default_device().name}")
    rows, columns = terrain.heights.shape
    print(f"{'model':<22}{columns} x {rows} cells of {terrain.dx:.1f} x {terrain.dy:.1f} m")
    print(f"{'picture':<22}{columns * factor} x {rows * factor} pixels")
    host_z = np.pad(terrain.heights, MARGIN, mode="reflect", reflect_type="odd")
    with timed("start the device"):
        gpuarray.zeros(1)
    with timed("total"):
        with timed("copy to the device"):
            z = gpuarray.to_device(host_z)
            low = float(z.min())
            span = low, max(float(z.max()), low + 1)
        with timed("compute"):
            picture = draw(z, terrain, factor, span)
        with timed("copy to the host"):
            result = picture.get()
    worst, pixels, seconds = largest_difference(result, host_z, terrain, factor, span)
    print(f"{'NumPy':<22}{seconds:9.4f} s for {pixels / 1e6:.1f} million pixels")
    print(f"{'largest difference':<22}{worst} of 255 levels")
    return result, worst


def positive(text: str) -> int:
    if int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a positive number, got {text}")
    return int(text)


def main() -> None:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("input", nargs="?", type=Path, help="elevations, .npy or .npz")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the picture, .png")
    parser.add_argument("--upsample", type=positive, default=4, help="pixels a cell and axis")
    parser.add_argument("--cell", type=float, default=30.0, help="metres a cell of INPUT")
    parser.add_argument("--device", help="cpu, cuda or cuda:N; else gpuarray's default")
    options = parser.parse_args()
    terrain = read_terrain(options.input, options.cell)
    with gpuarray.device(options.device):
        picture, difference = make_picture(terrain, options.upsample)
    imsave(options.output, picture)
    print(f"{'wrote':<22}{options.output}")
    if difference > 1:  # rounding to 8 bits may go either way
        sys.exit("the picture differs from NumPy's")


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, gpuarray.DeviceError, gpuarray.OutOfMemoryError) as error:
        sys.exit(f"hillshade.py: {error}")
