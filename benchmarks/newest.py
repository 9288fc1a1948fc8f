# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Adds ten programs that were written when the engine was done, and that nobody tuned it for."""

from typing import Any

from learning import PROGRAMS
from science import flat, points, program, side, square

__all__ = ["PROGRAMS"]


@program(square(1), 1 << 24)
def anisotropic_diffusion(xp: Any, picture: Any) -> Any:
    """Perona and Malik's smoothing, which stops at edges."""
    for _ in range(4):
        change = 0
        for shift, axis in ((1, 0), (-1, 0), (1, 1), (-1, 1)):
            slope = xp.roll(picture, shift, axis) - picture
            change = change + slope * xp.exp(-((slope / 0.3) ** 2))
        picture = picture + 0.2 * change
    return picture


@program(flat(2), 1 << 24)
def implied_volatility(xp: Any, price: Any, strike: Any) -> Any:
    """Newton's steps to the volatility of an option, with the logistic normal distribution."""
    distance = xp.log((1 + price) / (1 + strike))
    volatility = xp.full_like(price, 0.5)
    for _ in range(5):
        d = distance / volatility + 0.5 * volatility
        likely = 1 / (1 + xp.exp(-1.702 * d))
        value = likely - (1 / (1 + xp.exp(-1.702 * (d - volatility))))
        slope = 1.702 * likely * (1 - likely)
        step = (value - 0.2 * price) / xp.maximum(slope, 0.05)
        volatility = xp.clip(volatility - step, 0.05, 3)
    return volatility


@program(lambda n: [(side(n), side(n)), (side(n), side(n)), (side(n),)], 1 << 25)
def gated_norm(xp: Any, x: Any, gate: Any, weight: Any) -> Any:
    """Normalises rows by their root mean square, and passes them through a gate."""
    scale = 1 / xp.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6)
    return x * scale * weight * (gate / (1 + xp.exp(-gate)))


@program(points(64), 1 << 24)
def cross_entropy(xp: Any, logits: Any) -> Any:
    top = logits.max(axis=1, keepdims=True)
    total = xp.log(xp.exp(logits - top).sum(axis=1)) + top[:, 0]
    labels = xp.arange(len(logits)) % logits.shape[1]
    mine = xp.where(labels[:, None] == xp.arange(logits.shape[1]), logits, 0).sum(axis=1)
    return (total - mine).mean(), xp.exp(logits - total[:, None])


@program(square(2), 1 << 24)
def epidemic(xp: Any, ill: Any, well: Any) -> Any:
    """Infections that spread to neighbours, on a field with closed borders."""
    for _ in range(4):
        p = xp.pad(ill, 1, mode="edge")
        around = p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]
        caught = 0.1 * well * (ill + 0.25 * around)
        ill, well = ill + caught - 0.05 * ill, well - caught
    return ill, well


@program(lambda n: [(3, side(n // 3), side(n // 3))], 3 << 22)
def tone_mapping(xp: Any, picture: Any) -> Any:
    """Reinhard's mapping of bright pictures."""
    red, green, blue = picture * 40
    light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    key = 0.18 / xp.exp(xp.log(light + 1e-4).mean())
    scaled = key * light
    mapped = scaled * (1 + scaled / 16) / (1 + scaled)
    return xp.clip(xp.stack([red, green, blue]) * (mapped / (light + 1e-4)), 0, 1) ** (1 / 2.2)


@program(square(1), 1 << 22)
def bilateral(xp: Any, picture: Any) -> Any:
    total, weights = 0, 0
    for y in (-1, 0, 1):
        for x in (-1, 0, 1):
            other = xp.roll(picture, (y, x), (0, 1))
            weight = xp.exp(-(y * y + x * x) / 2 - ((other - picture) / 0.1) ** 2)
            total, weights = total + weight * other, weights + weight
    return total / weights


@program(flat(2), 1 << 22)
def pendulums(xp: Any, angle: Any, speed: Any) -> Any:
    """Damped pendulums, by the method of Runge and Kutta."""

    def slopes(a: Any, s: Any) -> Any:
        return s, -xp.sin(a) - 0.1 * s

    h = 0.05
    for _ in range(4):
        a1, s1 = slopes(angle, speed)
        a2, s2 = slopes(angle + h / 2 * a1, speed + h / 2 * s1)
        a3, s3 = slopes(angle + h / 2 * a2, speed + h / 2 * s2)
        a4, s4 = slopes(angle + h * a3, speed + h * s3)
        angle = angle + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        speed = speed + h / 6 * (s1 + 2 * s2 + 2 * s3 + s4)
    return angle, speed


@program(points(128), 1 << 21, exact=False)
def cosine_similarity(xp: Any, x: Any) -> Any:
    x = x - x.mean(axis=1, keepdims=True)
    x = x / xp.sqrt((x * x).sum(axis=1, keepdims=True))
    alike = x[:512] @ x.T
    return alike.max(axis=1), (alike > 0.5).sum(axis=1)


@program(square(2), 1 << 22)
def wave_function(xp: Any, real: Any, potential: Any) -> Any:
    """Schroedinger's equation in complex numbers, on a periodic grid."""
    wave = real * xp.exp(1j * potential)
    for _ in range(4):
        spread = -4 * wave
        for shift, axis in ((1, 0), (-1, 0), (1, 1), (-1, 1)):
            spread = spread + xp.roll(wave, shift, axis)
        wave = wave + 0.05j * (spread - potential * wave)
    return (wave * wave.conj()).real, xp.abs(wave).sum()
