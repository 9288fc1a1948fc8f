# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Methods that are fused: what they read of their object is as it is at each call."""

import functools
import gc
import weakref

import numpy as np
import pytest
from _support.fused import array, is_fused, same

import gpuarray


class Layer:
    """y = activation(weight x + bias), made one by one by `plain`."""

    gain = 2.0

    def __init__(self, weight, bias=None, *, is_smooth=False, power=2):
        self.weight, self.bias, self.is_smooth, self.power = weight, bias, is_smooth, power
        self.activation = gpuarray.tanh
        self.calls = 0

    def plain(self, x):
        x = self.scaled(x, self.gain)
        if self.bias is not None:
            x = x + self.bias
        for _ in range(self.power - 1):
            x = x * x
        return self.activation(x) if self.is_smooth else x

    def scaled(self, x, gain):
        return x * self.weight * gain

    @property
    def norm(self):
        return abs(self.weight) + 1

    fused = gpuarray.fuse(plain)

    @gpuarray.fuse
    def inner(self, x):
        return x / self.norm

    @gpuarray.fuse
    def outer(self, x, times=2):
        return self.inner(x) * times + self.inner(self.weight)

    @gpuarray.fuse
    def decay(self, factor):
        self.weight *= factor

    @gpuarray.fuse
    def counted(self, x):
        self.calls += 1
        return x + self.calls

    @gpuarray.fuse
    def total(self, x):
        return (x * self.weight).sum(axis=0)

    @classmethod
    @gpuarray.fuse
    def of_class(cls, x):
        return x * cls.gain

    @staticmethod
    @gpuarray.fuse
    def static(x):
        return x + 1

    @property
    @gpuarray.fuse
    def squared(self):
        return self.weight * self.weight


class Smooth(Layer):
    def scaled(self, x, gain):
        return super().scaled(x, gain) + 1


class Summed:
    bias = None

    def plain(self, *arrays):
        total = sum(arrays)
        return total if self.bias is None else total + self.bias

    fused = gpuarray.fuse(plain)


@pytest.mark.parametrize("bias", [None, 2, "array"])
def test_attributes_beside_as_many_arguments_as_a_kernel_takes(device, bias):
    """What does not fit in a kernel's parameters runs one by one."""
    summed, a = Summed(), array("int16")
    summed.bias = array("float32") if bias == "array" else bias
    for count in (2, 31, 30, 31):
        same(summed.fused(*[a] * count), summed.plain(*[a] * count))


def test_methods(device):
    x = array("float32")
    layer = Layer(array("float32", (5,), seed=1))
    same(layer.fused(x), layer.plain(x))
    assert is_fused(Layer.fused)
    same(Layer.fused(layer, x), layer.plain(x))
    same(layer.fused(x=x, stream=gpuarray.current_stream()), layer.plain(x))
    smooth = Smooth(layer.weight)
    same(smooth.fused(x), smooth.plain(x))
    same(layer.outer(x), x / layer.norm * 2 + layer.weight / layer.norm)
    same(layer.squared, layer.weight * layer.weight)
    same((Layer.static(x), layer.static(x)), (x + 1, x + 1))
    assert layer.fused.__self__ is layer
    assert layer.inner.__name__ == "inner"
    with pytest.raises(TypeError, match="expected 2 arguments, got 1"):
        layer.fused()


def test_attributes_that_change_are_read_anew(device):
    x = array("float32")
    layer = Layer(array("float32", seed=1))
    changes = {
        "weight": [2, 0.5, array("int16", (5,), seed=2), np.float64(3)],
        "bias": [array("float32", seed=3), 1.5, None, 0],
        "is_smooth": [True, False, True],
        "power": [1, 3, 2],
        "activation": [gpuarray.exp, gpuarray.sin],
        "gain": [3.0, 4],
    }
    for name, values in changes.items():
        for value in values:
            setattr(layer, name, value)
            same(layer.fused(x), layer.plain(x))
            same(layer.fused(x), layer.plain(x))
    del layer.gain
    same(layer.fused(x), layer.plain(x))
    other = Layer(7)
    same(other.fused(x), other.plain(x))


def test_constants_of_scalars_make_no_kernel_each(device):
    x, layer = array("float32"), Layer(1.0)
    made = []
    method = functools.partial(layer.fused, x)
    for weight in (0.5, 1.5, 2.5, -0.0):
        layer.weight = weight
        same(method(), layer.plain(x))
        made.append(Layer.fused._newest)
    assert all(one is made[0] for one in made)


def test_attributes_that_a_method_changes(device):
    layer = Layer(array("float32"))
    weight, expected = layer.weight, layer.weight * 0.5 * 0.25
    layer.decay(0.5)
    layer.decay(0.25)
    assert layer.weight is weight
    same(weight, expected)
    assert is_fused(Layer.decay)
    same([layer.counted(weight) for _ in range(3)][2], weight + 3)  # one by one
    assert layer.calls == 3


def test_a_method_that_reduces(device):
    x, layer = array("float64"), Layer(array("float64", (5,), seed=1))
    for _ in range(2):
        np.testing.assert_allclose(layer.total(x).get(), (x * layer.weight).sum(axis=0).get())
        layer.weight = layer.weight + 1
    assert "GpuarrayOperation" in Layer.total.source


