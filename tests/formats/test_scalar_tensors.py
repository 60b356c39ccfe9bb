# SPDX-License-Identifier: Apache-2.0
"""Scalars that stand as tensors: the compiled scan against the readable rule, in the forms of writers and any other."""

from __future__ import annotations

import random
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.formats import wire
from mindscope.formats._scan import SCALAR_KIND, EventColumns
from mindscope.formats.frames import FrameReader, frame
from mindscope.formats.scan import EventScanner, Scanned
from mindscope.formats.tensorboard_schemas import EVENT
from mindscope.formats.time_range import TimeRange
from mindscope.types import DialectName, Kind

from .test_fuzz import broken, with_broken_payloads
from .test_scan import assert_same

FLOAT, DOUBLE, INT32, UINT8, STRING, INT64, BOOL, HALF = 1, 2, 3, 4, 7, 9, 10, 19
LISTS = {
    **{FLOAT: "float_val", DOUBLE: "double_val", INT32: "int_val", UINT8: "int_val", STRING: "string_val"},
    **{INT64: "int64_val", BOOL: "bool_val", HALF: "half_val"},
}
PACKED = {FLOAT: "<f", DOUBLE: "<d", INT32: "<i", UINT8: "<B", INT64: "<q", BOOL: "<?", HALF: "<H"}
NUMBERS: dict[int, st.SearchStrategy[Any]] = {
    FLOAT: st.floats(width=32),
    DOUBLE: st.floats(),
    INT32: st.integers(-(2**31), 2**31 - 1),
    UINT8: st.integers(0, 255),
    STRING: st.binary(max_size=3),
    INT64: st.integers(-(2**63), 2**63 - 1),
    BOOL: st.booleans(),
    HALF: st.integers(0, 65535),
}
NO_DIMENSIONS: dict[str, Any] = {}


@st.composite
def tensors(draw: st.DrawFn) -> dict[str, Any]:
    """Of a dtype as writers have it, mostly; of another shape, count or list now and then."""
    dtype = draw(st.sampled_from(list(LISTS)))
    count = draw(st.sampled_from([1, 1, 1, 1, 0, 2]))
    numbers = draw(st.lists(NUMBERS[dtype], min_size=count, max_size=count))
    tensor: dict[str, Any] = {"dtype": draw(st.sampled_from([dtype] * 9 + [0, FLOAT, HALF, 99]))}
    if draw(st.booleans()):
        dim = draw(st.sampled_from([[]] * 4 + [[{"size": 1}], [{"size": 2}], [{"size": -1}]]))
        tensor["tensor_shape"] = {"dim": dim}
    if dtype in PACKED and draw(st.booleans()):
        tensor["tensor_content"] = b"".join(struct.pack(PACKED[dtype], number) for number in numbers)
    else:
        tensor[LISTS[dtype]] = numbers
    return tensor


TAGS = st.sampled_from(["loss", "精度", "", "a\\xff", "long" * 40])
METADATA = st.sampled_from(
    [
        *[{"plugin_data": {"plugin_name": "scalars"}}] * 4,
        {"plugin_data": {"plugin_name": "scalars", "content": b"x"}, "display_name": "d", "data_class": 1},
        {"plugin_data": {"plugin_name": "images"}},
        {"plugin_data": {"plugin_name": "of another"}},
        {},
    ]
)
VALUES = st.one_of(
    st.builds(lambda tag, tensor: {"tag": tag, "tensor": tensor}, TAGS, tensors()),
    st.builds(
        lambda tag, tensor, metadata: {"tag": tag, "tensor": tensor, "metadata": metadata}, TAGS, tensors(), METADATA
    ),
    st.builds(lambda tag, value: {"tag": tag, "simple_value": value}, TAGS, st.floats(width=32)),
    st.builds(lambda tag, metadata: {"tag": tag, "metadata": metadata, "node_name": "n"}, TAGS, METADATA),
)
EVENTS = st.builds(
    lambda step, values: {"wall_time": 1.5, "step": step, "summary": {"value": values}},
    st.integers(0, 2**40),
    st.lists(VALUES, max_size=4),
)


def encoded(events: list[dict[str, Any]]) -> list[bytes]:
    return [wire.encode(EVENT, event) for event in events]


