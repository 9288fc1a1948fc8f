# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
# ruff: noqa: F821
# A part of core_stub_template.pyi, which names its types.
from typing import Any, Self, SupportsInt, final

_Extents: TypeAlias = SupportsIndex | Sequence[SupportsIndex]

@final
class Kernel:
    def __call__(
        self,
        *args: Any,
        grid: _Extents = ...,
        block: _Extents = ...,
        shared_bytes: SupportsIndex = 0,
        stream: _StreamLike = None,
        cooperative: bool = False,
        cluster: _Extents | None = None,
        strided: bool = False,
        shared: SupportsIndex = 0,
        shared_mem: SupportsIndex = 0,
    ) -> None: ...
    def __getitem__(
        self,
        key: tuple[_Extents, _Extents]
        | tuple[_Extents, _Extents, _StreamLike]
        | tuple[_Extents, _Extents, _StreamLike, SupportsIndex],
        /,
    ) -> _Launcher: ...
    @property
    def name(self) -> str: ...
    @property
    def device(self) -> Device: ...
    @property
    def handle(self) -> int: ...
    @property
    def function_handle(self) -> int: ...
    @property
    def parameters(self) -> tuple[Parameter, ...]: ...
    @property
    def attributes(self) -> dict[str, int]: ...
    @property
    def num_regs(self) -> int: ...
    @property
    def registers(self) -> int: ...
    @property
    def shared_size_bytes(self) -> int: ...
    @property
    def local_size_bytes(self) -> int: ...
    @property
    def const_size_bytes(self) -> int: ...
    @property
    def max_threads_per_block(self) -> int: ...
    @property
    def max_dynamic_shared_size_bytes(self) -> int: ...
    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, value: SupportsIndex) -> None: ...
    @property
    def ptx_version(self) -> int: ...
    @property
    def binary_version(self) -> int: ...
    def configure(
        self,
        grid: _Extents,
        block: _Extents,
        *,
        shared_bytes: SupportsIndex = 0,
        stream: _StreamLike = None,
        cooperative: bool = False,
        cluster: _Extents | None = None,
        strided: bool = False,
    ) -> _Launcher: ...
    def for_size(
        self,
        size: SupportsIndex | tuple[SupportsIndex, ...],
        block: _Extents | None = None,
        *,
        shared_bytes: SupportsIndex = 0,
        stream: _StreamLike = None,
        cooperative: bool = False,
        cluster: _Extents | None = None,
        strided: bool = False,
    ) -> _Launcher: ...
    def suggested_block(self, /, shared_bytes: SupportsIndex = 0) -> int: ...
    def occupancy(self, /, block: _Extents, shared_bytes: SupportsIndex = 0) -> int: ...
    def with_signature(self, signature: _Signature, /) -> Kernel: ...
    def prepare(self, /, arg_types: _Signature) -> Self: ...
    def _set_recipe(self, recipe: tuple[Any, ...], /) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def prepared_call(
        self, grid: _Extents, block: _Extents, /, *args: Any, shared_size: SupportsIndex = 0
    ) -> None: ...
    def prepared_async_call(
        self,
        grid: _Extents,
        block: _Extents,
        stream: _StreamLike,
        /,
        *args: Any,
        shared_size: SupportsIndex = 0,
    ) -> None: ...
    @classmethod
    def from_handle(
        cls,
        /,
        handle: SupportsInt,
        device: _DeviceLike = None,
        signature: _Signature | None = None,
    ) -> Kernel: ...

_Signature: TypeAlias = str | Iterable[_DType]

@final
class _Launcher:
    def __call__(self, *args: Any) -> None: ...
    @property
    def kernel(self) -> Kernel: ...
    @property
    def grid(self) -> tuple[int, int, int]: ...
    @property
    def block(self) -> tuple[int, int, int]: ...
    @property
    def shared_bytes(self) -> int: ...
    @property
    def stream(self) -> _StreamLike: ...

