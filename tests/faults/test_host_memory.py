# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Memory of the host that runs out: MemoryError that says how much was asked for, nothing lost."""

import pytest
from _support.faults import START, run_silently

LIMITED = (
    START
    + """
import gc, resource

x = np.arange(1 << 19, dtype=np.float64)
a = gpuarray.to_device(x)
b, square = a * 2, gpuarray.eye(600) * 2
mask = a > 5
(a + b).sum().item(), (square @ square).sum().item(), gpuarray.sort(a[::-1])

def leave(nbytes):
    '''Let the process have so many bytes more than it has now.'''
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + nbytes, resource.RLIM_INFINITY))

def unlimited():
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

def used():
    gc.collect()
    return gpuarray.memory_stats()["bytes_in_use"]

def works():
    assert (a.get() == x).all() and (b.get() == 2 * x).all()
    assert ((a + b).get() == 3 * x).all()
"""
)

# Each needs hundreds of MB.
LARGE = {
    "empty": "gpuarray.empty(1 << 26)",
    "zeros": "gpuarray.zeros((1 << 13, 1 << 13))",
    "arange": "gpuarray.arange(1 << 26)",
    "add": "a[:, None] + b[:100]",
    "a cast": "gpuarray.broadcast_to(a, (100, a.size)).astype('complex128')",
    "a copy": "gpuarray.broadcast_to(a, (100, a.size)).copy()",
    "a join": "gpuarray.concatenate([a] * 100)",
    "tile": "gpuarray.tile(a, 100)",
    "outer": "gpuarray.outer(a, a[:100])",
    "repeat": "gpuarray.repeat(a, 100)",
    "matmul": "a[:, None] @ b[None, :100]",
    "advanced indexing": "a[gpuarray.broadcast_to(gpuarray.arange(9), (1 << 24, 9))]",
    "a mask": "gpuarray.broadcast_to(a, (100, a.size))[:, mask]",
    "sort": "gpuarray.sort(gpuarray.broadcast_to(a, (100, a.size)))",
    "cumsum": "gpuarray.broadcast_to(a, (100, a.size)).cumsum()",
    "fft": "gpuarray.fft.fft(a, 1 << 26)",
    "pad": "gpuarray.pad(a, 1 << 26)",
    "random": "gpuarray.random.default_rng(1).random(1 << 26)",
    "get": "gpuarray.broadcast_to(a, (100, a.size)).get()",
    "to_device": "gpuarray.to_device(np.broadcast_to(x, (100, x.size)))",
    "bytes": "gpuarray.broadcast_to(a, (100, a.size)).tobytes()",
}


@pytest.mark.parametrize("operation", LARGE.values(), ids=LARGE)
def test_an_operation_without_memory_says_how_much_it_wanted(operation):
    out = run_silently(
        LIMITED
        + f"""
before = used()
leave(64 << 20)
try:
    {operation}
except MemoryError as error:
    said = str(error)
unlimited()
print(said)
assert used() == before, (used(), before)
works()
""",
        "cpu",
    )
    assert any(unit in out for unit in ("bytes", "MiB", "GiB")), out


STEPS = {
    "chain": "((a * 2 + 1) / b.max()).get()",
    "sort": "gpuarray.sort(a[::-1]).get()",
    "unique": "gpuarray.unique(a).get()",
    "matmul": "(square @ square).get()",
    "mask": "a[mask].get()",
    "fft": "gpuarray.fft.rfft(a).get()",
    # CPython's loads() of protocol 5 may print a SystemError of a bytearray, whatever is pickled.
    "pickle": "pickle.loads(pickle.dumps(a, 4)).get()",
    "to_device": "gpuarray.to_device(x).sum().item()",
    "fuse": "fused(a, b).get()",
    "solve": "gpuarray.linalg.solve(square, square).get()",
}


@pytest.mark.parametrize("program", STEPS.values(), ids=STEPS)
def test_memory_that_ends_anywhere_in_a_program(program):
    """Whatever is left, the result is right or MemoryError is raised."""
    out = run_silently(
        LIMITED
        + f"""
import pickle
fused = gpuarray.fuse(lambda x, y: x * 2 + y)
expected = {program}
failed = succeeded = 0
before = used()
for nbytes in [k << 18 for k in range(0, 130, 3)]:
    gpuarray.memory.release_cached()
    leave(nbytes)
    try:
        got = {program}
    except MemoryError:
        failed += 1
    else:
        succeeded += 1
    unlimited()
    if succeeded and "got" in globals():
        assert np.array_equal(got, expected)
        del got
    assert used() == before, (used(), before)
works()
print(failed, succeeded)
""",
        "cpu",
    )
    failed, succeeded = map(int, out.split())
    assert failed and succeeded
