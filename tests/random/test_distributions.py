# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What distributions take and give; test_distribution_laws.py has how their numbers are spread."""

import hashlib
import threading

import numpy as np
import pytest

import gpuarray

LEAST = np.iinfo(np.int64).min

# Parameters that take every branch of the algorithms, and digests of 500 draws from each.
DRAWS = [
    ("beta", (0.4, 0.7), "14d92ba3"),
    ("beta", (2.0, 300.0), "055f73cc"),
    ("chisquare", (3.0,), "ddd0af9b"),
    ("f", (2.0, 5.0), "faf6455f"),
    ("gamma", (0.01, 2.0), "d4bdf8c5"),
    ("gamma", (7.5, 0.5), "9bb5d7c5"),
    ("noncentral_chisquare", (0.5, 40.0), "8cc4f95b"),
    ("noncentral_chisquare", (3.0, 2.0), "c1e0c3ec"),
    ("noncentral_f", (3.0, 4.0, 2.0), "a4e1369e"),
    ("standard_gamma", (1.0,), "c5281df7"),
    ("standard_t", (2.5,), "31af1f8a"),
    ("vonmises", (0.5, 1e-9), "7dfd8dd9"),
    ("vonmises", (0.5, 4.0), "921ce590"),
    ("vonmises", (3.0, 1e7), "e36662c5"),
    ("wald", (3.0, 0.5), "0ced882c"),
    ("binomial", (20, 0.3), "42904d11"),
    ("binomial", (1000, 0.7), "8d1054a9"),
    ("binomial", (10**15, 0.5), "f46eecaf"),
    ("geometric", (0.05,), "c3b7233e"),
    ("hypergeometric", (20, 30, 5), "e4785a3a"),
    ("hypergeometric", (2000, 300, 1500), "e486dbc6"),
    ("logseries", (0.95,), "61bfce33"),
    ("negative_binomial", (2.5, 0.1), "3679a053"),
    ("poisson", (3.0,), "4ae8c159"),
    ("poisson", (50.0,), "9f3d8706"),
    ("poisson", (1e17,), "4b8f1c96"),
    ("zipf", (1.7,), "805aba53"),
    ("dirichlet", ([0.01, 1.0, 20.0],), "74cbb2d4"),
    ("multinomial", (100, [0.1, 0.2, 0.3, 0.4]), "43dde810"),
    ("multivariate_hypergeometric", ([20, 0, 30, 7], 25), "ee4639a2"),
]


def ids(value):
    return value if isinstance(value, str) else str(value).replace(" ", "")


def digest(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:8]


@pytest.mark.parametrize(("name", "parameters", "expected"), DRAWS, ids=ids)
def test_bits_are_the_same_everywhere(device, name, parameters, expected, keyed):
    made = getattr(keyed(device), name)(*parameters, size=500).get()
    here = getattr(keyed("cpu"), name)(*parameters, size=500).get()
    np.testing.assert_array_equal(made, here)
    assert digest(made) == expected


@pytest.mark.parametrize(("name", "parameters", "expected"), DRAWS[:-3], ids=ids)
def test_parameters_of_arrays_give_the_bits_of_numbers(device, name, parameters, expected, keyed):
    numbers = getattr(keyed(device), name)(*parameters, size=(4, 25))
    lists = [np.full(25, value).tolist() for value in parameters]
    columns = [gpuarray.to_device(np.full((4, 1), value)) for value in parameters]
    one = [gpuarray.to_device(np.array(value)) for value in parameters]
    for given, size in ((lists, (4, 25)), ([*columns[:1], *lists[1:]], (4, 25)), (one, (4, 25))):
        made = getattr(keyed(device), name)(*given, size=size)
        assert (made.dtype, made.shape) == (numbers.dtype, (4, 25))
        np.testing.assert_array_equal(made.get(), numbers.get())


def test_a_piece_of_a_draw_is_its_beginning(keyed):
    # Pieces that threads take, and tails of launches, change nothing.
    long = keyed("cpu").poisson(20, size=30_000).get()
    np.testing.assert_array_equal(keyed("cpu").poisson(20, size=777).get(), long[:777])


def test_each_call_has_a_key_of_its_own(device, keyed):
    generator = keyed(device)
    first, second = generator.gamma(2, size=100).get(), generator.gamma(2, size=100).get()
    assert not (first == second).any()


