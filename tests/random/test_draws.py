# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Draws whose numbers are NumPy's, and the states that they leave."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpuarray
from gpuarray.random import PCG64, PCG64DXSM, Generator, Philox, default_rng

KINDS = [PCG64, PCG64DXSM, Philox]
SIZES = [1, 2, 17, 4095, 20_000]
FLOATS = [np.float32, np.float64]
INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def pair(request, device):
    """A generator on the device, and NumPy's with the same seed."""
    kind = request.param
    numpys = getattr(np.random, kind.__name__)
    return Generator(kind(42, device=device)), np.random.Generator(numpys(42))


def assert_same(ours, numpys):
    numpys = np.asarray(numpys)
    assert ours.dtype == numpys.dtype
    assert ours.shape == numpys.shape
    np.testing.assert_array_equal(ours.get(), numpys)


def assert_same_state(generator, numpys):
    ours, theirs = generator.bit_generator.state, numpys.bit_generator.state
    if ours["bit_generator"] == "Philox" and not theirs["buffer"].any():
        ours["buffer"] = theirs["buffer"]  # NumPy's is empty before the first draw
    np.testing.assert_equal(ours, theirs)


def assert_near(ours, numpys):
    """Compare numbers that a logarithm or a power was taken of."""
    np.testing.assert_array_max_ulp(ours.get(), np.asarray(numpys), 8, dtype=ours.dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", SIZES)
def test_uniform_numbers_are_numpys(pair, dtype, size):
    ours, numpys = pair
    for _ in range(2):
        assert_same(ours.random(size, dtype), numpys.random(size, dtype))
        assert_same_state(ours, numpys)


@pytest.mark.parametrize("method", ["standard_normal", "standard_exponential"])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", SIZES)
def test_ziggurat_is_numpys(pair, method, dtype, size):
    ours, numpys = pair
    for _ in range(2):
        drawn, expected = getattr(ours, method)(size, dtype), getattr(numpys, method)(size, dtype)
        # Only the tail takes logarithms, which differ in the last place.
        middle = np.abs(expected) < (3.65 if method == "standard_normal" else 7.69)
        np.testing.assert_array_equal(drawn.get()[middle], expected[middle])
        assert_near(drawn, expected)
        assert_same_state(ours, numpys)


def bounds_of(dtype):
    info = np.iinfo(dtype)
    width = info.max - info.min
    return [
        (0, 2),
        (0, 100),
        (3, 4),
        (info.min, info.max + 1),
        (info.min, info.max),
        (info.max - 3, info.max + 1),
        (info.min, info.min + width * 5 // 8),
    ]


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("size", [1, 7, 20_000])
def test_integers_are_numpys(pair, dtype, size):
    ours, numpys = pair
    for low, high in bounds_of(dtype):
        assert_same(ours.integers(low, high, size, dtype), numpys.integers(low, high, size, dtype))
        assert_same_state(ours, numpys)


@pytest.mark.slow
def test_many_refused(device):
    # Blocks take tiles ahead, of which the draw does not need the last ones.
    ours, numpys = default_rng(5, device=device), np.random.default_rng(5)
    high = 5 * 2**61
    for size in [4_000_000, 3]:
        assert_same(
            ours.integers(high, size=size, dtype="u8"), numpys.integers(high, size=size, dtype="u8")
        )
        assert_same_state(ours, numpys)


@pytest.mark.parametrize("draw", ["standard_normal", "standard_exponential", "i8", "i2", "u1"])
def test_long_parts(device, draw):
    """Warps look through the most words at a time, and make several rounds."""
    ours, numpys = default_rng(6, device=device), np.random.default_rng(6)
    is_cuda = device.startswith("cuda")
    words = gpuarray.device(device).multiprocessors * 60_000 if is_cuda else 100_000
    if draw.startswith("standard"):
        for dtype, each in ((np.float64, 1), (np.float32, 2)):
            size = words * each
            expected = getattr(numpys, draw)(size, dtype)
            assert_near(getattr(ours, draw)(size, dtype), expected)
            assert_same_state(ours, numpys)
    else:
        size, high = words * 8 // np.dtype(draw).itemsize, 100
        assert_same(
            ours.integers(high, size=size, dtype=draw), numpys.integers(high, size=size, dtype=draw)
        )
        assert_same_state(ours, numpys)


def test_bools_and_wide_ranges_are_numpys(pair):
    ours, numpys = pair
    for low, high in [(0, 2), (0, 1), (1, 2)]:
        assert_same(ours.integers(low, high, 999, bool), numpys.integers(low, high, 999, bool))
    for high in [2**32, 2**32 + 1, 2**33, 3 * 2**61]:
        assert_same(ours.integers(high, size=999), numpys.integers(high, size=999))
        assert_same(
            ours.integers(0, high, 999, endpoint=True), numpys.integers(0, high, 999, endpoint=True)
        )
    assert_same_state(ours, numpys)


@given(
    draws=st.lists(
        st.tuples(
            st.sampled_from(["f4", "f8", "n4", "n8", "e4", "i1", "i2", "i4", "i8", "?"]),
            st.integers(1, 70),
        ),
        min_size=1,
        max_size=12,
    ),
    seed=st.integers(0, 2**64),
    kind=st.sampled_from(KINDS),
)
def test_any_sequence_of_draws(device, draws, seed, kind):
    ours = Generator(kind(seed, device=device))
    numpys = np.random.Generator(getattr(np.random, kind.__name__)(seed))
    for what, size in draws:
        for generator in (ours, numpys):
            if what in ("f4", "f8"):
                drawn = generator.random(size, np.dtype(what))
            elif what[0] in "ne":
                method = "standard_normal" if what[0] == "n" else "standard_exponential"
                drawn = getattr(generator, method)(size, np.dtype("f" + what[1]))
            else:
                drawn = generator.integers(0, 2 if what == "?" else 100, size, np.dtype(what))
            if generator is ours:
                mine = drawn.get()
        np.testing.assert_array_max_ulp(mine.astype("f8"), drawn.astype("f8"), 2**31)
    assert_same_state(ours, numpys)


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("uniform", (2, 5)),
        ("normal", (1, 3)),
        ("lognormal", (0, 0.5)),
        ("exponential", (2.5,)),
        ("laplace", (0, 2)),
        ("gumbel", (0, 2)),
        ("logistic", (0, 2)),
        ("rayleigh", (2,)),
        ("weibull", (1.5,)),
        ("pareto", (3,)),
        ("power", (2,)),
        ("standard_cauchy", ()),
        ("triangular", (0, 1, 3)),
    ],
)
def test_distributions_are_numpys(pair, method, arguments):
    ours, numpys = pair
    drawn = getattr(ours, method)(*arguments, size=5000)
    expected = getattr(numpys, method)(*arguments, size=5000)
    np.testing.assert_allclose(drawn.get(), expected, rtol=1e-12, atol=1e-13)
    assert drawn.dtype == np.float64
    assert_same_state(ours, numpys)