def log_of(*values: dict[str, Any]) -> bytes:
    """A record for each value, at step 0, 1, ..."""
    events = [{"wall_time": 9.0 + step, "step": step, "summary": {"value": [each]}} for step, each in enumerate(values)]
    return b"".join(map(frame, encoded(events)))


def scanned(log: bytes, kinds: dict[str, Kind]) -> Scanned:
    scanner = EventScanner(DialectName.TENSORBOARD, kinds)
    scanner.scan(FrameReader("events"), log)
    return scanner.take()


@given(st.lists(EVENTS, max_size=12), st.data())
def test_tensors_of_any_form_in_any_pieces(events: list[dict[str, Any]], data: st.DataObject) -> None:
    log = b"".join(map(frame, encoded(events)))
    assert_same(log, DialectName.TENSORBOARD, sorted(data.draw(st.lists(st.integers(0, len(log)), max_size=4))))


@given(st.lists(EVENTS, min_size=1, max_size=4), st.data())
def test_mutated_tensors_scan_or_are_refused_alike(events: list[dict[str, Any]], data: st.DataObject) -> None:
    payloads = [bytearray(payload) for payload in encoded(events)]
    for payload in payloads:
        for _ in range(data.draw(st.integers(0, 3))):
            payload[data.draw(st.integers(0, len(payload) - 1))] = data.draw(st.integers(0, 255))
    assert_same(b"".join(frame(payload) for payload in payloads), DialectName.TENSORBOARD)


def plain_tensors() -> list[dict[str, Any]]:
    """One number of each dtype, as its bytes, in its list, and a zero that stands nowhere."""
    halves = [0x3C00, 0x0001, 0x83FF, 0x7BFF, 0x7C00, 0xFC00, 0x7E01, 0x8000]
    numbers = [
        (FLOAT, 0.1),
        (DOUBLE, -1e-300),
        (DOUBLE, 16777217.5),
        (DOUBLE, 1e300),
        (INT32, -7),
        (INT64, 2**62 + 12345),
        (INT64, -1),
    ]
    each = [*numbers, *((HALF, half) for half in halves)]
    contents = [{"dtype": dtype, "tensor_content": struct.pack(PACKED[dtype], number)} for dtype, number in each]
    lists = [{"dtype": dtype, LISTS[dtype]: [number], "version_number": 1} for dtype, number in each]
    return [*contents, *lists, {"dtype": FLOAT}, {"dtype": INT64, "tensor_shape": NO_DIMENSIONS}]


@pytest.mark.parametrize("seed", range(6))
def test_broken_files_of_tensors_are_read_as_far_as_they_go(seed: int) -> None:
    told = {"metadata": {"plugin_data": {"plugin_name": "scalars"}}}
    values = [{"tag": f"t{row % 3}", "tensor": tensor} for row, tensor in enumerate(plain_tensors())]
    log = log_of(*(value | (told if row < 3 or row % 4 == 0 else {}) for row, value in enumerate(values)))
    payloads = [bytes(payload) for _, payload in FrameReader("events").records(log)]
    source = random.Random(seed)
    for _ in range(60):
        mutant = broken(log, source)
        assert_same(mutant, DialectName.TENSORBOARD, sorted(source.randint(0, len(mutant)) for _ in range(2)))
        assert_same(with_broken_payloads(payloads, source), DialectName.TENSORBOARD)


@pytest.mark.parametrize("tensor", plain_tensors(), ids=str)
def test_a_plain_tensor_needs_no_readable_rule(tensor: dict[str, Any]) -> None:
    log = log_of({"tag": "a", "tensor": tensor, "metadata": {"plugin_data": {"plugin_name": "scalars"}}})
    columns = EventColumns()
    columns.start("tensorboard", lambda tag, metadata: SCALAR_KIND)
    columns.scan(log, 0, 0)
    assert not columns.has_references
    _, _, _, values = columns.take_scalars(lambda size: np.empty(size, np.uint8))
    assert sum(each.size for each in values) == 1
    assert_same(log, DialectName.TENSORBOARD)


