# SPDX-License-Identifier: Apache-2.0
"""Runs with profiles, debugging data and logs, the same whenever they are written."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from tests.debug.recorded_runs import write_run
from tests.debug.test_compare import training
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

from .profile_tabs import write_profiles

BEGIN_S = 1_795_255_200.0
LEVELS = ("INFO", "INFO", "DEBUG", "INFO", "WARNING", "INFO", "ERROR")
RUNS = 5


def write_tools(base: Path) -> None:
    """Profiles of ``rank_0``, ``rank_1``, ``other``; tensors of ``debugged`` and ``differs``; a log of the former."""
    write_profiles(base)
    write_run(base / "debugged", training())
    write_run(base / "differs", training(differs=(3, "act")))
    log = base / "debugged" / "logs" / "mindspore.log"
    log.parent.mkdir()
    log.write_text("".join(log_line(each) for each in range(400)))


def log_line(number: int) -> str:
    """As MindSpore writes it, in the zone of this machine."""
    clock = datetime.fromtimestamp(BEGIN_S + number**1.5 / 4).strftime("%Y-%m-%d-%H:%M:%S.%f")
    module = ("ME", "DEVICE", "ANALYZER")[number % 3]
    text = (
        f"step {number // 8}, loss {2 / (number + 1):.4f}" if number % 5 else f"graph {number} compiled\n  from cache"
    )
    level = LEVELS[number % len(LEVELS)]
    return f"[{level}] {module}(7:8,MainProcess):{clock[:-3]}.{clock[-3:]} [mindspore/train.py:{number}] {text}\n"


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """A viewer over these runs."""
    base = tmp_path_factory.mktemp("tools")
    write_tools(base)
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: len([run for run in live.runs().values() if run["contents"] or run["tags"]]) == RUNS)
        yield live
