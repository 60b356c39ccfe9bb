# SPDX-License-Identifier: Apache-2.0
"""``add_value``: what is collected, how it is kept, and what is said of what can't be."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mindscope import open_run
from mindscope.capture import SummaryRecord
from mindscope.errors import TypeRejectedError, ValueRejectedError
from mindscope.types import Kind, Landscape

if TYPE_CHECKING:
    from conftest import Log


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
        {"map_int32": {"d": 1}, "map_bool": {"d": True}},
        {"map_double": {"e": 0.5}},
        {"map_str": {"f": str(1 << 40)}, "map_int64": {"f": 1 << 40}},
        {"map_double": {"g": float("inf")}},
    ]


def test_own_lineage_entries_come_back_as_they_were(tmp_path: Path) -> None:
    entries = {
        "flag": True, "off": np.bool_(False), "one": 1, "wide": 1 << 40, "negative": -(1 << 63), "text": "true",
        "model": {"depth": 3, "norm": {"is_on": True, "eps": 1e-5}},
    }  # fmt: skip
    with SummaryRecord(tmp_path, raise_exception=True) as record:
        record.add_value("custom_lineage_data", "", entries)
        record.record(1)
    custom = open_run(tmp_path).lineage.custom
    assert custom == {
        "flag": True, "off": False, "one": 1, "wide": 1 << 40, "negative": -(1 << 63), "text": "true",
        "model.depth": 3, "model.norm.is_on": True, "model.norm.eps": 1e-5,
    }  # fmt: skip
    assert {name: type(value) for name, value in custom.items()} == {
        "flag": bool, "off": bool, "one": int, "wide": int, "negative": int, "text": str,
        "model.depth": int, "model.norm.is_on": bool, "model.norm.eps": float,
    }  # fmt: skip


def test_one_bad_lineage_entry_loses_no_other(tmp_path: Path) -> None:
    cycle: dict[str, Any] = {"depth": 3}
    cycle["self"] = cycle
    entries = {"a": 1, "list": [1], 3: "x", "b": {"c": 2, "none": None}, "b.c": 4, "wider": 1 << 80}
    with SummaryRecord(tmp_path) as record:
        record.add_value("custom_lineage_data", "", entries)
        record.add_value("custom_lineage_data", "", {"cycle": cycle})
        record.record(1)
    run = open_run(tmp_path)
    custom = run.lineage.custom
    assert {name: custom[name] for name in ("a", "b.c", "wider")} == {"a": 1, "b.c": 2, "wider": str(1 << 80)}
    assert len(custom) == 3 + 32
    assert custom["cycle.self.depth"] == 3
    assert run.dropped == 5


@pytest.mark.parametrize("tag", ["a/b:c d", "损失", "\ud800", "x" * 5000, "\0"])
def test_any_text_is_a_tag(log: Log, tag: str) -> None:
    with SummaryRecord(log.directory, raise_exception=True) as record:
        record.add_value("scalar", tag, 1.0)
        for plugin in ("tensor", "histogram", "image"):
            record.add_value(plugin, tag, np.zeros((2, 2)))
        record.add_value("landscape", tag, {"metadata": {"unit": "step"}})
        record.record(1)
    assert len(log.values(tag.encode("utf-8", "backslashreplace").decode())) == 5


@pytest.mark.parametrize("value", [1e300, -1e300, float("nan"), float("inf")])
def test_scalars_are_float32_and_never_hidden(log: Log, value: float) -> None:
    with SummaryRecord(log.directory) as record:
        record.add_value("scalar", "a", value)
        record.record(1)
    with np.errstate(over="ignore"):
        np.testing.assert_equal(log.scalars("a"), [(1, float(np.float32(value)))])


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


def test_drops_are_counted_on_at_the_end_of_a_training(log: Log) -> None:
    """The lineage of a training is recorded as step 0, which must not put the last count before an earlier one."""
    with SummaryRecord(log.directory) as record:
        for step in (1, 2):
            record.add_value("scalar", "good", 1.0)
            record.add_value("scalar", "bad", "x")
            record.record(step)
            if step == 1:
                record.flush()
        record.add_value("train_lineage", "", {})
        record.record(0)
    assert log.scalars("mindscope/dropped") == [(1, 1.0), (2, 2.0)]


@pytest.mark.parametrize("name", ["", None, 3, b"a"])
def test_name_must_be_text(log: Log, name: Any) -> None:
    with SummaryRecord(log.directory) as record, pytest.raises(TypeError, match="name of a scalar"):
        record.add_value("scalar", name, 1.0)


@pytest.mark.parametrize("plugin", ["texts", "scalars", "", None, 3])
def test_unknown_plugin_is_an_error(log: Log, plugin: Any) -> None:
    with SummaryRecord(log.directory) as record, pytest.raises(ValueError, match="want one of scalar, image"):
        record.add_value(plugin, "a", 1.0)


@pytest.mark.parametrize(
    ("plugin", "shape"),
    [("tensor", (3_500_000_000,)), ("image", (60_000, 60_000, 1)), ("image", (9, 30_000, 5_000, 1)),
     ("video", (3500, 1000, 1000, 1)), ("video", (200, 2000, 2000, 1))],
)  # fmt: skip
def test_what_is_refused_for_its_size_is_not_copied(log: Log, plugin: str, shape: tuple[int, ...]) -> None:
    value = np.broadcast_to(np.uint8(1), shape)
    with SummaryRecord(log.directory, raise_exception=True) as record:
        tracemalloc.start()
        try:
            with pytest.raises(ValueRejectedError, match=r"want .*(below|at most) .*; record"):
                record.add_value(plugin, "it", value)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 1 << 20


def test_an_image_of_nearly_the_largest_size_is_taken(log: Log) -> None:
    with SummaryRecord(log.directory, raise_exception=True) as record:
        record.add_value("image", "it", np.broadcast_to(np.uint8(1), (1, 8192, 8192)))
        record.record(1)
    (value,) = log.values("it")
    assert value["image"]["height"] == 8192
