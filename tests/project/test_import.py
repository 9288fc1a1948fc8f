# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What importing does not do, and the public names."""

import inspect
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from _support.process import run_python

import gpuarray
from gpuarray._common import later_names


def test_import_loads_no_driver():
    out = run_python("""
        import gpuarray
        with open("/proc/self/maps") as maps:
            loaded = {line.split()[-1] for line in maps if "/" in line}
        print([name for name in loaded if "libcuda" in name or "libnvrtc" in name])
    """)
    assert out.strip() == "[]"


def test_import_without_a_driver():
    out = run_python("import gpuarray; print(gpuarray.__name__)", GPUARRAY_LIBCUDA="/nowhere")
    assert out.strip() == "gpuarray"


def test_import_loads_what_every_program_needs():
    """Other modules of the package, and of Python, are loaded when one of their names is used."""
    out = run_python("""
        import sys, numpy
        before = set(sys.modules)
        import gpuarray
        after = set(sys.modules) - before
        print(len([name for name in after if name.startswith("gpuarray")]), len(after))
        print(sorted(after & {"threading", "inspect", "importlib.util", "gpuarray.memory"}))
        gpuarray.sort, gpuarray.memory_info
        print(sorted(set(sys.modules) & {"gpuarray._sorting.sorting", "gpuarray.memory"}))
    """)
    counts, early, late = out.splitlines()
    assert max(map(int, counts.split())) <= 40
    assert early == "[]"
    assert late == "['gpuarray._sorting.sorting', 'gpuarray.memory']"


def test_import_starts_nothing():
    """No process, no thread, no file but modules."""
    out = run_python("""
        import sys, threading
        events = []
        sys.addaudithook(lambda name, args: events.append(name))
        import gpuarray
        print([e for e in events if e in ("subprocess.Popen", "os.fork", "os.system")])
        print(threading.active_count())
    """)
    assert out.split() == ["[]", "1"]


def test_cpu_work_loads_no_driver():
    out = run_python("""
        import gpuarray
        with gpuarray.device("cpu"):
            x = gpuarray.arange(10.0)
            (x * x + 1).sum().item()
        print("libcuda" in open("/proc/self/maps").read())
    """)
    assert out.strip() == "False"


def test_ml_dtypes_is_not_needed():
    out = run_python("""
        import sys
        sys.modules["ml_dtypes"] = None
        import gpuarray
        with gpuarray.device("cpu"):
            x = gpuarray.ones(3, "bfloat16") + 1
            print(x.astype("float32").tolist(), repr(x))
            try:
                x.dtype
            except TypeError as error:
                print(error)
    """)
    assert "[2.0, 2.0, 2.0]" in out
    assert "bfloat16" in out
    assert "ml_dtypes" in out


def test_bfloat16_is_that_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert gpuarray.bfloat16 is ml_dtypes.bfloat16
    assert not hasattr(gpuarray, "float8")


def test_source_folder_says_that_it_is_not_built():
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1]); import gpuarray"]
    finished = subprocess.run([*command, root], capture_output=True, text=True, timeout=60)
    built = finished.returncode == 0  # an editable build
    assert built or "ImportError: this source folder is not built" in finished.stderr


def test_everything_public_is_there_and_documented():
    assert gpuarray.__version__
    assert len(set(gpuarray.__all__)) == len(gpuarray.__all__)
    for name in gpuarray.__all__:
        value = getattr(gpuarray, name)
        if inspect.isroutine(value) or inspect.isclass(value):
            assert inspect.getdoc(value), f"{name} has no docstring"


def test_methods_are_documented():
    for name, value in vars(gpuarray.GPUArray).items():
        if not name.startswith("_"):
            assert inspect.getdoc(value), f"GPUArray.{name} has no docstring"


def test_show_config_says_what_was_built(capsys):
    gpuarray.show_config()
    text = capsys.readouterr().out
    assert gpuarray.__version__ in text
    for word in ("compiler", "cuda"):
        assert word in text.lower()


def test_exit_with_live_arrays_is_clean():
    run_python("""
        import gpuarray
        x = gpuarray.ones(1000)
        y = memoryview(x.to_device("cpu"))
        keep = [x, y, x[1:], gpuarray.current_stream()]
    """)


def test_names_of_kernels_are_those_of_the_package():
    from gpuarray import kernels

    public = {name for name in vars(kernels) if not name.startswith("_")}
    assert {"ElementwiseKernel", "Kernel", "RawKernel", "driver", "fuse"} <= public
    assert public <= set(gpuarray.__all__) & set(dir(gpuarray))
    assert all(getattr(gpuarray, name) is getattr(kernels, name) for name in public)


def test_names_bound_later_are_those_of_their_modules():
    for path, names in later_names.NAMES.items():
        module = import_module(f"gpuarray.{path}")
        kept = {"CacheInfo", "ClearedCache"}  # results of functions, not names to call
        if path.startswith("_"):  # a public module has names of its own besides
            assert set(names) == set(getattr(module, "__all__", names)) - kept
        assert all(getattr(gpuarray, name) is getattr(module, name) for name in names)


def test_a_name_that_the_program_has_set_stays():
    out = run_python("""
        import gpuarray
        gpuarray.sort = "mine"
        gpuarray.argsort
        print(gpuarray.sort)
    """)
    assert out.strip() == "mine"


def test_all_other_modules_are_private():
    package = Path(__file__).resolve().parents[2] / "gpuarray"
    modules = {path.stem for path in package.glob("*.py")}
    modules |= {path.parent.name for path in package.glob("*/__init__.py")}
    public = {name for name in modules if not name.startswith("_")}
    files = {"errors", "memory", "driver", "fft", "kernels", "linalg", "random", "testing"}
    files |= {"collectives", "dask", "zarr"}
    assert public == files | {"cuda", "lib", "profiler", "pycuda"}


def test_device_is_a_function_and_no_module():
    assert inspect.isfunction(gpuarray.device)
    assert find_spec("gpuarray.device") is None
