# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The cpu device computes the same bits at every level and on any number of threads."""

import json
import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from _support.process import run_python

import gpuarray._core

TESTS = Path(__file__).resolve().parents[1]
CORE = Path(gpuarray._core.__file__)


def error_of(**variables):
    return run_python(
        """
        import gpuarray
        try:
            gpuarray.zeros(1_000_000, device="cpu") + 1
        except ValueError as error:
            print(error)
        """,
        **variables,
    )


def levels():
    """The levels that this processor has, the highest last."""
    text = error_of(GPUARRAY_CPU_LEVEL="none")
    return re.search("levels (.*), got", text)[1].split(", ")


@pytest.fixture(scope="module")
def digests(tmp_path_factory):
    """The digests of every case, for several levels and numbers of threads."""
    cache = str(tmp_path_factory.mktemp("cache"))
    lowest, *_, highest = [*levels()[:1], *levels()]
    runs = [(lowest, "1"), (highest, "7")]
    if "ASAN_OPTIONS" not in os.environ:  # with which each takes ten times as long
        runs += [(highest, "1"), *((level, "2") for level in levels()[1:-1])]

    def run(level, threads):
        code = f"import sys; sys.path.insert(0, {str(TESTS)!r})\n"
        code += "from _support.digests import main\nmain()"
        variables = {"GPUARRAY_CPU_LEVEL": level, "GPUARRAY_NUM_THREADS": threads}
        return json.loads(run_python(code, seconds=600, GPUARRAY_CACHE_DIR=cache, **variables))

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(runs, pool.map(run, *zip(*runs, strict=True)), strict=True))


def test_bits_are_the_same(digests):
    first, *others = digests
    expected = digests[first]
    assert len(expected) > 10000
    assert len(set(expected.values())) > len(expected) // 4
    for run in others:
        got = digests[run]
        assert got.keys() == expected.keys()
        different = [case for case in expected if got[case] != expected[case]]
        assert not different, (first, run, len(different), different[:10])


@pytest.mark.parametrize("level", levels())
def test_powers_of_one(level):
    """Products with an exponent near the largest number do not overflow at any level."""
    text = run_python(
        """
        import gpuarray
        x = gpuarray.ones(300, "float64", device="cpu")
        for exponent in (1e305, -1.7e308):
            y = gpuarray.full(300, exponent, device="cpu")
            print((x**exponent).sum().item(), (x**y).sum().item(), (1.0**y).sum().item())
        """,
        GPUARRAY_CPU_LEVEL=level,
    )
    assert text.split() == ["300.0"] * 6


def test_unknown_level():
    message = error_of(GPUARRAY_CPU_LEVEL="v9")
    assert re.match(r"GPUARRAY_CPU_LEVEL: expected one of .*, got 'v9'", message)


@pytest.mark.parametrize("text", ["0", "-2", "many", "1.5"])
def test_wrong_number_of_threads(text):
    message = error_of(GPUARRAY_NUM_THREADS=text, GPUARRAY_CPU_LEVEL=levels()[0])
    assert "GPUARRAY_NUM_THREADS" in message and "expected" in message and text in message


@pytest.mark.skipif(shutil.which("objdump") is None, reason="objdump is missing")
def test_only_the_levels_have_instructions_of_their_own():
    """What every processor runs is free of AVX: the linker took no function of a level for it."""
    symbol, name, found, outside = re.compile("[0-9a-f]+ <(.*)>:"), "", set(), set()
    command = ["objdump", "-d", "--no-show-raw-insn", CORE]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if begins := symbol.match(line):
                name = begins[1]
                continue
            _, _, instruction = line.partition("\t")
            if instruction.startswith("v"):
                level = re.search(r"gpuarray_(?:fill_)?(v\d)", name)
                found.add(level and level[1])
                if level is None or level[1] == "v2" or (level[1] == "v3" and "%zmm" in line):
                    outside.add(name)
    if not found and levels() == ["baseline"]:
        pytest.skip("this processor has one level")
    if (
        "gpuarray_fill_v4"
        not in subprocess.run(["nm", CORE], capture_output=True, text=True).stdout
    ):
        pytest.skip("the module was stripped of its symbols")
    assert {"v3", "v4"} <= found
    assert not outside
