# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The driver's functions through ctypes, for tests of what the card and the test driver do."""

import contextlib
import ctypes
import os
import shutil
import threading

from _support.stub_driver import build_test_driver

HOST_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
VERSION = 12000


class DriverCallError(Exception):
    def __init__(self, name, status):
        super().__init__(f"{name}: {status}")
        self.status = status


class CudaDriver:
    """Calls driver functions by name, found as the package finds them; raises for an error."""

    def __init__(self, library: str):
        self._library = ctypes.CDLL(library)
        self._functions = {}
        self._captures = []
        self._kept = []  # Callbacks and their events have to live until the process ends.
        self.check("cuInit", 0)
        self.context = self.pointer("cuDevicePrimaryCtxRetain", 0)
        self.check("cuCtxSetCurrent", self.context)

    def status(self, name, *arguments):
        if name not in self._functions:
            address, found = ctypes.c_void_p(), ctypes.c_int()
            self._library.cuGetProcAddress_v2(
                name.encode(),
                ctypes.byref(address),
                VERSION,
                ctypes.c_uint64(0),
                ctypes.byref(found),
            )
            assert address.value, f"the driver lacks {name}"
            self._functions[name] = ctypes.CFUNCTYPE(ctypes.c_int)(address.value)
        return self._functions[name](*map(as_c, arguments))

    def check(self, name, *arguments):
        status = self.status(name, *arguments)
        if status != 0:
            raise DriverCallError(name, status)

    def pointer(self, name, *arguments):
        """Return what a function writes to its first argument, a handle or an address."""
        made = ctypes.c_uint64()
        self.check(name, ctypes.byref(made), *arguments)
        return made.value

    @contextlib.contextmanager
    def allocated(self, nbytes):
        """Give the address of zeros on the device, which are freed at the end of the scope."""
        address = self.pointer("cuMemAlloc", nbytes)
        self.fill(address, 0, nbytes, 0)
        self.check("cuCtxSynchronize")
        yield address
        self.check("cuMemFree", address)

    def stream(self, flags=1):
        return self.pointer("cuStreamCreate", flags)

    def event(self, flags=2):
        return self.pointer("cuEventCreate", flags)

    def record(self, stream, flags=2):
        event = self.event(flags)
        self.check("cuEventRecord", event, stream)
        return event

    def pinned(self, nbytes, value=0):
        address = self.pointer("cuMemHostAlloc", nbytes, 0)
        memory = (ctypes.c_ubyte * nbytes).from_address(address)
        ctypes.memset(address, value, nbytes)
        return memory

    def fill(self, address, value, nbytes, stream):
        self.check("cuMemsetD8Async", address, ctypes.c_ubyte(value), nbytes, stream)

    def read(self, address, nbytes, stream):
        """Return bytes of the device; the copy to pageable memory is complete on return."""
        out = (ctypes.c_ubyte * nbytes)()
        self.check("cuMemcpyDtoHAsync", out, address, nbytes, stream)
        return bytes(out)

    def call(self, stream, function):
        callback = HOST_FUNCTION(lambda _: function())
        self._kept.append(callback)
        self.check("cuLaunchHostFunc", stream, callback, None)

    def stall(self, stream):
        """Make the stream wait until the event that is returned is set."""
        go = threading.Event()
        self.call(stream, lambda: go.wait(20))
        return go

    def done(self, stream, tries=1000):
        """Return whether the stream finishes its work without being waited for."""
        return any(self.status("cuStreamQuery", stream) == 0 for _ in range(tries))

    def capture(self, stream, mode=0):
        self.check("cuStreamBeginCapture", stream, mode)
        self._captures.append(stream)

    def end_captures(self):
        """End the captures that a failed test has left, so that later tests can work."""
        while self._captures:
            self.end_capture(self._captures.pop())

    def end_capture(self, stream):
        graph = ctypes.c_uint64(1)
        status = self.status("cuStreamEndCapture", stream, ctypes.byref(graph))
        return status, graph.value


def as_c(argument):
    return ctypes.c_uint64(argument) if isinstance(argument, int) else argument


def card_driver():
    """Return the card's driver; None if there is none or another driver is asked for."""
    if "GPUARRAY_LIBCUDA" in os.environ:
        return None
    try:
        return CudaDriver("libcuda.so.1")
    except (OSError, DriverCallError):
        return None


def load_model(folder, mode):
    """Load a copy of the test driver's library, so that each mode has a state of its own."""
    variables = build_test_driver(mode)
    name = folder / f"libcuda_{mode.replace(':', '_')}.so"
    shutil.copy(variables["GPUARRAY_LIBCUDA"], name)
    before = {key: os.environ.get(key) for key in variables}
    os.environ.update(variables)
    try:
        return CudaDriver(str(name))
    finally:
        for key, value in before.items():
            os.environ.pop(key) if value is None else os.environ.update({key: value})
