# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""No lock is held where Python is called, or a memory resource's upstream, which may be Python.

Each lock of the sources stands in the table of docs/design.md that says what a fork does to it.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
FILES = [*SRC.glob("runtime/memory/*.cpp"), *SRC.glob("py/*/*.?pp")]
TOKENS = re.compile(
    r"(?P<open>\{)|(?P<close>\})"
    r"|(?P<given>\b(?:Blocking)?Lock&(?: lock)?(?=[,)]))"
    r"|(?P<made>\b(?:BlockingLock|LockGuard|UniqueLock|Lock|std::\w+_(?:guard|lock)) lock\()"
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


LOCK = re.compile(
    r"^\s*(?:\w+ )*?(?P<kind>std::(?:\w+_)?mutex|std::condition_variable(?:_any)?|std::once_flag"
    r"|Mutex|HeldAtFork|SpinLock|GilStandIn|SubmissionLock|MadeOnce<[^;]*>|auto)&? "
    r"(?P<names>\w+(?:, \w+)*)(?:\{\w*\})?(?: = (?P<made>[^;]*))?;",
    re.M,
)
PYTHON_LOCK = re.compile(
    r"(\w+)(?:: [^=\n]*)?(?:, \w+)? = (?:threading\.(?:R?Lock|Condition|Semaphore)\(|fork_lock\()"
)
OF_ANY_NAME = ("HeldAtFork", "MadeOnce", "GilStandIn")


def declared_locks(text):
    """The kinds and names of the locks that a C++ file declares."""
    text = re.sub(r"//[^\n]*", "", text)
    for found in LOCK.finditer(text):
        if found["kind"] != "auto" or "CompiledTable" in (found["made"] or ""):
            for name in found["names"].split(", "):
                yield found["kind"], name


def locks_of_the_sources():
    found = set()
    for file in sorted(SRC.rglob("*.[ch]pp")):
        for kind, name in declared_locks(file.read_text()):
            if not kind.startswith(OF_ANY_NAME):
                found.add((file.relative_to(SRC).as_posix(), name))
    for file in sorted((ROOT / "gpuarray").rglob("*.py")):
        for name in PYTHON_LOCK.findall(file.read_text()):
            found.add((file.relative_to(ROOT / "gpuarray").as_posix(), name))
    return {(file, name) for file, name in found if file != "_common/fork_locks.py"}


def locks_of_the_table():
    page = (ROOT / "docs" / "design.md").read_text()
    table = page.partition("<!-- begin fork -->")[2].partition("<!-- end fork -->")[0]
    rows = re.findall(r"^\|[^|]*\|([^|]*)\|$", table, re.M)[1:]
    entries = re.findall(r"`([\w/]+\.\w+)` ((?:\w+(?:, )?)+)", "; ".join(rows))
    return [(file, name) for file, names in entries for name in names.split(", ")]


def test_each_lock_says_what_a_fork_does_to_it():
    table = locks_of_the_table()
    assert sorted(table) == sorted(locks_of_the_sources())


def test_a_fork_holds_what_the_table_says():
    """A spin lock, or a mutex that is no HeldAtFork, is held by a handler of its own."""
    page = (ROOT / "docs" / "design.md").read_text()
    row = page.partition("| `fork` holds it")[2].partition("\n")[0]
    for file in re.findall(r"`((?:array|backend|core|runtime)/[\w/]+\.\w+)` \w", row):
        room = (SRC / file).parent
        handlers = re.compile("pthread_atfork|hold_at_fork")
        assert any(handlers.search(other.read_text()) for other in room.glob("*.cpp")) or (
            file == "runtime/code/compiled_table.hpp"
        ), file


def test_statics_that_wait_for_another_thread_are_found():
    """A lock is no static of a function, which a child might find half made."""
    for file in sorted(SRC.rglob("*.[ch]pp")):
        text = file.read_text()
        assert not re.search(r"^\s+static [^(;]*(?:mutex|HeldAtFork)\b[^;]*= \*new", text, re.M), (
            file
        )


def test_declared_locks_are_found():
    text = "  mutable std::mutex a;\nconstinit SpinLock b;\n  std::condition_variable c, d;\n"
    text += "  HeldAtFork e{false};\nauto& f = *new CompiledTable<K, V>;\n"
    text += "std::mutex& g = *new std::mutex;\n  mutable Mutex h;\n"
    text += "void f(std::mutex& given);\n  return mutex;\n// std::mutex no;\nauto x = 3;\n"
    assert "".join(name for _, name in declared_locks(text)) == "abcdefgh"


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


GUARDED = """
#include "core/thread_safety.hpp"
struct Counter {
  gpuarray::Mutex mutex;
  int count GUARDED_BY(mutex) = 0;
  void reset() REQUIRES(mutex) { count = 0; }
};
void use(Counter& counter) {
  const gpuarray::LockGuard lock(counter.mutex);
  counter.reset();
}
void use_waiting(Counter& counter, std::condition_variable& changed) {
  gpuarray::UniqueLock lock(counter.mutex);
  while (counter.count == 0) lock.wait(changed);
  lock.unlock();
}
"""
UNGUARDED = [
    "int read(const Counter& counter) { return counter.count; }",
    "void call(Counter& counter) { counter.reset(); }",
    "void late(Counter& c) { gpuarray::UniqueLock lock(c.mutex); lock.unlock(); c.reset(); }",
]


def checked_by_clang(file, text):
    file.write_text(text)
    command = [sys.executable, "-P", ROOT / "tools" / "check_thread_safety.py", file]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.skipif(shutil.which("clang++") is None, reason="there is no clang++")
def test_fields_without_their_locks_are_found(tmp_path):
    done = checked_by_clang(tmp_path / "guarded.cpp", GUARDED)
    assert done.returncode == 0, done.stderr
    for function in UNGUARDED:
        done = checked_by_clang(tmp_path / "unguarded.cpp", GUARDED + function)
        assert done.returncode == 1
        assert "requires holding mutex" in done.stderr
