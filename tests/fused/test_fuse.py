# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions made one kernel by fuse(): the bits of the operations one by one, or an error."""

import numpy as np
import pytest
from _support.compare import assert_same
from _support.fused import array, check, dtype_of, is_fused, same
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray
from gpuarray import _core

UNARY = [row[0] for row in _core.op_table() if row[1] == 1]
BINARY = [row[0] for row in _core.op_table() if row[1] == 2 and row[0] != "power"]
ALONE = ["bool", "uint8", "int16", "uint64", "float16", "bfloat16", "float32", "complex64"]
PAIRS = [
    ("int32", "uint64"),
    ("uint64", "int8"),
    ("bool", "int8"),
    ("float16", "bfloat16"),
    ("int16", "float16"),
    ("float32", "float64"),
    ("complex64", "float64"),
]


def works(name, *arguments):
    try:
        getattr(_core, name)(*arguments)
    except TypeError:
        return False
    return True


def each(names, arity=1):
    """A function that returns all of these operations of its arguments."""
    if arity == 1:
        return lambda a: tuple(getattr(_core, name)(a) for name in names)
    return lambda a, b: tuple(getattr(_core, name)(a, b) for name in names)


def chunks(names, size=12):
    return [names[at : at + size] for at in range(0, len(names), size)]


@pytest.mark.parametrize("dtype", ALONE)
def test_every_function_of_one_array(device, dtype):
    x = array(dtype_of(dtype))
    for names in chunks([name for name in UNARY if works(name, x)]):
        check(each(names), x)


@pytest.mark.parametrize("dtypes", PAIRS, ids=str)
def test_every_function_of_two_arrays(device, dtypes):
    x, y = (array(dtype_of(dtype), seed=k) for k, dtype in enumerate(dtypes))
    for names in chunks([name for name in BINARY if works(name, x, y)]):
        check(each(names, arity=2), x, y)