def test_the_kind_that_an_earlier_file_told_stays() -> None:
    value = {"tag": "t", "tensor": {"dtype": INT32, "int_val": [5]}}
    log = log_of(value, value | {"metadata": {"plugin_data": {"plugin_name": "scalars"}}}, value)
    assert scanned(log, {"t": Kind.SCALAR}).scalars["t"]["value"].tolist() == [5.0, 5.0, 5.0]
    assert list(scanned(log, {"t": Kind.IMAGE}).references) == [(Kind.IMAGE, "t")]
    kinds: dict[str, Kind] = {}
    first = scanned(log, kinds)
    assert first.references[Kind.TENSOR, "t"]["step"].tolist() == [0]
    assert first.scalars["t"]["step"].tolist() == [1, 2]
    assert kinds == {"t": Kind.SCALAR}


def test_unusual_scalars_keep_their_place_among_plain_ones() -> None:
    plain = {"tag": "t", "tensor": {"dtype": FLOAT, "float_val": [1.0]}}
    unusual = {"tag": "t", "tensor": {"dtype": FLOAT, "tensor_shape": {"dim": [{"size": 1}]}, "float_val": [2.0]}}
    two = {"tag": "t", "tensor": {"dtype": FLOAT, "tensor_shape": {"dim": [{"size": 2}]}, "float_val": [2.0]}}
    log = log_of(plain, unusual, plain, two, plain, unusual, plain)
    for cut in range(0, len(log), 5):
        scanner, reader = EventScanner(DialectName.TENSORBOARD, {"t": Kind.SCALAR}), FrameReader("events")
        scanner.scan(reader, log[:cut])
        scanner.scan(reader, log[reader.position :])
        rows = scanner.take()
        assert rows.scalars["t"]["step"].tolist() == [0, 1, 2, 4, 5, 6]
        assert rows.scalars["t"]["value"].tolist() == [1.0, 2.0, 1.0, 1.0, 2.0, 1.0]
        assert rows.time_range == TimeRange(9.0, 15.0, 6)
        assert len(rows.undecodable) == 1


def test_tags_that_look_alike_share_what_one_was_told() -> None:
    """A tag that is no text, and one that spells it: what metadata says of either is said of both."""
    told = {"metadata": {"plugin_data": {"plugin_name": "scalars"}}, "tensor": {"dtype": DOUBLE, "double_val": [0.5]}}
    untold = {"tag": "~~~~", "tensor": {"dtype": DOUBLE, "double_val": [0.25]}}
    log = log_of(untold, {"tag": "\\xff"} | told, untold)
    payloads = [bytes(payload) for _, payload in FrameReader("events").records(log)]
    mixed = b"".join(frame(payload.replace(b"\x0a\x04~~~~", b"\x0a\x01\xff\x3a\x01n")) for payload in payloads)
    assert_same(mixed, DialectName.TENSORBOARD)
    rows = scanned(mixed, {})
    assert sorted(rows.scalars["\\xff"]["value"].tolist()) == [0.25, 0.5]
    assert rows.references[Kind.TENSOR, "\\xff"]["step"].tolist() == [0]


@pytest.mark.parametrize(
    "tensor",
    [
        {"dtype": STRING, "tensor_shape": {"dim": [{"size": 2}]}, "string_val": [b"x"]},
        {"dtype": FLOAT, "half_val": [1]},
        {"dtype": DOUBLE, "float8_val": b"abc"},
        {"dtype": 8, "scomplex_val": [1.0]},
    ],
    ids=str,
)
def test_a_list_that_does_not_fit_its_dtype_or_shape_is_told_as_a_damage(tensor: dict[str, Any]) -> None:
    log = log_of({"tag": "t", "tensor": tensor}, {"tag": "t", "tensor": {"dtype": FLOAT}})
    rows = scanned(log, {"t": Kind.SCALAR})
    assert rows.scalars["t"]["step"].tolist() == [1]
    assert len(rows.undecodable) == 1


def test_what_the_caller_raises_leaves_the_scan() -> None:
    def refuse(tag: str, metadata: bytes | None) -> int:
        raise LookupError(tag)

    columns = EventColumns()
    columns.start("tensorboard", refuse)
    with pytest.raises(LookupError, match="some"):
        columns.scan(log_of({"tag": "some", "tensor": {"dtype": FLOAT}}), 0, 0)
