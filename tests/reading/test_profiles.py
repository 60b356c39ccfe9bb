# SPDX-License-Identifier: Apache-2.0
"""Profiles of runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindscope import SummaryRecord, open_run
from mindscope.errors import FormatError
from tests.profile.kineto_events import Events


def test_profiles_beside_event_files_are_those_of_the_run(tmp_path: Path) -> None:
    with SummaryRecord(str(tmp_path)) as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    for number in (10, 9):
        events = Events()
        events.step(number, 0, 100)
        events.op("aten::mm", 10, 20)
        events.write(tmp_path / f"host_1.{number}.pt.trace.json")
    profiles = open_run(tmp_path).profiles()
    assert [path.name for path in profiles.paths] == ["host_1.9.pt.trace.json", "host_1.10.pt.trace.json"]
    assert [each.steps.number.tolist() for each in profiles] == [[9], [10]]
    assert profiles[-1] is profiles[1]
    assert profiles[0].operators.to_pandas()["name"].tolist() == ["aten::mm"]
    assert len(profiles[0].timeline(0, 1)) == 1


def test_profiles_of_runs_below_are_not_those_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    Events().write(tmp_path / "other" / "a.pt.trace.json")
    Events().write(tmp_path / "b.pt.trace.json")
    assert [path.name for path in open_run(tmp_path).profiles().paths] == ["b.pt.trace.json"]


def test_a_damaged_profile_loses_only_itself(tmp_path: Path) -> None:
    (tmp_path / "a.pt.trace.json").write_text('{"schemaVersion": 1')
    Events().write(tmp_path / "b.pt.trace.json")
    profiles = open_run(tmp_path).profiles()
    with pytest.raises(FormatError, match="has no list traceEvents"):
        profiles[0]
    assert profiles[1].trace is not None
