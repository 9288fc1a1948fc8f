# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Errors that who comes from another library meets first, and what they say to write instead."""

import ctypes
import functools
import io
import math
import re
import traceback

import numpy as np
import pytest
from _support.process import run_python

import gpuarray
from gpuarray import fft, linalg, memory, random
from gpuarray._common import directions

# What is typed, the error, and what it must name. `a` is a GPUArray of 4 by 4, `x` a numpy.ndarray.
ERRORS = [
    # names of other libraries
    ("gpuarray.from_numpy(x)", AttributeError, "gpuarray.to_device(x)"),
    ("gpuarray.tensor([1, 2])", AttributeError, "gpuarray.to_device(x)"),
    ("gpuarray.device_array(3)", AttributeError, "gpuarray.empty(shape, dtype)"),
    ("gpuarray.pinned_array(3)", AttributeError, "gpuarray.empty_pinned(shape, dtype)"),
    ("gpuarray.mem_alloc(8)", AttributeError, "gpuarray.empty"),
    ("gpuarray.cat([a, a])", AttributeError, "gpuarray.concatenate"),
    ("gpuarray.in1d(a, a)", AttributeError, "gpuarray.isin"),
    ("gpuarray.norm(a)", AttributeError, "gpuarray.linalg.norm"),
    ("gpuarray.randn(3)", AttributeError, "gpuarray.random.randn"),
    ("gpuarray.rfft(a)", AttributeError, "gpuarray.fft.rfft"),
    ("gpuarray.memmap('a.raw')", AttributeError, "gpuarray.to_device(numpy.memmap(...))"),
    ("gpuarray.nditer(a)", AttributeError, "numpy.nditer(a.get())"),
    ("gpuarray.jit(abs)", AttributeError, "gpuarray.fuse(function)"),
    ("gpuarray.grad(abs)", AttributeError, "gradients"),
    ("gpuarray.cupyx", AttributeError, "SciPy"),
    ("gpuarray.scipy.ndimage", AttributeError, "SciPy"),
    ("gpuarray.threadIdx", AttributeError, "gpuarray.RawKernel"),
    ("gpuarray.empty_cache()", AttributeError, "gpuarray.memory.release_cached()"),
    ("gpuarray.is_available()", AttributeError, "gpuarray.devices()"),
    ("gpuarray.float_", AttributeError, "gpuarray.float64"),
    ("gpuarray.geterrcall()", AttributeError, "gpuarray.isfinite"),
    ("gpuarray.linalg.inverse(a)", AttributeError, "gpuarray.linalg.inv(a)"),
    ("gpuarray.linalg.concatenate(a)", AttributeError, "gpuarray.concatenate"),
    ("gpuarray.random.randperm(3)", AttributeError, "gpuarray.random.permutation(n)"),
    ("gpuarray.driver.memcpy_htod(a, x)", AttributeError, "a.set(x)"),
    # misspelt names
    ("gpuarray.arrange(3)", AttributeError, "'arange'"),
    ("gpuarray.Float32", AttributeError, "'float32'"),
    ("gpuarray.fft.iftt(a)", AttributeError, "'ifft'"),
    ("gpuarray.memory.LimitRessource", AttributeError, "'LimitResource'"),
    # arrays of the host among those of a device
    ("a + x", TypeError, "gpuarray.to_device(x)"),
    ("x @ a", TypeError, "gpuarray.to_device(x)"),
    ("a + [1, 2]", TypeError, "gpuarray.to_device(x)"),
    ("np.add(a, a, out=x)", TypeError, "result.get(out=x)"),
    ("np.concatenate([a, x])", TypeError, "gpuarray.to_device(x)"),
    ("gpuarray.sum(x)", TypeError, "gpuarray.to_device(x)"),
    ("gpuarray.linalg.solve(a, x)", TypeError, "gpuarray.to_device(x)"),
    ("gpuarray.fft.fft(x)", TypeError, "gpuarray.to_device(x)"),
    ("a.__setitem__(0, x[0])", TypeError, "gpuarray.to_device(x)"),
    ("a.set(a)", TypeError, "a[...] = b"),
    # NumPy's functions that have no counterpart
    ("np.emath.sqrt(a)", TypeError, "a.get()"),
    ("np.is_busday(a)", TypeError, "gpuarray.to_device"),
    ("np.isnat(a)", TypeError, "gpuarray.to_device"),
    ("np.frompyfunc(abs, 1, 1)(a)", TypeError, "a.get()"),
    # conditions and devices
    ("bool(a)", ValueError, "a.any() or a.all()"),
    ("gpuarray.ones(3, device='gpu')", gpuarray.DeviceError, '"cuda"'),
    ("gpuarray.ones(3, device=0)", TypeError, '"cuda:N"'),
    ("gpuarray.fuse(lambda x: math.sin(x))(a)", gpuarray.FusionError, "gpuarray.sin(x)"),
    ("gpuarray.fuse(lambda x: x if x > 0 else -x)(a)", gpuarray.FusionError, "gpuarray.where"),
    ("a @ 2", ValueError, "use *"),
    ("a > 1 & a < 3", TypeError, "(a > 1) & (b < 3)"),
    ("a == [1, 2]", TypeError, "gpuarray.to_device(x)"),
    ("(1, 2) != a", TypeError, "gpuarray.to_device(x)"),
    ("a < [1, 2]", TypeError, "gpuarray.to_device(x)"),
    # extents where a dtype is expected, and other slips
    ("gpuarray.zeros(3, 4)", TypeError, "zeros((3, 4))"),
    ("a.view(-1, 4)", TypeError, "a.reshape(3, 4)"),
    ("a.view(16)", TypeError, "a.reshape(3, 4)"),
    ("np.copyto(x, a)", TypeError, "src.get(out=dst)"),
    ("gpuarray.linalg.invert(a)", AttributeError, "gpuarray.linalg.inv(a)"),
    ("gpuarray.ma.masked_array(a)", AttributeError, "where="),
    ("a.detach()", AttributeError, "no gradients"),
]


