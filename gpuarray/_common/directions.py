# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What to write here for names of NumPy and of other array libraries that gpuarray has not.

Errors alone import this module. docs/errors.md has its tables.
"""

import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache

from gpuarray._common import package
from gpuarray._common.suggestions import did_you_mean
from gpuarray._core import GPUArray

__all__ = ["ARRAY", "EXPRESSIONS", "SENTENCES", "of_array", "of_function", "of_module"]

# The names that each expression stands for, in which {name} is the name itself. In expressions `a`
# and `b` are GPUArrays, `x` is something on the host.
EXPRESSIONS = {
    # from the host and back
    "gpuarray.to_device(x)": (
        "Array Tensor as_tensor from_array from_numpy tensor to_gpu_async to_tensor"
    ),
    "gpuarray.to_device(x, device=device)": "device_put",
    "gpuarray.to_device(numpy.{name}(...))": ("fromregex memmap"),
    "a.get()": "device_get to_numpy",
    "a.get(out=x)": "memcpy_dtoh memcpy_dtoh_async",
    "a.set(x)": "memcpy_htod memcpy_htod_async",
    "a[...] = b": "memcpy_dtod memcpy_dtod_async",
    # arrays
    "gpuarray.from_cuda_array_interface(x)": "as_cuda_array",
    "gpuarray.empty(shape, dtype)": "device_array empty_strided",
    "gpuarray.empty_like(a)": "device_array_like",
    'gpuarray.empty(nbytes, "uint8")': "DeviceAllocation alloc mem_alloc",
    "gpuarray.empty_pinned(shape, dtype)": (
        "alloc_pinned_memory mapped_array pagelocked_empty pinned_array"
    ),
    "gpuarray.zeros_pinned(shape, dtype)": "pagelocked_zeros",
    "gpuarray.empty_managed(shape, dtype)": "malloc_managed managed_array",
    "with gpuarray.pinned(x): ...": "register_host_memory",
    "gpuarray.open_shared(handle)": "open_ipc_array",
    "isinstance(a, gpuarray.GPUArray)": "is_array is_cuda_array is_tensor",
    "a.__array_namespace__()": "array_namespace get_namespace",
    "gpuarray.asarray(x)": "asmatrix mat matrix",
    # shapes
    "gpuarray.concatenate(arrays, axis)": "cat",
    "gpuarray.block(arrays)": "bmat",
    "gpuarray.transpose(a, axes)": "permute",
    "gpuarray.moveaxis(a, source, target)": "movedim",
    "gpuarray.swapaxes(a, axis1, axis2)": "swapdims",
    "gpuarray.expand_dims(a, axis)": "unsqueeze",
    "gpuarray.broadcast_to(a, shape)": "expand",
    "gpuarray.broadcast_arrays(a, b)": "broadcast broadcast_tensors",
    "gpuarray.array_split(a, n, axis)": "chunk tensor_split",
    "gpuarray.repeat(a, n, axis)": "repeat_interleave",
    "gpuarray.ravel(a)": "flatten",
    "a.T": "t",
    "a.view(dtype)": "view",
    'a.view("float64")': "view_as_real",
    'a.view("complex128")': "view_as_complex",
    "a.size": "numel",
    "a.copy()": "clone",
    # elements
    "a[mask]": "masked_select",
    "gpuarray.where(mask, value, a)": "masked_fill",
    "gpuarray.where(a > 0, b, c)": "if_positive",
    "gpuarray.take(a, indices, axis)": "index_select",
    "gpuarray.take_along_axis(a, indices, axis)": "gather take_along_dim",
    "gpuarray.put_along_axis(a, indices, values, axis)": "scatter",
    "gpuarray.scatter_add(a, indices, values)": "index_add",
    "a.flat": "flatiter",
    "numpy.{name}(a.get())": ("ndenumerate nditer nested_iters"),
    # element-wise
    "gpuarray.subtract(a, b)": "sub",
    "gpuarray.multiply(a, b)": "mul",
    "gpuarray.divide(a, b)": "div",
    "gpuarray.negative(a)": "neg",
    "gpuarray.equal(a, b)": "eq",
    "gpuarray.not_equal(a, b)": "ne",
    "gpuarray.less(a, b)": "lt",
    "gpuarray.less_equal(a, b)": "le",
    "gpuarray.greater(a, b)": "gt",
    "gpuarray.greater_equal(a, b)": "ge",
    "gpuarray.sign(a)": "sgn",
    "gpuarray.round(a)": "round_",
    "gpuarray.clip(a, low, high)": "clamp",
    "gpuarray.maximum(a, low)": "clamp_min",
    "gpuarray.minimum(a, high)": "clamp_max",
    "gpuarray.maximum(a, 0)": "relu",
    "1 / gpuarray.sqrt(a)": "rsqrt",
    "1 / (1 + gpuarray.exp(-a))": "expit sigmoid",
    "e / e.sum() with e = gpuarray.exp(a - a.max())": "softmax",
    "a - gpuarray.trunc(a)": "frac",
    "a + weight * (b - a)": "lerp",
    "r * gpuarray.exp(1j * angle)": "polar",
    'gpuarray.ElementwiseKernel("T x", "T y", "y = {name}(x)")(a)': "erf erfc lgamma",
    # reductions and products
    "a @ b": "bmm mm mv",
    "c + a @ b": "addmm",
    "gpuarray.outer(a, b)": "ger",
    "gpuarray.prod(a)": "product",
    "gpuarray.cumprod(a)": "cumproduct",
    "gpuarray.any(a)": "sometrue",
    "gpuarray.all(a)": "alltrue",
    "gpuarray.trapezoid(a)": "trapz",
    "numpy.maximum.accumulate(a, axis)": "cummax",
    "numpy.minimum.accumulate(a, axis)": "cummin",
    "numpy.logaddexp.reduce(a, axis)": "logsumexp",
    "numpy.logaddexp.accumulate(a, axis)": "logcumsumexp",
    "a.min(axis), a.max(axis)": "aminmax",
    "a.std(axis), a.mean(axis)": "std_mean",
    "a.var(axis), a.mean(axis)": "var_mean",
    "a[subset].sum()": "subset_sum",
    "a[subset].min()": "subset_min",
    "a[subset].max()": "subset_max",
    "gpuarray.dot(a[subset], b[subset])": "subset_dot",
    "gpuarray.histogram(a, bins)": "histc",
    "gpuarray.convolve(a, b)": "conv1d",
    # sorting and sets
    "gpuarray.sort(a, axis=0)": "msort",
    "gpuarray.top_k(a, k)": "topk",
    "gpuarray.partition(a, k - 1)[..., k - 1]": "kthvalue",
    "gpuarray.searchsorted(boundaries, a)": "bucketize",
    "gpuarray.isin(a, b)": "in1d",
    # gpuarray.linalg, gpuarray.fft, gpuarray.random
    "gpuarray.linalg.{name}": (
        "LinAlgError cho_factor cho_solve cholesky cond det eig eigh eigvals eigvalsh expm inv "
        "lstsq lu lu_factor lu_solve matrix_norm matrix_power matrix_rank multi_dot norm pinv qr "
        "slogdet solve solve_triangular svd svdvals tensorinv tensorsolve vector_norm"
    ),
    "gpuarray.linalg.inv(a)": "inverse",
    "gpuarray.linalg.pinv(a)": "pinverse",
    "gpuarray.linalg.expm(a)": "matrix_exp",
    "gpuarray.linalg.eigh(a)": "symeig",
    "gpuarray.linalg.multi_dot(arrays)": "chain_matmul",
    "gpuarray.linalg.slogdet(a)": "logdet",
    "gpuarray.linalg.norm(a - b)": "dist",
    "gpuarray.linalg.norm(a[:, None] - b, axis=-1)": "cdist",
    "gpuarray.fft.{name}": (
        "fft2 fftfreq fftn fftshift hfft hfft2 hfftn ifft ifft2 ifftn ifftshift ihfft ihfft2 "
        "ihfftn irfft irfft2 irfftn next_fast_len rfft rfft2 rfftfreq rfftn"
    ),
    "gpuarray.random.{name}": (
        "BitGenerator Generator MT19937 PCG64 PCG64DXSM Philox RandomState SFC64 SeedSequence beta "
        "binomial chisquare choice default_rng dirichlet exponential gamma geometric gumbel "
        "hypergeometric laplace logistic lognormal logseries multinomial multivariate_normal "
        "negative_binomial noncentral_chisquare noncentral_f normal pareto permutation poisson "
        "rand randint randn random_integers random_sample ranf rayleigh seed shuffle "
        "standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular "
        "uniform vonmises wald weibull zipf"
    ),
    "gpuarray.random.random(a.shape)": "rand_like",
    "gpuarray.random.standard_normal(a.shape)": "randn_like",
    "gpuarray.random.random(shape) < p": "bernoulli",
    "gpuarray.random.permutation(n)": "randperm",
    "gpuarray.random.seed(seed)": "manual_seed",
    "gpuarray.random": "curandom",
    # functions of one's own, and kernels
    "gpuarray.fuse(function)": "compile jit njit",
    "gpuarray.vectorize(function)": "frompyfunc vmap",
    "gpuarray.SourceModule(source)": "compiler",
    "gpuarray.ElementwiseKernel(...)": "elementwise",
    "gpuarray.ReductionKernel(...)": "reduction",
    "gpuarray.InclusiveScanKernel(...)": "scan",
    "gpuarray.driver.{name}": "In InOut Out",
    # devices, streams and memory
    'gpuarray.set_default_device("cuda:0")': "select_device set_device",
    "gpuarray.default_device()": "current_device default_backend get_current_device",
    "gpuarray.devices()": "device_count get_num_devices gpus list_devices local_devices",
    "len(gpuarray.devices()) > 1": "is_available",
    "gpuarray.driver.context()": "Context current_context make_default_context",
    "gpuarray.Stream()": "stream",
    "gpuarray.current_stream()": "default_stream get_current_stream",
    "gpuarray.ExternalStream(pointer)": "external_stream",
    "gpuarray.Event()": "event",
    "start.elapsed_time(end)": "get_elapsed_time",
    "a.synchronize()": "block_until_ready",
    "gpuarray.capture()": "CUDAGraph",
    "gpuarray.memory_info()": "mem_get_info",
    "gpuarray.memory_stats()": "max_memory_allocated memory_allocated",
    "gpuarray.memory.release_cached()": "empty_cache free_all_blocks",
    "gpuarray.release_pinned_memory()": "PinnedMemoryPool",
    "gpuarray.memory.PoolResource": "DeviceMemoryPool MemoryAsyncPool MemoryPool",
    "gpuarray.memory.{name}": "get_allocator memory_limit release_cached set_allocator",
    # dtypes and constants
    "gpuarray.bool_": "bool8",
    "gpuarray.int64": "int0",
    "gpuarray.uint64": "uint0",
    "gpuarray.float32 or gpuarray.float64": "float",
    "gpuarray.int32 or gpuarray.int64": "int",
    "gpuarray.float64": "float_",
    "gpuarray.complex64": "cfloat singlecomplex",
    "gpuarray.complex128": "complex_",
    'a.astype("float64")': "asfarray",
    "a + 1j * b": "complex",
    'gpuarray.isdtype(a.dtype, "real floating")': "is_floating_point",
    "gpuarray.iscomplexobj(a)": "is_complex",
    "gpuarray.eye(n)[labels]": "one_hot",
    "gpuarray.inf": "Inf Infinity PINF infty",
    "-gpuarray.inf": "NINF",
    "gpuarray.nan": "NAN NaN",
    "gpuarray.polyfit(a, b, degree)": "poly1d polynomial",
    "numpy.{name}": (
        "ScalarType core ctypeslib dtypes emath exceptions f2py info "
        "little_endian sctypeDict show_runtime test "
        "typecodes typing"
    ),
}

# What has no expression of its own.
SENTENCES = {
    "no gradients are computed here; torch.from_dlpack(a) and jax.numpy.from_dlpack(a) have them": (
        "autograd enable_grad grad hessian inference_mode jacobian jvp nn no_grad optim "
        "value_and_grad vjp"
    ),
    "arithmetic gives no warnings; gpuarray.isfinite(a).all() finds their causes": (
        "getbufsize geterrcall setbufsize seterrcall"
    ),
    "no device computes in it; gpuarray.float64 and gpuarray.complex128 are the longest": (
        "clongdouble clongfloat complex256 float128 longcomplex longdouble longfloat"
    ),
    "arrays here have numbers and bools; keep other elements in a numpy.ndarray": (
        "bytes_ char character flexible object_ rec recarray record str_ string_ strings unicode_ "
        "void"
    ),
    'dates are for numpy.ndarray; gpuarray.to_device(x.view("int64")) has their numbers': (
        "busday_count busday_offset busdaycalendar datetime64 datetime_as_string datetime_data "
        "is_busday isnat timedelta64"
    ),
    "gpuarray itself has such things: gpuarray.Stream, gpuarray.device, gpuarray.RawKernel": (
        "runtime"
    ),
    "kernels are CUDA C++: gpuarray.RawKernel(source, name); those of numba.cuda take GPUArrays": (
        "atomic blockDim blockIdx grid gridDim gridsize local shared syncthreads threadIdx"
    ),
    "functions of arrays are in gpuarray itself, as gpuarray.exp": "cumath jnp np numpy xp",
    "SciPy takes GPUArrays with SCIPY_ARRAY_API=1, see docs/interop.md; gpuarray.linalg is here": (
        "cupyx ndimage scipy signal sparse special stats"
    ),
    "nothing is to be done: a device is initialised at its first use": "autoinit close init",
    "there are no masked arrays; functions take where=, and gpuarray.nanmean(a) passes over NaN": (
        "ma"
    ),
    "each function takes dtype=; the default is gpuarray.float64": (
        "get_default_dtype set_default_dtype"
    ),
}

# The same for attributes of arrays; other names may be those of functions.
ARRAY = {
    "a.get()": "asnumpy copy_to_host cpu numpy values",
    "a.set(x)": "copy_to_device",
    'a.to_device("cuda")': "cuda to_gpu",
    'a.to_device("cuda") or a.astype(dtype)': "to",
    "a.device": "devices get_device",
    'a.device.kind == "cuda"': "is_cuda",
    'a.memory_kind == "pinned"': "is_pinned",
    "a.ptr": "data_ptr unsafe_buffer_pointer",
    "ctypes.c_void_p(a.ptr)": "device_ctypes_pointer",
    "a.__dlpack__()": "toDlpack",
    "a.share()": "get_ipc_handle ipc_handle",
    "a.synchronize()": "block_until_ready wait_to_read",
    "a.copy()": "clone",
    "a.size": "numel",
    "a.ndim": "dim ndimension",
    "a.itemsize": "element_size",
    "a.flags.c_contiguous": "is_contiguous",
    "gpuarray.ascontiguousarray(a)": "contiguous",
    "a.strides": "stride",
    "a.T": "t",
    "a.transpose(axes)": "permute",
    "a.reshape(-1)": "reduced_view",
    "a.reshape(b.shape)": "reshape_as view_as",
    "gpuarray.broadcast_to(a, b.shape)": "expand_as",
    "gpuarray.resize(a, shape)": "resize resize_",
    "a.view(dtype)": "getfield setfield",
    'a.astype("{name}")': "bfloat16 bool complex64 float16 float32 float64 int32 int64",
    'a.astype("float16")': "half",
    'a.astype("float32")': "float",
    'a.astype("float64")': "double",
    'a.astype("int32")': "int",
    'a.astype("int64")': "long",
    "a.astype(dtype)": "cast type",
    "a += b": "add_",
    "a -= b": "sub_",
    "a *= b": "mul_",
    "a /= b": "div_",
    "a.fill(value)": "fill_",
    "a.fill(0)": "zero_",
    "a[...] = b": "assign copy_",
    "gpuarray.clip(a, low, high, out=a)": "clamp_",
    "a[index] = value": "at",
}
_NO_GRADIENTS = "backward detach grad requires_grad requires_grad_"

# The same for names of modules of the package that mean something else in gpuarray itself.
OF_MODULE = {"gpuarray.linalg": {"gpuarray.linalg.inv(a)": "invert"}}


def _each(table: Mapping[str, str], start: str = "") -> dict[str, str]:
    """Return what a table says of each name."""
    return {
        name: start + text.replace("{name}", name)
        for text, names in table.items()
        for name in names.split()
    }


_MODULE = _each(EXPRESSIONS, "write ") | _each(SENTENCES)
_ARRAY = _each(ARRAY, "write ") | dict.fromkeys(_NO_GRADIENTS.split(), _MODULE["autograd"])


def of_function(name: str) -> str:
    """Return what to do where a function of NumPy or SciPy does not take GPUArrays."""
    return _MODULE.get(name, "call it with a.get(), a numpy.ndarray")


@lru_cache(256)
def of_module(name: str, module: str = "gpuarray") -> str:
    """Return the message of the error for an attribute that a module of the package has not."""
    text = f"module {module!r} has no attribute {name!r}"
    own = _each(OF_MODULE.get(module, {}), "write ")
    if name in package.module.__all__ and name not in own:
        return f"{text}; write gpuarray.{name}"
    return text + _direction(name, _MODULE | own, dir(sys.modules[module]))


@lru_cache(256)
def of_array(name: str) -> str:
    """Return the message of the error for an attribute that arrays have not."""
    text = f"'gpuarray.GPUArray' object has no attribute {name!r}"
    if name in package.module.__all__ and name not in _ARRAY:
        return f"{text}; write gpuarray.{name}(a)"
    return text + _direction(name, _MODULE | _ARRAY, dir(GPUArray))


def _direction(name: str, table: Mapping[str, str], known: Iterable[str]) -> str:
    if name.startswith("_"):
        return ""
    if name in table:
        return f"; {table[name]}"
    return did_you_mean(name, (other for other in known if not other.startswith("_")))
