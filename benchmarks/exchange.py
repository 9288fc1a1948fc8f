# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Measures what handing an array over costs: microseconds of a call on 16 elements of cuda:0.

Each library takes an array of another one (PyTorch's, and CuPy's where PyTorch takes), and lends
its own. Prints a row for each protocol and direction, with the ratio of the best peer to ours.
"""

import importlib.util
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

CALLS, BATCHES = 200, 31


def microseconds(call: Callable[[], Any], wait: Callable[[], None]) -> float:
    times = []
    for _ in range(BATCHES):
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        times.append((time.perf_counter() - start) / CALLS * 1e6)
        wait()
    return statistics.median(times)


class Interface:
    """An object that has the CUDA array interface and no other protocol."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.__cuda_array_interface__ = dict(array.__cuda_array_interface__)


def calls() -> dict[str, dict[str, Callable[[], Any]]]:
    import cupy
    import torch

    import gpuarray

    values = np.random.default_rng(0).random(16, dtype=np.float32)
    ours, cupys = gpuarray.to_device(values, device="cuda:0"), cupy.asarray(values)
    torchs = torch.from_numpy(values).cuda()
    pinned = gpuarray.empty_pinned(16, "float32", device="cuda:0")
    lent, lent_by_cupy = Interface(torchs), Interface(cupys)
    return {
        "DLPack, in": {
            "gpuarray": lambda: gpuarray.from_dlpack(torchs),
            "cupy": lambda: cupy.from_dlpack(torchs),
            "torch": lambda: torch.from_dlpack(cupys),
        },
        "DLPack, in from gpuarray": {
            "cupy": lambda: cupy.from_dlpack(ours),
            "torch": lambda: torch.from_dlpack(ours),
        },
        "DLPack, out": {
            "gpuarray": lambda: ours.__dlpack__(max_version=(1, 3)),
            "cupy": lambda: cupys.__dlpack__(max_version=(1, 0)),
            "torch": lambda: torchs.__dlpack__(max_version=(1, 0)),
        },
        "CUDA array interface, in": {
            "gpuarray": lambda: gpuarray.from_cuda_array_interface(lent),
            "cupy": lambda: cupy.asarray(lent),
            "torch": lambda: torch.as_tensor(lent_by_cupy),
        },
        "CUDA array interface, out": {
            "gpuarray": lambda: ours.__cuda_array_interface__,
            "cupy": lambda: cupys.__cuda_array_interface__,
            "torch": lambda: torchs.__cuda_array_interface__,
        },
        "buffer of page-locked memory, out": {"gpuarray": lambda: memoryview(pinned)},
    }


def main() -> int:
    if not all(map(importlib.util.find_spec, ("cupy", "torch", "gpuarray"))):
        print("exchange: needs CuPy, PyTorch and gpuarray")
        return 1
    import torch

    libraries = ("gpuarray", "cupy", "torch")
    print(f"{'us a call':<36}" + "".join(f"{name:>10}" for name in libraries) + f"{'ratio':>8}")
    for row, by_library in calls().items():
        times = {n: microseconds(call, torch.cuda.synchronize) for n, call in by_library.items()}
        text = "".join(f"{times[n]:>10.2f}" if n in times else f"{'-':>10}" for n in libraries)
        peers = [spent for name, spent in times.items() if name != "gpuarray"]
        compared = peers and "gpuarray" in times
        ratio = f"{min(peers) / times['gpuarray']:>8.2f}" if compared else f"{'-':>8}"
        print(f"{row:<36}{text}{ratio}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
