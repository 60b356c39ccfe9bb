# SPDX-License-Identifier: Apache-2.0
"""SummaryRecord: what is collected, when it is recorded, and what is said of what can't be."""

from __future__ import annotations

import json
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mindscope.capture import SummaryRecord
from mindscope.errors import RecorderClosedError, TypeRejectedError, ValueRejectedError
from mindscope.types import Kind, Landscape

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


def test_kinds_name_plugins_and_case_does_not_matter(log: Log) -> None:
    with SummaryRecord(log.directory, raise_exception=True) as record:
        record.add_value(Kind.SCALAR, "a", 1)
        record.add_value("LANDSCAPE", "l", Landscape(np.arange(2.0), np.arange(2.0), np.zeros((2, 2))))
        record.record(0)
    assert log.scalars("a") == [(0, 1.0)]
    assert len(log.values("l")) == 1


def test_of_one_tag_the_newest_value_is_kept(log: Log) -> None:
    with SummaryRecord(log.directory) as record:
        for value in (1.0, 2.0, 3):
            record.add_value("scalar", "same", value)
            record.add_value("tensor", "same", np.array([value]))
        record.record(20)
    scalar, tensor = log.values("same")
    assert scalar["scalar_value"] == 3.0
    assert tensor["tensor"]["float_data"].tolist() == [3.0]


def test_a_value_is_copied_when_it_is_added(log: Log) -> None:
    arrays = {"histogram": np.zeros(100), "tensor": np.zeros(100), "image": np.zeros((10, 10), np.uint8)}
    with SummaryRecord(log.directory) as record:
        for plugin, array in arrays.items():
            record.add_value(plugin, plugin, array)
            array += 1
        record.record(1)
        for array in arrays.values():
            array += 1
    assert log.values("histogram")[0]["histogram"]["max"] == 0
    assert not log.values("tensor")[0]["tensor"]["float_data"].any()


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


def test_own_lineage_entries_keep_their_types(log: Log) -> None:
    entries = {
        "a": 1,
        "b": 2.5,
        "c": "text",
        "d": True,
        "e": np.float32(0.5),
        "f": np.int64(1 << 40),
        "g": float("inf"),
    }
    with SummaryRecord(log.directory, raise_exception=True) as record:
        record.add_value("custom_lineage_data", "mine", entries)
        record.record(1)
    (event,) = log.lineage()
    assert event["user_defined_info"]["user_info"] == [
        {"map_int32": {"a": 1}},
        {"map_double": {"b": 2.5}},
        {"map_str": {"c": "text"}},
        {"map_int32": {"d": 1}},
        {"map_double": {"e": 0.5}},
        {"map_str": {"f": str(1 << 40)}},
        {"map_double": {"g": float("inf")}},
    ]


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


@pytest.mark.parametrize(
    ("plugin", "value"),
    [
        ("scalar", "0.5"),
        ("scalar", 1j),
        ("scalar", np.zeros(3)),
        ("image", np.zeros((2, 5, 5))),
        ("image", np.zeros((3, 0, 5))),
        ("histogram", np.zeros(3, complex)),
        ("histogram", "text"),
        ("tensor", np.array(["a"])),
        ("landscape", 3),
        ("graph", {"nodes": []}),
        ("graph", b"\xff\xff"),
        ("train_lineage", {"algorithm": {"loss": "high"}}),
        ("eval_lineage", [1]),
        ("custom_lineage_data", {"a": [1]}),
        ("custom_lineage_data", {1: "a"}),
    ],
)
def test_bad_value_raises_or_is_counted(log: Log, plugin: str, value: Any) -> None:
    with SummaryRecord(log.directory / "raise", raise_exception=True) as record:
        with pytest.raises(ValueRejectedError, match=f"{plugin} 'it' was not recorded: .*"):
            record.add_value(plugin, "it", value)
        assert record.record(1) is True
    with SummaryRecord(log.directory, raise_exception=False) as record:
        record.add_value(plugin, "it", value)
        record.add_value("scalar", "good", 1.0)
        assert record.record(1) is True
        record.flush()
        record.add_value(plugin, "it", value)
        record.record(2)
    assert log.scalars("good") == [(1, 1.0)]
    assert log.values("it") == []
    assert log.scalars("mindscope/dropped") == [(1, 1.0), (1, 2.0)]


def test_wrong_type_is_a_type_error_too(log: Log) -> None:
    with SummaryRecord(log.directory, raise_exception=True) as record, pytest.raises(TypeError):
        record.add_value("scalar", "a", "1")
    with SummaryRecord(log.directory, raise_exception=True) as record, pytest.raises(TypeRejectedError):
        record.add_value("image", "a", None)


