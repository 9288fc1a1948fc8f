# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A file of any size, read and copied in parts while the device works on those before.

    python examples/stream_file.py

Brings the columns of a table on disk to mean 0, in a second file.
"""

import tempfile
from pathlib import Path

import numpy as np

import gpuarray

ROWS = 16384  # of a part

with tempfile.TemporaryDirectory() as folder:
    source, target = Path(folder, "table.npy"), Path(folder, "centered.npy")
    np.save(source, np.random.default_rng(0).normal(5, 3, (1 << 17, 64)).astype("float32"))
    table = np.load(source, mmap_mode="r")
    parts = [table[start : start + ROWS] for start in range(0, len(table), ROWS)]

    total = gpuarray.zeros(table.shape[1])
    for part in gpuarray.prefetch_to_device(parts):
        total += part.sum(axis=0, dtype="float64")
    mean = (total / len(table)).astype("float32")

    written = np.lib.format.open_memmap(target, "w+", table.dtype, table.shape)
    for number, part in enumerate(gpuarray.prefetch_to_device(parts)):
        (part - mean).get(out=written[number * ROWS : number * ROWS + len(part)])

    right = np.allclose(written.mean(axis=0, dtype="float64"), 0, atol=1e-5)
    print(f"{total.device}: {written.shape}, {'right' if right else 'WRONG'}")
