# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Bit generators, their states on a device, and the functions of the module."""

import copy
import inspect
import pickle
import threading

import numpy as np
import pytest

import gpuarray
from gpuarray import random
from gpuarray.errors import CaptureError
from gpuarray.random import PCG64, PCG64DXSM, Generator, Philox, RandomState, default_rng

KINDS = [PCG64, PCG64DXSM, Philox]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


def numpys_of(kind, seed):
    return getattr(np.random, kind.__name__)(seed)


def test_states_go_to_numpy_and_back(device, kind):
    ours, numpys = Generator(kind(3, device=device)), np.random.Generator(numpys_of(kind, 4))
    ours.random(5, np.float32)
    numpys.bit_generator.state = ours.bit_generator.state
    np.testing.assert_array_equal(ours.random(9, np.float32).get(), numpys.random(9, np.float32))
    numpys.standard_normal(7)
    ours.bit_generator.state = numpys.bit_generator.state
    np.testing.assert_array_equal(ours.random(9).get(), numpys.random(9))


def test_numpys_generators_give_their_state(device, kind):
    source = np.random.Generator(numpys_of(kind, 3))
    source.integers(10, size=3, dtype=np.int32)
    for made in (
        Generator(source.bit_generator, device=device),
        default_rng(source, device=device),
    ):
        assert type(made.bit_generator) is kind
        assert made.device == gpuarray.empty(0).device
        expected = copy.deepcopy(source).random(5)
        np.testing.assert_array_equal(made.random(5).get(), expected)


@pytest.mark.parametrize("delta", [0, 1, 5, 2**70 + 3, -2])
def test_advance(device, kind, delta):
    ours, numpys = kind(3, device=device), numpys_of(kind, 3)
    ours.random_raw(6)
    numpys.random_raw(6)
    assert ours.advance(delta) is ours
    numpys.advance(delta)
    np.testing.assert_array_equal(ours.random_raw(7).get(), numpys.random_raw(7))


def test_jumped(device, kind):
    ours, numpys = kind(3, device=device), numpys_of(kind, 3)
    for jumps in (1, 3):
        jumped = ours.jumped(jumps)
        assert jumped.device == gpuarray.empty(0).device
        np.testing.assert_array_equal(
            jumped.random_raw(5).get(), numpys.jumped(jumps).random_raw(5)
        )
    np.testing.assert_array_equal(ours.random_raw(5).get(), numpys.random_raw(5))


def test_spawn(device, kind):
    ours = Generator(kind(3, device=device)).spawn(3)
    numpys = np.random.Generator(numpys_of(kind, 3)).spawn(3)
    for child, expected in zip(ours, numpys, strict=True):
        assert child.device == gpuarray.empty(0).device
        np.testing.assert_array_equal(child.random(4).get(), expected.random(4))


def test_pickles_and_copies_draw_the_same(device, kind):
    ours = Generator(kind(3, device=device))
    ours.random(3, np.float32)
    copies = [pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)]
    expected = ours.random(5, np.float32).get()
    for made in copies:
        assert made.device == ours.device
        np.testing.assert_array_equal(made.random(5, np.float32).get(), expected)


@pytest.mark.filterwarnings("error")
def test_raw_words(device, kind):
    ours, numpys = kind(3, device=device), numpys_of(kind, 3)
    np.testing.assert_array_equal(ours.random_raw((2, 5)).get(), numpys.random_raw((2, 5)))
    assert ours.random_raw(3, output=False) is None
    numpys.random_raw(3)
    assert ours.random_raw().item() == numpys.random_raw()


def test_streams_that_cannot_be_entered_are_the_cpus(device):
    for made in (random.MT19937, random.SFC64):
        if device == "cpu":
            numpys = getattr(np.random, made.__name__)(3)
            np.testing.assert_array_equal(
                Generator(made(3, device=device)).random(5).get(),
                np.random.Generator(numpys).random(5),
            )
        else:
            with pytest.raises(ValueError, match=r"entered anywhere.*PCG64"):
                made(3, device=device)


