# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Fused functions in files, which run without the function and without a compiler."""

import inspect
import os
import pickle

import numpy as np
import pytest
from _support.compare import assert_same
from _support.device_code import needs_nvrtc
from _support.fused import array, same
from _support.process import inherited_driver, run_python
from hypothesis import given
from hypothesis import strategies as st

import gpuarray
from gpuarray import _fusion

# What a process without a compiler has of gpuarray.
NO_COMPILER = {"GPUARRAY_LIBNVRTC": os.devnull, "GPUARRAY_CACHE_BYTES": "0", "CXX": "/nowhere/c++"}
ROWS = {"axis": -1, "keepdims": True}


def axpy(a, x, y=1.0, *, scale=2):
    return a * x + y * scale


def replaced(x, least=float("-inf"), other=float("nan"), *, count=2, flag=True):
    return gpuarray.where(x > 0.5, other, gpuarray.maximum(x, least)) * count + flag


def both(x, y):
    x *= 2
    return x + y, gpuarray.where(x > y, x, y), x


def total(x, y):
    return ((x - y) * (x - y)).sum(axis=0)


def softmax(x):
    e = gpuarray.exp(x - x.max(**ROWS))
    return e / e.sum(**ROWS)


def sum_of(*arrays):
    return sum(arrays[1:], arrays[0])


# Functions, and the arguments of the calls before they are saved.
CALLS = {
    axpy: [lambda: (2.0, array("float32")), lambda: (3, array("complex64"), array("int16", (5,)))],
    replaced: [lambda: (array("float64"),), lambda: (array("float32"), 0.25)],
    both: [lambda: (array("float64"), array("float64", seed=1))],
    total: [lambda: (array("float32"), array("float32", seed=1))],
    softmax: [lambda: (array("float32", (70, 64)),)],
    sum_of: [lambda: (array("uint8"),) * 3, lambda: (array("float16"), array("bfloat16"))],
}


def saved(function, path, architectures=None):
    """Save a function after its calls, and return what these gave."""
    fused = gpuarray.fuse(function)
    results = [fused(*arguments()) for arguments in CALLS[function]]
    fused.save(path, architectures)
    return results


@pytest.mark.cuda
@pytest.mark.parametrize("function", CALLS, ids=lambda function: function.__name__)
def test_a_process_without_a_compiler(cuda, function, tmp_path):
    expected = saved(function, tmp_path / "f")
    for k, (arguments, results) in enumerate(zip(CALLS[function], expected, strict=True)):
        given = [one.get() if hasattr(one, "get") else one for one in arguments()]
        arrays = {f"in{n}": one for n, one in enumerate(given) if isinstance(one, np.ndarray)}
        results = results if isinstance(results, tuple) else (results,)
        arrays |= {f"out{n}": one.get() for n, one in enumerate(results)}
        # NumPy's files have no bfloat16.
        names = {name: str(one.dtype) for name, one in arrays.items()}
        np.savez(
            tmp_path / f"{k}",
            **{name: one.view(f"V{one.itemsize}") for name, one in arrays.items()},
        )
        run_python(
            f"""
            import numpy as np
            import gpuarray

            names = {names!r}
            with np.load({str(tmp_path / f"{k}.npz")!r}) as file:
                arrays = {{name: gpuarray.to_device(np.ascontiguousarray(file[name]).view(
                    gpuarray.ones(0, names[name]).dtype)) for name in names}}
            given = {[None if isinstance(one, np.ndarray) else one for one in given]!r}
            given = [arrays[f"in{{n}}"] if one is None else one for n, one in enumerate(given)]
            results = gpuarray.load_fused({str(tmp_path / "f")!r})(*given)
            results = results if isinstance(results, tuple) else (results,)
            for n, one in enumerate(results):
                assert one.get().tobytes() == arrays[f"out{{n}}"].get().tobytes()
                assert str(one.dtype) == names[f"out{{n}}"]
            """,
            **inherited_driver() | NO_COMPILER,
        )


@pytest.mark.cuda
def test_what_the_file_lacks_is_said_without_a_compiler(cuda, tmp_path):
    saved(axpy, tmp_path / "f")
    printed = run_python(
        f"""
        import gpuarray
        f = gpuarray.load_fused({str(tmp_path / "f")!r})
        x = gpuarray.ones((40, 50), "float32")
        for given in ((2.0, x.T[::2]), (2.0, x.astype("int8"))):
            try:
                f(*given)
            except (gpuarray.DeviceError, TypeError) as error:
                print(error)
        print(f(2.0, x).sum())
        """,
        **inherited_driver() | NO_COMPILER,
    ).splitlines()
    assert len(printed) == 3
    assert "the file has no kernel" in printed[0]
    assert "NVRTC" in printed[0]
    assert "an array of int8" in printed[1]
    assert float(printed[2]) == 40 * 50 * 4


@needs_nvrtc
@pytest.mark.parametrize("function", [axpy, both, sum_of], ids=lambda function: function.__name__)
def test_loaded_functions_give_the_same(device, function, tmp_path):
    expected = saved(function, tmp_path / "f", ["sm_90", 75, "compute_80"])
    loaded = gpuarray.load_fused(tmp_path / "f")
    assert loaded.__name__ == function.__name__
    assert str(inspect.signature(loaded)) == str(inspect.signature(function))
    for arguments, results in zip(CALLS[function], expected, strict=True):
        same(loaded(*arguments()), results)
        same(pickle.loads(pickle.dumps(loaded))(*arguments()), results)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "f"
    with gpuarray.device("cpu"):
        saved(axpy, path, ["sm_90"])
    return path


