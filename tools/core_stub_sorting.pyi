# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
# ruff: noqa: F821
# A part of core_stub_template.pyi, which names its types.
from collections.abc import Sequence

def _sort_rows(
    a: GPUArray,
    axis: int,
    descending: bool,
    kth: Sequence[int] | None = None,
    *,
    stream: _StreamLike = None,
) -> GPUArray: ...
def _argsort_rows(
    a: GPUArray,
    axis: int,
    descending: bool,
    stable: bool = True,
    kth: Sequence[int] | None = None,
    *,
    stream: _StreamLike = None,
) -> GPUArray: ...
def _sort_with_order(
    a: GPUArray, stable: bool, *, stream: _StreamLike = None
) -> tuple[GPUArray, GPUArray]: ...
def _select_rows(
    a: GPUArray, axis: int, count: int, descending: bool, *, stream: _StreamLike = None
) -> tuple[GPUArray, GPUArray] | None: ...
def _lexsort(keys: Sequence[GPUArray], axis: int, *, stream: _StreamLike = None) -> GPUArray: ...
def _distinct(
    sorted: GPUArray, equal_nan: bool, order: GPUArray | None, starts: bool
) -> tuple[GPUArray, GPUArray, GPUArray | None, GPUArray | None]: ...
def _distinct_values(a: GPUArray, equal_nan: bool, few: bool = False) -> GPUArray | None: ...
def _search_sorted(
    a: GPUArray,
    v: GPUArray,
    right: bool,
    sorter: GPUArray | None = None,
    *,
    stream: _StreamLike = None,
) -> GPUArray: ...
