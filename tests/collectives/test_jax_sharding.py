# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The recipe of docs/scale.md: arrays of several devices as one sharded array of JAX, and back."""

from importlib.util import find_spec

import pytest
from _support.process import run_python

pytestmark = pytest.mark.skipif(find_spec("jax") is None, reason="JAX is not installed")

RECIPE = """
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
import gpuarray

devices = jax.devices()[:2]
assert len(devices) == 2
mesh = Mesh(np.array(devices), ("x",))
sharding = NamedSharding(mesh, PartitionSpec("x"))
places = PLACES
chunks = [gpuarray.full((2, 3), k + 1, "float32", device=d) for k, d in enumerate(places)]
parts = [
    jax.device_put(jax.dlpack.from_dlpack(chunk), device)
    for chunk, device in zip(chunks, devices)
]
whole = jax.make_array_from_single_device_arrays((4, 3), sharding, parts)
assert whole.sharding == sharding and float(whole.sum()) == 18

doubled = jax.jit(lambda x: 2 * x)(whole)
back = [gpuarray.from_dlpack(shard.data) for shard in doubled.addressable_shards]
for k, (part, place) in enumerate(zip(back, places)):
    assert str(part.device) == place
    assert part.get().tolist() == [[2.0 * (k + 1)] * 3] * 2
"""


def test_two_devices_of_the_host():
    run_python(
        RECIPE.replace("PLACES", '["cpu", "cpu"]'),
        XLA_FLAGS="--xla_force_host_platform_device_count=2",
        JAX_PLATFORMS="cpu",
    )


@pytest.mark.cuda
def test_two_cuda_devices_without_a_copy(two_cuda_devices):
    check = """
if jax.devices()[0].platform != "gpu":
    raise SystemExit(0)
""" + RECIPE.replace("PLACES", '["cuda:0", "cuda:1"]')
    check += """
addresses = [part.unsafe_buffer_pointer() for part in parts]
assert addresses == [chunk.ptr for chunk in chunks]
shards = [shard.data.unsafe_buffer_pointer() for shard in doubled.addressable_shards]
assert shards == [part.ptr for part in back]
"""
    run_python("import jax\n" + check, XLA_PYTHON_CLIENT_PREALLOCATE="false")
