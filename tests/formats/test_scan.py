# SPDX-License-Identifier: Apache-2.0
"""The compiled scan against the readable rules: the same rows, the same damage, for any file."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.errors import FormatError
from mindscope.formats import dialects, mindspore_schemas, tensorboard_schemas, wire
from mindscope.formats.frames import FrameReader, frame
from mindscope.formats.scan import EventScanner, Scanned
from mindscope.formats.time_range import TimeRange
from mindscope.types import DialectName, Kind, Undecodable

DATA = Path(__file__).parents[1] / "data"
LOGS = sorted(path for path in DATA.rglob("*") if "events.out" in path.name)

Rows = dict[tuple[Kind, str], list[tuple[Any, ...]]]


def rows_by_rule(data: bytes, dialect: DialectName) -> tuple[Rows, int, FrameReader]:
    """Series as ``dialects.locate`` gives them, and how many payloads it refused."""
    rows: Rows = {}
    kinds: dict[str, Kind] = {}
    refused = 0
    reader = FrameReader("events")
    for offset, payload in reader.records(data):
        try:
            values = list(dialects.locate(dialect, payload, offset, kinds))
        except FormatError:
            refused += 1
            continue
        for value in values:
            if isinstance(value, Undecodable):
                refused += 1
                continue
            scalar = None if value.scalar is None else np.float64(value.scalar)
            what = (bits(scalar),) if scalar is not None else (value.offset, value.length)
            rows.setdefault((value.kind, value.tag), []).append((value.step, value.wall_time, *what))
    return rows, refused, reader


def rows_by_scan(data: bytes, dialect: DialectName, cuts: list[int]) -> tuple[Rows, int, FrameReader]:
    rows: Rows = {}
    refused = 0
    scanner, reader = EventScanner(dialect, {}), FrameReader("events")
    for cut in [*cuts, len(data)]:
        scanner.scan(reader, data[reader.ahead : cut], len(data))
        scanned = scanner.take()
        refused += len(scanned.undecodable)
        for key, row in flatten(scanned):
            rows.setdefault(key, []).append(row)
    return rows, refused, reader


def bits(value: np.float64) -> bytes:
    """The value to the bit; of NaN there is one kind only, for a processor may change which on the way."""
    return b"nan" if np.isnan(value) else value.tobytes()


def flatten(scanned: Scanned) -> list[tuple[tuple[Kind, str], tuple[Any, ...]]]:
    found: list[tuple[tuple[Kind, str], tuple[Any, ...]]] = []
    for tag, columns in scanned.scalars.items():
        assert columns["value"].dtype in (np.float32, np.float64)
        with np.errstate(invalid="ignore"):  # of a signaling NaN
            values = [bits(value) for value in columns["value"].astype(np.float64)]
        rows = zip(columns["step"].tolist(), columns["wall_time"].tolist(), values, strict=True)
        found += [((Kind.SCALAR, tag), row) for row in rows]
    for key, columns in scanned.references.items():
        names = ("step", "wall_time", "offset", "length")
        found += [(key, row) for row in zip(*(columns[name].tolist() for name in names), strict=True)]
    return found


def assert_same(data: bytes, dialect: DialectName, cuts: list[int] | None = None) -> None:
    want, want_refused, want_reader = rows_by_rule(data, dialect)
    got, got_refused, got_reader = rows_by_scan(data, dialect, cuts or [])
    assert {key: sorted(map(repr, rows)) for key, rows in got.items()} == {
        key: sorted(map(repr, rows)) for key, rows in want.items()
    }
    assert got_refused == want_refused
    assert got_reader.position == want_reader.position
    assert got_reader.damages == want_reader.damages


@pytest.mark.parametrize("path", LOGS, ids=[path.relative_to(DATA).as_posix() for path in LOGS])
def test_real_logs_scan_to_the_same_rows(path: Path) -> None:
    data = path.read_bytes()
    first = next(iter(FrameReader("events").records(data)))[1]
    assert_same(data, dialects.detect(path.name, first), cuts=[len(data) // 3, len(data) // 2])


TAGS = st.sampled_from(["loss", "精度", "", "a" * 200, "b/c"])
SCALARS = st.builds(lambda tag, value: {"tag": tag, "scalar_value": value}, TAGS, st.floats(width=32))
OTHERS = st.builds(
    lambda tag: {"tag": tag, "image": {"height": 1, "width": 1, "colorspace": 3, "encoded_image": b"x"}}, TAGS
)
MINDSPORE_EVENTS = st.one_of(
    st.builds(
        lambda step, values: {"wall_time": 1.5, "step": step, "summary": {"value": values}},
        st.integers(-(2**63), 2**63 - 1),
        st.lists(st.one_of(SCALARS, OTHERS, st.builds(lambda tag: {"tag": tag}, TAGS)), max_size=5),
    ),
    st.just({"wall_time": 2.5, "graph_def": {"name": "net"}}),
    st.just({"wall_time": 2.5, "version": "MindSpore.Event:1"}),
)
PLUGIN_BY_TAG = {"s": "scalars", "i": "images", "t": "text", "p": "hparams", "x": "unknown", "": "histograms"}
FLOAT_TENSOR = {"dtype": 1, "tensor_shape": {}, "float_val": [0.25]}
TENSORBOARD_VALUES = st.one_of(
    st.builds(lambda tag, value: {"tag": tag, "simple_value": value}, TAGS, st.floats(width=32)),
    st.builds(lambda tag: {"tag": tag, "histo": {"num": 1.0}}, TAGS),
    st.builds(lambda tag: {"tag": tag, "tensor": FLOAT_TENSOR}, st.sampled_from(["untold", *PLUGIN_BY_TAG])),
    st.just({"tag": "p"}),
)


def describe(events: list[dict[str, Any]], repeat: bool) -> list[dict[str, Any]]:
    """The same events with the metadata that a writer adds to the first value of a tag, or to all."""
    events, told = copy.deepcopy(events), set[str]()
    for value in [value for event in events for value in event.get("summary", {}).get("value", [])]:
        tag = value["tag"]
        if tag in PLUGIN_BY_TAG and not {"simple_value", "histo"} & value.keys() and (repeat or tag not in told):
            value["metadata"] = {"plugin_data": {"plugin_name": PLUGIN_BY_TAG[tag]}}
            told.add(tag)
    return events


TENSORBOARD_EVENTS = st.one_of(
    st.builds(
        lambda step, values: {"wall_time": 1.5, "step": step, "summary": {"value": values}},
        st.integers(0, 2**40),
        st.lists(TENSORBOARD_VALUES, max_size=4),
    ),
    st.sampled_from(
        [
            {"graph_def": b"g"},
            {"session_log": {"status": 1}},
            {"tagged_run_metadata": {"tag": "step1", "run_metadata": b"x"}},
            {"file_version": "brain.Event:2"},
        ]
    ),
)


def framed(schema: wire.Schema, events: list[dict[str, Any]]) -> bytes:
    return b"".join(frame(wire.encode(schema, event)) for event in events)


@given(st.lists(MINDSPORE_EVENTS, max_size=12), st.data())
def test_mindspore_events_in_any_pieces(events: list[dict[str, Any]], data: st.DataObject) -> None:
    content = framed(mindspore_schemas.EVENT, events)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=4)))
    assert_same(content, DialectName.MINDSPORE, cuts)


@given(st.lists(TENSORBOARD_EVENTS, max_size=12), st.booleans(), st.data())
def test_tensorboard_events_in_any_pieces(events: list[dict[str, Any]], repeat: bool, data: st.DataObject) -> None:
    content = framed(tensorboard_schemas.EVENT, describe(events, repeat))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=4)))
    assert_same(content, DialectName.TENSORBOARD, cuts)


@given(st.lists(MINDSPORE_EVENTS, min_size=1, max_size=4), st.data())
def test_mutated_payloads_scan_or_are_refused_alike(events: list[dict[str, Any]], data: st.DataObject) -> None:
    payloads = [bytearray(wire.encode(mindspore_schemas.EVENT, event)) for event in events]
    for payload in payloads:
        for _ in range(data.draw(st.integers(0, 3))):
            payload[data.draw(st.integers(0, len(payload) - 1))] = data.draw(st.integers(0, 255))
    assert_same(b"".join(frame(payload) for payload in payloads), DialectName.MINDSPORE)


@given(st.binary(max_size=80), st.sampled_from(dialects.EVENT_DIALECTS))
def test_any_payload_scans_or_is_refused_alike(payload: bytes, dialect: DialectName) -> None:
    assert_same(frame(payload), dialect)


def test_twenty_thousand_tags_keep_their_names() -> None:
    values = [{"tag": f"tag/{i}", "scalar_value": float(i)} for i in range(20_000)]
    event = wire.encode(mindspore_schemas.EVENT, {"wall_time": 1.0, "step": 1, "summary": {"value": values}})
    scanner = EventScanner(DialectName.MINDSPORE, {})
    scanner.scan(FrameReader("events"), frame(event) * 3)
    scanned = scanner.take()
    assert len(scanned.scalars) == 20_000
    assert scanned.scalars["tag/19999"]["value"].tolist() == [19999.0] * 3


def tensorboard_log(*values: dict[str, Any]) -> bytes:
    """A record for each value, and one for all of them together."""
    events = [{"wall_time": 1.5, "step": step, "summary": {"value": [value]}} for step, value in enumerate(values)]
    return framed(tensorboard_schemas.EVENT, [*events, {"wall_time": 2.5, "summary": {"value": list(values)}}])


def with_broken_metadata(value: dict[str, Any]) -> dict[str, Any]:
    """The plugin's name says that it is longer than it is: a name of 98 letters where 6 bytes are left."""
    return value | {"metadata": {"plugin_data": {"plugin_name": "bbbbbb"}}}


