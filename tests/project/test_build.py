# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What was built, and the scripts that the build runs."""

import importlib.metadata
import os
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
from _support.modules import ROOT, load
from _support.process import run_python

import gpuarray
import gpuarray._core

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NO_LIBRARY = dict.fromkeys(
    ("GPUARRAY_LIBCUDA", "GPUARRAY_LIBNVRTC", "GPUARRAY_LIBNVJITLINK", "GPUARRAY_LIBCUBLAS"),
    "/nonexistent",
)


toolkit = load("tools/cuda_toolkit.py")
embed = load("tools/embed.py")


@pytest.fixture
def no_toolkit(monkeypatch):
    """A machine without nvcc and without a driver."""
    for variable in ("NVCC", "CUDA_PATH", "CUDA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", os.devnull)
    monkeypatch.setattr("sys.path", [])
    monkeypatch.setattr(toolkit, "load_driver", lambda: None)


def fake_nvcc(folder):
    folder.mkdir(parents=True)
    nvcc = folder / "nvcc"
    nvcc.write_text("#!/bin/sh\necho 'Cuda compilation tools, release 13.0, V13.0.88'\n")
    nvcc.chmod(0o755)
    return str(nvcc)


def test_show_config_tells_version_compiler_and_device_code(capsys):
    gpuarray.show_config()
    text = capsys.readouterr().out
    config = gpuarray._core.build_config()
    for key in ("version", "compiler", "nvcc", "gpu_archs", "cuda_absent_reason"):
        assert config[key] in text


def test_running_the_package_prints_the_configuration():
    run = 'import runpy; runpy.run_module("gpuarray", run_name="__main__")'
    text = run_python(run, GPUARRAY_CACHE_DIR="/nonexistent/cache", **NO_LIBRARY)
    assert gpuarray.__version__ in text
    assert "/nonexistent/cache" in text
    for name in ("CUDA driver", "NVRTC", "nvJitLink", "cuBLAS"):
        assert re.search(f"{name} +none", text), name
    assert re.search("no cuda device +/nonexistent", text)


def test_show_config_lists_libraries_and_headers():
    config = gpuarray.show_config("dicts")
    for name, library in config["libraries"].items():
        found = {"version", "path"} <= set(library)
        assert found or library["absent_reason"], name
    compiler = gpuarray._core._cuda_libraries()["NVRTC"]
    if compiler["path"]:
        major, minor, _ = compiler["version"]
        assert config["libraries"]["NVRTC"]["version"] == f"{major}.{minor}"
    assert config["headers"] == {} or Path(config["headers"]["path"], "cuda_runtime_api.h").exists()


def test_show_config_tells_what_a_report_needs():
    code = "import gpuarray; gpuarray.show_config()"
    lines = run_python(
        code, GPUARRAY_DEVICE="cpu", GPUARRAY_FUSION="off", **NO_LIBRARY
    ).splitlines()
    rows = dict(line.split(maxsplit=1) for line in lines if line.startswith("  "))
    assert rows["NumPy"] == np.__version__ and "Linux" in rows["system"]
    assert "GPUARRAY_DEVICE=cpu GPUARRAY_FUSION=off" in rows["variables"]


def test_show_config_does_not_fail_for_a_cache_that_cannot_be():
    text = run_python(
        "import gpuarray; gpuarray.show_config()", GPUARRAY_CACHE_BYTES="many", **NO_LIBRARY
    )
    assert re.search("kernel cache +none: GPUARRAY_CACHE_BYTES=many", text)


def test_show_config_tells_level_and_threads_of_the_cpu():
    code = "import gpuarray; gpuarray.show_config()"
    assert re.search("cpu .*, level .*, threads: 3", run_python(code, GPUARRAY_NUM_THREADS="3"))
    text = run_python(code, GPUARRAY_CPU_LEVEL="v9")
    assert re.search("cpu .*, not usable: GPUARRAY_CPU_LEVEL: .* got 'v9'", text)


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Has NVRTC 13.5 and headers of the version given, or none; returns show_config's notes."""

    def notes(headers=None, archs="75-virtual,90"):
        compiler = {"path": "/lib/libnvrtc.so.13", "version": (13, 5, 0), "absent_reason": ""}
        build = gpuarray._core.build_config() | {"gpu_archs": archs}
        if headers is not None:
            text = f"#define CUDART_VERSION  {headers}\n"
            (tmp_path / "cuda_runtime_api.h").write_text(text)
        monkeypatch.setattr(gpuarray._core, "_cuda_libraries", lambda: {"NVRTC": compiler})
        monkeypatch.setattr(gpuarray._core, "_headers", lambda: (str(tmp_path),))
        monkeypatch.setattr(gpuarray._core, "build_config", lambda: build)
        return gpuarray.show_config("dicts")["notes"]

    return notes


