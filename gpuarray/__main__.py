# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""``python -m gpuarray`` prints what was built and which devices and libraries this machine has.

With options it prints instead the version, or what builds of extensions need: ``--version``,
``--includes``, ``--cmakedir``, ``--pkgconfigdir``.
"""

import argparse
import os
import shlex
import sysconfig

from gpuarray import __version__
from gpuarray._runtime.config import get_include, show_config


def main() -> None:
    """Print what the options of the command line ask for, or the report without any."""
    package = os.path.dirname(__file__)
    parser = argparse.ArgumentParser(
        "python -m gpuarray",
        description="Print a report on the build and this machine, or what an option asks for.",
    )
    parser.add_argument(
        "--includes", action="store_true", help="options of C compilers: Python.h and gpuarray.h"
    )
    parser.add_argument(
        "--cmakedir", action="store_true", help="the folder of gpuarrayConfig.cmake"
    )
    parser.add_argument("--pkgconfigdir", action="store_true", help="the folder of gpuarray.pc")
    parser.add_argument("--version", action="version", version=__version__)
    asked = parser.parse_args()
    if asked.includes:
        folders = dict.fromkeys(
            [*map(sysconfig.get_path, ("include", "platinclude")), get_include()]
        )
        print(shlex.join(f"-I{folder}" for folder in folders))
    if asked.cmakedir:
        print(os.path.join(package, "share", "cmake", "gpuarray"))
    if asked.pkgconfigdir:
        print(os.path.join(package, "share", "pkgconfig"))
    if not any(vars(asked).values()):
        show_config()


if __name__ == "__main__":
    main()
