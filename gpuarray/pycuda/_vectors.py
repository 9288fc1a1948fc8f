# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The structs of CUDA's vector types, as vec.float3 and vec.make_float3."""

from typing import Any

import numpy as np

__all__ = ["vec"]

_ELEMENTS = {
    "char": np.int8,
    "uchar": np.uint8,
    "short": np.int16,
    "ushort": np.uint16,
    "int": np.int32,
    "uint": np.uint32,
    "long": np.int64,
    "ulong": np.uint64,
    "longlong": np.int64,
    "ulonglong": np.uint64,
    "float": np.float32,
    "double": np.float64,
}


class _Vectors:
    """The dtypes `float3` and so on, and functions `make_float3` that make scalars of them."""

    def __getattr__(self, name: str) -> Any:
        plain = name.removeprefix("make_")
        element = _ELEMENTS.get(plain[:-1])
        if element is None or plain[-1] not in "1234":
            raise AttributeError(f"vec has no {name!r}")
        fields = "xyzw"[: int(plain[-1])]
        dtype = np.dtype([(field, element) for field in fields])
        if plain == name:
            return dtype

        def make(*values: Any) -> Any:
            if len(values) != len(fields):
                raise TypeError(f"{name}: expected {len(fields)} numbers, got {len(values)}")
            return np.array([values], dtype)[0]

        make.__name__ = name
        return make


vec = _Vectors()