def break_metadata(data: bytes) -> bytes:
    payloads = [bytes(payload) for _, payload in FrameReader("events").records(data)]
    return b"".join(frame(payload.replace(b"\x0a\x06bbbbbb", b"\x0a\x62bbbbbb")) for payload in payloads)


def test_a_value_whose_metadata_is_broken_is_kept_as_its_field_has_it() -> None:
    scalar, tensor = {"tag": "a", "simple_value": 0.5}, {"tag": "b", "tensor": FLOAT_TENSOR}
    told = {"tag": "c", "tensor": FLOAT_TENSOR, "metadata": {"plugin_data": {"plugin_name": "scalars"}}}
    log = break_metadata(tensorboard_log(with_broken_metadata(scalar), with_broken_metadata(tensor), told))
    assert_same(log, DialectName.TENSORBOARD)
    scanner = EventScanner(DialectName.TENSORBOARD, {})
    scanner.scan(FrameReader("events"), log)
    scanned = scanner.take()
    assert {tag: rows["step"].tolist() for tag, rows in scanned.scalars.items()} == {"a": [0, 0], "c": [2, 0]}
    assert {key: rows["step"].tolist() for key, rows in scanned.references.items()} == {(Kind.TENSOR, "b"): [1, 0]}
    for place in scanned.undecodable:  # a scalar's metadata tells nothing that is wanted
        assert b"\x0a\x01b" in log[place.offset : place.offset + place.length]
        assert "the field is 98 bytes long" in str(place.error)
    assert len(scanned.undecodable) == 2


