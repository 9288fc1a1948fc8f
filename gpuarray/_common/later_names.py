# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The public names by module, of modules imported when one of their names is first used."""

NAMES = {
    "_creation.files": (
        *("frombuffer", "fromfile", "fromstring", "load", "save", "savez", "savez_compressed"),
        "NpzFile",
    ),
    "_creation.matrices": (
        *("diag", "diagflat", "diagonal", "eye", "identity", "trace", "tri", "tril", "triu"),
    ),
    "_creation.ranges": ("arange", "geomspace", "linspace", "logspace"),
    "_creation.texts": ("genfromtxt", "loadtxt", "savetxt"),
    "_creation.windows": ("bartlett", "blackman", "hamming", "hanning", "kaiser"),
    "_dtypes.dtype_functions": (
        *("can_cast", "common_type", "finfo", "iinfo", "isdtype", "issubdtype", "min_scalar_type"),
        *("promote_types", "result_type"),
    ),
    "_dtypes.inspection": (
        *("iscomplexobj", "isfortran", "isrealobj", "isscalar", "iterable", "may_share_memory"),
        *("ndim", "shape", "shares_memory", "size"),
    ),
    "_fusion.fusion": ("fuse", "FusedFunction"),
    "_fusion.saved": ("load_fused", "LoadedFunction"),
    "_fusion.vectorization": ("vectorize", "VectorizedFunction"),
    "_indexing.concatenators": ("c_", "r_"),
    "_indexing.grids": (
        *("fromfunction", "indices", "ix_", "meshgrid", "ravel_multi_index", "unravel_index"),
    ),
    "_indexing.index_arrays": (
        *("diag_indices", "diag_indices_from", "fill_diagonal", "mask_indices", "mgrid", "ogrid"),
        *("tril_indices", "tril_indices_from", "triu_indices", "triu_indices_from"),
    ),
    "_indexing.indexing": (
        *("argwhere", "compress", "count_nonzero", "extract", "flatnonzero", "nonzero", "place"),
        *("put", "put_along_axis", "putmask", "scatter_add", "scatter_max", "scatter_min", "take"),
        "take_along_axis",
    ),
    "_kernels.compat_kernels": ("RawKernel", "RawModule", "SourceModule"),
    "_kernels.device_functions": ("declare_device", "DeviceFunction"),
    "_kernels.elementwise_kernel": ("ElementwiseKernel",),
    "_kernels.linkables": (
        *("Archive", "Cubin", "CUSource", "Fatbin", "LinkableCode", "LTOIR", "Object"),
        "PTXSource",
    ),
    "_kernels.module": ("Module",),
    "_kernels.reduction_kernel": ("ReductionKernel",),
    "_kernels.scan_kernel": ("ExclusiveScanKernel", "InclusiveScanKernel", "ScanKernel"),
    "_linalg.fits": ("poly", "polydiv", "polyfit", "roots"),
    "_manipulation.broadcasting": ("broadcast_arrays", "broadcast_shapes", "broadcast_to"),
    "_manipulation.editing": ("append", "delete", "insert", "trim_zeros"),
    "_manipulation.functional": (
        *("apply_along_axis", "apply_over_axes", "choose", "piecewise", "select"),
    ),
    "_manipulation.manipulation": (
        *("concatenate", "expand_dims", "moveaxis", "ravel", "reshape", "rollaxis", "squeeze"),
        *("stack", "swapaxes", "transpose"),
    ),
    "_manipulation.padding": ("pad",),
    "_manipulation.rearranging": (
        *("flip", "fliplr", "flipud", "repeat", "resize", "roll", "rot90", "tile"),
    ),
    "_manipulation.splitting": ("array_split", "dsplit", "hsplit", "split", "unstack", "vsplit"),
    "_manipulation.stacking": (
        *("atleast_1d", "atleast_2d", "atleast_3d", "block", "column_stack", "dstack", "hstack"),
        *("row_stack", "vstack"),
    ),
    "_manipulation.strides": ("as_strided",),
    "_math.aliases": (
        *("abs", "acos", "acosh", "amax", "amin", "asin", "asinh", "atan", "atan2", "atanh"),
        *("bitwise_invert", "bitwise_left_shift", "bitwise_not", "bitwise_right_shift", "concat"),
        *("conj", "deg2rad", "fix", "mod", "ndarray", "permute_dims", "pow", "rad2deg", "to_gpu"),
        "true_divide",
    ),
    "_math.bits": ("packbits", "unpackbits"),
    "_math.comparisons": (
        *("allclose", "array_equal", "array_equiv", "isclose", "iscomplex", "isneginf"),
        *("isposinf", "isreal"),
    ),
    "_math.differences": ("diff", "ediff1d", "trapezoid", "unwrap"),
    "_math.einsums": ("einsum", "einsum_path"),
    "_math.error_state": ("errstate", "geterr", "seterr"),
    "_math.gradients": ("gradient",),
    "_math.math": ("angle", "clip", "copy", "divmod", "frexp", "imag", "ldexp", "modf", "real"),
    "_math.polynomials": (
        *("polyadd", "polyder", "polyint", "polymul", "polysub", "polyval", "vander"),
    ),
    "_math.products": (
        *("dot", "inner", "kron", "matmul_precision", "matrix_transpose", "matvec", "outer"),
        *("tensordot", "vdot", "vecdot", "vecmat"),
    ),
    "_math.rounding": ("around", "nan_to_num", "real_if_close", "round"),
    "_math.scans": ("cumulative_prod", "cumulative_sum"),
    "_math.signal": ("convolve", "correlate", "sliding_window_view"),
    "_math.special": ("cross", "float_power", "sinc"),
    "_protocols.mpi": ("mpi_buffer",),
    "_protocols.printing": (
        *("array2string", "array_repr", "array_str", "base_repr", "binary_repr"),
        *("format_float_positional", "format_float_scientific", "get_printoptions", "mintypecode"),
        *("printoptions", "set_printoptions", "typename"),
    ),
    "_runtime.cache": ("cache_info", "clear_cache"),
    "_runtime.config": ("get_include", "show_config"),
    "_runtime.graphs": ("CaptureError", "Graph", "capture", "graph"),
    "_runtime.memory_kinds": (
        *("empty_like_managed", "empty_like_pinned", "empty_managed", "empty_pinned"),
        *("managed_memory_stats", "pinned", "pinned_memory_stats", "release_managed_memory"),
        *("release_pinned_memory", "zeros_like_managed", "zeros_like_pinned", "zeros_managed"),
        "zeros_pinned",
    ),
    "_runtime.memory_tools": (
        *("MemoryBlock", "MemoryProfile", "memory_profile", "memory_snapshot", "record_memory"),
    ),
    "_runtime.prefetch": ("prefetch_to_device",),
    "_runtime.sharing": ("IpcResource", "SharedHandle", "empty_shared", "open_shared"),
    "_runtime.transfer": ("Transfer", "transfer_guard"),
    "_runtime.windows": ("fusion", "fusion_stats", "FusionStats"),
    "_sorting.distinct": (
        *("unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"),
    ),
    "_sorting.searching": ("digitize", "searchsorted"),
    "_sorting.selection": ("top_k",),
    "_sorting.sets": ("intersect1d", "isin", "setdiff1d", "setxor1d", "union1d"),
    "_sorting.sorting": ("argpartition", "argsort", "lexsort", "partition", "sort", "sort_complex"),
    "_statistics.histograms": (
        *("bincount", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd"),
    ),
    "_statistics.interpolation": ("interp",),
    "_statistics.nanfunctions": ("nancumprod", "nancumsum"),
    "_statistics.nanquantiles": ("nanmedian", "nanpercentile", "nanquantile"),
    "_statistics.quantiles": ("median", "percentile", "quantile"),
    "_statistics.statistics": ("average", "corrcoef", "cov", "ptp"),
    "_ufuncs.assignment": ("copyto",),
    "cuda._namespace": (
        *("clear_memo", "from_pointer", "get_array_module", "get_default_memory_pool"),
        *("get_default_pinned_memory_pool", "memoize"),
    ),
    "errors": ("CompileWarning", "FusionError", "LinkError"),
    "memory": ("memory_info", "set_memory_limit", "using_allocator"),
}
