# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""A device function of functions.cu in a kernel, linked from every kind of file that nvcc makes.

    python examples/linking/linking.py

From LTO-IR and from CUDA C++ it is inlined. nvcc must be on the path or named by CUDACXX.
"""

import os
import shutil
import subprocess
import tempfile

import gpuarray

nvcc = shutil.which(os.environ.get("CUDACXX", "nvcc"))
if nvcc is None or len(gpuarray.devices()) == 1:
    print("linking.py needs a CUDA device and nvcc, which are not both here.")
    raise SystemExit
KINDS = {"ptx": "-ptx", "cubin": "-cubin", "fatbin": "-fatbin", "ltoir": "-ltoir -dlto", "o": "-dc"}
KERNEL = 'extern "C" __global__ void f(float* x, float* y) { *y = sum_reduce(x, 4); }'
source = os.path.join(os.path.dirname(__file__), "functions.cu")
major, minor = gpuarray.device("cuda").compute_capability or (9, 0)
with tempfile.TemporaryDirectory() as folder:
    items = [source, f"{folder}/functions.a"]
    for kind, options in KINDS.items():
        items.append(f"{folder}/functions.{kind}")
        command = [nvcc, *options.split(), "-rdc=true", f"-arch=sm_{major}{minor}", source]
        subprocess.check_call([*command, "-o", items[-1]])
    subprocess.check_call(["ar", "rc", items[1], f"{folder}/functions.o"])
    for item in items:
        y = gpuarray.zeros(1, "float32")
        sums = gpuarray.declare_device("sum_reduce", "float32(const float32*, int64)", link=item)
        gpuarray.Module(KERNEL, link=sums).get_function("f")[1, 1](gpuarray.ones(4, "float32"), y)
        print(item.rpartition(".")[2], "right" if y.item() == 4 else "WRONG")
