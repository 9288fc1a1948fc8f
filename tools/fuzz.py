# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Feeds hostile input to the package: harnesses of tests/fuzzing, driven by atheris.

    python -P tools/fuzz.py einsum --seconds 60
    python -P tools/fuzz.py dlpack --site build/fuzz/site --keep
    python -P tools/fuzz.py all --replay
    python -P tools/fuzz.py all --random 10000 --seed 7

The targets are the modules of tests/fuzzing/harnesses. A finding is an exception that a harness
does not accept, a crash, or an input that takes more than 5 seconds; its input lies in
build/fuzzing then. --keep adds the shortest of what reached new code to tests/fuzzing/corpus, which
--replay runs through without atheris. --random feeds so many random inputs, without atheris too; an
input that fails is the last line of the error. --site names a folder with a package that clang
built, 16 or newer, by -Dcuda=disabled -Db_lundef=false and -fsanitize=address,fuzzer-no-link in
-Dcpp_args and -Dcpp_link_args: its C++ guides the fuzzer too, and AddressSanitizer watches it.
"""

import argparse
import base64
import hashlib
import importlib
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FUZZING = ROOT / "tests" / "fuzzing"
WORK = ROOT / "build" / "fuzzing"
TARGETS = sorted(path.stem for path in (FUZZING / "harnesses").glob("*.py"))
SLOWEST_REPLAY = 5.0  # seconds of the processor for one input
CORPUS_BYTES = 9000  # the most that the corpus of one target has
LIMITS = ["-timeout=5", "-max_len=400", "-len_control=0", "-rss_limit_mb=4096"]
ASAN_OPTIONS = (
    "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1:max_allocation_size_mb=512"
)


def corpus(target: str) -> list[bytes]:
    """Return the inputs that are kept for a target, one to a line of its file."""
    file = FUZZING / "corpus" / f"{target}.txt"
    return [base64.b64decode(line) for line in file.read_text().splitlines()]


def keep(target: str, inputs: list[bytes]) -> None:
    """Add the shortest of the inputs to those that are kept, as many as there is room for."""
    found = corpus(target)
    size = sum(map(line_bytes, found))
    for data in sorted({*inputs} - {*found}, key=lambda data: (len(data), data)):
        size += line_bytes(data)
        if size <= CORPUS_BYTES:
            found.append(data)
    lines = [base64.b64encode(data).decode() + "\n" for data in found]
    (FUZZING / "corpus" / f"{target}.txt").write_text("".join(lines))


def line_bytes(data: bytes) -> int:
    return len(base64.b64encode(data)) + 1


def variables(target: str, site: Path | None) -> dict[str, str]:
    """Return the environment of a target's process."""
    paths = [str(site or ""), os.environ.get("PYTHONPATH", ""), str(ROOT / "tests")]
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    found["GPUARRAY_DEVICE"] = "cpu"  # where errors come at once
    if target == "includes":  # without a compiler, the scanner is all that a compilation does
        found["GPUARRAY_LIBNVRTC"] = "/nothing"
    if target == "cuda_arrays" and "GPUARRAY_TEST_DRIVER" not in found:
        found |= stub_driver()
    if site is not None:
        atheris = find_spec("atheris")
        assert atheris is not None and atheris.origin is not None
        found["LD_PRELOAD"] = str(Path(atheris.origin).parents[1] / "asan_with_fuzzer.so")
        found |= {"ASAN_OPTIONS": ASAN_OPTIONS, "PYTHONMALLOC": "malloc"}
    return found


def stub_driver() -> dict[str, str]:
    """Return the variables of the test driver, of which no kernel is needed here."""
    sys.path.insert(0, str(ROOT / "tests"))
    from _support.stub_driver import build_stub, digest

    folder = WORK / f"driver-{digest()}"
    if not (folder / "libcuda_stub.so").exists():
        folder.mkdir(parents=True, exist_ok=True)
        build_stub(folder)
    return {"GPUARRAY_LIBCUDA": str(folder / "libcuda_stub.so"), "GPUARRAY_TEST_DRIVER": "late"}