@pytest.mark.parametrize("method", ["uniform", "normal", "exponential", "weibull", "pareto"])
def test_parameters_broadcast(device, method):
    parameters = [np.array([[1.0], [2.0]]), np.array([3.0, 4.0, 5.0])]
    parameters = parameters[: 2 if method in ("uniform", "normal") else 1]
    for given_as in (
        lambda a: a,
        lambda a: gpuarray.to_device(a, device=device),
        np.ndarray.tolist,
    ):
        ours, numpys = default_rng(3, device=device), np.random.default_rng(3)
        drawn = getattr(ours, method)(*map(given_as, parameters), size=(4, 2, 3))
        expected = getattr(numpys, method)(*parameters, size=(4, 2, 3))
        np.testing.assert_allclose(drawn.get(), expected, rtol=1e-13)
    assert getattr(ours, method)(*parameters).shape == np.broadcast_shapes(
        *(a.shape for a in parameters)
    )
    with pytest.raises(ValueError, match=r"not compatible|mismatch|broadcast"):
        getattr(ours, method)(*parameters, size=7)


def test_size_none_is_an_array_without_dimensions(device):
    ours, numpys = default_rng(1, device=device), np.random.default_rng(1)
    for method in ("random", "standard_normal", "uniform", "exponential"):
        drawn = getattr(ours, method)()
        assert drawn.shape == ()
        assert drawn.item() == pytest.approx(getattr(numpys, method)(), rel=1e-15)
    assert ours.integers(10).item() == numpys.integers(10)
    assert ours.random((2, 0, 3)).shape == (2, 0, 3)


