# SPDX-License-Identifier: Apache-2.0
"""The web site of the documents, their pictures and their translations."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.pictures import documents
from tests.document_blocks import blocks

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TRANSLATIONS = {ROOT / "README.md": ROOT / "README.zh-CN.md"} | {
    DOCS / path.name: path for path in (DOCS / "zh").glob("*.md")
}
WITHOUT_PICTURES = {
    f"{name}.md"
    for name in (
        *"README access agents commands deploy event-files expressions glossary http notebook".split(),
        *"proxies python remote".split(),
    )
}
"""Documents of no page of the product."""
ALL_BYTES = 3_200_000
PICTURE = re.compile(r'<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">\s*<img ([^>]+)>')


def documents_with_pictures() -> list[Path]:
    return [ROOT / "README.md", ROOT / "README.zh-CN.md", *DOCS.rglob("*.md")]


def test_pictures_are_light_and_dark_and_have_a_text() -> None:
    used: set[str] = set()
    for document in documents_with_pictures():
        text = document.read_text("utf-8")
        found = PICTURE.findall(text)
        assert text.count("<img") + text.count("![") == len(found), f"{document}: a picture in another form"
        for dark, attributes in found:
            named = dict(re.findall(r'(\w+)="([^"]*)"', attributes))
            assert len(named["alt"]) >= 8, f"{document}: {dark} needs a text"
            assert named["src"].replace("-light", "-dark") == dark
            used |= {Path(dark).stem, Path(named["src"]).stem}
    assert used == documents.names() == {path.stem for path in documents.FOLDER.iterdir()}


def test_pictures_are_small() -> None:
    sizes = {path.name: path.stat().st_size for path in documents.FOLDER.iterdir()}
    assert {name: size for name, size in sizes.items() if size > documents.LARGEST_BYTES} == {}
    assert sum(sizes.values()) <= ALL_BYTES


def test_documents_of_pages_have_a_picture() -> None:
    without = {path.name for path in DOCS.glob("*.md") if "<picture>" not in path.read_text("utf-8")}
    assert without == WITHOUT_PICTURES


@pytest.mark.parametrize("original", TRANSLATIONS, ids=lambda path: path.name)
def test_translations_have_the_code_of_the_original(original: Path) -> None:
    code, translated = (
        [re.sub(r"\s*#.*", "", text) for _, _, text in blocks(path)] for path in (original, TRANSLATIONS[original])
    )
    assert translated == code[: len(translated)]
    assert not code or translated


def test_readme_shows_what_its_script_prints(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (printed,) = re.findall(r"^```\n\$ mindscope inspect runs/first\n(.*?)\n\$", readme, re.MULTILINE | re.DOTALL)
    _, _, script = next(blocks(ROOT / "README.md"))
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    command = [sys.executable, "-m", "mindscope", "inspect", "runs/first"]
    shown = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    lines = {line.strip() for line in shown.splitlines()}
    assert [line for line in printed.splitlines() if line.strip() not in lines] == []


def test_the_site_has_each_document_in_both_languages(tmp_path: Path) -> None:
    command = [sys.executable, str(DOCS / "site" / "build.py"), str(tmp_path / "site")]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    pages = {path.stem for path in DOCS.glob("*.md")} - {"README"} | {"index", "contents", "CHANGELOG"}
    for language in ("en", "zh"):
        site = tmp_path / "site" / ("" if language == "en" else language)
        texts = {page: (site / f"{page}.html").read_text("utf-8") for page in pages}
        for page, text in texts.items():
            assert f'lang="{language}"' in text
            assert re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="https?:', text) == [], page
            is_translated = page in ("index", "contents") or (DOCS / "zh" / f"{page}.md").is_file()
            assert ("本页尚未翻译" in text) == (language == "zh" and not is_translated), page
        assert ("转储（dump）算子的输入和输出" in texts["index"]) == (language == "zh")
        for source in re.findall(r'srcset="([^"]+)"', texts["index"]):
            assert (site / source).is_file()
        found = json.loads((site / "search.json").read_text("utf-8"))["items"]
        assert any("平滑" in item["text"] for item in found) == (language == "zh")


def test_a_broken_link_fails(tmp_path: Path) -> None:
    project = tmp_path / "project"
    for path in (*ROOT.glob("*.md"), *DOCS.rglob("*.*"), ROOT / "ui" / "public" / "mark.svg"):
        copy = project / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    (project / "examples").symlink_to(ROOT / "examples")
    runs = project / "docs" / "runs.md"
    runs.write_text(runs.read_text("utf-8") + "\n[lost](scalars.md#no-such-heading)\n", "utf-8")
    command = [sys.executable, str(project / "docs" / "site" / "build.py"), str(tmp_path / "site")]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode != 0
    assert "no-such-heading" in re.sub(r"\x1b\[[\d;]*m", "", built.stdout + built.stderr)
