# SPDX-License-Identifier: Apache-2.0
"""The wire codec: what is written is read, other readers agree, and no bytes can hurt it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.errors import WireError
from mindscope.formats import mindspore_schemas, tensorboard_schemas, wire

SCHEMAS = wire.parse_schemas("""
Leaf: 1 string name, 2 bytes data
Numbers: 1 double f64, 2 float f32, 3 int32 i32, 4 int64 i64, 5 uint32 u32, 6 uint64 u64, 7 bool flag, 8 fixed32 x32, 9 fixed64 x64, 10 enum choice
Lists: 1 repeated int64 loose, 2 packed int64 tight, 3 packed double doubles, 4 packed float floats, 5 packed bool flags, 6 repeated string texts, 7 repeated Leaf leaves
Tree: 1 string! name, 2 repeated Tree children, 3 Leaf leaf, 4 map<string,Leaf> leaves, 5 map<string,int32> counts
""")  # noqa: E501

INT32 = st.integers(-(2**31), 2**31 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)
LEAVES = st.fixed_dictionaries({}, optional={"name": st.text(max_size=9), "data": st.binary(max_size=9)})


def round_trip(schema: str, message: dict[str, Any]) -> dict[str, Any]:
    return wire.decode(SCHEMAS[schema], wire.encode(SCHEMAS[schema], message))


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "f64": st.floats(allow_nan=False),
            "f32": st.floats(width=32, allow_nan=False),
            "i32": INT32,
            "i64": INT64,
            "u32": st.integers(0, 2**32 - 1),
            "u64": st.integers(0, 2**64 - 1),
            "flag": st.booleans(),
            "x32": st.integers(0, 2**32 - 1),
            "x64": st.integers(0, 2**64 - 1),
            "choice": INT32,
        },
    )
)
def test_numbers_come_back(message: dict[str, Any]) -> None:
    assert round_trip("Numbers", message) == message


def test_nan_comes_back() -> None:
    assert math.isnan(round_trip("Numbers", {"f64": math.nan})["f64"])


TREES = st.recursive(
    st.fixed_dictionaries({"name": st.text(max_size=5)}),
    lambda trees: st.fixed_dictionaries(
        {"name": st.text(max_size=5), "children": st.lists(trees, min_size=1, max_size=3)},
        optional={
            "leaf": LEAVES,
            "leaves": st.dictionaries(st.text(max_size=4), LEAVES, min_size=1, max_size=3),
            "counts": st.dictionaries(st.text(max_size=4), INT32, min_size=1, max_size=3),
        },
    ),
    max_leaves=8,
)


@given(TREES)
def test_nested_messages_and_maps_come_back(tree: dict[str, Any]) -> None:
    assert round_trip("Tree", tree) == tree


@given(st.lists(INT64, min_size=1), st.lists(st.booleans(), min_size=1), st.lists(LEAVES, min_size=1, max_size=4))
def test_repeated_fields_come_back(numbers: list[int], flags: list[bool], leaves: list[dict[str, Any]]) -> None:
    got = round_trip("Lists", {"loose": numbers, "tight": numbers, "flags": flags, "leaves": leaves})
    assert got["loose"] == numbers
    assert got["tight"].dtype == np.int64
    assert got["tight"].tolist() == numbers
    assert got["flags"].tolist() == flags
    assert got["leaves"] == leaves


def test_arrays_are_written_as_they_are() -> None:
    values = np.array([0.1, -0.0, np.inf, np.nan])
    got = round_trip("Lists", {"doubles": values, "floats": values.astype(np.float32)})
    assert got["doubles"].tobytes() == values.tobytes()
    assert got["floats"].tobytes() == values.astype(np.float32).tobytes()


def test_packed_and_loose_numbers_are_read_either_way() -> None:
    tight = wire.encode(SCHEMAS["Lists"], {"tight": [1, -1, 300]})
    loose = wire.encode(SCHEMAS["Lists"], {"loose": [1, -1, 300]})
    as_loose = bytes([tight[0] - 8]) + tight[1:]  # field 2 -> field 1, still packed
    assert wire.decode(SCHEMAS["Lists"], as_loose) == {"loose": [1, -1, 300]}
    as_tight = loose.replace(bytes([loose[0]]), bytes([loose[0] + 8]), 1)
    assert wire.decode(SCHEMAS["Lists"], as_tight)["tight"].tolist()[:1] == [1]


def test_packed_numbers_of_a_message_in_two_parts_come_together() -> None:
    schemas = wire.parse_schemas("Outer: 1 Inner inner\nInner: 1 packed float floats")
    inner = [wire.encode(schemas["Inner"], {"floats": numbers}) for numbers in ([1.0, 2.0], [3.0])]
    outer = b"".join(b"\x0a" + bytes([len(part)]) + part for part in inner)
    message = wire.decode(schemas["Outer"], outer + b"\x0a\x05\x0d\x00\x00\x80\x40")  # the last one is not packed
    assert message["inner"]["floats"].tolist() == [1.0, 2.0, 3.0, 4.0]


def test_unknown_fields_are_passed_over() -> None:
    encoded = wire.encode(SCHEMAS["Numbers"], {"f64": 1.5, "i32": 7, "x32": 9})
    group = b"\x5b\x08\x01\x5c"  # a group of field 11 with a number in it
    assert wire.decode(SCHEMAS["Tree"], b"\x0a\x01n" + b"\xf8\x01\x05" + group)["name"] == "n"
    assert wire.decode(wire.parse_schemas("Only: 3 int32 i32")["Only"], encoded) == {"i32": 7}


def test_text_that_is_no_utf8_stays_visible() -> None:
    assert wire.decode(SCHEMAS["Leaf"], b"\x0a\x03a\xffb") == {"name": "a\\xffb"}


@pytest.mark.parametrize(
    ("schema", "message", "text"),
    [
        ("Numbers", {"i32": 2**31}, "Numbers.i32 is int '2147483648', want a number that fits int32"),
        ("Numbers", {"u64": -1}, "Numbers.u64 is int '-1', want a number that fits uint64"),
        ("Numbers", {"f64": "x"}, "Numbers.f64 is str 'x', want a number that fits double"),
        ("Numbers", {"i64": 1.5}, "Numbers.i64 is float '1.5', want a number that fits int64"),
        ("Leaf", {"name": b"x"}, "Leaf.name is bytes"),
        ("Leaf", {"data": "x"}, "Leaf.data is str 'x', want bytes"),
        ("Leaf", {"nmae": "x"}, "Leaf has no field 'nmae', only name, data"),
        ("Tree", {}, "Tree.name is missing"),
        ("Tree", {"name": "", "leaf": 3}, "Tree.leaf is int '3', want a dict of Leaf's fields"),
    ],
)
def test_value_that_does_not_fit_is_named(schema: str, message: dict[str, Any], text: str) -> None:
    with pytest.raises(WireError) as caught:
        wire.encode(SCHEMAS[schema], message)
    assert str(caught.value).startswith(text)


def test_nesting_is_bounded() -> None:
    def nest(depth: int) -> dict[str, Any]:
        return {"name": "t", "children": [nest(depth - 1)]} if depth else {"name": "leaf"}

    assert round_trip("Tree", nest(100)) == nest(100)
    with pytest.raises(WireError, match="nested deeper than 100"):
        wire.encode(SCHEMAS["Tree"], nest(101))
    once_more = wire.encode(SCHEMAS["Tree"], nest(100))
    length = bytes([len(once_more) & 0x7F | 0x80, len(once_more) >> 7])
    with pytest.raises(WireError, match="nested deeper than 100"):
        wire.decode(SCHEMAS["Tree"], b"\x12" + length + once_more)


@given(st.binary(max_size=120), st.sampled_from(["Event", "LineageEvent", "GraphProto", "Value", "DatasetGraph"]))
def test_any_bytes_are_a_message_or_a_wire_error(data: bytes, name: str) -> None:
    schema = mindspore_schemas.SCHEMAS[name]
    try:
        message = wire.decode(schema, data)
    except WireError:
        return
    assert message.keys() <= {field.name for field in schema.fields}


@given(st.binary(max_size=120))
def test_any_bytes_split_or_are_a_wire_error(data: bytes) -> None:
    try:
        fields = wire.split(data, 0, len(data))
    except WireError:
        return
    assert all(start <= end <= len(data) for _, _, start, end in fields)


@pytest.mark.parametrize("cut", range(1, 60))
def test_message_cut_anywhere_is_an_error_or_a_shorter_message(cut: int) -> None:
    whole = wire.encode(SCHEMAS["Tree"], {"name": "root", "children": [{"name": f"c{i}"} for i in range(15)]})[:60]
    try:
        got = wire.decode(SCHEMAS["Tree"], whole[:cut])
    except WireError:
        return
    assert "root".startswith(got.get("name", ""))


@pytest.mark.parametrize(
    "text", ["1 int64", "x int64 a", "1 packed map<string,int32> a", "1 repeated repeated int32 a"]
)
def test_bad_table_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not of the form"):
        wire.parse_schemas(f"Bad: {text}")


def test_every_message_of_a_table_can_be_written_empty_or_says_what_is_missing() -> None:
    tables = [mindspore_schemas.SCHEMAS, tensorboard_schemas.EVENT_SCHEMAS, tensorboard_schemas.GRAPH_SCHEMAS]
    for schema in [schema for table in tables for schema in table.values()]:
        if any(field.is_required for field in schema.fields):
            with pytest.raises(WireError, match="is missing"):
                wire.encode(schema, {})
        else:
            assert wire.encode(schema, {}) == b""


def test_fields_are_counted_with_those_of_inner_messages() -> None:
    schemas = wire.parse_schemas("Outer: 1 repeated Inner inner\nInner: 1 int32 a, 2 packed int64 b")
    encoded = wire.encode(schemas["Outer"], {"inner": [{"a": 1, "b": np.arange(3)}, {}]})
    # two inner messages, the field a, the field b with three numbers
    assert len(wire.decode(schemas["Outer"], encoded, 7)["inner"]) == 2
    with pytest.raises(WireError, match=r"has more than 6 fields"):
        wire.decode(schemas["Outer"], encoded, 6)
    assert len(wire.split(encoded, 0, len(encoded), 2)) == 2
    with pytest.raises(WireError, match=r"has more than 1 fields"):
        wire.split(encoded, 0, len(encoded), 1)
