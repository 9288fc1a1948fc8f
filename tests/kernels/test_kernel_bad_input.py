# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Arguments of wrong types for what makes kernels: a TypeError that names the argument."""

import re

import pytest

import gpuarray

WRONG = [3, 2.5, b"x", [1], object()]
SOURCE = "__device__ int f;\n"


def identity(x):
    return x


def elementwise(**changed):
    given = {"in_params": "T x", "out_params": "T y", "operation": "y = x", **changed}
    return gpuarray.ElementwiseKernel(**given)


def reduction(**changed):
    given = {"in_params": "T x", "out_params": "T y", "map_expr": "x", "reduce_expr": "a + b"}
    return gpuarray.ReductionKernel(**{**given, "post_map_expr": "", "identity": 0, **changed})


def scan(**changed):
    given = {"in_params": "T x", "out_params": "T y", "map_expr": "x", "scan_expr": "a + b"}
    return gpuarray.ScanKernel(**{**given, **changed})


def flat_scan(**changed):
    return gpuarray.InclusiveScanKernel(**{"dtype": "float32", "scan_expr": "a + b", **changed})


def device_function(**changed):
    return gpuarray.declare_device(**{"name": "f", "signature": "float32(float32)", **changed})


def module(**changed):
    return gpuarray.Module(**{"code": SOURCE, "arch": "sm_90", **changed})


def linkable(**changed):
    return gpuarray.LinkableCode(**{"data": SOURCE, **changed})


def fuse(**changed):
    return gpuarray.fuse(**changed)(identity)


def vectorize(**changed):
    return gpuarray.vectorize(**changed)(identity)


ARGUMENTS = {
    elementwise: "in_params out_params operation name preamble loop_prep after_loop options",
    reduction: "in_params out_params map_expr reduce_expr post_map_expr name preamble options",
    scan: "in_params out_params map_expr scan_expr post_map_expr name preamble options",
    flat_scan: "dtype scan_expr options preamble",
    device_function: "name signature abi",
    module: "include_dirs options defines name_expressions link_options",
    linkable: "name",
    fuse: "kernel_name",
    vectorize: "kernel_name",
}
CASES = [(make, name) for make, names in ARGUMENTS.items() for name in names.split()]


@pytest.mark.parametrize(("make", "name"), CASES, ids=lambda one: getattr(one, "__name__", one))
def test_texts_and_dtypes(make, name):
    for wrong in WRONG:
        expected = f"{name}: .*expected .*, got {type(wrong).__name__}|{name}.*expected .*got int"
        with pytest.raises(TypeError, match=expected):
            make(**{name: wrong})


@pytest.mark.parametrize("make", [elementwise, reduction, scan])
def test_functions_to_link(make):
    for wrong in (3, 2.5, None, object()):
        with pytest.raises(TypeError, match=f"functions: .*got {type(wrong).__name__}"):
            make(functions=wrong)


@pytest.mark.parametrize("name", ["link", "code", "path"])
def test_code_of_modules(name):
    for wrong in (3, 2.5, object()):
        with pytest.raises(TypeError, match=f"{name}: expected .*got {type(wrong).__name__}"):
            module(**{name: wrong})


@pytest.mark.parametrize("wrong", [2.5, b"x", [9, 0], object()])
def test_architectures(wrong):
    with pytest.raises(TypeError, match=f"arch: expected .*got {type(wrong).__name__}"):
        module(arch=wrong)


@pytest.mark.parametrize("make", [module, linkable])
@pytest.mark.parametrize("name", ["setup_callback", "teardown_callback"])
def test_callbacks(make, name):
    for wrong in WRONG:
        with pytest.raises(TypeError, match=f"{name}: expected a function, got"):
            make(**{name: wrong})


def test_types_of_reductions_and_scans():
    for wrong in (3, 2.5, object()):
        with pytest.raises(TypeError, match=f"expected a dtype, got {type(wrong).__name__}"):
            reduction(reduce_type=wrong)
        with pytest.raises(TypeError, match=f"expected a dtype, got {type(wrong).__name__}"):
            scan(scan_type=wrong)
    for wrong in ([1], b"x", object(), gpuarray.ones(2, device="cpu")):
        with pytest.raises(TypeError, match="identity: expected a number, a str of C"):
            reduction(identity=wrong)


def test_in_params_that_are_none():
    with pytest.raises(TypeError, match="in_params: expected a str, got NoneType"):
        gpuarray.ReductionKernel(None, "T y", "x", "a + b", "", 0)
    with pytest.raises(TypeError, match=r"expected a str.*got NoneType|missing"):
        elementwise(operation=None)


def test_data_of_code():
    for wrong in (None, 3, [1], object()):
        message = rf"expected a path, bytes or a str, got {re.escape(type(wrong).__name__)}"
        with pytest.raises(TypeError, match=message):
            gpuarray.LinkableCode(wrong)


def test_functions_that_are_none():
    for decorate in (gpuarray.fuse, gpuarray.vectorize):
        for wrong in WRONG:
            with pytest.raises(TypeError, match="expected a function, got"):
                decorate(wrong)
