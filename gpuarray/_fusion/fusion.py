# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""fuse(), which compiles a function of arrays into one kernel."""

import functools
from collections.abc import Callable, Sequence
from os import PathLike
from types import MethodType
from typing import Any, overload

from gpuarray import _core
from gpuarray._common.arguments import require_text
from gpuarray._common.rebuilding import named_object, portable_function
from gpuarray._fusion.function_parameters import FunctionParameters
from gpuarray._fusion.fused_reduction import compilation_of, fused_reduction
from gpuarray._fusion.reduced import Reduced
from gpuarray._fusion.saved import made
from gpuarray._fusion.saving import write
from gpuarray._fusion.statements import UnfusedError
from gpuarray._fusion.trace import Signature, Trace
from gpuarray._fusion.traced import TracedArray
from gpuarray._fusion.traced_object import key_of, trace_of
from gpuarray._kernels.device_functions import identifier
from gpuarray.errors import FusionError

__all__ = ["FusedFunction", "fuse"]

# A signature may have at most this many arguments and attributes (kMostParameters of _core).
MOST_PARAMETERS = 32
# The roles in a signature of arrays and numbers, which have a dtype.
_NUMBERS = ("array", "scalar", "weak")
# A function distinguishes at most this many constants and types of objects in its signatures.
MOST_KEYS = 64


