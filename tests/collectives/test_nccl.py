# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Communicators over NCCL itself: processes, each with a GPU, as many as there are GPUs."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import gpuarray

COUNT = sum(device.kind == "cuda" for device in gpuarray.devices())
RANK = Path(__file__).with_name("rank.py")
SECONDS = 240


def is_installed():
    """Whether NCCL loads, asked for in a process of its own, which the tests then do not touch."""
    code = "from nccl.bindings import nccl; nccl.get_version()"
    return subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


pytestmark = [
    pytest.mark.cuda,
    pytest.mark.slow,
    pytest.mark.skipif("GPUARRAY_TEST_DRIVER" in os.environ, reason="NCCL needs GPUs"),
]


@pytest.fixture(scope="module", autouse=True)
def library():
    if not is_installed():
        pytest.skip("nccl4py or NCCL is not installed")


def run_ranks(what, size):
    """Run the ranks as processes; return what each printed and its exit status."""
    if size > COUNT:
        pytest.skip(f"there are {COUNT} CUDA devices, {size} are needed")
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-P", str(RANK), what, str(size)]
        running = [
            subprocess.Popen(
                [*command, str(rank), str(Path(folder, "id"))],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                cwd=folder,
            )
            for rank in range(size)
        ]
        try:
            texts = [process.communicate(timeout=SECONDS)[0] for process in running]
        finally:
            for process in running:
                process.kill()
                process.wait()
        return [(text, process.returncode) for text, process in zip(texts, running, strict=True)]


def check(results):
    for rank, (text, status) in enumerate(results):
        assert status == 0, f"rank {rank}:\n{text}"
        assert text.endswith("done\n")


@pytest.mark.parametrize("size", range(1, max(COUNT, 2) + 1))
def test_every_verb_and_dtype_is_as_numpy(size):
    check(run_ranks("verbs", size))


@pytest.mark.parametrize("what", ["refusals", "late"])
def test_with_two_ranks(what):
    check(run_ranks(what, 2))


@pytest.mark.parametrize("size", sorted({2, max(COUNT, 2)}))
def test_a_rank_that_is_killed_is_an_error_in_time(size):
    *others, last = run_ranks("killed", size)
    assert last[1] == -signal.SIGKILL
    for text, _ in others:
        assert "error in time:" in text, text
    check(others)
