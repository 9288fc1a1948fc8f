# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Checks that every kernel waits for the previous grid before its first access of memory.

check_kernel_order.py [SOURCE...]  compiles kernels/aot/*.cu, or the sources given, to PTX; without
nvcc, says so and passes. A source that ends in .ptx is read as it is.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

from cuda_toolkit import find_nvcc

ROOT = pathlib.Path(__file__).resolve().parents[1]
WAIT = "griddepcontrol.wait"
ENTRY = re.compile(r"\.entry\s+([\w$]+)")
INSTRUCTION = re.compile(r"(?P<guard>@!?%\w+\s+)?(?P<opcode>[a-z][\w.:]*)")
LABEL = re.compile(r"([\w$]+):")
BRANCH = re.compile(r"bra(?:\.uni)?\s+([\w$]+)")
NEVER = {"brx", "call", "ret", "exit", "trap"}
MEMORY = {"ld", "ldu", "st", "atom", "red", "cp", "prefetch", "prefetchu", "tex", "tld4", "suld"}
MEMORY |= {"sust", "sured", "multimem", "discard", "applypriority"}
OWN_SPACES = {"param", "shared", "local", "const"}  # No other grid writes to these state spaces.


def entries(ptx):
    """Yield the name and the body of each kernel, without comments."""
    ptx = re.sub(r"/\*.*?\*/|//[^\n]*", "", ptx, flags=re.DOTALL)
    for found in ENTRY.finditer(ptx):
        start = ptx.index("{", found.end())
        depth = 0
        for brace in re.compile(r"[{}]").finditer(ptx, start):
            depth += 1 if brace.group() == "{" else -1
            if depth == 0:
                yield found.group(1), ptx[start + 1 : brace.start()]
                break


def statements(body):
    """Return the instructions and labels of a body as strings."""
    body = re.sub(r"^\s*([\w$]+:)", r"\1;", body, flags=re.MULTILINE)
    # Braces at either end of a statement delimit blocks; all others hold vectors of registers.
    return [line.strip().strip("{}").strip() for line in body.split(";")]


def fault(body):
    """Return the first instruction on some path that must not come before the wait, or None."""
    lines = statements(body)
    labels = {line[:-1]: at for at, line in enumerate(lines) if LABEL.fullmatch(line)}
    pending, seen = [0], set()
    while pending:
        at = pending.pop()
        if at == len(lines):
            return "its end"
        if at in seen or lines[at] == WAIT:
            continue
        seen.add(at)
        found = INSTRUCTION.match(lines[at])
        guarded = bool(found and found["guard"])
        branch = BRANCH.match(lines[at], found.start("opcode")) if found else None
        if branch:
            pending.append(labels[branch.group(1)])
        if found and not branch:
            head, *rest = re.split(r"[.:]+", found["opcode"])
            if head in NEVER or (head in MEMORY and not OWN_SPACES & set(rest[:2])):
                return lines[at]
        if guarded or not branch:
            pending.append(at + 1)
    return None


def faults(ptx):
    """Return the kernels out of order with what precedes their wait, and the number of kernels."""
    found = {name: fault(body) for name, body in entries(ptx)}
    return {name: what for name, what in found.items() if what is not None}, len(found)


def to_ptx(source, nvcc):
    if source.suffix == ".ptx":
        return source.read_text()
    command = [nvcc, "-ptx", "-arch=compute_90", "-std=c++20", "-fmad=false", f"-I{ROOT}"]
    done = subprocess.run([*command, source, "-o", "-"], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{source}: nvcc failed:\n{done.stderr}")
    return done.stdout


def main(*names):
    sources = list(map(pathlib.Path, names)) or sorted((ROOT / "kernels" / "aot").glob("*.cu"))
    nvcc = find_nvcc()
    if nvcc is None and any(source.suffix != ".ptx" for source in sources):
        print("not checked: nvcc was not found")
        return 0
    sources.sort(key=lambda source: -source.stat().st_size)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = list(pool.map(lambda source: to_ptx(source, nvcc), sources))
    failed, total = {}, 0
    for source, text in zip(sources, texts, strict=True):
        wrong, count = faults(text)
        if count == 0:
            failed[source.name] = "no kernel at all"
        failed |= {f"{source.name}: {name}": what for name, what in wrong.items()}
        total += count
    for name, what in list(failed.items())[:20]:
        print(f"{name}: {WAIT} must come before {what}")
    print(f"{total} kernels, {len(failed)} that do not wait first")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