def test_operators(device):
    a, b = array("float32"), array("float32", (5,), seed=1)
    check(lambda a, b: ((a * b + a) * b - a) / b, a, b)
    check(lambda a, b: (-a, +a, abs(a), a**2, 2 // a, 7 % a, (a > b) & ~(a == b)), a, b)
    check(lambda a, b: divmod(a, b), a, b)


def test_selection_and_casts(device):
    a, b = array("float32"), array("int32", seed=1)
    check(lambda a, b: gpuarray.where(a > b, a, b).astype("float16"), a, b)
    check(lambda a, b: (a.clip(0, 1), gpuarray.clip(b, None, 3), a.astype(bool), a.copy()), a, b)
    z = array("complex64")
    check(lambda z: (z.real, z.imag, z.conj(), abs(z), z.real + z), z)
    check(lambda a: (a.real + 1, a.imag + 1), a)


def test_numpys_names(device):
    a = array("float64")
    check(lambda a: np.sqrt(np.abs(a)) + np.where(a > 0, np.float32(2), 3), a)


def test_in_place(device):
    def step(x, v, dt):
        v += -9.81 * dt
        x += v * dt
        v[...] = gpuarray.where(x < 0, -v, v)

    fused = gpuarray.fuse(step)
    x, v = array("float32"), array("float32", seed=1)
    y, w = x.copy(), v.copy()
    for _ in range(3):
        assert fused(x, v, 0.01) is None
        step(y, w, 0.01)
    same((x, v), (y, w))
    assert is_fused(fused)


def test_in_place_keeps_dtype_and_returns_the_array(device):
    def update(x, y):
        x += y
        t = x * 2
        t -= y
        return x, t

    x, y = array("float32"), array("float64", seed=1)
    z = x.copy()
    made = gpuarray.fuse(update)(x, y)
    assert made[0] is x
    same(made, update(z, y))
    with pytest.raises(TypeError, match="add: cannot write a result of dtype float64 into"):
        gpuarray.fuse(lambda i, y: i.__iadd__(y))(array("int32"), x)


def test_bounds_beyond_the_dtype_do_not_limit(device):
    a = array("int8")
    same(gpuarray.fuse(lambda a: a.clip(-300, 300) + 1)(a), a.clip(-300, 300) + 1)


def test_parts_of_complex_numbers_cannot_be_assigned_to(device):
    def clear(z):
        z.imag[...] = 0
        return z + 1

    with pytest.raises(TypeError, match="a part of complex numbers"):
        gpuarray.fuse(clear)(array("complex64"))


def test_what_overlaps_is_done_one_by_one(device):
    def update(x, y):
        x += 1
        return x * y

    fused = gpuarray.fuse(update)
    x = array("float32")
    z = x.copy()
    same(fused(x, x), update(z, z))
    x = gpuarray.arange(10.0)
    z = x.copy()
    same(fused(x[1:], x[:-1]), update(z[1:], z[:-1]))
    rows = gpuarray.ones((2, 4))
    same(fused(rows[0], rows[1]), gpuarray.full(4, 2.0))


def test_results_of_several_shapes(device):
    fused = gpuarray.fuse(lambda a, b: (a + 1, a * b))
    a, b = array("float32", (3, 1)), array("float32", (1, 4), seed=1)
    made = fused(a, b)
    assert [one.shape for one in made] == [(3, 1), (3, 4)]
    same(made, (a + 1, a * b))
    with pytest.raises(ValueError, match="broadcast"):
        fused(array("float32", (3,)), array("float32", (4,)))


def test_arguments_that_are_not_used(device):
    a, b = array("float32", (3,)), array("float32", (4,))
    same(gpuarray.fuse(lambda a, b: a + 1)(a, b), a + 1)
    fused = gpuarray.fuse(lambda a, b: a)
    assert fused(a, b) is a


def test_layouts(device):
    fused = gpuarray.fuse(lambda a, b, c: (a * b - c, gpuarray.maximum(a, b) + c))
    base = array("float32", (6, 8))
    for a, b, c in [
        (base.T[::2], base.T[1::2], base[:, 0]),
        (base[::-1, ::-1], base[:, :1], base[0]),
        (base[1:, 1:], base[:-1, :-1], base[2:3, 1:]),
        (base[:0], base[0], base[:1]),
        (base[0, 0], base[1, 1], base[2, 2]),
    ]:
        same(fused(a, b, c), (a * b - c, gpuarray.maximum(a, b) + c))
    assert fused(base.T, base.T, base.T)[0].strides == base.T.strides


def test_many_elements(device):
    a = gpuarray.linspace(-3, 3, 1_000_003).astype("float32")
    check(lambda a: gpuarray.exp(-a * a) * gpuarray.sin(a), a)
    check(lambda a: gpuarray.exp(-a * a) * gpuarray.sin(a), a[1:])


def test_dtypes_make_kernels_of_their_own(device):
    fused = gpuarray.fuse(lambda a, b: a / b)
    for pair in [("int32", "int32"), ("float32", "int8"), ("float32", "float32")]:
        a, b = (array(dtype, seed=k) for k, dtype in enumerate(pair))
        same(fused(a, b), a / b)
        assert_same(fused(a, b), (a / b).get())


def close(got, expected):
    assert got.device == expected.device
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    tolerance = 1e-6 if got.dtype.itemsize < 8 else 1e-14
    np.testing.assert_allclose(got.get(), expected.get(), rtol=tolerance, equal_nan=True)


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2), -1])
def test_a_reduction_at_the_end(device, axis):
    a, b = array("float32", (4, 5, 6)), array("int16", (5, 1), seed=1)
    for function in (
        lambda a, b: ((a - b) ** 2).sum(axis=axis),
        lambda a, b: gpuarray.max(abs(a * b), axis=axis, keepdims=True),
        lambda a, b: (b > a).any(axis),
        lambda a, b: gpuarray.all(a > -b, axis=axis),
        lambda a, b: np.min(a + b, axis=axis),
        lambda a, b: (a > 0).sum(axis=axis, dtype="int32"),
        lambda a, b: (a.astype("float64") + 1).prod(axis),
        lambda a, b: (b * 2 + a.astype("int16")).sum(axis),
    ):
        fused = gpuarray.fuse(function)
        close(fused(a, b), function(a, b))
        assert "GpuarrayOperation" in fused.source
        close(fused(a[::-1, :, ::2], b), function(a[::-1, :, ::2], b))


def test_reductions_with_scalars_and_empty_arrays(device):
    fused = gpuarray.fuse(lambda a, n: (a * n).sum())
    a = array("float32", (7,))
    for n in (2, 0.5):
        close(fused(a, n), (a * n).sum())
    close(fused(a[:0], 2), a[:0].sum())
    unused = gpuarray.fuse(lambda a, b: [a + b, (b + 1).sum()][1])
    close(unused(array("float32", (4, 7)), a), (a + 1).sum())
    half = a.astype("float16")
    close(fused(half, 2), (half * 2).sum())
    with pytest.raises(ValueError, match=r"zero-size|empty|nothing"):
        gpuarray.fuse(lambda a: (a + 1).max())(a[:0])
    with pytest.raises(TypeError, match="a reduction can only be what a fused function returns"):
        gpuarray.fuse(lambda a: a / a.sum())(a)
    for function in (
        lambda a: a.sum() > 3,
        lambda a: gpuarray.sqrt(a.sum()),
        lambda a: a.sum().astype("int32"),
        lambda a: np.sqrt(a.sum()),
    ):
        with pytest.raises(TypeError, match="a reduction can only be what a fused function"):
            gpuarray.fuse(function)(a)
    with pytest.raises(TypeError, match="argmax cannot be fused"):
        gpuarray.fuse(lambda a: (a + 1).argmax())(a)


