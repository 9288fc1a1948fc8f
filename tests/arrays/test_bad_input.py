# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Mistakes of the caller: the right exception, a message that says what, got and expected,
and nothing changed or leaked."""

import io
import operator
from fractions import Fraction

import numpy as np
import pytest
from _support.measure import nothing_leaks

import gpuarray

AxisError = np.exceptions.AxisError
GPU = gpuarray
UNWRITABLE = (BufferError, TypeError)
WAY_OUT = r"read-only; its copy\(\) can be written"

# x is 3 by 4 of float64, i of int32 with the same shape, v has 5 elements; frozen is read-only.
BAD_INPUT = {
    # Shapes that do not broadcast.
    "add shapes": (lambda x, v, **_: x + v, ValueError, r"add.*\(3, 4\).*\(5,\).*broadcast"),
    "compare shapes": (lambda x, v, **_: x < v, ValueError, r"less.*\(3, 4\).*\(5,\).*broadcast"),
    "function shapes": (lambda x, v, **_: GPU.hypot(v, x), ValueError, r"hypot.*\(5,\).*\(3, 4\)"),
    "where shapes": (lambda x, v, **_: GPU.where(x > 0, v, x), ValueError, r"where.*\(5,\)"),
    "matmul shapes": (lambda x, v, **_: x @ v, ValueError, r"matmul.*\(3, 4\).*\(5,\)"),
    "matmul scalar": (lambda x, **_: x @ GPU.ones(()), ValueError, "matmul"),
    "assign shapes": (
        lambda x, v, **_: operator.setitem(x, 0, v),
        ValueError,
        r"\(5,\).*\(4,\)|\(4,\).*\(5,\)",
    ),
    "divmod shapes": (lambda x, v, **_: divmod(x, v), ValueError, r"\(3, 4\).*\(5,\)"),
    # dtypes that are not supported.
    "object": (lambda **_: GPU.to_device(np.array([None])), TypeError, "object"),
    "str": (lambda **_: GPU.to_device(np.array(["ab"])), TypeError, "U2|str"),
    "bytes": (lambda **_: GPU.zeros(2, "S3"), TypeError, "S3|bytes"),
    "datetime64": (lambda **_: GPU.zeros(2, "M8[s]"), TypeError, "datetime64"),
    "timedelta64": (lambda x, **_: x.astype("m8[s]"), TypeError, "timedelta64"),
    "structured": (lambda **_: GPU.to_device(np.zeros(1, "i4,f4")), TypeError, "f0|void"),
    "big-endian": (lambda **_: GPU.to_device(np.zeros(1, ">i4")), TypeError, ">i4"),
    "longdouble": (lambda **_: GPU.zeros(1, "longdouble"), TypeError, "longdouble|float128"),
    "not a dtype": (lambda **_: GPU.zeros(1, "nonsense"), TypeError, "nonsense"),
    "no loop": (lambda x, **_: x & x, TypeError, "bitwise_and.*float64"),
    "no complex loop": (lambda x, **_: (x + 1j) // 2, TypeError, "floor_divide.*complex128"),
    "bool subtract": (lambda x, **_: (x > 0) - (x > 0), TypeError, "subtract.*bool"),
    # ndarray mixed with GPUArray.
    "ndarray right": (lambda x, **_: x + np.ones(4), TypeError, "ndarray.*to_device"),
    "ndarray left": (lambda x, **_: np.ones(4) + x, TypeError, "to_device"),
    "ndarray in place": (lambda x, **_: operator.iadd(x, np.ones(4)), TypeError, "to_device"),
    "ndarray compare": (lambda x, **_: x == np.ones(4), TypeError, "to_device"),
    "ndarray matmul": (lambda x, **_: np.ones((2, 3)) @ x, TypeError, "to_device"),
    "ndarray function": (lambda x, **_: GPU.maximum(x, np.ones(4)), TypeError, "to_device"),
    "ndarray assigned": (lambda x, **_: operator.setitem(x, 0, np.ones(4)), TypeError, "to_device"),
    "ndarray reduced": (lambda **_: GPU.sum(np.ones(4)), TypeError, "to_device"),
    "list operand": (lambda x, **_: operator.add(x, [1]), TypeError, "list"),
    # Axes.
    "axis high": (lambda x, **_: x.sum(axis=2), AxisError, "axis 2 is out of bounds.*dimension 2"),
    "axis low": (lambda x, **_: x.max(axis=-3), AxisError, "axis -3 is out of bounds"),
    "axis twice": (lambda x, **_: x.sum(axis=(0, -2)), ValueError, "duplicate value in 'axis'"),
    "axis float": (lambda x, **_: x.sum(axis=0.0), TypeError, "axis: expected an int, got float"),
    "axis text": (lambda x, **_: x.argmax("x"), TypeError, "axis: expected an int, got str"),
    "axis bool": (lambda x, **_: GPU.flip(x, True), TypeError, "axis: expected an int, got bool"),
    "axis array": (lambda x, **_: GPU.stack(x, x), TypeError, r"axis.*as \[a, b\]"),
    "axis array of rows": (lambda x, **_: GPU.concatenate(x, x), TypeError, r"axis.*as \[a, b\]"),
    "axis of take": (lambda x, i, **_: x.take(i, axis="x"), TypeError, "axis: expected an int"),
    "shape text": (lambda **_: GPU.zeros("x"), TypeError, "shape: expected an int, got str"),
    "shape float": (lambda **_: GPU.broadcast_to(1, 2.5), TypeError, "shape: expected an int"),
    "argmax axis": (lambda x, **_: x.argmax(axis=5), AxisError, "axis 5 is out of bounds"),
    "transpose axes": (lambda x, **_: x.transpose(0, 0), ValueError, "repeated axis"),
    "swapaxes": (lambda x, **_: x.swapaxes(0, 9), AxisError, "axis 9 is out of bounds"),
    "squeeze": (lambda x, **_: x.squeeze(0), ValueError, "size not equal to one"),
    "expand_dims": (lambda x, **_: GPU.expand_dims(x, 7), AxisError, "axis 7 is out of bounds"),
    "concatenate axis": (lambda x, **_: GPU.concatenate([x, x], 2), AxisError, "axis 2 is out"),
    # Indices.
    "too many": (lambda x, **_: x[0, 0, 0], IndexError, "too many indices.*2-dimensional.*3 were"),
    "index high": (lambda x, **_: x[3], IndexError, "index 3 is out of.*axis 0 with size 3"),
    "index low": (lambda x, **_: x[0, -5], IndexError, "index -5 is out of bounds for axis 1"),
    "zero step": (lambda x, **_: x[::0], ValueError, "slice step cannot be zero"),
    "two ellipses": (lambda x, **_: x[..., ...], IndexError, "single ellipsis"),
    "float index": (lambda x, **_: x[1.0], IndexError, "only integers.*float"),
    "str index": (lambda x, **_: x["a"], IndexError, "only integers.*str"),
    "item index": (lambda x, **_: x.item(12), IndexError, "12 is out of bounds.*12"),
    # Sizes.
    "reshape": (lambda x, **_: x.reshape(5, 2), ValueError, r"size 12 into shape \(5,2\)"),
    "reshape unknown": (lambda x, **_: x.reshape(-1, 5), ValueError, "size 12 into shape"),
    "reshape unknowns": (lambda x, **_: x.reshape(-1, -1), ValueError, "one unknown dimension"),
    "view": (lambda x, **_: x[:, :3].view("c16"), ValueError, "divisor|contiguous"),
    "negative size": (lambda **_: GPU.zeros((2, -1)), ValueError, r"negative.*\(2, -1\)"),
    "product too large": (lambda **_: GPU.zeros((2**40, 2**40)), ValueError, "1099511627776"),
    "extent too large": (lambda **_: GPU.zeros(2**64), ValueError, "extent|large|big"),
    "dtype of digits": (lambda **_: GPU.zeros(2, "01f4"), TypeError, "expected a dtype.*01f4"),
    "too many axes": (lambda **_: GPU.zeros((1,) * 65), ValueError, "64.*65"),
    "not a shape": (lambda **_: GPU.zeros("ab"), TypeError, "str|int"),
    "memory": (lambda **_: GPU.empty(2**47, "f8"), GPU.OutOfMemoryError, str(2**50)),
    "stack shapes": (lambda x, v, **_: GPU.stack([x, v]), ValueError, "same shape"),
    "nothing to join": (lambda **_: GPU.concatenate([]), ValueError, "at least one array"),
    "max of nothing": (lambda **_: GPU.zeros(0).max(), ValueError, "zero-size.*max"),
    # In place: the result must fit.
    "in-place dtype": (lambda i, **_: operator.iadd(i, 0.5), TypeError, "float64.*int32"),
    "in-place divide": (lambda i, **_: operator.itruediv(i, 2), TypeError, "float64.*int32"),
    "in-place shape": (lambda x, v, **_: operator.iadd(v[:1], v), ValueError, r"\(5,\)"),
    "in-place ndim": (lambda x, **_: operator.iadd(x[0], x), ValueError, r"\(3, 4\)"),
    "out dtype": (lambda x, i, **_: GPU.add(x, 1, out=i), TypeError, "float64.*int32.*same_kind"),
    "out shape": (lambda x, v, **_: GPU.add(x, 1, out=v), ValueError, r"\(5,\).*\(3|\(3.*\(5"),
    "out type": (lambda x, **_: GPU.add(x, 1, out=[]), TypeError, "out.*list"),
    "reduction out": (lambda x, v, **_: x.sum(0, out=v), ValueError, r"\(5,\).*\(4|\(4.*\(5"),
    "int out of range": (lambda i, **_: i + 2**31, OverflowError, "2147483648.*int32"),
    "fill out of range": (lambda i, **_: i.fill(2**31), OverflowError, "2147483648.*int32"),
    "int beyond all": (lambda x, **_: GPU.full(2, 2**64), OverflowError, "2\\*\\*64|out of bounds"),
    # Read-only arrays.
    "frozen assign": (lambda frozen, **_: operator.setitem(frozen, 0, 1), ValueError, WAY_OUT),
    "frozen in place": (lambda frozen, **_: operator.iadd(frozen, 1), ValueError, WAY_OUT),
    "frozen fill": (lambda frozen, **_: frozen.fill(0), ValueError, WAY_OUT),
    "frozen set": (lambda frozen, **_: frozen.set([0, 0]), ValueError, WAY_OUT),
    "frozen out": (lambda frozen, **_: GPU.exp(frozen, out=frozen), ValueError, WAY_OUT),
    "frozen view": (lambda frozen, **_: frozen[::-1].fill(1), ValueError, WAY_OUT),
    "frozen buffer": (lambda frozen, **_: io.BytesIO(b"1").readinto(frozen), UNWRITABLE, "read"),
    "frozen reduction": (lambda x, frozen, **_: x[0].sum(out=frozen[0]), ValueError, "read-only"),
    # get(out=).
    "get shape": (lambda x, **_: x.get(np.zeros(3)), ValueError, r"\(3,\).*\(3, 4\)"),
    "get dtype": (lambda x, **_: x.get(np.zeros((3, 4), "f4")), TypeError, "float32.*float64"),
    "get layout": (
        lambda x, **_: x.get(np.ndarray((3, 4), strides=(0, 8))),
        ValueError,
        "share memory",
    ),
    "get type": (lambda x, **_: x.get([1]), TypeError, "ndarray.*list"),
    "get order": (lambda x, **_: x.get(order="Q"), ValueError, "order.*Q"),
    "set shape": (lambda x, **_: x.set(np.zeros(5)), ValueError, r"\(5,\).*\(3, 4\)"),
    "set dtype": (lambda i, **_: i.set(np.zeros((3, 4))), TypeError, "float64.*int32"),
    # Devices.
    "no such device": (lambda **_: GPU.zeros(1, device="cuda:64"), GPU.DeviceError, "cuda:64"),
    "not a device": (lambda **_: GPU.zeros(1, device="gpu"), GPU.DeviceError, "gpu"),
    "device type": (lambda x, **_: x.to_device(5), TypeError, "device.*int"),
    "stream type": (lambda x, **_: x.get(stream="s"), TypeError, "stream.*str"),
    # Arguments.
    "unknown keyword": (lambda x, **_: x.sum(axes=0), TypeError, "axes"),
    "missing argument": (lambda **_: GPU.add(1), TypeError, "add"),
    "too many arguments": (lambda x, **_: x.copy("C", "F"), TypeError, "copy"),
    "same argument twice": (lambda x, **_: GPU.exp(x, None, out=None), TypeError, "out"),
    "bad casting": (lambda x, **_: x.astype("i4", casting="safe"), TypeError, "int32.*safe"),
    "trim": (lambda v, **_: GPU.trim_zeros(v, 5), TypeError, "trim_zeros: trim .*, got int"),
    "type of a number": (lambda **_: GPU.typename(5), TypeError, "character, as a.dtype.char"),
    "unknown type": (lambda **_: GPU.typename("zz"), KeyError, "no dtype has the character 'zz'"),
    # Values of which NumPy makes arrays of Python objects.
    "generator": (lambda **_: GPU.asarray(i for i in "ab"), TypeError, r"generator; .*fromiter\("),
    "none": (lambda **_: GPU.asarray(None), TypeError, "NoneType; gpuarray.nan"),
    "none in a list": (lambda **_: GPU.array([[1, None]]), TypeError, "NoneType in a list"),
    "set": (lambda **_: GPU.array({1}), TypeError, r"got set; write list\(x\)"),
    "dict": (lambda **_: GPU.array({1: 2}), TypeError, r"got dict; write list\(x.values\(\)\)"),
    "fraction": (lambda **_: GPU.array([Fraction(1)]), TypeError, r"Fraction in a list; .*float"),
    "other object": (lambda **_: GPU.asarray(object()), TypeError, "a list of these, got object$"),
    "large int": (lambda **_: GPU.asarray(10**20), OverflowError, "10{20} needs .*dtype='float64'"),
    "large int in a list": (lambda **_: GPU.mean([1, -(2**64)]), OverflowError, "than 64 bits"),
    "set of objects": (lambda i, **_: i.set([None] * 3), TypeError, "NoneType in a list"),
    "truth": (lambda x, **_: bool(x), ValueError, "truth value"),
    "dlpack": (lambda **_: GPU.from_dlpack("text"), (TypeError, AttributeError), "__dlpack"),
    "guard": (lambda **_: GPU.transfer_guard("x").__enter__(), ValueError, "'x'"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_INPUT)
def test_mistakes(device, case):
    call, error, message = BAD_INPUT[case]
    host = np.arange(12.0).reshape(3, 4)
    arrays = {
        "x": gpuarray.to_device(host),
        "i": gpuarray.to_device(host.astype(np.int32)),
        "v": gpuarray.arange(5.0),
        "frozen": gpuarray.ones(2),
    }
    arrays["frozen"].flags.writeable = False
    with nothing_leaks(device, *arrays.values()), pytest.raises(error, match=message):
        call(**arrays)
    assert arrays["x"].tolist() == host.tolist()
    assert arrays["i"].tolist() == host.tolist()
    assert arrays["v"].tolist() == [0, 1, 2, 3, 4]
    assert arrays["frozen"].tolist() == [1, 1]


def test_out_of_memory_says_how_much(device):
    with pytest.raises(gpuarray.OutOfMemoryError) as caught:
        gpuarray.empty(2**50, np.uint8)
    text = str(caught.value)
    assert str(2**50) in text
    assert device in text
    for word in ("use", "free"):
        assert word in text
    assert isinstance(caught.value, MemoryError)


def test_messages_name_the_function(device):
    x = gpuarray.ones((2, 3))
    for name in ("arctan2", "gcd", "logical_and", "where"):
        function = getattr(gpuarray, name)
        operands = [x.astype(np.int32), gpuarray.ones(5, np.int32)]
        if name == "where":
            operands.append(x)
        with pytest.raises(ValueError, match=name):
            function(*operands)