class FusedFunction(_core._Dispatcher):
    """A function that fuse() made; called as the function itself, and with `stream=`.

    In a class it is a method. `source` is the C++ of the newest kernel.
    """

    _of_numbers = False

    def __init__(self, function: Callable[..., Any], kernel_name: str | None = None) -> None:
        if kernel_name is not None:
            require_text("fuse", kernel_name=kernel_name)
        functools.update_wrapper(self, function)
        self._kernel_name = kernel_name
        self._name = identifier(kernel_name or str(getattr(function, "__name__", "fused")))
        self._parameters = FunctionParameters("fuse", function)
        super().__init__(
            self._name,
            self._parameters.names,
            function=True,
            **self._parameters.options(),
        )
        self._function = function
        self._newest: _core._Program | _core._Fold | None = None
        # What calls run, by their signature, with the arguments that made it; and the arguments
        # of a call that run what save() cannot write.
        self._made: dict[Signature, tuple[str, dict[str, Any], Any]] = {}
        self._unsaved = ""
        # The index of each constant or type of an object that occurs in a signature.
        self._keys: dict[Any, int] = {}

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __reduce_ex__(self, protocol: Any) -> Any:
        function = portable_function(self, self._function)
        if protocol < 4 and function is not self._function:
            return self._function.__qualname__  # older protocols reach attributes by their owners
        return _restored, (type(self), function, self._kernel_name)

    @property
    def source(self) -> str:
        """The C++ of the newest kernel, for contiguous arrays; "" before the first call."""
        return self._newest.source("cuda") if self._newest is not None else ""

    def save(self, path: str | PathLike[str], architectures: Sequence[str] | None = None) -> None:
        """Write what calls have run so far to a file for `load_fused`, compiled.

        Such a function runs where this one is not, in its first call too, and without a compiler.

        Parameters
        ----------
        path : str or path-like
            The file, which is replaced.
        architectures : sequence of str, optional
            What the kernels are compiled for: ``"sm_90"`` is machine code for devices of compute
            capability 9.0, which those of 9.x run too; ``"compute_90"`` is PTX, which the driver
            compiles for these and all newer ones. By default those of the devices here.

        Raises
        ------
        FusionError
            No call was fused yet; or calls were whose kernels hold other code or other objects:
            device functions, attributes of objects, constants; or a function that reduces was
            called on the cpu device alone.
        ValueError
            The compiler knows no such architecture, or there is none and no device here.
        DeviceError
            There is no run-time compiler here.
        OSError
            The file cannot be written.

        Notes
        -----
        The file has the dtypes of the calls so far. Of the layouts it has those that ran on CUDA
        devices: broadcast operands, axes of one element and the length of rows that are reduced
        belong to a layout. Where none ran there, it has contiguous arrays. It holds no code of
        Python. Does nothing on devices.

        Examples
        --------
        After a call of `axpy`, and in a process that has no compiler::

            axpy.save("axpy.fused", ["sm_90", "compute_90"])
            axpy = gpuarray.load_fused("axpy.fused")
        """
        known = dict(self._made)
        if self._unsaved:
            raise FusionError(
                f"save: a call of {self._name} with ({self._unsaved}) holds attributes of objects, "
                "other constants or device functions, or runs one operation at a time, which "
                "cannot be saved; fuse it anew, and call it with arrays and numbers alone"
            )
        for index, value in self._parameters.defaults:
            if type(value) not in (bool, int, float):
                name = self._parameters.names[index]
                raise FusionError(
                    f"save: {self._name}: the default of {name} is {value!r}, expected a number "
                    "of Python"
                )
        if not known:
            raise FusionError(f"save: no call of {self._name} was fused yet; call it first")
        sources: dict[str, None] = {}
        for _, arguments, program in known.values():
            sources |= dict.fromkeys(program.sources() or _contiguous_sources(program, arguments))
        programs = [(signature, *program[:2]) for signature, program in known.items()]
        write(path, self._name, self._parameters, programs, [*sources], architectures)

    def _key(self, value: Any, owner: Any = None) -> int | None:
        key = key_of(value, owner)
        if key is None:
            return None
        if len(self._keys) < MOST_KEYS:
            self._keys.setdefault(key, len(self._keys))
        return self._keys.get(key, MOST_KEYS)

    def _specialize(self, signature: Signature) -> Any:
        found = self._specialized(signature)
        if found is None:
            self._note_unsaved(signature)
        return found

    def _note_unsaved(self, signature: Signature) -> None:
        self._unsaved = ", ".join(
            f"{role} {one if role in _NUMBERS else type(one).__name__}"
            for role, one, *_ in signature
        )

    def _specialized(self, signature: Signature) -> Any:
        """Return the kernel for calls of a signature, or None if they run the function itself.

        Returns NotImplemented if the function reads attributes that the signature does not have.
        """
        if all(role not in ("array", "object") for role, *_ in signature):
            return None
        if len(self._keys) == MOST_KEYS and any(
            one[0] == "object" and self._key(one[1]) in (None, MOST_KEYS) for one in signature
        ):
            # A constant that differs at every call would make kernels without end.
            return None
        trace = Trace(self._function, signature, of_numbers=self._of_numbers)
        returned: Any = None
        try:
            returned = trace.run(self._call)
        except (TypeError, OverflowError) as error:
            is_refused = isinstance(error, FusionError) and not isinstance(error, UnfusedError)
            if not trace.missing and (is_refused or self._of_numbers):
                raise
            if not trace.missing:
                # Running the operations one by one gives the result, or raises the right error.
                return None
        if trace.missing:
            return self._read_more(signature, trace)
        reduced = _at_end(trace, returned)
        if reduced is not None:
            kind, arguments = "fold", fused_reduction(self._name, reduced, signature)
        elif isinstance(returned, Reduced) or _has_single_columns(returned):
            return None
        elif any(role == "array" for role, *_ in signature):
            kind, arguments = "program", _program(trace, returned, self._name, signature)
        else:
            return None
        if arguments is None:
            return None
        self._newest = made(kind, arguments)
        if "build" not in arguments and all(
            role in _NUMBERS and not read for role, _, *read in signature
        ):
            self._made[signature] = kind, arguments, self._newest
        else:
            self._note_unsaved(signature)
        return self._newest

    def _read_more(self, signature: Signature, trace: Trace) -> Any:
        if len(signature) + len(trace.missing) > MOST_PARAMETERS:
            return None
        for read in trace.missing:
            self._read_attribute(*read)
        return NotImplemented

    def _call(self, *row: Any) -> Any:
        return self._parameters.call(self._function, row)

    def _unfused(self, arguments: tuple[Any, ...]) -> Any:
        return self._call(*arguments)

    def _inlined(self, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Any:
        """Trace a call within a function that is being traced, as part of that function's trace."""
        kwargs = dict(kwargs or {})
        given = (*args, *kwargs.values())
        trace = next(filter(None, map(trace_of, given)))
        if "stream" not in self._parameters.names and kwargs.pop("stream", None) is not None:
            raise trace.one_by_one("a function that is called has a stream of its own")
        if any(type(one) in (_core.GPUArray, Reduced) for one in given):
            raise trace.one_by_one("a function that is called takes arrays that are not traced")
        return trace.inline(self._function, args, kwargs, of_numbers=self._of_numbers)


def _restored(kind: Any, function: Callable[..., Any], kernel_name: str | None) -> FusedFunction:
    """Return the fused function that a pickle describes: this process's own where it has one."""
    own: Any = named_object(function) if hasattr(function, "__qualname__") else None
    is_own = type(own) is kind and function in (own._function, own.__wrapped__)
    made: FusedFunction = own if is_own else kind(function, kernel_name)
    return made


def _contiguous_sources(program: Any, arguments: dict[str, Any]) -> list[str]:
    """Return the sources for arrays that are contiguous, whether aligned for vectors or not."""
    if isinstance(program, _core._Fold) or arguments["reductions"]:
        raise FusionError(
            f"save: {arguments['name']} reduces: its kernels depend on shapes; call it with arrays "
            "of a CUDA device first"
        )
    return [program.source("cuda", vectors=vectors) for vectors in (True, False)]


def _at_end(trace: Trace, returned: Any) -> Reduced | None:
    """Return the reduction with which a function ends that has no other; None for any other."""
    if isinstance(returned, Reduced):
        return None if trace.reductions else returned
    if isinstance(returned, TracedArray) and len(trace.reductions) == 1:
        return returned._reduced  # type: ignore[no-any-return]
    return None


def _has_single_columns(returned: Any) -> bool:
    """Return whether a result is made of reductions of rows alone."""
    results = returned if isinstance(returned, tuple) else (returned,)
    return any(isinstance(one, TracedArray) and max(one._sources, default=0) < 0 for one in results)


def _program(trace: Trace, returned: Any, name: str, signature: Signature) -> dict[str, Any]:
    """Return the arguments of the _Program for calls of the signature."""
    results = returned if isinstance(returned, tuple) else (returned,)
    outputs = [] if returned is None else [_output(trace, result) for result in results]
    if not outputs and not trace.written:
        raise trace.refuse("it returns no array and changes none")
    arrays = sorted(k for k in trace.used if signature[k][0] == "array")
    places = {k: place for place, k in enumerate(arrays)}
    parameters = [
        _parameter(f"a{k}", signature[k][1], "element", k in trace.written) for k in arrays
    ]
    for (_, dtype), text in trace.scalars.items():
        parameters.append(_parameter(text, dtype, "scalar", False))
    given = [*arrays, *(k for k, _ in trace.scalars)]
    placed = {**places, **{~k: ~place for k, place in places.items()}}
    statements = list(trace.statements)
    indices = []
    for value in outputs:
        if value._argument is not None:
            indices.append(places[value._argument])
            continue
        indices.append(len(parameters))
        output = f"out{len(parameters)}"
        parameters.append(_parameter(output, value._dtype_name, "element", True))
        statements.append(f"{output} = {value._text};")
    for k in sorted(trace.written):
        statements.append(f"a{k} = {trace.values[k]._text};")
    return dict(
        name=name,
        operation="\n".join(statements),
        parameters=parameters,
        results=None if returned is None else tuple(indices) if results is returned else indices[0],
        ordered=False,
        arguments=given,
        whole=[[placed[k] for k in sources] for sources in trace.whole],
        exponents=[[placed[k] for k in sources] for sources in trace.exponents],
        reductions=[
            (text, reducer, body, correction, root, [placed[k] for k in sources], axis)
            for text, reducer, body, correction, root, sources, axis in trace.reductions
        ],
        **compilation_of(trace),
    )


def _parameter(name: str, dtype: str, role: str, written: bool) -> tuple[str, str, str, bool, str]:
    return name, dtype, role, written, dtype


def _output(trace: Trace, result: Any) -> TracedArray:
    if not isinstance(result, TracedArray):
        raise trace.refuse(
            f"it returns {type(result).__name__}, expected arrays or a tuple of them"
        )
    if result._role != "array" or not result._sources:
        raise trace.refuse("it returns a scalar, expected arrays")
    trace.used |= {max(k, ~k) for k in result._sources}
    trace.whole.add(result._sources)
    return result


@overload
def fuse(function: Callable[..., Any], /) -> FusedFunction: ...
@overload
def fuse(*, kernel_name: str | None = None) -> Callable[[Callable[..., Any]], FusedFunction]: ...
def fuse(function: Any = None, /, *, kernel_name: str | None = None) -> Any:
    """Return a function of arrays and scalars that runs as one kernel, or one loop on cpu.

    The function may be made of operators, in place too, gpuarray's element-wise functions (NumPy's
    names of them too, and of numbers), where, clip and astype, and of other fused functions. It
    returns an array, a tuple of them or None, or ends with one reduction: sum, prod, max, min, any
    or all. It may go on with reductions of rows, of axis=-1 with keepdims=True, as a softmax does:
    those, mean, var and std. It is run once for each combination of dtypes on stand-ins that note
    what is done to them: scalars are parameters of the kernel, what does not depend on arguments is
    constant. It may have default values and ``*arrays``. In a class it is a method; attributes that
    it reads of `self`, or of other objects that are arguments, are read anew at each call.
    The results are to the last bit those of the operations one by one, in new arrays, but for sums
    and products of floats, whose elements may be grouped in another way. Arrays broadcast and may
    have any strides. `kernel_name` is what the kernel is called in reports.

    FusionError for what depends on elements: conditions, loops over them, numbers, shapes; it names
    the line. Calls that no single loop can serve run the operations one by one: results of several
    shapes, arrays that overlap one that is written, no array at all, other functions of gpuarray;
    so do all without a compiler.
    Queued on `stream=`, or the current stream.
    """
    if function is None:
        return functools.partial(FusedFunction, kernel_name=kernel_name)
    if not callable(function):
        raise TypeError(f"fuse: expected a function, got {type(function).__name__}")
    return FusedFunction(function, kernel_name)
