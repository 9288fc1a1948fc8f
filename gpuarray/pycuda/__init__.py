# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's modules over gpuarray: a script that imports them from here runs as it is.

``import pycuda.driver as cuda`` becomes ``import gpuarray.pycuda.driver as cuda``, and so on.
docs/from-pycuda.md says what each name stands for, and what differs.
"""
