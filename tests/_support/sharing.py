# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Another process that opens, reads and writes shared arrays at a test's request."""

import contextlib
import gc
import multiprocessing
import time

import numpy as np

import gpuarray


class OtherProcessError(Exception):
    """Raised for an error in the other process, with the message "<type>: <message>"."""


class OtherProcess:
    def __init__(self, device):
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, device), daemon=True)
        self.process.start()

    def __call__(self, function, *args):
        """Return the result of `function(arrays, *args)` there, where the dict `arrays` is kept."""
        self._connection.send((function, args))
        assert self._connection.poll(60), "the other process does not answer"
        done, result = self._connection.recv()
        if not done:
            raise OtherProcessError(result)
        return result

    def end(self):
        if self.process.is_alive():
            self._connection.send(None)
        self.process.join(60)
        assert self.process.exitcode == 0


@contextlib.contextmanager
def other_process(device):
    other = OtherProcess(device)
    try:
        yield other
    finally:
        other.end()


def serve(connection, device):
    arrays = {}
    with gpuarray.device(device):
        while (request := connection.recv()) is not None:
            function, args = request
            try:
                connection.send((True, function(arrays, *args)))
            except Exception as error:
                connection.send((False, f"{type(error).__name__}: {error}"))


def late(stream, seconds=0.3):
    """Delay the work that follows on `stream`."""
    stream.launch_host_func(time.sleep, seconds)


# The functions below run in the other process.
def open_as(arrays, name, handle):
    arrays[name] = gpuarray.open_shared(handle)
    return describe(arrays, name)


def describe(arrays, name):
    a = arrays[name]
    return a.shape, a.strides, a.dtype.name, a.flags.writeable, str(a.device)


def open_and_read(arrays, handle):
    return gpuarray.open_shared(handle).get()


def read(arrays, name):
    return arrays[name].get()


def write(arrays, name, value):
    arrays[name][...] = value
    gpuarray.synchronize()


def write_late(arrays, name, value, event):
    stream = gpuarray.Stream()
    with stream:
        late(stream)
        arrays[name].fill(value)
    event.record(stream)
    arrays["event"] = event


def share_late(arrays, name, count, value):
    stream = gpuarray.Stream()
    arrays[name] = gpuarray.empty_shared(count, np.int32)
    with stream:
        late(stream)
        arrays[name].fill(value)
    return arrays[name].share()


def close(arrays, name):
    del arrays[name]
    gc.collect()


def are_one(arrays, first, second):
    return arrays[first].ptr == arrays[second].ptr
