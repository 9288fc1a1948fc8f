# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""One function for arrays on the CPU and on a GPU: the operators go where their operands are.

    python examples/by_device.py

Integrates the same pendulum on every device there is and compares the results.
"""

import sys

import numpy as np

import gpuarray


def swing(angle: gpuarray.GPUArray, steps: int = 200, dt: float = 0.01) -> gpuarray.GPUArray:
    """Return the angles of pendulums let go at `angle`, after `steps` of semi-implicit Euler."""
    speed = gpuarray.zeros_like(angle)
    for _ in range(steps):
        speed -= gpuarray.sin(angle) * (9.81 * dt)
        angle = angle + speed * dt
    return angle


def main() -> int:
    start = np.linspace(0.1, 3, 1000)
    results = {}
    for device in gpuarray.devices():
        results[device] = swing(gpuarray.to_device(start, device=device))
        print(f"{device}: {results[device].device}, first {results[device][0].item():.6f}")
    cpu, *others = results.values()
    for other in others:
        if not np.allclose(cpu.get(), other.get(), rtol=1e-9, atol=1e-9):
            print("results differ")
            return 1
        try:
            cpu + other
        except gpuarray.DeviceError as error:
            print(f"mixed: {error}")
        else:
            print("mixed devices were not refused")
            return 1
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ImportError, OSError, gpuarray.DeviceError) as error:
        sys.exit(f"by_device.py: {error}")
