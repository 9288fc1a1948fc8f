# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What kernels of users are called with: every kind of argument arrives as its bytes."""

import ctypes
import functools

import numpy as np
import pytest
from _support.dtypes import DTYPES
from _support.kernels import SOURCE, kernel, untyped
from _support.process import inherited_driver, run_python
from hypothesis import given
from hypothesis import strategies as st

import gpuarray
from gpuarray import driver

pytestmark = pytest.mark.cuda

PARTICLE = np.dtype([("mass", "f8"), ("position", "f4", 3), ("id", "i4")], align=True)
SIZES = [1, 2, 4, 8, 16, 24, 100]
PLAIN = {
    "bool": "bool",
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "int32": "int",
    "uint32": "unsigned int",
    "int64": "long long",
    "uint64": "unsigned long long",
    "float32": "float",
    "float64": "double",
}


@functools.cache
def storing():
    """Kernels that store an argument of each size, of each type."""
    text = "".join(f"typedef struct {{ unsigned char b[{n}]; }} bytes{n};\n" for n in SIZES)
    text += 'extern "C" {\n'
    for n in SIZES:
        text += f"__global__ void store_bytes{n}(bytes{n}* out, bytes{n} x) {{ *out = x; }}\n"
    for name, plain in PLAIN.items():
        text += f"__global__ void store_{name}({plain}* out, {plain} x) {{ *out = x; }}\n"
    return gpuarray.Module(text + "}\n", device="cuda:0")


def stored_bytes(value, nbytes):
    out = gpuarray.zeros(nbytes, np.uint8)
    storing().get_function(f"store_bytes{nbytes}")[1, 1](out, value)
    return out.get().tobytes()


def stored(value, dtype):
    out = gpuarray.zeros(1, dtype)
    storing().get_function(f"store_{np.dtype(dtype).name}")[1, 1](out, value)
    return out.get()[0]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@given(data=st.data())
def test_numpy_scalars_arrive_as_they_are(cuda, dtype, data):
    raw = data.draw(st.binary(min_size=dtype.itemsize, max_size=dtype.itemsize))
    if dtype == np.bool_:
        raw = bytes([raw[0] & 1])
    scalar = np.frombuffer(raw, dtype)[0]
    expected = np.asarray(scalar).tobytes()  # signalling NaNs may be quiet by now
    assert stored_bytes(scalar, dtype.itemsize) == expected
    assert stored_bytes(np.asarray(scalar), dtype.itemsize) == expected


@given(
    mass=st.floats(allow_nan=False), position=st.lists(st.integers(-9, 9), min_size=3, max_size=3)
)
def test_structures(cuda, mass, position):
    value = np.zeros((), PARTICLE)
    value["mass"], value["position"], value["id"] = mass, position, 7
    out = gpuarray.zeros(PARTICLE.itemsize, np.uint8)
    for argument in (value, value[()]):
        out.fill(0)
        kernel("put")[1, 1](out.ptr, argument)
        gpuarray.synchronize()
        assert out.get().view(PARTICLE)[0] == value


@pytest.mark.parametrize("nbytes", SIZES)
def test_structures_of_each_size(cuda, nbytes):
    value = np.frombuffer(bytes(range(nbytes)), f"V{nbytes}")[0]
    assert stored_bytes(value, nbytes) == bytes(range(nbytes))


@pytest.mark.parametrize("dtype", [name for name in PLAIN if "int" in name])
@given(data=st.data())
def test_ints(cuda, dtype, data):
    info = np.iinfo(dtype)
    value = data.draw(st.integers(int(info.min), int(info.max)))
    assert stored(value, dtype) == value
    assert stored(np.int64(value) if value < 2**63 else np.uint64(value), dtype) == value
    beyond = data.draw(st.sampled_from([int(info.min) - 1, int(info.max) + 1, 2**64, -(2**63) - 1]))
    with pytest.raises(OverflowError, match="argument 2 of store_"):
        stored(beyond, dtype)


@given(value=st.floats(allow_nan=False))
def test_floats(cuda, value):
    assert stored(value, "float64") == value
    with np.errstate(over="ignore"):
        narrow = np.float32(value)
    if np.isfinite(narrow) or np.isinf(value):
        assert stored(value, "float32") == narrow
    else:
        with pytest.raises(OverflowError, match="out of bounds for float32"):
            stored(value, "float32")


@pytest.mark.parametrize("value", [True, False])
def test_bools(cuda, value):
    assert stored(value, "bool") == value
    assert stored(np.bool_(value), "bool") == value
    assert stored(value, "int32") == value
    assert stored(value, "float64") == value