def test_seeds_are_numpys(device):
    for seed in (0, 12345678901234567890, [1, 2, 3], np.random.SeedSequence(7)):
        np.testing.assert_array_equal(
            default_rng(seed, device=device).random(3).get(), np.random.default_rng(seed).random(3)
        )
    first, second = default_rng(device=device), default_rng(device=device)
    assert (first.random(5) != second.random(5)).any().item()
    assert default_rng(first) is first
    with pytest.raises(TypeError, match=r"SeedSequence|seed|cast"):
        default_rng("seed", device=device)
    with pytest.raises(TypeError, match="BitGenerator"):
        Generator(3)
    with pytest.raises(TypeError, match="subclasses"):
        random.BitGenerator(3)


def test_a_state_is_refused_by_another_kind(device):
    with pytest.raises(ValueError, match="PCG64"):
        PCG64(3, device=device).state = np.random.Philox(3).state
    with pytest.raises(ValueError, match="expected the state of a PCG64"):
        PCG64(np.random.Philox(3), device=device)


@pytest.mark.cuda
def test_draws_from_one_state_follow_each_other_on_streams(cuda):
    ours, numpys = default_rng(3, device=cuda), np.random.default_rng(3)
    streams = [gpuarray.Stream() for _ in range(3)]
    drawn = []
    for k in range(12):
        with streams[k % 3]:
            drawn.append(ours.standard_normal(3000))
    for result in drawn:
        np.testing.assert_array_max_ulp(result.get(), numpys.standard_normal(3000), 8)