@final
class _Library:
    def __new__(cls, image: bytes | bytearray | memoryview, device: _DeviceLike = None) -> Self: ...
    @property
    def handle(self) -> int: ...
    @property
    def device(self) -> Device: ...
    @property
    def loaded(self) -> bool: ...
    def kernel(
        self, /, name: str, signature: _Signature | None = None, source: str | None = None
    ) -> Kernel: ...
    def global_(self, name: str, /) -> tuple[int, int]: ...
    def kernel_names(self, /) -> list[str]: ...
    def unload(self, /) -> None: ...
    def require_unloadable(self, /) -> None: ...

def _demangle(symbol: str, /) -> str: ...
def _set_context(context: int, /) -> int: ...
def _context(device: _DeviceLike, /) -> int: ...
def _device_attribute(device: _DeviceLike, number: int) -> int: ...
def _device_handle(device: _DeviceLike, /) -> int: ...
def _driver_version() -> int: ...
def _profile(records: bool, /) -> None: ...
def _end_threads() -> None: ...

_Parameter: TypeAlias = tuple[str, _DType, str, bool, _DType]

@final
class _Program:
    def __new__(
        cls,
        name: str,
        operation: str,
        parameters: Iterable[_Parameter],
        *,
        results: int | tuple[int, ...] | None = None,
        types: Iterable[tuple[str, _DType]] = (),
        preamble: str = "",
        loop_prep: str = "",
        after_loop: str = "",
        ordered: bool = True,
        build: Callable[[str, Device], Kernel] | None = None,
        host_options: Iterable[str] = (),
        cuda_only: bool = False,
        arguments: Iterable[int] | None = None,
        whole: Iterable[Iterable[int]] = (),
        exponents: Iterable[Iterable[int]] = (),
        reductions: Iterable[tuple[str, str, str, float, bool, Iterable[int], int]] = (),
    ) -> Self: ...
    def sources(self, /) -> tuple[str, ...]: ...
    def source(
        self,
        /,
        device: str,
        dims: int = 0,
        vectors: bool | None = None,
        wide: bool = False,
        turned: int = 0,
        lanes: int = 256,
        rounds: int = 4,
        held: bool = True,
    ) -> str: ...

@final
class _Fold:
    def __new__(
        cls,
        name: str,
        kind: str,
        map: str,
        combine: str,
        parameters: Iterable[_Parameter],
        type: _DType,
        output: tuple[str, _DType],
        *,
        finish: str = "",
        identity: str = "",
        types: Iterable[tuple[str, _DType]] = (),
        preamble: str = "",
        build: Callable[[str, Device], Kernel] | None = None,
        host_options: Iterable[str] = (),
        cuda_only: bool = False,
        arguments: Iterable[int] | None = None,
        axis: _Axes = None,
        keepdims: bool = False,
    ) -> Self: ...
    def run(
        self,
        /,
        arguments: Iterable[Any],
        axis: _Axes,
        keepdims: bool,
        out: GPUArray | None,
        stream: _StreamLike,
    ) -> GPUArray: ...
    def sources(self, /) -> tuple[str, ...]: ...
    def source(self, device: str, /) -> str: ...

class _Dispatcher:
    def __new__(cls, *args: Any, **kwargs: Any) -> Self: ...
    def __init__(
        self,
        name: str,
        names: Iterable[str],
        outputs: int = 0,
        ranks: bool = False,
        *,
        positional: int | None = None,
        defaults: Iterable[tuple[int, Any]] | None = None,
        variadic: bool = False,
        function: bool = False,
        fallback: bool = True,
    ) -> None: ...
    def _read_attribute(self, /, owner: int, name: str, constant: bool) -> None: ...
    def __call__(
        self,
        *args: Any,
        out: GPUArray | tuple[GPUArray, ...] | None = None,
        size: int | None = None,
        block_size: int | None = None,
        range: Any = None,
        slice: Any = None,
        stream: _StreamLike = None,
        **named: Any,
    ) -> Any: ...

def _dtype(dtype: npt.DTypeLike, /) -> np.dtype[Any]: ...
def _set_trace(trace: Any, /) -> Any: ...
def _loop_types(op: str, operands: tuple[str, ...], /) -> tuple[str, str]: ...
def _powers() -> tuple[tuple[float, str], ...]: ...
