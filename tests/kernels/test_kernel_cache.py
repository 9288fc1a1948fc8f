# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The disk cache of compiled kernels. Its settings are read once, so most tests start processes."""

import hashlib
import os
import stat
import subprocess
import sys
import time

import pytest
from _support.process import run_python

import gpuarray
from gpuarray._runtime.cache import CacheInfo

HEADER_BYTES = 24
PRELUDE = """
from gpuarray import _core, cache_info, clear_cache
load, store = _core._cache_load, _core._cache_store
"""


def key(name):
    return hashlib.sha256(str(name).encode()).hexdigest()


KEY, OTHER = key("a"), key("b")


def run(folder, code, **environment):
    """Run `code` with the cache in `folder`; returns what it printed, evaluated."""
    printed = run_python(PRELUDE + code, GPUARRAY_CACHE_DIR=str(folder), **environment)
    return eval(printed, {"CacheInfo": CacheInfo})


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def folder(tmp_path):
    """A cache with b"content" under KEY, stored by another process."""
    run(tmp_path / "cache", f"store({KEY!r}, b'content'); print(0)")
    return tmp_path / "cache"


@pytest.fixture
def entry(folder):
    return folder / f"{KEY}.bin"


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 65_537])
def test_another_process_loads_what_one_stored(tmp_path, size):
    run(tmp_path, f"store({KEY!r}, bytes(i % 251 for i in range({size}))); print(0)")
    code = f"print(load({KEY!r}) == bytes(i % 251 for i in range({size})), load({OTHER!r}))"
    assert run(tmp_path, code.replace("print(", "print((") + ")") == (True, None)


def test_info_counts_entries_of_all_and_hits_and_stores_of_this_process(folder):
    code = f"""
load({KEY!r}); load({KEY!r}); load({OTHER!r})
store({OTHER!r}, b"1234")
print(cache_info())
"""
    info = run(folder, code, GPUARRAY_CACHE_BYTES="1000")
    nbytes = 2 * HEADER_BYTES + 7 + 4
    assert info == (str(folder), 2, nbytes, 1000, 2, 1)
    assert nbytes == sum(path.stat().st_size for path in folder.iterdir())


def test_default_limit(tmp_path):
    assert run(tmp_path, "print(cache_info().limit)") == 256 << 20


def test_storing_again_replaces(folder):
    code = f"store({KEY!r}, b'new'); print((load({KEY!r}), cache_info().entries))"
    assert run(folder, code) == (b"new", 1)


def test_folder_and_files_are_private(tmp_path):
    deep = tmp_path / "a" / "b"
    run(deep, f"store({KEY!r}, b'x'); print(0)")
    for path, mode in ((deep.parent, 0o700), (deep, 0o700), (deep / f"{KEY}.bin", 0o600)):
        assert stat.S_IMODE(path.stat().st_mode) == mode


def flip(position):
    def damage(content):
        content = bytearray(content)
        content[position] ^= 1
        return bytes(content)

    return damage


DAMAGE = {
    "empty": lambda content: b"",
    "half a header": lambda content: content[:12],
    "header only": lambda content: content[:HEADER_BYTES],
    "truncated": lambda content: content[:-1],
    "longer": lambda content: content + b"\0",
    "magic": flip(0),
    "length": flip(8),
    "checksum": flip(16),
    "first byte": flip(HEADER_BYTES),
    "last byte": flip(-1),
    "zeros": lambda content: bytes(len(content)),
    "foreign": lambda content: b"#!/bin/sh\necho not a kernel\n" * 10,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damaged_files_are_ignored_and_replaced(folder, entry, damage):
    entry.write_bytes(damage(entry.read_bytes()))
    code = f"""
before = load({KEY!r})
store({KEY!r}, b"content")
print((before, load({KEY!r}), cache_info().hits))
"""
    assert run(folder, code) == (None, b"content", 1)


def test_an_entry_under_another_key_is_ignored(folder, entry):
    entry.rename(folder / f"{OTHER}.bin")
    assert run(folder, f"print(load({OTHER!r}))") is None


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, lambda path: os.symlink("nowhere", path)])
def test_what_is_no_file_is_ignored(folder, entry, make):
    entry.unlink()
    make(entry)
    assert run(folder, f"print((load({KEY!r}), cache_info().entries))") == (None, 0)
    run(folder, f"store({KEY!r}, b'x'); print(0)")
    assert names(folder) == [entry.name]


def test_the_least_recently_used_go_first(tmp_path):
    keys = [key(number) for number in range(6)]
    each = HEADER_BYTES + 100
    run(tmp_path, f"for k in {keys[:5]}: store(k, bytes(100))\nprint(0)")
    now = time.time()
    for age, name in enumerate(keys[:5]):
        os.utime(tmp_path / f"{name}.bin", (now - 100 + age, now - 100 + age))
    code = f"load({keys[0]!r}); store({keys[5]!r}, bytes(100)); print(0)"
    run(tmp_path, code, GPUARRAY_CACHE_BYTES=str(3 * each + 99))
    assert names(tmp_path) == sorted(f"{keys[kept]}.bin" for kept in (0, 4, 5))