def values():
    """What the expressions of ERRORS and of the directions are about."""
    root = np.random.default_rng(7).random((4, 4)) + 4 * np.eye(4)
    a = gpuarray.to_device(root @ root.T)
    names = {"gpuarray": gpuarray, "numpy": np, "np": np, "math": math, "io": io}
    names |= {"ctypes": ctypes, "functools": functools, "function": abs, "file": io.BytesIO()}
    names |= {"a": a, "b": a + 1, "c": a + 2, "x": root, "arrays": [a, a]}
    names |= {"mask": a > 1, "subset": a > 1, "r": a, "angle": a}
    names |= {"shape": (2, 4, 4), "dtype": "float64", "axis": 0, "axes": (1, 0), "n": 2, "k": 2}
    names |= {"axis1": 0, "axis2": 1, "source": 0, "target": 1, "indices": (a > 1).astype("int64")}
    names |= {"value": 1.0, "values": a, "low": 0.0, "high": 1.0, "weight": 0.5, "alpha": 2}
    names |= {
        "beta": 3,
        "degree": 1,
        "bins": 4,
        "boundaries": gpuarray.arange(4.0),
        "labels": gpuarray.arange(2),
    }
    names |= {"seed": 7, "p": 0.5, "nbytes": 64, "stream": None, "index": 0}
    return names | {"device": gpuarray.default_device()}


@pytest.mark.parametrize("typed, error, names", ERRORS, ids=[typed for typed, *_ in ERRORS])
def test_an_error_names_what_to_write(device, typed, error, names):
    with pytest.raises(error) as caught:
        eval(typed, values())
    assert type(caught.value) is error
    assert names in str(caught.value)


@pytest.mark.cuda
def test_an_error_of_two_devices_names_the_copy(cuda):
    there, here = gpuarray.ones((3, 3)), gpuarray.ones((3, 3), device="cpu")
    for function in (gpuarray.add, gpuarray.matmul, gpuarray.linalg.solve):
        with pytest.raises(gpuarray.DeviceError, match="to_device"):
            function(there, here)