def test_a_reduction_is_of_the_elements_as_they_were(device):
    def changed_later(a):
        twice = a * 2
        total = twice.sum()
        twice += 1
        return total

    a = array("float32", (7,))
    close(gpuarray.fuse(changed_later)(a), (a * 2).sum())


LEAVES = st.sampled_from(["a", "b", "c", "2", "0.5", "n"])
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        inner.map(lambda t: f"xp.sqrt(abs({t} + a))"),
        st.tuples(inner, inner, inner).map(lambda t: f"xp.where(a < {t[0]}, {t[1]}, {t[2]})"),
    ),
    max_leaves=8,
)


@settings(max_examples=12)
@given(text=TREES, dtypes=st.tuples(*[st.sampled_from(["float32", "int16", "float64"])] * 3))
def test_any_expression(device, text, dtypes):
    function = eval(f"lambda a, b, c, n: a + ({text})", {"xp": gpuarray})
    shapes = [(4, 1), (3,), (4, 3)]
    a, b, c = (array(d, s, k) for k, (d, s) in enumerate(zip(dtypes, shapes, strict=True)))
    same(gpuarray.fuse(function)(a, b, c, 3), function(a, b, c, 3))


def branches(a):
    if a > 0:
        return a
    return -a


REFUSED = {
    "condition": (branches, r"branches, line \d+ of .*test_fuse.py: a condition .*where"),
    "number": (lambda a: a * float(a), "as a number"),
    "loop": (lambda a: sum(x for x in a), "a loop over elements"),
    "shape": (lambda a: a / a.size, r"\.size cannot be fused"),
    "index": (lambda a: a[1:] - a[:-1], "indexing cannot be fused"),
    "product": (lambda a: a @ a, "unsupported operand|cannot be fused"),
    "captured": (lambda a: a + gpuarray.ones(3), "an array that is not an argument"),
    "host": (lambda a: a + np.ones(3), "ndarray"),
    "nothing": (lambda a: None, "returns no array"),
    "scalar": (lambda a: 3, "returns int"),
    "exponent": (lambda a: a.astype("int32") ** a.astype("int32"), "exponents"),
    "out": (lambda a: gpuarray.sin(a, out=a), "out= cannot be fused"),
    "mask": (lambda a: a[a > 1], "indexing cannot be fused"),
    "assigned": (
        lambda a: a.__setitem__(..., gpuarray.ones(3)),
        "an array that is not an argument",
    ),
    "dot": (lambda a: gpuarray.dot(a, a), "dot cannot be fused"),
    "matmul": (lambda a: gpuarray.matmul(a, a), "matmul cannot be fused"),
    "outer": (lambda a: gpuarray.outer(a, a), "outer cannot be fused"),
    "casting": (lambda a: a.astype("int8", casting="safe"), "casting='safe' cannot be fused"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_fused_says_why(device, name):
    function, message = REFUSED[name]
    with pytest.raises(TypeError, match=message):
        gpuarray.fuse(function)(array("float32", (3,)))


def test_calls_that_do_not_fit(device):
    fused = gpuarray.fuse(lambda a, b: a + b)
    a = array("float32")
    with pytest.raises(TypeError, match="expected 2 arguments, got 1"):
        fused(a)
    with pytest.raises(TypeError, match="unexpected keyword argument 'c'"):
        fused(a, c=a)
    with pytest.raises(TypeError, match=r"numpy.ndarray.*to_device"):
        fused(a, np.ones(3))
    with pytest.raises(TypeError, match="fuse: expected a function of Python: no signature found"):
        gpuarray.fuse(max)
    with pytest.raises(TypeError, match=r"\*\*named: arguments of any name cannot be fused"):
        gpuarray.fuse(lambda a, **named: a)
    with pytest.raises(TypeError, match="unexpected keyword argument 'out'"):
        fused(a, a, out=a)
    with pytest.raises(TypeError, match="expected a function, got int"):
        gpuarray.fuse(3)
    x = a.copy()
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        gpuarray.fuse(lambda x: x.__iadd__(1))(x)


def test_names_and_streams(device):
    @gpuarray.fuse(kernel_name="twice")
    def double(a):
        """Twice the array."""
        return a * 2

    assert double.__name__ == "double"
    assert double.__doc__ == "Twice the array."
    a = array("float32")
    same(double(a=a), a * 2)
    same(double(a, stream=gpuarray.current_stream()), a * 2)
    assert "multiply_functor<float>" in double.source
