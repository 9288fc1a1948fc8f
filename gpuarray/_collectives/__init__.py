# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Collective operations of several processes, each with a GPU, over NVIDIA's NCCL."""
