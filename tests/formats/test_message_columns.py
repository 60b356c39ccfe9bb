# SPDX-License-Identifier: Apache-2.0
"""Messages as columns give what decoding each message gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.formats import wire
from mindscope.formats._message_columns import find_byte, join_runs, number_texts, scan_fields
from mindscope.formats.message_columns import ByteRanges, Messages, Texts, distinct_runs, join_rows, number_runs

SCHEMAS = wire.parse_schemas("""
List: 1 repeated Item item, 2 string name
Item: 1 string name, 2 int64 size, 3 repeated string input, 4 repeated Part part, 5 packed int64 dims, 6 double ratio
Part: 1 enum kind, 2 bytes data
""")
TEXT = st.text(max_size=5)
PART = st.fixed_dictionaries({}, optional={"kind": st.integers(0, 300), "data": st.binary(max_size=5)})
ITEM = st.fixed_dictionaries(
    {},
    optional={
        "name": TEXT,
        "size": st.integers(-(2**63), 2**63 - 1),
        "input": st.lists(TEXT, min_size=1, max_size=4),
        "part": st.lists(PART, min_size=1, max_size=3),
        "dims": st.lists(st.integers(0, 1000), min_size=1, max_size=3),
        "ratio": st.floats(allow_nan=False),
    },
)


def items_of(data: bytes) -> Messages:
    return Messages.one(SCHEMAS["List"], data).each_message("item")[1]


def runs(*texts: bytes) -> ByteRanges:
    sizes = np.array([len(text) for text in texts], np.int64)
    ends = np.cumsum(sizes)
    return ByteRanges(b"".join(texts), ends - sizes, ends)


@given(st.lists(ITEM, max_size=8), TEXT)
def test_columns_have_what_each_message_has(items: list[dict[str, Any]], name: str) -> None:
    data = wire.encode(SCHEMAS["List"], {"item": items, "name": name})
    columns = items_of(data)
    want = wire.decode(SCHEMAS["List"], data).get("item", [])
    assert len(columns) == len(want)
    assert not columns.broken.size
    assert columns.numbers("size", default=7).tolist() == [each.get("size", 7) for each in want]
    names = columns.field_runs("name")
    assert [names.text(row) for row in range(len(want))] == [each.get("name", "") for each in want]
    row, inputs = columns.each_run("input")
    assert row.tolist() == [place for place, each in enumerate(want) for _ in each.get("input", [])]
    assert [inputs.text(place) for place in range(len(inputs))] == [t for each in want for t in each.get("input", [])]
    parts = columns.each_message("part")[1]
    assert parts.numbers("kind").tolist() == [p.get("kind", 0) for each in want for p in each.get("part", [])]


@given(st.lists(st.sampled_from([b"", b"a", b"ab", b"abcdefgh", b"abcdefghi", b"\xff\x00"]), max_size=12))
def test_equal_texts_have_one_number(texts: list[bytes]) -> None:
    number, first = number_texts(runs(*texts).data, runs(*texts).start, runs(*texts).stop)
    distinct = list(dict.fromkeys(texts))
    assert number.tolist() == [distinct.index(text) for text in texts]
    assert [texts[row] for row in first] == distinct


def test_many_texts_are_numbered() -> None:
    texts = [str(number % 50_000).encode() for number in range(100_000)]
    number, first = number_texts(runs(*texts).data, runs(*texts).start, runs(*texts).stop)
    assert first.tolist() == list(range(50_000))
    assert (number == np.arange(100_000) % 50_000).all()


def test_numbers_of_several_columns_and_their_texts() -> None:
    everything = runs(b"x", b"y", b"x", b"", b"z")
    (left, right), texts = number_runs(everything.take(np.array([0, 1])), everything.take(np.array([2, 3, 4])))
    assert (left.tolist(), right.tolist(), texts.all) == ([1, 2], [1, 0, 3], ["", "x", "y", "z"])
    assert distinct_runs(everything)[1] == [b"x", b"y", b"", b"z"]
    assert join_rows([everything, everything.take(np.array([0]))]).bytes_of(5) == b"x"


@given(st.lists(st.binary(max_size=6), max_size=6))
def test_bytes_are_found_from_both_ends(texts: list[bytes]) -> None:
    found = runs(*texts)
    for is_last in (False, True):
        places = find_byte(found.data, found.start, found.stop, 1, last=is_last)
        want = [text.rfind(b"\x01") if is_last else text.find(b"\x01") for text in texts]
        assert [place - start if place >= 0 else -1 for place, start in zip(places, found.start, strict=True)] == want


def test_texts_are_a_sequence() -> None:
    texts = Texts.of(["a", "", "ünïcode"]).and_more(["\udcff", "z"])
    assert (len(texts), texts[2], texts[4], texts[-1]) == (5, "ünïcode", "z", "z")
    assert texts[-5] == "a"
    assert texts.all[0] == "a"
    with pytest.raises(IndexError):
        texts[5]
    assert Texts.of([]).all == []


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_broken(data: bytes) -> None:
    """A message is broken if and only if decoding it fails, but for groups and texts in place of numbers."""
    columns = Messages.one(SCHEMAS["Part"], data)
    try:
        wire.decode(SCHEMAS["Part"], data)
    except Exception:
        assert columns.broken.size == 1
    else:
        has_group = columns.broken.size == 1
        assert not has_group or any(byte & 7 in (3, 4) for byte in data)


def test_what_stands_before_a_break_is_kept() -> None:
    good = wire.encode(SCHEMAS["Item"], {"name": "kept"})
    columns = Messages(SCHEMAS["Item"], runs(good + b"\x12", good))
    assert columns.broken.tolist() == [0]
    assert [columns.field_runs("name").text(row) for row in range(2)] == ["kept", "kept"]


@pytest.mark.parametrize(("start", "stop"), [([-1], [1]), ([1], [0]), ([0], [4]), ([0], [2**62])])
def test_runs_outside_of_the_data_are_refused(start: list[int], stop: list[int]) -> None:
    edges = np.array(start, np.int64), np.array(stop, np.int64)
    for call in (
        lambda: scan_fields(SCHEMAS["Item"], b"abc", *edges),
        lambda: number_texts(b"abc", *edges),
        lambda: join_runs(b"abc", *edges),
        lambda: find_byte(b"abc", *edges, 1),
    ):
        with pytest.raises(IndexError):
            call()


def test_a_schema_with_too_high_numbers_is_refused() -> None:
    high = wire.parse_schemas("High: 64 string name")["High"]
    with pytest.raises(ValueError, match="has number 64"):
        Messages.one(high, b"")
