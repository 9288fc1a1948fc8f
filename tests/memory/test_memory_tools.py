# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""memory_snapshot and memory_profile."""

import gc
import inspect
import os
import threading
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from _support.process import run_python

import gpuarray
from gpuarray import memory
from gpuarray._runtime import memory_chart as _memory_chart


@pytest.fixture
def recording():
    before = gpuarray.record_memory()
    yield
    gpuarray.record_memory(before)


def line():
    return inspect.currentframe().f_back.f_lineno


def new_blocks(before, device=None):
    known = {block.address for block in before}
    return [b for b in gpuarray.memory_snapshot(device) if b.address not in known]


def test_a_block_says_where_it_is_from(device, recording):
    before = gpuarray.memory_snapshot()
    x = gpuarray.empty(1000, "float64")
    here = line() - 1
    view = x[1:]
    (block,) = new_blocks(before)
    assert block.address == x.ptr
    assert block.size == 8000
    assert block.site == f"{__file__}:{here}"
    assert 0 <= block.age < 60
    assert block.kind == x.memory_kind
    assert block.stream == gpuarray.current_stream().ptr
    del x
    assert [found.address for found in new_blocks(before)] == [block.address]
    del view
    assert new_blocks(before) == []


def test_lines_inside_the_package_are_not_meant(device, recording):
    before = gpuarray.memory_snapshot()
    made = gpuarray.linspace(0, 1, 100)
    here = line() - 1
    sites = {block.site for block in new_blocks(before)}
    assert sites == {f"{__file__}:{here}"}
    del made


def test_operators_and_long_work_have_lines(device, recording):
    x = gpuarray.ones(200_000)
    before = gpuarray.memory_snapshot()
    y = x + x
    z = x.copy()
    here = line() - 2
    assert [block.site for block in new_blocks(before)] == [
        f"{__file__}:{here}",
        f"{__file__}:{here + 1}",
    ]
    del y, z


def test_the_oldest_comes_first(device, recording):
    before = gpuarray.memory_snapshot()
    kept = [gpuarray.empty(n) for n in (1, 2, 3, 4)]
    found = new_blocks(before)
    assert [block.size for block in found] == [8, 16, 24, 32]
    assert [block.age for block in found] == sorted((b.age for b in found), reverse=True)
    del kept


def test_kinds_and_devices(device, recording):
    kept = [gpuarray.empty_pinned(5), gpuarray.empty_managed(5), gpuarray.empty(5, device="cpu")]
    for x in kept:
        (block,) = [b for b in gpuarray.memory_snapshot(x.device) if b.address == x.ptr]
        assert block.kind == x.memory_kind
        assert block.size == 40


def test_recording_ends(device):
    assert gpuarray.record_memory() is False
    x = gpuarray.empty(3)
    assert gpuarray.record_memory() is True
    assert row_of(x).site is not None
    assert gpuarray.record_memory(False) is True
    assert row_of(x)[3:5] == (None, None)
    y = gpuarray.empty(3)
    gpuarray.record_memory()
    assert row_of(y)[3:5] == (None, None)
    z = gpuarray.empty(3)
    assert row_of(z).age is not None
    listed = [block.address for block in gpuarray.memory_snapshot()]
    assert [address for address in listed if address in (x.ptr, y.ptr, z.ptr)] == [
        x.ptr,
        y.ptr,
        z.ptr,
    ]
    gpuarray.record_memory(False)


def row_of(a):
    (found,) = (b for b in gpuarray.memory_snapshot(a.device) if b.address == a.ptr)
    return found


def test_every_block_is_listed_without_recording(device):
    """Whatever made it, in the order of allocation, until the last view is gone."""
    gc.collect()
    before = gpuarray.memory_snapshot()
    kept = [
        gpuarray.empty(10),
        gpuarray.ones((3, 0)),  # no memory
        gpuarray.to_device(np.arange(5)) + 1,
        gpuarray.empty_managed(3, "uint8"),
        gpuarray.empty_pinned(7, "uint8"),
        gpuarray.empty(1 << 19),
    ]
    found = new_blocks(before)
    assert [block.size for block in found] == [80, 40, 3, 7, 4 << 20]
    assert [block.address for block in found] == [a.ptr for a in kept if a.size]
    assert [block.kind for block in found] == [a.memory_kind for a in kept if a.size]
    assert {block.stream for block in found} == {gpuarray.current_stream().ptr}
    assert {block.site for block in found} == {None}
    view = kept[0][::2]
    del kept[0], kept[1]
    assert [block.size for block in new_blocks(before)] == [80, 3, 7, 4 << 20]
    del view, kept
    assert new_blocks(before) == []


def test_borrowed_memory_is_not_listed(device):
    before = gpuarray.memory_snapshot("cpu")
    host = np.arange(10.0)
    shared = gpuarray.from_dlpack(host)
    assert new_blocks(before, "cpu") == []
    del shared


def test_blocks_of_an_allocator_are_listed(device):
    before = gpuarray.memory_snapshot()
    with gpuarray.using_allocator(memory.DebugResource(memory.DriverResource(device))):
        x = gpuarray.empty(10)
    assert [(block.address, block.size) for block in new_blocks(before)] == [(x.ptr, 80)]
    del x
    assert new_blocks(before) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_lists_and_allocates():
    code = """
        import os, threading
        import gpuarray
        going = True
        def work():
            while going:
                gpuarray.empty(3, device="cpu")
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(50):
            child = os.fork()
            if child == 0:
                x = gpuarray.empty(3, device="cpu")
                found = x.ptr in [b.address for b in gpuarray.memory_snapshot("cpu")]
                os._exit(0 if found else 1)
            assert os.waitpid(child, 0)[1] == 0
        going = False
        print("done")
    """
    assert run_python(code, PYTHONWARNINGS="ignore", GPUARRAY_DEVICE="cpu").strip() == "done"