def harness(target: str) -> Callable[[bytes], None]:
    """Return the function of a target that takes an input."""
    if "LD_PRELOAD" in os.environ:  # the package of --site, not that of an editable installation
        editable = [finder for finder in sys.meta_path if "editable" in type(finder).__module__]
        sys.meta_path[:] = [finder for finder in sys.meta_path if finder not in editable]
    run: Callable[[bytes], None] = importlib.import_module(f"fuzzing.harnesses.{target}").run
    return run


def replay(target: str) -> None:
    """Run the corpus of a target through its harness."""
    run, inputs = harness(target), corpus(target)
    gpuarray = importlib.import_module("gpuarray")  # that of the harness
    for device in gpuarray.devices():
        gpuarray.empty(1, device=device)  # which starts it, before an input is timed
    for data in inputs:
        begin = time.process_time()  # other processes may keep the processors
        run(data)
        assert time.process_time() - begin < SLOWEST_REPLAY, data
    print(f"{target}: {len(inputs)} inputs")


def feed_random(target: str, count: int, seed: int) -> None:
    """Run random inputs through the harness of a target, half of them changes of its corpus."""
    run, chooser, kept = harness(target), random.Random(f"{target} {seed}"), corpus(target)
    for number in range(count):
        data = bytearray(chooser.randbytes(chooser.randrange(201)))
        if number % 2 and kept:
            data = bytearray(chooser.choice(kept))
            for _ in range(chooser.randrange(4) if data else 0):
                data[chooser.randrange(len(data))] = chooser.randrange(256)
        try:
            run(bytes(data))
        except BaseException as error:
            error.add_note(f"input: {bytes(data)!r}")
            raise
    print(f"{target}: {count} random inputs")


def fuzz(target: str, arguments: list[str]) -> None:
    """Run libFuzzer in this process, which it ends."""
    import atheris

    with atheris.instrument_imports(include=["fuzzing", "gpuarray"]):
        run = harness(target)
        for data in corpus(target)[:50]:
            run(data)  # which imports what the target needs
    atheris.Setup([sys.argv[0], *LIMITS, *arguments], run)
    atheris.Fuzz()


def child(target: str, site: Path | None, *arguments: object, action: str = "--fuzz") -> int:
    command = [sys.executable, "-P", __file__, target, action, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, env=variables(target, site)).returncode


def campaign(target: str, options: argparse.Namespace) -> int:
    """Fuzz one target from its corpus on, and return the status of its process."""
    folder = WORK / target
    folder.mkdir(parents=True, exist_ok=True)
    for data in corpus(target):
        (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
    limits = [f"-max_total_time={options.seconds}", "-print_final_stats=1"]
    status = child(target, options.site, folder, f"-artifact_prefix={WORK}/{target}-", *limits)
    if options.keep:
        keep(target, [path.read_bytes() for path in folder.iterdir()])
    return status


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", choices=[*TARGETS, "all"])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--site", type=Path, help="folder of an instrumented package")
    parser.add_argument("--keep", action="store_true", help="add to the corpus")
    parser.add_argument("--replay", action="store_true", help="run the corpus alone")
    parser.add_argument("--random", type=int, default=0, help="feed so many random inputs alone")
    parser.add_argument("--seed", type=int, default=0, help="of the random inputs")
    parser.add_argument("--random-here", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--fuzz", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--replay-here", action="store_true", help=argparse.SUPPRESS)
    options, arguments = parser.parse_known_args()
    if options.fuzz:
        fuzz(options.target, arguments)
    if options.replay_here:
        replay(options.target)
        return 0
    if options.random_here:
        feed_random(options.target, options.random, options.seed)
        return 0
    site = options.site and options.site.resolve()
    options.site = site
    targets = TARGETS if options.target == "all" else [options.target]
    if options.replay:
        ended = [child(target, site, action="--replay-here") for target in targets]
    elif options.random:
        given = ("--random", options.random, "--seed", options.seed)
        ended = [child(target, site, *given, action="--random-here") for target in targets]
    else:
        ended = [campaign(target, options) for target in targets]
    return int(any(ended))


if __name__ == "__main__":
    sys.exit(main())
