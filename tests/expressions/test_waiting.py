# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""In auto mode operations wait only where the kernels of their groups are there."""

import operator
import os

import numpy as np
import pytest
from _support.compare import assert_same
from _support.measure import Counted, memory
from _support.process import inherited_driver, run_python

import gpuarray
from gpuarray import _core

SHAPE = (300, 401)
UNKNOWN = (500, 1201)  # of another order of size, which sequences are told apart by
MOST = 12  # passes after which a program has settled


@pytest.fixture(autouse=True)
def automatic():
    _core._forget_sequences()
    with gpuarray.fusion("auto"):
        yield


def chain(a, b):
    return ((a * b + a) * b - a) / b


def softmax(a, b):
    e = gpuarray.exp(a - a.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def normalize(a, b):
    centred = a - a.mean(-1, keepdims=True)
    variance = (centred * centred).mean(-1, keepdims=True)
    return centred / gpuarray.sqrt(variance + 1e-5) * b + a


def marching(a, b):
    t = a * 0
    for _ in range(24):
        x, y = b * t, b * t - 3
        distance = gpuarray.sqrt(x * x + y * y + a * a) - 1
        t = t + gpuarray.clip(distance, 0, 0.5) * 0.8
    return t


def wave(a, b):
    """Reads at each step what the last one wrote at other places."""
    u = a.copy()
    for _ in range(4):
        u[1:-1] += (u[2:] - 2 * u[1:-1] + u[:-2]) * 0.25 * b[1:-1]
    return u


PROGRAMS = [chain, softmax, normalize, marching, wave]


def arrays(device, shape=SHAPE):
    random = np.random.default_rng(0)
    hosts = [random.random(shape, dtype="f4") + 0.5 for _ in range(2)]
    return [gpuarray.to_device(host, device=device) for host in hosts]


def run(program, device, operands):
    """The result, as bytes, and what waited."""
    gpuarray.synchronize(device)
    with Counted() as counted:
        result = program(*operands)
        gpuarray.synchronize(device)
    return result.get().tobytes(), counted.stats


def settle(program, device, operands):
    """Call the program until what it compiles in the background is there."""
    for _ in range(MOST):
        run(program, device, operands)
        _core._finish_compilations()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_the_first_calls_run_operator_by_operator_and_later_ones_wait(device, program):
    operands = arrays(device, (140 << (4 - PROGRAMS.index(program)), 1001))
    with gpuarray.fusion("off"):
        expected, _ = run(program, device, operands)
    assert run(program, device, operands) == (expected, (0, 0, 0, 0))
    for _ in range(MOST):
        assert run(program, device, operands)[0] == expected
        _core._finish_compilations()
    got, stats = run(program, device, operands)
    assert got == expected
    assert stats[0] > 0


def test_a_chain_is_learned_in_one_pass(device):
    """The second call is remembered, the third, once the kernel is there, is one group."""
    operands = arrays(device, UNKNOWN)
    for _ in range(2):
        assert run(chain, device, operands)[1] == (0, 0, 0, 0)
    _core._finish_compilations()
    assert run(chain, device, operands)[1] == (1, 5, 0, 4)


def test_reductions_are_learned_in_one_pass(device):
    """So the groups of the third call are those of each later one."""
    operands = arrays(device, UNKNOWN)
    for _ in range(3):
        run(softmax, device, operands)
        _core._finish_compilations()
    first = run(softmax, device, operands)[1]
    settle(softmax, device, operands)
    assert run(softmax, device, operands)[1] == first
    assert first[0] > 0


@pytest.mark.parametrize("length", range(1, 6))
@pytest.mark.parametrize("keeps", [False, True])
def test_programs_that_leave_the_known_way_give_the_same(device, length, keeps):
    """A chain is left after each of its operations, with its temporaries in use or not."""
    a, b = arrays(device)

    def leaving(a, b):
        steps = [
            lambda z: z * b,
            lambda z: z + a,
            lambda z: z * b,
            lambda z: z - a,
            lambda z: z / b,
        ]
        made = [a]
        for step in steps[:length]:
            made.append(step(made[-1]))
            if not keeps:
                del made[:-1]
        made.append(gpuarray.sqrt(abs(made[-1])) + 2)
        return sum(made[1:], start=a * 3)

    with gpuarray.fusion("off"):
        expected, _ = run(leaving, device, (a, b))
    settle(chain, device, (a, b))
    for _ in range(MOST):
        assert run(leaving, device, (a, b))[0] == expected
        run(chain, device, (a, b))
        _core._finish_compilations()
    settle(chain, device, (a, b))
    assert run(chain, device, (a, b))[1][:2] == (1, 5)


def test_two_programs_that_begin_alike_are_both_learned(device):
    operands = arrays(device, UNKNOWN)

    def other(a, b):
        return gpuarray.sqrt((a * b + a) * b) * 2

    for _ in range(MOST):
        for program in (chain, other):
            run(program, device, operands)
            _core._finish_compilations()
    assert run(chain, device, operands)[1][:2] == (1, 5)
    assert run(other, device, operands)[1][:2] == (1, 5)
    assert run(chain, device, operands)[1][:2] == (1, 5)


def test_a_sequence_that_saves_nothing_hides_none_that_begins_alike(device):
    """Whichever came last."""
    operands = arrays(device, UNKNOWN)
    for _ in range(MOST):
        settle(chain, device, operands)
        for _ in range(4):
            run(lambda a, b: gpuarray.exp(a * b + a), device, operands)
            _core._finish_compilations()
    assert run(chain, device, operands)[1][:2] == (1, 5)


def test_of_many_programs_that_begin_alike_each_is_learned(device):
    """However many there were: the first operation is common to all programs of a session."""
    operands = arrays(device)
    for count in range(12):
        for _ in range(3):
            run(lambda a, b: sum([b] * count, start=a * 2 + 3), device, operands)  # noqa: B023
            _core._finish_compilations()

    def last(a, b):
        return (a * 2 + 3) ** 2 + 1

    for _ in range(100):
        run(last, device, operands)
    settle(last, device, operands)
    assert run(last, device, operands)[1][:2] == (1, 4)


@pytest.mark.parametrize("again", [operator.add, operator.mul], ids=["other", "first"])
@pytest.mark.parametrize("count", [3, 9, 13])
def test_programs_that_take_turns_are_all_learned(device, count, again):
    """Also if more begin alike than are sketched at once, or the first operation comes again."""
    operands = arrays(device)

    def program(k):
        def made(a, b):
            x = a * b
            for bit in range(4):
                x = again(x, b) if k >> bit & 1 else x - a
            return x

        return made

    for _ in range(600):
        for k in range(count):
            run(program(k), device, operands)
        _core._finish_compilations()
    fused = [run(program(k), device, operands)[1][1] for k in range(count)]
    assert fused.count(5) == count


def test_what_follows_an_operation_that_mostly_comes_alone_is_learned(device):
    """As a sequence of its own: the first operation runs alone each time."""
    operands = arrays(device, UNKNOWN)
    for _ in range(MOST):
        for _ in range(3):
            run(lambda a, b: a * b, device, operands)
        run(chain, device, operands)
        _core._finish_compilations()
    assert run(chain, device, operands)[1][:2] == (1, 4)


def test_loops_whose_first_operation_comes_in_several_places_are_learned(device):
    """A pass begins where it reads what it read in the pass before."""

    def slope(x, y, z):
        return 10 * (y - x), x * (28 - z) - y, x * y - 2 * z

    def lorenz(x, y):
        z = x
        for _ in range(60):
            a = slope(x, y, z)
            b = slope(*(v + 0.5 * d for v, d in zip((x, y, z), a, strict=True)))
            c = slope(*(v + 0.5 * d for v, d in zip((x, y, z), b, strict=True)))
            d = slope(*(v + d for v, d in zip((x, y, z), c, strict=True)))
            x, y, z = (
                v + 0.1 * (p + 2 * q + 2 * r + s)
                for v, p, q, r, s in zip((x, y, z), a, b, c, d, strict=True)
            )
        return x + y + z

    operands = arrays(device, (60, 1003))
    for _ in range(3):
        run(lorenz, device, operands)
        _core._finish_compilations()
    assert run(lorenz, device, operands)[1][1] == 60 * 68 + 2


def test_a_program_goes_on_after_what_ran_alone_before(device):
    """A reduction that saves nothing by itself is the first operation of a sequence that does."""
    a, b = arrays(device, UNKNOWN)
    for _ in range(MOST):
        run(lambda a, b: a.max(-1, keepdims=True), device, (a, b))
        run(lambda a, b: a * b, device, (a, b))
        _core._finish_compilations()
    for program in (softmax, chain):
        settle(program, device, (a, b))
        assert run(program, device, (a, b))[1][0] > 0


def test_programs_with_other_operands_are_told_apart(device):
    """The same operations in the same order, of other results, are other sequences."""
    operands = arrays(device)

    def left(a, b):
        return (a + b) * a + b

    def right(a, b):
        c = a + b
        return c * c + a

    for _ in range(MOST):
        for program in (left, right):
            run(program, device, operands)
            _core._finish_compilations()
    for program in (left, right):
        assert run(program, device, operands)[1] == (1, 3, 0, 2)


def test_a_sketch_keeps_no_memory(device):
    """What is deleted while a call is remembered is free at once."""
    a, b = arrays(device, (1 << 10, 1 << 8))
    for _ in range(2):
        before = memory(device)[0]
        c = a * b + a
        d = c - b
        del c
        assert memory(device)[0] - before == d.nbytes
        assert_same(d, a.get() * b.get() + a.get() - b.get())
        del d


def mixture(a, b):
    """Two steps of fitting a Gaussian mixture, whose windows and reductions depend on others."""
    mean, weight = b[:8], b[:8, :1] + 1
    for _ in range(2):
        score = -0.5 * (a[:, None, :8] - mean[None, :, :8]).sum(-1) + gpuarray.log(weight[:, 0])
        shares = gpuarray.exp(score - score.max(-1, keepdims=True))
        shares = shares / shares.sum(-1, keepdims=True)
        weight = shares.sum(0)[:, None] / a.shape[0]
    return weight


def test_windows_that_depend_on_reductions_are_learned_without_stages(device):
    operands = arrays(device, (1 << 14, 8))
    with gpuarray.fusion("off"):
        expected, _ = run(mixture, device, operands)
    for _ in range(2):
        assert run(mixture, device, operands)[0] == expected
        _core._finish_compilations()
    learned = run(mixture, device, operands)
    settle(mixture, device, operands)
    assert learned == run(mixture, device, operands)
    assert learned[0] == expected
    if gpuarray.Device(device).kind != "cpu":
        assert learned[1][0] > 0


@pytest.mark.cuda
def test_a_sum_computes_what_nothing_else_needs(cuda):
    """And no group is charged for operations that the sum alone computes."""
    operands = arrays(cuda, UNKNOWN)

    def total(a, b):
        return (a * b + a).sum()

    expected = [run(total, cuda, operands)[0] for _ in range(3)]
    _core._finish_compilations()
    before = gpuarray.fusion_stats().reductions
    assert run(total, cuda, operands)[0] == expected[0]
    assert gpuarray.fusion_stats().reductions == before + 1


@pytest.mark.cuda
def test_captures_between_calls_are_not_in_the_way(cuda):
    a, b = arrays(cuda, UNKNOWN)
    expected = chain(a, b).get()
    for _ in range(MOST):
        with gpuarray.Stream(), gpuarray.capture() as graph:
            captured = chain(a, b)
        graph.launch()
        assert_same(captured, expected)
        assert_same(chain(a, b), expected)
        _core._finish_compilations()
    assert run(chain, cuda, (a, b))[1] == (1, 5, 0, 4)


@pytest.mark.cuda
def test_without_a_compiler_nothing_waits(cuda):
    run_python(
        """
import numpy as np
import gpuarray

a, b = (gpuarray.full((300, 300), value, "float32") for value in (3, 2))
for _ in range(12):
    c = ((a * b + a) * b - a) / b
    gpuarray.synchronize()
    gpuarray._core._finish_compilations()
assert gpuarray.fusion_stats().operations == 0
assert (c.get() == 7.5).all()
""",
        **inherited_driver() | {"GPUARRAY_LIBNVRTC": os.devnull, "GPUARRAY_CACHE_BYTES": "0"},
    )
