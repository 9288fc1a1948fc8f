# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Builds the documentation as a site in build/docs/html; needs gpuarray and its extra `docs`.

    python -P tools/build_docs.py [--external]

The pages are docs/*.md, a gallery of examples/ and a reference that is made from the package.
Everything runs on the cpu device. A warning, a local link to nothing and an example that fails are
errors; --external looks at links to other sites too. tests/project/test_docs.py runs the examples
of the pages.
"""

import argparse
import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "docs" / "_site"
OUT = ROOT / "build" / "docs"
NUMPY = "https://numpy.org/doc/stable"
sys.path.insert(0, str(SITE))


def numpy_inventory(path: Path) -> set[str]:
    """Write NumPy's list of documented names, of its site or, without one, of the installed NumPy.

    Returns the names. Pages of functions and ufuncs are called by their names, so that the list
    can be made here.
    """
    from sphinx.util.inventory import InventoryFile

    try:
        with urllib.request.urlopen(f"{NUMPY}/objects.inv", timeout=10) as answer:
            path.write_bytes(answer.read())
    except (urllib.error.URLError, TimeoutError):
        print(f"build_docs.py: {NUMPY} cannot be reached; links go to the pages of this NumPy")
        write_inventory(path)
    return set(InventoryFile.loads(path.read_bytes(), uri=NUMPY).data.get("py:function", {}))


def write_inventory(path: Path) -> None:
    import zlib

    import numpy as np

    lines = []
    for module in (np, np.fft, np.linalg):
        for name in module.__all__:
            value = getattr(module, name)
            if callable(value) and not isinstance(value, type):
                full = f"{module.__name__}.{name}"
                lines.append(f"{full} py:function 1 reference/generated/{full}.html#$ -\n")
    head = "# Sphinx inventory version 2\n# Project: NumPy\n# Version: \n"
    head += "# The remainder of this file is compressed using zlib.\n"
    path.write_bytes(head.encode() + zlib.compress("".join(lines).encode()))


def write_pages(source: Path, numpy_names: set[str]) -> None:
    """Make the folder that Sphinx reads."""
    import gallery
    import reference
    import stage

    import gpuarray

    stage.copy_pages(source, gallery.galleries())
    stage.write_sections(source)
    gallery.write_gallery(source)
    with gpuarray.device("cpu"):
        count = reference.write_reference(source, numpy_names)
    print(f"build_docs.py: {count} names in the reference")


def sphinx(builder: str, source: Path, inventory: Path, *options: str) -> int:
    command = [sys.executable, "-P", "-m", "sphinx", "-b", builder, "-c", SITE, *options]
    environment = {**os.environ, "GPUARRAY_DOCS_NUMPY_INVENTORY": str(inventory)}
    return subprocess.run([*command, source, OUT / builder], env=environment).returncode


class Links(HTMLParser):
    """The links of a page, and the places in it that links may lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if value is None:
                continue
            if name == "id":
                self.places.add(value)
            elif name in ("href", "src"):
                self.links.append(value)


def broken_links(html: Path) -> list[str]:
    """The links of the built pages to files, or to places in them, that there are not."""
    pages = {
        page: Links(page.read_text())
        for page in sorted(html.rglob("*.html"))
        if "_static" not in page.parts
    }
    broken = []
    for page, found in pages.items():
        for link in dict.fromkeys(found.links):
            address, place = urldefrag(link)
            if urlsplit(link).scheme or link.startswith("//") or link == "#":
                continue
            target = (page.parent / unquote(urlsplit(address).path)).resolve() if address else page
            is_there = target.exists() and (
                not place or target not in pages or unquote(place) in pages[target].places
            )
            if not is_there:
                broken.append(f"{page.relative_to(html)}: {link}")
    return broken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--external", action="store_true", help="look at links to other sites")
    wanted = parser.parse_args()
    os.environ["GPUARRAY_DEVICE"] = "cpu"
    shutil.rmtree(OUT, ignore_errors=True)
    source, inventory = OUT / "source", OUT / "numpy.inv"
    source.mkdir(parents=True)
    write_pages(source, numpy_inventory(inventory))
    if sphinx("html", source, inventory, "-q", "-W", "--keep-going", "-j", "auto"):
        return 1
    broken = broken_links(OUT / "html")
    for line in broken:
        print(f"build_docs.py: a link to nothing: {line}")
    if wanted.external and sphinx("linkcheck", source, inventory, "-q"):
        return 1
    print(f"build_docs.py: {OUT / 'html' / 'index.html'}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