def test_the_new_entry_stays_whatever_the_clock_says(folder, entry):
    future = time.time() + 10_000
    os.utime(entry, (future, future))
    run(folder, f"store({OTHER!r}, b'1'); print(0)", GPUARRAY_CACHE_BYTES=str(HEADER_BYTES + 7))
    assert names(folder) == [f"{OTHER}.bin"]


def test_content_beyond_the_limit_is_not_stored(folder, entry):
    limit = str(HEADER_BYTES + 100)
    code = f"store({OTHER!r}, bytes(101)); print((load({OTHER!r}), cache_info().stores))"
    assert run(folder, code, GPUARRAY_CACHE_BYTES=limit) == (None, 0)
    assert names(folder) == [entry.name]


def test_limit_0_turns_the_cache_off(folder, entry):
    code = f"store({OTHER!r}, b'x'); print((load({KEY!r}), load({OTHER!r}), cache_info().limit))"
    assert run(folder, code, GPUARRAY_CACHE_BYTES="0") == (None, None, 0)
    assert names(folder) == [entry.name]


@pytest.mark.parametrize("limit", ["-1", "1e6", "many", "99999999999999999999"])
def test_a_wrong_limit_raises(tmp_path, limit):
    code = """
try:
    cache_info()
except ValueError as error:
    print(repr(str(error)))
"""
    message = run(tmp_path, code, GPUARRAY_CACHE_BYTES=limit)
    assert message.startswith("GPUARRAY_CACHE_BYTES") and limit in message


def test_only_stale_temporary_files_go(folder, entry):
    young, stale = folder / f"{KEY}.abcdef.tmp", folder / f"{KEY}.ABC123.tmp"
    for path, age in ((young, 3000), (stale, 4000)):
        path.write_bytes(b"half")
        os.utime(path, (time.time() - age,) * 2)
    assert run(folder, f"store({KEY!r}, b'x'); print(cache_info().entries)") == 1
    assert names(folder) == sorted([entry.name, young.name])


def test_clear_leaves_foreign_files(folder, entry):
    foreign = ["notes.txt", "x.bin", f"{KEY}.bin.bak", f"{KEY}.tmp", f"{KEY[:-1]}g.bin"]
    for name in foreign:
        (folder / name).write_bytes(b"mine")
    (folder / f"{OTHER}.bin").mkdir()
    (folder / f"{KEY}.abcdef.tmp").write_bytes(b"half")
    cleared = run(folder, "print(tuple(clear_cache()))")
    assert cleared == (1, HEADER_BYTES + 7)
    assert names(folder) == sorted([*foreign, f"{OTHER}.bin"])
    assert run(folder, "print(tuple(clear_cache()))") == (0, 0)


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path):
    file = tmp_path / "file"
    file.write_text("in the way")
    code = f"store({KEY!r}, b'x'); print((load({KEY!r}), *cache_info()[1:3], *clear_cache()))"
    for folder in (file, file / "below"):
        assert run(folder, code) == (None, 0, 0, 0, 0)
    assert file.read_text() == "in the way"


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_folder_still_gives(folder, entry):
    folder.chmod(0o500)
    code = f"store({OTHER!r}, b'x'); print((load({KEY!r}), load({OTHER!r}), cache_info().stores))"
    try:
        assert run(folder, code) == (b"content", None, 0)
    finally:
        folder.chmod(0o700)


TRUST = f"""
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    found = load({KEY!r}), load({KEY!r})
    store({OTHER!r}, b"x")
    found += load({OTHER!r}), cache_info().entries, clear_cache().entries
print((found, [str(warning.message) for warning in caught]))
"""


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777, 0o1777], ids=oct)
def test_a_folder_that_others_may_write_to_is_not_used(folder, entry, mode):
    folder.chmod(mode)
    found, (warning,) = run(folder, TRUST)
    assert found == (None, None, None, 0, 0)
    assert str(folder) in warning
    assert "chmod go-w" in warning
    assert names(folder) == [entry.name]


@pytest.mark.parametrize("mode", [0o620, 0o602], ids=oct)
def test_an_entry_that_others_may_write_to_is_replaced(folder, entry, mode):
    entry.chmod(mode)
    found, (warning,) = run(folder, TRUST)
    assert found == (None, None, b"x", 2, 2)
    assert entry.name in warning


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")
@pytest.mark.parametrize("of", ["folder", "entry"])
def test_what_belongs_to_another_user_is_not_used(folder, entry, of):
    os.chown({"folder": folder, "entry": entry}[of], 65534, -1)
    found, (warning,) = run(folder, TRUST)
    assert found == ((None, None, None, 0, 0) if of == "folder" else (None, None, b"x", 2, 2))
    assert "user 65534" in warning


def test_links_to_entries_are_not_followed(tmp_path, folder, entry):
    entry.rename(tmp_path / "elsewhere")
    entry.symlink_to(tmp_path / "elsewhere")
    assert run(folder, f"print(load({KEY!r}))") is None
    run(folder, f"store({KEY!r}, b'new'); print(0)")
    assert not entry.is_symlink()
    assert (tmp_path / "elsewhere").read_bytes().endswith(b"content")


