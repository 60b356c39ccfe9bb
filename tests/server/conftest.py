# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .live_viewer import DATA, GrowingLog, LiveViewer, eventually, running_viewer


def pytest_itemcollected(item: pytest.Item) -> None:
    """Put the route into the id of a test of schemathesis: since pytest 9.2 only its name has it."""
    if not item.nodeid.endswith(item.name):
        item._id = item._id.parse(f"{item.nodeid.rpartition('::')[0]}::{item.name}")


@pytest.fixture(scope="session")
def viewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """A viewer over the real logs, all loaded."""
    with running_viewer(DATA, tmp_path_factory.mktemp("viewer"), "--reload-interval", "0") as live:
        want = sorted(path.parent for path in DATA.rglob("events*"))
        eventually(lambda: len(live.runs()) == len(set(want)) and all(run["tags"] for run in live.runs().values()))
        yield live


@pytest.fixture
def growing(tmp_path: Path) -> GrowingLog:
    return GrowingLog(tmp_path / "logs" / "run")