def test_what_is_an_int_by_its_index(cuda):
    class Count:
        def __index__(self):
            return 5

    assert stored(Count(), "int32") == 5
    assert stored_bytes(Count(), 4) == bytes([5, 0, 0, 0])
    assert stored(Count(), "float32") == 5


def test_safe_conversions(cuda):
    assert stored(np.float32(1.5), "float64") == 1.5
    assert stored(np.float16(1.5), "float32") == 1.5
    assert stored(7, "float32") == 7
    assert stored(np.int8(7), "float64") == 7
    for value in (np.float64(1.5), 1 + 0j, np.complex64(1)):
        with pytest.raises(TypeError, match="expected float32, got a"):
            stored(value, "float32")
    for value in (1.0, np.float32(1)):
        with pytest.raises(TypeError, match="expected int32, got a"):
            stored(value, "int32")
    with pytest.raises(TypeError, match="expected bool, got an int"):
        stored(1, "bool")


def test_python_numbers_without_a_signature(cuda):
    """By the size of the parameter: of 8 bytes an int or a double, of 4 an int."""
    x = gpuarray.zeros(4)
    fill = untyped("fill")
    fill[1, 4](x, 2.5, 4)
    np.testing.assert_array_equal(x.get(), [2.5] * 4)
    fill[1, 4](x, np.float64(3.5), np.uint32(4))
    np.testing.assert_array_equal(x.get(), [3.5] * 4)
    fill[1, 4](x.ptr, 4.5, True)
    gpuarray.synchronize()
    assert x.get()[0] == 4.5
    for value in (2**32, -(2**31) - 1):
        with pytest.raises(OverflowError, match=f"argument 3 of fill: {value} is out of bounds"):
            fill[1, 4](x, 2.5, value)
    with pytest.raises(TypeError, match=r"pass numpy\.float32\(x\), or give the kernel's sig"):
        untyped("axpy")[1, 1](x, 2.5, x, 4)


@pytest.mark.parametrize("value", [3 + 4j, 5, 2.5, np.complex64(1 - 2j)])
def test_complex_numbers(cuda, value):
    source = """
    template <class T> struct complex { T re, im; };
    extern "C" __global__ void put(complex<double>* out, complex<double> x) { *out = x; }
    """
    put = gpuarray.Module(source).get_function("put")
    out = gpuarray.zeros(1, complex)
    put[1, 1](out, value)
    assert out.get()[0] == value


C_VALUES = [
    ctypes.c_int(-5),
    ctypes.c_double(2.5),
    ctypes.c_float(2.5),
    ctypes.c_uint64(2**63),
    ctypes.c_int8(-1),
]


@pytest.mark.parametrize("value", C_VALUES, ids=lambda v: type(v).__name__)
def test_ctypes_values(cuda, value):
    assert stored_bytes(value, ctypes.sizeof(value)) == bytes(value)


def test_ctypes_structures(cuda):
    class Point(ctypes.Structure):
        _fields_ = [("x", ctypes.c_double), ("y", ctypes.c_double)]

    assert stored_bytes(Point(1, 2), 16) == bytes(Point(1, 2))


class Interface:
    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


class Exporter:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Memory:
    """A memory block of another library."""

    def __init__(self, array):
        self.array, self.ptr = array, array.ptr


class Handle:
    """As cuda-python's CUdeviceptr."""

    def __init__(self, array):
        self.array = array

    def __int__(self):
        return self.array.ptr


class Index(Handle):
    """As PyCUDA's DeviceAllocation."""

    def __index__(self):
        return self.array.ptr


WRAPPERS = [
    *(Interface, Exporter, Memory, Handle, Index),
    lambda a: a.ptr,
    lambda a: np.uint64(a.ptr),
    lambda a: ctypes.c_void_p(a.ptr),
]


@pytest.mark.parametrize("wrap", WRAPPERS)
@pytest.mark.parametrize("find", [kernel, untyped])
def test_pointers_of_every_kind(cuda, wrap, find):
    x = gpuarray.to_device(np.arange(8, dtype=np.float32))
    y = gpuarray.ones(8, np.float32)
    gpuarray.synchronize()  # an address tells nothing of the work pending on it
    find("axpy")[1, 8](wrap(x), np.float32(2), wrap(y), 8)
    gpuarray.synchronize()
    np.testing.assert_array_equal(y.get(), 2 * np.arange(8) + 1)


def test_none_is_the_null_pointer(cuda):
    kernel("axpy")[1, 8](None, 2.0, None, 0)
    gpuarray.synchronize()


