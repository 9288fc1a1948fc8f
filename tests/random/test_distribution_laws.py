# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""How the numbers of distributions are spread, beside exact laws and NumPy's numbers.

Seeds are fixed, so that each test passes always or never. Thresholds are such that a right
algorithm would fail at one of some ten thousand seeds. On the cpu device alone: bits are the same
on others, as test_distributions.py checks.
"""

import math
from functools import cache

import numpy as np
import pytest

COUNT = 100_000
# sup |F - G| of two samples, or of a sample and its law, times the root of their sizes.
KOLMOGOROV = 2.2

erf = np.vectorize(math.erf)
log_factorial = np.vectorize(lambda n: math.lgamma(n + 1))


@pytest.fixture
def drawn(keyed):
    def draw(name, *parameters):
        return getattr(keyed("cpu", seed=7), name)(*parameters, size=COUNT).get()

    return draw


def distance_to_law(sample, law):
    below = law(np.sort(sample))
    steps = np.arange(len(sample) + 1) / len(sample)
    return max((steps[1:] - below).max(), (below - steps[:-1]).max()) * math.sqrt(len(sample))


def distance_to_sample(sample, other):
    places = np.concatenate([sample, other])
    first = np.searchsorted(np.sort(sample), places, side="right") / len(sample)
    second = np.searchsorted(np.sort(other), places, side="right") / len(other)
    return abs(first - second).max() / math.sqrt(1 / len(sample) + 1 / len(other))


def normal_law(x):
    return 0.5 * (1 + erf(x / math.sqrt(2)))


def vonmises_law(kappa):
    at = np.linspace(-math.pi, math.pi, 20_001)
    density = np.exp(kappa * (np.cos(at) - 1))
    sums = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2)])
    return lambda x: np.interp(x, at, sums / sums[-1])


def wald_law(mean, scale):
    def law(x):
        root = np.sqrt(scale / x)
        second = math.exp(2 * scale / mean) * normal_law(-root * (x / mean + 1))
        return normal_law(root * (x / mean - 1)) + second

    return law


LAWS = [
    ("standard_gamma", (1.0,), lambda x: -np.expm1(-x)),
    ("standard_gamma", (0.5,), lambda x: erf(np.sqrt(x))),
    ("gamma", (3.0, 2.0), lambda x: 1 - np.exp(-x / 2) * (1 + x / 2 + x**2 / 8)),
    ("beta", (0.5, 0.5), lambda x: 2 / math.pi * np.arcsin(np.sqrt(x))),
    ("beta", (2.5, 1.0), lambda x: x**2.5),
    ("chisquare", (2.0,), lambda x: -np.expm1(-x / 2)),
    ("f", (2.0, 5.0), lambda x: 1 - (1 + 2 * x / 5) ** -2.5),
    ("standard_t", (1.0,), lambda x: 0.5 + np.arctan(x) / math.pi),
    ("standard_t", (2.0,), lambda x: 0.5 + x / (2 * np.sqrt(2 + x * x))),
    ("vonmises", (0.0, 1e-6), lambda x: 0.5 + x / (2 * math.pi)),
    ("vonmises", (0.0, 0.7), vonmises_law(0.7)),
    ("vonmises", (0.0, 30.0), vonmises_law(30.0)),
    ("wald", (1.0, 2.0), wald_law(1.0, 2.0)),
    ("wald", (5.0, 0.3), wald_law(5.0, 0.3)),
    ("noncentral_chisquare", (1.0, 0.0), lambda x: erf(np.sqrt(x / 2))),
]


@pytest.mark.parametrize(("name", "parameters", "law"), LAWS)
def test_real_numbers_follow_their_law(name, parameters, law, drawn):
    assert distance_to_law(drawn(name, *parameters), law) < KOLMOGOROV


NUMPYS = [
    ("standard_gamma", (0.1,)),
    ("standard_gamma", (50.0,)),
    ("beta", (0.2, 4.0)),
    ("chisquare", (7.0,)),
    ("f", (7.0, 3.0)),
    ("standard_t", (7.0,)),
    ("noncentral_chisquare", (0.5, 3.0)),
    ("noncentral_chisquare", (4.0, 9.0)),
    ("noncentral_f", (3.0, 6.0, 2.0)),
    ("vonmises", (1.5, 0.1)),
    ("wald", (10.0, 10.0)),
    ("negative_binomial", (2.5, 0.002)),
    ("poisson", (1e6,)),
    ("binomial", (10**9, 0.01)),
]


@pytest.mark.parametrize(("name", "parameters"), NUMPYS, ids=str)
def test_numbers_are_spread_as_numpys(name, parameters, drawn):
    numpys = getattr(np.random.default_rng(3), name)(*parameters, size=COUNT)
    assert distance_to_sample(drawn(name, *parameters), numpys) < KOLMOGOROV


def log_choose(n, k):
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k)


def binomial(n, p):
    k = np.arange(n + 1)
    return k, np.exp(log_choose(n, k) + k * math.log(p) + (n - k) * math.log1p(-p))


def poisson(mean):
    k = np.arange(int(mean + 20 * math.sqrt(mean) + 20))
    return k, np.exp(k * math.log(mean) - mean - log_factorial(k))


def geometric(p):
    k = np.arange(1, 2000)
    return k, p * (1 - p) ** (k - 1.0)


def hypergeometric(good, bad, sample):
    k = np.arange(max(0, sample - bad), min(good, sample) + 1)
    chosen = log_choose(good, k) + log_choose(bad, sample - k)
    return k, np.exp(chosen - log_choose(good + bad, sample))


def negative_binomial(n, p):
    k = np.arange(2000)
    ways = np.vectorize(math.lgamma)(k + n) - math.lgamma(n) - log_factorial(k)
    return k, np.exp(ways + n * math.log(p) + k * math.log1p(-p))


def logseries(p):
    k = np.arange(1, 3000)
    return k, -(p**k) / (k * math.log1p(-p))


def zipf(a):
    k = np.arange(1, 200_000)
    rest = k[-1] ** (1 - a) / (a - 1) - 0.5 * float(k[-1]) ** -a
    return k, k**-a / ((k**-a).sum() + rest)


@cache
def probabilities(law, parameters):
    return law(*parameters)


COUNTS = [
    (binomial, (1, 0.3)),
    (binomial, (20, 0.5)),
    (binomial, (24, 0.41)),
    (binomial, (25, 0.41)),
    (binomial, (100, 0.97)),
    (binomial, (1000, 0.6)),
    (poisson, (0.01,)),
    (poisson, (3.0,)),
    (poisson, (9.99,)),
    (poisson, (10.0,)),
    (poisson, (40.0,)),
    (poisson, (900.0,)),
    (geometric, (0.02,)),
    (geometric, (0.6,)),
    (hypergeometric, (10, 5, 3)),
    (hypergeometric, (10, 5, 12)),
    (hypergeometric, (50, 60, 30)),
    (hypergeometric, (60, 50, 30)),
    (hypergeometric, (60, 50, 95)),
    (hypergeometric, (1000, 7, 300)),
    (negative_binomial, (0.5, 0.1)),
    (negative_binomial, (20.0, 0.3)),
    (logseries, (0.2,)),
    (logseries, (0.99,)),
    (zipf, (1.5,)),
    (zipf, (3.0,)),
]


def excess(sample, numbers, chances):
    """Return how many standard deviations chi-square is beyond what it is on average."""
    expected = chances * len(sample)
    inside = sample[sample <= numbers[-1]]
    found = np.bincount(np.searchsorted(numbers, inside), None, len(numbers))
    cells = (np.cumsum(expected) // 20).astype(int)  # of some twenty expected numbers or more
    expected = np.append(np.bincount(cells, expected), max(1 - chances.sum(), 0) * len(sample))
    found = np.append(np.bincount(cells, found), len(sample) - len(inside))
    keep = expected >= 10
    expected = np.append(expected[keep], expected[~keep].sum())
    found = np.append(found[keep], found[~keep].sum())
    square = ((found - expected)[expected > 5] ** 2 / expected[expected > 5]).sum()
    degrees = max((expected > 5).sum() - 1, 1)
    # E. B. Wilson and M. M. Hilferty (1931).
    spread = 2 / (9 * degrees)
    return ((square / degrees) ** (1 / 3) - (1 - spread)) / math.sqrt(spread)


@pytest.mark.parametrize(
    ("law", "parameters"), COUNTS, ids=lambda value: getattr(value, "__name__", str(value))
)
def test_whole_numbers_follow_their_law(law, parameters, drawn):
    sample = drawn(law.__name__, *parameters)
    numbers, chances = probabilities(law, parameters)
    assert sample.min() >= numbers[0]
    if chances[-1] > 1e-6:
        assert law is zipf or sample.max() <= numbers[-1]
    assert excess(sample, numbers, chances) < 4


def test_rows_of_multinomial_draws(drawn):
    chances = [0.1, 0.5, 0.15, 0.25]
    rows = drawn("multinomial", 30, chances)
    assert (rows.sum(1) == 30).all()
    for k, p in enumerate(chances):
        assert excess(rows[:, k], *binomial(30, p)) < 4
    covariance = np.cov(rows[:, 0], rows[:, 1])[0, 1]
    assert abs(covariance + 30 * 0.1 * 0.5) < 0.05


def test_rows_of_multivariate_hypergeometric_draws(drawn):
    colors = [20, 30, 15]
    rows = drawn("multivariate_hypergeometric", colors, 25)
    assert (rows.sum(1) == 25).all()
    for k, good in enumerate(colors):
        assert excess(rows[:, k], *hypergeometric(good, 65 - good, 25)) < 4


def test_rows_of_dirichlet_draws(drawn):
    alpha = np.array([0.3, 1.0, 5.0])
    rows = drawn("dirichlet", alpha)
    np.testing.assert_allclose(rows.sum(1), 1, rtol=1e-15)
    for k in range(3):
        numpys = np.random.default_rng(5).beta(alpha[k], alpha.sum() - alpha[k], size=COUNT)
        assert distance_to_sample(rows[:, k], numpys) < KOLMOGOROV
    mean, total = alpha / alpha.sum(), alpha.sum()
    covariance = (np.diag(mean) - np.outer(mean, mean)) / (total + 1)
    np.testing.assert_allclose(np.cov(rows.T), covariance, atol=2e-3)


def test_moments_of_large_parameters(drawn):
    for mean in (1e9, 1e13):
        scaled = (drawn("poisson", mean) - mean) / math.sqrt(mean)
        assert distance_to_law(scaled, normal_law) < KOLMOGOROV
    scaled = (drawn("binomial", 10**14, 0.25) - 0.25e14) / math.sqrt(0.1875e14)
    assert distance_to_law(scaled, normal_law) < KOLMOGOROV


def test_neighbouring_elements_and_keys_are_unrelated(keyed, drawn):
    x = drawn("chisquare", 2.0)
    ranks = np.argsort(np.argsort(x)) / len(x) - 0.5
    for lag in (1, 2, 32):
        assert abs((ranks[lag:] * ranks[:-lag]).mean() * 12 * math.sqrt(len(x))) < 4
    y = keyed("cpu", seed=8).chisquare(2.0, size=COUNT).get()
    other = np.argsort(np.argsort(y)) / len(y) - 0.5
    assert abs((ranks * other).mean() * 12 * math.sqrt(len(x))) < 4
