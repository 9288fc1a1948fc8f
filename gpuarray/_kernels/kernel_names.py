# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What gpuarray.kernels has, which most programs do without."""

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
