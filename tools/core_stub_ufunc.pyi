# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
#
# The type of functions of elements of core_stub_template.pyi.

@final
class ufunc(Generic[_Parameters, _Result]):  # noqa: N801
    def __call__(self, *args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result: ...
    def __getattribute__(self, name: str, /) -> Any: ...
    def __reduce__(self) -> str: ...
    @property
    def __name__(self) -> str: ...
    @property
    def __qualname__(self) -> str: ...
    @property
    def __text_signature__(self) -> str: ...
    @property
    def __wrapped__(self) -> Callable[_Parameters, _Result]: ...
    @property
    def identity(self) -> Any: ...
    @property
    def nargs(self) -> int: ...
    @property
    def nin(self) -> int: ...
    @property
    def nout(self) -> int: ...
    @property
    def ntypes(self) -> int: ...
    @property
    def signature(self) -> str | None: ...
    @property
    def types(self) -> list[str]: ...
    def accumulate(
        self,
        array: _ArrayLike,
        /,
        axis: SupportsIndex = 0,
        dtype: _DType = None,
        out: _Out = None,
    ) -> GPUArray: ...
    def at(self, a: GPUArray, indices: Any, b: _Operand = ..., /) -> None: ...
    def outer(self, a: _ArrayLike, b: _ArrayLike, /, **kwargs: Any) -> GPUArray: ...
    def reduce(
        self,
        array: _ArrayLike,
        /,
        axis: _Axes = 0,
        dtype: _DType = None,
        out: _Out = None,
        keepdims: bool = False,
        initial: Any = ...,
        where: GPUArray | bool = True,
    ) -> GPUArray: ...
    def reduceat(
        self,
        array: _ArrayLike,
        /,
        indices: Any,
        axis: SupportsIndex = 0,
        dtype: _DType = None,
        out: _Out = None,
    ) -> GPUArray: ...

@type_check_only
def _ufunc(function: Callable[_Parameters, _Result], /) -> ufunc[_Parameters, _Result]: ...
@_ufunc
def matmul(
    x1: _ArrayLike,
    x2: _ArrayLike,
    /,
    out: GPUArray | None = None,
    *,
    alpha: complex | np.generic = 1,
    beta: complex | np.generic = 0,
    axes: list[Any] | None = None,
    dtype: _DType = None,
    casting: str = "same_kind",
    order: str = "K",
    subok: bool = True,
    signature: Any = None,
    stream: _StreamLike = None,
) -> GPUArray: ...
