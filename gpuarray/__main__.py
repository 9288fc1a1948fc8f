# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""``python -m gpuarray`` prints what was built and which devices and libraries this machine has."""

from gpuarray._runtime.config import show_config

if __name__ == "__main__":
    show_config()
