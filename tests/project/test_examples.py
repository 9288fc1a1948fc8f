# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The examples run on every device; they check their results themselves."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from matplotlib.image import imread

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run_hillshade(device, *arguments):
    command = [sys.executable, "-P", EXAMPLES / "hillshade.py", "--device", device, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def test_hillshade_of_the_sample(device, tmp_path):
    out = tmp_path / "out.png"
    finished = run_hillshade(device, "-o", out, "--upsample", "1")
    assert finished.returncode == 0, finished.stderr
    assert device in finished.stdout
    assert imread(out).shape[:2] == (344, 403)


def test_hillshade_of_a_file(device, tmp_path):
    """Several tiles, and a slope that is lit from the north-west."""
    rows, columns = np.indices((1100, 30))
    np.savez(tmp_path / "slope.npz", x=np.arange(3), heights=(rows + columns).astype("int16"))
    out = tmp_path / "out.png"
    finished = run_hillshade(device, tmp_path / "slope.npz", "-o", out, "--upsample", "2")
    assert finished.returncode == 0, finished.stderr
    assert imread(out).shape[:2] == (2200, 60)


def test_hillshade_refuses_other_data(tmp_path):
    np.save(tmp_path / "line.npy", np.arange(4))
    finished = run_hillshade("cpu", tmp_path / "line.npy", "-o", tmp_path / "out.png")
    assert finished.returncode == 1
    assert "no two-dimensional array" in finished.stderr
