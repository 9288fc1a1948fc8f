# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Headers and compilers that kernels of the cpu device depend on without an option that says so."""

import pytest
from _support.process import run_python

IN_ONE_PROCESS = """
    import os
    import gpuarray
    def run(**arguments):
        kernel = gpuarray.ElementwiseKernel("T x", "T y", "y = x + kStep", "plus", **arguments)
        with gpuarray.device("cpu"):
            return int(kernel(gpuarray.zeros(1, "int32"))[0])
"""


# Where a compiler looks for headers without an option of the kernel's.
PLACES = {
    "CPATH": {"CPATH": "{place}"},
    "CPLUS_INCLUDE_PATH": {"CPLUS_INCLUDE_PATH": "/nowhere:{place}"},
    "-Wp": {"CXX": "c++ -Wp,-I,{place}"},
    "-Xpreprocessor": {"CXX": "c++ -Xpreprocessor -I{place}"},
    "-idirafter": {"CXX": "c++ -idirafter {place}"},
}


@pytest.mark.parametrize(
    ("place", "name"), [*((place, "step.hpp") for place in PLACES), ("CPATH", "a step$#.hpp")]
)
def test_headers_that_the_compiler_finds_by_itself(tmp_path, place, name):
    variables = {key: text.format(place=tmp_path) for key, text in PLACES[place].items()}
    code = IN_ONE_PROCESS + f"    print(run(preamble='#include <{name}>'), gpuarray.cache_info())"
    found = []
    for step in (1, 5, 5, 1):
        if not found or found[-1][0] != str(step):
            (tmp_path / name).write_text(f"constexpr int kStep = {step};")
        text = run_python(code, GPUARRAY_CACHE_DIR=str(tmp_path / "cache"), **variables)
        found.append(text.split(maxsplit=1))
    assert [step for step, _ in found] == ["1", "5", "5", "1"]
    assert place == "-idirafter" or "hits=1, stores=0" in found[2][1]


def test_such_headers_that_change_in_one_process(tmp_path):
    code = (
        IN_ONE_PROCESS
        + """
    os.environ["CPATH"] = os.getcwd()
    for step in (1, 5, 1):
        with open("step.hpp", "w") as header:
            header.write(f"constexpr int kStep = {step};")
        print(run(preamble="#include <step.hpp>"))
    """
    )
    assert run_python(code, GPUARRAY_CACHE_DIR=str(tmp_path / "cache")).split() == ["1", "5", "1"]


def test_a_header_that_is_only_touched_is_a_hit(tmp_path):
    code = IN_ONE_PROCESS + "    print(run(preamble='#include <step.hpp>'), gpuarray.cache_info())"
    variables = {"CPATH": str(tmp_path), "GPUARRAY_CACHE_DIR": str(tmp_path / "cache")}
    header = tmp_path / "step.hpp"
    header.write_text("constexpr int kStep = 3;")
    run_python(code, **variables)
    header.touch()
    assert "hits=1, stores=0" in run_python(code, **variables)


def test_the_compiler_behind_a_wrapper_is_part_of_the_key(tmp_path):
    wrapper, compiler = tmp_path / "wrapper", tmp_path / "compiler"
    wrapper.write_text('#!/bin/sh\nexec "$@"\n')
    wrapper.chmod(0o755)
    code = IN_ONE_PROCESS + "    print(run())"
    found = []
    for step in (1, 51):
        compiler.write_text(f'#!/bin/sh\nexec c++ -DkStep={step} "$@"\n')
        compiler.chmod(0o755)
        variables = {"CXX": f"{wrapper} {compiler}", "GPUARRAY_CACHE_DIR": str(tmp_path / "cache")}
        found.append(run_python(code, **variables).strip())
    assert found == ["1", "51"]
