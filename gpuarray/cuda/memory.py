# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The names of cupy.cuda.memory."""

from gpuarray.cuda._blocks import BaseMemory as BaseMemory
from gpuarray.cuda._blocks import ManagedMemory as ManagedMemory
from gpuarray.cuda._blocks import Memory as Memory
from gpuarray.cuda._blocks import MemoryPointer as MemoryPointer
from gpuarray.cuda._blocks import UnownedMemory as UnownedMemory
from gpuarray.cuda._pools import MemoryAsyncPool as MemoryAsyncPool
from gpuarray.cuda._pools import MemoryPool as MemoryPool
from gpuarray.cuda._pools import alloc as alloc
from gpuarray.cuda._pools import get_allocator as get_allocator
from gpuarray.cuda._pools import malloc_async as malloc_async
from gpuarray.cuda._pools import malloc_managed as malloc_managed
from gpuarray.cuda._pools import set_allocator as set_allocator
from gpuarray.cuda._pools import using_allocator as using_allocator
from gpuarray.errors import OutOfMemoryError as OutOfMemoryError