def test_the_folder_may_be_a_link(tmp_path, folder):
    (tmp_path / "link").symlink_to(folder)
    assert run(tmp_path / "link", f"print(load({KEY!r}))") == b"content"


def test_which_folder(tmp_path):
    home, xdg = tmp_path / "home", tmp_path / "xdg"
    places = [
        ({"XDG_CACHE_HOME": str(xdg), "HOME": str(home)}, xdg / "gpuarray"),
        ({"XDG_CACHE_HOME": "", "HOME": str(home)}, home / ".cache" / "gpuarray"),
        ({"XDG_CACHE_HOME": "relative", "HOME": str(home)}, home / ".cache" / "gpuarray"),
    ]
    for environment, expected in places:
        assert run("", f"store({KEY!r}, b'x'); print(cache_info()[:2])", **environment) == (
            str(expected),
            1,
        )
        assert names(expected) == [f"{KEY}.bin"]


def test_a_relative_folder_stays_where_it_was(tmp_path):
    code = f"""
import os
os.chdir({str(tmp_path)!r})
cache_info()
os.chdir("/")
store({KEY!r}, b"x")
print(cache_info()[:2])
"""
    assert run("below", code) == (str(tmp_path / "below"), 1)


@pytest.mark.parametrize("home", ["", "relative"])
def test_without_a_home_there_is_no_cache(home):
    code = f"store({KEY!r}, b'x'); print((load({KEY!r}), *cache_info()[:3], *clear_cache()))"
    assert run("", code, XDG_CACHE_HOME="", HOME=home) == (None, "", 0, 0, 0, 0)


@pytest.mark.parametrize(
    "bad", ["", "abc", "../" * 21 + "a", KEY.upper(), KEY + "0", KEY[:-1] + "/"]
)
def test_other_keys_raise(bad):
    with pytest.raises(ValueError, match="64 lower-case hex digits, got"):
        gpuarray._core._cache_load(bad)
    with pytest.raises(ValueError, match="64 lower-case hex digits, got"):
        gpuarray._core._cache_store(bad, b"")


def test_other_types_raise():
    with pytest.raises(TypeError, match="expected a str, got int"):
        gpuarray._core._cache_load(1)
    with pytest.raises(TypeError, match="expected bytes, str found"):
        gpuarray._core._cache_store(KEY, "text")


CROWD = """
import random, sys, threading
keys, size, rounds = [f"{number:064x}" for number in range(8)], 20_000, 60
number = int(sys.argv[1])
def work(seed):
    choose = random.Random(seed)
    for _ in range(rounds):
        k = choose.choice(keys)
        store(k, bytes([choose.randrange(256)]) * size)
        content = load(choose.choice(keys))
        assert content is None or content == content[:1] * size, "a torn entry"
        if choose.random() < 0.05:
            clear_cache()
        assert cache_info().entries <= len(keys)
failed = []
threading.excepthook = lambda what: failed.append(what.exc_value)
threads = [threading.Thread(target=work, args=(10 * number + i,)) for i in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not failed, failed
"""


def test_processes_and_threads_at_the_same_time(tmp_path):
    limit = 5 * (HEADER_BYTES + 20_000)
    environment = os.environ | {
        "GPUARRAY_CACHE_DIR": str(tmp_path),
        "GPUARRAY_CACHE_BYTES": str(limit),
    }
    command = [sys.executable, "-P", "-c", PRELUDE + CROWD]
    crowd = [
        subprocess.Popen([*command, str(number)], env=environment, stderr=subprocess.PIPE)
        for number in range(4)
    ]
    for process in crowd:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors.decode()
    assert not [name for name in names(tmp_path) if not name.endswith(".bin")]
    info = run(
        tmp_path, f"store({KEY!r}, b'x'); print(cache_info())", GPUARRAY_CACHE_BYTES=str(limit)
    )
    assert info.entries >= 1 and info.bytes <= limit


COMPILING = """
import numpy as np
a = gpuarray.to_device(np.arange(1 << 21, dtype=np.int16).reshape(-1, 2), device="cuda:0")
b = a[:, 0] // a[:, 1]
hits = cache_info().hits
print((hits, b.get()[:3].tolist()))
"""


@pytest.mark.skipif(len(gpuarray.devices()) == 1, reason="needs a CUDA device")
def test_code_that_the_driver_refuses_is_compiled_again(tmp_path):
    folder = tmp_path / "cache"
    code = "import gpuarray" + COMPILING
    assert run(folder, code)[0] == 0
    entries = {name: (folder / name).read_bytes() for name in names(folder)}
    assert entries
    for name in entries:
        run(folder, f"store({name.removesuffix('.bin')!r}, b'no machine code'); print(0)")
    assert run(folder, code)[1] == [0, 0, 0]
    assert {name: (folder / name).read_bytes() for name in names(folder)} == entries