def test_an_attribute_that_appears(device):
    class Shifted:
        @gpuarray.fuse
        def __call__(self, x):
            return x + self.shift if hasattr(self, "shift") else x * getattr(self, "factor", 3)

    x, shifted = array("float32"), Shifted()
    same(shifted(x), x * 3)
    shifted.factor = 4
    same(shifted(x), x * 4)
    shifted.shift = x
    same(shifted(x), x + x)
    del shifted.shift, shifted.factor
    same(shifted(x), x * 3)
    assert is_fused(Shifted.__call__)


def test_objects_within_objects(device):
    class Scale:
        def __init__(self, factor):
            self.factor = factor

        def __call__(self, x):
            return x * self.factor

    class Chain:
        def __init__(self, *scales):
            self.first, self.second = scales

        @gpuarray.fuse
        def __call__(self, x):
            return self.second(self.first(x)) + self.first.factor

    x, chain = array("float32"), Chain(Scale(2), Scale(array("float32", seed=1)))
    for first in (2, 3, array("float32", (5,), seed=2)):
        chain.first.factor = first
        same(chain(x), x * first * chain.second.factor + first)
    chain.second = chain.first
    same(chain(x), x * first * first + first)
    chain.first = Chain(Scale(0.5), Scale(4))
    chain.first.factor = 1.5
    same(chain(x), (x * 0.5 * 4 + 0.5) * first + 1.5)
    assert is_fused(Chain.__call__)


def test_methods_that_an_object_replaces(device):
    class Shifted(Layer):
        def scaled(self, x, gain):
            return x - gain

    x, layer, other, third = array("float32"), Layer(2.0), Layer(2.0), Shifted(2.0)
    other.scaled = gpuarray.add
    third.scaled = lambda x, gain, other=layer: other.scaled(x, gain) + 1
    for one in (layer, other, third, layer):
        same(one.fused(x), one.plain(x))
    layer.scaled = other.scaled
    del other.scaled, third.scaled
    for one in (layer, other, third):
        same(one.fused(x), one.plain(x))


def test_what_cannot_be_followed_is_done_one_by_one(device):
    class Listed:
        def __init__(self):
            self.factors = [2.0]

        @gpuarray.fuse
        def __call__(self, x):
            return x * self.factors[0]

    x, listed = array("float32"), Listed()
    same(listed(x), x * 2.0)
    listed.factors[0] = 3.0
    same(listed(x), x * 3.0)
    assert not is_fused(Listed.__call__)
    same(Layer.of_class(x), x * 2.0)
    try:
        Layer.gain = 5.0
        same(Layer.of_class(x), x * 5.0)
    finally:
        Layer.gain = 2.0


def test_errors_of_methods(device):
    class Wrong:
        @gpuarray.fuse
        def missing(self, x):
            return x + self.nothing

        @gpuarray.fuse
        def condition(self, x):
            return x if self.limit > 0 else -x

    x, wrong = array("float32"), Wrong()
    with pytest.raises(AttributeError, match="'Wrong' object has no attribute 'nothing'"):
        wrong.missing(x)
    wrong.nothing = 1
    same(wrong.missing(x), x + 1)
    wrong.limit = array("float32", seed=1)
    with pytest.raises(gpuarray.FusionError, match="a condition on elements cannot be fused"):
        wrong.condition(x)


def sums_and_goes_on(x):
    return x.sum() + 1


WAYS_OUT = {
    "unknown": (lambda x: x.unknown(), AttributeError, "no attribute 'unknown'"),
    "misspelt": (lambda x: x.clipp(0, 1), AttributeError, "did you mean 'clip'"),
    "hint": (lambda x: x.detach(), AttributeError, "no gradients are computed here"),
    "scan": (lambda x: x.cumsum(), TypeError, r"call it on the result.*write gpuarray\.cumsum\(x"),
    "no function": (lambda x: x.fill(0), TypeError, "call it on the result outside"),
    "shape": (lambda x: x * x.shape[0], TypeError, "give the number as an argument"),
    "elements": (lambda x: x.get(), TypeError, "call it on the result outside"),
    "transpose": (lambda x: x + x.T, TypeError, "give it as an argument"),
    "sum": (sums_and_goes_on, TypeError, "axis=-1, keepdims=True"),
    "attribute of a sum": (lambda x: x.max().unknown(), TypeError, "axis=-1, keepdims=True"),
    "mean": (lambda x: x.mean(), TypeError, "axis=-1, keepdims=True.*outside"),
    "argmax": (lambda x: x.argmax(), TypeError, "call it on the result outside"),
    "where": (lambda x: x.sum(where=x > 1), TypeError, r"gpuarray\.where"),
}


@pytest.mark.parametrize("name", WAYS_OUT)
def test_errors_of_calls_name_the_function_the_line_and_the_way_out(device, name):
    function, error, way_out = WAYS_OUT[name]
    with pytest.raises(error, match=rf"\S+, line \d+ of .*test_fuse_methods\.py: .*{way_out}"):
        gpuarray.fuse(function)(array("float32"))


def test_attributes_may_be_asked_for(device):
    x = array("float32")
    same(gpuarray.fuse(lambda x: x + (2 if hasattr(x, "unknown") else 1))(x), x + 1)


def test_objects_are_not_kept(device):
    x, layer = array("float32"), Layer(2.0)
    layer.fused(x)
    layer.outer(x)
    gone = weakref.ref(layer)
    del layer
    gc.collect()
    assert gone() is None
