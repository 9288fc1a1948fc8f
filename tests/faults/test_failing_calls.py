# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Every function of the driver and of CUDA's libraries failed in turn; no function is left out."""

import os
import subprocess
import sys

import pytest
from _support.process import inherited_driver, run_python
from _support.stub_driver import ROOT
from faults.driver_rows import ROWS
from faults.failing_libraries import (
    HEADERS,
    build_failing,
    build_linker,
    driver_functions,
    library_functions,
)
from faults.library_rows import LACKS_MEMORY, TABLES
from faults.rows import Row

on_test_driver = pytest.mark.skipif(
    "GPUARRAY_TEST_DRIVER" not in os.environ, reason="on the test driver alone"
)


def test_every_function_of_the_driver_has_a_row():
    assert len(driver_functions()) > 80
    assert list(ROWS) == driver_functions()


@pytest.mark.parametrize("library", HEADERS)
def test_every_function_of_a_library_has_a_row(library):
    functions = [function.name for function in library_functions(library)]
    assert len(functions) > 7
    assert list(TABLES[library]) == functions


def test_the_documentation_lists_the_functions_that_fail_without_a_word():
    page = (ROOT / "docs" / "faults.md").read_text()
    listed = page.split("<!-- begin quiet -->")[1].split("<!-- end quiet -->")[0]
    rows = [row for table in (ROWS, *TABLES.values()) for row in table.items()]
    quiet = [name for name, row in rows if isinstance(row, Row) and row.raises is None]
    assert listed.replace("`", "").split() == quiet


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Give the variables of a process whose libraries' functions can be made to fail."""
    folder = tmp_path_factory.mktemp("failing")
    variables = {**inherited_driver(), "GPUARRAY_TEST_DRIVER_DEVICES": "2"}
    variables["GPUARRAY_LIBNVJITLINK"] = str(build_linker(folder))
    for library in HEADERS:
        name = f"GPUARRAY_LIB{library.upper()}"
        if library != "nvjitlink":
            variables[name] = str(build_failing(library, variables[name], folder))
    return variables


@on_test_driver
@pytest.mark.parametrize(
    "arguments",
    [[library] for library in ("driver", *TABLES)]
    + [[library, "--memory"] for library in LACKS_MEMORY],
    ids=" ".join,
)
def test_each_call_fails_in_turn(arguments, environment, tmp_path):
    """The exception names the function, nothing is lost, and all goes on."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("GPUARRAY_")}
    folders = os.pathsep.join([str(ROOT / "tests"), *filter(None, [os.getenv("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-P", ROOT / "tests" / "faults" / "run_rows.py", *arguments],
        env={**inherited, **environment, "PYTHONPATH": folders},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    said = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    table = {"driver": ROWS, **TABLES}[arguments[0]]
    assert list(said) == [name for name, row in table.items() if isinstance(row, Row)]
    wrong = {name: text for name, text in said.items() if text != "ok"}
    assert not wrong, "\n".join(f"{name}: {text}" for name, text in wrong.items())


HANDLES = [
    ("CUBLAS", "cublasCreate_v2", "cublasSetMathMode", "x @ x"),
    ("CUSOLVER", "cusolverDnCreate", "cusolverDnCreateParams", "gpuarray.linalg.lu_factor(x)"),
]


@on_test_driver
@pytest.mark.parametrize(("library", "create", "then", "program"), HANDLES)
def test_a_handle_made_before_a_call_failed_is_kept(library, create, then, program, environment):
    code = f"""
    import ctypes, os, gpuarray
    library = ctypes.CDLL(os.environ["GPUARRAY_LIB{library}"])
    x = gpuarray.eye(300, dtype="float32")
    for _ in range(3):
        library.test_driver_fail(b"{then}", ctypes.c_int64(1), 7)
        try:
            {program}
            raise SystemExit("no error")
        except gpuarray.CudaError:
            pass
    {program}
    print(library.stub_calls(b"{create}"))
    """
    assert run_python(code, **environment) == "1\n"
