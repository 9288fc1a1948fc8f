# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""numpy.errstate's counterpart, which checks its arguments and changes nothing."""

import numpy as np
import pytest

import gpuarray


def test_errstate_changes_nothing(device):
    before = np.geterr()
    with gpuarray.errstate(all="raise", divide="ignore", over="warn", under="print"):
        assert (gpuarray.ones(1) / 0).tolist() == [np.inf]
        assert np.geterr() == before
        assert set(gpuarray.geterr().values()) == {"ignore"}


def test_errstate_decorates(device):
    @gpuarray.errstate(divide="ignore")
    def divided(x):
        return 1 / x

    assert divided(gpuarray.zeros(1)).tolist() == [np.inf]
    assert divided.__name__ == "divided"


def test_seterr_gives_back_what_it_takes():
    before = gpuarray.seterr(all="ignore", invalid="raise")
    assert before == gpuarray.geterr() == gpuarray.seterr(**before)
    assert before.keys() == np.geterr().keys()


CALLS = [
    lambda xp: xp.errstate(divide="x").__enter__(),
    lambda xp: xp.errstate(all=3).__enter__(),
    lambda xp: xp.errstate(call=5).__enter__(),
    lambda xp: xp.errstate(nonsense=1),
    lambda xp: xp.errstate("ignore"),
    lambda xp: xp.seterr(divide="x"),
    lambda xp: xp.seterr(nonsense=1),
]


@pytest.mark.parametrize("call", CALLS)
def test_arguments_are_checked_as_numpy_does(call):
    with pytest.raises((TypeError, ValueError)) as expected:
        call(np)
    with pytest.raises(expected.type):
        call(gpuarray)
