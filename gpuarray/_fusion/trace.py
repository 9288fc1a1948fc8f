# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Tracing: a function runs once on stand-ins for its arguments, which record its operations."""

import contextlib
from collections.abc import Callable
from typing import Any

from gpuarray import _core
from gpuarray._fusion.reduced import Reduced
from gpuarray._fusion.statements import Statements, is_array
from gpuarray._fusion.traced import TracedArray
from gpuarray._fusion.traced_object import TracedObject, is_constant, key_of
from gpuarray._kernels.fold import as_operand, described
from gpuarray.errors import FusionError

__all__ = ["Signature", "Trace"]

# A signature describes a call: (role, what) for each argument, then (role, what, (owner, name)) for
# each attribute that the function reads of its arguments.
Signature = tuple[tuple[Any, ...], ...]

# Fused functions may call each other this deep; deeper calls are taken for endless recursion.
MOST_CALLS = 64
# These stand for an attribute that is absent, and for one whose changes cannot be detected.
_ABSENT, _OPAQUE = object(), object()


class Trace(Statements):
    """One run of a function, and the statements that its operations become.

    Arguments are known by their index in the signature, and so are the attributes that are read of
    them. `arguments` are what the function is given, `values` those and the attributes, `captured`
    the attributes by owner and name. `missing` are the attributes (owner, name, whether it is a
    constant) that the function reads and the signature does not have: a trace that ends with some
    is of no use but to know them.
    """

    _modules = Statements._modules | {__name__, TracedObject.__module__, Statements.__module__}

    def __init__(
        self, function: Callable[..., Any], signature: Signature, *, of_numbers: bool = False
    ) -> None:
        super().__init__(getattr(function, "__qualname__", repr(function)), of_numbers=of_numbers)
        self.depth = 0  # The number of fused functions that are being traced within each other.
        self.values: list[Any] = []
        self.captured: dict[tuple[Any, str], Any] = {}
        self.missing: list[tuple[int, str, bool]] = []
        count = sum(len(one) == 2 for one in signature)
        for k, one in enumerate(signature):
            self._add(*one, owner=k if k < count else ~(k - count))
        self.arguments = self.values[:count]

    def _add(self, role: str, what: Any, read: Any = None, *, owner: Any) -> Any:
        """Add the stand-in for an argument, or for the attribute `read` = (owner, name)."""
        k = len(self.values)
        value = what
        if role == "absent":
            value = _ABSENT
        elif role != "object":
            sources = frozenset({k}) if role == "array" else frozenset()
            value = TracedArray(self, role, what, f"a{k}", sources, k)
            value._attribute = read
        elif not is_constant(what):
            value = _OPAQUE if key_of(what) is None else TracedObject(self, what, owner)
        self.values.append(value)
        if read is not None:
            self.captured[read] = value
        return value

    def read(self, owner: Any, name: str, instance: Any) -> Any:
        """Return what stands for an attribute of an object; AttributeError if it has none."""
        if (owner, name) not in self.captured:
            self._read_anew(owner, name, instance)
        value = self.captured[owner, name]
        kind = type(instance).__name__
        if value is _ABSENT:
            raise AttributeError(f"{kind!r} object has no attribute {name!r}")
        if value is _OPAQUE:
            raise self.one_by_one(f"{kind}.{name} may change in ways that are not seen")
        return value

    def watch(self, owner: Any, name: str, instance: Any) -> None:
        """Add a method to the signature, because an attribute of the object may replace it."""
        if not hasattr(instance, "__dict__"):
            return
        if key_of(getattr(instance, name), instance) is None:
            raise self.one_by_one(f"{type(instance).__name__}.{name} may be replaced")
        if (owner, name) not in self.captured:
            self._read_anew(owner, name, instance)

    def _read_anew(self, owner: Any, name: str, instance: Any) -> None:
        """Add the stand-in for an attribute that the signature does not have yet."""
        role, what = "absent", None
        value = getattr(instance, name, _ABSENT)
        if value is not _ABSENT:
            role, what = "object", value
            if not isinstance(value, bool):
                with contextlib.suppress(TypeError):
                    role, what = described(name, as_operand(value))
        # The attributes of a new object are read in a later trace, when the signature has that
        # object.
        if isinstance(owner, int):
            self.missing.append((owner, name, isinstance(value, bool)))
        self._add(role, what, (owner, name), owner=object())

    def need_constant(self, value: TracedArray) -> FusionError:
        """Return the error for an attribute whose value the trace depends on.

        The next trace is of a signature that has this value as a constant.
        """
        owner, name = value._attribute
        if isinstance(owner, int):
            self.missing.append((owner, name, True))
        return self.one_by_one(f"{name} has to be a constant")

    def run(self, function: Callable[..., Any]) -> Any:
        """Return what the function returns for the stand-ins of its arguments.

        Meanwhile gpuarray's functions of scalars are traced too, though no argument is a stand-in.
        """
        before = _core._set_trace(self)
        try:
            return function(*self.arguments)
        finally:
            _core._set_trace(before)

    def inline(
        self, function: Callable[..., Any], args: Any, kwargs: Any, *, of_numbers: bool
    ) -> Any:
        """Trace a fused function that the traced function calls, and return its result.

        If it is a function of numbers that cannot be traced, the outer call runs the operations one
        by one, so that another compiler may compile the called function.
        """
        if self.depth == MOST_CALLS:
            raise self._endless(function)
        before = self.of_numbers
        self.depth, self.of_numbers = self.depth + 1, before or of_numbers
        try:
            returned = function(*args, **kwargs)
        except FusionError as error:
            if of_numbers:
                raise self.one_by_one(str(error)) from error
            raise
        except RecursionError:  # Python's stack is smaller than MOST_CALLS
            raise self._endless(function) from None
        finally:
            self.depth, self.of_numbers = self.depth - 1, before
        return self._inlined(returned)

    def _endless(self, function: Callable[..., Any]) -> FusionError:
        name = getattr(function, "__qualname__", repr(function))
        why = f"{name} is called within itself, more than {self.depth} calls deep"
        return self.refuse(f"{why}: recursion without an end cannot be fused")

    def _inlined(self, returned: Any) -> Any:
        if isinstance(returned, Reduced):
            returned.is_inlined = True
        elif isinstance(returned, tuple):
            return tuple(map(self._inlined, returned))
        elif returned is not None and not (is_array(returned) and returned._sources):
            raise self.one_by_one("a function that is called returns no array")
        return returned

    def __gpuarray_function__(
        self, name: str, operands: Any, kwargs: dict[str, Any]
    ) -> TracedArray:
        if kwargs:
            raise self.refuse(f"{name}: {'= and '.join(kwargs)}= cannot be fused; use astype()")
        return self.operation(name, operands)
