# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The rules of CUDA's driver that the test driver models, and that the card's driver keeps too."""

import ctypes
import threading

import pytest

INVALID_VALUE, OUT_OF_MEMORY, INVALID_HANDLE, NOT_READY = 1, 2, 400, 600
NOT_REGISTERED, ALREADY_REGISTERED = 713, 712
SIZE = 1 << 12
LEGACY, PER_THREAD = 1, 2


@pytest.fixture
def memory(cu):
    with cu.allocated(SIZE) as address:
        yield address


def test_a_stream_does_its_work_in_order(cu, memory):
    stream = cu.stream()
    for value in (1, 2, 3):
        cu.fill(memory, value, SIZE, stream)
    assert cu.read(memory, SIZE, stream) == b"\3" * SIZE


def test_streams_do_not_wait_for_each_other(cu, memory):
    first, second = cu.stream(), cu.stream()
    go = cu.stall(first)
    cu.fill(memory, 5, SIZE, second)
    cu.check("cuStreamSynchronize", second)
    assert cu.status("cuStreamQuery", first) == NOT_READY
    assert not cu.done(first, 10)
    go.set()
    cu.check("cuStreamSynchronize", first)
    assert cu.status("cuStreamQuery", first) == 0
    assert cu.read(memory, 1, second) == b"\5"


def test_queries_come_to_an_end(cu, memory):
    stream = cu.stream()
    for value in range(100):
        cu.fill(memory, value, SIZE, stream)
    event = cu.record(stream)
    while cu.status("cuEventQuery", event) == NOT_READY:
        pass
    assert cu.status("cuEventQuery", event) == 0


def test_an_event_orders_two_streams(cu, memory):
    first, second = cu.stream(), cu.stream()
    out = cu.pinned(SIZE)
    go = cu.stall(first)
    cu.fill(memory, 7, SIZE, first)
    event = cu.record(first)
    cu.check("cuStreamWaitEvent", second, event, 0)
    cu.check("cuEventDestroy", event)
    cu.check("cuMemcpyDtoHAsync", out, memory, SIZE, second)
    assert not cu.done(second, 10)
    go.set()
    cu.check("cuStreamSynchronize", second)
    assert bytes(out) == b"\7" * SIZE


def test_a_wait_is_for_the_record_before_it(cu):
    first, second = cu.stream(), cu.stream()
    event = cu.record(first)
    cu.check("cuStreamWaitEvent", second, event, 0)
    go = cu.stall(first)
    cu.check("cuEventRecord", event, first)
    cu.check("cuStreamSynchronize", second)
    assert cu.status("cuEventQuery", event) == NOT_READY
    go.set()
    cu.check("cuEventSynchronize", event)


def test_an_event_never_recorded_holds_nothing(cu):
    stream, event = cu.stream(), cu.event()
    cu.check("cuStreamWaitEvent", stream, event, 0)
    cu.check("cuStreamSynchronize", stream)
    assert cu.status("cuEventQuery", event) == 0
    cu.check("cuEventSynchronize", event)


@pytest.mark.parametrize("default", [LEGACY, 0])
def test_the_legacy_stream_and_blocking_ones_wait_for_each_other(cu, memory, default):
    blocking = cu.stream(flags=0)
    go = cu.stall(blocking)
    cu.fill(memory, 9, SIZE, default)
    assert not cu.done(default, 10)
    go.set()
    cu.check("cuStreamSynchronize", default)
    go = cu.stall(default)
    cu.fill(memory, 8, SIZE, blocking)
    assert not cu.done(blocking, 10)
    go.set()
    assert cu.read(memory, 1, blocking) == b"\x08"


def test_the_legacy_stream_and_others_do_not(cu, memory):
    other = cu.stream()
    go = cu.stall(other)
    cu.fill(memory, 9, SIZE, LEGACY)
    cu.check("cuStreamSynchronize", LEGACY)
    assert cu.status("cuStreamQuery", other) == NOT_READY
    go.set()


