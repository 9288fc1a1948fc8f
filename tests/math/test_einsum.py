# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""einsum and einsum_path: values, dtypes and refusals are NumPy's, whatever the order of pairs."""

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import BFLOAT16
from _support.process import run_python
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

CASES = [
    ("i->", (3,)),
    ("ii", (3, 3)),
    ("ii->i", (3, 3)),
    ("iij->j", (3, 3, 4)),
    ("iji->ij", (3, 4, 3)),
    ("iiii", (2, 2, 2, 2)),
    ("ba", (2, 3)),
    ("ij->ji", (2, 3)),
    ("ijk->kij", (2, 3, 4)),
    ("ij->", (2, 3)),
    ("...i->...", (2, 3, 4)),
    ("i...->...", (2, 3, 4)),
    ("...ij->...ji", (2, 3, 4)),
    ("i,i", (3,), (3,)),
    ("i,j", (3,), (4,)),
    ("i,j->ji", (3,), (4,)),
    ("ij,jk", (2, 3), (3, 4)),
    ("ij,jk->ki", (2, 3), (3, 4)),
    ("ij,kj->ik", (2, 3), (4, 3)),
    ("ji,jk->ik", (3, 2), (3, 4)),
    ("ij,ij->", (2, 3), (2, 3)),
    ("ij,ij->i", (2, 3), (2, 3)),
    ("ij,ij->ij", (2, 3), (2, 3)),
    ("ij,ji->", (2, 3), (3, 2)),
    ("bij,bjk->bik", (5, 2, 3), (5, 3, 4)),
    ("bij,bkj->kib", (5, 2, 3), (5, 4, 3)),
    ("bhqd,bhkd->bhqk", (2, 3, 4, 5), (2, 3, 6, 5)),
    ("ijkl,lkm->ijm", (2, 3, 4, 5), (5, 4, 6)),
    ("ij,kl->", (2, 3), (4, 5)),
    ("ij,k->j", (2, 3), (4,)),
    ("ii,ij->j", (3, 3), (3, 4)),
    ("...ij,...jk", (5, 2, 3), (3, 4)),
    ("...ij,...jk->...ik", (5, 1, 2, 3), (6, 3, 4)),
    ("i...,i...->...", (3, 2, 4), (3, 1, 4)),
    ("...,...", (2, 3), (3,)),
    ("ij,ij->ij", (1, 3), (2, 1)),
    ("ij,ij->", (1, 3), (2, 3)),
    ("ij,jk->ik", (2, 1), (3, 4)),
    (",ij", (), (2, 3)),
    ("", ()),
    ("ij,jk,kl->il", (2, 3), (3, 4), (4, 5)),
    ("ij,jk,kl", (2, 3), (3, 4), (4, 5)),
    ("i,ij,j", (2,), (2, 3), (3,)),
    ("ij,ik,il->jkl", (5, 2), (5, 3), (5, 4)),
    ("ij,ij,ij->i", (2, 3), (2, 3), (2, 3)),
    ("a,b,c,d->dbca", (2,), (3,), (4,), (5,)),
    ("ea,fb,abcd,gc,hd->efgh", (2, 2), (2, 2), (2, 2, 2, 2), (2, 2), (2, 2)),
    ("Ab,bC", (2, 3), (3, 4)),
    ("ij,jk", (0, 3), (3, 4)),
    ("ij,jk", (2, 0), (0, 4)),
    ("i->", (0,)),
    (" i j , j k -> i k ", (2, 3), (3, 4)),
]
OPTIMIZE = [False, True, "greedy", "optimal"]


def whole(dtype, shape, seed=0):
    values = np.random.default_rng([seed, *shape]).integers(-2, 3, shape).astype(dtype)
    return values * (1 + 1j) if np.dtype(dtype).kind == "c" else values


def arrays_of(shapes, dtype="float64"):
    return [whole(dtype, shape, seed) for seed, shape in enumerate(shapes)]


def check(got, expected):
    assert isinstance(got, gpuarray.GPUArray)
    assert_same(got, np.asarray(expected), signed_zero=False)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_values(device, case):
    subscripts, *shapes = case
    for dtype in ("float64", "int32", "complex64", "float16"):
        hosts = arrays_of(shapes, dtype)
        expected = np.einsum(subscripts, *hosts)
        for optimize in OPTIMIZE:
            check(
                gpuarray.einsum(subscripts, *map(gpuarray.to_device, hosts), optimize=optimize),
                expected,
            )
        check(np.einsum(subscripts, *map(gpuarray.to_device, hosts)), expected)


