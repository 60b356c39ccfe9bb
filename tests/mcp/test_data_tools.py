# SPDX-License-Identifier: Apache-2.0
"""Tools over profiles, debugging data and logs: what they say of runs that have them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mindscope import SummaryRecord, open_run
from mindscope.profile.advice.advice import share_text
from mindscope.profile.overview import overview_of
from tests.debug.made_sources import Recorded, gradient, output, source_of
from tests.debug.recorded_runs import write_run
from tests.profile.kineto_events import Events
from tests.reading.test_run_debug import training

from .agent import Agent, agent_of

LINES = 300
CRASH = """Traceback (most recent call last):
  File "train.py", line 12, in <module>
    loss.backward()
RuntimeError: the loss is NaN
"""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("trainings")
    write_run(base / "bad", training())
    write_run(base / "healthy", training(99))
    write_log(base / "bad" / "train.log", CRASH)
    write_log(base / "healthy" / "train.log", "")
    with SummaryRecord(str(base / "profiled")) as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    for name, time in (("a", 900), ("b", 20)):
        write_profile(base / "profiled" / f"{name}.pt.trace.json", time)
    return base


def write_log(path: Path, end: str) -> None:
    lines = [f"2026-12-01 10:{line // 60:02}:{line % 60:02},000 INFO train: step {line}" for line in range(LINES)]
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([*lines, end]))


def write_profile(path: Path, time: int) -> None:
    events = Events()
    for number in range(4):
        start = number * 1000
        events.step(number, start, 1000)
        events.op("aten::mm", start + 10, time)
        events.op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", start + 920, 60)
    events.write(path)


@pytest.fixture(scope="module")
def agent(base: Path) -> Iterator[Agent]:
    with agent_of(base) as agent:
        yield agent


def test_the_first_bad_number_is_that_of_the_python_api(agent: Agent, base: Path) -> None:
    answer = agent("first_bad_number", run="bad")
    expected = open_run(base / "bad").debug.first_bad()
    assert expected is not None
    assert answer["sentences"][: len(expected.sentences())] == expected.sentences()
    assert (answer["step"], answer["operator"], answer["cause"]) == (3, "log/Log", str(expected.cause))
    assert answer["chain"] == list(expected.chain)
    healthy = agent("first_bad_number", run="healthy")
    assert healthy["sentences"] == ["No NaN and no infinity damages the training."]
    assert "step" not in healthy
    assert "it has ." in agent("first_bad_number", run="bad", source="x")["sentences"][0]


def test_an_end_within_a_step_is_said(tmp_path: Path) -> None:
    whole = [Recorded(output("fc"), [1.0], 1), Recorded(gradient("fc"), [1.0], 2)]
    write_run(tmp_path / "run", source_of({1: whole, 2: whole, 3: whole[:1]}))
    with agent_of(tmp_path) as agent:
        assert "The training ended within step 3, after fc/Linear." in agent("first_bad_number", run="run")["sentences"]


def test_the_data_of_a_run_are_named(agent: Agent) -> None:
    assert agent("describe_run", run="bad")["debugging_data"] == ["."]
    assert agent("describe_run", run="bad")["logs"] == ["train.log"]
    profiled = agent("describe_run", run="profiled")
    assert profiled["profiles"] == ["a.pt.trace.json", "b.pt.trace.json"]
    assert profiled["debugging_data"] == profiled["logs"] == []


def test_advice_is_that_of_the_profile(agent: Agent, base: Path) -> None:
    answer = agent("profile_advice", run="profiled", profile="a.pt.trace.json", top=1)
    overview = overview_of(open_run(base / "profiled").profiles()[0])
    assert [row["finding"] for row in answer["advice"]] == [card.advice[0].finding for card in overview.cards]
    assert answer["advice"][0]["remedy"] == overview.cards[0].advice[0].remedy
    assert answer["parts"] == {part: share_text(share) for part, share in overview.parts.items() if share}
    assert [row["name"] for row in answer["operators"]] == ["aten::mm"]
    assert "The run has 2 profiles: profile names another." in answer["summary"]
    assert agent("profile_advice", run="profiled")["profile"] == "b.pt.trace.json"
    assert "it has a.pt.trace.json, b.pt.trace.json." in agent.refusal("profile_advice", run="profiled", profile="c")
    assert "record one with" in agent.refusal("profile_advice", run="bad")


def test_the_last_lines_of_a_log_are_read(agent: Agent) -> None:
    page = agent("read_logs", run="healthy", limit=5)
    assert [line["text"] for line in page["lines"]] == [f"step {line}" for line in range(LINES - 5, LINES)]
    assert page["summary"].startswith(f"5 of {LINES} messages; narrow with search, regex, level or step")
    assert page["files"] == ["train.log"]
    begin = agent("read_logs", run="healthy", limit=2, where="begin")
    assert [line["text"] for line in begin["lines"]] == ["step 0", "step 1"]


def test_a_log_is_searched(agent: Agent) -> None:
    page = agent("read_logs", run="healthy", regex="step 1?7$")
    assert [line["text"] for line in page["lines"]] == ["step 7", "step 17"]
    assert page["summary"] == "2 messages. 1 file."
    assert agent("read_logs", run="healthy", search="STEP 299")["lines"][0]["time"] is not None
    assert agent("read_logs", run="healthy", level="error")["lines"] == []
    assert "regular expression" in agent.refusal("read_logs", run="healthy", regex="(")


def test_the_crash_is_found_and_only_where_there_is_one(agent: Agent) -> None:
    page = agent("read_logs", run="bad", where="crash", limit=10)
    assert any("RuntimeError: the loss is NaN" in line["text"] for line in page["lines"])
    assert "does not end with an error" not in page["summary"]
    page = agent("read_logs", run="healthy", where="crash", limit=10)
    assert "The log does not end with an error." in page["summary"]
    assert "has no logs: let the training write" in agent.refusal("read_logs", run="profiled")


def test_a_long_message_keeps_both_ends(tmp_path: Path) -> None:
    write_log(
        tmp_path / "run" / "a.log", "\n".join(["Traceback (most recent call last):", "  x" * 9000, "KeyError: 'end'"])
    )
    with agent_of(tmp_path) as agent:
        (line,) = agent("read_logs", run="run", search="KeyError")["lines"]
    assert line["text"].startswith("step 299\nTraceback")
    assert line["text"].endswith("KeyError: 'end'")
    assert " characters) …" in line["text"]
    assert len(line["text"]) < 2100


def test_a_failed_training_has_an_alert(agent: Agent) -> None:
    alerts = agent("list_alerts", rule="failed")["alerts"]
    assert [alert["run"] for alert in alerts] == ["bad"]
    assert "RuntimeError: the loss is NaN" in alerts[0]["message"]