def test_numpys_functions_leave_other_libraries_a_say(device):
    class Other:
        def __array_function__(self, func, types, args, kwargs):
            return "other"

        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return "other"

    a = gpuarray.ones(3)
    assert np.array_equal(a, Other()) == "other"
    assert np.savez(io.BytesIO(), a, Other()) == "other"
    assert np.spacing(Other()) == "other"


# The directions themselves.

TABLES = {
    "functions": (directions.EXPRESSIONS | directions.SENTENCES, gpuarray),
    "arrays": (directions.ARRAY, gpuarray.GPUArray),
}
# Expressions that need a CUDA device, another process, or what another library made.
_ELSEWHERE = re.compile(
    r'from_cuda_array|open_shared|"cuda"\)|cuda:0|context|elapsed|External|share|SourceModule'
)


@pytest.mark.parametrize("which", TABLES)
def test_directions_are_for_names_that_are_not_here(which):
    table, owner = TABLES[which]
    names = [name for listed in table.values() for name in listed.split()]
    assert sorted(names) == sorted(set(names))
    assert not set(names) & {name for name in dir(owner) if hasattr(owner, name)}
    assert not set(names) & {*getattr(owner, "__all__", ())}


@pytest.mark.parametrize("which", TABLES)
def test_names_in_directions_exist(which):
    for text, listed in TABLES[which][0].items():
        for name in listed.split() if "{name}" in text else [""]:
            written = text.replace("{name}", name)
            for path in re.findall(r"(?<!\.)\bgpuarray\.[\w.]*\w", written):
                functools.reduce(getattr, path.split(".")[1:], gpuarray)
            for attribute in re.findall(r"\ba\.(\w+)", written):
                assert hasattr(gpuarray.GPUArray, attribute), written


def runs(expression):
    """Whether the statement runs, of matrices or of vectors."""
    for names in (values(), values() | {"a": gpuarray.arange(4.0), "b": gpuarray.ones(4)}):
        try:
            exec(expression, names)
            return True
        except (TypeError, ValueError) as error:
            reason = error
    raise AssertionError(f"{expression}: {reason}")


def statements():
    for text, listed in (directions.EXPRESSIONS | directions.ARRAY).items():
        if _ELSEWHERE.search(text) or "(...)" in text or " with " in text:
            continue
        name = listed.split()[0]
        yield from text.replace("{name}", name).split(" or ")


@pytest.mark.parametrize("statement", sorted(set(statements())))
def test_directions_run(device, statement):
    if device != "cpu" or "capture" not in statement:
        assert runs(statement)


def test_each_name_of_numpy_has_a_direction():
    listed = {name for names in TABLES["functions"][0].values() for name in names.split()}
    public = {name for name in np.__all__ if not name.startswith("_")}
    assert not public - {*dir(gpuarray)} - listed


@pytest.mark.parametrize("module", [linalg, fft, random], ids=lambda module: module.__name__)
def test_each_function_of_a_module_has_a_direction(module):
    names = set(dir(getattr(np, module.__name__.rpartition(".")[2])))
    names = {name for name in names if callable(getattr(module, name, None)) and name[0] != "_"}
    for name in names - {*dir(gpuarray)} - {"bytes", "f", "get_state", "set_state", "sample"}:
        assert f"{module.__name__}.{name}" in directions.of_module(name)


# Names of arrays of other libraries, with the functions of NumPy that are methods there.
MISSING = [*directions._ARRAY, "abs", "exp", "median", "split", "tile", "unique", "where"]


@pytest.mark.parametrize("name", MISSING)
def test_an_attribute_of_other_arrays_says_what_to_write(name):
    a = gpuarray.ones(3, device="cpu")
    with pytest.raises(
        AttributeError, match=rf"GPUArray' object has no attribute '{name}'; (?!did)"
    ):
        getattr(a, name)
    assert not hasattr(a, name)
    with pytest.raises(AttributeError):
        setattr(a, name, 1)


