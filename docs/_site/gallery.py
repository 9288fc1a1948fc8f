# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Writes the gallery: a page for each program in examples/, with its picture in docs/images/."""

import ast
import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
IMAGES = ROOT / "docs" / "images"


def scripts() -> list[Path]:
    """The programs, those with a picture first."""
    found = sorted(EXAMPLES.rglob("*.py"))
    return sorted(found, key=lambda script: picture(script) is None)


def title(script: Path) -> str:
    return script.relative_to(EXAMPLES).as_posix()


def page_name(script: Path) -> str:
    return "-".join(script.relative_to(EXAMPLES).with_suffix("").parts)


def galleries() -> dict[str, str]:
    """The page of each program, and of each folder with one program, by its path."""
    pages = {}
    for script in scripts():
        page = f"gallery/{page_name(script)}.md"
        pages[script.relative_to(ROOT).as_posix()] = page
        if script.parent != EXAMPLES and len(list(script.parent.glob("*.py"))) == 1:
            pages[script.parent.relative_to(ROOT).as_posix()] = page
    return pages


def picture(script: Path) -> Path | None:
    image = IMAGES / f"{script.stem}.png"
    return image if image.exists() else None


def summary(script: Path) -> str:
    """The first paragraph of the program's docstring, without the command that starts it."""
    text = ast.get_docstring(ast.parse(script.read_text())) or script.stem
    first = text.partition("\n\n")[0].replace("\n", " ")
    return re.sub(r":? python (examples/)?\S+\.py.*", ".", first)


def beside(script: Path) -> list[Path]:
    """The other sources that the program reads: those of its own folder."""
    if script.parent == EXAMPLES:
        return []
    suffixes = {".cu", ".cuh", ".hpp"}
    return sorted(path for path in script.parent.rglob("*") if path.suffix in suffixes)


def write_page(script: Path, folder: Path) -> None:
    lines = [f"# {title(script)}", "", summary(script), ""]
    if image := picture(script):
        lines += [f"![{script.stem}](../images/{image.name})", ""]
    for path in [script, *beside(script)]:
        shutil.copyfile(path, folder / f"{page_name(script)}-{path.name}.txt")
        language = "python" if path.suffix == ".py" else "cuda"
        lines += [
            f"## {path.name}",
            "",
            f"```{{literalinclude}} {page_name(script)}-{path.name}.txt",
            f":language: {language}",
            *([':start-at: \'"""\''] if path.suffix == ".py" else [":lines: 3-"]),
            "```",
            "",
        ]
    (folder / f"{page_name(script)}.md").write_text("\n".join(lines))


def card(script: Path) -> list[str]:
    lines = [
        f":::{{grid-item-card}} {script.name}",
        f":link: {page_name(script)}",
        ":link-type: doc",
    ]
    if image := picture(script):
        lines.append(f":img-top: ../images/{image.name}")
    return [*lines, "", summary(script), ":::", ""]


def write_gallery(source: Path) -> None:
    folder = source / "gallery"
    folder.mkdir()
    found = scripts()
    for script in found:
        write_page(script, folder)
    cards = [line for script in found for line in card(script)]
    pages = [page_name(script) for script in found]
    guides = sorted(f"../examples/{page.stem}" for page in source.glob("examples/*.md"))
    listed = [f"- [](/{page.removeprefix('../')}.md)" for page in guides]
    text = [
        *("# Gallery", "", "The programs of the folder `examples/`.", ""),
        *("::::{grid} 1 2 2 3", ":gutter: 3", "", *cards, "::::", ""),
        *("## With explanations", "", *listed, ""),
        *("```{toctree}", ":hidden:", "", *pages, *guides, "```", ""),
    ]
    (folder / "index.md").write_text("\n".join(text))
