# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""gpuarray/_core.pyi is what the generator makes, and describes the compiled module."""

import ast
import importlib.util
import inspect
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import gpuarray
from gpuarray import _core
from gpuarray._protocols import array_methods

ROOT = Path(__file__).resolve().parents[2]
STUB = ROOT / "gpuarray" / "_core.pyi"

TREE = ast.parse(STUB.read_text())
CLASSES = {node.name: node for node in TREE.body if isinstance(node, ast.ClassDef)}

# Slots that Python fills in for every type, or that share a slot with another.
IMPLIED = {"__module__", "__doc__", "__repr__", "__str__", "__delitem__", "__vectorcalloffset__"}
COMPARISONS = {"__lt__", "__le__", "__gt__", "__ge__"}


def decorators(node):
    return {item.id for item in node.decorator_list if isinstance(item, ast.Name)}


def is_public(node):
    """Whether the module has it: it is not what only type checkers see."""
    return "type_check_only" not in decorators(node)


FUNCTIONS = {
    node.name: node for node in TREE.body if isinstance(node, ast.FunctionDef) and is_public(node)
}


def public_classes():
    return [name for name, node in CLASSES.items() if is_public(node)]


def members(node):
    names = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
    return names | {
        item.target.id
        for item in node.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
    }


def shape_of(arguments):
    """Names, kinds and which have a default; without the instance."""
    positional = [argument.arg for argument in arguments.posonlyargs]
    either = [argument.arg for argument in arguments.args]
    star = arguments.vararg.arg if arguments.vararg else None
    keywords = [argument.arg for argument in arguments.kwonlyargs]
    optional = [default is not None for default in arguments.kw_defaults]
    for names in (positional, either):
        if "self" in names:
            names.remove("self")
    return positional, either, len(arguments.defaults), star, keywords, optional


def runtime_shape(function):
    """The same from __text_signature__, or __signature__ of ufuncs; None where there is none."""
    if isinstance(function, _core.ufunc):
        text = str(inspect.signature(function))
    else:
        text = getattr(function, "__text_signature__", None)
    if text is None:
        return None
    for prefix in ("($module, /", "($module", "($self"):
        if text.startswith(prefix):
            instance = "(self" if prefix == "($self" else "("
            text = instance + text.removeprefix(prefix)
            break
    return shape_of(ast.parse(f"def f{text.replace('(, ', '(')}: ...").body[0].args)


def test_stub_is_up_to_date():
    generate = runpy.run_path(str(ROOT / "tools" / "generate_stubs.py"))["generate"]
    assert STUB.read_text() == generate(), "run tools/generate_stubs.py"


def text_of(doc):
    return " ".join(doc.split())


@pytest.mark.parametrize("name", ["GPUArray", "Stream", "empty", "exp", "sum", "asnumpy"])
def test_docstrings_are_those_of_the_module(name):
    nodes = [node for node in TREE.body if getattr(node, "name", None) == name]
    assert nodes
    for node in nodes:
        assert text_of(ast.get_docstring(node)) == text_of(getattr(_core, name).__doc__)


def test_public_members_have_docstrings():
    for node in CLASSES["GPUArray"].body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            setter = any(isinstance(item, ast.Attribute) for item in node.decorator_list)
            assert (ast.get_docstring(node) is None) == setter, node.name


def test_module_names():
    found = {name for name in vars(_core) if not name.startswith("__")}
    assert found == set(FUNCTIONS) | set(public_classes())


@pytest.mark.parametrize("name", public_classes())
def test_type_members(name):
    found = {
        member for member, value in vars(getattr(_core, name)).items() if member not in IMPLIED
    }
    buffer = {"__buffer__", "__release_buffer__"}  # in Python from 3.12 on
    stated = members(CLASSES[name]) - buffer
    if name == "GPUArray":
        # The lookup is object's, with an error that says what to write.
        found -= {"__getattribute__", "__getattr__"}
    else:
        found -= COMPARISONS  # return NotImplemented
    assert found - buffer == stated


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_signature(name):
    shape = runtime_shape(getattr(_core, name))
    assert shape is not None, f"{name} has no signature"
    assert shape_of(FUNCTIONS[name].args) == shape


