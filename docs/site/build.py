# SPDX-License-Identifier: Apache-2.0
"""Build the documents as a web site that needs no network: ``python docs/site/build.py [FOLDER]``.

The site is in English, and below ``zh`` in Chinese. A document without a translation in ``docs/zh`` is in
English there, and says so. A link to a page or a heading that does not exist fails.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LANGUAGES = {"en": "English", "zh": "简体中文"}
OTHERS = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
"""Documents of the project's own folder that others link to."""
DECISIONS = {"en": "Decisions", "zh": "设计决策"}
UNTRANSLATED = '!!! note ""\n    本页尚未翻译，以下为英文原文。\n\n'
LINK = re.compile(r'(\]\(|(?:src|srcset)=")((?!https?:|#)[^)"#]+)(#[^)"]+)?')
CONFIG = """
[project]
site_name = "mindscope"
site_description = "Record trainings and look at them live"
use_directory_urls = false
nav = {nav}

[project.theme]
language = "{language}"
font = false
favicon = "images/mark.svg"
logo = "images/mark.svg"
features = ["navigation.sections", "navigation.top", "search.highlight", "content.code.copy", "toc.follow"]
palette = [
  {{ media = "(prefers-color-scheme)" }},
  {{ media = "(prefers-color-scheme: light)", scheme = "default", primary = "indigo" }},
  {{ media = "(prefers-color-scheme: dark)", scheme = "slate", primary = "indigo" }},
]

[project.extra]
generator = false
alternate = [
  {{ name = "English", link = "{english}", lang = "en" }},
  {{ name = "简体中文", link = "{chinese}", lang = "zh" }},
]
"""


def build(site: Path) -> None:
    """Write the site; raises CalledProcessError if a link is broken."""
    shutil.rmtree(site, ignore_errors=True)
    for language in LANGUAGES:
        with tempfile.TemporaryDirectory() as folder:
            room = Path(folder)
            gather(room / "docs", language)
            (room / "zensical.toml").write_text(config(language), "utf-8")
            subprocess.run([sys.executable, "-m", "zensical", "build", "--strict"], cwd=room, check=True)
            shutil.copytree(room / "site", site if language == "en" else site / language, dirs_exist_ok=True)


def pages() -> dict[Path, Path]:
    """The place in the site of each file, by its path in the project; of a translation, see ``original``."""
    documents = [path.relative_to(ROOT) for path in (DOCS / "decisions", DOCS) for path in sorted(path.glob("*.md"))]
    places = {path: path.relative_to("docs") for path in documents}
    places |= {path.relative_to(ROOT): Path("images", path.name) for path in (DOCS / "images").iterdir()}
    places |= {path.relative_to(ROOT): path.relative_to(ROOT) for path in (ROOT / "examples").glob("*.py")}
    places |= {Path(name): Path(name) for name in OTHERS}
    return places | {Path("docs/README.md"): Path("contents.md"), Path("README.md"): Path("index.md")}


def translation(path: Path) -> Path:
    """Where the Chinese document of an English one is, or would be."""
    return Path("README.zh-CN.md") if path == Path("README.md") else Path("docs/zh", *path.parts[1:])


def gather(docs: Path, language: str) -> None:
    """Copy the documents in a language, with links as they are in the site."""
    places = pages()
    translations = {path: translation(path) for path in places if (ROOT / translation(path)).is_file()}
    for path, place in places.items():
        (docs / place).parent.mkdir(parents=True, exist_ok=True)
        if path.suffix != ".md":
            shutil.copy(ROOT / path, docs / place)
            continue
        is_translated = language == "zh" and path in translations
        source = translations[path] if is_translated else path
        link = partial(link_in_site, source=source, language=language, places=places, translations=translations)
        text = LINK.sub(link, (ROOT / source).read_text("utf-8"))
        (docs / place).write_text(text if language == "en" or is_translated else UNTRANSLATED + text, "utf-8")
    shutil.copy(ROOT / "ui" / "public" / "mark.svg", docs / "images")


def link_in_site(
    link: re.Match[str], source: Path, language: str, places: dict[Path, Path], translations: dict[Path, Path]
) -> str:
    """A link of a document, to the place in the site of what it leads to."""
    originals = {each: path for path, each in translations.items()}
    path = Path(os.path.normpath(source.parent / link[2]))
    path = path / "0001-compiled-formats.md" if path.name == "decisions" else path
    place, found, heading = places[originals.get(source, source)], places[originals.get(path, path)], link[3] or ""
    up = "../" * (len(place.parts) - 1)
    if path in originals and language == "en":  # to the Chinese document
        return f"{link[1]}{up}zh/{found.with_suffix('.html').as_posix()}{heading}"
    if path in translations and source in originals:  # to the English original
        return f"{link[1]}{up}../{found.with_suffix('.html').as_posix()}{heading}"
    if path in translations and language == "zh":
        heading = ""  # a document that is not translated has the English heading
    return link[1] + Path(os.path.relpath(found, place.parent)).as_posix() + heading


def config(language: str) -> str:
    """The settings of the generator; the order of the pages is that of the table of contents."""
    contents = DOCS / "zh" / "README.md" if language == "zh" else DOCS / "README.md"
    sections: list[Any] = ["index.md", "contents.md"]
    text = contents.read_text("utf-8")
    for heading, table in re.findall(r"^\*\*([^*\n]+)\*\*$(.*?)(?=^\*\*[^*\n]+\*\*$|\Z)", text, re.M | re.S):
        rows = re.findall(r"^\| (.+) \| \[[^|]+\]\(((?:\.\./)*)([\w-]+\.md)\)", table, re.M)
        # a document that is not translated has the title of its row
        sections.append({heading: [{task: page} if above else page for task, above, page in rows]})
    decisions = [f"decisions/{path.name}" for path in sorted((DOCS / "decisions").glob("*.md"))]
    nav = json.dumps([*sections, {DECISIONS[language]: decisions}], ensure_ascii=False)
    nav = re.sub(r'": (?=["\[])', '" = ', nav)  # tables of TOML
    home = {"en": ("index.html", "zh/index.html"), "zh": ("../index.html", "index.html")}[language]
    return CONFIG.format(nav=nav, language=language, english=home[0], chinese=home[1])


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "site")
