# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Files, text and buffers: what is written is what NumPy reads, and the other way round."""

import inspect
import io

import numpy as np
import pytest
from _support.special_values import DTYPES, sample

import gpuarray


def agree(got, expected, device):
    assert isinstance(got, gpuarray.GPUArray)
    assert (got.device, got.dtype, got.shape) == (device, expected.dtype, expected.shape)
    np.testing.assert_array_equal(got.get(), expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_npy(device, tmp_path, dtype):
    x = sample(dtype, (4, 5))
    for name, a in (("c", x), ("f", x.T), ("scalar", x[0, 0])):
        path = tmp_path / f"{name}.npy"
        gpuarray.save(path, gpuarray.to_device(a))
        np.testing.assert_array_equal(np.load(path), a)
        agree(gpuarray.load(path), np.asarray(a), device)
        agree(gpuarray.load(path, mmap_mode="r"), np.asarray(a), device)


def test_npy_in_memory_and_by_numpy(device):
    x = np.arange(6).reshape(2, 3)
    file = io.BytesIO()
    np.save(file, gpuarray.to_device(x)[:, ::2])
    gpuarray.save(file, x)
    file.seek(0)
    agree(gpuarray.load(file), x[:, ::2], device)
    agree(gpuarray.load(file), x, device)


def test_large(device, tmp_path):
    x = np.arange(1 << 20)
    gpuarray.save(tmp_path / "a", gpuarray.to_device(x))
    agree(gpuarray.load(tmp_path / "a.npy", "r"), x, device)


@pytest.mark.parametrize("save", ["savez", "savez_compressed"])
def test_npz(device, tmp_path, save):
    a, b = gpuarray.arange(3), gpuarray.ones((2, 2), "float32")
    getattr(gpuarray, save)(tmp_path / "x", a, b, host=np.arange(2), b=b)
    with np.load(tmp_path / "x.npz") as npz:
        assert sorted(npz) == ["arr_0", "arr_1", "b", "host"]
        np.testing.assert_array_equal(npz["arr_1"], b.get())
    with gpuarray.load(tmp_path / "x.npz") as npz:
        assert isinstance(npz, gpuarray.NpzFile)
        assert sorted(npz.files) == sorted(npz) == ["arr_0", "arr_1", "b", "host"]
        assert len(npz) == 4
        assert "b" in npz
        assert "c" not in npz
        assert "arr_0" in repr(npz)
        agree(npz["host"], np.arange(2), device)
        agree(dict(npz)["arr_0"], np.arange(3), device)
        with pytest.raises(KeyError):
            npz["c"]
    with pytest.raises((ValueError, AttributeError)):
        npz["b"]


def test_arrays_of_a_file_are_read_when_asked_for(device, tmp_path):
    np.savez(tmp_path / "x", text=np.array(["a"]), good=np.arange(3))
    with gpuarray.load(tmp_path / "x.npz", device="cpu") as npz:
        agree(npz["good"], np.arange(3), "cpu")
        with pytest.raises(TypeError, match=r"load: text: dtype '<U1' is not supported"):
            npz["text"]


def test_pickles(device, tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.array([None, {}]), allow_pickle=True)
    with pytest.raises(ValueError, match="allow_pickle"):
        gpuarray.load(path)
    with pytest.raises(TypeError, match=r"load: dtype 'object' is not supported"):
        gpuarray.load(path, allow_pickle=True)
    for write in (gpuarray.save, gpuarray.savez, gpuarray.savez_compressed):
        with pytest.raises(ValueError, match="allow_pickle=False"):
            write(path, np.array([None]))


def test_bfloat16(device, tmp_path):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([1.5, -2, np.inf, 0.1], ml_dtypes.bfloat16)
    a = gpuarray.to_device(x)
    gpuarray.save(tmp_path / "a.npy", a)
    gpuarray.savez(tmp_path / "a.npz", a=a)
    agree(gpuarray.load(tmp_path / "a.npy"), x, device)
    agree(gpuarray.load(tmp_path / "a.npz")["a"], x, device)
    agree(gpuarray.frombuffer(x.tobytes(), "bfloat16"), x, device)
    agree(gpuarray.fromstring("1.5 -2 inf 0.1", "bfloat16", sep=" "), x, device)
    agree(gpuarray.loadtxt(["1.5 -2 inf 0.1"], gpuarray.bfloat16), x, device)
    gpuarray.savetxt(tmp_path / "a.txt", a)
    agree(gpuarray.loadtxt(tmp_path / "a.txt", "bfloat16"), x, device)


def test_byte_orders(device, tmp_path):
    x = np.arange(5, dtype=">i4")
    np.save(tmp_path / "x.npy", x)
    agree(gpuarray.load(tmp_path / "x.npy"), x.astype("i4"), device)
    agree(gpuarray.frombuffer(x.tobytes(), ">i4"), x.astype("i4"), device)


def test_fromfile_and_tofile(device, tmp_path):
    path = tmp_path / "x"
    x = sample("float32", (3, 4), few=False)
    gpuarray.to_device(x).T.tofile(path)
    np.testing.assert_array_equal(np.fromfile(path, "f4"), x.T.reshape(-1))
    agree(gpuarray.fromfile(path, "f4", 3, offset=8), x.T.reshape(-1)[2:5], device)
    with open(path, "wb") as file:
        gpuarray.arange(4).tofile(file, ",", "%d")
        gpuarray.ones((), "bfloat16").tofile(file, " ", "%.1f")
    assert path.read_text() == "0,1,2,31.0"
    with open(path, "rb") as file:
        agree(gpuarray.fromfile(file, int, 3, sep=","), np.arange(3), device)
    with pytest.raises(TypeError, match=r"tofile: expected a path or an open file, got int"):
        gpuarray.ones(3).tofile(3)


def test_buffers_and_strings(device):
    x = np.arange(6, dtype="int16")
    for buffer in (x.tobytes(), bytearray(x.tobytes()), x, memoryview(x)):
        agree(gpuarray.frombuffer(buffer, "int16", 3, 2), x[1:4], device)
    made = gpuarray.frombuffer(x, "int16")
    x[0] = 9
    assert made[0].item() == 0
    agree(gpuarray.fromstring("1, 2, 3", int, sep=","), np.array([1, 2, 3]), device)


TABLE = ["1 2 3", "4 5 6"]


def test_text(device, tmp_path):
    path = tmp_path / "x.csv"
    x = np.arange(6.0).reshape(2, 3) / 7
    options = {"delimiter": ",", "header": "a,b,c", "fmt": "%.17g"}
    gpuarray.savetxt(path, gpuarray.to_device(x), **options)
    np.savetxt(tmp_path / "y.csv", x, **options)
    assert path.read_text() == (tmp_path / "y.csv").read_text()
    agree(gpuarray.loadtxt(path, delimiter=","), x, device)
    agree(gpuarray.genfromtxt(path, delimiter=",", skip_header=1), x, device)
    agree(gpuarray.loadtxt(TABLE, int, usecols=(2, 0)), np.array([[3, 1], [6, 4]]), device)
    agree(gpuarray.loadtxt(iter(TABLE), unpack=True), np.array([[1, 4], [2, 5], [3, 6.0]]), device)
    agree(
        gpuarray.genfromtxt(["1,,3"], delimiter=",", filling_values=7),
        np.array([1.0, 7, 3]),
        device,
    )


def test_columns_of_different_dtypes(device):
    for read in (gpuarray.loadtxt, gpuarray.genfromtxt):
        a, b, _ = read(TABLE, "i4,f8,f4", unpack=True)
        agree(a, np.array([1, 4], "i4"), device)
        agree(b, np.array([2.0, 5.0]), device)
        with pytest.raises(TypeError, match=r"txt: dtype '.*f0.*' is not supported"):
            read(TABLE, "i4,f8,f4")
    agree(gpuarray.genfromtxt(["1 2"], None), np.array([1, 2]), device)
    with pytest.raises(TypeError, match=r"genfromtxt: a GPUArray has no mask"):
        gpuarray.genfromtxt(TABLE, usemask=True)


def test_device_and_stream(device, tmp_path):
    stream = gpuarray.Stream()
    path = tmp_path / "x.npy"
    gpuarray.save(path, gpuarray.arange(3), stream=stream)
    agree(gpuarray.load(path, stream=stream), np.arange(3), device)
    agree(gpuarray.load(path, device="cpu"), np.arange(3), "cpu")
    agree(gpuarray.frombuffer(b"ab", "u1", device="cpu"), np.array([97, 98], "u1"), "cpu")
    agree(gpuarray.loadtxt(TABLE, device="cpu"), np.loadtxt(TABLE), "cpu")


@pytest.mark.parametrize(
    "call",
    [
        lambda: gpuarray.load(3),
        lambda: gpuarray.save(3, gpuarray.ones(3)),
        lambda: gpuarray.savez(None, gpuarray.ones(3)),
        lambda: gpuarray.fromfile(3),
        lambda: gpuarray.savetxt(3, gpuarray.ones(3)),
        lambda: gpuarray.loadtxt(gpuarray.ones(3)),
        lambda: gpuarray.genfromtxt([1, 2]),
    ],
)
def test_what_is_no_file(device, call):
    with pytest.raises(TypeError, match=r"\w+: expected a path.* file.*, got \w+"):
        call()


@pytest.mark.parametrize("name", ["loadtxt", "genfromtxt"])
def test_signatures_of_text(name):
    found = list(inspect.signature(getattr(gpuarray, name)).parameters)
    expected = [p for p in inspect.signature(getattr(np, name)).parameters if p != "like"]
    assert found == [*expected, "device", "stream"]


def test_damaged_headers_are_refused_by_an_error_that_the_pages_name():
    header = b"{'descr': '<f4', 'shape': (3,\n"  # NumPy's tokenizer raises an error of its own
    file = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    with pytest.raises(ValueError, match="load: the header cannot be read"):
        gpuarray.load(io.BytesIO(file), device="cpu")
