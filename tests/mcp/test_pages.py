# SPDX-License-Identifier: Apache-2.0
"""Pictures of pages: what a browser paints of the viewer that the server starts."""

from __future__ import annotations

import base64
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from PIL import Image

from tests.browser.chromium import PROGRAMS, program

from .agent import Agent, agent_of
from .conftest import SWEEP

pytestmark = pytest.mark.browser


def pixels(agent: Agent, **arguments: Any) -> np.ndarray[Any, Any]:
    result = agent.call("draw_page", **arguments)
    assert not result.is_error, result.content
    image = result.content[0]
    assert image.type == "image"
    assert image.mime_type == "image/png"
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(image.data))).convert("RGB"))


def test_a_picture_has_the_page_its_size_and_its_theme() -> None:
    with agent_of(SWEEP, browser=Path(program(PROGRAMS))) as agent:
        light = pixels(agent, page="scalars", width=900, height=600)
        dark = pixels(agent, page="scalars", width=900, height=600, theme="dark")
        one = pixels(agent, page="scalars", width=900, height=600, runs=["run_07"])
        assert light.shape == dark.shape == one.shape == (600, 900, 3)
        assert light.mean() > 200 > 60 > dark.mean()
        chart = np.s_[200:560, 400:880]
        colors = [len(np.unique(picture[chart].reshape(-1, 3) // 32, axis=0)) for picture in (one, light)]
        assert 1 < colors[0] < colors[1]  # one curve, twelve curves
    assert not [thread for thread in psutil.Process().children(recursive=True) if "chrom" in thread.name()]


def test_a_browser_that_is_missing_is_named(tmp_path: Path) -> None:
    with agent_of(SWEEP, browser=tmp_path / "none") as agent:
        text = agent.refusal("draw_page", page="runs")
        assert text.startswith("No browser starts: ")
        assert text.endswith("name a Chromium with --browser PATH.")


def test_a_missing_playwright_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)  # type: ignore[arg-type]
    with agent_of(SWEEP) as agent:
        assert "pip install 'mindscope[browser]'" in agent.refusal("draw_page", page="runs")
        assert "page:" in agent.refusal("draw_page", page="../../etc")
