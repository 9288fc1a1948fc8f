# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Assertions about arrays, and decorators of tests: gpuarray.testing."""
