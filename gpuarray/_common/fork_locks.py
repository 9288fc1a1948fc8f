# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Locks that a child of fork finds free, and imports that a fork waits for."""

import itertools
import os
import sys
import weakref
from _thread import RLock, get_ident  # `threading` takes a tenth of the import
from typing import Any

__all__ = ["fork_lock"]

_MOST_WAITS = 100  # rounds of waiting for imports: another thread may begin a new one
_MOST_ROUNDS = 5  # of waiting for locks: other threads may make and take new ones without end

_numbers = itertools.count()
# By number, so in the order of creation, which is that in which a fork locks them.
_waited: "weakref.WeakValueDictionary[int, Any]" = weakref.WeakValueDictionary()
_reset: "weakref.WeakValueDictionary[int, Any]" = weakref.WeakValueDictionary()
_acquired: dict[int, list[Any]] = {}  # by the thread that forks


def fork_lock(*, waits: bool) -> Any:
    """Return a new RLock that is free in a child of fork, unless the forking thread owns it.

    With `waits`, a fork waits for the owner, so that the child finds whole what the lock guards, if
    that was there when the fork began. The owner must then wait for no other thread, and may take
    only newer locks. Otherwise the child frees the lock, and what it guards must be of no use
    there.
    """
    lock = RLock()
    (_waited if waits else _reset)[next(_numbers)] = lock
    return lock


def _locks(known: "weakref.WeakValueDictionary[int, Any]") -> list[Any]:
    return [lock for reference in known.valuerefs() if (lock := reference()) is not None]


def _without(known: list[Any], locks: list[Any]) -> list[Any]:
    left_out = set(map(id, known))
    return [lock for lock in locks if id(lock) not in left_out]


_bootstrap: Any = sys.modules["_frozen_importlib"]


def _imports_of_others() -> dict[str, int]:
    """Return the modules that other threads import now, and the threads."""
    locks = {name: reference() for name, reference in list(_bootstrap._module_locks.items())}
    owners = {name: getattr(lock, "owner", None) for name, lock in locks.items()}
    here = get_ident()
    return {name: owner for name, owner in owners.items() if owner not in (None, here)}


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] == "gpuarray"


def _wait_for_imports() -> None:
    """Wait until no other thread imports a module of the package, with all that this imports."""
    for _ in range(_MOST_WAITS):
        under_way = list(filter(_is_ours, _imports_of_others()))
        if not under_way:
            return
        for name in under_way:
            _bootstrap._lock_unlock_module(name)


def _forget_half_imported() -> None:
    """Let the child import anew the modules of the package that it would wait for.

    Their imports began after the fork had waited for others.
    """
    for name in filter(_is_ours, _imports_of_others()):
        _bootstrap._module_locks.pop(name, None)
        sys.modules.pop(name, None)


def _before_fork() -> None:
    acquired: list[Any] = []
    _acquired[get_ident()] = acquired
    for _ in range(_MOST_ROUNDS):
        _wait_for_imports()
        newer = _without(acquired, _locks(_waited))
        if not newer:  # while others waited for the GIL
            break
        for lock in newer:
            lock.acquire()
            acquired.append(lock)
    # Locks of this thread are acquired again; those of others are left to after_fork_in_child().
    others = _without(acquired, _locks(_waited)) + _locks(_reset)
    acquired += [lock for lock in others if lock.acquire(blocking=False)]


def _after_fork_in_parent() -> None:
    for lock in _acquired.pop(get_ident()):
        lock.release()


def _after_fork_in_child() -> None:
    acquired = _acquired[get_ident()]
    _acquired.clear()  # other threads may have been about to fork
    for lock in acquired:
        lock.release()
    for lock in _without(acquired, _locks(_waited) + _locks(_reset)):
        lock._at_fork_reinit()
    _forget_half_imported()


os.register_at_fork(
    before=_before_fork,
    after_in_parent=_after_fork_in_parent,
    after_in_child=_after_fork_in_child,
)