def test_drops_are_written_even_if_nothing_else_is(log: Log) -> None:
    with SummaryRecord(log.directory) as record:
        record.add_value("scalar", "a", "x")
    assert log.scalars("mindscope/dropped") == [(0, 1.0)]


@pytest.mark.parametrize("name", ["", None, 3, b"a"])
def test_name_must_be_text(log: Log, name: Any) -> None:
    with SummaryRecord(log.directory) as record, pytest.raises(TypeError, match="name of a scalar"):
        record.add_value("scalar", name, 1.0)


@pytest.mark.parametrize("plugin", ["text", "scalars", "", None, 3])
def test_unknown_plugin_is_an_error(log: Log, plugin: Any) -> None:
    with SummaryRecord(log.directory) as record, pytest.raises(ValueError, match="want one of scalar, image"):
        record.add_value(plugin, "a", 1.0)


@pytest.mark.parametrize("step", [1.0, "1", None, True, [1], np.array([1])])
def test_step_must_be_a_whole_number(log: Log, step: Any) -> None:
    with SummaryRecord(log.directory) as record, pytest.raises(TypeError, match="want a whole number"):
        record.record(step)


@pytest.mark.parametrize("step", [1 << 63, -(1 << 63) - 1])
def test_step_must_fit_int64(log: Log, step: int) -> None:
    with SummaryRecord(log.directory) as record, pytest.raises(ValueError, match=r"2\*\*63"):
        record.record(step)


@pytest.mark.parametrize("value", [1e300, -1e300, float("nan"), float("inf")])
def test_scalars_are_float32_and_never_hidden(log: Log, value: float) -> None:
    with SummaryRecord(log.directory) as record:
        record.add_value("scalar", "a", value)
        record.record(1)
    with np.errstate(over="ignore"):
        np.testing.assert_equal(log.scalars("a"), [(1, float(np.float32(value)))])


@pytest.mark.parametrize("tag", ["a/b:c d", "损失", "\ud800", "x" * 5000, "\0"])
def test_any_text_is_a_tag(log: Log, tag: str) -> None:
    with SummaryRecord(log.directory, raise_exception=True) as record:
        record.add_value("scalar", tag, 1.0)
        for plugin in ("tensor", "histogram", "image"):
            record.add_value(plugin, tag, np.zeros((2, 2)))
        record.add_value("landscape", tag, {"metadata": {"unit": "step"}})
        record.record(1)
    assert len(log.values(tag.encode("utf-8", "backslashreplace").decode())) == 5


@pytest.mark.parametrize(
    ("argument", "value", "error"),
    [
        ("file_prefix", 3, TypeError),
        ("file_prefix", "a/b", ValueError),
        ("file_prefix", "", ValueError),
        ("file_suffix", None, TypeError),
        ("file_suffix", "_lineage", ValueError),
        ("num_process", 0, ValueError),
        ("num_process", 1.5, TypeError),
        ("max_file_size", "1", TypeError),
        ("max_file_size", True, TypeError),
        ("raise_exception", 1, TypeError),
        ("network", object(), TypeError),
        ("export_options", [], TypeError),
        ("export_options", {"image_format": "png"}, ValueError),
        ("export_options", {"tensor_format": "csv"}, ValueError),
        ("export_options", {"tensor_format": 3}, TypeError),
        ("log_dir", 3, TypeError),
    ],
)
def test_arguments_are_checked(log: Log, argument: str, value: Any, error: type[Exception]) -> None:
    arguments: dict[str, Any] = {"log_dir": log.directory, argument: value}
    with pytest.raises(error, match=argument):
        SummaryRecord(**arguments)


def test_mode_is_train_or_eval(log: Log) -> None:
    with SummaryRecord(log.directory) as record:
        assert record.mode == "train"
        record.set_mode("eval")
        assert record.mode == "eval"
        with pytest.raises(ValueError, match="want 'train' or 'eval'"):
            record.set_mode("test")


def test_closed_recorder_records_nothing(log: Log) -> None:
    record = SummaryRecord(log.directory)
    record.add_value("scalar", "a", 1.0)
    record.record(1)
    record.close()
    before = {path: path.read_bytes() for path in log.paths()}
    record.add_value("scalar", "a", 2.0)
    assert record.record(2) is False
    record.flush()
    record.close()
    assert {path: path.read_bytes() for path in log.paths()} == before
    with pytest.raises(RecorderClosedError):
        record.__enter__()


