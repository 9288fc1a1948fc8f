# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What waits for nothing can be captured in a graph; what waits is a CaptureError at its line."""

import numpy as np
import pytest
from linalg.matrices import definite, random

import gpuarray
from gpuarray import linalg

pytestmark = pytest.mark.cuda

CALLS = {
    "solve": lambda a, b: linalg.solve(a, b),
    "inv": lambda a, b: linalg.inv(a),
    "det": lambda a, b: linalg.det(a),
    "slogdet": lambda a, b: linalg.slogdet(a).logabsdet,
    "cholesky": lambda a, b: linalg.cholesky(a),
    "qr": lambda a, b: linalg.qr(a).Q,
    "eigvalsh": lambda a, b: linalg.eigvalsh(a),
    "norm": lambda a, b: linalg.norm(a, axis=(-2, -1)),
    "lu": lambda a, b: linalg.lu(a)[2],
    "cho_solve": lambda a, b: linalg.cho_solve(linalg.cho_factor(a), b),
    "lu_solve": lambda a, b: linalg.lu_solve(linalg.lu_factor(a), b),
}


@pytest.mark.parametrize("batch", [(), (3,)])
@pytest.mark.parametrize("n", [4, 40])
@pytest.mark.parametrize("name", CALLS)
def test_replays_compute_anew(cuda, name, n, batch):
    hosts = [definite(3, n, "float64", 10, seed).reshape(3, n, n) for seed in (1, 2)]
    first, second = (x if batch else x[0] for x in hosts)
    a = gpuarray.to_device(first)
    b = gpuarray.to_device(random((*batch, n, 2), "float64"))
    CALLS[name](a, b)  # compiles and loads
    with gpuarray.capture() as graph:
        result = CALLS[name](a, b)
    for host in (second, first):
        a.set(host)
        graph.launch()
        got = result.get()
        np.testing.assert_allclose(got, CALLS[name](gpuarray.to_device(host), b).get(), rtol=1e-10)


@pytest.mark.parametrize("call", [linalg.svd, linalg.eig, linalg.eigvals], ids=lambda f: f.__name__)
def test_what_waits_cannot_be_captured(cuda, call):
    a = gpuarray.to_device(random((80, 80), "float64"))
    graph = gpuarray.capture()
    with pytest.raises(gpuarray.CaptureError), graph:
        call(a)
    assert np.isfinite(linalg.inv(a).get()).all()


def test_errors_come_with_the_replay(cuda):
    a = gpuarray.eye(40)
    linalg.inv(a)
    with gpuarray.capture() as graph:
        linalg.inv(a)
    graph.launch()
    gpuarray.synchronize()
    a[3] = 0
    graph.launch()
    with pytest.raises(linalg.LinAlgError, match="inv: the matrix is singular"):
        gpuarray.synchronize()