def test_show_config_says_that_headers_are_older_than_the_compiler(machine, capsys):
    (note,) = machine(headers=13000)
    assert "NVRTC 13.5 is newer than the CUDA headers, 13.0" in note
    gpuarray.show_config()
    assert note in capsys.readouterr().out
    assert machine(headers=13050) == []


def test_show_config_says_that_there_are_no_headers(machine):
    (note,) = machine()
    assert "no CUDA headers" in note


def test_show_config_says_that_the_driver_compiles_what_is_ptx_alone(machine):
    (note,) = machine(headers=13050, archs="75-virtual")
    assert "PTX" in note
    assert "-Dgpu_archs=all" in note
    assert machine(headers=13050, archs="") == []


def test_build_config_agrees_with_the_build():
    config = gpuarray._core.build_config()
    assert config["version"] == gpuarray.__version__
    assert re.fullmatch(r"(gcc|clang) \d+(\.\d+)+", config["compiler"])
    assert config["limited_api"] == gpuarray._core.__file__.endswith(".abi3.so")
    assert config["cuda_built"] == (config["cuda_absent_reason"] == "")
    assert config["cuda_built"] == (config["gpu_archs"] != "")


def test_nvcc_is_searched_in_the_documented_order(no_toolkit, monkeypatch, tmp_path):
    wheel = fake_nvcc(tmp_path / "site" / "nvidia" / "cu13" / "bin")
    monkeypatch.setattr("sys.path", [str(tmp_path / "site")])
    assert toolkit.find_nvcc() == wheel
    on_path = fake_nvcc(tmp_path / "path")
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    assert toolkit.find_nvcc() == on_path
    home = fake_nvcc(tmp_path / "cuda" / "bin")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "cuda"))
    assert toolkit.find_nvcc() == home
    variable = fake_nvcc(tmp_path / "variable")
    monkeypatch.setenv("NVCC", variable)
    assert toolkit.find_nvcc() == variable
    explicit = fake_nvcc(tmp_path / "explicit")
    assert toolkit.find_nvcc(explicit) == explicit


def test_nvcc_given_but_absent_is_not_replaced_by_another(monkeypatch, tmp_path):
    monkeypatch.setenv("NVCC", fake_nvcc(tmp_path / "bin"))
    assert toolkit.find_nvcc(str(tmp_path / "missing" / "nvcc")) is None


def test_nvcc_version(tmp_path):
    assert toolkit.nvcc_version(fake_nvcc(tmp_path / "bin")) == "13.0.88"


def test_architectures(no_toolkit, monkeypatch):
    monkeypatch.setattr(toolkit, "known_archs", lambda nvcc: {"75", "80", "90", "100", "120"})
    assert toolkit.resolve_archs("nvcc", "75-virtual,90") == ["75-virtual", "90"]
    assert toolkit.resolve_archs("nvcc", "all") == list(toolkit.ALL_ARCHS)
    assert toolkit.resolve_archs("nvcc", "auto") == ["75-virtual"]
    monkeypatch.setattr(toolkit, "local_archs", lambda: ["90", "200"])
    assert toolkit.resolve_archs("nvcc", "auto") == ["90-virtual", "90"]
    monkeypatch.setattr(toolkit, "local_archs", lambda: ["80", "90"])
    assert toolkit.resolve_archs("nvcc", "auto") == ["80-virtual", "80", "90"]
    monkeypatch.setattr(toolkit, "local_archs", lambda: ["200"])
    assert toolkit.resolve_archs("nvcc", "auto") == ["90-virtual"]
    monkeypatch.setattr(toolkit, "local_archs", lambda: ["88", "90"])
    assert toolkit.resolve_archs("nvcc", "auto") == ["80-virtual", "90"]
    monkeypatch.setattr(toolkit, "local_archs", lambda: ["60"])
    assert toolkit.resolve_archs("nvcc", "auto") == ["75-virtual"]
    assert toolkit.resolve_archs("nvcc", "all") == list(toolkit.ALL_ARCHS)


def test_architectures_that_nvcc_does_not_know_are_left_out(no_toolkit, monkeypatch):
    monkeypatch.setattr(toolkit, "known_archs", lambda nvcc: {"75", "80", "90"})
    assert toolkit.resolve_archs("nvcc", "all") == ["75-virtual", "80", "90"]


def test_ptx_is_of_the_oldest_architecture_that_nvcc_knows(no_toolkit, monkeypatch):
    monkeypatch.setattr(toolkit, "known_archs", lambda nvcc: {"80", "90", "150"})
    assert toolkit.resolve_archs("nvcc", "auto") == ["80-virtual"]
    assert toolkit.resolve_archs("nvcc", "all") == ["80", "90"]


