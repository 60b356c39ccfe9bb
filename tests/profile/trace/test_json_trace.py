# SPDX-License-Identifier: Apache-2.0
"""JSON traces: every event counts, whatever the writer did."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.errors import FormatError
from mindscope.profile.trace import json_trace
from mindscope.profile.trace._trace_events import EventReader
from mindscope.profile.trace.argument_columns import ArgumentNames, FileArguments
from mindscope.profile.trace.arguments import ArgumentFile
from mindscope.profile.trace.json_trace import read_json_trace
from mindscope.profile.trace.trace import Trace

SLICE = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 900, "tid": 901, "ts": 100.25, "dur": 31.0}


def written(path: Path, data: Any) -> Trace:
    file = path / "a.json"
    file.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return read_json_trace(file)


def rows(trace: Trace) -> list[tuple[Any, ...]]:
    """Name, category, process, thread, start and duration (ns) of each slice."""
    slices = trace.slices
    return [
        (
            trace.names[slices.name[row]],
            trace.categories[slices.category[row]],
            trace.tracks[slices.track[row]].process,
            trace.tracks[slices.track[row]].thread,
            int(slices.start[row]),
            int(slices.duration[row]),
        )
        for row in range(len(slices))
    ]


def test_events_become_columns(tmp_path: Path) -> None:
    kernel = {
        "ph": "X",
        "cat": "kernel",
        "name": 'k<"a">',
        "pid": 0,
        "tid": "stream 7",
        "ts": 1,
        "dur": 2.5,
        "args": {"a": [1]},
    }
    flow = {"ph": "s", "id": 77, "pid": 900, "tid": 901, "ts": 5, "cat": "ac2g", "name": "ac2g"}
    names = [
        {"ph": "M", "name": "process_name", "pid": 900, "tid": 0, "args": {"name": "python"}},
        {"ph": "M", "name": "thread_name", "pid": 900, "tid": 901, "args": {"name": "thread 901 (main)"}},
        {"ph": "M", "name": "process_sort_index", "pid": 900, "args": {"sort_index": 3}},
    ]
    file = {"baseTimeNanoseconds": 1790857026000000000, "traceEvents": [SLICE, kernel, flow, *names], "traceName": "x"}
    trace = written(tmp_path, file)
    assert rows(trace) == [
        ("aten::mm", "cpu_op", "900", "901", 100_250, 31_000),
        ('k<"a">', "kernel", "0", "stream 7", 1_000, 2_500),
    ]
    assert trace.tracks[0][2:] == ("python", "thread 901 (main)", 3, 0)
    assert (trace.origin_ns, trace.properties["traceName"]) == (1790857026000000000, "x")
    assert trace.events.of("s").tolist() == [0]
    assert (int(trace.events.id[0]), int(trace.events.time[0])) == (77, 5_000)
    assert (trace.read, dict(trace.skipped)) == (6, {})
    start, size = int(trace.slices.args_offset[1]), int(trace.slices.args_size[1])
    assert json.loads((tmp_path / "a.json").read_bytes()[start : start + size]) == {"a": [1]}
    assert trace.slices.args_offset[0] == -1


@pytest.mark.parametrize(
    ("written_as", "nanoseconds"),
    [
        ("12", 12_000), ("12.3456", 12_346), ("-0.5", -500), ('"1800000000000100.250"', 1800000000000100250),
        ("1.5e3", 1_500_000), ("1E+3", 1_000_000), ("0", 0), ("0.0004", 0), ("0.0005", 1),
        ("8999999999999999.999", 8999999999999999999),
    ],
)  # fmt: skip
def test_times_are_exact(tmp_path: Path, written_as: str, nanoseconds: int) -> None:
    trace = written(tmp_path, b'[{"ph":"X","name":"a","pid":1,"tid":1,"ts":%s,"dur":1}]' % written_as.encode())
    assert trace.slices.start.tolist() == [nanoseconds]


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (SLICE | {"ts": None}, "no_time"),
        (SLICE | {"ts": "soon"}, "no_time"),
        (SLICE | {"ts": 1e300}, "no_time"),
        (SLICE | {"ts": float("nan")}, "no_time"),
        ({key: value for key, value in SLICE.items() if key != "dur"}, "no_duration"),
        (SLICE | {"dur": -1}, "bad_duration"),
        (SLICE | {"dur": 8 * 86400e6}, "bad_duration"),
        (SLICE | {"ph": "D"}, "other_phase"),
        (SLICE | {"ph": "XX"}, "malformed"),
        ({}, "malformed"),
        (None, "malformed"),
        ("text", "malformed"),
        ([SLICE], "malformed"),
        (12, "malformed"),
    ],
)
def test_an_event_that_can_not_be_read_is_counted_and_loses_no_other(tmp_path: Path, event: Any, reason: str) -> None:
    trace = written(tmp_path, {"traceEvents": [SLICE, event, SLICE, SLICE]})
    assert len(trace.slices) == 3
    assert {name: found.count for name, found in trace.skipped.items()} == {reason: 1}
    data = (tmp_path / "a.json").read_bytes()
    assert data[trace.skipped[reason].first_offset :].startswith(json.dumps(event)[:1].encode())


def test_broken_syntax_costs_the_events_with_it(tmp_path: Path) -> None:
    good = json.dumps(SLICE)
    broken = [
        '{"ph":"X","name":"say "hello"","pid":1,"tid":1,"ts":1,"dur":1,"args":{"a":{"b":1}}}',
        '{"ph":"X","name":"a" "b","ts":1,"dur":1}',
        '{"ph":,"ts":1}',
        "{'ph':'X'}",
    ]
    text = "[" + ",\n".join(each for one in broken for each in (good, one)) + "," + good + "]"
    trace = written(tmp_path, text.encode())
    assert (len(trace.slices), trace.skipped["malformed"].count) == (5, 4)


@pytest.mark.parametrize(
    "args",
    [
        '{"Call stack":"a"b","x":1}', '{"a":"z}', '{"a":{"b":1}', '{"a":1, ', '{"a":[1,[2,"x":3}', '{"a":[1,2}}',
        '{"a":"b" "c"}', '{"a":{"b":1}]}', '["a":1]',
    ],
)  # fmt: skip
def test_arguments_that_do_not_end_cost_their_event_only(tmp_path: Path, args: str) -> None:
    good = [json.dumps(SLICE | {"ts": number, "args": {"Input Dims": [[8, 64], []]}}) for number in range(40)]
    broken = json.dumps(SLICE)[:-1] + f', "args":{args}}}'
    trace = written(tmp_path, f"[{','.join([*good[:20], broken, *good[20:]])}]".encode())
    assert trace.slices.start.tolist() == [1000 * number for number in range(40)]
    assert {reason: found.count for reason, found in trace.skipped.items()} == {"malformed": 1}
    assert trace.properties["isWhole"] is True


def test_an_event_without_an_end_takes_bounded_memory(tmp_path: Path) -> None:
    pack = zlib.compressobj(1, wbits=31)
    front = [pack.compress(b'[{"ph":"X","name":"'), *(pack.compress(b"a" * (1 << 20)) for _ in range(200))]
    tracemalloc.start()
    trace = written(tmp_path, b"".join([*front, pack.flush()]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (trace.read, trace.skipped["malformed"].count) == (0, 1)
    assert peak < 180 << 20


def test_an_event_far_from_all_others_does_not_hide_them(tmp_path: Path) -> None:
    events = [SLICE | {"ts": 1.79e15 + number} for number in range(9)]
    far = [SLICE | {"ts": 0}, SLICE | {"ts": -8.9e15}, {"ph": "C", "name": "c", "pid": 1, "ts": 3, "args": {"v": 1}}]
    pair = [{"ph": "B", "name": "b", "pid": 1, "tid": 1, "ts": 1.79e15}, {"ph": "E", "pid": 1, "tid": 1, "ts": 8.9e15}]
    trace = written(tmp_path, [*events[:4], *far, *pair, *events[4:]])
    assert len(trace.slices) == 9
    assert {reason: found.count for reason, found in trace.skipped.items()} == {"far_time": 4, "unpaired": 1}
    assert trace.read + 5 == 14


def test_words_that_json_lacks_are_values_of_arguments(tmp_path: Path) -> None:
    text = '[{"ph":"X","name":"a","ts":1,"dur":1,"id":N/A,"args":{"x":N/A,"y":NaN,"z":18446744073709551615}}]'
    assert len(written(tmp_path, text.encode()).slices) == 1


@pytest.mark.parametrize("end", ["", "]", ",", ",\n", "\n]\n"])
def test_a_list_may_lack_its_end(tmp_path: Path, end: str) -> None:
    trace = written(tmp_path, ("[" + json.dumps(SLICE) + end).encode())
    assert (len(trace.slices), dict(trace.skipped)) == (1, {})


def test_a_file_that_breaks_off_keeps_what_was_written(tmp_path: Path) -> None:
    whole = json.dumps({"schemaVersion": 1, "traceEvents": [SLICE | {"args": {"x": "y" * 50}}] * 3}).encode()
    events = whole.index(b"[") + 1
    size = len(json.dumps(SLICE | {"args": {"x": "y" * 50}})) + 2
    for length in range(events, len(whole) - 2, 7):
        trace = written(tmp_path, whole[:length])
        count = min((length - events + 2) // size, 3)
        rest = (length - events) - count * size
        assert len(trace.slices) == count
        assert trace.skipped.keys() == ({"truncated"} if rest > 0 else set())
        assert trace.properties["schemaVersion"] == 1


@pytest.mark.parametrize(
    "data", [b"", b"   ", b"{}", b'{"a": 1}', b"null", b"<xml/>", b'{"x": "\\"traceEvents\\": ["}']
)
def test_files_without_events_are_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(FormatError, match=r"a\.json (begins with|has no list|is empty)"):
        written(tmp_path, data)


def test_byte_order_mark_line_ends_and_escapes(tmp_path: Path) -> None:
    text = "\ufeff" + json.dumps({"traceEvents": [SLICE | {"name": "矩阵 \\ \n \ud800 </script>"}]}, indent=1).replace(
        "\n", "\r\n"
    )
    (row,) = rows(written(tmp_path, text.encode("utf-8", "surrogatepass")))
    assert row[0].startswith("矩阵 \\ \n ")
    raw = b'[{"ph":"X","name":"\xc4\xe3\xba\xc3","pid":1,"tid":1,"ts":1,"dur":1}]'
    assert len(written(tmp_path, raw).slices) == 1


def test_gzip_whole_cut_and_in_members(tmp_path: Path) -> None:
    events = [SLICE | {"ts": number} for number in range(2000)]
    text = json.dumps(events).encode()
    packed = gzip.compress(text)
    assert len(written(tmp_path, packed).slices) == 2000
    assert len(written(tmp_path, gzip.compress(text[:9000]) + gzip.compress(text[9000:])).slices) == 2000
    cut = written(tmp_path, packed[: len(packed) // 2])
    assert 0 < len(cut.slices) < 2000
    assert cut.properties["isWhole"] is False
    with pytest.raises(FormatError, match=r"a\.json"):
        written(tmp_path, b"\x1f\x8bnot gzip at all")


def test_damage_of_gzip_keeps_what_precedes_it(tmp_path: Path) -> None:
    events = [SLICE | {"ts": number, "args": {"External id": number}} for number in range(20_000)]
    packed = gzip.compress(json.dumps(events).encode())
    for harmless in (packed + bytes(512), packed + b"padding", packed[:-8] + bytes(8)):
        assert len(written(tmp_path, harmless).slices) == 20_000
    begin = len(packed) // 2
    damaged = packed[:begin] + bytes(64) + packed[begin + 64 :]
    trace = written(tmp_path, damaged)
    assert 5_000 < len(trace.slices) < 20_000
    rows = np.arange(5_000)
    found = FileArguments(tmp_path / "a.json", trace).of_slices(rows, ArgumentNames(integers=("External id",)))
    assert found.integers["External id"].tolist() == rows.tolist()
    place = int(trace.slices.args_offset[5_000]), int(trace.slices.args_size[5_000])
    assert ArgumentFile(tmp_path / "a.json").read(*place) == {"External id": 5_000}


def test_begin_and_end_become_slices(tmp_path: Path) -> None:
    def event(phase: str, time: int, name: str = "", **more: Any) -> dict[str, Any]:
        return {"ph": phase, "ts": time, "name": name, "pid": 1, "tid": 1, **more}

    events = [
        event("B", 1, "outer", args={"a": 1}), event("B", 2, "inner"), event("E", 5), event("E", 9), event("E", 10),
        event("b", 3, "load", id="0x1", cat="io"), event("b", 4, "load", id="0x2", cat="io"),
        event("e", 6, "load", id="0x1", cat="io"), event("e", 8, "load", id="0x2", cat="io"), event("B", 11, "open"),
        event("C", 3, "queue", args={"size": 2}),
    ]  # fmt: skip
    trace = written(tmp_path, events)
    assert [(row[0], row[4], row[5]) for row in rows(trace)] == [
        ("inner", 2000, 3000), ("outer", 1000, 8000), ("load", 3000, 3000), ("load", 4000, 4000),
    ], "in the order in which the file ends them"  # fmt: skip
    assert trace.skipped["unpaired"].count == 2
    assert trace.read + 2 == len(events)
    assert trace.events.of("C").tolist() == [0]
    assert trace.slices.args_size.tolist() == [0, 8, 0, 0]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
slices_of_any_kind = st.fixed_dictionaries(
    {"ph": st.just("X"), "name": st.text(max_size=8), "ts": st.integers(-(10**9), 10**9), "dur": st.integers(0, 10**6),
     "pid": st.integers(0, 3) | st.text(max_size=3), "tid": st.integers(0, 3)},
    optional={"cat": st.text(max_size=4), "args": st.dictionaries(st.text(max_size=4), json_values, max_size=3),
              "bp": st.just("e"), "sf": json_values},
)  # fmt: skip


@given(st.lists(slices_of_any_kind, max_size=12), st.integers(1, 200), st.sampled_from([None, 1]), st.booleans())
def test_blocks_of_any_size_read_what_json_reads(
    events: list[dict[str, Any]], size: int, indent: Any, ascii: bool
) -> None:
    data = json.dumps(events, indent=indent, ensure_ascii=ascii).encode("utf-8", "surrogatepass")[1:]
    reader = EventReader()
    rest, offset = b"", 1
    for start in range(0, len(data), size):
        rest += data[start : start + size]
        used = reader.feed(rest, offset, False)
        rest, offset = rest[used:], offset + used
    assert reader.is_finished
    assert reader.skipped == {}
    start, duration, place, name, _, track, args_size = reader.slices()
    assert start.tolist() == [1000 * event["ts"] for event in events]
    assert duration.tolist() == [1000 * event["dur"] for event in events]
    texts = [json_trace.text_of(each) for each in reader.names]
    tracks = [tuple(json_trace.text_of(part) for part in key) for key in reader.tracks]
    whole = b"[" + data
    for row, event in enumerate(events):
        if "\ud800" <= max(event["name"], default="") <= "\udfff":
            continue
        assert texts[name[row]] == event["name"]
        assert tracks[track[row]][1] == str(event["tid"])
        if "args" in event:
            text = whole[int(place[row]) :][: int(args_size[row])].decode("utf-8", "surrogatepass")
            assert json.dumps(json.loads(text)) == json.dumps(event["args"])


@given(st.binary(max_size=300), st.integers(1, 64))
def test_no_bytes_crash_the_reader(data: bytes, size: int) -> None:
    reader = EventReader()
    rest = b""
    for start in range(0, len(data), size):
        rest += data[start : start + size]
        rest = rest[reader.feed(rest, 0, start + size >= len(data)) :]
    assert len(reader.slices()[0]) + len(reader.events()[0]) + len(reader.metadata) == reader.read


@pytest.mark.framework
def test_a_profile_of_torch_is_read_whole(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    network = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True, profile_memory=True, with_stack=True
    ) as profiler:
        for _ in range(3):
            network(torch.randn(4, 8)).sum().backward()
            profiler.step()
    file = tmp_path / "t.json"
    profiler.export_chrome_trace(str(file))
    trace = read_json_trace(file)
    events = json.loads(file.read_bytes())["traceEvents"]
    assert trace.read == len(events)
    assert dict(trace.skipped) == {}
    want = [event for event in events if event["ph"] == "X"]
    assert Counter(trace.names[name] for name in trace.slices.name) == Counter(event["name"] for event in want)
    microseconds = np.array([event["ts"] for event in want])
    np.testing.assert_allclose(trace.slices.start / 1000, microseconds, rtol=0, atol=1e-3)
    assert sum(trace.slices.duration.tolist()) == sum(round(event["dur"] * 1000) for event in want)
    phases = Counter(map(chr, trace.events.phase.tolist()))
    assert phases == Counter(event["ph"] for event in events if event["ph"] not in "XM")