@pytest.mark.parametrize("method", ["random", "standard_normal", "standard_exponential"])
def test_out_is_filled(device, method):
    for dtype in FLOATS:
        ours, numpys = default_rng(1, device=device), np.random.default_rng(1)
        whole = gpuarray.zeros((6, 8), dtype, device=device)
        for out in (whole, whole[1:3], whole[2, 3:]):
            expected = getattr(numpys, method)(out.shape, dtype)
            assert getattr(ours, method)(dtype=dtype, out=out) is out
            np.testing.assert_array_max_ulp(out.get(), expected, 8)
    with pytest.raises(TypeError, match="wrong type"):
        getattr(ours, method)(dtype=np.float32, out=gpuarray.zeros(3, device=device))
    with pytest.raises(ValueError, match="size must match"):
        getattr(ours, method)(4, out=gpuarray.zeros(3, device=device))
    with pytest.raises(ValueError, match="out must be C-contiguous"):
        getattr(ours, method)(out=gpuarray.zeros(6, device=device)[::2])
    for out in (gpuarray.zeros(8)[1:4], gpuarray.zeros(3)):
        ours, numpys = default_rng(1, device=device), np.random.default_rng(1)
        getattr(ours, method)(out=out)
        np.testing.assert_array_max_ulp(out.get(), getattr(numpys, method)(3), 8)


@pytest.mark.parametrize("method", ["random", "standard_normal", "standard_exponential"])
def test_nothing_is_drawn_for_an_unfit_out(device, method):
    ours, fixed = default_rng(1, device=device), gpuarray.zeros(3)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        getattr(ours, method)(out=fixed)
    with pytest.raises(TypeError, match="expected a GPUArray"):
        getattr(ours, method)(out=np.zeros(3))
    if device != "cpu":
        with pytest.raises(gpuarray.DeviceError, match="out is on cpu"):
            getattr(ours, method)(out=gpuarray.zeros(3, device="cpu"))
    np.testing.assert_array_equal(ours.random(2).get(), np.random.default_rng(1).random(2))


@pytest.mark.parametrize(
    "method", ["normal", "exponential", "rayleigh", "weibull", "pareto", "power"]
)
def test_nan_as_parameter_is_numpys(device, method):
    arguments = (0.0, np.nan) if method == "normal" else (np.nan,)
    drawn = getattr(default_rng(1, device=device), method)(*arguments, size=3)
    expected = getattr(np.random.default_rng(1), method)(*arguments, size=3)
    np.testing.assert_array_equal(drawn.get(), expected)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_rounded_from_single(device, dtype):
    drawn = default_rng(5, device=device).standard_normal(100, dtype)
    single = default_rng(5, device=device).standard_normal(100, np.float32)
    assert str(drawn.dtype) == dtype
    np.testing.assert_array_equal(
        drawn.astype("float32").get(), single.astype(dtype).astype("float32").get()
    )


def test_inverted_exponential(device):
    for dtype in FLOATS:
        ours, numpys = default_rng(5, device=device), np.random.default_rng(5)
        drawn = ours.standard_exponential(999, dtype, method="inv")
        assert_near(drawn, numpys.standard_exponential(999, dtype, method="inv"))


def test_bytes_are_numpys(device):
    ours, numpys = default_rng(5, device=device), np.random.default_rng(5)
    for length in (1, 4, 13, 1000):
        assert ours.bytes(length) == numpys.bytes(length)


def test_multivariate_normal(device):
    mean, cov = [1.0, -2.0], [[2.0, 0.5], [0.5, 1.0]]
    for method in ("svd", "eigh", "cholesky"):
        ours, numpys = default_rng(5, device=device), np.random.default_rng(5)
        drawn = ours.multivariate_normal(mean, cov, (3, 4), method=method)
        expected = numpys.multivariate_normal(mean, cov, (3, 4), method=method)
        np.testing.assert_allclose(drawn.get(), expected, rtol=1e-12)
    with pytest.raises(ValueError, match="same length"):
        ours.multivariate_normal([1.0], cov)


