# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Copies the pages of docs/ to the folder that Sphinx reads, and writes the pages of sections.

Every docs/*.md becomes a page: one that SECTIONS does not name stands at the end of the guide.
"""

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#:\s]+)(#[\w-]+)?\)")

# A text of a link that is a page's file, in whose place the site has the page's title.
FILE_NAME = re.compile(r"(docs/)?[\w-]+\.md")

# Pages by their names in docs/, in the order of the site; a * is a pattern.
SECTIONS = {
    "guide": (
        "Guide",
        "notebooks/first-steps arrays indexing operations products fft linalg random sorting dtypes"
        " devices memory transfers memory-kinds files streams graphs fusion kernels kernel-cache"
        " errors faults timing debugging testing",
    ),
    "libraries": (
        "Other libraries",
        "from-* numpy-names semantics array-api interop scale extensions",
    ),
    "development": (
        "Development",
        "building releasing design benchmarks contributing deprecation security changelog",
    ),
}
REST = "guide"
OUTSIDE = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}


def title_of(page: Path) -> str:
    found = re.search(r"^# (.+)$", page.read_text(), re.MULTILINE)
    if found is None:
        raise ValueError(f"{page}: expected a title, a line that begins with '# '")
    return found[1]


def descriptions() -> dict[str, str]:
    """What README.md says of each page in its table, by the page's name."""
    rows = re.findall(r"^\| \[[^\]]+\]\(docs/([\w-]+)\.md\) \| (.+) \|$", readme(), re.MULTILINE)
    return dict(rows)


def readme() -> str:
    return (ROOT / "README.md").read_text()


def site_link(target: Path, page: Path, source: Path, galleries: dict[str, str]) -> str | None:
    """Where a link of the page to a file of the repository leads on the site; None: nowhere."""
    name = target.relative_to(ROOT).as_posix()
    up = "../" * (len(page.relative_to(source).parts) - 1)
    if name in OUTSIDE or name in galleries:
        return up + (OUTSIDE.get(name) or galleries[name])
    if target.is_relative_to(DOCS):
        return up + target.relative_to(DOCS).as_posix()
    if target.is_file():
        copy = source / "files" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(target, copy)
        return f"{up}files/{name}"
    return None


def copy_page(original: Path, page: Path, source: Path, galleries: dict[str, str]) -> None:
    """Copy a page; its links to files that are no pages lead to the gallery or to a copy."""

    def replace(link: re.Match[str]) -> str:
        target = (original.parent / link[2]).resolve()
        if not target.exists() or not target.is_relative_to(ROOT):
            return link[0]  # which Sphinx reports
        place = site_link(target, page, source, galleries)
        text = "" if FILE_NAME.fullmatch(link[1]) else link[1]
        return f"[{text}]({place}{link[3] or ''})" if place else link[1]

    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(LINK.sub(replace, original.read_text()))


def copy_pages(source: Path, galleries: dict[str, str]) -> None:
    for original in [*DOCS.glob("*.md"), *DOCS.glob("examples/*.md")]:
        copy_page(original, source / original.relative_to(DOCS), source, galleries)
    for name, page in OUTSIDE.items():
        copy_page(ROOT / name, source / page, source, galleries)
    for folder in ("images", "notebooks"):
        ignore = shutil.ignore_patterns(".*")
        shutil.copytree(DOCS / folder, source / folder, dirs_exist_ok=True, ignore=ignore)


def pages_of_sections(source: Path) -> dict[str, list[str]]:
    """The pages of each section; patterns are filled in, and no page is left out."""
    here = {page.stem: page.stem for page in sorted(source.glob("*.md"))}
    here |= {f"notebooks/{page.stem}": "" for page in sorted(source.glob("notebooks/*.ipynb"))}
    placed: dict[str, list[str]] = {}
    for section, (_, names) in SECTIONS.items():
        known = [
            list(source.glob(f"{name}.md")) if "*" in name else [name] for name in names.split()
        ]
        flat = [page.stem if isinstance(page, Path) else page for group in known for page in group]
        placed[section] = sorted_patterns(flat, here)
    listed = {name for names in placed.values() for name in names} | {"index", *SECTIONS}
    placed[REST] += [name for name in here if name not in listed]
    return placed


def sorted_patterns(names: list[str], here: dict[str, str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name in here]


def write_sections(source: Path) -> None:
    """Write a page for each section, with what README.md says of its pages, and the contents."""
    told = descriptions()
    contents = [
        "## [Reference](reference/index.rst) and [gallery](gallery/index.md)",
        "",
        "A page for every function and class, and programs with their pictures.",
        "",
    ]
    for section, names in pages_of_sections(source).items():
        title = SECTIONS[section][0]
        rows = []
        for name in names:
            if name.startswith("notebooks/"):
                rows.append(f"- [](/{name}.ipynb): a notebook, to read or to run")
                continue
            text = f": {told[name]}" if name in told else ""
            rows.append(f"- [{title_of(source / f'{name}.md')}]({name}.md){text}")
        contents += [f"## [{title}]({section}.md)", "", *rows, ""]
        lines = [f"# {title}", "", *rows, "", "```{toctree}", ":hidden:", "", *names, "```", ""]
        (source / f"{section}.md").write_text("\n".join(lines))
    with open(source / "index.md", "a") as index:
        index.write("\n".join(["", *contents]))
