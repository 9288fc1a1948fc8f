# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""NumPy's older functions of random numbers, over the same generators."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _core
from gpuarray._common.fork_locks import fork_lock
from gpuarray._core import GPUArray
from gpuarray._random.bit_generators import PCG64, BitGenerator
from gpuarray._random.generator import Generator

__all__ = [
    "RandomState",
    "beta",
    "binomial",
    "bytes",
    "chisquare",
    "choice",
    "dirichlet",
    "exponential",
    "f",
    "gamma",
    "geometric",
    "get_state",
    "gumbel",
    "hypergeometric",
    "laplace",
    "logistic",
    "lognormal",
    "logseries",
    "multinomial",
    "multivariate_normal",
    "negative_binomial",
    "noncentral_chisquare",
    "noncentral_f",
    "normal",
    "pareto",
    "permutation",
    "poisson",
    "power",
    "rand",
    "randint",
    "randn",
    "random",
    "random_integers",
    "random_sample",
    "ranf",
    "rayleigh",
    "sample",
    "seed",
    "set_state",
    "shuffle",
    "standard_cauchy",
    "standard_exponential",
    "standard_gamma",
    "standard_normal",
    "standard_t",
    "triangular",
    "uniform",
    "vonmises",
    "wald",
    "weibull",
    "zipf",
]


class RandomState(Generator):
    """NumPy's older class: a Generator with the older names.

    Its numbers are those of `default_rng` with the same seed, not of numpy.random.RandomState.

    Parameters
    ----------
    seed : None, int, array_like of ints, SeedSequence or bit generator, optional
        The seed; None takes one from the operating system.
    device : Device or str, optional
        Where the state and the numbers are; the default device as is.
    """

    def __init__(self, seed: Any = None, *, device: Any = None) -> None:
        is_source = isinstance(seed, (BitGenerator, np.random.BitGenerator))
        super().__init__(seed if is_source else PCG64(seed, device=device), device=device)

    def seed(self, seed: Any = None) -> None:
        """Begin again from a seed; waits for the device."""
        self._bits.seed(seed)

    def get_state(self, legacy: bool = True) -> dict[str, Any]:
        """Return the state as a dict, whatever `legacy` is; waits for the device."""
        return self._bits.state

    def set_state(self, state: dict[str, Any]) -> None:
        """Set the state to what `get_state` has returned; waits for the device."""
        self._bits.state = state

    def rand(self, *shape: int, dtype: Any = np.float64) -> GPUArray:
        """Draw numbers of [0, 1); dtypes as `random`."""
        return self.random(shape, dtype)

    def randn(self, *shape: int, dtype: Any = np.float64) -> GPUArray:
        """Draw numbers of the standard normal distribution; dtypes as `random`."""
        return self.standard_normal(shape, dtype)

    def randint(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64
    ) -> GPUArray:
        """Draw integers from [low, high), or from [0, low) without `high`."""
        return self.integers(low, high, size, dtype)

    def random_integers(self, low: Any, high: Any = None, size: Any = None) -> GPUArray:
        """Draw integers from [low, high], or from [1, low] without `high`."""
        low, high = (1, low) if high is None else (low, high)
        return self.integers(low, high, size, endpoint=True)

    def random_sample(self, size: Any = None, dtype: Any = np.float64) -> GPUArray:
        """Draw numbers of [0, 1); dtypes as `random`."""
        return self.random(size, dtype)

    ranf = sample = random_sample

    def tomaxint(self, size: Any = None) -> GPUArray:
        """Draw integers from [0, the greatest int64]."""
        return self.integers(0, np.iinfo(np.int64).max, size, endpoint=True)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._bits,)

    def __repr__(self) -> str:
        return f"RandomState({type(self._bits).__name__}) on {self.device}"


# The distributions for which CuPy takes a dtype, after NumPy's arguments.
_TYPED = (
    "beta binomial chisquare exponential f gamma geometric gumbel hypergeometric laplace logistic"
    " lognormal logseries negative_binomial noncentral_chisquare noncentral_f normal pareto poisson"
    " power rayleigh standard_cauchy standard_t triangular uniform vonmises wald weibull zipf"
)