@pytest.mark.parametrize("name", public_classes())
def test_method_signatures(name):
    checked = 0
    for item in CLASSES[name].body:
        if not isinstance(item, ast.FunctionDef) or item.decorator_list:
            continue
        member = vars(getattr(_core, name)).get(item.name)
        if type(member).__name__ != "method_descriptor" or member.__text_signature__ is None:
            continue
        assert shape_of(item.args) == runtime_shape(member), item.name
        checked += 1
    # These have no methods.
    assert checked or name in ("_Dispatcher", "_Launcher", "ufunc")


def delegated():
    """Methods of GPUArray written in Python: (name, name of the Python function) each."""
    sources = (ROOT / "src" / "py" / "array").glob("*.cpp")
    row = re.compile(r'\{"(\w+)", method<delegate<"(\w+)">>')
    return sorted(found for source in sources for found in row.findall(source.read_text()))


@pytest.mark.parametrize(("name", "function"), delegated())
def test_signatures_of_methods_in_python(name, function):
    parameters = inspect.signature(getattr(array_methods, function)).parameters
    kinds = {parameter.kind for parameter in parameters.values()}
    if name != "__array_ufunc__" and kinds & {inspect.Parameter.VAR_POSITIONAL}:
        pytest.skip("it passes its arguments on")
    method = inspect.signature(getattr(_core.GPUArray, name)).parameters
    assert list(method)[1:] == list(parameters)[1:]


TYPED = """
import gpuarray
import gpuarray._core

gpuarray.no_such_name
gpuarray.build_config
gpuarray._arange
gpuarray._core.no_such_name
gpuarray.zeros(3).no_such_name
reveal_type(gpuarray.bfloat16)
reveal_type(gpuarray.zeros(3).flat)
reveal_type(gpuarray.ElementwiseKernel)
"""


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_wrong_names_are_errors_of_type_checkers(tmp_path):
    (tmp_path / "typed.py").write_text(TYPED)
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", tmp_path / "typed.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if "typed.py" in line]
    wrong = [line.split(":")[1] for line in lines if "attr-defined" in line]
    assert wrong == ["5", "6", "7", "8", "9"], done.stdout + done.stderr
    assert "Any" in lines[-3]
    assert "FlatIterator" in lines[-2]
    assert "ElementwiseKernel" in lines[-1]


CALLS = """
import numpy as np
import gpuarray as ga
a = ga.zeros((3, 2))
a[0] = [1, 2]
a[0] = (1, True)
a[0] = [np.float32(1), a[0, 0]]
a[a > 1] = [1.5]
a.flat = [[1, 2], [3, 4], [5, 6]]
a.fill(2)
ga.full(3, [1, 2, 3])
ga.full((2, 3), [[1, 2, 3], [1, 2, 3]], dtype="f4")
ga.full_like(a, [1, 2])
ga.clip(a, 0, None)
ga.clip(a, min=0, max=[1, 2])
ga.clip(a, a_min=0, a_max=1)
ga.clip(a, 0, 1, out=a, where=a > 1, casting="unsafe")
a.clip(min=[0, 1])
a.clip(0, 1, where=a > 1, dtype="f4")
ga.angle(a, deg=True)
"""


def test_type_checkers_take_what_the_library_takes(tmp_path):
    api = pytest.importorskip("mypy.api")
    exec(CALLS, {})
    (tmp_path / "calls.py").write_text(CALLS)
    package = str(Path(gpuarray.__file__).parents[1])
    options = ["--follow-imports=silent", "--ignore-missing-imports", f"--cache-dir={tmp_path}"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MYPYPATH", package)
        said, errors, _ = api.run([*options, str(tmp_path / "calls.py")])
    assert "Success" in said, said + errors
