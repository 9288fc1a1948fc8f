# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What was built, and the scripts that the build runs."""

import importlib.util
import os
import re
from pathlib import Path

import pytest

import gpuarray
import gpuarray._core

TOOLS = Path(__file__).resolve().parents[2] / "tools"


def load_tool(name):
    spec = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


toolkit = load_tool("cuda_toolkit")
embed = load_tool("embed")


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
    assert toolkit.resolve_archs("nvcc", "auto") == list(toolkit.ALL_ARCHS)
    monkeypatch.setattr(toolkit, "local_archs", lambda: ["90"])
    assert toolkit.resolve_archs("nvcc", "auto") == ["75-virtual", "90"]


def test_architectures_that_nvcc_does_not_know_are_left_out(no_toolkit, monkeypatch):
    monkeypatch.setattr(toolkit, "known_archs", lambda nvcc: {"75", "80", "90"})
    assert toolkit.resolve_archs("nvcc", "auto") == ["75-virtual", "80", "90"]


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
    assert (
        '{"kernels/elementwise/copy.cuh", gpuarray_copy_cuh_begin, gpuarray_copy_cuh_end}' in text
    )


def test_embedded_source_of_nothing_is_empty_tables(tmp_path):
    embed.main(tmp_path / "embedded.cpp")
    assert (tmp_path / "embedded.cpp").read_text().count("return {};") == 2


def test_every_kernel_header_is_embedded():
    """Else a kernel that includes it could not be compiled at run time."""
    folder = TOOLS.parent / "kernels"
    files = [file for file in folder.rglob("*") if file.suffix in (".cuh", ".hpp", ".def")]
    headers = {file.relative_to(folder).as_posix() for file in files}
    listed = re.search(r"headers = files\((.*?)\)", (folder / "meson.build").read_text(), re.DOTALL)
    assert headers == set(re.findall(r"'([^']+)'", listed[1]))