def test_the_type_has_no_names_that_only_say_what_to_write():
    a = gpuarray.ones((2, 2), device="cpu")
    listed = {name for name in dir(a) if not name.startswith("_")}
    assert listed == {name for name in vars(gpuarray.GPUArray) if not name.startswith("_")}
    assert not listed & set(MISSING)
    assert all(hasattr(a, name) for name in listed)


def test_a_missing_name_with_an_underscore_gets_no_advice():
    a = gpuarray.ones(3, device="cpu")
    for name in ("_cat", "__wrapped__", ""):
        with pytest.raises(AttributeError, match=f"no attribute '{name}'$"):
            getattr(a, name)


def test_an_attribute_error_within_a_property_is_kept(monkeypatch):
    from gpuarray._protocols import array_methods

    def broken(array):
        raise AttributeError("of the property itself")

    monkeypatch.setattr(array_methods, "gpudata", broken)
    with pytest.raises(AttributeError, match=r"^of the property itself$") as caught:
        gpuarray.ones(3, device="cpu").gpudata  # noqa: B018
    assert caught.traceback[-1].name == "broken"


# Attributes, whether they are there and how they are imported.


def test_names_that_are_not_here_are_not_here():
    for name in ("cat", "arrange", "nothing_like_it", "__wrapped__"):
        assert not hasattr(gpuarray, name)
        assert getattr(gpuarray, name, 7) == 7
        assert name not in dir(gpuarray)
    for module in (linalg, fft, random, memory):
        assert not hasattr(module, "cat")


def test_an_import_of_a_name_that_is_not_here_is_an_import_error():
    with pytest.raises(ImportError, match="cannot import name 'cat'"):
        from gpuarray import cat
    with pytest.raises(ImportError, match="cannot import name 'cat'"):
        from gpuarray.linalg import cat  # noqa: F401


def test_directions_are_imported_at_an_error():
    out = run_python("""
        import sys, gpuarray
        from gpuarray import fft, linalg, memory, random
        (gpuarray.ones(3, device="cpu") + 1).sum()
        print("gpuarray._common.directions" in sys.modules, hasattr(gpuarray, "cat"))
        print("gpuarray._common.directions" in sys.modules)
    """)
    assert out.split() == ["False", "False", "True"]


def test_names_of_python_itself_get_no_direction():
    with pytest.raises(AttributeError) as caught:
        gpuarray.__wrapped__  # noqa: B018
    assert str(caught.value) == "module 'gpuarray' has no attribute '__wrapped__'"


def test_a_traceback_adds_no_guess():
    with pytest.raises(AttributeError) as caught:
        gpuarray.arrange  # noqa: B018
    assert "".join(traceback.format_exception(caught.value)).lower().count("did you mean") == 1
    with pytest.raises(AttributeError) as caught:
        gpuarray.cat  # noqa: B018
    assert "did you mean" not in "".join(traceback.format_exception(caught.value)).lower()


ATTRIBUTES = [
    ("numpy", "write a.get()"),
    ("cpu", "write a.get()"),
    ("cuda", 'write a.to_device("cuda")'),
    ("to", 'write a.to_device("cuda") or a.astype(dtype)'),
    ("detach", "no gradients"),
    ("copy_to_host", "write a.get()"),
    ("is_cuda", 'write a.device.kind == "cuda"'),
    ("exp", "write gpuarray.exp(a)"),
    ("unsqueeze", "write gpuarray.expand_dims(a, axis)"),
    ("backward", "no gradients"),
    ("reshap", "did you mean 'reshape'"),
]


@pytest.mark.parametrize("name, names", ATTRIBUTES)
def test_the_message_for_an_attribute_of_an_array(name, names):
    assert names in directions.of_array(name)
    assert directions.of_array(name).startswith("'gpuarray.GPUArray' object has no attribute")
