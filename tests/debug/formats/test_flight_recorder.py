# SPDX-License-Identifier: Apache-2.0
"""Dumps of PyTorch's flight recorder: collectives, and where ranks differ."""

from __future__ import annotations

import pickle
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from mindscope.debug.formats.flight_recorder import (
    MismatchKind,
    find_mismatches,
    is_flight_record,
    read_flight_record,
)
from mindscope.errors import FormatError
from mindscope.reading.failures import FailurePaths, RunFailures, read_failures


def entry(sequence: int, **changes: Any) -> dict[str, Any]:
    return {
        "record_id": sequence, "collective_seq_id": sequence, "p2p_seq_id": 0, "is_p2p": False,
        "process_group": ("0", "default_pg"), "profiling_name": "nccl:all_reduce", "input_sizes": ((4, 3),),
        "output_sizes": ((4, 3),), "input_dtypes": ["Float"], "output_dtypes": ["Float"], "state": "completed",
        "time_created_ns": 1_700_000_000_000_000_000, "frames": [{"name": "step", "filename": "train.py", "line": 7}],
        **changes,
    }  # fmt: skip


def write(directory: Path, rank: int, *entries: Any) -> Path:
    path = directory / f"nccl_trace_rank_{rank}"
    content = {"version": "2.10", "pg_config": {"0": {"name": "0", "ranks": "[0, 1]"}}, "entries": list(entries)}
    path.write_bytes(pickle.dumps(content))
    return path


def kinds(directory: Path, *ranks: list[dict[str, Any]]) -> list[tuple[MismatchKind, int]]:
    records = [read_flight_record(write(directory, rank, *entries)) for rank, entries in enumerate(ranks)]
    return [(each.kind, each.sequence) for each in find_mismatches(records)]


def test_entries_of_a_rank(tmp_path: Path) -> None:
    path = write(tmp_path, 3, entry(5), "odd", {"process_group": 3})
    assert is_flight_record(path)
    record = read_flight_record(path)
    (collective,) = record.collectives
    assert (record.rank, record.version, record.skipped, record.facts["pg_config"]["0"]["name"]) == (3, "2.10", 2, "0")
    assert (collective.operation, collective.sequence, collective.group_description) == (
        "nccl:all_reduce",
        5,
        "default_pg",
    )
    assert (collective.input_sizes, collective.stack) == (((4, 3),), ("train.py:7 step",))


def test_a_record_that_nccl_wrote() -> None:
    """Of DistributedDataParallel with one rank on an H100, PyTorch 2.11; paths are shortened."""
    record = read_flight_record(Path(__file__).with_name("nccl_trace_rank_0"))
    assert (record.rank, record.version, record.skipped) == (0, "2.10", 0)
    operations = [each.operation.removeprefix("nccl:") for each in record.collectives]
    assert operations == ["all_gather", *["broadcast"] * 2, "all_reduce", *["broadcast"] * 2, *["all_reduce"] * 4]
    assert record.collectives[3].input_sizes == ((68362,),)
    assert record.collectives[0].stack[0].startswith("site-packages/torch/distributed/utils.py:286 ")
    assert find_mismatches([record]) == []


def test_ranks_that_agree(tmp_path: Path) -> None:
    assert kinds(tmp_path, [entry(1), entry(2)], [entry(1), entry(2)]) == []
    assert kinds(tmp_path, [entry(1)]) == []
    sends = [entry(1, is_p2p=True, p2p_seq_id=1, profiling_name="nccl:send 0->1")]
    assert kinds(tmp_path, sends, []) == []
    other_group = [entry(9, process_group=("1", "tp"))]
    assert kinds(tmp_path, [entry(1), *other_group], [entry(1)]) == []


@pytest.mark.parametrize(("change", "want"), [
    ({"profiling_name": "nccl:broadcast"}, MismatchKind.TYPE),
    ({"input_sizes": ((5, 3),)}, MismatchKind.SIZE),
    ({"input_dtypes": ["Half"]}, MismatchKind.DTYPE),
    ({"state": "scheduled"}, MismatchKind.STATE),
])  # fmt: skip
def test_ranks_that_differ(tmp_path: Path, change: dict[str, Any], want: MismatchKind) -> None:
    assert kinds(tmp_path, [entry(1), entry(2)], [entry(1), entry(2, **change)]) == [(want, 2)]


def test_sizes_may_differ_where_the_operation_allows_it(tmp_path: Path) -> None:
    one = entry(1, profiling_name="nccl:all_to_all", input_sizes=((1,),))
    other = entry(1, profiling_name="nccl:all_to_all", input_sizes=((2,),))
    assert kinds(tmp_path, [one], [other]) == []


