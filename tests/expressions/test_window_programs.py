# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Random programs see the same bits and errors whether their operations wait or not."""

import pytest
from _support import window_programs

MODES = ["auto", "always", "replay", "adversary:{}"]


@pytest.mark.parametrize("first", range(0, 80, 20))
def test_random_programs(device, first):
    for seed in range(first, first + 20):
        expected = window_programs.run(seed, device, "off")
        for mode in MODES:
            assert window_programs.run(seed, device, mode.format(seed)) == expected, (seed, mode)


def test_programs_that_were_compiled_before(device):
    for seed in range(6):
        expected = window_programs.run(seed, device, "off", statements=15)
        assert window_programs.run(seed, device, "compiled", statements=15) == expected, seed