@given(data=st.data())
def test_any_subscripts(device, data):
    sizes = {label: data.draw(st.integers(1, 3)) for label in "abcde"}
    terms = data.draw(
        st.lists(st.lists(st.sampled_from("abcde"), max_size=4), min_size=1, max_size=4)
    )
    present = sorted({label for term in terms for label in term})
    output = data.draw(st.permutations(present)) if present else []
    output = output[: data.draw(st.integers(0, len(output)))]
    subscripts = ",".join(map("".join, terms)) + "->" + "".join(output)
    hosts = arrays_of([tuple(sizes[label] for label in term) for term in terms])
    given_arrays = []
    for host in hosts:
        array = gpuarray.to_device(host)
        if data.draw(st.booleans()):  # of another layout
            array = array.T.copy().T
        given_arrays.append(array)
    optimize = data.draw(st.sampled_from(OPTIMIZE))
    check(
        gpuarray.einsum(subscripts, *given_arrays, optimize=optimize), np.einsum(subscripts, *hosts)
    )


def test_interleaved(device):
    a, b = whole("float64", (5, 2, 3)), whole("float64", (3, 4), 1)
    x, y = gpuarray.to_device(a), gpuarray.to_device(b)
    for form in (
        lambda xp, p, q: xp.einsum(p[0], [0, 1], q, [1, 2]),
        lambda xp, p, q: xp.einsum(p[0], [0, 27], q, [27, 2], [2, 0]),
        lambda xp, p, q: xp.einsum(p, [..., 0, 1], q, [1, 2], [..., 2, 0]),
        lambda xp, p, q: xp.einsum(p, [0, 1, 2]),
        lambda xp, p, q: xp.einsum(p, [0, 1, 2], []),
    ):
        check(form(gpuarray, x, y), form(np, a, b))


@pytest.mark.parametrize(
    "dtypes",
    [("int8", "float32"), ("int8", "int8", "float64"), ("bool", "bool"), ("int32", "uint32")],
)
def test_dtypes_promote_before_anything_is_computed(device, dtypes):
    hosts = [(whole("int8", (4,), seed) * 60).astype(dtype) for seed, dtype in enumerate(dtypes)]
    subscripts = ",".join("i" * len(dtypes))
    check(
        gpuarray.einsum(subscripts, *map(gpuarray.to_device, hosts)), np.einsum(subscripts, *hosts)
    )


def test_halves_are_summed_in_float32(device):
    for dtype in ("float16", BFLOAT16):
        x = gpuarray.full((4096,), 1.0, dtype=dtype)
        assert gpuarray.einsum("i,i", x, x).astype("float32").item() == 4096
        assert gpuarray.einsum("i->", x).astype("float32").item() == 4096
        rows = gpuarray.full((3, 40), 1.0 / 3, dtype=dtype)
        got = gpuarray.einsum("ij,ij->i", rows, rows).astype("float64").get()
        np.testing.assert_allclose(got, 40 / 9, rtol=2**-7)


def test_dtype_casting_and_out(device):
    a, b = whole("float32", (2, 3)), whole("float32", (3, 4), 1)
    x, y = gpuarray.to_device(a), gpuarray.to_device(b)
    check(
        gpuarray.einsum("ij,jk", x, y, dtype="float64"), np.einsum("ij,jk", a, b, dtype="float64")
    )
    with pytest.raises(TypeError):
        gpuarray.einsum("ij,jk", x, y, dtype="float16")
    got = gpuarray.einsum("ij,jk", x, y, dtype="int32", casting="unsafe")
    check(got, np.einsum("ij,jk", a, b, dtype="int32", casting="unsafe"))
    out = gpuarray.zeros((2, 4))
    assert gpuarray.einsum("ij,jk", x, y, out=out) is out
    check(out, (a @ b).astype("float64"))
    with pytest.raises(TypeError):
        gpuarray.einsum("ij,jk", x, y, out=gpuarray.zeros((2, 4), "float16"))
    with pytest.raises(ValueError, match=r"out has shape \(4, 2\)"):
        gpuarray.einsum("ij,jk", x, y, out=gpuarray.zeros((4, 2)))
    assert gpuarray.einsum("ij,jk->ki", x, y, order="C").flags.c_contiguous
    assert gpuarray.einsum("ij,jk", x, y, order="F").flags.f_contiguous


