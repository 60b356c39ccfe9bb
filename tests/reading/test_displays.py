# SPDX-License-Identifier: Apache-2.0
"""Notebooks show runs, curves and images as tables and pictures."""

from __future__ import annotations

import math
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from mindscope import SummaryRecord, open_runs
from mindscope.types import Audio, Image

pytest.importorskip("IPython")


def html_of(value: object) -> str:
    from IPython.core.formatters import DisplayFormatter

    data, _ = DisplayFormatter().format(value)
    return data["text/html"]


def table_of(value: object) -> list[list[str]]:
    """The cells of all rows, read as a browser would."""
    page = ElementTree.fromstring(f"<div>{html_of(value)}</div>")
    return [["".join(cell.itertext()) for cell in row] for row in page.iter("tr")]


def record(directory: Path, losses: list[float], name: str = "loss") -> None:
    with SummaryRecord(str(directory)) as summary:
        for step, loss in enumerate(losses):
            summary.add_value("scalar", name, np.float32(loss))
            summary.record(step)


def test_runs_are_a_table_with_the_curve_that_most_have(tmp_path: Path) -> None:
    record(tmp_path / "a", [4.0, 2.0, 1.0])
    record(tmp_path / "b", [4.0, 3.0])
    record(tmp_path / "<b>", [1.0], name="accuracy")
    runs = open_runs(tmp_path)
    head, *rows = table_of(runs)
    assert head == ["Run", "State", "Last step", "loss", ""]
    assert sorted(row[0] for row in rows) == ["<b>", "a", "b"]
    by_name = {row[0]: row for row in rows}
    assert by_name["a"][2:4] == ["2", "1"]
    assert by_name["<b>"][3] == ""
    assert "<b></b>" not in html_of(runs)
    assert html_of(runs).count("<svg") == 2


def test_a_run_lists_its_scalars(tmp_path: Path) -> None:
    record(tmp_path / "a", [4.0, 2.0, 1.5])
    (run,) = open_runs(tmp_path).values()
    assert table_of(run)[1][:2] == ["loss", "1.5"]


def test_a_curve_is_interrupted_where_it_is_not_finite(tmp_path: Path) -> None:
    record(tmp_path / "a", [1.0, 2.0, math.nan, 3.0, 4.0])
    record(tmp_path / "b", [math.nan])
    runs = open_runs(tmp_path)
    assert html_of(runs["a"].scalars("loss")).count("<polyline") == 2
    assert "<polyline" not in html_of(runs["b"].scalars("loss"))
    record(tmp_path / "c", [0.0] * 5000 + [9.0] + [0.0] * 5000)
    page = ElementTree.fromstring(f"<div>{html_of(open_runs(tmp_path)['c'].scalars('loss'))}</div>")
    (line,) = page.iter("polyline")
    heights = [float(point.split(",")[1]) for point in line.attrib["points"].split()]
    assert len(heights) <= 240
    assert min(heights) < max(heights)  # the only peak among 10,001 points is still there


def test_an_image_is_shown_and_no_repr_prints_bytes() -> None:
    png = b"\x89PNG" + bytes(100)
    assert repr(Image(2, 3, 1, png)) == "Image(height=2, width=3, channels=1)"
    assert Image(2, 3, 1, png)._repr_png_() == png
    assert Image(2, 3, 1, b"\xff\xd8\xff")._repr_png_() is None
    assert "x00" not in repr(Audio(8000.0, 1, 100, bytes(100), "audio/wav"))
