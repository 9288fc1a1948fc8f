# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The examples of the documentation give what they say; its generated parts are up to date."""

import doctest
import re
import runpy
import tomllib
from pathlib import Path

import pytest

import gpuarray

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(?:python|pycon)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#:]+\.\w+)(#[\w-]+)?\)")


def page_name(path):
    return str(path.relative_to(ROOT))


def examples(text):
    """The examples of all blocks, which share their names, with their lines in the page."""
    parser = doctest.DocTestParser()
    found = []
    for block in BLOCK.finditer(text):
        first_line = text.count("\n", 0, block.start(1))
        for example in parser.get_examples(block.group(1)):
            example.lineno += first_line
            found.append(example)
    return found


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_examples(page):
    text = page.read_text()
    test = doctest.DocTest(examples(text), {}, page_name(page), str(page), 0, text)
    report = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    with gpuarray.device("cpu"):
        failed = runner.run(test, out=report.append).failed
    assert not failed, "\n" + "".join(report)


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links(page):
    for target, _ in LINK.findall(page.read_text()):
        assert (page.parent / target).exists(), target


def test_the_citation_is_of_this_version():
    citation = dict(re.findall(r"^(\S+): (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    version = re.search(r"version: '(.+)'", (ROOT / "meson.build").read_text())[1]
    assert citation["version"] == version
    assert citation["license"] == project["license"]
    assert citation["url"] == project["urls"]["Homepage"]
    assert citation["cff-version"] == "1.2.0"


def test_the_readme_has_the_commands_that_ci_runs():
    """In the order of the steps: what installs and shows a picture, and the tests."""
    text = (ROOT / "README.md").read_text()
    commands = re.findall(r"^```sh\n(.*?)\n```$", text, re.DOTALL | re.MULTILINE)
    ci = (ROOT / ".ci/run").read_text()
    assert len(commands) == 2
    assert (
        "pip install '.[examples,test]'" in commands[0] and "pip install '.[examples,test]'" in ci
    )
    for script in ("python examples/hillshade.py", "pytest -n auto"):
        assert script in " ".join(commands) and script in ci


def test_generated_parts_are_up_to_date():
    tool = runpy.run_path(str(ROOT / "tools" / "generate_docs.py"))
    for page, text in tool["generate"]().items():
        assert page.read_text() == text, f"{page_name(page)}: run tools/generate_docs.py"
