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
    "_creation.texts": ("genfromtxt", "loadtxt", "savetxt"),
    "_creation.windows": ("bartlett", "blackman", "hamming", "hanning", "kaiser"),
    "_dtypes.inspection": (
        *("iscomplexobj", "isfortran", "isrealobj", "isscalar", "iterable", "may_share_memory"),
        *("ndim", "shape", "shares_memory", "size"),
    ),
    "_indexing.concatenators": ("c_", "r_"),
    "_indexing.grids": (
        *("fromfunction", "indices", "ix_", "meshgrid", "ravel_multi_index", "unravel_index"),
    ),
    "_indexing.index_arrays": (
        *("diag_indices", "diag_indices_from", "fill_diagonal", "mask_indices", "mgrid"),
        *("ogrid", "tril_indices", "tril_indices_from", "triu_indices", "triu_indices_from"),
    ),
    "_linalg.fits": ("poly", "polydiv", "polyfit", "roots"),
    "_manipulation.editing": ("append", "delete", "insert", "trim_zeros"),
    "_manipulation.functional": (
        *("apply_along_axis", "apply_over_axes", "choose", "piecewise", "select"),
    ),
    "_manipulation.padding": ("pad",),
    "_manipulation.rearranging": (
        *("flip", "fliplr", "flipud", "repeat", "resize", "roll", "rot90", "tile"),
    ),
    "_manipulation.splitting": ("array_split", "dsplit", "hsplit", "split", "unstack", "vsplit"),
    "_manipulation.strides": ("as_strided",),
    "_math.bits": ("packbits", "unpackbits"),
    "_math.differences": ("diff", "ediff1d", "trapezoid", "unwrap"),
    "_math.error_state": ("errstate", "geterr", "seterr"),
    "_math.einsums": ("einsum", "einsum_path"),
    "_math.gradients": ("gradient",),
    "_math.polynomials": (
        *("polyadd", "polyder", "polyint", "polymul", "polysub", "polyval", "vander"),
    ),
    "_math.signal": ("convolve", "correlate", "sliding_window_view"),
    "_math.special": ("cross", "float_power", "sinc"),
    "_protocols.mpi": ("mpi_buffer",),
    "_runtime.cache": ("cache_info", "clear_cache"),
    "_runtime.config": ("get_include", "show_config"),
    "_runtime.graphs": ("CaptureError", "Graph", "capture", "graph"),
    "_runtime.memory_tools": (
        *("MemoryBlock", "MemoryProfile", "memory_profile", "memory_snapshot", "record_memory"),
    ),
    "_runtime.prefetch": ("prefetch_to_device",),
    "_runtime.sharing": ("IpcResource", "SharedHandle", "empty_shared", "open_shared"),
    "_sorting.distinct": (
        *("unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"),
    ),
    "_sorting.selection": ("top_k",),
    "_sorting.sets": ("intersect1d", "isin", "setdiff1d", "setxor1d", "union1d"),
    "_statistics.histograms": (
        *("bincount", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd"),
    ),
    "_statistics.interpolation": ("interp",),
    "_statistics.nanfunctions": ("nancumprod", "nancumsum"),
    "_statistics.nanquantiles": ("nanmedian", "nanpercentile", "nanquantile"),
    "_statistics.quantiles": ("median", "percentile", "quantile"),
    "cuda._namespace": (
        *("clear_memo", "from_pointer", "get_array_module", "get_default_memory_pool"),
        *("get_default_pinned_memory_pool", "memoize"),
    ),
}
