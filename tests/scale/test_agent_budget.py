# SPDX-License-Identifier: Apache-2.0
"""Answers to agents stay short and quick with 10,000 runs, and with a million points."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.mcp.results import MOST_CHARACTERS
from tests.event_log import LINEAGE_NAME, MINDSPORE_NAME, lineage, scalars, version
from tests.mcp.agent import Agent, agent_of

pytestmark = pytest.mark.scale

RUNS = 10_000
POINTS = 1_000_000
FILE = MINDSPORE_NAME.format(1)
CALLS: dict[str, dict[str, Any]] = {
    "list_runs": {"columns": ["learning_rate", "loss"], "sort": "loss", "limit": 200},
    "best_run": {"metric": "loss", "top": 50},
    "compare_runs": {"runs": [f"group{number}/run{number:05}" for number in range(10)]},
    "list_alerts": {"limit": 200},
    "read_curves": {"runs": ["*"], "tags": ["loss"], "points": 2000},
    "query_sql": {"statement": "SELECT run, last FROM metrics ORDER BY last", "limit": 1000},
}


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    base = tmp_path_factory.mktemp("many")
    for number in range(RUNS):
        run = base / f"group{number % 100}" / f"run{number:05}"
        run.mkdir(parents=True)
        points = b"".join(scalars(step, {"loss": 1 / (number + step)}, 1e9 + step) for step in range(1, 11))
        parameters = {"train_lineage": {"hyper_parameters": {"learning_rate": number / RUNS}}}
        (run / FILE).write_bytes(version() + points)
        (run / LINEAGE_NAME.format(1)).write_bytes(lineage(parameters))
    with agent_of(base) as agent:
        yield agent


def test_answers_about_many_runs_are_short(many: Agent) -> None:
    began = time.monotonic()
    assert many("list_runs")["summary"] == "20 of 10,000 runs; narrow with pattern or where, or raise limit."
    assert time.monotonic() - began < 60  # it reads all logs
    for tool, arguments in CALLS.items():
        began = time.monotonic()
        answer = many(tool, **arguments)
        assert time.monotonic() - began < 30, tool
        assert len(json.dumps(answer)) < 1.2 * MOST_CHARACTERS, tool
    summary = many("list_alerts")["summary"]
    assert summary.startswith("0 alerts.")
    assert summary.endswith(("10,000 runs checked.", "call it again for more."))
    assert many("read_curves", **CALLS["read_curves"])["summary"].startswith("20 of 10,000 curves; at most 20 are read")


def test_a_million_points_are_reduced_with_exact_extremes(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    values = random.normal(size=POINTS).astype(np.float32)
    low, high, bad = 123_456, 765_432, 999_000
    values[[low, high, bad]] = -50, 50, np.nan
    run = tmp_path / "long"
    run.mkdir()
    with (run / FILE).open("wb") as file:
        file.write(version())
        for step in range(POINTS):
            file.write(scalars(step, {"loss": float(values[step])}, 1e9 + step / 100))
    with agent_of(tmp_path) as agent:
        agent("list_runs")
        began = time.monotonic()
        (curve,) = agent("read_curves", runs=["long"], tags=["loss"], points=100)["curves"]
        assert time.monotonic() - began < 5
    assert 50 <= len(curve["points"]) <= 100
    assert curve["summary"] == f"{len(curve['points'])} of 1,000,000 points; a narrower range of steps has more detail."
    assert curve["min"] == {"step": low, "value": -50.0}
    assert curve["max"] == {"step": high, "value": 50.0}
    assert curve["nan"] == {"count": 1, "first_steps": [bad]}
    assert [bad, "NaN"] in curve["points"]
    assert len(json.dumps(curve)) < 5000


def test_a_curve_of_gaps_keeps_the_budget(tmp_path: Path) -> None:
    run = tmp_path / "gaps"
    run.mkdir()
    numbers = [np.nan, np.inf, -np.inf, 1.0]
    points = b"".join(event_of(step, numbers[step % 4]) for step in range(5000))
    (run / FILE).write_bytes(version() + points)
    with agent_of(tmp_path) as agent:
        for budget in (12, 13, 60, 400):
            (curve,) = agent("read_curves", runs=["gaps"], tags=["loss"], points=budget)["curves"]
            assert budget / 3 <= len(curve["points"]) <= budget
            assert curve["nan"]["count"] == curve["positive_infinity"]["count"] == 1250


def event_of(step: int, value: float) -> bytes:
    return scalars(step, {"loss": float(value)}, 1e9 + step)
