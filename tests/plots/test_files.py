# SPDX-License-Identifier: Apache-2.0
"""Files of figures: vectors, embedded fonts, equal bytes, labels inside, small."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from pypdf import PdfReader

import mindscope

from .conftest import write_curve


@pytest.fixture
def runs(tmp_path: Path) -> mindscope.Runs:
    random = np.random.default_rng(0)
    for seed in range(4):
        write_curve(tmp_path / f"runs/adam-{seed}", np.exp(-np.arange(200) / 60) + 0.05 * random.random(200))
    return mindscope.open_runs(tmp_path / "runs")


def fonts_of(reader: PdfReader) -> list[dict[str, Any]]:
    fonts = [font.get_object() for font in reader.pages[0]["/Resources"]["/Font"].values()]
    return [each.get_object() for font in fonts for each in font.get("/DescendantFonts", [font])]


def test_a_pdf_has_paths_text_and_embedded_fonts(runs: mindscope.Runs, tmp_path: Path):
    runs.plot("loss").savefig(tmp_path / "loss.pdf")
    reader = PdfReader(tmp_path / "loss.pdf")
    (page,) = reader.pages
    fonts = fonts_of(reader)
    assert fonts
    for font in fonts:
        assert font["/Subtype"] in ("/TrueType", "/CIDFontType2")
        assert "/FontFile2" in font["/FontDescriptor"]
    assert "adam-3" in page.extract_text()
    assert not list(page.images)
    drawn = page.get_contents().get_data()
    assert drawn.count(b" l\n") > 4 * 100
    assert float(page.mediabox.width) == pytest.approx(3.5 * 72)


@pytest.mark.parametrize("suffix", ["pdf", "svg", "png"])
def test_equal_data_is_equal_bytes(runs: mindscope.Runs, tmp_path: Path, suffix: str):
    for name in ("one", "other"):
        runs.plot("loss", smoothing=0.5).savefig(tmp_path / f"{name}.{suffix}")
    assert (tmp_path / f"one.{suffix}").read_bytes() == (tmp_path / f"other.{suffix}").read_bytes()


def test_source_date_epoch_is_the_date(runs: mindscope.Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    figure = runs.plot("loss")
    figure.savefig(tmp_path / "undated.pdf")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    figure.savefig(tmp_path / "dated.pdf")
    assert PdfReader(tmp_path / "undated.pdf").metadata.creation_date is None
    assert PdfReader(tmp_path / "dated.pdf").metadata.creation_date.year == 1970


def test_svg_and_png_are_readable(runs: mindscope.Runs, tmp_path: Path):
    runs.plot("loss", size=(4, 3)).savefig(tmp_path / "loss.svg")
    runs.plot("loss", size=(4, 3)).savefig(tmp_path / "loss.png")
    root = ElementTree.parse(tmp_path / "loss.svg").getroot()
    assert root.get("width") == "288pt"
    with Image.open(tmp_path / "loss.png") as image:
        assert image.size == (1200, 900)


def edges_of(path: Path) -> np.ndarray:
    """The outermost pixels: a text that is cut off reaches them."""
    with Image.open(path) as image:
        pixels = np.asarray(image.convert("L"))
    return np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])


@pytest.mark.parametrize("size", ["single", "text", "double", (2.0, 1.5)])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e9])
def test_no_label_is_cut_off(tmp_path: Path, size: Any, scale: float):
    for name in ("a" * 200, "b$_{x$", "c\n\x1b[1m", "训练"):
        write_curve(tmp_path / "runs" / name.replace("\n", "-").replace("\x1b", "-"), scale * np.arange(1, 30))
    runs = mindscope.open_runs(tmp_path / "runs")
    for is_log in (False, True):
        runs.plot("loss", size=size, log_y=is_log, best="auto").savefig(tmp_path / "loss.png")
        assert (edges_of(tmp_path / "loss.png") == 255).all()


def test_figures_stay_small(tmp_path: Path):
    random = np.random.default_rng(0)
    for number in range(3):
        write_curve(tmp_path / f"runs/r{number}", random.normal(size=10_000))
    figure = mindscope.open_runs(tmp_path / "runs").plot("loss", smoothing=0.9)
    for suffix, most in (("pdf", 250_000), ("svg", 700_000), ("png", 400_000)):
        figure.savefig(tmp_path / f"loss.{suffix}")
        assert (tmp_path / f"loss.{suffix}").stat().st_size < most


def test_a_notebook_shows_the_figure(runs: mindscope.Runs):
    data, size = runs.plot("loss")._repr_png_()
    assert data.startswith(b"\x89PNG")
    assert size["width"] == 350


def test_plotly_writes_what_it_shows(runs: mindscope.Runs, tmp_path: Path):
    figure = runs.plot("loss", engine="plotly")
    figure.write_json(tmp_path / "loss.json")
    names = [trace["name"] for trace in json.loads((tmp_path / "loss.json").read_text())["data"]]
    assert names == [f"adam-{seed}" for seed in range(4)]