def test_shapes(device, keyed):
    generator = keyed(device)
    assert generator.poisson().shape == ()
    assert generator.poisson(3, size=4).shape == (4,)
    assert generator.beta([1, 2, 3], np.ones((2, 1))).shape == (2, 3)
    assert generator.gamma([1, 2], size=(3, 2)).shape == (3, 2)
    assert generator.gamma(1.0, size=(3, 0, 2)).shape == (3, 0, 2)
    assert generator.dirichlet([1, 2, 3]).shape == (3,)
    assert generator.dirichlet([1, 2, 3], size=(4, 5)).shape == (4, 5, 3)
    assert generator.dirichlet([], size=4).shape == (4, 0)
    assert generator.multinomial(5, [0.5, 0.5]).shape == (2,)
    assert generator.multinomial([5, 6, 7], [0.5, 0.5]).shape == (3, 2)
    assert generator.multinomial([5, 6, 7], [[[0.5, 0.5]], [[0.2, 0.8]]]).shape == (2, 3, 2)
    assert generator.multivariate_hypergeometric([3, 4], 2, size=(2, 1)).shape == (2, 1, 2)
    for wrong in (3, (2, 3), (1, 2)):
        with pytest.raises(ValueError, match="broadcast"):
            generator.poisson(np.ones((2, 2)), size=wrong)
    with pytest.raises(ValueError, match="negative dimensions"):
        generator.poisson(1, size=-1)


def test_standard_gamma_in_float32_is_the_float64_rounded(device, keyed):
    double = keyed(device).standard_gamma([0.5, 3], size=(50, 2)).get()
    single = keyed(device).standard_gamma([0.5, 3], size=(50, 2), dtype=np.float32)
    assert single.dtype == np.float32
    np.testing.assert_array_equal(single.get(), double.astype(np.float32))
    out = gpuarray.empty((50, 2), "float32")
    assert keyed(device).standard_gamma([0.5, 3], dtype="float32", out=out) is out
    np.testing.assert_array_equal(out.get(), single.get())


def test_standard_gamma_refuses_what_numpy_refuses(device, keyed):
    generator = keyed(device)
    out = gpuarray.empty((4, 2))
    with pytest.raises(TypeError, match="Unsupported dtype"):
        generator.standard_gamma(1, dtype="int64")
    with pytest.raises(TypeError, match="Expected float32, got float64"):
        generator.standard_gamma(1, dtype="float32", out=out)
    with pytest.raises(ValueError, match="contiguous"):
        generator.standard_gamma(1, out=out[:, 0])
    with pytest.raises(ValueError, match="size must match"):
        generator.standard_gamma(1, size=8, out=out)
    with pytest.raises(ValueError, match="broadcast"):
        generator.standard_gamma([1, 2, 3], out=out)


WRONG = [
    ("beta", (0, 1)),
    ("beta", (1, -1)),
    ("binomial", (-1, 0.5)),
    ("binomial", (3, 1.5)),
    ("binomial", ([3, 3], [0.5, np.nan])),
    ("chisquare", (0,)),
    ("dirichlet", ([1, -1],)),
    ("f", (1, 0)),
    ("gamma", (-1, 1)),
    ("gamma", (1, -1)),
    ("geometric", (0,)),
    ("hypergeometric", (5, 5, 11)),
    ("hypergeometric", (10**9, 5, 11)),
    ("logseries", (1,)),
    ("multinomial", (5, [0.9, 0.9, 0.1])),
    ("multinomial", (-5, [0.5, 0.5])),
    ("multinomial", (5, 0.5)),
    ("multivariate_hypergeometric", ([3, 4], 8)),
    ("multivariate_hypergeometric", ([3, -4], 2)),
    ("negative_binomial", (0, 0.5)),
    ("negative_binomial", (1, 0)),
    ("noncentral_chisquare", (0, 1)),
    ("noncentral_f", (1, 1, -1)),
    ("poisson", (-1,)),
    ("poisson", ([1, -1],)),
    ("poisson", (1e30,)),
    ("standard_gamma", (-1,)),
    ("standard_t", (0,)),
    ("vonmises", (0, -1)),
    ("wald", (0, 1)),
    ("zipf", (1,)),
]


