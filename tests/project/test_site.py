# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The parts of the site that need no Sphinx: its pages, its examples and its checks of links."""

import importlib
import re
import runpy
import sys
from pathlib import Path

import pytest

import gpuarray

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))


@pytest.fixture
def site(monkeypatch):
    """Import a module of docs/_site/ by its name."""
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_site"))
    names = ["docstrings", "gallery", "reference", "snippets", "stage"]
    with gpuarray.device("cpu"):
        yield importlib.import_module
    for name in names:
        sys.modules.pop(name, None)


@pytest.fixture
def source(site, tmp_path):
    site("stage").copy_pages(tmp_path, site("gallery").galleries())
    return tmp_path


def test_every_page_stands_in_one_section(site, source):
    (source / "of-a-colleague.md").write_text("# Of a colleague\n")
    placed = site("stage").pages_of_sections(source)
    names = [name for section in placed.values() for name in section]
    wanted = {page.stem for page in PAGES} - {"index"} | {"of-a-colleague"}
    assert sorted(names) == sorted(
        wanted | {"notebooks/first-steps", "contributing", "changelog", "security"}
    )


def test_a_page_without_a_title_is_refused(site, tmp_path):
    (tmp_path / "page.md").write_text("## Part\n")
    with pytest.raises(ValueError, match=r"page\.md: expected a title"):
        site("stage").title_of(tmp_path / "page.md")


def test_links_to_programs_lead_to_the_gallery(source):
    text = (source / "examples" / "zero-copy.md").read_text()
    assert "(../gallery/zero_copy.md)" in text
    assert "](files/gpuarray/_core.pyi)" in (source / "design.md").read_text()


def test_the_gallery_has_every_program_and_its_picture(site, source):
    site("gallery").write_gallery(source)
    index = (source / "gallery" / "index.md").read_text()
    programs = list((ROOT / "examples").rglob("*.py"))
    assert index.count("{grid-item-card}") == len(programs)
    assert ":img-top: ../images/hillshade.png" in index


def test_the_reference_has_every_public_function(site, source):
    site("reference").write_reference(source, {"numpy.sum"})
    folder = source / "reference"
    written = {page.stem.removeprefix("gpuarray.") for page in folder.glob("gpuarray.*.rst")}
    functions = [name for name in gpuarray.__all__ if callable(getattr(gpuarray, name))]
    ours = [name for name in functions if "numpy" not in str(getattr(gpuarray, name).__module__)]
    assert {*ours, "linalg.solve", "fft.fft", "random.normal"} <= written
    page = (folder / "gpuarray.sum.rst").read_text()
    assert ">>> gpuarray.sum(a, axis=0)\n   GPUArray([3, 5, 7]" in page
    assert ":py:obj:`numpy.sum`" in page and ":py:obj:`gpuarray.cumsum`" in page


def test_an_example_of_nothing_is_refused(site, source, monkeypatch):
    monkeypatch.setitem(site("snippets").EXAMPLES, "no_function", "gpuarray.no_function()")
    with pytest.raises(ValueError, match="no public function is called no_function"):
        site("reference").write_reference(source, set())


def test_an_example_that_fails_is_named(site, monkeypatch):
    snippets = site("snippets")
    monkeypatch.setitem(snippets.EXAMPLES, "sum", "gpuarray.sum(a, axis=7)")
    with pytest.raises(RuntimeError, match="the example of sum fails"):
        snippets.example_of("sum", gpuarray.sum)


def test_docstrings_are_no_markup(site):
    lines = ["Take *args and x_, with `a *b*` and", "``**c``.", "", "    indented *code*"]
    found = site("docstrings").paragraphs(lines)
    assert found[0] == r"Take \*args and x\_, with `a *b*` and"
    assert found[1:] == lines[1:]


def test_broken_links_are_found(tmp_path):
    broken_links = runpy.run_path(str(ROOT / "tools" / "build_docs.py"))["broken_links"]
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="b.html#there">b</a> <a href="#here">a</a> <a href="c.html">c</a>'
        ' <a href="b.html#nowhere">b</a> <img src="d.png"> <a href="https://numpy.org">n</a>'
    )
    (tmp_path / "b.html").write_text('<p id="there">')
    found = broken_links(tmp_path)
    assert found == ["a.html: c.html", "a.html: b.html#nowhere", "a.html: d.png"]


def blocks(page):
    """The programs of a page that are no sessions of an interpreter, as one."""
    text = (ROOT / "docs" / page).read_text()
    return "\n".join(re.findall(r"^```py\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))


def test_programs_of_the_page_on_pytorch():
    pytest.importorskip("torch")
    exec(compile(blocks("from-pytorch.md"), "from-pytorch.md", "exec"), {})


@pytest.mark.cuda
def test_programs_of_the_page_on_numba(cuda):
    pytest.importorskip("numba")
    program = compile(blocks("from-numba.md"), "from-numba.md", "exec")
    try:
        exec(program, {"__name__": "page"})
    except AttributeError as error:  # of a Numba that does not support this NumPy
        if "module 'numpy' has no" not in str(error):
            raise
        pytest.skip(f"Numba: {error}")
