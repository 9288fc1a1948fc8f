# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Helpers that the tests share: tables, samples, layouts, comparisons and measurements."""


def words(text: str) -> list[str]:
    return text.split()
