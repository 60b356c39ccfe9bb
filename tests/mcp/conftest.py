# SPDX-License-Identifier: Apache-2.0
"""Agents over runs that other tests read too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.event_log import DATA
from tests.reading.sql.sql_runs import write_runs

from .agent import Agent, agent_of

SWEEP = DATA / "mindspore" / "lineage_sweep"


@pytest.fixture(scope="session")
def odd_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Odd names, numbers that are none, a restart, parameters."""
    return write_runs(tmp_path_factory.mktemp("odd"))


@pytest.fixture(scope="module")
def odd(odd_base: Path) -> Iterator[Agent]:
    with agent_of(odd_base) as agent:
        yield agent


@pytest.fixture(scope="module")
def sweep() -> Iterator[Agent]:
    with agent_of(SWEEP) as agent:
        yield agent