def test_missing_entries(tmp_path: Path) -> None:
    assert kinds(tmp_path, [entry(1), entry(2)], [entry(1)]) == [(MismatchKind.MISSING, 2)]
    assert kinds(tmp_path, [entry(1), entry(2)], [entry(2)]) == [(MismatchKind.UNDECIDED, 1)]


class Exploit:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, (f"open({str(self.path)!r}, 'w')",)


def test_nothing_of_a_pickle_is_executed(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="Only plain values are read"):
        read_flight_record(write(tmp_path, 0, Exploit(tmp_path / "executed")))
    assert not (tmp_path / "executed").exists()
    whole = write(tmp_path, 0, entry(1)).read_bytes()
    for end in range(0, len(whole), 5):
        path = tmp_path / "cut_0"
        path.write_bytes(whole[:end])
        with pytest.raises(FormatError):
            read_flight_record(path)
    path.write_bytes(pickle.dumps([1]))
    with pytest.raises(FormatError, match="has no entries"):
        read_flight_record(path)


def test_infinite_numbers_cost_only_their_entry(tmp_path: Path) -> None:
    found = read_flight_record(write(tmp_path, 0, entry(1), entry(2, time_created_ns=float("inf"))))
    assert ([each.sequence for each in found.collectives], found.skipped) == ([1], 1)


def test_a_small_file_of_much_memory_is_refused_before_it_takes_it(tmp_path: Path) -> None:
    """An empty list takes one byte in the file and 88 in memory."""
    path = tmp_path / "nccl_trace_rank_0"
    path.write_bytes(b"\x80\x04}(\x8c\x07version\x8c\x032.9\x8c\x07entries](" + b"]" * 7_000_000 + b"eu.")
    assert is_flight_record(path)
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="nccl_trace_rank_0 is too large: it would take about 616000"):
            read_flight_record(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def together(directory: Path, most_bytes: int, *ranks: list[dict[str, Any]]) -> RunFailures:
    paths = [write(directory, rank, *entries) for rank, entries in enumerate(ranks)]
    return read_failures(FailurePaths(flight_records=paths), most_bytes=most_bytes)


def test_of_many_ranks_the_last_collectives_are_kept(tmp_path: Path) -> None:
    ranks = [[entry(number) for number in range(first, 400)] for first in (0, 100, 200)]
    ranks[1][-1]["state"] = "started"
    whole = together(tmp_path, 1 << 28, *ranks)
    assert {each.kind for each in whole.mismatches} == {MismatchKind.UNDECIDED, MismatchKind.STATE}
    assert not whole.problems
    found = together(tmp_path, 90_000, *ranks)
    for record, entries in zip(found.flight_records, ranks, strict=True):
        assert 50 < len(record.collectives) < 150
        assert record.collectives[-1].sequence == 399
        assert (record.count, record.skipped) == (len(entries), 0)
    assert [(each.kind, each.sequence) for each in found.mismatches] == [(MismatchKind.STATE, 399)]
    left = sum(record.left for record in found.flight_records)
    assert found.problems == [
        f"{left} earlier collectives in the flight records of 3 ranks are left out. Read fewer ranks together."
    ]


def test_collectives_of_all_ranks_take_the_memory_that_they_may(tmp_path: Path) -> None:
    """Stacks of their own are the worst; those of the same lines are one object."""
    ranks = [
        [
            entry(number, frames=[{"name": "f" * 2000, "filename": f"{rank}.py", "line": number}])
            for number in range(200)
        ]
        for rank in range(20)
    ]
    tracemalloc.start()
    try:
        found = together(tmp_path, 1 << 20, *ranks)
        before = tracemalloc.get_traced_memory()[0]
        kept = [len(record.collectives) for record in found.flight_records]
        del found
        assert before - tracemalloc.get_traced_memory()[0] < 3 << 19
    finally:
        tracemalloc.stop()
    assert min(kept) > 10
    same = together(tmp_path, 1 << 20, *[[entry(number) for number in range(200)]] * 10).flight_records
    assert [len(record.collectives) for record in same] == [200] * 10
    assert len({id(each.stack) for record in same for each in record.collectives}) == 1


def test_facts_that_hold_themselves_or_are_large_are_left_out(tmp_path: Path) -> None:
    endless: list[Any] = []
    endless.append(endless)
    path = tmp_path / "nccl_trace_rank_0"
    for facts in (endless, ["a" * 1000] * 3000):
        path.write_bytes(pickle.dumps({"version": "2.10", "pg_config": {}, "pg_status": facts, "entries": [entry(1)]}))
        found = read_failures(FailurePaths(flight_records=[path]), most_bytes=1 << 20)
        assert [len(record.collectives) for record in found.flight_records] == [1]
        assert found.flight_records[0].facts == {}
