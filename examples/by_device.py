# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""One function for arrays on the CPU and on a GPU: the operators go where their operands are.

    python examples/by_device.py

Integrates the same pendulums on every device there is and compares the results.
"""

import numpy as np

import gpuarray


def swing(angle: gpuarray.GPUArray, steps: int = 200, dt: float = 0.01) -> gpuarray.GPUArray:
    """Return the angles of pendulums let go at `angle`, after `steps` of semi-implicit Euler."""
    speed = gpuarray.zeros_like(angle)
    for _ in range(steps):
        speed -= gpuarray.sin(angle) * (9.81 * dt)
        angle = angle + speed * dt
    return angle


start = np.linspace(0.1, 3, 1000)
on_cpu = swing(gpuarray.to_device(start, device="cpu"))
for device in gpuarray.devices():
    result = swing(gpuarray.to_device(start, device=device))
    right = np.allclose(result.get(), on_cpu.get(), rtol=1e-9, atol=1e-9)
    print(
        f"{device}: {result.device}, first {result[0].item():.6f}, {'right' if right else 'WRONG'}"
    )
    if result.device != on_cpu.device:
        try:
            result += on_cpu
        except gpuarray.DeviceError as error:
            print(f"mixed: {error}")
