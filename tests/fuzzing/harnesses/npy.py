# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Files of .npy and .npz, beside NumPy."""

import io
import tokenize
import warnings
import zipfile
import zlib

import numpy as np
from fuzzing.choices import Choices
from fuzzing.outcomes import check_same, outcome

import gpuarray

MOST_BYTES = 1 << 20  # of what a header announces
# What reading an archive of the host's own may raise.
OF_ARCHIVES = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError)
# What NumPy reads, and no device has.
OTHERS = "OSUVMmT"


def of_numpy(call, *arguments):
    """Return the outcome of a reader of NumPy's, which lets errors of the parsers through."""
    try:
        return outcome(call, *arguments)
    except (tokenize.TokenError, *OF_ARCHIVES) as error:
        return None, error


def announced(data):
    """Return the bytes that the header announces, 0 where NumPy refuses it."""
    file = io.BytesIO(data)
    version, _ = of_numpy(np.lib.format.read_magic, file)
    if version is None:
        return 0
    name = "read_array_header_1_0" if version == (1, 0) else "read_array_header_2_0"
    header, _ = of_numpy(getattr(np.lib.format, name), file)
    if header is None:
        return 0
    count = 1
    for extent in header[0]:
        count *= extent
    return count * header[2].itemsize


def assembled(choices):
    """Return a file with a header of the right length."""
    header = choices.text("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }", 120)
    entry = (header + "\n").encode("latin1", "replace")
    size = len(entry).to_bytes(2, "little")
    return b"\x93NUMPY" + bytes([choices.choice([1, 1, 2, 3]), 0]) + size + entry + choices.rest()


def by_gpuarray(file):
    try:
        found = gpuarray.load(io.BytesIO(file))
        if isinstance(found, gpuarray.NpzFile):
            return {name: gpuarray.asnumpy(found[name]) for name in found.files}
        return found
    except OF_ARCHIVES as error:
        if not file.startswith(b"PK"):
            raise
        raise ValueError("a damaged archive") from error


def compare(file):
    expected, refused = of_numpy(np.load, io.BytesIO(file))
    got, error = outcome(by_gpuarray, file)
    if file.startswith(b"PK"):
        return
    if refused is not None or expected.dtype.kind in OTHERS:
        assert error is not None or str(got.dtype) == "bfloat16", (file, got, refused)
    elif error is not None:
        assert expected.dtype.char in "gG", (file, error)
    else:
        check_same(got, expected.astype(expected.dtype.newbyteorder("=")), file)


def run(data):
    choices = Choices(data)
    kind = choices.byte() % 4
    file = assembled(choices) if kind == 3 else choices.rest()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if announced(file) <= MOST_BYTES:
            compare(file)
