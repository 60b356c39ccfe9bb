# SPDX-License-Identifier: Apache-2.0
"""``record``: which values become which events, in which order."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mindscope.capture import SummaryRecord

if TYPE_CHECKING:
    from conftest import Log

GRAPH = {"node": [{"name": "1", "op_type": "Add"}], "name": "net"}


def test_values_of_a_step_stand_in_one_event(log: Log) -> None:
    with SummaryRecord(log.directory) as record:
        record.add_value("scalar", "loss", 0.5)
        record.add_value("histogram", "weights", np.arange(10))
        record.add_value("image", "input", np.zeros((4, 4), np.uint8))
        record.add_value("tensor", "logits", np.arange(3))
        record.add_value("scalar", "rate", 0.1)
        assert record.record(7) is True
    (event,) = log.events()
    assert event["step"] == 7
    assert {value["tag"] for value in event["summary"]["value"]} == {"loss", "rate", "weights", "input", "logits"}


def test_events_follow_the_calls_of_record(log: Log) -> None:
    steps = [3, 1, 2, -5, 1 << 40, np.int64(9), np.iinfo(np.int64).max, np.iinfo(np.int64).min]
    with SummaryRecord(log.directory) as record:
        for step in steps:
            record.add_value("scalar", "loss", float(len(log.directory.name)))
            if step == 2:
                record.add_value("histogram", "slow", np.arange(200_000))
            record.record(step)
    assert [event["step"] for event in log.events()] == [int(step) for step in steps]
    times = [event["wall_time"] for event in log.events()]
    assert times == sorted(times)


def test_nothing_is_written_without_values(log: Log) -> None:
    with SummaryRecord(log.directory) as record:
        assert record.record(1) is True
        record.flush()
    assert list(log.directory.iterdir()) == []


def test_lineage_stands_in_a_file_of_its_own(log: Log) -> None:
    with SummaryRecord(log.directory, raise_exception=True) as record:
        record.add_value("dataset_graph", "dataset_graph", {"parameter": {"mapStr": {"op": "Batch"}}})
        record.add_value("train_lineage", "", {"hyper_parameters": {"learning_rate": np.float32(0.5), "epoch": 3}})
        record.add_value("eval_lineage", "", {"metric": {"acc": np.float32(0.5), "loss": float("nan")}})
        record.record(1)
    assert log.paths() == []
    data_set, train, evaluation = log.lineage()
    assert data_set["dataset_graph"]["parameter"]["mapStr"] == {"op": "Batch"}
    assert train["train_lineage"]["hyper_parameters"] == {"learning_rate": 0.5, "epoch": 3}
    assert json.loads(evaluation["evaluation_lineage"]["metric"]) == {"acc": 0.5, "loss": "NaN"}


def test_graph_comes_before_the_values_of_its_step(log: Log) -> None:
    with SummaryRecord(log.directory) as record:
        record.add_value("scalar", "loss", 1.0)
        record.add_value("graph", "", GRAPH)
        record.record(1)
    graph, step = log.events()
    assert graph["graph_def"] == GRAPH
    assert "step" not in graph
    assert step["step"] == 1


class Network:
    """A network that has a graph from its second step on."""

    def __init__(self) -> None:
        self.calls = 0

    def get_func_graph_proto(self) -> dict[str, Any] | None:
        self.calls += 1
        return GRAPH if self.calls > 1 else None


def test_graph_of_a_network_is_recorded_once(log: Log) -> None:
    with SummaryRecord(log.directory, network=Network()) as record:
        for step in range(4):
            record.add_value("scalar", "loss", 1.0)
            record.record(step)
    events = log.events()
    assert [event.get("step") for event in events] == [0, None, 1, 2, 3]
    assert events[1]["graph_def"] == GRAPH


def test_train_network_gives_the_graph_where_the_first_has_none(log: Log) -> None:
    with SummaryRecord(log.directory) as record:
        record.record(1, train_network=GRAPH)
        record.record(2, train_network=GRAPH)
    assert [event["graph_def"] for event in log.events()] == [GRAPH]


def test_filter_throws_away_whole_plugins(log: Log) -> None:
    asked: list[str] = []

    def is_scalar(plugin: str) -> bool:
        asked.append(plugin)
        return plugin == "scalar"

    with SummaryRecord(log.directory) as record:
        for tag in "ab":
            record.add_value("scalar", tag, 1.0)
            record.add_value("tensor", tag, np.zeros(2))
        record.add_value("custom_lineage_data", "", {"a": 1})
        record.record(1, plugin_filter=is_scalar)
        record.record(2)
    assert sorted(asked) == ["custom_lineage_data", "scalar", "tensor"]
    (event,) = log.events()
    assert all("scalar_value" in value for value in event["summary"]["value"])
    assert log.lineage() == []


@pytest.mark.parametrize("step", [1.0, "1", None, True, [1], np.array([1])])
def test_step_must_be_a_whole_number(log: Log, step: Any) -> None:
    with SummaryRecord(log.directory) as record, pytest.raises(TypeError, match="want a whole number"):
        record.record(step)


@pytest.mark.parametrize("step", [1 << 63, -(1 << 63) - 1])
def test_step_must_fit_int64(log: Log, step: int) -> None:
    with SummaryRecord(log.directory) as record, pytest.raises(ValueError, match=r"2\*\*63"):
        record.record(step)


def test_threads_record_their_own_values(log: Log) -> None:
    start = threading.Barrier(8)

    def train(number: int) -> None:
        start.wait()
        for step in range(200):
            record.add_value("scalar", f"loss/{number}", float(step))
            if step % 50 == 0:
                record.add_value("histogram", f"h/{number}", np.arange(1000))
            record.record(step)

    with SummaryRecord(log.directory) as record:
        threads = [threading.Thread(target=train, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for number in range(8):
        assert log.scalars(f"loss/{number}") == [(step, float(step)) for step in range(200)]
        assert len(log.values(f"h/{number}")) == 4


def test_values_of_a_thread_that_never_records_go_with_the_next_record(log: Log) -> None:
    with SummaryRecord(log.directory) as record, ThreadPoolExecutor(1) as worker:
        for step in range(3):
            helper = threading.Thread(target=record.add_value, args=("scalar", "helper", float(step)))
            helper.start()
            helper.join()
            worker.submit(record.add_value, "scalar", "worker", float(step)).result()
            record.add_value("scalar", "main", float(step))
            record.record(step)
    assert log.scalars("helper") == log.scalars("worker") == log.scalars("main") == [(0, 0.0), (1, 1.0), (2, 2.0)]