@pytest.mark.parametrize(("name", "parameters"), WRONG, ids=ids)
def test_errors_are_numpys(name, parameters, keyed):
    with pytest.raises(ValueError) as expected:
        getattr(np.random.default_rng(0), name)(*parameters)
    generator = keyed("cpu")
    with pytest.raises(ValueError) as found:
        getattr(generator, name)(*parameters)
    assert str(found.value) == str(expected.value)
    # No key was taken for it.
    fresh = keyed("cpu").poisson(50, size=9).get()
    np.testing.assert_array_equal(generator.poisson(50, size=9).get(), fresh)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("beta", [(1, 0), (np.nan, 1)]),
        ("binomial", [(-1, 0.5), (3, 1.5), (3, np.nan)]),
        ("chisquare", [(0,), (np.nan,)]),
        ("f", [(-1, 1), (1, 0)]),
        ("gamma", [(-1, 1), (1, -1), (np.nan, 1)]),
        ("geometric", [(0,), (2,), (np.nan,)]),
        ("hypergeometric", [(5, 5, 11), (-1, 5, 2)]),
        ("logseries", [(1,), (-0.1,), (np.nan,)]),
        ("negative_binomial", [(0, 0.5), (1, 0), (1, np.nan)]),
        ("noncentral_chisquare", [(0, 1), (1, -1), (np.nan, 1)]),
        ("noncentral_f", [(1, 1, -1), (1, 0, 1)]),
        ("poisson", [(-1,), (np.nan,), (1e30,)]),
        ("standard_gamma", [(-1,), (np.nan,)]),
        ("standard_t", [(0,), (np.nan,)]),
        ("vonmises", [(0, -1), (np.inf, 1), (0, np.nan)]),
        ("wald", [(0, 1), (1, np.nan)]),
        ("zipf", [(1,), (np.nan,)]),
    ],
)
def test_wrong_values_in_arrays_of_the_device_give_no_numbers(device, name, wrong, keyed):
    generator = keyed(device)
    columns = np.array(wrong, float).T
    if name == "hypergeometric":
        columns = columns.astype(np.int64)
    given = [gpuarray.to_device(column) for column in columns]
    if name == "binomial":
        given[0] = given[0].astype("int64")
    made = getattr(generator, name)(*given).get()
    np.testing.assert_array_equal(
        made, np.full(made.shape, np.nan if made.dtype == float else LEAST)
    )


def test_wrong_rows_on_the_device_give_no_numbers(device, keyed):
    generator = keyed(device)
    for row in ([0.5, np.nan, 0.5], [0.5, -0.1, 0.6]):
        made = generator.multinomial(10, gpuarray.to_device(np.array(row))).get()
        np.testing.assert_array_equal(made[1:], LEAST)
    made = generator.multivariate_hypergeometric(gpuarray.to_device(np.array([3, -4])), 2).get()
    assert LEAST in made
    assert np.isnan(generator.dirichlet(gpuarray.to_device(np.array([1, -1.0]))).get()).all()


def test_what_is_known_is_checked_beside_arrays_of_the_device(device, keyed):
    generator = keyed(device)
    ones = gpuarray.ones(3)
    with pytest.raises(ValueError, match="scale < 0"):
        generator.gamma(ones, -1)
    with pytest.raises(ValueError, match="p < 0"):
        generator.binomial(ones.astype("int64"), -1)
    with pytest.raises(ValueError, match="nsample < 0"):
        generator.hypergeometric(ones.astype("int64"), 5, -1)
    with pytest.raises(TypeError, match="int64"):
        generator.binomial(ones, 0.5)
    with pytest.raises(TypeError, match="float64"):
        generator.poisson(ones.astype("complex128"))


def test_arrays_of_other_devices_are_refused():
    with pytest.raises(TypeError, match="expected a GPUArray"):
        gpuarray._core._random_distribution("poisson", 3.0, gpuarray.ones(3, device="cpu"), [1.0])


def test_numbers_are_keys_of_the_cpu_device(device):
    out = gpuarray.zeros(3, "int64")
    if device != "cpu":
        with pytest.raises(TypeError, match="expected a key on cuda"):
            gpuarray._core._random_distribution("poisson", 3, out, [1.0])
        return
    key = gpuarray.to_device(np.array([3], np.uint64))
    gpuarray._core._random_distribution("poisson", 3, out, [20.0])
    expected = gpuarray.zeros(3, "int64")
    gpuarray._core._random_distribution("poisson", key, expected, [20.0])
    assert out.tolist() == expected.tolist()
    with pytest.raises(OverflowError):
        gpuarray._core._random_distribution("poisson", -1, out, [20.0])


