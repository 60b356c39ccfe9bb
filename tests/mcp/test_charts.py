# SPDX-License-Identifier: Apache-2.0
"""Pictures of curves are those of ``Runs.plot``."""

from __future__ import annotations

import base64
import io
import sys
from typing import Any

import numpy as np
import pytest
from PIL import Image

from mindscope.reading import open_runs
from tests.reading.sql.sql_runs import ODD_RUN, ODD_TAG

from .agent import Agent
from .conftest import SWEEP


def png(agent: Agent, **arguments: Any) -> bytes:
    result = agent.call("draw_curves", **arguments)
    assert not result.is_error, result.content
    image = result.content[0]
    assert image.type == "image"
    return base64.b64decode(image.data)


def pixels(data: bytes) -> np.ndarray[Any, Any]:
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def test_a_chart_is_the_figure_of_the_python_api(sweep: Agent) -> None:
    drawn = pixels(png(sweep, tags=["loss/auto"], runs=["run_0?"], width=800, height=480))
    names = [f"run_0{number}" for number in range(1, 10)]
    figure = open_runs(SWEEP).plot(["loss/auto"], runs=names, size=(5, 3))
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=160)
    expected = pixels(buffer.getvalue())
    assert drawn.shape == (480, 800, 3)
    assert np.array_equal(drawn, expected)


def test_groups_smoothing_and_axes_change_the_picture(sweep: Agent) -> None:
    plain = png(sweep, tags=["loss/auto"])
    for options in ({"by": ["optimizer"]}, {"smoothing": 0.9}, {"log_y": True}, {"where": "learning_rate < 0.01"}):
        assert png(sweep, tags=["loss/auto"], **options) != plain


def test_odd_names_and_numbers_are_drawn(odd: Agent) -> None:
    assert pixels(png(odd, tags=[ODD_TAG], runs=[ODD_RUN])).shape == (600, 1000, 3)


def test_what_cannot_be_drawn_is_said(sweep: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "loss/auto" in sweep.refusal("draw_curves", tags=["loss/aut"])
    assert "list_runs" in sweep.refusal("draw_curves", tags=["loss/auto"], runs=["none*"])
    assert "optimizer" in sweep.refusal("draw_curves", tags=["loss/auto"], by=["optimzer"])
    assert "smoothing" in sweep.refusal("draw_curves", tags=["loss/auto"], smoothing=1.0)
    assert "at most 6" in sweep.refusal("draw_curves", tags=["loss/auto"] * 7)
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # type: ignore[arg-type]
    assert "Matplotlib" in sweep.refusal("draw_curves", tags=["loss/auto"])