def _typed(name: str) -> Callable[..., Any]:
    method = getattr(Generator, name)
    signature = inspect.signature(method)
    parameters = list(signature.parameters.values())
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD

    @functools.wraps(method)
    def draw(*args: Any, dtype: Any = None, **kwargs: Any) -> Any:
        if len(args) == len(parameters) + 1 and dtype is None:
            *args, dtype = args  # type: ignore[assignment]
        drawn = method(*args, **kwargs)
        return drawn if dtype is None else drawn.astype(dtype, copy=False)

    parameters_here = [*parameters, inspect.Parameter("dtype", kind, default=None)]
    draw.__signature__ = signature.replace(parameters=parameters_here)  # type: ignore[attr-defined]
    draw.__qualname__ = f"RandomState.{name}"
    draw.__doc__ = f"{method.__doc__.rstrip()} With a `dtype`, they are converted to that."
    return draw


for _name in _TYPED.split():
    setattr(RandomState, _name, _typed(_name))


class _Defaults:
    """The generators of the functions of the module: one a device, made at its first use."""

    def __init__(self) -> None:
        self._lock = fork_lock(waits=True)
        self._made: dict[Any, RandomState] = {}
        self._seed: tuple[Any] = (None,)  # a new object for each call of seed()

    def current(self) -> RandomState:
        """Return the generator of the default device."""
        device = _core.empty(0, "bool").device
        while device not in self._made:
            seed = self._seed
            made = RandomState(*seed, device=device)  # may wait for the device
            with self._lock:
                if seed is self._seed:
                    self._made.setdefault(device, made)
        return self._made[device]

    def seed(self, seed: Any) -> None:
        """Seed the generators of all devices."""
        with self._lock:
            self._seed = (seed,)
            known = list(self._made.values())
        for made in known:
            made.seed(seed)


_defaults = _Defaults()


def seed(seed: Any = None) -> None:
    """Seed the generators of all devices that the functions of this module draw from."""
    _defaults.seed(seed)


def _without_self(method: Callable[..., Any]) -> inspect.Signature:
    signature = inspect.signature(method)
    return signature.replace(parameters=list(signature.parameters.values())[1:])


def _function(name: str) -> Callable[..., Any]:
    method = getattr(RandomState, name)

    def draw(*args: Any, **kwargs: Any) -> Any:
        return getattr(_defaults.current(), name)(*args, **kwargs)

    draw.__name__ = draw.__qualname__ = name
    draw.__module__ = "gpuarray.random"
    draw.__doc__ = method.__doc__
    draw.__signature__ = _without_self(method)  # type: ignore[attr-defined]
    return draw


beta = _function("beta")
binomial = _function("binomial")
bytes = _function("bytes")
chisquare = _function("chisquare")
choice = _function("choice")
dirichlet = _function("dirichlet")
exponential = _function("exponential")
f = _function("f")
gamma = _function("gamma")
geometric = _function("geometric")
get_state = _function("get_state")
gumbel = _function("gumbel")
hypergeometric = _function("hypergeometric")
laplace = _function("laplace")
logistic = _function("logistic")
lognormal = _function("lognormal")
logseries = _function("logseries")
multinomial = _function("multinomial")
multivariate_normal = _function("multivariate_normal")
negative_binomial = _function("negative_binomial")
noncentral_chisquare = _function("noncentral_chisquare")
noncentral_f = _function("noncentral_f")
normal = _function("normal")
pareto = _function("pareto")
permutation = _function("permutation")
poisson = _function("poisson")
power = _function("power")
rand = _function("rand")
randint = _function("randint")
randn = _function("randn")
random = _function("random")
random_integers = _function("random_integers")
random_sample = _function("random_sample")
ranf = _function("ranf")
rayleigh = _function("rayleigh")
sample = _function("sample")
set_state = _function("set_state")
shuffle = _function("shuffle")
standard_cauchy = _function("standard_cauchy")
standard_exponential = _function("standard_exponential")
standard_gamma = _function("standard_gamma")
standard_normal = _function("standard_normal")
standard_t = _function("standard_t")
triangular = _function("triangular")
uniform = _function("uniform")
vonmises = _function("vonmises")
wald = _function("wald")
weibull = _function("weibull")
zipf = _function("zipf")