@needs_nvrtc
def test_calls_that_a_loaded_function_refuses(device, file):
    loaded, x = gpuarray.load_fused(file), array("float32")
    assert_same(loaded(2.0, x, scale=3), (x * 2.0 + 1.0 * 3).get())
    with pytest.raises(TypeError, match="unexpected keyword"):
        loaded(2.0, x, other=1)
    with pytest.raises(TypeError, match=r"array of float64.*expected one of.*array float32"):
        loaded(2.0, x.astype("float64"))
    with pytest.raises(ValueError, match="broadcast"):
        loaded(3, array("complex64"), array("int16", (4,)))
    with pytest.raises(gpuarray.FusionError, match="call it outside"):
        gpuarray.fuse(lambda x: loaded(2.0, x))(x)


@needs_nvrtc
@given(data=st.data())
def test_damaged_files(file, data):
    content = bytearray(file.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        content[place] ^= data.draw(st.integers(1, 255))
    else:
        del content[place:]
    damaged = file.with_name("damaged")
    damaged.write_bytes(content)
    with pytest.raises(ValueError, match=r"is damaged, or is no file that the method save\(\)"):
        gpuarray.load_fused(damaged)


@needs_nvrtc
def test_other_versions(file, monkeypatch):
    monkeypatch.setattr(_fusion.saved, "VERSION", "0.0.1")
    with pytest.raises(ValueError, match="another version"):
        gpuarray.load_fused(file)
    with pytest.raises(FileNotFoundError):
        gpuarray.load_fused(file.with_name("none"))
    with pytest.raises(TypeError):
        gpuarray.load_fused(3)


@needs_nvrtc
@pytest.mark.usefixtures("device")
def test_a_file_that_cannot_be_written_whole_stays_as_it_was(file, tmp_path):
    path = tmp_path / "folder" / "f"
    with pytest.raises(FileNotFoundError):
        saved(axpy, path, ["sm_90"])
    path = tmp_path / "f"
    path.mkdir()
    with pytest.raises(OSError):
        saved(axpy, path, ["sm_90"])
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.cuda
@pytest.mark.parametrize("has_compiler", [True, False])
def test_images_that_the_driver_refuses(cuda, tmp_path, has_compiler):
    saved(axpy, tmp_path / "f")
    run_python(
        f"""
        import gpuarray
        from unittest import mock
        from gpuarray import _core

        keep = _core._keep_saved_image
        x = gpuarray.ones((40, 50), "float32")
        with mock.patch.object(
            _core, "_keep_saved_image", lambda digest, arch, image: keep(digest, arch, b"no image")
        ):
            f = gpuarray.load_fused({str(tmp_path / "f")!r})
        try:
            assert f(2.0, x).sum() == 40 * 50 * 4
            assert {has_compiler}
        except gpuarray.DeviceError as error:
            assert "NVRTC" in str(error)
            assert not {has_compiler}
        f = gpuarray.load_fused({str(tmp_path / "f")!r})
        assert f(2.0, x).sum() == 40 * 50 * 4
        """,
        **inherited_driver() | ({} if has_compiler else NO_COMPILER),
    )


def test_what_cannot_be_saved(device, tmp_path):
    path, x = tmp_path / "f", array("float32")
    fused = gpuarray.fuse(axpy)
    with pytest.raises(gpuarray.FusionError, match=r"no call .* call it first"):
        fused.save(path)
    fused(2.0, x)
    with pytest.raises(TypeError, match="list"):
        fused.save(path, "sm_90")
    for wrong in (["sm_13"], ["sm_90a"], ["sm_\uff19\uff10"], []):
        with pytest.raises((ValueError, gpuarray.DeviceError)):
            fused.save(path, wrong)

    class Layer:
        __hash__ = None
        weight = x

        def __repr__(self):
            raise AssertionError("a call shows none of its arguments")

    layer, number = Layer(), np.float32(2)
    others = [lambda x, name=None: -x if name is None else x]
    others += [lambda x, a=number: a * x]
    for function in others:
        named = gpuarray.fuse(function)
        same(named(x), function(x))
        with pytest.raises(gpuarray.FusionError, match=r"constants|default of a"):
            named.save(path, ["sm_90"])
    of_layer = gpuarray.fuse(lambda x, layer: layer.weight * x)
    same(of_layer(x, layer), x * x)
    with pytest.raises(gpuarray.FusionError, match="object Layer"):
        of_layer.save(path, ["sm_90"])
    assert not path.exists()


def test_without_a_device_the_architectures_are_named(tmp_path):
    run_python(
        f"""
        import gpuarray
        f = gpuarray.fuse(lambda x: x + 1)
        f(gpuarray.ones(3, device="cpu"))
        try:
            f.save({str(tmp_path / "f")!r})
        except ValueError as error:
            assert "no CUDA device here" in str(error)
        else:
            raise AssertionError
        """,
        GPUARRAY_LIBCUDA="/nowhere",
    )
