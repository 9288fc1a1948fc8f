# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The names in gpuarray.kernels, which is imported only when one of them is used."""

NAMES = (
    "Archive",
    "CUSource",
    "CompileWarning",
    "Cubin",
    "DeviceFunction",
    "ElementwiseKernel",
    "ExclusiveScanKernel",
    "Fatbin",
    "FusedFunction",
    "FusionError",
    "InclusiveScanKernel",
    "Kernel",
    "LTOIR",
    "LinkError",
    "LinkableCode",
    "Module",
    "Object",
    "PTXSource",
    "RawKernel",
    "RawModule",
    "ReductionKernel",
    "ScanKernel",
    "SourceModule",
    "VectorizedFunction",
    "declare_device",
    "driver",
    "fuse",
    "vectorize",
)