def test_recording_from_the_start():
    code = """
        import gpuarray
        x = gpuarray.empty(10, device="cpu")
        (block,) = gpuarray.memory_snapshot("cpu")
        print(block.site)
    """
    assert run_python(code, GPUARRAY_RECORD_MEMORY="1").strip() == "<string>:3"
    assert run_python(code, GPUARRAY_RECORD_MEMORY="0").strip() == "None"


def test_threads_record_too(device, recording):
    before = gpuarray.memory_snapshot()
    kept = []

    def work():
        with gpuarray.device(device):
            kept.extend(gpuarray.empty(64) for _ in range(200))
            del kept[::2]

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(new_blocks(before)) == len(kept)
    kept.clear()
    assert new_blocks(before) == []


def test_a_profile_counts(device):
    gc.collect()
    kept = gpuarray.ones(1000, "uint8")
    start = gpuarray.memory_stats()["bytes_in_use"]
    with gpuarray.memory_profile() as p:
        a = gpuarray.empty(5000, "uint8")
        b = gpuarray.empty(3000, "uint8")
        assert p.peak_bytes == start + 8000
        del a
        c = gpuarray.empty(1000, "uint8")
    d = gpuarray.empty(100_000, "uint8")
    assert p.peak_bytes == start + 8000
    assert p.allocated_bytes == 9000
    assert p.allocations == 3
    assert [used - start for _, used in p.timeline] == [0, 5000, 8000, 3000, 4000]
    times = [time for time, _ in p.timeline]
    assert times == sorted(times)
    assert "3 allocations of 9000 bytes" in repr(p)
    del b, c, d, kept


def test_profiles_nest_and_are_used_again(device):
    with gpuarray.memory_profile() as outer:
        x = gpuarray.empty(10, "uint8")
        with gpuarray.memory_profile() as inner:
            y = gpuarray.empty(20, "uint8")
    assert (outer.allocated_bytes, inner.allocated_bytes) == (30, 20)
    with inner:
        pass
    assert inner.allocations == 0
    with pytest.raises(RuntimeError, match="running"), inner, inner:
        pass
    del x, y


def test_a_profile_is_of_one_device():
    with gpuarray.memory_profile("cpu") as p:
        x = gpuarray.empty(10, device="cpu")
    assert p.allocations == 1
    assert str(p.device) == "cpu"
    del x


@pytest.mark.cuda
def test_a_profile_counts_managed_memory_and_no_pinned(cuda):
    with gpuarray.memory_profile() as p, gpuarray.memory_profile("cpu") as host:
        x = gpuarray.empty(10, "uint8"), gpuarray.empty_managed(20, "uint8")
        y = gpuarray.empty_pinned(40, "uint8")
    assert (p.allocations, p.allocated_bytes, host.allocations) == (2, 30, 0)
    del x, y


def test_a_long_timeline_keeps_its_peak():
    x = gpuarray.empty(1, "uint8", device="cpu")
    with gpuarray.memory_profile("cpu") as p:
        for i in range(70_000):
            if i == 1001:
                y = gpuarray.empty(10_000, "uint8", device="cpu")
                del y
            gpuarray.empty_like(x)
    assert len(p.timeline) <= 65536
    assert max(used for _, used in p.timeline) == p.peak_bytes
    assert p.allocations == 70_001


def test_html(device):
    with gpuarray.memory_profile() as p:
        x = gpuarray.ones(1000)
    text = p._repr_html_()
    caption, svg = text.split("<svg", 1)
    assert device in caption
    assert "1 allocations" in caption
    tree = ElementTree.fromstring("<svg" + svg)
    assert len(tree.findall("path")) == 2
    assert gpuarray.MemoryProfile()._repr_html_().startswith("<p>")
    del x


def test_charts_are_thinned():
    timeline = [(float(i), i % 100) for i in range(50_000)]
    points = _memory_chart.thinned(timeline)
    assert len(points) <= 2001
    assert points[-1] == timeline[-1]
    assert max(used for _, used in points) == 99
    assert _memory_chart.thinned(timeline[:10]) == timeline[:10]


def test_sizes_are_readable():
    shown = [_memory_chart.bytes_text(n) for n in (0, 1023, 1024, 3 << 20, 5 << 40)]
    assert shown == ["0 bytes", "1023 bytes", "1.0 KiB", "3.0 MiB", "5.0 TiB"]


def test_plot(device):
    with gpuarray.memory_profile() as p:
        x = gpuarray.ones(1000)
    drawn = []

    class Axes:
        def step(self, x, y, where):
            drawn.append((x, y, where))

        def set(self, **labels):
            drawn.append(labels)

    axes = Axes()
    assert p.plot(axes) is axes
    times, used, where = drawn[0]
    assert where == "post"
    assert times == [time for time, _ in p.timeline]
    assert np.allclose(np.array(used) * 2**20, [bytes_ for _, bytes_ in p.timeline])
    assert device in drawn[1]["title"]
    del x
