# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Finds nvcc and the architectures to compile for, and prints what the build needs of them.

cuda_toolkit.py nvcc [PATH]      prints the path of nvcc, or nothing
cuda_toolkit.py version NVCC     prints its version
cuda_toolkit.py cudart NVCC      prints what links the CUDA runtime statically
cuda_toolkit.py headers NVCC     prints the folders of its headers
cuda_toolkit.py archs NVCC SPEC  prints the architectures that SPEC (auto, all or a list) means
cuda_toolkit.py flags NVCC LIST  prints nvcc's options for these architectures
"""

import ctypes
import glob
import os
import re
import shutil
import subprocess
import sys

ALL_ARCHS = ("75-virtual", "80", "90", "100", "120")
# Each of these architectures gets preprocessed kernels of its own. Kernels compare __CUDA_ARCH__
# with 90. 75 is the oldest architecture, and 80 serves cards of 8.x.
TEXT_ARCHS = (75, 80, 90)
# These are values of CUdevice_attribute.
COMPUTE_CAPABILITY_MAJOR, COMPUTE_CAPABILITY_MINOR = 75, 76


def find_nvcc(explicit=""):
    """Return the first nvcc of: `explicit`, environment, PATH, NVIDIA's wheels, default folder."""
    if explicit:
        return shutil.which(explicit)
    candidates = [os.environ.get("NVCC", "")]
    for variable in ("CUDA_PATH", "CUDA_HOME"):
        if os.environ.get(variable):
            candidates.append(os.path.join(os.environ[variable], "bin", "nvcc"))
    candidates.append("nvcc")
    for folder in sys.path:
        candidates += sorted(glob.glob(os.path.join(folder, "nvidia", "cu*", "bin", "nvcc")))
    candidates.append("/usr/local/cuda/bin/nvcc")
    return next(filter(None, map(shutil.which, filter(None, candidates))), None)


def nvcc_version(nvcc):
    text = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"V(\d+(?:\.\d+)+)", text)
    return found.group(1) if found else "unknown"


def static_runtime(nvcc):
    """Return the static CUDA runtime of nvcc's toolkit: in lib64, or lib in NVIDIA's wheels."""
    root = os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
    folders = ["lib64", "lib", *glob.glob(os.path.join("targets", "*", "lib"), root_dir=root)]
    files = [os.path.join(root, folder, "libcudart_static.a") for folder in folders]
    return next(filter(os.path.exists, files), "-lcudart_static")


def header_folders(nvcc):
    """Return the folders of the headers of nvcc's toolkit, which are the same for every machine."""
    include = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(nvcc))), "include")
    return [include, os.path.join(include, "cccl")]


def load_driver():
    """Return the initialised driver library, or None."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        return driver if driver.cuInit(0) == 0 else None
    except (OSError, AttributeError):
        return None


def driver_version():
    """Return the (major, minor) version of CUDA that the driver supports, None without one."""
    driver = load_driver()
    if driver is None:
        return None
    number = ctypes.c_int()
    driver.cuDriverGetVersion(ctypes.byref(number))
    return number.value // 1000, number.value % 1000 // 10


def local_archs():
    """Return the architectures of the GPUs of this machine, such as ["90"]."""
    driver = load_driver()
    if driver is None:
        return []
    count = ctypes.c_int()
    driver.cuDeviceGetCount(ctypes.byref(count))
    found = set()
    for device in range(count.value):
        major, minor = ctypes.c_int(), ctypes.c_int()
        driver.cuDeviceGetAttribute(ctypes.byref(major), COMPUTE_CAPABILITY_MAJOR, device)
        driver.cuDeviceGetAttribute(ctypes.byref(minor), COMPUTE_CAPABILITY_MINOR, device)
        found.add(10 * major.value + minor.value)
    return [str(arch) for arch in sorted(found)]


def known_archs(nvcc):
    listed = subprocess.run([nvcc, "--list-gpu-code"], capture_output=True, text=True, check=True)
    return set(re.findall(r"sm_(\d+)", listed.stdout))


def known_texts(known):
    return [text for text in TEXT_ARCHS if str(text) in known]


def resolve_archs(nvcc, spec):
    """Return the architectures that `spec` means: "all", a list, or "auto".

    "auto" means the GPUs of this machine, and PTX of the text that the oldest of them has, which
    costs nothing more and serves newer ones. Without a GPU it is PTX that serves all.
    """
    if spec not in ("all", "auto"):
        return spec.split(",")
    known = known_archs(nvcc)
    every = [arch for arch in ALL_ARCHS if arch.removesuffix("-virtual") in known]
    if spec == "all":
        return every
    least = int(every[0].removesuffix("-virtual"))
    here = [arch for arch in local_archs() if int(arch) >= least]
    oldest = min(map(int, here), default=least)
    text = max((text for text in known_texts(known) if text <= oldest), default=least)
    return [f"{text}-virtual", *(arch for arch in here if arch in known)]


def arch_flags(nvcc, archs):
    """Return nvcc's options, by which each distinct kernel text is compiled to PTX only once.

    Compiling to PTX takes two thirds of the time, so machine code for 120 is made from the PTX of
    90, whose text is the same.
    """
    known = known_archs(nvcc)
    texts = known_texts(known)
    flags = []
    for arch in archs:
        number = arch.removesuffix("-virtual")
        text, code = number, "compute"
        if arch == number:
            code = "sm"
            older = [one for one in texts if number.isdigit() and one <= int(number)]
            text = older[-1] if older else number
        flags += ["-gencode", f"arch=compute_{text},code={code}_{number}"]
    return flags


def main(command, *arguments):
    if command == "nvcc":
        print(find_nvcc(*arguments) or "")
    elif command == "version":
        print(nvcc_version(*arguments))
    elif command == "cudart":
        print(static_runtime(*arguments))
    elif command == "headers":
        print("\n".join(header_folders(*arguments)))
    elif command == "archs":
        print(",".join(resolve_archs(*arguments)))
    elif command == "flags":
        nvcc, archs = arguments
        print("\n".join(arch_flags(nvcc, archs.split(","))))


if __name__ == "__main__":
    main(*sys.argv[1:])