def test_metadata_tells_of_the_values_after_it_only_however_the_file_is_cut() -> None:
    untold, told = {"tag": "t", "tensor": FLOAT_TENSOR}, {"metadata": {"plugin_data": {"plugin_name": "scalars"}}}
    log = tensorboard_log(untold, untold | told, untold)
    for cut in range(0, len(log), 7):
        assert_same(log, DialectName.TENSORBOARD, [cut])


def test_a_broken_value_leaves_the_others_of_its_event() -> None:
    wrong = {"tag": "s", "tensor": {"dtype": 1, "tensor_shape": {"dim": [{"size": 9}]}, "float_val": [0.25, 1.0]}}
    told = {"metadata": {"plugin_data": {"plugin_name": "scalars"}}}
    assert_same(tensorboard_log(wrong | told, {"tag": "a", "simple_value": 0.5}), DialectName.TENSORBOARD)


FAR = 1 << 61


@pytest.mark.parametrize(
    "steps",
    [
        range(600),
        range(-3000, 3000, 10),
        [*range(400), *range(300, 600)],
        [*range(0, 4000, 10), 4001, *range(4010, 5000, 10)],
        [7] * 300,
        range(600, 0, -1),
        range(FAR - 300, FAR + 300),
        range(-FAR - 300, -FAR + 300),
        range(2**63 - 300, 2**63),
        [-(2**63), 2**63 - 1, *range(300)],
        range(0, 300 << 31, 1 << 31),
    ],
    ids=str,
)
def test_steps_of_any_kind_are_those_of_the_file(steps: list[int]) -> None:
    """Two tags in turn; now and then one is left out, is an image, or comes first."""
    events: list[dict[str, Any]] = []
    for row, step in enumerate(steps):
        values: list[dict[str, Any]] = [{"tag": "a", "scalar_value": row}, {"tag": "b/long", "scalar_value": -row}]
        if row % 97 == 50:
            values = values[row % 2 :]
        elif row % 97 == 60:
            values.reverse()
        elif row % 97 == 70:
            values[1] = {"tag": "b/long", "image": {"height": 1, "width": 1, "colorspace": 3, "encoded_image": b"x"}}
        events.append({"wall_time": 1e9 - row, "step": step, "summary": {"value": values}})
    log = framed(mindspore_schemas.EVENT, events)
    assert_same(log, DialectName.MINDSPORE)
    assert_same(log, DialectName.MINDSPORE, [len(log) // 3, len(log) // 2])
    scanner = EventScanner(DialectName.MINDSPORE, {})
    scanner.scan(FrameReader("events"), log)
    scanned = scanner.take()
    assert scanned.time_range == TimeRange(1e9 - len(steps) + 1, 1e9, max(steps))
    assert scanned.scalars["a"]["step"].tolist() == [
        step for row, step in enumerate(steps) if row % 97 != 50 or row % 2 == 0
    ]
