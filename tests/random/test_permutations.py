# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Random orders and choices."""

import math

import numpy as np
import pytest

import gpuarray


def test_permutation_of_a_number_has_each_once(device, keyed):
    generator = keyed(device)
    for n in (0, 1, 2, 100, 5000, 65_535, 65_536, 100_003):
        order = generator.permutation(n)
        assert (order.dtype, order.shape) == (np.int64, (n,))
        np.testing.assert_array_equal(np.sort(order.get()), np.arange(n))
    assert generator.permutation(-3).shape == (0,)


def test_bits_are_the_same_everywhere(device, keyed):
    here, there = keyed(device), keyed("cpu")
    for draw in (
        lambda g: g.permutation(1000),
        lambda g: g.permutation(70_000),
        lambda g: g.choice(70_000, 60_000, replace=False),
        lambda g: g.choice(10_000, 100, replace=False),
        lambda g: g.choice(100, 70, replace=False),
        lambda g: g.choice(50, 9, replace=False, p=np.arange(50) / 1225),
        lambda g: g.choice(7, (3, 5)),
    ):
        np.testing.assert_array_equal(draw(here).get(), draw(there).get())
    first = keyed("cpu").permutation(8).tolist()
    assert first == PERMUTATION_OF_8


def network_place(key, population, place):
    """The place by the text of kernels/random/distribution_orders.cuh, with Python's integers."""

    def number(index):
        word = (key + (index + 1) * 0x9E3779B97F4A7C15) % 2**64
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        word = (word ^ word >> 27) * 0x94D049BB133111EB % 2**64
        return word ^ word >> 31

    low_count = math.isqrt(population - 1) + 1
    high_count = -(-population // low_count)
    while True:
        high, low = divmod(place, low_count)
        for step in range(0, 8, 2):
            low = (low + (number(high * 8 + step) * low_count >> 64)) % low_count
            high = (high + (number(low * 8 + step + 1) * high_count >> 64)) % high_count
        place = high * low_count + low
        if place < population:
            return place


@pytest.mark.parametrize(
    ("population", "count"), [(51, 1), (900, 17), (65_537, 5000), (99_999, 1500), (2**53, 40)]
)
def test_places_of_the_network(device, population, count):
    """Vectors, the elements behind the last one, and numbers that are walked on."""
    key = 0x0123456789ABCDEF
    keys = gpuarray.to_device(np.array([key], np.uint64))
    places = gpuarray.zeros(count, "int64")
    gpuarray._core._random_distribution("distinct_place", keys, places, [float(population)])
    expected = [network_place(key, population, place) for place in range(count)]
    assert places.tolist() == expected


PERMUTATION_OF_8 = [4, 6, 1, 5, 7, 2, 3, 0]


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_permutation_moves_slices(device, axis, keyed):
    x = np.arange(60).reshape(5, 12)
    made = keyed(device).permutation(gpuarray.to_device(x), axis=axis).get()
    assert not (made == x).all()
    slices = {tuple(one) for one in np.moveaxis(x, axis, 0).tolist()}
    assert {tuple(one) for one in np.moveaxis(made, axis, 0).tolist()} == slices


def test_shuffle_works_in_place_and_on_views(device, keyed):
    x = np.arange(40).reshape(8, 5)
    a = gpuarray.to_device(x)
    generator = keyed(device)
    assert generator.shuffle(a) is None
    made = a.get()
    assert not (made == x).all()
    np.testing.assert_array_equal(made[np.argsort(made[:, 0])], x)
    for view in (a[::-2, 1:3], a.T, a[2]):
        before = view.get()
        generator.shuffle(view)
        assert sorted(map(tuple, view.get().reshape(len(before), -1))) == sorted(
            map(tuple, before.reshape(len(before), -1))
        )
    np.testing.assert_array_equal(np.sort(a.get(), None), np.arange(40))
    generator.shuffle(a, axis=1)
    np.testing.assert_array_equal(np.sort(a.get(), None), np.arange(40))


def test_permuted_moves_each_row_by_itself(device, keyed):
    x = np.tile(np.arange(50), (6, 1))
    a, generator = gpuarray.to_device(x), keyed(device)
    made = generator.permuted(a, axis=1).get()
    np.testing.assert_array_equal(np.sort(made, 1), x)
    assert len({tuple(row) for row in made.tolist()}) == 6
    np.testing.assert_array_equal(a.get(), x)
    columns = generator.permuted(a.T, axis=0).get()
    np.testing.assert_array_equal(np.sort(columns, 0), x.T)
    everything = generator.permuted(a).get()
    assert everything.shape == x.shape
    np.testing.assert_array_equal(np.sort(everything, None), np.sort(x, None))
    assert generator.permuted(a, axis=1, out=a) is a
    np.testing.assert_array_equal(np.sort(a.get(), 1), x)
    assert not (a.get() == x).all()


def test_lists_are_taken_and_other_values_refused(device, keyed):
    generator = keyed(device)
    made = generator.permutation([3, 1, 2])
    assert str(made.device) == device
    assert sorted(made.tolist()) == [1, 2, 3]
    assert sorted(generator.permuted([[3, 1], [2, 0]]).get().ravel()) == [0, 1, 2, 3]
    for wrong in (np.arange(3), "abc", None):
        with pytest.raises(TypeError):
            generator.permutation(wrong)
        with pytest.raises(TypeError):
            generator.permuted(wrong)
    for wrong in ([1, 2, 3], np.arange(3), 5):
        with pytest.raises(TypeError, match="shuffle: expected a GPUArray"):
            generator.shuffle(wrong)
    with pytest.raises(np.exceptions.AxisError):
        generator.shuffle(gpuarray.ones(()))
    with pytest.raises(np.exceptions.AxisError):
        generator.permutation(gpuarray.ones(3), axis=1)
    with pytest.raises(ValueError, match="read-only"):
        generator.shuffle(gpuarray.broadcast_to(gpuarray.ones(3), (2, 3)))
    with pytest.raises(ValueError, match="shape"):
        generator.permuted(gpuarray.ones(3), out=gpuarray.ones(4))
    with pytest.raises(TypeError, match="int32"):
        generator.permuted(gpuarray.ones(3), out=gpuarray.ones(3, dtype="int32"))


def test_an_element_is_a_number(device, keyed):
    four = gpuarray.arange(9, device=device)[4]
    same, other = keyed(device), keyed(device)
    assert same.permutation(four).tolist() == other.permutation(4).tolist()
    assert same.choice(four, 3).tolist() == other.choice(4, 3).tolist()
    with pytest.raises(TypeError):
        same.permutation(gpuarray.ones(()))


def test_all_orders_are_as_likely(keyed):
    generator = keyed("cpu")
    rows = generator.permuted(
        gpuarray.to_device(np.tile(np.arange(4), (24_000, 1)), device="cpu"), 1
    )
    found = np.unique(rows.get() @ [64, 16, 4, 1], return_counts=True)[1]
    assert len(found) == 24
    square = ((found - 1000) ** 2 / 1000).sum()
    assert square < 60  # of 23 degrees of freedom: one of 40,000


def chi_square(found, expected):
    return ((found - expected) ** 2 / expected).sum()


def test_computed_orders_look_random(keyed):
    n, parts, draws = 70_001, 10, 20
    generator = keyed("cpu")
    for _ in range(draws):
        order = generator.permutation(n).get()
        # Where places come from, how far neighbours are from each other, and how many follow.
        for places in (
            order,
            (order[1:] - order[:-1]) % n,
            (order[::2][: n // 2] - order[1::2]) % n,
        ):
            cells = np.histogram2d(
                np.arange(len(places)), places, parts, [[0, len(places)], [0, n]]
            )[0]
            assert chi_square(cells, len(places) / parts**2) < 175  # about 90, deviation 13
        rising = np.count_nonzero(order[1:] > order[:-1])
        assert abs(rising - n / 2) < 5 * math.sqrt(n / 12)
        assert np.count_nonzero(order == np.arange(n)) < 12  # of mean 1
    pairs = np.array([generator.choice(n, 2, replace=False).get() for _ in range(5000)])
    cells = np.histogram2d(*pairs.T, parts, [[0, n]] * 2)[0]
    assert chi_square(cells, 5000 / parts**2) < 175


@pytest.mark.parametrize("p", [None, np.array([0.1, 0, 0.4, 0.3, 0.2])], ids=["even", "p"])
def test_choice_with_replacement_is_numpys(device, p, keyed):
    for size in (None, 7, (3, 4), 0):
        made = keyed(device, seed=4).choice(5, size, p=p)
        expected = np.random.default_rng(4).choice(5, size, p=p)
        assert made.shape == np.shape(expected)
        np.testing.assert_array_equal(made.get(), expected)
    x = np.arange(10).reshape(2, 5)
    made = keyed(device, seed=4).choice(gpuarray.to_device(x), 6, p=p, axis=1)
    expected = np.random.default_rng(4).choice(x, 6, p=p, axis=1)
    np.testing.assert_array_equal(made.get(), expected)


def test_choice_takes_probabilities_of_float32(device, keyed):
    p = (np.arange(1, 100, dtype=np.float32)) / np.float32(4950)
    made = keyed(device).choice(99, 50, p=p).get()
    np.testing.assert_array_equal(made, np.random.default_rng(0).choice(99, 50, p=p))


def test_choice_takes_probabilities_on_the_device(device, keyed):
    p = gpuarray.to_device(np.array([0.25, 0, 0.5, 0.25]))
    made = keyed(device).choice(4, 1000, p=p).get()
    expected = np.random.default_rng(0).choice(4, 1000, p=p.get())
    np.testing.assert_array_equal(made, expected)  # these sums are exact
    made = keyed(device).choice(4, 3, replace=False, p=p).get()
    assert sorted(made) == [0, 2, 3]


@pytest.mark.parametrize(
    ("population", "count"), [(5, 5), (60, 1), (1000, 19), (1000, 21), (10**9, 500)]
)
def test_choice_without_replacement_is_distinct(device, population, count, keyed):
    made = keyed(device).choice(population, count, replace=False).get()
    assert made.shape == (count,)
    assert len(set(made.tolist())) == count
    assert made.min() >= 0
    assert made.max() < population


def test_choice_of_few_takes_little_memory(device, keyed):
    generator = keyed(device)
    with gpuarray.memory_profile(device) as seen:
        generator.choice(10**8, 100, replace=False)
    assert seen.allocated_bytes < 1 << 20


def test_distinct_places_are_even(keyed):
    generator = keyed("cpu")
    first, second = np.empty((2, 20_000), int)
    for k in range(len(first)):
        first[k], second[k] = generator.choice(101, 2, replace=False).get()
    for found in (first, second, (first - second) % 101):
        found = np.bincount(found, minlength=101)
        found, degrees = (found[1:], 99) if not found[0] else (found, 100)
        expected = len(first) / len(found)
        square = ((found - expected) ** 2 / expected).sum()
        assert abs(square - degrees) < 4.2 * math.sqrt(2 * degrees)


def test_weighted_choice_without_replacement_draws_one_after_the_other(keyed):
    p = np.array([0.5, 0.3, 0.15, 0.05])
    generator = keyed("cpu")
    pairs = np.array([generator.choice(4, 2, replace=False, p=p).get() for _ in range(20_000)])
    expected = p[:, None] * p / (1 - p[:, None])
    np.fill_diagonal(expected, 0)
    found = np.bincount(pairs @ [4, 1], minlength=16).reshape(4, 4) / len(pairs)
    np.testing.assert_allclose(found, expected, atol=4 * math.sqrt(0.25 / len(pairs)))


def test_choice_of_rows(device, keyed):
    x = np.arange(12).reshape(4, 3)
    made = keyed(device).choice(gpuarray.to_device(x), (2, 2), replace=False).get()
    np.testing.assert_array_equal(np.sort(made.reshape(4, 3), 0), x)
    assert keyed(device).choice([1, 2, 3]).shape == ()


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ((0, 3), {}),
        ((-1, 3), {}),
        (([], 3), {}),
        ((3, 4), {"replace": False}),
        ((3, 2), {"p": [0.5, 0.5]}),
        ((2, 2), {"p": [[0.5, 0.5]]}),
        ((2, 2), {"p": [0.5, 0.6]}),
        ((2, 2), {"p": [1.5, -0.5]}),
        ((2, 2), {"p": [np.nan, 0.5]}),
        ((3, 2), {"p": [1, 0, 0], "replace": False}),
    ],
    ids=str,
)
def test_choice_raises_numpys_errors(device, arguments, options, keyed):
    with pytest.raises(Exception) as expected:
        np.random.default_rng(0).choice(*arguments, **options)
    with pytest.raises(type(expected.value)) as found:
        keyed(device).choice(*arguments, **options)
    assert str(found.value) == str(expected.value)
