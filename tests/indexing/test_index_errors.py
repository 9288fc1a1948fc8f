# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Indices out of bounds: an IndexError at the next wait at the latest, and all else goes on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

BOUNDS = "index 7 is out of bounds for axis 0 with size 5"


def wait(x):
    """What forces the work on x to be done."""
    gpuarray.synchronize(x.device)


OPERATIONS = {
    "indexing": lambda x, i: x[i],
    "assignment": lambda x, i: x.__setitem__(i, 1),
    "take": lambda x, i: gpuarray.take(x, i),
    "take_along_axis": lambda x, i: gpuarray.take_along_axis(x, i, 0),
    "put_along_axis": lambda x, i: gpuarray.put_along_axis(x, i, 1, 0),
    "put": lambda x, i: gpuarray.put(x, i, 1),
    "scatter_add": lambda x, i: gpuarray.scatter_add(x, i, 1),
    "add.at": lambda x, i: np.add.at(x, i, 1),
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_operations_name_what_was_wrong(device, operation):
    x, indices = gpuarray.zeros(5), gpuarray.to_device(np.array([0, 7, 1]))
    with pytest.raises(IndexError, match=f"^{operation}: {BOUNDS}$"):
        OPERATIONS[operation](x, indices)
        wait(x)
    wait(x)
    assert (x + 1).tolist()[4] == 1


@pytest.mark.parametrize("index", [5, -6, 2**40, -(2**62)])
def test_bounds(device, index):
    x = gpuarray.arange(5)
    with pytest.raises(IndexError, match=f"index {index} is out of bounds for axis 0 with size 5"):
        x[np.array([index])]
        wait(x)
    assert x[np.array([4, -5])].tolist() == [4, 0]


def test_axes_are_those_of_the_array(device):
    x = gpuarray.zeros((2, 3, 4))
    for key, axis, size in [
        ((slice(None), [0, 9]), 1, 3),
        ((0, 0, [9]), 2, 4),
        ((..., [9]), 2, 4),
        ((None, [9]), 0, 2),
        (([0, 1], slice(1), [0, 9]), 2, 4),
    ]:
        with pytest.raises(
            IndexError, match=f"9 is out of bounds for axis {axis} with size {size}"
        ):
            x[key]
            wait(x)


@pytest.mark.parametrize("operation", ["take", "scatter_add", "add.at"])
def test_operations_on_nothing_check_their_indices(device, operation):
    operations = {**OPERATIONS, "take": lambda x, i: gpuarray.take(x, i, 0)}
    x, indices = gpuarray.zeros((5, 0)), gpuarray.to_device(np.array([0, 7, 1]))
    with pytest.raises(IndexError, match=f"^{operation}: {BOUNDS}$"):
        operations[operation](x, indices)
        wait(x)
    assert gpuarray.take(x, indices, 0, mode="clip").shape == (3, 0)


def test_empty_results_have_their_indices_checked(device):
    x = gpuarray.zeros((3, 0))
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 3"):
        x[[5]]
        wait(x)


def test_what_is_within_bounds_is_done(device):
    x = gpuarray.arange(5)
    if device == "cpu":
        with pytest.raises(IndexError):
            x[[0, 7]] = 9
        assert x.tolist() == [0, 1, 2, 3, 4], "all indices are looked at first, as in NumPy"
        return
    x[gpuarray.to_device(np.array([0, 7]))] = 9
    made = x[gpuarray.to_device(np.array([1, 7, 2]))]
    with pytest.raises(IndexError, match=r"^assignment"):
        wait(x)
    assert x.tolist() == [9, 1, 2, 3, 4]
    assert made.tolist() == [1, 0, 2]


WAITS = {
    "get": lambda x: x.get(),
    "item": lambda x: x[0].item(),
    "bool": lambda x: bool(x[0]),
    "tolist": lambda x: x.tolist(),
    "to_device": lambda x: x.to_device("cpu"),
    "synchronize": lambda x: x.synchronize(),
    "stream": lambda x: gpuarray.current_stream(x.device).synchronize(),
    "device": lambda x: gpuarray.synchronize(x.device),
    "event": lambda x: recorded().synchronize(),
    "asnumpy": gpuarray.asnumpy,
    "large": lambda x: (x[0] + gpuarray.zeros(1 << 20)).get(),
    "mask": lambda x: x[x > 0],
}


def recorded():
    event = gpuarray.Event()
    event.record()
    return event


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 3)])
@pytest.mark.parametrize("how", ["get", "tolist", "tobytes", "to_device", "asnumpy", "later"])
def test_results_without_elements_raise_it_too(device, how, shape):
    calls = {**WAITS, "tobytes": lambda x: x.tobytes()}
    calls["later"] = lambda x: x.get(blocking=False).result()
    with pytest.raises(IndexError, match="is out of bounds for axis 0 with size"):
        calls[how](gpuarray.zeros(shape)[[0, 3]])
    gpuarray.synchronize(device)
    with pytest.raises(IndexError):
        calls[how](gpuarray.take(gpuarray.zeros(shape), [7], axis=0))


