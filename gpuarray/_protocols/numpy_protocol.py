# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""__array_ufunc__ and __array_function__, which call the package's functions of the same name."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray._common import package
from gpuarray._common.operands import lists_as_arrays
from gpuarray._core import GPUArray
from gpuarray._protocols.numpy_functions import CREATION, counterpart, counterpart_in_library
from gpuarray._ufuncs.ufunc_at import at
from gpuarray._ufuncs.ufunc_call import call, is_operand, not_implemented
from gpuarray._ufuncs.ufunc_call import counterpart as counterpart_of
from gpuarray._ufuncs.ufunc_methods import accumulate, outer, reduce, reduceat


def __array_ufunc__(
    self: GPUArray, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
) -> Any:
    """Compute on the device; NotImplemented where another library's operand may know better."""
    if not isinstance(ufunc, np.ufunc) or not isinstance(method, str):
        raise TypeError(
            f"__array_ufunc__: expected a ufunc and the name of a method, got {ufunc!r}"
        )
    if method == "__call__" and not kwargs and all(type(value) is GPUArray for value in inputs):
        return counterpart_of(ufunc)(*inputs)
    out = kwargs.pop("out", ())
    kwargs.pop("array", None)  # by which name methods take what NumPy passes as inputs, too
    name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
    if method in ("__call__", "outer"):
        inputs = lists_as_arrays(name, inputs, self)
    values = inputs if method not in ("at", "reduceat") else (inputs[0], *inputs[2:])
    operands = (*values, *(value for value in out if value is not None))
    unknown = [value for value in operands if not is_operand(value)]
    if any(_has_ufuncs_of_its_own(value) for value in unknown):
        return NotImplemented
    if unknown or not all(value is None or isinstance(value, GPUArray) for value in out):
        raise TypeError(_refusal(name, operands, out))
    if method == "__call__":
        return call(ufunc, inputs, out, kwargs)
    if method == "reduce":
        return reduce(ufunc, inputs[0], out=out[0] if out else None, **kwargs)
    if method == "accumulate":
        return accumulate(ufunc, inputs[0], out=out[0] if out else None, **kwargs)
    if method == "outer":
        return outer(ufunc, inputs, out, kwargs)
    if method == "reduceat":
        return reduceat(ufunc, inputs[0], inputs[1], out=out[0] if out else None, **kwargs)
    if method == "at":
        return at(ufunc, *inputs)
    raise TypeError(not_implemented(name))


def _has_ufuncs_of_its_own(value: Any) -> bool:
    own = getattr(type(value), "__array_ufunc__", np.ndarray.__array_ufunc__)
    return own is not np.ndarray.__array_ufunc__


def _refusal(name: str, values: tuple[Any, ...], out: tuple[Any, ...]) -> str:
    kinds = {"numpy." * isinstance(v, np.ndarray) + type(v).__name__: None for v in values}
    text = f"{name}: got {' and '.join(kinds)}; convert with gpuarray.to_device(x)"
    if any(isinstance(value, np.ndarray) for value in out):
        text += ", or fill the numpy.ndarray with result.get(out=x)"
    return text


def __array_function__(
    self: GPUArray, func: Callable[..., Any], types: Any, args: Any, kwargs: Any
) -> Any:
    """Call the function of the same name; NotImplemented where another library may know better."""
    name = func.__name__
    function = counterpart_in_library(func)
    if function is None and func in _of_numpy(name):
        if name in CREATION:
            return _make_like(self, name, args, kwargs)
        function = counterpart(name)
    if not all(issubclass(kind, GPUArray | np.ndarray) for kind in types):
        return NotImplemented
    if function is None:
        raise TypeError(not_implemented(name))
    has_ndarray = (isinstance(x, np.ndarray) and x.ndim for x in (*args, *kwargs.values()))
    if (func is np.broadcast_arrays and any(has_ndarray)) or (
        func is np.histogram and isinstance((*args, kwargs.get("a"))[0], np.ndarray)
    ):
        # Matplotlib calls these with ndarrays that it made of GPUArrays, beside other GPUArrays.
        kwargs = {key: _on_host(value) for key, value in kwargs.items()}
        return func(*map(_on_host, args), **kwargs)
    kwargs = {key: value for key, value in kwargs.items() if _means_something(key, value)}
    try:
        return function(*args, **kwargs)
    except TypeError as error:
        text = str(error)
        if any(has_ndarray):
            text += f"; or give {func.__module__}.{name} ndarrays alone, a.get() for a GPUArray"
        elif name in text:
            raise
        raise TypeError(text if name in text else f"{name}: {text}") from None


def _on_host(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, GPUArray) else value


def _of_numpy(name: str) -> tuple[Any, ...]:
    return getattr(np, name, None), getattr(np.lib.stride_tricks, name, None)


def _means_something(key: str, value: Any) -> bool:
    if value is np._NoValue:
        return False
    return key != "subok" and not (key == "casting" and value == "same_kind")


def _make_like(like: GPUArray, name: str, args: Any, kwargs: Any) -> GPUArray:
    kwargs = {key: value for key, value in kwargs.items() if key not in ("device", "subok")}
    made: GPUArray = getattr(package.module, name)(*args, device=like.device, **kwargs)
    return made