def test_rearranging_one_array_gives_a_view(device):
    x = gpuarray.zeros((3, 3))
    gpuarray.einsum("ii->i", x)[...] = 1
    assert x.tolist() == np.eye(3).tolist()
    assert gpuarray.einsum("ij->ji", x).ptr == x.ptr


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, a, b: xp.einsum("ij,jk->ii", a, b),
        lambda xp, a, b: xp.einsum("ij,jk->iz", a, b),
        lambda xp, a, b: xp.einsum("ij,kk", a, b),
        lambda xp, a, b: xp.einsum("ij", a, b),
        lambda xp, a, b: xp.einsum("ij,jk,kl", a, b),
        lambda xp, a, b: xp.einsum("...i->i", a),
        lambda xp, a, b: xp.einsum("i,jk", a, b),
        lambda xp, a, b: xp.einsum("ijk,jk", a, b),
        lambda xp, a, b: xp.einsum("ij,ji", a, b),
        lambda xp, a, b: xp.einsum("i.j", a),
        lambda xp, a, b: xp.einsum("i$", a),
        lambda xp, a, b: xp.einsum(".. .", a),
        lambda xp, a, b: xp.einsum("ij- >ij", a),
        lambda xp, a, b: xp.einsum(),
        lambda xp, a, b: xp.einsum("ij,jk", a, b, order="X"),
        lambda xp, a, b: xp.einsum("ij,jk,jk", a, b, b, optimize="unheard"),
    ],
)
def test_bad_input(device, call):
    a, b = np.ones((2, 3)), np.ones((3, 4))
    with pytest.raises((ValueError, KeyError)):
        call(np, a, b)
    with pytest.raises(ValueError, match="einsum"):
        call(gpuarray, gpuarray.to_device(a), gpuarray.to_device(b))


def test_ndarrays_are_refused(device):
    with pytest.raises(TypeError, match="to_device"):
        gpuarray.einsum("ij,jk", gpuarray.ones((2, 3)), np.ones((3, 4)))


def test_paths(device):
    hosts = arrays_of([(2, 30), (30, 40), (40, 3)])
    arrays = [gpuarray.to_device(a) for a in hosts]
    path, description = gpuarray.einsum_path("ij,jk,kl->il", *arrays)
    assert path == np.einsum_path("ij,jk,kl->il", *hosts)[0]
    assert "ij,jk,kl->il" in description
    expected = np.einsum("ij,jk,kl->il", *hosts)
    for optimize in (
        path,
        ["einsum_path", (1, 2), (0, 1)],
        ["einsum_path", (0, 1, 2)],
        ("greedy", 10**6),
    ):
        check(gpuarray.einsum("ij,jk,kl->il", *arrays, optimize=optimize), expected)
    for wrong in (
        ["einsum_path", (0, 7)],
        ["einsum_path", (1, 1)],
        [(0, 1)],
        ["einsum_path", (0, -1)],
    ):
        with pytest.raises(ValueError, match="optimize"):
            gpuarray.einsum("ij,jk,kl->il", *arrays, optimize=wrong)


WITHOUT = """
import sys
sys.modules["opt_einsum"] = None
import numpy as np, gpuarray
shapes = [(2, 30), (30, 40), (40, 3), (3, 2)]
hosts = [np.arange(a * b, dtype=float).reshape(a, b) % 5 for a, b in shapes]
arrays = [gpuarray.to_device(a, device="cpu") for a in hosts]
for subscripts in ("ij,jk,kl->il", "ij,jk,kl,lm", "ij,jk,kl,li"):
    count = subscripts.count(",") + 1
    got = gpuarray.einsum(subscripts, *arrays[:count])
    assert np.array_equal(got.get(), np.einsum(subscripts, *hosts[:count]))
try:
    gpuarray.einsum("ij,jk,kl", *arrays[:3], optimize="dp")
except ValueError as error:
    assert "pip install opt_einsum" in str(error)
else:
    raise SystemExit("dp was taken")
"""


def test_without_opt_einsum():
    run_python(WITHOUT)