def test_machine_code_is_made_from_the_newest_text_that_is_not_newer(monkeypatch):
    monkeypatch.setattr(toolkit, "known_archs", lambda nvcc: {"75", "80", "86", "90", "120"})
    flags = toolkit.arch_flags("nvcc", ["75-virtual", "75", "86", "90", "90a", "120"])
    assert set(flags[::2]) == {"-gencode"}
    assert flags[1::2] == [
        "arch=compute_75,code=compute_75",
        "arch=compute_75,code=sm_75",
        "arch=compute_80,code=sm_86",
        "arch=compute_90,code=sm_90",
        "arch=compute_90a,code=sm_90a",
        "arch=compute_90,code=sm_120",
    ]
    monkeypatch.setattr(toolkit, "known_archs", lambda nvcc: {"90", "120"})
    assert toolkit.arch_flags("nvcc", ["90-virtual", "120"])[1::2] == [
        "arch=compute_90,code=compute_90",
        "arch=compute_90,code=sm_120",
    ]


def test_texts_of_the_kernels_differ_for_no_other_architecture():
    """80 is a text of its own for the machine code and PTX of cards of 8.x."""
    files = [path for path in (ROOT / "kernels").rglob("*") if path.is_file()]
    found = {
        int(number) // 10
        for path in files
        for number in re.findall(r"__CUDA_ARCH__ *[<>=!]+ *(\d+)", path.read_text())
    }
    assert found | {75, 80} == set(toolkit.TEXT_ARCHS)


def test_metadata_is_that_of_the_wheel(monkeypatch, tmp_path):
    """What pip reads before it builds, and what it installs."""
    pytest.importorskip("mesonpy")
    monkeypatch.chdir(ROOT)
    backend = load("tools/build_backend.py")
    installed = importlib.metadata.metadata("gpuarray-cuda").items()
    for hook in ("prepare_metadata_for_build_wheel", "prepare_metadata_for_build_editable"):
        folder = tmp_path / hook
        folder.mkdir()
        name = getattr(backend, hook)(str(folder))
        assert name == f"gpuarray_cuda-{gpuarray.__version__}.dist-info"
        found = importlib.metadata.Distribution.at(folder / name).metadata
        assert found.items() == installed
        assert found.get_payload().strip() == (ROOT / "README.md").read_text().strip()


def test_the_extra_of_cuda_13_has_what_is_loaded_at_run_time():
    (toolkit_of_nvidia,) = PROJECT["optional-dependencies"]["cuda13"]
    parts = set(re.search(r"\[(.*)\]==13\.\*$", toolkit_of_nvidia)[1].split(","))
    assert {"nvrtc", "nvjitlink", "cublas", "cudart", "cccl"} <= parts


def test_hooks_have_the_versions_of_the_extra_lint():
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    pinned = re.findall(r'additional_dependencies: \["?(.+?)"?\]\n', hooks)
    assert set(pinned) == set(PROJECT["optional-dependencies"]["lint"])


def test_embedded_source_changes_with_the_data(tmp_path):
    output, fatbin = tmp_path / "embedded.cpp", tmp_path / "copy.fatbin"
    texts = set()
    for data in (b"one", b"two"):
        fatbin.write_bytes(data)
        embed.main(output, fatbin)
        texts.add(output.read_text())
    assert len(texts) == 2
    row = '{"copy", gpuarray_copy_fatbin_begin, gpuarray_copy_fatbin_end}'
    assert all(row in text for text in texts)


def test_embedded_headers_keep_the_names_of_includes(tmp_path):
    header = tmp_path / "kernels" / "elementwise" / "copy.cuh"
    header.parent.mkdir(parents=True)
    header.write_text("// text")
    embed.main(tmp_path / "embedded.cpp", header)
    text = (tmp_path / "embedded.cpp").read_text()
    symbol = "gpuarray_kernels_elementwise_copy_cuh"
    assert f'{{"kernels/elementwise/copy.cuh", {symbol}_begin, {symbol}_end}}' in text


def test_embedded_source_of_nothing_is_empty_tables(tmp_path):
    embed.main(tmp_path / "embedded.cpp")
    assert (tmp_path / "embedded.cpp").read_text().count("return {};") == 2


def test_every_kernel_header_is_embedded():
    """Else a kernel that includes it could not be compiled at run time."""
    folder = ROOT / "kernels"
    files = [file for file in folder.rglob("*") if file.suffix in (".cuh", ".hpp", ".def")]
    headers = {file.relative_to(folder).as_posix() for file in files}
    listed = re.search(r"headers = files\((.*?)\)", (folder / "meson.build").read_text(), re.DOTALL)
    assert headers == set(re.findall(r"'([^']+)'", listed[1]))
