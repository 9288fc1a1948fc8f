# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Random operands of the cpu device's benchmark, made from short expressions.

In the expressions T is the dtype of the row, `n` the number of elements, `rows` and `cols` are the
sides of a matrix of so many and `side` that of a square one.
"""

import importlib.util
import math
import zlib
from pathlib import Path

import numpy as np

SIZES = (16, 10**5, 10**7)
REPEATED = 1 << 20  # random elements, which larger operands repeat
KEPT_BYTES = 10**9  # Operands beyond so many are dropped, the oldest first.

OPERANDS = {
    **dict.fromkeys("abcd", "u(T)"),
    **dict.fromkeys("ABC", "u(T).reshape(rows, cols)"),
    **dict.fromkeys("PQ", "u(T, count=side * side).reshape(side, side)"),
    "T3": "u(T).reshape(box)",
    "r": "u(T, count=cols)",
    "v": "u(T, count=rows).reshape(rows, 1)",
    "q": "u(T, count=side)",
    "p": "u(T, -1, 1, count=8)",  # coefficients of a polynomial, or a filter
    "w": "u('float64', 0.1, 1)",  # weights
    "x": "u(T, 0.05, 0.95)",
    "s": "np.sort(u(T))",
    "edges": "np.linspace(-10, 10, 65)",
    "f": "u('float64', count=65)",
    "few": "u('int32', 0, 63)",  # numbers with many repetitions
    "m": "u('bool')",
    "g": "~u('bool')",
    "h": "u('bool')",
    "M": "u('bool').reshape(rows, cols)",
    "i": "u('int32', 0, 3)",
    "k": "indices(n, n)",
    "j": "indices(max(n // 4, 1), n)",
    "t": "u(T, count=max(n // 4, 1))",
    "down": "indices(rows, rows)",
    "along": "indices(cols, cols)",
    "K0": "indices(n, rows).reshape(rows, cols)",
    "K1": "indices(n, cols).reshape(rows, cols)",
    "V3": "u(T, count=3 * (n // 3)).reshape(-1, 3)",
    "W3": "u(T, count=3 * (n // 3)).reshape(-1, 3)",
    "S64": "u(T, count=n // 16 * 16).reshape(-1, 4, 4)",
    **{
        f"D{side}": f"u(T, count=256 * {side**2}).reshape(-1, {side}, {side})"
        for side in (4, 8, 16)
    },
    **{f"e{power}": f"u(T, count=10**{power})" for power in (3, 6)},
    "numbers": "u('float64').tolist()",
    "points": "u('float64', count=2 * (n // 2)).reshape(-1, 2)",
    "hillshade": "hillshade()",
    "z": "u('float32', 100, 900, count=(side // 4 + 5) ** 2).reshape(side // 4 + 5, -1)",
    **dict.fromkeys(["n", "rows", "cols", "side"]),
}
OPERANDS |= {name: name for name in ("n", "rows", "cols", "side", "np")}

# The matrix and the box of so many elements.
SHAPES = {
    16: ((4, 4), (2, 4, 2)),
    10**5: ((250, 400), (50, 40, 50)),
    10**6: ((1000, 1000), (100, 100, 100)),
    10**7: ((2500, 4000), (200, 250, 200)),
}
EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "hillshade.py"


def hillshade():
    """Return a function of the library and the heights that renders a tile of the example."""
    spec = importlib.util.spec_from_file_location("hillshade", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except SystemExit as error:
        raise ImportError(str(error)) from None
    terrain = module.Terrain(np.empty((0, 0)), 90.0, 90.0)
    return lambda xp, heights: module.render(xp, heights, terrain, 4, (100.0, 900.0))


class Operands:
    """Makes the operands of `n` elements, once for each expression, for NumPy and a device."""

    def __init__(self, n: int, to_device):
        self.to_device = to_device
        self.made: dict = {}
        self.nbytes = 0
        (rows, cols), box = SHAPES[n]
        self.scope = {"n": n, "rows": rows, "cols": cols, "box": box, "side": math.isqrt(n)}
        self.scope |= {"np": np, "hillshade": hillshade}
        self.scope |= {name: getattr(self, name) for name in ("u", "one", "none", "indices")}

    def __call__(self, key: str, text: str):
        """Return NumPy's operand and the device's; those of two names are never the same."""
        found = self.made.pop((key, text), None)
        if found is None:
            self.rng = np.random.default_rng(zlib.crc32(f"{key} {text}".encode()))
            made = eval(text, self.scope)
            if isinstance(made, np.ndarray):
                found = made, self.to_device(made)
                self.nbytes += made.nbytes
            else:
                found = made, made
        self.made[key, text] = found
        return found

    def drop(self) -> None:
        """Drop the operands that were used longest ago, beyond KEPT_BYTES."""
        while self.nbytes > KEPT_BYTES:
            oldest = next(iter(self.made))
            self.nbytes -= getattr(self.made.pop(oldest)[0], "nbytes", 0)

    def u(self, dtype, low=None, high=None, count=None):
        """Return random elements of the interval; without one, of both signs and none of them 0."""
        count = self.scope["n"] if count is None else count
        random = min(count, REPEATED)
        kind = np.dtype(dtype).kind
        if kind == "b":
            values = self.rng.random(random) < 0.5
        elif kind in "iu":
            values = self.integers(random, kind, low, high)
        else:
            low, high = (-10, 10) if low is None else (low, high)
            values = self.rng.uniform(low, high, random)
            if kind == "c":
                values = values + 1j * self.rng.uniform(low, high, random)
        values = values.astype(dtype)
        return np.tile(values, -(-count // random))[:count] if random < count else values

    def integers(self, count, kind, low, high):
        if low is not None:
            low = 0 if kind == "u" else math.ceil(low)
            return self.rng.integers(low, max(math.floor(high), low), count, endpoint=True)
        values = self.rng.integers(1, 100, count)
        return values if kind == "u" else values * self.rng.choice([-1, 1], count)

    def one(self, dtype):
        """Return 1 and, for signed numbers, -1 at random, whose products stay finite."""
        if np.dtype(dtype).kind in "bu":
            return self.u(dtype, 1, 1)
        return np.sign(self.u(dtype).real).astype(dtype)

    def none(self, dtype):
        """Return zeros of memory that has been written."""
        return np.full(self.scope["n"], 0, dtype)

    def indices(self, count, below):
        return self.u("int64", 0, below - 1, count)