def test_foreign_arrays_live_until_the_launch(cuda):
    """Their memory is given back after the kernel, on whatever stream."""
    y = gpuarray.ones(1 << 16, np.float32)
    for _ in range(20):
        stream = gpuarray.Stream()
        x = Exporter(gpuarray.full(1 << 16, 1, np.float32))
        kernel("axpy")[256, 256, stream](x, 1.0, y, 1 << 16)
        del x
        gpuarray.full(1 << 16, 9, np.float32)
    np.testing.assert_array_equal(y.get(), np.full(1 << 16, 21))


def test_many_and_large_parameters(cuda):
    x = gpuarray.to_device(np.arange(5.0))
    y, scale = gpuarray.zeros(5), gpuarray.full(1, 3.0)
    rest = [gpuarray.zeros(1) for _ in range(12)]
    particle = np.zeros((), PARTICLE)
    particle["mass"] = 10
    kernel("big")[1, 1](x, y, 5, scale, particle, 2, *rest)
    np.testing.assert_array_equal(y.get(), np.arange(5) * 3 + 12)
    assert [float(array.get()[0]) for array in rest] == list(range(12))


def test_parameters_of_kilobytes(cuda):
    source = """
    struct Table { double values[200]; };
    extern "C" __global__ void look_up(Table table, double* out) {
      out[threadIdx.x] = table.values[threadIdx.x];
    }
    """
    table = np.arange(200.0)
    out = gpuarray.empty(200)
    argument = table.view("V1600")[0]
    gpuarray.Module(source).get_function("look_up")[1, 200](argument, out)
    np.testing.assert_array_equal(out.get(), table)


def test_host_arrays(cuda):
    x, y = np.arange(12, dtype=np.float32).reshape(3, 4), np.ones((3, 4), np.float32)
    kernel("axpy")[1, 12](driver.In(x), 2.0, driver.InOut(y), 12)
    np.testing.assert_array_equal(y, 2 * x + 1)
    out = np.zeros(6)
    kernel("fill")[1, 6](driver.Out(out[::2]), 4.0, 3)
    np.testing.assert_array_equal(out, [4, 0, 4, 0, 4, 0])


def test_host_arrays_on_a_stream(cuda):
    x, y = np.ones(1000, np.float32), np.zeros(1000, np.float32)
    kernel("axpy")[4, 256, gpuarray.Stream()](driver.In(x), 3.0, driver.InOut(y), 1000)
    np.testing.assert_array_equal(y, np.full(1000, 3))


def test_the_first_host_arrays_in_two_threads(cuda):
    """Each may come upon the import of their class while the other is in it."""
    code = f"""
import builtins, threading, time
import numpy as np
import gpuarray
from gpuarray import driver
fill = gpuarray.Module({SOURCE!r}, device="cuda:0").get_function("fill")
found_import = builtins.__import__
def slow_import(name, *args):
    if name == "gpuarray.driver":
        time.sleep(0.2)
    return found_import(name, *args)
builtins.__import__ = slow_import
together = threading.Barrier(2)
found = np.zeros((2, 4))
def work(out):
    together.wait()
    fill[1, 4](driver.Out(out), 3.0, 4)
threads = [threading.Thread(target=work, args=(out,)) for out in found]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(found.tolist())
"""
    assert run_python(code, **inherited_driver()) == f"{[[3.0] * 4] * 2}\n"


def test_host_arguments_are_arrays(cuda):
    with pytest.raises(TypeError, match="In: expected a NumPy array, got list"):
        driver.In([1, 2])
    x = np.ones(3)
    x.flags.writeable = False
    assert driver.In(x).array is x
    for kind in (driver.Out, driver.InOut):
        with pytest.raises(ValueError, match=f"{kind.__name__}: the array is read-only"):
            kind(x)


def test_strided_arrays(cuda):
    x = gpuarray.to_device(np.arange(24, dtype=np.float32).reshape(4, 6))
    axpy, y = kernel("axpy"), gpuarray.zeros(24, np.float32)
    for view in (x.T, x[:, ::2], x[::-1]):
        with pytest.raises(ValueError, match="expected a C-contiguous array, got shape"):
            axpy[1, 24](view, 1.0, y, 24)
    axpy(x.T, 1.0, y, 24, grid=1, block=24, strided=True)
    np.testing.assert_array_equal(y.get(), np.arange(24))
    axpy.configure(1, 24, strided=True)(x.T, 1.0, y, 24)
    np.testing.assert_array_equal(y.get(), 2 * np.arange(24))