@pytest.mark.cuda
@pytest.mark.parametrize("how", WAITS)
def test_every_wait_raises_it_once(cuda, how):
    x, indices = gpuarray.zeros(5), gpuarray.to_device(np.array([7, 1]))
    x[indices]
    with pytest.raises(IndexError, match=BOUNDS):
        WAITS[how](x)
    WAITS[how](x)


@pytest.mark.cuda
def test_of_many_one_is_told(cuda):
    x = gpuarray.zeros(5)
    x[gpuarray.arange(100_000) + 5]
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 5"):
        wait(x)
    wait(x)


@pytest.mark.cuda
def test_graphs_raise_it_at_each_launch(cuda):
    x, indices = gpuarray.zeros(5), gpuarray.to_device(np.array([1, 2]))
    with gpuarray.capture() as graph:
        x[indices] = 1
    graph.launch()
    assert x.tolist() == [0, 1, 1, 0, 0]
    indices[...] = 7
    for _ in range(2):
        graph.launch()
        with pytest.raises(IndexError, match=BOUNDS):
            wait(x)


def test_modes(device):
    host = np.arange(5.0)
    x, indices = gpuarray.to_device(host), np.array([-7, 0, 4, 5, 12])
    for mode in ("wrap", "clip"):
        expected = host.take(indices, mode=mode).tolist()
        assert gpuarray.take(x, gpuarray.to_device(indices), mode=mode).tolist() == expected
    with pytest.raises(ValueError, match="clipmode must be one of 'clip', 'raise', or 'wrap'"):
        gpuarray.take(x, indices, mode="fold")


@given(
    length=st.integers(1, 40),
    count=st.sampled_from([1, 7, 511, 512, 513, 1100]),
    step=st.sampled_from([1, 2, -1]),
    wrong=st.one_of(st.none(), st.integers(0, 1099)),
    far=st.sampled_from([0, 1, 2**62]),
    dtype=st.sampled_from(["int8", "float16", "float32", "float64", "complex128"]),
    below=st.booleans(),
)
def test_blocks_of_indices_on_the_host(length, count, step, wrong, far, dtype, below):
    rng = np.random.default_rng(count)
    x = rng.integers(0, 99, 2 * length).astype(dtype)[::step][:length]
    i = rng.integers(-length, length, count)
    values = rng.integers(0, 99, count).astype(dtype)
    a, k = gpuarray.to_device(x, device="cpu"), gpuarray.to_device(i, device="cpu")
    np.testing.assert_array_equal(a[k].get(), x[i])
    for mode in ("wrap", "clip"):
        np.testing.assert_array_equal(
            gpuarray.take(a, k * 3, mode=mode).get(), np.take(x, i * 3, mode=mode)
        )
    if wrong is not None:
        i[wrong % count] = -length - 1 - far if below else length + far
    before = a.get()
    given_values = gpuarray.to_device(values, device="cpu")
    k = gpuarray.to_device(i, device="cpu")
    if wrong is None:
        a[k] = given_values
        expected = x.copy()
        expected[i] = values
        np.testing.assert_array_equal(a.get(), expected)
        return
    with pytest.raises(IndexError, match=f"index {i[wrong % count]} is out of bounds"):
        a[k] = given_values
    np.testing.assert_array_equal(a.get(), before)
    with pytest.raises(IndexError):
        a[k]
