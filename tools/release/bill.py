# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The software bill of materials of a release, in CycloneDX's JSON, and its SHA-256 sums."""

import hashlib
import json
import re
import uuid
from pathlib import Path

BILL = "gpuarray-cuda.cdx.json"
SUMS = "SHA256SUMS"


def linked_components(versions):
    """Return what is linked into the modules; THIRD-PARTY.txt says the same in words.

    `versions` are those of "gcc", "glibc", "cuda" and "cccl".
    """
    gcc, nvidia = "Free Software Foundation", "NVIDIA"
    of_gcc = [{"expression": "GPL-3.0-or-later WITH GCC-exception-3.1"}]
    rows = [
        ("libstdc++", versions["gcc"], gcc, of_gcc),
        ("libgcc", versions["gcc"], gcc, of_gcc),
        ("libc_nonshared.a", versions["glibc"], gcc, [{"license": {"id": "LGPL-2.1-or-later"}}]),
        (
            "libcudart_static.a",
            versions["cuda"],
            nvidia,
            [{"license": {"name": "NVIDIA End User License Agreement, CUDA Toolkit"}}],
        ),
        (
            "CCCL",
            versions["cccl"],
            nvidia,
            [{"expression": "BSD-3-Clause AND Apache-2.0 WITH LLVM-exception"}],
        ),
    ]
    return [
        {
            "type": "library",
            "bom-ref": f"{name}@{version}",
            "supplier": {"name": supplier},
            "name": name,
            "version": version,
            "licenses": licenses,
        }
        for name, version, supplier, licenses in rows
    ]


def sha256(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def file_component(path):
    return {
        "type": "file",
        "bom-ref": path.name,
        "name": path.name,
        "hashes": [{"alg": "SHA-256", "content": sha256(path)}],
    }


def bill_of_materials(files, version, versions):
    """Return the bill of a release's files; it is the same whenever they are."""
    name = "gpuarray-cuda"
    package = {
        "type": "library",
        "bom-ref": f"{name}@{version}",
        "name": name,
        "version": version,
        "purl": f"pkg:pypi/{name}@{version}",
        "licenses": [{"license": {"id": "Apache-2.0"}}],
    }
    numpy = {"type": "library", "bom-ref": "numpy", "name": "numpy", "purl": "pkg:pypi/numpy"}
    linked = linked_components(versions)
    released = [file_component(path) for path in files]
    references = [component["bom-ref"] for component in linked]
    wheels = [path.name for path in files if path.suffix == ".whl"]
    identity = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(released))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{identity}",
        "version": 1,
        "metadata": {"component": package},
        "components": [numpy, *linked, *released],
        "dependencies": [
            {"ref": package["bom-ref"], "dependsOn": ["numpy"]},
            *({"ref": wheel, "dependsOn": ["numpy", *references]} for wheel in wheels),
        ],
    }


def write_bill(dist, versions):
    """Write the bill of what lies in `dist`, and the sums, which sha256sum checks."""
    files = released_files(dist)
    [version] = {re.split("-", path.name.removesuffix(".tar.gz"))[1] for path in files}
    bill = bill_of_materials(files, version, versions)
    (dist / BILL).write_text(json.dumps(bill, indent=2) + "\n")
    sums = [f"{sha256(path)}  {path.name}\n" for path in [*files, dist / BILL]]
    (dist / SUMS).write_text("".join(sums))


def released_files(dist):
    return sorted([*Path(dist).glob("*.whl"), *Path(dist).glob("*.tar.gz")])


def cccl_version(headers):
    """Return the version of CCCL that the headers of a toolkit tell, such as 3.0.1."""
    text = (headers / "cuda/std/__cccl/version.h").read_text()
    number = int(re.search(r"define CCCL_VERSION (\d+)", text)[1])
    return f"{number // 1_000_000}.{number // 1000 % 1000}.{number % 1000}"
