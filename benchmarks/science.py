# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Whole programs as scientists write them, for fusion.py: fields, particles and series.

Each takes a namespace and its arrays. None was tuned for gpuarray. The arrays have random elements
between 0.5 and 1.5, in shapes that are computed from a number of elements.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import programs as plain

Shapes = Callable[[int], list[tuple[int, ...]]]


@dataclass(frozen=True)
class Sized:
    function: Callable
    shapes: Shapes
    full: int  # elements of the largest size
    dtype: str = "float32"
    exact: bool = True  # whether two runs give the same bits


PROGRAMS: dict[str, Sized] = {}


def side(n: int) -> int:
    return max(8, math.isqrt(n))


def flat(count: int) -> Shapes:
    return lambda n: [(n,)] * count


def square(count: int) -> Shapes:
    return lambda n: [(side(n), side(n))] * count


def pairs(count: int) -> Shapes:
    """Vectors of which each element meets each other."""
    return lambda n: [(side(n),)] * count


def points(width: int, *others: tuple[int, ...]) -> Shapes:
    """A row of that width for each point, and smaller arrays."""
    return lambda n: [(max(64, n // width), width), *others]


def program(shapes: Shapes, full: int, exact: bool = True) -> Callable:
    def keep(function: Callable) -> Callable:
        PROGRAMS[function.__name__] = Sized(function, shapes, full, exact=exact)
        return function

    return keep


PROGRAMS |= {
    "single": Sized(plain.single, flat(2), 1 << 28),
    "chain": Sized(plain.chain, flat(2), 1 << 28),
    "black_scholes": Sized(plain.black_scholes, flat(3), 1 << 26),
    "adam": Sized(plain.adam, flat(4), 1 << 26),
    "mandelbrot": Sized(plain.mandelbrot, square(2), 1 << 24),
    "lorenz": Sized(plain.lorenz, flat(3), 1 << 22),
    "heat_in_place": Sized(plain.heat_in_place, square(1), 1 << 26),
    "heat_joined": Sized(plain.heat_joined, square(1), 1 << 26),
    "softmax": Sized(plain.softmax, square(1), 1 << 26),
    "layer_norm": Sized(
        plain.layer_norm, lambda n: [(side(n), side(n)), (side(n),), (side(n),)], 1 << 26
    ),
    "bodies": Sized(plain.bodies, pairs(4), 1 << 24),
    "life": Sized(plain.life, square(1), 1 << 26, "uint8"),
}


# Equations on grids.


def neighbours(xp: Any, a: Any) -> Any:
    return xp.roll(a, 1, 0) + xp.roll(a, -1, 0) + xp.roll(a, 1, 1) + xp.roll(a, -1, 1)


@program(square(2), 1 << 24)
def gray_scott(xp: Any, u: Any, v: Any) -> Any:
    for _ in range(10):
        reaction = u * v * v
        u_change = 0.16 * (neighbours(xp, u) - 4 * u) - reaction + 0.035 * (1 - u)
        v_change = 0.08 * (neighbours(xp, v) - 4 * v) + reaction - 0.1 * v
        u, v = u + 0.1 * u_change, v + 0.1 * v_change
    return u, v


@program(lambda n: [(9, side(n // 9), side(n // 9))], 9 << 20)
def lattice_boltzmann(xp: Any, f: Any) -> Any:
    directions = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    weights = [(4 / 9, 1 / 9, 1 / 36)[abs(x) + abs(y)] for x, y in directions]
    parts = [f[k] for k in range(9)]
    for _ in range(3):
        parts = [xp.roll(part, d, (0, 1)) for part, d in zip(parts, directions, strict=True)]
        density = sum(parts[1:], start=parts[0])
        speed_x = sum(x * part for part, (x, _) in zip(parts, directions, strict=True)) / density
        speed_y = sum(y * part for part, (_, y) in zip(parts, directions, strict=True)) / density
        square_speed = 1.5 * (speed_x**2 + speed_y**2)
        for k, (x, y) in enumerate(directions):
            along = 3 * (x * speed_x + y * speed_y)
            rest = weights[k] * density * (1 + along + 0.5 * along * along - square_speed)
            parts[k] = parts[k] + 0.7 * (rest - parts[k])
    return density, speed_x, speed_y


@program(square(1), 1 << 22)
def conjugate_gradient(xp: Any, b: Any) -> Any:
    x, r, p = xp.zeros_like(b), b.copy(), b.copy()
    squares = (r * r).sum()
    for _ in range(10):
        q = 4.1 * p
        q[1:] -= p[:-1]
        q[:-1] -= p[1:]
        q[:, 1:] -= p[:, :-1]
        q[:, :-1] -= p[:, 1:]
        step = squares / (p * q).sum()
        x += step * p
        r -= step * q
        before, squares = squares, (r * r).sum()
        p = r + squares / before * p
    return x


@program(square(2), 1 << 24)
def jacobi(xp: Any, u: Any, source: Any) -> Any:
    residuals = []
    for _ in range(5):
        inner = u[1:-1, 1:-1]
        new = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]) + source[1:-1, 1:-1]
        residuals.append(xp.abs(new - inner).max())
        u = u.copy()
        u[1:-1, 1:-1] = new
    return u, *residuals


@program(square(2), 1 << 24)
def waves(xp: Any, u: Any, before: Any) -> Any:
    for _ in range(6):
        lap = neighbours(xp, u) - 4 * u
        u, before = 2 * u - before + 0.2 * lap, u
        u[0] = u[-1] = 0
    return u


@program(square(3), 1 << 24)
def maxwell(xp: Any, ex: Any, ey: Any, hz: Any) -> Any:
    ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
    for _ in range(5):
        ex[:, 1:] += 0.5 * (hz[:, 1:] - hz[:, :-1])
        ey[1:] -= 0.5 * (hz[1:] - hz[:-1])
        hz[:-1, :-1] += 0.5 * (ex[:-1, 1:] - ex[:-1, :-1] - ey[1:, :-1] + ey[:-1, :-1])
    return hz


@program(square(3), 1 << 24)
def shallow_water(xp: Any, h: Any, u: Any, v: Any) -> Any:
    for _ in range(4):
        dx = 0.5 * (xp.roll(h, -1, 1) - xp.roll(h, 1, 1))
        dy = 0.5 * (xp.roll(h, -1, 0) - xp.roll(h, 1, 0))
        u, v = u - 0.01 * dx - 0.001 * u, v - 0.01 * dy - 0.001 * v
        flow_x, flow_y = h * u, h * v
        h = h - 0.005 * (xp.roll(flow_x, -1, 1) - xp.roll(flow_x, 1, 1))
        h = h - 0.005 * (xp.roll(flow_y, -1, 0) - xp.roll(flow_y, 1, 0))
    return h, u, v


@program(flat(1), 1 << 26)
def burgers(xp: Any, u: Any) -> Any:
    for _ in range(8):
        flux = 0.5 * u * u
        u = u - 0.1 * (flux - xp.roll(flux, 1)) + 0.01 * (xp.roll(u, -1) - 2 * u + xp.roll(u, 1))
    return u


@program(square(1), 1 << 24)
def ising(xp: Any, noise: Any) -> Any:
    spins = xp.where(noise > 1, 1, -1).astype("int8")
    i = xp.arange(noise.shape[0])
    black = (i[:, None] + i[None, :]) % 2 == 0
    for colour in (black, ~black, black, ~black):
        gain = 2 * spins * neighbours(xp, spins)
        accepted = colour & ((gain <= 0) | (noise < 0.5 + xp.exp(-0.6 * gain.astype("float32"))))
        spins = xp.where(accepted, -spins, spins)
    return spins


@program(square(1), 1 << 24)
def spectral_diffusion(xp: Any, u: Any) -> Any:
    k = xp.arange(u.shape[0]).astype("float32")
    k = xp.minimum(k, u.shape[0] - k)
    damping = xp.exp(-0.001 * (k[:, None] ** 2 + k[None, : u.shape[1] // 2 + 1] ** 2))
    for _ in range(2):
        u = xp.fft.irfft2(xp.fft.rfft2(u) * damping, u.shape).astype("float32")
        u = u + 0.01 * u * (1 - u)
    return u


# Pictures and fields.


@program(square(1), 1 << 26)
def hillshade(xp: Any, height: Any) -> Any:
    dx = height[1:-1, 2:] - height[1:-1, :-2] + 0.5 * (height[2:, 2:] - height[:-2, :-2])
    dy = height[2:, 1:-1] - height[:-2, 1:-1] + 0.5 * (height[2:, :-2] - height[:-2, 2:])
    slope = xp.arctan(xp.sqrt(dx * dx + dy * dy))
    aspect = xp.arctan2(-dx, dy)
    return 255 * xp.clip(0.7 * xp.cos(slope) + 0.7 * xp.sin(slope) * xp.cos(2.3 - aspect), 0, None)


@program(pairs(1), 1 << 26)
def gaussian_bump(xp: Any, x: Any) -> Any:
    across, down = xp.meshgrid(x, x)
    return xp.exp(-((across - 1) ** 2 + (down - 1) ** 2) / 0.08)


@program(pairs(1), 1 << 22)
def ray_marching(xp: Any, x: Any) -> Any:
    across, down = xp.meshgrid(2 * x - 2, 2 * x - 2)
    length = xp.sqrt(across * across + down * down + 1)
    across, down, depth = across / length, down / length, 1 / length
    t = xp.zeros_like(across)
    for _ in range(16):
        px, py, pz = t * across, t * down, t * depth - 3
        ball = xp.sqrt(px * px + py * py + pz * pz) - 1
        ground = py + 0.9 + 0.1 * xp.sin(3 * px) * xp.cos(3 * pz)
        distance = xp.minimum(ball, ground)
        t = xp.minimum(t + xp.where(distance > 0.001, 0.7 * distance, 0), 20)
    return xp.where(t < 20, 1 / (1 + t), 0)


@program(square(1), 1 << 24)
def edges(xp: Any, picture: Any) -> Any:
    p = xp.pad(picture, 1, mode="edge")
    across = p[:-2, 2:] + 2 * p[1:-1, 2:] + p[2:, 2:] - p[:-2, :-2] - 2 * p[1:-1, :-2] - p[2:, :-2]
    down = p[2:, :-2] + 2 * p[2:, 1:-1] + p[2:, 2:] - p[:-2, :-2] - 2 * p[:-2, 1:-1] - p[:-2, 2:]
    return xp.hypot(across, down) > 0.8


@program(square(1), 1 << 24)
def blur(xp: Any, picture: Any) -> Any:
    for _ in range(2):
        p = xp.pad(picture, ((2, 2), (0, 0)), mode="reflect")
        rows = 0.06 * (p[:-4] + p[4:]) + 0.24 * (p[1:-3] + p[3:-1]) + 0.4 * p[2:-2]
        p = xp.pad(rows, ((0, 0), (2, 2)), mode="reflect")
        picture = (
            0.06 * (p[:, :-4] + p[:, 4:]) + 0.24 * (p[:, 1:-3] + p[:, 3:-1]) + 0.4 * p[:, 2:-2]
        )
    return picture


@program(points(3), 3 << 22)
def hue(xp: Any, colours: Any) -> Any:
    red, green, blue = colours[:, 0], colours[:, 1], colours[:, 2]
    top, low = colours.max(1), colours.min(1)
    spread = top - low + 1e-6
    angle = xp.where(
        top == red,
        (green - blue) / spread % 6,
        xp.where(top == green, (blue - red) / spread + 2, (red - green) / spread + 4),
    )
    return xp.stack([angle / 6, spread / top, top], axis=1)


@program(square(1), 1 << 24)
def equalize(xp: Any, picture: Any) -> Any:
    levels = xp.clip((picture - 0.5) * 255, 0, 255).astype("int32")
    counts = xp.bincount(levels.ravel(), minlength=256)
    below = xp.cumsum(counts).astype("float32") / picture.size
    return xp.take(below, levels)


@program(flat(1), 1 << 26)
def threshold(xp: Any, x: Any) -> Any:
    x = x.copy()
    x[x > 1.25] = 0
    x[x < 0.75] *= 2
    return x


@program(flat(2), 1 << 24)
def julia(xp: Any, real: Any, imaginary: Any) -> Any:
    z = (real - 1 + 1j * (imaginary - 1)).astype("complex64")
    count = xp.zeros(real.shape, dtype="int32")
    for _ in range(10):
        z = xp.where(xp.abs(z) < 2, z * z + (-0.4 + 0.6j), z)
        count += xp.abs(z) < 2
    return count


# Particles, orbits and series.


@program(points(4), 1 << 20)
def narrow_rows(xp: Any, position: Any) -> Any:
    force, speed, place = 1 - position, position * 0, position.copy()
    for _ in range(5):
        speed[:, :3] += 1e-3 * force[:, :3]
        place[:, :3] += speed[:, :3] * 1e-2
    return place


@program(pairs(2), 1 << 24)
def lennard_jones(xp: Any, x: Any, y: Any) -> Any:
    dx, dy = x[:, None] - x, y[:, None] - y
    inverse = 1 / (dx * dx + dy * dy + 0.05)
    cube = inverse * inverse * inverse
    strength = 24 * inverse * cube * (2 * cube - 1)
    return (strength * dx).sum(1), (strength * dy).sum(1), (4 * cube * (cube - 1)).sum() / 2


@program(flat(2), 1 << 24)
def lotka_volterra(xp: Any, prey: Any, hunters: Any) -> Any:
    def slope(a: Any, b: Any) -> Any:
        return a * (1.1 - 0.4 * b), b * (0.1 * a - 0.4)

    for _ in range(8):
        first = slope(prey, hunters)
        middle = slope(prey + 0.005 * first[0], hunters + 0.005 * first[1])
        prey, hunters = prey + 0.01 * middle[0], hunters + 0.01 * middle[1]
    return prey, hunters


@program(flat(2), 1 << 26)
def kepler(xp: Any, mean: Any, eccentricity: Any) -> Any:
    e = eccentricity - 0.5
    angle = mean + e * xp.sin(mean)
    for _ in range(5):
        angle = angle - (angle - e * xp.sin(angle) - mean) / (1.01 - e * xp.cos(angle))
    return angle


@program(flat(4), 1 << 26)
def haversine(xp: Any, lat1: Any, lon1: Any, lat2: Any, lon2: Any) -> Any:
    a = xp.sin((lat2 - lat1) / 2) ** 2
    a = a + xp.cos(lat1) * xp.cos(lat2) * xp.sin((lon2 - lon1) / 2) ** 2
    return 12742 * xp.arcsin(xp.sqrt(a))


@program(points(64), 1 << 24)
def asian_option(xp: Any, noise: Any) -> Any:
    steps = 0.0001 + 0.02 * (noise - 1)
    paths = 100 * xp.exp(xp.cumsum(steps, axis=1))
    gain = xp.maximum(paths.mean(axis=1) - 100, 0)
    return gain.mean(), gain.std()


@program(points(32), 1 << 24)
def kalman(xp: Any, measured: Any) -> Any:
    state, variance = measured[:, 0], measured[:, 0] * 0 + 1
    for k in range(1, 16):
        variance = variance + 0.01
        gain = variance / (variance + 0.1)
        state = state + gain * (measured[:, k] - state)
        variance = (1 - gain) * variance
    return state, variance


@program(points(32), 1 << 24)
def thomas(xp: Any, right: Any) -> Any:
    upper, x = xp.empty_like(right), xp.empty_like(right)
    upper[:, 0], x[:, 0] = -0.25, right[:, 0] / 4
    for k in range(1, 16):
        pivot = 4 + upper[:, k - 1]
        upper[:, k] = -1 / pivot
        x[:, k] = (right[:, k] + x[:, k - 1]) / pivot
    for k in range(14, -1, -1):
        x[:, k] -= upper[:, k] * x[:, k + 1]
    return x[:, :16].copy()


@program(flat(1), 1 << 26)
def moving_average(xp: Any, x: Any) -> Any:
    total = xp.cumsum(x - 1)
    mean = (total[16:] - total[:-16]) / 16
    return x[16:] - 1 - mean
