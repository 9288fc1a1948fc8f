# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The scanner of what sources include, which runs before the compiler is asked."""

import atexit
import tempfile
from pathlib import Path

from fuzzing.choices import Choices
from fuzzing.outcomes import outcome

from gpuarray import _core

WORDS = [
    *("#", "%:", "include", " ", "\n", '"', "<", ">", "a.h", "b.h", "sub/c.h", "../a.h", "\\\n"),
    *(
        "__has_include",
        "(",
        ")",
        "/*",
        "*/",
        "//",
        "import",
        "embed",
        "#include <a.h>\n",
        "\r",
        "\t",
    ),
    *("define", "A", "\ufeff", ".", "/", "\\ \n", '#include "b.h"\n', "é", "cuda_fp16.h", "R"),
]
FILES = ["a.h", "b.h", "sub/c.h"]

_folder = tempfile.TemporaryDirectory()
atexit.register(_folder.cleanup)


def text(choices):
    return "".join(choices.several(40, lambda: choices.choice(WORDS)))


def run(data):
    choices = Choices(data)
    folder = Path(_folder.name)
    (folder / "sub").mkdir(exist_ok=True)
    for name in FILES:
        (folder / name).write_text(text(choices) if choices.flag() else "")
    raw = choices.byte() > 200
    source = choices.rest().decode("utf-8", "replace") if raw else text(choices)
    _, error = outcome(
        _core._compile_source, source, "sm_90", "f.cu", (), (str(folder),), (), "cubin"
    )
    assert error is not None, source
