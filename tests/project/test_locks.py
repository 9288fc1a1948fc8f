# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""No lock is held where Python is called, or a memory resource's upstream, which may be Python."""

import re
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[2] / "src"
FILES = [*SRC.glob("runtime/memory/*.cpp"), *SRC.glob("py/*/*.?pp")]
# A helper that is called under a lock takes it as an argument, so that its text shows the lock.
TOKENS = re.compile(
    r"(?P<open>\{)|(?P<close>\})"
    r"|(?P<given>\b(?:Blocking)?Lock&(?: lock)?(?=[,)]))"
    r"|(?P<made>\b(?:BlockingLock|Lock|std::lock_guard|std::scoped_lock|std::unique_lock) lock\()"
    r"|(?P<unlock>\block\.unlock\(\))|(?P<relock>\block\.lock\(\))"
    r"|(?P<call>\bupstream_->(?!device\()\w+|\bPy(?:Object|Import|Context|Eval)_\w+\()"
)


def calls_under_a_lock(text):
    """The lines that call upstream_ or Python while a lock of the function or a block is held."""
    text = re.sub(r"//[^\n]*", "", text)
    held, given, outer, found = False, False, [], []
    for token in TOKENS.finditer(text):
        kind = token.lastgroup
        if kind == "open":
            outer.append(held)
            held, given = held or given, False
        elif kind == "close":
            held = outer.pop()
        elif kind == "given":
            given = True
        elif kind == "call" and held:
            found.append(text.count("\n", 0, token.start()) + 1)
        elif kind != "call":
            held = kind != "unlock"
    return found


@pytest.mark.parametrize("file", sorted(path.relative_to(SRC).as_posix() for path in FILES))
def test_nothing_calls_python_or_an_upstream_under_a_lock(file):
    assert calls_under_a_lock((SRC / file).read_text()) == []


def test_calls_under_a_lock_are_found():
    guarded = "void f() {\n  Lock lock(mutex_);\n  if (x) {\n    lock.unlock();\n  }\n  {}\n"
    assert calls_under_a_lock(guarded + "  upstream_->allocate();\n}\n") == [7]
    assert calls_under_a_lock(guarded + "  lock.unlock();\n  upstream_->allocate();\n}\n") == []
    call = "  upstream_->allocate();\n}\n"
    assert calls_under_a_lock("void f(Lock& lock) {\n" + call + "void g() {\n" + call) == [2]
    assert calls_under_a_lock("void f(BlockingLock&) {\n" + call) == [2]
    assert calls_under_a_lock("void f() {\n  { Lock lock(m); }\n  upstream_->forget();\n}\n") == []