def test_array_bounds_are_drawn_on_the_host(device):
    ours, numpys = default_rng(5, device=device), np.random.default_rng(5)
    low, high = np.array([0, 5, 7]), np.array([[10], [1000]])
    assert_same(ours.integers(low, high), numpys.integers(low, high))
    assert_same(
        ours.integers(gpuarray.to_device(low, device=device), high), numpys.integers(low, high)
    )
    assert_same(ours.random(3), numpys.random(3))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda g: g.integers(5, 2), ValueError, "low >= high"),
        (lambda g: g.integers(0), ValueError, "high <= 0"),
        (lambda g: g.integers(0, 300, dtype="u1"), ValueError, "high is out of bounds for uint8"),
        (lambda g: g.integers(-1, 3, dtype="u1"), ValueError, "low is out of bounds for uint8"),
        (lambda g: g.integers(3, dtype="f4"), TypeError, "Unsupported dtype"),
        (lambda g: g.random(3, "i4"), TypeError, "Unsupported dtype"),
        (lambda g: g.random(-1), ValueError, "negative"),
        (lambda g: g.normal(0, -1), ValueError, "scale < 0"),
        (lambda g: g.uniform(1, 0), ValueError, "high - low < 0"),
        (lambda g: g.uniform(0, np.inf), OverflowError, "exceeds valid bounds"),
        (lambda g: g.pareto(0), ValueError, "a <= 0"),
        (lambda g: g.triangular(0, 5, 3), ValueError, "mode > right"),
        (lambda g: g.standard_exponential(3, method="x"), ValueError, "zig"),
    ],
)
def test_errors_are_numpys(device, call, error, message):
    generator = default_rng(0, device=device)
    with pytest.raises(error, match=message):
        call(generator)
    assert_same(generator.random(2), np.random.default_rng(0).random(2))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_narrow_numbers(device, dtype):
    made = default_rng(0, device=device).random(100_000, dtype)
    values = made.astype("float32").get()
    assert str(made.dtype) == dtype
    assert values.max() < 1
    assert abs(values.mean() - 0.5) < 0.01
    out = gpuarray.zeros(6, dtype, device=device)
    for method in ("random", "standard_normal", "standard_exponential"):
        generator = default_rng(0, device=device)
        assert getattr(generator, method)(dtype=dtype, out=out) is out
    inverse = default_rng(0, device=device).standard_exponential(50_000, dtype, "inv")
    assert np.isfinite(inverse.astype("float32").get()).all()


@pytest.mark.parametrize("method", ["zig", "inv"])
def test_exponentials_of_other_dtypes_are_refused(device, method):
    for dtype in ("i4", "c8"):
        with pytest.raises(TypeError, match="Unsupported dtype"):
            default_rng(0, device=device).standard_exponential(3, dtype, method)


def test_no_numbers_of_no_range(device):
    generator = default_rng(0, device=device)
    for low, high in [(0, 0), (5, 5), (5, 2)]:
        assert generator.integers(low, high, size=0).shape == (0,)
        assert generator.integers(low, high, size=(3, 0)).shape == (3, 0)
    assert generator.choice(0, size=0).shape == (0,)
    assert sorted(set(generator.choice(np.arange(5), 100).tolist())) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("lengths", [(0,), (0, 0), (1, 0), (3, 0, 5)], ids=str)
def test_no_bytes_take_a_word_as_numpys_do(device, lengths):
    ours, numpys = gpuarray.random.default_rng(5), np.random.default_rng(5)
    for length in lengths:
        assert ours.bytes(length) == numpys.bytes(length)
    assert ours.integers(0, 2**32, 4).tolist() == numpys.integers(0, 2**32, 4).tolist()
    assert ours.random() == numpys.random()


def test_counts_of_bytes_are_checked(device):
    generator = gpuarray.random.default_rng(5)
    with pytest.raises(ValueError, match="bytes: length must not be negative, got -1"):
        generator.bytes(-1)
    for length in ("a", 2.5, None):
        with pytest.raises(TypeError, match="bytes: length: expected an int, got"):
            generator.bytes(length)