def test_threads_draw_different_numbers(device):
    ours = default_rng(3, device=device)
    drawn = [None] * 4

    def draw(place):
        drawn[place] = [ours.random(100) for _ in range(10)]

    threads = [threading.Thread(target=draw, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    numbers = np.sort(np.concatenate([a.get() for part in drawn for a in part]))
    np.testing.assert_array_equal(numbers, np.sort(np.random.default_rng(3).random(4000)))


@pytest.mark.cuda
def test_graphs_draw_new_numbers(cuda):
    ours, numpys = default_rng(3, device=cuda), np.random.default_rng(3)
    ours.random(4), ours.standard_normal(4), ours.integers(0, 1000, 4)
    numpys.random(4), numpys.standard_normal(4), numpys.integers(0, 1000, 4)
    out = [gpuarray.empty(5000, device=cuda) for _ in range(2)]
    counts = gpuarray.empty(5000, "i8", device=cuda)
    with gpuarray.capture() as graph:
        ours.random(out=out[0])
        ours.standard_normal(out=out[1])
        counts[...] = ours.integers(0, 1000, 5000)
    for _ in range(3):
        graph.launch()
        np.testing.assert_array_equal(out[0].get(), numpys.random(5000))
        np.testing.assert_array_max_ulp(out[1].get(), numpys.standard_normal(5000), 8)
        np.testing.assert_array_equal(counts.get(), numpys.integers(0, 1000, 5000))
    np.testing.assert_array_equal(ours.random(3).get(), numpys.random(3))


def test_functions_of_the_module_draw_from_one_generator(device):
    random.seed(5)
    expected = np.random.default_rng(5)
    np.testing.assert_array_equal(random.rand(2, 3).get(), expected.random((2, 3)))
    np.testing.assert_array_equal(random.randn(4).get(), expected.standard_normal(4))
    np.testing.assert_array_equal(random.randint(3, 9, 5).get(), expected.integers(3, 9, 5))
    np.testing.assert_array_equal(random.random_sample(3).get(), expected.random(3))
    np.testing.assert_array_equal(
        random.random_integers(6, size=4).get(), expected.integers(1, 6, 4, endpoint=True)
    )
    state = random.get_state()
    first = random.uniform(0, 2, 3).get()
    random.set_state(state)
    np.testing.assert_array_equal(random.uniform(0, 2, 3).get(), first)
    assert random.rand().device == gpuarray.empty(0).device


def test_every_name_of_numpys_is_there():
    assert set(np.random.__all__) <= set(dir(random))
    methods = {name for name in dir(np.random.Generator) if not name.startswith("_")}
    assert methods <= set(dir(Generator))


def test_random_state_takes_many_seeds(device):
    words = np.random.default_rng(0).integers(0, 2**32, 624, dtype=np.uint32)
    first, second = RandomState(words, device=device), RandomState(words, device=device)
    np.testing.assert_array_equal(
        first.random_sample(size=5).get(), second.random_sample(size=5).get()
    )
    first.seed(3)
    np.testing.assert_array_equal(first.rand(5).get(), np.random.default_rng(3).random(5))
    assert pickle.loads(pickle.dumps(first)).rand().item() == first.rand().item()


def test_random_states_are_seeded_as_their_kind_is(device, kind):
    state = RandomState(kind(3, device=device))
    state.seed(5)
    numpys = np.random.Generator(numpys_of(kind, 5))
    np.testing.assert_array_equal(state.rand(4).get(), numpys.random(4))
    child, expected = state.bit_generator.spawn(1)[0], numpys.bit_generator.spawn(1)[0]
    np.testing.assert_array_equal(child.random_raw(3).get(), expected.random_raw(3))


@pytest.mark.cuda
def test_a_generator_stays_on_its_device(cuda):
    ours = default_rng(3, device="cpu")
    for source in (ours, ours.bit_generator):
        assert default_rng(source).device == default_rng(source, device="cpu").device
        with pytest.raises(ValueError, match="expected a bit generator on cuda:0, got one on cpu"):
            default_rng(source, device=cuda)


def test_the_mersenne_twister_jumps():
    ours, numpys = gpuarray.random.MT19937(5, device="cpu"), np.random.MT19937(5)
    expected = numpys.jumped(2).random_raw(3)
    np.testing.assert_array_equal(ours.jumped(2).random_raw(3).get(), expected)


def test_tomaxint(device):
    made = gpuarray.random.RandomState(1, device=device).tomaxint((2, 500)).get()
    assert made.dtype == np.int64
    assert made.min() >= 0
    assert made.max() > np.iinfo(np.int64).max // 100 * 99


def test_a_generator_of_numpys_is_copied(device):
    host = np.random.PCG64(5)
    gpuarray.random.PCG64(host, device=device).random_raw(3)
    assert host.random_raw() == np.random.PCG64(5).random_raw()
    with pytest.raises(ValueError, match="expected the state of a PCG64, got a Philox"):
        gpuarray.random.PCG64(np.random.Philox(5), device=device)


@pytest.mark.cuda
def test_states_are_not_made_under_capture(cuda):
    generator = default_rng(1, device=cuda)
    with (
        gpuarray.Stream(device=cuda),
        pytest.raises(CaptureError, match="waits for the device"),
        gpuarray.capture(),
    ):
        default_rng(1, device=cuda)
    with (
        gpuarray.Stream(device=cuda),
        pytest.raises(CaptureError, match="state"),
        gpuarray.capture(),
    ):
        generator.bit_generator.seed(3)


def test_functions_of_the_module_have_no_self():
    assert "self" not in inspect.signature(gpuarray.random.rand).parameters


def test_dtypes_of_the_older_functions(device):
    state = RandomState(1, device=device)
    for drawn in (
        state.rand(2, 3, dtype=np.float32),
        state.randn(2, 3, dtype="float32"),
        state.random_sample((2, 3), np.float32),
        state.uniform(-1, 1, (2, 3), "float32"),
        state.normal(size=(2, 3), dtype=np.float32),
        state.lognormal(0.0, 1.0, (2, 3), dtype="float32"),
        gpuarray.random.gamma(2.0, 1.0, (2, 3), dtype="float32"),
    ):
        assert drawn.shape == (2, 3) and drawn.dtype == np.float32
    assert state.poisson(3.0, 4, dtype=np.int32).dtype == np.int32
    assert state.uniform(size=2).dtype == np.float64
    one, other = (RandomState(7, device=device) for _ in range(2))
    expected = one.normal(1, 2, 5).get().astype(np.float32)
    assert (other.normal(1, 2, 5, dtype="float32").get() == expected).all()
    with pytest.raises(TypeError, match="positional"):
        state.uniform(0, 1, 2, "float32", 3)
