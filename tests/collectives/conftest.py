# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Fixtures: ranks that are threads, over the stand-in for NCCL."""

import os
import threading

import pytest
from collectives.stand_in import WAIT, StandIn

import gpuarray
from gpuarray import collectives
from gpuarray._collectives import library, starting


@pytest.fixture
def nccl(monkeypatch, cuda):
    """Give the stand-in, which the package calls in NCCL's place during the test."""
    if "GPUARRAY_TEST_DRIVER" not in os.environ:
        pytest.skip("the stand-in's ranks are threads, which need the test driver")
    stand_in = StandIn()
    monkeypatch.setattr(library, "bindings", lambda: stand_in)
    monkeypatch.setattr(starting, "_WARM_UP_SIZES", (1,))
    return stand_in


@pytest.fixture
def one_rank(nccl):
    """Give a communicator of a single rank on cuda:0."""
    made = collectives.init_process_group(1, 0, unique_id=bytes(128))
    yield made
    made.abort()


@pytest.fixture
def run_ranks(nccl):
    """Give a function that calls function(communicator) on each of some ranks."""

    def run(size, function, **arguments):
        if len(gpuarray.devices()) <= size:
            pytest.skip(f"there are fewer than {size} devices: tools/test_on_driver.py --devices 3")
        unique_id = collectives.get_unique_id()
        results, errors = [None] * size, []

        def run_rank(rank):
            try:
                with (
                    gpuarray.device(f"cuda:{rank}"),
                    collectives.init_process_group(
                        size, rank, unique_id=unique_id, **arguments
                    ) as communicator,
                ):
                    results[rank] = function(communicator)
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=run_rank, args=(r,), daemon=True) for r in range(size)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(2 * WAIT)
        if errors:
            raise errors[0]
        assert not any(thread.is_alive() for thread in threads), "ranks hang"
        return results

    return run
