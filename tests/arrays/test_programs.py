# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Random programs over views of a few arrays: after each step device and host agree."""

import operator

import numpy as np
from _support.compare import assert_same
from _support.strategies import broadcastable, indices
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import gpuarray

BINARY = [operator.add, operator.sub, operator.mul, operator.and_, operator.floordiv, operator.lt]
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.ixor]


class Programs(RuleBasedStateMachine):
    """Pairs of a NumPy array and its twin; views of earlier ones share their memory."""

    device = "cpu"

    @initialize(shape=st.lists(st.integers(1, 4), max_size=4).map(tuple))
    def start(self, shape):
        self.owner = gpuarray.device(self.device)
        self.owner.__enter__()
        self.pairs = []
        self.add(np.arange(np.prod(shape, dtype=int), dtype=np.int64).reshape(shape))

    def teardown(self):
        if hasattr(self, "owner"):
            self.owner.__exit__(None, None, None)

    def add(self, host, twin=None):
        host = np.asarray(host)
        self.pairs.append((host, gpuarray.to_device(host) if twin is None else twin))
        del self.pairs[:-8]

    def pick(self, data):
        return data.draw(st.sampled_from(self.pairs))

    def source(self, data, shape):
        """A scalar or an array that broadcasts to the shape, often one of ours."""
        fitting = [pair for pair in self.pairs if pair[0].shape == shape]
        if fitting and data.draw(st.booleans()):
            return data.draw(st.sampled_from(fitting))
        if data.draw(st.booleans()):
            value = data.draw(st.integers(-3, 3))
            return value, value
        host = np.full(data.draw(broadcastable(shape)), 3, np.int64)
        return host, gpuarray.to_device(host)

    @rule(data=st.data())
    def index(self, data):
        host, twin = self.pick(data)
        where = data.draw(indices(host.shape, scalars=False))
        view = host[where]
        if isinstance(view, np.ndarray) and view.ndim <= 6:  # an element is no view in NumPy
            self.add(view, twin[where])

    @rule(data=st.data())
    def transpose(self, data):
        host, twin = self.pick(data)
        axes = data.draw(st.permutations(range(host.ndim)))
        self.add(host.transpose(axes), twin.transpose(axes))

    @rule(data=st.data(), order=st.sampled_from("CF"))
    def flatten(self, data, order):
        host, twin = self.pick(data)
        self.add(host.flatten(order), twin.flatten(order))

    @rule(data=st.data(), function=st.sampled_from(BINARY))
    def compute(self, data, function):
        host, twin = self.pick(data)
        a, b = self.source(data, host.shape)
        with np.errstate(all="ignore"):
            expected = np.asarray(function(host, a)).astype(np.int64)
        self.add(expected, function(twin, b).astype(np.int64))

    @rule(data=st.data(), function=st.sampled_from(IN_PLACE))
    def change(self, data, function):
        host, twin = self.pick(data)
        a, b = self.source(data, host.shape)
        function(host, a)
        function(twin, b)

    @rule(data=st.data())
    def assign(self, data):
        host, twin = self.pick(data)
        a, b = self.source(data, host.shape)
        host[...] = a
        twin[...] = b

    @rule(data=st.data())
    def reduce(self, data):
        host, twin = self.pick(data)
        axes = tuple(data.draw(st.sets(st.integers(0, host.ndim - 1)))) if host.ndim else ()
        self.add(host.sum(axis=axes), twin.sum(axis=axes))

    @invariant()
    def agree(self):
        for host, twin in getattr(self, "pairs", []):
            assert_same(twin, host)


def test_random_programs(device):
    machine = type("ProgramsOnDevice", (Programs,), {"device": device})
    case = machine.TestCase()
    case.settings = settings(deadline=None, max_examples=60, stateful_step_count=25)
    case.runTest()