def test_certain_results(device, keyed):
    generator = keyed(device)

    def drawn(name, *parameters):
        return getattr(generator, name)(*parameters, size=50).get()

    assert (drawn("binomial", 10, 0) == 0).all()
    assert (drawn("binomial", 10, 1) == 10).all()
    assert (drawn("binomial", 0, 0.5) == 0).all()
    assert (drawn("poisson", 0) == 0).all()
    assert (drawn("geometric", 1) == 1).all()
    assert (drawn("negative_binomial", 5, 1) == 0).all()
    assert (drawn("logseries", 0) == 1).all()
    assert (drawn("zipf", 2000) == 1).all()
    assert (drawn("standard_gamma", 0) == 0).all()
    assert (drawn("gamma", 3, 0) == 0).all()
    assert (drawn("hypergeometric", 0, 9, 5) == 0).all()
    assert (drawn("hypergeometric", 9, 0, 5) == 5).all()
    assert (drawn("hypergeometric", 30, 20, 50) == 30).all()
    assert (drawn("multinomial", 7, [0, 1, 0]) == [0, 7, 0]).all()
    assert (drawn("multinomial", 7, [0.5, 0.5, 0]).sum(1) == 7).all()
    assert (drawn("multivariate_hypergeometric", [3, 0, 4], 7) == [3, 0, 4]).all()
    assert (drawn("dirichlet", [3, 0])[:, 1] == 0).all()


def test_extreme_parameters_give_numbers(device, keyed):
    generator = keyed(device)
    tiny = generator.standard_gamma(1e-5, size=200).get()
    assert (tiny >= 0).all()
    assert (tiny < 1e-300).mean() > 0.9
    shares = generator.dirichlet([1e-5] * 4, size=200).get()
    np.testing.assert_allclose(shares.sum(1), 1, rtol=1e-15)
    assert ((generator.beta(1e-320, 1e-320, size=200).get() - 0.5) ** 2 == 0.25).all()
    huge = generator.poisson(9e18, size=200).get()
    assert (abs(huge / 9e18 - 1) < 1e-8).all()
    assert (generator.binomial(2**62, 0.5, size=200).get() > 2**60).all()
    assert generator.geometric(1e-300, size=3).get().tolist() == [2**63 - 1] * 3
    assert (generator.zipf(1 + 1e-9, size=200).get() >= 1).all()
    assert np.isfinite(generator.wald(1e10, 1e-10, size=200).get()).all()
    assert (abs(generator.vonmises(1e6, 1.0, size=200).get()) <= np.pi).all()


def test_small_shares_are_subnormal_before_they_are_nothing(device, keyed):
    made = keyed(device).beta(0.0025, 0.0025, 200_000).get()
    expected = 77_617 / 5  # of a million: NumPy's test of beta
    assert abs((made == 0).sum() - expected) < 0.05 * expected
    assert ((made > 0) & (made < np.finfo(float).tiny)).sum() > 1000


def test_shares_of_nothing(device, keyed):
    assert keyed(device).dirichlet([0.0, 0.0, 0.0], 2).tolist() == [[0, 0, 0]] * 2
    assert keyed(device).dirichlet([0.0, 2.0]).tolist() == [0, 1]


def test_threads_of_the_cpu_device_change_no_bit(keyed):
    expected = keyed("cpu").negative_binomial(3, 0.1, size=50_000).get()
    made = [None] * 4

    def draw(k):
        made[k] = keyed("cpu").negative_binomial(3, 0.1, size=50_000).get()

    threads = [threading.Thread(target=draw, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for array in made:
        np.testing.assert_array_equal(array, expected)


@pytest.mark.cuda
def test_draws_can_be_captured(cuda):
    key = gpuarray.to_device(np.array([5], np.uint64))
    out = gpuarray.zeros(100, "int64")
    gpuarray._core._random_distribution("poisson", key, out, [20.0])
    expected = out.get()
    out[...] = 0
    with gpuarray.capture() as graph:
        gpuarray._core._random_distribution("poisson", key, out, [20.0])
    graph.launch()
    np.testing.assert_array_equal(out.get(), expected)


@pytest.mark.parametrize("population", [0.0, 0.5, -1.0, np.nan])
def test_no_place_is_drawn_of_nothing(device, population):
    out = gpuarray.empty(3, "int64", device=device)
    with pytest.raises(ValueError, match="population"):
        key = gpuarray.ones(1, "uint64", device=device)
        gpuarray._core._random_distribution("distinct_place", key, out, [population])


@pytest.mark.parametrize(
    ("name", "dtype", "parameters"),
    [("sort_words", "uint64", []), ("distinct_place", "int64", [1e6])],
)
def test_draws_may_lie_anywhere(device, name, dtype, parameters):
    key = gpuarray.ones(1, "uint64", device=device)
    shape = (1000, 1) if name == "sort_words" else (1000,)
    whole = gpuarray.empty(1000, dtype, device=device).reshape(shape)
    moved = gpuarray.empty(1001, dtype, device=device)[1:].reshape(shape)  # by less than a vector
    for out in (whole, moved):
        gpuarray._core._random_distribution(name, key, out, parameters)
    np.testing.assert_array_equal(moved.get(), whole.get())