def test_each_thread_has_a_stream_of_its_own(cu, memory):
    go = cu.stall(PER_THREAD)
    passed = []

    def work():
        cu.check("cuCtxSetCurrent", cu.context)
        cu.fill(memory, 3, SIZE, PER_THREAD)
        cu.check("cuStreamSynchronize", PER_THREAD)
        passed.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert passed and cu.status("cuStreamQuery", PER_THREAD) == NOT_READY
    go.set()
    cu.check("cuStreamSynchronize", PER_THREAD)


def test_pageable_memory_is_read_before_a_copy_returns(cu, memory):
    stream = cu.stream()
    source = (ctypes.c_ubyte * SIZE)(*[4] * SIZE)
    cu.check("cuMemcpyHtoDAsync", memory, source, SIZE, stream)
    ctypes.memset(source, 6, SIZE)
    assert cu.read(memory, SIZE, stream) == b"\4" * SIZE


def test_page_locked_memory_is_read_when_the_stream_comes_to_it(cu, memory):
    stream = cu.stream()
    source = cu.pinned(SIZE, 4)
    go = cu.stall(stream)
    cu.check("cuMemcpyHtoDAsync", memory, source, SIZE, stream)
    ctypes.memset(source, 6, SIZE)
    go.set()
    assert cu.read(memory, SIZE, stream) == b"\6" * SIZE


def test_what_a_destroyed_stream_has_queued_is_done(cu, memory):
    stream = cu.stream()
    go = cu.stall(stream)
    cu.fill(memory, 2, SIZE, stream)
    cu.check("cuStreamDestroy", stream)
    go.set()
    cu.check("cuCtxSynchronize")
    assert cu.read(memory, 1, LEGACY) == b"\2"


def test_host_functions_take_their_turn(cu, memory):
    stream = cu.stream()
    seen = []
    out = cu.pinned(SIZE)
    cu.fill(memory, 1, SIZE, stream)
    cu.check("cuMemcpyDtoHAsync", out, memory, SIZE, stream)
    cu.call(stream, lambda: seen.append(bytes(out[:2])))
    cu.check("cuMemsetD8Async", memory, ctypes.c_ubyte(2), SIZE, stream)
    cu.call(stream, lambda: seen.append("last"))
    cu.check("cuStreamSynchronize", stream)
    assert seen == [b"\1\1", "last"]


def test_a_host_function_needs_nobody_to_wait(cu):
    called = threading.Event()
    cu.call(cu.stream(), called.set)
    assert called.wait(20)


def test_times_between_events(cu, memory):
    stream = cu.stream()
    start = cu.record(stream, flags=0)
    go = cu.stall(stream)
    end = cu.record(stream, flags=0)
    passed = ctypes.c_float()
    assert cu.status("cuEventElapsedTime", ctypes.byref(passed), start, end) == NOT_READY
    threading.Timer(0.05, go.set).start()
    cu.check("cuEventSynchronize", end)
    cu.check("cuEventElapsedTime", ctypes.byref(passed), start, end)
    assert 0 <= passed.value < 1e5
    untimed = cu.record(stream)
    cu.check("cuEventSynchronize", untimed)
    assert cu.status("cuEventElapsedTime", ctypes.byref(passed), start, untimed) == INVALID_HANDLE
    never = cu.event(flags=0)
    assert cu.status("cuEventElapsedTime", ctypes.byref(passed), start, never) == INVALID_HANDLE


def test_what_streams_tell(cu):
    stream = cu.pointer("cuStreamCreateWithPriority", 1, ctypes.c_int(-1))
    number, context = ctypes.c_int(), ctypes.c_uint64()
    cu.check("cuStreamGetPriority", stream, ctypes.byref(number))
    assert number.value == -1
    cu.check("cuStreamGetFlags", stream, ctypes.byref(number))
    assert number.value == 1
    cu.check("cuStreamGetCtx", stream, ctypes.byref(context))
    assert context.value == cu.context


