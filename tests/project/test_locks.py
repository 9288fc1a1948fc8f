# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""No lock is held where Python is called, or a memory resource's upstream, which may be Python."""

import re
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[2] / "src"
FILES = [*SRC.glob("runtime/memory/*.cpp"), *SRC.glob("py/*/*.?pp")]
TOKENS = re.compile(
    r"(?P<open>\{)|(?P<close>\})"
    r"|(?P<given>\b(?:Blocking)?Lock&(?: lock)?(?=[,)]))"
    r"|(?P<made>\b(?:BlockingLock|Lock|std::lock_guard|std::scoped_lock|std::unique_lock) lock\()"
    r"|(?P<unlock>\block\.unlock\(\))|(?P<relock>\block\.lock\(\))"
    r"|(?P<call>\bupstream_->(?!device\()\w+|\bPy(?:Object|Import|Context|Eval)_\w+\()"
)
METHOD = re.compile(r"^\w[^\n;]*\b\w+::(\w+)\(([^)]*)\)[^;{}]*\{(.*?)^\}", re.M | re.S)


def callers_of_upstream(text):
    """A pattern of calls of upstream_ and of methods that call it, themselves or through others.

    Those that are given a lock are left out: their own text shows whether they hold it.
    """
    bodies = {name: body for name, given, body in METHOD.findall(text) if "Lock&" not in given}
    pattern = r"\bupstream_->(?!device\()"
    for _ in bodies:  # each round finds the callers of those found before
        calling = [name for name, body in bodies.items() if re.search(pattern, body)]
        pattern = rf"\bupstream_->(?!device\()|(?<![\w.>:])(?:{'|'.join(calling) or '(?!)'})\("
    return pattern


def calls_under_a_lock(text):
    """The lines that call upstream_ or Python while a lock of the function or a block is held."""
    text = re.sub(r"//[^\n]*", "", text)
    held, given, outer, found = False, False, [], []
    tokens = rf"{TOKENS.pattern}|(?P<helper>{callers_of_upstream(text)})"
    for token in re.finditer(tokens, text):
        kind = token.lastgroup
        if kind == "open":
            outer.append(held)
            held, given = held or given, False
        elif kind == "close":
            held = outer.pop()
        elif kind == "given":
            given = True
        elif kind in ("call", "helper") and held:
            found.append(text.count("\n", 0, token.start()) + 1)
        elif kind not in ("call", "helper"):
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
    helper = "void A::g() {\n" + call + "void A::h() {\n  g();\n}\n"
    assert calls_under_a_lock(helper + "void A::f() {\n  Lock lock(m);\n  h();\n}\n") == [9]
    assert calls_under_a_lock("void f() {\n  { Lock lock(m); }\n  upstream_->forget();\n}\n") == []
