# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Arguments of fused functions that are neither arrays nor scalars, as `self` of a method.

Values that cannot change, as None, a str or a function, are constants of the kernel, so calls with
other ones get kernels of their own. Any other object is known by its type alone, and each attribute
that the function reads of it is one more argument, which every call reads anew: the kernel never
works with what an attribute was in an earlier call.
"""

import inspect
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _core
from gpuarray._fusion.reduced import Reduced
from gpuarray._fusion.traced import TracedArray
from gpuarray._kernels.device_functions import DeviceFunction

if TYPE_CHECKING:
    from gpuarray._fusion.trace import Trace

__all__ = ["TracedObject", "is_constant", "key_of", "trace_of"]

_NUMBERS = (bool, int, float, complex, np.generic)
# Containers may change while the object stays the same, so no key describes them.
_CONTAINERS = (list, dict, set, bytearray, np.ndarray, types.ModuleType, types.MethodType)
# The identity of these functions tells all that they do.
_FUNCTIONS = (types.BuiltinFunctionType, np.ufunc, _core.ufunc, _core._Dispatcher, DeviceFunction)
# These attributes of a class are called, or looked up, with the object.
_METHODS = (types.FunctionType, property, classmethod, staticmethod)


def key_of(value: Any, owner: Any = None) -> Any:
    """Return the key of an object in a signature; None if its changes cannot be detected.

    It is hashable and does not keep the object alive, unless the object is a constant. `owner` is
    the object whose attribute it is: the key of a method of that object is the function.
    """
    kind = type(value)
    if value is None or kind in (str, bytes, bool, int):
        return kind, value
    if isinstance(value, _NUMBERS):
        # The text of a number distinguishes -0.0 from 0.0.
        return kind, repr(value)
    if kind is tuple:
        keys = tuple(key_of(item) if is_constant(item) else None for item in value)
        return None if None in keys else (kind, keys)
    if _is_dtype(value) or isinstance(value, _FUNCTIONS):
        return kind, value
    if kind is types.FunctionType:
        state = value.__closure__, value.__defaults__, value.__kwdefaults__
        return (kind, value) if state == (None, None, None) else None
    if kind is types.MethodType and owner is not None:
        return (kind, value.__func__) if value.__self__ is owner else None
    if isinstance(value, _CONTAINERS):
        return None
    return object, kind


def is_constant(value: Any) -> bool:
    """Return whether the function is given the value itself, which its key describes fully."""
    key = key_of(value)
    return key is not None and key[0] is not object


def _is_dtype(value: Any) -> bool:
    scalar = isinstance(value, type) and issubclass(value, (np.generic, bool, int, float, complex))
    return scalar or isinstance(value, np.dtype)


class TracedObject:
    """Stands for an object in a traced function, and records which attributes are read."""

    __slots__ = ("_gpuarray_traced",)
    __hash__ = None  # type: ignore[assignment]
    # isinstance() and super() look at this attribute.
    __class__ = property(  # pyright: ignore[reportIncompatibleMethodOverride]
        lambda self: type(self._gpuarray_traced[1])
    )

    def __init__(self, trace: "Trace", instance: Any, owner: int) -> None:
        object.__setattr__(self, "_gpuarray_traced", (trace, instance, owner))

    def __getattr__(self, name: str) -> Any:
        trace, instance, owner = self._gpuarray_traced
        if name.startswith("__"):
            if hasattr(instance, name):
                raise trace.one_by_one(f"{type(instance).__name__}.{name} is read")
            raise AttributeError(f"{type(instance).__name__!r} object has no attribute {name!r}")
        static = inspect.getattr_static(type(instance), name, None)
        is_shadowed = not isinstance(static, property) and name in _own_attributes(instance)
        is_method = isinstance(static, _METHODS) or hasattr(static, "__wrapped__")
        if is_method and not is_shadowed and hasattr(static, "__get__"):
            if not isinstance(static, property):
                trace.watch(owner, name, instance)
            return static.__get__(self, type(instance))
        return trace.read(owner, name, instance)

    def __setattr__(self, name: str, value: Any) -> None:
        trace, instance, owner = self._gpuarray_traced
        # Python assigns the same array to the attribute at the end of self.x += 1.
        if trace.captured.get((owner, name)) is not value:
            raise trace.one_by_one(f"{type(instance).__name__}.{name} is assigned to")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        _, instance, _ = self._gpuarray_traced
        call: Any = type(instance).__call__
        return call.__get__(self, type(instance))(*args, **kwargs)

    def __gpuarray_function__(self, name: str, operands: Any, kwargs: Any) -> Any:
        trace, instance, _ = self._gpuarray_traced
        raise trace.refuse(f"{name}: got {type(instance).__name__}, expected arrays and scalars")

    def _refuse(self, *others: Any) -> Any:
        trace, instance, _ = self._gpuarray_traced
        raise trace.one_by_one(f"{type(instance).__name__} is more than its attributes")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __len__ = __iter__ = _refuse
    __getitem__ = __setitem__ = __contains__ = __delattr__ = __index__ = __float__ = _refuse


def _own_attributes(instance: Any) -> Any:
    """Return the attributes of the object itself, without those of its class."""
    return getattr(instance, "__dict__", {})


def trace_of(value: Any) -> "Trace | None":
    """Return the trace of a stand-in, or None for any other value."""
    if type(value) is TracedObject:
        trace: Trace = value._gpuarray_traced[0]
        return trace
    kind = type(value)
    found: Any = value._trace if kind is TracedArray else value.trace if kind is Reduced else None
    return found  # type: ignore[no-any-return]
