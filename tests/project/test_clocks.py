# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""docs/faults.md says that the cache alone looks at the system's clock, which may jump."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLOCK = r"system_clock|file_clock|\bgettimeofday|CLOCK_REALTIME|time\.time\(|datetime\.now|\btime\("


def test_no_other_code_reads_the_systems_clock():
    files = [*(ROOT / "src").rglob("*.?pp"), *(ROOT / "gpuarray").rglob("*.py")]
    assert len(files) > 400
    found = [
        f"{file.relative_to(ROOT)}: {name}"
        for file in files
        for name in re.findall(CLOCK, file.read_text())
    ]
    assert found == ["src/runtime/cache/disk_cache.cpp: time("]  # how old its files are