def test_memory_in_stream_order(cu):
    stream = cu.stream()
    out = cu.pinned(4)
    for value in range(1, 5):
        address = cu.pointer("cuMemAllocAsync", SIZE, stream)
        cu.fill(address, value, SIZE, stream)
        at = ctypes.addressof(out) + value - 1
        cu.check("cuMemcpyDtoHAsync", at, address, 1, stream)
        cu.check("cuMemFreeAsync", address, stream)
    cu.check("cuStreamSynchronize", stream)
    assert bytes(out) == b"\1\2\3\4"


def test_memory_is_freed_once(cu):
    stream = cu.stream()
    address = cu.pointer("cuMemAllocAsync", SIZE, stream)
    cu.check("cuMemFreeAsync", address, stream)
    cu.check("cuStreamSynchronize", stream)
    assert cu.status("cuMemFreeAsync", address, stream) == INVALID_VALUE


def test_refused_sizes(cu):
    address = ctypes.c_uint64()
    assert cu.status("cuMemAlloc", ctypes.byref(address), 0) == INVALID_VALUE
    assert cu.status("cuMemAlloc", ctypes.byref(address), 1 << 45) == OUT_OF_MEMORY
    # Nothing stays broken.
    cu.check("cuMemFree", cu.pointer("cuMemAlloc", SIZE))


def attribute(cu, name, address):
    value = ctypes.c_uint(77)
    names = (ctypes.c_int * 1)(name)
    values = (ctypes.c_void_p * 1)(ctypes.addressof(value))
    status = cu.status("cuPointerGetAttribute", ctypes.byref(value), ctypes.c_int(name), address)
    cu.check("cuPointerGetAttributes", ctypes.c_uint(1), names, values, address)
    return status, value.value


def test_what_addresses_are(cu, memory):
    pageable = ctypes.create_string_buffer(64)
    assert attribute(cu, 2, memory) == (0, 2)
    assert attribute(cu, 2, memory + SIZE - 1) == (0, 2)
    assert attribute(cu, 2, ctypes.addressof(cu.pinned(64))) == (0, 1)
    assert attribute(cu, 2, ctypes.addressof(pageable)) == (INVALID_VALUE, 0)
    assert attribute(cu, 9, memory) == (0, 0)


def test_where_memory_begins_and_whether_processes_share_it(cu, memory):
    begin, nbytes = ctypes.c_uint64(), ctypes.c_size_t()
    wanted = ctypes.byref(begin), ctypes.byref(nbytes)
    cu.check("cuMemGetAddressRange", *wanted, memory + SIZE - 1)
    assert begin.value == memory and nbytes.value >= SIZE
    pageable = ctypes.create_string_buffer(64)
    assert cu.status("cuMemGetAddressRange", *wanted, ctypes.addressof(pageable)) != 0
    ordered = cu.pointer("cuMemAllocAsync", SIZE, 0)
    assert [attribute(cu, 10, address)[1] & 255 for address in (memory, ordered)] == [1, 0]
    cu.check("cuMemFreeAsync", ordered, 0)


def test_page_locking_in_place(cu, memory):
    size = 1 << 16
    pageable = ctypes.create_string_buffer(size + 4096)
    begin = (ctypes.addressof(pageable) + 4095) // 4096 * 4096
    assert cu.status("cuMemHostUnregister", begin) == NOT_REGISTERED
    cu.check("cuMemHostRegister", begin, size, 0)
    assert cu.status("cuMemHostRegister", begin, size, 0) == ALREADY_REGISTERED
    assert attribute(cu, 2, begin) == (0, 1)
    cu.check("cuMemHostUnregister", begin)
    assert attribute(cu, 2, begin) == (INVALID_VALUE, 0)


def test_peers(cu):
    can = ctypes.c_int(7)
    cu.check("cuDeviceCanAccessPeer", ctypes.byref(can), 0, 0)
    assert can.value == 0