def test_adding_after_close_raises_if_told_to(log: Log) -> None:
    record = SummaryRecord(log.directory, raise_exception=True)
    record.close()
    with pytest.raises(RecorderClosedError):
        record.add_value("scalar", "a", 1.0)


def test_flush_brings_everything_into_the_file(log: Log) -> None:
    with SummaryRecord(log.directory) as record:
        for step in range(100):
            record.add_value("scalar", "a", float(step))
            record.add_value("histogram", "h", np.arange(1000))
            record.record(step)
        record.flush()
        assert len(log.events()) == 100


def test_name_mode_and_log_dir_of_the_file(log: Log) -> None:
    record = SummaryRecord(str(log.directory), file_prefix="train", file_suffix="_mine")
    announced = record.log_dir
    record.add_value("scalar", "a", 1.0)
    record.record(1)
    record.add_value("train_lineage", "", {})
    record.record(2)
    record.flush()
    (path,) = log.paths("_mine")
    (lineage,) = log.paths("_lineage")
    assert record.log_dir == announced == str(path)
    assert path.name.startswith("train.out.events.summary.")
    assert lineage.name == path.name.removesuffix("_mine") + "_lineage"
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(lineage.stat().st_mode) == 0o600
    record.close()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(lineage.stat().st_mode) == 0o400


@pytest.mark.parametrize(
    ("environment", "want"),
    [
        ({}, "0"),
        ({"RANK_ID": "3", "RANK_SIZE": "8"}, "3"),
        ({"RANK": "2", "WORLD_SIZE": "4"}, "2"),
        ({"RANK": "2", "WORLD_SIZE": "1"}, "0"),
        ({"RANK": "2"}, "2"),
        ({"RANK": "x", "WORLD_SIZE": "4"}, "0"),
    ],
)
def test_rank_is_in_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], want: str
) -> None:
    for name in ("RANK_ID", "RANK_SIZE", "RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with SummaryRecord(tmp_path) as record:
        assert Path(record.log_dir).name.split(".")[5] == want


def test_tensors_are_exported_as_npy(log: Log) -> None:
    array = np.arange(6, dtype=np.int64).reshape(2, 3) + (1 << 60)
    with SummaryRecord(log.directory, export_options={"tensor_format": "npy"}) as record:
        record.add_value("tensor", "group/logits", array)
        record.add_value("tensor", "weight:fc1", array.astype(np.complex64))
        record.add_value("scalar", "a", 1.0)
        record.record(12)
    (directory,) = log.directory.glob("export_*")
    second = log.paths()[0].name.split(".")[4]
    assert directory.name == f"export_{second}"
    files = sorted((directory / "tensor").iterdir())
    assert [file.name for file in files] == ["group%2Flogits_12.npy", "weight%3Afc1_12.npy"]
    np.testing.assert_array_equal(np.load(files[0]), array)
    assert np.load(files[1]).dtype == np.complex64
    assert stat.S_IMODE(files[0].stat().st_mode) == 0o400
    assert len(log.values("group/logits")) == 1


def test_no_tag_leads_out_of_the_export(log: Log, tmp_path: Path) -> None:
    long = "x" * 5000
    tags = ["../../out", "/out", "..", ".", "a\0b", "\ud800", "损失" * 99, long, long + "y", "C:\\x", "-rf *"]
    with SummaryRecord(log.directory, export_options={"tensor_format": "npy"}) as record:
        for number, tag in enumerate(tags):
            record.add_value("tensor", tag, np.full(2, number))
        record.record(1)
    assert [*tmp_path.iterdir()] == [log.directory]
    assert len(log.paths()) == 1
    (directory,) = log.directory.glob("export_*")
    files = [each for each in directory.rglob("*") if each.is_file()]
    assert {file.parent for file in files} == {directory / "tensor"}
    assert sorted(np.load(file)[0] for file in files) == list(range(len(tags)))
    assert not log.scalars("mindscope/dropped")


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


def test_abandoned_recorder_is_finished(log: Log) -> None:
    record = SummaryRecord(log.directory)
    record.add_value("scalar", "a", 1.0)
    record.record(1)
    (writer,) = [thread for thread in threading.enumerate() if thread.name == "mindscope-writer"]
    del record
    writer.join(30)
    assert log.scalars("a") == [(1, 1.0)]
    assert stat.S_IMODE(log.paths()[0].stat().st_mode) == 0o400
